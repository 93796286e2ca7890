/* What a case may not say: values out of range, and keys that contradict. */
#include "config.h"
#include "error.h"
#include "molecules.h"
#include "operator.h"
#include "space.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static const char AXIS[] = "xyz";

/* ------------------------------------------------------------------- walls */

__attribute__((format(printf, 3, 4))) static enum kn_status fail_wall(int side, const char *key,
                                                                      const char *format, ...)
{
    char text[KN_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return kn_error_set(KN_EINPUT, "walls.%s.%s: %s", kn_space_side_name(side), key, text);
}

static const char *kind_name(const struct kn_case *c, int side)
{
    return kn_config_choice_name("walls.<side>.kind", c->walls[side].kind);
}

static enum kn_status check_pair(const struct kn_case *c, int side)
{
    int other = side ^ 1;
    bool one = c->walls[side].kind == KN_WALL_PERIODIC, two = c->walls[other].kind == KN_WALL_PERIODIC;
    if (one == two || (!c->walls[side].kind_set && c->walls[other].kind_set))
        return KN_OK; /* the side that was chosen is the one to blame */
    return fail_wall(side, "kind",
                     "%s against %s at walls.%s.kind (both sides of an axis are periodic, or neither)",
                     kind_name(c, side), kind_name(c, other), kn_space_side_name(other));
}

static bool is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

/* An oscillation that does not oscillate is a forgotten frequency. */
static enum kn_status check_oscillation(const struct kn_case *c, int side)
{
    const struct kn_oscillation *o = &c->walls[side].oscillation;
    if (o->frequency > 0 || (is_zero(o->velocity) && o->temperature == 0))
        return KN_OK;
    return fail_wall(side, "oscillation.frequency",
                     "0 with an amplitude (more than 0 makes the wall oscillate)");
}

/* Only a diffuse wall has a velocity and a temperature: elsewhere they would
 * be ignored in silence. */
static enum kn_status check_unused(const struct kn_case *c, int side)
{
    const struct kn_wall *w = &c->walls[side];
    const char *key = NULL;
    if (w->kind == KN_WALL_DIFFUSE)
        return KN_OK;
    if (!is_zero(w->velocity))
        key = "velocity";
    else if (w->temperature != 0)
        key = "temperature";
    else if (w->accommodation != 1)
        key = "accommodation";
    else if (!is_zero(w->oscillation.velocity))
        key = "oscillation.velocity";
    else if (w->oscillation.temperature != 0)
        key = "oscillation.temperature";
    if (!key)
        return KN_OK;
    return fail_wall(side, key, "has no meaning on a %s side (it needs walls.%s.kind: diffuse)",
                     kind_name(c, side), kn_space_side_name(side));
}

static enum kn_status check_wall(const struct kn_case *c, int side)
{
    const struct kn_wall *w = &c->walls[side];
    int normal = side / 2;
    double coldest = w->temperature - fabs(w->oscillation.temperature);
    if (w->velocity[normal] != 0)
        return fail_wall(side, "velocity",
                         "%g along %c goes through the wall (walls move in their own plane)",
                         w->velocity[normal], AXIS[normal]);
    if (w->oscillation.velocity[normal] != 0)
        return fail_wall(side, "oscillation.velocity",
                         "%g along %c goes through the wall (walls move in their own plane)",
                         w->oscillation.velocity[normal], AXIS[normal]);
    if (1 + c->disturbance * coldest <= 0)
        return fail_wall(side, w->temperature != 0 ? "temperature" : "oscillation.temperature",
                         "%g times disturbance %g is below absolute zero (more than %g is allowed)", coldest,
                         c->disturbance, -1 / c->disturbance);
    return KN_OK;
}

static enum kn_status check_walls(const struct kn_case *c)
{
    for (int side = 0; side < KN_SIDES; side++) {
        enum kn_status status = check_pair(c, side);
        if (status == KN_OK)
            status = check_unused(c, side);
        if (status == KN_OK)
            status = check_wall(c, side);
        if (status == KN_OK)
            status = check_oscillation(c, side);
        if (status != KN_OK)
            return status;
    }
    return KN_OK;
}

/* ------------------------------------------------------------------- grids */

static enum kn_status check_stretch(const struct kn_case *c)
{
    for (int axis = 0; axis < 3; axis++) {
        int n = c->space.cells[axis];
        bool both = c->space.cluster[axis] == KN_CLUSTER_BOTH;
        double smallest = pow(c->space.stretch[axis], both ? (n - 1) / 2 : n - 1);
        if (smallest < 1e-6)
            return kn_error_set(
                KN_EINPUT,
                "space.stretch: %g over %d cells along %c makes the smallest cell %.1e of the "
                "largest (at least 1e-6)",
                c->space.stretch[axis], n, AXIS[axis], smallest);
    }
    return KN_OK;
}

/* Cells are counted by int, and phase space by what any computer could hold. */
static enum kn_status check_size(const struct kn_case *c)
{
    double cells = 1, nodes = 1;
    for (int axis = 0; axis < 3; axis++) {
        cells *= c->space.cells[axis];
        nodes *= c->velocity.nodes[axis];
    }
    if (cells > INT_MAX)
        return kn_error_set(KN_EINPUT, "space.cells: %.3g cells are too many (at most %d)", cells, INT_MAX);
    if (cells * nodes > 1e15)
        return kn_error_set(KN_EINPUT,
                            "space.cells: %.3g cells with %.3g velocity nodes each are too many (at most "
                            "1e15 together)",
                            cells, nodes);
    return KN_OK;
}

/* The weights of a Gauss rule belong to its nodes. */
static enum kn_status check_weights(const struct kn_case *c)
{
    if (c->velocity.weights != KN_WEIGHTS_EXACT && c->velocity.grid != KN_GRID_STRETCHED)
        return kn_error_set(KN_EINPUT, "velocity.weights: %s needs velocity.grid: stretched (here it is %s)",
                            kn_config_choice_name("velocity.weights", c->velocity.weights),
                            kn_config_choice_name("velocity.grid", c->velocity.grid));
    return KN_OK;
}

static enum kn_status check_initial(const struct kn_case *c)
{
    double change = c->disturbance * c->initial.amplitude;
    for (int axis = 0; axis < 3; axis++)
        if (2 * c->initial.wave[axis] > c->space.cells[axis])
            return kn_error_set(KN_EINPUT,
                                "initial.wave: %d periods along %c on %d cells (2 cells a period at least)",
                                c->initial.wave[axis], AXIS[axis], c->space.cells[axis]);
    if (c->initial.shape == KN_SHAPE_DENSITY && fabs(change) >= 1)
        return kn_error_set(KN_EINPUT,
                            "initial.amplitude: %g times disturbance %g empties the gas (less than %g)",
                            c->initial.amplitude, c->disturbance, 1 / c->disturbance);
    bool wave = c->initial.wave[0] || c->initial.wave[1] || c->initial.wave[2];
    double low = wave ? -fabs(change) : change, high = wave ? fabs(change) : change;
    if (c->initial.shape == KN_SHAPE_ANISOTROPIC && (low <= -1 || high >= 2))
        return kn_error_set(
            KN_EINPUT, "initial.amplitude: %g times disturbance %g makes a temperature negative (%g to %g)",
            c->initial.amplitude, c->disturbance, -1 / c->disturbance, (wave ? 1 : 2) / c->disturbance);
    return KN_OK;
}

/* Model equations know no molecules apart; only vhs leave the exponent open. */
static enum kn_status check_molecules(const struct kn_case *c)
{
    const enum kn_method method = c->collision.method;
    const char *name = kn_config_choice_name("gas.molecules", c->gas.molecules);
    if (c->gas.molecules != KN_MOLECULES_HARD_SPHERE && method != KN_METHOD_OPERATOR &&
        method != KN_METHOD_MONTE_CARLO)
        return kn_error_set(
            KN_EINPUT, "gas.molecules: %s needs collision.method: operator or monte-carlo (here it is %s)",
            name, kn_config_choice_name("collision.method", method));
    if (c->gas.omega_set && c->gas.omega != kn_molecules_omega(c))
        return kn_error_set(KN_EINPUT, "gas.omega: %g, but gas.molecules: %s has %g (vhs takes 0.5 to 1)",
                            c->gas.omega, name, kn_molecules_omega(c));
    return KN_OK;
}

/* The stencils of the operator have three nodes on a half axis. */
static enum kn_status check_operator(const struct kn_case *c)
{
    const bool operates = c->collision.method == KN_METHOD_OPERATOR;
    for (int axis = 0; axis < 3 && operates; axis++)
        if (c->velocity.nodes[axis] < 6 || c->velocity.nodes[axis] > KN_OPERATOR_NODES)
            return kn_error_set(KN_EINPUT,
                                "velocity.nodes: %d along %c, but collision.method: operator takes 6 to %d",
                                c->velocity.nodes[axis], AXIS[axis], KN_OPERATOR_NODES);
    return KN_OK;
}

/* ------------------------------------------------------------------- whole */

static enum kn_status check_ranges(const struct kn_case *c)
{
    struct kn_setting s;
    char why[KN_TEXT];
    for (int i = 0; kn_config_setting(i, &s); i++) {
        const void *target = kn_config_target((struct kn_case *)c, &s);
        for (int index = 0; index < s.key->count; index++)
            if (!kn_config_check_value(s.key, target, index, why))
                return kn_error_set(KN_EINPUT, "%s: %s", s.name, why);
    }
    return KN_OK;
}

enum kn_status kn_case_check(const struct kn_case *c)
{
    static enum kn_status (*const checks[])(const struct kn_case *) = {
        check_ranges,  check_walls,   check_stretch,   check_size,
        check_weights, check_initial, check_molecules, check_operator,
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        enum kn_status status = checks[i](c);
        if (status != KN_OK)
            return status;
    }
    return KN_OK;
}
