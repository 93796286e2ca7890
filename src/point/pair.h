/* Collisions between two nodes of the velocity grid, theory section 12. */
#ifndef KN_POINT_PAIR_H
#define KN_POINT_PAIR_H

#include "point/interpolate.h"

/* Direction of the relative velocity after a collision; the weights sum to 1. */
struct kn_direction {
    double k[3], weight;
};

/* Data for the assembly of an operator: the nodes of an octant of the unfolded grid, the collision law,
 * and directions. The sums of theory (44), c d d^T, are [8][size][size]: one matrix for each difference of
 * the octants of two nodes, without its symmetric half. */
struct kn_assembly {
    int half[3], size;         /* nodes on a half axis, in an octant */
    const double *node[3];     /* [half] V0 */
    const double *weight;      /* [size] */
    double strength, exponent; /* collisions at relative speed g: strength g^exponent, theory (46) */
    const struct kn_direction *directions; /* [ndirections] */
    int ndirections;
};

/* Node a in the first octant and node b in another, before the collision. */
struct kn_pair {
    int a, b, octant;
    double sum[3];   /* of their velocities */
    double relative; /* speed; at 0 nothing happens */
    double rate;     /* of both orders of the two nodes, with their weights */
};

POINT void kn_pair_velocity(const struct kn_assembly *g, int k, int octant, double v[3])
{
    int at[3];
    kn_interpolate_place(g->half, k, at);
    for (int d = 0; d < 3; d++)
        v[d] = (octant >> d & 1) ? -g->node[d][at[d]] : g->node[d][at[d]];
}

POINT struct kn_pair kn_pair_of(const struct kn_assembly *g, int a, int b, int octant)
{
    struct kn_pair p;
    double v[3], v1[3], square = 0;
    kn_pair_velocity(g, a, 0, v);
    kn_pair_velocity(g, b, octant, v1);
    for (int d = 0; d < 3; d++) {
        square += (v1[d] - v[d]) * (v1[d] - v[d]);
        p.sum[d] = v[d] + v1[d];
    }
    p.a = a;
    p.b = b;
    p.octant = octant;
    p.relative = sqrt(square);
    /* (a, b) and (b, a) are the same collision */
    p.rate = (a == b ? 1 : 2) * g->strength * pow(p.relative, g->exponent) * g->weight[a] * g->weight[b];
    return p;
}

/* Component d of the velocity after the collision, of particle 0 or 1. */
POINT double kn_pair_after(const struct kn_pair *p, const struct kn_direction *direction, int d, int particle)
{
    const double along = p->relative * direction->k[d];
    return 0.5 * (particle == 0 ? p->sum[d] + along : p->sum[d] - along);
}

#endif
