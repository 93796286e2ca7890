#include "plot/plot_case.h"

#include "config/config.h"
#include "io/summary.h"
#include "plot/plot_sheet.h"
#include "config/scales.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kn_status kn_plot_case_read(struct kn_plot_run *r)
{
    enum kn_status status = kn_summary_read(r->folder, &r->summary);
    if (status == KN_EINPUT) /* a damaged summary is as good as none */
        return KN_OK;
    if (status != KN_OK || !r->summary)
        return status;
    status = kn_summary_case(r->summary, &r->c);
    r->has_case = status == KN_OK;
    return status == KN_EMEMORY ? status : KN_OK; /* a case of another version is as good as none */
}

double kn_plot_case_number(const struct kn_plot_run *r, const char *name)
{
    const json_t *value = json_object_get(json_object_get(r->summary, "quantities"), name);
    const int column = kn_history_column(&r->history, name);
    if (value)
        return json_is_number(value) ? json_number_value(value) : NAN;
    return column < 0 || r->history.rows == 0 ? NAN : kn_history_at(&r->history, r->history.rows - 1, column);
}

/* ------------------------------------------------------------------- labels */

/* One value, in SI where the case is. */
static void print_one(const struct kn_plot_run *r, const struct kn_setting *s, const void *target, int index,
                      char text[KN_NAME])
{
    const enum kn_dimension dimension = s->key->dimension;
    struct kn_scales scales;
    kn_config_value_text(s->key, target, index, text);
    if (dimension == KN_DIMENSION_NONE || strcmp(text, "0") == 0) /* as the gas is, whatever that is */
        return;
    if (kn_scales_create(&scales, &r->c) == KN_OK && scales.known) {
        const struct kn_conversion by = kn_scales_conversion(&scales, dimension);
        kn_units_text(dimension, by.offset + by.factor * ((const double *)target)[index], text);
    }
}

/* How many values say it: one where all are equal, and none of axes that are not there. */
static int count_values(const struct kn_setting *s, char values[][KN_NAME])
{
    int n = s->key->count;
    bool equal = true;
    for (int i = 1; i < n; i++)
        equal = equal && strcmp(values[0], values[i]) == 0;
    while (n > 1 && (s->key->flags & KN_KEY_AXES) && strcmp(values[n - 1], "1") == 0)
        n--;
    return equal ? 1 : n;
}

/* One setting of a case: "1", "40 x 40", "8.02 kPa". */
static void print_setting(const struct kn_plot_run *r, const struct kn_setting *s, char text[KN_TEXT])
{
    struct kn_case c = r->c;
    char values[3][KN_NAME];
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < s->key->count; i++)
        print_one(r, s, kn_config_target(&c, s), i, values[i]);
    for (int i = 0; i < count_values(s, values); i++)
        length += (size_t)snprintf(text + length, KN_TEXT - length, "%s%s",
                                   !i                            ? ""
                                   : s->key->flags & KN_KEY_AXES ? " x "
                                                                 : ", ",
                                   values[i]);
}

/* In a case in SI delta follows from what was given. */
static bool follows(const struct kn_plot_run *runs, int n, const char *name)
{
    struct kn_scales scales;
    for (int i = 0; i < n; i++)
        if (strcmp(name, "gas.delta") != 0 || kn_scales_create(&scales, &runs[i].c) != KN_OK || !scales.known)
            return false;
    return true;
}

/* What the user chose differs before what follows from it or only says how long to run. */
static int rank_of(const char *name)
{
    static const char *const late[] = {"time.", "output.", "run.", "space.", "velocity."};
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (strncmp(name, late[i], strlen(late[i])) == 0)
            return strncmp(name, "space.", 6) == 0 || strncmp(name, "velocity.", 9) == 0 ? 1 : 2;
    return 0;
}

static bool differs(const struct kn_plot_run *runs, int n, const struct kn_setting *s)
{
    char first[KN_TEXT], other[KN_TEXT];
    print_setting(&runs[0], s, first);
    for (int i = 1; i < n; i++) {
        print_setting(&runs[i], s, other);
        if (strcmp(first, other) != 0)
            return true;
    }
    return false;
}

/* A value as the legend of a figure has it: "δ = 1", "operator", "40 x 40 cells", "top velocity 1"; marked
 * up. */
static void name_value(const struct kn_setting *s, const char *value, char *text, size_t size)
{
    static const struct {
        const char *key, *format;
    } symbols[] = {
        {"gas.delta", "{/:Italic δ} = %s"},
        {"gas.pressure", "{/:Italic p}_0 = %s"},
        {"gas.temperature", "{/:Italic T}_0 = %s"},
        {"gas.omega", "{/:Italic ω} = %s"},
        {"gas.viscosity", "{/:Italic μ}_0 = %s"},
        {"disturbance", "{/:Italic ε} = %s"},
        {"space.cells", "%s cells"},
        {"space.length", "{/:Italic L} = %s"},
        {"space.order", "order %s"},
        {"velocity.nodes", "%s nodes"},
        {"collision.samples", "%s samples"},
        {"collision.prandtl", "Pr = %s"},
        {"time.step", "Δ{/:Italic t} = %s"},
        {"time.courant", "Courant number %s"},
        {"run.seed", "seed %s"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (strcmp(s->name, symbols[i].key) == 0) {
            const int before = (int)strcspn(symbols[i].format, "%");
            snprintf(text, size, "%.*s%s%s", before, symbols[i].format, value,
                     symbols[i].format + before + 2);
            return;
        }
    char name[KN_NAME], words[2 * KN_NAME];
    const char *group = strchr(s->name, '.');
    snprintf(name, sizeof name, "%s", s->side < 0 && group ? group + 1 : s->name);
    for (char *at = name; *at; at++)
        *at = *at == '.' || *at == '_' ? ' ' : *at;
    kn_plot_sheet_escape(words, sizeof words, strncmp(name, "walls ", 6) == 0 ? name + 6 : name);
    const bool alone = s->key->type == KN_TYPE_CHOICE && strcmp(value, "none") != 0 && s->side < 0;
    snprintf(text, size, "%.150s%s%s", alone ? "" : words, alone ? "" : " ", value);
}

/* Add the settings of this rank that differ to the labels; returns how many there are. */
static int label_by_rank(struct kn_plot_run *runs, int n, int rank)
{
    struct kn_setting s;
    int found = 0;
    for (int index = 0; kn_config_setting(index, &s); index++) {
        if (rank_of(s.name) != rank || follows(runs, n, s.name) || !differs(runs, n, &s) || found++ >= 2)
            continue;
        for (int i = 0; i < n; i++) {
            char value[KN_TEXT], plain[2 * KN_TEXT], words[KN_TEXT];
            const size_t length = strlen(runs[i].label);
            print_setting(&runs[i], &s, value);
            kn_plot_sheet_escape(words, sizeof words, value);
            name_value(&s, words, plain, sizeof plain);
            kn_plot_sheet_append(runs[i].label, sizeof runs[i].label, "%s%s", length ? ", " : "", plain);
        }
    }
    return found;
}

static bool are_distinct(const struct kn_plot_run *runs, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(runs[i].label, runs[j].label) == 0)
                return false;
    return true;
}

void kn_plot_case_label(struct kn_plot_run *runs, int n)
{
    bool cases = n > 1;
    for (int i = 0; i < n; i++) {
        runs[i].label[0] = '\0';
        cases = cases && runs[i].has_case;
    }
    for (int rank = 0; cases && rank < 3; rank++) {
        const int found = label_by_rank(runs, n, rank);
        if (found > 0 && found <= 2 && are_distinct(runs, n))
            return;
        cases = found <= 2;
    }
    for (int i = 0; i < n; i++)
        kn_plot_sheet_escape(runs[i].label, sizeof runs[i].label, runs[i].folder);
}
