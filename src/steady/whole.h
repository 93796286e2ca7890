/* The gas of all ranks on rank 0, which solves the moment equations: their unknowns are few. */
#ifndef KN_WHOLE_H
#define KN_WHOLE_H

#include "backend/steady_backend.h"

struct kn_whole {
    const struct kn_comm *comm;
    const struct kn_steady_plan *own; /* of the cells of this rank */
    const struct kn_steady_plan
        *plan; /* of all cells, with regions and without routes; NULL: not on rank 0 */

    /* On rank 0 of several. */
    struct kn_space space;
    struct kn_boundary boundary;
    struct kn_problem problem;
    struct kn_steady_plan all;
    double *volume;       /* [ncells] of this plan */
    struct kn_box *boxes; /* [comm->size] */
};

/* The plan of this rank gets regions if it is that of all cells. KN_EINPUT: there is no steady state.
 * Released by kn_whole_destroy, also after a failure.  All ranks. */
enum kn_status kn_whole_create(struct kn_whole *w, struct kn_steady_plan *own);
void kn_whole_destroy(struct kn_whole *w);

/* Cells of all ranks; 0: not on rank 0. */
static inline size_t kn_whole_cells(const struct kn_whole *w)
{
    return w->plan ? (size_t)w->plan->problem->space->ncells : 0;
}

/* Copy `count` numbers per cell between `own`, the cells of each rank, and `all`, those of all ranks on rank
 * 0. With one rank own == all, and nothing is copied.  All ranks call them. */
void kn_whole_gather(const struct kn_whole *w, int count, const double *own, double *all);
void kn_whole_scatter(const struct kn_whole *w, int count, const double *all, double *own);

#endif
