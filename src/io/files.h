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

/* Give a finished temporary file its final name: fsync, rename, fsync of the folder. */
enum kn_status kn_files_commit(const char *temporary, const char *path);

/* Write a text file through the same door. `fill` prints into the stream. */
enum kn_status kn_files_write_text(const char *path, void (*fill)(FILE *to, const void *what), const void *what);

#endif
