/* Results at surfaces: averages over the sides, integrals over bodies and ports. */
#ifndef KN_FLUXES_H
#define KN_FLUXES_H

#include "comm/comm.h"
#include "config/reference.h"
#include "grid/space.h"

/* At a face: force per area on the surface (p0 eps), heat (p0 V0 eps) and mass (n0 V0 eps) per area into it.
 */
enum { KN_FLUXES_LOCAL = 5 };

struct kn_fluxes {
    const struct kn_case *c; /* in units of the gas at rest */
    struct kn_reference reference;
    const struct kn_space *space;
    const struct kn_boundary *boundary;
    double *faces;         /* [nfaces][KN_FLUXES] of the last recorded step, in units of the reference */
    double *local;         /* [nown + facets][KN_FLUXES_LOCAL] of the last `store`, of this rank */
    struct kn_exact *sums; /* of bodies and ports */
};

struct kn_fluxes_result {
    struct kn_wall_flux walls[KN_SIDES];
    struct kn_body_flux bodies[KN_BODIES];
    struct kn_port_flux ports[KN_PORTS];
};

/* What passes the faces in a step, in units of the reference. */
struct kn_fluxes_state {
    const double *faces;         /* [kn_space_fluxes][KN_FLUXES] */
    const double (*velocity)[3]; /* [patches] of the walls, then [facets], V0 eps */
};

/* The arguments are referenced, not copied. */
enum kn_status kn_fluxes_create(struct kn_fluxes *f, const struct kn_case *c, const struct kn_space *space);
void kn_fluxes_destroy(struct kn_fluxes *f);

/* Store what every surface receives at its faces in `local`: wall faces, then facets of smooth bodies. */
void kn_fluxes_store(struct kn_fluxes *x, const struct kn_fluxes_state *now);

/* Sum over the faces of all ranks. */
void kn_fluxes_sum(struct kn_fluxes *f, const struct kn_comm *comm, const struct kn_fluxes_state *state,
                   struct kn_fluxes_result *to);

#endif
