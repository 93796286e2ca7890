/* The reference state of a case, about which its distribution function is written: theory, section 15. */
#ifndef KN_REFERENCE_H
#define KN_REFERENCE_H

#include "knudsen.h"
#include "point/reference.h"

/* The reference of a case, with `auto` resolved. */
struct kn_reference kn_reference_of(const struct kn_case *c);

/* Tr / T0 in the middle of the temperatures of a case, theory (58); 1 if only the gas at rest is possible. */
double kn_reference_middle(const struct kn_case *c);

/* True if the initial state and the equation allow any reference. */
bool kn_reference_is_free(const struct kn_case *c);

/* The case that the simulation computes: walls and sources in units of the reference, times and lengths in
 * those of the gas at rest.  It has the same reference, without auto. */
struct kn_case kn_reference_case(const struct kn_reference *r, const struct kn_case *c);

/* One side of it. */
struct kn_wall kn_reference_wall(const struct kn_reference *r, const struct kn_wall *wall);

/* Describe the reference, in text[KN_TEXT]; false if it is the gas at rest. */
bool kn_reference_text(const struct kn_case *c, char *text);

#endif
