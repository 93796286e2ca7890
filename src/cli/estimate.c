#include "cli/estimate.h"

#include "config/config.h"
#include "error.h"
#include "monitor/monitor.h"
#include "sim.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Large enough to leave the caches and to fill a GPU. */
static const double most_values = 1 << 24; /* cells times nodes */
static const double least_seconds = 0.3;
static const int usual_samples = 6144; /* where a pilot will choose their number */

/* Fewer cells of the same shape; their number does not change what a cell costs. */
static void shrink(struct kn_case *c, double nodes)
{
    double cells = 1;
    for (int d = 0; d < 3; d++)
        cells *= c->space.cells[d];
    for (int d; cells * nodes > most_values; cells *= 0.5) {
        d = c->space.cells[1] > c->space.cells[0] ? 1 : 0;
        d = c->space.cells[2] > c->space.cells[d] ? 2 : d;
        if (c->space.cells[d] < 8)
            return;
        c->space.cells[d] = (c->space.cells[d] + 1) / 2;
        c->space.stretch[d] = 1;
    }
}

/* Seconds a step takes, over enough of them. */
static enum kn_status measure(struct kn_sim *sim, struct kn_estimate *e)
{
    enum kn_status status = kn_sim_advance_open(sim, 2); /* the first steps prepare what the others use */
    double taken = 0;
    int64_t steps = 1;
    for (e->steps = 0; status == KN_OK && taken < least_seconds; e->steps = steps, steps *= 2) {
        const double start = omp_get_wtime();
        status = kn_sim_advance_open(sim, steps);
        taken = omp_get_wtime() - start;
        e->step_s = taken / (double)steps;
    }
    return status;
}

/* Seconds a look at the gas takes, for a row of the history. */
static enum kn_status measure_look(struct kn_sim *sim, const struct kn_case *c, struct kn_estimate *e)
{
    enum { LOOKS = 3 };
    struct kn_monitor monitor = {0};
    struct kn_wall_flux walls[KN_SIDES] = {{0}};
    double *fields = malloc((size_t)kn_sim_cells(sim) * KN_FIELDS * sizeof *fields);
    enum kn_status status = fields ? kn_monitor_create(&monitor, c, kn_sim_space(sim), &kn_comm_alone)
                                   : kn_error_set(KN_EMEMORY, "not enough memory for the fields");
    if (status == KN_OK) /* ends a step that was left open */
        status = kn_sim_advance(sim, 1);
    const double start = omp_get_wtime();
    for (int i = 0; i < LOOKS && status == KN_OK; i++) {
        status = kn_sim_fields(sim, fields);
        if (status == KN_OK)
            status = kn_sim_walls(sim, walls);
        if (status == KN_OK)
            status = kn_monitor_take(&monitor, i, i, fields, walls);
    }
    e->look_s = (omp_get_wtime() - start) / LOOKS;
    kn_monitor_destroy(&monitor);
    free(fields);
    return status;
}

double kn_estimate_run(const struct kn_estimate *e, const struct kn_case *c, double steps)
{
    return steps * (e->step_s + e->look_s / kn_config_history(c));
}

/* Listens to an assembly for some seconds, and ends one that would take much longer. */
struct patience {
    const struct kn_listener *listener;
    double start, total; /* s */
    bool over;
};

static bool hear(void *to, double part)
{
    static const double listens = 2, most = 10; /* s */
    struct patience *p = to;
    const double taken = omp_get_wtime() - p->start;
    if (p->over) /* threads that have not heard of it yet */
        return false;
    if (part > 0)
        p->total = taken / part;
    if (part > 0 && part < 1 && taken > listens && p->total > most)
        p->over = true;
    return kn_listener_tell(p->listener, part) && !p->over;
}

/* A simulation to measure; without the operator where its assembly would take long. */
static enum kn_status create(struct kn_sim **sim, const struct kn_case *c, const struct kn_listener *listener,
                             struct kn_estimate *e)
{
    struct patience p = {.listener = listener, .start = omp_get_wtime()};
    const struct kn_listener patient = {.hear = hear, .to = &p},
                             hollow = {.hear = hear, .to = &p, .hollow = true};
    enum kn_status status = kn_sim_create_heard(sim, c, &kn_comm_alone, &patient);
    e->hollow = status == KN_EINTERRUPTED && p.over;
    e->assembly_s = p.total;
    return e->hollow ? kn_sim_create_heard(sim, c, &kn_comm_alone, &hollow) : status;
}

enum kn_status kn_estimate_step(const struct kn_case *c, const struct kn_listener *listener,
                                struct kn_estimate *e)
{
    struct kn_case small = *c;
    struct kn_plan_size whole;
    struct kn_sim *sim = NULL;
    *e = (struct kn_estimate){0};
    enum kn_status status = kn_sim_plan(c, &kn_comm_alone, &whole);
    if (status != KN_OK)
        return status;
    shrink(&small, (double)whole.nodes);
    small.time.step = whole.time_step;
    if (small.collision.samples == KN_SAMPLES_AUTO)
        small.collision.samples = usual_samples;
    status = create(&sim, &small, listener, e);
    if (status == KN_OK)
        status = measure(sim, e);
    if (status == KN_OK)
        status = measure_look(sim, &small, e);
    if (status == KN_OK) {
        e->cells = kn_sim_cells(sim);
        e->threads = kn_sim_threads(sim);
        snprintf(e->backend, sizeof e->backend, "%s", kn_sim_backend(sim));
        e->step_s *= (double)whole.cells / (double)e->cells;
        e->look_s *= (double)whole.cells / (double)e->cells;
    }
    kn_sim_destroy(sim);
    return status;
}
