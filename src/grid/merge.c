/* Merges cut cells with neighbours into groups, and fills gaps that are too small for control volumes. */
#include "grid/merge.h"

#include "config/case.h"
#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum kn_status fail_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the control volumes at smooth bodies");
}

int kn_merge_beyond(const struct kn_volumes_plan *p, const struct kn_space *x, int cell, int side,
                    double shift[3])
{
    int at[3], to[3];
    kn_space_place(x, cell, at);
    memcpy(to, at, sizeof to);
    memset(shift, 0, 3 * sizeof *shift);
    if (kn_space_surface(x, p->c, &p->g, at, side) >= 0 || !kn_space_next(x, p->c, to, side))
        return -1;
    const int d = side / 2;
    if ((to[d] > at[d]) != (side & 1) || to[d] == at[d])
        shift[d] = (side & 1) ? x->edges[d][x->whole[d]] : -x->edges[d][x->whole[d]];
    return kn_space_find(x, to);
}

bool kn_merge_has_gas(const struct kn_volumes_plan *p, const struct kn_space *x, int cell)
{
    int at[3];
    kn_space_place(x, cell, at);
    return p->cut.kind[cell] != KN_CUT_SOLID && kn_geometry_fills(&p->g, at) < 0;
}

/* The neighbour outside of the group of a cell behind the largest open face; -1: there is none. */
static int widest_neighbour(const struct kn_volumes_plan *p, const struct kn_space *x, int first)
{
    double widest = 0;
    int found = -1, cell = first;
    do {
        const struct kn_cut_cell gas = kn_cut_cell(&p->cut, p->c, x, cell);
        for (int side = 0; side < KN_SIDES; side++) {
            double shift[3];
            const int to =
                gas.open[side] > widest * (1 + 1e-9) ? kn_merge_beyond(p, x, cell, side, shift) : -1;
            if (to < 0 || shift[side / 2] != 0 || p->group[to] == p->group[cell] ||
                !kn_merge_has_gas(p, x, to))
                continue;
            widest = gas.open[side];
            found = to;
        }
        cell = p->next[cell];
    } while (cell != first);
    return found;
}

/* Join the groups of two cells. */
static void join(struct kn_volumes_plan *p, int a, int b)
{
    const int to = p->group[b], swap = p->next[a];
    p->size[to] += p->size[p->group[a]];
    for (int cell = a, end = 0; !end; cell = p->next[cell], end = cell == a)
        p->group[cell] = to;
    p->next[a] = p->next[b];
    p->next[b] = swap;
}

/* One cell to merge, for sorting: the smallest first, then by number. */
struct piece_of_gas {
    double share;
    int cell;
};

static int compare_shares(const void *a, const void *b)
{
    const struct piece_of_gas *x = a, *y = b;
    return x->share != y->share ? (x->share > y->share) - (x->share < y->share) : x->cell - y->cell;
}

enum kn_status kn_merge_cells(struct kn_volumes_plan *p, const struct kn_space *x)
{
    struct piece_of_gas *small = malloc(((size_t)p->cut.count + 1) * sizeof *small);
    int count = 0;
    if (!small)
        return fail_memory();
    for (int cell = 0; cell < x->ncells; cell++) {
        p->group[cell] = p->next[cell] = cell;
        p->size[cell] = kn_merge_has_gas(p, x, cell) ? kn_cut_cell(&p->cut, p->c, x, cell).volume : 0;
        if (p->cut.kind[cell] == KN_CUT_PART && kn_merge_has_gas(p, x, cell))
            small[count++] = (struct piece_of_gas){p->size[cell] / kn_cut_whole(p->c, x, cell), cell};
    }
    qsort(small, (size_t)count, sizeof *small, compare_shares);
    for (int i = 0; i < count; i++) {
        const int cell = small[i].cell;
        const double enough = (1 - 1e-9) * kn_cut_whole(p->c, x, cell);
        for (int to = cell; to >= 0 && p->size[p->group[cell]] < enough;) {
            to = widest_neighbour(p, x, cell);
            if (to >= 0)
                join(p, cell, to);
        }
    }
    free(small);
    return KN_OK;
}

/* The largest share of a group that molecules of a speed leave in the time in which they cross the narrowest
 * cell along an axis: the projected area of its surface, times this width, over its volume.  Infinite for a
 * pocket, which has less gas than one of its cells would have without a body. */
static double turnover_of(const struct kn_volumes_plan *p, const struct kn_space *x, int first,
                          double (*cover)[3])
{
    double area[3] = {0}, most = 0;
    int cell = first;
    do {
        const struct kn_cut_cell gas = kn_cut_cell(&p->cut, p->c, x, cell);
        if (p->cut.kind[cell] == KN_CUT_PART &&
            p->size[p->group[cell]] < (1 - 1e-9) * kn_cut_whole(p->c, x, cell))
            return INFINITY;
        for (int side = 0; side < KN_SIDES; side++) {
            double shift[3];
            const int to = gas.open[side] > 0 ? kn_merge_beyond(p, x, cell, side, shift) : -1;
            if (to < 0 || shift[side / 2] != 0 || p->group[to] != p->group[cell])
                area[side / 2] += gas.open[side];
        }
        for (int d = 0; d < 3; d++)
            area[d] += cover[cell][d];
        cell = p->next[cell];
    } while (cell != first);
    for (int d = 0; d < 3; d++)
        if (!kn_case_is_uniform(p->c, d))
            most = fmax(most, area[d] / 2 * kn_case_narrowest_cell(p->c, d) / p->size[p->group[first]]);
    return most;
}

/* The cells of a group become solid, and its neighbours get facets. */
static enum kn_status fill_group(struct kn_volumes *v, const struct kn_space *x, int first,
                                 double (*cover)[3])
{
    struct kn_volumes_plan *p = v->plan;
    int cell = first;
    do {
        p->cut.kind[cell] = KN_CUT_SOLID;
        v->filled++;
        cell = p->next[cell];
    } while (cell != first);
    do {
        for (int side = 0; side < KN_SIDES; side++) {
            double shift[3];
            const int to = kn_merge_beyond(p, x, cell, side, shift);
            const double open =
                to >= 0 && kn_merge_has_gas(p, x, to) ? kn_cut_cell(&p->cut, p->c, x, to).open[side ^ 1] : 0;
            if (open > 0) {
                cover[to][side / 2] += open;
                KN_TRY(kn_cut_close(&p->cut, p->c, x, to, side ^ 1));
            }
        }
        cell = p->next[cell];
    } while (cell != first);
    return KN_OK;
}

enum kn_status kn_merge_fill_gaps(struct kn_volumes *v, const struct kn_space *x)
{
    static const double most = 2;
    struct kn_volumes_plan *p = v->plan;
    double(*cover)[3] = calloc((size_t)x->ncells, sizeof *cover);
    enum kn_status status = KN_OK;
    if (!cover)
        return fail_memory();
    for (int k = 0; k < p->cut.nfacets; k++)
        for (int d = 0; d < 3; d++)
            cover[p->cut.facets[k].cell][d] += fabs(p->cut.facets[k].area[d]);
    for (int cell = 0; cell < x->ncells && status == KN_OK; cell++)
        if (p->group[cell] == cell && (p->next[cell] != cell || p->cut.kind[cell] == KN_CUT_PART) &&
            kn_merge_has_gas(p, x, cell) && turnover_of(p, x, cell, cover) > most)
            status = fill_group(v, x, cell, cover);
    free(cover);
    return status;
}
