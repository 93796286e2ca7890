/* Cells, time step and velocity nodes against mean free path, mean free time and Knudsen number.
 *
 * The estimates are fits to runs of Couette, Poiseuille and cavity flow (BGK, 8 nodes) against the same flows
 * on finer grids; docs/theory.md, section 14, has the figures.  Lengths are in lambda0, times in
 * lambda0 / V0. */
#include "validity/validity.h"

#include "config/case.h"
#include "config/scales.h"
#include "grid/duration.h"
#include "validity/nodes.h"

#include <math.h>
#include <string.h>

/* The part of the resistance between walls in the bulk of the gas; the rest is slip, which has no error. */
static double bulk(const struct kn_case *c, int axis, double density)
{
    const double delta = kn_duration_length(c, axis) * density;
    return delta / (delta + 2);
}

static bool is_driven(const double vector[3])
{
    return vector[0] != 0 || vector[1] != 0 || vector[2] != 0;
}

/* The length over which a profile along an axis is curved; infinite if it is straight, as between two
 * plates.  Straight profiles are exact above first order. */
static double curvature_length(const struct kn_case *c, int axis)
{
    const double length = kn_duration_length(c, axis);
    double least = INFINITY;
    if (is_driven(c->source.force) || kn_nodes_count_emitters(c) > 1)
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
    if (c->initial.shape == KN_SHAPE_BETWEEN && kn_case_inflow_axis(c) == axis)
        least = fmin(least, 4); /* a shock */
    return least;
}

/* True if the profile is curved in other ways than a parabola away from the walls. */
static bool has_waves(const struct kn_case *c, int axis)
{
    bool sound = false;
    for (int side = 2 * axis; side < 2 * axis + 2; side++)
        sound = sound || c->walls[side].oscillation.velocity[axis] != 0;
    return sound || kn_nodes_count_emitters(c) > 1 || c->initial.wave[axis] > 0 ||
           c->initial.shape == KN_SHAPE_BETWEEN;
}

/* At order 3 the cells next to walls, whose slopes are one-sided, determine the error of a curved profile. If
 * the profile has a third derivative, all cells do.  The error is the 2.8th power of their width. */
static double decisive_width(const struct kn_case *c, int axis)
{
    const int last = c->space.cells[axis] - 1;
    double widest = has_waves(c, axis) ? kn_case_mean_width(c, axis, 2.8) : 0;
    for (int end = 0; end < 2; end++)
        if (kn_duration_is_diffuse(&c->walls[2 * axis + end]))
            widest = fmax(widest, pow(kn_case_width(c, axis, end ? last : 0), 2.8));
    return widest;
}

struct estimate {
    double error;
    double power; /* the error falls with this power of the number of cells */
    int axis;
};

static void keep_larger(struct estimate *e, double error, double power, int axis)
{
    if (error > e->error)
        *e = (struct estimate){error, power, axis};
}

/* Order 1 adds a viscosity proportional to the width of the cells, which damps vortices in a box at any
 * Knudsen number.  The error of orders 2 and 3 grows with about the third power of the width.  The stress
 * jumps at corners and converges more slowly there. */
static struct estimate estimate_cells(const struct kn_case *c, double density)
{
    struct estimate e = {0, 1, 0};
    const bool box = kn_nodes_count_emitters(c) > 1;
    density = c->collision.method == KN_METHOD_NONE ? 0 : density;
    for (int d = 0; d < 3; d++) {
        if (kn_case_is_uniform(c, d))
            continue;
        const double width = kn_case_mean_width(c, d, 1), curved = curvature_length(c, d);
        if (c->space.order == 1)
            keep_larger(&e, 0.52 * density * width * bulk(c, d, density), 1, d);
        if (c->space.order == 1 && box && kn_nodes_has_emitter(c, d))
            keep_larger(&e, 3 * width / kn_duration_length(c, d), 1, d);
        if (c->space.order == 2 && isfinite(curved))
            keep_larger(&e, 1.67 * density * kn_case_mean_width(c, d, 2.8) / pow(curved, 1.8), 2.8, d);
        if (c->space.order == 3 && isfinite(curved))
            keep_larger(&e, 0.8 * density * decisive_width(c, d) / pow(curved, 1.8), 2.8, d);
        if (c->space.order < 3 && box && kn_nodes_has_emitter(c, d))
            keep_larger(&e, 0.035 * pow(density, 1.6) * kn_case_mean_width(c, d, 1.6), 1.6, d);
        if (c->space.order == 3 && box && kn_nodes_has_emitter(c, d))
            keep_larger(&e, 0.014 * density * density * kn_case_mean_width(c, d, 2), 2, d);
    }
    return e;
}

/* "space.cells: [120, 120] brings it to 0.5 %", or order 3. */
static void advise_cells(const struct kn_case *c, double density, const struct estimate *e,
                         char text[KN_VALIDITY_TEXT])
{
    const double goal = KN_VALIDITY_WARN / 2;
    struct kn_case other = *c;
    char cells[96] = "";
    other.space.order = 3;
    struct estimate now = c->space.order < 3 ? estimate_cells(&other, density) : *e;
    int places = 0;
    if (now.error > goal) {
        const double factor = pow(now.error / goal, 1 / now.power);
        for (int d = 0; d < 3; d++)
            if (!kn_case_is_uniform(c, d)) {
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
             c->space.order < 3 ? "space.order: 3" : "", c->space.order < 3 && places ? " and " : "",
             places ? "space.cells: " : "", places > 1 ? "[" : "", cells, places > 1 ? "]" : "",
             KN_VALIDITY_PERCENT(now.error));
}

void kn_validity_judge_cells(struct kn_validity *v, const struct kn_case *c, double density)
{
    const struct estimate e = estimate_cells(c, density);
    char advice[KN_VALIDITY_TEXT];
    if (e.error < KN_VALIDITY_WARN)
        return;
    advise_cells(c, density, &e, advice);
    kn_validity_add(v, KN_VALIDITY_WARN, "cells", e.error,
                    "%scells along %c are %.2g mean free paths wide: expect an error of %s (%s)",
                    c->space.order == 1 ? "streaming is of first order and " : "", "xyz"[e.axis],
                    density * kn_case_mean_width(c, e.axis, 1) / KN_SCALES_FREE_PATH,
                    KN_VALIDITY_PERCENT(e.error), advice);
}

/* Molecules fly freely for a whole step, which adds x coth x - 1 of the viscosity, x = dt / 2. */
static void judge_step(struct kn_validity *v, const struct kn_case *c)
{
    const double x = v->time_step / 2;
    double most = 0;
    for (int d = 0; d < 3; d++)
        if (!kn_case_is_uniform(c, d))
            most = fmax(most, bulk(c, d, 1));
    const double error = c->collision.method == KN_METHOD_NONE ? 0 : most * (x / tanh(x) - 1);
    kn_validity_add(v, KN_VALIDITY_WARN, "time-step", error,
                    "a time step is %.2g mean free times long: expect an error of %s (time.step: 0.1 brings "
                    "it to 0.1 %%)",
                    v->time_step, KN_VALIDITY_PERCENT(error));
}

/* Opposite drives at the two ends of an axis do not excite the slowest mode. */
static bool is_antisymmetric(const struct kn_case *c, int axis)
{
    const struct kn_wall *low = &c->walls[2 * axis], *high = low + 1;
    bool opposite =
        low->temperature == -high->temperature && kn_case_points(low) == 1 && kn_case_points(high) == 1;
    for (int d = 0; d < 3; d++)
        opposite = opposite && low->velocity[d] == -high->velocity[d] && c->source.force[d] == 0;
    return opposite;
}

/* The slowest rate at which the gas between walls becomes steady by diffusion; infinite if there is no
 * steady state to reach. */
static double slowest_rate(const struct kn_case *c)
{
    double rate = 0;
    for (int d = 0; d < 3; d++) {
        if (kn_nodes_has_emitter(c, d))
            rate += (kn_nodes_count_emitters(c) == 1 && is_antisymmetric(c, d) ? 2 : 0.5) *
                    pow(M_PI / kn_duration_length(c, d), 2);
    }
    return rate > 0 && !kn_duration_oscillates(c) ? rate : INFINITY;
}

/* h is stored in single precision: when a step changes it by less than its last digit, the gas stops changing
 * before it is steady.  Noise prevents that. */
static void judge_rounding(struct kn_validity *v, const struct kn_case *c)
{
    const double error = 2e-7 / (slowest_rate(c) * v->time_step), longest = 0.3;
    if (c->collision.method == KN_METHOD_NONE || kn_case_is_sampled(c->collision.method))
        return;
    kn_validity_add(
        v, KN_VALIDITY_WARN, "rounding", error,
        "the gas is so dense that the steady state is reached to %s only: single precision "
        "cannot resolve the change in a step of %.2g mean free times (time.mode: steady has no such limit; "
        "time.step: %g brings it to %s)",
        KN_VALIDITY_PERCENT(error), v->time_step, longest,
        KN_VALIDITY_PERCENT(error * v->time_step / longest));
}

/* In a box, jumps at the corners travel along the discrete velocities into the profiles, with a part of the
 * speed or temperature of the walls.  Their effect on integrals such as D and G is small. */
static double box_error(const struct kn_case *c, int nodes)
{
    double shortest = INFINITY;
    for (int d = 0; d < 3; d++)
        if (kn_nodes_has_emitter(c, d))
            shortest = fmin(shortest, kn_duration_length(c, d));
    const double delta = c->collision.method == KN_METHOD_NONE ? 0 : shortest;
    return 3.0 / ((double)nodes * nodes) * exp(-0.6 * delta);
}

static void judge_box(struct kn_validity *v, const struct kn_case *c)
{
    const double noticed = 0.03, goal = 0.0125;
    int nodes = 64;
    for (int d = 0; d < 3; d++)
        if (!kn_case_is_uniform(c, d))
            nodes = c->velocity.nodes[d] < nodes ? c->velocity.nodes[d] : nodes;
    const double error = box_error(c, nodes);
    int enough = nodes;
    while (enough < 64 && box_error(c, enough) > goal)
        enough += 2;
    kn_validity_add(v, noticed, "rays", error,
                    "%d velocity nodes are few for this rarefied gas: profiles are wrong by up to %s of the "
                    "wall values (ray effects), integrated quantities by less (velocity.nodes: %d brings it "
                    "to about 1 %%)",
                    nodes, KN_VALIDITY_PERCENT(error), enough);
}

/* In a channel, a force or a temperature gradient along it drives mostly the molecules that move nearly
 * parallel to the walls: few nodes across the gap do not represent them. */
static void judge_channel(struct kn_validity *v, const struct kn_case *c, int axis)
{
    const char *what;
    const int nodes = c->velocity.nodes[axis];
    const double error = kn_nodes_error(c, axis, nodes, &what);
    int wanted[3], enough = nodes;
    while (enough < 64 && kn_nodes_error(c, axis, enough, &what) > KN_VALIDITY_WARN / 2)
        enough += 2;
    for (int d = 0; d < 3; d++)
        wanted[d] = d == axis ? enough : c->velocity.nodes[d];
    char advice[KN_VALIDITY_TEXT] = "this is the largest number";
    if (enough > nodes)
        snprintf(advice, sizeof advice, "velocity.nodes: [%d, %d, %d] brings it to %s", wanted[0], wanted[1],
                 wanted[2], KN_VALIDITY_PERCENT(kn_nodes_error(c, axis, enough, &what)));
    kn_validity_add(
        v, KN_VALIDITY_WARN, "rays", error,
        "%d velocity nodes along %c are few for this rarefied gas: expect an error of about %s in %s (%s)",
        nodes, "xyz"[axis], KN_VALIDITY_PERCENT(error), what, advice);
}

void kn_validity_judge_grid(struct kn_validity *v, const struct kn_case *c)
{
    double densest = 1; /* of the gas at rest and the inflows, n0 */
    for (int side = 0; side < KN_SIDES; side++)
        if (c->walls[side].kind == KN_WALL_INFLOW)
            densest = fmax(densest, 1 + c->disturbance * c->walls[side].density);
    kn_validity_judge_cells(v, c, densest);
    if (!kn_case_iterates(c)) {
        judge_step(v, c);
        judge_rounding(v, c);
    }
    if (kn_nodes_count_emitters(c) > 1)
        judge_box(v, c);
    else
        for (int d = 0; d < 3; d++)
            if (kn_nodes_has_emitter(c, d))
                judge_channel(v, c, d);
}
