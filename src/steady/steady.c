/* Flexible GCR with a transport sweep and a correction of the moments as its preconditioner, theory (61) to
 * (66). */
#include "steady/steady.h"

#include "config/case.h"
#include "config/config.h"
#include "error.h"
#include "point/steady.h"
#include "steady/coarse.h"
#include "steady/route.h"
#include "steady/trial.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

enum { DIRECTIONS = 5, REFRESH = 5, ROWS = 1024 /* copied at a time */ };

/* Numbers of the vectors. */
enum {
    SOLUTION = KN_STEADY_SOLUTION,
    RESIDUAL,
    CHANGE,
    IMAGE = CHANGE + DIRECTIONS,
    VECTORS = IMAGE + DIRECTIONS
};

struct kn_steady {
    struct kn_sim *sim;
    struct kn_steady_plan plan;
    struct kn_coarse coarse;
    const struct kn_steady_backend *backend;
    void *machine;
    bool corrects;        /* the machine solves the moment equations */
    int directions;       /* number of earlier changes */
    double *moments;      /* [ncells][functions + 1] */
    double *coefficients; /* [ncells][functions] */
    float *rows;          /* [ROWS][nnodes] */
    double *fluxes;       /* [nfaces][KN_FLUXES] */
    double driven;        /* norm of b */
    struct kn_steady_progress progress;
};

enum kn_status kn_steady_check(const struct kn_case *c, const struct kn_comm *comm)
{
    if (c->time.mode != KN_MODE_STEADY || comm->size == 1)
        return KN_OK;
    return kn_error_set(KN_EINPUT, "time.mode: steady needs one rank, and there are %d (time.mode: unsteady)",
                        comm->size);
}

double kn_steady_memory(const struct kn_case *c, const struct kn_plan_size *size)
{
    const double vectors = (double)sizeof(double) * VECTORS * (double)size->cells * (double)size->nodes;
    return vectors + (c->collision.method == KN_METHOD_NONE ? 0 : kn_coarse_memory(c->space.cells));
}

/* ------------------------------------------------------------------------ creation */

static enum kn_status create_plan(struct kn_steady *s)
{
    const struct kn_problem *p = kn_sim_problem(s->sim);
    s->plan = (struct kn_steady_plan){.problem = p, .rate = kn_sim_collision_rate(s->sim)};
    KN_TRY(kn_trial_create(&s->plan));
    return kn_route_create(&s->plan);
}

static enum kn_status allocate(struct kn_steady *s)
{
    const struct kn_problem *p = s->plan.problem;
    const size_t ncells = (size_t)p->space->ncells, n = (size_t)s->plan.functions;
    s->moments = calloc(ncells * (n + 1), sizeof *s->moments);
    s->coefficients = calloc(ncells * n, sizeof *s->coefficients);
    s->rows = calloc(ROWS * (size_t)p->velocity->nnodes, sizeof *s->rows);
    s->fluxes = calloc(((size_t)p->space->nfaces + 1) * KN_FLUXES, sizeof *s->fluxes);
    if (!s->moments || !s->coefficients || !s->rows || !s->fluxes)
        return kn_error_set(KN_EMEMORY, "no memory for the moments of %zu cells", ncells);
    return KN_OK;
}

/* Norm of a vector. */
static enum kn_status measure(struct kn_steady *s, int vector, bool scaled, double *norm)
{
    KN_TRY(s->backend->products(s->machine, vector, 1, &vector, scaled, norm));
    *norm = sqrt(*norm);
    return KN_OK;
}

static enum kn_status renew_residual(struct kn_steady *s)
{
    KN_TRY(s->backend->residual(s->machine, SOLUTION, RESIDUAL));
    return measure(s, RESIDUAL, true, &s->progress.residual);
}

/* Start from the state of the simulation; the solution of the new machine is still zero. */
static enum kn_status start(struct kn_steady *s)
{
    const int ncells = s->plan.problem->space->ncells;
    KN_TRY(s->backend->residual(s->machine, SOLUTION, RESIDUAL));
    KN_TRY(measure(s, RESIDUAL, true, &s->driven));
    for (int first = 0; first < ncells; first += ROWS) {
        const int count = ncells - first < ROWS ? ncells - first : ROWS;
        KN_TRY(kn_sim_get_rows(s->sim, first, count, s->rows));
        KN_TRY(s->backend->put(s->machine, first, count, s->rows));
    }
    s->progress = (struct kn_steady_progress){.iterations = kn_sim_steps(s->sim), .update = NAN};
    KN_TRY(renew_residual(s));
    s->progress.residual /= s->driven > 0 ? s->driven : 1;
    return KN_OK;
}

/* The moment equations, solved by the machine or here. */
static enum kn_status create_coarse(struct kn_steady *s)
{
    KN_TRY(kn_coarse_create(&s->coarse, &s->plan));
    const struct kn_steady_equations equations = kn_coarse_equations(&s->coarse);
    if (s->backend->factorise)
        KN_TRY(s->backend->factorise(s->machine, &equations, &s->corrects));
    return s->corrects ? KN_OK : kn_coarse_factorise(&s->coarse);
}

static enum kn_status build(struct kn_steady *s)
{
    KN_TRY(create_plan(s));
    KN_TRY(allocate(s));
    KN_TRY(s->backend->create(&s->machine, &s->plan, VECTORS));
    if (s->plan.problem->c->collision.method != KN_METHOD_NONE)
        KN_TRY(create_coarse(s));
    return start(s);
}

enum kn_status kn_steady_create(struct kn_steady **out, struct kn_sim *sim)
{
    struct kn_steady *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return kn_error_set(KN_EMEMORY, "no memory for the steady-state solver");
    s->sim = sim;
    s->backend = kn_sim_steady_backend(sim);
    const int usual = openblas_get_num_threads();
    openblas_set_num_threads(1); /* the same bits for any number of threads */
    const enum kn_status status = build(s);
    openblas_set_num_threads(usual);
    if (status != KN_OK) {
        kn_steady_destroy(s);
        return status;
    }
    *out = s;
    return KN_OK;
}

void kn_steady_destroy(struct kn_steady *s)
{
    if (!s)
        return;
    if (s->machine)
        s->backend->destroy(s->machine);
    kn_coarse_destroy(&s->coarse);
    kn_route_destroy(&s->plan);
    kn_trial_destroy(&s->plan);
    free(s->moments);
    free(s->coefficients);
    free(s->rows);
    free(s->fluxes);
    free(s);
}

/* ----------------------------------------------------------------------- iterations */

/* Give the change the mass zero: in a closed box a constant density is a solution of A h = 0. */
static void keep_mass(struct kn_steady *s)
{
    const struct kn_steady_plan *p = &s->plan;
    const int ncells = p->problem->space->ncells;
    const size_t n = (size_t)p->functions;
    const double unit = 1 / p->trial[0]; /* <1, phi_0> */
    double mass = 0, volume = 0;
    if (!kn_boundary_keeps_mass(p->problem->c))
        return;
    for (size_t cell = 0; cell < (size_t)ncells; cell++) {
        mass += p->volume[cell] * (s->moments[cell * (n + 1) + n] + unit * s->coefficients[cell * n]);
        volume += p->volume[cell];
    }
    for (size_t cell = 0; cell < (size_t)ncells; cell++)
        s->coefficients[cell * n] -= mass / (volume * unit);
}

/* change <- M^-1 residual, theory (61) to (64). */
static enum kn_status precondition(struct kn_steady *s, int change)
{
    const int from[2] = {RESIDUAL, 0}, to[2] = {change, 0};
    KN_TRY(s->backend->sweep(s->machine, 0, from, to));
    if (s->corrects)
        return s->backend->correct(s->machine, change);
    KN_TRY(s->backend->project(s->machine, change, s->moments));
    if (s->coarse.plan) {
        const int usual = openblas_get_num_threads();
        openblas_set_num_threads(1);
        kn_coarse_solve(&s->coarse, s->moments, s->coefficients);
        openblas_set_num_threads(usual);
    }
    keep_mass(s);
    return s->backend->prolong(s->machine, s->coefficients, change);
}

/* Make the image of a change orthogonal to the earlier ones, which have the norm 1, and give it the norm 1.
 */
static enum kn_status orthogonalise(struct kn_steady *s, int change, int image)
{
    int changes[DIRECTIONS], images[DIRECTIONS], count = 0;
    double along[DIRECTIONS] = {0}, norm;
    for (int i = 0; i < s->directions; i++)
        if (IMAGE + i != image) {
            images[count] = IMAGE + i;
            changes[count++] = CHANGE + i;
        }
    if (count > 0) {
        KN_TRY(s->backend->products(s->machine, image, count, images, true, along));
        for (int i = 0; i < count; i++)
            along[i] = -along[i];
        KN_TRY(s->backend->combine(s->machine, image, 1, count, images, along));
        KN_TRY(s->backend->combine(s->machine, change, 1, count, changes, along));
    }
    KN_TRY(measure(s, image, true, &norm));
    if (!(norm > 0) || !isfinite(norm))
        return kn_error_set(KN_ENUMERIC, "the steady-state solver fails in iteration %lld",
                            (long long)s->progress.iterations);
    KN_TRY(s->backend->combine(s->machine, image, 1 / norm, 0, NULL, NULL));
    return s->backend->combine(s->machine, change, 1 / norm, 0, NULL, NULL);
}

/* Step along a change whose image has the norm 1. */
static enum kn_status step(struct kn_steady *s, int change, int image)
{
    double length, moved, size;
    KN_TRY(s->backend->products(s->machine, RESIDUAL, 1, &image, true, &length));
    const double back = -length;
    KN_TRY(s->backend->combine(s->machine, SOLUTION, 1, 1, &change, &length));
    KN_TRY(s->backend->combine(s->machine, RESIDUAL, 1, 1, &image, &back));
    KN_TRY(measure(s, change, false, &moved));
    KN_TRY(measure(s, SOLUTION, false, &size));
    s->progress.update = size > 0 ? fabs(length) * moved / size : 0;
    return KN_OK;
}

enum kn_status kn_steady_iterate(struct kn_steady *s)
{
    const int slot = (int)(s->progress.iterations % DIRECTIONS), change = CHANGE + slot, image = IMAGE + slot;
    s->progress.iterations++;
    if (s->progress.residual == 0) { /* nothing drives the gas */
        s->progress.update = 0;
        return KN_OK;
    }
    KN_TRY(precondition(s, change));
    KN_TRY(s->backend->apply(s->machine, change, image));
    KN_TRY(orthogonalise(s, change, image));
    s->directions = s->directions < DIRECTIONS ? s->directions + 1 : DIRECTIONS;
    KN_TRY(step(s, change, image));
    if (s->progress.iterations % REFRESH == 0)
        KN_TRY(s->backend->residual(s->machine, SOLUTION, RESIDUAL));
    KN_TRY(measure(s, RESIDUAL, true, &s->progress.residual));
    s->progress.residual /= s->driven > 0 ? s->driven : 1;
    return KN_OK;
}

struct kn_steady_progress kn_steady_progress(const struct kn_steady *s)
{
    return s->progress;
}

bool kn_steady_has_converged(const struct kn_steady *s, double tolerance)
{
    return s->progress.residual < tolerance && s->progress.update < tolerance;
}

/* What enters through faces and by sources is zero in a steady state. */
static double find_balance(const struct kn_steady *s)
{
    const struct kn_problem *p = s->plan.problem;
    const struct kn_velocity *v = p->velocity;
    double net[KN_FLUXES] = {0}, gross = 0, volume = 0, worst = 0;
    for (int cell = 0; cell < p->space->ncells; cell++)
        volume += p->space->volume[cell];
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            const double source =
                s->plan.rate * volume * v->mass[k] * p->collision->source[octant * v->stride + k];
            net[0] += source;
            for (int d = 0; d < 3; d++)
                net[1 + d] += v->bit[d] ? kn_velocity_sign(v, octant, d) * v->speed[d][k] * source : 0;
            net[4] += v->square[k] * source;
            gross += fabs(source);
        }
    for (int face = 0; face < p->space->nfaces; face++) {
        const struct kn_face *f = &p->space->faces[face];
        for (int i = 0; i < KN_FLUXES; i++) {
            const double flux = f->area * s->fluxes[(size_t)face * KN_FLUXES + (size_t)i];
            net[i] += (f->side & 1) ? -flux : flux;
            gross = fmax(gross, fabs(flux));
        }
    }
    for (int i = 0; i < KN_FLUXES; i++)
        worst = fmax(worst, fabs(net[i]));
    return gross > 0 ? worst / gross : 0;
}

enum kn_status kn_steady_store(struct kn_steady *s, bool whole)
{
    const int ncells = s->plan.problem->space->ncells;
    if (!whole)
        return kn_sim_set_solution(s->sim, s->progress.iterations, NULL);
    for (int first = 0; first < ncells; first += ROWS) {
        const int count = ncells - first < ROWS ? ncells - first : ROWS;
        KN_TRY(s->backend->get(s->machine, first, count, s->rows));
        KN_TRY(kn_sim_put_rows(s->sim, first, count, s->rows));
    }
    KN_TRY(s->backend->fluxes(s->machine, s->fluxes));
    s->progress.balance = find_balance(s);
    return kn_sim_set_solution(s->sim, s->progress.iterations, s->fluxes);
}
