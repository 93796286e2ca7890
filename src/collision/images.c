/* Integrates collisions of polynomials over the velocity of the other molecule, theory (44b). */
#include "collision/images.h"

#include "collision/rules.h"
#include "error.h"
#include "point/hermite.h"

#include <math.h>

enum { MOST = 56, LEAST = 5, RADII = 32, POLAR = 24, AROUND = KN_HERMITE_TERMS, SPHERE = 14 };

static const double BEYOND = 6.5; /* no molecule is faster */

/* The nodes of all integrals, the same for every velocity; and the list of polynomials. */
struct rules {
    struct kn_kernel kernel;
    int degree, count;
    struct kn_hermite list[MOST];
    double radius[RADII], radius_weight[RADII]; /* on (-1, 1); weights sum to 1 */
    double polar[POLAR], polar_weight[POLAR];
    double circle[AROUND][2];
    double sphere[SPHERE][3], sphere_weight[SPHERE];
};

int kn_images_degree(const int half[3])
{
    int degree = KN_HERMITE_DEGREE;
    for (int d = 0; d < 3; d++)
        degree = half[d] < degree ? half[d] : degree;
    return degree < LEAST ? 1 : degree;
}

int kn_images_count(int degree)
{
    return (degree + 1) * (degree + 2) * (degree + 3) / 6;
}

/* Corners and centres of the faces of a cube: exact for polynomials of degree 5. */
static void fill_sphere(struct rules *r)
{
    for (int n = 0; n < SPHERE; n++) {
        r->sphere_weight[n] = n < 8 ? 3.0 / 40 : 1.0 / 15;
        for (int d = 0; d < 3; d++)
            r->sphere[n][d] = n < 8              ? (n >> d & 1 ? -1 : 1) / sqrt(3)
                              : (n - 8) % 3 == d ? (n - 8 < 3 ? 1 : -1)
                                                 : 0;
    }
}

static enum kn_status fill_rules(struct rules *r)
{
    KN_TRY(kn_rules_legendre(RADII, r->radius, r->radius_weight));
    KN_TRY(kn_rules_legendre(POLAR, r->polar, r->polar_weight));
    for (int n = 0; n < AROUND; n++) {
        r->circle[n][0] = cos(2 * M_PI * (n + 0.5) / AROUND);
        r->circle[n][1] = sin(2 * M_PI * (n + 0.5) / AROUND);
    }
    fill_sphere(r);
    for (int parity = 0; parity < 8; parity++)
        r->count += kn_elements_list(r->degree, parity, r->list + r->count);
    return KN_OK;
}

/* value += weight phi(v) */
static void add_values(const struct rules *r, const double v[3], double weight, double *value)
{
    double at[3][KN_HERMITE_TERMS];
    for (int d = 0; d < 3; d++)
        kn_elements_hermite(r->degree, v[d], at[d]);
    for (int i = 0; i < r->count; i++) {
        const int *n = r->list[i].degree;
        value[i] += weight * at[0][n[0]] * at[1][n[1]] * at[2][n[2]];
    }
}

/* The mean over the directions after a collision, times a weight; the rule contains -k with every k, so that
 * both molecules have the same mean. */
static void add_collision(const struct rules *r, const double v[3], const double relative[3], double speed,
                          double weight, double *value)
{
    double other[3], after[3];
    for (int d = 0; d < 3; d++)
        other[d] = v[d] + relative[d];
    add_values(r, v, -weight, value);
    add_values(r, other, -weight, value);
    for (int n = 0; n < SPHERE; n++) {
        for (int d = 0; d < 3; d++)
            after[d] = 0.5 * (v[d] + other[d] + speed * r->sphere[n][d]);
        add_values(r, after, 2 * weight * r->sphere_weight[n], value);
    }
}

/* Two directions at right angles to a unit vector. */
static void find_frame(const double axis[3], double first[3], double second[3])
{
    const int a = fabs(axis[0]) < 0.6 ? 0 : fabs(axis[1]) < 0.6 ? 1 : 2, b = (a + 1) % 3, c = (a + 2) % 3;
    const double length = sqrt(axis[b] * axis[b] + axis[c] * axis[c]);
    first[a] = 0;
    first[b] = -axis[c] / length;
    first[c] = axis[b] / length;
    for (int d = 0; d < 3; d++)
        second[d] = axis[(d + 1) % 3] * first[(d + 2) % 3] - axis[(d + 2) % 3] * first[(d + 1) % 3];
}

/* Collisions with relative speed g: the other molecule is on a sphere about v. The part of it on which the
 * Maxwellian is not negligible is a cap around -v. */
static void add_shell(const struct rules *r, const double v[3], double speed, double g, double weight,
                      double *value)
{
    const double nearest = (speed - g) * (speed - g), size = 2 * speed * g,
                 end = fmin(1, (BEYOND * BEYOND - nearest) / size - 1);
    double axis[3], first[3], second[3];
    for (int d = 0; d < 3; d++)
        axis[d] = v[d] / speed;
    find_frame(axis, first, second);
    for (int i = 0; i < POLAR; i++) {
        const double cosine = -1 + 0.5 * (r->polar[i] + 1) * (end + 1), sine = sqrt(1 - cosine * cosine),
                     density = pow(M_PI, -1.5) * exp(-nearest - size * (1 + cosine)),
                     share = 2 * M_PI * (end + 1) * r->polar_weight[i] / AROUND;
        for (int n = 0; n < AROUND; n++) {
            double relative[3];
            for (int d = 0; d < 3; d++)
                relative[d] = g * (cosine * axis[d] +
                                   sine * (r->circle[n][0] * first[d] + r->circle[n][1] * second[d]));
            add_collision(r, v, relative, g, weight * share * density, value);
        }
    }
}

/* All products at one velocity. */
static void add_images(const struct rules *r, const double v[3], double *value)
{
    const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), low = fmax(0, speed - BEYOND),
                 high = speed + BEYOND;
    for (int i = 0; i < RADII; i++) {
        const double g = low + 0.5 * (r->radius[i] + 1) * (high - low);
        add_shell(r, v, speed, g,
                  r->kernel.strength * (high - low) * r->radius_weight[i] * pow(g, 2 + r->kernel.exponent),
                  value);
    }
}

enum kn_status kn_images_fill(const struct kn_assembly *g, int degree, int threads, double *images)
{
    struct rules r = {.kernel = {g->strength, g->exponent}, .degree = degree};
    if (degree > KN_HERMITE_DEGREE)
        return kn_error_set(KN_EINPUT, "images of polynomials of degree %d", degree);
    KN_TRY(fill_rules(&r));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int k = 0; k < g->size; k++) {
        double v[3], value[MOST] = {0};
        kn_pair_velocity(g, k, 0, v);
        add_images(&r, v, value);
        for (int i = 0; i < r.count; i++)
            images[(size_t)i * (size_t)g->size + (size_t)k] = value[i];
    }
    return KN_OK;
}
