/* Estimate of the time of a run on this machine, from a few steps of a smaller case. */
#ifndef KN_ESTIMATE_H
#define KN_ESTIMATE_H

#include "collision/operator.h"

struct kn_estimate {
    double assembly_s; /* of the collision operator; 0 = it exists, or is not needed */
    bool hollow;       /* the assembly would take long and was omitted */
    double step_s;     /* seconds per step of the whole case */
    double look_s;     /* seconds per row of its history */
    int64_t cells;     /* of the smaller case */
    int64_t steps;     /* measured */
    char backend[64];
    int threads;
};

/* Seconds for this number of steps with their rows. */
double kn_estimate_run(const struct kn_estimate *e, const struct kn_case *c, double steps);

/* Measure the time of a step, in about half a second and the time of the assembly.  The case has been
 * checked. */
enum kn_status kn_estimate_step(const struct kn_case *c, const struct kn_progress_callback *listener,
                                struct kn_estimate *e);

#endif
