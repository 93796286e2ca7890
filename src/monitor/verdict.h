/* The verdict on a run, steady or not, for the terminal, summary.json, the report and Python. */
#ifndef KN_VERDICT_H
#define KN_VERDICT_H

#include "monitor/monitor.h"

struct kn_oscillation_fit;

enum kn_verdict_word { KN_VERDICT_STEADY, KN_VERDICT_NOT_STEADY, KN_VERDICT_OSCILLATING, KN_VERDICT_NOISY };

enum { KN_VERDICT_TEXT = 320 };

struct kn_verdict {
    enum kn_verdict_word word;
    int column;       /* of the monitor, with the largest remaining change; -1: none is known */
    double remaining; /* that change, as a fraction of the scale of the quantity; INFINITY: it does not
                         approach a limit; NaN: not known */
    double observed;  /* change over the last half of the run, as a fraction likewise; NaN: not known */
    double until;     /* time at which the run would be steady, lambda0 / V0; NaN: not known */
    char text[KN_VERDICT_TEXT]; /* a sentence without the word */
};

/* `o`: amplitudes of a run with oscillating walls, or NULL. */
void kn_verdict_find(struct kn_verdict *v, const struct kn_monitor *m, const struct kn_oscillation_fit *o);

/* "steady", "not steady", "oscillating", "noisy" */
const char *kn_verdict_name(enum kn_verdict_word word);

/* Call after every row: note whether it is steady.  Steps from it until the run is steady; NaN: not known. */
double kn_verdict_note(struct kn_monitor *m);

/* Why the run ends with the latest row, which must confirm the row before: "steady", "residual"; NULL: it
 * does not end. */
const char *kn_verdict_ends(const struct kn_monitor *m);

/* Can the next row end the run? */
bool kn_verdict_is_near(const struct kn_monitor *m);

#endif
