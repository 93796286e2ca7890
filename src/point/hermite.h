/* Hermite polynomials of the peculiar velocity, theory (48a). */
#ifndef KN_POINT_HERMITE_H
#define KN_POINT_HERMITE_H

#include "point/point.h"

enum { KN_HERMITE_DEGREE = 5, KN_HERMITE_TERMS = KN_HERMITE_DEGREE + 1 };

/* map[n][k]: orthonormal h_n((v - u) / sqrt T) is the sum over k <= n of map[n][k] h_k(v). From the recurrence
 * sqrt(n + 1) h_(n+1)(x) = sqrt 2 x h_n(x) - sqrt n h_(n-1)(x) for both arguments. */
POINT void kn_hermite_map(float u, float temperature, float map[KN_HERMITE_TERMS][KN_HERMITE_TERMS])
{
    const float root[KN_HERMITE_TERMS + 1] = {0.0f,         1.0f, 1.41421356f, 1.73205081f,
                                              2.0f, 2.23606798f, 2.44948974f};
    const float scale = 1 / sqrtf(temperature);
    for (int i = 0; i < KN_HERMITE_TERMS * KN_HERMITE_TERMS; i++)
        map[i / KN_HERMITE_TERMS][i % KN_HERMITE_TERMS] = i == 0 ? 1.0f : 0.0f;
    for (int n = 0; n < KN_HERMITE_DEGREE; n++)
        for (int k = 0; k <= n + 1; k++) {
            const float below = k > 0 ? root[k] * map[n][k - 1] : 0,
                        above = k < KN_HERMITE_DEGREE ? root[k + 1] * map[n][k + 1] : 0,
                        before = n > 0 ? root[n] * map[n - 1][k] : 0;
            map[n + 1][k] = (scale * (below + above - root[2] * u * map[n][k]) - before) / root[n + 1];
        }
}

/* h_1 to h_5 at x, orthonormal. */
POINT void kn_hermite_at(float x, float value[KN_HERMITE_DEGREE])
{
    const float y = 1.41421356f * x;
    value[0] = y;
    value[1] = 0.70710678f * (y * y - 1);
    value[2] = 0.57735027f * (y * value[1] - 1.41421356f * y);
    value[3] = 0.5f * (y * value[2] - 1.73205081f * value[1]);
    value[4] = 0.44721360f * (y * value[3] - 2 * value[2]);
}

/* Collision frequency of a gas of density n and temperature T over that of the gas at rest: molecules whose
 * frequency is proportional to a power of the relative speed. */
POINT float kn_hermite_rate(float n, float temperature, float exponent)
{
    return n * powf(temperature, 0.5f * exponent);
}

#endif
