/* The datasets of a checkpoint: HDF5 checks its own structures, these files what stands in them. */
#ifndef KN_IO_CHECKPOINT_CELLS_H
#define KN_IO_CHECKPOINT_CELLS_H

#include "io/checkpoint.h"
#include "io/store.h"

/* The datasets that have a row for each cell, and room for some rows of each. */
struct kn_checkpoint_cells {
    const struct kn_checkpoint *k;
    uint64_t header; /* the sum of all that is not in cells */
    int64_t line;    /* cells of the whole space along x */
    int64_t most;    /* cells that there is room for */
    hid_t h_set, watched_set, sums_set;
    float *h;        /* [most][nnodes] */
    double *watched; /* [most][nwatched] */
    uint64_t *sums;  /* [most] */
};

/* Datasets [rows][columns], or [rows] of one column.  One is opened only if it has the shape. */
hid_t kn_checkpoint_create_set(struct kn_store *s, const char *name, hid_t type, int64_t rows,
                               int64_t columns);
hid_t kn_checkpoint_open_set(hid_t file, const char *name, int64_t rows, int64_t columns);

double kn_checkpoint_cell_bytes(const struct kn_checkpoint *k);

/* In a new file, where kn_store.status tells of a failure, and in one that was found. */
void kn_checkpoint_create_cells(struct kn_checkpoint_cells *c, struct kn_store *s);
enum kn_status kn_checkpoint_open_cells(struct kn_checkpoint_cells *c, hid_t file);
bool kn_checkpoint_close_cells(struct kn_checkpoint_cells *c); /* false: what was written may be lost */

/* Rank 0 writes the cells of all, or every rank its own. */
void kn_checkpoint_write_all(const struct kn_checkpoint_cells *c, struct kn_store *s,
                             const struct kn_checkpoint_source *of);
void kn_checkpoint_write_own(const struct kn_checkpoint_cells *c, struct kn_store *s,
                             const struct kn_checkpoint_source *of);

/* Rank 0 brings all cells to their ranks, or only checks them where `to` is NULL. */
enum kn_status kn_checkpoint_read_all(const struct kn_checkpoint_cells *c,
                                      const struct kn_checkpoint_source *to);

enum kn_status kn_checkpoint_is_damaged(const struct kn_checkpoint *k, const char *reason);

#endif
