/* Least squares: how much of each of a few functions a series of values has. */
#ifndef KN_FIT_H
#define KN_FIT_H

#include <stdbool.h>

enum { KN_FIT_TERMS = 3 };

/* The normal equations; all zero but `terms` is a fit without points. */
struct kn_fit {
    int terms;
    double matrix[KN_FIT_TERMS][KN_FIT_TERMS];
    double right[KN_FIT_TERMS];
};

/* A point: the functions there, and the value. */
void kn_fit_add(struct kn_fit *f, const double *functions, double value);

/* The coefficients [terms]; false where the points do not tell the functions apart. */
bool kn_fit_solve(const struct kn_fit *f, double *coefficients);

#endif
