/* The output of knudsen info --ranks: the division of a case among ranks, and their communication. */
#ifndef KN_INFO_RANKS_H
#define KN_INFO_RANKS_H

#include "sim.h"

struct kn_info_ranks {
    const struct kn_case *c;
    int count;
    struct kn_box *boxes; /* [count] */
    struct kn_plan_size plan;
};

/* KN_EINPUT if there are too few cells for this number of ranks. */
enum kn_status kn_info_ranks_create(struct kn_info_ranks *r, const struct kn_case *c, int count);
void kn_info_ranks_destroy(struct kn_info_ranks *r);

/* As lines of text, or as a JSON object. */
void kn_info_ranks_print(const struct kn_info_ranks *r);
struct json_t *kn_info_ranks_json(const struct kn_info_ranks *r);

#endif
