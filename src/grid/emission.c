/* Fills the emission of the facets of control volumes: Maxwellians in all directions away from an oblique
 * surface, theory (73). */
#include "grid/emission.h"

#include "config/case.h"
#include "config/shape.h"
#include "error.h"
#include "point/wall.h"

#include <stdlib.h>
#include <string.h>

/* Largest share of the velocity of a surface that may be normal to it at a finite disturbance. */
static const double SLIDING = 1e-6;

static double normal_part(const struct kn_facet *f, const double u[3])
{
    return f->normal[0] * u[0] + f->normal[1] * u[1] + f->normal[2] * u[2];
}

/* Half-range fluxes of E and of 1 + eps E away from the facet. */
static void measure(struct kn_emission *e, const struct kn_facet *f, const struct kn_velocity *v, double eps)
{
    e->emission_flux = e->unit_flux = 0;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            float at[3];
            kn_velocity_at(v, octant, k, at);
            const double speed = -normal_part(f, (double[3]){at[0], at[1], at[2]}),
                         h = e->row[(size_t)octant * (size_t)v->stride + (size_t)k];
            if (speed <= 0)
                continue;
            e->emission_flux += (double)v->w[k] * speed * h;
            e->unit_flux += (double)v->w[k] * speed * (1 + eps * h);
        }
}

/* The surface at the centre of a facet; of the rotation of a round body, whose facets are chords, only the
 * tangential part counts. */
static struct kn_wall wall_of(const struct kn_boundary *b, const struct kn_facet *f)
{
    const struct kn_wall plain = kn_case_surface(b->c, f->surface);
    struct kn_wall w = kn_boundary_wall(b, f->surface, f->axis, f->centre);
    const int body = f->surface - KN_SIDES;
    double turn[3];
    if (body < 0 || body >= kn_case_bodies(b->c) || !kn_shape_is_round(&b->c->bodies[body]))
        return w;
    for (int d = 0; d < 3; d++)
        turn[d] = w.velocity[d] - plain.velocity[d];
    for (int d = 0; d < 3; d++)
        w.velocity[d] -= normal_part(f, turn) * f->normal[d];
    return w;
}

static void fill(struct kn_boundary *b, int facet, double time)
{
    const struct kn_velocity *v = b->v;
    const struct kn_facet *f = &b->space->volumes.facets[facet];
    const struct kn_wall wall = wall_of(b, f);
    const double wave = cos(wall.oscillation.frequency * time + wall.oscillation.phase);
    const bool inflow = wall.kind == KN_WALL_INFLOW;
    const bool everywhere = b->emissions[facet].reflection; /* what is reflected deviates from E, too */
    struct kn_emission *e = &b->emissions[facet];
    double u[3];
    if (f->mirror >= 0)
        return;
    for (int d = 0; d < 3; d++) {
        u[d] = wall.velocity[d] + wave * wall.oscillation.velocity[d];
        e->velocity[d] = inflow ? 0 : u[d];
    }
    const struct kn_gaussian g = kn_gaussian_maxwellian(
        &v->basis, inflow ? wall.density : 0, u, wall.temperature + wave * wall.oscillation.temperature);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            float at[3];
            kn_velocity_at(v, octant, k, at);
            const double speed = -normal_part(f, (double[3]){at[0], at[1], at[2]});
            e->row[(size_t)octant * (size_t)v->stride + (size_t)k] =
                speed > 0 || everywhere ? kn_gaussian_at(&g, &v->basis, at) : 0;
        }
    measure(e, f, v, b->c->disturbance);
    e->prescribed_flux = inflow ? NAN : -normal_part(f, u);
    if (inflow) {
        e->emission_flux = 0;
        e->unit_flux = INFINITY;
    } else
        e->emission_flux -= e->prescribed_flux;
}

/* At a finite disturbance a surface must not move along its normal. */
static enum kn_status check_sliding(const struct kn_boundary *b, const struct kn_facet *f)
{
    const int body = f->surface - KN_SIDES;
    const struct kn_wall w = wall_of(b, f);
    const double *u = w.velocity, *o = w.oscillation.velocity;
    double size = 0;
    for (int d = 0; d < 3; d++)
        size += fabs(u[d]) + fabs(o[d]);
    if (b->c->disturbance == 0 || body < 0 ||
        fabs(normal_part(f, u)) + fabs(normal_part(f, o)) <= SLIDING * size)
        return KN_OK;
    return kn_error_set(
        KN_EINPUT,
        "bodies.%s.velocity: it displaces the body (this needs disturbance: 0, where the displacement is "
        "negligible; at a finite disturbance the gas can move instead, by an inflow)",
        b->c->bodies[body].name);
}

/* The matrices of facets that are not diffuse. */
static enum kn_status create_reflections(struct kn_boundary *b)
{
    const struct kn_volumes *volumes = &b->space->volumes;
    int placed = 0;
    for (int i = 0; i < volumes->nfacets; i++) {
        const struct kn_wall w = kn_case_surface(b->c, volumes->facets[i].surface);
        b->reflecting += volumes->facets[i].mirror < 0 && kn_reflect_partly(&w);
    }
    if (b->reflecting == 0)
        return KN_OK;
    KN_TRY(kn_reflect_create(&b->reflect, b->v));
    const size_t size = (size_t)b->reflect.count * (size_t)b->reflect.count;
    b->reflections = calloc((size_t)b->reflecting * size, sizeof *b->reflections);
    if (!b->reflections)
        return kn_error_set(KN_EMEMORY, "no memory for the reflection at %d facets of bodies", b->reflecting);
    for (int i = 0; i < volumes->nfacets; i++) {
        const struct kn_facet *f = &volumes->facets[i];
        const struct kn_wall w = kn_case_surface(b->c, f->surface);
        if (f->mirror >= 0 || !kn_reflect_partly(&w))
            continue;
        b->emissions[i].reflection = b->reflections + (size_t)placed++ * size;
        kn_reflect_fill(&b->reflect, b->v, f->normal, &w, b->emissions[i].reflection);
    }
    return KN_OK;
}

enum kn_status kn_emission_create(struct kn_boundary *b)
{
    const struct kn_volumes *volumes = &b->space->volumes;
    const size_t count = (size_t)volumes->nfacets;
    if (count == 0)
        return KN_OK;
    b->emissions = calloc(count, sizeof *b->emissions);
    b->facet_memory = calloc(count * (size_t)b->v->nnodes, sizeof *b->facet_memory);
    if (!b->emissions || !b->facet_memory)
        return kn_error_set(KN_EMEMORY, "no memory for the emission of %zu facets of bodies", count);
    KN_TRY(create_reflections(b));
    for (size_t i = 0; i < count; i++) {
        b->emissions[i].row = b->facet_memory + i * (size_t)b->v->nnodes;
        KN_TRY(check_sliding(b, &volumes->facets[i]));
        fill(b, (int)i, 0);
    }
    return KN_OK;
}

void kn_emission_update(struct kn_boundary *b, int patch, double time)
{
    for (int i = 0; b->emissions && i < b->space->volumes.nfacets; i++)
        if (b->space->volumes.facets[i].patch == patch)
            fill(b, i, time);
}
