/* Ports: exact free-molecular flows, the pressure of dense gas at a port, and the balance of mass. */
#include "expect.h"

#include "backend/backend.h"

static const double FLUX = 0.56418958354775628; /* 1 / sqrt(pi) */

static void run_ports(struct watch *w, const char *settings, struct kn_port_flux ports[KN_PORTS])
{
    watch_run(w, settings);
    expect_ok(kn_sim_ports(w->sim, ports));
}

/* Free molecules between a reservoir at n0 and a vacuum: half of them fly to the right, everywhere. */
static void effusion(void **state)
{
    (void)state;
    struct watch w;
    struct kn_port_flux p[KN_PORTS];
    run_ports(
        &w,
        "collision.method=none disturbance=1 space.cells=8 velocity.nodes=12 time.end=60 time.courant=0.9 "
        "ports.in.kind=reservoir ports.out.side=right ports.out.kind=vacuum",
        p);
    expect_relative("mass flow", p[0].mass, FLUX / 2, 1e-4);
    expect_relative("mass flow out", p[1].mass, -FLUX / 2, 1e-4);
    expect_near("density", w.fields[4 * KN_FIELDS + KN_RHO], -0.5, 1e-4);
    watch_close(&w);
}

/* A slit in a thin plate between two reservoirs: without collisions the flow is that through its area.  The
 * gas that moves towards the slit is uniform, and order 2 with a limiter keeps it so; order 3 would see the
 * shadow behind the plate, with an error of 1 % on four cells. */
static void slit(void **state)
{
    (void)state;
    struct watch w;
    struct kn_port_flux p[KN_PORTS];
    run_ports(&w,
              "collision.method=none velocity.nodes=[8,8,4] space.cells=[8,16] space.size=[1,2,1] "
              "time.end=24 space.order=2 "
              "time.courant=0.9 walls.bottom.kind=symmetry walls.top.kind=symmetry "
              "bodies.wall.plate.axis=x bodies.wall.plate.at=0.5 bodies.wall.plate.open=[0.5,1] "
              "ports.in.kind=reservoir ports.in.pressure=1 ports.out.side=right ports.out.kind=reservoir",
              p);
    expect_relative("mass flow", p[0].mass, 0.5 * FLUX / 2, 1e-4);
    expect_near("balance", p[0].mass + p[1].mass, 0, 1e-3 * p[0].mass);
    watch_close(&w);
}

/* Transmission probability of a duct as long as it is high between two reservoirs: 0.6844 (Berman 1965). */
static void duct(void **state)
{
    (void)state;
    struct watch w;
    struct kn_port_flux p[KN_PORTS];
    run_ports(
        &w,
        "collision.method=none velocity.nodes=[12,12,4] space.cells=[10,20] time.end=24 time.courant=0.9 "
        "ports.in.kind=reservoir ports.in.pressure=1 ports.out.side=right ports.out.kind=reservoir",
        p);
    expect_relative("transmission", p[0].mass / p[0].area * 2 / FLUX, 0.6844, 5e-3);
    expect_relative("area", p[0].area, 1, 1e-12);
    watch_close(&w);
}

/* Mean over y of the pressure in a column of cells. */
static double pressure_at(const struct watch *w, int nx, int ny, int x)
{
    double sum = 0;
    for (int y = 0; y < ny; y++) {
        const double *q = w->fields + (size_t)(y * nx + x) * KN_FIELDS;
        sum += q[KN_RHO] + q[KN_THETA];
    }
    return sum / ny;
}

/* A channel of dense gas between two ports.  The pressure is linear between them, so that its extrapolation
 * to the inlet is the pressure of the gas there: that of a pressure port up to the entrance effect, 2 % of
 * the difference. A reservoir has a jump of about sqrt(pi) times the flux, theory (22d). */
static void pressure_of_dense_gas(void **state)
{
    (void)state;
    static const char *const kinds[] = {"pressure", "reservoir"};
    enum { NX = 24, NY = 8 };
    for (int i = 0; i < 2; i++) {
        struct watch w;
        struct kn_port_flux p[KN_PORTS];
        char text[1024];
        snprintf(
            text, sizeof text,
            "collision.method=bgk gas.delta=20 velocity.nodes=[6,6,4] space.cells=[%d,%d] space.size=[4,1,1] "
            "time.end=700 time.courant=0.9 ports.in.pressure=1 ports.out.pressure=-1 ports.out.side=right "
            "ports.in.kind=%s ports.out.kind=%s",
            NX, NY, kinds[i], kinds[i]);
        run_ports(&w, text, p);
        const double a = pressure_at(&w, NX, NY, 6), b = pressure_at(&w, NX, NY, 10),
                     inlet = a + (a - b) / 4 * 6.5, jump = sqrt(M_PI) * p[0].mass / p[0].area;
        expect_near("pressure at the inlet", inlet, i == 0 ? 1 : 1 - jump, i == 0 ? 0.02 : 0.2);
        expect_near("balance", p[0].mass + p[1].mass, 0, 1e-3 * p[0].mass);
        watch_close(&w);
    }
}

/* A uniform stream is an exact solution of the whole equation: gas at p0 and T0 that moves at eps u = 0.4 V0
 * from a port of given flow to one of given pressure. 10 nodes represent it up to 1e-5. */
static void uniform_stream(void **state)
{
    (void)state;
    struct watch w;
    struct kn_port_flux p[KN_PORTS];
    run_ports(&w,
              "collision.method=bgk gas.delta=2 disturbance=0.4 velocity.nodes=10 space.cells=6 time.end=40 "
              "ports.in.kind=flow ports.in.flow=1 ports.out.side=right",
              p);
    expect_relative("flow", p[0].mass, 1, 1e-6);
    expect_relative("flow out", p[1].mass, -1, 1e-5);
    for (int cell = 0; cell < 6; cell++) {
        expect_near("density", w.fields[cell * KN_FIELDS + KN_RHO], 0, 2e-5);
        expect_near("velocity", w.fields[cell * KN_FIELDS + KN_UX], 1, 2e-5);
        expect_near("temperature", w.fields[cell * KN_FIELDS + KN_THETA], 0, 2e-5);
    }
    expect_near("stress", p[1].stress, 2 * 0.4, 5e-5);
    watch_close(&w);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *message;
    } wrong[] = {
        {"ports.in.kind=vacuum", "ports.in.kind: vacuum at disturbance 0"},
        {"ports.in.flow=1", "ports.in.flow: 1 with kind: pressure"},
        {"ports.in.kind=flow", "ports.in.flow: 0 with kind: flow"},
        {"ports.in.kind=flow ports.in.flow=1 ports.in.pressure=1", "follows from the flow"},
        {"ports.in.side=front", "ports.in.side: walls.front is periodic"},
        {"ports.in.from=[0,0.51]", "ports.in.from: 0.51 along y is not at an edge"},
        {"ports.in.from=[0,0.5] ports.in.to=[0,0.25]", "is no part of the side"},
        {"ports.a.to=[0,0.5] ports.b.from=[0,0.25]", "ports.b: overlaps ports.a"},
        {"ports.a.kind=reservoir disturbance=1 ports.a.pressure=-1", "ports.a.pressure: is not above 0"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kn_case c;
        expect_case(&c, wrong[i].settings);
        assert_int_equal(kn_case_check(&c), KN_EINPUT);
        if (!strstr(kn_error_message(), wrong[i].message))
            fail_msg("'%s' has no '%s'", kn_error_message(), wrong[i].message);
    }
}

/* Every device computes the same flows. */
static void devices_agree(void **state)
{
    (void)state;
    for (int i = 0; kn_backend_names[i]; i++) {
        struct watch w, own;
        struct kn_port_flux expected[KN_PORTS], found[KN_PORTS];
        char settings[512];
        const struct kn_backend *backend = kn_backend_find(kn_backend_names[i], KN_METHOD_BGK);
        const bool flows = backend != &kn_backend_cuda; /* a GPU has linear ports of given pressure only */
        if (!backend || backend->available() != KN_OK)
            continue;
        snprintf(settings, sizeof settings,
                 "collision.method=bgk gas.delta=2 velocity.nodes=6 space.cells=[12,12] time.end=1 "
                 "ports.in.pressure=1 ports.in.to=[0,0.5] ports.out.side=right ports.out.temperature=0.5 "
                 "ports.top.side=top ports.top.kind=reservoir ports.low.side=bottom ports.low.kind=%s "
                 "disturbance=%g run.backend=",
                 flows ? "flow ports.low.flow=-0.4" : "reservoir", flows && i % 2 ? 0.3 : 0);
        char text[1024];
        snprintf(text, sizeof text, "%scpu", settings);
        run_ports(&own, text, expected);
        snprintf(text, sizeof text, "%s%s", settings, kn_backend_names[i]);
        run_ports(&w, text, found);
        for (int k = 0; k < 4; k++) {
            expect_near("mass flow", found[k].mass, expected[k].mass, 1e-5);
            expect_near("heat", found[k].heat, expected[k].heat, 1e-5);
        }
        watch_close(&own);
        watch_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effusion),       cmocka_unit_test(slit),
        cmocka_unit_test(duct),           cmocka_unit_test(pressure_of_dense_gas),
        cmocka_unit_test(uniform_stream), cmocka_unit_test(refused),
        cmocka_unit_test(devices_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
