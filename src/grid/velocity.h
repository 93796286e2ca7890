/* Velocity space: a tensor grid, stored octant by octant. */
#ifndef KN_VELOCITY_H
#define KN_VELOCITY_H

#include "knudsen.h"
#include "point/equilibrium.h"

enum {
    KN_VELOCITY_PAD = 16, /* floats: the widest vector, a cache line */
    KN_VELOCITY_LINE = 64 /* nodes along an axis, at most */
};

/* Nodes with the same signs of (vx, vy, vz) are contiguous: an octant. |v| and the weights are the same in
 * all octants, the upwind side is constant within an octant, and a reflection changes the octant but not
 * the position in it. A folded axis has only v > 0, with doubled weight, and no bit in the octant number.
 * A reduced axis has the four nodes of a Gauss-Hermite rule, and Gaussians are expanded along it. */
struct kn_velocity {
    struct kn_basis basis; /* axes with an octant bit in the order of their bits, then folded axes */
    int half[3];           /* nodes on the positive half axis */
    int bit[3];            /* octant bit that is set if v < 0; 0: folded axis */
    int octants;           /* 1, 2, 4 or 8 */
    int size;              /* nodes in an octant */
    int stride;            /* size padded to whole vectors; padding has weight 0 */
    int nnodes;            /* octants * stride: length of one row of h */
    double *node[3];       /* [half] V0 */
    double *weight[3];     /* [half] of the cell, mostly its probability; doubled on a folded axis */
    float *edge[3];        /* [half + 1] V0; edge[0] = 0; the last may be infinite */
    int length[3];         /* by place: number of signed nodes, padded to whole vectors */
    float *line[3];        /* by place: [length] nodes v > 0 and, unless folded, the same with v < 0 */
    /* Tables over the nodes of an octant, aligned to cache lines. */
    float *speed[3]; /* [stride] |v| along an axis */
    float *square;   /* [stride] v.v */
    float *w;        /* [stride] weights */
    double *mass;    /* [stride] w in double precision */
    float *flow[4];  /* [stride] w times |vx|, |vy|, |vz|, v.v */
    int *heavy;      /* [nheavy] nodes of an octant with at least a quarter of the largest weight */
    int nheavy;
    double max_speed[3]; /* largest node */
};

enum kn_status kn_velocity_create(struct kn_velocity *v, const struct kn_case *c);
void kn_velocity_destroy(struct kn_velocity *v);

/* n nodes and weights for the measure pi^(-1/2) exp(-x^2) on (0, inf), theory (12). */
enum kn_status kn_velocity_half_gauss(int n, double *node, double *weight);

/* The smallest |v| along an axis, without building the grid. */
double kn_velocity_slowest(const struct kn_case *c, int axis);

/* True if the axis is reduced. */
bool kn_velocity_is_reduced(const struct kn_velocity *v, int axis);

/* Sign of a velocity component in an octant: +1 or -1. */
static inline int kn_velocity_sign(const struct kn_velocity *v, int octant, int axis)
{
    return (octant & v->bit[axis]) ? -1 : 1;
}

/* The velocity of node k of an octant. */
static inline void kn_velocity_at(const struct kn_velocity *v, int octant, int k, float at[3])
{
    for (int d = 0; d < 3; d++)
        at[d] = (float)kn_velocity_sign(v, octant, d) * v->speed[d][k];
}

#endif
