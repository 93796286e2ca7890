/* How long a run still takes.  Fed with the clock at steps and with the residual of rows; fixed memory, and
 * nothing but arithmetic: it reads no clock of its own.
 *
 * A run ends at its last step, or once the residual stays below its limit, or when its time is up: what
 * comes first.  Steps go on at the rate of the recent past, with pauses for output as in the whole past. */
#ifndef KN_ETA_H
#define KN_ETA_H

#include <stdint.h>

enum { KN_ETA_BUCKETS = 32 };

/* Where a run stands. */
struct kn_eta_mark {
    double clock;    /* s */
    double output_s; /* of which so many went into files since the process began */
    int64_t step;
};

/* Neighbouring rows together. */
struct kn_eta_bucket {
    double step;   /* sum */
    double height; /* sum of log residual */
};

struct kn_eta {
    int64_t last;    /* step */
    double limit;    /* of the residual; 0 = the run does not heed it */
    double deadline; /* s on the clock; infinite = none */
    struct kn_eta_mark first, latest;
    double steady;         /* step at which the run is expected to be steady; infinite = not known */
    double steps, seconds; /* weighted, of the recent past; seconds without output */
    int rows;              /* in a full bucket */
    int nbuckets;          /* full ones */
    int waiting;           /* rows in the one after these */
    struct kn_eta_bucket bucket[KN_ETA_BUCKETS];
};

enum kn_eta_end { KN_ETA_LAST_STEP, KN_ETA_RESIDUAL, KN_ETA_STEADY, KN_ETA_DEADLINE };

struct kn_eta_left {
    double seconds; /* infinite while nothing is known */
    double steps;   /* until then */
    enum kn_eta_end by;
};

void kn_eta_start(struct kn_eta *e, const struct kn_eta_mark *first, int64_t last, double limit,
                  double deadline);

/* After a step, and after a row; both may come as often as one likes. */
void kn_eta_step(struct kn_eta *e, const struct kn_eta_mark *now);
void kn_eta_row(struct kn_eta *e, int64_t step, double residual);

/* The step at which the run is expected to be steady, by the latest row; NaN = not known. */
void kn_eta_expect(struct kn_eta *e, double step);

/* Steps a second without pauses for output; 0 while unknown. */
double kn_eta_rate(const struct kn_eta *e);

struct kn_eta_left kn_eta_left(const struct kn_eta *e, const struct kn_eta_mark *now);

#endif
