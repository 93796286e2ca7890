/* Groups of cells that become control volumes, theory (69). */
#ifndef KN_MERGE_H
#define KN_MERGE_H

#include "config/geometry.h"
#include "grid/cut.h"

/* From kn_volumes_begin to kn_volumes_finish. */
struct kn_volumes_plan {
    const struct kn_case *c;
    struct kn_geometry g;
    struct kn_cut cut;
    int *group, *next; /* [ncells] a cell of the group, the next cell of the group in a ring */
    double *size;      /* [ncells] of the group, in the entry of its first cell */
    int32_t *crossing; /* [ncells][3] row of the link through the upper side along an axis; -1: none */
};

/* Groups of cells with at least the volume of a whole one, except for pockets without neighbours. */
enum kn_status kn_merge_cells(struct kn_volumes_plan *p, const struct kn_space *x);

/* Pockets that are smaller than a cell are filled, and gaps that are much narrower: molecules would cross
 * them several times in a step. */
enum kn_status kn_merge_fill_gaps(struct kn_volumes *v, const struct kn_space *x);

bool kn_merge_has_gas(const struct kn_volumes_plan *p, const struct kn_space *x, int cell);

/* The cell beyond an open side of a cell, *shift from it to where it is next to the cell; -1: there is a
 * surface. */
int kn_merge_beyond(const struct kn_volumes_plan *p, const struct kn_space *x, int cell, int side,
                    double shift[3]);

#endif
