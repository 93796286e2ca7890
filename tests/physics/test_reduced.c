/* Reduced axes, theory section 4: the same fields as on the full grid. */
#include "expect.h"

/* Largest difference of a field between two runs, relative to the largest value of any field. */
static double difference(const char *settings)
{
    struct watch full, reduced;
    char text[512];
    double worst = 0, size = 0;
    snprintf(text, sizeof text, "%s velocity.reduce=none", settings);
    watch_run(&full, text);
    watch_run(&reduced, settings);
    assert_true(kn_sim_nodes(reduced.sim) < kn_sim_nodes(full.sim));
    for (int64_t cell = 0; cell < kn_sim_cells(full.sim); cell++)
        for (int f = 0; f < KN_FIELDS; f++) {
            const double a = watch_field(&full, cell, (enum kn_field)f);
            worst = fmax(worst, fabs(watch_field(&reduced, cell, (enum kn_field)f) - a));
            size = fmax(size, fabs(a));
        }
    watch_close(&full);
    watch_close(&reduced);
    return worst / size;
}

/* Linearised, all functions of the velocities along reduced axes are polynomials, and both grids are exact.
 * At eps = 0.3 the full grid with 14 nodes has a quadrature error of about 1e-5 along these axes; with 8
 * nodes the largest difference is 1e-3. */
static void same_fields_as_the_full_grid(void **state)
{
    (void)state;
    const char *const methods[] = {"bgk", "shakhov", "es-bgk", "none"};
    const char *const flows[] = {
        /* a plane flow; z is folded */
        "space.cells=[7,6] velocity.nodes=[8,8,14] walls.top.velocity=[1,0,0] walls.left.temperature=0.5 "
        "time.end=1",
        /* y is not folded: a wall moves along it */
        "space.cells=8 velocity.nodes=[8,14,14] walls.left.velocity=[0,1,0] walls.right.temperature=0.5 "
        "time.end=2",
        /* neither y nor z is folded */
        "space.cells=8 velocity.nodes=[8,14,14] walls.left.velocity=[0,1,0.4] "
        "walls.right.velocity=[0,-0.2,-1] "
        "source.temperature_gradient=[0,0.2,0.1] time.end=1",
    };
    for (int i = 0; i < 3 * 4 * 2; i++) {
        const double eps = i % 2 ? 0.3 : 0;
        char text[512];
        if (i / 8 == 2 && eps > 0) /* the full grid would be the largest part of the time of this test */
            continue;
        snprintf(text, sizeof text, "%s collision.method=%s disturbance=%g", flows[i / 8], methods[i / 2 % 4],
                 eps);
        expect_below(text, difference(text), eps > 0 ? 1e-4 : 5e-6);
    }
}

/* Mass in ten thousand steps of a strong flow on reduced axes. */
static void mass_stays(void **state)
{
    (void)state;
    const char *const methods[] = {"bgk", "shakhov", "es-bgk"};
    for (int i = 0; i < 3; i++) {
        struct watch w;
        char text[256];
        snprintf(text, sizeof text,
                 "space.cells=[5,4] velocity.nodes=8 walls.top.velocity=[1,0,0] walls.left.temperature=0.5 "
                 "disturbance=0.5 collision.method=%s",
                 methods[i]);
        watch_open(&w, text);
        watch_advance(&w, 10000);
        expect_near(text, w.row->mass, 0, 1e-6);
        watch_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_fields_as_the_full_grid),
        cmocka_unit_test(mass_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
