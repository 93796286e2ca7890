/* Gaussians written as deviations from the reference Maxwellian: a product of one factor per axis, theory
 * (19a) to (20). */
#ifndef KN_POINT_EQUILIBRIUM_H
#define KN_POINT_EQUILIBRIUM_H

#include "point/deviation.h"

/* How Gaussians are evaluated on the axes of a velocity grid. The axes are arranged in places: the factor at
 * a place may depend on the velocities at earlier places. Place 0 is not reduced. */
struct kn_basis {
    double eps;
    int axes[3];    /* the axis at each place */
    int reduced[3]; /* by place: the factor is a Hermite expansion, theory (19d), not a function of v */
};

/* One factor: a Gaussian of velocity eps mean and temperature 1 + eps excess along an axis. Its norm is not
 * part of the factor, except on a reduced axis. */
struct kn_factor {
    float mean;
    float excess;
    float inverse; /* of the temperature */
};

/* A Gaussian as f = Phi0 (1 + eps h): h is the density joined with the factors. */
struct kn_gaussian {
    float density;              /* E of the density times the norms of the factors */
    struct kn_factor factor[3]; /* by place; the mean is that for the mean velocities at earlier places */
    float slope[3]; /* of the mean at place 1 with the velocity at place 0, at place 2 with those at 0, 1 */
};

/* Entry of a symmetric tensor in the order xx yy zz xy xz yz. */
POINT int kn_gaussian_entry(int i, int j)
{
    return i == j ? i : i + j + 2;
}

/* (1 + eps volume)^(-1/2) - 1, over eps. */
POINT double kn_gaussian_norm(double eps, double volume)
{
    const double root = kn_point_double_root(1 + eps * volume);
    return kn_point_ratio(-volume, root * (1 + root));
}

/* Velocity eps u and temperature tensor I + eps sigma, by place, theory (19a): the tensor is decomposed into
 * L D L^T, where D has the temperatures of the factors and L - I = eps times the slopes. */
POINT struct kn_gaussian kn_gaussian_make(const struct kn_basis *b, double rho, const double u[3],
                                          const double sigma[6])
{
    const double eps = b->eps, t0 = 1 + eps * sigma[0], inverse0 = kn_point_ratio(1, t0);
    const double slope10 = sigma[3] * inverse0, slope20 = sigma[4] * inverse0;
    const double excess1 = sigma[1] - eps * slope10 * sigma[3], t1 = 1 + eps * excess1,
                 inverse1 = kn_point_ratio(1, t1);
    const double cross = sigma[5] - eps * slope10 * sigma[4], slope21 = cross * inverse1;
    const double excess2 = sigma[2] - eps * (slope20 * sigma[4] + slope21 * cross), t2 = 1 + eps * excess2;
    const double excess[3] = {sigma[0], excess1, excess2},
                 inverse[3] = {inverse0, inverse1, kn_point_ratio(1, t2)};
    double volume = 0; /* product of the temperatures of axes that are not reduced, minus 1, over eps */
    struct kn_gaussian g;
    for (int i = 0; i < 3; i++) {
        volume += b->reduced[i] ? 0 : excess[i] * (1 + eps * volume);
        g.factor[i].mean = (float)u[i];
        g.factor[i].excess = (float)excess[i];
        g.factor[i].inverse = (float)inverse[i];
    }
    g.slope[0] = (float)slope10;
    g.slope[1] = (float)slope20;
    g.slope[2] = (float)slope21;
    /* For a density or a principal temperature that is not positive the value is NaN, which the run
     * detects and reports. */
    const double norm = kn_gaussian_norm(eps, volume), density = rho * (1 + eps * norm) + norm;
    g.density = 1 + eps * rho > 0 && t0 > 0 && t1 > 0 && t2 > 0 ? (float)density : NAN;
    return g;
}

/* The same with velocity and tensor by axis. */
POINT struct kn_gaussian kn_gaussian_along(const struct kn_basis *b, double rho, const double u[3],
                                           const double sigma[6])
{
    double mean[3], excess[6] = {0};
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            mean[i] = u[b->axes[i]];
            excess[kn_gaussian_entry(i, j)] = sigma[kn_gaussian_entry(b->axes[i], b->axes[j])];
        }
    return kn_gaussian_make(b, rho, mean, excess);
}

/* The isotropic case: temperature 1 + eps theta. */
POINT struct kn_gaussian kn_gaussian_maxwellian(const struct kn_basis *b, double rho, const double u[3],
                                                double theta)
{
    const double sigma[6] = {theta, theta, theta, 0, 0, 0};
    return kn_gaussian_along(b, rho, u, sigma);
}

/* Mean velocity over eps at a place for given velocities at the earlier places. */
POINT float kn_gaussian_mean1(const struct kn_gaussian *g, float eps, float v0)
{
    return g->factor[1].mean + g->slope[0] * (v0 - eps * g->factor[0].mean);
}

POINT float kn_gaussian_mean2(const struct kn_gaussian *g, float eps, float v0, float v1)
{
    return g->factor[2].mean + g->slope[1] * (v0 - eps * g->factor[0].mean) +
           g->slope[2] * (v1 - eps * kn_gaussian_mean1(g, eps, v0));
}

/* Exponent of a factor, divided by eps, theory (19b). */
POINT float kn_factor_exponent(const struct kn_factor *f, float eps, float mean, float v)
{
    const float twice = mean + mean, square = kn_point_product(eps * mean, mean);
    return f->inverse * (v * (twice + f->excess * v) - square);
}

/* Expansion of a factor on a reduced axis, theory (19d). */
POINT float kn_factor_expansion(const struct kn_factor *f, float eps, float mean, float v)
{
    const float shift = eps * mean, twice = mean + mean, second = shift * twice + f->excess,
                third = shift * (0.66666667f * shift * twice + (f->excess + f->excess));
    return kn_point_product(twice, v) + second * (v * v - 0.5f) + third * v * (v * v - 1.5f);
}

/* E of an exponent; the test of eps is the same for a whole loop and costs nothing. */
POINT float kn_gaussian_excess(float eps, float exponent)
{
    return eps == 0.0f ? exponent : kn_deviation_exp(eps, exponent);
}

/* E of one factor. */
POINT float kn_factor_excess(const struct kn_factor *f, float eps, int reduced, float mean, float v)
{
    return reduced ? kn_factor_expansion(f, eps, mean, v)
                   : kn_gaussian_excess(eps, kn_factor_exponent(f, eps, mean, v));
}

/* E of the factors at places 0 and 1. */
POINT float kn_gaussian_pair(const struct kn_gaussian *g, float eps, const int reduced[2], float v0, float v1)
{
    const float mean = kn_gaussian_mean1(g, eps, v0);
    if (!reduced[0] && !reduced[1]) /* one exponential for both */
        return kn_gaussian_excess(eps, kn_factor_exponent(&g->factor[0], eps, g->factor[0].mean, v0) +
                                           kn_factor_exponent(&g->factor[1], eps, mean, v1));
    return kn_deviation_join(eps, kn_factor_excess(&g->factor[0], eps, reduced[0], g->factor[0].mean, v0),
                             kn_factor_excess(&g->factor[1], eps, reduced[1], mean, v1));
}

/* The same exponent as a sum, if neither place is reduced: constant + v0 (linear + square v0) + v1 (linear +
 * square v1) + cross v0 v1, theory (19e). */
struct kn_crossed {
    float constant, linear[2], square[2], cross;
};

POINT struct kn_crossed kn_gaussian_crossed(const struct kn_factor *a, const struct kn_factor *b, float slope,
                                            float eps)
{
    const float rest = b->mean - slope * (eps * a->mean), by_slope = eps * (b->inverse * slope);
    const struct kn_crossed x = {
        -eps * (kn_point_product(a->inverse * a->mean, a->mean) + b->inverse * rest * rest),
        {2 * (kn_point_product(a->inverse, a->mean) - by_slope * rest), 2 * b->inverse * rest},
        {kn_point_product(a->inverse, a->excess) - by_slope * slope, b->inverse * b->excess},
        2 * b->inverse * slope};
    return x;
}

/* h of a Gaussian, or of the emission of a wall, with density 1 + eps rho. */
POINT float kn_gaussian_value(float eps, float rho, float excess)
{
    return kn_deviation_join(eps, rho, excess);
}

/* h at a velocity given by axis. */
POINT float kn_gaussian_at(const struct kn_gaussian *g, const struct kn_basis *b, const float v[3])
{
    const float eps = (float)b->eps, v0 = v[b->axes[0]], v1 = v[b->axes[1]], v2 = v[b->axes[2]];
    const float last =
        kn_factor_excess(&g->factor[2], eps, b->reduced[2], kn_gaussian_mean2(g, eps, v0, v1), v2);
    return kn_gaussian_value(eps, g->density,
                             kn_deviation_join(eps, kn_gaussian_pair(g, eps, b->reduced, v0, v1), last));
}

#endif
