/* Draws the collision set on the CPU. Compiled without contraction of a * b + c for all instruction sets,
 * so that all machines draw the same bits. */
#include "cpu/cpu_kernels.h"

void KN_CPU_NAME(sample)(const struct kn_sample_plan *p, uint64_t draw, int first, int count,
                         struct kn_sample *samples)
{
    for (int i = 0; i < count; i++)
        samples[i] = kn_sample_make(p, draw, (uint32_t)(first + i));
}
