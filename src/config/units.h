/* Values with a unit, "3.4 m/s": what a key measures, and the value in SI units. */
#ifndef KN_UNITS_H
#define KN_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* What a number means, apart from the unit it is written in. */
enum kn_dimension {
    KN_DIMENSION_NONE,        /* a pure number */
    KN_DIMENSION_LENGTH,      /* in L */
    KN_DIMENSION_PLACE,       /* in lambda0 */
    KN_DIMENSION_VELOCITY,    /* of the gas or a wall: a part of the disturbance */
    KN_DIMENSION_SPEED,       /* of a molecule: no part of it */
    KN_DIMENSION_TEMPERATURE, /* from absolute zero */
    KN_DIMENSION_WARMING,     /* a difference of temperatures */
    KN_DIMENSION_DENSITY,     /* molecules per volume */
    KN_DIMENSION_TIME,
    KN_DIMENSION_FREQUENCY, /* angular */
    KN_DIMENSION_RATE,
    KN_DIMENSION_SHEAR_RATE,
    KN_DIMENSION_TEMPERATURE_GRADIENT,
    KN_DIMENSION_ACCELERATION,
    KN_DIMENSION_PRESSURE_GRADIENT, /* a force per volume */
    KN_DIMENSION_ANGLE,
    KN_DIMENSION_WALL_TIME, /* of the clock on the wall, not of the gas */
    KN_DIMENSION_PRESSURE,
    KN_DIMENSION_GAS_TEMPERATURE, /* T0 */
    KN_DIMENSION_GAS_LENGTH,      /* L */
    KN_DIMENSION_VISCOSITY,
    KN_DIMENSION_MOLAR_MASS,
    KN_DIMENSION_STRESS, /* from here on for results only */
    KN_DIMENSION_HEAT_FLUX,
    KN_DIMENSION_MASS_FLUX,
    KN_DIMENSIONS
};

/* "a velocity", "m s-1", "3.4 m/s". */
const char *kn_units_name(enum kn_dimension dimension);
const char *kn_units_si(enum kn_dimension dimension);
const char *kn_units_example(enum kn_dimension dimension);

/* True where the case holds the value in SI units anyway: no gas is needed to convert it. */
bool kn_units_is_absolute(enum kn_dimension dimension);

/* What a key of this dimension may be given as instead, or KN_DIMENSION_NONE. */
enum kn_dimension kn_units_other(enum kn_dimension dimension);

/* A value in SI units, and what it measures. */
struct kn_si_value {
    double value;
    enum kn_dimension dimension;
};

/* Read a number and a unit, from any thread; on failure `why` [size] says what is wrong and what is expected.
 */
bool kn_units_read(enum kn_dimension dimension, const char *text, double *si, char *why, size_t size);

/* The unit with a prefix in which a value of this size is written, and by what its SI value is multiplied. */
enum { KN_UNITS_TEXT = 64 };
double kn_units_scale(enum kn_dimension dimension, double si, char unit[KN_UNITS_TEXT]);

/* "802 nm", "22.7 uPa s", "353 m s-1": four digits, with a prefix where people use one. */
const char *kn_units_text(enum kn_dimension dimension, double si, char text[KN_UNITS_TEXT]);

#endif
