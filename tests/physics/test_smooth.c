/* Smooth bodies: exact free-molecular drag and heat, conservation, stability at any position on the cells,
 * and the same results on all devices. */
#include "expect.h"

#include "backend/backend.h"

static void run_bodies(struct watch *w, const char *settings, struct kn_body_flux bodies[KN_BODIES])
{
    watch_run(w, settings);
    expect_ok(kn_sim_bodies(w->sim, bodies));
}

/* The drag of a cylinder is sqrt(pi) (3 + pi / 2) R p0 U / V0, and the gas exerts neither lift nor torque.
 * Six cells across the cylinder lose 0.5 % of its surface. */
static void cylinder_in_a_stream(void **state)
{
    (void)state;
    struct watch w;
    struct kn_body_flux b[KN_BODIES];
    run_bodies(&w,
               "collision.method=none velocity.nodes=[8,8,4] space.cells=[18,18] space.size=[3,3,1] "
               "time.end=12 time.courant=0.9 bodies.wire.cylinder.centre=[1.5,1.5] "
               "bodies.wire.cylinder.radius=0.5 walls.left.kind=inflow walls.right.kind=inflow "
               "walls.bottom.kind=inflow walls.top.kind=inflow walls.left.velocity=[1,0,0] "
               "walls.right.velocity=[1,0,0] walls.bottom.velocity=[1,0,0] walls.top.velocity=[1,0,0]",
               b);
    expect_relative("drag", b[0].force[0], 8.10153 / 2, 8e-3);
    expect_near("lift", b[0].force[1], 0, 1e-2);
    expect_near("torque", b[0].torque[2], 0, 1e-2);
    watch_close(&w);
}

static const char rings[] = "space.size=[2.2,2.2,1] bodies.inner.cylinder.centre=[1.1,1.1] "
                            "bodies.inner.cylinder.radius=0.5 bodies.inner.temperature=1 "
                            "bodies.outer.cylinder.centre=[1.1,1.1] bodies.outer.cylinder.radius=1 "
                            "bodies.outer.outside=true ";

static double ring_heat(const char *more, int cells)
{
    char text[1024];
    struct watch w;
    struct kn_body_flux b[KN_BODIES];
    snprintf(text, sizeof text, "%s space.cells=[%d,%d] time.courant=0.9 %s", rings, cells, cells, more);
    run_bodies(&w, text, b);
    expect_relative("heat of both", b[1].heat, -b[0].heat, 2e-3);
    expect_near("mass", w.row->mass_drift, 0, 1e-6);
    watch_close(&w);
    return b[0].heat;
}

/* The inner of two concentric cylinders emits 2 pi R / sqrt(pi) without collisions: the gas between them does
 * not return a molecule to it. */
static void heat_between_cylinders(void **state)
{
    (void)state;
    expect_relative("heat", ring_heat("collision.method=none velocity.nodes=8 gas.delta=2 time.end=20", 22),
                    -2 * sqrt(M_PI), 8e-3);
}

static const char stream[] =
    "collision.method=none velocity.nodes=[8,8,4] space.cells=[18,18] space.size=[3,3,1] time.end=12 "
    "time.courant=0.9 bodies.wire.cylinder.centre=[1.5,1.5] bodies.wire.cylinder.radius=0.5 "
    "walls.left.kind=inflow walls.right.kind=inflow walls.bottom.kind=inflow walls.top.kind=inflow ";

static double drag_of(const char *surface)
{
    char text[1024];
    struct watch w;
    struct kn_body_flux b[KN_BODIES];
    snprintf(text, sizeof text, "%s%s", stream, surface);
    run_bodies(&w, text, b);
    expect_near("lift", b[0].force[1], 0, 1e-2);
    expect_near("torque", b[0].torque[2], 0, 1e-2);
    expect_near("heat", b[0].heat, 0, 1e-2);
    watch_close(&w);
    return b[0].force[0];
}

/* The normal momentum that the kernel of Cercignani and Lampis returns of that which arrives: the sum over l
 * of (1 - a)^l pi / 4 ((-1/2)_l / l!)^2. */
static double returned_momentum(double a)
{
    double sum = 0, ratio = 1, power = 1;
    for (int l = 0; l < 2000; l++) {
        sum += power * M_PI / 4 * ratio * ratio;
        ratio *= (l - 0.5) / (l + 1);
        power *= 1 - a;
    }
    return sum;
}

/* A specular cylinder has the drag 4 sqrt(pi) R, the diffuse one sqrt(pi) (3 + pi / 2) R, and one of
 * Cercignani and Lampis sqrt(pi) (2 + a_t + 2 S) R, where S is the returned momentum.  A cylinder that moves
 * in gas at rest has the same drag.  The chords lose as much as on a diffuse cylinder. */
static void drag_of_reflecting_cylinders(void **state)
{
    (void)state;
    static const char wind[] = "walls.left.velocity=[1,0,0] walls.right.velocity=[1,0,0] "
                               "walls.bottom.velocity=[1,0,0] walls.top.velocity=[1,0,0] ";
    const double unit = sqrt(M_PI) / 2, diffuse = (3 + M_PI / 2) * unit;
    char text[512];
    snprintf(text, sizeof text, "%s", wind);
    const double loss = drag_of(text) / diffuse;
    for (int i = 0; i < 3; i++) {
        const double alpha[] = {0.9, 0.5, 0.1}, at[] = {0.9, 0.4, 1.5}, an[] = {0.8, 0.3, 0.5};
        snprintf(text, sizeof text, "%sbodies.wire.accommodation=%g", wind, alpha[i]);
        expect_relative("drag", drag_of(text), loss * (alpha[i] * diffuse + (1 - alpha[i]) * 4 * unit), 1e-3);
        snprintf(text, sizeof text, "bodies.wire.velocity=[-1,0,0] bodies.wire.accommodation=%g", alpha[i]);
        expect_relative("drag of a moving cylinder", drag_of(text),
                        loss * (alpha[i] * diffuse + (1 - alpha[i]) * 4 * unit), 2e-3);
        snprintf(text, sizeof text, "%sbodies.wire.tangential=%g bodies.wire.normal=%g", wind, at[i], an[i]);
        expect_relative("drag, Cercignani and Lampis", drag_of(text),
                        loss * (2 + at[i] + 2 * returned_momentum(an[i])) * unit, 2e-3);
    }
}

/* A share alpha of the molecules takes the temperature of the inner cylinder; after Cercignani and Lampis
 * their mean energy has the share (a_n + a_t (2 - a_t)) / 2. */
static void heat_of_reflecting_cylinders(void **state)
{
    (void)state;
    static const char flow[] = "collision.method=none velocity.nodes=8 gas.delta=2 time.end=20";
    char text[512];
    const double diffuse = ring_heat(flow, 22);
    snprintf(text, sizeof text, "%s bodies.inner.accommodation=0.4", flow);
    expect_relative("heat", ring_heat(text, 22), 0.4 * diffuse, 1e-3);
    snprintf(text, sizeof text, "%s bodies.inner.tangential=0.6 bodies.inner.normal=0.3", flow);
    expect_relative("heat", ring_heat(text, 22), (0.3 + 0.6 * 1.4) / 2 * diffuse, 3e-3);
}

/* A sphere has the drag 8 / 3 sqrt(pi) (1 + S + a) R^2, where S is 1 for specular reflection, with a = 0. */
static void drag_of_a_reflecting_sphere(void **state)
{
    (void)state;
    double drag[2];
    for (int i = 0; i < 2; i++) {
        struct watch w;
        struct kn_body_flux b[KN_BODIES];
        char text[1024];
        snprintf(
            text, sizeof text,
            "collision.method=none velocity.nodes=6 space.cells=[10,10,10] space.size=[2,2,2] time.end=4 "
            "time.courant=0.9 bodies.a.sphere.centre=[1,1,1] bodies.a.sphere.radius=0.5 "
            "walls.left.kind=inflow walls.right.kind=inflow walls.bottom.kind=inflow walls.top.kind=inflow "
            "walls.back.kind=inflow walls.front.kind=inflow walls.left.velocity=[1,0,0] "
            "walls.right.velocity=[1,0,0] walls.bottom.velocity=[1,0,0] walls.top.velocity=[1,0,0] "
            "walls.back.velocity=[1,0,0] walls.front.velocity=[1,0,0] bodies.a.accommodation=%g",
            i ? 0.3 : 1.0);
        run_bodies(&w, text, b);
        drag[i] = b[0].force[0];
        watch_close(&w);
    }
    expect_relative("drag", drag[1], drag[0] * (0.3 * (2 + M_PI / 4) + 0.7 * 2) / (2 + M_PI / 4), 3e-3);
}

/* With collisions the heat converges with the second order: on 16, 24 and 36 cells. The gap has one and five
 * mean free paths. */
static void order_of_heat(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "collision.method=bgk velocity.nodes=6 gas.delta=2 time.end=12",
        "collision.method=bgk velocity.nodes=6 gas.delta=10 time.end=60",
    };
    for (int i = 0; i < 2; i++) {
        const double coarse = ring_heat(settings[i], 16), middle = ring_heat(settings[i], 24),
                     fine = ring_heat(settings[i], 36);
        print_message("heat %.6f %.6f %.6f\n", coarse, middle, fine);
        expect_relative("error of 24 cells", middle, fine, 4e-3);
        expect_below("order", fabs(middle - fine), fabs(coarse - middle) / pow(1.5, 1.8));
    }
}

/* A uniform gas of another density stays uniform: surfaces are closed, and what they emit is what arrives. */
static void uniform_gas(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "space.cells=[14,13] bodies.a.cylinder.centre=[0.47,0.53] bodies.a.cylinder.radius=0.31 "
        "bodies.a.accommodation=0.3 ",
        "space.cells=[14,13] bodies.a.polygon=[0.2,0.3,0.8,0.25,0.55,0.8] bodies.a.outside=true ",
        "space.cells=[9,8,7] space.size=[1,1,1] bodies.a.sphere.centre=[0.47,0.53,0.5] "
        "bodies.a.sphere.radius=0.3 bodies.a.tangential=0.4 bodies.a.normal=0.2 ",
    };
    for (int i = 0; i < 9; i++) {
        char text[1024];
        struct watch w;
        snprintf(text, sizeof text,
                 "%s initial.shape=density initial.amplitude=1 velocity.nodes=4 space.order=%d "
                 "collision.method=%s "
                 "time.end=2",
                 bodies[i % 3], 1 + i / 3, i % 2 ? "none" : "bgk");
        watch_run(&w, text);
        for (int cell = 0; cell < kn_sim_cells(w.sim); cell++) {
            const double *field = w.fields + (size_t)cell * KN_FIELDS;
            if (kn_sim_space(w.sim)->volume[cell] == 0)
                assert_true(isnan(field[KN_RHO]));
            else {
                expect_near("density", field[KN_RHO], 1, 2e-6);
                expect_near("velocity", field[KN_UX], 0, 2e-6);
            }
        }
        watch_close(&w);
    }
}

static const char several[] = "space.cells=[16,14] velocity.nodes=6 collision.samples=200 time.end=1.5 "
                              "bodies.wire.cylinder.centre=[0.33,0.6] "
                              "bodies.wire.cylinder.radius=0.18 bodies.fin.polygon=[0.6,0,0.9,0,0.7,0.5] "
                              "bodies.bar.box.low=[0,0.9285714] "
                              "bodies.bar.box.high=[0.5,1] ";

/* Gas between bodies of other temperatures and velocities keeps its mass, with all methods and orders; gas in
 * equilibrium with bodies stays at rest bit for bit. */
static void conservation(void **state)
{
    (void)state;
    static const char *const methods[] = {"bgk", "shakhov", "es-bgk", "operator", "monte-carlo", "none"};
    for (int i = 0; i < 12; i++) {
        char text[1024];
        struct watch w;
        snprintf(text, sizeof text,
                 "%scollision.method=%s space.order=%d disturbance=%g bodies.wire.temperature=0.5 "
                 "bodies.wire.rotation=2 bodies.wire.accommodation=0.6 walls.top.velocity=[1,0,0]",
                 several, methods[i % 6], 1 + (i + i / 6) % 3, i < 6 ? 0.0 : 0.2);
        watch_run(&w, text);
        expect_near("mass", w.row->mass_drift, 0, 2e-6);
        assert_true(isfinite(w.row->average[KN_THETA]) && w.row->average[KN_THETA] > 0);
        watch_close(&w);
    }
    for (int order = 1; order <= 3; order++) {
        char text[1024];
        struct watch w;
        snprintf(text, sizeof text, "%scollision.method=operator space.order=%d disturbance=0.1", several,
                 order);
        watch_run(&w, text);
        assert_true(w.row->size == 0);
        watch_close(&w);
    }
}

/* Forces, torques and heat are the same on all devices that have control volumes, for a wall that oscillates.
 */
static void devices_agree(void **state)
{
    (void)state;
    for (int i = 0; kn_backend_names[i]; i++) {
        struct watch w, own;
        struct kn_body_flux expected[KN_BODIES], found[KN_BODIES];
        char text[1024];
        const struct kn_backend *backend = kn_backend_find(kn_backend_names[i], KN_METHOD_BGK);
        if (!backend || backend == &kn_backend_cuda || backend->available() != KN_OK)
            continue;
        snprintf(text, sizeof text,
                 "%scollision.method=bgk source.force=[0.3,0,0.2] bodies.wire.oscillation.velocity=[1,0,0] "
                 "bodies.wire.oscillation.frequency=3 bodies.wire.rotation=1 run.backend=cpu",
                 several);
        run_bodies(&own, text, expected);
        snprintf(strstr(text, "run.backend="), 40, "run.backend=%s", kn_backend_names[i]);
        run_bodies(&w, text, found);
        for (int k = 0; k < 3 * KN_BODY_VALUES; k++)
            expect_near("force, torque or heat", ((double *)found)[k], ((double *)expected)[k], 1e-6);
        watch_close(&own);
        watch_close(&w);
    }
}

/* The largest time step is stable at every position of a body: a hundred crossings of the gas by its fastest
 * molecules add nothing to the gas around a body at rest. */
static void stability(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 12; i++) {
        char text[1024];
        struct watch w;
        const bool polygon = i % 3 == 2;
        const double x = 0.5 + 0.06 * expect_random(&seed), y = 0.5 + 0.06 * expect_random(&seed);
        if (polygon)
            snprintf(text, sizeof text, "bodies.a.polygon=[%g,%g,%g,%g,%g,%g,%g,%g] ", x - 0.3, y, x, y - 0.2,
                     x + 0.25, y, x + 0.1, y + 0.3);
        else
            snprintf(text, sizeof text, "bodies.a.cylinder.centre=[%g,%g] bodies.a.cylinder.radius=%g ", x, y,
                     0.2 + 0.02 * i);
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "space.cells=[16,16] velocity.nodes=6 collision.method=none initial.shape=temperature "
                 "initial.amplitude=1 initial.wave=[3,2,0] time.courant=1 time.end=40");
        watch_run(&w, text);
        expect_near("temperature", w.row->average[KN_THETA], 0, 1e-3);
        expect_below("largest disturbance", w.row->size, 1e-2);
        watch_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinder_in_a_stream),
        cmocka_unit_test(heat_between_cylinders),
        cmocka_unit_test(drag_of_reflecting_cylinders),
        cmocka_unit_test(heat_of_reflecting_cylinders),
        cmocka_unit_test(drag_of_a_reflecting_sphere),
        cmocka_unit_test(order_of_heat),
        cmocka_unit_test(uniform_gas),
        cmocka_unit_test(conservation),
        cmocka_unit_test(devices_agree),
        cmocka_unit_test(stability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
