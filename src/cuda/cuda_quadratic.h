/* The quadratic part of collisions on the device: data of the kernel that precedes the assembled operator. */
#ifndef KN_CUDA_QUADRATIC_H
#define KN_CUDA_QUADRATIC_H

#include "cuda/cuda_kernels.h"

extern "C" {
#include "collision/quadratic.h"
}

/* Coefficients have places: KN_CUDA_PLACES for each parity, of which at most KN_CUDA_POLYNOMIALS are in use. */
enum { KN_CUDA_PLACES = 16, KN_CUDA_POLYNOMIALS = 10, KN_CUDA_UNUSED = 255, KN_CUDA_ERRORS = 6 };

/* Axes are in the order of their octant bits; folded axes follow. All pointers are to device memory. */
struct kn_cuda_quadratic {
    int32_t exists;            /* 0: no quadratic part */
    float exponent;            /* of the relative speed in the collision frequency */
    int32_t half[3], apart[3]; /* nodes on half an axis, and their distance in a row */
    const float *node[3];      /* [half] */
    const float *weight[3];    /* [half] */
    uint8_t place[KN_QUADRATIC_POLYNOMIALS]; /* of the polynomials in the order of the loops of the kernel */
    const float *tensor;                     /* factors as in kn_cuda_propagator_place, two tiles */
    const uint32_t *pairs;                   /* places of the factors of each product; 16 bits each */
    int32_t first_step[KN_PARITIES + 1];     /* of 8 pairs, by parity */
    float *coefficients;                     /* [ncells][octants][places] of the deviation in the local frame */
    float *errors; /* [ncells][KN_CUDA_ERRORS] mass, energy, momentum of the gain, mass lost by round-off */
};

/* One pass over some cells, before the operator. */
struct kn_cuda_deviation {
    const float *h;       /* rows; those of `to` may be the same */
    float *to;            /* rows with the gain of the polynomials */
    float *rest;          /* [ncells][nnodes] the rest of the deviation, on which the operator acts */
    const int32_t *list;  /* [total] cells; NULL: the first `total` */
    int32_t total;
    float before;         /* time over which sources act before */
    float factor;         /* eps dt */
    const float *relaxed; /* [octants][places][places] change of the polynomials by the linear step */
};

extern "C" cudaError_t kn_cuda_deviate(const struct kn_cuda_problem *p, const struct kn_cuda_quadratic *q,
                                       const struct kn_cuda_deviation *d, cudaStream_t stream);

#endif
