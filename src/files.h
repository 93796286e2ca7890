/* Files that appear whole or not at all. */
#ifndef KN_IO_FILES_H
#define KN_IO_FILES_H

#include "knudsen.h"

#include <stdio.h>

enum { KN_PATH = 4096 };

/* Make a folder and its parents; an unwritable one is an error. */
enum kn_status kn_files_make_folder(const char *path);

/* folder/name into path[KN_PATH]. */
enum kn_status kn_files_join(char *path, const char *folder, const char *name);

/* The name, beside the final one, under which a file grows: folder/.name.knudsen.tmp into
 * temporary[KN_PATH].  Only this program uses such names. */
#define KN_FILES_TEMPORARY ".knudsen.tmp"
enum kn_status kn_files_temporary(char *temporary, const char *path);

/* Create a temporary file for writing.  A regular file of that name is removed first; a link is never
 * followed.  Returns a descriptor, or -1 with errno. */
int kn_files_create(const char *temporary);

/* Give a finished temporary file its final name: fsync, rename, fsync of the
 * folder.  On failure the temporary file is removed. */
enum kn_status kn_files_commit(const char *temporary, const char *path);

/* Write a file in this way.  `fill` writes into the stream; nothing is replaced where it fails. */
enum kn_status kn_files_write(const char *path, enum kn_status (*fill)(FILE *to, const void *what),
                              const void *what);
/* The same for a `fill` that can fail only in the stream. */
enum kn_status kn_files_write_text(const char *path, void (*fill)(FILE *to, const void *what),
                                   const void *what);

/* Keep others out of a folder that is there: `*lock` is held until it is closed, or the process ends.
 * KN_EINPUT where another has it; -1 and no error where the file system has no locks. */
enum kn_status kn_files_lock(const char *folder, int *lock);

/* Remove a file; one that is not there is no error. */
enum kn_status kn_files_remove(const char *path);

/* A checksum, continued from `sum`: FNV-1a on eight bytes, folded so that two wrong signs do not cancel.  The
 * last word is filled up with zeros. */
#define KN_FILES_SUM UINT64_C(14695981039346656037)
uint64_t kn_files_sum(uint64_t sum, const void *data, size_t bytes);

/* Text as JSON has it, quotes and all.  The letters of `also` are written by their numbers too: "" mostly,
 * "<>&" inside a page. */
void kn_files_json_text(FILE *to, const char *text, const char *also);

/* A word as a shell reads it back, in quotes where it needs them. */
void kn_files_shell_word(FILE *to, const char *word);

/* Open a regular file of results for reading; NULL where there is none. */
enum kn_status kn_files_open(FILE **from, const char *path);

/* After a failed getline or fgets: KN_EIO unless the file has been read to its end. */
enum kn_status kn_files_at_end(FILE *from, const char *path);

/* Read a stream to its end, or a regular file (*text is NULL if there is none).  The text is to be freed,
 * also after an error of the first.  KN_EINPUT: it is larger than `limit` bytes. */
enum kn_status kn_files_read_all(FILE *from, const char *path, size_t limit, char **text, size_t *size);
enum kn_status kn_files_read(const char *path, size_t limit, char **text, size_t *size);

#endif
