/* `knudsen plot`: pictures of runs, drawn by gnuplot or on the terminal. */
#ifndef KN_PLOT_H
#define KN_PLOT_H

#include "knudsen.h"

enum kn_plot_kind { KN_PLOT_SHEET, KN_PLOT_MAP, KN_PLOT_PROFILE, KN_PLOT_HISTORY };
enum kn_plot_which { KN_PLOT_WHICH_SUITS, KN_PLOT_WHICH_MEAN, KN_PLOT_WHICH_LAST };
enum kn_plot_flow { KN_PLOT_FLOW_SUITS, KN_PLOT_FLOW_LINES, KN_PLOT_FLOW_ARROWS, KN_PLOT_FLOW_NONE };

struct kn_plot_options {
    const char **folders; /* [nfolders] of results */
    int nfolders;
    const char *output;      /* .png, .svg, .pdf or .eps; NULL: picture.png in the first folder */
    double width;            /* m, on paper; 0: what suits the screen */
    const char **quantities; /* [nquantities] names, also several with commas; none: what suits */
    int nquantities;
    enum kn_plot_kind kind;
    const char *time;    /* NULL: the last */
    const char **slices; /* [nslices] "z=0.5" */
    int nslices;
    enum kn_plot_which which;
    enum kn_plot_flow flow;
    const char **references; /* [nreferences] files */
    int nreferences;
    bool terminal, dimensionless, keep;
};

/* Draw and say what was drawn on stdout. */
enum kn_status kn_plot(const struct kn_plot_options *o);

#endif
