/* knudsen info --ranks: how a case would be divided among ranks, and what they would exchange. */
#ifndef KN_INFO_RANKS_H
#define KN_INFO_RANKS_H

#include "sim.h"

struct kn_info_ranks {
    const struct kn_case *c;
    int count;
    struct kn_box *boxes; /* [count] */
    struct kn_plan_size plan;
};

/* KN_EINPUT where the cells are too few for so many. */
enum kn_status kn_info_ranks_create(struct kn_info_ranks *r, const struct kn_case *c, int count);
void kn_info_ranks_destroy(struct kn_info_ranks *r);

/* Lines of text; a JSON object. */
void kn_info_ranks_print(const struct kn_info_ranks *r);
struct json_t *kn_info_ranks_json(const struct kn_info_ranks *r);

#endif
