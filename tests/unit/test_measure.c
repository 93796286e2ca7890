/* Quantities taken from made-up records, whose answers are exact. */
#include "expect.h"

#include "fit.h"
#include "measure.h"

#include <string.h>

enum { ROWS = 401, CELLS = 200 };

static const struct kn_column columns[] = {{"time", "", 0},
                                           {"right.stress_y", "", offsetof(struct kn_row, stress)},
                                           {"average.Pxy", "", offsetof(struct kn_row, average)}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static double history[ROWS][COLUMNS], waves[ROWS][KN_RECORD_WAVES], mean[COLUMNS], error[COLUMNS];
static double edges[3][CELLS + 1], fields[CELLS][KN_FIELDS], before[CELLS][KN_FIELDS],
    swing[2][CELLS][KN_FIELDS][2], parts[KN_RECORD_PARTS][CELLS][KN_FIELDS];

/* A gas of length 40 lambda0 in 200 cells along x, delta 20, rows from t = 0 to 100. */
static struct kn_record blank(void)
{
    struct kn_record r = {.ncolumns = COLUMNS,
                          .columns = (struct kn_column *)columns,
                          .rows = ROWS,
                          .history = &history[0][0],
                          .waves = &waves[0][0],
                          .mean = mean,
                          .error = error,
                          .cells = {CELLS, 1, 1},
                          .ncells = CELLS,
                          .edges = {edges[0], edges[1], edges[2]},
                          .fields = &fields[0][0],
                          .before = &before[0][0]};
    kn_case_default(&r.c);
    r.c.gas.delta = 20;
    memset(fields, 0, sizeof fields);
    memset(before, 0, sizeof before);
    memset(history, 0, sizeof history);
    for (int i = 0; i <= CELLS; i++)
        edges[0][i] = 0.2 * i;
    edges[1][1] = edges[2][1] = 1;
    for (int i = 0; i < ROWS; i++)
        history[i][0] = 0.25 * i;
    return r;
}

static double place(int cell)
{
    return 0.2 * cell + 0.1;
}

static struct kn_measure take(const struct kn_record *r, const char *quantity)
{
    struct kn_measure m = {0};
    if (kn_measure_take(r, quantity, &m) != KN_OK)
        fail_msg("%s: %s", quantity, kn_error_message());
    return m;
}

static void last_values_and_averages(void **state)
{
    (void)state;
    struct kn_record r = blank();
    for (int i = 0; i < ROWS; i++)
        history[i][1] = 2 - exp(-history[i][0] / 20);
    struct kn_measure m = take(&r, "-right.stress_y");
    expect_near("last value", m.value, -2 + exp(-5), 1e-12);
    expect_near("unsteadiness", m.unsteady, exp(-3.75) - exp(-5), 1e-12);
    expect_near("no noise", m.statistical, 0, 0);
    r.averaged = true;
    r.parts = 1;
    mean[1] = 3;
    error[1] = 0.25;
    m = take(&r, "right.stress_y");
    expect_near("average", m.value, 3, 0);
    expect_near("its error", m.statistical, 0.25, 0);
    expect_near("averages are steady", m.unsteady, 0, 0);
}

static void values_at_a_time(void **state)
{
    (void)state;
    struct kn_record r = blank();
    for (int i = 0; i < ROWS; i++) {
        const double t = history[i][0];
        history[i][2] = 4 + t * (1 + t * (0.5 + 0.01 * t)); /* a cubic is interpolated exactly */
    }
    expect_near("at a row", take(&r, "average.Pxy=50").value, 4 + 50 + 1250 + 1250, 1e-9);
    expect_near("between rows", take(&r, "average.Pxy=0.1").value, 4.10501, 1e-12);
    expect_near("share", take(&r, "average.Pxy@99.9").value, (4 + 99.9 * (1 + 99.9 * (0.5 + 0.999))) / 4,
                1e-8);
}

static void swings(void **state)
{
    (void)state;
    struct kn_record r = blank();
    const double w = 0.2;
    r.frequency = w;
    r.window[0] = 40;
    r.window[1] = 100;
    for (int s = 0; s < 2; s++)
        r.swing[s] = &swing[s][0][0][0];
    for (int i = 0; i < ROWS; i++)
        history[i][1] = 0.5 + 0.3 * cos(w * history[i][0] + 0.7);
    for (int i = 0; i < CELLS; i++) /* e^(-0.05 x) cos(w t - 1.5 x) */
        for (int s = 0; s < 2; s++) {
            swing[s][i][KN_UX][0] = exp(-0.05 * place(i)) * cos(1.5 * place(i));
            swing[s][i][KN_UX][1] = exp(-0.05 * place(i)) * sin(1.5 * place(i));
        }
    expect_near("amplitude", take(&r, "right.stress_y.amplitude").value, 0.3, 1e-12);
    expect_near("phase", take(&r, "-right.stress_y.phase").value, 0.7 - M_PI, 1e-12);
    expect_near("steady", take(&r, "right.stress_y.amplitude").unsteady, 0, 1e-12);
    r.step = 0.1; /* what passes through a wall is half a step old */
    expect_near("phase of a flux", take(&r, "right.stress_y.phase").value, 0.7 + 0.05 * w, 1e-12);
    expect_near("flux at a time", take(&r, "right.stress_y=49.95").value, 0.5 + 0.3 * cos(w * 50 + 0.7),
                1e-12);
    expect_near("wavenumber", take(&r, "ux.wavenumber").value, 1.5, 1e-9);
    expect_near("attenuation", take(&r, "ux.attenuation").value, 0.05, 1e-9);
    expect_near("amplitude at a place", take(&r, "ux(0.505).amplitude").value, exp(-0.505), 1e-12);
    expect_near("phase at a place", take(&r, "ux(0.005).phase").value, -0.15, 1e-12);
}

/* x in L = 20 lambda0: the box is 2 L long. */
static void profiles(void **state)
{
    (void)state;
    struct kn_record r = blank();
    r.c.walls[KN_LEFT].temperature = 0.5;
    for (int i = 0; i < CELLS; i++) {
        fields[i][KN_UY] = 3 + 2 * place(i);
        fields[i][KN_THETA] = 0.5 + 0.1 * (place(i) + 1.9) - 0.05 * exp(-place(i) / 0.2);
    }
    expect_near("inside", take(&r, "uy(1)").value, 43, 1e-9);
    expect_near("at the wall", take(&r, "uy(0)").value, 3, 1e-9);
    expect_near("at the other", take(&r, "-uy(2)").value, -83, 1e-9);
    expect_near("unsteady", take(&r, "uy(1)").unsteady, 43, 1e-9);
    memcpy(before, fields, sizeof before);
    expect_near("jump", take(&r, "theta.slip").value, 1.9, 1e-9);
    expect_near("far", take(&r, "uy.far").value, 3 + 2 * 22, 1e-9);
    r.averaged = true;
    r.parts = 4; /* 0, 1, 2, 3: mean 1.5, standard error sqrt(5/3)/2 */
    for (int p = 0; p < 4; p++) {
        r.part[p] = &parts[p][0][0];
        for (int i = 0; i < CELLS; i++)
            parts[p][i][KN_UY] = p;
    }
    expect_near("scatter of parts", take(&r, "uy(1)").statistical, sqrt(5.0 / 3) / 2, 1e-12);
}

static void plane_places(void **state)
{
    (void)state;
    struct kn_record r = blank();
    r.cells[0] = 10;
    r.cells[1] = 20;
    for (int i = 0; i <= 10; i++)
        edges[0][i] = 2.0 * i;
    for (int j = 0; j <= 20; j++)
        edges[1][j] = 1.0 * j;
    for (int i = 0; i < CELLS; i++)
        fields[i][KN_UX] = (i % 10 + 0.5) * 2 + 100 * (floor(i / 10.0) + 0.5);
    expect_near("x and y", take(&r, "ux(0.5;0.3)").value, 10 + 600, 1e-9);
    expect_near("in a corner", take(&r, "ux(1;1)").value, 20 + 2000, 1e-9);
    expect_near("y in the middle", take(&r, "ux(0.1)").value, 2 + 1000, 1e-9);
    edges[1][1] = 1;
}

static void decaying_waves(void **state)
{
    (void)state;
    struct kn_record r = blank();
    for (int i = 0; i < ROWS; i++) {
        const double t = history[i][0];
        waves[i][KN_UY] = 0.2 * exp(-0.03 * t) + exp(-0.9 * t);
        waves[i][KN_THETA] = exp(-0.02 * t) + 0.7 * exp(-0.015 * t) * cos(0.2 * t + 1) + exp(-0.9 * t);
    }
    expect_near("decay", take(&r, "uy.decay").value, 0.03, 1e-12);
    expect_near("thermal mode", take(&r, "theta.heat").value, 0.02, 1e-9);
    expect_near("damping of sound", take(&r, "theta.damping").value, 0.015, 1e-9);
    expect_near("frequency of sound", take(&r, "theta.frequency").value, 0.2, 1e-9);
}

static void shocks(void **state)
{
    (void)state;
    struct kn_record r = blank();
    uint64_t seed = 7;
    for (int i = 0; i < CELLS; i++) { /* n* = (1 + tanh)/2 */
        fields[i][KN_RHO] = 1 + 2 * (1 + tanh((place(i) - 20.03) / 4)) / 2;
        fields[i][KN_THETA] = 1 + tanh((place(i) - 18.5) / 4);
    }
    memcpy(before, fields, sizeof before);
    expect_relative("thickness", take(&r, "rho.thickness").value, 0.125, 1e-3); /* 20 lambda0 are e^-10 */
    expect_near("lead", take(&r, "theta.lead").value, 1.53, 2e-3);
    expect_near("profile", take(&r, "theta.profile(-2)").value, (1 + tanh((18.03 - 18.5) / 4)) / 2, 1e-3);
    for (int i = 0; i < CELLS; i++)
        fields[i][KN_RHO] += 0.01 * expect_random(&seed);
    expect_relative("thickness with noise", take(&r, "rho.thickness").value, 0.125, 0.03);
}

static void what_is_no_quantity(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "-",
                                      "drag",
                                      "uy.slope",
                                      "speed(0.5)",
                                      "uy()",
                                      "uy(1;2;3;4)",
                                      "uy(1",
                                      "uy(1)x",
                                      "average.Pxy@",
                                      "average.Pxy=-1",
                                      "right.stress_y.decay",
                                      "G_P(1)",
                                      "rho.profile(1;2)",
                                      "time@a"};
    struct kn_record r = blank();
    struct kn_measure m;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (kn_measure_check(bad[i]) != KN_EINPUT)
            fail_msg("'%s' was taken for a quantity", bad[i]);
    assert_int_equal(kn_measure_check("D"), KN_OK);
    assert_int_equal(kn_measure_take(&r, "D", &m), KN_EINPUT); /* this record has no such column */
    assert_int_equal(kn_measure_take(&r, "right.stress_y.phase", &m), KN_EINPUT); /* nothing swings */
    assert_int_equal(kn_measure_take(&r, "average.Pxy=101", &m), KN_EINPUT);      /* after the end */
}

/* A case that is run: the rows are those of the monitor, and the wave decays. */
static void a_run(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_record r;
    static const char *const settings[] = {
        "collision.method=bgk",      "space.cells=16", "walls.left.kind=periodic",
        "walls.right.kind=periodic", "gas.delta=20",   "initial.shape=shear",
        "initial.wave=[1,0,0]",      "time.end=30",    "velocity.nodes=8"};
    kn_case_default(&c);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(kn_case_set(&c, settings[i]), KN_OK);
    assert_int_equal(kn_record_make(&r, &c, NULL), KN_OK);
    expect_near("time of the last row", take(&r, "time").value, 30, 1e-9);
    expect_near("amplitude at first", r.waves[KN_UY], 1, 0.02); /* of cell averages */
    expect_relative("decay", take(&r, "uy.decay").value, 0.5 * pow(2 * M_PI / 20, 2),
                    0.05); /* theory: kappa^2/2 */
    kn_record_destroy(&r);
}

static bool hear_enough(void *to, double part)
{
    (void)to;
    return part < 0.5;
}

static void a_run_that_is_interrupted(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_record r;
    const struct kn_listener listener = {hear_enough, NULL};
    kn_case_default(&c);
    kn_case_set(&c, "collision.method=bgk");
    kn_case_set(&c, "velocity.nodes=6");
    kn_case_set(&c, "space.cells=8");
    assert_int_equal(kn_record_make(&r, &c, &listener), KN_EINTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_values_and_averages),
        cmocka_unit_test(values_at_a_time),
        cmocka_unit_test(swings),
        cmocka_unit_test(profiles),
        cmocka_unit_test(plane_places),
        cmocka_unit_test(decaying_waves),
        cmocka_unit_test(shocks),
        cmocka_unit_test(what_is_no_quantity),
        cmocka_unit_test(a_run),
        cmocka_unit_test(a_run_that_is_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
