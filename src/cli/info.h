/* The output of knudsen info: properties of a case before its run. */
#ifndef KN_INFO_H
#define KN_INFO_H

#include "knudsen.h"

/* Print the properties of a case as text or JSON; ranks > 0: also its division among this number of ranks. */
enum kn_status kn_info_case(const struct kn_case *c, int ranks, bool json);

/* Print transport coefficients, spectrum, memory and cost of the operator of the velocity grid of the case.
 */
enum kn_status kn_info_operator(const struct kn_case *c, bool json);

#endif
