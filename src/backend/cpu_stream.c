/* Streaming on the CPU: walls, then cells; octant by octant, velocities inside. */
#include "cpu_kernels.h"

#include "point/wall.h"

#include <string.h>

static const float *row_of(const struct kn_stream_sweep *s, struct kn_site p)
{
    return s->h + kn_mesh_row(&s->mesh, p);
}

/* ------------------------------------------------------- order 2: face values */

KN_SPECIALISED void face_loop(const struct kn_stream_sweep *s, const struct kn_stencil *t, int axis,
                              const float *restrict up, int limiter, int transverse, float *restrict out)
{
    const bool one_sided = limiter < 0;
    const float *const *const speeds = (const float *const *)s->velocity->speed;
    const float *restrict h = s->h + t->here, *restrict down = s->h + (one_sided ? t->here : t->down);
    const float *restrict speed = speeds[axis];
    const float *restrict side0 = s->h + (transverse > 0 ? t->side[0] : 0), *restrict side1 =
                                                                                s->h + (transverse > 1
                                                                                            ? t->side[1]
                                                                                            : 0);
    const float *restrict speed0 = speeds[transverse > 0 ? t->side_axis[0] : 0];
    const float *restrict speed1 = speeds[transverse > 1 ? t->side_axis[1] : 0];
#pragma omp simd
    for (int k = 0; k < s->velocity->stride; k++) {
        const float here = h[k], a = (here - up[k]) * t->up_scale;
        const float slope = one_sided ? a : kn_stream_slope(limiter, a, (down[k] - here) * t->down_scale);
        float across = 0;
        if (transverse > 0)
            across += t->side_courant[0] * speed0[k] * (here - side0[k]);
        if (transverse > 1)
            across += t->side_courant[1] * speed1[k] * (here - side1[k]);
        out[k] = kn_stream_face(here, slope, t->courant * speed[k], across);
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

/* Values on the downwind face of a site.  Where the upwind neighbour is a wall
 * that emits, its emission is in `ghost`. */
static void face_row(const struct kn_stream_sweep *s, struct kn_site p, int axis, const float *ghost,
                     float *out)
{
    const struct kn_stencil t = kn_mesh_stencil(&s->mesh, p, axis, s->dt);
    const float *up = t.up < 0 ? ghost : s->h + t.up;
    if (t.down < 0)
        face_loops(s, &t, axis, up, -1, out);
    else if (s->limiter == KN_LIMITER_VAN_LEER)
        face_loops(s, &t, axis, up, KN_LIMITER_VAN_LEER, out);
    else if (s->limiter == KN_LIMITER_MC)
        face_loops(s, &t, axis, up, KN_LIMITER_MC, out);
    else if (s->limiter == KN_LIMITER_MINMOD)
        face_loops(s, &t, axis, up, KN_LIMITER_MINMOD, out);
    else
        face_loops(s, &t, axis, up, KN_LIMITER_NONE, out);
}

/* ------------------------------------------------------------------- walls */

/* What flies from a cell into the wall next to it. */
static const float *arriving(const struct kn_stream_sweep *s, struct kn_site p, int axis, float *out)
{
    if (s->order == 1)
        return row_of(s, p);
    face_row(s, p, axis, NULL, out);
    return out;
}

/* What comes out of a wall face into an octant. */
static void leaving(const struct kn_stream_sweep *s, int face, int octant, float *restrict out,
                    float *scratch)
{
    const struct kn_face *f = &s->space->faces[face];
    const struct kn_patch *patch = &s->boundary->patches[f->side];
    const int n = s->velocity->stride, axis = f->side / 2;
    const float *restrict excess = patch->emission + (size_t)octant * n;
    const float rho = s->density[face], alpha = patch->alpha, eps = s->eps;
    if (alpha == 1) {
#pragma omp simd
        for (int k = 0; k < n; k++)
            out[k] = kn_gaussian_value(eps, rho, excess[k]);
        return;
    }
    const struct kn_site mirrored = {f->cell, octant ^ s->mesh.bit[axis]};
    const float *restrict in = arriving(s, mirrored, axis, scratch);
#pragma omp simd
    for (int k = 0; k < n; k++)
        out[k] = kn_wall_incoming(alpha, kn_gaussian_value(eps, rho, excess[k]), in[k]);
}

static double mass_flux(const struct kn_velocity *v, int axis, const float *restrict h)
{
    const float *restrict w = v->w, *restrict speed = v->speed[axis];
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < v->stride; k++)
        sum += (double)w[k] * speed[k] * h[k];
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
        const double flux = (double)w[k] * speed[k] * h[k];
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

/* What flies through a wall face or into a mirror.  Behind a site in front of a
 * mirror a wall may emit into the same cell. */
static const float *passing(const struct kn_stream_sweep *s, struct kn_site p, int axis, float *scratch)
{
    const struct kn_site up = kn_mesh_walk(&s->mesh, p, axis, 0);
    float *ghost = scratch + s->velocity->stride;
    if (s->order == 1 || up.cell >= 0)
        return arriving(s, p, axis, scratch);
    leaving(s, ~up.cell, p.octant, ghost, ghost + s->velocity->stride);
    face_row(s, p, axis, ghost, scratch);
    return scratch;
}

/* Everything that passes through one face in this step. */
void KN_CPU_NAME(flux)(const struct kn_stream_sweep *s, int face, float *scratch)
{
    const struct kn_face *f = &s->space->faces[face];
    const struct kn_velocity *v = s->velocity;
    const int axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    double *total = s->fluxes + (size_t)face * KN_FLUXES;
    memset(total, 0, KN_FLUXES * sizeof *total);
    for (int octant = 0; octant < v->octants; octant++) {
        const bool arrives = kn_velocity_sign(v, octant, axis) == into;
        const struct kn_site here = {f->cell, arrives ? octant : octant ^ s->mesh.bit[axis]};
        const float *h = scratch;
        if (arrives || s->boundary->patches[f->side].mirror)
            h = passing(s, here, axis, scratch);
        else
            leaving(s, face, octant, scratch, scratch + v->stride);
        add_fluxes(v, octant, axis, h, total);
    }
}

void KN_CPU_NAME(wall)(const struct kn_stream_sweep *s, int face, float *scratch)
{
    const struct kn_face *f = &s->space->faces[face];
    const struct kn_patch *patch = &s->boundary->patches[f->side];
    const struct kn_velocity *v = s->velocity;
    const int axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    double flux = 0;
    if (!patch->emits)
        return;
    for (int octant = 0; octant < v->octants; octant++)
        if (kn_velocity_sign(v, octant, axis) == into)
            flux += mass_flux(v, axis, arriving(s, (struct kn_site){f->cell, octant}, axis, scratch));
    s->density[face] = (float)kn_wall_density(flux, patch->excess, patch->unit);
}

/* ------------------------------------------------------------------- cells */

/* h + sum over axes of Courant number times (upwind - h), theory (14). */
KN_SPECIALISED float donor_loop(const struct kn_velocity *v, int naxes, const float *restrict h,
                                const float *const up[3], const float *const speed[3], const float courant[3],
                                float *restrict out)
{
    const float *restrict w = v->w;
    float lost = 0;
    const float *restrict u0 = up[0], *restrict u1 = up[1], *restrict u2 = up[2];
    const float *restrict s0 = speed[0], *restrict s1 = speed[1], *restrict s2 = speed[2];
    const float c0 = courant[0], c1 = courant[1], c2 = courant[2];
#pragma omp simd reduction(+ : lost)
    for (int k = 0; k < v->stride; k++) {
        float change = c0 * s0[k] * (u0[k] - h[k]);
        if (naxes > 1)
            change += c1 * s1[k] * (u1[k] - h[k]);
        if (naxes > 2)
            change += c2 * s2[k] * (u2[k] - h[k]);
        out[k] = h[k] + change;
        lost += w[k] * kn_stream_lost(h[k], change, out[k]);
    }
    return lost;
}

/* One octant of a cell into out; returns the mass that rounding has lost. */
static float stream_first_order(const struct kn_stream_sweep *s, struct kn_site p, float *restrict out,
                                float *scratch)
{
    const int n = s->velocity->stride, naxes = s->space->naxes;
    const float *h = row_of(s, p), *up[3] = {h, h, h}, *speed[3] = {h, h, h}; /* unused axes are not read */
    float courant[3] = {0};
    for (int i = 0; i < naxes; i++) {
        const int axis = s->space->axes[i];
        const struct kn_site from = kn_mesh_walk(&s->mesh, p, axis, 0);
        speed[i] = s->velocity->speed[axis];
        courant[i] = s->dt / kn_mesh_width(&s->mesh, p.cell, axis);
        if (from.cell >= 0) {
            up[i] = row_of(s, from);
        } else {
            leaving(s, ~from.cell, p.octant, scratch + (size_t)i * n, scratch + (size_t)3 * n);
            up[i] = scratch + (size_t)i * n;
        }
    }
    if (naxes == 1)
        return donor_loop(s->velocity, 1, h, up, speed, courant, out);
    if (naxes == 2)
        return donor_loop(s->velocity, 2, h, up, speed, courant, out);
    return donor_loop(s->velocity, 3, h, up, speed, courant, out);
}

/* change -= Courant number times (downwind face - upwind face), theory (13). */
static void subtract_difference(int n, float courant, const float *restrict speed, const float *restrict face,
                                const float *restrict inflow, float *restrict change)
{
#pragma omp simd
    for (int k = 0; k < n; k++)
        change[k] -= courant * speed[k] * (face[k] - inflow[k]);
}

/* h + change into change's place; returns the mass that rounding has lost. */
static float add_change(const struct kn_velocity *v, const float *restrict h, float *restrict change)
{
    const float *restrict w = v->w;
    float lost = 0;
#pragma omp simd reduction(+ : lost)
    for (int k = 0; k < v->stride; k++) {
        const float sum = h[k] + change[k];
        lost += w[k] * kn_stream_lost(h[k], change[k], sum);
        change[k] = sum;
    }
    return lost;
}

static float stream_second_order(const struct kn_stream_sweep *s, struct kn_site p, float *restrict out,
                                 float *scratch)
{
    const int n = s->velocity->stride;
    float *outflow = scratch, *inflow = scratch + n, *ghost = scratch + (size_t)2 * n,
          *spare = scratch + (size_t)3 * n;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; i < s->space->naxes; i++) {
        const int axis = s->space->axes[i];
        const struct kn_site up = kn_mesh_walk(&s->mesh, p, axis, 0);
        const float *in = ghost;
        if (up.cell < 0)
            leaving(s, ~up.cell, p.octant, ghost, spare);
        face_row(s, p, axis, ghost, outflow);
        if (up.cell >= 0) {
            const struct kn_site second = kn_mesh_walk(&s->mesh, up, axis, 0);
            if (second.cell < 0)
                leaving(s, ~second.cell, up.octant, ghost, spare);
            face_row(s, up, axis, ghost, inflow);
            in = inflow;
        }
        subtract_difference(n, s->dt / kn_mesh_width(&s->mesh, p.cell, axis), s->velocity->speed[axis],
                            outflow, in, out);
    }
    return add_change(s->velocity, row_of(s, p), out);
}

void KN_CPU_NAME(stream)(const struct kn_stream_sweep *s, int cell, float *out, float *scratch)
{
    float lost = 0;
    for (int octant = 0; octant < s->velocity->octants; octant++) {
        const struct kn_site p = {cell, octant};
        float *to = out + (size_t)octant * s->velocity->stride;
        if (s->space->naxes == 0)
            memcpy(to, row_of(s, p), (size_t)s->velocity->stride * sizeof *to);
        else if (s->order == 1)
            lost += stream_first_order(s, p, to, scratch);
        else
            lost += stream_second_order(s, p, to, scratch);
    }
    kn_cpu_give_back(s->velocity, s->turn, lost, out);
}
