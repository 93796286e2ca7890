/* The emission of the facets of control volumes. */
#ifndef KN_EMISSION_H
#define KN_EMISSION_H

#include "grid/boundary.h"

/* Allocate and fill the emission of all facets. */
enum kn_status kn_emission_create(struct kn_boundary *b);

/* Fill the emission of the facets of a patch for this time. */
void kn_emission_update(struct kn_boundary *b, int patch, double time);

#endif
