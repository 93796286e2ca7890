/* Numbers control volumes and finds their surfaces and the neighbours in their gradients. */
#include "grid/volumes.h"

#include "config/case.h"
#include "error.h"
#include "grid/gradient.h"
#include "grid/merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum kn_status fail_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the control volumes at smooth bodies");
}

/* Number the groups with cut cells; the row of a control volume is that of its largest cell. */
static enum kn_status number_groups(struct kn_volumes *v, const struct kn_space *x)
{
    struct kn_volumes_plan *p = v->plan;
    for (int cell = 0; cell < x->ncells; cell++)
        v->of_cell[cell] = kn_merge_has_gas(p, x, cell) ? KN_VOLUMES_NONE : KN_VOLUMES_SOLID;
    for (int first = 0; first < x->ncells; first++) {
        if (p->cut.kind[first] != KN_CUT_PART || v->of_cell[first] != KN_VOLUMES_NONE)
            continue;
        struct kn_volume *list = kn_cut_grow(v->list, v->count, sizeof *list), *new;
        if (!list)
            return fail_memory();
        v->list = list;
        new = &v->list[v->count];
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
    KN_TRY(kn_merge_cells(p, x));
    KN_TRY(kn_merge_fill_gaps(v, x));
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

static enum kn_status add_piece(struct kn_volumes *v, const struct kn_piece *piece)
{
    struct kn_piece *pieces = kn_cut_grow(v->pieces, v->npieces, sizeof *pieces);
    if (!pieces)
        return fail_memory();
    v->pieces = pieces;
    v->pieces[v->npieces++] = *piece;
    return KN_OK;
}

/* Complete a facet from its area and centre. */
static enum kn_status make_facet(struct kn_volumes *v, int volume, int surface, int side,
                                 const double area[3], const double centre[3])
{
    const struct kn_volumes_plan *p = v->plan;
    struct kn_piece piece = {.row = v->nfacets, .axis = -1, .cell = -1};
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
    struct kn_facet *facets = kn_cut_grow(v->facets, v->nfacets, sizeof *facets);
    if (!facets)
        return fail_memory();
    v->facets = facets;
    v->facets[v->nfacets++] = f;
    return add_piece(v, &piece);
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
    piece.area[side / 2] = (side & 1) ? area : -area;
    for (int d = 0; d < 3; d++)
        piece.arm[d] =
            kn_case_is_uniform(v->plan->c, d) ? 0 : gas->middle[side][d] - v->list[volume].centre[d];
    if (other == KN_VOLUMES_NONE) {
        struct kn_link *links = kn_cut_grow(v->links, v->nlinks, sizeof *links);
        if (!links)
            return fail_memory();
        v->links = links;
        piece.row = v->nlinks;
        v->links[v->nlinks++] = (struct kn_link){to, side ^ 1, wraps ? ~own : own};
    } else {
        int32_t *row = crossing_of(v->plan, cell, to, side);
        if (*row < 0)
            *row = v->ncrossings++;
        piece.row = ~*row;
    }
    return add_piece(v, &piece);
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
            const int to = gas.open[side] > 0 ? kn_merge_beyond(p, x, cell, side, shift) : -1;
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
    if (other == volume)
        return KN_OK;
    for (int d = 0; d < 3; d++) /* at first the displacement */
        new.pull[d] = kn_case_is_uniform(p->c, d) ? 0
                                                  : (other >= 0 ? v->list[other].centre[d] : gas.centre[d]) +
                                                        shift[d] - own->centre[d];
    for (int k = own->first_point; k < v->npoints; k++)
        if (v->points[k].cell == row && is_same(v->points[k].pull, new.pull))
            return KN_OK;
    struct kn_point *points = kn_cut_grow(v->points, v->npoints, sizeof *points);
    if (!points)
        return fail_memory();
    v->points = points;
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
        const int to = gas.open[side] > 0 && side / 2 != axis ? kn_merge_beyond(p, x, cell, side, shift) : -1;
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

/* Sort the facets of bodies by cell, in the order in which they were found; the first of each cell. */
static int *index_facets(struct kn_cut *cut, int ncells)
{
    int *first = calloc((size_t)ncells + 2, sizeof *first);
    struct kn_cut_facet *sorted = malloc(((size_t)cut->nfacets + 1) * sizeof *sorted);
    for (int i = 0; i < cut->nfacets && first && sorted; i++)
        first[cut->facets[i].cell + 2]++;
    for (int cell = 0; cell < ncells && first && sorted; cell++)
        first[cell + 2] += first[cell + 1];
    for (int i = 0; i < cut->nfacets && first && sorted; i++) /* the end of a cell is the first of the next */
        sorted[first[cut->facets[i].cell + 1]++] = cut->facets[i];
    if (!first || !sorted) {
        free(first);
        free(sorted);
        return NULL;
    }
    free(cut->facets);
    cut->facets = sorted;
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
