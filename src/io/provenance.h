/* Where a result comes from: the program, the machine, the command and the date. */
#ifndef KN_PROVENANCE_H
#define KN_PROVENANCE_H

#include <stddef.h>

struct kn_provenance {
    const char *commit;   /* of the source, "-dirty" where files had been changed; "" = not known */
    const char *compiler; /* name and version */
    const char *flags;
    char processor[128];
    char device[256];   /* what the backend says it runs on */
    char started[32];   /* UTC, ISO 8601 */
    char command[4096]; /* as a shell would read it */
};

/* All but the device, which the backend knows. */
void kn_provenance_take(struct kn_provenance *p);

/* The commit that this program was built from; "" = not known. */
const char *kn_provenance_commit(void);

#endif
