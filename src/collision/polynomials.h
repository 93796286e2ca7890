/* Polynomials on a velocity grid: Hermite products made orthonormal in the sums over its nodes. */
#ifndef KN_POLYNOMIALS_H
#define KN_POLYNOMIALS_H

#include "collision/elements.h"
#include "point/pair.h"

/* Degree up to which collisions of polynomials are exact on a grid, linear and quadratic part: the sums over
 * the nodes must keep the polynomials apart. */
int kn_polynomials_degree(const int half[3]);

/* Polynomials of one parity. Each is a sum of Hermite products, most of them of one. */
enum { KN_POLYNOMIALS_TERMS = 56 /* up to the isotropic one of degree 10 */ };
struct kn_polynomials {
    int count, nterms;
    struct kn_hermite term[KN_POLYNOMIALS_TERMS];
    double coefficient[KN_POLYNOMIALS_TERMS];
    int of[KN_POLYNOMIALS_TERMS]; /* the polynomial of each term */
};

/* All products up to a degree, by ascending degree. */
struct kn_polynomials kn_polynomials_of(int degree, int parity);

/* Append the polynomial of this even degree in v.v that is orthogonal to all of lower degree. */
void kn_polynomials_add_isotropic(struct kn_polynomials *p, int degree);

/* The polynomials at the nodes of an octant, times sqrt(8 w): rows[count][size]. */
void kn_polynomials_fill(const struct kn_assembly *g, const struct kn_polynomials *p, double *rows);

/* Make these rows orthonormal; each row gets terms of the rows before it. */
void kn_polynomials_orthonormalise(int count, int size, double *rows);

#endif
