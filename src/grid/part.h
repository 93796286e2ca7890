/* The part of a space with smooth bodies that one rank computes. */
#ifndef KN_PART_H
#define KN_PART_H

#include "grid/space.h"

/* Fill a space that has a box: its cells, the cells of the halo from which a step reads, their wall faces and
 * control volumes, with the values of the whole space.  Takes the edges and extents of the latter. */
enum kn_status kn_part_create(struct kn_space *part, struct kn_space *whole, const struct kn_case *c);

#endif
