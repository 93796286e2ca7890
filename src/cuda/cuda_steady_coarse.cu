/* The moment equations on the device: their layers, and the part of a solution that depends on the total
 * mass. */
#include "cuda/cuda_rows.h"
#include "cuda/cuda_steady_layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 32, MOST_SIDE = 4, THREADS = 256, SUMMING = 1024 };

static const double MOST_WORK = 1.5e13; /* multiplications and additions of an elimination: some seconds */
static const double SHARE = 0.6;        /* of the free device memory */
static const double THIN = 0.25;        /* mean free paths: cells that have the same correction */
static const double THICK = 1;          /* the same, if there are too many equations */
static const double DEFECT = 1e-2;      /* mean, of a solution that is good enough to be a correction */

struct kn_cuda_coarse {
    struct kn_cuda_layers layers;
    int32_t ncells, functions;
    bool closed, solves;  /* the mass of the gas is given; there are equations */
    const double *volume; /* [ncells], device */
    double whole, unit;   /* the sum of the volumes; <1, phi_0> */
    double *mean;         /* [1] device */
    const int32_t *group; /* [ncells], struct kn_cuda_groups, device */
    const int32_t *first, *members;
    const double *share;
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
        sum[0] += volume[cell] *
                  (s.x[(int64_t)cell * s.stride_x] + (s.y ? s.factor * s.y[(int64_t)cell * s.stride_y] : 0));
    block_sum<1>(sum, space);
    if (threadIdx.x == 0)
        *result = s.scale * sum[0];
}

/* Which cells have which unknowns. */
struct members {
    const int32_t *group, *first, *list;
    const double *share;
};

/* The right-hand side by layers, without the mean of the mass. */
static __global__ void __launch_bounds__(THREADS)
    gather_kernel(const __grid_constant__ kn_cuda_layers l, const __grid_constant__ struct members m,
                  const double *moments, const double *mean)
{
    const int item = blockIdx.x * THREADS + threadIdx.x, n = l.functions, group = item / n, f = item % n;
    if (group >= l.ncells)
        return;
    const int place = l.place[group];
    double sum = l.closed && f == 0 ? -*mean : 0;
    for (int i = m.first[group]; i < m.first[group + 1]; i++)
        sum += m.share[m.list[i]] * moments[(int64_t)m.list[i] * (n + 1) + f];
    l.right[(int64_t)kn_cuda_layer_of(l, place) * l.unknowns + kn_cuda_layer_first(l, place) + f] = sum;
}

static __global__ void __launch_bounds__(THREADS)
    scatter_kernel(const __grid_constant__ kn_cuda_layers l, int ncells, const int32_t *group,
                   double *coefficients)
{
    const int item = blockIdx.x * THREADS + threadIdx.x, n = l.functions, cell = item / n, f = item % n;
    if (cell >= ncells)
        return;
    const int place = l.place[group[cell]];
    coefficients[item] =
        l.known[(int64_t)kn_cuda_layer_of(l, place) * l.unknowns + kn_cuda_layer_first(l, place) + f];
}

static __global__ void __launch_bounds__(THREADS)
    shift_kernel(int ncells, int functions, const double *shift, double *coefficients)
{
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    if (cell < ncells)
        coefficients[(int64_t)cell * functions] -= *shift;
}

static unsigned blocks_for(int64_t items)
{
    return (unsigned)((items + THREADS - 1) / THREADS);
}

enum kn_status kn_cuda_coarse_solve(struct kn_cuda_coarse *c, const double *moments, double *coefficients,
                                    cudaStream_t stream)
{
    const struct kn_cuda_layers *l = &c->layers;
    const int n = c->functions;
    const struct members m = {c->group, c->first, c->members, c->share};
    const struct sum surplus = {moments, NULL, n + 1, 0, 0, 1 / c->whole},
                     mass = {moments + n, coefficients, n + 1, n, c->unit, 1 / (c->whole * c->unit)};
    if (c->solves) {
        if (c->closed)
            sum_kernel<<<1, SUMMING, 0, stream>>>(c->ncells, c->volume, surplus, c->mean);
        gather_kernel<<<blocks_for((int64_t)l->ncells * n), THREADS, 0, stream>>>(*l, m, moments, c->mean);
        CHECK(cudaGetLastError());
        CHECK(kn_cuda_layers_solve(l, stream));
        scatter_kernel<<<blocks_for((int64_t)c->ncells * n), THREADS, 0, stream>>>(*l, c->ncells, c->group,
                                                                                   coefficients);
    } else {
        CHECK(cudaMemsetAsync(coefficients, 0, (size_t)c->ncells * (size_t)n * sizeof *coefficients, stream));
    }
    if (c->closed) {
        sum_kernel<<<1, SUMMING, 0, stream>>>(c->ncells, c->volume, mass, c->mean);
        shift_kernel<<<blocks_for(c->ncells), THREADS, 0, stream>>>(c->ncells, n, c->mean, coefficients);
    }
    CHECK(cudaGetLastError());
    return KN_OK;
}

bool kn_cuda_coarse_changes(const struct kn_cuda_coarse *c)
{
    return c->solves || c->closed;
}

/* ------------------------------------------------------------------------- memory */

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
static bool fill_rows(const struct kn_cuda_groups *g, int32_t *rows)
{
    for (int64_t i = 0; i < (int64_t)g->count * g->star; i++)
        rows[i] = -1;
    for (int64_t i = 0; i < (int64_t)g->count * g->star; i++) {
        int free_entry = 0;
        if (g->columns[i] < 0)
            continue;
        int32_t *row = rows + (int64_t)g->columns[i] * g->star;
        while (free_entry < g->star && row[free_entry] >= 0)
            free_entry++;
        if (free_entry == g->star)
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

/* The first layer: the cells at the low end of the axis with most cells.  Any other layer: all cells that are
 * coupled to the layer before, and have no layer yet.  Cells that are not coupled to these begin anew. */
static void find_layers(const struct kn_cuda_groups *g, struct places *p)
{
    int count = 0, lowest = g->along[0];
    for (int cell = 0; cell < g->count; cell++) {
        p->layer[cell] = -1;
        lowest = g->along[cell] < lowest ? g->along[cell] : lowest;
    }
    for (int cell = 0; cell < g->count; cell++)
        if (g->along[cell] == lowest)
            count = add_cell(p, count, cell, 0);
    for (int done = 0, next = 0; done < g->count; done++) {
        for (; done == count; next++) /* an unconnected part */
            count = add_cell(p, count, next, p->layer[p->list[done - 1]] + 1);
        const int cell = p->list[done];
        for (int64_t i = (int64_t)cell * g->star; i < (int64_t)(cell + 1) * g->star; i++) {
            if (g->columns[i] >= 0)
                count = add_cell(p, count, g->columns[i], p->layer[cell] + 1);
            if (p->rows[i] >= 0)
                count = add_cell(p, count, p->rows[i] / g->star, p->layer[cell] + 1);
        }
    }
}

/* Sizes, and the places of the cells in their order. */
static enum kn_status find_places(const struct kn_cuda_groups *g, struct places *p, struct kn_cuda_layers *l)
{
    const size_t ncells = (size_t)l->ncells;
    p->layer = (int32_t *)malloc(ncells * sizeof *p->layer);
    p->list = (int32_t *)malloc(ncells * sizeof *p->list);
    p->place = (int32_t *)malloc(ncells * sizeof *p->place);
    if (!p->layer || !p->list || !p->place)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    find_layers(g, p);
    l->layers = p->layer[p->list[ncells - 1]] + 1;
    for (size_t i = 0, first = 0; i < ncells; i++) {
        first = i > 0 && p->layer[p->list[i]] == p->layer[p->list[i - 1]] ? first : i;
        p->place[p->list[i]] = (int32_t)(i - first);
        l->depth = (int)(i - first) >= l->depth ? (int)(i - first) + 1 : l->depth;
    }
    const size_t places = (size_t)l->layers * (size_t)l->depth;
    l->unknowns =
        (l->depth * l->functions + KN_CUDA_LAYER_TILE - 1) / KN_CUDA_LAYER_TILE * KN_CUDA_LAYER_TILE;
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
           2 * matrix * l->unknowns * l->layers < 2 * MOST_WORK && cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess &&
           cudaDeviceGetAttribute(&cooperates, cudaDevAttrCooperativeLaunch, device) == cudaSuccess &&
           cooperates && (size_t)l->unknowns * sizeof(float) <= (size_t)shared;
}

/* Couplings with the layer before (0) or after (1), by place; without `to` they are only counted. */
static int list_couplings(const struct kn_cuda_layers *l, const struct kn_cuda_groups *g,
                          const struct places *p, int after, int32_t *first, struct kn_cuda_coupling *to)
{
    const int places = l->layers * l->depth;
    int count = 0;
    for (int place = 0; place < places; place++) {
        const int wanted = kn_cuda_layer_of(*l, place) + (after ? 1 : -1);
        first[place] = count;
        for (int i = 0; i < l->star && p->cell[place] >= 0; i++) {
            const int32_t block = p->cell[place] * l->star + i, column = g->columns[block];
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

static enum kn_status upload_couplings(struct kn_cuda_coarse *c, const struct kn_cuda_groups *g,
                                       const struct places *p, int after)
{
    struct kn_cuda_layers *l = &c->layers;
    const size_t places = (size_t)l->layers * (size_t)l->depth;
    int32_t *first = (int32_t *)malloc((places + 1) * sizeof *first);
    const int count = first ? list_couplings(l, g, p, after, first, NULL) : 0;
    struct kn_cuda_coupling *list = (struct kn_cuda_coupling *)malloc(((size_t)count + 1) * sizeof *list);
    enum kn_status status =
        first && list ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    if (status == KN_OK) {
        list_couplings(l, g, p, after, first, list);
        status = upload(c, (const void **)&l->first[after], first, (places + 1) * sizeof *first);
    }
    if (status == KN_OK)
        status = upload(c, (const void **)&l->coupled[after], list, (size_t)count * sizeof *list);
    free(first);
    free(list);
    return status;
}

static enum kn_status upload_equations(struct kn_cuda_coarse *c, const struct kn_cuda_groups *g,
                                       const struct places *p)
{
    struct kn_cuda_layers *l = &c->layers;
    const size_t ncells = (size_t)l->ncells, entries = ncells * (size_t)l->star,
                 size = (size_t)l->functions * (size_t)l->functions,
                 places = (size_t)l->layers * (size_t)l->depth;
    KN_TRY(upload(c, (const void **)&l->cell, p->cell, places * sizeof *p->cell));
    KN_TRY(upload(c, (const void **)&l->rows, p->rows, entries * sizeof *p->rows));
    KN_TRY(upload(c, (const void **)&l->place, p->place, ncells * sizeof *p->place));
    KN_TRY(upload(c, (const void **)&l->columns, g->columns, entries * sizeof *g->columns));
    KN_TRY(upload(c, (const void **)&l->blocks, g->blocks, entries * size * sizeof *g->blocks));
    KN_TRY(upload_couplings(c, g, p, 0));
    return upload_couplings(c, g, p, 1);
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
    return allocate(c, (void **)&l->barrier, sizeof *l->barrier);
}

/* ----------------------------------------------------------------------- creation */

/* A right-hand side; in a closed box without mass. */
static double right_side(const struct kn_cuda_layers *l, int f)
{
    return l->closed && f == 0 ? 0 : f % 2 ? 1 : -1;
}

/* The sum of the squares of the defects of the equations of one cell. */
static double defect(const struct kn_cuda_groups *g, const struct kn_cuda_layers *l, const struct places *p,
                     const double *x, int cell)
{
    const int n = l->functions;
    double total = 0;
    for (int f = 0; f < n; f++) {
        double sum = -right_side(l, f);
        for (int64_t i = (int64_t)cell * l->star; i < (int64_t)(cell + 1) * l->star; i++) {
            const int32_t column = g->columns[i];
            const int place = column < 0 ? 0 : p->place[column];
            const double *known =
                x + (int64_t)kn_cuda_layer_of(*l, place) * l->unknowns + kn_cuda_layer_first(*l, place);
            for (int k = 0; k < n && column >= 0; k++)
                sum += g->blocks[(i * n + f) * n + k] * known[k];
            if (l->closed && column == cell && place == 0 && f == 0)
                sum += fabs(g->blocks[i * n * n]) * known[0];
        }
        total += sum * sum;
    }
    return total;
}

/* Solve the equations for one right-hand side and find the mean defect. */
static enum kn_status check(const struct kn_cuda_coarse *c, const struct kn_cuda_groups *g,
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
    cudaError_t status =
        cudaMemcpyAsync(l->right, x, (size_t)count * sizeof *x, cudaMemcpyHostToDevice, stream);
    if (status == cudaSuccess)
        status = kn_cuda_layers_solve(l, stream);
    if (status == cudaSuccess)
        status = cudaMemcpyAsync(x, l->known, (size_t)count * sizeof *x, cudaMemcpyDeviceToHost, stream);
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(stream);
    for (int cell = 0; cell < l->ncells && status == cudaSuccess; cell++)
        total += defect(g, l, p, x, cell);
    free(x);
    CHECK(status);
    *able = sqrt(total / ((double)l->ncells * l->functions)) < DEFECT; /* false if it is not a number */
    return KN_OK;
}

static enum kn_status upload_groups(struct kn_cuda_coarse *c, const struct kn_cuda_groups *g)
{
    const size_t ncells = (size_t)c->ncells;
    KN_TRY(upload(c, (const void **)&c->group, g->group, ncells * sizeof *g->group));
    KN_TRY(upload(c, (const void **)&c->members, g->members, ncells * sizeof *g->members));
    KN_TRY(upload(c, (const void **)&c->share, g->share, ncells * sizeof *g->share));
    return upload(c, (const void **)&c->first, g->first, ((size_t)g->count + 1) * sizeof *g->first);
}

static enum kn_status build(struct kn_cuda_coarse *c, const struct kn_cuda_groups *g, struct places *p,
                            cudaStream_t stream, bool *able)
{
    struct kn_cuda_layers *l = &c->layers;
    *l = kn_cuda_layers{};
    l->ncells = g->count;
    l->functions = c->functions;
    l->star = g->star;
    l->closed = c->closed;
    *able = false;
    p->rows = (int32_t *)malloc((size_t)l->ncells * (size_t)l->star * sizeof *p->rows);
    if (!p->rows)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    if (!fill_rows(g, p->rows))
        return KN_OK;
    KN_TRY(find_places(g, p, l));
    if (!fits(l))
        return KN_OK;
    KN_TRY(upload_groups(c, g));
    KN_TRY(upload_equations(c, g, p));
    KN_TRY(allocate_layers(c));
    CHECK(cudaMemsetAsync(l->known, 0, (size_t)l->layers * (size_t)l->unknowns * sizeof(double), stream));
    CHECK(kn_cuda_layers_eliminate(l, stream));
    return check(c, g, p, stream, able);
}

/* The width of the widest cell in mean free paths. */
static double thickness(const struct kn_steady_plan *p)
{
    const struct kn_space *x = p->problem->space;
    double widest = 0;
    for (int cell = 0; cell < x->ncells; cell++)
        for (int i = 0; i < x->naxes; i++)
            widest = fmax(widest, x->width[3 * (int64_t)cell + x->axes[i]]);
    return p->rate * widest;
}

/* Groups of as many cells as are thin together; of more cells, if there are too many equations. */
static enum kn_status choose(struct kn_cuda_coarse *c, const struct kn_steady_equations *e,
                             cudaStream_t stream, bool *able)
{
    const double cell = thickness(e->plan);
    int side = 1;
    while (side < MOST_SIDE && 2 * side * cell <= THIN)
        side *= 2;
    for (; !*able && (side == 1 || side * cell <= THICK) && side <= MOST_SIDE; side *= 2) {
        struct kn_cuda_groups g;
        struct places p = {};
        if (kn_cuda_groups_work(e->plan, side) > MOST_WORK)
            continue;
        const int before = c->nblocks;
        enum kn_status status = kn_cuda_groups_create(&g, e, side, able);
        if (status == KN_OK && *able)
            status = build(c, &g, &p, stream, able);
        kn_cuda_groups_destroy(&g);
        destroy_places(&p);
        while (!*able && c->nblocks > before)
            cudaFree(c->blocks[--c->nblocks]);
        KN_TRY(status);
    }
    return KN_OK;
}

enum kn_status kn_cuda_coarse_create(struct kn_cuda_coarse **out, const struct kn_steady_equations *e,
                                     const struct kn_steady_plan *plan, const double *volume,
                                     cudaStream_t stream, bool *able)
{
    struct kn_cuda_coarse *c = (struct kn_cuda_coarse *)calloc(1, sizeof *c);
    *able = false;
    *out = c;
    if (!c)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    c->ncells = plan->problem->space->ncells;
    c->functions = plan->functions;
    c->closed = plan->closed[0]; /* there is one region without bodies */
    c->volume = volume;
    c->unit = 1 / plan->trial[0];
    for (int cell = 0; cell < c->ncells; cell++)
        c->whole += plan->volume[cell];
    KN_TRY(allocate(c, (void **)&c->mean, sizeof *c->mean));
    if (e)
        KN_TRY(choose(c, e, stream, able));
    c->solves = *able;
    *able = *able || !e;
    return KN_OK;
}

void kn_cuda_coarse_destroy(struct kn_cuda_coarse *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->nblocks; i++)
        cudaFree(c->blocks[i]);
    free(c);
}
