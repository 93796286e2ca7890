/* What a run tells its user: start-up box, live line, closing table; run.log. */
#ifndef KN_PROGRESS_H
#define KN_PROGRESS_H

#include "run/eta.h"
#include "io/summary.h"
#include "sim.h"
#include "config/units.h"

#include <stdio.h>

/* What may take long before a run begins. */
enum kn_prepare { KN_PREPARE_OPERATOR, KN_PREPARE_SAMPLES, KN_PREPARATIONS };

struct kn_progress {
    const struct kn_run_options *options;
    FILE *log;            /* run.log: the plain form of everything, whatever the report; NULL = none */
    int64_t first, last;  /* steps at which this process begins and the run ends */
    double end;           /* lambda0 / V0, at the last step */
    double second, hertz; /* by which times and rates are multiplied where they are shown */
    char time_unit[KN_UNITS_TEXT];           /* then; "" = lambda0 / V0 */
    double updates_per_step;                 /* phase-space cells */
    double started;                          /* s, monotonic clock */
    double next_live, next_plain, next_json; /* s after the start */
    double row_step;                         /* of the row that the estimate has seen last */
    struct kn_eta eta;
    bool shown;  /* a live line is on the screen */
    bool colour; /* may be used */
    bool ended;  /* its last word is spoken */

    enum kn_prepare preparing;       /* what was heard of last, */
    bool announced[KN_PREPARATIONS]; /* what at all, */
    double part, from;               /* how much of it is done, and was when it began, */
    double since;                    /* then, s on the clock */
};

/* Seconds of a clock that only goes forward. */
double kn_progress_clock(void);

/* The first call; nothing is said yet. */
void kn_progress_begin(struct kn_progress *p, const struct kn_run_options *options);

/* Open folder/run.log, anew or to append, and note the date. */
enum kn_status kn_progress_open(struct kn_progress *p);
void kn_progress_close(struct kn_progress *p);

/* How much of something is done, 0 to 1; anew when it falls. */
void kn_progress_prepare(struct kn_progress *p, enum kn_prepare what, double part);

/* What the box shows beside the case. */
struct kn_progress_job {
    const struct kn_case *c;
    const char *backend;
    char device[128]; /* model of the processor with its instruction set, or of the GPU */
    int threads;      /* of the CPU, a rank */
    int ranks;
    const struct kn_box *boxes; /* [ranks] */
    int cells[3];
    int64_t nodes;       /* stored per cell */
    double needed, free; /* bytes; where the state lies */
    double host_needed;  /* bytes in the computer beside those on a device; 0 = the state is there */
    double time_step;    /* lambda0 / V0 */
    int64_t first, last; /* steps */
    double time;         /* lambda0 / V0, at the first */
    double deadline;     /* s on the clock at which run.walltime ends; infinite = none */
};

/* The start-up box; rates and ETA begin here. */
void kn_progress_start(struct kn_progress *p, const struct kn_progress_job *job);

/* Called after every step; most calls only compare. */
void kn_progress_step(struct kn_progress *p, const struct kn_eta_mark *now, double time,
                      const struct kn_row *row);

/* The step at which the run is expected to be steady and to end; NaN: not known. */
void kn_progress_expect(struct kn_progress *p, double step);

/* One line for the user and the log; for the log only. */
void kn_progress_note(struct kn_progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kn_progress_log(struct kn_progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The closing table, or the reason why there is none ("failed", "interrupted"). */
void kn_progress_end(struct kn_progress *p, const struct kn_summary *s);
void kn_progress_fail(struct kn_progress *p, const char *outcome, const char *reason);

#endif
