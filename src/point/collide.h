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

/* One collision step of BGK, Shakhov or ES-BGK, integrated exactly for frozen invariants:
 * h <- h + lose (G - h) + heat term, theory (31) to (35). Vectors are by place (struct kn_basis). */
struct kn_relaxation {
    struct kn_gaussian target; /* G */
    float lose;
    float heat[3]; /* Shakhov: prefactor times the heat flux */
};

/* Local collision frequency p / mu of a gas whose viscosity is proportional to T^(1/2). */
POINT double kn_collide_frequency(double eps, const double field[KN_FIELDS])
{
    return (1 + eps * field[0]) * kn_point_double_root(1 + eps * field[4]);
}

POINT struct kn_relaxation kn_collide_relaxation(enum kn_method method, const struct kn_basis *basis,
                                                 double prandtl, double dt, const double field[KN_FIELDS])
{
    const double eps = basis->eps, n = 1 + eps * field[0], temperature = 1 + eps * field[4];
    const double *u = field + 1, *q = field + 11, theta = field[4];
    const float nu = (float)(kn_collide_frequency(eps, field) * dt);
    const float fast = -kn_deviation_exp(1.0f, -nu), slow = -kn_deviation_exp(1.0f, -(float)prandtl * nu);
    double sigma[6] = {theta, theta, theta, 0, 0, 0}, heat = 0;
    struct kn_relaxation r;
    r.lose = method == KN_METHOD_ES_BGK ? slow : fast;
    if (method == KN_METHOD_ES_BGK) {
        /* stress of the target that gives the exact decay exp(-nu) of the deviatoric stress */
        const double share = kn_point_ratio(1 - kn_point_ratio(fast, slow), n),
                     p = field[0] + theta + eps * field[0] * theta;
        for (int i = 0; i < 6; i++)
            sigma[i] += share * (field[5 + i] - (i < 3 ? p : 0));
    }
    r.target = kn_gaussian_make(basis, field[0], u, sigma);
    if (method == KN_METHOD_SHAKHOV) /* with the norms of the factors, but without the density */
        heat =
            kn_point_ratio(0.8 * (fast - slow) * (1 + eps * r.target.density), n * temperature * temperature);
    for (int i = 0; i < 3; i++)
        r.heat[i] = (float)(heat * q[i]);
    return r;
}

/* A Gaussian factor F = 1 + eps excess at one velocity, and F times the Hermite polynomials of first to third
 * degree of the peculiar velocity c, theory (34a): c, c^2 / T - 1/2 and c (c^2 / T - 3/2). The odd ones are
 * multiplied by the prefactor of the heat term. */
struct kn_relax_part {
    float excess, whole, first, second, third; /* whole: F */
};

/* These products as polynomials of v times 1 + eps excess; on a reduced axis eps is 0 here, and they are the
 * expansions. */
struct kn_relax_form {
    float eps, first[4], second[4], third[4];
};

POINT struct kn_relax_form kn_relax_form_make(const struct kn_factor *f, float eps, int reduced, float heat)
{
    const float a = eps * f->mean, t = 1 + eps * f->excess, i = f->inverse;
    struct kn_relax_form form = {
        eps,
        {-heat * a, heat, 0, 0},
        {i * a * a - 0.5f, -2 * i * a, i, 0},
        {heat * a * (1.5f - i * a * a), heat * (3 * i * a * a - 1.5f), -3 * heat * i * a, heat * i}};
    if (reduced) {
        const float e = (a + a) * a + (t - 1);
        const struct kn_relax_form expanded = {
            0,
            {-heat * t * a, heat * t * (1 - 1.5f * e), 2 * heat * t * a, heat * t * e},
            {-0.5f * t, -3 * t * a, t, 2 * t * a},
            {0, -1.5f * heat * t * t, 0, heat * t * t}};
        form = expanded;
    }
    return form;
}

POINT float kn_relax_cubic(const float c[4], float v)
{
    return c[0] + v * (c[1] + v * (c[2] + v * c[3]));
}

POINT struct kn_relax_part kn_relax_part_at(const struct kn_relax_form *f, float eps, float v, float excess)
{
    const float scale = 1 + f->eps * excess;
    const struct kn_relax_part p = {excess, 1 + eps * excess, scale * kn_relax_cubic(f->first, v),
                                    scale * kn_relax_cubic(f->second, v),
                                    scale * kn_relax_cubic(f->third, v)};
    return p;
}

/* The factors at two places: E of their product with the density of the target, and the coefficients of F and
 * of the three products at the third place in the heat term, theory (34b). */
struct kn_relax_pair {
    float excess;
    float by_whole, by_first, by_second, by_third;
};

/* `dense` is E of the first factor with the density. */
POINT struct kn_relax_pair kn_relax_pair_of(float dense, struct kn_relax_part a, struct kn_relax_part b)
{
    const struct kn_relax_pair p = {
        dense * b.whole + b.excess,
        kn_point_product(a.third, b.whole) + a.whole * b.third + a.first * b.second + a.second * b.first,
        kn_point_product(a.second, b.whole) + a.whole * b.second,
        kn_point_product(a.first, b.whole) + a.whole * b.first, a.whole * b.whole};
    return p;
}

/* Change of h in a collision step without the heat term; c is the part at the third place. */
POINT float kn_relax_change(float lose, struct kn_relax_pair p, struct kn_relax_part c, float h)
{
    return lose * (p.excess * c.whole + c.excess - h);
}

/* The heat term: its parts that are even and odd in the velocity at the third place. */
POINT float kn_relax_heat(struct kn_relax_pair p, struct kn_relax_part c)
{
    return kn_point_product(p.by_whole, c.whole) + p.by_second * c.second;
}

POINT float kn_relax_odd_heat(struct kn_relax_pair p, struct kn_relax_part c)
{
    return kn_point_product(p.by_first, c.first) + p.by_third * c.third;
}

/* The change without odd parts as a combination of the part at a folded third place, theory (34c): constant +
 * by_excess E + by_second S - lose h. */
struct kn_relax_folded {
    float constant, by_excess, by_second;
};

POINT struct kn_relax_folded kn_relax_fold(float lose, float eps, struct kn_relax_pair p)
{
    const float constant = lose * p.excess + p.by_whole;
    const struct kn_relax_folded f = {constant, lose + eps * constant, p.by_second};
    return f;
}

/* The whole change at a velocity given by place; `crossed`: the factors depend on the velocities at earlier
 * places. */
POINT float kn_relax_at(const struct kn_relaxation *r, const struct kn_basis *b, int crossed,
                        const float v[3], float h)
{
    const struct kn_gaussian *g = &r->target;
    const float eps = (float)b->eps;
    struct kn_relax_part along[3];
    for (int i = 0; i < 3; i++) {
        const float mean = crossed && i == 2 ? kn_gaussian_mean2(g, eps, v[0], v[1]) : g->factor[i].mean;
        const struct kn_relax_form form = kn_relax_form_make(&g->factor[i], eps, b->reduced[i], r->heat[i]);
        along[i] = kn_relax_part_at(&form, eps, v[i],
                                    kn_factor_excess(&g->factor[i], eps, b->reduced[i], mean, v[i]));
    }
    struct kn_relax_pair pair =
        kn_relax_pair_of(kn_gaussian_value(eps, g->density, along[0].excess), along[0], along[1]);
    if (crossed)
        pair.excess = kn_gaussian_value(eps, g->density, kn_gaussian_pair(g, eps, b->reduced, v[0], v[1]));
    return kn_relax_change(r->lose, pair, along[2], h) + kn_relax_heat(pair, along[2]) +
           kn_relax_odd_heat(pair, along[2]);
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
