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

#endif
