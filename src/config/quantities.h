/* The table of the fields of the gas: names, symbols, units and meaning, for files, columns, report and
 * Python. */
#ifndef KN_QUANTITIES_H
#define KN_QUANTITIES_H

#include "config/units.h"
#include "knudsen.h"

/* One row per quantity: dataset, symbol, label, shape, field, column, unit, dimension in SI, description.
 * A vector has the fields KN_<field>X to KN_<field>Z and the columns <column>x to <column>z.
 * clang-format off */
#define KN_QUANTITY_LIST(X)                                                                                  \
    X("rho", "ρ", "density", SCALAR, RHO, "rho", "n0 eps", DENSITY,                                          \
      "density deviation, (n - n0) / (n0 eps)")                                                              \
    X("u", "u", "velocity", VECTOR, U, "u", "V0 eps", VELOCITY, "bulk velocity")                             \
    X("theta", "θ", "temperature", SCALAR, THETA, "theta", "T0 eps", TEMPERATURE,                            \
      "temperature deviation, (T - T0) / (T0 eps)")                                                          \
    X("Pi", "Π", "stress", TENSOR, P, "P", "p0 eps", STRESS,                                                 \
      "stress deviation, (p_ij - p0 delta_ij) / (p0 eps), order xx yy zz xy xz yz")                          \
    X("q", "q", "heat flux", VECTOR, Q, "q", "p0 V0 eps", HEAT_FLUX, "heat flux")
/* clang-format on */

/* A quantity is one dataset of fields.h5 and one array of the ParaView files. */
struct kn_quantity {
    const char *name, *symbol, *label;
    enum kn_field first;
    int components;
    const char *component_names[6]; /* "x", "xx"; "" for a scalar */
    const char *column;             /* name of its columns in history.csv, without the component */
    const char *unit;
    enum kn_dimension dimension; /* of its values in SI */
    const char *description;
};

extern const struct kn_quantity kn_quantities[]; /* ends with a NULL name */

/* The table as JSON, one object per quantity. */
struct json_t *kn_quantities_json(void);

#endif
