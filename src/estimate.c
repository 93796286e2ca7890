#include "estimate.h"

#include "sim.h"

#include <math.h>
#include <omp.h>
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

enum kn_status kn_estimate_step(const struct kn_case *c, const struct kn_listener *listener,
                                struct kn_estimate *e)
{
    struct kn_case small = *c;
    struct kn_plan_size whole;
    struct kn_sim *sim = NULL;
    *e = (struct kn_estimate){0};
    enum kn_status status = kn_sim_plan(c, &whole);
    if (status != KN_OK)
        return status;
    shrink(&small, (double)whole.nodes);
    small.time.step = whole.time_step;
    if (small.collision.samples == KN_SAMPLES_AUTO)
        small.collision.samples = usual_samples;
    status = kn_sim_create_heard(&sim, &small, listener);
    if (status == KN_OK)
        status = measure(sim, e);
    if (status == KN_OK) {
        e->cells = kn_sim_cells(sim);
        e->threads = kn_sim_threads(sim);
        snprintf(e->backend, sizeof e->backend, "%s", kn_sim_backend(sim));
        e->step_s *= (double)whole.cells / (double)e->cells;
    }
    kn_sim_destroy(sim);
    return status;
}
