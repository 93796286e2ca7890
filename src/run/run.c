/* A whole run: loop, files, checkpoints, signals.
 *
 * The actions at a step depend on the step and the case only, never on the clock, on interruptions, or on the
 * number of ranks.  Only checkpoints follow the clock, and they do not change the gas.  A resumed run
 * therefore repeats the uninterrupted one bit for bit. */
#include "run/run_parts.h"

#include "config/config.h"
#include "error.h"
#include "run/run_loop.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The reason for which the run ends at the present step, or NULL. */
static const char *finished(const struct kn_run_parts *r)
{
    const int64_t step = kn_sim_steps(r->sim);
    const bool seen = !r->view.open && r->monitor.row.step == (double)step;
    const char *why = seen ? kn_verdict_ends(&r->monitor) : NULL;
    return why ? why : step >= r->last ? r->at_last : NULL;
}

/* Observe the gas after a step that is due. */
static enum kn_status observe(void *of)
{
    struct kn_run_parts *r = of;
    return kn_run_observe(r, r->row_due, r->series_due);
}

/* Does the next step reach a multiple of output.fields, so that a file of the series follows? */
static bool is_series_step(const struct kn_run_parts *r)
{
    const double time = kn_sim_time(r->sim), dt = kn_sim_time_step(r->sim), every = r->c.output.fields,
                 slack = 1e-9; /* for round-off in multiples of dt */
    return time + dt >= r->c.output.fields_start - 1e-6 * dt && every > 0 &&
           floor((time + dt) / every + slack) > floor(time / every + slack);
}

static bool is_due(void *of)
{
    struct kn_run_parts *r = of;
    const int64_t step = kn_sim_steps(r->sim) + 1;
    r->row_due = r->steady || step % kn_config_history(&r->c) == 0 || step == r->last;
    r->series_due = is_series_step(r);
    return r->row_due || r->series_due;
}

/* Requests between two steps: by a signal, the clock or the user.  Any rank may receive one; all ranks act at
 * the same step, on the minimum over the ranks. */
enum request { STOP, END, SAVE, POLL_INTERVAL, REQUESTS };
enum { SAVE_BY_CLOCK = -1, SAVE_BY_SIGNAL = -2 };

/* Steps until the ranks poll again, about ten times per second. */
static int64_t poll_interval(const struct kn_run_parts *r, double now)
{
    const double steps = (double)(kn_sim_steps(r->sim) - r->first),
                 each = steps > 0 ? (now - r->loop_started) / steps : INFINITY;
    return r->comm->size == 1 ? 1 : (int64_t)fmin(fmax(0.1 / fmax(each, 1e-9), 1), 10000);
}

static void gather_requests(struct kn_run_parts *r, double now, int64_t requests[REQUESTS])
{
    const double every = r->c.output.checkpoint;
    const bool due = every > 0 && kn_run_is_first(r) && now - r->checkpointed >= every;
    requests[STOP] = -kn_signals_stop();
    requests[END] = -kn_run_is_over(r, now);
    requests[SAVE] = kn_signals_save() ? SAVE_BY_SIGNAL : due ? SAVE_BY_CLOCK : 0;
    requests[POLL_INTERVAL] = poll_interval(r, now);
    kn_comm_least(r->comm, requests, REQUESTS);
}

static enum kn_status poll_requests(struct kn_run_parts *r)
{
    const double now = omp_get_wtime();
    const int64_t step = kn_sim_steps(r->sim);
    const struct kn_eta_mark mark = {now, r->output_s, step};
    int64_t requests[REQUESTS];
    kn_progress_step(&r->progress, &mark, kn_sim_time(r->sim), &r->row);
    if (step < r->poll_at)
        return KN_OK;
    gather_requests(r, now, requests);
    r->poll_at = step + requests[POLL_INTERVAL];
    if (requests[STOP] || requests[END]) {
        r->outcome = requests[STOP] ? KN_RUN_INTERRUPTED : KN_RUN_WALLTIME;
        return KN_OK; /* the end writes the checkpoint */
    }
    if (requests[SAVE])
        KN_TRY(kn_run_save(r));
    if (requests[SAVE] == SAVE_BY_SIGNAL) {
        char place[KN_DURATION_PLACE];
        kn_progress_line(&r->progress, KN_STYLE_NOTE, "checkpoint on request at %s",
                         kn_duration_place(&r->c, step, kn_sim_time(r->sim), place));
    }
    return KN_OK;
}

static enum kn_status poll(void *of, bool *over)
{
    struct kn_run_parts *r = of;
    r->outcome = finished(r);
    if (!r->outcome)
        KN_TRY(poll_requests(r));
    *over = r->outcome != NULL;
    return KN_OK;
}

static enum kn_status loop(struct kn_run_parts *r)
{
    const struct kn_run_observer observer = {r, poll, is_due, observe, r->steady};
    r->row = r->monitor.row;
    r->loop_started = r->checkpointed = omp_get_wtime();
    if (r->monitor.rows == 0)
        KN_TRY(kn_run_observe(r, true, r->c.output.fields > 0 && r->c.output.fields_start == 0));
    KN_TRY(kn_run_loop(r->sim, r->comm, &observer));
    KN_TRY(kn_run_settle(r));
    r->loop_s = fmax(omp_get_wtime() - r->loop_started, 1e-9);
    r->loop_output_s = r->output_s;
    r->stepping_s = r->steady ? fmax(0, r->loop_s - r->observe_s - r->output_s) : kn_sim_stepping(r->sim);
    return KN_OK;
}

/* Host and device of every rank, in the log; for few ranks also on the terminal. */
static void show_places(struct kn_run_parts *r)
{
    enum { SHOWN = 8 };
    char host[64] = "", place[384];
    gethostname(host, sizeof host - 1);
    for (int rank = 0; rank < r->comm->size && r->comm->size > 1; rank++) {
        snprintf(place, sizeof place, "%s, %s", host, r->provenance.device);
        kn_comm_broadcast(r->comm, rank, place, sizeof place);
        kn_progress_line(&r->progress, r->comm->size <= SHOWN ? KN_STYLE_NOTE : KN_STYLE_LOG, "rank %d: %s",
                         rank, place);
    }
    if (r->comm->size > SHOWN)
        kn_progress_line(&r->progress, KN_STYLE_NOTE, "run.log lists host and device of every rank");
}

/* The findings of the checks from an index on. */
static void show_findings(struct kn_run_parts *r, int from)
{
    for (int i = from; i < r->validity.count; i++)
        kn_progress_line(&r->progress, KN_STYLE_NOTE, "%s: %s",
                         kn_validity_level_name(r->validity.finding[i].level), r->validity.finding[i].text);
}

/* The box, and notes about this run. */
static void show_start(struct kn_run_parts *r)
{
    const struct kn_space *space = kn_sim_space(r->sim);
    const double limit = r->c.run.walltime;
    kn_sim_device(r->sim, r->provenance.device, sizeof r->provenance.device);
    struct kn_progress_job job = {
        .c = &r->c,
        .backend = kn_sim_backend(r->sim),
        .device = r->provenance.device,
        .threads = kn_sim_threads(r->sim),
        .ranks = r->comm->size,
        .boxes = kn_sim_boxes(r->sim),
        .mode = r->mode,
        .cells = {space->whole[0], space->whole[1], space->whole[2]},
        .nodes = kn_sim_nodes(r->sim),
        .needed = r->plan.memory_bytes,
        .free = r->memory_available,
        .time_step = kn_sim_time_step(r->sim),
        .first = r->first,
        .last = r->last,
        .time = kn_sim_time(r->sim),
        .deadline = limit > 0 ? r->started + limit : INFINITY,
    };
    if (r->plan.device_bytes > 0) {
        job.needed = r->plan.device_bytes;
        job.host_needed = r->plan.memory_bytes - r->plan.device_bytes;
    }
    kn_progress_start(&r->progress, &job);
    show_places(r);
    if (r->assemble_s > 0)
        kn_progress_line(&r->progress, KN_STYLE_LOG, "the collision operator took %.1f s", r->assemble_s);
    if (r->pilot_s > 0)
        kn_progress_line(&r->progress, KN_STYLE_LOG, "the choice of collision.samples took %.1f s",
                         r->pilot_s);
    for (int i = 0; i < KN_SIM_NOTES; i++)
        if (kn_sim_note(r->sim, i)[0])
            kn_progress_line(&r->progress, KN_STYLE_NOTE, "%s", kn_sim_note(r->sim, i));
    show_findings(r, 0);
}

static void summarise(const struct kn_run_parts *r, struct kn_summary *s)
{
    const double now = omp_get_wtime();
    *s = (struct kn_summary){
        .m = &r->monitor,
        .outcome = r->outcome,
        .backend = kn_sim_backend(r->sim),
        .threads = kn_sim_threads(r->sim),
        .ranks = r->comm->size,
        .steps = r->steps,
        .time = r->time,
        .time_step = kn_sim_time_step(r->sim),
        .wall_s = now - r->started,
        .loop_s = r->loop_s,
        .step_fraction = fmin(r->stepping_s / r->loop_s, 1),
        .cells = kn_sim_cells(r->sim),
        .nodes = kn_sim_nodes(r->sim),
        .memory_bytes = r->plan.memory_bytes,
        .provenance = &r->provenance,
        .oscillation = &r->oscillation,
        .verdict = &r->verdict,
        .validity = &r->validity,
        .target = r->chosen ? r->c.collision.error : 0,
    };
    s->updates_per_s = (double)(s->steps - r->first) * (double)s->cells * (double)s->nodes / r->loop_s;
    kn_sim_phases(r->sim, s->phase_s);
    s->phase_s[KN_PHASE_ASSEMBLE] = r->assemble_s;
    s->phase_s[KN_PHASE_PILOT] = r->pilot_s;
    s->phase_s[KN_PHASE_MOMENTS] =
        kn_sim_is_detached(r->sim) ? fmax(0, r->loop_s - r->stepping_s - r->loop_output_s) : r->observe_s;
    s->phase_s[KN_PHASE_OUTPUT] = r->output_s;
    s->phase_s[KN_PHASE_ITERATE] = r->steady ? r->solver_s + r->stepping_s : 0;
}

/* Amplitudes and phases of the fluxes at walls, from the history. */
static enum kn_status fit_amplitudes(struct kn_run_parts *r, double time_step)
{
    struct kn_history_table h = {0};
    const enum kn_status status =
        kn_duration_oscillates(&r->c) ? kn_history_read(&h, r->options.folder) : KN_OK;
    kn_oscillation_find(&r->oscillation, &h, &r->monitor, time_step);
    kn_history_free(&h);
    return status;
}

/* Oscillations, verdict and summary, by rank 0. */
static enum kn_status conclude(struct kn_run_parts *r, struct kn_summary *s)
{
    summarise(r, s);
    if (!kn_run_is_first(r))
        return KN_OK;
    if (r->c.time.mode == KN_MODE_FREQUENCY)
        kn_oscillation_take(&r->oscillation, &r->monitor, &r->seen.at_surfaces, &r->imaginary);
    else
        KN_TRY(fit_amplitudes(r, s->time_step));
    kn_verdict_find(&r->verdict, &r->monitor, &r->oscillation);
    return kn_summary_write(r->options.folder, s);
}

/* The message of a run that stopped before its end. */
static enum kn_status report_stop(const struct kn_run_parts *r, const struct kn_summary *s)
{
    const bool late = strcmp(r->outcome, KN_RUN_WALLTIME) == 0;
    char place[KN_DURATION_PLACE], earlier[KN_RUN_MESSAGE] = "";
    if (kn_run_replaces(r))
        snprintf(earlier, sizeof earlier, "; '%.400s' still holds the earlier run, this one is in '%.400s'",
                 r->home, r->options.folder);
    return kn_error_set(KN_EINTERRUPTED, "%s at %s; --resume continues from the checkpoint%s",
                        late ? "stopped by run.walltime" : "interrupted",
                        kn_duration_place(&r->c, s->steps, s->time, place), earlier);
}

/* All files are complete: they replace those of the earlier run. */
static enum kn_status replace_earlier(struct kn_run_parts *r)
{
    enum kn_status status = kn_run_is_first(r) ? kn_folder_verify(r->options.folder, &r->identity) : KN_OK;
    if (status == KN_OK && kn_run_is_first(r) && kn_run_replaces(r))
        status = kn_folder_replace(r->home);
    KN_TRY(kn_comm_agree(r->comm, status));
    r->options.folder = r->home;
    return KN_OK;
}

/* What the faces of surfaces receive. With steps in time it is that of one more step: a run that is resumed
 * from the last checkpoint gets the same. */
static enum kn_status find_surfaces(struct kn_run_parts *r)
{
    if (!r->steady)
        KN_TRY(kn_run_abort(r->comm, kn_sim_advance(r->sim, 1)));
    return kn_sim_surfaces(r->sim, &r->surfaces);
}

/* The last fields.  If a Strang splitting is open they are those of the next step: the checkpoint is written,
 * and the gas is not needed any more. */
static enum kn_status write_last_fields(struct kn_run_parts *r, bool unfinished)
{
    if (kn_sim_state(r->sim).ahead != 0)
        KN_TRY(kn_run_abort(r->comm, kn_sim_advance(r->sim, 1)));
    const double begun = omp_get_wtime();
    KN_TRY(kn_run_observe_end(r));
    KN_TRY(find_surfaces(r));
    const enum kn_status status = kn_run_write_fields(r, unfinished);
    r->output_s += omp_get_wtime() - begun;
    return status;
}

/* The findings about the gas, and the number of all findings. */
static void show_validity(struct kn_run_parts *r, int before)
{
    const struct kn_validity *v = &r->validity;
    const double error = kn_validity_error(v);
    show_findings(r, before);
    if (v->count == 0)
        kn_progress_line(&r->progress, KN_STYLE_NOTE, "validity checks: good");
    else
        kn_progress_line(&r->progress, KN_STYLE_NOTE, "validity checks: %d warning%s%s%s", v->count,
                         v->count > 1 ? "s" : "", isnan(error) ? "" : ", estimated error ",
                         isnan(error) ? "" : KN_VALIDITY_PERCENT(error));
}

static enum kn_status finish(struct kn_run_parts *r)
{
    struct kn_summary s;
    const bool unfinished = !finished(r);
    const int before = r->validity.count;
    r->steps = kn_sim_steps(r->sim);
    r->time = kn_sim_time(r->sim);
    KN_TRY(kn_comm_agree(r->comm, kn_run_is_first(r) ? kn_history_end(r->history, &r->monitor) : KN_OK));
    KN_TRY(kn_run_save(r)); /* before the fields: if they fail, the state is safe */
    KN_TRY(write_last_fields(r, unfinished));
    if (r->steady)
        kn_validity_watch(&r->gas, &r->c, kn_sim_space(r->sim), r->comm, NAN, r->seen.fields);
    KN_TRY(kn_validity_watch_tail(&r->gas, &r->c, r->sim, r->comm));
    kn_validity_judge_gas(&r->validity, &r->c, &r->gas);
    KN_TRY(kn_comm_agree(r->comm, conclude(r, &s)));
    if (!unfinished)
        KN_TRY(replace_earlier(r));
    show_validity(r, before);
    kn_progress_end(&r->progress, &s);
    return unfinished ? report_stop(r, &s) : KN_OK;
}

/* Close all; the first failure is reported, and a failure to close does not replace it. */
static enum kn_status close_run(struct kn_run_parts *r, enum kn_status status)
{
    char why[KN_RUN_MESSAGE];
    snprintf(why, sizeof why, "%s", kn_error_message());
    const enum kn_status closed = r->history ? kn_history_close(r->history) : KN_OK;
    if (status == KN_OK)
        status = closed;
    else
        kn_error_set(status, "%s", why);
    if (status != KN_OK)
        kn_progress_fail(&r->progress, status == KN_EINTERRUPTED ? KN_RUN_INTERRUPTED : "failed",
                         kn_error_message());
    kn_progress_close(&r->progress);
    if (r->lock >= 0)
        close(r->lock);
    kn_background_destroy(&r->background);
    kn_monitor_destroy(&r->monitor);
    kn_validity_watch_destroy(&r->gas);
    kn_steady_destroy(r->steady);
    if (r->sim)
        kn_sim_destroy(r->sim);
    free(r->seen.fields);
    free(r->start);
    free(r->amplitude);
    free(r->phase);
    free(r->state);
    return status;
}

static enum kn_status begin_to_end(struct kn_run_parts *r)
{
    KN_TRY(kn_run_begin(r));
    show_start(r);
    KN_TRY(loop(r));
    return finish(r);
}

/* A run in one mode.  *diverges: it failed, and steps in time may succeed. */
static enum kn_status run_once(const struct kn_case *c, const struct kn_run_options *options, bool *diverges)
{
    const struct kn_comm *comm = kn_comm_world();
    struct kn_run_parts r = {.c = *c,
                             .lock = -1,
                             .comm = comm,
                             .options = *options,
                             .home = options->folder,
                             .started = omp_get_wtime()};
    if (comm->rank > 0) { /* only the first rank writes messages */
        r.options.report = KN_REPORT_QUIET;
        r.options.say = NULL;
    }
    kn_provenance_take(&r.provenance);
    kn_progress_begin(&r.progress, &r.options);
    enum kn_status status = begin_to_end(&r);
    const bool refused = status == KN_EINPUT && r.sim && !r.steady && kn_case_iterates(&r.c);
    *diverges = (refused || (status == KN_ENUMERIC && r.steady)) && *r.mode && !options->resume;
    if (*diverges)
        kn_progress_line(&r.progress, KN_STYLE_NOTE, "%s: steps in time instead", kn_error_message());
    else if (status == KN_ENUMERIC && kn_run_is_first(&r))
        status = kn_run_name_last(&r);
    return close_run(&r, *diverges ? KN_OK : status);
}

enum kn_status kn_run(const struct kn_case *c, const struct kn_run_options *options)
{
    bool diverges;
    kn_signals_catch();
    enum kn_status status = run_once(c, options, &diverges);
    if (diverges) {
        struct kn_case in_time = *c;
        struct kn_run_options again = *options;
        in_time.time.mode = KN_MODE_UNSTEADY;
        again.overwrite = true; /* the files of the iterations */
        status = run_once(&in_time, &again, &diverges);
    }
    kn_signals_release();
    return status;
}
