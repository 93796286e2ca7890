/* The bodies and ports of a case as boxes of cells. */
#ifndef KN_GEOMETRY_H
#define KN_GEOMETRY_H

#include "config/image.h"

/* Cells first..end-1 of the whole space that a body fills.  A plate has first = end along one axis: it is
 * between cells end - 1 and end. */
struct kn_solid {
    int body; /* index of kn_case.bodies */
    int first[3], end[3];
    int image; /* number of the image of which they are the box, from 1; 0: all cells are solid */
};

/* The cells of the whole space along a side that are behind a port; the component along its axis is not used.
 */
struct kn_opening {
    int first[3], end[3];
};

struct kn_geometry {
    int count;
    struct kn_solid solids[KN_BODIES * (KN_OPENINGS + 1)];
    struct kn_opening openings[KN_PORTS];
    int nimages;
    struct kn_image images[KN_BODIES];
};

/* KN_EINPUT if a body has no shape, or if a body or port does not end at edges of cells. */
enum kn_status kn_geometry_create(struct kn_geometry *g, const struct kn_case *c);
void kn_geometry_destroy(struct kn_geometry *g);

/* The checks of kn_case_check for bodies and ports. */
enum kn_status kn_geometry_check(const struct kn_case *c);

/* True if a cell inside the box of a solid is solid. */
bool kn_geometry_is_solid(const struct kn_geometry *g, const struct kn_solid *s, const int at[3]);

/* The body that fills a cell of the whole space, or that has a plate at a side of it; -1: none. */
int kn_geometry_fills(const struct kn_geometry *g, const int at[3]);
int kn_geometry_covers(const struct kn_geometry *g, const int at[3], int side);

/* The port at a side of a cell that is at this side of the space; -1: none. */
int kn_geometry_port(const struct kn_case *c, const struct kn_geometry *g, const int at[3], int side);

/* True if a part of a side is a wall: not all of it is behind ports or bodies. */
bool kn_geometry_has_wall(const struct kn_case *c, int side);

/* Number of faces of all bodies inside a box of cells, at most. */
int64_t kn_geometry_faces(const struct kn_geometry *g, const int first[3], const int end[3]);

#endif
