/* The assembled collision operator on the device: matrix times cells, parity by parity, on tensor cores,
 * theory section
 * 12. A warp multiplies M x 16 cells with N x 8 rows of the matrix of one parity. Factors are scaled by
 * powers of 2 and split into two numbers of 11 bits; three of the four products are computed, which gives 21
 * bits. */
#ifndef KN_CUDA_OPERATOR_H
#define KN_CUDA_OPERATOR_H

#include <cuda_fp16.h>

#include "cuda/cuda_linear.h"

enum {
    CELLS_ACROSS = 16, /* cells of a product */
    NODES_ACROSS = 8,  /* nodes of its result */
    NODES_ALONG = 16   /* nodes of its sum */
};

/* c += a b in 11 bits: 16 cells x 8 nodes x 16 nodes. */
static __device__ __forceinline__ void add_product(float c[4], const uint4 &a, uint32_t b0, uint32_t b1)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a.x), "r"(a.z), "r"(a.y), "r"(a.w), "r"(b0), "r"(b1));
#else
    (void)c, (void)a, (void)b0, (void)b1;
    __trap(); /* older GPUs are refused */
#endif
}

/* c += a b: 16 x 8 x 8 numbers of any magnitude, of which 11 bits are used. */
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

/* Layout of parities for tensor cores: for every step along the sum, parity and 16 cells, four numbers of 16
 * nodes, then their rests. A lane has four nodes of cells lane / 4 and lane / 4 + 8. Lanes are permuted from
 * step to step to avoid bank conflicts. */
static __device__ __forceinline__ unsigned lane_place(unsigned lane, unsigned step)
{
    return lane ^ (step % 8);
}

enum { PARITY_WORDS = 2 * 4 * WARP }; /* of a parity of 16 cells in a step */

template <int P, int M> static __device__ __forceinline__ int parity_place(int cell, int k)
{
    const unsigned c = cell, n = k, step = n / NODES_ALONG, lane = c % 8 * 4 + n / 4 % 4;
    return (step * P * M + c / CELLS_ACROSS) * PARITY_WORDS + lane_place(lane, step) * 4 + c / 8 % 2 * 2;
}

/* Two numbers of 11 bits. */
static __device__ __forceinline__ uint32_t pack(float a, float b)
{
    const __half2 pair = __floats2half2_rn(a, b);
    return *(const uint32_t *)&pair;
}

/* What they omit. */
static __device__ __forceinline__ uint32_t pack_rest(float a, float b, uint32_t packed)
{
    const float2 whole = __half22float2(*(const __half2 *)&packed);
    return pack(a - whole.x, b - whole.y);
}

/* Store four nodes of one parity. */
static __device__ __forceinline__ void put_four(const four &x, uint32_t *to)
{
    const uint2 whole = {pack(x.v[0], x.v[1]), pack(x.v[2], x.v[3])};
    *(uint2 *)to = whole;
    *(uint2 *)(to + 4 * WARP) = uint2{pack_rest(x.v[0], x.v[1], whole.x), pack_rest(x.v[2], x.v[3], whole.y)};
}

/* Store four nodes of all octants of a cell, times `scale`, as parities. */
template <int P, int M>
static __device__ __forceinline__ void put_parities(const four h[P], float scale, int cell, int k,
                                                    uint32_t *to)
{
    four x[P];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float node[P];
#pragma unroll
        for (int o = 0; o < P; o++)
            node[o] = scale * h[o].v[i];
        to_parities<P>(node);
#pragma unroll
        for (int o = 0; o < P; o++)
            x[o].v[i] = node[o];
    }
    uint32_t *const at = to + parity_place<P, M>(cell, k);
#pragma unroll
    for (int o = 0; o < P; o++)
        put_four(x[o], at + o * M * PARITY_WORDS);
}

/* Store four coefficients of the quadratic part, which follow the nodes: the quad-th of all parities. */
template <int P, int M>
static __device__ __forceinline__ void put_polynomials(const float *coefficients, int quad, float scale,
                                                       int cell, int size, uint32_t *to)
{
    const int parity = quad / 4, k = kn_cuda_operator_sum(size, false) * NODES_ALONG + quad % 4 * 4;
    four x = read4(coefficients + parity * KN_CUDA_PLACES + quad % 4 * 4);
#pragma unroll
    for (int i = 0; i < 4; i++)
        x.v[i] *= scale;
    put_four(x, to + parity_place<P, M>(cell, k) + parity * M * PARITY_WORDS);
}

/* The largest magnitude of these numbers and `most`. */
static __device__ __forceinline__ float largest(const four &x, float most)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        most = fmaxf(most, fabsf(x.v[i]));
    return most;
}

/* A cell is multiplied by this power of 2, so that its largest number has 11 bits before the point; and the
 * inverse. */
struct cell_scale {
    float up, down;
};

template <int LANES> static __device__ __forceinline__ cell_scale scale_of(float most)
{
    enum { BITS = 23, BIAS = 127, UP = 10 };
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, offset));
    const uint32_t exponent = max(__float_as_uint(most) >> BITS, (uint32_t)UP + 1);
    return cell_scale{__uint_as_float((2 * BIAS + UP - exponent) << BITS),
                      __uint_as_float((exponent - UP) << BITS)};
}

/* Changes of M x 16 cells in N x 8 nodes: cells lane / 4 and lane / 4 + 8, nodes 2 (lane % 4) and the
 * next. */
template <int M, int N> struct changes {
    float of[M][N][4]; /* [16 cells][8 nodes][2 lower cell + node] */
};

/* exp(L dt) - 1 of one parity times the cells, for a share of the nodes.  `in`: parities of all cells and
 * steps; `matrix`: of this parity and share. Factors of up to 8 tiles are in registers; those of the next
 * tiles replace them when they have been used. */
template <int P, int M, int N>
static __device__ __forceinline__ void multiply(const float *matrix, int steps, const uint32_t *in,
                                                int parity, changes<M, N> *d)
{
    enum { TILES = N > 8 ? 8 : N, PARTS = N / TILES };
    const uint4 *x = (const uint4 *)in + parity * M * 2 * WARP,
                *next = (const uint4 *)matrix + threadIdx.x % WARP, *const end = next + steps * N * WARP;
    uint4 b[TILES];
#pragma unroll
    for (int n = 0; n < TILES; n++)
        b[n] = __ldg(next + n * WARP);
#pragma unroll
    for (int i = 0; i < M * N * 4; i++)
        d->of[i / (N * 4)][i / 4 % N][i % 4] = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++, x += P * M * 2 * WARP) {
        uint4 whole[M], rest[M];
#pragma unroll
        for (int c = 0; c < M; c++) {
            const uint4 *from = x + c * 2 * WARP + lane_place(threadIdx.x % WARP, step);
            whole[c] = from[0];
            rest[c] = from[WARP];
        }
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            next = next + TILES * WARP < end ? next + TILES * WARP : next;
#pragma unroll
            for (int i = 0; i < 3 * TILES; i++) { /* products that add to the same sum are far apart */
                const int n = i % TILES, kind = i / TILES;
#pragma unroll
                for (int c = 0; c < M; c++)
                    add_product(d->of[c][part * TILES + n], kind == 1 ? rest[c] : whole[c],
                                kind == 0 ? b[n].z : b[n].x, kind == 0 ? b[n].w : b[n].y);
                if (kind == 2)
                    b[n] = __ldg(next + n * WARP);
            }
        }
    }
}

/* Changes are in shared memory as rows [cell][parity][node], with these distances in floats. */
struct change_rows {
    float *base;
    int cell, parity;
};

/* `units`: of the changes of the cells. */
template <int M, int N>
static __device__ __forceinline__ void put_changes(const changes<M, N> &d, const float *units,
                                                   const change_rows &to, int parity, int first)
{
    const int lane = threadIdx.x % WARP;
    float *at = to.base + lane / 4 * to.cell + parity * to.parity + first + 2 * (lane % 4);
#pragma unroll
    for (int i = 0; i < M * 2; i++) {
        const int c = i / 2 * CELLS_ACROSS + i % 2 * 8;
        const float unit = units[c + lane / 4];
#pragma unroll
        for (int n = 0; n < N; n++)
            *(float2 *)(at + c * to.cell + n * NODES_ACROSS) =
                make_float2(unit * d.of[i / 2][n][i % 2 * 2], unit * d.of[i / 2][n][i % 2 * 2 + 1]);
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

/* Mass, energy and momentum by octant bit, of a row or of its changes. */
struct invariant_sums {
    float mass, energy, momentum[3];
};

/* Errors of the changes by round-off: contribution of an octant, P times that of a parity. */
template <int P>
static __device__ __forceinline__ void add_errors(const octant_nodes<P> &n, const four d[P],
                                                  invariant_sums *sum)
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

template <int P, int LANES> static __device__ __forceinline__ void sum_lanes(invariant_sums *sum)
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
                                                           const invariant_sums &b)
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
