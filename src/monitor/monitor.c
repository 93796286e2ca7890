/* Rows of the history: conserved sums, residual, D and G, fluxes at walls, averages. */
#include "monitor/monitor.h"

#include "config/case.h"
#include "config/config.h"
#include "config/geometry.h"
#include "config/quantities.h"
#include "error.h"
#include "grid/boundary.h"
#include "grid/duration.h"
#include "grid/initial.h"
#include "monitor/permeability.h"
#include "monitor/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WATCHED = KN_SUMS_WATCHED };

#define AVERAGE    "average."
#define AT(member) offsetof(struct kn_row, member)

/* clang-format off */
#define FIELD(name, field, unit, d) {{AVERAGE name, unit, AT(average[field]), KN_DIMENSION_##d}, NULL, 0},
#define SCALAR(f, name, unit, d) FIELD(name, KN_##f, unit, d)
#define VECTOR(f, name, unit, d)                                                        \
    FIELD(name "x", KN_##f##X, unit, d)                                                 \
    FIELD(name "y", KN_##f##Y, unit, d)                                                 \
    FIELD(name "z", KN_##f##Z, unit, d)
#define TENSOR(f, name, unit, d)                                                        \
    FIELD(name "xx", KN_##f##XX, unit, d)                                               \
    FIELD(name "yy", KN_##f##YY, unit, d)                                               \
    FIELD(name "zz", KN_##f##ZZ, unit, d)                                               \
    FIELD(name "xy", KN_##f##XY, unit, d)                                               \
    FIELD(name "xz", KN_##f##XZ, unit, d)                                               \
    FIELD(name "yz", KN_##f##YZ, unit, d)
#define FIELDS(set, symbol, label, shape, field, column, unit, d, text) shape(field, column, unit, d)
#define SIDE(name, side)                                                                             \
    {{name ".stress_x", "p0 eps", AT(stress[side][0]), KN_DIMENSION_STRESS}, NULL, (side) + 1},         \
    {{name ".stress_y", "p0 eps", AT(stress[side][1]), KN_DIMENSION_STRESS}, NULL, (side) + 1},         \
    {{name ".stress_z", "p0 eps", AT(stress[side][2]), KN_DIMENSION_STRESS}, NULL, (side) + 1},         \
    {{name ".heat_flux", "p0 V0 eps", AT(heat_flux[side]), KN_DIMENSION_HEAT_FLUX}, NULL, (side) + 1},  \
    {{name ".mass_flux", "n0 V0 eps", AT(mass_flux[side]), KN_DIMENSION_MASS_FLUX}, NULL, (side) + 1},
/* clang-format on */

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The unit of D and G: the speed of the lid, or its amplitude if the lid oscillates about rest. */
static double lid_speed(const struct kn_case *c)
{
    const struct kn_wall *lid = &c->walls[KN_TOP];
    if (lid->kind != KN_WALL_DIFFUSE)
        return 0;
    return fabs(lid->velocity[0] != 0 ? lid->velocity[0] : lid->oscillation.velocity[0]);
}

static bool is_cavity(const struct kn_case *c)
{
    int bounded = 0;
    for (int d = 0; d < 3; d++)
        bounded += c->space.cells[d] > 1 && c->walls[2 * d].kind != KN_WALL_PERIODIC;
    return bounded >= 2 && c->space.cells[1] > 1 && lid_speed(c) > 0;
}

static bool has_force(const struct kn_case *c)
{
    return norm(c->source.force) > 0;
}

static bool has_creep(const struct kn_case *c)
{
    return norm(c->source.temperature_gradient) > 0;
}

static bool is_unsteady(const struct kn_case *c)
{
    return !kn_case_iterates(c);
}

static bool iterates(const struct kn_case *c)
{
    return kn_case_iterates(c);
}

static bool is_steady(const struct kn_case *c)
{
    return c->time.mode == KN_MODE_STEADY;
}

static bool has_wave(const struct kn_case *c)
{
    return c->initial.wave[0] != 0 || c->initial.wave[1] != 0 || c->initial.wave[2] != 0;
}

bool kn_monitor_is_uniform(const struct kn_case *c)
{
    return c->space.cells[0] == 1 && c->space.cells[1] == 1 && c->space.cells[2] == 1;
}

/* All columns of all cases, in their order. */
static const struct entry {
    struct kn_column column;
    bool (*exists)(const struct kn_case *c); /* NULL: in every case */
    int side;                                /* 1 + enum kn_side for a flux through a side, else 0 */
} table[] = {
    /* clang-format off */
    {{"step", "1", AT(step), KN_DIMENSION_NONE}, NULL, 0},
    {{"time", "lambda0 / V0", AT(time), KN_DIMENSION_TIME}, NULL, 0},
    {{"residual", "V0 / lambda0", AT(residual), KN_DIMENSION_RATE}, is_unsteady, 0},
    {{"equation_residual", "1", AT(equation_residual), KN_DIMENSION_NONE}, iterates, 0},
    {{"update", "1", AT(update), KN_DIMENSION_NONE}, iterates, 0},
    {{"balance", "1", AT(balance), KN_DIMENSION_NONE}, is_steady, 0},
    {{"mass", "n0 lambda0^3 eps", AT(mass), KN_DIMENSION_NONE}, NULL, 0},
    {{"momentum_x", "n0 V0 lambda0^3 eps", AT(momentum[0]), KN_DIMENSION_NONE}, NULL, 0},
    {{"momentum_y", "n0 V0 lambda0^3 eps", AT(momentum[1]), KN_DIMENSION_NONE}, NULL, 0},
    {{"momentum_z", "n0 V0 lambda0^3 eps", AT(momentum[2]), KN_DIMENSION_NONE}, NULL, 0},
    {{"energy", "n0 V0^2 lambda0^3 eps", AT(energy), KN_DIMENSION_NONE}, NULL, 0},
    {{"mass_drift", "1", AT(mass_drift), KN_DIMENSION_NONE}, kn_boundary_keeps_mass, 0},
    {{"momentum_drift", "n0 V0 lambda0^3 eps", AT(momentum_drift), KN_DIMENSION_NONE}, NULL, 0},
    {{"energy_drift", "n0 V0^2 lambda0^3 eps", AT(energy_drift), KN_DIMENSION_NONE}, NULL, 0},
    {{"D", "p0 / V0", AT(drag), KN_DIMENSION_NONE}, is_cavity, 0},
    {{"G", "1", AT(vortex_flow), KN_DIMENSION_NONE}, is_cavity, 0},
    {{"G_P", "1", AT(flow_force), KN_DIMENSION_NONE}, has_force, 0},
    {{"G_T", "1", AT(flow_thermal), KN_DIMENSION_NONE}, has_creep, 0},
    {{"permeability", "lambda0^2", AT(permeability), KN_DIMENSION_NONE}, kn_permeability_exists, 0},
    SIDE("left", KN_LEFT) SIDE("right", KN_RIGHT) SIDE("bottom", KN_BOTTOM)
    SIDE("top", KN_TOP) SIDE("back", KN_BACK) SIDE("front", KN_FRONT)
    KN_QUANTITY_LIST(FIELDS)
    {{"fourth", "1", AT(excess[0]), KN_DIMENSION_NONE}, kn_monitor_is_uniform, 0},
    {{"sixth", "1", AT(excess[1]), KN_DIMENSION_NONE}, kn_monitor_is_uniform, 0},
    {{"wave.rho", "n0 eps", AT(wave[0]), KN_DIMENSION_NONE}, has_wave, 0},
    {{"wave.ux", "V0 eps", AT(wave[1]), KN_DIMENSION_NONE}, has_wave, 0},
    {{"wave.uy", "V0 eps", AT(wave[2]), KN_DIMENSION_NONE}, has_wave, 0},
    {{"wave.uz", "V0 eps", AT(wave[3]), KN_DIMENSION_NONE}, has_wave, 0},
    {{"wave.theta", "T0 eps", AT(wave[4]), KN_DIMENSION_NONE}, has_wave, 0},
    /* clang-format on */
};
enum { COLUMNS = sizeof table / sizeof *table };

const struct kn_column *kn_monitor_find(const char *name)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(table[i].column.name, name) == 0)
            return &table[i].column;
    return NULL;
}

static const char *field_name(int64_t field)
{
    int i = 0;
    while (table[i].column.offset != AT(average) + (size_t)field * sizeof(double))
        i++;
    return table[i].column.name + strlen(AVERAGE);
}

enum kn_dimension kn_monitor_flux(const struct kn_column *column)
{
    const bool at_side = column->offset >= AT(stress) && column->offset < AT(average);
    return at_side ? column->dimension : KN_DIMENSION_NONE;
}

double kn_monitor_column(const struct kn_monitor *m, int column)
{
    double value;
    memcpy(&value, (const char *)&m->row + m->columns[column].offset, sizeof value);
    return value;
}

static bool has_column(const struct kn_case *c, const struct entry *e)
{
    const int side = e->side - 1;
    if (side >= 0 && (c->walls[side].kind == KN_WALL_PERIODIC || kn_case_is_uniform(c, side / 2)))
        return false;
    if (side >= 0 && !kn_geometry_has_wall(c, side))
        return false;
    return !e->exists || e->exists(c);
}

bool kn_monitor_is_integral(const struct kn_column *column)
{
    return column->offset >= AT(body) && column->offset < AT(average);
}

/* True if the case can have a force along an axis, or a torque about it, that is not zero by symmetry. */
static bool has_force_along(const struct kn_case *c, int axis)
{
    return !kn_case_is_uniform(c, axis) || !kn_case_is_even(c, axis);
}

static bool has_torque_about(const struct kn_case *c, int axis)
{
    const int e = (axis + 1) % 3, f = (axis + 2) % 3;
    return (!kn_case_is_uniform(c, e) && has_force_along(c, f)) ||
           (!kn_case_is_uniform(c, f) && has_force_along(c, e));
}

/* Units of integrals over a surface, by the number of axes along which the gas is not uniform. */
struct integral {
    const char *name;
    enum kn_dimension dimension;
    const char *unit[3];
    size_t offset; /* in struct kn_body_flux or struct kn_port_flux */
};

#define FORCE_UNITS                                                                                          \
    {                                                                                                        \
        "p0 eps", "p0 lambda0 eps", "p0 lambda0^2 eps"                                                       \
    }
#define TORQUE_UNITS                                                                                         \
    {                                                                                                        \
        "p0 lambda0 eps", "p0 lambda0^2 eps", "p0 lambda0^3 eps"                                             \
    }
#define HEAT_UNITS                                                                                           \
    {                                                                                                        \
        "p0 V0 eps", "p0 V0 lambda0 eps", "p0 V0 lambda0^2 eps"                                              \
    }
#define FLOW_UNITS                                                                                           \
    {                                                                                                        \
        "n0 V0 eps", "n0 V0 lambda0 eps", "n0 V0 lambda0^2 eps"                                              \
    }

static const struct integral of_body[] = {
    {"force_x", KN_DIMENSION_FORCE, FORCE_UNITS, offsetof(struct kn_body_flux, force[0])},
    {"force_y", KN_DIMENSION_FORCE, FORCE_UNITS, offsetof(struct kn_body_flux, force[1])},
    {"force_z", KN_DIMENSION_FORCE, FORCE_UNITS, offsetof(struct kn_body_flux, force[2])},
    {"torque_x", KN_DIMENSION_TORQUE, TORQUE_UNITS, offsetof(struct kn_body_flux, torque[0])},
    {"torque_y", KN_DIMENSION_TORQUE, TORQUE_UNITS, offsetof(struct kn_body_flux, torque[1])},
    {"torque_z", KN_DIMENSION_TORQUE, TORQUE_UNITS, offsetof(struct kn_body_flux, torque[2])},
    {"heat", KN_DIMENSION_HEAT, HEAT_UNITS, offsetof(struct kn_body_flux, heat)},
};
static const struct integral of_port[] = {
    {"mass_flow", KN_DIMENSION_MASS_FLOW, FLOW_UNITS, offsetof(struct kn_port_flux, mass)},
    {"heat", KN_DIMENSION_HEAT, HEAT_UNITS, offsetof(struct kn_port_flux, heat)},
    {"stress", KN_DIMENSION_STRESS, {"p0 eps", "p0 eps", "p0 eps"}, offsetof(struct kn_port_flux, stress)},
};
enum { OF_BODY = sizeof of_body / sizeof *of_body, OF_PORT = sizeof of_port / sizeof *of_port };

/* A column of a body or a port; `offset` is that of its struct in the row. */
static void add_integral(struct kn_monitor *m, const char *list, const char *name, const struct integral *i,
                         size_t offset)
{
    char *whole = m->names[m->nnames++];
    snprintf(whole, KN_COLUMN_NAME, "%s.%.*s.%s", list, KN_ITEM_NAME - 1, name, i->name);
    m->judged++;
    m->columns[m->ncolumns++] = (struct kn_column){
        whole, i->unit[m->space->naxes > 0 ? m->space->naxes - 1 : 0], offset + i->offset, i->dimension};
}

/* The columns of bodies and ports, by their names. */
static void add_integrals(struct kn_monitor *m)
{
    const struct kn_case *c = m->c;
    for (int body = 0; body < kn_case_bodies(c); body++)
        for (int i = 0; i < OF_BODY; i++)
            if (i < 3 ? has_force_along(c, i) : i == 6 || has_torque_about(c, i - 3))
                add_integral(m, "bodies", c->bodies[body].name, &of_body[i],
                             AT(body) + (size_t)body * sizeof(struct kn_body_flux));
    for (int port = 0; port < kn_case_ports(c); port++)
        for (int i = 0; i < OF_PORT; i++)
            add_integral(m, "ports", c->ports[port].name, &of_port[i],
                         AT(port) + (size_t)port * sizeof(struct kn_port_flux));
}

static void choose_columns(struct kn_monitor *m)
{
    bool added = false;
    for (int i = 0; i < COLUMNS; i++) {
        const size_t offset = table[i].column.offset;
        if (offset >= AT(average) && !added) {
            add_integrals(m);
            added = true;
        }
        if (!has_column(m->c, &table[i]))
            continue;
        m->first_judged += offset < AT(drag);
        m->judged += offset >= AT(drag) && offset < AT(average);
        m->columns[m->ncolumns++] = table[i].column;
    }
    if (m->judged == 0)
        m->judged = KN_FIELDS;
}

/* Trends and averages are one block, which a checkpoint stores as it is. */
static void allocate_data(struct kn_monitor *m, bool noisy)
{
    const size_t trends = ((size_t)m->judged + 1) * sizeof *m->trends / sizeof(double),
                 columns = (size_t)m->ncolumns,
                 batches = noisy ? columns * sizeof *m->batches / sizeof(double) : 0;
    m->ndata = (int64_t)(trends + 2 * columns + batches);
    double *data = calloc((size_t)m->ndata, sizeof *data);
    m->trends = (struct kn_trend *)data;
    m->mean = data ? data + trends : NULL;
    m->square = data ? m->mean + columns : NULL;
    m->batches = data && noisy ? (struct kn_batches *)(m->square + columns) : NULL;
}

enum kn_status kn_monitor_create(struct kn_monitor *m, const struct kn_case *c, const struct kn_space *space,
                                 const struct kn_comm *comm)
{
    const size_t n = (size_t)space->ncells;
    *m = (struct kn_monitor){.c = c,
                             .space = space,
                             .comm = comm,
                             .threads = c->run.threads > 0 ? c->run.threads : kn_comm_processors(comm),
                             .closed = kn_boundary_keeps_mass(c),
                             .previous_residual = NAN,
                             .least_time = kn_duration_least(c),
                             .settled_time = kn_duration_settled(c),
                             .window = kn_monitor_window(c)};
    const size_t named = (size_t)kn_case_bodies(c) * OF_BODY + (size_t)kn_case_ports(c) * OF_PORT;
    m->columns = calloc(COLUMNS + named, sizeof *m->columns);
    m->names = calloc(named + 1, sizeof *m->names);
    m->previous = calloc(n * WATCHED, sizeof *m->previous);
    m->mean_fields = calloc(n * KN_FIELDS, sizeof *m->mean_fields);
    m->midline = calloc((size_t)space->whole[1] * KN_SUMS_MIDLINE, sizeof *m->midline);
    m->wave = has_wave(c) ? calloc(n, sizeof *m->wave) : NULL;
    for (int i = 0; i < space->ncells && m->wave; i++)
        m->wave[i] = kn_initial_wave(c, space, i);
    if (m->columns && m->names) {
        choose_columns(m);
        allocate_data(m, kn_case_is_sampled(c->collision.method));
    }
    if (m->trends && m->previous && m->mean_fields && m->midline && (m->wave || !has_wave(c)))
        return KN_OK;
    kn_monitor_destroy(m);
    return kn_error_set(KN_EMEMORY, "not enough memory to monitor %zu cells", n);
}

void kn_monitor_destroy(struct kn_monitor *m)
{
    free(m->columns);
    free(m->names);
    free(m->trends);
    free(m->previous);
    free(m->mean_fields);
    free(m->midline);
    free(m->wave);
    *m = (struct kn_monitor){0};
}

/* Index of the first non-finite value in the fields of the whole space; INT64_MAX: none. */
static int64_t find_bad(const struct kn_monitor *m, const double *fields)
{
    const int ncells = m->space->ncells;
    int first = ncells; /* cells of a box have the order of the whole space */
#pragma omp parallel for reduction(min : first) num_threads(kn_sums_threads(m->threads, ncells))
    for (int i = 0; i < ncells; i++) {
        bool good = true;
        for (int f = 0; f < KN_FIELDS; f++)
            good = good & (bool)isfinite(fields[(size_t)i * KN_FIELDS + f]);
        good = good || m->space->volume[i] == 0;
        first = !good && i < first ? i : first;
    }
    if (first == ncells)
        return INT64_MAX;
    int f = 0;
    while (isfinite(fields[(size_t)first * KN_FIELDS + f]))
        f++;
    return kn_space_number(m->space, first) * KN_FIELDS + f;
}

enum kn_status kn_monitor_check(const struct kn_monitor *m, int64_t step, double time, const double *fields)
{
    int64_t bad = find_bad(m, fields);
    kn_comm_least(m->comm, &bad, 1);
    if (bad == INT64_MAX)
        return KN_OK;
    const long long cell = bad / KN_FIELDS, nx = m->space->whole[0], ny = m->space->whole[1];
    return kn_error_set(
        KN_ENUMERIC, "non-finite %s in cell %lld (x %lld, y %lld, z %lld) at step %lld, t = %.6g",
        field_name(bad % KN_FIELDS), cell, cell % nx, cell / nx % ny, cell / nx / ny, (long long)step, time);
}

static void fill_sums(const struct kn_monitor *m, struct kn_row *row, const struct kn_sums *sums)
{
    row->mass = sums->fields[KN_RHO];
    memcpy(row->momentum, sums->momentum, sizeof row->momentum);
    row->energy = sums->energy;
    row->size = sqrt(sums->size / sums->volume);
    row->volume = sums->volume;
    for (int f = 0; f < KN_FIELDS; f++)
        row->average[f] = sums->fields[f] / sums->volume;
    if (m->rows > 0) {
        double change[3];
        for (int d = 0; d < 3; d++)
            change[d] = row->momentum[d] - m->initial[1 + d];
        row->momentum_drift = norm(change);
        row->energy_drift = row->energy - m->initial[4];
    }
    /* if only round-off moves mass, a ratio to the moved mass is meaningless */
    if (!m->closed)
        row->mass_drift = NAN;
    else if (m->rows > 0 && sums->moved > 1e-6 * sums->disturbed)
        row->mass_drift = (row->mass - m->initial[0]) / sums->moved;
    if (m->rows == 0 || !(row->time > m->previous_time))
        row->residual = NAN;
    else if (sums->size != 0)
        row->residual = sqrt(sums->change / sums->size) / (row->time - m->previous_time);
}

/* Mean speed of the gas along a direction. */
static double flow_along(const struct kn_row *row, const double direction[3])
{
    double dot = 0;
    for (int d = 0; d < 3; d++)
        dot += row->average[KN_UX + d] * direction[d];
    return dot / norm(direction);
}

static void measure(const struct kn_monitor *m, struct kn_row *row, const double *fields,
                    const struct kn_wall_flux *walls)
{
    const double *force = m->c->source.force, *gradient = m->c->source.temperature_gradient;
    double delta = m->c->gas.delta;
    row->drag = row->vortex_flow = row->flow_force = row->flow_thermal = row->permeability = NAN;
    if (is_cavity(m->c)) {
        row->drag = walls[KN_TOP].shear_magnitude / lid_speed(m->c);
        row->vortex_flow = kn_sums_midline(m->space, m->comm, fields, m->midline) / lid_speed(m->c);
    }
    if (has_force(m->c))
        row->flow_force = flow_along(row, force) / (norm(force) * delta);
    if (has_creep(m->c))
        row->flow_thermal = 2 * flow_along(row, gradient) / (norm(gradient) * delta);
    if (kn_permeability_exists(m->c))
        row->permeability = kn_permeability_measure(m->c, row, m->ports);
    if (m->wave)
        kn_sums_project(row->wave, m->comm, m->space, m->wave, fields);
    for (int s = 0; s < KN_SIDES; s++) {
        for (int d = 0; d < 3; d++)
            row->stress[s][d] = walls[s].wall ? walls[s].stress[d] : NAN;
        row->heat_flux[s] = walls[s].wall ? walls[s].heat_flux : NAN;
        row->mass_flux[s] = walls[s].wall ? walls[s].mass_flux : NAN;
    }
    memcpy(row->body, m->bodies, sizeof row->body);
    memcpy(row->port, m->ports, sizeof row->port);
}

/* Fluxes through walls may be non-finite although all cells are finite. */
static enum kn_status check_walls(const struct kn_monitor *m, int64_t step, double time,
                                  const struct kn_wall_flux *walls)
{
    for (int i = 0; i < m->ncolumns; i++) {
        const size_t offset = m->columns[i].offset;
        const char *next = offset >= AT(port) ? (const char *)m->ports + (offset - AT(port))
                                              : (const char *)m->bodies + (offset - AT(body));
        if (kn_monitor_is_integral(&m->columns[i]) && !isfinite(*(const double *)next))
            return kn_error_set(KN_ENUMERIC, "non-finite %s at step %lld, t = %.6g", m->columns[i].name,
                                (long long)step, time);
    }
    for (int s = 0; s < KN_SIDES; s++) {
        const struct kn_wall_flux *w = &walls[s];
        double sum = w->stress[0] + w->stress[1] + w->stress[2] + w->heat_flux + w->mass_flux;
        if (w->wall && !isfinite(sum + w->shear_magnitude))
            return kn_error_set(KN_ENUMERIC, "non-finite flux through the %s wall at step %lld, t = %.6g",
                                kn_case_side_name((enum kn_side)s), (long long)step, time);
    }
    return KN_OK;
}

/* By default the second half of a noisy run is averaged, if the flow starts from rest or from an estimate of
 * the steady state and no wall oscillates: the first half is enough to become steady. */
double kn_monitor_window(const struct kn_case *c)
{
    const bool steady = (c->initial.shape == KN_SHAPE_REST || c->initial.shape == KN_SHAPE_BETWEEN) &&
                        !kn_duration_oscillates(c);
    if (c->output.average != KN_AVERAGE_AUTO)
        return c->output.average;
    return steady && kn_case_is_sampled(c->collision.method) ? kn_duration_end(c) / 2 : -1;
}

static void update_averages(struct kn_monitor *m)
{
    double share = 1.0 / (double)++m->averaged;
    for (int i = 0; i < m->ncolumns; i++) {
        double v = kn_monitor_column(m, i), off = v - m->mean[i];
        if (!isfinite(off)) /* the residual of a first row */
            continue;
        m->mean[i] += off * share;
        m->square[i] += off * (v - m->mean[i]);
        if (m->batches)
            kn_batches_add(&m->batches[i], v);
    }
}

/* Store the fields for the next residual, and add them to their averages inside the averaging window. */
static void keep_fields(struct kn_monitor *m, const double *fields, bool averaged)
{
    const int ncells = m->space->ncells;
    const double share = averaged ? 1.0 / (double)m->averaged : 0;
#pragma omp parallel for schedule(static) num_threads(kn_sums_threads(m->threads, ncells))
    for (int i = 0; i < ncells; i++) {
        const double *q = fields + (size_t)i * KN_FIELDS;
        double *mean = m->mean_fields + (size_t)i * KN_FIELDS;
        memcpy(m->previous + (size_t)i * WATCHED, q, WATCHED * sizeof *q);
        if (!averaged)
            continue;
        for (int f = 0; f < KN_FIELDS; f++)
            mean[f] += (q[f] - mean[f]) * share;
    }
}

enum kn_status kn_monitor_take(struct kn_monitor *m, int64_t step, double time, const double *fields,
                               const struct kn_wall_flux *walls)
{
    struct kn_sums sums;
    kn_sums_take(&sums, m->comm, m->threads, m->c->disturbance, m->space, fields,
                 m->rows > 0 ? m->previous : NULL);
    for (int f = 0; f < KN_FIELDS; f++)
        if (!isfinite(sums.fields[f])) /* a sum is finite only if all its terms are */
            KN_TRY(kn_monitor_check(m, step, time, fields));
    KN_TRY(check_walls(m, step, time, walls));

    struct kn_row row = {.step = (double)step,
                         .time = time,
                         .excess = {m->excess[0], m->excess[1]},
                         .equation_residual = m->iteration[0],
                         .update = m->iteration[1],
                         .balance = m->iteration[2]};
    fill_sums(m, &row, &sums);
    measure(m, &row, fields, walls);

    m->previous_residual = m->rows > 0 ? m->row.residual : NAN;
    m->row = row;
    if (m->rows++ == 0)
        memcpy(m->initial,
               (double[]){row.mass, row.momentum[0], row.momentum[1], row.momentum[2], row.energy},
               sizeof m->initial);
    m->previous_time = time;
    /* trends take rows at equal distances: not that of step 0, which has no fluxes, and not an additional row
     * at the end of a run, which may be continued */
    const bool regular = step > 0 && step % kn_config_history(m->c) == 0;
    for (int i = 0; i <= m->judged && regular; i++)
        kn_trend_add(&m->trends[i], i < m->judged ? kn_monitor_column(m, m->first_judged + i) : m->row.size);

    const bool averaged = m->window >= 0 && time >= m->window && step > 0;
    if (averaged)
        update_averages(m);
    keep_fields(m, fields, averaged);
    return KN_OK;
}

double kn_monitor_error(const struct kn_monitor *m, int column)
{
    return m->batches ? kn_batches_error(&m->batches[column]) : NAN;
}

double kn_monitor_value(const struct kn_monitor *m, int column)
{
    return m->averaged > 0 ? m->mean[column] : kn_monitor_column(m, column);
}

int kn_monitor_headline(const struct kn_monitor *m)
{
    int found = -1;
    for (int i = 0; i < m->ncolumns; i++) {
        const size_t offset = m->columns[i].offset;
        if (offset == AT(vortex_flow))
            continue;
        if (offset >= AT(drag) && offset < AT(stress))
            return i;
        if (offset >= AT(stress) && offset < AT(mass_flux) && kn_monitor_value(m, i) != 0 &&
            (found < 0 || fabs(kn_monitor_value(m, i)) > fabs(kn_monitor_value(m, found))))
            found = i;
    }
    return found;
}
