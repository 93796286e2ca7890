/* The collision step with the assembled operator, for cells that have been streamed. */
#include "cuda/cuda_operator.h"

enum { MOST = 16 }; /* warps of a block */

/* Division of the work of a block: each warp takes one parity and a share of the nodes. */
struct division {
    int across;  /* M: groups of 16 cells */
    int tiles;   /* N: tiles of 8 nodes per share */
    int shares;  /* of a parity */
    int warps;   /* per block; if there are fewer than parities times shares, each processes several */
    bool staged; /* parities are in shared memory, and later the changes */
};

static __host__ __device__ inline int changed_nodes(const division &d)
{
    return d.shares * d.tiles * NODES_ACROSS;
}

/* Distance in floats between the changes of cells, chosen to avoid bank conflicts. */
static __host__ __device__ inline int change_pitch(int octants, const division &d)
{
    const int row = octants * changed_nodes(d);
    return row + (8 - row % 32 + 32) % 32;
}

/* Words of 4 bytes. */
static __host__ __device__ inline int64_t parity_words(int octants, int steps, const division &d)
{
    return (int64_t)d.across * CELLS_ACROSS * octants * steps * NODES_ALONG;
}

static __host__ __device__ inline int64_t change_floats(int octants, const division &d)
{
    return (int64_t)d.across * CELLS_ACROSS * change_pitch(octants, d);
}

/* Time over which sources act before and after the operator; 0: there are none. */
struct source_steps {
    float before, after;
};

template <int P>
static __device__ __forceinline__ void add_source(const kn_cuda_problem &p, float time, int k, four h[P])
{
#pragma unroll
    for (int o = 0; o < P && time != 0; o++) {
        const four source = read4(p.source + o * p.mesh.stride + k);
#pragma unroll
        for (int i = 0; i < 4; i++)
            h[o].v[i] = kn_collide_driven(h[o].v[i], time, source.v[i]);
    }
}

/* Add the changes of a cell to its row, with one warp. Errors of mass, momentum and energy are removed;
 * mass lost by round-off is returned, in a different octant in each sweep. `errors` of the gain of the
 * quadratic part, already in the row, are removed too; it may be NULL. */
template <int P>
static __device__ __forceinline__ void change_cell(const kn_cuda_problem &p,
                                                   const kn_cuda_correction &correction, const changed_row &c,
                                                   source_steps times, int octant, const float *errors)
{
    const int lane = threadIdx.x % WARP, end = kn_cuda_operator_tiles(p.size) * NODES_ACROSS,
              rounds = (end + 4 * WARP - 1) / (4 * WARP);
    invariant_sums sum = {0, 0, {0, 0, 0}};
    float lost_before = 0;
    if (errors && lane == 0) {
        sum = invariant_sums{errors[0], errors[1], {errors[2], errors[3], errors[4]}};
        lost_before = errors[5];
    }
    four d[P];
    for (int k = 4 * lane; k < end; k += 4 * WARP) {
        read_changes<P>(c, k, d);
        add_errors<P>(octant_nodes_of<P>(p, k), d, &sum);
    }
    sum_lanes<P, WARP>(&sum);
    const polynomial x = correction_of<P>(p, correction, sum);
    for (int round = rounds - 1; round >= 0; round--) { /* fast nodes first */
        const int k = 4 * (round * WARP + lane);
        const bool active = k < end;
        const octant_nodes<P> n = octant_nodes_of<P>(p, active ? k : 0);
        float lost[4] = {0, 0, 0, 0};
        four h[P] = {};
        if (active) {
            read_changes<P>(c, k, d);
            read_octants<P>(p, c.old, k, h);
            add_source<P>(p, times.before, k, h);
            apply_change<P>(n, x, d, h, lost);
        }
        if (round == 0)
            restore_mass<WARP, P>(n, lost, lost_before, heaviest<WARP>(active ? n.w.v[0] : 0.0f), octant, h);
#pragma unroll
        for (int i = 0; i < 4; i++)
            lost_before += n.w.v[i] * lost[i];
        if (active) {
            add_source<P>(p, times.after, k, h);
            write_octants<P>(p, c.to, k, h);
        }
    }
}

/* Data of a kernel: cells of a list, or all, in place; `scratch` of a block if shared memory cannot hold
 * the parities. The first `whole` blocks have M x 16 cells; those of the last wave, which fills only half
 * of the GPU, have 16. */
struct operation {
    const float *from; /* rows on which the operator acts */
    float *h;          /* rows that change */
    const int32_t *list;
    int total, whole;
    source_steps times;
    int octant;
    float *scratch;
    division d;
    /* Of the quadratic part, or NULL: coefficients, and errors of the gain; struct kn_cuda_quadratic. */
    const float *coefficients, *errors;
};

/* Four nodes of all octants of a row, with sources before the step. */
template <int P>
static __device__ __forceinline__ void read_driven(const kn_cuda_problem &p, const float *row, float before,
                                                   int k, four x[P])
{
    read_octants<P>(p, row, k, x);
    add_source<P>(p, before, k, x);
}

/* A row in registers: four nodes of all octants per lane and round. Longer rows are read twice. */
template <int P> struct held_row {
    enum { ROUNDS = P > 4 ? 1 : 2 };
    four of[ROUNDS][P];
};

/* Store the parities of a cell, whose largest coefficient is `most`, and return its scale; with one warp. */
template <int P, int M>
static __device__ __forceinline__ cell_scale load_held(const kn_cuda_problem &p, const operation &o,
                                                       const float *row, int end, float most, int c,
                                                       uint32_t *to)
{
    held_row<P> x = {};
#pragma unroll
    for (int r = 0; r < held_row<P>::ROUNDS; r++)
        if (4 * (r * WARP + (int)(threadIdx.x % WARP)) < end)
            read_driven<P>(p, row, o.times.before, 4 * (r * WARP + threadIdx.x % WARP), x.of[r]);
#pragma unroll
    for (int i = 0; i < held_row<P>::ROUNDS * P; i++)
        most = largest(x.of[i / P][i % P], most);
    const cell_scale scale = scale_of<WARP>(most);
#pragma unroll
    for (int r = 0; r < held_row<P>::ROUNDS; r++)
        if (4 * (r * WARP + (int)(threadIdx.x % WARP)) < end)
            put_parities<P, M>(x.of[r], scale.up, c, 4 * (r * WARP + threadIdx.x % WARP), to);
    return scale;
}

/* The same for a row of any length. */
template <int P, int M>
static __device__ __forceinline__ cell_scale load_twice(const kn_cuda_problem &p, const operation &o,
                                                        const float *row, int end, float most, int c,
                                                        uint32_t *to)
{
    four x[P];
#pragma unroll 2
    for (int k = 4 * (threadIdx.x % WARP); k < end; k += 4 * WARP) {
        read_driven<P>(p, row, o.times.before, k, x);
#pragma unroll
        for (int i = 0; i < P; i++)
            most = largest(x[i], most);
    }
    const cell_scale scale = scale_of<WARP>(most);
#pragma unroll 2
    for (int k = 4 * (threadIdx.x % WARP); k < end; k += 4 * WARP) {
        read_driven<P>(p, row, o.times.before, k, x);
        put_parities<P, M>(x, scale.up, c, k, to);
    }
    return scale;
}

/* Parities of a cell, with one warp: nodes and coefficients of the quadratic part. Returns the inverse of
 * their scale. */
template <int P, int M>
static __device__ __forceinline__ float load_cell(const kn_cuda_problem &p, const operation &o,
                                                  int64_t number, int c, uint32_t *to)
{
    const int lane = threadIdx.x % WARP, end = kn_cuda_operator_sum(p.size, false) * NODES_ALONG;
    const float *row = o.from + number * p.mesh.nnodes,
                *coefficients = o.coefficients + number * P * KN_CUDA_PLACES;
    const bool more = o.coefficients && lane < P * KN_CUDA_PLACES / 4;
    const float most = more ? largest(read4(coefficients + 4 * lane), 0) : 0;
    const cell_scale scale = end <= 4 * WARP * held_row<P>::ROUNDS
                                 ? load_held<P, M>(p, o, row, end, most, c, to)
                                 : load_twice<P, M>(p, o, row, end, most, c, to);
    if (more)
        put_polynomials<P, M>(coefficients, lane, scale.up, c, p.size, to);
    return scale.down;
}

/* Parities of M x 16 cells from `first`, and the units of their changes; cells that do not exist are copies
 * of the last. */
template <int P, int M>
static __device__ __forceinline__ void load_cells(const kn_cuda_problem &p, const operation &o, float unit,
                                                  int first, uint32_t *to, float *units)
{
    for (int c = threadIdx.x / WARP; c < M * CELLS_ACROSS; c += blockDim.x / WARP) {
        const int at = min(first + c, o.total - 1);
        const float down = load_cell<P, M>(p, o, o.list ? o.list[at] : at, c, to);
        if (threadIdx.x % WARP == 0)
            units[c] = unit * down;
    }
    __syncthreads();
}

/* The cells from `first` on. */
template <int P, int M, int N>
static __device__ __forceinline__ void operate(const kn_cuda_problem &p, const kn_cuda_operator &op,
                                               const operation &o, int first, uint32_t *in, float *change)
{
    __shared__ float units[M * CELLS_ACROSS];
    const int here = o.total - first < M * CELLS_ACROSS ? o.total - first : M * CELLS_ACROSS,
              steps = kn_cuda_operator_sum(p.size, o.coefficients);
    const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const change_rows rows = {change, change_pitch(P, o.d), changed_nodes(o.d)};
    changes<M, N> d;
    load_cells<P, M>(p, o, op.unit, first, in, units);
    for (int at = warp; at < P * o.d.shares; at += warps) {
        const int parity = at % P, share = at / P;
        const float *matrix = op.propagator + kn_cuda_propagator_share(steps, N, parity * o.d.shares + share);
        multiply<P, M, N>(matrix, steps, in, parity, &d);
        if (o.d.staged) /* the loop has only one pass */
            __syncthreads();
        put_changes<M, N>(d, units, rows, parity, share * N * NODES_ACROSS);
    }
    __syncthreads();
    for (int c = warp; c < here; c += warps) {
        const int64_t number = o.list ? o.list[first + c] : first + c;
        float *row = o.h + number * p.mesh.nnodes;
        const changed_row cell = {row, row, change + c * rows.cell, rows.parity};
        const float *errors = o.errors ? o.errors + number * KN_CUDA_ERRORS : NULL;
        change_cell<P>(p, op.correction, cell, o.times, o.octant, errors);
    }
}

template <int P, int M, int N>
static __global__ void __launch_bounds__(WARP *MOST)
    operator_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_operator op,
                    const __grid_constant__ operation o)
{
    extern __shared__ __align__(16) float shared[];
    const int64_t parities = parity_words(P, kn_cuda_operator_sum(p.size, o.coefficients), o.d);
    float *const scratch = o.scratch + blockIdx.x * (parities + change_floats(P, o.d)),
                 *const change = o.d.staged ? shared : scratch + parities;
    uint32_t *const in = (uint32_t *)(o.d.staged ? shared : scratch);
    allow_next_kernel();
    if (blockIdx.x >= o.whole) {
        operate<P, 1, N>(p, op, o, (o.whole * M + blockIdx.x - o.whole) * CELLS_ACROSS, in, change);
        return;
    }
    for (int first = blockIdx.x * M * CELLS_ACROSS; first < o.total; first += o.whole * M * CELLS_ACROSS) {
        operate<P, M, N>(p, op, o, first, in, change);
        __syncthreads();
        if (o.d.staged)
            return;
    }
}

/* M x N products are held in registers, at most 16, and N is one of a few numbers. Short rows are one
 * share of 8 tiles, as in the march. */
static division divide(const kn_cuda_problem *p, int across)
{
    const int tiles = kn_cuda_operator_tiles(p->size), most = 16 / across;
    division d = {across, most};
    if (tiles <= 8 || (tiles + 7) / 8 * p->mesh.octants <= MOST)
        d.tiles = 8;
    if (across == 2 && tiles > 21 && tiles <= 28)
        d.tiles = 7;
    d.shares = (tiles + d.tiles - 1) / d.tiles;
    d.warps = d.shares * p->mesh.octants < MOST ? d.shares * p->mesh.octants : MOST;
    return d;
}

/* The words of the parities; a gas that is not linearised has a quadratic part. */
static int64_t all_words(const kn_cuda_problem *p, const division *d)
{
    return parity_words(p->mesh.octants, kn_cuda_operator_sum(p->size, p->eps > 0), *d);
}

static size_t staged_bytes(const kn_cuda_problem *p, const division *d)
{
    const int64_t parities = all_words(p, d), changes = change_floats(p->mesh.octants, *d);
    return (size_t)(parities > changes ? parities : changes) * sizeof(float);
}

/* 32 cells per block if their changes fit into registers and the data fit into shared memory, otherwise
 * 16; the parities of long rows are in device memory. */
static division division_of(const kn_cuda_problem *p)
{
    for (int across = 2; across > 0; across--) {
        division d = divide(p, across);
        d.staged = d.shares * p->mesh.octants <= MOST && staged_bytes(p, &d) <= p->shared_limit;
        if (d.staged || across == 1)
            return d;
    }
    return division{};
}

/* Blocks that share the scratch memory. */
static int scratch_blocks(const kn_cuda_problem *p, const division *d)
{
    return d->staged ? 0 : p->multiprocessors;
}

size_t kn_cuda_operator_scratch(const struct kn_cuda_problem *p)
{
    const division d = division_of(p);
    return (size_t)scratch_blocks(p, &d) * (size_t)(all_words(p, &d) + change_floats(p->mesh.octants, d)) *
           sizeof(float);
}

struct kn_cuda_shares kn_cuda_operator_shares(const struct kn_cuda_problem *p)
{
    const division d = division_of(p);
    return kn_cuda_shares{d.tiles, d.shares};
}

/* Blocks of a kernel, and how many of them have all M x 16 cells. */
struct blocks {
    int all, whole;
};

static blocks blocks_of(const kn_cuda_problem *p, const division *d, int total, int resident)
{
    const int cells = d->across * CELLS_ACROSS, groups = (total + cells - 1) / cells,
              card = resident * p->multiprocessors, rest = groups % card;
    if (!d->staged) { /* as many as have scratch memory; each processes several groups */
        const int most = scratch_blocks(p, d), some = groups < most ? groups : most;
        return blocks{some, some};
    }
    if (d->across == 1 || rest == 0 || 2 * rest > card)
        return blocks{groups, groups};
    const int left = total - (groups - rest) * cells;
    return blocks{groups - rest + (left + CELLS_ACROSS - 1) / CELLS_ACROSS, groups - rest};
}

template <int P, int M, int N>
static cudaError_t launch(const kn_cuda_problem *p, const kn_cuda_operator *op, operation o,
                          cudaStream_t stream)
{
    const auto kernel = operator_kernel<P, M, N>;
    const size_t bytes = o.d.staged ? staged_bytes(p, &o.d) : 0;
    const int threads = WARP * o.d.warps;
    int resident = 1;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, bytes);
    if (status != cudaSuccess)
        return status;
    const blocks b = blocks_of(p, &o.d, o.total, resident > 0 ? resident : 1);
    o.whole = b.whole;
    kernel<<<(unsigned)b.all, threads, bytes, stream>>>(*p, *op, o);
    return cudaGetLastError();
}

template <int P>
static cudaError_t launch_tiles(const kn_cuda_problem *p, const kn_cuda_operator *op, operation o,
                                cudaStream_t stream)
{
    if (o.d.across == 2)
        return o.d.tiles == 7 ? launch<P, 2, 7>(p, op, o, stream) : launch<P, 2, 8>(p, op, o, stream);
    return o.d.tiles == 8 ? launch<P, 1, 8>(p, op, o, stream) : launch<P, 1, 16>(p, op, o, stream);
}

cudaError_t kn_cuda_operate(const struct kn_cuda_problem *p, const struct kn_cuda_operator *op,
                            const struct kn_cuda_operation *what, cudaStream_t stream)
{
    const float acts = p->source ? 1.0f : 0.0f;
    const operation o = {.from = what->from,
                         .h = what->h,
                         .list = what->list,
                         .total = what->total,
                         .times = {acts * (float)what->before, acts * (float)what->after},
                         .octant = what->octant,
                         .scratch = op->scratch,
                         .d = division_of(p),
                         .coefficients = op->coefficients,
                         .errors = op->errors};
    switch (p->mesh.octants) {
    case 1:
        return launch_tiles<1>(p, op, o, stream);
    case 2:
        return launch_tiles<2>(p, op, o, stream);
    case 4:
        return launch_tiles<4>(p, op, o, stream);
    default:
        return launch_tiles<8>(p, op, o, stream);
    }
}
