/* Draws collision sets and orders them into batches that share no node. */
#include "collision/sampling.h"

#include "collision/collision.h"
#include "collision/molecules.h"
#include "config/case.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = KN_SAMPLE_COLOURS / 64, DROPPED = -1 };

bool kn_sampling_is_due(const struct kn_case *c)
{
    return c->collision.samples == KN_SAMPLES_AUTO && kn_case_is_sampled(c->collision.method);
}

int kn_sampling_count(const struct kn_case *c)
{
    return kn_case_is_sampled(c->collision.method) ? c->collision.samples : 0;
}

struct kn_sample_plan kn_sampling_plan(const struct kn_case *c, const struct kn_velocity *v, double dt)
{
    const bool symmetric = c->collision.estimator == KN_ESTIMATOR_SYMMETRIC;
    const struct kn_kernel kernel = kn_molecules_kernel(c);
    return (struct kn_sample_plan){
        .edge = {v->edge[0], v->edge[1], v->edge[2]},
        .weight = v->w,
        .speed = {v->speed[0], v->speed[1], v->speed[2]},
        .square = v->square,
        .half = {v->half[0], v->half[1], v->half[2]},
        .bit = {v->bit[0], v->bit[1], v->bit[2]},
        .stride = v->stride,
        .seed = c->run.seed,
        .power = (kernel.exponent - 1) / 2,
        .strength = (float)(kernel.strength * dt / c->collision.samples * (symmetric ? 0.5 : 1.0)),
        .symmetric = symmetric,
        .lattice =
            c->collision.points == KN_POINTS_LATTICE || (c->collision.points == KN_POINTS_AUTO && symmetric),
        .exponential = c->collision.update == KN_UPDATE_EXPONENTIAL,
    };
}

/* The batches of a piece during their construction; the last counter is for samples without a batch. */
struct batches {
    uint64_t full[WORDS];
    int count[KN_SAMPLE_COLOURS + 1];
};

enum kn_status kn_sampling_order_create(struct kn_sampling_order *o, const struct kn_case *c,
                                        const struct kn_velocity *v)
{
    o->nnodes = v->nnodes;
    o->masks = calloc((size_t)v->nnodes * WORDS, sizeof *o->masks);
    o->batch = calloc((size_t)kn_sampling_count(c) + 1, sizeof *o->batch);
    return o->masks && o->batch ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the order of the samples");
}

void kn_sampling_order_destroy(struct kn_sampling_order *o)
{
    free(o->masks);
    free(o->batch);
    *o = (struct kn_sampling_order){0};
}

/* Find the first batch that is not full and in which all nodes of the sample are free, and mark them;
 * KN_SAMPLE_COLOURS if there is none. */
static int first_fit(struct kn_sampling_order *o, const struct kn_sample *s, struct batches *b)
{
    for (int w = 0; w < WORDS; w++) {
        uint64_t taken = b->full[w];
        for (int i = 0; i < 4; i++)
            taken |= o->masks[(size_t)s->node[i] * WORDS + (size_t)w];
        if (taken == UINT64_MAX)
            continue;
        const int bit = __builtin_ctzll(~taken), batch = 64 * w + bit;
        for (int i = 0; i < 4; i++)
            o->masks[(size_t)s->node[i] * WORDS + (size_t)w] |= UINT64_C(1) << bit;
        b->full[w] |= (uint64_t)(++b->count[batch] == KN_SAMPLE_BATCH) << bit;
        return batch;
    }
    b->count[KN_SAMPLE_COLOURS]++;
    return KN_SAMPLE_COLOURS;
}

/* A sample outside the grid, or one whose velocities stay in node 0, has no effect. */
static bool is_idle(const struct kn_sample *s)
{
    return s->node[0] == 0 && s->node[1] == 0 && s->node[2] == 0 && s->node[3] == 0;
}

/* One piece: sort by batch, drawn order inside a batch (a counting sort). */
static int arrange_piece(struct kn_sampling_order *o, const struct kn_sample *drawn, int n,
                         struct kn_sample *arranged)
{
    struct batches batches = {{0}, {0}};
    int start[KN_SAMPLE_COLOURS + 2] = {0};
    memset(o->masks, 0, (size_t)o->nnodes * WORDS * sizeof *o->masks);
    for (int i = 0; i < n; i++)
        o->batch[i] = is_idle(&drawn[i]) ? DROPPED : first_fit(o, &drawn[i], &batches);
    for (int b = 0; b <= KN_SAMPLE_COLOURS; b++)
        start[b + 1] = start[b] + batches.count[b];
    for (int i = 0; i < n; i++)
        if (o->batch[i] != DROPPED)
            arranged[start[o->batch[i]]++] = drawn[i];
    return start[KN_SAMPLE_COLOURS];
}

int kn_sampling_arrange(struct kn_sampling_order *o, const struct kn_sample *drawn, int n,
                        struct kn_sample *arranged)
{
    const int piece = kn_sample_piece(o->nnodes);
    int kept = 0;
    for (int first = 0; first < n; first += piece)
        kept += arrange_piece(o, drawn + first, n - first < piece ? n - first : piece, arranged + kept);
    return kept;
}
