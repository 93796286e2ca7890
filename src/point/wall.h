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

/* Blocks of the matrix of an axis: molecules that leave with v > 0, from v > 0 and from v < 0, and molecules
 * that leave with v < 0, from v < 0 and from v > 0.  Both pairs are equal if the wall is at rest on the axis.
 */
enum { KN_WALL_BLOCKS = 4 };

/* Position of a block of the Cercignani-Lampis kernel among the matrices of a wall, theory (22f):
 * [half][half] each.  Axis 3 gives the size of all. */
POINT int kn_wall_matrix(const int half[3], int axis, int block)
{
    int at = 0;
    for (int d = 0; d < axis; d++)
        at += KN_WALL_BLOCKS * half[d] * half[d];
    return axis < 3 ? at + block * half[axis] * half[axis] : at;
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

/* The gas that enters through a port moves with the flow, theory (22e) to (22h). */
enum kn_drift_kind { KN_DRIFT_NONE, KN_DRIFT_PRESSURE, KN_DRIFT_FLOW };
enum { KN_DRIFT_STEPS = 3 }; /* of Newton's method, from the linear estimate */

/* Constants of a port: 1 / T of the gas, and its density, or the mass flux that enters. */
struct kn_drift_port {
    float inverse;
    double given;
};

/* Density and velocity away from the port. */
struct kn_drift {
    float rho, u;
};

/* Half-range mass fluxes away from a port: of E of the drifting gas, of 1 + eps E, and of the derivative of E
 * with respect to u. */
struct kn_drift_fluxes {
    double excess, unit, slope;
};

/* E of the gas of the port when it moves with velocity u; vn is the speed away from the port, and `emitted`
 * is E at rest. */
POINT float kn_wall_drift(float eps, float emitted, float u, float vn, float inverse)
{
    return kn_gaussian_value(eps, emitted, kn_gaussian_excess(eps, inverse * u * (2 * vn - eps * u)));
}

/* The same at eps = 0 for a port of given pressure. */
POINT float kn_wall_drift_linear(float emitted, float u, float vn)
{
    return emitted + 2 * u * vn;
}

/* The derivative of it with respect to u. */
POINT float kn_wall_drift_slope(float eps, float drifting, float u, float vn, float inverse)
{
    return (1 + eps * drifting) * inverse * 2 * (vn - eps * u);
}

/* The linear estimate from the solution of (21); exact at eps = 0. */
POINT struct kn_drift kn_wall_drift_begin(int kind, const struct kn_drift_port *p, float eps, double first)
{
    const struct kn_drift of_pressure = {0, (float)first},
                          of_flow = {(float)first, (float)(p->given / (1 + (double)eps * first))};
    return kind == KN_DRIFT_PRESSURE ? of_pressure : of_flow;
}

/* One step of Newton's method: for the velocity of a port of given pressure, for the density of one of given
 * flow, whose velocity is the flow over it, theory (22h). */
POINT struct kn_drift kn_wall_drift_next(int kind, const struct kn_drift_port *p, float eps,
                                         struct kn_drift d, double arriving, const struct kn_drift_fluxes *f)
{
    if (kind == KN_DRIFT_PRESSURE) {
        d.u -= (float)((f->excess - arriving - p->given * d.u) / (f->slope - p->given));
        return d;
    }
    const double change =
        (d.rho * f->unit + f->excess - arriving - p->given) / (f->unit - (double)eps * d.u * f->slope);
    d.rho -= (float)change;
    d.u = (float)(p->given / (1 + (double)eps * d.rho));
    return d;
}

/* The density for which the mass flux is exactly the given one. */
POINT float kn_wall_drift_density(const struct kn_drift_port *p, double arriving,
                                  const struct kn_drift_fluxes *f)
{
    return (float)((arriving + p->given - f->excess) / f->unit);
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
