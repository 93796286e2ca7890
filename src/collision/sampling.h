/* The set of collisions that one step applies in every cell. */
#ifndef KN_SAMPLING_H
#define KN_SAMPLING_H

#include "grid/velocity.h"
#include "point/sample.h"

/* Limits of collision.samples: auto. */
enum { KN_SAMPLING_LEAST = 256, KN_SAMPLING_MOST = 1 << 20 };

/* True if collision.samples: auto has not been resolved yet. */
bool kn_sampling_is_due(const struct kn_case *c);

/* Samples per set: N_t, or 0 if the method draws none. */
int kn_sampling_count(const struct kn_case *c);

/* The data for drawing a set for a collision step dt. */
struct kn_sample_plan kn_sampling_plan(const struct kn_case *c, const struct kn_velocity *v, double dt);

/* Memory for ordering sets. */
struct kn_sampling_order {
    int nnodes;
    uint64_t *masks; /* [nnodes][KN_SAMPLE_COLOURS / 64] batches of a node */
    int32_t *batch;  /* [samples] of the drawn samples; -1 = dropped */
};

enum kn_status kn_sampling_order_create(struct kn_sampling_order *o, const struct kn_case *c,
                                        const struct kn_velocity *v);
void kn_sampling_order_destroy(struct kn_sampling_order *o);

/* Put n drawn samples into the order of application (point/sample.h), without those that have no effect;
 * returns their number. */
int kn_sampling_arrange(struct kn_sampling_order *o, const struct kn_sample *drawn, int n,
                        struct kn_sample *arranged);

#endif
