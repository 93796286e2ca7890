/* The table at the end of a run: what came out, where the time went, what to type next. */
#include "run/progress_parts.h"

#include "config/config.h"
#include "files.h"
#include "io/folder.h"
#include "config/scales.h"
#include "monitor/swing.h"
#include "monitor/verdict.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PART = KN_PROGRESS_PART };

const char *const kn_progress_files[] = {
    KN_FOLDER_CASE, "summary.json",    "history.csv",     "fields.h5", "fields.pvd",
    "fields",       "checkpoint-a.h5", "checkpoint-b.h5", "run.log",   NULL};

/* Nothing passes a wall; what passes an inflow is a result. */
static bool is_mass_of_inflow(const struct kn_monitor *m, const struct kn_column *column)
{
    const size_t first = offsetof(struct kn_row, mass_flux), end = first + KN_SIDES * sizeof(double);
    return column->offset >= first && column->offset < end &&
           m->c->walls[(column->offset - first) / sizeof(double)].kind == KN_WALL_INFLOW;
}

bool kn_progress_is_headline(const struct kn_monitor *m, const struct kn_column *column)
{
    const bool named = isfinite(m->row.drag) || isfinite(m->row.flow_force) || isfinite(m->row.flow_thermal);
    const size_t last =
        named ? offsetof(struct kn_row, flow_thermal) : offsetof(struct kn_row, mass_flux) - sizeof(double);
    return (column->offset >= offsetof(struct kn_row, drag) && column->offset <= last) ||
           is_mass_of_inflow(m, column);
}

/* ------------------------------------------------------------------ values */

/* A value with as many digits as its error leaves, two of them uncertain. */
static const char *value_text(char text[PART], double value, double error)
{
    const int most = 12;
    const double digits = error > 0 ? fmax(0, 1 - floor(log10(error))) : most; /* what is zero has no error */
    if (error > 0 && digits < most)
        snprintf(text, PART, "%.*f +- %.*f", (int)digits, value, (int)digits, error);
    else if (error > 0)
        snprintf(text, PART, "%.6g +- %.2g", value, error);
    else
        snprintf(text, PART, "%.6g", value);
    return text;
}

/* The same with a unit, which is chosen by the size of the value. */
static const char *unit_text(char text[PART], double value, double error, enum kn_dimension dimension)
{
    char unit[KN_UNITS_TEXT];
    const double factor = kn_units_scale(dimension, value, unit);
    if (error > 0)
        snprintf(text, PART, "%.6g +- %.2g %.30s", factor * value, factor * error, unit);
    else
        snprintf(text, PART, "%.6g %.30s", factor * value, unit);
    return text;
}

/* One column; `factor` makes it SI, and is 1 for a pure number. */
static void show_value(struct kn_progress *p, const struct kn_monitor *m, int i, double factor,
                       enum kn_dimension dimension)
{
    const double value = factor * kn_monitor_value(m, i), error = factor * kn_monitor_error(m, i);
    const char *name = m->columns[i].name;
    const char *lack =
        m->batches && isnan(error) ? ", too short for an error: a later time.end gives one" : "";
    char text[PART];
    if (dimension == KN_DIMENSION_NONE)
        value_text(text, value, error);
    else
        unit_text(text, value, error, dimension);
    if (m->averaged > 1)
        kn_progress_line(p, KN_STYLE_PLAIN, "  %-18s%s   (mean of %lld rows%s, standard deviation %.1e)",
                         name, text, (long long)m->averaged, lack,
                         factor * sqrt(m->square[i] / (double)(m->averaged - 1)));
    else
        kn_progress_line(p, KN_STYLE_PLAIN, "  %-18s%s%s", name, text,
                         *lack ? "   (a single row, no error)" : "");
}

/* What became of collision.samples: auto. */
static void show_samples(struct kn_progress *p, const struct kn_summary *s)
{
    const double error = kn_summary_error(s);
    char reached[PART] = "not known, the window is too short";
    if (s->target == 0)
        return;
    if (isfinite(error))
        snprintf(reached, sizeof reached, "%.2g, %s", error, error <= s->target ? "held" : "not held");
    kn_progress_line(p, KN_STYLE_PLAIN,
                     "  samples   %d a step for a relative statistical error of %g: it is %s",
                     s->m->c->collision.samples, s->target, reached);
}

static bool is_between(const struct kn_column *column, size_t first, size_t last)
{
    return column->offset >= first && column->offset < last;
}

static bool is_stress(const struct kn_column *column)
{
    return is_between(column, offsetof(struct kn_row, stress), offsetof(struct kn_row, heat_flux));
}

static bool is_heat(const struct kn_column *column)
{
    return is_between(column, offsetof(struct kn_row, heat_flux), offsetof(struct kn_row, mass_flux));
}

static bool is_mass(const struct kn_column *column)
{
    return is_between(column, offsetof(struct kn_row, mass_flux),
                      offsetof(struct kn_row, mass_flux) + KN_SIDES * sizeof(double));
}

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Of a channel in SI: the mass that flows, from the flow rates, whose definitions are in theory.md,
 * section 10. Also through the whole cross-section, where the flow is along an axis that is uniform. */
static void show_mass_flow(struct kn_progress *p, const struct kn_monitor *m, const struct kn_scales *scales)
{
    const struct kn_case *c = m->c;
    const double delta = c->gas.delta, force = norm(c->source.force),
                 gradient = norm(c->source.temperature_gradient),
                 factor = kn_scales_conversion(scales, KN_DIMENSION_MASS_FLUX).factor;
    for (int i = 0; i < m->ncolumns; i++) {
        const bool by_force = m->columns[i].offset == offsetof(struct kn_row, flow_force),
                   by_heat = m->columns[i].offset == offsetof(struct kn_row, flow_thermal);
        const double *drive = by_force ? c->source.force : c->source.temperature_gradient;
        double velocity = kn_monitor_value(m, i) * (by_force ? force : gradient / 2) * delta, area = 1;
        int axes = 0;
        if (!by_force && !by_heat)
            continue;
        for (int d = 0; d < 3; d++)
            if (c->space.cells[d] > 1) {
                axes +=
                    drive[d] == 0 ? 1 : 3; /* no cross-section where the flow is along an axis with cells */
                area *= c->space.size[d] * scales->box;
            }
        char text[PART], total[PART] = "";
        if (axes == 1 || axes == 2)
            snprintf(total, sizeof total, ", %.6g %s", factor * velocity * area,
                     axes == 1 ? "kg s-1 per metre of width" : "kg s-1 in all");
        kn_progress_line(p, KN_STYLE_PLAIN, "  %-18s%s%s   (mean, of %s)", "mass flux",
                         unit_text(text, factor * velocity, 0, KN_DIMENSION_MASS_FLUX), total,
                         m->columns[i].name);
    }
}

/* What passes the walls, in SI, without what is nothing beside the rest. */
static void show_walls(struct kn_progress *p, const struct kn_monitor *m, const struct kn_scales *scales,
                       enum kn_dimension dimension, bool (*is_kind)(const struct kn_column *))
{
    const double factor = kn_scales_conversion(scales, dimension).factor, noticeable = 1e-4;
    double largest = 0;
    for (int i = 0; i < m->ncolumns; i++)
        if (is_stress(&m->columns[i]) || is_heat(&m->columns[i]))
            largest = fmax(largest, fabs(kn_monitor_value(m, i)));
    for (int i = 0; i < m->ncolumns; i++)
        if (is_kind(&m->columns[i]) && fabs(kn_monitor_value(m, i)) > noticeable * largest)
            show_value(p, m, i, factor, dimension);
}

/* What passes the walls of a case that swings: amplitudes, without what is nothing beside the rest. */
static void show_swing(struct kn_progress *p, const struct kn_summary *s, const struct kn_scales *scales)
{
    const struct kn_swing *swing = s->swing;
    const double noticeable = 1e-4;
    double largest = 0;
    for (int i = 0; i < swing->count; i++)
        largest = fmax(largest, swing->columns[i].amplitude);
    for (int i = 0; i < swing->count; i++) {
        const struct kn_swing_column *column = &swing->columns[i];
        const struct kn_column *of = &s->m->columns[column->column];
        const enum kn_dimension dimension = kn_swing_dimension(of);
        char text[PART];
        if (!(column->amplitude > noticeable * largest))
            continue;
        if (scales->known)
            unit_text(text, kn_scales_conversion(scales, dimension).factor * column->amplitude, 0, dimension);
        else
            value_text(text, column->amplitude, 0);
        kn_progress_line(p, KN_STYLE_PLAIN, "  %-18s%s amplitude, phase %.6g   (last %d period%s)", of->name,
                         text, column->phase, swing->periods, swing->periods == 1 ? "" : "s");
    }
}

/* The numbers of the case file's units; what passes walls in SI where the case is. */
static void show_values(struct kn_progress *p, const struct kn_summary *s)
{
    const struct kn_monitor *m = s->m;
    struct kn_scales scales;
    const bool si = kn_scales_create(&scales, m->c) == KN_OK && scales.known,
               swings = s->swing && s->swing->count > 0;
    for (int i = 0; i < m->ncolumns; i++)
        if (kn_progress_is_headline(m, &m->columns[i]) &&
            !((si || swings) &&
              (is_stress(&m->columns[i]) || is_heat(&m->columns[i]) || is_mass(&m->columns[i]))))
            show_value(p, m, i, 1, KN_DIMENSION_NONE);
    if (swings) {
        show_swing(p, s, &scales);
    } else if (si) {
        show_walls(p, m, &scales, KN_DIMENSION_STRESS, is_stress);
        show_walls(p, m, &scales, KN_DIMENSION_HEAT_FLUX, is_heat);
        show_mass_flow(p, m, &scales);
        for (int i = 0; i < m->ncolumns; i++)
            if (is_mass_of_inflow(m, &m->columns[i]))
                show_value(p, m, i, kn_scales_conversion(&scales, KN_DIMENSION_MASS_FLUX).factor,
                           KN_DIMENSION_MASS_FLUX);
    }
    show_samples(p, s);
    if (isfinite(m->row.residual))
        kn_progress_line(p, KN_STYLE_PLAIN, "  residual  %.2e%s", p->hertz * m->row.residual,
                         si ? " s-1" : "");
    if (isfinite(m->row.mass_drift))
        kn_progress_line(p, KN_STYLE_PLAIN, "  drift     %.1e of the moved mass", m->row.mass_drift);
}

/* ----------------------------------------------------------- time and files */

static void show_phase(struct kn_progress *p, const char *name, double seconds, double all)
{
    kn_progress_line(p, KN_STYLE_PLAIN, "  %-10s%8.2f s %5.1f %%", name, seconds, 100 * seconds / all);
}

/* A phase that the run did not have is left out. */
static void show_phases(struct kn_progress *p, const struct kn_summary *s)
{
    const double all = fmax(s->wall_s, 1e-9);
    double known = 0;
    kn_progress_line(p, KN_STYLE_FAINT, "time by phase");
    for (int i = 0; i < KN_PHASES; i++) {
        known += s->phase_s[i];
        if (s->phase_s[i] > 0)
            show_phase(p, kn_summary_phase_name((enum kn_phase)i), s->phase_s[i], all);
    }
    show_phase(p, "other", fmax(0, s->wall_s - known), all);
}

static int files_below(const char *path)
{
    int n = 0;
    DIR *list = opendir(path);
    for (struct dirent *entry; list && (entry = readdir(list));)
        n += entry->d_name[0] != '.';
    if (list)
        closedir(list);
    return n;
}

static void show_files(struct kn_progress *p)
{
    char path[KN_PATH], size[KN_NAME];
    kn_progress_line(p, KN_STYLE_FAINT, "files in %s", p->options->folder);
    for (int i = 0; kn_progress_files[i]; i++) {
        struct stat what;
        if (kn_files_join(path, p->options->folder, kn_progress_files[i]) != KN_OK || stat(path, &what) != 0)
            continue;
        kn_config_bytes_text((double)what.st_size, size);
        if (S_ISDIR(what.st_mode))
            kn_progress_line(p, KN_STYLE_PLAIN, "  %-16s%d in it", "fields/", files_below(path));
        else
            kn_progress_line(p, KN_STYLE_PLAIN, "  %-16s%s", kn_progress_files[i], size);
    }
}

/* -------------------------------------------------------------------- whole */

static void show_next(struct kn_progress *p)
{
    char *folder = NULL;
    size_t size;
    FILE *to = open_memstream(&folder, &size);
    if (!to)
        return;
    kn_files_shell_word(to, p->options->folder);
    if (fclose(to) == 0)
        kn_progress_line(p, KN_STYLE_STRONG, "next: knudsen plot %s", folder);
    free(folder);
}

static void show_verdict(struct kn_progress *p, const struct kn_summary *s)
{
    const struct kn_verdict *v = s->verdict;
    if (v)
        kn_progress_line(p, v->word == KN_VERDICT_NOT_STEADY ? KN_STYLE_WARNING : KN_STYLE_PLAIN, "%s: %s",
                         kn_verdict_name(v->word), v->text);
}

void kn_progress_table(struct kn_progress *p, const struct kn_summary *s)
{
    const bool unfinished = strcmp(s->outcome, "interrupted") == 0 || strcmp(s->outcome, "walltime") == 0;
    char took[PART], rate[PART];
    kn_progress_line(
        p, unfinished ? KN_STYLE_WARNING : KN_STYLE_GOOD, "%s: step %lld, t = %.6g%s%s, after %s, %s",
        strcmp(s->outcome, "steady") == 0 ? "steady state reached" : s->outcome, (long long)s->steps,
        p->second * s->time, *p->time_unit ? " " : "", p->time_unit, kn_progress_duration(took, s->wall_s),
        kn_progress_scaled(rate, s->updates_per_s, " updates/s"));
    show_verdict(p, s);
    show_values(p, s);
    show_phases(p, s);
    show_files(p);
    if (unfinished)
        kn_progress_line(p, KN_STYLE_STRONG, "next: the same command with --resume goes on from here");
    else
        show_next(p);
}
