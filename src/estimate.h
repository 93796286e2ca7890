/* How long a case will take on this machine, from some steps of a smaller one like it. */
#ifndef KN_ESTIMATE_H
#define KN_ESTIMATE_H

#include "operator.h"

struct kn_estimate {
    double step_s; /* seconds a step of the whole case takes */
    int64_t cells; /* of the smaller one */
    int64_t steps; /* that were measured */
    char backend[64];
    int threads;
};

/* Takes about half a second, and before that what an operator needs to be assembled (the listener
 * hears of it).  The case has been checked. */
enum kn_status kn_estimate_step(const struct kn_case *c, const struct kn_listener *listener,
                                struct kn_estimate *e);

#endif
