/* Batch means: the error of series with a known error, and no error for series that are too short. */
#include "expect.h"

#include "monitor/batches.h"

enum { SERIES = 400 };

static double normal(uint64_t *seed)
{
    const double a = (expect_random(seed) + 1) / 2 + 0x1p-54, b = expect_random(seed);
    return sqrt(-2 * log(a)) * cos(M_PI * b);
}

/* x_i = phi x_(i-1) + noise of deviation 1, from its stationary state; returns the mean. */
static double fill(struct kn_batches *b, double phi, int terms, uint64_t *seed)
{
    double x = normal(seed) / sqrt(1 - phi * phi), sum = 0;
    *b = (struct kn_batches){0};
    for (int i = 0; i < terms; i++, x = phi * x + normal(seed)) {
        kn_batches_add(b, x);
        sum += x;
    }
    return sum / terms;
}

/* The variance of the mean of n terms is the sum of phi^|i - j| / (1 - phi^2) over n^2. */
static double exact_error(double phi, int terms)
{
    double sum = 1;
    for (int lag = 1; lag < terms; lag++)
        sum += 2 * (1 - (double)lag / terms) * pow(phi, lag);
    return sqrt(sum / (terms * (1 - phi * phi)));
}

/* With 400 series the root of the mean squared error is known to 1 %, and 4.6 % of the means lie beyond two
 * exact errors: 18 of 400, 6 to 34 in all but one in a thousand trials. For short correlation times the
 * estimate may be 5 % too large (theory, section 13). At phi = 0.9 an error for independent terms would be
 * 4.4 times too small. */
static void errors_of_known_series(void **state)
{
    (void)state;
    static const struct {
        double phi;
        int terms;
    } rows[] = {{0, 50}, {0, 1000}, {0.5, 1000}, {0.9, 4000}, {0.97, 20000}};
    uint64_t seed = 1;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const double exact = exact_error(rows[k].phi, rows[k].terms);
        double square = 0;
        int known = 0, beyond = 0;
        for (int i = 0; i < SERIES; i++) {
            struct kn_batches b;
            const double mean = fill(&b, rows[k].phi, rows[k].terms, &seed), error = kn_batches_error(&b);
            if (isnan(error))
                continue;
            known++;
            square += error * error;
            beyond += fabs(mean) > 2 * error;
        }
        expect_between("series with an error", known, 0.95 * SERIES, SERIES);
        expect_between("error over the exact one", sqrt(square / known) / exact, 0.95, 1.1);
        expect_between("means beyond two errors", beyond, 6, 34);
    }
}

/* Ten correlation times are too few: hardly any series may get an error. With a hundred most do. */
static void short_series_have_none(void **state)
{
    (void)state;
    uint64_t seed = 2;
    int known = 0;
    struct kn_batches b;
    for (int i = 0; i < SERIES; i++) {
        fill(&b, 0.97, 330, &seed);
        known += !isnan(kn_batches_error(&b));
    }
    expect_between("short series with an error", known, 0, 0.05 * SERIES);
    fill(&b, 0, 19, &seed);
    assert_true(isnan(kn_batches_error(&b)));
    fill(&b, 0, 20, &seed);
    assert_false(isnan(kn_batches_error(&b)));
}

/* A drifting series has no error either. */
static void trends_have_none(void **state)
{
    (void)state;
    struct kn_batches b = {0};
    uint64_t seed = 3;
    for (int i = 0; i < 5000; i++)
        kn_batches_add(&b, 1e-3 * i + 0.1 * normal(&seed));
    assert_true(isnan(kn_batches_error(&b)));
}

static void constants_have_zero(void **state)
{
    (void)state;
    struct kn_batches b = {0};
    for (int i = 0; i < 1000; i++)
        kn_batches_add(&b, 0.25);
    expect_near("error", kn_batches_error(&b), 0, 0);
}

/* No term is lost when batches are merged. */
static void batches_hold_the_sum(void **state)
{
    (void)state;
    struct kn_batches b = {0};
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        kn_batches_add(&b, i % 7);
        sum += i % 7;
        double held = b.sum;
        for (int k = 0; k < (int)b.count; k++)
            held += b.length * b.mean[k];
        expect_near("sum", held, sum, 1e-9 * (sum + 1));
        assert_true(b.count < KN_BATCHES && (i < 64 || 2 * b.count >= KN_BATCHES));
    }
}

static void states_that_cannot_be(void **state)
{
    (void)state;
    const struct kn_batches empty = {0}, full = {.length = 4, .count = 127, .begun = 3};
    const struct kn_batches wrong[] = {
        {.length = 1, .count = 128},
        {.length = 1, .count = -1},
        {.length = 1, .count = NAN},
        {.length = 1, .count = 0.5},
        {.length = 6},
        {.length = INFINITY},
        {.count = 1},
        {.begun = 1},
        {.length = 2, .begun = 2},
        {.length = 2, .begun = 0.5},
        {.length = 1, .sum = NAN},
        {.length = 1, .mean = {[127] = INFINITY}},
    };
    assert_true(kn_batches_is_valid(&empty));
    assert_true(kn_batches_is_valid(&full));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(kn_batches_is_valid(&wrong[i]));
    struct kn_batches b = {0};
    for (int i = 0; i < 1000; i++) {
        kn_batches_add(&b, i);
        assert_true(kn_batches_is_valid(&b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_known_series), cmocka_unit_test(short_series_have_none),
        cmocka_unit_test(trends_have_none),       cmocka_unit_test(constants_have_zero),
        cmocka_unit_test(batches_hold_the_sum),   cmocka_unit_test(states_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
