/* Physics at one point of phase space: pure functions that C and CUDA share. */
#ifndef KN_POINT_H
#define KN_POINT_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define POINT static __host__ __device__ __forceinline__
#else
#define POINT static inline
#endif

#endif
