/* The state of the monitor: saved and restored, and independent of threads and boxes. */
#include "monitored_box.h"

static void fill(struct scene *s, uint64_t *seed)
{
    for (int i = 0; i < s->space.ncells * KN_FIELDS; i++)
        s->fields[i] = noise(seed);
    for (int i = 0; i < KN_SIDES; i++)
        s->walls[i].shear_magnitude = s->walls[i].heat_flux = noise(seed);
}

/* State and cells in one array, the cells in two parts. */
static void save(struct scene *s, double *to)
{
    const int64_t size = kn_monitor_state_size(&s->m), n = s->space.ncells;
    kn_monitor_save(&s->m, to);
    assert_int_equal(kn_monitor_move(&s->m, false, 0, 2, to + size), KN_OK);
    assert_int_equal(kn_monitor_move(&s->m, false, 2, n - 2, to + size + (ptrdiff_t)2 * KN_MONITOR_CELL),
                     KN_OK);
}

static enum kn_status restore(struct scene *s, double *from)
{
    const int64_t size = kn_monitor_state_size(&s->m);
    const enum kn_status status = kn_monitor_restore(&s->m, from, size);
    return status == KN_OK ? kn_monitor_move(&s->m, true, 0, s->space.ncells, from + size) : status;
}

/* Rows 0-149, save, restore elsewhere, rows 150-299 on both: the same bits, also for batches that became
 * longer in between. */
static void restart_is_exact(void **state)
{
    (void)state;
    struct scene a, b;
    uint64_t seed = 7;
    set_box(&a, 6, 5, 1);
    a.c.walls[KN_TOP].velocity[0] = 1;
    a.c.output.average = 0.2;
    build(&a);
    for (int i = 0; i < 150; i++) {
        fill(&a, &seed);
        take(&a, i, 0.1 * i);
    }
    int64_t size = kn_monitor_state_size(&a.m) + (int64_t)a.space.ncells * KN_MONITOR_CELL;
    double *saved = calloc((size_t)size, sizeof *saved), *other = calloc((size_t)size, sizeof *other);
    save(&a, saved);

    set_box(&b, 6, 5, 1);
    b.c.walls[KN_TOP].velocity[0] = 1;
    b.c.output.average = 0.2;
    build(&b);
    assert_int_equal(restore(&b, saved), KN_OK);
    for (int i = 150; i < 300; i++) {
        fill(&a, &seed);
        memcpy(b.fields, a.fields, (size_t)a.space.ncells * KN_FIELDS * sizeof *a.fields);
        memcpy(b.walls, a.walls, sizeof a.walls);
        take(&a, i, 0.1 * i);
        take(&b, i, 0.1 * i);
    }
    save(&a, saved);
    save(&b, other);
    assert_memory_equal(saved, other, (size_t)size * sizeof *saved);
    free(saved);
    free(other);
    drop(&a);
    drop(&b);
}

/* Each number of a saved state is replaced by values that are invalid as an index or a count. */
static void restart_refuses_damage(void **state)
{
    (void)state;
    struct scene s;
    uint64_t seed = 11;
    set_box(&s, 3, 3, 1);
    s.c.walls[KN_TOP].velocity[0] = 1;
    s.c.collision.method = KN_METHOD_MONTE_CARLO;
    s.c.output.average = 0;
    build(&s);
    for (int i = 0; i < 40; i++) {
        fill(&s, &seed);
        take(&s, i, 0.1 * i);
    }
    const int64_t size = kn_monitor_state_size(&s.m);
    double *saved = calloc((size_t)size, sizeof *saved);
    int refused = 0;
    for (int64_t i = 0; i < size; i++) {
        kn_monitor_save(&s.m, saved);
        saved[i] = 1e9 + 0.5;
        refused += kn_monitor_restore(&s.m, saved, size) == KN_EIO;
        fill(&s, &seed);
        take(&s, 41, 4.1);
        saved[i] = NAN;
        const enum kn_status status = kn_monitor_restore(&s.m, saved, size);
        assert_true(status == KN_OK || status == KN_EIO || status == KN_EINPUT);
    }
    const int counts =
        4 + 3 * (s.m.judged + 1) + 3 * s.m.ncolumns; /* rows, averaged, steady, step; length, count, begun */
    assert_int_equal(refused, counts);
    free(saved);
    drop(&s);
}

static void restart_refuses_and_begins_anew(void **state)
{
    (void)state;
    struct scene a, b;
    uint64_t seed = 9;
    set_box(&a, 3, 3, 1);
    a.c.output.average = 0;
    build(&a);
    fill(&a, &seed);
    take(&a, 1, 1);
    assert_int_equal(a.m.averaged, 1);
    int64_t size = kn_monitor_state_size(&a.m);
    double *saved = calloc((size_t)(size + (int64_t)a.space.ncells * KN_MONITOR_CELL), sizeof *saved);
    save(&a, saved);

    a.c.output.average = 5; /* another start of the window: the old averages are discarded */
    assert_int_equal(restore(&a, saved), KN_OK);
    assert_int_equal(a.m.averaged, 0);
    assert_near(a.m.mean_fields[0], 0, 0);
    assert_near(a.m.previous[0], a.fields[0], 0);
    assert_near(a.m.row.step, 1, 0);
    assert_int_equal(kn_monitor_restore(&a.m, saved, size - 1), KN_EINPUT);

    a.c.output.average = KN_AVERAGE_AUTO; /* no given start: the window keeps its start */
    assert_int_equal(restore(&a, saved), KN_OK);
    assert_int_equal(a.m.averaged, 1);
    assert_near(a.m.mean_fields[0], a.fields[0], 0);
    take(&a, 2, 2);
    assert_int_equal(a.m.averaged, 2);

    set_box(&b, 3, 4, 1);
    build(&b);
    assert_int_equal(kn_monitor_restore(&b.m, saved, size), KN_EINPUT);
    free(saved);
    drop(&a);
    drop(&b);
}

/* The row of a large state, computed by this number of threads. */
static struct kn_row row_of(struct scene *s, int threads)
{
    s->m.threads = threads;
    s->m.rows = 0;
    take(s, 0, 0);
    for (size_t i = 0; i < (size_t)s->space.ncells * 5; i++)
        s->m.previous[i] *= 0.75;
    take(s, 1, 0.5);
    return s->m.row;
}

/* Cells of equal size in another order are another gas with the same sums; threads divide the cells of one
 * gas. */
static void rows_do_not_depend_on_who_sums(void **state)
{
    (void)state;
    struct scene s;
    uint64_t seed = 21;
    set_box(&s, 150, 120, 1);
    s.c.disturbance = 0.1;
    for (int d = 0; d < 2; d++) /* not a cavity: G depends on the positions of cells */
        s.c.walls[2 * d].kind = s.c.walls[2 * d + 1].kind = KN_WALL_SPECULAR;
    build(&s);
    const size_t n = (size_t)s.space.ncells;
    for (size_t i = 0; i < n * KN_FIELDS; i++) /* of very different sizes, so that sums of doubles differ */
        s.fields[i] = noise(&seed) * pow(10, 12 * noise(&seed));
    for (size_t i = 0; i < n; i++)
        s.space.volume[i] = s.space.volume[0];
    const struct kn_row one = row_of(&s, 1);
    assert_true(one.residual > 0.49 && one.residual < 0.51);
    for (int threads = 2; threads <= 5; threads++) {
        const struct kn_row many = row_of(&s, threads);
        assert_memory_equal(&many, &one, sizeof one);
    }
    for (size_t i = n - 1; i > 0; i--) {
        double kept[KN_FIELDS], *a = s.fields + i * KN_FIELDS,
                                *b = s.fields + (size_t)((noise(&seed) + 0.5) * (double)i) * KN_FIELDS;
        memcpy(kept, a, sizeof kept);
        memmove(a, b, sizeof kept);
        memcpy(b, kept, sizeof kept);
    }
    const struct kn_row mixed = row_of(&s, 3);
    assert_memory_equal(&mixed, &one, sizeof one);
    drop(&s);
}

/* The monitor of a rank that has a box of the cells. */
static void build_part(struct scene *s, const struct kn_box *box)
{
    assert_int_equal(kn_space_create(&s->space, &s->c, box), KN_OK);
    assert_int_equal(kn_monitor_create(&s->m, &s->c, &s->space, &kn_comm_alone), KN_OK);
    s->fields = calloc((size_t)s->space.ncells * KN_FIELDS, sizeof *s->fields);
}

/* Messages about a box number its cells as in the whole space. */
static void boxes_name_cells_of_the_whole(void **state)
{
    (void)state;
    struct scene s;
    const struct kn_box box = {{2, 1, 1}, {4, 3, 2}};
    set_box(&s, 4, 3, 2);
    s.c.walls[KN_TOP].velocity[0] = 1;
    build(&s);
    const int ncolumns = s.m.ncolumns;
    drop(&s);
    build_part(&s, &box);
    assert_int_equal(s.m.ncolumns, ncolumns);
    cell(&s, 0, 1, 0)[KN_QX] = NAN;
    cell(&s, 1, 0, 0)[KN_QY] = s.fields[2 * KN_FIELDS] = NAN;
    assert_int_equal(kn_monitor_check(&s.m, 3, 0.5, s.fields), KN_ENUMERIC);
    assert_string_equal(kn_error_message(), "non-finite qy in cell 19 (x 3, y 1, z 1) at step 3, t = 0.5");
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restart_is_exact),
        cmocka_unit_test(restart_refuses_damage),
        cmocka_unit_test(restart_refuses_and_begins_anew),
        cmocka_unit_test(rows_do_not_depend_on_who_sums),
        cmocka_unit_test(boxes_name_cells_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
