/* The choice of time.mode: auto. */
#ifndef KN_MODE_H
#define KN_MODE_H

#include "comm/comm.h"
#include "knudsen.h"

enum { KN_MODE_REASON = 512 };

/* Replace time.mode: auto by steady or unsteady.  `why` [KN_MODE_REASON] receives the choice and its reason;
 * it is empty if the mode was given.  The case must have been checked, and its velocity nodes chosen. */
void kn_mode_choose(struct kn_case *c, const struct kn_comm *comm, char *why);

#endif
