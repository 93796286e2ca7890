/* history.csv, read back. */
#ifndef KN_REPORT_HISTORY_H
#define KN_REPORT_HISTORY_H

#include "knudsen.h"
#include "report_text.h"

enum { KN_REPORT_COLUMNS = 128 };

struct kn_report_history {
    int columns;
    const char *name[KN_REPORT_COLUMNS]; /* [columns], into `names` */
    char *names;
    int64_t rows;
    double *values; /* [rows][columns] */
};

/* A file that is not there has no rows; one that is no table is KN_EIO. */
enum kn_status kn_report_history_read(struct kn_report_history *h, const char *folder);
void kn_report_history_destroy(struct kn_report_history *h);

int kn_report_history_column(const struct kn_report_history *h, const char *name); /* or -1 */
double kn_report_history_at(const struct kn_report_history *h, int64_t row, int column);

/* As the page has it: {"rows": ..., "columns": [...], "values": [...]}, thinned out where it is long. */
void kn_report_history_print(FILE *to, const struct kn_report_history *h, struct kn_report_notes *notes);

#endif
