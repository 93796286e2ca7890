/* Physics at one point of phase space: pure functions shared by C and CUDA. */
#ifndef KN_POINT_H
#define KN_POINT_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define POINT static __host__ __device__ __forceinline__
#else
#define POINT static inline
#endif

/* a * b, rounded before an addition: if several kernels must give the same bits, the compiler may not
 * choose which of two products it fuses with their sum. */
POINT float kn_point_product(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

/* a * b + c; one rounding where the device has an instruction for it. */
POINT float kn_point_fused(float a, float b, float c)
{
#ifdef __CUDA_ARCH__
    return __fmaf_rn(a, b, c);
#else
    return a * b + c;
#endif
}

/* a / b if the last bits do not matter; b is neither tiny nor huge. */
POINT float kn_point_quotient(float a, float b)
{
#ifdef __CUDA_ARCH__
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
    return a * inverse;
#else
    return a / b;
#endif
}

/* The square root, in the same way. */
POINT float kn_point_root(float x)
{
#ifdef __CUDA_ARCH__
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
#else
    return sqrtf(x);
#endif
}

/* a / b in double precision, up to the last bits. On a GPU a division takes as long as 20 products; here
 * Newton's method squares the error of an approximation, 1e-6, twice. */
POINT double kn_point_ratio(double a, double b)
{
#ifdef __CUDA_ARCH__
    double inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(b));
    for (int i = 0; i < 2; i++)
        inverse = fma(inverse, fma(-b, inverse, 1.0), inverse);
    return a * inverse;
#else
    return a / b;
#endif
}

/* The square root of a positive number, in the same way. */
POINT double kn_point_double_root(double x)
{
#ifdef __CUDA_ARCH__
    double inverse;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
    for (int i = 0; i < 2; i++)
        inverse = fma(0.5 * inverse, fma(-x * inverse, inverse, 1.0), inverse);
    return x * inverse;
#else
    return sqrt(x);
#endif
}

#endif
