/* The tables of the quadratic part in device memory. */
#include "cuda/cuda_machine.h"

#include <stdlib.h>
#include <string.h>

double kn_cuda_quadratic_memory(const struct kn_problem *p)
{
    const double cells = p->space->ncells, places = (double)p->velocity->octants * KN_CUDA_PLACES;
    return kn_quadratic_sizes(p->c, p->velocity).count > 0
               ? cells * (places + KN_CUDA_ERRORS) * sizeof(float) + 1e5
               : 0;
}

/* The axis at each place: axes with an octant bit in the order of their bits, then the others. */
static void order_axes(const struct kn_velocity *v, int axis[3])
{
    int n = 0;
    for (int bit = 1; bit < 8; bit *= 2)
        for (int d = 0; d < 3; d++)
            if (v->bit[d] == bit)
                axis[n++] = d;
    for (int d = 0; d < 3; d++)
        if (v->bit[d] == 0)
            axis[n++] = d;
}

/* Place of polynomial i of the plan. */
static int place_of(const struct kn_quadratic *q, int i)
{
    int parity = 0;
    while (i >= q->first[parity + 1])
        parity++;
    return parity * KN_CUDA_PLACES + i - q->first[parity];
}

/* Upload an array of doubles as floats. */
static enum kn_status upload_floats(struct kn_cuda *m, const float **to, const double *from, size_t count)
{
    float *plain = (float *)malloc((count + 1) * sizeof *plain);
    if (!plain)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory for the quadratic part");
    for (size_t i = 0; i < count; i++)
        plain[i] = (float)from[i];
    const enum kn_status status = kn_cuda_upload(m, (const void **)to, plain, count * sizeof *plain);
    free(plain);
    return status;
}

static enum kn_status upload_axis(struct kn_cuda *m, int place, int axis)
{
    const struct kn_velocity *v = m->problem.velocity;
    struct kn_cuda_quadratic *q = &m->quadratic;
    const int apart[3] = {v->half[1] * v->half[2], v->half[2], 1};
    q->half[place] = v->half[axis];
    q->apart[place] = apart[axis];
    KN_TRY(upload_floats(m, &q->node[place], v->node[axis], (size_t)v->half[axis]));
    return upload_floats(m, &q->weight[place], v->weight[axis], (size_t)v->half[axis]);
}

/* Places of the polynomials in the order of the loops of the kernel (FOR_POLYNOMIALS). */
static void fill_places(struct kn_cuda_quadratic *q, const struct kn_quadratic *plan, const struct kn_velocity *v,
                        const int axis[3])
{
    int step[3], n = 0;
    for (int d = 0; d < 3; d++)
        step[d] = v->bit[axis[d]] ? 1 : 2;
    for (int b = 0; b < KN_HERMITE_TERMS; b += step[1])
        for (int c = 0; b + c < KN_HERMITE_TERMS; c += step[2])
            for (int a = 0; a + b + c < KN_HERMITE_TERMS; a += step[0], n++) {
                int degree[3];
                degree[axis[0]] = a;
                degree[axis[1]] = b;
                degree[axis[2]] = c;
                q->place[n] = KN_CUDA_UNUSED;
                for (int i = 0; i < plan->count; i++)
                    if (memcmp(degree, plan->list[i].degree, sizeof degree) == 0)
                        q->place[n] = (uint8_t)place_of(plan, i);
            }
}

/* Pairs are padded to whole steps with elements of the tensor that are zero. */
static enum kn_status upload_tensor(struct kn_cuda *m, const struct kn_quadratic *plan)
{
    struct kn_cuda_quadratic *q = &m->quadratic;
    const struct kn_cuda_shares shares = {2, 1};
    const int octants = m->problem.velocity->octants;
    for (int p = 0; p < octants; p++)
        q->first_step[p + 1] = q->first_step[p] + kn_cuda_operator_steps(plan->start[p + 1] - plan->start[p]);
    const size_t steps = (size_t)q->first_step[octants];
    uint32_t *pairs = (uint32_t *)calloc(8 * steps + 1, sizeof *pairs);
    double *tensor = (double *)calloc(128 * steps + 1, sizeof *tensor);
    for (int p = 0; p < octants && pairs && tensor; p++) {
        const int count = plan->first[p + 1] - plan->first[p], npairs = plan->start[p + 1] - plan->start[p];
        for (int n = 0; n < npairs; n++) {
            const struct kn_quadratic_pair pair = plan->pairs[plan->start[p] + n];
            pairs[8 * q->first_step[p] + n] =
                (uint32_t)place_of(plan, pair.i) | (uint32_t)place_of(plan, pair.j) << 16;
            for (int i = 0; i < count; i++)
                tensor[128 * (size_t)q->first_step[p] + kn_cuda_propagator_place(shares, npairs, 0, i, n)] =
                    plan->tensor[p][(size_t)i * (size_t)npairs + (size_t)n];
        }
    }
    enum kn_status status = pairs && tensor
                                ? kn_cuda_upload(m, (const void **)&q->pairs, pairs, 8 * steps * sizeof *pairs)
                                : kn_error_set(KN_EMEMORY, "collision.method: no memory for the quadratic part");
    if (status == KN_OK)
        status = upload_floats(m, &q->tensor, tensor, 128 * steps);
    free(pairs);
    free(tensor);
    return status;
}

enum kn_status kn_cuda_quadratic_create(struct kn_cuda *m)
{
    const struct kn_quadratic *plan = &m->problem.collision->quadratic;
    const struct kn_velocity *v = m->problem.velocity;
    struct kn_cuda_quadratic *q = &m->quadratic;
    const size_t cells = (size_t)m->problem.space->ncells;
    int axis[3];
    if (plan->count == 0)
        return KN_OK;
    q->exists = 1;
    q->exponent = (float)m->problem.collision->op.exponent;
    order_axes(v, axis);
    for (int place = 0; place < 3; place++)
        KN_TRY(upload_axis(m, place, axis[place]));
    fill_places(q, plan, v, axis);
    KN_TRY(upload_tensor(m, plan));
    KN_TRY(kn_cuda_allocate(m, (void **)&q->coefficients,
                            cells * (size_t)v->octants * KN_CUDA_PLACES * sizeof(float)));
    return kn_cuda_allocate(m, (void **)&q->errors, cells * KN_CUDA_ERRORS * sizeof(float));
}
