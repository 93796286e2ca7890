/* Least-squares fits of one frequency to columns of the history, and the force on what moves. */
#include "monitor/oscillation.h"

#include "config/case.h"
#include "monitor/history_table.h"

#include <math.h>
#include <string.h>

enum { LEAST_ROWS = 8 }; /* per period */

/* The first oscillating wall, to which phases refer; frequency 0: there is none, or there are several
 * frequencies. */
static struct kn_oscillation find_wall(const struct kn_case *c)
{
    struct kn_oscillation found = {.frequency = 0};
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const struct kn_oscillation o = kn_case_surface(c, i).oscillation;
        if (o.frequency == 0)
            continue;
        if (found.frequency > 0 && o.frequency != found.frequency)
            return (struct kn_oscillation){.frequency = 0};
        found = found.frequency > 0 ? found : o;
    }
    return found;
}

/* The first half of the run is ignored if the second half contains a period. */
static int whole_periods(double time, double period)
{
    const double of_half = floor(0.5 * time / period * (1 + 1e-9));
    return time >= period * (1 - 1e-9) ? (int)fmax(1, of_half) : 0;
}

/* Rows [first, end) of the history. */
struct rows {
    int64_t first, end;
};

/* The rows after `from` up to `to`, with a tolerance for round-off.  The row of step 0 has no fluxes and is
 * in no window. */
static struct rows rows_between(const struct kn_history_table *h, double from, double to, double period)
{
    const int time = kn_history_column(h, "time");
    const double slack = 1e-6 * period;
    struct rows r = {0, h->rows};
    while (r.first < h->rows && kn_history_at(h, r.first, time) <= fmax(from, 0) + slack)
        r.first++;
    while (r.end > r.first && kn_history_at(h, r.end - 1, time) > to + slack)
        r.end--;
    return r;
}

enum { TERMS = 3 };

/* Cholesky factorisation of normal equations, scaled to ones on the diagonal; false: the terms are linearly
 * dependent on these rows. */
static bool solve(double matrix[TERMS][TERMS], const double right[TERMS], double x[TERMS])
{
    double root[TERMS][TERMS], scale[TERMS];
    for (int i = 0; i < TERMS; i++)
        scale[i] = 1 / sqrt(matrix[i][i]);
    for (int i = 0; i < TERMS; i++) {
        for (int j = 0; j <= i; j++) {
            double rest = matrix[i][j] * scale[i] * scale[j];
            for (int k = 0; k < j; k++)
                rest -= root[i][k] * root[j][k];
            if (i == j && !(rest > 1e-13))
                return false;
            root[i][j] = i == j ? sqrt(rest) : rest / root[j][j];
        }
        x[i] = right[i] * scale[i];
        for (int k = 0; k < i; k++)
            x[i] -= root[i][k] * x[k];
        x[i] /= root[i][i];
    }
    for (int i = TERMS - 1; i >= 0; i--) {
        for (int k = i + 1; k < TERMS; k++)
            x[i] -= root[k][i] * x[k];
        x[i] /= root[i][i];
    }
    for (int i = 0; i < TERMS; i++)
        x[i] *= scale[i];
    return true;
}

/* Coefficients of mean, cosine and sine in one column. */
static bool fit_column(const struct kn_history_table *h, int column, struct rows rows, double frequency,
                       double shift, double part[TERMS])
{
    double matrix[TERMS][TERMS] = {{0}}, right[TERMS] = {0};
    const int time = kn_history_column(h, "time");
    for (int64_t row = rows.first; row < rows.end; row++) {
        const double angle = frequency * (kn_history_at(h, row, time) - shift),
                     term[TERMS] = {1, cos(angle), sin(angle)};
        for (int i = 0; i < TERMS; i++) {
            for (int j = 0; j < TERMS; j++)
                matrix[i][j] += term[i] * term[j];
            right[i] += term[i] * kn_history_at(h, row, column);
        }
    }
    return solve(matrix, right, part);
}

static bool has_amplitude(const struct kn_column *column)
{
    const enum kn_dimension flux = kn_monitor_flux(column);
    return flux != KN_DIMENSION_NONE && flux != KN_DIMENSION_MASS_FLUX;
}

static void find_columns(struct kn_oscillation_fit *s, const struct kn_history_table *h,
                         const struct kn_monitor *m, struct rows rows, double shift, double wall_phase)
{
    for (int i = 0; i < m->ncolumns && s->count < KN_OSCILLATION_COLUMNS; i++) {
        double part[3];
        const int column = kn_history_column(h, m->columns[i].name);
        if (!has_amplitude(&m->columns[i]) || column < 0 ||
            !fit_column(h, column, rows, s->frequency, shift, part))
            continue;
        s->columns[s->count++] = (struct kn_oscillation_column){
            i, part[0], hypot(part[1], part[2]), remainder(atan2(-part[2], part[1]) - wall_phase, 2 * M_PI)};
    }
}

/* The largest change of an amplitude between two windows, relative to the largest amplitude. */
static double change_between(const struct kn_oscillation_fit *s, const struct kn_history_table *h,
                             const struct kn_monitor *m, struct rows early, struct rows late)
{
    double largest = 0, change = 0;
    for (int i = 0; i < s->count; i++)
        largest = fmax(largest, s->columns[i].amplitude);
    for (int i = 0; i < s->count; i++) {
        double a[3], b[3];
        const int column = kn_history_column(h, m->columns[s->columns[i].column].name);
        if (!fit_column(h, column, early, s->frequency, 0, a) ||
            !fit_column(h, column, late, s->frequency, 0, b))
            return NAN;
        change = fmax(change, hypot(b[1] - a[1], b[2] - a[2]));
    }
    return largest > 0 ? change / largest : NAN;
}

/* Compare the halves of the window, or a window of one period with the period before. */
static void find_change(struct kn_oscillation_fit *s, const struct kn_history_table *h,
                        const struct kn_monitor *m, double end, double period)
{
    const int each = s->periods > 1 ? s->periods / 2 : 1;
    const double span = each * period;
    if (end < 2 * span * (1 - 1e-9))
        return;
    s->change = change_between(s, h, m, rows_between(h, end - 2 * span, end - span, period),
                               rows_between(h, end - span, end, period));
}

struct kn_oscillation_units kn_oscillation_units(const struct kn_oscillation_mover *m)
{
    return m->surface < KN_SIDES
               ? (struct kn_oscillation_units){KN_DIMENSION_DAMPING, KN_DIMENSION_ADDED_MASS}
               : (struct kn_oscillation_units){KN_DIMENSION_BODY_DAMPING, KN_DIMENSION_BODY_MASS};
}

/* The column of a component of the force on a side or a body; NULL: there is none. */
static const struct kn_oscillation_column *find_force(const struct kn_oscillation_fit *s,
                                                      const struct kn_monitor *m, int surface, int d)
{
    const size_t of_body = (size_t)(surface - KN_SIDES) * sizeof(struct kn_body_flux),
                 offset = surface < KN_SIDES ? offsetof(struct kn_row, stress[surface])
                                             : offsetof(struct kn_row, body) + of_body;
    for (int i = 0; i < s->count; i++)
        if (m->columns[s->columns[i].column].offset == offset + (size_t)d * sizeof(double))
            return &s->columns[i];
    return NULL;
}

/* Theory (68a), from the forces along the motion of each side and body.  The force on a side at the high end
 * of an axis, and on a body, is the value of the column; on one at the low end it is the opposite. */
static void find_damping(struct kn_oscillation_fit *s, const struct kn_monitor *m, double first_phase)
{
    for (int surface = 0; surface < KN_SIDES + kn_case_bodies(m->c); surface++) {
        const struct kn_oscillation o = kn_case_surface(m->c, surface).oscillation;
        const double sign = surface < KN_SIDES && surface % 2 == 0 ? 1 : -1;
        double in_phase = 0, ahead = 0, square = 0;
        for (int d = 0; d < 3; d++) {
            const struct kn_oscillation_column *force = find_force(s, m, surface, d);
            const double size = force ? sign * force->amplitude * o.velocity[d] : 0,
                         angle = force ? force->phase + first_phase - o.phase : 0;
            in_phase += size * cos(angle);
            ahead += size * sin(angle);
            square += o.velocity[d] * o.velocity[d];
        }
        if (square > 0 && s->count > 0)
            s->mover[s->movers++] =
                (struct kn_oscillation_mover){surface, in_phase / square, ahead / (square * s->frequency)};
    }
}

void kn_oscillation_find(struct kn_oscillation_fit *s, const struct kn_history_table *h,
                         const struct kn_monitor *m, double time_step)
{
    const struct kn_oscillation wall = find_wall(m->c);
    const int time = kn_history_column(h, "time");
    *s = (struct kn_oscillation_fit){.change = NAN};
    if (wall.frequency == 0 || time < 0 || h->rows == 0)
        return;
    const double end = kn_history_at(h, h->rows - 1, time), period = 2 * M_PI / wall.frequency;
    s->periods = whole_periods(end, period);
    const struct rows rows = rows_between(h, end - s->periods * period, end, period);
    if (s->periods > 0 && rows.end - rows.first >= (int64_t)LEAST_ROWS * s->periods) {
        s->frequency = wall.frequency;
        find_columns(s, h, m, rows, 0.5 * time_step, wall.phase);
        find_change(s, h, m, end, period);
        find_damping(s, m, wall.phase);
    }
}

/* The fluxes as a row of the history. */
static struct kn_row row_of(const struct kn_fluxes_result *fluxes)
{
    struct kn_row row = {0};
    for (int side = 0; side < KN_SIDES; side++) {
        memcpy(row.stress[side], fluxes->walls[side].stress, sizeof row.stress[side]);
        row.heat_flux[side] = fluxes->walls[side].heat_flux;
    }
    memcpy(row.body, fluxes->bodies, sizeof row.body);
    memcpy(row.port, fluxes->ports, sizeof row.port);
    return row;
}

void kn_oscillation_take(struct kn_oscillation_fit *s, const struct kn_monitor *m,
                         const struct kn_fluxes_result *real, const struct kn_fluxes_result *imaginary)
{
    const struct kn_oscillation wall = find_wall(m->c);
    const struct kn_row rows[2] = {row_of(real), row_of(imaginary)};
    *s = (struct kn_oscillation_fit){.change = m->row.update};
    if (wall.frequency == 0)
        return;
    s->frequency = wall.frequency;
    for (int i = 0; i < m->ncolumns && s->count < KN_OSCILLATION_COLUMNS; i++) {
        double part[2];
        if (!has_amplitude(&m->columns[i]))
            continue;
        for (int k = 0; k < 2; k++)
            memcpy(&part[k], (const char *)&rows[k] + m->columns[i].offset, sizeof part[k]);
        s->columns[s->count++] = (struct kn_oscillation_column){
            i, 0, hypot(part[0], part[1]), remainder(atan2(part[1], part[0]) - wall.phase, 2 * M_PI)};
    }
    find_damping(s, m, wall.phase);
}
