/* Assembly of the moment equations from the faces of cells, and their solution by elimination. */
#include "steady/coarse.h"

#include "config/case.h"
#include "error.h"
#include "grid/boundary.h"
#include "point/steady.h"
#include "steady/trial.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = KN_STEADY_FUNCTIONS, STAR = KN_COARSE_STAR };

/* Integrals over the nodes of one octant, without signs. */
struct integrals {
    double flux[3][MOST][MOST]; /* of |v_d| phi_k phi_l, by axis */
    double arriving[3][MOST];   /* of |v_d| phi_l */
    double leaving[KN_SIDES][8][MOST]; /* of |v_n| phi_k (1 + eps E) by patch and octant, with signs */
};

struct assembly {
    struct kn_coarse *c;
    const struct kn_steady_plan *plan;
    struct kn_mesh mesh;
    int order;
    struct integrals i;
};

/* The contribution of one term of the equation: row and octant of the test functions, axis, factor. */
struct term {
    int cell, octant, axis;
    double factor;
};

static double *block_of(struct kn_coarse *c, int cell, int other)
{
    const size_t size = (size_t)c->plan->functions * (size_t)c->plan->functions;
    int32_t *columns = c->columns + (size_t)cell * STAR;
    int i = 0;
    while (i < STAR - 1 && columns[i] != other && columns[i] >= 0)
        i++;
    columns[i] = other;
    return c->blocks + ((size_t)cell * STAR + (size_t)i) * size;
}

const double *kn_coarse_block(const struct kn_coarse *c, int cell, int other)
{
    const size_t size = (size_t)c->plan->functions * (size_t)c->plan->functions;
    for (int i = 0; i < STAR; i++)
        if (c->columns[(size_t)cell * STAR + (size_t)i] == other)
            return c->blocks + ((size_t)cell * STAR + (size_t)i) * size;
    return NULL;
}

static void fill_integrals(struct assembly *a)
{
    const struct kn_steady_plan *p = a->plan;
    const struct kn_velocity *v = p->problem->velocity;
    for (int d = 0; d < 3; d++)
        for (int f = 0; f < p->functions; f++) {
            const double *phi = p->trial + (size_t)f * (size_t)v->size;
            for (int k = 0; k < v->size; k++) {
                const double flow = v->mass[k] * v->speed[d][k] * phi[k];
                a->i.arriving[d][f] += flow;
                for (int g = 0; g < p->functions; g++)
                    a->i.flux[d][f][g] += flow * p->trial[(size_t)g * (size_t)v->size + (size_t)k];
            }
        }
    for (int patch = 0; patch < KN_SIDES; patch++)
        for (int octant = 0; octant < v->octants; octant++)
            for (int f = 0; f < p->functions; f++) {
                const double *phi = p->trial + (size_t)f * (size_t)v->size;
                const float *excess =
                    p->problem->boundary->patches[patch].emission + (size_t)octant * (size_t)v->stride;
                double sum = 0;
                for (int k = 0; k < v->size; k++)
                    sum += v->mass[k] * v->speed[patch / 2][k] * phi[k] *
                           (1 + p->problem->c->disturbance * excess[k]);
                a->i.leaving[patch][octant][f] = kn_trial_sign(p->parity[f], octant) * sum;
            }
}

/* What the term gets from the trial functions at a site. */
static void add_site(struct assembly *a, struct term t, struct kn_site s)
{
    const struct kn_steady_plan *p = a->plan;
    double *block = block_of(a->c, t.cell, s.cell);
    for (int f = 0; f < p->functions; f++) {
        const double factor = t.factor * kn_trial_sign(p->parity[f], t.octant);
        for (int g = 0; g < p->functions; g++)
            block[f * p->functions + g] +=
                factor * kn_trial_sign(p->parity[g], s.octant) * a->i.flux[t.axis][f][g];
    }
}

/* The part of the emission of a wall that is proportional to the mass arriving from a site. */
static void add_arriving(struct assembly *a, struct term t, const struct kn_face *face, struct kn_site s)
{
    const struct kn_steady_plan *p = a->plan;
    double *block = block_of(a->c, t.cell, s.cell);
    for (int f = 0; f < p->functions; f++)
        for (int g = 0; g < p->functions; g++)
            block[f * p->functions + g] += t.factor * a->i.leaving[face->patch][t.octant][f] *
                                           kn_trial_sign(p->parity[g], s.octant) * a->i.arriving[t.axis][g];
}

static void add_emission(struct assembly *a, struct term t, int number);

/* The value on the downwind face of a site; `wall`: as mass that arrives there, else as a distribution. */
static void add_face(struct assembly *a, struct term t, struct kn_site s, const struct kn_face *wall)
{
    const struct kn_steady_face f = kn_steady_face_of(&a->mesh, s, t.axis, a->order);
    const struct kn_site sites[3] = {s, f.up, f.down};
    const double factors[3] = {1 + f.before - f.after, -f.before, f.after};
    for (int i = 0; i < 3; i++) {
        const struct term part = {t.cell, t.octant, t.axis, t.factor * factors[i]};
        if (factors[i] == 0)
            continue;
        if (sites[i].cell < 0)
            add_emission(a, part, ~sites[i].cell);
        else if (wall)
            add_arriving(a, part, wall, sites[i]);
        else
            add_site(a, part, sites[i]);
    }
}

/* The part of the distribution that leaves a wall face which depends on h, theory (21), (22). */
static void add_emission(struct assembly *a, struct term t, int number)
{
    const struct kn_problem *p = a->plan->problem;
    const struct kn_face *face = &p->space->faces[number];
    const struct kn_patch *patch = &p->boundary->patches[face->patch];
    const double rest = 1 - (double)patch->alpha * patch->replaces;
    const int into = (face->side & 1) ? 1 : -1;
    if (rest != 0)
        add_face(a, (struct term){t.cell, t.octant, t.axis, t.factor * rest},
                 (struct kn_site){face->cell, t.octant ^ a->mesh.bit[t.axis]}, NULL);
    for (int octant = 0; octant < a->mesh.octants && isfinite(patch->unit_flux); octant++)
        if (kn_velocity_sign(p->velocity, octant, t.axis) == into)
            add_face(a, (struct term){t.cell, t.octant, t.axis, t.factor * patch->alpha / patch->unit_flux},
                     (struct kn_site){face->cell, octant}, face);
}

/* |v_d| / width (downwind face - upwind face) */
static void add_transport(struct assembly *a, int cell, int octant, int axis)
{
    const struct kn_site here = {cell, octant}, up = kn_mesh_walk(&a->mesh, here, axis, 0);
    const double per_width = 1 / (double)kn_mesh_width(&a->mesh, cell, axis);
    struct term t = {cell, octant, axis, per_width};
    add_face(a, t, here, NULL);
    t.factor = -per_width;
    if (up.cell < 0)
        add_emission(a, t, ~up.cell);
    else
        add_face(a, t, up, NULL);
}

static void add_collisions(struct assembly *a, int cell)
{
    const struct kn_steady_plan *p = a->plan;
    const struct kn_velocity *v = p->problem->velocity;
    double *block = block_of(a->c, cell, cell);
    for (int f = 0; f < p->functions; f++)
        for (int g = 0; g < p->functions; g++) {
            const double *test = p->trial + (size_t)f * (size_t)v->size,
                         *trial = p->trial + (size_t)g * (size_t)v->size,
                         *lagged = p->lagged + (size_t)g * (size_t)v->size;
            for (int k = 0; k < v->size && p->parity[f] == p->parity[g]; k++)
                block[f * p->functions + g] -=
                    v->octants * v->mass[k] * test[k] * (lagged[k] - p->frequency[k] * trial[k]);
        }
}

static void assemble(struct kn_coarse *c)
{
    const struct kn_problem *p = c->plan->problem;
    struct assembly a = {.c = c, .plan = c->plan, .mesh = kn_backend_mesh(p), .order = p->c->space.order};
    fill_integrals(&a);
    for (int cell = 0; cell < p->space->ncells; cell++) {
        add_collisions(&a, cell); /* first: the block of the cell itself */
        for (int octant = 0; octant < a.mesh.octants; octant++)
            for (int i = 0; i < a.mesh.naxes; i++)
                add_transport(&a, cell, octant, a.mesh.axes[i]);
    }
}

/* ------------------------------------------------------------------ elimination */

/* Cells in the order of their positions, the axis with most cells last.  Along a periodic axis both ends
 * begin, so that neighbours remain close. */
static void place_cells(struct kn_coarse *c)
{
    const struct kn_space *x = c->plan->problem->space;
    int axes[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (x->cells[axes[j]] > x->cells[axes[j + 1]]) {
                const int swap = axes[j];
                axes[j] = axes[j + 1];
                axes[j + 1] = swap;
            }
    const int last = axes[2], n = x->cells[last];
    const bool wraps = c->plan->problem->c->walls[2 * last].kind == KN_WALL_PERIODIC;
    for (int cell = 0; cell < x->ncells; cell++) {
        int at[3];
        kn_space_place(x, cell, at);
        const int along = !wraps ? at[last] : at[last] < (n + 1) / 2 ? 2 * at[last] : 2 * (n - 1 - at[last]) + 1;
        c->place[cell] = (along * x->cells[axes[1]] + at[axes[1]]) * x->cells[axes[0]] + at[axes[0]];
    }
}

static int find_band(const struct kn_coarse *c)
{
    const int ncells = c->plan->problem->space->ncells;
    int widest = 0;
    for (int cell = 0; cell < ncells; cell++)
        for (int i = 0; i < STAR; i++) {
            const int32_t other = c->columns[(size_t)cell * STAR + (size_t)i];
            const int distance = other < 0 ? 0 : abs(c->place[cell] - c->place[other]);
            widest = distance > widest ? distance : widest;
        }
    const int unknowns = ncells * c->plan->functions, band = (widest + 1) * c->plan->functions - 1;
    return band < unknowns ? band : unknowns - 1;
}

/* Element (row, column) of the band matrix. */
static double *element(const struct kn_coarse *c, int row, int column)
{
    return c->factors + (size_t)column * (size_t)(3 * c->band + 1) + (size_t)(2 * c->band + row - column);
}

static void fill_band(const struct kn_coarse *c)
{
    const int n = c->plan->functions, ncells = c->plan->problem->space->ncells;
    for (int cell = 0; cell < ncells; cell++)
        for (int i = 0; i < STAR; i++) {
            const int32_t other = c->columns[(size_t)cell * STAR + (size_t)i];
            const double *block = c->blocks + ((size_t)cell * STAR + (size_t)i) * (size_t)(n * n);
            for (int f = 0; f < n && other >= 0; f++)
                for (int g = 0; g < n; g++)
                    *element(c, c->place[cell] * n + f, c->place[other] * n + g) = block[f * n + g];
        }
    if (c->closed) /* one density is zero; the solution is shifted afterwards */
        *element(c, 0, 0) += fabs(*element(c, 0, 0));
}

enum kn_status kn_coarse_factorise(struct kn_coarse *c)
{
    const int n = c->plan->problem->space->ncells * c->plan->functions, height = 3 * c->band + 1;
    c->factors = calloc((size_t)n * (size_t)height, sizeof *c->factors);
    c->pivots = calloc((size_t)n, sizeof *c->pivots);
    c->vector = calloc((size_t)n, sizeof *c->vector);
    if (!c->factors || !c->pivots || !c->vector)
        return kn_error_set(KN_EMEMORY, "no memory for %.3g GB of moment equations",
                            8e-9 * (double)n * (double)height);
    fill_band(c);
    const int failed =
        LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, c->band, c->band, c->factors, height, c->pivots);
    if (failed)
        return kn_error_set(KN_ENUMERIC, "the moment equations are singular (LAPACK %d)", failed);
    return KN_OK;
}

double kn_coarse_memory(const int cells[3])
{
    const double all = (double)cells[0] * cells[1] * cells[2];
    const double longest = fmax(cells[0], fmax(cells[1], cells[2])), layer = all / longest;
    return (double)sizeof(double) * all * MOST * (STAR * MOST + 3 * (2 * layer + 1) * MOST);
}

enum kn_status kn_coarse_create(struct kn_coarse *c, const struct kn_steady_plan *plan)
{
    const size_t ncells = (size_t)plan->problem->space->ncells,
                 size = (size_t)plan->functions * (size_t)plan->functions;
    *c = (struct kn_coarse){.plan = plan, .closed = kn_boundary_keeps_mass(plan->problem->c)};
    c->columns = malloc(ncells * STAR * sizeof *c->columns);
    c->place = malloc(ncells * sizeof *c->place);
    c->blocks = calloc(ncells * STAR * size, sizeof *c->blocks);
    if (!c->columns || !c->place || !c->blocks)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations of %zu cells", ncells);
    for (size_t i = 0; i < ncells * STAR; i++)
        c->columns[i] = -1;
    assemble(c);
    place_cells(c);
    c->band = find_band(c);
    return KN_OK;
}

struct kn_steady_equations kn_coarse_equations(const struct kn_coarse *c)
{
    return (struct kn_steady_equations){.plan = c->plan,
                                        .star = STAR,
                                        .columns = c->columns,
                                        .blocks = c->blocks,
                                        .place = c->place,
                                        .closed = c->closed};
}

void kn_coarse_destroy(struct kn_coarse *c)
{
    free(c->columns);
    free(c->blocks);
    free(c->place);
    free(c->factors);
    free(c->pivots);
    free(c->vector);
    *c = (struct kn_coarse){0};
}

/* The mean over the volume of the first of `count` numbers per cell. */
static double mean(const struct kn_coarse *c, const double *numbers, int count)
{
    const int ncells = c->plan->problem->space->ncells;
    double sum = 0, volume = 0;
    for (int cell = 0; cell < ncells; cell++) {
        sum += c->plan->volume[cell] * numbers[(size_t)cell * (size_t)count];
        volume += c->plan->volume[cell];
    }
    return sum / volume;
}

enum kn_status kn_coarse_solve(const struct kn_coarse *c, const double *moments, double *coefficients)
{
    const int n = c->plan->functions, ncells = c->plan->problem->space->ncells;
    const double surplus = c->closed ? mean(c, moments, n + 1) : 0;
    for (int cell = 0; cell < ncells; cell++) {
        double *to = c->vector + (size_t)c->place[cell] * (size_t)n;
        memcpy(to, moments + (size_t)cell * (size_t)(n + 1), (size_t)n * sizeof *to);
        to[0] -= surplus;
    }
    const int failed = LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, 'N', ncells * n, c->band, c->band, 1, c->factors,
                                      3 * c->band + 1, c->pivots, c->vector, ncells * n);
    if (failed)
        return kn_error_set(KN_ENUMERIC, "the moment equations have no solution (LAPACK %d)", failed);
    for (int cell = 0; cell < ncells; cell++)
        memcpy(coefficients + (size_t)cell * (size_t)n, c->vector + (size_t)c->place[cell] * (size_t)n,
               (size_t)n * sizeof *coefficients);
    return KN_OK;
}
