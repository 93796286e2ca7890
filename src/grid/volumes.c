/* Merges cut cells into control volumes and finds their surfaces and gradients. */
#include "grid/volumes.h"

#include "config/case.h"
#include "config/geometry.h"
#include "error.h"
#include "grid/cut.h"
#include "grid/gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct kn_volumes_plan {
    const struct kn_case *c;
    struct kn_geometry g;
    struct kn_cut cut;
    int *group, *next; /* [ncells] a cell of the group, the next cell of the group in a ring */
    double *size;      /* [ncells] of the group, in the entry of its first cell */
    int32_t *crossing; /* [ncells][3] row of the link through the upper side along an axis; -1: none */
};

static enum kn_status fail_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the control volumes at smooth bodies");
}

/* The cell beyond an open side of a cell, *shift from it to where it is next to the cell; -1: there is a
 * surface. */
static int beyond(const struct kn_volumes_plan *p, const struct kn_space *x, int cell, int side,
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

static bool has_gas(const struct kn_volumes_plan *p, const struct kn_space *x, int cell)
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
            const int to = gas.open[side] > widest * (1 + 1e-9) ? beyond(p, x, cell, side, shift) : -1;
            if (to < 0 || shift[side / 2] != 0 || p->group[to] == p->group[cell] || !has_gas(p, x, to))
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

static double whole_volume(const struct kn_volumes_plan *p, const struct kn_space *x, int cell)
{
    double volume = 1;
    int at[3];
    kn_space_place(x, cell, at);
    for (int d = 0; d < 3; d++)
        volume *= kn_case_is_uniform(p->c, d) ? 1 : x->edges[d][at[d] + 1] - x->edges[d][at[d]];
    return volume;
}

/* Groups of cells with at least the volume of a whole one, except for pockets without neighbours. */
static enum kn_status merge_cells(struct kn_volumes_plan *p, const struct kn_space *x)
{
    struct piece_of_gas *small = malloc(((size_t)p->cut.count + 1) * sizeof *small);
    int count = 0;
    if (!small)
        return fail_memory();
    for (int cell = 0; cell < x->ncells; cell++) {
        p->group[cell] = p->next[cell] = cell;
        p->size[cell] = has_gas(p, x, cell) ? kn_cut_cell(&p->cut, p->c, x, cell).volume : 0;
        if (p->cut.kind[cell] == KN_CUT_PART && has_gas(p, x, cell))
            small[count++] = (struct piece_of_gas){p->size[cell] / whole_volume(p, x, cell), cell};
    }
    qsort(small, (size_t)count, sizeof *small, compare_shares);
    for (int i = 0; i < count; i++) {
        const int cell = small[i].cell;
        const double enough = (1 - 1e-9) * whole_volume(p, x, cell);
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
            p->size[p->group[cell]] < (1 - 1e-9) * whole_volume(p, x, cell))
            return INFINITY;
        for (int side = 0; side < KN_SIDES; side++) {
            double shift[3];
            const int to = gas.open[side] > 0 ? beyond(p, x, cell, side, shift) : -1;
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
            const int to = beyond(p, x, cell, side, shift);
            const double open =
                to >= 0 && has_gas(p, x, to) ? kn_cut_cell(&p->cut, p->c, x, to).open[side ^ 1] : 0;
            if (open > 0) {
                cover[to][side / 2] += open;
                KN_TRY(kn_cut_close(&p->cut, p->c, x, to, side ^ 1));
            }
        }
        cell = p->next[cell];
    } while (cell != first);
    return KN_OK;
}

/* Pockets that are smaller than a cell are filled, and gaps that are much narrower: molecules would cross
 * them several times in a step. */
static enum kn_status fill_gaps(struct kn_volumes *v, const struct kn_space *x)
{
    static const double most = 2;
    struct kn_volumes_plan *p = v->plan;
    double(*cover)[3] = calloc((size_t)x->ncells, sizeof *cover);
    enum kn_status status = cover ? KN_OK : fail_memory();
    for (int k = 0; k < p->cut.nfacets && cover; k++)
        for (int d = 0; d < 3; d++)
            cover[p->cut.facets[k].cell][d] += fabs(p->cut.facets[k].area[d]);
    for (int cell = 0; cell < x->ncells && status == KN_OK; cell++)
        if (p->group[cell] == cell && (p->next[cell] != cell || p->cut.kind[cell] == KN_CUT_PART) &&
            has_gas(p, x, cell) && turnover_of(p, x, cell, cover) > most)
            status = fill_group(v, x, cell, cover);
    free(cover);
    return status;
}

/* Number the groups with cut cells; the row of a control volume is that of its largest cell. */
static enum kn_status number_groups(struct kn_volumes *v, const struct kn_space *x)
{
    struct kn_volumes_plan *p = v->plan;
    for (int cell = 0; cell < x->ncells; cell++)
        v->of_cell[cell] = has_gas(p, x, cell) ? KN_VOLUMES_NONE : KN_VOLUMES_SOLID;
    for (int first = 0; first < x->ncells; first++) {
        if (p->cut.kind[first] != KN_CUT_PART || v->of_cell[first] != KN_VOLUMES_NONE)
            continue;
        void *list = v->list;
        const bool room = kn_cut_grow(&list, v->count, sizeof *v->list);
        v->list = list;
        if (!room)
            return fail_memory();
        struct kn_volume *new = &v->list[v->count];
        double largest = 0;
        int cell = first;
        *new = (struct kn_volume){.cell = first};
        do {
            const struct kn_cut_cell gas = kn_cut_cell(&p->cut, p->c, x, cell);
            v->of_cell[cell] = v->count;
            v->gas[cell] = gas.volume;
            new->size += gas.volume;
            for (int d = 0; d < 3; d++)
                new->centre[d] += gas.volume *gas.centre[d];
            if (gas.volume > largest)
                new->cell = cell;
            largest = fmax(largest, gas.volume);
            cell = p->next[cell];
        } while (cell != first);
        for (int d = 0; d < 3; d++)
            new->centre[d] /= new->size;
        v->count++;
    }
    return KN_OK;
}

enum kn_status kn_volumes_begin(struct kn_volumes *v, const struct kn_case *c, const struct kn_geometry *g,
                                const struct kn_space *x)
{
    const size_t n = (size_t)x->ncells;
    struct kn_volumes_plan *p = v->plan = calloc(1, sizeof *p);
    v->of_cell = malloc(n * sizeof *v->of_cell);
    v->gas = calloc(n, sizeof *v->gas);
    if (!p || !v->of_cell || !v->gas)
        return fail_memory();
    p->c = c;
    p->g = *g;
    p->group = malloc(n * sizeof *p->group);
    p->next = malloc(n * sizeof *p->next);
    p->size = malloc(n * sizeof *p->size);
    p->crossing = malloc(3 * n * sizeof *p->crossing);
    if (!p->group || !p->next || !p->size || !p->crossing)
        return fail_memory();
    memset(p->crossing, -1, 3 * n * sizeof *p->crossing);
    KN_TRY(kn_cut_create(&p->cut, c, x));
    KN_TRY(merge_cells(p, x));
    KN_TRY(fill_gaps(v, x));
    KN_TRY(number_groups(v, x));
    int rows = v->count;
    for (int cell = 0; cell < x->ncells; cell++)
        rows += v->of_cell[cell] == KN_VOLUMES_NONE;
    return rows > 1 ? KN_OK
           : rows > 0
               ? kn_error_set(KN_EINPUT, "bodies: the gas is smaller than two cells (more space.cells)")
               : kn_error_set(KN_EINPUT, "bodies: no gas is left");
}

/* Reflection at a surface that is no diffuse wall; KN_EINPUT if a control volume cannot have it. */
static enum kn_status find_mirror(const struct kn_case *c, int surface, int side, struct kn_facet *f)
{
    const struct kn_wall w = kn_case_surface(c, surface);
    const bool mirror = kn_case_reflection(&w) != 0,
               emits = w.kind == KN_WALL_INFLOW || w.kind == KN_WALL_DIFFUSE;
    f->mirror = mirror ? side / 2 : -1;
    if (mirror ||
        (emits && w.accommodation == 1 && !kn_case_scatters(&w) && surface < KN_SIDES + kn_case_bodies(c)))
        return KN_OK;
    return kn_error_set(KN_EINPUT,
                        "bodies: a smooth body touches walls.%s, which must be diffuse with accommodation 1, "
                        "specular, symmetry, inflow or periodic there (move the body away from it)",
                        kn_case_side_name((enum kn_side)side));
}

static enum kn_status add_facet(struct kn_volumes *v, const struct kn_facet *f, const struct kn_piece *piece)
{
    void *facets = v->facets, *pieces = v->pieces;
    const bool room =
        kn_cut_grow(&facets, v->nfacets, sizeof *f) && kn_cut_grow(&pieces, v->npieces, sizeof *piece);
    v->facets = facets;
    v->pieces = pieces;
    if (!room)
        return fail_memory();
    v->pieces[v->npieces] = *piece;
    v->pieces[v->npieces++].row = v->nfacets;
    v->facets[v->nfacets++] = *f;
    return KN_OK;
}

/* Complete a facet from its area and centre. */
static enum kn_status make_facet(struct kn_volumes *v, int volume, int surface, int side,
                                 const double area[3], const double centre[3])
{
    const struct kn_volumes_plan *p = v->plan;
    struct kn_piece piece = {.axis = -1, .cell = -1};
    struct kn_facet f = {
        .volume = volume, .surface = surface, .axis = side < 0 ? -1 : side / 2, .mirror = -1};
    f.patch = kn_case_find_patch(p->c, surface, side < 0 ? 0 : side);
    f.area = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    if (f.area == 0)
        return KN_OK;
    for (int d = 0; d < 3; d++) {
        piece.area[d] = area[d];
        piece.arm[d] = kn_case_is_uniform(p->c, d) ? 0 : centre[d] - v->list[volume].centre[d];
        f.centre[d] = centre[d];
        f.normal[d] = area[d] / f.area;
    }
    if (side >= 0)
        KN_TRY(find_mirror(p->c, surface, side, &f));
    return add_facet(v, &f, &piece);
}

/* Facets of the surfaces of bodies, then those at sides of the space and at boxes. */
static enum kn_status add_facets(struct kn_volumes *v, const struct kn_space *x, int volume,
                                 const int *facets_of)
{
    const struct kn_volumes_plan *p = v->plan;
    const int first = v->list[volume].cell;
    int cell = first;
    do {
        const struct kn_cut_cell gas = kn_cut_cell(&p->cut, p->c, x, cell);
        for (int k = facets_of[cell]; k < facets_of[cell + 1]; k++) {
            const struct kn_cut_facet *f = &p->cut.facets[k];
            KN_TRY(make_facet(v, volume, KN_SIDES + f->body, -1, f->area, f->centre));
        }
        for (int side = 0; side < KN_SIDES; side++) {
            int at[3];
            double area[3] = {0};
            kn_space_place(x, cell, at);
            const int surface = gas.open[side] > 0 ? kn_space_surface(x, p->c, &p->g, at, side) : -1;
            area[side / 2] = (side & 1) ? gas.open[side] : -gas.open[side];
            if (surface >= 0)
                KN_TRY(make_facet(v, volume, surface, side, area, gas.middle[side]));
        }
        cell = p->next[cell];
    } while (cell != first);
    v->list[volume].facets = v->npieces - v->list[volume].first_piece;
    return KN_OK;
}

/* The row of a link between two control volumes; the first of them makes it. */
static int32_t *crossing_of(struct kn_volumes_plan *p, int cell, int to, int side)
{
    return p->crossing + 3 * (size_t)((side & 1) ? cell : to) + side / 2;
}

/* The area of a face of a whole cell, with the widths of its flows. */
static double face_area(const struct kn_case *c, const struct kn_space *x, int cell, int axis)
{
    double area = 1;
    for (int d = 0; d < 3; d++)
        area *= d == axis || kn_case_is_uniform(c, d) ? 1 : (double)x->width[3 * (size_t)cell + (size_t)d];
    return area;
}

/* The link through a side of a cell; rows count within links and crossings at first. */
static enum kn_status add_link(struct kn_volumes *v, const struct kn_space *x, const struct kn_cut_cell *gas,
                               int cell, int side, int to, bool wraps)
{
    const int volume = v->of_cell[cell], other = v->of_cell[to],
              row_cell = other >= 0 ? v->list[other].cell : to, own = v->list[volume].cell;
    const double area = other >= 0 ? gas->open[side] : face_area(v->plan->c, x, to, side / 2);
    struct kn_piece piece = {.axis = side / 2, .cell = wraps ? ~row_cell : row_cell};
    void *pieces = v->pieces, *links = v->links;
    const bool room =
        kn_cut_grow(&pieces, v->npieces, sizeof piece) && kn_cut_grow(&links, v->nlinks, sizeof *v->links);
    v->pieces = pieces;
    v->links = links;
    if (!room)
        return fail_memory();
    piece.area[side / 2] = (side & 1) ? area : -area;
    for (int d = 0; d < 3; d++)
        piece.arm[d] =
            kn_case_is_uniform(v->plan->c, d) ? 0 : gas->middle[side][d] - v->list[volume].centre[d];
    if (other == KN_VOLUMES_NONE) {
        piece.row = v->nlinks;
        v->links[v->nlinks++] = (struct kn_link){to, side ^ 1, wraps ? ~own : own};
    } else {
        int32_t *row = crossing_of(v->plan, cell, to, side);
        if (*row < 0)
            *row = v->ncrossings++;
        piece.row = ~*row;
    }
    v->pieces[v->npieces++] = piece;
    return KN_OK;
}

/* The widths of whole cells are rounded to single precision: the largest facet of a body closes the surface,
 * unless it is too small. */
static void close_surface(struct kn_volumes *v, const struct kn_volume *own)
{
    struct kn_piece *pieces = v->pieces + own->first_piece;
    struct kn_facet *f = NULL;
    double sum[3] = {0};
    int largest = 0;
    for (int i = 0; i < own->pieces; i++) {
        struct kn_facet *other = i < own->facets ? &v->facets[pieces[i].row] : NULL;
        if (other && other->axis < 0 && (!f || other->area > f->area)) {
            f = other;
            largest = i;
        }
        for (int d = 0; d < 3; d++)
            sum[d] += pieces[i].area[d];
    }
    if (!f || fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) > 1e-3 * f->area)
        return;
    double *area = pieces[largest].area;
    for (int d = 0; d < 3; d++)
        area[d] -= sum[d];
    f->area = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    for (int d = 0; d < 3; d++)
        f->normal[d] = area[d] / f->area;
}

static enum kn_status add_links(struct kn_volumes *v, const struct kn_space *x, int volume)
{
    const struct kn_volumes_plan *p = v->plan;
    const int first = v->list[volume].cell;
    int cell = first;
    do {
        const struct kn_cut_cell gas = kn_cut_cell(&p->cut, p->c, x, cell);
        for (int side = 0; side < KN_SIDES; side++) {
            double shift[3];
            const int to = gas.open[side] > 0 ? beyond(p, x, cell, side, shift) : -1;
            if (to >= 0 && v->of_cell[to] != volume && v->of_cell[to] != KN_VOLUMES_SOLID)
                KN_TRY(add_link(v, x, &gas, cell, side, to, shift[side / 2] != 0));
        }
        cell = p->next[cell];
    } while (cell != first);
    v->list[volume].pieces = v->npieces - v->list[volume].first_piece;
    close_surface(v, &v->list[volume]);
    return KN_OK;
}

static bool is_same(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* A neighbour of a control volume: its centre relative to that of the volume. Neighbours share a face with
 * one of its cells, or with such a neighbour through which it can be reached. */
static enum kn_status add_point(struct kn_volumes *v, const struct kn_space *x, int volume, int cell,
                                const double shift[3])
{
    const struct kn_volumes_plan *p = v->plan;
    struct kn_volume *own = &v->list[volume];
    const int other = v->of_cell[cell], row = other >= 0 ? v->list[other].cell : cell;
    const struct kn_cut_cell gas = kn_cut_cell(&p->cut, p->c, x, cell);
    struct kn_point new = {.cell = row};
    void *points = v->points;
    if (other == volume)
        return KN_OK;
    for (int d = 0; d < 3; d++) /* at first the displacement */
        new.pull[d] = kn_case_is_uniform(p->c, d) ? 0
                                                  : (other >= 0 ? v->list[other].centre[d] : gas.centre[d]) +
                                                        shift[d] - own->centre[d];
    for (int k = own->first_point; k < v->npoints; k++)
        if (v->points[k].cell == row && is_same(v->points[k].pull, new.pull))
            return KN_OK;
    const bool room = kn_cut_grow(&points, v->npoints, sizeof new);
    v->points = points;
    if (!room)
        return fail_memory();
    v->points[v->npoints++] = new;
    own->points = v->npoints - own->first_point;
    return KN_OK;
}

/* Neighbours behind the open sides of a cell, and those behind their open sides along other axes. */
static enum kn_status add_neighbours(struct kn_volumes *v, const struct kn_space *x, int volume, int cell,
                                     const double from[3], int axis)
{
    const struct kn_volumes_plan *p = v->plan;
    const struct kn_cut_cell gas = kn_cut_cell(&p->cut, p->c, x, cell);
    for (int side = 0; side < KN_SIDES; side++) {
        double shift[3];
        const int to = gas.open[side] > 0 && side / 2 != axis ? beyond(p, x, cell, side, shift) : -1;
        if (to < 0 || v->of_cell[to] == KN_VOLUMES_SOLID)
            continue;
        for (int d = 0; d < 3; d++)
            shift[d] += from[d];
        KN_TRY(add_point(v, x, volume, to, shift));
        if (axis < 0)
            KN_TRY(add_neighbours(v, x, volume, to, shift, side / 2));
    }
    return KN_OK;
}

static enum kn_status add_points(struct kn_volumes *v, const struct kn_space *x, int volume)
{
    static const double here[3] = {0};
    const struct kn_volumes_plan *p = v->plan;
    const int first = v->list[volume].cell;
    int cell = first;
    v->list[volume].first_point = v->npoints;
    do {
        KN_TRY(add_neighbours(v, x, volume, cell, here, -1));
        cell = p->next[cell];
    } while (cell != first);
    return kn_gradient_fill(v, volume);
}

static int compare_facets(const void *a, const void *b)
{
    return ((const struct kn_cut_facet *)a)->cell - ((const struct kn_cut_facet *)b)->cell;
}

/* Sort the facets of bodies by cell; the first of each cell. */
static int *index_facets(struct kn_cut *cut, int ncells)
{
    int *first = calloc((size_t)ncells + 2, sizeof *first);
    if (!first)
        return NULL;
    if (cut->nfacets > 0)
        qsort(cut->facets, (size_t)cut->nfacets, sizeof *cut->facets, compare_facets);
    for (int i = 0; i < cut->nfacets; i++)
        first[cut->facets[i].cell + 1]++;
    for (int cell = 0; cell < ncells; cell++)
        first[cell + 1] += first[cell];
    return first;
}

/* Rows begin after those of the wall faces. */
static void number_rows(struct kn_volumes *v, struct kn_space *x)
{
    const int32_t facets = x->nfaces, links = facets + v->nfacets, crossings = links + v->nlinks;
    for (int i = 0; i < v->npieces; i++) {
        struct kn_piece *piece = &v->pieces[i];
        piece->row = piece->axis < 0  ? facets + piece->row
                     : piece->row < 0 ? crossings + ~piece->row
                                      : links + piece->row;
    }
    for (int i = 0; i < v->nlinks; i++)
        x->neighbour[6 * (size_t)v->links[i].cell + v->links[i].side] = kn_mesh_wall(links + i, 0);
}

static void drop_plan(struct kn_volumes *v)
{
    if (!v->plan)
        return;
    kn_cut_destroy(&v->plan->cut);
    free(v->plan->group);
    free(v->plan->next);
    free(v->plan->size);
    free(v->plan->crossing);
    free(v->plan);
    v->plan = NULL;
}

enum kn_status kn_volumes_finish(struct kn_volumes *v, struct kn_space *x)
{
    int *facets_of = index_facets(&v->plan->cut, x->ncells);
    enum kn_status status = facets_of ? KN_OK : fail_memory();
    for (int i = 0; i < v->count && status == KN_OK; i++) {
        v->list[i].first_piece = v->npieces;
        status = add_facets(v, x, i, facets_of);
        if (status == KN_OK)
            status = add_links(v, x, i);
        if (status == KN_OK)
            status = add_points(v, x, i);
    }
    free(facets_of);
    KN_TRY(status);
    number_rows(v, x);
    v->own_count = v->count;
    v->own_facets = v->nfacets;
    v->own_links = v->nlinks;
    drop_plan(v);
    return KN_OK;
}

void kn_volumes_destroy(struct kn_volumes *v)
{
    drop_plan(v);
    free(v->of_cell);
    free(v->gas);
    free(v->list);
    free(v->pieces);
    free(v->points);
    free(v->matrices);
    free(v->facets);
    free(v->links);
    *v = (struct kn_volumes){0};
}
