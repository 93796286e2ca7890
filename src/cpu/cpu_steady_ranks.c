/* The messages of ranks in the passes and sweeps of the steady-state solver on the CPU. */
#include "cpu/cpu_steady_ranks.h"
#include "cpu/cpu_kernels.h"

#include "config/case.h"
#include "config/config.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = KN_STEADY_GROUP, MOST_ITEMS = 32000 }; /* an item is the tag of a message */

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the borders between ranks");
}

static int count_parts(const struct kn_case *c)
{
    return c->time.mode == KN_MODE_FREQUENCY ? 2 : 1;
}

double kn_cpu_ranks_memory(const struct kn_problem *p)
{
    const double rows = (double)p->space->nhalo * p->velocity->nnodes, kinds = 3; /* kept, sent, received */
    return sizeof(double) * kinds * count_parts(p->c) * rows;
}

/* The rows of other ranks that a sweep reads: 1 in needed[nhalo * octants]. */
static void find_needed(const struct kn_steady_plan *plan, uint8_t *needed)
{
    struct kn_mesh m = kn_backend_mesh(plan->problem);
    const int ncells = plan->problem->space->ncells;
    m.neighbour = plan->upwind;
    for (int cell = 0; cell < ncells; cell++)
        for (int octant = 0; octant < m.octants; octant++)
            for (int i = 0; i < m.naxes; i++) {
                const struct kn_site up = kn_mesh_walk(&m, (struct kn_site){cell, octant}, m.axes[i], 0);
                if (up.cell >= ncells)
                    needed[(up.cell - ncells) * m.octants + octant] = 1;
            }
}

/* What ranks tell each other about the rows of the halo: 0 if the sweep does not read a row, else one more
 * than the number of ranks in the longest chain that waits for the reader. */
struct chains {
    int32_t *received, *sent; /* [nrecv], [nsend] */
    int longest[8];           /* by octant */
};

/* Rows of a sweep do not pass periodic ends, so that boxes do not wait for each other in a circle. */
static enum kn_status find_chains(const struct kn_halo *h, int octants, struct chains *c)
{
    int64_t changes = 1;
    for (int round = 0; round <= h->comm->size && changes > 0; round++) {
        changes = 0;
        for (int32_t i = 0; i < h->nrecv; i++)
            c->received[i] = c->received[i] > 0 ? 1 + c->longest[h->recv[i] % octants] : 0;
        KN_TRY(kn_halo_tell(h, sizeof *c->received, c->received, c->sent));
        for (int32_t i = 0; i < h->nsend; i++) {
            int *longest = &c->longest[h->send[i] % octants];
            changes += c->sent[i] > *longest;
            *longest = c->sent[i] > *longest ? c->sent[i] : *longest;
        }
        kn_comm_sum(h->comm, &changes, 1);
    }
    return changes == 0 ? KN_OK
                        : kn_error_set(KN_EINPUT, "the boxes of ranks depend on each other in a circle");
}

/* The rows of items among those that are sent or received in a pass. */
static void list_rows(const struct kn_cpu_ranks *r, const int32_t *used, bool outgoing,
                      struct kn_cpu_border *b)
{
    const struct kn_halo *h = r->halo;
    const int32_t origin = outgoing ? 0 : r->origin, *rows = outgoing ? h->send : h->recv;
    int32_t count = 0;
    for (int octant = 0; octant < r->octants; octant++)
        for (int i = 0; i < h->npeers; i++) {
            const struct kn_peer *p = &h->peers[i];
            const int32_t first = outgoing ? p->first_send : p->first_recv,
                          length = outgoing ? p->nsend : p->nrecv;
            b->first[octant * h->npeers + i] = count;
            for (int32_t k = first; k < first + length; k++)
                if (used[k] > 0 && rows[k] % r->octants == octant)
                    b->rows[count++] = rows[k] - origin;
        }
    b->first[r->octants * h->npeers] = count;
}

/* Rows of an item, and its numbers in the data of a border. */
struct span {
    int32_t first, count;
    double *data;
};

static struct span span_of(const struct kn_cpu_ranks *r, const struct kn_cpu_border *b, int item)
{
    const int groups = r->stride / GROUP, octant = item / groups;
    const int32_t first = b->first[octant * r->halo->npeers],
                  count = b->first[(octant + 1) * r->halo->npeers] - first;
    const size_t before = (size_t)first * (size_t)groups + (size_t)(item % groups) * (size_t)count;
    return (struct span){first, count, b->data + before * GROUP * (size_t)r->parts};
}

static enum kn_status create_messages(const struct kn_cpu_ranks *r, const struct kn_cpu_border *b,
                                      struct kn_comm_message *messages)
{
    const size_t row = GROUP * (size_t)r->parts;
    for (int item = 0; item < r->nitems; item++) {
        const struct span s = span_of(r, b, item);
        const int32_t *first = b->first + item / (r->stride / GROUP) * r->halo->npeers;
        int count = 0;
        for (int i = 0; i < r->halo->npeers; i++)
            if (first[i + 1] > first[i])
                messages[count++] = (struct kn_comm_message){
                    r->halo->peers[i].rank, b == &r->sent, s.data + (size_t)(first[i] - s.first) * row,
                    (size_t)(first[i + 1] - first[i]) * row * sizeof(double), 1 + item};
        KN_TRY(kn_comm_exchange_create(&b->items[item], r->halo->comm, messages, count));
    }
    return KN_OK;
}

/* Items with the longest chains first, octants in turn. */
static void find_order(struct kn_cpu_ranks *r, const int *longest)
{
    const int groups = r->stride / GROUP;
    int count = 0;
    for (int chain = r->halo->comm->size; chain >= 0; chain--)
        for (int group = 0; group < groups; group++)
            for (int octant = 0; octant < r->octants; octant++)
                if (longest[octant] == chain)
                    r->order[count++] = octant * groups + group;
}

static bool allocate_border(const struct kn_cpu_ranks *r, int32_t rows, struct kn_cpu_border *b)
{
    const size_t room = (size_t)rows * (size_t)r->stride * (size_t)r->parts + 1;
    b->rows = malloc(((size_t)rows + 1) * sizeof *b->rows);
    b->first = calloc((size_t)r->octants * (size_t)r->halo->npeers + 1, sizeof *b->first);
    b->data = kn_cpu_aligned(room, sizeof *b->data);
    b->items = calloc((size_t)r->nitems, sizeof(void *));
    return b->rows && b->first && b->data && b->items;
}

static bool allocate(struct kn_cpu_ranks *r, const struct kn_problem *p)
{
    const size_t room = (size_t)p->space->nhalo * (size_t)p->velocity->nnodes;
    bool complete = true;
    for (int part = 0; part < r->parts; part++) {
        r->rows[part] = kn_cpu_aligned(room + 1, sizeof *r->rows[part]);
        complete = complete && r->rows[part];
        if (complete)
            memset(r->rows[part], 0, room * sizeof *r->rows[part]);
    }
    r->order = malloc((size_t)r->nitems * sizeof *r->order);
    r->items = malloc((size_t)r->nitems * sizeof *r->items);
    return allocate_border(r, r->halo->nsend, &r->sent) && allocate_border(r, r->halo->nrecv, &r->received) &&
           complete && r->order && r->items;
}

/* Find the rows of sweeps, with the help of the other ranks. */
static enum kn_status find_rows(struct kn_cpu_ranks *r, const struct kn_steady_plan *plan)
{
    const struct kn_halo *h = r->halo;
    struct chains c = {.received = malloc(((size_t)h->nrecv + 1) * sizeof *c.received),
                       .sent = malloc(((size_t)h->nsend + 1) * sizeof *c.sent)};
    uint8_t *needed = calloc((size_t)plan->problem->space->nhalo * (size_t)r->octants + 1, 1);
    const bool complete = c.received && c.sent && needed;
    enum kn_status status = kn_comm_agree(h->comm, complete ? KN_OK : no_memory());
    if (status == KN_OK && complete) {
        find_needed(plan, needed);
        for (int32_t i = 0; i < h->nrecv; i++)
            c.received[i] = needed[h->recv[i] - r->origin];
        status = find_chains(h, r->octants, &c);
        list_rows(r, c.received, false, &r->received);
        list_rows(r, c.sent, true, &r->sent);
        find_order(r, c.longest);
    }
    free(c.received);
    free(c.sent);
    free(needed);
    return status;
}

static enum kn_status connect_ranks(struct kn_cpu_ranks *r)
{
    struct kn_comm_message *messages = malloc(((size_t)r->halo->npeers + 1) * sizeof *messages);
    enum kn_status status = messages ? create_messages(r, &r->received, messages) : no_memory();
    if (status == KN_OK && messages)
        status = create_messages(r, &r->sent, messages);
    if (status == KN_OK)
        status = kn_halo_exchange(r->halo, sizeof(double), r->sent.data, r->received.data, &r->pass);
    free(messages);
    return status;
}

enum kn_status kn_cpu_ranks_create(struct kn_cpu_ranks **out, const struct kn_steady_plan *plan)
{
    const struct kn_problem *p = plan->problem;
    *out = NULL;
    if (!p->halo)
        return KN_OK;
    const int octants = p->velocity->octants, nitems = octants * (p->velocity->stride / GROUP);
    if (nitems > MOST_ITEMS)
        return kn_error_set(KN_EINPUT,
                            "velocity.nodes: %d nodes are too many for time.mode: %s on several ranks",
                            p->velocity->nnodes, kn_config_choice_name("time.mode", p->c->time.mode));
    struct kn_cpu_ranks *r = calloc(1, sizeof *r);
    if (r)
        *r = (struct kn_cpu_ranks){.halo = p->halo,
                                   .octants = octants,
                                   .stride = p->velocity->stride,
                                   .threads = p->threads,
                                   .origin = p->space->ncells * octants,
                                   .parts = count_parts(p->c),
                                   .nitems = nitems};
    const bool ready = r && allocate(r, p);
    enum kn_status status = kn_comm_agree(p->halo->comm, ready ? KN_OK : no_memory());
    if (status == KN_OK && ready)
        status = find_rows(r, plan);
    if (status == KN_OK && ready)
        status = kn_comm_agree(p->halo->comm, connect_ranks(r));
    *out = status == KN_OK ? r : NULL;
    if (status != KN_OK)
        kn_cpu_ranks_destroy(r);
    return status;
}

static void destroy_border(const struct kn_cpu_ranks *r, struct kn_cpu_border *b)
{
    for (int item = 0; item < r->nitems && b->items; item++)
        kn_comm_exchange_destroy(b->items[item]);
    free(b->items);
    free(b->rows);
    free(b->first);
    free(b->data);
}

void kn_cpu_ranks_destroy(struct kn_cpu_ranks *r)
{
    if (!r)
        return;
    kn_comm_exchange_destroy(r->pass);
    destroy_border(r, &r->sent);
    destroy_border(r, &r->received);
    free(r->rows[0]);
    free(r->rows[1]);
    free(r->order);
    free(r->items);
    free(r);
}

void kn_cpu_ranks_exchange(struct kn_cpu_ranks *r, const double *x)
{
    const struct kn_halo *h = r->halo;
    const size_t stride = (size_t)r->stride;
#pragma omp parallel for schedule(static) num_threads(r->threads)
    for (int32_t i = 0; i < h->nsend; i++)
        memcpy(r->sent.data + (size_t)i * stride, x + (size_t)h->send[i] * stride, stride * sizeof *x);
    kn_comm_exchange_start(r->pass);
    kn_comm_exchange_wait(r->pass);
#pragma omp parallel for schedule(static) num_threads(r->threads)
    for (int32_t i = 0; i < h->nrecv; i++)
        memcpy(r->rows[0] + (size_t)(h->recv[i] - r->origin) * stride, r->received.data + (size_t)i * stride,
               stride * sizeof *x);
}

void kn_cpu_ranks_begin(struct kn_cpu_ranks *r)
{
    for (int item = 0; item < r->nitems; item++)
        kn_comm_exchange_start(r->received.items[item]);
    memcpy(r->items, r->order, (size_t)r->nitems * sizeof *r->items);
    r->waiting = r->nitems;
}

/* Items whose rows have arrived, one for each thread; at least one, unless all have been computed. */
int kn_cpu_ranks_next(struct kn_cpu_ranks *r, int *items)
{
    int count = 0, left = 0;
    for (int i = 0; i < r->waiting; i++) {
        const int item = r->items[i];
        if (count < r->threads && kn_comm_exchange_test(r->received.items[item]))
            items[count++] = item;
        else
            r->items[left++] = item;
    }
    if (count == 0 && left > 0) {
        kn_comm_exchange_wait(r->received.items[r->items[0]]);
        items[count++] = r->items[0];
        memmove(r->items, r->items + 1, (size_t)--left * sizeof *r->items);
    }
    r->waiting = left;
    return count;
}

/* The position of the numbers of a row and a part. */
static size_t place_of(const struct kn_cpu_ranks *r, int32_t row, int item)
{
    return (size_t)row * (size_t)r->stride + (size_t)(item % (r->stride / GROUP)) * GROUP;
}

void kn_cpu_ranks_receive(const struct kn_cpu_ranks *r, int item)
{
    const struct span s = span_of(r, &r->received, item);
    const double *from = s.data;
    for (int32_t i = s.first; i < s.first + s.count; i++)
        for (int part = 0; part < r->parts; part++, from += GROUP)
            memcpy(r->rows[part] + place_of(r, r->received.rows[i], item), from, GROUP * sizeof *from);
}

void kn_cpu_ranks_send(const struct kn_cpu_ranks *r, int item, double *const *to)
{
    const struct span s = span_of(r, &r->sent, item);
    double *data = s.data;
    for (int32_t i = s.first; i < s.first + s.count; i++)
        for (int part = 0; part < r->parts; part++, data += GROUP)
            memcpy(data, to[part] + place_of(r, r->sent.rows[i], item), GROUP * sizeof *data);
}

void kn_cpu_ranks_post(const struct kn_cpu_ranks *r, const int *items, int count)
{
    for (int i = 0; i < count; i++)
        kn_comm_exchange_start(r->sent.items[items[i]]);
}

void kn_cpu_ranks_end(const struct kn_cpu_ranks *r)
{
    for (int item = 0; item < r->nitems; item++)
        kn_comm_exchange_wait(r->sent.items[item]);
}
