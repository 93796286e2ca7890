/* The time step on the device: walls, then streaming and collisions of each
 * group of cells in one pass, with h in shared memory in between. */
#include "backend/cuda_stream.h"

enum { METHOD_MONTE_CARLO, METHOD_BGK, METHOD_SHAKHOV, METHOD_ES_BGK, METHOD_NONE };
enum { CONSERVE_PROJECTION, CONSERVE_PAPER, CONSERVE_NONE };

/* -------------------------------------------------------------- reductions */

/* Sums over the threads of a block, in a fixed order; every thread gets them.
 * `space` holds N doubles per warp. */
template <int N> static __device__ void block_sum(double sum[N], double *space)
{
    const int warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
    for (int i = 0; i < N; i++)
        for (int offset = 16; offset > 0; offset /= 2)
            sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], offset);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < N; i++)
            space[warp * N + i] = sum[i];
    __syncthreads();
    for (int i = 0; i < N; i++) {
        sum[i] = 0;
        for (int w = 0; w < warps; w++)
            sum[i] += space[w * N + i];
    }
}

/* Signs of the velocity in an octant, 0 along folded axes (odd moments vanish there). */
static __device__ __forceinline__ void signs_of(const kn_mesh &m, int octant, float sign[3])
{
    for (int d = 0; d < 3; d++)
        sign[d] = m.bit[d] ? (octant & m.bit[d] ? -1.0f : 1.0f) : 0.0f;
}

/* ------------------------------------------------------------------- walls */

static __device__ void add_fluxes(const kn_cuda_problem &p, int octant, int axis, int k, const four &h,
                                  double sum[5])
{
    const four w = read4(p.w + k), speed = read4(p.speed[axis] + k), vv = read4(p.square + k);
    const four vx = read4(p.speed[0] + k), vy = read4(p.speed[1] + k), vz = read4(p.speed[2] + k);
    float sign[3];
    signs_of(p.mesh, octant, sign);
    for (int i = 0; i < 4; i++) {
        const double flux = (double)(sign[axis] * w.v[i]) * speed.v[i] * h.v[i];
        sum[0] += flux;
        sum[1] += flux * (sign[0] * vx.v[i]);
        sum[2] += flux * (sign[1] * vy.v[i]);
        sum[3] += flux * (sign[2] * vz.v[i]);
        sum[4] += flux * vv.v[i];
    }
}

/* One block per face: density of the emission from the flux that arrives. */
template <int ORDER>
static __global__ void density_kernel(const __grid_constant__ kn_cuda_problem p, const float *h, float dt)
{
    __shared__ double space[32];
    const int face = blockIdx.x, side = p.face_side[face], axis = side / 2, quads = p.mesh.stride / 4;
    double sum[1] = {0};
    if (!(p.emits >> side & 1))
        return;
    for (int octant = 0; octant < p.mesh.octants; octant++) {
        const kn_site s = {p.face_cell[face], octant};
        if (((octant & p.mesh.bit[axis]) == 0) != (side & 1))
            continue;
        for (int q = threadIdx.x; q < quads; q += blockDim.x) {
            const four in = arriving<ORDER>(p, h, s, axis, dt, 4 * q), w = read4(p.w + 4 * q);
            const four v = read4(p.speed[axis] + 4 * q);
            for (int i = 0; i < 4; i++)
                sum[0] += (double)w.v[i] * v.v[i] * in.v[i];
        }
    }
    block_sum<1>(sum, space);
    if (threadIdx.x == 0)
        p.density[face] = (float)kn_wall_density(sum[0], p.patch[2 * side], p.patch[2 * side + 1]);
}

/* What flies through a wall face or into a mirror; behind a site in front of a
 * mirror a wall may emit into the same cell. */
template <int ORDER>
static __device__ four passing(const kn_cuda_problem &p, const float *h, kn_site s, int axis, float dt, int k)
{
    const kn_site up = kn_mesh_walk(&p.mesh, s, axis, 0);
    if (ORDER == 1 || up.cell >= 0)
        return arriving<ORDER>(p, h, s, axis, dt, k);
    const four ghost = leaving<ORDER>(p, h, ~up.cell, s.octant, dt, k);
    return face_values(p, h, kn_mesh_stencil(&p.mesh, s, axis, dt), axis, k, ghost);
}

/* Everything that passes through one face; after all densities. */
template <int ORDER>
static __global__ void flux_kernel(const __grid_constant__ kn_cuda_problem p, const float *h, float dt)
{
    __shared__ double space[32 * 5];
    const int face = blockIdx.x, side = p.face_side[face], axis = side / 2, quads = p.mesh.stride / 4;
    const bool emits = p.emits >> side & 1;
    double sum[5] = {0, 0, 0, 0, 0};
    for (int octant = 0; octant < p.mesh.octants; octant++) {
        const bool arrives = ((octant & p.mesh.bit[axis]) == 0) == (side & 1);
        const kn_site s = {p.face_cell[face], arrives ? octant : octant ^ p.mesh.bit[axis]};
        for (int q = threadIdx.x; q < quads; q += blockDim.x)
            add_fluxes(p, octant, axis, 4 * q,
                       arrives || !emits ? passing<ORDER>(p, h, s, axis, dt, 4 * q)
                                         : leaving<ORDER>(p, h, face, octant, dt, 4 * q),
                       sum);
    }
    block_sum<5>(sum, space);
    if (threadIdx.x < 5)
        p.fluxes[5 * (int64_t)face + threadIdx.x] = sum[threadIdx.x];
}

template <int ORDER>
static cudaError_t launch_walls(const struct kn_cuda_problem *p, const float *h, float dt, bool fluxes,
                                cudaStream_t stream)
{
    const int quads = p->mesh.stride / 4, threads = quads <= 32 ? 32 : quads <= 64 ? 64 : 128;
    density_kernel<ORDER><<<(unsigned)p->nfaces, threads, 0, stream>>>(*p, h, dt);
    if (fluxes)
        flux_kernel<ORDER><<<(unsigned)p->nfaces, threads, 0, stream>>>(*p, h, dt);
    return cudaGetLastError();
}

cudaError_t kn_cuda_walls(const struct kn_cuda_problem *p, const float *h, float dt, bool fluxes,
                          cudaStream_t stream)
{
    if (p->nfaces == 0)
        return cudaSuccess;
    return p->order == 1 ? launch_walls<1>(p, h, dt, fluxes, stream)
                         : launch_walls<2>(p, h, dt, fluxes, stream);
}

/* ------------------------------------------------- one cell in linear order */

/* Invariants of four nodes, added in float: a thread has few of them. */
static __device__ __forceinline__ void add_invariants(const kn_cuda_problem &p, const float sign[3], int k,
                                                      const four &h, float sum[KN_INVARIANTS])
{
    const four w = read4(p.w + k), vv = read4(p.square + k);
    const four vx = read4(p.speed[0] + k), vy = read4(p.speed[1] + k), vz = read4(p.speed[2] + k);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float wh = w.v[i] * h.v[i];
        sum[0] += wh;
        sum[1] += wh * (sign[0] * vx.v[i]);
        sum[2] += wh * (sign[1] * vy.v[i]);
        sum[3] += wh * (sign[2] * vz.v[i]);
        sum[4] += wh * vv.v[i];
    }
}

static __device__ void add_moments(const kn_cuda_problem &p, const float sign[3], int k, const four &h,
                                   double m[KN_MOMENTS])
{
    const four w = read4(p.w + k), vv = read4(p.square + k);
    const four sx = read4(p.speed[0] + k), sy = read4(p.speed[1] + k), sz = read4(p.speed[2] + k);
    for (int i = 0; i < 4; i++) {
        const double wh = (double)w.v[i] * h.v[i];
        const double x = sign[0] * sx.v[i], y = sign[1] * sy.v[i], z = sign[2] * sz.v[i];
        m[KN_M_1] += wh;
        m[KN_M_X] += wh * x;
        m[KN_M_Y] += wh * y;
        m[KN_M_Z] += wh * z;
        m[KN_M_XX] += wh * ((double)sx.v[i] * sx.v[i]);
        m[KN_M_YY] += wh * ((double)sy.v[i] * sy.v[i]);
        m[KN_M_ZZ] += wh * ((double)sz.v[i] * sz.v[i]);
        m[KN_M_XY] += wh * (x * y);
        m[KN_M_XZ] += wh * (x * z);
        m[KN_M_YZ] += wh * (y * z);
        m[KN_M_XVV] += wh * (x * vv.v[i]);
        m[KN_M_YVV] += wh * (y * vv.v[i]);
        m[KN_M_ZVV] += wh * (z * vv.v[i]);
    }
}

/* Visit the four-node groups of a row that fall to this thread. */
#define FOR_QUADS(p, octant, k)                                                                              \
    for (int quad = threadIdx.x, octant = 0, k = 0; quad < (p).mesh.nnodes / 4; quad += blockDim.x)          \
        if ((octant = 4 * quad / (p).mesh.stride, k = 4 * quad - octant * (p).mesh.stride, true))

static __device__ void row_invariants(const kn_cuda_problem &p, const float *row, double m[KN_INVARIANTS],
                                      double *space)
{
    float part[KN_INVARIANTS] = {0, 0, 0, 0, 0}, sign[3];
    FOR_QUADS(p, octant, k)
    {
        signs_of(p.mesh, octant, sign);
        add_invariants(p, sign, k, read4(row + 4 * quad), part);
    }
    for (int i = 0; i < KN_INVARIANTS; i++)
        m[i] = part[i];
    block_sum<KN_INVARIANTS>(m, space);
}

static __device__ void row_moments(const kn_cuda_problem &p, const float *row, double m[KN_MOMENTS],
                                   double *space)
{
    float sign[3];
    for (int i = 0; i < KN_MOMENTS; i++)
        m[i] = 0;
    FOR_QUADS(p, octant, k)
    {
        signs_of(p.mesh, octant, sign);
        add_moments(p, sign, k, read4(row + 4 * quad), m);
    }
    block_sum<KN_MOMENTS>(m, space);
}

static __global__ void moments_kernel(const __grid_constant__ kn_cuda_problem p, const float *h,
                                      double *moments)
{
    __shared__ double space[32 * KN_MOMENTS];
    double m[KN_MOMENTS];
    const int64_t cell = blockIdx.x;
    row_moments(p, h + cell * p.mesh.nnodes, m, space);
    if (threadIdx.x == 0)
        for (int i = 0; i < KN_MOMENTS; i++)
            moments[cell * KN_MOMENTS + i] = m[i];
}

cudaError_t kn_cuda_moments(const struct kn_cuda_problem *p, const float *h, double *moments,
                            cudaStream_t stream)
{
    moments_kernel<<<p->ncells, 128, 0, stream>>>(*p, h, moments);
    return cudaGetLastError();
}

/* ------------------------------------------------------------- conservation */

static __device__ void project(const kn_cuda_problem &p, const double missing[KN_INVARIANTS],
                               double x[KN_INVARIANTS])
{
    for (int i = 0; i < KN_INVARIANTS; i++) {
        x[i] = 0;
        for (int j = 0; j < KN_INVARIANTS; j++)
            x[i] += p.inverse[i][j] * missing[j];
    }
}

/* <(1 + eps h) psi psi> of a row: the matrix of the paper's correction. */
template <class READ>
static __device__ void weighted_gram(const kn_cuda_problem &p, READ read,
                                     double a[KN_INVARIANTS][KN_INVARIANTS], double *space)
{
    double part[15];
    float sign[3];
    for (int i = 0; i < 15; i++)
        part[i] = 0;
    FOR_QUADS(p, octant, k)
    {
        signs_of(p.mesh, octant, sign);
        for (int n = 0; n < 4; n++) {
            const double wh = (double)p.eps * p.w[k + n] * read(4 * quad + n);
            const double psi[KN_INVARIANTS] = {1, sign[0] * p.speed[0][k + n], sign[1] * p.speed[1][k + n],
                                               sign[2] * p.speed[2][k + n], p.square[k + n]};
            for (int i = 0, at = 0; i < KN_INVARIANTS; i++)
                for (int j = 0; j <= i; j++, at++)
                    part[at] += wh * psi[i] * psi[j];
        }
    }
    block_sum<15>(part, space);
    for (int i = 0, at = 0; i < KN_INVARIANTS; i++)
        for (int j = 0; j <= i; j++, at++)
            a[i][j] = p.gram[i][j] + part[at];
}

/* Coefficients of the polynomial for the velocities of one octant given by |v|. */
static __device__ __forceinline__ void octant_polynomial(const double x[KN_INVARIANTS], const float sign[3],
                                                         float c[KN_INVARIANTS])
{
    c[0] = (float)x[0];
    c[4] = (float)x[4];
    for (int d = 0; d < 3; d++)
        c[1 + d] = (float)x[1 + d] * sign[d];
}

/* The correction of node k, and nothing for padding. */
static __device__ __forceinline__ float corrected(const kn_cuda_problem &p, const float c[KN_INVARIANTS],
                                                  float eps, int k, float h)
{
    if (k >= p.size)
        return h;
    return h + (1 + eps * h) * kn_collide_polynomial(c[0], c[1], c[2], c[3], c[4], p.speed[0][k],
                                                     p.speed[1][k], p.speed[2][k], p.square[k]);
}

/* ---------------------------------------------- model equations: a block per cell */

struct row_reader {
    const float *row;
    __device__ float operator()(int k) const
    {
        return row[k];
    }
};

/* Relax a row in place; linear BGK needs no correction afterwards. */
static __device__ void collide_model(const kn_cuda_problem &p, double dt, float *row, double *space)
{
    double before[KN_INVARIANTS], x[KN_INVARIANTS], m[KN_MOMENTS], field[14];
    float sign[3], c[KN_INVARIANTS];
    if (p.method == METHOD_BGK && p.eps == 0 && p.conservation != CONSERVE_NONE) {
        const double lose = -expm1(-dt);
        const float keep = (float)(1 - lose);
        row_invariants(p, row, before, space);
        project(p, before, x);
        for (int i = 0; i < KN_INVARIANTS; i++)
            x[i] *= lose;
        FOR_QUADS(p, octant, k)
        {
            signs_of(p.mesh, octant, sign);
            octant_polynomial(x, sign, c);
            const four vx = read4(p.speed[0] + k), vy = read4(p.speed[1] + k), vz = read4(p.speed[2] + k),
                       vv = read4(p.square + k);
            four h = read4(row + 4 * quad);
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (k + i < p.size)
                    h.v[i] = keep * h.v[i] + kn_collide_polynomial(c[0], c[1], c[2], c[3], c[4], vx.v[i],
                                                                   vy.v[i], vz.v[i], vv.v[i]);
            *(float4 *)(row + 4 * quad) = make_float4(h.v[0], h.v[1], h.v[2], h.v[3]);
        }
        return;
    }
    row_moments(p, row, m, space);
    for (int i = 0; i < 4; i++)
        before[i] = m[i];
    before[4] = m[KN_M_XX] + m[KN_M_YY] + m[KN_M_ZZ];
    kn_moments_to_fields(m, p.eps, field);
    const kn_relaxation r = kn_collide_relaxation(p.method - METHOD_BGK, p.eps, p.prandtl, dt, field);
    FOR_QUADS(p, octant, k)
    {
        signs_of(p.mesh, octant, sign);
        const kn_relaxation here = kn_relaxation_in_octant(r, sign[0], sign[1], sign[2]);
        for (int i = 0; i < 4; i++)
            if (k + i < p.size) {
                const float vx = p.speed[0][k + i], vy = p.speed[1][k + i], vz = p.speed[2][k + i];
                float next = kn_collide_relax(&here, p.eps, row[4 * quad + i], vx, vy, vz);
                if (p.method == METHOD_SHAKHOV)
                    next += kn_collide_heat_term(&here, p.eps, vx, vy, vz);
                row[4 * quad + i] = next;
            }
    }
    if (p.conservation == CONSERVE_NONE)
        return;
    double missing[KN_INVARIANTS];
    __syncthreads();
    row_invariants(p, row, missing, space);
    for (int i = 0; i < KN_INVARIANTS; i++)
        missing[i] = before[i] - missing[i];
    const bool weighted = p.conservation == CONSERVE_PAPER;
    if (weighted) {
        double a[KN_INVARIANTS][KN_INVARIANTS];
        const row_reader reader = {row};
        weighted_gram(p, reader, a, space);
        for (int i = 0; i < KN_INVARIANTS; i++)
            x[i] = missing[i];
        kn_collide_solve(a, x);
    } else {
        project(p, missing, x);
    }
    FOR_QUADS(p, octant, k)
    {
        signs_of(p.mesh, octant, sign);
        octant_polynomial(x, sign, c);
        for (int i = 0; i < 4; i++)
            row[4 * quad + i] = corrected(p, c, weighted ? p.eps : 0.0f, k + i, row[4 * quad + i]);
    }
}

/* Half a step of the sources, for the nodes of this thread. */
static __device__ void add_source(const kn_cuda_problem &p, double dt, float *row)
{
    const float half = (float)(0.5 * dt);
    FOR_QUADS(p, octant, k)
    {
        (void)octant;
        (void)k;
        for (int i = 0; i < 4; i++)
            row[4 * quad + i] += half * p.source[4 * quad + i];
    }
}

/* One block per cell.  The row waits in shared memory, or in its place in the
 * result where it is too long. */
template <int ORDER>
static __global__ void model_kernel(const __grid_constant__ kn_cuda_problem p,
                                    const __grid_constant__ kn_cuda_step s, bool staged)
{
    extern __shared__ float tile[];
    __shared__ double space[32 * 15];
    const int cell = blockIdx.x;
    float *out = s.next + (int64_t)cell * p.mesh.nnodes, *row = staged ? tile : out;
    FOR_QUADS(p, octant, k)
    {
        const kn_site site = {cell, octant};
        const four h = s.dt_stream > 0 ? streamed<ORDER>(p, s.h, site, s.dt_stream, k)
                                       : read4(s.h + kn_mesh_row(&p.mesh, site) + k);
        *(float4 *)(row + 4 * quad) = make_float4(h.v[0], h.v[1], h.v[2], h.v[3]);
    }
    if (p.source)
        add_source(p, s.dt_collide, row);
    __syncthreads();
    if (p.method != METHOD_NONE)
        collide_model(p, s.dt_collide, row, space);
    if (p.source)
        add_source(p, s.dt_collide, row);
    if (staged)
        for (int quad = threadIdx.x; quad < p.mesh.nnodes / 4; quad += blockDim.x)
            *(float4 *)(out + 4 * quad) = *(const float4 *)(row + 4 * quad);
}

/* Streaming alone or with linear BGK, the commonest step: a thread keeps its
 * nodes of all octants in registers, and h is read and written once. */
template <int ORDER, int OCTANTS, int PER>
static __global__ void __launch_bounds__(256)
    linear_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                  float keep, float lose)
{
    __shared__ double space[8 * KN_INVARIANTS], x[KN_INVARIANTS];
    const int cell = blockIdx.x, quads = p.mesh.stride / 4, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    four h[OCTANTS][PER];
    float sum[KN_INVARIANTS] = {0, 0, 0, 0, 0}, sign[3];
#pragma unroll
    for (int octant = 0; octant < OCTANTS; octant++) {
        const kn_site site = {cell, octant};
        signs_of(p.mesh, octant, sign);
#pragma unroll
        for (int i = 0; i < PER; i++) {
            const int quad = threadIdx.x + i * blockDim.x;
            if (quad < quads) {
                h[octant][i] = s.dt_stream > 0 ? streamed<ORDER>(p, s.h, site, s.dt_stream, 4 * quad)
                                               : read4(s.h + kn_mesh_row(&p.mesh, site) + 4 * quad);
                add_invariants(p, sign, 4 * quad, h[octant][i], sum);
            }
        }
    }
    if (p.method == METHOD_BGK) {
        for (int i = 0; i < KN_INVARIANTS; i++)
            for (int offset = 16; offset > 0; offset /= 2)
                sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], offset);
        if (lane == 0)
            for (int i = 0; i < KN_INVARIANTS; i++)
                space[warp * KN_INVARIANTS + i] = sum[i];
        __syncthreads();
        if (threadIdx.x < KN_INVARIANTS) {
            double total = 0;
            for (int j = 0; j < KN_INVARIANTS; j++) {
                double m = 0;
                for (int w = 0; w < (int)blockDim.x / 32; w++)
                    m += space[w * KN_INVARIANTS + j];
                total += p.inverse[threadIdx.x][j] * m;
            }
            x[threadIdx.x] = lose * total;
        }
        __syncthreads();
    }
#pragma unroll
    for (int octant = 0; octant < OCTANTS; octant++) {
        float c[KN_INVARIANTS];
        signs_of(p.mesh, octant, sign);
        octant_polynomial(x, sign, c);
#pragma unroll
        for (int i = 0; i < PER; i++) {
            const int quad = threadIdx.x + i * blockDim.x, k = 4 * quad;
            if (quad >= quads)
                continue;
            four out = h[octant][i];
            if (p.method == METHOD_BGK) {
                const four vx = read4(p.speed[0] + k), vy = read4(p.speed[1] + k), vz = read4(p.speed[2] + k),
                           vv = read4(p.square + k);
#pragma unroll
                for (int j = 0; j < 4; j++)
                    if (k + j < p.size)
                        out.v[j] =
                            keep * out.v[j] + kn_collide_polynomial(c[0], c[1], c[2], c[3], c[4], vx.v[j],
                                                                    vy.v[j], vz.v[j], vv.v[j]);
            }
            *(float4 *)(s.next + (int64_t)cell * p.mesh.nnodes + (int64_t)octant * p.mesh.stride + k) =
                make_float4(out.v[0], out.v[1], out.v[2], out.v[3]);
        }
    }
}

template <int ORDER, int OCTANTS>
static cudaError_t launch_linear(const kn_cuda_problem *p, const kn_cuda_step *s, int per,
                                 cudaStream_t stream)
{
    const int quads = p->mesh.stride / 4, threads = ((quads + per - 1) / per + 31) / 32 * 32;
    const double lose = -expm1(-s->dt_collide);
    if (per == 1)
        linear_kernel<ORDER, OCTANTS, 1>
            <<<(unsigned)p->ncells, threads, 0, stream>>>(*p, *s, (float)(1 - lose), (float)lose);
    else
        linear_kernel<ORDER, OCTANTS, 2>
            <<<(unsigned)p->ncells, threads, 0, stream>>>(*p, *s, (float)(1 - lose), (float)lose);
    return cudaGetLastError();
}

/* ------------------------------------------- Monte Carlo: a few cells per block */

/* C cells side by side: tile[slot][C].  One thread applies a sample to V of them. */
template <int C, int V> struct lanes {
    float v[V];
};

template <int C, int V>
static __device__ __forceinline__ lanes<C, V> load_lanes(const float *tile, uint32_t slot, int first)
{
    lanes<C, V> l;
    const float *from = tile + (int64_t)slot * C + first;
    if (V == 4) {
        const float4 x = *(const float4 *)from;
        l.v[0] = x.x;
        l.v[V > 1 ? 1 : 0] = x.y;
        l.v[V > 2 ? 2 : 0] = x.z;
        l.v[V > 3 ? 3 : 0] = x.w;
        l.v[0] = x.x;
    } else {
        l.v[0] = *from;
    }
    return l;
}

template <int C, int V>
static __device__ __forceinline__ void store_lanes(float *tile, uint32_t slot, int first,
                                                   const lanes<C, V> &l, float gain, const float g[V])
{
    float *to = tile + (int64_t)slot * C + first;
    if (V == 4)
        *(float4 *)to = make_float4(l.v[0] + gain * g[0], l.v[V > 1 ? 1 : 0] + gain * g[V > 1 ? 1 : 0],
                                    l.v[V > 2 ? 2 : 0] + gain * g[V > 2 ? 2 : 0],
                                    l.v[V > 3 ? 3 : 0] + gain * g[V > 3 ? 3 : 0]);
    else
        *to = l.v[0] + gain * g[0];
}

struct sample {
    uint4 node;
    float4 gain, defect;
};

static __device__ __forceinline__ sample read_sample(const kn_cuda_set &set, int i)
{
    sample s;
    s.node = set.node[i];
    s.gain = set.gain[i];
    s.defect = set.defect[i];
    return s;
}

template <int C, int V>
static __device__ __forceinline__ void apply(const sample &s, float eps, float back, float *tile, int first,
                                             float defect[4][V])
{
    const lanes<C, V> a = load_lanes<C, V>(tile, s.node.x, first),
                      b = load_lanes<C, V>(tile, s.node.y, first);
    const lanes<C, V> c = load_lanes<C, V>(tile, s.node.z, first),
                      d = load_lanes<C, V>(tile, s.node.w, first);
    float g[V];
#pragma unroll
    for (int i = 0; i < V; i++) {
        g[i] = kn_collide_pair(eps, a.v[i], b.v[i]) - back * kn_collide_pair(eps, c.v[i], d.v[i]);
        defect[0][i] += s.defect.x * g[i];
        defect[1][i] += s.defect.y * g[i];
        defect[2][i] += s.defect.z * g[i];
        defect[3][i] += s.defect.w * g[i];
    }
    store_lanes<C, V>(tile, s.node.x, first, a, s.gain.x, g);
    store_lanes<C, V>(tile, s.node.y, first, b, s.gain.y, g);
    store_lanes<C, V>(tile, s.node.z, first, c, s.gain.z, g);
    store_lanes<C, V>(tile, s.node.w, first, d, s.gain.w, g);
}

/* All batches in order; the first sample of the next batch is fetched while
 * this one is applied. */
template <int C, int V>
static __device__ void apply_batches(const kn_cuda_set &set, float eps, float back, float *tile,
                                     float defect[4][V])
{
    const int groups = C / V, rank = threadIdx.x / groups, first = threadIdx.x % groups * V,
              ranks = blockDim.x / groups;
    const int batches = set.batch[0];
    int begin = set.batch[1], end = batches > 0 ? set.batch[2] : begin;
    sample current, next;
    if (begin + rank < end)
        current = read_sample(set, begin + rank);
    for (int b = 0; b < batches; b++) {
        const int after = b + 1 < batches ? set.batch[b + 3] : end;
        if (end + rank < after)
            next = read_sample(set, end + rank);
        if (begin + rank < end)
            apply<C, V>(current, eps, back, tile, first, defect);
        for (int i = begin + rank + ranks; i < end; i += ranks)
            apply<C, V>(read_sample(set, i), eps, back, tile, first, defect);
        __syncthreads();
        current = next;
        begin = end;
        end = after;
    }
}

/* Sum the defects of each cell over the block, in a fixed order. */
template <int C, int V> static __device__ void sum_defects(float part[4][V], float *space, double total[C][4])
{
    const int groups = C / V, warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 4; i++)
        for (int v = 0; v < V; v++)
            for (int offset = 16; offset >= groups; offset /= 2)
                part[i][v] += __shfl_xor_sync(0xffffffffu, part[i][v], offset);
    if (lane < groups)
        for (int i = 0; i < 4; i++)
            for (int v = 0; v < V; v++)
                space[(warp * C + lane * V + v) * 4 + i] = part[i][v];
    __syncthreads();
    for (int t = threadIdx.x; t < 4 * C; t += blockDim.x) {
        double sum = 0;
        for (int w = 0; w < warps; w++)
            sum += space[w * 4 * C + t];
        total[t / 4][t % 4] = sum;
    }
    __syncthreads();
}

/* Where node k of lane c lies in a tile: staged in shared memory by slot, or a
 * plain row (C = 1) in its place in the result. */
template <int C, bool STAGED> static __device__ __forceinline__ int64_t tile_index(int k, int c)
{
    return (int64_t)(STAGED ? kn_cuda_slot((uint32_t)k) : (uint32_t)k) * C + c;
}

template <int C, bool STAGED> struct tile_reader {
    const float *tile;
    int cell;
    __device__ float operator()(int k) const
    {
        return tile[tile_index<C, STAGED>(k, cell)];
    }
};

/* Polynomial coefficients of every cell of the block from the defects. */
template <int C, bool STAGED>
static __device__ void corrections(const kn_cuda_problem &p, const float *tile, const double total[C][4],
                                   double *space, double x[C][KN_INVARIANTS])
{
    if (p.conservation == CONSERVE_PAPER && p.eps > 0) {
        for (int c = 0; c < C; c++) {
            double a[KN_INVARIANTS][KN_INVARIANTS];
            double b[KN_INVARIANTS] = {0, -total[c][0], -total[c][1], -total[c][2], -total[c][3]};
            const tile_reader<C, STAGED> reader = {tile, c};
            weighted_gram(p, reader, a, space);
            kn_collide_solve(a, b);
            if (threadIdx.x == 0)
                for (int i = 0; i < KN_INVARIANTS; i++)
                    x[c][i] = b[i];
        }
    } else if (threadIdx.x < C) {
        const double *t = total[threadIdx.x];
        const double missing[KN_INVARIANTS] = {0, -t[0], -t[1], -t[2], -t[3]};
        project(p, missing, x[threadIdx.x]);
    }
    __syncthreads();
}

/* Streaming, all samples and the correction for C neighbouring cells. */
template <int C, int V, bool STAGED, int ORDER>
static __global__ void __launch_bounds__(256, 3)
    collision_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s)
{
    extern __shared__ float staged[];
    __shared__ double total[C][4], x[C][KN_INVARIANTS];
    __shared__ double space[32 * 15 > 32 * 2 * C ? 32 * 15 : 32 * 2 * C];
    const int first = blockIdx.x * C, c = threadIdx.x % C, quads = p.mesh.nnodes / 4,
              stride4 = p.mesh.stride / 4;
    const int cell = first + c;
    const float half = (float)(0.5 * s.dt_collide);
    float *tile = STAGED ? staged : s.next + (int64_t)cell * p.mesh.nnodes;
    for (int quad = threadIdx.x / C; quad < quads; quad += blockDim.x / C) {
        const int octant = quad / stride4, k = 4 * (quad - octant * stride4);
        const kn_site site = {cell, octant};
        four h = {{0, 0, 0, 0}};
        if (cell < p.ncells)
            h = s.dt_stream > 0 ? streamed<ORDER>(p, s.h, site, s.dt_stream, k)
                                : read4(s.h + kn_mesh_row(&p.mesh, site) + k);
        for (int i = 0; i < 4; i++)
            tile[tile_index<C, STAGED>(4 * quad + i, c)] =
                h.v[i] + (p.source ? half * p.source[4 * quad + i] : 0.0f);
    }
    __syncthreads();
    float defect[4][V];
    for (int i = 0; i < 4; i++)
        for (int v = 0; v < V; v++)
            defect[i][v] = 0;
    apply_batches<C, V>(s.set, p.eps, p.symmetric ? 1.0f : 0.0f, tile, defect);
    if (p.conservation != CONSERVE_NONE) {
        sum_defects<C, V>(defect, (float *)space, total);
        corrections<C, STAGED>(p, tile, total, space, x);
    }
    const float eps = p.conservation == CONSERVE_PAPER ? p.eps : 0.0f;
    for (int quad = threadIdx.x / C; quad < quads && cell < p.ncells; quad += blockDim.x / C) {
        const int octant = quad / stride4, k = 4 * (quad - octant * stride4);
        float sign[3], coefficient[KN_INVARIANTS], h[4];
        signs_of(p.mesh, octant, sign);
        octant_polynomial(x[c], sign, coefficient);
        for (int i = 0; i < 4; i++) {
            h[i] = tile[tile_index<C, STAGED>(4 * quad + i, c)];
            if (p.conservation != CONSERVE_NONE)
                h[i] = corrected(p, coefficient, eps, k + i, h[i]);
            if (p.source)
                h[i] += half * p.source[4 * quad + i];
        }
        *(float4 *)(s.next + (int64_t)cell * p.mesh.nnodes + 4 * quad) = make_float4(h[0], h[1], h[2], h[3]);
    }
}

/* ------------------------------------------------------------------ launching */

template <int C, int V, bool STAGED, int ORDER>
static cudaError_t launch(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    const size_t bytes = STAGED ? (size_t)((p->mesh.nnodes + 31) / 32 * 32) * C * sizeof(float) : 0;
    const auto kernel = collision_kernel<C, V, STAGED, ORDER>;
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)((p->ncells + C - 1) / C), 256, bytes, stream>>>(*p, *s);
    return cudaGetLastError();
}

template <int ORDER>
static cudaError_t advance(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    const size_t row = (size_t)((p->mesh.nnodes + 31) / 32 * 32) * sizeof(float);
    const bool staged = kn_cuda_staged(p);
    if (p->method == METHOD_MONTE_CARLO) {
        if (8 * row <= p->shared_limit / 3)
            return launch<8, 4, true, ORDER>(p, s, stream);
        if (4 * row <= p->shared_limit)
            return launch<4, 4, true, ORDER>(p, s, stream);
        return staged ? launch<1, 1, true, ORDER>(p, s, stream) : launch<1, 1, false, ORDER>(p, s, stream);
    }
    const bool linear = p->method == METHOD_NONE ||
                        (p->method == METHOD_BGK && p->eps == 0 && p->conservation != CONSERVE_NONE);
    const int per = p->mesh.stride / 4 <= 256 ? 1 : 2;
    if (linear && !p->source && p->mesh.stride / 4 <= 512) {
        if (p->mesh.octants == 1)
            return launch_linear<ORDER, 1>(p, s, per, stream);
        if (p->mesh.octants == 2)
            return launch_linear<ORDER, 2>(p, s, per, stream);
        return p->mesh.octants == 4 ? launch_linear<ORDER, 4>(p, s, per, stream)
                                    : launch_linear<ORDER, 8>(p, s, per, stream);
    }
    const int quads = p->mesh.nnodes / 4, threads = quads <= 64 ? 64 : quads <= 128 ? 128 : 256;
    const cudaError_t status = cudaFuncSetAttribute(
        model_kernel<ORDER>, cudaFuncAttributeMaxDynamicSharedMemorySize, staged ? (int)row : 0);
    if (status != cudaSuccess)
        return status;
    model_kernel<ORDER><<<(unsigned)p->ncells, threads, staged ? row : 0, stream>>>(*p, *s, staged);
    return cudaGetLastError();
}

cudaError_t kn_cuda_advance(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                            cudaStream_t stream)
{
    return p->order == 1 ? advance<1>(p, s, stream) : advance<2>(p, s, stream);
}
