/* history.csv: one row per report, appended and flushed. */
#ifndef KN_IO_HISTORY_H
#define KN_IO_HISTORY_H

#include "monitor.h"

struct kn_history;

/* Open for writing.  With keep_until >= 0 the rows up to that step stay (a
 * resumed run), later ones are dropped; negative starts anew. */
enum kn_status kn_history_open(struct kn_history **history, const char *folder, const struct kn_monitor *m,
                               int64_t keep_until);
enum kn_status kn_history_append(struct kn_history *history, const struct kn_monitor *m);
enum kn_status kn_history_close(struct kn_history *history);

/* The file read back. */
struct kn_history_table {
    int columns;
    char **names; /* [columns] */
    int64_t rows;
    double *values; /* [rows][columns] */
};

/* A folder without the file has a table without columns; a file that is no history is KN_EIO.  Rows that are
 * cut short, as a run that goes on or was ended by force may leave them, are left out. */
enum kn_status kn_history_read(struct kn_history_table *h, const char *folder);
void kn_history_free(struct kn_history_table *h);

int kn_history_column(const struct kn_history_table *h, const char *name); /* or -1 */
double kn_history_at(const struct kn_history_table *h, int64_t row, int column);

#endif
