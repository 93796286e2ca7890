/* The Maxwellian about which h is written, and the change of units from it to the gas at rest, theory (53)
 * to (57).  No formula divides by eps. */
#ifndef KN_POINT_REFERENCE_H
#define KN_POINT_REFERENCE_H

#include "knudsen.h"
#include "point/wall.h"

/* All members in units of the gas at rest. */
struct kn_reference {
    double temperature; /* (Tr - T0) / (eps T0) */
    double velocity[3]; /* eps V0 */
    double ratio;       /* Tr / T0 */
    double speed;       /* Vr / V0, the unit of velocity */
    double collisions;  /* p0 / mu0 at Tr over that at T0: the rate of collisions */
    bool at_rest;       /* it is the gas at rest: both units are the same */
};

/* The Maxwellian of temperature Tr and velocity u; the viscosity is proportional to T^omega. */
POINT struct kn_reference kn_reference_make(double eps, double temperature, const double velocity[3],
                                            double omega)
{
    const double ratio = 1 + eps * temperature;
    struct kn_reference r = {.temperature = temperature,
                             .velocity = {velocity[0], velocity[1], velocity[2]},
                             .ratio = ratio,
                             .speed = sqrt(ratio),
                             .collisions = pow(ratio, 1 - omega)};
    r.at_rest = temperature == 0 && velocity[0] == 0 && velocity[1] == 0 && velocity[2] == 0;
    return r;
}

/* Temperature and velocity into the units of the reference, theory (54). */
POINT double kn_reference_temperature(const struct kn_reference *r, double theta)
{
    return (theta - r->temperature) / r->ratio;
}

POINT double kn_reference_velocity(const struct kn_reference *r, double u, int axis)
{
    return (u - r->velocity[axis]) / r->speed;
}

POINT double kn_reference_restore_velocity(const struct kn_reference *r, double u, int axis)
{
    return r->velocity[axis] + r->speed * u;
}

/* Fields of a cell back into the units of the gas at rest, theory (55). */
POINT void kn_reference_restore_fields(const struct kn_reference *r, double field[KN_FIELDS])
{
    field[KN_THETA] = r->temperature + r->ratio * field[KN_THETA];
    for (int d = 0; d < 3; d++)
        field[KN_UX + d] = kn_reference_restore_velocity(r, field[KN_UX + d], d);
    for (int i = KN_PXX; i <= KN_PYZ; i++)
        field[i] = (i <= KN_PZZ ? r->temperature : 0) + r->ratio * field[i];
    for (int i = KN_QX; i <= KN_QZ; i++)
        field[i] *= r->ratio * r->speed;
}

/* Fluxes of 1, v, v.v through a face with this normal, along which the reference does not move, theory (56).
 */
POINT void kn_reference_restore_fluxes(const struct kn_reference *r, double eps, const double normal[3],
                                       double flux[KN_FLUXES])
{
    const double *w = r->velocity;
    const double mass = r->speed * flux[0], ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    double work = 0;
    for (int d = 0; d < 3; d++) {
        work += 2 * w[d] * r->ratio * flux[1 + d];
        flux[1 + d] = normal[d] * r->temperature / 2 + r->ratio * flux[1 + d] + eps * w[d] * mass;
    }
    flux[0] = mass;
    flux[4] = r->ratio * r->speed * flux[4] + eps * work + eps * eps * ww * mass;
}

#endif
