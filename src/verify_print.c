#include "verify_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 64, MOST_DECIMALS = 9 };

/* ---------------------------------------------------------------- numbers */

/* 0.34073(12): two digits of the error, one where the second is 0. */
static const char *with_error(char text[TEXT], double value, double error)
{
    if (!(error > 0) || error < pow(10, -MOST_DECIMALS)) {
        snprintf(text, TEXT, "%.7g", value);
        return text;
    }
    int decimals = 1 - (int)floor(log10(error));
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
    printf("\"%s\": \"", key);
    for (; *text; text++)
        printf("%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    printf("\"");
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

static void print_heading(void)
{
    printf("%-27s %-31s %-18s %-14s %10s %9s\n", "  quantity", "conditions", "reference [source]", "Knudsen",
           "deviation", "allowed");
}

static void print_text(struct kn_verify_table *t, const struct kn_verify_result *r)
{
    const struct kn_reference_row *row = r->reference;
    const double own = r->tolerance - row->uncertainty;
    char known[TEXT], cited[TEXT + 16], found[TEXT], off[TEXT], most[TEXT];
    if (t->checks == 0)
        print_heading();
    if (!t->name || strcmp(t->name, r->name) != 0)
        printf("%s\n", r->name);
    snprintf(cited, sizeof cited, "%s [%d]", with_error(known, row->value, row->uncertainty),
             source_number(t, row->source));
    printf("  %-25s %-31.31s %-18s %-14s %10s %9s %s\n", row->quantity, row->conditions, cited,
           with_error(found, r->value, own), deviation_text(off, r->deviation, r, true),
           deviation_text(most, allowed(r), r, false), r->pass ? verdict(r) : "FAIL");
}

void kn_verify_print_row(struct kn_verify_table *t, const struct kn_verify_result *result)
{
    kn_verify_print_progress(NULL, NULL, 0);
    if (t->json)
        print_json(result);
    else
        print_text(t, result);
    t->name = result->name;
    t->checks++;
    t->failed += !result->pass;
    t->open += result->open;
    snprintf(t->backend, sizeof t->backend, "%s", result->backend);
    fflush(stdout);
}

void kn_verify_print_end(const struct kn_verify_table *t, double seconds)
{
    kn_verify_print_progress(NULL, NULL, 0);
    if (t->json) {
        printf("{\"checks\": %d, \"passed\": %d, \"open\": %d, \"failed\": %d, \"seconds\": %.1f}\n",
               t->checks, t->checks - t->failed - t->open, t->open, t->failed, seconds);
        return;
    }
    puts("");
    for (int i = 0; i < t->nsources; i++)
        printf("[%d] %s\n", i + 1, t->source[i]);
    puts("In brackets: the error of the last digits; of Knudsen by coarser grids, earlier times and three "
         "standard "
         "errors.\nAllowed: both errors together, or the claim (bar) of reference.csv where that is less.  "
         "Open: "
         "these\ngrids are too coarse to tell.");
    printf("%d check%s on %s in %.0f s: %d pass", t->checks, t->checks == 1 ? "" : "s", t->backend, seconds,
           t->checks - t->failed - t->open);
    if (t->open)
        printf(", %d open", t->open);
    printf(t->failed ? ", %d FAIL\n" : "\n", t->failed);
}

void kn_verify_print_progress(const char *name, const char *what, double part)
{
    static bool shown;
    if (!isatty(STDERR_FILENO))
        return;
    if (name)
        fprintf(stderr, "\r%s: %s %.0f %%\033[K", name, what, 100 * part);
    else if (shown)
        fputs("\r\033[K", stderr);
    shown = name != NULL;
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
