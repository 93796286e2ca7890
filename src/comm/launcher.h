/* Who has started this process, and how many like it. */
#ifndef KN_LAUNCHER_H
#define KN_LAUNCHER_H

#include "knudsen.h"

struct kn_launcher {
    const char *name;
    int processes; /* as far as it tells; 1 where it does not */
    int rank;      /* of this one, likewise; else 0 */
};

/* NULL where no launcher of parallel jobs has. */
const struct kn_launcher *kn_launcher_find(void);

/* Is KNUDSEN_MPI what it may be? */
enum kn_status kn_launcher_check(void);

#endif
