#include "report_history.h"

#include "error.h"
#include "io/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3000 }; /* rows that a chart can use */

double kn_report_history_at(const struct kn_report_history *h, int64_t row, int column)
{
    return h->values[row * h->columns + column];
}

int kn_report_history_column(const struct kn_report_history *h, const char *name)
{
    for (int i = 0; i < h->columns; i++)
        if (strcmp(h->name[i], name) == 0)
            return i;
    return -1;
}

static void cut_names(struct kn_report_history *h)
{
    h->names[strcspn(h->names, "\r\n")] = '\0';
    for (char *rest = h->names, *name; (name = strsep(&rest, ",")) && h->columns < KN_REPORT_COLUMNS;)
        h->name[h->columns++] = name;
}

/* One row behind the others; false where it is cut short or no row at all, as the last one may be. */
static bool take_row(struct kn_report_history *h, const char *line)
{
    double *row = h->values + h->rows * h->columns;
    for (int i = 0; i < h->columns; i++) {
        char *end;
        row[i] = strtod(line, &end);
        if (end == line || *end != (i + 1 < h->columns ? ',' : '\n'))
            return false;
        line = end + 1;
    }
    h->rows++;
    return true;
}

static enum kn_status read_rows(struct kn_report_history *h, FILE *file, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    int64_t room = 0;
    enum kn_status status = KN_OK;
    while (getline(&line, &size, file) >= 0) {
        if (h->rows == room) {
            room = 2 * room + 256;
            double *more = realloc(h->values, (size_t)room * (size_t)h->columns * sizeof *more);
            if (!more) {
                status = kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", path);
                break;
            }
            h->values = more;
        }
        take_row(h, line);
    }
    free(line);
    return status;
}

enum kn_status kn_report_history_read(struct kn_report_history *h, const char *folder)
{
    char path[KN_PATH];
    size_t size = 0;
    *h = (struct kn_report_history){.columns = 0};
    enum kn_status status = kn_files_join(path, folder, "history.csv");
    FILE *file = status == KN_OK ? fopen(path, "re") : NULL;
    if (status == KN_OK && !file && errno != ENOENT)
        status = kn_error_set(KN_EIO, "cannot read '%s': %s", path, strerror(errno));
    if (!file)
        return status;
    if (getline(&h->names, &size, file) >= 0) {
        cut_names(h);
        if (kn_report_history_column(h, "time") < 0 || kn_report_history_column(h, "step") < 0)
            status = kn_error_set(KN_EIO, "'%s' is damaged or no history of this program", path);
        else
            status = read_rows(h, file, path);
    }
    fclose(file);
    return status;
}

void kn_report_history_destroy(struct kn_report_history *h)
{
    free(h->names);
    free(h->values);
    *h = (struct kn_report_history){.columns = 0};
}

void kn_report_history_print(FILE *to, const struct kn_report_history *h, struct kn_report_notes *notes)
{
    const int64_t every = h->rows > SHOWN ? (h->rows + SHOWN - 1) / SHOWN : 1;
    const int64_t shown = h->rows ? (h->rows - 1) / every + 1 : 0;
    double *column = malloc((size_t)(shown + 1) * sizeof *column);
    if (every > 1)
        kn_report_note(
            notes, "The charts have every %lld-th of the %lld rows of history.csv, counted from the last.",
            (long long)every, (long long)h->rows);
    fprintf(to, "{\"rows\": %lld, \"columns\": [", (long long)h->rows);
    for (int i = 0; i < h->columns; i++) {
        fputs(i ? ", " : "", to);
        kn_report_put_text(to, h->name[i]);
    }
    fputs("], \"values\": [", to);
    for (int i = 0; column && i < h->columns; i++) {
        for (int64_t k = 0; k < shown; k++)
            column[k] = kn_report_history_at(h, h->rows - 1 - (shown - 1 - k) * every, i);
        fputs(i ? ", " : "", to);
        kn_report_put_array(to, column, (size_t)shown);
    }
    fputs("]}", to);
    free(column);
}
