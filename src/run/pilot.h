/* collision.samples: auto.  How many samples a step hold the stated error. */
#ifndef KN_PILOT_H
#define KN_PILOT_H

#include "collision/operator.h"

/* Who hears of what takes long: each pilot, from 0 to 1, and an operator that it needs. */
struct kn_pilot_listeners {
    struct kn_listener pilot, assembly;
};

/* kn_pilot_samples for a case that is checked; nobody hears of it where the listeners are NULL.
 * One who wants no more ends it with KN_EINTERRUPTED. */
enum kn_status kn_pilot_samples_heard(struct kn_case *c, const struct kn_pilot_listeners *listeners);

#endif
