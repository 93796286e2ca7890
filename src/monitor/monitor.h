/* The history of a run: conserved sums, residual, D and G, fluxes at walls, averages. */
#ifndef KN_MONITOR_H
#define KN_MONITOR_H

#include "comm/comm.h"
#include "config/units.h"
#include "grid/space.h"
#include "monitor/batches.h"
#include "monitor/trend.h"

/* One row of the history.  All members are doubles: the table of columns in struct kn_monitor averages,
 * stores and prints them. */
struct kn_row {
    double step;
    double time;     /* lambda0 / V0 */
    double residual; /* relative change of rho, u, theta per unit time; NaN in the first row */
    double equation_residual, update, balance; /* of the steady-state solver, struct kn_steady_progress */
    double mass;                               /* integral of rho, n0 lambda0^3 eps */
    double momentum[3];                        /* integral of <v h> */
    double energy;                             /* integral of <v^2 h> */
    double mass_drift;          /* (mass - initial mass) / integral of |rho|; 0 if no mass moves */
    double momentum_drift;      /* length of the change of momentum since the first row */
    double energy_drift;        /* change of energy since the first row */
    double drag;                /* D; NaN if the case is not a cavity */
    double vortex_flow;         /* G; NaN if the case is not a cavity */
    double flow_force;          /* G_P, flow rate of a body force; NaN without one */
    double flow_thermal;        /* G_T, flow rate of thermal creep; NaN without one */
    double permeability;        /* lambda0^2, of the whole box; NaN without bodies and a force or two ports */
    double stress[KN_SIDES][3]; /* struct kn_wall_flux; NaN without a wall */
    double heat_flux[KN_SIDES];
    double mass_flux[KN_SIDES];
    struct kn_body_flux body[KN_BODIES];
    struct kn_port_flux port[KN_PORTS];
    double average[KN_FIELDS]; /* volume average of each field */
    double excess[2];          /* relative excess of the fourth and sixth moments of a uniform gas */
    double wave[5];            /* amplitudes of rho, u, theta in the initial wave; 0 without one */
    double size, volume;       /* root mean square of rho, u and theta; of the gas, lambda0^3; no columns */
};

enum { KN_COLUMN_NAME = 24 + KN_ITEM_NAME };

struct kn_column {
    const char *name; /* as in history.csv and summary.json */
    const char *unit;
    size_t offset;               /* in struct kn_row */
    enum kn_dimension dimension; /* of its values in SI units; KN_DIMENSION_NONE: not converted */
};

/* Columns that are NaN by definition of the case are omitted. */
struct kn_monitor {
    const struct kn_case *c;
    const struct kn_space *space;
    const struct kn_comm *comm;
    int threads; /* for loops over cells */
    bool closed; /* the mass of the gas is constant */
    int ncolumns, nnames;
    struct kn_column *columns;     /* [ncolumns] */
    char (*names)[KN_COLUMN_NAME]; /* of columns of bodies and ports, which the case names */
    int64_t rows;                  /* number of rows so far */
    double *previous;              /* [ncells][5] rho, u, theta at the last row */
    double previous_time;
    double previous_residual;   /* of the row before the latest */
    int64_t steady_rows;        /* rows since the flow is steady, noted by kn_verdict_note */
    double initial[5];          /* mass, momentum, energy of the first row */
    double window;              /* start of the averaging window, lambda0 / V0; below 0: none */
    int64_t averaged;           /* rows in the averages, without that of step 0 */
    int first_judged, judged;   /* columns that decide about steadiness: reported quantities, else averages */
    int64_t ndata;              /* doubles of the next four arrays, which are one block of memory */
    struct kn_trend *trends;    /* [judged + 1]; the last is that of row.size */
    double *mean, *square;      /* [ncolumns] running mean, sum of squared deviations (Welford) */
    struct kn_batches *batches; /* [ncolumns] of the averaged rows; NULL without noise */
    double least_time;          /* no flow is called steady before it, lambda0 / V0 */
    double settled_time;        /* at which the initial transient should be over, lambda0 / V0 */
    double *mean_fields;        /* [ncells][KN_FIELDS] */
    int64_t *midline;           /* [whole[1]][KN_SUMS_MIDLINE] for kn_sums_midline */
    double *wave;               /* [ncells] shape of the initial wave; NULL without one */
    double excess[2];           /* of the next row; set by the caller if the gas is uniform */
    double iteration[3];        /* equation_residual, update, balance of the next row; set by the caller */
    struct kn_body_flux bodies[KN_BODIES]; /* of the next row; set by the caller if the case has any */
    struct kn_port_flux ports[KN_PORTS];   /* likewise */
    struct kn_row row;                     /* the latest row */
};

/* Every rank has a monitor for its own cells: `space` is its box, and fields are those of the cells in it.
 * Rows and failures are the same on all ranks, with the same bits for any number of them.  The case, the
 * space and the communicator are referenced, not copied. */
enum kn_status kn_monitor_create(struct kn_monitor *m, const struct kn_case *c, const struct kn_space *space,
                                 const struct kn_comm *comm);
void kn_monitor_destroy(struct kn_monitor *m);

/* KN_ENUMERIC if a value is not finite; the message names the first one. */
enum kn_status kn_monitor_check(const struct kn_monitor *m, int64_t step, double time, const double *fields);

/* Add a row: fill m->row and update the averages.  KN_ENUMERIC as above; then nothing is changed. */
enum kn_status kn_monitor_take(struct kn_monitor *m, int64_t step, double time, const double *fields,
                               const struct kn_wall_flux *walls);

/* One cell: the history has columns for its excess of higher moments. */
bool kn_monitor_is_uniform(const struct kn_case *c);

/* Start of the averaging window of a case, lambda0 / V0; negative: none. */
double kn_monitor_window(const struct kn_case *c);

/* Standard error of the average of a column; NaN without noise or with too few rows. */
double kn_monitor_error(const struct kn_monitor *m, int column);

/* The column that represents the flow: D, else G_P, else G_T, else the largest stress or heat flux at a wall;
 * -1 if all of these are zero. */
int kn_monitor_headline(const struct kn_monitor *m);

/* The average of a column, or its latest value without averages. */
double kn_monitor_value(const struct kn_monitor *m, int column);

/* The value of a column in the latest row. */
double kn_monitor_column(const struct kn_monitor *m, int column);

/* KN_DIMENSION_STRESS, _HEAT_FLUX or _MASS_FLUX for a flux through a side, KN_DIMENSION_FORCE, _TORQUE, _HEAT
 * or _MASS_FLOW for a body or a port, KN_DIMENSION_NONE for others. */
enum kn_dimension kn_monitor_flux(const struct kn_column *column);

/* True if the column is one of a body or a port. */
bool kn_monitor_is_integral(const struct kn_column *column);

/* The column of this name in any case, or NULL. */
const struct kn_column *kn_monitor_find(const char *name);

/* ---- monitor_state.c: the state for a restart except the data of cells, as an array of doubles, which is
 * the same on all ranks. */
int64_t kn_monitor_state_size(const struct kn_monitor *m);
void kn_monitor_save(const struct kn_monitor *m, double *state);

/* KN_EINPUT if the state is that of another case, KN_EIO if it is damaged.  Averages are restarted if the
 * case has another averaging window. */
enum kn_status kn_monitor_restore(struct kn_monitor *m, const double *state, int64_t size);

/* The data of cells first..first+count-1 of the box, [count][KN_MONITOR_CELL] doubles: from `of`, a
 * struct kn_monitor, or into it, after kn_monitor_restore.  A kn_share_move. */
enum { KN_MONITOR_CELL = 5 + KN_FIELDS }; /* rho, u, theta at the last row; averages */
enum kn_status kn_monitor_move(void *of, bool in, int64_t first, int64_t count, void *rows);

#endif
