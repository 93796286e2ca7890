/* The collision step by the assembled operator, for cells that have been streamed. */
#include "backend/cuda_operator.h"

/* Parities of the cells of this block, with half a step of sources, into shared memory;
 * cells that do not exist are like the last. */
template <int P, int M>
static __device__ void load_parities(const kn_cuda_problem &p, const float *h, const int32_t *list, int first,
                                     int cells, float half, float *to)
{
    const int quads = kn_cuda_operator_steps(p.size) * NODES_ALONG / 4;
#pragma unroll 2
    for (int i = threadIdx.x; i < quads * CELLS_ACROSS * M; i += blockDim.x) {
        const int c = i / quads, k = 4 * (i - c * quads), from = first + (c < cells ? c : cells - 1);
        four row[P];
#pragma unroll
        for (int o = 0; o < P; o++) {
            row[o] =
                read_row(h + (int64_t)(list ? list[from] : from) * p.mesh.nnodes + o * p.mesh.stride + k);
            if (half != 0) {
                const four source = read4(p.source + o * p.mesh.stride + k);
#pragma unroll
                for (int j = 0; j < 4; j++)
                    row[o].v[j] += half * source.v[j];
            }
        }
        put_parities<P, M>(row, c, k, to);
    }
    __syncthreads();
}

/* M x 16 cells at a time, of the list or of all; in place. */
template <int P, int M, int N>
static __global__ void __launch_bounds__(WARP *most_shares(M), M)
    operator_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_operator op,
                    float *h, const int32_t *list, int total, source_steps source, int octant)
{
    enum { CELLS = CELLS_ACROSS * M };
    extern __shared__ __align__(16) float in[];
    __shared__ shared_sums<P, M> space;
    const int first = blockIdx.x * CELLS, here = total - first < CELLS ? total - first : CELLS;
    let_the_next_begin();
    load_parities<P, M>(p, h, list, first, here, source.before, in);
    cell_rows<M> old = {h, {}, p.mesh.nnodes, p.mesh.stride}, to = old;
    const float lost[M][2] = {};
#pragma unroll
    for (int c = 0; c < 2 * M; c++) {
        const int at = CELLS_ACROSS / 2 * c + threadIdx.x % WARP / 4,
                  cell = first + (at < here ? at : here - 1);
        old.cell[c / 2][c % 2] = list ? list[cell] : cell;
        to.cell[c / 2][c % 2] = at < here ? old.cell[c / 2][c % 2] : -1;
    }
    operate<P, M, N, true>(p, op, octant, source, in, old, lost, to, &space);
}

/* ------------------------------------------------------------------ launching */

/* Parities times 16 cells times 8 nodes that a warp has in registers at once. */
enum { HELD = 16 };

static __host__ __device__ constexpr int nodes_held(int parities, int m)
{
    return parities * m < HELD / 8 ? 8 : HELD / (parities * m);
}

/* Bytes of shared memory for the parities of M x 16 cells. */
static size_t parity_bytes(const kn_cuda_problem *p, int m)
{
    return (size_t)m * CELLS_ACROSS * (size_t)p->mesh.octants * (size_t)kn_cuda_operator_steps(p->size) *
           NODES_ALONG * sizeof(float);
}

/* 2: two blocks of 32 cells on a multiprocessor; 1: what one block can hold. */
static int tiles_across(const kn_cuda_problem *p)
{
    enum { RESERVED = 1024 }; /* by the system, a block */
    const size_t sums = p->mesh.octants == 8 ? sizeof(shared_sums<8, 2>) : sizeof(shared_sums<4, 2>);
    return 2 * (parity_bytes(p, 2) + sums + RESERVED) <= p->shared_whole ? 2 : 1;
}

static int warps_of(const kn_cuda_problem *p)
{
    const int share = NODES_ACROSS * nodes_held(p->mesh.octants, tiles_across(p)),
              shares = (p->size + share - 1) / share, most = most_shares(tiles_across(p)),
              rounds = (shares + most - 1) / most;
    return (shares + rounds - 1) / rounds; /* all have as much to do */
}

int kn_cuda_operator_last(const struct kn_cuda_problem *p)
{
    return NODES_ACROSS * nodes_held(p->mesh.octants, tiles_across(p)) * warps_of(p);
}

template <int P, int M>
static cudaError_t launch(const kn_cuda_problem *p, const kn_cuda_operator *op, float *h, const int32_t *list,
                          int total, double before, double after, int octant, cudaStream_t stream)
{
    const auto kernel = operator_kernel<P, M, nodes_held(P, M)>;
    const int cells = CELLS_ACROSS * M, warps = warps_of(p);
    const size_t bytes = parity_bytes(p, M);
    const struct source_steps source = {p->source ? (float)before : 0.0f, p->source ? (float)after : 0.0f};
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)((total + cells - 1) / cells), WARP * warps, bytes, stream>>>(*p, *op, h, list, total,
                                                                                     source, octant);
    return cudaGetLastError();
}

template <int P>
static cudaError_t launch_cells(const kn_cuda_problem *p, const kn_cuda_operator *op, float *h,
                                const int32_t *list, int total, double before, double after, int octant,
                                cudaStream_t stream)
{
    return tiles_across(p) == 2 ? launch<P, 2>(p, op, h, list, total, before, after, octant, stream)
                                : launch<P, 1>(p, op, h, list, total, before, after, octant, stream);
}

cudaError_t kn_cuda_operate(const struct kn_cuda_problem *p, const struct kn_cuda_operator *op, float *h,
                            const int32_t *list, int total, double before, double after, int octant,
                            cudaStream_t stream)
{
    switch (p->mesh.octants) {
    case 1:
        return launch_cells<1>(p, op, h, list, total, before, after, octant, stream);
    case 2:
        return launch_cells<2>(p, op, h, list, total, before, after, octant, stream);
    case 4:
        return launch_cells<4>(p, op, h, list, total, before, after, octant, stream);
    default:
        return launch_cells<8>(p, op, h, list, total, before, after, octant, stream);
    }
}
