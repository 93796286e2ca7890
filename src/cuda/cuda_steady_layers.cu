/* Solution of the eliminated moment equations in one launch: products of the inverse of each layer with a
 * vector, once forwards and once backwards, theory (64). */
#include "cuda/cuda_steady_layers.h"

/* All blocks wait for each other. */
static __device__ void wait_for_blocks(uint32_t *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const uint32_t ticket = atomicAdd(arrived, 1), end = ticket - ticket % gridDim.x + gridDim.x;
        while ((int32_t)(*(volatile uint32_t *)arrived - end) < 0)
            ;
        __threadfence();
    }
    __syncthreads();
}

/* The part of a lane in a row of the couplings of a layer with the one before (0) or after it (1): element
 * `item` of the row.  A lane knows its factor before the solution there is known. */
struct term {
    double factor;
    const double *x; /* NULL: none */
};

static __device__ __forceinline__ term term_of(const kn_cuda_layers &l, int layer, int row, int after,
                                               int item)
{
    const int n = l.functions, place = layer * l.depth + row / n, f = row % n;
    if (layer < 0 || layer >= l.layers || row / n >= l.depth)
        return term{0, NULL};
    const int at = l.first[after][place] + item / n;
    if (at >= l.first[after][place + 1])
        return term{0, NULL};
    const kn_cuda_coupling c = l.coupled[after][at];
    const int64_t to = (int64_t)kn_cuda_layer_of(l, c.place) * l.unknowns + kn_cuda_layer_first(l, c.place);
    return term{l.blocks[((int64_t)c.block * n + f) * n + item % n], l.known + to + item % n};
}

/* The row times the solution, by a warp; `ready` is the first element of each lane. */
static __device__ __forceinline__ double couple(const kn_cuda_layers &l, int layer, int row, int after,
                                                term ready)
{
    double sum = 0;
    for (int item = threadIdx.x % 32; ready.x; item += 32) {
        sum += ready.factor * __ldcg(ready.x);
        ready = term_of(l, layer, row, after, item + 32);
    }
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    return sum;
}

/* Fetch a row of the inverse of a layer into the second-level cache. */
static __device__ __forceinline__ void fetch_ahead(const kn_cuda_layers &l, int layer, int row)
{
    const float *from = l.inverse + ((int64_t)layer * l.unknowns + row) * l.unknowns;
    for (int at = threadIdx.x % 32 * 32; at < l.unknowns && layer >= 0 && layer < l.layers; at += 32 * 32)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(from + at));
}

/* A row of the inverse times the vector in shared memory; a warp has the row. */
static __device__ __forceinline__ float multiply_row(const float *row, const float *x, int count)
{
    float sum[4] = {0, 0, 0, 0};
#pragma unroll 4
    for (int at = threadIdx.x % 32 * 4; at < count; at += 128) {
        const float4 a = __ldcs((const float4 *)(row + at)), b = *(const float4 *)(x + at);
        sum[0] += a.x * b.x;
        sum[1] += a.y * b.y;
        sum[2] += a.z * b.z;
        sum[3] += a.w * b.w;
    }
    float total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (int offset = 16; offset > 0; offset /= 2)
        total += __shfl_xor_sync(0xffffffffu, total, offset);
    return total;
}

/* One layer: known <- inverse (right - L known before), or known - inverse (U known after).  `ready` belongs
 * to the first row of the warp, in this layer and, at the end, in the next one. */
static __device__ void solve_layer(const kn_cuda_layers &l, int layer, int after, float *x, term &ready)
{
    const int warps = blockDim.x / 32 * gridDim.x, first = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32,
              lane = threadIdx.x % 32, next = after ? layer - 1 : layer + 1;
    const int64_t base = (int64_t)layer * l.unknowns;
    for (int row = first; row < l.unknowns; row += warps) {
        const double there =
            couple(l, layer, row, after, row == first ? ready : term_of(l, layer, row, after, lane));
        if (lane == 0)
            __stcg(l.sum + row, after ? -there : l.right[base + row] - there);
    }
    wait_for_blocks(l.barrier);
    for (int i = threadIdx.x; i < l.unknowns; i += blockDim.x)
        x[i] = (float)__ldcg(l.sum + i);
    __syncthreads();
    for (int row = first; row < l.unknowns; row += warps) {
        const double value = multiply_row(l.inverse + (base + row) * l.unknowns, x, l.unknowns);
        if (lane == 0)
            __stcg(l.known + base + row, after ? __ldcg(l.known + base + row) + value : value);
        fetch_ahead(l, next, row);
    }
    ready = term_of(l, next, first, after, lane);
    wait_for_blocks(l.barrier);
}

static __global__ void __launch_bounds__(1024, 1) solve_kernel(const __grid_constant__ kn_cuda_layers l)
{
    extern __shared__ float x[];
    const int first = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    term ready = {0, NULL};
    for (int layer = 0; layer < l.layers; layer++)
        solve_layer(l, layer, 0, x, ready);
    ready = term_of(l, l.layers - 2, first, 1, threadIdx.x % 32);
    for (int layer = l.layers - 2; layer >= 0; layer--)
        solve_layer(l, layer, 1, x, ready);
}

/* Every warp has the same number of rows, or one less. */
cudaError_t kn_cuda_layers_solve(const struct kn_cuda_layers *l, cudaStream_t stream)
{
    int device = 0, blocks = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device);
    const size_t bytes = (size_t)l->unknowns * sizeof(float);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(solve_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    const int rounds = (l->unknowns + 32 * blocks - 1) / (32 * blocks),
              warps = (l->unknowns + rounds * blocks - 1) / (rounds * blocks);
    status = cudaMemsetAsync(l->barrier, 0, sizeof *l->barrier, stream);
    if (status != cudaSuccess)
        return status;
    struct kn_cuda_layers layers = *l;
    void *arguments[] = {&layers};
    return cudaLaunchCooperativeKernel((const void *)solve_kernel, dim3((unsigned)blocks),
                                       dim3(32 * (unsigned)warps), arguments, bytes, stream);
}
