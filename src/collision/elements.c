/* Exact matrix elements of the collision integral between Hermite polynomials. In the velocities
 * C = (v + v1) / sqrt 2 and g = (v1 - v) / sqrt 2 of a pair, a collision changes only the direction of g, and
 * products of Hermite polynomials in v and v1 are finite sums of products in C and g, theory section 12. */
#include "collision/elements.h"

#include "collision/rules.h"
#include "error.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_DEGREE = 2 * KN_ELEMENTS_DEGREE, MOST_POINTS = 64 }; /* of a product; of a rule */

int kn_elements_list(int degree, int parity, struct kn_hermite *list)
{
    int count = 0;
    for (int total = 0; total <= degree; total++)
        for (int x = total; x >= 0; x--)
            for (int y = total - x; y >= 0; y--) {
                const int z = total - x - y;
                if ((x % 2 | y % 2 << 1 | z % 2 << 2) != parity)
                    continue;
                if (list)
                    list[count] = (struct kn_hermite){{x, y, z}};
                count++;
            }
    return count;
}

void kn_elements_hermite(int degree, double v, double *value)
{
    value[0] = 1;
    for (int n = 0; n < degree; n++)
        value[n + 1] = (sqrt(2) * v * value[n] - (n > 0 ? sqrt(n) * value[n - 1] : 0)) / sqrt(n + 1);
}

static double *rotation_at(const struct kn_elements *e, int a, int b)
{
    return e->rotation + (size_t)(a * (e->degree + 1) + b) * (size_t)(e->product + 1);
}

/* h_a(v) h_b(v1) = sum over m of rotation[a][b][m] h_m(C) h_(a+b-m)(g) along one axis, by an exact rule. */
static void add_rotation(struct kn_elements *e, double C, double g, double weight)
{
    double at_v[MOST_DEGREE + 1], at_v1[MOST_DEGREE + 1], at_C[MOST_DEGREE + 1], at_g[MOST_DEGREE + 1];
    kn_elements_hermite(e->degree, (C - g) / sqrt(2), at_v);
    kn_elements_hermite(e->degree, (C + g) / sqrt(2), at_v1);
    kn_elements_hermite(e->product, C, at_C);
    kn_elements_hermite(e->product, g, at_g);
    for (int a = 0; a <= e->degree; a++)
        for (int b = 0; b <= e->degree && a + b <= e->product; b++)
            for (int m = 0; m <= a + b; m++)
                rotation_at(e, a, b)[m] += weight * at_v[a] * at_v1[b] * at_C[m] * at_g[a + b - m];
}

static enum kn_status fill_rotation(struct kn_elements *e)
{
    const int n = e->product + 1;
    double node[MOST_POINTS], weight[MOST_POINTS];
    KN_TRY(kn_rules_hermite(n, node, weight));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            add_rotation(e, node[i], node[j], weight[i] * weight[j]);
    return KN_OK;
}

static int *place_at(const struct kn_elements *e, const int n[3])
{
    return &e->place[(n[0] * (e->product + 1) + n[1]) * (e->product + 1) + n[2]];
}

/* Number the polynomials in g of even total degree; those up to `degree` come first. */
static void fill_places(struct kn_elements *e)
{
    const int size = e->product + 1;
    for (int i = 0; i < size * size * size; i++)
        e->place[i] = -1;
    for (int total = 0; total <= e->product; total += 2) {
        for (int x = 0; x <= total; x++)
            for (int y = 0; x + y <= total; y++)
                *place_at(e, (int[3]){x, y, total - x - y}) = e->columns++;
        e->rows = total <= e->degree ? e->columns : e->rows;
    }
}

/* The products h_n(g) of all places at one g. */
static void values_at(const struct kn_elements *e, const double g[3], double *value)
{
    double at[3][MOST_DEGREE + 1];
    for (int d = 0; d < 3; d++)
        kn_elements_hermite(e->product, g[d], at[d]);
    for (int x = 0; x <= e->product; x++)
        for (int y = 0; x + y <= e->product; y++)
            for (int z = (x + y) % 2; x + y + z <= e->product; z += 2)
                value[*place_at(e, (int[3]){x, y, z})] = at[0][x] * at[1][y] * at[2][z];
}

/* A rule on the sphere, exact for the products of rows and columns. */
struct sphere {
    int count;
    double (*direction)[3], *weight;
};

static enum kn_status fill_sphere(struct sphere *s, int degree)
{
    const int polar = degree / 2 + 1, around = degree + 1;
    double node[MOST_POINTS], weight[MOST_POINTS];
    KN_TRY(kn_rules_legendre(polar, node, weight));
    for (int i = 0; i < polar; i++)
        for (int j = 0; j < around; j++, s->count++) {
            const double angle = 2 * M_PI * (j + 0.5) / around, rim = sqrt(1 - node[i] * node[i]);
            s->direction[s->count][0] = rim * cos(angle);
            s->direction[s->count][1] = rim * sin(angle);
            s->direction[s->count][2] = node[i];
            s->weight[s->count] = weight[i] / around;
        }
    return KN_OK;
}

/* All values on a sphere of this radius: average += weight <column (mean of row - row)>. */
static void add_shell(struct kn_elements *e, const struct sphere *s, double radius, double weight,
                      double *value)
{
    const size_t columns = (size_t)e->columns;
    double *row_mean = value + columns, *column_mean = row_mean + columns;
    for (size_t i = 0; i < columns; i++)
        column_mean[i] = 0;
    for (int n = 0; n < s->count; n++) {
        const double *k = s->direction[n], g[3] = {radius * k[0], radius * k[1], radius * k[2]};
        values_at(e, g, value);
        for (size_t i = 0; i < columns; i++)
            column_mean[i] += s->weight[n] * value[i];
        for (size_t i = 0; i < (size_t)e->rows; i++)
            for (size_t j = 0; j < columns; j++)
                e->average[i * columns + j] -= weight * s->weight[n] * value[i] * value[j];
    }
    for (size_t i = 0; i < (size_t)e->rows; i++)
        for (size_t j = 0; j < columns; j++)
            e->average[i * columns + j] += weight * column_mean[i] * column_mean[j];
}

/* K <|sqrt 2 g|^gamma ...> over g: radial rule in g^2, theory (47b). */
static enum kn_status fill_average(struct kn_elements *e, const struct sphere *s, struct kn_kernel kernel,
                                   double *value)
{
    const int n = (e->degree + e->product) / 4 + 1;
    const double power = (1 + kernel.exponent) / 2,
                 scale = kernel.strength * pow(2, kernel.exponent / 2) * 2 / sqrt(M_PI) * tgamma(power + 1);
    double node[MOST_POINTS], weight[MOST_POINTS];
    KN_TRY(kn_rules_laguerre(n, power, node, weight));
    for (int i = 0; i < n; i++)
        add_shell(e, s, sqrt(node[i]), scale * weight[i], value);
    return KN_OK;
}

static enum kn_status integrate(struct kn_elements *e, struct sphere *s, struct kn_kernel kernel,
                                double *value)
{
    KN_TRY(fill_rotation(e));
    KN_TRY(fill_sphere(s, e->degree + e->product));
    return fill_average(e, s, kernel, value);
}

static enum kn_status fill(struct kn_elements *e, struct kn_kernel kernel)
{
    const int degree = e->degree + e->product;
    const size_t points = (size_t)(degree / 2 + 1) * (size_t)(degree + 1);
    fill_places(e);
    struct sphere s = {.direction = calloc(points, sizeof *s.direction),
                       .weight = calloc(points, sizeof *s.weight)};
    double *value = calloc(3 * (size_t)e->columns, sizeof *value);
    e->average = calloc((size_t)e->rows * (size_t)e->columns, sizeof *e->average);
    const enum kn_status status = s.direction && s.weight && value && e->average
                                      ? integrate(e, &s, kernel, value)
                                      : kn_error_set(KN_EMEMORY, "no memory for the collision integrals");
    free(s.direction);
    free(s.weight);
    free(value);
    return status;
}

enum kn_status kn_elements_create(struct kn_elements *e, int degree, bool bilinear, struct kn_kernel kernel)
{
    const int product = bilinear ? 2 * degree : degree;
    const size_t size = (size_t)product + 1, factors = ((size_t)degree + 1) * ((size_t)degree + 1);
    *e = (struct kn_elements){.degree = degree,
                              .product = product,
                              .rotation = calloc(factors * size, sizeof *e->rotation),
                              .place = calloc(size * size * size, sizeof *e->place)};
    if (degree > KN_ELEMENTS_DEGREE)
        return kn_error_set(KN_EINPUT, "collision integrals of polynomials of degree %d", degree);
    if (!e->rotation || !e->place)
        return kn_error_set(KN_EMEMORY, "no memory for the collision integrals");
    return fill(e, kernel);
}

void kn_elements_destroy(struct kn_elements *e)
{
    free(e->rotation);
    free(e->place);
    free(e->average);
    *e = (struct kn_elements){0};
}

/* The product along the three axes of rotation[a][b][m]. */
static double rotation_of(const struct kn_elements *e, const int a[3], const int b[3], const int m[3])
{
    double product = 1;
    for (int d = 0; d < 3; d++)
        product *= rotation_at(e, a[d], b[d])[m[d]];
    return product;
}

/* The term with h_m(C): polynomials in C are orthonormal. */
static double term(const struct kn_elements *e, const int k[3], const int i[3], const int j[3],
                   const int m[3])
{
    static const int none[3] = {0};
    int row[3], column[3], even = 0;
    for (int d = 0; d < 3; d++) {
        row[d] = k[d] - m[d];
        column[d] = i[d] + j[d] - m[d];
        even += row[d];
        if (column[d] < 0)
            return 0;
    }
    if (even % 2) /* changes sign if the two molecules are exchanged */
        return 0;
    const int r = *place_at(e, row), c = *place_at(e, column);
    return c < 0 ? 0
                 : rotation_of(e, k, none, m) * rotation_of(e, i, j, m) *
                       e->average[(size_t)r * (size_t)e->columns + (size_t)c];
}

double kn_elements_value(const struct kn_elements *e, struct kn_hermite k, struct kn_hermite i,
                         struct kn_hermite j)
{
    double sum = 0;
    for (int x = 0; x <= k.degree[0]; x++)
        for (int y = 0; y <= k.degree[1]; y++)
            for (int z = 0; z <= k.degree[2]; z++)
                sum += term(e, k.degree, i.degree, j.degree, (int[3]){x, y, z});
    return sum;
}
