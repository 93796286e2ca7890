/* The quadratic part of collisions (cuda_deviation.h) in the cells of a list, before the operator. A block
 * has 16 or 8 cells. */
#include "cuda/cuda_deviation.h"

/* Distance in floats between rows in shared memory; the rest of the deviation follows the rows, in memory
 * that is used before for coefficients. */
static __host__ __device__ inline int row_floats(const kn_cuda_problem &p)
{
    return p.mesh.nnodes;
}

template <int AX>
static __host__ __device__ inline int rest_floats(const kn_cuda_problem &p, int cells, bool staged)
{
    const int rows = staged ? cells * row_floats(p) : 0, brief = brief_floats<AX>(cells);
    return rows > brief ? rows : brief;
}

template <int AX, int CELLS, bool STAGED>
static size_t bytes_of(const kn_cuda_problem *p, const kn_cuda_quadratic *q)
{
    const int rows = STAGED ? CELLS * row_floats(*p) : 0;
    return (size_t)(rows + rest_floats<AX>(*p, CELLS, STAGED) + kept_floats<AX>(*q, CELLS)) * sizeof(float);
}

/* One cell, as its threads see it. */
struct member {
    int lane;
    bool exists;
    int64_t cell;
};

/* Copy the row of a cell, with sources. Rows in shared memory are copied asynchronously: all parts are in
 * flight at the same time. */
template <int LANES, bool STAGED>
static __device__ __forceinline__ void load_row(const kn_cuda_problem &p, const kn_cuda_deviation &d,
                                                const member &me, float *row)
{
    const float *from = d.h + me.cell * p.mesh.nnodes;
    const int end = me.exists ? p.mesh.nnodes : 0;
    for (int k = 4 * me.lane; k < end; k += 4 * LANES)
        if constexpr (STAGED)
            __pipeline_memcpy_async(row + k, from + k, sizeof(float4));
        else
            write4(row + k, read_row(from + k));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int k = 4 * me.lane; k < end && d.before != 0; k += 4 * LANES) {
        four h = read4(row + k);
        const four source = read4(p.source + k);
#pragma unroll
        for (int i = 0; i < 4; i++)
            h.v[i] = kn_collide_driven(h.v[i], d.before, source.v[i]);
        write4(row + k, h);
    }
    __syncwarp();
}

/* Copy it back. */
template <int LANES>
static __device__ __forceinline__ void store_row(const kn_cuda_problem &p, const member &me, const float *row,
                                                 float *to)
{
#pragma unroll 4
    for (int k = 4 * me.lane; k < p.mesh.nnodes && me.exists; k += 4 * LANES)
        write4(to + me.cell * p.mesh.nnodes + k, read4(row + k));
}

/* The padding of the rest of the deviation is 0. */
template <int LANES>
static __device__ __forceinline__ void clear_padding(const kn_cuda_problem &p, const member &me, float *rest)
{
    for (int o = 0; o < p.mesh.octants && me.exists; o++)
        for (int k = p.size + me.lane; k < p.mesh.stride; k += LANES)
            rest[o * p.mesh.stride + k] = 0;
}

/* Results of the cell that the operator needs. */
template <int AX, int LANES>
static __device__ __forceinline__ void store_results(const kn_cuda_quadratic &q, const member &me,
                                                     const float *local, const gain_errors &e)
{
    for (int i = 4 * me.lane; i < shape<AX>::P * PLACES && me.exists; i += 4 * LANES)
        write4(q.coefficients + me.cell * shape<AX>::P * PLACES + i, read4(local + i));
    if (me.lane != 0 || !me.exists)
        return;
    const float all[KN_CUDA_ERRORS] = {e.sum.mass,        e.sum.energy,      e.sum.momentum[0],
                                       e.sum.momentum[1], e.sum.momentum[2], e.lost};
#pragma unroll
    for (int i = 0; i < KN_CUDA_ERRORS; i++)
        q.errors[me.cell * KN_CUDA_ERRORS + i] = all[i];
}

/* STAGED: rows are in shared memory. */
template <int AX, int CELLS, bool STAGED>
static __global__ void __launch_bounds__(DEVIATION_THREADS, AX > 2 ? 2 : 3)
    deviation_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_quadratic q,
                     const __grid_constant__ kn_cuda_deviation d)
{
    enum { LANES = DEVIATION_THREADS / CELLS };
    extern __shared__ __align__(16) float shared[];
    const int c = threadIdx.x / LANES, at = blockIdx.x * CELLS + c;
    const bool exists = at < d.total;
    const member me = {(int)threadIdx.x % LANES, exists, exists && d.list ? d.list[at] : at};
    float *const rests = shared + (STAGED ? CELLS * row_floats(p) : 0),
                 *const row = STAGED ? shared + c * row_floats(p) : d.to + me.cell * p.mesh.nnodes,
                 *const rest = STAGED ? rests + c * row_floats(p) : d.rest + me.cell * p.mesh.nnodes;
    const deviation_space space =
        deviation_space_of<AX, CELLS>(q, rests + rest_floats<AX>(p, CELLS, STAGED), rests);
    load_row<LANES, STAGED>(p, d, me, row);
    const int stride = p.mesh.stride;
    const gain_errors e = deviate<AX, CELLS>(p, q, space, exists ? (int)me.cell : -1, row,
                                             [=](int first, int k, const float *values) {
#pragma unroll
                                                 for (int s = 0; s < shape<AX>::SIGNS; s++)
                                                     rest[(first + s) * stride + k] = values[s];
                                             });
    store_results<AX, LANES>(q, me, space.local + c * shape<AX>::BY_PLACE, e);
    clear_padding<LANES>(p, me, rest);
    if (!STAGED)
        return;
    __syncwarp();
    store_row<LANES>(p, me, rest, d.rest);
    store_row<LANES>(p, me, row, d.to);
}

/* Blocks of this kernel that a multiprocessor holds; 0: not even one. */
template <int AX, int CELLS> static int blocks_of(const kn_cuda_problem *p, const kn_cuda_quadratic *q)
{
    const size_t bytes = bytes_of<AX, CELLS, true>(p, q);
    return bytes <= p->shared_limit ? (int)(p->shared_whole / (bytes + 1024)) : 0;
}

template <int AX, int CELLS, bool STAGED>
static cudaError_t launch(const kn_cuda_problem *p, const kn_cuda_quadratic *q, const kn_cuda_deviation *d,
                          cudaStream_t stream)
{
    const size_t bytes = bytes_of<AX, CELLS, STAGED>(p, q);
    const auto kernel = deviation_kernel<AX, CELLS, STAGED>;
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)((d->total + CELLS - 1) / CELLS), DEVIATION_THREADS, bytes, stream>>>(*p, *q, *d);
    return cudaGetLastError();
}

/* 16 cells per block, or 8 if their rows leave space for few blocks; rows that are too long for shared memory
 * stay in global memory. */
template <int AX>
static cudaError_t launch_cells(const kn_cuda_problem *p, const kn_cuda_quadratic *q,
                                const kn_cuda_deviation *d, cudaStream_t stream)
{
    if (blocks_of<AX, 16>(p, q) >= 3)
        return launch<AX, 16, true>(p, q, d, stream);
    return blocks_of<AX, 8>(p, q) > 0 ? launch<AX, 8, true>(p, q, d, stream)
                                      : launch<AX, 16, false>(p, q, d, stream);
}

cudaError_t kn_cuda_deviate(const struct kn_cuda_problem *p, const struct kn_cuda_quadratic *q,
                            const struct kn_cuda_deviation *d, cudaStream_t stream)
{
    switch (p->mesh.octants) {
    case 1:
        return launch_cells<0>(p, q, d, stream);
    case 2:
        return launch_cells<1>(p, q, d, stream);
    case 4:
        return launch_cells<2>(p, q, d, stream);
    default:
        return launch_cells<3>(p, q, d, stream);
    }
}
