/* The table of gases: molar masses, viscosities and their exponents. */
#include "config/scales.h"

#include <math.h>
#include <stddef.h>

/* Viscosities: M. L. Huber and A. H. Harvey, "Viscosity of gases", in the CRC Handbook of Chemistry and
 * Physics, low-density limit (nitrogen: at 100 kPa), given to 0.1 uPa s.  Molar masses: IUPAC.  Exponents:
 * G. A. Bird, Molecular Gas Dynamics (1994), appendix A. */
enum { POINTS = 4 };

static const double temperatures[POINTS] = {200, 300, 400, 500}; /* K */

static const struct {
    struct kn_species_data data;
    double viscosity[POINTS]; /* uPa s */
} table[] = {
    [KN_SPECIES_HELIUM] = {{4.002602e-3, 0.66}, {15.1, 19.9, 24.3, 28.3}},
    [KN_SPECIES_NEON] = {{20.1797e-3, 0.66}, {24.1, 31.9, 38.6, 44.8}},
    [KN_SPECIES_ARGON] = {{39.948e-3, 0.81}, {15.9, 22.7, 28.6, 33.9}},
    [KN_SPECIES_KRYPTON] = {{83.798e-3, 0.80}, {17.4, 25.5, 32.9, 39.6}},
    [KN_SPECIES_XENON] = {{131.293e-3, 0.85}, {15.7, 23.2, 30.5, 37.2}},
    [KN_SPECIES_NITROGEN] = {{28.0134e-3, 0.74}, {12.9, 17.9, 22.2, 26.1}},
};

const struct kn_species_data *kn_species_find(enum kn_species species)
{
    return species == KN_SPECIES_NONE ? NULL : &table[species].data;
}

/* Interpolated as a power of the temperature, and extrapolated at the ends of the table. */
double kn_species_viscosity(enum kn_species species, double temperature)
{
    const double *mu = table[species].viscosity;
    int i = 0;
    while (i < POINTS - 2 && temperature > temperatures[i + 1])
        i++;
    const double exponent = log(mu[i + 1] / mu[i]) / log(temperatures[i + 1] / temperatures[i]);
    return 1e-6 * mu[i] * pow(temperature / temperatures[i], exponent);
}
