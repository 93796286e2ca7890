/* The checkpoints checkpoint-a.h5 and checkpoint-b.h5: two slots, of which one is always complete. */
#ifndef KN_IO_CHECKPOINT_H
#define KN_IO_CHECKPOINT_H

#include "io/history.h"
#include "io/share.h"
#include "knudsen.h"
#include "sim.h"

struct kn_checkpoint {
    uint64_t fingerprint; /* kn_config_fingerprint of the case */
    struct kn_sim_state state;
    int64_t nimaginary; /* nodes of the imaginary part of h, of an oscillation; 0: h is real */
    int64_t nwatched;   /* numbers that the monitor keeps per cell */
    int64_t nmonitor;
    struct kn_history_sums history; /* of the rows of history.csv up to this step */
    double *monitor; /* [nmonitor], owned by the caller of write, freed by kn_checkpoint_free after find */
    char path[4096]; /* the slot of a found checkpoint */
};

/* The data of cells: indices of two tables of `share`. */
struct kn_checkpoint_source {
    const struct kn_share *share;
    int h;         /* rows of nnodes floats */
    int watched;   /* rows of nwatched doubles; not used if nwatched is 0 */
    int imaginary; /* rows of nimaginary floats; likewise */
};

/* Write into the older or missing slot: temporary file, fsync, rename.  If a row cannot be read on any rank,
 * both slots remain unchanged.  The monitor is that of rank 0; the rest of `k` is the same on all ranks. */
enum kn_status kn_checkpoint_write(const char *folder, const struct kn_checkpoint *k,
                                   const struct kn_checkpoint_source *source);

/* Find the newest complete checkpoint.  A damaged slot is skipped and reported in note[KN_CHECKPOINT_NOTE],
 * which is empty otherwise.  KN_EIO: none can be read; KN_EINPUT: it belongs to another case (fingerprint).
 */
enum { KN_CHECKPOINT_NOTE = 4096 + 256 };
enum kn_status kn_checkpoint_find(const struct kn_comm *comm, const char *folder, uint64_t fingerprint,
                                  struct kn_checkpoint *k, char *note);

/* Distribute the cells of a found checkpoint to the ranks; their number may differ from that of the writer.
 */
enum kn_status kn_checkpoint_load(const struct kn_checkpoint *k, const struct kn_checkpoint_source *to);

void kn_checkpoint_free(struct kn_checkpoint *k);

/* True if there is a checkpoint of this case.  Its cells are not checked. */
bool kn_checkpoint_is_there(const char *folder, uint64_t fingerprint);

#endif
