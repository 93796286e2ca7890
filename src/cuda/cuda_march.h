/* Streaming above first order on a uniform plane mesh. A thread marches downwind through a tile of cells,
 * octant by octant, with four nodes of each row in registers: it reads each row and computes each slope
 * once, while a sweep over single cells would read a row up to eight times. */
#ifndef KN_CUDA_MARCH_H
#define KN_CUDA_MARCH_H

#include "cuda/cuda_operator.h"

enum { COLUMNS = KN_CUDA_COLUMNS, ROWS = KN_CUDA_ROWS, CELLS = COLUMNS * ROWS, QUADRANTS = 4 };
enum { UPWIND = 2 }; /* rows needed upwind of a tile; one is needed downwind */

/* Tiles of a march: all tiles of the space; or those of a list, surrounded by cells of this rank only, or
 * also by cells of other ranks, whose numbers are in the neighbour table. The computation of a tile is the
 * same in all cases. */
enum reach { ALONE, INSIDE, AT_RIM };

/* One column of a tile with the rows above and below it, from upwind to downwind. */
struct column {
    four row[UPWIND + ROWS + 1];
};

/* Walls next to a tile, upwind and downwind of it along each axis. */
struct tile_walls {
    bool up[2], down[2];
};

/* h that a wall sends into a site. */
static __device__ __forceinline__ four from_wall(const kn_cuda_problem &p, kn_site s, int axis, int k)
{
    return read4(p.outgoing + ~kn_mesh_source(&p.mesh, kn_mesh_walk(&p.mesh, s, axis, 0)) + k);
}

/* The rows of the three cells along an axis from which the slope across the middle one follows. */
struct three {
    const four &up, &here, &down;
};

/* Slope across a cell. A wall upwind is at half the distance of a cell; with a wall downwind the slope is
 * one-sided, as in kn_mesh_stencil. */
template <int LIMITER>
static __device__ __forceinline__ four slope_across(const kn_cuda_problem &p, const three &r,
                                                    const four &courant, bool wall_up = false,
                                                    bool wall_down = false)
{
    const kn_weight weight = wall_up ? p.behind_wall : p.between_cells;
    four slope;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float a = (r.here.v[i] - r.up.v[i]) * (wall_up ? 2.0f : 1.0f), b = r.down.v[i] - r.here.v[i];
        slope.v[i] = wall_down ? a : kn_stream_slope(LIMITER, a, b, kn_stream_weigh(weight, courant.v[i]));
    }
    return slope;
}

/* A cell, its upwind neighbours along both axes and diagonally, and the slopes across the cell and its
 * upwind neighbours; `wall`: the upwind neighbour is a wall. */
struct cell_stencil {
    four here, up[2], corner, slope[2], slope_up[2];
    bool wall[2];
};

/* Four nodes of a cell after streaming; `courant` by axis. Transverse terms at walls are omitted, as in
 * kn_mesh_transverse. */
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
        /* rounded products, so that a cell has the same bits at every position of a tile and in every
         * kernel */
        const float across_x = kn_point_product(courant[1].v[i], along_x),
                    across_y = kn_point_product(courant[0].v[i], along_y);
        const float rise_x =
                        kn_stream_rise(x, c.slope[0].v[i], c.slope_up[0].v[i], courant[0].v[i], across_x),
                    rise_y =
                        kn_stream_rise(y, c.slope[1].v[i], c.slope_up[1].v[i], courant[1].v[i], across_y);
        change.v[i] = -courant[0].v[i] * rise_x - kn_point_product(courant[1].v[i], rise_y);
    }
    return sum_of(w, c.here, change, lost);
}

/* An octant of a tile: its first cell upwind, and the distances to the next column and row downwind in
 * cells, in h and in the tile. */
struct passage {
    kn_site first;
    int cells[2];
    int64_t step[2];
    int put[2];
    tile_walls walls;
    const int *around; /* at the rim: number of the first cell, */
    int past[2];       /* and the distances to the next column and row in `around` */
};

/* Numbers of the cells of a tile and of two more on each side; cells of the halo have arbitrary numbers. */
enum { PITCH = COLUMNS + 2 * UPWIND, AROUND = PITCH * (ROWS + 2 * UPWIND) };

/* The cell at position (x, y) of the tile whose lowest cell is `cell`; negative if it is unknown. */
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

/* The numbers of all of them; `thread` is the number of this thread among `threads`. */
static __device__ __forceinline__ void look_around(const kn_cuda_problem &p, int cell, int thread,
                                                   int threads, int around[AROUND])
{
    for (int i = thread; i < AROUND; i += threads)
        around[i] = cell_around(p, cell, i % PITCH - UPWIND, i / PITCH - UPWIND);
}

/* Row r of column i, counted downwind; `from` is the first row of the tile, or that of cell 0 at the rim. */
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

/* Column i with the rows upwind and downwind of it that are needed. */
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

/* Four nodes of all octants: the first of them, their Courant numbers by axis and their weights. */
struct marched_nodes {
    int k;
    four courant[2], w;
};

/* One octant of a tile; `from` as for row_at, `to` its first row in the tile. */
template <int LIMITER, bool WALLS, reach REACH>
static __device__ __forceinline__ void march(const kn_cuda_problem &p, const float *from, const passage &t,
                                             const marched_nodes &n, float *to, float lost[ROWS][COLUMNS])
{
    const int k = n.k;
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
            behind_slope[r] = slope_across<LIMITER>(
                p, {second.row[FIRST + r], behind.row[FIRST + r], here.row[FIRST + r]}, n.courant[0]);
    }
#pragma unroll
    for (int i = 0; i < COLUMNS; i++) {
        column after = next; /* prefetched one column ahead; the last column is only a downwind neighbour */
        if (i + 2 < COLUMNS)
            after = enter<WALLS, REACH>(p, from, t, i + 2, k);
        else if (i + 2 == COLUMNS && !last[0])
            after = read_column<REACH>(p, from, t, COLUMNS, FIRST, END);
        four upper =
            wall[1] ? none : slope_across<LIMITER>(p, {here.row[0], here.row[1], here.row[2]}, n.courant[1]);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const int q = FIRST + r;
            const three along_x = {behind.row[q], here.row[q], next.row[q]},
                        along_y = {here.row[q - 1], here.row[q], here.row[q + 1]};
            const bool up_x = wall[0] && i == 0, up_y = wall[1] && r == 0;
            const cell_stencil c = {
                here.row[q],
                {behind.row[q], here.row[q - 1]},
                behind.row[q - 1],
                {slope_across<LIMITER>(p, along_x, n.courant[0], up_x, last[0] && i == COLUMNS - 1),
                 slope_across<LIMITER>(p, along_y, n.courant[1], up_y, last[1] && r == ROWS - 1)},
                {behind_slope[r], upper},
                {up_x, up_y}};
            write4(to + i * t.put[0] + r * t.put[1], move_on(c, n.courant, n.w, &lost[r][i]));
            behind_slope[r] = c.slope[0];
            upper = c.slope[1];
        }
        behind = here;
        here = next;
        next = after;
    }
}

/* Convert between counting downwind and counting from low to high. */
static __device__ __forceinline__ void flip(bool columns, bool rows, float lost[ROWS][COLUMNS])
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

/* Octant o of the tile whose lowest cell is `cell`; `walls` is a bit mask of sides. */
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

/* Octants first..end-1 of a tile whose lowest cell is `cell`, for four nodes from k. */
struct tile_share {
    int cell, walls;
    int k, first, end;
    const int *around; /* at the rim only */
};

/* The streaming kernel. */
template <int LIMITER, bool WALLS, reach REACH>
static __device__ __forceinline__ void stream_tile(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                   const tile_share &mine, float *tile,
                                                   float lost[ROWS][COLUMNS])
{
    const kn_mesh &m = p.mesh;
    const int k = mine.k;
    marched_nodes n = {k, {}, read4(p.w + k)};
#pragma unroll
    for (int a = 0; a < 2; a++) {
        n.courant[a] = read4(p.speed[a] + k);
#pragma unroll
        for (int i = 0; i < 4; i++)
            n.courant[a].v[i] *= s.dt_stream / p.uniform_width[a];
    }
#pragma unroll 1
    for (int o = mine.first; o < mine.end; o++) {
        const bool left = o & m.bit[0], down = o & m.bit[1];
        const passage t = passage_of(p, mine.cell, mine.walls, o, mine.around);
        const float *from = s.h + kn_mesh_row(&m, REACH == AT_RIM ? kn_site{0, o} : t.first) + k;
        const int place = (left ? COLUMNS - 1 : 0) + (down ? (ROWS - 1) * COLUMNS : 0);
        float *to = tile + place * m.nnodes + o * m.stride + k;
        flip(left, down, lost);
        march<LIMITER, WALLS, REACH>(p, from, t, n, to, lost);
        flip(left, down, lost);
    }
    for (int c = 0; c < CELLS && WALLS && k == 0 && mine.first == 0; c++)
        lost[c / COLUMNS][c % COLUMNS] +=
            lost_at_walls(p, mine.cell + c % COLUMNS + p.inner.across * (c / COLUMNS), s.dt_stream);
}

#endif
