/* Checks during a run whether the velocity grid can represent the gas. */
#include "validity/validity.h"

#include "error.h"
#include "point/interpolate.h"
#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gas nearer to the reference than this is covered by the check of the case. */
static const double STRONG = 0.05;

enum kn_status kn_validity_watch_create(struct kn_validity_gas *g, const struct kn_case *c)
{
    *g = (struct kn_validity_gas){
        .reference = kn_reference_of(c), .least = {1, 1}, .most_density = 1, .tail = NAN};
    return kn_velocity_create(&g->grid, c);
}

void kn_validity_watch_destroy(struct kn_validity_gas *g)
{
    kn_velocity_destroy(&g->grid);
}

_Static_assert(sizeof(struct kn_validity_gas) - offsetof(struct kn_validity_gas, error) ==
                   KN_VALIDITY_STATE * sizeof(double),
               "the state is all members after the reference");

void kn_validity_watch_save(const struct kn_validity_gas *g, double state[KN_VALIDITY_STATE])
{
    memcpy(state, (const char *)g + offsetof(struct kn_validity_gas, error),
           KN_VALIDITY_STATE * sizeof *state);
}

enum kn_status kn_validity_watch_restore(struct kn_validity_gas *g, const double state[KN_VALIDITY_STATE])
{
    bool good = state[0] >= 0 && state[9] >= 1 && !(state[10] < 0);
    for (int i = 1; i < 10; i++)
        good = good && isfinite(state[i]);
    if (!good)
        return kn_error_set(KN_EIO, "the checkpoint is damaged: its extreme states of the gas are invalid");
    memcpy((char *)g + offsetof(struct kn_validity_gas, error), state, KN_VALIDITY_STATE * sizeof *state);
    return KN_OK;
}

static struct kn_maxwellian state_of(double eps, const double *fields)
{
    return (struct kn_maxwellian){.n = 1 + eps * fields[KN_RHO],
                                  .u = {eps * fields[KN_UX], eps * fields[KN_UY], eps * fields[KN_UZ]},
                                  .T = 1 + eps * fields[KN_THETA]};
}

static double error_of(const struct kn_validity_gas *g, double eps, const struct kn_maxwellian *gas)
{
    const struct kn_maxwellian reference = {.n = 1, .T = 1},
                               m = kn_validity_convert(&g->reference, eps, *gas);
    const char *what;
    double worst = 0, size = fabs(m.T - 1);
    for (int d = 0; d < 3; d++)
        size = fmax(size, fabs(m.u[d]));
    if (size < STRONG || !(m.n > 0 && m.T > 0)) /* a value that is not positive is reported separately */
        return 0;
    for (int axis = 0; axis < 3; axis++)
        if (g->grid.bit[axis] && !kn_velocity_is_reduced(&g->grid, axis))
            worst = fmax(worst, kn_validity_exchange(&g->grid, axis, m, reference, &what));
    return worst;
}

/* Extremes of the fields; maxima are stored with the opposite sign, so that all are minima over the ranks. */
enum { DENSITY, TEMPERATURE, DENSEST, HOTTEST, FASTEST, EXTREMES };

static void take_extremes(double extreme[EXTREMES], const struct kn_maxwellian *m)
{
    const double speed = m->u[0] * m->u[0] + m->u[1] * m->u[1] + m->u[2] * m->u[2];
    const double values[EXTREMES] = {m->n, m->T, -m->n, -m->T, -speed};
    for (int i = 0; i < EXTREMES; i++)
        extreme[i] = fmin(extreme[i], values[i]);
}

/* The cell of this rank with the largest error among the coldest, hottest and fastest of all; judging every
 * cell would cost more than a step on a GPU.  -1: none has an error. */
static int find_worst(const struct kn_validity_gas *g, double eps, const struct kn_space *space,
                      const double *fields, const double extreme[EXTREMES], double *error)
{
    int worst = -1;
    for (int cell = 0; cell < space->ncells; cell++) {
        const struct kn_maxwellian m = state_of(eps, fields + (size_t)cell * KN_FIELDS);
        if (space->volume[cell] == 0)
            continue;
        double own[EXTREMES] = {0};
        take_extremes(own, &m);
        if (m.T != extreme[TEMPERATURE] && -m.T != extreme[HOTTEST] && own[FASTEST] != extreme[FASTEST])
            continue;
        const double found = error_of(g, eps, &m);
        worst = found > *error ? cell : worst;
        *error = fmax(*error, found);
    }
    return worst;
}

/* Store the state of the worst cell; of several with the same error, the first in the whole space. */
static void take_worst(struct kn_validity_gas *g, const struct kn_space *space, const struct kn_comm *comm,
                       int cell, const double values[6])
{
    int64_t first = cell >= 0 ? kn_space_number(space, cell) : INT64_MAX, bits[6] = {0};
    const int64_t own = first;
    kn_comm_least(comm, &first, 1);
    if (cell >= 0 && own == first)
        memcpy(bits, values, sizeof bits);
    kn_comm_sum(comm, bits, 6);
    memcpy(g->worst, bits, sizeof g->worst);
}

void kn_validity_watch(struct kn_validity_gas *g, const struct kn_case *c, const struct kn_space *space,
                       const struct kn_comm *comm, double time, const double *fields)
{
    const double eps = c->disturbance;
    double extreme[EXTREMES] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}, error = g->error;
    if (eps == 0)
        return;
    for (int cell = 0; cell < space->ncells; cell++) {
        const struct kn_maxwellian m = state_of(eps, fields + (size_t)cell * KN_FIELDS);
        if (space->volume[cell] > 0)
            take_extremes(extreme, &m);
    }
    kn_comm_least_real(comm, extreme, EXTREMES);
    g->least[0] = fmin(g->least[0], extreme[DENSITY]);
    g->least[1] = fmin(g->least[1], extreme[TEMPERATURE]);
    g->most_density = fmax(g->most_density, -extreme[DENSEST]);
    const int worst = find_worst(g, eps, space, fields, extreme, &error);
    double largest = -error;
    kn_comm_least_real(comm, &largest, 1);
    if (-largest <= g->error)
        return;
    g->error = -largest;
    const bool here = worst >= 0 && error == g->error;
    const struct kn_maxwellian m = state_of(eps, fields + (size_t)(here ? worst : 0) * KN_FIELDS);
    take_worst(g, space, comm, here ? worst : -1, (double[6]){m.n, m.u[0], m.u[1], m.u[2], m.T, time});
}

/* True if a node is outermost along an axis; a reduced axis has no tail. */
static bool is_outermost(const struct kn_velocity *v, int k)
{
    bool outermost = false;
    int at[3];
    kn_interpolate_place(v->half, k, at);
    for (int d = 0; d < 3; d++)
        outermost = outermost || (at[d] + 1 == v->half[d] && !kn_velocity_is_reduced(v, d));
    return outermost;
}

/* Energy of |h| on all nodes of a cell, and on those that are outermost along an axis. */
static void add_energy(const struct kn_velocity *v, const float *row, double energy[2])
{
    energy[0] = energy[1] = 0;
    for (int k = 0; k < v->size; k++) {
        const bool outer = is_outermost(v, k);
        for (int octant = 0; octant < v->octants; octant++) {
            const double e = fabs((double)row[(size_t)octant * v->stride + k]) * v->flow[3][k];
            energy[0] += e;
            energy[1] += outer ? e : 0;
        }
    }
}

enum { SAMPLE = 64 };

/* The largest share in a sample of cells, which does not depend on the number of ranks.  Cells where the gas
 * is nearly at rest are ignored. */
static enum kn_status find_tail(struct kn_validity_gas *g, struct kn_sim *sim, const struct kn_comm *comm,
                                bool polynomials, float *row, double *space_of_rest)
{
    double energy[SAMPLE + 1][2];
    const struct kn_space *space = kn_sim_space(sim);
    const int64_t every = kn_space_count(space) / SAMPLE + 1;
    double largest = 0, share = 0, rest = 0; /* with the opposite sign, for the minimum over the ranks */
    enum kn_status status = KN_OK;
    int count = 0;
    for (int cell = 0; cell < space->ncells && status == KN_OK; cell++) {
        if (kn_space_number(space, cell) % every != 0 || space->volume[cell] == 0)
            continue;
        status = kn_sim_get_rows(sim, cell, 1, row);
        add_energy(&g->grid, row, energy[count]);
        largest = fmin(largest, -energy[count++][0]);
        if (polynomials)
            rest = fmin(rest, -kn_validity_rest(&g->grid, g->grid.basis.eps, row, space_of_rest));
    }
    KN_TRY(kn_comm_agree(comm, status));
    kn_comm_least_real(comm, &largest, 1);
    for (int i = 0; i < count; i++)
        if (energy[i][0] > -0.1 * largest)
            share = fmin(share, -energy[i][1] / energy[i][0]);
    kn_comm_least_real(comm, &share, 1);
    kn_comm_least_real(comm, &rest, 1);
    g->tail = -share;
    g->rest = -rest;
    return KN_OK;
}

enum kn_status kn_validity_watch_tail(struct kn_validity_gas *g, const struct kn_case *c, struct kn_sim *sim,
                                      const struct kn_comm *comm)
{
    const bool polynomials = c->collision.method == KN_METHOD_OPERATOR && c->disturbance > 0;
    float *row = malloc((size_t)g->grid.nnodes * sizeof *row);
    double *space = malloc(2 * (size_t)g->grid.nnodes * sizeof *space);
    enum kn_status status =
        kn_comm_agree(comm, row && space ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for a row of h"));
    if (status == KN_OK && row && space)
        status = find_tail(g, sim, comm, polynomials, row, space);
    free(space);
    free(row);
    return status;
}

static bool has(const struct kn_validity *v, const char *code, double error)
{
    for (int i = 0; i < v->count; i++)
        if (strcmp(v->finding[i].code, code) == 0 && !(v->finding[i].error < error))
            return true;
    return false;
}

static void judge_state(struct kn_validity *v, const struct kn_validity_gas *g)
{
    const double *m = g->worst, speed = sqrt(m[1] * m[1] + m[2] * m[2] + m[3] * m[3]);
    char at[32] = "";
    if (isfinite(m[5]))
        snprintf(at, sizeof at, " at t = %.3g", m[5]);
    if (has(v, "velocity-grid", g->error / 1.2))
        return; /* the finding about the case says the same */
    kn_validity_add(v, KN_VALIDITY_WARN, "gas", g->error,
                    "the velocity grid cannot represent the gas%s (density %.3g n0, speed %.3g V0, "
                    "temperature %.3g T0): expect an error of %s (more velocity.nodes, or a "
                    "gas.reference.temperature nearer to this gas)",
                    at, m[0], speed, m[4], KN_VALIDITY_PERCENT(g->error));
}

static void judge_sign(struct kn_validity *v, const struct kn_validity_gas *g)
{
    const double tiny = 0.01;
    if (g->least[0] < 0 || g->least[1] < 0)
        kn_validity_add(
            v, 0, "negative", INFINITY,
            "the gas had a negative %s (%.3g of that at rest): the results are wrong (smaller cells, "
            "more velocity.nodes, or a weaker disturbance)",
            g->least[0] < 0 ? "density" : "temperature", g->least[0] < 0 ? g->least[0] : g->least[1]);
    else if (g->least[0] < tiny || g->least[1] < tiny)
        kn_validity_add(
            v, 0, "negative", NAN,
            "density or temperature fell to %.2g of that at rest, near zero: the results there are "
            "unreliable",
            fmin(g->least[0], g->least[1]));
}

/* On the Gauss grid polynomials may be large at the outermost nodes without an error: the share of v^2 - 3/2
 * is allowed.  Measured: from 0.2 above it on, errors of fluxes are 3 % and more. */
static void judge_tail(struct kn_validity *v, const struct kn_case *c, const struct kn_validity_gas *g)
{
    const bool gauss = c->velocity.grid == KN_GRID_GAUSS;
    double limit = 0.1;
    if (gauss) {
        double energy[2] = {0};
        for (int k = 0; k < g->grid.size; k++) {
            const double e = fabs((double)g->grid.square[k] - 1.5) * g->grid.flow[3][k];
            energy[0] += e;
            energy[1] += is_outermost(&g->grid, k) ? e : 0;
        }
        limit = 0.2 + energy[1] / energy[0];
    }
    if (g->tail > limit)
        kn_validity_add(
            v, 0, "tail", NAN,
            "the outermost velocity nodes carry %.0f %% of the energy of the disturbance: the velocity "
            "grid is too small for this gas (%s)",
            100 * g->tail, gauss ? "more velocity.nodes" : "a larger velocity.range");
}

static void judge_rest(struct kn_validity *v, const struct kn_validity_gas *g)
{
    const double error = kn_validity_rest_error(g->rest);
    kn_validity_add(
        v, KN_VALIDITY_WARN, "polynomials", error,
        "the gas is too far from equilibrium for the polynomials of the operator, which miss %.0f %% "
        "of its thermal energy in one cell: expect an error of %s (compare with more velocity.nodes, "
        "choose a gas.reference nearer to this gas, or use collision.method: monte-carlo)",
        100 * fmin(g->rest, 9.99), KN_VALIDITY_PERCENT(error));
}

void kn_validity_judge_gas(struct kn_validity *v, const struct kn_case *c, const struct kn_validity_gas *g)
{
    judge_state(v, g);
    judge_sign(v, g);
    judge_tail(v, c, g);
    judge_rest(v, g);
    if (g->most_density > 1) {
        struct kn_validity cells = {0};
        kn_validity_judge_cells(&cells, c, g->most_density);
        if (cells.count > 0 && !has(v, "cells", cells.finding[0].error / 1.2) && v->count < KN_VALIDITY_MOST)
            v->finding[v->count++] = cells.finding[0];
    }
}
