/* The launcher (mpirun, srun) that started this process. */
#ifndef KN_LAUNCHER_H
#define KN_LAUNCHER_H

#include "knudsen.h"

struct kn_launcher {
    const char *name;
    int processes; /* 1 if unknown */
    int rank;      /* of this process; 0 if unknown */
};

/* NULL: there is none. */
const struct kn_launcher *kn_launcher_find(void);

/* KN_EINPUT if KNUDSEN_MPI has an invalid value. */
enum kn_status kn_launcher_check(void);

#endif
