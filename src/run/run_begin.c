/* The beginning of a run: the case is checked, automatic values are chosen, the simulation is created, and
 * the folder is prepared. */
#include "run/run_parts.h"

#include "collision/sampling.h"
#include "config/config.h"
#include "error.h"
#include "files/files.h"
#include "grid/duration.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ranks of one host share its memory; rank 0 may be one of them. */
static enum kn_status plan(struct kn_run_parts *r)
{
    struct kn_steady_bytes more = {0, 0};
    enum kn_status status = kn_sim_plan(&r->c, r->comm, &r->plan);
    if (status == KN_OK)
        status = kn_steady_check(&r->c, r->comm);
    if (status == KN_OK)
        more = kn_steady_memory(&r->c, &r->plan);
    r->plan.memory_bytes += more.each;
    if (status == KN_OK)
        status = kn_config_check_memory(r->comm->local_size * (r->plan.memory_bytes - r->plan.device_bytes) +
                                        more.moments);
    r->plan.memory_bytes += more.moments;
    return kn_comm_agree(r->comm, status);
}

/* The mode of the run in a folder; KN_MODE_AUTO: there is none. */
static enum kn_mode mode_in(const char *folder)
{
    char path[KN_PATH];
    struct kn_case before;
    kn_case_default(&before);
    if (kn_files_join(path, folder, KN_FOLDER_CASE) != KN_OK || kn_case_load(&before, path) != KN_OK)
        return KN_MODE_AUTO;
    return before.time.mode;
}

/* The free memory of ranks may differ.  If one rank needs time steps, all ranks use them. */
static void agree_on_mode(struct kn_run_parts *r)
{
    int64_t first = r->c.time.mode == KN_MODE_UNSTEADY ? r->comm->rank : r->comm->size;
    kn_comm_least(r->comm, &first, 1);
    if (first == r->comm->size || r->comm->size == 1)
        return;
    kn_comm_broadcast(r->comm, (int)first, r->mode, sizeof r->mode);
    r->c.time.mode = KN_MODE_UNSTEADY;
}

/* Resolve time.mode: auto.  A resumed run keeps its mode. */
static void choose_mode(struct kn_run_parts *r)
{
    char new[KN_PATH];
    enum kn_mode mode = KN_MODE_AUTO;
    if (r->c.time.mode == KN_MODE_AUTO && r->options.resume && kn_run_is_first(r)) {
        mode = kn_folder_new(new, r->home) == KN_OK ? mode_in(new) : KN_MODE_AUTO;
        mode = mode == KN_MODE_AUTO ? mode_in(r->home) : mode;
    }
    kn_comm_broadcast(r->comm, 0, &mode, sizeof mode);
    if (mode == KN_MODE_AUTO) {
        kn_mode_choose(&r->c, r->comm, r->mode);
        agree_on_mode(r);
        return;
    }
    r->c.time.mode = mode;
    snprintf(r->mode, sizeof r->mode, "%s (auto: as the run that is resumed)",
             kn_config_choice_name("time.mode", mode));
}

static enum kn_status check_case(struct kn_run_parts *r)
{
    KN_TRY(kn_comm_agree(r->comm, kn_case_check(&r->c)));
    KN_TRY(kn_comm_agree(r->comm, kn_nodes_choose(&r->c)));
    choose_mode(r);
    KN_TRY(plan(r));
    const double room = kn_sim_room(&r->c);
    r->memory_available = isnan(room) ? kn_config_memory_available() : room;
    r->fingerprint = kn_config_fingerprint(&r->c);
    r->chosen = kn_sampling_is_due(&r->c);
    KN_TRY(kn_comm_agree(r->comm, kn_validity_judge_case(&r->validity, &r->c, r->plan.time_step)));
    return kn_comm_agree(r->comm, kn_validity_refuse(&r->validity));
}

/* Results of an earlier run must not be taken for results of this one. */
static enum kn_status remove_summary(const char *folder)
{
    static const char *const stale[] = {"summary.json", "report.html", "picture.png"};
    for (size_t i = 0; i < sizeof stale / sizeof *stale; i++)
        KN_TRY(kn_folder_remove(folder, stale[i]));
    return KN_OK;
}

static enum kn_status print_case(FILE *to, const void *what)
{
    kn_config_print(to, what);
    return KN_OK;
}

/* Write the whole case into the results folder; automatic values remain automatic. */
static enum kn_status write_case(const struct kn_run_parts *r)
{
    char path[KN_PATH];
    struct kn_case c = r->c;
    if (r->chosen)
        c.collision.samples = KN_SAMPLES_AUTO;
    KN_TRY(kn_files_join(path, r->options.folder, KN_FOLDER_CASE));
    return kn_files_write(path, print_case, &c);
}

/* Did the run in a folder stop before its end?  A run without a valid summary did. */
static bool was_stopped(const char *folder)
{
    json_t *summary = NULL;
    const char *outcome = NULL;
    if (kn_summary_read(folder, &summary) == KN_OK)
        outcome = json_string_value(json_object_get(summary, "outcome"));
    const bool stopped =
        !outcome || strcmp(outcome, KN_RUN_INTERRUPTED) == 0 || strcmp(outcome, KN_RUN_WALLTIME) == 0;
    json_decref(summary);
    return stopped;
}

/* Results are not overwritten because --out or --resume was forgotten. */
static enum kn_status refuse_run(const char *folder)
{
    const bool stopped = was_stopped(folder);
    return kn_error_set(
        KN_EINPUT, "'%s' holds %s: --resume %s, --overwrite replaces it, --out DIR writes elsewhere", folder,
        stopped ? "a run that stopped before its end" : "the results of a finished run",
        stopped ? "continues it" : "with a later time.end continues it");
}

/* Choose the folder of the files: that of the user, or the one in it for a run that will replace another.
 * Files of the user are refused here, before the preparations, which may take hours. */
static enum kn_status choose_folder(struct kn_run_parts *r)
{
    char new[KN_PATH];
    KN_TRY(kn_folder_recover(r->home));
    KN_TRY(kn_folder_new(new, r->home));
    bool replaces = r->options.resume ? kn_checkpoint_is_there(new, r->fingerprint) /* of this case */
                                      : kn_folder_holds_run(r->home);
    if (!r->options.resume) {
        if (!r->options.overwrite && (replaces || kn_folder_holds_run(new)))
            return refuse_run(replaces ? r->home : new);
        KN_TRY(kn_folder_check_run(r->home, &r->c));
    }
    if ((size_t)snprintf(r->folder, sizeof r->folder, "%s", replaces ? new : r->home) >= sizeof r->folder)
        return kn_error_set(KN_EIO, "the path '%.60s...' is too long", r->home);
    return KN_OK;
}

/* Rank 0 locks the folder and chooses for all: two runs in one folder would mix their results.  A folder that
 * does not exist has no lock yet. */
static enum kn_status agree_on_folder(struct kn_run_parts *r)
{
    enum kn_status status = KN_OK;
    if (kn_run_is_first(r) && r->lock < 0)
        status = kn_files_lock(r->home, &r->lock);
    if (kn_run_is_first(r) && status == KN_OK)
        status = choose_folder(r);
    KN_TRY(kn_comm_agree(r->comm, status));
    kn_comm_broadcast(r->comm, 0, r->folder, sizeof r->folder);
    r->options.folder = strcmp(r->folder, r->home) != 0 ? r->folder : r->home;
    return KN_OK;
}

/* All rows if output.history is a number; else fewer, which suffices for plots and for the fit of
 * oscillations. */
static struct kn_history_plan plan_history(const struct kn_run_parts *r)
{
    const double longest = kn_duration_shortest_period(&r->c) / KN_DURATION_PERIOD_ROWS; /* between rows */
    struct kn_history_plan plan = {kn_config_history(&r->c), 1};
    if (r->c.output.history != KN_HISTORY_AUTO)
        return plan;
    for (double time = 2 * (double)plan.every * kn_sim_time_step(r->sim);
         time <= longest && plan.levels < KN_HISTORY_LEVELS; time *= 2)
        plan.levels++;
    return plan;
}

bool kn_run_is_over(const struct kn_run_parts *r, double now)
{
    return r->c.run.walltime > 0 && now - r->started >= r->c.run.walltime;
}

/* The time since the latest progress belongs to the preparation that reports now. */
static bool report(struct kn_run_parts *r, enum kn_prepare what, double part, double *seconds)
{
    const double now = omp_get_wtime();
    if (part > 0)
        *seconds += now - r->prepared;
    r->prepared = now;
    kn_progress_prepare(&r->progress, what, part);
    return !kn_signals_stop() && !kn_run_is_over(r, now);
}

static bool report_assembly(void *to, double part)
{
    struct kn_run_parts *r = to;
    return report(r, KN_PREPARE_OPERATOR, part, &r->assemble_s);
}

static bool report_pilot(void *to, double part)
{
    struct kn_run_parts *r = to;
    return report(r, KN_PREPARE_SAMPLES, part, &r->pilot_s);
}

/* Name the cause of a stopped preparation: run.walltime, or a signal to any rank. */
static enum kn_status name_stop(const struct kn_run_parts *r, enum kn_status status)
{
    if (status != KN_EINTERRUPTED || kn_signals_stop() || !kn_run_is_over(r, omp_get_wtime()))
        return status;
    return kn_error_set(KN_EINTERRUPTED, "stopped by run.walltime (%g s) before the first step",
                        r->c.run.walltime);
}

/* Choose automatic values before anything is written.  Pilots are too small for several ranks. */
static enum kn_status choose_samples(struct kn_run_parts *r)
{
    const struct kn_pilot_progress progress = {{.report = report_pilot, .to = r},
                                               {.report = report_assembly, .to = r}};
    enum kn_status status = KN_OK;
    if (!r->chosen)
        return KN_OK;
    if (kn_run_is_first(r))
        status = name_stop(r, kn_pilot_samples_with_progress(&r->c, &progress));
    kn_comm_barrier(r->comm);
    status = kn_comm_agree(r->comm, status);
    kn_comm_broadcast(r->comm, 0, &r->c.collision.samples, sizeof r->c.collision.samples);
    return status == KN_OK ? plan(r) : status;
}

static enum kn_status create(struct kn_run_parts *r)
{
    const struct kn_progress_callback progress = {.report = report_assembly, .to = r};
    KN_TRY(name_stop(r, kn_sim_create_with_progress(&r->sim, &r->c, r->comm, &progress)));
    const int ncells = kn_sim_space(r->sim)->ncells;
    enum kn_status status = kn_monitor_create(&r->monitor, &r->c, kn_sim_space(r->sim), r->comm);
    if (status == KN_OK)
        status = kn_validity_watch_create(&r->gas, &r->c);
    r->monitor.threads = kn_sim_threads(r->sim);
    if (status == KN_OK && kn_sim_is_detached(r->sim) && r->comm->size == 1)
        status = kn_background_create(&r->background);
    r->seen.fields = calloc((size_t)ncells * KN_FIELDS, sizeof *r->seen.fields);
    r->state = calloc((size_t)kn_run_state_size(r), sizeof *r->state);
    const bool oscillates = r->c.time.mode == KN_MODE_FREQUENCY;
    r->amplitude = oscillates ? calloc((size_t)ncells * KN_FIELDS, sizeof *r->amplitude) : NULL;
    r->phase = oscillates ? calloc((size_t)ncells * KN_FIELDS, sizeof *r->phase) : NULL;
    if (status == KN_OK && (!r->seen.fields || !r->state || (oscillates && (!r->amplitude || !r->phase))))
        status = kn_error_set(KN_EMEMORY, "not enough memory for the fields of %d cells", ncells);
    r->tables[KN_RUN_ROWS] =
        (struct kn_share_table){(size_t)kn_sim_nodes(r->sim) * sizeof(float), kn_run_move_rows, r};
    r->tables[KN_RUN_IMAGINARY] =
        (struct kn_share_table){r->tables[KN_RUN_ROWS].bytes, kn_run_move_imaginary, r};
    r->tables[KN_RUN_WATCHED] =
        (struct kn_share_table){KN_MONITOR_CELL * sizeof(double), kn_monitor_move, &r->monitor};
    r->share = (struct kn_share){r->comm, kn_sim_space(r->sim), kn_sim_boxes(r->sim), r->tables};
    return kn_comm_agree(r->comm, status);
}

/* The solver begins with the state of the simulation. */
static enum kn_status create_solver(struct kn_run_parts *r)
{
    const double begun = omp_get_wtime();
    if (!kn_case_iterates(&r->c))
        return KN_OK;
    KN_TRY(kn_steady_create(&r->steady, r->sim));
    if (r->start)
        KN_TRY(kn_steady_continue(r->steady, r->start));
    free(r->start);
    r->start = NULL;
    r->solver_s = omp_get_wtime() - begun;
    return KN_OK;
}

/* The step at which the run ends, counted from the present step: the time step may differ from that before a
 * resume with another time.end. */
static void find_last_step(struct kn_run_parts *r)
{
    double left = (kn_duration_end(&r->c) - kn_sim_time(r->sim)) / kn_sim_time_step(r->sim);
    double steps = fmin(fmax(ceil(left - 1e-6), 0), 9e15);
    r->first = kn_sim_steps(r->sim);
    r->last = r->steady ? KN_STEADY_ITERATIONS : r->first + (int64_t)steps;
    r->at_last = r->steady || kn_duration_is_open(&r->c) ? "limit" : "end time";
    if (r->c.time.max_steps > 0 && (r->steady || r->c.time.max_steps < r->last)) {
        r->last = r->c.time.max_steps;
        r->at_last = "max steps";
    }
}

/* In the middle of an open step there are no results. */
static enum kn_status check_end(const struct kn_run_parts *r, const struct kn_checkpoint *k)
{
    const struct kn_sim_state *state = &k->state;
    const bool past =
        state->step > r->last || state->time > kn_duration_end(&r->c) + kn_sim_time_step(r->sim);
    char place[KN_DURATION_PLACE];
    if (!past && !(state->step == r->last && state->ahead != 0))
        return KN_OK;
    return kn_error_set(KN_EINPUT,
                        "the checkpoint '%s' (%s) is past the end of this case (a later "
                        "time.end or more time.max_steps continues it)",
                        k->path, kn_duration_place(&r->c, state->step, state->time, place));
}

/* The files of a run that is new, or resumed from a checkpoint, by rank 0. */
static enum kn_status open_files(struct kn_run_parts *r, const struct kn_checkpoint *from)
{
    const char *folder = r->options.folder;
    const struct kn_history_plan plan = plan_history(r);
    const struct kn_history_mark mark = {from ? from->state.step : 0, from ? &from->history : NULL};
    if (!from) {
        KN_TRY(kn_folder_drop_new(r->home));
        KN_TRY(kn_files_make_folder(folder));
        if (!kn_run_replaces(r))
            KN_TRY(kn_folder_clear(folder));
    }
    if (!kn_folder_identify(folder, &r->identity)) /* it must remain the same from here on */
        return kn_error_set(KN_EIO, "cannot find the folder '%s'", folder);
    KN_TRY(kn_folder_claim_run(folder, &r->c));
    /* before any change: the history may not fit */
    KN_TRY(kn_history_open(&r->history, folder, &r->monitor, &plan, from ? &mark : NULL));
    KN_TRY(kn_progress_open(&r->progress));
    KN_TRY(write_case(r));
    return from ? remove_summary(folder) : KN_OK; /* an unfinished run has no summary */
}

static void note_resume(struct kn_run_parts *r, const struct kn_checkpoint *k, const char *note)
{
    char place[KN_DURATION_PLACE];
    if (note[0])
        kn_progress_line(&r->progress, KN_STYLE_NOTE, "%s", note);
    kn_progress_line(&r->progress, KN_STYLE_NOTE, "resuming from %s: %s", k->path,
                     kn_duration_place(&r->c, k->state.step, k->state.time, place));
}

static enum kn_status resume_from(struct kn_run_parts *r, const struct kn_checkpoint *k, const char *note)
{
    if (r->chosen) { /* by the run that is resumed */
        r->c.collision.samples = (int)k->state.samples;
        KN_TRY(plan(r));
    }
    KN_TRY(create(r));
    KN_TRY(kn_run_load(r, k));
    KN_TRY(create_solver(r));
    find_last_step(r);
    KN_TRY(check_end(r, k));
    if (kn_run_is_first(r))
        KN_TRY(open_files(r, k));
    note_resume(r, k, note);
    return KN_OK;
}

static enum kn_status begin_resumed(struct kn_run_parts *r)
{
    char note[KN_CHECKPOINT_NOTE] = "";
    struct kn_checkpoint k = {0};
    KN_TRY(agree_on_folder(r));
    enum kn_status status = kn_run_find(r, &k, note);
    if (status == KN_OK)
        status = resume_from(r, &k, note);
    status = kn_comm_agree(r->comm, status);
    kn_checkpoint_free(&k);
    return status;
}

static enum kn_status begin_new(struct kn_run_parts *r)
{
    const bool first = kn_run_is_first(r);
    KN_TRY(agree_on_folder(r));
    KN_TRY(choose_samples(r));
    KN_TRY(kn_comm_agree(r->comm, first ? kn_files_make_folder(r->home) : KN_OK));
    /* A folder that did not exist had no lock: another run may have used it meanwhile. */
    KN_TRY(agree_on_folder(r));
    KN_TRY(create(r));
    KN_TRY(kn_run_from(r)); /* before the folder is changed: it may be the same */
    KN_TRY(kn_comm_agree(r->comm, first ? open_files(r, NULL) : KN_OK));
    if (kn_run_replaces(r))
        kn_progress_line(&r->progress, KN_STYLE_NOTE,
                         "the run in %s is replaced when this one ends; until then its files are in %s",
                         r->home, r->options.folder);
    KN_TRY(create_solver(r));
    find_last_step(r);
    return KN_OK;
}

enum kn_status kn_run_begin(struct kn_run_parts *r)
{
    KN_TRY(check_case(r));
    return r->options.resume ? begin_resumed(r) : begin_new(r);
}
