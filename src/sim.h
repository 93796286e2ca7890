/* The simulation, beyond the public header. */
#ifndef KN_SIM_H
#define KN_SIM_H

#include "backend/backend.h"
#include "collision/progress_callback.h"
#include "comm/comm.h"
#include "grid/fluxes.h"

/* Position of a simulation in time and the sizes of its state, as a checkpoint stores them. */
struct kn_sim_state {
    int64_t step;
    double time, time_step; /* lambda0 / V0 */
    double ahead;           /* collision time already applied beyond `time` (Strang) */
    uint64_t draws;         /* collision sets drawn so far */
    int64_t samples;        /* per set; collision.samples after auto has been resolved */
    int64_t ncells, nnodes; /* cells of all ranks */
    double reference;       /* Tr / T0 of the reference of h */
};

/* kn_sim_create on the ranks of `comm`, with a progress callback (or NULL) for the assembly of the operator.
 * All ranks call it, as they call kn_sim_advance and kn_sim_walls; they succeed or fail together. */
enum kn_status kn_sim_create_with_progress(struct kn_sim **out, const struct kn_case *c,
                                           const struct kn_comm *comm,
                                           const struct kn_progress_callback *progress);

const struct kn_space *kn_sim_space(const struct kn_sim *sim); /* of this rank */
const struct kn_box *kn_sim_boxes(const struct kn_sim *sim);   /* of all ranks */
int64_t kn_sim_halo_bytes(const struct kn_sim *sim);           /* sent by this rank at every step */
int kn_sim_peers(const struct kn_sim *sim);                    /* number of ranks that receive them */
const char *kn_sim_backend(const struct kn_sim *sim);
void kn_sim_device(const struct kn_sim *sim, char *text, size_t size); /* name of the device */
/* Write which kernel computes which cells, one line each; nothing on CPUs. */
void kn_sim_kernels(const struct kn_sim *sim, FILE *to);
enum { KN_SIM_NOTES = 3 };
const char *kn_sim_note(const struct kn_sim *sim,
                        int number); /* notes for the user about the creation; "": none */
int kn_sim_threads(const struct kn_sim *sim);

/* Advance by steps with an open Strang splitting (the first collision half-step of the next step is merged
 * into the last one): cheaper than kn_sim_advance, for steps after which no results are requested. */
enum kn_status kn_sim_advance_open(struct kn_sim *sim, int64_t steps);

/* The gas at one step, after kn_sim_advance: fields of the cells of this rank, fluxes through all walls. */
struct kn_observation {
    int64_t step;
    double time;                         /* lambda0 / V0 */
    double *fields;                      /* [ncells][KN_FIELDS], memory of the caller */
    struct kn_fluxes_result at_surfaces; /* as kn_sim_walls, kn_sim_bodies and kn_sim_ports */
    double excess[2];                    /* of one cell: the difference of <v^4> and <v^6> from those of the
                                            local equilibrium at rest, divided by those of Phi0 and by eps */
};

/* Begin to observe the present state, and wait for the observation.  If the simulation is detached, steps may
 * be taken in between, one more observation may begin, and a single rank may wait in another thread.
 * All ranks. */
enum kn_status kn_sim_observe(struct kn_sim *sim);
enum kn_status kn_sim_observed(struct kn_sim *sim, struct kn_observation *o);

/* Put what every wall face received in the last step into kn_fluxes.local. */
enum kn_status kn_sim_surfaces(struct kn_sim *sim, const double **faces);

bool kn_sim_is_detached(const struct kn_sim *sim); /* steps are computed while the host continues */

/* The size of a case, without allocation. */
struct kn_plan_size {
    int64_t cells, nodes;          /* of all ranks; of a cell */
    int64_t box_cells, halo_cells; /* of a rank, at most */
    double memory_bytes;           /* of the rank with the largest box: total, */
    double device_bytes;           /* and device memory */
    double time_step;
    double steps; /* to time.end; of a steady state the usual number of iterations */
};
enum kn_status kn_sim_plan(const struct kn_case *c, const struct kn_comm *comm, struct kn_plan_size *size);

/* Choices that follow from a case; sim_plan.c. */
enum { KN_SIM_NOTE = 512 };
enum kn_status kn_sim_find_backend(const struct kn_case *c, const struct kn_backend **backend);
enum kn_status kn_sim_select_device(const struct kn_backend *backend, const struct kn_comm *comm, char *note);
/* "auto" must select the same backend on all ranks; `note` [KN_SIM_NOTE] if their devices differ. */
enum kn_status kn_sim_compare_backends(const struct kn_backend *backend, const struct kn_comm *comm);
void kn_sim_compare_machines(const struct kn_backend *backend, const struct kn_comm *comm, char *note);
enum kn_status kn_sim_divide_among(const struct kn_case *c, const struct kn_comm *comm,
                                   const struct kn_backend *backend, struct kn_box **boxes);
double kn_sim_choose_time_step(const struct kn_case *c,
                               const double max_speed[3]); /* of the nodes of the velocity grid */
int kn_sim_choose_threads(const struct kn_case *c, const struct kn_comm *comm, double cells, double nodes);

/* The checks of a side after kn_sim_set_wall. */
enum kn_status kn_sim_check_side(const struct kn_case *c, enum kn_side side);

/* The boxes of all ranks; the caller frees them. */
enum kn_status kn_sim_divide(const struct kn_case *c, const struct kn_comm *comm, struct kn_box **boxes);

/* Free bytes of the device that would compute the case; NaN if it uses the memory of the host. */
double kn_sim_room(const struct kn_case *c);

/* The equation in the units of the reference state, for the steady-state solver. */
struct kn_sim_equation {
    const struct kn_problem *problem;
    const struct kn_steady_backend *backend; /* NULL: there is none */
    double rate;                             /* of collisions and sources, per lambda0 */
};
struct kn_sim_equation kn_sim_equation(const struct kn_sim *sim);

/* Give oscillating walls their emission of a time; true if any has changed. */
bool kn_sim_turn_walls(struct kn_sim *sim, double time);

/* The number of steps is that of iterations for a steady state.  If its rows have been put, its fluxes
 * [faces][KN_FLUXES] replace those of the last step; else they are NULL. */
void kn_sim_set_solution(struct kn_sim *sim, int64_t iteration, const double *fluxes);

/* Seconds for one copy of the state on the backend. */
enum kn_status kn_sim_copy(struct kn_sim *sim, double *seconds);

/* Seconds spent per phase since creation (the caller adds OUTPUT), and in steps as a whole. */
void kn_sim_phases(const struct kn_sim *sim, double seconds[KN_PHASES]);
double kn_sim_stepping(const struct kn_sim *sim);

/* Read and set the data of a restart: the position in time, and the rows of the cells of this rank. */
struct kn_sim_state kn_sim_state(const struct kn_sim *sim);
enum kn_status kn_sim_restore(struct kn_sim *sim, const struct kn_sim_state *state);
enum kn_status kn_sim_get_rows(struct kn_sim *sim, int64_t first, int64_t count, float *rows);
enum kn_status kn_sim_put_rows(struct kn_sim *sim, int64_t first, int64_t count, const float *rows);

#endif
