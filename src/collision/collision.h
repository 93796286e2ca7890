/* What a collision step needs besides the state: method, invariants, sources. */
#ifndef KN_COLLISION_H
#define KN_COLLISION_H

#include "collision/operator.h"
#include "point/collide.h"

struct kn_collision_plan {
    enum kn_method method;
    enum kn_conservation conservation;
    double gram[KN_INVARIANTS][KN_INVARIANTS];    /* <psi psi>, 1 on the diagonal of a folded momentum */
    double inverse[KN_INVARIANTS][KN_INVARIANTS]; /* of gram */
    bool has_source;
    struct kn_operator op; /* of the method operator */
    float *source;         /* [nnodes] dh/dt of force and temperature gradient, theory (36) */
};

/* How a method is computed: drawn samples, or relaxation towards a Gaussian. */
bool kn_collision_is_sampled(enum kn_method method);
bool kn_collision_is_model(enum kn_method method);

/* Do collisions of this case draw samples, so that its results carry noise? */
bool kn_collision_is_noisy(const struct kn_case *c);

/* Prandtl number of the gas: of the model, or of the molecules. */
double kn_collision_prandtl(const struct kn_case *c);

/* Does a method work on several cells at once? */
bool kn_collision_takes_blocks(enum kn_method method);

/* All ranks call it.  An operator is assembled by them together or by `machine` (operator.h), of which
 * `listener` hears. */
enum kn_status kn_collision_create(struct kn_collision_plan *p, const struct kn_case *c,
                                   const struct kn_velocity *v, const struct kn_comm *comm,
                                   const struct kn_backend *machine, const struct kn_listener *listener);
void kn_collision_destroy(struct kn_collision_plan *p);

#endif
