/* knudsen info: numbers about what a case would use, without running it. */
#ifndef KN_INFO_H
#define KN_INFO_H

#include "knudsen.h"

/* Print transport coefficients, spectrum, memory and cost of the assembled operator
 * of this case's velocity grid, as text or as JSON. */
/* What a case is and what it needs. */
enum kn_status kn_info_case(const struct kn_case *c, bool json);

enum kn_status kn_info_operator(const struct kn_case *c, bool json);

#endif
