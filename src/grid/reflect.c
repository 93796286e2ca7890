/* Matrices of the reflection at facets: polynomials of the velocity that are orthonormal under the flux are
 * reflected with the eigenvalues of the exact kernel. */
#include "grid/reflect.h"

#include "config/case.h"
#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = KN_REFLECT_MOST, SIDE = KN_REFLECT_DEGREE + 1 };

/* Below this share of the square of a polynomial is what the nodes do not tell from lower ones. */
static const double DEPENDENT = 1e-4;

/* Coefficients below it are round-off. */
static const double ROUNDING = 1e-9;

/* Coefficients of products of orthonormal Hermite polynomials of vx, vy, vz, by their degrees. */
struct cube {
    double of[SIDE][SIDE][SIDE];
};

/* Three axes: normal to the facet and tangential. */
struct frame {
    double axis[3][3];
};

/* The orthonormal polynomials of a facet and their eigenvalues. */
struct spectrum {
    int count;
    double of[MOST][MOST], eigenvalue[MOST];
};

bool kn_reflect_partly(const struct kn_wall *surface)
{
    return surface->kind == KN_WALL_DIFFUSE && (surface->accommodation != 1 || kn_case_scatters(surface));
}

/* A folded axis has even degrees, a reduced one degrees up to the third. */
static bool has_power(const struct kn_velocity *v, int axis, int power)
{
    return (v->bit[axis] || power % 2 == 0) && (!kn_velocity_is_reduced(v, axis) || power <= 3);
}

static void list_polynomials(struct kn_reflect *r, const struct kn_velocity *v)
{
    r->count = 0;
    for (int i = 0; i <= KN_REFLECT_DEGREE; i++)
        for (int j = 0; i + j <= KN_REFLECT_DEGREE; j++)
            for (int k = 0; i + j + k <= KN_REFLECT_DEGREE; k++)
                if (has_power(v, 0, i) && has_power(v, 1, j) && has_power(v, 2, k))
                    memcpy(r->power[r->count++], (int[3]){i, j, k}, sizeof *r->power);
}

/* p_n+1 sqrt((n + 1) / 2) = x p_n - p_n-1 sqrt(n / 2) */
static void fill_hermite(double x, double p[SIDE])
{
    p[0] = 1;
    for (int n = 0; n + 1 < SIDE; n++)
        p[n + 1] = (x * p[n] - (n > 0 ? sqrt(n / 2.0) * p[n - 1] : 0)) / sqrt((n + 1) / 2.0);
}

enum kn_status kn_reflect_create(struct kn_reflect *r, const struct kn_velocity *v)
{
    *r = (struct kn_reflect){0};
    list_polynomials(r, v);
    r->values = calloc((size_t)v->nnodes * (size_t)r->count, sizeof *r->values);
    if (!r->values)
        return kn_error_set(KN_EMEMORY, "no memory for the reflection at bodies");
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            double hermite[3][SIDE];
            double *to = r->values + (size_t)(octant * v->stride + k) * (size_t)r->count;
            for (int d = 0; d < 3; d++)
                fill_hermite(kn_velocity_sign(v, octant, d) * (double)v->speed[d][k], hermite[d]);
            for (int j = 0; j < r->count; j++)
                to[j] = hermite[0][r->power[j][0]] * hermite[1][r->power[j][1]] * hermite[2][r->power[j][2]];
        }
    return KN_OK;
}

void kn_reflect_destroy(struct kn_reflect *r)
{
    free(r->values);
    *r = (struct kn_reflect){0};
}

/* The last axis is the one most parallel to the facet: an axis along which the gas is uniform. */
static struct frame frame_of(const double n[3])
{
    struct frame f = {0};
    int flat = 2;
    for (int d = 0; d < 2; d++)
        flat = fabs(n[d]) < fabs(n[flat]) ? d : flat;
    const double length = sqrt(1 - n[flat] * n[flat]);
    for (int d = 0; d < 3; d++) {
        f.axis[0][d] = n[d];
        f.axis[2][d] = ((d == flat) - n[flat] * n[d]) / length;
    }
    for (int d = 0; d < 3; d++)
        f.axis[1][d] = n[(d + 1) % 3] * f.axis[2][(d + 2) % 3] - n[(d + 2) % 3] * f.axis[2][(d + 1) % 3];
    return f;
}

/* Add x_d times a term of a polynomial to another. */
static void add_product(struct cube *to, const int power[3], int d, double c)
{
    const int x = d == 0, y = d == 1, z = d == 2;
    to->of[power[0] + x][power[1] + y][power[2] + z] += c * sqrt((power[d] + 1) / 2.0);
    if (power[d] > 0)
        to->of[power[0] - x][power[1] - y][power[2] - z] += c * sqrt(power[d] / 2.0);
}

/* Multiply a polynomial of a degree below the highest by a component of the velocity. */
static void multiply(struct cube *p, const double along[3])
{
    struct cube product = {0};
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; i + j < SIDE; j++)
            for (int k = 0; i + j + k < SIDE - 1; k++)
                for (int d = 0; d < 3; d++)
                    add_product(&product, (int[3]){i, j, k}, d, p->of[i][j][k] * along[d]);
    *p = product;
}

/* Coefficients of v_n^a v_t^b v_s^c in the Hermite polynomials; false if these do not contain it. */
static bool expand(const struct kn_reflect *r, const struct frame *f, const int power[3], double to[MOST])
{
    struct cube p = {0};
    double rest = 0;
    p.of[0][0][0] = 1;
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < power[d]; i++)
            multiply(&p, f->axis[d]);
    for (int j = 0; j < r->count; j++) {
        double *c = &p.of[r->power[j][0]][r->power[j][1]][r->power[j][2]];
        to[j] = *c;
        *c = 0;
    }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            for (int k = 0; k < SIDE; k++)
                rest += fabs(p.of[i][j][k]);
    return rest < ROUNDING;
}

/* Sums over the velocities away from the facet of products of Hermite polynomials under the flux. */
static void fill_products(const struct kn_reflect *r, const struct kn_velocity *v, const double n[3],
                          double to[MOST][MOST])
{
    for (int j = 0; j < r->count; j++)
        memset(to[j], 0, sizeof to[j]);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            float at[3];
            kn_velocity_at(v, octant, k, at);
            const double flux = -v->mass[k] * (n[0] * at[0] + n[1] * at[1] + n[2] * at[2]);
            const double *m = r->values + ((size_t)octant * (size_t)v->stride + (size_t)k) * (size_t)r->count;
            for (int i = 0; i < r->count && flux > 0; i++)
                for (int j = 0; j <= i; j++)
                    to[i][j] += flux * m[i] * m[j];
        }
    for (int i = 0; i < r->count; i++)
        for (int j = i + 1; j < r->count; j++)
            to[i][j] = to[j][i];
}

static double product(int n, double products[MOST][MOST], const double a[MOST], const double b[MOST])
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && a[i] != 0; j++)
            sum += a[i] * products[i][j] * b[j];
    return sum;
}

/* Append a polynomial, made orthogonal to the former ones. */
static void append(struct spectrum *s, int n, double products[MOST][MOST], double p[MOST], double eigenvalue)
{
    const double before = product(n, products, p, p);
    for (int again = 0; again < 3; again++)
        for (int k = 0; k < s->count; k++) {
            const double dot = product(n, products, s->of[k], p);
            for (int j = 0; j < n; j++)
                p[j] -= dot * s->of[k][j];
        }
    const double square = product(n, products, p, p);
    if (!(square > DEPENDENT * before))
        return;
    for (int j = 0; j < n; j++)
        s->of[s->count][j] = p[j] / sqrt(square);
    s->eigenvalue[s->count++] = eigenvalue;
}

/* The eigenvalue of v_n^a v_t^b v_s^c.  The functions are those of the reversed velocity of the molecules
 * that arrive: odd powers of tangential components change their sign. */
static double eigenvalue_of(const struct kn_wall *w, const int power[3])
{
    const int tangential = power[1] + power[2], squares = power[0] / 2;
    if (!kn_case_scatters(w))
        return (1 - w->accommodation) * (tangential % 2 ? -1 : 1);
    return pow(1 - w->normal, squares) * pow(w->tangential - 1, tangential);
}

/* By ascending degree.  Specular reflection keeps the energy, which comes after the constant; the kernel of
 * Cercignani and Lampis has functions of v_n^2. */
static void find_spectrum(struct spectrum *s, const struct kn_reflect *r, const struct frame *f,
                          const struct kn_wall *w, double products[MOST][MOST])
{
    double p[MOST], energy[MOST] = {0};
    s->count = 0;
    for (int degree = 0; degree <= KN_REFLECT_DEGREE; degree++)
        for (int odd = 0; odd < 2; odd++) {
            for (int a = degree; a >= 0; a--)
                for (int b = degree - a; b >= 0; b--) {
                    const int power[3] = {a, b, degree - a - b};
                    if ((degree - a) % 2 == odd && !(kn_case_scatters(w) && a % 2) && expand(r, f, power, p))
                        append(s, r->count, products, p, eigenvalue_of(w, power));
                }
            for (int d = 0; d < 3 && degree == 0 && !odd; d++) {
                expand(r, f, (const int[3]){d == 0 ? 2 : 0, d == 1 ? 2 : 0, d == 2 ? 2 : 0}, p);
                for (int j = 0; j < r->count; j++)
                    energy[j] += p[j];
            }
            if (degree == 0 && !odd && !kn_case_scatters(w))
                append(s, r->count, products, energy, 1 - w->accommodation);
        }
}

/* The constant has no part in the matrix: what arrives in excess of the emission has no mass.  Rounding is
 * removed from it. */
static void remove_mass(int n, double products[MOST][MOST], double *matrix)
{
    for (int way = 0; way < 2; way++)
        for (int j = 0; j < n; j++) {
            double mass = 0;
            for (int i = 0; i < n; i++)
                mass += products[0][i] * (way ? matrix[j * n + i] : matrix[i * n + j]);
            matrix[way ? j * n : j] -= mass / products[0][0];
        }
}

void kn_reflect_fill(const struct kn_reflect *r, const struct kn_velocity *v, const double normal[3],
                     const struct kn_wall *surface, double *matrix)
{
    const struct frame f = frame_of(normal);
    double products[MOST][MOST];
    struct spectrum s;
    fill_products(r, v, normal, products);
    find_spectrum(&s, r, &f, surface, products);
    for (int i = 0; i < r->count; i++)
        for (int j = 0; j < r->count; j++) {
            double sum = 0;
            for (int k = 1; k < s.count; k++)
                sum += s.eigenvalue[k] * s.of[k][i] * s.of[k][j];
            matrix[i * r->count + j] = sum;
        }
    remove_mass(r->count, products, matrix);
}
