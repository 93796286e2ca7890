/* One vector of floats of the instruction set, for loops that a compiler would end with a long scalar sum.
 * Loops over the lanes are plain loops; only sums and stores are written as vectors. */
#ifndef KN_CPU_LANES_H
#define KN_CPU_LANES_H

#ifdef __SSE__
#include <immintrin.h>
#endif

typedef float kn_lanes __attribute__((vector_size(4 * KN_LANES)));
typedef float kn_half_lanes __attribute__((vector_size(2 * KN_LANES)));
typedef double kn_half_doubles __attribute__((vector_size(4 * KN_LANES)));

/* The same lanes as a vector, as numbers for a loop, and as two halves. */
union kn_lane_view {
    kn_lanes vector;
    float at[KN_LANES];
    kn_half_lanes half[2];
};

static inline float kn_lanes_sum(kn_lanes x)
{
    const union kn_lane_view v = {.vector = x};
    float at[KN_LANES];
    for (int i = 0; i < KN_LANES; i++)
        at[i] = v.at[i];
#pragma GCC unroll 4 /* so that the inner loops have constant lengths and are vectorised */
    for (int n = KN_LANES / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++)
            at[i] += at[i + n];
    return at[0];
}

/* A sum of floats in double precision. */
struct kn_lane_sum {
    kn_half_doubles half[2];
};

static inline kn_half_doubles kn_lanes_widen(kn_half_lanes x)
{
#if defined __SSE__ && KN_LANES == 16
    return (kn_half_doubles)_mm512_cvtps_pd((__m256)x); /* one instruction, which GCC 12 does not generate */
#else
    return __builtin_convertvector(x, kn_half_doubles);
#endif
}

/* s += weight[0..KN_LANES-1] * x */
static inline void kn_lanes_add(struct kn_lane_sum *s, const double *weight, kn_lanes x)
{
    const union kn_lane_view v = {.vector = x};
    const kn_half_doubles *w = (const kn_half_doubles *)weight;
    s->half[0] += w[0] * kn_lanes_widen(v.half[0]);
    s->half[1] += w[1] * kn_lanes_widen(v.half[1]);
}

/* s += x */
static inline void kn_lanes_add_plain(struct kn_lane_sum *s, kn_lanes x)
{
    const union kn_lane_view v = {.vector = x};
    s->half[0] += kn_lanes_widen(v.half[0]);
    s->half[1] += kn_lanes_widen(v.half[1]);
}

static inline double kn_lanes_total(const struct kn_lane_sum *s)
{
    const kn_half_doubles both = s->half[0] + s->half[1];
    double total = 0;
    for (int i = 0; i < KN_LANES / 2; i++)
        total += both[i];
    return total;
}

/* Write one vector without the caches. A fence must follow before other threads read it. */
static inline void kn_lanes_stream(float *to, kn_lanes x)
{
#if defined __SSE__ && KN_LANES == 16
    _mm512_stream_ps(to, (__m512)x);
#elif defined __SSE__ && KN_LANES == 8
    _mm256_stream_ps(to, (__m256)x);
#elif defined __SSE__
    _mm_stream_ps(to, (__m128)x);
#else
    *(kn_lanes *)to = x;
#endif
}

#endif
