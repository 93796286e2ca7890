/* What is watched during a run: conserved sums, residual, D and G, averages. */
#ifndef KN_MONITOR_H
#define KN_MONITOR_H

#include "space.h"

/* The numbers of one history row.  Every member is a double so that rows can
 * be averaged, stored and printed by the one table kn_monitor_columns. */
struct kn_row {
    double step;
    double time;               /* lambda0 / V0 */
    double residual;           /* relative change of rho, u, theta per unit time */
    double mass;               /* integral of rho, n0 lambda0^3 eps */
    double momentum[3];        /* integral of <v h> */
    double energy;             /* integral of <v^2 h> */
    double mass_drift;         /* (mass - initial mass) / integral of |rho| */
    double drag;               /* D; NaN where the case is no cavity */
    double vortex_flow;        /* G; NaN where the case is no cavity */
    double flow_force;         /* G_P, flow rate of a body force; NaN without one */
    double flow_thermal;       /* G_T, flow rate of thermal creep; NaN without one */
    double stress[KN_SIDES][3];  /* struct kn_wall_flux; NaN where there is no wall */
    double heat_flux[KN_SIDES];
    double mass_flux[KN_SIDES];
    double average[KN_FIELDS]; /* volume average of each field */
};

struct kn_column {
    const char *name;          /* as in history.csv and summary.json */
    const char *unit;
    size_t offset;             /* in struct kn_row */
};

/* The columns a case has: those that are NaN by definition are left out. */
struct kn_monitor {
    const struct kn_case *c;
    const struct kn_space *space;
    int ncolumns;
    struct kn_column *columns; /* [ncolumns] */
    double *previous;          /* [ncells][5] rho, u, theta at the last row */
    double previous_time;
    double initial_mass;
    int64_t averaged;          /* rows in the averages */
    double *mean, *square;     /* [ncolumns] running mean, sum of squared deviations (Welford) */
    double *mean_fields;       /* [ncells][KN_FIELDS] */
    struct kn_row row;         /* the latest row */
};

enum kn_status kn_monitor_create(struct kn_monitor *m, const struct kn_case *c, const struct kn_space *space);
void kn_monitor_destroy(struct kn_monitor *m);

/* Take in the state of one report step: fills m->row, updates the averages.
 * A non-finite value is KN_ENUMERIC and the message names cell and quantity. */
enum kn_status kn_monitor_take(struct kn_monitor *m, int64_t step, double time,
                               const double *fields, const struct kn_wall_flux *walls);

/* Everything that a restart needs, as one array of doubles. */
int64_t kn_monitor_state_size(const struct kn_monitor *m);
void kn_monitor_save(const struct kn_monitor *m, double *state);
void kn_monitor_restore(struct kn_monitor *m, const double *state);

#endif
