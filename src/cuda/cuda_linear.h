/* Rows in registers: a thread holds four nodes of all octants of a cell. Linearised BGK. */
#ifndef KN_CUDA_LINEAR_H
#define KN_CUDA_LINEAR_H

#include "cuda/cuda_rows.h"

enum { WARP = 32, MOST_WARPS = 16 };

/* log2 of the number of octants: the axes that are not folded. */
static __host__ __device__ constexpr int axes_of(int octants)
{
    return octants == 8 ? 3 : octants == 4 ? 2 : octants == 2 ? 1 : 0;
}

/* Four nodes, by |v|; v[j] at place j (struct kn_basis), which has octant bit j unless it is folded. */
template <int OCTANTS> struct octant_nodes {
    four w, v[3], vv, inside; /* inside: 0 for padding, else 1 */
};

template <int OCTANTS>
static __device__ __forceinline__ octant_nodes<OCTANTS> octant_nodes_of(const kn_cuda_problem &p, int k)
{
    octant_nodes<OCTANTS> n;
    n.w = read4(p.w + k);
    n.vv = read4(p.square + k);
#pragma unroll
    for (int j = 0; j < (OCTANTS > 4 ? 3 : 2); j++) /* what is not used is not read */
        n.v[j] = read4(p.along[j] + k);
    for (int i = 0; i < 4; i++)
        n.inside.v[i] = k + i < p.size ? 1.0f : 0.0f;
    return n;
}

/* From octants to parities: bit j of the number of a parity is set if it is odd at place j. */
template <int OCTANTS> static __device__ __forceinline__ void to_parities(float h[OCTANTS])
{
#pragma unroll
    for (int bit = 1; bit < OCTANTS; bit *= 2)
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            if (!(o & bit)) {
                const float a = h[o], b = h[o | bit];
                h[o] = a + b;
                h[o | bit] = a - b;
            }
}

/* Sums over octants of h and of h times the signs of the velocity, by octant bit. */
template <int OCTANTS> struct parities {
    float even, odd[3];
};

template <int OCTANTS> static __device__ __forceinline__ parities<OCTANTS> parities_of(const float h[OCTANTS])
{
    parities<OCTANTS> s = {0, {0, 0, 0}};
    float sum[OCTANTS];
#pragma unroll
    for (int o = 0; o < OCTANTS; o++)
        sum[o] = h[o];
#pragma unroll
    for (int j = 0, n = OCTANTS / 2; j < axes_of(OCTANTS); j++, n /= 2) { /* fold bit j away */
#pragma unroll
        for (int o = 0; o < n; o++) {
            const float minus = sum[2 * o] - sum[2 * o + 1];
            s.odd[j] = o == 0 ? minus : s.odd[j] + minus;
            sum[o] = sum[2 * o] + sum[2 * o + 1];
        }
    }
    s.even = sum[0];
    return s;
}

/* The inverse: even + sign odd in each octant. */
template <int OCTANTS>
static __device__ __forceinline__ void spread(const parities<OCTANTS> &s, float h[OCTANTS])
{
    h[0] = s.even;
#pragma unroll
    for (int j = axes_of(OCTANTS) - 1, n = 1; j >= 0; j--, n *= 2)
#pragma unroll
        for (int o = n - 1; o >= 0; o--) {
            const float from = h[o];
            h[2 * o] = from + s.odd[j];
            h[2 * o + 1] = from - s.odd[j];
        }
}

/* Mass, energy, momentum by octant bit. Mass is in double precision: round-off would change it step by
 * step. */
struct sums {
    double mass;
    float energy, momentum[3];
};

template <int OCTANTS>
static __device__ __forceinline__ sums sums_of(const octant_nodes<OCTANTS> &n, const four h[OCTANTS])
{
    sums sum = {0, 0, {0, 0, 0}};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float node[OCTANTS];
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            node[o] = h[o].v[i];
        const parities<OCTANTS> s = parities_of<OCTANTS>(node);
        sum.mass += (double)n.w.v[i] * s.even;
        sum.energy += n.w.v[i] * n.vv.v[i] * s.even;
#pragma unroll
        for (int j = 0; j < axes_of(OCTANTS); j++)
            sum.momentum[j] += n.w.v[i] * n.v[j].v[i] * s.odd[j];
    }
    return sum;
}

template <int LANES, int AXES> static __device__ __forceinline__ void sum_lanes(sums *s)
{
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2) {
        s->mass += __shfl_xor_sync(0xffffffffu, s->mass, offset);
        s->energy += __shfl_xor_sync(0xffffffffu, s->energy, offset);
#pragma unroll
        for (int j = 0; j < AXES; j++)
            s->momentum[j] += __shfl_xor_sync(0xffffffffu, s->momentum[j], offset);
    }
}

/* The target of the relaxation, times `lose`: even + odd . v + square v.v.  On a
 * symmetric grid mass and energy do not mix with momentum. */
struct polynomial {
    float even, odd[3], square;
};

template <int AXES>
static __device__ __forceinline__ polynomial target_of(const kn_cuda_problem &p, const sums &s, double lose)
{
    polynomial x = {(float)(lose * (p.inverse[0][0] * s.mass + p.inverse[0][4] * s.energy)),
                    {0, 0, 0},
                    (float)(lose * (p.inverse[4][0] * s.mass + p.inverse[4][4] * s.energy))};
#pragma unroll
    for (int d = 0; d < 3; d++)
#pragma unroll
        for (int j = 0; j < AXES; j++)
            if (p.mesh.bit[d] == 1 << j)
                x.odd[j] = (float)(lose * p.inverse[1 + d][1 + d] * s.momentum[j]);
    return x;
}

template <int OCTANTS>
static __device__ __forceinline__ void relax(const octant_nodes<OCTANTS> &n, const polynomial &x, float lose,
                                             four h[OCTANTS], float lost[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        parities<OCTANTS> s = {n.inside.v[i] * x.even + x.square * n.vv.v[i], {0, 0, 0}};
        float towards[OCTANTS];
#pragma unroll
        for (int j = 0; j < axes_of(OCTANTS); j++)
            s.odd[j] = x.odd[j] * n.v[j].v[i];
        spread<OCTANTS>(s, towards);
#pragma unroll
        for (int o = 0; o < OCTANTS; o++) {
            const float old = h[o].v[i], change = towards[o] - lose * old;
            h[o].v[i] = old + change;
            lost[i] += kn_stream_lost(old, change, h[o].v[i]);
        }
    }
}

/* The lane of a cell whose first node has the largest weight. */
template <int LANES> static __device__ __forceinline__ int heaviest(float w)
{
    int lane = threadIdx.x % WARP;
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, w, offset);
        const int from = __shfl_xor_sync(0xffffffffu, lane, offset);
        if (other > w || (other == w && from < lane)) {
            w = other;
            lane = from;
        }
    }
    return lane;
}

/* Return the mass lost by round-off in these lanes to their heaviest node, in a different octant in each
 * sweep. */
template <int LANES, int OCTANTS>
static __device__ __forceinline__ void restore_mass(const octant_nodes<OCTANTS> &n, const float lost[4],
                                                    float walls, int lane, int octant, four h[OCTANTS])
{
    float sum = walls;
#pragma unroll
    for (int i = 0; i < 4; i++)
        sum += n.w.v[i] * lost[i];
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    const float back = lane == threadIdx.x % WARP ? kn_stream_restored(sum, n.w.v[0]) : 0.0f;
#pragma unroll
    for (int o = 0; o < OCTANTS; o++)
        h[o].v[0] += o == octant ? back : 0.0f;
}

#endif
