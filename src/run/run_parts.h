/* The data of a run, for the files that begin it (run_begin.c), save it (run_state.c) and run it (run.c). */
#ifndef KN_RUN_PARTS_H
#define KN_RUN_PARTS_H

#include "grid/duration.h"
#include "io/checkpoint.h"
#include "io/fields.h"
#include "io/folder.h"
#include "io/history.h"
#include "io/provenance.h"
#include "io/share.h"
#include "monitor/monitor.h"
#include "monitor/oscillation.h"
#include "monitor/verdict.h"
#include "run/background.h"
#include "run/progress.h"
#include "sim.h"
#include "steady/mode.h"
#include "steady/steady.h"
#include "validity/validity.h"

enum { KN_RUN_MESSAGE = 1024 };

/* Outcomes that --resume continues. */
#define KN_RUN_INTERRUPTED "interrupted"
#define KN_RUN_WALLTIME    "walltime"

/* Tables that rank 0 may request from the others. */
enum kn_run_table { KN_RUN_ROWS, KN_RUN_WATCHED, KN_RUN_IMAGINARY, KN_RUN_IGNORED, KN_RUN_TABLES };

/* The purpose of an observation, and results of its evaluation. */
struct kn_run_view {
    bool open;        /* it is not evaluated yet */
    bool row, series; /* it is for a row of the history, for a file of the series */
    double left;      /* steps until the run is steady; NaN: not known */
    double files_s;   /* s spent on files */
};

/* Every rank has one, which differs in its cells only; rank 0 writes files and messages. */
struct kn_run_parts {
    struct kn_case c;
    const struct kn_comm *comm;
    struct kn_run_options options;
    struct kn_plan_size plan;
    double memory_available; /* bytes before the simulation was made, on the device if it has its own */
    char folder[KN_PATH];    /* folder of the files: options.folder, or the one in it that will replace it */
    const char *home;        /* the folder that the user gave */
    struct kn_folder_identity identity; /* of `folder`, rank 0 */
    uint64_t fingerprint;               /* of the case as it was given */
    bool chosen;                        /* collision.samples was auto */
    char mode[KN_MODE_REASON];          /* choice of time.mode: auto and its reason, or empty */
    struct kn_sim *sim;
    struct kn_steady *steady; /* NULL: steps in time */
    double solver_s;          /* s for its preparation */
    float *start;           /* [ncells][nodes] imaginary part of an oscillation that is continued; or NULL */
    double *amplitude;      /* [ncells][KN_FIELDS] of an oscillation at its end; NULL in other modes */
    double *phase;          /* [ncells][KN_FIELDS] radian */
    const double *surfaces; /* kn_fluxes.local for the last files; NULL before */
    struct kn_fluxes_result imaginary; /* fluxes of an oscillation, with `seen` as the real part */
    struct kn_monitor monitor;
    struct kn_validity validity;
    struct kn_validity_gas gas;
    int lock;                   /* of the folder, by rank 0; -1: none */
    struct kn_history *history; /* rank 0 */
    struct kn_progress progress;
    struct kn_provenance provenance;
    struct kn_share_table tables[KN_RUN_TABLES];
    struct kn_share share;
    struct kn_observation seen;      /* the latest observation */
    struct kn_run_view view;         /* what it is for */
    struct kn_background background; /* evaluates observations of a single rank with a detached device */
    struct kn_row row;               /* the latest row, for messages */
    double *state;                   /* [kn_run_state_size], buffer for checkpoints */
    int64_t first, last;             /* steps at which this process begins and the run ends */
    const char *at_last;             /* the outcome at step `last` */
    bool row_due, series_due;        /* observations after the next step */
    const char *outcome;             /* reason for the end of the loop */
    int64_t steps;                   /* step and time at the end of the loop */
    double time;
    int64_t poll_at; /* the step at which the ranks poll requests next */
    double started;  /* s, omp_get_wtime; of this process */
    double loop_started, loop_s;
    double stepping_s, loop_output_s; /* s of the loop in steps, and on files */
    double checkpointed;              /* clock of the last checkpoint */
    struct kn_oscillation_fit oscillation;
    struct kn_verdict verdict;                       /* rank 0, at the end */
    double observe_s, output_s, assemble_s, pilot_s; /* s spent on observations, files, preparations */
    double prepared;                                 /* clock of the latest progress of a preparation */
};

/* Does this rank write files and messages? */
static inline bool kn_run_is_first(const struct kn_run_parts *r)
{
    return r->comm->rank == 0;
}

/* Is an earlier run still in the folder, to be replaced at the end? */
static inline bool kn_run_replaces(const struct kn_run_parts *r)
{
    return r->options.folder != r->home;
}

/* run_begin.c: all work before the first step, of a new or a resumed run. */
enum kn_status kn_run_begin(struct kn_run_parts *r);
bool kn_run_is_over(const struct kn_run_parts *r, double now); /* run.walltime */

/* run_observe.c: observe the gas after a step, for a row of the history, for a file of the series, or both;
 * complete the evaluation of the latest observation; write fields.h5 with it.  All ranks. */
enum kn_status kn_run_observe(struct kn_run_parts *r, bool row, bool series);
enum kn_status kn_run_settle(struct kn_run_parts *r);
enum kn_status kn_run_observe_end(struct kn_run_parts *r); /* fields and fluxes for the last files */
enum kn_status kn_run_write_fields(struct kn_run_parts *r, bool unfinished);

/* run_state.c: number of doubles of monitor and checks in a checkpoint. */
int64_t kn_run_state_size(const struct kn_run_parts *r);

/* Write a checkpoint; find the newest one; restore the run from it.  All ranks. */
enum kn_status kn_run_save(struct kn_run_parts *r);
enum kn_status kn_run_find(const struct kn_run_parts *r, struct kn_checkpoint *k,
                           char *note); /* [KN_CHECKPOINT_NOTE] */
enum kn_status kn_run_load(struct kn_run_parts *r, const struct kn_checkpoint *k);

/* run_from.c: take the gas of initial.from.  All ranks. */
enum kn_status kn_run_from(struct kn_run_parts *r);

/* Move rows of h; KN_ENUMERIC if one is not finite.  A kn_share_move of a run. */
enum kn_status kn_run_move_rows(void *of, bool in, int64_t first, int64_t count, void *rows);

/* Move rows of the imaginary part: from the solver, or into `start` if there is one.  A kn_share_move. */
enum kn_status kn_run_move_imaginary(void *of, bool in, int64_t first, int64_t count, void *rows);

/* Memory for the imaginary part of a checkpoint that a run with oscillations continues. */
enum kn_status kn_run_make_start(struct kn_run_parts *r, const struct kn_checkpoint *k);

/* Add the last checkpoint to the message of a numerical failure.  Rank 0. */
enum kn_status kn_run_name_last(const struct kn_run_parts *r);

/* Record signals instead of their default effect, until they are released. */
void kn_signals_catch(void);
void kn_signals_release(void);

bool kn_signals_stop(void); /* was SIGINT, SIGTERM or SIGHUP received? */
bool kn_signals_save(void); /* was SIGUSR1 received since the last call? */

/* Progress of each pilot and of the assembly of its operator, from 0 to 1. */
struct kn_pilot_progress {
    struct kn_progress_callback pilot, assembly;
};

/* kn_pilot_samples for a case that is checked; `progress` may be NULL.  KN_EINTERRUPTED: a callback has
 * stopped it. */
enum kn_status kn_pilot_samples_with_progress(struct kn_case *c, const struct kn_pilot_progress *progress);

#endif
