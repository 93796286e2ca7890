/* What a wall sends back, theory (21), (22). */
#ifndef KN_POINT_WALL_H
#define KN_POINT_WALL_H

#include "point/equilibrium.h"

/* Density of the emission from zero net mass flux: arriving is the flux out of
 * the gas; excess and unit are the fluxes of E and of 1 + eps E away from the wall. */
POINT double kn_wall_density(double arriving, double excess, double unit)
{
    return (arriving - excess) / unit;
}

/* Maxwell: a fraction alpha is emitted, the rest reflected. */
POINT float kn_wall_incoming(float alpha, float emitted, float reflected)
{
    return reflected + alpha * (emitted - reflected);
}

#endif
