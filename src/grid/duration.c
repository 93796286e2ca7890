/* Times of a flow from its size, its collisions and its velocity grid; theory section 10. */
#include "grid/duration.h"

#include "config/case.h"
#include "config/config.h"
#include "config/reference.h"
#include "config/scales.h"
#include "grid/space.h"
#include "grid/velocity.h"

#include <math.h>

double kn_duration_length(const struct kn_case *c, int axis)
{
    return c->space.size[axis] * c->gas.delta;
}

double kn_duration_longest(const struct kn_case *c)
{
    double longest = 0;
    for (int d = 0; d < 3; d++)
        if (!kn_case_is_uniform(c, d))
            longest = fmax(longest, kn_duration_length(c, d));
    return longest;
}

static double slowest_node(const struct kn_case *c)
{
    double slowest = INFINITY;
    for (int d = 0; d < 3; d++)
        if (!kn_case_is_uniform(c, d))
            slowest = fmin(slowest, kn_velocity_slowest(c, d));
    return kn_reference_of(c).speed * slowest;
}

/* Without collisions a flux is constant between arrivals of the molecules of the slowest node, and their
 * contribution falls to a twentieth with each crossing.  Collisions replace them after a few mean free
 * times. */
double kn_duration_least(const struct kn_case *c)
{
    const double crossings = 3, relaxed = 8, sound = 4; /* crossings at V0: sound back and forth, twice */
    const double length = kn_duration_longest(c);
    double slow = crossings * length / slowest_node(c);
    if (c->collision.method != KN_METHOD_NONE)
        slow = fmin(slow, relaxed);
    return fmax(sound * length, slow);
}

bool kn_duration_is_diffuse(const struct kn_wall *w)
{
    return w->kind == KN_WALL_DIFFUSE && w->accommodation > 0;
}

/* Rate at which diffusion of momentum damps the slowest mode along an axis: nu k^2 with nu = V0 lambda0 / 2.
 * Slip widens the gap by a mean free path at each wall.  The slowest mode between periodic ends is a whole
 * wave, between two walls half a wave, else a quarter. */
static double diffusion_rate(const struct kn_case *c, int axis)
{
    const struct kn_wall *low = &c->walls[2 * axis], *high = low + 1;
    const double length = kn_duration_length(c, axis) + 2;
    const bool periodic = low->kind == KN_WALL_PERIODIC,
               both = kn_duration_is_diffuse(low) && kn_duration_is_diffuse(high);
    const double k = (periodic ? 2 : both ? 1 : 0.5) * M_PI / length;
    return 0.5 * k * k;
}

/* Time after which exp(-12) = 6e-6 of the initial transient is left. */
double kn_duration_settled(const struct kn_case *c)
{
    const double foldings = 12;
    double bounded = 0, slowest = INFINITY;
    for (int d = 0; d < 3; d++) {
        if (kn_case_is_uniform(c, d))
            continue;
        const double rate = diffusion_rate(c, d);
        slowest = fmin(slowest, rate);
        bounded += c->walls[2 * d].kind == KN_WALL_PERIODIC ? 0 : rate;
    }
    const double rate = bounded > 0 ? bounded : isfinite(slowest) ? slowest : 1;
    const bool collides = c->collision.method != KN_METHOD_NONE;
    return kn_duration_least(c) + (collides ? foldings / rate : 0);
}

double kn_duration_shortest_period(const struct kn_case *c)
{
    double period = INFINITY;
    for (int i = 0; i < kn_case_surfaces(c); i++)
        if (kn_case_surface(c, i).oscillation.frequency > 0)
            period = fmin(period, 2 * M_PI / kn_case_surface(c, i).oscillation.frequency);
    return period;
}

bool kn_duration_oscillates(const struct kn_case *c)
{
    return isfinite(kn_duration_shortest_period(c));
}

double kn_duration_period_step(const struct kn_case *c)
{
    return kn_duration_shortest_period(c) / (KN_DURATION_PERIOD_ROWS * kn_config_history(c));
}

static double longest_period(const struct kn_case *c)
{
    double period = 0;
    for (int i = 0; i < kn_case_surfaces(c); i++)
        if (kn_case_surface(c, i).oscillation.frequency > 0)
            period = fmax(period, 2 * M_PI / kn_case_surface(c, i).oscillation.frequency);
    return period;
}

double kn_duration_end(const struct kn_case *c)
{
    if (c->time.end != KN_END_AUTO)
        return c->time.end;
    const double settled = kn_duration_settled(c), period = longest_period(c);
    if (period > 0) /* as many periods again are analysed */
        return period * fmax(4, 2 * ceil(settled / period));
    return (kn_case_is_sampled(c->collision.method) ? 2 : 3) *
           settled; /* the second half of a noisy run is averaged */
}

bool kn_duration_is_open(const struct kn_case *c)
{
    return !kn_duration_oscillates(c) && !kn_case_is_sampled(c->collision.method) &&
           c->time.end == KN_END_AUTO;
}

const char *kn_duration_text(const struct kn_case *c, double time, int digits, const char *unit,
                             char text[KN_UNITS_TEXT])
{
    struct kn_scales scales;
    if (kn_scales_create(&scales, c) == KN_OK && scales.known)
        return kn_units_text(KN_DIMENSION_TIME, scales.time * time, text);
    snprintf(text, KN_UNITS_TEXT, "%.*g%s", digits, time, unit);
    return text;
}

const char *kn_duration_place(const struct kn_case *c, int64_t step, double time,
                              char text[KN_DURATION_PLACE])
{
    char at[KN_UNITS_TEXT];
    if (kn_case_iterates(c))
        snprintf(text, KN_DURATION_PLACE, "iteration %lld", (long long)step);
    else
        snprintf(text, KN_DURATION_PLACE, "step %lld, t = %s", (long long)step,
                 kn_duration_text(c, time, 6, "", at));
    return text;
}
