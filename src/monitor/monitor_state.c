/* The state of the monitor in a checkpoint. */
#include "monitor/monitor.h"

#include "error.h"
#include "monitor/sums.h"

#include <math.h>
#include <string.h>

enum { WATCHED = KN_SUMS_WATCHED };

enum {
    STATE_VERSION = 5,
    ROW_SIZE = sizeof(struct kn_row) / sizeof(double),
    BATCHES_SIZE = sizeof(struct kn_batches) / sizeof(double),
    TREND_SIZE = sizeof(struct kn_trend) / sizeof(double)
};

struct state_head { /* all doubles: it is copied into the array */
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

/* Can kn_monitor_save have written the state after its head?  Counts in it become indices. */
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
    for (int i = 0; i <= m->judged && good; i++) { /* with that of row.size */
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

    /* an automatic window keeps its start when the end of the run is moved */
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
        else /* restarted */
            memset(mean, 0, KN_FIELDS * sizeof *mean);
    }
    return KN_OK;
}
