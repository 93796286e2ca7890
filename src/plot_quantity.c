#include "plot_quantity.h"

#include "config.h"
#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define IT(x) "{/:Italic " x "}"

const struct kn_plot_quantity kn_plot_quantity_table[] = {
    /* clang-format off */
    {"rho", "density", IT("n"), "(" IT("n") " – " IT("n") "_0)", KN_PLOT_DENSITY, KN_RHO, 1, true},
    {"speed", "speed", "|{/:Bold u}|", NULL, KN_PLOT_VELOCITY, KN_UX, 3, false},
    {"ux", "velocity", IT("u_x"), NULL, KN_PLOT_VELOCITY, KN_UX, 1, true},
    {"uy", "velocity", IT("u_y"), NULL, KN_PLOT_VELOCITY, KN_UY, 1, true},
    {"uz", "velocity", IT("u_z"), NULL, KN_PLOT_VELOCITY, KN_UZ, 1, true},
    {"theta", "temperature", IT("T"), "(" IT("T") " – " IT("T") "_0)", KN_PLOT_TEMPERATURE, KN_THETA, 1, true},
    {"p", "pressure", IT("p"), "(" IT("p") " – " IT("p") "_0)", KN_PLOT_PRESSURE, KN_PXX, 3, true},
    {"Pxx", "stress", IT("Π_{xx}"), NULL, KN_PLOT_STRESS, KN_PXX, 1, true},
    {"Pyy", "stress", IT("Π_{yy}"), NULL, KN_PLOT_STRESS, KN_PYY, 1, true},
    {"Pzz", "stress", IT("Π_{zz}"), NULL, KN_PLOT_STRESS, KN_PZZ, 1, true},
    {"Pxy", "stress", IT("Π_{xy}"), NULL, KN_PLOT_STRESS, KN_PXY, 1, true},
    {"Pxz", "stress", IT("Π_{xz}"), NULL, KN_PLOT_STRESS, KN_PXZ, 1, true},
    {"Pyz", "stress", IT("Π_{yz}"), NULL, KN_PLOT_STRESS, KN_PYZ, 1, true},
    {"q", "heat flux", "|{/:Bold q}|", NULL, KN_PLOT_HEAT_FLUX, KN_QX, 3, false},
    {"qx", "heat flux", IT("q_x"), NULL, KN_PLOT_HEAT_FLUX, KN_QX, 1, true},
    {"qy", "heat flux", IT("q_y"), NULL, KN_PLOT_HEAT_FLUX, KN_QY, 1, true},
    {"qz", "heat flux", IT("q_z"), NULL, KN_PLOT_HEAT_FLUX, KN_QZ, 1, true},
    {NULL, NULL, NULL, NULL, KN_PLOT_NUMBER, 0, 0, false},
    /* clang-format on */
};

const struct kn_plot_quantity *kn_plot_quantity_find(const char *name)
{
    for (const struct kn_plot_quantity *q = kn_plot_quantity_table; q->name; q++)
        if (strcmp(q->name, name) == 0)
            return q;
    return NULL;
}

double kn_plot_quantity_value(const struct kn_plot_quantity *q, const double fields[KN_FIELDS])
{
    const double *f = fields + q->first;
    if (q->components == 1)
        return f[0];
    return q->class == KN_PLOT_PRESSURE ? (f[0] + f[1] + f[2]) / 3
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
    const char *si;            /* marked up; NULL: a power of ten and then `power` */
    bool prefixed;
} units[] = {
    [KN_PLOT_DENSITY] = {IT("εn") "_0", "m^{–3}", false},
    [KN_PLOT_VELOCITY] = {IT("εV") "_0", "m/s", true},
    [KN_PLOT_TEMPERATURE] = {IT("εT") "_0", "K", false},
    [KN_PLOT_PRESSURE] = {IT("εp") "_0", "Pa", true},
    [KN_PLOT_STRESS] = {IT("εp") "_0", "Pa", true},
    [KN_PLOT_HEAT_FLUX] = {IT("εp") "_0" IT("V") "_0", "W/m²", true},
    [KN_PLOT_MASS_FLUX] = {IT("εn") "_0" IT("V") "_0", "g m^{–2} s^{–1}", true},
    [KN_PLOT_LENGTH] = {IT("L"), "m", true},
    [KN_PLOT_TIME] = {IT("λ") "_0/" IT("V") "_0", "s", true},
    [KN_PLOT_RATE] = {IT("V") "_0/" IT("λ") "_0", NULL, false},
    [KN_PLOT_NUMBER] = {"", NULL, false},
};

/* SI = offset + factor * number, without a prefix. */
static void set_factor(struct kn_plot_scale *s, enum kn_plot_class class, const struct kn_plot_si *si)
{
    const double eps = si->disturbance;
    switch (class) {
    case KN_PLOT_DENSITY:
        s->factor = eps * si->density;
        s->offset = si->density;
        break;
    case KN_PLOT_VELOCITY:
        s->factor = eps * si->velocity;
        break;
    case KN_PLOT_TEMPERATURE:
        s->factor = eps * si->temperature;
        s->offset = si->temperature;
        break;
    case KN_PLOT_PRESSURE:
        s->factor = eps * si->pressure;
        s->offset = si->pressure;
        break;
    case KN_PLOT_STRESS:
        s->factor = eps * si->pressure;
        break;
    case KN_PLOT_HEAT_FLUX:
        s->factor = eps * si->pressure * si->velocity;
        break;
    case KN_PLOT_MASS_FLUX: /* gram: the prefix is put before it */
        s->factor = 1e3 * eps * si->density * si->velocity * si->mass;
        break;
    case KN_PLOT_LENGTH:
        s->factor = si->box;
        break;
    case KN_PLOT_TIME:
        s->factor = si->time;
        break;
    case KN_PLOT_RATE:
    case KN_PLOT_NUMBER:
        break;
    }
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

struct kn_plot_scale kn_plot_quantity_scale(enum kn_plot_class class, const struct kn_plot_si *si,
                                            double largest)
{
    struct kn_plot_scale s = {.factor = 1, .is_si = si && units[class].si};
    if (!s.is_si) {
        snprintf(s.unit, sizeof s.unit, "%s", units[class].dimensionless);
        return s;
    }
    set_factor(&s, class, si);
    const double most = fabs(s.offset) + fabs(s.factor) * largest;
    if (units[class].prefixed)
        set_prefix(&s, units[class].si, most);
    else if (class == KN_PLOT_DENSITY)
        set_power(&s, units[class].si, most);
    else
        snprintf(s.unit, sizeof s.unit, "%s", units[class].si);
    return s;
}

struct kn_plot_scale kn_plot_quantity_rescale(const struct kn_plot_scale *scale, enum kn_plot_class class,
                                              const struct kn_plot_si *from, const struct kn_plot_si *to)
{
    struct kn_plot_scale here = {.factor = 1}, there = {.factor = 1}, s = *scale;
    if (!scale->is_si || !from || !to)
        return s;
    set_factor(&here, class, from);
    set_factor(&there, class, to);
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

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

enum kn_plot_class kn_plot_quantity_column_class(const char *column)
{
    if (strncmp(column, "average.", 8) == 0) {
        const struct kn_plot_quantity *q = kn_plot_quantity_find(column + 8);
        return q ? q->class : KN_PLOT_NUMBER;
    }
    return strstr(column, ".stress_")        ? KN_PLOT_STRESS
           : ends_with(column, ".heat_flux") ? KN_PLOT_HEAT_FLUX
           : ends_with(column, ".mass_flux") ? KN_PLOT_MASS_FLUX
           : strcmp(column, "residual") == 0 ? KN_PLOT_RATE
                                             : KN_PLOT_NUMBER;
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
