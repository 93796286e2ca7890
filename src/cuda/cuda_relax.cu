/* Model equations in place, for cells that have been streamed by another kernel: a cell is processed by some
 * lanes of a warp, or by a block, with its row in registers. */
#include "cuda/cuda_relax.h"

template <int OCTANTS, int LANES>
static __global__ void __launch_bounds__(LANES > WARP ? LANES : 128)
    relax_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_operation o)
{
    enum { GROUP = LANES > WARP ? WARP : LANES, TEAMS = LANES > WARP ? 1 : 128 / LANES };
    extern __shared__ __align__(16) float4 tables[]; /* [teams][entries] */
    __shared__ relaxing_space<OCTANTS, LANES / GROUP> space[TEAMS];
    const int team = LANES > WARP ? 0 : threadIdx.x / LANES, number = blockIdx.x * TEAMS + team,
              k = 4 * (LANES > WARP ? threadIdx.x : threadIdx.x % LANES);
    const bool works = k < p.mesh.stride && number < o.total;
    const int cell = number < o.total ? (o.list ? o.list[number] : number) : 0;
    const double dt = o.before + o.after;
    const octant_nodes<OCTANTS> n = octant_nodes_of<OCTANTS>(p, k < p.mesh.stride ? k : 0);
    const int heavy = heaviest<GROUP>(k < p.mesh.stride ? n.w.v[0] : 0.0f);
    float *const row = o.h + (int64_t)cell * p.mesh.nnodes + k;
    float lost[4] = {0, 0, 0, 0};
    four h[OCTANTS] = {};
#pragma unroll
    for (int i = 0; i < OCTANTS; i++)
        if (works)
            h[i] = driven(p, dt, read4(row + i * p.mesh.stride), i, k);
    if (p.method != KN_METHOD_NONE) {
        const polynomial x = relax_cell<LANES, OCTANTS>(p, dt, relaxed_nodes_of<OCTANTS>(p, n, k, works),
                                                        &space[team], tables + team * p.tables.entries, h);
        if (works)
            relax<OCTANTS>(n, x, 0, h, lost);
        restore_mass<GROUP, OCTANTS>(n, lost, 0, heavy, o.octant, h);
    }
#pragma unroll
    for (int i = 0; i < OCTANTS; i++)
        if (works)
            write4(row + i * p.mesh.stride, driven(p, dt, h[i], i, k));
}

template <int OCTANTS, int LANES>
static cudaError_t launch(const kn_cuda_problem *p, const kn_cuda_operation *o, cudaStream_t stream)
{
    const int teams = LANES > WARP ? 1 : 128 / LANES, quads = p->mesh.stride / 4,
              threads = LANES > WARP ? (quads + WARP - 1) / WARP * WARP : 128;
    const size_t tables = (size_t)teams * (size_t)p->tables.entries * sizeof(float4);
    relax_kernel<OCTANTS, LANES>
        <<<(unsigned)((o->total + teams - 1) / teams), threads, tables, stream>>>(*p, *o);
    return cudaGetLastError();
}

template <int OCTANTS>
static cudaError_t launch_lanes(const kn_cuda_problem *p, const kn_cuda_operation *o, cudaStream_t stream)
{
    const int quads = p->mesh.stride / 4;
    return quads <= 16     ? launch<OCTANTS, 16>(p, o, stream)
           : quads <= WARP ? launch<OCTANTS, WARP>(p, o, stream)
           : quads <= 128  ? launch<OCTANTS, 128>(p, o, stream)
                           : launch<OCTANTS, WARP * MOST_WARPS>(p, o, stream);
}

cudaError_t kn_cuda_relax(const struct kn_cuda_problem *p, const struct kn_cuda_operation *what,
                          cudaStream_t stream)
{
    switch (p->mesh.octants) {
    case 1:
        return launch_lanes<1>(p, what, stream);
    case 2:
        return launch_lanes<2>(p, what, stream);
    case 4:
        return launch_lanes<4>(p, what, stream);
    default:
        return launch_lanes<8>(p, what, stream);
    }
}
