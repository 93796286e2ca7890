/* The folder of results that the fuzz targets write and read. */
#include "fuzz.h"

#include "files/files.h"
#include "report/report.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
    if (*folder)
        return folder;
    strcpy(folder,
           access("/dev/shm", W_OK) == 0 ? "/dev/shm/knudsen-fuzz-XXXXXX" : "/tmp/knudsen-fuzz-XXXXXX");
    if (!mkdtemp(folder))
        abort();
    atexit(remove_folder);
    return folder;
}

void fuzz_write(const char *name, const void *data, size_t size)
{
    char path[KN_PATH];
    FILE *to = kn_files_join(path, fuzz_folder(), name) == KN_OK ? fopen(path, "wb") : NULL;
    if (!to || fwrite(data, 1, size, to) != size || fclose(to) != 0)
        abort();
}

void fuzz_copy(const char *name, const char *from)
{
    char path[KN_PATH];
    static char bytes[1 << 20];
    const char *corpus = getenv("FUZZ_CORPUS");
    FILE *file = corpus && kn_files_join(path, corpus, from) == KN_OK ? fopen(path, "rb") : NULL;
    if (!file)
        abort();
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fuzz_write(name, bytes, size);
}

void fuzz_show(void)
{
    char path[KN_PATH];
    kn_report(&(struct kn_report_options){.folder = fuzz_folder(), .megabytes = 0.1}, path, sizeof path);
}
