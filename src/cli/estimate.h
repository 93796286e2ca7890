/* How long a case will take on this machine, from some steps of a smaller one like it. */
#ifndef KN_ESTIMATE_H
#define KN_ESTIMATE_H

#include "collision/operator.h"

struct kn_estimate {
    double assembly_s; /* of the collision operator; 0 = it is there, or none is needed */
    bool hollow;       /* it would take long and was not assembled for this */
    double step_s;     /* seconds a step of the whole case takes, */
    double look_s;     /* and a row of its history */
    int64_t cells;     /* of the smaller one */
    int64_t steps;     /* that were measured */
    char backend[64];
    int threads;
};

/* Seconds that so many steps take, with their rows. */
double kn_estimate_run(const struct kn_estimate *e, const struct kn_case *c, double steps);

/* Takes about half a second, and before that what an operator needs to be assembled (the listener
 * hears of it).  The case has been checked. */
enum kn_status kn_estimate_step(const struct kn_case *c, const struct kn_listener *listener,
                                struct kn_estimate *e);

#endif
