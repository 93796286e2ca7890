/* The state of the monitor in a checkpoint. */
#include "monitor/monitor.h"

#include "error.h"
#include "monitor/sums.h"

#include <math.h>
#include <string.h>

enum { WATCHED = KN_SUMS_WATCHED };

enum {
    STATE_VERSION = 6,
    ROW_SIZE = sizeof(struct kn_row) / sizeof(double),
    BATCHES_SIZE = sizeof(struct kn_batches) / sizeof(double),
    TREND_SIZE = sizeof(struct kn_trend) / sizeof(double)
};

struct state_head { /* all doubles: it is copied into the array */
    double version, ncolumns, ncells;
    double average_start, averaged, rows, steady_rows;
    double initial[5], previous_time, previous_residual;
};
enum { HEAD_SIZE = sizeof(struct state_head) / sizeof(double) };

int64_t kn_monitor_state_size(const struct kn_monitor *m)
{
    return HEAD_SIZE + ROW_SIZE + m->ndata;
}

void kn_monitor_save(const struct kn_monitor *m, double *state)
{
    struct state_head head = {.version = STATE_VERSION,
                              .ncolumns = m->ncolumns,
                              .ncells = (double)kn_space_count(m->space),
                              .average_start = m->window,
                              .averaged = (double)m->averaged,
                              .rows = (double)m->rows,
                              .steady_rows = (double)m->steady_rows,
                              .previous_time = m->previous_time,
                              .previous_residual = m->previous_residual};
    memcpy(head.initial, m->initial, sizeof head.initial);
    memcpy(state, &head, sizeof head);
    memcpy(state + HEAD_SIZE, &m->row, sizeof m->row);
    memcpy(state + HEAD_SIZE + ROW_SIZE, m->trends, (size_t)m->ndata * sizeof *state);
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

/* Can kn_monitor_save have written this state?  Counts in it become indices. */
static bool is_valid(const struct kn_monitor *m, const struct state_head *head, const struct kn_row *row,
                     const double *data)
{
    const double most = 9007199254740992; /* 2^53: whole numbers are exact up to here */
    bool good = is_count(head->rows, most) && is_count(head->averaged, head->rows) &&
                is_count(head->steady_rows, head->rows) && isfinite(head->average_start) &&
                isfinite(head->previous_time) && are_finite(head->initial, 5) && is_count(row->step, most) &&
                isfinite(row->time) && isfinite(row->size);
    for (int i = 0; i <= m->judged && good; i++, data += TREND_SIZE) { /* with that of row.size */
        struct kn_trend trend;
        memcpy(&trend, data, sizeof trend);
        good = kn_trend_is_valid(&trend);
    }
    good = good && are_finite(data, 2 * (size_t)m->ncolumns);
    data += good ? 2 * m->ncolumns : 0;
    for (int i = 0; m->batches && i < m->ncolumns && good; i++, data += BATCHES_SIZE) {
        struct kn_batches batches;
        memcpy(&batches, data, sizeof batches);
        good = kn_batches_is_valid(&batches);
    }
    return good;
}

enum kn_status kn_monitor_restore(struct kn_monitor *m, const double *state, int64_t size)
{
    struct state_head head = {0};
    struct kn_row row;
    if (size == kn_monitor_state_size(m))
        memcpy(&head, state, sizeof head);
    if (head.version != STATE_VERSION || head.ncolumns != m->ncolumns ||
        head.ncells != (double)kn_space_count(m->space))
        return kn_error_set(KN_EINPUT, "the checkpoint has other quantities than this case");
    memcpy(&row, state + HEAD_SIZE, sizeof row);
    state += HEAD_SIZE + ROW_SIZE;
    if (!is_valid(m, &head, &row, state))
        return kn_error_set(KN_EIO, "the checkpoint is damaged: its averages or trends are invalid");
    m->rows = (int64_t)head.rows;
    m->averaged = (int64_t)head.averaged;
    m->steady_rows = (int64_t)head.steady_rows;
    memcpy(m->initial, head.initial, sizeof m->initial);
    m->previous_time = head.previous_time;
    m->previous_residual = head.previous_residual;
    m->row = row;
    memcpy(m->trends, state, (size_t)m->ndata * sizeof *state);

    /* an automatic window keeps its start when the end of the run is moved */
    m->window = m->c->output.average == KN_AVERAGE_AUTO && m->averaged > 0 ? head.average_start
                                                                           : kn_monitor_window(m->c);
    if (head.average_start != m->window) { /* averages are restarted */
        m->averaged = 0;
        memset(m->mean, 0, (size_t)((double *)m->trends + m->ndata - m->mean) * sizeof *m->mean);
    }
    return KN_OK;
}

enum kn_status kn_monitor_move(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    struct kn_monitor *m = of;
    double *row = rows;
    for (int64_t cell = first; cell < first + count; cell++, row += KN_MONITOR_CELL) {
        double *previous = m->previous + cell * WATCHED, *mean = m->mean_fields + cell * KN_FIELDS;
        memcpy(in ? previous : row, in ? row : previous, WATCHED * sizeof *row);
        memcpy(in ? mean : row + WATCHED, in ? row + WATCHED : mean, KN_FIELDS * sizeof *row);
        if (in && m->averaged == 0) /* averages are restarted */
            memset(mean, 0, KN_FIELDS * sizeof *mean);
    }
    return KN_OK;
}
