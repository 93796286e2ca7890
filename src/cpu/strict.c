/* A test backend: the CPU with memory that the host cannot access, like that of a GPU. State and tables
 * are in protected pages, accessible only during a call of the backend; changes of the simulation arrive
 * only through set_walls and put. Observations are evaluated beside the next steps. */
#include "backend/backend.h"
#include "config/case.h"
#include "cpu/cpu_kernels.h"
#include "error.h"
#include "grid/scatter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64, REGIONS = 3 };

struct region {
    void *at;
    size_t bytes; /* whole pages */
};

struct strict {
    void *cpu;
    struct region regions[REGIONS];                /* tables, h, next */
    size_t used;                                   /* bytes of the tables' region */
    double *observations[KN_BACKEND_OBSERVATIONS]; /* [ncells][KN_MOMENTS], [nfaces][KN_FLUXES] */
    uint64_t begun, taken;                         /* observations so far */
    const struct kn_problem *host;
    /* copies for the backend; unused arrays are NULL */
    struct kn_case c;
    struct kn_space space;
    struct kn_velocity velocity;
    struct kn_boundary boundary;
    struct kn_collision_plan collision;
};

static enum kn_status protect(const struct strict *s, int rights)
{
    for (int i = 0; i < REGIONS; i++)
        if (s->regions[i].at && mprotect(s->regions[i].at, s->regions[i].bytes, rights) != 0)
            return kn_error_set(KN_EDEVICE, "the strict backend cannot protect its memory");
    return KN_OK;
}

static enum kn_status open_memory(const struct strict *s)
{
    return protect(s, PROT_READ | PROT_WRITE);
}

/* Protects the memory and returns the status of the call. */
static enum kn_status close_memory(const struct strict *s, enum kn_status status)
{
    const enum kn_status closed = protect(s, PROT_NONE);
    return status != KN_OK ? status : closed;
}

static size_t lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

/* A copy of a host array in the tables; NULL if table_bytes is too small, which build reports. */
static void *keep(struct strict *s, const void *from, size_t bytes)
{
    void *to = (char *)s->regions[0].at + s->used;
    s->used += lines(bytes);
    return s->used <= s->regions[0].bytes ? memcpy(to, from, bytes) : NULL;
}

static size_t operator_bytes(const struct kn_problem *p)
{
    const size_t n = p->c->collision.method == KN_METHOD_OPERATOR ? (size_t)p->velocity->size : 0;
    return lines(n * sizeof(double)) +
           KN_PARITIES * (lines(n * sizeof(double)) + lines(n * n * sizeof(double)));
}

/* At most: the matrices of all patches. */
static size_t matrix_bytes(const struct kn_problem *p)
{
    bool scatters = false;
    for (int i = 0; i < kn_case_surfaces(p->c); i++) {
        const struct kn_wall wall = kn_case_surface(p->c, i);
        scatters = scatters || kn_case_scatters(&wall);
    }
    return scatters ? lines((size_t)kn_boundary_patches(p->c, p->space) * kn_scatter_size(p->velocity) *
                            sizeof(float))
                    : 0;
}

static size_t reflect_bytes(const struct kn_problem *p)
{
    return p->boundary ? (size_t)p->velocity->nnodes * (size_t)p->boundary->reflect.count * sizeof(double)
                       : 0;
}

static size_t reflection_bytes(const struct kn_problem *p)
{
    const struct kn_boundary *b = p->boundary;
    return b ? (size_t)b->reflecting * (size_t)(b->reflect.count * b->reflect.count) * sizeof(double) : 0;
}

/* Tables of control volumes, and the emission of their facets. */
static size_t volume_bytes(const struct kn_problem *p)
{
    const struct kn_volumes *v = &p->space->volumes;
    const size_t facets = (size_t)v->nfacets, cells = v->of_cell ? (size_t)p->space->ncells : 0;
    return lines(cells * sizeof *v->of_cell) + lines((size_t)v->count * sizeof *v->list) +
           lines((size_t)v->npieces * sizeof *v->pieces) + lines((size_t)v->npoints * sizeof *v->points) +
           lines((size_t)v->nmatrices * sizeof *v->matrices) + lines(facets * sizeof *v->facets) +
           lines((size_t)v->nlinks * sizeof *v->links) + lines(facets * sizeof(struct kn_emission)) +
           lines(facets * (size_t)p->velocity->nnodes * sizeof(float)) + lines(reflect_bytes(p)) +
           lines(reflection_bytes(p));
}

static size_t table_bytes(const struct kn_problem *p)
{
    const size_t cells = (size_t)p->space->ncells + (size_t)p->space->nhalo, faces = (size_t)p->space->nfaces;
    const size_t nodes = (size_t)p->velocity->nnodes, stride = (size_t)p->velocity->stride;
    size_t edges = 0;
    for (int d = 0; d < 3; d++)
        edges += lines(((size_t)p->velocity->half[d] + 1) * sizeof(float)) +
                 2 * lines((size_t)p->velocity->half[d] * sizeof(double)) +
                 lines((size_t)p->velocity->length[d] * sizeof(float));
    return lines(6 * cells * sizeof(int32_t)) + lines(3 * cells * sizeof(float)) +
           lines(faces * sizeof(struct kn_face)) + 9 * lines(stride * sizeof(float)) +
           lines(stride * sizeof(double)) + lines(stride * sizeof(int)) + edges +
           lines((size_t)kn_boundary_patches(p->c, p->space) * nodes * sizeof(float)) +
           lines((size_t)kn_boundary_patches(p->c, p->space) * sizeof(struct kn_patch)) + lines(cells) +
           matrix_bytes(p) + lines(nodes * sizeof(float)) + operator_bytes(p) + volume_bytes(p);
}

static void copy_volumes(struct strict *s)
{
    const struct kn_volumes *from = &s->host->space->volumes;
    struct kn_volumes *to = &s->space.volumes;
    to->gas = NULL;
    if (!from->of_cell)
        return;
    to->of_cell = keep(s, from->of_cell, (size_t)s->space.ncells * sizeof *from->of_cell);
    to->list = keep(s, from->list, (size_t)from->count * sizeof *from->list);
    to->pieces = keep(s, from->pieces, (size_t)from->npieces * sizeof *from->pieces);
    to->points = keep(s, from->points, (size_t)from->npoints * sizeof *from->points);
    to->matrices = keep(s, from->matrices, (size_t)from->nmatrices * sizeof *from->matrices);
    to->facets = keep(s, from->facets, (size_t)from->nfacets * sizeof *from->facets);
    to->links = keep(s, from->links, (size_t)from->nlinks * sizeof *from->links);
}

static void copy_space(struct strict *s)
{
    const struct kn_space *from = s->host->space;
    const size_t cells = (size_t)from->ncells + (size_t)from->nhalo;
    s->space = *from;
    s->space.neighbour = keep(s, from->neighbour, 6 * cells * sizeof *from->neighbour);
    s->space.width = keep(s, from->width, 3 * cells * sizeof *from->width);
    s->space.faces = keep(s, from->faces, (size_t)from->nfaces * sizeof *from->faces);
    s->space.volume = NULL;
    s->space.extent = NULL;
    if (from->solid)
        s->space.solid = keep(s, from->solid, (size_t)from->ncells);
    for (int d = 0; d < 3; d++)
        s->space.edges[d] = NULL;
    copy_volumes(s);
}

static void copy_velocity(struct strict *s)
{
    const struct kn_velocity *from = s->host->velocity;
    const size_t row = (size_t)from->stride * sizeof(float);
    s->velocity = *from;
    for (int d = 0; d < 3; d++) {
        s->velocity.node[d] = keep(s, from->node[d], (size_t)from->half[d] * sizeof *from->node[d]);
        s->velocity.weight[d] = keep(s, from->weight[d], (size_t)from->half[d] * sizeof *from->weight[d]);
        s->velocity.edge[d] = keep(s, from->edge[d], ((size_t)from->half[d] + 1) * sizeof *from->edge[d]);
        s->velocity.speed[d] = keep(s, from->speed[d], row);
        s->velocity.line[d] = keep(s, from->line[d], (size_t)from->length[d] * sizeof *from->line[d]);
    }
    for (int i = 0; i < 4; i++)
        s->velocity.flow[i] = keep(s, from->flow[i], row);
    s->velocity.square = keep(s, from->square, row);
    s->velocity.w = keep(s, from->w, row);
    s->velocity.mass = keep(s, from->mass, (size_t)from->stride * sizeof *from->mass);
    s->velocity.heavy = keep(s, from->heavy, (size_t)from->stride * sizeof *from->heavy);
}

static void copy_operator(struct strict *s)
{
    const struct kn_operator *from = &s->host->collision->op;
    const size_t n = (size_t)from->size;
    if (n == 0)
        return;
    s->collision.op.weight = keep(s, from->weight, n * sizeof *from->weight);
    for (int p = 0; p < KN_PARITIES; p++) {
        s->collision.op.rate[p] = keep(s, from->rate[p], n * sizeof *from->rate[p]);
        s->collision.op.vector[p] = keep(s, from->vector[p], n * n * sizeof *from->vector[p]);
    }
}

static size_t emission_bytes(const struct kn_problem *p)
{
    return (size_t)p->boundary->count * (size_t)p->velocity->nnodes * sizeof *p->boundary->memory;
}

static size_t scatter_bytes(const struct kn_problem *p)
{
    return (size_t)p->boundary->scattering * kn_scatter_size(p->velocity) * sizeof *p->boundary->matrices;
}

static size_t facet_bytes(const struct kn_problem *p)
{
    return (size_t)p->space->volumes.nfacets * (size_t)p->velocity->nnodes *
           sizeof *p->boundary->facet_memory;
}

static void copy_walls(struct strict *s)
{
    const struct kn_boundary *from = s->host->boundary;
    struct kn_boundary *to = &s->boundary;
    memcpy(to->memory, from->memory, emission_bytes(s->host));
    memcpy(to->patches, from->patches, (size_t)from->count * sizeof *from->patches);
    for (int i = 0; i < from->count; i++)
        to->patches[i].emission = to->memory + (from->patches[i].emission - from->memory);
    for (int i = 0; to->emissions && i < s->space.volumes.nfacets; i++) {
        to->emissions[i] = from->emissions[i];
        to->emissions[i].row = to->facet_memory + (from->emissions[i].row - from->facet_memory);
    }
    for (int i = 0; to->emissions && to->reflections && i < s->space.volumes.nfacets; i++)
        if (from->emissions[i].reflection)
            to->emissions[i].reflection =
                to->reflections + (from->emissions[i].reflection - from->reflections);
    if (to->emissions)
        memcpy(to->facet_memory, from->facet_memory, facet_bytes(s->host));
    if (from->scattering > 0)
        memcpy(to->matrices, from->matrices, scatter_bytes(s->host));
    for (int i = 0; i < from->count; i++)
        if (from->patches[i].matrices)
            to->patches[i].matrices = to->matrices + (from->patches[i].matrices - from->matrices);
}

static void destroy(void *machine)
{
    struct strict *s = machine;
    if (!s)
        return;
    if (open_memory(s) == KN_OK && s->cpu)
        kn_backend_cpu.destroy(s->cpu);
    if (s->regions[0].at)
        munmap(s->regions[0].at, s->regions[0].bytes);
    for (int i = 0; i < KN_BACKEND_OBSERVATIONS; i++)
        free(s->observations[i]);
    free(s);
}

static size_t moment_bytes(const struct strict *s)
{
    return (size_t)s->host->space->ncells * KN_MOMENTS * sizeof(double);
}

static size_t flux_bytes(const struct strict *s)
{
    return kn_space_fluxes(s->host->space) * KN_FLUXES * sizeof(double);
}

static enum kn_status build(struct strict *s)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct region *tables = &s->regions[0];
    tables->bytes = (table_bytes(s->host) + page) / page * page;
    tables->at = mmap(NULL, tables->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (tables->at == MAP_FAILED) {
        tables->at = NULL;
        return kn_error_set(KN_EMEMORY, "no memory for the strict backend");
    }
    for (int i = 0; i < KN_BACKEND_OBSERVATIONS; i++)
        if (!(s->observations[i] = malloc(moment_bytes(s) + flux_bytes(s) + 1)))
            return kn_error_set(KN_EMEMORY, "no memory for the strict backend");
    s->c = *s->host->c;
    copy_space(s);
    copy_velocity(s);
    const struct kn_boundary *walls = s->host->boundary;
    s->boundary = (struct kn_boundary){
        .count = walls->count,
        .patches = keep(s, walls->patches, (size_t)walls->count * sizeof *walls->patches),
        .memory = keep(s, walls->memory, emission_bytes(s->host)),
        .matrices = keep(s, walls->matrices, scatter_bytes(s->host)),
    };
    if (s->space.volumes.nfacets > 0) {
        s->boundary.emissions =
            keep(s, walls->emissions, (size_t)s->space.volumes.nfacets * sizeof *walls->emissions);
        s->boundary.facet_memory = keep(s, walls->facet_memory, facet_bytes(s->host));
        s->boundary.reflect = walls->reflect;
        s->boundary.reflecting = walls->reflecting;
    }
    if (walls->reflecting > 0) {
        s->boundary.reflect.values = keep(s, walls->reflect.values, reflect_bytes(s->host));
        s->boundary.reflections = keep(s, walls->reflections, reflection_bytes(s->host));
    }
    s->collision = *s->host->collision;
    copy_operator(s);
    if (s->collision.has_source)
        s->collision.source =
            keep(s, s->host->collision->source, (size_t)s->velocity.nnodes * sizeof *s->collision.source);
    if (!s->boundary.memory || !s->boundary.patches || s->used > tables->bytes)
        return kn_error_set(KN_EDEVICE, "the tables of the strict backend do not fit into their memory");
    copy_walls(s);
    const struct kn_problem problem = {&s->c,         &s->space,        &s->velocity, &s->boundary,
                                       &s->collision, s->host->threads, s->host->halo};
    return kn_backend_cpu.create(&s->cpu, &problem);
}

static enum kn_status create(void **machine, const struct kn_problem *p)
{
    struct strict *s = calloc(1, sizeof *s);
    if (!s)
        return kn_error_set(KN_EMEMORY, "no memory for the strict backend");
    s->host = p;
    enum kn_status status = build(s);
    if (status == KN_OK) {
        kn_cpu_state(s->cpu, &s->regions[1].at, &s->regions[2].at, &s->regions[1].bytes);
        s->regions[2].bytes = s->regions[1].bytes;
        status = protect(s, PROT_NONE);
    }
    if (status != KN_OK) {
        destroy(s);
        return status;
    }
    *machine = s;
    return KN_OK;
}

static double memory(const struct kn_problem *p)
{
    return kn_backend_cpu.memory(p) + (double)table_bytes(p);
}

/* Execute one call of the CPU backend with accessible memory. */
#define WITH_MEMORY(machine, call)                                                                           \
    do {                                                                                                     \
        const struct strict *s = (machine);                                                                  \
        const enum kn_status opened = open_memory(s);                                                        \
        return opened != KN_OK ? opened : close_memory(s, kn_backend_cpu.call);                              \
    } while (0)

static enum kn_status put(void *machine, int64_t first, int64_t count, const float *rows)
{
    WITH_MEMORY(machine, put(s->cpu, first, count, rows));
}

static enum kn_status get(void *machine, int64_t first, int64_t count, float *rows)
{
    WITH_MEMORY(machine, get(s->cpu, first, count, rows));
}

static enum kn_status set_walls(void *machine)
{
    struct strict *strict = machine;
    const enum kn_status opened = open_memory(strict);
    if (opened != KN_OK)
        return opened;
    copy_walls(strict);
    return close_memory(strict, kn_backend_cpu.set_walls(strict->cpu));
}

static enum kn_status step(void *machine, const struct kn_step *step)
{
    WITH_MEMORY(machine, step(s->cpu, step));
}

static enum kn_status collide(void *machine, double dt, uint64_t draw)
{
    WITH_MEMORY(machine, collide(s->cpu, dt, draw));
}

static enum kn_status compute_moments(void *machine)
{
    WITH_MEMORY(machine, observe(s->cpu));
}

static enum kn_status observe(void *machine)
{
    struct strict *s = machine;
    struct kn_observed now;
    char *to = (char *)s->observations[s->begun++ % KN_BACKEND_OBSERVATIONS];
    KN_TRY(compute_moments(s));
    KN_TRY(kn_backend_cpu.observed(s->cpu, &now));
    memcpy(to, now.moments, moment_bytes(s));
    memcpy(to + moment_bytes(s), now.fluxes, flux_bytes(s));
    return KN_OK;
}

static enum kn_status observed(void *machine, struct kn_observed *found)
{
    struct strict *s = machine;
    const char *from = (const char *)s->observations[s->taken++ % KN_BACKEND_OBSERVATIONS];
    *found = (struct kn_observed){(const double *)from, (const double *)(from + moment_bytes(s))};
    return KN_OK;
}

static enum kn_status fluxes(void *machine, double *to)
{
    WITH_MEMORY(machine, fluxes(s->cpu, to));
}

static void seconds(const void *machine, double phase[KN_PHASES])
{
    kn_backend_cpu.seconds(((const struct strict *)machine)->cpu, phase);
}

static enum kn_status copy(void *machine, double *seconds)
{
    WITH_MEMORY(machine, copy(s->cpu, seconds));
}

static void describe(char *text, size_t size)
{
    snprintf(text, size, "%s", kn_backend_strict.doc);
}

static enum kn_status available(void)
{
    return KN_OK;
}

const struct kn_backend kn_backend_strict = {
    .name = "strict",
    .doc = "the CPU with separate memory, for tests",
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
    .detached = true,
    .fluxes = fluxes,
    .seconds = seconds,
    .copy = copy,
    .describe = describe,
    .device = kn_cpu_device,
};
