#include "config/flow.h"

#include "collision/collision.h"

#include <math.h>
#include <string.h>

/* Disturbances up to it act as those of the linearised equation. */
static const double SLOW = 0.05;

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-7 * fmax(fabs(a), fabs(b));
}

static bool near_all(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (!near(a[i], b[i]))
            return false;
    return true;
}

static bool is_boltzmann(const struct kn_case *c)
{
    return c->collision.method == KN_METHOD_MONTE_CARLO || c->collision.method == KN_METHOD_OPERATOR;
}

/* Sampled collisions and the operator solve the same equation; models know the exponent only, and that
 * only where the temperature changes by more than a trifle. */
static bool same_gas(const struct kn_case *a, const struct kn_case *b)
{
    const bool slow = fmax(a->disturbance, b->disturbance) <= SLOW;
    if (!slow && !near(a->disturbance, b->disturbance))
        return false;
    if (is_boltzmann(a) && is_boltzmann(b))
        return a->gas.molecules == b->gas.molecules && near(a->gas.omega, b->gas.omega);
    return a->collision.method == b->collision.method &&
           near(kn_collision_prandtl(a), kn_collision_prandtl(b)) &&
           (slow || near(a->gas.omega, b->gas.omega));
}

static bool same_wall(const struct kn_wall *a, const struct kn_wall *b)
{
    const struct kn_oscillation *p = &a->oscillation, *q = &b->oscillation;
    return a->kind == b->kind && near(a->density, b->density) && near_all(a->velocity, b->velocity, 3) &&
           near(a->temperature, b->temperature) && near(a->accommodation, b->accommodation) &&
           near_all(a->gradient.velocity, b->gradient.velocity, 3) &&
           near(a->gradient.temperature, b->gradient.temperature) && near(p->frequency, q->frequency) &&
           near(p->phase, q->phase) && near(p->temperature, q->temperature) &&
           near_all(p->velocity, q->velocity, 3);
}

static bool same_box(const struct kn_case *a, const struct kn_case *b)
{
    for (int d = 0; d < 3; d++) {
        const bool used = a->space.cells[d] > 1;
        if (used != (b->space.cells[d] > 1) || (used && !near(a->space.size[d], b->space.size[d])) ||
            !same_wall(&a->walls[2 * d], &b->walls[2 * d]) ||
            !same_wall(&a->walls[2 * d + 1], &b->walls[2 * d + 1]))
            return false;
    }
    return near_all(a->source.force, b->source.force, 3) &&
           near_all(a->source.temperature_gradient, b->source.temperature_gradient, 3);
}

static bool same_beginning(const struct kn_case *a, const struct kn_case *b)
{
    return a->initial.shape == b->initial.shape &&
           (a->initial.shape == KN_SHAPE_REST ||
            (near(a->initial.amplitude, b->initial.amplitude) &&
             memcmp(a->initial.wave, b->initial.wave, sizeof a->initial.wave) == 0 &&
             near(a->initial.width, b->initial.width)));
}

bool kn_flow_is_same(const struct kn_case *a, const struct kn_case *b)
{
    return same_gas(a, b) && same_box(a, b) && same_beginning(a, b);
}

bool kn_flow_is_as_rare(const struct kn_case *a, const struct kn_case *b)
{
    return fabs(a->gas.delta - b->gas.delta) <= 1e-3 * fmax(a->gas.delta, b->gas.delta);
}
