#include "richardson.h"

#include "fit.h"

#include <math.h>

enum { GRIDS = 16 };

bool kn_richardson_limit(const double *h, const double *value, int n, int order, double *limit)
{
    double x[KN_RICHARDSON_POINTS], line[2];
    const int used = n < KN_RICHARDSON_POINTS ? n : KN_RICHARDSON_POINTS;
    for (int i = 0; i < used; i++)
        x[i] = pow(h[n - used + i], order);
    if (used < 2 || !kn_fit_line(x, value + n - used, used, line))
        return false;
    *limit = line[0];
    return true;
}

double kn_richardson_slope(const double *h, const double *value, int n, double limit, double *factor)
{
    *factor = NAN;
    double x[GRIDS], y[GRIDS], line[2];
    if (n < 2 || n > GRIDS)
        return NAN;
    for (int i = 0; i < n; i++) {
        const double error = fabs(value[i] / limit - 1);
        x[i] = log(h[i]);
        y[i] = log(error);
        if (!(error > 0) || !isfinite(error))
            return NAN;
    }
    if (!kn_fit_line(x, y, n, line))
        return NAN;
    *factor = exp(line[0]);
    return line[1];
}
