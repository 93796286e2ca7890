/* The blocks of the moment equations. */
#ifndef KN_ASSEMBLY_H
#define KN_ASSEMBLY_H

#include "steady/coarse.h"

/* Allocate and fill the rows of A_c.  The plan is given, and `right` is memory that is overwritten. */
enum kn_status kn_assembly_fill(struct kn_coarse *c);

#endif
