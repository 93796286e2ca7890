/* The same case on coarser grids, from which the error of a grid is told. */
#ifndef KN_COARSEN_H
#define KN_COARSEN_H

#include "knudsen.h"

/* Half as many cells along each axis on which there are some, of the same shape; a uniform gas
 * gets twice the time step instead.  Rows of the history stay about as far apart in time. */
void kn_coarsen_space(struct kn_case *c);

/* Three quarters of the velocity nodes, even and at least 6 an axis; false where they stay as they are. */
bool kn_coarsen_velocity(struct kn_case *c);

#endif
