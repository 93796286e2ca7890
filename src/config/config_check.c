/* Checks a case: values out of range and contradictory keys. */
#include "config/case.h"
#include "config/config.h"
#include "config/geometry.h"
#include "config/reference.h"
#include "config/scales.h"
#include "error.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static const char AXIS[] = "xyz";

/* Temperatures of Cercignani-Lampis walls over that of the reference: beyond them the matrices have errors of
 * several per cent on 16 nodes, theory (22i). */
static const double COLDEST_SCATTERING = 0.3, HOTTEST_SCATTERING = 1.7;

enum kn_status kn_config_fail(const char *list, const char *name, const char *key, const char *format, ...)
{
    char text[KN_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return kn_error_set(KN_EINPUT, "%s.%s%s%s: %s", list, name, *key ? "." : "", key, text);
}

enum kn_status kn_config_add_key(enum kn_status status, const char *list, const char *name, const char *key)
{
    char text[KN_TEXT];
    snprintf(text, sizeof text, "%s", kn_error_message());
    return status == KN_EINPUT || status == KN_EIO ? kn_config_fail(list, name, key, "%s", text) : status;
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
        return KN_OK; /* the error is reported for the side that the case sets */
    return kn_config_fail("walls", kn_case_side_name(side), "kind",
                          "%s against %s at walls.%s.kind (both sides of an axis are periodic, or neither)",
                          kind_name(c, side), kind_name(c, other), kn_case_side_name(other));
}

static bool is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

/* Keys without a meaning for the kind of a side are errors. */
static enum kn_status check_unused(const struct kn_case *c, int side)
{
    const struct kn_wall *w = &c->walls[side];
    const bool wall = w->kind == KN_WALL_DIFFUSE, inflow = w->kind == KN_WALL_INFLOW,
               far = w->kind == KN_WALL_FAR_FIELD;
    const struct {
        bool set, known;
        const char *key, *kinds;
    } keys[] = {
        {w->density != 0, inflow, "density", "inflow"},
        {!is_zero(w->velocity), wall || inflow, "velocity", "diffuse or inflow"},
        {w->temperature != 0 || kn_case_points(w) > 1, wall || inflow, "temperature", "diffuse or inflow"},
        {w->accommodation != 1, wall, "accommodation", "diffuse"},
        {w->tangential != 1, wall, "tangential", "cercignani-lampis"},
        {w->normal != 1, wall, "normal", "cercignani-lampis"},
        {!is_zero(w->oscillation.velocity), wall || inflow, "oscillation.velocity", "diffuse or inflow"},
        {w->oscillation.temperature != 0, wall || inflow, "oscillation.temperature", "diffuse or inflow"},
        {!is_zero(w->gradient.velocity), far, "gradient.velocity", "far-field"},
        {w->gradient.temperature != 0, far, "gradient.temperature", "far-field"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].set && !keys[i].known)
            return kn_config_fail("walls", kn_case_side_name(side), keys[i].key,
                                  "has no meaning at a side of kind %s (it needs walls.%s.kind: %s)",
                                  kind_name(c, side), kn_case_side_name(side), keys[i].kinds);
    return KN_OK;
}

/* A wall may move along its normal only at eps = 0, as an oscillation with negligible displacement. */
static enum kn_status check_piston(const struct kn_case *c, int side)
{
    const struct kn_wall *w = &c->walls[side];
    const int normal = side / 2;
    const double amplitude = w->oscillation.velocity[normal];
    if (w->kind == KN_WALL_DIFFUSE && w->velocity[normal] != 0)
        return kn_config_fail(
            "walls", kn_case_side_name(side), "velocity",
            "%g along %c is normal to the wall (walls move in their own plane; an oscillation "
            "along the normal is walls.%s.oscillation.velocity)",
            w->velocity[normal], AXIS[normal], kn_case_side_name(side));
    if (w->kind != KN_WALL_DIFFUSE || amplitude == 0)
        return KN_OK;
    if (c->disturbance > 0)
        return kn_config_fail(
            "walls", kn_case_side_name(side), "oscillation.velocity",
            "%g along %c displaces the wall (oscillations along the normal need disturbance: 0, "
            "where the displacement is negligible)",
            amplitude, AXIS[normal]);
    if (w->accommodation == 0 || kn_case_scatters(w))
        return kn_config_fail(
            "walls", kn_case_side_name(side), "oscillation.velocity",
            "%g along %c %s (an oscillation along the normal needs accommodation above 0, and the "
            "diffuse model)",
            amplitude, AXIS[normal],
            kn_case_scatters(w) ? "of a cercignani-lampis wall" : "with accommodation 0");
    return KN_OK;
}

/* A far field needs the linearised equation and collisions. */
static enum kn_status check_far_field(const struct kn_case *c, int side)
{
    const struct kn_wall *w = &c->walls[side];
    const double normal = w->gradient.velocity[side / 2];
    if (w->kind != KN_WALL_FAR_FIELD)
        return KN_OK;
    if (c->disturbance > 0)
        return kn_config_fail(
            "walls", kn_case_side_name(side), "kind",
            "far-field at disturbance %g (uniform gradients are a solution at disturbance: 0 only)",
            c->disturbance);
    if (normal != 0)
        return kn_config_fail(
            "walls", kn_case_side_name(side), "gradient.velocity",
            "%g along %c would compress the gas (only velocities along the side are allowed)", normal,
            AXIS[side / 2]);
    if (c->collision.method == KN_METHOD_NONE && !kn_case_is_mirror(w))
        return kn_config_fail("walls", kn_case_side_name(side),
                              is_zero(w->gradient.velocity) ? "gradient.temperature" : "gradient.velocity",
                              "has no meaning without collisions (collision.method is none)");
    return KN_OK;
}

/* The Cercignani-Lampis kernel is a matrix of polynomials about the reference, theory (22i): it is accurate
 * if the wall has about its temperature. */
static enum kn_status check_scattering(const struct kn_case *c, const struct kn_wall *w, const char *list,
                                       const char *name)
{
    const struct kn_case_span t = kn_case_temperatures(w);
    const double amplitude = fabs(w->oscillation.temperature), ratio = kn_reference_of(c).ratio,
                 low = (1 + c->disturbance * (t.low - amplitude)) / ratio,
                 high = (1 + c->disturbance * (t.high + amplitude)) / ratio;
    if (!kn_case_scatters(w) || (low >= COLDEST_SCATTERING && high <= HOTTEST_SCATTERING))
        return KN_OK;
    return kn_config_fail(list, name, "temperature",
                          "%.3g times the temperature of the reference (a cercignani-lampis wall must have "
                          "%g to %g times; gas.reference.temperature, or diffuse walls)",
                          low < COLDEST_SCATTERING ? low : high, COLDEST_SCATTERING, HOTTEST_SCATTERING);
}

/* A surface must be warmer than absolute zero and have one model; an amplitude without a frequency is an
 * error. */
enum kn_status kn_config_check_surface(const struct kn_case *c, const struct kn_wall *w, const char *list,
                                       const char *name)
{
    const struct kn_oscillation *o = &w->oscillation;
    const double low = kn_case_temperatures(w).low, coldest = low - fabs(o->temperature);
    if (1 + c->disturbance * coldest <= 0)
        return kn_config_fail(list, name, low != 0 ? "temperature" : "oscillation.temperature",
                              "%g times disturbance %g is below absolute zero (more than %g is allowed)",
                              coldest, c->disturbance, -1 / c->disturbance);
    if (kn_case_scatters(w) && w->accommodation != 1)
        return kn_config_fail(list, name, "accommodation", "%g together with %s (one of the two models)",
                              w->accommodation, w->tangential != 1 ? "tangential" : "normal");
    KN_TRY(check_scattering(c, w, list, name));
    if (o->frequency > 0 || (is_zero(o->velocity) && o->temperature == 0))
        return KN_OK;
    return kn_config_fail(list, name, "oscillation.frequency",
                          "0 with an amplitude (more than 0 makes the wall oscillate)");
}

static enum kn_status check_wall(const struct kn_case *c, int side)
{
    const struct kn_wall *w = &c->walls[side];
    if (1 + c->disturbance * w->density <= 0)
        return kn_config_fail(
            "walls", kn_case_side_name(side), "density",
            "%g times disturbance %g leaves no gas outside the inflow (more than %g is allowed; "
            "%.6g is a density of 0.001 n0; ports.NAME.kind: vacuum is a vacuum)",
            w->density, c->disturbance, -1 / c->disturbance, -0.999 / c->disturbance);
    return kn_config_check_surface(c, w, "walls", kn_case_side_name(side));
}

enum kn_status kn_config_check_side(const struct kn_case *c, enum kn_side side)
{
    static enum kn_status (*const checks[])(const struct kn_case *, int) = {
        check_pair, check_unused, check_piston, check_far_field, check_wall,
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        KN_TRY(checks[i](c, (int)side));
    return KN_OK;
}

static enum kn_status check_walls(const struct kn_case *c)
{
    for (int side = 0; side < KN_SIDES; side++)
        KN_TRY(kn_config_check_side(c, (enum kn_side)side));
    return KN_OK;
}

/* Other orders have no limiter; the default of the key says nothing. */
static enum kn_status check_limiter(const struct kn_case *c)
{
    if (c->space.order == 2 || c->space.limiter == KN_LIMITER_VAN_LEER)
        return KN_OK;
    return kn_error_set(KN_EINPUT,
                        "space.limiter: %s has no effect at space.order: %d (space.order: 2 has limiters)",
                        kn_config_choice_name("space.limiter", c->space.limiter), c->space.order);
}

/* A place between the ends with cells on both sides. */
static enum kn_status check_focus(const struct kn_case *c, int axis)
{
    const bool has = c->space.cluster[axis] == KN_CLUSTER_FOCUS;
    const double focus = c->space.focus[axis], size = c->space.size[axis];
    if (!has && focus != 0)
        return kn_error_set(KN_EINPUT, "space.focus: %g along %c has no effect without space.cluster: focus",
                            focus, AXIS[axis]);
    if (has && (!(focus > 0 && focus < size) || c->space.cells[axis] < 2))
        return kn_error_set(KN_EINPUT,
                            "space.focus: %g along %c (a place between 0 and %g, and at least 2 cells)",
                            focus, AXIS[axis], size);
    return KN_OK;
}

static enum kn_status check_stretch(const struct kn_case *c)
{
    for (int axis = 0; axis < 3; axis++) {
        const int n = c->space.cells[axis];
        double smallest = INFINITY, largest = 0;
        KN_TRY(check_focus(c, axis));
        for (int i = 0; i < n; i++) {
            smallest = fmin(smallest, kn_case_relative_width(c, axis, i));
            largest = fmax(largest, kn_case_relative_width(c, axis, i));
        }
        if (!(smallest >= 1e-6 * largest))
            return kn_error_set(KN_EINPUT,
                                "space.stretch: %g over %d cells along %c makes the smallest cell %.1e of "
                                "the largest (at least 1e-6)",
                                c->space.stretch[axis], n, AXIS[axis], smallest / largest);
    }
    return KN_OK;
}

/* The number of cells must fit an int, and phase space must be of a reasonable size. */
static enum kn_status check_size(const struct kn_case *c)
{
    double cells = 1, nodes = 1;
    for (int axis = 0; axis < 3; axis++) {
        cells *= c->space.cells[axis];
        nodes *= kn_case_nodes(c, axis);
    }
    if (cells > INT_MAX)
        return kn_error_set(KN_EINPUT, "space.cells: %.3g cells are too many (at most %d)", cells, INT_MAX);
    if (cells * nodes > 1e15)
        return kn_error_set(
            KN_EINPUT,
            "space.cells: %.3g cells with %.3g velocity nodes each are too many (at most 1e15 together)",
            cells, nodes);
    return KN_OK;
}

/* Initial states without a wave. */
static enum kn_status check_state(const struct kn_case *c)
{
    const enum kn_shape shape = c->initial.shape;
    const double amplitude = c->initial.amplitude;
    if (shape != KN_SHAPE_BKW && shape != KN_SHAPE_BETWEEN)
        return KN_OK;
    if (c->initial.wave[0] || c->initial.wave[1] || c->initial.wave[2])
        return kn_error_set(KN_EINPUT, "initial.wave: has no meaning with initial.shape: %s (0 is allowed)",
                            kn_config_choice_name("initial.shape", shape));
    if (shape == KN_SHAPE_BETWEEN && kn_case_inflow_axis(c) < 0)
        return kn_error_set(KN_EINPUT,
                            "initial.shape: between needs kind: inflow at both ends of exactly one axis");
    if (shape == KN_SHAPE_BKW && c->disturbance == 0)
        return kn_error_set(KN_EINPUT, "initial.shape: bkw at disturbance 0 (it is a solution of the "
                                       "nonlinear equation: disturbance above 0)");
    if (shape == KN_SHAPE_BKW && (amplitude <= 0 || amplitude > 0.4))
        return kn_error_set(KN_EINPUT, "initial.amplitude: %g with initial.shape: bkw (above 0 up to 0.4)",
                            amplitude);
    return KN_OK;
}

/* A run has one initial state. */
static enum kn_status check_from(const struct kn_case *c)
{
    if (*c->initial.from && c->initial.shape != KN_SHAPE_REST)
        return kn_error_set(KN_EINPUT,
                            "initial.from: initial.shape: %s is another initial state (rest is allowed)",
                            kn_config_choice_name("initial.shape", c->initial.shape));
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
                                "initial.wave: %d periods along %c on %d cells (at least 2 cells per period)",
                                c->initial.wave[axis], AXIS[axis], c->space.cells[axis]);
    if (c->initial.shape == KN_SHAPE_DENSITY && fabs(change) >= 1)
        return kn_error_set(
            KN_EINPUT, "initial.amplitude: %g times disturbance %g makes the density negative (less than %g)",
            c->initial.amplitude, c->disturbance, 1 / c->disturbance);
    bool wave = c->initial.wave[0] || c->initial.wave[1] || c->initial.wave[2];
    double low = wave ? -fabs(change) : change, high = wave ? fabs(change) : change;
    if (c->initial.shape == KN_SHAPE_ANISOTROPIC && (low <= -1 || high >= 2))
        return kn_error_set(
            KN_EINPUT, "initial.amplitude: %g times disturbance %g makes a temperature negative (%g to %g)",
            c->initial.amplitude, c->disturbance, -1 / c->disturbance, (wave ? 1 : 2) / c->disturbance);
    return KN_OK;
}

/* Model equations have no molecules; only vhs have a selectable exponent. */
static enum kn_status check_molecules(const struct kn_case *c)
{
    const enum kn_method method = c->collision.method;
    const char *name = kn_config_choice_name("gas.molecules", c->gas.molecules);
    if (c->gas.molecules != KN_MOLECULES_HARD_SPHERE && method != KN_METHOD_OPERATOR &&
        method != KN_METHOD_MONTE_CARLO)
        return kn_error_set(
            KN_EINPUT, "gas.molecules: %s needs collision.method: operator or monte-carlo (here it is %s)",
            name, kn_config_choice_name("collision.method", method));
    if (c->gas.omega_set && c->gas.omega != kn_case_omega(c))
        return kn_error_set(KN_EINPUT, "gas.omega: %g, but gas.molecules: %s has %g (vhs accepts 0.5 to 1)",
                            c->gas.omega, name, kn_case_omega(c));
    return KN_OK;
}

/* The correction with weight 1 + eps h is that of Monte Carlo. */
static enum kn_status check_conservation(const struct kn_case *c)
{
    if (c->collision.conservation == KN_CONSERVATION_PAPER && kn_case_is_model(c->collision.method))
        return kn_error_set(
            KN_EINPUT,
            "collision.conservation: paper needs collision.method: monte-carlo (here it is %s; "
            "projection is allowed)",
            kn_config_choice_name("collision.method", c->collision.method));
    return KN_OK;
}

/* The errors from which the number follows were measured on the Gauss grid. */
static enum kn_status check_automatic(const struct kn_case *c)
{
    for (int axis = 0; axis < 3; axis++)
        if (c->velocity.nodes[axis] == KN_NODES_AUTO && c->velocity.grid != KN_GRID_GAUSS)
            return kn_error_set(KN_EINPUT,
                                "velocity.nodes: auto needs velocity.grid: gauss (here it is stretched)");
    return KN_OK;
}

/* With one speed along every axis v.v is the same at all nodes, and energy is not independent of mass. */
static enum kn_status check_energy(const struct kn_case *c)
{
    for (int axis = 0; axis < 3; axis++)
        if (kn_case_nodes(c, axis) != 2 || c->collision.method == KN_METHOD_NONE)
            return KN_OK;
    return kn_error_set(KN_EINPUT, "velocity.nodes: 2 along every axis give all nodes the same speed, so "
                                   "that energy is not independent of mass (at least 4 along one axis)");
}

/* The stencils of the operator have three nodes on a half axis, and sums over the nodes must be exact for its
 * polynomials. */
static enum kn_status check_operator(const struct kn_case *c)
{
    const bool operates = c->collision.method == KN_METHOD_OPERATOR;
    if (operates && c->velocity.grid != KN_GRID_GAUSS)
        return kn_error_set(KN_EINPUT,
                            "velocity.grid: stretched, but collision.method: operator needs gauss");
    for (int axis = 0; axis < 3 && operates; axis++)
        if (c->velocity.nodes[axis] != KN_NODES_AUTO &&
            (c->velocity.nodes[axis] < 6 || c->velocity.nodes[axis] > KN_OPERATOR_NODES))
            return kn_error_set(KN_EINPUT,
                                "velocity.nodes: %d along %c, but collision.method: operator needs 6 to %d "
                                "(monte-carlo, bgk, shakhov and es-bgk accept 2 to 64)",
                                c->velocity.nodes[axis], AXIS[axis], KN_OPERATOR_NODES);
    return KN_OK;
}

/* A moving reference is a change of variables only along axes along which nothing is at rest by itself. */
static enum kn_status check_shift(const struct kn_case *c)
{
    const double *u = c->gas.reference.velocity;
    for (int axis = 0; axis < 3; axis++)
        if (u[axis] != 0 && !kn_case_is_uniform(c, axis))
            return kn_error_set(
                KN_EINPUT,
                "gas.reference.velocity: %g along %c, but the gas is not uniform along %c (it needs one cell "
                "and periodic ends; along other axes a higher gas.reference.temperature or more "
                "velocity.nodes represent a fast gas)",
                u[axis], AXIS[axis], AXIS[axis]);
    return KN_OK;
}

/* Any reference but the gas at rest must have a meaning, and a state in which the gas can begin. */
static enum kn_status check_reference(const struct kn_case *c)
{
    const struct kn_reference r = kn_reference_of(c);
    const char *key = is_zero(r.velocity) ? "gas.reference.temperature" : "gas.reference.velocity";
    if (r.at_rest)
        return KN_OK;
    if (c->disturbance == 0)
        return kn_error_set(KN_EINPUT, "%s: has no effect on the linearised equation (0 at disturbance: 0)",
                            key);
    if (!kn_reference_is_free(c))
        return kn_error_set(KN_EINPUT,
                            "%s: initial.shape: %s is a deviation from the gas at rest (0 is allowed; other "
                            "references need rest, between or anisotropic)",
                            key, kn_config_choice_name("initial.shape", c->initial.shape));
    if (!(r.ratio > 0))
        return kn_error_set(
            KN_EINPUT,
            "gas.reference.temperature: %g times disturbance %g is below absolute zero (more than %g)",
            r.temperature, c->disturbance, -1 / c->disturbance);
    return check_shift(c);
}

/* What a steady state needs: no oscillation, and something that determines velocity and temperature. */
static enum kn_status check_steady(const struct kn_case *c)
{
    bool held = false;
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const struct kn_wall w = kn_case_surface(c, i);
        if (!is_zero(w.oscillation.velocity) || w.oscillation.temperature != 0)
            return kn_config_fail(
                kn_case_surface_list(c, i), kn_case_surface_name(c, i), "oscillation.frequency",
                "a wall that oscillates has no steady state (time.mode: frequency or unsteady)");
        held = held ||
               ((i >= KN_SIDES || !kn_case_is_uniform(c, i / 2)) && kn_case_emits(&w) && w.accommodation > 0);
    }
    if (!held)
        return kn_error_set(KN_EINPUT,
                            "time.mode: steady needs a diffuse wall or an inflow: without them the "
                            "velocity and temperature of the steady state are not determined");
    return KN_OK;
}

/* Walls, bodies and ports in an oscillation of one frequency: they have no steady part. */
static enum kn_status check_amplitudes(const struct kn_case *c, double frequency)
{
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const struct kn_wall w = kn_case_surface(c, i);
        const int port = i - KN_SIDES - kn_case_bodies(c);
        const char *steady = !is_zero(w.velocity)                           ? "velocity"
                             : w.temperature != 0 || kn_case_points(&w) > 1 ? "temperature"
                             : kn_case_varies(c, i)                         ? "rotation"
                             : port >= 0 && c->ports[port].flow != 0        ? "flow"
                             : w.density != 0                ? (i < KN_SIDES ? "density" : "pressure")
                             : !is_zero(w.gradient.velocity) ? "gradient.velocity"
                             : w.gradient.temperature != 0   ? "gradient.temperature"
                                                             : NULL;
        if (steady)
            return kn_config_fail(kn_case_surface_list(c, i), kn_case_surface_name(c, i), steady,
                                  "it is steady, and time.mode: frequency computes the oscillation alone "
                                  "(0 is allowed; steady flows are independent of it)");
        if (w.oscillation.frequency != 0 && w.oscillation.frequency != frequency)
            return kn_config_fail(kn_case_surface_list(c, i), kn_case_surface_name(c, i),
                                  "oscillation.frequency",
                                  "%g, but another wall has %g (time.mode: frequency needs one frequency)",
                                  w.oscillation.frequency, frequency);
    }
    return KN_OK;
}

/* Amplitudes of one frequency, without a steady part. */
static enum kn_status check_frequency(const struct kn_case *c)
{
    const double frequency = kn_case_frequency(c);
    if (c->disturbance > 0)
        return kn_error_set(KN_EINPUT,
                            "disturbance: %g, but time.mode: frequency solves the linearised equation "
                            "(disturbance: 0, or time.mode: unsteady)",
                            c->disturbance);
    if (frequency == 0)
        return kn_error_set(KN_EINPUT, "time.mode: frequency needs a wall that oscillates "
                                       "(walls.<side>.oscillation)");
    if (!is_zero(c->source.force) || !is_zero(c->source.temperature_gradient))
        return kn_error_set(KN_EINPUT,
                            "source.%s: it is steady, and time.mode: frequency computes the oscillation "
                            "alone (0 is allowed; steady flows are independent of it)",
                            is_zero(c->source.force) ? "temperature_gradient" : "force");
    return check_amplitudes(c, frequency);
}

/* What iterations for a steady state or an oscillation do not have. */
static enum kn_status check_mode(const struct kn_case *c)
{
    bool streams = false;
    if (!kn_case_iterates(c))
        return KN_OK;
    for (int i = 0; i < kn_case_ports(c); i++)
        if ((c->ports[i].kind == KN_PORT_FLOW || c->ports[i].kind == KN_PORT_PRESSURE) && c->disturbance > 0)
            return kn_config_fail(
                "ports", c->ports[i].name, "kind",
                "time.mode: %s does not support ports of given flow or pressure at a finite "
                "disturbance (time.mode: unsteady)",
                kn_config_choice_name("time.mode", c->time.mode));
    if (kn_case_is_sampled(c->collision.method))
        return kn_error_set(KN_EINPUT,
                            "collision.method: %s has no steady-state solver (operator, bgk, "
                            "shakhov, es-bgk and none have; or time.mode: unsteady)",
                            kn_config_choice_name("collision.method", c->collision.method));
    if (kn_case_limiter(c) != KN_LIMITER_NONE && c->space.order == 2)
        return kn_error_set(KN_EINPUT,
                            "space.limiter: %s is not linear, and time.mode: %s needs linear "
                            "slopes (space.order: 3, or space.limiter: none)",
                            kn_config_choice_name("space.limiter", c->space.limiter),
                            kn_config_choice_name("time.mode", c->time.mode));
    if (c->output.fields > 0 || c->output.average >= 0)
        return kn_error_set(KN_EINPUT,
                            "output.%s: a steady state has no %s (leave it out, or time.mode: unsteady)",
                            c->output.fields > 0 ? "fields" : "average",
                            c->output.fields > 0 ? "series of fields" : "averages over time");
    for (int d = 0; d < 3; d++)
        streams = streams || !kn_case_is_uniform(c, d);
    if (!streams)
        return kn_error_set(KN_EINPUT, "space.cells: one cell has no steady flow (time.mode: unsteady)");
    return c->time.mode == KN_MODE_STEADY ? check_steady(c) : check_frequency(c);
}

static enum kn_status check_ranges(const struct kn_case *c)
{
    struct kn_setting s;
    char why[KN_TEXT];
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1) {
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
        kn_scales_check, check_ranges,  check_walls,       check_limiter,      check_stretch,
        check_size,      check_weights, check_initial,     check_state,        check_molecules,
        check_operator,  check_energy,  check_reference,   check_conservation, check_automatic,
        check_from,      check_mode,    kn_geometry_check,
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        KN_TRY(checks[i](c));
    return KN_OK;
}
