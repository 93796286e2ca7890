/* Plane Couette flow, steady and oscillating, against linear kinetic theory. */
#include "expect.h"

/* Walls at -1/2 and +1/2; -p_xy divided by p0 and by the difference of the wall speeds. */
static double shear_of(double delta, const char *more)
{
    struct watch w;
    char text[512];
    snprintf(text, sizeof text,
             "gas.delta=%g collision.method=bgk space.order=3 velocity.nodes=[16,8,8] time.courant=0.9 "
             "walls.left.velocity=[0,-0.5,0] "
             "walls.right.velocity=[0,0.5,0] %s",
             delta, more);
    watch_run(&w, text);
    const double left = -w.walls[KN_LEFT].stress[1], right = -w.walls[KN_RIGHT].stress[1];
    expect_near("shear on the two walls", left, right, 2e-5); /* by symmetry */
    watch_close(&w);
    return (left + right) / 2;
}

/* BGK, computed to 1e-7 by discrete ordinates.  32 cells stretched to the walls
 * and 16 nodes across the gap are within 3e-4 of it.  Along the plates h is a polynomial of low degree, for
 * which 8 nodes are exact. */
static void bgk_shear(void **state)
{
    (void)state;
    expect_relative("Pi, delta 0.1", shear_of(0.1, "space.cells=32 space.stretch=[0.9,1,1] time.end=6"),
                    0.522325, 5e-4);
    expect_relative("Pi, delta 1", shear_of(1, "space.cells=32 space.stretch=[0.9,1,1] time.end=20"),
                    0.338925, 5e-4);
    expect_relative("Pi, delta 10", shear_of(10, "space.cells=32 space.stretch=[0.9,1,1] time.end=200"),
                    0.083112, 5e-4);
}

/* The steady state does not depend on the time step at first order. */
static void shear_does_not_depend_on_the_step(void **state)
{
    (void)state;
    const double a = shear_of(1, "space.cells=24 time.end=20 time.courant=0.9");
    const double b = shear_of(1, "space.cells=24 time.end=20 time.courant=0.3");
    expect_relative("Pi at Courant 0.9 against 0.3", a, b, 1e-4);
}

/* Pi increases with the accommodation and is exactly 0 at alpha = 0. */
static void accommodation_is_monotone(void **state)
{
    (void)state;
    double before = 0;
    expect_near(
        "shear at alpha 0",
        shear_of(1, "space.cells=16 time.end=10 walls.left.accommodation=0 walls.right.accommodation=0"), 0,
        1e-6);
    for (double alpha = 0.1; alpha < 1.05; alpha += 0.3) {
        char text[256];
        snprintf(text, sizeof text,
                 "space.cells=16 time.end=40 walls.left.accommodation=%g walls.right.accommodation=%g", alpha,
                 alpha);
        const double shear = shear_of(1, text);
        expect_between("shear, accommodation", shear, before * 1.05, 0.34);
        before = shear;
    }
    /* free molecular, exactly: alpha / (2 - alpha) of the diffuse shear */
    expect_relative("free molecular, alpha 0.5",
                    shear_of(1,
                             "space.cells=16 time.end=60 collision.method=none walls.left.accommodation=0.5 "
                             "walls.right.accommodation=0.5"),
                    0.56418958 * 0.5 / 1.5, 1e-3);
}

/* A finite wall speed: at eps = 0.05 Pi differs from the linear one by O(eps^2). */
static void finite_speed_is_nearly_linear(void **state)
{
    (void)state;
    const double linear = shear_of(1, "space.cells=16 time.end=20");
    const double finite = shear_of(1, "space.cells=16 time.end=20 disturbance=0.05");
    expect_relative("Pi at eps 0.05", finite, linear, 1e-3);
}

/* ------------------------------------------------------------- oscillations */

struct wave {
    double size, phase; /* of a signal: size cos(omega t + phase) */
};

/* Run to `start`, then project the stress on the left wall on one period. */
static struct wave measure(const char *settings, double omega, double start)
{
    struct watch w;
    double even = 0, odd = 0;
    watch_open(&w, settings);
    watch_until(&w, start);
    const double dt = kn_sim_time_step(w.sim);
    const int steps = (int)llround(2 * M_PI / omega / dt);
    for (int i = 0; i < steps; i++) {
        watch_advance(&w, 1);
        const double t = w.row->time - dt / 2; /* fluxes are those at the middle of a step */
        even += w.walls[KN_LEFT].stress[1] * cos(omega * t) * 2 / steps;
        odd -= w.walls[KN_LEFT].stress[1] * sin(omega * t) * 2 / steps;
    }
    watch_close(&w);
    return (struct wave){hypot(even, odd), atan2(odd, even)};
}

/* Stokes' second problem, theta = p0 / (mu omega) = 1, BGK: |P| = 0.537701,
 * arg P = 0.166189.  Eight lambda0 are ten depths of penetration; the step is a
 * whole fraction of the period. */
static void oscillating_wall(void **state)
{
    (void)state;
    const double period = 2 * M_PI;
    char text[512];
    snprintf(
        text, sizeof text,
        "gas.delta=8 collision.method=bgk velocity.nodes=[16,8,8] space.cells=64 space.stretch=[0.95,1,1] "
        "space.cluster=[low,both,both] walls.left.oscillation.velocity=[0,1,0] "
        "walls.left.oscillation.frequency=1 "
        "time.step=%.15g",
        period / 2048);
    const struct wave p = measure(text, 1, 4 * period);
    expect_relative("|P|", p.size, 0.537701, 5e-4);
    expect_near("arg P", p.phase, 0.166189, 5e-4);
}

/* A slow wall is a steady one: omega -> 0 leads to half the steady Couette
 * stress of two walls, with a phase of O(omega). */
static void slow_wall_is_steady(void **state)
{
    (void)state;
    const double omega = 0.02, period = 2 * M_PI / omega;
    char text[512];
    snprintf(text, sizeof text,
             "gas.delta=1 collision.method=bgk velocity.nodes=8 space.cells=16 "
             "walls.left.oscillation.velocity=[0,1,0] "
             "walls.left.oscillation.frequency=%g time.step=%.15g",
             omega, period / 16384);
    const struct wave p = measure(text, omega, 20);
    const double steady = shear_of(1, "space.cells=16 velocity.nodes=8 time.end=20");
    expect_relative("stress of a slow wall", p.size, steady, 3e-3);
    expect_between("phase of a slow wall", p.phase, 0, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bgk_shear),
        cmocka_unit_test(shear_does_not_depend_on_the_step),
        cmocka_unit_test(accommodation_is_monotone),
        cmocka_unit_test(finite_speed_is_nearly_linear),
        cmocka_unit_test(oscillating_wall),
        cmocka_unit_test(slow_wall_is_steady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
