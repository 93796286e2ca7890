/* The connected regions of the gas. */
#ifndef KN_REGIONS_H
#define KN_REGIONS_H

#include "backend/steady_backend.h"

/* Fill the members of a plan of all cells about regions.  KN_EINPUT: a region has no steady state.  Release
 * them with kn_regions_destroy, also after a failure. */
enum kn_status kn_regions_create(struct kn_steady_plan *plan);
void kn_regions_destroy(struct kn_steady_plan *plan);

#endif
