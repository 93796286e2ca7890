#include "verify/measure.h"

#include "error.h"
#include "monitor/fit.h"
#include "verify/measure_text.h"
#include "verify/measure_wave.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where along x half-space problems are looked at: past the layer at the wall, before the far end. */
static const double FAR[2] = {0.4, 0.7}, SOUND[2] = {0.25, 0.5};

/* A record as somebody saw it who stopped earlier, or averaged over a part of the time only. */
struct view {
    const struct kn_record *r;
    int64_t rows;         /* that had been taken */
    bool average;         /* columns are averages */
    const double *fields; /* [ncells][KN_FIELDS] */
    int swing;            /* which of the two fits */
};

/* ---------------------------------------------------------------- columns */

static double at_row(const struct kn_record *r, int column, int64_t row)
{
    return r->history[row * r->ncolumns + column];
}

/* When the value of a row was: what passes through walls is the mean over the step before. */
static double row_time(const struct kn_record *r, int column, int64_t row)
{
    const size_t offset = r->columns[column].offset;
    const bool flux =
        (offset >= offsetof(struct kn_row, stress) && offset < offsetof(struct kn_row, average)) ||
        offset == offsetof(struct kn_row, drag);
    return at_row(r, kn_record_column(r, "time"), row) - (flux ? r->step / 2 : 0);
}

/* Cubic through the four rows about a time. */
static double at_time(const struct kn_record *r, int column, double time)
{
    const double slack = 1e-6 * (1 + time);
    const int64_t n = r->rows;
    int64_t after = 0;
    while (after < n && row_time(r, column, after) < time - slack)
        after++;
    if (after == n)
        return NAN;
    if (fabs(row_time(r, column, after) - time) <= slack)
        return at_row(r, column, after);
    if (n < 4)
        return NAN;
    int64_t first = after < 2 ? 0 : after - 2;
    first = first > n - 4 ? n - 4 : first;
    double value = 0;
    for (int64_t i = first; i < first + 4; i++) {
        const double at = row_time(r, column, i);
        double share = 1;
        for (int64_t j = first; j < first + 4; j++)
            if (j != i)
                share *= (time - row_time(r, column, j)) / (at - row_time(r, column, j));
        value += share * at_row(r, column, i);
    }
    return value;
}

/* a cos(w t) + b sin(w t) = A cos(w t + phase); the sign is that of the signal. */
static double polar(const struct kn_measure_text *q, double a, double b)
{
    const bool phase = q->kind == KN_MEASURE_PHASE || q->kind == KN_MEASURE_POINT_PHASE;
    return phase ? atan2(-q->sign * b, q->sign * a) : hypot(a, b);
}

static double column_swing(const struct view *v, const struct kn_measure_text *q, int column)
{
    const struct kn_record *r = v->r;
    const double shift = v->swing * (r->window[1] - r->window[0]) / 4, slack = 1e-9 * r->window[1];
    struct kn_fit f = {.terms = 3};
    double a[3];
    for (int64_t i = 1; i < r->rows; i++) {
        const double t = row_time(r, column, i), w = r->frequency;
        if (t >= r->window[0] - shift - slack && t <= r->window[1] - shift + slack)
            kn_fit_add(&f, (double[]){1, cos(w * t), sin(w * t)}, at_row(r, column, i));
    }
    return r->frequency > 0 && kn_fit_solve(&f, a) ? polar(q, a[1], a[2]) : NAN;
}

/* The slope of the second half. */
static double column_rate(const struct view *v, int column)
{
    const int64_t first = v->rows / 2;
    struct kn_fit f = {.terms = 2};
    double line[2];
    for (int64_t i = first; i < v->rows; i++)
        kn_fit_add(&f, (double[]){1, row_time(v->r, column, i) - row_time(v->r, column, first)},
                   at_row(v->r, column, i));
    return kn_fit_solve(&f, line) ? line[1] : NAN;
}

static double measure_column(const struct view *v, const struct kn_measure_text *q, int column)
{
    switch (q->kind) {
    case KN_MEASURE_VALUE:
        return at_time(v->r, column, q->time);
    case KN_MEASURE_SHARE:
        return at_time(v->r, column, q->time) / at_row(v->r, column, 0);
    case KN_MEASURE_AMPLITUDE:
    case KN_MEASURE_PHASE:
        return column_swing(v, q, column);
    case KN_MEASURE_RATE:
        return column_rate(v, column);
    default:
        return v->average ? v->r->mean[column] : at_row(v->r, column, v->rows - 1);
    }
}

/* ----------------------------------------------------------------- places */

static double length(const struct kn_record *r)
{
    return r->edges[0][r->cells[0]] - r->edges[0][0];
}

/* The two cells along an axis whose straight line is taken, also beyond the outermost centres. */
static int bracket(const struct kn_record *r, int axis, double x, double share[2])
{
    const int n = r->cells[axis];
    int low = 0;
    share[0] = 1;
    share[1] = 0;
    if (n == 1)
        return 0;
    while (low < n - 2 && kn_record_centre(r, axis, low + 1) <= x)
        low++;
    const double left = kn_record_centre(r, axis, low), right = kn_record_centre(r, axis, low + 1);
    share[1] = (x - left) / (right - left);
    share[0] = 1 - share[1];
    return low;
}

/* Linear in each axis; `stride` values a field. */
static double at_place(const struct kn_record *r, const struct kn_measure_text *q, const double *values,
                       int stride, int offset)
{
    int low[3];
    double share[3][2], sum = 0;
    for (int d = 0; d < 3; d++) {
        const double *edge = r->edges[d];
        const double x = d < q->axes ? q->at[d] * r->c.gas.delta : (edge[0] + edge[r->cells[d]]) / 2;
        low[d] = bracket(r, d, x, share[d]);
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int64_t cell = 0;
        for (int d = 2; d >= 0; d--) {
            const int high = corner >> d & 1;
            weight *= share[d][high];
            cell = cell * r->cells[d] + (low[d] + high < r->cells[d] ? low[d] + high : low[d]);
        }
        sum += weight * values[(cell * KN_FIELDS + q->field) * stride + offset];
    }
    return sum;
}

static double place_swing(const struct view *v, const struct kn_measure_text *q)
{
    const double *swing = v->r->swing[v->swing];
    return swing ? polar(q, at_place(v->r, q, swing, 2, 0), at_place(v->r, q, swing, 2, 1)) : NAN;
}

/* ------------------------------------------------------- profiles along x */

/* The cells of the first row along x whose centres lie in a window of the axis. */
static int find_window(const struct kn_record *r, const double part[2], int *first)
{
    int count = 0;
    for (int i = 0; i < r->cells[0]; i++) {
        const double x = (kn_record_centre(r, 0, i) - r->edges[0][0]) / length(r);
        if (x < part[0] || x > part[1])
            continue;
        *first = count++ ? *first : i;
    }
    return count;
}

/* Positions in the window, and room for values behind them: [count] each. */
static double *window_places(const struct kn_record *r, const double part[2], int *first, int *count)
{
    *first = 0;
    *count = find_window(r, part, first);
    double *x = calloc(2 * (size_t)*count + 1, sizeof *x);
    for (int i = 0; x && i < *count; i++)
        x[i] = kn_record_centre(r, 0, *first + i) - r->edges[0][0];
    return x;
}

/* Positions and values in the window. */
static double *window_line(const struct view *v, int field, const double part[2], int *count)
{
    int first;
    double *x = window_places(v->r, part, &first, count);
    for (int i = 0; x && i < *count; i++)
        x[*count + i] = v->fields[(size_t)(first + i) * KN_FIELDS + field];
    return x;
}

static double far_value(const struct view *v, int field)
{
    int count;
    double *x = window_line(v, field, FAR, &count), sum = 0;
    for (int i = 0; x && i < count; i++)
        sum += x[count + i];
    free(x);
    return sum / count;
}

static double slip(const struct view *v, int field)
{
    const struct kn_wall *wall = &v->r->c.walls[KN_LEFT];
    const double at_wall = field == KN_THETA                  ? wall->temperature
                           : field >= KN_UX && field <= KN_UZ ? wall->velocity[field - KN_UX]
                                                              : 0;
    int count;
    double *x = window_line(v, field, FAR, &count), line[2];
    const bool good = x && kn_fit_line(x, x + count, count, line);
    free(x);
    return good ? (line[0] - at_wall) / line[1] : NAN;
}

/* A cos(w t - k x) e^(-alpha x) = a cos + b sin: phase -k x. */
static double sound(const struct view *v, int field, bool attenuation)
{
    const double *swing = v->r->swing[v->swing];
    int first, count;
    double *x = window_places(v->r, SOUND, &first, &count), line[2], before = 0;
    for (int i = 0; x && swing && i < count; i++) {
        const double *s = swing + 2 * ((size_t)(first + i) * KN_FIELDS + field);
        double phase = atan2(-s[1], s[0]);
        phase -= i ? 2 * M_PI * round((phase - before) / (2 * M_PI)) : 0;
        before = phase;
        x[count + i] = attenuation ? log(hypot(s[0], s[1])) : phase;
    }
    const bool good = x && swing && kn_fit_line(x, x + count, count, line);
    free(x);
    return good ? -line[1] : NAN;
}

static double measure_field(const struct view *v, const struct kn_measure_text *q)
{
    switch (q->kind) {
    case KN_MEASURE_POINT:
    case KN_MEASURE_POINT_VALUE:
        return at_place(v->r, q, v->fields, 1, 0);
    case KN_MEASURE_POINT_AMPLITUDE:
    case KN_MEASURE_POINT_PHASE:
        return place_swing(v, q);
    case KN_MEASURE_FAR:
        return far_value(v, q->field);
    case KN_MEASURE_SLIP:
        return slip(v, q->field);
    case KN_MEASURE_WAVENUMBER:
    case KN_MEASURE_ATTENUATION:
        return sound(v, q->field, q->kind == KN_MEASURE_ATTENUATION);
    case KN_MEASURE_THICKNESS:
        return kn_measure_thickness(v->r, v->fields, q->field);
    case KN_MEASURE_LEAD:
        return kn_measure_lead(v->r, v->fields, q->field);
    case KN_MEASURE_PROFILE:
        return kn_measure_profile(v->r, v->fields, q->field, q->at[0]);
    default:
        return kn_measure_mode(v->r, v->rows, q);
    }
}

/* ------------------------------------------------------------------ errors */

static bool has_swing(enum kn_measure_kind kind)
{
    return kind == KN_MEASURE_AMPLITUDE || kind == KN_MEASURE_PHASE || kind == KN_MEASURE_POINT_AMPLITUDE ||
           kind == KN_MEASURE_POINT_PHASE;
}

static double look(const struct view *v, const struct kn_measure_text *q, int column)
{
    const double sign = has_swing(q->kind) ? 1 : q->sign;
    return sign * (q->field < 0 ? measure_column(v, q, column) : measure_field(v, q));
}

/* What had been seen at 3/4 of the run, or of the fields somewhat before. */
static struct view earlier(const struct kn_record *r)
{
    struct view v = {.r = r, .fields = r->before, .swing = 1};
    const int clock = kn_record_column(r, "time");
    const double end = at_row(r, clock, r->rows - 1);
    while (v.rows < r->rows && at_row(r, clock, v.rows) <= 0.75 * end * (1 + 1e-9))
        v.rows++;
    return v;
}

/* Standard error of an average, from the scatter of those over its parts. */
static double scatter(const struct kn_record *r, const struct kn_measure_text *q)
{
    double mean = 0, square = 0;
    if (r->parts < 2)
        return r->parts ? NAN : 0; /* one part has noise, but no scatter */
    for (int i = 0; i < r->parts; i++) {
        const struct view v = {.r = r, .rows = r->rows, .fields = r->part[i]};
        const double value = look(&v, q, -1), off = value - mean;
        mean += off / (i + 1);
        square += off * (value - mean);
    }
    return sqrt(square / (r->parts - 1) / r->parts);
}

static bool is_mode(enum kn_measure_kind kind)
{
    return kind >= KN_MEASURE_DECAY && kind <= KN_MEASURE_ATTENUATION;
}

static void find_errors(const struct kn_record *r, const struct kn_measure_text *q, int column,
                        struct kn_measure *m)
{
    const bool history = has_swing(q->kind) || is_mode(q->kind) ||
                         q->kind == KN_MEASURE_RATE; /* no average, whatever the record has */
    if (q->kind == KN_MEASURE_VALUE || q->kind == KN_MEASURE_SHARE || q->kind == KN_MEASURE_POINT_VALUE)
        return;
    if (r->averaged && !history) {
        m->statistical = q->field < 0 ? r->error[column] : scatter(r, q);
        m->statistical = r->parts > 0 || isfinite(m->statistical) ? m->statistical : 0;
        return;
    }
    const struct view before = earlier(r);
    m->unsteady = fabs(look(&before, q, column) - m->value);
    if (q->kind == KN_MEASURE_PHASE || q->kind == KN_MEASURE_POINT_PHASE)
        m->unsteady = fabs(remainder(m->unsteady, 2 * M_PI));
}

/* Fields are those of the end, where they are no averages. */
static enum kn_status check_end(const struct kn_record *r, const struct kn_measure_text *q,
                                const char *quantity)
{
    const double end = at_row(r, kn_record_column(r, "time"), r->rows - 1);
    if (q->kind != KN_MEASURE_POINT_VALUE)
        return KN_OK;
    if (r->averaged)
        return kn_error_set(KN_EINPUT,
                            "'%s': fields of this run are averages (without output.average they are not)",
                            quantity);
    return fabs(end - q->time) <= 1e-6 * (1 + q->time)
               ? KN_OK
               : kn_error_set(KN_EINPUT, "'%s': fields are known at the end of the run only, t = %g",
                              quantity, end);
}

enum kn_status kn_measure_take(const struct kn_record *r, const char *quantity, struct kn_measure *m)
{
    struct kn_measure_text q;
    enum kn_status status = kn_measure_parse(&q, quantity);
    if (status != KN_OK)
        return status;
    const int column = q.field < 0 ? kn_record_column(r, q.name) : -1;
    if (q.field < 0 && column < 0)
        return kn_error_set(KN_EINPUT, "'%s': this case has no %s", quantity, q.name);
    if ((status = check_end(r, &q, quantity)) != KN_OK)
        return status;
    const struct view v = {.r = r, .rows = r->rows, .average = r->averaged, .fields = r->fields};
    *m = (struct kn_measure){.value = look(&v, &q, column)};
    find_errors(r, &q, column, m);
    if (!isfinite(m->value))
        return kn_error_set(KN_ENUMERIC,
                            "'%s' cannot be taken from this run: it is too short, too coarse, or of "
                            "another kind",
                            quantity);
    if (!isfinite(m->unsteady + m->statistical))
        return kn_error_set(KN_EINPUT, "'%s': the run is too short to tell its error", quantity);
    return KN_OK;
}
