/* Writes history.csv, thins it as it grows, continues it after a restart, and reads it back. */
#include "io/history.h"
#include "error.h"
#include "files/files.h"
#include "io/folder.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Rows are computed at multiples of `every` steps.  At level L the file contains the rows whose step is a
 * multiple of every << L, and the last row of a run that has stopped.  The level increases when the file
 * would have MOST rows; every second row is then removed.  The file therefore depends only on the number of
 * steps, not on interruptions.
 *
 * A checkpoint contains the checksum of the rows of each level.  A file whose level has increased after the
 * checkpoint still matches the checksum of its level.
 */
enum { NUMBER = 32, MOST = 2048 }; /* characters of a number and its comma, at most; rows */

struct kn_history {
    int fd;
    off_t whole; /* bytes that are complete rows */
    char *names; /* the first line of the file, with which the checksums of all levels begin */
    char *row;   /* [ncolumns * NUMBER] */
    struct kn_history_plan plan;
    int level;
    int64_t last; /* step of the last row in the file; -1: none */
    struct kn_history_sums sums;
    char path[KN_PATH];
    struct kn_folder_identity identity;
};

/* NULL without memory. */
static char *names_of(const struct kn_monitor *m)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    for (int i = 0; i < m->ncolumns; i++)
        fprintf(to, "%s%s", i ? "," : "", m->columns[i].name);
    fputc('\n', to);
    return fclose(to) == 0 ? text : NULL;
}

static uint64_t sum_names(const struct kn_history *h)
{
    return kn_files_sum(KN_FILES_SUM, h->names, strlen(h->names));
}

static bool is_on(const struct kn_history_plan *plan, int level, int64_t step)
{
    return step % plan->every == 0 && (uint64_t)(step / plan->every) % (UINT64_C(1) << level) == 0;
}

/* The step of a row; -1 if the line is incomplete, as the last one may be after a crash. */
static int64_t step_of(const char *line)
{
    char *end;
    const double step = strtod(line, &end);
    return *end == ',' && strchr(end, '\n') && step >= 0 && step < 9e15 && step == floor(step) ? (int64_t)step
                                                                                               : -1;
}

/* Find the rows of the level of `h` up to a step: the step of the last one, or -1, and the checksum of the
 * names and these rows.  Copy them to `to` unless it is NULL.  A file that cannot be read to its end is an
 * error: its rows would be missing in the new file. */
static enum kn_status select_rows(const struct kn_history *h, FILE *from, FILE *to, int64_t until,
                                  int64_t *last, uint64_t *sum)
{
    char *line = NULL;
    size_t size = 0;
    *last = -1;
    *sum = sum_names(h);
    rewind(from);
    errno = 0;
    for (ssize_t n; (n = getline(&line, &size, from)) >= 0;) {
        const int64_t step = step_of(line); /* -1 for the names */
        if (step < 0 || step > until || !is_on(&h->plan, h->level, step))
            continue;
        *last = step;
        *sum = kn_files_sum(*sum, line, (size_t)n);
        if (to)
            fwrite(line, 1, (size_t)n, to);
    }
    free(line);
    return kn_files_at_end(from, h->path);
}

/* The level of a file: its first row after step 0 is at every << level. */
static int level_of(FILE *from, const struct kn_history_plan *plan)
{
    char *line = NULL;
    size_t size = 0;
    int64_t step = 0;
    int level = 0;
    while (step == 0 && getline(&line, &size, from) >= 0) {
        step = step_of(line);
        step = step > 0 && step % plan->every == 0 ? step / plan->every : 0;
    }
    while (step > 1 && level < KN_HISTORY_LEVELS - 1) {
        step /= 2;
        level++;
    }
    free(line);
    return level;
}

/* The beginning of a file: the names, rows of an older file, and one more row. */
struct beginning {
    const struct kn_history *h;
    FILE *old;     /* or NULL */
    int64_t until; /* the last row of the older file */
    size_t length; /* of the row after them; 0: none */
};

static enum kn_status print_beginning(FILE *to, const void *what)
{
    const struct beginning *b = what;
    int64_t last;
    uint64_t sum;
    fputs(b->h->names, to);
    if (b->old) {
        KN_TRY(select_rows(b->h, b->old, to, b->until, &last, &sum));
        if (sum != b->h->sums.level[b->h->level])
            return kn_error_set(KN_EIO, "'%s' was changed during the run", b->h->path);
    }
    fwrite(b->h->row, 1, b->length, to);
    return KN_OK;
}

/* Write a new file and open it for appending. */
static enum kn_status begin(struct kn_history *h, FILE *old, int64_t until, size_t length)
{
    struct stat info;
    KN_TRY(kn_files_write(h->path, print_beginning, &(struct beginning){h, old, until, length}));
    const int fd = open(h->path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        const enum kn_status failed = kn_error_set(KN_EIO, "cannot write '%s': %s", h->path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return failed;
    }
    if (h->fd >= 0)
        close(h->fd);
    h->fd = fd;
    h->whole = info.st_size;
    h->identity = (struct kn_folder_identity){info.st_dev, info.st_ino};
    return KN_OK;
}

static enum kn_status open_new(struct kn_history *h)
{
    for (int i = 0; i < KN_HISTORY_LEVELS; i++)
        h->sums.level[i] = sum_names(h);
    return begin(h, NULL, 0, 0);
}

static enum kn_status mismatch(const struct kn_history *h, int64_t step)
{
    return kn_error_set(
        KN_EIO,
        "'%s' does not match the checkpoint: rows up to step %lld were changed or are missing "
        "(put the file back as it was, or start again with --overwrite or in another folder)",
        h->path, (long long)step);
}

/* The rows up to the mark must match the checkpoint. */
static enum kn_status match(struct kn_history *h, FILE *old, int64_t until)
{
    uint64_t sum;
    h->level = level_of(old, &h->plan);
    if (ferror(old))
        return kn_files_at_end(old, h->path);
    KN_TRY(select_rows(h, old, NULL, until, &h->last, &sum));
    return h->level >= h->plan.levels || sum != h->sums.level[h->level] ? mismatch(h, until) : KN_OK;
}

static enum kn_status open_old(struct kn_history *h, const struct kn_history_mark *mark)
{
    FILE *old;
    enum kn_status status = kn_files_open(&old, h->path);
    if (!old)
        return status == KN_OK ? mismatch(h, mark->step) : status;
    h->sums = *mark->sums;
    status = match(h, old, mark->step);
    if (status == KN_OK)
        status = begin(h, old, mark->step, 0);
    fclose(old);
    return status;
}

static void release(struct kn_history *h)
{
    if (h) {
        free(h->names);
        free(h->row);
    }
    free(h);
}

enum kn_status kn_history_open(struct kn_history **history, const char *folder, const struct kn_monitor *m,
                               const struct kn_history_plan *plan, const struct kn_history_mark *mark)
{
    *history = NULL;
    struct kn_history *made = calloc(1, sizeof *made);
    if (!made || !(made->row = malloc((size_t)m->ncolumns * NUMBER + 1)) || !(made->names = names_of(m))) {
        release(made);
        return kn_error_set(KN_EMEMORY, "not enough memory for history.csv");
    }
    made->fd = -1;
    made->last = -1;
    made->plan = *plan;
    enum kn_status status = kn_files_join(made->path, folder, "history.csv");
    if (status == KN_OK)
        status = mark ? open_old(made, mark) : open_new(made);
    if (status == KN_OK)
        *history = made;
    else
        release(made);
    return status;
}

static size_t format_row(char *row, const struct kn_monitor *m)
{
    char *end = row;
    for (int i = 0; i < m->ncolumns; i++) {
        double value;
        memcpy(&value, (const char *)&m->row + m->columns[i].offset, sizeof value);
        if (i)
            *end++ = ',';
        if (isnan(value)) /* the same text for either sign */
            strcpy(end, "nan");
        else
            kn_text_number(end, value);
        end += strlen(end);
    }
    *end++ = '\n';
    return (size_t)(end - row);
}

static enum kn_status write_row(struct kn_history *h, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = write(h->fd, h->row + done, length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            enum kn_status status = kn_error_set(KN_EIO, "cannot write '%s': %s", h->path, strerror(errno));
            (void)!ftruncate(h->fd, h->whole); /* if it fails an incomplete row remains; readers ignore it */
            return status;
        }
        done += (size_t)n;
    }
    h->whole += (off_t)length;
    return KN_OK;
}

/* Remove every second row.  The row that makes this necessary is written into the new file. */
static enum kn_status thin(struct kn_history *h, size_t length)
{
    KN_TRY(kn_folder_verify(h->path, &h->identity));
    FILE *old = fopen(h->path, "re");
    if (!old)
        return kn_error_set(KN_EIO, "cannot read '%s': %s", h->path, strerror(errno));
    const enum kn_status status = begin(h, old, h->last, length);
    fclose(old);
    return status;
}

static void add_to_sums(struct kn_history *h, int64_t step, size_t length)
{
    for (int i = 0; i < KN_HISTORY_LEVELS && is_on(&h->plan, i, step); i++)
        h->sums.level[i] = kn_files_sum(h->sums.level[i], h->row, length);
}

enum kn_status kn_history_append(struct kn_history *h, const struct kn_monitor *m)
{
    const int64_t step = (int64_t)m->row.step;
    const int before = h->level;
    if (step % h->plan.every != 0) /* the last row: kn_history_end writes it */
        return KN_OK;
    while (h->level < h->plan.levels - 1 && step / h->plan.every >= (int64_t)MOST << h->level)
        h->level++;
    if (!is_on(&h->plan, h->level, step)) /* nor at a higher level; lower ones do not return */
        return KN_OK;
    const size_t length = format_row(h->row, m);
    const enum kn_status status = h->level > before ? thin(h, length) : write_row(h, length);
    h->last = step;
    add_to_sums(h, step, length);
    return status;
}

enum kn_status kn_history_end(struct kn_history *h, const struct kn_monitor *m)
{
    if (m->rows == 0 || (int64_t)m->row.step <= h->last)
        return KN_OK;
    const enum kn_status status = write_row(h, format_row(h->row, m));
    h->last = (int64_t)m->row.step;
    return status;
}

enum kn_status kn_history_sync(struct kn_history *h, struct kn_history_sums *sums)
{
    KN_TRY(kn_folder_verify(h->path, &h->identity));
    if (fsync(h->fd) != 0)
        return kn_error_set(KN_EIO, "cannot write '%s': %s", h->path, strerror(errno));
    *sums = h->sums;
    for (int i = 0; i < h->level;
         i++) /* do not return, and depend on interruptions: not all rows were added */
        sums->level[i] = 0;
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
    release(history);
    return status;
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

/* The last number is complete only if the line has an end. */
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

static enum kn_status read_rows(struct kn_history_table *h, FILE *from, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    int64_t room = 0;
    bool good = true;
    errno = 0;
    while (good && getline(&line, &size, from) >= 0) {
        if (h->rows == room) {
            room = 2 * room + 1; /* a wide header alone must not use much memory */
            double *more = realloc(h->values, (size_t)room * (size_t)h->columns * sizeof *more);
            good = more != NULL;
            h->values = more ? more : h->values;
        }
        if (good)
            h->rows += read_row(h->values + h->rows * h->columns, h->columns, line);
    }
    free(line);
    return good ? kn_files_at_end(from, path)
                : kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", path);
}

static enum kn_status read_table(struct kn_history_table *h, FILE *from, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    enum kn_status status;
    errno = 0;
    if (getline(&line, &size, from) < 0) { /* an empty file counts as missing */
        free(line);
        return kn_files_at_end(from, path);
    }
    line[strcspn(line, "\r\n")] = '\0';
    const bool clean = kn_text_is_clean(line);
    const bool named = clean && read_names(h, line);
    if (!clean || (named && (kn_history_column(h, "time") < 0 || kn_history_column(h, "step") < 0)))
        status = kn_error_set(KN_EIO, "'%s' is damaged or not a history of this program", path);
    else if (!named)
        status = kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", path);
    else
        status = read_rows(h, from, path);
    free(line);
    return status;
}

enum kn_status kn_history_read(struct kn_history_table *h, const char *folder)
{
    char path[KN_PATH];
    FILE *from = NULL;
    *h = (struct kn_history_table){.columns = 0};
    KN_TRY(kn_files_join(path, folder, "history.csv"));
    KN_TRY(kn_files_open(&from, path));
    if (!from)
        return KN_OK;
    const enum kn_status status = read_table(h, from, path);
    fclose(from);
    return status;
}
