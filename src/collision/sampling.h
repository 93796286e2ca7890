/* The set of collisions that one step applies in every cell. */
#ifndef KN_SAMPLING_H
#define KN_SAMPLING_H

#include "point/sample.h"
#include "grid/velocity.h"

/* Between these collision.samples: auto chooses. */
enum { KN_SAMPLING_LEAST = 256, KN_SAMPLING_MOST = 1 << 20 };

/* Is that still to be done? */
bool kn_sampling_is_due(const struct kn_case *c);

/* Samples in a set: N_t, or 0 where the method draws none. */
int kn_sampling_count(const struct kn_case *c);

/* Everything that drawing a set for a collision step dt needs. */
struct kn_sample_plan kn_sampling_plan(const struct kn_case *c, const struct kn_velocity *v, double dt);

/* Memory for putting sets into their order of application. */
struct kn_sampling_order {
    int nnodes;
    uint64_t *masks; /* [nnodes][KN_SAMPLE_COLOURS / 64] batches a node is in */
    int32_t *batch;  /* [samples] of the drawn samples; -1 = dropped */
};

enum kn_status kn_sampling_order_create(struct kn_sampling_order *o, const struct kn_case *c,
                                        const struct kn_velocity *v);
void kn_sampling_order_destroy(struct kn_sampling_order *o);

/* Put n drawn samples into the order of application (point/sample.h), leaving
 * out those that do nothing; returns how many there are. */
int kn_sampling_arrange(struct kn_sampling_order *o, const struct kn_sample *drawn, int n,
                        struct kn_sample *arranged);

#endif
