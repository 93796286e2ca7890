/* A temporary folder for each test, a simulated full disk, and a check for leaks. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "error.h"
#include "files/files.h"

#include <dirent.h>
#include <hdf5.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static inline const char *in_folder(const char *name)
{
    static char paths[4][KN_PATH];
    static int next;
    char *path = paths[next++ % 4];
    assert_int_equal(kn_files_join(path, folder, name), KN_OK);
    return path;
}

static inline bool exists(const char *name)
{
    return access(in_folder(name), F_OK) == 0;
}

static inline char *read_all(const char *name, size_t *size)
{
    FILE *file = fopen(in_folder(name), "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *text = malloc((size_t)length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)length, file), length);
    text[length] = '\0';
    fclose(file);
    if (size)
        *size = (size_t)length;
    return text;
}

static inline void write_all(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static inline void flip(const char *name, size_t at, int byte)
{
    FILE *file = fopen(in_folder(name), "r+b");
    assert_non_null(file);
    fseek(file, (long)at, SEEK_SET);
    fputc(byte, file);
    assert_int_equal(fclose(file), 0);
}

static inline int open_files(void)
{
    int n = 0;
    DIR *list = opendir("/proc/self/fd");
    assert_non_null(list);
    while (readdir(list))
        n++;
    closedir(list);
    return n;
}

static inline void assert_no_leak(int files_before)
{
    assert_int_equal(open_files(), files_before);
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* A disk that is full after this number of bytes. */
static inline void limit_disk(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static inline void assert_message(const char *part)
{
    if (!strstr(kn_error_message(), part))
        fail_msg("'%s' is not in '%s'", part, kn_error_message());
}

static inline void assert_same(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) != 0) // NOLINT(bugprone-suspicious-memory-comparison): bits are compared
        fail_msg("%.17g is not %.17g", a, b);
}

static inline void remove_below(const char *path)
{
    DIR *list = opendir(path);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char name[KN_PATH];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        assert_int_equal(kn_files_join(name, path, entry->d_name), KN_OK);
        if (unlink(name) != 0)
            remove_below(name);
    }
    if (list)
        closedir(list);
    rmdir(path);
}

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/knudsen-io-XXXXXX");
    signal(SIGXFSZ, SIG_IGN);
    return mkdtemp(folder) ? 0 : -1;
}

static inline int drop_folder(void **state)
{
    (void)state;
    limit_disk(RLIM_INFINITY);
    remove_below(folder);
    return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_folder, drop_folder)

#endif
