/* Exact matrix elements of the collision integral between Hermite polynomials, theory (47) to (47b). */
#ifndef KN_ELEMENTS_H
#define KN_ELEMENTS_H

#include "collision/molecules.h"

enum { KN_ELEMENTS_DEGREE = 12 }; /* of a polynomial, at most */

/* The product of the orthonormal Hermite polynomials of these degrees in vx, vy and vz. */
struct kn_hermite {
    int degree[3];
};

/* List the products up to a total degree that are odd along the axes whose bits are set in `parity`, by
 * ascending total degree; returns their number. `list` may be NULL. */
int kn_elements_list(int degree, int parity, struct kn_hermite *list);

/* The polynomials of one component up to a degree, value[degree + 1]. */
void kn_elements_hermite(int degree, double v, double *value);

struct kn_elements {
    int degree;       /* of a polynomial */
    int product;      /* of a product of two polynomials */
    double *rotation; /* [degree + 1][degree + 1][product + 1], theory (47a) */
    int *place;       /* [product + 1]^3 row or column of `average`; -1: odd or too large */
    int rows, columns;
    double *average; /* [rows][columns], theory (47b) */
};

/* The elements of polynomials up to this degree for one kind of molecules. `bilinear` false: one factor of
 * the product is 1. */
enum kn_status kn_elements_create(struct kn_elements *e, int degree, bool bilinear, struct kn_kernel kernel);
void kn_elements_destroy(struct kn_elements *e);

/* <k, Q2(i, j)>, theory (47). */
double kn_elements_value(const struct kn_elements *e, struct kn_hermite k, struct kn_hermite i,
                         struct kn_hermite j);

#endif
