/* The quadratic part of collisions on the CPU: samples with stencils, in a block of cells. */
#include "cpu/cpu_rows.h"

/* Interpolate a block: the sum over a stencil in every lane. */
static inline kn_lanes interpolate(const struct kn_velocity *v, const float *value, const float *at)
{
    kn_lanes sum = {0};
    for (int i = 0; i < KN_STENCIL; i++)
        sum += value[i] * *(const kn_lanes *)(at + (size_t)(kn_quadratic_node(v->half, i)) * KN_LANES);
    return sum;
}

static inline void add_stencil(const struct kn_velocity *v, const float *change, kn_lanes g, float *at)
{
    for (int i = 0; i < KN_STENCIL; i++)
        *(kn_lanes *)(at + (size_t)(kn_quadratic_node(v->half, i)) * KN_LANES) += change[i] * g;
}

/* One collision in all cells of the block: all data are read before any change. */
static void apply(const struct kn_velocity *v, const struct kn_quadratic *s, float eps, float *block)
{
    float *a = block + (size_t)s->node[0] * KN_LANES, *b = block + (size_t)s->node[1] * KN_LANES;
    float *x = block + (size_t)s->first[0] * KN_LANES, *y = block + (size_t)s->first[1] * KN_LANES;
    const kn_lanes g = eps * (*(const kn_lanes *)a * *(const kn_lanes *)b -
                              interpolate(v, s->value[0], x) * interpolate(v, s->value[1], y));
    *(kn_lanes *)a += s->gain[0] * g;
    *(kn_lanes *)b += s->gain[1] * g;
    add_stencil(v, s->change[0], g, x);
    add_stencil(v, s->change[1], g, y);
}

void KN_CPU_NAME(quadratic)(const struct kn_collisions *s, float *rows, int count, float *block)
{
    gather(rows, count, s->velocity->nnodes, block);
    for (int i = 0; i < s->nquadratic; i++)
        apply(s->velocity, &s->quadratic[i], (float)s->c->disturbance, block);
    scatter(block, count, s->velocity->nnodes, rows);
}
