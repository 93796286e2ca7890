/* Fills the emission of each wall patch from the case. */
#include "grid/boundary.h"

#include "config/case.h"
#include "config/shape.h"
#include "error.h"
#include "grid/emission.h"
#include "grid/scatter.h"
#include "grid/space.h"
#include "point/wall.h"

#include <stdlib.h>
#include <string.h>

/* The wall whose patch is filled. */
struct frame {
    const struct kn_case *c;
    const struct kn_velocity *v;
    struct kn_wall wall;
    enum kn_port_kind port; /* of a port */
    double flow;            /* mass flux into the gas through it */
    int axis, away;         /* away: sign of v_n of the molecules that leave the side */
};

/* The corners of a surface and of the space, in which it lies. */
static void find_extent(const struct kn_boundary *b, int surface, double low[3], double high[3])
{
    const struct kn_space *s = b->space;
    for (int d = 0; d < 3; d++) {
        low[d] = surface < KN_SIDES ? 0 : s->extent[surface - KN_SIDES][0][d];
        high[d] = surface < KN_SIDES ? s->edges[d][s->whole[d]] : s->extent[surface - KN_SIDES][1][d];
    }
}

/* The temperature of a surface at a place along it, linear between its points. */
static double temperature_at(const struct kn_wall *w, double share)
{
    const int n = kn_case_points(w);
    const double place = fmin(fmax(share, 0), 1) * (n - 1);
    const int i = n < 2 ? 0 : place < n - 2 ? (int)place : n - 2;
    return n < 2 ? w->temperature
                 : w->temperatures[i] + (place - i) * (w->temperatures[i + 1] - w->temperatures[i]);
}

struct kn_wall kn_boundary_wall(const struct kn_boundary *b, int surface, int axis, const double at[3])
{
    struct kn_wall w = kn_case_surface(b->c, surface);
    double low[3], high[3], arm[3];
    int along = 0;
    find_extent(b, surface, low, high);
    while (along < 2 && (kn_case_is_uniform(b->c, along) || high[along] <= low[along] ||
                         (surface < KN_SIDES && along == axis)))
        along++;
    w.temperature = temperature_at(&w, (at[along] - low[along]) / (high[along] - low[along]));
    w.temperatures[1] = KN_NO_POINT;
    for (int d = 0; d < 3; d++)
        arm[d] = kn_case_is_uniform(b->c, d) ? 0 : at[d] - (low[d] + high[d]) / 2;
    for (int d = 0; d < 3 && surface >= KN_SIDES; d++) {
        const double *rotation = b->c->bodies[surface - KN_SIDES].rotation;
        w.velocity[d] += rotation[(d + 1) % 3] * arm[(d + 2) % 3] - rotation[(d + 2) % 3] * arm[(d + 1) % 3];
    }
    return w;
}

static struct kn_wall wall_at_face(const struct kn_boundary *b, int face)
{
    double at[3];
    kn_space_face_centre(b->space, face, at);
    return kn_boundary_wall(b, b->space->faces[face].surface, b->space->faces[face].side / 2, at);
}

static struct frame frame_of(const struct kn_boundary *b, int patch)
{
    const struct kn_case *c = b->c;
    const int own = patch - kn_case_patches(c);
    const struct kn_face *f = own >= 0 ? &b->space->faces[b->faces[own]] : NULL;
    const struct kn_case_patch p = f ? (struct kn_case_patch){f->surface, f->side} : kn_case_patch(c, patch);
    const int port = p.surface - KN_SIDES - kn_case_bodies(c);
    return (struct frame){.c = c,
                          .v = b->v,
                          .wall = f ? wall_at_face(b, b->faces[own]) : kn_case_surface(c, p.surface),
                          .port = port >= 0 ? c->ports[port].kind : KN_PORT_RESERVOIR,
                          .flow = port >= 0 ? c->ports[port].flow / b->space->open[port] : 0,
                          .axis = p.side / 2,
                          .away = (p.side & 1) ? -1 : 1};
}

static bool oscillates(const struct kn_wall *w)
{
    const struct kn_oscillation *o = &w->oscillation;
    return o->velocity[0] != 0 || o->velocity[1] != 0 || o->velocity[2] != 0 || o->temperature != 0;
}

static bool leaves(const struct frame *f, int octant)
{
    return kn_velocity_sign(f->v, octant, f->axis) == f->away;
}

/* h of the Maxwellian of the side at this time, theory (20), for the velocities that leave. */
static void emit_maxwellian(struct kn_patch *p, const struct frame *f, double rho, const double u[3],
                            double theta)
{
    const struct kn_velocity *v = f->v;
    const struct kn_gaussian g = kn_gaussian_maxwellian(&v->basis, rho, u, theta);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size && leaves(f, octant); k++) {
            float at[3];
            kn_velocity_at(v, octant, k, at);
            p->emission[(size_t)octant * v->stride + k] = kn_gaussian_at(&g, &v->basis, at);
        }
}

/* The effect of an approaching wall on the molecules it reflects, theory (22c); the emission accounts for
 * the fraction alpha. */
static void push_reflected(struct kn_patch *p, const struct frame *f, double speed)
{
    const struct kn_velocity *v = f->v;
    const double share = (1 - (double)p->alpha) / p->alpha;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size && leaves(f, octant); k++)
            p->emission[(size_t)octant * v->stride + k] +=
                (float)(share * kn_wall_push(speed, v->speed[f->axis][k]));
}

/* Half-range fluxes of E and of 1 + eps E. */
static void measure_emission(struct kn_patch *p, const struct frame *f)
{
    const struct kn_velocity *v = f->v;
    const float eps = (float)f->c->disturbance;
    p->emission_flux = p->unit_flux = 0;
    for (int octant = 0; octant < v->octants; octant++) {
        const float *row = p->emission + (size_t)octant * v->stride;
        for (int k = 0; k < v->size && leaves(f, octant); k++) {
            const double flux = (double)v->w[k] * v->speed[f->axis][k];
            p->emission_flux += flux * row[k];
            p->unit_flux += flux * (1 + (double)eps * row[k]);
        }
    }
}

static void fill_wall(struct kn_patch *p, const struct frame *f, const double u[3], double theta)
{
    emit_maxwellian(p, f, 0, u, theta);
    p->prescribed_flux = f->away * u[f->axis];
    if (p->prescribed_flux != 0 && p->alpha < 1)
        push_reflected(p, f, p->prescribed_flux);
    measure_emission(p, f);
    p->emission_flux -= p->prescribed_flux / p->alpha;
    memcpy(p->velocity, u, sizeof p->velocity);
}

/* Mass flux of the derivative of the emission with respect to the velocity of the gas, at rest: 1/2 at eps =
 * 0 on grids with exact half-range moments. */
static double drift_flux(const struct kn_patch *p, const struct frame *f)
{
    const struct kn_velocity *v = f->v;
    double sum = 0;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size && leaves(f, octant); k++)
            sum += (double)v->w[k] * v->speed[f->axis][k] *
                   (double)kn_wall_drift_slope((float)f->c->disturbance,
                                               p->emission[(size_t)octant * v->stride + k], 0,
                                               v->speed[f->axis][k], p->port.inverse);
    return sum;
}

/* h = -1 / eps is no gas. */
static void emit_nothing(struct kn_patch *p, const struct frame *f)
{
    const struct kn_velocity *v = f->v;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size && leaves(f, octant); k++)
            p->emission[(size_t)octant * v->stride + k] = (float)(-1 / f->c->disturbance);
}

/* A port whose gas moves with the flow: theory (22e), (22g). */
static void fill_drift(struct kn_patch *p, const struct frame *f, double theta)
{
    const double eps = f->c->disturbance;
    p->drifts = f->port == KN_PORT_PRESSURE ? KN_DRIFT_PRESSURE : KN_DRIFT_FLOW;
    p->port.inverse = (float)(1 / (1 + eps * theta));
    p->port.given = p->drifts == KN_DRIFT_PRESSURE ? 1 + eps * f->wall.density : f->flow;
    measure_emission(p, f);
    if (p->drifts == KN_DRIFT_PRESSURE) {
        p->unit_flux = drift_flux(p, f) - p->port.given;
        return;
    }
    p->emission_flux += f->flow * (drift_flux(p, f) - 1);
    p->prescribed_flux = f->flow;
}

/* theory (22a), (22e) */
static void fill_inflow(struct kn_patch *p, const struct frame *f, const double u[3], double theta)
{
    if (f->port == KN_PORT_VACUUM)
        emit_nothing(p, f);
    else
        emit_maxwellian(p, f, f->wall.density, u, theta);
    p->emission_flux = 0;
    p->unit_flux = INFINITY;
    p->prescribed_flux = NAN;
    if (f->port == KN_PORT_PRESSURE || f->port == KN_PORT_FLOW)
        fill_drift(p, f, theta);
}

/* J, theory (22b), with moments of the grid, so that its stress and heat flux are as prescribed and its
 * mass flux is zero. */
static void fill_far_field(struct kn_patch *p, const struct frame *f)
{
    const struct kn_velocity *v = f->v;
    double cross[3] = {0}, even[3] = {0}; /* <vn^2 vd^2>; <vn^2>, <vn^2 v^2>, <vn^2 v^4> */
    for (int k = 0; k < v->size; k++) {
        const double w = (double)v->octants * v->w[k], vn = v->speed[f->axis][k], vv = v->square[k];
        for (int d = 0; d < 3; d++)
            cross[d] += w * vn * vn * v->speed[d][k] * v->speed[d][k];
        for (int i = 0; i < 3; i++)
            even[i] += w * vn * vn * (i == 0 ? 1 : i == 1 ? vv : vv * vv);
    }
    struct kn_far_field field = {.middle = even[1] / even[0]};
    for (int d = 0; d < 3; d++)
        field.shear[d] = f->wall.gradient.velocity[d] / (2 * cross[d]);
    field.heat =
        1.25 / kn_case_prandtl(f->c) * f->wall.gradient.temperature / (even[2] - field.middle * even[1]);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size && leaves(f, octant); k++) {
            double at[3];
            for (int d = 0; d < 3; d++)
                at[d] = kn_velocity_sign(v, octant, d) * (double)v->speed[d][k];
            p->emission[(size_t)octant * v->stride + k] = (float)kn_wall_far_field(&field, at, f->axis);
        }
    p->replaces = 0;
    p->emission_flux = p->prescribed_flux = 0;
    p->unit_flux = INFINITY;
}

/* Velocity and temperature of an oscillating wall. */
static double state_at(const struct kn_wall *wall, double time, double u[3])
{
    const double wave = cos(wall->oscillation.frequency * time + wall->oscillation.phase);
    for (int d = 0; d < 3; d++)
        u[d] = wall->velocity[d] + wave * wall->oscillation.velocity[d];
    return wall->temperature + wave * wall->oscillation.temperature;
}

static void fill_matrices(const struct kn_patch *p, const struct frame *f, double time)
{
    struct kn_scatter s = {.tangential = f->wall.tangential, .normal = f->wall.normal};
    s.temperature = state_at(&f->wall, time, s.velocity);
    if (p->matrices)
        kn_scatter_fill(f->v, f->axis, &s, p->matrices);
}

static void fill_patch(struct kn_patch *p, const struct frame *f, double time)
{
    const struct kn_wall *wall = &f->wall;
    double u[3];
    const double theta = state_at(wall, time, u);
    if (wall->kind == KN_WALL_FAR_FIELD)
        fill_far_field(p, f);
    else if (wall->kind == KN_WALL_INFLOW)
        fill_inflow(p, f, u, theta);
    else
        fill_wall(p, f, u, theta);
}

/* Memory for the matrices of all patches that scatter by the kernel of Cercignani and Lampis. */
static enum kn_status place_matrices(struct kn_boundary *b)
{
    const struct kn_velocity *v = b->v;
    int placed = 0;
    for (int i = 0; i < b->count; i++) {
        const struct frame f = frame_of(b, i);
        b->scattering += kn_case_scatters(&f.wall);
    }
    b->matrices = calloc((size_t)b->scattering * kn_scatter_size(v) + 1, sizeof *b->matrices);
    if (!b->matrices)
        return kn_error_set(KN_EMEMORY, "no memory for the walls");
    for (int i = 0; i < b->count; i++) {
        const struct frame f = frame_of(b, i);
        if (kn_case_scatters(&f.wall))
            b->patches[i].matrices = b->matrices + (size_t)placed++ * kn_scatter_size(v);
    }
    return KN_OK;
}

int kn_boundary_patches(const struct kn_case *c, const struct kn_space *space)
{
    return kn_case_patches(c) + space->nvaried;
}

enum kn_status kn_boundary_create(struct kn_boundary *b, const struct kn_case *c,
                                  const struct kn_space *space, const struct kn_velocity *v)
{
    const size_t count = (size_t)kn_boundary_patches(c, space);
    const int first = kn_case_patches(c);
    *b = (struct kn_boundary){.c = c,
                              .space = space,
                              .v = v,
                              .count = (int)count,
                              .patches = calloc(count, sizeof *b->patches),
                              .faces = calloc((size_t)space->nvaried + 1, sizeof *b->faces),
                              .memory = calloc(count * (size_t)v->nnodes, sizeof *b->memory)};
    if (!b->memory || !b->patches || !b->faces)
        return kn_error_set(KN_EMEMORY, "no memory for the walls");
    for (int face = 0; face < space->nfaces; face++)
        if (space->faces[face].patch >= first)
            b->faces[space->faces[face].patch - first] = face;
    KN_TRY(place_matrices(b));
    for (int i = 0; i < b->count; i++) {
        const struct frame f = frame_of(b, i);
        const struct kn_wall *wall = &f.wall;
        struct kn_patch *p = &b->patches[i];
        p->axis = f.axis;
        p->alpha = (float)wall->accommodation;
        p->replaces = 1;
        p->emits = !kn_case_reflection(wall) && wall->kind != KN_WALL_PERIODIC;
        p->unsteady = oscillates(wall);
        p->emission = b->memory + (size_t)i * v->nnodes;
        if (p->emits)
            fill_patch(p, &f, 0);
        fill_matrices(p, &f, 0);
    }
    return KN_OK;
}

void kn_boundary_renew(struct kn_boundary *b, int side)
{
    const int first = kn_case_patches(b->c);
    b->patches[side].stale = true;
    for (int i = first; i < b->count; i++)
        if (b->space->faces[b->faces[i - first]].surface == side)
            b->patches[i].stale = true;
}

bool kn_boundary_update(struct kn_boundary *b, double time)
{
    bool changed = false;
    for (int i = 0; i < b->count; i++) {
        struct kn_patch *p = &b->patches[i];
        if (!p->emits || !(p->unsteady || p->stale))
            continue;
        const struct frame f = frame_of(b, i);
        fill_patch(p, &f, time);
        if (b->c->disturbance > 0)
            fill_matrices(p, &f, time);
        kn_emission_update(b, i, time);
        p->stale = false;
        changed = true;
    }
    return changed;
}

bool kn_boundary_keeps_mass(const struct kn_case *c)
{
    for (int side = 0; side < KN_SIDES; side++)
        if (c->walls[side].kind == KN_WALL_INFLOW || c->walls[side].oscillation.velocity[side / 2] != 0)
            return false;
    if (kn_case_ports(c) > 0)
        return false;
    for (int i = 0; i < kn_case_bodies(c); i++)
        for (int d = 0; d < 3; d++)
            if ((c->bodies[i].rotation[d] != 0 && !kn_shape_is_round(&c->bodies[i])) ||
                (!kn_case_is_uniform(c, d) && (c->bodies[i].surface.velocity[d] != 0 ||
                                               c->bodies[i].surface.oscillation.velocity[d] != 0)))
                return false;
    return true;
}

void kn_boundary_destroy(struct kn_boundary *b)
{
    free(b->patches);
    free(b->faces);
    free(b->memory);
    free(b->matrices);
    free(b->emissions);
    free(b->facet_memory);
    free(b->reflections);
    kn_reflect_destroy(&b->reflect);
    *b = (struct kn_boundary){0};
}
