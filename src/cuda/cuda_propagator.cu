/* The assembled operator: its matrices for the lengths of step in use, and what goes with them. */
#include "cuda/cuda_machine.h"

#include <stdlib.h>

extern "C" {
#include "collision/quadratic.h"
}

/* Bytes for two lengths of step and, where rows are too long for shared memory, for the cells
 * of one block on every multiprocessor of the largest cards. */
double kn_cuda_propagator_memory(const struct kn_velocity *v)
{
    const double padded = v->size + 128.0, block = 16.0 * v->nnodes * sizeof(float);
    return 2 * v->octants * padded * (v->size + 8.0) * sizeof(float) +
           (block > 220e3 ? 160 * 2.2 * block : 0);
}

/* What takes mass, momentum and energy back. */
static struct kn_cuda_mend mend_of(const struct kn_velocity *v)
{
    double gram[3] = {0, 0, 0}, odd[3] = {0, 0, 0}; /* of 1, v.v and each other; of the velocity */
    struct kn_cuda_mend mend = {};
    for (int k = 0; k < v->size; k++) {
        const double w = (double)v->octants * v->w[k], square = v->square[k];
        gram[0] += w;
        gram[1] += w * square;
        gram[2] += w * square * square;
        for (int d = 0; d < 3; d++)
            for (int j = 0; j < 3; j++)
                odd[j] += v->bit[d] == 1 << j ? w * v->speed[d][k] * v->speed[d][k] : 0;
    }
    const double determinant = gram[0] * gram[2] - gram[1] * gram[1];
    mend.even[0][0] = (float)(gram[2] / determinant);
    mend.even[0][1] = mend.even[1][0] = (float)(-gram[1] / determinant);
    mend.even[1][1] = (float)(gram[0] / determinant);
    for (int j = 0; j < 3; j++)
        mend.odd[j] = odd[j] > 0 ? (float)(1 / odd[j]) : 0.0f;
    return mend;
}

/* Floats of the matrices of all parities. */
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
    TRY(kn_cuda_allocate(m, (void **)&m->quadratic,
                         (size_t)kn_quadratic_count(m->problem.c) * sizeof *m->quadratic));
    for (int d = 0; d < 3; d++)
        TRY(kn_cuda_upload(m, (const void **)&m->nodes[d], v->node[d], (size_t)v->half[d] * sizeof(double)));
    m->op.mend = mend_of(v);
    m->shares = kn_cuda_operator_shares(&m->device);
    TRY(kn_cuda_allocate(m, (void **)&m->op.scratch, kn_cuda_operator_scratch(&m->device)));
    for (int i = 0; i < 2; i++) {
        m->propagators[i].dt = -1;
        TRY(kn_cuda_allocate(m, (void **)&m->propagators[i].matrix, propagator_length(m) * sizeof(float)));
    }
    return KN_OK;
}

/* exp(L dt) - 1 of all parities, divided by the number of octants as the way from octants
 * to parities and back asks for, into `packed`; `plain` has room for one parity. */
static enum kn_status pack_parities(const struct kn_cuda *m, double dt, float *plain, float *packed)
{
    const struct kn_velocity *v = m->problem.velocity;
    for (int odd = 0; odd < v->octants; odd++) {
        TRY(kn_operator_change(&m->problem.collision->op, kn_operator_parity(v, odd), dt, plain));
        for (int n = 0; n < v->size; n++)
            for (int k = 0; k < v->size; k++)
                packed[kn_cuda_propagator_place(m->shares, v->size, odd, n, k)] =
                    plain[(size_t)n * (size_t)v->size + (size_t)k] / (float)v->octants;
    }
    return KN_OK;
}

static enum kn_status make_propagator(struct kn_cuda *m, double dt, struct kn_cuda_propagator *to)
{
    const size_t length = propagator_length(m),
                 plain = (size_t)m->problem.velocity->size * (size_t)m->problem.velocity->size;
    float *packed = (float *)calloc(length + plain, sizeof *packed);
    if (!packed)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory for a step of the operator");
    to->dt = -1; /* until all is well */
    enum kn_status status = pack_parities(m, dt, packed + length, packed);
    /* from pageable memory, behind the steps that read what was there: the call returns when
     * the host array may go */
    const cudaError_t copied = status == KN_OK ? cudaMemcpyAsync(to->matrix, packed, length * sizeof *packed,
                                                                 cudaMemcpyHostToDevice, m->work)
                                               : cudaSuccess;
    free(packed);
    CHECK(copied);
    if (status == KN_OK)
        to->dt = dt;
    return status;
}

/* The propagator of a step, made when it is not one of the last two lengths. */
enum kn_status kn_cuda_propagator_find(struct kn_cuda *m, double dt, const float **matrix)
{
    struct kn_cuda_propagator *last = m->propagators;
    if (m->problem.c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    if (last[1].dt != dt) { /* the one used last stands last */
        const struct kn_cuda_propagator swap = last[0];
        last[0] = last[1];
        last[1] = swap;
        if (last[1].dt != dt)
            TRY(make_propagator(m, dt, &last[1]));
    }
    *matrix = last[1].matrix;
    return KN_OK;
}
