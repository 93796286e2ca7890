/* Converts values of the case file from and to text, checks ranges, and finds keys of similar spelling. */
#include "config/case.h"
#include "config/config.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char AUTO[] = "auto", NONE[] = "none";

enum kn_dimension kn_config_dimension(const struct kn_case *c, const struct kn_setting *s, int index)
{
    const bool other = c->si.given[s->index] & ((unsigned)KN_SI_OTHER << index);
    return other ? kn_units[s->key->dimension].other : s->key->dimension;
}

/* Write "1e-06" as "1e-6". */
static void trim_exponent(char *text)
{
    char *e = strchr(text, 'e');
    if (!e)
        return;
    char *digits = e + 1, *to = e + 1;
    if (*digits == '-')
        to++;
    if (*digits == '-' || *digits == '+')
        digits++;
    while (*digits == '0')
        digits++;
    memmove(to, digits, strlen(digits) + 1);
}

void kn_config_number_text(double value, char text[KN_NAME])
{
    kn_text_number(text, value);
    trim_exponent(text);
}

static const char *choice_name(const struct kn_key *key, int value)
{
    for (const struct kn_choice *choice = key->choices; choice && choice->name; choice++)
        if (choice->value == value)
            return choice->name;
    return NULL;
}

static int choice_value(const struct kn_key *key, const void *target, int index)
{
    if (key->type == KN_TYPE_BOOL)
        return *(const bool *)target;
    return ((const int *)target)[index]; /* enumerations have the size of int */
}

static double number_value(const struct kn_key *key, const void *target, int index)
{
    switch (key->type) {
    case KN_TYPE_REAL:
        return ((const double *)target)[index];
    case KN_TYPE_COUNT64:
        return (double)((const int64_t *)target)[index];
    default:
        return ((const int *)target)[index];
    }
}

bool kn_config_is_auto(const struct kn_key *key, const void *target, int index)
{
    const bool possible = (key->flags & KN_KEY_AUTO) || ((key->flags & KN_KEY_POINTS) && index > 0);
    return possible && number_value(key, target, index) == key->automatic;
}

int kn_config_count(const struct kn_key *key, const void *target)
{
    int count = (key->flags & KN_KEY_POINTS) ? 1 : key->count;
    while (count < key->count && !kn_config_is_auto(key, target, count))
        count++;
    return count;
}

void kn_config_value_text(const struct kn_key *key, const void *target, int index, char text[KN_NAME])
{
    if (key->type == KN_TYPE_FILE) {
        snprintf(text, KN_NAME, "%.60s%s", *(const char *)target ? (const char *)target : NONE,
                 strlen(target) > 60 ? "..." : "");
    } else if (kn_config_is_auto(key, target, index)) {
        snprintf(text, KN_NAME, "%s", AUTO);
    } else if (key->type == KN_TYPE_WORD) {
        snprintf(text, KN_NAME, "%s", (const char *)target);
    } else if (key->choices) {
        const char *name = choice_name(key, choice_value(key, target, index));
        snprintf(text, KN_NAME, "%s", name ? name : "?");
    } else if (key->type == KN_TYPE_REAL) {
        kn_config_number_text(number_value(key, target, index), text);
    } else {
        snprintf(text, KN_NAME, "%.0f", number_value(key, target, index));
    }
}

void kn_config_range_text(const struct kn_key *key, char text[KN_TEXT])
{
    if (key->type == KN_TYPE_FILE) {
        snprintf(text, KN_TEXT, "the name of a file, or %s", NONE);
        return;
    }
    if (key->choices) {
        size_t length = 0;
        text[0] = '\0';
        for (const struct kn_choice *choice = key->choices; choice->name && length < KN_TEXT; choice++)
            length +=
                (size_t)snprintf(text + length, KN_TEXT - length, "%s%s", length ? ", " : "", choice->name);
        return;
    }
    char low[KN_NAME], high[KN_NAME];
    kn_config_number_text(key->low, low);
    kn_config_number_text(key->high, high);
    const char *before = key->flags & KN_KEY_EVEN ? "even, " : key->flags & KN_KEY_ABOVE_LOW ? "above " : "";
    const char *between = key->flags & KN_KEY_ABOVE_LOW ? "up to" : "to";
    const char *after = key->flags & KN_KEY_AUTO ? ", or auto" : "";
    snprintf(text, KN_TEXT, "%s%s %s %s%s", before, low, between, high, after);
}

void kn_config_initial(const struct kn_key *key, int index, char text[KN_NAME])
{
    const char *at = (key->flags & KN_KEY_POINTS) && index > 0 ? AUTO : key->initial;
    if (*at == '[') {
        at++;
        for (; index > 0 && strchr(at, ','); index--)
            at = strchr(at, ',') + 2;
    }
    snprintf(text, KN_NAME, "%.*s", (int)strcspn(at, ",]"), at);
}

void kn_config_quote(const char *text, size_t length, char quoted[KN_NAME + 8])
{
    const size_t most = KN_NAME - 4;
    size_t n = 0;
    for (; n < length && n < most; n++)
        quoted[n] = '?';
    for (size_t i = 0; i < n; i++)
        if (text[i] >= ' ' && text[i] <= '~')
            quoted[i] = text[i];
    snprintf(quoted + n, 8, "%s", length > most ? "..." : "");
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours; capital letters do not matter. */
int kn_config_distance(const char *word, const char *name)
{
    int n = (int)strnlen(word, KN_NAME), m = (int)strnlen(name, KN_NAME);
    int rows[3][KN_NAME + 1]; /* the row before last, the last, this one */
    for (int j = 0; j <= m; j++)
        rows[1][j] = j;
    for (int i = 1; i <= n; i++) {
        int *older = rows[(i + 2) % 3], *old = rows[i % 3], *row = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int a = tolower((unsigned char)word[i - 1]), b = tolower((unsigned char)name[j - 1]);
            row[j] = smaller(smaller(old[j], row[j - 1]) + 1, old[j - 1] + (a != b));
            if (i > 1 && j > 1 && a == tolower((unsigned char)name[j - 2]) &&
                b == tolower((unsigned char)word[i - 2]))
                row[j] = smaller(row[j], older[j - 2] + 1);
        }
    }
    return rows[(n + 1) % 3][m];
}

bool kn_config_is_near(const char *word, const char *name)
{
    int length = (int)strnlen(word, KN_NAME), allowed = length / 3;
    allowed = allowed < 1 ? 1 : allowed > 3 ? 3 : allowed;
    return length > 1 && kn_config_distance(word, name) <= allowed;
}

/* Similar in every part between dots, so that a long name does not hide a different part. */
static bool is_near_name(const char *word, const char *name)
{
    char ours[KN_NAME], theirs[KN_NAME];
    for (;;) {
        size_t n = strcspn(word, "."), m = strcspn(name, ".");
        snprintf(ours, sizeof ours, "%.*s", (int)(n < KN_NAME ? n : KN_NAME), word);
        snprintf(theirs, sizeof theirs, "%.*s", (int)m, name);
        if (strcmp(ours, theirs) != 0 && !kn_config_is_near(ours, theirs))
            return false;
        if (!word[n] || !name[m])
            return word[n] == name[m];
        word += n + 1;
        name += m + 1;
    }
}

/* Compare with groups, too: "wals", "walls.topp". */
static void suggest_one(const char *word, const char *name, int *best, char suggestion[KN_NAME])
{
    int distance = kn_config_distance(word, name);
    if (distance < *best && is_near_name(word, name)) {
        *best = distance;
        snprintf(suggestion, KN_NAME, "%s", name);
    }
}

bool kn_config_suggest(const struct kn_case *c, const char *word, char name[KN_NAME])
{
    struct kn_setting s;
    int best = KN_NAME;
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1) {
        suggest_one(word, s.name, &best, name);
        for (char *dot = strrchr(s.name, '.'); dot; dot = strrchr(s.name, '.')) {
            *dot = '\0';
            suggest_one(word, s.name, &best, name);
        }
    }
    for (int list = 1; list < KN_LISTS; list++)
        suggest_one(word, kn_config_list_name((enum kn_list)list), &best, name);
    /* The right word in a wrong group. */
    const char *last = strrchr(word, '.');
    last = last ? last + 1 : word;
    for (int i = 0; best == KN_NAME && kn_config_setting(c, i, &s); i = s.index + 1) {
        const char *dot = strrchr(s.name, '.');
        if (dot && s.key->list == KN_LIST_NONE && strcmp(dot + 1, last) == 0) {
            snprintf(name, KN_NAME, "%s", s.name);
            best = 0;
        }
    }
    return best < KN_NAME;
}

static bool is_number(const char *text, bool whole)
{
    const char *end = kn_text_number_end(text);
    return end > text && *end == '\0' && !(whole && strpbrk(text, ".eE"));
}

static bool in_range(const struct kn_key *key, double value)
{
    bool low = key->flags & KN_KEY_ABOVE_LOW ? value > key->low : value >= key->low;
    bool even = !(key->flags & KN_KEY_EVEN) || fmod(value, 2) == 0;
    return low && value <= key->high && even; /* false for NaN */
}

static bool refuse_number(const struct kn_key *key, const char *text, double value, char why[KN_TEXT])
{
    char range[KN_TEXT];
    kn_config_range_text(key, range);
    bool odd = (key->flags & KN_KEY_EVEN) && fmod(value, 2) != 0;
    snprintf(why, KN_TEXT, "%.80s is %s (%.200s)", text, odd ? "odd" : "out of range", range);
    return false;
}

static bool refuse_type(const struct kn_key *key, const char *text, char why[KN_TEXT])
{
    char range[KN_TEXT];
    char expected[KN_NAME * 2];
    if (kn_config_unsupported(text, why))
        return false;
    kn_config_range_text(key, range);
    snprintf(expected, sizeof expected, "%s", key->type == KN_TYPE_REAL ? "a number" : "a whole number");
    if (key->dimension != KN_DIMENSION_NONE)
        snprintf(expected, sizeof expected, "a number or %s, such as %s", kn_units[key->dimension].name,
                 kn_units[key->dimension].example);
    if (*text)
        snprintf(why, KN_TEXT, "expected %s, found '%.80s' (%.200s)", expected, text, range);
    else
        snprintf(why, KN_TEXT, "expected %s, found nothing (%.200s)", expected, range);
    return false;
}

static bool refuse_choice(const struct kn_key *key, const char *text, char why[KN_TEXT])
{
    char range[KN_TEXT], hint[KN_NAME + 32] = "";
    int best = KN_NAME;
    if (kn_config_unsupported(text, why))
        return false;
    for (const struct kn_choice *choice = key->choices; choice->name; choice++)
        if (kn_config_is_near(text, choice->name) && kn_config_distance(text, choice->name) < best) {
            best = kn_config_distance(text, choice->name);
            snprintf(hint, sizeof hint, "did you mean %s? ", choice->name);
        }
    kn_config_range_text(key, range);
    if (*text)
        snprintf(why, KN_TEXT, "unknown choice '%.80s' (%sallowed: %.200s)", text, hint, range);
    else
        snprintf(why, KN_TEXT, "expected a choice, found nothing (allowed: %.200s)", range);
    return false;
}

static bool store_choice(const struct kn_key *key, void *target, int index, const char *text,
                         char why[KN_TEXT])
{
    const struct kn_choice *choice = key->choices;
    while (choice->name && strcmp(choice->name, text) != 0)
        choice++;
    if (!choice->name)
        return refuse_choice(key, text, why);
    if (key->type == KN_TYPE_BOOL)
        *(bool *)target = choice->value;
    else if (key->type == KN_TYPE_WORD)
        snprintf(target, sizeof((struct kn_case *)0)->run.backend, "%s", choice->name);
    else
        ((int *)target)[index] = choice->value;
    return true;
}

/* An integer in the range of its key fits its type. */
static void store_number(const struct kn_key *key, void *target, int index, double value)
{
    if (key->type == KN_TYPE_REAL)
        ((double *)target)[index] = value;
    else if (key->type == KN_TYPE_COUNT64)
        ((int64_t *)target)[index] = (int64_t)value;
    else
        ((int *)target)[index] = (int)value;
}

/* Read a number and a unit.  A value that the case stores in SI is checked here, others when the gas is
 * known. */
static bool store_with_unit(const struct kn_key *key, const char *text, struct kn_si_value *si,
                            char why[KN_TEXT])
{
    char range[KN_TEXT], second[KN_TEXT];
    const enum kn_dimension other = kn_units[key->dimension].other;
    si->dimension = key->dimension;
    if (other != KN_DIMENSION_NONE && kn_units_read(other, text, &si->value, second, sizeof second))
        si->dimension = other;
    else if (!kn_units_read(key->dimension, text, &si->value, why, KN_TEXT))
        return false;
    if (!kn_units[key->dimension].absolute || in_range(key, si->value))
        return true;
    kn_config_range_text(key, range);
    snprintf(why, KN_TEXT, "'%.80s' is out of range (%.200s %s)", text, range, key->unit);
    return false;
}

/* True for a number with a unit, if the key has one. */
static bool has_unit(const struct kn_key *key, const char *word)
{
    const size_t sign = *word == '-' || *word == '+';
    return key->dimension != KN_DIMENSION_NONE && strchr("0123456789.", word[sign]) && word[sign] &&
           !is_number(word, false);
}

/* The name of a file: text that ends in its member. */
static bool check_file(const char *name, bool whole, char why[KN_TEXT])
{
    const bool fits = memchr(name, '\0', KN_FILE) != NULL;
    if (whole && fits && kn_text_is_clean(name))
        return true;
    snprintf(why, KN_TEXT, "is not the name of a file (UTF-8 text of at most %d bytes)", KN_FILE - 1);
    return false;
}

bool kn_config_store(const struct kn_key *key, void *target, int index, const char *text, size_t length,
                     struct kn_si_value *si, char why[KN_TEXT])
{
    char word[KN_NAME + 8], whole[KN_TEXT];
    kn_config_quote(text, length, word); /* for messages */
    *si = (struct kn_si_value){NAN, key->dimension};
    if (length >= sizeof whole) {
        snprintf(why, KN_TEXT, "'%.80s' is too long (at most %zu characters)", word, sizeof whole - 1);
        return false;
    }
    memcpy(whole, text, length);
    whole[length] = '\0';
    if (key->type == KN_TYPE_FILE) {
        snprintf(target, KN_FILE, "%s", strcmp(whole, NONE) == 0 ? "" : whole);
        return check_file(target, strlen(whole) == length && length > 0, why);
    }
    if (key->choices)
        return store_choice(key, target, index, word, why);
    if (strlen(whole) < length)
        return refuse_type(key, word, why);
    if (((key->flags & KN_KEY_AUTO) || ((key->flags & KN_KEY_POINTS) && index > 0)) &&
        strcmp(word, AUTO) == 0) {
        store_number(key, target, index, key->automatic);
        return true;
    }
    if (has_unit(key, whole))
        return store_with_unit(key, whole, si, why);
    if (!is_number(whole, key->type != KN_TYPE_REAL))
        return refuse_type(key, word, why);
    double value = strtod(whole, NULL);
    if (!in_range(key, value))
        return refuse_number(key, word, value, why);
    store_number(key, target, index, value);
    return true;
}

bool kn_config_check_value(const struct kn_key *key, const void *target, int index, char why[KN_TEXT])
{
    char text[KN_NAME];
    if (key->type == KN_TYPE_FILE)
        return check_file(target, true, why);
    if (key->type == KN_TYPE_WORD) {
        kn_config_quote(target, strnlen(target, sizeof((struct kn_case *)0)->run.backend), why);
        snprintf(text, sizeof text, "%.63s", why);
        for (const struct kn_choice *choice = key->choices; choice->name; choice++)
            if (strcmp(choice->name, text) == 0)
                return true;
        return refuse_choice(key, text, why);
    }
    if (key->choices) {
        int value = key->type == KN_TYPE_BOOL ? 1 : choice_value(key, target, index);
        snprintf(text, sizeof text, "%d", value);
        return choice_name(key, value) || refuse_choice(key, text, why);
    }
    double value = number_value(key, target, index);
    kn_config_value_text(key, target, index, text);
    return kn_config_is_auto(key, target, index) || in_range(key, value) ||
           refuse_number(key, text, value, why);
}
