/* Cells, time step and velocity nodes against mean free path, mean free time and Knudsen number.
 *
 * The estimates are fits to runs of Couette, Poiseuille and cavity flow (BGK, 8 nodes) against the same flows
 * on finer grids; docs/theory.md, section 14, has the figures.  Lengths are in lambda0, times in
 * lambda0 / V0. */
#include "validity/validity.h"

#include "collision/collision.h"
#include "config/scales.h"

#include <math.h>
#include <string.h>

static double length_of(const struct kn_case *c, int axis)
{
    return c->gas.delta * c->space.size[axis];
}

/* How much of the resistance between walls is in the bulk of the gas; the rest is slip, which has no error.
 */
static double bulk(const struct kn_case *c, int axis, double density)
{
    const double delta = length_of(c, axis) * density;
    return delta / (delta + 2);
}

static bool has_emitter(const struct kn_case *c, int axis)
{
    for (int side = 2 * axis; side < 2 * axis + 2; side++)
        if (c->walls[side].kind == KN_WALL_DIFFUSE && c->walls[side].accommodation > 0)
            return true;
    return false;
}

static int count_emitters(const struct kn_case *c)
{
    int count = 0;
    for (int d = 0; d < 3; d++)
        count += !kn_space_is_uniform(c, d) && has_emitter(c, d);
    return count;
}

static bool is_driven(const double vector[3])
{
    return vector[0] != 0 || vector[1] != 0 || vector[2] != 0;
}

/* -------------------------------------------------------------------- cells */

/* The length over which a profile along an axis is curved; infinite where it is straight, as between two
 * plates.  Straight profiles are exact at second order. */
static double curvature_length(const struct kn_case *c, int axis)
{
    const double length = length_of(c, axis);
    double least = INFINITY;
    if (is_driven(c->source.force) || count_emitters(c) > 1)
        least = length;
    for (int side = 2 * axis; side < 2 * axis + 2; side++) {
        const struct kn_oscillation *o = &c->walls[side].oscillation;
        const bool sound = o->velocity[axis] != 0, shear = is_driven(o->velocity) || o->temperature != 0;
        if (o->frequency > 0 && shear) /* a few times the depth sqrt(2 nu / omega), or a wavelength */
            least = fmin(least, fmin(length, sound ? 2 * M_PI * sqrt(5.0 / 6) / o->frequency
                                                   : 4 / sqrt(o->frequency)));
    }
    if (c->initial.wave[axis] > 0 && c->initial.shape != KN_SHAPE_REST)
        least = fmin(least, length / c->initial.wave[axis] / 2);
    if (c->initial.shape == KN_SHAPE_BETWEEN && kn_space_inflow_axis(c) == axis)
        least = fmin(least, 4); /* a shock */
    return least;
}

struct estimate {
    double error;
    double power; /* of the number of cells, that it falls with */
    int axis;
};

static void keep_larger(struct estimate *e, double error, double power, int axis)
{
    if (error > e->error)
        *e = (struct estimate){error, power, axis};
}

/* Order 1 adds a viscosity of half a cell per step of the molecules, and in a box smears vortices at any
 * Knudsen number; order 2 has an error that grows with the third power of the width.  Where walls meet in
 * corners, stress jumps there and converges more slowly. */
static struct estimate estimate_cells(const struct kn_case *c, double density)
{
    struct estimate e = {0, 1, 0};
    const bool box = count_emitters(c) > 1;
    density = c->collision.method == KN_METHOD_NONE ? 0 : density;
    for (int d = 0; d < 3; d++) {
        if (kn_space_is_uniform(c, d))
            continue;
        const double width = kn_space_mean_width(c, d, 1), curved = curvature_length(c, d);
        if (c->space.order == 1)
            keep_larger(&e, 0.52 * density * width * bulk(c, d, density), 1, d);
        if (c->space.order == 1 && box && has_emitter(c, d))
            keep_larger(&e, 3 * width / length_of(c, d), 1, d);
        if (c->space.order == 2 && isfinite(curved))
            keep_larger(&e, 1.67 * density * kn_space_mean_width(c, d, 2.8) / pow(curved, 1.8), 2.8, d);
        if (box && has_emitter(c, d))
            keep_larger(&e, 0.035 * pow(density, 1.6) * kn_space_mean_width(c, d, 1.6), 1.6, d);
    }
    return e;
}

/* "space.cells: [120, 120] brings it to 0.5 %", or the other order. */
static void advise_cells(const struct kn_case *c, double density, const struct estimate *e,
                         char text[KN_VALIDITY_TEXT])
{
    const double goal = KN_VALIDITY_WARN / 2;
    struct kn_case other = *c;
    char percent[32], cells[96] = "";
    other.space.order = 2;
    struct estimate now = c->space.order == 1 ? estimate_cells(&other, density) : *e;
    int places = 0;
    if (now.error > goal) {
        const double factor = pow(now.error / goal, 1 / now.power);
        for (int d = 0; d < 3; d++)
            if (!kn_space_is_uniform(c, d)) {
                const double wanted = 10 * ceil(c->space.cells[d] * factor / 10);
                other.space.cells[d] = (int)fmin(wanted, 1e6);
                other.space.stretch[d] = pow(c->space.stretch[d], c->space.cells[d] / wanted);
                places++;
                snprintf(cells + strlen(cells), sizeof cells - strlen(cells), "%s%d", *cells ? ", " : "",
                         other.space.cells[d]);
            }
        now = estimate_cells(&other, density);
    }
    snprintf(text, KN_VALIDITY_TEXT, "%s%s%s%s%s%s brings it to %s",
             c->space.order == 1 ? "space.order: 2" : "", c->space.order == 1 && places ? " and " : "",
             places ? "space.cells: " : "", places > 1 ? "[" : "", cells, places > 1 ? "]" : "",
             kn_validity_percent(now.error, percent));
}

void kn_validity_judge_cells(struct kn_validity *v, const struct kn_case *c, double density)
{
    const struct estimate e = estimate_cells(c, density);
    const enum kn_level level = kn_validity_level(e.error, KN_LEVEL_WARNING);
    char percent[32], advice[KN_VALIDITY_TEXT];
    if (level == KN_LEVEL_SILENT)
        return;
    advise_cells(c, density, &e, advice);
    kn_validity_add(v, level, "cells", e.error,
                    "%scells along %c are %.2g mean free paths wide: expect an error of %s (%s)",
                    c->space.order == 1 ? "streaming is of first order and " : "", "xyz"[e.axis],
                    density * kn_space_mean_width(c, e.axis, 1) / KN_SCALES_FREE_PATH,
                    kn_validity_percent(e.error, percent), advice);
}

/* ---------------------------------------------------------------- time step */

/* Molecules fly freely for a whole step, which adds x coth x - 1 of the viscosity, x = dt / 2. */
void kn_validity_judge_step(struct kn_validity *v, const struct kn_case *c, double time_step)
{
    const double x = time_step / 2;
    double most = 0;
    for (int d = 0; d < 3; d++)
        if (!kn_space_is_uniform(c, d))
            most = fmax(most, bulk(c, d, 1));
    const double error = c->collision.method == KN_METHOD_NONE ? 0 : most * (x / tanh(x) - 1);
    char percent[32];
    kn_validity_add(v, kn_validity_level(error, KN_LEVEL_WARNING), "time-step", error,
                    "a time step is %.2g mean free times long: expect an error of %s (time.step: 0.1 brings "
                    "it to 0.1 %%)",
                    time_step, kn_validity_percent(error, percent));
}

/* ---------------------------------------------------------------- rounding */

/* Opposite drives at the two ends of an axis, which leave the slowest mode alone. */
static bool is_antisymmetric(const struct kn_case *c, int axis)
{
    const struct kn_wall *low = &c->walls[2 * axis], *high = low + 1;
    bool opposite = low->temperature == -high->temperature;
    for (int d = 0; d < 3; d++)
        opposite = opposite && low->velocity[d] == -high->velocity[d] && c->source.force[d] == 0;
    return opposite;
}

/* The slowest rate at which the gas between walls becomes steady, by diffusion; infinite where nothing waits
 * for that. */
static double slowest_rate(const struct kn_case *c)
{
    double rate = 0;
    for (int d = 0; d < 3; d++) {
        const struct kn_wall *low = &c->walls[2 * d], *high = low + 1;
        if (low->oscillation.frequency > 0 || high->oscillation.frequency > 0)
            return INFINITY;
        if (!kn_space_is_uniform(c, d) && has_emitter(c, d))
            rate +=
                (count_emitters(c) == 1 && is_antisymmetric(c, d) ? 2 : 0.5) * pow(M_PI / length_of(c, d), 2);
    }
    return rate > 0 ? rate : INFINITY;
}

/* h is kept in single precision: when a step changes it by less than its last digit, the gas stands still
 * before it is steady.  Noise prevents that. */
void kn_validity_judge_rounding(struct kn_validity *v, const struct kn_case *c, double time_step)
{
    const double error = 2e-7 / (slowest_rate(c) * time_step), longest = 0.3;
    char percent[32], better[32];
    if (c->collision.method == KN_METHOD_NONE || kn_collision_is_noisy(c))
        return;
    kn_validity_add(
        v, kn_validity_level(error, KN_LEVEL_WARNING), "rounding", error,
        "the gas is so dense that the steady state is reached to %s only: single precision "
        "cannot resolve the change in a step of %.2g mean free times (time.step: %g brings it to %s)",
        kn_validity_percent(error, percent), time_step, longest,
        kn_validity_percent(error * time_step / longest, better));
}

/* --------------------------------------------------------------------- rays */

/* In a channel, flow that a force or a temperature gradient drives along it is carried by the molecules that
 * fly nearly along it: few nodes across the gap miss them. */
static double channel_error(const struct kn_case *c, int axis, int nodes)
{
    const double force = is_driven(c->source.force) ? 0.7 : 0,
                 creep = is_driven(c->source.temperature_gradient) ? 1.3 : 0;
    return fmin(fmax(force, creep) * exp(-0.26 * nodes - 2.2) / pow(length_of(c, axis), 1.1), 0.5);
}

/* In a box, jumps at the corners travel along the discrete velocities and show in the profiles, as a part of
 * the speed or temperature of the walls.  Integrals such as D and G hardly feel them. */
static double box_error(const struct kn_case *c, int nodes)
{
    double shortest = INFINITY;
    for (int d = 0; d < 3; d++)
        if (!kn_space_is_uniform(c, d) && has_emitter(c, d))
            shortest = fmin(shortest, length_of(c, d));
    const double delta = c->collision.method == KN_METHOD_NONE ? 0 : shortest;
    return 3.0 / ((double)nodes * nodes) * exp(-0.6 * delta);
}

/* The least number of nodes for which an error is small enough. */
static int find_nodes(const struct kn_case *c, int nodes, int axis, double goal)
{
    while (nodes < 64 && (axis < 0 ? box_error(c, nodes) : channel_error(c, axis, nodes)) > goal)
        nodes += 2;
    return nodes;
}

static void judge_box(struct kn_validity *v, const struct kn_case *c)
{
    const double noticed = 0.03, goal = 0.0125;
    int nodes = 64;
    for (int d = 0; d < 3; d++)
        if (!kn_space_is_uniform(c, d))
            nodes = c->velocity.nodes[d] < nodes ? c->velocity.nodes[d] : nodes;
    const double error = box_error(c, nodes);
    if (error > noticed) {
        char percent[32];
        kn_validity_add(
            v, KN_LEVEL_WARNING, "rays", error,
            "%d velocity nodes are few for this rarefied gas: profiles are wrong by up to %s of the "
            "wall values (ray effects), integrated quantities by less (velocity.nodes: %d brings it "
            "to about 1 %%)",
            nodes, kn_validity_percent(error, percent), find_nodes(c, nodes, -1, goal));
    }
}

static void judge_channel(struct kn_validity *v, const struct kn_case *c, int axis)
{
    const int nodes = c->velocity.nodes[axis], enough = find_nodes(c, nodes, axis, KN_VALIDITY_WARN / 2);
    const double error = channel_error(c, axis, nodes);
    char percent[32], better[32];
    int wanted[3];
    for (int d = 0; d < 3; d++)
        wanted[d] = d == axis ? enough : c->velocity.nodes[d];
    kn_validity_add(
        v, kn_validity_level(error, KN_LEVEL_WARNING), "rays", error,
        "%d velocity nodes across the channel are few for this rarefied gas: expect an error of about "
        "%s in the flow rate (velocity.nodes: [%d, %d, %d] brings it to %s)",
        nodes, kn_validity_percent(error, percent), wanted[0], wanted[1], wanted[2],
        kn_validity_percent(channel_error(c, axis, enough), better));
}

void kn_validity_judge_rays(struct kn_validity *v, const struct kn_case *c)
{
    if (count_emitters(c) > 1)
        judge_box(v, c);
    else
        for (int d = 0; d < 3; d++)
            if (!kn_space_is_uniform(c, d) && has_emitter(c, d))
                judge_channel(v, c, d);
}
