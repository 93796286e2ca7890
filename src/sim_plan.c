/* Choices before a case is computed: backend, boxes, time step, threads, memory. */
#include "sim.h"

#include "collision/sampling.h"
#include "config/case.h"
#include "config/config.h"
#include "config/reference.h"
#include "config/shape.h"
#include "error.h"
#include "grid/boxes.h"
#include "grid/duration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With collisions, a step is at most this fraction of the mean time between them, for any Courant number. */
static const double LONGEST_STEP = 0.2;

/* For the cuts and control volumes of the whole space while a rank selects those that it needs. */
static const double CUT_BYTES = 120; /* per cell, measured in three dimensions */

/* Of the steady-state solver. */
static const double USUAL_ITERATIONS = 20;

/* The Courant number of a step of length 1: speed over width, summed over axes. */
static double courant_rate(const struct kn_case *c, const double max_speed[3])
{
    double rate = 0;
    for (int d = 0; d < 3; d++)
        if (!kn_case_is_uniform(c, d))
            rate += max_speed[d] / kn_case_narrowest_cell(c, d);
    return kn_reference_of(c).speed * rate;
}

/* The time step: as long as the Courant number allows, shortened so that a whole number of steps ends at
 * time.end, theory (18), or fits into the periods of walls that oscillate. */
double kn_sim_choose_time_step(const struct kn_case *c, const double max_speed[3])
{
    const double rate = courant_rate(c, max_speed);
    double dt = c->time.courant / rate; /* infinite for a uniform gas */
    if (c->time.step > 0)
        return c->time.step;
    if (c->collision.method != KN_METHOD_NONE || rate == 0)
        dt = fmin(dt, LONGEST_STEP * c->time.courant / kn_reference_of(c).collisions);
    const double end = kn_duration_is_open(c) ? 0 : kn_duration_end(c);
    dt = fmin(dt, kn_duration_period_step(c));
    return end > 0 ? end / ceil(end / dt - 1e-9) : dt;
}

/* All processors, unless the work of a step is too small: synchronisation of threads would cost more than
 * they save. */
int kn_sim_choose_threads(const struct kn_case *c, const struct kn_comm *comm, double cells, double nodes)
{
    const double grain = 32768; /* node updates or sample applications, about 30 microseconds */
    const double samples = kn_case_is_sampled(c->collision.method) ? c->collision.samples : 0;
    const double work = cells * fmax(nodes, samples);
    return c->run.threads > 0 ? c->run.threads : (int)fmin(kn_comm_processors(comm), 1 + floor(work / grain));
}

/* Bytes per cell of the simulation and the run besides h. */
static double host_memory(double cells)
{
    return cells * (double)(sizeof(double) * (KN_MOMENTS + 4 * KN_FIELDS + KN_FLUXES) + 7 * sizeof(int32_t));
}

enum kn_status kn_sim_find_backend(const struct kn_case *c, const struct kn_backend **backend)
{
    const bool steady = kn_case_iterates(c), any = strcmp(c->run.backend, "auto") == 0;
    *backend =
        steady && any ? kn_backend_find_steady() : kn_backend_find(c->run.backend, c->collision.method);
    if (any && (*backend)->check && (*backend)->check(c) != KN_OK)
        *backend = kn_backend_find("cpu", c->collision.method);
    if (!*backend)
        return kn_error_set(KN_EINPUT, "run.backend: there is no '%s'", c->run.backend);
    if (!kn_backend_collides(*backend, c->collision.method))
        return kn_error_set(KN_EINPUT, "run.backend: %s does not have collision.method: %s (cpu has)",
                            c->run.backend, kn_config_choice_name("collision.method", c->collision.method));
    if ((*backend)->check)
        KN_TRY((*backend)->check(c));
    KN_TRY((*backend)->available());
    if (steady && !(*backend)->steady)
        return kn_error_set(KN_EINPUT, "run.backend: %s does not have time.mode: %s (cpu has)",
                            c->run.backend, kn_config_choice_name("time.mode", c->time.mode));
    return KN_OK;
}

/* Before any other call: a query of the memory of a device allocates some of it, and must reach the right
 * device.  `note` [KN_SIM_NOTE], or NULL. */
enum kn_status kn_sim_select_device(const struct kn_backend *backend, const struct kn_comm *comm, char *note)
{
    char unread[KN_SIM_NOTE];
    return backend->select_device ? backend->select_device(comm, note ? note : unread, KN_SIM_NOTE) : KN_OK;
}

/* Processors with different vectors, or different GPUs, round differently: results are correct, but the
 * last bits depend on the division of cells among ranks. */
void kn_sim_compare_machines(const struct kn_backend *backend, const struct kn_comm *comm, char *note)
{
    char own[KN_SIM_NOTE] = "", first[KN_SIM_NOTE];
    backend->describe(own, sizeof own);
    memcpy(first, own, sizeof first);
    kn_comm_broadcast(comm, 0, first, sizeof first);
    int64_t alike = strcmp(own, first) == 0;
    kn_comm_least(comm, &alike, 1);
    if (!alike)
        snprintf(note, KN_SIM_NOTE,
                 "the ranks have different processors or GPUs: the last bits of the results depend on the "
                 "number of ranks (on CPUs KNUDSEN_ISA=v3 or baseline selects the same kernels)");
}

/* "auto" must select the same backend on all ranks. */
enum kn_status kn_sim_compare_backends(const struct kn_backend *backend, const struct kn_comm *comm)
{
    char first[KN_NAME] = "";
    snprintf(first, sizeof first, "%s", backend->name);
    kn_comm_broadcast(comm, 0, first, sizeof first);
    const bool alike = strcmp(first, backend->name) == 0;
    return kn_comm_agree(comm,
                         alike ? KN_OK
                               : kn_error_set(KN_EDEVICE,
                                              "run.backend: rank %d would compute with %s and rank 0 with %s "
                                              "(run.backend: cpu is the same everywhere)",
                                              comm->rank, backend->name, first));
}

/* Boxes for all ranks, owned by the caller. */
enum kn_status kn_sim_divide_among(const struct kn_case *c, const struct kn_comm *comm,
                                   const struct kn_backend *backend, struct kn_box **boxes)
{
    *boxes = NULL;
    if (comm->size > 1 && kn_shape_any(c) && kn_case_iterates(c))
        return kn_error_set(
            KN_EINPUT,
            "time.mode: %s with cylinders, spheres, polygons or STL surfaces needs one rank, and "
            "there are %d (time.mode: unsteady computes them on several)",
            kn_config_choice_name("time.mode", c->time.mode), comm->size);
    *boxes = calloc((size_t)comm->size, sizeof **boxes);
    if (!*boxes)
        return kn_error_set(KN_EMEMORY, "no memory for %d boxes", comm->size);
    return kn_boxes_create(*boxes, comm->size, c, kn_backend_thinnest(backend, c));
}

enum kn_status kn_sim_divide(const struct kn_case *c, const struct kn_comm *comm, struct kn_box **boxes)
{
    const struct kn_backend *backend;
    *boxes = NULL;
    KN_TRY(kn_sim_find_backend(c, &backend));
    return kn_sim_divide_among(c, comm, backend, boxes);
}

/* The size of the space of a rank: the largest box. */
static enum kn_status plan_space(const struct kn_case *c, const struct kn_comm *comm,
                                 const struct kn_backend *backend, struct kn_space *space)
{
    struct kn_box *boxes;
    const enum kn_status status = kn_sim_divide_among(c, comm, backend, &boxes);
    int64_t cells = 0, halo = 0;
    int faces = 0;
    for (int i = 0; i < comm->size && status == KN_OK; i++) {
        const int64_t own = kn_boxes_cells(&boxes[i]), others = kn_boxes_halo(&boxes[i], c);
        const int walls = kn_space_count_faces(c, &boxes[i]);
        faces = walls > faces ? walls : faces;
        cells = own > cells ? own : cells;
        halo = others > halo ? others : halo;
    }
    free(boxes);
    const int64_t most = INT32_MAX / 8; /* rows of borders are numbered by octant */
    const int *n = c->space.cells;
    const int64_t numbered = kn_shape_any(c) ? (int64_t)n[0] * n[1] * n[2] : cells + halo;
    if (status == KN_OK && comm->size > 1 && numbered > most)
        return kn_error_set(KN_EINPUT, "space.cells: %lld cells are more than one rank can number",
                            (long long)numbered);
    bool varies = false;
    for (int i = 0; i < kn_case_surfaces(c); i++)
        varies = varies || kn_case_varies(c, i);
    *space = (struct kn_space){
        .ncells = (int)cells, .nhalo = (int)halo, .nfaces = faces, .nvaried = varies ? faces : 0};
    space->volumes.nfacets = (int)kn_shape_facets(c);
    space->volumes.nlinks = 3 * space->volumes.nfacets; /* about */
    return status;
}

/* Step numbers must be exact in double precision, in files and in JSON. */
static enum kn_status check_steps(const struct kn_case *c, const struct kn_plan_size *size)
{
    static const double most = 0x1p53;
    if (size->time_step > 0 && isfinite(size->time_step) && size->steps <= most)
        return KN_OK;
    const bool given = c->time.step > 0;
    return kn_error_set(
        KN_EINPUT,
        "%s: %g makes a time step of %.3g lambda0 / V0 and %.3g steps to the end of the run (at "
        "most %.3g steps%s)",
        given ? "time.step" : "time.courant", given ? c->time.step : c->time.courant, size->time_step,
        size->steps, most, given ? "; 0 chooses the step" : "");
}

/* Before collision.samples: auto is resolved, the smallest choice is assumed. */
enum kn_status kn_sim_plan(const struct kn_case *c, const struct kn_comm *comm, struct kn_plan_size *size)
{
    struct kn_case smallest = *c;
    smallest.collision.samples = KN_SAMPLING_LEAST;
    if (kn_sampling_is_due(c))
        c = &smallest;
    struct kn_velocity v;
    struct kn_space space = {0};
    const struct kn_backend *backend;
    const int *n = c->space.cells;
    KN_TRY(kn_case_check(c));
    KN_TRY(kn_sim_find_backend(c, &backend));
    KN_TRY(kn_sim_select_device(backend, comm, NULL));
    KN_TRY(plan_space(c, comm, backend, &space));
    enum kn_status status = kn_velocity_create(&v, c);
    if (status == KN_OK) {
        const double cells = space.ncells;
        const struct kn_problem p = {.c = c,
                                     .space = &space,
                                     .velocity = &v,
                                     .threads = kn_sim_choose_threads(c, comm, cells, v.nnodes)};
        const double courant = c->time.step * courant_rate(c, v.max_speed);
        if (courant > 1)
            status = kn_error_set(KN_EINPUT,
                                  "time.step: %g is a Courant number of %.3g (at most 1; 0 chooses the step)",
                                  c->time.step, courant);
        size->cells = (int64_t)n[0] * n[1] * n[2];
        size->nodes = v.nnodes;
        size->box_cells = space.ncells;
        size->halo_cells = space.nhalo;
        size->device_bytes = backend->room ? backend->memory(&p) : 0;
        size->memory_bytes = backend->memory(&p) + host_memory(cells) +
                             (c->collision.method == KN_METHOD_OPERATOR ? kn_operator_memory(&v, comm) : 0);
        if (comm->size > 1 && kn_shape_any(c)) /* before the backend allocates */
            size->memory_bytes = fmax(size->memory_bytes, CUT_BYTES * (double)size->cells);
        size->time_step = kn_sim_choose_time_step(c, v.max_speed);
        size->steps =
            kn_case_iterates(c) ? USUAL_ITERATIONS : ceil(kn_duration_end(c) / size->time_step - 1e-9);
        if (status == KN_OK)
            status = check_steps(c, size);
    }
    kn_velocity_destroy(&v);
    return status;
}

double kn_sim_room(const struct kn_case *c)
{
    const struct kn_backend *backend;
    return kn_sim_find_backend(c, &backend) == KN_OK && backend->room ? backend->room() : NAN;
}

/* The checks of a side of a case; a wall may move along its normal if an oscillating wall may. */
enum kn_status kn_sim_check_side(const struct kn_case *c, enum kn_side side)
{
    static const char *const keys[] = {"velocity", "temperature"};
    struct kn_case asked = *c;
    struct kn_wall *w = &asked.walls[side];
    struct kn_setting s;
    char name[KN_NAME], why[KN_TEXT];
    const int normal = (int)side / 2;
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "walls.%s.%s", kn_case_side_name(side), keys[i]);
        if (!kn_config_find(c, name, &s))
            continue;
        for (int d = 0; d < s.key->count; d++)
            if (!kn_config_check_value(s.key, kn_config_target(&asked, &s), d, why))
                return kn_error_set(KN_EINPUT, "%s: %s", name, why);
    }
    if (w->kind == KN_WALL_DIFFUSE && w->velocity[normal] != 0) {
        w->oscillation.velocity[normal] = w->velocity[normal];
        w->oscillation.frequency = 1;
        w->velocity[normal] = 0;
    }
    return kn_config_check_side(&asked, side);
}
