/* Physical space: a list of box-shaped cells and the table of their neighbours. */
#ifndef KN_SPACE_H
#define KN_SPACE_H

#include "grid/volumes.h"
#include "point/mesh.h"

#include <stdint.h>

/* Cells first..end-1 along each axis. */
struct kn_box {
    int first[3], end[3];
};

/* One wall face of a cell. */
struct kn_face {
    int32_t cell;
    int32_t side;    /* enum kn_side: the direction of the face */
    int32_t patch;   /* index of kn_boundary.patches: that of kn_case_patch, or its own (kn_case_varies) */
    int32_t surface; /* of the case, kn_case_surface */
    double area;     /* lambda0^2; unused axes count 1 */
};

/* The cells of one rank: a box of the whole space, numbered with x fastest.  They are followed in the tables
 * by the halo: cells of other ranks from which the gas streams in, at most kn_case_reach steps away, or with
 * smooth bodies those whose rows a step reads (part.h).
 *
 * Entries of the neighbour table are those of point/mesh.h.  Periodic axes are entries that wrap around.
 * Cells and walls beyond a cell of the halo are KN_SPACE_OUTSIDE, or a mirror without a face.  A wall of a
 * body that a stencil reaches through a cell of the halo has a face: this rank computes its emission, too.
 *
 * Cells that a body fills (solid) are in the tables: they have volume 0, no faces, and themselves as
 * neighbours, and no other cell has them as a neighbour.  Backends keep their rows at 0.  The same holds for
 * cells whose gas is part of the control volume of another cell, except for their volume (volumes.h). */
#define KN_SPACE_OUTSIDE (~KN_MESH_NO_FACE)

struct kn_space {
    int whole[3];              /* cells per axis, of all ranks */
    struct kn_box box;         /* of them, those of this rank */
    int cells[3];              /* per axis, in the box */
    int ncells;                /* in the box */
    int nhalo;                 /* of other ranks */
    int nfaces;                /* wall faces: those of the box, */
    int nown;                  /* so many, then those of the halo */
    int nvaried;               /* faces with a patch of their own */
    uint8_t *solid;            /* [ncells] 1: the cell has no row; NULL: all have */
    struct kn_volumes volumes; /* at smooth bodies */
    int naxes;                 /* axes along which the gas streams */
    int axes[3];               /* [naxes] */
    double *edges[3];          /* [whole[d] + 1], lambda0 */
    int32_t *neighbour;        /* [ncells + nhalo][6] */
    float *width;              /* [ncells + nhalo][3], lambda0 */
    double *volume;            /* [ncells], lambda0^3; unused axes count 1 */
    struct kn_face *faces;     /* [nfaces] */
    double open[KN_PORTS];     /* lambda0^2; area of each port */
    double (*extent)[2][3];    /* [bodies] lambda0; corners of the bounding box of each body */
    int64_t *halo;             /* [nhalo] numbers of these cells in the whole space, ascending */
};

/* The cells of a box; NULL: all. Boxes are at least kn_case_reach cells wide along divided axes. */
enum kn_status kn_space_create(struct kn_space *space, const struct kn_case *c, const struct kn_box *box);
void kn_space_destroy(struct kn_space *space);

/* Rows of fluxes: those of wall faces and of facets. */
static inline size_t kn_space_fluxes(const struct kn_space *space)
{
    return (size_t)space->nfaces + (size_t)space->volumes.nfacets;
}

/* Wall faces of a box, at most. */
int kn_space_count_faces(const struct kn_case *c, const struct kn_box *box);

/* The centre of a face, lambda0. */
void kn_space_face_centre(const struct kn_space *space, int face, double centre[3]);

/* Position of a cell of the box in the whole space, and its number there, x fastest. */
void kn_space_place(const struct kn_space *space, int cell, int at[3]);
int64_t kn_space_number(const struct kn_space *space, int cell);
void kn_space_locate(const struct kn_space *space, int64_t number, int at[3]); /* and back */
int64_t kn_space_count(const struct kn_space *space);                          /* of the cells of all ranks */
int64_t kn_space_number_at(const struct kn_space *space, const double place[3]); /* the cell with a point */

/* Step from a position to the next one through a side, around periodic ends; false: the space ends there. */
bool kn_space_next(const struct kn_space *space, const struct kn_case *c, int at[3], int side);

/* The surface of the case (kn_case_surface) at a side of a cell at a position: a body in the next cell or
 * between the two, a port or a wall; -1: there is none. */
struct kn_geometry;
int kn_space_surface(const struct kn_space *space, const struct kn_case *c, const struct kn_geometry *g,
                     const int at[3], int side);

/* The cell at a position; KN_SPACE_OUTSIDE if it is neither in the box nor in the halo. */
int32_t kn_space_find(const struct kn_space *space, const int at[3]);

#endif
