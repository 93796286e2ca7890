/* The set of collisions that one step applies in every cell. */
#ifndef KN_SAMPLING_H
#define KN_SAMPLING_H

#include "point/sample.h"
#include "velocity.h"

/* Samples in a set: N_t, or 0 where the method draws none. */
int kn_sampling_count(const struct kn_case *c);

/* Everything that drawing a set for a collision step dt needs. */
struct kn_sample_plan kn_sampling_plan(const struct kn_case *c, const struct kn_velocity *v, double dt);

#endif
