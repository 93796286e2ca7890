/* summary.json, read back. */
#include "io/summary.h"

#include "config/config.h"
#include "error.h"
#include "files.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char blank[] = " \n\r\t";

enum kn_status kn_summary_read(const char *folder, char **text)
{
    char path[KN_PATH];
    size_t size = 0;
    *text = NULL;
    enum kn_status status = kn_files_join(path, folder, "summary.json");
    FILE *file = NULL;
    if (status == KN_OK)
        status = kn_files_open(&file, path);
    if (!file)
        return status;
    errno = 0;
    if (getdelim(text, &size, '\0', file) < 0) {
        free(*text);
        *text = NULL;
        status = errno == ENOMEM ? kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", path)
                                 : kn_files_at_end(file, path); /* an empty file is no error */
    }
    fclose(file);
    return status;
}

/* Behind a string that begins here; at the end of the text where it is not closed. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

/* Behind a value: at the comma or bracket that follows it. */
static const char *skip_value(const char *at)
{
    for (int depth = 0; *at && (depth > 0 || !strchr(",}]", *at));) {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    }
    return at;
}

const char *kn_summary_member(const char *object, const char *name)
{
    const size_t length = strlen(name);
    const char *at = object;
    if (!at || *at != '{')
        return NULL;
    do {
        at += 1 + strspn(at + 1, blank);
        if (*at != '"')
            return NULL;
        const char *key = at + 1, *end = skip_string(at);
        at = end + strspn(end, blank);
        if (*at != ':')
            return NULL;
        at += 1 + strspn(at + 1, blank);
        if ((size_t)(end - 1 - key) == length && strncmp(key, name, length) == 0)
            return at;
        at = skip_value(at);
    } while (*at == ',');
    return NULL;
}

size_t kn_summary_length(const char *value)
{
    return (size_t)(skip_value(value) - value);
}

double kn_summary_number(const char *value)
{
    char *end = NULL;
    const double number = value ? strtod(value, &end) : NAN;
    return end == value ? NAN : number;
}

/* Words of this program, in which nothing is escaped. */
void kn_summary_text(const char *value, char *text, size_t size)
{
    const int length = value && *value == '"' ? (int)strcspn(value + 1, "\"\\") : 0;
    snprintf(text, size, "%.*s", length, length > 0 ? value + 1 : "");
    kn_text_clean(text);
}

/* JSON is YAML: the case reads back as it would from its file. */
enum kn_status kn_summary_case(const char *summary, struct kn_case *c)
{
    const char *value = kn_summary_member(summary, "case");
    kn_case_default(c);
    if (!value)
        return kn_error_set(KN_EINPUT, "summary.json has no case");
    const enum kn_status status = kn_config_parse(c, value, kn_summary_length(value), "summary.json", NULL);
    return status == KN_OK ? kn_case_check(c) : status;
}
