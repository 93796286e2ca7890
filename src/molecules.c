#include "molecules.h"

#include "point/collide.h"

#include <math.h>

double kn_molecules_omega(const struct kn_case *c)
{
    return c->gas.molecules == KN_MOLECULES_HARD_SPHERE ? 0.5
           : c->gas.molecules == KN_MOLECULES_MAXWELL   ? 1.0
                                                        : c->gas.omega;
}

/* 30 / <g^(4 + exponent)> makes the viscosity 1 in the first approximation, which is
 * exact for Maxwell molecules; for hard spheres the exact one is known. */
struct kn_kernel kn_molecules_kernel(const struct kn_case *c)
{
    const double exponent = 2 - 2 * kn_molecules_omega(c), m = 4 + exponent,
                 mean = exp2(m / 2) * tgamma((m + 3) / 2) / tgamma(1.5);
    return (struct kn_kernel){exponent == 1 ? M_PI * KN_COLLISION_STRENGTH : 30 / mean, exponent};
}
