/* Oscillating walls against time step, velocity nodes and the linearised motion of walls. */
#include "validity/validity.h"

#include "config/scales.h"

#include <complex.h>
#include <math.h>

static double length_along(const struct kn_case *c, int axis)
{
    return c->gas.delta * c->space.size[axis];
}

/* --------------------------------------------------------- steps of a period */

/* Fluxes are means over a step: of an oscillation they keep sin(x) / x, x = pi / steps. */
static void judge_steps(struct kn_validity *v, double frequency, double time_step)
{
    const double steps = 2 * M_PI / (frequency * time_step), x = M_PI / steps,
                 error = steps < 1 ? 1 : 1 - sin(x) / x;
    char percent[32];
    kn_validity_add(
        v, kn_validity_level(error, KN_LEVEL_WARNING), "period", error,
        "a period of the oscillation has only %.2g time steps: expect an error of %s in amplitudes "
        "(time.step: %.3g gives 32 steps)",
        steps, kn_validity_percent(error, percent), 2 * M_PI / frequency / 32);
}

/* ----------------------------------------------------------- nodes of a wave */

/* What free molecules carry across a gap of an oscillating emission: the mean over the flux of exp(-s / v),
 * s = (collision rate + i frequency) times the gap. */
static double complex carry_exactly(double complex s)
{
    enum { POINTS = 4000 };
    const double width = 6.0 / POINTS;
    double complex sum = 0;
    for (int i = 0; i < POINTS; i++) {
        const double speed = (i + 0.5) * width;
        sum += 2 * speed * exp(-speed * speed) * cexp(-s / speed) * width;
    }
    return sum;
}

static double complex carry_on_grid(double complex s, const double *node, const double *weight, int count)
{
    double complex sum = 0;
    double flux = 0;
    for (int i = 0; i < count; i++) {
        sum += weight[i] * node[i] * cexp(-s / node[i]);
        flux += weight[i] * node[i];
    }
    return sum / flux;
}

/* Error of the far wall's answer, as a part of it; of a twentieth of the drive where less arrives. */
static double wave_error(const struct kn_case *c, int axis, int nodes, double frequency)
{
    struct kn_case other = *c;
    struct kn_velocity grid;
    const double rate = c->collision.method == KN_METHOD_NONE ? 0 : 1;
    const double complex s = (rate + I * frequency) * length_along(c, axis);
    double error = NAN;
    for (int d = 0; d < 3; d++)
        other.velocity.nodes[d] = d == axis ? nodes : 4;
    if (kn_velocity_create(&grid, &other) == KN_OK) {
        const double complex exact = carry_exactly(s),
                             found = carry_on_grid(s, grid.node[axis], grid.weight[axis], grid.half[axis]);
        error = cabs(found - exact) / fmax(cabs(exact), 0.05);
    }
    kn_velocity_destroy(&grid);
    return error;
}

static void judge_nodes(struct kn_validity *v, const struct kn_case *c, int axis, double frequency)
{
    const double noticed = 0.02;
    const int nodes = c->velocity.nodes[axis];
    const double error = wave_error(c, axis, nodes, frequency);
    double better = error;
    int enough = nodes;
    char percent[32], then[32];
    if (!(error > noticed))
        return;
    while (better > noticed && enough < 64) {
        enough = enough + 8 < 64 ? enough + 8 : 64;
        better = wave_error(c, axis, enough, frequency);
    }
    kn_validity_add(
        v, KN_LEVEL_WARNING, "rays", error,
        "%d velocity nodes along %c are few for this frequency: the wave that reaches the opposite "
        "wall is wrong by %s (%d nodes along %c: %s); the oscillating wall itself is not affected",
        nodes, "xyz"[axis], kn_validity_percent(error, percent), enough, "xyz"[axis],
        kn_validity_percent(better, then));
}

/* ------------------------------------------------------------ moving a wall */

/* The linearised equation leaves a wall where it is. */
static void judge_stroke(struct kn_validity *v, const struct kn_case *c, int axis,
                         const struct kn_oscillation *o)
{
    struct kn_scales scales;
    char percent[32];
    if (c->disturbance > 0 || kn_scales_create(&scales, c) != KN_OK || !scales.known)
        return;
    const double error = scales.disturbance * fabs(o->velocity[axis]) / o->frequency / length_along(c, axis);
    kn_validity_add(
        v, kn_validity_level(error, KN_LEVEL_WARNING), "stroke", error,
        "a wall moves along its normal by %s of the gap, but is computed at rest at its mean place: "
        "expect an error of the same size (a smaller velocity or a higher frequency)",
        kn_validity_percent(error, percent));
}

static bool is_wall(const struct kn_wall *w)
{
    return w->kind == KN_WALL_DIFFUSE && w->accommodation > 0;
}

void kn_validity_judge_oscillation(struct kn_validity *v, const struct kn_case *c, double time_step)
{
    double fastest = 0;
    for (int side = 0; side < KN_SIDES; side++) {
        const struct kn_oscillation *o = &c->walls[side].oscillation;
        const int axis = side / 2;
        if (!(o->frequency > 0) || kn_space_is_uniform(c, axis))
            continue;
        fastest = fmax(fastest, o->frequency);
        if (is_wall(&c->walls[side]) && is_wall(&c->walls[side ^ 1]))
            judge_nodes(v, c, axis, o->frequency);
        judge_stroke(v, c, axis, o);
    }
    if (fastest > 0)
        judge_steps(v, fastest, time_step);
}
