/* A front between two inflows along x, the only axis, such as a shock, that may wander: looked at in its own
 * frame. */
#ifndef KN_FRONT_H
#define KN_FRONT_H

#include "verify/record.h"

bool kn_front_is(const struct kn_case *c);

/* Where the density passes the mean of both inflows, lambda0 (NaN: nowhere); and the fields as they are about
 * that place, moved to the middle of the box. */
double kn_front_centre(const struct kn_record *r, const double *fields, double *moved);

#endif
