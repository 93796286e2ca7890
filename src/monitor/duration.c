/* Times of a flow from its size, its collisions and its velocity grid; theory section 10. */
#include "monitor/duration.h"

#include "collision/collision.h"
#include "config/config.h"
#include "grid/space.h"
#include "grid/velocity.h"

#include <math.h>

static double length_along(const struct kn_case *c, int axis)
{
    return c->space.size[axis] * c->gas.delta;
}

static double longest_side(const struct kn_case *c)
{
    double longest = 0;
    for (int d = 0; d < 3; d++)
        if (!kn_space_is_uniform(c, d))
            longest = fmax(longest, length_along(c, d));
    return longest;
}

static double slowest_node(const struct kn_case *c)
{
    double slowest = INFINITY;
    for (int d = 0; d < 3; d++)
        if (!kn_space_is_uniform(c, d))
            slowest = fmin(slowest, kn_velocity_slowest(c, d));
    return slowest;
}

/* Without collisions a flux changes each time that the molecules of the slowest node arrive, and rests in
 * between.  What they carry falls to a twentieth with each crossing.  Collisions replace them after a few
 * mean free times. */
double kn_duration_least(const struct kn_case *c)
{
    const double crossings = 3, relaxed = 8, sound = 4; /* crossings at V0: sound there and back, twice */
    const double length = longest_side(c);
    double slow = crossings * length / slowest_node(c);
    if (c->collision.method != KN_METHOD_NONE)
        slow = fmin(slow, relaxed);
    return fmax(sound * length, slow);
}

static bool is_diffuse(const struct kn_wall *w)
{
    return w->kind == KN_WALL_DIFFUSE && w->accommodation > 0;
}

/* Rate at which diffusion of momentum levels the slowest mode along an axis: nu k^2 with nu = V0 lambda0 / 2.
 * Slip makes the gap wider by a mean free path at each wall; between periodic ends a whole wave fits, between
 * ends that hold nothing a quarter of one. */
static double diffusion_rate(const struct kn_case *c, int axis)
{
    const struct kn_wall *low = &c->walls[2 * axis], *high = low + 1;
    const double length = length_along(c, axis) + 2;
    const bool periodic = low->kind == KN_WALL_PERIODIC, both = is_diffuse(low) && is_diffuse(high);
    const double k = (periodic ? 2 : both ? 1 : 0.5) * M_PI / length;
    return 0.5 * k * k;
}

/* Time after which exp(-12) = 6e-6 of the initial transient is left. */
double kn_duration_settled(const struct kn_case *c)
{
    const double foldings = 12;
    double bounded = 0, slowest = INFINITY;
    for (int d = 0; d < 3; d++) {
        if (kn_space_is_uniform(c, d))
            continue;
        const double rate = diffusion_rate(c, d);
        slowest = fmin(slowest, rate);
        bounded += c->walls[2 * d].kind == KN_WALL_PERIODIC ? 0 : rate;
    }
    const double rate = bounded > 0 ? bounded : isfinite(slowest) ? slowest : 1;
    const bool collides = c->collision.method != KN_METHOD_NONE;
    return kn_duration_least(c) + (collides ? foldings / rate : 0);
}

bool kn_duration_oscillates(const struct kn_case *c)
{
    for (int s = 0; s < KN_SIDES; s++)
        if (c->walls[s].oscillation.frequency > 0)
            return true;
    return false;
}

double kn_duration_period_step(const struct kn_case *c)
{
    const double rows = 32;
    double step = INFINITY;
    for (int s = 0; s < KN_SIDES; s++)
        if (c->walls[s].oscillation.frequency > 0)
            step = fmin(step, 2 * M_PI / c->walls[s].oscillation.frequency / (rows * kn_config_history(c)));
    return step;
}

static double longest_period(const struct kn_case *c)
{
    double period = 0;
    for (int s = 0; s < KN_SIDES; s++)
        if (c->walls[s].oscillation.frequency > 0)
            period = fmax(period, 2 * M_PI / c->walls[s].oscillation.frequency);
    return period;
}

double kn_duration_end(const struct kn_case *c)
{
    if (c->time.end != KN_END_AUTO)
        return c->time.end;
    const double settled = kn_duration_settled(c), period = longest_period(c);
    if (period > 0) /* as many periods again are analysed */
        return period * fmax(4, 2 * ceil(settled / period));
    return (kn_collision_is_noisy(c) ? 2 : 3) * settled; /* the second half of a noisy run is averaged */
}

bool kn_duration_is_open(const struct kn_case *c)
{
    return !kn_duration_oscillates(c) && !kn_collision_is_noisy(c) && c->time.end == KN_END_AUTO;
}
