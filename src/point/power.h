/* Powers with the same bits on every machine, unlike those of the C library. Only basic IEEE operations;
 * like rng.h, compiled without contraction. */
#ifndef KN_POINT_POWER_H
#define KN_POINT_POWER_H

#include "point/point.h"

/* log2 of a normal x > 0: x = 2^e m with m in [sqrt(1/2), sqrt(2)), then the series of
 * 2 atanh / log(2), error 1e-12. */
POINT double kn_power_log2(double x)
{
    union {
        double f;
        int64_t i;
    } bits = {x};
    const int64_t e = (bits.i - 0x3FE6A09E667F3BCD) >> 52;
    bits.i -= e * ((int64_t)1 << 52);
    const double s = (bits.f - 1) / (bits.f + 1), ss = s * s;
    double p = 1.0 / 15;
    for (int n = 13; n > 0; n -= 2)
        p = p * ss + 1.0 / n;
    return (double)e + 2.885390081777926815 * s * p;
}

/* 2^x for |x| < 1000: x = k + r with |r| <= 1/2, then the series of exp, relative error 1e-12. */
POINT double kn_power_exp2(double x)
{
    const double k = floor(x + 0.5), r = 0.693147180559945309 * (x - k);
    union {
        double f;
        int64_t i;
    } scale;
    double p = 1;
    for (int n = 10; n > 0; n--)
        p = 1 + p * r / n;
    scale.i = ((int64_t)k + 1023) * ((int64_t)1 << 52);
    return scale.f * p;
}

/* x^y for a normal x > 0 if the result is neither tiny nor huge; |y| at most about 1. */
POINT double kn_power_of(double x, double y)
{
    return kn_power_exp2(y * kn_power_log2(x));
}

#endif
