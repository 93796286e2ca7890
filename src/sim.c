/* A simulation: creates grids, walls, collisions and a backend, and advances them in time. */
#include "sim.h"

#include "backend/backend.h"
#include "collision/sampling.h"
#include "config/case.h"
#include "config/config.h"
#include "config/reference.h"
#include "error.h"
#include "grid/boxes.h"
#include "grid/duration.h"
#include "grid/emission.h"
#include "grid/initial.h"
#include "grid/lent.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPARED = 2
}; /* processors that a device needs for itself: threads that evaluate an observation must not
      delay the thread that submits steps */

/* Values at the time of an observation. */
struct moment {
    int64_t step;
    double (*wall_velocity)[3]; /* [patches], then [facets] of control volumes, V0 eps */
    double sum[2];              /* of a uniform gas: <v^4 h>, <v^6 h> */
};

struct kn_sim {
    struct kn_case c;
    struct kn_reference reference;
    struct kn_case inner; /* c in units of the reference: that of all plans */
    const struct kn_comm *comm;
    struct kn_box *boxes; /* [comm->size] */
    struct kn_halo halo;
    struct kn_space space;
    struct kn_velocity velocity;
    struct kn_boundary boundary;
    struct kn_collision_plan collision;
    struct kn_problem problem;
    const struct kn_backend *backend;
    void *machine;
    double dt; /* lambda0 / V0 */
    int64_t step;
    double ahead;   /* collision time applied beyond the current time */
    uint64_t draws; /* collision sets used so far */
    struct kn_fluxes fluxes;
    struct kn_lent lent; /* moments of cells without a row */
    struct moment observations[KN_BACKEND_OBSERVATIONS], present;
    double (*wall_velocity)[3]; /* of all moments */
    int64_t begun, taken;       /* observations so far */
    double stepping;            /* s in calls that compute steps */
    char sharing[KN_SIM_NOTE],
        unlike[KN_SIM_NOTE]; /* notes for the user about the machines of the ranks; "": none */
};

static enum kn_status fill_state(struct kn_sim *sim)
{
    enum kn_status status = KN_OK;
    float *row = calloc((size_t)sim->velocity.nnodes, sizeof *row);
    if (!row)
        return kn_error_set(KN_EMEMORY, "no memory for the initial state");
    for (int cell = 0; cell < sim->space.ncells && status == KN_OK; cell++) {
        if (sim->space.solid && sim->space.solid[cell])
            continue;
        kn_initial_fill(&sim->inner, &sim->space, &sim->velocity, cell, row);
        status = sim->backend->put(sim->machine, cell, 1, row);
    }
    free(row);
    return status;
}

static enum kn_status place_moments(struct kn_sim *sim)
{
    const size_t patches = (size_t)sim->boundary.count + (size_t)sim->space.volumes.nfacets;
    sim->wall_velocity = calloc((KN_BACKEND_OBSERVATIONS + 1) * patches, sizeof *sim->wall_velocity);
    sim->present.wall_velocity = sim->wall_velocity;
    for (size_t i = 0; i < KN_BACKEND_OBSERVATIONS; i++)
        sim->observations[i].wall_velocity = sim->wall_velocity + (i + 1) * patches;
    return sim->wall_velocity ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the walls");
}

/* The part of the creation without communication. */
static enum kn_status lay_out(struct kn_sim *sim)
{
    const struct kn_case *c = &sim->inner;
    KN_TRY(kn_sim_find_backend(c, &sim->backend));
    KN_TRY(kn_sim_select_device(sim->backend, sim->comm, sim->sharing));
    KN_TRY(kn_sim_divide_among(c, sim->comm, sim->backend, &sim->boxes));
    KN_TRY(kn_velocity_create(&sim->velocity, c));
    KN_TRY(kn_space_create(&sim->space, c, &sim->boxes[sim->comm->rank]));
    KN_TRY(kn_boundary_create(&sim->boundary, c, &sim->space, &sim->velocity));
    KN_TRY(kn_emission_create(&sim->boundary));
    KN_TRY(place_moments(sim));
    KN_TRY(kn_fluxes_create(&sim->fluxes, &sim->c, &sim->space));
    sim->dt = kn_sim_choose_time_step(&sim->c, sim->velocity.max_speed);
    int threads = kn_sim_choose_threads(c, sim->comm, sim->space.ncells, sim->velocity.nnodes);
    if (sim->backend->detached && c->run.threads == 0 && threads > SPARED)
        threads -= SPARED;
    sim->problem = (struct kn_problem){
        c,
        &sim->space,
        &sim->velocity,
        &sim->boundary,
        &sim->collision,
        threads,
        sim->comm->size > 1 ? &sim->halo : NULL,
    };
    return KN_OK;
}

/* The part of the creation with communication; all ranks call it or none. */
static enum kn_status connect_ranks(struct kn_sim *sim, const struct kn_progress_callback *progress)
{
    const struct kn_mesh mesh = kn_backend_mesh(&sim->problem);
    KN_TRY(kn_sim_compare_backends(sim->backend, sim->comm));
    kn_sim_compare_machines(sim->backend, sim->comm, sim->unlike);
    const struct kn_assembler *assembler =
        sim->c.collision.method == KN_METHOD_OPERATOR ? kn_backend_assembler(sim->c.run.backend) : NULL;
    KN_TRY(kn_collision_create(&sim->collision, &sim->inner, &sim->velocity, sim->comm, assembler, progress));
    if (sim->comm->size > 1)
        KN_TRY(kn_halo_create(&sim->halo, sim->comm, sim->boxes, &sim->space, &mesh, sim->c.space.order));
    return kn_lent_create(&sim->lent, sim->comm, sim->boxes, &sim->space, KN_MOMENTS);
}

static enum kn_status build(struct kn_sim *sim, const struct kn_progress_callback *progress)
{
    KN_TRY(kn_comm_agree(sim->comm, lay_out(sim)));
    KN_TRY(connect_ranks(sim, progress));
    enum kn_status status = sim->backend->create(&sim->machine, &sim->problem);
    if (status == KN_OK && (sim->c.initial.shape != KN_SHAPE_REST || !sim->reference.at_rest))
        status = fill_state(sim);
    return kn_comm_agree(sim->comm, status);
}

enum kn_status kn_sim_create(struct kn_sim **out, const struct kn_case *c)
{
    return kn_sim_create_with_progress(out, c, &kn_comm_alone, NULL);
}

enum kn_status kn_sim_create_with_progress(struct kn_sim **out, const struct kn_case *c,
                                           const struct kn_comm *comm,
                                           const struct kn_progress_callback *progress)
{
    struct kn_plan_size size;
    enum kn_status status = kn_sim_plan(c, comm, &size);
    *out = NULL;
    if (status == KN_OK && kn_sampling_is_due(c))
        status = kn_error_set(KN_EINPUT, "collision.samples: auto is not resolved (call kn_pilot_samples)");
    struct kn_sim *sim = status == KN_OK ? calloc(1, sizeof *sim) : NULL;
    if (status == KN_OK && !sim)
        status = kn_error_set(KN_EMEMORY, "no memory for a simulation");
    if ((status = kn_comm_agree(comm, status)) != KN_OK || !sim) {
        free(sim);
        return status;
    }
    sim->c = *c;
    sim->reference = kn_reference_of(c);
    sim->inner = kn_reference_case(&sim->reference, c);
    sim->comm = comm;
    if ((status = build(sim, progress)) != KN_OK) {
        kn_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return KN_OK;
}

void kn_sim_destroy(struct kn_sim *sim)
{
    if (!sim)
        return;
    if (sim->machine)
        sim->backend->destroy(sim->machine);
    kn_collision_destroy(&sim->collision);
    kn_boundary_destroy(&sim->boundary);
    kn_space_destroy(&sim->space);
    kn_velocity_destroy(&sim->velocity);
    kn_halo_destroy(&sim->halo);
    kn_lent_destroy(&sim->lent);
    free(sim->boxes);
    free(sim->wall_velocity);
    kn_fluxes_destroy(&sim->fluxes);
    free(sim);
}

/* True if the gas streams along this axis, and is not uniform along it. */
static bool streams_along(const struct kn_space *space, int axis)
{
    for (int i = 0; i < space->naxes; i++)
        if (space->axes[i] == axis)
            return true;
    return false;
}

/* The grids depend on the initial velocities of the walls: a folded half of velocity space is missing. */
static enum kn_status check_grids(const struct kn_sim *sim, const struct kn_case *c, enum kn_side side)
{
    for (int d = 0; d < 3; d++) {
        const double u = c->walls[side].velocity[d];
        const bool mirrors = c->walls[2 * d].kind != KN_WALL_PERIODIC && !streams_along(&sim->space, d);
        if (u == 0 || (sim->velocity.bit[d] && !mirrors))
            continue;
        return kn_error_set(
            KN_EINPUT,
            "walls.%s.velocity: %g along %c, but nothing moved along %c when the simulation was "
            "created, and its grids depend on that (%s)",
            kn_case_side_name(side), u, "xyz"[d], "xyz"[d],
            mirrors ? "use periodic ends of that axis and velocity.fold: none" : "use velocity.fold: none");
    }
    return KN_OK;
}

enum kn_status kn_sim_set_wall(struct kn_sim *sim, enum kn_side side, const double velocity[3],
                               double temperature)
{
    struct kn_case asked = sim->c;
    asked.gas.reference.temperature = sim->reference.temperature; /* if it is auto */
    if ((int)side < 0 || side >= KN_SIDES)
        return kn_error_set(KN_EINPUT, "walls: there is no side %d (KN_LEFT to KN_FRONT)", (int)side);
    struct kn_wall *wall = &asked.walls[side];
    if (wall->kind != KN_WALL_DIFFUSE && wall->kind != KN_WALL_INFLOW)
        return kn_error_set(
            KN_EINPUT, "walls.%s.kind: %s has neither velocity nor temperature (diffuse and inflow have)",
            kn_case_side_name(side), kn_config_choice_name("walls.<side>.kind", wall->kind));
    memcpy(wall->velocity, velocity, sizeof wall->velocity);
    wall->temperature = temperature;
    for (int i = 1; i < KN_POINTS; i++)
        wall->temperatures[i] = KN_NO_POINT;
    KN_TRY(kn_sim_check_side(&asked, side));
    KN_TRY(check_grids(sim, &asked, side));
    sim->c.walls[side] = *wall;
    sim->inner.walls[side] = kn_reference_wall(&sim->reference, wall);
    kn_boundary_renew(&sim->boundary, (int)side);
    return KN_OK;
}

/* One step. Strang splitting is collide dt/2, stream dt, collide dt/2. If no results are requested, the
 * last half and the first half of the next step are merged into one collision over dt, and the state is
 * `ahead` by the difference. */
static enum kn_status advance_one(struct kn_sim *sim, bool close)
{
    const bool strang = sim->c.time.splitting == KN_SPLITTING_STRANG;
    const double collide = sim->reference.collisions * sim->dt;
    if (strang && sim->ahead == 0)
        KN_TRY(sim->backend->collide(sim->machine, collide / 2, sim->draws++));
    if (kn_boundary_update(&sim->boundary, kn_sim_time(sim) + sim->dt / 2))
        KN_TRY(sim->backend->set_walls(sim->machine));
    const struct kn_step step = {.stream = sim->reference.speed * sim->dt,
                                 .collide = strang && close ? collide / 2 : collide,
                                 .draw = sim->draws++,
                                 .fluxes = close};
    sim->ahead = strang && !close ? sim->dt / 2 : 0;
    sim->step++;
    return sim->backend->step(sim->machine, &step);
}

static enum kn_status advance(struct kn_sim *sim, int64_t steps, bool close)
{
    const double begun = omp_get_wtime();
    enum kn_status status = KN_OK;
    for (int64_t i = 0; i < steps && status == KN_OK; i++)
        status = advance_one(sim, close && i == steps - 1);
    sim->stepping += omp_get_wtime() - begun;
    return status;
}

enum kn_status kn_sim_advance_open(struct kn_sim *sim, int64_t steps)
{
    return advance(sim, steps, false);
}

enum kn_status kn_sim_advance(struct kn_sim *sim, int64_t steps)
{
    if (kn_case_iterates(&sim->c))
        return kn_error_set(KN_EINPUT, "time.mode: %s has no time steps (kn_run finds the solution)",
                            kn_config_choice_name("time.mode", sim->c.time.mode));
    return advance(sim, steps, true);
}

double kn_sim_time(const struct kn_sim *sim)
{
    return kn_case_iterates(&sim->c) ? 0 : (double)sim->step * sim->dt;
}

double kn_sim_time_step(const struct kn_sim *sim)
{
    return sim->dt;
}

int64_t kn_sim_steps(const struct kn_sim *sim)
{
    return sim->step;
}

int64_t kn_sim_cells(const struct kn_sim *sim)
{
    return kn_space_count(&sim->space);
}

int64_t kn_sim_nodes(const struct kn_sim *sim)
{
    return sim->velocity.nnodes;
}

/* <v^4 h> and <v^6 h> of the first cell. */
static enum kn_status sum_powers(struct kn_sim *sim, double sum[2])
{
    const struct kn_velocity *v = &sim->velocity;
    float *row = calloc((size_t)v->nnodes, sizeof *row);
    if (!row)
        return kn_error_set(KN_EMEMORY, "not enough memory");
    const enum kn_status status = sim->backend->get(sim->machine, 0, 1, row);
    sum[0] = sum[1] = 0;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            const double vv = v->square[k], part = (double)v->w[k] * row[octant * v->stride + k] * vv * vv;
            sum[0] += part;
            sum[1] += part * vv;
        }
    free(row);
    return status;
}

/* The velocities of the walls belong to the same moment as the fluxes. */
static void take_moment(const struct kn_sim *sim, struct moment *now)
{
    now->step = sim->step;
    for (int i = 0; i < sim->boundary.count; i++)
        memcpy(now->wall_velocity[i], sim->boundary.patches[i].velocity, sizeof now->wall_velocity[i]);
    for (int i = 0; i < sim->space.volumes.nfacets; i++)
        memcpy(now->wall_velocity[sim->boundary.count + i], sim->boundary.emissions[i].velocity,
               sizeof now->wall_velocity[i]);
}

enum kn_status kn_sim_observe(struct kn_sim *sim)
{
    struct moment *now = &sim->observations[sim->begun++ % KN_BACKEND_OBSERVATIONS];
    take_moment(sim, now);
    if (kn_sim_cells(sim) == 1)
        KN_TRY(sum_powers(sim, now->sum));
    return sim->backend->observe(sim->machine);
}

static void fill_fields(struct kn_sim *sim, const double *moments, double *fields)
{
    const int ncells = sim->space.ncells;
    kn_lent_exchange(&sim->lent, moments);
#pragma omp parallel for schedule(static) num_threads(sim->problem.threads) if (ncells > 2048)
    for (int cell = 0; cell < ncells; cell++) {
        double *field = fields + (size_t)cell * KN_FIELDS;
        if (sim->space.solid && sim->space.solid[cell] && kn_volumes_at(&sim->space.volumes, cell) < 0) {
            for (int f = 0; f < KN_FIELDS; f++)
                field[f] = NAN;
            continue;
        }
        kn_moments_to_fields(kn_lent_row(&sim->lent, moments, cell), sim->c.disturbance, field);
        if (!sim->reference.at_rest)
            kn_reference_restore_fields(&sim->reference, field);
    }
}

enum kn_status kn_sim_fields(struct kn_sim *sim, double *fields)
{
    struct kn_observed found;
    KN_TRY(kn_sim_observe(sim));
    sim->taken++;
    KN_TRY(sim->backend->observed(sim->machine, &found));
    fill_fields(sim, found.moments, fields);
    return KN_OK;
}

/* The results at all surfaces from the fluxes through faces. */
static void sum_faces(struct kn_sim *sim, const struct moment *at, const double *faces,
                      struct kn_fluxes_result *to)
{
    kn_fluxes_sum(&sim->fluxes, sim->comm, &(struct kn_fluxes_state){faces, at->wall_velocity}, to);
}

static enum kn_status take_fluxes(struct kn_sim *sim, struct kn_fluxes_result *to)
{
    if (!kn_case_iterates(&sim->c))
        KN_TRY(kn_comm_agree(sim->comm, sim->backend->fluxes(sim->machine, sim->fluxes.faces)));
    take_moment(sim, &sim->present);
    sum_faces(sim, &sim->present, sim->fluxes.faces, to);
    return KN_OK;
}

enum kn_status kn_sim_walls(struct kn_sim *sim, struct kn_wall_flux walls[KN_SIDES])
{
    struct kn_fluxes_result all;
    KN_TRY(take_fluxes(sim, &all));
    memcpy(walls, all.walls, sizeof all.walls);
    return KN_OK;
}

enum kn_status kn_sim_bodies(struct kn_sim *sim, struct kn_body_flux bodies[KN_BODIES])
{
    struct kn_fluxes_result all;
    KN_TRY(take_fluxes(sim, &all));
    memcpy(bodies, all.bodies, sizeof all.bodies);
    return KN_OK;
}

enum kn_status kn_sim_ports(struct kn_sim *sim, struct kn_port_flux ports[KN_PORTS])
{
    struct kn_fluxes_result all;
    KN_TRY(take_fluxes(sim, &all));
    memcpy(ports, all.ports, sizeof all.ports);
    return KN_OK;
}

/* Theory (37c); NaN for a moving reference. */
static void find_excess(const struct kn_sim *sim, const double sum[2], struct kn_observation *o)
{
    const struct kn_reference *r = &sim->reference;
    const double eps = sim->c.disturbance, *u = r->velocity, rho = o->fields[KN_RHO],
                 theta = kn_reference_temperature(r, o->fields[KN_THETA]);
    const double square = u[0] == 0 && u[1] == 0 && u[2] == 0 ? r->ratio * r->ratio : NAN;
    o->excess[0] = square * (4.0 / 15 * sum[0] - kn_moments_fourth(eps, rho, theta));
    o->excess[1] = r->ratio * square * (8.0 / 105 * sum[1] - kn_moments_sixth(eps, rho, theta));
}

enum kn_status kn_sim_observed(struct kn_sim *sim, struct kn_observation *o)
{
    const struct moment *at = &sim->observations[sim->taken++ % KN_BACKEND_OBSERVATIONS];
    struct kn_observed found;
    KN_TRY(kn_comm_agree(sim->comm, sim->backend->observed(sim->machine, &found)));
    o->step = at->step;
    o->time = kn_case_iterates(&sim->c) ? 0 : (double)o->step * sim->dt;
    fill_fields(sim, found.moments, o->fields);
    const bool steps = !kn_case_iterates(&sim->c);
    sum_faces(sim, at, steps ? found.fluxes : sim->fluxes.faces, &o->at_surfaces);
    if (kn_sim_cells(sim) == 1)
        find_excess(sim, at->sum, o);
    return KN_OK;
}

struct kn_sim_equation kn_sim_equation(const struct kn_sim *sim)
{
    return (struct kn_sim_equation){&sim->problem, sim->backend->steady,
                                    sim->reference.collisions / sim->reference.speed};
}

bool kn_sim_turn_walls(struct kn_sim *sim, double time)
{
    return kn_boundary_update(&sim->boundary, time);
}

void kn_sim_set_solution(struct kn_sim *sim, int64_t iteration, const double *fluxes)
{
    sim->step = iteration;
    if (fluxes)
        memcpy(sim->fluxes.faces, fluxes, kn_space_fluxes(&sim->space) * KN_FLUXES * sizeof *fluxes);
}

enum kn_status kn_sim_surfaces(struct kn_sim *sim, const double **faces)
{
    struct kn_fluxes_result all;
    KN_TRY(take_fluxes(sim, &all));
    kn_fluxes_store(&sim->fluxes, &(struct kn_fluxes_state){sim->fluxes.faces, sim->present.wall_velocity});
    *faces = sim->fluxes.local;
    return KN_OK;
}

const struct kn_space *kn_sim_space(const struct kn_sim *sim)
{
    return &sim->space;
}

const char *kn_sim_backend(const struct kn_sim *sim)
{
    return sim->backend->name;
}

void kn_sim_device(const struct kn_sim *sim, char *text, size_t size)
{
    sim->backend->device(text, size);
}

void kn_sim_kernels(const struct kn_sim *sim, FILE *to)
{
    if (sim->backend->kernels)
        sim->backend->kernels(sim->machine, to);
}

const char *kn_sim_note(const struct kn_sim *sim, int number)
{
    const char *const notes[KN_SIM_NOTES] = {sim->collision.op.note, sim->sharing, sim->unlike};
    return notes[number];
}

const struct kn_box *kn_sim_boxes(const struct kn_sim *sim)
{
    return sim->boxes;
}

int64_t kn_sim_halo_bytes(const struct kn_sim *sim)
{
    return (int64_t)sim->halo.nsend * sim->halo.stride * (int64_t)sizeof(float);
}

int kn_sim_peers(const struct kn_sim *sim)
{
    return sim->halo.npeers;
}

int kn_sim_threads(const struct kn_sim *sim)
{
    return sim->problem.threads;
}

void kn_sim_phases(const struct kn_sim *sim, double seconds[KN_PHASES])
{
    sim->backend->seconds(sim->machine, seconds);
}

double kn_sim_stepping(const struct kn_sim *sim)
{
    return sim->backend->stepping ? sim->backend->stepping(sim->machine) : sim->stepping;
}

bool kn_sim_is_detached(const struct kn_sim *sim)
{
    return sim->backend->detached && !kn_case_iterates(&sim->c);
}

struct kn_sim_state kn_sim_state(const struct kn_sim *sim)
{
    return (struct kn_sim_state){
        .step = sim->step,
        .time = kn_sim_time(sim),
        .time_step = sim->dt,
        .ahead = sim->ahead,
        .draws = sim->draws,
        .samples = sim->c.collision.samples,
        .ncells = kn_sim_cells(sim),
        .nnodes = sim->velocity.nnodes,
        .reference = sim->reference.ratio,
    };
}

enum kn_status kn_sim_restore(struct kn_sim *sim, const struct kn_sim_state *state)
{
    if (state->ncells != kn_sim_cells(sim) || state->nnodes != sim->velocity.nnodes)
        return kn_error_set(KN_EINPUT, "the checkpoint holds %lld cells of %lld nodes, the case %lld of %d",
                            (long long)state->ncells, (long long)state->nnodes, (long long)kn_sim_cells(sim),
                            sim->velocity.nnodes);
    if (state->reference != sim->reference.ratio)
        return kn_error_set(KN_EINPUT,
                            "gas.reference.temperature: the checkpoint has %.17g T0, the case %.17g T0 (auto "
                            "depends on the version of the program; a value can be set)",
                            state->reference, sim->reference.ratio);
    sim->step = state->step;
    sim->dt = state->time_step; /* a later time.end does not change the step of a run */
    sim->ahead = state->ahead;
    sim->draws = state->draws;
    return KN_OK;
}

enum kn_status kn_sim_get_rows(struct kn_sim *sim, int64_t first, int64_t count, float *rows)
{
    return sim->backend->get(sim->machine, first, count, rows);
}

enum kn_status kn_sim_put_rows(struct kn_sim *sim, int64_t first, int64_t count, const float *rows)
{
    return sim->backend->put(sim->machine, first, count, rows);
}

enum kn_status kn_sim_copy(struct kn_sim *sim, double *seconds)
{
    return sim->backend->copy(sim->machine, seconds);
}
