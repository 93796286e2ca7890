#include "plot/plot_panels.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400 /* of a history */ };

static const char axis_names[] = "xyz";

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "not enough memory for a picture");
}

static enum kn_status sheet_is_full(void)
{
    return kn_error_set(KN_EINPUT, "a sheet has room for %d panels: ask for fewer quantities",
                        KN_PLOT_PANELS);
}

const struct kn_scales *kn_plot_panels_si(const struct kn_plot_scene *s, const struct kn_plot_run *r)
{
    return s->in_si && r->scales.known ? &r->scales : NULL;
}

static void label_axis(char text[KN_PLOT_TEXT], char name, const struct kn_plot_scale *scale)
{
    snprintf(text, KN_PLOT_TEXT, scale->is_si ? "{/:Italic %c}  (%s)" : "{/:Italic %c} / %s", name,
             scale->unit);
}

/* Prefixes follow the largest number of all curves of a panel, so that they share an axis. */
struct span {
    double low, high;
};

static void widen(struct span *s, double value)
{
    if (isfinite(value)) {
        s->low = fmin(s->low, value);
        s->high = fmax(s->high, value);
    }
}

static double largest_of(const struct span *s)
{
    return s->low > s->high ? 0 : fmax(fabs(s->low), fabs(s->high));
}

/* ------------------------------------------------------------------ profiles */

/* The rows of cells on both sides of a place, and the weight of the second. */
static int rows_at(const double *centres, int n, double place, double *part)
{
    int i = 0;
    while (i + 2 < n && centres[i + 1] <= place)
        i++;
    *part = n > 1 ? fmin(fmax((place - centres[i]) / (centres[i + 1] - centres[i]), 0), 1) : 0;
    return i;
}

void kn_plot_panels_line(const struct kn_plot_gas *g, const struct kn_plot_quantity *q, int k, double *value)
{
    double part;
    const int other = 1 - k, row = rows_at(g->centres[other], g->cells[other], g->line[other], &part);
    for (int i = 0; i < g->cells[k]; i++) {
        double fields[KN_FIELDS] = {0};
        for (int side = 0; side < 1 + (part > 0); side++) {
            const size_t cell = k == 0 ? (size_t)(row + side) * (size_t)g->cells[0] + (size_t)i
                                       : (size_t)i * (size_t)g->cells[0] + (size_t)(row + side);
            for (int f = 0; f < KN_FIELDS; f++)
                fields[f] += (side ? part : 1 - part) * g->fields[cell * KN_FIELDS + (size_t)f];
        }
        value[i] = kn_plot_quantity_value(q, fields);
    }
}

/* Is a point on this line through the gas, at this time? */
static bool is_on_line(const struct kn_plot_reference *p, const struct kn_plot_quantity *q,
                       const struct kn_plot_gas *g, int k)
{
    const int along = g->axis[k], other = g->axis[1 - k];
    if (p->in_history || (*p->quantity && strcmp(p->quantity, q->name) != 0) ||
        (p->along >= 0 && p->along != along) || !p->placed[along] ||
        (!isnan(p->time) && fabs(p->time - g->time) > 0.01 * p->time))
        return false;
    return (g->axes < 2 || !p->placed[other] || fabs(p->at[other] - g->line[1 - k]) < 1e-3) &&
           (!g->cut || !p->placed[g->across] || fabs(p->at[g->across] - g->at) < 1e-3);
}

/* Where a reference point lies in a panel, if it does; y in the units of the results. */
struct mark {
    bool chosen;
    double x, y;
};

/* The points of one source, from the first on, as a curve. */
static enum kn_status add_points(struct kn_plot_panel *panel, struct kn_plot_scene *s,
                                 const struct mark *marks, int first, const struct kn_plot_scale *scale)
{
    const struct kn_plot_references *all = &s->references;
    const char *source = all->point[first].source;
    int n = 0;
    bool errors = false;
    for (int i = first; i < all->n; i++)
        if (marks[i].chosen && strcmp(all->point[i].source, source) == 0) {
            n++;
            errors = errors || all->point[i].error > 0;
        }
    struct kn_plot_curve *c = kn_plot_sheet_curve(panel, KN_PLOT_POINTS, n, errors);
    if (!c)
        return no_memory();
    kn_plot_sheet_escape(c->label, sizeof c->label, source);
    n = 0;
    for (int i = first; i < all->n; i++)
        if (marks[i].chosen && strcmp(all->point[i].source, source) == 0) {
            c->x[n] = marks[i].x;
            c->y[n] = scale->offset + scale->factor * marks[i].y;
            if (errors)
                c->error[n] = all->point[i].error > 0 ? fabs(scale->factor) * all->point[i].error : 0;
            n++;
        }
    s->shown += n;
    return KN_OK;
}

/* All that are chosen, a curve for each source. */
static enum kn_status add_sources(struct kn_plot_panel *panel, struct kn_plot_scene *s,
                                  const struct mark *marks, const struct kn_plot_scale *scale)
{
    const struct kn_plot_references *all = &s->references;
    enum kn_status status = KN_OK;
    for (int i = 0; i < all->n && status == KN_OK; i++) {
        bool first = marks[i].chosen;
        for (int j = 0; j < i && first; j++)
            first = !(marks[j].chosen && strcmp(all->point[j].source, all->point[i].source) == 0);
        if (first)
            status = add_points(panel, s, marks, i, scale);
    }
    return status;
}

static enum kn_status add_reference_profile(struct kn_plot_panel *panel, struct kn_plot_scene *s,
                                            const struct kn_plot_quantity *q, int k,
                                            const struct kn_plot_scale *scale,
                                            const struct kn_plot_scale *length)
{
    struct mark *marks = calloc((size_t)s->references.n + 1, sizeof *marks);
    if (!marks)
        return no_memory();
    for (int i = 0; i < s->references.n; i++) {
        const struct kn_plot_reference *p = &s->references.point[i];
        for (int j = 0; j < s->nstates; j++)
            marks[i].chosen = marks[i].chosen || is_on_line(p, q, &s->states[j].gas, k);
        marks[i].x = length->offset + length->factor * p->at[s->states[0].gas.axis[k]];
        marks[i].y = p->value;
    }
    const enum kn_status status = add_sources(panel, s, marks, scale);
    free(marks);
    return status;
}

static void label_state(struct kn_plot_panel *panel, struct kn_plot_curve *c, const struct kn_plot_scene *s,
                        int i)
{
    const struct kn_plot_state *state = &s->states[i];
    if (s->nruns > 1) {
        snprintf(c->label, sizeof c->label, "%s", state->run->label);
        return;
    }
    const struct kn_plot_scale time = kn_plot_quantity_scale(
        KN_DIMENSION_TIME, kn_plot_panels_si(s, state->run), s->states[s->nstates - 1].gas.time);
    snprintf(panel->key, sizeof panel->key, time.is_si ? "{/:Italic t}  (%s)" : "{/:Italic t} / (%s)",
             time.unit);
    snprintf(c->label, sizeof c->label, "%.4g", time.factor * state->gas.time);
    c->shade = s->nstates > 1 ? (double)i / (s->nstates - 1) : NAN;
}

static void describe_profile(struct kn_plot_panel *panel, const struct kn_plot_quantity *const *q, int n,
                             const struct kn_plot_gas *g, int k, const struct kn_plot_scale *length)
{
    snprintf(panel->what, sizeof panel->what, "profile of ");
    for (int i = 0; i < n; i++)
        kn_plot_sheet_append(panel->what, sizeof panel->what, "%s%s", i ? ", " : "", q[i]->name);
    kn_plot_sheet_append(panel->what, sizeof panel->what, " along %c", axis_names[g->axis[k]]);
    if (g->axes < 2)
        return;
    const double at = length->factor * g->line[1 - k];
    const char *unit = length->is_si ? length->unit : "{/:Italic L}";
    kn_plot_sheet_append(panel->what, sizeof panel->what, " at %c = %.3g L", axis_names[g->axis[1 - k]],
                         g->line[1 - k]);
    snprintf(panel->note, sizeof panel->note, "at  {/:Italic %c} = %.3g %s", axis_names[g->axis[1 - k]], at,
             unit);
}

static enum kn_status add_profile_curves(struct kn_plot_panel *panel, struct kn_plot_scene *s,
                                         const struct kn_plot_quantity *const *q, int n, int k,
                                         const struct kn_plot_scale *first,
                                         const struct kn_plot_scale *length)
{
    const struct kn_scales *of_first = kn_plot_panels_si(s, s->states[0].run);
    for (int i = 0; i < (n > 1 ? n : s->nstates); i++) {
        const int which = n > 1 ? 0 : i;
        const struct kn_plot_quantity *one = q[n > 1 ? i : 0];
        const struct kn_plot_state *state = &s->states[which];
        const struct kn_plot_gas *g = &state->gas;
        const struct kn_scales *si = kn_plot_panels_si(s, state->run);
        const struct kn_plot_scale scale = kn_plot_quantity_rescale(first, one->dimension, of_first, si);
        const struct kn_plot_scale along =
            kn_plot_quantity_rescale(length, KN_DIMENSION_LENGTH, of_first, si);
        struct kn_plot_curve *c = kn_plot_sheet_curve(panel, KN_PLOT_LINE, g->cells[k], false);
        if (!c)
            return no_memory();
        kn_plot_panels_line(g, one, k, c->y);
        for (int j = 0; j < c->n; j++) {
            c->x[j] = along.factor * g->centres[k][j];
            c->y[j] = scale.offset + scale.factor * c->y[j];
        }
        if (n > 1)
            snprintf(c->label, sizeof c->label, "%s",
                     one->dimension == KN_DIMENSION_VELOCITY || scale.is_si ? one->symbol : one->words);
        else if (s->nstates > 1)
            label_state(panel, c, s, i);
    }
    return KN_OK;
}

/* Lowest and highest of what the panel shows, in the units of the results. */
static enum kn_status measure_profiles(const struct kn_plot_scene *s, const struct kn_plot_quantity *const *q,
                                       int n, int k, struct span *values)
{
    for (int i = 0; i < s->nstates; i++) {
        const struct kn_plot_gas *g = &s->states[i].gas;
        double *line = calloc((size_t)g->cells[k], sizeof *line);
        if (!line)
            return no_memory();
        for (int j = 0; j < n; j++) {
            kn_plot_panels_line(g, q[j], k, line);
            for (int m = 0; m < g->cells[k]; m++)
                widen(values, line[m]);
        }
        free(line);
    }
    return KN_OK;
}

enum kn_status kn_plot_panels_profile(struct kn_plot_sheet *sheet, struct kn_plot_scene *s,
                                      const struct kn_plot_quantity *const *q, int n, int k)
{
    const struct kn_plot_gas *g = &s->states[0].gas;
    const struct kn_scales *si = kn_plot_panels_si(s, s->states[0].run);
    struct kn_plot_panel *panel = kn_plot_sheet_add(sheet);
    struct span values = {INFINITY, -INFINITY};
    if (!panel)
        return sheet_is_full();
    enum kn_status status = measure_profiles(s, q, n, k, &values);
    if (status != KN_OK)
        return status;
    const struct kn_plot_scale length =
        kn_plot_quantity_scale(KN_DIMENSION_LENGTH, si, g->edges[k][g->cells[k]]);
    const struct kn_plot_scale scale = kn_plot_quantity_scale(q[0]->dimension, si, largest_of(&values));
    label_axis(panel->x_label, axis_names[g->axis[k]], &length);
    kn_plot_quantity_label(panel->y_label, q[0], &scale);
    if (n > 1 && q[0]->dimension == KN_DIMENSION_VELOCITY)
        snprintf(panel->y_label, sizeof panel->y_label, scale.is_si ? "velocity  (%s)" : "velocity / %s",
                 scale.unit);
    else if (n > 1 && q[0]->dimension != q[n - 1]->dimension)
        snprintf(panel->y_label, sizeof panel->y_label, "deviation / {/:Italic εn}_0, {/:Italic εT}_0");
    else if (n > 1)
        snprintf(panel->y_label, sizeof panel->y_label, scale.is_si ? "%s  (%s)" : "%s / %s", q[0]->words,
                 scale.unit);
    panel->rest = scale.offset;
    panel->x_range[0] = length.factor * g->edges[k][0];
    panel->x_range[1] = length.factor * g->edges[k][g->cells[k]];
    describe_profile(panel, q, n, g, k, &length);
    status = add_profile_curves(panel, s, q, n, k, &scale, &length);
    for (int i = 0; i < n && status == KN_OK; i++)
        status = add_reference_profile(panel, s, q[i], k, &scale, &length);
    return status;
}

/* ------------------------------------------------------------------- history */

static enum kn_status add_history_curve(struct kn_plot_panel *panel, const struct kn_plot_scene *s,
                                        const struct kn_plot_run *r, const char *column, int ncolumns,
                                        const struct kn_plot_scale *first,
                                        const struct kn_plot_scale *of_time)
{
    const int at = kn_history_column(&r->history, column), when = kn_history_column(&r->history, "time");
    const struct kn_scales *of_first = kn_plot_panels_si(s, &s->runs[0]), *si = kn_plot_panels_si(s, r);
    const enum kn_dimension dimension = kn_monitor_dimension(column);
    const struct kn_plot_scale scale = kn_plot_quantity_rescale(first, dimension, of_first, si);
    const struct kn_plot_scale time = kn_plot_quantity_rescale(of_time, KN_DIMENSION_TIME, of_first, si);
    if (at < 0 || when < 0)
        return KN_OK;
    /* what passes through walls is that of the step before, which the first row has not */
    const bool begins_late =
        strcmp(column, "D") == 0 || (strchr(column, '.') && strncmp(column, "average.", 8) != 0);
    const int64_t every = r->history.rows > ROWS ? (r->history.rows + ROWS - 1) / ROWS : 1;
    struct kn_plot_curve *c = kn_plot_sheet_curve(panel, KN_PLOT_LINE, (int)r->history.rows, false);
    if (!c)
        return no_memory();
    c->n = 0;
    for (int64_t row = 0; row < r->history.rows; row++) {
        const double value = kn_history_at(&r->history, row, at);
        if ((row % every && row + 1 < r->history.rows) || (row == 0 && begins_late) || !isfinite(value) ||
            (panel->logarithmic && !(value > 0)))
            continue;
        c->x[c->n] = time.factor * kn_history_at(&r->history, row, when);
        c->y[c->n++] = scale.offset + scale.factor * value;
        panel->x_range[1] = fmax(panel->x_range[1], c->x[c->n - 1]);
    }
    if (ncolumns > 1)
        kn_plot_quantity_column_label(c->label, column, &scale);
    else if (s->nruns > 1)
        snprintf(c->label, sizeof c->label, "%s", r->label);
    return KN_OK;
}

/* A value without a time is a level across the panel. */
static enum kn_status add_level(struct kn_plot_panel *panel, struct kn_plot_scene *s,
                                const struct kn_plot_reference *p, const struct kn_plot_scale *scale)
{
    struct kn_plot_curve *c = kn_plot_sheet_curve(panel, KN_PLOT_LEVEL, 2, false);
    if (!c)
        return no_memory();
    kn_plot_sheet_escape(c->label, sizeof c->label, p->source);
    c->x[0] = panel->x_range[0];
    c->x[1] = panel->x_range[1];
    c->y[0] = c->y[1] = scale->offset + scale->factor * p->value;
    s->shown++;
    return KN_OK;
}

static enum kn_status add_reference_history(struct kn_plot_panel *panel, struct kn_plot_scene *s,
                                            const char *column, const struct kn_plot_scale *scale,
                                            const struct kn_plot_scale *time)
{
    const int at = kn_history_column(&s->runs[0].history, column);
    const bool begun = at >= 0 && s->runs[0].history.rows > 0;
    enum kn_status status = KN_OK;
    struct mark *marks = calloc((size_t)s->references.n + 1, sizeof *marks);
    if (!marks)
        return no_memory();
    for (int i = 0; i < s->references.n && status == KN_OK; i++) {
        const struct kn_plot_reference *p = &s->references.point[i];
        if (!p->in_history || (*p->quantity && strcmp(p->quantity, column) != 0))
            continue;
        if (isnan(p->time)) {
            status = add_level(panel, s, p, scale);
            continue;
        }
        marks[i] = (struct mark){true, time->factor * p->time, p->value};
        if (p->is_share && begun)
            marks[i].y *= kn_history_at(&s->runs[0].history, 0, at);
    }
    if (status == KN_OK)
        status = add_sources(panel, s, marks, scale);
    free(marks);
    return status;
}

enum kn_status kn_plot_panels_history(struct kn_plot_sheet *sheet, struct kn_plot_scene *s,
                                      const char *const *columns, int n)
{
    const struct kn_scales *si = kn_plot_panels_si(s, &s->runs[0]);
    struct kn_plot_panel *panel = kn_plot_sheet_add(sheet);
    struct span values = {INFINITY, -INFINITY}, times = {0, 0};
    if (!panel)
        return sheet_is_full();
    snprintf(panel->what, sizeof panel->what, "history of ");
    for (int i = 0; i < n; i++) {
        kn_plot_sheet_append(panel->what, sizeof panel->what, "%s%s", i ? ", " : "", columns[i]);
        for (int r = 0; r < s->nruns; r++) {
            const int at = kn_history_column(&s->runs[r].history, columns[i]),
                      when = kn_history_column(&s->runs[r].history, "time");
            for (int64_t row = 0; at >= 0 && when >= 0 && row < s->runs[r].history.rows; row++) {
                widen(&values, kn_history_at(&s->runs[r].history, row, at));
                widen(&times, kn_history_at(&s->runs[r].history, row, when));
            }
        }
    }
    panel->logarithmic = strcmp(columns[0], "residual") == 0;
    const struct kn_plot_scale time = kn_plot_quantity_scale(KN_DIMENSION_TIME, si, times.high);
    const struct kn_plot_scale scale =
        kn_plot_quantity_scale(kn_monitor_dimension(columns[0]), si, largest_of(&values));
    snprintf(panel->x_label, sizeof panel->x_label, time.is_si ? "{/:Italic t}  (%s)" : "{/:Italic t} / (%s)",
             time.unit);
    panel->rest = scale.offset;
    if (n > 1)
        snprintf(panel->y_label, sizeof panel->y_label, "mean over the box");
    else
        kn_plot_quantity_column_label(panel->y_label, columns[0], &scale);
    enum kn_status status = KN_OK;
    for (int i = 0; i < n; i++) {
        const struct kn_plot_scale own =
            kn_plot_quantity_scale(kn_monitor_dimension(columns[i]), si, largest_of(&values));
        for (int r = 0; r < s->nruns && status == KN_OK; r++)
            status = add_history_curve(panel, s, &s->runs[r], columns[i], n, &own, &time);
    }
    for (int i = 0; i < n && status == KN_OK; i++)
        status = add_reference_history(panel, s, columns[i], &scale, &time);
    return status;
}
