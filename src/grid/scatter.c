/* Matrices of the Cercignani-Lampis kernel: orthogonal polynomials of each velocity component are mapped onto
 * such polynomials of the same and of lower degrees. */
#include "grid/scatter.h"

#include "point/wall.h"

#include <math.h>
#include <string.h>

enum { MOST = KN_VELOCITY_LINE };

/* The nodes of an axis that one matrix connects. */
struct line {
    int n;
    double node[MOST], weight[MOST];
};

/* The polynomials on a line: node^power times polynomials in x, which have degrees first, first + step, ...
 * in the exact kernel. */
struct family {
    double x[MOST];
    int power, first, step;
};

/* The exact kernel in orthonormal polynomials, [degree][degree]: a molecule that arrives with a velocity v
 * leaves with the mean `of[k][l] p_l(v)`, summed over l, of p_k. */
struct kernel {
    double of[MOST][MOST];
};

/* Those with v > 0, and with `both` then those with v < 0. */
static struct line line_of(const struct kn_velocity *v, int axis, int both)
{
    struct line l = {.n = (both ? 2 : 1) * v->half[axis]};
    for (int i = 0; i < l.n; i++) {
        const int k = i % v->half[axis];
        l.node[i] = i == k ? v->node[axis][k] : -v->node[axis][k];
        l.weight[i] = v->weight[axis][k];
    }
    return l;
}

static double choose(int n, int k)
{
    double c = 1;
    for (int i = 0; i < k; i++)
        c = c * (n - i) / (i + 1);
    return c;
}

/* Hermite polynomials of a tangential component: it leaves with the mean drift + r v and the variance (1 +
 * excess) (1 - r^2) / 2, theory (22i). */
static void fill_hermite(double r, double drift, double excess, struct kernel *to)
{
    double shifted[MOST] = {1};
    for (int n = 0; n + 1 < MOST; n++)
        shifted[n + 1] = drift * sqrt(2.0 / (n + 1)) * shifted[n] +
                         (n > 0 ? excess * (1 - r * r) * sqrt(n / (n + 1.0)) * shifted[n - 1] : 0);
    for (int k = 0; k < MOST; k++) {
        double power = 1;
        for (int l = 0; l < MOST; l++, power *= r)
            to->of[k][l] = l > k ? 0 : l == k ? power : sqrt(choose(k, l)) * power * shifted[k - l];
    }
}

/* Laguerre polynomials of the square of the normal component, theory (22j). */
static void fill_laguerre(double r, double excess, struct kernel *to)
{
    const double rise = (1 - r) * excess;
    for (int k = 0; k < MOST; k++) {
        double power = 1;
        for (int l = 0; l < MOST; l++, power *= r)
            to->of[k][l] = l > k ? 0 : l == k ? power : choose(k, l) * power * pow(rise, k - l);
    }
}

/* Polynomials in x that are orthonormal with these weights, by their recurrence; orthogonalised again,
 * because the recurrence loses digits for many nodes.  q is [degree][node]. */
static void find_polynomials(int n, const double *x, const double *weight, double q[MOST][MOST])
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
        for (int i = 0; i < n; i++)
            q[k][i] /= sqrt(square);
    }
}

/* matrix[i][j] = sum over k and l of p_k(i) kernel(k, l) p_l(j) weight(j). */
static void apply_kernel(const struct line *l, const struct family *f, const struct kernel *kernel,
                         double matrix[MOST][MOST])
{
    double q[MOST][MOST], by[MOST] = {0}, factor[MOST] = {0};
    for (int i = 0; i < l->n; i++) {
        factor[i] = f->power ? l->node[i] : 1;
        by[i] = l->weight[i] * (factor[i] * factor[i]);
    }
    find_polynomials(l->n, f->x, by, q);
    for (int j = 0; j < l->n; j++) {
        double leaving[MOST];
        for (int k = 0; k < l->n; k++) {
            leaving[k] = 0;
            for (int m = 0; m <= k; m++)
                leaving[k] += kernel->of[f->first + f->step * k][f->first + f->step * m] * q[m][j];
        }
        for (int i = 0; i < l->n; i++) {
            double sum = 0;
            for (int k = 0; k < l->n; k++)
                sum += leaving[k] * q[k][i];
            matrix[i][j] = sum * (factor[i] * factor[j]) * l->weight[j];
        }
    }
}

static void store(int n, const double matrix[MOST][MOST], int row, int column, float *to)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to[i * n + j] = (float)matrix[row + i][column + j];
}

/* A wall at rest on this axis does not mix even and odd functions.  A value is the sum of half of both parts
 * of its own sign, and of half of their difference of the other sign. */
static void fill_resting(const struct line *l, int folded, const struct kernel *kernel,
                         double to[2][MOST][MOST])
{
    double even[MOST][MOST], odd[MOST][MOST];
    struct family squares = {.first = 0, .step = 2};
    for (int i = 0; i < l->n; i++)
        squares.x[i] = l->node[i] * l->node[i];
    apply_kernel(l, &squares, kernel, even);
    squares.power = squares.first = 1;
    apply_kernel(l, &squares, kernel, odd);
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < l->n; j++) {
            to[0][i][j] = folded ? even[i][j] : (even[i][j] + odd[i][j]) / 2;
            to[1][i][j] = (even[i][j] - odd[i][j]) / 2;
        }
}

static void fill_tangential(const struct kn_velocity *v, int axis, const struct kn_scatter *s,
                            float *const to[KN_WALL_BLOCKS])
{
    const double eps = v->basis.eps, drift = eps * s->velocity[axis] * s->tangential;
    const int n = v->half[axis], folded = v->bit[axis] == 0, both = drift != 0;
    const struct line l = line_of(v, axis, both);
    double matrix[2][MOST][MOST];
    struct kernel kernel;
    fill_hermite(1 - s->tangential, drift, eps * s->temperature, &kernel);
    if (both) {
        struct family all = {.first = 0, .step = 1};
        memcpy(all.x, l.node, sizeof all.x);
        apply_kernel(&l, &all, &kernel, matrix[0]);
    } else
        fill_resting(&l, folded, &kernel, matrix);
    for (int block = 0; block < KN_WALL_BLOCKS; block++) {
        const int row = block / 2, other = block % 2;
        if (both)
            store(n, matrix[0], row * n, (row ^ other) * n, to[block]);
        else if (!folded || !other)
            store(n, matrix[other], 0, 0, to[block]);
    }
}

static void fill_normal(const struct kn_velocity *v, int axis, const struct kn_scatter *s, float *to)
{
    struct line l = line_of(v, axis, 0);
    struct family squares = {.first = 0, .step = 1};
    struct kernel kernel;
    double matrix[MOST][MOST];
    for (int i = 0; i < l.n; i++) {
        l.weight[i] *= l.node[i];
        squares.x[i] = l.node[i] * l.node[i];
    }
    fill_laguerre(1 - s->normal, v->basis.eps * s->temperature, &kernel);
    apply_kernel(&l, &squares, &kernel, matrix);
    store(l.n, matrix, 0, 0, to);
}

size_t kn_scatter_size(const struct kn_velocity *v)
{
    return (size_t)kn_wall_matrix(v->half, 3, 0);
}

void kn_scatter_fill(const struct kn_velocity *v, int normal, const struct kn_scatter *s, float *matrices)
{
    memset(matrices, 0, kn_scatter_size(v) * sizeof *matrices);
    for (int axis = 0; axis < 3; axis++) {
        float *to[KN_WALL_BLOCKS];
        for (int block = 0; block < KN_WALL_BLOCKS; block++)
            to[block] = matrices + kn_wall_matrix(v->half, axis, block);
        if (axis == normal)
            fill_normal(v, axis, s, to[0]);
        else
            fill_tangential(v, axis, s, to);
    }
}
