/* Transport sweeps on the device, theory (61), in one launch.  A block has four nodes of an octant and
 * computes the cells level by level.  Values pass from a level to the next one through shared memory; all
 * other numbers are loaded some stages ahead. */
#include "cuda/cuda_steady.h"

enum { GROUP = KN_CUDA_STEADY_GROUP };

/* What a thread knows of a node before the upwind cells are known. */
template <int AXES, int PARTS> struct node {
    int32_t up[AXES];
    double flow[AXES], from[PARTS];
};

/* The node that a thread has in a stage, and its number in a vector. */
struct place {
    int octant, k, slot;
};

/* A stop without the axes that do not exist. */
template <int AXES> struct stop {
    int4 cells;
    double per_width[AXES];
};

template <int AXES>
static __device__ __forceinline__ void read_stop(const kn_cuda_steady_problem &s, const place &p, int stage,
                                                 stop<AXES> &to)
{
    const kn_cuda_steady_stop *from = s.stops + ((int64_t)p.octant * s.nstages + stage) * s.together + p.slot;
    to.cells = stage < s.nstages ? *(const int4 *)from : int4{0, -1, -1, -1};
    const double2 first = stage < s.nstages ? *(const double2 *)from->per_width : double2{0, 0};
    to.per_width[0] = first.x;
    if (AXES > 1)
        to.per_width[AXES > 1] = first.y;
    if (AXES > 2)
        to.per_width[AXES - 1] = stage < s.nstages ? from->per_width[2] : 0;
}

static __device__ __forceinline__ int64_t row_of(const kn_cuda_steady_problem &s, const place &p, int cell)
{
    return (int64_t)cell * s.mesh.nnodes + p.octant * s.mesh.stride + p.k;
}

template <int AXES, int PARTS>
static __device__ __forceinline__ void load(const kn_cuda_steady_problem &s, const kn_cuda_steady_march &m,
                                            const place &p, const stop<AXES> &stop, const float speed[AXES],
                                            node<AXES, PARTS> &n)
{
    const int cell = stop.cells.x / 2 - 1;
    const int32_t up[3] = {stop.cells.y, stop.cells.z, stop.cells.w};
#pragma unroll
    for (int i = 0; i < AXES; i++) {
        n.up[i] = up[i];
        n.flow[i] = speed[i] * stop.per_width[i];
    }
#pragma unroll
    for (int part = 0; part < PARTS; part++)
        n.from[part] = cell < 0 ? 0 : __ldcs(m.from[part] + row_of(s, p, cell));
}

/* The solution of an upwind cell: from the preceding level, or further upwind. */
static __device__ __forceinline__ double inflow(const kn_cuda_steady_problem &s, const place &p, int32_t up,
                                                const double *before, const double *to)
{
    return up == -1 ? 0 : up >= 0 ? before[up * GROUP + p.k % GROUP] : __ldcg(to + row_of(s, p, -2 - up));
}

/* Values in shared memory, by part: of all cells of the preceding level, and of the own cell. */
struct values {
    const double *before;
    double *now;
};

/* Solve the equation of a node. */
template <int AXES, int PARTS>
static __device__ __forceinline__ void solve(const kn_cuda_steady_problem &s, const kn_cuda_steady_march &m,
                                             const place &p, double nu, int cell, const node<AXES, PARTS> &n,
                                             values v)
{
    const int size = s.kept * GROUP;
    double sum[PARTS], diagonal = nu;
#pragma unroll
    for (int i = 0; i < AXES; i++)
        diagonal += n.flow[i];
    const double inverse = 1 / (PARTS == 1 ? diagonal : diagonal * diagonal + m.omega * m.omega);
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        sum[part] = n.from[part];
#pragma unroll
        for (int i = 0; i < AXES; i++)
            sum[part] += n.flow[i] * inflow(s, p, n.up[i], v.before + part * size, m.to[part]);
    }
    double value[2] = {sum[0] * inverse, 0};
    if (PARTS == 2) {
        value[0] = inverse * (diagonal * sum[0] + m.omega * sum[PARTS - 1]);
        value[1] = inverse * (diagonal * sum[PARTS - 1] - m.omega * sum[0]);
    }
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        __stcg(m.to[part] + row_of(s, p, cell), value[part]);
        if (s.kept > 0)
            v.now[part * size] = value[part];
    }
}

template <int AXES, int PARTS>
static __global__ void __launch_bounds__(GROUP *KN_CUDA_STEADY_SLOTS)
    sweep_kernel(const __grid_constant__ kn_cuda_steady_problem s,
                 const __grid_constant__ kn_cuda_steady_march m)
{
    enum { AHEAD = AXES * PARTS > 1 ? 2 : 4 };
    extern __shared__ double kept[]; /* [2][PARTS][s.kept][GROUP] */
    const int groups = s.mesh.stride / GROUP, size = s.kept * GROUP * PARTS;
    const place p = {(int)blockIdx.x / groups, (int)(blockIdx.x % groups * GROUP + threadIdx.x % GROUP),
                     (int)(threadIdx.x / GROUP)};
    const double nu = s.frequency[p.k];
    float speed[AXES];
    stop<AXES> stops[AHEAD];
    node<AXES, PARTS> nodes[AHEAD];
    int32_t cells[AHEAD];
    int level = 0, first = p.slot; /* parity of the level, place in it */
#pragma unroll
    for (int i = 0; i < AXES; i++)
        speed[i] = s.speed[s.mesh.axes[i]][p.k];
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        read_stop<AXES>(s, p, i, stops[i]);
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        cells[i] = stops[i].cells.x;
        load<AXES, PARTS>(s, m, p, stops[i], speed, nodes[i]);
        read_stop<AXES>(s, p, AHEAD + i, stops[i]);
    }
    for (int stage = 0; stage < s.nstages; stage += AHEAD)
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (cells[i] > 1)
                solve<AXES, PARTS>(
                    s, m, p, nu, cells[i] / 2 - 1, nodes[i],
                    values{kept + (level ^ 1) * size, kept + level * size + first * GROUP + p.k % GROUP});
            const bool last = cells[i] & 1;
            cells[i] = stops[i].cells.x;
            load<AXES, PARTS>(s, m, p, stops[i], speed, nodes[i]);
            read_stop<AXES>(s, p, stage + 2 * AHEAD + i, stops[i]);
            first = last ? p.slot : first + s.together;
            level ^= last;
            if (last)
                __syncthreads();
        }
}

template <int AXES, int PARTS>
static cudaError_t launch(const struct kn_cuda_steady_problem *s, const struct kn_cuda_steady_march *m,
                          cudaStream_t stream)
{
    const size_t bytes = 2 * PARTS * GROUP * (size_t)s->kept * sizeof(double);
    const unsigned blocks = (unsigned)(s->mesh.octants * (s->mesh.stride / GROUP)),
                   threads = (unsigned)(s->together * GROUP);
    const cudaError_t status = cudaFuncSetAttribute(sweep_kernel<AXES, PARTS>,
                                                    cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    sweep_kernel<AXES, PARTS><<<blocks, threads, bytes, stream>>>(*s, *m);
    return cudaGetLastError();
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
