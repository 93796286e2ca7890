#include "quadratic.h"

#include "sampling.h"

#include <math.h>

int kn_quadratic_count(const struct kn_case *c)
{
    return c->collision.method == KN_METHOD_OPERATOR && c->disturbance > 0 ? c->collision.samples : 0;
}

/* The stencil around a velocity; returns the sum of value^2 / w. */
static double lay_stencil(const struct kn_velocity *v, const double at[3], int32_t *first,
                          float value[KN_STENCIL], float inverse[KN_STENCIL])
{
    double weight[3][KN_POINTS], sum = 0;
    int corner[3], octant = 0;
    for (int d = 0; d < 3; d++) {
        octant |= at[d] < 0 ? v->bit[d] : 0;
        corner[d] = kn_interpolate_axis(v->node[d], v->half[d], fabs(at[d]), weight[d]);
    }
    const int low = (corner[0] * v->half[1] + corner[1]) * v->half[2] + corner[2];
    *first = octant * v->stride + low;
    for (int i = 0; i < KN_STENCIL; i++) {
        const int k = low + kn_quadratic_node(v, i);
        const double x =
            weight[0][i / KN_LINES] * weight[1][i / KN_POINTS % KN_POINTS] * weight[2][i % KN_POINTS];
        value[i] = (float)x;
        inverse[i] = 1 / v->w[k];
        sum += x * x / v->w[k];
    }
    return sum;
}

/* The velocity of the node in whose cell a drawn one lies; folded axes keep its sign. */
static void snap(const struct kn_velocity *v, int node, const float drawn[3], double at[3])
{
    for (int d = 0; d < 3; d++)
        at[d] = copysign(v->speed[d][node % v->stride], drawn[d]);
}

static struct kn_quadratic make(const struct kn_sample_plan *p, const struct kn_velocity *v, uint64_t draw,
                                uint32_t index)
{
    const struct kn_collision c = kn_rng_collision(p->seed, draw, index, p->lattice);
    const int node[2] = {kn_sample_find(p, c.v), kn_sample_find(p, c.v1)};
    struct kn_quadratic s = {.node = {0, 0}};
    double before[2][3], after[2][3], along = 0, square = 0;
    float inverse[2][KN_STENCIL];
    if (node[0] < 0 || node[1] < 0)
        return s;
    snap(v, node[0], c.v, before[0]);
    snap(v, node[1], c.v1, before[1]);
    for (int d = 0; d < 3; d++) {
        const double relative = before[1][d] - before[0][d];
        along += relative * c.k[d];
        square += relative * relative;
    }
    if (square == 0)
        return s;
    for (int d = 0; d < 3; d++) {
        after[0][d] = before[0][d] + along * c.k[d];
        after[1][d] = before[1][d] - along * c.k[d];
    }
    double rate = 0;
    for (int i = 0; i < 2; i++) {
        s.node[i] = node[i];
        rate += 1 / v->w[node[i] % v->stride] + lay_stencil(v, after[i], &s.first[i], s.value[i], inverse[i]);
    }
    const double strength = p->strength * fabs(along) * kn_sample_frequency(p, square);
    const float amplitude = kn_collide_amplitude((float)strength, (float)rate, p->exponential);
    for (int i = 0; i < 2; i++) {
        s.gain[i] = -amplitude / v->w[node[i] % v->stride];
        for (int k = 0; k < KN_STENCIL; k++)
            s.change[i][k] = amplitude * s.value[i][k] * inverse[i][k];
    }
    return s;
}

void kn_quadratic_draw(const struct kn_case *c, const struct kn_velocity *v, const struct kn_operator *o,
                       double dt, uint64_t draw, int first, int count, struct kn_quadratic *samples)
{
    struct kn_sample_plan p = kn_sampling_plan(c, v, dt);
    /* the mean over pairs of nodes and directions k, theory (47) */
    p.strength = (float)(0.5 * o->strength * o->scale * dt / c->collision.samples);
    p.lattice = c->collision.points != KN_POINTS_RANDOM;
    for (int i = 0; i < count; i++)
        samples[i] = make(&p, v, draw, (uint32_t)(first + i));
}
