/* The quadratic part of the collision integral beside the assembled operator, theory (47). */
#ifndef KN_QUADRATIC_H
#define KN_QUADRATIC_H

#include "collision/operator.h"
#include "point/quadratic.h"

/* Samples of a step: none where eps is 0 or the method another. */
int kn_quadratic_count(const struct kn_case *c);

/* Everything that drawing them for a collision step dt needs. */
struct kn_quadratic_plan kn_quadratic_plan(const struct kn_case *c, const struct kn_velocity *v,
                                           const struct kn_operator *o, double dt);

#endif
