/* Reads, builds and writes JSON documents; jansson has the parser and the tree. */
#include "files/json.h"

#include "error.h"
#include "files/files.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 22 }; /* bytes; a tree takes up to fifty times as much memory */

enum kn_status kn_json_read(const char *path, json_t **root)
{
    json_error_t error;
    char *text = NULL;
    size_t size = 0;
    *root = NULL;
    KN_TRY(kn_files_read(path, FILE_LIMIT, &text, &size));
    errno = 0;
    if (size > 0)
        *root = json_loadb(text, size, 0, &error);
    /* some versions of jansson report a lack of memory as an error of syntax */
    const bool out_of_memory = errno == ENOMEM;
    free(text);
    if (size == 0 || json_is_object(*root))
        return KN_OK;
    if (*root) {
        json_decref(*root);
        *root = NULL;
        return kn_error_set(KN_EINPUT, "'%s' is damaged: it is not a JSON object", path);
    }
    if (out_of_memory || json_error_code(&error) == json_error_out_of_memory)
        return kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", path);
    return kn_error_set(KN_EINPUT, "'%s' is damaged: line %d: %s", path, error.line, error.text);
}

static _Thread_local bool lacks_memory; /* since the last document was printed */

void kn_json_drop(json_t *root)
{
    json_decref(root);
    lacks_memory = false;
}

void kn_json_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        lacks_memory = true;
}

void kn_json_set_numbers(json_t *object, const struct kn_json_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kn_json_set(object, entries[i].key, kn_json_number(entries[i].value));
}

void kn_json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        lacks_memory = true;
}

json_t *kn_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *kn_json_text(const char *text)
{
    json_t *value = json_string(text);
    char *copy = value ? NULL : strdup(text);
    if (!copy)
        return value;
    kn_text_clean(copy);
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *kn_json_vector(const double v[3])
{
    return json_pack("[o, o, o]", kn_json_number(v[0]), kn_json_number(v[1]), kn_json_number(v[2]));
}

static void print_string(FILE *to, const char *text, bool html)
{
    fputc('"', to);
    while (*text) {
        size_t plain = 0;
        while ((unsigned char)text[plain] >= ' ' && !strchr(html ? "\"\\<>&" : "\"\\", text[plain]))
            plain++;
        fwrite(text, 1, plain, to);
        text += plain;
        if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text++);
        else if (*text)
            fprintf(to, "\\u%04x", (unsigned char)*text++);
    }
    fputc('"', to);
}

static void print_value(FILE *to, const json_t *value, struct kn_json_layout layout, int depth);

static void print_object(FILE *to, const json_t *object, struct kn_json_layout layout, int depth)
{
    const bool lines = depth < layout.levels && json_object_size(object) > 0;
    const char *key, *before = "";
    const json_t *value;
    fputc('{', to);
    json_object_foreach((json_t *)object, key, value)
    {
        fputs(before, to);
        if (lines)
            fprintf(to, "\n%*s", 2 * (depth + 1), "");
        print_string(to, key, layout.html);
        fputs(": ", to);
        print_value(to, value, layout, depth + 1);
        before = lines ? "," : ", ";
    }
    if (lines)
        fprintf(to, "\n%*s", 2 * depth, "");
    fputc('}', to);
}

static void print_array(FILE *to, const json_t *array, struct kn_json_layout layout, int depth)
{
    const bool lines = depth < layout.levels && json_is_object(json_array_get(array, 0));
    fputc('[', to);
    for (size_t i = 0; i < json_array_size(array); i++) {
        fputs(i == 0 ? "" : lines ? "," : ", ", to);
        if (lines)
            fprintf(to, "\n%*s", 2 * (depth + 1), "");
        print_value(to, json_array_get(array, i), layout, depth + 1);
    }
    if (lines)
        fprintf(to, "\n%*s", 2 * depth, "");
    fputc(']', to);
}

static void print_value(FILE *to, const json_t *value, struct kn_json_layout layout, int depth)
{
    char digits[KN_DIGITS];
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        print_object(to, value, layout, depth);
        break;
    case JSON_ARRAY:
        print_array(to, value, layout, depth);
        break;
    case JSON_STRING:
        print_string(to, json_string_value(value), layout.html);
        break;
    case JSON_INTEGER:
        fprintf(to, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL:
        fputs(kn_text_number(digits, json_real_value(value)), to);
        break;
    default:
        fputs(json_is_null(value) ? "null" : json_is_true(value) ? "true" : "false", to);
    }
}

enum kn_status kn_json_print(FILE *to, json_t *root, struct kn_json_layout layout)
{
    const bool whole = root && !lacks_memory;
    lacks_memory = false;
    if (whole)
        print_value(to, root, layout, 0);
    json_decref(root);
    return whole ? KN_OK : kn_error_set(KN_EMEMORY, "not enough memory to write JSON");
}

enum kn_status kn_json_print_line(FILE *to, json_t *root)
{
    const enum kn_status status = kn_json_print(to, root, (struct kn_json_layout){0});
    fputc('\n', to);
    return status;
}
