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
#include <string.h>

/* Earlier changes that an iteration uses, at most; iterations between residuals from the solution. */
enum { DIRECTIONS = 10, REFRESH = 5 };

enum { ROWS = 1024 };           /* cells that are copied at a time */
static const double THIN = 1.5; /* mean free paths */

/* Numbers of the first vectors.  Two for every direction follow: a change, and its image or the change of the
 * correction. */
enum { SOLUTION = KN_STEADY_SOLUTION, RESIDUAL, LATEST, PREVIOUS, FIRST };

struct kn_steady {
    struct kn_sim *sim;
    struct kn_steady_plan plan;
    struct kn_coarse coarse;
    const struct kn_steady_backend *backend;
    void *machine;
    bool corrects;        /* the machine solves the moment equations */
    int most, directions; /* earlier changes: at most, and so far */
    int64_t done;         /* iterations of this solver */
    double mass;          /* of the solution */
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

/* Five are enough for linear equations, unless molecules fly far along a periodic axis. */
static int count_directions(const struct kn_case *c)
{
    bool periodic = false;
    for (int d = 0; d < 3; d++)
        periodic = periodic || (!kn_case_is_uniform(c, d) && c->walls[2 * d].kind == KN_WALL_PERIODIC);
    return periodic || c->disturbance > 0 ? DIRECTIONS : DIRECTIONS / 2;
}

double kn_steady_memory(const struct kn_case *c, const struct kn_plan_size *size)
{
    const double vectors = FIRST + 2 * count_directions(c),
                 bytes = (double)sizeof(double) * vectors * (double)size->cells * (double)size->nodes;
    return bytes + (c->collision.method == KN_METHOD_NONE ? 0 : kn_coarse_memory(c->space.cells));
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

/* residual <- b - A h */
static enum kn_status renew_residual(struct kn_steady *s)
{
    return s->backend->residual(s->machine, SOLUTION, RESIDUAL);
}

static enum kn_status measure_residual(struct kn_steady *s)
{
    double norm;
    KN_TRY(measure(s, RESIDUAL, true, &norm));
    s->progress.residual = norm / (s->driven > 0 ? s->driven : 1);
    if (!isfinite(norm))
        return kn_error_set(KN_ENUMERIC, "the iterations for the steady state diverge (iteration %lld)",
                            (long long)s->progress.iterations);
    return KN_OK;
}

static double volume_of(const struct kn_steady *s)
{
    double volume = 0;
    for (int cell = 0; cell < s->plan.problem->space->ncells; cell++)
        volume += s->plan.volume[cell];
    return volume;
}

/* Of moments and coefficients together. */
static double mass_of(const struct kn_steady *s)
{
    const size_t n = (size_t)s->plan.functions, ncells = (size_t)s->plan.problem->space->ncells;
    const double unit = 1 / s->plan.trial[0]; /* <1, phi_0> */
    double mass = 0;
    for (size_t cell = 0; cell < ncells; cell++)
        mass += s->plan.volume[cell] * (s->moments[cell * (n + 1) + n] + unit * s->coefficients[cell * n]);
    return mass;
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
    KN_TRY(s->backend->project(s->machine, SOLUTION, s->moments));
    s->mass = mass_of(s);
    KN_TRY(renew_residual(s));
    return measure_residual(s);
}

/* True if molecules cross the box of a plane or spatial flow with so few collisions that sweeps alone converge as
 * fast, and absorbing walls are on all sides. */
static bool is_thin(const struct kn_steady *s)
{
    const struct kn_problem *p = s->plan.problem;
    bool thin = p->space->naxes > 1;
    for (int i = 0; i < p->space->naxes; i++) {
        const int axis = p->space->axes[i];
        const double *edges = p->space->edges[axis];
        thin = thin && s->plan.rate * (edges[p->space->whole[axis]] - edges[0]) < THIN;
        for (int side = 2 * axis; side < 2 * axis + 2; side++)
            thin = thin && p->boundary->patches[side].emits &&
                   p->boundary->patches[side].alpha * p->boundary->patches[side].replaces > 0.5f;
    }
    return thin;
}

/* The moment equations, solved by the machine or here.  At a finite disturbance the mass depends on the solution. */
static enum kn_status create_coarse(struct kn_steady *s)
{
    const struct kn_case *c = s->plan.problem->c;
    const bool solves = c->collision.method != KN_METHOD_NONE && !is_thin(s);
    struct kn_steady_equations equations = {0};
    if (solves)
        KN_TRY(kn_coarse_create(&s->coarse, &s->plan));
    if (solves)
        equations = kn_coarse_equations(&s->coarse);
    if (s->backend->factorise && c->disturbance == 0)
        KN_TRY(s->backend->factorise(s->machine, solves ? &equations : NULL, &s->corrects));
    return s->corrects || !solves ? KN_OK : kn_coarse_factorise(&s->coarse);
}

static enum kn_status build(struct kn_steady *s)
{
    KN_TRY(create_plan(s));
    KN_TRY(allocate(s));
    s->most = count_directions(s->plan.problem->c);
    KN_TRY(s->backend->create(&s->machine, &s->plan, FIRST + 2 * s->most));
    KN_TRY(create_coarse(s));
    return start(s);
}

/* The machine of the simulation, or the CPU for collisions that it does not have. */
static const struct kn_steady_backend *choose_backend(const struct kn_sim *sim)
{
    const struct kn_case *c = kn_sim_problem(sim)->c;
    const struct kn_steady_backend *backend = kn_sim_steady_backend(sim);
    const bool nonlinear = c->disturbance > 0 && c->collision.method != KN_METHOD_NONE;
    return nonlinear && backend->linear ? kn_backend_cpu.steady : backend;
}

enum kn_status kn_steady_create(struct kn_steady **out, struct kn_sim *sim)
{
    struct kn_steady *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return kn_error_set(KN_EMEMORY, "no memory for the steady-state solver");
    s->sim = sim;
    s->backend = choose_backend(sim);
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

/* change <- M^-1 residual, theory (61) to (64).  In a closed box its mass is zero: a constant density, or 1 +
 * eps h at a finite disturbance, is added. */
static enum kn_status precondition(struct kn_steady *s, int change)
{
    const struct kn_problem *p = s->plan.problem;
    const int from[2] = {RESIDUAL, 0}, to[2] = {change, 0};
    const double eps = p->c->disturbance;
    double surplus = 0;
    KN_TRY(s->backend->sweep(s->machine, 0, from, to));
    if (s->corrects)
        return s->backend->correct(s->machine, change);
    KN_TRY(s->backend->project(s->machine, change, s->moments));
    memset(s->coefficients, 0,
           (size_t)p->space->ncells * (size_t)s->plan.functions * sizeof *s->coefficients);
    if (s->coarse.plan) {
        const int usual = openblas_get_num_threads();
        openblas_set_num_threads(1);
        kn_coarse_solve(&s->coarse, s->moments, s->coefficients);
        openblas_set_num_threads(usual);
    }
    if (kn_boundary_keeps_mass(p->c)) {
        surplus = mass_of(s) / (volume_of(s) + eps * s->mass);
        for (int cell = 0; cell < p->space->ncells; cell++)
            s->coefficients[(size_t)cell * (size_t)s->plan.functions] -= surplus * s->plan.trial[0];
    }
    KN_TRY(s->backend->prolong(s->machine, s->coefficients, change));
    return eps > 0
               ? s->backend->combine(s->machine, change, 1, 1, (int[]){SOLUTION}, (double[]){-eps * surplus})
               : KN_OK;
}

static int change_at(int slot)
{
    return FIRST + slot;
}

static int image_at(const struct kn_steady *s, int slot)
{
    return FIRST + s->most + slot;
}

/* Make the image of a change orthogonal to the earlier ones, which have the norm 1, and give it the norm 1;
 * the change is combined alike.  The norm follows from the products, unless nearly nothing remains. */
static enum kn_status orthogonalise(struct kn_steady *s, int slot, bool scaled)
{
    const int change = change_at(slot), image = image_at(s, slot);
    int changes[DIRECTIONS], images[DIRECTIONS], count = 0;
    double along[DIRECTIONS] = {0}, norm = 0;
    for (int i = 0; i < s->directions; i++)
        if (i != slot) {
            changes[count] = change_at(i);
            images[count++] = image_at(s, i);
        }
    images[count] = image;
    KN_TRY(s->backend->products(s->machine, image, count + 1, images, scaled, along));
    double square = along[count];
    for (int i = 0; i < count; i++)
        square -= along[i] * along[i];
    const bool exact = square > 1e-6 * along[count];
    const double scale = exact ? 1 / sqrt(square) : 1;
    for (int i = 0; i < count; i++)
        along[i] *= -scale;
    KN_TRY(s->backend->combine(s->machine, image, scale, count, images, along));
    KN_TRY(s->backend->combine(s->machine, change, scale, count, changes, along));
    s->directions = s->directions > slot ? s->directions : slot + 1;
    if (exact)
        return KN_OK;
    KN_TRY(measure(s, image, scaled, &norm));
    if (!(norm > 0) || !isfinite(norm))
        return kn_error_set(KN_ENUMERIC, "the iterations for the steady state diverge (iteration %lld)",
                            (long long)s->progress.iterations);
    KN_TRY(s->backend->combine(s->machine, image, 1 / norm, 0, NULL, NULL));
    return s->backend->combine(s->machine, change, 1 / norm, 0, NULL, NULL);
}

/* Add a change to the solution. */
static enum kn_status move(struct kn_steady *s, int change, double length)
{
    double moved, size;
    KN_TRY(s->backend->combine(s->machine, SOLUTION, 1, 1, &change, &length));
    KN_TRY(measure(s, change, false, &moved));
    KN_TRY(measure(s, SOLUTION, false, &size));
    s->progress.update = size > 0 ? fabs(length) * moved / size : 0;
    return KN_OK;
}

/* Flexible GCR, theory (65). */
static enum kn_status iterate_linear(struct kn_steady *s)
{
    const int slot = (int)(s->done % s->most), change = change_at(slot), image = image_at(s, slot);
    double length;
    KN_TRY(precondition(s, change));
    KN_TRY(s->backend->apply(s->machine, change, image));
    KN_TRY(orthogonalise(s, slot, true));
    KN_TRY(s->backend->products(s->machine, RESIDUAL, 1, &image, true, &length));
    KN_TRY(move(s, change, length));
    KN_TRY(s->done % REFRESH == REFRESH - 1
               ? renew_residual(s)
               : s->backend->combine(s->machine, RESIDUAL, 1, 1, &image, (double[]){-length}));
    return measure_residual(s);
}

/* Anderson acceleration, theory (67). */
static enum kn_status iterate_nonlinear(struct kn_steady *s)
{
    const int before = (int)((s->done + s->most - 1) % s->most), slot = (int)(s->done % s->most);
    int others[2 * DIRECTIONS], images[DIRECTIONS];
    double along[2 * DIRECTIONS] = {0};
    KN_TRY(precondition(s, LATEST));
    if (s->done > 0) {
        KN_TRY(s->backend->combine(s->machine, image_at(s, before), 0, 2, (int[]){LATEST, PREVIOUS},
                                   (double[]){1, -1}));
        KN_TRY(orthogonalise(s, before, false));
    }
    const int count = s->directions;
    KN_TRY(s->backend->combine(s->machine, PREVIOUS, 0, 1, (int[]){LATEST}, (double[]){1}));
    for (int i = 0; i < count; i++) {
        others[i] = images[i] = image_at(s, i);
        others[count + i] = change_at(i);
    }
    if (count > 0) {
        KN_TRY(s->backend->products(s->machine, LATEST, count, images, false, along));
        for (int i = 0; i < count; i++)
            along[i] = along[count + i] = -along[i];
        KN_TRY(s->backend->combine(s->machine, LATEST, 1, 2 * count, others, along));
    }
    KN_TRY(s->backend->combine(s->machine, change_at(slot), 0, 1, (int[]){LATEST}, (double[]){1}));
    KN_TRY(move(s, LATEST, 1));
    KN_TRY(renew_residual(s));
    return measure_residual(s);
}

enum kn_status kn_steady_iterate(struct kn_steady *s)
{
    s->progress.iterations++;
    if (s->progress.residual == 0) { /* nothing drives the gas */
        s->progress.update = 0;
        return KN_OK;
    }
    KN_TRY(s->plan.problem->c->disturbance > 0 ? iterate_nonlinear(s) : iterate_linear(s));
    s->done++;
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
