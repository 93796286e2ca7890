/* Values with a unit, such as "3.4 m/s": their dimension and their value in SI units. */
#ifndef KN_UNITS_H
#define KN_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* The dimension of a number. */
enum kn_dimension {
    KN_DIMENSION_NONE,        /* a pure number */
    KN_DIMENSION_LENGTH,      /* in L */
    KN_DIMENSION_PLACE,       /* in lambda0 */
    KN_DIMENSION_VELOCITY,    /* of the gas or a wall: proportional to the disturbance */
    KN_DIMENSION_SPEED,       /* of a molecule */
    KN_DIMENSION_TEMPERATURE, /* absolute */
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
    KN_DIMENSION_WALL_TIME, /* real time, not time of the gas */
    KN_DIMENSION_PRESSURE,
    KN_DIMENSION_GAS_TEMPERATURE, /* T0 */
    KN_DIMENSION_GAS_LENGTH,      /* L */
    KN_DIMENSION_VISCOSITY,
    KN_DIMENSION_MOLAR_MASS,
    KN_DIMENSION_PORT_PRESSURE, /* absolute */
    KN_DIMENSION_STRESS,        /* from here: results only */
    KN_DIMENSION_HEAT_FLUX,
    KN_DIMENSION_MASS_FLUX,
    KN_DIMENSION_FORCE,
    KN_DIMENSION_TORQUE,
    KN_DIMENSION_HEAT,
    KN_DIMENSION_MASS_FLOW,
    KN_DIMENSION_DAMPING,    /* stress per velocity of a wall */
    KN_DIMENSION_ADDED_MASS, /* per area of a wall */
    KN_DIMENSION_BODY_DAMPING,
    KN_DIMENSION_BODY_MASS,
    KN_DIMENSIONS
};

struct kn_unit {
    const char *name, *si, *example; /* "a velocity", "m s-1", "3.4 m/s" */
    bool absolute;           /* the case stores the value in SI units: no gas is needed to convert it */
    bool positive;           /* must be positive with a unit */
    bool prefixed;           /* printed with a prefix, such as um */
    enum kn_dimension other; /* that a key of this dimension accepts too, or KN_DIMENSION_NONE */
};
extern const struct kn_unit kn_units[KN_DIMENSIONS];

/* A value in SI units and its dimension. */
struct kn_si_value {
    double value;
    enum kn_dimension dimension;
};

/* Read a number and a unit (thread-safe); on failure why[size] states the error and an example. */
bool kn_units_read(enum kn_dimension dimension, const char *text, double *si, char *why, size_t size);

/* The unit with a suitable prefix for a value, and the factor of its SI value. */
enum { KN_UNITS_TEXT = 64 };
double kn_units_scale(enum kn_dimension dimension, double si, char unit[KN_UNITS_TEXT]);

/* "802 nm", "22.7 uPa s", "353 m s-1": four digits, with a prefix if it is usual. */
const char *kn_units_text(enum kn_dimension dimension, double si, char text[KN_UNITS_TEXT]);

#endif
