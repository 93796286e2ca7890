/* Published points beside a run: files of two layouts; docs/format.md. */
#ifndef KN_PLOT_REFERENCE_H
#define KN_PLOT_REFERENCE_H

#include "plot/plot_data.h"

struct kn_plot_reference {
    char source[64];
    char quantity[64]; /* a field, or a column of the history; "": what is drawn */
    bool in_history;
    bool placed[3];
    double at[3];  /* L, where placed; of a field */
    int along;     /* the axis of a file of points; -1: any */
    double time;   /* lambda0 / V0; NaN: that of the run, or a level of the history */
    bool is_share; /* the value is over that of the run at time 0 */
    double value;  /* in the units of the results */
    double error;  /* NaN: not given */
};

struct kn_plot_references {
    int n;
    struct kn_plot_reference *point; /* [n] */
};

/* Add what a file says about any of the runs. */
enum kn_status kn_plot_reference_read(struct kn_plot_references *all, const char *path,
                                      const struct kn_plot_run *runs, int nruns);
void kn_plot_reference_destroy(struct kn_plot_references *all);

#endif
