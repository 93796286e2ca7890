#include "plot/plot_gnuplot.h"

#include "error.h"
#include "files.h"
#include "plot/plot_layout.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Both grow lighter all the way, so that a grey print reads the same: viridis, and cividis, whose middle is
 * grey, for what has two signs. */
static const char viridis[] =
    "set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', "
    "5 '#27ad81', 6 '#5cc863', 7 '#aadc32', 8 '#fde725')\n";
static const char cividis[] =
    "set palette defined (0 '#00224e', 1 '#123570', 2 '#3b496c', 3 '#575d6d', 4 '#7d7c78', "
    "5 '#8a8678', 6 '#a59c74', 7 '#d2c060', 8 '#fee838')\n";

/* Curves are told apart by colour, by dashes, and by how dark they are. */
static const struct {
    const char *colour, *dashes;
} curve_styles[] = {
    {"#00539b", "1"},      {"#e0701c", "(12,5)"}, {"#1a7f4e", "(4,4)"},          {"#a01c5b", "(14,4,3,4)"},
    {"#5aa0d0", "(20,6)"}, {"#000000", "(2,3)"},  {"#8a6d1d", "(14,4,3,4,3,4)"}, {"#7a7a7a", "1"}};
enum { CURVE_STYLES = sizeof curve_styles / sizeof *curve_styles };

/* From early to late: inferno without its palest end, backwards. */
static const char *const shades[] = {"#f7a11a", "#e8602d", "#bc3754", "#822681", "#420a68", "#000004"};
enum { SHADES = sizeof shades / sizeof *shades };

enum { LOW = 150 };       /* pixels: lower panels have short labels */
enum { LETTERS = 14 };    /* pixels */
enum { NO_TERMINAL = 3 }; /* exit status of a gnuplot without the terminal that a kind of file needs */
#define KN_PLOT_POINT (8.0 / LETTERS) /* points on paper of a pixel: letters have 8 */
enum { Y_LABEL = 78 };                /* pixels between the axis and its label, of 96 that are there */

#define LEVEL 0.02 /* of the deviation from rest: less is no variation */

static const char *const point_kinds[] = {"6", "4", "8", "12", "10"};

/* Script and data grow side by side; data come in blocks that the script names by their number. */
struct writer {
    FILE *script, *data;
    int blocks;
    double width; /* m, on paper; 0 = not given */
    const struct kn_plot_sheet *sheet;
    const struct kn_plot_layout *layout;
};

/* Text that gnuplot reads but does not run: every text of a file or a user goes through here.  Control
 * characters, of which a line feed would begin a command, and the backquote become '?'. */
static void print_harmless(FILE *to, const char *words)
{
    while (*words) {
        const size_t length = kn_text_letter(words);
        if (length == 0 || *words == '`')
            fputc('?', to);
        else
            fwrite(words, 1, length, to);
        if (*words == '\'')
            fputc('\'', to); /* between single quotes a quote is written twice */
        words += length > 0 ? length : 1;
    }
}

/* Between single quotes nothing has a meaning but the quote. */
static void print_quoted(FILE *to, const char *words)
{
    fputc('\'', to);
    print_harmless(to, words);
    fputc('\'', to);
}

static int begin_block(struct writer *w, const char *what, const char *columns)
{
    char plain[KN_PLOT_TEXT];
    kn_plot_sheet_plain(plain, sizeof plain, what, true);
    fputs(w->blocks ? "\n\n# " : "# ", w->data);
    print_harmless(w->data, plain);
    fprintf(w->data, ": %s\n", columns);
    return w->blocks++;
}

/* Over the middle of the frames; in smaller letters, over the page, where it would not fit on that. */
static void print_title(const struct writer *w, double width, double height)
{
    const double letter = 8.4; /* pixels of a picture for the screen, at most */
    char plain[KN_PLOT_TEXT];
    int letters = 0;
    kn_plot_sheet_plain(plain, sizeof plain, w->sheet->title, true);
    for (const char *at = plain; *at; at++)
        letters += ((unsigned char)*at & 0xc0) != 0x80;
    const double room = 2 * fmin(w->layout->middle, width - w->layout->middle), wanted = letters * letter;
    const double middle = wanted > room ? 0.5 * width : w->layout->middle,
                 part = fmin(1, (width - 16) / wanted);
    if (letters == 0)
        return;
    fputs("set label 1 ", w->script);
    print_quoted(w->script, w->sheet->title);
    fprintf(w->script, " at screen %.5g, screen %.5g center font ','.letters(%.3g)\n", middle / width,
            1 - 20.0 / height, LETTERS * part);
}

/* ----------------------------------------------------------------------- page */

/* Each kind of file has its own unit: pixels of a screen, twice as many, and points.  `points' of the script
 * is the size of letters of one pixel in it. */
static void write_terminals(const struct writer *w)
{
    static const double inch = 72, screen = 96, print = 300; /* points and pixels of an inch */
    const double page = w->layout->width, high = w->layout->height, paper = w->width / 0.0254;
    const double svg = paper > 0 ? paper * screen / page : 1, png = paper > 0 ? paper * print / page : 2,
                 pt = paper > 0 ? paper * inch / page : KN_PLOT_POINT;
    FILE *to = w->script;
    fputs("letters(size) = sprintf('%.3g', size * points)\n", to);
    fprintf(to,
            "if (kind eq 'svg') {\n    points = %.4g\n"
            "    set terminal svg enhanced size %.0f,%.0f font 'DejaVu Sans,Helvetica,sans-serif,%.3g' "
            "background "
            "rgb 'white' linewidth %.3g\n}\n",
            svg, page * svg, high * svg, LETTERS * svg, 1.2 * svg);
    fprintf(
        to,
        "if (kind eq 'png') {\n    points = %.4g\n"
        "    set terminal pngcairo enhanced size %.0f,%.0f font 'DejaVu Sans,%.3g' linewidth %.3g pointscale "
        "%.3g\n}\n",
        11.0 / LETTERS * png, page * png, high * png, 11 * png, 1.1 * png, png);
    const double cairo = 72.0 / 96; /* which takes a point for a pixel of the screen */
    for (int i = 0; i < 2; i++) {
        const char *kind = i ? "eps" : "pdf";
        fprintf(
            to,
            "if (kind eq '%s') {\n    points = %.4g\n"
            "    if (strstrt(GPVAL_TERMINALS, '%scairo') == 0) { exit status %d }\n"
            "    set terminal %scairo enhanced color size %.4gin,%.4gin font 'DejaVu Sans,%.3g' fontscale 1 "
            "linewidth %.3g pointscale %.3g\n}\n",
            kind, cairo * pt, kind, NO_TERMINAL, kind, page * pt / inch, high * pt / inch,
            cairo * LETTERS * pt, 1.2 * pt, pt);
    }
}

/* Pixels that a key above its panel takes. */
static double key_height(const struct writer *w, int panel)
{
    const struct kn_plot_panel *p = &w->sheet->panels[panel];
    int lines = p->key[0] != '\0';
    for (int i = 0; i < p->ncurves; i++)
        lines += p->curves[i].label[0] != '\0';
    return w->layout->is_narrow && w->layout->has_key[panel] ? lines * KN_PLOT_KEY_LINE : 0;
}

static void begin_page(struct writer *w)
{
    const double width = w->layout->width, height = w->layout->height;
    FILE *to = w->script;
    fputs("# Drawn by knudsen plot.  `gnuplot plot.gp' draws picture.png beside this file from plot.dat;\n"
          "# gnuplot -e \"kind='svg'\" plot.gp draws picture.svg.\n"
          "if (!exists('kind')) { kind = 'png' }\n"
          "if (!exists('data')) {\n"
          "    here = ''\n"
          "    do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }\n"
          "    if (here[1:1] ne '/') { here = './'.here }\n"
          "    data = here.'plot.dat'\n"
          "    if (!exists('output')) { output = here.'picture.'.kind }\n"
          "    set output output\n"
          "}\n",
          to);
    write_terminals(w);
    fputs("set encoding utf8\nset datafile missing 'nan'\nset border lw 0.8\n"
          "set tics nomirror out scale 0.6 font ','.letters(12)\nset multiplot\n",
          to);
    print_title(w, width, height);
}

/* The symbol and unit, which follow two blanks behind the words, where the axis has no room for more. */
static const char *shorten(const char *label)
{
    const char *symbol = strstr(label, "  ");
    return symbol && symbol[2] != '(' ? symbol + 2 : label;
}

static void place_panel(const struct writer *w, int panel)
{
    const struct kn_plot_box *b = &w->layout->box[panel];
    const double width = w->layout->width, height = w->layout->height;
    const struct kn_plot_panel *p = &w->sheet->panels[panel];
    fprintf(w->script, "\n# %d: ", panel + 1);
    print_harmless(w->script, p->what);
    fputs(" #\n", w->script); /* a backslash at the end would go on with the next line */
    fprintf(w->script,
            "set lmargin at screen %.5g\nset rmargin at screen %.5g\nset bmargin at screen %.5g\n"
            "set tmargin at screen %.5g\n",
            b->x / width, (b->x + b->width) / width, b->y / height, (b->y + b->height) / height);
    fputs("set xlabel ", w->script);
    print_quoted(w->script, p->x_label);
    /* as a label of its own: gnuplot drops that of an axis whose numbers are wide */
    fputs(" offset 0, 0.5\nset label 3 ", w->script);
    print_quoted(w->script, b->height < LOW ? shorten(p->y_label) : p->y_label);
    fprintf(w->script, " at screen %.5g, screen %.5g center rotate by 90", (b->x - Y_LABEL) / width,
            (b->y + 0.5 * b->height) / height);
    if (p->note[0]) {
        fputs("\nset label 2 ", w->script);
        print_quoted(w->script, p->note);
        fprintf(w->script, " at screen %.5g, screen %.5g left font ','.letters(12)", b->x / width,
                (b->y + b->height + 10 + key_height(w, panel)) / height);
    }
    fputc('\n', w->script);
}

/* ------------------------------------------------------------------------ maps */

/* Not as a matrix: gnuplot 5.4 may crash on one that is not the first of its file. */
static int write_pixels(struct writer *w, const struct kn_plot_panel *p)
{
    const struct kn_plot_map *m = &p->map;
    const int block = begin_block(w, p->value_label, "x y value");
    for (int j = 0; j < m->pixels[1]; j++)
        for (int i = 0; i < m->pixels[0]; i++)
            fprintf(w->data, "%.5g %.5g %.5g\n",
                    m->low[0] + (i + 0.5) * (m->high[0] - m->low[0]) / m->pixels[0],
                    m->low[1] + (j + 0.5) * (m->high[1] - m->low[1]) / m->pixels[1],
                    m->value[(size_t)j * (size_t)m->pixels[0] + (size_t)i]);
    return block;
}

static int write_lines(struct writer *w, const struct kn_plot_map *m)
{
    const int block = begin_block(w, "streamlines", "x y, a blank line between them");
    for (int line = 0; line < m->lines.lines; line++) {
        const int last = m->lines.first[line + 1] - 1;
        for (int i = m->lines.first[line]; i <= last; i++)
            if ((i - m->lines.first[line]) % 3 == 0 || i == last) /* every third draws as well */
                fprintf(w->data, "%.5g %.5g\n", m->lines.points[i][0], m->lines.points[i][1]);
        fputs(line + 1 < m->lines.lines ? "\n" : "", w->data);
    }
    return block;
}

/* One in the middle of a line; long ones have two. */
static int write_heads(struct writer *w, const struct kn_plot_map *m)
{
    const int block = begin_block(w, "heads of the streamlines", "x y dx dy");
    for (int line = 0; line < m->lines.lines; line++) {
        const int first = m->lines.first[line], n = m->lines.first[line + 1] - first;
        const int heads = n > 500 ? 2 : 1;
        for (int k = 0; k < heads; k++) {
            const double *from = m->lines.points[first + (2 * k + 1) * n / (2 * heads)], *to = from + 2;
            if (from != m->lines.points[first + n - 1])
                fprintf(w->data, "%.6g %.6g %.6g %.6g\n", from[0], from[1], to[0] - from[0], to[1] - from[1]);
        }
    }
    return block;
}

static int write_arrows(struct writer *w, const struct kn_plot_map *m)
{
    const int block = begin_block(w, "arrows", "x y dx dy");
    for (int i = 0; i < m->arrows; i++)
        fprintf(w->data, "%.6g %.6g %.6g %.6g\n", m->arrow[i][0], m->arrow[i][1], m->arrow[i][2],
                m->arrow[i][3]);
    return block;
}

/* White with a dark seam, which shows on light and on dark. */
static void draw_flow(struct writer *w, const struct kn_plot_map *m)
{
    static const char *const seam[2] = {"lw 1.8 lc rgb '#a0000000'", "lw 0.8 lc rgb 'white'"};
    const double head = 9 / w->layout->width;
    const int arrows = m->arrows > 0 ? write_arrows(w, m) : -1,
              lines = m->lines.lines > 0 ? write_lines(w, m) : -1;
    FILE *to = w->script;
    for (int i = 0; i < 2 && arrows >= 0; i++)
        fprintf(
            to,
            ", \\\n     data index %d using 1:2:3:4 with vectors head size screen %.4g,25 fixed %s notitle",
            arrows, 0.7 * head, seam[i]);
    for (int i = 0; i < 2 && lines >= 0; i++)
        fprintf(to, ", \\\n     data index %d using 1:2 with lines %s notitle", lines, seam[i]);
    if (lines >= 0)
        fprintf(to,
                ", \\\n     data index %d using 1:2:3:4 with vectors head filled size screen %.4g,18,55 "
                "fixed %s notitle",
                write_heads(w, m), head, seam[1]);
}

static void draw_map(struct writer *w, int panel)
{
    const struct kn_plot_panel *p = &w->sheet->panels[panel];
    const struct kn_plot_box *b = &w->layout->box[panel];
    const struct kn_plot_map *m = &p->map;
    FILE *to = w->script;
    const int pixels = write_pixels(w, p);
    fputs(m->is_signed ? cividis : viridis, to);
    fprintf(to, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nset cbrange [%.9g:%.9g]\nset cblabel ",
            m->low[0], m->high[0], m->low[1], m->high[1], m->range[0], m->range[1]);
    print_quoted(to, p->value_label);
    fprintf(to,
            "\nset colorbox vertical user origin screen %.5g, screen %.5g size screen %.5g, screen %.5g\n"
            "unset key\n",
            (b->x + b->width + 12) / w->layout->width, b->y / w->layout->height, 16 / w->layout->width,
            b->height / w->layout->height);
    fprintf(to, "plot data index %d using 1:2:3 with image notitle", pixels);
    draw_flow(w, m);
    fputs("\nunset colorbox\nunset cblabel\nset autoscale y\n", to);
}

/* ---------------------------------------------------------------------- curves */

static int write_curve(struct writer *w, const struct kn_plot_panel *p, const struct kn_plot_curve *c)
{
    char what[2 * KN_PLOT_TEXT];
    snprintf(what, sizeof what, "%s%s%s", p->what, c->label[0] ? ", " : "", c->label);
    const int block = begin_block(w, what, c->error ? "x y error" : "x y");
    for (int i = 0; i < c->n; i++) {
        fprintf(w->data, "%.9g %.9g", c->x[i], c->y[i]);
        if (c->error)
            fprintf(w->data, " %.9g", c->error[i]);
        fputc('\n', w->data);
    }
    if (c->n == 0)
        fputs("nan nan nan\n", w->data);
    return block;
}

/* The y axis: what the curves need and a little more, with a step of 1, 2 or 5 between numbers. */
static void set_height(FILE *to, const struct kn_plot_panel *p, double height)
{
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < p->ncurves; k++)
        for (int i = 0; i < p->curves[k].n; i++) {
            const double error = p->curves[k].error ? p->curves[k].error[i] : 0;
            low = fmin(low, p->curves[k].y[i] - error);
            high = fmax(high, p->curves[k].y[i] + error);
        }
    if (!(high >= low))
        return;
    const double size = fmax(fabs(low - p->rest), fabs(high - p->rest)), value = fmax(fabs(low), fabs(high)),
                 level = fmax(LEVEL * size, 1e-300);
    if (high - low < fmax(level, 1e-6 * value)) { /* what hardly varies is drawn as level */
        const double middle = 0.5 * (low + high), room = high - low < 1e-6 * value ? 0.01 * value : level;
        low = middle - 0.5 * room;
        high = middle + 0.5 * room;
    }
    const double least = (high - low) * 30 / height, power = pow(10, floor(log10(least)));
    const double step = power * (least <= power ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10);
    fprintf(to, "set yrange [%.15g:%.15g]\nset ytics %.15g\n", low - 0.07 * (high - low),
            high + 0.07 * (high - low), step);
    const double largest = fmax(fabs(low), fabs(high));
    if (largest < 1e-3 || largest >= 1e6) /* many noughts would push the label off the page */
        fputs("set format y '%.3g'\n", to);
}

/* The look of a curve: `order` counts those of its kind. */
static void print_style(FILE *to, const struct kn_plot_curve *c, int order, bool alone)
{
    if (c->style == KN_PLOT_POINTS)
        fprintf(to, "with %s pt %s ps 0.9 lw 1 lc rgb 'black'", c->error ? "yerrorbars" : "points",
                point_kinds[order % (int)(sizeof point_kinds / sizeof *point_kinds)]);
    else if (c->style == KN_PLOT_LEVEL)
        fprintf(to, "with lines lw 1.1 lc rgb '#555555' dt %s", order % 2 ? "(3,4)" : "(10,6)");
    else if (!isnan(c->shade))
        fprintf(to, "with lines lw 1.6 lc rgb '%s'", shades[(int)(c->shade * (SHADES - 1) + 0.5)]);
    else
        fprintf(to, "with %s lw 1.7 lc rgb '%s' dt %s",
                alone && c->n <= 60 ? "linespoints pt 7 ps 0.5" : "lines",
                curve_styles[order % CURVE_STYLES].colour, curve_styles[order % CURVE_STYLES].dashes);
}

static void draw_curves(struct writer *w, int panel)
{
    const struct kn_plot_panel *p = &w->sheet->panels[panel];
    FILE *to = w->script;
    int order[3] = {0, 0, 0}, lines = 0;
    for (int i = 0; i < p->ncurves; i++)
        lines += p->curves[i].style == KN_PLOT_LINE;
    fprintf(to, "set xrange [%.9g:%.9g]\nset grid lc rgb '#dddddd' lt 1 lw 0.6\n%s", p->x_range[0],
            p->x_range[1] > p->x_range[0] ? p->x_range[1] : p->x_range[0] + 1,
            p->logarithmic ? "set logscale y\nset format y '10^{%T}'\n" : "");
    if (!p->logarithmic)
        set_height(to, p, w->layout->box[panel].height);
    if (w->layout->has_key[panel]) {
        fputs(w->layout->is_narrow
                  ? "set key at graph 0.0, graph 1.0 left bottom Left reverse samplen 1.6 spacing 1.0 "
                  : "set key at graph 1.0, graph 1.0 left top Left reverse samplen 1.6 spacing 1.15 ",
              to);
        if (p->key[0]) {
            fputs("title ", to);
            print_quoted(to, p->key);
            fputs(" left", to);
        }
        fputc('\n', to);
    } else {
        fputs("unset key\n", to);
    }
    fputs("plot ", to);
    for (int i = 0; i < p->ncurves; i++) {
        const struct kn_plot_curve *c = &p->curves[i];
        const int block = write_curve(w, p, c);
        fprintf(to, "%sdata index %d using 1:2%s ", i ? ", \\\n     " : "", block, c->error ? ":3" : "");
        print_style(to, c, order[c->style]++, lines == 1);
        fputs(c->label[0] ? " title " : " notitle", to);
        if (c->label[0])
            print_quoted(to, c->label);
    }
    fputs(p->ncurves ? "\n" : "NaN notitle\n", to);
    fputs("unset grid\nunset logscale\nset format y\nset autoscale y\nset ytics autofreq\n", to);
}

static void write_page(struct writer *w)
{
    begin_page(w);
    for (int i = 0; i < w->sheet->npanels; i++) {
        place_panel(w, i);
        if (w->sheet->panels[i].is_map)
            draw_map(w, i);
        else
            draw_curves(w, i);
        fputs("unset label\n", w->script);
    }
    fputs("unset multiplot\nunset output\n", w->script);
}

/* --------------------------------------------------------------------- gnuplot */

static void print_text(FILE *to, const void *text)
{
    fputs(text, to);
}

static enum kn_status keep_files(const char *folder, const char *script, const char *data)
{
    char path[KN_PATH];
    enum kn_status status = kn_files_join(path, folder, "plot.dat");
    if (status == KN_OK)
        status = kn_files_write_text(path, print_text, data);
    if (status == KN_OK)
        status = kn_files_join(path, folder, "plot.gp");
    return status == KN_OK ? kn_files_write_text(path, print_text, script) : status;
}

static enum kn_status not_installed(void)
{
    return kn_error_set(KN_EIO,
                        "gnuplot draws pictures and is not installed: apt install gnuplot-nox (Debian, "
                        "Ubuntu), dnf install gnuplot (Fedora), brew install gnuplot (macOS); "
                        "knudsen plot --terminal needs none");
}

/* Start gnuplot without a shell and without its startup files.  Returns 0 and its exit status, or an errno
 * value. */
static int run_gnuplot(int from, int to, int *ended)
{
    char *const arguments[] = {"gnuplot", "-d", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason)
        return reason;
    reason = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    if (!reason)
        reason = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (!reason)
        reason = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!reason)
        reason = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!reason && waitpid(child, ended, 0) < 0)
        reason = errno == EINTR ? 0 : errno;
    return reason;
}

/* The word for a kind of picture; the name of the file itself is not shown to gnuplot. */
static const char *kind_of(const char *output)
{
    static const char *const kinds[] = {"svg", "pdf", "eps", "png"};
    size_t i = 0;
    while (i < 3 && strcmp(output + strlen(output) - 3, kinds[i]) != 0)
        i++;
    return kinds[i];
}

/* Gnuplot reads commands and data as its input and writes the picture as its output: no path of a file is
 * part of what it reads. */
static enum kn_status draw(FILE *commands, int picture, const char *output, const char *script,
                           const char *data)
{
    struct stat drawn;
    int ended = 0;
    fprintf(commands, "kind = '%s'\n$data << END\n%sEND\ndata = '$data'\n%s", kind_of(output), data, script);
    if (fflush(commands) != 0 || fseek(commands, 0, SEEK_SET) != 0)
        return kn_error_set(KN_EIO, "cannot write the commands for gnuplot: %s", strerror(errno));
    const int reason = run_gnuplot(fileno(commands), picture, &ended);
    if (reason == ENOENT)
        return not_installed();
    if (reason)
        return kn_error_set(KN_EIO, "cannot start gnuplot: %s", strerror(reason));
    if (ended == 0 && fstat(picture, &drawn) == 0 && drawn.st_size > 0)
        return KN_OK;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == NO_TERMINAL)
        return kn_error_set(
            KN_EIO,
            "'%s': this gnuplot cannot draw .%s because it lacks the cairo terminals (Debian, Ubuntu: apt "
            "install gnuplot-nox, gnuplot-qt or gnuplot-x11); .svg and .png may work",
            output, kind_of(output));
    return kn_error_set(KN_EIO, "gnuplot cannot draw '%s'; with --keep, gnuplot DIR/plot.gp says why",
                        output);
}

static enum kn_status render(const char *output, const char *script, const char *data)
{
    char temporary[KN_PATH];
    enum kn_status status = kn_files_temporary(temporary, output);
    if (status != KN_OK)
        return status;
    FILE *commands = tmpfile();
    if (!commands)
        return kn_error_set(KN_EIO, "cannot write the commands for gnuplot: %s", strerror(errno));
    const int picture = kn_files_create(temporary);
    if (picture < 0) {
        status = kn_error_set(KN_EIO, "cannot write '%s': %s", output, strerror(errno));
    } else {
        status = draw(commands, picture, output, script, data);
        if (close(picture) != 0 && status == KN_OK)
            status = kn_error_set(KN_EIO, "cannot write '%s': %s", output, strerror(errno));
        if (status == KN_OK)
            status = kn_files_commit(temporary, output);
        else
            unlink(temporary);
    }
    fclose(commands);
    return status;
}

enum kn_status kn_plot_gnuplot_draw(const struct kn_plot_sheet *s, const char *output, double width,
                                    const char *keep)
{
    struct kn_plot_layout layout;
    char *script = NULL, *data = NULL;
    size_t script_size = 0, data_size = 0;
    struct writer w = {.sheet = s, .layout = &layout, .width = width};
    kn_plot_layout_make(&layout, s, width / 0.0254 * 72 / KN_PLOT_POINT);
    w.script = open_memstream(&script, &script_size);
    w.data = open_memstream(&data, &data_size);
    if (w.script && w.data)
        write_page(&w);
    const bool good = w.script && w.data && !ferror(w.script) && !ferror(w.data);
    if (w.script)
        fclose(w.script);
    if (w.data)
        fclose(w.data);
    enum kn_status status =
        good && script && data ? KN_OK : kn_error_set(KN_EMEMORY, "not enough memory for a picture");
    if (status == KN_OK && keep)
        status = keep_files(keep, script, data);
    if (status == KN_OK)
        status = render(output, script, data);
    free(script);
    free(data);
    return status;
}
