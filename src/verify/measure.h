/* clang-format off */
/* Quantities: numbers that are taken from a recorded run by name.
 *
 * COLUMN is a column of history.csv, or `fourth`, `sixth` or `front` (record.h), FIELD one of rho, ux, uy, uz, theta,
 * Pxx ... qz; x, y, z are in L, all else in the units of the results.  A minus in front changes the sign.
 *
 *   COLUMN                 mean from output.average on, else the last value
 *   COLUMN=T               value at time T
 *   COLUMN@T               value at time T over that at time 0
 *   COLUMN.rate            slope of the straight line through its second half
 *   COLUMN.amplitude       of A cos(w t + phase), w of the wall that swings; fitted from output.average on,
 *   COLUMN.phase           else to the last period
 *   FIELD(x) FIELD(x;y) FIELD(x;y;z)  at a point; axes that are not given: in the middle
 *   FIELD(x)=T             the same of a run that ends at time T, in the midst of a change
 *   FIELD(x).amplitude     of the same fit
 *   FIELD(x).phase
 *   FIELD.far              mean over 0.4 to 0.7 of the x axis
 *   FIELD.slip             the straight line through FIELD there, continued to x = 0: what it is above the
 *                          value of the left wall, over its slope; lambda0
 *   FIELD.decay            rate at which the initial wave decays in the second half of the run, where it does
 *                          not swing
 *   FIELD.heat             where it does, three modes are fitted: the rate of the one that only decays,
 *   FIELD.damping          that of the sound,
 *   FIELD.frequency        and its angular frequency
 *   FIELD.wavenumber       of the wave that a swinging wall sends along x, fitted over 0.25 to 0.5 of the
 *   FIELD.attenuation      axis: phase and logarithm of the amplitude per lambda0
 *   FIELD.thickness        greatest slope across a shock along x, over the rise (of rho, u and theta that
 *                          between the inflows, else between the ends); 1 / lambda0
 *   FIELD.lead             distance by which half the rise of FIELD is ahead of (left of) that of rho; lambda0
 *   FIELD.profile(x)       share of the rise at a distance x, in lambda0, from where rho has half of its own
 */
/* clang-format on */
#ifndef KN_MEASURE_H
#define KN_MEASURE_H

#include "verify/record.h"

struct kn_measure {
    double value;
    double statistical; /* standard error; 0 where nothing is sampled */
    double unsteady;    /* change since 3/4 of the run, 0 for averages and for values at a given time */
};

/* KN_EINPUT, and a sentence, where this is no quantity that any run has. */
enum kn_status kn_measure_check(const char *quantity);

/* KN_EINPUT where this run has no such quantity, or is too short or too coarse for it. */
enum kn_status kn_measure_take(const struct kn_record *r, const char *quantity, struct kn_measure *m);

#endif
