/* Vectors of the steady-state solver on the device: moments, sums and products. */
#include "cuda/cuda_rows.h"
#include "cuda/cuda_steady.h"

enum { THREADS = 256, WARPS = THREADS / 32 };

/* Octants of node k of a row, from octants to parities. */
template <int OCTANTS> static __device__ __forceinline__ void to_parities(double x[OCTANTS])
{
#pragma unroll
    for (int bit = 1; bit < OCTANTS; bit *= 2)
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            if (!(o & bit)) {
                const double a = x[o], b = x[o | bit];
                x[o] = a + b;
                x[o | bit] = a - b;
            }
}

/* x[i] without an address: registers have none. */
template <int OCTANTS> static __device__ __forceinline__ double chosen(const double x[OCTANTS], int i)
{
    double value = x[0];
#pragma unroll
    for (int o = 1; o < OCTANTS; o++)
        value = i == o ? x[o] : value;
    return value;
}

/* One warp per cell. */
template <int OCTANTS>
static __global__ void __launch_bounds__(THREADS)
    project_kernel(const __grid_constant__ kn_cuda_steady_problem s, const double *x, const double *table,
                   int count, double *moments)
{
    const int cell = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    double sum[KN_STEADY_FUNCTIONS + 1] = {0};
    if (cell >= s.ncells)
        return;
    const double *row = x + (int64_t)cell * s.mesh.nnodes;
    for (int k = lane; k < s.size; k += 32) {
        double y[OCTANTS];
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            y[o] = row[o * s.mesh.stride + k];
        to_parities<OCTANTS>(y);
#pragma unroll
        for (int f = 0; f <= KN_STEADY_FUNCTIONS; f++)
            if (f < count)
                sum[f] += table[f * s.mesh.stride + k] * chosen<OCTANTS>(y, s.parity[f]);
    }
#pragma unroll
    for (int f = 0; f <= KN_STEADY_FUNCTIONS; f++)
        if (f < count) {
            for (int offset = 16; offset > 0; offset /= 2)
                sum[f] += __shfl_xor_sync(0xffffffffu, sum[f], offset);
            if (lane == 0)
                moments[(int64_t)cell * count + f] = sum[f];
        }
}

cudaError_t kn_cuda_steady_project(const struct kn_cuda_steady_problem *s, const double *x,
                                   const double *table, int count, double *moments, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((s->ncells + WARPS - 1) / WARPS);
    if (s->mesh.octants == 1)
        project_kernel<1><<<blocks, THREADS, 0, stream>>>(*s, x, table, count, moments);
    else if (s->mesh.octants == 2)
        project_kernel<2><<<blocks, THREADS, 0, stream>>>(*s, x, table, count, moments);
    else if (s->mesh.octants == 4)
        project_kernel<4><<<blocks, THREADS, 0, stream>>>(*s, x, table, count, moments);
    else
        project_kernel<8><<<blocks, THREADS, 0, stream>>>(*s, x, table, count, moments);
    return cudaGetLastError();
}

/* One thread per cell and node of an octant. */
template <int OCTANTS>
static __global__ void __launch_bounds__(THREADS)
    prolong_kernel(const __grid_constant__ kn_cuda_steady_problem s, const double *coefficients, double *to)
{
    const uint32_t at = blockIdx.x * THREADS + threadIdx.x; /* vectors of 2^32 numbers would not fit */
    const int64_t cell = at / (uint32_t)s.mesh.stride;
    const int k = (int)(at % (uint32_t)s.mesh.stride);
    double sum[OCTANTS] = {0};
    if (cell >= s.ncells)
        return;
#pragma unroll
    for (int f = 0; f < KN_STEADY_FUNCTIONS; f++)
        if (f < s.functions) {
            const double value = coefficients[cell * s.functions + f] * s.trial[f * s.mesh.stride + k];
#pragma unroll
            for (int o = 0; o < OCTANTS; o++)
                sum[o] += s.parity[f] == o ? value : 0;
        }
    to_parities<OCTANTS>(sum);
    double *row = to + cell * s.mesh.nnodes + k;
#pragma unroll
    for (int o = 0; o < OCTANTS; o++)
        row[o * s.mesh.stride] += sum[o];
}

cudaError_t kn_cuda_steady_prolong(const struct kn_cuda_steady_problem *s, const double *coefficients,
                                   double *to, cudaStream_t stream)
{
    const int64_t items = (int64_t)s->ncells * s->mesh.stride;
    const unsigned blocks = (unsigned)((items + THREADS - 1) / THREADS);
    if (s->mesh.octants == 1)
        prolong_kernel<1><<<blocks, THREADS, 0, stream>>>(*s, coefficients, to);
    else if (s->mesh.octants == 2)
        prolong_kernel<2><<<blocks, THREADS, 0, stream>>>(*s, coefficients, to);
    else if (s->mesh.octants == 4)
        prolong_kernel<4><<<blocks, THREADS, 0, stream>>>(*s, coefficients, to);
    else
        prolong_kernel<8><<<blocks, THREADS, 0, stream>>>(*s, coefficients, to);
    return cudaGetLastError();
}

/* ----------------------------------------------------------------------- products */

/* The weight of a node in the products of a cell. */
static __device__ __forceinline__ double weight_of(const kn_cuda_steady_problem &s, int64_t cell, int k,
                                                   bool scaled)
{
    const double weight = s.volume[cell] * s.mass[k];
    double diagonal = s.frequency[k];
    if (!scaled)
        return weight;
    for (int i = 0; i < s.mesh.naxes; i++)
        diagonal += s.speed[s.mesh.axes[i]][k] * s.per_width[3 * cell + s.mesh.axes[i]];
    return weight / (diagonal * diagonal);
}

/* Partial sums: the cells and nodes of a thread do not depend on the device. */
template <int COUNT>
static __global__ void __launch_bounds__(THREADS)
    partial_kernel(const __grid_constant__ kn_cuda_steady_problem s,
                   const __grid_constant__ kn_cuda_steady_products p)
{
    __shared__ double space[COUNT * WARPS];
    const uint32_t items = (uint32_t)s.ncells * (uint32_t)s.mesh.stride, step = gridDim.x * THREADS;
    double sum[COUNT] = {0};
    for (uint32_t at = blockIdx.x * THREADS + threadIdx.x; at < items; at += step) {
        const int64_t cell = at / (uint32_t)s.mesh.stride;
        const int k = (int)(at % (uint32_t)s.mesh.stride);
        const double weight = weight_of(s, cell, k, p.scaled);
        for (int o = 0; o < s.mesh.octants; o++) {
            const int64_t place = cell * s.mesh.nnodes + o * s.mesh.stride + k;
            const double a = weight * p.a[place];
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                sum[i] += a * p.x[i][place];
        }
    }
    block_sum<COUNT>(sum, space);
    if (threadIdx.x == 0)
        for (int i = 0; i < COUNT; i++)
            p.partial[i * gridDim.x + blockIdx.x] = sum[i];
}

/* The sum of the partial sums, one block per product. */
static __global__ void __launch_bounds__(THREADS)
    total_kernel(const double *partial, int count, double *result)
{
    __shared__ double space[WARPS];
    double sum[1] = {0};
    for (int i = threadIdx.x; i < count; i += THREADS)
        sum[0] += partial[blockIdx.x * count + i];
    block_sum<1>(sum, space);
    if (threadIdx.x == 0)
        result[blockIdx.x] = sum[0];
}

cudaError_t kn_cuda_steady_multiply(const struct kn_cuda_steady_problem *s,
                                    const struct kn_cuda_steady_products *p, cudaStream_t stream)
{
    void (*const kernels[KN_CUDA_STEADY_TERMS])(kn_cuda_steady_problem, kn_cuda_steady_products) = {
        partial_kernel<1>, partial_kernel<2>, partial_kernel<3>, partial_kernel<4>,
        partial_kernel<5>, partial_kernel<6>, partial_kernel<7>, partial_kernel<8>};
    kernels[p->count - 1]<<<KN_CUDA_STEADY_BLOCKS, THREADS, 0, stream>>>(*s, *p);
    total_kernel<<<(unsigned)p->count, THREADS, 0, stream>>>(p->partial, KN_CUDA_STEADY_BLOCKS, p->result);
    return cudaGetLastError();
}

/* --------------------------------------------------------------------------- sums */

/* Two numbers per thread. */
template <int COUNT>
static __global__ void __launch_bounds__(THREADS)
    combine_kernel(int64_t pairs, const __grid_constant__ kn_cuda_steady_sum p)
{
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at >= pairs)
        return;
    double2 x[COUNT + 1], to = {0, 0};
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        x[i] = ((const double2 *)p.x[i])[at];
    if (p.scale != 0)
        to = ((const double2 *)p.to)[at];
    to.x *= p.scale;
    to.y *= p.scale;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        to.x += p.factors[i] * x[i].x;
        to.y += p.factors[i] * x[i].y;
    }
    ((double2 *)p.to)[at] = to;
}

cudaError_t kn_cuda_steady_combine(int64_t count, const struct kn_cuda_steady_sum *sum, cudaStream_t stream)
{
    void (*const kernels[KN_CUDA_STEADY_TERMS + 1])(int64_t, kn_cuda_steady_sum) = {
        combine_kernel<0>, combine_kernel<1>, combine_kernel<2>, combine_kernel<3>, combine_kernel<4>,
        combine_kernel<5>, combine_kernel<6>, combine_kernel<7>, combine_kernel<8>};
    const int64_t pairs = count / 2; /* rows are padded to 16 numbers */
    kernels[sum->count]<<<(unsigned)((pairs + THREADS - 1) / THREADS), THREADS, 0, stream>>>(pairs, *sum);
    return cudaGetLastError();
}

template <class FROM, class TO> static __global__ void convert_kernel(int64_t count, const FROM *from, TO *to)
{
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at < count)
        to[at] = (TO)from[at];
}

cudaError_t kn_cuda_steady_widen(int64_t count, const float *from, double *to, cudaStream_t stream)
{
    convert_kernel<<<(unsigned)((count + THREADS - 1) / THREADS), THREADS, 0, stream>>>(count, from, to);
    return cudaGetLastError();
}

cudaError_t kn_cuda_steady_narrow(int64_t count, const double *from, float *to, cudaStream_t stream)
{
    convert_kernel<<<(unsigned)((count + THREADS - 1) / THREADS), THREADS, 0, stream>>>(count, from, to);
    return cudaGetLastError();
}
