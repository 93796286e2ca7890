/* From the command line to what is drawn: times, places and quantities, checked against the runs. */
#ifndef KN_PLOT_CHOOSE_H
#define KN_PLOT_CHOOSE_H

#include "plot/plot_panels.h"

struct kn_plot_choice {
    enum kn_plot_kind kind; /* KN_PLOT_SHEET: what suits */
    struct kn_plot_cut cut;
    int nfields;
    const struct kn_plot_quantity *fields[KN_PLOT_PANELS]; /* asked for by name; none: what suits */
    int ncolumns;
    char columns[KN_PLOT_PANELS][64]; /* of history.csv */
};

/* Read the options; errors name what is allowed. */
enum kn_status kn_plot_choose(struct kn_plot_choice *c, const struct kn_plot_options *o,
                              const struct kn_plot_run *runs);

/* The states that are drawn: times of one run, or one of each of several.  They are allocated one by one; on
 * failure those that were read are left in the scene. */
enum kn_status kn_plot_choose_states(struct kn_plot_scene *s, const struct kn_plot_choice *c,
                                     const struct kn_plot_options *o);

#endif
