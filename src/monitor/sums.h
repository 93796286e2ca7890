/* Exact sums over the cells of all ranks and the flow through the midline, for any division into boxes. */
#ifndef KN_SUMS_H
#define KN_SUMS_H

#include "comm/comm.h"
#include "grid/space.h"

enum { KN_SUMS_WATCHED = KN_THETA + 1 }; /* rho, u, theta: the fields of the residual */

struct kn_sums {
    double volume;            /* of the gas, lambda0^3; the others are integrals over it */
    double moved;             /* of |rho| */
    double disturbed;         /* of |u_x| + |u_y| + |u_z| + |theta| */
    double momentum[3];       /* of <v h> */
    double energy;            /* of <v^2 h> */
    double change;            /* of the squared changes of rho, u, theta; 0 without previous values */
    double size;              /* of their squares */
    double fields[KN_FIELDS]; /* of each field; the mass is that of rho */
};

/* All ranks call this with the fields [ncells][KN_FIELDS] of their cells at the disturbance eps, and with the
 * previous rho, u, theta [ncells][KN_SUMS_WATCHED] or NULL.  The sum of a field with a non-finite value is
 * NaN. */
void kn_sums_take(struct kn_sums *sums, const struct kn_comm *comm, int threads, double eps,
                  const struct kn_space *space, const double *fields, const double *before);

enum { KN_SUMS_MIDLINE = 4 }; /* cells next to the vertical midline at each y: two along x, two along z */

/* G of a cavity, the mean of |u_x| along y in the middle of x and z, V0 eps.  All ranks call this with the
 * fields of their cells; `bits` [whole[1]][KN_SUMS_MIDLINE] is a buffer for the communication. */
double kn_sums_midline(const struct kn_space *space, const struct kn_comm *comm, const double *fields,
                       int64_t *bits);

/* The amplitudes of rho, u, theta in a wave [ncells]: integrals of their products with the wave over the
 * integral of its square.  All ranks. */
void kn_sums_project(double parts[KN_SUMS_WATCHED], const struct kn_comm *comm, const struct kn_space *space,
                     const double *wave, const double *fields);

/* Threads for a loop over cells with little work per cell: all or one.  OpenMP would end some threads before
 * a loop with fewer of them, and create them again later. */
int kn_sums_threads(int threads, int cells);

#endif
