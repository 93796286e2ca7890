/* Amplitude and phase of the fluxes at oscillating walls, from the last whole periods of a run. */
#ifndef KN_OSCILLATION_H
#define KN_OSCILLATION_H

#include "config/units.h"
#include "monitor/history_table.h"
#include "monitor/monitor.h"

enum { KN_OSCILLATION_COLUMNS = 4 * KN_SIDES + KN_BODY_VALUES * KN_BODIES + 2 * KN_PORTS };

/* A column of the history as mean + amplitude cos(frequency t + phase of the wall + phase). */
struct kn_oscillation_column {
    int column; /* of the monitor */
    double mean, amplitude;
    double phase; /* radian, -pi to pi; above 0: ahead of the velocity or temperature of the wall */
};

/* The force of the gas per area of a wall that oscillates with the velocity u is -damping u - added_mass
 * du/dt, theory (68a). */
struct kn_oscillation_wall {
    enum kn_side side;
    double damping;    /* p0 / V0 */
    double added_mass; /* p0 lambda0 / V0^2; below 0: the gas acts as a spring */
};

struct kn_oscillation_fit {
    double frequency; /* V0 / lambda0, angular; 0: no oscillation was found, and no member below is set */
    int periods;
    double change; /* of amplitudes between the halves of the window, or since the period before, relative to
                      the largest; NaN: unknown */
    int count;
    struct kn_oscillation_column columns[KN_OSCILLATION_COLUMNS];
    int walls; /* that move */
    struct kn_oscillation_wall wall[KN_SIDES];
};

/* From real and imaginary parts of the amplitudes of fluxes, of time.mode: frequency. */
void kn_oscillation_take(struct kn_oscillation_fit *s, const struct kn_monitor *m,
                         const struct kn_wall_flux real[KN_SIDES],
                         const struct kn_wall_flux imaginary[KN_SIDES]);

/* From a history whose rows hold the mean over the preceding step.  The frequency is 0 if walls oscillate at
 * several frequencies, the run is shorter than a period, or the history has too few rows. */
void kn_oscillation_find(struct kn_oscillation_fit *s, const struct kn_history_table *h,
                         const struct kn_monitor *m, double time_step);

#endif
