/* Exchanges values of control volumes between the ranks whose cells they contain. */
#include "grid/lent.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

static enum kn_status agree_on_memory(const struct kn_comm *comm, bool room)
{
    return kn_comm_agree(comm, room ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for cells of two ranks"));
}

static enum kn_status find_rows(struct kn_lent *l, const struct kn_comm *comm, const struct kn_box *boxes,
                                uint8_t *needed)
{
    const struct kn_volumes *v = &l->space->volumes;
    const int ncells = l->space->ncells, floats = l->width * (int)(sizeof(double) / sizeof(float));
    KN_TRY(agree_on_memory(comm, needed));
    for (int cell = 0; cell < ncells && needed; cell++)
        if (v->of_cell[cell] >= 0 && v->list[v->of_cell[cell]].cell >= ncells)
            needed[v->list[v->of_cell[cell]].cell - ncells] = 1;
    return kn_halo_create_cells(&l->halo, comm, boxes, l->space, floats, needed);
}

static enum kn_status connect(struct kn_lent *l, const struct kn_comm *comm, const struct kn_box *boxes)
{
    const size_t width = (size_t)l->width;
    uint8_t *needed = calloc((size_t)l->space->nhalo + 1, 1);
    const enum kn_status status = find_rows(l, comm, boxes, needed);
    free(needed);
    KN_TRY(status);
    l->values = calloc((size_t)l->space->nhalo * width + 1, sizeof *l->values);
    l->sent = malloc(((size_t)l->halo.nsend * width + 1) * sizeof *l->sent);
    l->received = malloc(((size_t)l->halo.nrecv * width + 1) * sizeof *l->received);
    void *sent = l->sent, *received = l->received;
    KN_TRY(agree_on_memory(comm, l->values && sent && received));
    return kn_comm_agree(comm, kn_halo_exchange(&l->halo, sizeof(float), sent, received, &l->exchange));
}

enum kn_status kn_lent_create(struct kn_lent *l, const struct kn_comm *comm, const struct kn_box *boxes,
                              const struct kn_space *space, int width)
{
    *l = (struct kn_lent){.space = space, .width = width};
    return comm->size > 1 && space->volumes.of_cell ? connect(l, comm, boxes) : KN_OK;
}

void kn_lent_exchange(struct kn_lent *l, const double *own)
{
    const size_t width = (size_t)l->width, bytes = width * sizeof *own;
    if (!l->exchange)
        return;
    for (int32_t i = 0; i < l->halo.nsend; i++)
        memcpy(l->sent + (size_t)i * width, own + (size_t)l->halo.send[i] * width, bytes);
    kn_comm_exchange_start(l->exchange);
    kn_comm_exchange_wait(l->exchange);
    for (int32_t i = 0; i < l->halo.nrecv; i++)
        memcpy(l->values + (size_t)(l->halo.recv[i] - l->space->ncells) * width,
               l->received + (size_t)i * width, bytes);
}

void kn_lent_destroy(struct kn_lent *l)
{
    kn_comm_exchange_destroy(l->exchange);
    kn_halo_destroy(&l->halo);
    free(l->sent);
    free(l->received);
    free(l->values);
    *l = (struct kn_lent){0};
}
