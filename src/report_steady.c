#include "report_steady.h"

#include "batches.h"
#include "collision.h"
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What counts as no change, relative: a thousandth; ten times that where the residual has ended the run, for
 * its limit is then the measure that the user has chosen.  Noise counts three times; where it hides changes
 * of a twentieth nothing can be said. */
static const double QUIET = 1e-3, QUIET_RESIDUAL = 1e-2, SIGMAS = 3, DEAF = 0.05, RESIDUAL = 1e-4;
static const double SMALL = 0.05; /* walls whose part is less, of the largest, are not watched */
enum { LEAST = 3 };               /* rows that an eighth needs */

struct span { /* rows [first, end) */
    int64_t first, middle, end;
};

static struct span last_quarter(const struct kn_history_table *h)
{
    const int clock = kn_history_column(h, "time");
    struct span s = {.end = h->rows};
    const double end = kn_history_at(h, h->rows - 1, clock);
    while (s.first < h->rows && kn_history_at(h, s.first, clock) < 0.75 * end)
        s.first++;
    for (s.middle = s.first; s.middle < h->rows && kn_history_at(h, s.middle, clock) < 0.875 * end;)
        s.middle++;
    return s;
}

static double mean(const struct kn_history_table *h, int column, int64_t first, int64_t end)
{
    double sum = 0;
    for (int64_t i = first; i < end; i++)
        sum += kn_history_at(h, i, column);
    return sum / (double)(end - first);
}

/* Of the difference of the means of two halves: twice that of the mean of all.  A straight line is taken off
 * first, for a drift is what is looked for and no noise.  Where the rows are too few their scatter stands for
 * the error, as if each told the same. */
static double change_error(const struct kn_history_table *h, int column, const struct span *s)
{
    const int64_t n = s->end - s->first;
    struct kn_batches b = {.length = 0};
    double line[2] = {0, 0}, square = 0, *x = kn_report_allocate(2 * (size_t)n, sizeof *x);
    for (int64_t i = 0; x && i < n; i++) {
        x[i] = (double)i / (double)n;
        x[n + i] = kn_history_at(h, s->first + i, column);
    }
    if (!x || !kn_fit_line(x, x + n, (int)n, line))
        line[0] = line[1] = 0;
    for (int64_t i = 0; i < n; i++) {
        const double off = kn_history_at(h, s->first + i, column) - line[0] - line[1] * (double)i / (double)n;
        kn_batches_add(&b, off);
        square += off * off;
    }
    free(x);
    const double error = kn_batches_error(&b);
    return 2 * (isfinite(error) ? error : sqrt(square / (double)n));
}

static void watch(struct kn_report_steady *s, const struct kn_history_table *h, int column,
                  const struct span *span, bool noisy)
{
    if (column < 0 || s->watched == KN_REPORT_WATCHED)
        return;
    const double before = mean(h, column, span->first, span->middle),
                 after = mean(h, column, span->middle, span->end);
    if (!isfinite(before + after))
        return;
    s->watch[s->watched].column = column;
    s->watch[s->watched].value = after;
    s->watch[s->watched].change = after - before;
    s->watch[s->watched++].error = noisy ? change_error(h, column, span) : 0;
}

static double largest(const struct kn_history_table *h, int column)
{
    double most = 0;
    for (int64_t i = 0; i < h->rows; i++)
        most = fmax(most, fabs(kn_history_at(h, i, column)));
    return most;
}

/* A gas without walls and flow has the averages of its fields; those that have died away stay out. */
static void choose_averages(struct kn_report_steady *s, const struct kn_history_table *h,
                            const struct span *span, bool noisy)
{
    double most = 0;
    for (int i = 0; i < h->columns; i++)
        if (strncmp(h->names[i], "average.", 8) == 0)
            most = fmax(most, largest(h, i));
    for (int i = 0; i < h->columns && most > 0; i++)
        if (strncmp(h->names[i], "average.", 8) == 0 &&
            fabs(mean(h, i, span->first, span->end)) >= QUIET * most)
            watch(s, h, i, span, noisy);
}

static bool is_of_wall(const char *name)
{
    return strstr(name, ".stress_") || strstr(name, ".heat_flux");
}

/* The numbers of the flow, and what is largest at the walls. */
static void choose(struct kn_report_steady *s, const struct kn_history_table *h, const struct span *span,
                   bool noisy)
{
    static const char *const flow[] = {"D", "G", "G_P", "G_T"};
    double most = 0;
    for (size_t i = 0; i < sizeof flow / sizeof *flow; i++)
        watch(s, h, kn_history_column(h, flow[i]), span, noisy);
    for (int i = 0; i < h->columns; i++)
        if (is_of_wall(h->names[i]))
            most = fmax(most, fabs(mean(h, i, span->first, span->end)));
    for (int i = 0; i < h->columns && most > 0; i++)
        if (is_of_wall(h->names[i]) && fabs(mean(h, i, span->first, span->end)) >= SMALL * most)
            watch(s, h, i, span, noisy);
    if (s->watched == 0)
        choose_averages(s, h, span, noisy);
}

static bool swings(const struct kn_case *c)
{
    for (int side = 0; c && side < KN_SIDES; side++)
        if (c->walls[side].oscillation.frequency > 0)
            return true;
    return false;
}

/* No wall and no flow to watch: how fast the gas changes itself. */
static void judge_residual(struct kn_report_steady *s, const struct kn_history_table *h,
                           const struct kn_case *c)
{
    const int column = kn_history_column(h, "residual");
    s->limit = c && c->time.residual > 0 ? c->time.residual : RESIDUAL;
    s->residual = column < 0 ? NAN : kn_history_at(h, h->rows - 1, column);
    s->verdict = isnan(s->residual)       ? KN_REPORT_UNCLEAR
                 : s->residual < s->limit ? KN_REPORT_STEADY
                                          : KN_REPORT_CHANGING;
    snprintf(s->sentence, sizeof s->sentence, "%s",
             isnan(s->residual)
                 ? "The history has nothing that could tell."
                 : "The residual, by which part of itself the gas changes in a unit of time, is "
                   "{residual}; below {limit} the gas would count as steady.");
}

/* The first number of the flow, else the largest at a wall. */
static int headline(const struct kn_report_steady *s, const struct kn_history_table *h)
{
    int head = 0;
    for (int i = 1; i < s->watched && is_of_wall(h->names[s->watch[0].column]); i++)
        head = fabs(s->watch[i].value) > fabs(s->watch[head].value) ? i : head;
    return head;
}

/* By how much, relative to its size, a number has changed for sure; and how much noise might hide. */
static double sure_change(const struct kn_report_steady *s, int i)
{
    return (fabs(s->watch[i].change) - SIGMAS * s->watch[i].error) / fmax(fabs(s->watch[i].value), 1e-300);
}

static double noise(const struct kn_report_steady *s, int i)
{
    return SIGMAS * s->watch[i].error / fmax(fabs(s->watch[i].value), 1e-300);
}

static void judge_changes(struct kn_report_steady *s, const struct kn_history_table *h, double quiet)
{
    const int head = headline(s, h);
    const double loudest = noise(s, head);
    int worst = head;
    for (int i = 0; i < s->watched; i++)
        worst = sure_change(s, i) > sure_change(s, worst) ? i : worst;
    const double most = sure_change(s, worst);
    worst = most > quiet ? worst : head;
    const char *name = h->names[s->watch[worst].column];
    const double percent = 100 * fabs(s->watch[worst].change / s->watch[worst].value);
    s->verdict = most > quiet ? KN_REPORT_CHANGING : loudest > DEAF ? KN_REPORT_UNCLEAR : KN_REPORT_STEADY;
    if (s->verdict == KN_REPORT_UNCLEAR)
        snprintf(s->sentence, sizeof s->sentence,
                 "The noise of %s hides changes of up to %.2g %%; a longer run, or more samples, would tell.",
                 h->names[s->watch[head].column], 100 * loudest);
    else if (s->watch[worst].error > 0)
        snprintf(
            s->sentence, sizeof s->sentence,
            "Over the last eighth of the run %s changed by %.2g %%, with a statistical error of %.2g %%.",
            name, percent, 100 * fabs(s->watch[worst].error / s->watch[worst].value));
    else
        snprintf(s->sentence, sizeof s->sentence, "Over the last eighth of the run %s changed by %.2g %%.",
                 name, percent);
}

/* What time.residual has to say besides. */
static void add_residual(struct kn_report_steady *s, const struct kn_case *c, bool reached, bool noisy)
{
    const size_t length = strlen(s->sentence);
    if (!c || !(c->time.residual > 0) || s->watched == 0)
        return;
    s->limit = c->time.residual;
    snprintf(s->sentence + length, sizeof s->sentence - length, " The residual %s.",
             reached ? "fell below time.residual = {limit}"
             : noisy ? "stayed above time.residual = {limit}, as noise alone may keep it"
                     : "did not fall below time.residual = {limit}");
}

void kn_report_steady_judge(struct kn_report_steady *s, const struct kn_history_table *h,
                            const struct kn_case *c, const char *outcome)
{
    const bool reached = strcmp(outcome, "residual") == 0, noisy = !c || kn_collision_is_noisy(c);
    *s = (struct kn_report_steady){.verdict = KN_REPORT_UNCLEAR, .residual = NAN, .limit = NAN};
    snprintf(s->sentence, sizeof s->sentence, "The history has too few rows to tell.");
    if (h->rows == 0)
        return;
    const struct span span = last_quarter(h);
    s->from = kn_history_at(h, span.first, kn_history_column(h, "time"));
    if (swings(c)) {
        s->verdict = KN_REPORT_PERIODIC;
        snprintf(s->sentence, sizeof s->sentence,
                 "A wall swings: the flow goes on changing, and is not judged.");
        return;
    }
    if (span.middle - span.first < LEAST || span.end - span.middle < LEAST)
        return;
    choose(s, h, &span, noisy);
    if (s->watched == 0)
        judge_residual(s, h, c);
    else
        judge_changes(s, h, reached ? QUIET_RESIDUAL : QUIET);
    add_residual(s, c, reached, noisy);
}

void kn_report_steady_print(FILE *to, const struct kn_report_steady *s, const struct kn_history_table *h)
{
    static const char *const words[] = {"steady", "not steady", "periodic", "not clear"};
    fprintf(to, "{\"verdict\": \"%s\", \"sentence\": ", words[s->verdict]);
    kn_report_put_text(to, s->sentence);
    fputs(", \"residual\": ", to);
    kn_report_put_number(to, s->residual);
    fputs(", \"limit\": ", to);
    kn_report_put_number(to, s->limit);
    fputs(", \"from\": ", to);
    kn_report_put_number(to, s->from);
    fputs(", \"watched\": [", to);
    for (int i = 0; i < s->watched; i++) {
        fputs(i ? ", {\"name\": " : "{\"name\": ", to);
        kn_report_put_text(to, h->names[s->watch[i].column]);
        fputs(", \"value\": ", to);
        kn_report_put_number(to, s->watch[i].value);
        fputs(", \"change\": ", to);
        kn_report_put_number(to, s->watch[i].change);
        fputs(", \"error\": ", to);
        kn_report_put_number(to, s->watch[i].error);
        fputc('}', to);
    }
    fputs("]}", to);
}
