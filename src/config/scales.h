/* The dimensionless units of a case in SI: docs/theory.md, section 1. */
#ifndef KN_SCALES_H
#define KN_SCALES_H

#include "config/units.h"
#include "knudsen.h"

/* Mean free path of hard spheres over lambda0: Kn = this / delta, theory (5). */
#define KN_SCALES_FREE_PATH 0.8884578523

struct kn_scales {
    bool known;         /* false: the case is dimensionless, and the members below are not set */
    double mass;        /* of a molecule, kg */
    double temperature; /* T0, K */
    double pressure;    /* p0, Pa */
    double density;     /* n0, m-3 */
    double viscosity;   /* mu0, Pa s */
    double velocity;    /* V0, m s-1 */
    double length;      /* lambda0, m */
    double time;        /* lambda0 / V0, s */
    double box;         /* L, m */
    double disturbance; /* factor of deviations: eps, or 1 for the linearised equation */
    double area;        /* of lambda0^2, m2; per metre of every axis along which the gas is uniform: 1 or m */
    int axes;           /* the others */
};

/* KN_EINPUT if the case has a gas or values with units, but not everything that the scales need. */
enum kn_status kn_scales_create(struct kn_scales *s, const struct kn_case *c);

/* The scales by name, for files and listings. */
struct kn_scale {
    const char *name; /* NULL ends the list */
    size_t offset;    /* of a double in struct kn_scales */
};
extern const struct kn_scale kn_scales_list[];
/* Name of the gas; "" if it is specified by its mass and viscosity. */
const char *kn_scales_species(const struct kn_case *c);

double kn_scales_value(const struct kn_scales *s, const struct kn_scale *scale);
void kn_scales_set(struct kn_scales *s, const struct kn_scale *scale, double value);

/* SI = offset + factor * number, for a number in the unit of the case file or of the results. */
struct kn_conversion {
    double factor, offset;
};
struct kn_conversion kn_scales_conversion(const struct kn_scales *s, enum kn_dimension dimension);

/* Update delta, pressure and all values with a unit.  Nothing is done until the gas is known;
 * kn_scales_create reports what is missing. */
void kn_scales_apply(struct kn_case *c);

/* KN_EINPUT if kn_scales_create fails, or if values in the struct contradict the gas. */
enum kn_status kn_scales_check(const struct kn_case *c);

/* Mach number of the fastest wall or inflow, or of a smooth body that rotates; 0 if only its ratio to eps is
 * known. */
double kn_scales_mach(const struct kn_case *c);

/* Largest deviation of the temperature of a wall from T0, divided by T0; as above. */
double kn_scales_heating(const struct kn_case *c);

/* Describe the first number without a unit in a case in SI, in text[KN_TEXT]; false if there is none. */
bool kn_scales_bare(const struct kn_case *c, char *text);

/* Describe density, temperature and pressure outside an inflow, in text[KN_TEXT]; false if the side is no
 * inflow. */
bool kn_scales_inflow(const struct kn_case *c, int side, char *text);

/* True for a linearised case with walls so fast or hot that the nonlinear equation would give other results.
 */
bool kn_scales_is_strong(const struct kn_case *c);

struct kn_species_data {
    double molar_mass; /* kg / mol */
    double omega;      /* of variable hard spheres */
};

/* NULL for KN_SPECIES_NONE. */
const struct kn_species_data *kn_species_find(enum kn_species species);

/* Pa s, of the dilute gas. */
double kn_species_viscosity(enum kn_species species, double temperature);

/* A position or length in units of L, in the unit of the case: "4 um" or "0.4". */
const char *kn_scales_place(const struct kn_case *c, double at, char text[KN_UNITS_TEXT]);

#endif
