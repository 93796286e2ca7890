/* The field files: fields.h5, fields/NNNNNNNN.{h5,vtr,pvtr} and fields.pvd; docs/format.md. */
#ifndef KN_IO_FIELDS_H
#define KN_IO_FIELDS_H

#include "comm/comm.h"
#include "config/quantities.h"
#include "config/scales.h"
#include "grid/fluxes.h"
#include "grid/space.h"
#include "io/store.h"

struct kn_snapshot {
    const struct kn_case *c;
    const struct kn_space *space;
    int64_t step;
    double time;                     /* lambda0 / V0 */
    const double *fields;            /* [ncells][KN_FIELDS], of this rank */
    const double *mean;              /* [ncells][KN_FIELDS] time averages, or NULL on all ranks */
    const double *amplitude, *phase; /* [ncells][KN_FIELDS] of an oscillation, phase in radian; or NULL */
    const double *surfaces; /* kn_fluxes.local at the faces and facets of this rank, or NULL on all ranks */
    const struct kn_comm *comm;
    const struct kn_box *boxes; /* [comm->size]; not used if there is one rank */
    bool unfinished;            /* the run stops before its end: only fields.h5 is written */
};

/* The values of a snapshot, [ncells][KN_FIELDS]; NULL if it does not have them. */
enum kn_fields_kind { KN_FIELDS_NOW, KN_FIELDS_MEAN, KN_FIELDS_AMPLITUDE, KN_FIELDS_PHASE, KN_FIELDS_KINDS };
static inline const double *kn_fields_values(const struct kn_snapshot *s, int kind)
{
    return kind == KN_FIELDS_NOW         ? s->fields
           : kind == KN_FIELDS_MEAN      ? s->mean
           : kind == KN_FIELDS_AMPLITUDE ? s->amplitude
                                         : s->phase;
}

/* The conversion of such values to SI: amplitudes are differences, and phases have no unit. */
static inline struct kn_conversion kn_fields_conversion(const struct kn_scales *scales, int kind,
                                                        enum kn_dimension dimension)
{
    if (kind == KN_FIELDS_PHASE)
        return (struct kn_conversion){1, 0};
    struct kn_conversion by = kn_scales_conversion(scales, dimension);
    by.offset = kind == KN_FIELDS_AMPLITUDE ? 0 : by.offset;
    return by;
}

/* Replace DIR/fields.h5 by this snapshot (with links to the series), and write the ParaView files if the case
 * requests them.  All ranks call it, each with its own cells; they succeed or fail together. */
enum kn_status kn_fields_write(const char *folder, const struct kn_snapshot *s);

/* True if this is the name of a file of the series in fields/. */
bool kn_fields_is_series(const char *name);

enum { KN_FIELDS_FORMAT = 1, KN_FIELDS_SPECIES = 32, KN_FIELDS_LINK = 32 };

struct kn_fields_grid {
    int cells[3];
    double *edges[3]; /* [cells[d] + 1], lambda0, finite and increasing */
};

/* Open a file and check its format, its grid and the shape of its datasets; else KN_EIO. */
enum kn_status kn_fields_open(const char *path, hid_t *file, struct kn_fields_grid *g);
void kn_fields_free_grid(struct kn_fields_grid *g);

/* All values of a quantity, to be freed; NULL if they cannot be read, with errno ENOMEM if memory is short.
 */
double *kn_fields_read_quantity(hid_t where, const struct kn_quantity *q, const struct kn_fields_grid *g);

/* 1: the file has averages in the group `mean`; 0: it has none; -1: they cannot be read. */
int kn_fields_has_mean(hid_t file);

/* The series: its length (negative if it cannot be read), the name of a link, and the group of a link
 * (negative if it cannot be opened). */
int kn_fields_series_length(hid_t file);
bool kn_fields_series_name(hid_t file, int index, char name[KN_FIELDS_LINK]);
hid_t kn_fields_open_series(hid_t file, const char *name);

/* The scales of a run from an open fields.h5, or from the case (or NULL) if `file` is negative.  If neither
 * has them they are unknown and the species is empty.  False: the file is damaged. */
bool kn_fields_read_scales(hid_t file, const struct kn_case *c, struct kn_scales *scales,
                           char species[KN_FIELDS_SPECIES]);

/* Write fields/NNNNNNNN.vtr, or .pvtr, and its entry in fields.pvd; entries of an earlier, longer run at or
 * after this time are removed.  All ranks call it. */
enum kn_status kn_vtk_write(const char *folder, const struct kn_snapshot *s);

#endif
