/* Gaussians and model equations at one point in double precision, for residuals of steady states: theory
 * (19a) to (20) and (31) to (35). */
#ifndef KN_POINT_STEADY_MODEL_H
#define KN_POINT_STEADY_MODEL_H

#include "point/collide.h"

/* As struct kn_gaussian; the density and the norms are in the exponent. */
struct kn_steady_gaussian {
    double constant, mean[3], excess[3], slope[3]; /* by place */
};

POINT struct kn_steady_gaussian kn_steady_gaussian_make(const struct kn_basis *b, double rho,
                                                        const double u[3], const double sigma[6])
{
    const double eps = b->eps, t0 = 1 + eps * sigma[0], slope10 = sigma[3] / t0, slope20 = sigma[4] / t0,
                 excess1 = sigma[1] - eps * slope10 * sigma[3], cross = sigma[5] - eps * slope10 * sigma[4],
                 slope21 = cross / (1 + eps * excess1),
                 excess2 = sigma[2] - eps * (slope20 * sigma[4] + slope21 * cross);
    struct kn_steady_gaussian g = {kn_deviation_log(eps, rho),
                                   {u[0], u[1], u[2]},
                                   {sigma[0], excess1, excess2},
                                   {slope10, slope20, slope21}};
    for (int i = 0; i < 3; i++)
        g.constant -= b->reduced[i] ? 0 : 0.5 * kn_deviation_log(eps, g.excess[i]);
    return g;
}

/* A factor on a reduced axis, theory (19d). */
POINT double kn_steady_expansion(double eps, double m, double s, double v)
{
    return 2 * m * v + (2 * eps * m * m + s) * (v * v - 0.5) +
           eps * m * (4.0 / 3 * eps * m * m + 2 * s) * v * (v * v - 1.5);
}

/* h at a velocity by place.  parts[i]: factor 1 + eps E of a reduced axis, else 1. */
POINT double kn_steady_gaussian_at(const struct kn_steady_gaussian *g, const struct kn_basis *b,
                                   const double v[3], double parts[3])
{
    const double eps = b->eps, m0 = g->mean[0], m1 = g->mean[1] + g->slope[0] * (v[0] - eps * m0),
                 m2 = g->mean[2] + g->slope[1] * (v[0] - eps * m0) + g->slope[2] * (v[1] - eps * m1);
    const double m[3] = {m0, m1, m2};
    double x = g->constant, h;
    for (int i = 0; i < 3; i++)
        if (!b->reduced[i])
            x += (v[i] * (2 * m[i] + g->excess[i] * v[i]) - eps * m[i] * m[i]) / (1 + eps * g->excess[i]);
    h = eps > 0 ? expm1(eps * x) / eps : x;
    for (int i = 0; i < 3; i++) {
        const double e = b->reduced[i] ? kn_steady_expansion(eps, m[i], g->excess[i], v[i]) : 0;
        parts[i] = 1 + eps * e;
        h = h * parts[i] + e;
    }
    return h;
}

/* The rate of change of h by a model equation: rate (G - h) + heat term. Vectors are by place. */
struct kn_steady_model {
    struct kn_steady_gaussian target;
    double rate, heat[3];
    double mean[3], temperature;
};

POINT struct kn_steady_model kn_steady_model_make(enum kn_method method, const struct kn_basis *b,
                                                  double prandtl, const double field[KN_FIELDS])
{
    const double eps = b->eps, n = 1 + eps * field[0], theta = field[4], temperature = 1 + eps * theta,
                 frequency = kn_collide_frequency(eps, field);
    const bool stressed = method == KN_METHOD_ES_BGK;
    const double share = stressed ? (1 - 1 / prandtl) / n : 0, p = field[0] + theta + eps * field[0] * theta,
                 heat = method == KN_METHOD_SHAKHOV
                            ? 0.8 * frequency * (1 - prandtl) / (n * temperature * temperature)
                            : 0;
    struct kn_steady_model r = {.rate = frequency * (stressed ? prandtl : 1), .temperature = temperature};
    double sigma[6];
    for (int i = 0; i < 3; i++) {
        r.mean[i] = field[1 + b->axes[i]];
        r.heat[i] = heat * field[11 + b->axes[i]];
        for (int j = i; j < 3; j++) {
            const int from = kn_gaussian_entry(b->axes[i] < b->axes[j] ? b->axes[i] : b->axes[j],
                                               b->axes[i] < b->axes[j] ? b->axes[j] : b->axes[i]);
            sigma[kn_gaussian_entry(i, j)] =
                (i == j ? theta : 0) + share * (field[5 + from] - (i == j ? p : 0));
        }
    }
    r.target = kn_steady_gaussian_make(b, field[0], r.mean, sigma);
    return r;
}

/* F times the Hermite polynomials of first to third degree of the peculiar velocity, divided by F on an axis
 * that is not reduced, theory (34a). */
POINT void kn_steady_hermite(double eps, int reduced, double mean, double temperature, double v, double to[3])
{
    const double a = eps * mean, t = temperature, c = v - a, e = 2 * a * a + (t - 1);
    to[0] = reduced ? t * (-a + v * (1 - 1.5 * e + v * (2 * a + v * e))) : c;
    to[1] = reduced ? t * (-0.5 + v * (-3 * a + v * (1 + v * 2 * a))) : c * c / t - 0.5;
    to[2] = reduced ? t * t * v * (v * v - 1.5) : c * (c * c / t - 1.5);
}

/* The rate of change at a velocity by place. */
POINT double kn_steady_model_at(const struct kn_steady_model *r, const struct kn_basis *b, const double v[3],
                                double h)
{
    double parts[3], polynomial[3][3], sum = 0, whole;
    const double target = kn_steady_gaussian_at(&r->target, b, v, parts);
    if (r->heat[0] == 0 && r->heat[1] == 0 && r->heat[2] == 0)
        return r->rate * (target - h);
    whole = 1 + b->eps * target;
    for (int i = 0; i < 3; i++) {
        kn_steady_hermite(b->eps, b->reduced[i], r->mean[i], r->temperature, v[i], polynomial[i]);
        whole /= parts[i];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        sum += r->heat[i] * (polynomial[i][2] * parts[j] * parts[k] +
                             polynomial[i][0] * (polynomial[j][1] * parts[k] + polynomial[k][1] * parts[j]));
    }
    return r->rate * (target - h) + whole * sum;
}

#endif
