/* The cells in sweeps. */
#ifndef KN_ROUTE_H
#define KN_ROUTE_H

#include "backend/steady_backend.h"

/* Fill the members of a plan about the cells of this rank: upwind, route and volume.  Release them with
 * kn_route_destroy, also after a failure. */
enum kn_status kn_route_create(struct kn_steady_plan *plan);
void kn_route_destroy(struct kn_steady_plan *plan);

#endif
