/* The simulation as the run driver sees it, beyond the public header. */
#ifndef KN_SIM_H
#define KN_SIM_H

#include "io/checkpoint.h"
#include "io/summary.h"
#include "operator.h"
#include "space.h"

/* kn_sim_create, heard of by somebody while it prepares what takes long. */
enum kn_status kn_sim_create_heard(struct kn_sim **out, const struct kn_case *c,
                                   const struct kn_listener *listener);

const struct kn_space *kn_sim_space(const struct kn_sim *sim);
const char *kn_sim_backend(const struct kn_sim *sim);
void kn_sim_device(const struct kn_sim *sim, char *text, size_t size); /* what it runs on */
const char *kn_sim_note(const struct kn_sim *sim);       /* for the user, about its creation; "" = nothing */
double kn_sim_reach(const struct kn_sim *sim, int axis); /* the fastest node along an axis, V0 */
int kn_sim_threads(const struct kn_sim *sim);

/* Advance by steps, leaving a Strang splitting open (collision half-step of
 * the next step already merged into the last one): cheaper than
 * kn_sim_advance, for steps after which nobody looks at the gas. */
enum kn_status kn_sim_advance_open(struct kn_sim *sim, int64_t steps);

/* What the case needs, without allocating it. */
struct kn_plan_size {
    int64_t cells, nodes;
    double memory_bytes;
    double time_step;
    double steps; /* to time.end */
};
enum kn_status kn_sim_plan(const struct kn_case *c, struct kn_plan_size *size);

/* Seconds that copying the state once takes on the machine that computes. */
enum kn_status kn_sim_copy(struct kn_sim *sim, double *seconds);

/* Seconds spent per phase since creation (OUTPUT is the caller's). */
void kn_sim_phases(const struct kn_sim *sim, double seconds[KN_PHASES]);

/* Of the first cell, whose fields are known: by how much <v^4> and <v^6> are above those of the local
 * equilibrium at rest, over those of Phi0 and eps, theory (37c). */
enum kn_status kn_sim_excess(struct kn_sim *sim, const double *fields, double *fourth, double *sixth);

/* Move the state out and in, row by row; also everything a restart needs
 * (step, time, ahead, draws). */
void kn_sim_describe(const struct kn_sim *sim, struct kn_checkpoint *k);
enum kn_status kn_sim_adopt(struct kn_sim *sim, const struct kn_checkpoint *k);
enum kn_status kn_sim_get_rows(void *of, int64_t first, int64_t count, float *rows);
enum kn_status kn_sim_put_rows(void *of, int64_t first, int64_t count, float *rows);

#endif
