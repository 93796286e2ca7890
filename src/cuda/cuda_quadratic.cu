/* The quadratic part of collisions in addition to the assembled operator: sampled collisions with
 * stencils, one after the other. A thread processes a cell; all threads of a block, one warp, process the
 * same collision at the same time. */
#include "cuda/cuda_quadratic.h"

#include "cuda/cuda_rows.h"

enum { WARP = KN_CUDA_WARP, STAGED = 8, QUADS = sizeof(kn_quadratic) / sizeof(float4) };

/* Rows of the cells of a block, node by node, an odd number of floats apart, so that different cells and
 * different nodes are in different banks. */
struct tile {
    float *h;
    int pitch;
};

static __host__ __device__ inline int tile_pitch(int cells)
{
    return cells | 1;
}

static __device__ void load_tile(const kn_cuda_problem &p, const float *h, int cells, tile t)
{
    for (int c = 0; c < cells; c++)
        for (int k = threadIdx.x; k < p.mesh.nnodes; k += WARP)
            t.h[k * t.pitch + c] = h[(int64_t)c * p.mesh.nnodes + k];
    __syncwarp();
}

/* Store the rows, with sources over half a step. */
static __device__ void store_tile(const kn_cuda_problem &p, tile t, int cells, float half, float *h)
{
    __syncwarp();
    for (int c = 0; c < cells; c++)
        for (int k = threadIdx.x; k < p.mesh.nnodes; k += WARP)
            h[(int64_t)c * p.mesh.nnodes + k] =
                t.h[k * t.pitch + c] + (half != 0 ? half * p.source[k] : 0.0f);
}

/* Mass, momentum and energy of a thread's cell. */
static __device__ void invariants_of(const kn_cuda_problem &p, const float *h, int pitch,
                                     double sum[KN_INVARIANTS])
{
    float sign[3];
    for (int i = 0; i < KN_INVARIANTS; i++)
        sum[i] = 0;
    for (int octant = 0; octant < p.mesh.octants; octant++) {
        signs_of(p.mesh, octant, sign);
        for (int k = 0; k < p.size; k++) {
            const double wh = (double)p.w[k] * h[(octant * p.mesh.stride + k) * pitch];
            sum[0] += wh;
            for (int d = 0; d < 3; d++)
                sum[1 + d] += wh * (sign[d] * p.speed[d][k]);
            sum[4] += wh * p.square[k];
        }
    }
}

/* Samples conserve the invariants; errors by round-off are corrected, and the mass lost in this correction
 * is returned to one heavy node. */
static __device__ void put_back(const kn_cuda_problem &p, const double before[KN_INVARIANTS], int heavy,
                                float *h, int pitch)
{
    double missing[KN_INVARIANTS], x[KN_INVARIANTS], after[KN_INVARIANTS];
    float sign[3], c[KN_INVARIANTS];
    invariants_of(p, h, pitch, after);
    for (int i = 0; i < KN_INVARIANTS; i++)
        missing[i] = before[i] - after[i];
    kn_collide_project(p.inverse, missing, x);
    for (int octant = 0; octant < p.mesh.octants; octant++) {
        signs_of(p.mesh, octant, sign);
        octant_polynomial(x, sign, c);
        for (int k = 0; k < p.size; k++) {
            float *at = h + (octant * p.mesh.stride + k) * pitch;
            *at = corrected(p, c, k, *at);
        }
    }
    invariants_of(p, h, pitch, after);
    h[heavy * pitch] += (float)((before[0] - after[0]) / p.w[heavy % p.mesh.stride]);
}

/* The data of a collision that all threads read: 14 vectors. */
struct stencil_pair {
    float of[2 * KN_STENCIL + 2];
};

static __device__ __forceinline__ stencil_pair read_pair(const float *from)
{
    stencil_pair s;
#pragma unroll
    for (int i = 0; i < (2 * KN_STENCIL + 2) / 4; i++)
        *(float4 *)(s.of + 4 * i) = ((const float4 *)from)[i];
    return s;
}

/* Nodes of a stencil in the tile, from its lowest corner. */
struct stencil_nodes {
    int at[KN_STENCIL];
};

static __device__ __forceinline__ stencil_nodes nodes_of(const int32_t half[3], int pitch)
{
    stencil_nodes n;
#pragma unroll
    for (int i = 0; i < KN_STENCIL; i++)
        n.at[i] = kn_quadratic_node(half, i) * pitch;
    return n;
}

/* Interpolate, with one sum per line, so that the sums are independent. */
static __device__ __forceinline__ float interpolate(const stencil_nodes &n, const float value[KN_STENCIL],
                                                    const float *h)
{
    float sum[KN_STENCIL_POINTS] = {};
#pragma unroll
    for (int i = 0; i < KN_STENCIL; i++)
        sum[i % KN_STENCIL_POINTS] += value[i] * h[n.at[i]];
    return sum[0] + sum[1] + sum[2];
}

static __device__ __forceinline__ void add_stencil(const stencil_nodes &n, const float change[KN_STENCIL],
                                                   float g, float *h)
{
    float now[KN_STENCIL];
#pragma unroll
    for (int i = 0; i < KN_STENCIL; i++)
        now[i] = h[n.at[i]] + change[i] * g;
#pragma unroll
    for (int i = 0; i < KN_STENCIL; i++)
        h[n.at[i]] = now[i];
}

/* One collision in the cell of a thread: all data are read before any change. */
static __device__ __forceinline__ void apply(const kn_quadratic *q, const stencil_nodes &n, float eps,
                                             float *h, int pitch)
{
    const int4 at = *(const int4 *)q->node; /* two nodes, two stencils */
    float *const a = h + at.x * pitch, *const b = h + at.y * pitch, *const x = h + at.z * pitch,
                 *const y = h + at.w * pitch;
    const stencil_pair value = read_pair(q->value[0]);
    const float g = eps * (*a * *b - interpolate(n, value.of, x) * interpolate(n, value.of + KN_STENCIL, y));
    *a += value.of[2 * KN_STENCIL] * g;
    *b += value.of[2 * KN_STENCIL + 1] * g;
    const stencil_pair change = read_pair(q->change[0]);
    add_stencil(n, change.of, g, x);
    add_stencil(n, change.of + KN_STENCIL, g, y);
}

static __global__ void __launch_bounds__(WARP)
    quadratic_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_quadratics q,
                     float *h, int cells, float half, int heavy)
{
    extern __shared__ __align__(16) float shared[];
    __shared__ __align__(16) kn_quadratic staged[STAGED];
    const int first = blockIdx.x * cells, here = p.ncells - first < cells ? p.ncells - first : cells;
    float *const rows = h + (int64_t)first * p.mesh.nnodes;
    const tile t = {shared, tile_pitch(cells)};
    const bool active = threadIdx.x < here;
    float *const mine = t.h + (active ? threadIdx.x : 0);
    const stencil_nodes nodes = nodes_of(q.half, t.pitch);
    double before[KN_INVARIANTS];
    load_tile(p, rows, here, t);
    if (active && p.conservation != KN_CONSERVATION_NONE)
        invariants_of(p, mine, t.pitch, before);
    for (int from = 0; from < q.count; from += STAGED) {
        const int count = q.count - from < STAGED ? q.count - from : STAGED;
        __syncwarp();
        for (int i = threadIdx.x; i < count * QUADS; i += WARP)
            ((float4 *)staged)[i] = __ldg((const float4 *)(q.samples + from) + i);
        __syncwarp();
        for (int i = 0; i < count && active; i++)
            apply(&staged[i], nodes, p.eps, mine, t.pitch);
    }
    if (active && p.conservation != KN_CONSERVATION_NONE)
        put_back(p, before, heavy, mine, t.pitch);
    store_tile(p, t, here, half, rows);
}

cudaError_t kn_cuda_quadratic(const struct kn_cuda_problem *p, const struct kn_cuda_quadratics *q, float *h,
                              double dt, int heavy, cudaStream_t stream)
{
    int cells = WARP;
    const size_t row = (size_t)p->mesh.nnodes * sizeof(float);
    while (cells > 1 && (size_t)tile_pitch(cells) * row > p->shared_limit)
        cells /= 2;
    const size_t bytes = (size_t)tile_pitch(cells) * row;
    const cudaError_t status =
        cudaFuncSetAttribute(quadratic_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    quadratic_kernel<<<(unsigned)((p->ncells + cells - 1) / cells), WARP, bytes, stream>>>(
        *p, *q, h, cells, p->source ? (float)(0.5 * dt) : 0.0f, heavy);
    return cudaGetLastError();
}
