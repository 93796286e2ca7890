/* Collisions at one point: samples, model equations, conservation. */
#ifndef KN_POINT_COLLIDE_H
#define KN_POINT_COLLIDE_H

#include "knudsen.h"
#include "point/equilibrium.h"
#include "point/moments.h"

/* n0 sigma^2 lambda0: the strength of hard-sphere collisions, theory (5). */
#define KN_COLLISION_STRENGTH 0.2533368110

/* Amplitude of one sample, a relaxation at rate c s integrated exactly in
 * time: (1 - exp(-c s)) / s, theory (27). */
POINT float kn_collide_amplitude(float c, float s, int exponential)
{
    return exponential && s > 0 ? -kn_deviation_exp(1.0f, -c * s) / s : c;
}

/* The bracket of one sample: h + h1 + eps h h1 before and, for the symmetric estimator, the same after the
 * collision, theory (25). */
POINT float kn_collide_pair(float eps, float h, float h1)
{
    return h + h1 + eps * (h * h1);
}

/* One collision step of BGK, Shakhov or ES-BGK, integrated exactly for frozen
 * invariants:  h <- keep h + (1 - keep) G + heat term,  theory (31) to (35). */
struct kn_relaxation {
    struct kn_gaussian target; /* G */
    float keep;
    float heat[3];     /* Shakhov: prefactor times the heat flux */
    float drift[3];    /* eps u */
    float temperature; /* 1 + eps theta */
};

/* Local collision frequency p / mu of a gas whose viscosity is proportional to T^(1/2). */
POINT double kn_collide_frequency(double eps, const double field[KN_FIELDS])
{
    return (1 + eps * field[0]) * sqrt(1 + eps * field[4]);
}

POINT struct kn_relaxation kn_collide_relaxation(enum kn_method method, double eps, double prandtl, double dt,
                                                 const double field[KN_FIELDS])
{
    const double nu = kn_collide_frequency(eps, field) * dt, temperature = 1 + eps * field[4];
    const double *u = field + 1, *q = field + 11, theta = field[4];
    const double rate = method == KN_METHOD_ES_BGK ? prandtl * nu : nu;
    double sigma[6] = {theta, theta, theta, 0, 0, 0}, heat = 0;
    struct kn_relaxation r;
    r.keep = (float)exp(-rate);
    r.temperature = (float)temperature;
    if (method == KN_METHOD_SHAKHOV)
        heat = 0.8 * (exp(-prandtl * nu) - exp(-nu)) / ((1 + eps * field[0]) * temperature * temperature);
    if (method == KN_METHOD_ES_BGK && prandtl != 1) {
        /* stress of the target that gives the exact decay exp(-nu) of the deviatoric stress */
        const double b = (exp(-nu) - exp(-rate)) / -expm1(-rate);
        const double n = 1 + eps * field[0], p = field[0] + theta + eps * field[0] * theta;
        for (int i = 0; i < 6; i++)
            sigma[i] += b * (field[5 + i] - (i < 3 ? p : 0)) / n;
    }
    r.target = kn_gaussian_make(eps, field[0], u, sigma);
    for (int i = 0; i < 3; i++) {
        r.heat[i] = (float)(heat * q[i]);
        r.drift[i] = (float)(eps * u[i]);
    }
    return r;
}

/* The same step for the velocities of one octant, given by |v|. */
POINT struct kn_relaxation kn_relaxation_in_octant(struct kn_relaxation r, float sx, float sy, float sz)
{
    r.target = kn_gaussian_in_octant(r.target, sx, sy, sz);
    r.heat[0] *= sx;
    r.heat[1] *= sy;
    r.heat[2] *= sz;
    r.drift[0] *= sx;
    r.drift[1] *= sy;
    r.drift[2] *= sz;
    return r;
}

POINT float kn_collide_relax(const struct kn_relaxation *r, float eps, float h, float vx, float vy, float vz)
{
    const float excess = kn_gaussian_excess(eps, kn_gaussian_exponent(&r->target, vx, vy, vz));
    const float g = kn_gaussian_value(eps, r->target.rho, excess);
    return g + r->keep * (h - g);
}

/* Shakhov's heat-flux term, relative to the local Maxwellian. */
POINT float kn_collide_heat_term(const struct kn_relaxation *r, float eps, float vx, float vy, float vz)
{
    const float excess = kn_gaussian_excess(eps, kn_gaussian_exponent(&r->target, vx, vy, vz));
    const float maxwellian = 1 + eps * kn_gaussian_value(eps, r->target.rho, excess);
    const float cx = vx - r->drift[0], cy = vy - r->drift[1], cz = vz - r->drift[2];
    const float cc = cx * cx + cy * cy + cz * cz;
    return maxwellian * (r->heat[0] * cx + r->heat[1] * cy + r->heat[2] * cz) * (cc / r->temperature - 2.5f);
}

enum { KN_INVARIANTS = 5 }; /* 1, vx, vy, vz, v.v */

/* Solve the symmetric positive definite system a x = b in place (Cholesky). */
POINT void kn_collide_solve(double a[KN_INVARIANTS][KN_INVARIANTS], double b[KN_INVARIANTS])
{
    for (int j = 0; j < KN_INVARIANTS; j++) {
        for (int k = 0; k < j; k++)
            a[j][j] -= a[j][k] * a[j][k];
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < KN_INVARIANTS; i++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    for (int i = 0; i < KN_INVARIANTS; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = KN_INVARIANTS - 1; i >= 0; i--) {
        for (int k = i + 1; k < KN_INVARIANTS; k++)
            b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
}

/* Coefficients of the polynomial whose invariants are `missing`, in the inner product with Phi0; `inverse` is
 * that of the matrix <psi psi>. */
POINT void kn_collide_project(const double inverse[KN_INVARIANTS][KN_INVARIANTS],
                              const double missing[KN_INVARIANTS], double x[KN_INVARIANTS])
{
    for (int i = 0; i < KN_INVARIANTS; i++) {
        x[i] = 0;
        for (int j = 0; j < KN_INVARIANTS; j++)
            x[i] += inverse[i][j] * missing[j];
    }
}

/* h after sources have acted over a time, theory (36). */
POINT float kn_collide_driven(float h, float time, float rate)
{
    return h + time * rate;
}

/* The correcting polynomial a + b.v + c v.v, theory (30).  Passed by value: loops over cells are vectorised.
 */
struct kn_polynomial {
    float a, bx, by, bz, c;
};

POINT float kn_collide_polynomial(struct kn_polynomial x, float vx, float vy, float vz, float vv)
{
    return x.a + x.bx * vx + x.by * vy + x.bz * vz + x.c * vv;
}

#endif
