/* The remaining change of synthetic quantities with a known limit. */
#include "expect.h"

#include "monitor/trend.h"

/* The estimate after `rows` rows of a function of the row, divided by the true distance from the limit 0. */
static struct kn_trend_rest follow(double (*value)(double row), int rows)
{
    struct kn_trend t = {0};
    for (int i = 1; i <= rows; i++)
        kn_trend_add(&t, value(i));
    return kn_trend_rest(&t, value(rows));
}

static double exponential(double row)
{
    return exp(-row / 100);
}

static double damped_wave(double row)
{
    return exp(-row / 200) * cos(row / 7);
}

static double power_law(double row)
{
    return 1 / sqrt(row);
}

static double drift(double row)
{
    return 1e-3 * row;
}

static double wave(double row)
{
    return cos(row / 7);
}

static double constant(double row)
{
    (void)row;
    return 0.3;
}

/* The distances of a quarter are those of its first row, one row late; with 16 spans of few rows this error
 * is large. */
static void remaining_change_of_an_exponential(void **state)
{
    (void)state;
    for (int rows = 100; rows <= 2000; rows += 37)
        expect_between("exponential, estimate over truth",
                       follow(exponential, rows).change / exponential(rows), 0.8, 1.5);
}

/* The estimate follows the envelope, also if the latest value is at a zero of the wave. At a crest a slowly
 * damped wave resembles a drift, and the estimate is too large. */
static void remaining_change_of_a_damped_wave(void **state)
{
    (void)state;
    for (int rows = 600; rows <= 4000; rows += 37)
        expect_between("damped wave, estimate over envelope",
                       follow(damped_wave, rows).change / exp(-rows / 200.0), 0.3,
                       rows < 2000 ? INFINITY : 10);
}

/* Slower than any exponential: the estimate is too small, but at most by a factor of five.
 */
static void power_laws_are_not_steady(void **state)
{
    (void)state;
    for (int rows = 100; rows <= 100000; rows *= 3)
        expect_between("power law, estimate over truth", follow(power_law, rows).change / power_law(rows),
                       0.2, 1);
}

static void no_limit(void **state)
{
    (void)state;
    for (int rows = 100; rows <= 20000; rows *= 2) {
        assert_true(follow(drift, rows).change > drift(rows));
        assert_true(isinf(follow(wave, rows).change));
    }
}

static void constants_and_short_series(void **state)
{
    (void)state;
    assert_true(isnan(follow(constant, 15).change));
    assert_true(follow(constant, 16).change == 0);
    assert_true(follow(constant, 1000).change == 0);
}

/* The rate predicts when the remaining change has decreased by a factor of ten. */
static void rate_of_decay(void **state)
{
    (void)state;
    for (int rows = 200; rows <= 2000; rows += 37)
        expect_between("rate times time constant", follow(exponential, rows).rate * 100, 0.85, 1.15);
}

static void states_that_cannot_be(void **state)
{
    (void)state;
    const struct kn_trend empty = {0}, full = {.length = 2, .count = 63, .begun = 1};
    const struct kn_trend wrong[] = {
        {.length = 1, .count = 64},
        {.length = 1, .count = -1},
        {.length = 1, .count = 1e30},
        {.length = 1, .count = NAN},
        {.length = 1, .count = 1.5},
        {.length = 3},
        {.length = 0.5},
        {.length = INFINITY},
        {.length = -1},
        {.count = 1},
        {.begun = 1},
        {.length = 2, .begun = 2},
        {.length = 2, .begun = -1},
        {.length = 1, .low = {[63] = NAN}},
        {.length = 1, .high = {INFINITY}},
    };
    assert_true(kn_trend_is_valid(&empty));
    assert_true(kn_trend_is_valid(&full));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(kn_trend_is_valid(&wrong[i]));
    struct kn_trend t = {0};
    for (int i = 0; i < 1000; i++) {
        kn_trend_add(&t, i);
        assert_true(kn_trend_is_valid(&t));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remaining_change_of_an_exponential),
        cmocka_unit_test(remaining_change_of_a_damped_wave),
        cmocka_unit_test(power_laws_are_not_steady),
        cmocka_unit_test(no_limit),
        cmocka_unit_test(constants_and_short_series),
        cmocka_unit_test(rate_of_decay),
        cmocka_unit_test(states_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
