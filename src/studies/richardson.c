#include "studies/richardson.h"

#include "monitor/fit.h"

#include <math.h>

enum { GRIDS = 16 };

bool kn_richardson_limit(const double *h, const double *value, int n, int order, double *limit)
{
    double x[KN_RICHARDSON_POINTS], line[2];
    if (n < 2)
        return false;
    const int used = n < KN_RICHARDSON_POINTS ? n : KN_RICHARDSON_POINTS;
    for (int i = 0; i < used; i++)
        x[i] = pow(h[n - used + i], order);
    if (!kn_fit_line(x, value + n - used, used, line))
        return false;
    *limit = line[0];
    return true;
}

double kn_richardson_slope(const double *h, const double *value, int n, double limit, double *factor)
{
    double error[GRIDS], power[2];
    *factor = NAN;
    if (n < 2 || n > GRIDS)
        return NAN;
    for (int i = 0; i < n; i++)
        error[i] = fabs(value[i] / limit - 1);
    if (!kn_fit_power(h, error, n, power))
        return NAN;
    *factor = power[0];
    return power[1];
}

/* By how much a + b h^p changes from the first grid to the second, over from the second to the third. */
static double ratio(const double *h, double p)
{
    return (pow(h[0], p) - pow(h[1], p)) / (pow(h[1], p) - pow(h[2], p));
}

double kn_richardson_order(const double *h, const double *value, int n)
{
    if (n < KN_RICHARDSON_POINTS)
        return NAN;
    const double *x = h + n - KN_RICHARDSON_POINTS, *y = value + n - KN_RICHARDSON_POINTS;
    const double wanted = (y[0] - y[1]) / (y[1] - y[2]);
    double low = 0.05, high = 8; /* the ratio grows with p */
    if (!(wanted > ratio(x, low) && wanted < ratio(x, high)))
        return NAN;
    for (int turn = 0; turn < 60; turn++) {
        const double middle = (low + high) / 2;
        if (ratio(x, middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
