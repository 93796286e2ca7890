/* Access of rank 0 to the data of all cells by their numbers in the whole space; the other ranks serve it. */
#ifndef KN_SHARE_H
#define KN_SHARE_H

#include "comm/comm.h"
#include "grid/space.h"

/* Read, or with `in` store, the rows of cells first..first+count-1 of the box. */
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

/* On rank 0: the rows of cells first..first+count-1 of the whole space, from or to their ranks.  A failure on
 * another rank is reported by kn_share_finish. */
enum kn_status kn_share_get(const struct kn_share *s, int table, int64_t first, int64_t count, void *rows);
enum kn_status kn_share_put(const struct kn_share *s, int table, int64_t first, int64_t count, void *rows);

/* On all ranks, at the end: rank 0 passes its status, the others serve requests until then.  All get the
 * first failure. */
enum kn_status kn_share_finish(const struct kn_share *s, enum kn_status status);

#endif
