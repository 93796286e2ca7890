/* The cells of one rank, their neighbours, wall faces and halo. */
#include "grid/space.h"

#include "config/case.h"
#include "config/geometry.h"
#include "config/shape.h"
#include "error.h"
#include "grid/part.h"

#include <math.h>
#include <stdlib.h>

static void fill_edges(double *edges, const struct kn_case *c, int axis)
{
    int n = c->space.cells[axis];
    double length = c->gas.delta * c->space.size[axis], sum = 0, at = 0;
    for (int i = 0; i < n; i++)
        sum += kn_case_relative_width(c, axis, i);
    edges[0] = 0;
    for (int i = 0; i < n; i++) {
        at += kn_case_relative_width(c, axis, i);
        edges[i + 1] = length * (at / sum);
    }
}

static int64_t number_of(const struct kn_space *s, const int at[3])
{
    return ((int64_t)at[2] * s->whole[1] + at[1]) * s->whole[0] + at[0];
}

void kn_space_locate(const struct kn_space *s, int64_t number, int at[3])
{
    at[0] = (int)(number % s->whole[0]);
    at[1] = (int)(number / s->whole[0] % s->whole[1]);
    at[2] = (int)(number / s->whole[0] / s->whole[1]);
}

void kn_space_place(const struct kn_space *s, int cell, int at[3])
{
    at[0] = s->box.first[0] + cell % s->cells[0];
    at[1] = s->box.first[1] + cell / s->cells[0] % s->cells[1];
    at[2] = s->box.first[2] + cell / s->cells[0] / s->cells[1];
}

int64_t kn_space_number(const struct kn_space *s, int cell)
{
    int at[3];
    kn_space_place(s, cell, at);
    return number_of(s, at);
}

int64_t kn_space_number_at(const struct kn_space *s, const double place[3])
{
    int at[3] = {0};
    for (int d = 0; d < 3; d++)
        while (at[d] + 1 < s->whole[d] && s->edges[d][at[d] + 1] <= place[d])
            at[d]++;
    return number_of(s, at);
}

int64_t kn_space_count(const struct kn_space *s)
{
    return (int64_t)s->whole[0] * s->whole[1] * s->whole[2];
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int32_t kn_space_find(const struct kn_space *s, const int at[3])
{
    bool inside = true;
    int from[3];
    for (int d = 0; d < 3; d++) {
        inside = inside && at[d] >= s->box.first[d] && at[d] < s->box.end[d];
        from[d] = at[d] - s->box.first[d];
    }
    if (inside)
        return (int32_t)((from[2] * s->cells[1] + from[1]) * s->cells[0] + from[0]);
    const int64_t number = number_of(s, at);
    const int64_t *found =
        s->nhalo > 0 ? bsearch(&number, s->halo, (size_t)s->nhalo, sizeof number, compare_numbers) : NULL;
    return found ? (int32_t)(s->ncells + (found - s->halo)) : KN_SPACE_OUTSIDE;
}

/* True if an axis wraps around at a side. An axis along which the gas is uniform always does. */
static bool wraps(const struct kn_case *c, int side)
{
    return c->walls[side].kind == KN_WALL_PERIODIC || kn_case_is_uniform(c, side / 2);
}

/* Wrap a place outside the space around periodic ends; false if there is a wall. */
static bool wrap(const struct kn_space *s, const struct kn_case *c, int at[3])
{
    for (int d = 0; d < 3; d++) {
        const int n = s->whole[d];
        if (at[d] >= 0 && at[d] < n)
            continue;
        if (!wraps(c, 2 * d + (at[d] >= n)))
            return false;
        while (at[d] < 0)
            at[d] += n;
        while (at[d] >= n)
            at[d] -= n;
    }
    return true;
}

bool kn_space_next(const struct kn_space *s, const struct kn_case *c, int at[3], int side)
{
    at[side / 2] += (side & 1) ? 1 : -1;
    return wrap(s, c, at);
}

/* Steps from a place to the box. */
static int distance(const struct kn_space *s, const int at[3])
{
    int steps = 0;
    for (int d = 0; d < 3; d++)
        steps += at[d] < s->box.first[d]  ? s->box.first[d] - at[d]
                 : at[d] >= s->box.end[d] ? at[d] - s->box.end[d] + 1
                                          : 0;
    return steps;
}

/* Numbers of the cells outside the box and at most `reach` steps from it; with duplicates if axes wrap
 * around. If `to` is NULL, only counts. */
static int list_halo(const struct kn_space *s, const struct kn_case *c, int reach, int64_t *to)
{
    int low[3], high[3], at[3], count = 0;
    for (int d = 0; d < 3; d++) {
        const int around = kn_case_is_uniform(c, d) ? 0 : reach;
        low[d] = s->box.first[d] - around;
        high[d] = s->box.end[d] + around;
    }
    for (at[2] = low[2]; at[2] < high[2]; at[2]++)
        for (at[1] = low[1]; at[1] < high[1]; at[1]++)
            for (at[0] = low[0]; at[0] < high[0]; at[0]++) {
                int cell[3] = {at[0], at[1], at[2]};
                const int steps = distance(s, at);
                if (steps == 0) { /* skip the cells inside the box */
                    at[0] = s->box.end[0] - 1;
                    continue;
                }
                if (steps > reach || !wrap(s, c, cell) || distance(s, cell) == 0)
                    continue;
                if (to)
                    to[count] = number_of(s, cell);
                count++;
            }
    return count;
}

static enum kn_status find_halo(struct kn_space *s, const struct kn_case *c)
{
    const int count = list_halo(s, c, kn_case_reach(c), NULL);
    s->halo = malloc(((size_t)count + 1) * sizeof *s->halo);
    if (!s->halo)
        return kn_error_set(KN_EMEMORY, "no memory for %d cells around a box", count);
    list_halo(s, c, kn_case_reach(c), s->halo);
    qsort(s->halo, (size_t)count, sizeof *s->halo, compare_numbers);
    for (int i = 0; i < count; i++)
        if (i == 0 || s->halo[i] != s->halo[i - 1])
            s->halo[s->nhalo++] = s->halo[i];
    return KN_OK;
}

/* Extent of an axis in areas and volumes: 1 for an axis along which the gas is uniform, so that the same
 * flow has the same integrals in 1-D to 3-D. */
static double extent(const struct kn_space *s, const struct kn_case *c, int axis, int i)
{
    return kn_case_is_uniform(c, axis) ? 1.0 : s->edges[axis][i + 1] - s->edges[axis][i];
}

static double volume_at(const struct kn_space *s, const struct kn_case *c, const int at[3])
{
    double volume = 1;
    for (int d = 0; d < 3; d++)
        volume *= extent(s, c, d, at[d]);
    return volume;
}

int kn_space_surface(const struct kn_space *s, const struct kn_case *c, const struct kn_geometry *g,
                     const int at[3], int side)
{
    int to[3] = {at[0], at[1], at[2]};
    to[side / 2] += (side & 1) ? 1 : -1;
    const bool end = !wrap(s, c, to);
    const int plate = kn_geometry_covers(g, at, side),
              body = plate >= 0 || end ? plate : kn_geometry_fills(g, to),
              port = end ? kn_geometry_port(c, g, at, side) : -1;
    return body >= 0 ? KN_SIDES + body : port >= 0 ? KN_SIDES + kn_case_bodies(c) + port : end ? side : -1;
}

/* The entry of the neighbour table of a place; walls have no face yet. */
static int32_t beyond(const struct kn_space *s, const struct kn_case *c, const struct kn_geometry *g,
                      const int at[3], int side)
{
    int to[3] = {at[0], at[1], at[2]};
    const int surface = kn_space_surface(s, c, g, at, side);
    if (surface >= 0) {
        const struct kn_wall wall = kn_case_surface(c, surface);
        return kn_mesh_wall(KN_MESH_NO_FACE, kn_case_reflection(&wall));
    }
    to[side / 2] += (side & 1) ? 1 : -1;
    wrap(s, c, to);
    return kn_space_find(s, to);
}

static void fill_cell(struct kn_space *s, const struct kn_case *c, const struct kn_geometry *g, int cell,
                      const int at[3])
{
    const bool solid = kn_geometry_fills(g, at) >= 0 || kn_volumes_at(&s->volumes, cell) != KN_VOLUMES_NONE;
    for (int d = 0; d < 3; d++)
        s->width[3 * (size_t)cell + d] = (float)(s->edges[d][at[d] + 1] - s->edges[d][at[d]]);
    for (int side = 0; side < KN_SIDES; side++)
        s->neighbour[6 * (size_t)cell + side] = solid ? cell : beyond(s, c, g, at, side);
}

/* The place of a cell of the box or of the halo. */
static void find_place(const struct kn_space *s, int cell, int at[3])
{
    if (cell < s->ncells)
        kn_space_place(s, cell, at);
    else
        kn_space_locate(s, s->halo[cell - s->ncells], at);
}

void kn_space_face_centre(const struct kn_space *s, int face, double centre[3])
{
    const struct kn_face *f = &s->faces[face];
    int at[3];
    find_place(s, f->cell, at);
    for (int d = 0; d < 3; d++) {
        const double *edge = s->edges[d] + at[d];
        centre[d] = d == f->side / 2 ? edge[f->side & 1] : (edge[0] + edge[1]) / 2;
    }
}

/* A wall of a cell becomes a face. */
static enum kn_status add_face(struct kn_space *s, const struct kn_case *c, const struct kn_geometry *g,
                               int cell, int side)
{
    int at[3];
    int32_t *entry = &s->neighbour[6 * (size_t)cell + side];
    find_place(s, cell, at);
    const int surface = kn_space_surface(s, c, g, at, side);
    struct kn_face *more = realloc(s->faces, ((size_t)s->nfaces + 1) * sizeof *more);
    if (!more)
        return kn_error_set(KN_EMEMORY, "no memory for %d wall faces", s->nfaces);
    s->faces = more;
    s->faces[s->nfaces] = (struct kn_face){
        .cell = cell,
        .side = side,
        .patch = kn_case_varies(c, surface) ? kn_case_patches(c) + s->nvaried++
                                            : kn_case_find_patch(c, surface, side),
        .surface = surface,
        .area = volume_at(s, c, at) / extent(s, c, side / 2, at[side / 2]),
    };
    *entry = kn_mesh_wall(s->nfaces++, kn_mesh_reflection(*entry));
    return KN_OK;
}

/* Walls of cells of the halo that the stencil of a cell of the box reaches: those on the far side of a
 * neighbour. */
static bool is_reached(const struct kn_space *s, int cell, int side)
{
    const int32_t entry = s->neighbour[6 * (size_t)cell + side],
                  near = s->neighbour[6 * (size_t)cell + (side ^ 1)];
    return entry < 0 && !kn_mesh_reflection(entry) && near >= 0 && near < s->ncells;
}

static enum kn_status fill_tables(struct kn_space *s, const struct kn_case *c, const struct kn_geometry *g)
{
    int at[3];
    for (int cell = 0; cell < s->ncells; cell++) {
        kn_space_place(s, cell, at);
        const int found = kn_volumes_at(&s->volumes, cell);
        const bool solid = kn_geometry_fills(g, at) >= 0 || found == KN_VOLUMES_SOLID;
        s->volume[cell] = solid ? 0 : found >= 0 ? s->volumes.gas[cell] : volume_at(s, c, at);
        if (s->solid)
            s->solid[cell] = solid || (found >= 0 && s->volumes.list[found].cell != cell);
        fill_cell(s, c, g, cell, at);
        for (int side = 0; side < KN_SIDES; side++)
            if (s->neighbour[6 * (size_t)cell + side] < 0)
                KN_TRY(add_face(s, c, g, cell, side));
    }
    s->nown = s->nfaces;
    for (int i = 0; i < s->nhalo; i++) {
        kn_space_locate(s, s->halo[i], at);
        fill_cell(s, c, g, s->ncells + i, at);
        for (int side = 0; side < KN_SIDES && c->space.order > 1; side++)
            if (is_reached(s, s->ncells + i, side) && kn_space_surface(s, c, g, at, side) >= KN_SIDES)
                KN_TRY(add_face(s, c, g, s->ncells + i, side));
    }
    return KN_OK;
}

int kn_space_count_faces(const struct kn_case *c, const struct kn_box *box)
{
    struct kn_geometry g;
    int faces = 0, first[3], end[3];
    for (int side = 0; side < KN_SIDES; side++) {
        const int d = side / 2, e = (d + 1) % 3, f = (d + 2) % 3;
        const bool ends = (side & 1) ? box->end[d] == c->space.cells[d] : box->first[d] == 0;
        if (ends && !wraps(c, side))
            faces += (box->end[e] - box->first[e]) * (box->end[f] - box->first[f]);
        first[d] = box->first[d] - 1;
        end[d] = box->end[d] + 1;
    }
    if (kn_geometry_create(&g, c) != KN_OK)
        return faces;
    faces += (int)kn_geometry_faces(&g, first, end);
    kn_geometry_destroy(&g);
    return faces;
}

/* The areas of all ports, without bodies at them. */
static void fill_openings(struct kn_space *s, const struct kn_case *c, const struct kn_geometry *g)
{
    for (int port = 0; port < kn_case_ports(c); port++) {
        const struct kn_opening *o = &g->openings[port];
        const int side = (int)c->ports[port].side, axis = side / 2, e = (axis + 1) % 3, f = (axis + 2) % 3;
        int at[3] = {0, 0, 0};
        at[axis] = (side & 1) ? s->whole[axis] - 1 : 0;
        for (at[e] = o->first[e]; at[e] < o->end[e]; at[e]++)
            for (at[f] = o->first[f]; at[f] < o->end[f]; at[f]++)
                s->open[port] +=
                    kn_geometry_fills(g, at) < 0 ? extent(s, c, e, at[e]) * extent(s, c, f, at[f]) : 0;
    }
}

/* The bounding boxes of all bodies. */
static enum kn_status fill_extents(struct kn_space *s, const struct kn_case *c, const struct kn_geometry *g)
{
    struct kn_shapes shapes;
    const enum kn_status status = kn_shape_create(&shapes, c);
    for (int body = 0; body < kn_case_bodies(c) && status == KN_OK; body++)
        for (int d = 0; d < 3; d++) {
            double low = INFINITY, high = -INFINITY;
            for (int i = 0; i < g->count; i++)
                if (g->solids[i].body == body) {
                    low = fmin(low, s->edges[d][g->solids[i].first[d]]);
                    high = fmax(high, s->edges[d][g->solids[i].end[d]]);
                }
            if (kn_shape_is_smooth(&c->bodies[body])) {
                double bounds[2];
                kn_shape_bounds(&shapes.of[body], d, bounds);
                low = isfinite(bounds[0]) ? bounds[0] : 0;
                high = isfinite(bounds[1]) ? bounds[1] : s->edges[d][s->whole[d]];
            }
            s->extent[body][0][d] = low;
            s->extent[body][1][d] = high;
        }
    kn_shape_destroy(&shapes);
    return status;
}

static void take_box(struct kn_space *s, const struct kn_case *c, const struct kn_box *box)
{
    *s = (struct kn_space){.ncells = 1};
    for (int d = 0; d < 3; d++) {
        s->whole[d] = c->space.cells[d];
        s->box.first[d] = box ? box->first[d] : 0;
        s->box.end[d] = box ? box->end[d] : s->whole[d];
        s->cells[d] = s->box.end[d] - s->box.first[d];
        s->ncells *= s->cells[d];
        if (!kn_case_is_uniform(c, d))
            s->axes[s->naxes++] = d;
    }
}

static enum kn_status allocate(struct kn_space *s, const struct kn_case *c, bool bodies)
{
    const size_t n = (size_t)s->ncells, rows = n + (size_t)s->nhalo;
    s->neighbour = malloc(6 * rows * sizeof *s->neighbour);
    s->width = malloc(3 * rows * sizeof *s->width);
    s->volume = malloc(n * sizeof *s->volume);
    s->faces = malloc(sizeof *s->faces);
    s->extent = calloc((size_t)kn_case_bodies(c) + 1, sizeof *s->extent);
    s->solid = bodies ? calloc(n, sizeof *s->solid) : NULL;
    bool complete = s->neighbour && s->width && s->volume && s->faces && s->extent && (s->solid || !bodies);
    for (int d = 0; d < 3; d++) {
        s->edges[d] = calloc((size_t)s->whole[d] + 1, sizeof *s->edges[d]);
        complete = complete && s->edges[d];
    }
    if (!complete)
        return kn_error_set(KN_EMEMORY, "no memory for %d cells", s->ncells);
    for (int d = 0; d < 3; d++)
        fill_edges(s->edges[d], c, d);
    return KN_OK;
}

static enum kn_status fill_space(struct kn_space *s, const struct kn_case *c)
{
    struct kn_geometry g;
    KN_TRY(kn_geometry_create(&g, c));
    enum kn_status status = find_halo(s, c);
    if (status == KN_OK)
        status = allocate(s, c, g.count > 0 || kn_shape_any(c));
    if (status == KN_OK)
        status = fill_extents(s, c, &g);
    if (status == KN_OK) {
        fill_openings(s, c, &g);
        status = kn_shape_any(c) ? kn_volumes_begin(&s->volumes, c, &g, s) : KN_OK;
    }
    if (status == KN_OK)
        status = fill_tables(s, c, &g);
    if (status == KN_OK && kn_shape_any(c))
        status = kn_volumes_finish(&s->volumes, s);
    kn_geometry_destroy(&g);
    return status;
}

enum kn_status kn_space_create(struct kn_space *s, const struct kn_case *c, const struct kn_box *box)
{
    struct kn_space whole;
    take_box(s, c, box);
    if (!kn_shape_any(c) || s->ncells == kn_space_count(s))
        return fill_space(s, c);
    take_box(&whole, c, NULL);
    enum kn_status status = fill_space(&whole, c);
    if (status == KN_OK)
        status = kn_part_create(s, &whole, c);
    kn_space_destroy(&whole);
    return status;
}

void kn_space_destroy(struct kn_space *s)
{
    for (int d = 0; d < 3; d++)
        free(s->edges[d]);
    free(s->neighbour);
    free(s->width);
    free(s->volume);
    free(s->faces);
    free(s->extent);
    free(s->solid);
    free(s->halo);
    kn_volumes_destroy(&s->volumes);
    *s = (struct kn_space){0};
}
