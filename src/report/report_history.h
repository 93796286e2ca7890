/* history.csv for the page. */
#ifndef KN_REPORT_HISTORY_H
#define KN_REPORT_HISTORY_H

#include "io/history.h"
#include "report/report_text.h"

/* As the page has it: {"rows": ..., "columns": [...], "values": [...]}, thinned out where it is long. */
void kn_report_history_print(FILE *to, const struct kn_history_table *h, struct kn_report_notes *notes);

#endif
