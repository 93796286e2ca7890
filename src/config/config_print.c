/* Prints keys as help and documents, and a case as YAML, JSON and fingerprint. */
#include "config/config.h"
#include "config/scales.h"
#include "files/files.h"
#include "files/json.h"

#include <stdlib.h>
#include <string.h>

/* A text as a YAML scalar. */
static void print_quoted(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++)
        fprintf(to, "%s%c", strchr("\"\\", *text) ? "\\" : "", *text);
    fputc('"', to);
}

/* One value, with its unit if the case file gave one. */
static void print_one(FILE *to, const struct kn_case *c, const struct kn_setting *s, int index)
{
    char text[KN_NAME];
    if (c->si.given[s->index] & (1U << index)) {
        kn_config_number_text(c->si.value[s->index][index], text);
        fprintf(to, "\"%s %s\"", text, kn_units[kn_config_dimension(c, s, index)].si);
        return;
    }
    const char *target = kn_config_target((struct kn_case *)c, s);
    if (s->key->type == KN_TYPE_FILE && *target) {
        print_quoted(to, target);
        return;
    }
    kn_config_value_text(s->key, target, index, text);
    fputs(text, to);
}

static void print_value(FILE *to, const struct kn_case *c, const struct kn_setting *s)
{
    const int count = kn_config_count(s->key, kn_config_target((struct kn_case *)c, s));
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : count > 1 ? "[" : "", to);
        print_one(to, c, s, i);
    }
    if (count > 1)
        fputc(']', to);
}

/* Length of the common groups of two names, with the last dot. */
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

static void print_setting(FILE *to, const struct kn_case *c, const struct kn_setting *s, const char *previous)
{
    const char *at = s->name + shared_groups(s->name, previous);
    int depth = count_dots(s->name) - count_dots(at);
    for (const char *dot; (dot = strchr(at, '.')); at = dot + 1)
        fprintf(to, "%*s%.*s:\n", 2 * depth++, "", (int)(dot - at), at);
    fprintf(to, "%*s%s: ", 2 * depth, "", at);
    print_value(to, c, s);
    fputc('\n', to);
}

void kn_config_print(FILE *to, const struct kn_case *c)
{
    struct kn_setting s;
    struct kn_scales scales;
    char previous[KN_NAME] = "";
    const bool si = kn_scales_create(&scales, c) == KN_OK && scales.known;
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1) {
        if (si && !c->gas.delta_set && strcmp(s.name, "gas.delta") == 0)
            continue;
        print_setting(to, c, &s, previous);
        memcpy(previous, s.name, KN_NAME);
    }
}

static json_t *value_json(const struct kn_key *key, const void *target, int index)
{
    char text[KN_NAME];
    kn_config_value_text(key, target, index, text);
    if (key->type == KN_TYPE_FILE)
        return kn_json_text(*(const char *)target ? target : text);
    if (key->type == KN_TYPE_BOOL)
        return json_boolean(*(const bool *)target);
    if (key->choices || kn_config_is_auto(key, target, index))
        return kn_json_text(text);
    return kn_json_number(strtod(text, NULL));
}

static json_t *setting_json(struct kn_case *c, const struct kn_setting *s)
{
    const void *target = kn_config_target(c, s);
    const int count = kn_config_count(s->key, target);
    if (count == 1)
        return value_json(s->key, target, 0);
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        kn_json_append(list, value_json(s->key, target, i));
    return list;
}

/* Set "walls.top.kind" in the object of the group, which is made if there is none. */
static void set_in_group(json_t *object, char *name, json_t *value)
{
    for (char *dot; (dot = strchr(name, '.')); name = dot + 1) {
        *dot = '\0';
        if (!json_object_get(object, name))
            kn_json_set(object, name, json_object());
        object = json_object_get(object, name);
    }
    kn_json_set(object, name, value);
}

json_t *kn_config_json(const struct kn_case *c)
{
    struct kn_setting s;
    struct kn_scales scales;
    struct kn_case whole = *c;
    json_t *all = json_object();
    if (kn_scales_create(&scales, c) == KN_OK && scales.known) {
        whole.gas.pressure = scales.pressure;
        whole.space.length = scales.box;
    }
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1)
        set_in_group(all, s.name, setting_json(&whole, &s));
    return all;
}

/* FNV-1a of the text of the settings. */
static void hash(uint64_t *sum, const char *text)
{
    for (; *text; text++)
        *sum = (*sum ^ (unsigned char)*text) * UINT64_C(1099511628211);
}

/* A number that changes with the contents of a file; 0 if there is none. */
static uint64_t hash_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    uint64_t sum = 0;
    if (*path && kn_files_read(path, SIZE_MAX / 4, &text, &size) == KN_OK && text)
        sum = kn_files_sum(KN_FILES_SUM, text, size);
    free(text);
    return sum;
}

uint64_t kn_config_fingerprint(const struct kn_case *c)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    struct kn_setting s;
    char text[KN_NAME];
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1) {
        if (!(s.key->flags & KN_KEY_SHAPES))
            continue;
        hash(&sum, s.name);
        const void *target = kn_config_target((struct kn_case *)c, &s);
        if (s.key->type == KN_TYPE_FILE) {
            sum ^= hash_file(target);
            continue;
        }
        for (int index = 0; index < kn_config_count(s.key, target); index++) {
            kn_config_value_text(s.key, target, index, text);
            hash(&sum, index ? "," : "=");
            hash(&sum, text);
        }
        hash(&sum, "\n");
    }
    return sum;
}

/* All values of a setting as in a case file: "8", "[3.5 m s-1, 0, 0]". */
static void setting_text(const struct kn_case *c, const struct kn_setting *s, char text[KN_TEXT])
{
    char *whole = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&whole, &size);
    text[0] = '\0';
    if (!to)
        return;
    print_value(to, c, s);
    fclose(to);
    size_t n = 0;
    for (const char *from = whole; *from && n + 1 < KN_TEXT; from++)
        if (*from != '"')
            text[n++] = *from;
    text[n] = '\0';
    free(whole);
}

/* Keys that define the gas of a case in SI; delta and others follow from them. */
static bool is_of_gas(const struct kn_key *key)
{
    return strcmp(key->name, "gas.species") == 0 ||
           (kn_units[key->dimension].absolute && key->dimension != KN_DIMENSION_WALL_TIME);
}

static bool is_equal(const struct kn_case *a, const struct kn_case *b, const struct kn_setting *s)
{
    char one[KN_NAME], two[KN_NAME];
    if (s->key->type == KN_TYPE_FILE)
        return hash_file(kn_config_target((struct kn_case *)a, s)) ==
               hash_file(kn_config_target((struct kn_case *)b, s));
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
    if (kn_config_items_differ(a, b, name)) {
        snprintf(of_a, KN_TEXT, "%s", kn_config_is_group(a, name) ? "given" : "none");
        snprintf(of_b, KN_TEXT, "%s", kn_config_is_group(b, name) ? "given" : "none");
        return true;
    }
    for (int pass = 0; pass < 2; pass++) /* the keys of the gas first: others follow from them */
        for (int i = 0; kn_config_setting(a, i, &s); i = s.index + 1)
            if ((pass ? (s.key->flags & KN_KEY_SHAPES) != 0 : is_of_gas(s.key)) && !is_equal(a, b, &s)) {
                setting_text(a, &s, of_a);
                setting_text(b, &s, of_b);
                memcpy(name, s.name, KN_NAME);
                return true;
            }
    return false;
}

/* True if name is this key, with any word as the item of a list. */
static bool is_named(const struct kn_key *key, const char *name)
{
    char own[KN_NAME];
    kn_config_key_name(key, name, own);
    return strcmp(own, name) == 0;
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
        return key->flags & KN_KEY_PAIRS    ? "pairs of numbers"
               : key->flags & KN_KEY_POINTS ? "1 to 6 numbers"
               : key->count > 1             ? "1 to 3 numbers"
                                            : "number";
    case KN_TYPE_INT:
    case KN_TYPE_COUNT64:
        return key->count > 1 ? "1 to 3 whole numbers" : "whole number";
    case KN_TYPE_BOOL:
        return "true or false";
    case KN_TYPE_FILE:
        return "name of a file";
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
    if (key->unit)
        fprintf(to, "; unit %s", key->unit);
    if (!key->choices)
        fprintf(to, "; range %s", range);
    if (key->dimension != KN_DIMENSION_NONE)
        fprintf(to, "; or %s with its unit, such as %s", kn_units[key->dimension].name,
                kn_units[key->dimension].example);
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

/* True if the key is in the group, with any word as the item of a list. */
static bool is_member(const struct kn_key *key, const char *group)
{
    char own[KN_NAME];
    size_t length = strlen(group);
    kn_config_key_name(key, group, own);
    return strncmp(own, group, length) == 0 && own[length] == '.';
}

bool kn_config_help(FILE *to, const char *name)
{
    struct kn_setting s;
    const bool generic = strchr(name, '<') || strchr(name, '*') ||
                         kn_config_open_list(name, strcspn(name, ".")) != KN_LIST_NONE;
    if (!generic && !kn_config_find(NULL, name, &s) && !kn_config_is_group(NULL, name))
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

static void markdown_key(FILE *to, const struct kn_key *key)
{
    char range[KN_TEXT];
    kn_config_range_text(key, range);
    fprintf(to, "| `%s` | `%s` | %s | %s | %s", key->name, key->initial, key->unit ? key->unit : "-",
            key->choices ? "one of the words below" : range, key->doc);
    if (key->dimension != KN_DIMENSION_NONE)
        fprintf(to, " Or %s: `%s`.", kn_units[key->dimension].name, kn_units[key->dimension].example);
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
    for (const struct kn_group *group = kn_config_groups; group->name; group++)
        markdown_group(to, group);
}
