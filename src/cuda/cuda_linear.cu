/* Streaming alone or with linearised BGK, with h in registers. A thread processes four nodes in all
 * octants of a cell; a cell is processed by some lanes of a warp, or by a block. */
#include "cuda/cuda_linear.h"
#include "cuda/cuda_plain.h"

/* Most cells of a block. Short rows at first order take several passes: finding the rows takes as long for
 * many cells as for few. */
template <int ORDER, int OCTANTS, int LANES> static __host__ __device__ constexpr int most_cells()
{
    return ORDER > 1 || LANES > WARP ? 8 : OCTANTS == 8 ? 16 : 32;
}

/* First order: the rows that flow into each octant of a cell, from cells or walls. */
template <int OCTANTS, int NAXES> struct upwind_rows {
    int64_t up[OCTANTS][NAXES]; /* from s.h, also to `outgoing`: loads from a kernel argument are faster */
    float courant[NAXES];
    int walls; /* bit mask of the octants into which a wall emits */
};

template <int OCTANTS, int NAXES>
static __device__ void find_rows(const kn_cuda_problem &p, const kn_cuda_step &s, kn_site site, int a,
                                 upwind_rows<OCTANTS, NAXES> *f)
{
    const kn_site up = kn_mesh_walk(&p.mesh, site, p.mesh.axes[a], 0);
    f->up[site.octant][a] = kn_mesh_at(s.h, p.outgoing, kn_mesh_source(&p.mesh, up)) - s.h;
    f->courant[a] = s.dt_stream / kn_mesh_width(&p.mesh, site.cell, p.mesh.axes[a]);
    if (up.cell < 0)
        atomicOr(&f->walls, 1 << site.octant);
}

/* Above first order: the stencils of the faces through which an octant flows out of the cell and into it. An
 * inflow through a wall has no stencil. */
template <int OCTANTS, int NAXES> struct stencils {
    kn_stencil out[OCTANTS][NAXES], in[OCTANTS][NAXES];
    const float *wall[OCTANTS][NAXES]; /* the row that flows in from a wall; NULL: `in` */
    float courant[NAXES];
    int walls; /* bit mask of the octants with a stencil that ends at a wall */
};

static __device__ bool ends_at_wall(const kn_cuda_problem &p, const kn_stencil &t)
{
    return t.up < 0 || t.down < 0 || t.transverse < p.mesh.naxes - 1;
}

template <int OCTANTS, int NAXES>
static __device__ void find_rows(const kn_cuda_problem &p, const kn_cuda_step &s, kn_site site, int a,
                                 stencils<OCTANTS, NAXES> *f)
{
    const int octant = site.octant;
    const kn_site up = kn_mesh_walk(&p.mesh, site, p.mesh.axes[a], 0);
    const kn_stencil out = kn_mesh_stencil(&p.mesh, site, p.mesh.axes[a], p.order, s.dt_stream);
    bool wall = up.cell < 0 || ends_at_wall(p, out);
    f->wall[octant][a] = up.cell < 0 ? p.outgoing + ~kn_mesh_source(&p.mesh, up) : NULL;
    f->out[octant][a] = out;
    f->courant[a] = out.courant;
    if (up.cell >= 0) {
        const kn_stencil in = kn_mesh_stencil(&p.mesh, up, p.mesh.axes[a], p.order, s.dt_stream);
        f->in[octant][a] = in;
        wall |= ends_at_wall(p, in);
    }
    if (wall)
        atomicOr(&f->walls, 1 << octant);
}

/* Slopes of linear_kernel: weighted means or limited; PLAIN: in cells of equal width, the limiter is that of
 * van Leer. */
enum slopes { WEIGHTED, LIMITED, PLAIN_WEIGHTED, PLAIN_LIMITED };

static __device__ __forceinline__ constexpr bool is_plain(slopes s)
{
    return s == PLAIN_WEIGHTED || s == PLAIN_LIMITED;
}

/* First order; all loads come first, so that many are in flight at once. */
template <int OCTANTS, int NAXES, slopes SLOPES>
static __device__ __forceinline__ float stream(const kn_cuda_problem &p, const kn_cuda_step &s,
                                               const upwind_rows<OCTANTS, NAXES> &f, kn_site site, int k,
                                               four h[OCTANTS], float lost[4])
{
    const int64_t row = kn_mesh_row(&p.mesh, site);
    four in[OCTANTS][NAXES], speed[NAXES];
    if (f.walls)
        wait_for_previous_kernel();
#pragma unroll
    for (int o = 0; o < OCTANTS; o++) {
        h[o] = read4(s.h + row + o * p.mesh.stride + k);
#pragma unroll
        for (int a = 0; a < NAXES; a++)
            in[o][a] = read4(s.h + f.up[o][a] + k);
    }
#pragma unroll
    for (int a = 0; a < NAXES; a++) {
        speed[a] = read4(p.speed[p.mesh.axes[a]] + k);
        for (int i = 0; i < 4; i++)
            speed[a].v[i] *= f.courant[a];
    }
#pragma unroll
    for (int o = 0; o < OCTANTS; o++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float here = h[o].v[i];
            float change = 0;
#pragma unroll
            for (int a = 0; a < NAXES; a++)
                change += kn_stream_flow(speed[a].v[i], in[o][a].v[i], here);
            h[o].v[i] = here + change;
            lost[i] += kn_stream_lost(here, change, h[o].v[i]);
        }
    return 0;
}

/* The diagonal neighbour that the upwind cells along two axes share: a transverse row of the stencil
 * upwind along a. */
template <int NAXES> static __device__ __forceinline__ int64_t corner_row(const kn_stencil in[NAXES], int a)
{
    return in[a].side[NAXES == 3 && a == 1 ? 1 : 0]; /* of axes (0, 1), (1, 2), (2, 0) */
}

/* The change of one node of an octant, in cells of any width. */
template <int NAXES>
static __device__ __forceinline__ float muscl_change(int limiter, const kn_stencil out[NAXES],
                                                     const kn_stencil in[NAXES], const surroundings<NAXES> &n)
{
    float change = 0;
#pragma unroll
    for (int a = 0; a < NAXES; a++) {
        const float step = n.here - n.up[a];
        float across_out = 0, across_in = 0;
#pragma unroll
        for (int j = 0; j < NAXES - 1; j++) {
            const int b = j + (j >= a); /* the other axes, in the order of the stencil */
            across_out += kn_stream_flow(out[a].side_courant[j] * n.speed[b], n.here, n.up[b]);
            across_in +=
                kn_stream_flow(in[a].side_courant[j] * n.speed[b], n.up[a], n.corner[corner_of(NAXES, a, b)]);
        }
        const float courant_out = out[a].courant * n.speed[a], courant_in = in[a].courant * n.speed[a];
        const float slope_out =
            kn_stream_slope(limiter, step * out[a].up_scale, (n.down[a] - n.here) * out[a].down_scale,
                            kn_stream_weigh(out[a].weight, courant_out));
        const float slope_in =
            kn_stream_slope(limiter, (n.up[a] - n.second[a]) * in[a].up_scale, step * in[a].down_scale,
                            kn_stream_weigh(in[a].weight, courant_in));
        const float outflow = kn_stream_face(n.here, slope_out, courant_out, across_out);
        const float inflow = kn_stream_face(n.up[a], slope_in, courant_in, across_in);
        change -= kn_stream_flow(courant_out, outflow, inflow);
    }
    return change;
}

/* The rows of an octant whose stencils are inside the gas, each read once. */
template <int NAXES> struct muscl_rows {
    four here, up[NAXES], down[NAXES], second[NAXES], corner[NAXES];
};

template <int OCTANTS, int NAXES>
static __device__ __forceinline__ muscl_rows<NAXES> read_rows(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                              const stencils<OCTANTS, NAXES> &f, kn_site site,
                                                              int k)
{
    enum { CORNERS = NAXES == 3 ? 3 : NAXES - 1 };
    const kn_stencil *const out = f.out[site.octant], *const in = f.in[site.octant];
    muscl_rows<NAXES> r;
    r.here = read4(s.h + kn_mesh_row(&p.mesh, site) + k);
#pragma unroll
    for (int a = 0; a < NAXES; a++) {
        r.up[a] = read4(s.h + out[a].up + k);
        r.down[a] = read4(s.h + out[a].down + k);
        r.second[a] = read4(s.h + in[a].up + k);
        r.corner[a] = a < CORNERS ? read4(s.h + corner_row<NAXES>(in, a) + k) : four{{0, 0, 0, 0}};
    }
    return r;
}

template <int OCTANTS, int NAXES, slopes SLOPES>
static __device__ __forceinline__ four muscl_inside(const kn_cuda_problem &p,
                                                    const stencils<OCTANTS, NAXES> &f, int octant,
                                                    const muscl_rows<NAXES> &r, const four speed[NAXES],
                                                    float lost[4])
{
    four h;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        surroundings<NAXES> n = {r.here.v[i]};
#pragma unroll
        for (int a = 0; a < NAXES; a++) {
            n.up[a] = r.up[a].v[i];
            n.down[a] = r.down[a].v[i];
            n.second[a] = r.second[a].v[i];
            n.corner[a] = r.corner[a].v[i];
            n.speed[a] = speed[a].v[i];
        }
        if (SLOPES == LIMITED)
            __builtin_assume(p.limiter != KN_LIMITER_NONE);
        const int limiter = SLOPES == PLAIN_LIMITED ? KN_LIMITER_VAN_LEER
                            : SLOPES == LIMITED     ? p.limiter
                                                    : KN_LIMITER_NONE;
        const float change = is_plain(SLOPES) ? plain_change<NAXES>(limiter, p.between_cells, n)
                                              : muscl_change<NAXES>(limiter, f.out[octant], f.in[octant], n);
        h.v[i] = n.here + change;
        lost[i] += kn_stream_lost(n.here, change, h.v[i]);
    }
    return h;
}

/* One octant inside the gas of a cell at a wall. */
template <int OCTANTS, int NAXES, slopes SLOPES>
static __device__ __forceinline__ streamed_quad muscl_beside_wall(const kn_cuda_problem &p,
                                                                  const kn_cuda_step &s,
                                                                  const stencils<OCTANTS, NAXES> &f,
                                                                  kn_site site, int k,
                                                                  const four speed[NAXES])
{
    const four w = read4(p.w + k);
    float lost[4] = {0, 0, 0, 0};
    streamed_quad q;
    q.h = muscl_inside<OCTANTS, NAXES, SLOPES>(p, f, site.octant, read_rows<OCTANTS, NAXES>(p, s, f, site, k),
                                               speed, lost);
    q.lost = w.v[0] * lost[0] + w.v[1] * lost[1] + w.v[2] * lost[2] + w.v[3] * lost[3];
    return q;
}

/* One octant with a stencil that ends at a wall; a function call, as streamed_apart. */
template <int OCTANTS, int NAXES>
static __device__ __noinline__ streamed_quad muscl_at_wall(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                           const stencils<OCTANTS, NAXES> &f, kn_site site,
                                                           int k)
{
    const four here = read4(s.h + kn_mesh_row(&p.mesh, site) + k);
    four change = {{0, 0, 0, 0}};
    streamed_quad q;
#pragma unroll
    for (int a = 0; a < NAXES; a++) {
        const int axis = p.mesh.axes[a];
        const float *wall = f.wall[site.octant][a];
        const kn_stencil &out = f.out[site.octant][a];
        const four speed = read4(p.speed[axis] + k), outflow = face_values(p, s.h, out, axis, k),
                   inflow = wall ? read4(wall + k) : face_values(p, s.h, f.in[site.octant][a], axis, k);
#pragma unroll
        for (int i = 0; i < 4; i++)
            change.v[i] -= kn_stream_flow(out.courant * speed.v[i], outflow.v[i], inflow.v[i]);
    }
    q.lost = 0;
    q.h = sum_of(read4(p.w + k), here, change, &q.lost);
    return q;
}

/* Above first order. Returns the mass lost by round-off in octants at walls; `lost` is by node. */
template <int OCTANTS, int NAXES, slopes SLOPES>
static __device__ __forceinline__ float stream(const kn_cuda_problem &p, const kn_cuda_step &s,
                                               const stencils<OCTANTS, NAXES> &f, kn_site first, int k,
                                               four h[OCTANTS], float lost[4])
{
    const int cell = first.cell;
    float at_walls = 0;
    four speed[NAXES];
#pragma unroll
    for (int a = 0; a < NAXES; a++) {
        speed[a] = read4(p.speed[p.mesh.axes[a]] + k);
        for (int i = 0; i < 4 && is_plain(SLOPES); i++)
            speed[a].v[i] *= f.courant[a];
    }
    if (f.walls == 0) { /* the rows of an octant are loaded while the preceding octant is computed */
        muscl_rows<NAXES> next = read_rows<OCTANTS, NAXES>(p, s, f, kn_site{cell, 0}, k);
#pragma unroll
        for (int o = 0; o < OCTANTS; o++) {
            const muscl_rows<NAXES> rows = next;
            if (o + 1 < OCTANTS)
                next = read_rows<OCTANTS, NAXES>(p, s, f, kn_site{cell, o + 1}, k);
            h[o] = muscl_inside<OCTANTS, NAXES, SLOPES>(p, f, o, rows, speed, lost);
        }
        return 0;
    }
    wait_for_previous_kernel();
#pragma unroll
    for (int o = 0; o < OCTANTS; o++) {
        const kn_site site = {cell, o};
        const streamed_quad q = f.walls >> o & 1
                                    ? muscl_at_wall<OCTANTS, NAXES>(p, s, f, site, k)
                                    : muscl_beside_wall<OCTANTS, NAXES, SLOPES>(p, s, f, site, k, speed);
        h[o] = q.h;
        at_walls += q.lost;
    }
    return at_walls;
}

/* The sums of a cell over its LANES lanes, or over the block. Consecutive cells alternate between two
 * buffers, so that one barrier is sufficient. */
template <int LANES, int AXES>
static __device__ __forceinline__ sums sum_cell(sums sum, sums (*space)[MOST_WARPS], int parity)
{
    sum_lanes<(LANES < WARP ? LANES : WARP), AXES>(&sum);
    if (LANES <= WARP)
        return sum;
    sums *found = space[parity & 1];
    if (threadIdx.x % WARP == 0)
        found[threadIdx.x / WARP] = sum;
    __syncthreads();
    sum = found[0];
    for (int w = 1; w < (int)blockDim.x / WARP; w++) {
        sum.mass += found[w].mass;
        sum.energy += found[w].energy;
#pragma unroll
        for (int j = 0; j < AXES; j++)
            sum.momentum[j] += found[w].momentum[j];
    }
    return sum;
}

template <int ORDER, int OCTANTS, int NAXES> struct upwind;
template <int OCTANTS, int NAXES> struct upwind<1, OCTANTS, NAXES> {
    upwind_rows<OCTANTS, NAXES> f;
};
template <int OCTANTS, int NAXES> struct upwind<2, OCTANTS, NAXES> {
    stencils<OCTANTS, NAXES> f;
};

/* Find the rows of the cells of a block, with all of its threads. */
template <int OCTANTS, int NAXES, class UPWIND>
static __device__ __forceinline__ void find_all_rows(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                     int first, int count, UPWIND *rows)
{
    for (int c = threadIdx.x; c < count; c += blockDim.x)
        rows[c].f.walls = 0;
    __syncthreads();
    for (int t = threadIdx.x; t < NAXES * OCTANTS * count && s.dt_stream > 0; t += blockDim.x) {
        const int c = t / (NAXES * OCTANTS);
        find_rows(p, s, kn_site{p.sweep_order[first + c], t / NAXES % OCTANTS}, t % NAXES, &rows[c].f);
    }
    __syncthreads();
}

/* LANES of a warp per cell, or a block of at most LANES threads. A block processes a tile of cells: they
 * share rows, and the latency of finding neighbours is the same for many cells as for one. */
template <int ORDER, int OCTANTS, int NAXES, int LANES, slopes SLOPES>
static __global__ void __launch_bounds__(LANES > WARP ? LANES : 128, LANES > 128    ? 1
                                                                     : ORDER == 2   ? 3
                                                                     : OCTANTS == 8 ? 4
                                                                                    : 5)
    linear_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                  double lose, int run)
{
    enum { GROUP = LANES > WARP ? WARP : LANES };
    __shared__ sums space[2][MOST_WARPS];
    __shared__ upwind<ORDER, OCTANTS, NAXES> rows[most_cells<ORDER, OCTANTS, LANES>()];
    const int first = blockIdx.x * run, end = first + run < s.cells ? first + run : s.cells;
    const int across = LANES > WARP ? blockDim.x : LANES, team = threadIdx.x / across,
              teams = blockDim.x / across;
    const int k = 4 * (threadIdx.x - team * across);
    const bool active = k < p.mesh.stride; /* the last lanes may be idle */
    allow_next_kernel();
    const long long start = clock64();
    long long streaming = 0;
    find_all_rows<OCTANTS, NAXES>(p, s, first, end - first, rows);
    const octant_nodes<OCTANTS> n = octant_nodes_of<OCTANTS>(p, active ? k : 0);
    const int heavy = heaviest<GROUP>(active ? n.w.v[0] : 0.0f);
    for (int at = first; at < end; at += teams) {
        const long long begin = clock64();
        const int mine = (at + team < end ? at + team : end - 1) - first, cell = p.sweep_order[first + mine];
        const bool works = active && at + team < end;
        const int64_t row = (int64_t)cell * p.mesh.nnodes;
        four h[OCTANTS];
        float lost[4] = {0, 0, 0, 0}, walls = 0;
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            h[o] = four{{0, 0, 0, 0}};
        if (works && s.dt_stream > 0) {
            walls = stream<OCTANTS, NAXES, SLOPES>(p, s, rows[mine].f, kn_site{cell, 0}, k, h, lost);
            if (k == 0 && rows[mine].f.walls)
                walls += lost_at_walls(p, cell, s.dt_stream);
        } else if (works) {
#pragma unroll
            for (int o = 0; o < OCTANTS; o++)
                h[o] = read4(s.h + row + o * p.mesh.stride + k);
        }
        streaming += clock64() - begin;
        if (p.choice.collisions == KN_CUDA_PROJECT) {
            const sums sum = sum_cell<LANES, axes_of(OCTANTS)>(sums_of<OCTANTS>(n, h), space, at - first);
            if (works)
                relax<OCTANTS>(n, target_of<axes_of(OCTANTS)>(p, sum, lose), (float)lose, h, lost);
        }
        restore_mass<GROUP, OCTANTS>(n, lost, walls, heavy, s.heavy / p.mesh.stride, h);
#pragma unroll
        for (int o = 0; o < OCTANTS && works; o++)
            write4(s.next + row + o * p.mesh.stride + k, h[o]);
    }
    wait_for_previous_kernel();
    /* boundary tiles come first */
    note_cycles(p, s.cells == p.ncells && blockIdx.x == gridDim.x / 2, start, start + streaming);
}

template <int ORDER, int OCTANTS, int NAXES, int LANES, slopes SLOPES>
static cudaError_t launch(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    const int quads = p->mesh.stride / 4, threads = LANES > WARP ? (quads + WARP - 1) / WARP * WARP : 128;
    /* several cells per block only if they fill the GPU many times */
    const int least = LANES > WARP ? 1 : 128 / LANES, most = most_cells<ORDER, OCTANTS, LANES>(),
              share = s->cells / (16 * p->multiprocessors),
              run = share < least  ? least
                    : share > most ? most
                                   : share;
    return launch_overlapping(linear_kernel<ORDER, OCTANTS, NAXES, LANES, SLOPES>,
                              (unsigned)((s->cells + run - 1) / run), threads, 0, stream, s->behind_walls, *p,
                              *s, -expm1(-s->dt_collide), run);
}

/* Uniform meshes have specialised kernels. */
template <int ORDER, int OCTANTS, int NAXES, int LANES>
static cudaError_t launch_slopes(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    constexpr bool usual = ORDER == 2 && 1 << NAXES == OCTANTS && NAXES > 1;
    constexpr slopes limited = ORDER == 1 ? WEIGHTED : LIMITED,
                     plain_limited = usual ? PLAIN_LIMITED : limited,
                     plain_weighted = usual ? PLAIN_WEIGHTED : WEIGHTED;
    if (p->limiter == KN_LIMITER_NONE)
        return p->uniform ? launch<ORDER, OCTANTS, NAXES, LANES, plain_weighted>(p, s, stream)
                          : launch<ORDER, OCTANTS, NAXES, LANES, WEIGHTED>(p, s, stream);
    return p->uniform && p->limiter == KN_LIMITER_VAN_LEER
               ? launch<ORDER, OCTANTS, NAXES, LANES, plain_limited>(p, s, stream)
               : launch<ORDER, OCTANTS, NAXES, LANES, limited>(p, s, stream);
}

template <int ORDER, int OCTANTS, int NAXES>
static cudaError_t launch_lanes(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    const int quads = p->mesh.stride / 4;
    return quads <= 16    ? launch_slopes<ORDER, OCTANTS, NAXES, 16>(p, s, stream)
           : quads <= 128 ? launch_slopes<ORDER, OCTANTS, NAXES, 128>(p, s, stream)
                          : launch_slopes<ORDER, OCTANTS, NAXES, WARP * MOST_WARPS>(p, s, stream);
}

template <int ORDER>
static cudaError_t launch_order(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    const int octants = p->mesh.octants, naxes = p->mesh.naxes;
    if (octants == 8 && naxes == 3)
        return launch_lanes<ORDER, 8, 3>(p, s, stream);
    if (octants == 8 && naxes == 2)
        return launch_lanes<ORDER, 8, 2>(p, s, stream);
    if (octants == 8)
        return launch_lanes<ORDER, 8, 1>(p, s, stream);
    if (octants == 4 && naxes == 2)
        return launch_lanes<ORDER, 4, 2>(p, s, stream);
    if (octants == 4)
        return launch_lanes<ORDER, 4, 1>(p, s, stream);
    return launch_lanes<ORDER, 2, 1>(p, s, stream);
}

cudaError_t kn_cuda_linear(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream)
{
    return p->order == 1 ? launch_order<1>(p, s, stream) : launch_order<2>(p, s, stream);
}
