/* summary.json: what the run was and what came out. */
#ifndef KN_IO_SUMMARY_H
#define KN_IO_SUMMARY_H

#include "backend/backend.h"
#include "io/provenance.h"
#include "monitor/monitor.h"

#include <stdio.h>

struct kn_oscillation_fit;
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
    const struct kn_provenance *provenance;       /* or NULL */
    const struct kn_oscillation_fit *oscillation; /* or NULL */
    const struct kn_verdict *verdict;             /* or NULL */
    const struct kn_validity *validity;           /* or NULL */
    double target; /* relative error that collision.samples was chosen for; 0 = a number was given */
};

/* The relative error that was reached; NaN where it is not known. */
double kn_summary_error(const struct kn_summary *s);

const char *kn_summary_phase_name(enum kn_phase phase);
enum kn_status kn_summary_write(const char *folder, const struct kn_summary *s);
void kn_summary_print(FILE *to, const struct kn_summary *s); /* the same JSON */

/* The text of DIR/summary.json, to be freed; NULL where the run has none. */
enum kn_status kn_summary_read(const char *folder, char **text);

/* Where the value of a member begins in the object that begins at `object`, which may be NULL.  NULL: it has
 * none of that name. */
const char *kn_summary_member(const char *object, const char *name);

/* How long a value is; a number, NaN where it is none; a text, "" where it is none. */
size_t kn_summary_length(const char *value);
double kn_summary_number(const char *value);
void kn_summary_text(const char *value, char *text, size_t size);

/* The case as it was run.  KN_EINPUT: the summary has none, or one that this version cannot read. */
enum kn_status kn_summary_case(const char *summary, struct kn_case *c);

#endif
