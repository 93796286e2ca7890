/* Walls, bodies and ports in the steady equations: their emission and the fluxes through them, in double
 * precision, theory (20) to (23). */
#include "cpu/cpu_kernels.h"
#include "cpu/cpu_steady.h"
#include "cpu/cpu_steady_faces.h"

#define KN_REAL    double
#define KN_SCATTER kn_steady_scatter
#include "cpu/cpu_scatter.h"

#include <string.h>

static double mass_flux(const struct kn_velocity *v, int axis, const double *restrict x)
{
    const double *restrict w = v->mass;
    const float *restrict speed = v->speed[axis];
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < v->stride; k++)
        sum += w[k] * speed[k] * x[k];
    return sum;
}

/* x that leaves a face in an octant, for a density or drift of the emission. */
static void leave(const struct kn_steady_pass *s, const struct kn_face *f, double rho, int octant,
                  double *restrict out, double *restrict in)
{
    const struct kn_problem *p = s->plan->problem;
    const struct kn_patch *patch = &p->boundary->patches[f->patch];
    const int n = s->mesh.stride, axis = f->side / 2, drifts = patch->drifts == KN_DRIFT_PRESSURE;
    const float *restrict excess = patch->emission + (size_t)octant * (size_t)n;
    const float *restrict speed = p->velocity->speed[axis];
    const double alpha = patch->alpha, rest = 1 - alpha * patch->replaces, eps = p->c->disturbance,
                 data = s->data, flow = patch->drifts == KN_DRIFT_FLOW ? patch->port.given : 0;
    if (kn_boundary_reflects(patch))
        kn_steady_face_row(s, (struct kn_site){f->cell, octant ^ s->mesh.bit[axis]}, axis, in);
    else
        memset(in, 0, (size_t)n * sizeof *in);
#pragma omp simd
    for (int k = 0; k < n; k++) {
        const double unit = kn_steady_unit(eps, drifts, excess[k], speed[k]);
        const double given = kn_steady_drift(excess[k], flow, speed[k]);
        out[k] = alpha * kn_steady_emission(unit, data, rho, given) + rest * in[k];
    }
}

/* Add the emission of a density to all that leaves a face, `share` times. */
static void add_emission(const struct kn_steady_pass *s, const struct kn_face *f, double share, double data,
                         double rho, double *out)
{
    const struct kn_problem *p = s->plan->problem;
    const struct kn_velocity *v = p->velocity;
    const float *excess = p->boundary->patches[f->patch].emission;
    const int axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = octant * v->stride;
             k < (octant + 1) * v->stride && kn_velocity_sign(v, octant, axis) != into; k++)
            out[k] += share * kn_steady_emission(kn_steady_unit(p->c->disturbance, 0, excess[k], 0), data,
                                                 rho, excess[k]);
}

/* x that leaves a face of a Cercignani-Lampis wall, theory (22f); out is [nnodes].  At eps = 0 the density of
 * the wall has no effect.  The matrices are rounded: a density, `arriving` minus what leaves, makes the mass
 * exact.
 */
static void scatter(const struct kn_steady_pass *s, const struct kn_face *f, double arriving, double *out)
{
    const struct kn_velocity *v = s->plan->problem->velocity;
    const struct kn_patch *patch = &s->plan->problem->boundary->patches[f->patch];
    const int n = v->stride, axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    const double finite = s->plan->problem->c->disturbance > 0,
                 rho = finite * kn_wall_density(arriving, s->data * patch->emission_flux, patch->unit_flux);
    for (int octant = 0; octant < v->octants; octant++)
        if (kn_velocity_sign(v, octant, axis) != into)
            kn_steady_face_row(s, (struct kn_site){f->cell, octant ^ s->mesh.bit[axis]}, axis,
                               out + octant * n);
    add_emission(s, f, -1, s->data, rho, out);
    for (int d = 0; d < 3; d++)
        scatter_axis(v, f, patch->matrices, d, out);
    add_emission(s, f, 1, s->data, rho, out);
    for (int octant = 0; octant < v->octants; octant++)
        if (kn_velocity_sign(v, octant, axis) != into)
            arriving -= mass_flux(v, axis, out + octant * n);
    add_emission(s, f, 1, 0, arriving / patch->unit_flux, out);
}

void KN_CPU_NAME(steady_wall)(const struct kn_steady_pass *s, int face, double *scratch)
{
    const struct kn_problem *p = s->plan->problem;
    const struct kn_velocity *v = p->velocity;
    const struct kn_face *f = &p->space->faces[face];
    const struct kn_patch *patch = &p->boundary->patches[f->patch];
    const int axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    double *out = s->outgoing + (size_t)face * (size_t)v->nnodes, arriving = 0;
    if (!patch->emits)
        return;
    for (int octant = 0; octant < v->octants; octant++)
        if (kn_velocity_sign(v, octant, axis) == into) {
            kn_steady_face_row(s, (struct kn_site){f->cell, octant}, axis, scratch);
            arriving += mass_flux(v, axis, scratch);
        }
    if (patch->matrices) {
        scatter(s, f, arriving, out);
        return;
    }
    const double rho = kn_wall_density(arriving, s->data * patch->emission_flux, patch->unit_flux);
    for (int octant = 0; octant < v->octants; octant++)
        if (kn_velocity_sign(v, octant, axis) != into)
            leave(s, f, rho, octant, out + (size_t)octant * (size_t)v->stride, scratch);
}

static void add_fluxes(const struct kn_velocity *v, int octant, int axis, const double *restrict x,
                       double *total)
{
    const int sign = kn_velocity_sign(v, octant, axis);
    for (int k = 0; k < v->size; k++) {
        const double flux = sign * v->mass[k] * v->speed[axis][k] * x[k];
        total[0] += flux;
        for (int d = 0; d < 3; d++)
            total[1 + d] += v->bit[d] ? kn_velocity_sign(v, octant, d) * flux * v->speed[d][k] : 0;
        total[4] += flux * v->square[k];
    }
}

/* Everything that passes through one face. A mirror is passed by the reflected rows. */
void KN_CPU_NAME(steady_flux)(const struct kn_steady_pass *s, int face, double *total, double *scratch)
{
    const struct kn_problem *p = s->plan->problem;
    const struct kn_velocity *v = p->velocity;
    const struct kn_face *f = &p->space->faces[face];
    const int axis = f->side / 2, into = (f->side & 1) ? 1 : -1;
    memset(total, 0, KN_FLUXES * sizeof *total);
    for (int octant = 0; octant < v->octants; octant++) {
        const struct kn_site here = {f->cell, octant};
        const bool arrives = kn_velocity_sign(v, octant, axis) == into;
        const struct kn_site from = arrives ? here : kn_mesh_walk(&s->mesh, here, axis, 0);
        const double *x = scratch;
        if (from.cell < 0)
            x = kn_steady_source(s, from);
        else
            kn_steady_face_row(s, from, axis, scratch);
        add_fluxes(v, octant, axis, x, total);
    }
}
