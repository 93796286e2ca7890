/* The CUDA backend: device memory, streams and launches; the kernels are in the other cuda_*.cu files. */
#include "cuda/cuda_machine.h"
#include "cuda/cuda_steady.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "collision/sampling.h"
#include "grid/scatter.h"
}

enum { TIMED = 16 }; /* one of TIMED sweeps is timed */

static double memory(const struct kn_problem *p)
{
    const double nnodes = p->velocity->nnodes;
    const bool operates = p->c->collision.method == KN_METHOD_OPERATOR;
    const double cells = p->space->ncells, halo = p->space->nhalo;
    return (2 * (cells + halo) + p->space->nfaces + p->space->nvaried) * nnodes * sizeof(float) + cells * 40 +
           halo * 36 + kn_cuda_observe_memory(p) + kn_cuda_exchange_memory(p) + kn_cuda_sets_memory(p) +
           (operates ? kn_cuda_propagator_memory(p) : 0);
}

enum kn_status kn_cuda_allocate(struct kn_cuda *m, void **to, size_t bytes)
{
    size_t free_bytes = 0, total = 0;
    if (m->nblocks == KN_CUDA_BLOCKS)
        return kn_error_set(KN_EDEVICE, "CUDA: more than %d arrays", KN_CUDA_BLOCKS);
    const cudaError_t status = cudaMalloc(to, bytes > 0 ? bytes : 16);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        cudaMemGetInfo(&free_bytes, &total);
        return kn_error_set(KN_EMEMORY,
                            "space.cells: the case needs %.2f GB on the GPU and %.2f GB are free; "
                            "fewer cells or velocity.nodes help",
                            memory(&m->problem) / 1e9, (double)free_bytes / 1e9);
    }
    CHECK(status);
    m->blocks[m->nblocks++] = *to;
    return KN_OK;
}

/* A copy of a host array. */
enum kn_status kn_cuda_upload(struct kn_cuda *m, const void **to, const void *from, size_t bytes)
{
    void *block;
    KN_TRY(kn_cuda_allocate(m, &block, bytes));
    *to = block;
    CHECK(cudaMemcpy(block, from, bytes, cudaMemcpyHostToDevice));
    return KN_OK;
}

/* Cells of a uniform mesh have the same width to the last bit: the wall pass and all kernels use the same
 * Courant numbers, so that no mass is lost at a wall. */
static enum kn_status upload_widths(struct kn_cuda *m)
{
    const struct kn_space *x = m->problem.space;
    const size_t count = 3 * ((size_t)x->ncells + (size_t)x->nhalo);
    const bool uniform = kn_cuda_layout_uniform(x);
    float *width = (float *)malloc(count * sizeof *width);
    if (!width)
        return kn_error_set(KN_EMEMORY, "no memory for the widths of the cells");
    for (size_t i = 0; i < count; i++)
        width[i] = uniform ? kn_cuda_layout_width(x, (int)(i % 3), 0) : x->width[i];
    const enum kn_status status =
        kn_cuda_upload(m, (const void **)&m->device.mesh.width, width, count * sizeof *width);
    free(width);
    return status;
}

static enum kn_status set_walls(void *machine)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    const struct kn_boundary *b = m->problem.boundary;
    const size_t count = (size_t)b->count;
    for (int i = 0; i < b->count; i++) {
        const struct kn_patch *p = &b->patches[i];
        m->host_patch[i] = {.emission_flux = p->emission_flux,
                            .unit_flux = p->unit_flux,
                            .prescribed_flux = p->prescribed_flux,
                            .alpha = p->alpha,
                            .replaces = p->replaces,
                            .emits = p->emits,
                            .drifts = p->drifts,
                            .matrices = p->matrices ? (int32_t)(p->matrices - b->matrices) : -1};
    }
    /* from pageable memory: the call returns when the host arrays may change */
    CHECK(cudaMemcpyAsync(m->emission, b->memory, count * m->problem.velocity->nnodes * sizeof(float),
                          cudaMemcpyHostToDevice, m->work));
    CHECK(
        cudaMemcpyAsync(m->patch, m->host_patch, count * sizeof *m->patch, cudaMemcpyHostToDevice, m->work));
    return KN_OK;
}

static enum kn_status fill_constants(struct kn_cuda *m)
{
    const struct kn_problem *p = &m->problem;
    struct kn_cuda_problem *d = &m->device;
    const int *cells = p->space->cells;
    const int device = kn_cuda_device_current();
    int shared = 0, whole = 0;
    CHECK(cudaDeviceGetAttribute(&d->multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CHECK(cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    d->shared_whole = (size_t)whole;
    d->shared_limit = (size_t)shared - 8192; /* static shared memory of the kernels */
    d->symmetric = p->c->collision.estimator == KN_ESTIMATOR_SYMMETRIC;
    d->ncells = p->space->ncells;
    d->centre = cells[0] / 2 + cells[0] * (cells[1] / 2 + cells[1] * (cells[2] / 2));
    d->box[0] = p->space->box.first[0];
    d->box[1] = cells[0];
    d->nfaces = p->space->nfaces;
    d->size = p->velocity->size;
    d->uniform = kn_cuda_layout_uniform(p->space);
    for (int axis = 0; axis < 2; axis++)
        d->uniform_width[axis] = kn_cuda_layout_width(p->space, axis, 0);
    d->eps = (float)p->c->disturbance;
    d->order = p->c->space.order;
    d->limiter = kn_case_limiter(p->c);
    d->between_cells = kn_stream_weight(d->order, 1, 1, 1);
    d->behind_wall = kn_stream_weight(d->order, 0, 1, 1);
    d->method = p->c->collision.method;
    d->conservation = p->collision->conservation;
    d->prandtl = (float)p->c->collision.prandtl;
    d->emission = m->emission;
    d->patch = m->patch;
    memcpy(d->gram, p->collision->gram, sizeof d->gram);
    memcpy(d->inverse, p->collision->inverse, sizeof d->inverse);
    return KN_OK;
}

/* Fail before any allocation. */
static enum kn_status check_memory(const struct kn_problem *p)
{
    size_t free_bytes = 0, total = 0;
    const double need = memory(p);
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    if (need <= (double)free_bytes)
        return KN_OK;
    return kn_error_set(KN_EINPUT,
                        "space.cells: the case needs %.2f GB on the GPU and %.2f GB are free (fewer cells or "
                        "velocity.nodes, or run.backend: cpu)",
                        need / 1e9, (double)free_bytes / 1e9);
}

static enum kn_status build(struct kn_cuda *m)
{
    const struct kn_problem *p = &m->problem;
    const size_t cells = (size_t)p->space->ncells, nnodes = (size_t)p->velocity->nnodes,
                 faces = (size_t)p->space->nfaces, known = cells + (size_t)p->space->nhalo;
    int urgent = 0;
    KN_TRY(check_memory(p));
    CHECK(cudaStreamCreateWithFlags(&m->work, cudaStreamNonBlocking));
    CHECK(cudaDeviceGetStreamPriorityRange(NULL, &urgent));
    CHECK(cudaStreamCreateWithPriority(&m->drawing, cudaStreamNonBlocking,
                                       urgent)); /* not queued after the blocks of the sweep */
    CHECK(cudaStreamCreateWithFlags(&m->prepare, cudaStreamNonBlocking));
    m->device.mesh = kn_backend_mesh(p);
    KN_TRY(kn_cuda_allocate(m, (void **)&m->h, known * nnodes * sizeof(float)));
    KN_TRY(kn_cuda_allocate(m, (void **)&m->next, known * nnodes * sizeof(float)));
    KN_TRY(kn_cuda_observe_create(m));
    KN_TRY(kn_cuda_allocate(m, (void **)&m->emission, (size_t)p->boundary->count * nnodes * sizeof(float)));
    KN_TRY(kn_cuda_allocate(m, (void **)&m->patch, (size_t)p->boundary->count * sizeof *m->patch));
    m->host_patch = (struct kn_cuda_patch *)calloc((size_t)p->boundary->count, sizeof *m->host_patch);
    if (!m->host_patch)
        return kn_error_set(KN_EMEMORY, "no memory for the walls");
    KN_TRY(kn_cuda_layout_solid(m));
    KN_TRY(kn_cuda_allocate(m, (void **)&m->device.outgoing, faces * nnodes * sizeof(float)));
    KN_TRY(kn_cuda_allocate(m, (void **)&m->device.lost, faces * sizeof(float)));
    KN_TRY(kn_cuda_allocate(m, (void **)&m->device.cycles, 2 * sizeof *m->device.cycles));
    for (int i = 0; i < KN_CUDA_MARKS; i++) {
        CHECK(cudaEventCreate(&m->mark[i]));
        CHECK(cudaEventRecord(m->mark[i], m->drawing));
    }
    KN_TRY(kn_cuda_allocate(m, (void **)&m->device.fluxes, faces * KN_FLUXES * sizeof(double)));
    KN_TRY(kn_cuda_upload(m, (const void **)&m->device.mesh.neighbour, p->space->neighbour,
                          6 * known * sizeof(int32_t)));
    KN_TRY(upload_widths(m));
    KN_TRY(kn_cuda_velocity_upload(m));
    KN_TRY(
        kn_cuda_upload(m, (const void **)&m->device.faces, p->space->faces, faces * sizeof *p->space->faces));
    KN_TRY(kn_cuda_upload(m, (const void **)&m->device.matrices, p->boundary->matrices,
                          (size_t)p->boundary->scattering * kn_scatter_size(p->velocity) * sizeof(float)));
    memcpy(m->device.half, p->velocity->half, sizeof m->device.half);
    if (p->collision->has_source)
        KN_TRY(kn_cuda_upload(m, (const void **)&m->device.source, p->collision->source,
                              nnodes * sizeof(float)));
    KN_TRY(fill_constants(m));
    kn_cuda_choose(m);
    KN_TRY(kn_cuda_layout_tiles(m));
    KN_TRY(kn_cuda_sets_create(m));
    KN_TRY(kn_cuda_propagator_create(m));
    KN_TRY(kn_cuda_exchange_create(m));
    CHECK(cudaMemsetAsync(m->h, 0, known * nnodes * sizeof(float), m->work));
    CHECK(cudaMemsetAsync(m->next, 0, known * nnodes * sizeof(float), m->work));
    CHECK(cudaMemsetAsync(m->device.cycles, 0, 2 * sizeof *m->device.cycles, m->work));
    CHECK(cudaMemsetAsync(m->device.lost, 0, faces * sizeof(float), m->work));
    CHECK(cudaMemsetAsync(m->device.fluxes, 0, faces * KN_FLUXES * sizeof(double), m->work));
    KN_TRY(set_walls(m));
    CHECK(cudaStreamSynchronize(m->work));
    return KN_OK;
}

static void destroy(void *machine)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    if (!m)
        return;
    cudaDeviceSynchronize();
    cudaEvent_t events[] = {
        m->windows[0].ready, m->windows[0].unused, m->windows[1].ready, m->windows[1].unused,
        m->groups[0].ready,  m->groups[0].unused,  m->groups[1].ready,  m->groups[1].unused,
        m->groups[2].ready,  m->groups[2].unused,
    };
    cudaStream_t streams[] = {m->work, m->drawing, m->prepare};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    for (int i = 0; i < KN_CUDA_MARKS; i++)
        if (m->mark[i])
            cudaEventDestroy(m->mark[i]);
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (streams[i])
            cudaStreamDestroy(streams[i]);
    kn_cuda_exchange_destroy(&m->exchange);
    kn_cuda_observe_destroy(&m->watch);
    for (int i = 0; i < m->nblocks; i++)
        cudaFree(m->blocks[i]);
    free(m->packed);
    free(m->space);
    free(m->host_patch);
    free(m);
}

static enum kn_status create(void **machine, const struct kn_problem *p)
{
    KN_TRY(kn_cuda_device_available());
    struct kn_cuda *m = (struct kn_cuda *)calloc(1, sizeof *m);
    if (!m)
        return kn_error_set(KN_EMEMORY, "no memory for the CUDA backend");
    m->problem = *p;
    m->number = kn_cuda_device_current();
    const enum kn_status status = build(m);
    if (status != KN_OK) {
        destroy(m);
        return status;
    }
    *machine = m;
    return KN_OK;
}

static enum kn_status put(void *machine, int64_t first, int64_t count, const float *rows)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    const int64_t nnodes = m->problem.velocity->nnodes;
    CHECK(cudaMemcpyAsync(m->h + first * nnodes, rows, (size_t)(count * nnodes) * sizeof *rows,
                          cudaMemcpyHostToDevice, m->work));
    CHECK(cudaStreamSynchronize(m->work));
    return KN_OK;
}

static enum kn_status get(void *machine, int64_t first, int64_t count, float *rows)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    const int64_t nnodes = m->problem.velocity->nnodes;
    CHECK(cudaSetDevice(m->number)); /* a new thread uses the first device */
    CHECK(cudaMemcpyAsync(rows, m->h + first * nnodes, (size_t)(count * nnodes) * sizeof *rows,
                          cudaMemcpyDeviceToHost, m->work));
    return kn_cuda_observe_wait(m);
}

/* The node to which mass lost by round-off is returned; a different one in each sweep. */
static int32_t heavy_node(const struct kn_cuda *m, uint64_t sweep)
{
    const struct kn_velocity *v = m->problem.velocity;
    const uint64_t octant = sweep / (uint64_t)v->nheavy % (uint64_t)v->octants;
    return (int32_t)octant * v->stride + v->heavy[sweep % (uint64_t)v->nheavy];
}

/* The cells outside the march. A uniform gas does not stream. */
static cudaError_t sweep_unmarched(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                                   cudaStream_t stream)
{
    if (s->cells == 0)
        return cudaSuccess;
    if (p->choice.sweep == KN_CUDA_MONTE_CARLO)
        return kn_cuda_monte_carlo(p, s, stream);
    if (p->choice.sweep == KN_CUDA_MODEL)
        return kn_cuda_model(p, s, stream);
    if (p->mesh.naxes > 0)
        return kn_cuda_linear(p, s, stream);
    return s->h == s->next ? cudaSuccess
                           : cudaMemcpyAsync(s->next, s->h, (size_t)p->ncells * p->mesh.nnodes * sizeof *s->h,
                                             cudaMemcpyDeviceToDevice, stream);
}

/* True if collisions are not applied by the kernel that streams, except by a march. */
static bool collides_apart(const struct kn_cuda *m)
{
    const enum kn_cuda_collisions collisions = m->device.choice.collisions;
    return collisions == KN_CUDA_RELAX || collisions == KN_CUDA_OPERATE;
}

/* These collisions after streaming, in the cells of a list, or in all (NULL). The quadratic part leaves the
 * deviation on which the operator acts in the memory of the state that is not in use. */
static enum kn_status collide_apart(struct kn_cuda *m, const struct kn_cuda_step *s, const int32_t *list,
                                    int count)
{
    const double half = 0.5 * s->dt_collide;
    if (!collides_apart(m) || count == 0)
        return KN_OK;
    struct kn_cuda_operation what = {.from = s->next,
                                     .h = s->next,
                                     .list = list,
                                     .total = count,
                                     .before = half,
                                     .after = half,
                                     .octant = s->heavy / m->device.mesh.stride};
    if (m->quadratic.exists) {
        float *rest = s->next == m->h ? m->next : m->h;
        const struct kn_cuda_deviation d = {.h = s->next,
                                            .to = s->next,
                                            .rest = rest,
                                            .list = list,
                                            .total = count,
                                            .before = m->device.source ? (float)half : 0.0f};
        CHECK(kn_cuda_deviate(&m->device, &s->quadratic, &d, m->work));
        what.from = rest;
        what.before = 0;
    }
    if (m->device.choice.collisions == KN_CUDA_RELAX)
        CHECK(kn_cuda_relax(&m->device, &what, m->work));
    else
        CHECK(kn_cuda_operate(&m->device, &s->op, &what, m->work));
    return KN_OK;
}

/* True if a march has the operator: it computes its own cells in collisions without streaming too, from h
 * into next, because the tiles of several ranks overlap. */
static bool operates_in_march(const struct kn_cuda *m)
{
    return m->device.choice.march_collides && m->device.choice.collisions == KN_CUDA_OPERATE;
}

/* Everything at once. */
static enum kn_status sweep_whole(struct kn_cuda *m, const struct kn_step *step, struct kn_cuda_step s,
                                  bool timed)
{
    const struct kn_cuda_problem *p = &m->device;
    const bool walls = step->stream > 0 && p->nfaces > 0,
               marches = p->choice.marches && (step->stream > 0 || operates_in_march(m)),
               cube = step->stream > 0 && m->cube.tiles[0] > 0,
               streams = step->stream > 0 || marches || !collides_apart(m),
               served = marches && p->choice.march_collides;
    const struct kn_cuda_wall_pass pass = {NULL, p->nfaces, m->h, s.dt_stream, step->fluxes, true};
    s.behind_walls = walls;
    s.cells = marches || cube ? m->unmarched : p->ncells;
    if (walls)
        CHECK(kn_cuda_walls(p, &pass, m->work));
    if (marches)
        CHECK(kn_cuda_march(p, &s, m->work));
    if (cube)
        CHECK(kn_cuda_march_cube(p, &s, &m->cube, m->work));
    if (streams)
        CHECK(sweep_unmarched(p, &s, m->work));
    if (timed)
        CHECK(cudaEventRecord(m->mark[4], m->work));
    return collide_apart(m, &s, served ? p->sweep_order : NULL, served ? s.cells : p->ncells);
}

/* True if collisions must wait until all cells have been streamed: tiles of both parts overlap, or the old
 * state is overwritten. */
static bool collides_last(const struct kn_cuda *m)
{
    return m->quadratic.exists || (m->device.choice.marches && !m->device.choice.march_collides);
}

/* The part of a sweep that does not depend on other ranks (0), or the part that does (1). */
static enum kn_status sweep_part(struct kn_cuda *m, const struct kn_step *step, struct kn_cuda_step s, int i,
                                 bool timed)
{
    const struct kn_cuda_part *part = &m->parts[i];
    const bool tells = i == 0 && !m->device.choice.marches; /* how its time divides */
    struct kn_cuda_problem p = m->device;
    p.sweep_order += part->first_cell;
    p.ncells = !tells && p.choice.sweep == KN_CUDA_LINEAR ? p.ncells : part->cells;
    p.centre = tells ? part->cells / 2 : INT32_MAX;
    s.behind_walls = part->faces > 0 && step->stream > 0;
    s.cells = part->cells;
    s.listed = true;
    s.rim = i == 1;
    s.tiles = m->tiles + part->first_tile;
    s.ntiles = part->tiles;
    const struct kn_cuda_wall_pass pass = {
        m->faces + part->first_face, part->faces, m->h, s.dt_stream, step->fluxes, false};
    if (step->stream > 0)
        CHECK(kn_cuda_walls(&p, &pass, m->work));
    if (part->tiles > 0)
        CHECK(kn_cuda_march(&p, &s, m->work));
    CHECK(sweep_unmarched(&p, &s, m->work));
    if (timed && i == 0)
        CHECK(cudaEventRecord(m->mark[4], m->work));
    return collides_last(m) ? KN_OK : collide_apart(m, &s, p.sweep_order, part->cells);
}

/* Rows are exchanged while the cells that do not depend on other ranks are computed. */
static enum kn_status sweep_parts(struct kn_cuda *m, const struct kn_step *step, const struct kn_cuda_step &s,
                                  bool timed)
{
    if (step->stream > 0)
        KN_TRY(kn_cuda_exchange_begin(m));
    KN_TRY(sweep_part(m, step, s, 0, timed));
    if (timed)
        CHECK(cudaEventRecord(m->mark[5], m->work));
    if (step->stream > 0)
        KN_TRY(kn_cuda_exchange_end(m));
    if (timed)
        CHECK(cudaEventRecord(m->mark[6], m->work));
    KN_TRY(sweep_part(m, step, s, 1, timed));
    if (!collides_last(m))
        return KN_OK;
    if (timed)
        CHECK(cudaEventRecord(m->mark[4], m->work));
    if (!m->device.choice.march_collides)
        return collide_apart(m, &s, NULL, m->device.ncells);
    for (int i = 0; i < 2; i++)
        KN_TRY(collide_apart(m, &s, m->device.sweep_order + m->parts[i].first_cell, m->parts[i].cells));
    return KN_OK;
}

static enum kn_status sweep(struct kn_cuda *m, const struct kn_step *step, float *to)
{
    const bool divided = m->problem.halo && (step->stream > 0 || operates_in_march(m));
    struct kn_cuda_step s = {.h = m->h, .next = to};
    s.dt_stream = (float)step->stream;
    s.dt_collide = step->collide;
    s.heavy = heavy_node(m, step->draw);
    s.op = m->op;
    const bool timed = m->sweeps++ % TIMED == TIMED / 2 && !m->timing;
    KN_TRY(kn_cuda_observe_steps(m));
    KN_TRY(kn_cuda_sets_use(m, step->collide, step->draw, &s.set));
    const struct kn_cuda_propagator *propagator;
    KN_TRY(kn_cuda_propagator_find(m, step->collide, &propagator));
    if (propagator) {
        s.op.propagator = propagator->matrix;
        s.op.unit = propagator->unit;
        s.quadratic = m->quadratic;
        s.quadratic.relaxed = propagator->relaxed;
        s.quadratic.factor = (float)(m->problem.c->disturbance * step->collide);
    }
    if (timed)
        CHECK(cudaEventRecord(m->mark[0], m->work));
    KN_TRY(divided ? sweep_parts(m, step, s, timed) : sweep_whole(m, step, s, timed));
    CHECK(kn_cuda_clear(&m->device, m->solid, m->nsolid, to, m->work));
    if (timed)
        CHECK(cudaEventRecord(m->mark[1], m->work));
    if (timed) {
        m->streamed = step->stream > 0;
        m->divided = divided;
        m->apart = collides_apart(m) && !m->device.choice.march_collides;
        m->collided_last = collides_last(m);
    }
    m->timing = m->timing || timed;
    if (step->fluxes)
        KN_TRY(kn_cuda_observe_ready(m));
    return kn_cuda_sets_ahead(m, step->draw);
}

static void swap_states(struct kn_cuda *m)
{
    float *swap = m->h;
    m->h = m->next;
    m->next = swap;
}

static enum kn_status step(void *machine, const struct kn_step *step)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    KN_TRY(sweep(m, step, m->next));
    swap_states(m);
    return KN_OK;
}

static enum kn_status collide(void *machine, double dt, uint64_t draw)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    const struct kn_step step = {0, dt, draw, false};
    if (!operates_in_march(m))
        return sweep(m, &step, m->h);
    KN_TRY(sweep(m, &step, m->next));
    swap_states(m);
    return KN_OK;
}

static enum kn_status fluxes(void *machine, double *to)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    CHECK(cudaMemcpyAsync(to, m->device.fluxes, (size_t)m->problem.space->nfaces * KN_FLUXES * sizeof *to,
                          cudaMemcpyDeviceToHost, m->work));
    CHECK(cudaStreamSynchronize(m->work));
    return KN_OK;
}

static enum kn_status copy(void *machine, double *seconds)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    const size_t bytes = (size_t)m->problem.space->ncells * m->problem.velocity->nnodes * sizeof(float);
    cudaEvent_t start, stop;
    float ms = 0;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, m->work));
    CHECK(cudaMemcpyAsync(m->next, m->h, bytes, cudaMemcpyDeviceToDevice, m->work));
    CHECK(cudaEventRecord(stop, m->work));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    *seconds = 1e-3 * ms;
    return KN_OK;
}

/* Above first order on a plane mesh, the march may omit two cells next to a wall and three cells that do not
 * fill a tile; the rest of a box must be empty or at least as wide as a tile. */
static int thinnest(const struct kn_case *c)
{
    const bool plane = c->space.cells[0] > 1 && c->space.cells[1] > 1 && c->space.cells[2] == 1;
    return c->space.order > 1 && plane ? 2 + 3 + KN_CUDA_COLUMNS : kn_case_reach(c);
}

static const struct kn_assembler assembler = {"cuda", kn_cuda_assemble};

const struct kn_backend kn_backend_cuda = {
    .name = "cuda",
    .doc = "an NVIDIA GPU",
    .available = kn_cuda_device_available,
    .collides = kn_cuda_device_collides,
    .create = create,
    .destroy = destroy,
    .memory = memory,
    .put = put,
    .get = get,
    .set_walls = set_walls,
    .step = step,
    .collide = collide,
    .fluxes = fluxes,
    .observe = kn_cuda_observe,
    .observed = kn_cuda_observed,
    .detached = true,
    .seconds = kn_cuda_observe_seconds,
    .stepping = kn_cuda_observe_stepping,
    .copy = copy,
    .describe = kn_cuda_device_describe,
    .assembler = &assembler,
    .device = kn_cuda_device_name,
    .room = kn_cuda_device_room,
    .select_device = kn_cuda_device_select,
    .thinnest = thinnest,
    .check = kn_cuda_device_check,
    .steady = &kn_cuda_steady,
    .kernels = kn_cuda_kernels,
};
