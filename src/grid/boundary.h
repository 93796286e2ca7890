/* Walls: one patch per side, its kind and what it emits. */
#ifndef KN_BOUNDARY_H
#define KN_BOUNDARY_H

#include "grid/velocity.h"

struct kn_patch {
    bool emits;         /* diffuse with alpha > 0, inflow, far field with a gradient; else a mirror */
    bool unsteady;      /* oscillates */
    bool stale;         /* the case has changed since the last update */
    float alpha;        /* share of the emission in what leaves */
    float takes;        /* 1: it takes the place of what arrives; 0: all of that is reflected too */
    double velocity[3]; /* of the wall at the last update, eps V0; 0 where no wall is */
    /* Half-range mass fluxes: of E, less what a moving wall pushes, and of 1 + eps E, theory
     * (21), (22c); unit is infinite where E has its density already. */
    double excess, unit;
    double through;  /* mass flux from here into the gas; NaN where it is not prescribed */
    float *emission; /* [nnodes] E, or h of an inflow, J of a far field; zero where v points outwards */
};

struct kn_boundary {
    struct kn_patch patches[KN_SIDES];
    float *memory; /* [KN_SIDES][nnodes], carved up for the emissions */
};

enum kn_status kn_boundary_create(struct kn_boundary *b, const struct kn_case *c,
                                  const struct kn_velocity *v);
void kn_boundary_destroy(struct kn_boundary *b);

/* Does what arrives have a part in what leaves? */
static inline bool kn_boundary_reflects(const struct kn_patch *p)
{
    return p->alpha * p->takes != 1;
}

/* Does the mass in the box stay the same? */
bool kn_boundary_keeps_mass(const struct kn_case *c);

/* Recompute the emission of oscillating and stale patches for this time; true when any changed. */
bool kn_boundary_update(struct kn_boundary *b, const struct kn_case *c, const struct kn_velocity *v,
                        double time);

#endif
