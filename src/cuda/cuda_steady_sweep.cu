/* Transport sweeps on the device, theory (61): the cells of a level together, level by level in one launch. */
#include "cuda/cuda_steady.h"

#include <cooperative_groups.h>

enum { THREADS = 512, GROUP = KN_CUDA_STEADY_GROUP, ROUND = THREADS / GROUP, CLUSTER = 8 };

/* The blocks that sweep the same nodes wait for each other. Devices without clusters have one such block. */
static __device__ __forceinline__ void end_level(int blocks)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (blocks > 1) {
        cooperative_groups::this_cluster().sync();
        return;
    }
#endif
    __syncthreads();
}

/* What a thread knows of a node before the upwind cells are known. */
template <int AXES, int PARTS> struct node {
    int64_t row;         /* < 0: none */
    int64_t up[AXES];    /* rows; < 0: nothing flows in */
    double flow[AXES], diagonal, inverse, from[PARTS];
};

template <int AXES, int PARTS>
static __device__ __forceinline__ node<AXES, PARTS> look_ahead(const kn_cuda_steady_problem &s,
                                                               const kn_cuda_steady_march &m, int octant, int k,
                                                               int position, int end)
{
    node<AXES, PARTS> n;
    n.row = -1;
    if (position >= end)
        return n;
    const int4 stop = *(const int4 *)&s.stops[(int64_t)octant * s.ncells + position];
    const int32_t up[3] = {stop.y, stop.z, stop.w};
    const int64_t at = (int64_t)octant * s.mesh.stride + k;
    n.row = (int64_t)stop.x * s.mesh.nnodes + at;
    n.diagonal = s.frequency[k];
#pragma unroll
    for (int i = 0; i < AXES; i++) {
        n.up[i] = up[i] < 0 ? -1 : (int64_t)up[i] * s.mesh.nnodes + at;
        n.flow[i] = s.speed[s.mesh.axes[i]][k] * s.per_width[3 * (int64_t)stop.x + s.mesh.axes[i]];
        n.diagonal += n.flow[i];
    }
#pragma unroll
    for (int part = 0; part < PARTS; part++)
        n.from[part] = m.from[part][n.row];
    n.inverse = 1 / (PARTS == 1 ? n.diagonal : n.diagonal * n.diagonal + m.omega * m.omega);
    return n;
}

template <int AXES, int PARTS>
static __device__ __forceinline__ void solve(const kn_cuda_steady_march &m, const node<AXES, PARTS> &n)
{
    double sum[PARTS];
    if (n.row < 0)
        return;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        sum[part] = n.from[part];
#pragma unroll
        for (int i = 0; i < AXES; i++)
            sum[part] += n.up[i] < 0 ? 0 : n.flow[i] * __ldcg(m.to[part] + n.up[i]);
    }
    if (PARTS == 1) {
        __stcg(m.to[0] + n.row, sum[0] * n.inverse);
        return;
    }
    __stcg(m.to[0] + n.row, n.inverse * (n.diagonal * sum[0] + m.omega * sum[PARTS - 1]));
    __stcg(m.to[PARTS - 1] + n.row, n.inverse * (n.diagonal * sum[PARTS - 1] - m.omega * sum[0]));
}

/* A cluster of `blocks` blocks has one group of nodes of one octant. */
template <int AXES, int PARTS>
static __global__ void __launch_bounds__(THREADS)
    sweep_kernel(const __grid_constant__ kn_cuda_steady_problem s, const __grid_constant__ kn_cuda_steady_march m, int blocks)
{
    const int part = blockIdx.x / blocks, groups = s.mesh.stride / GROUP, octant = part / groups,
              k = part % groups * GROUP + threadIdx.x % GROUP,
              lane = blockIdx.x % blocks * ROUND + threadIdx.x / GROUP;
    const int32_t *levels = s.levels + (int64_t)octant * (s.nlevels + 1);
    int first = levels[0], end = levels[1];
    node<AXES, PARTS> next = look_ahead<AXES, PARTS>(s, m, octant, k, first + lane, end);
    for (int level = 0; level < s.nlevels; level++) {
        const int after = levels[min(level + 2, s.nlevels)];
        solve<AXES, PARTS>(m, next);
        for (int position = first + lane + blocks * ROUND; position < end; position += blocks * ROUND)
            solve<AXES, PARTS>(m, look_ahead<AXES, PARTS>(s, m, octant, k, position, end));
        first = end;
        end = after;
        next = look_ahead<AXES, PARTS>(s, m, octant, k, first + lane, end);
        end_level(blocks);
    }
}

template <int AXES, int PARTS>
static cudaError_t launch(const struct kn_cuda_steady_problem *s, const struct kn_cuda_steady_march *m, cudaStream_t stream)
{
    cudaLaunchAttribute together = {};
    cudaLaunchConfig_t config = {};
    struct cudaFuncAttributes a;
    int blocks = 1;
    const cudaError_t status = cudaFuncGetAttributes(&a, sweep_kernel<AXES, PARTS>);
    if (status != cudaSuccess)
        return status;
    while (a.ptxVersion >= 90 && blocks < CLUSTER && blocks * ROUND < s->widest)
        blocks *= 2;
    together.id = cudaLaunchAttributeClusterDimension;
    together.val.clusterDim.x = (unsigned)blocks;
    together.val.clusterDim.y = 1;
    together.val.clusterDim.z = 1;
    config.gridDim = dim3((unsigned)(s->mesh.octants * (s->mesh.stride / GROUP) * blocks));
    config.blockDim = dim3(THREADS);
    config.stream = stream;
    config.attrs = &together;
    config.numAttrs = blocks > 1 ? 1 : 0;
    return cudaLaunchKernelEx(&config, sweep_kernel<AXES, PARTS>, *s, *m, blocks);
}

template <int AXES>
static cudaError_t launch_parts(const struct kn_cuda_steady_problem *s, const struct kn_cuda_steady_march *m,
                                cudaStream_t stream)
{
    return m->omega != 0 ? launch<AXES, 2>(s, m, stream) : launch<AXES, 1>(s, m, stream);
}

cudaError_t kn_cuda_steady_sweep(const struct kn_cuda_steady_problem *s, const struct kn_cuda_steady_march *m,
                                 cudaStream_t stream)
{
    return s->mesh.naxes == 1   ? launch_parts<1>(s, m, stream)
           : s->mesh.naxes == 2 ? launch_parts<2>(s, m, stream)
                                : launch_parts<3>(s, m, stream);
}
