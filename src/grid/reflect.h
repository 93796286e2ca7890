/* Reflection at oblique surfaces: polynomials of the velocity, orthonormal under the flux through a facet,
 * theory (74). */
#ifndef KN_REFLECT_H
#define KN_REFLECT_H

#include "grid/velocity.h"

enum { KN_REFLECT_DEGREE = 4, KN_REFLECT_MOST = 35 }; /* polynomials up to this degree */

/* Products of orthonormal Hermite polynomials of vx, vy, vz, the constant first; their values at all nodes.
 */
struct kn_reflect {
    int count;
    int power[KN_REFLECT_MOST][3]; /* degrees along the axes */
    double *values;                /* [nnodes][count]; NULL: no surface reflects */
};

/* True if a smooth surface returns a part of the molecules that arrive, or scatters them. */
bool kn_reflect_partly(const struct kn_wall *surface);

enum kn_status kn_reflect_create(struct kn_reflect *r, const struct kn_velocity *v);
void kn_reflect_destroy(struct kn_reflect *r);

/* The symmetric matrix [count][count] of a facet with this normal out of the gas. */
void kn_reflect_fill(const struct kn_reflect *r, const struct kn_velocity *v, const double normal[3],
                     const struct kn_wall *surface, double *matrix);

#endif
