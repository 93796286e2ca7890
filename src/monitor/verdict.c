/* The judgement of a run from the trends of the quantities that it reports. */
#include "monitor/verdict.h"

#include "monitor/duration.h"
#include "config/scales.h"
#include "monitor/swing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A wall flux below this part of the largest wall flux or mean field is judged against that part: it may be
 * zero by symmetry.  Changes below ROUND_OFF of it are round-off of the float state. */
static const double SMALL = 0.01, ROUND_OFF = 1e-6;
static const double SIGMAS = 3;
static const double EARLY = 0.25; /* part of the time of the transient */

const char *kn_verdict_name(enum kn_verdict_word word)
{
    static const char *const names[] = {[KN_VERDICT_STEADY] = "steady",
                                        [KN_VERDICT_NOT_STEADY] = "not steady",
                                        [KN_VERDICT_OSCILLATING] = "oscillating",
                                        [KN_VERDICT_NOISY] = "noisy"};
    return names[word];
}

/* A time of the gas in the units of the case. */
static const char *time_text(const struct kn_monitor *m, double time, char text[KN_UNITS_TEXT])
{
    struct kn_scales scales;
    if (kn_scales_create(&scales, m->c) == KN_OK && scales.known)
        return kn_units_text(KN_DIMENSION_TIME, scales.time * time, text);
    snprintf(text, KN_UNITS_TEXT, "%.3g lambda0 / V0", time);
    return text;
}

/* ------------------------------------------------------------------ scales */

/* Quantities of one kind at all walls share a scale; others have their own. */
static int kind_of(const struct kn_column *column)
{
    const size_t at = column->offset;
    if (at < offsetof(struct kn_row, stress))
        return -1;
    return at < offsetof(struct kn_row, heat_flux)   ? 0
           : at < offsetof(struct kn_row, mass_flux) ? 1
           : at < offsetof(struct kn_row, average)   ? 2
                                                     : 3;
}

struct scales {
    double kind[4]; /* largest value of a kind */
    double largest; /* of all kinds at walls, and of the mean fields */
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

/* What the change of a quantity is compared with. */
static double scale_of(const struct kn_monitor *m, const struct scales *s, int column)
{
    const int kind = kind_of(&m->columns[column]);
    if (kind < 0)
        return fabs(kn_monitor_value(m, column));
    return fmax(s->kind[kind], kind < 3 ? SMALL * s->largest : 0);
}

/* ------------------------------------------------------- runs without noise */

struct judged {
    int column; /* -1: the fields as a whole, where no quantity differs from zero */
    double remaining, observed;
    double rate;  /* per row */
    bool crosses; /* the quantity oscillates */
    bool unclear; /* too few rows */
};

/* The remaining change.  Where the transient should be over, fluctuations within the tolerance are no
 * approach to anything, and their size is all that is known. */
static double change_of(const struct kn_monitor *m, const struct kn_trend_rest *rest, double scale)
{
    const bool settled = m->row.time >= m->settled_time && rest->observed < m->c->time.tolerance * scale;
    return settled ? fmin(rest->change, rest->observed) : rest->change;
}

/* The size of all fields, as in a periodic box, whose averages stay zero.  It is compared with the largest it
 * has been: a flow that has come to rest is steady. */
static struct judged judge_size(const struct kn_monitor *m)
{
    const struct kn_trend *t = &m->trends[m->judged];
    const struct kn_trend_rest rest = kn_trend_rest(t, m->row.size);
    double scale = m->row.size;
    for (int i = 0; i < (int)t->count; i++)
        scale = fmax(scale, t->high[i]);
    struct judged j = {
        .column = -1, .rate = rest.rate, .crosses = rest.crosses, .unclear = isnan(rest.change)};
    if (rest.observed > ROUND_OFF * scale) {
        j.remaining = change_of(m, &rest, scale) / scale;
        j.observed = rest.observed / scale;
    }
    return j;
}

/* The quantity with the largest remaining change. */
static struct judged judge_trends(const struct kn_monitor *m)
{
    const struct scales s = scales_of(m);
    struct judged worst = {.column = -1};
    if (s.largest <= ROUND_OFF * m->row.size)
        return judge_size(m);
    for (int k = 0; k < m->judged; k++) {
        const int i = m->first_judged + k;
        const double scale = scale_of(m, &s, i), noise = ROUND_OFF * fmax(s.largest, scale);
        const struct kn_trend_rest rest = kn_trend_rest(&m->trends[k], kn_monitor_column(m, i));
        worst.unclear = worst.unclear || isnan(rest.change);
        if (scale == 0 || !(rest.observed > noise))
            continue;
        const double remaining = change_of(m, &rest, scale) / scale, observed = rest.observed / scale;
        if (worst.column < 0 || remaining > worst.remaining ||
            (isinf(remaining) && observed > worst.observed))
            worst = (struct judged){i, remaining, observed, rest.rate, rest.crosses, worst.unclear};
    }
    return worst;
}

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

static void name_change(struct kn_verdict *v, const struct kn_monitor *m, const struct judged *j)
{
    const char *name = name_of(m, j->column);
    char later[96] = "";
    if (isfinite(v->until)) {
        char at[KN_UNITS_TEXT];
        snprintf(later, sizeof later, "; steady at about t = %.60s", time_text(m, v->until, at));
    }
    if (isinf(j->remaining))
        snprintf(v->text, sizeof v->text,
                 "%s changed by %.2g %% in the last half of the run and does not approach a limit yet", name,
                 100 * j->observed);
    else
        snprintf(v->text, sizeof v->text, "%s is expected to change by another %.2g %%%s%s", name,
                 100 * j->remaining, m->row.time < EARLY * m->settled_time ? " at least" : "", later);
}

static bool is_steady(const struct kn_monitor *m, const struct judged *j)
{
    return !j->unclear && j->remaining < m->c->time.tolerance && m->row.time >= m->least_time * (1 - 1e-9);
}

static void describe_steady(struct kn_verdict *v, const struct kn_monitor *m, const struct judged *j)
{
    v->word = KN_VERDICT_STEADY;
    if (m->row.size == 0)
        snprintf(v->text, sizeof v->text, "nothing drives the gas: all results are zero");
    else if (j->observed == 0)
        snprintf(v->text, sizeof v->text, "all changes are round-off");
    else
        snprintf(v->text, sizeof v->text, "%s, which changes most, is within %.2g %% of its limit",
                 name_of(m, j->column), 100 * fmax(j->remaining, 1e-5));
}

static void judge_quiet(struct kn_verdict *v, const struct kn_monitor *m)
{
    const struct judged j = judge_trends(m);
    v->column = j.column;
    v->remaining = j.unclear ? NAN : j.remaining;
    v->observed = j.unclear ? NAN : j.observed;
    v->word = KN_VERDICT_NOT_STEADY;
    if (j.unclear) {
        snprintf(v->text, sizeof v->text, "the history has too few rows to extrapolate from");
    } else if (is_steady(m, &j)) {
        describe_steady(v, m, &j);
    } else if (j.remaining < m->c->time.tolerance) {
        char at[KN_UNITS_TEXT];
        v->until = m->least_time;
        snprintf(v->text, sizeof v->text,
                 "nothing changes now, but slow molecules and sound need until t = %s to cross the box",
                 time_text(m, v->until, at));
    } else {
        const double rows = rows_left(m, &j);
        v->until = m->row.time + rows / rows_per_time(m);
        if (m->row.time < EARLY * m->settled_time) /* too early for an exponential approach */
            v->until = fmax(v->until, m->settled_time);
        v->word = isinf(j.remaining) && j.crosses ? KN_VERDICT_OSCILLATING : KN_VERDICT_NOT_STEADY;
        name_change(v, m, &j);
    }
}

/* ----------------------------------------------------------- runs with noise */

/* Drift between the halves of the averaged rows, less what noise explains; and the statistical error. */
static void compare_halves(const struct kn_batches *b, double error, double *drift)
{
    const int half = (int)b->count / 2;
    double difference = 0;
    for (int i = 0; i < half; i++)
        difference += (b->mean[half + i] - b->mean[i]) / half;
    *drift = fmax(0, fabs(difference) - SIGMAS * 2 * error);
}

static void judge_noisy(struct kn_verdict *v, const struct kn_monitor *m)
{
    const struct scales s = scales_of(m);
    double error = NAN;
    v->word = KN_VERDICT_NOISY;
    if (m->averaged < 2) {
        snprintf(v->text, sizeof v->text,
                 "collisions are sampled and nothing is averaged (output.average): the run cannot be judged");
        return;
    }
    for (int i = m->first_judged; i < m->first_judged + m->judged; i++) {
        const double scale = scale_of(m, &s, i), own = kn_monitor_error(m, i) / scale;
        double drift = NAN;
        if (!(scale > 0) || !isfinite(own))
            continue;
        compare_halves(&m->batches[i], own * scale, &drift);
        if (!(drift / scale <= v->remaining)) {
            v->remaining = drift / scale;
            v->column = i;
        }
        if (!(own <= error))
            error = own;
    }
    const double tolerance = m->c->time.tolerance;
    if (isnan(error))
        snprintf(v->text, sizeof v->text, "the averages are too short for a statistical error");
    else if (v->remaining > tolerance) {
        v->word = KN_VERDICT_NOT_STEADY;
        snprintf(v->text, sizeof v->text,
                 "%s drifts by %.2g %% between the halves of the averaging window, beyond the noise",
                 m->columns[v->column].name, 100 * v->remaining);
    } else if (SIGMAS * error < tolerance) {
        v->word = KN_VERDICT_STEADY;
        snprintf(v->text, sizeof v->text, "no drift, and statistical errors below %.2g %%", 100 * error);
    } else {
        snprintf(v->text, sizeof v->text,
                 "averages show no drift beyond their statistical errors, which are up to %.2g %%; three "
                 "times that "
                 "exceeds time.tolerance",
                 100 * error);
    }
}

/* ---------------------------------------------------------------- other runs */

static void judge_oscillating(struct kn_verdict *v, const struct kn_monitor *m, const struct kn_swing *swing)
{
    v->word = KN_VERDICT_OSCILLATING;
    if (!swing || swing->count == 0) {
        snprintf(v->text, sizeof v->text,
                 "amplitudes are computed for one frequency, and from a whole period on");
        return;
    }
    v->remaining = v->observed = swing->change;
    if (isnan(swing->change))
        snprintf(v->text, sizeof v->text,
                 "with the walls; one period alone does not tell whether amplitudes still change");
    else
        snprintf(v->text, sizeof v->text,
                 "with the walls; amplitudes changed by %.2g %% since the periods before%s",
                 100 * swing->change,
                 swing->change > 10 * m->c->time.tolerance
                     ? ": the initial transient is not over; use a later time.end"
                     : "");
}

void kn_verdict_find(struct kn_verdict *v, const struct kn_monitor *m, const struct kn_swing *swing)
{
    *v = (struct kn_verdict){.column = -1, .remaining = NAN, .observed = NAN, .until = NAN};
    if (kn_duration_oscillates(m->c))
        judge_oscillating(v, m, swing);
    else if (m->batches)
        judge_noisy(v, m);
    else
        judge_quiet(v, m);
}

/* ------------------------------------------------------------ during the run */

/* One row below the limit may be chance where collisions are sampled, hence two. */
static bool residual_is_low(const struct kn_monitor *m)
{
    const double limit = m->c->time.residual;
    return limit > 0 && m->row.residual < limit && m->previous_residual < limit;
}

const char *kn_verdict_ends(const struct kn_monitor *m)
{
    if (residual_is_low(m))
        return "residual";
    if (!kn_duration_is_open(m->c))
        return NULL;
    const struct judged j = judge_trends(m);
    return is_steady(m, &j) ? "steady" : NULL;
}

double kn_verdict_steps_left(const struct kn_monitor *m)
{
    if (!kn_duration_is_open(m->c) || m->rows < 2)
        return NAN;
    const struct judged j = judge_trends(m);
    const double rows = j.unclear ? NAN : rows_left(m, &j),
                 least = (m->least_time - m->row.time) * rows_per_time(m);
    return isnan(rows) ? NAN : fmax(rows, least) * m->row.step / (double)(m->rows - 1);
}
