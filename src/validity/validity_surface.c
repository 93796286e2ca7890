/* Smooth bodies: oblique surfaces on the velocity grid, and gaps and walls that the cells do not resolve. */
#include "validity/validity.h"

#include "config/case.h"
#include "config/config.h"
#include "config/shape.h"

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

/* Signed distance from all smooth bodies. */
static double distance_at(const struct kn_case *c, const double from[3], const double way[3], double length)
{
    double least = INFINITY, at[3];
    for (int d = 0; d < 3; d++)
        at[d] = from[d] + length * way[d];
    for (int i = 0; i < kn_case_bodies(c); i++)
        if (kn_shape_is_smooth(&c->bodies[i])) {
            const struct kn_shape_body s = kn_shape_of(c, &c->bodies[i]);
            least = fmin(least, kn_shape_distance(&s, at));
        }
    return least;
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

/* Distance along the normal of a facet to the other side of a wall (sign 1) or of a gap (-1), up to a number
 * of widths; infinite if it is longer. */
static double way_across(const struct kn_case *c, const struct kn_facet *f, double sign, double most)
{
    enum { STEPS = 20 };
    const double way[3] = {sign * f->normal[0], sign * f->normal[1], sign * f->normal[2]};
    for (int i = 1; i <= STEPS; i++)
        if (sign * distance_at(c, f->centre, way, most * i / STEPS) > 1e-9 * most)
            return most * i / STEPS;
    return INFINITY;
}

/* Report the mean distance over the facets where it is too short, if they exceed a part of the surface. */
static void judge_ways(struct kn_validity *v, const struct kn_case *c, const struct kn_volumes *volumes,
                       int body, double sign)
{
    static const double part = 0.1;
    const double width = width_of(c), most = (sign > 0 ? 1 : 2) * width;
    double area = 0, narrow = 0, mean = 0;
    for (int i = 0; i < volumes->nfacets; i++) {
        const struct kn_facet *f = &volumes->facets[i];
        if (f->surface != KN_SIDES + body)
            continue;
        const double way = way_across(c, f, sign, most);
        area += f->area;
        narrow += isfinite(way) ? f->area : 0;
        mean += isfinite(way) ? f->area * way : 0;
    }
    if (!(narrow > part * area))
        return;
    mean /= narrow;
    kn_validity_add(v, 0, sign > 0 ? "thin" : "gap", NAN,
                    "bodies.%s: %s is %.2g cells wide (cells of %.3g L resolve it)", c->bodies[body].name,
                    sign > 0 ? "a part of the body" : "a gap at the body", mean / width,
                    mean / (sign > 0 ? 2 : 3) / c->gas.delta);
}

enum kn_status kn_validity_judge_surfaces(struct kn_validity *v, const struct kn_case *c)
{
    struct kn_space space;
    if (!kn_shape_any(c))
        return KN_OK;
    const enum kn_status status = kn_space_create(&space, c, NULL);
    if (status == KN_OK) {
        judge_nodes(v, c, &space.volumes);
        for (int body = 0; body < kn_case_bodies(c); body++)
            for (int sign = -1; sign <= 1 && kn_shape_is_smooth(&c->bodies[body]); sign += 2)
                judge_ways(v, c, &space.volumes, body, sign);
    }
    kn_space_destroy(&space);
    return status;
}
