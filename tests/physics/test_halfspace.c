/* A gas that fills half of space: a wall on one side, uniform gradients far away on the other. */
#include "expect.h"

/* BGK needs few velocities along the wall: h is a polynomial there. */
#define HALF_SPACE                                                                                           \
    "collision.method=bgk gas.delta=12 space.cells=60 velocity.nodes=[24,6,6] time.courant=0.9 "             \
    "time.end=1000 walls.right.kind=far-field "

/* The value at the wall of the straight line that a field with slope 1 approaches far from it, minus the
 * value of the wall.  At 10 lambda0 the wall layer still contributes about 1e-3. */
static double jump_of(const struct watch *w, enum kn_field field, double at_wall)
{
    const double *edge = kn_sim_space(w->sim)->edges[0];
    double sum = 0, n = 0;
    for (int cell = 0; cell < kn_sim_cells(w->sim); cell++) {
        const double x = (edge[cell] + edge[cell + 1]) / 2;
        sum += x > 9 ? watch_field(w, cell, field) - x - at_wall : 0;
        n += x > 9;
    }
    return sum / n;
}

/* Kramers' problem: velocity slip 1.01619, BGK [Albertoni, Cercignani and Gotusso 1963].  Momentum diffuses
 * through the box in times of (2 L / pi)^2 / (1/2) = 117; a wall that moves against the flow reduces the
 * transient and h, whose round-off changes the stress by 1e-4. */
static void velocity_slip(void **state)
{
    (void)state;
    struct watch w;
    watch_run(&w, HALF_SPACE "walls.right.gradient.velocity=[0,1,0] walls.left.velocity=[0,-7,0]");
    expect_relative("velocity slip", jump_of(&w, KN_UY, -7), 1.01619, 3e-3);
    expect_relative("stress in the far field", w.walls[KN_RIGHT].stress[1], -1, 1e-6);
    expect_relative("stress at the wall", w.walls[KN_LEFT].stress[1], -1, 5e-4);
    expect_near("mass flux", w.walls[KN_RIGHT].mass_flux, 0, 1e-6);
    watch_close(&w);
}

/* Temperature jump 1.30272, BGK, Pr = 1; heat flux 5/4 of the gradient. */
static void temperature_jump(void **state)
{
    (void)state;
    struct watch w;
    watch_run(&w, HALF_SPACE "walls.right.gradient.temperature=1 walls.left.temperature=-7");
    expect_relative("temperature jump", jump_of(&w, KN_THETA, -7), 1.30272, 3e-3);
    expect_relative("heat flux in the far field", w.walls[KN_RIGHT].heat_flux, -1.25, 1e-6);
    expect_relative("heat flux at the wall", w.walls[KN_LEFT].heat_flux, -1.25, 5e-4);
    expect_near("drift of mass", w.row->mass_drift, 0, 1e-5);
    watch_close(&w);
}

/* Thermal creep: a gradient along the wall moves the gas far away at 0.766322 / 2 of it, BGK; the
 * far field has no gradients then. The round-off of h, which is ten times as large as the speed, changes it
 * by up to 1e-3: 30, 60 and 120 cells, with and without reduced axes, give 0.3811 to 0.3824. */
static void thermal_creep(void **state)
{
    (void)state;
    struct watch w;
    watch_run(&w, HALF_SPACE "source.temperature_gradient=[0,1,0]");
    expect_relative("speed far away", watch_field(&w, 59, KN_UY), 0.383161, 4e-3);
    watch_close(&w);
}

/* Far fields at either end, along any axis, with the Prandtl number of the method: stress and heat
 * flux are as given from the first step on. */
static void fluxes_are_as_given(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double prandtl;
    } methods[] = {
        {"collision.method=bgk", 1},
        {"collision.method=shakhov collision.prandtl=0.7", 0.7},
        {"collision.method=es-bgk collision.prandtl=0.8 velocity.grid=stretched", 0.8},
        {"collision.method=operator velocity.nodes=6", 0.660694457},
        {"collision.method=monte-carlo gas.molecules=maxwell collision.samples=200", 2.0 / 3},
    };
    const char *const sides[] = {"left", "right", "bottom", "top", "back", "front"};
    for (int i = 0; i < 5 * KN_SIDES; i++) {
        const int side = i % KN_SIDES, axis = side / 2, along = (axis + 1) % 3;
        struct watch w;
        char text[512];
        int n = snprintf(text, sizeof text,
                         "space.cells=[2,2,3] velocity.nodes=8 %s walls.%s.kind=far-field "
                         "walls.%s.gradient.temperature=0.4 walls.%s.gradient.velocity=[0,0,0]",
                         methods[i / KN_SIDES].settings, sides[side], sides[side], sides[side]);
        text[n - 6 + 2 * along] = '3';
        watch_open(&w, text);
        watch_advance(&w, 2);
        expect_relative(text, w.walls[side].stress[along], -3, 2e-6);
        expect_relative(text, w.walls[side].heat_flux, -0.4 * 1.25 / methods[i / KN_SIDES].prandtl, 2e-6);
        expect_near(text, w.walls[side].mass_flux, 0, 1e-6);
        watch_close(&w);
    }
}

/* Without gradients a far field is a plane of symmetry, bit for bit. */
static void no_gradient_is_symmetry(void **state)
{
    (void)state;
    const char *const kinds[] = {"far-field", "symmetry"};
    double *fields[2];
    struct watch w[2];
    for (int i = 0; i < 2; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "collision.method=bgk space.cells=9 velocity.nodes=6 walls.right.kind=%s "
                 "walls.left.velocity=[0,1,0] time.end=3",
                 kinds[i]);
        watch_run(&w[i], text);
        fields[i] = w[i].fields;
    }
    assert_int_equal(kn_sim_nodes(w[0].sim), kn_sim_nodes(w[1].sim));
    assert_memory_equal(fields[0], fields[1], 9 * KN_FIELDS * sizeof(double));
    for (int i = 0; i < 2; i++)
        watch_close(&w[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_slip),           cmocka_unit_test(temperature_jump),
        cmocka_unit_test(thermal_creep),           cmocka_unit_test(fluxes_are_as_given),
        cmocka_unit_test(no_gradient_is_symmetry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
