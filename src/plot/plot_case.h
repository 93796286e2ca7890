/* summary.json of a run: the case it was, what came out, and how it differs from others. */
#ifndef KN_PLOT_CASE_H
#define KN_PLOT_CASE_H

#include "plot/plot_data.h"

/* Fill has_case, c and summary of a run; without the file, or with one of another version, it has none. */
enum kn_status kn_plot_case_read(struct kn_plot_run *r);

/* A number of its quantities, such as D; the latest of the history where there is no summary.  NaN: none. */
double kn_plot_case_number(const struct kn_plot_run *r, const char *name);

/* Label the runs by the key that tells them apart, else by their folders. */
void kn_plot_case_label(struct kn_plot_run *runs, int n);

#endif
