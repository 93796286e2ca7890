/* Matrices of the collision operator for the two lengths of collision step used last. */
#include "cpu/cpu_kernels.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

enum kn_status kn_cpu_propagators_create(struct kn_cpu_propagators *p, const struct kn_problem *problem)
{
    const struct kn_velocity *v = problem->velocity;
    const size_t square = (size_t)v->size * (size_t)v->size;
    bool complete = true;
    *p = (struct kn_cpu_propagators){.problem = problem};
    if (problem->c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    p->plain = malloc(square * sizeof *p->plain);
    p->space = malloc(2 * square * sizeof *p->space);
    for (int i = 0; i < 2; i++) {
        p->dt[i] = -1;
        p->matrix[i] = kn_cpu_aligned((size_t)v->octants * kn_cpu_propagator_length(v), sizeof *p->matrix[i]);
        complete = complete && p->matrix[i];
    }
    return p->plain && p->space && complete
               ? KN_OK
               : kn_error_set(KN_EMEMORY, "collision.method: no memory for a step of the operator");
}

void kn_cpu_propagators_destroy(struct kn_cpu_propagators *p)
{
    free(p->plain);
    free(p->space);
    free(p->matrix[0]);
    free(p->matrix[1]);
}

/* exp(L dt) - 1 of one parity, divided by the number of octants because of the transform to parities and
 * back; KN_OPERATOR_ROWS rows are interleaved. */
static void pack_parity(const struct kn_cpu_propagators *p, int odd, double dt, float *packed)
{
    const struct kn_velocity *v = p->problem->velocity;
    kn_operator_change(&p->problem->collision->op, kn_operator_parity(v, odd), dt, p->space, p->plain);
    for (int i = 0; i < v->size; i++)
        for (int j = 0; j < v->size; j++)
            packed[((size_t)(i / KN_OPERATOR_ROWS) * (size_t)v->size + (size_t)j) * KN_OPERATOR_ROWS +
                   (size_t)(i % KN_OPERATOR_ROWS)] =
                p->plain[(size_t)i * (size_t)v->size + (size_t)j] / (float)v->octants;
}

const float *kn_cpu_propagators_find(struct kn_cpu_propagators *p, double dt)
{
    const struct kn_velocity *v = p->problem->velocity;
    const size_t length = kn_cpu_propagator_length(v);
    if (!p->plain) /* another collision method */
        return NULL;
    for (int i = 0; i < 2; i++)
        if (p->dt[i] == dt)
            return p->matrix[i];
    const int oldest = p->oldest;
    memset(p->matrix[oldest], 0, (size_t)v->octants * length * sizeof *p->matrix[oldest]);
    for (int odd = 0; odd < v->octants; odd++)
        pack_parity(p, odd, dt, p->matrix[oldest] + (size_t)odd * length);
    p->dt[oldest] = dt;
    p->oldest = 1 - oldest;
    return p->matrix[oldest];
}
