/* Where walls swing: amplitude and phase of what passes the walls, from the last whole periods of a run. */
#ifndef KN_SWING_H
#define KN_SWING_H

#include "monitor/monitor.h"
#include "config/units.h"

enum { KN_SWING_COLUMNS = 4 * KN_SIDES };

/* A column of the history as mean + amplitude cos(frequency t + phase of the wall + phase). */
struct kn_swing_column {
    int column; /* of the monitor */
    double mean, amplitude;
    double phase; /* radian, -pi to pi: above 0 it is ahead of the velocity or temperature of the wall */
};

struct kn_swing {
    double frequency; /* V0 / lambda0, angular; 0 = nothing to tell, and nothing below is set */
    int periods;
    double change; /* of amplitudes since as many periods before, or half as many, as part of the largest;
                      NaN: not known */
    int count;
    struct kn_swing_column columns[KN_SWING_COLUMNS];
};

/* A stress or a heat flux. */
enum kn_dimension kn_swing_dimension(const struct kn_column *column);

/* Of the history in a folder, whose rows hold the mean over the step before them.  Nothing is told where
 * walls swing at several frequencies, or the run is shorter than a period, or its rows are too few. */
enum kn_status kn_swing_find(struct kn_swing *s, const char *folder, const struct kn_monitor *m,
                             double time_step);

#endif
