/* Packed matrices of the collision operator: of the quadratic part, and of the two lengths of collision step
 * used last. */
#include "cpu/cpu_kernels.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

static size_t packed_length(int rows, int columns)
{
    return (size_t)kn_cpu_packed_rows(rows) * (size_t)columns;
}

/* Store element (i, k) of a matrix with this number of columns. */
static void pack(float *packed, int columns, int i, int k, double value)
{
    packed[((size_t)(i / KN_OPERATOR_ROWS) * (size_t)columns + (size_t)k) * KN_OPERATOR_ROWS +
           (size_t)(i % KN_OPERATOR_ROWS)] = (float)value;
}

void kn_cpu_block_sizes(const struct kn_quadratic *q, const struct kn_velocity *v, size_t size[KN_BLOCKS])
{
    int places = 0, pairs = 0;
    for (int odd = 0; odd < v->octants; odd++) {
        places += kn_cpu_packed_rows(q->first[odd + 1] - q->first[odd]);
        pairs = q->start[odd + 1] - q->start[odd] > pairs ? q->start[odd + 1] - q->start[odd] : pairs;
    }
    const bool quadratic = q->count > 0;
    const size_t all[KN_BLOCKS] = {
        [KN_BLOCK_H] = (size_t)v->nnodes,
        [KN_BLOCK_CHANGE] = (size_t)v->nnodes,
        [KN_BLOCK_SPACE] = (size_t)v->stride,
        [KN_BLOCK_MAXWELL] = quadratic ? (size_t)v->nnodes : 0,
        [KN_BLOCK_GAIN] = quadratic ? (size_t)v->nnodes : 0,
        [KN_BLOCK_LOCAL] = (size_t)places,
        [KN_BLOCK_RELAXED] = (size_t)places,
        [KN_BLOCK_MIDDLE] = (size_t)places,
        [KN_BLOCK_SUM] = (size_t)places,
        [KN_BLOCK_PRODUCTS] = (size_t)pairs,
        [KN_BLOCK_FACTORS] = quadratic ? 2 * (size_t)(v->half[0] + v->half[1] + v->half[2]) : 0,
        [KN_BLOCK_MAPS] = quadratic ? (size_t)3 * KN_HERMITE_TERMS * KN_HERMITE_TERMS : 0,
    };
    memcpy(size, all, sizeof all);
}

/* Numbers of polynomials and pairs of a parity. */
static int polynomials_of(const struct kn_quadratic *q, int parity)
{
    return q->first[parity + 1] - q->first[parity];
}

static int pairs_of(const struct kn_quadratic *q, int parity)
{
    return q->start[parity + 1] - q->start[parity];
}

/* Floats of the matrices for one length of step. */
static size_t propagator_length(const struct kn_problem *p)
{
    const struct kn_quadratic q = kn_quadratic_sizes(p->c, p->velocity);
    const int size = p->velocity->size;
    size_t length = 0;
    for (int odd = 0; odd < p->velocity->octants; odd++) {
        const int count = polynomials_of(&q, odd);
        length += packed_length(size, size) + packed_length(count, count) + packed_length(size, count);
    }
    return length;
}

static size_t quadratic_length(const struct kn_problem *p)
{
    const struct kn_quadratic q = kn_quadratic_sizes(p->c, p->velocity);
    const int size = p->velocity->size;
    size_t length = 0;
    for (int odd = 0; odd < p->velocity->octants; odd++) {
        const int count = polynomials_of(&q, odd);
        length +=
            packed_length(count, size) + packed_length(size, count) + packed_length(count, pairs_of(&q, odd));
    }
    return length;
}

double kn_cpu_propagators_memory(const struct kn_problem *p)
{
    const double square = (double)p->velocity->size * p->velocity->size;
    return p->c->collision.method == KN_METHOD_OPERATOR
               ? sizeof(float) * (2 * (double)propagator_length(p) + (double)quadratic_length(p) + square) +
                     sizeof(double) * 2 * square
               : 0;
}

/* Divide the memory of one length of step. */
static void carve_propagator(struct kn_cpu_propagator *to, const struct kn_problem *p)
{
    const struct kn_quadratic *q = &p->collision->quadratic;
    const int size = p->velocity->size;
    float *at = to->memory;
    for (int odd = 0; odd < p->velocity->octants; odd++) {
        const int count = polynomials_of(q, odd);
        to->change[odd] = at;
        to->relaxed[odd] = at += packed_length(size, size);
        to->beyond[odd] = at += packed_length(count, count);
        at += packed_length(size, count);
    }
}

static int place_of(const struct kn_cpu_quadratic *to, int i)
{
    int odd = 0;
    while (i >= to->plan->first[odd + 1])
        odd++;
    return to->place[odd] + i - to->plan->first[odd];
}

static void assign_places(struct kn_cpu_quadratic *to, int octants)
{
    const struct kn_quadratic *q = to->plan;
    for (int odd = 0; odd < octants; odd++) {
        to->polynomials[odd] = polynomials_of(q, odd);
        to->place[odd] = to->count;
        to->count += kn_cpu_packed_rows(to->polynomials[odd]);
        to->most_pairs = pairs_of(q, odd) > to->most_pairs ? pairs_of(q, odd) : to->most_pairs;
    }
    for (int d = 0; d < 3; d++)
        for (int n = 0; n < q->nlines[d]; n++) {
            to->lines[d][n] = q->lines[d][n];
            for (int i = 0; i < q->lines[d][n].count; i++)
                to->lines[d][n].at[i] = place_of(to, q->lines[d][n].at[i]);
        }
    for (int n = 0; n < q->start[octants]; n++)
        to->pairs[n] = (struct kn_quadratic_pair){(uint16_t)place_of(to, q->pairs[n].i),
                                                  (uint16_t)place_of(to, q->pairs[n].j)};
}

/* The matrices of one parity; returns the memory after them. */
static float *pack_quadratic(struct kn_cpu_quadratic *to, const struct kn_velocity *v, int odd, float *at)
{
    const struct kn_quadratic *q = to->plan;
    const int count = polynomials_of(q, odd), npairs = pairs_of(q, odd);
    to->project[odd] = at;
    to->value[odd] = at += packed_length(count, v->size);
    to->tensor[odd] = at += packed_length(v->size, count);
    for (int i = 0; i < count; i++) {
        const double *value = q->value + (size_t)(q->first[odd] + i) * (size_t)v->size;
        for (int k = 0; k < v->size; k++) {
            pack(to->project[odd], v->size, i, k, v->mass[k] * value[k]);
            pack(to->value[odd], count, k, i, value[k]);
        }
        for (int n = 0; n < npairs; n++)
            pack(to->tensor[odd], npairs, i, n, q->tensor[odd][(size_t)i * (size_t)npairs + (size_t)n]);
    }
    return at + packed_length(count, npairs);
}

static enum kn_status create_quadratic(struct kn_cpu_quadratic *to, const struct kn_problem *p)
{
    const struct kn_velocity *v = p->velocity;
    to->plan = &p->collision->quadratic;
    if (to->plan->count == 0)
        return KN_OK;
    const size_t pairs = (size_t)to->plan->start[v->octants] * sizeof *to->pairs,
                 bytes = quadratic_length(p) * sizeof(float);
    to->memory = kn_cpu_aligned(bytes + pairs, 1);
    if (!to->memory)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory for the quadratic part");
    memset(to->memory, 0, bytes + pairs);
    to->pairs = (struct kn_quadratic_pair *)((char *)to->memory + bytes);
    assign_places(to, v->octants);
    float *at = to->memory;
    for (int odd = 0; odd < v->octants; odd++)
        at = pack_quadratic(to, v, odd, at);
    return KN_OK;
}

enum kn_status kn_cpu_propagators_create(struct kn_cpu_propagators *p, const struct kn_problem *problem)
{
    const size_t square = (size_t)problem->velocity->size * (size_t)problem->velocity->size;
    bool complete = true;
    *p = (struct kn_cpu_propagators){.problem = problem};
    if (problem->c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    p->plain = malloc(square * sizeof *p->plain);
    p->space = malloc(2 * square * sizeof *p->space);
    for (int i = 0; i < 2; i++) {
        p->of[i].dt = -1;
        p->of[i].memory = kn_cpu_aligned(propagator_length(problem), sizeof(float));
        complete = complete && p->of[i].memory;
        if (p->of[i].memory)
            carve_propagator(&p->of[i], problem);
    }
    if (!p->plain || !p->space || !complete)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory for a step of the operator");
    return create_quadratic(&p->quadratic, problem);
}

void kn_cpu_propagators_destroy(struct kn_cpu_propagators *p)
{
    free(p->plain);
    free(p->space);
    free(p->of[0].memory);
    free(p->of[1].memory);
    free(p->quadratic.memory);
}

/* exp(L dt) - 1 of one parity, divided by the number of octants because of the transform to parities and
 * back. */
static void pack_change(const struct kn_cpu_propagators *p, int odd, double dt, float *packed)
{
    const struct kn_velocity *v = p->problem->velocity;
    kn_operator_change(&p->problem->collision->op, kn_operator_parity(v, odd), dt, p->space, p->plain);
    for (int i = 0; i < v->size; i++)
        for (int k = 0; k < v->size; k++)
            pack(packed, v->size, i, k,
                 p->plain[(size_t)i * (size_t)v->size + (size_t)k] / (float)v->octants);
}

/* The same for the polynomials. */
static void pack_polynomials(const struct kn_cpu_propagators *p, int odd, struct kn_cpu_propagator *to)
{
    const struct kn_velocity *v = p->problem->velocity;
    const struct kn_collision_plan *plan = p->problem->collision;
    const int count = polynomials_of(&plan->quadratic, odd);
    double *relaxed = p->space, *beyond = relaxed + count * count;
    kn_quadratic_changes(&plan->quadratic, v, &plan->op, odd, to->dt, relaxed, beyond);
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < count; i++)
            pack(to->relaxed[odd], count, i, j, relaxed[i * count + j]);
        for (int k = 0; k < v->size; k++)
            pack(to->beyond[odd], count, k, j, beyond[(size_t)j * (size_t)v->size + (size_t)k]);
    }
}

const struct kn_cpu_propagator *kn_cpu_propagators_find(struct kn_cpu_propagators *p, double dt)
{
    if (!p->plain) /* another collision method */
        return NULL;
    for (int i = 0; i < 2; i++)
        if (p->of[i].dt == dt)
            return &p->of[i];
    struct kn_cpu_propagator *to = &p->of[p->oldest];
    memset(to->memory, 0, propagator_length(p->problem) * sizeof *to->memory);
    to->dt = dt;
    for (int odd = 0; odd < p->problem->velocity->octants; odd++) {
        pack_change(p, odd, dt, to->change[odd]);
        pack_polynomials(p, odd, to);
    }
    p->oldest = 1 - p->oldest;
    return to;
}
