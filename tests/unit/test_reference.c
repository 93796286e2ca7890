/* The choice of the reference state, its keys, and the conversion of fluxes. */
#include "expect.h"

#include "config/config.h"
#include "config/reference.h"

static struct kn_reference reference_of(const char *settings)
{
    struct kn_case c;
    expect_case(&c, "space.cells=10 collision.method=bgk disturbance=0.5");
    expect_set(&c, settings);
    expect_ok(kn_case_check(&c));
    return kn_reference_of(&c);
}

/* Theory (58): the middle of the temperatures, at least 1 / 1.6 of the highest; T0 if it is near. */
static void chosen_by_the_program(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double ratio; /* Tr / T0 */
    } cases[] = {
        {"", 1},
        {"walls.right.temperature=0.4", 1}, /* 1.2 T0: 1.1 is near */
        {"walls.right.temperature=2", 1.5},
        {"walls.right.temperature=2 walls.left.temperature=4", 2},
        {"walls.right.temperature=20", 6.875},
        {"walls.right.temperature=6 walls.left.temperature=-1", 2.5}, /* 0.5 and 4 T0 */
        {"walls.right.temperature=-1", 1},                            /* colder than T0 */
        {"walls.right.temperature=1 walls.right.oscillation.temperature=1 "
         "walls.right.oscillation.frequency=1",
         1.5},
        {"walls.right.velocity=[0,2,0]", 1.2}, /* stopped gas has 1.4 T0 */
        {"walls.right.velocity=[0,2,0] gas.reference.velocity=[0,2,0] walls.left.velocity=[0,2,0]", 1},
        {"walls.left.kind=inflow walls.left.velocity=[2,0,0]", 1.2},
        {"walls.right.temperature=2 walls.right.accommodation=0", 1}, /* it emits nothing */
        {"walls.right.temperature=2 disturbance=0", 1},
        {"walls.right.temperature=2 initial.shape=density initial.amplitude=0.1", 1},
        {"walls.left.kind=inflow walls.right.kind=inflow initial.shape=between walls.left.temperature=2 "
         "walls.right.temperature=4",
         2.5}, /* there is no gas at rest */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_near(cases[i].settings, reference_of(cases[i].settings).ratio, cases[i].ratio, 1e-12);
}

static void chosen_by_a_key(void **state)
{
    (void)state;
    const struct kn_reference r = reference_of(
        "walls.right.temperature=2 gas.reference.temperature=0.5 gas.reference.velocity=[0,0,1]");
    expect_near("Tr", r.ratio, 1.25, 0);
    expect_near("Vr", r.speed, sqrt(1.25), 1e-15);
    expect_near("velocity", r.velocity[2], 1, 0);
    assert_true(reference_of("walls.right.temperature=2 gas.reference.temperature=0").at_rest);
    assert_false(reference_of("gas.reference.velocity=[0,1,0]").at_rest);
}

/* 300 K is T0; V0 of argon is 353.4 m/s. */
static void values_with_units(void **state)
{
    (void)state;
    struct kn_case c;
    char text[KN_TEXT];
    expect_case(&c, "space.cells=10 gas.species=argon gas.temperature=300K gas.pressure=1kPa space.size=1um "
                    "disturbance=0.5 gas.reference.temperature=750K gas.reference.velocity=[0,100m/s,0]");
    expect_ok(kn_case_check(&c));
    expect_relative("temperature", c.gas.reference.temperature, 3, 1e-12);
    expect_relative("velocity", c.gas.reference.velocity[1], 100 / (0.5 * 353.393), 1e-4);
    assert_true(kn_reference_text(&c, text));
    assert_string_equal(text, "temperature 2.5 T0 = 750 K, velocity [0, 0.283, 0] V0");
    expect_set(&c, "gas.reference.temperature=auto gas.reference.velocity=[0,0,0]");
    assert_false(kn_reference_text(&c, text));
}

static void assert_refused(const char *settings, const char *message)
{
    struct kn_case c;
    expect_case(&c, "space.cells=10 collision.method=bgk disturbance=0.5");
    expect_set(&c, settings);
    if (kn_case_check(&c) != KN_EINPUT || !strstr(kn_error_message(), message))
        fail_msg("for <%s> expected <%s>, got <%s>", settings, message, kn_error_message());
}

static void refusals(void **state)
{
    (void)state;
    assert_refused("disturbance=0 gas.reference.temperature=1", "gas.reference.temperature: has no effect");
    assert_refused("disturbance=0 gas.reference.velocity=[0,1,0]", "gas.reference.velocity: has no effect");
    assert_refused("gas.reference.temperature=-2", "below absolute zero");
    assert_refused("gas.reference.velocity=[1,0,0]", "the gas is not uniform along x");
    assert_refused("gas.reference.velocity=[0,1,0] walls.bottom.kind=symmetry walls.top.kind=symmetry",
                   "the gas is not uniform along y");
    assert_refused("gas.reference.temperature=1 initial.shape=density", "initial.shape: density is a");
    assert_refused("gas.reference.temperature=1 initial.shape=bkw initial.amplitude=0.1",
                   "initial.shape: bkw is a");
}

/* An axis with a moving reference is stored whole. */
static void folding(void **state)
{
    (void)state;
    struct kn_plan_size still, moving;
    struct kn_case c;
    expect_case(&c, "space.cells=10 collision.method=bgk disturbance=0.5 velocity.nodes=8");
    expect_ok(kn_sim_plan(&c, &kn_comm_alone, &still));
    expect_set(&c, "gas.reference.velocity=[0,0,1]");
    expect_ok(kn_sim_plan(&c, &kn_comm_alone, &moving));
    assert_int_equal(moving.nodes, 2 * still.nodes);
}

/* Theory (56) against sums over a few molecules in both frames. */
static void fluxes(void **state)
{
    (void)state;
    enum { MOLECULES = 7 };
    const double eps = 0.5, w[3] = {0.4, 0, -0.6}; /* along x and z; the face is normal to y */
    const struct kn_reference r = kn_reference_make(eps, 1.4, w, 0.5);
    uint64_t seed = 1;
    double here[KN_FLUXES] = {0}, there[KN_FLUXES] = {0};
    for (int i = 0; i < MOLECULES; i++) {
        const double weight = 1 + expect_random(&seed);
        double u[3], v[3], uu = 0, vv = 0; /* in units of the reference, and of the gas at rest */
        for (int d = 0; d < 3; d++) {
            u[d] = 2 * expect_random(&seed);
            v[d] = eps * w[d] + r.speed * u[d];
            uu += u[d] * u[d];
            vv += v[d] * v[d];
        }
        const double psi_u[] = {1, u[0], u[1], u[2], uu}, psi_v[] = {1, v[0], v[1], v[2], vv};
        for (int k = 0; k < KN_FLUXES; k++) {
            here[k] += weight * u[1] * psi_u[k] / eps;
            there[k] += weight * v[1] * psi_v[k] / eps;
        }
    }
    here[2] -= 1 / (2 * eps); /* of the equilibrium parts, only the pressure is not zero */
    there[2] -= 1 / (2 * eps);
    kn_reference_restore_fluxes(&r, eps, (double[]){0, 1, 0}, here);
    for (int k = 0; k < KN_FLUXES; k++)
        expect_near("flux", here[k], there[k], 1e-12 * (1 + fabs(there[k])));
}

/* A checkpoint about another reference is refused. */
static void restart(void **state)
{
    (void)state;
    struct watch w;
    watch_open(&w, "space.cells=4 collision.method=bgk disturbance=0.5 walls.right.temperature=2");
    struct kn_sim_state at = kn_sim_state(w.sim);
    expect_near("Tr", at.reference, 1.5, 0);
    expect_ok(kn_sim_restore(w.sim, &at));
    at.reference = 1;
    assert_int_equal(kn_sim_restore(w.sim, &at), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "the checkpoint has 1 T0, the case 1.5 T0"));
    watch_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_by_the_program),
        cmocka_unit_test(chosen_by_a_key),
        cmocka_unit_test(values_with_units),
        cmocka_unit_test(refusals),
        cmocka_unit_test(folding),
        cmocka_unit_test(fluxes),
        cmocka_unit_test(restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
