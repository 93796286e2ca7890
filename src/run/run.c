/*
 * A whole run: files, checkpoints, signals.
 *
 * What happens at a step is a function of the step and of the case alone,
 * never of the clock, of where a run was interrupted, or of how many ranks
 * compute it; only checkpoints follow the clock, and they leave the gas alone.
 * So a resumed run repeats the uninterrupted one bit for bit.
 */
#include "run/run_parts.h"

#include "config/config.h"
#include "error.h"
#include "run/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --------------------------------------------------------------------- loop */

/* Why the run is over at the step where it stands, or NULL. */
static const char *finished(const struct kn_run_parts *r)
{
    const int64_t step = kn_sim_steps(r->sim);
    const char *why = r->monitor.row.step == (double)step ? kn_verdict_ends(&r->monitor) : NULL;
    return why ? why : step >= r->last ? r->at_last : NULL;
}

static enum kn_status write_fields(struct kn_run_parts *r, bool unfinished)
{
    double begun = kn_progress_clock();
    struct kn_snapshot s = {
        .c = &r->c,
        .space = kn_sim_space(r->sim),
        .step = kn_sim_steps(r->sim),
        .time = kn_sim_time(r->sim),
        .fields = r->fields,
        .mean = r->monitor.averaged > 0 ? r->monitor.mean_fields : NULL,
        .comm = r->comm,
        .boxes = kn_sim_boxes(r->sim),
        .unfinished = unfinished,
    };
    enum kn_status status = kn_fields_write(r->options.folder, &s);
    r->output_s += kn_progress_clock() - begun;
    return status;
}

/* What has failed on one rank between two agreements: the others wait for it in the next exchange. */
static enum kn_status end_all(const struct kn_run_parts *r, enum kn_status status)
{
    if (status != KN_OK && r->comm->size > 1)
        kn_comm_abort(status);
    return status;
}

static enum kn_status append_row(struct kn_run_parts *r)
{
    const double begun = kn_progress_clock();
    const enum kn_status status =
        kn_comm_agree(r->comm, kn_run_is_first(r) ? kn_history_append(r->history, &r->monitor) : KN_OK);
    r->output_s += kn_progress_clock() - begun;
    return status;
}

/* Look at the gas: for a history row, for a file of the series, or both. */
static enum kn_status look(struct kn_run_parts *r, bool row, bool series)
{
    struct kn_wall_flux walls[KN_SIDES] = {{0}};
    int64_t step = kn_sim_steps(r->sim);
    double time = kn_sim_time(r->sim), begun = kn_progress_clock();
    enum kn_status status = end_all(r, kn_sim_fields(r->sim, r->fields));
    if (status == KN_OK && row)
        status = kn_sim_walls(r->sim, walls);
    if (status == KN_OK && row && kn_monitor_is_uniform(&r->monitor))
        status = kn_sim_excess(r->sim, r->fields, &r->monitor.excess[0], &r->monitor.excess[1]);
    if (status == KN_OK)
        status = row ? kn_monitor_take(&r->monitor, step, time, r->fields, walls)
                     : kn_monitor_check(&r->monitor, step, time, r->fields);
    if (status == KN_OK)
        kn_validity_watch(&r->gas, &r->c, kn_sim_space(r->sim), r->comm, time, r->fields);
    r->look_s += kn_progress_clock() - begun;
    if (status == KN_OK && row) {
        kn_progress_expect(&r->progress, (double)step + kn_verdict_steps_left(&r->monitor));
        status = append_row(r);
    }
    if (status == KN_OK && series && !finished(r)) /* the end writes its own */
        status = write_fields(r, false);
    return status;
}

/* True when the step from time to time + dt reaches a multiple of `every`. */
static bool passes_multiple(double time, double dt, double every)
{
    const double slack = 1e-9; /* multiples of dt that fall on it up to round-off */
    return every > 0 && floor((time + dt) / every + slack) > floor(time / every + slack);
}

/* True when the step from `time` on ends with a file of the series. */
static bool is_series_step(const struct kn_run_parts *r, double time)
{
    const double dt = kn_sim_time_step(r->sim), slack = 1e-6 * dt;
    return time + dt >= r->c.output.fields_start - slack && passes_multiple(time, dt, r->c.output.fields);
}

static enum kn_status step_once(struct kn_run_parts *r)
{
    int64_t step = kn_sim_steps(r->sim) + 1;
    const int64_t every = kn_config_history(&r->c);
    bool row = step % every == 0 || step == r->last;
    bool series = is_series_step(r, kn_sim_time(r->sim));
    if (!row && !series)
        return end_all(r, kn_sim_advance_open(r->sim, 1));
    enum kn_status status = end_all(r, kn_sim_advance(r->sim, 1));
    return status == KN_OK ? look(r, row, series) : status;
}

/* What the world wants between two steps: signals, the clock, the user.  Any rank may have heard of it;
 * all act at the same step. */
enum wish { STOP, END, SAVE, PATIENCE, WISHES };

/* Steps until the ranks look up again: some ten times a second. */
static int64_t patience(const struct kn_run_parts *r, double now)
{
    const double steps = (double)(kn_sim_steps(r->sim) - r->first),
                 each = steps > 0 ? (now - r->loop_started) / steps : INFINITY;
    return r->comm->size == 1 ? 1 : (int64_t)fmin(fmax(0.1 / fmax(each, 1e-9), 1), 10000);
}

/* What this rank has heard of; the least of all ranks counts. */
static void gather_wishes(struct kn_run_parts *r, double now, int64_t wishes[WISHES])
{
    const double every = r->c.output.checkpoint;
    const bool due = every > 0 && kn_run_is_first(r) && now - r->checkpointed >= every;
    wishes[STOP] = -kn_signals_stop();
    wishes[END] = -kn_run_is_over(r, now);
    wishes[SAVE] = kn_signals_save() ? -2 : -due;
    wishes[PATIENCE] = patience(r, now);
    kn_comm_least(r->comm, wishes, WISHES);
}

static enum kn_status attend(struct kn_run_parts *r)
{
    const double now = kn_progress_clock();
    const int64_t step = kn_sim_steps(r->sim);
    const struct kn_eta_mark mark = {now, r->output_s, step};
    int64_t wishes[WISHES];
    kn_progress_step(&r->progress, &mark, kn_sim_time(r->sim), &r->monitor.row);
    if (step < r->attend_at)
        return KN_OK;
    gather_wishes(r, now, wishes);
    r->attend_at = step + wishes[PATIENCE];
    if (wishes[STOP] || wishes[END]) {
        r->outcome = wishes[STOP] ? KN_RUN_INTERRUPTED : KN_RUN_WALLTIME;
        return KN_OK; /* the end writes the checkpoint */
    }
    const enum kn_status status = wishes[SAVE] ? kn_run_save(r) : KN_OK;
    if (status == KN_OK && wishes[SAVE] == -2) {
        char time[KN_UNITS_TEXT];
        kn_progress_note(&r->progress, "checkpoint on request at step %lld, t = %s", (long long)step,
                         kn_run_time(r, kn_sim_time(r->sim), time));
    }
    return status;
}

/* Which rank computes where: all in the log, as long as it is short also for the user. */
static void name_places(struct kn_run_parts *r)
{
    enum { SHOWN = 8 };
    char host[64] = "", device[128], place[256];
    gethostname(host, sizeof host - 1);
    kn_sim_device(r->sim, device, sizeof device);
    for (int rank = 0; rank < r->comm->size && r->comm->size > 1; rank++) {
        snprintf(place, sizeof place, "%s, %s", host, device);
        kn_comm_broadcast(r->comm, rank, place, sizeof place);
        if (r->comm->size <= SHOWN)
            kn_progress_note(&r->progress, "rank %d: %s", rank, place);
        else
            kn_progress_log(&r->progress, "rank %d: %s", rank, place);
    }
    if (r->comm->size > SHOWN)
        kn_progress_note(&r->progress, "where each rank computes is in run.log");
}

/* The findings of the checks from a number on. */
static void tell_findings(struct kn_run_parts *r, int from)
{
    for (int i = from; i < r->validity.count; i++)
        kn_progress_note(&r->progress, "%s: %s", kn_validity_level_name(r->validity.finding[i].level),
                         r->validity.finding[i].text);
}

/* The box, with what is worth knowing about this run. */
static void introduce(struct kn_run_parts *r)
{
    const struct kn_space *space = kn_sim_space(r->sim);
    const double limit = r->c.run.walltime;
    struct kn_progress_job job = {
        .c = &r->c,
        .backend = kn_sim_backend(r->sim),
        .threads = kn_sim_threads(r->sim),
        .ranks = r->comm->size,
        .boxes = kn_sim_boxes(r->sim),
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
    kn_sim_device(r->sim, job.device, sizeof job.device);
    kn_progress_start(&r->progress, &job);
    name_places(r);
    if (r->assemble_s > 0)
        kn_progress_log(&r->progress, "the collision operator took %.1f s", r->assemble_s);
    if (r->pilot_s > 0)
        kn_progress_log(&r->progress, "the choice of collision.samples took %.1f s", r->pilot_s);
    for (int i = 0; i < KN_SIM_NOTES; i++)
        if (kn_sim_note(r->sim, i)[0])
            kn_progress_note(&r->progress, "%s", kn_sim_note(r->sim, i));
    tell_findings(r, 0);
}

static enum kn_status loop(struct kn_run_parts *r)
{
    enum kn_status status = KN_OK;
    r->loop_started = r->checkpointed = kn_progress_clock();
    if (r->monitor.rows == 0)
        status = look(r, true, r->c.output.fields > 0 && r->c.output.fields_start == 0);
    while (status == KN_OK) {
        r->outcome = finished(r);
        if (r->outcome)
            break;
        status = attend(r);
        if (status != KN_OK || r->outcome)
            break;
        status = step_once(r);
    }
    return status;
}

/* ---------------------------------------------------------------------- end */

static void summarise(const struct kn_run_parts *r, struct kn_summary *s)
{
    double now = kn_progress_clock(), loop_s = fmax(now - r->loop_started, 1e-9);
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
        .cells = kn_sim_cells(r->sim),
        .nodes = kn_sim_nodes(r->sim),
        .memory_bytes = r->plan.memory_bytes,
        .provenance = &r->provenance,
        .swing = &r->swing,
        .verdict = &r->verdict,
        .validity = &r->validity,
        .target = r->chosen ? r->c.collision.error : 0,
    };
    s->updates_per_s = (double)(s->steps - r->first) * (double)s->cells * (double)s->nodes / loop_s;
    kn_sim_phases(r->sim, s->phase_s);
    s->phase_s[KN_PHASE_ASSEMBLE] = r->assemble_s;
    s->phase_s[KN_PHASE_PILOT] = r->pilot_s;
    s->phase_s[KN_PHASE_MOMENTS] = r->look_s; /* on a GPU with the wait for the steps before */
    s->phase_s[KN_PHASE_OUTPUT] = r->output_s;
}

/* The last files, by rank 0. */
static enum kn_status conclude(struct kn_run_parts *r, struct kn_summary *s)
{
    summarise(r, s);
    if (!kn_run_is_first(r))
        return KN_OK;
    const enum kn_status status = kn_swing_find(&r->swing, r->options.folder, &r->monitor, s->time_step);
    kn_verdict_find(&r->verdict, &r->monitor, &r->swing);
    return status == KN_OK ? kn_summary_write(r->options.folder, s) : status;
}

/* What the user can do now. */
static enum kn_status report_stop(const struct kn_run_parts *r, const struct kn_summary *s)
{
    const bool late = strcmp(r->outcome, KN_RUN_WALLTIME) == 0;
    char time[KN_UNITS_TEXT], earlier[KN_RUN_MESSAGE] = "";
    if (kn_run_replaces(r))
        snprintf(earlier, sizeof earlier, "; '%.400s' still holds the earlier run, this one is in '%.400s'",
                 r->home, r->options.folder);
    return kn_error_set(KN_EINTERRUPTED, "%s at step %lld, t = %s; --resume continues from the checkpoint%s",
                        late ? "stopped by run.walltime" : "interrupted", (long long)s->steps,
                        kn_run_time(r, s->time, time), earlier);
}

/* All files are complete: they take the place of those of the earlier run. */
static enum kn_status settle(struct kn_run_parts *r)
{
    enum kn_status status = kn_run_is_first(r) ? kn_folder_verify(r->options.folder, &r->identity) : KN_OK;
    if (status == KN_OK && kn_run_is_first(r) && kn_run_replaces(r))
        status = kn_folder_replace(r->home);
    status = kn_comm_agree(r->comm, status);
    if (status == KN_OK)
        r->options.folder = r->home;
    return status;
}

/* The fields of the end.  Where a Strang splitting is open they are those of the next step: the checkpoint is
 * written, and the gas is not needed any more. */
static enum kn_status write_last_fields(struct kn_run_parts *r, bool unfinished)
{
    struct kn_checkpoint at;
    enum kn_status status = KN_OK;
    kn_sim_describe(r->sim, &at);
    if (at.ahead != 0)
        status = end_all(r, kn_sim_advance(r->sim, 1));
    if (status == KN_OK)
        status = end_all(r, kn_sim_fields(r->sim, r->fields));
    return status == KN_OK ? write_fields(r, unfinished) : status;
}

/* At the end: findings about the gas in full, and how many there are in all. */
static void conclude_findings(struct kn_run_parts *r, int before)
{
    char percent[32];
    const struct kn_validity *v = &r->validity;
    const double error = kn_validity_error(v);
    tell_findings(r, before);
    if (v->count == 0)
        kn_progress_note(&r->progress, "validity checks: good");
    else if (isnan(error))
        kn_progress_note(&r->progress, "validity checks: %d warning%s", v->count, v->count > 1 ? "s" : "");
    else
        kn_progress_note(&r->progress, "validity checks: %d warning%s, estimated error %s", v->count,
                         v->count > 1 ? "s" : "", kn_validity_percent(error, percent));
}

static enum kn_status finish(struct kn_run_parts *r)
{
    struct kn_summary s;
    bool unfinished = !finished(r);
    const int before = r->validity.count;
    r->steps = kn_sim_steps(r->sim);
    r->time = kn_sim_time(r->sim);
    enum kn_status status =
        kn_comm_agree(r->comm, kn_run_is_first(r) ? kn_history_end(r->history, &r->monitor) : KN_OK);
    if (status == KN_OK)
        status = kn_run_save(r); /* before the fields: whatever fails after it, the state is safe */
    if (status == KN_OK)
        status = write_last_fields(r, unfinished);
    if (status == KN_OK)
        status = kn_validity_watch_tail(&r->gas, r->sim, r->comm);
    kn_validity_judge_gas(&r->validity, &r->c, &r->gas);
    if (status == KN_OK)
        status = kn_comm_agree(r->comm, conclude(r, &s));
    if (status == KN_OK && !unfinished)
        status = settle(r);
    if (status != KN_OK)
        return status;
    conclude_findings(r, before);
    kn_progress_end(&r->progress, &s);
    return unfinished ? report_stop(r, &s) : KN_OK;
}

/* The first failure is the one to report: closing must not replace it. */
static enum kn_status dismiss(struct kn_run_parts *r, enum kn_status status)
{
    char why[KN_RUN_MESSAGE];
    snprintf(why, sizeof why, "%s", kn_error_message());
    enum kn_status closed = r->history ? kn_history_close(r->history) : KN_OK;
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
    kn_monitor_destroy(&r->monitor);
    kn_validity_watch_destroy(&r->gas);
    if (r->sim)
        kn_sim_destroy(r->sim);
    free(r->fields);
    free(r->state);
    return status;
}

/* The other ranks compute and keep silent. */
static struct kn_run_options options_of(const struct kn_run_options *options, const struct kn_comm *comm)
{
    struct kn_run_options own = *options;
    if (comm->rank > 0) {
        own.report = KN_REPORT_QUIET;
        own.say = NULL;
    }
    return own;
}

enum kn_status kn_run(const struct kn_case *c, const struct kn_run_options *options)
{
    const struct kn_comm *comm = kn_comm_world();
    struct kn_run_parts r = {.c = *c,
                             .lock = -1,
                             .comm = comm,
                             .options = options_of(options, comm),
                             .home = options->folder,
                             .started = kn_progress_clock()};
    kn_provenance_take(&r.provenance);
    kn_progress_begin(&r.progress, &r.options);
    kn_signals_catch();
    enum kn_status status = kn_run_begin(&r);
    if (status == KN_OK) {
        kn_sim_device(r.sim, r.provenance.device, sizeof r.provenance.device);
        introduce(&r);
        status = loop(&r);
    }
    if (status == KN_OK)
        status = finish(&r);
    if (status == KN_ENUMERIC && kn_run_is_first(&r))
        status = kn_run_name_last(&r);
    status = dismiss(&r, status);
    kn_signals_release();
    return status;
}
