/* Surfaces in three dimensions: signed distances at the corners of cells, open parts of faces by marching
 * squares, and one facet per cell that closes it. */
#include "config/triangles.h"
#include "error.h"
#include "grid/cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct plan {
    const struct kn_space *space;
    const struct kn_cut *cut;
    double *distance; /* [(nx + 1) (ny + 1) (nz + 1)] of the corners, positive in the gas */
};

/* The open part of a face: a polygon. */
struct patch {
    int count, crossings;
    double corner[8][3], crossing[4][3];
};

static double *corner_of(const struct plan *p, const int at[3])
{
    const int *n = p->space->whole;
    return p->distance + ((size_t)at[2] * (size_t)(n[1] + 1) + (size_t)at[1]) * (size_t)(n[0] + 1) +
           (size_t)at[0];
}

/* A surface that is closed: the distance changes by at most the way between two points. */
static bool is_closed(const struct kn_shapes *shapes)
{
    bool closed = true;
    for (int i = 0; i < shapes->count; i++)
        closed = closed && (shapes->of[i].kind != KN_SHAPE_SURFACE || shapes->of[i].triangles->open == 0);
    return closed;
}

/* Distances below a part of the cell are 0: such corners are on the surface. Values are used near the surface
 * only; farther away, one that the surface is certainly beyond keeps the sign. */
static void fill_distances(struct plan *p, const struct kn_cut *cut)
{
    static const double near = 1e-9;
    const struct kn_space *x = p->space;
    const bool closed = is_closed(&cut->shapes);
    int at[3];
    for (at[2] = 0; at[2] <= x->whole[2]; at[2]++)
        for (at[1] = 0; at[1] <= x->whole[1]; at[1]++)
            for (at[0] = 0; at[0] <= x->whole[0]; at[0]++) {
                const double place[3] = {x->edges[0][at[0]], x->edges[1][at[1]], x->edges[2][at[2]]};
                double d = at[0] > 0 ? corner_of(p, at)[-1] : 0;
                const double step = at[0] > 0 ? place[0] - x->edges[0][at[0] - 1] : 0;
                if (closed && fabs(d) > (1 + near) * step + near)
                    d -= copysign(step, d);
                else
                    kn_shape_nearest(&cut->shapes, place, cut->margin, &d);
                *corner_of(p, at) = fabs(d) < near * x->edges[0][1] ? 0 : d;
            }
}

/* The point of an edge on the surface: the secant through both ends, improved by the rule of false position
 * with the weights of Illinois. */
static void find_crossing(const struct kn_cut *cut, const double from[3], const double to[3], double a,
                          double b, double at[3])
{
    enum { STEPS = 8 };
    double low = 0, high = 1;
    for (int step = 0; step < STEPS; step++) {
        const double share = (low * b - high * a) / (b - a);
        double value;
        for (int i = 0; i < 3; i++)
            at[i] = from[i] + share * (to[i] - from[i]);
        kn_shape_nearest(&cut->shapes, at, cut->margin, &value);
        if (fabs(value) <= cut->margin)
            return;
        if ((value > 0) == (a > 0)) {
            low = share;
            a = value;
            b /= 2;
        } else {
            high = share;
            b = value;
            a /= 2;
        }
    }
}

/* The polygon of the corners in the gas and of the crossings between them. Both cells of a face find the
 * same: its corners are in the same order for both. */
static struct patch open_face(const struct plan *p, const int cell[3], int side)
{
    const struct kn_space *x = p->space;
    const int d = side / 2, e = (d + 1) % 3, f = (d + 2) % 3;
    struct patch found = {0};
    double value[4], place[4][3];
    for (int k = 0; k < 4; k++) {
        int at[3];
        at[d] = cell[d] + (side & 1);
        at[e] = cell[e] + (k == 1 || k == 2);
        at[f] = cell[f] + (k >= 2);
        value[k] = *corner_of(p, at);
        for (int i = 0; i < 3; i++)
            place[k][i] = x->edges[i][at[i]];
    }
    for (int k = 0; k < 4; k++) {
        const int next = (k + 1) % 4;
        const double a = value[k], b = value[next];
        if (a > 0)
            memcpy(found.corner[found.count++], place[k], sizeof place[k]);
        if ((a > 0) == (b > 0))
            continue;
        find_crossing(p->cut, place[k], place[next], a, b, found.crossing[found.crossings]);
        memcpy(found.corner[found.count++], found.crossing[found.crossings++], sizeof place[k]);
    }
    return found;
}

/* Area and centre of a polygon in a plane normal to an axis. */
static double measure_face(const struct patch *f, int axis, double centre[3])
{
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    double area = 0, moment[3] = {0};
    for (int k = 1; k + 1 < f->count; k++) {
        const double *p = f->corner[0], *q = f->corner[k], *r = f->corner[k + 1];
        const double part = ((q[a] - p[a]) * (r[b] - p[b]) - (q[b] - p[b]) * (r[a] - p[a])) / 2;
        area += part;
        for (int d = 0; d < 3; d++)
            moment[d] += part * (p[d] + q[d] + r[d]) / 3;
    }
    for (int d = 0; d < 3; d++)
        centre[d] = area > 0 ? moment[d] / area : f->count > 0 ? f->corner[0][d] : 0;
    return area;
}

/* Volume and centre as a sum of pyramids with their apex at the centre of the facet. */
static void add_pyramids(struct kn_cut_cell *gas, const double top[3])
{
    double moment[3] = {0};
    gas->volume = 0;
    for (int side = 0; side < KN_SIDES; side++) {
        const double height = fabs(gas->middle[side][side / 2] - top[side / 2]),
                     volume = gas->open[side] * height / 3;
        gas->volume += volume;
        for (int d = 0; d < 3; d++)
            moment[d] += volume * (0.75 * gas->middle[side][d] + 0.25 * top[d]);
    }
    for (int d = 0; d < 3; d++)
        gas->centre[d] = gas->volume > 0 ? moment[d] / gas->volume : top[d];
}

static enum kn_status cut_cell(const struct plan *p, struct kn_cut *cut, int cell, const int at[3])
{
    struct kn_cut_cell gas = {0};
    struct kn_cut_facet facet = {.cell = cell};
    int crossings = 0;
    for (int side = 0; side < KN_SIDES; side++) {
        const struct patch face = open_face(p, at, side);
        gas.open[side] = measure_face(&face, side / 2, gas.middle[side]);
        gas.middle[side][side / 2] = p->space->edges[side / 2][at[side / 2] + (side & 1)];
        facet.area[side / 2] += (side & 1) ? -gas.open[side] : gas.open[side];
        for (int k = 0; k < face.crossings; k++, crossings++)
            for (int d = 0; d < 3; d++)
                facet.centre[d] += face.crossing[k][d];
    }
    for (int d = 0; d < 3; d++)
        facet.centre[d] /= crossings > 0 ? crossings : 1;
    const double largest = fmax(fmax(fabs(facet.area[0]), fabs(facet.area[1])), fabs(facet.area[2]));
    if (largest <= 1e-10 * (gas.open[0] + gas.open[2] + gas.open[4])) /* corners or edges touch the surface */
        return KN_OK;
    facet.body = kn_shape_nearest(&cut->shapes, facet.centre, cut->margin, NULL);
    add_pyramids(&gas, facet.centre);
    KN_TRY(kn_cut_add_cell(cut, cell, &gas));
    return kn_cut_add_facet(cut, &facet);
}

static enum kn_status sort_cells(const struct plan *p, struct kn_cut *cut)
{
    int at[3];
    for (int cell = 0; cell < p->space->ncells; cell++) {
        int gas = 0;
        kn_space_place(p->space, cell, at);
        for (int k = 0; k < 8; k++) {
            const int corner[3] = {at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)};
            gas += *corner_of(p, corner) > 0;
        }
        if (gas == 0)
            cut->kind[cell] = KN_CUT_SOLID;
        else if (gas < 8)
            KN_TRY(cut_cell(p, cut, cell, at));
    }
    return KN_OK;
}

enum kn_status kn_surface_cut(struct kn_cut *cut, const struct kn_space *space)
{
    const int *n = space->whole;
    struct plan p = {space, cut,
                     malloc((size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)(n[2] + 1) * sizeof(double))};
    if (!p.distance)
        return kn_error_set(KN_EMEMORY, "no memory for the surfaces of bodies");
    fill_distances(&p, cut);
    const enum kn_status status = sort_cells(&p, cut);
    free(p.distance);
    return status;
}
