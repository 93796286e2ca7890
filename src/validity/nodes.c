/* Chooses the number of velocity nodes: the least for which the measured errors are below velocity.accuracy.
 *
 * The errors are those of the BGK equation on the Gauss grid; docs/theory.md, section 4, describes the
 * measurement. */
#include "validity/nodes.h"

#include "config/case.h"
#include "config/config.h"
#include "config/reference.h"
#include "error.h"
#include "grid/duration.h"
#include "validity/validity.h"

#include <math.h>

enum { LEAST = 8, MOST = 64, MOST_EMISSION = 32, COLUMNS = 8, ROWS = 10 };
enum flow { PLATES, FORCE, CREEP, BOX, FLOWS };

static const int nodes_of[COLUMNS] = {8, 12, 16, 20, 24, 32, 48, 64};
static const double delta_of[ROWS] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10}; /* of the gap */

/* Error in per cent, [flow][delta][nodes]: the largest for this or a larger number of nodes, and for a delta
 * up to 1.35 times larger or smaller, because the error changes its sign with both. */
static const double error_of[FLOWS][ROWS][COLUMNS] = {
    /* clang-format off */
    [PLATES] = { /* stress or heat flux between plates */
        {0.017, 0.012, 0.0092, 0.0071, 0.0055, 0.0033, 0.0011, 0.001},
        {0.045, 0.029, 0.019, 0.013, 0.0086, 0.0038, 0.0011, 0.001},
        {0.13, 0.064, 0.03, 0.015, 0.0088, 0.0025, 0.001, 0.001},
        {0.22, 0.07, 0.029, 0.011, 0.0047, 0.0024, 0.001, 0.001},
        {0.24, 0.06, 0.013, 0.0079, 0.005, 0.0013, 0.001, 0.001},
        {0.16, 0.027, 0.012, 0.0031, 0.002, 0.001, 0.001, 0.001},
        {0.077, 0.015, 0.0054, 0.0026, 0.001, 0.001, 0.001, 0.001},
        {0.057, 0.011, 0.0014, 0.001, 0.001, 0.001, 0.001, 0.001},
        {0.052, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001},
        {0.0046, 0.0011, 0.0011, 0.0011, 0.001, 0.001, 0.001, 0.001},
    },
    [FORCE] = { /* flow rate of a channel, driven by a force */
        {44, 34, 28, 23, 19, 13, 6.7, 3.3},
        {37, 27, 20, 15, 11, 6.6, 1.9, 0.33},
        {26, 16, 9.5, 5.6, 3.2, 0.75, 0.27, 0.16},
        {17, 7.5, 3, 0.92, 0.42, 0.35, 0.078, 0.018},
        {8, 1.5, 0.57, 0.48, 0.34, 0.065, 0.019, 0.002},
        {1.2, 0.74, 0.24, 0.035, 0.031, 0.0067, 0.0016, 0.001},
        {1.2, 0.11, 0.04, 0.012, 0.0055, 0.0018, 0.001, 0.001},
        {0.23, 0.032, 0.0091, 0.0044, 0.001, 0.001, 0.001, 0.001},
        {0.023, 0.0091, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001},
        {0.02, 0.0046, 0.0034, 0.0019, 0.001, 0.001, 0.001, 0.001},
    },
    [CREEP] = { /* flow rate of a channel, driven by a temperature gradient */
        {53, 42, 34, 28, 23, 16, 8.1, 4},
        {46, 33, 25, 19, 14, 8.2, 2.4, 0.41},
        {34, 20, 12, 7.3, 4.1, 0.98, 0.36, 0.21},
        {23, 10, 4.1, 1.2, 0.59, 0.47, 0.11, 0.025},
        {11, 2.1, 0.85, 0.69, 0.49, 0.092, 0.027, 0.003},
        {2.2, 1.2, 0.36, 0.058, 0.05, 0.01, 0.0024, 0.001},
        {2.1, 0.16, 0.071, 0.019, 0.0098, 0.0029, 0.001, 0.001},
        {0.32, 0.064, 0.019, 0.0082, 0.001, 0.001, 0.001, 0.001},
        {0.085, 0.022, 0.0033, 0.0017, 0.001, 0.001, 0.001, 0.001},
        {0.079, 0.0087, 0.0027, 0.0014, 0.0012, 0.001, 0.001, 0.001},
    },
    [BOX] = { /* drag and vortex of a cavity */
        {0.017, 0.012, 0.0092, 0.0071, 0.0055, 0.0033, 0.0011, 0.001},
        {0.045, 0.029, 0.019, 0.013, 0.0086, 0.0038, 0.0011, 0.001},
        {0.13, 0.064, 0.03, 0.015, 0.0088, 0.0025, 0.001, 0.001},
        {0.22, 0.07, 0.029, 0.011, 0.0047, 0.0024, 0.001, 0.001},
        {0.24, 0.06, 0.013, 0.0079, 0.005, 0.0013, 0.001, 0.001},
        {0.16, 0.027, 0.012, 0.0031, 0.002, 0.001, 0.001, 0.001},
        {0.077, 0.015, 0.0054, 0.0026, 0.001, 0.001, 0.001, 0.001},
        {0.057, 0.011, 0.0014, 0.001, 0.001, 0.001, 0.001, 0.001},
        {0.052, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001},
        {0.0046, 0.0011, 0.0011, 0.0011, 0.001, 0.001, 0.001, 0.001},
    },
    /* clang-format on */
};

static const char *const names[FLOWS] = {
    [PLATES] = "the fluxes between the walls",
    [FORCE] = "a flow driven by a force",
    [CREEP] = "a flow driven by a temperature gradient",
    [BOX] = "the fluxes at the walls of a box",
};

/* Hard spheres and other molecules on the whole grid have larger errors than BGK on a reduced one.  Along
 * axes along which the gas is uniform, the operator has an error too: with 8 nodes, and its decrease per
 * node. */
static const double OPERATOR = 1.6, UNIFORM = 0.001, DECREASE = 0.3;

bool kn_nodes_has_emitter(const struct kn_case *c, int axis)
{
    const struct kn_wall *low = &c->walls[2 * axis], *high = low + 1;
    return !kn_case_is_uniform(c, axis) && (kn_duration_is_diffuse(low) || kn_duration_is_diffuse(high));
}

int kn_nodes_count_emitters(const struct kn_case *c)
{
    return kn_nodes_has_emitter(c, 0) + kn_nodes_has_emitter(c, 1) + kn_nodes_has_emitter(c, 2);
}

static bool is_driven(const double vector[3])
{
    return vector[0] != 0 || vector[1] != 0 || vector[2] != 0;
}

static enum flow find_flow(const struct kn_case *c)
{
    if (is_driven(c->source.temperature_gradient))
        return CREEP;
    if (is_driven(c->source.force))
        return FORCE;
    return kn_nodes_count_emitters(c) > 1 ? BOX : PLATES;
}

/* Logarithm of an entry; row and column may lie between two of the table or before the first. */
static double look_up(enum flow flow, double row, double column)
{
    const int i = (int)fmin(fmax(floor(row), 0), ROWS - 2), j = (int)fmin(fmax(floor(column), 0), COLUMNS - 2);
    const double p = row - i, q = column - j;
    const double(*at)[COLUMNS] = &error_of[flow][i];
    return (1 - p) * ((1 - q) * log(at[0][j]) + q * log(at[0][j + 1])) +
           p * ((1 - q) * log(at[1][j]) + q * log(at[1][j + 1]));
}

/* The place of a delta among the rows, linear in its logarithm; dense gas is that of the last row. */
static double find_row(double delta)
{
    int i = 0;
    while (i < ROWS - 2 && delta > delta_of[i + 1])
        i++;
    return fmin(i + log(delta / delta_of[i]) / log(delta_of[i + 1] / delta_of[i]), ROWS - 1);
}

static double find_column(int nodes)
{
    int j = 0;
    while (j < COLUMNS - 2 && nodes > nodes_of[j + 1])
        j++;
    return j + (double)(nodes - nodes_of[j]) / (nodes_of[j + 1] - nodes_of[j]);
}

double kn_nodes_error(const struct kn_case *c, int axis, int nodes, const char **what)
{
    const enum flow flow = find_flow(c);
    const bool operates = c->collision.method == KN_METHOD_OPERATOR;
    *what = names[flow];
    if (!kn_nodes_has_emitter(c, axis))
        return operates && kn_case_is_uniform(c, axis) ? UNIFORM * exp(-DECREASE * (nodes - LEAST)) : 0;
    const double row = find_row(kn_duration_length(c, axis)), column = find_column(nodes);
    const double factor = operates ? OPERATOR : 1;
    return fmin(factor * exp(look_up(flow, row, column)) / 100, 0.5);
}

static int most_nodes(const struct kn_case *c)
{
    return c->collision.method == KN_METHOD_OPERATOR ? KN_OPERATOR_NODES : MOST;
}

/* The error along an axis: of the table, or of an oscillation at the opposite wall. */
static double axis_error(const struct kn_case *c, int axis, int nodes, const char **what)
{
    const double error = kn_nodes_error(c, axis, nodes, what), wave = kn_validity_wave(c, axis, nodes);
    if (wave > error)
        *what = "an oscillation that reaches the opposite wall";
    return fmax(wave, error);
}

/* The least number with a small error, at most that of the method. */
static int choose_axis(const struct kn_case *c, int axis)
{
    const char *what;
    int nodes = LEAST;
    while (nodes < most_nodes(c) && axis_error(c, axis, nodes, &what) > c->velocity.accuracy)
        nodes += 2;
    return nodes;
}

/* Walls and inflows that differ much from the reference state need more nodes along all axes.  A case for
 * which no such number is enough keeps the others; its check warns or refuses. */
static enum kn_status widen(struct kn_case *c, const bool automatic[3])
{
    struct kn_case wider = *c;
    double error;
    for (int nodes = LEAST; nodes <= MOST_EMISSION && nodes <= most_nodes(c); nodes += 2) {
        for (int d = 0; d < 3; d++)
            if (automatic[d] && wider.velocity.nodes[d] < nodes)
                wider.velocity.nodes[d] = nodes;
        KN_TRY(kn_validity_emission(&wider, &error));
        if (error <= c->velocity.accuracy) {
            *c = wider;
            return KN_OK;
        }
    }
    return KN_OK;
}

enum kn_status kn_nodes_choose(struct kn_case *c)
{
    bool automatic[3];
    struct kn_case chosen = *c;
    for (int d = 0; d < 3; d++) {
        automatic[d] = c->velocity.nodes[d] == KN_NODES_AUTO;
        if (automatic[d])
            chosen.velocity.nodes[d] = choose_axis(c, d);
    }
    if (!automatic[0] && !automatic[1] && !automatic[2])
        return KN_OK;
    KN_TRY(widen(&chosen, automatic));
    *c = chosen;
    return KN_OK;
}

bool kn_nodes_text(const struct kn_case *c, int axis, char *text)
{
    struct kn_case chosen = *c;
    const char *what;
    if (c->velocity.nodes[axis] != KN_NODES_AUTO || kn_nodes_choose(&chosen) != KN_OK)
        return false;
    const int nodes = chosen.velocity.nodes[axis];
    const double error = axis_error(c, axis, nodes, &what);
    size_t n = (size_t)snprintf(text, KN_TEXT, "%d nodes along %c: ", nodes, "xyz"[axis]);
    if (kn_case_is_reduced(c, axis))
        snprintf(text + n, KN_TEXT - n, "without effect, since the axis is reduced");
    else if (kn_case_is_uniform(c, axis))
        snprintf(text + n, KN_TEXT - n, "the gas is uniform along this axis%s%s", error > 0 ? ": " : "",
                 error > 0 ? KN_VALIDITY_PERCENT(error) : "");
    else if (error == 0)
        snprintf(text + n, KN_TEXT - n, "no wall along this axis needs more");
    else
        snprintf(text + n, KN_TEXT - n, "%s at delta %.3g %s an error of %s (velocity.accuracy: %g)", what,
                 kn_duration_length(c, axis), error > c->velocity.accuracy ? "has at best" : "has",
                 KN_VALIDITY_PERCENT(error), c->velocity.accuracy);
    return true;
}
