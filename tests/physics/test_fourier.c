/* Heat flow between parallel plates against linear kinetic theory. */
#include "expect.h"

static const double SQRT_PI = 1.77245385090551603;

/* q divided by p0 V0 and by the relative temperature difference of the plates. */
static double heat_of(const char *method, double delta, double end)
{
    struct watch w;
    char text[512];
    snprintf(
        text, sizeof text,
        "gas.delta=%g collision.method=%s space.cells=32 space.stretch=[0.9,1,1] velocity.nodes=[16,8,8] "
        "time.courant=0.9 "
        "walls.left.temperature=0.5 walls.right.temperature=-0.5 time.end=%g",
        delta, method, end);
    watch_run(&w, text);
    const double left = w.walls[KN_LEFT].heat_flux, right = w.walls[KN_RIGHT].heat_flux;
    expect_near("heat flux on the two plates", left, right, 1e-4); /* by symmetry */
    for (int cell = 0; cell < 32; cell++)                          /* steady */
        expect_relative("heat flux in the gas", watch_field(&w, cell, KN_QX), left, 5e-3);
    watch_close(&w);
    return (left + right) / 2;
}

/* BGK, computed to 1e-5: q sqrt(pi) = 0.93516, 0.64085, 0.17579.  32 cells
 * stretched to the plates are within 3e-4 of it.  Along the plates h is a polynomial of low degree, for which
 * 8 nodes are exact. */
static void bgk_heat_flux(void **state)
{
    (void)state;
    expect_relative("q, delta 0.1", heat_of("bgk", 0.1, 6) * SQRT_PI, 0.93516, 5e-4);
    expect_relative("q, delta 1", heat_of("bgk", 1, 20) * SQRT_PI, 0.64085, 5e-4);
    expect_relative("q, delta 10", heat_of("bgk", 10, 200) * SQRT_PI, 0.17579, 5e-4);
}

/* With the hard spheres' Prandtl number the models come close to the exact
 * hard-sphere heat flux (0.406628 at delta = 1, 0.137304 at 10): 2 %. */
static void models_come_close_to_hard_spheres(void **state)
{
    (void)state;
    expect_relative("shakhov, delta 1", heat_of("shakhov", 1, 20), 0.406628, 0.02);
    expect_relative("shakhov, delta 10", heat_of("shakhov", 10, 150), 0.137304, 0.02);
    expect_relative("es-bgk, delta 1", heat_of("es-bgk", 1, 20), 0.406628, 0.03);
    expect_relative("es-bgk, delta 10", heat_of("es-bgk", 10, 150), 0.137304, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bgk_heat_flux),
        cmocka_unit_test(models_come_close_to_hard_spheres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
