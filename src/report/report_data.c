/* Makes arrays, units and notes of a report page. */
#include "report/report_data.h"

#include "io/base64.h"

#include <stdarg.h>
#include <stdlib.h>

json_t *kn_report_data_array(const double *values, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    struct kn_base64 b = {.to = open_memstream(&text, &size)};
    if (!b.to)
        return NULL;
    for (size_t i = 0; i < count; i++)
        kn_base64_real(&b, values[i]);
    kn_base64_end(&b);
    const bool whole = !ferror(b.to);
    json_t *array = fclose(b.to) == 0 && whole ? json_stringn_nocheck(text, size) : NULL;
    free(text);
    return array;
}

json_t *kn_report_data_unit(const char *unit, const char *si_unit, struct kn_conversion by)
{
    json_t *rule = json_pack("{s:o}", "unit", kn_json_text(unit));
    if (si_unit)
        kn_json_set(rule, "si",
                    json_pack("{s:o, s:o, s:o}", "unit", kn_json_text(si_unit), "factor",
                              kn_json_number(by.factor), "offset", kn_json_number(by.offset)));
    return rule;
}

void kn_report_data_note(json_t *notes, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    kn_json_append(notes, kn_json_text(text));
}
