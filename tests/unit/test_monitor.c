/* The row of the history: every sum and quantity compared with a value computed by hand. */
#include "monitored_box.h"

#include "monitor/sums.h"

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
                {KN_METHOD_OPERATOR, 0.1, false},
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

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
