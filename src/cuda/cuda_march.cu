/* Streaming above first order, alone or with linearised BGK or the operator: a march through tiles of cells.
 */
#include "cuda/cuda_march_tiles.h"

#include "cuda/cuda_deviation.h"

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
 * cuda_operator.cu, but all nodes at once. `errors` of the gain of the quadratic part, already in the rows,
 * are removed too; it may be NULL. */
static __device__ __forceinline__ void change_cells(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                    const float *tile, const float *changes,
                                                    const lost_cells &lost, const gain_errors *errors,
                                                    const int cells[TILES * CELLS])
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
        const bool first = k == 0, gained = errors && first;
        invariant_sums sum = gained ? errors[c].sum : invariant_sums{0, 0, {0, 0, 0}};
        const float missing = (first ? lost_in(lost, c) : 0.0f) + (gained ? errors[c].lost : 0.0f);
        float rounded[4] = {0, 0, 0, 0};
        four d[QUADRANTS] = {}, h[QUADRANTS] = {};
        if (active) {
            read_changes<QUADRANTS>(row, k, d);
            read_octants<QUADRANTS>(p, row.old, k, h);
            add_errors<QUADRANTS>(n, d, &sum);
        }
        sum_lanes<QUADRANTS, LANES>(&sum);
        apply_change<QUADRANTS>(n, correction_of<QUADRANTS>(p, s.op.correction, sum), d, h, rounded);
        restore_mass<LANES, QUADRANTS>(n, rounded, missing, heavy, s.heavy / p.mesh.stride, h);
        if (active && cells[c] >= 0)
            write_octants<QUADRANTS>(p, row.to, k, h);
    }
}

/* The rows of 16 cells, which the result may overwrite, as parities, and the coefficients of the quadratic
 * part, or NULL; LANES threads per cell. `units`: of the changes of the cells. */
static __device__ __forceinline__ void put_cells(const kn_cuda_problem &p, const float *rows,
                                                 const float *local, float unit, uint32_t *parities,
                                                 float *units)
{
    enum { ROUNDS = TILES * CELLS * LANES / SHORT, BY_PLACE = shape<axes_of(QUADRANTS)>::BY_PLACE };
    const int lane = threadIdx.x % LANES, k = 4 * lane, first = threadIdx.x / LANES;
    four h[ROUNDS][QUADRANTS] = {};
#pragma unroll
    for (int i = 0; i < ROUNDS; i++)
        if (k < p.size)
            read_cell(p.mesh, rows, first + i * SHORT / LANES, k, h[i]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ROUNDS; i++) {
        const int c = first + i * SHORT / LANES;
        float most = local ? largest(read4(local + c * BY_PLACE + k), 0) : 0.0f;
#pragma unroll
        for (int j = 0; j < 4 * QUADRANTS; j++) { /* padding may be arbitrary */
            h[i][j / 4].v[j % 4] = k + j % 4 < p.size ? h[i][j / 4].v[j % 4] : 0.0f;
            most = fmaxf(most, fabsf(h[i][j / 4].v[j % 4]));
        }
        const cell_scale scale = scale_of<LANES>(most);
        if (k < kn_cuda_operator_sum(p.size, false) * NODES_ALONG)
            put_parities<QUADRANTS, 1>(h[i], scale.up, c, k, parities);
        if (local)
            put_polynomials<QUADRANTS, 1>(local + c * BY_PLACE, lane, scale.up, c, p.size, parities);
        if (lane == 0)
            units[c] = unit * scale.down;
    }
    __syncthreads();
}

/* The quadratic part in 16 cells; the rest of their deviation is stored as rows. */
static __device__ __forceinline__ void deviate_cells(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                     int cell, const deviation_space &space, float *tile,
                                                     float *rests, gain_errors errors[TILES * CELLS])
{
    enum { THREADS_OF_CELL = SHORT / (TILES * CELLS) };
    const int c = threadIdx.x / THREADS_OF_CELL, stride = p.mesh.stride;
    float *const to = rests + c * p.mesh.nnodes;
    const gain_errors e = deviate<axes_of(QUADRANTS), TILES * CELLS>(
        p, s.quadratic, space, cell, tile + c * p.mesh.nnodes, [=](int, int k, const float *rest) {
#pragma unroll
            for (int o = 0; o < QUADRANTS; o++)
                to[o * stride + k] = rest[o];
        });
    if (threadIdx.x % THREADS_OF_CELL == 0)
        errors[c] = e;
    __syncthreads();
}

/* The operator on the parities of 16 cells, one parity per warp. The result, in the same place, are the
 * changes of the cells. */
static __device__ __forceinline__ void multiply_cells(const float *propagator, int steps, const float *units,
                                                      float *parities)
{
    enum { ALL = KN_CUDA_SHORT / NODES_ACROSS };
    const int parity = threadIdx.x / WARP;
    changes<1, ALL> d;
    multiply<QUADRANTS, 1, ALL>(propagator + kn_cuda_propagator_share(steps, ALL, parity), steps,
                                (const uint32_t *)parities, parity, &d);
    __syncthreads();
    put_changes<1, ALL>(d, units, change_rows{parities, CHANGES, KN_CUDA_SHORT}, parity, 0);
    __syncthreads();
}

/* What follows the streaming: free flight or linearised BGK, the operator, or the operator after the
 * quadratic part. */
enum short_collision { RELAXES, OPERATES, DEVIATES };

/* The operator for 16 cells. Cells that do not exist contain arbitrary numbers, which neither mix with others
 * nor are stored. Shared memory: tiles, parities, memory of the quadratic part; the parities may overwrite
 * the nodes of the quadratic part. */
template <short_collision COLLISION, reach REACH>
static __device__ __forceinline__ void operate_cells(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                     int whole, const lost_cells &lost, float *tiles)
{
    __shared__ int cells[TILES * CELLS];
    __shared__ float units[TILES * CELLS];
    __shared__ gain_errors errors[COLLISION == DEVIATES ? TILES * CELLS : 1];
    float *const parities = tiles + TILES * CELLS * p.mesh.nnodes;
    const deviation_space space =
        deviation_space_of<axes_of(QUADRANTS), TILES * CELLS>(s.quadratic, parities + PARITY_ROOM, parities);
    if (threadIdx.x < TILES * CELLS)
        cells[threadIdx.x] = cell_of<REACH>(p, s, whole, threadIdx.x);
    if (COLLISION == DEVIATES)
        deviate_cells(p, s, cell_of<REACH>(p, s, whole, threadIdx.x / (SHORT / (TILES * CELLS))), space,
                      tiles, parities, errors);
    put_cells(p, COLLISION == DEVIATES ? parities : tiles, COLLISION == DEVIATES ? space.local : NULL,
              s.op.unit, (uint32_t *)parities, units);
    multiply_cells(s.op.propagator, kn_cuda_operator_sum(p.size, COLLISION == DEVIATES), units, parities);
    change_cells(p, s, tiles, parities, lost, COLLISION == DEVIATES ? errors : NULL, cells);
}

template <int LIMITER, short_collision COLLISION, reach REACH>
static __global__ void __launch_bounds__(SHORT, SHORT_BLOCKS)
    short_march_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                       double lose, int whole)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ lost_cells lost;
    __shared__ int around[TILES][REACH == AT_RIM ? AROUND : 1];
    allow_next_kernel();
    const long long start = clock64();
    stream_short_block<LIMITER, REACH>(p, s, whole, tiles, around, &lost);
    const long long middle = clock64();
    if (COLLISION == RELAXES)
        relax_cells<REACH>(p, s, lose, whole, tiles, lost);
    else
        operate_cells<COLLISION, REACH>(p, s, whole, lost, tiles);
    wait_for_previous_kernel();
    note_cycles(p, REACH != AT_RIM && blockIdx.x == 0, start, middle);
}

/* Tiles, two per block for short rows, the parities of their cells, and the memory of the quadratic part. */
size_t kn_cuda_march_bytes(const struct kn_cuda_problem *p, const struct kn_cuda_quadratic *q)
{
    const size_t tile = CELLS * (size_t)p->mesh.nnodes * sizeof(float);
    const int kept = q->exists ? kept_floats<axes_of(QUADRANTS)>(*q, TILES * CELLS) : 0;
    if (p->choice.collisions == KN_CUDA_RELAX)
        return kn_cuda_march_relax_bytes(p);
    return tile * (p->choice.short_rows ? TILES : 1) +
           (p->choice.march_collides ? (size_t)(PARITY_ROOM + kept) * sizeof(float) : 0);
}

template <int LIMITER, reach REACH>
static cudaError_t launch_reach(const kn_cuda_problem *p, const kn_cuda_step *s, int tiles,
                                cudaStream_t stream)
{
    const int quads = p->mesh.stride / 4, threads = (quads + WARP - 1) / WARP * WARP;
    if (p->choice.short_rows)
        return launch_short_march(!p->choice.march_collides ? short_march_kernel<LIMITER, RELAXES, REACH>
                                  : s->quadratic.exists     ? short_march_kernel<LIMITER, DEVIATES, REACH>
                                                            : short_march_kernel<LIMITER, OPERATES, REACH>,
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
