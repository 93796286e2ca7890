/* Linear least squares with a few functions. */
#ifndef KN_FIT_H
#define KN_FIT_H

#include <stdbool.h>

enum { KN_FIT_TERMS = 3 };

/* The normal equations; all members except `terms` are zero at the start. */
struct kn_fit {
    int terms;
    double matrix[KN_FIT_TERMS][KN_FIT_TERMS];
    double right[KN_FIT_TERMS];
};

/* Add a point: the values of the functions, and the value to fit. */
void kn_fit_add(struct kn_fit *f, const double *functions, double value);

/* The coefficients [terms]; false: the functions are linearly dependent on these points. */
bool kn_fit_solve(const struct kn_fit *f, double *coefficients);

#endif
