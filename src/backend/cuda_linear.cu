/* Streaming alone or with linearised BGK, the commonest step: one block per
 * cell, h in registers in between.  A thread takes four nodes, of OCTANTS octants. */
#include "backend/cuda_rows.h"

enum { INVARIANTS_SHARED = 32 * KN_INVARIANTS };

/* Four nodes, by |v|. */
struct quad_nodes {
    four w, v[3], vv;
};

static __device__ __forceinline__ quad_nodes nodes_of(const kn_cuda_problem &p, int k)
{
    return quad_nodes{read4(p.w + k),
                      {read4(p.speed[0] + k), read4(p.speed[1] + k), read4(p.speed[2] + k)},
                      read4(p.square + k)};
}

/* ------------------------------------------------------- where rows come from */

/* First order: the rows that flow into each octant of the cell; ~face where a wall emits. */
struct inflow {
    int64_t up[8][3];
    float courant[3];
    int walls; /* a wall emits into the cell */
};

template <class ROWS>
static __device__ void find_inflow(const kn_cuda_problem &p, int first, int end, float dt, ROWS *rows)
{
    for (int c = threadIdx.x; c < end - first; c += blockDim.x)
        rows[c].f.walls = 0;
    __syncthreads();
    for (int t = threadIdx.x; t < 3 * p.mesh.octants * (end - first); t += blockDim.x) {
        const int c = t / (3 * p.mesh.octants), octant = t / 3 % p.mesh.octants, a = t % 3;
        if (a >= p.mesh.naxes)
            continue;
        const kn_site site = {first + c, octant}, up = kn_mesh_walk(&p.mesh, site, p.mesh.axes[a], 0);
        rows[c].f.up[octant][a] = up.cell < 0 ? up.cell : kn_mesh_row(&p.mesh, up);
        rows[c].f.courant[a] = dt / kn_mesh_width(&p.mesh, site.cell, p.mesh.axes[a]);
        if (up.cell < 0)
            atomicOr(&rows[c].f.walls, 1);
    }
    __syncthreads();
}

/* Octants `first` and on of a cell that no wall emits into: nothing but loads
 * first, so that many are under way at once. */
template <int OCTANTS, int NAXES>
static __device__ __forceinline__ void donor_inside(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                    const inflow &f, int cell, int first, int k,
                                                    four h[OCTANTS], float *lost)
{
    four in[OCTANTS][NAXES], speed[NAXES];
#pragma unroll
    for (int o = 0; o < OCTANTS; o++) {
        const kn_site site = {cell, first + o};
        h[o] = read4(s.h + kn_mesh_row(&p.mesh, site) + k);
#pragma unroll
        for (int a = 0; a < NAXES; a++)
            in[o][a] = read4(s.h + f.up[first + o][a] + k);
    }
    const four w = read4(p.w + k);
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
                change += speed[a].v[i] * (in[o][a].v[i] - here);
            h[o].v[i] = here + change;
            *lost += w.v[i] * kn_stream_lost(here, change, h[o].v[i]);
        }
}

static __device__ __forceinline__ four donor(const kn_cuda_problem &p, const kn_cuda_step &s, const inflow &f,
                                             kn_site site, int k, float *lost)
{
    const four here = read4(s.h + kn_mesh_row(&p.mesh, site) + k);
    four in[3], change = {{0, 0, 0, 0}};
#pragma unroll
    for (int a = 0; a < 3; a++)
        if (a < p.mesh.naxes) {
            const int64_t up = f.up[site.octant][a];
            in[a] = up < 0 ? leaving<1>(p, s.h, (int)~up, site.octant, s.dt_stream, k) : read4(s.h + up + k);
        }
#pragma unroll
    for (int a = 0; a < 3; a++)
        if (a < p.mesh.naxes) {
            const four speed = read4(p.speed[p.mesh.axes[a]] + k);
#pragma unroll
            for (int i = 0; i < 4; i++)
                change.v[i] += f.courant[a] * speed.v[i] * (in[a].v[i] - here.v[i]);
        }
    return add_change(p, site, s.dt_stream, k, read4(p.w + k), here, change, lost);
}

/* Second order: stencils of the faces through which octants flow out of the cell
 * and into it.  An inflow through a wall has none. */
struct stencils {
    kn_stencil out[8][3], in[8][3];
    int up[8][3]; /* cell, or ~face */
    int walls;    /* some stencil ends at a wall */
};

static __device__ bool ends_at_wall(const kn_cuda_problem &p, const kn_stencil &t)
{
    return t.up < 0 || t.down < 0 || t.transverse < p.mesh.naxes - 1;
}

template <class ROWS>
static __device__ void find_stencils(const kn_cuda_problem &p, int first, int end, float dt, ROWS *rows)
{
    for (int c = threadIdx.x; c < end - first; c += blockDim.x)
        rows[c].f.walls = 0;
    __syncthreads();
    for (int t = threadIdx.x; t < 6 * p.mesh.octants * (end - first); t += blockDim.x) {
        const int c = t / (6 * p.mesh.octants), octant = t / 6 % p.mesh.octants, a = t % 3;
        if (a >= p.mesh.naxes)
            continue;
        const bool outflow = t % 6 < 3;
        const kn_site site = {first + c, octant}, up = kn_mesh_walk(&p.mesh, site, p.mesh.axes[a], 0);
        rows[c].f.up[octant][a] = up.cell;
        if (!outflow && up.cell < 0)
            continue;
        const kn_stencil found = kn_mesh_stencil(&p.mesh, outflow ? site : up, p.mesh.axes[a], dt);
        (outflow ? rows[c].f.out : rows[c].f.in)[octant][a] = found;
        if (up.cell < 0 || ends_at_wall(p, found))
            atomicOr(&rows[c].f.walls, 1);
    }
    __syncthreads();
}

/* A site whose stencils lie all inside the gas: every row is read once. */
template <int NAXES, int LIMITER>
static __device__ __forceinline__ four muscl_inside(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                    const stencils &f, kn_site site, int k, float *lost)
{
    const kn_stencil *const out = f.out[site.octant], *const in = f.in[site.octant];
    four up[NAXES], down[NAXES], second[NAXES], corner[NAXES][NAXES], speed[NAXES], change;
    const four here = read4(s.h + out[0].here + k), w = read4(p.w + k);
#pragma unroll
    for (int a = 0; a < NAXES; a++) {
        up[a] = read4(s.h + out[a].up + k);
        down[a] = read4(s.h + out[a].down + k);
        second[a] = read4(s.h + in[a].up + k);
        speed[a] = read4(p.speed[p.mesh.axes[a]] + k);
#pragma unroll
        for (int j = 0; j < NAXES - 1; j++)
            corner[a][j] = read4(s.h + in[a].side[j] + k);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        change.v[i] = 0;
#pragma unroll
        for (int a = 0; a < NAXES; a++) {
            const float step = here.v[i] - up[a].v[i];
            float across_out = 0, across_in = 0;
#pragma unroll
            for (int j = 0; j < NAXES - 1; j++) {
                const int b = j + (j >= a); /* the other axes, in the order of the stencil */
                across_out += out[a].side_courant[j] * speed[b].v[i] * (here.v[i] - up[b].v[i]);
                across_in += in[a].side_courant[j] * speed[b].v[i] * (up[a].v[i] - corner[a][j].v[i]);
            }
            const float slope_out = kn_stream_slope(LIMITER, step * out[a].up_scale,
                                                    (down[a].v[i] - here.v[i]) * out[a].down_scale);
            const float slope_in = kn_stream_slope(LIMITER, (up[a].v[i] - second[a].v[i]) * in[a].up_scale,
                                                   step * in[a].down_scale);
            const float outflow = kn_stream_face(here.v[i], slope_out, out[a].courant * speed[a].v[i], across_out);
            const float inflow = kn_stream_face(up[a].v[i], slope_in, in[a].courant * speed[a].v[i], across_in);
            change.v[i] -= out[a].courant * speed[a].v[i] * (outflow - inflow);
        }
    }
    return add_change(p, site, s.dt_stream, k, w, here, change, lost);
}

template <int NAXES>
static __device__ __forceinline__ four muscl_limited(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                     const stencils &f, kn_site site, int k, float *lost)
{
    switch (p.limiter) {
    case 0:
        return muscl_inside<NAXES, 0>(p, s, f, site, k, lost);
    case 1:
        return muscl_inside<NAXES, 1>(p, s, f, site, k, lost);
    case 2:
        return muscl_inside<NAXES, 2>(p, s, f, site, k, lost);
    default:
        return muscl_inside<NAXES, 3>(p, s, f, site, k, lost);
    }
}

static __device__ __forceinline__ four muscl(const kn_cuda_problem &p, const kn_cuda_step &s, const stencils &f,
                                             kn_site site, int k, float *lost)
{
    const four here = read4(s.h + kn_mesh_row(&p.mesh, site) + k);
    four change = {{0, 0, 0, 0}};
#pragma unroll
    for (int a = 0; a < 3; a++) {
        if (a >= p.mesh.naxes)
            break;
        const int axis = p.mesh.axes[a], up = f.up[site.octant][a];
        const kn_stencil &in = f.in[site.octant][a], &out = f.out[site.octant][a];
        const four speed = read4(p.speed[axis] + k);
        four inflow = here, ghost = here;
        if (up < 0)
            inflow = leaving<2>(p, s.h, ~up, site.octant, s.dt_stream, k);
        else if (in.up < 0) /* behind the cell upwind is a wall; a mirror in between turns the octant */
            ghost = leaving<2>(p, s.h, (int)~in.up, (int)(in.here / p.mesh.stride) % p.mesh.octants,
                               s.dt_stream, k);
        const four outflow = face_values(p, s.h, out, axis, k, inflow);
        if (up >= 0)
            inflow = face_values(p, s.h, in, axis, k, ghost);
#pragma unroll
        for (int i = 0; i < 4; i++)
            change.v[i] -= out.courant * speed.v[i] * (outflow.v[i] - inflow.v[i]);
    }
    return add_change(p, site, s.dt_stream, k, read4(p.w + k), here, change, lost);
}

template <int OCTANTS>
static __device__ __forceinline__ void stream_octants(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                      const inflow &f, int cell, int first, int k,
                                                      four h[OCTANTS], float *lost)
{
    if (!f.walls && p.mesh.naxes == 2)
        return donor_inside<OCTANTS, 2>(p, s, f, cell, first, k, h, lost);
    if (!f.walls && p.mesh.naxes == 3)
        return donor_inside<OCTANTS, 3>(p, s, f, cell, first, k, h, lost);
#pragma unroll
    for (int o = 0; o < OCTANTS; o++)
        h[o] = donor(p, s, f, kn_site{cell, first + o}, k, lost);
}

template <int OCTANTS>
static __device__ __forceinline__ void stream_octants(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                      const stencils &f, int cell, int first, int k,
                                                      four h[OCTANTS], float *lost)
{
#pragma unroll
    for (int o = 0; o < OCTANTS; o++) {
        const kn_site site = {cell, first + o};
        if (f.walls || p.mesh.naxes < 2)
            h[o] = muscl(p, s, f, site, k, lost);
        else
            h[o] = p.mesh.naxes == 2 ? muscl_limited<2>(p, s, f, site, k, lost)
                                     : muscl_limited<3>(p, s, f, site, k, lost);
    }
}

/* ------------------------------------------------------------------- collisions */

/* Mass, momentum and energy of a thread's nodes; mass in double, or rounding
 * would move it step after step. */
struct quad_sums {
    double mass;
    float flow[4];
};

/* Octants are added with their signs first; those along folded axes are zero. */
template <int OCTANTS>
static __device__ __forceinline__ quad_sums sums_of(const quad_nodes &n, const float sign[OCTANTS][3],
                                                    const four h[OCTANTS])
{
    quad_sums sum = {0, {0, 0, 0, 0}};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float even = 0, odd[3] = {0, 0, 0};
#pragma unroll
        for (int o = 0; o < OCTANTS; o++) {
            even += h[o].v[i];
            for (int d = 0; d < 3; d++)
                odd[d] += sign[o][d] * h[o].v[i];
        }
        sum.mass += (double)n.w.v[i] * even;
        for (int d = 0; d < 3; d++)
            sum.flow[d] += n.w.v[i] * n.v[d].v[i] * odd[d];
        sum.flow[3] += n.w.v[i] * n.vv.v[i] * even;
    }
    return sum;
}

/* Coefficients of the target polynomial times `lose`, from all threads of the block. */
static __device__ void target(const kn_cuda_problem &p, quad_sums sum, double lose, double *space, float *x)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum.mass += __shfl_xor_sync(0xffffffffu, sum.mass, offset);
        for (int i = 0; i < 4; i++)
            sum.flow[i] += __shfl_xor_sync(0xffffffffu, sum.flow[i], offset);
    }
    if (lane == 0) {
        space[warp] = sum.mass;
        for (int i = 0; i < 4; i++)
            space[32 * (1 + i) + warp] = sum.flow[i];
    }
    __syncthreads();
    if (warp == 0) {
        double m = 0, total = 0;
        for (int w = 0; w < warps && lane < KN_INVARIANTS; w++)
            m += space[32 * lane + w];
        for (int j = 0; j < KN_INVARIANTS; j++)
            total += p.inverse[lane < KN_INVARIANTS ? lane : 0][j] * __shfl_sync(0xffffffffu, m, j);
        if (lane < KN_INVARIANTS)
            x[lane] = (float)(lose * total);
    }
    __syncthreads();
}

template <int OCTANTS>
static __device__ __forceinline__ void relax(const kn_cuda_problem &p, const quad_nodes &n, int k,
                                             const float sign[OCTANTS][3], const float *x, float lose,
                                             four h[OCTANTS], float *lost)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float even = x[0] + x[4] * n.vv.v[i], part = k + i < p.size ? 1.0f : 0.0f;
        const float odd[3] = {x[1] * n.v[0].v[i], x[2] * n.v[1].v[i], x[3] * n.v[2].v[i]};
        float sum = 0;
#pragma unroll
        for (int o = 0; o < OCTANTS; o++) {
            const float towards = even + sign[o][0] * odd[0] + sign[o][1] * odd[1] + sign[o][2] * odd[2];
            const float old = h[o].v[i], change = part * (towards - lose * old);
            h[o].v[i] = old + change;
            sum += kn_stream_lost(old, change, h[o].v[i]);
        }
        *lost += n.w.v[i] * sum;
    }
}

/* Where the rows of one cell come from. */
template <int ORDER> struct upwind;
template <> struct upwind<1> {
    enum { RUN = 8 };
    inflow f;
};
template <> struct upwind<2> {
    enum { RUN = 2 };
    stencils f;
};

static __device__ void find_rows(const kn_cuda_problem &p, int first, int end, float dt, upwind<1> *rows)
{
    find_inflow(p, first, end, dt, rows);
}

static __device__ void find_rows(const kn_cuda_problem &p, int first, int end, float dt, upwind<2> *rows)
{
    find_stencils(p, first, end, dt, rows);
}

/* What all threads have lost to rounding. */
static __device__ __forceinline__ float sum_lost(float lost, float *space)
{
    for (int offset = 16; offset > 0; offset /= 2)
        lost += __shfl_xor_sync(0xffffffffu, lost, offset);
    if (threadIdx.x % 32 == 0)
        space[threadIdx.x / 32] = lost;
    __syncthreads();
    float total = 0;
    for (int w = 0; w < (int)blockDim.x / 32; w++)
        total += space[w];
    return total;
}

/* One block per run of cells: finding neighbours takes long, but as long for
 * many cells as for one. */
template <int ORDER, int OCTANTS>
static __global__ void __launch_bounds__(512, 1)
    linear_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s, double lose,
                  int run)
{
    __shared__ double space[INVARIANTS_SHARED];
    __shared__ float x[KN_INVARIANTS], lost_space[2][32];
    __shared__ upwind<ORDER> rows[upwind<ORDER>::RUN];
    const int quads = p.mesh.stride / 4, group = threadIdx.x / quads;
    const int octant = group * OCTANTS, k = 4 * (threadIdx.x - group * quads);
    const int first = blockIdx.x * run, end = first + run < p.ncells ? first + run : p.ncells;
    const bool active = octant < p.mesh.octants; /* the last warp may have threads to spare */
    const long long start = clock64();
    long long streaming = 0;
    if (s.dt_stream > 0)
        find_rows(p, first, end, s.dt_stream, rows);
    const quad_nodes n = nodes_of(p, active ? k : 0);
    float sign[OCTANTS][3];
#pragma unroll
    for (int o = 0; o < OCTANTS; o++)
        signs_of(p.mesh, octant + o, sign[o]);
    for (int cell = first; cell < end; cell++) {
        const long long begin = clock64();
        four h[OCTANTS];
        float lost = 0;
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            h[o] = four{{0, 0, 0, 0}};
        if (active && s.dt_stream > 0)
            stream_octants<OCTANTS>(p, s, rows[cell - first].f, cell, octant, k, h, &lost);
        else if (active)
#pragma unroll
            for (int o = 0; o < OCTANTS; o++)
                h[o] = read4(s.h + kn_mesh_row(&p.mesh, kn_site{cell, octant + o}) + k);
        streaming += clock64() - begin;
        if (p.method == METHOD_BGK) {
            target(p, sums_of<OCTANTS>(n, sign, h), lose, space, x);
            if (active)
                relax<OCTANTS>(p, n, k, sign, x, (float)lose, h, &lost);
        }
        const float back = sum_lost(lost, lost_space[cell & 1]);
#pragma unroll
        for (int o = 0; o < OCTANTS && active; o++) {
            const int at = (octant + o) * p.mesh.stride + k;
            if (at / 4 == s.heavy / 4)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    h[o].v[i] += at + i == s.heavy ? back / n.w.v[i] : 0.0f;
            *(float4 *)(s.next + (int64_t)cell * p.mesh.nnodes + at) =
                make_float4(h[o].v[0], h[o].v[1], h[o].v[2], h[o].v[3]);
        }
    }
    note_cycles(p, start, start + streaming);
}

bool kn_cuda_linear_fits(const struct kn_cuda_problem *p)
{
    const bool linear = p->method == METHOD_NONE ||
                        (p->method == METHOD_BGK && p->eps == 0 && p->conservation != CONSERVE_NONE);
    return linear && !p->source && p->mesh.stride / 4 <= 512;
}

template <int ORDER, int OCTANTS>
static void launch(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    const int threads = (p->mesh.octants / OCTANTS * (p->mesh.stride / 4) + 31) / 32 * 32;
    /* runs only where there are enough cells to fill the card many times over */
    const int share = p->ncells / (132 * 16), most = upwind<ORDER>::RUN,
              run = share < 1 ? 1 : share > most ? most : share;
    linear_kernel<ORDER, OCTANTS><<<(unsigned)((p->ncells + run - 1) / run), threads, 0, stream>>>(
        *p, *s, -expm1(-s->dt_collide), run);
}

/* As few octants per thread as leave blocks of a handy size. */
template <int ORDER>
static void launch_order(const kn_cuda_problem *p, const kn_cuda_step *s, int threads, cudaStream_t stream)
{
    const int quads = p->mesh.stride / 4, octants = p->mesh.octants;
    if (octants * quads <= threads)
        launch<ORDER, 1>(p, s, stream);
    else if (octants % 2 == 0 && octants / 2 * quads <= threads)
        launch<ORDER, 2>(p, s, stream);
    else if (octants % 4 == 0 && octants / 4 * quads <= threads)
        launch<ORDER, 4>(p, s, stream);
    else if (octants == 8)
        launch<ORDER, 8>(p, s, stream);
    else if (octants == 4)
        launch<ORDER, 4>(p, s, stream);
    else if (octants == 2)
        launch<ORDER, 2>(p, s, stream);
    else
        launch<ORDER, 1>(p, s, stream);
}

cudaError_t kn_cuda_linear(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream)
{
    if (p->order == 1)
        launch_order<1>(p, s, 128, stream);
    else
        launch_order<2>(p, s, 256, stream);
    return cudaGetLastError();
}
