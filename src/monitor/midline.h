/* G of a cavity: the flow through the line that halves it. */
#ifndef KN_MIDLINE_H
#define KN_MIDLINE_H

#include "comm/comm.h"
#include "grid/space.h"

enum { KN_MIDLINE_CELLS = 4 }; /* about the line at each y: two along x, two along z */

/* Mean of |u_x| along y in the middle of x and z, V0 eps.  All ranks call this, each with the fields of its
 * cells; `bits` [whole[1]][KN_MIDLINE_CELLS] is for their exchange. */
double kn_midline_flow(const struct kn_space *space, const struct kn_comm *comm, const double *fields,
                       int64_t *bits);

#endif
