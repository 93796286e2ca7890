/* Checks and cleans text for display, and writes numbers with as few digits as possible. */
#include "text.h"

#include <stdint.h>
#include <stdlib.h>

size_t kn_text_letter(const char *at)
{
    static const uint32_t least[] = {0, 0x20, 0xa0, 0x800, 0x10000}; /* of a character of so many bytes */
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
