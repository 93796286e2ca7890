/* Cells that the surfaces of smooth bodies cut, and cells that these bodies fill. */
#ifndef KN_CUT_H
#define KN_CUT_H

#include "config/shape.h"
#include "grid/space.h"

/* A plane part of a surface in one cell. */
struct kn_cut_facet {
    int32_t cell;
    int32_t body;     /* index of kn_case.bodies */
    double area[3];   /* lambda0^2, out of the gas */
    double centre[3]; /* lambda0 */
};

/* The gas in a cell and the open parts of its faces; lambda0, unused axes count 1. */
struct kn_cut_cell {
    double volume, centre[3];
    double open[KN_SIDES];      /* areas */
    double middle[KN_SIDES][3]; /* centres of the open parts */
};

enum kn_cut_kind { KN_CUT_WHOLE, KN_CUT_SOLID, KN_CUT_PART };

/* The cells of a space: as enum kn_cut_kind, and the number in `cells` of those of which a part is gas. */
struct kn_cut {
    uint8_t *kind;  /* [ncells] */
    int32_t *index; /* [ncells]; -1: none */
    int count;
    struct kn_cut_cell *cells; /* [count] */
    int nfacets;
    struct kn_cut_facet *facets; /* [nfacets] */
    struct kn_shapes shapes;
    double margin; /* surfaces at this distance coincide, lambda0 */
};

/* For a whole space with edges and sizes.  In two dimensions surfaces are chains of chords and edges
 * (outline.c), in three they are given by the signed distances of the corners of cells (surface.c). */
enum kn_status kn_cut_create(struct kn_cut *cut, const struct kn_case *c, const struct kn_space *space);
void kn_cut_destroy(struct kn_cut *cut);

/* The gas in any cell that is not solid. */
struct kn_cut_cell kn_cut_cell(const struct kn_cut *cut, const struct kn_case *c,
                               const struct kn_space *space, int cell);

/* The volume of a cell without bodies, lambda0^3; unused axes count 1. */
double kn_cut_whole(const struct kn_case *c, const struct kn_space *space, int cell);

/* A list with room for one more element of `size` bytes, which grows by doubling; NULL: no memory, and the
 * list is as before. */
void *kn_cut_grow(void *list, int count, size_t size);

/* Add a facet; a cell becomes partial. */
enum kn_status kn_cut_add_facet(struct kn_cut *cut, const struct kn_cut_facet *facet);
enum kn_status kn_cut_add_cell(struct kn_cut *cut, int cell, const struct kn_cut_cell *from);

/* Close the open part of a face of a cell that is not solid: it becomes a facet of the nearest body. */
enum kn_status kn_cut_close(struct kn_cut *cut, const struct kn_case *c, const struct kn_space *space,
                            int cell, int side);

/* Find the cells and facets in two and in three dimensions. */
enum kn_status kn_outline_cut(struct kn_cut *cut, const struct kn_space *space);
enum kn_status kn_surface_cut(struct kn_cut *cut, const struct kn_space *space);

#endif
