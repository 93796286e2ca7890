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

/* ------------------------------------------------------------------------- places */

/* The cells in layers, in host memory. */
struct places {
    int32_t *rows;  /* [ncells][star], struct kn_cuda_layers */
    int32_t *layer; /* [ncells] -1: not yet known */
    int32_t *list;  /* [ncells] cells in the order of their layers */
    int32_t *place; /* [ncells] */
    int32_t *cell;  /* [layers][depth] */
};

static void destroy_places(struct places *p)
{
    free(p->rows);
    free(p->layer);
    free(p->list);
    free(p->place);
    free(p->cell);
}

/* The blocks by column; false: a column has more than `star` blocks. */
static bool fill_rows(const struct kn_steady_equations *e, int ncells, int32_t *rows)
{
    for (int64_t i = 0; i < (int64_t)ncells * e->star; i++)
        rows[i] = -1;
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

static int add_cell(struct places *p, int count, int cell, int layer)
{
    if (p->layer[cell] >= 0)
        return count;
    p->layer[cell] = layer;
    p->list[count] = cell;
    return count + 1;
}

/* The first layer: the cells at the low end of the axis with most cells.  Any other layer: all cells that are coupled
 * to the layer before, and have no layer yet.  Cells that are not coupled to these begin anew. */
static void find_layers(const struct kn_steady_equations *e, struct places *p)
{
    const struct kn_space *x = e->plan->problem->space;
    int longest = 0, count = 0, lowest = x->cells[0] > 0 ? INT32_MAX : 0, at[3];
    for (int d = 1; d < 3; d++)
        longest = x->cells[d] > x->cells[longest] ? d : longest;
    for (int cell = 0; cell < x->ncells; cell++) {
        p->layer[cell] = -1;
        kn_space_place(x, cell, at);
        lowest = at[longest] < lowest ? at[longest] : lowest;
    }
    for (int cell = 0; cell < x->ncells; cell++) {
        kn_space_place(x, cell, at);
        if (at[longest] == lowest)
            count = add_cell(p, count, cell, 0);
    }
    for (int done = 0, next = 0; done < x->ncells; done++) {
        while (done == count) { /* an unconnected part */
            count = add_cell(p, count, next, done == 0 ? 0 : p->layer[p->list[done - 1]] + 1);
            next++;
        }
        const int cell = p->list[done];
        for (int64_t i = (int64_t)cell * e->star; i < (int64_t)(cell + 1) * e->star; i++) {
            if (e->columns[i] >= 0)
                count = add_cell(p, count, e->columns[i], p->layer[cell] + 1);
            if (p->rows[i] >= 0)
                count = add_cell(p, count, p->rows[i] / e->star, p->layer[cell] + 1);
        }
    }
}

/* Sizes, and the places of the cells in their order. */
static enum kn_status find_places(const struct kn_steady_equations *e, struct places *p, struct kn_cuda_layers *l)
{
    const size_t ncells = (size_t)l->ncells;
    p->layer = (int32_t *)malloc(ncells * sizeof *p->layer);
    p->list = (int32_t *)malloc(ncells * sizeof *p->list);
    p->place = (int32_t *)malloc(ncells * sizeof *p->place);
    if (!p->layer || !p->list || !p->place)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    find_layers(e, p);
    l->layers = p->layer[p->list[ncells - 1]] + 1;
    for (size_t i = 0, first = 0; i < ncells; i++) {
        first = i > 0 && p->layer[p->list[i]] == p->layer[p->list[i - 1]] ? first : i;
        p->place[p->list[i]] = (int32_t)(i - first);
        l->depth = (int)(i - first) >= l->depth ? (int)(i - first) + 1 : l->depth;
    }
    const size_t places = (size_t)l->layers * (size_t)l->depth;
    l->unknowns = (l->depth * l->functions + KN_CUDA_LAYER_TILE - 1) / KN_CUDA_LAYER_TILE * KN_CUDA_LAYER_TILE;
    p->cell = (int32_t *)malloc(places * sizeof *p->cell);
    if (!p->cell)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    for (size_t i = 0; i < places; i++)
        p->cell[i] = -1;
    for (size_t cell = 0; cell < ncells; cell++) {
        p->place[cell] += p->layer[cell] * l->depth;
        p->cell[p->place[cell]] = (int32_t)cell;
    }
    return KN_OK;
}

/* ------------------------------------------------------------------------- upload */

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

/* Couplings with the layer before (0) or after (1), by place; without `to` they are only counted. */
static int list_couplings(const struct kn_cuda_layers *l, const struct kn_steady_equations *e, const struct places *p,
                          int after, int32_t *first, struct kn_cuda_coupling *to)
{
    const int places = l->layers * l->depth;
    int count = 0;
    for (int place = 0; place < places; place++) {
        const int wanted = kn_cuda_layer_of(*l, place) + (after ? 1 : -1);
        first[place] = count;
        for (int i = 0; i < l->star && p->cell[place] >= 0; i++) {
            const int32_t block = p->cell[place] * l->star + i, column = e->columns[block];
            if (column < 0 || p->layer[column] != wanted)
                continue;
            if (to)
                to[count] = kn_cuda_coupling{block, p->place[column]};
            count++;
        }
    }
    first[places] = count;
    return count;
}

static enum kn_status upload_couplings(struct kn_cuda_coarse *c, const struct kn_steady_equations *e,
                                       const struct places *p, int after)
{
    struct kn_cuda_layers *l = &c->layers;
    const size_t places = (size_t)l->layers * (size_t)l->depth;
    int32_t *first = (int32_t *)malloc((places + 1) * sizeof *first);
    const int count = first ? list_couplings(l, e, p, after, first, NULL) : 0;
    struct kn_cuda_coupling *list = (struct kn_cuda_coupling *)malloc(((size_t)count + 1) * sizeof *list);
    enum kn_status status = first && list ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    if (status == KN_OK) {
        list_couplings(l, e, p, after, first, list);
        status = upload(c, (const void **)&l->first[after], first, (places + 1) * sizeof *first);
    }
    if (status == KN_OK)
        status = upload(c, (const void **)&l->coupled[after], list, (size_t)count * sizeof *list);
    free(first);
    free(list);
    return status;
}

static enum kn_status upload_equations(struct kn_cuda_coarse *c, const struct kn_steady_equations *e,
                                       const struct places *p)
{
    struct kn_cuda_layers *l = &c->layers;
    const size_t ncells = (size_t)l->ncells, entries = ncells * (size_t)l->star,
                 size = (size_t)l->functions * (size_t)l->functions,
                 places = (size_t)l->layers * (size_t)l->depth;
    KN_TRY(upload(c, (const void **)&l->cell, p->cell, places * sizeof *p->cell));
    KN_TRY(upload(c, (const void **)&l->rows, p->rows, entries * sizeof *p->rows));
    KN_TRY(upload(c, (const void **)&l->place, p->place, ncells * sizeof *p->place));
    KN_TRY(upload(c, (const void **)&l->columns, e->columns, entries * sizeof *e->columns));
    KN_TRY(upload(c, (const void **)&l->blocks, e->blocks, entries * size * sizeof *e->blocks));
    KN_TRY(upload_couplings(c, e, p, 0));
    return upload_couplings(c, e, p, 1);
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
static double defect(const struct kn_steady_equations *e, const struct kn_cuda_layers *l, const struct places *p,
                     const double *x, int cell)
{
    const int n = l->functions;
    double total = 0;
    for (int f = 0; f < n; f++) {
        double sum = -right_side(l, f);
        for (int64_t i = (int64_t)cell * l->star; i < (int64_t)(cell + 1) * l->star; i++) {
            const int32_t column = e->columns[i];
            const int place = column < 0 ? 0 : p->place[column];
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
static enum kn_status check(const struct kn_cuda_coarse *c, const struct kn_steady_equations *e,
                            const struct places *p, cudaStream_t stream, bool *able)
{
    const struct kn_cuda_layers *l = &c->layers;
    const int64_t count = (int64_t)l->layers * l->unknowns;
    double *x = (double *)calloc((size_t)count, sizeof *x), total = 0;
    if (!x)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    for (int cell = 0; cell < l->ncells; cell++)
        for (int f = 0; f < l->functions; f++)
            x[(int64_t)p->layer[cell] * l->unknowns + kn_cuda_layer_first(*l, p->place[cell]) + f] =
                right_side(l, f);
    cudaError_t status = cudaMemcpyAsync(l->right, x, (size_t)count * sizeof *x, cudaMemcpyHostToDevice, stream);
    if (status == cudaSuccess)
        status = kn_cuda_layers_solve(l, stream);
    if (status == cudaSuccess)
        status = cudaMemcpyAsync(x, l->known, (size_t)count * sizeof *x, cudaMemcpyDeviceToHost, stream);
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(stream);
    for (int cell = 0; cell < l->ncells && status == cudaSuccess; cell++)
        total += defect(e, l, p, x, cell);
    free(x);
    CHECK(status);
    *able = sqrt(total / ((double)l->ncells * l->functions)) < DEFECT; /* false if it is not a number */
    return KN_OK;
}

static enum kn_status build(struct kn_cuda_coarse *c, const struct kn_steady_equations *e, struct places *p,
                            cudaStream_t stream, bool *able)
{
    struct kn_cuda_layers *l = &c->layers;
    l->ncells = e->plan->problem->space->ncells;
    l->functions = e->plan->functions;
    l->star = e->star;
    l->closed = e->closed;
    p->rows = (int32_t *)malloc((size_t)l->ncells * (size_t)l->star * sizeof *p->rows);
    if (!p->rows)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    if (!fill_rows(e, l->ncells, p->rows))
        return KN_OK;
    KN_TRY(find_places(e, p, l));
    if (!fits(l))
        return KN_OK;
    KN_TRY(upload_equations(c, e, p));
    KN_TRY(allocate_layers(c));
    CHECK(cudaMemsetAsync(l->known, 0, (size_t)l->layers * (size_t)l->unknowns * sizeof(double), stream));
    CHECK(kn_cuda_layers_eliminate(l, stream));
    return check(c, e, p, stream, able);
}

enum kn_status kn_cuda_coarse_create(struct kn_cuda_coarse **out, const struct kn_steady_equations *e,
                                     const struct kn_cuda_steady_problem *s, cudaStream_t stream, bool *able)
{
    *able = false;
    *out = (struct kn_cuda_coarse *)calloc(1, sizeof **out);
    if (!*out)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    (*out)->volume = s->volume;
    (*out)->unit = 1 / e->plan->trial[0];
    for (int cell = 0; cell < s->ncells; cell++)
        (*out)->whole += e->plan->volume[cell];
    struct places p = {};
    const enum kn_status status = build(*out, e, &p, stream, able);
    destroy_places(&p);
    return status;
}

void kn_cuda_coarse_destroy(struct kn_cuda_coarse *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->nblocks; i++)
        cudaFree(c->blocks[i]);
    free(c);
}
