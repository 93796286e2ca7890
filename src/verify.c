#include "verify.h"

#include "coarsen.h"
#include "config.h"
#include "error.h"
#include "io/files.h"
#include "measure.h"
#include "progress.h"
#include "signals.h"
#include "verify_judge.h"
#include "verify_print.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CASES = 256, MESSAGE = 1024 };

static const double ROACHE = 3, ROUNDING = 1e-5;

/* ------------------------------------------------------------- where cases are */

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Beside the folder of the program: in the source, or where both are installed. */
static bool find_beside(char path[KN_PATH])
{
    static const char *const places[] = {"../cases", "../share/knudsen/cases"};
    char beside[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", beside, sizeof beside - 1);
    if (length < 0)
        return false;
    beside[length] = '\0';
    *strrchr(beside, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (kn_files_join(path, beside, places[i]) == KN_OK && is_folder(path))
            return true;
    return false;
}

enum kn_status kn_verify_find_cases(const char *asked, char folder[KN_PATH])
{
    const char *given = asked ? asked : getenv("KNUDSEN_CASES");
    if (!given)
        return find_beside(folder)
                   ? KN_OK
                   : kn_error_set(KN_EINPUT, "no cases beside the program (--cases DIR says where they are)");
    if (!is_folder(given))
        return kn_error_set(KN_EINPUT, "%s is no folder of cases", given);
    if (snprintf(folder, KN_PATH, "%s", given) >= KN_PATH)
        return kn_error_set(KN_EINPUT, "the path of the cases is too long");
    return KN_OK;
}

/* The cases there are, or those that were asked for. */
struct cases {
    char folder[KN_PATH];
    int count;
    char name[CASES][KN_NAME];
};

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool is_case(const char *folder, const char *name)
{
    char whole[KN_PATH], file[KN_PATH];
    return name[0] != '.' && strlen(name) < KN_NAME && kn_files_join(whole, folder, name) == KN_OK &&
           kn_files_join(file, whole, "case.yaml") == KN_OK && access(file, R_OK) == 0;
}

static enum kn_status list_cases(struct cases *all)
{
    DIR *directory = opendir(all->folder);
    if (!directory)
        return kn_error_set(KN_EIO, "%s cannot be read", all->folder);
    for (struct dirent *entry; (entry = readdir(directory)) && all->count < CASES;)
        if (is_case(all->folder, entry->d_name))
            snprintf(all->name[all->count++], KN_NAME, "%.*s", KN_NAME - 1, entry->d_name);
    closedir(directory);
    qsort(all->name, (size_t)all->count, sizeof *all->name, by_name);
    return all->count > 0 ? KN_OK : kn_error_set(KN_EINPUT, "%s holds no case", all->folder);
}

static enum kn_status refuse_name(const struct cases *all, const char *word)
{
    char quoted[KN_NAME + 8];
    kn_config_quote(word, strlen(word), quoted);
    for (int i = 0; i < all->count; i++)
        if (kn_config_is_near(word, all->name[i]))
            return kn_error_set(KN_EINPUT, "verify: unknown case '%s' (did you mean %s?)", quoted,
                                all->name[i]);
    return kn_error_set(KN_EINPUT, "verify: unknown case '%s' (knudsen verify --list names them)", quoted);
}

static enum kn_status choose_cases(struct cases *all, const struct kn_verify_options *o)
{
    char chosen[CASES][KN_NAME];
    for (int i = 0; i < o->nnames; i++) {
        if (i == CASES || !bsearch(o->names[i], all->name, (size_t)all->count, sizeof *all->name, by_name))
            return refuse_name(all, o->names[i]);
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
    struct kn_record run[RUNS];
    bool made[RUNS];
    bool broken; /* a run diverged */
};

static bool hear(void *to, double part)
{
    const struct trial *t = to;
    kn_verify_print_progress(t->name, t->what, part);
    return !kn_signals_stop();
}

static enum kn_status make_run(struct trial *t, const struct kn_case *base, int run)
{
    static const char *const words[RUNS] = {"run", "fewer cells", "fewer velocities"};
    const struct kn_listener listener = {hear, t};
    struct kn_case c = *base;
    t->what = words[run];
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

/* Name, number of checks, and the first line of case.yaml, which says what it is. */
static void print_entry(const struct book *b)
{
    int checks[2] = {0};
    char line[256] = "";
    FILE *file = fopen(b->yaml, "r");
    if (file && !fgets(line, sizeof line, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < b->known.rows; i++)
        for (int full = 0; full < 2; full++)
            checks[full] += is_due(&b->known, &b->known.row[i], full);
    printf("%-20s %3d quick %3d full   %s\n", b->name, checks[0], checks[1],
           line[0] == '#' ? line + 2 : line);
}

/* Every file is read before anything runs: mistakes show at once. */
static enum kn_status check_all(const struct kn_verify_options *o, const struct cases *all,
                                struct book *books)
{
    struct kn_verify_table table = {.json = o->json};
    const double started = kn_progress_clock();
    enum kn_status status = KN_OK;
    for (int i = 0; i < all->count && status == KN_OK; i++)
        status = open_book(&books[i], all->folder, all->name[i]);
    for (int i = 0; i < all->count && status == KN_OK; i++) {
        if (o->list)
            print_entry(&books[i]);
        else
            status = check_case(&table, &books[i], o);
    }
    kn_verify_print_progress(NULL, NULL, 0);
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
    struct cases *all = calloc(1, sizeof *all);
    struct book *books = calloc(CASES, sizeof *books);
    if (!all || !books) {
        free(all);
        free(books);
        return kn_error_set(KN_EMEMORY, "not enough memory");
    }
    enum kn_status status = kn_verify_find_cases(options->cases, all->folder);
    if (status == KN_OK)
        status = list_cases(all);
    if (status == KN_OK)
        status = choose_cases(all, options);
    if (status == KN_OK) {
        kn_signals_catch();
        status = check_all(options, all, books);
        kn_signals_release();
    }
    for (int i = 0; i < CASES; i++)
        kn_reference_destroy(&books[i].known);
    free(books);
    free(all);
    return status;
}
