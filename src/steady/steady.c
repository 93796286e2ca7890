/* Iterations for the steady state: flexible GCR or Anderson acceleration, with a transport sweep and a
 * correction of the moments as the preconditioner, theory (61) to (68). */
#include "steady/steady.h"

#include "config/case.h"
#include "config/config.h"
#include "config/shape.h"
#include "error.h"
#include "point/steady.h"
#include "steady/balance.h"
#include "steady/correction.h"
#include "steady/route.h"
#include "steady/trial.h"
#include "steady/whole.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Earlier changes that an iteration uses, at most; every REFRESH iterations the residual is computed from the
 * solution. */
enum { DIRECTIONS = 10, REFRESH = 5, LINEARISATIONS = 3 };

enum { ROWS = 1024 }; /* cells that are copied at a time */

/* Numbers of the first vectors.  Two for every direction follow: a change, and its image or the change of the
 * correction.  DRIVE: b of an oscillation; LATEST and PREVIOUS: corrections of Anderson acceleration.  In an
 * oscillation every vector is a pair of a real and an imaginary part in the machine. */
enum { SOLUTION = KN_STEADY_SOLUTION, RESIDUAL, LATEST, DRIVE = LATEST, PREVIOUS, FIRST };

struct kn_steady {
    struct kn_sim *sim;
    struct kn_steady_plan plan;
    struct kn_whole whole;
    struct kn_correction correction;
    const struct kn_steady_backend *backend;
    void *machine;
    int most, directions; /* earlier changes: at most, and so far */
    int64_t done;         /* iterations of this solver */
    bool solved;          /* the residual is zero */
    int parts;            /* 2: real and imaginary */
    double omega;         /* frequency of the oscillation; 0: steady state */
    float *rows;          /* [ROWS][nnodes] */
    double *fluxes;       /* [kn_space_fluxes][KN_FLUXES] */
    double driven;        /* norm of b */
    struct kn_steady_progress progress;
};

enum kn_status kn_steady_check(const struct kn_case *c, const struct kn_comm *comm)
{
    const struct kn_backend *backend;
    if (!kn_case_iterates(c) || comm->size == 1)
        return KN_OK;
    KN_TRY(kn_sim_find_backend(c, &backend));
    const char *mode = kn_config_choice_name("time.mode", c->time.mode);
    if (!backend->steady->ranks)
        return kn_error_set(
            KN_EINPUT,
            "time.mode: %s needs one rank with run.backend: %s, and there are %d (run.backend: "
            "cpu, or time.mode: unsteady)",
            mode, backend->name, comm->size);
    if (kn_shape_any(c))
        return kn_error_set(
            KN_EINPUT,
            "time.mode: %s needs one rank with cylinders, spheres, polygons or STL surfaces, and "
            "there are %d (time.mode: unsteady)",
            mode, comm->size);
    return KN_OK;
}

/* Five are enough for linear equations, unless molecules fly far along a periodic axis. */
static int count_directions(const struct kn_case *c)
{
    bool periodic = false;
    for (int d = 0; d < 3; d++)
        periodic = periodic || (!kn_case_is_uniform(c, d) && c->walls[2 * d].kind == KN_WALL_PERIODIC);
    return periodic || c->disturbance > 0 ? DIRECTIONS : DIRECTIONS / 2;
}

/* Rows of the halo are also in the buffers of their messages. */
struct kn_steady_bytes kn_steady_memory(const struct kn_case *c, const struct kn_plan_size *size)
{
    const int parts = c->time.mode == KN_MODE_FREQUENCY ? 2 : 1;
    const double vectors = FIRST + 2 * count_directions(c), copies = 3,
                 rows = vectors * (double)size->box_cells + copies * (double)size->halo_cells;
    if (!kn_case_iterates(c))
        return (struct kn_steady_bytes){0, 0};
    return (struct kn_steady_bytes){
        (double)sizeof(double) * parts * rows * (double)size->nodes,
        c->collision.method == KN_METHOD_NONE ? 0 : kn_coarse_memory(c->space.cells, parts)};
}

static enum kn_status create_plan(struct kn_steady *s)
{
    const struct kn_sim_equation e = kn_sim_equation(s->sim);
    s->plan = (struct kn_steady_plan){.problem = e.problem, .rate = e.rate};
    KN_TRY(kn_trial_create(&s->plan));
    return kn_route_create(&s->plan);
}

/* Ranks must not wait for one that failed. */
static enum kn_status agree(const struct kn_steady *s, enum kn_status status)
{
    const struct kn_halo *halo = s->plan.problem->halo;
    return halo ? kn_comm_agree(halo->comm, status) : status;
}

static enum kn_status allocate(struct kn_steady *s)
{
    const struct kn_problem *p = s->plan.problem;
    s->rows = calloc(ROWS * (size_t)p->velocity->nnodes, sizeof *s->rows);
    s->fluxes = calloc((kn_space_fluxes(p->space) + 1) * KN_FLUXES, sizeof *s->fluxes);
    return s->rows && s->fluxes ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the steady-state solver");
}

/* The number of a part of a vector in the machine. */
static int part_of(const struct kn_steady *s, int vector, int part)
{
    return s->parts * vector + part;
}

enum { MOST_TERMS = 2 * DIRECTIONS };

static void parts_of(const struct kn_steady *s, int count, const int *x, int part, int to[MOST_TERMS])
{
    for (int i = 0; i < count; i++)
        to[i] = part_of(s, x[i], part);
}

/* The functions of the machine, applied to all parts of the vectors. */
static enum kn_status products(struct kn_steady *s, int a, int count, const int *x, bool scaled, double *to)
{
    int own[MOST_TERMS];
    double sum[MOST_TERMS];
    for (int i = 0; i < count; i++)
        to[i] = 0;
    for (int part = 0; part < s->parts; part++) {
        parts_of(s, count, x, part, own);
        KN_TRY(s->backend->products(s->machine, part_of(s, a, part), count, own, scaled, sum));
        for (int i = 0; i < count; i++)
            to[i] += sum[i];
    }
    return KN_OK;
}

static enum kn_status combine(struct kn_steady *s, int to, double scale, int count, const int *x,
                              const double *factors)
{
    int own[MOST_TERMS];
    for (int part = 0; part < s->parts; part++) {
        parts_of(s, count, x, part, own);
        KN_TRY(s->backend->combine(s->machine, part_of(s, to, part), scale, count, own, factors));
    }
    return KN_OK;
}

/* to <- (A + i omega) from */
static enum kn_status apply(struct kn_steady *s, int from, int to)
{
    for (int part = 0; part < s->parts; part++) {
        KN_TRY(s->backend->apply(s->machine, part_of(s, from, part), part_of(s, to, part)));
        if (s->omega != 0)
            KN_TRY(s->backend->combine(s->machine, part_of(s, to, part), 1, 1,
                                       (int[]){part_of(s, from, 1 - part)},
                                       (double[]){part == 0 ? -s->omega : s->omega}));
    }
    return KN_OK;
}

/* Norm of a vector. */
static enum kn_status measure(struct kn_steady *s, int vector, bool scaled, double *norm)
{
    KN_TRY(products(s, vector, 1, &vector, scaled, norm));
    *norm = sqrt(*norm);
    return KN_OK;
}

/* residual <- b - (A + i omega) h */
static enum kn_status renew_residual(struct kn_steady *s)
{
    if (s->omega == 0)
        return s->backend->residual(s->machine, SOLUTION, RESIDUAL);
    KN_TRY(apply(s, SOLUTION, RESIDUAL));
    return combine(s, RESIDUAL, -1, 1, (int[]){DRIVE}, (double[]){1});
}

/* Round-off of the residual: the operator is evaluated in single precision at a finite disturbance. */
static enum kn_status find_round_off(struct kn_steady *s, double *norm)
{
    const struct kn_case *c = s->plan.problem->c;
    *norm = 0;
    if (c->disturbance == 0 || c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    KN_TRY(measure(s, SOLUTION, true, norm));
    *norm *= 4 * 0x1p-24 * s->plan.rate; /* the factor was measured at delta = 100 to 1000 */
    return KN_OK;
}

/* A residual that round-off explains counts as zero. */
static enum kn_status measure_residual(struct kn_steady *s)
{
    double norm, round_off;
    KN_TRY(measure(s, RESIDUAL, true, &norm));
    KN_TRY(find_round_off(s, &round_off));
    s->solved = norm == 0;
    s->progress.residual = norm > round_off ? norm / (s->driven > 0 ? s->driven : 1) : 0;
    if (!isfinite(norm))
        return kn_error_set(KN_ENUMERIC, "the iterations for the steady state diverge (iteration %lld)",
                            (long long)s->progress.iterations);
    return KN_OK;
}

/* Set the data of the walls for a part: those at time 0 for the real part, and those a quarter of a period
 * earlier for the imaginary part. */
static enum kn_status turn_walls(struct kn_steady *s, int part)
{
    if (s->omega != 0 && kn_sim_turn_walls(s->sim, part == 0 ? 0 : -M_PI / (2 * s->omega)))
        return s->backend->set_walls(s->machine);
    return KN_OK;
}

/* Find the norm of b.  An oscillation keeps b in DRIVE. */
static enum kn_status find_drive(struct kn_steady *s)
{
    for (int part = s->parts - 1; part >= 0; part--) {
        KN_TRY(turn_walls(s, part));
        KN_TRY(s->backend->residual(s->machine, part_of(s, SOLUTION, part), part_of(s, DRIVE, part)));
    }
    return measure(s, DRIVE, true, &s->driven);
}

/* solution <- the state of the simulation, the real part of an oscillation. */
static enum kn_status take_state(struct kn_steady *s)
{
    const int ncells = s->plan.problem->space->ncells;
    for (int first = 0; first < ncells; first += ROWS) {
        const int count = ncells - first < ROWS ? ncells - first : ROWS;
        KN_TRY(kn_sim_get_rows(s->sim, first, count, s->rows));
        KN_TRY(s->backend->put(s->machine, part_of(s, SOLUTION, 0), first, count, s->rows));
    }
    return KN_OK;
}

/* Start from the state of the simulation; the solution of the new machine is still zero.  An oscillation
 * starts from zero: the simulation has the real part only. */
static enum kn_status start(struct kn_steady *s)
{
    KN_TRY(find_drive(s));
    if (s->omega == 0)
        KN_TRY(take_state(s));
    s->progress = (struct kn_steady_progress){.iterations = kn_sim_steps(s->sim), .update = NAN};
    KN_TRY(kn_correction_start(&s->correction));
    KN_TRY(renew_residual(s));
    return measure_residual(s);
}

static enum kn_status build(struct kn_steady *s)
{
    const struct kn_case *c = kn_sim_equation(s->sim).problem->c;
    s->omega = c->time.mode == KN_MODE_FREQUENCY ? kn_case_frequency(c) : 0;
    s->parts = s->omega != 0 ? 2 : 1;
    enum kn_status status = create_plan(s);
    if (status == KN_OK)
        status = allocate(s);
    KN_TRY(agree(s, status));
    KN_TRY(kn_whole_create(&s->whole, &s->plan));
    s->most = count_directions(s->plan.problem->c);
    KN_TRY(s->backend->create(&s->machine, &s->plan, s->parts * (FIRST + 2 * s->most)));
    KN_TRY(kn_correction_create(&s->correction, &s->whole, s->backend, s->machine, s->omega));
    return start(s);
}

enum kn_status kn_steady_imaginary(struct kn_steady *s, int64_t first, int64_t count, float *rows)
{
    return s->backend->get(s->machine, part_of(s, SOLUTION, 1), (int)first, (int)count, rows);
}

enum kn_status kn_steady_continue(struct kn_steady *s, const float *imaginary)
{
    const struct kn_problem *p = s->plan.problem;
    KN_TRY(take_state(s));
    KN_TRY(s->backend->put(s->machine, part_of(s, SOLUTION, 1), 0, p->space->ncells, imaginary));
    KN_TRY(renew_residual(s));
    return measure_residual(s);
}

/* The machine of the simulation, or the CPU for problems that it does not solve. */
static const struct kn_steady_backend *choose_backend(const struct kn_sim *sim)
{
    const struct kn_sim_equation e = kn_sim_equation(sim);
    return e.backend->lacks && e.backend->lacks(e.problem) ? kn_backend_cpu.steady : e.backend;
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
    kn_correction_destroy(&s->correction);
    kn_whole_destroy(&s->whole);
    kn_route_destroy(&s->plan);
    kn_trial_destroy(&s->plan);
    free(s->rows);
    free(s->fluxes);
    free(s);
}

/* change <- M^-1 residual, theory (61) to (64). */
static enum kn_status precondition(struct kn_steady *s, int change)
{
    const int from[2] = {part_of(s, RESIDUAL, 0), part_of(s, RESIDUAL, 1)},
              to[2] = {part_of(s, change, 0), part_of(s, change, 1)};
    KN_TRY(s->backend->sweep(s->machine, s->omega, from, to));
    return kn_correction_apply(&s->correction, to);
}

static int change_at(int slot)
{
    return FIRST + slot;
}

static int image_at(const struct kn_steady *s, int slot)
{
    return FIRST + s->most + slot;
}

/* Make the image of a change orthogonal to the earlier ones, which have the norm 1, and give it the norm 1.
 * The change is combined in the same way.  The norm follows from the products, unless cancellation makes them
 * inaccurate. */
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
    KN_TRY(products(s, image, count + 1, images, scaled, along));
    double square = along[count];
    for (int i = 0; i < count; i++)
        square -= along[i] * along[i];
    const bool exact = square > 1e-6 * along[count];
    const double scale = exact ? 1 / sqrt(square) : 1;
    for (int i = 0; i < count; i++)
        along[i] *= -scale;
    KN_TRY(combine(s, image, scale, count, images, along));
    KN_TRY(combine(s, change, scale, count, changes, along));
    s->directions = s->directions > slot ? s->directions : slot + 1;
    if (exact)
        return KN_OK;
    KN_TRY(measure(s, image, scaled, &norm));
    if (!(norm > 0) || !isfinite(norm))
        return kn_error_set(KN_ENUMERIC, "the iterations for the steady state diverge (iteration %lld)",
                            (long long)s->progress.iterations);
    KN_TRY(combine(s, image, 1 / norm, 0, NULL, NULL));
    return combine(s, change, 1 / norm, 0, NULL, NULL);
}

/* Add a change to the solution. */
static enum kn_status move(struct kn_steady *s, int change, double length)
{
    double moved, size;
    KN_TRY(combine(s, SOLUTION, 1, 1, &change, &length));
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
    KN_TRY(apply(s, change, image));
    KN_TRY(orthogonalise(s, slot, true));
    KN_TRY(products(s, RESIDUAL, 1, &image, true, &length));
    KN_TRY(move(s, change, length));
    KN_TRY(s->done % REFRESH == REFRESH - 1 ? renew_residual(s)
                                            : combine(s, RESIDUAL, 1, 1, &image, (double[]){-length}));
    s->done++;
    return measure_residual(s);
}

/* Anderson acceleration, theory (67). */
static enum kn_status iterate_nonlinear(struct kn_steady *s)
{
    const int before = (int)((s->done + s->most - 1) % s->most), slot = (int)(s->done % s->most);
    static const double bounds[LINEARISATIONS] = {0.4, 0.1, 0.01};
    int others[2 * DIRECTIONS], images[DIRECTIONS];
    double along[2 * DIRECTIONS] = {0};
    KN_TRY(precondition(s, LATEST));
    if (s->done > 0) {
        KN_TRY(combine(s, image_at(s, before), 0, 2, (int[]){LATEST, PREVIOUS}, (double[]){1, -1}));
        KN_TRY(orthogonalise(s, before, false));
    }
    const int count = s->directions;
    KN_TRY(combine(s, PREVIOUS, 0, 1, (int[]){LATEST}, (double[]){1}));
    for (int i = 0; i < count; i++) {
        others[i] = images[i] = image_at(s, i);
        others[count + i] = change_at(i);
    }
    if (count > 0) {
        KN_TRY(products(s, LATEST, count, images, false, along));
        for (int i = 0; i < count; i++)
            along[i] = along[count + i] = -along[i];
        KN_TRY(combine(s, LATEST, 1, 2 * count, others, along));
    }
    KN_TRY(combine(s, change_at(slot), 0, 1, (int[]){LATEST}, (double[]){1}));
    KN_TRY(move(s, LATEST, 1));
    KN_TRY(renew_residual(s));
    s->done++;
    if (s->correction.strong && s->correction.linearised < LINEARISATIONS &&
        s->progress.update < bounds[s->correction.linearised]) { /* earlier changes are dropped */
        KN_TRY(kn_correction_linearise(&s->correction, FIRST));
        s->directions = 0;
        s->done = 0;
    }
    return measure_residual(s);
}

enum kn_status kn_steady_iterate(struct kn_steady *s)
{
    s->progress.iterations++;
    if (s->solved) { /* nothing drives the gas */
        s->progress.update = 0;
        return KN_OK;
    }
    return s->plan.problem->c->disturbance > 0 ? iterate_nonlinear(s) : iterate_linear(s);
}

struct kn_steady_progress kn_steady_progress(const struct kn_steady *s)
{
    return s->progress;
}

enum kn_status kn_steady_part(struct kn_steady *s, int part)
{
    const int ncells = s->plan.problem->space->ncells, vector = part_of(s, SOLUTION, part);
    for (int first = 0; first < ncells; first += ROWS) {
        const int count = ncells - first < ROWS ? ncells - first : ROWS;
        KN_TRY(s->backend->get(s->machine, vector, first, count, s->rows));
        KN_TRY(kn_sim_put_rows(s->sim, first, count, s->rows));
    }
    KN_TRY(turn_walls(s, part));
    KN_TRY(s->backend->fluxes(s->machine, vector, s->fluxes));
    kn_sim_set_solution(s->sim, s->progress.iterations, s->fluxes);
    return KN_OK;
}

enum kn_status kn_steady_store(struct kn_steady *s, bool whole)
{
    kn_sim_set_solution(s->sim, s->progress.iterations, NULL);
    if (whole) {
        KN_TRY(kn_steady_part(s, 0));
        s->progress.balance = s->omega == 0 ? kn_balance_of(&s->plan, s->fluxes) : NAN;
    }
    return KN_OK;
}
