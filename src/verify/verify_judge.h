/* What is made of measured values: which are compared, with what tolerance, and the verdict (verify.h). */
#ifndef KN_VERIFY_JUDGE_H
#define KN_VERIFY_JUDGE_H

#include "verify/verify.h"

/* Share errors among the results of one group of runs, and judge each. */
void kn_verify_judge(struct kn_verify_result *results, int count);

/* Whether the file has a full row of the same quantity, conditions and source: the quick one gives way to it.
 */
bool kn_verify_is_superseded(const struct kn_reference *f, const struct kn_reference_row *row);

#endif
