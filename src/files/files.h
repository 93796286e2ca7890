/* Files that are complete or absent: temporary file, fsync, rename; reading, locks and checksums. */
#ifndef KN_IO_FILES_H
#define KN_IO_FILES_H

#include "knudsen.h"

#include <stdio.h>

enum { KN_PATH = 4096 };

/* Create a folder and its parents; a folder that cannot be written is an error. */
enum kn_status kn_files_make_folder(const char *path);

/* folder/name into path[KN_PATH]. */
enum kn_status kn_files_join(char *path, const char *folder, const char *name);

/* The name of a file while it is written, folder/.name.knudsen.tmp, into temporary[KN_PATH].  Only this
 * program uses such names. */
#define KN_FILES_TEMPORARY ".knudsen.tmp"
enum kn_status kn_files_temporary(char *temporary, const char *path);

/* Create a temporary file for writing.  A regular file of that name is removed first; a link is never
 * followed.  Returns a descriptor, or -1 with errno. */
int kn_files_create(const char *temporary);

/* Give a finished temporary file its final name: fsync, rename, fsync of the
 * folder.  On failure the temporary file is removed. */
enum kn_status kn_files_commit(const char *temporary, const char *path);

/* Write a file in this way.  `fill` writes into the stream; if it fails nothing is replaced. */
enum kn_status kn_files_write(const char *path, enum kn_status (*fill)(FILE *to, const void *what),
                              const void *what);

/* The path of this program, and of a file that comes with it: in a build folder (a link), in the source tree,
 * or installed.  False: there is none. */
enum kn_status kn_files_program(char path[KN_PATH]);
bool kn_files_beside(char path[KN_PATH], const char *name);

/* Lock an existing folder until *lock is closed or the process ends.  KN_EINPUT if another process has the
 * lock; *lock is -1, without an error, if the file system has no locks. */
enum kn_status kn_files_lock(const char *folder, int *lock);

/* Remove a file; a missing file is no error. */
enum kn_status kn_files_remove(const char *path);

/* A checksum, continued from `sum`: FNV-1a on words of eight bytes, folded so that two wrong signs do not
 * cancel. The last word is padded with zeros. */
#define KN_FILES_SUM UINT64_C(14695981039346656037)
uint64_t kn_files_sum(uint64_t sum, const void *data, size_t bytes);

/* Print a word for a shell, in quotes if necessary. */
void kn_files_shell_word(FILE *to, const char *word);

/* Open a regular file for reading; NULL if there is none. */
enum kn_status kn_files_open(FILE **from, const char *path);

/* After a failed getline or fgets: KN_EIO unless the file has been read to its end. */
enum kn_status kn_files_at_end(FILE *from, const char *path);

/* Read a stream to its end, or a regular file (*text is NULL if there is none).  The caller frees the text,
 * for a stream also after an error.  KN_EINPUT: it is larger than `limit` bytes. */
enum kn_status kn_files_read_all(FILE *from, const char *path, size_t limit, char **text, size_t *size);
enum kn_status kn_files_read(const char *path, size_t limit, char **text, size_t *size);

#endif
