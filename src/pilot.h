/* collision.samples: auto.  How many samples a step hold the stated error. */
#ifndef KN_PILOT_H
#define KN_PILOT_H

#include "operator.h"

/* kn_pilot_samples, heard of by somebody; `c` has room in memory and is checked. */
enum kn_status kn_pilot_samples_heard(struct kn_case *c, const struct kn_listener *listener);

#endif
