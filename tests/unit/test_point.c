/* The physics at one point: every formula compared with a direct evaluation in higher precision. */
#include "expect.h"

#include "grid/velocity.h"
#include "point/collide.h"
#include "point/stream.h"

/* --------------------------------------------------------------- deviations */

static const double EPS[] = {0, 1e-30, 1e-12, 1e-8, 1e-5, 1e-3, 0.01, 0.1, 0.5, 1, 3, 10};
enum { EPSILONS = sizeof EPS / sizeof *EPS };

/* (exp(eps x) - 1) / eps in float: the polynomial is good to 1e-7, the sum
 * scale - 1 cancels at most one bit more; rounding eps x to float moves the
 * result by |eps x| 2^-24. */
static void deviation_exp_follows_expm1(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < EPSILONS; i++)
        for (float x = -8; x <= 8; x += 0.00731f) {
            const float eps = (float)EPS[i];
            const long double y = (long double)eps * x;
            const long double exact = eps > 0 ? expm1l(y) / eps : x;
            const double allowed =
                4e-7 + fabs((double)y) * 0x1p-23 * fmax(1, (double)expl(y) / fabs((double)expm1l(y)));
            worst = fmax(worst, fabs((double)((kn_deviation_exp(eps, x) - exact) / exact)) / allowed);
        }
    expect_below("error of kn_deviation_exp over its bound", worst, 1);
    expect_near("at 0", kn_deviation_exp(0.1f, 0), 0, 0);
    expect_near("at eps = 0", kn_deviation_exp(0, 1.25f), 1.25, 0);
}

/* In the tails the argument is clamped: never a NaN, never negative density. */
static void deviation_exp_is_finite_everywhere(void **state)
{
    (void)state;
    for (float x = -2000; x <= 2000; x += 1) {
        const float e = kn_deviation_exp(1, x);
        assert_true(isfinite(e) && e >= -1);
    }
}

/* Joining two values in float: three roundings, of terms no larger than the sum of the parts. */
static void deviation_join_adds_exponents(void **state)
{
    (void)state;
    for (int i = 0; i < EPSILONS; i++)
        for (double x = -2; x <= 2; x += 0.37)
            for (double y = -2; y <= 2; y += 0.41) {
                const long double eps = EPS[i], a = eps > 0 ? expm1l(eps * x) / eps : x,
                                  b = eps > 0 ? expm1l(eps * y) / eps : y,
                                  exact = eps > 0 ? expm1l(eps * (x + y)) / eps : x + y;
                const long double size = fabsl(a) * (1 + eps * fabsl(b)) + fabsl(b);
                expect_near("kn_deviation_join", kn_deviation_join((float)eps, (float)a, (float)b),
                            (double)exact, 3e-7 * (double)size);
            }
}

/* ---------------------------------------------------------------- Gaussians */

struct gas {
    double eps, rho, u[3], sigma[6]; /* sigma: xx yy zz xy xz yz */
};

static struct gas random_gas(double eps, uint64_t *seed)
{
    struct gas g = {.eps = eps, .rho = 0.5 * expect_random(seed)};
    for (int i = 0; i < 3; i++)
        g.u[i] = 0.5 * expect_random(seed);
    for (int i = 0; i < 6; i++)
        g.sigma[i] = (i < 3 ? 0.5 : 0.2) * expect_random(seed);
    return g;
}

/* Logarithm of the Gaussian divided by Phi0, without the density, by elimination in long double. */
static long double log_ratio(const struct gas *g, const double v[3])
{
    const int index[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    long double t[3][4], det = 1, quad = 0, c[3], vv = 0;
    for (int i = 0; i < 3; i++) {
        c[i] = v[i] - (long double)g->eps * g->u[i];
        vv += (long double)v[i] * v[i];
        for (int j = 0; j < 3; j++)
            t[i][j] = (i == j) + (long double)g->eps * g->sigma[index[i][j]];
        t[i][3] = c[i];
    }
    for (int i = 0; i < 3; i++) {
        det *= t[i][i];
        for (int r = i + 1; r < 3; r++)
            for (int j = 3; j >= i; j--)
                t[r][j] -= t[i][j] * t[r][i] / t[i][i];
    }
    for (int i = 2; i >= 0; i--) {
        for (int j = i + 1; j < 3; j++)
            t[i][3] -= t[i][j] * t[j][3];
        t[i][3] /= t[i][i];
        quad += c[i] * t[i][3];
    }
    return vv - quad - logl(det) / 2;
}

static long double gaussian_h(const struct gas *g, const double v[3])
{
    const long double n = 1 + (long double)g->eps * g->rho;
    return g->rho + n * expm1l(log_ratio(g, v)) / g->eps;
}

static long double linear_h(const struct gas *g, const double v[3])
{
    const double *s = g->sigma;
    return g->rho + 2 * (g->u[0] * v[0] + g->u[1] * v[1] + g->u[2] * v[2]) + s[0] * v[0] * v[0] +
           s[1] * v[1] * v[1] + s[2] * v[2] * v[2] +
           2 * (s[3] * v[0] * v[1] + s[4] * v[0] * v[2] + s[5] * v[1] * v[2]) - (s[0] + s[1] + s[2]) / 2;
}

/* The axes in all orders: the factors depend on different velocities. */
static struct kn_basis basis_of(double eps, int order)
{
    static const int axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int *at = axes[order % 6];
    return (struct kn_basis){eps, {at[0], at[1], at[2]}, {0, 0, 0}};
}

/* About ten float operations on terms of the size of v.v: 10 * 6e-8 * (1 + v.v),
 * times 1 + eps h where the exponential magnifies the error of its argument. */
static void gaussian_matches_direct_evaluation(void **state)
{
    (void)state;
    const double eps[] = {0, 1e-9, 1e-5, 0.01, 0.1, 0.5, 1};
    uint64_t seed = 3;
    double worst = 0;
    for (int trial = 0; trial < 7 * 300; trial++) {
        const struct gas g = random_gas(eps[trial % 7], &seed);
        const struct kn_basis b = basis_of(g.eps, trial / 7);
        const struct kn_gaussian fast = kn_gaussian_along(&b, g.rho, g.u, g.sigma);
        double v[3];
        float at[3];
        for (int i = 0; i < 3; i++)
            v[i] = at[i] = (float)(3 * expect_random(&seed));
        const long double exact = g.eps > 0 ? gaussian_h(&g, v) : linear_h(&g, v);
        const double scale = 1 + v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        const double allowed = 6e-7 * scale * fmax(1, 1 + g.eps * (double)exact);
        worst = fmax(worst, fabs(kn_gaussian_at(&fast, &b, at) - (double)exact) / allowed);
    }
    expect_below("error of a Gaussian over its bound", worst, 1);
}

/* The exponent of two factors as a sum, theory (19e), with the same round-off. */
static void crossed_exponent_is_a_sum(void **state)
{
    (void)state;
    const double eps[] = {0, 0.01, 0.1, 0.5, 1};
    uint64_t seed = 5;
    for (int trial = 0; trial < 5 * 100; trial++) {
        const struct gas g = random_gas(eps[trial % 5], &seed);
        const struct kn_basis b = basis_of(g.eps, trial / 5);
        const struct kn_gaussian whole = kn_gaussian_along(&b, g.rho, g.u, g.sigma);
        const struct kn_factor *f = whole.factor;
        const float e = (float)g.eps, v = (float)(3 * expect_random(&seed)),
                    w = (float)(-3 * expect_random(&seed));
        const struct kn_crossed x = kn_gaussian_crossed(&f[0], &f[1], whole.slope[0], e);
        const float sum = x.constant + v * (x.linear[0] + x.square[0] * v) +
                          w * (x.linear[1] + x.square[1] * w) + x.cross * v * w,
                    product = kn_factor_exponent(&f[0], e, f[0].mean, v) +
                              kn_factor_exponent(&f[1], e, kn_gaussian_mean1(&whole, e, v), w);
        expect_near("exponent", sum, product, 2e-6 * (1 + (double)(v * v + w * w)));
    }
}

static void maxwellian_is_the_isotropic_gaussian(void **state)
{
    (void)state;
    const double u[3] = {0.3, -0.2, 0.1}, sigma[6] = {0.4, 0.4, 0.4, 0, 0, 0};
    const struct kn_basis basis = basis_of(0.2, 0);
    const struct kn_gaussian a = kn_gaussian_maxwellian(&basis, 0.1, u, 0.4),
                             b = kn_gaussian_make(&basis, 0.1, u, sigma);
    assert_memory_equal(&a, &b, sizeof a);
}

/* A density or a temperature that is not positive gives no number. */
static void impossible_gaussians_are_not_a_number(void **state)
{
    (void)state;
    const double still[3] = {0}, cold[6] = {-5, 0, 0, 0, 0, 0}, narrow[6] = {0, 0, 0, 6, 0, 0};
    const struct kn_basis b = basis_of(0.2, 0);
    const float v[3] = {1, 1, 1};
    struct kn_gaussian g = kn_gaussian_maxwellian(&b, -5, still, 0);
    assert_true(isnan(kn_gaussian_at(&g, &b, v)));
    g = kn_gaussian_make(&b, 0, still, cold);
    assert_true(isnan(kn_gaussian_at(&g, &b, v)));
    g = kn_gaussian_make(&b, 0, still, narrow);
    assert_true(isnan(kn_gaussian_at(&g, &b, v)));
}

/* ------------------------------------------------------------- reduced axes */

/* Moments of order k of a Gaussian along one axis, divided by those of the sum over the four nodes of a
 * reduced axis; `with`: times the Hermite polynomial of this degree of the peculiar velocity. */
static double expanded_moment(const struct kn_factor *f, float eps, int with, int k)
{
    const double root = sqrt(6), node[2] = {sqrt((3 - root) / 2), sqrt((3 + root) / 2)};
    const double weight[2] = {1 / (4 * (3 - root)), 1 / (4 * (3 + root))};
    const struct kn_relax_form form = kn_relax_form_make(f, eps, 1, 1);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const double v = i % 2 ? -node[i / 2] : node[i / 2];
        const struct kn_relax_part p =
            kn_relax_part_at(&form, eps, (float)v, kn_factor_expansion(f, eps, f->mean, (float)v));
        sum += weight[i / 2] * pow(v, k) *
               (with == 0   ? p.whole
                : with == 1 ? p.first
                : with == 2 ? p.second
                            : p.third);
    }
    return sum;
}

/* <(a + c)^k p(c)> over a Gaussian of variance t / 2, for p = 1, c, c^2 / t - 1/2, c (c^2 / t - 3/2). */
static double exact_moment(double a, double t, int with, int k)
{
    const double central[] = {1, 0, t / 2, 0, 3 * t * t / 4, 0, 15 * t * t * t / 8};
    double sum = 0;
    for (int i = 0, choose = 1; i <= k; choose = choose * (k - i) / (i + 1), i++) {
        const double p[] = {central[i], central[i + 1], i + 2 < 7 ? central[i + 2] / t - central[i] / 2 : 0,
                            i + 3 < 7 ? central[i + 3] / t - 1.5 * central[i + 1] : 0};
        sum += choose * pow(a, k - i) * p[with];
    }
    return sum;
}

/* The moments of order 0 to 3 along a reduced axis are exact, for any velocity and temperature, of the
 * Gaussian and of the three products in the heat term. */
static void expansions_have_exact_moments(void **state)
{
    (void)state;
    const float eps[] = {0.01f, 0.3f, 1}, mean[] = {0, -0.4f, 1.1f}, excess[] = {-0.6f, 0, 0.9f};
    for (int i = 0; i < 27; i++) {
        const double e = eps[i % 3], a = e * mean[i / 3 % 3], t = 1 + e * excess[i / 9];
        const struct kn_factor f = {mean[i / 3 % 3], excess[i / 9], (float)(1 / t)};
        for (int with = 0; with < 4; with++)
            for (int k = 0; k <= 3; k++)
                expect_near("moment along a reduced axis", expanded_moment(&f, eps[i % 3], with, k),
                            exact_moment(a, t, with, k), 4e-6);
    }
}

/* ------------------------------------------------------------------- fields */

/* All moments of h(v) by a product rule: 2 * half nodes per axis, in double precision. */
static void integrate(int half, long double (*h)(const void *, const double *), const void *of,
                      double m[KN_MOMENTS])
{
    double node[32], weight[32];
    memset(m, 0, KN_MOMENTS * sizeof *m);
    expect_ok(kn_velocity_half_gauss(half, node, weight));
    for (int i = 0; i < 8 * half * half * half; i++) {
        const int at[3] = {i % (2 * half), i / (2 * half) % (2 * half), i / (4 * half * half)};
        double v[3], w = 1;
        for (int d = 0; d < 3; d++) {
            v[d] = at[d] < half ? node[at[d]] : -node[at[d] - half];
            w *= weight[at[d] % half];
        }
        const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], wh = w * (double)h(of, v);
        const double psi[KN_MOMENTS] = {1,           v[0],        v[1],        v[2],        v[0] * v[0],
                                        v[1] * v[1], v[2] * v[2], v[0] * v[1], v[0] * v[2], v[1] * v[2],
                                        v[0] * vv,   v[1] * vv,   v[2] * vv};
        for (int k = 0; k < KN_MOMENTS; k++)
            m[k] += wh * psi[k];
    }
}

static long double of_gaussian(const void *g, const double v[3])
{
    return gaussian_h(g, v);
}

/* The moments of a Gaussian are its density, velocity and temperatures; its heat flux is zero. A rule of 2 x
 * 20 nodes per axis is accurate to round-off for these Gaussians. */
static void fields_of_a_gaussian(void **state)
{
    (void)state;
    uint64_t seed = 11;
    const double eps[] = {1e-6, 0.01, 0.1, 0.3};
    for (int trial = 0; trial < 4; trial++) {
        const struct gas g = random_gas(eps[trial], &seed);
        double m[KN_MOMENTS], f[KN_FIELDS];
        integrate(20, of_gaussian, &g, m);
        kn_moments_to_fields(m, g.eps, f);
        expect_near("rho", f[KN_RHO], g.rho, 1e-11);
        expect_near("theta", f[KN_THETA], (g.sigma[0] + g.sigma[1] + g.sigma[2]) / 3, 1e-11);
        for (int i = 0; i < 3; i++) {
            expect_near("u", f[KN_UX + i], g.u[i], 1e-11);
            expect_near("q", f[KN_QX + i], 0, 1e-11);
        }
        for (int i = 0; i < 6; i++)
            expect_near("Pi", f[KN_PXX + i], (i < 3 ? g.rho : 0) + (1 + g.eps * g.rho) * g.sigma[i], 1e-11);
    }
}

/* A Maxwellian with Shakhov's heat-flux term. */
struct heated {
    struct gas g;
    double q[3];
};

static long double of_heated(const void *of, const double v[3])
{
    const struct heated *s = of;
    const double n = 1 + s->g.eps * s->g.rho, t = 1 + s->g.eps * s->g.sigma[0];
    double cc = 0, along = 0;
    for (int d = 0; d < 3; d++) {
        const double c = v[d] - s->g.eps * s->g.u[d];
        cc += c * c;
        along += s->q[d] * c;
    }
    return gaussian_h(&s->g, v) + 0.8 / (n * t * t) * along * (cc / t - 2.5) * n * expl(log_ratio(&s->g, v));
}

/* The moments contain the given heat flux and no other change; the same for the heat term of the model
 * equation, in single precision. */
static void fields_of_a_heat_flux(void **state)
{
    (void)state;
    const struct heated s = {{0.2, 0.3, {0.4, -0.1, 0.2}, {0.25, 0.25, 0.25, 0, 0, 0}}, {0.1, 0.2, -0.3}};
    double m[KN_MOMENTS], f[KN_FIELDS];
    integrate(20, of_heated, &s, m);
    kn_moments_to_fields(m, s.g.eps, f);
    expect_near("rho", f[KN_RHO], 0.3, 1e-11);
    expect_near("theta", f[KN_THETA], 0.25, 1e-11);
    for (int i = 0; i < 3; i++) {
        expect_near("u", f[KN_UX + i], s.g.u[i], 1e-11);
        expect_near("q", f[KN_QX + i], s.q[i], 1e-11);
    }
    const double dt = 0.3, prandtl = 0.66;
    const float v[3] = {0.7f, -1.1f, 0.4f};
    const struct kn_basis basis = basis_of(s.g.eps, 0);
    const float eps = (float)s.g.eps;
    const struct kn_relaxation r = kn_collide_relaxation(KN_METHOD_SHAKHOV, &basis, prandtl, dt, f);
    const double nu = kn_collide_frequency(s.g.eps, f) * dt;
    struct kn_relax_part part[3];
    for (int i = 0; i < 3; i++) {
        const struct kn_factor *factor = &r.target.factor[i];
        const struct kn_relax_form form = kn_relax_form_make(factor, eps, 0, r.heat[i]);
        part[i] = kn_relax_part_at(&form, eps, v[i], kn_factor_excess(factor, eps, 0, factor->mean, v[i]));
    }
    const float dense = kn_gaussian_value(eps, r.target.density, part[0].excess),
                whole = kn_relax_at(&r, &basis, 0, v, 0.3f);
    const struct kn_relax_pair pair = kn_relax_pair_of(dense, part[0], part[1]);
    const float change = kn_relax_change(r.lose, pair, part[2], 0.3f) + kn_relax_heat(pair, part[2]) +
                         kn_relax_odd_heat(pair, part[2]);
    const struct kn_relax_folded folded = kn_relax_fold(r.lose, eps, pair);
    expect_near("change by one call", change, whole, 1e-7);
    expect_near("even change as a combination",
                folded.constant + folded.by_excess * part[2].excess + folded.by_second * part[2].second -
                    r.lose * 0.3f,
                kn_relax_change(r.lose, pair, part[2], 0.3f) + kn_relax_heat(pair, part[2]), 1e-7);
    const double at[3] = {v[0], v[1], v[2]}, target = (double)gaussian_h(&s.g, at),
                 heat = (double)of_heated(&s, at) - target;
    expect_near("change of h in a step", change,
                (1 - exp(-nu)) * (target - 0.3f) + (exp(-prandtl * nu) - exp(-nu)) * heat, 1e-6);
}

/* -------------------------------------------------------------- conservation */

static void eliminate(double a[5][5], double b[5])
{
    for (int i = 0; i < 5; i++) {
        int pivot = i;
        for (int r = i + 1; r < 5; r++)
            pivot = fabs(a[r][i]) > fabs(a[pivot][i]) ? r : pivot;
        for (int j = 0; j < 5; j++) {
            const double swap = a[i][j];
            a[i][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        const double swap = b[i];
        b[i] = b[pivot];
        b[pivot] = swap;
        for (int r = 0; r < 5; r++) {
            const double factor = r == i ? 0 : a[r][i] / a[i][i];
            for (int j = 0; j < 5; j++)
                a[r][j] -= factor * a[i][j];
            b[r] -= factor * b[i];
        }
    }
    for (int i = 0; i < 5; i++)
        b[i] /= a[i][i];
}

/* Random matrices I + R R^T have condition numbers below 100. */
static void solve_matches_elimination(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 200; trial++) {
        double r[5][5], a[5][5], copy[5][5], x[5], y[5];
        for (int i = 0; i < 25; i++)
            r[i / 5][i % 5] = expect_random(&seed);
        for (int i = 0; i < 5; i++) {
            x[i] = y[i] = expect_random(&seed);
            for (int j = 0; j < 5; j++) {
                a[i][j] = i == j;
                for (int k = 0; k < 5; k++)
                    a[i][j] += r[i][k] * r[j][k];
                copy[i][j] = a[i][j];
            }
        }
        kn_collide_solve(a, x);
        eliminate(copy, y);
        for (int i = 0; i < 5; i++)
            expect_near("solution", x[i], y[i], 1e-13);
    }
}

/* ------------------------------------------------------------------ limiters */

static void limiters_behave(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int trial = 0; trial < 4000; trial++) {
        const float a = (float)expect_random(&seed), b = (float)expect_random(&seed);
        for (int limiter = KN_LIMITER_VAN_LEER; limiter <= KN_LIMITER_NONE; limiter++) {
            const float s = kn_stream_slope(limiter, a, b, 0.5f);
            expect_near("symmetric", kn_stream_slope(limiter, b, a, 0.5f), s, 1e-7);
            expect_near("odd", kn_stream_slope(limiter, -a, -b, 0.5f), -s, 0);
            expect_near("homogeneous", kn_stream_slope(limiter, 4 * a, 4 * b, 0.5f), 4 * s, 4e-7);
            expect_near("exact on a straight line", kn_stream_slope(limiter, a, a, 0.5f), a, 1e-7);
            if (limiter == KN_LIMITER_NONE) {
                expect_near("central", s, (a + b) / 2, 1e-7);
                continue;
            }
            const double least = fmin(fabs(a), fabs(b));
            if (a * b <= 0)
                expect_near("no slope at an extremum", s, 0, 0);
            else
                expect_between("monotone", s * copysign(1, a),
                               least * (limiter == KN_LIMITER_MINMOD) * (1 - 1e-6),
                               (limiter == KN_LIMITER_MINMOD ? 1 : 2) * least * (1 + 1e-6));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deviation_exp_follows_expm1),
        cmocka_unit_test(deviation_exp_is_finite_everywhere),
        cmocka_unit_test(deviation_join_adds_exponents),
        cmocka_unit_test(gaussian_matches_direct_evaluation),
        cmocka_unit_test(crossed_exponent_is_a_sum),
        cmocka_unit_test(maxwellian_is_the_isotropic_gaussian),
        cmocka_unit_test(impossible_gaussians_are_not_a_number),
        cmocka_unit_test(expansions_have_exact_moments),
        cmocka_unit_test(fields_of_a_gaussian),
        cmocka_unit_test(fields_of_a_heat_flux),
        cmocka_unit_test(solve_matches_elimination),
        cmocka_unit_test(limiters_behave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
