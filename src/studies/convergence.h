/* For knudsen reproduce verification: how fast results come near their limits as grids, steps and samples
 * are refined, each measured. */
#ifndef KN_CONVERGENCE_H
#define KN_CONVERGENCE_H

#include "studies/reproduce.h"

enum { KN_CONVERGENCE_POINTS = 8, KN_CONVERGENCE_CURVES = 4, KN_CONVERGENCE_STUDIES = 4 };

/* A quantity on ever finer grids. */
struct kn_curve {
    const char *name;
    double expected; /* slope of theory; NaN where theory has none */
    int n;
    double x[KN_CONVERGENCE_POINTS];     /* width, step, nodes or samples */
    double value[KN_CONVERGENCE_POINTS]; /* the quantity */
    double error[KN_CONVERGENCE_POINTS]; /* of it */
    double slope;                        /* of log error over log x; NaN: not asked for */
};

/* What is refined, and what is looked at. */
struct kn_study {
    const char *name; /* of its files */
    const char *title, *x, *y;
    const char *text; /* what was run, and what is to be seen */
    int ncurves;
    struct kn_curve curve[KN_CONVERGENCE_CURVES];
};

/* The studies, in the order in which they are shown; on a GPU velocity grids go further. */
extern enum kn_status (*const kn_convergence_studies[KN_CONVERGENCE_STUDIES])(struct kn_study *s,
                                                                              const struct kn_reproduce *job);

#endif
