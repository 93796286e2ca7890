/* The launcher that has started this process, and the number of processes. */
#ifndef KN_LAUNCHER_H
#define KN_LAUNCHER_H

#include "knudsen.h"

struct kn_launcher {
    const char *name;
    int processes; /* 1 if the launcher does not set it */
    int rank;      /* of this process; 0 if the launcher does not set it */
};

/* NULL if no parallel launcher has started this process. */
const struct kn_launcher *kn_launcher_find(void);

/* KN_EINPUT if KNUDSEN_MPI is neither on nor off. */
enum kn_status kn_launcher_check(void);

#endif
