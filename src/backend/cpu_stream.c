/* Streaming on the CPU: walls, then cells; octant by octant, velocities inside. */
#include "cpu_kernels.h"

#include "point/stream.h"
#include "point/wall.h"

#include <string.h>

static const float *row_of(const struct kn_stream_sweep *s, struct kn_site p)
{
    return s->h + (size_t)p.cell * s->velocity->nnodes + (size_t)p.octant * s->velocity->stride;
}

static float width_of(const struct kn_stream_sweep *s, int cell, int axis)
{
    return s->space->width[3 * (size_t)cell + axis];
}

/* The rows from which the values on a downwind face are formed. */
struct stencil {
    const float *h, *up, *down; /* down is NULL at a wall: the slope is one-sided */
    float up_scale, down_scale;
    const float *speed;
    float courant;              /* per unit speed */
    int transverse;             /* other axes with an upwind cell */
    const float *side[2], *side_speed[2];
    float side_courant[2];
};

/* ------------------------------------------------------- order 2: face values */

KN_SPECIALISED void face_loop(const struct stencil *t, int n, int limiter, int transverse, bool one_sided, float *restrict out)
{
    const float *restrict h = t->h, *restrict up = t->up, *restrict down = t->down, *restrict speed = t->speed;
    const float *restrict side0 = t->side[0], *restrict speed0 = t->side_speed[0];
    const float *restrict side1 = t->side[1], *restrict speed1 = t->side_speed[1];
#pragma omp simd
    for (int k = 0; k < n; k++) {
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
KN_SPECIALISED void face_loops(const struct stencil *t, int n, int limiter, bool one_sided, float *out)
{
    if (t->transverse == 0)
        face_loop(t, n, limiter, 0, one_sided, out);
    else if (t->transverse == 1)
        face_loop(t, n, limiter, 1, one_sided, out);
    else
        face_loop(t, n, limiter, 2, one_sided, out);
}

static void face_values(const struct stencil *t, int n, enum kn_limiter limiter, float *out)
{
    if (!t->down)
        face_loops(t, n, KN_LIMITER_NONE, true, out);
    else if (limiter == KN_LIMITER_VAN_LEER)
        face_loops(t, n, KN_LIMITER_VAN_LEER, false, out);
    else if (limiter == KN_LIMITER_MC)
        face_loops(t, n, KN_LIMITER_MC, false, out);
    else if (limiter == KN_LIMITER_MINMOD)
        face_loops(t, n, KN_LIMITER_MINMOD, false, out);
    else
        face_loops(t, n, KN_LIMITER_NONE, false, out);
}

/* Upwind neighbours along the other axes.  Beyond a wall there is none: its
 * emission may depend on the very face at hand (corner cells), and leaving the
 * term out there costs no order of accuracy in the mean. */
static void add_transverse(const struct kn_stream_sweep *s, struct kn_site p, int axis, struct stencil *t)
{
    t->transverse = 0;
    for (int i = 0; i < s->space->naxes; i++) {
        const int other = s->space->axes[i];
        if (other == axis)
            continue;
        const struct kn_site up = kn_neighbour_walk(&s->links, p, other, 0);
        if (up.cell < 0)
            continue;
        t->side[t->transverse] = row_of(s, up);
        t->side_speed[t->transverse] = s->velocity->speed[other];
        t->side_courant[t->transverse++] = s->dt / width_of(s, p.cell, other);
    }
}

static void face_row(const struct kn_stream_sweep *s, struct kn_site p, int axis, const float *ghost, float *out)
{
    const struct kn_site up = kn_neighbour_walk(&s->links, p, axis, 0), down = kn_neighbour_walk(&s->links, p, axis, 1);
    const float width = width_of(s, p.cell, axis);
    struct stencil t = {.h = row_of(s, p), .speed = s->velocity->speed[axis], .courant = s->dt / width};
    add_transverse(s, p, axis, &t);
    if (down.cell >= 0) {
        t.down = row_of(s, down);
        t.down_scale = kn_stream_scale(width, width_of(s, down.cell, axis));
    }
    if (up.cell >= 0) {
        t.up = row_of(s, up);
        t.up_scale = kn_stream_scale(width, width_of(s, up.cell, axis));
    } else if (ghost) {
        t.up = ghost;
        t.up_scale = kn_stream_scale(width, 0);
    } else { /* one cell between two walls: no slope */
        t.up = t.h;
    }
    face_values(&t, s->velocity->stride, s->limiter, out);
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
static void leaving(const struct kn_stream_sweep *s, int face, int octant, float *restrict out, float *scratch)
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
    const struct kn_site mirrored = {f->cell, octant ^ s->links.bit[axis]};
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

static void add_fluxes(const struct kn_velocity *v, int octant, int axis, const float *restrict h, double *total)
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

/* Everything that passes through one face in this step. */
static void record_fluxes(const struct kn_stream_sweep *s, int face, float *scratch)
{
    const struct kn_face *f = &s->space->faces[face];
    const struct kn_velocity *v = s->velocity;
    const int axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    double *total = s->fluxes + (size_t)face * KN_FLUXES;
    for (int octant = 0; octant < v->octants; octant++) {
        const bool arrives = kn_velocity_sign(v, octant, axis) == into;
        const struct kn_site here = {f->cell, arrives ? octant : octant ^ s->links.bit[axis]};
        const float *h = scratch;
        if (arrives || s->boundary->patches[f->side].mirror)
            h = arriving(s, here, axis, scratch);
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
    if (s->fluxes)
        memset(s->fluxes + (size_t)face * KN_FLUXES, 0, KN_FLUXES * sizeof *s->fluxes);
    if (!s->links.bit[axis])
        return;
    if (patch->emits) {
        double flux = 0;
        for (int octant = 0; octant < v->octants; octant++)
            if (kn_velocity_sign(v, octant, axis) == into)
                flux += mass_flux(v, axis, arriving(s, (struct kn_site){f->cell, octant}, axis, scratch));
        s->density[face] = (float)kn_wall_density(flux, patch->excess, patch->unit);
    }
    if (s->fluxes)
        record_fluxes(s, face, scratch);
}

/* ------------------------------------------------------------------- cells */

/* h + sum over axes of Courant number times (upwind - h), theory (15). */
KN_SPECIALISED void donor_loop(int n, int naxes, const float *restrict h, const float *const up[3],
                              const float *const speed[3], const float courant[3], float *restrict out)
{
    const float *restrict u0 = up[0], *restrict u1 = up[1], *restrict u2 = up[2];
    const float *restrict s0 = speed[0], *restrict s1 = speed[1], *restrict s2 = speed[2];
    const float c0 = courant[0], c1 = courant[1], c2 = courant[2];
#pragma omp simd
    for (int k = 0; k < n; k++) {
        float change = c0 * s0[k] * (u0[k] - h[k]);
        if (naxes > 1)
            change += c1 * s1[k] * (u1[k] - h[k]);
        if (naxes > 2)
            change += c2 * s2[k] * (u2[k] - h[k]);
        out[k] = h[k] + change;
    }
}

static void stream_first_order(const struct kn_stream_sweep *s, struct kn_site p, float *restrict out, float *scratch)
{
    const int n = s->velocity->stride, naxes = s->space->naxes;
    const float *h = row_of(s, p), *up[3] = {h, h, h}, *speed[3] = {0};
    float courant[3] = {0};
    for (int i = 0; i < naxes; i++) {
        const int axis = s->space->axes[i];
        const struct kn_site from = kn_neighbour_walk(&s->links, p, axis, 0);
        speed[i] = s->velocity->speed[axis];
        courant[i] = s->dt / width_of(s, p.cell, axis);
        if (from.cell >= 0) {
            up[i] = row_of(s, from);
        } else {
            leaving(s, ~from.cell, p.octant, scratch + (size_t)i * n, scratch + (size_t)3 * n);
            up[i] = scratch + (size_t)i * n;
        }
    }
    if (naxes == 1)
        donor_loop(n, 1, h, up, speed, courant, out);
    else if (naxes == 2)
        donor_loop(n, 2, h, up, speed, courant, out);
    else
        donor_loop(n, 3, h, up, speed, courant, out);
}

/* out -= Courant number times (downwind face - upwind face), theory (16). */
static void subtract_difference(int n, float courant, const float *restrict speed, const float *restrict face,
                                const float *restrict inflow, float *restrict out)
{
#pragma omp simd
    for (int k = 0; k < n; k++)
        out[k] -= courant * speed[k] * (face[k] - inflow[k]);
}

static void stream_second_order(const struct kn_stream_sweep *s, struct kn_site p, float *restrict out, float *scratch)
{
    const int n = s->velocity->stride;
    float *outflow = scratch, *inflow = scratch + n, *ghost = scratch + (size_t)2 * n, *spare = scratch + (size_t)3 * n;
    memcpy(out, row_of(s, p), (size_t)n * sizeof *out);
    for (int i = 0; i < s->space->naxes; i++) {
        const int axis = s->space->axes[i];
        const struct kn_site up = kn_neighbour_walk(&s->links, p, axis, 0);
        const float *in = ghost;
        if (up.cell < 0)
            leaving(s, ~up.cell, p.octant, ghost, spare);
        face_row(s, p, axis, kn_neighbour_walk(&s->links, p, axis, 1).cell < 0 ? NULL : ghost, outflow);
        if (up.cell >= 0) {
            const struct kn_site second = kn_neighbour_walk(&s->links, up, axis, 0);
            if (second.cell < 0)
                leaving(s, ~second.cell, up.octant, ghost, spare);
            face_row(s, up, axis, ghost, inflow);
            in = inflow;
        }
        subtract_difference(n, s->dt / width_of(s, p.cell, axis), s->velocity->speed[axis], outflow, in, out);
    }
}

void KN_CPU_NAME(stream)(const struct kn_stream_sweep *s, int cell, float *out, float *scratch)
{
    for (int octant = 0; octant < s->velocity->octants; octant++) {
        const struct kn_site p = {cell, octant};
        float *to = out + (size_t)octant * s->velocity->stride;
        if (s->space->naxes == 0)
            memcpy(to, row_of(s, p), (size_t)s->velocity->stride * sizeof *to);
        else if (s->order == 1)
            stream_first_order(s, p, to, scratch);
        else
            stream_second_order(s, p, to, scratch);
    }
}
