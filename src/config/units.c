/* Reads values with units by UDUNITS, and prints values with a suitable prefix. */
#include "config/units.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <udunits2.h>

const struct kn_unit kn_units[KN_DIMENSIONS] = {
    [KN_DIMENSION_NONE] = {"a pure number", "1", "1"},
    [KN_DIMENSION_LENGTH] = {"a length", "m", "1 um", .prefixed = true},
    [KN_DIMENSION_PLACE] = {"a length", "m", "1 um", .prefixed = true},
    [KN_DIMENSION_VELOCITY] = {"a velocity", "m s-1", "3.4 m/s"},
    [KN_DIMENSION_SPEED] = {"a velocity", "m s-1", "1.2 km/s"},
    [KN_DIMENSION_TEMPERATURE] = {"a temperature", "K", "310 K", .positive = true},
    [KN_DIMENSION_WARMING] = {"a difference of temperatures", "K", "5 K"},
    [KN_DIMENSION_DENSITY] = {"a number density", "m-3", "2.4e24 m-3", .positive = true},
    [KN_DIMENSION_TIME] = {"a time", "s", "50 ns", .prefixed = true},
    [KN_DIMENSION_FREQUENCY] = {"a frequency", "s-1", "5 MHz"},
    [KN_DIMENSION_RATE] = {"a rate", "s-1", "1e6 s-1"},
    [KN_DIMENSION_SHEAR_RATE] = {"a velocity gradient", "s-1", "1e6 s-1"},
    [KN_DIMENSION_TEMPERATURE_GRADIENT] = {"a temperature gradient", "K m-1", "1 K/um"},
    [KN_DIMENSION_ACCELERATION] = {"an acceleration or a pressure gradient", "m s-2", "1e6 m/s2 or 2 kPa/mm",
                                   .other = KN_DIMENSION_PRESSURE_GRADIENT},
    [KN_DIMENSION_PRESSURE_GRADIENT] = {"a pressure gradient", "Pa m-1", "2 kPa/mm"},
    [KN_DIMENSION_ANGLE] = {"an angle", "radian", "90 degree", .absolute = true},
    [KN_DIMENSION_WALL_TIME] = {"a time", "s", "2 h", .absolute = true},
    [KN_DIMENSION_PRESSURE] = {"a pressure", "Pa", "10 kPa", .absolute = true, .prefixed = true},
    [KN_DIMENSION_GAS_TEMPERATURE] = {"a temperature", "K", "300 K", .absolute = true, .positive = true},
    [KN_DIMENSION_GAS_LENGTH] = {"a length", "m", "1 um", .absolute = true, .prefixed = true},
    [KN_DIMENSION_VISCOSITY] = {"a viscosity", "Pa s", "22.7 uPa.s", .absolute = true, .prefixed = true},
    [KN_DIMENSION_MOLAR_MASS] = {"a molar mass", "kg mol-1", "39.9 g/mol", .absolute = true},
    [KN_DIMENSION_PORT_PRESSURE] = {"a pressure", "Pa", "2 kPa", .prefixed = true},
    [KN_DIMENSION_STRESS] = {"a stress", "Pa", "1 Pa", .prefixed = true},
    [KN_DIMENSION_HEAT_FLUX] = {"a heat flux", "W m-2", "1 W/m2"},
    [KN_DIMENSION_MASS_FLUX] = {"a mass flux", "kg m-2 s-1", "1 kg m-2 s-1"},
    [KN_DIMENSION_FORCE] = {"a force", "N", "1 uN", .prefixed = true},
    [KN_DIMENSION_TORQUE] = {"a torque", "N m", "1 N m"},
    [KN_DIMENSION_HEAT] = {"a heat flow", "W", "1 uW", .prefixed = true},
    [KN_DIMENSION_MASS_FLOW] = {"a mass flow", "kg s-1", "1 kg/s"},
    [KN_DIMENSION_DAMPING] = {"a stress per velocity", "Pa s m-1", "1 Pa s/m"},
    [KN_DIMENSION_ADDED_MASS] = {"a mass per area", "kg m-2", "1 kg/m2"},
    [KN_DIMENSION_BODY_DAMPING] = {"a force per velocity", "N s m-1", "1 N s/m"},
    [KN_DIMENSION_BODY_MASS] = {"a mass", "kg", "1 kg"},
};

/* The units of UDUNITS, read once. */
static ut_system *units;
static pthread_once_t units_once = PTHREAD_ONCE_INIT;

static void load_units(void)
{
    ut_set_error_message_handler(ut_ignore); /* a library does not print */
    units = ut_read_xml(NULL);
}

/* The unit of a text, or NULL; "/m3" may follow a number. */
static ut_unit *parse_unit(const char *text)
{
    char whole[160];
    const int length = snprintf(whole, sizeof whole, "%s%s", *text == '/' ? "1" : "", text);
    if (length < 0 || (size_t)length >= sizeof whole) /* no unit is that long */
        return NULL;
    return ut_parse(units, ut_trim(whole, UT_UTF8), UT_UTF8);
}

/* UDUNITS alone would convert a time to a frequency. */
static bool fits(const ut_unit *unit, const ut_unit *wanted)
{
    ut_unit *ratio = ut_divide((ut_unit *)unit, (ut_unit *)wanted);
    const bool same =
        ratio && ut_is_dimensionless(ratio) && ut_are_convertible((ut_unit *)unit, (ut_unit *)wanted);
    ut_free(ratio);
    return same;
}

/* The first dimension of a unit, for the message; NULL if there is none. */
static const char *name_of(const ut_unit *unit)
{
    const char *found = NULL;
    for (int m = 0; m < KN_DIMENSIONS && !found; m++) {
        ut_unit *si = parse_unit(kn_units[m].si);
        if (si && fits(unit, si))
            found = kn_units[m].name;
        ut_free(si);
    }
    return found;
}

/* Hertz counts cycles; UDUNITS does not distinguish them from radians. */
static bool counts_cycles(const char *text)
{
    return strstr(text, "Hz") || strstr(text, "hertz") || strstr(text, "Hertz");
}

/* Convert a value; for a difference the zero of the scale is ignored. */
static double convert(enum kn_dimension dimension, const ut_unit *unit, const ut_unit *si, double number,
                      const char *text)
{
    cv_converter *converter = ut_get_converter((ut_unit *)unit, (ut_unit *)si);
    double value = NAN;
    if (converter) {
        value = cv_convert_double(converter, number);
        if (dimension == KN_DIMENSION_WARMING)
            value -= cv_convert_double(converter, 0);
        if (dimension == KN_DIMENSION_FREQUENCY && counts_cycles(text))
            value *= 2 * M_PI;
    }
    cv_free(converter);
    return value;
}

/* UDUNITS multiplies numbers within units and would read "8 020 Pa" as 160 Pa; "1/s" is allowed. */
static bool has_number(const char *unit)
{
    const bool reciprocal = unit[0] == '1' && unit[1 + strspn(unit + 1, " ")] == '/';
    if (!reciprocal && *unit && strchr("0123456789.+-", *unit))
        return true;
    for (const char *at = unit; *at; at++)
        if (isspace((unsigned char)*at) && at[1] && strchr("0123456789.+-", at[1]))
            return true;
    return false;
}

/* The parser of UDUNITS is not reentrant. */
static pthread_mutex_t parser = PTHREAD_MUTEX_INITIALIZER;

static bool read_locked(enum kn_dimension dimension, const char *text, double *si, char *why, size_t size)
{
    const char *rest = kn_text_number_end(text);
    const double number = strtod(text, NULL);
    while (isspace((unsigned char)*rest))
        rest++;
    ut_unit *unit = has_number(rest) ? NULL : parse_unit(rest), *wanted = parse_unit(kn_units[dimension].si);
    bool good = false;
    if (!unit) {
        snprintf(why, size, "unknown unit '%.60s' (expected %s, such as %s)", rest, kn_units[dimension].name,
                 kn_units[dimension].example);
    } else if (!fits(unit, wanted)) {
        const char *found = name_of(unit);
        snprintf(why, size, "'%.60s' is %s, expected %s (such as %s%s)", text,
                 found ? found : "of another dimension", kn_units[dimension].name,
                 kn_units[dimension].example, strcmp(rest, "C") == 0 ? ", or degC: C is the coulomb" : "");
    } else {
        *si = convert(dimension, unit, wanted, number, rest);
        good = isfinite(*si);
        if (!good)
            snprintf(why, size, "'%.60s' is too large", text);
    }
    ut_free(unit);
    ut_free(wanted);
    return good;
}

bool kn_units_read(enum kn_dimension dimension, const char *text, double *si, char *why, size_t size)
{
    pthread_once(&units_once, load_units);
    if (!units) {
        snprintf(why, size, "the units of UDUNITS cannot be read (UDUNITS2_XML_PATH names udunits2.xml)");
        return false;
    }
    pthread_mutex_lock(&parser);
    bool good = read_locked(dimension, text, si, why, size);
    pthread_mutex_unlock(&parser);
    if (good && kn_units[dimension].positive && *si <= 0) {
        snprintf(why, size, "'%.60s' is not above zero (%s with a unit is absolute, such as %s)", text,
                 kn_units[dimension].name, kn_units[dimension].example);
        good = false;
    }
    return good;
}

double kn_units_scale(enum kn_dimension dimension, double si, char unit[KN_UNITS_TEXT])
{
    static const char *const prefixes[] = {"f", "p", "n", "u", "m", "", "k", "M", "G"};
    enum { NONE = 5, LAST = 8 };
    int i = NONE;
    if (kn_units[dimension].prefixed && si != 0) {
        const double thousands = floor(log10(fabs(si)) / 3 + 1e-12);
        i = (int)fmin(LAST, fmax(0, NONE + thousands));
    }
    snprintf(unit, KN_UNITS_TEXT, "%s%s", prefixes[i], kn_units[dimension].si);
    return pow(1000, NONE - i);
}

const char *kn_units_text(enum kn_dimension dimension, double si, char text[KN_UNITS_TEXT])
{
    char unit[KN_UNITS_TEXT];
    const double factor = kn_units_scale(dimension, si, unit);
    snprintf(text, KN_UNITS_TEXT, "%.4g %.40s", factor * si, unit);
    return text;
}
