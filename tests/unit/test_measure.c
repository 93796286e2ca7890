/* Quantities taken from made-up records, whose answers are exact. */
#include "expect.h"

#include "monitor/fit.h"
#include "verify/measure.h"

#include <string.h>

enum { ROWS = 401, CELLS = 200 };

static const struct kn_column columns[] = {
    {.name = "time", .unit = ""},
    {.name = "right.stress_y", .unit = "", .offset = offsetof(struct kn_row, stress)},
    {.name = "average.Pxy", .unit = "", .offset = offsetof(struct kn_row, average)},
    {.name = "front", .unit = ""},
    {.name = "fourth", .unit = ""},
};
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

/* The record must not end there: nothing is known of what comes after. */
static void values_of_few_rows(void **state)
{
    (void)state;
    struct kn_record r = blank();
    struct kn_measure m;
    r.rows = 3;
    history[2][2] = 7;
    expect_near("at a row", take(&r, "average.Pxy=0.5").value, 7, 0);
    assert_int_equal(kn_measure_take(&r, "average.Pxy=0.4", &m), KN_ENUMERIC); /* a cubic has four */
}

/* A line whose slope is 3 until t = 30, 2 after that: the second half has the latter, that of what had been
 * seen at t = 75 a bit of the former. */
static void rates(void **state)
{
    (void)state;
    struct kn_record r = blank();
    struct kn_measure m;
    for (int i = 0; i < ROWS; i++) {
        const double t = history[i][0];
        history[i][3] = t < 30 ? 3 * t : 90 + 2 * (t - 30);
        history[i][1] = t < 40 ? t : 40;
        history[i][4] = exp(-t);
    }
    m = take(&r, "front.rate");
    expect_near("rate", m.value, 2, 1e-10);
    expect_near("steady", m.unsteady, 0, 1e-10);
    expect_near("no noise", m.statistical, 0, 0);
    expect_near("with a minus", take(&r, "-front.rate").value, -2, 1e-10);
    m = take(&r, "right.stress_y.rate");
    expect_near("it has stopped", m.value, 0, 1e-10);
    assert_true(m.unsteady > 1e-3); /* at 75 it saw 37.5 to 40 */
    r.averaged = true;              /* a rate is none of the averages */
    r.parts = 1;
    r.before = NULL;
    mean[3] = 100;
    error[3] = 0.5;
    expect_near("beside averages", take(&r, "front.rate").value, 2, 1e-10);
    expect_near("mean place", take(&r, "front").value, 100, 0);
    expect_near("its error", take(&r, "front").statistical, 0.5, 0);
    expect_near("share of the first", take(&r, "fourth@2").value, exp(-2), 1e-12);
    expect_near("value", take(&r, "fourth=0.5").value, exp(-0.5), 1e-12);
    history[ROWS - 10][3] = NAN; /* a front that gets lost has no rate, and no mean if it is never seen */
    mean[3] = NAN;
    assert_int_equal(kn_measure_take(&r, "front.rate", &m), KN_ENUMERIC);
    assert_int_equal(kn_measure_take(&r, "front", &m), KN_ENUMERIC);
    mean[3] = error[3] = 0;
}

static void fields_at_the_end(void **state)
{
    (void)state;
    struct kn_record r = blank();
    struct kn_measure m;
    for (int i = 0; i < CELLS; i++)
        fields[i][KN_UY] = 3 + 2 * place(i);
    m = take(&r, "-uy(1)=100");
    expect_near("value", m.value, -43, 1e-9);
    expect_near("a change is no error", m.unsteady + m.statistical, 0, 0);
    assert_int_equal(kn_measure_take(&r, "uy(1)=99.9", &m), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "at the end of the run only, t = 100"));
    r.averaged = true;
    r.before = NULL;
    assert_int_equal(kn_measure_take(&r, "uy(1)=100", &m), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "averages"));
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
    r.averaged = true; /* then there are no fields of before, which a swing does not need */
    r.before = NULL;
    expect_near("wavenumber beside averages", take(&r, "ux.wavenumber").value, 1.5, 1e-9);
    expect_near("attenuation beside averages", take(&r, "ux.attenuation").value, 0.05, 1e-9);
    expect_near("amplitude beside averages", take(&r, "ux(0.505).amplitude").value, exp(-0.505), 1e-12);
    for (int i = 0; i < CELLS; i++) /* the earlier fit saw another wave */
        for (int k = 0; k < 2; k++)
            swing[1][i][KN_UX][k] = exp(-0.06 * place(i)) * (k ? sin(1.4 * place(i)) : cos(1.4 * place(i)));
    expect_near("wavenumber that changes", take(&r, "ux.wavenumber").unsteady, 0.1, 1e-9);
    expect_near("attenuation that changes", take(&r, "ux.attenuation").unsteady, 0.01, 1e-9);
    struct kn_measure m;
    r.swing[0] = r.swing[1] = NULL; /* nothing swings */
    assert_int_equal(kn_measure_take(&r, "ux.wavenumber", &m), KN_ENUMERIC);
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
    struct kn_measure m;
    r.parts = 1; /* noise that cannot be told */
    assert_int_equal(kn_measure_take(&r, "uy(1)", &m), KN_EINPUT);
    r.parts = 0; /* none */
    expect_near("no noise", take(&r, "uy(1)").statistical, 0, 0);
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

/* Between inflows a profile is measured from one to the other, not between what the ends happen to be: here
 * 0.1 and 2.9 of a rise from 0 to 3. */
static void shocks_between_inflows(void **state)
{
    (void)state;
    struct kn_record r = blank();
    for (int i = 0; i < CELLS; i++) {
        fields[i][KN_RHO] = 1.5 + 1.4 * tanh((place(i) - 21) / 4);
        fields[i][KN_UX] = 2 - tanh((place(i) - 20) / 4);
    }
    memcpy(before, fields, sizeof before);
    const double rise = take(&r, "rho.thickness").value;
    expect_relative("between the ends", rise, 0.125, 1e-3);
    expect_set(&r.c, "space.cells=200 initial.shape=between walls.left.kind=inflow walls.right.kind=inflow "
                     "walls.left.density=0 walls.right.density=3 walls.left.velocity=[3,0,0] "
                     "walls.right.velocity=[1,0,0]");
    expect_relative("between the inflows", take(&r, "rho.thickness").value, 0.125 * 2.8 / 3, 1e-3);
    expect_near("profile", take(&r, "rho.profile(4)").value, 0.5 + 1.4 / 3 * tanh(1), 1e-3);
    expect_relative("of one that falls", take(&r, "ux.thickness").value, 0.125, 1e-3);
    expect_near("lead", take(&r, "ux.lead").value, 1, 2e-3);
    struct kn_measure m; /* nothing rises from one temperature to the same */
    assert_int_equal(kn_measure_take(&r, "theta.thickness", &m), KN_ENUMERIC);
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
                                      "rho.profile(1)=2",
                                      "uy(1)=",
                                      "uy(1)=-2",
                                      "uy(1)=2.phase",
                                      "uy.rate",
                                      "front.slip",
                                      "time@a"};
    struct kn_record r = blank();
    struct kn_measure m;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (kn_measure_check(bad[i]) != KN_EINPUT)
            fail_msg("'%s' was taken for a quantity", bad[i]);
    assert_int_equal(kn_measure_check("D"), KN_OK);
    assert_int_equal(kn_measure_take(&r, "D", &m), KN_EINPUT); /* this record has no such column */
    assert_int_equal(kn_measure_take(&r, "right.stress_y.phase", &m), KN_ENUMERIC); /* nothing swings */
    assert_int_equal(kn_measure_take(&r, "average.Pxy=101", &m), KN_ENUMERIC);      /* after the end */
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
    const struct kn_listener listener = {.hear = hear_enough};
    kn_case_default(&c);
    kn_case_set(&c, "collision.method=bgk");
    kn_case_set(&c, "velocity.nodes=6");
    kn_case_set(&c, "space.cells=8");
    kn_case_set(&c, "time.end=10");
    assert_int_equal(kn_record_make(&r, &c, &listener), KN_EINTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_values_and_averages),
        cmocka_unit_test(values_at_a_time),
        cmocka_unit_test(values_of_few_rows),
        cmocka_unit_test(rates),
        cmocka_unit_test(fields_at_the_end),
        cmocka_unit_test(swings),
        cmocka_unit_test(profiles),
        cmocka_unit_test(plane_places),
        cmocka_unit_test(decaying_waves),
        cmocka_unit_test(shocks),
        cmocka_unit_test(shocks_between_inflows),
        cmocka_unit_test(what_is_no_quantity),
        cmocka_unit_test(a_run),
        cmocka_unit_test(a_run_that_is_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
