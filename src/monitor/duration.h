/* How long a case has to be followed: until it can be judged, until it is steady, at most. */
#ifndef KN_DURATION_H
#define KN_DURATION_H

#include "knudsen.h"

/* All in lambda0 / V0. */

/* Before this time no flow is called steady: sound and slow molecules have not crossed the box. */
double kn_duration_least(const struct kn_case *c);

/* After this time the initial transient should be over. */
double kn_duration_settled(const struct kn_case *c);

/* time.end, or the limit that stands for auto: a multiple of the time that the flow needs to become steady,
 * whole periods where walls oscillate. */
double kn_duration_end(const struct kn_case *c);

/* The longest step with which a history has enough rows in a period of every wall; infinite without one. */
double kn_duration_period_step(const struct kn_case *c);

/* Does a wall oscillate? */
bool kn_duration_oscillates(const struct kn_case *c);

/* Does the run end as soon as it is steady? */
bool kn_duration_is_open(const struct kn_case *c);

#endif
