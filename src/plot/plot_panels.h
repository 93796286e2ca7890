/* Panels made of runs: profiles and histories; maps are in plot_map.h. */
#ifndef KN_PLOT_PANELS_H
#define KN_PLOT_PANELS_H

#include "plot/plot.h"
#include "plot/plot_quantity.h"
#include "plot/plot_reference.h"

/* A run at a time. */
struct kn_plot_state {
    const struct kn_plot_run *run;
    struct kn_plot_gas gas;
};

/* What all panels of a sheet are made of. */
struct kn_plot_scene {
    struct kn_plot_run *runs; /* [nruns] */
    int nruns;
    struct kn_plot_state *states; /* [nstates] one a run, or several times of one */
    int nstates;
    bool in_si;
    enum kn_plot_flow flow;
    struct kn_plot_references references;
    int shown; /* reference points in the panels so far */
};

/* Scales by which this run is drawn; NULL: dimensionless. */
const struct kn_scales *kn_plot_panels_si(const struct kn_plot_scene *s, const struct kn_plot_run *r);

/* Quantities [n] of one dimension along axis k of the gas, of all states where there is one quantity. */
enum kn_status kn_plot_panels_profile(struct kn_plot_sheet *sheet, struct kn_plot_scene *s,
                                      const struct kn_plot_quantity *const *q, int n, int k);

/* Columns [n] of the histories of all runs. */
enum kn_status kn_plot_panels_history(struct kn_plot_sheet *sheet, struct kn_plot_scene *s,
                                      const char *const *columns, int n);

/* Linear between rows of cells: a quantity of the gas along axis k, into value[cells[k]]. */
void kn_plot_panels_line(const struct kn_plot_gas *g, const struct kn_plot_quantity *q, int k, double *value);

#endif
