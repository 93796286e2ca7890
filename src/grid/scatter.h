/* The Cercignani-Lampis kernel of gas-wall scattering on the velocity grid, theory (22f). */
#ifndef KN_SCATTER_H
#define KN_SCATTER_H

#include "grid/velocity.h"

/* The accommodation of a wall, and its velocity and temperature as deviations. */
struct kn_scatter {
    double tangential, normal;
    double velocity[3], temperature;
};

/* Number of floats of the matrices of one wall. */
size_t kn_scatter_size(const struct kn_velocity *v);

/* Fill the matrices of a wall normal to an axis, as kn_wall_matrix places them.  At eps = 0 they do not
 * depend on velocity and temperature. */
void kn_scatter_fill(const struct kn_velocity *v, int normal, const struct kn_scatter *s, float *matrices);

#endif
