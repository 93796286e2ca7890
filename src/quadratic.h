/* The quadratic part of the collision integral beside the assembled operator: sampled
 * collisions between nodes, with the operator's own stencils, theory (47). */
#ifndef KN_QUADRATIC_H
#define KN_QUADRATIC_H

#include "operator.h"
#include "point/interpolate.h"

/* One collision.  With g = h h1 - h* h1*, both after it interpolated, the nodes change
 * by gain g and change g, times eps. */
struct kn_quadratic {
    int32_t node[2];             /* before, in a row of h */
    int32_t first[2];            /* lowest corner of the stencils after */
    float gain[2];               /* of the nodes before */
    float value[2][KN_STENCIL];  /* interpolation */
    float change[2][KN_STENCIL]; /* of the nodes of the stencils */
};

/* Samples of a step: none where eps is 0 or the method another. */
int kn_quadratic_count(const struct kn_case *c);

/* Samples first..first+count-1 of set `draw` for a collision step dt. */
void kn_quadratic_draw(const struct kn_case *c, const struct kn_velocity *v, const struct kn_operator *o,
                       double dt, uint64_t draw, int first, int count, struct kn_quadratic *samples);

/* Node i of a stencil, from its lowest corner. */
static inline int kn_quadratic_node(const struct kn_velocity *v, int i)
{
    return kn_interpolate_line(v->half, i / KN_POINTS) + i % KN_POINTS;
}

#endif
