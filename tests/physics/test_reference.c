/* The same flow computed about different reference states. */
#include "expect.h"

static const double FLUX = 0.56418958354775628; /* 1 / sqrt(pi) */

/* ------------------------------------------------------------- exact solutions */

/* Plates at T0 and 4 T0 without collisions: q = 2 / sqrt(pi) sqrt(T) (sqrt(T) - 1), pressure and temperature
 * sqrt(T).  The error of the velocity grid is 1.2 % with 8 nodes and 0.09 % with 12 (theory, section 15). */
static void hot_plates(void **state)
{
    (void)state;
    static const struct {
        int nodes;
        double error;
    } grids[] = {{8, 0.013}, {12, 0.001}};
    for (int i = 0; i < 2; i++) {
        struct watch w;
        char text[256];
        snprintf(text, sizeof text,
                 "collision.method=none disturbance=1 space.cells=4 velocity.nodes=%d time.end=60 "
                 "time.courant=0.9 walls.right.temperature=3",
                 grids[i].nodes);
        watch_run(&w, text);
        for (int side = KN_LEFT; side <= KN_RIGHT; side++) {
            expect_relative("heat flux", w.walls[side].heat_flux, -4 * FLUX, grids[i].error);
            expect_relative("pressure", 1 + w.walls[side].stress[0], 2, grids[i].error);
            expect_near("mass flux", w.walls[side].mass_flux, 0, 1e-6);
        }
        for (int cell = 0; cell < 4; cell++)
            expect_relative("temperature", 1 + watch_field(&w, cell, KN_THETA), 2, grids[i].error);
        expect_near("mass", w.row->mass, 0, 1e-6);
        watch_close(&w);
    }
}

/* A plate at the speed of sound, T0: stress u / sqrt(pi), heat flux u^2 / (2 sqrt(pi)) at the plate at rest.
 * About T0 the error is 0.54 % with 8 nodes, about the temperature that the program chooses 0.03 %. */
static void fast_plate(void **state)
{
    (void)state;
    struct watch w;
    const double u = sqrt(5.0 / 6);
    char text[256];
    snprintf(text, sizeof text,
             "collision.method=none disturbance=1 space.cells=4 velocity.nodes=8 time.end=60 "
             "time.courant=0.9 walls.right.velocity=[0,%.17g,0]",
             u);
    watch_run(&w, text);
    expect_relative("stress", w.walls[KN_LEFT].stress[1], -FLUX * u, 5e-4);
    expect_relative("heat flux", w.walls[KN_LEFT].heat_flux, -FLUX * u * u / 2, 5e-4);
    expect_relative("heat flux in the frame of the plate", w.walls[KN_RIGHT].heat_flux, FLUX * u * u / 2,
                    5e-4);
    watch_close(&w);
}

/* The stress of a uniform gas decays as exp(-t) for every model, at the rate of its own temperature and not
 * that of the reference. */
static void rate_of_collisions(void **state)
{
    (void)state;
    static const char *const methods[] = {"bgk", "shakhov", "es-bgk"};
    for (int i = 0; i < 3; i++) {
        struct watch w;
        char text[512];
        snprintf(text, sizeof text,
                 "collision.method=%s disturbance=0.5 space.cells=1 walls.left.kind=periodic "
                 "walls.right.kind=periodic velocity.nodes=12 initial.shape=anisotropic "
                 "initial.amplitude=0.2 gas.reference.temperature=0.8 time.step=0.05 time.end=1",
                 methods[i]);
        watch_open(&w, text);
        const double start = watch_field(&w, 0, KN_PXX);
        expect_relative("stress at the start", start, 0.2, 1e-4); /* 12 nodes at T0 / Tr = 0.71 */
        watch_until(&w, 1);
        expect_relative(methods[i], watch_field(&w, 0, KN_PXX), start * exp(-1), 1e-4);
        expect_near("temperature", watch_field(&w, 0, KN_THETA), 0, 1e-4);
        watch_close(&w);
    }
}

/* A force accelerates a uniform gas by a t in any units. */
static void acceleration(void **state)
{
    (void)state;
    struct watch w;
    watch_run(&w, "collision.method=bgk disturbance=0.5 space.cells=1 walls.left.kind=periodic "
                  "walls.right.kind=periodic velocity.nodes=8 source.force=[0,0.3,0] "
                  "gas.reference.temperature=1 gas.reference.velocity=[0,0.2,0] time.step=0.05 time.end=0.5");
    expect_near("velocity", watch_field(&w, 0, KN_UY), 0.15, 2e-4); /* 8 nodes at T0 / Tr = 0.67 */
    watch_close(&w);
}

/* --------------------------------------------------------------- invariance */

/* All fields and fluxes of two runs. */
static void compare_runs(const struct watch *a, const struct watch *b, double of_fields, double of_walls)
{
    for (int64_t cell = 0; cell < kn_sim_cells(a->sim); cell++)
        for (int f = 0; f < KN_FIELDS; f++)
            expect_near("field", watch_field(b, cell, (enum kn_field)f),
                        watch_field(a, cell, (enum kn_field)f), of_fields);
    for (int side = 0; side < KN_SIDES; side++) {
        const struct kn_wall_flux *x = &a->walls[side], *y = &b->walls[side];
        for (int d = 0; d < 3; d++)
            expect_near("stress", y->stress[d], x->stress[d], of_walls);
        expect_near("shear", y->shear_magnitude, x->shear_magnitude, of_walls);
        expect_near("heat flux", y->heat_flux, x->heat_flux, of_walls);
        expect_near("mass flux", y->mass_flux, x->mass_flux, of_walls);
    }
}

/* A flow with the same cells and steps about three references.  The velocity nodes differ.  About T0 the
 * fluxes of these walls have an error of 2e-4 with 12 nodes, about the others 1e-6.  Profiles of a rarefied
 * gas, and unsteady fluxes, depend on the nodes more than steady fluxes do. */
static void check_invariance(const char *settings, double of_fields, double of_walls)
{
    static const char *const references[] = {
        "gas.reference.temperature=0.4",
        "gas.reference.temperature=0.3 gas.reference.velocity=[0,0,0.3]",
        "gas.reference.temperature=0",
    };
    struct watch w[3];
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s %s", settings, references[i]);
        watch_run(&w[i], text);
        expect_near("time", kn_sim_time(w[i].sim), kn_sim_time(w[0].sim), 1e-12);
    }
    compare_runs(&w[0], &w[1], of_fields, of_walls);
    compare_runs(&w[0], &w[2], of_fields + 3e-4, of_walls + 2e-4);
    for (int i = 0; i < 3; i++)
        watch_close(&w[i]);
}

#define LINE "disturbance=0.5 gas.delta=2 space.cells=4 velocity.nodes=12 time.step=0.06 time.end=18 "

static void walls_in_other_units(void **state)
{
    (void)state;
    static const char *const methods[] = {"bgk", "shakhov", "es-bgk"};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 LINE "collision.method=%s walls.right.velocity=[0,0.4,0.6] walls.right.temperature=0.8 "
                      "walls.left.accommodation=0.7 walls.left.temperature=0.2",
                 methods[i]);
        check_invariance(text, 1e-4, 2e-5);
    }
}

/* With a mass flux, which carries momentum and energy in the frame of the box. */
static void streams_in_other_units(void **state)
{
    (void)state;
    check_invariance(LINE "collision.method=bgk walls.left.kind=inflow walls.left.density=0.5 "
                          "walls.left.velocity=[0.3,0,0.6] walls.left.temperature=0.6 "
                          "walls.right.kind=inflow walls.right.velocity=[0.2,0,0.4]",
                     5e-4, 5e-5);
}

/* Oscillating walls: amplitudes are in units of the reference, frequencies are not. */
static void oscillation_in_other_units(void **state)
{
    (void)state;
    check_invariance(LINE "collision.method=bgk walls.left.oscillation.temperature=0.3 "
                          "walls.left.oscillation.velocity=[0,0.3,0.2] walls.left.oscillation.frequency=0.5",
                     5e-4, 2e-4);
}

/* The sampled operator on the grid of other tests: the grid is accurate to 0.3 % about both references, and
 * the noise of the mean over the last steps is 0.2 %. */
static void operator_in_other_units(void **state)
{
    (void)state;
    static const char *const references[] = {"0.7", "1.1"}; /* Tr = 1.35 and 1.55 T0, plates at 1 and 2 T0 */
    double heat[2] = {0};
    for (int i = 0; i < 2; i++) {
        struct watch w;
        char text[256];
        snprintf(text, sizeof text,
                 "collision.method=operator disturbance=0.5 space.cells=6 velocity.nodes=8 time.step=0.05 "
                 "collision.samples=512 walls.right.temperature=2 gas.reference.temperature=%s",
                 references[i]);
        watch_open(&w, text);
        watch_until(&w, 8);
        for (int row = 0; row < 100; row++) {
            watch_advance(&w, 2);
            heat[i] += (w.walls[KN_LEFT].heat_flux + w.walls[KN_RIGHT].heat_flux) / 200;
        }
        watch_close(&w);
    }
    expect_relative("heat flux", heat[1], heat[0], 0.02);
}

/* Other molecules: the viscosity, and with it the rate of collisions, grows as T^omega. */
static void molecules_in_other_units(void **state)
{
    (void)state;
    static const char *const molecules[] = {"maxwell", "vhs gas.omega=0.81"};
    for (int i = 0; i < 2; i++) {
        double stress[2];
        for (int hot = 0; hot < 2; hot++) {
            struct watch w;
            char text[512];
            snprintf(text, sizeof text,
                     "collision.method=operator gas.molecules=%s disturbance=1 space.cells=1 "
                     "walls.left.kind=periodic walls.right.kind=periodic velocity.nodes=8 time.step=0.05 "
                     "collision.samples=20000 initial.shape=anisotropic initial.amplitude=0.2 time.end=1 "
                     "gas.reference.temperature=%g",
                     molecules[i], hot ? 0.15 : 0.0);
            watch_run(&w, text);
            stress[hot] = watch_field(&w, 0, KN_PXX);
            watch_close(&w);
        }
        expect_relative(molecules[i], stress[1], stress[0], 0.01);
        if (i == 0) /* exact for any amplitude */
            expect_relative("Maxwell molecules", stress[1], 0.2 * exp(-1), 0.01);
    }
}

/* Couette flow between plates at 0 and 1 V0, and between plates at 2 and 3 V0 in a moving frame. */
static void galilean_invariance(void **state)
{
    (void)state;
    static const char common[] = "collision.method=bgk disturbance=1 space.cells=10 velocity.nodes=10 "
                                 "time.step=0.03 time.end=40.02 gas.reference.temperature=0.2";
    struct watch a, b;
    char text[512];
    snprintf(text, sizeof text, "%s walls.right.velocity=[0,1,0]", common);
    watch_run(&a, text);
    snprintf(text, sizeof text,
             "%s walls.left.velocity=[0,2,0] walls.right.velocity=[0,3,0] gas.reference.velocity=[0,2,0]",
             common);
    watch_run(&b, text);
    for (int64_t cell = 0; cell < 10; cell++)
        b.fields[cell * KN_FIELDS + KN_UY] -= 2;
    compare_runs(&a, &b, 2e-6, 2e-6);
    watch_close(&a);
    watch_close(&b);
}

/* ------------------------------------------------------------------ other parts */

/* Gas at rest in the units of another reference: the density is exact, the temperature as accurate as the
 * grid. */
static void initial_state(void **state)
{
    (void)state;
    struct watch w;
    watch_open(&w, "collision.method=bgk disturbance=0.5 space.cells=4 velocity.nodes=12 "
                   "gas.reference.temperature=2 gas.reference.velocity=[0,0.4,0]");
    for (int cell = 0; cell < 4; cell++)
        for (int f = 0; f < KN_FIELDS; f++)
            expect_near("field", watch_field(&w, cell, (enum kn_field)f), 0, f == KN_RHO ? 1e-7 : 5e-4);
    watch_close(&w);
}

/* A wall that the caller heats and moves is the same as that of a case. */
static void walls_of_the_caller(void **state)
{
    (void)state;
    static const char common[] = "collision.method=bgk disturbance=0.5 space.cells=6 velocity.nodes=8 "
                                 "velocity.fold=none time.step=0.02 time.end=1 "
                                 "gas.reference.temperature=0.6 gas.reference.velocity=[0,0.2,0]";
    struct watch a, b;
    char text[512];
    snprintf(text, sizeof text, "%s walls.left.temperature=1.1 walls.left.velocity=[0,0.7,0]", common);
    watch_run(&a, text);
    watch_open(&b, common);
    expect_ok(kn_sim_set_wall(b.sim, KN_LEFT, (double[3]){0, 0.7, 0}, 1.1));
    watch_until(&b, 1);
    compare_runs(&a, &b, 0, 0);
    watch_close(&a);
    watch_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hot_plates),
        cmocka_unit_test(fast_plate),
        cmocka_unit_test(rate_of_collisions),
        cmocka_unit_test(acceleration),
        cmocka_unit_test(walls_in_other_units),
        cmocka_unit_test(streams_in_other_units),
        cmocka_unit_test(oscillation_in_other_units),
        cmocka_unit_test(operator_in_other_units),
        cmocka_unit_test(molecules_in_other_units),
        cmocka_unit_test(galilean_invariance),
        cmocka_unit_test(initial_state),
        cmocka_unit_test(walls_of_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
