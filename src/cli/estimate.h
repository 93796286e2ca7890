/* Estimated duration of a case on this machine, from steps of a smaller case of the same kind. */
#ifndef KN_ESTIMATE_H
#define KN_ESTIMATE_H

#include "knudsen.h"
#include "progress_callback.h"

struct kn_estimate {
    double assembly_s; /* s for the collision operator; 0: it is in the cache, or none is needed */
    bool hollow;       /* the assembly would take long, and the steps were measured without it */
    double step_s;     /* s per step of the whole case */
    double look_s;     /* s per row of its history */
    int64_t cells;     /* of the smaller case */
    int64_t steps;     /* number of measured steps */
    char backend[64];
    char kernels[512]; /* lines: the GPU kernels of the smaller case; empty on the CPU */
    int threads;
};

/* Seconds for a number of steps, with their rows. */
double kn_estimate_run(const struct kn_estimate *e, const struct kn_case *c, double steps);

/* Takes about half a second after the assembly of the operator, which reports its progress.  The case has
 * been checked. */
enum kn_status kn_estimate_step(const struct kn_case *c, const struct kn_progress_callback *progress,
                                struct kn_estimate *e);

#endif
