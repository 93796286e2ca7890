/* Data of a collision step besides the state: method, invariants, sources. */
#ifndef KN_COLLISION_H
#define KN_COLLISION_H

#include "collision/quadratic.h"
#include "point/collide.h"

struct kn_collision_plan {
    enum kn_method method;
    enum kn_conservation conservation;
    double gram[KN_INVARIANTS][KN_INVARIANTS];    /* <psi psi>, 1 on the diagonal of a folded momentum */
    double inverse[KN_INVARIANTS][KN_INVARIANTS]; /* of gram */
    bool has_source;
    struct kn_operator op; /* of the method operator */
    struct kn_quadratic quadratic;
    float *source; /* [nnodes] dh/dt of force and temperature gradient, theory (36) */
};

/* True if a method is applied to several cells at once. */
bool kn_collision_takes_blocks(enum kn_method method);

/* All ranks call it.  See kn_operator_create. */
enum kn_status kn_collision_create(struct kn_collision_plan *p, const struct kn_case *c,
                                   const struct kn_velocity *v, const struct kn_comm *comm,
                                   const struct kn_assembler *assembler,
                                   const struct kn_progress_callback *progress);
void kn_collision_destroy(struct kn_collision_plan *p);

#endif
