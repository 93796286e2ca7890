#include "report/report_text.h"

#include "files.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local bool lacks_memory;

void *kn_report_allocate(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    lacks_memory = lacks_memory || !block;
    return block;
}

bool kn_report_succeeded(enum kn_status status)
{
    lacks_memory = lacks_memory || status == KN_EMEMORY;
    return status == KN_OK;
}

bool kn_report_lacked_memory(void)
{
    const bool lacked = lacks_memory;
    lacks_memory = false;
    return lacked;
}

/* Inside a script element HTML looks for nothing but tags and comments: no < and no >. */
void kn_report_put_text(FILE *to, const char *text)
{
    kn_files_json_text(to, text, "<>&");
}

void kn_report_put_html(FILE *to, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            fputc(*text, to);
        }
}

void kn_report_put_number(FILE *to, double value)
{
    char digits[32];
    fputs(isfinite(value) ? kn_files_number(digits, value) : "null", to);
}

void kn_report_put_rule(FILE *to, const char *unit, const char *si_unit, double factor, double offset)
{
    fputs("{\"unit\": ", to);
    kn_report_put_text(to, unit);
    if (si_unit) {
        fputs(", \"si\": {\"unit\": ", to);
        kn_report_put_text(to, si_unit);
        fputs(", \"factor\": ", to);
        kn_report_put_number(to, factor);
        fputs(", \"offset\": ", to);
        kn_report_put_number(to, offset);
        fputc('}', to);
    }
    fputc('}', to);
}

/* Byte number `at` of the numbers, the lowest of each first, whatever the machine does. */
static unsigned byte_at(const double *values, size_t at)
{
    uint64_t bits;
    memcpy(&bits, &values[at / 8], sizeof bits);
    return (unsigned)(bits >> 8 * (at % 8) & 0xff);
}

void kn_report_put_array(FILE *to, const double *values, size_t count)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t size = 8 * count;
    fputc('"', to);
    for (size_t at = 0; at < size; at += 3) {
        const size_t left = size - at;
        const unsigned word = byte_at(values, at) << 16 | (left > 1 ? byte_at(values, at + 1) << 8 : 0) |
                              (left > 2 ? byte_at(values, at + 2) : 0);
        char four[4] = {letters[word >> 18], letters[word >> 12 & 63], letters[word >> 6 & 63],
                        letters[word & 63]};
        for (size_t end = left; end < 3; end++)
            four[end + 1] = '=';
        fwrite(four, 1, sizeof four, to);
    }
    fputc('"', to);
}

int kn_report_notes_open(struct kn_report_notes *n)
{
    *n = (struct kn_report_notes){.count = 0};
    n->to = open_memstream(&n->text, &n->size);
    return n->to ? 0 : -1;
}

void kn_report_note(struct kn_report_notes *n, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs(n->count++ ? ", " : "", n->to);
    kn_report_put_text(n->to, text);
    fflush(n->to);
}

void kn_report_notes_close(struct kn_report_notes *n)
{
    if (n->to)
        fclose(n->to);
    free(n->text);
    *n = (struct kn_report_notes){.count = 0};
}
