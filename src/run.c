/*
 * A whole run: files, checkpoints, signals.
 *
 * What happens at a step is a function of the step and of the case alone,
 * never of the clock or of where a run was interrupted; only checkpoints follow
 * the clock, and they leave the gas alone.  So a resumed run repeats the
 * uninterrupted one bit for bit.
 */
#include "config.h"
#include "error.h"
#include "io/checkpoint.h"
#include "io/fields.h"
#include "io/files.h"
#include "io/history.h"
#include "pilot.h"
#include "progress.h"
#include "run_notes.h"
#include "sampling.h"
#include "signals.h"
#include "swing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE = 1024 };

/* Outcomes after which --resume goes on. */
static const char INTERRUPTED[] = "interrupted", WALLTIME[] = "walltime";

struct run {
    struct kn_case c;
    const struct kn_run_options *options;
    struct kn_plan_size plan;
    double memory_available; /* bytes, before the simulation took its part; on the device, where it has its
                                own */
    uint64_t fingerprint;    /* of the case as it was given */
    bool chosen;             /* collision.samples was auto */
    struct kn_sim *sim;
    struct kn_monitor monitor;
    struct kn_history *history;
    struct kn_progress progress;
    struct kn_provenance provenance;
    double *fields;      /* [cells][KN_FIELDS], of the latest look */
    double *state;       /* [kn_monitor_state_size], on its way into a checkpoint */
    int64_t first, last; /* steps at which this process begins and the run ends */
    const char *at_last; /* the outcome when `last` is reached */
    const char *outcome; /* why the loop ended */
    double started;      /* s, kn_progress_clock; of this process */
    double loop_started;
    double checkpointed; /* when the last checkpoint was written */
    struct kn_swing swing;
    double look_s;     /* spent on looking at the gas, */
    double output_s;   /* on files, */
    double assemble_s; /* on the operator, */
    double pilot_s;    /* on the choice of samples */
    double heard;      /* when either was last heard of */
};

/* -------------------------------------------------------------- checkpoints */

/* Rows on their way into a checkpoint.  Between two looks at the gas nobody
 * has seen whether it is still finite; a bad state must not replace a good one. */
static enum kn_status get_finite_rows(void *of, int64_t first, int64_t count, float *rows)
{
    struct run *r = of;
    const uint32_t exponent = 0x7f800000u;
    int64_t nodes = kn_sim_nodes(r->sim);
    enum kn_status status = kn_sim_get_rows(r->sim, first, count, rows);
    if (status != KN_OK)
        return status;
    for (int64_t i = 0; i < count; i++) {
        uint32_t bad = 0;
        for (int64_t j = 0; j < nodes; j++) {
            uint32_t bits;
            memcpy(&bits, rows + i * nodes + j, sizeof bits);
            bad |= (bits & exponent) == exponent;
        }
        if (bad) {
            const int *n = kn_sim_space(r->sim)->cells;
            long long cell = first + i;
            return kn_error_set(KN_ENUMERIC,
                                "non-finite h in cell %lld (x %lld, y %lld, z %lld) at step %lld, t = %.6g",
                                cell, cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1],
                                (long long)kn_sim_steps(r->sim), kn_sim_time(r->sim));
        }
    }
    return KN_OK;
}

static enum kn_status move_rows(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    struct run *r = of;
    return in ? kn_sim_put_rows(r->sim, first, count, rows) : get_finite_rows(r, first, count, rows);
}

static enum kn_status save(struct run *r)
{
    const struct kn_share_table tables[] = {{(size_t)kn_sim_nodes(r->sim) * sizeof(float), move_rows, r}};
    const struct kn_share share = {.comm = &kn_comm_alone, .tables = tables};
    double begun = kn_progress_clock();
    struct kn_checkpoint k = {0};
    kn_sim_describe(r->sim, &k);
    k.fingerprint = r->fingerprint;
    k.nmonitor = kn_monitor_state_size(&r->monitor);
    k.monitor = r->state;
    kn_monitor_save(&r->monitor, r->state);
    enum kn_status status =
        kn_checkpoint_write(r->options->folder, &k, &(struct kn_checkpoint_source){.share = &share});
    r->checkpointed = kn_progress_clock();
    r->output_s += r->checkpointed - begun;
    if (status == KN_OK)
        kn_progress_log(&r->progress, "checkpoint at step %lld, t = %.6g", (long long)k.step, k.time);
    return status;
}

/* What to do about a value that is not finite. */
static const char *advice(const struct kn_case *c)
{
    if (c->collision.method == KN_METHOD_MONTE_CARLO && c->collision.update == KN_UPDATE_EXPLICIT)
        return "collision.update: exponential cannot diverge";
    if (c->disturbance > 0)
        return "more velocity.nodes, a smaller time.courant or a weaker disturbance may help";
    return "a smaller time.courant may help; linear runs should not do this, please report it";
}

/* Add to the message where the run can be taken up again. */
static enum kn_status name_last_checkpoint(const struct run *r)
{
    char why[MESSAGE], note[KN_CHECKPOINT_NOTE];
    struct kn_checkpoint k = {0};
    snprintf(why, sizeof why, "%s", kn_error_message());
    if (kn_checkpoint_find(&kn_comm_alone, r->options->folder, r->fingerprint, &k, note) != KN_OK)
        return kn_error_set(KN_ENUMERIC, "%s (%s); there is no checkpoint before it", why, advice(&r->c));
    kn_error_set(KN_ENUMERIC, "%s (%s); last good checkpoint: %s (step %lld, t = %.6g)", why, advice(&r->c),
                 k.path, (long long)k.step, k.time);
    kn_checkpoint_free(&k);
    return KN_ENUMERIC;
}

/* -------------------------------------------------------------------- begin */

static enum kn_status plan(struct run *r)
{
    const enum kn_status status = kn_sim_plan(&r->c, &r->plan);
    return status == KN_OK ? kn_config_check_memory(r->plan.memory_bytes - r->plan.device_bytes) : status;
}

static enum kn_status check_case(struct run *r)
{
    enum kn_status status = kn_case_check(&r->c);
    if (status == KN_OK)
        status = plan(r);
    const double room = status == KN_OK ? kn_sim_room(&r->c) : NAN;
    r->memory_available = isnan(room) ? kn_config_memory_available() : room;
    r->fingerprint = kn_config_fingerprint(&r->c);
    r->chosen = kn_sampling_is_due(&r->c);
    return status;
}

/* What an earlier run left, or was made of it, would pass for results of this one. */
static enum kn_status remove_summary(const char *folder)
{
    static const char *const stale[] = {"summary.json", "report.html", "picture.png"};
    enum kn_status status = KN_OK;
    for (size_t i = 0; i < sizeof stale / sizeof *stale && status == KN_OK; i++) {
        char path[KN_PATH];
        status = kn_files_join(path, folder, stale[i]);
        if (status == KN_OK)
            status = kn_files_remove(path);
    }
    return status;
}

static enum kn_status clear_folder(const char *folder)
{
    enum kn_status status = kn_checkpoint_clear(folder);
    if (status == KN_OK)
        status = kn_fields_clear(folder);
    return status == KN_OK ? remove_summary(folder) : status;
}

/* ------------------------------------------------------------- preparations */

static bool is_over(const struct run *r, double now)
{
    return r->c.run.walltime > 0 && now - r->started >= r->c.run.walltime;
}

/* Time since somebody was heard last goes to the one who is heard now. */
static bool hear(struct run *r, enum kn_prepare what, double part, double *seconds)
{
    const double now = kn_progress_clock();
    if (part > 0)
        *seconds += now - r->heard;
    r->heard = now;
    kn_progress_prepare(&r->progress, what, part);
    return !kn_signals_stop() && !is_over(r, now);
}

static bool hear_assembly(void *to, double part)
{
    struct run *r = to;
    return hear(r, KN_PREPARE_OPERATOR, part, &r->assemble_s);
}

static bool hear_pilot(void *to, double part)
{
    struct run *r = to;
    return hear(r, KN_PREPARE_SAMPLES, part, &r->pilot_s);
}

/* A preparation that was stopped knows not by whom. */
static enum kn_status name_stop(const struct run *r, enum kn_status status)
{
    if (status != KN_EINTERRUPTED || kn_signals_stop())
        return status;
    return kn_error_set(KN_EINTERRUPTED, "stopped by run.walltime (%g s) before the first step",
                        r->c.run.walltime);
}

/* What was left to the program, before anything is written. */
static enum kn_status choose_samples(struct run *r)
{
    const struct kn_pilot_listeners listeners = {{hear_pilot, r}, {hear_assembly, r}};
    if (!r->chosen)
        return KN_OK;
    enum kn_status status = name_stop(r, kn_pilot_samples_heard(&r->c, &listeners));
    return status == KN_OK ? plan(r) : status;
}

static enum kn_status create(struct run *r)
{
    const struct kn_listener listener = {hear_assembly, r};
    enum kn_status status = name_stop(r, kn_sim_create_heard(&r->sim, &r->c, &listener));
    if (status == KN_OK)
        status = kn_monitor_create(&r->monitor, &r->c, kn_sim_space(r->sim));
    if (status != KN_OK)
        return status;
    r->fields = calloc((size_t)kn_sim_cells(r->sim) * KN_FIELDS, sizeof *r->fields);
    r->state = calloc((size_t)kn_monitor_state_size(&r->monitor), sizeof *r->state);
    if (!r->fields || !r->state)
        return kn_error_set(KN_EMEMORY, "not enough memory for the fields of %lld cells",
                            (long long)kn_sim_cells(r->sim));
    return KN_OK;
}

/* The step at which the run ends, counted from where it stands: dt may differ
 * from that of the steps before a resume when time.end was moved. */
static void find_last_step(struct run *r)
{
    double left = (r->c.time.end - kn_sim_time(r->sim)) / kn_sim_time_step(r->sim);
    double steps = fmin(fmax(ceil(left - 1e-6), 0), 9e15);
    r->first = kn_sim_steps(r->sim);
    r->last = r->first + (int64_t)steps;
    r->at_last = "end time";
    if (r->c.time.max_steps > 0 && r->c.time.max_steps < r->last) {
        r->last = r->c.time.max_steps;
        r->at_last = "max steps";
    }
}

static enum kn_status load(struct run *r, const struct kn_checkpoint *k)
{
    const struct kn_share_table tables[] = {{(size_t)kn_sim_nodes(r->sim) * sizeof(float), move_rows, r}};
    const struct kn_share share = {.comm = &kn_comm_alone, .tables = tables};
    enum kn_status status = kn_sim_adopt(r->sim, k);
    if (status == KN_OK)
        status = kn_checkpoint_load(k, &(struct kn_checkpoint_source){.share = &share});
    if (status == KN_OK)
        status = kn_monitor_restore(&r->monitor, k->monitor, k->nmonitor);
    if (status != KN_OK)
        return status;
    find_last_step(r);
    bool past = k->step > r->last || k->time > r->c.time.end + kn_sim_time_step(r->sim);
    if (past ||
        (k->step == r->last && k->ahead != 0)) /* half-way through a step there is nothing to look at */
        return kn_error_set(
            KN_EINPUT,
            "the checkpoint '%s' (step %lld, t = %.6g) is past the end of this case (a later time.end "
            "or more time.max_steps goes on from it)",
            k->path, (long long)k->step, k->time);
    return KN_OK;
}

static void print_case(FILE *to, const void *what)
{
    kn_config_print(to, what, false);
}

/* The whole case beside its results, with what was left to the program still left to it. */
static enum kn_status write_case(const struct run *r)
{
    char path[KN_PATH];
    struct kn_case c = r->c;
    if (r->chosen)
        c.collision.samples = KN_SAMPLES_AUTO;
    enum kn_status status = kn_files_join(path, r->options->folder, "case.yaml");
    return status == KN_OK ? kn_files_write_text(path, print_case, &c) : status;
}

/* A checkpoint of another case: say which key differs, where case.yaml tells. */
static enum kn_status name_difference(const struct run *r)
{
    char path[KN_PATH], why[MESSAGE], name[KN_NAME], was[KN_TEXT], is[KN_TEXT];
    struct kn_case before;
    snprintf(why, sizeof why, "%s", kn_error_message());
    kn_case_default(&before);
    if (kn_files_join(path, r->options->folder, "case.yaml") == KN_OK &&
        kn_case_load(&before, path) == KN_OK && kn_config_differ(&before, &r->c, name, was, is))
        return kn_error_set(
            KN_EINPUT,
            "%s: %s, but the run in '%s' has %s (resume with that, or run without --resume or "
            "into another folder)",
            name, is, r->options->folder, was);
    return kn_error_set(KN_EINPUT, "%s", why);
}

static enum kn_status begin_resumed(struct run *r)
{
    char note[KN_CHECKPOINT_NOTE] = "";
    struct kn_checkpoint k = {0};
    enum kn_status status = kn_checkpoint_find(&kn_comm_alone, r->options->folder, r->fingerprint, &k, note);
    if (status == KN_EINPUT)
        status = name_difference(r);
    if (status != KN_OK)
        return status;
    if (r->chosen) { /* by the run that goes on */
        r->c.collision.samples = (int)k.samples;
        status = plan(r);
    }
    if (status == KN_OK)
        status = create(r);
    if (status == KN_OK)
        status = load(r, &k);
    if (status == KN_OK)
        status = kn_progress_open(&r->progress);
    if (status == KN_OK) {
        if (note[0])
            kn_progress_note(&r->progress, "%s", note);
        kn_progress_note(&r->progress, "resuming from %s: step %lld, t = %.6g", k.path, (long long)k.step,
                         k.time);
        status = kn_history_open(&r->history, r->options->folder, &r->monitor, k.step);
    }
    if (status == KN_OK)
        status = write_case(r);
    if (status == KN_OK) /* until the end a folder without a summary holds an unfinished run */
        status = remove_summary(r->options->folder);
    kn_checkpoint_free(&k);
    return status;
}

static bool exists(const char *folder, const char *name)
{
    char path[KN_PATH];
    return kn_files_join(path, folder, name) == KN_OK && access(path, F_OK) == 0;
}

/* Did the run whose summary this is stop before its end? */
static bool was_stopped(const char *folder)
{
    char path[KN_PATH], line[256];
    bool stopped = false;
    FILE *summary = kn_files_join(path, folder, "summary.json") == KN_OK ? fopen(path, "r") : NULL;
    if (!summary)
        return true;
    while (!stopped && fgets(line, sizeof line, summary))
        stopped = strstr(line, "\"outcome\"") && (strstr(line, INTERRUPTED) || strstr(line, WALLTIME));
    fclose(summary);
    return stopped;
}

/* Hours of work are not thrown away because --resume was forgotten. */
static enum kn_status refuse_unfinished(const char *folder)
{
    if ((exists(folder, "checkpoint-a.h5") || exists(folder, "checkpoint-b.h5")) && was_stopped(folder))
        return kn_error_set(
            KN_EINPUT,
            "%s holds a run that stopped before its end (--resume goes on with it, --overwrite "
            "begins anew, --out goes elsewhere)",
            folder);
    return KN_OK;
}

static enum kn_status begin_fresh(struct run *r)
{
    enum kn_status status = r->options->overwrite ? KN_OK : refuse_unfinished(r->options->folder);
    if (status == KN_OK)
        status = choose_samples(r);
    if (status == KN_OK)
        status = kn_files_make_folder(r->options->folder);
    if (status == KN_OK)
        status = create(r);
    if (status == KN_OK)
        status = clear_folder(r->options->folder);
    if (status == KN_OK)
        status = write_case(r);
    if (status == KN_OK)
        status = kn_progress_open(&r->progress);
    if (status == KN_OK)
        status = kn_history_open(&r->history, r->options->folder, &r->monitor, -1);
    if (status == KN_OK)
        find_last_step(r);
    return status;
}

/* --------------------------------------------------------------------- loop */

/* Why the run is over at the step where it stands, or NULL.  One quiet row may
 * be chance where the collisions are sampled, hence two. */
static const char *finished(const struct run *r)
{
    const struct kn_monitor *m = &r->monitor;
    int64_t step = kn_sim_steps(r->sim);
    double limit = r->c.time.residual;
    if (limit > 0 && m->row.step == (double)step && m->row.residual < limit && m->previous_residual < limit)
        return "residual";
    return step >= r->last ? r->at_last : NULL;
}

static enum kn_status write_fields(struct run *r)
{
    double begun = kn_progress_clock();
    struct kn_snapshot s = {
        .c = &r->c,
        .space = kn_sim_space(r->sim),
        .step = kn_sim_steps(r->sim),
        .time = kn_sim_time(r->sim),
        .fields = r->fields,
        .mean = r->monitor.averaged > 0 ? r->monitor.mean_fields : NULL,
        .comm = &kn_comm_alone,
    };
    enum kn_status status = kn_fields_write(r->options->folder, &s);
    r->output_s += kn_progress_clock() - begun;
    return status;
}

/* Look at the gas: for a history row, for a file of the series, or both. */
static enum kn_status look(struct run *r, bool row, bool series)
{
    struct kn_wall_flux walls[KN_SIDES] = {{0}};
    int64_t step = kn_sim_steps(r->sim);
    double time = kn_sim_time(r->sim), begun = kn_progress_clock();
    enum kn_status status = kn_sim_fields(r->sim, r->fields);
    if (status == KN_OK && row)
        status = kn_sim_walls(r->sim, walls);
    if (status == KN_OK)
        status = row ? kn_monitor_take(&r->monitor, step, time, r->fields, walls)
                     : kn_monitor_check(&r->monitor, step, time, r->fields);
    r->look_s += kn_progress_clock() - begun;
    if (status == KN_OK && row) {
        begun = kn_progress_clock();
        status = kn_history_append(r->history, &r->monitor);
        r->output_s += kn_progress_clock() - begun;
    }
    if (status == KN_OK && series && !finished(r)) /* the end writes its own */
        status = write_fields(r);
    return status;
}

/* True when the step from time to time + dt reaches a multiple of `every`. */
static bool passes_multiple(double time, double dt, double every)
{
    const double slack = 1e-9; /* multiples of dt that fall on it up to round-off */
    return every > 0 && floor((time + dt) / every + slack) > floor(time / every + slack);
}

static enum kn_status step_once(struct run *r)
{
    int64_t step = kn_sim_steps(r->sim) + 1;
    int64_t every = r->c.output.history > 0 ? r->c.output.history : 1;
    bool row = step % every == 0 || step == r->last;
    bool series = passes_multiple(kn_sim_time(r->sim), kn_sim_time_step(r->sim), r->c.output.fields);
    if (!row && !series)
        return kn_sim_advance_open(r->sim, 1);
    enum kn_status status = kn_sim_advance(r->sim, 1);
    return status == KN_OK ? look(r, row, series) : status;
}

/* What the world wants between two steps: signals, the clock, the user. */
static enum kn_status attend(struct run *r)
{
    double now = kn_progress_clock();
    const double every = r->c.output.checkpoint;
    const struct kn_eta_mark mark = {now, r->output_s, kn_sim_steps(r->sim)};
    kn_progress_step(&r->progress, &mark, kn_sim_time(r->sim), &r->monitor.row);
    if (kn_signals_stop())
        r->outcome = INTERRUPTED;
    else if (is_over(r, now))
        r->outcome = WALLTIME;
    if (r->outcome)
        return KN_OK; /* the end writes the checkpoint */
    if (kn_signals_save()) {
        enum kn_status status = save(r);
        if (status == KN_OK)
            kn_progress_note(&r->progress, "checkpoint on request at step %lld, t = %.6g",
                             (long long)kn_sim_steps(r->sim), kn_sim_time(r->sim));
        return status;
    }
    return every > 0 && now - r->checkpointed >= every ? save(r) : KN_OK;
}

/* The box, with what is worth knowing about this run. */
static void introduce(struct run *r)
{
    const struct kn_space *space = kn_sim_space(r->sim);
    const double limit = r->c.run.walltime;
    struct kn_progress_job job = {
        .c = &r->c,
        .backend = kn_sim_backend(r->sim),
        .threads = kn_sim_threads(r->sim),
        .cells = {space->cells[0], space->cells[1], space->cells[2]},
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
    if (r->assemble_s > 0)
        kn_progress_log(&r->progress, "the collision operator took %.1f s", r->assemble_s);
    if (r->pilot_s > 0)
        kn_progress_log(&r->progress, "the choice of collision.samples took %.1f s", r->pilot_s);
    if (kn_sim_note(r->sim)[0])
        kn_progress_note(&r->progress, "%s", kn_sim_note(r->sim));
    kn_run_note_speeds(&r->progress, &r->c, r->sim);
}

static enum kn_status loop(struct run *r)
{
    enum kn_status status = KN_OK;
    r->loop_started = r->checkpointed = kn_progress_clock();
    if (r->monitor.rows == 0)
        status = look(r, true, r->c.output.fields > 0);
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

static void summarise(const struct run *r, struct kn_summary *s)
{
    double now = kn_progress_clock(), loop_s = fmax(now - r->loop_started, 1e-9);
    *s = (struct kn_summary){
        .m = &r->monitor,
        .outcome = r->outcome,
        .backend = kn_sim_backend(r->sim),
        .threads = kn_sim_threads(r->sim),
        .steps = kn_sim_steps(r->sim),
        .time = kn_sim_time(r->sim),
        .time_step = kn_sim_time_step(r->sim),
        .wall_s = now - r->started,
        .cells = kn_sim_cells(r->sim),
        .nodes = kn_sim_nodes(r->sim),
        .memory_bytes = r->plan.memory_bytes,
        .provenance = &r->provenance,
        .swing = &r->swing,
        .target = r->chosen ? r->c.collision.error : 0,
    };
    s->updates_per_s = (double)(s->steps - r->first) * (double)s->cells * (double)s->nodes / loop_s;
    kn_sim_phases(r->sim, s->phase_s);
    s->phase_s[KN_PHASE_ASSEMBLE] = r->assemble_s;
    s->phase_s[KN_PHASE_PILOT] = r->pilot_s;
    s->phase_s[KN_PHASE_MOMENTS] = r->look_s; /* on a GPU with the wait for the steps before */
    s->phase_s[KN_PHASE_OUTPUT] = r->output_s;
}

static enum kn_status finish(struct run *r)
{
    struct kn_summary s;
    bool unfinished = !finished(r);
    enum kn_status status = save(r); /* first: whatever fails after it, the state is safe */
    if (status == KN_OK && !unfinished) {
        status = kn_sim_fields(r->sim, r->fields);
        if (status == KN_OK)
            status = write_fields(r);
    }
    if (status != KN_OK)
        return status;
    summarise(r, &s);
    status = kn_swing_find(&r->swing, r->options->folder, &r->monitor, s.time_step);
    if (status == KN_OK)
        status = kn_summary_write(r->options->folder, &s);
    if (status != KN_OK)
        return status;
    kn_progress_end(&r->progress, &s);
    if (unfinished)
        return kn_error_set(KN_EINTERRUPTED,
                            "%s at step %lld, t = %.6g; the checkpoint is written, --resume goes on",
                            strcmp(r->outcome, WALLTIME) == 0 ? "stopped by run.walltime" : "interrupted",
                            (long long)s.steps, s.time);
    return KN_OK;
}

/* The first failure is the one to report: closing must not replace it. */
static enum kn_status dismiss(struct run *r, enum kn_status status)
{
    char why[MESSAGE];
    snprintf(why, sizeof why, "%s", kn_error_message());
    enum kn_status closed = r->history ? kn_history_close(r->history) : KN_OK;
    if (status == KN_OK)
        status = closed;
    else
        kn_error_set(status, "%s", why);
    if (status != KN_OK)
        kn_progress_fail(&r->progress, status == KN_EINTERRUPTED ? INTERRUPTED : "failed",
                         kn_error_message());
    kn_progress_close(&r->progress);
    kn_monitor_destroy(&r->monitor);
    if (r->sim)
        kn_sim_destroy(r->sim);
    free(r->fields);
    free(r->state);
    return status;
}

enum kn_status kn_run(const struct kn_case *c, const struct kn_run_options *options)
{
    struct run r = {.c = *c, .options = options, .started = kn_progress_clock()};
    kn_provenance_take(&r.provenance);
    kn_progress_begin(&r.progress, options);
    kn_signals_catch();
    enum kn_status status = check_case(&r);
    if (status == KN_OK)
        status = options->resume ? begin_resumed(&r) : begin_fresh(&r);
    if (status == KN_OK) {
        kn_sim_device(r.sim, r.provenance.device, sizeof r.provenance.device);
        introduce(&r);
        status = loop(&r);
    }
    if (status == KN_OK)
        status = finish(&r);
    if (status == KN_ENUMERIC)
        status = name_last_checkpoint(&r);
    status = dismiss(&r, status);
    kn_signals_release();
    return status;
}
