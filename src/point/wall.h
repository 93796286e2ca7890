/* What a side of the box sends back, theory (21) to (22c). */
#ifndef KN_POINT_WALL_H
#define KN_POINT_WALL_H

#include "point/equilibrium.h"

enum { KN_FLUXES = 5 }; /* of 1, vx, vy, vz, v.v through a wall face, along its axis */

/* Density of the emission from the mass flux: arriving is that out of the gas;
 * excess and unit are those of E and of 1 + eps E away from the wall.  An infinite
 * unit stands for an emission whose density is given. */
POINT double kn_wall_density(double arriving, double excess, double unit)
{
    return (arriving - excess) / unit;
}

/* Mass flux that the rounded emission lacks.  balance is what arrives less what
 * leaves; through is how much more should leave, NaN where nothing is asked of it. */
POINT float kn_wall_lost(double balance, double through)
{
    return isnan(through) ? 0.0f : (float)(balance + through);
}

/* Maxwell: a fraction alpha is emitted, the rest reflected.  takes is 1 where what
 * is emitted takes the place of what arrives, 0 where all of that comes back too. */
POINT float kn_wall_incoming(float alpha, float takes, float emitted, float reflected)
{
    return reflected + alpha * (emitted - takes * reflected);
}

/* h that a mirror which moves towards the gas adds to what it reflects, at eps = 0;
 * vn is the speed away from it, theory (22c). */
POINT double kn_wall_push(double speed, double vn)
{
    return 4 * speed * vn;
}

/* Uniform gradients beyond a side, theory (22b). */
struct kn_far_field {
    double shear[3]; /* a_t, per component of the velocity */
    double heat;     /* b */
    double middle;   /* v^2 at which the part of the heat flux changes sign */
};

/* J: what the far field sends in beside the mirror image of what arrives. */
POINT double kn_wall_far_field(const struct kn_far_field *f, const double v[3], int axis)
{
    const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double across = f->shear[0] * v[0] + f->shear[1] * v[1] + f->shear[2] * v[2];
    return -2 * v[axis] * (across + f->heat * (vv - f->middle));
}

#endif
