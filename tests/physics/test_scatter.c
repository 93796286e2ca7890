/* Cercignani-Lampis walls: exact free-molecular shear, conservation, the diffuse limit, the same results on
 * all devices. */
#include "expect.h"

#include "backend/backend.h"

/* Shear stress between plates at -u/2 and u/2 without collisions: every wall reverses the part 1 - a of the
 * tangential momentum that arrives, so that the stress is u / sqrt(pi) times a / (2 - a).  Round-off of
 * single precision is below 1e-6; the transient decreases by the factor |1 - a| per crossing. */
static void couette_shear(void **state)
{
    (void)state;
    static const double tangential[] = {0.4, 0.8, 1.3};
    for (int i = 0; i < 9; i++) {
        struct watch w;
        char text[512];
        const double a = tangential[i % 3];
        snprintf(
            text, sizeof text,
            "collision.method=none space.cells=4 space.order=%d velocity.nodes=6 velocity.reduce=%s "
            "time.end=120 "
            "time.courant=0.9 walls.left.velocity=[0,-0.5,0] walls.right.velocity=[0,0.5,0] "
            "walls.left.tangential=%g walls.right.tangential=%g walls.left.normal=0.7 walls.right.normal=0.3",
            1 + i / 3, i % 2 ? "none" : "auto", a, a);
        watch_run(&w, text);
        expect_relative("shear", -w.walls[KN_LEFT].stress[1] * sqrt(M_PI), a / (2 - a), 1e-6);
        expect_near("mass flux", w.walls[KN_RIGHT].mass_flux, 0, 1e-7);
        watch_close(&w);
    }
}

/* Energy of the normal motion and of each tangential one are exchanged with the eigenvalues 1 - a_n and (1 -
 * a_t)^2: the heat flux between plates is the sum of both parts.  The normal motion carries the flux of
 * v_n^2, the tangential ones those of v_t^2; with accommodation e of a part, its flux is that of diffuse
 * walls times e / (2 - e). */
static void heat_flux(void **state)
{
    (void)state;
    struct watch w;
    const double at = 0.6, an = 0.7, e = 1 - (1 - at) * (1 - at);
    const double exact = (0.5 * an / (2 - an) + 0.5 * e / (2 - e)) / sqrt(M_PI);
    watch_run(&w, "collision.method=none space.cells=4 velocity.nodes=8 time.end=120 time.courant=0.9 "
                  "walls.left.temperature=0.5 walls.right.temperature=-0.5 walls.left.tangential=0.6 "
                  "walls.right.tangential=0.6 walls.left.normal=0.7 walls.right.normal=0.7");
    expect_relative("heat flux", w.walls[KN_LEFT].heat_flux, exact, 1e-5);
    watch_close(&w);
}

/* The viscous slip coefficient of the BGK equation is close to 1.772 / a - 0.754 (Sharipov 2003), here at a
 * wall with a far field; the grid and the remaining transient cause 0.5 %. */
static void viscous_slip(void **state)
{
    (void)state;
    struct watch w;
    watch_run(
        &w,
        "collision.method=bgk gas.delta=10 space.cells=40 velocity.nodes=10 time.end=1500 time.courant=0.4 "
        "walls.left.tangential=0.5 walls.right.kind=far-field walls.right.gradient.velocity=[0,1,0]");
    const double far = w.fields[36 * KN_FIELDS + KN_UY], place = 36.5 / 40 * 10;
    expect_relative("slip", far - place, 1.772 / 0.5 - 0.754, 5e-3);
    watch_close(&w);
}

/* With a_t = a_n = 1 the wall is the diffuse one, bit for bit; every device computes the same. */
static void limits_and_devices(void **state)
{
    (void)state;
    static const char plane[] = "space.cells=[8,8] velocity.nodes=6 collision.method=bgk time.end=1 "
                                "walls.top.velocity=[1,0,0.5] walls.left.temperature=0.5 "
                                "bodies.bar.box.low=[0.25,0.25] bodies.bar.box.high=[0.5,0.5] ";
    char text[1024];
    struct watch one, two;
    watch_run(&one, plane);
    snprintf(text, sizeof text, "%swalls.top.kind=cercignani-lampis bodies.bar.kind=cercignani-lampis",
             plane);
    watch_run(&two, text);
    for (int i = 0; i < 64 * KN_FIELDS; i++)
        assert_true(one.fields[i] == two.fields[i] || isnan(one.fields[i]));
    watch_close(&one);
    watch_close(&two);
    for (int i = 0; kn_backend_names[i]; i++) {
        const struct kn_backend *backend = kn_backend_find(kn_backend_names[i], KN_METHOD_BGK);
        if (!backend || backend->available() != KN_OK)
            continue;
        for (int finite = 0; finite < 2; finite++) {
            snprintf(text, sizeof text,
                     "%swalls.top.tangential=0.7 walls.left.normal=0.4 bodies.bar.tangential=1.4 %s"
                     "run.backend=cpu",
                     plane,
                     finite ? "disturbance=0.5 walls.top.oscillation.velocity=[0.5,0,0] "
                              "walls.top.oscillation.temperature=0.3 walls.top.oscillation.frequency=1 "
                            : "");
            watch_run(&one, text);
            snprintf(strstr(text, "run.backend="), 40, "run.backend=%s", kn_backend_names[i]);
            watch_run(&two, text);
            for (int k = 0; k < 64 * KN_FIELDS; k++)
                if (!isnan(one.fields[k]))
                    expect_near("field", two.fields[k], one.fields[k], 1e-5);
            expect_near("mass", two.row->mass_drift, 0, 2e-6);
            watch_close(&one);
            watch_close(&two);
        }
    }
}

/* Couette flow without collisions at a finite disturbance between walls of the temperature T of the gas.  The
 * normal motion stays in equilibrium, so that the shear stress is n (T / pi)^(1/2) U a / (2 - a).  Of the
 * molecules that arrive at the wall with velocity u, <v_t^2> = s and <v_t> = p; those that leave have
 * u^2 a^2 + 2 u a (1 - a) p + (1 - a)^2 s + T / 2 (1 - (1 - a)^2). */
static void finite_couette(void **state)
{
    (void)state;
    static const struct {
        double a, temperature;
        const char *settings;
    } flows[] = {
        {0.4, 0, "velocity.reduce=none"},
        {1.3, 0, "space.order=3"},
        {0.7, 0.5, "gas.reference.temperature=0.5 gas.reference.velocity=[0,0.3,0]"},
        {0.7, 0.3, "velocity.reduce=none"},
    };
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        struct watch w;
        char text[1024];
        const double a = flows[i].a, theta = flows[i].temperature, t = 1 + theta, r = 1 - a, u = 0.5;
        snprintf(text, sizeof text,
                 "collision.method=none disturbance=1 space.cells=4 velocity.nodes=12 time.end=100 "
                 "time.courant=0.9 walls.left.velocity=[0,-0.5,0] "
                 "walls.right.velocity=[0,0.5,0] walls.left.tangential=%g walls.right.tangential=%g "
                 "walls.left.normal=0.7 walls.right.normal=0.3 walls.left.temperature=%g "
                 "walls.right.temperature=%g %s",
                 a, a, theta, theta, flows[i].settings);
        watch_run(&w, text);
        const double p = a / (2 - a) * u,
                     s = (u * u * a * a - 2 * u * a * r * p + t / 2 * (1 - r * r)) / (1 - r * r);
        expect_relative("shear", -w.walls[KN_LEFT].stress[1], a / (2 - a) * sqrt(t / M_PI), 2e-5);
        expect_near("stress", w.fields[1 * KN_FIELDS + KN_PYY], 2 * s - 1, 5e-5);
        expect_near("mass flux", w.walls[KN_RIGHT].mass_flux, 0, 2e-7);
        expect_near("mass", w.row->mass_drift, 0, 1e-6);
        watch_close(&w);
    }
}

/* The gas comes into the same equilibrium with hot walls that move along it whatever their accommodation, and
 * a closed box keeps its mass while walls oscillate. */
static void finite_equilibrium(void **state)
{
    (void)state;
    static const char flow[] =
        "disturbance=0.5 collision.method=bgk space.cells=[6,6] velocity.nodes=8 time.courant=0.9 "
        "walls.top.temperature=0.6 walls.bottom.temperature=0.6 walls.left.temperature=0.6 "
        "walls.right.temperature=0.6 walls.top.velocity=[0,0,0.4] walls.bottom.velocity=[0,0,0.4] "
        "walls.left.velocity=[0,0,0.4] walls.right.velocity=[0,0,0.4] ";
    static const char scattering[] = "walls.top.tangential=0.3 walls.bottom.tangential=1.6 "
                                     "walls.left.normal=0.2 walls.right.tangential=0.5 ";
    struct watch diffuse, w;
    char text[1024];
    snprintf(text, sizeof text, "%stime.end=100", flow);
    watch_run(&diffuse, text);
    snprintf(text, sizeof text, "%s%stime.end=100", flow, scattering);
    watch_run(&w, text);
    for (int i = 0; i < 36 * KN_FIELDS; i++)
        if (!isnan(w.fields[i]))
            expect_near("field", w.fields[i], diffuse.fields[i], 5e-6);
    expect_near("temperature", w.fields[KN_THETA], 0.6, 1e-4);
    expect_near("velocity", w.fields[KN_UZ], 0.4, 1e-4);
    watch_close(&diffuse);
    watch_close(&w);
    snprintf(text, sizeof text,
             "%s%stime.end=5 walls.top.oscillation.velocity=[1,0,0] walls.top.oscillation.temperature=0.4 "
             "walls.top.oscillation.frequency=2",
             flow, scattering);
    watch_run(&w, text);
    expect_near("mass", w.row->mass_drift, 0, 1e-6);
    watch_close(&w);
}

/* The linearised equation is the limit of small disturbances. */
static void linear_limit(void **state)
{
    (void)state;
    static const char flow[] =
        "collision.method=bgk space.cells=[8,8] velocity.nodes=6 time.end=3 walls.top.velocity=[1,0,0.5] "
        "walls.top.tangential=0.6 walls.left.temperature=0.5 walls.left.normal=0.3 "
        "walls.bottom.tangential=1.5";
    struct watch linear, small;
    char text[1024];
    watch_run(&linear, flow);
    snprintf(text, sizeof text, "%s disturbance=1e-4", flow);
    watch_run(&small, text);
    for (int i = 0; i < 64 * KN_FIELDS; i++)
        if (!isnan(linear.fields[i]))
            expect_near("field", small.fields[i], linear.fields[i], 2e-4);
    watch_close(&linear);
    watch_close(&small);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *message;
    } wrong[] = {
        {"walls.top.normal=0.5 walls.top.accommodation=0.5",
         "walls.top.accommodation: 0.5 together with normal"},
        {"walls.top.kind=specular walls.top.normal=0.5",
         "walls.top.normal: has no meaning at a side of kind specular"},
        {"walls.top.tangential=0.5 walls.top.oscillation.velocity=[0,1,0] walls.top.oscillation.frequency=1",
         "of a cercignani-lampis wall"},
        {"walls.left.tangential=0.5 walls.right.temperature=8 disturbance=1",
         "walls.left.temperature: 0.178 times the temperature of the reference"},
        {"walls.right.tangential=0.5 walls.right.temperature=1 disturbance=1 gas.reference.temperature=0",
         "walls.right.temperature: 2 times the temperature of the reference"},
        {"walls.top.tangential=0.5 walls.top.oscillation.velocity=[0,1,0] walls.top.oscillation.frequency=1 "
         "disturbance=1",
         "displaces the wall"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kn_case c;
        expect_case(&c, wrong[i].settings);
        assert_int_equal(kn_case_check(&c), KN_EINPUT);
        if (!strstr(kn_error_message(), wrong[i].message))
            fail_msg("'%s' has no '%s'", kn_error_message(), wrong[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couette_shear),      cmocka_unit_test(heat_flux),
        cmocka_unit_test(viscous_slip),       cmocka_unit_test(finite_couette),
        cmocka_unit_test(finite_equilibrium), cmocka_unit_test(linear_limit),
        cmocka_unit_test(limits_and_devices), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
