/* Observations of the gas during a run: rows of the history and files of the series, evaluated while a device
 * computes the next steps. */
#include "run/run_parts.h"

#include "error.h"
#include "run/run_loop.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum kn_status kn_run_write_fields(struct kn_run_parts *r, bool unfinished)
{
    const struct kn_snapshot s = {
        .c = &r->c,
        .space = kn_sim_space(r->sim),
        .step = r->seen.step,
        .time = r->seen.time,
        .fields = r->seen.fields,
        .mean = r->monitor.averaged > 0 ? r->monitor.mean_fields : NULL,
        .amplitude = r->amplitude,
        .phase = r->phase,
        .surfaces = r->surfaces,
        .comm = r->comm,
        .boxes = kn_sim_boxes(r->sim),
        .unfinished = unfinished,
    };
    return kn_fields_write(r->options.folder, &s);
}

static enum kn_status observe_now(struct kn_run_parts *r, struct kn_observation *o)
{
    KN_TRY(kn_run_abort(r->comm, kn_sim_observe(r->sim)));
    return kn_sim_observed(r->sim, o);
}

/* An oscillation has two parts, of which the fields of the real one are those at time 0. */
enum kn_status kn_run_observe_end(struct kn_run_parts *r)
{
    if (!r->phase)
        return observe_now(r, &r->seen);
    const size_t values = (size_t)kn_sim_space(r->sim)->ncells * KN_FIELDS;
    struct kn_observation imaginary = {.fields = r->phase};
    KN_TRY(kn_steady_part(r->steady, 1));
    KN_TRY(observe_now(r, &imaginary));
    r->imaginary = imaginary.at_surfaces;
    KN_TRY(kn_steady_part(r->steady, 0));
    KN_TRY(observe_now(r, &r->seen));
    for (size_t i = 0; i < values; i++) {
        r->amplitude[i] = hypot(r->seen.fields[i], r->phase[i]);
        r->phase[i] = atan2(r->phase[i], r->seen.fields[i]);
    }
    return KN_OK;
}

/* Write the files of an observation.  The end of the run writes its own fields. */
static enum kn_status write_files(struct kn_run_parts *r)
{
    const bool last = r->seen.step == r->last || (r->view.row && kn_verdict_ends(&r->monitor));
    if (r->view.row)
        KN_TRY(
            kn_comm_agree(r->comm, kn_run_is_first(r) ? kn_history_append(r->history, &r->monitor) : KN_OK));
    return r->view.series && !last ? kn_run_write_fields(r, false) : KN_OK;
}

/* Evaluate an observation, in the main thread or in the background. */
static enum kn_status evaluate(void *of)
{
    struct kn_run_parts *r = of;
    KN_TRY(kn_sim_observed(r->sim, &r->seen));
    if (r->view.row) {
        KN_TRY(kn_run_add_row(&r->monitor, &r->seen));
        r->view.left = kn_verdict_note(&r->monitor);
    } else {
        KN_TRY(kn_monitor_check(&r->monitor, r->seen.step, r->seen.time, r->seen.fields));
    }
    if (!r->steady) /* iterates may be far from any gas */
        kn_validity_watch(&r->gas, &r->c, kn_sim_space(r->sim), r->comm, r->seen.time, r->seen.fields);
    const double begun = omp_get_wtime();
    KN_TRY(write_files(r));
    r->view.files_s = omp_get_wtime() - begun;
    return KN_OK;
}

enum kn_status kn_run_settle(struct kn_run_parts *r)
{
    const double begun = omp_get_wtime();
    if (!r->view.open)
        return KN_OK;
    r->view.open = false;
    r->view.files_s = 0;
    KN_TRY(r->background.exists ? kn_background_wait(&r->background) : evaluate(r));
    const double files_s = r->background.exists ? 0 : r->view.files_s;
    r->output_s += files_s;
    r->observe_s += omp_get_wtime() - begun - files_s;
    if (r->view.row) {
        kn_eta_expect(&r->progress.eta, (double)r->seen.step + r->view.left);
        r->row = r->monitor.row;
    }
    return KN_OK;
}

/* The evaluation may wait for the next observation unless this one can end the run. */
enum kn_status kn_run_observe(struct kn_run_parts *r, bool row, bool series)
{
    const double begun = omp_get_wtime();
    KN_TRY(kn_run_abort(r->comm, kn_sim_observe(r->sim))); /* before the wait for the previous one */
    r->observe_s += omp_get_wtime() - begun;
    KN_TRY(kn_run_settle(r));
    if (r->steady) {
        const struct kn_steady_progress p = kn_steady_progress(r->steady);
        memcpy(r->monitor.iteration, (double[]){p.residual, p.update, p.balance},
               sizeof r->monitor.iteration);
    }
    const bool waits = !r->steady && kn_sim_is_detached(r->sim) && !kn_verdict_is_near(&r->monitor) &&
                       kn_sim_steps(r->sim) < r->last;
    r->view = (struct kn_run_view){.open = true, .row = row, .series = series};
    if (r->background.exists)
        kn_background_start(&r->background, evaluate, r);
    return waits ? KN_OK : kn_run_settle(r);
}
