/* Streaming to second order, alone or with linearised BGK, in the cells of a uniform
 * plane mesh.  A thread marches with the wind through a tile of cells, octant by
 * octant, with four nodes of each row in registers: it reads a row once and forms a
 * slope once where a sweep over single cells would read it up to eight times.  The
 * streamed tile waits in shared memory for the collisions. */
#include "backend/cuda_operator.h"

enum { COLUMNS = KN_CUDA_COLUMNS, ROWS = KN_CUDA_ROWS, CELLS = COLUMNS * ROWS, QUADRANTS = 4 };
enum { UPWIND = 2 }; /* rows upwind of a tile that it needs; and one downwind */

/* Which tiles a march goes through: all of the space; or those of a list, with nothing but cells of this
 * rank around them, or with cells of others, which lie elsewhere and are found in the table of neighbours.
 * A tile is computed in the same way whichever it is. */
enum reach { ALONE, INSIDE, AT_RIM };

/* One column of a tile and what is above and below it, from upwind to downwind. */
struct column {
    four row[UPWIND + ROWS + 1];
};

/* Walls next to a tile, upwind and downwind of it along each axis. */
struct tile_walls {
    bool up[2], down[2];
};

/* What a wall that takes everything up sends into a site, instead of a neighbour. */
static __device__ __forceinline__ four from_wall(const kn_cuda_problem &p, kn_site s, int axis, int k)
{
    const int face = ~kn_mesh_walk(&p.mesh, s, axis, 0).cell;
    return diffused(p, face, p.density[face], s.octant, k);
}

/* Slope across a cell; a wall upwind is half as far away as a cell, one downwind
 * leaves the slope one-sided, as in kn_mesh_stencil. */
static __device__ __forceinline__ four slope_across(const four &up, const four &here, const four &down,
                                                    bool wall_up = false, bool wall_down = false)
{
    four slope;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float a = (here.v[i] - up.v[i]) * (wall_up ? 2.0f : 1.0f);
        slope.v[i] = wall_down ? a : kn_stream_slope(VAN_LEER, a, down.v[i] - here.v[i]);
    }
    return slope;
}

/* A cell, the cells upwind of it along both axes and along both at once, the slopes
 * across it and across the cells upwind; whether those are walls instead. */
struct cell_stencil {
    four here, up[2], corner, slope[2], slope_up[2];
    bool wall[2];
};

/* Four nodes of a cell after streaming; `courant` by axis.  Terms across that a wall
 * would have to give are left out, as in kn_mesh_transverse. */
static __device__ __forceinline__ four move_on(const cell_stencil &c, const four courant[2], const four &w,
                                               float *lost)
{
    four change;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float x = c.here.v[i] - c.up[0].v[i], y = c.here.v[i] - c.up[1].v[i];
        const float twist = x - (c.up[1].v[i] - c.corner.v[i]); /* of x along y, and of y along x */
        const float along_x = c.wall[1]   ? 0.0f
                              : c.wall[0] ? y
                                          : twist,
                    along_y = c.wall[0]   ? 0.0f
                              : c.wall[1] ? x
                                          : twist;
        /* products that are rounded by themselves, so that a cell gets the same bits in every place of a tile
         * and in every kernel: the compiler may choose which of two products it rounds */
        const float across_x = __fmul_rn(courant[1].v[i], along_x),
                    across_y = __fmul_rn(courant[0].v[i], along_y);
        const float rise_x =
                        kn_stream_rise(x, c.slope[0].v[i], c.slope_up[0].v[i], courant[0].v[i], across_x),
                    rise_y =
                        kn_stream_rise(y, c.slope[1].v[i], c.slope_up[1].v[i], courant[1].v[i], across_y);
        change.v[i] = -courant[0].v[i] * rise_x - __fmul_rn(courant[1].v[i], rise_y);
    }
    return sum_of(w, c.here, change, lost);
}

/* An octant of a tile: its first cell as the wind blows, the distances to the next
 * column and row downwind in cells, in h and in the tile that is filled. */
struct passage {
    kn_site first;
    int cells[2];
    int64_t step[2];
    int put[2];
    tile_walls walls;
    const int *around; /* at the rim: number of the first cell, */
    int past[2];       /* and how far from there the numbers of the next column and row are */
};

/* The cells of a tile and two more on each side, by number: those of the halo lie anywhere. */
enum { PITCH = COLUMNS + 2 * UPWIND, AROUND = PITCH * (ROWS + 2 * UPWIND) };

/* The cell in place (x, y) of the tile whose lowest cell is `cell`; negative where none is known. */
static __device__ __forceinline__ int cell_around(const kn_cuda_problem &p, int cell, int x, int y)
{
    const int inside[2] = {min(max(x, 0), COLUMNS - 1), min(max(y, 0), ROWS - 1)},
              steps[2] = {x - inside[0], y - inside[1]};
    int at = cell + inside[0] + p.inner.across * inside[1];
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < abs(steps[a]) && at >= 0; i++)
            at = p.mesh.neighbour[6 * (int64_t)at + 2 * a + (steps[a] > 0)];
    return at;
}

/* The numbers of all of them, by `threads` threads of which this is the one called `thread`. */
static __device__ __forceinline__ void look_around(const kn_cuda_problem &p, int cell, int thread,
                                                   int threads, int around[AROUND])
{
    for (int i = thread; i < AROUND; i += threads)
        around[i] = cell_around(p, cell, i % PITCH - UPWIND, i / PITCH - UPWIND);
}

/* Row r of column i, counted with the wind; `from` is the first row of the tile, or at the rim that of
 * cell 0. */
template <reach REACH>
static __device__ __forceinline__ const float *row_at(const kn_cuda_problem &p, const float *from,
                                                      const passage &t, int i, int r)
{
    return REACH == AT_RIM ? from + (int64_t)t.around[i * t.past[0] + r * t.past[1]] * p.mesh.nnodes
                           : from + i * t.step[0] + r * t.step[1];
}

template <reach REACH>
static __device__ __forceinline__ column read_column(const kn_cuda_problem &p, const float *from,
                                                     const passage &t, int i, int first, int end)
{
    column c;
#pragma unroll
    for (int q = 0; q < UPWIND + ROWS + 1; q++)
        if (q >= first && q < end)
            c.row[q] = read_row(row_at<REACH>(p, from, t, i, q - UPWIND));
    return c;
}

/* Column i with what is upwind and downwind of it, as far as it is needed there. */
template <bool WALLS, reach REACH>
static __device__ __forceinline__ column enter(const kn_cuda_problem &p, const float *from, const passage &t,
                                               int i, int k)
{
    enum { ALL = UPWIND + ROWS + 1 };
    const bool wall = WALLS && t.walls.up[1];
    column c = read_column<REACH>(p, from, t, i, wall ? UPWIND : 0, WALLS && t.walls.down[1] ? ALL - 1 : ALL);
    if (wall)
        c.row[UPWIND - 1] = from_wall(p, kn_site{t.first.cell + i * t.cells[0], t.first.octant}, 1, k);
    return c;
}

/* One octant of a tile; `from` as row_at wants it, `to` its first row in the tile. */
template <bool WALLS, reach REACH>
static __device__ __forceinline__ void march(const kn_cuda_problem &p, const float *from, const passage &t,
                                             int k, float *to, const four courant[2], const four &w,
                                             float lost[ROWS][COLUMNS])
{
    enum { FIRST = UPWIND, END = UPWIND + ROWS };
    const bool wall[2] = {WALLS && t.walls.up[0], WALLS && t.walls.up[1]},
               last[2] = {WALLS && t.walls.down[0], WALLS && t.walls.down[1]};
    const four none = {{0, 0, 0, 0}};
    column here = enter<WALLS, REACH>(p, from, t, 0, k), next = enter<WALLS, REACH>(p, from, t, 1, k), behind;
    four behind_slope[ROWS];
    if (wall[0]) {
        behind = here;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            behind.row[FIRST + r] =
                from_wall(p, kn_site{t.first.cell + r * t.cells[1], t.first.octant}, 0, k);
            behind_slope[r] = none;
        }
    } else {
        behind = read_column<REACH>(p, from, t, -1, wall[1] ? FIRST : FIRST - 1, END);
        const column second = read_column<REACH>(p, from, t, -2, FIRST, END);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            behind_slope[r] = slope_across(second.row[FIRST + r], behind.row[FIRST + r], here.row[FIRST + r]);
    }
#pragma unroll
    for (int i = 0; i < COLUMNS; i++) {
        column after = next; /* read one column before its turn; the last is only flowed into */
        if (i + 2 < COLUMNS)
            after = enter<WALLS, REACH>(p, from, t, i + 2, k);
        else if (i + 2 == COLUMNS && !last[0])
            after = read_column<REACH>(p, from, t, COLUMNS, FIRST, END);
        four upper = wall[1] ? none : slope_across(here.row[0], here.row[1], here.row[2]);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int q = FIRST + r;
            const cell_stencil c = {here.row[q],
                                    {behind.row[q], here.row[q - 1]},
                                    behind.row[q - 1],
                                    {slope_across(behind.row[q], here.row[q], next.row[q], wall[0] && i == 0,
                                                  last[0] && i == COLUMNS - 1),
                                     slope_across(here.row[q - 1], here.row[q], here.row[q + 1],
                                                  wall[1] && r == 0, last[1] && r == ROWS - 1)},
                                    {behind_slope[r], upper},
                                    {wall[0] && i == 0, wall[1] && r == 0}};
            write4(to + i * t.put[0] + r * t.put[1], move_on(c, courant, w, &lost[r][i]));
            behind_slope[r] = c.slope[0];
            upper = c.slope[1];
        }
        behind = here;
        here = next;
        next = after;
    }
}

/* Exchange what is counted with the wind and what is counted from low to high. */
static __device__ __forceinline__ void turn(bool columns, bool rows, float lost[ROWS][COLUMNS])
{
    float from[ROWS][COLUMNS];
#pragma unroll
    for (int i = 0; i < CELLS; i++)
        from[i / COLUMNS][i % COLUMNS] = lost[i / COLUMNS][i % COLUMNS];
#pragma unroll
    for (int i = 0; i < CELLS; i++) {
        const int r = i / COLUMNS, c = i % COLUMNS;
        const float plain = columns ? from[r][COLUMNS - 1 - c] : from[r][c],
                    upside = columns ? from[ROWS - 1 - r][COLUMNS - 1 - c] : from[ROWS - 1 - r][c];
        lost[r][c] = rows ? upside : plain;
    }
}

/* Octant o of the tile whose lowest cell is `cell`, with walls on these sides. */
static __device__ __forceinline__ passage passage_of(const kn_cuda_problem &p, int cell, int walls, int o,
                                                     const int *around)
{
    const int side[2] = {1, p.inner.across}, size[2] = {COLUMNS, ROWS}, row[2] = {1, COLUMNS},
              pitch[2] = {1, PITCH};
    passage t = {{cell, o}};
    t.around = around + UPWIND * (PITCH + 1);
#pragma unroll
    for (int a = 0; a < 2; a++) {
        const bool back = o & p.mesh.bit[a], low = walls >> 2 * a & 1, high = walls >> (2 * a + 1) & 1;
        t.first.cell += back ? (size[a] - 1) * side[a] : 0;
        t.cells[a] = back ? -side[a] : side[a];
        t.step[a] = (int64_t)t.cells[a] * p.mesh.nnodes;
        t.put[a] = (back ? -row[a] : row[a]) * p.mesh.nnodes;
        t.walls.up[a] = back ? high : low;
        t.walls.down[a] = back ? low : high;
        t.around += back ? (size[a] - 1) * pitch[a] : 0;
        t.past[a] = back ? -pitch[a] : pitch[a];
    }
    return t;
}

/* Bit mask of the sides of a tile that are walls; `at` counts its column and row. */
static __device__ __forceinline__ int walls_around(const kn_cuda_problem &p, const int at[2])
{
    int walls = 0;
#pragma unroll
    for (int a = 0; a < 2; a++) {
        walls |= at[a] == 0 && (p.inner.walls >> 2 * a & 1) ? 1 << 2 * a : 0;
        walls |= at[a] == p.inner.tiles[a] - 1 && (p.inner.walls >> (2 * a + 1) & 1) ? 2 << 2 * a : 0;
    }
    return walls;
}

/* The streaming kernel: some octants of a tile whose lowest cell is `cell`; `around`: at the rim only. */
template <bool WALLS, reach REACH>
static __device__ __forceinline__ void stream_tile(const kn_cuda_problem &p, const kn_cuda_step &s, int cell,
                                                   int walls, int k, int first, int end, const int *around,
                                                   float *tile, float lost[ROWS][COLUMNS])
{
    const kn_mesh &m = p.mesh;
    const four w = read4(p.w + k);
    four courant[2];
#pragma unroll
    for (int a = 0; a < 2; a++) {
        courant[a] = read4(p.speed[a] + k);
#pragma unroll
        for (int i = 0; i < 4; i++)
            courant[a].v[i] *= s.dt_stream / p.alike[a];
    }
#pragma unroll 1
    for (int o = first; o < end; o++) {
        const bool left = o & m.bit[0], down = o & m.bit[1];
        const passage t = passage_of(p, cell, walls, o, around);
        const float *from = s.h + kn_mesh_row(&m, REACH == AT_RIM ? kn_site{0, o} : t.first) + k;
        const int place = (left ? COLUMNS - 1 : 0) + (down ? (ROWS - 1) * COLUMNS : 0);
        float *to = tile + place * m.nnodes + o * m.stride + k;
        turn(left, down, lost);
        march<WALLS, REACH>(p, from, t, k, to, courant, w, lost);
        turn(left, down, lost);
    }
    for (int c = 0; c < CELLS && WALLS && k == 0 && first == 0; c++)
        lost[c / COLUMNS][c % COLUMNS] +=
            lost_at_walls(p, cell + c % COLUMNS + p.inner.across * (c / COLUMNS), s.dt_stream);
}

static __device__ __forceinline__ void read_cell(const kn_mesh &m, const float *tile, int c, int k,
                                                 four h[QUADRANTS])
{
#pragma unroll
    for (int o = 0; o < QUADRANTS; o++)
        h[o] = read4(tile + c * m.nnodes + o * m.stride + k);
}

/* ------------------------------------------------------- long rows: a block for a tile */

/* What the cells of a tile relax to. */
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

/* Relax the cells of a tile, give back what rounding has lost, store them. */
template <int MOST>
static __device__ __forceinline__ void relax_tile(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                  double lose, const float *tile, int cell, int k,
                                                  const float lost[ROWS][COLUMNS], tile_targets<MOST> *t)
{
    const bool active = k < p.mesh.stride;
    const octant_nodes<QUADRANTS> n = octant_nodes_of<QUADRANTS>(p, active ? k : 0);
    if (p.method == METHOD_BGK)
        find_targets<MOST>(p, n, lose, tile, k, active, t);
    const int heavy = heaviest<WARP>(active ? n.w.v[0] : 0.0f);
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        four h[QUADRANTS] = {};
        float relaxed[4] = {0, 0, 0, 0};
        if (active)
            read_cell(p.mesh, tile, c, k, h);
        if (p.method == METHOD_BGK && active)
            relax<QUADRANTS>(n, t->target[c], (float)lose, h, relaxed);
        give_back<WARP, QUADRANTS>(n, relaxed, lost[c / COLUMNS][c % COLUMNS], heavy, s.heavy / p.mesh.stride,
                                   h);
        const int64_t row = (int64_t)(cell + c % COLUMNS + p.inner.across * (c / COLUMNS)) * p.mesh.nnodes;
#pragma unroll
        for (int o = 0; o < QUADRANTS; o++)
            if (active)
                write4(s.next + row + o * p.mesh.stride + k, h[o]);
    }
}

/* Lowest cell of the tile in this place of the march: walls, which may not be ready, late. */
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

template <int MOST, reach REACH>
static __global__ void __launch_bounds__(MOST, MOST > 128 ? 1 : 3)
    march_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                 double lose, int whole)
{
    extern __shared__ __align__(16) float tile[];
    __shared__ tile_targets<MOST> targets;
    __shared__ int around[REACH == AT_RIM ? AROUND : 1];
    const tile_place here = place_of<REACH>(p, s, blockIdx.x);
    const int k = 4 * threadIdx.x;
    const bool active = k < p.mesh.stride;
    float lost[ROWS][COLUMNS] = {};
    let_the_next_begin();
    const long long start = clock64();
    if (REACH == AT_RIM) {
        look_around(p, here.cell, threadIdx.x, blockDim.x, around);
        __syncthreads();
    }
    if (active && here.walls) {
        wait_for_the_last();
        stream_tile<true, REACH>(p, s, here.cell, here.walls, k, 0, QUADRANTS, around, tile, lost);
    } else if (active) {
        stream_tile<false, REACH>(p, s, here.cell, 0, k, 0, QUADRANTS, around, tile, lost);
    }
    const long long middle = clock64();
    relax_tile<MOST>(p, s, lose, tile, here.cell, k, lost, &targets);
    wait_for_the_last();
    note_cycles(p, REACH != AT_RIM && blockIdx.x == 0, start, middle);
}

/* ---------------------------------------- short rows: 16 threads for an octant of a tile */

enum { LANES = KN_CUDA_SHORT / 4, TILES = 2, SHORT = TILES * QUADRANTS * LANES, SHORT_BLOCKS = 4 };

/* What streaming has lost in each cell of the block, by octant. */
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

/* Tile t of this block: two a block, but one in those that come last and find the card half
 * empty. */
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

/* Relaxation by LANES threads a cell. */
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
        if (p.method == METHOD_BGK) {
            sums sum = sums_of<QUADRANTS>(n, h);
            sum_lanes<LANES, axes_of(QUADRANTS)>(&sum);
            if (active)
                relax<QUADRANTS>(n, target_of<axes_of(QUADRANTS)>(p, sum, lose), (float)lose, h, relaxed);
        }
        give_back<LANES, QUADRANTS>(n, relaxed, k == 0 ? lost_in(lost, c) : 0.0f, heavy,
                                    s.heavy / p.mesh.stride, h);
#pragma unroll
        for (int o = 0; o < QUADRANTS; o++)
            if (active && cell >= 0)
                write4(s.next + (int64_t)cell * p.mesh.nnodes + o * p.mesh.stride + k, h[o]);
    }
}

/* Floats between the changes of cells, so that rows of threads that write together do not
 * clash; and of shared memory for them, or for the parities that lie there before. */
enum { CHANGES = QUADRANTS * KN_CUDA_SHORT + 8, PARITY_ROOM = TILES * CELLS * CHANGES };

/* Changes into the rows of the cells, by LANES threads a cell; as settle_cell in
 * cuda_operator.cu does, but all nodes at once. */
static __device__ __forceinline__ void settle_cells(const kn_cuda_problem &p, const kn_cuda_step &s,
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
        const settled_cell row = {tile + c * p.mesh.nnodes,
                                  s.next + (int64_t)(cells[c] < 0 ? 0 : cells[c]) * p.mesh.nnodes,
                                  changes + c * CHANGES, KN_CUDA_SHORT};
        brought sum = {0, 0, {0, 0, 0}};
        float rounded[4] = {0, 0, 0, 0};
        four d[QUADRANTS] = {}, h[QUADRANTS] = {};
        if (active) {
            read_changes<QUADRANTS>(row, k, d);
            read_octants<QUADRANTS>(p, row.old, k, h);
            add_brought<QUADRANTS>(n, d, &sum);
        }
        sum_lanes<QUADRANTS, LANES>(&sum);
        settle<QUADRANTS>(n, mending_of<QUADRANTS>(p, s.op.mend, sum), d, h, rounded);
        give_back<LANES, QUADRANTS>(n, rounded, k == 0 ? lost_in(lost, c) : 0.0f, heavy,
                                    s.heavy / p.mesh.stride, h);
        if (active && cells[c] >= 0)
            write_octants<QUADRANTS>(p, row.to, k, h);
    }
}

/* The operator: 16 cells, a parity a warp.  Cells that do not exist hold anything; nothing of
 * theirs mixes with that of others or is stored. */
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
    settle_cells(p, s, tile, parities, lost, cells);
}

template <bool OPERATES, reach REACH>
static __global__ void __launch_bounds__(SHORT, SHORT_BLOCKS)
    short_march_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                       double lose, int whole)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ lost_cells lost;
    __shared__ int cells[TILES * CELLS], around[TILES][REACH == AT_RIM ? AROUND : 1];

    const int tile = threadIdx.x / (QUADRANTS * LANES), octant = threadIdx.x / LANES % QUADRANTS,
              k = 4 * (threadIdx.x % LANES);
    const tile_place here = place_in_block<REACH>(p, s, whole, tile);
    float *const mine = tiles + tile * CELLS * p.mesh.nnodes, lost_here[ROWS][COLUMNS] = {};
    let_the_next_begin();
    const long long start = clock64();
    const bool active = k < p.mesh.stride && here.exists;
    if (REACH == AT_RIM) {
        look_around(p, here.cell, threadIdx.x % (QUADRANTS * LANES), QUADRANTS * LANES, around[tile]);
        __syncthreads();
    }
    if (active && here.walls) {
        wait_for_the_last();
        stream_tile<true, REACH>(p, s, here.cell, here.walls, k, octant, octant + 1, around[tile], mine,
                                 lost_here);
    } else if (active) {
        stream_tile<false, REACH>(p, s, here.cell, 0, k, octant, octant + 1, around[tile], mine, lost_here);
    }
    note_lost(lost_here, octant, tile, &lost);
    const long long middle = clock64();
    if (OPERATES)
        operate_cells<REACH>(p, s, whole, tiles, lost, tiles + TILES * CELLS * p.mesh.nnodes, cells);
    else
        relax_cells<REACH>(p, s, lose, whole, tiles, lost);
    wait_for_the_last();
    note_cycles(p, REACH != AT_RIM && blockIdx.x == 0, start, middle);
}

/* --------------------------------------------------------------------- launching */

/* Short rows: two tiles a block. */
static bool has_short_rows(const kn_cuda_problem *p)
{
    return p->mesh.stride / 4 <= LANES;
}

bool kn_cuda_march_operates(const struct kn_cuda_problem *p)
{
    return p->method == METHOD_OPERATOR && !p->source && has_short_rows(p);
}

/* Tiles, and the parities of their cells. */
static size_t tile_bytes(const kn_cuda_problem *p)
{
    const size_t tile = CELLS * (size_t)p->mesh.nnodes * sizeof(float);
    return tile * (has_short_rows(p) ? TILES : 1) +
           (kn_cuda_march_operates(p) ? PARITY_ROOM * sizeof(float) : 0);
}

int kn_cuda_march_least(const struct kn_cuda_problem *p)
{
    const kn_mesh *m = &p->mesh;
    const bool fits = kn_cuda_linear_fits(p) && p->order == 2 && p->uniform && p->limiter == VAN_LEER &&
                      m->naxes == 2 && m->axes[0] == 0 && m->axes[1] == 1 && m->octants == QUADRANTS &&
                      tile_bytes(p) <= p->shared_limit;
    return !fits ? 0 : (has_short_rows(p) ? 4 : 1) * p->multiprocessors;
}

typedef void march_function(kn_cuda_problem, kn_cuda_step, double, int);

static cudaError_t launch(march_function *kernel, const kn_cuda_problem *p, const kn_cuda_step *s, int blocks,
                          int whole, int threads, cudaStream_t stream)
{
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)tile_bytes(p));
    if (status != cudaSuccess)
        return status;
    return launch_overlapping(kernel, (unsigned)blocks, threads, tile_bytes(p), stream, s->behind_walls, *p,
                              *s, -expm1(-s->dt_collide), whole);
}

/* Blocks with two tiles: those that fill the card as often as they can, and the rest too if
 * it fills more than half of it. */
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
    if (has_short_rows(p)) {
        const int whole = whole_blocks(p, tiles), rest = tiles - TILES * whole;
        return launch(kn_cuda_march_operates(p) ? short_march_kernel<true, REACH>
                                                : short_march_kernel<false, REACH>,
                      p, s, whole + (rest > 0 ? rest : 0), whole, SHORT, stream);
    }
    return launch(quads <= 128   ? march_kernel<128, REACH>
                  : quads <= 256 ? march_kernel<256, REACH>
                                 : march_kernel<WARP * MOST_WARPS, REACH>,
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
