/* Values of control volumes whose row is on another rank, for the cells of this rank that are part of them.
 */
#ifndef KN_LENT_H
#define KN_LENT_H

#include "grid/halo.h"

struct kn_lent {
    const struct kn_space *space;
    int width;           /* values of a cell */
    struct kn_halo halo; /* a row of doubles for each cell */
    double *sent, *received;
    double *values;                    /* [nhalo][width] of the last exchange */
    struct kn_comm_exchange *exchange; /* NULL: no rank needs any */
};

/* All ranks call these, with their own spaces. Without several ranks and smooth bodies they do nothing. */
enum kn_status kn_lent_create(struct kn_lent *l, const struct kn_comm *comm, const struct kn_box *boxes,
                              const struct kn_space *space, int width);
void kn_lent_exchange(struct kn_lent *l, const double *own); /* [ncells][width] */
void kn_lent_destroy(struct kn_lent *l);

/* The values of the row of a cell of this rank, after the exchange. */
static inline const double *kn_lent_row(const struct kn_lent *l, const double *own, int cell)
{
    const int volume = kn_volumes_at(&l->space->volumes, cell),
              row = volume >= 0 ? l->space->volumes.list[volume].cell : cell;
    return row < l->space->ncells ? own + (size_t)row * (size_t)l->width
                                  : l->values + (size_t)(row - l->space->ncells) * (size_t)l->width;
}

#endif
