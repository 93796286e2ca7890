/* The datasets of a checkpoint with one row per cell, each row with a checksum. */
#ifndef KN_IO_CHECKPOINT_CELLS_H
#define KN_IO_CHECKPOINT_CELLS_H

#include "io/checkpoint.h"
#include "io/store.h"

/* The dataset of the imaginary part of h. */
#define KN_CHECKPOINT_IMAGINARY "imaginary"

/* A dataset [rows][columns], or [rows] if there is one column; negative if it has another shape. */
hid_t kn_checkpoint_open_set(hid_t file, const char *name, int64_t rows, int64_t columns);

double kn_checkpoint_cell_bytes(const struct kn_checkpoint *k);

/* Write the datasets: rank 0 the cells of all ranks, or every rank its own if all write the file.  `header`
 * is the checksum of everything except the cells.  Failures are in s->status. */
void kn_checkpoint_write_cells(const struct kn_checkpoint *k, uint64_t header, struct kn_store *s,
                               const struct kn_checkpoint_source *of);

/* Rank 0 sends all cells to their ranks, or only checks them if `to` is NULL. */
enum kn_status kn_checkpoint_read_cells(const struct kn_checkpoint *k, uint64_t header, hid_t file,
                                        const struct kn_checkpoint_source *to);

enum kn_status kn_checkpoint_is_damaged(const struct kn_checkpoint *k, const char *reason);

#endif
