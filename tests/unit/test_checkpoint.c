/* Checkpoints: saved data are restored, and damage is detected. */
#include "io/checkpoint.h"
#include "unit/scratch.h"

#include <math.h>

enum { NCELLS = 12, NNODES = 10, NWATCHED = 3, NMONITOR = 9 };
/* Tables of rows. */
enum { H, WATCHED, CHECKED_H, CHECKED_WATCHED, REFUSED, IMAGINARY, CHECKED_IMAGINARY };

static float h_at(int64_t step, int64_t cell, int64_t node)
{
    return (float)sin((double)(step + 17 * cell + 3 * node));
}

static double watched_at(int64_t step, int64_t cell, int64_t i)
{
    return cos((double)(step + 7 * cell + i));
}

static enum kn_status move_h(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    const struct kn_checkpoint *k = of;
    float *h = rows;
    assert_false(in);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < k->state.nnodes; j++)
            h[i * k->state.nnodes + j] = h_at(k->state.step, first + i, j);
    return KN_OK;
}

static float imaginary_at(int64_t step, int64_t cell, int64_t node)
{
    return h_at(step + 1000, cell, node);
}

static enum kn_status move_imaginary(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    const struct kn_checkpoint *k = of;
    float *h = rows;
    assert_false(in);
    for (int64_t i = 0; i < count * k->nimaginary; i++)
        h[i] = imaginary_at(k->state.step, first + i / k->nimaginary, i % k->nimaginary);
    return KN_OK;
}

static enum kn_status move_watched(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    const struct kn_checkpoint *k = of;
    double *watched = rows;
    assert_false(in);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < k->nwatched; j++)
            watched[i * k->nwatched + j] = watched_at(k->state.step, first + i, j);
    return KN_OK;
}

// NOLINTBEGIN(readability-non-const-parameter): the type of the callback
static int64_t checked; /* rows of all tables */

static enum kn_status check_h(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    const struct kn_checkpoint *k = of;
    const float *h = rows;
    assert_true(in);
    checked += count;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < k->state.nnodes; j++)
            assert_true(h[i * k->state.nnodes + j] == h_at(k->state.step, first + i, j));
    return KN_OK;
}

static enum kn_status check_imaginary(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    const struct kn_checkpoint *k = of;
    const float *h = rows;
    assert_true(in);
    checked += count;
    for (int64_t i = 0; i < count * k->nimaginary; i++)
        assert_true(h[i] == imaginary_at(k->state.step, first + i / k->nimaginary, i % k->nimaginary));
    return KN_OK;
}

static enum kn_status check_watched(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    const struct kn_checkpoint *k = of;
    const double *watched = rows;
    assert_true(in);
    checked += count;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < k->nwatched; j++)
            assert_same(watched[i * k->nwatched + j], watched_at(k->state.step, first + i, j));
    return KN_OK;
}

static enum kn_status refuse_rows(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    (void)of;
    (void)in;
    (void)count;
    (void)rows;
    return first > 0 ? kn_error_set(KN_ENUMERIC, "not finite") : KN_OK;
}
// NOLINTEND(readability-non-const-parameter)

/* The rows described by k are read from the first tables, and compared when they are stored in the second. */
static enum kn_status move_in(const char *where, struct kn_checkpoint *k, int h, int watched)
{
    const size_t row = (size_t)k->state.nnodes * sizeof(float), cell = (size_t)k->nwatched * sizeof(double);
    const struct kn_share_table tables[] = {
        {row, move_h, k},       {cell, move_watched, k},  {row, check_h, k},         {cell, check_watched, k},
        {cell, refuse_rows, k}, {row, move_imaginary, k}, {row, check_imaginary, k},
    };
    const struct kn_share share = {.comm = &kn_comm_alone, .tables = tables};
    const struct kn_checkpoint_source source = {&share, h, watched, h == H ? IMAGINARY : CHECKED_IMAGINARY};
    return h == H ? kn_checkpoint_write(where, k, &source) : kn_checkpoint_load(k, &source);
}

static enum kn_status move(struct kn_checkpoint *k, int h, int watched)
{
    return move_in(folder, k, h, watched);
}

static struct kn_checkpoint make_checkpoint(int64_t step, double *monitor)
{
    for (int i = 0; i < NMONITOR; i++)
        monitor[i] = (double)step + 0.1 * i;
    return (struct kn_checkpoint){.fingerprint = 0xfedcba9876543210u,
                                  .state = {.step = step,
                                            .time = 0.1 * (double)step,
                                            .time_step = 0.1,
                                            .ahead = 0.05,
                                            .draws = (uint64_t)step * 2,
                                            .samples = 4096,
                                            .ncells = NCELLS,
                                            .nnodes = NNODES},
                                  .nimaginary = NNODES,
                                  .nwatched = NWATCHED,
                                  .nmonitor = NMONITOR,
                                  .history = {{(uint64_t)step, 0xfedcba9876543210u}},
                                  .monitor = monitor};
}

static void save(int64_t step)
{
    double monitor[NMONITOR];
    struct kn_checkpoint k = make_checkpoint(step, monitor);
    assert_int_equal(move(&k, H, WATCHED), KN_OK);
}

static void assert_whole(struct kn_checkpoint *k, int64_t step)
{
    double monitor[NMONITOR];
    struct kn_checkpoint expected = make_checkpoint(step, monitor);
    assert_int_equal(k->state.step, step);
    assert_same(k->state.time, expected.state.time);
    assert_same(k->state.ahead, expected.state.ahead);
    assert_int_equal(k->state.draws, expected.state.draws);
    assert_int_equal(k->state.samples, expected.state.samples);
    assert_int_equal(k->state.ncells, NCELLS);
    assert_int_equal(k->state.nnodes, NNODES);
    assert_int_equal(k->nmonitor, NMONITOR);
    assert_memory_equal(k->monitor, monitor, sizeof monitor);
    assert_memory_equal(&k->history, &expected.history, sizeof k->history);
    assert_int_equal(k->nimaginary, NNODES);
    assert_int_equal(k->nwatched, NWATCHED);
    checked = 0;
    assert_int_equal(move(k, CHECKED_H, CHECKED_WATCHED), KN_OK);
    assert_int_equal(checked, 3 * NCELLS);
}

/* The newest complete checkpoint must be that of `step`; the note must contain `noted`. */
static void assert_found(int64_t step, const char *noted)
{
    char note[KN_CHECKPOINT_NOTE];
    struct kn_checkpoint k;
    assert_int_equal(kn_checkpoint_find(&kn_comm_alone, folder, 0xfedcba9876543210u, &k, note), KN_OK);
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
    assert_true(kn_checkpoint_is_there(folder, 0xfedcba9876543210u));
    assert_false(kn_checkpoint_is_there(folder, 1));
    assert_int_equal(unlink(in_folder("checkpoint-b.h5")), 0);
    assert_false(kn_checkpoint_is_there(folder, 0xfedcba9876543210u));
    assert_no_leak(before);
}

static void checkpoint_many_slabs(void **state)
{
    (void)state;
    double monitor[NMONITOR];
    char note[KN_CHECKPOINT_NOTE];
    struct kn_checkpoint k = make_checkpoint(5, monitor), found;
    k.state.ncells = 1237;
    k.state.nnodes = k.nimaginary = 3001; /* 174 rows per slab, fewer in the last one */
    assert_int_equal(move(&k, H, WATCHED), KN_OK);
    assert_int_equal(kn_checkpoint_find(&kn_comm_alone, folder, k.fingerprint, &found, note), KN_OK);
    checked = 0;
    assert_int_equal(move(&found, CHECKED_H, CHECKED_WATCHED), KN_OK);
    assert_int_equal(checked, 3 * k.state.ncells);
    kn_checkpoint_free(&found);
}

static void checkpoint_damage(void **state)
{
    (void)state;
    static const char garbage[] = "this is not an HDF5 file in spite of its name";
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
    save(30); /* replaces the damaged slot */
    assert_found(30, NULL);
    free(good);
    assert_no_leak(before);
}

/* Each flipped byte is detected or has no effect. */
static void checkpoint_every_byte(void **state)
{
    (void)state;
    size_t size, noticed = 0;
    char note[KN_CHECKPOINT_NOTE];
    int before = open_files();
    save(10);
    save(20);
    char *bytes = read_all("checkpoint-b.h5", &size);
    for (size_t i = 0; i < size; i++) {
        struct kn_checkpoint k;
        flip("checkpoint-b.h5", i, bytes[i] ^ 0x10);
        assert_int_equal(kn_checkpoint_find(&kn_comm_alone, folder, 0xfedcba9876543210u, &k, note), KN_OK);
        noticed += k.state.step == 10;
        if (k.state.step == 10)
            assert_non_null(strstr(note, "checkpoint-b.h5"));
        else
            assert_whole(&k, 20);
        kn_checkpoint_free(&k);
        flip("checkpoint-b.h5", i, bytes[i]);
    }
    print_message("%zu of %zu flipped bytes were detected\n", noticed, size);
    assert_true(noticed > NCELLS * (NNODES * sizeof(float) + NWATCHED * sizeof(double) + sizeof(uint64_t)) +
                              NMONITOR * sizeof(double));
    free(bytes);
    assert_no_leak(before);
}

static void checkpoint_refusals(void **state)
{
    (void)state;
    char note[KN_CHECKPOINT_NOTE];
    struct kn_checkpoint k;
    int before = open_files();
    assert_int_equal(kn_checkpoint_find(&kn_comm_alone, folder, 1, &k, note), KN_EIO);
    assert_message("no checkpoint");
    save(10);
    assert_int_equal(kn_checkpoint_find(&kn_comm_alone, folder, 1, &k, note), KN_EINPUT);
    assert_message("another case");
    assert_null(k.monitor);
    write_all("checkpoint-a.h5", "", 0);
    write_all("checkpoint-b.h5", "junk", 4);
    assert_int_equal(kn_checkpoint_find(&kn_comm_alone, folder, 1, &k, note), KN_EIO);
    assert_message("checkpoint-");
    assert_message("--overwrite");
    assert_no_leak(before);
}

static void checkpoint_of_another_format(void **state)
{
    (void)state;
    const int format = 2;
    char note[KN_CHECKPOINT_NOTE];
    struct kn_checkpoint k;
    save(10);
    hid_t file = H5Fopen(in_folder("checkpoint-a.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t attribute = H5Aopen(file, "format", H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_INT, &format) >= 0);
    H5Aclose(attribute);
    H5Fclose(file);
    assert_int_equal(kn_checkpoint_find(&kn_comm_alone, folder, 1, &k, note), KN_EIO);
    assert_message("it has format 2, this program reads format 5");
    assert_message("--overwrite");
}

/* Damage that HDF5 does not detect: rows that are exchanged, or that are from another step. */
static void checkpoint_rows_know_their_place(void **state)
{
    (void)state;
    static const char *const sets[] = {"h", "watched", "sums"};
    char note[KN_CHECKPOINT_NOTE];
    struct kn_checkpoint k;
    for (int i = 0; i < 3; i++) {
        const hsize_t start[2] = {4, 0}, size[2] = {2, i == 0 ? NNODES : i == 1 ? NWATCHED : 1};
        const hsize_t other[2] = {7, 0};
        double rows[2 * NNODES];
        unlink(in_folder("checkpoint-a.h5"));
        unlink(in_folder("checkpoint-b.h5"));
        save(10);
        hid_t file = H5Fopen(in_folder("checkpoint-a.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
        hid_t set = H5Dopen2(file, sets[i], H5P_DEFAULT), type = H5Dget_type(set), space = H5Dget_space(set);
        hid_t memory = H5Screate_simple(2, size, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
        assert_true(H5Dread(set, type, memory, space, H5P_DEFAULT, rows) >= 0);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, other, NULL, size, NULL);
        assert_true(H5Dwrite(set, type, memory, space, H5P_DEFAULT, rows) >= 0);
        H5Sclose(memory);
        H5Sclose(space);
        H5Tclose(type);
        H5Dclose(set);
        H5Fclose(file);
        assert_int_equal(kn_checkpoint_find(&kn_comm_alone, folder, 0xfedcba9876543210u, &k, note), KN_EIO);
        assert_message("cell 7 does not match its checksum");
    }
}

/* A forged header may have a valid checksum. */
static void checkpoint_header_out_of_range(void **state)
{
    (void)state;
    char note[KN_CHECKPOINT_NOTE];
    double monitor[NMONITOR];
    for (int i = 0; i < 10; i++) {
        struct kn_checkpoint k = make_checkpoint(10, monitor), found;
        double *const times[] = {&k.state.time, &k.state.time_step, &k.state.ahead};
        if (i < 6)
            *times[i % 3] = i < 3 ? NAN : -1;
        else
            *(i < 8 ? &k.state.samples : &k.state.step) = i % 2 ? INT64_MAX : -1;
        unlink(in_folder("checkpoint-a.h5"));
        unlink(in_folder("checkpoint-b.h5"));
        assert_int_equal(move(&k, H, WATCHED), KN_OK);
        assert_int_equal(kn_checkpoint_find(&kn_comm_alone, folder, k.fingerprint, &found, note), KN_EIO);
        assert_message("its header has invalid values");
    }
}

static void checkpoint_without_watched_cells(void **state)
{
    (void)state;
    char note[KN_CHECKPOINT_NOTE];
    struct kn_checkpoint k = make_checkpoint(5, (double[NMONITOR]){0}), found;
    k.nimaginary = k.nwatched = k.nmonitor = 0;
    assert_int_equal(move(&k, H, REFUSED), KN_OK); /* not asked for */
    assert_int_equal(kn_checkpoint_find(&kn_comm_alone, folder, k.fingerprint, &found, note), KN_OK);
    assert_null(found.monitor);
    checked = 0;
    assert_int_equal(move(&found, CHECKED_H, REFUSED), KN_OK);
    assert_int_equal(checked, NCELLS);
    kn_checkpoint_free(&found);
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
    k.state.ncells = 3000;
    k.state.nnodes = 40;
    for (rlim_t bytes = 0; bytes < 300000; bytes += 37000) {
        limit_disk(bytes);
        assert_int_equal(move(&k, H, WATCHED), KN_EIO);
        limit_disk(RLIM_INFINITY);
        assert_message("checkpoint-a.h5");
        assert_message("File too large");
    }
    k.state.nnodes = 3000;
    assert_int_equal(move(&k, H, REFUSED), KN_ENUMERIC);
    assert_message("not finite");
    assert_false(exists(".checkpoint-a.h5.knudsen.tmp"));
    assert_found(20, NULL);
    assert_int_equal(move_in(in_folder("checkpoint-a.h5"), &k, H, WATCHED), KN_EIO);
    assert_no_leak(before);
}

/* HDF5 1.10 does not free all memory when it rejects a damaged file. */
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
        TEST(checkpoint_slots_alternate),
        TEST(checkpoint_many_slabs),
        TEST(checkpoint_damage),
        TEST(checkpoint_every_byte),
        TEST(checkpoint_refusals),
        TEST(checkpoint_ahead_of_us_is_replaced),
        TEST(checkpoint_full_disk),
        TEST(checkpoint_of_another_format),
        TEST(checkpoint_rows_know_their_place),
        TEST(checkpoint_header_out_of_range),
        TEST(checkpoint_without_watched_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
