/* Chooses the reference state of a case, and writes the case in its units: theory, section 15. */
#include "config/reference.h"

#include "config/case.h"
#include "config/config.h"
#include "config/scales.h"

#include <math.h>

/* Ratio of stagnation to flow temperature of a monatomic gas is 1 + STAGNATION u^2 / T, u in V0. */
static const double STAGNATION = 0.4;

/* The hottest gas has at most this temperature, in Tr: from 2 on the variance of f / Phi is infinite. */
static const double HOTTEST = 1.6;

/* Up to this Tr / T0 the gas at rest is the reference: the gain in accuracy would be below 0.25 % with 8
 * nodes, and a gas that starts at rest is then represented exactly. */
static const double NEAR = 1.1;

bool kn_reference_is_free(const struct kn_case *c)
{
    const enum kn_shape s = c->initial.shape;
    return c->disturbance > 0 && (s == KN_SHAPE_REST || s == KN_SHAPE_ANISOTROPIC || s == KN_SHAPE_BETWEEN);
}

/* The lowest temperature, and the highest one that a stream can reach where it is stopped, T0. */
static void find_extremes(const struct kn_case *c, double *low, double *high)
{
    const double eps = c->disturbance;
    *low = c->initial.shape == KN_SHAPE_BETWEEN ? INFINITY : 1;
    *high = c->initial.shape == KN_SHAPE_BETWEEN ? 0 : 1;
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const struct kn_wall surface = kn_case_surface(c, i), *w = &surface;
        const double amplitude = fabs(w->oscillation.temperature);
        const struct kn_case_span t = kn_case_temperatures(w);
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += pow(eps * (fabs(w->velocity[d] - c->gas.reference.velocity[d]) +
                                 fabs(w->oscillation.velocity[d])),
                          2);
        if (!kn_case_emits(w))
            continue;
        *low = fmin(*low, 1 + eps * (t.low - amplitude));
        *high = fmax(*high, 1 + eps * (t.high + amplitude) + STAGNATION * square);
    }
}

double kn_reference_middle(const struct kn_case *c)
{
    double low, high;
    if (!kn_reference_is_free(c))
        return 1;
    find_extremes(c, &low, &high);
    return fmax((low + high) / 2, high / HOTTEST);
}

struct kn_reference kn_reference_of(const struct kn_case *c)
{
    double temperature = c->gas.reference.temperature;
    if (temperature == KN_REFERENCE_AUTO) {
        const double middle = kn_reference_middle(c);
        temperature = middle > NEAR ? (middle - 1) / c->disturbance : 0;
    }
    return kn_reference_make(c->disturbance, temperature, c->gas.reference.velocity, kn_case_omega(c));
}

struct kn_wall kn_reference_wall(const struct kn_reference *r, const struct kn_wall *wall)
{
    struct kn_wall w = *wall;
    if (!kn_case_emits(wall) || r->at_rest)
        return w;
    for (int i = 0; i < kn_case_points(wall); i++)
        w.temperatures[i] = kn_reference_temperature(r, wall->temperatures[i]);
    w.oscillation.temperature /= r->ratio;
    for (int d = 0; d < 3; d++) {
        w.velocity[d] = kn_reference_velocity(r, wall->velocity[d], d);
        w.oscillation.velocity[d] /= r->speed;
    }
    return w;
}

struct kn_case kn_reference_case(const struct kn_reference *r, const struct kn_case *c)
{
    struct kn_case inner = *c;
    inner.gas.reference.temperature = r->temperature;
    for (int side = 0; side < KN_SIDES; side++)
        inner.walls[side] = kn_reference_wall(r, &c->walls[side]);
    for (int i = 0; i < kn_case_bodies(c); i++) {
        inner.bodies[i].surface = kn_reference_wall(r, &c->bodies[i].surface);
        for (int d = 0; d < 3; d++)
            inner.bodies[i].rotation[d] /= r->speed;
    }
    for (int i = 0; i < kn_case_ports(c) && !r->at_rest; i++) { /* n = p / T is the same */
        inner.ports[i].temperature = kn_reference_temperature(r, c->ports[i].temperature);
        inner.ports[i].pressure = kn_reference_temperature(r, c->ports[i].pressure);
        inner.ports[i].flow /= r->speed;
    }
    for (int d = 0; d < 3; d++) { /* per unit of the time of collisions, theory (57) */
        inner.source.force[d] /= r->speed * r->collisions;
        inner.source.temperature_gradient[d] /= r->speed * r->collisions;
    }
    return inner;
}

bool kn_reference_text(const struct kn_case *c, char *text)
{
    const struct kn_reference r = kn_reference_of(c);
    const double eps = c->disturbance, *w = r.velocity;
    struct kn_scales s;
    const bool known = kn_scales_create(&s, c) == KN_OK && s.known;
    size_t n = (size_t)snprintf(text, KN_TEXT, "temperature %.4g T0", r.ratio);
    if (known)
        n += (size_t)snprintf(text + n, KN_TEXT - n, " = %.5g K", r.ratio * s.temperature);
    if (w[0] != 0 || w[1] != 0 || w[2] != 0)
        snprintf(text + n, KN_TEXT - n, ", velocity [%.4g, %.4g, %.4g] V0", eps * w[0], eps * w[1],
                 eps * w[2]);
    return !r.at_rest;
}
