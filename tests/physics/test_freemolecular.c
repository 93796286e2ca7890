/* No collisions: exact solutions for walls and streaming. */
#include "expect.h"

static const double FLUX = 0.56418958354775628; /* 1 / sqrt(pi) */

/* The steady flux does not depend on the cells, and half-range fluxes are exact on the gauss grid.  The
 * remaining error is due to the slowest node, |v| = 0.06 with 12 nodes, whose molecules have not crossed yet:
 * below 1e-4 of the flux. */
static void couette_shear(void **state)
{
    (void)state;
    for (int order = 1; order <= 3; order++) {
        struct watch w;
        char text[256];
        snprintf(text, sizeof text,
                 "collision.method=none space.cells=16 space.order=%d velocity.nodes=12 time.end=40 "
                 "time.courant=0.9 "
                 "walls.left.velocity=[0,-0.5,0] walls.right.velocity=[0,0.5,0]",
                 order);
        watch_run(&w, text);
        expect_relative("shear on the left", w.walls[KN_LEFT].stress[1], -FLUX, 1e-4);
        expect_relative("shear on the right", w.walls[KN_RIGHT].stress[1], -FLUX, 1e-4);
        expect_near("mass flux", w.walls[KN_RIGHT].mass_flux, 0, 1e-6);
        watch_close(&w);
    }
}

static void fourier_heat_flux(void **state)
{
    (void)state;
    struct watch w;
    watch_run(&w, "collision.method=none space.cells=16 velocity.nodes=12 time.end=40 time.courant=0.9 "
                  "walls.left.temperature=0.5 walls.right.temperature=-0.5");
    expect_relative("heat flux on the left", w.walls[KN_LEFT].heat_flux, FLUX, 1e-4);
    expect_relative("heat flux on the right", w.walls[KN_RIGHT].heat_flux, FLUX, 1e-4);
    watch_close(&w);
}

/* Plates of finite temperature difference: q = 2/sqrt(pi) sqrt(T1 T2)
 * (sqrt T1 - sqrt T2) at mean density 1, gas at sqrt(T1 T2) everywhere. */
static void nonlinear_fourier(void **state)
{
    (void)state;
    struct watch w;
    const double hot = 1.5, cold = 0.75;
    watch_run(
        &w,
        "collision.method=none disturbance=0.5 space.cells=16 velocity.nodes=24 time.end=60 time.courant=0.9 "
        "walls.left.temperature=1 walls.right.temperature=-0.5");
    const double exact = 2 * FLUX * sqrt(hot * cold) * (sqrt(hot) - sqrt(cold)) / 0.5;
    expect_relative("heat flux", w.walls[KN_LEFT].heat_flux, exact, 1e-4);
    for (int cell = 0; cell < 16; cell++)
        expect_relative("temperature", 1 + 0.5 * watch_field(&w, cell, KN_THETA), sqrt(hot * cold), 1e-4);
    watch_close(&w);
}

/* Wall set in motion at t = 0: the stress is 1/sqrt(pi) and constant, and u = erfc(x / t) / 2, until the
 * fastest molecules have crossed the box. */
static void rayleigh_problem(void **state)
{
    (void)state;
    struct watch w;
    watch_run(&w, "collision.method=none gas.delta=4 space.cells=80 velocity.nodes=24 time.end=0.8 "
                  "walls.left.velocity=[0,1,0]");
    expect_relative("stress", w.walls[KN_LEFT].stress[1], FLUX, 1e-4);
    double worst = 0;
    for (int cell = 0; cell < 80; cell++) /* discrete velocities make steps of the size of a weight */
        worst = fmax(worst, fabs(watch_field(&w, cell, KN_UY) - erfc((cell + 0.5) * 0.05 / w.row->time) / 2));
    expect_below("velocity profile", worst, 0.03);
    watch_close(&w);
}

/* Jumps at the corners of the lid propagate along every discrete velocity; second order on
 * 40 x 40 cells with 12 nodes is within 0.2 % in D and 1.2 % in G of the exact
 * integral equation (D 0.685333, G 0.096464).  h does not depend on v_z. */
static void cavity(void **state)
{
    (void)state;
    struct watch w;
    watch_run(&w, "collision.method=none space.cells=[40,40] velocity.nodes=[12,12,4] "
                  "walls.top.velocity=[1,0,0] time.end=12 "
                  "time.courant=0.9");
    expect_near("D", w.row->drag, 0.685333, 0.002);
    expect_near("G", w.row->vortex_flow, 0.096464, 0.0015);
    watch_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couette_shear),
        cmocka_unit_test(fourier_heat_flux),
        cmocka_unit_test(nonlinear_fourier),
        cmocka_unit_test(rayleigh_problem),
        cmocka_unit_test(cavity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
