/* The remaining change of a quantity, extrapolated from its range over the last two quarters of the rows. */
#include "monitor/trend.h"

#include <math.h>

enum { LEAST = 16 }; /* spans that an estimate needs */

static void merge_neighbours(struct kn_trend *t)
{
    const int pairs = KN_TREND_SPANS / 2;
    for (int i = 0; i < pairs; i++) {
        t->low[i] = fmin(t->low[2 * i], t->low[2 * i + 1]);
        t->high[i] = fmax(t->high[2 * i], t->high[2 * i + 1]);
    }
    t->count = pairs;
    t->length *= 2;
}

void kn_trend_add(struct kn_trend *t, double value)
{
    const int span = (int)t->count;
    if (t->length == 0)
        t->length = 1;
    t->low[span] = t->begun > 0 ? fmin(t->low[span], value) : value;
    t->high[span] = t->begun > 0 ? fmax(t->high[span], value) : value;
    if (++t->begun < t->length)
        return;
    t->begun = 0;
    if (++t->count == KN_TREND_SPANS)
        merge_neighbours(t);
}

bool kn_trend_is_valid(const struct kn_trend *t)
{
    int exponent;
    const bool begun = t->length != 0;
    bool good = begun ? t->length >= 1 && isfinite(t->length) && frexp(t->length, &exponent) == 0.5
                      : t->count == 0 && t->begun == 0;
    good = good && t->count >= 0 && t->count < KN_TREND_SPANS && t->count == floor(t->count);
    good = good && t->begun >= 0 && (!begun || t->begun < t->length) && t->begun == floor(t->begun);
    for (int i = 0; i < KN_TREND_SPANS; i++)
        good = good && isfinite(t->low[i]) && isfinite(t->high[i]);
    return good;
}

/* Largest distance from the latest value in the spans [first, end). */
static double distance(const struct kn_trend *t, int first, int end, double latest)
{
    double most = 0;
    for (int i = first; i < end; i++)
        most = fmax(most, fmax(t->high[i] - latest, latest - t->low[i]));
    return most;
}

/* Do the spans [first, end) reach beyond the latest value by `part` on both sides? */
static bool lies_on_both_sides(const struct kn_trend *t, int first, int end, double latest, double part)
{
    double above = 0, below = 0;
    for (int i = first; i < end; i++) {
        above = fmax(above, t->high[i] - latest);
        below = fmax(below, latest - t->low[i]);
    }
    return above > part && below > part;
}

/* An exponential approach a exp(-k t), with x = exp(-k w) over a quarter of length w, is at distances
 * e1 = a (x^-2 - 1) and e2 = a (x^-1 - 1) from its latest value at the beginnings of the last two quarters;
 * a is the remaining change.  So x = r / (1 - r) with r = e2 / e1, and a = e2 x / (1 - x).  The distances
 * are maxima over a quarter, so that the same holds for the envelope of a damped oscillation.  A linear drift
 * has r = 1/2, an undamped oscillation r = 1: neither approaches a limit. */
struct kn_trend_rest kn_trend_rest(const struct kn_trend *t, double latest)
{
    const int count = (int)t->count, quarter = count / 4;
    struct kn_trend_rest rest = {.change = NAN, .observed = NAN, .ratio = NAN, .rate = 0};
    if (count < LEAST)
        return rest;
    const double before = distance(t, count - 2 * quarter, count - quarter, latest),
                 recent = distance(t, count - quarter, count, latest);
    rest.observed = fmax(before, recent);
    rest.change = 0;
    if (rest.observed == 0)
        return rest;
    rest.crosses = lies_on_both_sides(t, count - 2 * quarter, count - quarter, latest, rest.observed / 5) &&
                   lies_on_both_sides(t, count - quarter, count, latest, rest.observed / 5);
    rest.ratio = before > 0 ? recent / before : INFINITY;
    rest.change = INFINITY;
    if (rest.ratio < 0.5) {
        const double x = rest.ratio / (1 - rest.ratio);
        rest.change = recent * x / (1 - x);
        rest.rate = x > 0 ? -log(x) / (quarter * t->length) : INFINITY;
    }
    return rest;
}
