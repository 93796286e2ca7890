/* The initial state of a run. */
#include "grid/initial.h"

#include "config/case.h"
#include "config/reference.h"
#include "point/equilibrium.h"

#include <string.h>

double kn_initial_wave(const struct kn_case *c, const struct kn_space *space, int cell)
{
    double phase = 0, damping = 1;
    int at[3];
    kn_space_place(space, cell, at);
    for (int d = 0; d < 3; d++) {
        const double *edge = space->edges[d] + at[d], length = space->edges[d][space->whole[d]];
        const double k = 2 * M_PI * c->initial.wave[d] / length, half = k * (edge[1] - edge[0]) / 2;
        phase += k * (edge[0] + edge[1]) / 2;
        damping *= half != 0 ? sin(half) / half : 1;
    }
    return damping * cos(phase);
}

/* h of Bobylev, Krook and Wu's solution, theory (37a): no digit is lost, since f / Phi0 - 1 does not
 * shrink with eps. */
static double bkw(double eps, double K, double vv)
{
    const double f = pow(K, -1.5) * exp(vv * (1 - 1 / K)) * ((5 * K - 3) / (2 * K) + (1 - K) * vv / (K * K));
    return (f - 1) / eps;
}

static double log_cosh(double x)
{
    return fabs(x) + log1p(exp(-2 * fabs(x))) - M_LN2;
}

/* The local equilibrium between two inflows, theory (37b). */
static struct kn_gaussian between(const struct kn_case *c, const struct kn_space *space,
                                  const struct kn_basis *basis, int cell)
{
    const int axis = kn_case_inflow_axis(c);
    int at[3];
    kn_space_place(space, cell, at);
    const struct kn_wall *low = &c->walls[2 * axis], *high = low + 1;
    const double *edge = space->edges[axis] + at[axis], middle = space->edges[axis][space->whole[axis]] / 2,
                 w = c->initial.width * c->gas.delta;
    const double mean =
        w / (edge[1] - edge[0]) * (log_cosh((edge[1] - middle) / w) - log_cosh((edge[0] - middle) / w));
    const double share = (1 + mean) / 2;
    double u[3];
    for (int d = 0; d < 3; d++)
        u[d] = low->velocity[d] + share * (high->velocity[d] - low->velocity[d]);
    return kn_gaussian_maxwellian(basis, low->density + share * (high->density - low->density), u,
                                  low->temperature + share * (high->temperature - low->temperature));
}

/* Gas at rest with this anisotropy of its temperature; at rest in the units of another reference too. */
static struct kn_gaussian at_rest(const struct kn_case *c, const struct kn_basis *basis, double amplitude)
{
    const struct kn_reference r = kn_reference_of(c);
    double u[3], sigma[6] = {0};
    for (int d = 0; d < 3; d++) {
        u[d] = kn_reference_velocity(&r, 0, d);
        sigma[d] = kn_reference_temperature(&r, d == 0 ? amplitude : -amplitude / 2);
    }
    return kn_gaussian_along(basis, 0, u, sigma);
}

/* The mass of a Maxwellian on the grid differs slightly from its density: scale 1 + eps h, so that a closed
 * box has the mass of the gas at rest. */
static void keep_mass(const struct kn_velocity *v, double eps, float *row)
{
    double whole = 0, mass = 0;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            whole += v->mass[k];
            mass += v->mass[k] * row[octant * v->stride + k];
        }
    const double missing = -mass / (whole + eps * mass);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            float *h = &row[octant * v->stride + k];
            *h = (float)(*h + missing * (1 + eps * *h));
        }
}

static double shape(enum kn_shape s, const float at[3])
{
    const double v[3] = {at[0], at[1], at[2]}, vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    switch (s) {
    case KN_SHAPE_DENSITY:
        return 1;
    case KN_SHAPE_SHEAR:
        return 2 * v[1];
    case KN_SHAPE_SOUND:
        return 2 * v[0];
    case KN_SHAPE_TEMPERATURE:
        return vv - 1.5;
    case KN_SHAPE_STRESS:
        return 2 * v[0] * v[1];
    case KN_SHAPE_HEAT_FLUX:
        return v[0] * (vv - 2.5);
    case KN_SHAPE_FOURTH_MOMENT: /* Sonine polynomial S_1/2^(2) */
        return vv * vv / 2 - 2.5 * vv + 1.875;
    default:
        return 0;
    }
}

void kn_initial_fill(const struct kn_case *c, const struct kn_space *space, const struct kn_velocity *v,
                     int cell, float *row)
{
    const enum kn_shape s = c->initial.shape;
    const double amplitude = c->initial.amplitude * kn_initial_wave(c, space, cell);
    const bool rests = s == KN_SHAPE_REST,
               gaussian = rests || s == KN_SHAPE_ANISOTROPIC || s == KN_SHAPE_BETWEEN;
    const struct kn_gaussian g = s == KN_SHAPE_BETWEEN ? between(c, space, &v->basis, cell)
                                                       : at_rest(c, &v->basis, rests ? 0 : amplitude);
    memset(row, 0, (size_t)v->nnodes * sizeof *row);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            float *h = &row[octant * v->stride + k];
            float at[3];
            kn_velocity_at(v, octant, k, at);
            if (gaussian)
                *h = kn_gaussian_at(&g, &v->basis, at);
            else if (s == KN_SHAPE_BKW)
                *h = (float)bkw(c->disturbance, 1 - amplitude, v->square[k]);
            else
                *h = (float)(amplitude * shape(s, at));
        }
    if (rests)
        keep_mass(v, c->disturbance, row);
}
