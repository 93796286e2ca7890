/* Gaussians written as deviations from the reference Maxwellian, theory (19), (20). */
#ifndef KN_POINT_EQUILIBRIUM_H
#define KN_POINT_EQUILIBRIUM_H

#include "point/deviation.h"

/* The Gaussian of density 1 + eps rho, velocity eps u and temperature tensor
 * I + eps sigma, as f = Phi0 (1 + eps h) with
 *     h = rho + (1 + eps rho) E,   E = (exp(eps x) - 1) / eps,
 *     x = constant + linear.v + v.square.v.
 * At eps = 0, E = x and h is the polynomial of the linearised equation. */
struct kn_gaussian {
    float rho;
    float constant;
    float linear[3];
    float square[6]; /* xx yy zz and twice xy xz yz */
};

/* sigma in the order xx yy zz xy xz yz. */
POINT struct kn_gaussian kn_gaussian_make(double eps, double rho, const double u[3], const double sigma[6])
{
    /* With T = I + eps sigma:  I - T^-1 = eps B,  B = T^-1 sigma, through the adjugate of T. */
    const double txx = 1 + eps * sigma[0], tyy = 1 + eps * sigma[1], tzz = 1 + eps * sigma[2];
    const double txy = eps * sigma[3], txz = eps * sigma[4], tyz = eps * sigma[5];
    const double axx = tyy * tzz - tyz * tyz, ayy = txx * tzz - txz * txz, azz = txx * tyy - txy * txy;
    const double axy = txz * tyz - txy * tzz, axz = txy * tyz - txz * tyy, ayz = txy * txz - tyz * txx;
    const double det = txx * axx + txy * axy + txz * axz;
    const double inverse[3][3] = {{axx / det, axy / det, axz / det},
                                  {axy / det, ayy / det, ayz / det},
                                  {axz / det, ayz / det, azz / det}};
    const double s[3][3] = {
        {sigma[0], sigma[3], sigma[4]}, {sigma[3], sigma[1], sigma[5]}, {sigma[4], sigma[5], sigma[2]}};
    /* det T = 1 + eps d without cancellation */
    const double minors = sigma[0] * sigma[1] - sigma[3] * sigma[3] + sigma[0] * sigma[2] -
                          sigma[4] * sigma[4] + sigma[1] * sigma[2] - sigma[5] * sigma[5];
    const double cube = s[0][0] * (s[1][1] * s[2][2] - s[1][2] * s[1][2]) -
                        s[0][1] * (s[0][1] * s[2][2] - s[1][2] * s[0][2]) +
                        s[0][2] * (s[0][1] * s[1][2] - s[1][1] * s[0][2]);
    const double d = sigma[0] + sigma[1] + sigma[2] + eps * (minors + eps * cube);
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    struct kn_gaussian g;
    double uu = 0;
    for (int i = 0; i < 3; i++) {
        const double along = inverse[i][0] * u[0] + inverse[i][1] * u[1] + inverse[i][2] * u[2];
        g.linear[i] = (float)(2 * along);
        uu += u[i] * along;
    }
    for (int i = 0; i < 6; i++) {
        const double b = inverse[row[i]][0] * s[0][column[i]] + inverse[row[i]][1] * s[1][column[i]] +
                         inverse[row[i]][2] * s[2][column[i]];
        g.square[i] = (float)(i < 3 ? b : 2 * b);
    }
    g.rho = (float)rho;
    /* For a density or a principal temperature that is not positive the value is NaN, which the run
     * detects and reports. */
    const int positive = 1 + eps * rho > 0 && txx > 0 && azz > 0 && det > 0;
    g.constant = positive ? (float)(-eps * uu - 0.5 * kn_deviation_log(eps, d)) : NAN;
    return g;
}

/* The isotropic case: temperature 1 + eps theta. */
POINT struct kn_gaussian kn_gaussian_maxwellian(double eps, double rho, const double u[3], double theta)
{
    const double sigma[6] = {theta, theta, theta, 0, 0, 0};
    return kn_gaussian_make(eps, rho, u, sigma);
}

/* The same Gaussian for the velocities of one octant, given by |v|. */
POINT struct kn_gaussian kn_gaussian_in_octant(struct kn_gaussian g, float sx, float sy, float sz)
{
    g.linear[0] *= sx;
    g.linear[1] *= sy;
    g.linear[2] *= sz;
    g.square[3] *= sx * sy;
    g.square[4] *= sx * sz;
    g.square[5] *= sy * sz;
    return g;
}

POINT float kn_gaussian_exponent(const struct kn_gaussian *g, float vx, float vy, float vz)
{
    const float x = g->linear[0] + g->square[0] * vx + g->square[3] * vy + g->square[4] * vz;
    const float y = g->linear[1] + g->square[1] * vy + g->square[5] * vz;
    const float z = g->linear[2] + g->square[2] * vz;
    return g->constant + vx * x + vy * y + vz * z;
}

/* E of the exponent; the test of eps is the same for a whole loop and costs nothing. */
POINT float kn_gaussian_excess(float eps, float exponent)
{
    return eps == 0.0f ? exponent : kn_deviation_exp(eps, exponent);
}

/* h of a Gaussian, or of the emission of a wall, with density 1 + eps rho. */
POINT float kn_gaussian_value(float eps, float rho, float excess)
{
    return rho * (1 + eps * excess) + excess;
}

#endif
