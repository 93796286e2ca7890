/* Streaming above first order in cells of equal width: the change of one node of an octant. */
#ifndef KN_CUDA_PLAIN_H
#define KN_CUDA_PLAIN_H

#include "cuda/cuda_rows.h"

/* The diagonal neighbour that the upwind cells along two axes share has this number: of axes (0, 1), (1, 2),
 * (2, 0). */
static __device__ __forceinline__ constexpr int corner_of(int naxes, int a, int b)
{
    return naxes == 2 ? 0 : (a + 1) % 3 == b ? a : b;
}

/* One node and its neighbours. */
template <int NAXES> struct surroundings {
    float here, up[NAXES], down[NAXES], second[NAXES], corner[NAXES], speed[NAXES];
};

/* The change from the slopes across the cell and its upwind neighbours; `speed` is the Courant number. `down`
 * and `second` are not used. */
template <int NAXES>
static __device__ __forceinline__ float sloped_change(const surroundings<NAXES> &n, const float slope[NAXES],
                                                      const float slope_up[NAXES])
{
    float change = 0;
#pragma unroll
    for (int a = 0; a < NAXES; a++) {
        const float step = n.here - n.up[a];
        float across = 0;
#pragma unroll
        for (int b = 0; b < NAXES; b++)
            if (b != a) {
                const int low = a < b ? a : b, high = a < b ? b : a; /* one expression for both */
                across +=
                    n.speed[b] * ((n.here - n.up[low]) - (n.up[high] - n.corner[corner_of(NAXES, a, b)]));
            }
        change -= n.speed[a] * kn_stream_rise(step, slope[a], slope_up[a], n.speed[a], across);
    }
    return change;
}

template <int NAXES>
static __device__ __forceinline__ float plain_change(int limiter, kn_weight between,
                                                     const surroundings<NAXES> &n)
{
    float slope[NAXES], slope_up[NAXES];
#pragma unroll
    for (int a = 0; a < NAXES; a++) {
        const float step = n.here - n.up[a], weight = kn_stream_weigh(between, n.speed[a]);
        slope[a] = kn_stream_slope(limiter, step, n.down[a] - n.here, weight);
        slope_up[a] = kn_stream_slope(limiter, n.up[a] - n.second[a], step, weight);
    }
    return sloped_change<NAXES>(n, slope, slope_up);
}

#endif
