#include "verify/measure_wave.h"

#include "monitor/fit.h"
#include "verify/front.h"

#include <complex.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------- shocks */

/* A profile along x, from 0 upstream (left) to 1 downstream. */
struct profile {
    const struct kn_record *r;
    const double *fields; /* [ncells][KN_FIELDS] */
    int field;
    double low, rise;
};

/* What comes in at a side; NaN where that is no matter of the case. */
static double incoming(const struct kn_record *r, enum kn_side side, int field)
{
    const struct kn_wall *w = &r->c.walls[side];
    if (!kn_front_is(&r->c) || field > KN_THETA)
        return NAN;
    return field == KN_RHO ? w->density : field == KN_THETA ? w->temperature : w->velocity[field - KN_UX];
}

/* The states at both ends: those of the inflows, else means over a twentieth of the axis. */
static struct profile normalise(const struct kn_record *r, const double *fields, int field)
{
    struct profile p = {r, fields, field, incoming(r, KN_LEFT, field), incoming(r, KN_RIGHT, field)};
    if (!isnan(p.low)) {
        p.rise -= p.low;
        return p;
    }
    p.low = p.rise = 0;
    const int n = r->cells[0], some = n / 20 + 1;
    for (int i = 0; i < some; i++) {
        p.low += fields[(size_t)i * KN_FIELDS + field] / some;
        p.rise += fields[(size_t)(n - 1 - i) * KN_FIELDS + field] / some;
    }
    p.rise -= p.low;
    return p;
}

static double share(const struct profile *p, int i)
{
    return (p->fields[(size_t)i * KN_FIELDS + p->field] - p->low) / p->rise;
}

/* Where the profile first passes a share of its rise. */
static double pass(const struct profile *p, double level)
{
    for (int i = 1; i < p->r->cells[0]; i++) {
        const double before = share(p, i - 1), after = share(p, i);
        if (before < level && after >= level)
            return kn_record_centre(p->r, 0, i - 1) +
                   (kn_record_centre(p->r, 0, i) - kn_record_centre(p->r, 0, i - 1)) * (level - before) /
                       (after - before);
    }
    return NAN;
}

/* Greatest slope of a polynomial over -1 to 1. */
static double steepest(const double *a, int terms)
{
    double most = -INFINITY;
    for (int i = 0; i <= 200; i++) {
        const double z = i / 100.0 - 1;
        double slope = 0;
        for (int k = terms - 1; k > 0; k--)
            slope = slope * z + k * a[k];
        most = fmax(most, slope);
    }
    return most;
}

/* The slope is that of a polynomial of degree 5 through the cells between a fifth and four fifths of
 * the rise: the greatest difference of neighbours would add noise to the maximum.  On a tanh it is
 * right to 5e-4. */
double kn_measure_thickness(const struct kn_record *r, const double *fields, int field)
{
    const struct profile p = normalise(r, fields, field);
    const double from = pass(&p, 0.2), to = pass(&p, 0.8), half = (to - from) / 2;
    struct kn_fit f = {.terms = KN_FIT_TERMS};
    double a[KN_FIT_TERMS], z[KN_FIT_TERMS] = {1};
    int points = 0;
    for (int i = 0; i < r->cells[0]; i++) {
        const double x = (kn_record_centre(r, 0, i) - from) / half - 1;
        if (!(fabs(x) <= 1))
            continue;
        for (int k = 1; k < KN_FIT_TERMS; k++)
            z[k] = z[k - 1] * x;
        kn_fit_add(&f, z, share(&p, i));
        points++;
    }
    return points > KN_FIT_TERMS && kn_fit_solve(&f, a) ? steepest(a, KN_FIT_TERMS) / half : NAN;
}

double kn_measure_lead(const struct kn_record *r, const double *fields, int field)
{
    const struct profile p = normalise(r, fields, field), rho = normalise(r, fields, KN_RHO);
    return pass(&rho, 0.5) - pass(&p, 0.5);
}

double kn_measure_profile(const struct kn_record *r, const double *fields, int field, double x)
{
    const struct profile p = normalise(r, fields, field), rho = normalise(r, fields, KN_RHO);
    const double at = pass(&rho, 0.5) + x;
    for (int i = 1; i < r->cells[0]; i++)
        if (kn_record_centre(r, 0, i - 1) <= at && at <= kn_record_centre(r, 0, i))
            return share(&p, i - 1) + (share(&p, i) - share(&p, i - 1)) *
                                          (at - kn_record_centre(r, 0, i - 1)) /
                                          (kn_record_centre(r, 0, i) - kn_record_centre(r, 0, i - 1));
    return NAN;
}

/* -------------------------------------------------------------------- modes */

/* Rows of a projection at equal times, of which the second half is looked at. */
struct series {
    const struct kn_record *r;
    int field;
    int64_t first, rows;
    double step; /* between rows */
};

static double term(const struct series *s, int64_t row)
{
    return s->r->waves[row * KN_RECORD_WAVES + s->field];
}

static double time_of(const struct kn_record *r, int64_t row)
{
    const int clock = kn_record_column(r, "time");
    return clock >= 0 ? r->history[row * r->ncolumns + clock] : NAN;
}

static double decay(const struct series *s)
{
    struct kn_fit f = {.terms = 2};
    double line[2];
    for (int64_t i = s->first; i < s->rows; i++)
        kn_fit_add(&f, (double[]){1, (double)(i - s->first)}, log(fabs(term(s, i))));
    return kn_fit_solve(&f, line) ? -line[1] / s->step : NAN;
}

/* Roots of z^3 = c0 + c1 z + c2 z^2: a real one by bisection, then one of the other two. */
static void cubic_roots(const double c[3], double *real, double complex *other)
{
    double high = 1 + fabs(c[0]) + fabs(c[1]) + fabs(c[2]), low = -high;
    for (int i = 0; i < 100; i++) {
        const double z = (low + high) / 2;
        *(((z - c[2]) * z - c[1]) * z - c[0] > 0 ? &high : &low) = z;
    }
    const double sum = c[2] - low, product = -c[1] - low * sum; /* of the two others */
    *real = low;
    *other = sum / 2 + csqrt(sum * sum / 4 - product);
}

/* Prony: values a fixed time apart obey a recurrence whose roots are exp(-rate time).  The time is
 * an eighth of the half that is looked at, so that the modes differ over it. */
static double mode(const struct series *s, enum kn_measure_kind kind)
{
    const int64_t lag = (s->rows - s->first) / 8;
    struct kn_fit f = {.terms = 3};
    double c[3], real;
    double complex other;
    for (int64_t i = s->first; lag > 0 && i + 3 * lag < s->rows; i++)
        kn_fit_add(&f, (double[]){term(s, i), term(s, i + lag), term(s, i + 2 * lag)}, term(s, i + 3 * lag));
    if (lag == 0 || !kn_fit_solve(&f, c))
        return NAN;
    cubic_roots(c, &real, &other);
    const double time = (double)lag * s->step;
    return kind == KN_MEASURE_HEAT      ? -log(real) / time
           : kind == KN_MEASURE_DAMPING ? -log(cabs(other)) / time
                                        : carg(other) / time;
}

double kn_measure_mode(const struct kn_record *r, int64_t rows, const struct kn_measure_text *q)
{
    struct series s = {.r = r, .field = q->field, .rows = rows};
    if (!r->waves || rows < 4 || q->field >= KN_RECORD_WAVES)
        return NAN;
    s.rows -= 1; /* the last row may be nearer to its neighbour than the others */
    s.first = s.rows / 2;
    s.step = time_of(r, 1) - time_of(r, 0);
    return q->kind == KN_MEASURE_DECAY ? decay(&s) : mode(&s, q->kind);
}
