/* The collision step with the operator in plain loops and double precision: theory section 12, with every sum
 * written out. The polynomials in the frame of the local Maxwellian come from the method of Gram and Schmidt.
 */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

enum { TERMS = KN_HERMITE_TERMS, MOST = KN_QUADRATIC_POLYNOMIALS, NODES = 128 };

/* One cell: nodes of all octants, and its local Maxwellian. */
struct cell {
    const struct kn_velocity *v;
    const struct kn_collision_plan *plan;
    double eps, dt;
    double density, u[3], temperature; /* absolute */
    double along[3][TERMS][NODES]; /* polynomials at the nodes of the axes, first for v > 0, then for v < 0 */
};

static double sign_of(int parity, int octant)
{
    return __builtin_popcount((unsigned)(parity & octant)) % 2 ? -1 : 1;
}

static void invariants(const struct kn_velocity *v, const double *h, double m[KN_INVARIANTS])
{
    for (int i = 0; i < KN_INVARIANTS; i++)
        m[i] = 0;
    for (int n = 0; n < v->octants * v->size; n++) {
        const int octant = n / v->size, k = n % v->size;
        const double wh = (double)v->w[k] * h[octant * v->stride + k];
        m[0] += wh;
        for (int d = 0; d < 3; d++)
            m[1 + d] += v->bit[d] ? wh * kn_velocity_sign(v, octant, d) * v->speed[d][k] : 0;
        m[4] += wh * v->square[k];
    }
}

/* (f / Phi0 - 1) / eps of the local Maxwellian at a node. */
static double maxwellian(const struct cell *c, int octant, int k)
{
    double exponent = log(c->density) - 1.5 * log(c->temperature) + c->v->square[k];
    for (int d = 0; d < 3; d++) {
        const double away = kn_velocity_sign(c->v, octant, d) * (double)c->v->speed[d][k] - c->u[d];
        exponent -= away * away / c->temperature;
    }
    return expm1(exponent) / c->eps;
}

/* Subtract the components along the polynomials before, and normalise; one that is too small is omitted. */
static void orthonormalise(int n, int nodes, const double *weight, double least, double (*p)[NODES])
{
    for (int twice = 0; twice < 2 * n; twice++) {
        double sum = 0;
        for (int k = 0; k < nodes; k++)
            sum += weight[k] * p[n][k] * p[twice % n][k];
        for (int k = 0; k < nodes; k++)
            p[n][k] -= sum * p[twice % n][k];
    }
    double square = 0;
    for (int k = 0; k < nodes; k++)
        square += weight[k] * p[n][k] * p[n][k];
    for (int k = 0; k < nodes; k++)
        p[n][k] = square > least ? p[n][k] / sqrt(square) : 0;
}

/* The polynomials of one axis; the weights are those of the local Maxwellian of density 1. */
static void fill_axis(struct cell *c, int d)
{
    const int half = c->v->half[d];
    double x[NODES], weight[NODES];
    for (int k = 0; k < 2 * half; k++) {
        const double speed = c->v->node[d][k % half] * (k < half ? 1 : -1);
        x[k] = speed - c->u[d];
        weight[k] = c->v->weight[d][k % half] * (c->v->bit[d] ? 1 : 0.5) *
                    exp(speed * speed - x[k] * x[k] / c->temperature) / sqrt(c->temperature);
    }
    for (int n = 0; n < TERMS; n++) {
        for (int k = 0; k < 2 * half; k++)
            c->along[d][n][k] = n == 0 ? 1 : x[k] * c->along[d][n - 1][k];
        orthonormalise(n, 2 * half, weight, 0.05 * n * c->temperature, c->along[d]);
    }
}

/* Polynomial i at a node. */
static double polynomial(const struct cell *c, int i, int octant, int k)
{
    const struct kn_velocity *v = c->v;
    const int at[3] = {k / (v->half[1] * v->half[2]), k / v->half[2] % v->half[1], k % v->half[2]};
    double product = 1;
    for (int d = 0; d < 3; d++)
        product *=
            c->along[d][c->plan->quadratic.list[i].degree[d]][at[d] + (octant & v->bit[d] ? v->half[d] : 0)];
    return product;
}

static struct cell open_cell(const struct kn_problem *p, double dt, const double *h)
{
    struct cell c = {.v = p->velocity, .plan = p->collision, .eps = p->c->disturbance, .dt = dt};
    double m[KN_INVARIANTS], uu = 0;
    invariants(c.v, h, m);
    c.density = 1 + c.eps * m[0];
    for (int d = 0; d < 3; d++) {
        c.u[d] = c.eps * m[1 + d] / c.density;
        uu += c.u[d] * c.u[d];
    }
    c.temperature = 2.0 / 3 * ((1.5 + c.eps * m[4]) / c.density - uu);
    for (int d = 0; d < 3; d++)
        fill_axis(&c, d);
    return c;
}

/* The sum of polynomials with these coefficients at a node. */
static double sum_at(const struct cell *c, const double *coefficient, int octant, int k)
{
    double sum = 0;
    for (int i = 0; i < c->plan->quadratic.count; i++)
        sum += coefficient[i] * polynomial(c, i, octant, k);
    return sum;
}

/* Coefficients of a function in the local frame. */
static void project(const struct cell *c, const double *d, double *local)
{
    const struct kn_velocity *v = c->v;
    for (int i = 0; i < c->plan->quadratic.count; i++) {
        local[i] = 0;
        for (int n = 0; n < v->octants * v->size; n++)
            local[i] += (double)v->w[n % v->size] * polynomial(c, i, n / v->size, n % v->size) *
                        d[n / v->size * v->stride + n % v->size] / c->density;
    }
}

/* Their change, linear and quadratic; `beyond`: what the linear change adds at the nodes. */
static void collide(const struct cell *c, const double *local, double *sum, double *beyond)
{
    const struct kn_quadratic *q = &c->plan->quadratic;
    const struct kn_velocity *v = c->v;
    const double rate = c->density * pow(c->temperature, c->plan->op.exponent / 2),
                 outside = c->density * rate * c->temperature;
    double middle[MOST], relaxed[MOST] = {0}, matrix[MOST * MOST];
    double *rest = calloc((size_t)MOST * (size_t)v->size, sizeof *rest);
    for (int p = 0; p < v->octants; p++) {
        const int first = q->first[p], count = q->first[p + 1] - first;
        kn_quadratic_changes(q, v, &c->plan->op, p, c->dt, matrix, rest);
        for (int i = 0; i < count * count; i++)
            relaxed[first + i / count] += matrix[i] * local[first + i % count];
        for (int i = 0; i < count * v->size; i++)
            for (int o = 0; o < v->octants; o++)
                beyond[o * v->stride + i % v->size] +=
                    outside * sign_of(p, o) * rest[i] * local[first + i / v->size];
    }
    free(rest);
    for (int i = 0; i < q->count; i++)
        middle[i] = local[i] + relaxed[i] / 2;
    for (int p = 0; p < v->octants; p++)
        for (int i = q->first[p]; i < q->first[p + 1]; i++) {
            const int pairs = q->start[p + 1] - q->start[p];
            double product = 0;
            for (int n = 0; n < pairs; n++)
                product += q->tensor[p][(i - q->first[p]) * pairs + n] * middle[q->pairs[q->start[p] + n].i] *
                           middle[q->pairs[q->start[p] + n].j];
            sum[i] = rate * (relaxed[i] + c->eps * c->dt * product);
        }
}

/* Replace h by the deviation on which the linear step acts; `gain` is the rest of the change. */
static void separate(const struct kn_problem *p, double dt, double *h, double *gain)
{
    const struct kn_velocity *v = p->velocity;
    const struct cell c = open_cell(p, dt, h);
    double local[MOST], sum[MOST];
    for (int n = 0; n < v->octants * v->size; n++)
        h[n / v->size * v->stride + n % v->size] -= maxwellian(&c, n / v->size, n % v->size);
    project(&c, h, local);
    collide(&c, local, sum, gain);
    for (int n = 0; n < v->octants * v->size; n++) {
        const int o = n / v->size, k = n % v->size, at = o * v->stride + k;
        const double weight = 1 + c.eps * maxwellian(&c, o, k);
        h[at] -= weight * sum_at(&c, local, o, k);
        gain[at] += weight * sum_at(&c, sum, o, k);
    }
}

/* sum += (exp(L dt) - 1) h, parity by parity. */
static void add_linear(const struct kn_problem *p, double dt, const double *h, double *sum)
{
    const struct kn_velocity *v = p->velocity;
    double *from = calloc((size_t)v->size, sizeof *from), *to = calloc((size_t)v->size, sizeof *to);
    for (int parity = 0; parity < v->octants; parity++) {
        for (int k = 0; k < v->size; k++) {
            from[k] = 0;
            for (int o = 0; o < v->octants; o++)
                from[k] += sign_of(parity, o) * h[o * v->stride + k] / v->octants;
        }
        kn_operator_apply(&p->collision->op, kn_operator_parity(v, parity), dt, from, to);
        for (int n = 0; n < v->octants * v->size; n++)
            sum[n / v->size * v->stride + n % v->size] += sign_of(parity, n / v->size) * to[n % v->size];
    }
    free(from);
    free(to);
}

/* Restore the invariants by a polynomial, theory (30). */
static void restore(const struct kn_problem *p, const double before[KN_INVARIANTS], double *h)
{
    const struct kn_velocity *v = p->velocity;
    double after[KN_INVARIANTS], x[KN_INVARIANTS] = {0};
    invariants(v, h, after);
    for (int i = 0; i < KN_INVARIANTS * KN_INVARIANTS; i++)
        x[i / KN_INVARIANTS] += p->collision->inverse[i / KN_INVARIANTS][i % KN_INVARIANTS] *
                                (before[i % KN_INVARIANTS] - after[i % KN_INVARIANTS]);
    for (int n = 0; n < v->octants * v->size; n++) {
        const int o = n / v->size, k = n % v->size;
        h[o * v->stride + k] += x[0] + x[4] * v->square[k];
        for (int d = 0; d < 3; d++)
            h[o * v->stride + k] += v->bit[d] ? x[1 + d] * kn_velocity_sign(v, o, d) * v->speed[d][k] : 0;
    }
}

void oracle_operate(const struct kn_problem *p, double dt, float *row)
{
    const size_t n = (size_t)p->velocity->nnodes;
    double *h = calloc(n, sizeof *h), *deviation = calloc(n, sizeof *h), *change = calloc(n, sizeof *h);
    double before[KN_INVARIANTS];
    for (size_t k = 0; k < n; k++)
        h[k] = deviation[k] = row[k];
    invariants(p->velocity, h, before);
    if (p->collision->quadratic.count > 0)
        separate(p, dt, deviation, change);
    add_linear(p, dt, deviation, change);
    for (size_t k = 0; k < n; k++)
        h[k] += change[k];
    restore(p, before, h);
    for (size_t k = 0; k < n; k++)
        row[k] = (float)h[k];
    free(h);
    free(deviation);
    free(change);
}
