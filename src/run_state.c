/* What of a run can be taken up again: checkpoints of all ranks in one file, written and read by rank 0. */
#include "run_parts.h"

#include "config.h"
#include "error.h"
#include "io/files.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ writing */

/* Between two looks at the gas nobody has seen whether it is still finite; a bad state must not
 * replace a good one. */
static enum kn_status check_rows(const struct kn_run_parts *r, int64_t first, int64_t count,
                                 const float *rows)
{
    const uint32_t exponent = 0x7f800000u;
    const int64_t nodes = kn_sim_nodes(r->sim);
    for (int64_t i = 0; i < count; i++) {
        uint32_t bad = 0;
        for (int64_t j = 0; j < nodes; j++) {
            uint32_t bits;
            memcpy(&bits, rows + i * nodes + j, sizeof bits);
            bad |= (bits & exponent) == exponent;
        }
        if (bad) {
            const int *n = kn_sim_space(r->sim)->whole;
            const long long cell = first + i;
            return kn_error_set(KN_ENUMERIC,
                                "non-finite h in cell %lld (x %lld, y %lld, z %lld) at step %lld, t = %.6g",
                                cell, cell % n[0], cell / n[0] % n[1], cell / n[0] / n[1],
                                (long long)kn_sim_steps(r->sim), kn_sim_time(r->sim));
        }
    }
    return KN_OK;
}

static enum kn_status get_rows(void *of, int64_t first, int64_t count, float *rows)
{
    const struct kn_run_parts *r = of;
    const enum kn_status status = kn_share_get(&r->share, KN_RUN_ROWS, first, count, rows);
    return status == KN_OK ? check_rows(r, first, count, rows) : status;
}

static enum kn_status put_rows(void *of, int64_t first, int64_t count, float *rows)
{
    const struct kn_run_parts *r = of;
    return kn_share_put(&r->share, KN_RUN_ROWS, first, count, rows);
}

enum kn_status kn_run_save(struct kn_run_parts *r)
{
    const double begun = kn_progress_clock();
    struct kn_checkpoint k = {0};
    enum kn_status status = KN_OK;
    kn_sim_describe(r->sim, &k);
    k.fingerprint = r->fingerprint;
    k.nmonitor = kn_monitor_state_size(&r->monitor);
    k.monitor = r->state;
    kn_monitor_save(&r->monitor, r->state);
    if (kn_run_is_first(r))
        status = kn_checkpoint_write(r->options.folder, &k, get_rows, r);
    status = kn_share_finish(&r->share, status);
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

enum kn_status kn_run_name_last(const struct kn_run_parts *r)
{
    char why[KN_RUN_MESSAGE], note[KN_PATH + 256];
    struct kn_checkpoint k = {0};
    snprintf(why, sizeof why, "%s", kn_error_message());
    if (kn_checkpoint_find(r->options.folder, r->fingerprint, &k, note) != KN_OK)
        return kn_error_set(KN_ENUMERIC, "%s (%s); there is no checkpoint before it", why, advice(&r->c));
    kn_error_set(KN_ENUMERIC, "%s (%s); last good checkpoint: %s (step %lld, t = %.6g)", why, advice(&r->c),
                 k.path, (long long)k.step, k.time);
    kn_checkpoint_free(&k);
    return KN_ENUMERIC;
}

/* ------------------------------------------------------------------ reading */

/* A checkpoint of another case: say which key differs, where case.yaml tells. */
static enum kn_status name_difference(const struct kn_run_parts *r)
{
    char path[KN_PATH], why[KN_RUN_MESSAGE], name[KN_NAME], was[KN_TEXT], is[KN_TEXT];
    struct kn_case before;
    snprintf(why, sizeof why, "%s", kn_error_message());
    kn_case_default(&before);
    if (kn_files_join(path, r->options.folder, "case.yaml") == KN_OK &&
        kn_case_load(&before, path) == KN_OK && kn_config_differ(&before, &r->c, name, was, is))
        return kn_error_set(
            KN_EINPUT,
            "%s: %s, but the run in '%s' has %s (resume with that, or run without --resume or "
            "into another folder)",
            name, is, r->options.folder, was);
    return kn_error_set(KN_EINPUT, "%s", why);
}

/* What rank 0 has found, for all. */
static enum kn_status tell_checkpoint(const struct kn_run_parts *r, struct kn_checkpoint *k)
{
    double *monitor = k->monitor;
    kn_comm_broadcast(r->comm, 0, k, sizeof *k);
    k->monitor = kn_run_is_first(r) ? monitor : malloc(((size_t)k->nmonitor + 1) * sizeof *k->monitor);
    const enum kn_status status = kn_comm_agree(
        r->comm, k->monitor || k->nmonitor == 0 ? KN_OK : kn_error_set(KN_EMEMORY, "no memory to resume"));
    if (status == KN_OK)
        kn_comm_broadcast(r->comm, 0, k->monitor, (size_t)k->nmonitor * sizeof *k->monitor);
    return status;
}

enum kn_status kn_run_find(struct kn_run_parts *r, struct kn_checkpoint *k, char note[KN_PATH + 256])
{
    enum kn_status status = KN_OK;
    if (kn_run_is_first(r)) {
        status = kn_checkpoint_find(r->options.folder, r->fingerprint, k, note);
        if (status == KN_EINPUT)
            status = name_difference(r);
    }
    status = kn_comm_agree(r->comm, status);
    return status == KN_OK ? tell_checkpoint(r, k) : status;
}

enum kn_status kn_run_load(struct kn_run_parts *r, const struct kn_checkpoint *k)
{
    enum kn_status status = kn_sim_adopt(r->sim, k); /* fails on all ranks or on none */
    if (status != KN_OK)
        return status;
    if (kn_run_is_first(r))
        status = kn_checkpoint_load(k, put_rows, r);
    status = kn_share_finish(&r->share, status);
    return status == KN_OK ? kn_monitor_restore(&r->monitor, k->monitor, k->nmonitor) : status;
}
