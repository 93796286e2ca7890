/* Estimated end of runs with synthetic clocks and residuals, whose end is known. */
#include "expect.h"

#include "run/eta.h"

static const double FACTOR = 1.5; /* required accuracy after a tenth of the run */

static uint64_t seed = 1; /* of the noise */

/* A synthetic run: step n ends at clock(n), with a row every ten steps. */
struct run {
    double (*clock)(double step);
    double (*residual)(double step); /* NULL: none */
    double (*output)(double step);   /* s spent on files up to a step; NULL: none */
    double limit, deadline;
    int64_t first, last;
    double end; /* step at which the run ends, if it is not the last */
};

static void play(const struct run *r, struct kn_eta *e, int64_t from, int64_t to)
{
    for (int64_t step = from; step <= to; step++) {
        const struct kn_eta_mark now = {r->clock((double)step), r->output ? r->output((double)step) : 0,
                                        step};
        if (step == r->first)
            kn_eta_start(e, &now, r->last, r->limit, r->deadline);
        kn_eta_step(e, &now);
        if (step % 10 == 0 && r->residual)
            kn_eta_row(e, step, r->residual((double)step));
    }
}

static struct kn_eta_left ask(const struct run *r, const struct kn_eta *e, int64_t step)
{
    const struct kn_eta_mark now = {r->clock((double)step), r->output ? r->output((double)step) : 0, step};
    return kn_eta_left(e, &now);
}

/* After a tenth of the steps the estimate must be accurate. */
static void expect_foresight(const struct run *r, double factor)
{
    static const double parts[] = {0.1, 0.25, 0.5, 0.75, 0.9};
    const double end = r->end > 0 ? r->end : (double)r->last;
    struct kn_eta e;
    int64_t done = r->first - 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char what[64];
        const int64_t step = r->first + (int64_t)(parts[i] * (end - (double)r->first));
        play(r, &e, done + 1, step);
        done = step;
        const double left = r->clock(end) - r->clock((double)step);
        snprintf(what, sizeof what, "ETA / true at %.0f %%", 100 * parts[i]);
        expect_between(what, ask(r, &e, step).seconds / left, 1 / factor, factor);
    }
}

/* ------------------------------------------------------------------- clocks */

static double steady(double step)
{
    return 100 + 0.01 * step;
}

static void test_constant_rate(void **state)
{
    (void)state;
    expect_foresight(&(struct run){steady, .deadline = INFINITY, .last = 10000}, 1.001);
}

static void test_nothing_is_known_before_the_first_step(void **state)
{
    (void)state;
    const struct kn_eta_mark start = {7, 0, 0};
    struct kn_eta e;
    kn_eta_start(&e, &start, 100, 0, INFINITY);
    assert_true(isinf(kn_eta_left(&e, &start).seconds));
    expect_near("rate", kn_eta_rate(&e), 0, 0);
}

/* The first 5 % of the steps are three times as slow, or as fast, as all others. */
static double slow_start(double step)
{
    return step < 500 ? 0.03 * step : 15 + 0.01 * (step - 500);
}

static double fast_start(double step)
{
    return step < 500 ? 0.01 * step : 5 + 0.03 * (step - 500);
}

static void test_change_at_five_per_cent(void **state)
{
    (void)state;
    expect_foresight(&(struct run){slow_start, .deadline = INFINITY, .last = 10000}, FACTOR);
    expect_foresight(&(struct run){fast_start, .deadline = INFINITY, .last = 10000}, FACTOR);
}

/* The mean since the start would give 53 s and 42 s below. */
static double slow_half(double step)
{
    return step < 5000 ? 0.01 * step : 50 + 0.03 * (step - 5000);
}

static void test_change_in_the_middle(void **state)
{
    (void)state;
    const struct run r = {slow_half, .deadline = INFINITY, .last = 10000};
    struct kn_eta e;
    play(&r, &e, 0, 6000);
    expect_relative("left after 1000 slow steps", ask(&r, &e, 6000).seconds, 120, 0.4);
    play(&r, &e, 6001, 7500);
    expect_relative("left after 2500 slow steps", ask(&r, &e, 7500).seconds, 75, 0.15);
}

/* One step of 20 s at the start: reading the program, first touch of memory. */
static double late_start(double step)
{
    return step < 1 ? 0 : 20 + 0.01 * step;
}

static void test_slow_first_step(void **state)
{
    (void)state;
    expect_foresight(&(struct run){late_start, .deadline = INFINITY, .last = 100000}, 1.05);
}

/* Writing a file takes 2 s every 1000 steps of 10 ms: a sixth of the time, but not in the recent past. */
static double output_pauses(double step)
{
    return 2 * floor(step / 1000);
}

static double with_pauses(double step)
{
    return 0.01 * step + output_pauses(step);
}

static void test_output(void **state)
{
    (void)state;
    const struct run r = {with_pauses, .output = output_pauses, .deadline = INFINITY, .last = 100000};
    expect_foresight(&r, 1.1);
    struct kn_eta e;
    play(&r, &e, 0, 50000);
    expect_relative("rate without output", kn_eta_rate(&e), 100, 1e-6);
}

/* The machine was faster some hours before. */
static double long_ago(double step)
{
    return step < 36000 ? step : 36000 + 3 * (step - 36000);
}

static void test_memory(void **state)
{
    (void)state;
    const struct run r = {long_ago, .deadline = INFINITY, .last = 40000};
    struct kn_eta e;
    play(&r, &e, 0, 36400);
    expect_relative("20 min after the change", ask(&r, &e, 36400).seconds, 3 * 3600, 0.05);
}

static void test_resumed(void **state)
{
    (void)state;
    const struct run r = {slow_start, .deadline = INFINITY, .first = 9000, .last = 10000};
    expect_foresight(&r, 1.001);
}

static void test_walltime(void **state)
{
    (void)state;
    struct run r = {steady, .deadline = 100 + 30, .last = 10000};
    struct kn_eta e;
    play(&r, &e, 0, 1000);
    const struct kn_eta_left left = ask(&r, &e, 1000);
    expect_near("left to the deadline", left.seconds, 20, 1e-9);
    assert_int_equal(left.by, KN_ETA_DEADLINE);
    r.deadline = 100 + 1000;
    play(&r, &e, 0, 1000);
    expect_near("left to the last step", ask(&r, &e, 1000).seconds, 90, 1e-6);
    assert_int_equal(ask(&r, &e, 1000).by, KN_ETA_LAST_STEP);
    play(&r, &e, 1001, 10000);
    expect_near("at the last step", ask(&r, &e, 10000).seconds, 0, 0);
}

/* ---------------------------------------------------------------- residuals */

/* Each falls to 1e-3 at step 5000. */
static double exponential(double step)
{
    return 10 * pow(1e-4, step / 5000);
}

static double noisy(double step)
{
    return exponential(step) * exp(0.3 * expect_random(&seed));
}

/* One of eight rows is an outlier, for instance because of a wave. */
static double spiked(double step)
{
    return exponential(step) * ((int)step % 80 == 0 ? 10 : 1);
}

/* From rest: u = 1 - exp(-k t), du/dt / u. */
static double from_rest(double step)
{
    return 1e-3 * expm1(8) / expm1(8 * step / 5000);
}

static void test_residual(void **state)
{
    (void)state;
    struct run r = {steady, .limit = 1e-3, .deadline = INFINITY, .last = 20000, .end = 5000};
    double (*const all[])(double) = {exponential, noisy, spiked};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        r.residual = all[i];
        expect_foresight(&r, FACTOR);
    }
    r.residual = from_rest;
    expect_foresight(&r, 2 * FACTOR); /* as 1 / t at first, which is not exponential */
    struct kn_eta e;
    play(&r, &e, 0, 2500);
    assert_int_equal(ask(&r, &e, 2500).by, KN_ETA_RESIDUAL);
}

static void test_limit_that_is_too_low(void **state)
{
    (void)state;
    struct run r = {steady, exponential, .limit = 1e-30, .deadline = INFINITY, .last = 20000};
    expect_foresight(&r, 1.01);
    r.limit = 0; /* not used */
    expect_foresight(&r, 1.01);
}

/* Noise keeps the residual above its limit: the run continues to its last step. */
static double plateau(double step)
{
    return fmax(exponential(step), 0.1) * exp(0.5 * expect_random(&seed));
}

static void test_plateau(void **state)
{
    (void)state;
    const struct run r = {steady, plateau, .limit = 1e-3, .deadline = INFINITY, .last = 20000};
    struct kn_eta e;
    play(&r, &e, 0, 6000); /* flat since step 2500 */
    expect_between("left / true on the plateau", ask(&r, &e, 6000).seconds / 140, 1 / FACTOR, FACTOR);
    play(&r, &e, 6001, 10000);
    expect_relative("left, later", ask(&r, &e, 10000).seconds, 100, 0.01);
    assert_int_equal(ask(&r, &e, 10000).by, KN_ETA_LAST_STEP);
}

static void test_resumed_residual(void **state)
{
    (void)state;
    const struct run r = {steady,        noisy,         .limit = 1e-3, .deadline = INFINITY,
                          .first = 3000, .last = 20000, .end = 5000};
    expect_foresight(&r, FACTOR);
}

/* Rows without information: the first, and those of a gas at rest. */
static void test_empty_rows(void **state)
{
    (void)state;
    const struct kn_eta_mark start = {0, 0, 0}, later = {10, 0, 1000};
    struct kn_eta e;
    kn_eta_start(&e, &start, 2000, 1e-3, INFINITY);
    kn_eta_step(&e, &later);
    for (int64_t step = 0; step < 1000; step += 10)
        kn_eta_row(&e, step, step % 20 ? NAN : 0);
    expect_near("left", kn_eta_left(&e, &later).seconds, 10, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_rate),
        cmocka_unit_test(test_nothing_is_known_before_the_first_step),
        cmocka_unit_test(test_change_at_five_per_cent),
        cmocka_unit_test(test_change_in_the_middle),
        cmocka_unit_test(test_slow_first_step),
        cmocka_unit_test(test_output),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_resumed),
        cmocka_unit_test(test_walltime),
        cmocka_unit_test(test_residual),
        cmocka_unit_test(test_limit_that_is_too_low),
        cmocka_unit_test(test_plateau),
        cmocka_unit_test(test_resumed_residual),
        cmocka_unit_test(test_empty_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
