/* Tiles of a march (cuda_march.h) and their order: one tile per block, or two if rows are short. Streamed
 * cells are kept in shared memory for the collisions. */
#ifndef KN_CUDA_MARCH_TILES_H
#define KN_CUDA_MARCH_TILES_H

#include "cuda/cuda_march.h"

static __device__ __forceinline__ void read_cell(const kn_mesh &m, const float *tile, int c, int k,
                                                 four h[QUADRANTS])
{
#pragma unroll
    for (int o = 0; o < QUADRANTS; o++)
        h[o] = read4(tile + c * m.nnodes + o * m.stride + k);
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

/* Stream a tile; `thread`: the number of this thread, and of all threads of the tile. `tile` is in shared
 * memory. */
template <int LIMITER, reach REACH>
static __device__ __forceinline__ void stream_by(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                 const tile_place &here, const int thread[2], float *tile,
                                                 int *around, float lost[ROWS][COLUMNS])
{
    const int k = 4 * thread[0];
    if (REACH == AT_RIM) {
        look_around(p, here.cell, thread[0], thread[1], around);
        __syncthreads();
    }
    const tile_share mine = {here.cell, here.walls, k, 0, QUADRANTS, around};
    if (k < p.mesh.stride && here.exists && here.walls) {
        wait_for_previous_kernel();
        stream_tile<LIMITER, true, REACH>(p, s, mine, tile, lost);
    } else if (k < p.mesh.stride && here.exists) {
        stream_tile<LIMITER, false, REACH>(p, s, mine, tile, lost);
    }
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

/* One octant of the cells of a tile as they are, for collisions alone. */
static __device__ __forceinline__ void copy_tile(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                 const tile_share &mine, float *tile)
{
    const int place = mine.first * p.mesh.stride + mine.k;
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        const int cell = mine.cell + c % COLUMNS + p.inner.across * (c / COLUMNS);
        write4(tile + c * p.mesh.nnodes + place, read_row(s.h + (int64_t)cell * p.mesh.nnodes + place));
    }
}

/* Stream the tiles of a block, one octant per thread; `tiles` is in shared memory. */
template <int LIMITER, reach REACH>
static __device__ __forceinline__ void
stream_short_block(const kn_cuda_problem &p, const kn_cuda_step &s, int whole, float *tiles,
                   int around[TILES][REACH == AT_RIM ? AROUND : 1], lost_cells *lost)
{
    const int tile = threadIdx.x / (QUADRANTS * LANES), octant = threadIdx.x / LANES % QUADRANTS,
              k = 4 * (threadIdx.x % LANES);
    const tile_place here = place_in_block<REACH>(p, s, whole, tile);
    float *const mine = tiles + tile * CELLS * p.mesh.nnodes, lost_here[ROWS][COLUMNS] = {};
    const bool active = k < p.mesh.stride && here.exists;
    if (REACH == AT_RIM) {
        look_around(p, here.cell, threadIdx.x % (QUADRANTS * LANES), QUADRANTS * LANES, around[tile]);
        __syncthreads();
    }
    const tile_share share = {here.cell, here.walls, k, octant, octant + 1, around[tile]};
    if (active && s.dt_stream == 0) {
        copy_tile(p, s, share, mine);
    } else if (active && here.walls) {
        wait_for_previous_kernel();
        stream_tile<LIMITER, true, REACH>(p, s, share, mine, lost_here);
    } else if (active) {
        stream_tile<LIMITER, false, REACH>(p, s, share, mine, lost_here);
    }
    note_lost(lost_here, octant, tile, lost);
}

/* Number of blocks with two tiles: as many as fill the GPU completely, and the rest if it fills more than
 * half of it. */
static int whole_blocks(const kn_cuda_problem *p, int tiles)
{
    const int blocks = (tiles + TILES - 1) / TILES, card = SHORT_BLOCKS * p->multiprocessors,
              rest = blocks % card;
    return TILES * rest > card ? blocks : blocks - rest;
}

typedef void march_function(kn_cuda_problem, kn_cuda_step, double, int);

/* `whole`: number of blocks with two tiles. */
static cudaError_t launch_march(march_function *kernel, const kn_cuda_problem *p, const kn_cuda_step *s,
                                int blocks, int whole, int threads, cudaStream_t stream)
{
    const size_t bytes = kn_cuda_march_bytes(p, &s->quadratic);
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    return launch_overlapping(kernel, (unsigned)blocks, threads, bytes, stream, s->behind_walls, *p, *s,
                              -expm1(-s->dt_collide), whole);
}

/* The same for short rows. */
static cudaError_t launch_short_march(march_function *kernel, const kn_cuda_problem *p, const kn_cuda_step *s,
                                      int tiles, cudaStream_t stream)
{
    const int whole = whole_blocks(p, tiles), rest = tiles - TILES * whole;
    return launch_march(kernel, p, s, whole + (rest > 0 ? rest : 0), whole, SHORT, stream);
}

#endif
