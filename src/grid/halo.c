/* Finds the rows that ranks exchange at every step. */
#include "grid/halo.h"

#include "error.h"
#include "grid/boxes.h"

#include <stdlib.h>
#include <string.h>

/* The rows that a step reads, found by the same walk as in the kernels. */
struct survey {
    struct kn_halo *halo;
    const struct kn_space *space;
    const struct kn_mesh *mesh;
    int order;
    uint8_t *needed; /* [nhalo][octants] */
    uint8_t *late;   /* [kn_volumes_rows] 1: this row of `outgoing` needs the halo, at control volumes */
    bool *outside;   /* a row is needed that is neither in the box nor in the halo */
};

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the borders between ranks");
}

/* Record that a row is read; true if it is in the halo. */
static bool note_row(const struct survey *s, int64_t row)
{
    const int64_t number = row / s->mesh->stride - (int64_t)s->space->ncells * s->mesh->octants;
    if (row < 0 || number < 0)
        return false;
    s->needed[number] = 1;
    return true;
}

/* The same for a row of `outgoing`. */
static bool note_outgoing(const struct survey *s, int64_t row)
{
    const bool known = row < (int64_t)kn_volumes_rows(&s->space->volumes, s->space->nfaces);
    *s->outside |= !known;
    return known && s->late[row];
}

/* What passes the downwind face of a site. */
static bool note_stencil(const struct survey *s, struct kn_site site, int axis)
{
    if (s->order == 1)
        return note_row(s, kn_mesh_row(s->mesh, site));
    const struct kn_stencil t = kn_mesh_stencil(s->mesh, site, axis, s->order, 1);
    bool reads = note_row(s, t.here);
    reads = (t.up < 0 ? note_outgoing(s, ~t.up / s->mesh->nnodes) : note_row(s, t.up)) || reads;
    reads = note_row(s, t.down) || reads;
    for (int i = 0; i < t.transverse; i++)
        reads = note_row(s, t.side[i]) || reads;
    return reads;
}

/* The rows from which the next state of a site is computed, along one axis. */
static bool note_site(const struct survey *s, struct kn_site site, int axis)
{
    const struct kn_site up = kn_mesh_walk(s->mesh, site, axis, 0);
    const bool outflow = note_stencil(s, site, axis),
               inflow = up.cell < 0 ? note_outgoing(s, ~up.cell) : note_stencil(s, up, axis);
    return outflow || inflow;
}

static void survey_cells(const struct survey *s)
{
    const struct kn_mesh *m = s->mesh;
    for (int cell = 0; cell < s->space->ncells; cell++) {
        const struct kn_volume *own = kn_volumes_own(&s->space->volumes, cell);
        for (int i = 0; own && i < own->pieces; i++)
            s->halo->rim[cell] |= s->late[s->space->volumes.pieces[own->first_piece + i].row];
        if (s->space->solid && s->space->solid[cell])
            continue;
        for (int octant = 0; octant < m->octants && !own; octant++)
            for (int i = 0; i < m->naxes; i++)
                if (note_site(s, (struct kn_site){cell, octant}, m->axes[i]))
                    s->halo->rim[cell] = 1;
    }
}

/* The distribution that arrives at a wall is computed like any value on a face. */
static void survey_faces(const struct survey *s)
{
    for (int face = 0; face < s->space->nfaces && s->order > 1; face++) {
        const struct kn_face *f = &s->space->faces[face];
        for (int octant = 0; octant < s->mesh->octants; octant++)
            if (note_stencil(s, (struct kn_site){f->cell, octant}, f->side / 2))
                s->halo->rim_faces[face] = 1;
    }
}

/* All octants of the neighbours of a control volume are in its gradient. */
static void survey_volumes(const struct survey *s)
{
    const struct kn_volumes *v = &s->space->volumes;
    for (int volume = 0; volume < v->count; volume++) {
        const struct kn_volume *u = &v->list[volume];
        for (int octant = 0; octant < s->mesh->octants; octant++) {
            bool reads = note_row(s, kn_mesh_row(s->mesh, (struct kn_site){u->cell, octant}));
            for (int i = u->first_point; i < u->first_point + u->points && s->order > 1; i++)
                reads =
                    note_row(s, kn_mesh_row(s->mesh, (struct kn_site){v->points[i].cell, octant})) || reads;
            s->halo->rim_volumes[volume] |= reads;
        }
        for (int i = 0; i < u->pieces; i++)
            s->late[v->pieces[u->first_piece + i].row] |= s->halo->rim_volumes[volume];
    }
}

/* What whole cells send into control volumes. */
static void survey_links(const struct survey *s)
{
    const struct kn_volumes *v = &s->space->volumes;
    for (int link = 0; link < v->own_links; link++) {
        const struct kn_link *l = &v->links[link];
        for (int octant = 0; octant < s->mesh->octants; octant++)
            if (((octant & s->mesh->bit[l->side / 2]) == 0) == ((l->side & 1) != 0))
                s->halo->rim_links[link] |= note_stencil(s, (struct kn_site){l->cell, octant}, l->side / 2);
        s->late[s->space->nfaces + v->nfacets + link] |= s->halo->rim_links[link];
    }
}

static int owner_of(const struct survey *s, const struct kn_box *boxes, int cell, int guess)
{
    int at[3];
    kn_space_locate(s->space, s->space->halo[cell], at);
    return kn_boxes_find(boxes, s->halo->comm->size, at, guess);
}

/* The needed rows by owner, and by number of their cells in the whole space. */
static void list_received(const struct survey *s, const int *owners)
{
    struct kn_halo *h = s->halo;
    const int octants = s->mesh->octants;
    for (int rank = 0; rank < h->comm->size; rank++) {
        struct kn_peer peer = {.rank = rank, .first_recv = h->nrecv};
        bool borders = false;
        for (int cell = 0; cell < s->space->nhalo; cell++) {
            if (owners[cell] != rank)
                continue;
            borders = true;
            for (int octant = 0; octant < octants; octant++)
                if (s->needed[(size_t)cell * (size_t)octants + (size_t)octant])
                    h->recv[h->nrecv++] = (s->space->ncells + cell) * octants + octant;
        }
        peer.nrecv = h->nrecv - peer.first_recv;
        if (borders)
            h->peers[h->npeers++] = peer;
    }
}

/* At smooth bodies a rank may read rows of another one that reads none of its rows: both are peers. */
static enum kn_status add_readers(struct kn_halo *h)
{
    const size_t n = (size_t)h->comm->size, own = (size_t)h->comm->rank;
    int64_t *reads = calloc(n * n / 64 + 1, sizeof *reads); /* bits [reader][owner] */
    const enum kn_status status = kn_comm_agree(h->comm, reads ? KN_OK : no_memory());
    if (status != KN_OK || !reads) { /* one implies the other */
        free(reads);
        return status;
    }
    for (int i = 0; i < h->npeers; i++) {
        const size_t bit = own * n + (size_t)h->peers[i].rank;
        reads[bit / 64] = (int64_t)((uint64_t)reads[bit / 64] | (uint64_t)1 << bit % 64);
    }
    kn_comm_sum(h->comm, reads, (int)(n * n / 64 + 1)); /* no bit is set twice */
    for (size_t rank = 0; rank < n; rank++) {
        const size_t bit = rank * n + own, back = own * n + rank;
        if (((uint64_t)reads[bit / 64] >> bit % 64 & 1) && !((uint64_t)reads[back / 64] >> back % 64 & 1))
            h->peers[h->npeers++] = (struct kn_peer){.rank = (int)rank, .first_recv = h->nrecv};
    }
    free(reads);
    return KN_OK;
}

/* Exchange the same number of integers, or lists of them, with every peer. A rank that fails must report
 * it first: the others would wait for its messages. */
static enum kn_status tell_peers(const struct kn_halo *h, struct kn_comm_message *messages)
{
    struct kn_comm_exchange *e;
    const enum kn_status status =
        kn_comm_agree(h->comm, kn_comm_exchange_create(&e, h->comm, messages, 2 * h->npeers));
    if (status == KN_OK) {
        kn_comm_exchange_start(e);
        kn_comm_exchange_wait(e);
    }
    kn_comm_exchange_destroy(e);
    return status;
}

static enum kn_status exchange_counts(struct kn_halo *h, struct kn_comm_message *messages)
{
    for (int i = 0; i < h->npeers; i++) {
        struct kn_peer *p = &h->peers[i];
        messages[2 * i] = (struct kn_comm_message){p->rank, true, &p->nrecv, sizeof p->nrecv, 0};
        messages[2 * i + 1] = (struct kn_comm_message){p->rank, false, &p->nsend, sizeof p->nsend, 0};
    }
    const enum kn_status status = tell_peers(h, messages);
    for (int i = 0; i < h->npeers; i++) {
        h->peers[i].first_send = h->nsend;
        h->nsend += h->peers[i].nsend;
    }
    return status;
}

enum kn_status kn_halo_tell(const struct kn_halo *h, size_t bytes, void *received, void *sent)
{
    struct kn_comm_message *messages = malloc(2 * ((size_t)h->npeers + 1) * sizeof *messages);
    enum kn_status status = kn_comm_agree(h->comm, messages ? KN_OK : no_memory());
    for (int i = 0; i < h->npeers && messages; i++) {
        const struct kn_peer *p = &h->peers[i];
        messages[2 * i] = (struct kn_comm_message){
            p->rank, true, (char *)received + (size_t)p->first_recv * bytes, (size_t)p->nrecv * bytes, 0};
        messages[2 * i + 1] = (struct kn_comm_message){
            p->rank, false, (char *)sent + (size_t)p->first_send * bytes, (size_t)p->nsend * bytes, 0};
    }
    if (status == KN_OK && messages)
        status = tell_peers(h, messages);
    free(messages);
    return status;
}

/* Converts the number of a row of the halo to its number in the whole space, and back. */
static int64_t public_row(const struct survey *s, int32_t row)
{
    const int octants = s->mesh->octants;
    return s->space->halo[row / octants - s->space->ncells] * octants + row % octants;
}

static int32_t own_row(const struct survey *s, int64_t row)
{
    const int64_t octants = s->mesh->octants;
    int at[3];
    kn_space_locate(s->space, row / octants, at);
    return (int32_t)(kn_space_find(s->space, at) * octants + row % octants);
}

static enum kn_status exchange_lists(const struct survey *s)
{
    struct kn_halo *h = s->halo;
    int64_t *wanted = malloc(((size_t)h->nrecv + (size_t)h->nsend + 1) * sizeof *wanted);
    h->send = malloc(((size_t)h->nsend + 1) * sizeof *h->send);
    enum kn_status status = kn_comm_agree(h->comm, wanted && h->send ? KN_OK : no_memory());
    if (status != KN_OK || !wanted || !h->send) { /* one implies the others */
        free(wanted);
        return status;
    }
    int64_t *asked = wanted + h->nrecv;
    for (int32_t i = 0; i < h->nrecv; i++)
        wanted[i] = public_row(s, h->recv[i]);
    status = kn_halo_tell(h, sizeof *wanted, wanted, asked);
    for (int32_t i = 0; i < h->nsend && status == KN_OK; i++)
        h->send[i] = own_row(s, asked[i]);
    free(wanted);
    return status;
}

/* The rows that are needed and their owners; no communication. */
static enum kn_status find_peers(const struct survey *s, const struct kn_box *boxes)
{
    struct kn_halo *h = s->halo;
    int *owners = malloc(((size_t)s->space->nhalo + 1) * sizeof *owners);
    h->peers = calloc((size_t)h->comm->size, sizeof *h->peers);
    h->recv = calloc((size_t)s->space->nhalo * (size_t)s->mesh->octants + 1, sizeof *h->recv);
    const bool room = owners && h->peers && h->recv;
    for (int cell = 0; cell < s->space->nhalo && room; cell++)
        owners[cell] = owner_of(s, boxes, cell, cell > 0 ? owners[cell - 1] : 0);
    if (room)
        list_received(s, owners);
    free(owners);
    return room ? KN_OK : no_memory();
}

static bool allocate(struct survey *s)
{
    const struct kn_volumes *v = &s->space->volumes;
    struct kn_halo *h = s->halo;
    h->rim = calloc((size_t)s->space->ncells + 1, 1);
    h->rim_faces = calloc((size_t)s->space->nfaces + 1, 1);
    h->rim_volumes = calloc((size_t)v->count + 1, 1);
    h->rim_links = calloc((size_t)v->nlinks + 1, 1);
    s->late = calloc(kn_volumes_rows(v, s->space->nfaces) + 1, 1);
    s->needed = calloc((size_t)s->space->nhalo * (size_t)s->mesh->octants + 1, 1);
    return h->rim && h->rim_faces && h->rim_volumes && h->rim_links && s->late && s->needed;
}

/* The part of it that a rank finds alone: all but nsend and send. */
static enum kn_status find_needed(struct survey *s, const struct kn_box *boxes)
{
    if (!allocate(s))
        return no_memory();
    survey_volumes(s);
    survey_faces(s);
    survey_links(s);
    survey_cells(s);
    return *s->outside ? kn_error_set(KN_EINPUT, "a box of a rank has fewer cells than a step reads upwind")
                       : find_peers(s, boxes);
}

/* The part with communication. */
static enum kn_status connect(const struct survey *s, enum kn_status status)
{
    struct kn_halo *halo = s->halo;
    status = kn_comm_agree(halo->comm, status); /* otherwise the other ranks would wait for this one */
    if (status == KN_OK && s->space->volumes.of_cell)
        status = add_readers(halo);
    struct kn_comm_message *messages = malloc(2 * ((size_t)halo->npeers + 1) * sizeof *messages);
    if (status == KN_OK)
        status = kn_comm_agree(halo->comm, messages ? KN_OK : no_memory());
    if (status == KN_OK && messages)
        status = exchange_counts(halo, messages);
    if (status == KN_OK && messages)
        status = exchange_lists(s);
    free(messages);
    return status;
}

enum kn_status kn_halo_create(struct kn_halo *halo, const struct kn_comm *comm, const struct kn_box *boxes,
                              const struct kn_space *space, const struct kn_mesh *mesh, int order)
{
    bool outside = false;
    struct survey s = {halo, space, mesh, order, NULL, NULL, &outside};
    *halo = (struct kn_halo){.comm = comm, .stride = mesh->stride};
    const enum kn_status status = connect(&s, find_needed(&s, boxes));
    free(s.needed);
    free(s.late);
    return status;
}

enum kn_status kn_halo_create_cells(struct kn_halo *halo, const struct kn_comm *comm,
                                    const struct kn_box *boxes, const struct kn_space *space, int stride,
                                    uint8_t *needed) // NOLINT(readability-non-const-parameter)
{
    const struct kn_mesh mesh = {.octants = 1, .stride = stride};
    const struct survey s = {halo, space, &mesh, 1, needed, NULL, NULL};
    *halo = (struct kn_halo){.comm = comm, .stride = stride};
    return connect(&s, find_peers(&s, boxes));
}

void kn_halo_destroy(struct kn_halo *halo)
{
    free(halo->peers);
    free(halo->send);
    free(halo->recv);
    free(halo->rim);
    free(halo->rim_faces);
    free(halo->rim_volumes);
    free(halo->rim_links);
    *halo = (struct kn_halo){0};
}

enum kn_status kn_halo_exchange(const struct kn_halo *h, size_t size, void *send, void *recv,
                                struct kn_comm_exchange **out)
{
    const size_t row = (size_t)h->stride * size;
    struct kn_comm_message *messages = malloc(2 * ((size_t)h->npeers + 1) * sizeof *messages);
    *out = NULL;
    if (!messages)
        return no_memory();
    for (int i = 0; i < h->npeers; i++) { /* receives first, so that messages need no buffer */
        const struct kn_peer *p = &h->peers[i];
        messages[i] = (struct kn_comm_message){p->rank, false, (char *)recv + (size_t)p->first_recv * row,
                                               (size_t)p->nrecv * row, 0};
        messages[h->npeers + i] = (struct kn_comm_message){
            p->rank, true, (char *)send + (size_t)p->first_send * row, (size_t)p->nsend * row, 0};
    }
    const enum kn_status status = kn_comm_exchange_create(out, h->comm, messages, 2 * h->npeers);
    free(messages);
    return status;
}
