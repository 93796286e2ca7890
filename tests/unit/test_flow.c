/* Which cases are the same flow: what a result may be compared with. */
#include "config/config.h"
#include "expect.h"
#include "config/flow.h"

/* A case with settings over the default ones. */
static struct kn_case with(const char *const *settings)
{
    struct kn_case c;
    kn_case_default(&c);
    for (; *settings; settings++)
        assert_int_equal(kn_config_set(&c, *settings, NULL), KN_OK);
    return c;
}
#define WITH(...) with((const char *const[]){__VA_ARGS__, NULL})

static void expect_flow(struct kn_case a, struct kn_case b, bool same)
{
    assert_int_equal(kn_flow_is_same(&a, &b), same);
    assert_int_equal(kn_flow_is_same(&b, &a), same);
}

/* Disturbances up to 0.05 act as none; larger ones are those that they are. */
static void disturbances(void **state)
{
    (void)state;
    expect_flow(WITH("disturbance=0"), WITH("disturbance=0.05"), true);
    expect_flow(WITH("disturbance=0.01"), WITH("disturbance=0.04"), true);
    expect_flow(WITH("disturbance=0"), WITH("disturbance=0.06"), false);
    expect_flow(WITH("disturbance=0.04"), WITH("disturbance=0.06"), false);
    expect_flow(WITH("disturbance=0.96"), WITH("disturbance=1"), false);
    expect_flow(WITH("disturbance=1"), WITH("disturbance=1"), true);
}

static void gases(void **state)
{
    (void)state;
    const char *sampled = "collision.method=monte-carlo", *exact = "collision.method=operator",
               *bgk = "collision.method=bgk", *shakhov = "collision.method=shakhov", *one = "disturbance=1",
               *none = "disturbance=0";
    expect_flow(WITH(sampled), WITH(exact), true);
    expect_flow(WITH(exact), WITH(bgk), false);
    expect_flow(WITH(bgk), WITH(shakhov), false);
    expect_flow(WITH(exact), WITH(exact, "gas.molecules=maxwell"), false);
    expect_flow(WITH(none, bgk), WITH(none, bgk, "gas.molecules=maxwell"), true);
    expect_flow(WITH(one, bgk), WITH(one, bgk, "gas.molecules=maxwell"), false);
    expect_flow(WITH(shakhov), WITH(shakhov, "collision.prandtl=0.7"), false);
    expect_flow(WITH(bgk), WITH(bgk, "collision.prandtl=0.7"), true); /* which has one of its own */
}

static void boxes(void **state)
{
    (void)state;
    const char *plane = "space.cells=[8, 8]";
    expect_flow(WITH(plane), WITH("space.cells=[40, 20]"), true);
    expect_flow(WITH(plane), WITH("space.cells=8"), false);
    expect_flow(WITH(plane), WITH(plane, "space.size=[1, 2]"), false);
    expect_flow(WITH(plane), WITH(plane, "walls.top.velocity=[1, 0, 0]"), false);
    expect_flow(WITH(plane), WITH(plane, "walls.top.accommodation=0.9"), false);
    expect_flow(WITH(plane), WITH(plane, "source.force=[1, 0, 0]"), false);
    expect_flow(WITH(plane), WITH(plane, "initial.shape=stress"), false);
    expect_flow(WITH(plane), WITH(plane, "time.end=7", "velocity.nodes=6", "space.order=1"), true);
}

/* delta stands apart: a report says at which others a flow is known. */
static void rarefactions(void **state)
{
    (void)state;
    const struct kn_case one = WITH("gas.delta=1"), near = WITH("gas.delta=1.0005"),
                         far = WITH("gas.delta=1.01");
    expect_flow(one, far, true);
    assert_true(kn_flow_is_as_rare(&one, &near));
    assert_false(kn_flow_is_as_rare(&one, &far));
    assert_false(kn_flow_is_as_rare(&far, &one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disturbances),
        cmocka_unit_test(gases),
        cmocka_unit_test(boxes),
        cmocka_unit_test(rarefactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
