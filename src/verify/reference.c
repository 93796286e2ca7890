#include "verify/reference.h"

#include "error.h"
#include "verify/measure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 8, SETTING = 256 };
static const char HEADING[] = "quantity,value,uncertainty,source,conditions,settings,check,bar";

/* ------------------------------------------------------------------- lines */

static char *read_file(const char *path)
{
    size_t size = 0;
    char *text = NULL;
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    const ssize_t length = getdelim(&text, &size, '\0', file);
    fclose(file);
    if (length >= 0)
        return text;
    free(text);
    errno = EINVAL;
    return NULL;
}

/* Cut one field off a line, in place; quotes go, doubled ones become one.  False at a quote that is
 * not closed, or followed by more. */
static bool cut_field(char **line, char **field)
{
    char *from = *line, *to = *line;
    const bool quoted = *from == '"';
    *field = to;
    for (from += quoted; *from && (quoted || *from != ','); *to++ = *from++) {
        if (!quoted || *from != '"')
            continue;
        if (from[1] != '"')
            break;
        from++;
    }
    if (quoted && *from++ != '"')
        return false;
    const char end = *from;
    *to = '\0';
    *line = end == ',' ? from + 1 : NULL;
    return end == ',' || end == '\0';
}

static enum kn_status cut_line(const char *path, int number, char *line, char *field[COLUMNS])
{
    const char *wrong = NULL;
    for (int i = 0; i < COLUMNS; i++) {
        if (!line)
            wrong = "fewer";
        else if (!cut_field(&line, &field[i]))
            return kn_error_set(KN_EINPUT, "%s:%d: a double quote is not closed", path, number);
    }
    if (!wrong && !line)
        return KN_OK;
    return kn_error_set(KN_EINPUT, "%s:%d: %s than %d columns (%s; commas inside a field need double quotes)",
                        path, number, wrong ? wrong : "more", COLUMNS, HEADING);
}

/* ------------------------------------------------------------------ fields */

/* A number, or nothing at all, which is NaN. */
static bool read_number(const char *text, double *number, const char **rest)
{
    char *end;
    *number = *text ? strtod(text, &end) : NAN;
    *rest = *text ? end : text;
    return !*text || (end != text && isfinite(*number));
}

static bool read_check(const char *word, enum kn_check *check)
{
    *check = strcmp(word, "quick") == 0  ? KN_CHECK_QUICK
             : strcmp(word, "full") == 0 ? KN_CHECK_FULL
                                         : KN_CHECK_NEVER;
    return *check != KN_CHECK_NEVER || !*word;
}

static bool read_bar(const char *text, struct kn_reference_row *row)
{
    const char *rest;
    if (!read_number(text, &row->bar, &rest) || row->bar <= 0)
        return false;
    row->relative = strcmp(rest, "%") == 0;
    if (row->relative)
        row->bar *= fabs(row->value) / 100;
    return row->relative || !*rest;
}

static const char *read_row(struct kn_reference_row *row, char *const field[COLUMNS])
{
    const char *rest;
    row->quantity = field[0];
    row->source = field[3];
    row->conditions = field[4];
    row->settings = field[5];
    if (!read_number(field[1], &row->value, &rest) || *rest || isnan(row->value))
        return "value is no number";
    if (!read_number(field[2], &row->uncertainty, &rest) || *rest || row->uncertainty < 0)
        return "uncertainty is no number of 0 or more";
    if (!*row->source)
        return "the source is missing";
    if (!read_check(field[6], &row->check))
        return "check is none of quick, full and nothing";
    if (!read_bar(field[7], row))
        return "bar is no number above 0, with or without %";
    if (row->check != KN_CHECK_NEVER && isnan(row->uncertainty))
        return "a value without uncertainty cannot be checked";
    return NULL;
}

static enum kn_status add_row(struct kn_reference *f, const char *path, int number, char *line)
{
    char none[] = "", *field[COLUMNS] = {none, none, none, none, none, none, none, none};
    enum kn_status status = cut_line(path, number, line, field);
    if (status != KN_OK)
        return status;
    struct kn_reference_row *row = &f->row[f->rows++];
    row->line = number;
    const char *wrong = read_row(row, field);
    if (wrong)
        return kn_error_set(KN_EINPUT, "%s:%d: %s", path, number, wrong);
    if (row->check != KN_CHECK_NEVER && kn_measure_check(row->quantity) != KN_OK) {
        char why[512];
        snprintf(why, sizeof why, "%s", kn_error_message());
        return kn_error_set(KN_EINPUT, "%s:%d: %s", path, number, why);
    }
    return KN_OK;
}

static int count_lines(const char *text)
{
    int lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

enum kn_status kn_reference_read(struct kn_reference *f, const char *path)
{
    *f = (struct kn_reference){.text = read_file(path)};
    if (!f->text)
        return kn_error_set(KN_EIO, "%s cannot be read: %s", path, strerror(errno));
    f->row = calloc((size_t)count_lines(f->text), sizeof *f->row);
    enum kn_status status = f->row ? KN_OK : kn_error_set(KN_EMEMORY, "not enough memory for %s", path);
    char *next = f->text;
    for (int number = 1; next && status == KN_OK; number++) {
        char *line = strsep(&next, "\n");
        line[strcspn(line, "\r")] = '\0';
        if (number == 1 && strcmp(line, HEADING) != 0)
            status = kn_error_set(KN_EINPUT, "%s:1: the first line is not %s", path, HEADING);
        else if (number > 1 && *line)
            status = add_row(f, path, number, line);
    }
    if (status != KN_OK)
        kn_reference_destroy(f);
    return status;
}

void kn_reference_destroy(struct kn_reference *f)
{
    free(f->row);
    free(f->text);
    *f = (struct kn_reference){0};
}

enum kn_status kn_reference_apply(struct kn_case *c, const char *settings)
{
    enum kn_status status = KN_OK;
    while (status == KN_OK && *settings) {
        char one[SETTING];
        const size_t length = strcspn(settings, " ");
        if (length >= sizeof one)
            return kn_error_set(KN_EINPUT, "a setting is longer than %d bytes", SETTING - 1);
        memcpy(one, settings, length);
        one[length] = '\0';
        if (length > 0)
            status = kn_case_set(c, one);
        settings += length + (settings[length] == ' ');
    }
    return status;
}
