/* history.csv: rows of the monitor, bound to the checkpoint by checksums. */
#ifndef KN_IO_HISTORY_H
#define KN_IO_HISTORY_H

#include "monitor/monitor.h"

struct kn_history;

/* Which rows are written: those at multiples of `every` steps, of which every second is left out, up to
 * levels - 1 times, as the file grows. */
enum { KN_HISTORY_LEVELS = 40 };
struct kn_history_plan {
    int64_t every;
    int levels; /* 1: none is left out */
};

/* Checksums over the rows that each level keeps. */
struct kn_history_sums {
    uint64_t level[KN_HISTORY_LEVELS];
};

/* Where a run is resumed. */
struct kn_history_mark {
    int64_t step;
    const struct kn_history_sums *sums;
};

/* Open for writing, anew where `mark` is NULL.  Otherwise the rows up to the mark must be those of the
 * checkpoint, else KN_EIO; later rows are dropped. */
enum kn_status kn_history_open(struct kn_history **history, const char *folder, const struct kn_monitor *m,
                               const struct kn_history_plan *plan, const struct kn_history_mark *mark);
enum kn_status kn_history_append(struct kn_history *history, const struct kn_monitor *m);

/* Before a checkpoint: rows go to disk, and `sums` into the checkpoint.  KN_EIO where the file is gone. */
enum kn_status kn_history_sync(struct kn_history *history, struct kn_history_sums *sums);

/* The run stops: write the latest row if it was left out. */
enum kn_status kn_history_end(struct kn_history *history, const struct kn_monitor *m);
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
