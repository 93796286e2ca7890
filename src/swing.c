#include "swing.h"

#include "fit.h"
#include "io/history.h"

#include <math.h>
#include <string.h>

enum { LEAST_ROWS = 8 }; /* in a period, to tell its shape */

/* The wall by which phases are told: the first that swings; NULL where none does, or at other frequencies
 * too. */
static const struct kn_oscillation *find_wall(const struct kn_case *c)
{
    const struct kn_oscillation *found = NULL;
    for (int side = 0; side < KN_SIDES; side++) {
        const struct kn_oscillation *o = &c->walls[side].oscillation;
        if (o->frequency == 0)
            continue;
        if (found && o->frequency != found->frequency)
            return NULL;
        found = found ? found : o;
    }
    return found;
}

/* Half of the run is left to its start, where that leaves a period. */
static int whole_periods(double time, double period)
{
    const double of_half = floor(0.5 * time / period * (1 + 1e-9));
    return time >= period * (1 - 1e-9) ? (int)fmax(1, of_half) : 0;
}

/* Mean, cosine and sine of one column over the rows from `first` on. */
static bool fit_column(const struct kn_history_table *h, int column, int64_t first, double frequency,
                       double shift, double part[3])
{
    struct kn_fit fit = {.terms = 3};
    const int time = kn_history_column(h, "time");
    for (int64_t row = first; row < h->rows; row++) {
        const double angle = frequency * (kn_history_at(h, row, time) - shift);
        kn_fit_add(&fit, (double[]){1, cos(angle), sin(angle)}, kn_history_at(h, row, column));
    }
    return kn_fit_solve(&fit, part);
}

enum kn_dimension kn_swing_dimension(const struct kn_column *column)
{
    return column->offset < offsetof(struct kn_row, heat_flux) ? KN_DIMENSION_STRESS : KN_DIMENSION_HEAT_FLUX;
}

static void find_columns(struct kn_swing *s, const struct kn_history_table *h, const struct kn_monitor *m,
                         int64_t first, double shift, double wall_phase)
{
    const size_t from = offsetof(struct kn_row, stress), to = offsetof(struct kn_row, mass_flux);
    for (int i = 0; i < m->ncolumns && s->count < KN_SWING_COLUMNS; i++) {
        double part[3];
        const int column = kn_history_column(h, m->columns[i].name);
        if (m->columns[i].offset < from || m->columns[i].offset >= to || column < 0 ||
            !fit_column(h, column, first, s->frequency, shift, part))
            continue;
        s->columns[s->count++] = (struct kn_swing_column){
            i, part[0], hypot(part[1], part[2]), remainder(atan2(-part[2], part[1]) - wall_phase, 2 * M_PI)};
    }
}

enum kn_status kn_swing_find(struct kn_swing *s, const char *folder, const struct kn_monitor *m,
                             double time_step)
{
    const struct kn_oscillation *wall = find_wall(m->c);
    struct kn_history_table h;
    *s = (struct kn_swing){0};
    if (!wall)
        return KN_OK;
    const enum kn_status status = kn_history_read(&h, folder);
    const int time = status == KN_OK ? kn_history_column(&h, "time") : -1;
    if (time >= 0 && h.rows > 0) {
        const double end = kn_history_at(&h, h.rows - 1, time), period = 2 * M_PI / wall->frequency;
        int64_t first = h.rows;
        s->periods = whole_periods(end, period);
        while (first > 0 && kn_history_at(&h, first - 1, time) > end - s->periods * period)
            first--;
        if (s->periods > 0 && h.rows - first >= (int64_t)LEAST_ROWS * s->periods) {
            s->frequency = wall->frequency;
            find_columns(s, &h, m, first, 0.5 * time_step, wall->phase);
        }
    }
    kn_history_free(&h);
    return status;
}
