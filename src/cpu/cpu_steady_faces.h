/* Rows of x in cells and on faces, in the passes of the steady-state solver on the CPU. */
#ifndef KN_CPU_STEADY_FACES_H
#define KN_CPU_STEADY_FACES_H

#include "cpu/cpu_steady.h"
#include "point/steady.h"

/* The row of a site, or what leaves a face. */
static inline const double *kn_steady_source(const struct kn_steady_pass *s, struct kn_site p)
{
    const int ncells = s->plan->problem->space->ncells;
    if (p.cell < 0)
        return s->outgoing + ~kn_mesh_source(&s->mesh, p);
    return p.cell < ncells ? s->x + kn_mesh_row(&s->mesh, p)
                           : s->halo + kn_mesh_row(&s->mesh, (struct kn_site){p.cell - ncells, p.octant});
}

/* x on the downwind face of a site. */
static inline void kn_steady_face_row(const struct kn_steady_pass *s, struct kn_site p, int axis,
                                      double *restrict out)
{
    const struct kn_steady_face f = kn_steady_face_of(&s->mesh, p, axis, s->plan->problem->c->space.order);
    const double *restrict here = kn_steady_source(s, p);
    const double *restrict up = f.before != 0 ? kn_steady_source(s, f.up) : here;
    const double *restrict down = f.after != 0 ? kn_steady_source(s, f.down) : here;
    const double before = f.before, after = f.after;
#pragma omp simd
    for (int k = 0; k < s->mesh.stride; k++)
        out[k] = kn_steady_face_value(before, after, up[k], here[k], down[k]);
}

#endif
