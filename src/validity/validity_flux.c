/* Error of the fluxes that walls and inflows emit, on the velocity grid. */
#include "validity/validity.h"

#include "config/case.h"
#include "error.h"
#include "grid/duration.h"

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
    *what = names[MASS];
    for (int i = 0; i < QUANTITIES; i++) { /* fluxes far smaller than the others are ignored */
        const double error = fabs(found[i] - right[i]) / fmax(fabs(right[i]), 0.05 * largest);
        if (error <= worst || largest == 0)
            continue;
        worst = error;
        *what = names[i];
    }
    return isfinite(worst) ? worst : INFINITY;
}

/* Deviations times eps are added to the gas at rest.  A linear problem is independent of their size; a size
 * is then chosen for which nonlinear terms and round-off are both negligible. */
static struct kn_maxwellian state_of(double scale, double rho, const double u[3], double theta, bool given)
{
    return (struct kn_maxwellian){
        1 + scale * rho, {scale * u[0], scale * u[1], scale * u[2]}, 1 + scale * theta, given};
}

/* The state of a side at an extreme of its oscillation. */
static struct kn_maxwellian side_state(const struct kn_wall *w, double scale, int sign)
{
    const bool given = w->kind == KN_WALL_INFLOW;
    double u[3];
    for (int d = 0; d < 3; d++)
        u[d] = w->velocity[d] + sign * w->oscillation.velocity[d];
    return state_of(scale, given ? w->density : 0, u, w->temperature + sign * w->oscillation.temperature,
                    given);
}

static double size_of(const struct kn_wall *w)
{
    double size = fabs(w->temperature) + fabs(w->oscillation.temperature);
    if (w->kind == KN_WALL_INFLOW)
        size = fmax(size, fabs(w->density));
    for (int d = 0; d < 3; d++)
        size = fmax(size, fabs(w->velocity[d]) + fabs(w->oscillation.velocity[d]));
    return size;
}

static bool emits(const struct kn_wall *w)
{
    return w->kind == KN_WALL_INFLOW || kn_duration_is_diffuse(w);
}

/* The worst exchange of a case. */
struct worst {
    double error;
    const char *what;
    int side;
};

static void compare(struct worst *worst, const struct kn_velocity *v, int side, int axis,
                    struct kn_maxwellian low, struct kn_maxwellian high)
{
    const char *what = "density or temperature";
    const bool possible = low.T > 0 && high.T > 0 && low.n > 0 && high.n > 0;
    const double error = possible ? kn_validity_exchange(v, axis, low, high, &what) : INFINITY;
    if (error > worst->error)
        *worst = (struct worst){error, what, side};
}

/* A side opposite to the same kind of side with gas at rest, and opposite to the other end of its axis. */
static void compare_side(struct worst *worst, const struct kn_case *c, const struct kn_velocity *v, int side)
{
    const struct kn_wall *w = &c->walls[side], *other = &c->walls[side ^ 1];
    const double small = 1e-3, size = emits(other) ? fmax(size_of(w), size_of(other)) : size_of(w);
    if (!emits(w) || size == 0)
        return;
    const double scale = c->disturbance * size > small ? c->disturbance : small / size;
    for (int sign = -1; sign <= 1; sign += 2) {
        const struct kn_maxwellian here = side_state(w, scale, sign),
                                   rest = {.n = 1, .T = 1, .given = here.given};
        if (side % 2 == 0)
            compare(worst, v, side, side / 2, here, rest);
        else
            compare(worst, v, side, side / 2, rest, here);
        for (int there = -1; there <= 1 && side % 2 == 0 && emits(other); there += 2)
            compare(worst, v, size_of(w) < size_of(other) ? side + 1 : side, side / 2, here,
                    side_state(other, scale, there));
    }
}

static enum kn_status find_worst(const struct kn_case *c, struct worst *worst)
{
    struct kn_velocity v;
    *worst = (struct worst){0, "", 0};
    const enum kn_status status = kn_velocity_create(&v, c);
    for (int side = 0; side < KN_SIDES && status == KN_OK; side++)
        compare_side(worst, c, &v, side);
    if (status == KN_OK && c->initial.shape == KN_SHAPE_ANISOTROPIC && c->disturbance > 0)
        for (int i = 0; i < 2; i++) {
            const double theta = c->initial.amplitude * (i ? -0.5 : 1), still[3] = {0};
            const struct kn_maxwellian rest = {.n = 1, .T = 1, .given = true};
            compare(worst, &v, 0, 0, state_of(c->disturbance, 0, still, theta, true), rest);
        }
    kn_velocity_destroy(&v);
    return status;
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

/* Advice: more nodes, else the Gauss grid in place of the stretched one, else another reference state. */
static void advise(const struct kn_case *c, char text[KN_VALIDITY_TEXT])
{
    struct kn_case gauss = *c;
    double error = 0;
    int most = 0;
    for (int d = 0; d < 3; d++)
        most = c->velocity.nodes[d] > most ? c->velocity.nodes[d] : most;
    int nodes = enough_nodes(c, most + 2, &error);
    const char *grid = "";
    if (nodes == 0 && c->velocity.grid == KN_GRID_STRETCHED) {
        gauss.velocity.grid = KN_GRID_GAUSS;
        gauss.velocity.weights = KN_WEIGHTS_EXACT;
        nodes = enough_nodes(&gauss, 8, &error);
        grid = "velocity.grid: gauss with ";
    }
    if (nodes > 0)
        snprintf(text, KN_VALIDITY_TEXT, "%svelocity.nodes: %d brings it to %s", grid, nodes,
                 KN_VALIDITY_PERCENT(error));
    else
        snprintf(text, KN_VALIDITY_TEXT,
                 "no velocity grid up to 32 nodes is enough; choose the reference state (T0, n0) nearer to "
                 "this side, or a smaller disturbance");
}

enum kn_status kn_validity_judge_fluxes(struct kn_validity *v, const struct kn_case *c)
{
    struct worst worst;
    char advice[KN_VALIDITY_TEXT];
    KN_TRY(find_worst(c, &worst));
    if (worst.error < KN_VALIDITY_WARN)
        return KN_OK;
    advise(c, advice);
    struct kn_finding *f = kn_validity_add(
        v, KN_VALIDITY_WARN, "velocity-grid", worst.error,
        "the velocity grid cannot represent what the %s side emits: the %s is wrong by %s without "
        "collisions (%s)",
        kn_case_side_name((enum kn_side)worst.side), worst.what, KN_VALIDITY_PERCENT(worst.error), advice);
    if (f && !(worst.error < KN_VALIDITY_REFUSE))
        f->level = KN_LEVEL_REFUSAL;
    return KN_OK;
}
