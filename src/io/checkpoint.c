/* Writes checkpoints into two slots in turn, and finds and reads the newest complete one. */
#include "io/checkpoint.h"
#include "error.h"
#include "io/checkpoint_cells.h"
#include "io/store.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 5, WHY = KN_STORE_REASON };
static const int64_t MOST_STEPS = 9000000000000000; /* twice this number does not overflow */

static const char *const slots[] = {"checkpoint-a.h5", "checkpoint-b.h5"};

/* The numbers of a checkpoint; each takes eight bytes. */
static const struct scalar {
    const char *name;
    enum { SIGNED, UNSIGNED, REAL } type;
    size_t offset;
} scalars[] = {
    {"fingerprint", UNSIGNED, offsetof(struct kn_checkpoint, fingerprint)},
    {"step", SIGNED, offsetof(struct kn_checkpoint, state.step)},
    {"time", REAL, offsetof(struct kn_checkpoint, state.time)},
    {"time_step", REAL, offsetof(struct kn_checkpoint, state.time_step)},
    {"ahead", REAL, offsetof(struct kn_checkpoint, state.ahead)},
    {"draws", UNSIGNED, offsetof(struct kn_checkpoint, state.draws)},
    {"samples", SIGNED, offsetof(struct kn_checkpoint, state.samples)},
    {"cells", SIGNED, offsetof(struct kn_checkpoint, state.ncells)},
    {"nodes", SIGNED, offsetof(struct kn_checkpoint, state.nnodes)},
    {"reference", REAL, offsetof(struct kn_checkpoint, state.reference)},
    {"watched_size", SIGNED, offsetof(struct kn_checkpoint, nwatched)},
    {"monitor_size", SIGNED, offsetof(struct kn_checkpoint, nmonitor)},
};
enum { NSCALARS = sizeof scalars / sizeof *scalars };

static hid_t type_of(const struct scalar *scalar)
{
    return scalar->type == REAL     ? H5T_NATIVE_DOUBLE
           : scalar->type == SIGNED ? H5T_NATIVE_INT64
                                    : H5T_NATIVE_UINT64;
}

/* Checksum of all numbers that do not belong to a cell. */
static uint64_t header_sum(const struct kn_checkpoint *k)
{
    uint64_t sum = KN_FILES_SUM;
    for (int i = 0; i < NSCALARS; i++)
        sum = kn_files_sum(sum, (const char *)k + scalars[i].offset, 8);
    sum = kn_files_sum(sum, &k->history, sizeof k->history);
    return kn_files_sum(sum, k->monitor, (size_t)k->nmonitor * sizeof *k->monitor);
}

static void write_header(struct kn_store *s, const struct kn_checkpoint *k, uint64_t sum)
{
    const int format = FORMAT;
    kn_store_attribute(s, s->file, "format", H5T_NATIVE_INT, &format);
    kn_store_text(s, s->file, "version", KN_VERSION);
    for (int i = 0; i < NSCALARS; i++)
        kn_store_attribute(s, s->file, scalars[i].name, type_of(&scalars[i]),
                           (const char *)k + scalars[i].offset);
    kn_store_attribute(s, s->file, "checksum", H5T_NATIVE_UINT64, &sum);
}

/* A dataset of one column, from rank 0. */
static void write_column(struct kn_store *s, const char *name, hid_t stored, hid_t type, int64_t rows,
                         const void *values)
{
    if (rows == 0)
        return;
    hid_t set = kn_store_create_set(s, s->file, name, stored, 1, &(hsize_t){(hsize_t)rows}, NULL);
    if (s->status == KN_OK && s->comm->rank == 0 &&
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        kn_store_fail(s, NULL);
    kn_store_close_set(s, set);
    kn_store_agree(s);
}

static double expected_bytes(const struct kn_checkpoint *k)
{
    return (double)k->state.ncells * kn_checkpoint_cell_bytes(k) + (double)k->nmonitor * sizeof *k->monitor +
           65536;
}

static bool examine(const char *path, struct kn_checkpoint *k, char *why);

/* The step of the checkpoint of a case in a slot; -1 if there is none. */
static int64_t step_in_slot(const char *folder, int slot, uint64_t fingerprint)
{
    struct kn_checkpoint found;
    char path[KN_PATH], why[WHY];
    if (kn_files_join(path, folder, slots[slot]) != KN_OK || !examine(path, &found, why))
        return -1;
    kn_checkpoint_free(&found);
    return found.fingerprint == fingerprint ? found.state.step : -1;
}

/* Choose the slot to replace: damaged, of another case, of a later step, or older. */
static enum kn_status choose_slot(const char *folder, const struct kn_checkpoint *k, char *path)
{
    int64_t worth[2];
    for (int i = 0; i < 2; i++) {
        worth[i] = step_in_slot(folder, i, k->fingerprint);
        worth[i] = worth[i] <= k->state.step ? worth[i] : -1;
    }
    return kn_files_join(path, folder, slots[worth[1] < worth[0]]);
}

/* Write the contents of a checkpoint. */
static void fill(struct kn_store *s, const struct kn_checkpoint *k, const struct kn_checkpoint_source *of)
{
    uint64_t header = s->comm->rank == 0 ? header_sum(k) : 0;
    kn_comm_broadcast(s->comm, 0, &header, sizeof header);
    write_header(s, k, header);
    write_column(s, "monitor", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, k->nmonitor, k->monitor);
    write_column(s, "history", H5T_STD_U64LE, H5T_NATIVE_UINT64, KN_HISTORY_LEVELS, k->history.level);
    kn_checkpoint_write_cells(k, header, s, of);
}

/* The file gets its final name only after all ranks have reported success. */
static enum kn_status write_file(const char *path, const struct kn_checkpoint *k,
                                 const struct kn_checkpoint_source *of)
{
    const struct kn_comm *comm = of->share->comm;
    const bool together = kn_parallel_is_used(comm);
    struct kn_store s;
    if (!together && comm->rank > 0)
        return kn_share_finish(of->share, KN_OK);
    kn_store_create(&s, together ? comm : &kn_comm_alone, path, expected_bytes(k));
    if (s.status == KN_OK)
        fill(&s, k, of);
    if (!together)
        s.status = kn_share_finish(of->share, s.status);
    return kn_store_finish(&s);
}

enum kn_status kn_checkpoint_write(const char *folder, const struct kn_checkpoint *k,
                                   const struct kn_checkpoint_source *source)
{
    const struct kn_comm *comm = source->share->comm;
    char path[KN_PATH] = "";
    KN_TRY(kn_comm_agree(comm, comm->rank == 0 ? choose_slot(folder, k, path) : KN_OK));
    kn_comm_broadcast(comm, 0, path, sizeof path);
    return kn_comm_agree(comm, write_file(path, k, source));
}

static bool refuse(char *why, const char *reason)
{
    snprintf(why, WHY, "%s", reason);
    return false;
}

static bool read_scalars(hid_t file, struct kn_checkpoint *k, char *why)
{
    int format;
    if (!kn_store_read_value(file, "format", H5T_NATIVE_INT, &format))
        return refuse(why, "it is not a checkpoint, or its header is damaged");
    if (format != FORMAT) {
        snprintf(why, WHY, "it has format %d, this program reads format %d", format, FORMAT);
        return false;
    }
    for (int i = 0; i < NSCALARS; i++)
        if (!kn_store_read_value(file, scalars[i].name, type_of(&scalars[i]), (char *)k + scalars[i].offset))
            return refuse(why, "its header is damaged");
    const struct kn_sim_state *s = &k->state;
    const bool counts = s->step >= 0 && s->step <= MOST_STEPS && s->samples >= 0 && s->samples <= INT_MAX &&
                        s->ncells >= 1 && s->nnodes >= 1 && k->nwatched >= 0 && k->nmonitor >= 0;
    const bool times = s->time >= 0 && isfinite(s->time) && s->time_step > 0 && isfinite(s->time_step) &&
                       s->ahead >= 0 && s->ahead <= s->time_step;
    if (!counts || !times)
        return refuse(why, "its header has invalid values");
    return true;
}

static bool read_column(hid_t file, const char *name, hid_t type, int64_t rows, void *values)
{
    hid_t set = values ? kn_checkpoint_open_set(file, name, rows, 1) : H5I_INVALID_HID;
    const bool good = set >= 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    H5Dclose(set);
    return good;
}

static bool read_columns(hid_t file, struct kn_checkpoint *k, char *why)
{
    uint64_t sum;
    hid_t set = k->nmonitor ? kn_checkpoint_open_set(file, "monitor", k->nmonitor, 1) : H5I_INVALID_HID;
    k->monitor = set < 0 ? NULL : malloc((size_t)k->nmonitor * sizeof *k->monitor);
    H5Dclose(set);
    bool good = k->nmonitor == 0 || read_column(file, "monitor", H5T_NATIVE_DOUBLE, k->nmonitor, k->monitor);
    good = good && read_column(file, "history", H5T_NATIVE_UINT64, KN_HISTORY_LEVELS, k->history.level);
    if (!good)
        refuse(why, "its data of the history are damaged");
    else if (!kn_store_read_value(file, "checksum", H5T_NATIVE_UINT64, &sum) || sum != header_sum(k))
        good = refuse(why, "its header does not match its checksum");
    if (!good)
        kn_checkpoint_free(k);
    return good;
}

/* Read everything except the cells.  On success the caller owns k->monitor. */
static bool examine(const char *path, struct kn_checkpoint *k, char *why)
{
    k->monitor = NULL;
    snprintf(k->path, sizeof k->path, "%s", path);
    hid_t file = kn_store_open(path, why);
    if (file < 0)
        return false;
    bool good = read_scalars(file, k, why) && read_columns(file, k, why);
    k->nimaginary = good && H5Lexists(file, KN_CHECKPOINT_IMAGINARY, H5P_DEFAULT) > 0 ? k->state.nnodes : 0;
    H5Fclose(file);
    return good;
}

static enum kn_status read_file(const struct kn_checkpoint *k, const struct kn_checkpoint_source *to)
{
    char why[WHY];
    hid_t file = kn_store_open(k->path, why);
    if (file < 0)
        return kn_checkpoint_is_damaged(k, why);
    const enum kn_status status = kn_checkpoint_read_cells(k, header_sum(k), file, to);
    H5Fclose(file);
    return status;
}

enum kn_status kn_checkpoint_load(const struct kn_checkpoint *k, const struct kn_checkpoint_source *to)
{
    return kn_share_finish(to->share, to->share->comm->rank == 0 ? read_file(k, to) : KN_OK);
}

/* Read the headers of both slots; the newest is first. */
static enum kn_status list_slots(const char *folder, struct kn_checkpoint *found, int *n, char *note)
{
    int present = 0;
    *n = 0;
    for (int i = 0; i < 2; i++) {
        char path[KN_PATH], why[WHY];
        KN_TRY(kn_files_join(path, folder, slots[i]));
        if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
            continue;
        present++;
        if (examine(path, &found[*n], why))
            ++*n;
        else
            snprintf(note, KN_CHECKPOINT_NOTE, "the checkpoint '%s' cannot be used: %.200s", path, why);
    }
    if (present == 0)
        return kn_error_set(KN_EIO, "there is no checkpoint in '%s' to resume from; start without --resume",
                            folder);
    if (*n == 2 && found[1].state.step > found[0].state.step) {
        struct kn_checkpoint swap = found[0];
        found[0] = found[1];
        found[1] = swap;
    }
    return KN_OK;
}

/* Choose the first of the listed checkpoints that is complete. */
static enum kn_status pick(const char *folder, uint64_t fingerprint, struct kn_checkpoint *found, int n,
                           char *note, int *chosen)
{
    for (*chosen = 0; *chosen < n; ++*chosen) {
        const struct kn_checkpoint *k = &found[*chosen];
        if (k->fingerprint != fingerprint)
            return kn_error_set(
                KN_EINPUT,
                "the checkpoint '%s' belongs to another case; resume with the case it was written "
                "with, replace it with --overwrite, or choose another folder with --out",
                k->path);
        enum kn_status status = read_file(k, NULL);
        if (status != KN_EIO)
            return status;
        snprintf(note, KN_CHECKPOINT_NOTE, "%s", kn_error_message());
    }
    return kn_error_set(
        KN_EIO,
        "no checkpoint in '%.200s' can be used (%.600s); start again with --overwrite, or in another folder",
        folder, note);
}

static enum kn_status find(const char *folder, uint64_t fingerprint, struct kn_checkpoint *k, char *note)
{
    int n, chosen = 0;
    struct kn_checkpoint found[2] = {0};
    enum kn_status status = list_slots(folder, found, &n, note);
    if (status == KN_OK)
        status = pick(folder, fingerprint, found, n, note, &chosen);
    if (status == KN_OK) {
        *k = found[chosen];
        found[chosen].monitor = NULL;
    }
    kn_checkpoint_free(&found[0]);
    kn_checkpoint_free(&found[1]);
    return status;
}

/* Send the checkpoint that rank 0 has found to all ranks. */
static enum kn_status spread(const struct kn_comm *comm, struct kn_checkpoint *k, char *note)
{
    double *monitor = k->monitor;
    enum kn_status status = KN_OK;
    kn_comm_broadcast(comm, 0, k, sizeof *k);
    kn_comm_broadcast(comm, 0, note, KN_CHECKPOINT_NOTE);
    const size_t bytes = (size_t)k->nmonitor * sizeof *monitor;
    if (comm->rank > 0)
        monitor = malloc(bytes + 1);
    if (!monitor && bytes > 0)
        status = kn_error_set(KN_EMEMORY, "not enough memory to read a checkpoint");
    k->monitor = monitor;
    status = kn_comm_agree(comm, status);
    if (status == KN_OK)
        kn_comm_broadcast(comm, 0, monitor, bytes);
    else
        kn_checkpoint_free(k);
    return status;
}

enum kn_status kn_checkpoint_find(const struct kn_comm *comm, const char *folder, uint64_t fingerprint,
                                  struct kn_checkpoint *k, char *note)
{
    note[0] = '\0';
    k->monitor = NULL;
    const enum kn_status status =
        kn_comm_agree(comm, comm->rank == 0 ? find(folder, fingerprint, k, note) : KN_OK);
    return status == KN_OK && comm->size > 1 ? spread(comm, k, note) : status;
}

void kn_checkpoint_free(struct kn_checkpoint *k)
{
    free(k->monitor);
    k->monitor = NULL;
}

bool kn_checkpoint_is_there(const char *folder, uint64_t fingerprint)
{
    return step_in_slot(folder, 0, fingerprint) >= 0 || step_in_slot(folder, 1, fingerprint) >= 0;
}
