/* What a folder of results holds, as far as pictures need it. */
#ifndef KN_PLOT_DATA_H
#define KN_PLOT_DATA_H

#include "io/fields.h"
#include "io/history.h"

/* A run; of its fields only what tells their shape. */
struct kn_plot_run {
    const char *folder;
    char label[128];               /* by which it is told from others; marked up as in plot_sheet.h */
    bool has_fields;               /* fields.h5 is there; else the next lines are empty */
    double time;                   /* lambda0 / V0 */
    double delta;                  /* L / lambda0 */
    struct kn_fields_grid grid;    /* edges in L */
    bool has_mean;                 /* averages over time are there */
    int times;                     /* in the series */
    double *series;                /* [times], lambda0 / V0, rising */
    char (*links)[KN_FIELDS_LINK]; /* [times] names of their groups */
    struct kn_scales scales;       /* known where its case was given in SI units */
    char species[KN_FIELDS_SPECIES];
    struct kn_history_table history; /* without columns where there is none */
    bool has_case;                   /* summary.json is there, and read */
    struct kn_case c;
    struct json_t *summary; /* or NULL */
};

/* Where a box is cut: axes that are fixed, and where. */
struct kn_plot_cut {
    bool fixed[3];
    double at[3]; /* L */
};

/* The gas at a time, in a plane where the box has three axes. */
struct kn_plot_gas {
    double time;        /* lambda0 / V0 */
    bool mean;          /* an average over time */
    int axes;           /* along which there is more than one cell: 0, 1 or 2 */
    int axis[2];        /* rising; which they are */
    int cells[2];       /* 1 along those that are not */
    double *edges[2];   /* [cells[k] + 1], L */
    double *centres[2]; /* [cells[k]] */
    int across;         /* the third axis, */
    bool cut;           /* along which a plane was cut out */
    double at;          /* there, L */
    bool fixed[2];      /* the cut fixes this axis too: a profile is wanted there only */
    double line[2];     /* L: where profiles along the other axis are taken */
    double *fields;     /* [cells[1]][cells[0]][KN_FIELDS] */
};

enum { KN_PLOT_LATEST = -1 };

/* Read all of a folder but the fields.  A folder without fields but with a history is one. */
enum kn_status kn_plot_data_open(struct kn_plot_run *r, const char *folder);
void kn_plot_data_close(struct kn_plot_run *r);

/* The fields at a time of the series (or KN_PLOT_LATEST), or their average. */
enum kn_status kn_plot_data_read(const struct kn_plot_run *r, int time, bool mean,
                                 const struct kn_plot_cut *cut, struct kn_plot_gas *g);
void kn_plot_data_free(struct kn_plot_gas *g);

#endif
