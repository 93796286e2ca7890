/* Durations of a case: until it can be judged, until it is steady, and the limit. */
#ifndef KN_DURATION_H
#define KN_DURATION_H

#include "knudsen.h"

/* All in lambda0 / V0. */

/* Before this time no flow is judged steady: sound and slow molecules have not crossed the box. */
double kn_duration_least(const struct kn_case *c);

/* After this time the initial transient should be over. */
double kn_duration_settled(const struct kn_case *c);

/* time.end, or the limit for auto: a multiple of the time until the flow is steady, whole periods if walls
 * oscillate. */
double kn_duration_end(const struct kn_case *c);

/* The longest step that gives the history enough rows per period of every wall; infinite without one. */
double kn_duration_period_step(const struct kn_case *c);

/* Does a wall oscillate? */
bool kn_duration_oscillates(const struct kn_case *c);

/* True if the run ends as soon as it is steady. */
bool kn_duration_is_open(const struct kn_case *c);

#endif
