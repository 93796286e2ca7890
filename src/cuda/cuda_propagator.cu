/* The matrices of the assembled operator for the lengths of collision step in use. */
#include "cuda/cuda_machine.h"

#include <cuda_fp16.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "collision/quadratic.h"
}

/* Bytes for two lengths of step and, if rows are too long for shared memory, for the cells of one block on
 * every multiprocessor of the largest GPUs. */
double kn_cuda_propagator_memory(const struct kn_problem *p)
{
    const struct kn_velocity *v = p->velocity;
    const double padded = v->size + 128.0, block = 16.0 * v->nnodes * sizeof(float);
    return 2 * v->octants * padded * (v->size + 16.0 + KN_CUDA_PLACES) * sizeof(float) +
           (block > 220e3 ? 160 * 2.2 * block : 0) + kn_cuda_quadratic_memory(p);
}

/* The polynomial that removes errors of mass, momentum and energy. */
static struct kn_cuda_correction correction_of(const struct kn_problem *p)
{
    const double(*inverse)[KN_INVARIANTS] = p->collision->inverse;
    struct kn_cuda_correction c = {};
    for (int i = 0; i < 4; i++)
        c.even[i / 2][i % 2] = (float)inverse[i / 2 * 4][i % 2 * 4];
    for (int d = 0; d < 3; d++)
        for (int j = 0; j < 3; j++)
            if (p->velocity->bit[d] == 1 << j)
                c.odd[j] = (float)inverse[1 + d][1 + d];
    return c;
}

/* Steps of the sum of a matrix product. */
static int steps_of(const struct kn_cuda *m)
{
    return kn_cuda_operator_sum(m->device.size, m->quadratic.exists);
}

/* Number of floats of the matrices of all parities; of those that follow them for the quadratic part. */
static size_t propagator_length(const struct kn_cuda *m)
{
    return (size_t)kn_cuda_propagator_share(steps_of(m), m->shares.tiles,
                                            m->device.mesh.octants * m->shares.shares);
}

static size_t relaxed_length(const struct kn_cuda *m)
{
    return m->quadratic.exists ? (size_t)m->device.mesh.octants * KN_CUDA_POLYNOMIALS * KN_CUDA_RELAXED : 0;
}

enum kn_status kn_cuda_propagator_create(struct kn_cuda *m)
{
    if (m->problem.c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    const struct kn_velocity *v = m->problem.velocity;
    KN_TRY(kn_cuda_quadratic_create(m));
    m->op.correction = correction_of(&m->problem);
    m->op.coefficients = m->quadratic.coefficients;
    m->op.errors = m->quadratic.errors;
    m->shares = kn_cuda_operator_shares(&m->device);
    KN_TRY(kn_cuda_allocate(m, (void **)&m->op.scratch, kn_cuda_operator_scratch(&m->device)));
    const size_t square = (size_t)v->size * (size_t)v->size,
                 length = propagator_length(m) + relaxed_length(m);
    m->packed = (float *)calloc(length + square, sizeof *m->packed);
    m->space = (double *)malloc(2 * square * sizeof *m->space);
    if (!m->packed || !m->space)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory for a step of the operator");
    for (int i = 0; i < 2; i++) {
        struct kn_cuda_propagator *p = &m->propagators[i];
        p->dt = -1;
        KN_TRY(kn_cuda_allocate(m, (void **)&p->matrix, length * sizeof(float)));
        p->relaxed = m->quadratic.exists ? p->matrix + propagator_length(m) : NULL;
    }
    return KN_OK;
}

/* exp(L dt) - 1 of all parities, divided by the number of octants because of the transform to parities and
 * back. */
static void pack_parities(const struct kn_cuda *m, double dt, float *packed, float *plain)
{
    const struct kn_velocity *v = m->problem.velocity;
    for (int odd = 0; odd < v->octants; odd++) {
        kn_operator_change(&m->problem.collision->op, kn_operator_parity(v, odd), dt, m->space, plain);
        for (int n = 0; n < v->size; n++)
            for (int k = 0; k < v->size; k++)
                packed[kn_cuda_propagator_place(m->shares, steps_of(m), odd, n, k)] =
                    plain[(size_t)n * (size_t)v->size + (size_t)k] / (float)v->octants;
    }
}

/* The same for the polynomials of the quadratic part: their effect on nodes follows that of the nodes. */
static void pack_polynomials(const struct kn_cuda *m, double dt, float *packed, float *relaxed)
{
    const int first = kn_cuda_operator_sum(m->device.size, false) * 16;
    const struct kn_velocity *v = m->problem.velocity;
    const struct kn_collision_plan *plan = m->problem.collision;
    const struct kn_quadratic *q = &plan->quadratic;
    for (int odd = 0; odd < v->octants && m->quadratic.exists; odd++) {
        const int count = q->first[odd + 1] - q->first[odd];
        double *inside = m->space, *outside = inside + count * count;
        kn_quadratic_changes(q, v, &plan->op, odd, dt, inside, outside);
        for (int j = 0; j < count; j++) {
            for (int i = 0; i < count; i++)
                relaxed[(odd * KN_CUDA_POLYNOMIALS + i) * KN_CUDA_RELAXED + j] = (float)inside[i * count + j];
            for (int n = 0; n < v->size; n++)
                packed[kn_cuda_propagator_place(m->shares, steps_of(m), odd, n, first + j)] =
                    (float)outside[(size_t)j * (size_t)v->size + (size_t)n];
        }
    }
}

/* Split the elements, divided by a power of 2, into numbers of 11 bits and their rests, four at a time, in
 * place. Returns the power of 2. */
static float split_elements(float *packed, size_t length)
{
    float most = 0;
    int exponent = 0;
    for (size_t i = 0; i < length; i++)
        most = fmaxf(most, fabsf(packed[i]));
    frexpf(most, &exponent);
    const float unit = ldexpf(1, exponent - 14); /* the largest number of 11 bits is 2^16 - 2^5 */
    for (size_t i = 0; i < length; i += 4) {
        __half split[8];
        for (int j = 0; j < 4; j++) {
            const float x = packed[i + j] / unit;
            split[j] = __float2half_rn(x);
            split[4 + j] = __float2half_rn(x - __half2float(split[j]));
        }
        memcpy(packed + i, split, sizeof split);
    }
    return unit;
}

static enum kn_status make_propagator(struct kn_cuda *m, double dt, struct kn_cuda_propagator *to)
{
    float *relaxed = m->packed + propagator_length(m), *plain = relaxed + relaxed_length(m);
    to->dt = -1; /* until it is complete */
    memset(m->packed, 0, (size_t)(plain - m->packed) * sizeof *m->packed);
    pack_parities(m, dt, m->packed, plain);
    pack_polynomials(m, dt, m->packed, relaxed);
    to->unit = split_elements(m->packed, propagator_length(m));
    /* from pageable memory, after the steps that read the earlier matrices: the call returns when the host
     * array may change */
    CHECK(cudaMemcpyAsync(to->matrix, m->packed, (size_t)(plain - m->packed) * sizeof *m->packed,
                          cudaMemcpyHostToDevice, m->work));
    to->dt = dt;
    return KN_OK;
}

/* The matrices are computed if the length of the step is not one of the last two. */
enum kn_status kn_cuda_propagator_find(struct kn_cuda *m, double dt, const struct kn_cuda_propagator **found)
{
    struct kn_cuda_propagator *last = m->propagators;
    *found = NULL;
    if (m->problem.c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    if (last[1].dt != dt) { /* the one used last is at the end */
        const struct kn_cuda_propagator swap = last[0];
        last[0] = last[1];
        last[1] = swap;
        if (last[1].dt != dt)
            KN_TRY(make_propagator(m, dt, &last[1]));
    }
    *found = &last[1];
    return KN_OK;
}
