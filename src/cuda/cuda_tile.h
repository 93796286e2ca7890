/* Rows of several cells side by side in shared memory, and their division among threads. */
#ifndef KN_CUDA_TILE_H
#define KN_CUDA_TILE_H

#include "cuda/cuda_rows.h"

/* Rows of C cells, V side by side: tiles are [C / V][slot][V]. */
template <int V> struct __align__(V * 4) lanes
{
    float v[V];
};

/* Index of node k in the tile: its slot in shared memory, or its index in a plain row (C = 1) of the
 * result. */
template <int V, bool STAGED> static __device__ __forceinline__ int64_t slot_of(int k)
{
    return STAGED ? kn_cuda_slot((uint32_t)k, V) : (uint32_t)k;
}

/* The first value of cell c in the tile. */
template <int V, class T> static __device__ __forceinline__ T *cell_of(const kn_mesh &m, T *tile, int c)
{
    return tile + c / V * (kn_cuda_slots(m.nnodes, V) + KN_SAMPLE_BATCH) * V + c % V;
}

static __device__ __forceinline__ four read_table(const float *from)
{
    const float4 x = __ldg((const float4 *)from);
    return four{{x.x, x.y, x.z, x.w}};
}

/* Four nodes of all cells of a block. */
template <int C> struct quad_cells {
    four cell[C];
};

template <int C, int V, bool STAGED>
static __device__ __forceinline__ quad_cells<C> read_tile(const kn_mesh &m, const float *tile, int k)
{
    quad_cells<C> h;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int c = 0; c < C; c += V) {
            const lanes<V> l = ((const lanes<V> *)cell_of<V>(m, tile, c))[slot_of<V, STAGED>(k + i)];
#pragma unroll
            for (int j = 0; j < V; j++)
                h.cell[c + j].v[i] = l.v[j];
        }
    return h;
}

template <int C, int V, bool STAGED>
static __device__ __forceinline__ void write_tile(const kn_mesh &m, float *tile, int k,
                                                  const quad_cells<C> &h)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int c = 0; c < C; c += V) {
            lanes<V> l;
#pragma unroll
            for (int j = 0; j < V; j++)
                l.v[j] = h.cell[c + j].v[i];
            ((lanes<V> *)cell_of<V>(m, tile, c))[slot_of<V, STAGED>(k + i)] = l;
        }
}

/* A thread processes four nodes in several octants and reads the velocity tables once: nodes from `k` in
 * steps of `step`, octants from `octant` in steps of `parts`. */
struct share {
    int k, step, octant, parts;
};

template <int T> static __device__ __forceinline__ share share_of(const kn_mesh &m)
{
    const int quads = m.stride / 4, across = quads < T ? quads : T, part = threadIdx.x / across;
    const bool spare = part >= T / across; /* threads left over by the division among octants */
    return share{spare ? m.stride : 4 * ((int)threadIdx.x - part * across), 4 * across, part, T / across};
}

/* Four nodes: weight, |v|, v.v. Components that vanish by symmetry are not read. */
struct quad_nodes {
    four w, v[3], vv;
};

static __device__ __forceinline__ quad_nodes nodes_of(const kn_cuda_problem &p, int k)
{
    const four zero = {{0, 0, 0, 0}};
    quad_nodes n = {read_table(p.w + k), {zero, zero, zero}, read_table(p.square + k)};
#pragma unroll
    for (int d = 0; d < 3; d++)
        if (p.mesh.bit[d] != 0)
            n.v[d] = read_table(p.speed[d] + k);
    return n;
}

#endif
