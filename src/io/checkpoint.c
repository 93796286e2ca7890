#include "io/checkpoint.h"
#include "error.h"
#include "io/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 2, CHUNK_BYTES = 1 << 20, SLAB_CHUNKS = 4, WHY = KN_STORE_REASON };

static const char *const slots[] = {"checkpoint-a.h5", "checkpoint-b.h5"};

/* The numbers of a checkpoint; each takes eight bytes. */
static const struct scalar {
    const char *name;
    enum { SIGNED, UNSIGNED, REAL } type;
    size_t offset;
} scalars[] = {
    {"fingerprint", UNSIGNED, offsetof(struct kn_checkpoint, fingerprint)},
    {"step", SIGNED, offsetof(struct kn_checkpoint, step)},
    {"time", REAL, offsetof(struct kn_checkpoint, time)},
    {"time_step", REAL, offsetof(struct kn_checkpoint, time_step)},
    {"ahead", REAL, offsetof(struct kn_checkpoint, ahead)},
    {"draws", UNSIGNED, offsetof(struct kn_checkpoint, draws)},
    {"samples", SIGNED, offsetof(struct kn_checkpoint, samples)},
    {"cells", SIGNED, offsetof(struct kn_checkpoint, ncells)},
    {"nodes", SIGNED, offsetof(struct kn_checkpoint, nnodes)},
    {"monitor_size", SIGNED, offsetof(struct kn_checkpoint, nmonitor)},
};
enum { NSCALARS = sizeof scalars / sizeof *scalars };

static hid_t type_of(const struct scalar *scalar)
{
    return scalar->type == REAL     ? H5T_NATIVE_DOUBLE
           : scalar->type == SIGNED ? H5T_NATIVE_INT64
                                    : H5T_NATIVE_UINT64;
}

/* FNV-1a over the scalars: HDF5 checks its own structures, this what they mean. */
static uint64_t checksum(const struct kn_checkpoint *k)
{
    uint64_t sum = 14695981039346656037u;
    for (int i = 0; i < NSCALARS; i++)
        for (size_t byte = 0; byte < 8; byte++)
            sum = (sum ^ ((const unsigned char *)k)[scalars[i].offset + byte]) * 1099511628211u;
    return sum;
}

static hsize_t rows_per_chunk(const struct kn_checkpoint *k)
{
    hsize_t rows = CHUNK_BYTES / ((hsize_t)k->nnodes * sizeof(float));
    if (rows > (hsize_t)k->ncells)
        rows = (hsize_t)k->ncells;
    return rows ? rows : 1;
}

/* Without a chunk cache every slab goes straight to the file, and a failure
 * shows in the call that caused it. */
static hid_t uncached(void)
{
    hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(list, 1, 0, 1.0);
    return list;
}

/* ----------------------------------------------------------------- writing */

static hid_t create_set(struct kn_store *s, const char *name, hid_t type, int rank, const hsize_t *shape,
                        const hsize_t *chunk)
{
    if (s->status != KN_OK)
        return H5I_INVALID_HID;
    hid_t list = kn_store_dataset_list();
    hid_t cache = uncached();
    hid_t space = H5Screate_simple(rank, shape, NULL);
    H5Pset_chunk(list, rank, chunk);
    H5Pset_fletcher32(list);
    hid_t set = H5Dcreate2(s->file, name, type, space, H5P_DEFAULT, list, cache);
    if (set < 0)
        kn_store_fail(s, NULL);
    H5Sclose(space);
    H5Pclose(cache);
    H5Pclose(list);
    return set;
}

static void write_monitor(struct kn_store *s, const struct kn_checkpoint *k)
{
    hsize_t shape = (hsize_t)k->nmonitor;
    hsize_t chunk = shape < CHUNK_BYTES / sizeof(double) ? shape : CHUNK_BYTES / sizeof(double);
    if (k->nmonitor == 0)
        return;
    hid_t set = create_set(s, "monitor", H5T_IEEE_F64LE, 1, &shape, &chunk);
    if (s->status == KN_OK && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, k->monitor) < 0)
        kn_store_fail(s, NULL);
    if (set >= 0)
        H5Dclose(set);
}

/* Rows between memory and file; `why` tells of a failure. */
static bool move_slab(hid_t set, const hsize_t start[2], const hsize_t size[2], float *rows, bool out,
                      char *why)
{
    hid_t memory = H5Screate_simple(2, size, NULL);
    hid_t space = H5Dget_space(set);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
    herr_t result = out ? H5Dwrite(set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, rows)
                        : H5Dread(set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, rows);
    if (result < 0)
        kn_store_reason(why);
    H5Sclose(space);
    H5Sclose(memory);
    return result >= 0;
}

static void write_rows(struct kn_store *s, const struct kn_checkpoint *k, kn_checkpoint_rows *get, void *of)
{
    hsize_t shape[2] = {(hsize_t)k->ncells, (hsize_t)k->nnodes};
    hsize_t chunk[2] = {rows_per_chunk(k), (hsize_t)k->nnodes};
    hsize_t slab = SLAB_CHUNKS * chunk[0];
    float *rows = malloc(slab * shape[1] * sizeof *rows);
    if (!rows && s->status == KN_OK)
        s->status = kn_error_set(KN_EMEMORY, "not enough memory to write '%s'", s->path);
    hid_t set = create_set(s, "h", H5T_IEEE_F32LE, 2, shape, chunk);
    for (hsize_t first = 0; first < shape[0] && s->status == KN_OK; first += slab) {
        char why[WHY];
        hsize_t count = shape[0] - first < slab ? shape[0] - first : slab;
        s->status = get(of, (int64_t)first, (int64_t)count, rows);
        if (s->status == KN_OK &&
            !move_slab(set, (hsize_t[]){first, 0}, (hsize_t[]){count, shape[1]}, rows, true, why))
            kn_store_fail(s, why);
    }
    if (set >= 0)
        H5Dclose(set);
    free(rows);
}

static double expected_bytes(const struct kn_checkpoint *k)
{
    int64_t rows = (int64_t)rows_per_chunk(k), chunks = (k->ncells + rows - 1) / rows;
    double chunk = (double)rows * (double)k->nnodes * sizeof(float) + 64;
    return (double)chunks * chunk + (double)k->nmonitor * 8 + 65536;
}

static bool examine(const char *path, struct kn_checkpoint *k, char *why);

/* Which slot is worth less: damaged, of another case, ahead of us, or older. */
static enum kn_status choose_slot(const char *folder, const struct kn_checkpoint *k, char *path)
{
    int64_t worth[2];
    for (int i = 0; i < 2; i++) {
        struct kn_checkpoint found;
        char why[WHY];
        enum kn_status status = kn_files_join(path, folder, slots[i]);
        if (status != KN_OK)
            return status;
        worth[i] = -1;
        if (examine(path, &found, why)) {
            if (found.fingerprint == k->fingerprint && found.step <= k->step)
                worth[i] = found.step;
            kn_checkpoint_free(&found);
        }
    }
    return kn_files_join(path, folder, slots[worth[1] < worth[0]]);
}

enum kn_status kn_checkpoint_write(const char *folder, const struct kn_checkpoint *k, kn_checkpoint_rows *get,
                                   void *of)
{
    char path[KN_PATH];
    struct kn_store s;
    int format = FORMAT;
    uint64_t sum = checksum(k);
    enum kn_status status = choose_slot(folder, k, path);
    if (status != KN_OK)
        return status;
    kn_store_create(&s, path, KN_STORE_CHECKED, expected_bytes(k));
    kn_store_attribute(&s, s.file, "format", H5T_NATIVE_INT, &format);
    kn_store_text(&s, s.file, "version", KN_VERSION);
    for (int i = 0; i < NSCALARS; i++)
        kn_store_attribute(&s, s.file, scalars[i].name, type_of(&scalars[i]),
                           (const char *)k + scalars[i].offset);
    kn_store_attribute(&s, s.file, "checksum", H5T_NATIVE_UINT64, &sum);
    write_monitor(&s, k);
    write_rows(&s, k, get, of);
    return kn_store_finish(&s);
}

/* ----------------------------------------------------------------- reading */

static bool read_attribute(hid_t file, const char *name, hid_t type, void *value)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t space = H5Aget_space(attribute);
    bool good = H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, type, value) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return good;
}

static bool refuse(char *why, const char *reason)
{
    snprintf(why, WHY, "%s", reason);
    return false;
}

static bool read_scalars(hid_t file, struct kn_checkpoint *k, char *why)
{
    int format;
    uint64_t sum;
    if (!read_attribute(file, "format", H5T_NATIVE_INT, &format))
        return refuse(why, "it is not a checkpoint, or its header is damaged");
    if (format != FORMAT) {
        snprintf(why, WHY, "it has format %d, this program reads format %d", format, FORMAT);
        return false;
    }
    for (int i = 0; i < NSCALARS; i++)
        if (!read_attribute(file, scalars[i].name, type_of(&scalars[i]), (char *)k + scalars[i].offset))
            return refuse(why, "its header is damaged");
    if (!read_attribute(file, "checksum", H5T_NATIVE_UINT64, &sum) || sum != checksum(k))
        return refuse(why, "its header does not match its checksum");
    if (k->step < 0 || k->ncells < 1 || k->nnodes < 1 || k->nmonitor < 0)
        return refuse(why, "its header makes no sense");
    return true;
}

/* Open a dataset if it has the shape the header promises. */
static hid_t open_set(hid_t file, const char *name, int rank, const hsize_t *shape)
{
    hsize_t found[H5S_MAX_RANK] = {0};
    hid_t cache = uncached();
    hid_t set = H5Dopen2(file, name, cache);
    H5Pclose(cache);
    if (set < 0)
        return set;
    hid_t space = H5Dget_space(set);
    bool good = H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, found, NULL) == rank &&
                memcmp(found, shape, (size_t)rank * sizeof *shape) == 0;
    H5Sclose(space);
    if (!good) {
        H5Dclose(set);
        return H5I_INVALID_HID;
    }
    return set;
}

static bool read_monitor(hid_t file, struct kn_checkpoint *k, char *why)
{
    hsize_t shape = (hsize_t)k->nmonitor;
    if (k->nmonitor == 0)
        return true;
    hid_t set = open_set(file, "monitor", 1, &shape);
    k->monitor = set < 0 ? NULL : malloc(shape * sizeof *k->monitor);
    bool good = k->monitor && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, k->monitor) >= 0;
    if (set >= 0)
        H5Dclose(set);
    if (!good)
        kn_checkpoint_free(k);
    return good || refuse(why, "its monitor data are damaged");
}

/* Read all but h.  On success k->monitor is the caller's. */
static bool examine(const char *path, struct kn_checkpoint *k, char *why)
{
    k->monitor = NULL;
    snprintf(k->path, sizeof k->path, "%s", path);
    hid_t file = kn_store_open(path, why);
    if (file < 0)
        return false;
    bool good = read_scalars(file, k, why) && read_monitor(file, k, why);
    H5Fclose(file);
    return good;
}

static enum kn_status damaged(const struct kn_checkpoint *k, const char *reason)
{
    return kn_error_set(KN_EIO, "the checkpoint '%s' is damaged: %s", k->path, reason);
}

/* Pass all rows to `put`, or only check them when it is NULL. */
static enum kn_status read_rows(hid_t file, const struct kn_checkpoint *k, kn_checkpoint_rows *put, void *of)
{
    hsize_t shape[2] = {(hsize_t)k->ncells, (hsize_t)k->nnodes};
    hsize_t slab = SLAB_CHUNKS * rows_per_chunk(k);
    hid_t set = open_set(file, "h", 2, shape);
    if (set < 0)
        return damaged(k, "its distribution is missing");
    float *rows = malloc(slab * shape[1] * sizeof *rows);
    enum kn_status status =
        rows ? KN_OK : kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", k->path);
    for (hsize_t first = 0; first < shape[0] && status == KN_OK; first += slab) {
        char why[WHY];
        hsize_t count = shape[0] - first < slab ? shape[0] - first : slab;
        if (!move_slab(set, (hsize_t[]){first, 0}, (hsize_t[]){count, shape[1]}, rows, false, why))
            status = damaged(k, why);
        else if (put)
            status = put(of, (int64_t)first, (int64_t)count, rows);
    }
    H5Dclose(set);
    free(rows);
    return status;
}

enum kn_status kn_checkpoint_load(const struct kn_checkpoint *k, kn_checkpoint_rows *put, void *of)
{
    char why[WHY];
    hid_t file = kn_store_open(k->path, why);
    if (file < 0)
        return damaged(k, why);
    enum kn_status status = read_rows(file, k, put, of);
    H5Fclose(file);
    return status;
}

/* Both slots as far as their headers go; newest first. */
static enum kn_status list_slots(const char *folder, struct kn_checkpoint *found, int *n, char *note)
{
    int present = 0;
    *n = 0;
    for (int i = 0; i < 2; i++) {
        char path[KN_PATH], why[WHY];
        enum kn_status status = kn_files_join(path, folder, slots[i]);
        if (status != KN_OK)
            return status;
        if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
            continue;
        present++;
        if (examine(path, &found[*n], why))
            ++*n;
        else
            snprintf(note, KN_PATH + 256, "the checkpoint '%s' cannot be used: %.200s", path, why);
    }
    if (present == 0)
        return kn_error_set(KN_EIO, "there is no checkpoint in '%s' to resume from; run without --resume",
                            folder);
    if (*n == 2 && found[1].step > found[0].step) {
        struct kn_checkpoint swap = found[0];
        found[0] = found[1];
        found[1] = swap;
    }
    return KN_OK;
}

/* The first of the listed checkpoints that is whole, or why there is none. */
static enum kn_status pick(const char *folder, uint64_t fingerprint, struct kn_checkpoint *found, int n,
                           char *note, int *chosen)
{
    for (*chosen = 0; *chosen < n; ++*chosen) {
        const struct kn_checkpoint *k = &found[*chosen];
        if (k->fingerprint != fingerprint)
            return kn_error_set(
                KN_EINPUT,
                "the checkpoint '%s' belongs to another case; resume with the case it was written "
                "with, or run without --resume or into another folder",
                k->path);
        enum kn_status status = kn_checkpoint_load(k, NULL, NULL);
        if (status != KN_EIO)
            return status;
        snprintf(note, KN_PATH + 256, "%s", kn_error_message());
    }
    return kn_error_set(KN_EIO, "no checkpoint in '%.200s' can be used (%.600s); run without --resume",
                        folder, note);
}

enum kn_status kn_checkpoint_find(const char *folder, uint64_t fingerprint, struct kn_checkpoint *k,
                                  char *note)
{
    int n, chosen = 0;
    note[0] = '\0';
    k->monitor = NULL;
    struct kn_checkpoint *found = calloc(2, sizeof *found);
    if (!found)
        return kn_error_set(KN_EMEMORY, "not enough memory to read a checkpoint");
    enum kn_status status = list_slots(folder, found, &n, note);
    if (status == KN_OK)
        status = pick(folder, fingerprint, found, n, note, &chosen);
    if (status == KN_OK) {
        *k = found[chosen];
        found[chosen].monitor = NULL;
    }
    kn_checkpoint_free(&found[0]);
    kn_checkpoint_free(&found[1]);
    free(found);
    return status;
}

void kn_checkpoint_free(struct kn_checkpoint *k)
{
    free(k->monitor);
    k->monitor = NULL;
}

enum kn_status kn_checkpoint_clear(const char *folder)
{
    enum kn_status status = KN_OK;
    for (int i = 0; i < 2 && status == KN_OK; i++) {
        char path[KN_PATH];
        status = kn_files_join(path, folder, slots[i]);
        if (status == KN_OK)
            status = kn_files_remove(path);
    }
    return status;
}
