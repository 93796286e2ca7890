/* The file summary.json: the results and the description of a run. */
#ifndef KN_IO_SUMMARY_H
#define KN_IO_SUMMARY_H

#include "backend/backend.h"
#include "config/scales.h"
#include "files/json.h"
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
    int threads; /* per rank */
    int64_t steps;
    double time, time_step; /* lambda0 / V0 */
    double wall_s;
    double loop_s;        /* of the time loop */
    double step_fraction; /* of the time loop that is spent in steps, 0 to 1 */
    double phase_s[KN_PHASES];
    double updates_per_s; /* phase-space cells advanced per second */
    int64_t cells, nodes;
    double memory_bytes;
    const struct kn_provenance *provenance;       /* or NULL */
    const struct kn_oscillation_fit *oscillation; /* or NULL */
    const struct kn_verdict *verdict;             /* or NULL */
    const struct kn_validity *validity;           /* or NULL */
    double target; /* relative error of collision.samples: auto; 0 = the case has a number */
};

/* The relative error of the result; NaN if it is unknown. */
double kn_summary_error(const struct kn_summary *s);

/* Flow between ports.  Conductance and transmission are those between two ports of different pressure; NaN
 * otherwise. */
struct kn_summary_ports {
    double balance;      /* sum of all mass flows over the largest */
    double conductance;  /* V0 lambda0^2; mass flow (n0) per difference of pressure (p0) */
    double transmission; /* mass flow over that of free molecules through the first port: area dp / (2
                            sqrt(pi)) */
};
void kn_summary_measure_ports(const struct kn_monitor *m, struct kn_summary_ports *to);

const char *kn_summary_phase_name(enum kn_phase phase);
enum kn_status kn_summary_write(const char *folder, const struct kn_summary *s);

/* The units of a case in SI, as an object. */
json_t *kn_summary_scales(const struct kn_scales *scales, const char *species);

/* The reference state of a case: temperature in T0, velocity in V0. */
json_t *kn_summary_reference(const struct kn_case *c);

/* Read DIR/summary.json; NULL if there is none.  KN_EINPUT: it is damaged.  Release it with json_decref. */
enum kn_status kn_summary_read(const char *folder, json_t **summary);

/* The case of the run.  KN_EINPUT: the summary has none, or one that this version cannot read. */
enum kn_status kn_summary_case(const json_t *summary, struct kn_case *c);

#endif
