/* Streaming on the CPU: the wall pass, then the cells, octant by octant, with velocities in the inner
 * loop. */
#include "cpu/cpu_kernels.h"
#include "cpu/cpu_lanes.h"

#include "point/wall.h"

#define KN_REAL    float
#define KN_SCATTER kn_wall_scatter
#include "cpu/cpu_scatter.h"

#include <string.h>

static const float *row_of(const struct kn_stream_sweep *s, struct kn_site p)
{
    return s->h + kn_mesh_row(&s->mesh, p);
}

KN_SPECIALISED void face_loop(const struct kn_stream_sweep *s, const struct kn_stencil *t, int axis,
                              const float *restrict up, int limiter, int transverse, float *restrict out)
{
    const float *const *const speeds = (const float *const *)s->velocity->speed;
    const float *restrict h = s->h + t->here, *restrict down = s->h + (t->down < 0 ? t->here : t->down);
    const float *restrict speed = speeds[axis];
    const float *restrict side0 = s->h + (transverse > 0 ? t->side[0] : 0);
    const float *restrict side1 = s->h + (transverse > 1 ? t->side[1] : 0);
    const float *restrict speed0 = speeds[transverse > 0 ? t->side_axis[0] : 0];
    const float *restrict speed1 = speeds[transverse > 1 ? t->side_axis[1] : 0];
#pragma omp simd
    for (int k = 0; k < s->velocity->stride; k++) {
        const float here = h[k], courant = t->courant * speed[k];
        const float slope =
            kn_stream_slope(limiter, (here - up[k]) * t->up_scale, (down[k] - here) * t->down_scale,
                            kn_stream_weigh(t->weight, courant));
        float across = 0;
        if (transverse > 0)
            across += kn_stream_flow(t->side_courant[0] * speed0[k], here, side0[k]);
        if (transverse > 1)
            across += kn_stream_flow(t->side_courant[1] * speed1[k], here, side1[k]);
        out[k] = kn_stream_face(here, slope, courant, across);
    }
}

/* One copy of the loop per number of axes: the inner loop has no branch. */
KN_SPECIALISED void face_loops(const struct kn_stream_sweep *s, const struct kn_stencil *t, int axis,
                               const float *up, int limiter, float *out)
{
    if (t->transverse == 0)
        face_loop(s, t, axis, up, limiter, 0, out);
    else if (t->transverse == 1)
        face_loop(s, t, axis, up, limiter, 1, out);
    else
        face_loop(s, t, axis, up, limiter, 2, out);
}

/* Values on the downwind face of a site. */
static void face_row(const struct kn_stream_sweep *s, struct kn_site p, int axis, float *out)
{
    const struct kn_stencil t = kn_mesh_stencil(&s->mesh, p, axis, s->order, s->dt);
    const float *up = kn_mesh_at(s->h, s->outgoing, t.up);
    if (t.down < 0 || s->limiter == KN_LIMITER_NONE)
        face_loops(s, &t, axis, up, KN_LIMITER_NONE, out);
    else if (s->limiter == KN_LIMITER_VAN_LEER)
        face_loops(s, &t, axis, up, KN_LIMITER_VAN_LEER, out);
    else if (s->limiter == KN_LIMITER_MC)
        face_loops(s, &t, axis, up, KN_LIMITER_MC, out);
    else
        face_loops(s, &t, axis, up, KN_LIMITER_MINMOD, out);
}

/* h that passes the downwind face of a site, into a wall or a mirror. */
static const float *passing(const struct kn_stream_sweep *s, struct kn_site p, int axis, float *scratch)
{
    if (s->order == 1)
        return row_of(s, p);
    face_row(s, p, axis, scratch);
    return scratch;
}

/* h that leaves a wall face in an octant, for a density of the emission. */
static void leave(const struct kn_stream_sweep *s, const struct kn_face *f, struct kn_drift d, int octant,
                  float *restrict out, float *scratch)
{
    const struct kn_patch *patch = &s->boundary->patches[f->patch];
    const int n = s->velocity->stride, axis = f->side / 2;
    const float *restrict excess = patch->emission + (size_t)octant * n;
    const float alpha = patch->alpha, replaces = patch->replaces, eps = s->eps, rho = d.rho;
    if (patch->drifts) {
        const float *restrict speed = s->velocity->speed[axis], inverse = patch->port.inverse;
#pragma omp simd
        for (int k = 0; k < n; k++)
            out[k] = kn_gaussian_value(eps, rho, kn_wall_drift(eps, excess[k], d.u, speed[k], inverse));
        return;
    }
    if (!kn_boundary_reflects(patch)) {
#pragma omp simd
        for (int k = 0; k < n; k++)
            out[k] = kn_gaussian_value(eps, rho, excess[k]);
        return;
    }
    const struct kn_site mirrored = {f->cell, octant ^ s->mesh.bit[axis]};
    const float *restrict in = passing(s, mirrored, axis, scratch);
#pragma omp simd
    for (int k = 0; k < n; k++)
        out[k] = kn_wall_outgoing(alpha, replaces, kn_gaussian_value(eps, rho, excess[k]), in[k]);
}

/* The fluxes away from a port for a velocity of the gas. */
static struct kn_drift_fluxes drift_fluxes(const struct kn_stream_sweep *s, const struct kn_face *f, float u)
{
    const struct kn_patch *patch = &s->boundary->patches[f->patch];
    const struct kn_velocity *v = s->velocity;
    const int axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    const float *restrict w = v->w, *restrict speed = v->speed[axis];
    const float eps = s->eps, inverse = patch->port.inverse;
    double excess = 0, unit = 0, slope = 0;
    for (int octant = 0; octant < v->octants; octant++) {
        const float *restrict emitted = patch->emission + (size_t)octant * (size_t)v->stride;
        if (kn_velocity_sign(v, octant, axis) == into)
            continue;
#pragma omp simd reduction(+ : excess, unit, slope)
        for (int k = 0; k < v->stride; k++) {
            const float e = kn_wall_drift(eps, emitted[k], u, speed[k], inverse);
            excess += kn_wall_flux(w[k], speed[k], e);
            unit += kn_wall_flux(w[k], speed[k], 1 + eps * e);
            slope += kn_wall_flux(w[k], speed[k], kn_wall_drift_slope(eps, e, u, speed[k], inverse));
        }
    }
    return (struct kn_drift_fluxes){excess, unit, slope};
}

/* Density and velocity of the gas that leaves a face, from the mass flux that arrives. */
static struct kn_drift find_drift(const struct kn_stream_sweep *s, const struct kn_face *f, double arriving)
{
    const struct kn_patch *patch = &s->boundary->patches[f->patch];
    const double first = kn_wall_density(arriving, patch->emission_flux, patch->unit_flux);
    if (!patch->drifts)
        return (struct kn_drift){(float)first, 0};
    struct kn_drift d = kn_wall_drift_begin(patch->drifts, &patch->port, s->eps, first);
    if (s->eps == 0)
        return d;
    for (int i = 0; i < KN_DRIFT_STEPS; i++) {
        const struct kn_drift_fluxes fluxes = drift_fluxes(s, f, d.u);
        d = kn_wall_drift_next(patch->drifts, &patch->port, s->eps, d, arriving, &fluxes);
    }
    if (patch->drifts == KN_DRIFT_FLOW) {
        const struct kn_drift_fluxes fluxes = drift_fluxes(s, f, d.u);
        d.rho = kn_wall_drift_density(&patch->port, arriving, &fluxes);
    }
    return d;
}

/* h that leaves a face of a Cercignani-Lampis wall, theory (22f); out is [nnodes]. */
static void scatter(const struct kn_stream_sweep *s, const struct kn_face *f, float rho, float *out,
                    float *scratch)
{
    const struct kn_velocity *v = s->velocity;
    const int n = v->stride, axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    const struct kn_patch *patch = &s->boundary->patches[f->patch];
    const float *emission = patch->emission;
    for (int octant = 0; octant < v->octants; octant++) {
        if (kn_velocity_sign(v, octant, axis) == into)
            continue;
        const float *in = passing(s, (struct kn_site){f->cell, octant ^ s->mesh.bit[axis]}, axis, scratch);
        for (int k = octant * n; k < (octant + 1) * n; k++)
            out[k] = in[k - octant * n] - kn_gaussian_value(s->eps, rho, emission[k]);
    }
    for (int d = 0; d < 3; d++)
        scatter_axis(v, f, patch->matrices, d, out);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = octant * n; k < (octant + 1) * n && kn_velocity_sign(v, octant, axis) != into; k++)
            out[k] += kn_gaussian_value(s->eps, rho, emission[k]);
}

/* Mass that passes a face in a step, per width of the cell, with the Courant numbers of the streaming step.
 */
static double mass_flux(const struct kn_velocity *v, int axis, float courant, const float *restrict h)
{
    const float *restrict w = v->w, *restrict speed = v->speed[axis];
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < v->stride; k++)
        sum += kn_wall_flux(w[k], courant * speed[k], h[k]);
    return sum;
}

static void add_fluxes(const struct kn_velocity *v, int octant, int axis, const float *restrict h,
                       double *total)
{
    const float *restrict w = v->w, *restrict speed = v->speed[axis], *restrict vv = v->square;
    const float *restrict vx = v->speed[0], *restrict vy = v->speed[1], *restrict vz = v->speed[2];
    double sum = 0, x = 0, y = 0, z = 0, e = 0;
#pragma omp simd reduction(+ : sum, x, y, z, e)
    for (int k = 0; k < v->stride; k++) {
        const double flux = kn_wall_flux(w[k], speed[k], h[k]);
        sum += flux;
        x += flux * vx[k];
        y += flux * vy[k];
        z += flux * vz[k];
        e += flux * vv[k];
    }
    const int sign = kn_velocity_sign(v, octant, axis);
    total[0] += sign * sum;
    total[1] += sign * (v->bit[0] ? kn_velocity_sign(v, octant, 0) * x : 0);
    total[2] += sign * (v->bit[1] ? kn_velocity_sign(v, octant, 1) * y : 0);
    total[3] += sign * (v->bit[2] ? kn_velocity_sign(v, octant, 2) * z : 0);
    total[4] += sign * e;
}

/* Everything that passes through one face in this step. A mirror is passed by the reflected rows. */
void KN_CPU_NAME(flux)(const struct kn_stream_sweep *s, int face, float *scratch)
{
    const struct kn_face *f = &s->space->faces[face];
    const struct kn_velocity *v = s->velocity;
    const int axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    double *total = s->fluxes + (size_t)face * KN_FLUXES;
    memset(total, 0, KN_FLUXES * sizeof *total);
    for (int octant = 0; octant < v->octants; octant++) {
        const struct kn_site here = {f->cell, octant};
        const bool arrives = kn_velocity_sign(v, octant, axis) == into;
        const struct kn_site from = arrives ? here : kn_mesh_walk(&s->mesh, here, axis, 0);
        const float *h = from.cell < 0 ? kn_mesh_at(s->h, s->outgoing, kn_mesh_source(&s->mesh, from))
                                       : passing(s, from, axis, scratch);
        add_fluxes(v, octant, axis, h, total);
    }
}

void KN_CPU_NAME(wall)(const struct kn_stream_sweep *s, int face, float *scratch)
{
    const struct kn_face *f = &s->space->faces[face];
    const struct kn_patch *patch = &s->boundary->patches[f->patch];
    const struct kn_velocity *v = s->velocity;
    const int axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    const float courant = s->dt / kn_mesh_width(&s->mesh, f->cell, axis);
    double flux = 0;
    if (!patch->emits)
        return;
    for (int octant = 0; octant < v->octants; octant++)
        if (kn_velocity_sign(v, octant, axis) == into)
            flux += mass_flux(v, axis, courant, passing(s, (struct kn_site){f->cell, octant}, axis, scratch));
    const struct kn_drift drift = find_drift(s, f, flux / courant);
    if (patch->matrices)
        scatter(s, f, drift.rho, s->outgoing + (size_t)face * (size_t)v->nnodes, scratch);
    for (int octant = 0; octant < v->octants; octant++)
        if (kn_velocity_sign(v, octant, axis) != into) {
            float *out = s->outgoing + (size_t)face * (size_t)v->nnodes + (size_t)octant * (size_t)v->stride;
            if (!patch->matrices)
                leave(s, f, drift, octant, out, scratch);
            flux -= mass_flux(v, axis, courant, out);
        }
    s->lost[face] = kn_wall_lost(flux / courant, patch->prescribed_flux);
}

/* What flows from a whole cell through a link into a control volume. */
void KN_CPU_NAME(link)(const struct kn_stream_sweep *s, int link, float *scratch)
{
    const struct kn_velocity *v = s->velocity;
    const struct kn_link *l = &s->space->volumes.links[link];
    const size_t row = (size_t)s->space->nfaces + (size_t)s->space->volumes.nfacets + (size_t)link;
    const int axis = l->side / 2, into = (l->side & 1) ? 1 : -1;
    for (int octant = 0; octant < v->octants; octant++)
        if (kn_velocity_sign(v, octant, axis) == into)
            memcpy(s->outgoing + row * (size_t)v->nnodes + (size_t)octant * (size_t)v->stride,
                   passing(s, (struct kn_site){l->cell, octant}, axis, scratch),
                   (size_t)v->stride * sizeof(float));
}

/* The row of a site that is read for the first time when its cell is computed: the one with the largest
 * index, since indices increase within a strip. */
static const float *newest_row(const struct kn_stream_sweep *s, struct kn_site p)
{
    struct kn_site newest = p;
    for (int i = 0; i < s->space->naxes; i++) {
        const struct kn_site up = kn_mesh_walk(&s->mesh, p, s->space->axes[i], 0);
        newest = up.cell > newest.cell ? up : newest;
    }
    return row_of(s, newest);
}

/* The memory traffic of one octant. */
static void move_octant(const struct kn_stream_sweep *s, const struct kn_traffic *t, int octant)
{
    const int n = s->velocity->stride;
    const size_t at = (size_t)octant * (size_t)n;
    if (t->ahead >= 0) {
        const float *coming = newest_row(s, (struct kn_site){t->ahead, octant});
        for (int k = 0; k < n; k += KN_VELOCITY_PAD)
            __builtin_prefetch(coming + k, 0, 2);
    }
    if (t->to)
        KN_CPU_NAME(store)(t->done + at, n, t->to + at);
}

/* The rows that flow into the octants of one cell, along each axis. */
struct inflow {
    const float *up[8][3]; /* [stride] each; per octant and axis */
    const float *speed[3]; /* [stride] each, V0; per axis */
    float courant[3];      /* per unit speed */
};

/* h + sum over axes of Courant number times (upwind - h), theory (14), for all octants at once: they share
 * speeds and weights. Returns the mass lost by round-off. */
KN_SPECIALISED float donor_loop(const struct kn_velocity *v, int octants, int naxes,
                                const float *restrict row, const struct inflow *f, float *restrict out)
{
    const float *restrict w = v->w, *restrict s0 = f->speed[0], *restrict s1 = f->speed[1],
                          *restrict s2 = f->speed[2];
    const float c0 = f->courant[0], c1 = f->courant[1], c2 = f->courant[2];
    kn_lanes lost = {0};
    for (int first = 0; first < v->stride; first += KN_LANES) {
        union kn_lane_view part;
#pragma omp simd
        for (int i = 0; i < KN_LANES; i++) {
            const int k = first + i;
            const float a0 = c0 * s0[k], a1 = naxes > 1 ? c1 * s1[k] : 0, a2 = naxes > 2 ? c2 * s2[k] : 0,
                        weight = w[k];
            float sum = 0;
            for (int o = 0; o < octants; o++) {
                const int64_t at = (int64_t)o * v->stride + k;
                const float h = row[at];
                float change = kn_stream_flow(a0, f->up[o][0][k], h);
                if (naxes > 1)
                    change += kn_stream_flow(a1, f->up[o][1][k], h);
                if (naxes > 2)
                    change += kn_stream_flow(a2, f->up[o][2][k], h);
                const float next = h + change;
                out[at] = next;
                sum += weight * kn_stream_lost(h, change, next);
            }
            part.at[i] = sum;
        }
        lost += part.vector;
    }
    return kn_lanes_sum(lost);
}

KN_SPECIALISED float donor_loops(const struct kn_velocity *v, int octants, int naxes, const float *row,
                                 const struct inflow *f, float *out)
{
    if (naxes == 1)
        return donor_loop(v, octants, 1, row, f, out);
    if (naxes == 2)
        return donor_loop(v, octants, 2, row, f, out);
    return donor_loop(v, octants, 3, row, f, out);
}

static float stream_first_order(const struct kn_stream_sweep *s, int cell, const struct kn_traffic *t,
                                float *restrict out)
{
    const struct kn_velocity *v = s->velocity;
    const int naxes = s->space->naxes;
    struct inflow f = {.speed = {v->speed[0], v->speed[1], v->speed[2]}};
    for (int i = 0; i < naxes; i++) {
        const int axis = s->space->axes[i];
        f.speed[i] = v->speed[axis];
        f.courant[i] = s->dt / kn_mesh_width(&s->mesh, cell, axis);
    }
    const float *row = row_of(s, (struct kn_site){cell, 0});
    for (int i = 0; i < 8 * 3; i++)
        f.up[i / 3][i % 3] = row; /* rows of other axes and octants are not read */
    for (int o = 0; o < v->octants; o++) {
        move_octant(s, t, o);
        for (int i = 0; i < naxes; i++) {
            const struct kn_site up = kn_mesh_walk(&s->mesh, (struct kn_site){cell, o}, s->space->axes[i], 0);
            f.up[o][i] = kn_mesh_at(s->h, s->outgoing, kn_mesh_source(&s->mesh, up));
        }
    }
    if (v->octants == 1)
        return donor_loops(v, 1, naxes, row, &f, out);
    if (v->octants == 2)
        return donor_loops(v, 2, naxes, row, &f, out);
    if (v->octants == 4)
        return donor_loops(v, 4, naxes, row, &f, out);
    return donor_loops(v, 8, naxes, row, &f, out);
}

/* change -= Courant number times (downwind face - upwind face), theory (13). */
static void subtract_difference(int n, float courant, const float *restrict speed, const float *restrict face,
                                const float *restrict inflow, float *restrict change)
{
#pragma omp simd
    for (int k = 0; k < n; k++)
        change[k] -= kn_stream_flow(courant * speed[k], face[k], inflow[k]);
}

/* Replace change by h + change; returns the mass lost by round-off. */
static kn_lanes add_change(const struct kn_velocity *v, const float *restrict h, float *restrict change)
{
    const float *restrict w = v->w;
    kn_lanes lost = {0};
    for (int first = 0; first < v->stride; first += KN_LANES) {
        union kn_lane_view part;
#pragma omp simd
        for (int i = 0; i < KN_LANES; i++) {
            const int k = first + i;
            const float sum = h[k] + change[k];
            part.at[i] = w[k] * kn_stream_lost(h[k], change[k], sum);
            change[k] = sum;
        }
        lost += part.vector;
    }
    return lost;
}

static kn_lanes stream_high_order(const struct kn_stream_sweep *s, struct kn_site p, float *restrict out,
                                  float *scratch)
{
    const int n = s->velocity->stride;
    float *outflow = scratch, *inflow = scratch + n;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; i < s->space->naxes; i++) {
        const int axis = s->space->axes[i];
        const struct kn_site up = kn_mesh_walk(&s->mesh, p, axis, 0);
        const float *in = inflow;
        face_row(s, p, axis, outflow);
        if (up.cell < 0)
            in = kn_mesh_at(s->h, s->outgoing, kn_mesh_source(&s->mesh, up));
        else
            face_row(s, up, axis, inflow);
        subtract_difference(n, s->dt / kn_mesh_width(&s->mesh, p.cell, axis), s->velocity->speed[axis],
                            outflow, in, out);
    }
    return add_change(s->velocity, row_of(s, p), out);
}

static float stream_octants(const struct kn_stream_sweep *s, int cell, const struct kn_traffic *t, float *out,
                            float *scratch)
{
    kn_lanes lost = {0};
    for (int octant = 0; octant < s->velocity->octants; octant++) {
        const struct kn_site p = {cell, octant};
        float *to = out + (size_t)octant * s->velocity->stride;
        move_octant(s, t, octant);
        if (s->space->naxes == 0)
            memcpy(to, row_of(s, p), (size_t)s->velocity->stride * sizeof *to);
        else
            lost += stream_high_order(s, p, to, scratch);
    }
    return kn_lanes_sum(lost);
}

/* Mass missing in the outgoing distributions of the walls of a cell, over one step. */
static float lost_at_walls(const struct kn_stream_sweep *s, int cell)
{
    float lost = 0;
    for (int i = 0; i < s->space->naxes; i++) {
        const int axis = s->space->axes[i];
        const float courant = s->dt / kn_mesh_width(&s->mesh, cell, axis);
        for (int side = 2 * axis; side < 2 * axis + 2; side++) {
            const int32_t beyond = s->mesh.neighbour[6 * (int64_t)cell + side];
            lost += beyond < 0 ? courant * s->lost[kn_mesh_face(beyond)] : 0;
        }
    }
    return lost;
}

void KN_CPU_NAME(stream)(const struct kn_stream_sweep *s, int cell, const struct kn_traffic *t, float *out,
                         float *scratch)
{
    const bool first = s->order == 1 && s->space->naxes > 0;
    const float lost = first ? stream_first_order(s, cell, t, out) : stream_octants(s, cell, t, out, scratch);
    kn_cpu_restore_mass(s->velocity, s->number, lost + lost_at_walls(s, cell), out);
}
