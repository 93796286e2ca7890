/* Checkpoints of a run: all ranks in one file, written and read by rank 0. */
#include "run/run_parts.h"

#include "collision/sampling.h"
#include "config/config.h"
#include "error.h"
#include "files/files.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Between two observations the gas may have become non-finite; such a state must not replace a good one. */
static enum kn_status check_rows(const struct kn_run_parts *r, int64_t first, int64_t count,
                                 const float *rows)
{
    const int64_t nodes = kn_sim_nodes(r->sim);
    const struct kn_space *space = kn_sim_space(r->sim);
    for (int64_t cell = first; cell < first + count; cell++, rows += nodes) {
        bool finite = true;
        int at[3];
        for (int64_t j = 0; j < nodes; j++)
            finite = finite & (bool)isfinite(rows[j]);
        if (finite)
            continue;
        kn_space_place(space, (int)cell, at);
        return kn_error_set(KN_ENUMERIC,
                            "non-finite h in cell %lld (x %d, y %d, z %d) at step %lld, t = %.6g",
                            (long long)kn_space_number(space, (int)cell), at[0], at[1], at[2],
                            (long long)kn_sim_steps(r->sim), kn_sim_time(r->sim));
    }
    return KN_OK;
}

enum kn_status kn_run_move_rows(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    const struct kn_run_parts *r = of;
    if (in)
        return kn_sim_put_rows(r->sim, first, count, rows);
    KN_TRY(kn_sim_get_rows(r->sim, first, count, rows));
    return check_rows(r, first, count, rows);
}

enum kn_status kn_run_move_imaginary(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    struct kn_run_parts *r = of;
    const size_t nodes = (size_t)kn_sim_nodes(r->sim);
    if (!in) {
        KN_TRY(kn_steady_imaginary(r->steady, first, count, rows));
        return check_rows(r, first, count, rows);
    }
    if (r->start)
        memcpy(r->start + (size_t)first * nodes, rows, (size_t)count * nodes * sizeof *r->start);
    return KN_OK;
}

enum kn_status kn_run_make_start(struct kn_run_parts *r, const struct kn_checkpoint *k)
{
    if (r->c.time.mode != KN_MODE_FREQUENCY || k->nimaginary == 0)
        return KN_OK;
    r->start = calloc((size_t)kn_sim_space(r->sim)->ncells * (size_t)k->nimaginary, sizeof *r->start);
    return r->start ? KN_OK : kn_error_set(KN_EMEMORY, "not enough memory for an imaginary part");
}

static struct kn_checkpoint_source source_of(const struct kn_run_parts *r)
{
    return (struct kn_checkpoint_source){&r->share, KN_RUN_ROWS, KN_RUN_WATCHED, KN_RUN_IMAGINARY};
}

int64_t kn_run_state_size(const struct kn_run_parts *r)
{
    return kn_monitor_state_size(&r->monitor) + KN_VALIDITY_STATE;
}

enum kn_status kn_run_save(struct kn_run_parts *r)
{
    KN_TRY(kn_run_settle(r)); /* a checkpoint has the rows of all steps before it */
    const double begun = omp_get_wtime();
    const struct kn_checkpoint_source source = source_of(r);
    char place[KN_DURATION_PLACE];
    struct kn_checkpoint k = {.state = kn_sim_state(r->sim),
                              .fingerprint = r->fingerprint,
                              .nimaginary = r->amplitude ? kn_sim_nodes(r->sim) : 0,
                              .nwatched = KN_MONITOR_CELL,
                              .nmonitor = kn_run_state_size(r),
                              .monitor = r->state};
    if (r->steady)
        KN_TRY(kn_steady_store(r->steady, true));
    kn_monitor_save(&r->monitor, r->state);
    kn_validity_watch_save(&r->gas, r->state + kn_monitor_state_size(&r->monitor));
    enum kn_status status = kn_run_is_first(r) ? kn_folder_verify(r->options.folder, &r->identity) : KN_OK;
    if (status == KN_OK && kn_run_is_first(r))
        status = kn_history_sync(r->history, &k.history); /* the history is on disk before its checkpoint */
    KN_TRY(kn_comm_agree(r->comm, status));
    KN_TRY(kn_checkpoint_write(r->options.folder, &k, &source));
    r->checkpointed = omp_get_wtime();
    r->output_s += r->checkpointed - begun;
    kn_progress_line(&r->progress, KN_STYLE_LOG, "checkpoint at %s",
                     kn_duration_place(&r->c, k.state.step, k.state.time, place));
    return KN_OK;
}

/* Advice for a run with non-finite values. */
static const char *advice(const struct kn_case *c)
{
    if (c->collision.method == KN_METHOD_MONTE_CARLO && c->collision.update == KN_UPDATE_EXPLICIT)
        return "collision.update: exponential cannot diverge";
    if (kn_case_iterates(c))
        return "time.mode: unsteady, more velocity.nodes or a weaker disturbance may help";
    if (c->disturbance > 0 && c->collision.method == KN_METHOD_OPERATOR)
        return "the gas has left the range of the velocity grid: more velocity.nodes along the flow, a "
               "gas.reference nearer to the coldest or fastest gas, a smaller time.courant, a weaker "
               "disturbance or collision.method: monte-carlo may help";
    if (c->disturbance > 0)
        return "more velocity.nodes, a smaller time.courant or a weaker disturbance may help";
    return "a smaller time.courant may help; linear runs should not do this, please report it";
}

enum kn_status kn_run_name_last(const struct kn_run_parts *r)
{
    char why[KN_RUN_MESSAGE], note[KN_CHECKPOINT_NOTE], place[KN_DURATION_PLACE];
    struct kn_checkpoint k = {0};
    snprintf(why, sizeof why, "%s", kn_error_message());
    if (kn_checkpoint_find(&kn_comm_alone, r->options.folder, r->fingerprint, &k, note) != KN_OK)
        return kn_error_set(KN_ENUMERIC, "%s (%s); there is no checkpoint before it", why, advice(&r->c));
    kn_error_set(KN_ENUMERIC, "%s (%s); last good checkpoint: %s (%s)", why, advice(&r->c), k.path,
                 kn_duration_place(&r->c, k.state.step, k.state.time, place));
    kn_checkpoint_free(&k);
    return KN_ENUMERIC;
}

/* A checkpoint of another case: name the key that differs, if the case in its folder can be read. */
static enum kn_status name_difference(const struct kn_run_parts *r)
{
    char path[KN_PATH], why[KN_RUN_MESSAGE], name[KN_NAME], was[KN_TEXT], is[KN_TEXT];
    struct kn_case before;
    snprintf(why, sizeof why, "%s", kn_error_message());
    kn_case_default(&before);
    if (kn_files_join(path, r->options.folder, KN_FOLDER_CASE) == KN_OK &&
        kn_case_load(&before, path) == KN_OK && kn_config_differ(&before, &r->c, name, was, is))
        return kn_error_set(
            KN_EINPUT,
            "%s: %s, but the run in '%s' has %s (resume with that, replace the run with --overwrite, or "
            "choose another folder with --out)",
            name, is, r->options.folder, was);
    return kn_error_set(KN_EINPUT, "%s", why);
}

enum kn_status kn_run_find(const struct kn_run_parts *r, struct kn_checkpoint *k, char *note)
{
    enum kn_status status = kn_checkpoint_find(r->comm, r->options.folder, r->fingerprint, k, note);
    if (status == KN_EINPUT && kn_run_is_first(r))
        status = name_difference(r);
    if (status == KN_OK && r->chosen && (k->state.samples < 1 || k->state.samples > KN_SAMPLING_MOST))
        status = kn_error_set(KN_EIO, "the checkpoint '%s' is damaged: it has %lld samples", k->path,
                              (long long)k->state.samples);
    return kn_comm_agree(r->comm, status);
}

enum kn_status kn_run_load(struct kn_run_parts *r, const struct kn_checkpoint *k)
{
    const struct kn_checkpoint_source to = source_of(r);
    KN_TRY(kn_sim_restore(r->sim, &k->state));
    KN_TRY(kn_comm_agree(r->comm, kn_run_make_start(r, k)));
    /* before the cells: it decides whether their averages continue */
    KN_TRY(kn_monitor_restore(&r->monitor, k->monitor, k->nmonitor - KN_VALIDITY_STATE));
    KN_TRY(kn_validity_watch_restore(&r->gas, k->monitor + k->nmonitor - KN_VALIDITY_STATE));
    return kn_checkpoint_load(k, &to);
}
