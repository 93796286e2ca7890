/* The origin of a result: the program, the machine, the command and the date. */
#ifndef KN_PROVENANCE_H
#define KN_PROVENANCE_H

#include <stddef.h>

struct kn_provenance {
    const char *commit;   /* of the source, "-dirty" if files had been changed; "" = unknown */
    const char *compiler; /* name and version */
    const char *flags;
    char processor[128];
    char device[256];   /* description by the backend */
    char started[32];   /* UTC, ISO 8601 */
    char command[4096]; /* quoted for a shell */
};

/* Everything except the device, which the backend describes. */
void kn_provenance_take(struct kn_provenance *p);

/* The commit that this program was built from; "" = unknown. */
const char *kn_provenance_commit(void);

#endif
