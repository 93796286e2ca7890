/* checkpoint-a.h5 and checkpoint-b.h5: two slots, so that one is always whole; docs/format.md. */
#ifndef KN_IO_CHECKPOINT_H
#define KN_IO_CHECKPOINT_H

#include "io/history.h"
#include "io/share.h"
#include "knudsen.h"

struct kn_checkpoint {
    uint64_t fingerprint; /* kn_config_fingerprint of the case */
    int64_t step;
    double time;
    double time_step;
    double ahead;           /* collision time already applied beyond `time` (Strang) */
    uint64_t draws;         /* collision sets drawn so far */
    int64_t samples;        /* in a set; what collision.samples: auto has come to */
    int64_t ncells, nnodes; /* cells of all ranks */
    int64_t nwatched;       /* numbers that the monitor keeps of a cell */
    int64_t nmonitor;
    struct kn_history_sums history; /* of the rows of history.csv up to this step */
    double *monitor; /* [nmonitor], owned by the caller of write, freed by kn_checkpoint_free after find */
    char path[4096]; /* the slot it was found in */
};

/* Where the data of cells are: the numbers of two tables of `share`. */
struct kn_checkpoint_source {
    const struct kn_share *share;
    int h;       /* rows of nnodes floats */
    int watched; /* rows of nwatched doubles; not looked at where nwatched is 0 */
};

/* ---- All ranks call these; they succeed or fail together. */

/* Write into the slot that is older or absent; temporary, fsync, rename.  Where a row cannot be moved,
 * on whichever rank, the slots stay as they are.  The monitor is that of rank 0; the rest of `k` is alike on
 * all. */
enum kn_status kn_checkpoint_write(const char *folder, const struct kn_checkpoint *k,
                                   const struct kn_checkpoint_source *source);

/* Find the newest whole checkpoint.  A damaged slot is skipped, and `note`
 * (size KN_CHECKPOINT_NOTE) then says so; it is empty otherwise. KN_EIO when none
 * can be read, KN_EINPUT when it belongs to another case (fingerprint). */
enum { KN_CHECKPOINT_NOTE = 4096 + 256 };
enum kn_status kn_checkpoint_find(const struct kn_comm *comm, const char *folder, uint64_t fingerprint,
                                  struct kn_checkpoint *k, char *note);

/* Bring the cells of a found checkpoint to their ranks, which need not be those that wrote it. */
enum kn_status kn_checkpoint_load(const struct kn_checkpoint *k, const struct kn_checkpoint_source *to);

/* ---- Each by itself. */

void kn_checkpoint_free(struct kn_checkpoint *k);

/* Is there a checkpoint of this case?  Its cells are not checked. */
bool kn_checkpoint_is_there(const char *folder, uint64_t fingerprint);

#endif
