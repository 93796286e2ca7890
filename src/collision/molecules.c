/* The collision kernel of the molecules of a case. */
#include "collision/molecules.h"

#include "config/case.h"
#include "point/collide.h"

#include <math.h>

/* The viscosity is 1 in the second approximation, which is exact for Maxwell molecules and 0.12 % low for
 * hard spheres; for these the exact value is used. */
struct kn_kernel kn_molecules_kernel(const struct kn_case *c)
{
    const double exponent = 2 - 2 * kn_case_omega(c), m = 4 + exponent,
                 mean = exp2(m / 2) * tgamma((m + 3) / 2) / tgamma(1.5),
                 second = 1 + 3 * exponent * exponent / (196 + 6 * exponent);
    return (struct kn_kernel){exponent == 1 ? M_PI * KN_COLLISION_STRENGTH : 30 / mean * second, exponent};
}
