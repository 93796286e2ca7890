/* The quadratic part of the collision integral in addition to the assembled operator, theory (47). */
#ifndef KN_QUADRATIC_H
#define KN_QUADRATIC_H

#include "collision/operator.h"
#include "point/quadratic.h"

/* Samples per step: 0 if eps is 0 or for another method. */
int kn_quadratic_count(const struct kn_case *c);

/* The data for drawing them for a collision step dt. */
struct kn_quadratic_plan kn_quadratic_plan(const struct kn_case *c, const struct kn_velocity *v,
                                           const struct kn_operator *o, double dt);

#endif
