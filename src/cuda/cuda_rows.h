/* Operations on whole rows by a block of threads: sums in a fixed order, conservation. */
#ifndef KN_CUDA_ROWS_H
#define KN_CUDA_ROWS_H

#include "cuda/cuda_stream.h"

/* A sweep may start while the wall pass still runs: cells away from walls do not wait for it, and every
 * block waits before it ends. The wall pass itself is launched while the last blocks of the preceding
 * sweep run, and allows the next sweep to start only after they have ended. */
static __device__ __forceinline__ void allow_next_kernel(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

static __device__ __forceinline__ void wait_for_previous_kernel(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* True if the kernel was compiled for a device that supports waiting. */
template <class KERNEL> static bool waits_for_previous_kernel(KERNEL *kernel)
{
    struct cudaFuncAttributes a;
    return cudaFuncGetAttributes(&a, kernel) == cudaSuccess && a.ptxVersion >= 90;
}

/* Launch a kernel; `overlaps`: it may start before the preceding kernel of the stream has ended, and waits
 * for it if necessary. */
template <class... ARGUMENTS>
static cudaError_t launch_overlapping(void (*kernel)(ARGUMENTS...), unsigned blocks, int threads,
                                      size_t bytes, cudaStream_t stream, bool overlaps,
                                      ARGUMENTS... arguments)
{
    static const bool waits = waits_for_previous_kernel(kernel); /* as all kernels of the build */
    cudaLaunchAttribute overlap = {};
    cudaLaunchConfig_t config = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = overlaps && waits ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/* Sums over the threads of a block, in a fixed order, returned to every thread. `space` holds N doubles
 * per warp. */
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

/* One block of a sweep, away from the walls, records the times of streaming and collisions. */
static __device__ __forceinline__ void note_cycles(const kn_cuda_problem &p, bool this_block, long long start,
                                                   long long middle)
{
    if (this_block && threadIdx.x == 0) {
        p.cycles[0] = middle - start;
        p.cycles[1] = clock64() - middle;
    }
}

/* Signs of the velocity in an octant, 0 along folded axes (odd moments vanish there). */
static __device__ __forceinline__ void signs_of(const kn_mesh &m, int octant, float sign[3])
{
    for (int d = 0; d < 3; d++)
        sign[d] = m.bit[d] ? (octant & m.bit[d] ? -1.0f : 1.0f) : 0.0f;
}

/* Invariants of four nodes, added in single precision: a thread has few of them. */
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

/* Loop over the four-node groups of a row that belong to this thread. */
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

/* Mass of a row in double precision. */
static __device__ double row_mass(const kn_cuda_problem &p, const float *row, double *space)
{
    double m[1] = {0};
    FOR_QUADS(p, octant, k)
    {
        (void)octant;
        for (int i = 0; i < 4; i++)
            m[0] += (double)p.w[k + i] * row[4 * quad + i];
    }
    block_sum<1>(m, space);
    return m[0];
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

/* The correction of node k; padding does not change. */
static __device__ __forceinline__ float corrected(const kn_cuda_problem &p, const float c[KN_INVARIANTS],
                                                  int k, float h)
{
    if (k >= p.size)
        return h;
    const kn_polynomial x = {c[0], c[1], c[2], c[3], c[4]};
    return h + kn_collide_polynomial(x, p.speed[0][k], p.speed[1][k], p.speed[2][k], p.square[k]);
}

#endif
