/* The order of the cells in sweeps. */
#ifndef KN_ROUTE_H
#define KN_ROUTE_H

#include "backend/steady_backend.h"

/* Fill route and volume of a plan.  Release them with kn_route_destroy, also after a failure. */
enum kn_status kn_route_create(struct kn_steady_plan *plan);
void kn_route_destroy(struct kn_steady_plan *plan);

#endif
