/* Products of small matrices in double precision by a warp. */
#ifndef KN_CUDA_MMA_H
#define KN_CUDA_MMA_H

/* c += a b, 8 x 4 times 4 x 8.  Each lane has element (lane / 4, lane % 4) of a, (lane % 4, lane / 4) of b,
 * and (lane / 4, lane % 4 * 2 ...) of c. */
static __device__ __forceinline__ void mma_double(double c[2], double a, double b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a), "d"(b));
#else
    const int lane = threadIdx.x % 32;
    for (int k = 0; k < 4; k++) {
        const double left = __shfl_sync(0xffffffffu, a, lane / 4 * 4 + k);
        for (int i = 0; i < 2; i++)
            c[i] += left * __shfl_sync(0xffffffffu, b, (lane % 4 * 2 + i) * 4 + k);
    }
#endif
}

#endif
