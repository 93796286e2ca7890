/* The datasets of a checkpoint with one row per cell, each row with a checksum. */
#ifndef KN_IO_CHECKPOINT_CELLS_H
#define KN_IO_CHECKPOINT_CELLS_H

#include "io/checkpoint.h"
#include "io/store.h"

/* The datasets, and buffers for some of their rows. */
struct kn_checkpoint_cells {
    const struct kn_checkpoint *k;
    uint64_t header; /* checksum of everything except the cells */
    int64_t line;    /* cells of the whole space along x */
    int64_t most;    /* cells that fit into the buffers */
    hid_t h_set, watched_set, sums_set;
    float *h;        /* [most][nnodes] */
    double *watched; /* [most][nwatched] */
    uint64_t *sums;  /* [most] */
};

/* Datasets [rows][columns], or [rows] if there is one column.  A dataset of another shape is not opened. */
hid_t kn_checkpoint_create_set(struct kn_store *s, const char *name, hid_t type, int64_t rows,
                               int64_t columns);
hid_t kn_checkpoint_open_set(hid_t file, const char *name, int64_t rows, int64_t columns);

double kn_checkpoint_cell_bytes(const struct kn_checkpoint *k);

/* In a new file, with failures in kn_store.status, or in an existing one. */
void kn_checkpoint_create_cells(struct kn_checkpoint_cells *c, struct kn_store *s);
enum kn_status kn_checkpoint_open_cells(struct kn_checkpoint_cells *c, hid_t file);
bool kn_checkpoint_close_cells(struct kn_checkpoint_cells *c); /* false: written data may be lost */

/* Rank 0 writes the cells of all ranks, or every rank its own. */
void kn_checkpoint_write_all(const struct kn_checkpoint_cells *c, struct kn_store *s,
                             const struct kn_checkpoint_source *of);
void kn_checkpoint_write_own(const struct kn_checkpoint_cells *c, struct kn_store *s,
                             const struct kn_checkpoint_source *of);

/* Rank 0 sends all cells to their ranks, or only checks them if `to` is NULL. */
enum kn_status kn_checkpoint_read_all(const struct kn_checkpoint_cells *c,
                                      const struct kn_checkpoint_source *to);

enum kn_status kn_checkpoint_is_damaged(const struct kn_checkpoint *k, const char *reason);

#endif
