/* Products of packed matrices with blocks of cells, one cell per lane. */
#ifndef KN_CPU_MATRIX_H
#define KN_CPU_MATRIX_H

#include "cpu/cpu_kernels.h"
#include "cpu/cpu_lanes.h"

/* Element i of a block. */
static inline kn_lanes *kn_cpu_lane(float *block, int i)
{
    return (kn_lanes *)(block + (size_t)i * KN_LANES);
}

/* sum += one group of rows of a packed matrix times a block. */
KN_SPECIALISED void kn_cpu_add_rows(const float *restrict matrix, int columns, const float *restrict in,
                                    kn_lanes sum[KN_OPERATOR_ROWS])
{
    for (int k = 0; k < columns; k++) {
        const kn_lanes x = *(const kn_lanes *)(in + (size_t)k * KN_LANES);
        for (int r = 0; r < KN_OPERATOR_ROWS; r++)
            sum[r] += matrix[(size_t)k * KN_OPERATOR_ROWS + (size_t)r] * x;
    }
}

static inline void kn_cpu_store_rows(const kn_lanes sum[KN_OPERATOR_ROWS], float *out)
{
    for (int r = 0; r < KN_OPERATOR_ROWS; r++)
        *kn_cpu_lane(out, r) = sum[r];
}

/* out <- packed matrix times block; whole groups of rows are written. */
static inline void kn_cpu_multiply(const float *matrix, int rows, int columns, const float *in, float *out)
{
    for (int row = 0; row < rows; row += KN_OPERATOR_ROWS) {
        kn_lanes sum[KN_OPERATOR_ROWS] = {{0}};
        kn_cpu_add_rows(matrix + (size_t)row * (size_t)columns, columns, in, sum);
        kn_cpu_store_rows(sum, out + (size_t)row * KN_LANES);
    }
}

/* Sums and differences over pairs of octants, axis by axis: from octants to parities. The inverse, up to a
 * factor, is the same. */
static inline void kn_cpu_to_parities(const struct kn_velocity *v, float *block)
{
    const size_t octant = (size_t)v->stride * KN_LANES;
    for (int bit = 1; bit < v->octants; bit *= 2)
        for (int o = 0; o < v->octants; o++) {
            if (o & bit)
                continue;
            float *restrict low = block + (size_t)o * octant, *restrict high = low + (size_t)bit * octant;
#pragma omp simd
            for (size_t i = 0; i < octant; i++) {
                const float a = low[i], b = high[i];
                low[i] = a + b;
                high[i] = a - b;
            }
        }
}

#endif
