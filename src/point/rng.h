/* Collisions drawn from counters: the same bits on every machine, theory (26). Every operation is a basic
 * IEEE operation or an explicit fma; compiled without contraction of a * b + c. */
#ifndef KN_POINT_RNG_H
#define KN_POINT_RNG_H

#include "point/point.h"

#include <Random123/philox.h>

struct kn_collision {
    float v[3], v1[3]; /* before */
    float k[3];        /* unit vector of the momentum transfer */
};

/* log of u in (0, 1]: u = 2^e m with m in [sqrt(1/2), sqrt(2)), then the series of 2 atanh. */
POINT float kn_rng_log(float u)
{
    union {
        float f;
        int32_t i;
    } bits = {u};
    const int32_t e = (bits.i - 0x3F3504F3) >> 23;
    bits.i -= e * (1 << 23);
    const float s = (bits.f - 1.0f) / (bits.f + 1.0f), ss = s * s;
    float p = 0.2222222222f; /* 2/9 */
    p = fmaf(p, ss, 0.2857142857f);
    p = fmaf(p, ss, 0.4f);
    p = fmaf(p, ss, 0.6666666667f);
    p = fmaf(p, ss, 2.0f);
    return fmaf((float)e, 0.6931471806f, s * p);
}

/* sin and cos of 2 pi u, u in [0, 1]. */
POINT void kn_rng_sincos(float u, float *sine, float *cosine)
{
    const float quarter = floorf(fmaf(4.0f, u, 0.5f));
    const float x = fmaf(4.0f, u, -quarter) * 1.570796327f, xx = x * x;
    float s = 2.75573192e-6f, c = 2.48015873e-5f;
    s = fmaf(s, xx, -1.98412698e-4f);
    s = fmaf(s, xx, 8.33333333e-3f);
    s = fmaf(s, xx, -0.166666667f);
    s = fmaf(s * xx, x, x);
    c = fmaf(c, xx, -1.38888889e-3f);
    c = fmaf(c, xx, 4.16666667e-2f);
    c = fmaf(c, xx, -0.5f);
    c = fmaf(c, xx, 1.0f);
    const int turn = (int)quarter & 3;
    const float a = turn & 1 ? c : s, b = turn & 1 ? s : c;
    *sine = turn & 2 ? -a : a;
    *cosine = turn == 1 || turn == 2 ? -b : b;
}

/* Uniform in (0, 1]. */
POINT float kn_rng_uniform(uint32_t bits)
{
    return fmaf((float)bits, 2.328306437e-10f, 1.164153218e-10f);
}

/* Two independent components of a velocity drawn from Phi0 (Box-Muller). */
POINT void kn_rng_normals(uint32_t a, uint32_t b, float *x, float *y)
{
    const float radius = sqrtf(-kn_rng_log(kn_rng_uniform(a)));
    float sine, cosine;
    kn_rng_sincos(kn_rng_uniform(b), &sine, &cosine);
    *x = radius * cosine;
    *y = radius * sine;
}

/* The eight random words of one collision: independent ones, or point `sample` of a lattice in eight
 * dimensions, which each set shifts at random. The lattice steps by x^-1, x^-2 ... x^-8 (mod 1) with x^9 =
 * x + 1, theory (26a). */
POINT void kn_rng_words(uint64_t seed, uint64_t draw, uint32_t sample, int lattice, uint32_t word[8])
{
    const uint32_t step[8] = {3958238937u, 3647910313u, 3361911661u, 3098335501u,
                              2855423889u, 2631556713u, 2425240877u, 2235100341u};
    const uint32_t counter = lattice ? 0 : sample;
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    const philox4x32_ctr_t first = {{counter, (uint32_t)draw, (uint32_t)(draw >> 32), 0}};
    const philox4x32_ctr_t second = {{counter, (uint32_t)draw, (uint32_t)(draw >> 32), 1}};
    const philox4x32_ctr_t a = philox4x32(first, key), b = philox4x32(second, key);
    for (int i = 0; i < 4; i++) {
        word[i] = a.v[i] + (lattice ? sample * step[i] : 0);
        word[4 + i] = b.v[i] + (lattice ? sample * step[4 + i] : 0);
    }
}

/* Collision number `sample` of set number `draw`. */
POINT struct kn_collision kn_rng_collision(uint64_t seed, uint64_t draw, uint32_t sample, int lattice)
{
    uint32_t word[8];
    struct kn_collision c;
    float sine, cosine;
    kn_rng_words(seed, draw, sample, lattice, word);
    kn_rng_normals(word[0], word[1], &c.v[0], &c.v[1]);
    kn_rng_normals(word[2], word[3], &c.v[2], &c.v1[0]);
    kn_rng_normals(word[4], word[5], &c.v1[1], &c.v1[2]);
    kn_rng_sincos(kn_rng_uniform(word[6]), &sine, &cosine);
    c.k[2] = fmaf(2.0f, kn_rng_uniform(word[7]), -1.0f);
    const float rim = sqrtf(fmaf(-c.k[2], c.k[2], 1.0f));
    c.k[0] = rim * cosine;
    c.k[1] = rim * sine;
    return c;
}

#endif
