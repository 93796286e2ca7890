/* Oscillating walls, and the models against the gas that they represent. */
#include "validity/validity.h"

#include "config/case.h"
#include "config/geometry.h"
#include "config/reference.h"
#include "config/scales.h"
#include "config/shape.h"
#include "grid/duration.h"

#include <complex.h>
#include <math.h>

/* Does the case have SI units?  *eps becomes the size of its deviations; 0 if only their ratio to eps is
 * known. */
static bool is_in_si(const struct kn_case *c, double *eps)
{
    struct kn_scales scales;
    const bool known = kn_scales_create(&scales, c) == KN_OK && scales.known;
    *eps = known ? scales.disturbance : c->disturbance;
    return known;
}

/* Heat flux between plates at T0 and T without collisions: the whole equation over the linearised one is
 * 2 sqrt(T) / (1 + sqrt(T)). */
static double heating_error(const struct kn_case *c, double eps)
{
    double largest = 0;
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const struct kn_wall surface = kn_case_surface(c, i), *w = &surface;
        for (int sign = -1; sign <= 1; sign += 2) {
            const struct kn_case_span span = kn_case_temperatures(w);
            const double t = 1 + eps * ((sign < 0 ? span.low : span.high) +
                                        sign * fabs(w->oscillation.temperature)),
                         root = sqrt(fmax(t, 1e-6)), ratio = 2 * root / (1 + root);
            largest = fmax(largest, fabs(1 / ratio - 1));
        }
    }
    return largest;
}

/* Half of the largest deviation of an inflow's density. */
static double density_error(const struct kn_case *c, double eps)
{
    double largest = 0;
    for (int side = 0; side < KN_SIDES; side++)
        if (c->walls[side].kind == KN_WALL_INFLOW)
            largest = fmax(largest, fabs(c->walls[side].density));
    return eps * largest / 2;
}

static void judge_linearity(struct kn_validity *v, const struct kn_case *c)
{
    double eps;
    is_in_si(c, &eps);
    const double mach = kn_scales_mach(c), heat = heating_error(c, eps), density = density_error(c, eps),
                 speed = 0.04 * mach * mach, /* of the viscosity, by viscous heating */
        error = fmax(speed, fmax(heat, density));
    char drive[96];
    if (c->disturbance > 0 || !(kn_scales_is_strong(c) || density > 0.025))
        return;
    if (error == speed)
        snprintf(drive, sizeof drive, "walls at Ma %.2g", mach);
    else if (error == heat)
        snprintf(drive, sizeof drive, "temperatures up to %.3g %% from T0", 100 * kn_scales_heating(c));
    else
        snprintf(drive, sizeof drive, "densities up to %.3g %% from n0", 200 * density);
    kn_validity_add(
        v, 0, "linearised", error,
        "the linearised equation is used for %s: expect an error of %s; disturbance: 1 solves the whole "
        "equation",
        drive, KN_VALIDITY_PERCENT(error));
}

static bool is_heated(const struct kn_case *c)
{
    bool heated = c->disturbance > 0 && kn_scales_mach(c) > 0.3;
    for (int d = 0; d < 3; d++)
        heated = heated || c->source.temperature_gradient[d] != 0;
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const struct kn_wall surface = kn_case_surface(c, i), *w = &surface;
        heated = heated || fabs(w->temperature) > 1e-9 || kn_case_points(w) > 1 ||
                 w->oscillation.temperature != 0 || w->gradient.temperature != 0;
    }
    return heated;
}

/* Nitrogen carries heat by rotation too: free-molecular heat fluxes are 3 / 2 of the monatomic ones, and in
 * dense gas the conductivity is 1.3 times that of a monatomic gas of the same viscosity (Eucken). */
static void judge_molecules(struct kn_validity *v, const struct kn_case *c)
{
    if (c->gas.species != KN_SPECIES_NITROGEN || !is_heated(c))
        return;
    kn_validity_add(v, 0, "diatomic", 0.3,
                    "nitrogen is computed as a monatomic gas: heat fluxes are too low, by a factor of 1.3 "
                    "(dense) to 1.5 (free-molecular), because rotation carries no energy; stresses and mass "
                    "fluxes are not affected");
}

/* The Prandtl number of a real gas, which a case in SI units means, is 2/3; in the bulk BGK conducts a third
 * less.  A case without units may mean the BGK equation itself. */
static void judge_prandtl(struct kn_validity *v, const struct kn_case *c)
{
    const double gap = kn_duration_longest(c), error = gap / (gap + 2) / 3;
    double eps;
    if (c->collision.method != KN_METHOD_BGK || !is_heated(c) || !is_in_si(c, &eps))
        return;
    kn_validity_add(v, KN_VALIDITY_WARN, "prandtl", error,
                    "bgk has the Prandtl number 1 instead of 2/3: heat fluxes are too low by about %s "
                    "(collision.method: operator or shakhov)",
                    KN_VALIDITY_PERCENT(error));
}

/* Free-molecular stress between plates is too high by 0.8 delta, for small delta. */
static void judge_collisions(struct kn_validity *v, const struct kn_case *c)
{
    const double gap = kn_duration_longest(c), error = 0.8 * gap;
    double eps;
    if (c->collision.method != KN_METHOD_NONE || !is_in_si(c, &eps))
        return;
    kn_validity_add(v, KN_VALIDITY_WARN, "collisions", error,
                    "collisions are left out at Kn %.3g: expect an error of %s (collision.method: operator)",
                    KN_SCALES_FREE_PATH / gap, KN_VALIDITY_PERCENT(error));
}

/* Fluxes are means over a step, which reduces an amplitude by sin(x) / x, x = pi / steps. */
static void judge_steps(struct kn_validity *v, double frequency)
{
    const double steps = 2 * M_PI / (frequency * v->time_step), x = M_PI / steps,
                 error = steps < 1 ? 1 : 1 - sin(x) / x;
    kn_validity_add(
        v, KN_VALIDITY_WARN, "period", error,
        "a period of the oscillation has only %.2g time steps: expect an error of %s in amplitudes "
        "(time.step: %.3g gives 32 steps)",
        steps, KN_VALIDITY_PERCENT(error), 2 * M_PI / frequency / 32);
}

/* The part of an oscillating emission that free molecules carry across a gap: the mean over the flux of
 * exp(-s / v), s = (collision rate + i frequency) times the gap. */
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

/* Error of the signal at the opposite wall, relative to the signal, or to a twentieth of the drive where the
 * signal is smaller. */
static double wave_error(const struct kn_case *c, int axis, int nodes, double frequency)
{
    struct kn_case other = *c;
    struct kn_velocity grid;
    const struct kn_reference r = kn_reference_of(c);
    const double rate = c->collision.method == KN_METHOD_NONE ? 0 : r.collisions;
    const double complex s = (rate + I * frequency) * kn_duration_length(c, axis) / r.speed;
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

double kn_validity_wave(const struct kn_case *c, int axis, int nodes)
{
    const struct kn_wall *low = &c->walls[2 * axis], *high = low + 1;
    double error = 0;
    if (kn_case_is_uniform(c, axis) || !kn_duration_is_diffuse(low) || !kn_duration_is_diffuse(high))
        return 0;
    for (int end = 0; end < 2; end++)
        if (low[end].oscillation.frequency > 0)
            error = fmax(error, wave_error(c, axis, nodes, low[end].oscillation.frequency));
    return error;
}

static void judge_nodes(struct kn_validity *v, const struct kn_case *c, int axis)
{
    const double noticed = 0.02;
    const int nodes = c->velocity.nodes[axis];
    const double error = kn_validity_wave(c, axis, nodes);
    double better = error;
    int enough = nodes;
    if (!(error > noticed))
        return;
    while (better > noticed && enough < 64) {
        enough = enough + 8 < 64 ? enough + 8 : 64;
        better = kn_validity_wave(c, axis, enough);
    }
    kn_validity_add(
        v, noticed, "rays", error,
        "%d velocity nodes along %c are few for this frequency: the wave that reaches the opposite "
        "wall is wrong by %s (%d nodes along %c: %s); the oscillating wall itself is not affected",
        nodes, "xyz"[axis], KN_VALIDITY_PERCENT(error), enough, "xyz"[axis], KN_VALIDITY_PERCENT(better));
}

/* In the linearised equation a wall does not move. */
static void judge_stroke(struct kn_validity *v, const struct kn_case *c, int axis,
                         const struct kn_oscillation *o)
{
    double eps;
    if (c->disturbance > 0 || !is_in_si(c, &eps))
        return;
    const double error = eps * fabs(o->velocity[axis]) / o->frequency / kn_duration_length(c, axis);
    kn_validity_add(
        v, KN_VALIDITY_WARN, "stroke", error,
        "a wall moves along its normal by %s of the gap, but is computed at rest at its mean place: "
        "expect an error of the same size (a smaller velocity or a higher frequency)",
        KN_VALIDITY_PERCENT(error));
}

static void judge_oscillation(struct kn_validity *v, const struct kn_case *c)
{
    double fastest = 0;
    for (int side = 0; side < KN_SIDES; side++) {
        const struct kn_oscillation *o = &c->walls[side].oscillation;
        const int axis = side / 2;
        if (!(o->frequency > 0) || kn_case_is_uniform(c, axis))
            continue;
        fastest = fmax(fastest, o->frequency);
        judge_stroke(v, c, axis, o);
    }
    for (int i = 0; i < kn_case_bodies(c); i++)
        fastest = fmax(fastest, c->bodies[i].surface.oscillation.frequency);
    for (int axis = 0; axis < 3; axis++)
        judge_nodes(v, c, axis);
    if (fastest > 0 && !kn_case_iterates(c))
        judge_steps(v, fastest);
}

/* The nearest box, image or plate before a port: cells between them along the axis of the port. */
static int port_cells(const struct kn_case *c, const struct kn_geometry *g, const struct kn_port *p)
{
    const int axis = (int)p->side / 2, n = c->space.cells[axis];
    int nearest = n;
    for (int i = 0; i < g->count; i++) {
        const int cells = ((int)p->side & 1) ? n - g->solids[i].end[axis] : g->solids[i].first[axis];
        nearest = cells < nearest ? cells : nearest;
    }
    return nearest;
}

/* Distance to it, lambda0; the length of the axis if there is none. */
static double port_distance(const struct kn_case *c, const struct kn_port *p, int cells)
{
    const int axis = (int)p->side / 2, n = c->space.cells[axis];
    double distance = 0;
    for (int i = 0; i < cells; i++)
        distance += kn_case_width(c, axis, ((int)p->side & 1) ? n - 1 - i : i);
    return distance;
}

/* Distance to the nearest smooth body with gas around it, lambda0; infinite if there is none. */
static double shape_distance(const struct kn_case *c, const struct kn_shapes *shapes, const struct kn_port *p)
{
    const int axis = (int)p->side / 2;
    double nearest = INFINITY, bounds[2];
    for (int i = 0; i < shapes->count; i++) {
        if (shapes->of[i].kind == KN_SHAPE_NONE || shapes->of[i].outside)
            continue;
        kn_shape_bounds(&shapes->of[i], axis, bounds);
        nearest =
            fmin(nearest, ((int)p->side & 1) ? c->gas.delta * c->space.size[axis] - bounds[1] : bounds[0]);
    }
    return fmax(nearest, 0);
}

/* The widest opening beside the nearest body, along an axis other than that of the port, in lambda0; 0: there
 * is none. The line through the middle of the third axis stands for all. */
static double opening_before(const struct kn_case *c, const struct kn_geometry *g, const struct kn_port *p,
                             int cells, int along)
{
    const int axis = (int)p->side / 2, n = c->space.cells[axis], other = 3 - axis - along;
    double widest = 0, width = 0;
    int at[3];
    if (cells >= n)
        return 0;
    at[axis] = ((int)p->side & 1) ? n - 1 - cells : cells;
    at[other] = c->space.cells[other] / 2;
    for (at[along] = 0; at[along] < c->space.cells[along]; at[along]++) {
        const bool open = kn_geometry_fills(g, at) < 0 && kn_geometry_covers(g, at, (int)p->side) < 0;
        width = open ? width + kn_case_width(c, along, at[along]) : 0;
        widest = fmax(widest, width);
    }
    return widest;
}

/* The drift of a pressure port belongs to gas near equilibrium, some mean free paths from any wall, and some
 * widths from an opening. */
static void judge_port(struct kn_validity *v, const struct kn_case *c, const struct kn_geometry *g,
                       const struct kn_shapes *shapes, const struct kn_port *p)
{
    enum { ENOUGH = 5 };
    const int cells = port_cells(c, g, p);
    const double distance = port_distance(c, p, cells),
                 paths = fmin(distance, shape_distance(c, shapes, p)) / KN_SCALES_FREE_PATH;
    double openings = INFINITY;
    if (p->kind != KN_PORT_PRESSURE && p->kind != KN_PORT_FLOW)
        return;
    for (int d = 0; d < 3; d++)
        if (d != (int)p->side / 2 && !kn_case_is_uniform(c, d)) {
            const double opening = opening_before(c, g, p, cells, d);
            openings = opening > 0 ? fmin(openings, distance / opening) : openings;
        }
    if (paths < ENOUGH || c->collision.method == KN_METHOD_NONE)
        kn_validity_add(
            v, 0, "port", NAN,
            "ports.%s is %.2g mean free paths from the nearest body or the opposite side: the gas "
            "there is not in equilibrium, and the pressure of the port is approximate (a distance of "
            "%d mean free paths, or kind: reservoir for nearly free molecules)",
            p->name, paths, ENOUGH);
    else if (openings < ENOUGH - 1e-6)
        kn_validity_add(
            v, 0, "port", NAN,
            "ports.%s is %.2g widths of the opening from it: the flow at the port is not uniform (a "
            "distance of %d widths)",
            p->name, openings, ENOUGH);
}

static void judge_ports(struct kn_validity *v, const struct kn_case *c)
{
    struct kn_geometry g;
    struct kn_shapes shapes;
    if (kn_case_ports(c) == 0 || kn_geometry_create(&g, c) != KN_OK)
        return;
    if (kn_shape_create(&shapes, c) == KN_OK)
        for (int i = 0; i < kn_case_ports(c); i++)
            judge_port(v, c, &g, &shapes, &c->ports[i]);
    kn_shape_destroy(&shapes);
    kn_geometry_destroy(&g);
}

void kn_validity_judge_model(struct kn_validity *v, const struct kn_case *c)
{
    judge_oscillation(v, c);
    judge_ports(v, c);
    judge_molecules(v, c);
    judge_prandtl(v, c);
    judge_collisions(v, c);
    judge_linearity(v, c);
}
