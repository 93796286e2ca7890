/* Drawn collisions, and the functions of which they are made, compared with exact values. */
#include "expect.h"

#include "point/power.h"
#include "point/rng.h"

/* Distance in units in the last place of the exact value. */
static double ulps(float measured, double exact)
{
    int exponent;
    frexp(exact, &exponent);
    return fabs(measured - exact) / ldexp(1, exponent - 24);
}

static void logarithm_and_circle_are_accurate(void **state)
{
    (void)state;
    double log_worst = 0, sine_worst = 0;
    for (uint32_t i = 0; i < 1u << 18; i++) {
        const float u = kn_rng_uniform(i * 16411u + 77u);
        float s, c;
        kn_rng_sincos(u, &s, &c);
        if (u < 1)
            log_worst = fmax(log_worst, ulps(kn_rng_log(u), log(u)));
        /* near a zero of sine or cosine the absolute error is compared */
        sine_worst = fmax(sine_worst, fabs(s - sin(2 * M_PI * u)) * 0x1p24);
        sine_worst = fmax(sine_worst, fabs(c - cos(2 * M_PI * u)) * 0x1p24);
    }
    expect_below("log, ulp", log_worst, 4);
    expect_below("sine and cosine, units of 2^-24", sine_worst, 3);
    expect_near("log 1", kn_rng_log(1), 0, 0);
    assert_true(isfinite(kn_rng_log(kn_rng_uniform(0))) && kn_rng_uniform(0) > 0 && kn_rng_uniform(~0u) <= 1);
}

/* x^y for all relative speeds that can be drawn and far beyond, for the exponents of molecules and the
 * opposite sign; a sample keeps single precision. */
static void powers_follow_pow(void **state)
{
    (void)state;
    double worst = 0, rounded = 0;
    for (double y = -1; y <= 1; y += 0.0625)
        for (double x = 1e-30; x < 1e30; x *= 1.0371) {
            const double exact = pow(x, y), power = kn_power_of(x, y);
            worst = fmax(worst, fabs(power / exact - 1));
            rounded = fmax(rounded, ulps((float)power, exact));
        }
    expect_below("relative error of a power", worst, 1e-10);
    expect_below("as a float, ulp", rounded, 0.51);
    for (double y = -1; y <= 1; y += 0.125)
        assert_true(kn_power_of(1, y) == 1);
    for (double x = 1e-6; x < 1e6; x *= 1.7)
        assert_true(kn_power_of(x, 0) == 1);
    for (int e = -60; e <= 60; e++)
        assert_true(kn_power_of(ldexp(1, 2 * e), -0.5) == ldexp(1, -e));
}

/* Sums over draws; each mean is within 4 standard errors (of a fixed seed). */
struct tally {
    double sum, square;
};

static void count(struct tally *t, double x)
{
    t->sum += x;
    t->square += x * x;
}

static void expect_mean(const char *what, const struct tally *t, int n, double expected)
{
    const double mean = t->sum / n, error = sqrt((t->square / n - mean * mean) / n);
    expect_near(what, mean, expected, 4 * error);
}

/* Points of a lattice are not independent; their mean has a smaller error than that of independent points. */
static void check_moments_of_draws(int lattice)
{
    const int n = 1 << 19;
    struct tally v[6] = {{0}}, vv[6] = {{0}}, v4 = {0}, cross[3] = {{0}}, k[3] = {{0}}, kk[6] = {{0}},
                 rate = {0};
    for (int i = 0; i < n; i++) {
        const struct kn_collision c =
            kn_rng_collision(20240229, (uint64_t)(i >> 12), (uint32_t)(i & 4095), lattice);
        double along = 0;
        for (int d = 0; d < 3; d++) {
            count(&v[d], c.v[d]);
            count(&v[3 + d], c.v1[d]);
            count(&vv[d], c.v[d] * c.v[d]);
            count(&vv[3 + d], c.v1[d] * c.v1[d]);
            count(&cross[d], c.v[d] * c.v1[(d + 1) % 3]);
            count(&k[d], c.k[d]);
            count(&kk[d], c.k[d] * c.k[d]);
            count(&kk[3 + d], c.k[d] * c.k[(d + 1) % 3]);
            along += c.k[d] * (c.v1[d] - c.v[d]);
        }
        count(&v4, pow(c.v[0], 4));
        count(&rate, 2 * M_PI * KN_COLLISION_STRENGTH * fabs(along));
        if (i < 1000)
            expect_near("|k|", c.k[0] * c.k[0] + c.k[1] * c.k[1] + c.k[2] * c.k[2], 1, 1e-6);
    }
    for (int d = 0; d < 6; d++) {
        expect_mean("mean velocity", &v[d], n, 0);
        expect_mean("mean square velocity", &vv[d], n, 0.5);
        expect_mean("k k", &kk[d], n, d < 3 ? 1.0 / 3 : 0);
    }
    for (int d = 0; d < 3; d++) {
        expect_mean("correlation of the partners", &cross[d], n, 0);
        expect_mean("mean k", &k[d], n, 0);
    }
    expect_mean("fourth moment", &v4, n, 0.75);
    expect_mean("collision rate, gamma1", &rate, n, 1.2700424271);
}

static void drawn_collisions_have_their_moments(void **state)
{
    (void)state;
    check_moments_of_draws(0);
    check_moments_of_draws(1);
}

static void draws_depend_on_every_counter(void **state)
{
    (void)state;
    for (int lattice = 0; lattice < 2; lattice++) {
        const struct kn_collision a = kn_rng_collision(1, 2, 3, lattice),
                                  same = kn_rng_collision(1, 2, 3, lattice);
        const struct kn_collision others[] = {
            kn_rng_collision(2, 2, 3, lattice), kn_rng_collision(1, 3, 3, lattice),
            kn_rng_collision(1, 2, 4, lattice), kn_rng_collision(1 + (1ull << 32), 2, 3, lattice),
            kn_rng_collision(1, 2 + (1ull << 32), 3, lattice)};
        assert_memory_equal(&a, &same, sizeof a);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            assert_memory_not_equal(&a, &others[i], sizeof a);
    }
}

/* Mean of f = vx^2 |k.vr| over sets of 6144: its scatter between sets is at most half that of independent
 * points, and its mean is the same. */
static void a_lattice_is_quieter_than_random_points(void **state)
{
    (void)state;
    const int sets = 200, n = 6144;
    double mean[2], scatter[2];
    for (int lattice = 0; lattice < 2; lattice++) {
        double sum = 0, square = 0;
        for (int set = 0; set < sets; set++) {
            double f = 0;
            for (int i = 0; i < n; i++) {
                const struct kn_collision c = kn_rng_collision(3, (uint64_t)set, (uint32_t)i, lattice);
                double along = 0;
                for (int d = 0; d < 3; d++)
                    along += c.k[d] * (c.v1[d] - c.v[d]);
                f += c.v[0] * c.v[0] * fabs(along) / n;
            }
            sum += f;
            square += f * f;
        }
        mean[lattice] = sum / sets;
        scatter[lattice] = sqrt(square / sets - mean[lattice] * mean[lattice]);
    }
    expect_below("scatter, lattice over random", scatter[1] / scatter[0], 0.5);
    expect_near("mean", mean[1], mean[0], 4 * scatter[0] / sqrt(sets));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithm_and_circle_are_accurate),
        cmocka_unit_test(powers_follow_pow),
        cmocka_unit_test(drawn_collisions_have_their_moments),
        cmocka_unit_test(draws_depend_on_every_counter),
        cmocka_unit_test(a_lattice_is_quieter_than_random_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
