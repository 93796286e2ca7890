/* Rows that ranks exchange at every step: one octant of one cell each. */
#ifndef KN_HALO_H
#define KN_HALO_H

#include "comm/comm.h"
#include "grid/space.h"
#include "point/mesh.h"

/* A rank with which rows are exchanged. */
struct kn_peer {
    int rank;
    int32_t first_send, nsend; /* rows of kn_halo.send */
    int32_t first_recv, nrecv; /* rows of kn_halo.recv */
};

/* Rows are numbered cell * octants + octant; the rows of a peer are consecutive. */
struct kn_halo {
    const struct kn_comm *comm;
    int stride; /* numbers of a row */
    int npeers;
    struct kn_peer *peers; /* [npeers] */
    int32_t nsend, nrecv;
    int32_t *send;      /* [nsend] rows of the box that others need */
    int32_t *recv;      /* [nrecv] rows of the halo that are needed here */
    uint8_t *rim;       /* [ncells] 1: the next state of this cell needs the halo */
    uint8_t *rim_faces; /* [nfaces] 1: the outgoing distribution of this face needs the halo */
    /* The same for values on the surfaces of control volumes and for what links carry into them. */
    uint8_t *rim_volumes, *rim_links; /* [count], [nlinks] */
};

/* Every rank calls this with its own space; `boxes` has one for each. */
enum kn_status kn_halo_create(struct kn_halo *halo, const struct kn_comm *comm, const struct kn_box *boxes,
                              const struct kn_space *space, const struct kn_mesh *mesh, int order);

/* A halo with one row of `stride` floats for each cell: those of the halo of the space that are `needed`
 * [nhalo]. */
enum kn_status kn_halo_create_cells(struct kn_halo *halo, const struct kn_comm *comm,
                                    const struct kn_box *boxes, const struct kn_space *space, int stride,
                                    uint8_t *needed);

void kn_halo_destroy(struct kn_halo *halo);

/* Tell the peers `bytes` bytes about every row that is received; `sent` gets those about the rows that are
 * sent. All ranks. */
enum kn_status kn_halo_tell(const struct kn_halo *halo, size_t bytes, void *received, void *sent);

/* The messages of a step: `send` and `recv` hold the rows, of numbers with `size` bytes, in the order of the
 * lists. Destroyed by kn_comm_exchange_destroy. */
enum kn_status kn_halo_exchange(const struct kn_halo *halo, size_t size, void *send, void *recv,
                                struct kn_comm_exchange **out);

#endif
