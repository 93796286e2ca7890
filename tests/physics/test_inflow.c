/* Inflow from outside the box, and a wall that oscillates along its normal. */
#include "expect.h"

static const double FLUX = 0.56418958354775628; /* 1 / sqrt(pi) */

#define STATE(side, state)                                                                                   \
    "walls." side ".kind=inflow walls." side ".density=0.3 walls." side ".velocity=" state " walls." side    \
    ".temperature=0.2 "

/* The same gas at both ends and between them: nothing changes.  Without collisions the state is that of the
 * inflow, bit for bit except for the correction of round-off.  At eps = 0 moments are exact on the grid;
 * otherwise 20 nodes give the moments of this Maxwellian to 1e-5. */
static void uniform_gas_stays_uniform(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double tolerance;
    } cases[] = {
        {"collision.method=none", 2e-6},
        {"collision.method=none space.order=1", 2e-6},
        {"collision.method=none disturbance=0.5", 2e-6},
        {"collision.method=bgk", 5e-6},
        {"collision.method=bgk disturbance=0.5 velocity.nodes=20", 2e-5},
        {"collision.method=es-bgk disturbance=0.5 velocity.nodes=20", 2e-5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct watch w;
        char text[512];
        snprintf(text, sizeof text,
                 "space.cells=8 velocity.nodes=8 time.end=3 initial.shape=between %s " STATE(
                     "left", "[0.6,0.1,0]") STATE("right", "[0.6,0.1,0]"),
                 cases[i].settings);
        watch_open(&w, text);
        double before[KN_FIELDS];
        memcpy(before, w.fields, sizeof before);
        watch_until(&w, 3);
        for (int cell = 0; cell < 8; cell++)
            for (int f = 0; f < KN_FIELDS; f++)
                expect_near(text, watch_field(&w, cell, (enum kn_field)f), before[f], cases[i].tolerance);
        assert_true(isnan(w.row->mass_drift));
        watch_close(&w);
    }
}

/* Mass and momentum that molecules of a Maxwellian carry through a plane along x > 0. */
static double mass_flux(double n, double u, double t)
{
    const double s = u / sqrt(t);
    return n * sqrt(t) / 2 * (FLUX * exp(-s * s) + s * (1 + erf(s)));
}

static double momentum_flux(double n, double u, double t)
{
    const double s = u / sqrt(t);
    return n * t / 2 * (FLUX * s * exp(-s * s) + (0.5 + s * s) * (1 + erf(s)));
}

/* Two gases that flow through each other without collisions: fluxes are sums of half-range integrals. */
static void gases_pass_through_each_other(void **state)
{
    (void)state;
    for (int linear = 0; linear < 2; linear++) {
        struct watch w;
        char text[512];
        const double eps = linear ? 0 : 0.5;
        snprintf(
            text, sizeof text,
            "collision.method=none disturbance=%g space.cells=10 velocity.nodes=[28,12,12] time.end=80 "
            "time.courant=0.9 walls.left.kind=inflow walls.left.density=0.4 walls.left.velocity=[0.8,0,0] "
            "walls.left.temperature=-0.2 walls.right.kind=inflow walls.right.temperature=0.6 "
            "walls.right.velocity=[0.3,0,0] walls.right.density=-0.5",
            eps);
        watch_run(&w, text);
        const double small = linear ? 1e-5 : eps; /* derivatives at eps = 0 */
        double mass = mass_flux(1 + small * 0.4, small * 0.8, 1 - small * 0.2) -
                      mass_flux(1 - small * 0.5, -small * 0.3, 1 + small * 0.6);
        double push = momentum_flux(1 + small * 0.4, small * 0.8, 1 - small * 0.2) +
                      momentum_flux(1 - small * 0.5, -small * 0.3, 1 + small * 0.6) - 0.5;
        for (int side = KN_LEFT; side <= KN_RIGHT; side++) {
            expect_relative("mass flux", w.walls[side].mass_flux, mass / small, 2e-4);
            expect_relative("momentum flux", w.walls[side].stress[0], 2 * push / small, 3e-4);
        }
        watch_close(&w);
    }
}

/* A piston and a gas without returning molecules.  At the wall, exactly: mass flux u, and normal stress
 * u (sqrt(pi) / 2 + 2 / sqrt(pi)) for emitted molecules, 4 u / sqrt(pi) for reflected molecules. */
static void piston(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct watch w;
        char text[512];
        const double alpha = i < 2 ? 1 : 0.4;
        const bool left = i % 2;
        snprintf(text, sizeof text,
                 "collision.method=none space.cells=10 velocity.nodes=12 space.order=2 walls.%s.kind=inflow "
                 "walls.%s.oscillation.velocity=[1,0,0] walls.%s.oscillation.frequency=3 "
                 "walls.%s.accommodation=%g time.step=0.01",
                 left ? "right" : "left", left ? "left" : "right", left ? "left" : "right",
                 left ? "left" : "right", alpha);
        watch_open(&w, text);
        for (int step = 0; step < 40; step++) {
            watch_advance(&w, 1);
            const struct kn_wall_flux *f = &w.walls[left ? KN_LEFT : KN_RIGHT];
            const double u = cos(3 * (w.row->time - 0.005)), towards = left ? u : -u;
            expect_near("mass flux", f->mass_flux, u, 2e-6);
            expect_near("normal stress", f->stress[0],
                        towards * (alpha * (1 / FLUX / 2 + 2 * FLUX) + (1 - alpha) * 4 * FLUX), 1e-5);
        }
        assert_true(isnan(w.row->mass_drift));
        watch_close(&w);
    }
}

/* A slow piston in a dense gas sends out sound, with the pressure rho + theta = 2 c u of a plane wave.
 * Sound is damped by 2 % until there, and the wall, which keeps its temperature, cools a layer of
 * sqrt(1 / omega) and takes up to (2/3) (omega / c) sqrt(1 / omega) / 2 = 8 % of the speed. */
static void piston_makes_sound(void **state)
{
    (void)state;
    struct watch w;
    const double c = sqrt(5.0 / 6), omega = 0.05;
    watch_open(&w,
               "collision.method=bgk gas.delta=60 space.cells=60 velocity.nodes=[10,8,8] time.courant=0.9 "
               "walls.left.oscillation.velocity=[1,0,0] walls.left.oscillation.frequency=0.05 "
               "walls.left.oscillation.phase=-1.5707963267948966 walls.right.kind=inflow");
    watch_until(&w, 55);
    const int cell = 12;
    const double x = 12.5, u = sin(omega * (w.row->time - x / c)), found = watch_field(&w, cell, KN_UX);
    expect_near("velocity", found, u, 0.1);
    expect_relative("pressure", watch_field(&w, cell, KN_RHO) + watch_field(&w, cell, KN_THETA),
                    2 * c * found, 0.05);
    watch_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_gas_stays_uniform),
        cmocka_unit_test(gases_pass_through_each_other),
        cmocka_unit_test(piston),
        cmocka_unit_test(piston_makes_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
