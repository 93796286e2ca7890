/* Checkpoints: what is saved comes back, and no damage goes unnoticed. */
#include "io/checkpoint.h"
#include "unit/scratch.h"

#include <math.h>

enum { NCELLS = 12, NNODES = 10, NMONITOR = 9 };

static float h_at(int64_t step, int64_t cell, int64_t node)
{
    return (float)sin((double)(step + 17 * cell + 3 * node));
}

static enum kn_status get_rows(void *of, int64_t first, int64_t count, float *rows)
{
    const struct kn_checkpoint *k = of;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < k->nnodes; j++)
            rows[i * k->nnodes + j] = h_at(k->step, first + i, j);
    return KN_OK;
}

// NOLINTBEGIN(readability-non-const-parameter): the type of the callback
static enum kn_status check_rows(void *of, int64_t first, int64_t count, float *rows)
{
    const struct kn_checkpoint *k = of;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < k->nnodes; j++)
            assert_true(rows[i * k->nnodes + j] == h_at(k->step, first + i, j));
    return KN_OK;
}

static enum kn_status refuse_rows(void *of, int64_t first, int64_t count, float *rows)
{
    (void)of;
    (void)count;
    (void)rows;
    return first > 0 ? kn_error_set(KN_ENUMERIC, "not finite") : KN_OK;
}
// NOLINTEND(readability-non-const-parameter)

static struct kn_checkpoint make_checkpoint(int64_t step, double *monitor)
{
    for (int i = 0; i < NMONITOR; i++)
        monitor[i] = (double)step + 0.1 * i;
    return (struct kn_checkpoint){.fingerprint = 0xfedcba9876543210u,
                                  .step = step,
                                  .time = 0.1 * (double)step,
                                  .ahead = 0.05,
                                  .draws = (uint64_t)step * 2,
                                  .samples = 4096,
                                  .ncells = NCELLS,
                                  .nnodes = NNODES,
                                  .nmonitor = NMONITOR,
                                  .monitor = monitor};
}

static void save(int64_t step)
{
    double monitor[NMONITOR];
    struct kn_checkpoint k = make_checkpoint(step, monitor);
    assert_int_equal(kn_checkpoint_write(folder, &k, get_rows, &k), KN_OK);
}

static void assert_whole(struct kn_checkpoint *k, int64_t step)
{
    double monitor[NMONITOR];
    struct kn_checkpoint expected = make_checkpoint(step, monitor);
    assert_int_equal(k->step, step);
    assert_same(k->time, expected.time);
    assert_same(k->ahead, expected.ahead);
    assert_int_equal(k->draws, expected.draws);
    assert_int_equal(k->samples, expected.samples);
    assert_int_equal(k->ncells, NCELLS);
    assert_int_equal(k->nnodes, NNODES);
    assert_int_equal(k->nmonitor, NMONITOR);
    assert_memory_equal(k->monitor, monitor, sizeof monitor);
    assert_int_equal(kn_checkpoint_load(k, check_rows, k), KN_OK);
}

/* The newest checkpoint must be that of `step`, complete; `noted` in the note. */
static void assert_found(int64_t step, const char *noted)
{
    char note[KN_PATH + 256];
    struct kn_checkpoint k;
    assert_int_equal(kn_checkpoint_find(folder, 0xfedcba9876543210u, &k, note), KN_OK);
    assert_whole(&k, step);
    if (noted)
        assert_non_null(strstr(note, noted));
    else
        assert_string_equal(note, "");
    kn_checkpoint_free(&k);
}

static void checkpoint_slots_alternate(void **state)
{
    (void)state;
    int before = open_files();
    save(10);
    assert_true(exists("checkpoint-a.h5"));
    assert_false(exists("checkpoint-b.h5"));
    assert_found(10, NULL);
    save(20);
    assert_true(exists("checkpoint-b.h5"));
    assert_found(20, NULL);
    save(30);
    assert_found(30, NULL);
    assert_int_equal(unlink(in_folder("checkpoint-a.h5")), 0);
    assert_found(20, NULL);
    assert_int_equal(kn_checkpoint_clear(folder), KN_OK);
    assert_false(exists("checkpoint-b.h5"));
    assert_int_equal(kn_checkpoint_clear(folder), KN_OK);
    assert_no_leak(before);
}

static void checkpoint_many_chunks(void **state)
{
    (void)state;
    double monitor[NMONITOR];
    char note[KN_PATH + 256];
    struct kn_checkpoint k = make_checkpoint(5, monitor), found;
    k.ncells = 1237;
    k.nnodes = 3001; /* 87 rows a chunk, 348 a slab, the last of both cut */
    assert_int_equal(kn_checkpoint_write(folder, &k, get_rows, &k), KN_OK);
    assert_int_equal(kn_checkpoint_find(folder, k.fingerprint, &found, note), KN_OK);
    assert_int_equal(kn_checkpoint_load(&found, check_rows, &found), KN_OK);
    kn_checkpoint_free(&found);
}

static void checkpoint_damage(void **state)
{
    (void)state;
    static const char garbage[] = "this is no HDF5 file, whatever its name may say";
    size_t size;
    int before = open_files();
    save(10);
    save(20);
    char *good = read_all("checkpoint-b.h5", &size);
    for (size_t length = 0; length < size; length += size / 7) {
        write_all("checkpoint-b.h5", good, length);
        assert_found(10, "checkpoint-b.h5");
    }
    write_all("checkpoint-b.h5", garbage, sizeof garbage);
    assert_found(10, "checkpoint-b.h5");
    save(30); /* goes where the damage is */
    assert_found(30, NULL);
    free(good);
    assert_no_leak(before);
}

/* Whichever byte is flipped: it is noticed, or it did not matter. */
static void checkpoint_every_byte(void **state)
{
    (void)state;
    size_t size, noticed = 0;
    char note[KN_PATH + 256];
    int before = open_files();
    save(10);
    save(20);
    char *bytes = read_all("checkpoint-b.h5", &size);
    for (size_t i = 0; i < size; i++) {
        struct kn_checkpoint k;
        flip("checkpoint-b.h5", i, bytes[i] ^ 0x10);
        assert_int_equal(kn_checkpoint_find(folder, 0xfedcba9876543210u, &k, note), KN_OK);
        noticed += k.step == 10;
        if (k.step == 10)
            assert_non_null(strstr(note, "checkpoint-b.h5"));
        else
            assert_whole(&k, 20);
        kn_checkpoint_free(&k);
        flip("checkpoint-b.h5", i, bytes[i]);
    }
    print_message("%zu of %zu flipped bytes were noticed\n", noticed, size);
    assert_true(noticed > (size_t)NCELLS * NNODES * sizeof(float) + NMONITOR * sizeof(double));
    free(bytes);
    assert_no_leak(before);
}

static void checkpoint_refusals(void **state)
{
    (void)state;
    char note[KN_PATH + 256];
    struct kn_checkpoint k;
    int before = open_files();
    assert_int_equal(kn_checkpoint_find(folder, 1, &k, note), KN_EIO);
    assert_message("no checkpoint");
    save(10);
    assert_int_equal(kn_checkpoint_find(folder, 1, &k, note), KN_EINPUT);
    assert_message("another case");
    assert_null(k.monitor);
    write_all("checkpoint-a.h5", "", 0);
    write_all("checkpoint-b.h5", "junk", 4);
    assert_int_equal(kn_checkpoint_find(folder, 1, &k, note), KN_EIO);
    assert_message("checkpoint-");
    assert_message("--resume");
    assert_no_leak(before);
}

static void checkpoint_ahead_of_us_is_replaced(void **state)
{
    (void)state;
    save(10);
    save(20);
    save(15); /* resumed from 10 because 20 could not be read */
    assert_found(15, NULL);
    save(16);
    assert_found(16, NULL);
}

static void checkpoint_full_disk(void **state)
{
    (void)state;
    double monitor[NMONITOR];
    int before = open_files();
    save(10);
    save(20);
    struct kn_checkpoint k = make_checkpoint(30, monitor);
    k.ncells = 3000;
    k.nnodes = 40;
    for (rlim_t bytes = 0; bytes < 300000; bytes += 37000) {
        limit_disk(bytes);
        assert_int_equal(kn_checkpoint_write(folder, &k, get_rows, &k), KN_EIO);
        limit_disk(RLIM_INFINITY);
        assert_message("checkpoint-a.h5");
        assert_message("File too large");
    }
    k.nnodes = 3000;
    assert_int_equal(kn_checkpoint_write(folder, &k, refuse_rows, &k), KN_ENUMERIC);
    assert_message("not finite");
    assert_false(exists("checkpoint-a.h5.tmp"));
    assert_found(20, NULL);
    assert_int_equal(kn_checkpoint_write(in_folder("checkpoint-a.h5"), &k, get_rows, &k), KN_EIO);
    assert_no_leak(before);
}

/* HDF5 1.10 does not free everything when it refuses a damaged file. */
// NOLINTBEGIN(bugprone-reserved-identifier): the name is the sanitizer's
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}
// NOLINTEND(bugprone-reserved-identifier)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(checkpoint_slots_alternate), TEST(checkpoint_many_chunks),
        TEST(checkpoint_damage),          TEST(checkpoint_every_byte),
        TEST(checkpoint_refusals),        TEST(checkpoint_ahead_of_us_is_replaced),
        TEST(checkpoint_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
