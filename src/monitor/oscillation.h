/* Amplitude and phase of the fluxes at walls, bodies and ports in an oscillation: from the last whole periods
 * of a run in time, or from a complex solution. */
#ifndef KN_OSCILLATION_H
#define KN_OSCILLATION_H

#include "config/units.h"
#include "grid/fluxes.h"
#include "monitor/history_table.h"
#include "monitor/monitor.h"

enum { KN_OSCILLATION_COLUMNS = 4 * KN_SIDES + KN_BODY_VALUES * KN_BODIES + 2 * KN_PORTS };

/* A column of the history as mean + amplitude cos(frequency t + phase of the wall + phase). */
struct kn_oscillation_column {
    int column; /* of the monitor */
    double mean, amplitude;
    double phase; /* radian, -pi to pi; above 0: ahead of the velocity or temperature of the wall */
};

/* The force of the gas on a surface that oscillates with the velocity u is -damping u - added_mass du/dt,
 * theory (68a): per area of a side, and on the whole of a body. */
struct kn_oscillation_mover {
    int surface;       /* a side, or KN_SIDES + the number of a body */
    double damping;    /* p0 / V0; of a body times lambda0^2 */
    double added_mass; /* p0 lambda0 / V0^2, of a body times lambda0^2; below 0: the gas acts as a spring */
};

struct kn_oscillation_units {
    enum kn_dimension damping, added_mass;
};
struct kn_oscillation_units kn_oscillation_units(const struct kn_oscillation_mover *m);

struct kn_oscillation_fit {
    double frequency; /* V0 / lambda0, angular; 0: no oscillation was found, and no member below is set */
    int periods;
    double change; /* of amplitudes between the halves of the window, or since the period before, relative to
                      the largest; NaN: unknown */
    int count;
    struct kn_oscillation_column columns[KN_OSCILLATION_COLUMNS];
    int movers; /* sides and bodies that oscillate with a velocity */
    struct kn_oscillation_mover mover[KN_SIDES + KN_BODIES];
};

/* From real and imaginary parts of the amplitudes of fluxes, of time.mode: frequency. */
void kn_oscillation_take(struct kn_oscillation_fit *s, const struct kn_monitor *m,
                         const struct kn_fluxes_result *real, const struct kn_fluxes_result *imaginary);

/* From a history whose rows hold the mean over the preceding step.  The frequency is 0 if walls oscillate at
 * several frequencies, the run is shorter than a period, or the history has too few rows. */
void kn_oscillation_find(struct kn_oscillation_fit *s, const struct kn_history_table *h,
                         const struct kn_monitor *m, double time_step);

#endif
