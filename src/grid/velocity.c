/* Creates the velocity grid: nodes, weights and octants. */
#include "grid/velocity.h"

#include "config/case.h"
#include "error.h"
#include "grid/space.h"
#include "point/interpolate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 64, PANEL_NODES = 20, RULE = PANELS * PANEL_NODES, MOST_HALF = KN_VELOCITY_LINE / 2 };
static const long double RULE_END = 14.0L; /* exp(-14^2) is below 1e-85 */

/* Legendre polynomial and its derivative, for the panels of the fine rule. */
static long double legendre(int n, long double x, long double *derivative)
{
    long double p0 = 1, p1 = x;
    for (int k = 2; k <= n; k++) {
        long double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1;
        p1 = p2;
    }
    *derivative = n * (x * p1 - p0) / (x * x - 1);
    return p1;
}

/* A fine composite rule for the probability measure proportional to exp(-x^2)
 * on (0, inf): the inner product in which the polynomials are orthogonalised. */
static void fine_rule(long double *x, long double *w)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    long double total = 0;
    for (int i = 0; i < PANEL_NODES; i++) {
        long double z = cosl(pi * (i + 0.75L) / (PANEL_NODES + 0.5L)), d;
        for (int turn = 0; turn < 12; turn++)
            z -= legendre(PANEL_NODES, z, &d) / d;
        legendre(PANEL_NODES, z, &d);
        for (int p = 0; p < PANELS; p++) {
            long double width = RULE_END / PANELS, at = width * (p + (1 + z) / 2);
            x[p * PANEL_NODES + i] = at;
            w[p * PANEL_NODES + i] = width / ((1 - z * z) * d * d) * expl(-at * at);
        }
    }
    for (int i = 0; i < RULE; i++)
        total += w[i];
    for (int i = 0; i < RULE; i++)
        w[i] /= total;
}

/* Recurrence x p_k = b_{k+1} p_{k+1} + a_k p_k + b_k p_{k-1} of the orthonormal
 * polynomials (Stieltjes' procedure). */
static void recurrence(int n, long double *a, long double *b)
{
    static _Thread_local long double x[RULE], w[RULE], p[RULE], before[RULE];
    fine_rule(x, w);
    for (int i = 0; i < RULE; i++) {
        p[i] = 1;
        before[i] = 0;
    }
    b[0] = 0;
    for (int k = 0; k < n; k++) {
        long double mean = 0, norm = 0;
        for (int i = 0; i < RULE; i++)
            mean += w[i] * x[i] * p[i] * p[i];
        a[k] = mean;
        for (int i = 0; i < RULE; i++) {
            long double next = (x[i] - a[k]) * p[i] - b[k] * before[i];
            before[i] = p[i];
            p[i] = next;
            norm += w[i] * next * next;
        }
        b[k + 1] = sqrtl(norm);
        for (int i = 0; i < RULE; i++)
            p[i] /= b[k + 1];
    }
}

/* Number of eigenvalues of the Jacobi matrix below x (Sturm sequence). */
static int eigenvalues_below(int n, const long double *a, const long double *b, long double x)
{
    int count = 0;
    long double q = 1;
    for (int k = 0; k < n; k++) {
        q = a[k] - x - (k ? b[k] * b[k] / q : 0);
        if (q == 0)
            q = 1e-30L;
        count += q < 0;
    }
    return count;
}

enum kn_status kn_velocity_half_gauss(int n, double *node, double *weight)
{
    long double a[MOST_HALF + 1], b[MOST_HALF + 2];
    if (n < 1 || n > MOST_HALF)
        return kn_error_set(KN_EINPUT, "velocity.nodes: %d nodes on a half axis (1 to %d are possible)", n,
                            MOST_HALF);
    recurrence(n, a, b);
    for (int i = 0; i < n; i++) {
        long double low = 0, high = RULE_END;
        for (int turn = 0; turn < 80; turn++) {
            long double middle = (low + high) / 2;
            if (eigenvalues_below(n, a, b, middle) > i)
                high = middle;
            else
                low = middle;
        }
        long double x = (low + high) / 2, p = 1, before = 0, sum = 1;
        for (int k = 0; k + 1 < n; k++) {
            long double next = ((x - a[k]) * p - b[k] * before) / b[k + 1];
            before = p;
            p = next;
            sum += p * p;
        }
        node[i] = (double)x;
        weight[i] = (double)(0.5L / sum); /* half of the probability lies on each half axis */
    }
    return KN_OK;
}

/* Weight of the cell from a to b: its probability, or the density at its centre times its width, theory
 * section 4. */
static double cell_weight(const struct kn_case *c, double a, double b)
{
    const double node = (a + b) / 2;
    return c->velocity.weights == KN_WEIGHTS_MIDPOINT ? (b - a) * exp(-node * node) / sqrt(M_PI)
                                                      : (erf(b) - erf(a)) / 2;
}

/* Cells grow by 1/ratio away from the origin; nodes are cell centres. */
static void stretched_axis(const struct kn_case *c, int half, double *node, double *weight, float *edge)
{
    double ratio = c->velocity.ratio, sum = 0, at = 0;
    for (int i = 0; i < half; i++)
        sum += pow(ratio, -i);
    edge[0] = 0;
    for (int i = 0; i < half; i++) {
        double next = (i + 1 == half) ? c->velocity.range : at + c->velocity.range / sum * pow(ratio, -i);
        node[i] = (at + next) / 2;
        weight[i] = cell_weight(c, at, next);
        edge[i + 1] = (float)next;
        at = next;
    }
}

double kn_velocity_slowest(const struct kn_case *c, int axis)
{
    const int half = c->velocity.nodes[axis] / 2;
    double sum = 0;
    if (c->velocity.grid == KN_GRID_GAUSS) {
        double node[MOST_HALF], weight[MOST_HALF];
        return kn_velocity_half_gauss(half, node, weight) == KN_OK ? node[0] : INFINITY;
    }
    for (int i = 0; i < half; i++)
        sum += pow(c->velocity.ratio, -i);
    return c->velocity.range / sum / 2;
}

/* Solve erf(x) = p by bisection; used a few dozen times per run. */
static double inverse_erf(double p)
{
    double low = 0, high = 7;
    for (int turn = 0; turn < 100; turn++) {
        double middle = (low + high) / 2;
        if (erf(middle) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Cell edges are the quantiles of the cumulated weights, so that a Maxwellian
 * sample falls into cell i with probability weight[i] exactly. */
static void find_edges(int half, const double *weight, float *edge)
{
    double sum = 0;
    edge[0] = 0;
    for (int i = 0; i < half; i++) {
        sum += 2 * weight[i];
        edge[i + 1] = (i + 1 == half) ? INFINITY : (float)inverse_erf(sum);
    }
}

/* The positive nodes of the Gauss-Hermite rule of four nodes, theory (12a). */
static void hermite_axis(double *node, double *weight)
{
    for (int i = 0; i < KN_CASE_REDUCED_NODES / 2; i++) {
        const double root = 3 + (i == 0 ? -sqrt(6) : sqrt(6));
        node[i] = sqrt(root / 2);
        weight[i] = 1 / (4 * root);
    }
}

static void find_folded(const struct kn_case *c, bool folded[3])
{
    for (int d = 0; d < 3; d++)
        folded[d] = c->velocity.fold == KN_FOLD_AUTO && kn_case_is_uniform(c, d) && kn_case_is_even(c, d);
}

static int pad(int count)
{
    return (count + KN_VELOCITY_PAD - 1) / KN_VELOCITY_PAD * KN_VELOCITY_PAD;
}

/* Places of the axes: axes with both signs of the velocity come first, and of these the reduced ones last:
 * moments along a reduced axis are exact for given velocities along the others. Octant bits are assigned in
 * this order, which is the natural one if no axis is reduced. */
static void arrange(struct kn_velocity *v, const struct kn_case *c, const bool folded[3])
{
    int count = 0;
    v->basis.eps = c->disturbance;
    for (int turn = 0; turn < 3; turn++)
        for (int d = 0; d < 3; d++) {
            const bool reduced = kn_case_is_reduced(c, d);
            if (turn != (folded[d] ? 2 : reduced))
                continue;
            v->half[d] = kn_case_nodes(c, d) / 2;
            v->length[count] = pad((folded[d] ? 1 : 2) * v->half[d]);
            v->basis.axes[count] = d;
            v->basis.reduced[count++] = reduced;
            v->size *= v->half[d];
            v->bit[d] = folded[d] ? 0 : v->octants;
            v->octants *= folded[d] ? 1 : 2;
        }
    v->stride = pad(v->size);
    v->nnodes = v->octants * v->stride;
}

bool kn_velocity_is_reduced(const struct kn_velocity *v, int axis)
{
    for (int i = 0; i < 3; i++)
        if (v->basis.axes[i] == axis)
            return v->basis.reduced[i];
    return false;
}

/* A table for vectors; `count` is padded. */
static void *make_table(int count, size_t size)
{
    const size_t bytes = (size_t)count * size; /* a multiple of a cache line */
    void *table = aligned_alloc(KN_VELOCITY_PAD * sizeof(float), bytes);
    return table ? memset(table, 0, bytes) : NULL;
}

static enum kn_status allocate(struct kn_velocity *v)
{
    bool whole = true;
    for (int d = 0; d < 3; d++) {
        v->node[d] = calloc((size_t)v->half[d], sizeof *v->node[d]);
        v->weight[d] = calloc((size_t)v->half[d], sizeof *v->weight[d]);
        v->edge[d] = calloc((size_t)v->half[d] + 1, sizeof *v->edge[d]);
        v->speed[d] = make_table(v->stride, sizeof *v->speed[d]);
        v->line[d] = make_table(v->length[d], sizeof *v->line[d]);
        whole = whole && v->node[d] && v->weight[d] && v->edge[d] && v->speed[d] && v->line[d];
    }
    for (int i = 0; i < 4; i++) {
        v->flow[i] = make_table(v->stride, sizeof *v->flow[i]);
        whole = whole && v->flow[i];
    }
    v->mass = make_table(v->stride, sizeof *v->mass);
    v->square = make_table(v->stride, sizeof *v->square);
    v->w = make_table(v->stride, sizeof *v->w);
    v->heavy = calloc((size_t)v->stride, sizeof *v->heavy);
    if (!whole || !v->mass || !v->square || !v->w || !v->heavy)
        return kn_error_set(KN_EMEMORY, "no memory for a velocity grid of %d nodes", v->nnodes);
    return KN_OK;
}

static void fill_octant(struct kn_velocity *v)
{
    float largest = 0;
    for (int k = 0; k < v->size; k++) {
        int at[3];
        kn_interpolate_place(v->half, k, at);
        double w = 1, square = 0;
        for (int d = 0; d < 3; d++) {
            double s = v->node[d][at[d]];
            v->speed[d][k] = (float)s;
            square += s * s;
            w *= v->weight[d][at[d]];
        }
        v->square[k] = (float)square;
        v->w[k] = (float)w;
        largest = fmaxf(largest, v->w[k]);
        v->mass[k] = v->w[k];
        for (int d = 0; d < 3; d++)
            v->flow[d][k] = v->w[k] * v->speed[d][k];
        v->flow[3][k] = v->w[k] * v->square[k];
    }
    for (int k = 0; k < v->size; k++)
        if (v->w[k] >= largest / 4)
            v->heavy[v->nheavy++] = k;
}

/* Nodes, weights and edges of one axis. */
static enum kn_status fill_axis(struct kn_velocity *v, const struct kn_case *c, int d, bool folded)
{
    const int half = v->half[d];
    if (kn_velocity_is_reduced(v, d))
        hermite_axis(v->node[d], v->weight[d]);
    else if (c->velocity.grid == KN_GRID_STRETCHED)
        stretched_axis(c, half, v->node[d], v->weight[d], v->edge[d]);
    else
        KN_TRY(kn_velocity_half_gauss(half, v->node[d], v->weight[d]));
    if (kn_velocity_is_reduced(v, d) || c->velocity.grid == KN_GRID_GAUSS)
        find_edges(half, v->weight[d], v->edge[d]);
    for (int i = 0; folded && i < half; i++)
        v->weight[d][i] *= 2;
    v->max_speed[d] = v->node[d][half - 1];
    return KN_OK;
}

static void fill_lines(struct kn_velocity *v)
{
    for (int i = 0; i < 3; i++) {
        const int axis = v->basis.axes[i], half = v->half[axis];
        for (int k = 0; k < (v->bit[axis] ? 2 : 1) * half; k++)
            v->line[i][k] = (float)(k < half ? v->node[axis][k] : -v->node[axis][k - half]);
    }
}

enum kn_status kn_velocity_create(struct kn_velocity *v, const struct kn_case *c)
{
    bool folded[3];
    *v = (struct kn_velocity){.octants = 1, .size = 1};
    for (int d = 0; d < 3; d++)
        if (kn_case_nodes(c, d) == KN_NODES_AUTO)
            return kn_error_set(KN_EINPUT, "velocity.nodes: auto is not resolved (call kn_nodes_choose)");
    find_folded(c, folded);
    arrange(v, c, folded);
    KN_TRY(allocate(v));
    for (int d = 0; d < 3; d++)
        KN_TRY(fill_axis(v, c, d, folded[d]));
    fill_lines(v);
    fill_octant(v);
    return KN_OK;
}

void kn_velocity_destroy(struct kn_velocity *v)
{
    for (int d = 0; d < 3; d++) {
        free(v->node[d]);
        free(v->weight[d]);
        free(v->edge[d]);
        free(v->speed[d]);
        free(v->line[d]);
    }
    for (int i = 0; i < 4; i++)
        free(v->flow[i]);
    free(v->mass);
    free(v->square);
    free(v->w);
    free(v->heavy);
    *v = (struct kn_velocity){0};
}
