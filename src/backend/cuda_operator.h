/* The assembled collision operator on the device: matrix times cells, parity by parity,
 * by the matrix units, theory section 12.
 *
 * A warp multiplies 16 cells (or several times 16) with some rows of all matrices.  Those
 * units take 11 bits of each factor; factors are divided into two such parts and three of
 * the four products are formed, so that 21 bits are left. */
#ifndef KN_CUDA_OPERATOR_H
#define KN_CUDA_OPERATOR_H

#include "backend/cuda_linear.h"

enum {
    CELLS_ACROSS = 16,                     /* cells of a product */
    NODES_ACROSS = KN_CUDA_OPERATOR_NODES, /* nodes that it yields */
    NODES_ALONG = 8                        /* nodes that it takes in */
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
    __trap(); /* older cards are refused */
#endif
}

/* What a factor has beyond the bits that the units take; they ignore it by themselves. */
static __device__ __forceinline__ float rest_of(float x)
{
    return x - __uint_as_float(__float_as_uint(x) & 0xffffe000u);
}

/* From octants to parities and, but for a factor, back. */
template <int P> static __device__ __forceinline__ void exchange(float h[P])
{
#pragma unroll
    for (int bit = 1; bit < P; bit *= 2)
#pragma unroll
        for (int o = 0; o < P; o++)
            if (!(o & bit)) {
                const float a = h[o], b = h[o | bit];
                h[o] = a + b;
                h[o | bit] = a - b;
            }
}

/* Changes of M x 16 cells in N x 8 nodes; of parities first, of octants later.  A lane has
 * cells lane / 4 and lane / 4 + 8 of each 16, nodes 2 (lane % 4) and the next of each 8. */
template <int P, int M, int N> struct changes {
    float of[M][N][P][4]; /* [16 cells][8 nodes][parity][2 upper or lower cell + node] */
};

/* Those of one of a lane's cells in two nodes. */
template <int P> struct pair_change {
    float of[2][P];
};

template <int P, int M, int N>
static __device__ __forceinline__ pair_change<P> change_of(const changes<P, M, N> &d, int cell, int n)
{
    pair_change<P> change;
#pragma unroll
    for (int i = 0; i < 2 * P; i++)
        change.of[i / P][i % P] = d.of[cell / 2][n][i % P][cell % 2 * 2 + i / P];
    return change;
}

/* Two parities of the matrices for 8 x 8 nodes, as the units want them. */
template <int P> struct factors {
    enum { TOGETHER = P == 1 ? 1 : 2 };
    float of[TOGETHER][2];
};

template <int P>
static __device__ __forceinline__ factors<P> read_factors(const float *matrix, int steps, int tile, int step,
                                                          int pair)
{
    enum { TOGETHER = factors<P>::TOGETHER };
    const float *from = matrix + ((tile * steps + step) * (P / TOGETHER) + pair) * (WARP * 2 * TOGETHER);
    factors<P> f;
    if constexpr (TOGETHER == 2) {
        const float4 x = __ldg((const float4 *)from + threadIdx.x % WARP);
        f.of[0][0] = x.x, f.of[0][1] = x.y, f.of[1][0] = x.z, f.of[1][1] = x.w;
    } else {
        const float2 x = __ldg((const float2 *)from + threadIdx.x % WARP);
        f.of[0][0] = x.x, f.of[0][1] = x.y;
    }
    return f;
}

/* Rows of the upper and the lower cell of each 16 that a lane has; cells are `pitch` floats
 * apart, octants `octant`.  Cell -1: nowhere. */
template <int M> struct cell_rows {
    float *base;
    int cell[M][2], pitch, octant;
};

template <int M> static __device__ __forceinline__ float *row_of(const cell_rows<M> &rows, int c)
{
    return rows.base + (int64_t)rows.cell[c / 2][c % 2] * rows.pitch;
}

/* ------------------------------------------------------------ parities of the cells */

/* Shared memory holds the parities as the units want them: for every step along the sum,
 * 16 cells and parity, four values of each lane: upper, lower cell; then four nodes on. */
template <int P, int M> static __device__ __forceinline__ int parity_place(int cell, int k)
{
    const int step = k / NODES_ALONG, lane = cell % 8 * 4 + k % 4, inside = cell / 8 % 2 + k / 4 % 2 * 2;
    return ((step * M + cell / CELLS_ACROSS) * P * WARP + lane) * 4 + inside;
}

/* Four nodes of all octants of a cell as parities into their places. */
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
        exchange<P>(x);
#pragma unroll
        for (int o = 0; o < P; o++)
            at[o * WARP * 4] = x[o];
    }
}

/* All matrices for one step along the sum. */
template <int P, int N> struct step_factors {
    factors<P> of[P / factors<P>::TOGETHER][N];
};

template <int P, int N>
static __device__ __forceinline__ step_factors<P, N> read_step(const float *matrix, int steps, int tile,
                                                               int step)
{
    step_factors<P, N> f;
#pragma unroll
    for (int pair = 0; pair < P / factors<P>::TOGETHER; pair++)
#pragma unroll
        for (int n = 0; n < N; n++)
            f.of[pair][n] = read_factors<P>(matrix, steps, tile + n, step, pair);
    return f;
}

/* The products of one step and one or two parities; those that add to the same sums as far
 * apart as possible. */
template <int P, int M, int N>
static __device__ __forceinline__ void add_step(const float4 *x, const factors<P> b[N], int pair,
                                                changes<P, M, N> *d)
{
    enum { TOGETHER = factors<P>::TOGETHER };
    float a[TOGETHER][M][4], a_rest[TOGETHER][M][4];
#pragma unroll
    for (int i = 0; i < TOGETHER * M; i++) {
        float *to = a[i / M][i % M];
        const float4 from = x[(i % M * P + pair * TOGETHER + i / M) * WARP];
        to[0] = from.x, to[1] = from.y, to[2] = from.z, to[3] = from.w;
#pragma unroll
        for (int j = 0; j < 4; j++)
            a_rest[i / M][i % M][j] = rest_of(to[j]);
    }
#pragma unroll
    for (int kind = 0; kind < 3; kind++)
#pragma unroll
        for (int n = 0; n < N; n++)
#pragma unroll
            for (int q = 0; q < TOGETHER; q++) {
                const float b_rest[2] = {rest_of(b[n].of[q][0]), rest_of(b[n].of[q][1])};
#pragma unroll
                for (int c = 0; c < M; c++)
                    add_product(d->of[c][n][pair * TOGETHER + q], kind == 0 ? a_rest[q][c] : a[q][c],
                                kind == 1 ? b_rest : b[n].of[q]);
            }
}

/* exp(L dt) - 1 times the cells, for nodes from 8 `tile` on. */
template <int P, int M, int N>
static __device__ __forceinline__ void multiply(const float *matrix, int steps, int tile, const float *in,
                                                changes<P, M, N> *d)
{
    const float4 *x = (const float4 *)in + threadIdx.x % WARP;
#pragma unroll
    for (int i = 0; i < M * N * P * 4; i++)
        d->of[i / (N * P * 4)][i / (P * 4) % N][i / 4 % P][i % 4] = 0;
    step_factors<P, N> next = read_step<P, N>(matrix, steps, tile, 0);
#pragma unroll 1
    for (int step = 0; step < steps; step++, x += M * P * WARP) {
        const step_factors<P, N> b = next;
        next = read_step<P, N>(matrix, steps, tile, step + 1 < steps ? step + 1 : step);
#pragma unroll
        for (int pair = 0; pair < P / factors<P>::TOGETHER; pair++)
            add_step<P, M, N>(x, b.of[pair], pair, d);
    }
}

/* --------------------------------------------------------------- conservation */

/* Two nodes, by |v|; v[j] along the axis of octant bit j. */
template <int P> struct node_pair {
    float w[2], vv[2], v[3][2];
    bool inside[2];
};

template <int P> static __device__ __forceinline__ node_pair<P> node_pair_of(const kn_cuda_problem &p, int k)
{
    node_pair<P> n = {};
    if (k >= p.mesh.stride)
        return n;
    const float2 w = __ldg((const float2 *)(p.w + k)), vv = __ldg((const float2 *)(p.square + k));
    n.w[0] = w.x, n.w[1] = w.y, n.vv[0] = vv.x, n.vv[1] = vv.y;
#pragma unroll
    for (int i = 0; i < 2; i++)
        n.inside[i] = k + i < p.size;
#pragma unroll
    for (int j = 0; j < axes_of(P); j++) {
        const float2 v = __ldg((const float2 *)(p.odd[j] + k));
        n.v[j][0] = v.x, n.v[j][1] = v.y;
    }
    return n;
}

/* Mass, energy, momentum by octant bit that changes have brought; or polynomials
 * even + square v.v + odd . v that take them back. */
template <int P> struct brought {
    float mass, energy, momentum[P > 1 ? axes_of(P) : 1];
};

template <int P> struct mending {
    float even, square, odd[P > 1 ? axes_of(P) : 1];
};

/* Sums of a lane's upper and lower cells. */
template <int P, int M> struct brought_rows {
    brought<P> of[M][2];
};

template <int P>
static __device__ __forceinline__ void add_brought(const node_pair<P> &n, int i, const parities<P> &change,
                                                   brought<P> *sum)
{
    sum->mass += n.w[i] * change.even;
    sum->energy += n.w[i] * n.vv[i] * change.even;
#pragma unroll
    for (int j = 0; j < axes_of(P); j++)
        sum->momentum[j] += n.w[i] * n.v[j][i] * change.odd[j];
}

/* Over the four lanes that share a cell. */
template <int P> static __device__ __forceinline__ void sum_lanes(brought<P> *sum)
{
#pragma unroll
    for (int offset = 1; offset < 4; offset *= 2) {
        sum->mass += __shfl_xor_sync(0xffffffffu, sum->mass, offset);
        sum->energy += __shfl_xor_sync(0xffffffffu, sum->energy, offset);
#pragma unroll
        for (int j = 0; j < axes_of(P); j++)
            sum->momentum[j] += __shfl_xor_sync(0xffffffffu, sum->momentum[j], offset);
    }
}

template <int P> static __device__ __forceinline__ void add(const brought<P> &more, brought<P> *to)
{
    to->mass += more.mass;
    to->energy += more.energy;
#pragma unroll
    for (int j = 0; j < axes_of(P); j++)
        to->momentum[j] += more.momentum[j];
}

template <int P>
static __device__ __forceinline__ mending<P> mending_of(const kn_cuda_mend &mend, const brought<P> &b)
{
    mending<P> x = {-(mend.even[0][0] * b.mass + mend.even[0][1] * b.energy),
                    -(mend.even[1][0] * b.mass + mend.even[1][1] * b.energy),
                    {}};
#pragma unroll
    for (int j = 0; j < axes_of(P); j++)
        x.odd[j] = -mend.odd[j] * b.momentum[j];
    return x;
}

/* ------------------------------------------------------------ back to the cells */

/* Two nodes of all octants of a lane's cells, before the step. */
template <int P, int M> struct old_pairs {
    float2 of[2 * M][P];
};

/* APART: the rows lie in the memory of the device, where this thread alone will write them
 * later, so that the compiler may read them early. */
template <int P, int M, bool APART>
static __device__ __forceinline__ old_pairs<P, M> read_old(const cell_rows<M> &rows, int k)
{
    old_pairs<P, M> old;
#pragma unroll
    for (int i = 0; i < 2 * M * P; i++) {
        const float2 *from = (const float2 *)(row_of(rows, i / P) + i % P * rows.octant + k);
        old.of[i / P][i % P] = APART ? __ldg(from) : *from;
    }
    return old;
}

/* How long sources act before and after the operator; 0: there are none. */
struct source_steps {
    float before, after;
};

/* h + change of all octants in two nodes; what it has really changed is left in `change`.
 * Returns what is stored in the first of them in one octant. */
template <int P>
static __device__ __forceinline__ float settle(const kn_cuda_problem &p, const float2 before[P], int k,
                                               source_steps times, int octant, pair_change<P> *change,
                                               float *to)
{
    float stored = 0;
#pragma unroll
    for (int i = 0; i < 2; i++)
        exchange<P>(change->of[i]);
#pragma unroll
    for (int o = 0; o < P; o++) {
        float2 old = before[o], source = make_float2(0, 0);
        if (times.before != 0 || times.after != 0) {
            source = *(const float2 *)(p.source + o * p.mesh.stride + k);
            old = make_float2(old.x + times.before * source.x, old.y + times.before * source.y);
        }
        float2 now = make_float2(old.x + change->of[0][o], old.y + change->of[1][o]);
        change->of[0][o] = now.x - old.x;
        change->of[1][o] = now.y - old.y;
        if (times.after != 0)
            now = make_float2(now.x + times.after * source.x, now.y + times.after * source.y);
        if (to)
            *(float2 *)(to + o * p.mesh.stride + k) = now;
        stored = o == octant ? now.x : stored;
    }
    return stored;
}

/* Nodes that are not the last: store them and count what they have brought. */
template <int P, int M, int N, bool APART>
static __device__ __forceinline__ void settle_nodes(const kn_cuda_problem &p, const cell_rows<M> &rows, int k,
                                                    source_steps times, const changes<P, M, N> &d,
                                                    const cell_rows<M> &to, brought_rows<P, M> *sum)
{
#pragma unroll
    for (int n = 0; n < N; n++) {
        const int at = k + NODES_ACROSS * n + 2 * (threadIdx.x % 4);
        const node_pair<P> nodes = node_pair_of<P>(p, at);
        const old_pairs<P, M> old = read_old<P, M, APART>(rows, at < p.mesh.stride ? at : 0);
#pragma unroll
        for (int c = 0; c < 2 * M && at < p.mesh.stride; c++) {
            pair_change<P> change = change_of(d, c, n);
            settle<P>(p, old.of[c], at, times, 0, &change, to.cell[c / 2][c % 2] < 0 ? NULL : row_of(to, c));
#pragma unroll
            for (int i = 0; i < 2; i++)
                add_brought<P>(nodes, i, parities_of<P>(change.of[i]), &sum->of[c / 2][c % 2]);
        }
    }
}

/* What the last nodes would bring, from parities, P times as much each. */
template <int P, int M, int N>
static __device__ __forceinline__ void expect_nodes(const kn_cuda_problem &p, int k,
                                                    const changes<P, M, N> &d, brought_rows<P, M> *sum)
{
#pragma unroll
    for (int n = 0; n < N; n++) {
        const node_pair<P> nodes = node_pair_of<P>(p, k + NODES_ACROSS * n + 2 * (threadIdx.x % 4));
#pragma unroll
        for (int c = 0; c < 4 * M; c++) {
            const float(*change)[4] = d.of[c / 4][n];
            parities<P> s = {P * change[0][c % 4], {0, 0, 0}};
#pragma unroll
            for (int j = 0; j < axes_of(P); j++)
                s.odd[j] = P * change[1 << j][c % 4];
            add_brought<P>(nodes, c % 2, s, &sum->of[c / 4][c / 2 % 2]);
        }
    }
}

/* The last nodes: mend, store.  What rounding still takes from the mass of a cell, and
 * `lost` before, goes into the heaviest of a lane's first nodes, in another octant at each
 * turn. */
template <int P, int M, int N, bool APART>
static __device__ __forceinline__ void mend_nodes(const kn_cuda_problem &p, const cell_rows<M> &rows, int k,
                                                  source_steps times, int octant, const mending<P> *mended,
                                                  const float lost[M][2], const changes<P, M, N> &d,
                                                  const cell_rows<M> &to)
{
    float missing[M][2], first[M][2] = {};
    const float weight = k + 2 * (threadIdx.x % 4) < p.size ? __ldg(p.w + k + 2 * (threadIdx.x % 4)) : 0.0f;
    const bool heavy = heaviest<4>(weight) == threadIdx.x % WARP;
#pragma unroll
    for (int c = 0; c < 2 * M; c++)
        missing[c / 2][c % 2] = threadIdx.x % 4 == 0 ? lost[c / 2][c % 2] : 0;
#pragma unroll
    for (int n = 0; n < N; n++) {
        const int at = k + NODES_ACROSS * n + 2 * (threadIdx.x % 4);
        const node_pair<P> nodes = node_pair_of<P>(p, at);
        const old_pairs<P, M> old = read_old<P, M, APART>(rows, at < p.mesh.stride ? at : 0);
#pragma unroll
        for (int c = 0; c < 2 * M && at < p.mesh.stride; c++) {
            const mending<P> by = mended[CELLS_ACROSS / 2 * c + threadIdx.x % WARP / 4];
            pair_change<P> change = change_of(d, c, n);
            float wanted[2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                change.of[i][0] += nodes.inside[i] ? by.even + by.square * nodes.vv[i] : 0.0f;
#pragma unroll
                for (int j = 0; j < axes_of(P); j++)
                    change.of[i][1 << j] += by.odd[j] * nodes.v[j][i];
                wanted[i] = P * change.of[i][0];
            }
            const float stored = settle<P>(p, old.of[c], at, times, octant, &change,
                                           to.cell[c / 2][c % 2] < 0 ? NULL : row_of(to, c));
            first[c / 2][c % 2] = n == 0 ? stored : first[c / 2][c % 2];
#pragma unroll
            for (int i = 0; i < 2; i++)
                missing[c / 2][c % 2] += nodes.w[i] * (wanted[i] - parities_of<P>(change.of[i]).even);
        }
    }
#pragma unroll
    for (int c = 0; c < 2 * M; c++) {
        float sum = missing[c / 2][c % 2];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        const int at = k + 2 * (threadIdx.x % 4);
        if (heavy && to.cell[c / 2][c % 2] >= 0 && weight > 0)
            row_of(to, c)[octant * p.mesh.stride + at] = first[c / 2][c % 2] + sum / weight;
    }
}

/* -------------------------------------------------------------------- all together */

enum { MOST_SHARES = 8 }; /* warps of a block */

/* The same with M x 16 cells a block: fewer where two blocks share the registers. */
static __host__ __device__ constexpr int most_shares(int m)
{
    return m == 1 ? MOST_SHARES : MOST_SHARES - 1;
}

/* What the warps of a block have found for each cell, and what mends it. */
template <int P, int M> struct shared_sums {
    brought<P> found[most_shares(M)][CELLS_ACROSS * M];
    mending<P> mended[CELLS_ACROSS * M];
};

/* Add what all warps have found, in order, and find what mends it; a thread per cell. */
template <int P, int M>
static __device__ __forceinline__ void find_mending(const kn_cuda_problem &p, const kn_cuda_mend &mend,
                                                    int warps, shared_sums<P, M> *space)
{
    __syncthreads();
    if (threadIdx.x < CELLS_ACROSS * M) {
        brought<P> sum = space->found[0][threadIdx.x];
        for (int w = 1; w < warps; w++)
            add(space->found[w][threadIdx.x], &sum);
        const mending<P> none = {};
        space->mended[threadIdx.x] = p.conservation == CONSERVE_NONE ? none : mending_of<P>(mend, sum);
    }
    __syncthreads();
}

/* Add what a share has brought to what its warp has found. */
template <int P, int M>
static __device__ __forceinline__ void note(brought_rows<P, M> sum, brought<P> found[CELLS_ACROSS * M])
{
#pragma unroll
    for (int c = 0; c < 2 * M; c++) {
        brought<P> *to = &found[CELLS_ACROSS / 2 * c + threadIdx.x % WARP / 4];
        sum_lanes<P>(&sum.of[c / 2][c % 2]);
        if (threadIdx.x % 4 == 0)
            add(sum.of[c / 2][c % 2], to);
    }
}

/* The collision step of M x 16 cells by all warps of a block, each with a share of N x 8
 * nodes, or several.  `in`: the parities, in shared memory; `old`: h, from where it is
 * stored (APART: in place); `lost`: mass to be given back besides.  Shares go from the fastest nodes to the
 * slowest: the last ones are mended. */
template <int P, int M, int N, bool APART>
static __device__ __forceinline__ void
operate(const kn_cuda_problem &p, const kn_cuda_operator &op, int octant, source_steps times, const float *in,
        const cell_rows<M> &old, const float lost[M][2], const cell_rows<M> &to, shared_sums<P, M> *space)
{
    enum { SHARE = N * NODES_ACROSS };
    const int warp = threadIdx.x / WARP, steps = kn_cuda_operator_steps(p.size),
              shares = (p.size + SHARE - 1) / SHARE, all = blockDim.x / WARP,
              warps = shares < all ? shares : all;
    changes<P, M, N> d;
    for (int i = threadIdx.x % WARP; i < CELLS_ACROSS * M; i += WARP)
        space->found[warp][i] = brought<P>{};
    __syncwarp();
    for (int at = (shares - 1) / warps * warps + warp; at >= warps && warp < warps; at -= warps)
        if (at < shares) {
            brought_rows<P, M> sum = {};
            multiply<P, M, N>(op.propagator, steps, at * N, in, &d);
            settle_nodes<P, M, N, APART>(p, old, at * SHARE, times, d, to, &sum);
            note<P, M>(sum, space->found[warp]);
        }
    if (warp < warps) {
        brought_rows<P, M> sum = {};
        multiply<P, M, N>(op.propagator, steps, warp * N, in, &d);
        expect_nodes<P, M, N>(p, warp * SHARE, d, &sum);
        note<P, M>(sum, space->found[warp]);
    }
    find_mending<P, M>(p, op.mend, warps, space);
    if (warp < warps)
        mend_nodes<P, M, N, APART>(p, old, warp * SHARE, times, octant, space->mended, lost, d, to);
}

#endif
