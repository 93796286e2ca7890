/* The matrices of the assembled operator for the lengths of collision step in use. */
#include "cuda/cuda_machine.h"

#include <stdlib.h>

extern "C" {
#include "collision/quadratic.h"
}

/* Bytes for two lengths of step and, if rows are too long for shared memory, for the cells of one block on
 * every multiprocessor of the largest GPUs. */
double kn_cuda_propagator_memory(const struct kn_velocity *v)
{
    const double padded = v->size + 128.0, block = 16.0 * v->nnodes * sizeof(float);
    return 2 * v->octants * padded * (v->size + 8.0) * sizeof(float) +
           (block > 220e3 ? 160 * 2.2 * block : 0);
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

/* Number of floats of the matrices of all parities. */
static size_t propagator_length(const struct kn_cuda *m)
{
    return (size_t)kn_cuda_propagator_share(kn_cuda_operator_steps(m->device.size), m->shares.tiles,
                                            m->device.mesh.octants * m->shares.shares);
}

enum kn_status kn_cuda_propagator_create(struct kn_cuda *m)
{
    if (m->problem.c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    const struct kn_velocity *v = m->problem.velocity;
    KN_TRY(kn_cuda_allocate(m, (void **)&m->quadratic,
                            (size_t)kn_quadratic_count(m->problem.c) * sizeof *m->quadratic));
    for (int d = 0; d < 3; d++)
        KN_TRY(
            kn_cuda_upload(m, (const void **)&m->nodes[d], v->node[d], (size_t)v->half[d] * sizeof(double)));
    m->op.correction = correction_of(&m->problem);
    m->shares = kn_cuda_operator_shares(&m->device);
    KN_TRY(kn_cuda_allocate(m, (void **)&m->op.scratch, kn_cuda_operator_scratch(&m->device)));
    const size_t square = (size_t)v->size * (size_t)v->size;
    m->packed = (float *)calloc(propagator_length(m) + square, sizeof *m->packed);
    m->space = (double *)malloc(2 * square * sizeof *m->space);
    if (!m->packed || !m->space)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory for a step of the operator");
    for (int i = 0; i < 2; i++) {
        m->propagators[i].dt = -1;
        KN_TRY(kn_cuda_allocate(m, (void **)&m->propagators[i].matrix, propagator_length(m) * sizeof(float)));
    }
    return KN_OK;
}

/* exp(L dt) - 1 of all parities, divided by the number of octants because of the transform to parities and
 * back. */
static void pack_parities(const struct kn_cuda *m, double dt, float *packed)
{
    const struct kn_velocity *v = m->problem.velocity;
    float *plain = packed + propagator_length(m);
    for (int odd = 0; odd < v->octants; odd++) {
        kn_operator_change(&m->problem.collision->op, kn_operator_parity(v, odd), dt, m->space, plain);
        for (int n = 0; n < v->size; n++)
            for (int k = 0; k < v->size; k++)
                packed[kn_cuda_propagator_place(m->shares, v->size, odd, n, k)] =
                    plain[(size_t)n * (size_t)v->size + (size_t)k] / (float)v->octants;
    }
}

static enum kn_status make_propagator(struct kn_cuda *m, double dt, struct kn_cuda_propagator *to)
{
    to->dt = -1; /* until it is complete */
    pack_parities(m, dt, m->packed);
    /* from pageable memory, after the steps that read the earlier matrices: the call returns when the host
     * array may change */
    CHECK(cudaMemcpyAsync(to->matrix, m->packed, propagator_length(m) * sizeof *m->packed,
                          cudaMemcpyHostToDevice, m->work));
    to->dt = dt;
    return KN_OK;
}

/* The matrices for a step, computed if its length is not one of the last two. */
enum kn_status kn_cuda_propagator_find(struct kn_cuda *m, double dt, const float **matrix)
{
    struct kn_cuda_propagator *last = m->propagators;
    if (m->problem.c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    if (last[1].dt != dt) { /* the one used last is at the end */
        const struct kn_cuda_propagator swap = last[0];
        last[0] = last[1];
        last[1] = swap;
        if (last[1].dt != dt)
            KN_TRY(make_propagator(m, dt, &last[1]));
    }
    *matrix = last[1].matrix;
    return KN_OK;
}
