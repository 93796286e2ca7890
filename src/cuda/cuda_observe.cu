/* Observations that are copied to the host while the next steps run, and the time spent in steps. */
#include "cuda/cuda_machine.h"

#include <string.h>

extern "C" {
#include "collision/sampling.h"
}

/* Doubles of an observation: moments, fluxes, cycles of streaming and collisions. */
static size_t size_of(const struct kn_problem *p)
{
    return (size_t)p->space->ncells * KN_MOMENTS + (size_t)p->space->nfaces * KN_FLUXES + 2;
}

double kn_cuda_observe_memory(const struct kn_problem *p)
{
    return KN_BACKEND_OBSERVATIONS * (double)size_of(p) * sizeof(double);
}

static enum kn_status create_observation(struct kn_cuda *m, struct kn_cuda_observation *o)
{
    const size_t bytes = size_of(&m->problem) * sizeof(double);
    KN_TRY(kn_cuda_allocate(m, (void **)&o->found, bytes));
    if (cudaMallocHost((void **)&o->host, bytes) != cudaSuccess) {
        cudaGetLastError();
        return kn_error_set(KN_EMEMORY, "no memory for the fields of %d cells", m->problem.space->ncells);
    }
    CHECK(cudaEventCreateWithFlags(&o->ready, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&o->arrived, cudaEventDisableTiming));
    return KN_OK;
}

enum kn_status kn_cuda_observe_create(struct kn_cuda *m)
{
    struct kn_cuda_watch *w = &m->watch;
    CHECK(cudaStreamCreateWithFlags(&w->copies, cudaStreamNonBlocking));
    for (int i = 0; i < KN_BACKEND_OBSERVATIONS; i++)
        KN_TRY(create_observation(m, &w->observations[i]));
    for (int i = 0; i <= KN_BACKEND_OBSERVATIONS; i++) {
        CHECK(cudaEventCreate(&w->spans[i].begun));
        CHECK(cudaEventCreate(&w->spans[i].ended));
    }
    return KN_OK;
}

static void destroy_event(cudaEvent_t event)
{
    if (event)
        cudaEventDestroy(event);
}

void kn_cuda_observe_destroy(struct kn_cuda_watch *w)
{
    for (int i = 0; i < KN_BACKEND_OBSERVATIONS; i++) {
        destroy_event(w->observations[i].ready);
        destroy_event(w->observations[i].arrived);
        if (w->observations[i].host)
            cudaFreeHost(w->observations[i].host);
    }
    for (int i = 0; i <= KN_BACKEND_OBSERVATIONS; i++) {
        destroy_event(w->spans[i].begun);
        destroy_event(w->spans[i].ended);
    }
    if (w->copies)
        cudaStreamDestroy(w->copies);
}

/* Steps between two observations are one span. */
enum kn_status kn_cuda_observe_steps(struct kn_cuda *m)
{
    struct kn_cuda_watch *w = &m->watch;
    if (!w->spanning)
        CHECK(cudaEventRecord(w->spans[w->span].begun, m->work));
    w->spanning = true;
    w->complete = false;
    return KN_OK;
}

enum kn_status kn_cuda_observe_ready(struct kn_cuda *m)
{
    struct kn_cuda_watch *w = &m->watch;
    CHECK(cudaEventRecord(w->spans[w->span].ended, m->work));
    w->complete = true;
    return KN_OK;
}

/* The span that ends, or -1. */
static enum kn_status end_span(struct kn_cuda *m, int *span)
{
    struct kn_cuda_watch *w = &m->watch;
    *span = -1;
    if (!w->spanning)
        return KN_OK;
    if (!w->complete)
        KN_TRY(kn_cuda_observe_ready(m));
    *span = w->span;
    w->spanning = false;
    w->span = (w->span + 1) % (KN_BACKEND_OBSERVATIONS + 1);
    return KN_OK;
}

/* After all work before its end. */
static enum kn_status read_span(struct kn_cuda_watch *w, int span)
{
    float ms = 0;
    if (span < 0)
        return KN_OK;
    CHECK(cudaEventElapsedTime(&ms, w->spans[span].begun, w->spans[span].ended));
    w->stepping += 1e-3 * ms;
    return KN_OK;
}

/* Fraction of a sweep spent on streaming. In a fused kernel one block counts the cycles of streaming and
 * of the rest; before a separate kernel for collisions there is a mark. */
static enum kn_status streaming_part(struct kn_cuda *m, float sweeping, float waiting, double *part)
{
    const double *cycles = m->watch.cycles;
    float streaming = 0;
    *part = m->streamed ? 1 : 0;
    if (!m->streamed)
        return KN_OK;
    if (m->apart) {
        CHECK(cudaEventElapsedTime(&streaming, m->mark[0], m->mark[4]));
        if (m->divided && !m->collided_last) /* as in the first part */
            CHECK(cudaEventElapsedTime(&sweeping, m->mark[0], m->mark[5]));
        else
            streaming -= waiting;
        if (sweeping > 0)
            *part = streaming / sweeping;
    } else if (cycles[0] + cycles[1] > 0) {
        *part = cycles[0] / (cycles[0] + cycles[1]);
    }
    return KN_OK;
}

/* Read the times of the timed step after it has ended. */
static enum kn_status read_marks(struct kn_cuda *m)
{
    const bool sampled = kn_sampling_count(m->problem.c) > 0;
    float drawing = 0, sweeping = 0, waiting = 0;
    double part;
    if (!m->timing || cudaEventQuery(m->mark[1]) != cudaSuccess ||
        (sampled && cudaEventQuery(m->mark[3]) != cudaSuccess))
        return KN_OK;
    CHECK(cudaEventElapsedTime(&sweeping, m->mark[0], m->mark[1]));
    if (sampled)
        CHECK(cudaEventElapsedTime(&drawing, m->mark[2], m->mark[3]));
    if (m->divided)
        CHECK(cudaEventElapsedTime(&waiting, m->mark[5], m->mark[6]));
    sweeping -= waiting;
    KN_TRY(streaming_part(m, sweeping, waiting, &part));
    m->seconds[KN_PHASE_EXCHANGE] += waiting;
    m->seconds[KN_PHASE_SAMPLE] += drawing;
    m->seconds[KN_PHASE_STREAM] += sweeping * part;
    m->seconds[KN_PHASE_COLLIDE] += sweeping * (1 - part);
    m->timing = false;
    return KN_OK;
}

enum kn_status kn_cuda_observe(void *machine)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    struct kn_cuda_watch *w = &m->watch;
    struct kn_cuda_observation *o = &w->observations[w->begun++ % KN_BACKEND_OBSERVATIONS];
    KN_TRY(read_marks(m));
    KN_TRY(end_span(m, &o->span));
    CHECK(kn_cuda_moments(&m->device, m->h, o->found, m->work));
    CHECK(cudaEventRecord(o->ready, m->work));
    CHECK(cudaStreamWaitEvent(w->copies, o->ready, 0));
    CHECK(cudaMemcpyAsync(o->host, o->found, size_of(&m->problem) * sizeof(double), cudaMemcpyDeviceToHost,
                          w->copies));
    CHECK(cudaEventRecord(o->arrived, w->copies));
    return KN_OK;
}

enum kn_status kn_cuda_observed(void *machine, struct kn_observed *found)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    struct kn_cuda_watch *w = &m->watch;
    const struct kn_cuda_observation *o = &w->observations[w->taken++ % KN_BACKEND_OBSERVATIONS];
    CHECK(cudaSetDevice(m->number)); /* a new thread uses the first device */
    CHECK(cudaEventSynchronize(o->arrived));
    *found = kn_observed{o->host, o->host + (size_t)m->problem.space->ncells * KN_MOMENTS};
    memcpy(w->cycles, o->host + size_of(&m->problem) - 2, sizeof w->cycles);
    return read_span(w, o->span);
}

/* Wait for all steps, and read their times. */
enum kn_status kn_cuda_observe_wait(struct kn_cuda *m)
{
    long long cycles[2];
    int span;
    KN_TRY(end_span(m, &span));
    CHECK(cudaMemcpyAsync(cycles, m->device.cycles, sizeof cycles, cudaMemcpyDeviceToHost, m->work));
    CHECK(cudaStreamSynchronize(m->work));
    for (int i = 0; i < 2; i++)
        m->watch.cycles[i] = (double)cycles[i];
    KN_TRY(read_span(&m->watch, span));
    return read_marks(m);
}

double kn_cuda_observe_stepping(const void *machine)
{
    return ((const struct kn_cuda *)machine)->watch.stepping;
}

/* The phases of the timed steps, scaled to all steps. */
void kn_cuda_observe_seconds(const void *machine, double phase[KN_PHASES])
{
    const struct kn_cuda *m = (const struct kn_cuda *)machine;
    double sum = 0;
    for (int i = 0; i < KN_PHASES; i++)
        sum += m->seconds[i];
    for (int i = 0; i < KN_PHASES; i++)
        phase[i] = sum > 0 ? m->watch.stepping * m->seconds[i] / sum : 0;
}
