/* Walls: one patch per side, its kind and what it emits. */
#ifndef KN_BOUNDARY_H
#define KN_BOUNDARY_H

#include "velocity.h"

struct kn_patch {
    bool emits;    /* diffuse with alpha > 0 */
    bool mirror;   /* reflects only: specular, symmetry, alpha = 0 */
    bool unsteady; /* oscillates */
    float alpha;
    double velocity[3];  /* at the time of the last update, eps V0 */
    double excess, unit; /* half-range fluxes of E and of 1 + eps E, theory (21) */
    float *emission;     /* [nnodes] E; zero where v points into the wall */
};

struct kn_boundary {
    struct kn_patch patches[KN_SIDES];
    int mirrors;   /* bit mask of the mirror patches */
    float *memory; /* [KN_SIDES][nnodes], carved up for the emissions */
};

enum kn_status kn_boundary_create(struct kn_boundary *b, const struct kn_case *c,
                                  const struct kn_velocity *v);
void kn_boundary_destroy(struct kn_boundary *b);

/* Recompute the emission of oscillating patches for this time; true when any changed. */
bool kn_boundary_update(struct kn_boundary *b, const struct kn_case *c, const struct kn_velocity *v,
                        double time);

#endif
