/* The steady-state solver: iterations for A h = b, theory section 16. */
#ifndef KN_STEADY_H
#define KN_STEADY_H

#include "sim.h"

struct kn_steady;

/* The state of the iterations. */
struct kn_steady_progress {
    int64_t iterations;
    double residual; /* norm of b - A h over that of b, each number divided by the diagonal; 0: round-off */
    double update;   /* norm of the last change of h over that of h; NaN before the first */
    double balance;  /* of mass, momentum and energy through the sides and by sources, over the largest flux;
                        at the last kn_steady_store */
};

enum { KN_STEADY_ITERATIONS = 200 }; /* if time.max_steps is 0 */

/* KN_EINPUT if the solver does not support a case on the number of ranks. */
enum kn_status kn_steady_check(const struct kn_case *c, const struct kn_comm *comm);

/* Bytes in addition to those of the simulation, whose size is given: of every rank, and of the moment
 * equations on rank 0.  None for steps in time. */
struct kn_steady_bytes {
    double each, moments;
};
struct kn_steady_bytes kn_steady_memory(const struct kn_case *c, const struct kn_plan_size *size);

/* A solver that begins with the state of the simulation.  The simulation must exist as long as the solver. */
enum kn_status kn_steady_create(struct kn_steady **out, struct kn_sim *sim);
void kn_steady_destroy(struct kn_steady *s); /* may be NULL */

/* One iteration.  KN_ENUMERIC: the iterations diverge. */
enum kn_status kn_steady_iterate(struct kn_steady *s);

/* The iterate of an oscillation: rows of its imaginary part; and a start from the real part that the
 * simulation has and an imaginary part, [ncells][nnodes]. */
enum kn_status kn_steady_imaginary(struct kn_steady *s, int64_t first, int64_t count, float *rows);
enum kn_status kn_steady_continue(struct kn_steady *s, const float *imaginary);

struct kn_steady_progress kn_steady_progress(const struct kn_steady *s);

/* Put the real (0) or the imaginary part (1) of an oscillation, and its fluxes at walls, into the simulation.
 */
enum kn_status kn_steady_part(struct kn_steady *s, int part);

/* Set the number of steps of the simulation.  `whole`: also copy the solution and its fluxes at walls. */
enum kn_status kn_steady_store(struct kn_steady *s, bool whole);

#endif
