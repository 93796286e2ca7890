/* Properties that follow from a case alone: symmetry, widths of cells, kind of collisions. */
#include "config/case.h"

#include "point/mesh.h"

#include <math.h>

const char *kn_case_side_name(enum kn_side side)
{
    static const char *const names[] = {"left", "right", "bottom", "top", "back", "front"};
    return names[side];
}

int kn_case_bodies(const struct kn_case *c)
{
    int count = 0;
    while (count < KN_BODIES && *c->bodies[count].name)
        count++;
    return count;
}

int kn_case_ports(const struct kn_case *c)
{
    int count = 0;
    while (count < KN_PORTS && *c->ports[count].name)
        count++;
    return count;
}

int kn_case_surfaces(const struct kn_case *c)
{
    return KN_SIDES + kn_case_bodies(c) + kn_case_ports(c);
}

/* The gas beyond a port: n = p / T. */
static struct kn_wall wall_of(const struct kn_case *c, const struct kn_port *p)
{
    const double eps = c->disturbance, density = (p->pressure - p->temperature) / (1 + eps * p->temperature);
    return (struct kn_wall){.kind = KN_WALL_INFLOW,
                            .density = p->kind == KN_PORT_VACUUM ? -1 / eps
                                       : p->kind == KN_PORT_FLOW ? 0
                                                                 : density,
                            .temperatures = {p->temperature, KN_NO_POINT},
                            .accommodation = 1,
                            .tangential = 1,
                            .normal = 1};
}

const char *kn_case_surface_list(const struct kn_case *c, int number)
{
    const int body = number - KN_SIDES;
    return body < 0 ? "walls" : body < kn_case_bodies(c) ? "bodies" : "ports";
}

const char *kn_case_surface_name(const struct kn_case *c, int number)
{
    const int body = number - KN_SIDES, port = body - kn_case_bodies(c);
    return body < 0   ? kn_case_side_name((enum kn_side)number)
           : port < 0 ? c->bodies[body].name
                      : c->ports[port].name;
}

struct kn_wall kn_case_surface(const struct kn_case *c, int number)
{
    const int bodies = kn_case_bodies(c);
    if (number < KN_SIDES)
        return c->walls[number];
    return number < KN_SIDES + bodies ? c->bodies[number - KN_SIDES].surface
                                      : wall_of(c, &c->ports[number - KN_SIDES - bodies]);
}

int kn_case_patches(const struct kn_case *c)
{
    return KN_SIDES * (1 + kn_case_bodies(c)) + kn_case_ports(c);
}

struct kn_case_patch kn_case_patch(const struct kn_case *c, int patch)
{
    const int bodies = kn_case_bodies(c), port = patch - KN_SIDES * (1 + bodies);
    if (port >= 0)
        return (struct kn_case_patch){KN_SIDES + bodies + port, (int)c->ports[port].side};
    return (struct kn_case_patch){patch < KN_SIDES ? patch : KN_SIDES - 1 + patch / KN_SIDES,
                                  patch % KN_SIDES};
}

int kn_case_find_patch(const struct kn_case *c, int surface, int side)
{
    const int bodies = kn_case_bodies(c), body = surface - KN_SIDES, port = body - bodies;
    return body < 0 ? side : port < 0 ? KN_SIDES * (1 + body) + side : KN_SIDES * (1 + bodies) + port;
}

int kn_case_points(const struct kn_wall *wall)
{
    int count = 1;
    while (count < KN_POINTS && wall->temperatures[count] != KN_NO_POINT)
        count++;
    return count;
}

struct kn_case_span kn_case_temperatures(const struct kn_wall *wall)
{
    struct kn_case_span s = {wall->temperature, wall->temperature};
    for (int i = 1; i < kn_case_points(wall); i++) {
        s.low = fmin(s.low, wall->temperatures[i]);
        s.high = fmax(s.high, wall->temperatures[i]);
    }
    return s;
}

static bool rotates(const struct kn_body *b)
{
    return b->rotation[0] != 0 || b->rotation[1] != 0 || b->rotation[2] != 0;
}

bool kn_case_varies(const struct kn_case *c, int surface)
{
    const struct kn_wall wall = kn_case_surface(c, surface);
    const int body = surface - KN_SIDES;
    return kn_case_points(&wall) > 1 || (body >= 0 && body < kn_case_bodies(c) && rotates(&c->bodies[body]));
}

static bool has_component(const struct kn_case *c, int axis)
{
    for (int i = 0; i < kn_case_bodies(c); i++)
        if (c->bodies[i].rotation[(axis + 1) % 3] != 0 || c->bodies[i].rotation[(axis + 2) % 3] != 0)
            return true;
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const struct kn_wall w = kn_case_surface(c, i);
        if (w.velocity[axis] != 0 || w.oscillation.velocity[axis] != 0 || w.gradient.velocity[axis] != 0)
            return true;
    }
    return c->source.force[axis] != 0 || c->source.temperature_gradient[axis] != 0;
}

/* Axes along which the initial state is odd in v. */
static bool initial_is_odd(const struct kn_case *c, int axis)
{
    switch (c->initial.shape) {
    case KN_SHAPE_SHEAR:
        return axis == 1;
    case KN_SHAPE_STRESS:
        return axis <= 1;
    case KN_SHAPE_HEAT_FLUX:
    case KN_SHAPE_SOUND:
        return axis == 0;
    default:
        return false;
    }
}

bool kn_case_is_even(const struct kn_case *c, int axis)
{
    return !has_component(c, axis) && !initial_is_odd(c, axis) && c->gas.reference.velocity[axis] == 0;
}

bool kn_case_is_mirror(const struct kn_wall *wall)
{
    const double *u = wall->gradient.velocity;
    switch (wall->kind) {
    case KN_WALL_SPECULAR:
    case KN_WALL_SYMMETRY:
        return true;
    case KN_WALL_FAR_FIELD:
        return u[0] == 0 && u[1] == 0 && u[2] == 0 && wall->gradient.temperature == 0;
    default:
        return false;
    }
}

bool kn_case_scatters(const struct kn_wall *wall)
{
    return wall->kind == KN_WALL_DIFFUSE && (wall->tangential != 1 || wall->normal != 1);
}

bool kn_case_emits(const struct kn_wall *wall)
{
    return wall->kind == KN_WALL_INFLOW || (wall->kind == KN_WALL_DIFFUSE && wall->accommodation > 0);
}

int kn_case_reflection(const struct kn_wall *wall)
{
    const bool mirror =
        kn_case_is_mirror(wall) || (wall->kind == KN_WALL_DIFFUSE && wall->accommodation == 0);
    return mirror ? KN_MESH_MIRROR : 0;
}

int kn_case_inflow_axis(const struct kn_case *c)
{
    int found = -1;
    for (int axis = 0; axis < 3; axis++)
        if (c->walls[2 * axis].kind == KN_WALL_INFLOW && c->walls[2 * axis + 1].kind == KN_WALL_INFLOW) {
            if (found >= 0)
                return -1;
            found = axis;
        }
    return found;
}

bool kn_case_is_uniform(const struct kn_case *c, int axis)
{
    const struct kn_wall *low = &c->walls[2 * axis], *high = low + 1;
    const bool periodic = low->kind == KN_WALL_PERIODIC && high->kind == KN_WALL_PERIODIC;
    const bool mirrors = kn_case_is_mirror(low) && kn_case_is_mirror(high);
    return c->space.cells[axis] == 1 && (periodic || (mirrors && kn_case_is_even(c, axis)));
}

bool kn_case_is_reduced(const struct kn_case *c, int axis)
{
    const bool streams = !kn_case_is_uniform(c, 0) || !kn_case_is_uniform(c, 1) || !kn_case_is_uniform(c, 2);
    const bool models = kn_case_is_model(c->collision.method) || c->collision.method == KN_METHOD_NONE;
    return c->velocity.reduce == KN_REDUCE_AUTO && models && streams && kn_case_is_uniform(c, axis) &&
           c->initial.shape != KN_SHAPE_FOURTH_MOMENT && c->initial.shape != KN_SHAPE_BKW;
}

int kn_case_nodes(const struct kn_case *c, int axis)
{
    return kn_case_is_reduced(c, axis) ? KN_CASE_REDUCED_NODES : c->velocity.nodes[axis];
}

/* Sum of a geometric progression of n widths that begins with 1. */
static double sum_widths(double ratio, int n)
{
    return ratio == 1 ? n : (pow(ratio, -n) - 1) / (1 / ratio - 1);
}

/* Cells on the low side of the focus: a number for which the smallest cells on both sides are alike. */
static int cells_below(double ratio, int n, double share)
{
    int low = 1, high = n - 1;
    while (low < high) { /* the smallest number that makes the cells below narrower */
        const int middle = (low + high) / 2;
        if (share / sum_widths(ratio, middle) > (1 - share) / sum_widths(ratio, n - middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Two geometric progressions, which begin at the focus; their sum is 1. */
static double focused_width(const struct kn_case *c, int axis, int i)
{
    const double ratio = c->space.stretch[axis], share = c->space.focus[axis] / c->space.size[axis];
    const int n = c->space.cells[axis], below = cells_below(ratio, n, share);
    return i < below ? share * pow(ratio, i - below + 1) / sum_widths(ratio, below)
                     : (1 - share) * pow(ratio, below - i) / sum_widths(ratio, n - below);
}

/* A geometric progression towards the clustered end or the focus. */
double kn_case_relative_width(const struct kn_case *c, int axis, int i)
{
    const double ratio = c->space.stretch[axis];
    const int n = c->space.cells[axis];
    switch (c->space.cluster[axis]) {
    case KN_CLUSTER_LOW:
        return pow(ratio, n - 1 - i);
    case KN_CLUSTER_HIGH:
        return pow(ratio, i);
    case KN_CLUSTER_FOCUS:
        return focused_width(c, axis, i);
    default: /* at both ends: symmetric, largest in the middle */
        return pow(ratio, fabs(i - 0.5 * (n - 1)));
    }
}

double kn_case_width(const struct kn_case *c, int axis, int i)
{
    double sum = 0;
    for (int k = 0; k < c->space.cells[axis]; k++)
        sum += kn_case_relative_width(c, axis, k);
    return c->gas.delta * c->space.size[axis] * kn_case_relative_width(c, axis, i) / sum;
}

double kn_case_mean_width(const struct kn_case *c, int axis, double power)
{
    const int n = c->space.cells[axis];
    const double length = c->gas.delta * c->space.size[axis];
    double sum = 0, mean = 0;
    for (int i = 0; i < n; i++)
        sum += kn_case_relative_width(c, axis, i);
    for (int i = 0; i < n; i++) {
        const double share = kn_case_relative_width(c, axis, i) / sum;
        mean += share * pow(share * length, power);
    }
    return mean;
}

double kn_case_narrowest_cell(const struct kn_case *c, int axis)
{
    const int n = c->space.cells[axis];
    double sum = 0, least = INFINITY;
    for (int i = 0; i < n; i++) {
        const double width = kn_case_relative_width(c, axis, i);
        sum += width;
        least = fmin(least, width);
    }
    return c->gas.delta * c->space.size[axis] * least / sum;
}

double kn_case_omega(const struct kn_case *c)
{
    return c->gas.molecules == KN_MOLECULES_HARD_SPHERE ? 0.5
           : c->gas.molecules == KN_MOLECULES_MAXWELL   ? 1.0
                                                        : c->gas.omega;
}

/* Exact for hard spheres [Pekeris and Alterman 1957] and Maxwell molecules; molecules in between
 * have nearly that of Maxwell molecules. */
static double molecules_prandtl(const struct kn_case *c)
{
    return kn_case_omega(c) == 0.5 ? 0.660694457 : 2.0 / 3.0;
}

double kn_case_frequency(const struct kn_case *c)
{
    double frequency = 0;
    for (int i = kn_case_surfaces(c) - 1; i >= 0; i--) {
        const struct kn_wall w = kn_case_surface(c, i);
        frequency = w.oscillation.frequency > 0 ? w.oscillation.frequency : frequency;
    }
    return frequency;
}

bool kn_case_is_in_phase(const struct kn_case *c)
{
    bool in_phase = true;
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const struct kn_oscillation o = kn_case_surface(c, i).oscillation;
        in_phase = in_phase && (o.frequency == 0 || o.phase == 0);
    }
    return in_phase;
}

enum kn_limiter kn_case_limiter(const struct kn_case *c)
{
    return c->space.order == 2 ? c->space.limiter : KN_LIMITER_NONE;
}

int kn_case_reach(const struct kn_case *c)
{
    return c->space.order == 1 ? 1 : 2;
}

bool kn_case_is_sampled(enum kn_method method)
{
    return method == KN_METHOD_MONTE_CARLO;
}

bool kn_case_is_model(enum kn_method method)
{
    return method == KN_METHOD_BGK || method == KN_METHOD_SHAKHOV || method == KN_METHOD_ES_BGK;
}

double kn_case_prandtl(const struct kn_case *c)
{
    switch (c->collision.method) {
    case KN_METHOD_BGK:
        return 1;
    case KN_METHOD_SHAKHOV:
    case KN_METHOD_ES_BGK:
        return c->collision.prandtl;
    default:
        return molecules_prandtl(c);
    }
}
