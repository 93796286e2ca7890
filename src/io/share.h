/* Data of single cells, of which every rank has those of its box, under their numbers in the whole
 * space: rank 0 asks, the others serve. */
#ifndef KN_SHARE_H
#define KN_SHARE_H

#include "comm/comm.h"
#include "grid/space.h"

/* Cells first..first+count-1 of the box, out of where they are kept or (`in`) into it. */
typedef enum kn_status kn_share_move(void *of, bool in, int64_t first, int64_t count, void *rows);

struct kn_share_table {
    size_t bytes; /* of a cell */
    kn_share_move *move;
    void *of;
};

struct kn_share {
    const struct kn_comm *comm;
    const struct kn_space *space;
    const struct kn_box *boxes; /* [comm->size] */
    const struct kn_share_table *tables;
};

/* On rank 0: the rows of cells first..first+count-1 of the whole space, from or to their ranks.  Where a
 * move fails elsewhere, its rank says so when it stops serving. */
enum kn_status kn_share_get(const struct kn_share *s, int table, int64_t first, int64_t count, void *rows);
enum kn_status kn_share_put(const struct kn_share *s, int table, int64_t first, int64_t count, void *rows);

/* All ranks, when there is nothing more to ask for: rank 0 with what has become of it, the others after
 * having served until then.  All get the first failure. */
enum kn_status kn_share_finish(const struct kn_share *s, enum kn_status status);

#endif
