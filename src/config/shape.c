/* Smooth bodies: their shapes, signed distances and checks. */
#include "config/shape.h"

#include "config/case.h"
#include "config/config.h"
#include "config/scales.h"
#include "config/triangles.h"
#include "error.h"
#include "files/points.h"
#include "files/stl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int count_corners(const struct kn_body *b)
{
    int count = 0;
    while (count < KN_CORNERS && b->polygon[count][0] != KN_TO_END && b->polygon[count][1] != KN_TO_END)
        count++;
    return count;
}

int kn_shape_count(const struct kn_body *b)
{
    return (b->cylinder.radius > 0) + (b->sphere.radius > 0) + (count_corners(b) > 0) +
           (*b->points.file != '\0') + (*b->stl.file != '\0');
}

bool kn_shape_is_smooth(const struct kn_body *b)
{
    return kn_shape_count(b) > 0;
}

bool kn_shape_is_round(const struct kn_body *b)
{
    return b->cylinder.radius + b->sphere.radius > 0;
}

bool kn_shape_any(const struct kn_case *c)
{
    bool any = false;
    for (int i = 0; i < kn_case_bodies(c); i++)
        any = any || kn_shape_is_smooth(&c->bodies[i]);
    return any;
}

/* Twice the area, positive if the corners are anticlockwise. */
static double turn(int corners, double (*corner)[2])
{
    double sum = 0;
    for (int i = 0; i < corners; i++) {
        const double *a = corner[i], *b = corner[(i + 1) % corners];
        sum += a[0] * b[1] - a[1] * b[0];
    }
    return sum;
}

/* Corners of a polygon in the unit of the case, anticlockwise and in lambda0. */
static void place_corners(struct kn_shape_body *s, const struct kn_body_file *from, double length)
{
    for (int i = 0; i < s->corners; i++)
        for (int d = 0; d < 2; d++)
            s->corner[i][d] = length * (from->at[d] + from->scale * s->corner[i][d]);
    if (turn(s->corners, s->corner) >= 0)
        return;
    for (int i = 0, k = s->corners - 1; i < k; i++, k--)
        for (int d = 0; d < 2; d++) {
            const double swap = s->corner[i][d];
            s->corner[i][d] = s->corner[k][d];
            s->corner[k][d] = swap;
        }
}

static enum kn_status read_polygon(struct kn_shape_body *s, const struct kn_case *c, const struct kn_body *b)
{
    static const struct kn_body_file own = {.scale = 1};
    const bool file = *b->points.file;
    s->kind = KN_SHAPE_POLYGON;
    if (file) {
        KN_TRY(kn_config_add_key(kn_points_read(b->points.file, &s->corner, &s->corners), "bodies", b->name,
                                 "points.file"));
    } else {
        s->corners = count_corners(b);
        s->corner = malloc(KN_CORNERS * sizeof *s->corner);
        if (!s->corner)
            return kn_error_set(KN_EMEMORY, "no memory for a polygon");
        memcpy(s->corner, b->polygon, (size_t)s->corners * sizeof *s->corner);
    }
    place_corners(s, file ? &b->points : &own, c->gas.delta);
    return KN_OK;
}

static enum kn_status read_surface(struct kn_shape_body *s, const struct kn_case *c, const struct kn_body *b)
{
    struct kn_stl stl;
    s->kind = KN_SHAPE_SURFACE;
    KN_TRY(kn_config_add_key(kn_stl_read(&stl, b->stl.file), "bodies", b->name, "stl.file"));
    for (int i = 0; i < 9 * stl.count; i++) {
        double *at = &stl.corners[i / 9][i / 3 % 3][i % 3];
        *at = c->gas.delta * (b->stl.at[i % 3] + b->stl.scale * *at);
    }
    s->triangles = calloc(1, sizeof *s->triangles);
    if (s->triangles)
        return kn_triangles_create(s->triangles, stl.corners, stl.count);
    free(stl.corners);
    return kn_error_set(KN_EMEMORY, "no memory for the surface of bodies.%s", b->name);
}

enum kn_status kn_shape_read(struct kn_shape_body *s, const struct kn_case *c, const struct kn_body *b)
{
    const double length = c->gas.delta;
    const bool cylinder = b->cylinder.radius > 0, sphere = b->sphere.radius > 0;
    *s = (struct kn_shape_body){.outside = b->outside, .axis = 2};
    if (cylinder || sphere) {
        s->kind = cylinder ? KN_SHAPE_CYLINDER : KN_SHAPE_SPHERE;
        s->axis = cylinder ? (int)b->cylinder.axis - KN_PLATE_X : 2;
        s->radius = length * (cylinder ? b->cylinder.radius : b->sphere.radius);
        for (int d = 0; d < 3; d++)
            s->centre[d] = length * (cylinder ? b->cylinder.centre[d] : b->sphere.centre[d]);
        return KN_OK;
    }
    const enum kn_status status = *b->stl.file ? read_surface(s, c, b) : read_polygon(s, c, b);
    if (status != KN_OK) {
        kn_shape_free(s);
        return status;
    }
    for (int d = 0; d < 3; d++) {
        double bounds[2];
        kn_shape_bounds(s, d, bounds);
        s->centre[d] = isfinite(bounds[0]) ? (bounds[0] + bounds[1]) / 2 : 0;
    }
    return KN_OK;
}

void kn_shape_free(struct kn_shape_body *s)
{
    if (s->triangles)
        kn_triangles_destroy(s->triangles);
    free(s->triangles);
    free(s->corner);
    *s = (struct kn_shape_body){.kind = KN_SHAPE_NONE};
}

enum kn_status kn_shape_create(struct kn_shapes *shapes, const struct kn_case *c)
{
    const int count = kn_case_bodies(c);
    *shapes = (struct kn_shapes){count, calloc((size_t)count + 1, sizeof *shapes->of)};
    if (!shapes->of)
        return kn_error_set(KN_EMEMORY, "no memory for %d bodies", count);
    for (int i = 0; i < count; i++)
        if (kn_shape_is_smooth(&c->bodies[i]))
            KN_TRY(kn_shape_read(&shapes->of[i], c, &c->bodies[i]));
    return KN_OK;
}

void kn_shape_destroy(struct kn_shapes *shapes)
{
    for (int i = 0; i < shapes->count && shapes->of; i++)
        kn_shape_free(&shapes->of[i]);
    free(shapes->of);
    *shapes = (struct kn_shapes){0};
}

void kn_shape_bounds(const struct kn_shape_body *s, int axis, double bounds[2])
{
    bounds[0] = s->centre[axis] - s->radius;
    bounds[1] = s->centre[axis] + s->radius;
    if (s->kind == KN_SHAPE_SURFACE) {
        bounds[0] = s->triangles->node[1].low[axis];
        bounds[1] = s->triangles->node[1].high[axis];
    } else if (axis == s->axis && s->kind != KN_SHAPE_SPHERE) {
        bounds[0] = -INFINITY;
        bounds[1] = INFINITY;
    } else if (s->kind == KN_SHAPE_POLYGON) {
        bounds[0] = INFINITY;
        bounds[1] = -INFINITY;
        for (int i = 0; i < s->corners; i++) {
            bounds[0] = fmin(bounds[0], s->corner[i][axis]);
            bounds[1] = fmax(bounds[1], s->corner[i][axis]);
        }
    }
}

/* Distance from a point to an edge. */
static double edge_distance(const double a[2], const double b[2], const double at[3])
{
    const double x = b[0] - a[0], y = b[1] - a[1];
    const double along = ((at[0] - a[0]) * x + (at[1] - a[1]) * y) / (x * x + y * y),
                 t = fmin(fmax(along, 0), 1);
    return hypot(at[0] - a[0] - t * x, at[1] - a[1] - t * y);
}

/* Positive outside of the polygon. */
static double polygon_distance(const struct kn_shape_body *s, const double at[3])
{
    double nearest = INFINITY;
    bool inside = false;
    for (int i = 0; i < s->corners; i++) {
        const double *a = s->corner[i], *b = s->corner[(i + 1) % s->corners];
        nearest = fmin(nearest, edge_distance(a, b, at));
        if ((a[1] <= at[1]) != (b[1] <= at[1]) &&
            at[0] < a[0] + (at[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
            inside = !inside;
    }
    return inside ? -nearest : nearest;
}

/* Positive outside of the cylinder or sphere. */
static double round_distance(const struct kn_shape_body *s, const double at[3])
{
    double square = 0;
    for (int d = 0; d < 3; d++)
        square += s->kind == KN_SHAPE_CYLINDER && d == s->axis ? 0 : pow(at[d] - s->centre[d], 2);
    return sqrt(square) - s->radius;
}

double kn_shape_distance(const struct kn_shape_body *s, const double at[3])
{
    double distance = INFINITY;
    if (s->kind == KN_SHAPE_NONE)
        return distance;
    distance = s->kind == KN_SHAPE_SURFACE   ? kn_triangles_distance(s->triangles, at)
               : s->kind == KN_SHAPE_POLYGON ? polygon_distance(s, at)
                                             : round_distance(s, at);
    return s->outside ? -distance : distance;
}

int kn_shape_nearest(const struct kn_shapes *shapes, const double at[3], double margin, double *distance)
{
    double least = INFINITY;
    int nearest = 0;
    for (int i = 0; i < shapes->count; i++) {
        const double d = kn_shape_distance(&shapes->of[i], at);
        if (d < least - margin)
            nearest = i;
        least = fmin(d, least);
    }
    if (distance)
        *distance = least;
    return nearest;
}

bool kn_shape_encloses(const struct kn_case *c, int axis, bool high)
{
    bool enclosed = false;
    for (int i = 0; i < kn_case_bodies(c); i++) {
        struct kn_shape_body s;
        double bounds[2];
        if (!kn_shape_is_smooth(&c->bodies[i]) || !c->bodies[i].outside ||
            kn_shape_read(&s, c, &c->bodies[i]) != KN_OK)
            continue;
        kn_shape_bounds(&s, axis, bounds);
        enclosed = enclosed || (high ? bounds[1] < c->gas.delta * c->space.size[axis] : bounds[0] > 0);
        kn_shape_free(&s);
    }
    return enclosed;
}

double kn_shape_speed(const struct kn_case *c, const struct kn_body *b)
{
    const double *w = b->rotation, rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    struct kn_shape_body s;
    if (rate == 0 || kn_shape_read(&s, c, b) != KN_OK)
        return 0;
    double farthest = s.radius, half[3] = {0};
    for (int i = 0; i < s.corners; i++)
        farthest = fmax(farthest, hypot(s.corner[i][0] - s.centre[0], s.corner[i][1] - s.centre[1]));
    for (int d = 0; d < 3 && s.kind == KN_SHAPE_SURFACE; d++)
        half[d] = s.triangles->node[1].high[d] - s.centre[d];
    kn_shape_free(&s);
    return fmax(farthest, sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2])) * rate;
}

double kn_shape_facets(const struct kn_case *c)
{
    double facets = 0;
    for (int i = 0; i < kn_case_bodies(c); i++) {
        struct kn_shape_body s;
        double across[3];
        if (!kn_shape_is_smooth(&c->bodies[i]) || kn_shape_read(&s, c, &c->bodies[i]) != KN_OK)
            continue;
        for (int d = 0; d < 3; d++) {
            double at[2];
            kn_shape_bounds(&s, d, at);
            const double size = c->gas.delta * c->space.size[d], length = fmin(at[1], size) - fmax(at[0], 0);
            across[d] = kn_case_is_uniform(c, d) ? 1 : fmax(length / kn_case_narrowest_cell(c, d), 1);
        }
        facets += 2 * (across[0] * across[1] + across[1] * across[2] + across[2] * across[0]) -
                  (kn_case_is_uniform(c, 2) ? 2 * across[0] * across[1] : 0);
        kn_shape_free(&s);
    }
    return fmin(facets, 1e8);
}

/* True if two edges that are not neighbours cross; edges on one line do if they overlap. */
static bool cross(const double a[2], const double b[2], const double p[2], const double q[2])
{
    for (int d = 0; d < 2; d++)
        if (fmax(a[d], b[d]) < fmin(p[d], q[d]) || fmax(p[d], q[d]) < fmin(a[d], b[d]))
            return false;
    const double one = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]),
                 two = (b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]),
                 three = (q[0] - p[0]) * (a[1] - p[1]) - (q[1] - p[1]) * (a[0] - p[0]),
                 four = (q[0] - p[0]) * (b[1] - p[1]) - (q[1] - p[1]) * (b[0] - p[0]);
    return one * two <= 0 && three * four <= 0;
}

/* The name of the shape, for messages. */
static const char *key_of(const struct kn_body *b)
{
    return *b->stl.file             ? "stl"
           : *b->points.file        ? "points"
           : b->cylinder.radius > 0 ? "cylinder"
           : b->sphere.radius > 0   ? "sphere"
                                    : "polygon";
}

static enum kn_status check_polygon(const struct kn_body *b, const struct kn_shape_body *s)
{
    const int n = s->corners;
    const char *key = key_of(b);
    if (n < 3)
        return kn_config_fail("bodies", b->name, key, "%d corners (at least 3)", n);
    for (int i = 0; i < n; i++)
        for (int k = i + 2; k < n && (k + 1) % n != i; k++)
            if (cross(s->corner[i], s->corner[i + 1], s->corner[k], s->corner[(k + 1) % n]))
                return kn_config_fail("bodies", b->name, key, "the edges from corners %d and %d cross", i + 1,
                                      k + 1);
    for (int i = 0; i < n; i++)
        if (hypot(s->corner[i][0] - s->corner[(i + 1) % n][0], s->corner[i][1] - s->corner[(i + 1) % n][1]) ==
            0)
            return kn_config_fail("bodies", b->name, key, "corners %d and %d are equal", i + 1,
                                  (i + 1) % n + 1);
    return turn(n, s->corner) == 0 ? kn_config_fail("bodies", b->name, key, "the corners are on a line")
                                   : KN_OK;
}

/* The shape has a meaning in the space of the case. */
static enum kn_status check_space(const struct kn_case *c, const struct kn_body *b,
                                  const struct kn_shape_body *s)
{
    int axes = 0;
    for (int d = 0; d < 3; d++)
        axes += !kn_case_is_uniform(c, d);
    if (axes < 2 || (axes == 2 && !kn_case_is_uniform(c, 2)))
        return kn_config_fail("bodies", b->name, key_of(b),
                              "needs gas that varies in the x-y plane, or in three dimensions");
    if (axes == 2 && s->kind == KN_SHAPE_SPHERE)
        return kn_config_fail("bodies", b->name, "sphere",
                              "needs three dimensions (cylinder is the circle in two)");
    if (axes == 2 && s->kind == KN_SHAPE_SURFACE)
        return kn_config_fail("bodies", b->name, "stl",
                              "needs three dimensions (points is the outline of a body in two)");
    if (axes == 2 && s->axis != 2)
        return kn_config_fail("bodies", b->name, "cylinder.axis",
                              "the gas is uniform along z, so the axis must be z");
    for (int d = 0; d < 3; d++) {
        double at[2];
        const double size = c->gas.delta * c->space.size[d];
        kn_shape_bounds(s, d, at);
        char low[KN_UNITS_TEXT], high[KN_UNITS_TEXT], end[KN_UNITS_TEXT];
        if (!s->outside && (at[0] >= size || at[1] <= 0))
            return kn_config_fail("bodies", b->name, key_of(b),
                                  "%s to %s along %c is outside the gas (0 to %s)",
                                  kn_scales_place_text(c, at[0] / c->gas.delta, low),
                                  kn_scales_place_text(c, at[1] / c->gas.delta, high), "xyz"[d],
                                  kn_scales_place_text(c, c->space.size[d], end));
        if (isfinite(at[0]) && c->walls[2 * d].kind == KN_WALL_PERIODIC && (at[0] < 0 || at[1] > size))
            return kn_config_fail("bodies", b->name, key_of(b),
                                  "crosses the periodic ends of %c (it must be inside)", "xyz"[d]);
        if (isfinite(at[0]) && at[1] - at[0] < 2 * kn_case_narrowest_cell(c, d))
            return kn_config_fail("bodies", b->name, key_of(b),
                                  "is thinner than two cells along %c (cells smaller than %s resolve it)",
                                  "xyz"[d], kn_scales_place_text(c, (at[1] - at[0]) / 4 / c->gas.delta, low));
    }
    return KN_OK;
}

/* A round surface rotates in itself; the sides of a polygon move along their normals. */
static enum kn_status check_rotation(const struct kn_case *c, const struct kn_body *b,
                                     const struct kn_shape_body *s)
{
    for (int d = 0; d < 3; d++) {
        if (b->rotation[d] == 0 || s->kind == KN_SHAPE_SPHERE)
            continue;
        if (d != s->axis && s->kind != KN_SHAPE_SURFACE)
            return kn_config_fail("bodies", b->name, "rotation", "about %c, but the axis of the %s is %c",
                                  "xyz"[d], key_of(b), "xyz"[s->axis]);
        if (!kn_shape_is_round(b) && c->disturbance > 0)
            return kn_config_fail(
                "bodies", b->name, "rotation",
                "of a body with flat sides displaces the gas (this needs disturbance: 0, where the "
                "displacement is negligible)");
    }
    return KN_OK;
}

/* True if every corner of the polygon, anticlockwise, is a left turn. */
static bool is_convex(const struct kn_shape_body *s)
{
    for (int i = 0; i < s->corners; i++) {
        const double *a = s->corner[i], *b = s->corner[(i + 1) % s->corners],
                     *d = s->corner[(i + 2) % s->corners];
        if ((b[0] - a[0]) * (d[1] - b[1]) - (b[1] - a[1]) * (d[0] - b[0]) < 0)
            return false;
    }
    return true;
}

/* Reflected molecules keep their direction only on average, theory (74).  Convex surfaces do not receive them
 * again. */
static enum kn_status check_reflection(const struct kn_case *c, const struct kn_body *b,
                                       const struct kn_shape_body *s)
{
    const struct kn_wall *w = &b->surface;
    const char *key = w->accommodation != 1 ? "accommodation" : w->tangential != 1 ? "tangential" : "normal";
    if (w->accommodation == 1 && !kn_case_scatters(w))
        return KN_OK;
    if (w->accommodation == 0)
        return kn_config_fail("bodies", b->name, key, "0 at a smooth surface (more than 0 is supported)");
    if (kn_case_scatters(w) && c->disturbance > 0)
        return kn_config_fail(
            "bodies", b->name, key,
            "the model of Cercignani and Lampis at a smooth surface at disturbance %g (it needs "
            "disturbance: 0 there; bodies.%s.accommodation is possible at any)",
            c->disturbance, b->name);
    if (s->kind == KN_SHAPE_SURFACE || s->outside || (s->kind == KN_SHAPE_POLYGON && !is_convex(s)))
        return kn_config_fail(
            "bodies", b->name, key,
            "%g at a smooth surface that %s (it must be convex: a cylinder, a sphere or a convex "
            "polygon, with the gas outside; or 1)",
            key[0] == 'a'   ? w->accommodation
            : key[0] == 't' ? w->tangential
                            : w->normal,
            s->outside                    ? "encloses the gas"
            : s->kind == KN_SHAPE_SURFACE ? "may not be convex"
                                          : "is not convex");
    return KN_OK;
}

static enum kn_status check_surface(const struct kn_case *c, const struct kn_body *b)
{
    const double *u = b->surface.velocity, *o = b->surface.oscillation.velocity;
    for (int d = 0; d < 3 && c->disturbance > 0; d++)
        if (kn_shape_is_round(b) && (u[d] != 0 || o[d] != 0) && !kn_case_is_uniform(c, d) &&
            (b->sphere.radius > 0 || d != (int)b->cylinder.axis - KN_PLATE_X))
            return kn_config_fail(
                "bodies", b->name, u[d] != 0 ? "velocity" : "oscillation.velocity",
                "along %c it displaces the body (this needs disturbance: 0, where the displacement is "
                "negligible; at a finite disturbance the gas can move instead, by an inflow)",
                "xyz"[d]);
    return KN_OK;
}

static enum kn_status check_body(const struct kn_case *c, const struct kn_body *b,
                                 const struct kn_shape_body *s)
{
    if (s->kind == KN_SHAPE_POLYGON)
        KN_TRY(check_polygon(b, s));
    KN_TRY(kn_config_check_surface(c, &b->surface, "bodies", b->name));
    KN_TRY(check_space(c, b, s));
    KN_TRY(check_rotation(c, b, s));
    KN_TRY(check_reflection(c, b, s));
    return check_surface(c, b);
}

enum kn_status kn_shape_check(const struct kn_case *c)
{
    struct kn_shapes shapes;
    enum kn_status status = kn_shape_create(&shapes, c);
    for (int i = 0; i < kn_case_bodies(c) && status == KN_OK; i++) {
        const struct kn_body *b = &c->bodies[i];
        if (kn_shape_is_smooth(b))
            status = check_body(c, b, &shapes.of[i]);
        else if (b->outside)
            status = kn_config_fail("bodies", b->name, "outside",
                                    "needs a cylinder, a sphere, a polygon, points or an STL surface");
    }
    kn_shape_destroy(&shapes);
    return status;
}
