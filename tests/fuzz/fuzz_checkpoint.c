/* Checkpoints, as --resume finds and reads them. */
#include "fuzz.h"

#include "comm/comm.h"
#include "io/checkpoint.h"
#include "io/store.h"
#include "monitor/monitor.h"
#include "validity/validity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The case of the valid checkpoint. */
static struct kn_case c;
static struct kn_space space;
static struct kn_checkpoint good;

static void begin(void)
{
    char path[KN_PATH], reason[KN_STORE_REASON], note[KN_CHECKPOINT_NOTE];
    uint64_t fingerprint;
    fuzz_copy("case.yaml", "case/good.yaml");
    fuzz_copy("checkpoint-a.h5", "checkpoint/good.h5");
    kn_case_default(&c);
    if (kn_files_join(path, fuzz_folder(), "case.yaml") != KN_OK || kn_case_load(&c, path) != KN_OK ||
        kn_space_create(&space, &c, NULL) != KN_OK ||
        kn_files_join(path, fuzz_folder(), "checkpoint-a.h5") != KN_OK)
        abort();
    hid_t file = kn_store_open(path, reason);
    if (file < 0 || !kn_store_read_value(file, "fingerprint", H5T_NATIVE_UINT64, &fingerprint))
        abort();
    H5Fclose(file);
    if (kn_checkpoint_find(&kn_comm_alone, fuzz_folder(), fingerprint, &good, note) != KN_OK)
        abort();
}

static enum kn_status no_rows(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    const struct kn_share_table *table = of;
    (void)in, (void)first;
    memset(rows, 0, (size_t)count * table->bytes);
    return KN_OK;
}

/* A checkpoint with valid checksums: the program writes it with some of its numbers replaced. */
static void write_forged(const uint8_t *data, size_t size)
{
    static const double values[] = {0, 1, -1, 63, 64, 127, 128, 0.5, 1e9, -1e9, 1e300, NAN, INFINITY};
    struct kn_checkpoint k = good;
    double *const times[] = {&k.state.time, &k.state.time_step, &k.state.ahead};
    int64_t *const counts[] = {&k.state.step, &k.state.samples};
    struct kn_share_table tables[2] = {{(size_t)k.state.nnodes * sizeof(float), no_rows, &tables[0]},
                                       {(size_t)k.nwatched * sizeof(double), no_rows, &tables[1]}};
    const struct kn_share share = {.comm = &kn_comm_alone, .tables = tables};
    const struct kn_checkpoint_source source = {&share, 0, 1, 0};
    k.monitor = malloc((size_t)k.nmonitor * sizeof *k.monitor);
    if (!k.monitor)
        abort();
    memcpy(k.monitor, good.monitor, (size_t)k.nmonitor * sizeof *k.monitor);
    for (size_t i = 0; i + 3 <= size && i < 24; i += 3) {
        const int at = data[i] * 256 + data[i + 1];
        const double value = values[data[i + 2] % (sizeof values / sizeof *values)];
        if (at % 64 < 3)
            *times[at % 64] = value;
        else if (at % 64 < 5)
            *counts[at % 64 - 3] = isnan(value) || fabs(value) > 1e18 ? INT64_MAX : (int64_t)value;
        else
            k.monitor[(at % 2 ? at / 2 % 256 : at) % k.nmonitor] = value; /* counts are at the beginning */
    }
    if (kn_checkpoint_write(fuzz_folder(), &k, &source) != KN_OK)
        abort();
    kn_checkpoint_free(&k);
}

/* The processing of the data of a checkpoint that do not belong to cells. */
static void go_on(const struct kn_checkpoint *k)
{
    struct kn_monitor m;
    struct kn_validity_gas gas;
    struct kn_validity found = {0};
    const struct kn_wall_flux walls[KN_SIDES] = {0};
    double *fields = calloc((size_t)space.ncells * KN_FIELDS, sizeof *fields);
    if (!fields || kn_monitor_create(&m, &c, &space, &kn_comm_alone) != KN_OK ||
        kn_validity_watch_create(&gas, &c) != KN_OK)
        abort();
    if (kn_monitor_restore(&m, k->monitor, k->nmonitor - KN_VALIDITY_STATE) == KN_OK &&
        kn_validity_watch_restore(&gas, k->monitor + k->nmonitor - KN_VALIDITY_STATE) == KN_OK) {
        for (int i = 1; i <= 130; i++)
            kn_monitor_take(&m, k->state.step + i, k->state.time + i * k->state.time_step, fields, walls);
        for (int i = 0; i < m.judged; i++)
            kn_trend_rest(&m.trends[i], 0);
        for (int i = 0; i < m.ncolumns; i++)
            kn_monitor_error(&m, i);
        kn_validity_judge_gas(&found, &c, &gas);
    }
    kn_validity_watch_destroy(&gas);
    kn_monitor_destroy(&m);
    free(fields);
}

static void resume(void)
{
    struct kn_checkpoint k;
    char note[KN_CHECKPOINT_NOTE];
    if (kn_checkpoint_find(&kn_comm_alone, fuzz_folder(), good.fingerprint, &k, note) == KN_OK) {
        go_on(&k);
        kn_checkpoint_free(&k);
    }
    fuzz_check_closed();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const slots[] = {"checkpoint-a.h5", "checkpoint-b.h5"};
    char path[KN_PATH];
    if (!good.monitor)
        begin();
    fuzz_forge(slots[0], "checkpoint/good.h5", data, size);
    resume();
    for (int i = 0; i < 2; i++)
        if (kn_files_join(path, fuzz_folder(), slots[i]) == KN_OK)
            unlink(path);
    write_forged(data, size);
    resume();
    for (int i = 0; i < 2; i++)
        if (kn_files_join(path, fuzz_folder(), slots[i]) == KN_OK)
            unlink(path);
    return 0;
}
