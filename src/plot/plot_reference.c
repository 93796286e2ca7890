#include "plot/plot_reference.h"

#include "config/config.h"
#include "error.h"
#include "config/flow.h"
#include "files.h"
#include "verify/measure_text.h"
#include "monitor/monitor.h"
#include "plot/plot_quantity.h"
#include "verify/reference.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum kn_status add(struct kn_plot_references *all, const struct kn_plot_reference *one)
{
    for (int i = 0; i < all->n; i++) { /* quick and full checks repeat a value */
        const struct kn_plot_reference *p = &all->point[i];
        if (strcmp(p->quantity, one->quantity) == 0 && strcmp(p->source, one->source) == 0 &&
            p->value == one->value && p->at[0] == one->at[0] && p->at[1] == one->at[1] &&
            p->at[2] == one->at[2] && (p->time == one->time || (isnan(p->time) && isnan(one->time))))
            return KN_OK;
    }
    struct kn_plot_reference *more = realloc(all->point, ((size_t)all->n + 1) * sizeof *more);
    if (!more)
        return kn_error_set(KN_EMEMORY, "not enough memory for reference points");
    all->point = more;
    more[all->n++] = *one;
    return KN_OK;
}

/* ------------------------------------------------- reference.csv of the cases */

/* Up to the colon behind the authors, or a remark in brackets. */
static void set_source(struct kn_plot_reference *p, const char *source)
{
    const char *remark = strstr(source, " (");
    const size_t authors = strcspn(source, ":"), length = remark ? (size_t)(remark - source) : authors;
    snprintf(p->source, sizeof p->source, "%.*s", (int)(length < authors ? length : authors), source);
}

/* Is the row about a number that pictures show?  Amplitudes, rates and the like are not. */
static bool translate(struct kn_plot_reference *p, const struct kn_reference_row *row)
{
    struct kn_measure_text q;
    if (kn_measure_parse(&q, row->quantity) != KN_OK)
        return false;
    *p = (struct kn_plot_reference){.along = -1, .time = NAN};
    set_source(p, row->source);
    p->value = q.sign * row->value;
    p->error = row->uncertainty;
    p->in_history = q.kind == KN_MEASURE_MEAN || q.kind == KN_MEASURE_VALUE || q.kind == KN_MEASURE_SHARE;
    p->is_share = q.kind == KN_MEASURE_SHARE;
    if (q.kind == KN_MEASURE_VALUE || q.kind == KN_MEASURE_SHARE || q.kind == KN_MEASURE_POINT_VALUE)
        p->time = q.time;
    if (p->in_history) {
        snprintf(p->quantity, sizeof p->quantity, "%s", q.name);
        return true;
    }
    if (q.kind != KN_MEASURE_POINT && q.kind != KN_MEASURE_POINT_VALUE)
        return false;
    for (const struct kn_plot_quantity *field = kn_plot_quantity_table; field->name; field++)
        if (field->components == 1 && field->first == q.field)
            snprintf(p->quantity, sizeof p->quantity, "%s", field->name);
    for (int d = 0; d < q.axes; d++) {
        p->placed[d] = true;
        p->at[d] = q.at[d];
    }
    return true;
}

/* Rows whose settings, over case.yaml beside the file, make the flow of one of the runs. */
static bool is_of(const struct kn_reference_row *row, const char *path, const struct kn_plot_run *runs,
                  int nruns)
{
    char beside[KN_PATH];
    struct kn_case c;
    const char *slash = strrchr(path, '/');
    snprintf(beside, sizeof beside, "%.*scase.yaml", slash ? (int)(slash + 1 - path) : 0, path);
    kn_case_default(&c);
    if (!*row->settings || kn_case_load(&c, beside) != KN_OK ||
        kn_reference_apply(&c, row->settings) != KN_OK)
        return false;
    for (int i = 0; i < nruns; i++)
        if (runs[i].has_case && kn_flow_is_same(&c, &runs[i].c) && kn_flow_is_as_rare(&c, &runs[i].c))
            return true;
    return false;
}

static enum kn_status read_rows(struct kn_plot_references *all, const char *path,
                                const struct kn_plot_run *runs, int nruns)
{
    struct kn_reference file;
    struct kn_plot_reference p;
    enum kn_status status = kn_reference_read(&file, path);
    for (int i = 0; status == KN_OK && i < file.rows; i++)
        if (translate(&p, &file.row[i]) && is_of(&file.row[i], path, runs, nruns))
            status = add(all, &p);
    kn_reference_destroy(&file);
    return status;
}

/* ------------------------------------------------------------ a file of points */

/* "y,ux,error": an axis or the time, a quantity, and perhaps an error. */
static enum kn_status read_heading(struct kn_plot_reference *p, bool *has_error, const char *path, char *line,
                                   const struct kn_plot_run *r)
{
    char *rest = line, *column = strsep(&rest, ",\r\n"), *value = strsep(&rest, ",\r\n");
    char *error = strsep(&rest, ",\r\n");
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    *p = (struct kn_plot_reference){.along = -1, .time = NAN};
    snprintf(p->source, sizeof p->source, "%.*s", (int)strcspn(name, "."), name);
    p->in_history = strcmp(column, "time") == 0;
    if (strlen(column) == 1 && strchr("xyz", *column))
        p->along = *column - 'x';
    *has_error = error && *error;
    if ((!p->in_history && p->along < 0) || !value || !*value ||
        (*has_error && strcmp(error, "error") != 0 && strcmp(error, "uncertainty") != 0) || (rest && *rest))
        return kn_error_set(
            KN_EINPUT,
            "%s:1: the first line is x, y, z or time, a comma, the name of a quantity or the word "
            "value, and perhaps ,error; or that of a reference.csv",
            path);
    if (strcmp(value, "value") == 0)
        return KN_OK;
    const struct kn_plot_quantity *q = kn_plot_quantity_find(value);
    if (!(q || (p->in_history && kn_monitor_knows(value))))
        return kn_plot_quantity_unknown(value, r);
    snprintf(p->quantity, sizeof p->quantity, "%s%s", p->in_history && q ? "average." : "", value);
    return KN_OK;
}

static enum kn_status read_point(struct kn_plot_references *all, struct kn_plot_reference p, bool has_error,
                                 const char *path, int number, char *line)
{
    double numbers[3] = {0, 0, NAN};
    const int wanted = 2 + has_error;
    for (int i = 0; i < wanted; i++) {
        char *end = line;
        const bool empty = i == 2 && *line == '\0';
        numbers[i] = empty ? NAN : strtod(line, &end);
        end += strspn(end, " \t");
        if ((!empty && end == line) || *end != (i + 1 < wanted ? ',' : '\0'))
            return kn_error_set(KN_EINPUT, "%s:%d: %d numbers with commas between them are wanted", path,
                                number, wanted);
        line = end + (*end == ',');
    }
    if (p.in_history)
        p.time = numbers[0];
    else
        p.at[p.along] = numbers[0];
    if (!p.in_history)
        p.placed[p.along] = true;
    p.value = numbers[1];
    p.error = numbers[2];
    return add(all, &p);
}

static enum kn_status read_points(struct kn_plot_references *all, const char *path, FILE *from,
                                  const struct kn_plot_run *r)
{
    struct kn_plot_reference p;
    bool headed = false, has_error = false;
    char *line = NULL;
    size_t size = 0;
    enum kn_status status = KN_OK;
    for (int number = 1; status == KN_OK && getline(&line, &size, from) > 0; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (*line == '#' || !*line)
            continue;
        status = headed ? read_point(all, p, has_error, path, number, line)
                        : read_heading(&p, &has_error, path, line, r);
        headed = true;
    }
    free(line);
    if (status == KN_OK && !headed)
        return kn_error_set(KN_EINPUT, "%s is empty", path);
    return status;
}

enum kn_status kn_plot_reference_read(struct kn_plot_references *all, const char *path,
                                      const struct kn_plot_run *runs, int nruns)
{
    static const char rows[] = "quantity,value,";
    char start[sizeof rows] = "";
    FILE *from = fopen(path, "re");
    if (!from)
        return kn_error_set(KN_EIO, "cannot read the reference '%s': %s", path, strerror(errno));
    const bool of_case = fgets(start, sizeof start, from) && strcmp(start, rows) == 0;
    rewind(from);
    enum kn_status status =
        of_case ? read_rows(all, path, runs, nruns) : read_points(all, path, from, &runs[0]);
    fclose(from);
    return status;
}

void kn_plot_reference_destroy(struct kn_plot_references *all)
{
    free(all->point);
    *all = (struct kn_plot_references){0};
}
