/* The steady-state solver on the device: memory, tables and passes; the kernels are in the other
 * cuda_steady_*.cu files. */
#include "cuda/cuda_machine.h"
#include "cuda/cuda_steady_layers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 48, PATCHES = KN_SIDES, STAGED = 1 << 22 };

struct machine {
    const struct kn_steady_plan *plan;
    struct kn_cuda_steady_problem device;
    int count;
    double **vectors; /* [count] of [ncells][nnodes], device */
    double *partial, *result, *coefficients, *fluxes;
    struct kn_cuda_steady_patch *patches;
    float *emission;
    float *rows;                   /* [STAGED] of put and get */
    struct kn_cuda_coarse *coarse; /* NULL: the solver solves the moment equations */
    double *pinned;                /* host: moments, coefficients or products */
    cudaStream_t stream;
    void *blocks[MOST_BLOCKS]; /* allocations of device memory */
    int nblocks;
};

/* Collisions of a finite disturbance, bodies, ports, Cercignani-Lampis walls. */
static bool lacks(const struct kn_problem *p)
{
    return (p->c->disturbance > 0 && p->c->collision.method != KN_METHOD_NONE) ||
           p->boundary->count != PATCHES || p->boundary->scattering > 0;
}

static double memory(const struct kn_problem *p, int vectors)
{
    const double rows = (double)vectors * p->space->ncells + p->space->nfaces, cells = p->space->ncells,
                 size = p->velocity->stride;
    const double matrices =
        p->c->collision.method == KN_METHOD_OPERATOR ? p->velocity->octants * size * size : 0;
    return sizeof(double) * (rows * p->velocity->nnodes + matrices) +
           cells * (144.0 * p->velocity->octants + 600 + 8.0 * (2 * KN_STEADY_FUNCTIONS + 2));
}

/* Device memory that is freed with the machine. */
static enum kn_status allocate(struct machine *m, void **to, size_t bytes)
{
    if (m->nblocks == MOST_BLOCKS)
        return kn_error_set(KN_EDEVICE, "CUDA: more than %d arrays", MOST_BLOCKS);
    const cudaError_t status = cudaMalloc(to, bytes > 0 ? bytes : 16);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return kn_error_set(
            KN_EMEMORY,
            "space.cells: the steady-state solver needs %.2f GB on the GPU and %.2f GB are free; "
            "fewer cells or velocity.nodes help",
            memory(m->plan->problem, m->count) / 1e9, kn_cuda_device_room() / 1e9);
    }
    CHECK(status);
    m->blocks[m->nblocks++] = *to;
    return KN_OK;
}

static enum kn_status upload(struct machine *m, const void **to, const void *from, size_t bytes)
{
    void *block;
    KN_TRY(allocate(m, &block, bytes));
    *to = block;
    CHECK(cudaMemcpy(block, from, bytes, cudaMemcpyHostToDevice));
    return KN_OK;
}

static void *host_memory(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (!block)
        kn_error_set(KN_EMEMORY, "no memory for the tables of the steady-state solver");
    return block;
}

/* ------------------------------------------------------------------------- tables */

/* A table over the nodes of an octant, padded with `padding`: factor times values; NULL: 1. */
static void fill_row(const struct kn_velocity *v, const double *factor, const double *values, double padding,
                     double *to)
{
    for (int k = 0; k < v->stride; k++)
        to[k] = k >= v->size ? padding : (factor ? factor[k] : 1) * (values ? values[k] : 1);
}

/* Functions of the velocity. */
static enum kn_status upload_functions(struct machine *m)
{
    const struct kn_steady_plan *p = m->plan;
    const struct kn_velocity *v = p->problem->velocity;
    const size_t stride = (size_t)v->stride, size = (size_t)v->size, n = (size_t)p->functions;
    struct kn_cuda_steady_problem *d = &m->device;
    double *tables = (double *)host_memory((3 * n + 2) * stride, sizeof *tables), *trial = tables + stride,
           *tests = trial + n * stride, *lagged = tests + n * stride;
    const double *on_device = NULL;
    if (!tables)
        return KN_EMEMORY;
    fill_row(v, NULL, p->frequency, 1, tables);
    for (size_t f = 0; f < n; f++) {
        fill_row(v, NULL, p->trial + f * size, 0, trial + f * stride);
        fill_row(v, v->mass, p->trial + f * size, 0, tests + f * stride);
        fill_row(v, v->mass, p->lagged + f * size, 0, lagged + f * stride);
        d->parity[f] = p->parity[f];
        d->gain[f] = p->gain[f];
    }
    fill_row(v, v->mass, NULL, 0, lagged + n * stride);
    const enum kn_status status =
        upload(m, (const void **)&on_device, tables, (3 * n + 2) * stride * sizeof *tables);
    free(tables);
    d->frequency = on_device;
    d->trial = d->frequency + stride;
    d->tests = d->trial + n * stride;
    d->lagged = d->tests + n * stride;
    d->functions = p->functions;
    d->loss = p->loss;
    d->rate = p->rate;
    return status;
}

static enum kn_status upload_matrices(struct machine *m)
{
    const struct kn_steady_plan *p = m->plan;
    const struct kn_velocity *v = p->problem->velocity;
    const size_t count = (size_t)v->octants * (size_t)v->stride * (size_t)v->stride;
    int shared = 0;
    if (!p->matrix[0])
        return KN_OK;
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, kn_cuda_device_current()));
    m->device.cells_together = kn_cuda_steady_together(&m->device.mesh, (size_t)shared);
    if (m->device.cells_together == 0)
        return kn_error_set(KN_EINPUT,
                            "velocity.nodes: %d nodes are too many for the steady-state solver on the GPU "
                            "(run.backend: cpu)",
                            v->nnodes);
    double *matrix = (double *)host_memory(count, sizeof *matrix);
    if (!matrix)
        return KN_EMEMORY;
    for (int parity = 0; parity < v->octants; parity++)
        for (int n = 0; n < v->size; n++)
            for (int k = 0; k < v->size; k++)
                matrix[kn_cuda_steady_place(v->octants, v->stride, parity, n, k)] =
                    p->matrix[parity][(size_t)n * (size_t)v->size + (size_t)k] / v->octants;
    const enum kn_status status = upload(m, (const void **)&m->device.matrix, matrix, count * sizeof *matrix);
    free(matrix);
    return status;
}

static enum kn_status set_walls(void *machine)
{
    const struct machine *m = (const struct machine *)machine;
    const struct kn_boundary *b = m->plan->problem->boundary;
    struct kn_cuda_steady_patch patches[PATCHES];
    for (int i = 0; i < PATCHES; i++) {
        const struct kn_patch *from = &b->patches[i];
        patches[i].emission_flux = from->emission_flux;
        patches[i].unit_flux = from->unit_flux;
        patches[i].alpha = from->alpha;
        patches[i].rest = 1 - (double)from->alpha * from->replaces;
        patches[i].emits = from->emits;
        patches[i].reflects = kn_boundary_reflects(from);
    }
    /* from pageable memory: the calls return when the host arrays may change */
    CHECK(cudaMemcpyAsync(m->patches, patches, sizeof patches, cudaMemcpyHostToDevice, m->stream));
    CHECK(cudaMemcpyAsync(m->emission, b->memory, PATCHES * (size_t)m->device.mesh.nnodes * sizeof(float),
                          cudaMemcpyHostToDevice, m->stream));
    return KN_OK;
}

static enum kn_status upload_walls(struct machine *m)
{
    const struct kn_problem *p = m->plan->problem;
    const size_t nnodes = (size_t)p->velocity->nnodes;
    KN_TRY(allocate(m, (void **)&m->patches, PATCHES * sizeof *m->patches));
    KN_TRY(allocate(m, (void **)&m->emission, PATCHES * nnodes * sizeof *m->emission));
    m->device.patches = m->patches;
    m->device.emission = m->emission;
    KN_TRY(upload(m, (const void **)&m->device.faces, p->space->faces,
                  (size_t)p->space->nfaces * sizeof *p->space->faces));
    KN_TRY(allocate(m, (void **)&m->device.outgoing, (size_t)p->space->nfaces * nnodes * sizeof(double)));
    return set_walls(m);
}

static enum kn_status upload_grids(struct machine *m)
{
    const struct kn_problem *p = m->plan->problem;
    const struct kn_velocity *v = p->velocity;
    const size_t ncells = (size_t)p->space->ncells, row = (size_t)v->stride * sizeof(float);
    struct kn_cuda_steady_problem *d = &m->device;
    double *per_width;
    struct kn_cuda_steady_weights *weights;
    struct kn_cuda_steady_link *links;
    d->mesh = kn_backend_mesh(p);
    d->ncells = p->space->ncells;
    d->nfaces = p->space->nfaces;
    d->size = v->size;
    d->order = p->c->space.order;
    d->eps = p->c->disturbance;
    KN_TRY(upload(m, (const void **)&d->mesh.neighbour, p->space->neighbour, ncells * 6 * sizeof(int32_t)));
    KN_TRY(upload(m, (const void **)&d->mesh.width, p->space->width, ncells * 3 * sizeof(float)));
    for (int axis = 0; axis < 3; axis++)
        KN_TRY(upload(m, (const void **)&d->speed[axis], v->speed[axis], row));
    KN_TRY(upload(m, (const void **)&d->square, v->square, row));
    KN_TRY(upload(m, (const void **)&d->mass, v->mass, (size_t)v->stride * sizeof(double)));
    KN_TRY(upload(m, (const void **)&d->volume, m->plan->volume, ncells * sizeof(double)));
    KN_TRY(upload(m, (const void **)&d->source, p->collision->source, (size_t)v->nnodes * sizeof(float)));
    KN_TRY(allocate(m, (void **)&per_width, ncells * 3 * sizeof *per_width));
    KN_TRY(allocate(m, (void **)&weights, ncells * 6 * sizeof *weights));
    KN_TRY(allocate(m, (void **)&links, ncells * 2 * (size_t)d->mesh.naxes * sizeof *links));
    d->per_width = per_width;
    d->weights = weights;
    d->links = links;
    CHECK(kn_cuda_steady_prepare(d, per_width, weights, links, m->stream));
    return KN_OK;
}

static enum kn_status upload_order(struct machine *m)
{
    struct kn_cuda_steady_order order;
    int shared = 0;
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, kn_cuda_device_current()));
    KN_TRY(kn_cuda_steady_order_create(&order, m->plan, (size_t)shared));
    m->device.nstages = order.nstages;
    m->device.together = order.together;
    m->device.kept = order.kept;
    const enum kn_status status =
        upload(m, (const void **)&m->device.stops, order.stops, order.count * sizeof *order.stops);
    free(order.stops);
    return status;
}

/* ----------------------------------------------------------------------- creation */

static enum kn_status allocate_vectors(struct machine *m)
{
    const struct kn_problem *p = m->plan->problem;
    const size_t ncells = (size_t)p->space->ncells,
                 bytes = ncells * (size_t)p->velocity->nnodes * sizeof(double),
                 n = (size_t)m->plan->functions + 1;
    m->vectors = (double **)host_memory((size_t)m->count, sizeof *m->vectors);
    if (!m->vectors)
        return KN_EMEMORY;
    for (int i = 0; i < m->count; i++) {
        const cudaError_t status = cudaMalloc((void **)&m->vectors[i], bytes);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            return kn_error_set(
                KN_EMEMORY,
                "space.cells: the steady-state solver needs %.2f GB on the GPU, which is more "
                "than it has; fewer cells or velocity.nodes help",
                memory(p, m->count) / 1e9);
        }
        CHECK(status);
        CHECK(cudaMemsetAsync(m->vectors[i], 0, bytes, m->stream));
    }
    KN_TRY(allocate(m, (void **)&m->partial,
                    (size_t)KN_CUDA_STEADY_TERMS * KN_CUDA_STEADY_BLOCKS * sizeof(double)));
    KN_TRY(allocate(m, (void **)&m->result, KN_STEADY_PRODUCTS * sizeof(double)));
    KN_TRY(allocate(m, (void **)&m->device.moments, ncells * n * sizeof(double)));
    KN_TRY(allocate(m, (void **)&m->coefficients, ncells * n * sizeof(double)));
    KN_TRY(allocate(m, (void **)&m->fluxes, (size_t)p->space->nfaces * KN_FLUXES * sizeof(double)));
    KN_TRY(allocate(m, (void **)&m->rows, STAGED * sizeof(float)));
    CHECK(cudaMallocHost((void **)&m->pinned, (ncells * n + KN_STEADY_PRODUCTS) * sizeof *m->pinned));
    return KN_OK;
}

static enum kn_status build(struct machine *m)
{
    CHECK(cudaStreamCreateWithFlags(&m->stream, cudaStreamNonBlocking));
    KN_TRY(upload_grids(m));
    KN_TRY(upload_functions(m));
    KN_TRY(upload_matrices(m));
    KN_TRY(upload_walls(m));
    KN_TRY(upload_order(m));
    KN_TRY(allocate_vectors(m));
    CHECK(cudaStreamSynchronize(m->stream));
    return KN_OK;
}

static void destroy(void *machine)
{
    struct machine *m = (struct machine *)machine;
    if (!m)
        return;
    cudaDeviceSynchronize();
    for (int i = 0; i < m->count && m->vectors; i++)
        cudaFree(m->vectors[i]);
    for (int i = 0; i < m->nblocks; i++)
        cudaFree(m->blocks[i]);
    kn_cuda_coarse_destroy(m->coarse);
    cudaFreeHost(m->pinned);
    if (m->stream)
        cudaStreamDestroy(m->stream);
    free(m->vectors);
    free(m);
}

static enum kn_status create(void **machine, const struct kn_steady_plan *plan, int vectors)
{
    *machine = NULL;
    if (plan->problem->space->naxes == 0)
        return kn_error_set(KN_EINPUT, "space.cells: a uniform gas has no transport");
    struct machine *m = (struct machine *)calloc(1, sizeof *m);
    if (!m)
        return kn_error_set(KN_EMEMORY, "no memory for the steady-state solver");
    m->plan = plan;
    m->count = vectors;
    const enum kn_status status = build(m);
    if (status != KN_OK) {
        destroy(m);
        return status;
    }
    *machine = m;
    return KN_OK;
}

/* ------------------------------------------------------------------------- passes */

static enum kn_status put(void *machine, int x, int64_t first, int64_t count, const float *rows)
{
    const struct machine *m = (const struct machine *)machine;
    const int64_t nnodes = m->device.mesh.nnodes, end = count * nnodes;
    double *to = m->vectors[x] + first * nnodes;
    for (int64_t at = 0; at < end; at += STAGED) {
        const int64_t n = end - at < STAGED ? end - at : (int64_t)STAGED;
        CHECK(
            cudaMemcpyAsync(m->rows, rows + at, (size_t)n * sizeof *rows, cudaMemcpyHostToDevice, m->stream));
        CHECK(kn_cuda_steady_widen(n, m->rows, to + at, m->stream));
    }
    CHECK(cudaStreamSynchronize(m->stream));
    return KN_OK;
}

static enum kn_status get(void *machine, int x, int64_t first, int64_t count, float *rows)
{
    const struct machine *m = (const struct machine *)machine;
    const int64_t nnodes = m->device.mesh.nnodes, end = count * nnodes;
    const double *from = m->vectors[x] + first * nnodes;
    for (int64_t at = 0; at < end; at += STAGED) {
        const int64_t n = end - at < STAGED ? end - at : (int64_t)STAGED;
        CHECK(kn_cuda_steady_narrow(n, from + at, m->rows, m->stream));
        CHECK(
            cudaMemcpyAsync(rows + at, m->rows, (size_t)n * sizeof *rows, cudaMemcpyDeviceToHost, m->stream));
    }
    CHECK(cudaStreamSynchronize(m->stream));
    return KN_OK;
}

static enum kn_status pass(const struct machine *m, int from, int to, double data)
{
    CHECK(kn_cuda_steady_walls(&m->device, m->vectors[from], data, m->stream));
    CHECK(kn_cuda_steady_pass(&m->device, m->vectors[from], data, m->vectors[to], m->stream));
    return KN_OK;
}

static enum kn_status residual(void *machine, int from, int to)
{
    return pass((const struct machine *)machine, from, to, 1);
}

static enum kn_status apply(void *machine, int from, int to)
{
    return pass((const struct machine *)machine, from, to, 0);
}

static enum kn_status fluxes(void *machine, int x, double *to)
{
    const struct machine *m = (const struct machine *)machine;
    CHECK(kn_cuda_steady_walls(&m->device, m->vectors[x], 1, m->stream));
    CHECK(kn_cuda_steady_fluxes(&m->device, m->vectors[x], m->fluxes, m->stream));
    CHECK(cudaMemcpyAsync(to, m->fluxes, (size_t)m->device.nfaces * KN_FLUXES * sizeof *to,
                          cudaMemcpyDeviceToHost, m->stream));
    CHECK(cudaStreamSynchronize(m->stream));
    return KN_OK;
}

static enum kn_status sweep(void *machine, double omega, const int from[2], const int to[2])
{
    const struct machine *m = (const struct machine *)machine;
    struct kn_cuda_steady_march march = {omega, {NULL, NULL}, {NULL, NULL}};
    for (int part = 0; part <= (omega != 0); part++) {
        march.from[part] = m->vectors[from[part]];
        march.to[part] = m->vectors[to[part]];
    }
    CHECK(kn_cuda_steady_sweep(&m->device, &march, m->stream));
    return KN_OK;
}

/* Copies to and from the memory of the caller pass through pinned memory. */
static enum kn_status project(void *machine, int x, double *moments)
{
    const struct machine *m = (const struct machine *)machine;
    const int n = m->device.functions + 1;
    const size_t bytes = (size_t)m->device.ncells * (size_t)n * sizeof *moments;
    CHECK(
        kn_cuda_steady_project(&m->device, m->vectors[x], m->device.lagged, n, m->device.moments, m->stream));
    CHECK(cudaMemcpyAsync(m->pinned, m->device.moments, bytes, cudaMemcpyDeviceToHost, m->stream));
    CHECK(cudaStreamSynchronize(m->stream));
    memcpy(moments, m->pinned, bytes);
    return KN_OK;
}

static enum kn_status prolong(void *machine, const double *coefficients, int to)
{
    const struct machine *m = (const struct machine *)machine;
    const size_t bytes = (size_t)m->device.ncells * (size_t)m->device.functions * sizeof *coefficients;
    CHECK(cudaStreamSynchronize(m->stream)); /* the last copy has read its pinned memory */
    memcpy(m->pinned, coefficients, bytes);
    CHECK(cudaMemcpyAsync(m->coefficients, m->pinned, bytes, cudaMemcpyHostToDevice, m->stream));
    CHECK(kn_cuda_steady_prolong(&m->device, m->coefficients, m->vectors[to], m->stream));
    return KN_OK;
}

static enum kn_status factorise(void *machine, const struct kn_steady_equations *equations, bool *able)
{
    struct machine *m = (struct machine *)machine;
    kn_cuda_coarse_destroy(m->coarse);
    return kn_cuda_coarse_create(&m->coarse, equations, m->plan, m->device.volume, m->stream, able);
}

static enum kn_status correct(void *machine, int x)
{
    struct machine *m = (struct machine *)machine;
    if (!kn_cuda_coarse_changes(m->coarse))
        return KN_OK;
    CHECK(kn_cuda_steady_project(&m->device, m->vectors[x], m->device.lagged, m->device.functions + 1,
                                 m->device.moments, m->stream));
    KN_TRY(kn_cuda_coarse_solve(m->coarse, m->device.moments, m->coefficients, m->stream));
    CHECK(kn_cuda_steady_prolong(&m->device, m->coefficients, m->vectors[x], m->stream));
    return KN_OK;
}

static enum kn_status products(void *machine, int a, int count, const int *x, bool scaled, double *to)
{
    const struct machine *m = (const struct machine *)machine;
    double *result = m->pinned + (size_t)m->device.ncells * (size_t)(m->device.functions + 1);
    for (int done = 0; done < count; done += KN_CUDA_STEADY_TERMS) {
        struct kn_cuda_steady_products p = {};
        p.a = m->vectors[a];
        p.scaled = scaled;
        p.count = count - done;
        p.count = p.count < KN_CUDA_STEADY_TERMS ? p.count : (int)KN_CUDA_STEADY_TERMS;
        p.partial = m->partial;
        p.result = m->result + done;
        for (int i = 0; i < p.count; i++)
            p.x[i] = m->vectors[x[done + i]];
        CHECK(kn_cuda_steady_multiply(&m->device, &p, m->stream));
    }
    CHECK(cudaMemcpyAsync(result, m->result, (size_t)count * sizeof *to, cudaMemcpyDeviceToHost, m->stream));
    CHECK(cudaStreamSynchronize(m->stream));
    memcpy(to, result, (size_t)count * sizeof *to);
    return KN_OK;
}

static enum kn_status combine(void *machine, int to, double scale, int count, const int *x,
                              const double *factors)
{
    const struct machine *m = (const struct machine *)machine;
    const int64_t size = (int64_t)m->device.ncells * m->device.mesh.nnodes;
    int done = 0;
    do {
        struct kn_cuda_steady_sum sum = {};
        sum.to = m->vectors[to];
        sum.scale = done == 0 ? scale : 1;
        sum.count = count - done;
        sum.count = sum.count < KN_CUDA_STEADY_TERMS ? sum.count : (int)KN_CUDA_STEADY_TERMS;
        for (int i = 0; i < sum.count; i++) {
            sum.x[i] = m->vectors[x[done + i]];
            sum.factors[i] = factors[done + i];
        }
        CHECK(kn_cuda_steady_combine(size, &sum, m->stream));
        done += KN_CUDA_STEADY_TERMS;
    } while (done < count);
    return KN_OK;
}

const struct kn_steady_backend kn_cuda_steady = {
    .lacks = lacks,
    .create = create,
    .destroy = destroy,
    .memory = memory,
    .put = put,
    .get = get,
    .residual = residual,
    .apply = apply,
    .fluxes = fluxes,
    .set_walls = set_walls,
    .sweep = sweep,
    .project = project,
    .prolong = prolong,
    .factorise = factorise,
    .correct = correct,
    .products = products,
    .combine = combine,
};
