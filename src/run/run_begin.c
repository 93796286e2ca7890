/* How a run begins: the case is checked, what was left to the program is chosen, the simulation made, the
 * folder prepared. */
#include "run/run_parts.h"

#include "config/config.h"
#include "monitor/duration.h"
#include "error.h"
#include "files.h"
#include "run/pilot.h"
#include "collision/sampling.h"
#include "run/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -------------------------------------------------------------------- the case */

/* Ranks of one computer share its memory. */
static enum kn_status plan(struct kn_run_parts *r)
{
    enum kn_status status = kn_sim_plan(&r->c, r->comm, &r->plan);
    if (status == KN_OK)
        status = kn_config_check_memory(r->comm->local_size * (r->plan.memory_bytes - r->plan.device_bytes));
    return kn_comm_agree(r->comm, status);
}

static enum kn_status check_case(struct kn_run_parts *r)
{
    enum kn_status status = kn_comm_agree(r->comm, kn_case_check(&r->c));
    if (status == KN_OK)
        status = plan(r);
    const double room = status == KN_OK ? kn_sim_room(&r->c) : NAN;
    r->memory_available = isnan(room) ? kn_config_memory_available() : room;
    r->fingerprint = kn_config_fingerprint(&r->c);
    r->chosen = kn_sampling_is_due(&r->c);
    if (status == KN_OK)
        status = kn_comm_agree(r->comm, kn_validity_judge_case(&r->validity, &r->c, r->plan.time_step));
    return status == KN_OK ? kn_comm_agree(r->comm, kn_validity_refuse(&r->validity)) : status;
}

/* ------------------------------------------------------------------ the folder */

/* What an earlier run left, or was made of it, would be taken for results of this one. */
static enum kn_status remove_summary(const char *folder)
{
    static const char *const stale[] = {"summary.json", "report.html", "picture.png"};
    enum kn_status status = KN_OK;
    for (size_t i = 0; i < sizeof stale / sizeof *stale && status == KN_OK; i++)
        status = kn_folder_remove(folder, stale[i]);
    return status;
}

static void print_case(FILE *to, const void *what)
{
    kn_config_print(to, what);
}

/* The whole case beside its results, with what was left to the program still left to it. */
static enum kn_status write_case(const struct kn_run_parts *r)
{
    char path[KN_PATH];
    struct kn_case c = r->c;
    if (r->chosen)
        c.collision.samples = KN_SAMPLES_AUTO;
    enum kn_status status = kn_files_join(path, r->options.folder, KN_FOLDER_CASE);
    return status == KN_OK ? kn_files_write_text(path, print_case, &c) : status;
}

/* Did the run whose summary this is stop before its end? */
static bool was_stopped(const char *folder)
{
    char path[KN_PATH], line[256];
    bool stopped = false;
    FILE *summary = NULL;
    if (kn_files_join(path, folder, "summary.json") != KN_OK || kn_files_open(&summary, path) != KN_OK ||
        !summary)
        return true;
    while (!stopped && fgets(line, sizeof line, summary))
        stopped = strstr(line, "\"outcome\"") &&
                  (strstr(line, KN_RUN_INTERRUPTED) || strstr(line, KN_RUN_WALLTIME));
    fclose(summary);
    return stopped;
}

/* Nothing is thrown away because --out or --resume was forgotten. */
static enum kn_status refuse_run(const char *folder)
{
    const bool stopped = was_stopped(folder);
    return kn_error_set(
        KN_EINPUT, "'%s' holds %s: --resume %s, --overwrite replaces it, --out DIR writes elsewhere", folder,
        stopped ? "a run that stopped before its end" : "the results of a finished run",
        stopped ? "continues it" : "with a later time.end continues it");
}

/* Where the files of a new run go: into the folder, or, where that holds an earlier run, into one in it.
 * Files of the user are refused here, before hours are spent on preparations. */
static enum kn_status choose_folder(struct kn_run_parts *r)
{
    char new[KN_PATH];
    const bool holds = kn_folder_holds_run(r->home);
    enum kn_status status = kn_folder_new(new, r->home);
    if (status == KN_OK && holds && !r->options.overwrite)
        return refuse_run(r->home);
    if (status == KN_OK && !r->options.overwrite && kn_folder_holds_run(new))
        return refuse_run(new);
    if (status == KN_OK)
        status = kn_folder_check_run(r->home, &r->c);
    if (status == KN_OK &&
        (size_t)snprintf(r->folder, sizeof r->folder, "%s", holds ? new : r->home) >= sizeof r->folder)
        status = kn_error_set(KN_EIO, "the path '%.60s...' is too long", r->home);
    return status;
}

/* What is resumed: the run that is to replace an earlier one, if it is of this case, else that in the folder.
 */
static enum kn_status find_folder(struct kn_run_parts *r)
{
    char new[KN_PATH];
    enum kn_status status = kn_folder_new(new, r->home);
    const bool replaces = status == KN_OK && kn_checkpoint_is_there(new, r->fingerprint);
    if (status == KN_OK &&
        (size_t)snprintf(r->folder, sizeof r->folder, "%s", replaces ? new : r->home) >= sizeof r->folder)
        status = kn_error_set(KN_EIO, "the path '%.60s...' is too long", r->home);
    return status;
}

/* Rank 0 chooses, for all. */
static enum kn_status agree_on_folder(struct kn_run_parts *r, enum kn_status (*choose)(struct kn_run_parts *))
{
    enum kn_status status = KN_OK;
    if (kn_run_is_first(r))
        status = kn_folder_recover(r->home);
    if (status == KN_OK && kn_run_is_first(r))
        status = choose(r);
    status = kn_comm_agree(r->comm, status);
    kn_comm_broadcast(r->comm, 0, r->folder, sizeof r->folder);
    if (status == KN_OK)
        r->options.folder = strcmp(r->folder, r->home) != 0 ? r->folder : r->home;
    return status;
}

/* The folder of the files is there from here on, and stays this one. */
static enum kn_status hold_folder(struct kn_run_parts *r)
{
    if (kn_folder_identify(r->options.folder, &r->identity))
        return kn_folder_claim_run(r->options.folder, &r->c);
    return kn_error_set(KN_EIO, "cannot find the folder '%s'", r->options.folder);
}

/* Every row that output.history names; or fewer, which is enough for plots, and for the fit to what walls
 * that oscillate do. */
static struct kn_history_plan plan_history(const struct kn_run_parts *r)
{
    const double rows_of_period = 32;
    struct kn_history_plan plan = {kn_config_history(&r->c), 1};
    double longest = INFINITY; /* time between rows */
    if (r->c.output.history != KN_HISTORY_AUTO)
        return plan;
    for (int side = 0; side < KN_SIDES; side++)
        if (r->c.walls[side].oscillation.frequency > 0)
            longest = fmin(longest, 2 * M_PI / r->c.walls[side].oscillation.frequency / rows_of_period);
    for (double time = 2 * (double)plan.every * kn_sim_time_step(r->sim);
         time <= longest && plan.levels < KN_HISTORY_LEVELS; time *= 2)
        plan.levels++;
    return plan;
}

/* Two runs that write into one folder would mix their results; one that is not there is nobody's yet. */
static enum kn_status lock_folder(struct kn_run_parts *r)
{
    const bool free = kn_run_is_first(r) && r->lock < 0;
    return kn_comm_agree(r->comm, free ? kn_files_lock(r->home, &r->lock) : KN_OK);
}

/* ------------------------------------------------------------- preparations */

bool kn_run_is_over(const struct kn_run_parts *r, double now)
{
    return r->c.run.walltime > 0 && now - r->started >= r->c.run.walltime;
}

/* Time since somebody was heard last goes to the one who is heard now. */
static bool hear(struct kn_run_parts *r, enum kn_prepare what, double part, double *seconds)
{
    const double now = kn_progress_clock();
    if (part > 0)
        *seconds += now - r->heard;
    r->heard = now;
    kn_progress_prepare(&r->progress, what, part);
    return !kn_signals_stop() && !kn_run_is_over(r, now);
}

static bool hear_assembly(void *to, double part)
{
    struct kn_run_parts *r = to;
    return hear(r, KN_PREPARE_OPERATOR, part, &r->assemble_s);
}

static bool hear_pilot(void *to, double part)
{
    struct kn_run_parts *r = to;
    return hear(r, KN_PREPARE_SAMPLES, part, &r->pilot_s);
}

/* A preparation that was stopped knows not by whom; a signal may have come to another rank. */
static enum kn_status name_stop(const struct kn_run_parts *r, enum kn_status status)
{
    if (status != KN_EINTERRUPTED || kn_signals_stop() || !kn_run_is_over(r, kn_progress_clock()))
        return status;
    return kn_error_set(KN_EINTERRUPTED, "stopped by run.walltime (%g s) before the first step",
                        r->c.run.walltime);
}

/* What was left to the program, before anything is written.  A pilot is too small for several ranks. */
static enum kn_status choose_samples(struct kn_run_parts *r)
{
    const struct kn_pilot_listeners listeners = {{.hear = hear_pilot, .to = r},
                                                 {.hear = hear_assembly, .to = r}};
    enum kn_status status = KN_OK;
    if (!r->chosen)
        return KN_OK;
    if (kn_run_is_first(r))
        status = name_stop(r, kn_pilot_samples_heard(&r->c, &listeners));
    kn_comm_barrier(r->comm);
    status = kn_comm_agree(r->comm, status);
    kn_comm_broadcast(r->comm, 0, &r->c.collision.samples, sizeof r->c.collision.samples);
    return status == KN_OK ? plan(r) : status;
}

/* ------------------------------------------------------------- the simulation */

/* What can be asked for by number of cell. */
static void lay_tables(struct kn_run_parts *r)
{
    r->tables[KN_RUN_ROWS] =
        (struct kn_share_table){(size_t)kn_sim_nodes(r->sim) * sizeof(float), kn_run_move_rows, r};
    r->tables[KN_RUN_WATCHED] =
        (struct kn_share_table){KN_MONITOR_CELL * sizeof(double), kn_monitor_move, &r->monitor};
    r->share = (struct kn_share){r->comm, kn_sim_space(r->sim), kn_sim_boxes(r->sim), r->tables};
}

static enum kn_status create(struct kn_run_parts *r)
{
    const struct kn_listener listener = {.hear = hear_assembly, .to = r};
    enum kn_status status = name_stop(r, kn_sim_create_heard(&r->sim, &r->c, r->comm, &listener));
    if (status != KN_OK)
        return status;
    const int ncells = kn_sim_space(r->sim)->ncells;
    status = kn_monitor_create(&r->monitor, &r->c, kn_sim_space(r->sim), r->comm);
    if (status == KN_OK)
        status = kn_validity_watch_create(&r->gas, &r->c);
    r->fields = calloc((size_t)ncells * KN_FIELDS, sizeof *r->fields);
    r->state = calloc((size_t)kn_run_state_size(r), sizeof *r->state);
    if (status == KN_OK && (!r->fields || !r->state))
        status = kn_error_set(KN_EMEMORY, "not enough memory for the fields of %d cells", ncells);
    lay_tables(r);
    return kn_comm_agree(r->comm, status);
}

/* The step at which the run ends, counted from where it stands: dt may differ
 * from that of the steps before a resume when time.end was moved. */
static void find_last_step(struct kn_run_parts *r)
{
    double left = (kn_duration_end(&r->c) - kn_sim_time(r->sim)) / kn_sim_time_step(r->sim);
    double steps = fmin(fmax(ceil(left - 1e-6), 0), 9e15);
    r->first = kn_sim_steps(r->sim);
    r->last = r->first + (int64_t)steps;
    r->at_last = kn_duration_is_open(&r->c) ? "limit" : "end time";
    if (r->c.time.max_steps > 0 && r->c.time.max_steps < r->last) {
        r->last = r->c.time.max_steps;
        r->at_last = "max steps";
    }
}

/* ------------------------------------------------------- taken up again, or new */

static enum kn_status check_end(const struct kn_run_parts *r, const struct kn_checkpoint *k)
{
    const bool past = k->step > r->last || k->time > kn_duration_end(&r->c) + kn_sim_time_step(r->sim);
    if (past ||
        (k->step == r->last && k->ahead != 0)) { /* half-way through a step there is nothing to look at */
        char time[KN_UNITS_TEXT];
        return kn_error_set(
            KN_EINPUT,
            "the checkpoint '%s' (step %lld, t = %s) is past the end of this case (a later time.end "
            "or more time.max_steps goes on from it)",
            k->path, (long long)k->step, kn_run_time(r, k->time, time));
    }
    return KN_OK;
}

/* Files of a run that goes on, by rank 0. */
static enum kn_status open_resumed(struct kn_run_parts *r, const struct kn_checkpoint *k, const char *note)
{
    char time[KN_UNITS_TEXT];
    const struct kn_history_plan plan = plan_history(r);
    const struct kn_history_mark mark = {k->step, &k->history};
    enum kn_status status = hold_folder(r);
    if (status == KN_OK) /* before anything is changed: it may not fit */
        status = kn_history_open(&r->history, r->options.folder, &r->monitor, &plan, &mark);
    if (status == KN_OK)
        status = kn_progress_open(&r->progress);
    if (status != KN_OK)
        return status;
    if (note[0])
        kn_progress_note(&r->progress, "%s", note);
    kn_progress_note(&r->progress, "resuming from %s: step %lld, t = %s", k->path, (long long)k->step,
                     kn_run_time(r, k->time, time));
    status = write_case(r);
    /* until the end a folder without a summary holds an unfinished run */
    return status == KN_OK ? remove_summary(r->options.folder) : status;
}

static enum kn_status begin_resumed(struct kn_run_parts *r)
{
    char note[KN_CHECKPOINT_NOTE] = "";
    struct kn_checkpoint k = {0};
    enum kn_status status = lock_folder(r);
    if (status == KN_OK)
        status = agree_on_folder(r, find_folder);
    if (status == KN_OK)
        status = kn_run_find(r, &k, note);
    if (status == KN_OK && r->chosen) { /* by the run that goes on */
        r->c.collision.samples = (int)k.samples;
        status = plan(r);
    }
    if (status == KN_OK)
        status = create(r);
    if (status == KN_OK)
        status = kn_run_load(r, &k);
    if (status == KN_OK) {
        find_last_step(r);
        status = check_end(r, &k);
    }
    if (status == KN_OK && kn_run_is_first(r))
        status = open_resumed(r, &k, note);
    status = kn_comm_agree(r->comm, status);
    kn_checkpoint_free(&k);
    return status;
}

/* Files of a run that is new, by rank 0. */
static enum kn_status open_fresh(struct kn_run_parts *r)
{
    const struct kn_history_plan plan = plan_history(r);
    enum kn_status status = kn_folder_drop_new(r->home);
    if (status == KN_OK)
        status = kn_files_make_folder(r->options.folder);
    if (status == KN_OK && !kn_run_replaces(r))
        status = kn_folder_clear(r->options.folder);
    if (status == KN_OK)
        status = hold_folder(r);
    if (status == KN_OK)
        status = write_case(r);
    if (status == KN_OK)
        status = kn_progress_open(&r->progress);
    if (status == KN_OK)
        status = kn_history_open(&r->history, r->options.folder, &r->monitor, &plan, NULL);
    if (status == KN_OK && kn_run_replaces(r))
        kn_progress_note(&r->progress,
                         "the run in %s is replaced when this one ends; until then its files are in %s",
                         r->home, r->options.folder);
    return status;
}

static enum kn_status begin_fresh(struct kn_run_parts *r)
{
    const bool first = kn_run_is_first(r);
    enum kn_status status = lock_folder(r);
    if (status == KN_OK)
        status = agree_on_folder(r, choose_folder);
    if (status == KN_OK)
        status = choose_samples(r);
    if (status == KN_OK)
        status = kn_comm_agree(r->comm, first ? kn_files_make_folder(r->home) : KN_OK);
    if (status == KN_OK)
        status = lock_folder(r);
    /* A folder that did not exist had no lock: another run may have used it meanwhile. */
    if (status == KN_OK)
        status = agree_on_folder(r, choose_folder);
    if (status == KN_OK)
        status = create(r);
    if (status == KN_OK)
        status = kn_comm_agree(r->comm, first ? open_fresh(r) : KN_OK);
    if (status == KN_OK)
        find_last_step(r);
    return status;
}

enum kn_status kn_run_begin(struct kn_run_parts *r)
{
    const enum kn_status status = check_case(r);
    if (status != KN_OK)
        return status;
    return r->options.resume ? begin_resumed(r) : begin_fresh(r);
}
