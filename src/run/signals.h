/* Signals that ask the program to stop, or to write a checkpoint, while something runs. */
#ifndef KN_SIGNALS_H
#define KN_SIGNALS_H

#include <stdbool.h>

/* From here on signals are noted instead of acted upon, until they are released again.
 * Not nested. */
void kn_signals_catch(void);
void kn_signals_release(void);

bool kn_signals_stop(void); /* SIGINT, SIGTERM or SIGHUP has come */
bool kn_signals_save(void); /* SIGUSR1 has come since this was last asked */

#endif
