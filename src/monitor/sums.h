/* Sums over the cells of all ranks: exact, and so the same however cells are divided. */
#ifndef KN_SUMS_H
#define KN_SUMS_H

#include "comm/comm.h"
#include "grid/space.h"

enum { KN_SUMS_WATCHED = KN_THETA + 1 }; /* rho, u, theta: what the residual looks at */

struct kn_sums {
    double volume;            /* of the gas, lambda0^3; the others are integrals over it */
    double moved;             /* of |rho| */
    double disturbed;         /* of |u_x| + |u_y| + |u_z| + |theta| */
    double momentum[3];       /* of <v h> */
    double energy;            /* of <v^2 h> */
    double change;            /* of the squares by which rho, u, theta differ from before; 0 without that */
    double size;              /* of their squares */
    double fields[KN_FIELDS]; /* of each field; the mass is that of rho */
};

/* All ranks call this, each with the fields [ncells][KN_FIELDS] of its cells and with what rho, u, theta
 * [ncells][KN_SUMS_WATCHED] were before, or NULL.  A field that is not finite makes its sum NaN. */
void kn_sums_take(struct kn_sums *sums, const struct kn_comm *comm, const struct kn_case *c,
                  const struct kn_space *space, const double *fields, const double *before);

/* The parts of rho, u, theta in a wave [ncells]: integrals of their products with it over that of its square.
 * All ranks. */
void kn_sums_project(double parts[KN_SUMS_WATCHED], const struct kn_comm *comm, const struct kn_space *space,
                     const double *wave, const double *fields);

/* Threads for a loop over cells that does little in each. */
int kn_sums_threads(const struct kn_case *c, const struct kn_comm *comm, int cells);

#endif
