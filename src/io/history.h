/* The table history.csv: rows of the monitor, protected by checksums in the checkpoint. */
#ifndef KN_IO_HISTORY_H
#define KN_IO_HISTORY_H

#include "monitor/history_table.h"
#include "monitor/monitor.h"

struct kn_history;

/* The rows of the file: those at multiples of `every` steps.  As the file grows every second row is removed,
 * up to levels - 1 times. */
enum { KN_HISTORY_LEVELS = 40 };
struct kn_history_plan {
    int64_t every;
    int levels; /* 1: no row is removed */
};

/* Checksums of the rows of each level. */
struct kn_history_sums {
    uint64_t level[KN_HISTORY_LEVELS];
};

/* The step at which a run is resumed. */
struct kn_history_mark {
    int64_t step;
    const struct kn_history_sums *sums;
};

/* Open for writing; a new file if `mark` is NULL.  Otherwise the rows up to the mark must match the
 * checkpoint, else KN_EIO; later rows are removed. */
enum kn_status kn_history_open(struct kn_history **history, const char *folder, const struct kn_monitor *m,
                               const struct kn_history_plan *plan, const struct kn_history_mark *mark);
enum kn_status kn_history_append(struct kn_history *history, const struct kn_monitor *m);

/* Before a checkpoint: write the rows to disk and get the checksums.  KN_EIO if the file has been removed. */
enum kn_status kn_history_sync(struct kn_history *history, struct kn_history_sums *sums);

/* At the end of a run: write the last row if it was left out. */
enum kn_status kn_history_end(struct kn_history *history, const struct kn_monitor *m);
enum kn_status kn_history_close(struct kn_history *history);

/* Read the file back.  A folder without the file has a table without columns; a file that is not a history is
 * KN_EIO.  Incomplete rows, which a running or killed run may leave, are ignored.
 */
enum kn_status kn_history_read(struct kn_history_table *h, const char *folder);
void kn_history_free(struct kn_history_table *h);

#endif
