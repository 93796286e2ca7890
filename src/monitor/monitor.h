/* What is watched during a run: conserved sums, residual, D and G, averages. */
#ifndef KN_MONITOR_H
#define KN_MONITOR_H

#include "comm/comm.h"
#include "config/units.h"
#include "grid/space.h"
#include "monitor/batches.h"
#include "monitor/trend.h"

/* The numbers of one history row.  Every member is a double so that rows can
 * be averaged, stored and printed by the one table in struct kn_monitor. */
struct kn_row {
    double step;
    double time;                /* lambda0 / V0 */
    double residual;            /* relative change of rho, u, theta per unit time; NaN in the first row */
    double mass;                /* integral of rho, n0 lambda0^3 eps */
    double momentum[3];         /* integral of <v h> */
    double energy;              /* integral of <v^2 h> */
    double mass_drift;          /* (mass - initial mass) / integral of |rho|; 0 where no mass moves */
    double momentum_drift;      /* length of the change of momentum since the first row */
    double energy_drift;        /* change of energy since the first row */
    double drag;                /* D; NaN where the case is no cavity */
    double vortex_flow;         /* G; NaN where the case is no cavity */
    double flow_force;          /* G_P, flow rate of a body force; NaN without one */
    double flow_thermal;        /* G_T, flow rate of thermal creep; NaN without one */
    double stress[KN_SIDES][3]; /* struct kn_wall_flux; NaN where there is no wall */
    double heat_flux[KN_SIDES];
    double mass_flux[KN_SIDES];
    double average[KN_FIELDS]; /* volume average of each field */
    double excess[2];          /* kn_sim_excess of a uniform gas */
    double wave[5];            /* parts of rho, u, theta in the initial wave; 0 without one */
    double size;               /* root of the mean square of rho, u and theta; no column */
};

struct kn_column {
    const char *name; /* as in history.csv and summary.json */
    const char *unit;
    size_t offset;               /* in struct kn_row */
    enum kn_dimension dimension; /* of its values in SI; KN_DIMENSION_NONE: it stays as it is */
};

/* The columns a case has: those that are NaN by definition are left out. */
struct kn_monitor {
    const struct kn_case *c;
    const struct kn_space *space;
    const struct kn_comm *comm;
    bool closed; /* the mass of the gas stays the same */
    int ncolumns;
    struct kn_column *columns; /* [ncolumns] */
    int64_t rows;              /* taken so far */
    double *previous;          /* [ncells][5] rho, u, theta at the last row */
    double previous_time;
    double previous_residual;   /* of the row before the latest; a stop needs two in a row */
    double initial[5];          /* mass, momentum, energy of the first row */
    double window;              /* time from which on rows are averaged; below 0: never */
    int64_t averaged;           /* rows in the averages; the row of step 0 is in none */
    double *mean, *square;      /* [ncolumns] running mean, sum of squared deviations (Welford) */
    struct kn_batches *batches; /* [ncolumns] of the averaged rows; NULL where nothing is noisy */
    int first_judged,
        judged;              /* columns by which the flow is judged: those that are reported, else averages */
    struct kn_trend *trends; /* [judged + 1]; the last is that of row.size */
    double least_time;       /* before which nothing is called steady, lambda0 / V0 */
    double settled_time;     /* at which the initial transient should be over, lambda0 / V0 */
    double *mean_fields;     /* [ncells][KN_FIELDS] */
    double *wave;            /* [ncells] of the initial state; NULL without one */
    int64_t *midline; /* [whole[1]][KN_MIDLINE_CELLS] for kn_midline_flow; NULL where that is not asked for */
    double excess[2]; /* of the next row; set by the caller where the gas is uniform */
    struct kn_row row; /* the latest row */
};

/* Every rank watches its own cells: `space` is its box, and fields are those of the cells in it.  What comes
 * out, rows and failures, is the same on all of them, and the same bits for any number of them.  The case,
 * the space and the ranks are kept by reference, not copied. */
enum kn_status kn_monitor_create(struct kn_monitor *m, const struct kn_case *c, const struct kn_space *space,
                                 const struct kn_comm *comm);
void kn_monitor_destroy(struct kn_monitor *m);

/* ---- All ranks call these two. */

/* Look for a value that is not finite; KN_ENUMERIC, and the message names the first. */
enum kn_status kn_monitor_check(const struct kn_monitor *m, int64_t step, double time, const double *fields);

/* Take in the state of one report step: fills m->row, updates the averages.
 * A non-finite value is KN_ENUMERIC as above, and then nothing is changed. */
enum kn_status kn_monitor_take(struct kn_monitor *m, int64_t step, double time, const double *fields,
                               const struct kn_wall_flux *walls);

/* ---- Any rank. */

/* One cell on one rank: the history has columns for kn_sim_excess. */
bool kn_monitor_is_uniform(const struct kn_monitor *m);

/* The time from which a case is averaged; negative where it is not. */
double kn_monitor_window(const struct kn_case *c);

/* Standard error of the average of a column; NaN where the method has no noise
 * or the rows are too few. */
double kn_monitor_error(const struct kn_monitor *m, int column);

/* The column that stands for the flow: D, else G_P, else G_T, else the largest
 * stress or heat flux at a wall; -1 where all that is zero. */
int kn_monitor_headline(const struct kn_monitor *m);

/* Its average, or its latest value where there is none. */
double kn_monitor_value(const struct kn_monitor *m, int column);

/* Its value in the latest row. */
double kn_monitor_column(const struct kn_monitor *m, int column);

/* Unit and dimension of a column, by its name; those of a pure number where no case has it. */
const char *kn_monitor_unit(const char *name);
enum kn_dimension kn_monitor_dimension(const char *name);

/* What a restart needs beside the data of cells, as one array of doubles: the same on all ranks. */
int64_t kn_monitor_state_size(const struct kn_monitor *m);
void kn_monitor_save(const struct kn_monitor *m, double *state);

/* KN_EINPUT when the state is that of another case, KN_EIO when it is damaged.  Averages that began at
 * another time than this case asks for are begun anew. */
enum kn_status kn_monitor_restore(struct kn_monitor *m, const double *state, int64_t size);

/* What it needs of cells first..first+count-1 of the box, [count][KN_MONITOR_CELL] doubles: out of `of`, a
 * struct kn_monitor, or into it, after kn_monitor_restore.  A kn_share_move. */
enum { KN_MONITOR_CELL = 5 + KN_FIELDS }; /* rho, u, theta at the last row; averages */
enum kn_status kn_monitor_move(void *of, bool in, int64_t first, int64_t count, void *rows);

#endif
