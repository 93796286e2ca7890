/* One sampled collision of the quadratic part in addition to the assembled operator, theory (47): two
 * nodes collide, and the velocities after the collision are interpolated with the stencils of the
 * operator. */
#ifndef KN_POINT_QUADRATIC_H
#define KN_POINT_QUADRATIC_H

#include "point/interpolate.h"
#include "point/sample.h"

/* With g = h h1 - h* h1*, the values after the collision being interpolated, the nodes change by gain g
 * and change g, times eps. The size is a multiple of 16 bytes. */
struct kn_quadratic {
    int32_t node[2];             /* before, in a row of h */
    int32_t first[2];            /* lowest corner of the stencils after */
    float value[2][KN_STENCIL];  /* interpolation */
    float gain[2];               /* of the nodes before */
    float change[2][KN_STENCIL]; /* of the nodes of the stencils */
    float unused[2];
};

/* The data for drawing: as for samples, with the strength of theory (47). */
struct kn_quadratic_plan {
    struct kn_sample_plan sampling;
    const double *node[3]; /* [half] V0 */
};

/* Node i of a stencil, from its lowest corner. */
POINT int kn_quadratic_node(const int32_t half[3], int i)
{
    return kn_interpolate_line(half, i / KN_STENCIL_POINTS) + i % KN_STENCIL_POINTS;
}

/* The stencil around a velocity; returns the sum of value^2 / w. */
POINT double kn_quadratic_stencil(const struct kn_quadratic_plan *p, const double at[3], int32_t *first,
                                  float value[KN_STENCIL], float inverse[KN_STENCIL])
{
    const struct kn_sample_plan *s = &p->sampling;
    double weight[3][KN_STENCIL_POINTS], sum = 0;
    int corner[3], octant = 0;
    for (int d = 0; d < 3; d++) {
        octant |= at[d] < 0 ? s->bit[d] : 0;
        corner[d] = kn_interpolate_axis(p->node[d], s->half[d], fabs(at[d]), weight[d]);
    }
    const int low = (corner[0] * s->half[1] + corner[1]) * s->half[2] + corner[2];
    *first = octant * s->stride + low;
    for (int i = 0; i < KN_STENCIL; i++) {
        const double w = s->weight[low + kn_quadratic_node(s->half, i)];
        const double x = weight[0][i / KN_LINES] * weight[1][i / KN_STENCIL_POINTS % KN_STENCIL_POINTS] *
                         weight[2][i % KN_STENCIL_POINTS];
        value[i] = (float)x;
        inverse[i] = (float)(1 / w);
        sum += x * x / w;
    }
    return sum;
}

/* The velocity of the node in whose cell a drawn velocity lies; folded axes keep its sign. */
POINT void kn_quadratic_snap(const struct kn_sample_plan *s, int node, const float drawn[3], double at[3])
{
    for (int d = 0; d < 3; d++)
        at[d] = copysign((double)s->speed[d][node % s->stride], (double)drawn[d]);
}

/* Sample `index` of set `draw`; the gains are zero if a velocity leaves the grid. */
POINT struct kn_quadratic kn_quadratic_make(const struct kn_quadratic_plan *p, uint64_t draw, uint32_t index)
{
    const struct kn_sample_plan *s = &p->sampling;
    const struct kn_collision c = kn_rng_collision(s->seed, draw, index, s->lattice);
    const int node[2] = {kn_sample_find(s, c.v), kn_sample_find(s, c.v1)};
    struct kn_quadratic q = {0};
    double before[2][3], after[2][3], along = 0, square = 0, rate = 0;
    float inverse[2][KN_STENCIL];
    if (node[0] < 0 || node[1] < 0)
        return q;
    kn_quadratic_snap(s, node[0], c.v, before[0]);
    kn_quadratic_snap(s, node[1], c.v1, before[1]);
    for (int d = 0; d < 3; d++) {
        const double relative = before[1][d] - before[0][d];
        along += relative * c.k[d];
        square += relative * relative;
    }
    if (square == 0)
        return q;
    for (int d = 0; d < 3; d++) {
        after[0][d] = before[0][d] + along * c.k[d];
        after[1][d] = before[1][d] - along * c.k[d];
    }
    for (int i = 0; i < 2; i++) {
        q.node[i] = node[i];
        rate += 1 / (double)s->weight[node[i] % s->stride] +
                kn_quadratic_stencil(p, after[i], &q.first[i], q.value[i], inverse[i]);
    }
    const double strength = s->strength * fabs(along) * kn_sample_frequency(s, square);
    const float amplitude = kn_collide_amplitude((float)strength, (float)rate, s->exponential);
    for (int i = 0; i < 2; i++) {
        q.gain[i] = -amplitude / s->weight[node[i] % s->stride];
        for (int k = 0; k < KN_STENCIL; k++)
            q.change[i][k] = amplitude * q.value[i][k] * inverse[i][k];
    }
    return q;
}

#endif
