/* Surfaces in two dimensions: closed chains of straight segments, each inside one cell, and the open parts of
 * the edges of cells between them. */
#include "error.h"
#include "grid/cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From a to b, with the body on the left. */
struct segment {
    double a[2], b[2];
    int body, cell; /* cell -1: outside the space */
};

struct point {
    double at[2], order; /* the angle or the place along an edge */
};

struct list {
    struct segment *of;
    int count;
};

/* Open part of an edge of a cell. */
struct part {
    double length, moment; /* lambda0; length times the position of its centre */
};

struct plan {
    const struct kn_cut *cut;
    const struct kn_space *space;
    struct list chain;     /* the segments of all bodies */
    struct part *parts[2]; /* [n + 1][m] of edges normal to x by (i, j), normal to y by (j, i) */
};

static enum kn_status fail_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the surfaces of bodies");
}

static bool add_segment(struct list *l, const struct segment *s)
{
    struct segment *of = kn_cut_grow(l->of, l->count, sizeof *s);
    if (!of)
        return false;
    l->of = of;
    l->of[l->count++] = *s;
    return true;
}

static int compare_points(const void *a, const void *b)
{
    const double x = ((const struct point *)a)->order, y = ((const struct point *)b)->order;
    return (x > y) - (x < y);
}

/* The cell between edges with a position: low edge <= position < high edge; -1: none. */
static int find_cell(const double *edge, int n, double at)
{
    int low = 0, high = n;
    if (!(at >= edge[0] && at < edge[n]))
        return -1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (at >= edge[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A segment belongs to the cell of its middle; on an edge between two cells to the upper one, as the open
 * parts of edges do. */
static void place_segment(const struct kn_space *x, struct segment *s)
{
    int at[2];
    for (int d = 0; d < 2; d++)
        at[d] = find_cell(x->edges[d], x->whole[d], s->a[d] == s->b[d] ? s->a[d] : (s->a[d] + s->b[d]) / 2);
    s->cell = at[0] < 0 || at[1] < 0 ? -1 : at[1] * x->whole[0] + at[0];
}

/* Join points to a chain; the body is on the left unless it is outside. */
static bool join(struct plan *p, int body, const struct point *points, int count, bool closed)
{
    bool room = true;
    for (int i = 0; i + !closed < count && room; i++) {
        const struct point *from = &points[i], *to = &points[(i + 1) % count];
        const bool outside = p->cut->shapes.of[body].outside;
        struct segment s = {.body = body};
        memcpy(s.a, outside ? to->at : from->at, sizeof s.a);
        memcpy(s.b, outside ? from->at : to->at, sizeof s.b);
        place_segment(p->space, &s);
        if (s.a[0] != s.b[0] || s.a[1] != s.b[1])
            room = add_segment(&p->chain, &s);
    }
    return room;
}

/* A circle becomes the polygon of its points on the edges of cells. */
static bool add_circle(struct plan *p, int body)
{
    const struct kn_space *x = p->space;
    const struct kn_shape_body *s = &p->cut->shapes.of[body];
    struct point *points = malloc(2 * ((size_t)x->whole[0] + (size_t)x->whole[1] + 4) * sizeof *points);
    int count = 0;
    for (int d = 0; d < 2 && points; d++)
        for (int i = 0; i <= x->whole[d]; i++) {
            const double along = x->edges[d][i] - s->centre[d],
                         square = s->radius * s->radius - along * along;
            for (int sign = -1; sign <= 1 && square > 0; sign += 2) {
                struct point *new = &points[count++];
                new->at[d] = x->edges[d][i];
                new->at[1 - d] = s->centre[1 - d] + sign *sqrt(square);
                new->order = atan2(new->at[1] - s->centre[1], new->at[0] - s->centre[0]);
            }
        }
    if (count > 0)
        qsort(points, (size_t)count, sizeof *points, compare_points);
    const bool done = points && (count == 0 || join(p, body, points, count, true));
    free(points);
    return done;
}

/* The points of an edge of a polygon on edges of cells, between its ends. */
static bool add_edge(struct plan *p, int body, const double a[2], const double b[2])
{
    const struct kn_space *x = p->space;
    struct point *points = malloc(((size_t)x->whole[0] + (size_t)x->whole[1] + 4) * sizeof *points);
    int count = 0;
    if (!points)
        return false;
    points[count++] = (struct point){{a[0], a[1]}, 0};
    points[count++] = (struct point){{b[0], b[1]}, 1};
    for (int d = 0; d < 2; d++)
        for (int i = 0; i <= x->whole[d]; i++) {
            const double t = (x->edges[d][i] - a[d]) / (b[d] - a[d]);
            if (!(t > 0 && t < 1))
                continue;
            struct point *new = &points[count++];
            new->order = t;
            new->at[d] = x->edges[d][i];
            new->at[1 - d] = a[1 - d] + t *(b[1 - d] - a[1 - d]);
        }
    qsort(points, (size_t)count, sizeof *points, compare_points);
    const bool done = join(p, body, points, count, false);
    free(points);
    return done;
}

static bool add_polygon(struct plan *p, int body)
{
    const struct kn_shape_body *s = &p->cut->shapes.of[body];
    bool done = true;
    for (int i = 0; i < s->corners && done; i++)
        done = add_edge(p, body, s->corner[i], s->corner[(i + 1) % s->corners]);
    return done;
}

/* True if a point is in a body. */
static bool is_inside(const struct plan *p, int body, const double at[2])
{
    bool inside = p->cut->shapes.of[body].outside;
    for (int i = 0; i < p->chain.count; i++) {
        const struct segment *s = &p->chain.of[i];
        if (s->body != body || (s->a[1] <= at[1]) == (s->b[1] <= at[1]))
            continue;
        if (at[0] < s->a[0] + (at[1] - s->a[1]) / (s->b[1] - s->a[1]) * (s->b[0] - s->a[0]))
            inside = !inside;
    }
    return inside;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* True if a point is below a line of edges. A point on a line is above it, but below the first line, because
 * facets on a line belong to the cells on that side. */
static bool is_below(const struct plan *p, int d, double at, double line)
{
    return at < line || (at == line && line == p->space->edges[d][0]);
}

/* Positions at which a body crosses a line of edges normal to axis d. */
static int find_crossings(const struct plan *p, int body, int d, double line, double *to)
{
    const int e = 1 - d;
    int count = 0;
    for (int i = 0; i < p->chain.count; i++) {
        const struct segment *s = &p->chain.of[i];
        if (s->body != body || is_below(p, d, s->a[d], line) == is_below(p, d, s->b[d], line))
            continue;
        const double share = (line - s->a[d]) / (s->b[d] - s->a[d]);
        to[count++] = s->a[d] == line   ? s->a[e]
                      : s->b[d] == line ? s->b[e]
                                        : s->a[e] + share * (s->b[e] - s->a[e]);
    }
    qsort(to, (size_t)count, sizeof *to, compare_numbers);
    return count;
}

/* Remove the interval from the open parts of the edges of a line. */
static void take_away(const double *edge, int n, struct part *parts, double from, double to)
{
    for (int j = 0; j < n; j++) {
        const double low = fmax(edge[j], from), high = fmin(edge[j + 1], to);
        if (low >= high)
            continue;
        parts[j].length -= high - low;
        parts[j].moment -= (high - low) * (high + low) / 2;
    }
}

struct interval {
    double from, to;
};

static int compare_intervals(const void *a, const void *b)
{
    return compare_numbers(&((const struct interval *)a)->from, &((const struct interval *)b)->from);
}

/* The open parts of the edges of one line: the complement of the union of all bodies. */
static void open_line(const struct plan *p, int d, int i, double *crossings, struct interval *solid)
{
    const struct kn_space *x = p->space;
    const int e = 1 - d, n = x->whole[e];
    const double *edge = x->edges[e];
    struct part *parts = p->parts[d] + (size_t)i * (size_t)n;
    int count = 0;
    for (int j = 0; j < n; j++)
        parts[j] =
            (struct part){edge[j + 1] - edge[j], (edge[j + 1] - edge[j]) * (edge[j] + edge[j + 1]) / 2};
    for (int body = 0; body < p->cut->shapes.count; body++) {
        if (p->cut->shapes.of[body].kind == KN_SHAPE_NONE)
            continue;
        const int found = find_crossings(p, body, d, x->edges[d][i], crossings);
        const bool outside = p->cut->shapes.of[body].outside;
        double from = -INFINITY;
        for (int k = 0; k < found; k++) {
            if ((k % 2 == 0) == outside)
                solid[count++] = (struct interval){from, crossings[k]};
            from = crossings[k];
        }
        if (outside)
            solid[count++] = (struct interval){from, INFINITY};
    }
    qsort(solid, (size_t)count, sizeof *solid, compare_intervals);
    double reached = -INFINITY;
    for (int k = 0; k < count; k++) {
        take_away(edge, n, parts, fmax(solid[k].from, reached), solid[k].to);
        reached = fmax(reached, solid[k].to);
    }
}

static bool open_edges(struct plan *p)
{
    const struct kn_space *x = p->space;
    const size_t most = (size_t)p->chain.count + 1;
    double *crossings = malloc(most * sizeof *crossings);
    struct interval *solid = malloc((most + (size_t)p->cut->shapes.count) * sizeof *solid);
    const bool done = crossings && solid;
    for (int d = 0; d < 2 && done; d++)
        for (int i = 0; i <= x->whole[d]; i++)
            open_line(p, d, i, crossings, solid);
    free(crossings);
    free(solid);
    return done;
}

/* Parameter along segment s at which another crosses it; -1: it does not. */
static double find_crossing(const struct segment *s, const struct segment *other)
{
    const double ux = s->b[0] - s->a[0], uy = s->b[1] - s->a[1], wx = other->b[0] - other->a[0],
                 wy = other->b[1] - other->a[1], rx = other->a[0] - s->a[0], ry = other->a[1] - s->a[1];
    const double det = ux * wy - uy * wx;
    if (fabs(det) <= 1e-12 * hypot(ux, uy) * hypot(wx, wy))
        return -1;
    const double t = (rx * wy - ry * wx) / det, u = (rx * uy - ry * ux) / det;
    return t > 0 && t < 1 && u >= 0 && u <= 1 ? t : -1;
}

/* True if the gas is next to a segment: no other body is, no equal segment of an earlier body, and no end of
 * the space. */
static bool is_free(const struct plan *p, const struct segment *s)
{
    const struct kn_space *x = p->space;
    const double dx = s->b[0] - s->a[0], dy = s->b[1] - s->a[1], length = hypot(dx, dy);
    const int at[2] = {s->cell % x->whole[0], s->cell / x->whole[0]};
    const double step =
        1e-6 * fmin(x->edges[0][at[0] + 1] - x->edges[0][at[0]], x->edges[1][at[1] + 1] - x->edges[1][at[1]]);
    const double middle[2] = {(s->a[0] + s->b[0]) / 2, (s->a[1] + s->b[1]) / 2};
    const double in[2] = {middle[0] - step * dy / length, middle[1] + step * dx / length},
                 out[2] = {2 * middle[0] - in[0], 2 * middle[1] - in[1]};
    for (int d = 0; d < 2; d++)
        if (out[d] <= x->edges[d][0] || out[d] >= x->edges[d][x->whole[d]] || middle[d] == x->edges[d][0])
            return false;
    for (int body = 0; body < p->cut->shapes.count; body++) {
        if (p->cut->shapes.of[body].kind == KN_SHAPE_NONE || body == s->body)
            continue;
        double distance =
            fabs(kn_shape_distance(&p->cut->shapes.of[body], (double[3]){middle[0], middle[1], 0}));
        if (is_inside(p, body, out) || (body < s->body && distance < step / 10 && is_inside(p, body, in)))
            return false;
    }
    return true;
}

static enum kn_status add_facet(struct kn_cut *cut, const struct segment *s)
{
    return kn_cut_add_facet(
        cut, &(struct kn_cut_facet){.cell = s->cell,
                                    .body = s->body,
                                    .area = {s->a[1] - s->b[1], s->b[0] - s->a[0], 0},
                                    .centre = {(s->a[0] + s->b[0]) / 2, (s->a[1] + s->b[1]) / 2, 0}});
}

/* The parts of a segment between its crossings with other bodies become facets. */
static enum kn_status add_facets(struct plan *p, struct kn_cut *cut, const struct segment *s)
{
    enum { MOST = 16 };
    double places[MOST + 2] = {0, 1};
    int count = 2;
    for (int k = 0; k < p->chain.count && count < MOST && cut->shapes.count > 1; k++) {
        const struct segment *other = &p->chain.of[k];
        const double t = other->cell == s->cell && other->body != s->body ? find_crossing(s, other) : -1;
        if (t > 0)
            places[count++] = t;
    }
    qsort(places, (size_t)count, sizeof *places, compare_numbers);
    for (int k = 0; k + 1 < count; k++) {
        struct segment part = *s;
        for (int d = 0; d < 2; d++) {
            part.a[d] = k == 0 ? s->a[d] : s->a[d] + places[k] * (s->b[d] - s->a[d]);
            part.b[d] = k + 2 == count ? s->b[d] : s->a[d] + places[k + 1] * (s->b[d] - s->a[d]);
        }
        if (places[k] < places[k + 1] && is_free(p, &part))
            KN_TRY(add_facet(cut, &part));
    }
    return KN_OK;
}

/* Integrals of the theorem of Gauss over a piece of the boundary of the gas, with positions relative to a
 * corner of the cell: area by both components, and first moments. */
static void add_piece(const double corner[2], const double a[2], const double b[2], const double area[3],
                      double sums[4])
{
    for (int d = 0; d < 2; d++) {
        const double p = a[d] - corner[d], q = b[d] - corner[d];
        sums[d] += area[d] * (p + q) / 2;
        sums[2 + d] += area[d] * (p * p + p * q + q * q) / 6;
    }
}

/* The open parts of the faces of a cell. */
static void open_cell(const struct plan *p, int cell, struct kn_cut_cell *gas)
{
    const struct kn_space *x = p->space;
    const int at[2] = {cell % x->whole[0], cell / x->whole[0]};
    for (int side = 0; side < 4; side++) {
        const int d = side / 2, e = 1 - d;
        const double *edge = x->edges[e] + at[e];
        const struct part part =
            p->parts[d][(size_t)(at[d] + (side & 1)) * (size_t)x->whole[e] + (size_t)at[e]];
        const double whole = edge[1] - edge[0];
        const bool open = part.length > 1e-10 * whole, full = part.length > (1 - 1e-10) * whole;
        gas->open[side] = full ? whole : open ? part.length : 0;
        gas->middle[side][d] = x->edges[d][at[d] + (side & 1)];
        gas->middle[side][e] = open && !full ? part.moment / part.length : (edge[0] + edge[1]) / 2;
    }
}

/* Area and centre of the gas in a cell with facets. */
static void measure_cell(const struct kn_space *x, int cell, const double sums[4], struct kn_cut_cell *gas)
{
    const int at[2] = {cell % x->whole[0], cell / x->whole[0]};
    double moments[4];
    memcpy(moments, sums, sizeof moments);
    for (int side = 0; side < 4; side++) {
        const double by = x->edges[side / 2][at[side / 2] + 1] - x->edges[side / 2][at[side / 2]];
        if (side & 1) { /* the low sides are at 0 */
            moments[side / 2] += by * gas->open[side];
            moments[2 + side / 2] += by * by / 2 * gas->open[side];
        }
    }
    gas->volume = (moments[0] + moments[1]) / 2;
    for (int d = 0; d < 2; d++)
        gas->centre[d] = x->edges[d][at[d]] + (gas->volume > 0 ? moments[2 + d] / gas->volume : 0);
    gas->centre[2] = gas->middle[0][2] = 0;
}

/* Integrals over the facets of a cell, and their number. */
struct tally {
    double sums[4];
    int facets;
};

/* Cells of which all edges are open or closed, and which have no facets, are whole or solid.
 * tallies: [ncells] zero. */
static enum kn_status sort_cells(const struct plan *p, struct kn_cut *cut, struct tally *tallies)
{
    const struct kn_space *x = p->space;
    for (int i = 0; i < cut->nfacets; i++) {
        const struct kn_cut_facet *f = &cut->facets[i];
        const double corner[2] = {x->edges[0][f->cell % x->whole[0]], x->edges[1][f->cell / x->whole[0]]};
        const double a[2] = {f->centre[0] - f->area[1] / 2, f->centre[1] + f->area[0] / 2},
                     b[2] = {f->centre[0] + f->area[1] / 2, f->centre[1] - f->area[0] / 2};
        add_piece(corner, a, b, f->area, tallies[f->cell].sums);
        tallies[f->cell].facets++;
    }
    for (int cell = 0; cell < x->ncells; cell++) {
        struct kn_cut_cell gas = {0};
        open_cell(p, cell, &gas);
        if (tallies[cell].facets > 0) {
            measure_cell(x, cell, tallies[cell].sums, &gas);
            KN_TRY(kn_cut_add_cell(cut, cell, &gas));
        } else if (gas.open[0] + gas.open[1] + gas.open[2] + gas.open[3] == 0)
            cut->kind[cell] = KN_CUT_SOLID;
    }
    return KN_OK;
}

static enum kn_status add_all_facets(struct plan *p, struct kn_cut *cut)
{
    for (int i = 0; i < p->chain.count; i++)
        if (p->chain.of[i].cell >= 0)
            KN_TRY(add_facets(p, cut, &p->chain.of[i]));
    return KN_OK;
}

enum kn_status kn_outline_cut(struct kn_cut *cut, const struct kn_space *space)
{
    struct plan p = {.cut = cut, .space = space};
    struct tally *tallies = calloc((size_t)space->ncells, sizeof *tallies);
    bool done = tallies != NULL;
    for (int d = 0; d < 2 && done; d++) {
        p.parts[d] = calloc(((size_t)space->whole[d] + 1) * (size_t)space->whole[1 - d], sizeof *p.parts[d]);
        done = p.parts[d] != NULL;
    }
    for (int body = 0; body < cut->shapes.count && done; body++)
        if (cut->shapes.of[body].kind != KN_SHAPE_NONE)
            done =
                cut->shapes.of[body].kind == KN_SHAPE_POLYGON ? add_polygon(&p, body) : add_circle(&p, body);
    enum kn_status status = done && open_edges(&p) ? add_all_facets(&p, cut) : fail_memory();
    if (status == KN_OK && tallies && p.parts[0] && p.parts[1])
        status = sort_cells(&p, cut, tallies);
    free(p.chain.of);
    free(tallies);
    for (int d = 0; d < 2; d++)
        free(p.parts[d]);
    return status;
}
