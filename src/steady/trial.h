/* Velocity functions of the steady-state solver: linear collisions, their frequency, and the trial functions
 * of the moment correction, theory (61) to (63). */
#ifndef KN_TRIAL_H
#define KN_TRIAL_H

#include "backend/steady_backend.h"

/* Fill the members of a plan that depend on velocities only; the problem and the rate are given.  Release
 * them with kn_trial_destroy, also after a failure. */
enum kn_status kn_trial_create(struct kn_steady_plan *plan);
void kn_trial_destroy(struct kn_steady_plan *plan);

/* -1 where a function of this parity changes its sign, else 1. */
static inline double kn_trial_sign(int parity, int octant)
{
    return __builtin_parity((unsigned)(parity & octant)) ? -1 : 1;
}

#endif
