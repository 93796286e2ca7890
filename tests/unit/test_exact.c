/* Exact sums: known values, and the same bits for any order and division of the terms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "comm/exact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define TINY 0x1p-1074 /* the smallest double above zero */

static double sum_of(const double *terms, int count)
{
    struct kn_exact sum = {0};
    for (int i = 0; i < count; i++)
        kn_exact_add(&sum, terms[i]);
    return kn_exact_value(&sum);
}

/* -0 and 0 are different bits. */
static void assert_bits(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%a is not %a", a, b);
}

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed ^ *seed >> 31;
}

/* Any finite double, with uniformly distributed exponents. */
static double draw_any(uint64_t *seed)
{
    double x;
    do {
        const uint64_t bits = draw(seed) << 32 | (draw(seed) & 0xffffffffu);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

static void known_sums(void **state)
{
    (void)state;
    static const double one = 1, ulp = DBL_EPSILON;
    const struct {
        double terms[5], sum;
    } rows[] = {
        {{0}, 0},
        {{-0.0, -0.0, -0.0, -0.0, -0.0}, 0},
        {{1e300, 1, -1e300}, 1},
        {{1, 1e300, TINY, -1e300, -1}, TINY},
        {{-TINY, -TINY, -TINY}, -3 * TINY},
        {{DBL_MIN, -TINY}, DBL_MIN - TINY},      /* subnormal */
        {{DBL_MIN, DBL_MIN, TINY}, 2 * DBL_MIN}, /* the first numbers that are rounded */
        {{DBL_MIN, DBL_MIN, TINY, TINY, TINY}, 2 * DBL_MIN + 4 * TINY},
        {{0x1p-1020, TINY, TINY}, 0x1p-1020},
        {{0x1p-1020, TINY, TINY, TINY}, 0x1p-1020 + 4 * TINY},
        {{one, ulp / 2}, one}, /* ties are rounded to even, */
        {{one, ulp, ulp / 2}, one + 2 * ulp},
        {{-one, -ulp, -ulp / 2}, -one - 2 * ulp},
        {{one, ulp / 2, TINY}, one + ulp},       /* unless any lower bit is set, */
        {{one, ulp, ulp / 2, -TINY}, one + ulp}, /* or below */
        {{one, -ulp / 4}, one},
        {{one, -ulp / 4, -TINY}, one - ulp / 2},
        {{DBL_MAX, DBL_MAX, -DBL_MAX}, DBL_MAX}, /* only an intermediate sum overflows */
        {{DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX}, DBL_MAX},
        {{DBL_MAX, 0x1p969}, DBL_MAX},
        {{DBL_MAX, 0x1p970}, INFINITY}, /* half a unit of the largest */
        {{DBL_MAX, 0x1p970, -TINY}, DBL_MAX},
        {{-DBL_MAX, -DBL_MAX}, -INFINITY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_bits(sum_of(rows[i].terms, 5), rows[i].sum);
}

/* The sum of one double is that double, and subtracting it gives zero. */
static void single_terms(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        const double x = draw_any(&seed), terms[] = {x, -x, x};
        assert_bits(sum_of(terms, 1), x);
        assert_bits(sum_of(terms, 2), 0);
        assert_bits(sum_of(terms, 3), x);
    }
}

static void what_is_not_finite_stays_so(void **state)
{
    (void)state;
    assert_true(isnan(sum_of((double[]){1, NAN}, 2)));
    assert_true(isnan(sum_of((double[]){INFINITY, 1}, 2)));
    assert_true(isnan(sum_of((double[]){1, -INFINITY, INFINITY}, 3)));
}

/* Terms with all bits set, at every position in a digit, until every carry has occurred many times. */
static void carries_come_in_time(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    for (int place = 0; place < 32; place++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct kn_exact sum = {0};
            const int64_t whole = ((int64_t)1 << 53) - 1;
            for (int i = 0; i < COUNT; i++)
                kn_exact_add(&sum, ldexp((double)(sign * whole), place));
            assert_bits(kn_exact_value(&sum), ldexp((double)((__int128)sign * whole * COUNT), place));
        }
}

/* ----------------------------------------------------------------- many terms */

enum { TERMS = 30000 };

/* Integers of 53 bits times 2^0 to 2^45, of both signs: the sum fits into 128 bits, whose conversion rounds
 * to nearest. */
static double draw_integers(double *terms, uint64_t seed)
{
    __int128 sum = 0;
    for (int i = 0; i < TERMS; i++) {
        const int64_t mantissa = (int64_t)(draw(&seed) >> 11) * (draw(&seed) >> 40 & 1 ? 1 : -1);
        const int place = (int)(draw(&seed) >> 33) % 46;
        terms[i] = ldexp((double)mantissa, place);
        sum += (__int128)mantissa * ((__int128)1 << place);
    }
    return (double)sum;
}

static void shuffle(double *terms, uint64_t *seed)
{
    for (int i = TERMS - 1; i > 0; i--) {
        const int other = (int)((draw(seed) >> 20) % (uint64_t)(i + 1));
        const double kept = terms[i];
        terms[i] = terms[other];
        terms[other] = kept;
    }
}

/* The terms divided into parts, as among threads. */
static double sum_of_parts(const double *terms, int parts)
{
    struct kn_exact sum = {0};
    for (int part = 0; part < parts; part++) {
        struct kn_exact own = {0};
        for (int i = part * TERMS / parts; i < (part + 1) * TERMS / parts; i++)
            kn_exact_add(&own, terms[i]);
        kn_exact_merge(&sum, &own);
    }
    return kn_exact_value(&sum);
}

/* Blocks of a given size; the last block may be smaller. */
static struct kn_exact sum_by(const double *terms, int count)
{
    struct kn_exact sum = {0};
    for (int i = 0; i < TERMS; i += count)
        kn_exact_add_all(&sum, terms + i, count < TERMS - i ? count : TERMS - i);
    kn_exact_carry(&sum);
    return sum;
}

/* The terms distributed to ranks, whose words are added as integers. */
static double sum_of_ranks(const double *terms, int ranks)
{
    enum { WORDS = sizeof(struct kn_exact) / sizeof(int64_t) };
    int64_t words[WORDS] = {0}, own[WORDS];
    struct kn_exact sum;
    for (int rank = 0; rank < ranks; rank++) {
        sum = (struct kn_exact){0};
        for (int i = rank; i < TERMS; i += ranks)
            kn_exact_add(&sum, terms[i]);
        kn_exact_sum_ranks(&kn_comm_alone, &sum, 1); /* normalises it before the addition */
        memcpy(own, &sum, sizeof own);
        for (int i = 0; i < WORDS; i++)
            words[i] += own[i];
    }
    memcpy(&sum, words, sizeof sum);
    return kn_exact_value(&sum);
}

static void assert_any_way(double *terms, double expected, uint64_t *seed)
{
    for (int order = 0; order < 4; order++) {
        assert_bits(sum_of(terms, TERMS), expected);
        for (int parts = 2; parts <= 5; parts++) {
            assert_bits(sum_of_parts(terms, parts), expected);
            assert_bits(sum_of_ranks(terms, parts), expected);
        }
        for (int count = 1; count < 2 * TERMS; count = 3 * count + 1) {
            const struct kn_exact sum = sum_by(terms, count);
            assert_bits(kn_exact_value(&sum), expected);
        }
        shuffle(terms, seed);
    }
}

static void many_terms_against_integers(void **state)
{
    (void)state;
    double *terms = calloc(TERMS, sizeof *terms);
    assert_non_null(terms);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const double expected = draw_integers(terms, seed);
        uint64_t order = seed;
        assert_any_way(terms, expected, &order);
    }
    free(terms);
}

/* Terms at the limit of the fast method for blocks, and terms that it must leave to the other method: much
 * smaller than the rest, huge, subnormal, zero. */
static void blocks_of_terms(void **state)
{
    (void)state;
    static const double sizes[] = {1, 0x1p-30, 0x1p-47, 0x1p-60, 0x1p-120, 0x1p950, 0x1p-930, 0x1p-1060, 0};
    double *terms = calloc(TERMS, sizeof *terms);
    uint64_t seed = 5;
    assert_non_null(terms);
    for (int wide = 0; wide < 2; wide++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (int i = 0; i < TERMS; i++) /* nearly all bits set, below a power of two */
                terms[i] = (0x1p53 - (double)(draw(&seed) >> 55)) * (wide && i % 3 == 0 ? 1 : sizes[k]);
            const struct kn_exact expected = sum_by(terms, 1);
            for (int count = 50; count < 1000;
                 count += 50) { /* digits: rounding cannot hide an error in them */
                const struct kn_exact sum = sum_by(terms, count);
                assert_memory_equal(sum.digits, expected.digits, sizeof sum.digits);
            }
        }
    struct kn_exact sum = {0};
    terms[70] = NAN;
    kn_exact_add_all(&sum, terms, TERMS);
    assert_true(isnan(kn_exact_value(&sum)));
    free(terms);
}

/* Terms of all sizes: the error of the rounded sum is at most half the distance to the next double. */
static void many_terms_of_all_sizes(void **state)
{
    (void)state;
    double *terms = calloc(TERMS, sizeof *terms);
    uint64_t seed = 11;
    assert_non_null(terms);
    for (int round = 0; round < 5; round++) {
        struct kn_exact sum = {0};
        const double scale = round < 4 ? 0x1p-40 : 0x1p-1040; /* the latter: most of them subnormal or 0 */
        for (int i = 0; i < TERMS; i++) {
            terms[i] = draw_any(&seed) * scale;
            kn_exact_add(&sum, terms[i]);
        }
        const double value = kn_exact_value(&sum), away = nextafter(value, value > 0 ? INFINITY : -INFINITY);
        assert_true(isfinite(away));
        assert_any_way(terms, value, &seed);
        kn_exact_add(&sum, -value);
        assert_true(fabs(kn_exact_value(&sum)) <= fabs(away - value) / 2);
    }
    free(terms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_sums),
        cmocka_unit_test(single_terms),
        cmocka_unit_test(what_is_not_finite_stays_so),
        cmocka_unit_test(carries_come_in_time),
        cmocka_unit_test(many_terms_against_integers),
        cmocka_unit_test(blocks_of_terms),
        cmocka_unit_test(many_terms_of_all_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
