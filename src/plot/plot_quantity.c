#include "plot/plot_quantity.h"

#include "config/config.h"
#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IT(x) "{/:Italic " x "}"

const struct kn_plot_quantity kn_plot_quantity_table[] = {
    /* clang-format off */
    {"rho", "density", IT("n"), "(" IT("n") " – " IT("n") "_0)", KN_DIMENSION_DENSITY, KN_RHO, 1, true},
    {"speed", "speed", "|{/:Bold u}|", NULL, KN_DIMENSION_VELOCITY, KN_UX, 3, false},
    {"ux", "velocity", IT("u_x"), NULL, KN_DIMENSION_VELOCITY, KN_UX, 1, true},
    {"uy", "velocity", IT("u_y"), NULL, KN_DIMENSION_VELOCITY, KN_UY, 1, true},
    {"uz", "velocity", IT("u_z"), NULL, KN_DIMENSION_VELOCITY, KN_UZ, 1, true},
    {"theta", "temperature", IT("T"), "(" IT("T") " – " IT("T") "_0)", KN_DIMENSION_TEMPERATURE, KN_THETA, 1, true},
    {"p", "pressure", IT("p"), "(" IT("p") " – " IT("p") "_0)", KN_DIMENSION_PRESSURE, KN_PXX, 3, true},
    {"Pxx", "stress", IT("Π_{xx}"), NULL, KN_DIMENSION_STRESS, KN_PXX, 1, true},
    {"Pyy", "stress", IT("Π_{yy}"), NULL, KN_DIMENSION_STRESS, KN_PYY, 1, true},
    {"Pzz", "stress", IT("Π_{zz}"), NULL, KN_DIMENSION_STRESS, KN_PZZ, 1, true},
    {"Pxy", "stress", IT("Π_{xy}"), NULL, KN_DIMENSION_STRESS, KN_PXY, 1, true},
    {"Pxz", "stress", IT("Π_{xz}"), NULL, KN_DIMENSION_STRESS, KN_PXZ, 1, true},
    {"Pyz", "stress", IT("Π_{yz}"), NULL, KN_DIMENSION_STRESS, KN_PYZ, 1, true},
    {"q", "heat flux", "|{/:Bold q}|", NULL, KN_DIMENSION_HEAT_FLUX, KN_QX, 3, false},
    {"qx", "heat flux", IT("q_x"), NULL, KN_DIMENSION_HEAT_FLUX, KN_QX, 1, true},
    {"qy", "heat flux", IT("q_y"), NULL, KN_DIMENSION_HEAT_FLUX, KN_QY, 1, true},
    {"qz", "heat flux", IT("q_z"), NULL, KN_DIMENSION_HEAT_FLUX, KN_QZ, 1, true},
    {NULL, NULL, NULL, NULL, KN_DIMENSION_NONE, 0, 0, false},
    /* clang-format on */
};

/* What people call a quantity that has another name in the files. */
static const char *name_of(const char *word)
{
    static const char *const words[][2] = {
        {"T", "theta"}, {"temperature", "theta"}, {"density", "rho"}, {"n", "rho"},
        {"u", "speed"}, {"velocity", "speed"},    {"pressure", "p"},  {"heat", "q"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i][0]) == 0)
            return words[i][1];
    return word;
}

const struct kn_plot_quantity *kn_plot_quantity_find(const char *name)
{
    const char *ours = name_of(name);
    for (const struct kn_plot_quantity *q = kn_plot_quantity_table; q->name; q++)
        if (strcmp(q->name, ours) == 0)
            return q;
    return NULL;
}

double kn_plot_quantity_value(const struct kn_plot_quantity *q, const double fields[KN_FIELDS])
{
    const double *f = fields + q->first;
    if (q->components == 1)
        return f[0];
    return q->dimension == KN_DIMENSION_PRESSURE ? (f[0] + f[1] + f[2]) / 3
                                                 : sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
}

enum kn_status kn_plot_quantity_unknown(const char *word, const struct kn_plot_run *r)
{
    char names[640] = "", quoted[KN_NAME + 8];
    const char *hint = NULL;
    kn_config_quote(word, strlen(word), quoted);
    for (const struct kn_plot_quantity *q = kn_plot_quantity_table; q->name; q++) {
        hint = !hint && kn_config_is_near(word, q->name) ? q->name : hint;
        kn_plot_sheet_append(names, sizeof names, "%s%s", q == kn_plot_quantity_table ? "" : ", ", q->name);
    }
    if (r->history.columns > 0)
        kn_plot_sheet_append(names, sizeof names, "; of the history ");
    for (int i = 2; i < r->history.columns; i++) {
        const char *column = r->history.names[i];
        hint = !hint && kn_config_is_near(word, column) ? column : hint;
        if (strncmp(column, "average.", 8) != 0)
            kn_plot_sheet_append(names, sizeof names, "%s%s", i > 2 ? ", " : "", column);
    }
    if (hint)
        return kn_error_set(KN_EINPUT, "unknown quantity '%s' (did you mean %s?); there are %s", quoted, hint,
                            names);
    return kn_error_set(KN_EINPUT, "unknown quantity '%s'; there are %s", quoted, names);
}

/* -------------------------------------------------------------------- units */

static const struct {
    const char *dimensionless; /* marked up */
    const char *si;            /* marked up; NULL: stays as it is */
    bool prefixed;
} units[KN_DIMENSIONS] = {
    [KN_DIMENSION_DENSITY] = {IT("εn") "_0", "m^{–3}", false},
    [KN_DIMENSION_VELOCITY] = {IT("εV") "_0", "m/s", true},
    [KN_DIMENSION_TEMPERATURE] = {IT("εT") "_0", "K", false},
    [KN_DIMENSION_PRESSURE] = {IT("εp") "_0", "Pa", true},
    [KN_DIMENSION_STRESS] = {IT("εp") "_0", "Pa", true},
    [KN_DIMENSION_HEAT_FLUX] = {IT("εp") "_0" IT("V") "_0", "W/m²", true},
    [KN_DIMENSION_MASS_FLUX] = {IT("εn") "_0" IT("V") "_0", "g m^{–2} s^{–1}", true},
    [KN_DIMENSION_LENGTH] = {IT("L"), "m", true},
    [KN_DIMENSION_TIME] = {IT("λ") "_0/" IT("V") "_0", "s", true},
    [KN_DIMENSION_RATE] = {IT("V") "_0/" IT("λ") "_0", "s^{–1}", false},
};

/* SI = offset + factor * number, without a prefix. */
static struct kn_conversion to_si(enum kn_dimension dimension, const struct kn_scales *scales)
{
    struct kn_conversion by = kn_scales_conversion(scales, dimension);
    if (dimension == KN_DIMENSION_PRESSURE) { /* of which the undisturbed gas has some */
        by = kn_scales_conversion(scales, KN_DIMENSION_STRESS);
        by.offset = scales->pressure;
    } else if (dimension == KN_DIMENSION_MASS_FLUX) { /* gram: the prefix is put before it */
        by.factor *= 1e3;
    }
    return by;
}

/* Thousands, so that the largest value has one to three digits before the point. */
static void set_prefix(struct kn_plot_scale *s, const char *unit, double largest)
{
    static const char *const prefixes[] = {"f", "p", "n", "µ", "m", "", "k", "M", "G", "T"};
    enum { NONE = 5, COUNT = sizeof prefixes / sizeof *prefixes };
    const int power = largest > 0 && isfinite(largest) ? (int)floor(log10(largest * (1 + 1e-9)) / 3) : 0;
    const int prefix = power < -NONE ? 0 : power + NONE >= COUNT ? COUNT - 1 : power + NONE;
    const double by = pow(1000, NONE - prefix);
    s->factor *= by;
    s->offset *= by;
    snprintf(s->unit, sizeof s->unit, "%s%s", prefixes[prefix], unit);
}

static void set_power(struct kn_plot_scale *s, const char *unit, double largest)
{
    const int power = largest > 0 && isfinite(largest) ? (int)floor(log10(largest * (1 + 1e-9))) : 0;
    s->factor /= pow(10, power);
    s->offset /= pow(10, power);
    snprintf(s->unit, sizeof s->unit, "10^{%d} %s", power, unit);
}

struct kn_plot_scale kn_plot_quantity_scale(enum kn_dimension dimension, const struct kn_scales *si,
                                            double largest)
{
    struct kn_plot_scale s = {.factor = 1, .is_si = si && units[dimension].si};
    if (!s.is_si) {
        const char *own = units[dimension].dimensionless;
        snprintf(s.unit, sizeof s.unit, "%s", own ? own : "");
        return s;
    }
    const struct kn_conversion by = to_si(dimension, si);
    s.factor = by.factor;
    s.offset = by.offset;
    const double most = fabs(s.offset) + fabs(s.factor) * largest;
    if (units[dimension].prefixed)
        set_prefix(&s, units[dimension].si, most);
    else if (dimension == KN_DIMENSION_DENSITY)
        set_power(&s, units[dimension].si, most);
    else
        snprintf(s.unit, sizeof s.unit, "%s", units[dimension].si);
    return s;
}

struct kn_plot_scale kn_plot_quantity_rescale(const struct kn_plot_scale *scale, enum kn_dimension dimension,
                                              const struct kn_scales *from, const struct kn_scales *to)
{
    struct kn_plot_scale s = *scale;
    if (!scale->is_si || !from || !to)
        return s;
    const struct kn_conversion here = to_si(dimension, from), there = to_si(dimension, to);
    s.factor = scale->factor / here.factor * there.factor;
    s.offset = scale->factor / here.factor * there.offset;
    return s;
}

/* ------------------------------------------------------------------- labels */

void kn_plot_quantity_label(char text[KN_PLOT_TEXT], const struct kn_plot_quantity *q,
                            const struct kn_plot_scale *scale)
{
    if (scale->is_si)
        snprintf(text, KN_PLOT_TEXT, "%s  %s  (%s)", q->words, q->symbol, scale->unit);
    else
        snprintf(text, KN_PLOT_TEXT, "%s  %s / %s", q->words, q->deviation ? q->deviation : q->symbol,
                 scale->unit);
}

void kn_plot_quantity_column_label(char text[KN_PLOT_TEXT], const char *column,
                                   const struct kn_plot_scale *scale)
{
    static const struct {
        const char *name, *label;
    } known[] = {{"D", "drag  " IT("D")},
                 {"G", "vortex flow  " IT("G")},
                 {"G_P", "flow rate  " IT("G_P")},
                 {"G_T", "flow rate  " IT("G_T")},
                 {"residual", "residual"}};
    char symbol[KN_PLOT_TEXT] = "";
    const struct kn_plot_quantity *q =
        strncmp(column, "average.", 8) == 0 ? kn_plot_quantity_find(column + 8) : NULL;
    if (q)
        snprintf(symbol, sizeof symbol, "mean  %s", scale->is_si || !q->deviation ? q->symbol : q->deviation);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(column, known[i].name) == 0)
            snprintf(symbol, sizeof symbol, "%s", known[i].label);
    if (!*symbol)
        kn_plot_sheet_escape(symbol, sizeof symbol, column);
    snprintf(text, KN_PLOT_TEXT,
             scale->is_si   ? "%s  (%s)"
             : *scale->unit ? "%s / %s"
                            : "%s%s",
             symbol, scale->unit);
}
