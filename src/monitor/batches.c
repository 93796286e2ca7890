/* Batch means of a correlated series (theory, section 13). */
#include "monitor/batches.h"

#include "monitor/trend.h"

#include <math.h>

/* Fewer batches do not give their variance and correlation accurately enough; batches with a larger
 * correlation of neighbours must be longer. */
enum { LEAST = 20 };
static const double CORRELATED = 0.4;

static void merge_pairs(struct kn_batches *b)
{
    const int pairs = KN_BATCHES / 2;
    for (int i = 0; i < pairs; i++)
        b->mean[i] = (b->mean[2 * i] + b->mean[2 * i + 1]) / 2;
    b->count = pairs;
    b->length *= 2;
}

void kn_batches_add(struct kn_batches *b, double term)
{
    if (b->length == 0)
        b->length = 1;
    b->sum += term;
    b->begun++;
    if (b->begun < b->length)
        return;
    b->mean[(int)b->count++] = b->sum / b->length;
    b->sum = b->begun = 0;
    if (b->count == KN_BATCHES)
        merge_pairs(b);
}

bool kn_batches_is_valid(const struct kn_batches *b)
{
    bool good = kn_trend_are_counts(b->length, b->count, b->begun, KN_BATCHES) && isfinite(b->sum);
    for (int i = 0; i < KN_BATCHES; i++)
        good = good && isfinite(b->mean[i]);
    return good;
}

/* Means over groups of neighbouring batches; returns the number of groups. */
static int join(const struct kn_batches *b, int together, double mean[KN_BATCHES])
{
    const int count = (int)b->count / together;
    for (int i = 0; i < count; i++) {
        mean[i] = 0;
        for (int k = 0; k < together; k++)
            mean[i] += b->mean[i * together + k] / together;
    }
    return count;
}

/* The variance of the means, and the correlation of neighbours with the correction for few means, (49). */
static void describe(const double *mean, int count, double *variance, double *correlation)
{
    double middle = mean[0], squares = 0, products = 0;
    for (int i = 1; i < count; i++) /* the mean of a constant is exact in this form */
        middle += (mean[i] - mean[0]) / count;
    for (int i = 0; i < count; i++) {
        squares += (mean[i] - middle) * (mean[i] - middle);
        products += i > 0 ? (mean[i] - middle) * (mean[i - 1] - middle) : 0;
    }
    *variance = squares / (count - 1);
    *correlation = squares > 0 ? (products / squares + 1.0 / count) / (1 - 4.0 / count) : 0;
}

double kn_batches_error(const struct kn_batches *b)
{
    const double terms = b->count * b->length + b->begun;
    double mean[KN_BATCHES], variance, correlation;
    int count;
    for (int together = 1; (count = join(b, together, mean)) >= LEAST; together++) {
        describe(mean, count, &variance, &correlation);
        const double r = fmax(correlation, 0);
        if (r <= CORRELATED)
            return sqrt(variance * (1 + r) / (1 - r) * together * b->length / terms);
    }
    return NAN;
}
