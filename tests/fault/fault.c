/* A preloaded library that counts calls of one kind and lets one of them fail.
 *
 *     FAULT_KIND   memory: allocations by the program; library: allocations by libyaml and jansson;
 *                  file: calls that open, write, name and remove files; hdf5: calls of HDF5
 *     FAULT_AT     number of the call that fails, from 1; 0: none
 *     FAULT_ON     if set, all later calls of the kind fail too, as on a full disk
 *     FAULT_COUNT  a file for the number of calls and the number of blocks that the program has not freed
 *
 * It relies on glibc and on the calling convention of 64-bit Unix systems. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NONE, MEMORY, LIBRARY, FILES, HDF5 };
enum { RANGES = 32 };

static enum kind wanted, chosen; /* set when main begins */
static long at, count;
static bool on;
static struct {
    uintptr_t from, to;
    enum kind memory; /* what its allocations are */
} ranges[RANGES];
static int nranges;

enum { BLOCKS = 1 << 16 };       /* more than a small run has allocated at any time */
static uintptr_t blocks[BLOCKS]; /* an open hash table; 1: a removed block */
static long live;

static int add_ranges(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    const bool program = !*info->dlpi_name;
    const bool hdf5 = strstr(info->dlpi_name, "libhdf5") != NULL; /* it crashes if its own allocations fail */
    if (!program && !hdf5 && !strstr(info->dlpi_name, "libyaml") && !strstr(info->dlpi_name, "libjansson"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum && nranges < RANGES; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            ranges[nranges].from = from;
            ranges[nranges].to = from + info->dlpi_phdr[i].p_memsz;
            ranges[nranges++].memory = program ? MEMORY : hdf5 ? NONE : LIBRARY;
        }
    return 0;
}

__attribute__((constructor)) static void begin(void)
{
    static const char *const names[] = {"", "memory", "library", "file", "hdf5"};
    const char *kind = getenv("FAULT_KIND"), *which = getenv("FAULT_AT");
    dl_iterate_phdr(add_ranges, NULL);
    at = which ? strtol(which, NULL, 10) : 0;
    on = getenv("FAULT_ON") != NULL;
    for (int i = 1; kind && i < 5; i++)
        if (strcmp(kind, names[i]) == 0)
            wanted = (enum kind)i;
}

/* The first call of main. Calls before main, such as those of the linked CUDA runtime, are not calls of the
 * program. */
int H5dont_atexit(void);
int H5dont_atexit(void)
{
    int (*const real)(void) = (int (*)(void))dlsym(RTLD_NEXT, "H5dont_atexit");
    chosen = wanted;
    return real ? real() : -1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAULT_COUNT");
    const enum kind was = chosen;
    chosen = NONE;
    FILE *to = path && was ? fopen(path, "w") : NULL;
    if (to) {
        fprintf(to, "%ld %ld\n", count, live);
        fclose(to);
    }
}

/* True if this call, made from that address, must fail. */
static bool fails(enum kind kind, const void *from)
{
    if (chosen == NONE || (kind != MEMORY && kind != chosen))
        return false;
    for (int i = 0; i < nranges; i++)
        if ((uintptr_t)from >= ranges[i].from && (uintptr_t)from < ranges[i].to) {
            if (kind == MEMORY && ranges[i].memory != chosen)
                return false;
            const long now = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
            return now == at || (on && at > 0 && now > at);
        }
    return false;
}
#define FROM __builtin_return_address(0)

/* ------------------------------------------------------------------ memory */

/* Record a block that the program itself has allocated; the small run has one thread. */
static void *note(void *block, const void *from)
{
    size_t i = (uintptr_t)block / 16 % BLOCKS;
    for (int k = 0; block && k < nranges; k++)
        if (ranges[k].memory == MEMORY && (uintptr_t)from >= ranges[k].from &&
            (uintptr_t)from < ranges[k].to) {
            while (blocks[i] > 1)
                i = (i + 1) % BLOCKS;
            blocks[i] = (uintptr_t)block;
            live++;
            break;
        }
    return block;
}

static void forget(const void *block)
{
    for (size_t i = (uintptr_t)block / 16 % BLOCKS; block && blocks[i]; i = (i + 1) % BLOCKS)
        if (blocks[i] == (uintptr_t)block) {
            blocks[i] = 1;
            live--;
            return;
        }
}

void *__libc_malloc(size_t size);
void __libc_free(void *block);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

#define ALLOCATE(name, parameters, call)                                                                     \
    void *name parameters                                                                                    \
    {                                                                                                        \
        if (fails(MEMORY, FROM)) {                                                                           \
            errno = ENOMEM;                                                                                  \
            return NULL;                                                                                     \
        }                                                                                                    \
        return note(call, FROM);                                                                             \
    }
ALLOCATE(malloc, (size_t size), __libc_malloc(size))
ALLOCATE(calloc, (size_t n, size_t size), __libc_calloc(n, size))
ALLOCATE(realloc, (void *block, size_t size), (forget(block), __libc_realloc(block, size)))
ALLOCATE(aligned_alloc, (size_t alignment, size_t size), __libc_memalign(alignment, size))

void free(void *block)
{
    forget(block);
    __libc_free(block);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (fails(MEMORY, FROM))
        return ENOMEM;
    *block = note(__libc_memalign(alignment, size), FROM);
    return *block ? 0 : ENOMEM;
}

char *strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = fails(MEMORY, FROM) ? NULL : __libc_malloc(size);
    return copy ? memcpy(note(copy, FROM), text, size) : NULL;
}

/* -------------------------------------------------- calls with plain arguments */

typedef long any(long, long, long, long, long, long, long);

static long pass(const char *name, any **next, const long a[7])
{
    if (!*next)
        *next = (any *)(uintptr_t)dlsym(RTLD_NEXT, name);
    return (*next)(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

/* It has another name in C, because the headers declare it with other types. */
#define CALL(kind, name, result, reason)                                                                     \
    long fault_##name(long a, long b, long c, long d, long e, long f, long g) __asm__(#name);                \
    long fault_##name(long a, long b, long c, long d, long e, long f, long g)                                \
    {                                                                                                        \
        static any *next;                                                                                    \
        if (fails(kind, FROM)) {                                                                             \
            errno = reason;                                                                                  \
            return result;                                                                                   \
        }                                                                                                    \
        return pass(#name, &next, (const long[]){a, b, c, d, e, f, g});                                      \
    }

CALL(FILES, open, -1, EACCES)
CALL(FILES, open64, -1, EACCES)
CALL(FILES, fopen, 0, EACCES)
CALL(FILES, fopen64, 0, EACCES)
CALL(FILES, fdopen, 0, ENOMEM)
CALL(FILES, tmpfile, 0, EACCES)
CALL(FILES, tmpfile64, 0, EACCES)
CALL(FILES, mkstemp, -1, EACCES)
CALL(FILES, mkstemp64, -1, EACCES)
CALL(FILES, write, -1, ENOSPC)
CALL(FILES, pwrite, -1, ENOSPC)
CALL(FILES, pwrite64, -1, ENOSPC)
CALL(FILES, fflush, -1, ENOSPC)
CALL(FILES, fsync, -1, EIO)
CALL(FILES, fdatasync, -1, EIO)
CALL(FILES, fallocate, -1, ENOSPC)
CALL(FILES, fallocate64, -1, ENOSPC)
CALL(FILES, ftruncate, -1, EIO)
CALL(FILES, ftruncate64, -1, EIO)
CALL(FILES, truncate, -1, EIO)
CALL(FILES, truncate64, -1, EIO)
CALL(FILES, rename, -1, EACCES)
CALL(FILES, renameat, -1, EACCES)
CALL(FILES, renameat2, -1, EACCES)
CALL(FILES, link, -1, EACCES)
CALL(FILES, unlink, -1, EACCES)
CALL(FILES, unlinkat, -1, EACCES)
CALL(FILES, rmdir, -1, EACCES)
CALL(FILES, mkdir, -1, EACCES)
CALL(FILES, lseek, -1, EIO)
CALL(FILES, lseek64, -1, EIO)
CALL(FILES, flock, -1, ENOLCK)
CALL(FILES, scandir, -1, EIO)
CALL(FILES, scandir64, -1, EIO)
CALL(FILES, read, -1, EIO)
CALL(FILES, pread, -1, EIO)
CALL(FILES, pread64, -1, EIO)
CALL(FILES, fread, 0, EIO)
CALL(FILES, lstat, -1, EIO)
CALL(FILES, lstat64, -1, EIO)
CALL(FILES, posix_spawn, EAGAIN, EAGAIN)
CALL(FILES, posix_spawnp, EAGAIN, EAGAIN)
CALL(FILES, getline, -1, EIO)
CALL(FILES, getdelim, -1, EIO)
CALL(FILES, __getdelim, -1, EIO) /* getline, in an optimised program */
CALL(MEMORY, open_memstream, 0, ENOMEM)
CALL(MEMORY, fmemopen, 0, ENOMEM)

CALL(HDF5, H5Fcreate, -1, 0)
CALL(HDF5, H5Fopen, -1, 0)
CALL(HDF5, H5Fflush, -1, 0)
CALL(HDF5, H5Pcreate, -1, 0)
CALL(HDF5, H5Gcreate2, -1, 0)
CALL(HDF5, H5Gopen2, -1, 0)
CALL(HDF5, H5Screate, -1, 0)
CALL(HDF5, H5Screate_simple, -1, 0)
CALL(HDF5, H5Sselect_hyperslab, -1, 0)
CALL(HDF5, H5Tcopy, -1, 0)
CALL(HDF5, H5Acreate2, -1, 0)
CALL(HDF5, H5Awrite, -1, 0)
CALL(HDF5, H5Aopen, -1, 0)
CALL(HDF5, H5Aread, -1, 0)
CALL(HDF5, H5Aget_type, -1, 0)
CALL(HDF5, H5Aget_space, -1, 0)
CALL(HDF5, H5Dcreate2, -1, 0)
CALL(HDF5, H5Dopen2, -1, 0)
CALL(HDF5, H5Dwrite, -1, 0)
CALL(HDF5, H5Dread, -1, 0)
CALL(HDF5, H5Dget_space, -1, 0)
CALL(HDF5, H5Dget_type, -1, 0)
CALL(HDF5, H5Dget_create_plist, -1, 0)
CALL(HDF5, H5Lcreate_external, -1, 0)
CALL(HDF5, H5Lexists, -1, 0)
CALL(HDF5, H5Lget_info, -1, 0)
CALL(HDF5, H5Lget_name_by_idx, -1, 0)
CALL(HDF5, H5Lget_val, -1, 0)
CALL(HDF5, H5Lunpack_elink_val, -1, 0)
CALL(HDF5, H5Gget_info, -1, 0)
CALL(HDF5, H5Aexists, -1, 0)
CALL(HDF5, H5Dget_storage_size, 0, 0)
CALL(HDF5, H5Fget_filesize, -1, 0)
CALL(HDF5, H5Iget_file_id, -1, 0)
CALL(HDF5, H5Pget_external_count, -1, 0)
CALL(HDF5, H5Pget_filter2, -1, 0)
CALL(HDF5, H5Pget_layout, -1, 0)
CALL(HDF5, H5Pget_nfilters, -1, 0)
CALL(HDF5, H5Pset_chunk, -1, 0)
CALL(HDF5, H5Pset_fclose_degree, -1, 0)
CALL(HDF5, H5Pset_file_locking, -1, 0)
CALL(HDF5, H5Pset_fill_time, -1, 0)
CALL(HDF5, H5Pset_fletcher32, -1, 0)
CALL(HDF5, H5Pset_libver_bounds, -1, 0)
CALL(HDF5, H5Pset_obj_track_times, -1, 0)
CALL(HDF5, H5Pset_sieve_buf_size, -1, 0)
CALL(HDF5, H5Sget_simple_extent_dims, -1, 0)
CALL(HDF5, H5Sget_simple_extent_ndims, -1, 0)
CALL(HDF5, H5Sget_simple_extent_npoints, -1, 0)
CALL(HDF5, H5Tget_class, -1, 0)
CALL(HDF5, H5Tget_size, 0, 0)
CALL(HDF5, H5Tis_variable_str, -1, 0)
CALL(HDF5, H5Tset_cset, -1, 0)
CALL(HDF5, H5Tset_size, -1, 0)

/* The file is closed whatever the call returns. */
#define CLOSE(kind, name, reason)                                                                            \
    long fault_##name(long what) __asm__(#name);                                                             \
    long fault_##name(long what)                                                                             \
    {                                                                                                        \
        static any *next;                                                                                    \
        const bool failed = fails(kind, FROM);                                                               \
        const long result = pass(#name, &next, (const long[]){what, 0, 0, 0, 0, 0, 0});                      \
        if (failed)                                                                                          \
            errno = reason;                                                                                  \
        return failed ? -1 : result;                                                                         \
    }

CLOSE(FILES, fclose, ENOSPC)
CLOSE(FILES, close, EIO)
CLOSE(HDF5, H5Dclose, 0)
CLOSE(HDF5, H5Fclose, 0)
