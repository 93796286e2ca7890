/* Error of the fluxes that walls and inflows emit, on the velocity grid. */
#include "validity/validity.h"

#include "config/case.h"
#include "config/config.h"
#include "config/reference.h"
#include "config/scales.h"
#include "error.h"

#include <math.h>

/* Moments of a Maxwellian of density 1 over the velocities that leave a side. */
struct moments {
    double mass, flux, push, energy, shear[3];
};

/* From the moments [axis][order] along each axis: along the normal of orders 0 to 3 over the half range,
 * along the tangents 0 to 2 over the whole range. */
static struct moments combine(int axis, double (*along)[4])
{
    const int s = (axis + 1) % 3, t = (axis + 2) % 3;
    const double *n = along[axis], *a = along[s], *b = along[t];
    struct moments m = {.mass = n[0] * a[0] * b[0],
                        .flux = n[1] * a[0] * b[0],
                        .push = n[2] * a[0] * b[0],
                        .energy = n[3] * a[0] * b[0] + n[1] * a[2] * b[0] + n[1] * a[0] * b[2]};
    m.shear[s] = n[1] * a[1] * b[0];
    m.shear[t] = n[1] * a[0] * b[1];
    return m;
}

/* The moments over a whole axis. */
static void exact_axis(const struct kn_maxwellian *m, int d, double along[4])
{
    along[0] = 1;
    along[1] = m->u[d];
    along[2] = m->u[d] * m->u[d] + m->T / 2;
}

static struct moments exact_moments(int axis, int away, const struct kn_maxwellian *m)
{
    const double T = m->T, u = away * m->u[axis];
    double along[3][4], *n = along[axis];
    for (int d = 0; d < 3; d++)
        exact_axis(m, d, along[d]);
    n[0] = erfc(-u / sqrt(T)) / 2;
    n[1] = u * n[0] + sqrt(T / M_PI) / 2 * exp(-u * u / T);
    n[2] = u * n[1] + T / 2 * n[0];
    n[3] = u * n[2] + T * n[1];
    return combine(axis, along);
}

/* Sum over one half of an axis, whose velocities have the given sign. */
static void add_half(const struct kn_velocity *v, int d, int sign, const struct kn_maxwellian *m,
                     double along[4])
{
    for (int i = 0; i < v->half[d]; i++) {
        const double x = v->node[d][i], away = x - sign * m->u[d];
        double term = v->weight[d][i] * exp(x * x - away * away / m->T) / sqrt(m->T);
        for (int k = 0; k < 4; k++, term *= x)
            along[k] += (sign < 0 && k % 2 ? -1 : 1) * term;
    }
}

/* A folded axis has its positive half only, with doubled weights; the mean velocity along it is zero. Moments
 * along a reduced axis are exact. */
static struct moments grid_moments(const struct kn_velocity *v, int axis, int away,
                                   const struct kn_maxwellian *m)
{
    double along[3][4] = {{0}};
    for (int d = 0; d < 3; d++)
        for (int sign = -1; sign <= 1; sign += 2)
            if (kn_velocity_is_reduced(v, d))
                exact_axis(m, d, along[d]);
            else if (d == axis ? sign == away : sign == 1 || v->bit[d])
                add_half(v, d, sign, m, along[d]);
    for (int k = 1; k < 4 && away < 0; k += 2) /* velocities away from the side */
        along[axis][k] = -along[axis][k];
    for (int k = 0; k < 4 && !v->bit[axis]; k++)
        along[axis][k] /= 2;
    for (int d = 0; d < 3; d++)
        if (!v->bit[d] && d != axis)
            along[d][1] = 0;
    return combine(axis, along);
}

enum { MASS, SHEAR, HEAT = SHEAR + 3, HEAT_HIGH, PRESSURE, QUANTITIES };

static const char *const names[QUANTITIES] = {
    "mass flux", "shear stress", "shear stress",         "shear stress",
    "heat flux", "heat flux",    "pressure on the walls"};

/* Densities: walls return the mass that arrives; between two walls the mass is that of the gas at rest. */
static void balance(struct kn_maxwellian pair[2], const struct moments m[2], double mass)
{
    for (int i = 0; i < 2; i++)
        if (!pair[i].given && pair[1 - i].given)
            pair[i].n = pair[1 - i].n * m[1 - i].flux / m[i].flux;
    if (!pair[0].given && !pair[1].given) {
        pair[0].n = mass / (m[0].mass + m[1].mass * m[0].flux / m[1].flux);
        pair[1].n = pair[0].n * m[0].flux / m[1].flux;
    }
}

/* Heat flux in the frame of a wall that moves in its plane with u. */
static double heat_seen(const struct moments m[2], const struct kn_maxwellian pair[2], const double u[3])
{
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        double heat = m[i].energy;
        for (int d = 0; d < 3; d++)
            heat += u[d] * (u[d] * m[i].flux - 2 * m[i].shear[d]);
        sum += (i ? -1 : 1) * pair[i].n * heat;
    }
    return sum;
}

static void find_fluxes(const struct kn_maxwellian ends[2], const struct moments m[2], double mass,
                        double q[QUANTITIES])
{
    static const double still[3] = {0};
    struct kn_maxwellian pair[2] = {ends[0], ends[1]};
    balance(pair, m, mass);
    q[MASS] = pair[0].n * m[0].flux - pair[1].n * m[1].flux;
    for (int d = 0; d < 3; d++)
        q[SHEAR + d] = pair[0].n * m[0].shear[d] - pair[1].n * m[1].shear[d];
    q[HEAT] = heat_seen(m, pair, pair[0].given ? still : pair[0].u);
    q[HEAT_HIGH] = heat_seen(m, pair, pair[1].given ? still : pair[1].u);
    q[PRESSURE] = pair[0].n * m[0].push + pair[1].n * m[1].push;
}

struct kn_maxwellian kn_validity_convert(const struct kn_reference *r, double eps, struct kn_maxwellian m)
{
    for (int d = 0; d < 3; d++)
        m.u[d] = (m.u[d] - eps * r->velocity[d]) / r->speed;
    m.T /= r->ratio;
    return m;
}

double kn_validity_exchange(const struct kn_velocity *grid, int axis, struct kn_maxwellian low,
                            struct kn_maxwellian high, const char **what)
{
    const struct kn_maxwellian ends[2] = {low, high}, rest = {.n = 1, .T = 1};
    struct moments on_grid[2], exact[2];
    double found[QUANTITIES], right[QUANTITIES], largest = 0, worst = 0;
    for (int i = 0; i < 2; i++) {
        on_grid[i] = grid_moments(grid, axis, i ? -1 : 1, &ends[i]);
        exact[i] = exact_moments(axis, i ? -1 : 1, &ends[i]);
    }
    find_fluxes(ends, on_grid, 2 * grid_moments(grid, axis, 1, &rest).mass, found);
    find_fluxes(ends, exact, 1, right);
    for (int i = 0; i < PRESSURE; i++)
        largest = fmax(largest, fabs(right[i]));
    const double least = fmax(0.05 * largest, 1e-6 * right[PRESSURE]);
    *what = names[MASS];
    for (int i = 0; i < QUANTITIES; i++) { /* fluxes far smaller than the others are ignored */
        const double error = fabs(found[i] - right[i]) / fmax(fabs(right[i]), least);
        if (error <= worst)
            continue;
        worst = error;
        *what = names[i];
    }
    return isfinite(worst) ? worst : INFINITY;
}

/* Deviations times eps are added to the reference.  A linear problem is independent of their size; a size
 * is then chosen for which nonlinear terms and round-off are both negligible. */
static struct kn_maxwellian state_of(double scale, double rho, const double u[3], double theta, bool given)
{
    return (struct kn_maxwellian){
        1 + scale * rho, {scale * u[0], scale * u[1], scale * u[2]}, 1 + scale * theta, given};
}

/* The state of a side at an extreme of its oscillation and of its temperatures. */
static struct kn_maxwellian side_state(const struct kn_wall *w, double scale, int sign)
{
    const bool given = w->kind == KN_WALL_INFLOW;
    const struct kn_case_span t = kn_case_temperatures(w);
    double u[3];
    for (int d = 0; d < 3; d++)
        u[d] = w->velocity[d] + sign * w->oscillation.velocity[d];
    return state_of(scale, given ? w->density : 0, u,
                    (sign < 0 ? t.low : t.high) + sign * w->oscillation.temperature, given);
}

static double size_of(const struct kn_wall *w)
{
    const struct kn_case_span t = kn_case_temperatures(w);
    double size = fmax(fabs(t.low), fabs(t.high)) + fabs(w->oscillation.temperature);
    if (w->kind == KN_WALL_INFLOW)
        size = fmax(size, fabs(w->density));
    for (int d = 0; d < 3; d++)
        size = fmax(size, fabs(w->velocity[d]) + fabs(w->oscillation.velocity[d]));
    return size;
}

/* A case in units of its reference, and the gas at rest in them. */
struct scene {
    const struct kn_case *of; /* in the units of the gas at rest */
    struct kn_case c;
    struct kn_velocity v;
    struct kn_maxwellian rest;
    bool at_rest; /* the reference is the gas at rest */
};

/* The worst exchange of a case. */
struct worst {
    double error;
    const char *what;
    int surface;
};

static void compare(struct worst *worst, const struct kn_velocity *v, int surface, int axis,
                    struct kn_maxwellian low, struct kn_maxwellian high)
{
    const char *what = "density or temperature";
    const bool possible = low.T > 0 && high.T > 0 && low.n > 0 && high.n > 0;
    const double error = possible ? kn_validity_exchange(v, axis, low, high, &what) : INFINITY;
    if (error > worst->error)
        *worst = (struct worst){error, what, surface};
}

/* A side opposite to the same kind of side with gas at rest, and opposite to the other end of its axis. */
static void compare_side(struct worst *worst, const struct scene *s, int side)
{
    const struct kn_wall *w = &s->c.walls[side], *other = &s->c.walls[side ^ 1];
    const double small = 1e-3, eps = s->c.disturbance,
                 size = kn_case_emits(other) ? fmax(size_of(w), size_of(other)) : size_of(w);
    if (!kn_case_emits(w) || (size == 0 && s->at_rest))
        return;
    const double scale = eps * size > small || !s->at_rest ? eps : small / size;
    for (int sign = -1; sign <= 1; sign += 2) {
        const struct kn_maxwellian here = side_state(w, scale, sign);
        struct kn_maxwellian rest = s->rest;
        rest.given = here.given;
        if (size_of(&s->of->walls[side]) > 0)
            compare(worst, &s->v, side, side / 2, side % 2 ? rest : here, side % 2 ? here : rest);
        for (int there = -1; there <= 1 && side % 2 == 0 && kn_case_emits(other); there += 2)
            compare(worst, &s->v, size_of(w) < size_of(other) ? side + 1 : side, side / 2, here,
                    side_state(other, scale, there));
    }
}

/* A body or port at a finite disturbance, opposite to gas at rest along all axes along which the gas streams.
 */
static void compare_inside(struct worst *worst, const struct scene *s, int surface)
{
    const struct kn_wall w = kn_case_surface(&s->c, surface), given = kn_case_surface(s->of, surface);
    const double eps = s->c.disturbance;
    if (eps == 0 || !kn_case_emits(&w) || size_of(&given) == 0)
        return;
    for (int sign = -1; sign <= 1; sign += 2) {
        const struct kn_maxwellian here = side_state(&w, eps, sign);
        struct kn_maxwellian rest = s->rest;
        rest.given = here.given;
        for (int axis = 0; axis < 3 && here.n > 0; axis++) /* a vacuum emits nothing */
            if (!kn_case_is_uniform(s->of, axis)) {
                struct kn_maxwellian along = here;
                along.u[axis] = 0; /* tangential, as of a wall */
                compare(worst, &s->v, surface, axis, along, rest);
            }
    }
}

static enum kn_status find_worst(const struct kn_case *c, struct worst *worst)
{
    const struct kn_reference r = kn_reference_of(c);
    const struct kn_maxwellian rest = {.n = 1, .T = 1};
    struct scene s = {.of = c,
                      .c = kn_reference_case(&r, c),
                      .rest = kn_validity_convert(&r, c->disturbance, rest),
                      .at_rest = r.at_rest};
    *worst = (struct worst){0, "", 0};
    const enum kn_status status = kn_velocity_create(&s.v, c);
    for (int side = 0; side < KN_SIDES && status == KN_OK; side++)
        compare_side(worst, &s, side);
    for (int i = KN_SIDES; i < kn_case_surfaces(c) && status == KN_OK; i++)
        compare_inside(worst, &s, i);
    if (status == KN_OK && c->initial.shape == KN_SHAPE_ANISOTROPIC && c->disturbance > 0)
        for (int i = 0; i < 2; i++) {
            struct kn_maxwellian gas = s.rest;
            gas.T *= 1 + c->disturbance * c->initial.amplitude * (i ? -0.5 : 1);
            gas.given = s.rest.given = true;
            compare(worst, &s.v, 0, 0, gas, s.rest);
        }
    kn_velocity_destroy(&s.v);
    return status;
}

enum kn_status kn_validity_emission(const struct kn_case *c, double *error)
{
    struct worst worst;
    KN_TRY(find_worst(c, &worst));
    *error = worst.error;
    return KN_OK;
}

/* The smallest number of nodes from n on with a small error; 0: none up to MOST. */
static int enough_nodes(const struct kn_case *c, int n, double *error)
{
    enum { MOST = 32 };
    struct kn_case finer = *c;
    struct worst worst;
    for (; n <= MOST; n += 2) {
        for (int d = 0; d < 3; d++)
            finer.velocity.nodes[d] = n;
        if (find_worst(&finer, &worst) == KN_OK && worst.error < KN_VALIDITY_WARN / 2) {
            *error = worst.error;
            return n;
        }
    }
    return 0;
}

/* Another reference temperature that at least halves the error, with its key in `text`; false if there is
 * none. */
static bool find_reference(const struct kn_case *c, double error, struct kn_case *other,
                           char text[KN_VALIDITY_TEXT])
{
    const double middle = kn_reference_middle(c);
    struct kn_scales scales;
    struct worst worst;
    *other = *c;
    if (!kn_reference_is_free(c))
        return false;
    other->gas.reference.temperature = (middle - 1) / c->disturbance;
    if (find_worst(other, &worst) != KN_OK || !(worst.error < error / 2))
        return false;
    const bool si = kn_scales_create(&scales, c) == KN_OK && scales.known;
    snprintf(text, KN_VALIDITY_TEXT, "gas.reference.temperature: %.4g%s",
             si ? middle * scales.temperature : other->gas.reference.temperature, si ? " K" : "");
    return true;
}

/* "gas.reference.temperature: 1.5 and velocity.nodes: 10 brings it to 0.2 %", or one of both; false if no
 * number of nodes from `least` on is enough. */
static bool suggest(const struct kn_case *c, double error, int least, char text[KN_VALIDITY_TEXT])
{
    char reference[KN_VALIDITY_TEXT] = "", nodes[KN_NAME] = "";
    struct kn_case other;
    const bool found = find_reference(c, error, &other, reference);
    const int *now = c->velocity.nodes, enough = enough_nodes(found ? &other : c, least, &error);
    if (now[0] != enough || now[1] != enough || now[2] != enough)
        snprintf(nodes, sizeof nodes, "%svelocity.nodes: %d", found ? " and " : "", enough);
    snprintf(text, KN_VALIDITY_TEXT, "%.100s%s brings it to %s", reference, nodes,
             KN_VALIDITY_PERCENT(error));
    return enough > 0;
}

/* Advice: another reference temperature and more nodes; else the Gauss grid in place of the stretched one. */
static void advise(const struct kn_case *c, double error, char text[KN_VALIDITY_TEXT])
{
    struct kn_case other = *c;
    char change[KN_VALIDITY_TEXT];
    int most = 0;
    for (int d = 0; d < 3; d++)
        most = c->velocity.nodes[d] > most ? c->velocity.nodes[d] : most;
    if (suggest(&other, error, most, text))
        return;
    other.velocity.grid = KN_GRID_GAUSS;
    other.velocity.weights = KN_WEIGHTS_EXACT;
    if (c->velocity.grid == KN_GRID_STRETCHED && suggest(&other, error, 8, change))
        snprintf(text, KN_VALIDITY_TEXT, "velocity.grid: gauss with %.300s", change);
    else
        snprintf(text, KN_VALIDITY_TEXT,
                 "no velocity grid up to 32 nodes is enough; choose T0 and n0 nearer to this side, or a "
                 "smaller disturbance");
}

/* "the left side" or "bodies.bar". */
static const char *surface_text(const struct kn_case *c, int surface, char text[KN_NAME])
{
    const char *name = kn_case_surface_name(c, surface);
    if (surface < KN_SIDES)
        snprintf(text, KN_NAME, "the %s side", name);
    else
        snprintf(text, KN_NAME, "%s.%s", kn_case_surface_list(c, surface), name);
    return text;
}

enum kn_status kn_validity_judge_fluxes(struct kn_validity *v, const struct kn_case *c)
{
    struct worst worst;
    char advice[KN_VALIDITY_TEXT], name[KN_NAME];
    KN_TRY(find_worst(c, &worst));
    if (worst.error < KN_VALIDITY_WARN)
        return KN_OK;
    advise(c, worst.error, advice);
    struct kn_finding *f = kn_validity_add(
        v, KN_VALIDITY_WARN, "velocity-grid", worst.error,
        "the velocity grid cannot represent what %s emits: the %s is wrong by %s without collisions (%s)",
        surface_text(c, worst.surface, name), worst.what, KN_VALIDITY_PERCENT(worst.error), advice);
    if (f && !(worst.error < KN_VALIDITY_REFUSE))
        f->level = KN_LEVEL_REFUSAL;
    return KN_OK;
}
