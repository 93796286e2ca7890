/* Streaming above first order in a uniform space of three dimensions, alone or with linearised BGK, for short
 * rows. A thread marches downwind along x through a tile of cells, with two nodes of each row of one octant
 * in registers: it reads each row and computes each slope once. */
#include "cuda/cuda_cube.h"

#include "cuda/cuda_linear.h"
#include "cuda/cuda_plain.h"

enum { ALONG = KN_CUDA_ALONG, WIDE = KN_CUDA_WIDE, DEEP = KN_CUDA_DEEP, CELLS = ALONG * WIDE * DEEP };
enum { OCTANTS = 8, LANES = KN_CUDA_SHORT / 4, THREADS = OCTANTS * KN_CUDA_SHORT / 2 };
static_assert(THREADS == CELLS * LANES, "all cells of a tile are relaxed at once");

struct two {
    float v[2];
};

static __device__ __forceinline__ two read2(const float *from)
{
    const float2 x = __ldcg((const float2 *)from);
    return two{{x.x, x.y}};
}

/* The rows of a plane across the march: the cells of the tile, upwind and downwind of them along y and z, and
 * diagonally upwind. */
struct plane {
    two in[WIDE][DEEP];
    two up_y[2][DEEP], down_y[DEEP]; /* upwind: at one and two cells */
    two up_z[2][WIDE], down_z[WIDE];
    two corner;
};

/* The rows of the plane behind, and the slopes along x across its cells. */
struct plane_behind {
    two in[WIDE][DEEP], up_y[DEEP], up_z[WIDE], slope[WIDE][DEEP];
};

/* An octant of a tile: its first cell upwind, and the distances to the next cell downwind along each axis, in
 * h and in the tile. */
struct course {
    const float *from;
    int64_t step[3];
    float *to, *lost;
    int put[3];
};

static __device__ __forceinline__ two row_at(const course &t, int i, int j, int l)
{
    return read2(t.from + i * t.step[0] + j * t.step[1] + l * t.step[2]);
}

static __device__ __forceinline__ void read_inside(const course &t, int i, two in[WIDE][DEEP])
{
#pragma unroll
    for (int j = 0; j < WIDE; j++)
#pragma unroll
        for (int l = 0; l < DEEP; l++)
            in[j][l] = row_at(t, i, j, l);
}

static __device__ __forceinline__ plane read_plane(const course &t, int i)
{
    plane p;
    read_inside(t, i, p.in);
#pragma unroll
    for (int l = 0; l < DEEP; l++) {
        p.up_y[0][l] = row_at(t, i, -1, l);
        p.up_y[1][l] = row_at(t, i, -2, l);
        p.down_y[l] = row_at(t, i, WIDE, l);
    }
#pragma unroll
    for (int j = 0; j < WIDE; j++) {
        p.up_z[0][j] = row_at(t, i, j, -1);
        p.up_z[1][j] = row_at(t, i, j, -2);
        p.down_z[j] = row_at(t, i, j, DEEP);
    }
    p.corner = row_at(t, i, -1, -1);
    return p;
}

/* Courant numbers of two nodes along each axis. */
struct speeds {
    two v[3];
};

template <int LIMITER>
static __device__ __forceinline__ two slope_across(kn_weight between, const two &speed, const two &up,
                                                   const two &here, const two &down)
{
    two slope;
#pragma unroll
    for (int i = 0; i < 2; i++)
        slope.v[i] = kn_stream_slope(LIMITER, here.v[i] - up.v[i], down.v[i] - here.v[i],
                                     kn_stream_weigh(between, speed.v[i]));
    return slope;
}

/* A cell, its upwind neighbours along each axis and diagonally, and the slopes across the cell and its upwind
 * neighbours. */
struct cell_rows {
    two here, up[3], corner[3], slope[3], slope_up[3];
};

/* Stream one cell. */
static __device__ __forceinline__ void move_on(const course &t, int offset, const speeds &c,
                                               const cell_rows &r)
{
    float2 h, lost;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        surroundings<3> n = {r.here.v[i]};
        float slope[3], slope_up[3];
#pragma unroll
        for (int a = 0; a < 3; a++) {
            n.up[a] = r.up[a].v[i];
            n.corner[a] = r.corner[a].v[i];
            n.speed[a] = c.v[a].v[i];
            slope[a] = r.slope[a].v[i];
            slope_up[a] = r.slope_up[a].v[i];
        }
        const float change = sloped_change<3>(n, slope, slope_up), sum = n.here + change;
        (i == 0 ? h.x : h.y) = sum;
        (i == 0 ? lost.x : lost.y) = kn_stream_lost(n.here, change, sum);
    }
    *(float2 *)(t.to + offset) = h;
    *(float2 *)(t.lost + offset) = lost;
}

/* Plane i of the tile; `next` are the rows of the tile in the plane after it. */
template <int LIMITER>
static __device__ __forceinline__ void stream_plane(kn_weight between, const course &t, const speeds &c,
                                                    int i, const plane &p, const two next[WIDE][DEEP],
                                                    plane_behind *b)
{
    two slope_y[DEEP], slope_z[WIDE];
#pragma unroll
    for (int l = 0; l < DEEP; l++)
        slope_y[l] = slope_across<LIMITER>(between, c.v[1], p.up_y[1][l], p.up_y[0][l], p.in[0][l]);
#pragma unroll
    for (int j = 0; j < WIDE; j++)
        slope_z[j] = slope_across<LIMITER>(between, c.v[2], p.up_z[1][j], p.up_z[0][j], p.in[j][0]);
#pragma unroll
    for (int l = 0; l < DEEP; l++)
#pragma unroll
        for (int j = 0; j < WIDE; j++) {
            const two down[3] = {next[j][l], j + 1 < WIDE ? p.in[j + 1][l] : p.down_y[l],
                                 l + 1 < DEEP ? p.in[j][l + 1] : p.down_z[j]};
            cell_rows r = {
                p.in[j][l],
                {b->in[j][l], j > 0 ? p.in[j - 1][l] : p.up_y[0][l], l > 0 ? p.in[j][l - 1] : p.up_z[0][j]},
                {j > 0 ? b->in[j - 1][l] : b->up_y[l],
                 j > 0   ? (l > 0 ? p.in[j - 1][l - 1] : p.up_z[0][j - 1])
                 : l > 0 ? p.up_y[0][l - 1]
                         : p.corner,
                 l > 0 ? b->in[j][l - 1] : b->up_z[j]},
                {},
                {b->slope[j][l], slope_y[l], slope_z[j]}};
#pragma unroll
            for (int a = 0; a < 3; a++)
                r.slope[a] = slope_across<LIMITER>(between, c.v[a], r.up[a], r.here, down[a]);
            move_on(t, i * t.put[0] + j * t.put[1] + l * t.put[2], c, r);
            b->slope[j][l] = r.slope[0];
            slope_y[l] = r.slope[1];
            slope_z[j] = r.slope[2];
        }
}

template <int LIMITER>
static __device__ __forceinline__ void stream_octant(kn_weight between, const course &t, const speeds &c)
{
    plane_behind b;
    two second[WIDE][DEEP];
    plane here = read_plane(t, 0);
    read_inside(t, -2, second);
    read_inside(t, -1, b.in);
#pragma unroll
    for (int l = 0; l < DEEP; l++)
        b.up_y[l] = row_at(t, -1, -1, l);
#pragma unroll
    for (int j = 0; j < WIDE; j++)
        b.up_z[j] = row_at(t, -1, j, -1);
#pragma unroll
    for (int j = 0; j < WIDE; j++)
#pragma unroll
        for (int l = 0; l < DEEP; l++)
            b.slope[j][l] = slope_across<LIMITER>(between, c.v[0], second[j][l], b.in[j][l], here.in[j][l]);
#pragma unroll
    for (int i = 0; i < ALONG; i++) {
        plane next = here;
        if (i + 1 < ALONG)
            next = read_plane(t, i + 1);
        else
            read_inside(t, i + 1, next.in);
        stream_plane<LIMITER>(between, t, c, i, here, next.in, &b);
#pragma unroll
        for (int j = 0; j < WIDE; j++) {
            b.up_z[j] = here.up_z[0][j];
#pragma unroll
            for (int l = 0; l < DEEP; l++) {
                b.in[j][l] = here.in[j][l];
                b.up_y[l] = here.up_y[0][l];
            }
        }
        here = next;
    }
}

/* Lowest cell of a tile. */
static __device__ __forceinline__ int first_cell(const kn_cuda_cube &cube, int tile)
{
    const int x = tile % cube.tiles[0], rest = tile / cube.tiles[0], y = rest % cube.tiles[1],
              z = rest / cube.tiles[1];
    return cube.first[0] + ALONG * x +
           cube.cells[0] * (cube.first[1] + WIDE * y + cube.cells[1] * (cube.first[2] + DEEP * z));
}

/* The octant of this thread; `tile` and `lost` are in shared memory. */
static __device__ __forceinline__ course course_of(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                   const kn_cuda_cube &cube, int cell, int octant, int k,
                                                   float *tile)
{
    const int size[3] = {ALONG, WIDE, DEEP}, side[3] = {1, cube.cells[0], cube.cells[0] * cube.cells[1]},
              row[3] = {1, ALONG, ALONG * WIDE};
    int first = cell, place = 0;
    course t;
#pragma unroll
    for (int a = 0; a < 3; a++) {
        const bool back = octant & p.mesh.bit[a];
        first += back ? (size[a] - 1) * side[a] : 0;
        place += back ? (size[a] - 1) * row[a] : 0;
        t.step[a] = (int64_t)(back ? -side[a] : side[a]) * p.mesh.nnodes;
        t.put[a] = (back ? -row[a] : row[a]) * p.mesh.nnodes;
    }
    t.from = s.h + kn_mesh_row(&p.mesh, kn_site{first, octant}) + k;
    t.to = tile + place * p.mesh.nnodes + octant * p.mesh.stride + k;
    t.lost = t.to + CELLS * p.mesh.nnodes;
    return t;
}

/* Collide a cell with LANES threads, restore the mass lost by round-off and store the cell, as in
 * linear_kernel. */
static __device__ __forceinline__ void finish_cell(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                   const kn_cuda_cube &cube, double lose, int first,
                                                   const float *tile)
{
    const int k = 4 * (threadIdx.x % LANES), c = threadIdx.x / LANES;
    const bool active = k < p.mesh.stride;
    const octant_nodes<OCTANTS> n = octant_nodes_of<OCTANTS>(p, active ? k : 0);
    const int heavy = heaviest<LANES>(active ? n.w.v[0] : 0.0f),
              cell =
                  first + c % ALONG + cube.cells[0] * (c / ALONG % WIDE + cube.cells[1] * (c / ALONG / WIDE));
    const float *const from = tile + c * p.mesh.nnodes + k;
    four h[OCTANTS] = {};
    float lost[4] = {0, 0, 0, 0};
#pragma unroll
    for (int o = 0; o < OCTANTS; o++)
        if (active) {
            const four missing = read4(from + CELLS * p.mesh.nnodes + o * p.mesh.stride);
            h[o] = read4(from + o * p.mesh.stride);
#pragma unroll
            for (int i = 0; i < 4; i++)
                lost[i] += missing.v[i];
        }
    if (p.choice.collisions == KN_CUDA_PROJECT) {
        sums sum = sums_of<OCTANTS>(n, h);
        sum_lanes<LANES, 3>(&sum);
        if (active)
            relax<OCTANTS>(n, target_of<3>(p, sum, lose), (float)lose, h, lost);
    }
    restore_mass<LANES, OCTANTS>(n, lost, 0, heavy, s.heavy / p.mesh.stride, h);
#pragma unroll
    for (int o = 0; o < OCTANTS; o++)
        if (active)
            write4(s.next + (int64_t)cell * p.mesh.nnodes + o * p.mesh.stride + k, h[o]);
}

template <int LIMITER>
static __global__ void __launch_bounds__(THREADS, 1)
    cube_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                const __grid_constant__ kn_cuda_cube cube, double lose)
{
    extern __shared__ __align__(16) float tile[]; /* [2][CELLS][nnodes]: streamed cells, their round-off */
    const int k = 2 * (threadIdx.x % (KN_CUDA_SHORT / 2)), octant = threadIdx.x / (KN_CUDA_SHORT / 2),
              first = first_cell(cube, blockIdx.x);
    allow_next_kernel();
    const long long start = clock64();
    if (k < p.mesh.stride) {
        speeds c;
#pragma unroll
        for (int a = 0; a < 3; a++) {
            const float courant = s.dt_stream / kn_mesh_width(&p.mesh, first, a);
            const float2 speed = *(const float2 *)(p.speed[a] + k);
            c.v[a] = two{{speed.x * courant, speed.y * courant}};
        }
        stream_octant<LIMITER>(p.between_cells, course_of(p, s, cube, first, octant, k, tile), c);
    }
    __syncthreads();
    const long long middle = clock64();
    finish_cell(p, s, cube, lose, first, tile);
    wait_for_previous_kernel();
    note_cycles(p, blockIdx.x == 0, start, middle);
}

cudaError_t kn_cuda_march_cube(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                               const struct kn_cuda_cube *cube, cudaStream_t stream)
{
    const size_t bytes = 2 * CELLS * (size_t)p->mesh.nnodes * sizeof(float);
    const auto kernel =
        p->limiter == KN_LIMITER_NONE ? cube_kernel<KN_LIMITER_NONE> : cube_kernel<KN_LIMITER_VAN_LEER>;
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    return launch_overlapping(kernel, (unsigned)(cube->tiles[0] * cube->tiles[1] * cube->tiles[2]), THREADS,
                              bytes, stream, s->behind_walls, *p, *s, *cube, -expm1(-s->dt_collide));
}
