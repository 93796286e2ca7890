/* The table of keys as help and docs; a case as YAML, JSON and fingerprint. */
#include "config/config.h"
#include "config/scales.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- the case */

/* One value; with its unit where the case file gave one and the reader is to see it. */
static void print_one(FILE *to, const struct kn_case *c, const struct kn_setting *s, int index, bool json)
{
    const struct kn_key *key = s->key;
    const void *target = kn_config_target((struct kn_case *)c, s);
    const bool words = key->type == KN_TYPE_CHOICE || key->type == KN_TYPE_WORD;
    char text[KN_NAME];
    if (!json && (c->si.given[s->index] & (1U << index))) {
        kn_config_number_text(c->si.value[s->index][index], text);
        fprintf(to, "\"%s %s\"", text, kn_units_si(kn_config_dimension(c, s, index)));
        return;
    }
    const char *quote = json && (words || kn_config_is_auto(key, target, index)) ? "\"" : "";
    kn_config_value_text(key, target, index, text);
    fprintf(to, "%s%s%s", quote, text, quote);
}

static void print_value(FILE *to, const struct kn_case *c, const struct kn_setting *s, bool json)
{
    for (int i = 0; i < s->key->count; i++) {
        fputs(i > 0 ? ", " : s->key->count > 1 ? "[" : "", to);
        print_one(to, c, s, i, json);
    }
    if (s->key->count > 1)
        fputc(']', to);
}

/* Length of the groups two names share, the last dot included. */
static size_t shared_groups(const char *a, const char *b)
{
    size_t shared = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '.')
            shared = i + 1;
    return shared;
}

static int count_dots(const char *name)
{
    int dots = 0;
    for (; *name; name++)
        dots += *name == '.';
    return dots;
}

static void print_yaml(FILE *to, const struct kn_case *c, const struct kn_setting *s, const char *previous)
{
    const char *at = s->name + shared_groups(s->name, previous);
    int depth = count_dots(s->name) - count_dots(at);
    for (const char *dot; (dot = strchr(at, '.')); at = dot + 1)
        fprintf(to, "%*s%.*s:\n", 2 * depth++, "", (int)(dot - at), at);
    fprintf(to, "%*s%s: ", 2 * depth, "", at);
    print_value(to, c, s, false);
    fputc('\n', to);
}

static void print_json(FILE *to, const struct kn_case *c, const struct kn_setting *s, const char *previous)
{
    size_t shared = shared_groups(s->name, previous);
    const char *at = s->name + shared;
    for (int i = count_dots(previous + shared); i > 0; i--)
        fputc('}', to);
    fputs(*previous ? ", " : "{", to);
    for (const char *dot; (dot = strchr(at, '.')); at = dot + 1)
        fprintf(to, "\"%.*s\": {", (int)(dot - at), at);
    fprintf(to, "\"%s\": ", at);
    print_value(to, c, s, true);
}

/* As YAML the case as it was given, so that it can be varied; as JSON numbers, with what follows from
 * values with units. */
void kn_config_print(FILE *to, const struct kn_case *c, bool json)
{
    struct kn_setting s;
    struct kn_scales scales;
    struct kn_case whole = *c;
    char previous[KN_NAME] = "";
    const bool si = kn_scales_create(&scales, c) == KN_OK && scales.known;
    if (si && json) {
        whole.gas.pressure = scales.pressure;
        whole.space.length = scales.box;
    }
    for (int i = 0; kn_config_setting(i, &s); i++) {
        if (si && !json && !c->gas.delta_set && strcmp(s.name, "gas.delta") == 0)
            continue;
        (json ? print_json : print_yaml)(to, &whole, &s, previous);
        memcpy(previous, s.name, KN_NAME);
    }
    for (int i = json ? count_dots(previous) + 1 : 0; i > 0; i--)
        fputc('}', to);
}

/* FNV-1a, over what the case file would say. */
static void hash(uint64_t *sum, const char *text)
{
    for (; *text; text++)
        *sum = (*sum ^ (unsigned char)*text) * UINT64_C(1099511628211);
}

uint64_t kn_config_fingerprint(const struct kn_case *c)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    struct kn_setting s;
    char text[KN_NAME];
    for (int i = 0; kn_config_setting(i, &s); i++) {
        if (!(s.key->flags & KN_KEY_SHAPES))
            continue;
        hash(&sum, s.name);
        for (int index = 0; index < s.key->count; index++) {
            kn_config_value_text(s.key, kn_config_target((struct kn_case *)c, &s), index, text);
            hash(&sum, index ? "," : "=");
            hash(&sum, text);
        }
        hash(&sum, "\n");
    }
    return sum;
}

/* All values of a setting as the case file would have them: "8", "[3.5 m s-1, 0, 0]". */
static void setting_text(const struct kn_case *c, const struct kn_setting *s, char text[KN_TEXT])
{
    char *whole = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&whole, &size);
    text[0] = '\0';
    if (!to)
        return;
    print_value(to, c, s, false);
    fclose(to);
    size_t n = 0;
    for (const char *from = whole; *from && n + 1 < KN_TEXT; from++)
        if (*from != '"')
            text[n++] = *from;
    text[n] = '\0';
    free(whole);
}

/* What a case in SI is given by, from which delta and the rest follow. */
static bool is_of_gas(const struct kn_key *key)
{
    return strcmp(key->name, "gas.species") == 0 ||
           (kn_units_is_absolute(key->dimension) && key->dimension != KN_DIMENSION_WALL_TIME);
}

static bool is_equal(const struct kn_case *a, const struct kn_case *b, const struct kn_setting *s)
{
    char one[KN_NAME], two[KN_NAME];
    for (int i = 0; i < s->key->count; i++) {
        kn_config_value_text(s->key, kn_config_target((struct kn_case *)a, s), i, one);
        kn_config_value_text(s->key, kn_config_target((struct kn_case *)b, s), i, two);
        if (strcmp(one, two) != 0)
            return false;
    }
    return true;
}

bool kn_config_differ(const struct kn_case *a, const struct kn_case *b, char name[KN_NAME],
                      char of_a[KN_TEXT], char of_b[KN_TEXT])
{
    struct kn_setting s;
    for (int pass = 0; pass < 2; pass++) /* the gas first: what follows from it says less */
        for (int i = 0; kn_config_setting(i, &s); i++)
            if ((pass ? (s.key->flags & KN_KEY_SHAPES) != 0 : is_of_gas(s.key)) && !is_equal(a, b, &s)) {
                setting_text(a, &s, of_a);
                setting_text(b, &s, of_b);
                memcpy(name, s.name, KN_NAME);
                return true;
            }
    return false;
}

/* -------------------------------------------------------------------- help */

/* True when name is this key; any word may stand for the side. */
static bool is_named(const struct kn_key *key, const char *name)
{
    if (!(key->flags & KN_KEY_WALL))
        return strcmp(key->name, name) == 0;
    const char *side = strncmp(name, "walls.", 6) == 0 ? strchr(name + 6, '.') : NULL;
    return side && strcmp(strchr(key->name + 6, '.'), side) == 0;
}

const char *kn_config_choice_name(const char *key, int value)
{
    for (const struct kn_key *k = kn_config_keys; k->name; k++)
        for (const struct kn_choice *choice = k->choices; choice && choice->name && is_named(k, key);
             choice++)
            if (choice->value == value)
                return choice->name;
    return "?";
}

static const char *type_text(const struct kn_key *key)
{
    switch (key->type) {
    case KN_TYPE_REAL:
        return key->count > 1 ? "1 to 3 numbers" : "number";
    case KN_TYPE_INT:
    case KN_TYPE_COUNT64:
        return key->count > 1 ? "1 to 3 whole numbers" : "whole number";
    case KN_TYPE_BOOL:
        return "true or false";
    default:
        return key->count > 1 ? "1 to 3 choices" : "choice";
    }
}

static void help_key(FILE *to, const struct kn_key *key)
{
    char range[KN_TEXT];
    kn_config_range_text(key, range);
    fprintf(to, "%s: %s\n", key->name, key->initial);
    fprintf(to, "    %s\n", key->doc);
    fprintf(to, "    %s", type_text(key));
    if (*key->unit)
        fprintf(to, "; unit %s", key->unit);
    if (!key->choices)
        fprintf(to, "; range %s", range);
    if (key->dimension != KN_DIMENSION_NONE)
        fprintf(to, "; or %s with its unit, such as %s", kn_units_name(key->dimension),
                kn_units_example(key->dimension));
    fprintf(to, "; default %s\n", key->initial);
    if (key->type != KN_TYPE_BOOL)
        for (const struct kn_choice *choice = key->choices; choice && choice->name; choice++)
            fprintf(to, "    %-14s %s\n", choice->name, choice->doc);
}

static const char *group_doc(const char *name)
{
    for (const struct kn_group *group = kn_config_groups; group->name; group++)
        if (strcmp(group->name, name) == 0)
            return group->doc;
    return "";
}

/* True when the key lies in the group; any word may stand for the side. */
static bool is_member(const struct kn_key *key, const char *group)
{
    char name[KN_NAME];
    size_t length = strlen(group);
    snprintf(name, sizeof name, "%s", key->name);
    if ((key->flags & KN_KEY_WALL) && strncmp(group, "walls.", 6) == 0) {
        size_t side = strcspn(group + 6, ".");
        snprintf(name, sizeof name, "walls.%.*s%s", (int)(side < 16 ? side : 16), group + 6,
                 strchr(key->name + 6, '.'));
    }
    return strncmp(name, group, length) == 0 && name[length] == '.';
}

bool kn_config_help(FILE *to, const char *name)
{
    struct kn_setting s;
    bool generic = strstr(name, "<side>") || strchr(name, '*');
    if (!generic && !kn_config_find(name, &s) && !kn_config_is_group(name))
        return false;
    int found = 0;
    for (const struct kn_key *key = kn_config_keys; key->name; key++) {
        bool exact = is_named(key, name);
        if (!exact && !is_member(key, name))
            continue;
        if (found++ > 0)
            fputc('\n', to);
        else if (!exact && *group_doc(name))
            fprintf(to, "%s\n\n", group_doc(name));
        help_key(to, key);
    }
    return found > 0;
}

static bool has_part(const char *name, const char *word)
{
    for (const char *at = name; *at; at += *at == '.') {
        const size_t length = strcspn(at, ".");
        if (length == strlen(word) && strncmp(at, word, length) == 0)
            return true;
        at += length;
    }
    return false;
}

bool kn_config_help_word(FILE *to, const char *word)
{
    int found = 0;
    for (const struct kn_key *key = kn_config_keys; key->name; key++)
        for (const struct kn_choice *choice = key->choices;
             choice && choice->name && key->type != KN_TYPE_BOOL; choice++)
            if (strcmp(choice->name, word) == 0)
                fprintf(to, "%s%s: %s\n    %s\n", found++ ? "\n" : "", key->name, choice->name, choice->doc);
    for (const struct kn_key *key = kn_config_keys; key->name; key++)
        if (has_part(key->name, word)) {
            if (found++ > 0)
                fputc('\n', to);
            help_key(to, key);
        }
    return found > 0;
}

void kn_config_help_all(FILE *to)
{
    for (const struct kn_group *group = kn_config_groups; group->name; group++) {
        fprintf(to, "%s## %s\n", group == kn_config_groups ? "" : "\n", group->name);
        kn_config_help(to, group->name);
    }
}

/* -------------------------------------------------------------------- docs */

static void markdown_key(FILE *to, const struct kn_key *key)
{
    char range[KN_TEXT];
    kn_config_range_text(key, range);
    fprintf(to, "| `%s` | `%s` | %s | %s | %s", key->name, key->initial, *key->unit ? key->unit : "-",
            key->choices ? "one of the words below" : range, key->doc);
    if (key->dimension != KN_DIMENSION_NONE)
        fprintf(to, " Or %s: `%s`.", kn_units_name(key->dimension), kn_units_example(key->dimension));
    fputs(" |\n", to);
}

static void markdown_choices(FILE *to, const struct kn_key *key)
{
    fprintf(to, "\n`%s`:\n\n", key->name);
    for (const struct kn_choice *choice = key->choices; choice->name; choice++)
        fprintf(to, "* `%s`: %s\n", choice->name, choice->doc);
}

static void markdown_group(FILE *to, const struct kn_group *group)
{
    fprintf(to, "\n## %s\n\n%s\n\n", group->name, group->doc);
    fputs("| key | default | unit | range | meaning |\n| --- | --- | --- | --- | --- |\n", to);
    for (const struct kn_key *key = kn_config_keys; key->name; key++)
        if (is_member(key, group->name) || is_named(key, group->name))
            markdown_key(to, key);
    for (const struct kn_key *key = kn_config_keys; key->name; key++)
        if (key->choices && (is_member(key, group->name) || is_named(key, group->name)))
            markdown_choices(to, key);
}

void kn_config_write_markdown(FILE *to)
{
    fputs(
        "# The case file\n\n"
        "Written by `make docs` from the table in `src/config/config_keys.c`; `knudsen help KEY` prints the "
        "same.\n\n"
        "A case is a YAML file of groups and keys. Every key has a default, so that a case says only what "
        "is\n"
        "special about it; `knudsen run CASE.yaml --dry-run` prints all of them.\n\n"
        "```yaml\n"
        "gas:\n"
        "  delta: 10\n"
        "space:\n"
        "  cells: [40, 40]\n"
        "walls:\n"
        "  top:\n"
        "    velocity: [1, 0, 0]\n"
        "```\n\n"
        "The same keys can be set on the command line, after the file and one by one:\n"
        "`knudsen run CASE.yaml --set gas.delta=1 --set 'space.cells=[80, 80]'`.\n\n"
        "Where a key takes one value per axis, a shorter list or a single value sets the first axes, and "
        "the\n"
        "others keep their default (`velocity.nodes: 8` serves all three). Unknown keys, repeated keys, "
        "values\n"
        "out of range and keys that contradict each other are errors that name line and column.\n\n"
        "Units: velocity V0 = sqrt(2 R T0), length lambda0 = mu0 V0 / p0 (L = delta lambda0 is the length "
        "the\n"
        "box is measured in), time lambda0 / V0, temperature T0. Wall velocities, temperatures and all "
        "results\n"
        "are deviations from the gas at rest, divided by eps (`disturbance`). `<side>` is one of `left`,\n"
        "`right`, `bottom`, `top`, `back`, `front`.\n\n"
        "## Values with units\n\n"
        "A case in SI says what the gas is, and may then give values with units (those of UDUNITS-2) "
        "wherever a\n"
        "key has one:\n\n"
        "```yaml\n"
        "gas: {species: argon, pressure: 8.02 kPa, temperature: 300 K}\n"
        "space: {size: [1 um, 1 um]}\n"
        "walls: {top: {velocity: [3.5 m/s, 0, 0]}, bottom: {temperature: 310 K}}\n"
        "time: {end: 23 ns}\n"
        "```\n\n"
        "* Two of `gas.pressure`, a length (`space.length`, or the first of `space.size` that has a unit: it "
        "is\n"
        "  L) and `gas.delta` are needed; the third follows.\n"
        "* A number without a unit means the unit in the tables below, in a case in SI too: 3.5 is 3.5 V0.\n"
        "* Temperatures and densities of walls and inflows are absolute with a unit (`310 K`, `37 degC`), "
        "and\n"
        "  deviations without. Amplitudes and gradients are differences either way.\n"
        "* `source.force` takes an acceleration (`1e6 m/s2`) or a pressure gradient (`2 kPa/mm`), which is "
        "divided by\n"
        "  the mass density of the gas at rest.\n"
        "* An inflow is given by density and temperature. For a pressure p, n / n0 = (p / p0) / (T / T0); "
        "`knudsen\n"
        "  info` prints the pressure of each inflow.\n"
        "* `Hz` counts cycles; `rad/s` and `s-1` are angular frequencies.\n"
        "* At `disturbance: 0` the answer is linear, and is that to the walls as they are given, as if eps "
        "were 1;\n"
        "  at a finite one eps only scales the numbers, not what a value with a unit means.\n"
        "* Another gas is `gas.molar_mass` and `gas.viscosity`.\n",
        to);
    for (const struct kn_group *group = kn_config_groups; group->name; group++)
        markdown_group(to, group);
}
