/* What `knudsen reproduce paper` has found, between the runs (reproduce_paper.c) and what is made of
 * them: table 1 (paper_table.c), figures 1 to 3 (paper_figures.c), figures 4 to 6 (paper_speed.c). */
#ifndef KN_PAPER_H
#define KN_PAPER_H

#include "bench/bench.h"
#include "studies/reproduce.h"

enum { KN_PAPER_CASES = 3, KN_PAPER_GRIDS = 4, KN_PAPER_ORDERS = 2, KN_PAPER_MIDLINE = 12 };

/* What is measured in a run.  The paper's D is the stress in the cells at the lid, half a cell below it;
 * that of the other results of this program is what passes through the lid. */
enum kn_paper_quantity { KN_PAPER_CELLS, KN_PAPER_WALL, KN_PAPER_FLOW, KN_PAPER_QUANTITIES };

/* One of the three flows: how the paper computes it, what it finds, and what others find. */
struct kn_paper_case {
    const char *delta;
    int side; /* cells along a side of the stretched grid */
    double stretch[2];
    int nodes; /* along an axis of velocity space */
    double ratio;
    int samples;
    double drag, drag_limit, flow, flow_limit; /* of the paper: on the stretched grid, extrapolated */
    const char *bgk_drag, *bgk_flow;  /* Varoutis, Valougeorgis, Sharipov 2008, as the paper quotes */
    double exact_drag, exact_flow;    /* independent computation, unpublished */
    double midline[KN_PAPER_MIDLINE]; /* the same: u_x / u_w on the vertical midline */
};
extern const struct kn_paper_case kn_paper_cases[KN_PAPER_CASES];
extern const double kn_paper_midline[KN_PAPER_MIDLINE]; /* where: y / L */

struct kn_paper_point {
    int side;
    double value[KN_PAPER_QUANTITIES];
    double error[KN_PAPER_QUANTITIES]; /* statistical, one standard error */
    double seconds;
};

/* Uniform grids of one case and order, from coarse to fine. */
struct kn_paper_study {
    int grids;
    struct kn_paper_point point[KN_PAPER_GRIDS];
    double limit[KN_PAPER_QUANTITIES];  /* as the cells become small */
    double slope[KN_PAPER_QUANTITIES];  /* of the relative error, over the size of the cells in L, */
    double factor[KN_PAPER_QUANTITIES]; /* which is about factor h^slope */
    double order[KN_PAPER_QUANTITIES];  /* of the finest three grids, no limit assumed */
};

struct kn_paper {
    bool reduced; /* coarser grids than the paper's, for want of a GPU */
    char machine[64];
    struct kn_paper_study study[KN_PAPER_CASES][KN_PAPER_ORDERS];
    struct kn_paper_point stretched[KN_PAPER_CASES];
    struct kn_record run[KN_PAPER_CASES];      /* on the stretched grid */
    struct kn_record second[KN_PAPER_CASES];   /* on the finest uniform grid, second order */
    struct kn_record operated[KN_PAPER_CASES]; /* second order by the operator, no noise; delta 1 and 10 */
    struct kn_bench_table speed;
};

/* The relative error of a point of a study. */
double kn_paper_error(const struct kn_paper_study *s, int point, enum kn_paper_quantity q);

/* table1.txt, also on the screen, and table1.csv. */
enum kn_status kn_paper_table(const struct kn_reproduce *job, const struct kn_paper *p);
void kn_paper_table_markdown(FILE *to, const struct kn_paper *p);

/* fig1 to fig3. */
enum kn_status kn_paper_figures(struct kn_reproduce *job, const struct kn_paper *p);

/* fig4 to fig6, from the table of bench. */
enum kn_status kn_paper_speed(struct kn_reproduce *job, const struct kn_paper *p);

#endif
