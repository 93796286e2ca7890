/* A run that is kept in memory: what measures (measure.h) are taken from. */
#ifndef KN_RECORD_H
#define KN_RECORD_H

#include "monitor/monitor.h"
#include "collision/operator.h"

enum {
    KN_RECORD_PARTS = 8, /* of the time over which a noisy run is averaged */
    KN_RECORD_WAVES = KN_THETA + 1,
};

struct kn_record {
    struct kn_case c; /* as it was run */
    char backend[16];
    double seconds;    /* that it took, making the simulation included */
    const char *doing; /* while it is made, what the listener hears of; "" = the run itself */

    /* history: the columns of the monitor at every report; beyond them `fourth` of a uniform gas, the excess
     * of <v^4> over that of its equilibrium, over that of Phi0 and eps, and `front`, its place in lambda0 */
    double step; /* of time: what passes through walls is that of the step before a row, half of it earlier */
    int ncolumns;
    struct kn_column *columns; /* [ncolumns] */
    int64_t rows;
    double *history; /* [rows][ncolumns] */
    double *waves; /* [rows][KN_RECORD_WAVES] rho, u, theta projected on the initial wave; NULL without one */
    bool averaged; /* from output.average on; then: */
    double *mean;  /* [ncolumns] */
    double *error; /* [ncolumns] statistical, of the mean; NaN where it is not known */

    /* the gas at the end, or on average; a front (front.h) in the middle of the box */
    int cells[3];
    int64_t ncells;
    double *edges[3];              /* [cells[d] + 1], lambda0 */
    double *fields;                /* [ncells][KN_FIELDS] */
    double *before;                /* the same at a time between 9/16 and 3/4 of the end; NULL for averages */
    int parts;                     /* averages of consecutive parts of the time, where they are noisy */
    double *part[KN_RECORD_PARTS]; /* [parts] each as `fields` */

    /* where a wall swings: fields as a + b cos(w t) + c sin(w t), fitted from output.average on, else to
     * the last period; and so again with everything a quarter of that time earlier */
    double frequency; /* V0 / lambda0; 0: nothing swings */
    double window[2]; /* when the fit begins and ends */
    double *swing[2]; /* [ncells][KN_FIELDS][2] cosine and sine */
};

/* Run a case to its end without a file.  The listener hears how much is done, of an operator that
 * is assembled and then of the run, each from 0 to 1; NULL: nobody does.  One who wants no more
 * ends it with KN_EINTERRUPTED.  After a failure nothing is left to destroy. */
enum kn_status kn_record_make(struct kn_record *r, const struct kn_case *c,
                              const struct kn_listener *listener);
void kn_record_destroy(struct kn_record *r);

/* The column of that name; -1: there is none. */
int kn_record_column(const struct kn_record *r, const char *name);

/* The middle of a cell along an axis, lambda0. */
double kn_record_centre(const struct kn_record *r, int axis, int64_t cell);

#endif
