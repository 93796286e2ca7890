/* The verdict on a run from the trends of its quantities. */
#include "monitor/verdict.h"

#include "config/case.h"
#include "config/config.h"
#include "config/scales.h"
#include "grid/duration.h"
#include "monitor/oscillation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A wall flux below SMALL of the largest wall flux or mean field is compared with that part: it may be zero
 * by symmetry.  Changes below ROUND_OFF of the largest are round-off of the state in single precision. */
static const double SMALL = 0.01, ROUND_OFF = 1e-6;
static const double SIGMAS = 3;
static const double EARLY = 0.25; /* part of the duration of the transient */

const char *kn_verdict_name(enum kn_verdict_word word)
{
    static const char *const names[] = {"steady", "not steady", "oscillating", "noisy"};
    return names[word];
}

/* Set the word and the sentence. */
static void say(struct kn_verdict *v, enum kn_verdict_word word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct kn_verdict *v, enum kn_verdict_word word, const char *format, ...)
{
    va_list values;
    v->word = word;
    va_start(values, format);
    vsnprintf(v->text, sizeof v->text, format, values);
    va_end(values);
}

/* Quantities of one kind at all walls have a common scale, and so have the averages; -1: its own scale. */
static int kind_of(const struct kn_column *column)
{
    return column->offset < offsetof(struct kn_row, stress) ? -1 : (int)kn_monitor_flux(column);
}

struct scales {
    double kind[KN_DIMENSIONS]; /* largest value of a kind */
    double largest;             /* of all kinds at walls, and of the mean fields */
};

static struct scales scales_of(const struct kn_monitor *m)
{
    struct scales s = {{0}, 0};
    for (int f = 0; f < KN_FIELDS; f++)
        s.largest = fmax(s.largest, fabs(m->row.average[f]));
    for (int i = m->first_judged; i < m->first_judged + m->judged; i++) {
        const int kind = kind_of(&m->columns[i]);
        const double size = fabs(kn_monitor_value(m, i));
        if (kind < 0)
            continue;
        s.kind[kind] = fmax(s.kind[kind], size);
        s.largest = fmax(s.largest, size);
    }
    return s;
}

/* The scale with which the change of a quantity is compared. */
static double scale_of(const struct kn_monitor *m, const struct scales *s, int column)
{
    const int kind = kind_of(&m->columns[column]);
    if (kind < 0)
        return fabs(kn_monitor_value(m, column));
    return fmax(s->kind[kind], kind != KN_DIMENSION_NONE ? SMALL * s->largest : 0);
}

struct judged {
    int column; /* -1: the fields as a whole, if all quantities are zero */
    double remaining, observed;
    double rate;  /* per row */
    bool crosses; /* the quantity oscillates */
    bool unclear; /* too few rows */
};

/* Keep the quantity with the largest remaining change; changes up to `noise` are ignored.  After the end of
 * the transient, fluctuations within the tolerance do not approach a limit: the remaining change is then at
 * most their size. */
static void judge_trend(struct judged *worst, const struct kn_monitor *m, int trend, int column,
                        double latest, double scale, double noise)
{
    const struct kn_trend_rest rest = kn_trend_rest(&m->trends[trend], latest);
    const bool settled = m->row.time >= m->settled_time && rest.observed < m->c->time.tolerance * scale;
    const double remaining = (settled ? fmin(rest.change, rest.observed) : rest.change) / scale,
                 observed = rest.observed / scale;
    worst->unclear = worst->unclear || isnan(rest.change);
    if (scale == 0 || !(rest.observed > noise))
        return;
    if (worst->observed == 0 || remaining > worst->remaining ||
        (isinf(remaining) && observed > worst->observed))
        *worst = (struct judged){column, remaining, observed, rest.rate, rest.crosses, worst->unclear};
}

/* All quantities; or the size of the fields if these are zero, as the averages in a periodic box.  The size
 * is compared with its largest value: a flow that has come to rest is steady. */
static struct judged judge_trends(const struct kn_monitor *m)
{
    const struct scales s = scales_of(m);
    struct judged worst = {.column = -1};
    if (s.largest <= ROUND_OFF * m->row.size) {
        double scale = m->row.size;
        for (int i = 0; i < (int)m->trends[m->judged].count; i++)
            scale = fmax(scale, m->trends[m->judged].high[i]);
        judge_trend(&worst, m, m->judged, -1, m->row.size, scale, ROUND_OFF * scale);
        return worst;
    }
    for (int k = 0; k < m->judged; k++) {
        const int i = m->first_judged + k;
        const double scale = scale_of(m, &s, i);
        judge_trend(&worst, m, k, i, kn_monitor_column(m, i), scale, ROUND_OFF * fmax(s.largest, scale));
    }
    return worst;
}

/* Rows per unit of time. */
static double rows_per_time(const struct kn_monitor *m)
{
    return m->row.time > 0 ? (double)(m->rows - 1) / m->row.time : 0;
}

/* Rows until the remaining change is below the tolerance. */
static double rows_left(const struct kn_monitor *m, const struct judged *j)
{
    const double excess = j->remaining / m->c->time.tolerance;
    return j->rate > 0 && isfinite(excess) ? log(fmax(excess, 1)) / j->rate : NAN;
}

static const char *name_of(const struct kn_monitor *m, int column)
{
    return column < 0 ? "the size of the fields" : m->columns[column].name;
}

static void describe_change(struct kn_verdict *v, const struct kn_monitor *m, const struct judged *j)
{
    const char *name = name_of(m, j->column);
    const bool known = isfinite(v->until);
    char at[KN_UNITS_TEXT] = "";
    if (known)
        kn_duration_text(m->c, v->until, 3, " lambda0 / V0", at);
    if (isinf(j->remaining))
        say(v, j->crosses ? KN_VERDICT_OSCILLATING : KN_VERDICT_NOT_STEADY,
            "%s changed by %.2g %% in the last half of the run and does not approach a limit yet", name,
            100 * j->observed);
    else
        say(v, KN_VERDICT_NOT_STEADY, "%s is expected to change by another %.2g %%%s%s%s", name,
            100 * j->remaining, m->row.time < EARLY * m->settled_time ? " at least" : "",
            known ? "; steady at about t = " : "", at);
}

static bool is_steady(const struct kn_monitor *m, const struct judged *j)
{
    return !j->unclear && j->remaining < m->c->time.tolerance && m->row.time >= m->least_time * (1 - 1e-9);
}

static void describe_steady(struct kn_verdict *v, const struct kn_monitor *m, const struct judged *j)
{
    if (m->row.size == 0)
        say(v, KN_VERDICT_STEADY, "nothing drives the gas: all results are zero");
    else if (j->observed == 0)
        say(v, KN_VERDICT_STEADY, "all changes are round-off");
    else
        say(v, KN_VERDICT_STEADY, "%s, which changes most, is within %.2g %% of its limit",
            name_of(m, j->column), 100 * fmax(j->remaining, 1e-5));
}

static void judge_quiet(struct kn_verdict *v, const struct kn_monitor *m)
{
    const struct judged j = judge_trends(m);
    char at[KN_UNITS_TEXT];
    v->column = j.column;
    v->remaining = j.unclear ? NAN : j.remaining;
    v->observed = j.unclear ? NAN : j.observed;
    if (j.unclear) {
        say(v, KN_VERDICT_NOT_STEADY, "the history has too few rows to extrapolate from");
    } else if (is_steady(m, &j)) {
        describe_steady(v, m, &j);
    } else if (j.remaining < m->c->time.tolerance) {
        v->until = m->least_time;
        say(v, KN_VERDICT_NOT_STEADY,
            "nothing changes, but slow molecules and sound do not cross the box before t = %s",
            kn_duration_text(m->c, v->until, 3, " lambda0 / V0", at));
    } else {
        v->until = m->row.time + rows_left(m, &j) / rows_per_time(m);
        if (m->row.time < EARLY * m->settled_time) /* too early for an exponential approach */
            v->until = fmax(v->until, m->settled_time);
        describe_change(v, m, &j);
    }
}

/* In a very dense gas residual and update may be small although the fluxes still differ between the walls. In
 * a rarefied gas that may hold for the flow between ports, which is small compared with the flow of
 * molecules. */
static bool has_converged(const struct kn_monitor *m)
{
    const double tolerance = kn_config_iteration_tolerance(m->c),
                 most = kn_case_ports(m->c) > 0 ? tolerance : m->c->time.tolerance;
    return m->row.equation_residual < tolerance && m->row.update < tolerance && !(m->row.balance > most);
}

/* Iterations for a steady state: whether they have converged, and by how much quantities still change. */
static void judge_solution(struct kn_verdict *v, const struct kn_monitor *m)
{
    const struct judged j = judge_trends(m);
    const struct kn_row *row = &m->row;
    const bool done = has_converged(m);
    v->column = j.column;
    v->remaining = fmax(j.unclear || j.observed == 0 ? 0 : j.remaining, row->update);
    v->observed = j.unclear ? NAN : j.observed;
    if (done && row->size == 0 && row->equation_residual == 0)
        say(v, KN_VERDICT_STEADY, "nothing drives the gas: all results are zero");
    else if (m->c->time.mode == KN_MODE_FREQUENCY)
        say(v, done ? KN_VERDICT_OSCILLATING : KN_VERDICT_NOT_STEADY,
            "with the walls; residual %.1e, last change %.1e of the solution%s", row->equation_residual,
            row->update, done ? "" : "; --resume continues the iterations, up to time.max_steps");
    else
        say(v, done ? KN_VERDICT_STEADY : KN_VERDICT_NOT_STEADY,
            "residual %.1e, last change %.1e of the solution, fluxes through the sides balance to %.1e%s",
            row->equation_residual, row->update, row->balance,
            done ? "" : "; --resume continues the iterations, up to time.max_steps");
}

/* Drift between the halves of the averaged rows, beyond the part that noise explains. */
static double drift_of(const struct kn_batches *b, double error)
{
    const int half = (int)b->count / 2;
    double difference = 0;
    for (int i = 0; i < half; i++)
        difference += (b->mean[half + i] - b->mean[i]) / half;
    return fmax(0, fabs(difference) - SIGMAS * 2 * error);
}

static void judge_noisy(struct kn_verdict *v, const struct kn_monitor *m)
{
    const struct scales s = scales_of(m);
    const double tolerance = m->c->time.tolerance;
    double error = NAN;
    for (int i = m->first_judged; i < m->first_judged + m->judged && m->averaged > 1; i++) {
        const double scale = scale_of(m, &s, i), own = kn_monitor_error(m, i) / scale;
        if (!(scale > 0) || !isfinite(own))
            continue;
        const double drift = drift_of(&m->batches[i], own * scale) / scale;
        if (!(drift <= v->remaining)) {
            v->remaining = drift;
            v->column = i;
        }
        error = own <= error ? error : own;
    }
    if (m->averaged < 2)
        say(v, KN_VERDICT_NOISY,
            "collisions are sampled and nothing is averaged (output.average): the run cannot be judged");
    else if (isnan(error))
        say(v, KN_VERDICT_NOISY, "the averages are too short for a statistical error");
    else if (v->remaining > tolerance)
        say(v, KN_VERDICT_NOT_STEADY,
            "%s drifts by %.2g %% between the halves of the averaging window, beyond the noise",
            m->columns[v->column].name, 100 * v->remaining);
    else if (SIGMAS * error < tolerance)
        say(v, KN_VERDICT_STEADY, "no drift, and statistical errors below %.2g %%", 100 * error);
    else
        say(v, KN_VERDICT_NOISY,
            "averages show no drift beyond their statistical errors, which are up to %.2g %%; three times "
            "that exceeds time.tolerance",
            100 * error);
}

static void judge_oscillating(struct kn_verdict *v, const struct kn_monitor *m,
                              const struct kn_oscillation_fit *o)
{
    if (!o || o->count == 0) {
        say(v, KN_VERDICT_OSCILLATING,
            "amplitudes are computed only for one frequency and at least one period");
        return;
    }
    v->remaining = v->observed = o->change;
    if (isnan(o->change))
        say(v, KN_VERDICT_OSCILLATING,
            "with the walls; one period does not show whether amplitudes still change");
    else
        say(v, KN_VERDICT_OSCILLATING,
            "with the walls; amplitudes changed by %.2g %% since the periods before%s", 100 * o->change,
            o->change > 10 * m->c->time.tolerance
                ? ": the initial transient is not over; use a later time.end"
                : "");
}

void kn_verdict_find(struct kn_verdict *v, const struct kn_monitor *m, const struct kn_oscillation_fit *o)
{
    *v = (struct kn_verdict){.column = -1, .remaining = NAN, .observed = NAN, .until = NAN};
    if (kn_case_iterates(m->c))
        judge_solution(v, m);
    else if (kn_duration_oscillates(m->c))
        judge_oscillating(v, m, o);
    else if (m->batches)
        judge_noisy(v, m);
    else
        judge_quiet(v, m);
}

double kn_verdict_note(struct kn_monitor *m)
{
    if (!kn_duration_is_open(m->c) || m->rows < 2 || kn_case_iterates(m->c))
        return NAN;
    const struct judged j = judge_trends(m);
    const double rows = j.unclear ? NAN : rows_left(m, &j),
                 least = (m->least_time - m->row.time) * rows_per_time(m);
    m->steady_rows = is_steady(m, &j) ? m->steady_rows + 1 : 0;
    return isnan(rows) ? NAN : fmax(rows, least) * m->row.step / (double)(m->rows - 1);
}

/* One row may be low by noise. */
const char *kn_verdict_ends(const struct kn_monitor *m)
{
    const double limit = m->c->time.residual;
    if (kn_case_iterates(m->c))
        return !has_converged(m) ? NULL : m->c->time.mode == KN_MODE_STEADY ? "steady" : "converged";
    if (limit > 0 && m->row.residual < limit && m->previous_residual < limit)
        return "residual";
    if (m->steady_rows < 2 || !kn_duration_is_open(m->c))
        return NULL;
    const struct judged j = judge_trends(m); /* a resumed run may have another tolerance */
    return is_steady(m, &j) ? "steady" : NULL;
}

bool kn_verdict_is_near(const struct kn_monitor *m)
{
    return m->steady_rows > 0 || m->row.residual < m->c->time.residual;
}
