/* The output of knudsen info: properties of a case before its run. */
#ifndef KN_INFO_H
#define KN_INFO_H

#include "collision/progress_callback.h"
#include "sim.h"

/* Print the properties of a case as text or JSON; ranks > 0: also its division among this number of ranks. */
enum kn_status kn_info_case(const struct kn_case *c, int ranks, bool json);

/* Print transport coefficients, spectrum, memory and cost of the operator of the velocity grid of the case.
 */
enum kn_status kn_info_operator(const struct kn_case *c, bool json);

struct kn_info_ranks {
    const struct kn_case *c;
    int count;
    struct kn_box *boxes; /* [count] */
    struct kn_plan_size plan;
};

/* KN_EINPUT if there are too few cells for this number of ranks. */
enum kn_status kn_info_ranks_create(struct kn_info_ranks *r, const struct kn_case *c, int count);
void kn_info_ranks_destroy(struct kn_info_ranks *r);

/* As lines of text, or as a JSON object. */
void kn_info_ranks_print(const struct kn_info_ranks *r);
struct json_t *kn_info_ranks_json(const struct kn_info_ranks *r);

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
