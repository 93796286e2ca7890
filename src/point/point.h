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

#endif
