/* Gauss rules for the classical weights, from the recurrence of their orthogonal polynomials. */
#ifndef KN_RULES_H
#define KN_RULES_H

#include "knudsen.h"

/* Each fills n nodes and weights; the weights sum to 1 and polynomials of degree 2 n - 1 are exact. */
enum kn_status kn_rules_legendre(int n, double *node, double *weight); /* uniform on (-1, 1) */
enum kn_status kn_rules_hermite(int n, double *node, double *weight);  /* exp(-x^2) on the real axis */
enum kn_status kn_rules_laguerre(int n, double power, double *node,    /* x^power exp(-x) on (0, inf) */
                                 double *weight);

#endif
