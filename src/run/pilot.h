/* The choice of collision.samples: auto, the number of samples per step that holds the requested error. */
#ifndef KN_PILOT_H
#define KN_PILOT_H

#include "knudsen.h"
#include "progress_callback.h"

/* Progress of each pilot and of the assembly of its operator, from 0 to 1. */
struct kn_pilot_progress {
    struct kn_progress_callback pilot, assembly;
};

/* kn_pilot_samples for a case that is checked; `progress` may be NULL.  KN_EINTERRUPTED: a callback has
 * stopped it. */
enum kn_status kn_pilot_samples_with_progress(struct kn_case *c, const struct kn_pilot_progress *progress);

#endif
