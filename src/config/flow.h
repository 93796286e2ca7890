/* Whether two cases ask for the same physics, whatever their cells, nodes, steps and files. */
#ifndef KN_FLOW_H
#define KN_FLOW_H

#include "knudsen.h"

/* Gas, equation, box, walls, sources and beginning: all but how rarefied the gas is. */
bool kn_flow_is_same(const struct kn_case *a, const struct kn_case *b);

/* How rarefied it is; a thousandth of delta, which pressure and length may leave over, does not count. */
bool kn_flow_is_as_rare(const struct kn_case *a, const struct kn_case *b);

#endif
