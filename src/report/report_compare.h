/* A finished run beside what reference.csv of the cases says about its conditions.
 *
 * A value is compared where the case that it belongs to, with the settings of its row, asks for the same
 * physics as the run: gas, equation, box, walls, sources and beginning.  Cells, nodes and steps may differ.
 * A row without settings, for the reader only, has those of a row whose conditions begin its own.
 * Numbers of a steady flow need one; those of a time need a run that came so far. */
#ifndef KN_REPORT_COMPARE_H
#define KN_REPORT_COMPARE_H

#include "report/report_fields.h"
#include "report/report_history.h"

struct kn_report_run {
    const struct kn_case *c; /* as it was run */
    const struct kn_history_table *history;
    struct kn_report_gas *gas;
    bool steady;      /* or noisy without a drift */
    double time_step; /* lambda0 / V0 */
};

/* {"rows": [...], "remark": "..."}: the remark says why there is nothing, or not all. */
void kn_report_compare_print(FILE *to, const struct kn_report_run *run);

#endif
