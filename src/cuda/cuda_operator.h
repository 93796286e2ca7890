/* The assembled collision operator on the device: matrix times cells, parity by parity, on tensor cores,
 * theory section 12. A warp multiplies M x 16 cells with N x 8 rows of the matrix of one parity. Tensor
 * cores use 11 bits of each factor: factors are split into two such parts and three of the four products
 * are computed, which gives 21 bits. */
#ifndef KN_CUDA_OPERATOR_H
#define KN_CUDA_OPERATOR_H

#include "cuda/cuda_linear.h"

enum {
    CELLS_ACROSS = 16, /* cells of a product */
    NODES_ACROSS = 8,  /* nodes of its result */
    NODES_ALONG = 8    /* nodes of its sum */
};

/* c += a b: 16 cells x 8 nodes x 8 nodes. */
static __device__ __forceinline__ void add_product(float c[4], const float a[4], const float b[2])
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
          "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
#else
    (void)c, (void)a, (void)b;
    __trap(); /* older GPUs are refused */
#endif
}

/* The part of a factor beyond the bits that tensor cores use; they ignore it. */
static __device__ __forceinline__ float rest_of(float x)
{
    return x - __uint_as_float(__float_as_uint(x) & 0xffffe000u);
}

/* Layout of parities for tensor cores: for every step along the sum, parity and 16 cells, four values per
 * lane: cells lane / 4 and lane / 4 + 8, then four nodes further. Lanes are permuted from step to step to
 * avoid bank conflicts. */
static __device__ __forceinline__ int lane_place(int lane, int step)
{
    return lane ^ (step % 8);
}

template <int P, int M> static __device__ __forceinline__ int parity_place(int cell, int k)
{
    const int step = k / NODES_ALONG, lane = cell % 8 * 4 + k % 4, inside = cell / 8 % 2 + k / 4 % 2 * 2;
    return ((step * P * M + cell / CELLS_ACROSS) * WARP + lane_place(lane, step)) * 4 + inside;
}

/* Store four nodes of all octants of a cell as parities. */
template <int P, int M>
static __device__ __forceinline__ void put_parities(const four h[P], int cell, int k, float *to)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float x[P];
        float *at = to + parity_place<P, M>(cell, k + i);
#pragma unroll
        for (int o = 0; o < P; o++)
            x[o] = h[o].v[i];
        to_parities<P>(x);
#pragma unroll
        for (int o = 0; o < P; o++)
            at[o * M * WARP * 4] = x[o];
    }
}

/* Changes of M x 16 cells in N x 8 nodes: cells lane / 4 and lane / 4 + 8, nodes 2 (lane % 4) and the
 * next. */
template <int M, int N> struct changes {
    float of[M][N][4]; /* [16 cells][8 nodes][2 lower cell + node] */
};

/* Matrices for one step along the sum: two tiles of 8 nodes at a time. */
template <int N> struct factors {
    float of[(N + 1) / 2 * 2][2];
};

template <int N> static __device__ __forceinline__ factors<N> read_factors(const float *matrix)
{
    factors<N> f;
#pragma unroll
    for (int i = 0; i < (N + 1) / 2; i++) {
        const float4 x = __ldg((const float4 *)matrix + i * WARP + threadIdx.x % WARP);
        f.of[2 * i][0] = x.x, f.of[2 * i][1] = x.y, f.of[2 * i + 1][0] = x.z, f.of[2 * i + 1][1] = x.w;
    }
    return f;
}

/* The products of one step; products that add to the same sum are as far apart as possible. */
template <int M, int N>
static __device__ __forceinline__ void add_products(const float a[M][4], const float a_rest[M][4],
                                                    const factors<N> &b, changes<M, N> *d)
{
#pragma unroll
    for (int kind = 0; kind < 3; kind++)
#pragma unroll
        for (int n = 0; n < N; n++) {
            const float b_rest[2] = {rest_of(b.of[n][0]), rest_of(b.of[n][1])};
#pragma unroll
            for (int c = 0; c < M; c++)
                add_product(d->of[c][n], kind == 0 ? a_rest[c] : a[c], kind == 1 ? b_rest : b.of[n]);
        }
}

template <int M, int N>
static __device__ __forceinline__ void add_step(const float4 *x, const factors<N> &b, changes<M, N> *d)
{
    float a[M][4], a_rest[M][4];
#pragma unroll
    for (int c = 0; c < M; c++) {
        const float4 from = x[c * WARP];
        a[c][0] = from.x, a[c][1] = from.y, a[c][2] = from.z, a[c][3] = from.w;
#pragma unroll
        for (int i = 0; i < 4; i++)
            a_rest[c][i] = rest_of(a[c][i]);
    }
    add_products<M, N>(a, a_rest, b, d);
}

/* exp(L dt) - 1 of one parity times the cells, for a share of the nodes.  `in`: parities of
 * all cells and steps; `matrix`: of this parity and share. */
template <int P, int M, int N>
static __device__ __forceinline__ void multiply(const float *matrix, int steps, const float *in, int parity,
                                                changes<M, N> *d)
{
    enum { STEP = (N + 1) / 2 * 4 * WARP };
    const float4 *x = (const float4 *)in + parity * M * WARP;
#pragma unroll
    for (int i = 0; i < M * N * 4; i++)
        d->of[i / (N * 4)][i / 4 % N][i % 4] = 0;
    factors<N> next = read_factors<N>(matrix);
#pragma unroll 1
    for (int step = 0; step < steps; step++, x += P * M * WARP) {
        const factors<N> b = next;
        matrix += step + 1 < steps ? STEP : 0;
        next = read_factors<N>(matrix);
        add_step<M, N>(x + lane_place(threadIdx.x % WARP, step), b, d);
    }
}

/* Changes are in shared memory as rows [cell][parity][node], with these distances in floats. */
struct change_rows {
    float *base;
    int cell, parity;
};

template <int M, int N>
static __device__ __forceinline__ void put_changes(const changes<M, N> &d, const change_rows &to, int parity,
                                                   int first)
{
    const int lane = threadIdx.x % WARP;
    float *at = to.base + lane / 4 * to.cell + parity * to.parity + first + 2 * (lane % 4);
#pragma unroll
    for (int i = 0; i < M * N * 2; i++) {
        const int c = i / (N * 2), n = i / 2 % N;
        *(float2 *)(at + (c * CELLS_ACROSS + i % 2 * 8) * to.cell + n * NODES_ACROSS) =
            make_float2(d.of[c][n][i % 2 * 2], d.of[c][n][i % 2 * 2 + 1]);
    }
}

/* A cell: its row before and after, its changes. */
struct changed_row {
    const float *old;
    float *to;
    const float *change;
    int apart; /* floats between parities of the changes */
};

/* Four nodes of the changes. */
template <int P> static __device__ __forceinline__ void read_changes(const changed_row &c, int k, four d[P])
{
#pragma unroll
    for (int o = 0; o < P; o++)
        d[o] = read4(c.change + o * c.apart + k);
}

/* Mass, energy and momentum by octant bit that round-off has added to the changes. */
struct invariant_errors {
    float mass, energy, momentum[3];
};

/* Contribution of an octant, P times that of a parity. */
template <int P>
static __device__ __forceinline__ void add_errors(const octant_nodes<P> &n, const four d[P],
                                                  invariant_errors *sum)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float even = P * n.w.v[i] * d[0].v[i];
        sum->mass += even;
        sum->energy += n.vv.v[i] * even;
#pragma unroll
        for (int j = 0; j < axes_of(P); j++)
            sum->momentum[j] += P * n.w.v[i] * n.v[j].v[i] * d[1 << j].v[i];
    }
}

template <int P, int LANES> static __device__ __forceinline__ void sum_lanes(invariant_errors *sum)
{
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2) {
        sum->mass += __shfl_xor_sync(0xffffffffu, sum->mass, offset);
        sum->energy += __shfl_xor_sync(0xffffffffu, sum->energy, offset);
#pragma unroll
        for (int j = 0; j < axes_of(P); j++)
            sum->momentum[j] += __shfl_xor_sync(0xffffffffu, sum->momentum[j], offset);
    }
}

/* The polynomial that removes these errors. */
template <int P>
static __device__ __forceinline__ polynomial correction_of(const kn_cuda_problem &p,
                                                           const kn_cuda_correction &c,
                                                           const invariant_errors &b)
{
    polynomial x = {0, {0, 0, 0}, 0};
    if (p.conservation == KN_CONSERVATION_NONE)
        return x;
    x.even = -(c.even[0][0] * b.mass + c.even[0][1] * b.energy);
    x.square = -(c.even[1][0] * b.mass + c.even[1][1] * b.energy);
#pragma unroll
    for (int j = 0; j < axes_of(P); j++)
        x.odd[j] = -c.odd[j] * b.momentum[j];
    return x;
}

/* h + change in four nodes of all octants; `lost`: mass lost by round-off. */
template <int P>
static __device__ __forceinline__ void apply_change(const octant_nodes<P> &n, const polynomial &x,
                                                    const four d[P], four h[P], float lost[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float change[P];
#pragma unroll
        for (int o = 0; o < P; o++)
            change[o] = d[o].v[i];
        change[0] += n.inside.v[i] * x.even + x.square * n.vv.v[i];
#pragma unroll
        for (int j = 0; j < axes_of(P); j++)
            change[1 << j] += x.odd[j] * n.v[j].v[i];
        to_parities<P>(change);
#pragma unroll
        for (int o = 0; o < P; o++) {
            const float old = h[o].v[i], now = old + change[o];
            lost[i] += kn_stream_lost(old, change[o], now);
            h[o].v[i] = now;
        }
    }
}

template <int P>
static __device__ __forceinline__ void read_octants(const kn_cuda_problem &p, const float *row, int k,
                                                    four h[P])
{
#pragma unroll
    for (int o = 0; o < P; o++)
        h[o] = read4(row + o * p.mesh.stride + k);
}

template <int P>
static __device__ __forceinline__ void write_octants(const kn_cuda_problem &p, float *row, int k,
                                                     const four h[P])
{
#pragma unroll
    for (int o = 0; o < P; o++)
        write4(row + o * p.mesh.stride + k, h[o]);
}

#endif
