/* Samples of the quadratic part of the collision integral. */
#include "collision/quadratic.h"

#include "collision/sampling.h"

int kn_quadratic_count(const struct kn_case *c)
{
    return c->collision.method == KN_METHOD_OPERATOR && c->disturbance > 0 ? c->collision.samples : 0;
}

struct kn_quadratic_plan kn_quadratic_plan(const struct kn_case *c, const struct kn_velocity *v,
                                           const struct kn_operator *o, double dt)
{
    struct kn_quadratic_plan p = {kn_sampling_plan(c, v, dt), {v->node[0], v->node[1], v->node[2]}};
    /* the mean over pairs of nodes and directions k, theory (47) */
    p.sampling.strength = (float)(0.5 * o->strength * o->scale * dt / c->collision.samples);
    p.sampling.lattice = c->collision.points != KN_POINTS_RANDOM;
    return p;
}
