/* The quadratic part of the collision integral: a bilinear form on polynomials in the frame of the local
 * Maxwellian, theory (47) to (47e). */
#ifndef KN_QUADRATIC_H
#define KN_QUADRATIC_H

#include "collision/elements.h"
#include "collision/operator.h"
#include "point/hermite.h"

enum {
    KN_QUADRATIC_POLYNOMIALS = 56, /* of degree 5 in three variables */
    KN_QUADRATIC_LINES = 21        /* in two variables */
};

/* Two polynomials whose product has a given parity. */
struct kn_quadratic_pair {
    uint16_t i, j;
};

/* Polynomials that differ only in the degree along one axis: degrees 0, step, 2 step ... */
struct kn_quadratic_line {
    int count, step;
    int at[KN_HERMITE_TERMS];
};

/* Polynomials and products are sorted by parity, which is numbered like the octants of the grid. */
struct kn_quadratic {
    int count;                  /* polynomials; 0: no quadratic part */
    int first[KN_PARITIES + 1]; /* of each parity */
    struct kn_hermite list[KN_QUADRATIC_POLYNOMIALS];
    struct kn_quadratic_line lines[3][KN_QUADRATIC_LINES]; /* by axis */
    int nlines[3];
    int start[KN_PARITIES + 1];      /* pairs of each parity */
    struct kn_quadratic_pair *pairs; /* [start[octants]] */
    double *tensor[KN_PARITIES]; /* [polynomials of the parity][its pairs], with the strength of collisions */
    double *value;               /* [count][size] polynomials at the nodes of an octant */
    double *orthonormal;         /* [count][size] the same, orthonormal in the sums over the nodes */
};

/* The lists of polynomials and the numbers of pairs alone; empty unless the method is operator and eps > 0.
 */
struct kn_quadratic kn_quadratic_sizes(const struct kn_case *c, const struct kn_velocity *v);

enum kn_status kn_quadratic_create(struct kn_quadratic *q, const struct kn_case *c,
                                   const struct kn_velocity *v, const struct kn_operator *o);
void kn_quadratic_destroy(struct kn_quadratic *q);

/* How a linear collision step dt changes the polynomials of one parity, theory (47e): relaxed[i][j], the part
 * along orthonormal polynomial i of the change of j, and beyond[j][k], the rest of this change at node k. */
void kn_quadratic_changes(const struct kn_quadratic *q, const struct kn_velocity *v,
                          const struct kn_operator *o, int parity, double dt, double *relaxed,
                          double *beyond);

#endif
