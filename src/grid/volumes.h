/* Control volumes: cells that smooth bodies cut, merged with neighbours until each has the gas of a whole
 * cell, theory (69).
 *
 * A control volume has the row of one of its cells in the state; its other cells have none.  Its surface
 * consists of pieces.  Every piece has a row in `outgoing`, in which h on the piece is stored: the facets of
 * bodies follow the wall faces of the space, then come the links to whole cells, then those between control
 * volumes.  For a whole cell a link is a wall face: its entry in the neighbour table is the row, from which h
 * streams in.  The kernels of whole cells need no other data. */
#ifndef KN_VOLUMES_H
#define KN_VOLUMES_H

#include "knudsen.h"

/* Facets of a control volume that its gradients use, at most. */
enum { KN_VOLUMES_PULLS = 4, KN_VOLUMES_MATRIX = 6 };

/* A piece of the surface of a control volume. */
struct kn_piece {
    int32_t row;    /* in `outgoing` */
    int32_t axis;   /* of a link; -1: a facet */
    int32_t cell;   /* with the row beyond a link; ~cell behind a periodic end */
    double area[3]; /* lambda0^2, out of the volume */
    double arm[3];  /* lambda0, from the centre of the volume to that of the piece */
};

/* A facet of a body or of a side of the space. */
struct kn_facet {
    int32_t volume;
    int32_t surface, patch; /* kn_case_surface, kn_case_patch: velocity and temperature */
    int32_t axis;           /* normal to a side of the space or a box; -1: of a smooth body */
    int32_t mirror;         /* axis along which molecules are reflected; -1: they are re-emitted */
    double area, normal[3]; /* lambda0^2; out of the gas */
    double centre[3];       /* lambda0 */
    double pull[3];         /* its weight in the sums of a gradient, theory (72) */
};

/* A cell whose value is in the sums of a gradient. */
struct kn_point {
    int32_t cell;
    double pull[3]; /* 1 / lambda0 */
};

struct kn_volume {
    int32_t cell; /* with the row */
    double size;  /* lambda0^3; unused axes count 1 */
    double centre[3];
    int32_t first_piece, facets, pieces; /* the first pieces are the facets */
    int32_t first_point, points;
    int32_t first_matrix, pulls; /* 2^pulls inverse matrices, by the facets that emit into a direction */
};

/* A face of a whole cell towards a control volume, and the cell with the row of this; ~cell behind a periodic
 * end. */
struct kn_link {
    int32_t cell, side, beyond;
};

struct kn_volumes {
    int32_t
        *of_cell; /* [ncells] control volume, or one of the values below; NULL: there are no smooth bodies */
    double *gas;  /* [ncells] volume of the gas in each cell of a control volume */
    int count, npieces, npoints, nmatrices;
    int filled;             /* cells in gaps and pockets that are too small for control volumes, now solid */
    struct kn_volume *list; /* [count] */
    struct kn_piece *pieces;
    struct kn_point *points;
    double (*matrices)[KN_VOLUMES_MATRIX]; /* [nmatrices] xx yy zz xy xz yz */
    int nfacets, nlinks, ncrossings;       /* rows of `outgoing` */
    struct kn_facet *facets;               /* [nfacets] */
    struct kn_link *links;                 /* [nlinks] */
    struct kn_volumes_plan *plan;          /* between begin and finish */
};

enum { KN_VOLUMES_NONE = -1, KN_VOLUMES_SOLID = -2 };

/* The control volume of a cell, or KN_VOLUMES_NONE for a whole cell, KN_VOLUMES_SOLID. */
static inline int kn_volumes_at(const struct kn_volumes *v, int cell)
{
    return v->of_cell ? v->of_cell[cell] : KN_VOLUMES_NONE;
}

/* The control volume with the row of a cell; NULL: the cell is whole or has no row. */
static inline const struct kn_volume *kn_volumes_own(const struct kn_volumes *v, int cell)
{
    const int volume = kn_volumes_at(v, cell);
    return volume >= 0 && v->list[volume].cell == cell ? &v->list[volume] : NULL;
}

/* The cell of a link or a piece, also behind a periodic end. */
static inline int kn_volumes_cell(int32_t entry)
{
    return entry < 0 ? ~entry : entry;
}

/* The link with a row of `outgoing`; NULL: the row of a wall face or of a facet. */
static inline const struct kn_link *kn_volumes_link(const struct kn_volumes *v, int nfaces, int row)
{
    const int link = row - nfaces - v->nfacets;
    return v->of_cell && link >= 0 && link < v->nlinks ? &v->links[link] : NULL;
}

struct kn_space;
struct kn_geometry;

/* Merge cells of a space with edges and sizes; then, when its wall faces are known, find the pieces and enter
 * the links in its neighbour table. */
enum kn_status kn_volumes_begin(struct kn_volumes *v, const struct kn_case *c, const struct kn_geometry *g,
                                const struct kn_space *x);
enum kn_status kn_volumes_finish(struct kn_volumes *v, struct kn_space *x);
void kn_volumes_destroy(struct kn_volumes *v);

/* Rows of `outgoing` and of fluxes: wall faces and facets, and links in addition. */
static inline size_t kn_volumes_rows(const struct kn_volumes *v, int nfaces)
{
    return (size_t)nfaces + (size_t)v->nfacets + (size_t)v->nlinks + (size_t)v->ncrossings;
}

#endif
