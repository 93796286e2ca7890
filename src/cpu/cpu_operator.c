/* The assembled collision operator on the CPU: matrix times a block of cells, parity by parity, theory
 * section 12. */
#include "cpu/cpu_rows.h"

/* Sums and differences over pairs of octants, axis by axis: from octants to parities. The inverse, up to a
 * factor, is the same. */
static void to_parities(const struct kn_velocity *v, float *block)
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

/* KN_OPERATOR_ROWS interleaved rows of the matrix times the block of one parity. */
static void multiply_rows(const float *restrict matrix, int size, const float *restrict in,
                          float *restrict out)
{
    kn_lanes sum[KN_OPERATOR_ROWS] = {{0}};
    for (int k = 0; k < size; k++) {
        const kn_lanes x = *(const kn_lanes *)(in + (size_t)k * KN_LANES);
        for (int r = 0; r < KN_OPERATOR_ROWS; r++)
            sum[r] += matrix[(size_t)k * KN_OPERATOR_ROWS + (size_t)r] * x;
    }
    for (int r = 0; r < KN_OPERATOR_ROWS; r++)
        *(kn_lanes *)(out + (size_t)r * KN_LANES) = sum[r];
}

/* block of one parity <- (exp(L dt) - 1) block, through `space`. */
static void multiply(const struct kn_velocity *v, const float *matrix, float *block, float *space)
{
    for (int row = 0; row < v->size; row += KN_OPERATOR_ROWS)
        multiply_rows(matrix + (size_t)row * (size_t)v->size, v->size, block, space + (size_t)row * KN_LANES);
    memcpy(block, space, (size_t)v->size * KN_LANES * sizeof *block);
    memset(block + (size_t)v->size * KN_LANES, 0, (size_t)(v->stride - v->size) * KN_LANES * sizeof *block);
}

/* The operator conserves mass, momentum and energy; round-off errors are corrected. */
void KN_CPU_NAME(operate)(const struct kn_collisions *s, float *rows, int count, float *scratch)
{
    const struct kn_velocity *v = s->velocity;
    const size_t nnodes = (size_t)v->nnodes, parity = (size_t)v->stride * KN_LANES;
    float *restrict block = scratch, *restrict h = block + nnodes * KN_LANES, *space = h + nnodes * KN_LANES;
    double before[KN_LANES][KN_INVARIANTS];
    for (int i = 0; i < count; i++) {
        invariants(v, rows + (size_t)i * nnodes, before[i]);
        before[i][0] = exact_mass(v, rows + (size_t)i * nnodes);
    }
    gather(rows, count, v->nnodes, h);
    memcpy(block, h, nnodes * KN_LANES * sizeof *block);
    to_parities(v, block);
    for (int p = 0; p < v->octants; p++)
        multiply(v, s->propagator + (size_t)p * kn_cpu_propagator_length(v), block + (size_t)p * parity,
                 space);
    to_parities(v, block);
    for (size_t k = 0; k < nnodes * KN_LANES; k++)
        h[k] += block[k];
    scatter(h, count, v->nnodes, rows);
    if (s->nquadratic > 0)
        KN_CPU_NAME(quadratic)(s, rows, count, scratch);
    for (int i = 0; i < count && s->plan->conservation != KN_CONSERVATION_NONE; i++) {
        float *row = rows + (size_t)i * nnodes;
        double missing[KN_INVARIANTS];
        invariants(v, row, missing);
        missing[0] = exact_mass(v, row);
        for (int j = 0; j < KN_INVARIANTS; j++)
            missing[j] = before[i][j] - missing[j];
        correct(s, row, missing);
        kn_cpu_restore_mass(v, s->number + 1, (float)(before[i][0] - exact_mass(v, row)), row);
    }
}
