/* Conversion of CUDA errors into statuses, and the assembler. */
#ifndef KN_CUDA_CHECK_H
#define KN_CUDA_CHECK_H

#include <cuda_runtime.h>

extern "C" {
#include "collision/operator.h"
#include "error.h"
}

static inline enum kn_status kn_cuda_failed(cudaError_t status, const char *file, int line)
{
    const enum kn_status kind = status == cudaErrorMemoryAllocation ? KN_EMEMORY : KN_EDEVICE;
    return kn_error_set(kind, "CUDA: %s (%s:%d)", cudaGetErrorString(status), file, line);
}

/* Return from the calling function when a CUDA call fails. */
#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const cudaError_t check_status = (call);                                                             \
        if (check_status != cudaSuccess)                                                                     \
            return kn_cuda_failed(check_status, __FILE__, __LINE__);                                         \
    } while (0)

/* See struct kn_assembler. */
extern "C" enum kn_status kn_cuda_assemble(const struct kn_assembly *what,
                                           const struct kn_progress_callback *progress, double *sums);

#endif
