/* Finds words for features that this version does not support in docs/unsupported.md, for error messages. */
#include "config/config.h"

#include <ctype.h>
#include <string.h>

extern const unsigned char
    kn_unsupported_md[]; /* docs/unsupported.md, made into an array by tools/embed.cmake */

/* Equal except for capital letters and the difference between - and _. */
static bool is_same(const char *a, size_t length, const char *b, size_t size)
{
    if (length != size)
        return false;
    for (size_t i = 0; i < size; i++) {
        const int one = a[i] == '_' ? '-' : tolower((unsigned char)a[i]), two = b[i] == '_' ? '-' : b[i];
        if (one != two)
            return false;
    }
    return true;
}

/* Compare a word of the table with the first and the last part of a name. */
static bool is_meant(const char *word, size_t length, const char *name)
{
    const char *dot = memchr(word, '.', length), *last = strrchr(name, '.');
    const char *end = last ? last + 1 : name;
    if (!dot)
        return is_same(end, strlen(end), word, length) ||
               (last && is_same(name, strcspn(name, "."), word, length));
    return last && is_same(name, strcspn(name, "."), word, (size_t)(dot - word)) &&
           is_same(end, strlen(end), dot + 1, length - (size_t)(dot + 1 - word));
}

/* True if the name means one of the words, which are separated by blanks. */
static bool is_listed(const char *words, const char *name)
{
    for (size_t length; *words; words += length + strspn(words + length, " ")) {
        length = strcspn(words, " ");
        if (is_meant(words, length, name))
            return true;
    }
    return false;
}

/* Rows are `| words | feature | alternative |`; the marks of code are not printed. */
bool kn_config_unsupported(const char *name, char text[KN_TEXT])
{
    char words[KN_TEXT], what[KN_TEXT], instead[KN_TEXT];
    const char *row = strstr((const char *)kn_unsupported_md, "| --- |\n");
    while ((row = strchr(row, '\n')) && *++row == '|')
        if (sscanf(row, "| `%511[^`]` | %511[^|]| %511[^|]", words, what, instead) == 3 &&
            is_listed(words, name)) {
            char *end = text;
            snprintf(words, sizeof words, "%.120sis not supported in this version; %.350s", what, instead);
            for (const char *at = words; *at; at++)
                if (*at != '`' && !(*at == ' ' && !at[1]))
                    *end++ = *at;
            *end = '\0';
            return true;
        }
    return false;
}
