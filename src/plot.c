#include "plot.h"

#include "io/store.h"
#include "plane.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 4, BAD_INPUT = 2 };
enum { TIMES = 6 }; /* at which a line is drawn in one picture */

static const char axis_names[] = "xyz";

static int complain(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int complain(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("knudsen plot: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

/* ------------------------------------------------------------------ reading */

/* All values of a dataset, and how many; NULL when it cannot be read. */
static double *read_set(hid_t file, const char *name, hssize_t *count)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0)
        return NULL;
    hid_t space = H5Dget_space(set);
    *count = H5Sget_simple_extent_npoints(space);
    double *values = *count > 0 ? malloc((size_t)*count * sizeof *values) : NULL;
    if (values && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        free(values);
        values = NULL;
    }
    H5Sclose(space);
    H5Dclose(set);
    return values;
}

static bool read_number(hid_t file, const char *name, double *value)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    bool good = H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0;
    H5Aclose(attribute);
    return good;
}

static bool read_axis(hid_t file, struct kn_gas *g, int d)
{
    char name[16];
    hssize_t count;
    snprintf(name, sizeof name, "grid/%c", axis_names[d]);
    g->edges[d] = read_set(file, name, &count);
    if (!g->edges[d] || count < 2 || count > 1 << 30)
        return false;
    g->cells[d] = (int)count - 1;
    g->centres[d] = malloc((size_t)g->cells[d] * sizeof(double));
    if (!g->centres[d])
        return false;
    for (int i = 0; i < count; i++)
        g->edges[d][i] /= g->delta;
    for (int i = 0; i < g->cells[d]; i++)
        g->centres[d][i] = 0.5 * (g->edges[d][i] + g->edges[d][i + 1]);
    return true;
}

static double largest(hid_t file, const char *name)
{
    hssize_t count = 0;
    double *values = read_set(file, name, &count), most = 0;
    for (hssize_t i = 0; values && i < count; i++)
        most = fmax(most, fabs(values[i]));
    free(values);
    return most;
}

/* Does the gas swing to and fro, so that its average shows next to nothing? */
static bool is_swing(hid_t file)
{
    return largest(file, "mean/u") < 0.3 * largest(file, "u") &&
           largest(file, "mean/theta") < fmax(largest(file, "u"), largest(file, "theta"));
}

static bool read_gas(hid_t file, struct kn_gas *g, bool mean)
{
    hssize_t nu = 0, ntheta = 0, nrho = 0;
    if (!read_number(file, "time", &g->time) || !read_number(file, "delta", &g->delta) || !(g->delta > 0))
        return false;
    for (int d = 0; d < 3; d++)
        if (!read_axis(file, g, d))
            return false;
    g->mean = mean && H5Lexists(file, "mean", H5P_DEFAULT) > 0 && !is_swing(file);
    g->u = read_set(file, g->mean ? "mean/u" : "u", &nu);
    g->theta = read_set(file, g->mean ? "mean/theta" : "theta", &ntheta);
    g->rho = read_set(file, g->mean ? "mean/rho" : "rho", &nrho);
    hssize_t ncells = (hssize_t)g->cells[0] * g->cells[1] * g->cells[2];
    if (!g->u || !g->theta || !g->rho || nu != 3 * ncells || ntheta != ncells || nrho != ncells)
        return false;
    for (hssize_t i = 0; i < ncells; i++) {
        const double *u = g->u + 3 * i;
        g->speed = fmax(g->speed, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
        g->heat = fmax(g->heat, fabs(g->theta[i]));
        g->dense = fmax(g->dense, fabs(g->rho[i]));
    }
    return true;
}

static void free_gas(struct kn_gas *g)
{
    for (int d = 0; d < 3; d++) {
        free(g->edges[d]);
        free(g->centres[d]);
    }
    free(g->u);
    free(g->theta);
    free(g->rho);
}

/* Up to TIMES of the field files that fields.h5 lists, the first and the last among them; returns how many.
 */
static int read_series(hid_t file, struct kn_gas g[TIMES])
{
    H5G_info_t info;
    if (H5Lexists(file, "series", H5P_DEFAULT) <= 0 ||
        H5Gget_info_by_name(file, "series", &info, H5P_DEFAULT) < 0)
        return 0;
    int all = info.nlinks < 1 << 30 ? (int)info.nlinks : 0, n = all < TIMES ? all : TIMES, good = 0;
    double apart = all > TIMES ? (all - 1) / (TIMES - 1.0) : 1;
    for (int i = 0; i < n; i++) {
        char name[64];
        hsize_t at = (hsize_t)(i * apart + 0.5);
        if (H5Lget_name_by_idx(file, "series", H5_INDEX_NAME, H5_ITER_INC, at, name, sizeof name,
                               H5P_DEFAULT) < 0)
            break;
        char path[96];
        snprintf(path, sizeof path, "series/%s", name);
        hid_t group = H5Gopen2(file, path, H5P_DEFAULT); /* a file that is gone is left out */
        if (group < 0)
            continue;
        if (read_gas(group, &g[good], false)) {
            good++;
        } else {
            free_gas(&g[good]);
            g[good] = (struct kn_gas){.speed = 0};
        }
        H5Gclose(group);
    }
    return good;
}

/* ------------------------------------------------------------------ drawing */

#define VIRIDIS                                                                                              \
    "set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', 5 '#27ad81', "    \
    "6 '#5cc863', 7 '#aadc32', 8 '#fde725')\n"
#define BLUE_TO_RED                                                                                          \
    "set palette defined (0 '#2166ac', 1 '#67a9cf', 2 '#d1e5f0', 3 '#f7f7f7', 4 '#fddbc7', 5 '#ef8a62', "    \
    "6 '#b2182b')\n"

/* Text between gnuplot's single quotes, where a quote is written twice. */
static void print_quoted(FILE *to, const char *words)
{
    for (; *words; words++)
        fputs((char[]){*words, *words == '\'' ? '\'' : '\0', '\0'}, to);
}

/* Canvas, fonts and frame; `height` per width. */
static void begin_picture(FILE *to, const char *output, bool svg, double height)
{
    int width = svg ? 700 : 1400;
    if (svg)
        fprintf(to,
                "set terminal svg enhanced size %d,%d font 'DejaVu Sans,Helvetica,sans-serif,15' "
                "background rgb 'white' linewidth 1.2\n",
                width, (int)(width * height));
    else
        fprintf(to, "set terminal pngcairo enhanced size %d,%d font 'DejaVu Sans,24' linewidth 2.2\n", width,
                (int)(width * height));
    fputs("set encoding utf8\nset output '", to);
    print_quoted(to, output);
    fputs("'\nset border lw 0.8\nset tics nomirror out scale 0.6\n", to);
}

static void print_title(FILE *to, const struct kn_gas *g, const struct kn_plane *p)
{
    int across = p ? 3 - p->axis[0] - p->axis[1] : 0;
    fprintf(to, "set title \"{/:Italic δ} = %.4g,   {/:Italic t} = %.4g {/:Italic λ}_0 / {/:Italic V}_0%s",
            g->delta, g->time, g->mean ? ",   time average" : "");
    if (p && g->cells[across] > 1)
        fprintf(to, ",   {/:Italic %c} = %.3g {/:Italic L}", axis_names[across], g->centres[across][p->cut]);
    fputs("\"\n", to);
}

/* The plane resampled to pixels: gnuplot's images know no stretched grids. */
static void print_map(FILE *to, const struct kn_plane *p, bool moving)
{
    const int longest = 320;
    double width[2] = {p->high[0] - p->low[0], p->high[1] - p->low[1]};
    double pixel = fmax(width[0], width[1]) / longest;
    int n[2];
    for (int k = 0; k < 2; k++)
        n[k] = (int)fmax(2, round(width[k] / pixel));
    fputs("$map << END\n", to);
    for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++) {
            double at[2] = {p->low[0] + (i + 0.5) * width[0] / n[0], p->low[1] + (j + 0.5) * width[1] / n[1]};
            struct kn_plane_point s = kn_plane_sample(p, at);
            fprintf(to, "%.6g %.6g %.5g\n", at[0], at[1], moving ? s.speed : s.theta);
        }
    fputs("END\n", to);
}

static bool draw_plane(FILE *to, const struct kn_gas *g, const char *output, bool svg)
{
    struct kn_plane p = kn_plane_cut(g);
    double aspect = (p.high[1] - p.low[1]) / (p.high[0] - p.low[0]);
    bool moving = g->speed > 0.2 * g->heat; /* else the temperature says more */
    begin_picture(to, output, svg, fmin(fmax(0.70 * aspect + 0.19, 0.4), 1.6));
    print_title(to, g, &p);
    fprintf(to,
            "set size ratio -1\nset xlabel '{/:Italic %c} / {/:Italic L}'\nset ylabel '{/:Italic %c} / "
            "{/:Italic L}'\n",
            axis_names[p.axis[0]], axis_names[p.axis[1]]);
    fprintf(to, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", p.low[0], p.high[0], p.low[1], p.high[1]);
    fputs("unset key\nset rmargin at screen 0.82\nset lmargin at screen 0.12\nset colorbox user origin graph "
          "1.03, graph 0 size graph 0.04, graph 1\n",
          to);
    print_map(to, &p, moving);
    if (!moving) {
        double most = g->heat > 0 ? g->heat : 1;
        fprintf(to, BLUE_TO_RED "set cbrange [%.6g:%.6g]\n", -most, most);
        fputs("set cblabel 'temperature  {/:Italic θ} = ({/:Italic T} – {/:Italic T}_0) / {/:Italic εT}_0'\n"
              "plot $map using 1:2:3 with image\n",
              to);
        return true;
    }
    fputs(VIRIDIS "set cbrange [0:*]\nset cblabel 'speed  |{/:Bold u}| / {/:Italic εV}_0'\n", to);
    if (!kn_plane_print_lines(to, &p))
        return false;
    fputs("set style arrow 1 head filled size graph 0.014,20,60 fixed lw 0.7 lc rgb 'white'\n"
          "plot $map using 1:2:3 with image, $lines using 1:2 with lines lw 0.7 lc rgb 'white', "
          "$heads using 1:2:3:4 with vectors arrowstyle 1\n",
          to);
    return true;
}

/* ------------------------------------------------------------------ a line */

/* What a profile can show: a column of the data behind x, and its words. */
static const struct {
    const char *name, *unit, *colour;
} lines[] = {
    {"{/:Italic u_x}", "velocity  {/:Italic u_x} / {/:Italic εV}_0", "#0060a8"},
    {"{/:Italic u_y}", "velocity  {/:Italic u_y} / {/:Italic εV}_0", "#d1495b"},
    {"{/:Italic u_z}", "velocity  {/:Italic u_z} / {/:Italic εV}_0", "#2e8b57"},
    {"density", "density  ({/:Italic n} – {/:Italic n}_0) / {/:Italic εn}_0", "#5b4b8a"},
    {"temperature", "temperature  ({/:Italic T} – {/:Italic T}_0) / {/:Italic εT}_0", "#c8553d"},
};
enum { VELOCITIES = 3, LINES = sizeof lines / sizeof lines[0] };

static double largest_of(const struct kn_gas *g)
{
    return fmax(g->speed, fmax(g->heat, g->dense));
}

/* The profile as a data block; marks the columns that are more than rounding beside `most`. */
static void print_line(FILE *to, const struct kn_gas *g, int axis, int block, double most, bool shown[LINES])
{
    fprintf(to, "$data%d << END\n", block);
    for (int i = 0; i < g->cells[axis]; i++) {
        const double *u = g->u + 3 * (size_t)i;
        double column[LINES] = {u[0], u[1], u[2], g->rho[i], g->theta[i]};
        fprintf(to, "%.9g", g->centres[axis][i]);
        for (int k = 0; k < LINES; k++) {
            fprintf(to, " %.9g", column[k]);
            shown[k] = shown[k] || fabs(column[k]) > 1e-3 * most;
        }
        fputc('\n', to);
    }
    fputs("END\n", to);
}

/* One panel above the other, all as wide. */
static void begin_panels(FILE *to, const struct kn_gas *g, int axis, int panels, const char *output, bool svg)
{
    begin_picture(to, output, svg, panels > 2 ? 1.3 : panels > 1 ? 0.95 : 0.62);
    fprintf(to,
            "set xrange [%.9g:%.9g]\nset grid lc rgb '#dddddd' lw 0.6\nset lmargin 11\n"
            "set offsets 0, 0, graph 0.06, graph 0.06\nset multiplot layout %d,1\n",
            g->edges[axis][0], g->edges[axis][g->cells[axis]], panels > 0 ? panels : 1);
    fprintf(to, "set xlabel '{/:Italic %c} / {/:Italic L}'\n", axis_names[axis]);
}

/* Lines [from, below) of the one time there is, in one panel. */
static void draw_panel(FILE *to, const bool shown[LINES], int from, int below, const char *style)
{
    int some = 0, only = from, drawn = 0;
    for (int k = from; k < below; k++)
        if (shown[k]) {
            some++;
            only = k;
        }
    if (some == 0)
        return;
    fprintf(to, "set ylabel '%s'\nplot ",
            some == 1            ? lines[only].unit
            : from == VELOCITIES ? "deviation over {/:Italic εn}_0, {/:Italic εT}_0"
                                 : "velocity  {/:Italic u} / {/:Italic εV}_0");
    for (int k = from; k < below; k++)
        if (shown[k])
            fprintf(to, "%s$data0 using 1:%d with %s lw 1.5 lc rgb '%s' title '%s'", drawn++ ? ", " : "",
                    k + 2, style, lines[k].colour, some > 1 ? lines[k].name : "");
    fputs("\nunset title\n", to);
}

/* Profiles along the one axis that has cells: velocity above, density and temperature below. */
static bool draw_line(FILE *to, const struct kn_gas *g, int axis, const char *output, bool svg)
{
    bool shown[LINES] = {false};
    print_line(to, g, axis, 0, largest_of(g), shown);
    bool moving = shown[0] || shown[1] || shown[2], other = shown[3] || shown[4];
    shown[1] = shown[1] || (!moving && !other);
    const char *style = g->cells[axis] <= 60 ? "linespoints pt 7 ps 0.6" : "lines";
    begin_panels(to, g, axis, moving + other, output, svg);
    if (shown[0] + shown[1] + shown[2] > 1 || (shown[3] && shown[4]))
        fputs("set rmargin 20\nset key at graph 1.02, graph 1 left top Left reverse samplen 1.5\n", to);
    print_title(to, g, NULL);
    draw_panel(to, shown, 0, VELOCITIES, style);
    draw_panel(to, shown, VELOCITIES, LINES, style);
    fputs("unset multiplot\n", to);
    return true;
}

/* The same at several times, early ones pale, with a panel for each quantity. */
static bool draw_times(FILE *to, const struct kn_gas *g, int n, int axis, const char *output, bool svg)
{
    static const char *const shades[TIMES] = {"#fbb61a", "#ed6925", "#bc3754",
                                              "#781c6d", "#420a68", "#000004"};
    bool shown[LINES] = {false}, first = true;
    int panels = 0;
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, largest_of(g + i));
    for (int i = 0; i < n; i++)
        print_line(to, g + i, axis, i, most, shown);
    for (int k = 0; k < LINES; k++)
        panels += shown[k];
    shown[1] = shown[1] || panels == 0;
    begin_panels(to, g, axis, panels, output, svg);
    fprintf(to, "set rmargin 20\nset title \"{/:Italic δ} = %.4g\"\n", g->delta);
    for (int k = 0; k < LINES; k++) {
        if (!shown[k])
            continue;
        fprintf(to, "%s\nset ylabel '%s'\nplot ",
                first ? "set key at graph 1.02, graph 1 left top Left reverse samplen 1.5 title '{/:Italic t "
                        "V}_0 / {/:Italic λ}_0' left"
                      : "unset title\nunset key",
                lines[k].unit);
        for (int i = 0; i < n; i++)
            fprintf(to, "%s$data%d using 1:%d with lines lw 1.5 lc rgb '%s' title '%.4g'", i ? ", " : "", i,
                    k + 2, shades[n > 1 ? i * (TIMES - 1) / (n - 1) : 0], g[i].time);
        fputc('\n', to);
        first = false;
    }
    fputs("unset multiplot\n", to);
    return true;
}

/* ------------------------------------------------------------ a single cell */

enum { COLUMNS = 128 };

/* The largest value of each column of history.csv; returns their number. */
static int read_history(FILE *from, char *names[COLUMNS], double largest[COLUMNS])
{
    char *line = NULL, *rest, *word;
    size_t size = 0;
    int n = 0;
    if (getline(&line, &size, from) > 0)
        for (rest = line; n < COLUMNS && (word = strsep(&rest, ",\n")) && *word; n++) {
            names[n] = strdup(word);
            largest[n] = 0;
        }
    while (getline(&line, &size, from) > 0) {
        rest = line;
        for (int i = 0; i < n && (word = strsep(&rest, ",\n")); i++)
            largest[i] = fmax(largest[i], fabs(strtod(word, NULL)));
    }
    free(line);
    return n;
}

/* "Pxy" as P_xy over its unit; density and temperature as they are. */
static void print_name(FILE *to, const char *name)
{
    const char *unit = *name == 'P'   ? "{/:Italic εp}_0"
                       : *name == 'q' ? "{/:Italic εp}_0{/:Italic V}_0"
                       : *name == 'u' ? "{/:Italic εV}_0"
                       : *name == 'r' ? "{/:Italic εn}_0"
                                      : "{/:Italic εT}_0";
    const char *letter = *name == 'P'   ? "Π"
                         : *name == 'r' ? "ρ"
                         : *name == 't' ? "θ"
                         : *name == 'q' ? "q"
                                        : "u";
    bool parts = strchr("Pqu", *name) != NULL;
    fprintf(to, "{/:Italic %s%s%s%s} / %s", letter, parts ? "_{" : "", parts ? name + 1 : "",
            parts ? "}" : "", unit);
}

/* With one cell there is nothing to see in space: draw its averages over time. */
static bool draw_history(FILE *to, const struct kn_gas *g, const char *folder, const char *output, bool svg)
{
    char path[KN_PATH], *names[COLUMNS];
    double largest[COLUMNS], most = 0;
    FILE *from = kn_files_join(path, folder, "history.csv") == KN_OK ? fopen(path, "re") : NULL;
    if (!from)
        return false;
    int n = read_history(from, names, largest), drawn = 0;
    fclose(from);
    for (int i = 0; i < n; i++)
        if (names[i] && strncmp(names[i], "average.", 8) == 0)
            most = fmax(most, largest[i]);
    begin_picture(to, output, svg, 0.62);
    print_title(to, g, NULL);
    fputs("set datafile separator ','\nset datafile missing 'nan'\nset xlabel '{/:Italic t V}_0 / {/:Italic "
          "λ}_0'\n"
          "set ylabel 'mean over the box'\nset grid lc rgb '#dddddd' lw 0.6\nset key outside right top Left "
          "reverse "
          "samplen 1.5\nplot ",
          to);
    for (int i = 0; i < n; i++) {
        if (names[i] && strncmp(names[i], "average.", 8) == 0 && largest[i] > 1e-3 * most) {
            fprintf(to, "%s'", drawn++ ? ", " : "");
            print_quoted(to, path);
            fprintf(to, "' every ::1 using 2:%d with lines lw 1.5 lt %d title '", i + 1, drawn);
            print_name(to, names[i] + 8);
            fputc('\'', to);
        }
        free(names[i]);
    }
    fputs(drawn ? "\n" : "0 notitle\n", to);
    return true;
}

/* ------------------------------------------------------------------- gnuplot */

/* g[0] is what fields.h5 holds, g[1] to g[times] its series. */
static bool draw(FILE *to, const struct kn_gas *g, int times, const char *folder, const char *output,
                 bool svg)
{
    int axes = 0, axis = 0;
    for (int d = 0; d < 3; d++)
        if (g->cells[d] > 1) {
            axes++;
            axis = d;
        }
    return axes == 0   ? draw_history(to, g, folder, output, svg)
           : axes > 1  ? draw_plane(to, g, output, svg)
           : times > 1 ? draw_times(to, g + 1, times, axis, output, svg)
                       : draw_line(to, g, axis, output, svg);
}

static int run_gnuplot(const struct kn_gas *g, int times, const char *folder, const char *output, bool svg)
{
    char temporary[KN_PATH];
    if (kn_files_temporary(temporary, output) != KN_OK)
        return complain(FAILED, "%s", kn_error_message());
    /* NOLINTNEXTLINE(cert-env33-c): the user's own PATH decides which gnuplot runs */
    if (system("command -v gnuplot >/dev/null 2>&1") != 0)
        return complain(FAILED,
                        "gnuplot draws the picture and is not installed; on Debian: apt install gnuplot-nox");
    FILE *probe = fopen(temporary, "we"); /* gnuplot would draw on the terminal instead */
    if (!probe)
        return complain(FAILED, "cannot write '%s': %s", output, strerror(errno));
    fclose(probe);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* its failure is told by its exit status */
    FILE *to = popen("gnuplot >/dev/null", "w");    /* NOLINT(cert-env33-c) */
    if (!to) {
        signal(SIGPIPE, before);
        return complain(FAILED, "cannot start gnuplot: %s", strerror(errno));
    }
    bool drawn = draw(to, g, times, folder, temporary, svg);
    int ended = pclose(to);
    signal(SIGPIPE, before);
    if (!drawn || ended != 0) {
        unlink(temporary);
        return complain(FAILED, "cannot draw '%s': %s", output,
                        drawn ? "gnuplot failed" : "the data could not be read");
    }
    if (kn_files_commit(temporary, output) != KN_OK)
        return complain(FAILED, "%s", kn_error_message());
    return 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

int kn_plot(const char *folder, const char *output)
{
    char path[KN_PATH], picture[KN_PATH], summary[KN_PATH], reason[KN_STORE_REASON];
    struct kn_gas g[1 + TIMES] = {{.speed = 0}};
    if (kn_files_join(path, folder, "fields.h5") != KN_OK ||
        kn_files_join(picture, folder, "picture.png") != KN_OK)
        return complain(FAILED, "%s", kn_error_message());
    if (!output)
        output = picture;
    bool svg = ends_with(output, ".svg");
    if (!svg && !ends_with(output, ".png"))
        return complain(BAD_INPUT, "'%s' must end in .png or .svg", output);
    hid_t file = kn_store_open(path, reason);
    if (file < 0 && access(path, F_OK) != 0 && kn_files_join(summary, folder, "summary.json") == KN_OK &&
        access(summary, F_OK) == 0)
        return complain(
            FAILED,
            "the run in '%s' stopped before its fields were written: finish it with knudsen run --resume",
            folder);
    if (file < 0)
        return complain(FAILED, "'%s' is no folder of results: cannot read '%s': %s", folder, path, reason);
    bool good = read_gas(file, g, true);
    int times = good ? read_series(file, g + 1) : 0;
    H5Fclose(file);
    int code = good ? run_gnuplot(g, times, folder, output, svg)
                    : complain(FAILED, "'%s' is damaged or no fields file of this program", path);
    for (int i = 0; i <= times; i++)
        free_gas(g + i);
    if (code == 0)
        printf("%s\n", output);
    return code;
}
