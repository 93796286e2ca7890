/* fields.h5, fields/NNNNNNNN.{h5,vtr} and fields.pvd; docs/format.md. */
#ifndef KN_IO_FIELDS_H
#define KN_IO_FIELDS_H

#include "space.h"

struct kn_snapshot {
    const struct kn_case *c;
    const struct kn_space *space;
    int64_t step;
    double time;               /* lambda0 / V0 */
    const double *fields;      /* [ncells][KN_FIELDS] */
    const double *mean;        /* [ncells][KN_FIELDS] time averages, or NULL */
};

/* Write DIR/fields.h5 anew with this snapshot (and links to the series), and,
 * where the case asks for them, the ParaView files. */
enum kn_status kn_fields_write(const char *folder, const struct kn_snapshot *s);

#endif
