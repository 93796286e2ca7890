/* Models against the gas that they stand for: the linearised equation, monatomic molecules, BGK, no
 * collisions. */
#include "validity/validity.h"

#include "config/scales.h"

#include <math.h>

/* Size of deviations that the case names; 0 where only their ratio to eps is known. */
static double size_of_deviations(const struct kn_case *c)
{
    struct kn_scales scales;
    const bool known = kn_scales_create(&scales, c) == KN_OK && scales.known;
    return known ? scales.disturbance : c->disturbance;
}

static bool is_in_si(const struct kn_case *c)
{
    struct kn_scales scales;
    return kn_scales_create(&scales, c) == KN_OK && scales.known;
}

/* ------------------------------------------------------ linearised equation */

/* Heat flux between plates at T0 and T without collisions: the whole equation over the linearised one is
 * 2 sqrt(T) / (1 + sqrt(T)). */
static double heating_error(const struct kn_case *c)
{
    const double eps = size_of_deviations(c);
    double largest = 0;
    for (int side = 0; side < KN_SIDES; side++) {
        const struct kn_wall *w = &c->walls[side];
        for (int sign = -1; sign <= 1; sign += 2) {
            const double t = 1 + eps * (w->temperature + sign * fabs(w->oscillation.temperature)),
                         root = sqrt(fmax(t, 1e-6)), ratio = 2 * root / (1 + root);
            largest = fmax(largest, fabs(1 / ratio - 1));
        }
    }
    return largest;
}

/* Half of the largest deviation of an inflow's density. */
static double density_error(const struct kn_case *c)
{
    double largest = 0;
    for (int side = 0; side < KN_SIDES; side++)
        if (c->walls[side].kind == KN_WALL_INFLOW)
            largest = fmax(largest, fabs(c->walls[side].density));
    return size_of_deviations(c) * largest / 2;
}

static void judge_linearity(struct kn_validity *v, const struct kn_case *c)
{
    const double mach = kn_scales_mach(c), heat = heating_error(c), density = density_error(c),
                 speed = 0.04 * mach * mach, /* of the viscosity, which viscous heating changes */
        error = fmax(speed, fmax(heat, density));
    char drive[96], percent[32];
    if (c->disturbance > 0 || !(kn_scales_is_strong(c) || density > 0.025))
        return;
    if (error == speed)
        snprintf(drive, sizeof drive, "walls at Ma %.2g", mach);
    else if (error == heat)
        snprintf(drive, sizeof drive, "temperatures up to %.3g %% from T0", 100 * kn_scales_heating(c));
    else
        snprintf(drive, sizeof drive, "densities up to %.3g %% from n0", 200 * density);
    kn_validity_add(
        v, KN_LEVEL_WARNING, "linearised", error,
        "the linearised equation is used for %s: expect an error of %s; disturbance: 1 solves the whole "
        "equation (with the operator, collision.samples: auto keeps that short)",
        drive, kn_validity_percent(error, percent));
}

/* ------------------------------------------------------------------ heat flux */

static bool is_heated(const struct kn_case *c)
{
    bool heated = c->disturbance > 0 && kn_scales_mach(c) > 0.3;
    for (int d = 0; d < 3; d++)
        heated = heated || c->source.temperature_gradient[d] != 0;
    for (int side = 0; side < KN_SIDES; side++) {
        const struct kn_wall *w = &c->walls[side];
        heated = heated || fabs(w->temperature) > 1e-9 || w->oscillation.temperature != 0 ||
                 w->gradient.temperature != 0;
    }
    return heated;
}

/* Nitrogen carries heat in its rotation too: free-molecular heat fluxes are 3 / 2 of the monatomic ones, and
 * in dense gas the conductivity is 1.3 times that of a monatomic gas of the same viscosity (Eucken). */
static void judge_molecules(struct kn_validity *v, const struct kn_case *c)
{
    if (c->gas.species != KN_SPECIES_NITROGEN || !is_heated(c))
        return;
    kn_validity_add(v, KN_LEVEL_WARNING, "diatomic", 0.3,
                    "nitrogen is computed as a monatomic gas: heat fluxes are too low, by a factor of 1.3 "
                    "(dense) to 1.5 (free-molecular), because rotation carries no energy; stresses and mass "
                    "fluxes are not affected");
}

static double longest_gap(const struct kn_case *c)
{
    double longest = 0;
    for (int d = 0; d < 3; d++)
        if (!kn_space_is_uniform(c, d))
            longest = fmax(longest, c->gas.delta * c->space.size[d]);
    return longest;
}

/* A real gas, as a case in SI units means one, has the Prandtl number 2/3; in the bulk BGK conducts a third
 * less.  A case without units may mean the BGK equation itself. */
static void judge_prandtl(struct kn_validity *v, const struct kn_case *c)
{
    const double gap = longest_gap(c), error = gap / (gap + 2) / 3;
    char percent[32];
    if (c->collision.method != KN_METHOD_BGK || !is_heated(c) || !is_in_si(c))
        return;
    kn_validity_add(v, kn_validity_level(error, KN_LEVEL_WARNING), "prandtl", error,
                    "bgk has the Prandtl number 1 instead of 2/3: heat fluxes are too low by about %s "
                    "(collision.method: operator or shakhov)",
                    kn_validity_percent(error, percent));
}

/* ---------------------------------------------------------------- collisions */

/* Free-molecular stress between plates is too high by 0.8 delta, for small delta. */
static void judge_collisions(struct kn_validity *v, const struct kn_case *c)
{
    const double error = 0.8 * longest_gap(c);
    char percent[32];
    if (c->collision.method != KN_METHOD_NONE || !is_in_si(c))
        return;
    kn_validity_add(v, kn_validity_level(error, KN_LEVEL_WARNING), "collisions", error,
                    "collisions are left out at Kn %.3g: expect an error of %s (collision.method: operator)",
                    KN_SCALES_FREE_PATH / longest_gap(c), kn_validity_percent(error, percent));
}

void kn_validity_judge_models(struct kn_validity *v, const struct kn_case *c)
{
    judge_molecules(v, c);
    judge_prandtl(v, c);
    judge_collisions(v, c);
    judge_linearity(v, c);
}
