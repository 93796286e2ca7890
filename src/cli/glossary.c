/* Reads the rows of docs/glossary.md: `| term, synonym | meaning | keys |`. */
#include "cli/command.h"

#include "config/config.h"

#include <string.h>
#include <strings.h>

extern const unsigned char kn_glossary_md[]; /* docs/glossary.md, made into an array by tools/embed.cmake */

static const char separator[] = ", ";

/* One row of the table, cut into its columns. */
struct row {
    char line[2048];
    char *words, *text, *keys; /* in `line`; words are separated by ", " */
};

/* End the text at the next separator of columns; returns the next column. */
static char *end_column(char *at)
{
    char *bar = strstr(at, " |");
    if (!bar)
        return at + strlen(at);
    *bar = '\0';
    return bar + (bar[2] == ' ' ? 3 : 2);
}

/* Read the row that begins at or after *at and advance; false at the end. */
static bool next_row(const char **at, struct row *r)
{
    while (**at) {
        const size_t length = strcspn(*at, "\n");
        const bool is_row = strncmp(*at, "| ", 2) == 0;
        snprintf(r->line, sizeof r->line, "%.*s", (int)length, *at);
        *at += length + ((*at)[length] == '\n');
        if (!is_row)
            continue;
        r->words = r->line + 2;
        r->text = end_column(r->words);
        r->keys = end_column(r->text);
        end_column(r->keys);
        return true;
    }
    return false;
}

/* The first row after the heading of the table. */
static const char *first_row(void)
{
    return strstr((const char *)kn_glossary_md, "| --- |\n") + strlen("| --- |\n");
}

/* Copy the next word of a list and advance; false at the end. */
static bool next_word(const char **at, char word[KN_NAME])
{
    const char *end = strstr(*at, separator);
    const size_t length = end ? (size_t)(end - *at) : strlen(*at);
    snprintf(word, KN_NAME, "%.*s", (int)length, *at);
    *at += length + (end ? strlen(separator) : 0);
    return length > 0;
}

/* -1: the word is not in the list; 0: only with other capital letters; 1: exactly. */
static int match(const char *words, const char *word)
{
    char one[KN_NAME];
    int best = -1;
    while (next_word(&words, one))
        if (strcasecmp(one, word) == 0 && best < 1)
            best = strcmp(one, word) == 0;
    return best;
}

static void print_row(FILE *to, const struct row *r)
{
    fprintf(to, "%.*s\n    %s\n", (int)(strcspn(r->words, ",")), r->words, r->text);
    if (!*r->keys)
        return;
    fputs("    keys: ", to);
    for (const char *at = r->keys; *at; at++)
        if (*at != '`' && *at != ',')
            fputc(*at, to);
    fputc('\n', to);
}

bool kn_glossary_print(FILE *to, const char *word)
{
    struct row r;
    int found = 0;
    for (int exactly = 1; exactly >= 0 && found == 0; exactly--)
        for (const char *at = first_row(); next_row(&at, &r);)
            if (match(r.words, word) == exactly) {
                fputs(found++ > 0 ? "\n" : "", to);
                print_row(to, &r);
            }
    return found > 0;
}

const char *kn_glossary_near(const char *word)
{
    static char near[KN_NAME];
    struct row r;
    char one[KN_NAME];
    int best = KN_NAME;
    for (const char *at = first_row(); next_row(&at, &r);)
        for (const char *words = r.words; next_word(&words, one);) {
            const int distance = kn_config_distance(word, one);
            if (kn_config_is_near(word, one) && distance < best) {
                best = distance;
                memcpy(near, one, sizeof near);
            }
        }
    return best < KN_NAME ? near : NULL;
}
