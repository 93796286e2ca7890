#include "io/summary.h"
#include "config/config.h"
#include "files.h"
#include "config/scales.h"
#include "monitor/swing.h"
#include "validity/validity.h"
#include "monitor/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const phase_names[KN_PHASES] = {
    [KN_PHASE_ASSEMBLE] = "assemble", [KN_PHASE_PILOT] = "pilot",       [KN_PHASE_STREAM] = "stream",
    [KN_PHASE_SAMPLE] = "sample",     [KN_PHASE_COLLIDE] = "collide",   [KN_PHASE_MOMENTS] = "moments",
    [KN_PHASE_OUTPUT] = "output",     [KN_PHASE_EXCHANGE] = "exchange",
};

const char *kn_summary_phase_name(enum kn_phase phase)
{
    return phase_names[phase];
}

/* -------------------------------------------------------------------- JSON */

/* An object or array being printed; it knows whether a comma is due. */
struct json {
    FILE *to;
    int depth;
    bool some; /* the open object has a member */
    bool flat; /* on one line */
};

static void separate(struct json *j)
{
    if (j->some)
        fputc(',', j->to);
    if (!j->flat)
        fprintf(j->to, "\n%*s", 2 * j->depth, "");
    else if (j->some)
        fputc(' ', j->to);
    j->some = true;
}

static void name(struct json *j, const char *key)
{
    separate(j);
    kn_files_json_text(j->to, key, "");
    fputs(": ", j->to);
}

static void open_with(struct json *j, char bracket)
{
    fputc(bracket, j->to);
    j->depth++;
    j->some = false;
}

static void close_with(struct json *j, char bracket)
{
    j->depth--;
    if (!j->flat && j->some)
        fprintf(j->to, "\n%*s", 2 * j->depth, "");
    fputc(bracket, j->to);
    j->some = true;
}

static void put_number(struct json *j, double value)
{
    char digits[32];
    fputs(isfinite(value) ? kn_files_number(digits, value) : "null", j->to);
}

static void number(struct json *j, const char *key, double value)
{
    name(j, key);
    put_number(j, value);
}

static void count(struct json *j, const char *key, int64_t value)
{
    name(j, key);
    fprintf(j->to, "%" PRId64, value);
}

static void text(struct json *j, const char *key, const char *value)
{
    name(j, key);
    kn_files_json_text(j->to, value, "");
}

static void vector(struct json *j, const char *key, const double value[3], double factor)
{
    name(j, key);
    fputc('[', j->to);
    for (int d = 0; d < 3; d++) {
        fputs(d ? ", " : "", j->to);
        put_number(j, factor * value[d]);
    }
    fputc(']', j->to);
}

/* -------------------------------------------------------------- quantities */

enum set { LAST, MEAN, DEVIATION, ERROR };

static const struct kn_column *column_at(const struct kn_monitor *m, size_t offset)
{
    for (int i = 0; i < m->ncolumns; i++)
        if (m->columns[i].offset == offset)
            return &m->columns[i];
    return NULL;
}

/* One column: its last value, its average, the standard deviation about it or the error of it. */
static double value_of(const struct kn_monitor *m, const struct kn_column *column, enum set set)
{
    double value = NAN;
    if (!column)
        return value;
    ptrdiff_t i = column - m->columns;
    if (set == LAST)
        memcpy(&value, (const char *)&m->row + column->offset, sizeof value);
    else if (set == MEAN)
        value = m->mean[i];
    else if (set == ERROR)
        value = kn_monitor_error(m, (int)i);
    else if (m->averaged > 1)
        value = sqrt(m->square[i] / (double)(m->averaged - 1));
    return value;
}

static double value_at(const struct kn_monitor *m, size_t offset, enum set set)
{
    return value_of(m, column_at(m, offset), set);
}

/* By what the results at walls are multiplied: 1, or their SI units. */
struct wall_units {
    double stress, heat_flux, mass_flux;
};

static void print_wall(struct json *j, const struct kn_monitor *m, enum kn_side side, enum set set,
                       const struct wall_units *units)
{
    double stress[3], tangential = 0;
    for (int d = 0; d < 3; d++) {
        stress[d] = value_at(
            m, offsetof(struct kn_row, stress) + (3 * (size_t)side + (size_t)d) * sizeof(double), set);
        tangential += d == (int)side / 2 ? 0 : stress[d] * stress[d];
    }
    const double heat = value_at(m, offsetof(struct kn_row, heat_flux) + (size_t)side * sizeof(double), set);
    const double mass = value_at(m, offsetof(struct kn_row, mass_flux) + (size_t)side * sizeof(double), set);
    name(j, kn_space_side_name(side));
    open_with(j, '{');
    j->flat = true;
    vector(j, "stress", stress, units->stress);
    if (set == LAST || set == MEAN) /* a length made of deviations would mean nothing */
        number(j, "shear", units->stress * sqrt(tangential));
    number(j, "normal_stress", units->stress * stress[side / 2]);
    number(j, "heat_flux", units->heat_flux * heat);
    number(j, "mass_flux", units->mass_flux * mass);
    close_with(j, '}');
    j->flat = false;
}

static void print_walls(struct json *j, const struct kn_monitor *m, enum set set,
                        const struct wall_units *units)
{
    name(j, "walls");
    open_with(j, '{');
    for (int side = 0; side < KN_SIDES; side++)
        if (column_at(m, offsetof(struct kn_row, heat_flux) + (size_t)side * sizeof(double)))
            print_wall(j, m, (enum kn_side)side, set, units);
    close_with(j, '}');
}

static void print_quantities(struct json *j, const char *key, const struct kn_monitor *m, enum set set)
{
    static const size_t offsets[] = {offsetof(struct kn_row, drag), offsetof(struct kn_row, vortex_flow),
                                     offsetof(struct kn_row, flow_force),
                                     offsetof(struct kn_row, flow_thermal)};
    name(j, key);
    open_with(j, '{');
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        const struct kn_column *column = column_at(m, offsets[i]);
        if (column)
            number(j, column->name, value_of(m, column, set));
    }
    print_walls(j, m, set, &(struct wall_units){1, 1, 1});
    close_with(j, '}');
}

/* What swings with the walls; amplitudes in SI too where the case is. */
static void print_swing(struct json *j, const struct kn_summary *s)
{
    const struct kn_swing *swing = s->swing;
    struct kn_scales scales;
    if (!swing || swing->count == 0)
        return;
    const bool si = kn_scales_create(&scales, s->m->c) == KN_OK && scales.known;
    name(j, "oscillation");
    open_with(j, '{');
    number(j, "frequency", swing->frequency);
    count(j, "periods", swing->periods);
    number(j, "change", swing->change);
    for (int i = 0; i < swing->count; i++) {
        const struct kn_swing_column *column = &swing->columns[i];
        const struct kn_column *of = &s->m->columns[column->column];
        name(j, of->name);
        open_with(j, '{');
        j->flat = true;
        number(j, "mean", column->mean);
        number(j, "amplitude", column->amplitude);
        number(j, "phase", column->phase);
        if (si)
            number(j, "amplitude_si",
                   kn_scales_conversion(&scales, kn_swing_dimension(of)).factor * column->amplitude);
        close_with(j, '}');
        j->flat = false;
    }
    close_with(j, '}');
}

/* In a case with SI units: the scales, and what passes the walls in Pa, W m-2 and kg m-2 s-1. */
static void print_si(struct json *j, const struct kn_monitor *m)
{
    struct kn_scales scales;
    if (kn_scales_create(&scales, m->c) != KN_OK || !scales.known)
        return;
    const struct wall_units units = {kn_scales_conversion(&scales, KN_DIMENSION_STRESS).factor,
                                     kn_scales_conversion(&scales, KN_DIMENSION_HEAT_FLUX).factor,
                                     kn_scales_conversion(&scales, KN_DIMENSION_MASS_FLUX).factor};
    name(j, "si");
    open_with(j, '{');
    text(j, "species", kn_scales_species(m->c));
    for (const struct kn_scale *scale = kn_scales_list; scale->name; scale++)
        number(j, scale->name, kn_scales_value(&scales, scale));
    close_with(j, '}');
    name(j, "quantities_si");
    open_with(j, '{');
    print_walls(j, m, m->averaged > 0 ? MEAN : LAST, &units);
    close_with(j, '}');
    if (!m->batches)
        return;
    name(j, "errors_si");
    open_with(j, '{');
    print_walls(j, m, ERROR, &units);
    close_with(j, '}');
}

static void print_all_quantities(struct json *j, const struct kn_monitor *m)
{
    bool averaged = m->averaged > 0;
    print_quantities(j, "quantities", m, averaged ? MEAN : LAST);
    if (m->batches)
        print_quantities(j, "errors", m, ERROR);
    if (!averaged)
        return;
    print_quantities(j, "quantities_std", m, DEVIATION);
    print_quantities(j, "quantities_last", m, LAST);
    count(j, "averaged_rows", m->averaged);
}

double kn_summary_error(const struct kn_summary *s)
{
    const int column = kn_monitor_headline(s->m);
    return column < 0 ? NAN : kn_monitor_error(s->m, column) / fabs(kn_monitor_value(s->m, column));
}

/* What became of collision.samples: auto. */
static void print_samples(struct json *j, const struct kn_summary *s)
{
    const int column = kn_monitor_headline(s->m);
    const double error = kn_summary_error(s);
    if (s->target == 0)
        return;
    name(j, "samples");
    open_with(j, '{');
    count(j, "count", s->m->c->collision.samples);
    number(j, "error_target", s->target);
    number(j, "error", error);
    text(j, "error_of", column < 0 ? "" : s->m->columns[column].name);
    name(j, "held");
    fputs(isnan(error) ? "null" : error <= s->target ? "true" : "false", j->to);
    close_with(j, '}');
}

/* ----------------------------------------------------------------- sections */

static void print_work(struct json *j, const struct kn_summary *s)
{
    text(j, "version", KN_VERSION);
    text(j, "outcome", s->outcome);
    count(j, "steps", s->steps);
    number(j, "time", s->time);
    number(j, "time_step", s->time_step);
    number(j, "wall_s", s->wall_s);
    name(j, "phase_s");
    open_with(j, '{');
    for (int phase = 0; phase < KN_PHASES; phase++)
        number(j, phase_names[phase], s->phase_s[phase]);
    close_with(j, '}');
    number(j, "updates_per_s", s->updates_per_s);
    count(j, "cells", s->cells);
    count(j, "nodes", s->nodes);
    number(j, "memory_bytes", s->memory_bytes);
    text(j, "backend", s->backend);
    count(j, "ranks", s->ranks);
    count(j, "threads", s->threads);
    name(j, "seed");
    fprintf(j->to, "%" PRIu64, s->m->c->run.seed);
}

static void print_provenance(struct json *j, const struct kn_provenance *p)
{
    if (!p)
        return;
    name(j, "provenance");
    open_with(j, '{');
    text(j, "commit", p->commit);
    text(j, "compiler", p->compiler);
    text(j, "flags", p->flags);
    text(j, "processor", p->processor);
    text(j, "device", p->device);
    text(j, "started", p->started);
    text(j, "command", p->command);
    close_with(j, '}');
}

static void print_conserved(struct json *j, const struct kn_monitor *m)
{
    name(j, "drift");
    open_with(j, '{');
    number(j, "mass", m->row.mass_drift);
    number(j, "mass_change", m->row.mass - m->initial[0]);
    number(j, "momentum", m->row.momentum_drift);
    number(j, "energy", m->row.energy_drift);
    close_with(j, '}');
    name(j, "totals");
    open_with(j, '{');
    number(j, "mass", m->row.mass);
    vector(j, "momentum", m->row.momentum, 1);
    number(j, "energy", m->row.energy);
    close_with(j, '}');
}

static void print_last_row(struct json *j, const struct kn_monitor *m)
{
    name(j, "history_last");
    open_with(j, '{');
    for (int i = 0; i < m->ncolumns; i++)
        number(j, m->columns[i].name, value_of(m, &m->columns[i], LAST));
    close_with(j, '}');
}

/* Whether the run is steady, and by how much quantities may still change. */
static void print_verdict(struct json *j, const struct kn_summary *s)
{
    const struct kn_verdict *v = s->verdict;
    text(j, "verdict", kn_verdict_name(v->word));
    text(j, "sentence", v->text);
    number(j, "tolerance", s->m->c->time.tolerance);
    number(j, "remaining_change", v->remaining);
    number(j, "observed_change", v->observed);
    text(j, "changes_most", v->column < 0 ? "" : s->m->columns[v->column].name);
    number(j, "steady_at", v->until);
}

/* How far the results can be trusted. */
static void print_quality(struct json *j, const struct kn_summary *s)
{
    const struct kn_validity *v = s->validity;
    name(j, "quality");
    open_with(j, '{');
    if (s->verdict)
        print_verdict(j, s);
    if (v) {
        text(j, "level", kn_validity_quality(v));
        number(j, "error_estimate", kn_validity_bounded(kn_validity_error(v)));
    }
    close_with(j, '}');
    name(j, "notes");
    kn_validity_print_json(j->to, v ? v : &(struct kn_validity){0});
}

void kn_summary_print(FILE *to, const struct kn_summary *s)
{
    struct json j = {.to = to};
    open_with(&j, '{');
    print_work(&j, s);
    print_quality(&j, s);
    print_provenance(&j, s->provenance);
    print_conserved(&j, s->m);
    print_all_quantities(&j, s->m);
    print_si(&j, s->m);
    print_swing(&j, s);
    print_samples(&j, s);
    print_last_row(&j, s->m);
    name(&j, "case");
    kn_config_print(to, s->m->c, true);
    close_with(&j, '}');
    fputc('\n', to);
}

static void fill(FILE *to, const void *what)
{
    kn_summary_print(to, what);
}

enum kn_status kn_summary_write(const char *folder, const struct kn_summary *s)
{
    char path[KN_PATH];
    enum kn_status status = kn_files_join(path, folder, "summary.json");
    return status == KN_OK ? kn_files_write_text(path, fill, s) : status;
}
