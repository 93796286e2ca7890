/* Exact collision integrals of polynomials: quadrature rules, invariants, known rates, independent sums, and
 * the maps to the frame of a Maxwellian. */
#include "expect.h"

#include "collision/elements.h"
#include "collision/images.h"
#include "collision/rules.h"
#include "point/collide.h"
#include "point/hermite.h"

static const struct kn_kernel SPHERES = {M_PI * KN_COLLISION_STRENGTH, 1};

static struct kn_hermite degrees(int x, int y, int z)
{
    return (struct kn_hermite){{x, y, z}};
}

/* A rule with n nodes integrates a power exactly up to 2 n - 1 and not beyond. */
static void check_rule(const char *name, int n, const double *node, const double *weight, int power,
                       double exact)
{
    double sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
        sum += weight[i] * pow(node[i], power);
        size += weight[i] * fabs(pow(node[i], power));
    }
    if (power < 2 * n)
        expect_near(name, sum, exact, 1e-12 * (size + fabs(exact)));
    else
        assert_true(fabs(sum - exact) > 1e-6 * fabs(exact));
}

static void rules_are_exact(void **state)
{
    (void)state;
    enum { N = 6 };
    const double shape = 0.75;
    double node[N], weight[N];
    for (int power = 0; power <= 2 * N; power += 1 + (power == 2 * N - 2)) { /* even ones at the end */
        expect_ok(kn_rules_legendre(N, node, weight));
        check_rule("legendre", N, node, weight, power, power % 2 ? 0 : 1.0 / (power + 1));
        expect_ok(kn_rules_hermite(N, node, weight));
        check_rule("hermite", N, node, weight, power, power % 2 ? 0 : tgamma(0.5 * (power + 1)) / sqrt(M_PI));
        expect_ok(kn_rules_laguerre(N, shape, node, weight));
        check_rule("laguerre", N, node, weight, power, tgamma(shape + 1 + power) / tgamma(shape + 1));
    }
    assert_int_equal(kn_rules_legendre(0, node, weight), KN_EINPUT);
}

/* Collisions conserve mass, momentum and energy for any pair of polynomials. */
static void invariants_vanish(void **state)
{
    (void)state;
    struct kn_elements e;
    struct kn_hermite list[8][20];
    int count[8];
    expect_ok(kn_elements_create(&e, 4, true, SPHERES));
    for (int p = 0; p < 8; p++)
        count[p] = kn_elements_list(4, p, list[p]);
    for (int n = 0; n < 64; n++)
        for (int i = 0; i < count[n / 8] * count[n % 8]; i++) {
            const struct kn_hermite a = list[n / 8][i / count[n % 8]], b = list[n % 8][i % count[n % 8]];
            expect_near("mass", kn_elements_value(&e, degrees(0, 0, 0), a, b), 0, 1e-14);
            expect_near("momentum", kn_elements_value(&e, degrees(0, 1, 0), a, b), 0, 1e-14);
            expect_near("energy",
                        kn_elements_value(&e, degrees(2, 0, 0), a, b) +
                            kn_elements_value(&e, degrees(0, 2, 0), a, b) +
                            kn_elements_value(&e, degrees(0, 0, 2), a, b),
                        0, 1e-13);
        }
    kn_elements_destroy(&e);
}

/* -<f, L f> of normalised stress and heat flux: 1.016034 and 2/3 of it for hard spheres, whose viscosity is
 * the unit; 1 and 2/3 for Maxwell molecules, and 2/3 for their fourth moment. */
static void rates_are_known(void **state)
{
    (void)state;
    const struct kn_kernel maxwell = {30 / (4 * tgamma(3.5) / tgamma(1.5)), 0};
    const struct kn_kernel kernels[] = {SPHERES, maxwell};
    const double stress[] = {1.016034, 1};
    for (int i = 0; i < 2; i++) {
        struct kn_elements e;
        const struct kn_hermite one = degrees(0, 0, 0),
                                heat[] = {degrees(3, 0, 0), degrees(1, 2, 0), degrees(1, 0, 2)},
                                fourth[] = {degrees(4, 0, 0), degrees(0, 4, 0), degrees(0, 0, 4),
                                            degrees(2, 2, 0), degrees(2, 0, 2), degrees(0, 2, 2)};
        /* v_x (v^2 - 5/2) and v^4 / 2 - 5 v^2 / 2 + 15 / 8, normalised */
        const double of_heat[] = {sqrt(3.0 / 5), sqrt(1.0 / 5), sqrt(1.0 / 5)},
                     of_fourth[] = {sqrt(3.0 / 15), sqrt(3.0 / 15), sqrt(3.0 / 15),
                                    sqrt(2.0 / 15), sqrt(2.0 / 15), sqrt(2.0 / 15)};
        double q = 0, r = 0;
        expect_ok(kn_elements_create(&e, 4, false, kernels[i]));
        expect_relative("stress", -2 * kn_elements_value(&e, degrees(1, 1, 0), degrees(1, 1, 0), one),
                        stress[i], 1e-6);
        for (int k = 0; k < 9; k++)
            q -= 2 * of_heat[k / 3] * of_heat[k % 3] * kn_elements_value(&e, heat[k / 3], heat[k % 3], one);
        expect_relative("heat flux", q, stress[i] * 2 / 3, 1e-6);
        for (int k = 0; k < 36; k++)
            r -= 2 * of_fourth[k / 6] * of_fourth[k % 6] *
                 kn_elements_value(&e, fourth[k / 6], fourth[k % 6], one);
        expect_relative("fourth moment", r, stress[i] * 2 / 3, 1e-6);
        kn_elements_destroy(&e);
    }
}

/* The product of three Hermite polynomials at v. */
static double at(struct kn_hermite h, const double v[3])
{
    double value = 1, along[8];
    for (int d = 0; d < 3; d++) {
        kn_elements_hermite(h.degree[d], v[d], along);
        value *= along[h.degree[d]];
    }
    return value;
}

/* A rule for the velocities C and g and for the direction of g after the collision. */
enum { ACROSS = 7, RADIAL = 6, POLAR = 7, AROUND = 12 };
struct rule {
    double hermite[2][ACROSS], radial[2][RADIAL], polar[2][POLAR];
};

static void direct(const struct rule *r, int n, double k[3], double *weight)
{
    const double z = r->polar[0][n / AROUND], angle = 2 * M_PI * (n % AROUND + 0.5) / AROUND,
                 rim = sqrt(1 - z * z);
    k[0] = rim * cos(angle);
    k[1] = rim * sin(angle);
    k[2] = z;
    *weight = r->polar[1][n / AROUND] / AROUND;
}

/* Half the sum of k over the two molecules with relative velocity 2 g / sqrt 2 along `direction`. */
static double both(struct kn_hermite k, const double C[3], double g, const double direction[3])
{
    double v[3], v1[3];
    for (int d = 0; d < 3; d++) {
        v[d] = (C[d] - g * direction[d]) / sqrt(2);
        v1[d] = (C[d] + g * direction[d]) / sqrt(2);
    }
    return 0.5 * (at(k, v) + at(k, v1));
}

/* The same integral as an element, as one sum over pairs of molecules and directions. */
static double sum_directly(const struct rule *r, struct kn_hermite k, struct kn_hermite i,
                           struct kn_hermite j)
{
    double total = 0;
    for (int n = 0; n < ACROSS * ACROSS * ACROSS * RADIAL; n++) {
        const int c[3] = {n % ACROSS, n / ACROSS % ACROSS, n / ACROSS / ACROSS % ACROSS};
        const double C[3] = {r->hermite[0][c[0]], r->hermite[0][c[1]], r->hermite[0][c[2]]},
                     g = sqrt(r->radial[0][n / ACROSS / ACROSS / ACROSS]);
        double mean = 0, before = 0, pairs = 0, direction[3], weight;
        for (int m = 0; m < POLAR * AROUND; m++) {
            double v[3], v1[3];
            direct(r, m, direction, &weight);
            for (int d = 0; d < 3; d++) {
                v[d] = (C[d] - g * direction[d]) / sqrt(2);
                v1[d] = (C[d] + g * direction[d]) / sqrt(2);
            }
            const double product = 0.5 * (at(i, v) * at(j, v1) + at(j, v) * at(i, v1)),
                         own = both(k, C, g, direction);
            mean += weight * own;
            pairs += weight * product;
            before += weight * product * own;
        }
        total += r->hermite[1][c[0]] * r->hermite[1][c[1]] * r->hermite[1][c[2]] *
                 r->radial[1][n / ACROSS / ACROSS / ACROSS] * (mean * pairs - before);
    }
    return total;
}

/* Without the rotation to C and g in the polynomials: E[K |v_r| ...] with |v_r| = sqrt 2 g. */
static void elements_match_direct_sums(void **state)
{
    (void)state;
    const struct kn_hermite cases[][3] = {{{{2, 0, 0}}, {{1, 1, 0}}, {{1, 1, 0}}},
                                          {{{1, 1, 0}}, {{2, 0, 0}}, {{1, 1, 0}}},
                                          {{{3, 0, 0}}, {{1, 1, 0}}, {{0, 1, 2}}},
                                          {{{1, 2, 0}}, {{3, 0, 0}}, {{2, 2, 0}}},
                                          {{{0, 2, 2}}, {{2, 0, 2}}, {{0, 2, 2}}}};
    struct rule r;
    struct kn_elements e;
    const double scale = SPHERES.strength * sqrt(2) * 2 / sqrt(M_PI); /* Gamma(2) = 1 */
    expect_ok(kn_rules_hermite(ACROSS, r.hermite[0], r.hermite[1]));
    expect_ok(kn_rules_laguerre(RADIAL, 1, r.radial[0], r.radial[1]));
    expect_ok(kn_rules_legendre(POLAR, r.polar[0], r.polar[1]));
    expect_ok(kn_elements_create(&e, 4, true, SPHERES));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_near("element", kn_elements_value(&e, cases[i][0], cases[i][1], cases[i][2]),
                    scale * sum_directly(&r, cases[i][0], cases[i][1], cases[i][2]), 1e-12);
    kn_elements_destroy(&e);
    assert_int_equal(kn_elements_create(&e, KN_ELEMENTS_DEGREE + 1, false, SPHERES), KN_EINPUT);
    kn_elements_destroy(&e);
}

/* On a fine grid the recurrence gives Hermite polynomials: a_n = 0, b_n^2 = n T / 2. */
static void recurrence_of_a_maxwellian(void **state)
{
    (void)state;
    const double temperature = 0.8;
    double node[16], weight[16], p[16], before[16], b = 0;
    expect_ok(kn_rules_hermite(16, node, weight));
    for (int k = 0; k < 16; k++) {
        node[k] *= sqrt(temperature); /* the peculiar velocity */
        p[k] = 1;
        before[k] = 0;
    }
    for (int n = 0; n < KN_HERMITE_DEGREE; n++) {
        double a = 0, second = 0, hermite[KN_HERMITE_TERMS];
        for (int k = 0; k < 16; k++) {
            a += weight[k] * node[k] * p[k] * p[k];
            second += weight[k] * node[k] * node[k] * p[k] * p[k];
        }
        const float next_b = kn_hermite_norm(n, (float)temperature, (float)a, (float)b, (float)second);
        expect_near("a", a, 0, 1e-6);
        expect_near("b", next_b, sqrt(0.5 * (n + 1) * temperature), 1e-5);
        for (int k = 0; k < 16; k++) {
            const float next = kn_hermite_next((float)node[k], (float)a, (float)b, 1 / next_b, (float)p[k],
                                               (float)before[k]);
            kn_elements_hermite(KN_HERMITE_DEGREE, node[k] / sqrt(temperature), hermite);
            before[k] = p[k];
            p[k] = next;
            expect_near("polynomial", next, hermite[n + 1], 1e-5 * (1 + fabs(hermite[n + 1])));
        }
        b = next_b;
    }
    assert_true(kn_hermite_norm(3, 1, 0, 1.2f, 1.5f) == 0); /* two nodes have no third polynomial */
}

/* L phi at two velocities for the product of these degrees. */
static void image_of(struct kn_kernel kernel, struct kn_hermite h, double image[2])
{
    enum { DEGREE = 3, COUNT = 20 };
    static const double x[] = {0.3, 0.8}, y[] = {0.5}, z[] = {0.2};
    const double weight[] = {0.0625, 0.0625};
    const struct kn_assembly g = {.half = {2, 1, 1},
                                  .size = 2,
                                  .node = {x, y, z},
                                  .weight = weight,
                                  .strength = kernel.strength,
                                  .exponent = kernel.exponent};
    const int parity = h.degree[0] % 2 | h.degree[1] % 2 << 1 | h.degree[2] % 2 << 2;
    struct kn_hermite list[COUNT];
    double all[COUNT][2];
    int at = 0;
    assert_int_equal(kn_images_count(DEGREE), COUNT);
    expect_ok(kn_images_fill(&g, DEGREE, 1, all[0]));
    for (int p = 0; p < parity; p++)
        at += kn_elements_list(DEGREE, p, NULL);
    const int count = kn_elements_list(DEGREE, parity, list);
    for (int i = 0; i < count; i++)
        if (memcmp(&list[i], &h, sizeof h) == 0)
            memcpy(image, all[at + i], sizeof all[at + i]);
}

static double product_at(struct kn_hermite h, const double v[3])
{
    double product = 1, at[KN_ELEMENTS_DEGREE + 1];
    for (int d = 0; d < 3; d++) {
        kn_elements_hermite(h.degree[d], v[d], at);
        product *= at[h.degree[d]];
    }
    return product;
}

/* Stress and heat flux are eigenfunctions of Maxwell molecules; an invariant has no image. */
static void images_of_eigenfunctions(void **state)
{
    (void)state;
    const struct kn_kernel maxwell = {30 / (4 * tgamma(3.5) / tgamma(1.5)), 0};
    const double x[] = {0.3, 0.8}, square = 0.5 * 0.5 + 0.2 * 0.2;
    double stress[2], x3[2], xyy[2], xzz[2], energy[3][2];
    image_of(maxwell, degrees(1, 1, 0), stress);
    image_of(maxwell, degrees(3, 0, 0), x3);
    image_of(maxwell, degrees(1, 2, 0), xyy);
    image_of(maxwell, degrees(1, 0, 2), xzz);
    for (int d = 0; d < 3; d++)
        image_of(SPHERES, degrees(d == 0 ? 2 : 0, d == 1 ? 2 : 0, d == 2 ? 2 : 0), energy[d]);
    for (int k = 0; k < 2; k++) {
        expect_near("stress", stress[k], -2 * x[k] * 0.5, 1e-9);
        expect_near("heat flux", sqrt(0.75) * x3[k] + 0.5 * (xyy[k] + xzz[k]),
                    -2.0 / 3 * x[k] * (x[k] * x[k] + square - 2.5), 1e-9);
        expect_near("energy", energy[0][k] + energy[1][k] + energy[2][k], 0, 1e-13);
    }
}

/* For hard spheres the image is the sum of all polynomials with their elements; those up to degree 12 give it
 * to a few parts in ten thousand at these velocities. */
static void images_of_hard_spheres(void **state)
{
    (void)state;
    const struct kn_hermite stress = degrees(1, 1, 0), one = degrees(0, 0, 0);
    const double x[] = {0.3, 0.8};
    struct kn_elements e;
    struct kn_hermite list[KN_ELEMENTS_DEGREE * KN_ELEMENTS_DEGREE];
    double image[2];
    expect_ok(kn_elements_create(&e, KN_ELEMENTS_DEGREE, false, SPHERES));
    const int count = kn_elements_list(KN_ELEMENTS_DEGREE, 3, list);
    image_of(SPHERES, stress, image);
    for (int k = 0; k < 2; k++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += 2 * kn_elements_value(&e, list[i], stress, one) *
                   product_at(list[i], (double[3]){x[k], 0.5, 0.2});
        expect_relative("stress", image[k], sum, 1e-3);
    }
    kn_elements_destroy(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_exact),
        cmocka_unit_test(invariants_vanish),
        cmocka_unit_test(rates_are_known),
        cmocka_unit_test(elements_match_direct_sums),
        cmocka_unit_test(images_of_eigenfunctions),
        cmocka_unit_test(images_of_hard_spheres),
        cmocka_unit_test(recurrence_of_a_maxwellian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
