/* Chooses the number of velocity nodes: the least for which the measured errors are below velocity.accuracy.
 *
 * The errors are those of the BGK equation on the Gauss grid; docs/theory.md, section 4, has the
 * measurements. */
#include "validity/nodes.h"

#include "config/case.h"
#include "config/config.h"
#include "config/reference.h"
#include "error.h"
#include "grid/duration.h"
#include "validity/validity.h"

#include <math.h>

enum { LEAST = 8, MOST = 64, MOST_EMISSION = 32, COLUMNS = 8, MOST_ROWS = 13 };
enum flow { PLATES, FORCE, CREEP, BOX, FLOWS };

static const int nodes_of[COLUMNS] = {8, 12, 16, 20, 24, 32, 48, 64};

/* Errors by delta of the gap and by number of nodes: the largest for this or a larger number, because the
 * error changes its sign. */
static const struct table {
    const char *name;
    int rows;
    struct {
        double delta, percent[COLUMNS];
    } row[MOST_ROWS];
} tables[FLOWS] = {
    /* clang-format off */
    [PLATES] = {"the fluxes between the walls", 13, { /* stress or heat flux between plates */
        {0.01, {0.011, 0.008, 0.0063, 0.005, 0.004, 0.0026, 0.0011, 0.001}},
        {0.02, {0.03, 0.021, 0.015, 0.01, 0.0075, 0.0038, 0.001, 0.001}},
        {0.05, {0.096, 0.053, 0.029, 0.015, 0.0073, 0.001, 0.001, 0.001}},
        {0.1, {0.18, 0.07, 0.023, 0.0048, 0.0029, 0.0024, 0.001, 0.001}},
        {0.2, {0.24, 0.039, 0.0085, 0.0079, 0.0041, 0.001, 0.001, 0.001}},
        {0.35, {0.17, 0.018, 0.013, 0.0026, 0.0013, 0.001, 0.001, 0.001}},
        {0.5, {0.073, 0.027, 0.0047, 0.0024, 0.0019, 0.001, 0.001, 0.001}},
        {0.7, {0.042, 0.018, 0.004, 0.0028, 0.001, 0.001, 0.001, 0.001}},
        {1, {0.075, 0.007, 0.0052, 0.001, 0.001, 0.001, 0.001, 0.001}},
        {1.4, {0.064, 0.011, 0.0019, 0.001, 0.001, 0.001, 0.001, 0.001}},
        {2, {0.018, 0.0084, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001}},
        {5, {0.048, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001}},
        {10, {0.012, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001}},
    }},
    [FORCE] = {"a flow driven by a force", 13, { /* flow rate of a channel */
        {0.01, {41, 31, 24, 20, 16, 10, 4.4, 1.7}},
        {0.02, {33, 23, 16, 12, 8.4, 4.1, 0.69, 0.15}},
        {0.05, {22, 12, 6.4, 3.2, 1.4, 0.3, 0.24, 0.053}},
        {0.1, {13, 4.5, 1.2, 0.38, 0.38, 0.26, 0.019, 0.014}},
        {0.2, {4.6, 0.57, 0.57, 0.38, 0.16, 0.025, 0.0051, 0.002}},
        {0.35, {0.77, 0.76, 0.28, 0.031, 0.029, 0.01, 0.002, 0.001}},
        {0.5, {1, 0.49, 0.04, 0.035, 0.019, 0.0034, 0.001, 0.001}},
        {0.7, {1.2, 0.16, 0.038, 0.017, 0.0046, 0.0023, 0.001, 0.001}},
        {1, {0.77, 0.04, 0.019, 0.0061, 0.0046, 0.001, 0.001, 0.001}},
        {1.4, {0.29, 0.037, 0.0078, 0.0052, 0.001, 0.001, 0.001, 0.001}},
        {2, {0.034, 0.011, 0.0076, 0.001, 0.001, 0.001, 0.001, 0.001}},
        {5, {0.02, 0.0038, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001}},
        {10, {0.011, 0.0016, 0.0016, 0.0012, 0.001, 0.001, 0.001, 0.001}},
    }},
    [CREEP] = {"a flow driven by a temperature gradient", 13, { /* flow rate of a channel */
        {0.01, {50, 38, 30, 24, 19, 13, 5.4, 2.1}},
        {0.02, {42, 29, 21, 15, 11, 5.2, 0.87, 0.18}},
        {0.05, {29, 16, 8.4, 4.2, 1.9, 0.39, 0.32, 0.071}},
        {0.1, {18, 6.3, 1.6, 0.53, 0.53, 0.36, 0.026, 0.02}},
        {0.2, {6.6, 0.85, 0.85, 0.56, 0.23, 0.036, 0.0074, 0.003}},
        {0.35, {1.3, 1.2, 0.43, 0.046, 0.046, 0.015, 0.003, 0.001}},
        {0.5, {1.9, 0.78, 0.058, 0.058, 0.03, 0.0057, 0.001, 0.001}},
        {0.7, {2.1, 0.24, 0.07, 0.028, 0.0078, 0.0039, 0.001, 0.001}},
        {1, {1.3, 0.076, 0.033, 0.011, 0.0082, 0.001, 0.001, 0.001}},
        {1.4, {0.44, 0.076, 0.016, 0.0099, 0.0013, 0.001, 0.001, 0.001}},
        {2, {0.095, 0.025, 0.015, 0.0014, 0.001, 0.001, 0.001, 0.001}},
        {5, {0.067, 0.0092, 0.0033, 0.0013, 0.001, 0.001, 0.001, 0.001}},
        {10, {0.054, 0.0085, 0.0024, 0.0012, 0.001, 0.001, 0.001, 0.001}},
    }},
    [BOX] = {"the fluxes at the walls of a box", 5, { /* drag or vortex of a cavity */
        {0.02, {1.8, 0.5, 0.34, 0.23, 0.16, 0.083, 0.018, 0.005}},
        {0.1, {1.8, 0.5, 0.31, 0.23, 0.14, 0.065, 0.014, 0.005}},
        {0.5, {0.9, 0.54, 0.13, 0.12, 0.082, 0.038, 0.007, 0.005}},
        {1, {0.81, 0.38, 0.066, 0.066, 0.046, 0.02, 0.005, 0.005}},
        {3, {0.39, 0.083, 0.083, 0.025, 0.009, 0.005, 0.005, 0.005}},
    }},
    /* clang-format on */
};

/* Hard spheres and other molecules on the whole grid have larger errors than BGK on a reduced one.  Along
 * axes along which the gas is uniform, the operator has an error too: with 8 nodes, and its decrease per
 * node. */
static const double OPERATOR = 1.25, UNIFORM = 0.001, DECREASE = 0.3;

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

/* The place of a delta among the rows, linear in its logarithm; rarer gas is extrapolated, denser gas is that
 * of the last row. */
static double find_row(const struct table *t, double delta)
{
    int i = 0;
    while (i < t->rows - 2 && delta > t->row[i + 1].delta)
        i++;
    const double low = t->row[i].delta, high = t->row[i + 1].delta;
    return fmin(i + log(delta / low) / log(high / low), t->rows - 1);
}

/* Fewer nodes than those of the first column are extrapolated. */
static double find_column(int nodes)
{
    int j = 0;
    while (j < COLUMNS - 2 && nodes > nodes_of[j + 1])
        j++;
    return j + (double)(nodes - nodes_of[j]) / (nodes_of[j + 1] - nodes_of[j]);
}

/* The error at a place between the entries; its logarithm is interpolated. */
static double look_up(const struct table *t, double row, double column)
{
    const int i = (int)fmin(fmax(floor(row), 0), t->rows - 2),
              j = (int)fmin(fmax(floor(column), 0), COLUMNS - 2);
    const double p = row - i, q = column - j, *low = t->row[i].percent, *high = t->row[i + 1].percent;
    return exp((1 - p) * ((1 - q) * log(low[j]) + q * log(low[j + 1])) +
               p * ((1 - q) * log(high[j]) + q * log(high[j + 1]))) /
           100;
}

double kn_nodes_error(const struct kn_case *c, int axis, int nodes, const char **what)
{
    const struct table *t = &tables[find_flow(c)];
    const bool operates = c->collision.method == KN_METHOD_OPERATOR;
    *what = t->name;
    if (!kn_nodes_has_emitter(c, axis))
        return operates && kn_case_is_uniform(c, axis) ? UNIFORM * exp(-DECREASE * (nodes - LEAST)) : 0;
    const double row = find_row(t, kn_duration_length(c, axis)), column = find_column(nodes);
    return fmin((operates ? OPERATOR : 1) * look_up(t, row, column), 0.5);
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
        snprintf(text + n, KN_TEXT - n, "expect an error of %s in %s at delta %.3g (velocity.accuracy: %g%s)",
                 KN_VALIDITY_PERCENT(error), what, kn_duration_length(c, axis), c->velocity.accuracy,
                 error > c->velocity.accuracy ? ", which needs more than the largest number of nodes" : "");
    return true;
}
