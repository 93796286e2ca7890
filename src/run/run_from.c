/* The initial state from the results of another run: initial.from. */
#include "run/run_parts.h"

#include "config/case.h"
#include "config/config.h"
#include "error.h"
#include "files/files.h"
#include "grid/velocity.h"

#include <string.h>

/* The case of the other run. */
static enum kn_status read_case(const char *folder, struct kn_case *c)
{
    char path[KN_PATH], why[KN_RUN_MESSAGE];
    kn_case_default(c);
    KN_TRY(kn_files_join(path, folder, KN_FOLDER_CASE));
    if (kn_case_load(c, path) == KN_OK && kn_case_check(c) == KN_OK)
        return KN_OK;
    snprintf(why, sizeof why, "%s", kn_error_message());
    return kn_error_set(KN_EINPUT, "initial.from: '%s' holds no run that can be continued (%s)", folder, why);
}

/* True if the rows of h of two grids have the same nodes in the same order. */
static bool is_same(const struct kn_velocity *a, const struct kn_velocity *b)
{
    bool same =
        a->nnodes == b->nnodes && a->octants == b->octants && a->size == b->size && a->stride == b->stride;
    for (int d = 0; d < 3 && same; d++)
        same = a->bit[d] == b->bit[d] && a->half[d] == b->half[d] &&
               kn_velocity_is_reduced(a, d) == kn_velocity_is_reduced(b, d) &&
               memcmp(a->speed[d], b->speed[d], (size_t)a->size * sizeof *a->speed[d]) == 0;
    return same;
}

static enum kn_status compare_nodes(const struct kn_case *c, const struct kn_case *other)
{
    struct kn_velocity a = {0}, b = {0};
    enum kn_status status = kn_velocity_create(&a, c);
    if (status == KN_OK)
        status = kn_velocity_create(&b, other);
    if (status == KN_OK && !is_same(&a, &b))
        status = kn_error_set(KN_EINPUT,
                              "initial.from: '%s' has other velocity nodes (velocity.grid, nodes, fold and "
                              "reduce must have the same effect)",
                              c->initial.from);
    kn_velocity_destroy(&a);
    kn_velocity_destroy(&b);
    return status;
}

/* The rows of h are relative to the gas of the reference. */
static enum kn_status compare_reference(const struct kn_case *c, const struct kn_case *other)
{
    const double *u = c->gas.reference.velocity, *v = other->gas.reference.velocity;
    for (int d = 0; d < 3; d++)
        if (c->disturbance * u[d] != other->disturbance * v[d])
            return kn_error_set(KN_EINPUT, "initial.from: '%s' has another gas.reference.velocity",
                                c->initial.from);
    return KN_OK;
}

/* An oscillation that walls of phase 0 drive has a real part that is even in the frequency, and an imaginary
 * part that is odd, theory (68b).  Other starts would lose a small imaginary part. */
static enum kn_status compare_oscillation(const struct kn_case *c, const struct kn_case *other)
{
    if (c->time.mode != KN_MODE_FREQUENCY)
        return KN_OK;
    if (other->time.mode != KN_MODE_FREQUENCY)
        return kn_error_set(KN_EINPUT, "initial.from: '%s' has no oscillation (time.mode: frequency)",
                            c->initial.from);
    if (!kn_case_is_in_phase(c) || !kn_case_is_in_phase(other))
        return kn_error_set(KN_EINPUT,
                            "initial.from: time.mode: frequency needs oscillation.phase: 0 at all "
                            "walls and bodies, here and in '%s'",
                            c->initial.from);
    return KN_OK;
}

static enum kn_status compare(const struct kn_case *c, const struct kn_case *other)
{
    const int *n = c->space.cells, *m = other->space.cells;
    KN_TRY(compare_oscillation(c, other));
    if (memcmp(n, m, sizeof c->space.cells) != 0)
        return kn_error_set(KN_EINPUT, "initial.from: '%s' has %d x %d x %d cells, this case %d x %d x %d",
                            c->initial.from, m[0], m[1], m[2], n[0], n[1], n[2]);
    KN_TRY(compare_reference(c, other));
    return compare_nodes(c, other);
}

/* Theory (68b). */
static void scale_start(struct kn_run_parts *r, const struct kn_case *other)
{
    const double ratio = kn_case_frequency(&r->c) / kn_case_frequency(other);
    const int64_t count = (int64_t)kn_sim_space(r->sim)->ncells * kn_sim_nodes(r->sim);
    for (int64_t i = 0; r->start && i < count; i++)
        r->start[i] = (float)(ratio * r->start[i]);
}

/* Averages of the other run are not continued. */
static enum kn_status ignore(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    (void)of, (void)in, (void)first, (void)count, (void)rows;
    return KN_OK;
}

/* A message about the checkpoint of the other run; its advice, after a semicolon, is for a run that is
 * resumed. */
static enum kn_status find(struct kn_run_parts *r, const struct kn_case *other, struct kn_checkpoint *k)
{
    char note[KN_CHECKPOINT_NOTE] = "", why[KN_RUN_MESSAGE];
    const enum kn_status status =
        kn_checkpoint_find(r->comm, r->c.initial.from, kn_config_fingerprint(other), k, note);
    snprintf(why, sizeof why, "%s", kn_error_message());
    if (strrchr(why, ';'))
        *strrchr(why, ';') = '\0';
    return status == KN_OK || !kn_run_is_first(r) ? status : kn_error_set(status, "initial.from: %s", why);
}

static enum kn_status load(struct kn_run_parts *r, const struct kn_checkpoint *k)
{
    const struct kn_checkpoint_source to = {&r->share, KN_RUN_ROWS, KN_RUN_IGNORED, KN_RUN_IMAGINARY};
    struct kn_sim_state start = kn_sim_state(r->sim);
    start.ncells = k->state.ncells;
    start.nnodes = k->state.nnodes;
    start.reference = k->state.reference;
    r->tables[KN_RUN_IGNORED] = (struct kn_share_table){(size_t)k->nwatched * sizeof(double), ignore, NULL};
    KN_TRY(kn_sim_restore(r->sim, &start));
    KN_TRY(kn_comm_agree(r->comm, kn_run_make_start(r, k)));
    return kn_checkpoint_load(k, &to);
}

enum kn_status kn_run_from(struct kn_run_parts *r)
{
    struct kn_case other;
    struct kn_checkpoint k = {0};
    enum kn_status status = KN_OK;
    if (!*r->c.initial.from)
        return KN_OK;
    if (kn_run_is_first(r))
        status = read_case(r->c.initial.from, &other);
    status = kn_comm_agree(r->comm, status);
    kn_comm_broadcast(r->comm, 0, &other, sizeof other);
    if (status == KN_OK)
        status = kn_comm_agree(r->comm, compare(&r->c, &other));
    if (status == KN_OK)
        status = find(r, &other, &k);
    if (status == KN_OK)
        status = load(r, &k);
    if (status == KN_OK)
        scale_start(r, &other);
    kn_checkpoint_free(&k);
    if (status == KN_OK)
        kn_progress_line(&r->progress, KN_STYLE_NOTE, "starting from the gas in %s", r->c.initial.from);
    return status;
}
