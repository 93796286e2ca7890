#include "report/report_compare.h"

#include "config/cases.h"
#include "collision/collision.h"
#include "monitor/duration.h"
#include "error.h"
#include "config/flow.h"
#include "verify/measure.h"
#include "verify/measure_text.h"
#include "verify/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REMARK = 512, DELTAS = 8 };

/* ------------------------------------------------------- the run, as measured */

/* History and fields as kn_measure_take wants them.  Of what it uses to tell errors the files have but
 * the scatter of the rows: an earlier look at the fields is the last one. */
static bool fill_history(struct kn_record *r, const struct kn_report_run *run, const struct kn_monitor *m)
{
    const struct kn_history_table *h = run->history;
    const double window = m->window;
    const int clock = kn_history_column(h, "time"), step = kn_history_column(h, "step");
    bool good = m->ncolumns == h->columns;
    for (int i = 0; good && i < h->columns; i++)
        good = strcmp(m->columns[i].name, h->names[i]) == 0;
    r->mean = kn_report_allocate((size_t)h->columns, sizeof *r->mean);
    r->error = kn_report_allocate((size_t)h->columns, sizeof *r->error);
    if (!good || !r->mean || !r->error)
        return false;
    r->ncolumns = m->ncolumns;
    r->columns = m->columns;
    r->rows = h->rows;
    r->history = h->values;
    for (int i = 0; i < h->columns && window >= 0; i++) {
        struct kn_batches b = {.length = 0};
        double count = 0;
        for (int64_t row = 0; row < h->rows; row++)
            if (kn_history_at(h, row, clock) >= window && kn_history_at(h, row, step) > 0) {
                const double value = kn_history_at(h, row, i);
                r->mean[i] += (value - r->mean[i]) / ++count;
                kn_batches_add(&b, value);
            }
        r->averaged = count > 0;
        r->error[i] = kn_collision_is_noisy(run->c) ? kn_batches_error(&b) : 0;
    }
    return true;
}

static void fill_swing(struct kn_record *r)
{
    for (int s = 0; s < KN_SIDES && r->frequency == 0; s++)
        r->frequency = r->c.walls[s].oscillation.frequency;
    if (r->frequency == 0)
        return;
    const double end = r->history[(r->rows - 1) * r->ncolumns + kn_record_column(r, "time")];
    r->window[0] = r->c.output.average >= 0 ? r->c.output.average : fmax(end - 2 * M_PI / r->frequency, 0);
    r->window[1] = end;
}

static bool fill_fields(struct kn_record *r, struct kn_report_gas *g, const struct kn_space *space)
{
    for (int d = 0; d < 3; d++) {
        r->cells[d] = space->cells[d];
        r->edges[d] = space->edges[d];
        if (g->file >= 0 && g->grid.cells[d] != space->cells[d])
            return false;
    }
    r->ncells = space->ncells;
    r->fields = r->before = kn_report_fields_table(g, r->averaged);
    return true;
}

/* ------------------------------------------------------------------ the rows */

struct comparison {
    FILE *to;
    const struct kn_report_run *run;
    struct kn_record record;
    int shown;
    int unsteady;         /* values that a steady flow would have been compared with */
    int elsewhere;        /* that cannot be taken from files */
    int ndeltas;          /* of the same flow at other delta */
    double delta[DELTAS]; /* [ndeltas] */
};

/* Which numbers are those of a steady flow. */
static bool needs_steady(enum kn_measure_kind kind)
{
    return kind == KN_MEASURE_MEAN || kind == KN_MEASURE_POINT || kind == KN_MEASURE_FAR ||
           kind == KN_MEASURE_SLIP;
}

static bool is_swing(enum kn_measure_kind kind)
{
    return kind == KN_MEASURE_AMPLITUDE || kind == KN_MEASURE_PHASE;
}

/* A rate needs the whole length of the reference's run, a swing a period, after which the start is gone. */
static bool is_long_enough(const struct kn_record *r, const struct kn_measure_text *q,
                           const struct kn_case *like)
{
    const double end = r->history[(r->rows - 1) * r->ncolumns + kn_record_column(r, "time")];
    if (is_swing(q->kind))
        return (r->window[1] - r->window[0]) * r->frequency >= 2 * M_PI * 0.99;
    return q->kind != KN_MEASURE_RATE || end >= kn_duration_end(like) * (1 - 1e-6);
}

static bool has_settled(const struct kn_measure_text *q, const struct kn_measure *m)
{
    return !is_swing(q->kind) || m->unsteady <= 0.02 * (q->kind == KN_MEASURE_PHASE ? 1 : fabs(m->value));
}

/* A shock wanders, and averages in a file do not go with it; fields at a place need fields. */
static bool is_in_files(const struct comparison *k, const struct kn_measure_text *q)
{
    const bool shock =
        q->kind == KN_MEASURE_THICKNESS || q->kind == KN_MEASURE_LEAD || q->kind == KN_MEASURE_PROFILE;
    return !shock && (q->field < 0 || k->record.fields);
}

/* The first row comes before anything has passed a wall: a value in time must not be made of it. */
static bool is_resolved(const struct kn_record *r, const struct kn_measure_text *q)
{
    const int clock = kn_record_column(r, "time");
    int64_t after = 0;
    while (after < r->rows && r->history[after * r->ncolumns + clock] < q->time)
        after++;
    return q->kind != KN_MEASURE_VALUE || after >= 3;
}

static void print_row(struct comparison *k, const char *name, const struct kn_reference_row *row,
                      const struct kn_measure_text *q, const struct kn_measure *m)
{
    FILE *to = k->to;
    const bool phase = q->kind == KN_MEASURE_PHASE, noisy = kn_collision_is_noisy(k->run->c);
    const double off = m->value - row->value;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"value", m->value},
                   {"error", noisy && m->statistical == 0 ? NAN : m->statistical}, /* 0: not known */
                   {"reference", row->value},
                   {"uncertainty", row->uncertainty},
                   {"difference", phase ? remainder(off, 2 * M_PI) : off},
                   {"time", q->kind == KN_MEASURE_VALUE ? q->time : NAN},
                   {"sign", q->sign}};
    const struct {
        const char *name, *text;
    } texts[] = {{"case", name},
                 {"quantity", row->quantity},
                 {"source", row->source},
                 {"conditions", row->conditions},
                 {"column", q->kind == KN_MEASURE_VALUE || q->kind == KN_MEASURE_MEAN ? q->name : ""}};
    fputs(k->shown++ ? ", {" : "{", to);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fprintf(to, "\"%s\": ", numbers[i].name);
        kn_report_put_number(to, numbers[i].value);
        fputs(", ", to);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fprintf(to, "\"%s\": ", texts[i].name);
        kn_report_put_text(to, texts[i].text);
        fputs(", ", to);
    }
    fprintf(to, "\"absolute\": %s, \"field\": %d, \"at\": [", phase ? "true" : "false",
            q->kind == KN_MEASURE_POINT ? q->field : -1);
    for (int d = 0; d < q->axes; d++) {
        fputs(d ? ", " : "", to);
        kn_report_put_number(to, q->at[d]);
    }
    fputs("]}", to);
}

static void compare_row(struct comparison *k, const char *name, const struct kn_reference_row *row,
                        const struct kn_case *like)
{
    struct kn_measure_text q;
    struct kn_measure m;
    const struct kn_record *r = &k->record;
    if (kn_measure_parse(&q, row->quantity) != KN_OK)
        return;
    if (needs_steady(q.kind) && !k->run->steady) {
        k->unsteady++;
        return;
    }
    const bool there = is_in_files(k, &q) && is_resolved(r, &q) && is_long_enough(r, &q, like);
    if (there && kn_measure_take(r, row->quantity, &m) == KN_OK && has_settled(&q, &m))
        print_row(k, name, row, &q, &m);
    else
        k->elsewhere++;
}

/* Rows of the same physics that differ in nothing but cells and nodes say the same. */
static bool is_repeated(const struct kn_reference *f, const bool *same, int row)
{
    const struct kn_reference_row *a = &f->row[row];
    for (int i = 0; i < row; i++) {
        const struct kn_reference_row *b = &f->row[i];
        if (same[i] && strcmp(a->quantity, b->quantity) == 0 && a->value == b->value &&
            strcmp(a->source, b->source) == 0)
            return true;
    }
    return false;
}

/* The settings of a row; of one for the reader those of the row whose conditions it only adds to. */
static const char *settings_of(const struct kn_reference *f, const struct kn_reference_row *row)
{
    if (*row->settings || row->check != KN_CHECK_NEVER)
        return row->settings;
    for (int i = 0; i < f->rows; i++) {
        const size_t length = strlen(f->row[i].conditions);
        const char *rest = row->conditions + length;
        if (length > 0 && *f->row[i].settings &&
            strncmp(f->row[i].conditions, row->conditions, length) == 0 && (*rest == '\0' || *rest == ';'))
            return f->row[i].settings;
    }
    return NULL;
}

static void note_delta(struct comparison *k, double delta)
{
    for (int i = 0; i < k->ndeltas; i++)
        if (k->delta[i] == delta)
            return;
    if (k->ndeltas < DELTAS)
        k->delta[k->ndeltas++] = delta;
}

static void compare_case(struct comparison *k, const char *name, const char *yaml,
                         const struct kn_reference *f)
{
    struct kn_case base, like;
    bool *same = kn_report_allocate((size_t)f->rows + 1, sizeof *same);
    kn_case_default(&base);
    const bool good = same && kn_report_succeeded(kn_case_load(&base, yaml));
    for (int i = 0; i < f->rows && good; i++) {
        const char *settings = settings_of(f, &f->row[i]);
        like = base;
        if (!settings || kn_reference_apply(&like, settings) != KN_OK || !kn_flow_is_same(k->run->c, &like))
            continue;
        same[i] = kn_flow_is_as_rare(k->run->c, &like);
        if (!same[i])
            note_delta(k, like.gas.delta);
        else if (!is_repeated(f, same, i))
            compare_row(k, name, &f->row[i], &like);
    }
    free(same);
}

/* False where there are no cases to look through. */
static bool compare_all(struct comparison *k)
{
    char yaml[KN_PATH], folder[KN_PATH], csv[KN_PATH];
    struct kn_cases *all = kn_report_allocate(1, sizeof *all);
    const bool found = all && kn_report_succeeded(kn_cases_find(all, NULL));
    for (int i = 0; found && i < all->count; i++) {
        struct kn_reference f;
        if (kn_cases_path(all, all->name[i], yaml) == KN_OK &&
            kn_files_join(folder, all->folder, all->name[i]) == KN_OK &&
            kn_files_join(csv, folder, "reference.csv") == KN_OK &&
            kn_report_succeeded(kn_reference_read(&f, csv))) {
            compare_case(k, all->name[i], yaml, &f);
            kn_reference_destroy(&f);
        }
    }
    free(all);
    return found;
}

static void print_remark(const struct comparison *k, bool cases)
{
    char text[REMARK] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    if (!to) {
        (void)kn_report_succeeded(KN_EMEMORY);
        return;
    }
    if (!cases)
        fputs("The cases with their reference values are not beside the program (KNUDSEN_CASES says where "
              "they are).",
              to);
    else if (k->unsteady)
        fprintf(to,
                "%d values of the steady flow are known; this run is not known to be steady and is not "
                "compared with them.",
                k->unsteady);
    else if (!k->shown && !k->elsewhere && k->ndeltas) {
        fputs("Values are known for this flow at delta", to);
        for (int i = 0; i < k->ndeltas; i++)
            fprintf(to, "%s %g", i ? "," : "", k->delta[i]);
        fprintf(to, ", not at the delta of this run, %g.", k->run->c->gas.delta);
    } else if (!k->shown && !k->elsewhere)
        fputs("None of the cases with reference values has the conditions of this run.", to);
    if (k->elsewhere)
        fprintf(to,
                "%s%d more %s what the files of this run do not hold, or not finely enough; knudsen verify "
                "compares %s.",
                k->unsteady ? " " : "", k->elsewhere, k->elsewhere > 1 ? "values need" : "value needs",
                k->elsewhere > 1 ? "them" : "it");
    fclose(to);
    text[REMARK - 1] = '\0';
    kn_report_put_text(k->to, text);
}

void kn_report_compare_print(FILE *to, const struct kn_report_run *run)
{
    struct comparison k = {.to = to, .run = run, .record = {.c = *run->c, .step = run->time_step}};
    struct kn_space space = {.ncells = 0};
    struct kn_monitor monitor = {.ncolumns = 0};
    bool cases = false,
         good = run->history->rows > 0 && kn_report_succeeded(kn_space_create(&space, run->c, NULL));
    fputs("{\"rows\": [", to);
    good = good && kn_report_succeeded(kn_monitor_create(&monitor, run->c, &space, &kn_comm_alone)) &&
           fill_history(&k.record, run, &monitor) && fill_fields(&k.record, run->gas, &space);
    if (good) {
        fill_swing(&k.record);
        cases = compare_all(&k);
    }
    fputs("], \"remark\": ", to);
    if (good)
        print_remark(&k, cases);
    else
        kn_report_put_text(to, "The files of the run do not fit its case, and are not compared.");
    fputc('}', to);
    free(k.record.fields);
    free(k.record.mean);
    free(k.record.error);
    kn_monitor_destroy(&monitor);
    kn_space_destroy(&space);
}
