/* Writes summary.json, the results and the description of a run, and reads it back. */
#include "io/summary.h"
#include "config/case.h"
#include "config/config.h"
#include "config/reference.h"
#include "config/scales.h"
#include "error.h"
#include "files/files.h"
#include "monitor/oscillation.h"
#include "monitor/verdict.h"
#include "validity/validity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const phase_names[KN_PHASES] = {
    [KN_PHASE_ASSEMBLE] = "assemble", [KN_PHASE_PILOT] = "pilot",       [KN_PHASE_STREAM] = "stream",
    [KN_PHASE_SAMPLE] = "sample",     [KN_PHASE_COLLIDE] = "collide",   [KN_PHASE_MOMENTS] = "moments",
    [KN_PHASE_OUTPUT] = "output",     [KN_PHASE_EXCHANGE] = "exchange", [KN_PHASE_ITERATE] = "iterate",
};

const char *kn_summary_phase_name(enum kn_phase phase)
{
    return phase_names[phase];
}

enum set { LAST, MEAN, DEVIATION, ERROR };

static const struct kn_column *column_at(const struct kn_monitor *m, size_t offset)
{
    for (int i = 0; i < m->ncolumns; i++)
        if (m->columns[i].offset == offset)
            return &m->columns[i];
    return NULL;
}

/* Of one column: the last value, the average, the standard deviation or the error of the average. */
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

/* Factors of the results at walls: 1, or their SI units. */
struct wall_units {
    double stress, heat_flux, mass_flux;
};

static json_t *wall_of(const struct kn_monitor *m, enum kn_side side, enum set set,
                       const struct wall_units *units)
{
    double stress[3], tangential = 0;
    const size_t at = (size_t)side * sizeof(double);
    for (int d = 0; d < 3; d++) {
        const double value =
            value_at(m, offsetof(struct kn_row, stress) + 3 * at + (size_t)d * sizeof(double), set);
        tangential += d == (int)side / 2 ? 0 : value * value;
        stress[d] = units->stress * value;
    }
    json_t *wall = json_pack("{s:o}", "stress", kn_json_vector(stress));
    if (set == LAST || set == MEAN) /* the length of a vector of deviations has no meaning */
        kn_json_set(wall, "shear", kn_json_number(units->stress * sqrt(tangential)));
    kn_json_set(wall, "normal_stress", kn_json_number(stress[side / 2]));
    kn_json_set(wall, "heat_flux",
                kn_json_number(units->heat_flux * value_at(m, offsetof(struct kn_row, heat_flux) + at, set)));
    kn_json_set(wall, "mass_flux",
                kn_json_number(units->mass_flux * value_at(m, offsetof(struct kn_row, mass_flux) + at, set)));
    return wall;
}

static json_t *walls_of(const struct kn_monitor *m, enum set set, const struct wall_units *units)
{
    json_t *walls = json_object();
    for (int side = 0; side < KN_SIDES; side++)
        if (column_at(m, offsetof(struct kn_row, heat_flux) + (size_t)side * sizeof(double)))
            kn_json_set(walls, kn_case_side_name(side), wall_of(m, (enum kn_side)side, set, units));
    return walls;
}

/* Force, torque and heat of a body; `by` are the factors of force, torque and heat.  A column that is zero by
 * symmetry does not exist. */
static json_t *body_of(const struct kn_monitor *m, int body, enum set set, const double by[3])
{
    double values[KN_BODY_VALUES];
    for (int i = 0; i < KN_BODY_VALUES; i++) {
        const struct kn_column *column = column_at(
            m, offsetof(struct kn_row, body) + ((size_t)body * KN_BODY_VALUES + (size_t)i) * sizeof(double));
        values[i] = column ? by[i / 3] * value_of(m, column, set) : 0;
    }
    return json_pack("{s:o, s:o, s:o}", "force", kn_json_vector(values), "torque", kn_json_vector(values + 3),
                     "heat", kn_json_number(values[6]));
}

/* Adds the bodies by name, if there are any. */
static void add_bodies(json_t *to, const struct kn_monitor *m, enum set set, const double by[3])
{
    json_t *bodies = json_object();
    for (int i = 0; i < kn_case_bodies(m->c); i++)
        kn_json_set(bodies, m->c->bodies[i].name, body_of(m, i, set, by));
    if (kn_case_bodies(m->c) > 0)
        kn_json_set(to, "bodies", bodies);
    else
        json_decref(bodies);
}

static double port_value(const struct kn_monitor *m, int port, size_t member, enum set set)
{
    return value_at(m, offsetof(struct kn_row, port) + (size_t)port * sizeof(struct kn_port_flux) + member,
                    set);
}

void kn_summary_measure_ports(const struct kn_monitor *m, struct kn_summary_ports *to)
{
    const enum set set = m->averaged > 0 ? MEAN : LAST;
    const struct kn_port *p = m->c->ports;
    const int count = kn_case_ports(m->c);
    double sum = 0, largest = 0, pressure[2] = {0};
    for (int i = 0; i < count; i++) {
        const double flow = port_value(m, i, offsetof(struct kn_port_flux, mass), set);
        sum += flow;
        largest = fmax(largest, fabs(flow));
    }
    for (int i = 0; i < 2; i++)
        pressure[i] = p[i].kind == KN_PORT_VACUUM ? -1 / m->c->disturbance
                      : p[i].kind == KN_PORT_FLOW
                          ? port_value(m, i, offsetof(struct kn_port_flux, stress), set)
                          : p[i].pressure;
    const double difference = count == 2 && pressure[0] != pressure[1] ? pressure[0] - pressure[1] : NAN;
    to->balance = largest > 0 ? sum / largest : 0;
    to->conductance = port_value(m, 0, offsetof(struct kn_port_flux, mass), set) / difference;
    to->transmission = 2 * sqrt(M_PI) * to->conductance / m->row.port[0].area;
}

/* Adds the ports by name, if there are any; `by` are the factors of mass flow, heat, conductance and stress.
 */
static void add_ports(json_t *to, const struct kn_monitor *m, enum set set, const double by[4])
{
    struct kn_summary_ports r;
    json_t *ports = json_object();
    if (kn_case_ports(m->c) == 0) {
        json_decref(ports);
        return;
    }
    for (int i = 0; i < kn_case_ports(m->c); i++) {
        const double mass = port_value(m, i, offsetof(struct kn_port_flux, mass), set),
                     heat = port_value(m, i, offsetof(struct kn_port_flux, heat), set),
                     stress = port_value(m, i, offsetof(struct kn_port_flux, stress), set);
        kn_json_set(ports, m->c->ports[i].name,
                    json_pack("{s:o, s:o, s:o}", "mass_flow", kn_json_number(by[0] * mass), "heat",
                              kn_json_number(by[1] * heat), "stress", kn_json_number(by[3] * stress)));
    }
    kn_json_set(to, "ports", ports);
    if (set == DEVIATION || set == ERROR)
        return;
    kn_summary_measure_ports(m, &r);
    kn_json_set(to, "port_flow",
                json_pack("{s:o, s:o, s:o}", "conductance", kn_json_number(by[2] * r.conductance),
                          "transmission", kn_json_number(r.transmission), "balance",
                          kn_json_number(r.balance)));
}

static json_t *quantities_of(const struct kn_monitor *m, enum set set)
{
    static const size_t offsets[] = {offsetof(struct kn_row, drag), offsetof(struct kn_row, vortex_flow),
                                     offsetof(struct kn_row, flow_force),
                                     offsetof(struct kn_row, flow_thermal),
                                     offsetof(struct kn_row, permeability)};
    json_t *quantities = json_object();
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        const struct kn_column *column = column_at(m, offsets[i]);
        if (column)
            kn_json_set(quantities, column->name, kn_json_number(value_of(m, column, set)));
    }
    kn_json_set(quantities, "walls", walls_of(m, set, &(struct wall_units){1, 1, 1}));
    add_bodies(quantities, m, set, (const double[]){1, 1, 1});
    add_ports(quantities, m, set, (const double[]){1, 1, 1, 1});
    return quantities;
}

static void add_quantities(json_t *to, const struct kn_monitor *m)
{
    const bool averaged = m->averaged > 0;
    kn_json_set(to, "quantities", quantities_of(m, averaged ? MEAN : LAST));
    if (m->batches)
        kn_json_set(to, "errors", quantities_of(m, ERROR));
    if (!averaged)
        return;
    kn_json_set(to, "quantities_std", quantities_of(m, DEVIATION));
    kn_json_set(to, "quantities_last", quantities_of(m, LAST));
    kn_json_set(to, "averaged_rows", json_integer(m->averaged));
}

json_t *kn_summary_scales(const struct kn_scales *scales, const char *species)
{
    json_t *si = json_pack("{s:o}", "species", kn_json_text(species));
    for (const struct kn_scale *scale = kn_scales_list; scale->name; scale++)
        kn_json_set(si, scale->name, kn_json_number(kn_scales_value(scales, scale)));
    return si;
}

json_t *kn_summary_reference(const struct kn_case *c)
{
    const struct kn_reference r = kn_reference_of(c);
    double velocity[3];
    for (int d = 0; d < 3; d++)
        velocity[d] = c->disturbance * r.velocity[d];
    return json_pack("{s:o, s:o}", "temperature", kn_json_number(r.ratio), "velocity",
                     kn_json_vector(velocity));
}

/* Results in SI units: at walls in Pa, W m-2 and kg m-2 s-1, of bodies in N, N m and W. */
static json_t *si_of(const struct kn_monitor *m, const struct kn_scales *scales, enum set set)
{
    const struct wall_units units = {kn_scales_conversion(scales, KN_DIMENSION_STRESS).factor,
                                     kn_scales_conversion(scales, KN_DIMENSION_HEAT_FLUX).factor,
                                     kn_scales_conversion(scales, KN_DIMENSION_MASS_FLUX).factor};
    const double of_bodies[] = {kn_scales_conversion(scales, KN_DIMENSION_FORCE).factor,
                                kn_scales_conversion(scales, KN_DIMENSION_TORQUE).factor,
                                kn_scales_conversion(scales, KN_DIMENSION_HEAT).factor};
    json_t *si = json_pack("{s:o}", "walls", walls_of(m, set, &units));
    const double of_ports[] = {kn_scales_conversion(scales, KN_DIMENSION_MASS_FLOW).factor, of_bodies[2],
                               scales->velocity * scales->area, units.stress};
    add_bodies(si, m, set, of_bodies);
    add_ports(si, m, set, of_ports);
    const struct kn_column *permeability = column_at(m, offsetof(struct kn_row, permeability));
    if (permeability)
        kn_json_set(si, "permeability",
                    kn_json_number(scales->length * scales->length * value_of(m, permeability, set)));
    return si;
}

/* In a case with SI units: the scales, and the results. */
static void add_si(json_t *to, const struct kn_monitor *m)
{
    struct kn_scales scales;
    if (kn_scales_create(&scales, m->c) != KN_OK || !scales.known)
        return;
    kn_json_set(to, "si", kn_summary_scales(&scales, kn_scales_species(m->c)));
    kn_json_set(to, "quantities_si", si_of(m, &scales, m->averaged > 0 ? MEAN : LAST));
    if (m->batches)
        kn_json_set(to, "errors_si", si_of(m, &scales, ERROR));
}

/* The response to oscillating walls; amplitudes in SI too if the case is. */
static void add_oscillation(json_t *to, const struct kn_summary *s)
{
    const struct kn_oscillation_fit *o = s->oscillation;
    struct kn_scales scales;
    if (!o || o->count == 0)
        return;
    const bool si = kn_scales_create(&scales, s->m->c) == KN_OK && scales.known;
    json_t *object = json_pack("{s:o, s:I, s:o}", "frequency", kn_json_number(o->frequency), "periods",
                               (json_int_t)o->periods, "change", kn_json_number(o->change));
    for (int i = 0; i < o->count; i++) {
        const struct kn_oscillation_column *column = &o->columns[i];
        const struct kn_column *of = &s->m->columns[column->column];
        json_t *one = json_pack("{s:o, s:o, s:o}", "mean", kn_json_number(column->mean), "amplitude",
                                kn_json_number(column->amplitude), "phase", kn_json_number(column->phase));
        if (si)
            kn_json_set(one, "amplitude_si",
                        kn_json_number(kn_scales_conversion(&scales, kn_monitor_flux(of)).factor *
                                       column->amplitude));
        kn_json_set(object, of->name, one);
    }
    kn_json_set(to, "oscillation", object);
}

/* Damping and added mass of the sides or the bodies that move. */
static void add_damping(json_t *to, const struct kn_summary *s, bool bodies)
{
    const struct kn_oscillation_fit *o = s->oscillation;
    struct kn_scales scales;
    const bool si = kn_scales_create(&scales, s->m->c) == KN_OK && scales.known;
    json_t *all = json_object();
    for (int i = 0; o && i < o->movers; i++) {
        const struct kn_oscillation_mover *mover = &o->mover[i];
        const struct kn_oscillation_units units = kn_oscillation_units(mover);
        if ((mover->surface >= KN_SIDES) != bodies)
            continue;
        json_t *one = json_pack("{s:o, s:o}", "damping", kn_json_number(mover->damping), "added_mass",
                                kn_json_number(mover->added_mass));
        if (si) {
            const double damping = kn_scales_conversion(&scales, units.damping).factor,
                         mass = kn_scales_conversion(&scales, units.added_mass).factor;
            kn_json_set(one, "damping_si", kn_json_number(damping * mover->damping));
            kn_json_set(one, "added_mass_si", kn_json_number(mass * mover->added_mass));
        }
        kn_json_set(all, kn_case_surface_name(s->m->c, mover->surface), one);
    }
    if (json_object_size(all) > 0)
        kn_json_set(to, bodies ? "moving_bodies" : "moving_walls", all);
    else
        json_decref(all);
}

double kn_summary_error(const struct kn_summary *s)
{
    const int column = kn_monitor_headline(s->m);
    return column < 0 ? NAN : kn_monitor_error(s->m, column) / fabs(kn_monitor_value(s->m, column));
}

/* The result of collision.samples: auto. */
static void add_samples(json_t *to, const struct kn_summary *s)
{
    const int column = kn_monitor_headline(s->m);
    const double error = kn_summary_error(s);
    if (s->target == 0)
        return;
    json_t *held = isnan(error) ? json_null() : json_boolean(error <= s->target);
    kn_json_set(to, "samples",
                json_pack("{s:i, s:o, s:o, s:s, s:o}", "count", s->m->c->collision.samples, "error_target",
                          kn_json_number(s->target), "error", kn_json_number(error), "error_of",
                          column < 0 ? "" : s->m->columns[column].name, "held", held));
}

static void add_work(json_t *to, const struct kn_summary *s)
{
    const struct kn_json_entry numbers[] = {{"steps", (double)s->steps},
                                            {"time", s->time},
                                            {"time_step", s->time_step},
                                            {"wall_s", s->wall_s},
                                            {"loop_s", s->loop_s},
                                            {"step_fraction", s->step_fraction},
                                            {"updates_per_s", s->updates_per_s},
                                            {"cells", (double)s->cells},
                                            {"nodes", (double)s->nodes},
                                            {"memory_bytes", s->memory_bytes},
                                            {"ranks", s->ranks},
                                            {"threads", s->threads},
                                            {"seed", (double)s->m->c->run.seed}};
    json_t *phases = json_object();
    for (int phase = 0; phase < KN_PHASES; phase++)
        kn_json_set(phases, phase_names[phase], kn_json_number(s->phase_s[phase]));
    kn_json_set(to, "version", kn_json_text(KN_VERSION));
    kn_json_set(to, "outcome", kn_json_text(s->outcome));
    kn_json_set(to, "backend", kn_json_text(s->backend));
    kn_json_set(to, "phase_s", phases);
    kn_json_set_numbers(to, numbers, sizeof numbers / sizeof *numbers);
}

static void add_provenance(json_t *to, const struct kn_provenance *p)
{
    if (!p)
        return;
    kn_json_set(to, "provenance",
                json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "commit", kn_json_text(p->commit),
                          "compiler", kn_json_text(p->compiler), "flags", kn_json_text(p->flags), "processor",
                          kn_json_text(p->processor), "device", kn_json_text(p->device), "started",
                          kn_json_text(p->started), "command", kn_json_text(p->command)));
}

static void add_conserved(json_t *to, const struct kn_monitor *m)
{
    const struct kn_row *row = &m->row;
    kn_json_set(to, "drift",
                json_pack("{s:o, s:o, s:o, s:o}", "mass", kn_json_number(row->mass_drift), "mass_change",
                          kn_json_number(row->mass - m->initial[0]), "momentum",
                          kn_json_number(row->momentum_drift), "energy", kn_json_number(row->energy_drift)));
    kn_json_set(to, "totals",
                json_pack("{s:o, s:o, s:o}", "mass", kn_json_number(row->mass), "momentum",
                          kn_json_vector(row->momentum), "energy", kn_json_number(row->energy)));
}

static void add_last_row(json_t *to, const struct kn_monitor *m)
{
    json_t *row = json_object();
    for (int i = 0; i < m->ncolumns; i++)
        kn_json_set(row, m->columns[i].name, kn_json_number(value_of(m, &m->columns[i], LAST)));
    kn_json_set(to, "history_last", row);
}

/* Whether the run is steady, and by how much quantities may still change. */
static void add_verdict(json_t *to, const struct kn_summary *s)
{
    const struct kn_verdict *v = s->verdict;
    kn_json_set(to, "verdict", kn_json_text(kn_verdict_name(v->word)));
    kn_json_set(to, "sentence", kn_json_text(v->text));
    kn_json_set(to, "tolerance", kn_json_number(s->m->c->time.tolerance));
    kn_json_set(to, "remaining_change", kn_json_number(v->remaining));
    kn_json_set(to, "observed_change", kn_json_number(v->observed));
    kn_json_set(to, "changes_most", kn_json_text(v->column < 0 ? "" : s->m->columns[v->column].name));
    kn_json_set(to, "steady_at", kn_json_number(v->until));
}

/* How reliable the results are. */
static void add_quality(json_t *to, const struct kn_summary *s)
{
    const struct kn_validity *v = s->validity;
    json_t *quality = json_object();
    if (s->verdict)
        add_verdict(quality, s);
    if (v) {
        kn_json_set(quality, "level", kn_json_text(kn_validity_quality(v)));
        kn_json_set(quality, "error_estimate", kn_json_number(kn_validity_bounded(kn_validity_error(v))));
    }
    kn_json_set(to, "quality", quality);
    kn_json_set(to, "notes", kn_validity_json(v ? v : &(struct kn_validity){0}));
}

static enum kn_status fill(FILE *to, const void *what)
{
    const struct kn_summary *s = what;
    json_t *all = json_object();
    add_work(all, s);
    add_quality(all, s);
    add_provenance(all, s->provenance);
    add_conserved(all, s->m);
    add_quantities(all, s->m);
    add_si(all, s->m);
    add_oscillation(all, s);
    add_damping(all, s, false);
    add_damping(all, s, true);
    add_samples(all, s);
    add_last_row(all, s->m);
    kn_json_set(all, "reference", kn_summary_reference(s->m->c));
    kn_json_set(all, "case", kn_config_json(s->m->c));
    KN_TRY(kn_json_print(to, all, (struct kn_json_layout){.levels = 3}));
    fputc('\n', to);
    return KN_OK;
}

enum kn_status kn_summary_write(const char *folder, const struct kn_summary *s)
{
    char path[KN_PATH];
    KN_TRY(kn_files_join(path, folder, "summary.json"));
    return kn_files_write(path, fill, s);
}

enum kn_status kn_summary_read(const char *folder, json_t **summary)
{
    char path[KN_PATH];
    *summary = NULL;
    KN_TRY(kn_files_join(path, folder, "summary.json"));
    return kn_json_read(path, summary);
}

/* JSON is YAML: the case is read as if it were a case file. */
enum kn_status kn_summary_case(const json_t *summary, struct kn_case *c)
{
    char *text = NULL;
    size_t size = 0;
    json_t *value = json_object_get(summary, "case");
    kn_case_default(c);
    if (!value)
        return kn_error_set(KN_EINPUT, "summary.json has no case");
    FILE *to = open_memstream(&text, &size);
    enum kn_status status =
        to ? kn_json_print(to, json_incref(value), (struct kn_json_layout){0}) : KN_EMEMORY;
    if ((!to || fclose(to) != 0) || status == KN_EMEMORY)
        status = kn_error_set(KN_EMEMORY, "not enough memory to read the case of summary.json");
    if (status == KN_OK)
        status = kn_config_parse(c, text, size, "summary.json", NULL);
    free(text);
    return status == KN_OK ? kn_case_check(c) : status;
}
