#include "sampling.h"

#include "collision.h"

int kn_sampling_count(const struct kn_case *c)
{
    return kn_collision_is_sampled(c->collision.method) ? c->collision.samples : 0;
}

struct kn_sample_plan kn_sampling_plan(const struct kn_case *c, const struct kn_velocity *v, double dt)
{
    const bool symmetric = c->collision.estimator == KN_ESTIMATOR_SYMMETRIC;
    return (struct kn_sample_plan){
        .edge = {v->edge[0], v->edge[1], v->edge[2]},
        .weight = v->w,
        .speed = {v->speed[0], v->speed[1], v->speed[2]},
        .square = v->square,
        .half = {v->half[0], v->half[1], v->half[2]},
        .bit = {v->bit[0], v->bit[1], v->bit[2]},
        .stride = v->stride,
        .seed = c->run.seed,
        .strength = (float)(M_PI * KN_COLLISION_STRENGTH * dt / c->collision.samples * (symmetric ? 0.5 : 1.0)),
        .symmetric = symmetric,
        .exponential = c->collision.update == KN_UPDATE_EXPONENTIAL,
    };
}
