/* Gases by name: molar mass, viscosity, and the exponent of variable hard spheres. */
#ifndef KN_SPECIES_H
#define KN_SPECIES_H

#include "knudsen.h"

struct kn_species_data {
    double molar_mass; /* kg / mol */
    double omega;      /* of variable hard spheres */
};

/* NULL for KN_SPECIES_NONE. */
const struct kn_species_data *kn_species_find(enum kn_species species);

/* Pa s, of the dilute gas. */
double kn_species_viscosity(enum kn_species species, double temperature);

#endif
