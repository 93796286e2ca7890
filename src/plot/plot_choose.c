#include "plot/plot_choose.h"

#include "config/config.h"
#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 6 }; /* at which a line is drawn in one picture */

/* --------------------------------------------------------------------- slices */

static enum kn_status read_slice(struct kn_plot_cut *cut, const char *text, const struct kn_plot_run *r)
{
    char quoted[KN_NAME + 8], *end;
    const char *equals = strchr(text, '=');
    kn_config_quote(text, strlen(text), quoted);
    if (!equals || equals != text + 1 || !strchr("xyz", *text))
        return kn_error_set(KN_EINPUT, "--slice %s: an axis and a place in L are wanted, as in z=0.5",
                            quoted);
    const int d = *text - 'x';
    const double at = strtod(equals + 1, &end);
    if (end == equals + 1 || *end)
        return kn_error_set(KN_EINPUT, "--slice %s: '%s' is no number", quoted, strchr(quoted, '=') + 1);
    if (r->grid.cells[d] < 2)
        return kn_error_set(KN_EINPUT, "--slice %s: the case has no %c axis", quoted, *text);
    if (!(at >= r->grid.edges[d][0] && at <= r->grid.edges[d][r->grid.cells[d]]))
        return kn_error_set(KN_EINPUT, "--slice %s: the box reaches from %g to %g L", quoted,
                            r->grid.edges[d][0], r->grid.edges[d][r->grid.cells[d]]);
    cut->fixed[d] = true;
    cut->at[d] = at;
    return KN_OK;
}

/* ----------------------------------------------------------------- quantities */

static int count_axes(const struct kn_plot_run *r)
{
    int n = 0;
    for (int d = 0; d < 3; d++)
        n += r->grid.cells[d] > 1;
    return n;
}

/* A column of the history: by its name, or a field's mean over the box. */
static bool find_column(const struct kn_plot_run *r, const char *word, char column[64])
{
    const char *const fronts[] = {"", "average."};
    for (int i = 0; i < 2; i++) {
        snprintf(column, 64, "%s%s", fronts[i], word);
        if (kn_history_column(&r->history, column) >= 0)
            return true;
    }
    return false;
}

static enum kn_status add_quantity(struct kn_plot_choice *c, const char *word, const struct kn_plot_run *r)
{
    const struct kn_plot_quantity *q = kn_plot_quantity_find(word);
    char column[64];
    const bool is_column = find_column(r, word, column);
    const bool history = c->kind == KN_PLOT_HISTORY || count_axes(r) == 0;
    if (c->nfields + c->ncolumns == KN_PLOT_PANELS)
        return kn_error_set(KN_EINPUT, "--quantity: at most %d at a time", KN_PLOT_PANELS);
    if (q && !history) {
        c->fields[c->nfields++] = q;
        return KN_OK;
    }
    if (is_column && (history || c->kind == KN_PLOT_SHEET)) {
        snprintf(c->columns[c->ncolumns++], sizeof *c->columns, "%s", column);
        return KN_OK;
    }
    if (is_column)
        return kn_error_set(KN_EINPUT, "%s is a column of history.csv: draw it with --kind history", word);
    if (q)
        return kn_error_set(
            KN_EINPUT,
            "history.csv has no %s; draw it with --kind map or profile, or in the history one "
            "of the fields rho, ux, ..., qz",
            word);
    return kn_plot_quantity_unknown(word, r);
}

/* Names apart by commas. */
static enum kn_status read_quantities(struct kn_plot_choice *c, const char *list, const struct kn_plot_run *r)
{
    enum kn_status status = KN_OK;
    while (status == KN_OK && *list) {
        char word[48];
        const size_t length = strcspn(list, ", ");
        if (length >= sizeof word)
            return kn_plot_quantity_unknown(list, r);
        memcpy(word, list, length);
        word[length] = '\0';
        if (length > 0)
            status = add_quantity(c, word, r);
        list += length + (list[length] != '\0');
    }
    return status;
}

static enum kn_status check_kind(const struct kn_plot_choice *c, const struct kn_plot_options *o,
                                 const struct kn_plot_run *runs)
{
    const int axes = runs[0].has_fields ? count_axes(&runs[0]) : 0;
    const bool in_space = c->kind == KN_PLOT_MAP || c->kind == KN_PLOT_PROFILE;
    if (c->kind == KN_PLOT_MAP && o->nfolders > 1)
        return kn_error_set(KN_EINPUT,
                            "a map shows one run; several are compared with --kind profile or history");
    for (int i = 0; i < o->nfolders; i++) {
        if (in_space && !runs[i].has_fields)
            return kn_error_set(
                KN_EIO,
                "'%s' has no fields.h5: its run stopped before fields were written. Go on with "
                "knudsen run --resume, or draw --kind history",
                runs[i].folder);
        if (c->kind == KN_PLOT_HISTORY && runs[i].history.rows == 0)
            return kn_error_set(KN_EIO, "'%s' has no history.csv with rows in it", runs[i].folder);
        if (c->kind != KN_PLOT_HISTORY && runs[i].has_fields != runs[0].has_fields)
            return kn_error_set(KN_EIO, "'%s' has no fields.h5, others have: draw --kind history",
                                runs[i].folder);
        if (c->kind != KN_PLOT_HISTORY && runs[i].has_fields)
            for (int d = 0; d < 3; d++)
                if ((runs[i].grid.cells[d] > 1) != (runs[0].grid.cells[d] > 1))
                    return kn_error_set(KN_EINPUT, "'%s' and '%s' have other axes: draw --kind history",
                                        runs[0].folder, runs[i].folder);
    }
    if (c->kind == KN_PLOT_MAP && axes < 2)
        return kn_error_set(KN_EINPUT, "a map needs two axes and '%s' has %d: draw --kind %s", runs[0].folder,
                            axes, axes ? "profile" : "history");
    if (c->kind == KN_PLOT_PROFILE && axes < 1)
        return kn_error_set(KN_EINPUT, "the gas in '%s' is one cell: draw --kind history", runs[0].folder);
    return KN_OK;
}

enum kn_status kn_plot_choose(struct kn_plot_choice *c, const struct kn_plot_options *o,
                              const struct kn_plot_run *runs)
{
    *c = (struct kn_plot_choice){.kind = o->kind};
    if (c->kind == KN_PLOT_SHEET && (!runs[0].has_fields || count_axes(&runs[0]) == 0))
        c->kind = KN_PLOT_HISTORY;
    else if (c->kind == KN_PLOT_SHEET && o->nfolders > 1 && o->nquantities == 0)
        c->kind = KN_PLOT_PROFILE;
    enum kn_status status = check_kind(c, o, runs);
    for (int i = 0; i < o->nslices && status == KN_OK; i++)
        status = read_slice(&c->cut, o->slices[i], &runs[0]);
    for (int i = 0; i < o->nquantities && status == KN_OK; i++)
        status = read_quantities(c, o->quantities[i], &runs[0]);
    return status;
}

/* --------------------------------------------------------------------- states */

/* A time in lambda0 / V0, or with a unit where the run has SI units. */
static enum kn_status read_time(const char *text, const struct kn_plot_run *r, double *time)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}};
    char *end, quoted[KN_NAME + 8];
    *time = strtod(text, &end);
    kn_config_quote(text, strlen(text), quoted);
    if (end == text || !isfinite(*time))
        return kn_error_set(KN_EINPUT, "--time: '%s' is no number", quoted);
    if (!*end)
        return KN_OK;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && r->scales.known) {
            *time *= units[i].seconds / r->scales.time;
            return KN_OK;
        }
    return kn_error_set(KN_EINPUT, "--time: '%s' is no time%s", quoted,
                        r->scales.known ? "; it has no unit (lambda0 / V0) or s, ms, us, ns or ps"
                                        : "; it is in lambda0 / V0 and has no unit, since the case has none");
}

/* The time of the series that is nearest, or the latest fields. */
static int nearest(const struct kn_plot_run *r, double time)
{
    int best = KN_PLOT_LATEST;
    double distance = fabs(r->time - time);
    for (int i = 0; i < r->times; i++)
        if (fabs(r->series[i] - time) < distance) {
            distance = fabs(r->series[i] - time);
            best = i;
        }
    return best;
}

static enum kn_status add_state(struct kn_plot_scene *s, const struct kn_plot_run *r, int time, bool mean,
                                const struct kn_plot_cut *cut)
{
    struct kn_plot_state *more = realloc(s->states, ((size_t)s->nstates + 1) * sizeof *more);
    if (!more)
        return kn_error_set(KN_EMEMORY, "not enough memory for the fields");
    s->states = more;
    more[s->nstates].run = r;
    enum kn_status status = kn_plot_data_read(r, time, mean, cut, &more[s->nstates].gas);
    s->nstates += status == KN_OK;
    return status;
}

static double largest(const struct kn_plot_gas *g, int first, int components)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)g->cells[0] * (size_t)g->cells[1]; i++)
        for (int k = 0; k < components; k++)
            most = fmax(most, fabs(g->fields[i * KN_FIELDS + (size_t)(first + k)]));
    return most;
}

/* Does the gas swing to and fro, so that its average shows next to nothing? */
static bool is_swing(const struct kn_plot_gas *mean, const struct kn_plot_gas *last)
{
    return largest(mean, KN_UX, 3) < 0.3 * largest(last, KN_UX, 3) &&
           largest(mean, KN_THETA, 1) < fmax(largest(last, KN_UX, 3), largest(last, KN_THETA, 1));
}

/* The averages where they are asked for, or there and not of something that swings. */
static enum kn_status add_end(struct kn_plot_scene *s, const struct kn_plot_run *r,
                              const struct kn_plot_cut *cut, enum kn_plot_which which)
{
    if (which == KN_PLOT_WHICH_MEAN && !r->has_mean)
        return kn_error_set(KN_EINPUT, "'%s' has no averages: the case had no output.average", r->folder);
    enum kn_status status = add_state(s, r, KN_PLOT_LATEST, which == KN_PLOT_WHICH_MEAN, cut);
    if (status != KN_OK || which != KN_PLOT_WHICH_SUITS || !r->has_mean)
        return status;
    struct kn_plot_gas mean, *last = &s->states[s->nstates - 1].gas;
    status = kn_plot_data_read(r, KN_PLOT_LATEST, true, cut, &mean);
    if (status != KN_OK)
        return status;
    if (is_swing(&mean, last)) {
        kn_plot_data_free(&mean);
    } else {
        kn_plot_data_free(last);
        *last = mean;
    }
    return KN_OK;
}

enum kn_status kn_plot_choose_states(struct kn_plot_scene *s, const struct kn_plot_choice *c,
                                     const struct kn_plot_options *o)
{
    const bool many = s->nruns == 1 && !o->time && o->which == KN_PLOT_WHICH_SUITS &&
                      count_axes(s->runs) == 1 && s->runs[0].times > 1;
    enum kn_status status = KN_OK;
    if (o->time && o->which == KN_PLOT_WHICH_MEAN)
        return kn_error_set(KN_EINPUT, "--mean is over time and --time is at one: choose one of them");
    if (c->kind == KN_PLOT_HISTORY)
        return KN_OK;
    for (int i = 0; many && i < TIMES && i < s->runs[0].times && status == KN_OK; i++) {
        const int all = s->runs[0].times;
        const double apart = all > TIMES ? (all - 1) / (TIMES - 1.0) : 1;
        status = add_state(s, &s->runs[0], (int)(i * apart + 0.5), false, &c->cut);
    }
    for (int i = 0; !many && i < s->nruns && status == KN_OK; i++) {
        double time = 0;
        status = o->time ? read_time(o->time, &s->runs[i], &time) : KN_OK;
        if (status == KN_OK)
            status = o->time ? add_state(s, &s->runs[i], nearest(&s->runs[i], time), false, &c->cut)
                             : add_end(s, &s->runs[i], &c->cut, o->which);
    }
    return status;
}
