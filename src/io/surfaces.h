/* Results at the faces of all surfaces of a case: walls, bodies and ports. */
#ifndef KN_IO_SURFACES_H
#define KN_IO_SURFACES_H

#include "io/fields.h"

/* Columns of a row: number of the cell, side (KN_SURFACES_CUT: a facet that cuts the cell), surface
 * (kn_case_surface), area, centre, normal out of the gas, and the values of struct kn_fluxes. */
enum {
    KN_SURFACES_CELL,
    KN_SURFACES_SIDE,
    KN_SURFACES_SURFACE,
    KN_SURFACES_AREA,
    KN_SURFACES_CENTRE,
    KN_SURFACES_NORMAL = KN_SURFACES_CENTRE + 3,
    KN_SURFACES_FORCE = KN_SURFACES_NORMAL + 3,
    KN_SURFACES_HEAT = KN_SURFACES_FORCE + 3,
    KN_SURFACES_MASS,
    KN_SURFACES_ROW
};
enum { KN_SURFACES_CUT = -1 };

struct kn_surfaces {
    int64_t count;
    double *rows; /* [count][KN_SURFACES_ROW] on rank 0, ordered by cell and side; NULL on others */
};

/* The faces of all ranks; all ranks call it. */
enum kn_status kn_surfaces_gather(struct kn_surfaces *to, const struct kn_snapshot *s);
void kn_surfaces_destroy(struct kn_surfaces *surfaces);

/* The names of the surfaces by their numbers, separated by blanks; to be freed, NULL without memory.  A name
 * that another surface has already is whole: bodies.left. */
char *kn_surfaces_names(const struct kn_case *c);

/* Write DIR/surfaces.vtp for ParaView, on rank 0. */
enum kn_status kn_surfaces_write_vtk(const char *folder, const struct kn_surfaces *surfaces,
                                     const struct kn_snapshot *s);

#endif
