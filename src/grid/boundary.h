/* The wall data of each direction of a surface (a patch): the distribution that it emits and the share that
 * it reflects. */
#ifndef KN_BOUNDARY_H
#define KN_BOUNDARY_H

#include "grid/reflect.h"
#include "grid/space.h"
#include "grid/velocity.h"
#include "point/wall.h"

struct kn_patch {
    bool emits;     /* diffuse with alpha > 0, inflow, far field with a gradient; not mirrors, periodic */
    bool unsteady;  /* oscillates */
    bool stale;     /* the case has changed since the last update */
    int axis;       /* normal to its faces */
    float alpha;    /* fraction of the emission in the outgoing distribution */
    float replaces; /* 1: the emission replaces a share alpha of the reflected molecules (22); 0: it is added
                       (22b) */
    int drifts;     /* enum kn_drift_kind; of a port */
    struct kn_drift_port port;
    double velocity[3];     /* of the wall at the last update, eps V0; 0 without a wall */
    double emission_flux;   /* mass flux of E away from the wall minus u / alpha, theory (22c) */
    double unit_flux;       /* mass flux of 1 + eps E, theory (21); infinite if the density of E is given */
    double prescribed_flux; /* mass flux into the gas; NaN: not prescribed */
    float *matrices;        /* [kn_scatter_size] of the Cercignani-Lampis kernel; NULL: another model */
    float *emission; /* [nnodes] E, or h of an inflow, J of a far field; zero for velocities into the wall */
};

/* The emission of a facet of a control volume; fluxes as in struct kn_patch. */
struct kn_emission {
    double emission_flux, unit_flux, prescribed_flux;
    double velocity[3]; /* of the surface at the last update, eps V0; 0 without a wall */
    float *row;         /* [nnodes] E, or h of an inflow, then zero for velocities into the facet */
    double *reflection; /* [reflect.count][reflect.count] of kn_reflect_fill; NULL: diffuse */
};

struct kn_boundary {
    const struct kn_case *c;
    const struct kn_space *space;
    const struct kn_velocity *v;
    int count;
    struct kn_patch *patches;      /* [count] by kn_case_patch, then those of faces whose surface varies */
    int *faces;                    /* [count - kn_case_patches] of the latter */
    float *memory;                 /* [count][nnodes] of all emissions */
    int scattering;                /* patches with matrices */
    float *matrices;               /* [scattering][kn_scatter_size] of all */
    struct kn_emission *emissions; /* [nfacets] of the control volumes */
    float *facet_memory;           /* [nfacets][nnodes] of their emission */
    struct kn_reflect reflect;     /* if facets reflect */
    int reflecting;                /* facets with a matrix */
    double *reflections;           /* [reflecting][reflect.count][reflect.count] */
};

/* The arguments are referenced, not copied. */
enum kn_status kn_boundary_create(struct kn_boundary *b, const struct kn_case *c,
                                  const struct kn_space *space, const struct kn_velocity *v);

/* Number of patches; needs only sizes. */
int kn_boundary_patches(const struct kn_case *c, const struct kn_space *space);

/* The case has changed the state of a side. */
void kn_boundary_renew(struct kn_boundary *b, int side);
void kn_boundary_destroy(struct kn_boundary *b);

/* A surface at a place: its temperature and velocity there.  axis: normal to a side of the space. */
struct kn_wall kn_boundary_wall(const struct kn_boundary *b, int surface, int axis, const double at[3]);

/* True if the outgoing distribution depends on the arriving one. */
static inline bool kn_boundary_reflects(const struct kn_patch *p)
{
    return p->alpha * p->replaces != 1 || p->matrices;
}

/* True if the mass in the box is constant. */
bool kn_boundary_keeps_mass(const struct kn_case *c);

/* Recompute the emission of oscillating and stale patches for this time; true if any has changed. */
bool kn_boundary_update(struct kn_boundary *b, double time);

#endif
