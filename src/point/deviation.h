/* Functions of eps without cancellation as eps -> 0, theory (2). */
#ifndef KN_POINT_DEVIATION_H
#define KN_POINT_DEVIATION_H

#include "point/point.h"

/* exp_eps(a + b) from exp_eps(a) and exp_eps(b), theory (2a): exact at eps = 0. */
POINT float kn_deviation_join(float eps, float a, float b)
{
    return a * (1 + eps * b) + b;
}

/* log(1 + eps x) / eps. */
POINT double kn_deviation_log(double eps, double x)
{
    return eps > 0 ? log1p(eps * x) / eps : x;
}

/* The same in single precision; eps > 0. */
POINT float kn_deviation_log_single(float eps, float x)
{
    return kn_point_quotient(log1pf(eps * x), eps);
}

/* (exp(eps x) - 1) / eps, in single precision and without a branch, so that loops over velocities are
 * vectorised: eps x = k log 2 + r, then a polynomial for (exp(r) - 1) / r on |r| <= log(2) / 2, relative
 * error 1e-7. */
POINT float kn_deviation_exp(float eps, float x)
{
    const float log2_high = 0.693145751953125f, log2_low = 1.42860677e-6f,
                magic = 12582912.0f; /* 1.5 * 2^23 */
    float y = eps * x;
    y = y > 88.0f ? 88.0f : y;
    y = y < -87.0f ? -87.0f : y;
    union {
        float f;
        int32_t i;
    } round, scale;
    round.f = fmaf(y, 1.44269504f, magic); /* the integer k is in the low bits */
    float k = round.f - magic;
    float r = fmaf(k, -log2_low, fmaf(k, -log2_high, y));
    float p = 1.98412698e-4f;
    p = fmaf(p, r, 1.38888889e-3f);
    p = fmaf(p, r, 8.33333333e-3f);
    p = fmaf(p, r, 4.16666667e-2f);
    p = fmaf(p, r, 1.66666667e-1f);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p, r, 1.0f);
    scale.i = (int32_t)((uint32_t)(round.i - 0x4B400000 + 127) << 23);
    float far = kn_point_quotient(fmaf(scale.f, r * p, scale.f - 1.0f), eps);
    return k == 0.0f ? x * p : far;
}

#endif
