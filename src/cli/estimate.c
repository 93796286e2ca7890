/* Steps of a smaller case are measured, then rows of its history. */
#include "cli/info.h"

#include "config/case.h"
#include "config/config.h"
#include "error.h"
#include "monitor/monitor.h"
#include "run/run_loop.h"
#include "sim.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Larger than the caches, and enough for a GPU. */
static const double most_values = 1 << 24; /* cells times nodes */
static const double least_seconds = 0.3;
static const int usual_samples = 6144; /* for collision.samples: auto */

/* Fewer cells of the same shape; the cost per cell does not depend on their number. */
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

struct measurement {
    struct kn_sim *sim;
    struct kn_steady *steady; /* NULL: steps in time */
    struct kn_monitor monitor;
    double *fields;         /* [cells][KN_FIELDS] */
    double started, rows_s; /* s: clock at the first measured step, time for all rows */
    int64_t first;          /* measured step */
    int rows;
    struct kn_estimate *e;
};

enum { WARM_UP = 2, ROWS = 3 };

/* The first steps prepare data for the others and are not measured.  The first row ends the measurement of
 * steps: a GPU has completed them only then. */
static enum kn_status poll(void *of, bool *over)
{
    struct measurement *m = of;
    if (kn_sim_steps(m->sim) <= WARM_UP) {
        m->started = omp_get_wtime();
        m->first = kn_sim_steps(m->sim);
    }
    *over = m->rows > ROWS;
    return KN_OK;
}

static bool is_due(void *of)
{
    const struct measurement *m = of;
    return m->rows > 0 || omp_get_wtime() - m->started >= least_seconds;
}

static enum kn_status observe(void *of)
{
    struct measurement *m = of;
    const double begun = omp_get_wtime();
    KN_TRY(kn_run_take_row(m->sim, &m->monitor, m->fields));
    if (m->rows++ > 0) {
        m->rows_s += omp_get_wtime() - begun;
    } else {
        m->e->steps = kn_sim_steps(m->sim) - m->first;
        m->e->step_s = (omp_get_wtime() - m->started) / (double)m->e->steps;
    }
    m->e->look_s = m->rows_s / ROWS;
    return KN_OK;
}

static enum kn_status measure(struct measurement *m, const struct kn_case *c)
{
    if (kn_case_iterates(c))
        KN_TRY(kn_steady_create(&m->steady, m->sim));
    const struct kn_run_observer observer = {m, poll, is_due, observe, m->steady};
    m->fields = malloc((size_t)kn_sim_cells(m->sim) * KN_FIELDS * sizeof *m->fields);
    if (!m->fields)
        return kn_error_set(KN_EMEMORY, "not enough memory for the fields");
    KN_TRY(kn_monitor_create(&m->monitor, c, kn_sim_space(m->sim), &kn_comm_alone));
    return kn_run_loop(m->sim, &kn_comm_alone, &observer);
}

double kn_estimate_run(const struct kn_estimate *e, const struct kn_case *c, double steps)
{
    return steps * (e->step_s + e->look_s / kn_config_history(c));
}

/* Passes on the progress of an assembly, and stops one that would take long. */
struct limited_assembly {
    const struct kn_progress_callback *progress;
    double start, total; /* s */
    bool over;
};

static bool report(void *to, double part)
{
    static const double trial = 2, most = 10; /* s */
    struct limited_assembly *p = to;
    const double taken = omp_get_wtime() - p->start;
    if (p->over) /* a call of another thread */
        return false;
    if (part > 0)
        p->total = taken / part;
    if (part > 0 && part < 1 && taken > trial && p->total > most)
        p->over = true;
    return kn_progress_report(p->progress, part) && !p->over;
}

/* The simulation to measure, without the operator if its assembly would take long. */
static enum kn_status create(struct kn_sim **sim, const struct kn_case *c,
                             const struct kn_progress_callback *progress, struct kn_estimate *e)
{
    struct limited_assembly p = {.progress = progress, .start = omp_get_wtime()};
    const struct kn_progress_callback limited = {.report = report, .to = &p},
                                      hollow = {.report = report, .to = &p, .hollow = true};
    enum kn_status status = kn_sim_create_with_progress(sim, c, &kn_comm_alone, &limited);
    e->hollow = status == KN_EINTERRUPTED && p.over;
    e->assembly_s = p.total;
    return e->hollow ? kn_sim_create_with_progress(sim, c, &kn_comm_alone, &hollow) : status;
}

enum kn_status kn_estimate_step(const struct kn_case *c, const struct kn_progress_callback *progress,
                                struct kn_estimate *e)
{
    struct kn_case small = *c;
    struct kn_plan_size whole;
    struct measurement m = {.e = e};
    *e = (struct kn_estimate){0};
    KN_TRY(kn_sim_plan(c, &kn_comm_alone, &whole));
    shrink(&small, (double)whole.nodes);
    small.time.step = whole.time_step;
    if (small.collision.samples == KN_SAMPLES_AUTO)
        small.collision.samples = usual_samples;
    enum kn_status status = create(&m.sim, &small, progress, e);
    if (status == KN_OK)
        status = measure(&m, &small);
    if (status == KN_OK) {
        e->cells = kn_sim_cells(m.sim);
        e->threads = kn_sim_threads(m.sim);
        snprintf(e->backend, sizeof e->backend, "%s", kn_sim_backend(m.sim));
        FILE *kernels = fmemopen(e->kernels, sizeof e->kernels, "w");
        if (kernels) {
            kn_sim_kernels(m.sim, kernels);
            fclose(kernels);
        }
        e->step_s *= (double)whole.cells / (double)e->cells;
        e->look_s *= (double)whole.cells / (double)e->cells;
    }
    kn_monitor_destroy(&m.monitor);
    kn_steady_destroy(m.steady);
    kn_sim_destroy(m.sim);
    free(m.fields);
    return status;
}
