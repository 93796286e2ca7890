/* Computes the SI units of a case and converts its values from and to SI. */
#include "config/scales.h"
#include "config/case.h"
#include "config/config.h"
#include "config/shape.h"
#include "error.h"

#include <math.h>
#include <string.h>

/* CODATA 2019, exact */
static const double boltzmann = 1.380649e-23, avogadro = 6.02214076e23;

const struct kn_scale kn_scales_list[] = {
    {"temperature", offsetof(struct kn_scales, temperature)},
    {"pressure", offsetof(struct kn_scales, pressure)},
    {"density", offsetof(struct kn_scales, density)},
    {"mass", offsetof(struct kn_scales, mass)},
    {"viscosity", offsetof(struct kn_scales, viscosity)},
    {"velocity", offsetof(struct kn_scales, velocity)},
    {"length", offsetof(struct kn_scales, length)},
    {"time", offsetof(struct kn_scales, time)},
    {"box", offsetof(struct kn_scales, box)},
    {"disturbance", offsetof(struct kn_scales, disturbance)},
    {0},
};

const char *kn_scales_species(const struct kn_case *c)
{
    return c->gas.species == KN_SPECIES_NONE ? "" : kn_config_choice_name("gas.species", c->gas.species);
}

double kn_scales_value(const struct kn_scales *s, const struct kn_scale *scale)
{
    double value;
    memcpy(&value, (const char *)s + scale->offset, sizeof value);
    return value;
}

void kn_scales_set(struct kn_scales *s, const struct kn_scale *scale, double value)
{
    memcpy((char *)s + scale->offset, &value, sizeof value);
}

/* The first value with a unit that needs a gas, or NULL. */
static const char *first_with_unit(const struct kn_case *c, struct kn_setting *s)
{
    for (int i = 0; kn_config_setting(c, i, s); i = s->index + 1)
        if (c->si.given[s->index] && !kn_units[s->key->dimension].absolute)
            return s->name;
    return NULL;
}

/* L: space.length, else the first length of the box that has a unit. */
static double box_length(const struct kn_case *c)
{
    struct kn_setting s;
    if (c->space.length > 0)
        return c->space.length;
    if (!kn_config_find(c, "space.size", &s))
        return 0;
    for (int axis = 0; axis < 3; axis++)
        if (c->si.given[s.index] & (1U << axis))
            return c->si.value[s.index][axis];
    return 0;
}

static bool is_wanted(const struct kn_case *c)
{
    struct kn_setting s;
    return c->gas.species != KN_SPECIES_NONE || c->gas.pressure > 0 || c->gas.temperature > 0 ||
           c->gas.viscosity > 0 || c->gas.molar_mass > 0 || c->space.length > 0 || first_with_unit(c, &s);
}

/* The gas: mass, temperature, viscosity and V0. */
static enum kn_status describe_gas(struct kn_scales *s, const struct kn_case *c)
{
    const enum kn_species species = c->gas.species;
    const struct kn_species_data *data = kn_species_find(species);
    struct kn_setting value;
    const char *name = first_with_unit(c, &value);
    const double molar_mass = c->gas.molar_mass > 0 || !data ? c->gas.molar_mass : data->molar_mass;
    if (!(molar_mass > 0) || !(data || c->gas.viscosity > 0))
        return kn_error_set(
            KN_EINPUT,
            "%s: SI units need a gas (gas.species, such as argon, or gas.molar_mass and gas.viscosity)",
            name ? name : "gas.species");
    if (!(c->gas.temperature > 0))
        return kn_error_set(KN_EINPUT, "gas.temperature: SI units need it (such as 300 K)");
    s->mass = molar_mass / avogadro;
    s->temperature = c->gas.temperature;
    s->viscosity =
        c->gas.viscosity > 0 ? c->gas.viscosity : kn_species_viscosity(species, c->gas.temperature);
    s->velocity = sqrt(2 * boltzmann * s->temperature / s->mass);
    return KN_OK;
}

/* Two of pressure, length and delta determine the third: delta = L p0 / (mu0 V0). */
static enum kn_status close_triangle(struct kn_scales *s, const struct kn_case *c)
{
    const double thickness = s->viscosity * s->velocity; /* lambda0 p0 */
    const bool delta = c->gas.delta_set;
    s->box = box_length(c);
    s->pressure = c->gas.pressure;
    if (s->pressure == 0 && s->box > 0 && delta)
        s->pressure = c->gas.delta * thickness / s->box;
    else if (s->pressure > 0 && s->box == 0 && delta)
        s->box = c->gas.delta * thickness / s->pressure;
    else if (s->pressure == 0 || s->box == 0)
        return kn_error_set(KN_EINPUT,
                            "%s: SI units need two of gas.pressure (such as 10 kPa), a length (space.size or "
                            "space.length, such as 1 um) and gas.delta",
                            s->pressure == 0 ? "gas.pressure" : "space.size");
    s->length = thickness / s->pressure;
    const double found = s->box / s->length;
    if (delta && fabs(found / c->gas.delta - 1) > 1e-9)
        return kn_error_set(
            KN_EINPUT,
            "gas.delta: %g, but it is %g for gas.pressure and the length %g m (specify two of the three)",
            c->gas.delta, found, s->box);
    return KN_OK;
}

enum kn_status kn_scales_create(struct kn_scales *s, const struct kn_case *c)
{
    *s = (struct kn_scales){0};
    if (!is_wanted(c))
        return KN_OK;
    KN_TRY(describe_gas(s, c));
    KN_TRY(close_triangle(s, c));
    s->density = s->pressure / (boltzmann * s->temperature);
    s->time = s->length / s->velocity;
    s->disturbance = c->disturbance > 0 ? c->disturbance : 1;
    for (int d = 0; d < 3; d++)
        s->axes += !kn_case_is_uniform(c, d);
    s->area = pow(s->length, s->axes - 1);
    s->known = true;
    return KN_OK;
}

struct kn_conversion kn_scales_conversion(const struct kn_scales *s, enum kn_dimension dimension)
{
    const double eps = s->disturbance, acceleration = eps * s->velocity / s->time;
    const struct kn_conversion table[KN_DIMENSIONS] = {
        [KN_DIMENSION_LENGTH] = {s->box, 0},
        [KN_DIMENSION_PLACE] = {s->length, 0},
        [KN_DIMENSION_VELOCITY] = {eps * s->velocity, 0},
        [KN_DIMENSION_SPEED] = {s->velocity, 0},
        [KN_DIMENSION_TEMPERATURE] = {eps * s->temperature, s->temperature},
        [KN_DIMENSION_WARMING] = {eps * s->temperature, 0},
        [KN_DIMENSION_DENSITY] = {eps * s->density, s->density},
        [KN_DIMENSION_TIME] = {s->time, 0},
        [KN_DIMENSION_FREQUENCY] = {1 / s->time, 0},
        [KN_DIMENSION_RATE] = {1 / s->time, 0},
        [KN_DIMENSION_SHEAR_RATE] = {eps / s->time, 0},
        [KN_DIMENSION_TEMPERATURE_GRADIENT] = {eps * s->temperature / s->length, 0},
        [KN_DIMENSION_ACCELERATION] = {acceleration, 0},
        [KN_DIMENSION_PRESSURE_GRADIENT] = {acceleration * s->density * s->mass, 0}, /* force per volume */
        [KN_DIMENSION_PORT_PRESSURE] = {eps * s->pressure, s->pressure},
        [KN_DIMENSION_STRESS] = {eps * s->pressure, 0},
        [KN_DIMENSION_HEAT_FLUX] = {eps * s->pressure * s->velocity, 0},
        [KN_DIMENSION_MASS_FLUX] = {eps * s->density * s->mass * s->velocity, 0},
        [KN_DIMENSION_FORCE] = {eps * s->pressure * s->area, 0},
        [KN_DIMENSION_TORQUE] = {eps * s->pressure * s->area * s->length, 0},
        [KN_DIMENSION_MASS_FLOW] = {eps * s->density * s->mass * s->velocity * s->area, 0},
        [KN_DIMENSION_HEAT] = {eps * s->pressure * s->velocity * s->area, 0},
        [KN_DIMENSION_DAMPING] = {s->pressure / s->velocity, 0},
        [KN_DIMENSION_ADDED_MASS] = {s->pressure * s->time / s->velocity, 0},
        [KN_DIMENSION_BODY_DAMPING] = {s->pressure * s->area / s->velocity, 0},
        [KN_DIMENSION_BODY_MASS] = {s->pressure * s->area * s->time / s->velocity, 0},
    };
    const bool pure = dimension == KN_DIMENSION_NONE || kn_units[dimension].absolute;
    return pure ? (struct kn_conversion){1, 0} : table[dimension];
}

static void apply_setting(struct kn_case *c, const struct kn_setting *s, const struct kn_scales *scales)
{
    double *values = kn_config_target(c, s);
    for (int i = 0; i < s->key->count; i++) {
        const struct kn_conversion by = kn_scales_conversion(scales, kn_config_dimension(c, s, i));
        if (c->si.given[s->index] & (1U << i))
            values[i] = c->si.number[s->index][i] = (c->si.value[s->index][i] - by.offset) / by.factor;
    }
}

/* A value that the caller has set in the struct no longer has a unit. */
static void forget_changed(struct kn_case *c, const struct kn_setting *s)
{
    const double *values = kn_config_target(c, s);
    for (int i = 0; i < s->key->count; i++)
        if ((c->si.given[s->index] & (1U << i)) && values[i] != c->si.number[s->index][i])
            c->si.given[s->index] &= ~((1U + KN_SI_OTHER) << i);
}

/* The gas is first: the other values depend on it. */
void kn_scales_apply(struct kn_case *c)
{
    struct kn_scales scales = {0};
    struct kn_setting s;
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1)
        if (c->si.given[s.index])
            forget_changed(c, &s);
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1)
        if (c->si.given[s.index] && kn_units[s.key->dimension].absolute)
            apply_setting(c, &s, &scales);
    if (kn_scales_create(&scales, c) != KN_OK || !scales.known)
        return;
    if (!c->gas.delta_set)
        c->gas.delta = scales.box / scales.length;
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1)
        if (c->si.given[s.index] && !kn_units[s.key->dimension].absolute)
            apply_setting(c, &s, &scales);
}

enum kn_status kn_scales_check(const struct kn_case *c)
{
    struct kn_scales scales;
    struct kn_setting s;
    struct kn_case again = *c;
    enum kn_status status = kn_scales_create(&scales, c);
    if (status != KN_OK || !scales.known)
        return status;
    kn_scales_apply(&again);
    if (fabs(again.gas.delta / c->gas.delta - 1) > 1e-9)
        return kn_error_set(KN_EINPUT,
                            "gas.delta: %g, but it is %g for this pressure and length (kn_case_set keeps "
                            "them consistent, direct changes of struct kn_case do not)",
                            c->gas.delta, again.gas.delta);
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1)
        for (int index = 0; index < s.key->count && again.si.given[s.index]; index++) {
            const double is = ((double *)kn_config_target((struct kn_case *)c, &s))[index],
                         ought = ((double *)kn_config_target(&again, &s))[index];
            if (fabs(is - ought) > 1e-12 * fabs(ought))
                return kn_error_set(KN_EINPUT,
                                    "%s: %g, but its value with a unit is %g for this gas (kn_case_set keeps "
                                    "them consistent, direct changes of struct kn_case do not)",
                                    s.name, is, ought);
        }
    return KN_OK;
}

/* The factor of deviations; 0 if only the ratio of a deviation to eps is known. */
static double factor_of(const struct kn_case *c)
{
    struct kn_scales scales;
    return kn_scales_create(&scales, c) == KN_OK && scales.known ? scales.disturbance : c->disturbance;
}

double kn_scales_mach(const struct kn_case *c)
{
    double fastest = 0;
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const struct kn_wall surface = kn_case_surface(c, i), *w = &surface;
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += pow(fabs(w->velocity[d]) + fabs(w->oscillation.velocity[d]), 2);
        fastest = fmax(fastest, sqrt(square));
    }
    for (int i = 0; i < kn_case_bodies(c); i++)
        if (kn_shape_is_smooth(&c->bodies[i]))
            fastest = fmax(fastest, kn_shape_speed(c, &c->bodies[i]));
    return factor_of(c) * fastest / sqrt(5.0 / 6.0);
}

double kn_scales_heating(const struct kn_case *c)
{
    double largest = 0;
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const struct kn_wall surface = kn_case_surface(c, i), *w = &surface;
        const struct kn_case_span t = kn_case_temperatures(w);
        largest = fmax(largest, fmax(fabs(t.low), fabs(t.high)) + fabs(w->oscillation.temperature));
    }
    return factor_of(c) * largest;
}

bool kn_scales_is_strong(const struct kn_case *c)
{
    return c->disturbance == 0 && (kn_scales_mach(c) > 0.1 || kn_scales_heating(c) > 0.05);
}

/* At eps = 0 all deviations are of first order, including that of the pressure. */
bool kn_scales_inflow(const struct kn_case *c, int side, char *text)
{
    struct kn_scales s;
    const struct kn_wall *w = &c->walls[side];
    if (w->kind != KN_WALL_INFLOW)
        return false;
    const bool known = kn_scales_create(&s, c) == KN_OK && s.known;
    if (!known && c->disturbance == 0) {
        snprintf(text, KN_TEXT, "n = n0 (1 %+.4g eps), T = T0 (1 %+.4g eps), p = p0 (1 %+.4g eps)",
                 w->density, w->temperature, w->density + w->temperature);
        return true;
    }
    const double eps = known ? s.disturbance : c->disturbance, n = 1 + eps * w->density,
                 t = 1 + eps * w->temperature, p = c->disturbance > 0 ? n * t : n + t - 1;
    if (known) {
        char pressure[KN_UNITS_TEXT];
        snprintf(text, KN_TEXT, "pressure %s (%.4g p0), density %.4g m-3 (%.4g n0), temperature %.5g K",
                 kn_units_text(KN_DIMENSION_PRESSURE, p * s.pressure, pressure), p, n * s.density, n,
                 t * s.temperature);
    } else
        snprintf(text, KN_TEXT, "pressure %.4g p0, density %.4g n0, temperature %.4g T0", p, n, t);
    return true;
}

/* True for a number without a unit that differs from the default. */
static bool is_bare(const struct kn_case *c, const struct kn_case *plain, const struct kn_setting *s, int i)
{
    const double *value = kn_config_target((struct kn_case *)c, s),
                 *usual = kn_config_target((struct kn_case *)plain, s);
    return !(c->si.given[s->index] & (1U << i)) && value[i] != 0 && value[i] != usual[i] &&
           !kn_config_is_auto(s->key, value, i);
}

bool kn_scales_bare(const struct kn_case *c, char *text)
{
    struct kn_scales scales;
    struct kn_setting s;
    struct kn_case plain = {0};
    if (kn_scales_create(&scales, c) != KN_OK || !scales.known)
        return false;
    for (int n = 0; kn_config_setting(c, n, &s); n = s.index + 1)
        for (int i = 0; i < s.key->count && s.key->dimension != KN_DIMENSION_NONE; i++) {
            const struct kn_conversion by = kn_scales_conversion(&scales, s.key->dimension);
            const double value = ((double *)kn_config_target((struct kn_case *)c, &s))[i];
            char unit[KN_UNITS_TEXT];
            kn_config_store_initial(&plain, &s, i);
            if (s.key->dimension == KN_DIMENSION_WALL_TIME || s.key->dimension == KN_DIMENSION_ANGLE ||
                !is_bare(c, &plain, &s, i))
                continue;
            snprintf(text, KN_TEXT, "%s: %g is interpreted as %s (a unit makes it unambiguous)", s.name,
                     value, kn_units_text(s.key->dimension, by.offset + by.factor * value, unit));
            return true;
        }
    return false;
}

const char *kn_scales_place(const struct kn_case *c, double at, char text[KN_UNITS_TEXT])
{
    struct kn_scales s;
    if (kn_scales_create(&s, c) == KN_OK && s.known)
        return kn_units_text(KN_DIMENSION_LENGTH, at * s.box, text);
    snprintf(text, KN_UNITS_TEXT, "%.6g", at);
    return text;
}
