/* Collision sets on the device. */
#ifndef KN_CUDA_SAMPLE_H
#define KN_CUDA_SAMPLE_H

#include "cuda/cuda_kernels.h"

/* Memory for the orders of a window of consecutive sets. */
struct kn_cuda_orders {
    int32_t sets, samples, nnodes;
    size_t shared_limit; /* bytes of shared memory available to a block */
    uint4 *nodes;        /* [sets][samples] */
    uint32_t *masks;     /* [sets][nnodes][words]; unused if shared memory holds them */
    int2 *places;        /* [sets][samples] */
    int32_t *order;      /* [sets][samples]: sample numbers in the order of application */
    int32_t *batches;    /* [sets][samples + 2]: number of batches, their first samples, the end */
};

/* A set to be drawn. */
struct kn_cuda_drawing {
    uint64_t draw;          /* its number */
    const int32_t *order;   /* [samples] */
    const int32_t *batches; /* as in kn_cuda_orders */
    int32_t nnodes;
    int32_t beside; /* cells whose rows are side by side in shared memory; 0: rows in global memory */
    char *samples;  /* the result */
};

extern "C" {
/* Fill the window that begins with set first_draw. */
cudaError_t kn_cuda_order(const struct kn_cuda_orders *o, const struct kn_sample_plan *plan,
                          uint64_t first_draw, cudaStream_t stream);

/* Bytes of a set with any number of batches. */
size_t kn_cuda_set_bytes(size_t samples);

/* Draw one set in its order. */
cudaError_t kn_cuda_sample(const struct kn_sample_plan *plan, const struct kn_cuda_drawing *d,
                           cudaStream_t stream);
}

#endif
