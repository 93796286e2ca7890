/* Formulas for the distribution that leaves a wall, and for its fluxes, theory (21) to (23). */
#ifndef KN_POINT_WALL_H
#define KN_POINT_WALL_H

#include "point/equilibrium.h"

enum { KN_FLUXES = 5 }; /* of 1, vx, vy, vz, v.v through a wall face, along its axis */

/* Mass flux of one node through a face: a term of the sums (21) and (23). */
POINT double kn_wall_flux(float w, float speed, float h)
{
    return (double)w * speed * h;
}

/* Density of the emission from the mass flux that arrives, theory (21); emission_flux and unit_flux are those
 * of E and of 1 + eps E away from the wall. unit_flux is infinite if the density of the emission is given. */
POINT double kn_wall_density(double arriving, double emission_flux, double unit_flux)
{
    return (arriving - emission_flux) / unit_flux;
}

/* Mass flux missing in the rounded emission. `balance` is the arriving minus the leaving flux;
 * `prescribed` is the flux into the gas, NaN if it is not prescribed. */
POINT float kn_wall_lost(double balance, double prescribed)
{
    return isnan(prescribed) ? 0.0f : (float)(balance + prescribed);
}

/* The distribution that leaves the wall: a share alpha is emitted, the rest reflected, theory (22). With
 * replaces = 0 the emission is added to the reflected molecules, theory (22b). */
POINT float kn_wall_outgoing(float alpha, float replaces, float emitted, float reflected)
{
    return reflected + alpha * (emitted - replaces * reflected);
}

/* Position of a matrix of the Cercignani-Lampis kernel among those of a wall, theory (22f): for every axis
 * one for molecules that keep the sign of their velocity, and one for those that change it, [half][half]
 * each.  Axis 3 gives the size of all. */
POINT int kn_wall_matrix(const int half[3], int axis, int other)
{
    int at = 0;
    for (int d = 0; d < axis; d++)
        at += 2 * half[d] * half[d];
    return axis < 3 ? at + other * half[axis] * half[axis] : at;
}

/* One value after scattering along an axis: a row of each matrix times the values of the same sign and of the
 * other sign; n is the number of nodes on the half axis. */
POINT float kn_wall_scatter(int n, const float *same, const float *values, const float *other,
                            const float *opposite)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += same[i] * values[i] + other[i] * opposite[i];
    return sum;
}

/* h that leaves a port of given pressure, where the gas moves with velocity u away from the port; vn is the
 * speed away from it, and u follows from (21) with the flux of 2 vn minus 1 as the flux of a unit, theory
 * (22e). */
POINT float kn_wall_drift(float emitted, float u, float vn)
{
    return emitted + 2 * u * vn;
}

/* h that a mirror moving towards the gas adds to the reflected molecules, at eps = 0; vn is the speed away
 * from it, theory (22c). */
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

/* J: the distribution from the far field in addition to the mirror image of the arriving one. */
POINT double kn_wall_far_field(const struct kn_far_field *f, const double v[3], int axis)
{
    const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double across = f->shear[0] * v[0] + f->shear[1] * v[1] + f->shear[2] * v[2];
    return -2 * v[axis] * (across + f->heat * (vv - f->middle));
}

#endif
