/* Walking up and down wind through the neighbour table. */
#ifndef KN_POINT_NEIGHBOUR_H
#define KN_POINT_NEIGHBOUR_H

#include "point/point.h"

/* A cell and the octant of velocities looked at there.  cell < 0: the walk
 * ended at wall face ~cell. */
struct kn_site {
    int32_t cell;
    int32_t octant;
};

struct kn_links {
    const int32_t *neighbour;  /* [ncells][6] */
    int32_t bit[3];            /* octant bit set where v < 0 */
    int32_t mirrors;           /* bit mask of the sides that reflect specularly */
};

/* One step against the wind (downwind = 0) or with it (1).  A mirror leads back
 * into the same cell with the velocity reflected. */
POINT struct kn_site kn_neighbour_walk(const struct kn_links *links, struct kn_site from, int axis, int downwind)
{
    const int negative = (from.octant & links->bit[axis]) != 0;
    const int side = 2 * axis + (negative ^ downwind);
    struct kn_site to = {links->neighbour[6 * (int64_t)from.cell + side], from.octant};
    if (to.cell < 0 && (links->mirrors >> side & 1)) {
        to.cell = from.cell;
        to.octant = from.octant ^ links->bit[axis];
    }
    return to;
}

#endif
