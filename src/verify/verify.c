#include "verify/verify.h"

#include "config/cases.h"
#include "verify/coarsen.h"
#include "config/config.h"
#include "error.h"
#include "files.h"
#include "verify/measure.h"
#include "run/progress.h"
#include "run/signals.h"
#include "verify/verify_judge.h"
#include "verify/verify_print.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MESSAGE = 1024 };

static const double ROACHE = 3, ROUNDING = 1e-5;

/* --------------------------------------------------------------- which cases */

/* Those that were asked for, where some were. */
static enum kn_status choose_cases(struct kn_cases *all, const struct kn_verify_options *o)
{
    char chosen[KN_CASES][KN_NAME];
    for (int i = 0; i < o->nnames; i++) {
        if (i == KN_CASES || !kn_cases_have(all, o->names[i]))
            return KN_EINPUT;
        snprintf(chosen[i], KN_NAME, "%s", o->names[i]);
    }
    if (o->nnames > 0) {
        all->count = o->nnames;
        memcpy(all->name, chosen, (size_t)o->nnames * sizeof *chosen);
    }
    return KN_OK;
}

/* ---------------------------------------------------------------------- runs */

enum { BASE, COARSE_SPACE, COARSE_VELOCITY, RUNS };

/* A case and one set of its settings, run as often as its errors need. */
struct trial {
    const char *name;
    const char *what;
    struct kn_record *making; /* of the runs below */
    struct kn_record run[RUNS];
    bool made[RUNS];
    bool broken; /* a run diverged */
};

static bool hear(void *to, double part)
{
    const struct trial *t = to;
    const struct kn_verify_progress now = {t->name, t->what, t->making->doing, part};
    kn_verify_print_progress(&now);
    return !kn_signals_stop();
}

static enum kn_status make_run(struct trial *t, const struct kn_case *base, int run)
{
    static const char *const words[RUNS] = {"run", "fewer cells", "fewer velocities"};
    const struct kn_listener listener = {.hear = hear, .to = t};
    struct kn_case c = *base;
    t->what = words[run];
    t->making = &t->run[run];
    if (run == COARSE_SPACE)
        kn_coarsen_space(&c);
    if (run == COARSE_VELOCITY && !kn_coarsen_velocity(&c))
        return kn_error_set(
            KN_EINPUT, "velocity.nodes: too few to tell their error (8 or more along some axis are not)");
    const enum kn_status status = kn_record_make(&t->run[run], &c, &listener);
    t->made[run] = status == KN_OK;
    t->broken = status == KN_ENUMERIC;
    return t->broken ? KN_OK : status;
}

static void destroy_trial(struct trial *t)
{
    for (int i = 0; i < RUNS; i++)
        if (t->made[i])
            kn_record_destroy(&t->run[i]);
}

/* -------------------------------------------------------------------- checks */

static double difference(double a, double b, const char *quantity)
{
    const char *end = strrchr(quantity, '.');
    return end && strcmp(end, ".phase") == 0 ? remainder(a - b, 2 * M_PI) : a - b;
}

/* A value that no run has gives is none: the check fails. */
static enum kn_status fail(struct kn_verify_result *r)
{
    r->value = r->deviation = NAN;
    r->backend = "no machine";
    return KN_OK;
}

static enum kn_status measure(const struct trial *t, struct kn_verify_result *r)
{
    const struct kn_reference_row *row = r->reference;
    struct kn_measure m[RUNS];
    for (int i = 0; i < RUNS; i++) {
        const enum kn_status status =
            t->broken ? KN_ENUMERIC : kn_measure_take(&t->run[i], row->quantity, &m[i]);
        if (status == KN_ENUMERIC)
            return fail(r);
        if (status != KN_OK)
            return status;
        r->seconds += t->run[i].seconds;
    }
    const double factor = ROACHE / (pow(2, t->run[BASE].c.space.order) - 1);
    r->backend = t->run[BASE].backend;
    r->value = m[BASE].value;
    r->space = factor * fabs(difference(m[BASE].value, m[COARSE_SPACE].value, row->quantity));
    r->velocity = ROACHE * fabs(difference(m[BASE].value, m[COARSE_VELOCITY].value, row->quantity));
    r->unsteady = m[BASE].unsteady;
    r->rounding = ROUNDING * fabs(r->value);
    r->statistical = m[BASE].statistical;
    r->deviation = difference(r->value, row->value, row->quantity);
    return KN_OK;
}

static bool is_due(const struct kn_reference *f, const struct kn_reference_row *row, bool full)
{
    return row->check == KN_CHECK_QUICK ? !full || !kn_verify_is_superseded(f, row)
                                        : row->check == KN_CHECK_FULL && full;
}

/* What went wrong, with the line of the file in front. */
static enum kn_status at_line(const char *path, int line, enum kn_status status)
{
    char why[MESSAGE];
    if (status == KN_OK || status == KN_EINTERRUPTED)
        return status;
    snprintf(why, sizeof why, "%s", kn_error_message());
    return kn_error_set(status, "%s:%d: %s", path, line, why);
}

struct book { /* a case and its references */
    const char *name;
    char yaml[KN_PATH], csv[KN_PATH];
    struct kn_reference known;
};

/* All rows from the first that has not been done, with the same settings: what they give. */
static enum kn_status measure_group(const struct trial *t, const struct book *b, int first, bool *done,
                                    bool full, struct kn_verify_result *results, int *count)
{
    const struct kn_reference_row *rows = b->known.row;
    enum kn_status status = KN_OK;
    for (int i = first; i < b->known.rows && status == KN_OK; i++) {
        if (done[i] || !is_due(&b->known, &rows[i], full) ||
            strcmp(rows[i].settings, rows[first].settings) != 0)
            continue;
        done[i] = true;
        results[*count] = (struct kn_verify_result){.name = b->name, .reference = &rows[i]};
        status = at_line(b->csv, rows[i].line, measure(t, &results[(*count)++]));
    }
    return status;
}

static void report_group(struct kn_verify_table *t, struct kn_verify_result *results, int count,
                         const struct kn_verify_options *o)
{
    kn_verify_judge(results, count);
    for (int i = 0; i < count; i++) {
        kn_verify_print_row(t, &results[i]);
        if (o->take)
            o->take(o->to, &results[i]);
    }
}

static enum kn_status check_group(struct kn_verify_table *t, const struct book *b, int first, bool *done,
                                  const struct kn_verify_options *o)
{
    const struct kn_reference_row *row = &b->known.row[first];
    struct kn_verify_result *results = calloc((size_t)b->known.rows, sizeof *results);
    struct trial trial = {.name = b->name};
    struct kn_case c;
    int count = 0;
    if (!results)
        return kn_error_set(KN_EMEMORY, "not enough memory");
    kn_case_default(&c);
    enum kn_status status = kn_case_load(&c, b->yaml);
    if (status == KN_OK)
        status = at_line(b->csv, row->line, kn_reference_apply(&c, row->settings));
    for (int i = 0; i < RUNS && status == KN_OK && !trial.broken; i++)
        status = at_line(b->csv, row->line, make_run(&trial, &c, i));
    if (status == KN_OK)
        status = measure_group(&trial, b, first, done, o->full, results, &count);
    if (status == KN_OK)
        report_group(t, results, count, o);
    destroy_trial(&trial);
    free(results);
    return status;
}

static enum kn_status check_case(struct kn_verify_table *t, const struct book *b,
                                 const struct kn_verify_options *o)
{
    enum kn_status status = KN_OK;
    bool *done = calloc((size_t)b->known.rows + 1, sizeof *done);
    if (!done)
        return kn_error_set(KN_EMEMORY, "not enough memory");
    for (int i = 0; i < b->known.rows && status == KN_OK; i++)
        if (!done[i] && is_due(&b->known, &b->known.row[i], o->full))
            status = check_group(t, b, i, done, o);
    free(done);
    return status;
}

/* ---------------------------------------------------------------------- all */

static enum kn_status open_book(struct book *b, const char *folder, const char *name)
{
    char whole[KN_PATH];
    *b = (struct book){.name = name};
    enum kn_status status = kn_files_join(whole, folder, name);
    if (status == KN_OK)
        status = kn_files_join(b->yaml, whole, "case.yaml");
    if (status == KN_OK)
        status = kn_files_join(b->csv, whole, "reference.csv");
    return status == KN_OK ? kn_reference_read(&b->known, b->csv) : status;
}

static int count_due(const struct book *b, bool full)
{
    int checks = 0;
    for (int i = 0; i < b->known.rows; i++)
        checks += is_due(&b->known, &b->known.row[i], full);
    return checks;
}

/* Name, number of checks, and the first line of case.yaml, which says what it is. */
static void print_entry(const struct book *b)
{
    char line[256] = "";
    FILE *file = fopen(b->yaml, "r");
    if (file && !fgets(line, sizeof line, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    printf("%-20s %3d quick %3d full   %s\n", b->name, count_due(b, false), count_due(b, true),
           line[0] == '#' ? line + 2 : line);
}

/* Every file is read before anything runs: mistakes show at once. */
static enum kn_status check_all(const struct kn_verify_options *o, const struct kn_cases *all,
                                struct book *books)
{
    struct kn_verify_table table = {.json = o->json};
    const double started = kn_progress_clock();
    enum kn_status status = KN_OK;
    for (int i = 0; i < all->count && status == KN_OK; i++)
        if ((status = open_book(&books[i], all->folder, all->name[i])) == KN_OK)
            table.planned += count_due(&books[i], o->full);
    for (int i = 0; i < all->count && status == KN_OK; i++) {
        if (o->list)
            print_entry(&books[i]);
        else
            status = check_case(&table, &books[i], o);
    }
    kn_verify_print_progress(NULL);
    if (status == KN_EINTERRUPTED)
        kn_verify_print_end(&table, kn_progress_clock() - started);
    if (status != KN_OK || o->list)
        return status;
    if (table.checks == 0)
        return kn_error_set(KN_EINPUT, "verify: nothing is compared%s",
                            o->full ? "" : " (--full may have more)");
    kn_verify_print_end(&table, kn_progress_clock() - started);
    return table.failed
               ? kn_error_set(KN_ENUMERIC, "verify: %d of %d checks fail", table.failed, table.checks)
               : KN_OK;
}

enum kn_status kn_verify(const struct kn_verify_options *options)
{
    struct kn_cases *all = calloc(1, sizeof *all);
    struct book *books = calloc(KN_CASES, sizeof *books);
    if (!all || !books) {
        free(all);
        free(books);
        return kn_error_set(KN_EMEMORY, "not enough memory");
    }
    enum kn_status status = kn_cases_find(all, options->cases);
    if (status == KN_OK)
        status = choose_cases(all, options);
    if (status == KN_OK) {
        kn_signals_catch();
        status = check_all(options, all, books);
        kn_signals_release();
    }
    for (int i = 0; i < KN_CASES; i++)
        kn_reference_destroy(&books[i].known);
    free(books);
    free(all);
    return status;
}
