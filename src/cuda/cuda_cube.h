/* The march through tiles of a uniform space of three dimensions. */
#ifndef KN_CUDA_CUBE_H
#define KN_CUDA_CUBE_H

#include "cuda/cuda_kernels.h"

/* Cells of a tile along each axis; the march is along the first. */
enum { KN_CUDA_ALONG = 4, KN_CUDA_WIDE = 2, KN_CUDA_DEEP = 2 };

/* Tiles away from all boundaries, whose cells have the same bits as by linear_kernel. */
struct kn_cuda_cube {
    int32_t first[3], tiles[3]; /* all zero: none */
    int32_t cells[3];           /* of the box */
};

extern "C" cudaError_t kn_cuda_march_cube(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                                          const struct kn_cuda_cube *cube, cudaStream_t stream);

#endif
