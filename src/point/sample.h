/* From a drawn collision to a sample that can be applied, theory (26) to (29). Like rng.h, compiled
 * without contraction: the same bits on every machine. */
#ifndef KN_POINT_SAMPLE_H
#define KN_POINT_SAMPLE_H

#include "point/collide.h"
#include "point/power.h"
#include "point/rng.h"

/* One sample: h[node] += gain * bracket for each of the four nodes (before, before, after, after). The
 * velocities of the nodes differ from those that collided and gains are rounded, so a sample changes
 * momentum and energy of the row by defect * bracket. (Mass changes only by unbiased round-off.) */
struct kn_sample {
    uint32_t node[4]; /* index in a row of h */
    float gain[4];    /* amplitude * net change of the node / weight */
    float defect[4];  /* of vx, vy, vz, v.v; 0 along folded axes */
};

/* Samples are applied in batches without common nodes, so that many threads can apply a batch at once and
 * all machines do the same arithmetic. A set is divided into pieces; within a piece each sample is put
 * into the first of KN_SAMPLE_COLOURS batches that is not full and in which its nodes are free; samples
 * without a batch follow one by one. */
enum { KN_SAMPLE_BATCH = 64, KN_SAMPLE_COLOURS = 256 };

/* Samples per piece: two per node, and at most half of the capacity of the batches. */
POINT int kn_sample_piece(int nnodes)
{
    const int most = KN_SAMPLE_BATCH * KN_SAMPLE_COLOURS / 2;
    return nnodes < most / 2 ? 2 * nnodes : most;
}

/* The data of the velocity grid and the case for drawing. */
struct kn_sample_plan {
    const float *edge[3];  /* [half + 1] V0; the last may be infinite */
    const float *weight;   /* [stride] */
    const float *speed[3]; /* [stride] |v| of the nodes */
    const float *square;   /* [stride] v.v of the nodes */
    int32_t half[3], bit[3], stride;
    uint64_t seed;
    double power;   /* the collision frequency is proportional to |k.vr| (vr.vr)^power: 0 for hard spheres */
    float strength; /* K dt / N_t, half of it for the symmetric estimator */
    int32_t symmetric, exponential, lattice;
};

/* Index of the velocity cell in a row, or -1 outside the grid. */
POINT int kn_sample_find(const struct kn_sample_plan *p, const float v[3])
{
    int octant = 0, at = 0;
    for (int d = 0; d < 3; d++) {
        const float speed = fabsf(v[d]);
        int i = 0;
        for (int e = 1; e <= p->half[d]; e++)
            i += speed >= p->edge[d][e];
        if (i == p->half[d])
            return -1;
        at = at * p->half[d] + i;
        octant |= v[d] < 0 ? p->bit[d] : 0;
    }
    return octant * p->stride + at;
}

/* Velocities after the collision, theory (4); returns |k.vr|. */
POINT float kn_sample_collide(const struct kn_collision *c, float after[3], float after1[3])
{
    const float vr[3] = {c->v1[0] - c->v[0], c->v1[1] - c->v[1], c->v1[2] - c->v[2]};
    const float along = fmaf(vr[0], c->k[0], fmaf(vr[1], c->k[1], vr[2] * c->k[2]));
    for (int d = 0; d < 3; d++) {
        after[d] = fmaf(along, c->k[d], c->v[d]);
        after1[d] = fmaf(-along, c->k[d], c->v1[d]);
    }
    return fabsf(along);
}

/* Collision frequency at relative speed sqrt(square) divided by that of hard spheres: g^(gamma - 1),
 * theory (26b); 0 for molecules at relative rest. */
POINT double kn_sample_frequency(const struct kn_sample_plan *p, double square)
{
    return p->power == 0 ? 1 : square > 0 ? kn_power_of(square, p->power) : 0;
}

/* vr.vr of a drawn collision. */
POINT double kn_sample_square(const struct kn_collision *c)
{
    double sum = 0;
    for (int d = 0; d < 3; d++)
        sum += ((double)c->v1[d] - c->v[d]) * ((double)c->v1[d] - c->v[d]);
    return sum;
}

/* Net change of each of the four nodes. Nodes that coincide share their sum, so that all four can be read
 * and then all four written. */
POINT void kn_sample_net_change(const int node[4], float net[4])
{
    const float change[4] = {-1, -1, 1, 1};
    for (int i = 0; i < 4; i++) {
        net[i] = 0;
        for (int j = 0; j < 4; j++)
            net[i] += node[j] == node[i] ? change[j] : 0.0f;
    }
}

/* The rate at which the sample relaxes its own bracket, per unit amplitude: the bracket of the paper
 * contains the first two nodes, the symmetric one all four. */
POINT float kn_sample_rate(int symmetric, const float net[4], const float inverse[4])
{
    const float s = -net[0] * inverse[0] - net[1] * inverse[1];
    return symmetric ? s + net[2] * inverse[2] + net[3] * inverse[3] : s;
}

/* Momentum and energy that the four nodes together gain per unit bracket, from the rounded gains; a node
 * that occurs twice is written once. */
POINT void kn_sample_defect(const struct kn_sample_plan *p, struct kn_sample *s)
{
    double sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        int seen = 0;
        for (int j = 0; j < i; j++)
            seen |= s->node[j] == s->node[i];
        const int octant = (int)s->node[i] / p->stride, at = (int)s->node[i] % p->stride;
        const double mass = seen ? 0 : (double)s->gain[i] * p->weight[at];
        for (int d = 0; d < 3; d++)
            sum[d] += p->bit[d] ? mass * (octant & p->bit[d] ? -p->speed[d][at] : p->speed[d][at]) : 0;
        sum[3] += mass * p->square[at];
    }
    for (int i = 0; i < 4; i++)
        s->defect[i] = (float)sum[i];
}

/* Sample `index` of set `draw`; the gains are zero if a velocity leaves the grid. */
POINT struct kn_sample kn_sample_make(const struct kn_sample_plan *p, uint64_t draw, uint32_t index)
{
    const struct kn_collision drawn = kn_rng_collision(p->seed, draw, index, p->lattice);
    struct kn_sample s = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    float after[3], after1[3], net[4], inverse[4];
    const float along = kn_sample_collide(&drawn, after, after1);
    const int node[4] = {kn_sample_find(p, drawn.v), kn_sample_find(p, drawn.v1), kn_sample_find(p, after),
                         kn_sample_find(p, after1)};
    if (node[0] < 0 || node[1] < 0 || node[2] < 0 || node[3] < 0)
        return s;
    for (int i = 0; i < 4; i++)
        inverse[i] = 1.0f / p->weight[node[i] % p->stride];
    kn_sample_net_change(node, net);
    const float strength = p->strength * along * (float)kn_sample_frequency(p, kn_sample_square(&drawn));
    const float amplitude =
        kn_collide_amplitude(strength, kn_sample_rate(p->symmetric, net, inverse), p->exponential);
    for (int i = 0; i < 4; i++) {
        s.node[i] = (uint32_t)node[i];
        s.gain[i] = amplitude * net[i] * inverse[i];
    }
    kn_sample_defect(p, &s);
    return s;
}

#endif
