/* Matrices of the Cercignani-Lampis kernel: it is diagonal in orthogonal polynomials of each velocity
 * component. */
#include "grid/scatter.h"

#include "point/wall.h"

#include <math.h>
#include <string.h>

enum { MOST = KN_VELOCITY_LINE / 2 }; /* nodes on a half axis */

size_t kn_scatter_size(const struct kn_velocity *v)
{
    return (size_t)kn_wall_matrix(v->half, 3, 0);
}

/* Polynomials in x = node^2 that are orthonormal with these weights, by their recurrence; orthogonalised
 * again, because the recurrence loses digits for many nodes.  q is [degree][node]. */
static void find_polynomials(int n, const double *node, const double *weight, double q[MOST][MOST])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++)
            q[k][i] = k == 0 ? 1 : node[i] * node[i] * q[k - 1][i];
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

/* matrix[i][j] = sum over k of first ratio^k p_k(i) p_k(j) weight(j): p_k = node^odd times a polynomial in
 * node^2. */
static void add_kernel(int n, const double *node, const double *weight, int odd, double first, double ratio,
                       double matrix[MOST][MOST])
{
    double q[MOST][MOST], by[MOST] = {0};
    for (int i = 0; i < n; i++)
        by[i] = weight[i] * (odd ? node[i] * node[i] : 1);
    find_polynomials(n, node, by, q);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double eigenvalue = first, sum = 0;
            for (int k = 0; k < n; k++, eigenvalue *= ratio)
                sum += eigenvalue * q[k][i] * q[k][j];
            matrix[i][j] = sum * (odd ? node[i] * node[j] : 1) * weight[j];
        }
}

static void store(int n, const double matrix[MOST][MOST], float *to)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            to[i * n + j] = (float)matrix[i][j];
}

/* Even and odd functions have the eigenvalues (1 - a)^2k and (1 - a)^(2k+1).  A value is the sum of half of
 * both parts of its own sign, and of half of their difference of the other sign. */
static void fill_tangential(const struct kn_velocity *v, int axis, double a, float *same, float *other)
{
    double even[MOST][MOST], odd[MOST][MOST], sum[MOST][MOST], difference[MOST][MOST];
    const int n = v->half[axis];
    add_kernel(n, v->node[axis], v->weight[axis], 0, 1, (1 - a) * (1 - a), even);
    add_kernel(n, v->node[axis], v->weight[axis], 1, 1 - a, (1 - a) * (1 - a), odd);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            sum[i][j] = v->bit[axis] ? (even[i][j] + odd[i][j]) / 2 : even[i][j];
            difference[i][j] = (even[i][j] - odd[i][j]) / 2;
        }
    store(n, sum, same);
    store(n, difference, other);
}

void kn_scatter_fill(const struct kn_velocity *v, int normal, const struct kn_wall *wall, float *matrices)
{
    memset(matrices, 0, kn_scatter_size(v) * sizeof *matrices);
    for (int axis = 0; axis < 3; axis++) {
        const int n = v->half[axis];
        float *same = matrices + kn_wall_matrix(v->half, axis, 0),
              *other = matrices + kn_wall_matrix(v->half, axis, 1);
        double flux[MOST], kernel[MOST][MOST];
        if (axis != normal) {
            fill_tangential(v, axis, wall->tangential, same, other);
            continue;
        }
        for (int i = 0; i < n; i++)
            flux[i] = v->weight[axis][i] * v->node[axis][i];
        add_kernel(n, v->node[axis], flux, 0, 1, 1 - wall->normal, kernel);
        store(n, kernel, same);
    }
}
