#include "plot/plot_sheet.h"

#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct kn_plot_panel *kn_plot_sheet_add(struct kn_plot_sheet *s)
{
    return s->npanels < KN_PLOT_PANELS ? &s->panels[s->npanels++] : NULL;
}

struct kn_plot_curve *kn_plot_sheet_curve(struct kn_plot_panel *p, enum kn_plot_style style, int n,
                                          bool errors)
{
    struct kn_plot_curve *more = realloc(p->curves, ((size_t)p->ncurves + 1) * sizeof *more);
    if (!more)
        return NULL;
    p->curves = more;
    struct kn_plot_curve *c = &more[p->ncurves];
    *c = (struct kn_plot_curve){.style = style, .shade = NAN, .n = n};
    c->x = calloc((size_t)n + 1, sizeof(double));
    c->y = calloc((size_t)n + 1, sizeof(double));
    c->error = errors ? calloc((size_t)n + 1, sizeof(double)) : NULL;
    p->ncurves++; /* what was not allocated is freed as nothing */
    return c->x && c->y && (c->error || !errors) ? c : NULL;
}

void kn_plot_sheet_destroy(struct kn_plot_sheet *s)
{
    for (int i = 0; i < s->npanels; i++) {
        struct kn_plot_panel *p = &s->panels[i];
        for (int k = 0; k < p->ncurves; k++) {
            free(p->curves[k].x);
            free(p->curves[k].y);
            free(p->curves[k].error);
        }
        free(p->curves);
        free(p->map.value);
        free(p->map.arrow);
        kn_streamline_destroy(&p->map.lines);
    }
    s->npanels = 0;
}

/* --------------------------------------------------------------------- text */

void kn_plot_sheet_escape(char *marked, size_t size, const char *plain)
{
    size_t n = 0;
    while (*plain && n + 6 < size) {
        const size_t length = kn_text_letter(plain);
        if (strchr("{}_^@&~\\", *plain))
            marked[n++] = '\\';
        memcpy(marked + n, length > 0 ? plain : "?", length > 0 ? length : 1);
        n += length > 0 ? length : 1;
        plain += length > 0 ? length : 1;
    }
    marked[n] = '\0';
}

/* Words for letters that not every terminal has. */
static const struct {
    const char *letter, *word;
} spellings[] = {{"δ", "delta"}, {"ε", "eps "}, {"λ", "lambda"}, {"θ", "theta"}, {"ρ", "rho"}, {"Π", "Pi"},
                 {"–", "-"},     {"µ", "u"},    {"²", "^2"},     {"·", " "},     {"−", "-"}};

void kn_plot_sheet_plain(char *plain, size_t size, const char *marked, bool utf8)
{
    size_t n = 0;
    while (*marked && n + 8 < size) {
        const char *word = NULL;
        if (*marked == '\\' && marked[1]) {
            plain[n++] = marked[1];
            marked += 2;
            continue;
        }
        if (strncmp(marked, "{/:", 3) == 0) {
            marked += strcspn(marked, " }");
            marked += *marked == ' ';
            continue;
        }
        if (*marked == '{' || *marked == '}') {
            marked++;
            continue;
        }
        for (size_t i = 0; !utf8 && !word && i < sizeof spellings / sizeof *spellings; i++)
            if (strncmp(marked, spellings[i].letter, strlen(spellings[i].letter)) == 0) {
                word = spellings[i].word;
                marked += strlen(spellings[i].letter);
            }
        for (; word && *word; word++)
            plain[n++] = *word;
        if (!word)
            plain[n++] = *marked++;
    }
    plain[n] = '\0';
}

void kn_plot_sheet_append(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}
