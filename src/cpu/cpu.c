/* The CPU backend: memory, threads and sweeps; the loops are in cpu_stream.c and cpu_collide.c. */
#include "cpu/cpu_kernels.h"
#include "cpu/cpu_steady.h"

#include "config/case.h"
#include "error.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

struct kn_cpu {
    struct kn_problem problem;
    const struct kn_cpu_kernels *kernels;
    struct kn_mesh mesh;
    float *h, *next;           /* [ncells + nhalo][nnodes] */
    float *outgoing;           /* [nfaces][nnodes] */
    float *lost;               /* [nfaces] */
    double *fluxes;            /* [nfaces][KN_FLUXES] */
    double *moments, *flowed;  /* of the last observation: [ncells][KN_MOMENTS], [nfaces][KN_FLUXES] */
    struct kn_sample *drawn;   /* [collision.samples] */
    struct kn_sample *samples; /* [nsamples] in the order of application */
    int nsamples;
    struct kn_sampling_order order;
    float *scratch; /* [threads][scratch_size] */
    size_t scratch_size;
    struct kn_cpu_propagators propagators;
    int block; /* cells per block of collisions */
    struct kn_routes routes;
    bool cached; /* results stay in the caches */
    struct kn_comm_exchange *exchange;
    float *sent, *received; /* [halo nsend], [halo nrecv][stride] */
    double seconds[KN_PHASES];
};

/* At most: matrices of all facets, if one body reflects. */
static double reflection_memory(const struct kn_problem *p)
{
    const double most = KN_REFLECT_MOST * sizeof(double);
    for (int i = 0; i < kn_case_bodies(p->c) && p->space->volumes.nfacets > 0; i++)
        if (kn_reflect_partly(&p->c->bodies[i].surface))
            return most * (p->velocity->nnodes + (double)p->space->volumes.nfacets * KN_REFLECT_MOST);
    return 0;
}

static double memory(const struct kn_problem *p)
{
    const double rows = (double)kn_volumes_rows(&p->space->volumes, p->space->nfaces) +
                        p->space->volumes.nfacets + p->space->nvaried; /* emission */
    const double state =
        (2.0 * ((double)p->space->ncells + p->space->nhalo) + rows) * p->velocity->nnodes * sizeof(float);
    const double scratch = (double)p->threads *
                               (double)kn_cpu_scratch_size(p->c, p->velocity, KN_CPU_MOST_LANES) *
                               sizeof(float) +
                           KN_CPU_HUGE_PAGE;
    return state + scratch + kn_cpu_propagators_memory(p) + reflection_memory(p) +
           2.0 * kn_sampling_count(p->c) * sizeof(struct kn_sample);
}

/* Results stay in the caches if samples are applied to several rows at once, or if the whole state fits;
 * otherwise they bypass the caches. Virtual machines may report the cache of the whole host, so at most 16
 * MB per thread are assumed. KNUDSEN_WRITE=cache|memory overrides this in tests. */
static bool keep_in_cache(const struct kn_problem *p)
{
    const char *requested = getenv("KNUDSEN_WRITE");
    const double level3 = (double)sysconf(_SC_LEVEL3_CACHE_SIZE), most = 16e6 * p->threads;
    const double state = 2.0 * p->space->ncells * p->velocity->nnodes * sizeof(float);
    if (kn_collision_takes_blocks(p->c->collision.method))
        return true;
    if (requested)
        return strcmp(requested, "memory") != 0;
    return state < (level3 > 0 && level3 < most ? level3 : most);
}

static void destroy(void *machine)
{
    struct kn_cpu *cpu = machine;
    if (!cpu)
        return;
    free(cpu->h);
    free(cpu->next);
    free(cpu->outgoing);
    free(cpu->lost);
    free(cpu->fluxes);
    free(cpu->moments);
    free(cpu->flowed);
    free(cpu->drawn);
    free(cpu->samples);
    kn_sampling_order_destroy(&cpu->order);
    free(cpu->scratch);
    kn_cpu_routes_destroy(&cpu->routes);
    kn_comm_exchange_destroy(cpu->exchange);
    free(cpu->sent);
    free(cpu->received);
    kn_cpu_propagators_destroy(&cpu->propagators);
    free(cpu);
}

/* First touch by the threads that compute the rows, so that rows are in the memory of their NUMA node. */
static void clear(struct kn_cpu *cpu)
{
    const int64_t ncells = cpu->problem.space->ncells, nnodes = cpu->problem.velocity->nnodes;
    const int block = cpu->block;
#pragma omp parallel for schedule(static) num_threads(cpu->problem.threads)
    for (int i = 0; i < cpu->routes.cells.count; i++) {
        const int64_t first = cpu->routes.cells.stop[i],
                      count = ncells - first < block ? ncells - first : block;
        memset(cpu->h + first * nnodes, 0, (size_t)(count * nnodes) * sizeof(float));
        memset(cpu->next + first * nnodes, 0, (size_t)(count * nnodes) * sizeof(float));
    }
    for (int64_t cell = 0; cpu->problem.space->solid && cell < ncells; cell++)
        if (cpu->problem.space->solid[cell]) { /* in no block, or in one with gas */
            memset(cpu->h + cell * nnodes, 0, (size_t)nnodes * sizeof(float));
            memset(cpu->next + cell * nnodes, 0, (size_t)nnodes * sizeof(float));
        }
    const size_t halo = (size_t)cpu->problem.space->nhalo * (size_t)nnodes * sizeof(float);
    memset(cpu->h + ncells * nnodes, 0, halo);
    memset(cpu->next + ncells * nnodes, 0, halo);
}

static enum kn_status create_exchange(struct kn_cpu *cpu)
{
    const struct kn_halo *halo = cpu->problem.halo;
    if (!halo)
        return KN_OK;
    cpu->sent = kn_cpu_aligned((size_t)halo->nsend * (size_t)halo->stride + 1, sizeof(float));
    cpu->received = kn_cpu_aligned((size_t)halo->nrecv * (size_t)halo->stride + 1, sizeof(float));
    if (!cpu->sent || !cpu->received)
        return kn_error_set(KN_EMEMORY, "no memory for the borders between ranks");
    return kn_halo_exchange(halo, sizeof *cpu->sent, cpu->sent, cpu->received, &cpu->exchange);
}

static enum kn_status allocate(struct kn_cpu *cpu)
{
    const struct kn_problem *p = &cpu->problem;
    const size_t ncells = (size_t)p->space->ncells,
                 faces = kn_volumes_rows(&p->space->volumes, p->space->nfaces),
                 rows = (ncells + (size_t)p->space->nhalo) * (size_t)p->velocity->nnodes;
    cpu->h = kn_cpu_aligned(rows, sizeof(float));
    cpu->next = kn_cpu_aligned(rows, sizeof(float));
    cpu->outgoing = kn_cpu_aligned(faces * (size_t)p->velocity->nnodes + 1, sizeof(float));
    cpu->lost = calloc(faces + 1, sizeof(float));
    cpu->fluxes = calloc((faces + 1) * KN_FLUXES, sizeof(double));
    cpu->flowed = calloc((faces + 1) * KN_FLUXES, sizeof(double));
    cpu->moments = malloc(ncells * KN_MOMENTS * sizeof(double));
    cpu->drawn = kn_cpu_aligned((size_t)kn_sampling_count(p->c) + 1, sizeof(struct kn_sample));
    cpu->samples = kn_cpu_aligned((size_t)kn_sampling_count(p->c) + 1, sizeof(struct kn_sample));
    /* In a huge page: the distribution of small pages over the second-level cache is random. */
    cpu->scratch = kn_cpu_aligned((size_t)p->threads * cpu->scratch_size + KN_CPU_HUGE_PAGE / sizeof(float),
                                  sizeof(float));
    if (!cpu->h || !cpu->next || !cpu->outgoing || !cpu->lost || !cpu->fluxes || !cpu->flowed ||
        !cpu->moments || !cpu->drawn || !cpu->samples || !cpu->scratch ||
        kn_sampling_order_create(&cpu->order, p->c, p->velocity) != KN_OK)
        return kn_error_set(KN_EMEMORY, "no memory for %.3g GB of distribution function", memory(p) / 1e9);
    KN_TRY(kn_cpu_routes_create(&cpu->routes, p, cpu->block));
    KN_TRY(kn_cpu_propagators_create(&cpu->propagators, p));
    return create_exchange(cpu);
}

static enum kn_status create(void **machine, const struct kn_problem *p)
{
    struct kn_cpu *cpu = calloc(1, sizeof *cpu);
    if (!cpu)
        return kn_error_set(KN_EMEMORY, "no memory for the CPU backend");
    cpu->problem = *p;
    const enum kn_status found = kn_cpu_kernels_choose(&cpu->kernels);
    if (found != KN_OK) {
        free(cpu);
        return found;
    }
    cpu->mesh = kn_backend_mesh(p);
    cpu->block = kn_collision_takes_blocks(p->c->collision.method) ? cpu->kernels->lanes : 1;
    cpu->cached = keep_in_cache(p);
    cpu->scratch_size = kn_cpu_scratch_size(p->c, p->velocity, cpu->kernels->lanes);
    const enum kn_status status = allocate(cpu);
    if (status != KN_OK) {
        destroy(cpu);
        return status;
    }
    clear(cpu);
    *machine = cpu;
    return KN_OK;
}

void kn_cpu_state(void *machine, void **h, void **next, size_t *bytes)
{
    const struct kn_cpu *cpu = machine;
    const struct kn_space *x = cpu->problem.space;
    const size_t rows = ((size_t)x->ncells + (size_t)x->nhalo) * (size_t)cpu->problem.velocity->nnodes;
    *h = cpu->h;
    *next = cpu->next;
    *bytes = kn_cpu_page_bytes(rows * sizeof *cpu->h);
}

static enum kn_status put(void *machine, int64_t first, int64_t count, const float *rows)
{
    struct kn_cpu *cpu = machine;
    const int64_t nnodes = cpu->problem.velocity->nnodes;
    memcpy(cpu->h + first * nnodes, rows, (size_t)(count * nnodes) * sizeof *rows);
    return KN_OK;
}

static enum kn_status get(void *machine, int64_t first, int64_t count, float *rows)
{
    const struct kn_cpu *cpu = machine;
    const int64_t nnodes = cpu->problem.velocity->nnodes;
    memcpy(rows, cpu->h + first * nnodes, (size_t)(count * nnodes) * sizeof *rows);
    return KN_OK;
}

static enum kn_status set_walls(void *machine)
{
    (void)machine; /* the kernels read the emission of the simulation directly */
    return KN_OK;
}

/* Ahead of a wave h decreases by a constant factor per cell until it is denormal, which is a hundred times
 * slower on some processors. Such values are set to zero during a sweep; afterwards the floating-point
 * mode of the caller is restored. */
static unsigned flush_denormals(void)
{
    unsigned before = 0;
#ifdef __SSE__
    before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
#endif
    return before;
}

static void restore_denormals(unsigned before)
{
#ifdef __SSE__
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

static void draw_samples(struct kn_cpu *cpu, double dt, uint64_t draw)
{
    const struct kn_problem *p = &cpu->problem;
    const int n = kn_sampling_count(p->c), piece = 256;
    const double start = omp_get_wtime();
    if (n == 0)
        return;
    const struct kn_sample_plan plan = kn_sampling_plan(p->c, p->velocity, dt);
#pragma omp parallel for schedule(static) num_threads(p->threads)
    for (int first = 0; first < n; first += piece)
        cpu->kernels->sample(&plan, draw, first, n - first < piece ? n - first : piece, cpu->drawn + first);
    cpu->nsamples = kn_sampling_arrange(&cpu->order, cpu->drawn, n, cpu->samples);
    cpu->seconds[KN_PHASE_SAMPLE] += omp_get_wtime() - start;
}

/* Entries first..end-1 of a route. */
struct leg {
    int first, end;
};

static struct leg whole_route(const struct kn_route *r)
{
    return (struct leg){0, r->count};
}

/* What does not need other ranks, or the rest. */
static struct leg leg_of(const struct kn_route *r, bool rim)
{
    return rim ? (struct leg){r->inner, r->count} : (struct leg){0, r->inner};
}

/* The fluxes through the facets of a control volume with a row of this rank. */
static void add_facets(struct kn_cpu *cpu, const struct kn_stream_sweep *s, int volume)
{
    const struct kn_volumes *v = &s->space->volumes;
    const struct kn_volume *own = &v->list[volume];
    for (int i = 0; i < own->facets && volume < v->own_count; i++)
        cpu->kernels->facet_flux(s, v->pieces[own->first_piece + i].row - s->space->nfaces);
}

/* All outgoing distributions are computed first: the flux through one face may depend on another emission.
 * Surfaces of control volumes need no wall face, and what flows into them through links needs all. */
static void sweep_walls(struct kn_cpu *cpu, const struct kn_stream_sweep *s, bool rim)
{
    const double start = omp_get_wtime();
    const struct kn_routes *r = &cpu->routes;
    const struct leg faces = leg_of(&r->faces, rim), volumes = leg_of(&r->volumes, rim),
                     links = leg_of(&r->links, rim);
#pragma omp parallel num_threads(cpu->problem.threads)
    {
        float *scratch = cpu->scratch + (size_t)omp_get_thread_num() * cpu->scratch_size;
        const unsigned mode = flush_denormals();
#pragma omp for schedule(static)
        for (int i = volumes.first; i < volumes.end; i++)
            cpu->kernels->reconstruct(s, r->volumes.stop[i], scratch);
#pragma omp for schedule(static)
        for (int i = faces.first; i < faces.end; i++)
            cpu->kernels->wall(s, r->faces.stop[i], scratch);
#pragma omp for schedule(static)
        for (int i = links.first; i < links.end; i++)
            cpu->kernels->link(s, r->links.stop[i], scratch);
#pragma omp for schedule(static)
        for (int i = faces.first; i < (s->fluxes ? faces.end : faces.first); i++)
            cpu->kernels->flux(s, r->faces.stop[i], scratch);
#pragma omp for schedule(static)
        for (int i = volumes.first; i < (s->fluxes ? volumes.end : volumes.first); i++)
            add_facets(cpu, s, r->volumes.stop[i]);
        restore_denormals(mode);
    }
    cpu->seconds[KN_PHASE_STREAM] += omp_get_wtime() - start;
}

/* One sweep over the cells: streaming (unless s is NULL), then collisions. */
struct cell_sweep {
    const struct kn_stream_sweep *s;
    const struct kn_collisions *k;
    float *to;                          /* [ncells][nnodes] */
    bool cached;                        /* the result stays in the caches */
    struct kn_comm_exchange *under_way; /* messages in progress, or NULL */
};

/* One thread of a sweep. */
struct worker {
    float *scratch; /* [scratch_size] */
    float *row[2];  /* [nnodes] of the current and of the preceding cell, if results bypass the caches */
    struct kn_traffic traffic;
    double seconds[2]; /* of streaming and of collisions */
};

static struct worker start_worker(const struct kn_cpu *cpu)
{
    float *scratch = cpu->scratch + (size_t)omp_get_thread_num() * cpu->scratch_size;
    float *end = scratch + cpu->scratch_size;
    const size_t nnodes = (size_t)cpu->problem.velocity->nnodes;
    return (struct worker){.scratch = scratch, .row = {end - nnodes, end - 2 * nnodes}};
}

/* One cell, or the control volume with its row. */
static void stream_cell(struct kn_cpu *cpu, const struct kn_stream_sweep *s, struct worker *worker, int cell,
                        float *row)
{
    const struct kn_volumes *volumes = &cpu->problem.space->volumes;
    const struct kn_volume *volume = kn_volumes_own(volumes, cell);
    if (!volume) {
        cpu->kernels->stream(s, cell, &worker->traffic, row, worker->scratch);
        return;
    }
    if (worker->traffic.to)
        cpu->kernels->store(worker->traffic.done, cpu->problem.velocity->nnodes, worker->traffic.to);
    cpu->kernels->balance(s, (int)(volume - volumes->list), row, worker->scratch);
}

/* `count` consecutive cells from `first`, so that h passes through memory once. Reading the clock costs as
 * much as a small cell, so not every block is timed. */
static void sweep_block(struct kn_cpu *cpu, const struct cell_sweep *sweep, struct worker *worker, int first,
                        int count, bool timed)
{
    const int nnodes = cpu->problem.velocity->nnodes;
    float *to = sweep->to + (size_t)first * (size_t)nnodes, *rows = sweep->cached ? to : worker->row[0];
    const double start = timed ? omp_get_wtime() : 0;
    for (int i = 0; sweep->s && i < count; i++)
        stream_cell(cpu, sweep->s, worker, first + i, rows + (size_t)i * (size_t)nnodes);
    const double middle = timed ? omp_get_wtime() : 0;
    cpu->kernels->collide(sweep->k, rows, count, worker->scratch);
    for (int i = 0; cpu->problem.space->solid && i < count; i++)
        if (cpu->problem.space->solid[first + i]) /* a source acts on all cells of a block */
            memset(rows + (size_t)i * (size_t)nnodes, 0, (size_t)nnodes * sizeof *rows);
    if (timed) {
        worker->seconds[0] += middle - start;
        worker->seconds[1] += omp_get_wtime() - middle;
    }
    if (!sweep->cached) {
        worker->traffic.done = rows;
        worker->traffic.to = to;
        worker->row[0] = worker->row[1];
        worker->row[1] = rows;
    }
}

/* A part of the cells. One of TIMED blocks measures the times of streaming and collisions and lets the
 * communication progress. */
static void sweep_cells(struct kn_cpu *cpu, const struct cell_sweep *sweep, struct leg leg)
{
    enum { TIMED = 16 };
    const int block = cpu->block, ncells = cpu->problem.space->ncells;
    const int *stop = cpu->routes.cells.stop;
    const double begin = omp_get_wtime();
    double stream = 0, collide = 0;
#pragma omp parallel num_threads(cpu->problem.threads) reduction(+ : stream, collide)
    {
        const unsigned mode = flush_denormals();
        struct worker worker = start_worker(cpu);
#pragma omp for schedule(static)
        for (int i = leg.first; i < leg.end; i++) {
            const int first = stop[i], left = ncells - first;
            const bool timed = (i - leg.first) % TIMED == 0;
            worker.traffic.ahead = sweep->cached ? -1 : stop[i + 1 < leg.end ? i + 1 : i];
            sweep_block(cpu, sweep, &worker, first, left < block ? left : block, timed);
            if (timed && sweep->under_way && omp_get_thread_num() == 0)
                kn_comm_exchange_test(sweep->under_way);
        }
        if (worker.traffic.to)
            cpu->kernels->store(worker.traffic.done, cpu->problem.velocity->nnodes, worker.traffic.to);
        cpu->kernels->fence();
        stream += worker.seconds[0];
        collide += worker.seconds[1];
        restore_denormals(mode);
    }
    const double both = stream + collide, part = sweep->s && both > 0 ? stream / both : 0,
                 total = omp_get_wtime() - begin;
    cpu->seconds[KN_PHASE_STREAM] += part * total;
    cpu->seconds[KN_PHASE_COLLIDE] += (1 - part) * total;
}

/* Rows are exchanged while the cells that do not depend on other ranks are computed. */
static void begin_exchange(struct kn_cpu *cpu)
{
    const struct kn_halo *halo = cpu->problem.halo;
    const size_t stride = (size_t)halo->stride;
    const double start = omp_get_wtime();
#pragma omp parallel for schedule(static) num_threads(cpu->problem.threads)
    for (int32_t i = 0; i < halo->nsend; i++)
        memcpy(cpu->sent + (size_t)i * stride, cpu->h + (size_t)halo->send[i] * stride,
               stride * sizeof(float));
    kn_comm_exchange_start(cpu->exchange);
    cpu->seconds[KN_PHASE_EXCHANGE] += omp_get_wtime() - start;
}

static void end_exchange(struct kn_cpu *cpu)
{
    const struct kn_halo *halo = cpu->problem.halo;
    const size_t stride = (size_t)halo->stride;
    const double start = omp_get_wtime();
    kn_comm_exchange_wait(cpu->exchange);
#pragma omp parallel for schedule(static) num_threads(cpu->problem.threads)
    for (int32_t i = 0; i < halo->nrecv; i++)
        memcpy(cpu->h + (size_t)halo->recv[i] * stride, cpu->received + (size_t)i * stride,
               stride * sizeof(float));
    cpu->seconds[KN_PHASE_EXCHANGE] += omp_get_wtime() - start;
}

/* Draws all samples of a collision step and gathers its data. */
static struct kn_collisions prepare_collisions(struct kn_cpu *cpu, double dt, uint64_t draw)
{
    const struct kn_problem *p = &cpu->problem;
    draw_samples(cpu, dt, draw);
    return (struct kn_collisions){.number = draw,
                                  .c = p->c,
                                  .velocity = p->velocity,
                                  .plan = p->collision,
                                  .dt = dt,
                                  .nsamples = cpu->nsamples,
                                  .samples = cpu->samples,
                                  .quadratic = &cpu->propagators.quadratic,
                                  .propagator = kn_cpu_propagators_find(&cpu->propagators, dt)};
}

static enum kn_status collide(void *machine, double dt, uint64_t draw)
{
    struct kn_cpu *cpu = machine;
    const struct kn_collisions k = prepare_collisions(cpu, dt, draw);
    sweep_cells(cpu, &(struct cell_sweep){NULL, &k, cpu->h, true, NULL}, whole_route(&cpu->routes.cells));
    return KN_OK;
}

static enum kn_status step(void *machine, const struct kn_step *step)
{
    struct kn_cpu *cpu = machine;
    const struct kn_problem *p = &cpu->problem;
    const struct kn_stream_sweep s = {.number = step->draw,
                                      .velocity = p->velocity,
                                      .space = p->space,
                                      .boundary = p->boundary,
                                      .mesh = cpu->mesh,
                                      .eps = (float)p->c->disturbance,
                                      .dt = (float)step->stream,
                                      .order = p->c->space.order,
                                      .limiter = kn_case_limiter(p->c),
                                      .h = cpu->h,
                                      .outgoing = cpu->outgoing,
                                      .lost = cpu->lost,
                                      .fluxes = step->fluxes ? cpu->fluxes : NULL};
    const struct kn_collisions k = prepare_collisions(cpu, step->collide, step->draw);
    const struct cell_sweep sweep = {&s, &k, cpu->next, cpu->cached, cpu->exchange};
    if (cpu->exchange)
        begin_exchange(cpu);
    sweep_walls(cpu, &s, false);
    sweep_cells(cpu, &sweep, leg_of(&cpu->routes.cells, false));
    if (cpu->exchange) {
        end_exchange(cpu);
        sweep_walls(cpu, &s, true);
        sweep_cells(cpu, &sweep, leg_of(&cpu->routes.cells, true));
    }
    float *swap = cpu->h;
    cpu->h = cpu->next;
    cpu->next = swap;
    return KN_OK;
}

static enum kn_status observe(void *machine)
{
    struct kn_cpu *cpu = machine;
    const struct kn_velocity *v = cpu->problem.velocity;
    const int ncells = cpu->problem.space->ncells;
    const double start = omp_get_wtime();
    memcpy(cpu->flowed, cpu->fluxes, kn_space_fluxes(cpu->problem.space) * KN_FLUXES * sizeof *cpu->flowed);
#pragma omp parallel for schedule(static) num_threads(cpu->problem.threads)
    for (int cell = 0; cell < ncells; cell++)
        cpu->kernels->moments(v, cpu->h + (size_t)cell * v->nnodes, cpu->moments + (size_t)cell * KN_MOMENTS);
    cpu->seconds[KN_PHASE_MOMENTS] += omp_get_wtime() - start;
    return KN_OK;
}

static enum kn_status observed(void *machine, struct kn_observed *found)
{
    const struct kn_cpu *cpu = machine;
    *found = (struct kn_observed){cpu->moments, cpu->flowed};
    return KN_OK;
}

static enum kn_status fluxes(void *machine, double *to)
{
    const struct kn_cpu *cpu = machine;
    memcpy(to, cpu->fluxes, kn_space_fluxes(cpu->problem.space) * KN_FLUXES * sizeof *to);
    return KN_OK;
}

static void seconds(const void *machine, double phase[KN_PHASES])
{
    const struct kn_cpu *cpu = machine;
    memcpy(phase, cpu->seconds, sizeof cpu->seconds);
}

static enum kn_status copy(void *machine, double *seconds)
{
    struct kn_cpu *cpu = machine;
    const size_t bytes =
        (size_t)cpu->problem.space->ncells * (size_t)cpu->problem.velocity->nnodes * sizeof(float);
    const double start = omp_get_wtime();
#pragma omp parallel num_threads(cpu->problem.threads)
    {
        const size_t piece =
                         (bytes / (size_t)omp_get_num_threads() + KN_CPU_PAGE) / KN_CPU_PAGE * KN_CPU_PAGE,
                     first = piece * (size_t)omp_get_thread_num();
        if (first < bytes)
            memcpy((char *)cpu->next + first, (const char *)cpu->h + first,
                   bytes - first < piece ? bytes - first : piece);
    }
    *seconds = omp_get_wtime() - start;
    return KN_OK;
}

static void describe(char *text, size_t size)
{
    const struct kn_cpu_kernels *asked = kn_cpu_kernels_find(getenv("KNUDSEN_ISA")),
                                *kernels = asked ? asked : kn_cpu_kernels_find(NULL);
    snprintf(text, size, "vector kernels %s, %d numbers at a time", kernels->name, kernels->lanes);
}

static enum kn_status available(void)
{
    return KN_OK;
}

const struct kn_backend kn_backend_cpu = {
    .name = "cpu",
    .doc = "all cores of this machine, with the widest vectors of the processor",
    .available = available,
    .create = create,
    .destroy = destroy,
    .memory = memory,
    .put = put,
    .get = get,
    .set_walls = set_walls,
    .step = step,
    .collide = collide,
    .observe = observe,
    .observed = observed,
    .fluxes = fluxes,
    .seconds = seconds,
    .copy = copy,
    .describe = describe,
    .device = kn_cpu_device,
    .steady = &kn_cpu_steady,
};
