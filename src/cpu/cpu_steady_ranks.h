/* Rows that ranks exchange in the passes of the steady-state solver on the CPU, in double precision.
 *
 * A sweep consists of items: an octant and a group of nodes, which are independent of each other.  For each
 * item a rank receives the rows upwind of its cells, computes the cells, and sends the rows that others need.
 * Every rank computes first the items on which the longest chain of other ranks waits. */
#ifndef KN_CPU_STEADY_RANKS_H
#define KN_CPU_STEADY_RANKS_H

#include "backend/steady_backend.h"

enum { KN_STEADY_GROUP = KN_VELOCITY_PAD }; /* nodes of an item */

struct kn_cpu_ranks {
    const struct kn_halo *halo;
    int octants, stride, threads;
    int32_t origin;  /* the first row of the halo */
    int parts;       /* 2: real and imaginary */
    double *rows[2]; /* [nhalo][nnodes] of the cells of other ranks */

    /* Rows in messages: of one pass [row][stride], or of items [item][row][part][KN_STEADY_GROUP], where the
     * rows of an octant are ordered by rank. */
    struct kn_cpu_border {
        int32_t *rows;  /* of items, by octant and peer; those that are received are numbered from the halo */
        int32_t *first; /* [octants * npeers + 1] */
        double *data;
        struct kn_comm_exchange **items; /* [nitems] */
    } sent, received;
    struct kn_comm_exchange *pass;

    int nitems, waiting;
    int *order, *items; /* [nitems] all; those of this sweep that are not computed yet */
};

/* *out is NULL if no other rank has cells.  All ranks. */
enum kn_status kn_cpu_ranks_create(struct kn_cpu_ranks **out, const struct kn_steady_plan *plan);
void kn_cpu_ranks_destroy(struct kn_cpu_ranks *r);      /* may be NULL */
double kn_cpu_ranks_memory(const struct kn_problem *p); /* bytes; needs only sizes */

/* The rows of x[ncells][nnodes] that this rank needs from others, in rows[0].  All ranks. */
void kn_cpu_ranks_exchange(struct kn_cpu_ranks *r, const double *x);

/* A sweep: begin; as long as `next` returns items, for each of them `receive` (into `rows`), the computation
 * and `send` in any thread, then `post`; and end. */
void kn_cpu_ranks_begin(struct kn_cpu_ranks *r);
int kn_cpu_ranks_next(struct kn_cpu_ranks *r, int *items); /* [threads] */
void kn_cpu_ranks_receive(const struct kn_cpu_ranks *r, int item);
void kn_cpu_ranks_send(const struct kn_cpu_ranks *r, int item, double *const *to); /* [parts] */
void kn_cpu_ranks_post(const struct kn_cpu_ranks *r, const int *items, int count);
void kn_cpu_ranks_end(const struct kn_cpu_ranks *r);

#endif
