/* G of a cavity: the flow through its vertical midline. */
#ifndef KN_MIDLINE_H
#define KN_MIDLINE_H

#include "comm/comm.h"
#include "grid/space.h"

enum { KN_MIDLINE_CELLS = 4 }; /* next to the line at each y: two along x, two along z */

/* Mean of |u_x| along y in the middle of x and z, V0 eps.  All ranks call this with the fields of their
 * cells; `bits` [whole[1]][KN_MIDLINE_CELLS] is a buffer for the communication. */
double kn_midline_flow(const struct kn_space *space, const struct kn_comm *comm, const double *fields,
                       int64_t *bits);

#endif
