/* Lengths and times of a flow: until it can be judged, until it is steady, until its end. */
#ifndef KN_DURATION_H
#define KN_DURATION_H

#include "config/units.h"
#include "knudsen.h"

/* The length of the box along an axis, and along the longest axis that is not uniform, lambda0. */
double kn_duration_length(const struct kn_case *c, int axis);
double kn_duration_longest(const struct kn_case *c);

/* True if a wall reflects molecules diffusely. */
bool kn_duration_is_diffuse(const struct kn_wall *w);

/* No flow is called steady before this time, in which sound and slow molecules cross the box. */
double kn_duration_least(const struct kn_case *c);

/* After this time the initial transient should be over. */
double kn_duration_settled(const struct kn_case *c);

/* time.end; for auto a multiple of the time that the flow needs to become steady, in whole periods if walls
 * oscillate. */
double kn_duration_end(const struct kn_case *c);

/* Least number of rows of the history per period of a wall. */
#define KN_DURATION_PERIOD_ROWS 32.0

/* The shortest period of a wall; infinite if none oscillates. */
double kn_duration_shortest_period(const struct kn_case *c);

/* The longest time step with enough rows of the history per period of every wall; infinite if none
 * oscillates. */
double kn_duration_period_step(const struct kn_case *c);

/* A time of the case in SI units; without them with a number of digits and the text `unit`. */
const char *kn_duration_text(const struct kn_case *c, double time, int digits, const char *unit,
                             char text[KN_UNITS_TEXT]);

/* Where a run is: "step 12, t = 3.4", or "iteration 12" of a steady state. */
enum { KN_DURATION_PLACE = KN_UNITS_TEXT + 48 };
const char *kn_duration_place(const struct kn_case *c, int64_t step, double time,
                              char text[KN_DURATION_PLACE]);

/* Does a wall oscillate? */
bool kn_duration_oscillates(const struct kn_case *c);

/* True if the run ends as soon as it is steady. */
bool kn_duration_is_open(const struct kn_case *c);

#endif
