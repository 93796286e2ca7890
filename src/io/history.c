#include "io/history.h"
#include "error.h"
#include "io/files.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER = 32 }; /* characters that any number and its comma fit in */

struct kn_history {
    int fd;
    off_t whole; /* bytes that are complete rows */
    char *row;   /* [ncolumns * NUMBER] */
    char path[KN_PATH];
};

/* What the file begins with: the names, and the rows of a run that goes on. */
struct beginning {
    const struct kn_monitor *m;
    FILE *old; /* behind its header, or NULL */
    int64_t keep_until;
};

static void print_names(FILE *to, const struct kn_monitor *m)
{
    for (int i = 0; i < m->ncolumns; i++)
        fprintf(to, "%s%s", i ? "," : "", m->columns[i].name);
    fputc('\n', to);
}

/* A row that was cut off when the machine went down is no row. */
static bool is_whole(const char *line, int ncolumns)
{
    int commas = 0;
    for (const char *p = line; *p; p++)
        commas += *p == ',';
    return commas == ncolumns - 1 && strchr(line, '\n');
}

static void print_beginning(FILE *to, const void *what)
{
    const struct beginning *b = what;
    char *line = NULL;
    size_t size = 0;
    print_names(to, b->m);
    while (b->old && getline(&line, &size, b->old) >= 0)
        if (is_whole(line, b->m->ncolumns) && strtod(line, NULL) <= (double)b->keep_until)
            fputs(line, to);
    free(line);
}

/* Open the old rows, if there are any; columns that differ must not be mixed. */
static enum kn_status open_old(FILE **old, const char *path, const struct kn_monitor *m)
{
    char *expected = NULL, *line = NULL;
    size_t size = 0;
    *old = fopen(path, "re");
    if (!*old)
        return errno == ENOENT ? KN_OK : kn_error_set(KN_EIO, "cannot read '%s': %s", path, strerror(errno));
    FILE *names = open_memstream(&expected, &size);
    if (!names) {
        fclose(*old);
        *old = NULL;
        return kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", path);
    }
    print_names(names, m);
    fclose(names);
    size_t capacity = 0;
    ssize_t length = getline(&line, &capacity, *old);
    enum kn_status status = KN_OK;
    if (length < 0) { /* empty: as good as absent */
        fclose(*old);
        *old = NULL;
    } else if (strcmp(line, expected) != 0) {
        fclose(*old);
        *old = NULL;
        status = kn_error_set(KN_EINPUT,
                              "'%s' has other columns than this case writes; move it away to go on", path);
    }
    free(line);
    free(expected);
    return status;
}

static enum kn_status begin(const char *path, const struct kn_monitor *m, int64_t keep_until)
{
    struct beginning b = {m, NULL, keep_until};
    enum kn_status status = keep_until >= 0 ? open_old(&b.old, path, m) : KN_OK;
    if (status == KN_OK)
        status = kn_files_write_text(path, print_beginning, &b);
    if (b.old)
        fclose(b.old);
    return status;
}

enum kn_status kn_history_open(struct kn_history **history, const char *folder, const struct kn_monitor *m,
                               int64_t keep_until)
{
    *history = NULL;
    struct kn_history *made = calloc(1, sizeof *made);
    if (!made || !(made->row = malloc((size_t)m->ncolumns * NUMBER + 1))) {
        free(made);
        return kn_error_set(KN_EMEMORY, "not enough memory for history.csv");
    }
    enum kn_status status = kn_files_join(made->path, folder, "history.csv");
    if (status == KN_OK)
        status = begin(made->path, m, keep_until);
    if (status == KN_OK) {
        made->fd = open(made->path, O_WRONLY | O_APPEND | O_CLOEXEC);
        made->whole = made->fd < 0 ? -1 : lseek(made->fd, 0, SEEK_END);
        if (made->whole < 0)
            status = kn_error_set(KN_EIO, "cannot write '%s': %s", made->path, strerror(errno));
        if (made->whole < 0 && made->fd >= 0)
            close(made->fd);
    }
    if (status != KN_OK) {
        free(made->row);
        free(made);
        return status;
    }
    *history = made;
    return KN_OK;
}

static size_t format_row(char *row, const struct kn_monitor *m)
{
    char *end = row;
    for (int i = 0; i < m->ncolumns; i++) {
        double value;
        memcpy(&value, (const char *)&m->row + m->columns[i].offset, sizeof value);
        if (i)
            *end++ = ',';
        if (isnan(value)) /* one spelling, whatever its sign */
            strcpy(end, "nan");
        else
            kn_files_number(end, value);
        end += strlen(end);
    }
    *end++ = '\n';
    return (size_t)(end - row);
}

enum kn_status kn_history_append(struct kn_history *history, const struct kn_monitor *m)
{
    size_t length = format_row(history->row, m);
    for (size_t done = 0; done < length;) {
        ssize_t n = write(history->fd, history->row + done, length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            enum kn_status status =
                kn_error_set(KN_EIO, "cannot write '%s': %s", history->path, strerror(errno));
            if (ftruncate(history->fd, history->whole) != 0)
                return status; /* half a row stays; reading back drops it */
            return status;
        }
        done += (size_t)n;
    }
    history->whole += (off_t)length;
    return KN_OK;
}

enum kn_status kn_history_close(struct kn_history *history)
{
    if (!history)
        return KN_OK;
    enum kn_status status = KN_OK;
    if (fsync(history->fd) != 0)
        status = kn_error_set(KN_EIO, "cannot write '%s': %s", history->path, strerror(errno));
    if (close(history->fd) != 0 && status == KN_OK)
        status = kn_error_set(KN_EIO, "cannot write '%s': %s", history->path, strerror(errno));
    free(history->row);
    free(history);
    return status;
}

/* -------------------------------------------------------------- reading back */

int kn_history_column(const struct kn_history_table *h, const char *name)
{
    for (int i = 0; i < h->columns; i++)
        if (strcmp(h->names[i], name) == 0)
            return i;
    return -1;
}

double kn_history_at(const struct kn_history_table *h, int64_t row, int column)
{
    return h->values[row * h->columns + column];
}

void kn_history_free(struct kn_history_table *h)
{
    for (int i = 0; i < h->columns; i++)
        free(h->names[i]);
    free(h->names);
    free(h->values);
    *h = (struct kn_history_table){.columns = 0};
}

static bool read_names(struct kn_history_table *h, char *line)
{
    int n = 1;
    for (const char *c = line; *c; c++)
        n += *c == ',';
    h->names = calloc((size_t)n, sizeof *h->names);
    for (; h->names && h->columns < n; h->columns++)
        if (!(h->names[h->columns] = strdup(strsep(&line, ","))))
            return false;
    return h->names != NULL;
}

/* Only the end of the line tells that the last number is whole. */
static bool read_row(double *row, int columns, const char *line)
{
    for (int i = 0; i < columns; i++) {
        char *end;
        row[i] = strtod(line, &end);
        if (end == line || (i + 1 < columns ? *end != ',' : *end != '\r' && *end != '\n'))
            return false;
        line = end + 1;
    }
    return true;
}

static bool read_rows(struct kn_history_table *h, FILE *from)
{
    char *line = NULL;
    size_t size = 0;
    int64_t room = 0;
    bool good = true;
    while (good && getline(&line, &size, from) >= 0) {
        if (h->rows == room) {
            room = 2 * room + 1; /* a wide header alone must not take much */
            double *more = realloc(h->values, (size_t)room * (size_t)h->columns * sizeof *more);
            good = more != NULL;
            h->values = more ? more : h->values;
        }
        if (good)
            h->rows += read_row(h->values + h->rows * h->columns, h->columns, line);
    }
    free(line);
    return good;
}

enum kn_status kn_history_read(struct kn_history_table *h, const char *folder)
{
    char path[KN_PATH], *line = NULL;
    size_t size = 0;
    *h = (struct kn_history_table){.columns = 0};
    enum kn_status status = kn_files_join(path, folder, "history.csv");
    FILE *from = NULL;
    if (status == KN_OK)
        status = kn_files_open(&from, path);
    if (!from)
        return status;
    if (getline(&line, &size, from) < 0) { /* empty: as good as absent */
        free(line);
        fclose(from);
        return KN_OK;
    }
    line[strcspn(line, "\r\n")] = '\0';
    const bool clean = kn_text_is_clean(line);
    const bool named = clean && read_names(h, line);
    if (!clean || (named && (kn_history_column(h, "time") < 0 || kn_history_column(h, "step") < 0)))
        status = kn_error_set(KN_EIO, "'%s' is damaged or no history of this program", path);
    else if (!named || !read_rows(h, from))
        status = kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", path);
    free(line);
    fclose(from);
    return status;
}
