#include "plot/plot_terminal.h"

#include "error.h"
#include "plot/plot_map.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MARGIN = 11 /* for numbers on the left */, NARROWEST = 40, WIDEST = 160, ROWS = 14 /* of a chart */ };

/* What the terminal can show. */
struct screen {
    int columns, rows;
    bool colour, utf8;
};

static struct screen look_at_screen(void)
{
    struct screen s = {.columns = 80, .rows = 24};
    struct winsize size;
    const char *columns = getenv("COLUMNS"), *none = getenv("NO_COLOR");
    const bool terminal = isatty(STDOUT_FILENO);
    setlocale(LC_CTYPE, "");
    s.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    s.colour = terminal && s.utf8 && !(none && *none);
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        s.columns = size.ws_col;
        s.rows = size.ws_row > 10 ? size.ws_row : s.rows;
    } else if (columns && atoi(columns) > 0) {
        s.columns = atoi(columns);
    }
    s.columns = s.columns < NARROWEST ? NARROWEST : s.columns > WIDEST ? WIDEST : s.columns;
    return s;
}

static void say(const struct screen *s, const char *marked)
{
    char plain[2 * KN_PLOT_TEXT];
    kn_plot_sheet_plain(plain, sizeof plain, marked, s->utf8);
    fputs(plain, stdout);
}

/* The ends of the x axis under its ends, and what it is between them. */
static void print_foot(const struct screen *s, const struct kn_plot_panel *p, int columns, double from,
                       double to)
{
    char low[32], high[32], label[KN_PLOT_TEXT];
    int letters = 0;
    snprintf(low, sizeof low, "%.4g", from);
    snprintf(high, sizeof high, "%.4g", to);
    kn_plot_sheet_plain(label, sizeof label, p->x_label, s->utf8);
    for (const char *l = label; *l; l++)
        letters += ((unsigned char)*l & 0xc0) != 0x80;
    const int room = columns - (int)strlen(low) - (int)strlen(high) - letters;
    const int left = room > 2 ? room / 2 : 1, right = room > 2 ? room - left : 1;
    printf("%*s%s%*s%s%*s%s\n", MARGIN, "", low, left, "", label, right, "", high);
}

/* ------------------------------------------------------------------------ maps */

/* Every thirtieth or so of the colours of plot_gnuplot.c, among the 256 that terminals have. */
static const unsigned char viridis[] = {53, 54, 60, 24, 31, 30, 36, 35, 71, 77, 113, 149, 191, 227};
static const unsigned char cividis[] = {17, 18, 24, 60, 59, 102, 244, 245, 144, 143, 185, 221, 227, 228};
enum { COLOURS = sizeof viridis };

/* 0 to 1 along the range of a map. */
static double share(const struct kn_plot_map *m, double value)
{
    return fmin(fmax((value - m->range[0]) / (m->range[1] - m->range[0]), 0), 1);
}

static int colour_of(const struct kn_plot_map *m, double value)
{
    const int i = (int)(share(m, value) * COLOURS);
    return (m->is_signed ? cividis : viridis)[i < COLOURS ? i : COLOURS - 1];
}

static const char *shade_of(const struct screen *s, const struct kn_plot_map *m, double value)
{
    static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"};
    static const char *const blocks[] = {" ", "░", "▒", "▓", "█"};
    const int levels = s->utf8 ? 5 : 10, i = (int)(share(m, value) * levels);
    return (s->utf8 ? blocks : ascii)[i < levels ? i : levels - 1];
}

/* The value at a place from 0 to 1 along each axis. */
static double pixel(const struct kn_plot_map *m, double x, double y)
{
    const int i = (int)fmin(x * m->pixels[0], m->pixels[0] - 1),
              j = (int)fmin(y * m->pixels[1], m->pixels[1] - 1);
    return m->value[(size_t)j * (size_t)m->pixels[0] + (size_t)i];
}

static const char *arrow_glyph(const struct screen *s, const double along[2])
{
    static const char *const glyphs[] = {"→", "↗", "↑", "↖", "←", "↙", "↓", "↘"};
    static const char *const ascii[] = {">", "/", "^", "\\", "<", "/", "v", "\\"};
    const int i = (int)lround(atan2(along[1], along[0]) / (M_PI / 4));
    return (s->utf8 ? glyphs : ascii)[(i + 8) % 8];
}

/* Which way it flows, here and there along the lines. */
static void place_arrow(const char **over, int columns, int rows, const struct screen *s,
                        const struct kn_plot_map *m, const double at[2], const double along[2])
{
    double place[2], scaled[2];
    for (int k = 0; k < 2; k++) {
        place[k] = (at[k] - m->low[k]) / (m->high[k] - m->low[k]);
        scaled[k] = along[k] / (m->high[k] - m->low[k]);
    }
    scaled[1] *= kn_plot_map_aspect(m);
    const int i = (int)(place[0] * columns), j = (int)((1 - place[1]) * rows);
    if (i < 0 || j < 0 || i >= columns || j >= rows)
        return;
    for (int y = j > 0 ? j - 1 : 0; y <= j + 1 && y < rows; y++)
        for (int x = i > 3 ? i - 3 : 0; x <= i + 3 && x < columns; x++)
            if (over[y * columns + x])
                return;
    over[j * columns + i] = arrow_glyph(s, scaled);
}

static const char **place_arrows(int columns, int rows, const struct screen *s, const struct kn_plot_map *m)
{
    const char **over = calloc((size_t)columns * (size_t)rows, sizeof *over);
    for (int line = 0; over && line < m->lines.lines; line++)
        for (int i = m->lines.first[line] + 5; i + 1 < m->lines.first[line + 1]; i += 5) {
            const double *at = m->lines.points[i], *next = m->lines.points[i + 1];
            place_arrow(over, columns, rows, s, m, at, (const double[]){next[0] - at[0], next[1] - at[1]});
        }
    for (int i = 0; over && i < m->arrows; i++)
        place_arrow(over, columns, rows, s, m, m->arrow[i], m->arrow[i] + 2);
    return over;
}

/* Half blocks show two values a row where there is colour. */
static void draw_row(const struct screen *s, const struct kn_plot_map *m, int row, int columns, int rows,
                     const char *const *over)
{
    for (int i = 0; i < columns; i++) {
        const double x = (i + 0.5) / columns, upper = 1 - (row + 0.25) / rows,
                     lower = 1 - (row + 0.75) / rows;
        const char *glyph = over ? over[row * columns + i] : NULL;
        if (!s->colour)
            fputs(glyph ? glyph : shade_of(s, m, pixel(m, x, 0.5 * (upper + lower))), stdout);
        else if (glyph)
            printf("\033[1;38;5;%d;48;5;%dm%s\033[0m", share(m, pixel(m, x, upper)) > 0.6 ? 16 : 231,
                   colour_of(m, pixel(m, x, 0.5 * (upper + lower))), glyph);
        else
            printf("\033[38;5;%d;48;5;%dm▀\033[0m", colour_of(m, pixel(m, x, upper)),
                   colour_of(m, pixel(m, x, lower)));
    }
    putchar('\n');
}

static void draw_scale(const struct screen *s, const struct kn_plot_map *m)
{
    printf("%*s %.4g ", MARGIN, "", m->range[0]);
    for (int i = 0; i < 28; i++) {
        const double value = m->range[0] + (i + 0.5) / 28 * (m->range[1] - m->range[0]);
        if (s->colour)
            printf("\033[48;5;%dm \033[0m", colour_of(m, value));
        else
            fputs(shade_of(s, m, value), stdout);
    }
    printf(" %.4g\n", m->range[1]);
}

/* False: memory is short. */
static bool draw_map(const struct screen *s, const struct kn_plot_panel *p)
{
    const struct kn_plot_map *m = &p->map;
    int columns = s->columns - MARGIN - 1;
    const double aspect = kn_plot_map_aspect(m); /* letters are twice as high as wide */
    const int most = s->rows > 30 ? s->rows - 8 : 22;
    int rows = (int)fmax(4, round(0.5 * aspect * columns));
    if (rows > most) {
        columns = (int)fmax(8, columns * (double)most / rows);
        rows = most;
    }
    const char **over = place_arrows(columns, rows, s, m);
    if (!over)
        return false;
    say(s, p->value_label);
    putchar('\n');
    for (int row = 0; row < rows; row++) {
        const bool labelled = row == 0 || row == rows - 1;
        if (labelled)
            printf("%*.4g ", MARGIN - 1, row ? m->low[1] : m->high[1]);
        else
            printf("%*s", MARGIN, "");
        draw_row(s, m, row, columns, rows, (const char *const *)over);
    }
    free(over);
    print_foot(s, p, columns, m->low[0], m->high[0]);
    printf("%*s upwards ", MARGIN, "");
    say(s, p->y_label);
    putchar('\n');
    draw_scale(s, m);
    printf("%*s largest  %.5g at (%.4g, %.4g)\n%*s smallest %.5g at (%.4g, %.4g)\n", MARGIN, "", m->most[0],
           m->most[1], m->most[2], MARGIN, "", m->least[0], m->least[1], m->least[2]);
    return true;
}

/* ---------------------------------------------------------------------- charts */

/* Dots, eight to a letter where the terminal has such letters; else one, by the name of its curve. */
struct chart {
    int columns, rows;
    unsigned char *dots; /* [rows][columns] */
    unsigned char *mark; /* [rows][columns] number of the curve, from 1; 0: empty */
    double low[2], high[2];
    bool logarithmic, fine;
};

static const char marks[] = "*o+x#abcdefgh";
static const int colours[] = {33, 208, 71, 169, 117, 250, 179, 245};

static double height_of(const struct chart *c, double y)
{
    return c->logarithmic ? log10(y) : y;
}

static void widen_chart(struct chart *c, const struct kn_plot_panel *p)
{
    c->low[0] = p->x_range[0];
    c->high[0] = p->x_range[1] > p->x_range[0] ? p->x_range[1] : p->x_range[0] + 1;
    c->low[1] = INFINITY;
    c->high[1] = -INFINITY;
    for (int k = 0; k < p->ncurves; k++)
        for (int i = 0; i < p->curves[k].n; i++) {
            const double y = height_of(c, p->curves[k].y[i]);
            c->low[1] = isfinite(y) ? fmin(c->low[1], y) : c->low[1];
            c->high[1] = isfinite(y) ? fmax(c->high[1], y) : c->high[1];
        }
    if (!(c->high[1] > c->low[1])) {
        const double middle = isfinite(c->low[1]) ? c->low[1] : 0;
        c->low[1] = middle - fmax(fabs(middle), 1e-12);
        c->high[1] = middle + fmax(fabs(middle), 1e-12);
    }
}

static void put_dot(struct chart *c, double x, double y, int curve)
{
    static const unsigned char bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}}; /* of Unicode's braille */
    const int i = (int)lround((x - c->low[0]) / (c->high[0] - c->low[0]) * (2 * c->columns - 1));
    const int j = (int)lround((c->high[1] - y) / (c->high[1] - c->low[1]) * (4 * c->rows - 1));
    if (i < 0 || j < 0 || i >= 2 * c->columns || j >= 4 * c->rows)
        return;
    const int at = j / 4 * c->columns + i / 2;
    c->dots[at] |= bits[j % 4][i % 2];
    c->mark[at] = (unsigned char)(curve + 1);
}

static void put_curve(struct chart *c, const struct kn_plot_curve *k, int curve)
{
    for (int i = 0; i < k->n; i++) {
        const double y = height_of(c, k->y[i]);
        if (!isfinite(y))
            continue;
        put_dot(c, k->x[i], y, curve);
        if (k->style == KN_PLOT_POINTS || i + 1 >= k->n || !isfinite(height_of(c, k->y[i + 1])))
            continue;
        const double next = height_of(c, k->y[i + 1]);
        const double across = (k->x[i + 1] - k->x[i]) / (c->high[0] - c->low[0]) * 2 * c->columns;
        const double up = (next - y) / (c->high[1] - c->low[1]) * 4 * c->rows;
        const int steps = (int)fmin(ceil(fmax(fabs(across), fabs(up))), 4096);
        for (int s = 1; s < steps; s++)
            put_dot(c, k->x[i] + (k->x[i + 1] - k->x[i]) * s / steps, y + (next - y) * s / steps, curve);
    }
}

static void print_cell(const struct screen *s, const struct chart *c, const struct kn_plot_panel *p, int at)
{
    const int curve = c->mark[at] - 1;
    if (curve < 0) {
        putchar(' ');
        return;
    }
    if (s->colour)
        printf("\033[38;5;%dm", colours[curve % (int)(sizeof colours / sizeof *colours)]);
    if (c->fine && p->curves[curve].style != KN_PLOT_POINTS) {
        const unsigned letter = 0x2800U + c->dots[at];
        printf("%c%c%c", (int)(0xe0 | letter >> 12), (int)(0x80 | (letter >> 6 & 0x3f)),
               (int)(0x80 | (letter & 0x3f)));
    } else {
        putchar(p->curves[curve].style == KN_PLOT_POINTS ? 'O' : marks[curve % (int)(sizeof marks - 1)]);
    }
    if (s->colour)
        fputs("\033[0m", stdout);
}

/* Each curve with the mark it is drawn by, and its ends and extremes. */
static void print_numbers(const struct screen *s, const struct chart *c, const struct kn_plot_panel *p)
{
    char break_line[32];
    snprintf(break_line, sizeof break_line, s->columns < 96 ? "\n%*s" : " ", MARGIN + 2, "");
    for (int k = 0; k < p->ncurves; k++) {
        const struct kn_plot_curve *curve = &p->curves[k];
        int most = -1, least = -1;
        for (int i = 0; i < curve->n; i++) {
            most = isfinite(curve->y[i]) && (most < 0 || curve->y[i] > curve->y[most]) ? i : most;
            least = isfinite(curve->y[i]) && (least < 0 || curve->y[i] < curve->y[least]) ? i : least;
        }
        if (most < 0)
            continue;
        printf("%*s", MARGIN, "");
        if (s->colour)
            printf("\033[38;5;%dm", colours[k % (int)(sizeof colours / sizeof *colours)]);
        if (curve->style == KN_PLOT_POINTS)
            fputs("O ", stdout);
        else if (p->ncurves > 1)
            printf("%s ", c->fine ? "━" : (char[]){marks[k % (int)(sizeof marks - 1)], '\0'});
        if (s->colour)
            fputs("\033[0m", stdout);
        say(s, curve->label);
        if (curve->style == KN_PLOT_LEVEL) {
            printf("  %.5g\n", curve->y[0]);
            continue;
        }
        if (curve->label[0])
            printf("\n%*s", MARGIN + 2, "");
        printf("first %.5g, last %.5g,%s", curve->y[0], curve->y[curve->n - 1], break_line);
        printf("least %.4g at %.4g, most %.4g at %.4g\n", curve->y[least], curve->x[least], curve->y[most],
               curve->x[most]);
    }
}

static bool draw_chart(const struct screen *s, const struct kn_plot_panel *p)
{
    struct chart c = {.columns = s->columns - MARGIN - 2, .rows = ROWS, .logarithmic = p->logarithmic};
    c.fine = s->utf8 && (s->colour || p->ncurves == 1);
    c.dots = calloc((size_t)c.columns, (size_t)c.rows);
    c.mark = calloc((size_t)c.columns, (size_t)c.rows);
    if (!c.dots || !c.mark) {
        free(c.dots);
        free(c.mark);
        return false;
    }
    widen_chart(&c, p);
    for (int k = 0; k < p->ncurves; k++)
        put_curve(&c, &p->curves[k], k);
    say(s, p->y_label);
    fputs(p->note[0] ? "   " : "", stdout);
    say(s, p->note);
    putchar('\n');
    for (int row = 0; row < c.rows; row++) {
        const double y = c.high[1] + (c.low[1] - c.high[1]) * row / (c.rows - 1);
        if (row == 0 || row == c.rows - 1 || row == c.rows / 2)
            printf("%*.4g %s", MARGIN - 2, c.logarithmic ? pow(10, y) : y, s->utf8 ? "┤" : "|");
        else
            printf("%*s%s", MARGIN - 1, "", s->utf8 ? "│" : "|");
        for (int i = 0; i < c.columns; i++)
            print_cell(s, &c, p, row * c.columns + i);
        putchar('\n');
    }
    print_foot(s, p, c.columns, c.low[0], c.high[0]);
    print_numbers(s, &c, p);
    free(c.dots);
    free(c.mark);
    return true;
}

/* Its parts are three blanks apart; lines are broken between them. */
static void print_title(const struct screen *s, const char *title)
{
    char plain[2 * KN_PLOT_TEXT], *rest = plain;
    int column = 0;
    kn_plot_sheet_plain(plain, sizeof plain, title, s->utf8);
    while (*rest) {
        char *end = strstr(rest, "   ");
        const int length = end ? (int)(end - rest) : (int)strlen(rest);
        if (column > 0 && column + 3 + length > s->columns) {
            putchar('\n');
            column = 0;
        }
        column += printf("%s%.*s", column ? "   " : "", length, rest);
        rest += length + (end ? 3 : 0);
    }
    putchar('\n');
}

enum kn_status kn_plot_terminal_draw(const struct kn_plot_sheet *s)
{
    const struct screen screen = look_at_screen();
    print_title(&screen, s->title);
    for (int i = 0; i < s->npanels; i++) {
        putchar('\n');
        const struct kn_plot_panel *p = &s->panels[i];
        if (!(p->is_map ? draw_map(&screen, p) : draw_chart(&screen, p)))
            return kn_error_set(KN_EMEMORY, "not enough memory for a picture");
    }
    return KN_OK;
}
