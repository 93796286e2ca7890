/* Memory of the CPU backend: whole pages, and the sizes of temporary rows. */
#include "cpu/cpu_kernels.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64 };

/* Whole pages, huge ones for large arrays. */
size_t kn_cpu_page_bytes(size_t bytes)
{
    const size_t page = bytes < KN_CPU_HUGE_PAGE ? KN_CPU_PAGE : KN_CPU_HUGE_PAGE;
    return (bytes + page) / page * page;
}

void *kn_cpu_aligned(size_t count, size_t size)
{
    const size_t bytes = kn_cpu_page_bytes(count * size);
    void *block = aligned_alloc(bytes < KN_CPU_HUGE_PAGE ? KN_CPU_PAGE : KN_CPU_HUGE_PAGE, bytes);
    if (block && bytes >= KN_CPU_HUGE_PAGE)
        madvise(block, bytes, MADV_HUGEPAGE); /* fewer page-table misses; failure is harmless */
    return block;
}

size_t kn_cpu_scratch_size(const struct kn_case *c, const struct kn_velocity *v, int lanes)
{
    const struct kn_quadratic q = kn_quadratic_sizes(c, v);
    /* rows that bypass the caches, not used with blocks, or gradients of control volumes; the latter are more
     */
    const size_t finished = 2 * (size_t)v->nnodes, slopes = 3 * (size_t)v->nnodes;
    const size_t stream = KN_STREAM_SCRATCH_ROWS * (size_t)v->stride + slopes;
    const size_t relax =
        KN_RELAX_ROWS * (size_t)v->stride + (size_t)v->length[0] * (size_t)v->length[1] + finished;
    size_t size[KN_BLOCKS], collide = 0;
    kn_cpu_block_sizes(&q, v, size);
    for (int i = 0; i < KN_BLOCKS; i++)
        collide += size[i] * (size_t)lanes;
    const size_t rows = stream > relax ? stream : relax, most = rows > collide ? rows : collide;
    return (most + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
}
