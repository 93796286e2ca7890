/* The simulation as the run driver sees it, beyond the public header. */
#ifndef KN_SIM_H
#define KN_SIM_H

#include "comm/comm.h"
#include "io/checkpoint.h"
#include "io/summary.h"
#include "collision/operator.h"
#include "grid/space.h"

/* kn_sim_create, heard of by somebody while it prepares what takes long.  All ranks of `comm` call it, and
 * whatever else moves the gas or fails together: creation, steps, walls. */
enum kn_status kn_sim_create_heard(struct kn_sim **out, const struct kn_case *c, const struct kn_comm *comm,
                                   const struct kn_listener *listener);

const struct kn_space *kn_sim_space(const struct kn_sim *sim); /* of this rank */
const struct kn_box *kn_sim_boxes(const struct kn_sim *sim);   /* of all ranks */
int64_t kn_sim_halo_bytes(const struct kn_sim *sim);           /* that this rank sends at every step, */
int kn_sim_peers(const struct kn_sim *sim);                    /* to so many others */
const char *kn_sim_backend(const struct kn_sim *sim);
void kn_sim_device(const struct kn_sim *sim, char *text, size_t size); /* what that machine is called */
enum { KN_SIM_NOTES = 3 };
const char *kn_sim_note(const struct kn_sim *sim,
                        int number);                     /* for the user, about its creation; "" = nothing */
double kn_sim_reach(const struct kn_sim *sim, int axis); /* the fastest node along an axis, V0 */
int kn_sim_threads(const struct kn_sim *sim);

/* Advance by steps, leaving a Strang splitting open (collision half-step of
 * the next step already merged into the last one): cheaper than
 * kn_sim_advance, for steps after which nobody looks at the gas. */
enum kn_status kn_sim_advance_open(struct kn_sim *sim, int64_t steps);

/* What the case needs, without allocating it. */
struct kn_plan_size {
    int64_t cells, nodes; /* of all ranks; of a cell */
    double memory_bytes;  /* of the rank with the largest box: in all, */
    double device_bytes;  /* of which on a device with memory of its own */
    double time_step;
    double steps; /* to time.end */
};
enum kn_status kn_sim_plan(const struct kn_case *c, const struct kn_comm *comm, struct kn_plan_size *size);

/* The boxes of all ranks, for the caller to free. */
enum kn_status kn_sim_divide(const struct kn_case *c, const struct kn_comm *comm, struct kn_box **boxes);

/* Bytes that are free on the device that would compute the case; NaN where that has no memory of its own. */
double kn_sim_room(const struct kn_case *c);

/* Seconds that copying the state once takes on the machine that computes. */
enum kn_status kn_sim_copy(struct kn_sim *sim, double *seconds);

/* Seconds spent per phase since creation (OUTPUT is the caller's). */
void kn_sim_phases(const struct kn_sim *sim, double seconds[KN_PHASES]);

/* Of the first cell, whose fields are known: by how much <v^4> and <v^6> are above those of the local
 * equilibrium at rest, over those of Phi0 and eps, theory (37c). */
enum kn_status kn_sim_excess(struct kn_sim *sim, const double *fields, double *fourth, double *sixth);

/* Move the state of this rank out and in, row by row; and all else that a restart needs (step, time, ahead,
 * draws). */
void kn_sim_describe(const struct kn_sim *sim, struct kn_checkpoint *k);
enum kn_status kn_sim_adopt(struct kn_sim *sim, const struct kn_checkpoint *k);
enum kn_status kn_sim_get_rows(struct kn_sim *sim, int64_t first, int64_t count, float *rows);
enum kn_status kn_sim_put_rows(struct kn_sim *sim, int64_t first, int64_t count, const float *rows);

#endif
