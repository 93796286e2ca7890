/* The collision step with the operator in plain loops and double precision: theory section 12, with every sum
 * written out. The maps to the frame of the local Maxwellian come from a quadrature rule. */
#include "oracle.h"

#include "collision/rules.h"

#include <math.h>
#include <stdlib.h>

enum { TERMS = KN_HERMITE_TERMS, MOST = KN_QUADRATIC_POLYNOMIALS, POINTS = 12 };

/* One cell: nodes of all octants, and its local Maxwellian. */
struct cell {
    const struct kn_velocity *v;
    const struct kn_collision_plan *plan;
    double eps, dt;
    double density, u[3], temperature; /* absolute */
    double map[MOST][MOST];
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

/* Integrals of h_n of the peculiar velocity times h_k of the velocity, along one axis. */
static void integrate(double u, double temperature, double map[TERMS][TERMS])
{
    double node[POINTS], weight[POINTS], local[TERMS], global[TERMS];
    if (kn_rules_hermite(POINTS, node, weight) != KN_OK)
        abort();
    for (int i = 0; i < TERMS * TERMS; i++)
        map[i / TERMS][i % TERMS] = 0;
    for (int p = 0; p < POINTS; p++) {
        kn_elements_hermite(KN_HERMITE_DEGREE, (node[p] - u) / sqrt(temperature), local);
        kn_elements_hermite(KN_HERMITE_DEGREE, node[p], global);
        for (int i = 0; i < TERMS * TERMS; i++)
            map[i / TERMS][i % TERMS] += weight[p] * local[i / TERMS] * global[i % TERMS];
    }
}

static void fill_map(struct cell *c)
{
    const struct kn_quadratic *q = &c->plan->quadratic;
    double along[3][TERMS][TERMS];
    for (int d = 0; d < 3; d++)
        integrate(c->u[d], c->temperature, along[d]);
    for (int i = 0; i < q->count; i++)
        for (int j = 0; j < q->count; j++) {
            c->map[i][j] = 1;
            for (int d = 0; d < 3; d++)
                c->map[i][j] *= along[d][q->list[i].degree[d]][q->list[j].degree[d]];
        }
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
    fill_map(&c);
    return c;
}

/* The sum of polynomials with these coefficients at a node. */
static double sum_at(const struct cell *c, const double *coefficient, int octant, int k)
{
    const struct kn_quadratic *q = &c->plan->quadratic;
    double sum = 0;
    for (int parity = 0; parity < c->v->octants; parity++)
        for (int i = q->first[parity]; i < q->first[parity + 1]; i++)
            sum += coefficient[i] * sign_of(parity, octant) * q->value[i * c->v->size + k];
    return sum;
}

/* Coefficients of a function in the local frame. */
static void project(const struct cell *c, const double *d, double *local)
{
    const struct kn_quadratic *q = &c->plan->quadratic;
    const struct kn_velocity *v = c->v;
    double moment[MOST] = {0};
    for (int parity = 0; parity < v->octants; parity++)
        for (int i = q->first[parity]; i < q->first[parity + 1]; i++)
            for (int n = 0; n < v->octants * v->size; n++)
                moment[i] += (double)v->w[n % v->size] * sign_of(parity, n / v->size) *
                             q->value[i * v->size + n % v->size] * d[n / v->size * v->stride + n % v->size];
    for (int i = 0; i < q->count; i++) {
        local[i] = 0;
        for (int j = 0; j < q->count; j++)
            local[i] += c->map[i][j] * moment[j] / c->density;
    }
}

/* Their change, linear and quadratic; `beyond`: what the linear change adds at the nodes. */
static void collide(const struct cell *c, const double *local, double *sum, double *beyond)
{
    const struct kn_quadratic *q = &c->plan->quadratic;
    const struct kn_velocity *v = c->v;
    double middle[MOST], relaxed[MOST] = {0}, matrix[MOST * MOST];
    double *rest = calloc((size_t)MOST * (size_t)v->size, sizeof *rest);
    for (int p = 0; p < v->octants; p++) {
        const int first = q->first[p], count = q->first[p + 1] - first;
        kn_quadratic_changes(q, v, &c->plan->op, p, c->dt, matrix, rest);
        for (int i = 0; i < count * count; i++)
            relaxed[first + i / count] += matrix[i] * local[first + i % count];
        for (int i = 0; i < count * v->size; i++)
            for (int o = 0; o < v->octants; o++)
                beyond[o * v->stride + i % v->size] += sign_of(p, o) * rest[i] * local[first + i / v->size];
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
            sum[i] = c->density * pow(c->temperature, c->plan->op.exponent / 2) *
                     (relaxed[i] + c->eps * c->dt * product);
        }
}

/* Polynomials of the peculiar velocity as polynomials of the velocity. */
static void expand(const struct cell *c, const double *local, double *global)
{
    for (int j = 0; j < c->plan->quadratic.count; j++) {
        global[j] = 0;
        for (int i = 0; i < c->plan->quadratic.count; i++)
            global[j] += c->map[i][j] * local[i];
    }
}

/* Replace h by the deviation on which the linear step acts; `gain` is the rest of the change. */
static void separate(const struct kn_problem *p, double dt, double *h, double *gain)
{
    const struct kn_velocity *v = p->velocity;
    const struct cell c = open_cell(p, dt, h);
    double local[MOST], sum[MOST], moved[MOST], added[MOST];
    for (int n = 0; n < v->octants * v->size; n++)
        h[n / v->size * v->stride + n % v->size] -= maxwellian(&c, n / v->size, n % v->size);
    project(&c, h, local);
    collide(&c, local, sum, gain);
    expand(&c, local, moved);
    expand(&c, sum, added);
    for (int n = 0; n < v->octants * v->size; n++) {
        const int o = n / v->size, k = n % v->size, at = o * v->stride + k;
        const double weight = 1 + c.eps * maxwellian(&c, o, k);
        h[at] -= weight * sum_at(&c, moved, o, k);
        gain[at] += weight * sum_at(&c, added, o, k);
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
