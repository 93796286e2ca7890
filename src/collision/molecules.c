#include "collision/molecules.h"

#include "point/collide.h"

#include <math.h>

double kn_molecules_omega(const struct kn_case *c)
{
    return c->gas.molecules == KN_MOLECULES_HARD_SPHERE ? 0.5
           : c->gas.molecules == KN_MOLECULES_MAXWELL   ? 1.0
                                                        : c->gas.omega;
}

/* Exact for hard spheres [Pekeris and Alterman 1957] and Maxwell molecules; those between
 * have nearly that of the latter. */
double kn_molecules_prandtl(const struct kn_case *c)
{
    return kn_molecules_omega(c) == 0.5 ? 0.660694457 : 2.0 / 3.0;
}

/* The viscosity is 1 in the second approximation, which is exact for Maxwell molecules and
 * 0.12 % low for hard spheres, whose exact one is known. */
struct kn_kernel kn_molecules_kernel(const struct kn_case *c)
{
    const double exponent = 2 - 2 * kn_molecules_omega(c), m = 4 + exponent,
                 mean = exp2(m / 2) * tgamma((m + 3) / 2) / tgamma(1.5),
                 second = 1 + 3 * exponent * exponent / (196 + 6 * exponent);
    return (struct kn_kernel){exponent == 1 ? M_PI * KN_COLLISION_STRENGTH : 30 / mean * second, exponent};
}
