/* A run and its parts: how it begins (run_begin.c), what can be taken up again (run_state.c), the loop
 * and the end (run.c). */
#ifndef KN_RUN_PARTS_H
#define KN_RUN_PARTS_H

#include "io/fields.h"
#include "io/folder.h"
#include "io/history.h"
#include "monitor/monitor.h"
#include "run/progress.h"
#include "io/provenance.h"
#include "io/share.h"
#include "sim.h"
#include "monitor/swing.h"
#include "validity/validity.h"
#include "monitor/verdict.h"

enum { KN_RUN_MESSAGE = 1024 };

/* Outcomes after which --resume goes on. */
#define KN_RUN_INTERRUPTED "interrupted"
#define KN_RUN_WALLTIME    "walltime"

/* What rank 0 may ask the others for. */
enum kn_run_table { KN_RUN_ROWS, KN_RUN_WATCHED, KN_RUN_TABLES };

/* Every rank has one, the same but for its cells; files and words are those of rank 0. */
struct kn_run_parts {
    struct kn_case c;
    const struct kn_comm *comm;
    struct kn_run_options options;
    struct kn_plan_size plan;
    double memory_available; /* bytes, before the simulation took its part; on the device, where it has its
                                own */
    char folder[KN_PATH];    /* where files are written: options.folder, or the one in it that replaces it */
    const char *home;        /* the folder that the user named */
    struct kn_folder_identity identity; /* of `folder`, rank 0 */
    uint64_t fingerprint;               /* of the case as it was given */
    bool chosen;                        /* collision.samples was auto */
    struct kn_sim *sim;
    struct kn_monitor monitor;
    struct kn_validity validity; /* what the checks have found */
    struct kn_validity_gas gas;  /* what was seen of the gas for them */
    int lock;                    /* of the folder, by rank 0; -1: none */
    struct kn_history *history;  /* rank 0 */
    struct kn_progress progress;
    struct kn_provenance provenance;
    struct kn_share_table tables[KN_RUN_TABLES];
    struct kn_share share;
    double *fields;      /* [ncells][KN_FIELDS] of this rank, of the latest look */
    double *state;       /* [kn_run_state_size], on its way into a checkpoint */
    int64_t first, last; /* steps at which this process begins and the run ends */
    const char *at_last; /* the outcome when `last` is reached */
    const char *outcome; /* why the loop ended, */
    int64_t steps;       /* and where */
    double time;
    int64_t attend_at; /* the step at which the ranks look up next */
    double started;    /* s, kn_progress_clock; of this process */
    double loop_started;
    double checkpointed; /* when the last checkpoint was written */
    struct kn_swing swing;
    struct kn_verdict verdict; /* rank 0, at the end */
    double look_s;             /* spent on looking at the gas, */
    double output_s;           /* on files, */
    double assemble_s;         /* on the operator, */
    double pilot_s;            /* on the choice of samples */
    double heard;              /* when either was last heard of */
};

/* Is this the rank that writes and talks? */
static inline bool kn_run_is_first(const struct kn_run_parts *r)
{
    return r->comm->rank == 0;
}

/* run_begin.c: everything up to the first step, of a run that is new or is taken up again. */
enum kn_status kn_run_begin(struct kn_run_parts *r);
bool kn_run_is_over(const struct kn_run_parts *r, double now); /* run.walltime */

/* Is an earlier run still in place, to be replaced at the end? */
static inline bool kn_run_replaces(const struct kn_run_parts *r)
{
    return r->options.folder != r->home;
}

/* run_state.c: doubles of monitor and checks that a checkpoint holds. */
int64_t kn_run_state_size(const struct kn_run_parts *r);

/* Write a checkpoint; find the newest and make the simulation for it; take it up.  All ranks. */
enum kn_status kn_run_save(struct kn_run_parts *r);
enum kn_status kn_run_find(const struct kn_run_parts *r, struct kn_checkpoint *k,
                           char *note); /* [KN_CHECKPOINT_NOTE] */
enum kn_status kn_run_load(struct kn_run_parts *r, const struct kn_checkpoint *k);

/* Rows of h that are all finite; of type kn_share_move, of a run. */
enum kn_status kn_run_move_rows(void *of, bool in, int64_t first, int64_t count, void *rows);

/* A time in the units of the case. */
const char *kn_run_time(const struct kn_run_parts *r, double time, char text[KN_UNITS_TEXT]);

/* Add to the message of a failure where the run can be taken up again.  Rank 0. */
enum kn_status kn_run_name_last(const struct kn_run_parts *r);

#endif
