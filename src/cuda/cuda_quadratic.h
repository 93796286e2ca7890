/* Data of the quadratic part of collisions on the device. */
#ifndef KN_CUDA_QUADRATIC_H
#define KN_CUDA_QUADRATIC_H

#include <stdint.h>

extern "C" {
#include "collision/quadratic.h"
}

/* Coefficients have places: KN_CUDA_PLACES for each parity, of which at most KN_CUDA_POLYNOMIALS are in use.
 */
enum {
    KN_CUDA_PLACES = 16,
    KN_CUDA_POLYNOMIALS = 10,
    KN_CUDA_RELAXED = 12, /* floats of a row of the matrix `relaxed` */
    KN_CUDA_UNUSED = 255,
    KN_CUDA_ERRORS = 6
};

/* Axes are in the order of their octant bits; folded axes follow. All pointers are to device memory. */
struct kn_cuda_quadratic {
    int32_t exists;                          /* 0: no quadratic part */
    float exponent;                          /* of the relative speed in the collision frequency */
    int32_t half[3], apart[3];               /* nodes on half an axis, and their distance in a row */
    const float *node[3];                    /* [half] */
    const float *weight[3];                  /* [half] */
    uint8_t place[KN_QUADRATIC_POLYNOMIALS]; /* of the polynomials in the order of the loops of the kernel */
    const float *tensor;                     /* [steps][lanes][4] 16 polynomials x 8 pairs per step */
    const uint32_t *pairs; /* [steps][4][2] places in bytes of the factors of products; 16 bits each */
    int32_t first_step[KN_PARITIES + 1]; /* of 8 pairs, by parity */
    float factor;                        /* eps dt of the step */
    const float *relaxed; /* [octants][KN_CUDA_POLYNOMIALS][KN_CUDA_RELAXED] change of the polynomials by the
                             linear step */
    float *coefficients;  /* [ncells][octants][places] of the deviation in the local frame */
    float *errors; /* [ncells][KN_CUDA_ERRORS] mass, energy, momentum of the gain, mass lost by round-off */
};

#endif
