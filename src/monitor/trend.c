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

bool kn_trend_are_counts(double length, double count, double begun, int most)
{
    int exponent;
    if (length == 0)
        return count == 0 && begun == 0;
    return length >= 1 && isfinite(length) && frexp(length, &exponent) == 0.5 && count >= 0 && count < most &&
           count == floor(count) && begun >= 0 && begun < length && begun == floor(begun);
}

bool kn_trend_is_valid(const struct kn_trend *t)
{
    bool good = kn_trend_are_counts(t->length, t->count, t->begun, KN_TREND_SPANS);
    for (int i = 0; i < KN_TREND_SPANS; i++)
        good = good && isfinite(t->low[i]) && isfinite(t->high[i]);
    return good;
}

/* Largest distances above and below the latest value in the spans [first, end). */
struct reach {
    double above, below;
};

static struct reach reach_of(const struct kn_trend *t, int first, int end, double latest)
{
    struct reach r = {0, 0};
    for (int i = first; i < end; i++) {
        r.above = fmax(r.above, t->high[i] - latest);
        r.below = fmax(r.below, latest - t->low[i]);
    }
    return r;
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
    const struct reach earlier = reach_of(t, count - 2 * quarter, count - quarter, latest),
                       later = reach_of(t, count - quarter, count, latest);
    const double before = fmax(earlier.above, earlier.below), recent = fmax(later.above, later.below);
    rest.observed = fmax(before, recent);
    rest.change = 0;
    if (rest.observed == 0)
        return rest;
    rest.crosses =
        fmin(fmin(earlier.above, earlier.below), fmin(later.above, later.below)) > rest.observed / 5;
    rest.ratio = before > 0 ? recent / before : INFINITY;
    rest.change = INFINITY;
    if (rest.ratio < 0.5) {
        const double x = rest.ratio / (1 - rest.ratio);
        rest.change = recent * x / (1 - x);
        rest.rate = x > 0 ? -log(x) / (quarter * t->length) : INFINITY;
    }
    return rest;
}
