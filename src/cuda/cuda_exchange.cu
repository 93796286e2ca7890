/* Rows of the halo: packed on the device, sent by MPI from host memory or, with a CUDA-aware library, from
 * device memory, and unpacked, during the sweep of the cells that do not depend on other ranks. */
#include "cuda/cuda_machine.h"

extern "C" {
#include "grid/halo.h"
}

enum { THREADS = 256 };

/* Rows have `quads` times four floats; one thread copies four floats. */
static __global__ void pack_kernel(const float4 *h, const int32_t *rows, uint32_t quads, uint32_t count,
                                   float4 *to)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = h[(int64_t)rows[i / quads] * quads + i % quads];
}

static __global__ void unpack_kernel(const float4 *from, const int32_t *rows, uint32_t quads, uint32_t count,
                                     float4 *h)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        h[(int64_t)rows[i / quads] * quads + i % quads] = from[i];
}

static uint32_t quads_of(const struct kn_halo *halo, int32_t rows)
{
    return (uint32_t)rows * (uint32_t)(halo->stride / 4);
}

static size_t bytes_of(const struct kn_halo *halo, int32_t rows)
{
    return (size_t)rows * (size_t)halo->stride * sizeof(float);
}

static enum kn_status pack(struct kn_cuda *m)
{
    const struct kn_halo *halo = m->problem.halo;
    const uint32_t count = quads_of(halo, halo->nsend);
    if (count > 0)
        pack_kernel<<<(count + THREADS - 1) / THREADS, THREADS, 0, m->work>>>(
            (const float4 *)m->h, m->exchange.send, (uint32_t)halo->stride / 4, count,
            (float4 *)m->exchange.sent);
    CHECK(cudaGetLastError());
    return KN_OK;
}

static enum kn_status unpack(struct kn_cuda *m)
{
    const struct kn_halo *halo = m->problem.halo;
    const uint32_t count = quads_of(halo, halo->nrecv);
    if (count > 0)
        unpack_kernel<<<(count + THREADS - 1) / THREADS, THREADS, 0, m->exchange.copies>>>(
            (const float4 *)m->exchange.received, m->exchange.recv, (uint32_t)halo->stride / 4, count,
            (float4 *)m->h);
    CHECK(cudaGetLastError());
    return KN_OK;
}

double kn_cuda_exchange_memory(const struct kn_problem *p)
{
    const double row = p->velocity->stride * sizeof(float);
    if (p->halo)
        return (p->halo->nsend + (double)p->halo->nrecv) * (row + sizeof(int32_t));
    return 2.0 * p->space->nhalo * p->velocity->octants * (row + sizeof(int32_t)); /* at most, about */
}

static bool takes_device_memory(const struct kn_case *c)
{
    return c->run.exchange == KN_EXCHANGE_DEVICE ||
           (c->run.exchange == KN_EXCHANGE_AUTO && kn_comm_takes_device_memory());
}

/* Pinned memory, which the device accesses directly. */
static enum kn_status allocate_host(float **to, size_t bytes)
{
    const cudaError_t status = cudaHostAlloc((void **)to, bytes > 0 ? bytes : 16, cudaHostAllocDefault);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return kn_error_set(KN_EMEMORY, "no pinned memory of %.2f GB for the borders between ranks",
                            (double)bytes / 1e9);
    }
    CHECK(status);
    return KN_OK;
}

enum kn_status kn_cuda_exchange_create(struct kn_cuda *m)
{
    const struct kn_halo *halo = m->problem.halo;
    struct kn_cuda_exchange *e = &m->exchange;
    int urgent = 0;
    if (!halo)
        return KN_OK;
    e->direct = takes_device_memory(m->problem.c);
    KN_TRY(kn_cuda_upload(m, (const void **)&e->send, halo->send, (size_t)halo->nsend * sizeof *halo->send));
    KN_TRY(kn_cuda_upload(m, (const void **)&e->recv, halo->recv, (size_t)halo->nrecv * sizeof *halo->recv));
    KN_TRY(kn_cuda_allocate(m, (void **)&e->sent, bytes_of(halo, halo->nsend)));
    KN_TRY(kn_cuda_allocate(m, (void **)&e->received, bytes_of(halo, halo->nrecv)));
    if (!e->direct) {
        KN_TRY(allocate_host(&e->host_sent, bytes_of(halo, halo->nsend)));
        KN_TRY(allocate_host(&e->host_received, bytes_of(halo, halo->nrecv)));
    }
    CHECK(cudaDeviceGetStreamPriorityRange(NULL, &urgent));
    CHECK(cudaStreamCreateWithPriority(&e->copies, cudaStreamNonBlocking, urgent)); /* before the sweep */
    CHECK(cudaEventCreateWithFlags(&e->packed, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&e->outgoing, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&e->unpacked, cudaEventDisableTiming));
    return kn_halo_exchange(halo, sizeof(float), e->direct ? e->sent : e->host_sent,
                            e->direct ? e->received : e->host_received, &e->messages);
}

void kn_cuda_exchange_destroy(struct kn_cuda_exchange *e)
{
    const cudaEvent_t events[] = {e->packed, e->outgoing, e->unpacked};
    if (e->messages)
        kn_comm_exchange_destroy(e->messages);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    if (e->copies)
        cudaStreamDestroy(e->copies);
    cudaFreeHost(e->host_sent);
    cudaFreeHost(e->host_received);
}

enum kn_status kn_cuda_exchange_begin(struct kn_cuda *m)
{
    struct kn_cuda_exchange *e = &m->exchange;
    KN_TRY(pack(m));
    CHECK(cudaEventRecord(e->packed, m->work));
    CHECK(cudaStreamWaitEvent(e->copies, e->packed, 0));
    if (!e->direct)
        CHECK(cudaMemcpyAsync(e->host_sent, e->sent, bytes_of(m->problem.halo, m->problem.halo->nsend),
                              cudaMemcpyDeviceToHost, e->copies));
    CHECK(cudaEventRecord(e->outgoing, e->copies));
    return KN_OK;
}

/* The host waits until MPI can read the rows and has received those of other ranks, while the device
 * computes. After the wait the sent rows may be overwritten. */
enum kn_status kn_cuda_exchange_end(struct kn_cuda *m)
{
    struct kn_cuda_exchange *e = &m->exchange;
    CHECK(cudaEventSynchronize(e->outgoing));
    kn_comm_exchange_start(e->messages);
    kn_comm_exchange_wait(e->messages);
    if (!e->direct)
        CHECK(cudaMemcpyAsync(e->received, e->host_received,
                              bytes_of(m->problem.halo, m->problem.halo->nrecv), cudaMemcpyHostToDevice,
                              e->copies));
    KN_TRY(unpack(m)); /* into rows of h that are not read before */
    CHECK(cudaEventRecord(e->unpacked, e->copies));
    CHECK(cudaStreamWaitEvent(m->work, e->unpacked, 0));
    return KN_OK;
}
