#include "monitor/monitor.h"

#include "collision/collision.h"
#include "config/config.h"
#include "config/quantities.h"
#include "error.h"
#include "grid/boundary.h"
#include "grid/initial.h"
#include "monitor/duration.h"
#include "monitor/midline.h"
#include "monitor/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WATCHED = KN_SUMS_WATCHED };

#define AVERAGE    "average."
#define AT(member) offsetof(struct kn_row, member)

/* clang-format off */
#define FIELD(name, field, unit, d) [field] = {AVERAGE name, unit, AT(average[field]), KN_DIMENSION_##d},
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
#define SIDE(name, side)                                                                \
    {{name ".stress_x", "p0 eps", AT(stress[side][0]), KN_DIMENSION_STRESS},             \
     {name ".stress_y", "p0 eps", AT(stress[side][1]), KN_DIMENSION_STRESS},             \
     {name ".stress_z", "p0 eps", AT(stress[side][2]), KN_DIMENSION_STRESS},             \
     {name ".heat_flux", "p0 V0 eps", AT(heat_flux[side]), KN_DIMENSION_HEAT_FLUX},      \
     {name ".mass_flux", "n0 V0 eps", AT(mass_flux[side]), KN_DIMENSION_MASS_FLUX}}
/* clang-format on */

static const struct kn_column always[] = {
    {"step", "1", AT(step), KN_DIMENSION_NONE},
    {"time", "lambda0 / V0", AT(time), KN_DIMENSION_TIME},
    {"residual", "V0 / lambda0", AT(residual), KN_DIMENSION_RATE},
    {"mass", "n0 lambda0^3 eps", AT(mass), KN_DIMENSION_NONE},
    {"momentum_x", "n0 V0 lambda0^3 eps", AT(momentum[0]), KN_DIMENSION_NONE},
    {"momentum_y", "n0 V0 lambda0^3 eps", AT(momentum[1]), KN_DIMENSION_NONE},
    {"momentum_z", "n0 V0 lambda0^3 eps", AT(momentum[2]), KN_DIMENSION_NONE},
    {"energy", "n0 V0^2 lambda0^3 eps", AT(energy), KN_DIMENSION_NONE},
};
static const struct kn_column of_closed_box[] = {{"mass_drift", "1", AT(mass_drift), KN_DIMENSION_NONE}};
static const struct kn_column of_change[] = {
    {"momentum_drift", "n0 V0 lambda0^3 eps", AT(momentum_drift), KN_DIMENSION_NONE},
    {"energy_drift", "n0 V0^2 lambda0^3 eps", AT(energy_drift), KN_DIMENSION_NONE},
};
static const struct kn_column of_cavity[] = {
    {"D", "p0 / V0", AT(drag), KN_DIMENSION_NONE},
    {"G", "1", AT(vortex_flow), KN_DIMENSION_NONE},
};
static const struct kn_column of_force[] = {{"G_P", "1", AT(flow_force), KN_DIMENSION_NONE}};
static const struct kn_column of_creep[] = {{"G_T", "1", AT(flow_thermal), KN_DIMENSION_NONE}};
static const struct kn_column of_uniform_gas[] = {
    {"fourth", "1", AT(excess[0]), KN_DIMENSION_NONE},
    {"sixth", "1", AT(excess[1]), KN_DIMENSION_NONE},
};
static const struct kn_column of_wave[WATCHED] = {
    {"wave.rho", "n0 eps", AT(wave[0]), KN_DIMENSION_NONE},
    {"wave.ux", "V0 eps", AT(wave[1]), KN_DIMENSION_NONE},
    {"wave.uy", "V0 eps", AT(wave[2]), KN_DIMENSION_NONE},
    {"wave.uz", "V0 eps", AT(wave[3]), KN_DIMENSION_NONE},
    {"wave.theta", "T0 eps", AT(wave[4]), KN_DIMENSION_NONE},
};
static const struct kn_column of_side[KN_SIDES][5] = {
    SIDE("left", KN_LEFT), SIDE("right", KN_RIGHT), SIDE("bottom", KN_BOTTOM),
    SIDE("top", KN_TOP),   SIDE("back", KN_BACK),   SIDE("front", KN_FRONT),
};
static const struct kn_column of_field[KN_FIELDS] = {KN_QUANTITY_LIST(FIELDS)};

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))
enum {
    COLUMNS_MAX = COUNT(always) + COUNT(of_closed_box) + COUNT(of_change) + COUNT(of_cavity) +
                  COUNT(of_force) + COUNT(of_creep) + 5 * KN_SIDES + KN_FIELDS + COUNT(of_uniform_gas) +
                  COUNT(of_wave)
};

static double value(const struct kn_row *row, const struct kn_column *column)
{
    double v;
    memcpy(&v, (const char *)row + column->offset, sizeof v);
    return v;
}

/* The first column of that name in a table, or what was found before. */
static const struct kn_column *find_in(const struct kn_column *found, const struct kn_column *table,
                                       int count, const char *name)
{
    for (int i = 0; i < count && !found; i++)
        if (strcmp(table[i].name, name) == 0)
            found = &table[i];
    return found;
}

/* The column of that name in any case, or NULL. */
static const struct kn_column *find(const char *name)
{
    const struct kn_column *found = find_in(NULL, always, COUNT(always), name);
    found = find_in(found, of_closed_box, COUNT(of_closed_box), name);
    found = find_in(found, of_change, COUNT(of_change), name);
    found = find_in(found, of_cavity, COUNT(of_cavity), name);
    found = find_in(found, of_force, COUNT(of_force), name);
    found = find_in(found, of_creep, COUNT(of_creep), name);
    found = find_in(found, of_field, COUNT(of_field), name);
    found = find_in(found, of_uniform_gas, COUNT(of_uniform_gas), name);
    found = find_in(found, of_wave, COUNT(of_wave), name);
    for (int s = 0; s < KN_SIDES; s++)
        found = find_in(found, of_side[s], COUNT(of_side[s]), name);
    return found;
}

const char *kn_monitor_unit(const char *name)
{
    const struct kn_column *column = find(name);
    return column ? column->unit : "1";
}

enum kn_dimension kn_monitor_dimension(const char *name)
{
    const struct kn_column *column = find(name);
    return column ? column->dimension : KN_DIMENSION_NONE;
}

double kn_monitor_column(const struct kn_monitor *m, int column)
{
    return value(&m->row, &m->columns[column]);
}

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* What D and G are measured in: the speed of the lid, or its amplitude where
 * the lid swings about rest. */
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

static bool has_wave(const struct kn_case *c)
{
    const int *wave = c->initial.wave;
    return wave[0] != 0 || wave[1] != 0 || wave[2] != 0;
}

bool kn_monitor_is_uniform(const struct kn_monitor *m)
{
    const int *cells = m->c->space.cells;
    return cells[0] == 1 && cells[1] == 1 && cells[2] == 1 && m->comm->size == 1;
}

/* -------------------------------------------------------- create, destroy */

static void add_columns(struct kn_monitor *m, const struct kn_column *table, int count)
{
    memcpy(m->columns + m->ncolumns, table, (size_t)count * sizeof *table);
    m->ncolumns += count;
}

static void choose_columns(struct kn_monitor *m)
{
    add_columns(m, always, COUNT(always));
    if (m->closed)
        add_columns(m, of_closed_box, COUNT(of_closed_box));
    add_columns(m, of_change, COUNT(of_change));
    m->first_judged = m->ncolumns;
    if (is_cavity(m->c))
        add_columns(m, of_cavity, COUNT(of_cavity));
    if (norm(m->c->source.force) > 0)
        add_columns(m, of_force, COUNT(of_force));
    if (norm(m->c->source.temperature_gradient) > 0)
        add_columns(m, of_creep, COUNT(of_creep));
    for (int s = 0; s < KN_SIDES; s++)
        if (m->c->walls[s].kind != KN_WALL_PERIODIC && !kn_space_is_uniform(m->c, s / 2))
            add_columns(m, of_side[s], COUNT(of_side[s]));
    m->judged = m->ncolumns - m->first_judged;
    add_columns(m, of_field, KN_FIELDS);
    if (kn_monitor_is_uniform(m))
        add_columns(m, of_uniform_gas, COUNT(of_uniform_gas));
    if (m->wave)
        add_columns(m, of_wave, COUNT(of_wave));
    if (m->judged == 0)
        m->judged = KN_FIELDS;
}

enum kn_status kn_monitor_create(struct kn_monitor *m, const struct kn_case *c, const struct kn_space *space,
                                 const struct kn_comm *comm)
{
    size_t n = (size_t)space->ncells;
    *m = (struct kn_monitor){.c = c,
                             .space = space,
                             .comm = comm,
                             .closed = kn_boundary_keeps_mass(c),
                             .previous_residual = NAN,
                             .least_time = kn_duration_least(c),
                             .settled_time = kn_duration_settled(c),
                             .window = kn_monitor_window(c)};
    m->columns = calloc(COLUMNS_MAX, sizeof *m->columns);
    m->mean = calloc(COLUMNS_MAX, sizeof *m->mean);
    m->square = calloc(COLUMNS_MAX, sizeof *m->square);
    m->previous = calloc(n * WATCHED, sizeof *m->previous);
    m->mean_fields = calloc(n * KN_FIELDS, sizeof *m->mean_fields);
    m->trends = calloc(COLUMNS_MAX + 1, sizeof *m->trends);
    const bool noisy = kn_collision_is_noisy(c), cavity = is_cavity(c), waves = has_wave(c);
    m->wave = waves ? calloc(n, sizeof *m->wave) : NULL;
    m->batches = noisy ? calloc(COLUMNS_MAX, sizeof *m->batches) : NULL;
    m->midline = cavity ? calloc((size_t)space->whole[1] * KN_MIDLINE_CELLS, sizeof *m->midline) : NULL;
    if (!m->columns || !m->mean || !m->square || !m->previous || !m->mean_fields || !m->trends ||
        (noisy && !m->batches) || (cavity && !m->midline) || (waves && !m->wave)) {
        kn_monitor_destroy(m);
        return kn_error_set(KN_EMEMORY, "not enough memory to watch %zu cells", n);
    }
    for (int i = 0; i < space->ncells && waves; i++)
        m->wave[i] = kn_initial_wave(c, space, i);
    choose_columns(m);
    return KN_OK;
}

void kn_monitor_destroy(struct kn_monitor *m)
{
    free(m->columns);
    free(m->mean);
    free(m->square);
    free(m->batches);
    free(m->previous);
    free(m->mean_fields);
    free(m->trends);
    free(m->wave);
    free(m->midline);
    *m = (struct kn_monitor){0};
}

/* ---------------------------------------------------------------- one row */

/* The first value that is not finite, numbered through the fields of the whole space; INT64_MAX: none. */
static int64_t find_bad(const struct kn_monitor *m, const double *fields)
{
    const int ncells = m->space->ncells;
    int first = ncells; /* the order of cells in a box is that in the whole space */
#pragma omp parallel for reduction(min : first) num_threads(kn_sums_threads(m->c, m->comm, ncells))
    for (int i = 0; i < ncells; i++) {
        bool good = true;
        for (int f = 0; f < KN_FIELDS; f++)
            good = good & (bool)isfinite(fields[(size_t)i * KN_FIELDS + f]);
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
    return kn_error_set(KN_ENUMERIC,
                        "non-finite %s in cell %lld (x %lld, y %lld, z %lld) at step %lld, t = %.6g",
                        of_field[bad % KN_FIELDS].name + strlen(AVERAGE), cell, cell % nx, cell / nx % ny,
                        cell / nx / ny, (long long)step, time);
}

/* A sum is finite only where all its terms are: there is nothing to look for then. */
static enum kn_status check_sums(const struct kn_monitor *m, const struct kn_sums *sums, int64_t step,
                                 double time, const double *fields)
{
    bool finite = true;
    for (int f = 0; f < KN_FIELDS; f++)
        finite = finite && isfinite(sums->fields[f]);
    return finite ? KN_OK : kn_monitor_check(m, step, time, fields);
}

static void fill_sums(const struct kn_monitor *m, struct kn_row *row, const struct kn_sums *sums)
{
    row->mass = sums->fields[KN_RHO];
    memcpy(row->momentum, sums->momentum, sizeof row->momentum);
    row->energy = sums->energy;
    row->size = sqrt(sums->size / sums->volume);
    for (int f = 0; f < KN_FIELDS; f++)
        row->average[f] = sums->fields[f] / sums->volume;
    if (m->rows > 0) {
        double change[3];
        for (int d = 0; d < 3; d++)
            change[d] = row->momentum[d] - m->initial[1 + d];
        row->momentum_drift = norm(change);
        row->energy_drift = row->energy - m->initial[4];
    }
    /* where nothing but rounding moves mass, a ratio to it would say nothing */
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
    row->drag = row->vortex_flow = row->flow_force = row->flow_thermal = NAN;
    if (is_cavity(m->c)) {
        row->drag = walls[KN_TOP].shear_magnitude / lid_speed(m->c);
        row->vortex_flow = kn_midline_flow(m->space, m->comm, fields, m->midline) / lid_speed(m->c);
    }
    if (norm(force) > 0)
        row->flow_force = flow_along(row, force) / (norm(force) * delta);
    if (norm(gradient) > 0)
        row->flow_thermal = 2 * flow_along(row, gradient) / (norm(gradient) * delta);
    if (m->wave)
        kn_sums_project(row->wave, m->comm, m->space, m->wave, fields);
    for (int s = 0; s < KN_SIDES; s++) {
        for (int d = 0; d < 3; d++)
            row->stress[s][d] = walls[s].wall ? walls[s].stress[d] : NAN;
        row->heat_flux[s] = walls[s].wall ? walls[s].heat_flux : NAN;
        row->mass_flux[s] = walls[s].wall ? walls[s].mass_flux : NAN;
    }
}

/* The cells are finite by now; what passes through a wall may still not be. */
static enum kn_status check_walls(int64_t step, double time, const struct kn_wall_flux *walls)
{
    for (int s = 0; s < KN_SIDES; s++) {
        const struct kn_wall_flux *w = &walls[s];
        double sum = w->stress[0] + w->stress[1] + w->stress[2] + w->heat_flux + w->mass_flux;
        if (w->wall && !isfinite(sum + w->shear_magnitude))
            return kn_error_set(KN_ENUMERIC, "non-finite flux through the %s wall at step %lld, t = %.6g",
                                kn_space_side_name((enum kn_side)s), (long long)step, time);
    }
    return KN_OK;
}

/* By default the second half of a noisy run is averaged, where the flow comes
 * from rest, or from a guess at it, and nothing in it swings: it has had time to become steady. */
double kn_monitor_window(const struct kn_case *c)
{
    bool steady = c->initial.shape == KN_SHAPE_REST || c->initial.shape == KN_SHAPE_BETWEEN;
    if (c->output.average != KN_AVERAGE_AUTO)
        return c->output.average;
    for (int s = 0; s < KN_SIDES; s++)
        steady = steady && c->walls[s].oscillation.frequency == 0;
    return steady && kn_collision_is_noisy(c) ? kn_duration_end(c) / 2 : -1;
}

static void update_averages(struct kn_monitor *m)
{
    double share = 1.0 / (double)++m->averaged;
    for (int i = 0; i < m->ncolumns; i++) {
        double v = value(&m->row, &m->columns[i]), off = v - m->mean[i];
        if (!isfinite(off)) /* the residual of a first row */
            continue;
        m->mean[i] += off * share;
        m->square[i] += off * (v - m->mean[i]);
        if (m->batches)
            kn_batches_add(&m->batches[i], v);
    }
}

/* The fields for the next row, and in their averages where they count. */
static void keep_fields(struct kn_monitor *m, const double *fields, bool averaged)
{
    const int ncells = m->space->ncells;
    const double share = averaged ? 1.0 / (double)m->averaged : 0;
#pragma omp parallel for schedule(static) num_threads(kn_sums_threads(m->c, m->comm, ncells))
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

/* Rows at equal distances: not that of step 0, when nothing has passed a wall, nor one that only the end of a
 * run made, after which the run may be continued. */
static void follow_trends(struct kn_monitor *m)
{
    for (int i = 0; i < m->judged; i++)
        kn_trend_add(&m->trends[i], kn_monitor_column(m, m->first_judged + i));
    kn_trend_add(&m->trends[m->judged], m->row.size);
}

enum kn_status kn_monitor_take(struct kn_monitor *m, int64_t step, double time, const double *fields,
                               const struct kn_wall_flux *walls)
{
    struct kn_sums sums;
    kn_sums_take(&sums, m->comm, m->c, m->space, fields, m->rows > 0 ? m->previous : NULL);
    enum kn_status status = check_sums(m, &sums, step, time, fields);
    if (status == KN_OK)
        status = check_walls(step, time, walls);
    if (status != KN_OK)
        return status;

    struct kn_row row = {.step = (double)step, .time = time, .excess = {m->excess[0], m->excess[1]}};
    fill_sums(m, &row, &sums);
    measure(m, &row, fields, walls);

    m->previous_residual = m->rows > 0 ? m->row.residual : NAN;
    m->row = row;
    if (m->rows++ == 0)
        memcpy(m->initial,
               (double[]){row.mass, row.momentum[0], row.momentum[1], row.momentum[2], row.energy},
               sizeof m->initial);
    m->previous_time = time;
    if (step > 0 && step % kn_config_history(m->c) == 0)
        follow_trends(m);

    const bool averaged = m->window >= 0 && time >= m->window && step > 0;
    if (averaged)
        update_averages(m);
    keep_fields(m, fields, averaged);
    return KN_OK;
}

/* --------------------------------------------------------------- averages */

double kn_monitor_error(const struct kn_monitor *m, int column)
{
    return m->batches ? kn_batches_error(&m->batches[column]) : NAN;
}

double kn_monitor_value(const struct kn_monitor *m, int column)
{
    return m->averaged > 0 ? m->mean[column] : value(&m->row, &m->columns[column]);
}

int kn_monitor_headline(const struct kn_monitor *m)
{
    const size_t named = AT(drag), walls = AT(stress), fluxes = AT(mass_flux);
    int found = -1;
    for (int i = 0; i < m->ncolumns; i++) {
        const size_t offset = m->columns[i].offset;
        if (offset == AT(vortex_flow))
            continue;
        if (offset >= named && offset < walls)
            return i;
        if (offset >= walls && offset < fluxes && kn_monitor_value(m, i) != 0 &&
            (found < 0 || fabs(kn_monitor_value(m, i)) > fabs(kn_monitor_value(m, found))))
            found = i;
    }
    return found;
}

/* ---------------------------------------------------------------- restart */

enum {
    STATE_VERSION = 5,
    ROW_SIZE = sizeof(struct kn_row) / sizeof(double),
    BATCHES_SIZE = sizeof(struct kn_batches) / sizeof(double),
    TREND_SIZE = sizeof(struct kn_trend) / sizeof(double)
};

struct state_head { /* all doubles: it is copied into the array as it stands */
    double version, ncolumns, ncells;
    double average_start, averaged, rows;
    double initial[5], previous_time, previous_residual;
};
enum { HEAD_SIZE = sizeof(struct state_head) / sizeof(double) };

int64_t kn_monitor_state_size(const struct kn_monitor *m)
{
    return HEAD_SIZE + ROW_SIZE + TREND_SIZE * (m->judged + 1) +
           (2 + (m->batches ? BATCHES_SIZE : 0)) * m->ncolumns;
}

static double *put(double *to, const void *from, size_t count)
{
    memcpy(to, from, count * sizeof *to);
    return to + count;
}

static const double *get(void *to, const double *from, size_t count)
{
    memcpy(to, from, count * sizeof *from);
    return from + count;
}

void kn_monitor_save(const struct kn_monitor *m, double *state)
{
    size_t columns = (size_t)m->ncolumns;
    struct state_head head = {STATE_VERSION, m->ncolumns,         (double)kn_space_count(m->space),
                              m->window,     (double)m->averaged, (double)m->rows,
                              {0},           m->previous_time,    m->previous_residual};
    memcpy(head.initial, m->initial, sizeof head.initial);
    state = put(state, &head, HEAD_SIZE);
    state = put(state, &m->row, ROW_SIZE);
    state = put(state, m->trends, ((size_t)m->judged + 1) * TREND_SIZE);
    state = put(state, m->mean, columns);
    state = put(state, m->square, columns);
    if (m->batches)
        put(state, m->batches, columns * BATCHES_SIZE);
}

static bool is_count(double value, double most)
{
    return value >= 0 && value <= most && value == floor(value);
}

static bool are_finite(const double *values, size_t count)
{
    bool finite = true;
    for (size_t i = 0; i < count; i++)
        finite = finite && isfinite(values[i]);
    return finite;
}

/* Whether a state behind its head is one that kn_monitor_save writes: counts in it become indices. */
static bool is_valid(const struct kn_monitor *m, const struct state_head *head, const double *state)
{
    const double most = 9007199254740992; /* 2^53: whole numbers are exact up to here */
    struct kn_row row;
    struct kn_trend trend;
    struct kn_batches batches;
    bool good = is_count(head->rows, most) && is_count(head->averaged, head->rows) &&
                isfinite(head->average_start) && isfinite(head->previous_time) &&
                are_finite(head->initial, 5);
    state = get(&row, state, ROW_SIZE);
    good = good && is_count(row.step, most) && isfinite(row.time) && isfinite(row.size);
    for (int i = 0; i <= m->judged && good; i++) { /* and that of row.size */
        state = get(&trend, state, TREND_SIZE);
        good = kn_trend_is_valid(&trend);
    }
    good = good && are_finite(state, 2 * (size_t)m->ncolumns);
    if (good)
        state += 2 * m->ncolumns;
    for (int i = 0; m->batches && i < m->ncolumns && good; i++) {
        state = get(&batches, state, BATCHES_SIZE);
        good = kn_batches_is_valid(&batches);
    }
    return good;
}

enum kn_status kn_monitor_restore(struct kn_monitor *m, const double *state, int64_t size)
{
    size_t columns = (size_t)m->ncolumns;
    struct state_head head = {0};
    if (size == kn_monitor_state_size(m))
        state = get(&head, state, HEAD_SIZE);
    if (head.version != STATE_VERSION || head.ncolumns != m->ncolumns ||
        head.ncells != (double)kn_space_count(m->space))
        return kn_error_set(KN_EINPUT, "the checkpoint watches other quantities than this case does");
    if (!is_valid(m, &head, state))
        return kn_error_set(KN_EIO, "the checkpoint is damaged: its averages and trends make no sense");
    m->rows = (int64_t)head.rows;
    m->averaged = (int64_t)head.averaged;
    memcpy(m->initial, head.initial, sizeof m->initial);
    m->previous_time = head.previous_time;
    m->previous_residual = head.previous_residual;
    state = get(&m->row, state, ROW_SIZE);
    state = get(m->trends, state, ((size_t)m->judged + 1) * TREND_SIZE);
    state = get(m->mean, state, columns);
    state = get(m->square, state, columns);
    if (m->batches)
        get(m->batches, state, columns * BATCHES_SIZE);

    /* a window that nobody has set goes on where it began, also to a later end */
    m->window = m->c->output.average == KN_AVERAGE_AUTO && m->averaged > 0 ? head.average_start
                                                                           : kn_monitor_window(m->c);
    if (head.average_start != m->window) {
        m->averaged = 0;
        memset(m->mean, 0, columns * sizeof *m->mean);
        memset(m->square, 0, columns * sizeof *m->square);
        if (m->batches)
            memset(m->batches, 0, columns * sizeof *m->batches);
    }
    return KN_OK;
}

enum kn_status kn_monitor_move(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    struct kn_monitor *m = of;
    double *row = rows;
    for (int64_t cell = first; cell < first + count; cell++, row += KN_MONITOR_CELL) {
        double *previous = m->previous + cell * WATCHED, *mean = m->mean_fields + cell * KN_FIELDS;
        if (!in) {
            put(put(row, previous, WATCHED), mean, KN_FIELDS);
            continue;
        }
        get(previous, row, WATCHED);
        if (m->averaged > 0)
            get(mean, row + WATCHED, KN_FIELDS);
        else /* they are begun anew */
            memset(mean, 0, KN_FIELDS * sizeof *mean);
    }
    return KN_OK;
}
