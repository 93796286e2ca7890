#include "verify/measure_text.h"

#include "error.h"
#include "verify/measure.h"

#include <stdlib.h>
#include <string.h>

/* What may follow a name after its last dot. */
static const struct suffix {
    const char *word;
    bool column, place;        /* it follows the name of a column, or a place; else that of a field */
    enum kn_measure_kind kind; /* POINT_... with a place */
} suffixes[] = {
    {"amplitude", true, false, KN_MEASURE_AMPLITUDE},
    {"phase", true, false, KN_MEASURE_PHASE},
    {"rate", true, false, KN_MEASURE_RATE},
    {"amplitude", false, true, KN_MEASURE_POINT_AMPLITUDE},
    {"phase", false, true, KN_MEASURE_POINT_PHASE},
    {"far", false, false, KN_MEASURE_FAR},
    {"slip", false, false, KN_MEASURE_SLIP},
    {"decay", false, false, KN_MEASURE_DECAY},
    {"heat", false, false, KN_MEASURE_HEAT},
    {"damping", false, false, KN_MEASURE_DAMPING},
    {"frequency", false, false, KN_MEASURE_FREQUENCY},
    {"wavenumber", false, false, KN_MEASURE_WAVENUMBER},
    {"attenuation", false, false, KN_MEASURE_ATTENUATION},
    {"thickness", false, false, KN_MEASURE_THICKNESS},
    {"lead", false, false, KN_MEASURE_LEAD},
};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

static enum kn_status refuse(const char *quantity, const char *why)
{
    return kn_error_set(KN_EINPUT, "'%.60s' is no quantity: %s", quantity, why);
}

/* Of history.csv, or of a record alone. */
static bool is_column(const char *name)
{
    return kn_monitor_knows(name) || strcmp(name, "fourth") == 0 || strcmp(name, "sixth") == 0 ||
           strcmp(name, "front") == 0;
}

static bool read_number(const char *text, const char **end, double *number)
{
    char *after;
    *number = strtod(text, &after);
    *end = after;
    return after != text;
}

/* "x;y;z)" */
static bool read_place(struct kn_measure_text *q, const char **text)
{
    do {
        if (q->axes == 3 || !read_number(*text, text, &q->at[q->axes]))
            return false;
        q->axes++;
    } while (*(*text)++ == ';');
    return (*text)[-1] == ')';
}

static bool read_time(struct kn_measure_text *q, const char *text)
{
    return read_number(text, &text, &q->time) && *text == '\0' && q->time >= 0;
}

/* Name in front of a bracket: FIELD(...), FIELD(...)=T, FIELD(...).amplitude, FIELD.profile(...). */
static enum kn_status parse_place(struct kn_measure_text *q, const char *quantity, const char *after)
{
    char *dot = strchr(q->name, '.');
    const bool profile = dot && strcmp(dot, ".profile") == 0;
    if (profile)
        *dot = '\0';
    q->field = kn_monitor_field(q->name);
    q->kind = profile ? KN_MEASURE_PROFILE : KN_MEASURE_POINT;
    if (q->field < 0)
        return refuse(quantity, "a field (rho, ux, ..., theta, Pxx, ..., qz) stands in front of a place");
    if (!read_place(q, &after) || (profile && q->axes > 1))
        return refuse(quantity, "a place is (x), (x;y) or (x;y;z)");
    if (*after == '\0')
        return KN_OK;
    if (*after == '=' && !profile && read_time(q, after + 1)) {
        q->kind = KN_MEASURE_POINT_VALUE;
        return KN_OK;
    }
    for (int i = 0; i < SUFFIXES && !profile; i++)
        if (suffixes[i].place && *after == '.' && strcmp(after + 1, suffixes[i].word) == 0) {
            q->kind = suffixes[i].kind;
            return KN_OK;
        }
    return refuse(quantity, "a place is followed by nothing, = and a time, .amplitude or .phase");
}

static enum kn_status parse_time(struct kn_measure_text *q, const char *quantity, char mark,
                                 const char *after)
{
    q->kind = mark == '@' ? KN_MEASURE_SHARE : KN_MEASURE_VALUE;
    if (!read_time(q, after))
        return refuse(quantity, "a time, which is not negative, follows = or @");
    return is_column(q->name) ? KN_OK : refuse(quantity, "history.csv has no such column");
}

static enum kn_status parse_suffix(struct kn_measure_text *q, const char *quantity)
{
    char *dot = strrchr(q->name, '.');
    q->kind = KN_MEASURE_MEAN;
    if (is_column(q->name))
        return KN_OK;
    for (int i = 0; i < SUFFIXES && dot; i++) {
        if (strcmp(dot + 1, suffixes[i].word) != 0 || suffixes[i].place)
            continue;
        *dot = '\0';
        q->kind = suffixes[i].kind;
        q->field = kn_monitor_field(q->name);
        if (suffixes[i].column ? is_column(q->name) : q->field >= 0)
            return KN_OK;
        return refuse(quantity, suffixes[i].column
                                    ? "history.csv has no such column"
                                    : "no field (rho, ux, ..., theta, Pxx, ..., qz) has that name");
    }
    return refuse(quantity, "history.csv has no such column, and it ends with nothing that is measured");
}

enum kn_status kn_measure_parse(struct kn_measure_text *q, const char *quantity)
{
    const char *name = quantity + (*quantity == '-');
    const size_t length = strcspn(name, "(=@");
    *q = (struct kn_measure_text){.sign = *quantity == '-' ? -1 : 1, .field = -1};
    if (length == 0 || length >= sizeof q->name)
        return refuse(quantity, "a name is missing, or too long");
    memcpy(q->name, name, length);
    if (name[length] == '(')
        return parse_place(q, quantity, name + length + 1);
    if (name[length] != '\0')
        return parse_time(q, quantity, name[length], name + length + 1);
    return parse_suffix(q, quantity);
}

enum kn_status kn_measure_check(const char *quantity)
{
    struct kn_measure_text q;
    return kn_measure_parse(&q, quantity);
}
