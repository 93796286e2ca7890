/* summary.json: what the run was and what came out. */
#ifndef KN_IO_SUMMARY_H
#define KN_IO_SUMMARY_H

#include "config/scales.h"
#include "io/provenance.h"
#include "json.h"
#include "monitor/monitor.h"

#include <stdio.h>

enum kn_phase {
    KN_PHASE_ASSEMBLE, /* the collision operator, before the first step */
    KN_PHASE_PILOT,    /* the choice of collision.samples, likewise */
    KN_PHASE_STREAM,
    KN_PHASE_SAMPLE,
    KN_PHASE_COLLIDE,
    KN_PHASE_EXCHANGE, /* with other ranks, as far as computing waits for it */
    KN_PHASE_MOMENTS,
    KN_PHASE_OUTPUT,
    KN_PHASES
};

struct kn_swing;
struct kn_verdict;
struct kn_validity;

struct kn_summary {
    const struct kn_monitor *m;
    const char
        *outcome; /* "steady", "end time", "limit", "residual", "max steps", "interrupted", "walltime" */
    const char *backend;
    int ranks;
    int threads; /* a rank */
    int64_t steps;
    double time, time_step; /* lambda0 / V0 */
    double wall_s;
    double phase_s[KN_PHASES];
    double updates_per_s; /* phase-space cells advanced per second */
    int64_t cells, nodes;
    double memory_bytes;
    const struct kn_provenance *provenance; /* or NULL */
    const struct kn_swing *swing;           /* or NULL */
    const struct kn_verdict *verdict;       /* or NULL */
    const struct kn_validity *validity;     /* or NULL */
    double target; /* relative error that collision.samples was chosen for; 0 = a number was given */
};

/* The relative error that was reached; NaN where it is not known. */
double kn_summary_error(const struct kn_summary *s);

const char *kn_summary_phase_name(enum kn_phase phase);
enum kn_status kn_summary_write(const char *folder, const struct kn_summary *s);
enum kn_status kn_summary_print(FILE *to, const struct kn_summary *s); /* the same JSON */

/* The units of a case in SI, as an object. */
json_t *kn_summary_scales(const struct kn_scales *scales, const char *species);

/* Read DIR/summary.json; NULL if there is none.  KN_EINPUT: it is damaged.  Release it with json_decref. */
enum kn_status kn_summary_read(const char *folder, json_t **summary);

/* The case of the run.  KN_EINPUT: the summary has none, or one that this version cannot read. */
enum kn_status kn_summary_case(const json_t *summary, struct kn_case *c);

#endif
