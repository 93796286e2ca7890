/* From moments of h to macroscopic fields, theory (6) to (9). */
#ifndef KN_POINT_MOMENTS_H
#define KN_POINT_MOMENTS_H

#include "knudsen.h"
#include "point/point.h"

/* Moments <psi h> of one cell.  The first five are the collision invariants
 * except that the energy <v.v h> is the trace of the second moments. */
/* clang-format off */
enum kn_moment {
    KN_M_1, KN_M_X, KN_M_Y, KN_M_Z,
    KN_M_XX, KN_M_YY, KN_M_ZZ, KN_M_XY, KN_M_XZ, KN_M_YZ,
    KN_M_XVV, KN_M_YVV, KN_M_ZVV, KN_MOMENTS
};
/* clang-format on */

/* Fields in the order of enum kn_field: rho, u, theta, Pi, q. */
POINT void kn_moments_to_fields(const double m[KN_MOMENTS], double eps, double field[KN_FIELDS])
{
    const double n = 1 + eps * m[KN_M_1];
    const double u[3] = {kn_point_ratio(m[KN_M_X], n), kn_point_ratio(m[KN_M_Y], n),
                         kn_point_ratio(m[KN_M_Z], n)};
    const double energy = m[KN_M_XX] + m[KN_M_YY] + m[KN_M_ZZ];
    const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    const double second[3][3] = {{m[KN_M_XX], m[KN_M_XY], m[KN_M_XZ]},
                                 {m[KN_M_XY], m[KN_M_YY], m[KN_M_YZ]},
                                 {m[KN_M_XZ], m[KN_M_YZ], m[KN_M_ZZ]}};
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    field[0] = m[KN_M_1];
    field[4] = kn_point_ratio((2.0 / 3.0) * energy - m[KN_M_1], n) - (2.0 / 3.0) * eps * uu;
    for (int i = 0; i < 6; i++)
        field[5 + i] = 2 * second[row[i]][column[i]] - 2 * eps * n * u[row[i]] * u[column[i]];
    for (int i = 0; i < 3; i++) {
        const double along = second[i][0] * u[0] + second[i][1] * u[1] + second[i][2] * u[2];
        field[1 + i] = u[i];
        field[11 + i] =
            m[KN_M_XVV + i] - 2.5 * u[i] - eps * (2 * along + u[i] * energy) + 2 * n * eps * eps * u[i] * uu;
    }
}

/* <v^4> and <v^6> of a local equilibrium at rest, divided by those of Phi0, minus 1, divided by eps:
 * theory (37c). */
POINT double kn_moments_fourth(double eps, double rho, double theta)
{
    return rho + (1 + eps * rho) * (2 + eps * theta) * theta;
}

POINT double kn_moments_sixth(double eps, double rho, double theta)
{
    return rho + (1 + eps * rho) * (3 + eps * theta * (3 + eps * theta)) * theta;
}

#endif
