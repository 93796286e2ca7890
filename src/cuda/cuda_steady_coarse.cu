/* The moment equations on the device: their layers, and the part of a solution that depends on the total mass. */
#include "cuda/cuda_rows.h"
#include "cuda/cuda_steady_layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 24, THREADS = 256, SUMMING = 1024 };

static const double MOST_WORK = 3e13; /* multiplications and additions of an elimination: some seconds */
static const double SHARE = 0.6;      /* of the free device memory */
static const double DEFECT = 1e-2;    /* mean, of a solution that is good enough to be a correction */

struct kn_cuda_coarse {
    struct kn_cuda_layers layers;
    const double *volume; /* [ncells], device */
    double whole, unit;   /* the sum of the volumes; <1, phi_0> */
    double *mean;         /* [1] device */
    void *blocks[MOST_BLOCKS];
    int nblocks;
};

/* ------------------------------------------------------------------------ kernels */

/* A sum over cells, by one block: volume (x[cell][stride_x] + factor y[cell][stride_y]). */
struct sum {
    const double *x, *y;
    int32_t stride_x, stride_y;
    double factor, scale;
};

static __global__ void __launch_bounds__(SUMMING)
    sum_kernel(int ncells, const double *volume, const __grid_constant__ struct sum s, double *result)
{
    __shared__ double space[SUMMING / 32];
    double sum[1] = {0};
    for (int cell = threadIdx.x; cell < ncells; cell += SUMMING)
        sum[0] += volume[cell] * (s.x[(int64_t)cell * s.stride_x] +
                                  (s.y ? s.factor * s.y[(int64_t)cell * s.stride_y] : 0));
    block_sum<1>(sum, space);
    if (threadIdx.x == 0)
        *result = s.scale * sum[0];
}

/* The right-hand side by layers, without the mean of the mass. */
static __global__ void __launch_bounds__(THREADS)
    gather_kernel(const __grid_constant__ kn_cuda_layers l, const double *moments, const double *mean)
{
    const int item = blockIdx.x * THREADS + threadIdx.x, n = l.functions, cell = item / n, f = item % n;
    if (cell >= l.ncells)
        return;
    const int place = l.place[cell];
    l.right[(int64_t)kn_cuda_layer_of(l, place) * l.unknowns + kn_cuda_layer_first(l, place) + f] =
        moments[(int64_t)cell * (n + 1) + f] - (l.closed && f == 0 ? *mean : 0);
}

static __global__ void __launch_bounds__(THREADS)
    scatter_kernel(const __grid_constant__ kn_cuda_layers l, double *coefficients)
{
    const int item = blockIdx.x * THREADS + threadIdx.x, n = l.functions, cell = item / n, f = item % n;
    if (cell >= l.ncells)
        return;
    const int place = l.place[cell];
    coefficients[item] = l.known[(int64_t)kn_cuda_layer_of(l, place) * l.unknowns + kn_cuda_layer_first(l, place) + f];
}

static __global__ void __launch_bounds__(THREADS)
    shift_kernel(int ncells, int functions, const double *shift, double *coefficients)
{
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    if (cell < ncells)
        coefficients[(int64_t)cell * functions] -= *shift;
}

enum kn_status kn_cuda_coarse_solve(struct kn_cuda_coarse *c, const double *moments, double *coefficients,
                                    cudaStream_t stream)
{
    const struct kn_cuda_layers *l = &c->layers;
    const int n = l->functions;
    const unsigned blocks = (unsigned)((l->ncells * n + THREADS - 1) / THREADS);
    const struct sum surplus = {moments, NULL, n + 1, 0, 0, 1 / c->whole},
                     mass = {moments + n, coefficients, n + 1, n, c->unit, 1 / (c->whole * c->unit)};
    if (l->closed)
        sum_kernel<<<1, SUMMING, 0, stream>>>(l->ncells, c->volume, surplus, c->mean);
    gather_kernel<<<blocks, THREADS, 0, stream>>>(*l, moments, c->mean);
    CHECK(cudaGetLastError());
    CHECK(kn_cuda_layers_solve(l, stream));
    scatter_kernel<<<blocks, THREADS, 0, stream>>>(*l, coefficients);
    if (l->closed) {
        sum_kernel<<<1, SUMMING, 0, stream>>>(l->ncells, c->volume, mass, c->mean);
        shift_kernel<<<(unsigned)((l->ncells + THREADS - 1) / THREADS), THREADS, 0, stream>>>(l->ncells, n, c->mean,
                                                                                              coefficients);
    }
    CHECK(cudaGetLastError());
    return KN_OK;
}

/* ------------------------------------------------------------------------- layers */

static enum kn_status allocate(struct kn_cuda_coarse *c, void **to, size_t bytes)
{
    if (c->nblocks == MOST_BLOCKS)
        return kn_error_set(KN_EDEVICE, "CUDA: more than %d arrays", MOST_BLOCKS);
    CHECK(cudaMalloc(to, bytes > 0 ? bytes : 16));
    c->blocks[c->nblocks++] = *to;
    return KN_OK;
}

static enum kn_status upload(struct kn_cuda_coarse *c, const void **to, const void *from, size_t bytes)
{
    void *block;
    KN_TRY(allocate(c, &block, bytes));
    *to = block;
    CHECK(cudaMemcpy(block, from, bytes, cudaMemcpyHostToDevice));
    return KN_OK;
}

/* Layers as thick as the longest coupling. */
static void divide(struct kn_cuda_layers *l, const struct kn_steady_equations *e)
{
    l->ncells = e->plan->problem->space->ncells;
    l->functions = e->plan->functions;
    l->star = e->star;
    l->closed = e->closed;
    l->depth = 1;
    for (int64_t i = 0; i < (int64_t)l->ncells * e->star; i++) {
        const int32_t column = e->columns[i];
        const int distance = column < 0 ? 0 : abs(e->place[column] - e->place[i / e->star]);
        l->depth = distance > l->depth ? distance : l->depth;
    }
    const int64_t unknowns = (int64_t)l->depth * l->functions;
    l->layers = (l->ncells + l->depth - 1) / l->depth;
    l->unknowns = (int32_t)((unknowns + KN_CUDA_LAYER_TILE - 1) / KN_CUDA_LAYER_TILE * KN_CUDA_LAYER_TILE);
}

/* True if the device has the memory and the speed. */
static bool fits(const struct kn_cuda_layers *l)
{
    size_t free_bytes = 0, total = 0;
    const double matrix = (double)l->unknowns * l->unknowns,
                 bytes = matrix * (sizeof(float) * (double)l->layers + 2 * sizeof(double)) +
                         (double)l->ncells * l->star * l->functions * l->functions * sizeof(double);
    int shared = 0, device = 0, cooperates = 0;
    return cudaMemGetInfo(&free_bytes, &total) == cudaSuccess && bytes < SHARE * (double)free_bytes &&
           2 * matrix * l->unknowns * l->layers < MOST_WORK && cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess &&
           cudaDeviceGetAttribute(&cooperates, cudaDevAttrCooperativeLaunch, device) == cudaSuccess && cooperates &&
           (size_t)l->unknowns * sizeof(float) <= (size_t)shared;
}

/* The cells by place, and the blocks by column; false: a column has more than `star` blocks. */
static bool fill_places(const struct kn_steady_equations *e, int ncells, int32_t *cell, int32_t *rows)
{
    for (int64_t i = 0; i < (int64_t)ncells * e->star; i++)
        rows[i] = -1;
    for (int i = 0; i < ncells; i++)
        cell[e->place[i]] = i;
    for (int64_t i = 0; i < (int64_t)ncells * e->star; i++) {
        int free_entry = 0;
        if (e->columns[i] < 0)
            continue;
        int32_t *row = rows + (int64_t)e->columns[i] * e->star;
        while (free_entry < e->star && row[free_entry] >= 0)
            free_entry++;
        if (free_entry == e->star)
            return false;
        row[free_entry] = (int32_t)i;
    }
    return true;
}

/* Couplings with the layer before (0) or after (1), by place; without `to` they are only counted. */
static int list_couplings(const struct kn_cuda_layers *l, const struct kn_steady_equations *e, const int32_t *cell,
                          int after, int32_t *first, struct kn_cuda_coupling *to)
{
    int count = 0;
    for (int place = 0; place < l->ncells; place++) {
        const int wanted = kn_cuda_layer_of(*l, place) + (after ? 1 : -1);
        first[place] = count;
        for (int i = 0; i < l->star; i++) {
            const int32_t block = cell[place] * l->star + i, column = e->columns[block];
            const int other = column < 0 ? -1 : e->place[column];
            if (other < 0 || kn_cuda_layer_of(*l, other) != wanted)
                continue;
            if (to)
                to[count] = kn_cuda_coupling{block, other};
            count++;
        }
    }
    first[l->ncells] = count;
    return count;
}

static enum kn_status upload_couplings(struct kn_cuda_coarse *c, const struct kn_steady_equations *e,
                                       const int32_t *cell, int after)
{
    struct kn_cuda_layers *l = &c->layers;
    int32_t *first = (int32_t *)malloc(((size_t)l->ncells + 1) * sizeof *first);
    const int count = first ? list_couplings(l, e, cell, after, first, NULL) : 0;
    struct kn_cuda_coupling *list = (struct kn_cuda_coupling *)malloc(((size_t)count + 1) * sizeof *list);
    enum kn_status status = first && list ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    if (status == KN_OK) {
        list_couplings(l, e, cell, after, first, list);
        status = upload(c, (const void **)&l->first[after], first, ((size_t)l->ncells + 1) * sizeof *first);
    }
    if (status == KN_OK)
        status = upload(c, (const void **)&l->coupled[after], list, (size_t)count * sizeof *list);
    free(first);
    free(list);
    return status;
}

static enum kn_status upload_equations(struct kn_cuda_coarse *c, const struct kn_steady_equations *e, bool *able)
{
    struct kn_cuda_layers *l = &c->layers;
    const size_t ncells = (size_t)l->ncells, entries = ncells * (size_t)l->star,
                 size = (size_t)l->functions * (size_t)l->functions;
    int32_t *cell = (int32_t *)malloc(ncells * sizeof *cell), *rows = (int32_t *)malloc(entries * sizeof *rows);
    enum kn_status status = cell && rows ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    *able = status == KN_OK && fill_places(e, l->ncells, cell, rows);
    if (*able)
        status = upload(c, (const void **)&l->cell, cell, ncells * sizeof *cell);
    if (*able && status == KN_OK)
        status = upload(c, (const void **)&l->rows, rows, entries * sizeof *rows);
    for (int after = 0; after < 2 && *able && status == KN_OK; after++)
        status = upload_couplings(c, e, cell, after);
    free(cell);
    free(rows);
    if (!*able || status != KN_OK)
        return status;
    KN_TRY(upload(c, (const void **)&l->columns, e->columns, entries * sizeof *e->columns));
    KN_TRY(upload(c, (const void **)&l->blocks, e->blocks, entries * size * sizeof *e->blocks));
    return upload(c, (const void **)&l->place, e->place, ncells * sizeof *e->place);
}

static enum kn_status allocate_layers(struct kn_cuda_coarse *c)
{
    struct kn_cuda_layers *l = &c->layers;
    const size_t n = (size_t)l->unknowns, layers = (size_t)l->layers, tile = KN_CUDA_LAYER_TILE;
    KN_TRY(allocate(c, (void **)&l->matrix, n * n * sizeof(double)));
    KN_TRY(allocate(c, (void **)&l->product, n * n * sizeof(double)));
    KN_TRY(allocate(c, (void **)&l->panel[0], tile * n * sizeof(double)));
    KN_TRY(allocate(c, (void **)&l->panel[1], tile * n * sizeof(double)));
    KN_TRY(allocate(c, (void **)&l->panel[2], tile * tile * sizeof(double)));
    KN_TRY(allocate(c, (void **)&l->inverse, layers * n * n * sizeof(float)));
    KN_TRY(allocate(c, (void **)&l->right, layers * n * sizeof(double)));
    KN_TRY(allocate(c, (void **)&l->known, layers * n * sizeof(double)));
    KN_TRY(allocate(c, (void **)&l->sum, n * sizeof(double)));
    KN_TRY(allocate(c, (void **)&l->barrier, sizeof *l->barrier));
    return allocate(c, (void **)&c->mean, sizeof *c->mean);
}

/* ----------------------------------------------------------------------- creation */

/* A right-hand side; in a closed box without mass. */
static double right_side(const struct kn_cuda_layers *l, int f)
{
    return l->closed && f == 0 ? 0 : f % 2 ? 1 : -1;
}

/* The sum of the squares of the defects of the equations of one cell. */
static double defect(const struct kn_steady_equations *e, const struct kn_cuda_layers *l, const double *x, int cell)
{
    const int n = l->functions;
    double total = 0;
    for (int f = 0; f < n; f++) {
        double sum = -right_side(l, f);
        for (int64_t i = (int64_t)cell * l->star; i < (int64_t)(cell + 1) * l->star; i++) {
            const int32_t column = e->columns[i];
            const int place = column < 0 ? 0 : e->place[column];
            const double *known = x + (int64_t)kn_cuda_layer_of(*l, place) * l->unknowns + kn_cuda_layer_first(*l, place);
            for (int g = 0; g < n && column >= 0; g++)
                sum += e->blocks[(i * n + f) * n + g] * known[g];
            if (l->closed && column == cell && place == 0 && f == 0)
                sum += fabs(e->blocks[i * n * n]) * known[0];
        }
        total += sum * sum;
    }
    return total;
}

/* Solve the equations for one right-hand side and find the mean defect. */
static enum kn_status check(const struct kn_cuda_coarse *c, const struct kn_steady_equations *e, cudaStream_t stream,
                            bool *able)
{
    const struct kn_cuda_layers *l = &c->layers;
    const int64_t count = (int64_t)l->layers * l->unknowns;
    double *x = (double *)calloc((size_t)count, sizeof *x), total = 0;
    if (!x)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    for (int place = 0; place < l->ncells; place++)
        for (int f = 0; f < l->functions; f++)
            x[(int64_t)kn_cuda_layer_of(*l, place) * l->unknowns + kn_cuda_layer_first(*l, place) + f] =
                right_side(l, f);
    cudaError_t status = cudaMemcpyAsync(l->right, x, (size_t)count * sizeof *x, cudaMemcpyHostToDevice, stream);
    if (status == cudaSuccess)
        status = kn_cuda_layers_solve(l, stream);
    if (status == cudaSuccess)
        status = cudaMemcpyAsync(x, l->known, (size_t)count * sizeof *x, cudaMemcpyDeviceToHost, stream);
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(stream);
    for (int cell = 0; cell < l->ncells && status == cudaSuccess; cell++)
        total += defect(e, l, x, cell);
    free(x);
    CHECK(status);
    *able = sqrt(total / ((double)l->ncells * l->functions)) < DEFECT; /* false if it is not a number */
    return KN_OK;
}

static enum kn_status build(struct kn_cuda_coarse *c, const struct kn_steady_equations *e,
                            const struct kn_cuda_steady_problem *s, cudaStream_t stream, bool *able)
{
    divide(&c->layers, e);
    c->volume = s->volume;
    c->unit = 1 / e->plan->trial[0];
    for (int cell = 0; cell < c->layers.ncells; cell++)
        c->whole += e->plan->volume[cell];
    *able = fits(&c->layers);
    if (*able)
        KN_TRY(upload_equations(c, e, able));
    if (!*able)
        return KN_OK;
    KN_TRY(allocate_layers(c));
    CHECK(cudaMemsetAsync(c->layers.known, 0, (size_t)c->layers.layers * (size_t)c->layers.unknowns * sizeof(double),
                          stream));
    CHECK(kn_cuda_layers_eliminate(&c->layers, stream));
    return check(c, e, stream, able);
}

enum kn_status kn_cuda_coarse_create(struct kn_cuda_coarse **out, const struct kn_steady_equations *e,
                                     const struct kn_cuda_steady_problem *s, cudaStream_t stream, bool *able)
{
    *able = false;
    *out = (struct kn_cuda_coarse *)calloc(1, sizeof **out);
    if (!*out)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    return build(*out, e, s, stream, able);
}

void kn_cuda_coarse_destroy(struct kn_cuda_coarse *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->nblocks; i++)
        cudaFree(c->blocks[i]);
    free(c);
}
