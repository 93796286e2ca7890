/* The cells that the surfaces of smooth bodies cut: lists, and steps common to two and three dimensions. */
#include "grid/cut.h"

#include "config/case.h"
#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum kn_status fail_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the surfaces of bodies");
}

void *kn_cut_grow(void *list, int count, size_t size)
{
    if (count > 0 && (count & (count - 1)) != 0)
        return list;
    return realloc(list, (count > 0 ? 2 * (size_t)count : 1) * size);
}

enum kn_status kn_cut_add_facet(struct kn_cut *cut, const struct kn_cut_facet *facet)
{
    struct kn_cut_facet *more = kn_cut_grow(cut->facets, cut->nfacets, sizeof *more);
    if (!more)
        return fail_memory();
    cut->facets = more;
    cut->facets[cut->nfacets++] = *facet;
    return KN_OK;
}

enum kn_status kn_cut_add_cell(struct kn_cut *cut, int cell, const struct kn_cut_cell *from)
{
    struct kn_cut_cell *more = kn_cut_grow(cut->cells, cut->count, sizeof *more);
    if (!more)
        return fail_memory();
    cut->cells = more;
    cut->kind[cell] = KN_CUT_PART;
    cut->index[cell] = cut->count;
    cut->cells[cut->count++] = *from;
    return KN_OK;
}

double kn_cut_whole(const struct kn_case *c, const struct kn_space *space, int cell)
{
    double volume = 1;
    int at[3];
    kn_space_place(space, cell, at);
    for (int d = 0; d < 3; d++)
        volume *= kn_case_is_uniform(c, d) ? 1 : space->edges[d][at[d] + 1] - space->edges[d][at[d]];
    return volume;
}

struct kn_cut_cell kn_cut_cell(const struct kn_cut *cut, const struct kn_case *c,
                               const struct kn_space *space, int cell)
{
    if (cut->kind[cell] == KN_CUT_PART)
        return cut->cells[cut->index[cell]];
    struct kn_cut_cell whole = {.volume = kn_cut_whole(c, space, cell)};
    int at[3];
    kn_space_place(space, cell, at);
    for (int d = 0; d < 3; d++)
        whole.centre[d] = (space->edges[d][at[d]] + space->edges[d][at[d] + 1]) / 2;
    for (int side = 0; side < KN_SIDES; side++) {
        const int d = side / 2;
        const double *edge = space->edges[d] + at[d];
        memcpy(whole.middle[side], whole.centre, sizeof whole.centre);
        whole.middle[side][d] = edge[side & 1];
        whole.open[side] = kn_case_is_uniform(c, d) ? 0 : whole.volume / (edge[1] - edge[0]);
    }
    return whole;
}

/* Shut the open part of a face of a cell; the facet that takes its place. */
static enum kn_status shut_face(struct kn_cut *cut, const struct kn_case *c, const struct kn_space *space,
                                int cell, int side, struct kn_cut_facet *facet)
{
    struct kn_cut_cell gas = kn_cut_cell(cut, c, space, cell);
    const double open = gas.open[side];
    *facet = (struct kn_cut_facet){.cell = cell};
    facet->area[side / 2] = (side & 1) ? open : -open;
    memcpy(facet->centre, gas.middle[side], sizeof facet->centre);
    facet->body = kn_shape_nearest(&cut->shapes, facet->centre, cut->margin, NULL);
    gas.open[side] = 0;
    if (cut->kind[cell] == KN_CUT_WHOLE)
        return kn_cut_add_cell(cut, cell, &gas);
    cut->cells[cut->index[cell]].open[side] = 0;
    return KN_OK;
}

enum kn_status kn_cut_close(struct kn_cut *cut, const struct kn_case *c, const struct kn_space *space,
                            int cell, int side)
{
    struct kn_cut_facet facet;
    KN_TRY(shut_face(cut, c, space, cell, side, &facet));
    return kn_cut_add_facet(cut, &facet);
}

/* Close the face of the neighbour of a solid cell towards it: the facets of the cell, which are on the face,
 * become those of the neighbour; or, if the cell has gas on several sides, one facet does. */
static enum kn_status close_face(struct kn_cut *cut, const struct kn_case *c, const struct kn_space *space,
                                 int cell, int side, bool alone)
{
    struct kn_cut_facet facet;
    int at[3];
    kn_space_place(space, cell, at);
    const int next = kn_space_next(space, c, at, side) ? kn_space_find(space, at) : cell;
    if (cut->kind[next] == KN_CUT_SOLID || kn_cut_cell(cut, c, space, next).open[side ^ 1] <= 0)
        return KN_OK;
    KN_TRY(shut_face(cut, c, space, next, side ^ 1, &facet));
    for (int i = 0; i < cut->nfacets && alone; i++)
        if (cut->facets[i].cell == cell)
            cut->facets[i].cell = next;
    return alone ? KN_OK : kn_cut_add_facet(cut, &facet);
}

/* Cells without gas, up to round-off, become solid; the faces of their neighbours towards them become parts
 * of the surface. */
static enum kn_status remove_slivers(struct kn_cut *cut, const struct kn_case *c,
                                     const struct kn_space *space)
{
    static const double tiny = 1e-9; /* of the cell */
    int kept = 0;
    for (int cell = 0; cell < space->ncells; cell++)
        if (cut->kind[cell] == KN_CUT_PART &&
            cut->cells[cut->index[cell]].volume <= tiny * kn_cut_whole(c, space, cell))
            cut->kind[cell] = KN_CUT_SOLID;
    for (int cell = 0; cell < space->ncells; cell++) {
        int open = 0;
        const int index = cut->kind[cell] == KN_CUT_SOLID ? cut->index[cell] : -1;
        for (int side = 0; side < KN_SIDES && index >= 0; side++)
            open += cut->cells[index].open[side] > 0;
        for (int side = 0; side < KN_SIDES && index >= 0; side++)
            if (cut->cells[index].open[side] > 0)
                KN_TRY(close_face(cut, c, space, cell, side, open == 1));
    }
    for (int i = 0; i < cut->nfacets; i++)
        if (cut->kind[cut->facets[i].cell] == KN_CUT_PART)
            cut->facets[kept++] = cut->facets[i];
    cut->nfacets = kept;
    return KN_OK;
}

/* What is left of a sum over the surface of the gas in a cell by round-off is added to the largest facet: a
 * uniform gas has no flux then. */
static enum kn_status close_cells(struct kn_cut *cut, const struct kn_space *space)
{
    enum { OF_CELL = 4 }; /* sum of areas, largest facet */
    double(*sum)[OF_CELL] = calloc((size_t)cut->count + 1, sizeof *sum);
    int *largest = malloc(((size_t)cut->count + 1) * sizeof *largest);
    bool closed = true;
    for (int i = 0; i < cut->count && sum && largest; i++) {
        largest[i] = -1;
        for (int side = 0; side < KN_SIDES; side++)
            sum[i][side / 2] += (side & 1) ? cut->cells[i].open[side] : -cut->cells[i].open[side];
    }
    for (int k = 0; k < cut->nfacets && sum && largest; k++) {
        const double *area = cut->facets[k].area;
        const int i = cut->index[cut->facets[k].cell];
        const double size = fabs(area[0]) + fabs(area[1]) + fabs(area[2]);
        for (int d = 0; d < 3; d++)
            sum[i][d] += area[d];
        if (largest[i] < 0 || size > sum[i][3]) {
            largest[i] = k;
            sum[i][3] = size;
        }
    }
    for (int cell = 0; cell < space->ncells && sum && largest; cell++) {
        const int i = cut->index[cell];
        if (cut->kind[cell] != KN_CUT_PART)
            continue;
        const double whole = fmax(pow(cut->cells[i].volume, 2.0 / 3), cut->cells[i].volume);
        for (int d = 0; d < 3; d++) {
            closed = closed &&
                     (sum[i][d] == 0 || (largest[i] >= 0 && fabs(sum[i][d]) < 1e-6 * (sum[i][3] + whole)));
            if (largest[i] >= 0)
                cut->facets[largest[i]].area[d] -= sum[i][d];
        }
    }
    const bool memory = sum && largest;
    free(sum);
    free(largest);
    return !memory ? fail_memory()
           : closed
               ? KN_OK
               : kn_error_set(KN_EINPUT, "bodies: the surface in a cell is not closed (move the bodies by "
                                         "a fraction of a cell, or use other cells)");
}

static double open_at(const struct kn_cut *cut, const struct kn_case *c, const struct kn_space *space,
                      int cell, int side)
{
    return cut->kind[cell] == KN_CUT_SOLID ? 0 : kn_cut_cell(cut, c, space, cell).open[side];
}

/* Both cells of a face have the same open part.  A flat side on a periodic end is found at this end only. */
static enum kn_status check_faces(const struct kn_cut *cut, const struct kn_case *c,
                                  const struct kn_space *space)
{
    for (int cell = 0; cell < space->ncells; cell++)
        for (int side = 0; side < KN_SIDES && cut->kind[cell] != KN_CUT_WHOLE; side++) {
            const int d = side / 2;
            int at[3];
            kn_space_place(space, cell, at);
            const double width = space->edges[d][at[d] + 1] - space->edges[d][at[d]];
            if (kn_case_is_uniform(c, d) || !kn_space_next(space, c, at, side))
                continue;
            if (fabs(open_at(cut, c, space, cell, side) -
                     open_at(cut, c, space, kn_space_find(space, at), side ^ 1)) >
                1e-6 * kn_cut_whole(c, space, cell) / width)
                return kn_error_set(KN_EINPUT,
                                    "bodies: a surface is on a periodic end of the space, or within "
                                    "round-off of edges of cells (move it by a fraction of a cell)");
        }
    return KN_OK;
}

enum kn_status kn_cut_create(struct kn_cut *cut, const struct kn_case *c, const struct kn_space *space)
{
    const size_t n = (size_t)space->ncells;
    *cut = (struct kn_cut){.kind = calloc(n, sizeof *cut->kind), .index = malloc(n * sizeof *cut->index)};
    for (int d = 0; d < 3; d++)
        cut->margin = fmax(cut->margin, 1e-9 * space->edges[d][1]);
    if (!cut->kind || !cut->index)
        return fail_memory();
    KN_TRY(kn_shape_create(&cut->shapes, c));
    for (size_t i = 0; i < n; i++)
        cut->index[i] = -1;
    KN_TRY(space->naxes == 2 ? kn_outline_cut(cut, space) : kn_surface_cut(cut, space));
    KN_TRY(remove_slivers(cut, c, space));
    KN_TRY(check_faces(cut, c, space));
    return close_cells(cut, space);
}

void kn_cut_destroy(struct kn_cut *cut)
{
    free(cut->kind);
    free(cut->index);
    free(cut->cells);
    free(cut->facets);
    kn_shape_destroy(&cut->shapes);
    *cut = (struct kn_cut){0};
}
