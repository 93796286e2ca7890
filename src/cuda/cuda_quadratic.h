/* The quadratic part of collisions in addition to the assembled operator, on the device. */
#ifndef KN_CUDA_QUADRATIC_H
#define KN_CUDA_QUADRATIC_H

#include "cuda/cuda_kernels.h"
#include "point/quadratic.h"

/* The collisions of one step, in device memory. */
struct kn_cuda_quadratics {
    const struct kn_quadratic *samples;
    int32_t count;   /* 0: eps is 0 */
    int32_t half[3]; /* nodes of an octant along each axis */
};

extern "C" {
/* Draw set `draw` (cuda_sample.cu), the same on all backends. */
cudaError_t kn_cuda_draw_quadratic(const struct kn_quadratic_plan *plan, uint64_t draw, int count,
                                   struct kn_quadratic *samples, cudaStream_t stream);

/* Apply it to all cells, in place, and the sources over half of dt. */
cudaError_t kn_cuda_quadratic(const struct kn_cuda_problem *p, const struct kn_cuda_quadratics *q, float *h,
                              double dt, int heavy, cudaStream_t stream);
}

#endif
