/* Streaming above first order, alone or with linearised BGK or the operator: a march through tiles of cells.
 */
#include "cuda/cuda_march_tiles.h"

/* The targets of the relaxation in the cells of a tile. */
template <int MOST> struct tile_targets {
    sums found[CELLS][MOST / WARP];
    polynomial target[CELLS];
};

template <int MOST>
static __device__ __forceinline__ void
find_targets(const kn_cuda_problem &p, const octant_nodes<QUADRANTS> &n, double lose, const float *tile,
             int k, bool active, tile_targets<MOST> *t)
{
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
#pragma unroll 2
    for (int c = 0; c < CELLS; c++) {
        four h[QUADRANTS] = {};
        if (active)
            read_cell(p.mesh, tile, c, k, h);
        sums sum = sums_of<QUADRANTS>(n, h);
        sum_lanes<WARP, axes_of(QUADRANTS)>(&sum);
        if (lane == 0)
            t->found[c][warp] = sum;
    }
    __syncthreads();
    if (threadIdx.x < CELLS) {
        sums sum = t->found[threadIdx.x][0];
        for (int w = 1; w < warps; w++) {
            sum.mass += t->found[threadIdx.x][w].mass;
            sum.energy += t->found[threadIdx.x][w].energy;
            for (int j = 0; j < axes_of(QUADRANTS); j++)
                sum.momentum[j] += t->found[threadIdx.x][w].momentum[j];
        }
        t->target[threadIdx.x] = target_of<axes_of(QUADRANTS)>(p, sum, lose);
    }
    __syncthreads();
}

/* Relax the cells of a tile, restore the mass lost by round-off, and store them. */
template <int MOST>
static __device__ __forceinline__ void relax_tile(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                  double lose, const float *tile, int cell,
                                                  const float lost[ROWS][COLUMNS], tile_targets<MOST> *t)
{
    const int k = 4 * threadIdx.x;
    const bool active = k < p.mesh.stride;
    const octant_nodes<QUADRANTS> n = octant_nodes_of<QUADRANTS>(p, active ? k : 0);
    if (p.choice.collisions == KN_CUDA_PROJECT)
        find_targets<MOST>(p, n, lose, tile, k, active, t);
    const int heavy = heaviest<WARP>(active ? n.w.v[0] : 0.0f);
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        four h[QUADRANTS] = {};
        float relaxed[4] = {0, 0, 0, 0};
        if (active)
            read_cell(p.mesh, tile, c, k, h);
        if (p.choice.collisions == KN_CUDA_PROJECT && active)
            relax<QUADRANTS>(n, t->target[c], (float)lose, h, relaxed);
        restore_mass<WARP, QUADRANTS>(n, relaxed, lost[c / COLUMNS][c % COLUMNS], heavy,
                                      s.heavy / p.mesh.stride, h);
        const int64_t row = (int64_t)(cell + c % COLUMNS + p.inner.across * (c / COLUMNS)) * p.mesh.nnodes;
#pragma unroll
        for (int o = 0; o < QUADRANTS; o++)
            if (active)
                write4(s.next + row + o * p.mesh.stride + k, h[o]);
    }
}

template <int LIMITER, int MOST, reach REACH>
static __global__ void __launch_bounds__(MOST, MOST > 128 ? 1 : 384 / MOST)
    march_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                 double lose, int whole)
{
    extern __shared__ __align__(16) float tile[];
    __shared__ tile_targets<MOST> targets;
    __shared__ int around[REACH == AT_RIM ? AROUND : 1];
    const tile_place here = place_of<REACH>(p, s, blockIdx.x);
    float lost[ROWS][COLUMNS] = {};
    allow_next_kernel();
    const long long start = clock64();
    const int thread[2] = {(int)threadIdx.x, (int)blockDim.x};
    stream_by<LIMITER, REACH>(p, s, here, thread, tile, around, lost);
    const long long middle = clock64();
    relax_tile<MOST>(p, s, lose, tile, here.cell, lost, &targets);
    wait_for_previous_kernel();
    note_cycles(p, REACH != AT_RIM && blockIdx.x == 0, start, middle);
}

/* Relaxation by LANES threads per cell. */
template <reach REACH>
static __device__ __forceinline__ void relax_cells(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                   double lose, int whole, const float *tile,
                                                   const lost_cells &lost)
{
    const int k = 4 * (threadIdx.x % LANES);
    const bool active = k < p.mesh.stride;
    const octant_nodes<QUADRANTS> n = octant_nodes_of<QUADRANTS>(p, active ? k : 0);
    const int heavy = heaviest<LANES>(active ? n.w.v[0] : 0.0f);
#pragma unroll
    for (int c = threadIdx.x / LANES; c < TILES * CELLS; c += SHORT / LANES) {
        four h[QUADRANTS] = {};
        float relaxed[4] = {0, 0, 0, 0};
        const int cell = cell_of<REACH>(p, s, whole, c);
        if (active)
            read_cell(p.mesh, tile, c, k, h);
        if (p.choice.collisions == KN_CUDA_PROJECT) {
            sums sum = sums_of<QUADRANTS>(n, h);
            sum_lanes<LANES, axes_of(QUADRANTS)>(&sum);
            if (active)
                relax<QUADRANTS>(n, target_of<axes_of(QUADRANTS)>(p, sum, lose), (float)lose, h, relaxed);
        }
        restore_mass<LANES, QUADRANTS>(n, relaxed, k == 0 ? lost_in(lost, c) : 0.0f, heavy,
                                       s.heavy / p.mesh.stride, h);
#pragma unroll
        for (int o = 0; o < QUADRANTS; o++)
            if (active && cell >= 0)
                write4(s.next + (int64_t)cell * p.mesh.nnodes + o * p.mesh.stride + k, h[o]);
    }
}

/* Distance in floats between the changes of cells, chosen to avoid bank conflicts, and shared memory for
 * them or for the parities before. */
enum { CHANGES = QUADRANTS * KN_CUDA_SHORT + 8, PARITY_ROOM = TILES * CELLS * CHANGES };

/* Add the changes to the rows of the cells, with LANES threads per cell; as change_cell in
 * cuda_operator.cu, but all nodes at once. */
static __device__ __forceinline__ void change_cells(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                    const float *tile, const float *changes,
                                                    const lost_cells &lost, const int cells[TILES * CELLS])
{
    const int k = 4 * (threadIdx.x % LANES);
    const bool active = k < p.mesh.stride;
    const octant_nodes<QUADRANTS> n = octant_nodes_of<QUADRANTS>(p, active ? k : 0);
    const int heavy = heaviest<LANES>(active ? n.w.v[0] : 0.0f);
#pragma unroll
    for (int i = 0; i < TILES * CELLS * LANES / SHORT; i++) {
        const int c = threadIdx.x / LANES + i * SHORT / LANES;
        const changed_row row = {tile + c * p.mesh.nnodes,
                                 s.next + (int64_t)(cells[c] < 0 ? 0 : cells[c]) * p.mesh.nnodes,
                                 changes + c * CHANGES, KN_CUDA_SHORT};
        invariant_errors sum = {0, 0, {0, 0, 0}};
        float rounded[4] = {0, 0, 0, 0};
        four d[QUADRANTS] = {}, h[QUADRANTS] = {};
        if (active) {
            read_changes<QUADRANTS>(row, k, d);
            read_octants<QUADRANTS>(p, row.old, k, h);
            add_errors<QUADRANTS>(n, d, &sum);
        }
        sum_lanes<QUADRANTS, LANES>(&sum);
        apply_change<QUADRANTS>(n, correction_of<QUADRANTS>(p, s.op.correction, sum), d, h, rounded);
        restore_mass<LANES, QUADRANTS>(n, rounded, k == 0 ? lost_in(lost, c) : 0.0f, heavy,
                                       s.heavy / p.mesh.stride, h);
        if (active && cells[c] >= 0)
            write_octants<QUADRANTS>(p, row.to, k, h);
    }
}

/* The operator for 16 cells, one parity per warp. Cells that do not exist contain arbitrary numbers, which
 * neither mix with others nor are stored. */
template <reach REACH>
static __device__ __forceinline__ void operate_cells(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                     int whole, const float *tile, const lost_cells &lost,
                                                     float *parities, int cells[TILES * CELLS])
{
    enum { ALL = KN_CUDA_SHORT / NODES_ACROSS };
    const int quads = p.mesh.stride / 4, parity = threadIdx.x / WARP, steps = kn_cuda_operator_steps(p.size);
    for (int i = threadIdx.x; i < TILES * CELLS * quads; i += SHORT) {
        const int c = i / quads, k = 4 * (i - c * quads);
        four h[QUADRANTS];
        read_cell(p.mesh, tile, c, k, h);
        put_parities<QUADRANTS, 1>(h, c, k, parities);
    }
    if (threadIdx.x < TILES * CELLS)
        cells[threadIdx.x] = cell_of<REACH>(p, s, whole, threadIdx.x);
    __syncthreads();
    changes<1, ALL> d;
    multiply<QUADRANTS, 1, ALL>(s.op.propagator + kn_cuda_propagator_share(steps, ALL, parity), steps,
                                parities, parity, &d);
    __syncthreads();
    put_changes<1, ALL>(d, change_rows{parities, CHANGES, KN_CUDA_SHORT}, parity, 0);
    __syncthreads();
    change_cells(p, s, tile, parities, lost, cells);
}

template <int LIMITER, bool OPERATES, reach REACH>
static __global__ void __launch_bounds__(SHORT, SHORT_BLOCKS)
    short_march_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                       double lose, int whole)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ lost_cells lost;
    __shared__ int cells[TILES * CELLS], around[TILES][REACH == AT_RIM ? AROUND : 1];
    allow_next_kernel();
    const long long start = clock64();
    stream_short_block<LIMITER, REACH>(p, s, whole, tiles, around, &lost);
    const long long middle = clock64();
    if (OPERATES)
        operate_cells<REACH>(p, s, whole, tiles, lost, tiles + TILES * CELLS * p.mesh.nnodes, cells);
    else
        relax_cells<REACH>(p, s, lose, whole, tiles, lost);
    wait_for_previous_kernel();
    note_cycles(p, REACH != AT_RIM && blockIdx.x == 0, start, middle);
}

/* Tiles, two per block for short rows, and the parities of their cells. */
size_t kn_cuda_march_bytes(const struct kn_cuda_problem *p)
{
    const size_t tile = CELLS * (size_t)p->mesh.nnodes * sizeof(float);
    if (p->choice.collisions == KN_CUDA_RELAX)
        return kn_cuda_march_relax_bytes(p);
    return tile * (p->choice.short_rows ? TILES : 1) +
           (p->choice.march_collides ? PARITY_ROOM * sizeof(float) : 0);
}

template <int LIMITER, reach REACH>
static cudaError_t launch_reach(const kn_cuda_problem *p, const kn_cuda_step *s, int tiles,
                                cudaStream_t stream)
{
    const int quads = p->mesh.stride / 4, threads = (quads + WARP - 1) / WARP * WARP;
    if (p->choice.short_rows)
        return launch_short_march(p->choice.march_collides ? short_march_kernel<LIMITER, true, REACH>
                                                           : short_march_kernel<LIMITER, false, REACH>,
                                  p, s, tiles, stream);
    return launch_march(quads <= WARP  ? march_kernel<LIMITER, WARP, REACH>
                        : quads <= 128 ? march_kernel<LIMITER, 128, REACH>
                        : quads <= 256 ? march_kernel<LIMITER, 256, REACH>
                                       : march_kernel<LIMITER, WARP * MOST_WARPS, REACH>,
                        p, s, tiles, tiles, threads, stream);
}

template <int LIMITER>
static cudaError_t launch_limiter(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    if (!s->tiles)
        return launch_reach<LIMITER, ALONE>(p, s, p->inner.tiles[0] * p->inner.tiles[1], stream);
    if (s->ntiles == 0)
        return cudaSuccess;
    return s->rim ? launch_reach<LIMITER, AT_RIM>(p, s, s->ntiles, stream)
                  : launch_reach<LIMITER, INSIDE>(p, s, s->ntiles, stream);
}

cudaError_t kn_cuda_march(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream)
{
    if (p->choice.collisions == KN_CUDA_RELAX)
        return kn_cuda_march_relax(p, s, stream);
    return p->limiter == KN_LIMITER_NONE ? launch_limiter<KN_LIMITER_NONE>(p, s, stream)
                                         : launch_limiter<KN_LIMITER_VAN_LEER>(p, s, stream);
}
