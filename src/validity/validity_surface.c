/* Smooth bodies: oblique surfaces on the velocity grid, and gaps and walls that the cells do not resolve. */
#include "validity/validity.h"

#include "config/case.h"
#include "config/config.h"
#include "config/scales.h"
#include "config/shape.h"
#include "config/triangles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Relative errors of the half-range fluxes of mass and of tangential momentum through a facet. */
static void find_errors(const struct kn_velocity *v, const double normal[3], double error[2])
{
    const double exact = 0.5 / sqrt(M_PI);
    double mass = 0, shear = 0;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            float at[3];
            double square = 0, along = 0;
            kn_velocity_at(v, octant, k, at);
            for (int d = 0; d < 3; d++) {
                along += at[d] * normal[d];
                square += kn_velocity_is_reduced(v, d) ? 0.5 : (double)at[d] * at[d];
            }
            if (along <= 0)
                continue;
            mass += (double)v->w[k] * along;
            shear += (double)v->w[k] * along * (square - along * along);
        }
    error[0] = mass / exact - 1;
    error[1] = shear / exact - 1; /* the sum over two tangential directions, 1 / 2 each */
}

/* The largest mean error of a body: errors of opposite signs, as around a circle, cancel. */
static double surface_error(const struct kn_case *c, const struct kn_volumes *volumes, int *body)
{
    struct kn_velocity v;
    double largest = 0;
    if (kn_velocity_create(&v, c) != KN_OK)
        return 0;
    for (int b = 0; b < kn_case_bodies(c); b++) {
        double sum[2] = {0}, area = 0;
        for (int i = 0; i < volumes->nfacets; i++) {
            const struct kn_facet *f = &volumes->facets[i];
            double error[2];
            if (f->surface != KN_SIDES + b)
                continue;
            find_errors(&v, f->normal, error);
            area += f->area;
            for (int k = 0; k < 2; k++)
                sum[k] += f->area * error[k];
        }
        const double error = area > 0 ? fmax(fabs(sum[0]), fabs(sum[1])) / area : 0;
        if (error > largest) {
            largest = error;
            *body = b;
        }
    }
    kn_velocity_destroy(&v);
    return largest;
}

/* Unequal numbers of nodes avoid nodes that move along a surface at 45 degrees. */
static bool suggest_nodes(const struct kn_case *c, const struct kn_volumes *volumes, char text[KN_NAME])
{
    enum { STEPS = 4 };
    const int most = c->collision.method == KN_METHOD_OPERATOR ? 20 : 32;
    int body;
    for (int more = 0; more <= STEPS; more++)
        for (int apart = 0; apart <= STEPS; apart++) {
            struct kn_case other = *c;
            other.velocity.nodes[0] += 2 * more;
            other.velocity.nodes[1] = other.velocity.nodes[0] + 2 * apart;
            if (!kn_case_is_uniform(c, 2))
                other.velocity.nodes[2] = other.velocity.nodes[1] + 2 * apart;
            if (other.velocity.nodes[1] > most || other.velocity.nodes[2] > most ||
                surface_error(&other, volumes, &body) >= KN_VALIDITY_WARN)
                continue;
            snprintf(text, KN_NAME, "velocity.nodes: [%d, %d, %d]", other.velocity.nodes[0],
                     other.velocity.nodes[1], other.velocity.nodes[2]);
            return true;
        }
    return false;
}

static void judge_nodes(struct kn_validity *v, const struct kn_case *c, const struct kn_volumes *volumes)
{
    int body = 0;
    char advice[KN_NAME] = "more nodes, of different number along x and y";
    const double error = surface_error(c, volumes, &body);
    if (error < KN_VALIDITY_WARN)
        return;
    suggest_nodes(c, volumes, advice);
    kn_validity_add(
        v, KN_VALIDITY_WARN, "surface", error,
        "the velocity grid does not represent the fluxes at the surface of bodies.%s, whose direction is "
        "oblique: they are wrong by %s without collisions (%s; walls along the axes are exact)",
        c->bodies[body].name, KN_VALIDITY_PERCENT(error), advice);
}

/* Width of a cell at a facet: the square root of its area, or its length, is of that size. */
static double width_of(const struct kn_case *c)
{
    double width = 0;
    for (int d = 0; d < 3; d++)
        if (!kn_case_is_uniform(c, d))
            width = fmax(width, kn_case_mean_width(c, d, 1));
    return width;
}

/* A point of a surface: normal out of the gas, and its share of the area. */
struct sample {
    double at[3], normal[3], area;
};

static double distance_from(const struct kn_shapes *shapes, const struct sample *p, double length)
{
    double at[3], distance;
    for (int d = 0; d < 3; d++)
        at[d] = p->at[d] + length * p->normal[d];
    kn_shape_nearest(shapes, at, 0, &distance);
    return distance;
}

/* Distance along the normal to the other side of a wall (sign 1) or of a gap (-1), up to a number of widths;
 * infinite if it is longer. Steps are as long as no surface can be nearer. */
static double way_across(const struct kn_shapes *shapes, const struct sample *p, double sign, double most)
{
    enum { STEPS = 20 };
    const double least = most / STEPS;
    for (double way = least; way <= most * (1 + 1e-9);) {
        const double distance = sign * distance_from(shapes, p, sign * way);
        if (distance > 1e-9 * most)
            return way;
        way += fmax(-distance, least);
    }
    return INFINITY;
}

/* Distance through a gap to a wall of the box; infinite if there is none. A side with ports is open. */
static double way_to_walls(const struct kn_case *c, const struct kn_space *space, const struct sample *p)
{
    double way = INFINITY;
    for (int side = 0; side < KN_SIDES; side++) {
        const int d = side / 2;
        const double left = space->edges[d][side % 2 ? space->whole[d] : 0] - p->at[d], speed = -p->normal[d];
        bool closed = c->walls[side].kind == KN_WALL_DIFFUSE || c->walls[side].kind == KN_WALL_SPECULAR;
        for (int k = 0; k < kn_case_ports(c); k++)
            closed = closed && c->ports[k].side != (enum kn_side)side;
        if (closed && !kn_case_is_uniform(c, d) && left * speed > 0)
            way = fmin(way, left / speed);
    }
    return way;
}

/* Facets of a body, moved to the surface from which they deviate where it is curved; false: there are no
 * more. */
static bool facet_at(const struct kn_volumes *volumes, const struct kn_shapes *shapes, int body, int *number,
                     struct sample *p)
{
    for (; *number < volumes->nfacets; ++*number) {
        const struct kn_facet *f = &volumes->facets[*number];
        if (f->surface != KN_SIDES + body)
            continue;
        memcpy(p->at, f->centre, sizeof p->at);
        memcpy(p->normal, f->normal, sizeof p->normal);
        p->area = f->area;
        const double off = distance_from(shapes, p, 0);
        for (int d = 0; d < 3; d++)
            p->at[d] += off * p->normal[d];
        ++*number;
        return true;
    }
    return false;
}

/* Points of triangles in the space with gas on one side; thin parts of a body have no facets. */
static bool triangle_at(const struct kn_space *space, const struct kn_shapes *shapes, int body, double width,
                        int *number, struct sample *p)
{
    enum { SAMPLES = 1000 };
    for (; *number < SAMPLES; ++*number) {
        bool inside = true;
        kn_triangles_sample(shapes->of[body].triangles, *number, SAMPLES, p->at, p->normal);
        for (int d = 0; d < 3; d++)
            inside = inside && p->at[d] > space->edges[d][0] && p->at[d] < space->edges[d][space->whole[d]];
        const double ahead = inside ? distance_from(shapes, p, 0.01 * width) : 1,
                     behind = inside ? distance_from(shapes, p, -0.01 * width) : 1;
        if ((ahead > 0) == (behind > 0))
            continue;
        for (int d = 0; d < 3 && ahead > 0; d++)
            p->normal[d] = -p->normal[d];
        p->area = 1;
        ++*number;
        return true;
    }
    return false;
}

/* Report the mean distance where it is too short, if that is more than a part of the surface. */
static void judge_ways(struct kn_validity *v, const struct kn_case *c, const struct kn_space *space,
                       const struct kn_shapes *shapes, int body, double sign)
{
    static const double part = 0.1;
    const double width = width_of(c), most = (sign > 0 ? 1 : 2) * width;
    const bool surface = shapes->of[body].kind == KN_SHAPE_SURFACE;
    double area = 0, narrow = 0, mean = 0;
    char cells[KN_UNITS_TEXT];
    struct sample p;
    for (int i = 0; surface ? triangle_at(space, shapes, body, width, &i, &p)
                            : facet_at(&space->volumes, shapes, body, &i, &p);) {
        double way = way_across(shapes, &p, sign, most);
        if (sign < 0)
            way = fmin(way, way_to_walls(c, space, &p));
        if (way > most * (1 + 1e-9))
            way = INFINITY;
        area += p.area;
        narrow += isfinite(way) ? p.area : 0;
        mean += isfinite(way) ? p.area * way : 0;
    }
    if (!(narrow > part * area))
        return;
    mean /= narrow;
    kn_validity_add(v, 0, sign > 0 ? "thin" : "gap", NAN,
                    "bodies.%s: %s is %.2g cells wide (cells of %s resolve it)", c->bodies[body].name,
                    sign > 0 ? "a part of the body" : "a gap at the body", mean / width,
                    kn_scales_place_text(c, mean / (sign > 0 ? 2 : 3) / c->gas.delta, cells));
}

/* Holes in the surface of a file. */
static void judge_edges(struct kn_validity *v, const struct kn_case *c, const struct kn_shapes *shapes,
                        int body)
{
    const int open = shapes->of[body].kind == KN_SHAPE_SURFACE ? shapes->of[body].triangles->open : 0;
    if (open > 0)
        kn_validity_add(
            v, 0, "open", NAN,
            "bodies.%s.stl.file: the surface is not closed (%d open edges); holes are closed where "
            "its winding number is a half (knudsen info --picture shows the result)",
            c->bodies[body].name, open);
}

static void judge_body(struct kn_validity *v, const struct kn_case *c, const struct kn_space *space,
                       const struct kn_shapes *shapes, int body)
{
    judge_edges(v, c, shapes, body);
    for (int sign = -1; sign <= 1; sign += 2)
        judge_ways(v, c, space, shapes, body, sign);
}

/* Gaps without control volumes have no facets that could be measured. */
static void judge_filled(struct kn_validity *v, const struct kn_volumes *volumes)
{
    if (volumes->filled > 0)
        kn_validity_add(v, 0, "filled", NAN,
                        "bodies: %d cell%s in gaps narrower than half a cell, or in pockets smaller than a "
                        "cell, are solid in this run (smaller cells resolve them; knudsen info --picture "
                        "shows the gas)",
                        volumes->filled, volumes->filled == 1 ? "" : "s");
}

enum kn_status kn_validity_judge_surfaces(struct kn_validity *v, const struct kn_case *c)
{
    struct kn_space space;
    struct kn_shapes shapes = {0};
    if (!kn_shape_any(c))
        return KN_OK;
    enum kn_status status = kn_space_create(&space, c, NULL);
    if (status == KN_OK)
        status = kn_shape_create(&shapes, c);
    if (status == KN_OK) {
        judge_nodes(v, c, &space.volumes);
        judge_filled(v, &space.volumes);
        for (int body = 0; body < shapes.count; body++)
            if (shapes.of[body].kind != KN_SHAPE_NONE)
                judge_body(v, c, &space, &shapes, body);
    }
    kn_shape_destroy(&shapes);
    kn_space_destroy(&space);
    return status;
}
