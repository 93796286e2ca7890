#include "plot/plot.h"

#include "error.h"
#include "files.h"
#include "io/folder.h"
#include "plot/plot_case.h"
#include "plot/plot_choose.h"
#include "plot/plot_gnuplot.h"
#include "plot/plot_map.h"
#include "plot/plot_terminal.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SMALL 0.02

static const char PICTURE[] = "picture.png", COMPARISON[] = "compare.png";

static const char axis_names[] = "xyz";

/* -------------------------------------------------------------- what suits */

static double largest(const struct kn_plot_scene *s, const struct kn_plot_quantity *q)
{
    double most = 0;
    for (int i = 0; i < s->nstates; i++) {
        const struct kn_plot_gas *g = &s->states[i].gas;
        for (size_t c = 0; c < (size_t)g->cells[0] * (size_t)g->cells[1]; c++)
            most = fmax(most, fabs(kn_plot_quantity_value(q, g->fields + c * KN_FIELDS)));
    }
    return most;
}

/* Does the gas move, or is it heat that shows? */
static bool is_moving(const struct kn_plot_scene *s)
{
    return largest(s, kn_plot_quantity_find("speed")) > 0.2 * largest(s, kn_plot_quantity_find("theta"));
}

/* What counts of velocity, density and temperature: less than SMALL of the largest is left out. */
static int choose_profiles(const struct kn_plot_scene *s, const struct kn_plot_quantity *chosen[5])
{
    static const char *const names[] = {"ux", "uy", "uz", "rho", "theta"};
    double most = 0;
    int n = 0;
    for (int i = 0; i < 5; i++)
        most = fmax(most, largest(s, kn_plot_quantity_find(names[i])));
    for (int i = 0; i < 5; i++)
        if (largest(s, kn_plot_quantity_find(names[i])) > SMALL * most)
            chosen[n++] = kn_plot_quantity_find(names[i]);
    if (n == 0)
        chosen[n++] = kn_plot_quantity_find("uy");
    return n;
}

/* The largest value of a column over time. */
static double column_size(const struct kn_plot_run *r, int column)
{
    double most = 0;
    for (int64_t row = 0; row < r->history.rows; row++) {
        const double value = kn_history_at(&r->history, row, column);
        most = isfinite(value) ? fmax(most, fabs(value)) : most;
    }
    return most;
}

/* The columns that stand for the flow: drag and flow rates, else the largest that passes through a wall. */
static int choose_columns(const struct kn_plot_run *r, const char *chosen[4])
{
    static const char *const headlines[] = {"D", "G", "G_P", "G_T"};
    double most = 0;
    int n = 0;
    for (int i = 0; i < 4; i++)
        if (kn_history_column(&r->history, headlines[i]) >= 0)
            chosen[n++] = headlines[i];
    for (int i = 0; n == 0 && i < r->history.columns; i++) {
        const char *name = r->history.names[i];
        if ((strstr(name, ".stress_") || strstr(name, ".heat_flux")) && column_size(r, i) > most) {
            most = column_size(r, i);
            chosen[0] = name;
        }
    }
    return n > 0 ? n : most > 0;
}

/* ------------------------------------------------------------------ panels */

/* Which may share a panel: those of a kind; density and temperature where both are bare numbers. */
static bool share_panel(const struct kn_plot_scene *s, const struct kn_plot_quantity *a,
                        const struct kn_plot_quantity *b)
{
    const bool si = kn_plot_panels_si(s, s->states[0].run) != NULL;
    return s->nstates == 1 && (a->dimension == b->dimension || (!si && a->dimension == KN_DIMENSION_DENSITY &&
                                                                b->dimension == KN_DIMENSION_TEMPERATURE));
}

static enum kn_status add_profiles(struct kn_plot_sheet *sheet, struct kn_plot_scene *s,
                                   const struct kn_plot_quantity *const *q, int n, int k)
{
    enum kn_status status = KN_OK;
    for (int i = 0, together; i < n && status == KN_OK; i += together) {
        for (together = 1; i + together < n && share_panel(s, q[i], q[i + together]); together++)
            ;
        status = kn_plot_panels_profile(sheet, s, q + i, together, k);
    }
    return status;
}

/* Along each axis that the cut leaves free; in a plane the velocity across a midline says most. */
static enum kn_status add_all_profiles(struct kn_plot_sheet *sheet, struct kn_plot_scene *s,
                                       const struct kn_plot_quantity *const *asked, int nasked)
{
    const struct kn_plot_gas *g = &s->states[0].gas;
    const struct kn_plot_quantity *q[5];
    enum kn_status status = KN_OK;
    if (g->axes == 1) {
        const int n = nasked ? nasked : choose_profiles(s, q);
        return add_profiles(sheet, s, nasked ? asked : q, n, 0);
    }
    const bool one = g->fixed[0] != g->fixed[1], moving = is_moving(s);
    for (int k = 1; k >= 0 && status == KN_OK; k--) {
        if (one && g->fixed[k])
            continue;
        q[0] = moving ? kn_plot_quantity_find((const char *[]){"ux", "uy", "uz"}[g->axis[1 - k]])
                      : kn_plot_quantity_find("theta");
        status = add_profiles(sheet, s, nasked ? asked : q, nasked ? nasked : 1, k);
    }
    return status;
}

/* A uniform gas: what is left of its fields, in one panel. */
static enum kn_status add_relaxation(struct kn_plot_sheet *sheet, struct kn_plot_scene *s)
{
    const struct kn_plot_run *r = &s->runs[0];
    const char *columns[KN_FIELDS];
    double most = 0;
    int n = 0;
    for (int i = 0; i < r->history.columns; i++)
        if (strncmp(r->history.names[i], "average.", 8) == 0)
            most = fmax(most, column_size(r, i));
    for (int i = 0; i < r->history.columns && n < KN_FIELDS; i++)
        if (strncmp(r->history.names[i], "average.", 8) == 0 && column_size(r, i) > 1e-3 * most)
            columns[n++] = r->history.names[i];
    if (n == 0)
        return kn_error_set(KN_EIO, "history.csv in '%s' has nothing to draw", r->folder);
    enum kn_status status = KN_OK;
    const bool apart = s->nruns > 1 || kn_plot_panels_si(s, r);
    for (int i = 0; apart && i < n && status == KN_OK; i++)
        status = kn_plot_panels_history(sheet, s, columns + i, 1);
    return apart ? status : kn_plot_panels_history(sheet, s, columns, n);
}

static enum kn_status add_histories(struct kn_plot_sheet *sheet, struct kn_plot_scene *s,
                                    const struct kn_plot_choice *c)
{
    static const char *const residual = "residual";
    const struct kn_plot_run *r = &s->runs[0];
    const bool uniform = r->has_fields && r->grid.cells[0] * r->grid.cells[1] * r->grid.cells[2] == 1;
    const char *columns[4];
    enum kn_status status = KN_OK;
    for (int i = 0; i < c->ncolumns && status == KN_OK; i++)
        status = kn_plot_panels_history(sheet, s, (const char *const[]){c->columns[i]}, 1);
    if (c->ncolumns + c->nfields > 0)
        return status;
    const int n = choose_columns(r, columns);
    if (uniform && n == 0)
        return add_relaxation(sheet, s);
    for (int i = 0; i < n && status == KN_OK; i++)
        status = kn_plot_panels_history(sheet, s, &columns[i], 1);
    const int at = kn_history_column(&r->history, residual);
    if (status == KN_OK && at >= 0 && column_size(r, at) > 0)
        status = kn_plot_panels_history(sheet, s, &residual, 1);
    if (status == KN_OK && sheet->npanels == 0)
        return kn_error_set(KN_EIO, "history.csv in '%s' has nothing to draw", r->folder);
    return status;
}

/* A plane: its map, the velocity on the midlines, and what the flow comes to. */
static enum kn_status add_sheet(struct kn_plot_sheet *sheet, struct kn_plot_scene *s)
{
    const char *columns[4];
    enum kn_status status =
        kn_plot_map_add(sheet, s, kn_plot_quantity_find(is_moving(s) ? "speed" : "theta"));
    if (status == KN_OK)
        status = add_all_profiles(sheet, s, NULL, 0);
    if (status == KN_OK && choose_columns(&s->runs[0], columns) > 0)
        status = kn_plot_panels_history(sheet, s, columns, 1);
    return status;
}

static enum kn_status add_panels(struct kn_plot_sheet *sheet, struct kn_plot_scene *s,
                                 const struct kn_plot_choice *c)
{
    const bool plane = s->nstates == 1 && s->nruns == 1 && s->states[0].gas.axes == 2;
    enum kn_status status = KN_OK;
    if (c->kind == KN_PLOT_HISTORY)
        return add_histories(sheet, s, c);
    const bool asked = c->nfields + c->ncolumns > 0;
    if (c->kind == KN_PLOT_SHEET && plane && !asked)
        return add_sheet(sheet, s);
    if (c->kind == KN_PLOT_MAP || (c->kind == KN_PLOT_SHEET && plane)) {
        for (int i = 0; i < c->nfields && status == KN_OK; i++)
            status = kn_plot_map_add(sheet, s, c->fields[i]);
        if (!asked)
            status = kn_plot_map_add(sheet, s, kn_plot_quantity_find(is_moving(s) ? "speed" : "theta"));
    } else if (c->nfields > 0 || !asked) {
        status = add_all_profiles(sheet, s, c->fields, c->nfields);
    }
    return status == KN_OK && c->ncolumns > 0 ? add_histories(sheet, s, c) : status;
}

/* ----------------------------------------------------------------- caption */

static void add_to_title(struct kn_plot_sheet *sheet, const char *symbol, enum kn_dimension dimension,
                         const struct kn_scales *si, double value)
{
    const double of_scale =
        dimension == KN_DIMENSION_TEMPERATURE || dimension == KN_DIMENSION_PRESSURE ? 0 : value;
    const struct kn_plot_scale scale = kn_plot_quantity_scale(dimension, si, of_scale);
    kn_plot_sheet_append(sheet->title, sizeof sheet->title, "%s{/:Italic %s} = %.4g%s%s",
                         *sheet->title ? ",   " : "", symbol, scale.offset + scale.factor * of_scale,
                         *scale.unit ? " " : "", scale.unit);
}

/* Gas and rarefaction, the time where all panels are at one, and the numbers of the flow. */
static void write_title(struct kn_plot_sheet *sheet, const struct kn_plot_scene *s)
{
    static const char *const headlines[] = {"D", "G", "G_P", "G_T"};
    const struct kn_plot_run *r = &s->runs[0];
    const struct kn_scales *si = kn_plot_panels_si(s, r);
    const struct kn_plot_gas *g = s->nstates == 1 ? &s->states[0].gas : NULL;
    const double delta = r->has_fields ? r->delta : r->has_case ? r->c.gas.delta : NAN;
    bool same = isfinite(delta);
    for (int i = 1; i < s->nruns; i++)
        same = same && fabs(s->runs[i].delta - delta) < 1e-9 * delta;
    if (si && s->nruns == 1) {
        kn_plot_sheet_escape(sheet->title, sizeof sheet->title, r->species);
        add_to_title(sheet, "T_0", KN_DIMENSION_TEMPERATURE, si, 0);
        add_to_title(sheet, "p_0", KN_DIMENSION_PRESSURE, si, 0);
        add_to_title(sheet, "L", KN_DIMENSION_LENGTH, si, 1);
    }
    if (same)
        add_to_title(sheet, "δ", KN_DIMENSION_NONE, NULL, delta);
    if (g && g->mean)
        kn_plot_sheet_append(sheet->title, sizeof sheet->title, ",   time average");
    else if (g && s->nruns == 1)
        add_to_title(sheet, "t", KN_DIMENSION_TIME, si, g->time);
    if (g && g->cut)
        add_to_title(sheet, (const char[]){axis_names[g->across], '\0'}, KN_DIMENSION_LENGTH, si, g->at);
    for (int i = 0; i < 4 && s->nruns == 1; i++)
        if (isfinite(kn_plot_case_number(r, headlines[i])))
            add_to_title(sheet, headlines[i], KN_DIMENSION_NONE, NULL, kn_plot_case_number(r, headlines[i]));
}

/* ---------------------------------------------------------------- all of it */

static void report_time(const struct kn_plot_gas *g, const struct kn_scales *si)
{
    char text[KN_UNITS_TEXT];
    if (g->mean)
        printf("; time average");
    else if (si)
        printf("; t = %s", kn_units_text(KN_DIMENSION_TIME, si->time * g->time, text));
    else
        printf("; t = %.6g", g->time);
}

/* What was drawn, once it is: the file, and what is in it. */
static void report(const struct kn_plot_sheet *sheet, const struct kn_plot_scene *s,
                   const struct kn_plot_options *o, const char *output)
{
    kn_text_print(stdout, output);
    fputs(": ", stdout);
    for (int i = 0; i < sheet->npanels; i++)
        printf("%s%s", i ? "; " : "", sheet->panels[i].what);
    if (s->nstates == 1 && s->nruns == 1)
        report_time(&s->states[0].gas, kn_plot_panels_si(s, s->states[0].run));
    if (s->nruns > 1)
        printf("; %d runs", s->nruns);
    if (o->nreferences > 0)
        printf("; %d reference values", s->shown);
    putchar('\n');
}

/* The file of the picture.  One that the user has not named replaces no file but an earlier picture in the
 * folder of results, whose marker tells that it is the program's; the current folder has no marker. */
static enum kn_status choose_picture(char path[KN_PATH], const struct kn_plot_scene *s,
                                     const struct kn_plot_options *o)
{
    struct stat info;
    *path = '\0';
    if (o->terminal)
        return KN_OK;
    if (o->output || s->nruns > 1) {
        const char *name = o->output ? o->output : COMPARISON;
        if (!o->output && lstat(name, &info) == 0)
            return kn_error_set(KN_EINPUT, "'%s' exists and is not replaced: name the picture with -o", name);
        if (snprintf(path, KN_PATH, "%s", name) >= KN_PATH)
            return kn_error_set(KN_EIO, "the path '%.60s...' is too long", name);
        return KN_OK;
    }
    const enum kn_status status = kn_folder_check(o->folders[0], PICTURE);
    return status == KN_OK ? kn_files_join(path, o->folders[0], PICTURE) : status;
}

static enum kn_status render(const struct kn_plot_sheet *sheet, const struct kn_plot_scene *s,
                             const struct kn_plot_options *o)
{
    static const char *const kept[] = {"plot.dat", "plot.gp"};
    char picture[KN_PATH];
    const bool own = s->nruns == 1 && !o->output; /* a picture of several runs belongs to none of them */
    enum kn_status status = choose_picture(picture, s, o);
    for (int i = 0; i < 2 && o->keep && status == KN_OK; i++)
        status = kn_folder_check(o->folders[0], kept[i]);
    if (o->terminal)
        return kn_plot_terminal_draw(sheet);
    if (status == KN_OK)
        status = kn_plot_gnuplot_draw(sheet, picture, o->width, o->keep ? o->folders[0] : NULL);
    if (status == KN_OK && own)
        status = kn_folder_record(o->folders[0], PICTURE);
    for (int i = 0; i < 2 && o->keep && status == KN_OK; i++)
        status = kn_folder_record(o->folders[0], kept[i]);
    if (status == KN_OK)
        report(sheet, s, o, picture);
    if (status == KN_OK && o->keep && kn_text_is_clean(o->folders[0])) {
        printf("%s/plot.gp, %s/plot.dat: script and data; gnuplot ", o->folders[0], o->folders[0]);
        kn_files_shell_word(stdout, o->folders[0]);
        puts("/plot.gp draws it again");
    }
    return status;
}

static enum kn_status check_options(const struct kn_plot_options *o)
{
    const char *dot = o->output ? strrchr(o->output, '.') : ".png";
    if (o->terminal && (o->output || o->keep))
        return kn_error_set(KN_EINPUT, "--terminal writes no file: leave out %s",
                            o->output ? "--output" : "--keep");
    if (o->terminal && o->width > 0)
        return kn_error_set(KN_EINPUT, "--terminal has the width of the terminal: leave out --width");
    static const char *const kinds[] = {".png", ".svg", ".pdf", ".eps"};
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(dot, kinds[i]) == 0)
            return KN_OK;
    return kn_error_set(KN_EINPUT, "'%s' must end in .png, .svg, .pdf or .eps", o->output);
}

static enum kn_status fill_scene(struct kn_plot_scene *s, const struct kn_plot_options *o,
                                 struct kn_plot_sheet *sheet)
{
    struct kn_plot_choice choice;
    enum kn_status status = KN_OK;
    for (; s->nruns < o->nfolders && status == KN_OK; s->nruns++)
        status = kn_plot_data_open(&s->runs[s->nruns], o->folders[s->nruns]);
    if (status != KN_OK)
        return status;
    s->in_si = !o->dimensionless;
    for (int i = 0; i < s->nruns; i++) /* runs are compared in units that all have */
        s->in_si = s->in_si && s->runs[i].scales.known;
    kn_plot_case_label(s->runs, s->nruns);
    status = kn_plot_choose(&choice, o, s->runs);
    if (status == KN_OK)
        status = kn_plot_choose_states(s, &choice, o);
    for (int i = 0; i < o->nreferences && status == KN_OK; i++)
        status = kn_plot_reference_read(&s->references, o->references[i], s->runs, s->nruns);
    if (status == KN_OK)
        status = add_panels(sheet, s, &choice);
    if (status == KN_OK)
        write_title(sheet, s);
    return status;
}

enum kn_status kn_plot(const struct kn_plot_options *o)
{
    struct kn_plot_sheet *sheet = calloc(1, sizeof *sheet);
    struct kn_plot_scene s = {.flow = o->flow};
    s.runs = calloc((size_t)o->nfolders, sizeof *s.runs);
    if (!sheet || !s.runs) {
        free(sheet);
        free(s.runs);
        return kn_error_set(KN_EMEMORY, "not enough memory for a picture");
    }
    enum kn_status status = check_options(o);
    if (status == KN_OK)
        status = fill_scene(&s, o, sheet);
    if (status == KN_OK)
        status = render(sheet, &s, o);
    for (int i = 0; i < s.nstates; i++)
        kn_plot_data_free(&s.states[i].gas);
    for (int i = 0; i < s.nruns; i++)
        kn_plot_data_close(&s.runs[i]);
    kn_plot_reference_destroy(&s.references);
    kn_plot_sheet_destroy(sheet);
    free(s.states);
    free(s.runs);
    free(sheet);
    return status;
}
