/* knudsen info: numbers about what a case would use, without running it. */
#ifndef KN_INFO_H
#define KN_INFO_H

#include "knudsen.h"

/* What a case is and what it needs, as text or as JSON; ranks > 0: also how it would be divided among so
 * many. */
enum kn_status kn_info_case(const struct kn_case *c, int ranks, bool json);

/* Transport coefficients, spectrum, memory and cost of the assembled operator of this case's velocity grid.
 */
enum kn_status kn_info_operator(const struct kn_case *c, bool json);

#endif
