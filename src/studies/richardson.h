/* What results on ever finer grids say: their limit, and how fast they come near it. */
#ifndef KN_RICHARDSON_H
#define KN_RICHARDSON_H

#include <stdbool.h>

enum { KN_RICHARDSON_POINTS = 3 }; /* of the finest grids, that the limit is taken from */

/* The value at h = 0 of the line a + b h^order through the finest grids, by least squares.
 * Grids come from coarse to fine; false where there are fewer than two. */
bool kn_richardson_limit(const double *h, const double *value, int n, int order, double *limit);

/* The power p of |value / limit - 1| = factor h^p, by least squares of the logarithms through all
 * grids: the order that is seen.  NaN where a value is the limit. */
double kn_richardson_slope(const double *h, const double *value, int n, double limit, double *factor);

/* The power p for which the three finest grids lie on a + b h^p: the order that is seen where none is
 * assumed, as the limit above does.  NaN where there is none between 0.05 and 8. */
double kn_richardson_order(const double *h, const double *value, int n);

#endif
