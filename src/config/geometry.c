/* Places the bodies and ports of a case on the edges of its cells, and checks them. */
#include "config/geometry.h"

#include "config/case.h"
#include "config/config.h"
#include "config/scales.h"
#include "config/shape.h"
#include "error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char AXIS[] = "xyz";

/* Positions nearer to an edge than this, in widths of its cells, are at the edge. */
static const double SNAP = 1e-3;

/* A body or a port, for messages. */
struct item {
    const char *list, *name;
};

static struct item body(const struct kn_body *b)
{
    return (struct item){"bodies", b->name};
}

static struct item port(const struct kn_port *p)
{
    return (struct item){"ports", p->name};
}

__attribute__((format(printf, 3, 4))) static enum kn_status fail(struct item of, const char *key,
                                                                 const char *format, ...)
{
    char text[KN_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return kn_error_set(KN_EINPUT, "%s.%s%s%s: %s", of.list, of.name, *key ? "." : "", key, text);
}

/* The edges below and above a position along an axis, L. */
struct edges {
    int cell; /* between them */
    double low, high;
};

static struct edges edges_around(const struct kn_case *c, int axis, double at)
{
    const int n = c->space.cells[axis];
    double sum = 0, low = 0;
    for (int i = 0; i < n; i++)
        sum += kn_case_relative_width(c, axis, i);
    const double unit = c->space.size[axis] / sum;
    struct edges e = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        const double next = low + kn_case_relative_width(c, axis, i);
        e = (struct edges){i, unit * low, unit * next};
        if (at < e.high)
            break;
        low = next;
    }
    return e;
}

/* True if a position is at an edge of n equal cells. */
static bool fits(double at, double size, int n)
{
    const double cells = at / size * n;
    return fabs(cells - round(cells)) <= SNAP;
}

/* The smallest number of equal cells, from the present one on, with an edge at a position; 0: none is usual.
 */
static int enough_cells(const struct kn_case *c, int axis, double at)
{
    enum { MOST = 100000, TRIED = 1000 };
    const int n = c->space.cells[axis];
    if (c->space.stretch[axis] != 1 || c->space.cluster[axis] == KN_CLUSTER_FOCUS)
        return 0;
    for (int more = n; more < n + TRIED && more <= MOST; more++)
        if (fits(at, c->space.size[axis], more))
            return more;
    return 0;
}

/* The number of the edge at a position, which may be outside the space. */
static enum kn_status find_edge(const struct kn_case *c, struct item of, const char *key, int axis, double at,
                                int *edge)
{
    const struct edges e = edges_around(c, axis, at);
    const double width = e.high - e.low;
    char place[KN_UNITS_TEXT], low[KN_UNITS_TEXT], high[KN_UNITS_TEXT], more[KN_NAME] = "";
    *edge = at <= 0 ? 0 : at >= c->space.size[axis] ? c->space.cells[axis] : e.cell;
    if (at <= 0 || at >= c->space.size[axis] || at - e.low <= SNAP * width)
        return KN_OK;
    *edge = e.cell + 1;
    if (e.high - at <= SNAP * width)
        return KN_OK;
    const int cells = enough_cells(c, axis, at);
    if (cells > 0)
        snprintf(more, sizeof more, "; %d cells along %c have one", cells, AXIS[axis]);
    return fail(of, key, "%s along %c is not at an edge of a cell (the nearest are %s and %s%s)",
                kn_scales_place(c, at, place), AXIS[axis], kn_scales_place(c, e.low, low),
                kn_scales_place(c, e.high, high), more);
}

/* The cells of a box along one axis. */
static enum kn_status place_axis(const struct kn_case *c, const struct kn_body *b, int axis,
                                 struct kn_solid *s)
{
    const double size = c->space.size[axis], low = b->box.low[axis] == KN_TO_END ? 0 : b->box.low[axis],
                 high = b->box.high[axis] == KN_TO_END ? size : b->box.high[axis];
    char from[KN_UNITS_TEXT], to[KN_UNITS_TEXT], end[KN_UNITS_TEXT];
    if (low > high)
        return fail(body(b), "box.low", "%s is above box.high, %s, along %c", kn_scales_place(c, low, from),
                    kn_scales_place(c, high, to), AXIS[axis]);
    if (high < 0 || low > size || (high == 0 && low < 0) || (low == size && high > size))
        return fail(body(b), "box", "%s to %s along %c is outside the gas (0 to %s)",
                    kn_scales_place(c, low, from), kn_scales_place(c, high, to), AXIS[axis],
                    kn_scales_place(c, size, end));
    if (kn_case_is_uniform(c, axis) && (low > 0 || high < size))
        return fail(body(b), "box", "the gas is uniform along %c, and the body is not (auto along %c)",
                    AXIS[axis], AXIS[axis]);
    KN_TRY(find_edge(c, body(b), "box.low", axis, low, &s->first[axis]));
    KN_TRY(find_edge(c, body(b), "box.high", axis, high, &s->end[axis]));
    if (s->first[axis] == s->end[axis] && low != high)
        return fail(body(b), "box", "%s to %s along %c is less than a cell", kn_scales_place(c, low, from),
                    kn_scales_place(c, high, to), AXIS[axis]);
    return KN_OK;
}

static int thin_axis(const struct kn_solid *s)
{
    int thin = -1;
    for (int d = 0; d < 3; d++)
        if (s->first[d] == s->end[d])
            thin = d;
    return thin;
}

/* A plate at the end of an axis would be a second wall there. */
static enum kn_status check_plate(const struct kn_case *c, const struct kn_body *b, const char *key,
                                  const struct kn_solid *s)
{
    const int axis = thin_axis(s);
    int axes = 0;
    for (int d = 0; d < 3; d++)
        axes += s->first[d] == s->end[d];
    if (axes > 1)
        return fail(body(b), key, "no thickness along more than one axis (along one axis it is a plate)");
    if (axes == 1 && (s->first[axis] == 0 || s->first[axis] == c->space.cells[axis]))
        return fail(body(b), key, "a plate at the end of the axis %c (walls.%s is there)", AXIS[axis],
                    kn_case_side_name((enum kn_side)(2 * axis + (s->first[axis] > 0))));
    return KN_OK;
}

static enum kn_status place_box(const struct kn_case *c, const struct kn_body *b, struct kn_geometry *g)
{
    struct kn_solid *s = &g->solids[g->count++];
    *s = (struct kn_solid){.body = (int)(b - c->bodies)};
    for (int axis = 0; axis < 3; axis++)
        KN_TRY(place_axis(c, b, axis, s));
    return check_plate(c, b, "box", s);
}

/* The first axis along which a plate can have openings; -1: the gas is uniform along the others. */
static int open_axis(const struct kn_case *c, int axis)
{
    for (int d = 0; d < 3; d++)
        if (d != axis && !kn_case_is_uniform(c, d))
            return d;
    return -1;
}

/* The edges of the openings of a plate, ascending; empty ones are omitted. */
static enum kn_status find_openings(const struct kn_case *c, const struct kn_body *b, int along,
                                    int openings[KN_OPENINGS][2], int *count)
{
    *count = 0;
    for (int i = 0; i < KN_OPENINGS; i++) {
        const double *open = b->plate.open[i];
        int edge[2], at = *count;
        if (open[0] == open[1])
            continue;
        if (along < 0)
            return fail(body(b), "plate.open",
                        "the gas is uniform along the plate, which has no openings then");
        if (open[0] > open[1])
            return fail(body(b), "plate.open", "%g is above %g (pairs from, to)", open[0], open[1]);
        for (int end = 0; end < 2; end++)
            KN_TRY(find_edge(c, body(b), "plate.open", along, open[end], &edge[end]));
        for (; at > 0 && openings[at - 1][0] > edge[0]; at--)
            memcpy(openings[at], openings[at - 1], sizeof openings[at]);
        memcpy(openings[at], edge, sizeof edge);
        ++*count;
    }
    for (int i = 1; i < *count; i++)
        if (openings[i][0] < openings[i - 1][1])
            return fail(body(b), "plate.open", "openings overlap");
    return KN_OK;
}

/* The parts of a plate between its openings. */
static enum kn_status place_plate(const struct kn_case *c, const struct kn_body *b, struct kn_geometry *g)
{
    const int axis = (int)b->plate.axis - KN_PLATE_X, along = open_axis(c, axis);
    int openings[KN_OPENINGS][2], count;
    struct kn_solid whole = {.body = (int)(b - c->bodies)};
    memcpy(whole.end, c->space.cells, sizeof whole.end);
    if (kn_case_is_uniform(c, axis))
        return fail(body(b), "plate.axis", "the gas is uniform along %c", AXIS[axis]);
    KN_TRY(find_edge(c, body(b), "plate.at", axis, b->plate.at, &whole.first[axis]));
    whole.end[axis] = whole.first[axis];
    KN_TRY(check_plate(c, b, "plate.at", &whole));
    KN_TRY(find_openings(c, b, along, openings, &count));
    for (int i = 0, from = 0; i <= count; i++) {
        struct kn_solid part = whole;
        if (count > 0) {
            part.first[along] = from;
            part.end[along] = i < count ? openings[i][0] : whole.end[along];
            from = i < count ? openings[i][1] : 0;
        }
        if (count == 0 || part.end[along] > part.first[along])
            g->solids[g->count++] = part;
    }
    return KN_OK;
}

static bool has_box(const struct kn_body *b)
{
    for (int d = 0; d < 3; d++)
        if (b->box.low[d] != KN_TO_END || b->box.high[d] != KN_TO_END)
            return true;
    return false;
}

/* A name that differs from another one by a misspelling, for a body without a shape. */
static const char *near_name(const struct kn_case *c, const struct kn_body *b)
{
    for (int i = 0; i < KN_BODIES && *c->bodies[i].name; i++)
        if (&c->bodies[i] != b && kn_config_is_near(b->name, c->bodies[i].name))
            return c->bodies[i].name;
    return NULL;
}

static enum kn_status place_image(const struct kn_case *c, const struct kn_body *b, struct kn_geometry *g)
{
    struct kn_solid *s = &g->solids[g->count];
    struct kn_image *image = &g->images[g->nimages];
    KN_TRY(kn_image_create(image, c, b));
    *s = (struct kn_solid){.body = (int)(b - c->bodies), .image = ++g->nimages};
    memcpy(s->first, image->first, sizeof s->first);
    memcpy(s->end, image->end, sizeof s->end);
    g->count++;
    return KN_OK;
}

/* A body has one shape. */
static enum kn_status place_body(const struct kn_case *c, const struct kn_body *b, struct kn_geometry *g)
{
    const char *near = near_name(c, b);
    const bool box = has_box(b), plate = b->plate.axis != KN_PLATE_NONE, image = *b->image.file != '\0';
    const int shapes = box + plate + image + kn_shape_count(b);
    if (shapes == 0 && near)
        return fail(body(b), "", "has no shape (did you mean bodies.%s?)", near);
    if (shapes == 0)
        return fail(body(b), "",
                    "has no shape (box: [[0.2, 0.2], [0.4, 0.5]], plate: {axis: x, at: 0.5}, image: {file: "
                    "pores.png}, cylinder: {centre: [0.5, 0.5], radius: 0.1}, sphere or polygon)");
    if (shapes > 1)
        return fail(body(b),
                    image   ? "image"
                    : plate ? "plate"
                            : "",
                    "the body has a %s already (one shape per body)",
                    box              ? "box"
                    : plate && image ? "plate"
                                     : "shape");
    if (kn_shape_is_smooth(b))
        return KN_OK;
    return image ? place_image(c, b, g) : plate ? place_plate(c, b, g) : place_box(c, b, g);
}

/* The cells of a port. */
static enum kn_status place_port(const struct kn_case *c, const struct kn_port *p, struct kn_opening *o)
{
    for (int axis = 0; axis < 3; axis++) {
        const double size = c->space.size[axis], low = p->from[axis] == KN_TO_END ? 0 : p->from[axis],
                     high = p->to[axis] == KN_TO_END ? size : p->to[axis];
        char from[KN_UNITS_TEXT], to[KN_UNITS_TEXT];
        o->first[axis] = 0;
        o->end[axis] = c->space.cells[axis];
        if (axis == (int)p->side / 2)
            continue;
        if (kn_case_is_uniform(c, axis) && (low > 0 || high < size))
            return fail(port(p), "from", "the gas is uniform along %c, and the port is not (auto along %c)",
                        AXIS[axis], AXIS[axis]);
        KN_TRY(find_edge(c, port(p), "from", axis, low, &o->first[axis]));
        KN_TRY(find_edge(c, port(p), "to", axis, high, &o->end[axis]));
        if (o->first[axis] >= o->end[axis])
            return fail(port(p), "from", "%s to %s along %c is no part of the side",
                        kn_scales_place(c, low, from), kn_scales_place(c, high, to), AXIS[axis]);
    }
    return KN_OK;
}

enum kn_status kn_geometry_create(struct kn_geometry *g, const struct kn_case *c)
{
    enum kn_status status = KN_OK;
    g->count = g->nimages = 0;
    for (int i = 0; i < kn_case_ports(c) && status == KN_OK; i++)
        status = place_port(c, &c->ports[i], &g->openings[i]);
    for (int i = 0; i < kn_case_bodies(c) && status == KN_OK; i++)
        status = place_body(c, &c->bodies[i], g);
    if (status != KN_OK)
        kn_geometry_destroy(g);
    return status;
}

void kn_geometry_destroy(struct kn_geometry *g)
{
    for (int i = 0; i < g->nimages; i++)
        kn_image_destroy(&g->images[i]);
    g->count = g->nimages = 0;
}

static bool overlap(const int first[3], const int end[3], const int other_first[3], const int other_end[3])
{
    for (int d = 0; d < 3; d++)
        if (first[d] >= other_end[d] || other_first[d] >= end[d])
            return false;
    return true;
}

/* True if two solids have a common cell; plates have none. */
static bool collide(const struct kn_geometry *g, const struct kn_solid *a, const struct kn_solid *b)
{
    int at[3], first[3], end[3];
    if (!overlap(a->first, a->end, b->first, b->end))
        return false;
    for (int d = 0; d < 3; d++) {
        first[d] = a->first[d] > b->first[d] ? a->first[d] : b->first[d];
        end[d] = a->end[d] < b->end[d] ? a->end[d] : b->end[d];
    }
    if (a->image == 0 && b->image == 0)
        return true;
    for (at[2] = first[2]; at[2] < end[2]; at[2]++)
        for (at[1] = first[1]; at[1] < end[1]; at[1]++)
            for (at[0] = first[0]; at[0] < end[0]; at[0]++)
                if (kn_geometry_is_solid(g, a, at) && kn_geometry_is_solid(g, b, at))
                    return true;
    return false;
}

/* Solid cells of all bodies; plates have none. */
static double count_solid(const struct kn_geometry *g)
{
    double cells = 0;
    for (int i = 0; i < g->count; i++) {
        const struct kn_solid *s = &g->solids[i];
        double own = 1;
        for (int d = 0; d < 3; d++)
            own *= s->end[d] - s->first[d];
        cells += s->image ? kn_image_cells(&g->images[s->image - 1]) : own;
    }
    return cells;
}

/* Motion along the normal of the surface, as of a piston: only in the linearised equation. */
static enum kn_status check_motion(const struct kn_case *c, const struct kn_solid *s)
{
    const struct kn_body *b = &c->bodies[s->body];
    const int thin = thin_axis(s);
    for (int d = 0; d < 3; d++) {
        const bool oscillates = b->surface.oscillation.velocity[d] != 0,
                   ends = s->first[d] > 0 || s->end[d] < c->space.cells[d],
                   exposed = s->image   ? !kn_case_is_uniform(c, d)
                             : thin < 0 ? ends
                                        : d == thin;
        if (!exposed || (b->surface.velocity[d] == 0 && !oscillates))
            continue;
        if (c->disturbance > 0)
            return fail(
                body(b), oscillates ? "oscillation.velocity" : "velocity",
                "along %c it displaces the body (this needs disturbance: 0, where the displacement is "
                "negligible; at a finite disturbance the gas can move instead, by an inflow)",
                AXIS[d]);
        if (b->surface.accommodation == 0 || kn_case_scatters(&b->surface))
            return fail(
                body(b), oscillates ? "oscillation.velocity" : "velocity",
                "along %c %s (motion along the normal needs accommodation above 0, and the diffuse model)",
                AXIS[d],
                kn_case_scatters(&b->surface) ? "of a cercignani-lampis surface" : "with accommodation 0");
    }
    return KN_OK;
}

/* Rotation moves the sides of a box along their normals. */
static enum kn_status check_rotation(const struct kn_case *c, const struct kn_body *b)
{
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        if (b->rotation[d] == 0)
            continue;
        if (kn_case_is_uniform(c, e) || kn_case_is_uniform(c, f))
            return fail(body(b), "rotation",
                        "about %c, but the gas is uniform along %c (one value is a rotation about z)",
                        AXIS[d], AXIS[kn_case_is_uniform(c, e) ? e : f]);
        if (c->disturbance > 0)
            return fail(body(b), "rotation",
                        "of a body with flat sides displaces the gas (this needs disturbance: 0, where the "
                        "displacement is negligible)");
        if (b->surface.accommodation == 0 || kn_case_scatters(&b->surface))
            return fail(body(b), "rotation", "needs accommodation above 0, and the diffuse model");
    }
    return KN_OK;
}

/* A port has a state that its kind can represent, at a side where gas can enter, and does not overlap others.
 */
static enum kn_status check_port(const struct kn_case *c, const struct kn_geometry *g, int number)
{
    const struct kn_port *p = &c->ports[number];
    const double eps = c->disturbance;
    const bool vacuum = p->kind == KN_PORT_VACUUM;
    const char *side = kn_case_side_name(p->side);
    if (kn_case_is_uniform(c, (int)p->side / 2) || c->walls[p->side].kind == KN_WALL_PERIODIC)
        return fail(port(p), "side", "walls.%s is periodic (a port needs an end of the gas)", side);
    if (vacuum && eps == 0)
        return fail(port(p), "kind",
                    "vacuum at disturbance 0 (it needs the whole equation, disturbance: 1; a small "
                    "difference of pressures is kind: pressure)");
    if ((p->flow != 0) != (p->kind == KN_PORT_FLOW))
        return fail(port(p), "flow",
                    "%g with kind: %s (kind: flow has a flow, which is not 0, and no other has)", p->flow,
                    kn_config_choice_name("ports.<name>.kind", p->kind));
    if (p->kind == KN_PORT_FLOW && p->pressure != 0)
        return fail(port(p), "pressure", "the pressure of a port of kind flow follows from the flow");
    if (vacuum && (p->pressure != 0 || p->temperature != 0))
        return fail(port(p), p->pressure != 0 ? "pressure" : "temperature", "has no meaning for a vacuum");
    if (1 + eps * p->pressure <= 0 || 1 + eps * p->temperature <= 0)
        return fail(port(p), 1 + eps * p->pressure <= 0 ? "pressure" : "temperature",
                    "is not above 0 (more than %g is allowed; kind: vacuum has no gas)", -1 / eps);
    for (int i = 0; i < number; i++)
        if (c->ports[i].side == p->side && overlap(g->openings[i].first, g->openings[i].end,
                                                   g->openings[number].first, g->openings[number].end))
            return fail(port(p), "", "overlaps ports.%s", c->ports[i].name);
    return KN_OK;
}

static enum kn_status check_all(const struct kn_case *c, const struct kn_geometry *g)
{
    KN_TRY(kn_shape_check(c));
    for (int i = 0; i < kn_case_ports(c); i++)
        KN_TRY(check_port(c, g, i));
    for (int i = 0; i < g->count; i++) {
        const struct kn_body *b = &c->bodies[g->solids[i].body];
        char name[KN_NAME];
        for (int k = 0; k < i; k++)
            if (collide(g, &g->solids[i], &g->solids[k]))
                return fail(body(b), "", "overlaps bodies.%s", c->bodies[g->solids[k].body].name);
        KN_TRY(check_motion(c, &g->solids[i]));
        KN_TRY(check_rotation(c, b));
        snprintf(name, sizeof name, "bodies.%s", b->name);
        KN_TRY(kn_config_check_surface(c, &b->surface, name));
    }
    const int *n = c->space.cells;
    if (g->count > 0 && count_solid(g) >= (double)n[0] * n[1] * n[2])
        return fail(body(&c->bodies[0]), "", "no gas is left");
    return KN_OK;
}

enum kn_status kn_geometry_check(const struct kn_case *c)
{
    struct kn_geometry g;
    KN_TRY(kn_geometry_create(&g, c));
    const enum kn_status status = check_all(c, &g);
    kn_geometry_destroy(&g);
    return status;
}
