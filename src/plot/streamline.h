/* Streamlines of a plane field, evenly spaced (after Jobard and Lefer, 1997). */
#ifndef KN_STREAMLINE_H
#define KN_STREAMLINE_H

#include "plot/plane.h"

struct kn_streamlines {
    int lines;
    int *first;          /* [lines + 1] where each begins in `points`; the last: how many there are */
    double (*points)[2]; /* along the flow; a line that returns to its start ends there */
};

/* Lines along the two numbers at the nodes of `velocity`.  They begin `apart` from others and end where they
 * come to 0.4 of that, where they return to their start, at the edge of the grid, and where
 * the speed falls below `slow`.  Lines too short to read are left out. */
enum kn_status kn_streamline_trace(struct kn_streamlines *s, const struct kn_plane *velocity, double apart,
                                   double slow);
void kn_streamline_destroy(struct kn_streamlines *s);

#endif
