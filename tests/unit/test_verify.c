/* How errors are shared and results judged, and what the coarser runs are. */
#include "expect.h"

#include "verify/coarsen.h"
#include "verify/verify_judge.h"

/* A result of value, error in space and error in velocity. */
static struct kn_verify_result result(const struct kn_reference_row *row, double value, double space,
                                      double velocity)
{
    return (struct kn_verify_result){.reference = row, .value = value, .space = space, .velocity = velocity};
}

static struct kn_reference_row row(const char *quantity)
{
    return (struct kn_reference_row){
        .quantity = quantity, .bar = NAN, .source = "somebody", .conditions = "", .settings = ""};
}

static void points_of_a_profile_share_the_largest(void **state)
{
    (void)state;
    const struct kn_reference_row rows[] = {row("ux(0.1)"),    row("-ux(0.5;0.2)"),   row("uy(0.1)"),
                                            row("ux(0.1)=2"),  row("ux(0.2).phase"),  row("ux.far"),
                                            row("average.ux"), row("rho.profile(1)"), row("rho.profile(-1)"),
                                            row("rho(0.2)=2")};
    enum { ROWS = sizeof rows / sizeof *rows };
    struct kn_verify_result r[ROWS];
    for (int i = 0; i < ROWS; i++)
        r[i] = result(&rows[i], 1, i + 1, 20 - i);
    kn_verify_judge(r, ROWS);
    const double space[ROWS] = {2, 2, 3, 4, 5, 6, 7, 9, 9, 10};
    for (int i = 0; i < ROWS; i++) {
        expect_near(rows[i].quantity, r[i].space, space[i], 0);
        expect_near(rows[i].quantity, r[i].velocity, i == 1 ? 20 : i == 8 ? 13 : 20 - i, 0);
    }
}

/* An amplitude of 4 with an error of 0.2 is a phase with one of 0.05. */
static void amplitude_and_phase_share_relative_errors(void **state)
{
    (void)state;
    const struct kn_reference_row rows[] = {row("-left.stress_y.amplitude"), row("-left.stress_y.phase"),
                                            row("right.stress_y.phase"), row("left.stress_y.rate")};
    struct kn_verify_result r[] = {result(&rows[0], 4, 0.2, 0.01), result(&rows[1], -3, 0.01, 0.1),
                                   result(&rows[2], -3, 0.003, 0.004), result(&rows[3], 1, 0.005, 0.006)};
    kn_verify_judge(r, 4);
    expect_near("amplitude, space", r[0].space, 0.2, 1e-15);
    expect_near("amplitude, velocity", r[0].velocity, 0.4, 1e-15);
    expect_near("phase, space", r[1].space, 0.05, 1e-15);
    expect_near("phase, velocity", r[1].velocity, 0.1, 1e-15);
    expect_near("another signal", r[2].space + r[2].velocity, 0.007, 1e-15);
    expect_near("something else of the signal", r[3].space + r[3].velocity, 0.011, 1e-15);
}

/* At places: amplitudes with amplitudes, phases with phases, and those of one place with each other, in
 * whatever order they come. */
static void swings_at_places(void **state)
{
    (void)state;
    const struct kn_reference_row rows[] = {row("ux(0.1).amplitude"), row("ux(0.1).phase"),
                                            row("ux(0.2).amplitude"), row("ux(0.2).phase")};
    static const double values[] = {2, 0.5, 1, 1.5}, errors[] = {0.02, 0, 0.04, 0.001};
    for (int first = 0; first < 4; first++) {
        struct kn_verify_result r[4];
        for (int i = 0; i < 4; i++) {
            const int k = (i + first) % 4;
            r[i] = result(&rows[k], values[k], errors[k], 0);
        }
        kn_verify_judge(r, 4);
        for (int i = 0; i < 4; i++) /* 0.02 / 2 and 0.04 / 1 are the phases; the largest of each */
            expect_near(r[i].reference->quantity, r[i].space, 0.04, 1e-15);
    }
}

/* Of a deviation, where a bar is claimed, NaN: none, and with this error in space. */
static struct kn_verify_result judged(double deviation, double bar, double space)
{
    static struct kn_reference_row known;
    known = row("D");
    known.uncertainty = 0.01;
    known.bar = bar;
    struct kn_verify_result r = result(&known, 1, space, 0.04);
    r.unsteady = 0.08;
    r.rounding = 0.16;
    r.statistical = 0.1;
    r.deviation = deviation;
    kn_verify_judge(&r, 1);
    return r;
}

static void the_verdict(void **state)
{
    (void)state;
    expect_near("tolerance", judged(0, NAN, 0.02).tolerance, 0.61, 1e-12);
    assert_true(judged(-0.6, NAN, 0.02).pass);
    assert_false(judged(0.62, NAN, 0.02).pass);
    assert_false(judged(0.5, 0.4, 0.02).pass); /* what is claimed is less than what the errors allow */
    assert_true(judged(-0.5, 0.5, 0.02).pass);
    assert_false(judged(0.62, 1, 0.02).pass);
    assert_false(judged(NAN, NAN, 0.02).pass);
    assert_false(judged(0, NAN, NAN).pass);
}

static void full_rows_supersede_quick_ones(void **state)
{
    (void)state;
    struct kn_reference_row rows[] = {row("D"), row("D"), row("G"), row("D")};
    const struct kn_reference f = {.rows = 4, .row = rows};
    rows[0].check = rows[2].check = KN_CHECK_QUICK;
    rows[1].check = KN_CHECK_FULL;
    rows[1].settings = "velocity.nodes=12"; /* how it is run does not matter */
    assert_true(kn_verify_is_superseded(&f, &rows[0]));
    assert_false(kn_verify_is_superseded(&f, &rows[2]));
    rows[1].conditions = "delta 1";
    assert_false(kn_verify_is_superseded(&f, &rows[0]));
    rows[1].conditions = "";
    rows[1].source = "somebody else";
    assert_false(kn_verify_is_superseded(&f, &rows[0]));
    rows[1].check = KN_CHECK_NEVER;
    rows[1].source = "somebody";
    assert_false(kn_verify_is_superseded(&f, &rows[0]));
}

static void coarser_grids(void **state)
{
    (void)state;
    struct kn_case c;
    expect_case(&c, "space.cells=[41,3] space.stretch=[0.9,1] velocity.nodes=[16,8,6] output.history=5");
    kn_coarsen_space(&c);
    assert_true(c.space.cells[0] == 21 && c.space.cells[1] == 3 && c.output.history == 2);
    expect_near("stretch", c.space.stretch[0], 0.81, 1e-12);
    expect_near("the step follows from the cells", c.time.step, 0, 0);
    assert_true(kn_coarsen_velocity(&c));
    assert_true(c.velocity.nodes[0] == 12 && c.velocity.nodes[1] == 6 && c.velocity.nodes[2] == 6);
    expect_set(&c, "velocity.nodes=6");
    assert_false(kn_coarsen_velocity(&c));
}

/* Also where the step was not given: 0.2 of the Courant number, 0.5, of a mean time between collisions. */
static void a_uniform_gas_has_longer_steps(void **state)
{
    (void)state;
    static const char uniform[] = "space.cells=1 walls.left.kind=periodic walls.right.kind=periodic "
                                  "initial.shape=stress collision.method=bgk time.end=3";
    struct kn_case c;
    expect_case(&c, uniform);
    kn_coarsen_space(&c);
    expect_near("chosen", c.time.step, 0.2, 1e-12);
    expect_case(&c, uniform);
    expect_set(&c, "time.step=0.01");
    kn_coarsen_space(&c);
    expect_near("given", c.time.step, 0.02, 1e-12);
}

/* A check without a bar whose tolerance is above a tenth of the value says nothing. */
static void coarse_checks_are_open(void **state)
{
    (void)state;
    struct kn_reference_row rows[] = {row("D"), row("D"), row("D"), row("ux(0.1)"), row("ux(0.9)")};
    const double value[] = {1, 1, 1, 0.001, 1}, error[] = {0.09, 0.11, 0.11, 0.05, 0.05};
    struct kn_verify_result r[5];
    for (int i = 0; i < 5; i++) {
        rows[i].value = value[i];
        rows[i].bar = i == 2 ? 0.01 : NAN;
        r[i] = result(&rows[i], value[i], error[i], 0);
    }
    kn_verify_judge(r, 5);
    const bool open[] = {false, true, false, false, false};
    for (int i = 0; i < 5; i++) {
        assert_true(r[i].pass);
        assert_int_equal(r[i].open, open[i]);
    }
    r[1].deviation = 0.2;
    kn_verify_judge(r, 5);
    assert_true(!r[1].pass && !r[1].open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_checks_are_open),
        cmocka_unit_test(points_of_a_profile_share_the_largest),
        cmocka_unit_test(amplitude_and_phase_share_relative_errors),
        cmocka_unit_test(swings_at_places),
        cmocka_unit_test(the_verdict),
        cmocka_unit_test(full_rows_supersede_quick_ones),
        cmocka_unit_test(coarser_grids),
        cmocka_unit_test(a_uniform_gas_has_longer_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
