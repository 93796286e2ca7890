/* The table of features that this version does not support, with alternatives, for error messages. */
#include "config/config.h"

#include <ctype.h>
#include <string.h>

/* A word is the last part of a key, or a value; a word with a dot is the first and the last part of a key. */
struct unsupported {
    const char *words; /* separated by blanks */
    const char *what;  /* subject and verb */
    const char *instead;
};

static const struct unsupported table[] = {
    {"walls.pressure", "a pressure at a side is",
     "an inflow is given by walls.<side>.density and walls.<side>.temperature: n / n0 = (p / p0) / (T / T0), "
     "and the density of the case file is (n / n0 - 1) / eps, or a number density with a unit"},
    {"inlet outlet pressure-inlet pressure-outlet velocity-inlet inflow-outflow open opening",
     "an inlet or outlet with a given pressure or flow rate is",
     "use walls.<side>.kind: inflow, a gas in equilibrium with a given density, velocity and temperature"},
    {"vacuum", "a vacuum beyond a side is",
     "use walls.<side>.kind: inflow with a small density, such as walls.<side>.density: -0.999 at "
     "disturbance: 1 (0.001 n0)"},
    {"obstacle obstacles body bodies solid solids object objects cylinder sphere airfoil",
     "a solid body inside the gas is",
     "the gas fills a box of 1 to 3 axes, whose six sides are the walls; a plane of symmetry is "
     "walls.<side>.kind: symmetry"},
    {"geometry stl mesh grid.file cad surface surfaces unstructured gmsh boundary.file",
     "a geometry from a file (STL, mesh) is", "the gas fills a box: space.cells, space.size, space.stretch"},
    {"axisymmetric cylindrical axial radial coordinates polar spherical",
     "an axisymmetric or curved geometry is",
     "space has Cartesian axes; a plane channel or a duct (two axes) may be an approximation"},
    {"mixture mixtures composition fractions mole_fractions species_list components", "a mixture of gases is",
     "gas.species is one gas"},
    {"cercignani-lampis cl cll cercignani lampis maxwell-cl",
     "the Cercignani-Lampis model of gas-wall scattering is",
     "use walls.<side>.kind: diffuse with walls.<side>.accommodation, the fraction of molecules that is "
     "re-emitted diffusely (Maxwell's model)"},
    {"tangential_accommodation normal_accommodation energy_accommodation tmac eac",
     "separate accommodation of momentum and energy is",
     "walls.<side>.accommodation is the fraction of molecules that is re-emitted diffusely (Maxwell's "
     "model)"},
    {"polyatomic diatomic rotational vibrational rotation vibration internal_energy degrees_of_freedom dof",
     "a gas with internal energy (diatomic, polyatomic) is",
     "all gases are treated as monatomic; shear flows of nitrogen are correct, heat fluxes are not"},
    {"air oxygen hydrogen o2 h2 co2 carbon-dioxide methane water steam sf6",
     "this gas has no entry, and a polyatomic gas is",
     "gas.molar_mass and gas.viscosity describe any gas as monatomic (heat fluxes of polyatomic gases are "
     "then wrong); nitrogen is in the table"},
    {"chemistry reactions ionization plasma electric magnetic radiation", "chemistry, plasma or radiation is",
     "the gas is one neutral species with elastic collisions"},
    {"gravity acceleration body_force pressure_gradient", "this key is",
     "source.force is a uniform body force per unit mass; with a unit it may be an acceleration (m/s2) or a "
     "pressure gradient (Pa/m)"},
    {"time.mode steady steady-state stationary transient implicit solver iterations scheme",
     "a choice between steady and transient solvers is",
     "a case is advanced in time; without time.end it runs until it is steady (knudsen help time)"},
    {"lennard-jones lj vss inverse-power-law ipl gsc ab-initio potential", "this model of molecules is",
     "gas.molecules: hard-sphere, maxwell or vhs (viscosity as T^omega, gas.omega)"},
    {"dsmc particles", "a particle method (DSMC) is",
     "collision.method: monte-carlo samples collisions on the velocity grid; docs/dsmc.md compares"},
    {"smoluchowski s-model rykov fokker-planck esbgk-rykov", "this collision model is",
     "collision.method: operator, monte-carlo, bgk, shakhov, es-bgk or none"},
    {"amr adaptive refinement", "an adaptive grid is",
     "space.stretch and space.cluster make cells small at walls"},
    {"restart", "this key is", "knudsen run CASE.yaml --resume continues from the last checkpoint"},
    {"evaporation condensation evaporating", "evaporation and condensation at a wall are",
     "walls.<side>.kind: inflow with the saturated density is a surface that absorbs all molecules that "
     "reach it"},
};

/* Equal except for capital letters and the difference between - and _. */
static bool is_same(const char *a, size_t length, const char *b, size_t size)
{
    if (length != size)
        return false;
    for (size_t i = 0; i < size; i++) {
        const int one = a[i] == '_' ? '-' : tolower((unsigned char)a[i]), two = b[i] == '_' ? '-' : b[i];
        if (one != two)
            return false;
    }
    return true;
}

/* Compare a word of the table with the first and the last part of a name. */
static bool is_meant(const char *word, size_t length, const char *name)
{
    const char *dot = memchr(word, '.', length), *last = strrchr(name, '.');
    const char *end = last ? last + 1 : name;
    if (!dot)
        return is_same(end, strlen(end), word, length) ||
               (last && is_same(name, strcspn(name, "."), word, length));
    return last && is_same(name, strcspn(name, "."), word, (size_t)(dot - word)) &&
           is_same(end, strlen(end), dot + 1, length - (size_t)(dot + 1 - word));
}

bool kn_config_unsupported(const char *name, char text[KN_TEXT])
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (const char *word = table[i].words; *word; word += strspn(word, " ")) {
            const size_t length = strcspn(word, " ");
            if (is_meant(word, length, name)) {
                snprintf(text, KN_TEXT, "%s not supported in this version; %s", table[i].what,
                         table[i].instead);
                return true;
            }
            word += length;
        }
    return false;
}
