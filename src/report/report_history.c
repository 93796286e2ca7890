#include "report/report_history.h"

#include <stdlib.h>

enum { SHOWN = 3000 }; /* rows that a chart can use */

void kn_report_history_print(FILE *to, const struct kn_history_table *h, struct kn_report_notes *notes)
{
    const int64_t every = h->rows > SHOWN ? (h->rows + SHOWN - 1) / SHOWN : 1;
    const int64_t shown = h->rows ? (h->rows - 1) / every + 1 : 0;
    double *column = kn_report_allocate((size_t)shown + 1, sizeof *column);
    if (every > 1)
        kn_report_note(
            notes, "The charts have every %lld-th of the %lld rows of history.csv, counted from the last.",
            (long long)every, (long long)h->rows);
    fprintf(to, "{\"rows\": %lld, \"columns\": [", (long long)h->rows);
    for (int i = 0; i < h->columns; i++) {
        fputs(i ? ", " : "", to);
        kn_report_put_text(to, h->names[i]);
    }
    fputs("], \"values\": [", to);
    for (int i = 0; column && i < h->columns; i++) {
        for (int64_t k = 0; k < shown; k++)
            column[k] = kn_history_at(h, h->rows - 1 - (shown - 1 - k) * every, i);
        fputs(i ? ", " : "", to);
        kn_report_put_array(to, column, (size_t)shown);
    }
    fputs("]}", to);
    free(column);
}
