/* Fronts between two inflows: where they are, and how a record looks at them. */
#include "expect.h"

#include "verify/front.h"
#include "verify/measure.h"

enum { CELLS = 80 };

static double edges[3][CELLS + 1], fields[CELLS][KN_FIELDS], moved[CELLS][KN_FIELDS];

/* 40 lambda0 in cells of 0.5; density 1 comes in from the left, 3 from the right. */
static struct kn_record blank(void)
{
    struct kn_record r = {.cells = {CELLS, 1, 1},
                          .ncells = CELLS,
                          .edges = {edges[0], edges[1], edges[2]},
                          .fields = &fields[0][0]};
    kn_case_default(&r.c);
    expect_set(&r.c, "space.cells=80 gas.delta=40 initial.shape=between walls.left.kind=inflow "
                     "walls.right.kind=inflow walls.left.density=1 walls.right.density=3");
    memset(fields, 0, sizeof fields);
    memset(moved, 0, sizeof moved);
    for (int i = 0; i <= CELLS; i++)
        edges[0][i] = 0.5 * i;
    return r;
}

static double place(int cell)
{
    return 0.5 * cell + 0.25;
}

static double ramp(double x)
{
    return fmin(fmax(x, -1), 1);
}

static double centre(const struct kn_record *r)
{
    return kn_front_centre(r, &fields[0][0], &moved[0][0]);
}

static void what_is_a_front(void **state)
{
    (void)state;
    static const char *const not [] = {"initial.shape=rest", "walls.left.kind=diffuse walls.left.density=0",
                                       "walls.right.density=1", "space.cells=[80,4]", "space.cells=[80,4,2]"};
    struct kn_record r = blank();
    assert_true(kn_front_is(&r.c));
    expect_set(&r.c, "walls.left.density=3 walls.right.density=1");
    assert_true(kn_front_is(&r.c));
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++) {
        r = blank();
        expect_set(&r.c, not [i]);
        if (kn_front_is(&r.c))
            fail_msg("%s makes a front", not [i]);
    }
}

/* A ramp 16 lambda0 wide about 13.6: straight lines between centres are exact on it, and on what moves along.
 */
static void a_ramp(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct kn_record r = blank();
        r.c.walls[KN_LEFT].density = 2 - sign;
        r.c.walls[KN_RIGHT].density = 2 + sign;
        for (int i = 0; i < CELLS; i++) {
            fields[i][KN_RHO] = 2 + sign * ramp((place(i) - 13.6) / 8);
            fields[i][KN_QZ] = 7 + 3 * place(i);
        }
        expect_near("place", centre(&r), 13.6, 1e-12);
        for (int i = 30; i < 50; i++)
            expect_near("density about the middle", moved[i][KN_RHO], 2 + sign * (place(i) - 20) / 8, 1e-12);
        for (int i = 0; i < CELLS; i++) /* 6.4 to the left; nothing is known beyond the last centres */
            expect_near("another field", moved[i][KN_QZ], 7 + 3 * fmax(place(i) - 6.4, 0.25), 1e-12);
    }
}

/* On a tanh of width 4, straight lines over cells of 0.5 are right to h^2/8 of the second derivative: 1.5e-3;
 * the place, where that vanishes, to h^3/(100 w^2) or 3e-4.  On the other side of the middle. */
static void a_tanh(void **state)
{
    (void)state;
    struct kn_record r = blank();
    for (int i = 0; i < CELLS; i++)
        fields[i][KN_RHO] = 2 + tanh((place(i) - 26.1) / 4);
    expect_near("place", centre(&r), 26.1, 3e-4);
    for (int i = 0; i < CELLS - 14; i++)
        expect_near("density", moved[i][KN_RHO], 2 + tanh((place(i) - 20) / 4), 2e-3);
    expect_near("constant beyond the end", moved[CELLS - 1][KN_RHO], fields[CELLS - 1][KN_RHO], 0);
}

/* Cells that grow, where the middle of the box is not that of the cells. */
static void stretched_cells(void **state)
{
    (void)state;
    struct kn_record r = blank();
    for (int i = 0; i <= CELLS; i++)
        edges[0][i] = 40.0 * i * i / (CELLS * CELLS);
    for (int i = 0; i < CELLS; i++)
        fields[i][KN_RHO] = 2 + ramp(((edges[0][i] + edges[0][i + 1]) / 2 - 22) / 10);
    expect_near("place", centre(&r), 22, 1e-12);
    for (int i = 0; i < CELLS; i++) {
        const double x = (edges[0][i] + edges[0][i + 1]) / 2;
        if (fabs(x - 20) < 9)
            expect_near("density", moved[i][KN_RHO], 2 + (x - 20) / 10, 1e-12);
    }
}

static void no_front(void **state)
{
    (void)state;
    struct kn_record r = blank();
    for (int i = 0; i < CELLS; i++) {
        fields[i][KN_RHO] = 1.9;
        fields[i][KN_UX] = i;
    }
    assert_true(isnan(centre(&r)));
    assert_memory_equal(moved, fields, sizeof fields);
    for (int i = 0; i < CELLS; i++) /* it falls where it should rise */
        fields[i][KN_RHO] = 2 - ramp((place(i) - 20) / 8);
    assert_true(isnan(centre(&r)));
    assert_memory_equal(moved, fields, sizeof fields);
}

/* -------------------------------------------------------------------- runs */

/* A shock of Mach number 1.5 that runs at 0.653322 (Rankine and Hugoniot) into the gas before it; BGK,
 * coarse. */
#define GRID                                                                                                 \
    "disturbance=1 gas.delta=40 space.cells=80 velocity.nodes=[12,8,8] initial.shape=between "               \
    "initial.width=0.06 "
#define BGK "collision.method=bgk time.end=18 output.history=4 "
static const char to_left[] = "walls.left.kind=inflow walls.right.kind=inflow walls.left.density=-0.41666667 "
                              "walls.left.velocity=[0.46665837,0,0] walls.left.temperature=-0.33101045 ";
static const char to_right[] =
    "walls.left.kind=inflow walls.right.kind=inflow walls.right.density=-0.41666667 "
    "walls.right.velocity=[-0.46665837,0,0] walls.right.temperature=-0.33101045 ";

static struct kn_record make(const char *settings, const char *more)
{
    struct kn_case c;
    struct kn_record r;
    expect_case(&c, GRID);
    expect_set(&c, settings);
    expect_set(&c, more);
    expect_ok(kn_record_make(&r, &c, NULL));
    return r;
}

static struct kn_measure take(const struct kn_record *r, const char *quantity)
{
    struct kn_measure m = {0};
    if (kn_measure_take(r, quantity, &m) != KN_OK)
        fail_msg("%s: %s", quantity, kn_error_message());
    return m;
}

/* Mean of the column `front`, which is the last, over rows from a time on. */
static double mean_front(const struct kn_record *r, double from)
{
    double sum = 0, rows = 0;
    assert_string_equal(r->columns[r->ncolumns - 1].name, "front");
    for (int64_t i = 0; i < r->rows; i++) {
        const double *row = r->history + i * r->ncolumns;
        assert_string_equal(r->columns[1].name, "time");
        sum += row[1] >= from ? row[r->ncolumns - 1] : 0;
        rows += row[1] >= from;
    }
    return sum / rows;
}

static void a_shock_runs(void **state)
{
    (void)state;
    struct kn_record r = make(to_left, BGK), mirror = make(to_right, BGK);
    const double middle = -0.41666667 / 2, at = take(&r, "front").value;
    expect_near("it begins in the middle", r.history[r.ncolumns - 1], 20, 0.05);
    expect_relative("rate", take(&r, "front.rate").value, -0.653322, 0.03);
    expect_near("last place", at, r.history[r.rows * r.ncolumns - 1], 0);
    expect_near("of the mirrored one", take(&mirror, "front").value, 40 - at, 1e-3);
    expect_relative("its rate", take(&mirror, "front.rate").value, -take(&r, "front.rate").value, 1e-4);
    expect_near("centred", take(&r, "rho(0.5)").value, middle, 2e-3);
    expect_near("the mirrored one as well", take(&mirror, "rho(0.5)").value, middle, 2e-3);
    assert_non_null(r.before);
    expect_below("steady in its own frame", take(&r, "rho(0.5)").unsteady, 3e-3);
    kn_record_destroy(&r);
    kn_record_destroy(&mirror);
}

/* In the box the shock wanders by 0.65 times 8; averaged there it would be two thirds as steep. */
static void averages_are_those_of_its_own_frame(void **state)
{
    (void)state;
    struct kn_record r = make(to_left, BGK), mean = make(to_left, BGK "output.average=10");
    const double front = take(&mean, "front").value;
    assert_true(mean.averaged && !mean.before && mean.parts == 0);
    expect_near("mean place", front, mean_front(&mean, 10), 1e-9);
    expect_near("between first and last", front, take(&r, "front").value + 4 * 0.65, 0.2);
    expect_near("no noise", take(&mean, "front").statistical, 0, 0);
    expect_near("centred", take(&mean, "rho(0.5)").value, -0.41666667 / 2, 2e-3);
    const struct kn_measure last = take(&r, "rho.thickness"); /* it still gets thicker */
    expect_between("as thick", take(&mean, "rho.thickness").value, last.value, last.value + last.unsteady);
    expect_relative("as fast", take(&mean, "front.rate").value, take(&r, "front.rate").value, 1e-12);
    kn_record_destroy(&r);
    kn_record_destroy(&mean);
}

/* With noise there are averages over parts of the time, in the frame of the front too. */
static void noisy_averages(void **state)
{
    (void)state;
    struct kn_record r = make(to_left, "collision.method=monte-carlo collision.samples=1000 space.cells=40 "
                                       "velocity.nodes=6 time.end=12 output.average=4 output.history=1");
    struct kn_measure m;
    assert_int_equal(r.parts, KN_RECORD_PARTS);
    expect_near("mean place", r.mean[r.ncolumns - 1], mean_front(&r, 4), 1e-9);
    assert_int_equal(kn_measure_take(&r, "front", &m),
                     KN_EINPUT); /* it never comes back: no error of its mean */
    expect_relative("rate", take(&r, "front.rate").value, -0.653322, 0.1);
    for (int p = 0; p < r.parts; p++) { /* 5 lambda0 of wandering are a fifth of the density */
        const struct kn_record part = {
            .c = r.c, .cells = {r.cells[0], 1, 1}, .ncells = r.ncells, .edges = {r.edges[0]}};
        expect_near("a part is centred", kn_front_centre(&part, r.part[p], &moved[0][0]), 20, 0.3);
    }
    expect_near("centred", take(&r, "rho(0.5)").value, -0.41666667 / 2, 5e-3);
    kn_record_destroy(&r);
}

/* Rows so rare that some parts of the time have none: those that have come first. */
static void parts_without_rows(void **state)
{
    (void)state;
    struct kn_record r = make(to_left, "collision.method=monte-carlo collision.samples=100 space.cells=40 "
                                       "velocity.nodes=6 time.end=4 time.step=0.05 output.average=0.05 "
                                       "output.history=32");
    assert_int_equal(r.rows, 4); /* at 0, 1.6, 3.2 and 4 */
    assert_int_equal(r.parts, 3);
    for (int p = 0; p < r.parts; p++)
        assert_true(fabs(r.part[p][(r.ncells / 4) * KN_FIELDS + KN_RHO]) > 0.1);
    assert_true(take(&r, "rho(0.5)").statistical >= 0);
    kn_record_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_a_front),
        cmocka_unit_test(a_ramp),
        cmocka_unit_test(a_tanh),
        cmocka_unit_test(stretched_cells),
        cmocka_unit_test(no_front),
        cmocka_unit_test(a_shock_runs),
        cmocka_unit_test(averages_are_those_of_its_own_frame),
        cmocka_unit_test(noisy_averages),
        cmocka_unit_test(parts_without_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
