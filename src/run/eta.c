#include "run/eta.h"

#include <math.h>
#include <stdlib.h>

enum { PAIRS = KN_ETA_BUCKETS * (KN_ETA_BUCKETS - 1) / 2, FEWEST = 4 /* buckets that make a trend */ };

/* A second of the past counts by the square of its place between start and now, and not much when it is
 * longer ago than MEMORY: a slow start is soon forgotten, and so is what the machine did hours ago.
 * Marks closer than 1 / MARKS of what has passed are not worth the arithmetic. */
static const double FORGET = 2, MEMORY = 300 /* s */, MARKS = 64;

/* The relative change of fields that come to rest falls as exp(-k t); of fields that begin at rest it is
 * 1 / t at first.  For these t^-0.7 exp(-k t) foresees the end of the cases best; exp(-k t) alone expects it
 * after half of what is left, exp(-k t) / t after several times that.  All rows together tell which it is. */
static const double POWERS[] = {0, 0.7};

void kn_eta_start(struct kn_eta *e, const struct kn_eta_mark *first, int64_t last, double limit,
                  double deadline)
{
    *e = (struct kn_eta){.last = last,
                         .limit = limit,
                         .deadline = deadline,
                         .first = *first,
                         .latest = *first,
                         .rows = 1,
                         .steady = INFINITY};
}

/* -------------------------------------------------------------------- rate */

void kn_eta_step(struct kn_eta *e, const struct kn_eta_mark *now)
{
    const double since = now->clock - e->latest.clock, all = now->clock - e->first.clock;
    if (now->step <= e->latest.step || !(since > all / MARKS))
        return;
    const double keep = fmin(pow(1 - since / all, FORGET), exp(-since / MEMORY));
    e->steps = keep * e->steps + (double)(now->step - e->latest.step);
    e->seconds = keep * e->seconds + fmax(0, since - (now->output_s - e->latest.output_s));
    e->latest = *now;
}

double kn_eta_rate(const struct kn_eta *e)
{
    return e->seconds > 0 ? e->steps / e->seconds : 0;
}

/* ---------------------------------------------------------------- residual */

/* When all buckets are full, two become one. */
static void merge(struct kn_eta *e)
{
    for (int i = 0; i < KN_ETA_BUCKETS / 2; i++) {
        const struct kn_eta_bucket *a = &e->bucket[2 * i];
        e->bucket[i] = (struct kn_eta_bucket){a[0].step + a[1].step, a[0].height + a[1].height};
    }
    e->nbuckets = KN_ETA_BUCKETS / 2;
    e->rows *= 2;
}

void kn_eta_row(struct kn_eta *e, int64_t step, double residual)
{
    if (!(residual > 0) || !isfinite(residual) || step <= 0)
        return;
    if (e->nbuckets == KN_ETA_BUCKETS)
        merge(e);
    struct kn_eta_bucket *b = &e->bucket[e->nbuckets];
    if (e->waiting == 0)
        *b = (struct kn_eta_bucket){0};
    b->step += (double)step;
    b->height += log(residual);
    if (++e->waiting == e->rows) {
        e->nbuckets++;
        e->waiting = 0;
    }
}

/* Estimates of single rows vary: the mean of the past ones follows them slowly. */
void kn_eta_expect(struct kn_eta *e, double step)
{
    const double follow = 0.2;
    if (!isfinite(step))
        e->steady = INFINITY;
    else
        e->steady = isfinite(e->steady) ? e->steady + follow * (step - e->steady) : step;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_size);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/* log residual + power log step = start + slope step. */
struct trend {
    double power, start, slope;
    double deviation; /* mean, absolute */
};

/* By medians over the buckets from `first` on: no single row, however far off, can turn it. */
static struct trend fit(const struct kn_eta *e, double power, int first)
{
    double x[KN_ETA_BUCKETS], y[KN_ETA_BUCKETS], values[PAIRS] = {0};
    struct trend t = {.power = power};
    int n = 0, pairs = 0;
    for (int i = first; i < e->nbuckets; i++, n++) {
        x[n] = e->bucket[i].step / e->rows;
        y[n] = e->bucket[i].height / e->rows + power * log(x[n]);
        for (int k = 0; k < n; k++)
            values[pairs++] = (y[n] - y[k]) / (x[n] - x[k]);
    }
    t.slope = median(values, pairs);
    for (int i = 0; i < n; i++)
        values[i] = y[i] - t.slope * x[i];
    t.start = median(values, n);
    for (int i = 0; i < n; i++)
        t.deviation += fabs(y[i] - t.start - t.slope * x[i]) / n;
    return t;
}

/* Steps until a trend reaches the limit, at most those to the last step. */
static double steps_to_limit(const struct kn_eta *e, const struct trend *t, double now)
{
    const double level = log(e->limit) - t->start;
    double low = now, high = (double)e->last;
    if (t->slope >= 0 || t->slope * high - t->power * log(high) > level)
        return high - now;
    while (high - low > 0.5) {
        const double middle = 0.5 * (low + high);
        *(t->slope * middle - t->power * log(middle) > level ? &low : &high) = middle;
    }
    return high - now;
}

/* Steps that are left.  Sound in the box makes the residual fall by stairs: the later half of the steps may
 * lie on one of them, all of them are older than they should be; the truth is between. */
static double steps_left(const struct kn_eta *e, double now)
{
    if (!(e->limit > 0) || e->nbuckets < FEWEST)
        return (double)e->last - now;
    struct trend all = fit(e, POWERS[0], 0);
    for (size_t i = 1; i < sizeof POWERS / sizeof *POWERS; i++) {
        const struct trend t = fit(e, POWERS[i], 0);
        all = t.deviation < all.deviation ? t : all;
    }
    int first = 0;
    while (e->nbuckets - first > FEWEST && e->bucket[first].step < 0.5 * e->bucket[e->nbuckets - 1].step)
        first++;
    const struct trend later = fit(e, all.power, first);
    return sqrt(steps_to_limit(e, &all, now) * steps_to_limit(e, &later, now));
}

/* ---------------------------------------------------------------- what is left */

struct kn_eta_left kn_eta_left(const struct kn_eta *e, const struct kn_eta_mark *now)
{
    const double all = now->clock - e->first.clock, output = now->output_s - e->first.output_s,
                 working = all > 0 ? fmax(1 - output / all, 0.01) : 1, rate = working * kn_eta_rate(e),
                 most = (double)(e->last - now->step);
    struct kn_eta_left left = {INFINITY, most, KN_ETA_LAST_STEP};
    if (most <= 0)
        return (struct kn_eta_left){0, 0, KN_ETA_LAST_STEP};
    const double quiet = steps_left(e, (double)now->step), steady = fmax(e->steady - (double)now->step, 0);
    left.steps = fmin(quiet, steady);
    left.by = left.steps >= most ? KN_ETA_LAST_STEP : steady < quiet ? KN_ETA_STEADY : KN_ETA_RESIDUAL;
    left.steps = fmin(left.steps, most);
    if (rate > 0)
        left.seconds = left.steps / rate;
    if (e->deadline - now->clock < left.seconds) {
        left.seconds = fmax(0, e->deadline - now->clock);
        left.by = KN_ETA_DEADLINE;
    }
    return left;
}
