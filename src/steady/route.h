/* The cells in sweeps and in connected regions of the gas. */
#ifndef KN_ROUTE_H
#define KN_ROUTE_H

#include "backend/steady_backend.h"

/* Fill the members of a plan about cells: route, volume and regions.  KN_EINPUT: a region has no steady
 * state. Release them with kn_route_destroy, also after a failure. */
enum kn_status kn_route_create(struct kn_steady_plan *plan);
void kn_route_destroy(struct kn_steady_plan *plan);

#endif
