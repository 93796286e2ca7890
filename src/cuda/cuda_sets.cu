/* Collision sets: ordered in windows, and drawn in groups while the preceding sets are in use. */
#include "cuda/cuda_machine.h"

extern "C" {
#include "collision/sampling.h"
}

enum {
    WINDOW = 32,    /* collision sets that are ordered together */
    GROUP = 8,      /* of these, drawn together while the preceding group is in use */
    LARGE = 1 << 15 /* samples per set above which a group is one set, to save memory */
};

static uint64_t group_of(const struct kn_case *c)
{
    return kn_sampling_count(c) < LARGE ? GROUP : 1;
}

double kn_cuda_sets_memory(const struct kn_problem *p)
{
    const double samples = kn_sampling_count(p->c), nnodes = p->velocity->nnodes;
    const double window = samples > 0 ? WINDOW * (samples * 32 + nnodes * KN_SAMPLE_COLOURS / 8) : 0;
    return 2 * window + (2.0 * group_of(p->c) + 1) * kn_cuda_set_bytes((size_t)kn_sampling_count(p->c));
}

enum kn_status kn_cuda_sets_create(struct kn_cuda *m)
{
    const size_t samples = (size_t)kn_sampling_count(m->problem.c),
                 nnodes = (size_t)m->problem.velocity->nnodes;
    if (samples == 0)
        return KN_OK;
    for (int i = 0; i < 2; i++) {
        struct kn_cuda_orders *o = &m->windows[i].orders;
        o->sets = WINDOW;
        o->samples = (int32_t)samples;
        o->nnodes = (int32_t)nnodes;
        o->shared_limit = m->device.shared_limit;
        m->windows[i].number = UINT64_MAX;
        KN_TRY(kn_cuda_allocate(m, (void **)&o->nodes, WINDOW * samples * sizeof *o->nodes));
        KN_TRY(kn_cuda_allocate(m, (void **)&o->masks, WINDOW * nnodes * (KN_SAMPLE_COLOURS / 8)));
        KN_TRY(kn_cuda_allocate(m, (void **)&o->places, WINDOW * samples * sizeof *o->places));
        KN_TRY(kn_cuda_allocate(m, (void **)&o->order, WINDOW * samples * sizeof *o->order));
        KN_TRY(kn_cuda_allocate(m, (void **)&o->batches, WINDOW * (samples + 2) * sizeof *o->batches));
        CHECK(cudaEventCreateWithFlags(&m->windows[i].ready, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&m->windows[i].unused, cudaEventDisableTiming));
    }
    m->group = group_of(m->problem.c);
    for (int i = 0; i < 3; i++) {
        struct kn_cuda_group *g = &m->groups[i];
        g->number = UINT64_MAX;
        KN_TRY(
            kn_cuda_allocate(m, (void **)&g->samples, (i < 2 ? m->group : 1) * kn_cuda_set_bytes(samples)));
        CHECK(cudaEventCreateWithFlags(&g->ready, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&g->unused, cudaEventDisableTiming));
    }
    return KN_OK;
}

struct kn_sample_plan kn_cuda_sets_plan(const struct kn_cuda *m, struct kn_sample_plan plan)
{
    for (int d = 0; d < 3; d++) {
        plan.edge[d] = m->plan.edge[d];
        plan.speed[d] = m->device.speed[d];
    }
    plan.weight = m->device.w;
    plan.square = m->device.square;
    return plan;
}

static struct kn_sample_plan sample_plan(const struct kn_cuda *m, double dt)
{
    return kn_cuda_sets_plan(m, kn_sampling_plan(m->problem.c, m->problem.velocity, dt));
}

/* Order a window after all work that still reads its memory. */
static enum kn_status prepare_window(struct kn_cuda *m, uint64_t number)
{
    struct kn_cuda_window *w = &m->windows[number % 2];
    if (w->number == number)
        return KN_OK;
    const struct kn_sample_plan plan = sample_plan(m, 1);
    CHECK(cudaEventRecord(w->unused, m->work));
    CHECK(cudaStreamWaitEvent(m->prepare, w->unused, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaStreamWaitEvent(m->prepare, m->groups[i].ready, 0));
    CHECK(kn_cuda_order(&w->orders, &plan, number * WINDOW, m->prepare));
    CHECK(cudaEventRecord(w->ready, m->prepare));
    w->number = number;
    return KN_OK;
}

static const int32_t *batches_of(const struct kn_cuda *m, uint64_t draw)
{
    const struct kn_cuda_orders *o = &m->windows[draw / WINDOW % 2].orders;
    return o->batches + draw % WINDOW * ((uint64_t)o->samples + 2);
}

/* Draw sets first..end-1, all of one window, into a group for collision steps of length dt. */
static enum kn_status draw_sets(struct kn_cuda *m, double dt, uint64_t first, uint64_t end,
                                struct kn_cuda_group *g)
{
    g->number = UINT64_MAX; /* until all sets are drawn */
    KN_TRY(prepare_window(m, first / WINDOW));
    const struct kn_cuda_window *w = &m->windows[first / WINDOW % 2];
    const struct kn_sample_plan plan = sample_plan(m, dt);
    const size_t bytes = kn_cuda_set_bytes((size_t)w->orders.samples);
    CHECK(cudaEventRecord(g->unused, m->work));
    CHECK(cudaStreamWaitEvent(m->drawing, w->ready, 0));
    CHECK(cudaStreamWaitEvent(m->drawing, g->unused, 0));
    for (uint64_t draw = first; draw < end; draw++) {
        if (draw == first)
            CHECK(cudaEventRecord(m->mark[2], m->drawing));
        const struct kn_cuda_drawing drawing = {
            .draw = draw,
            .order = w->orders.order + draw % WINDOW * (uint64_t)w->orders.samples,
            .batches = batches_of(m, draw),
            .nnodes = m->problem.velocity->nnodes,
            .beside = kn_cuda_beside(m->device.choice.together),
            .samples = g->samples + (draw - first) * bytes,
        };
        CHECK(kn_cuda_sample(&plan, &drawing, m->drawing));
        if (draw == first)
            CHECK(cudaEventRecord(m->mark[3], m->drawing));
    }
    CHECK(cudaEventRecord(g->ready, m->drawing));
    g->number = first / m->group;
    g->dt = dt;
    g->awaited = false;
    return KN_OK;
}

static enum kn_status draw_group(struct kn_cuda *m, double dt, uint64_t number)
{
    struct kn_cuda_group *g = &m->groups[number % 2];
    if (g->number == number)
        return KN_OK;
    return draw_sets(m, dt, number * m->group, (number + 1) * m->group, g);
}

/* The set of this step, for the kernels that are submitted next. A set for a step of another length than
 * that of its group, as before and after a report, is drawn separately. */
enum kn_status kn_cuda_sets_use(struct kn_cuda *m, double dt, uint64_t draw, struct kn_cuda_set *set)
{
    if (kn_sampling_count(m->problem.c) == 0)
        return KN_OK;
    struct kn_cuda_group *g = &m->groups[draw / m->group % 2];
    m->alike = dt == m->last ? m->alike + 1 : 1;
    m->usual = m->alike >= 3 || m->last == 0 ? dt : m->usual; /* a report causes two half steps */
    m->last = dt;
    if (g->number == draw / m->group && g->dt != dt && m->usual == dt)
        g->number = UINT64_MAX; /* the length has changed permanently */
    KN_TRY(draw_group(m, m->usual, draw / m->group));
    uint64_t at = draw % m->group;
    if (g->dt != dt) {
        g = &m->groups[2];
        at = 0;
        KN_TRY(draw_sets(m, dt, draw, draw + 1, g));
    }
    if (!g->awaited)
        CHECK(cudaStreamWaitEvent(m->work, g->ready, 0));
    g->awaited = true;
    *set = kn_cuda_set{batches_of(m, draw),
                       g->samples + at * kn_cuda_set_bytes((size_t)kn_sampling_count(m->problem.c))};
    return KN_OK;
}

/* After the first sweep that used a set of a group, the next group is drawn, for steps of the most likely
 * length. */
enum kn_status kn_cuda_sets_ahead(struct kn_cuda *m, uint64_t draw)
{
    if (kn_sampling_count(m->problem.c) == 0)
        return KN_OK;
    KN_TRY(draw_group(m, m->usual, draw / m->group + 1));
    return prepare_window(m, draw / WINDOW + 1);
}
