/* Steady states by iteration: their number, and the solutions compared with exact and published ones and with
 * the end of time steps. */
#include "expect.h"

#include "steady/steady.h"

static bool has_converged(const struct kn_steady *s)
{
    const struct kn_steady_progress p = kn_steady_progress(s);
    return p.residual < 1e-6 && p.update < 1e-6;
}

/* Iterations to 1e-6 in residual and update; the results are in `w`, to be closed. */
static int solve(struct watch *w, const char *settings)
{
    struct kn_steady *s;
    char text[1200];
    int iterations = 0;
    snprintf(text, sizeof text, "time.mode=steady velocity.nodes=8 space.order=3 %s", settings);
    watch_open(w, text);
    expect_ok(kn_steady_create(&s, w->sim));
    for (; iterations < 100 && !has_converged(s); iterations++)
        expect_ok(kn_steady_iterate(s));
    expect_ok(kn_steady_store(s, true));
    expect_below(settings, kn_steady_progress(s).balance, 2e-5);
    kn_steady_destroy(s);
    watch_look(w);
    return iterations;
}

static const char *const flows[] = {
    "walls.left.velocity=[0,-0.5,0] walls.right.velocity=[0,0.5,0]",
    "source.force=[0,1,0]",
    "walls.left.temperature=-0.5 walls.right.temperature=0.5",
};

/* One-dimensional flows from free-molecular to continuum flow. */
static void any_knudsen_number(void **state)
{
    (void)state;
    static const char *const methods[] = {"operator", "bgk", "shakhov", "es-bgk"};
    for (int i = 0; i < 3; i++)
        for (int m = 0; m < 4; m++)
            for (double delta = 0.01; delta < 2000; delta *= m == 0 ? 10 : 100) {
                struct watch w;
                char text[256];
                snprintf(text, sizeof text, "%s space.cells=40 collision.method=%s gas.delta=%g", flows[i],
                         methods[m], delta);
                expect_below(text, solve(&w, text), 20.5);
                watch_close(&w);
            }
}

/* In a plane box, with 8 and 12 nodes. */
static void cavity(void **state)
{
    (void)state;
    const double deltas[] = {0.1, 10, 1000};
    for (int i = 0; i < 3; i++) {
        struct watch w;
        char text[256];
        snprintf(text, sizeof text,
                 "space.cells=[16,16] walls.top.velocity=[1,0,0] collision.method=operator gas.delta=%g",
                 deltas[i]);
        expect_below(text, solve(&w, text), 32.5);
        watch_close(&w);
    }
}

/* Finite disturbances need few more iterations than the linearised equation. */
static void nonlinear_flows(void **state)
{
    (void)state;
    static const char *const methods[] = {"operator", "bgk", "shakhov", "es-bgk"};
    for (int m = 0; m < 4; m++)
        for (double delta = 0.1; delta < 200; delta *= m == 0 ? 10 : 1000) {
            struct watch w;
            char text[256];
            snprintf(text, sizeof text,
                     "space.cells=40 collision.method=%s gas.delta=%g disturbance=1 walls.left.temperature=0 "
                     "walls.right.temperature=1",
                     methods[m], delta);
            expect_below(text, solve(&w, text), 23.5);
            watch_close(&w);
            snprintf(text, sizeof text,
                     "space.cells=40 collision.method=%s gas.delta=%g disturbance=0.5 "
                     "walls.left.velocity=[0,-0.5,0] walls.right.velocity=[0,0.5,0]",
                     methods[m], delta);
            expect_below(text, solve(&w, text), 18.5);
            watch_close(&w);
        }
}

/* Strong disturbances of dense gas: the moment equations are linearised about the solution. */
static void strong_disturbances_of_dense_gas(void **state)
{
    (void)state;
    static const struct {
        double most;
        const char *settings;
    } cases[] = {
        {20.5, "collision.method=operator space.cells=[16,16] gas.delta=100 disturbance=0.5 "
               "walls.top.velocity=[1,0,0]"},
        {25.5, "collision.method=bgk space.cells=[16,16] gas.delta=100 disturbance=1 "
               "walls.top.velocity=[1,0,0]"},
        {20.5, "collision.method=bgk space.cells=40 gas.delta=1000 disturbance=1 "
               "walls.left.velocity=[0,-0.5,0] walls.right.velocity=[0,0.5,0]"},
        {25.5, "collision.method=shakhov space.cells=40 gas.delta=1000 disturbance=1 "
               "walls.right.temperature=1"},
        {25.5, "collision.method=operator space.cells=40 gas.delta=1000 disturbance=1 "
               "walls.left.velocity=[0,-0.5,0] walls.right.velocity=[0,0.5,0]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct watch w;
        expect_below(cases[i].settings, solve(&w, cases[i].settings), cases[i].most);
        watch_close(&w);
    }
}

static double flow_of(const char *settings)
{
    struct watch w;
    solve(&w, settings);
    const double flow = w.row->flow_force;
    watch_close(&w);
    return flow;
}

/* G_P of the steady equations on 8 nodes: 17.664 and 167.655, computed on 160 and 320 cells in double
 * precision; BGK 1.53868 (16 nodes across the gap; 2e-3 on 32 cells). */
static void poiseuille_flow(void **state)
{
    (void)state;
    const char *thick = "source.force=[0,1,0] space.cells=40 space.stretch=[0.8696,1,1] "
                        "collision.method=operator gas.delta=%g";
    char text[256];
    snprintf(text, sizeof text, thick, 100.0);
    expect_relative("delta 100", flow_of(text), 17.664, 5e-4);
    snprintf(text, sizeof text, thick, 1000.0);
    expect_relative("delta 1000", flow_of(text), 167.655, 5e-4);
    expect_relative("BGK, delta 1",
                    flow_of("source.force=[0,1,0] space.cells=32 space.stretch=[0.9,1,1] "
                            "collision.method=bgk velocity.nodes=[16,8,8]"),
                    1.53868, 2e-3);
}

/* Stress of a Couette flow with slip: 1 / (delta + 2 sigma), sigma = 0.98733 for hard spheres. */
static void couette_flow_of_dense_gas(void **state)
{
    (void)state;
    struct watch w;
    solve(&w, "walls.left.velocity=[0,-0.5,0] walls.right.velocity=[0,0.5,0] space.cells=40 "
              "collision.method=operator gas.delta=888.5");
    expect_relative("stress", -w.walls[KN_LEFT].stress[1], 1 / (888.5 + 2 * 0.98733), 1e-3);
    expect_relative("other wall", w.walls[KN_RIGHT].stress[1], w.walls[KN_LEFT].stress[1], 1e-6);
    watch_close(&w);
}

/* Onsager: the heat that a force drives is the flow that a gradient drives.  Upwind differences, and equal
 * weights of both differences on equal cells, have this symmetry.  Parabolas have it up to their error. */
static void flows_are_reciprocal(void **state)
{
    (void)state;
    static const struct {
        double delta, tolerance;
        const char *cells;
    } cases[] = {
        {0.1, 1e-5, "space.stretch=[0.9,1,1]"},
        {1, 1e-5, "space.stretch=[0.9,1,1]"},
        {10, 3e-4, "space.stretch=[0.9,1,1]"},
        {10, 1e-5, "space.order=2 space.limiter=none"},
        {10, 1e-5, "space.order=1 space.stretch=[0.9,1,1]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct watch by_force, by_gradient;
        char text[256];
        const char *channel = "space.cells=40 collision.method=operator gas.delta=%g %s source.%s=[0,1,0]";
        snprintf(text, sizeof text, channel, cases[i].delta, cases[i].cells, "force");
        solve(&by_force, text);
        snprintf(text, sizeof text, channel, cases[i].delta, cases[i].cells, "temperature_gradient");
        solve(&by_gradient, text);
        expect_relative("G_T", by_gradient.row->flow_thermal, -by_force.row->average[KN_QY] / cases[i].delta,
                        cases[i].tolerance);
        watch_close(&by_force);
        watch_close(&by_gradient);
    }
}

/* The end of time steps on the same cells; it depends on the time step at second order, and at smooth bodies,
 * where the error of a step is proportional to the cells, at first order. */
static const char *const compared[] = {
    "space.cells=[6,6] velocity.nodes=6 collision.method=bgk walls.top.velocity=[1,0,0] "
    "walls.left.accommodation=0.5 walls.right.temperature=0.5",
    "space.cells=10 velocity.nodes=6 collision.method=shakhov walls.left.kind=inflow "
    "walls.left.density=1 "
    "walls.right.kind=inflow",
    "space.cells=10 velocity.nodes=6 collision.method=es-bgk walls.left.kind=symmetry "
    "walls.right.temperature=1 walls.right.velocity=[0,1,0] source.force=[0,1,0]",
    "space.cells=[6,6] velocity.nodes=6 collision.method=none walls.top.velocity=[1,0,0]",
    "disturbance=0.5 space.cells=[6,6] velocity.nodes=6 collision.method=bgk walls.top.velocity=[1,0,0] "
    "walls.right.temperature=1",
    "disturbance=1 space.cells=10 velocity.nodes=8 collision.method=shakhov walls.right.temperature=1",
    "disturbance=0.5 space.cells=10 velocity.nodes=6 collision.method=es-bgk walls.left.kind=inflow "
    "walls.left.density=1 walls.left.velocity=[0.3,0,0] walls.right.kind=inflow "
    "walls.right.velocity=[0.3,0,0]",
    "disturbance=0.5 space.cells=10 velocity.nodes=6 collision.method=operator "
    "walls.left.velocity=[0,-1,0] "
    "walls.right.velocity=[0,1,0]",
    /* bodies and walls of Cercignani and Lampis; ports; a finite disturbance and two separate parts */
    "space.cells=[8,8] velocity.nodes=6 collision.method=operator bodies.bar.box.low=[0.25,0.25] "
    "bodies.bar.box.high=[0.5,0.5] bodies.bar.temperature=1 bodies.bar.tangential=0.6 "
    "bodies.bar.velocity=[0,0,0.3] bodies.wall.plate.axis=x bodies.wall.plate.at=0.75 "
    "bodies.wall.plate.open=[0.5,0.75] bodies.wall.velocity=[0,1,0] walls.left.normal=0.5",
    "space.cells=[8,8] velocity.nodes=6 collision.method=bgk ports.in.kind=pressure ports.in.pressure=1 "
    "ports.out.side=right ports.out.kind=reservoir bodies.wall.plate.axis=x bodies.wall.plate.at=0.5 "
    "bodies.wall.plate.open=[0.5,1] walls.bottom.kind=symmetry",
    "space.cells=[6,6] velocity.nodes=6 collision.method=shakhov ports.in.kind=flow ports.in.flow=1 "
    "ports.out.side=right ports.out.kind=flow ports.out.flow=-1 walls.top.temperature=[0,1]",
    "disturbance=0.5 space.cells=[8,6] velocity.nodes=6 collision.method=bgk walls.left.temperature=1 "
    "bodies.wall.box.low=[0.5,0] bodies.wall.box.high=[0.625,1] bodies.wall.temperature=0.5",
    "disturbance=0.5 space.cells=[6,6] velocity.nodes=6 collision.method=bgk "
    "walls.top.velocity=[1,0,0.5] "
    "walls.right.temperature=1 walls.top.tangential=0.5 walls.right.normal=0.4 walls.left.tangential=1.4",
    "disturbance=1 space.cells=10 velocity.nodes=8 collision.method=shakhov walls.right.temperature=1 "
    "walls.left.tangential=0.3 walls.right.tangential=0.6 walls.right.normal=0.5 "
    "walls.right.velocity=[0,1,0] gas.reference.temperature=0.5",
    /* smooth bodies */
    "space.cells=[8,9] velocity.nodes=6 collision.method=bgk walls.top.velocity=[1,0,0] "
    "walls.left.kind=symmetry bodies.wire.cylinder.centre=[0,0.5] bodies.wire.cylinder.radius=0.3 "
    "bodies.wire.temperature=1 bodies.fin.polygon=[0.6,0,0.95,0,0.7,0.5] bodies.fin.velocity=[0,0,1]",
    "space.cells=[8,9] velocity.nodes=6 collision.method=bgk walls.top.velocity=[1,0,0] "
    "bodies.wire.cylinder.centre=[0.3,0.5] bodies.wire.cylinder.radius=0.2 bodies.wire.temperature=1 "
    "bodies.wire.accommodation=0.5 bodies.fin.polygon=[0.6,0,0.95,0,0.7,0.5] bodies.fin.tangential=0.4 "
    "bodies.fin.normal=0.5 bodies.fin.velocity=[0,0,1]",
    "disturbance=0.5 space.cells=[8,8] velocity.nodes=6 collision.method=bgk walls.top.velocity=[1,0,0] "
    "bodies.wire.cylinder.centre=[0.45,0.5] bodies.wire.cylinder.radius=0.25 bodies.wire.temperature=1 "
    "bodies.wire.rotation=1 bodies.wire.accommodation=0.7",
};

static void agrees_with_time_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
        struct watch steady, steps;
        char text[1024];
        solve(&steady, compared[i]);
        snprintf(text, sizeof text, "%s space.order=3 time.courant=0.1 time.end=40", compared[i]);
        watch_run(&steps, text);
        double largest = 0, worst = 0;
        for (int f = 0; f < KN_FIELDS * kn_sim_cells(steps.sim); f++) {
            largest = fmax(largest, fabs(steps.fields[f]));
            worst = fmax(worst, fabs(steps.fields[f] - steady.fields[f]));
        }
        const bool smooth = kn_sim_space(steps.sim)->volumes.count > 0;
        expect_below(compared[i], worst / largest, smooth ? 8e-3 : 4e-3);
        for (int side = 0; side < KN_SIDES; side++)
            expect_near(compared[i], steady.walls[side].heat_flux, steps.walls[side].heat_flux,
                        2e-3 * largest);
        watch_close(&steady);
        watch_close(&steps);
    }
}

/* Flow through a slit of width 1 between two vessels of length R, over the free-molecular flow.  The plane of
 * symmetry is at the bottom, and cells are small at the edge of the plate. */
static double slit(double delta, double length, const int cells[2], const char *kind)
{
    struct watch w;
    struct kn_port_flux p[KN_PORTS];
    char text[1024];
    snprintf(text, sizeof text,
             "gas.delta=%g collision.method=bgk space.cells=[%d,%d] space.size=[%g,%g] "
             "space.stretch=[0.75,0.75] space.cluster=[focus,focus] space.focus=[%g,0.5] "
             "bodies.wall.plate.axis=x bodies.wall.plate.at=%g bodies.wall.plate.open=[0,0.5] "
             "walls.bottom.kind=symmetry ports.in.pressure=1 ports.above.pressure=1 ports.above.side=top "
             "ports.above.to=[%g] ports.out.side=right ports.over.side=top ports.over.from=[%g] "
             "ports.in.kind=%s ports.above.kind=%s ports.out.kind=%s ports.over.kind=%s",
             delta, cells[0], cells[1], 2 * length, length, length, length, length, length, kind, kind, kind,
             kind);
    solve(&w, text);
    expect_ok(kn_sim_ports(w.sim, p));
    const double in = p[0].mass + p[1].mass, out = -p[2].mass - p[3].mass;
    expect_relative("balance", out, in, 1e-5);
    watch_close(&w);
    return in / (0.5 * delta * 0.28209479);
}

/* Without collisions the flow is that through the area.  In dense gas it hardly depends on the place of the
 * ports, which is 8 or 20 widths from the slit. */
static void slits(void **state)
{
    (void)state;
    const int small[2] = {30, 19}, large[2] = {36, 22};
    expect_relative("free molecular", slit(1e-3, 9.05, small, "reservoir"), 1, 5e-3);
    expect_relative("distance", slit(100, 21, large, "pressure"), slit(100, 9.05, small, "pressure"), 3e-3);
}

/* Velocity slip at walls of Cercignani and Lampis from the stress of Couette flow: 1.016191 for BGK and
 * diffuse walls, 1.772 / a - 0.754 for others (Sharipov). */
static void slip_coefficients(void **state)
{
    (void)state;
    const double tangential[] = {1, 0.75, 0.5, 0.25}, expected[] = {1.016191, 1.609, 2.790, 6.334};
    for (int i = 0; i < 4; i++) {
        struct watch w;
        char text[512];
        snprintf(
            text, sizeof text,
            "gas.delta=30 collision.method=%s space.cells=60 space.stretch=0.9434 walls.left.tangential=%g "
            "walls.right.tangential=%g walls.left.velocity=[0,-0.5,0] walls.right.velocity=[0,0.5,0]",
            i == 0 ? "bgk" : "shakhov", tangential[i], tangential[i]);
        expect_below(text, solve(&w, text), 18.5);
        expect_relative(text, (-1 / w.walls[KN_LEFT].stress[1] - 30) / 2, expected[i], 2e-3);
        watch_close(&w);
    }
}

/* Walls of Cercignani and Lampis with a ratio of temperatures of 4: the heat flux converges with the velocity
 * nodes, and their number has no effect on the iterations. */
static void hot_and_cold_walls(void **state)
{
    (void)state;
    double heat[2];
    for (int i = 0; i < 2; i++) {
        struct watch w;
        char text[512];
        snprintf(text, sizeof text,
                 "disturbance=1 gas.delta=0.2 space.cells=20 velocity.nodes=[%d,6,6] collision.method=bgk "
                 "walls.left.tangential=0.3 walls.left.normal=0.4 walls.right.tangential=0.3 "
                 "walls.right.normal=0.4 walls.right.temperature=3",
                 i ? 64 : 20);
        expect_below(text, solve(&w, text), 20.5);
        heat[i] = w.walls[KN_LEFT].heat_flux;
        watch_close(&w);
    }
    expect_relative("heat flux", heat[0], heat[1], 3e-3);
}

/* Gas between mirrors has no velocity and no temperature; a piston compresses closed gas. */
static void parts_without_a_steady_state(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"bodies.cap.plate.axis=x bodies.cap.plate.at=0.5 bodies.cap.accommodation=0 "
         "walls.left.kind=specular "
         "walls.bottom.kind=specular walls.top.kind=specular",
         "touches only mirrors"},
        {"bodies.piston.box.low=[0.5,0] bodies.piston.box.high=[1,1] bodies.piston.velocity=[1,0,0]",
         "changes the mass"},
    };
    for (int i = 0; i < 2; i++) {
        struct watch w;
        struct kn_steady *s;
        char text[512];
        snprintf(text, sizeof text,
                 "time.mode=steady space.cells=[4,4] velocity.nodes=6 collision.method=bgk %s", cases[i][0]);
        watch_open(&w, text);
        assert_int_equal(kn_steady_create(&s, w.sim), KN_EINPUT);
        assert_non_null(strstr(kn_error_message(), cases[i][1]));
        watch_close(&w);
    }
}

/* An oscillating plate: amplitude and phase of the stress on it and on the other plate, as in
 * cases/oscillating-couette/reference.csv; errors of 8 nodes and of the cells are below 1e-3. */
static void oscillating_plate(void **state)
{
    (void)state;
    const double delta[] = {10, 1}, amplitude[][2] = {{0.32703, 0.01975}, {0.34951, 0.33748}},
                 phase[][2] = {{0.50589, NAN}, {0.11471, -0.17197}};
    for (int i = 0; i < 2; i++) {
        struct watch w;
        struct kn_steady *s;
        struct kn_wall_flux real[KN_SIDES], imaginary[KN_SIDES];
        char text[256];
        snprintf(text, sizeof text,
                 "time.mode=frequency space.cells=48 space.stretch=[0.9,1,1] velocity.nodes=8 "
                 "collision.method=operator gas.delta=%g walls.right.oscillation.velocity=[0,1,0] "
                 "walls.right.oscillation.frequency=0.1 walls.right.oscillation.phase=0.3",
                 delta[i]);
        watch_open(&w, text);
        expect_ok(kn_steady_create(&s, w.sim));
        while (kn_steady_progress(s).iterations < 20 && !has_converged(s))
            expect_ok(kn_steady_iterate(s));
        assert_true(has_converged(s));
        expect_ok(kn_steady_part(s, 1));
        expect_ok(kn_sim_walls(w.sim, imaginary));
        expect_ok(kn_steady_part(s, 0));
        expect_ok(kn_sim_walls(w.sim, real));
        for (int other = 0; other < 2; other++) {
            const int side = other ? KN_LEFT : KN_RIGHT;
            const double re = -real[side].stress[1], im = -imaginary[side].stress[1];
            expect_relative("amplitude", hypot(re, im), amplitude[i][other], 1.5e-3);
            if (isfinite(phase[i][other]))
                expect_near("phase", atan2(im, re) - 0.3, phase[i][other], 5e-4);
        }
        kn_steady_destroy(s);
        watch_close(&w);
    }
}

/* Nothing drives the gas, or a mass that the box keeps. */
static void gas_at_rest(void **state)
{
    (void)state;
    struct watch w;
    expect_below("iterations", solve(&w, "space.cells=4 collision.method=bgk"), 1.5);
    assert_true(w.row->size == 0);
    watch_close(&w);
    solve(&w, "space.cells=8 collision.method=bgk initial.shape=density initial.wave=[1,0,0] "
              "initial.amplitude=2 walls.left.temperature=1");
    expect_near("mass", w.row->mass, w.monitor.initial[0], 1e-6);
    watch_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_knudsen_number),
        cmocka_unit_test(cavity),
        cmocka_unit_test(poiseuille_flow),
        cmocka_unit_test(couette_flow_of_dense_gas),
        cmocka_unit_test(nonlinear_flows),
        cmocka_unit_test(strong_disturbances_of_dense_gas),
        cmocka_unit_test(flows_are_reciprocal),
        cmocka_unit_test(agrees_with_time_steps),
        cmocka_unit_test(slits),
        cmocka_unit_test(slip_coefficients),
        cmocka_unit_test(hot_and_cold_walls),
        cmocka_unit_test(parts_without_a_steady_state),
        cmocka_unit_test(oscillating_plate),
        cmocka_unit_test(gas_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
