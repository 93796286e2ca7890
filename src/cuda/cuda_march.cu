/* Second-order streaming, alone or with collisions: a march through tiles of cells (cuda_march.h), which are
 * kept in shared memory for the collisions. */
#include "cuda/cuda_march.h"
#include "cuda/cuda_relax.h"

static __device__ __forceinline__ void read_cell(const kn_mesh &m, const float *tile, int c, int k,
                                                 four h[QUADRANTS])
{
#pragma unroll
    for (int o = 0; o < QUADRANTS; o++)
        h[o] = read4(tile + c * m.nnodes + o * m.stride + k);
}

/* What a march does with cells that it has streamed; PROJECTS: nothing, or linearised BGK. */
enum fate { PROJECTS, RELAXES, OPERATES };

/* Shared memory for the collisions of a tile: sums over its cells, by warps, and the polynomials towards which
 * they relax, or by which they are corrected. */
template <int MOST, fate FATE> struct tile_space;
template <int MOST> struct tile_space<MOST, PROJECTS> {
    sums found[CELLS][MOST / WARP];
    polynomial target[CELLS];
};
template <int MOST> struct tile_space<MOST, RELAXES> {
    relaxing_space<QUADRANTS, MOST / WARP> of[CELLS];
    polynomial target[CELLS];
};

/* The nodes of a thread in a tile. */
struct tile_nodes {
    relaxed_nodes<QUADRANTS> r;
    int k;
    float *tile; /* [CELLS][nnodes] */
};

template <int MOST>
static __device__ __forceinline__ void find_targets(const kn_cuda_problem &p, double lose, const tile_nodes &t,
                                                    tile_space<MOST, PROJECTS> *space)
{
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
#pragma unroll 2
    for (int c = 0; c < CELLS; c++) {
        four h[QUADRANTS] = {};
        if (t.r.works)
            read_cell(p.mesh, t.tile, c, t.k, h);
        sums sum = sums_of<QUADRANTS>(t.r.n, h);
        sum_lanes<WARP, axes_of(QUADRANTS)>(&sum);
        if (lane == 0)
            space->found[c][warp] = sum;
    }
    __syncthreads();
    if (threadIdx.x < CELLS) {
        sums sum = space->found[threadIdx.x][0];
        for (int w = 1; w < warps; w++) {
            sum.mass += space->found[threadIdx.x][w].mass;
            sum.energy += space->found[threadIdx.x][w].energy;
            for (int j = 0; j < axes_of(QUADRANTS); j++)
                sum.momentum[j] += space->found[threadIdx.x][w].momentum[j];
        }
        space->target[threadIdx.x] = target_of<axes_of(QUADRANTS)>(p, sum, lose);
    }
    __syncthreads();
}

/* Sums of the cells of a tile after half a step of the sources. */
template <int MOST>
static __device__ __forceinline__ void sum_tile(const kn_cuda_problem &p, double dt, const tile_nodes &t,
                                                tile_space<MOST, RELAXES> *space)
{
#pragma unroll 2
    for (int c = 0; c < CELLS; c++) {
        four h[QUADRANTS] = {};
        float sum[count_sums(QUADRANTS)] = {};
        if (t.r.works)
            read_cell(p.mesh, t.tile, c, t.k, h);
#pragma unroll
        for (int o = 0; o < QUADRANTS; o++)
            if (t.r.works && p.source) {
                h[o] = driven(p, dt, h[o], o, t.k);
                write4(t.tile + c * p.mesh.nnodes + o * p.mesh.stride + t.k, h[o]);
            }
        add_sums<QUADRANTS>(t.r.n, h, sum);
        sum_into<count_sums(QUADRANTS), WARP>(sum, space->of[c].found[threadIdx.x / WARP]);
    }
}

/* Relax the cells of a tile in shared memory. The same code for all cells: none depends on its position. */
template <int MOST>
static __device__ __forceinline__ void change_tile(const kn_cuda_problem &p, const tile_nodes &t, float4 *tables,
                                                   tile_space<MOST, RELAXES> *space)
{
#pragma unroll 1
    for (int c = 0; c < CELLS; c++) {
        const relaxing_cell cell = {&space->of[c].relaxation, tables + c * p.tables.entries};
        float change[count_changes(QUADRANTS)] = {};
        if (t.r.works) {
            const folded_parts folded = folded_parts_of(p, cell, t.r.at);
#pragma unroll 1
            for (int o = 0; o < QUADRANTS; o++) {
                float *const row = t.tile + c * p.mesh.nnodes + o * p.mesh.stride + t.k;
                four h = read4(row);
                relax_octant<QUADRANTS>(p, cell, t.r, folded, o, &h, change);
                write4(row, h);
            }
        }
        sum_into<count_changes(QUADRANTS), WARP>(change, space->of[c].changed[threadIdx.x / WARP]);
    }
}

/* Model equations and sources in a tile, up to the correction. */
template <int MOST>
static __device__ __forceinline__ void relax_tile(const kn_cuda_problem &p, double dt, const tile_nodes &t,
                                                  float4 *tables, tile_space<MOST, RELAXES> *space)
{
    const int warps = blockDim.x / WARP;
    sum_tile<MOST>(p, dt, t, space);
    __syncthreads();
    if (threadIdx.x < CELLS && p.method != KN_METHOD_NONE)
        space->of[threadIdx.x].relaxation =
            relaxation_of<QUADRANTS>(p, dt, space->of[threadIdx.x].found[0], warps);
    __syncthreads();
    if (p.method == KN_METHOD_NONE)
        return;
    for (int i = threadIdx.x; i < CELLS * p.tables.entries; i += blockDim.x) {
        const int c = i / p.tables.entries;
        fill_entry(p, relaxing_cell{&space->of[c].relaxation, tables + c * p.tables.entries},
                   i - c * p.tables.entries);
    }
    __syncthreads();
    change_tile<MOST>(p, t, tables, space);
    __syncthreads();
    if (threadIdx.x < CELLS)
        space->target[threadIdx.x] =
            correction_of<QUADRANTS>(p, space->of[threadIdx.x].changed[0], warps);
    __syncthreads();
}

/* How a tile ends. */
struct tile_end {
    bool relaxes; /* towards the polynomials, or is corrected by them */
    float lose;   /* share of h that is lost; 0 for a correction */
    double dt;    /* of sources; 0: none */
};

template <int MOST>
static __device__ __forceinline__ tile_end collide_tile(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                        double lose, const tile_nodes &t,
                                                        tile_space<MOST, PROJECTS> *space)
{
    const bool relaxes = p.choice.collisions == KN_CUDA_PROJECT;
    if (relaxes)
        find_targets<MOST>(p, lose, t, space);
    return tile_end{relaxes, (float)lose, 0};
}

/* The tables follow the tile in shared memory. */
template <int MOST>
static __device__ __forceinline__ tile_end collide_tile(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                        double lose, const tile_nodes &t,
                                                        tile_space<MOST, RELAXES> *space)
{
    relax_tile<MOST>(p, s.dt_collide, t, (float4 *)(t.tile + CELLS * p.mesh.nnodes), space);
    return tile_end{p.method != KN_METHOD_NONE, 0, s.dt_collide};
}

/* Add the polynomials to the cells of a tile, restore the mass lost by round-off, and store the cells. */
static __device__ __forceinline__ void store_tile(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                  const tile_nodes &t, const tile_end &end, int cell,
                                                  const polynomial target[CELLS],
                                                  const float lost[ROWS][COLUMNS])
{
    const octant_nodes<QUADRANTS> &n = t.r.n;
    const int heavy = heaviest<WARP>(t.r.works ? n.w.v[0] : 0.0f);
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        four h[QUADRANTS] = {};
        float relaxed[4] = {0, 0, 0, 0};
        if (t.r.works)
            read_cell(p.mesh, t.tile, c, t.k, h);
        if (end.relaxes && t.r.works)
            relax<QUADRANTS>(n, target[c], end.lose, h, relaxed);
        restore_mass<WARP, QUADRANTS>(n, relaxed, lost[c / COLUMNS][c % COLUMNS], heavy,
                                      s.heavy / p.mesh.stride, h);
        const int64_t row = (int64_t)(cell + c % COLUMNS + p.inner.across * (c / COLUMNS)) * p.mesh.nnodes;
#pragma unroll
        for (int o = 0; o < QUADRANTS; o++)
            if (t.r.works)
                write4(s.next + row + o * p.mesh.stride + t.k,
                       end.dt > 0 ? driven(p, end.dt, h[o], o, t.k) : h[o]);
    }
}

/* Lowest cell of the tile at this position of the march; tiles at walls, which may have to wait, come
 * late. */
struct tile_place {
    int cell, walls;
    bool exists;
};

static __device__ __forceinline__ tile_place place_in_space(const kn_cuda_problem &p, int at)
{
    const int ntiles = p.inner.tiles[0] * p.inner.tiles[1],
              chosen = at < ntiles ? (at + ntiles / 2 + p.inner.tiles[0] / 2) % ntiles : ntiles - 1;
    const int place[2] = {chosen % p.inner.tiles[0], chosen / p.inner.tiles[0]};
    return tile_place{p.inner.first[0] + COLUMNS * place[0] +
                          p.inner.across * (p.inner.first[1] + ROWS * place[1]),
                      walls_around(p, place), at < ntiles};
}

template <reach REACH>
static __device__ __forceinline__ int count_tiles(const kn_cuda_problem &p, const kn_cuda_step &s)
{
    return REACH == ALONE ? p.inner.tiles[0] * p.inner.tiles[1] : s.ntiles;
}

template <reach REACH>
static __device__ __forceinline__ tile_place place_of(const kn_cuda_problem &p, const kn_cuda_step &s, int at)
{
    if (REACH == ALONE)
        return place_in_space(p, at);
    const kn_cuda_tile tile = s.tiles[at < s.ntiles ? at : s.ntiles - 1];
    return tile_place{tile.cell, tile.walls, at < s.ntiles};
}

template <int MOST, fate FATE, reach REACH>
static __global__ void __launch_bounds__(MOST, MOST > 128 ? 1 : 384 / MOST)
    march_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                 double lose, int whole)
{
    extern __shared__ __align__(16) float tile[];
    __shared__ tile_space<MOST, FATE> space;
    __shared__ int around[REACH == AT_RIM ? AROUND : 1];
    const tile_place here = place_of<REACH>(p, s, blockIdx.x);
    const int k = 4 * threadIdx.x;
    const bool active = k < p.mesh.stride;
    float lost[ROWS][COLUMNS] = {};
    allow_next_kernel();
    const long long start = clock64();
    if (REACH == AT_RIM) {
        look_around(p, here.cell, threadIdx.x, blockDim.x, around);
        __syncthreads();
    }
    const tile_share mine = {here.cell, here.walls, k, 0, QUADRANTS, around};
    if (active && here.walls) {
        wait_for_previous_kernel();
        stream_tile<true, REACH>(p, s, mine, tile, lost);
    } else if (active) {
        stream_tile<false, REACH>(p, s, mine, tile, lost);
    }
    const long long middle = clock64();
    const tile_nodes nodes = {
        relaxed_nodes_of<QUADRANTS>(p, octant_nodes_of<QUADRANTS>(p, active ? k : 0), k, active), k, tile};
    const tile_end end = collide_tile<MOST>(p, s, lose, nodes, &space);
    store_tile(p, s, nodes, end, here.cell, space.target, lost);
    wait_for_previous_kernel();
    note_cycles(p, REACH != AT_RIM && blockIdx.x == 0, start, middle);
}

enum { LANES = KN_CUDA_SHORT / 4, TILES = 2, SHORT = TILES * QUADRANTS * LANES, SHORT_BLOCKS = 4 };

/* Mass lost by round-off in streaming in each cell of the block, by octant. */
struct lost_cells {
    float of[QUADRANTS][TILES * CELLS];
};

static __device__ __forceinline__ void note_lost(float lost[ROWS][COLUMNS], int octant, int tile,
                                                 lost_cells *to)
{
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        float sum = lost[c / COLUMNS][c % COLUMNS];
#pragma unroll
        for (int offset = LANES / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        if (threadIdx.x % LANES == 0)
            to->of[octant][tile * CELLS + c] = sum;
    }
    __syncthreads();
}

static __device__ __forceinline__ float lost_in(const lost_cells &lost, int c)
{
    float sum = 0;
#pragma unroll
    for (int o = 0; o < QUADRANTS; o++)
        sum += lost.of[o][c];
    return sum;
}

/* Tile t of this block: two tiles per block, but one per block in the last wave, which fills only half of
 * the GPU. */
template <reach REACH>
static __device__ __forceinline__ tile_place place_in_block(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                            int whole, int t)
{
    const int b = blockIdx.x, none = count_tiles<REACH>(p, s);
    return place_of<REACH>(p, s, b < whole ? TILES * b + t : t == 0 ? TILES * whole + b - whole : none);
}

/* Number of cell c of the block, or -1. */
template <reach REACH>
static __device__ __forceinline__ int cell_of(const kn_cuda_problem &p, const kn_cuda_step &s, int whole,
                                              int c)
{
    const tile_place at = place_in_block<REACH>(p, s, whole, c / CELLS);
    return at.exists ? at.cell + c % COLUMNS + p.inner.across * (c % CELLS / COLUMNS) : -1;
}

/* Shared memory for model equations: a team of LANES threads relaxes a cell. */
enum { TEAMS = SHORT / LANES };
struct team_space {
    relaxing_space<QUADRANTS, 1> *of; /* [TEAMS] */
    float4 *tables;                   /* [TEAMS][entries] */
};

/* Model equations and sources in a cell, with the correction. */
static __device__ __forceinline__ void relax_team(const kn_cuda_problem &p, double dt,
                                                  const relaxed_nodes<QUADRANTS> &r, const team_space &teams,
                                                  four h[QUADRANTS], float lost[4])
{
    const int team = threadIdx.x / LANES, k = 4 * (threadIdx.x % LANES);
#pragma unroll
    for (int o = 0; o < QUADRANTS; o++)
        if (r.works)
            h[o] = driven(p, dt, h[o], o, k);
    if (p.method == KN_METHOD_NONE)
        return;
    const polynomial x = relax_cell<LANES, QUADRANTS>(p, dt, r, &teams.of[team],
                                                      teams.tables + team * p.tables.entries, h);
    if (r.works)
        relax<QUADRANTS>(r.n, x, 0, h, lost);
}

/* Collisions of the cells of a block by LANES threads per cell, except those of the operator. */
template <fate FATE, reach REACH>
static __device__ __forceinline__ void relax_cells(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                   double lose, int whole, const float *tile,
                                                   const lost_cells &lost, const team_space &teams)
{
    const int k = 4 * (threadIdx.x % LANES), team = threadIdx.x / LANES;
    const bool active = k < p.mesh.stride;
    const octant_nodes<QUADRANTS> n = octant_nodes_of<QUADRANTS>(p, active ? k : 0);
    const int heavy = heaviest<LANES>(active ? n.w.v[0] : 0.0f);
#pragma unroll(FATE == RELAXES ? 1 : TILES * CELLS)
    for (int c = team; c < TILES * CELLS; c += TEAMS) {
        four h[QUADRANTS] = {};
        float relaxed[4] = {0, 0, 0, 0};
        const int cell = cell_of<REACH>(p, s, whole, c);
        if (active)
            read_cell(p.mesh, tile, c, k, h);
        if (FATE == RELAXES) {
            relax_team(p, s.dt_collide, relaxed_nodes_of<QUADRANTS>(p, n, k, active), teams, h, relaxed);
        } else if (p.choice.collisions == KN_CUDA_PROJECT) {
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
                write4(s.next + (int64_t)cell * p.mesh.nnodes + o * p.mesh.stride + k,
                       FATE == RELAXES ? driven(p, s.dt_collide, h[o], o, k) : h[o]);
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

template <fate FATE, reach REACH>
static __global__ void __launch_bounds__(SHORT, SHORT_BLOCKS)
    short_march_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                       double lose, int whole)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ lost_cells lost;
    __shared__ relaxing_space<QUADRANTS, 1> teams[FATE == RELAXES ? TEAMS : 1];
    __shared__ int cells[TILES * CELLS], around[TILES][REACH == AT_RIM ? AROUND : 1];

    const int tile = threadIdx.x / (QUADRANTS * LANES), octant = threadIdx.x / LANES % QUADRANTS,
              k = 4 * (threadIdx.x % LANES);
    const tile_place here = place_in_block<REACH>(p, s, whole, tile);
    float *const mine = tiles + tile * CELLS * p.mesh.nnodes, lost_here[ROWS][COLUMNS] = {};
    allow_next_kernel();
    const long long start = clock64();
    const bool active = k < p.mesh.stride && here.exists;
    if (REACH == AT_RIM) {
        look_around(p, here.cell, threadIdx.x % (QUADRANTS * LANES), QUADRANTS * LANES, around[tile]);
        __syncthreads();
    }
    const tile_share share = {here.cell, here.walls, k, octant, octant + 1, around[tile]};
    if (active && here.walls) {
        wait_for_previous_kernel();
        stream_tile<true, REACH>(p, s, share, mine, lost_here);
    } else if (active) {
        stream_tile<false, REACH>(p, s, share, mine, lost_here);
    }
    note_lost(lost_here, octant, tile, &lost);
    const long long middle = clock64();
    float *const rest = tiles + TILES * CELLS * p.mesh.nnodes;
    if (FATE == OPERATES)
        operate_cells<REACH>(p, s, whole, tiles, lost, rest, cells);
    else
        relax_cells<FATE, REACH>(p, s, lose, whole, tiles, lost, team_space{teams, (float4 *)rest});
    wait_for_previous_kernel();
    note_cycles(p, REACH != AT_RIM && blockIdx.x == 0, start, middle);
}

/* Tiles, two per block for short rows, and the parities of their cells or the tables for eight cells. */
size_t kn_cuda_march_bytes(const struct kn_cuda_problem *p)
{
    const size_t tile = CELLS * (size_t)p->mesh.nnodes * sizeof(float),
                 tables = CELLS * (size_t)p->tables.entries * sizeof(float4);
    return tile * (p->choice.short_rows ? TILES : 1) +
           (p->choice.collisions == KN_CUDA_RELAX ? tables
            : p->choice.march_collides            ? PARITY_ROOM * sizeof(float)
                                                  : 0);
}

typedef void march_function(kn_cuda_problem, kn_cuda_step, double, int);

static cudaError_t launch(march_function *kernel, const kn_cuda_problem *p, const kn_cuda_step *s, int blocks,
                          int whole, int threads, cudaStream_t stream)
{
    const cudaError_t status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    (int)kn_cuda_march_bytes(p));
    if (status != cudaSuccess)
        return status;
    return launch_overlapping(kernel, (unsigned)blocks, threads, kn_cuda_march_bytes(p), stream,
                              s->behind_walls, *p, *s, -expm1(-s->dt_collide), whole);
}

/* Number of blocks with two tiles: as many as fill the GPU completely, and the rest if it fills more than
 * half of it. */
static int whole_blocks(const kn_cuda_problem *p, int tiles)
{
    const int blocks = (tiles + TILES - 1) / TILES, card = SHORT_BLOCKS * p->multiprocessors,
              rest = blocks % card;
    return TILES * rest > card ? blocks : blocks - rest;
}

template <reach REACH>
static cudaError_t launch_reach(const kn_cuda_problem *p, const kn_cuda_step *s, int tiles,
                                cudaStream_t stream)
{
    const int quads = p->mesh.stride / 4, threads = (quads + WARP - 1) / WARP * WARP;
    if (p->choice.short_rows) {
        const int whole = whole_blocks(p, tiles), rest = tiles - TILES * whole;
        return launch(!p->choice.march_collides                  ? short_march_kernel<PROJECTS, REACH>
                      : p->choice.collisions == KN_CUDA_RELAX ? short_march_kernel<RELAXES, REACH>
                                                                 : short_march_kernel<OPERATES, REACH>,
                      p, s, whole + (rest > 0 ? rest : 0), whole, SHORT, stream);
    }
    const bool relaxes = p->choice.collisions == KN_CUDA_RELAX;
    return launch(quads <= WARP  ? relaxes ? march_kernel<WARP, RELAXES, REACH> : march_kernel<WARP, PROJECTS, REACH>
                  : quads <= 128 ? relaxes ? march_kernel<128, RELAXES, REACH> : march_kernel<128, PROJECTS, REACH>
                  : quads <= 256 ? relaxes ? march_kernel<256, RELAXES, REACH> : march_kernel<256, PROJECTS, REACH>
                  : relaxes      ? march_kernel<WARP * MOST_WARPS, RELAXES, REACH>
                                 : march_kernel<WARP * MOST_WARPS, PROJECTS, REACH>,
                  p, s, tiles, tiles, threads, stream);
}

cudaError_t kn_cuda_march(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream)
{
    if (!s->tiles)
        return launch_reach<ALONE>(p, s, p->inner.tiles[0] * p->inner.tiles[1], stream);
    if (s->ntiles == 0)
        return cudaSuccess;
    return s->rim ? launch_reach<AT_RIM>(p, s, s->ntiles, stream)
                  : launch_reach<INSIDE>(p, s, s->ntiles, stream);
}
