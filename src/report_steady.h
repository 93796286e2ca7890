/* Whether a run has become steady, told from its history. */
#ifndef KN_REPORT_STEADY_H
#define KN_REPORT_STEADY_H

#include "report_history.h"

enum kn_report_verdict {
    KN_REPORT_STEADY,
    KN_REPORT_CHANGING,
    KN_REPORT_PERIODIC, /* a wall swings */
    KN_REPORT_UNCLEAR   /* too short, or too noisy, to tell */
};

enum { KN_REPORT_WATCHED = 12 };

/* The mean over the last eighth of the time is compared with that over the eighth before. */
struct kn_report_steady {
    enum kn_report_verdict verdict;
    char sentence[512];     /* {residual} and {limit} stand for these: */
    double residual, limit; /* V0 / lambda0; NaN where the sentence does not name it */
    double from;            /* time at which the last quarter begins */
    int watched;
    struct {
        int column;
        double value, change; /* mean over the last eighth, less that over the one before */
        double error;         /* statistical, of the change; 0 where nothing is sampled */
    } watch[KN_REPORT_WATCHED];
};

/* `outcome` as in summary.json; "" where the run has none. */
void kn_report_steady_judge(struct kn_report_steady *s, const struct kn_history_table *h,
                            const struct kn_case *c, const char *outcome);
void kn_report_steady_print(FILE *to, const struct kn_report_steady *s, const struct kn_history_table *h);

#endif
