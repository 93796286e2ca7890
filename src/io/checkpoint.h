/* checkpoint-a.h5 and checkpoint-b.h5: two slots, so that one is always whole. */
#ifndef KN_IO_CHECKPOINT_H
#define KN_IO_CHECKPOINT_H

#include "knudsen.h"

struct kn_checkpoint {
    uint64_t fingerprint; /* kn_config_fingerprint of the case */
    int64_t step;
    double time;
    double time_step;
    double ahead;    /* collision time already applied beyond `time` (Strang) */
    uint64_t draws;  /* collision sets drawn so far */
    int64_t samples; /* in a set; what collision.samples: auto has come to */
    int64_t ncells, nnodes;
    int64_t nmonitor;
    double *monitor; /* [nmonitor], owned by the caller of write, freed by kn_checkpoint_free after find */
    char path[4096]; /* the slot it was found in */
};

/* Moves rows first..first+count-1 of h[ncells][nnodes]. */
typedef enum kn_status kn_checkpoint_rows(void *of, int64_t first, int64_t count, float *rows);

/* Write into the slot that is older or absent; temporary, fsync, rename. */
enum kn_status kn_checkpoint_write(const char *folder, const struct kn_checkpoint *k, kn_checkpoint_rows *get,
                                   void *of);

/* Find the newest whole checkpoint.  A damaged slot is skipped, and `note`
 * (size KN_PATH + 256) then says so; it is empty otherwise. KN_EIO when none
 * can be read, KN_EINPUT when it belongs to another case (fingerprint). */
enum kn_status kn_checkpoint_find(const char *folder, uint64_t fingerprint, struct kn_checkpoint *k,
                                  char *note);

/* Read the rows of a found checkpoint. */
enum kn_status kn_checkpoint_load(const struct kn_checkpoint *k, kn_checkpoint_rows *put, void *of);
void kn_checkpoint_free(struct kn_checkpoint *k);

/* Remove both slots (a fresh run begins). */
enum kn_status kn_checkpoint_clear(const char *folder);

#endif
