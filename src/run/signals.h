/* Signals that request the end of a run or a checkpoint. */
#ifndef KN_SIGNALS_H
#define KN_SIGNALS_H

#include <stdbool.h>

/* Record signals instead of their default effect, until they are released. */
void kn_signals_catch(void);
void kn_signals_release(void);

bool kn_signals_stop(void); /* was SIGINT, SIGTERM or SIGHUP received? */
bool kn_signals_save(void); /* was SIGUSR1 received since the last call? */

#endif
