/* Checks and cleans text for display, and writes numbers with as few digits as possible. */
#include "text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t kn_text_letter(const char *at)
{
    static const uint32_t least[] = {0, 0x20, 0xa0, 0x800,
                                     0x10000}; /* smallest code of a character with this number of bytes */
    const unsigned char *byte = (const unsigned char *)at;
    const size_t length = *byte < 0x80       ? 1
                          : *byte >> 5 == 6  ? 2
                          : *byte >> 4 == 14 ? 3
                          : *byte >> 3 == 30 ? 4
                                             : 0;
    uint32_t code = length < 2 ? *byte : *byte & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (byte[i] >> 6 != 2)
            return 0;
        code = code << 6 | (byte[i] & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return length == 0 || code < least[length] || code == 0x7f || surrogate || code > 0x10ffff ? 0 : length;
}

bool kn_text_is_clean(const char *text)
{
    size_t length;
    while ((length = kn_text_letter(text)) > 0)
        text += length;
    return *text == '\0';
}

void kn_text_clean(char *text)
{
    while (*text) {
        const size_t length = kn_text_letter(text);
        if (length == 0)
            *text = '?';
        text += length > 0 ? length : 1;
    }
}

void kn_text_print(FILE *to, const char *text)
{
    while (*text) {
        const size_t length = kn_text_letter(text);
        fwrite(length > 0 ? text : "?", 1, length > 0 ? length : 1, to);
        text += length > 0 ? length : 1;
    }
}

const char *kn_text_number(char text[KN_DIGITS], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, KN_DIGITS, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

const char *kn_text_number_end(const char *text)
{
    static const char digits[] = "0123456789";
    const char *begin = text + (*text == '-' || *text == '+'), *end = begin + strspn(begin, digits);
    size_t count = (size_t)(end - begin);
    if (*end == '.') {
        count += strspn(end + 1, digits);
        end += 1 + strspn(end + 1, digits);
    }
    if (count == 0)
        return text;
    const char *power = end + 1 + (*end && (end[1] == '-' || end[1] == '+'));
    if ((*end == 'e' || *end == 'E') && strspn(power, digits) > 0)
        end = power + strspn(power, digits);
    return end;
}
