/* The simulation as the run driver sees it, beyond the public header. */
#ifndef KN_SIM_H
#define KN_SIM_H

#include "backend/backend.h"
#include "comm/comm.h"
#include "progress_callback.h"

/* Position of a simulation in time and the sizes of its state, as a checkpoint stores them. */
struct kn_sim_state {
    int64_t step;
    double time, time_step; /* lambda0 / V0 */
    double ahead;           /* collision time already applied beyond `time` (Strang) */
    uint64_t draws;         /* collision sets drawn so far */
    int64_t samples;        /* per set; collision.samples after auto has been resolved */
    int64_t ncells, nnodes; /* cells of all ranks */
};

/* kn_sim_create on the ranks of `comm`, with a progress callback (or NULL) for the assembly of the operator.
 * All ranks call it, as they call kn_sim_advance and kn_sim_walls; they succeed or fail together. */
enum kn_status kn_sim_create_with_progress(struct kn_sim **out, const struct kn_case *c,
                                           const struct kn_comm *comm,
                                           const struct kn_progress_callback *progress);

const struct kn_space *kn_sim_space(const struct kn_sim *sim); /* of this rank */
const struct kn_box *kn_sim_boxes(const struct kn_sim *sim);   /* of all ranks */
int64_t kn_sim_halo_bytes(const struct kn_sim *sim);           /* that this rank sends at every step, */
int kn_sim_peers(const struct kn_sim *sim);                    /* to so many others */
const char *kn_sim_backend(const struct kn_sim *sim);
void kn_sim_device(const struct kn_sim *sim, char *text, size_t size); /* what that machine is called */
/* Write which kernel computes which cells, one line each; nothing on CPUs. */
void kn_sim_kernels(const struct kn_sim *sim, FILE *to);
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

/* Choices that follow from a case; sim_plan.c. */
enum { KN_SIM_NOTE = 512 };
enum kn_status kn_sim_find_backend(const struct kn_case *c, const struct kn_backend **backend);
enum kn_status kn_sim_select_device(const struct kn_backend *backend, const struct kn_comm *comm, char *note);
enum kn_status kn_sim_divide_among(const struct kn_case *c, const struct kn_comm *comm,
                                   const struct kn_backend *backend, struct kn_box **boxes);
double kn_sim_choose_time_step(const struct kn_case *c, const double max_speed[3]);
int kn_sim_choose_threads(const struct kn_case *c, const struct kn_comm *comm, double cells, double nodes);

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

/* Read and set all that a restart needs: the position in time, and the rows of the cells of this rank. */
struct kn_sim_state kn_sim_state(const struct kn_sim *sim);
enum kn_status kn_sim_restore(struct kn_sim *sim, const struct kn_sim_state *state);
enum kn_status kn_sim_get_rows(struct kn_sim *sim, int64_t first, int64_t count, float *rows);
enum kn_status kn_sim_put_rows(struct kn_sim *sim, int64_t first, int64_t count, const float *rows);

#endif
