#include "verify/record.h"

#include "collision/collision.h"
#include "config/config.h"
#include "monitor/duration.h"
#include "error.h"
#include "monitor/fit.h"
#include "verify/front.h"
#include "run/pilot.h"
#include "run/progress.h"
#include "collision/sampling.h"
#include "sim.h"
#include "monitor/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWING_TERMS = 3, OWN = 2 /* columns that history.csv does not have */ };

/* What is under way while a record is made. */
struct making {
    struct kn_record *r;
    const struct kn_listener *listener;
    struct kn_sim *sim;
    struct kn_monitor monitor;
    double *fields; /* [ncells][KN_FIELDS] of the latest row */
    double *shown;  /* the same, or of a front, moved to the middle of the box */
    double *recent; /* an earlier state on its way to r->before */
    double recent_time;
    double *average;                  /* as `shown`, of a front in its own frame; else NULL */
    double own_mean[OWN];             /* averages of the own columns, */
    int64_t own_rows[OWN];            /* rows in them */
    struct kn_batches own[OWN];       /* and these, for their errors */
    int64_t room;                     /* rows there is memory for */
    int64_t last;                     /* step at which the run ends at the latest, */
    double end;                       /* and the time, lambda0 / V0 */
    double shape;                     /* sum over the cells of volume times the squared wave */
    double *weight;                   /* [ncells] volume times the wave */
    int64_t in_part[KN_RECORD_PARTS]; /* rows averaged in each part */
    struct kn_fit swing[2];           /* normal equations; their right sides are one for each field: */
    double *sums[2];                  /* [ncells][KN_FIELDS][SWING_TERMS] */
};

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "not enough memory to record the run");
}

/* ------------------------------------------------------------------- begin */

static double wall_frequency(const struct kn_case *c)
{
    for (int s = 0; s < KN_SIDES; s++)
        if (c->walls[s].oscillation.frequency > 0)
            return c->walls[s].oscillation.frequency;
    return 0;
}

static bool has_wave(const struct kn_case *c)
{
    return c->initial.wave[0] > 0 || c->initial.wave[1] > 0 || c->initial.wave[2] > 0;
}

static double *new_fields(const struct kn_record *r, size_t values)
{
    return calloc((size_t)r->ncells * KN_FIELDS * values, sizeof(double));
}

static enum kn_status copy_space(struct kn_record *r, const struct kn_space *space)
{
    r->ncells = space->ncells;
    for (int d = 0; d < 3; d++) {
        const size_t edges = (size_t)space->cells[d] + 1;
        r->cells[d] = space->cells[d];
        r->edges[d] = calloc(edges, sizeof(double));
        if (!r->edges[d])
            return no_memory();
        memcpy(r->edges[d], space->edges[d], edges * sizeof(double));
    }
    return KN_OK;
}

/* Columns that history.csv does not have: where a front is, or higher moments of a uniform gas. */
static int own_columns(const struct kn_record *r, const char *names[OWN])
{
    if (kn_front_is(&r->c)) {
        names[0] = "front";
        return 1;
    }
    names[0] = "fourth";
    names[1] = "sixth";
    return r->ncells == 1 ? 2 : 0;
}

static enum kn_status copy_columns(struct kn_record *r, const struct kn_monitor *m)
{
    const char *names[OWN];
    const int own = own_columns(r, names);
    r->ncolumns = m->ncolumns + own;
    const size_t n = (size_t)r->ncolumns;
    r->columns = calloc(n, sizeof *r->columns);
    r->mean = calloc(n, sizeof *r->mean);
    r->error = calloc(n, sizeof *r->error);
    if (!r->columns || !r->mean || !r->error)
        return no_memory();
    memcpy(r->columns, m->columns, (size_t)m->ncolumns * sizeof *r->columns);
    for (int i = 0; i < own; i++)
        r->columns[m->ncolumns + i] = (struct kn_column){names[i], "", 0, KN_DIMENSION_NONE};
    return KN_OK;
}

/* The wave of the initial state, as weights of a projection. */
static enum kn_status prepare_wave(struct making *k, const struct kn_space *space)
{
    const struct kn_record *r = k->r;
    if (!has_wave(&r->c))
        return KN_OK;
    k->weight = calloc((size_t)r->ncells, sizeof *k->weight);
    if (!k->weight)
        return no_memory();
    for (int64_t i = 0; i < r->ncells; i++) {
        const int64_t at[3] = {i % r->cells[0], i / r->cells[0] % r->cells[1], i / r->cells[0] / r->cells[1]};
        double phase = 0;
        for (int d = 0; d < 3; d++) {
            const double *edge = r->edges[d];
            phase += r->c.initial.wave[d] * (edge[at[d]] + edge[at[d] + 1]) / 2 / edge[r->cells[d]];
        }
        const double wave = cos(2 * M_PI * phase);
        k->weight[i] = space->volume[i] * wave;
        k->shape += space->volume[i] * wave * wave;
    }
    return KN_OK;
}

static enum kn_status prepare_swing(struct making *k)
{
    struct kn_record *r = k->r;
    r->frequency = wall_frequency(&r->c);
    if (r->frequency == 0)
        return KN_OK;
    const double period = 2 * M_PI / r->frequency, end = kn_duration_end(&r->c);
    r->window[0] = r->c.output.average >= 0 ? r->c.output.average : fmax(end - period, 0);
    r->window[1] = end;
    for (int i = 0; i < 2; i++) {
        k->swing[i].terms = SWING_TERMS;
        k->sums[i] = new_fields(r, SWING_TERMS);
        r->swing[i] = new_fields(r, 2);
        if (!k->sums[i] || !r->swing[i])
            return no_memory();
    }
    return KN_OK;
}

static void find_last_step(struct making *k)
{
    const struct kn_case *c = &k->r->c;
    k->end = kn_duration_end(c);
    k->last = (int64_t)fmin(fmax(ceil(k->end / kn_sim_time_step(k->sim) - 1e-6), 0), 9e15);
    if (c->time.max_steps > 0 && c->time.max_steps < k->last)
        k->last = c->time.max_steps;
}

static enum kn_status begin(struct making *k)
{
    struct kn_record *r = k->r;
    enum kn_status status = kn_case_check(&r->c);
    if (status == KN_OK && kn_sampling_is_due(&r->c)) {
        r->doing = "choosing collision.samples";
        const struct kn_pilot_listeners both = {*k->listener, *k->listener};
        status = kn_pilot_samples_heard(&r->c, &both);
    }
    r->doing = "assembling the operator";
    if (status == KN_OK)
        status = kn_sim_create_heard(&k->sim, &r->c, &kn_comm_alone, k->listener);
    r->doing = "";
    if (status == KN_OK)
        status = kn_monitor_create(&k->monitor, &r->c, kn_sim_space(k->sim), &kn_comm_alone);
    if (status == KN_OK)
        status = copy_space(r, kn_sim_space(k->sim));
    if (status == KN_OK)
        status = copy_columns(r, &k->monitor);
    if (status == KN_OK)
        status = prepare_wave(k, kn_sim_space(k->sim));
    if (status == KN_OK)
        status = prepare_swing(k);
    if (status != KN_OK)
        return status;
    k->fields = new_fields(r, 1);
    k->shown = kn_front_is(&r->c) ? new_fields(r, 1) : k->fields;
    k->average = kn_front_is(&r->c) ? new_fields(r, 1) : NULL;
    k->recent = new_fields(r, 1);
    r->fields = new_fields(r, 1);
    r->before = new_fields(r, 1);
    for (int i = 0; i < KN_RECORD_PARTS && k->monitor.batches; i++)
        if (!(r->part[i] = new_fields(r, 1)))
            return no_memory();
    if (!k->fields || !k->shown || !k->recent || !r->fields || !r->before ||
        (kn_front_is(&r->c) && !k->average))
        return no_memory();
    snprintf(r->backend, sizeof r->backend, "%s", kn_sim_backend(k->sim));
    r->step = kn_sim_time_step(k->sim);
    find_last_step(k);
    return KN_OK;
}

/* --------------------------------------------------------------------- rows */

static enum kn_status make_room(struct making *k)
{
    struct kn_record *r = k->r;
    if (r->rows < k->room)
        return KN_OK;
    k->room = k->room ? 2 * k->room : 256;
    double *history = realloc(r->history, (size_t)k->room * (size_t)r->ncolumns * sizeof *history);
    if (history)
        r->history = history;
    double *waves = k->weight ? realloc(r->waves, (size_t)k->room * KN_RECORD_WAVES * sizeof *waves) : NULL;
    if (waves)
        r->waves = waves;
    return history && (waves || !k->weight) ? KN_OK : no_memory();
}

static void project(const struct making *k, double *to)
{
    for (int f = 0; f < KN_RECORD_WAVES; f++) {
        double sum = 0;
        for (int64_t i = 0; i < k->r->ncells; i++)
            sum += k->weight[i] * k->fields[i * KN_FIELDS + f];
        to[f] = sum / k->shape;
    }
}

/* States are kept at times that grow by 4/3; of the last two the earlier is at most 3/4 of the end. */
static void keep_recent(struct making *k, double time)
{
    const size_t bytes = (size_t)k->r->ncells * KN_FIELDS * sizeof(double);
    if (time < 4.0 / 3.0 * k->recent_time)
        return;
    memcpy(k->r->before, k->recent, bytes);
    memcpy(k->recent, k->shown, bytes);
    k->recent_time = time;
}

/* What the monitor does not average: its row has been the latest of k->monitor.averaged. */
static void add_average(struct making *k)
{
    const struct kn_record *r = k->r;
    const double share = 1.0 / (double)k->monitor.averaged;
    for (int64_t i = 0; k->average && i < r->ncells * KN_FIELDS; i++)
        k->average[i] += (k->shown[i] - k->average[i]) * share;
    for (int i = 0; i < r->ncolumns - k->monitor.ncolumns; i++) {
        const double own = r->history[(r->rows - 1) * r->ncolumns + k->monitor.ncolumns + i];
        if (!isfinite(own)) /* there is no front */
            continue;
        k->own_mean[i] += (own - k->own_mean[i]) / (double)++k->own_rows[i];
        kn_batches_add(&k->own[i], own);
    }
}

static void add_part(struct making *k, double time)
{
    const struct kn_record *r = k->r;
    const double start = k->monitor.window, length = k->end - start;
    if (!r->part[0] || start < 0 || time < start || length <= 0)
        return;
    int part = (int)(KN_RECORD_PARTS * (time - start) / length);
    part = part < KN_RECORD_PARTS ? part : KN_RECORD_PARTS - 1;
    const double share = 1.0 / (double)++k->in_part[part];
    for (int64_t i = 0; i < r->ncells * KN_FIELDS; i++)
        r->part[part][i] += (k->shown[i] - r->part[part][i]) * share;
}

static void add_swing(struct making *k, double time)
{
    const struct kn_record *r = k->r;
    const double w = r->frequency, slack = 1e-9 * r->window[1];
    const double functions[SWING_TERMS] = {1, cos(w * time), sin(w * time)};
    for (int s = 0; s < 2; s++) {
        const double shift = s * (r->window[1] - r->window[0]) / 4;
        if (time < r->window[0] - shift - slack || time > r->window[1] - shift + slack || time == 0)
            continue;
        kn_fit_add(&k->swing[s], functions, 0);
        for (int64_t i = 0; i < r->ncells * KN_FIELDS; i++)
            for (int t = 0; t < SWING_TERMS; t++)
                k->sums[s][i * SWING_TERMS + t] += functions[t] * k->fields[i];
    }
}

static enum kn_status take_row(struct making *k)
{
    struct kn_record *r = k->r;
    struct kn_wall_flux walls[KN_SIDES] = {{0}};
    const double time = kn_sim_time(k->sim);
    const int64_t averaged = k->monitor.averaged;
    enum kn_status status = kn_sim_fields(k->sim, k->fields);
    if (status == KN_OK)
        status = kn_sim_walls(k->sim, walls);
    if (status == KN_OK)
        status = kn_monitor_take(&k->monitor, kn_sim_steps(k->sim), time, k->fields, walls);
    if (status == KN_OK)
        status = make_room(k);
    if (status != KN_OK)
        return status;
    double *row = r->history + r->rows * r->ncolumns;
    for (int i = 0; i < k->monitor.ncolumns; i++)
        row[i] = kn_monitor_column(&k->monitor, i);
    if (kn_front_is(&r->c))
        row[k->monitor.ncolumns] = kn_front_centre(r, k->fields, k->shown);
    else if (r->ncells == 1)
        status = kn_sim_excess(k->sim, k->fields, &row[k->monitor.ncolumns], &row[k->monitor.ncolumns + 1]);
    if (status != KN_OK)
        return status;
    if (k->weight)
        project(k, r->waves + r->rows * KN_RECORD_WAVES);
    r->rows++;
    keep_recent(k, time);
    if (k->monitor.averaged > averaged)
        add_average(k);
    if (time > 0)
        add_part(k, time);
    if (r->frequency > 0)
        add_swing(k, time);
    return KN_OK;
}

static bool is_over(const struct making *k)
{
    return kn_sim_steps(k->sim) >= k->last || kn_verdict_ends(&k->monitor);
}

static enum kn_status advance(struct making *k)
{
    const int64_t every = kn_config_history(&k->r->c), left = k->last - kn_sim_steps(k->sim);
    const enum kn_status status = kn_sim_advance(k->sim, left < every ? left : every);
    if (status != KN_OK)
        return status;
    if (!k->listener->hear(k->listener->to, fmin(1, (double)kn_sim_steps(k->sim) / (double)k->last)))
        return kn_error_set(KN_EINTERRUPTED, "interrupted");
    return take_row(k);
}

/* ---------------------------------------------------------------------- end */

static void end_swing(const struct making *k)
{
    const struct kn_record *r = k->r;
    for (int s = 0; s < 2 && r->frequency > 0; s++) {
        struct kn_fit f = k->swing[s];
        double a[SWING_TERMS];
        for (int64_t i = 0; i < r->ncells * KN_FIELDS; i++) {
            memcpy(f.right, k->sums[s] + i * SWING_TERMS, sizeof a);
            const bool good = kn_fit_solve(&f, a);
            r->swing[s][2 * i] = good ? a[1] : NAN;
            r->swing[s][2 * i + 1] = good ? a[2] : NAN;
        }
    }
}

static void end_columns(const struct making *k)
{
    struct kn_record *r = k->r;
    const struct kn_monitor *m = &k->monitor;
    for (int i = 0; i < m->ncolumns; i++) {
        r->mean[i] = kn_monitor_value(m, i);
        r->error[i] = r->averaged ? kn_monitor_error(m, i) : NAN;
    }
    for (int i = m->ncolumns; i < r->ncolumns; i++) {
        const int own = i - m->ncolumns;
        r->mean[i] = r->history[(r->rows - 1) * r->ncolumns + i];
        r->error[i] = NAN;
        if (r->averaged) {
            r->mean[i] = k->own_rows[own] > 0 ? k->own_mean[own] : NAN;
            r->error[i] = m->batches ? kn_batches_error(&k->own[own]) : NAN;
        }
    }
}

/* Parts without a row, of a run that was short or has stopped early, go behind those that have some. */
static void end_parts(const struct making *k)
{
    struct kn_record *r = k->r;
    for (int i = 0; i < KN_RECORD_PARTS; i++)
        if (k->in_part[i] > 0) {
            double *part = r->part[i];
            r->part[i] = r->part[r->parts];
            r->part[r->parts++] = part;
        }
}

static void end(struct making *k)
{
    struct kn_record *r = k->r;
    const struct kn_monitor *m = &k->monitor;
    const size_t bytes = (size_t)r->ncells * KN_FIELDS * sizeof(double);
    r->averaged = m->averaged > 0;
    memcpy(r->fields, !r->averaged ? k->shown : k->average ? k->average : m->mean_fields, bytes);
    end_columns(k);
    if (r->averaged) {
        free(r->before);
        r->before = NULL;
    }
    end_parts(k);
    end_swing(k);
}

static void dismiss(struct making *k)
{
    if (k->shown != k->fields)
        free(k->shown);
    free(k->fields);
    free(k->recent);
    free(k->average);
    free(k->weight);
    free(k->sums[0]);
    free(k->sums[1]);
    kn_monitor_destroy(&k->monitor);
    if (k->sim)
        kn_sim_destroy(k->sim);
}

static bool hear_nothing(void *to, double part)
{
    (void)to;
    (void)part;
    return true;
}

enum kn_status kn_record_make(struct kn_record *r, const struct kn_case *c,
                              const struct kn_listener *listener)
{
    static const struct kn_listener nobody = {.hear = hear_nothing};
    const double started = kn_progress_clock();
    *r = (struct kn_record){.c = *c, .doing = ""};
    struct making k = {.r = r, .listener = listener ? listener : &nobody};
    enum kn_status status = begin(&k);
    if (status == KN_OK)
        status = take_row(&k);
    while (status == KN_OK && !is_over(&k))
        status = advance(&k);
    if (status == KN_OK)
        end(&k);
    dismiss(&k);
    r->seconds = kn_progress_clock() - started;
    if (status != KN_OK)
        kn_record_destroy(r);
    return status;
}

void kn_record_destroy(struct kn_record *r)
{
    free(r->columns);
    free(r->history);
    free(r->waves);
    free(r->mean);
    free(r->error);
    for (int d = 0; d < 3; d++)
        free(r->edges[d]);
    free(r->fields);
    free(r->before);
    for (int i = 0; i < KN_RECORD_PARTS; i++)
        free(r->part[i]);
    free(r->swing[0]);
    free(r->swing[1]);
    *r = (struct kn_record){0};
}

int kn_record_column(const struct kn_record *r, const char *name)
{
    for (int i = 0; i < r->ncolumns; i++)
        if (strcmp(r->columns[i].name, name) == 0)
            return i;
    return -1;
}

double kn_record_centre(const struct kn_record *r, int axis, int64_t cell)
{
    return (r->edges[axis][cell] + r->edges[axis][cell + 1]) / 2;
}
