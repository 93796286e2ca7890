/* The row of the history: every sum and quantity compared with a value computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "monitor/monitor.h"
#include "monitor/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A case, its space and one state of the gas. */
struct scene {
    struct kn_case c;
    struct kn_space space;
    struct kn_monitor m;
    double *fields; /* [ncells][KN_FIELDS] */
    struct kn_wall_flux walls[KN_SIDES];
};

static double *cell(struct scene *s, int x, int y, int z)
{
    return s->fields + (size_t)((z * s->space.cells[1] + y) * s->space.cells[0] + x) * KN_FIELDS;
}

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53 - 0.5;
}

/* A box whose x and y sides are walls; z is uniform unless it has cells. */
static void set_box(struct scene *s, int nx, int ny, int nz)
{
    memset(s, 0, sizeof *s);
    kn_case_default(&s->c);
    const int cells[3] = {nx, ny, nz};
    for (int d = 0; d < 3; d++) {
        s->c.space.cells[d] = cells[d];
        s->c.space.size[d] = 1;
        s->c.space.stretch[d] = 1;
        s->c.space.cluster[d] = KN_CLUSTER_BOTH;
        for (int end = 0; end < 2; end++) {
            struct kn_wall *w = &s->c.walls[2 * d + end];
            memset(w, 0, sizeof *w);
            w->kind = cells[d] > 1 ? KN_WALL_DIFFUSE : KN_WALL_PERIODIC;
            w->accommodation = 1;
        }
    }
    s->c.gas.delta = 2;
    s->c.disturbance = 0;
    memset(&s->c.source, 0, sizeof s->c.source);
    s->c.output.average = -1;
}

static void build(struct scene *s)
{
    assert_int_equal(kn_space_create(&s->space, &s->c, NULL), KN_OK);
    assert_int_equal(kn_monitor_create(&s->m, &s->c, &s->space, &kn_comm_alone), KN_OK);
    s->fields = calloc((size_t)s->space.ncells * KN_FIELDS, sizeof *s->fields);
    assert_non_null(s->fields);
    for (int f = 0; f < s->space.nfaces; f++)
        s->walls[s->space.faces[f].side].wall = true;
}

static void drop(struct scene *s)
{
    free(s->fields);
    kn_monitor_destroy(&s->m);
    kn_space_destroy(&s->space);
}

static void take(struct scene *s, int64_t step, double time)
{
    assert_int_equal(kn_monitor_take(&s->m, step, time, s->fields, s->walls), KN_OK);
}

static bool has_column(const struct kn_monitor *m, const char *name)
{
    for (int i = 0; i < m->ncolumns; i++)
        if (strcmp(m->columns[i].name, name) == 0)
            return true;
    return false;
}

static int column(const struct kn_monitor *m, const char *name)
{
    for (int i = 0; i < m->ncolumns; i++)
        if (strcmp(m->columns[i].name, name) == 0)
            return i;
    fail_msg("no column %s", name);
    return -1;
}

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

/* A state with known moments of h must reproduce them. */
static void sums_invert_the_definitions(void **state)
{
    (void)state;
    struct scene s;
    uint64_t seed = 1;
    double mass = 0, energy = 0, momentum[3] = {0};
    set_box(&s, 5, 4, 3);
    s.c.disturbance = 0.3;
    s.c.space.stretch[0] = 0.8;
    build(&s);
    double eps = s.c.disturbance;
    for (int i = 0; i < s.space.ncells; i++) {
        double *q = s.fields + (size_t)i * KN_FIELDS, dv = s.space.volume[i];
        double h0 = noise(&seed), h2 = noise(&seed), h1[3], square = 0;
        mass += dv * h0;
        energy += dv * h2;
        q[KN_RHO] = h0;
        for (int d = 0; d < 3; d++) {
            h1[d] = noise(&seed);
            momentum[d] += dv * h1[d];
            q[KN_UX + d] = h1[d] / (1 + eps * h0);
            square += q[KN_UX + d] * q[KN_UX + d];
        }
        q[KN_THETA] = (2.0 / 3.0 * h2 - h0) / (1 + eps * h0) - 2.0 / 3.0 * eps * square;
    }
    take(&s, 0, 0);
    assert_near(s.m.row.mass, mass, 1e-12);
    assert_near(s.m.row.energy, energy, 1e-12);
    for (int d = 0; d < 3; d++)
        assert_near(s.m.row.momentum[d], momentum[d], 1e-12);
    drop(&s);
}

static void drift_is_relative_to_the_moved_mass(void **state)
{
    (void)state;
    struct scene s;
    set_box(&s, 2, 1, 1);
    build(&s);
    take(&s, 0, 0);
    assert_near(s.m.row.mass_drift, 0, 0);
    cell(&s, 0, 0, 0)[KN_RHO] = 3;
    cell(&s, 1, 0, 0)[KN_RHO] = -1;
    take(&s, 1, 0.1);
    assert_near(s.m.row.mass_drift, 0.5, 1e-15);
    drop(&s);
}

/* With an inflow, or a wall that oscillates along its normal, the mass is not constant. */
static void open_boxes_have_no_drift(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scene s;
        set_box(&s, 2, 1, 1);
        if (i == 0)
            s.c.walls[KN_RIGHT].kind = KN_WALL_INFLOW;
        else
            s.c.walls[KN_LEFT].oscillation.velocity[0] = 1;
        build(&s);
        cell(&s, 0, 0, 0)[KN_RHO] = 3;
        take(&s, 0, 0);
        take(&s, 1, 0.1);
        assert_true(isnan(s.m.row.mass_drift));
        for (int k = 0; k < s.m.ncolumns; k++)
            assert_string_not_equal(s.m.columns[k].name, "mass_drift");
        assert_string_equal(s.m.columns[8].name, "momentum_drift");
        drop(&s);
    }
}

static void residual_is_a_rate_and_starts_undefined(void **state)
{
    (void)state;
    struct scene s;
    set_box(&s, 2, 2, 1);
    build(&s);
    for (int i = 0; i < s.space.ncells; i++)
        s.fields[i * KN_FIELDS + KN_THETA] = 1;
    take(&s, 0, 0);
    assert_true(isnan(s.m.row.residual));
    for (int i = 0; i < s.space.ncells; i++)
        s.fields[i * KN_FIELDS + KN_THETA] = 2;
    take(&s, 10, 0.25);
    assert_near(s.m.row.residual, 0.5 / 0.25, 1e-15);
    assert_true(isnan(s.m.previous_residual));
    take(&s, 20, 0.5);
    assert_near(s.m.row.residual, 0, 0);
    assert_near(s.m.previous_residual, 2, 1e-15);
    drop(&s);
}

static void rest_has_no_residual(void **state)
{
    (void)state;
    struct scene s;
    set_box(&s, 2, 2, 1);
    build(&s);
    take(&s, 0, 0);
    take(&s, 1, 1);
    assert_near(s.m.row.residual, 0, 0);
    drop(&s);
}

/* u_x = y - 1/2 on the midline, of both signs on the two sides of it: the modulus is taken after the average
 * over the middle columns. */
static void cavity_quantities(void **state)
{
    (void)state;
    static const int shapes[][3] = {{4, 6, 1}, {5, 6, 1}, {4, 6, 4}, {5, 6, 3}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct scene s;
        set_box(&s, shapes[k][0], shapes[k][1], shapes[k][2]);
        s.c.walls[KN_TOP].velocity[0] = -2;
        s.c.space.stretch[0] = 0.9;
        s.c.space.stretch[1] = 0.7;
        build(&s);
        assert_true(has_column(&s.m, "D") && has_column(&s.m, "G"));
        double expected = 0, height = s.space.edges[1][6] - s.space.edges[1][0];
        for (int y = 0; y < 6; y++) {
            double dy = s.space.edges[1][y + 1] - s.space.edges[1][y], u = y - 2.4;
            expected += dy * fabs(u) / height / 2;
            for (int z = 0; z < s.space.cells[2]; z++)
                for (int x = 0; x < s.space.cells[0]; x++)
                    cell(&s, x, y, z)[KN_UX] = u + 10 * (2 * x - s.space.cells[0] + 1);
        }
        s.walls[KN_TOP].shear_magnitude = 0.7;
        take(&s, 1, 1);
        assert_near(s.m.row.drag, 0.35, 1e-15);
        assert_near(s.m.row.vortex_flow, expected, 1e-12);
        drop(&s);
    }
}

static void oscillating_lid_is_measured_in_its_amplitude(void **state)
{
    (void)state;
    struct scene s;
    set_box(&s, 4, 4, 1);
    s.c.walls[KN_TOP].oscillation.velocity[0] = 4;
    build(&s);
    s.walls[KN_TOP].shear_magnitude = 1;
    take(&s, 1, 1);
    assert_near(s.m.row.drag, 0.25, 1e-15);
    drop(&s);
}

static void columns_follow_the_case(void **state)
{
    (void)state;
    struct scene s;
    set_box(&s, 1, 8, 1); /* Couette flow: a moving wall, no cavity */
    s.c.walls[KN_TOP].velocity[0] = 1;
    build(&s);
    assert_false(has_column(&s.m, "D") || has_column(&s.m, "G") || has_column(&s.m, "G_P"));
    assert_true(has_column(&s.m, "top.stress_x") && has_column(&s.m, "bottom.mass_flux"));
    assert_false(has_column(&s.m, "left.stress_x") || has_column(&s.m, "front.heat_flux"));
    assert_string_equal(s.m.columns[0].name, "step");
    assert_string_equal(s.m.columns[1].name, "time");
    s.walls[KN_TOP].stress[0] = -0.25;
    s.walls[KN_TOP].heat_flux = 0.5;
    take(&s, 1, 1);
    assert_near(s.m.row.stress[KN_TOP][0], -0.25, 0);
    assert_near(s.m.row.heat_flux[KN_TOP], 0.5, 0);
    assert_true(isnan(s.m.row.stress[KN_LEFT][0]) && isnan(s.m.row.drag));
    drop(&s);
}

static void flow_rates_of_force_and_creep(void **state)
{
    (void)state;
    struct scene s;
    set_box(&s, 1, 4, 1);
    s.c.source.force[0] = 3;
    s.c.source.force[2] = 4;
    s.c.source.temperature_gradient[0] = -2;
    build(&s);
    assert_true(has_column(&s.m, "G_P") && has_column(&s.m, "G_T"));
    for (int y = 0; y < 4; y++) {
        cell(&s, 0, y, 0)[KN_UX] = y;
        cell(&s, 0, y, 0)[KN_UZ] = 2;
    }
    take(&s, 1, 1);
    assert_near(s.m.row.flow_force, (1.5 * 3 + 2 * 4) / 5 / (5 * 2), 1e-14);
    assert_near(s.m.row.flow_thermal, -2 * 1.5 / (2 * 2), 1e-14);
    drop(&s);
}

static void non_finite_values_are_named(void **state)
{
    (void)state;
    struct scene s;
    set_box(&s, 4, 3, 2);
    build(&s);
    take(&s, 0, 0);
    cell(&s, 1, 2, 1)[KN_THETA] = INFINITY;
    assert_int_equal(kn_monitor_take(&s.m, 40, 0.31, s.fields, s.walls), KN_ENUMERIC);
    assert_string_equal(kn_error_message(),
                        "non-finite theta in cell 21 (x 1, y 2, z 1) at step 40, t = 0.31");
    assert_int_equal(s.m.rows, 1);
    assert_near(s.m.row.step, 0, 0);
    cell(&s, 1, 2, 1)[KN_THETA] = 0;
    s.walls[KN_TOP].heat_flux = NAN;
    assert_int_equal(kn_monitor_take(&s.m, 40, 0.31, s.fields, s.walls), KN_ENUMERIC);
    assert_non_null(strstr(kn_error_message(), "through the top wall"));
    drop(&s);
}

static void averages_begin_when_asked(void **state)
{
    (void)state;
    struct scene s;
    set_box(&s, 2, 2, 1);
    s.c.walls[KN_TOP].velocity[0] = 1;
    s.c.output.average = 1;
    build(&s);
    const double values[] = {7, 7, 1, 2, 6}; /* rows at t = 0, 0.5, 1, 1.5, 2 */
    for (int i = 0; i < 5; i++) {
        s.walls[KN_TOP].shear_magnitude = values[i];
        cell(&s, 1, 1, 0)[KN_QX] = 2 * values[i];
        take(&s, i, 0.5 * i);
    }
    int d = column(&s.m, "D");
    assert_int_equal(s.m.averaged, 3);
    assert_near(s.m.mean[d], 3, 1e-15);
    assert_near(s.m.square[d], 14, 1e-14);
    assert_near(s.m.mean_fields[3 * KN_FIELDS + KN_QX], 6, 1e-14);
    assert_near(s.m.mean_fields[KN_QX], 0, 0);
    drop(&s);
}

/* A hundred rows of independent noise: the error of D is its deviation divided by ten. */
static void errors_where_there_is_noise(void **state)
{
    (void)state;
    static const struct {
        enum kn_method method;
        double disturbance;
        bool noisy;
    } rows[] = {{KN_METHOD_MONTE_CARLO, 0, true},
                {KN_METHOD_OPERATOR, 0.1, true},
                {KN_METHOD_OPERATOR, 0, false},
                {KN_METHOD_BGK, 0.1, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct scene s;
        uint64_t seed = 5;
        set_box(&s, 2, 2, 1);
        s.c.collision.method = rows[k].method;
        s.c.disturbance = rows[k].disturbance;
        s.c.walls[KN_TOP].velocity[0] = 1;
        s.c.output.average = 0;
        build(&s);
        int d = column(&s.m, "D");
        for (int i = 1; i <= 100; i++) {
            s.walls[KN_TOP].shear_magnitude = 0.6 + noise(&seed);
            take(&s, i, i);
            if (i < 20)
                assert_true(isnan(kn_monitor_error(&s.m, d)));
        }
        double error = kn_monitor_error(&s.m, d), plain = sqrt(s.m.square[d] / 99) / 10;
        assert_true(rows[k].noisy ? error > 0.99 * plain && error < 1.3 * plain : isnan(error));
        assert_int_equal(kn_monitor_headline(&s.m), d);
        drop(&s);
    }
}

static void headline_of_plates(void **state)
{
    (void)state;
    struct scene s;
    set_box(&s, 1, 8, 1);
    build(&s);
    take(&s, 1, 1);
    assert_int_equal(kn_monitor_headline(&s.m), -1);
    s.walls[KN_TOP].stress[0] = -0.25;
    s.walls[KN_BOTTOM].heat_flux = 0.125;
    s.walls[KN_BOTTOM].mass_flux = 1;
    take(&s, 2, 2);
    assert_int_equal(kn_monitor_headline(&s.m), column(&s.m, "top.stress_x"));
    drop(&s);
}

static void window_by_default(void **state)
{
    (void)state;
    struct kn_case c;
    kn_case_default(&c);
    c.collision.method = KN_METHOD_MONTE_CARLO;
    c.time.end = 8;
    assert_near(kn_monitor_window(&c), 4, 0);
    c.output.average = 3;
    assert_near(kn_monitor_window(&c), 3, 0);
    c.output.average = KN_AVERAGE_AUTO;
    c.walls[KN_LEFT].oscillation.frequency = 1;
    assert_true(kn_monitor_window(&c) < 0);
    c.walls[KN_LEFT].oscillation.frequency = 0;
    c.initial.shape = KN_SHAPE_SHEAR;
    assert_true(kn_monitor_window(&c) < 0);
    c.initial.shape = KN_SHAPE_REST;
    c.collision.method = KN_METHOD_SHAKHOV;
    assert_true(kn_monitor_window(&c) < 0);
}

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
        3 + 3 * (s.m.judged + 1) + 3 * s.m.ncolumns; /* rows, averaged, step; length, count, begun */
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
    s->c.run.threads = threads;
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
        cmocka_unit_test(sums_invert_the_definitions),
        cmocka_unit_test(drift_is_relative_to_the_moved_mass),
        cmocka_unit_test(open_boxes_have_no_drift),
        cmocka_unit_test(residual_is_a_rate_and_starts_undefined),
        cmocka_unit_test(rest_has_no_residual),
        cmocka_unit_test(cavity_quantities),
        cmocka_unit_test(oscillating_lid_is_measured_in_its_amplitude),
        cmocka_unit_test(columns_follow_the_case),
        cmocka_unit_test(flow_rates_of_force_and_creep),
        cmocka_unit_test(non_finite_values_are_named),
        cmocka_unit_test(averages_begin_when_asked),
        cmocka_unit_test(errors_where_there_is_noise),
        cmocka_unit_test(headline_of_plates),
        cmocka_unit_test(window_by_default),
        cmocka_unit_test(restart_is_exact),
        cmocka_unit_test(restart_refuses_damage),
        cmocka_unit_test(restart_refuses_and_begins_anew),
        cmocka_unit_test(rows_do_not_depend_on_who_sums),
        cmocka_unit_test(boxes_name_cells_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
