/* What a run tells its user: start-up box, live line, closing table; run.log. */
#ifndef KN_PROGRESS_H
#define KN_PROGRESS_H

#include "io/summary.h"
#include "sim.h"

#include <stdio.h>

struct kn_progress {
    const struct kn_run_options *options;
    FILE *log;               /* run.log: the plain form of everything, whatever the report; NULL = none */
    int64_t first, last;     /* steps at which this process begins and the run ends */
    double updates_per_step; /* phase-space cells */
    double started;          /* s, monotonic clock */
    double next_live, next_plain, next_json; /* s after the start */
    int shown;                               /* width of the live line on the screen; 0 = none */
    bool colour;
};

/* Seconds of a clock that only goes forward. */
double kn_progress_clock(void);

/* Open folder/run.log, anew or to append, and note the date. */
enum kn_status kn_progress_open(struct kn_progress *p, const struct kn_run_options *options);
void kn_progress_close(struct kn_progress *p);

/* What may take long before a run begins. */
enum kn_prepare { KN_PREPARE_OPERATOR, KN_PREPARE_SAMPLES };

/* How much of it is done, 0 to 1; before kn_progress_open. */
void kn_progress_prepare(struct kn_progress *p, const struct kn_run_options *options, enum kn_prepare what,
                         double part);

/* The start-up box; the clock for rates and ETA starts here.  What memory was
 * available is known before the simulation has taken its part. */
void kn_progress_start(struct kn_progress *p, const struct kn_case *c, const struct kn_sim *sim,
                       double memory_bytes, double memory_available, int64_t last);

/* Called after every step with the time of the clock; most calls only compare. */
void kn_progress_step(struct kn_progress *p, double clock, int64_t step, double time,
                      const struct kn_row *row);

/* One line for the user and the log; for the log only. */
void kn_progress_note(struct kn_progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kn_progress_log(struct kn_progress *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The closing table, or the reason why there is none. */
void kn_progress_end(struct kn_progress *p, const struct kn_summary *s);
void kn_progress_fail(struct kn_progress *p, const char *reason);

#endif
