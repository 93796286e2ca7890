/* Solution of the eliminated moment equations in one launch: products of the inverse of each layer with a vector,
 * once forwards and once backwards, theory (64). */
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

/* Row `row` of the couplings of a layer with another one, times the solution there. */
static __device__ double coupled(const kn_cuda_layers &l, int layer, int row, int other_layer)
{
    const int n = l.functions, place = layer * l.depth + row / n, f = row % n;
    double sum = 0;
    if (row / n >= l.depth || place >= l.ncells)
        return 0;
    const int64_t first = (int64_t)l.cell[place] * l.star;
    for (int i = 0; i < l.star; i++) {
        const int column = l.columns[first + i], other = column < 0 ? -1 : l.place[column];
        if (other < 0 || kn_cuda_layer_of(l, other) != other_layer)
            continue;
        const double *block = l.blocks + ((first + i) * n + f) * n,
                     *x = l.known + (int64_t)other_layer * l.unknowns + kn_cuda_layer_first(l, other);
        for (int g = 0; g < n; g++)
            sum += block[g] * __ldcg(x + g);
    }
    return sum;
}

/* Fetch the rows of this block of a matrix into the second-level cache. */
static __device__ void fetch_ahead(const kn_cuda_layers &l, int layer)
{
    const int warps = blockDim.x / 32, first = blockIdx.x * warps + threadIdx.x / 32;
    if (layer < 0 || layer >= l.layers)
        return;
    const float *matrix = l.inverse + (int64_t)layer * l.unknowns * l.unknowns;
    for (int row = first; row < l.unknowns; row += warps * gridDim.x)
        for (int at = threadIdx.x % 32 * 32; at < l.unknowns; at += 32 * 32)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(matrix + (int64_t)row * l.unknowns + at));
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

/* One layer: known <- inverse (right - L known before), or known - inverse (U known after). */
static __device__ void solve_layer(const kn_cuda_layers &l, int layer, bool backwards, float *x)
{
    const int warps = blockDim.x / 32, neighbour = backwards ? layer + 1 : layer - 1;
    const int64_t base = (int64_t)layer * l.unknowns;
    const float *matrix = l.inverse + base * l.unknowns;
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < l.unknowns; row += gridDim.x * blockDim.x) {
        const double there = neighbour < 0 ? 0 : coupled(l, layer, row, neighbour);
        __stcg(l.sum + row, backwards ? -there : l.right[base + row] - there);
    }
    fetch_ahead(l, backwards ? layer - 1 : layer + 1);
    wait_for_blocks(l.barrier);
    for (int i = threadIdx.x; i < l.unknowns; i += blockDim.x)
        x[i] = (float)__ldcg(l.sum + i);
    __syncthreads();
    for (int row = blockIdx.x * warps + threadIdx.x / 32; row < l.unknowns; row += warps * gridDim.x) {
        const double value = multiply_row(matrix + (int64_t)row * l.unknowns, x, l.unknowns);
        if (threadIdx.x % 32 == 0)
            __stcg(l.known + base + row, backwards ? __ldcg(l.known + base + row) + value : value);
    }
    wait_for_blocks(l.barrier);
}

static __global__ void __launch_bounds__(1024) solve_kernel(const __grid_constant__ kn_cuda_layers l)
{
    extern __shared__ float x[];
    for (int layer = 0; layer < l.layers; layer++)
        solve_layer(l, layer, false, x);
    for (int layer = l.layers - 2; layer >= 0; layer--)
        solve_layer(l, layer, true, x);
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
    return cudaLaunchCooperativeKernel((const void *)solve_kernel, dim3((unsigned)blocks), dim3(32 * (unsigned)warps),
                                       arguments, bytes, stream);
}
