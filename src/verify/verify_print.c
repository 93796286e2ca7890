#include "verify/verify_print.h"

#include "files.h"
#include "json.h"
#include "run/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 64, MOST_DECIMALS = 9, WIDTH = 80 /* of the table */ };

static const double WIDE = 0.01;

/* ---------------------------------------------------------------- numbers */

/* 0.34073(12): two digits of the error, one where the second is 0.  An error of more than a hundredth is no
 * matter of last digits, and would hide those by which value and reference differ: 0.0863 +- 0.060. */
static const char *with_error(char text[TEXT], double value, double error)
{
    if (!(error > 0) || error < pow(10, -MOST_DECIMALS)) {
        snprintf(text, TEXT, "%.7g", value);
        return text;
    }
    int decimals = 1 - (int)floor(log10(error));
    if (error > WIDE * fabs(value)) {
        const int shown = decimals > 0 ? decimals : 0,
                  own = value != 0 ? (int)fmin(MOST_DECIMALS, 2 - floor(log10(fabs(value)))) : 0;
        snprintf(text, TEXT, "%.*f +- %.*f", own > shown ? own : shown, value, shown, error);
        return text;
    }
    double digits = round(error * pow(10, decimals));
    if (fmod(digits, 10) == 0) {
        decimals--;
        digits /= 10;
    }
    if (decimals <= 0)
        snprintf(text, TEXT, "%.0f(%.0f)", value, error);
    else
        snprintf(text, TEXT, "%.*f(%.0f)", decimals, value, digits);
    return text;
}

/* A deviation in per cent of the reference, where that says something, else as it is. */
static const char *deviation_text(char text[TEXT], double deviation, const struct kn_verify_result *r,
                                  bool sign)
{
    const struct kn_reference_row *row = r->reference;
    const bool relative = row->relative || (isnan(row->bar) && r->tolerance < 0.1 * fabs(row->value));
    const double shown = relative ? 100 * deviation / fabs(row->value) : deviation;
    const char *format = relative ? (sign ? "%+.3f %%" : "%.3f %%") : (sign ? "%+.2g" : "%.2g");
    snprintf(text, TEXT, format, shown);
    return text;
}

static double allowed(const struct kn_verify_result *r)
{
    return isnan(r->reference->bar) ? r->tolerance : fmin(r->tolerance, r->reference->bar);
}

static const char *verdict(const struct kn_verify_result *r)
{
    return r->open ? "open" : r->pass ? "pass" : "fail";
}

/* -------------------------------------------------------------------- JSON */

static void print_word(const char *key, const char *text)
{
    printf("\"%s\": ", key);
    (void)kn_json_print(stdout, kn_json_text(text), (struct kn_json_layout){0});
}

static void print_number(const char *key, double value)
{
    if (isfinite(value))
        printf("\"%s\": %.12g", key, value);
    else
        printf("\"%s\": null", key);
}

static void print_json(const struct kn_verify_result *r)
{
    const struct kn_reference_row *row = r->reference;
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"reference", row->value},
        {"reference_error", row->uncertainty},
        {"value", r->value},
        {"error_space", r->space},
        {"error_velocity", r->velocity},
        {"error_unsteady", r->unsteady},
        {"error_rounding", r->rounding},
        {"error_statistical", r->statistical},
        {"deviation", r->deviation},
        {"tolerance", r->tolerance},
        {"bar", row->bar},
        {"allowed", allowed(r)},
        {"seconds", r->seconds},
    };
    const struct {
        const char *key, *text;
    } words[] = {
        {"case", r->name},
        {"quantity", row->quantity},
        {"conditions", row->conditions},
        {"settings", row->settings},
        {"source", row->source},
        {"backend", r->backend},
        {"check", row->check == KN_CHECK_FULL ? "full" : "quick"},
    };
    putchar('{');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        print_word(words[i].key, words[i].text);
        fputs(", ", stdout);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        print_number(numbers[i].key, numbers[i].value);
        fputs(", ", stdout);
    }
    printf("\"line\": %d, \"verdict\": \"%s\"}\n", row->line, verdict(r));
}

/* ------------------------------------------------------------------- table */

/* The number under which a source is listed at the end; 0 where there are too many. */
static int source_number(struct kn_verify_table *t, const char *source)
{
    for (int i = 0; i < t->nsources; i++)
        if (strncmp(t->source[i], source, sizeof t->source[i] - 1) == 0)
            return i + 1;
    if (t->nsources == KN_VERIFY_SOURCES)
        return 0;
    snprintf(t->source[t->nsources++], sizeof t->source[0], "%s", source);
    return t->nsources;
}

/* Words in lines of the width of the table, all but the first indented. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > 0) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length + strspn(text + length, " ");
    }
    puts("");
}

/* Add a text that begins at a column, or later where the line is longer already. */
static void put_at(char line[4 * TEXT], int column, const char *text)
{
    const int length = (int)strlen(line), blanks = column > length ? column - length : length > 0;
    snprintf(line + length, (size_t)(4 * TEXT - length), "%*s%s", blanks, "", text);
}

static void put_until(char line[4 * TEXT], int column, const char *text)
{
    put_at(line, column - (int)strlen(text), text);
}

/* A quantity whose name is too long has a line of its own; other texts that are move those after them. */
static void print_columns(const char *quantity, const char *known, const char *found, const char *off,
                          const char *most, const char *said)
{
    enum { QUANTITY = 2, KNOWN = 24, FOUND = 42, OFF = 67, MOST = 75 };
    char line[4 * TEXT] = "";
    if (strlen(quantity) >= KNOWN - QUANTITY)
        printf("%*s%s\n", QUANTITY, "", quantity);
    else
        put_at(line, QUANTITY, quantity);
    put_at(line, KNOWN, known);
    put_at(line, FOUND, found);
    put_until(line, OFF, off);
    put_until(line, MOST, most);
    if (*said)
        put_at(line, MOST + 1, said);
    puts(line);
}

/* What the rows below are about. */
static void print_subject(const struct kn_verify_table *t, const struct kn_verify_result *r)
{
    const char *conditions = r->reference->conditions;
    const bool same = t->name && strcmp(t->name, r->name) == 0;
    char text[1024];
    if (same && strcmp(t->conditions, conditions) == 0)
        return;
    snprintf(text, sizeof text, "%s%s%s", r->name, *conditions ? ": " : "", conditions);
    print_wrapped(text, 4);
}

static void print_text(struct kn_verify_table *t, const struct kn_verify_result *r)
{
    const struct kn_reference_row *row = r->reference;
    const double own = r->tolerance - row->uncertainty;
    char known[TEXT], cited[TEXT + 16], found[TEXT], off[TEXT], most[TEXT];
    if (t->checks == 0)
        print_columns("quantity", "reference [src]", "Knudsen", "off by", "allowed", "");
    print_subject(t, r);
    snprintf(cited, sizeof cited, "%s [%d]", with_error(known, row->value, row->uncertainty),
             source_number(t, row->source));
    print_columns(row->quantity, cited, with_error(found, r->value, own),
                  deviation_text(off, r->deviation, r, true), deviation_text(most, allowed(r), r, false),
                  r->pass ? verdict(r) : "FAIL");
}

void kn_verify_print_row(struct kn_verify_table *t, const struct kn_verify_result *result)
{
    kn_verify_print_progress(NULL);
    if (t->json)
        print_json(result);
    else
        print_text(t, result);
    t->name = result->name;
    t->conditions = result->reference->conditions;
    t->checks++;
    t->failed += !result->pass;
    t->open += result->open;
    snprintf(t->backend, sizeof t->backend, "%s", result->backend);
    fflush(stdout);
}

static void print_verdicts(const struct kn_verify_table *t, double seconds)
{
    const bool whole = t->checks == t->planned;
    if (!whole)
        printf("interrupted after %d of %d checks", t->checks, t->planned);
    else
        printf("%d check%s", t->checks, t->checks == 1 ? "" : "s");
    if (t->checks > 0)
        printf(" on %s", t->backend);
    printf(" in %.0f s: %d pass", seconds, t->checks - t->failed - t->open);
    if (t->open)
        printf(", %d open", t->open);
    if (t->failed)
        printf(", %d FAIL", t->failed);
    puts("");
}

void kn_verify_print_end(const struct kn_verify_table *t, double seconds)
{
    kn_verify_print_progress(NULL);
    if (t->json) {
        printf("{\"checks\": %d, \"planned\": %d, \"passed\": %d, \"open\": %d, \"failed\": %d, "
               "\"seconds\": %.1f}\n",
               t->checks, t->planned, t->checks - t->failed - t->open, t->open, t->failed, seconds);
        return;
    }
    puts("");
    for (int i = 0; i < t->nsources; i++) {
        char text[sizeof t->source[0] + 16];
        snprintf(text, sizeof text, "[%d] %s", i + 1, t->source[i]);
        print_wrapped(text, 4);
    }
    if (t->checks > 0)
        print_wrapped(
            "In brackets the error of the last digits, after +- the error itself: of Knudsen by "
            "coarser grids, earlier times and three standard errors. Allowed: both errors "
            "together, or the claim (bar) of reference.csv where that is less. Open: these grids are too "
            "coarse to tell.",
            0);
    print_verdicts(t, seconds);
}

/* ---------------------------------------------------------------- progress */

static const double LIVE_EVERY = 0.2, PLAIN_EVERY = 20; /* s */

static bool is_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

/* On a terminal one line that is redrawn, elsewhere a line when nothing was said for a while. */
void kn_verify_print_progress(const struct kn_verify_progress *now)
{
    static bool shown;
    static double spoken;
    const double clock = kn_progress_clock();
    const bool live = is_terminal();
    if (!now) {
        if (shown)
            fputs("\r\033[J", stderr);
        shown = false;
        spoken = clock;
        return;
    }
    if (spoken == 0)
        spoken = clock;
    if (clock - spoken < (live ? LIVE_EVERY : PLAIN_EVERY))
        return;
    char text[4 * TEXT];
    snprintf(text, sizeof text, "%s: %s%s%s %3.0f %%", now->name, now->what, *now->doing ? ", " : "",
             now->doing, floor(100 * now->part));
    if (live)
        fprintf(stderr, "\r  %.*s\033[J\r", kn_progress_width() - 2, text);
    else
        fprintf(stderr, "%s\n", text);
    shown = live;
    spoken = clock;
    fflush(stderr);
}

void kn_verify_print_markdown(FILE *to, const struct kn_verify_result *r)
{
    const struct kn_reference_row *row = r->reference;
    char known[TEXT], found[TEXT], off[TEXT], most[TEXT];
    fprintf(to, "| %s | `%s` | %s | %s | %s | %s | %s | %s | %s |\n", r->name, row->quantity, row->conditions,
            with_error(known, row->value, row->uncertainty), row->source,
            with_error(found, r->value, r->tolerance - row->uncertainty),
            deviation_text(off, r->deviation, r, true), deviation_text(most, allowed(r), r, false),
            r->pass ? verdict(r) : "**fail**");
}
