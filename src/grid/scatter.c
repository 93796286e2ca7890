/* Matrices of the Cercignani-Lampis kernel: it is diagonal in orthogonal polynomials of each velocity
 * component relative to the wall. */
#include "grid/scatter.h"

#include "point/wall.h"

#include <math.h>
#include <string.h>

enum { MOST = KN_VELOCITY_LINE };

/* The nodes of an axis that one matrix connects.  `gauss` is the Maxwellian of the wall over that of the
 * reference, times any constant; the polynomials are orthonormal with the weights times it. */
struct line {
    int n;
    double node[MOST], weight[MOST], gauss[MOST];
};

/* Those with v > 0, and with `both` then those with v < 0. */
static struct line line_of(const struct kn_velocity *v, int axis, int both, double eps,
                           const struct kn_scatter *s)
{
    struct line l = {.n = (both ? 2 : 1) * v->half[axis]};
    const double mean = s->velocity[axis];
    double exponent[MOST], most = 0;
    for (int i = 0; i < l.n; i++) {
        const int k = i % v->half[axis];
        l.node[i] = i == k ? v->node[axis][k] : -v->node[axis][k];
        l.weight[i] = v->weight[axis][k];
        exponent[i] = eps * (2 * mean + s->temperature * l.node[i]) * l.node[i] / (1 + eps * s->temperature);
        most = fmax(most, exponent[i]);
    }
    for (int i = 0; i < l.n; i++)
        l.gauss[i] = exp(exponent[i] - most);
    return l;
}

/* Polynomials in x that are orthonormal with these weights, by their recurrence; orthogonalised again, because
 * the recurrence loses digits for many nodes.  q is [degree][node].  The result is their number: less than n
 * if weights are below the range of numbers. */
static int find_polynomials(int n, const double *x, const double *weight, double q[MOST][MOST])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++)
            q[k][i] = k == 0 ? 1 : x[i] * q[k - 1][i];
        for (int again = 0; again < 2; again++)
            for (int j = 0; j < k; j++) {
                double dot = 0;
                for (int i = 0; i < n; i++)
                    dot += weight[i] * q[k][i] * q[j][i];
                for (int i = 0; i < n; i++)
                    q[k][i] -= dot * q[j][i];
            }
        double square = 0;
        for (int i = 0; i < n; i++)
            square += weight[i] * q[k][i] * q[k][i];
        if (!(square > 0))
            return k;
        for (int i = 0; i < n; i++)
            q[k][i] /= sqrt(square);
    }
    return n;
}

/* matrix[i][j] = gauss(i) times the sum over k of first ratio^k p_k(i) p_k(j) weight(j): p_k = node^power
 * times a polynomial in x. */
static void add_kernel(const struct line *l, const double *x, int power, double first, double ratio,
                       double matrix[MOST][MOST])
{
    double q[MOST][MOST], by[MOST], factor[MOST];
    for (int i = 0; i < l->n; i++) {
        factor[i] = power ? l->node[i] : 1;
        by[i] = l->weight[i] * l->gauss[i] * (factor[i] * factor[i]);
    }
    const int count = find_polynomials(l->n, x, by, q);
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < l->n; j++) {
            double eigenvalue = first, sum = 0;
            for (int k = 0; k < count; k++, eigenvalue *= ratio)
                sum += eigenvalue * q[k][i] * q[k][j];
            matrix[i][j] = l->gauss[i] * (sum * (factor[i] * factor[j]) * l->weight[j]);
        }
}

static void store(int n, const double matrix[MOST][MOST], int row, int column, float *to)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to[i * n + j] = (float)matrix[row + i][column + j];
}

/* A wall at rest on this axis: even and odd functions have the eigenvalues (1 - a)^2k and (1 - a)^(2k+1).  A
 * value is the sum of half of both parts of its own sign, and of half of their difference of the other sign. */
static void fill_resting(const struct kn_velocity *v, int axis, const struct line *l, double a,
                         double to[2][MOST][MOST])
{
    double even[MOST][MOST], odd[MOST][MOST], square[MOST];
    for (int i = 0; i < l->n; i++)
        square[i] = l->node[i] * l->node[i];
    add_kernel(l, square, 0, 1, (1 - a) * (1 - a), even);
    add_kernel(l, square, 1, 1 - a, (1 - a) * (1 - a), odd);
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < l->n; j++) {
            to[0][i][j] = v->bit[axis] ? (even[i][j] + odd[i][j]) / 2 : even[i][j];
            to[1][i][j] = (even[i][j] - odd[i][j]) / 2;
        }
}

/* A reduced axis has moments up to the third, which the kernel maps onto one another: a molecule leaves with
 * the mean m = u + (1 - a) (v - u) and the variance T (1 - (1 - a)^2) / 2. */
static void fill_reduced(const struct line *l, int folded, double eps, double a, double mean, double excess,
                         double matrix[MOST][MOST])
{
    const double r = 1 - a, variance = (1 + eps * excess) * (1 - r * r) / 2;
    for (int j = 0; j < l->n; j++) {
        const double m = eps * mean * a + r * l->node[j];
        const double moment[4] = {1, m, m * m + variance - 0.5, m * (m * m + 3 * variance - 1.5)};
        for (int i = 0; i < l->n; i++) {
            const double x = l->node[i];
            const double dual[4] = {1, 2 * x, 2 * (x * x - 0.5), 4.0 / 3 * x * (x * x - 1.5)};
            double sum = 0;
            for (int k = 0; k < 4; k += folded ? 2 : 1)
                sum += dual[k] * moment[k];
            matrix[i][j] = sum * l->weight[j];
        }
    }
}

static void fill_tangential(const struct kn_velocity *v, int axis, double eps, const struct kn_scatter *s,
                            float *const to[KN_WALL_BLOCKS])
{
    double matrix[2][MOST][MOST];
    const int n = v->half[axis], folded = v->bit[axis] == 0;
    const int moves = eps * s->velocity[axis] != 0, reduced = kn_velocity_is_reduced(v, axis);
    const int both = !folded && (moves || reduced);
    const struct line l = line_of(v, axis, both, eps, s);
    if (reduced)
        fill_reduced(&l, folded, eps, s->tangential, s->velocity[axis], s->temperature, matrix[0]);
    else if (both)
        add_kernel(&l, l.node, 0, 1, 1 - s->tangential, matrix[0]);
    else
        fill_resting(v, axis, &l, s->tangential, matrix);
    for (int block = 0; block < KN_WALL_BLOCKS; block++) {
        const int row = block / 2, other = block % 2;
        if (both)
            store(n, matrix[0], row * n, (row ^ other) * n, to[block]);
        else if (!folded || !other)
            store(n, matrix[other], 0, 0, to[block]);
    }
}

size_t kn_scatter_size(const struct kn_velocity *v)
{
    return (size_t)kn_wall_matrix(v->half, 3, 0);
}

void kn_scatter_fill(const struct kn_velocity *v, int normal, const struct kn_scatter *s, float *matrices)
{
    const double eps = v->basis.eps;
    memset(matrices, 0, kn_scatter_size(v) * sizeof *matrices);
    for (int axis = 0; axis < 3; axis++) {
        float *to[KN_WALL_BLOCKS];
        double square[MOST], kernel[MOST][MOST];
        for (int block = 0; block < KN_WALL_BLOCKS; block++)
            to[block] = matrices + kn_wall_matrix(v->half, axis, block);
        if (axis != normal) {
            fill_tangential(v, axis, eps, s, to);
            continue;
        }
        struct line l = line_of(v, axis, 0, eps, s);
        for (int i = 0; i < l.n; i++) {
            l.weight[i] *= l.node[i];
            square[i] = l.node[i] * l.node[i];
        }
        add_kernel(&l, square, 0, 1, 1 - s->normal, kernel);
        store(l.n, kernel, 0, 0, to[0]);
    }
}
