/* Linear collisions as matrices or projections, the collision frequency of a sweep, and the trial
 * functions. */
#include "steady/trial.h"

#include "config/case.h"
#include "error.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A polynomial: invariants first, then stresses, then heat fluxes; axes[1] < 0: none. */
struct polynomial {
    enum { ONE, VELOCITY, ENERGY, STRESS, HEAT } kind;
    int axes[2];
};

static const struct polynomial polynomials[KN_STEADY_FUNCTIONS] = {
    {ONE, {-1, -1}},  {VELOCITY, {0, -1}}, {VELOCITY, {1, -1}}, {VELOCITY, {2, -1}}, {ENERGY, {-1, -1}},
    {STRESS, {0, 0}}, {STRESS, {1, 1}},    {STRESS, {0, 1}},    {STRESS, {0, 2}},    {STRESS, {1, 2}},
    {HEAT, {0, -1}},  {HEAT, {1, -1}},     {HEAT, {2, -1}},
};

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the velocity functions of the steady-state solver");
}

/* <a, b> of two functions of the same parity. */
static double inner(const struct kn_velocity *v, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < v->size; k++)
        sum += v->mass[k] * a[k] * b[k];
    return v->octants * sum;
}

static bool is_odd(const struct polynomial *p, int axis)
{
    return (p->axes[0] == axis) != (p->axes[1] == axis);
}

/* The parity as bits of octants; -1: the function vanishes on this grid, because an axis is folded. */
static int parity_of(const struct kn_velocity *v, const struct polynomial *p)
{
    int bits = 0;
    for (int d = 0; d < 3; d++) {
        if (is_odd(p, d) && !v->bit[d])
            return -1;
        bits |= is_odd(p, d) ? v->bit[d] : 0;
    }
    return bits;
}

static void fill(const struct kn_velocity *v, const struct polynomial *p, double *to)
{
    double even[2] = {0};
    for (int k = 0; k < v->size; k++) {
        const double s = v->mass[k] * (p->kind == HEAT ? pow(v->speed[p->axes[0]][k], 2) : 1);
        even[0] += s;
        even[1] += s * v->square[k];
    }
    for (int k = 0; k < v->size; k++) {
        const double vv = v->square[k], first = p->axes[0] < 0 ? 1 : v->speed[p->axes[0]][k],
                     second = p->axes[1] < 0 ? 1 : v->speed[p->axes[1]][k];
        to[k] = p->kind == ENERGY ? vv - even[1] / even[0]
                : p->kind == HEAT
                    ? first * (vv - even[1] / even[0])
                    : first * second - (p->kind == STRESS && p->axes[0] == p->axes[1] ? vv / 3 : 0);
    }
}

/* L^-1 f, with the functions that collisions do not change left out. */
static void invert(const struct kn_operator *o, int parity, const double *f, double *to)
{
    const size_t n = (size_t)o->size;
    const double *rate = o->rate[parity];
    memset(to, 0, n * sizeof *to);
    for (size_t i = 0; i < n && rate[i] < 1e-6 * rate[0]; i++) {
        const double *vector = o->vector[parity] + i * n;
        double along = 0;
        for (size_t k = 0; k < n; k++)
            along += vector[k] * sqrt(o->weight[k]) * f[k];
        for (size_t k = 0; k < n; k++)
            to[k] += along / rate[i] * vector[k] / sqrt(o->weight[k]);
    }
}

/* Make a function orthonormal to those before it; false if it depends on them. */
static bool orthonormalise(const struct kn_velocity *v, const struct kn_steady_plan *p, double *f)
{
    const double before = inner(v, f, f);
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < p->functions; i++) {
            const double *phi = p->trial + (size_t)i * (size_t)v->size;
            if (p->parity[i] != p->parity[p->functions])
                continue;
            const double along = inner(v, phi, f);
            for (int k = 0; k < v->size; k++)
                f[k] -= along * phi[k];
        }
    const double norm = inner(v, f, f);
    for (int k = 0; k < v->size; k++)
        f[k] /= sqrt(norm);
    return norm > 1e-8 * before;
}

/* How fast a model equation relaxes a polynomial. */
static double model_rate(const struct kn_case *c, int kind)
{
    const double prandtl = c->collision.method == KN_METHOD_BGK ? 1 : c->collision.prandtl;
    return kind == STRESS ? 1 : kind == HEAT ? prandtl : 0;
}

static void choose_functions(struct kn_steady_plan *p, double *trial, double *space)
{
    const struct kn_velocity *v = p->problem->velocity;
    const struct kn_case *c = p->problem->c;
    const struct kn_operator *o = &p->problem->collision->op;
    const int most = c->collision.method == KN_METHOD_NONE ? 1 : KN_STEADY_FUNCTIONS;
    for (int i = 0; i < most; i++) {
        const int parity = parity_of(v, &polynomials[i]), kind = (int)polynomials[i].kind;
        double *f = trial + (size_t)p->functions * (size_t)v->size;
        if (parity < 0)
            continue;
        fill(v, &polynomials[i], f);
        if (c->collision.method == KN_METHOD_OPERATOR && kind >= STRESS) {
            memcpy(space, f, (size_t)v->size * sizeof *f);
            invert(o, kn_operator_parity(v, parity), space, f);
        }
        p->parity[p->functions] = parity;
        p->gain[p->functions] = p->rate * model_rate(c, kind);
        p->functions += orthonormalise(v, p, f);
    }
}

/* M <- (1 - P) M (1 - P), P the projection on one invariant: collisions conserve it in the sums of this grid.
 */
static void conserve(const struct kn_velocity *v, const double *phi, double *matrix)
{
    const int n = v->size;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += v->octants * v->mass[i] * phi[i] * matrix[i * n + j];
        for (int i = 0; i < n; i++)
            matrix[i * n + j] -= phi[i] * sum;
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += matrix[i * n + j] * phi[j];
        for (int j = 0; j < n; j++)
            matrix[i * n + j] -= sum * v->octants * v->mass[j] * phi[j];
    }
}

/* L of one parity from the eigenvectors of the operator. */
static enum kn_status fill_matrix(const struct kn_steady_plan *p, int odd, double *matrix)
{
    const struct kn_velocity *v = p->problem->velocity;
    const struct kn_operator *o = &p->problem->collision->op;
    const int parity = kn_operator_parity(v, odd);
    const size_t n = (size_t)o->size;
    double *scaled = malloc(n * n * sizeof *scaled);
    if (!scaled)
        return no_memory();
    for (size_t e = 0; e < n; e++)
        for (size_t i = 0; i < n; i++)
            scaled[e * n + i] = p->rate * o->scale * o->rate[parity][e] * o->vector[parity][e * n + i];
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, o->size, o->size, o->size, 1, o->vector[parity],
                o->size, scaled, o->size, 0, matrix, o->size);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] *= sqrt(o->weight[j] / o->weight[i]);
    for (int i = 0; i < p->functions; i++)
        if (p->parity[i] == odd && p->gain[i] == 0)
            conserve(v, p->trial + (size_t)i * n, matrix);
    free(scaled);
    return KN_OK;
}

/* The range of the eigenvalues of -N^-1 L over all parities, without those of invariants; the matrix W^1/2 L
 * W^-1/2 is symmetric. */
static enum kn_status find_range(const struct kn_steady_plan *p, const double *nu, double range[2])
{
    const struct kn_velocity *v = p->problem->velocity;
    const size_t n = (size_t)v->size;
    double *a = malloc((n * n + n) * sizeof *a);
    enum kn_status status = KN_OK;
    range[0] = INFINITY;
    range[1] = 0;
    if (!a)
        return no_memory();
    for (int odd = 0; odd < v->octants && status == KN_OK; odd++) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                a[i * n + j] = -p->matrix[odd][i * n + j] * sqrt(v->mass[i] / v->mass[j] / (nu[i] * nu[j]));
        if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', v->size, a, v->size, a + n * n) != 0)
            status = kn_error_set(KN_ENUMERIC, "collision.method: no eigenvalues of the operator");
        for (size_t i = 0; i < n; i++) {
            const double value = a[n * n + i];
            range[1] = fmax(range[1], value);
            range[0] = value > 1e-6 ? fmin(range[0], value) : range[0];
        }
    }
    free(a);
    return status;
}

/* theory (62) */
static enum kn_status find_frequency(const struct kn_steady_plan *p, double *nu)
{
    const struct kn_velocity *v = p->problem->velocity;
    double range[2] = {0};
    for (int k = 0; k < v->size; k++) {
        nu[k] = p->matrix[0] ? 0 : p->loss;
        for (int odd = 0; odd < v->octants && p->matrix[0]; odd++)
            nu[k] -= p->matrix[odd][k * v->size + k] / v->octants;
    }
    if (!p->matrix[0])
        return KN_OK;
    KN_TRY(find_range(p, nu, range));
    if (!isfinite(range[0])) /* an operator that is not assembled, for measurements of time */
        return KN_OK;
    for (int k = 0; k < v->size; k++)
        nu[k] *= (range[0] + range[1]) / 2;
    return KN_OK;
}

/* (L + N) phi */
static void fill_lagged(const struct kn_steady_plan *p, double *lagged)
{
    const struct kn_velocity *v = p->problem->velocity;
    for (int f = 0; f < p->functions; f++, lagged += v->size) {
        const double *phi = p->trial + (size_t)f * (size_t)v->size, *matrix = p->matrix[p->parity[f]];
        for (int i = 0; i < v->size; i++) {
            lagged[i] = (p->frequency[i] + (matrix ? 0 : p->gain[f] - p->loss)) * phi[i];
            for (int j = 0; j < v->size && matrix; j++)
                lagged[i] += matrix[i * v->size + j] * phi[j];
        }
    }
}

enum kn_status kn_trial_create(struct kn_steady_plan *p)
{
    const struct kn_case *c = p->problem->c;
    const struct kn_velocity *v = p->problem->velocity;
    const size_t n = (size_t)v->size;
    const bool matrices = c->collision.method == KN_METHOD_OPERATOR;
    double *nu = calloc(n, sizeof *nu), *trial = calloc((KN_STEADY_FUNCTIONS + 1) * n, sizeof *trial),
           *lagged = calloc(KN_STEADY_FUNCTIONS * n, sizeof *lagged);
    bool complete = nu && trial && lagged;
    p->frequency = nu;
    p->trial = trial;
    p->lagged = lagged;
    for (int odd = 0; odd < v->octants && matrices; odd++) {
        p->matrix[odd] = malloc(n * n * sizeof *p->matrix[odd]);
        complete = complete && p->matrix[odd];
    }
    if (!complete)
        return no_memory();
    choose_functions(p, trial, trial + KN_STEADY_FUNCTIONS * n);
    for (int odd = 0; odd < v->octants && matrices; odd++)
        KN_TRY(fill_matrix(p, odd, (double *)p->matrix[odd]));
    /* from the rate of relaxation of each function to its gain */
    p->loss = matrices || c->collision.method == KN_METHOD_NONE
                  ? 0
                  : p->rate * (c->collision.method == KN_METHOD_ES_BGK ? c->collision.prandtl : 1);
    for (int i = 0; i < p->functions; i++)
        p->gain[i] = p->loss - p->gain[i];
    KN_TRY(find_frequency(p, nu));
    fill_lagged(p, lagged);
    return KN_OK;
}

void kn_trial_destroy(struct kn_steady_plan *p)
{
    free((void *)p->frequency);
    free((void *)p->trial);
    free((void *)p->lagged);
    for (int odd = 0; odd < KN_PARITIES; odd++)
        free((void *)p->matrix[odd]);
}
