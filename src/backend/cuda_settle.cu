/* Which card a rank computes on. */
#include "backend/cuda_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks of one computer take the cards that they see in turn.  Launchers may show each of them a card of its
 * own: `key` tells cards apart, whatever number they have here. */
static enum kn_status take_device(const struct kn_comm *comm, int64_t *key)
{
    struct cudaDeviceProp card;
    int64_t halves[2];
    int count = 0;
    TRY(kn_backend_cuda.available());
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaSetDevice(comm->local_rank % count));
    CHECK(cudaGetDeviceProperties(&card, comm->local_rank % count));
    memcpy(halves, card.uuid.bytes, sizeof halves);
    *key = halves[0] ^ halves[1];
    return KN_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Different ones of them; sorts them. */
static int count_cards(int64_t *keys, int count)
{
    int cards = 0;
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int i = 0; i < count; i++)
        cards += i == 0 || keys[i] != keys[i - 1];
    return cards;
}

enum kn_status kn_cuda_settle(const struct kn_comm *comm, char *note, size_t size)
{
    int64_t *keys = (int64_t *)calloc((size_t)comm->size, sizeof *keys);
    enum kn_status status = keys
                                ? take_device(comm, &keys[comm->rank])
                                : kn_error_set(KN_EMEMORY, "no memory for the cards of %d ranks", comm->size);
    snprintf(note, size, "%s", "");
    status = kn_comm_agree(comm, status); /* or the others would wait for this one */
    if (status == KN_OK) {
        kn_comm_sum(comm, keys, comm->size);
        const int cards = count_cards(keys, comm->size);
        if (cards < comm->size)
            snprintf(note, size, "%d ranks share %d GPU%s: they take turns, and make nothing faster",
                     comm->size, cards, cards == 1 ? "" : "s");
    }
    free(keys);
    return status;
}
