/* Bodies in the gas: exact free-molecular forces and heat, conservation, and the same results on all devices.
 */
#include "expect.h"

#include "backend/backend.h"

static const double FLUX = 0.56418958354775628; /* 1 / sqrt(pi) */

static void run_bodies(struct watch *w, const char *settings, struct kn_body_flux bodies[KN_BODIES])
{
    watch_run(w, settings);
    expect_ok(kn_sim_bodies(w->sim, bodies));
}

/* A plate in the middle of a gap exchanges heat and momentum with both walls: twice the exact fluxes between
 * two plates.  As in test_freemolecular, the slowest molecules contribute less than 1e-4. */
static void plate_between_walls(void **state)
{
    (void)state;
    struct watch w;
    struct kn_body_flux b[KN_BODIES];
    run_bodies(&w,
               "collision.method=none space.cells=16 velocity.nodes=12 time.end=40 time.courant=0.9 "
               "bodies.sheet.plate.axis=x bodies.sheet.plate.at=0.5 bodies.sheet.temperature=1 "
               "bodies.sheet.velocity=[0,1,0]",
               b);
    expect_relative("heat", b[0].heat, -2 * FLUX, 1e-4);
    expect_relative("force", b[0].force[1], -2 * FLUX, 1e-4);
    expect_near("force across", b[0].force[0], 0, 1e-6);
    expect_relative("heat at the wall", w.walls[KN_RIGHT].heat_flux, FLUX, 1e-4);
    watch_close(&w);
}

/* The drag of a square in a free-molecular stream is (6 / sqrt(pi) + sqrt(pi)) a p0 U / V0; far boundaries
 * emit the undisturbed stream and absorb everything.  8 nodes and 4 cells per side of the square resolve the
 * wake within 0.5 %. The same body moving through gas at rest has the same drag: the difference is the
 * uniform flow, which the scheme represents exactly. */
static void square_in_a_stream(void **state)
{
    (void)state;
    static const char stream[] = "collision.method=none velocity.nodes=[10,10,4] space.cells=[16,16] "
                                 "space.size=[4,4,1] time.end=16 time.courant=0.9 "
                                 "bodies.bar.box.low=[1.5,1.5] bodies.bar.box.high=[2.5,2.5] "
                                 "walls.left.kind=inflow walls.right.kind=inflow walls.bottom.kind=inflow "
                                 "walls.top.kind=inflow ";
    char text[1024];
    struct watch w;
    struct kn_body_flux b[KN_BODIES], moving[KN_BODIES];
    snprintf(text, sizeof text,
             "%swalls.left.velocity=[1,0,0] walls.right.velocity=[1,0,0] walls.bottom.velocity=[1,0,0] "
             "walls.top.velocity=[1,0,0]",
             stream);
    run_bodies(&w, text, b);
    expect_relative("drag", b[0].force[0], 5.15759, 5e-3);
    expect_near("lift", b[0].force[1], 0, 1e-5);
    expect_near("torque", b[0].torque[2], 0, 1e-5);
    watch_close(&w);
    snprintf(text, sizeof text, "%sbodies.bar.velocity=[-1,0,0]", stream);
    run_bodies(&w, text, moving);
    expect_relative("drag of the moving square", moving[0].force[0], 5.15759, 5e-3);
    watch_close(&w);
}

/* A square of side a = 1 that rotates in gas at rest: its faces do not see each other, and the stress at each
 * is that of a plate that moves through the gas, 1 / sqrt(pi) along it and 2 / sqrt(pi) + sqrt(pi) / 2 across
 * it.  The torque is -(1 / sqrt(pi) + (2 / sqrt(pi) + sqrt(pi) / 2) (1 - 1 / n^2) / 3) for n cells per side.
 * A polygon of the same shape has the same.
 */
static void square_that_rotates(void **state)
{
    (void)state;
    enum { N = 4 };
    static const char *const shapes[] = {"box.low=[0.5,0.5] bodies.bar.box.high=[1.5,1.5]",
                                         "polygon=[0.5,0.5,1.5,0.5,1.5,1.5,0.5,1.5]"};
    const double across = 2 * FLUX + sqrt(M_PI) / 2, torque = FLUX + across * (1 - 1.0 / (N * N)) / 3;
    for (int i = 0; i < 2; i++) {
        struct watch w;
        struct kn_body_flux b[KN_BODIES];
        char text[1024];
        snprintf(text, sizeof text,
                 "collision.method=none velocity.nodes=[10,10,4] space.cells=[8,8] space.size=[2,2,1] "
                 "time.end=0.5 space.order=1 bodies.bar.rotation=1 walls.left.kind=inflow "
                 "walls.right.kind=inflow walls.bottom.kind=inflow walls.top.kind=inflow bodies.bar.%s",
                 shapes[i]);
        run_bodies(&w, text, b);
        expect_relative("torque", b[0].torque[2], -torque, 1e-5);
        expect_near("force", b[0].force[0], 0, 1e-6);
        watch_close(&w);
    }
}

/* The heat from a wall whose temperature varies is that of a wall with the mean temperature, if the ends of
 * the other axis are mirrors: the mean over the wall of a linear equation. The ends of the list are at those
 * of the wall, and its values between them. */
static void temperature_along_a_wall(void **state)
{
    (void)state;
    static const char *const drives[] = {"walls.left.temperature=[0,1]", "walls.left.temperature=0.5",
                                         "bodies.sheet.temperature=[0,0,2,0,0]",
                                         "bodies.sheet.temperature=[0.5,0.5]"};
    struct watch w[4];
    for (int i = 0; i < 4; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "collision.method=bgk space.cells=[6,8] velocity.nodes=6 time.end=4 walls.bottom.kind=symmetry "
            "walls.top.kind=symmetry bodies.sheet.plate.axis=x bodies.sheet.plate.at=0.5 %s",
            drives[i]);
        watch_run(&w[i], text);
    }
    expect_relative("heat", w[0].walls[KN_LEFT].heat_flux, w[1].walls[KN_LEFT].heat_flux, 1e-5);
    expect_relative("heat of a plate", w[2].walls[KN_LEFT].heat_flux, w[3].walls[KN_LEFT].heat_flux, 1e-5);
    const double *low = w[0].fields, *high = low + (size_t)7 * 6 * KN_FIELDS;
    assert_true(low[KN_THETA] > 0 && high[KN_THETA] > 2 * low[KN_THETA]);
    for (int i = 0; i < 4; i++)
        watch_close(&w[i]);
}

/* A periodic box with a solid layer is the channel between two plates: the same flow rate, and the
 * permeability that follows from it, porosity G_P delta / 2. */
static void permeability_of_a_channel(void **state)
{
    (void)state;
    struct watch plates, layer;
    watch_run(&plates, "collision.method=bgk gas.delta=2 space.cells=[1,10] velocity.nodes=6 time.end=20 "
                       "walls.left.kind=periodic walls.right.kind=periodic source.force=[1,0,0]");
    watch_run(&layer,
              "collision.method=bgk gas.delta=2 space.cells=[2,12] space.size=[0.2,1.2] velocity.nodes=6 "
              "time.end=20 walls.left.kind=periodic walls.right.kind=periodic walls.bottom.kind=periodic "
              "walls.top.kind=periodic source.force=[1,0,0] bodies.layer.box.high=[auto,0.2] "
              "time.step=0.02");
    expect_relative("flow rate", layer.row->flow_force, plates.row->flow_force, 1e-3);
    expect_relative("permeability", layer.row->permeability, layer.row->flow_force / 1.2, 1e-9);
    assert_true(isnan(plates.row->permeability));
    watch_close(&plates);
    watch_close(&layer);
}

static const char several[] = "space.cells=[16,12] velocity.nodes=6 gas.delta=2 "
                              "bodies.bar.box.low=[0.25,0.25] bodies.bar.box.high=[0.5,0.5] "
                              "bodies.bar.temperature=[0.2,0.8] bodies.bar.accommodation=0.8 "
                              "bodies.wall.plate.axis=x bodies.wall.plate.at=0.5625 "
                              "bodies.wall.plate.open=[0.5,0.75] "
                              "bodies.fin.box.low=[0.75,0.5] bodies.fin.box.high=[0.9375,0.5] "
                              "bodies.mirror.box.low=[0.625,0] bodies.mirror.box.high=[0.6875,0.25] "
                              "bodies.mirror.accommodation=0 ";

/* Gas in equilibrium with all bodies stays at rest bit for bit; hot bodies neither create nor destroy mass,
 * up to the round-off of sums in single precision; solid cells have no values. */
static void conservation(void **state)
{
    (void)state;
    static const char *const methods[] = {"bgk", "shakhov", "operator"};
    for (int i = 0; i < 6; i++) {
        char text[1024];
        struct watch w;
        snprintf(text, sizeof text,
                 "%scollision.method=%s space.order=%d disturbance=%g walls.top.velocity=[1,0,0] time.end=1",
                 several, methods[i % 3], 1 + i % 3, i < 3 ? 0 : 0.2);
        watch_run(&w, text);
        expect_near("mass", w.row->mass_drift, 0, 2e-6);
        assert_true(isnan(w.fields[(3 * 16 + 4) * KN_FIELDS + KN_RHO]));
        assert_true(isfinite(w.fields[(2 * 16 + 4) * KN_FIELDS + KN_RHO]));
        assert_true(isfinite(w.row->average[KN_THETA]) && w.row->average[KN_THETA] > 0);
        watch_close(&w);
        snprintf(text, sizeof text, "%sbodies.bar.temperature=0 time.end=1 collision.method=%s", several,
                 methods[i % 3]);
        watch_run(&w, text);
        assert_true(w.row->size == 0);
        watch_close(&w);
    }
}

/* Every device computes the same forces; a source does not act inside bodies. GPUs refuse mirrors above first
 * order. */
static void devices_agree(void **state)
{
    (void)state;
    for (int i = 0; kn_backend_names[i]; i++)
        for (int order = 1; order <= 3; order++) {
            struct watch w, own;
            struct kn_body_flux expected[KN_BODIES], found[KN_BODIES];
            char text[1024];
            const struct kn_backend *backend = kn_backend_find(kn_backend_names[i], KN_METHOD_BGK);
            if (!backend || backend->available() != KN_OK)
                continue;
            snprintf(
                text, sizeof text,
                "%s%scollision.method=bgk source.force=[0.3,0,0.2] space.order=%d time.end=1 run.backend=cpu",
                several, backend == &kn_backend_cuda && order > 1 ? "bodies.mirror.accommodation=0.5 " : "",
                order);
            run_bodies(&own, text, expected);
            snprintf(strstr(text, "run.backend="), 40, "run.backend=%s", kn_backend_names[i]);
            run_bodies(&w, text, found);
            for (int k = 0; k < 4 * KN_BODY_VALUES; k++)
                expect_near("force, torque or heat", ((double *)found)[k], ((double *)expected)[k], 1e-5);
            watch_close(&own);
            watch_close(&w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plate_between_walls),
        cmocka_unit_test(square_in_a_stream),
        cmocka_unit_test(square_that_rotates),
        cmocka_unit_test(temperature_along_a_wall),
        cmocka_unit_test(permeability_of_a_channel),
        cmocka_unit_test(conservation),
        cmocka_unit_test(devices_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
