/* history.csv: appending, checksums in checkpoints, thinning and reading. */
#include "io/history.h"
#include "unit/row.h"
#include "unit/scratch.h"

#include <math.h>
#include <sys/stat.h>

static const struct kn_history_plan every_row = {1, 1};
static struct kn_history_sums sums; /* of the rows written last */

/* Rows from `first` to `last`, after those up to keep_until, or in a new file. */
static void append_rows(struct kn_monitor *m, const struct kn_history_plan *plan, int64_t keep_until,
                        int first, int last)
{
    struct kn_history *history;
    const struct kn_history_mark mark = {keep_until, &sums};
    assert_int_equal(kn_history_open(&history, folder, m, plan, keep_until < 0 ? NULL : &mark), KN_OK);
    for (m->rows = 0; first <= last; first++) {
        m->rows++;
        set_row(m, first);
        if (first % plan->every == 0)
            assert_int_equal(kn_history_append(history, m), KN_OK);
    }
    assert_int_equal(kn_history_sync(history, &sums), KN_OK);
    assert_int_equal(kn_history_end(history, m), KN_OK);
    assert_int_equal(kn_history_close(history), KN_OK);
}

static void append_steps(struct kn_monitor *m, int64_t keep_until, int first, int last)
{
    append_rows(m, &every_row, keep_until, first, last);
}

static void assert_steps(const char *steps)
{
    char found[256] = "";
    char *text = read_all("history.csv", NULL), *rest = text;
    assert_memory_equal(strsep(&rest, "\n"), "step,time,residual,D,top.stress_x", 33);
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        strcat(found, strsep(&line, ","));
        strcat(found, " ");
    }
    assert_string_equal(found, steps);
    free(text);
}

static void history_goes_on(void **state)
{
    (void)state;
    struct kn_monitor m = {.ncolumns = NCOLUMNS, .columns = columns};
    int before = open_files();
    append_steps(&m, -1, 0, 2);
    const struct kn_history_sums at2 = sums;
    append_steps(&m, 2, 3, 4);
    assert_steps("0 1 2 3 4 ");
    char *text = read_all("history.csv", NULL);
    assert_non_null(strstr(text, "\n3,0.3,nan,0.5,-0.3,0.125,0.4,0,inf\n"));
    free(text);
    sums = at2;
    append_steps(&m, 2, 3, 3);
    assert_steps("0 1 2 3 ");
    FILE *torn = fopen(in_folder("history.csv"), "a");
    assert_non_null(torn);
    fputs("4,0.4,0", torn);
    fclose(torn);
    append_steps(&m, 3, 4, 4);
    assert_steps("0 1 2 3 4 ");
    append_steps(&m, -1, 7, 7);
    assert_steps("7 ");
    assert_int_equal(open_files(), before);
}

static void assert_refused(struct kn_monitor *m, const struct kn_history_plan *plan, int64_t step)
{
    struct kn_history *history;
    const struct kn_history_mark mark = {step, &sums};
    assert_int_equal(kn_history_open(&history, folder, m, plan, &mark), KN_EIO);
    assert_message("does not match the checkpoint");
}

/* Any change of rows up to the checkpoint is detected. */
static void history_is_bound(void **state)
{
    (void)state;
    struct kn_monitor m = {.ncolumns = NCOLUMNS, .columns = columns};
    append_steps(&m, -1, 0, 5);
    size_t size;
    char *text = read_all("history.csv", &size), *row = strstr(text, "\n3,");
    assert_non_null(row);
    flip("history.csv", (size_t)(row - text) + 4, '9'); /* a digit of row 3 */
    assert_refused(&m, &every_row, 5);
    write_all("history.csv", text, (size_t)(row - text) + 1); /* rows 0 to 2 */
    assert_refused(&m, &every_row, 5);
    char *odd = strdup(text); /* without rows 1, 3, 5 */
    for (int i = 1; i < 6; i += 2) {
        char *line = odd;
        for (int skip = 0; skip < (i + 3) / 2; skip++)
            line = strchr(line, '\n') + 1;
        memmove(line, strchr(line, '\n') + 1, strlen(strchr(line, '\n') + 1) + 1);
    }
    write_all("history.csv", odd, strlen(odd));
    assert_steps("0 2 4 ");
    assert_refused(&m, &every_row, 5);
    free(odd);
    assert_int_equal(unlink(in_folder("history.csv")), 0);
    assert_refused(&m, &every_row, 5);
    write_all("history.csv", text, size);
    append_steps(&m, 5, 6, 6);
    assert_steps("0 1 2 3 4 5 6 ");
    free(text);
}

/* Thinning: a file that was thinned after the checkpoint still matches it. */
static void history_is_thinned(void **state)
{
    (void)state;
    struct kn_monitor m = {.ncolumns = NCOLUMNS, .columns = columns};
    const struct kn_history_plan thinned = {5, KN_HISTORY_LEVELS}, twice = {5, 3};
    struct kn_history_table h;
    size_t size, again;
    append_rows(&m, &thinned, -1, 0, 3000);
    const struct kn_history_sums at3000 = sums;
    append_rows(&m, &thinned, 3000, 3001, 100003);
    assert_int_equal(kn_history_read(&h, folder), KN_OK);
    const int64_t rows = h.rows;
    assert_true(rows >= 1024 && rows <= 2049);
    for (int64_t i = 0; i + 1 < rows; i++)
        assert_same(kn_history_at(&h, i, 0), 80.0 * (double)i);
    assert_same(kn_history_at(&h, rows - 1, 0), 100003);
    kn_history_free(&h);
    char *whole = read_all("history.csv", &size);
    sums = at3000; /* killed, and resumed from an early checkpoint */
    append_rows(&m, &thinned, 3000, 3001, 100003);
    char *text = read_all("history.csv", &again);
    assert_int_equal(size, again);
    assert_memory_equal(text, whole, size);
    free(text);
    flip("history.csv", size / 2, 'x');
    assert_refused(&m, &thinned, 100003);
    append_rows(&m, &twice, -1, 0, 100003);
    assert_int_equal(kn_history_read(&h, folder), KN_OK);
    assert_int_equal(h.rows, 5000 + 2);
    kn_history_free(&h);
    free(whole);
}

static void history_faults(void **state)
{
    (void)state;
    struct kn_monitor m = {.ncolumns = NCOLUMNS, .columns = columns};
    struct kn_history *history;
    int before = open_files();
    assert_int_equal(kn_history_open(&history, folder, &m, &every_row, NULL), KN_OK);
    set_row(&m, 1);
    assert_int_equal(kn_history_append(history, &m), KN_OK);
    struct stat info;
    assert_int_equal(stat(in_folder("history.csv"), &info), 0);
    limit_disk((rlim_t)info.st_size + 5);
    set_row(&m, 2);
    assert_int_equal(kn_history_append(history, &m), KN_EIO);
    limit_disk(RLIM_INFINITY);
    assert_message("history.csv");
    assert_int_equal(kn_history_close(history), KN_OK);
    assert_steps("1 "); /* no half row */
    m.ncolumns--;
    assert_refused(&m, &every_row, 1); /* other columns */
    assert_int_equal(kn_history_open(&history, in_folder("history.csv"), &m, &every_row, NULL), KN_EIO);
    assert_int_equal(open_files(), before);
}

static void read_history(struct kn_history_table *h, const char *text, int64_t rows)
{
    write_all("history.csv", text, strlen(text));
    assert_int_equal(kn_history_read(h, folder), KN_OK);
    assert_int_equal(h->rows, rows);
}

static void history_reads_back(void **state)
{
    (void)state;
    struct kn_monitor m = {.ncolumns = NCOLUMNS, .columns = columns};
    struct kn_history_table h;
    int before = open_files();
    assert_int_equal(kn_history_read(&h, folder), KN_OK); /* there is none */
    assert_int_equal(h.columns + h.rows, 0);
    append_steps(&m, -1, 0, 700);
    assert_int_equal(kn_history_read(&h, folder), KN_OK);
    assert_int_equal(h.columns, NCOLUMNS);
    assert_int_equal(h.rows, 701);
    assert_int_equal(kn_history_column(&h, "top.stress_y"), 5);
    assert_int_equal(kn_history_column(&h, "top"), -1);
    assert_true(kn_history_at(&h, 700, 1) == 70 && kn_history_at(&h, 3, 4) == -0.3);
    assert_true(isnan(kn_history_at(&h, 3, 2)));
    kn_history_free(&h);
    assert_int_equal(h.columns, 0);
    /* 0.1 may be the beginning of 0.125: a row is complete only with the end of its line */
    static const char *const torn[] = {"",          "2",       "2,",        "2,0.2,",
                                       "2,0.2,0.1", "2,0.2\n", "2,0.2,x\n", "2,0.2,1,1\n"};
    for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
        char text[128];
        snprintf(text, sizeof text, "step,time,D\n1,0.1,0.125\n%s", torn[i]);
        read_history(&h, text, 1);
        kn_history_free(&h);
    }
    read_history(&h, "step,time,D\r\n1,0.1,0.125\r\n", 1);
    assert_true(kn_history_column(&h, "D") == 2 && kn_history_at(&h, 0, 2) == 0.125);
    kn_history_free(&h);
    read_history(&h, "", 0);
    write_all("history.csv", "a,b\n1,2\n", 8);
    assert_int_equal(kn_history_read(&h, folder), KN_EIO);
    assert_message("not a history of this program");
    kn_history_free(&h);
    assert_int_equal(open_files(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(history_goes_on), TEST(history_is_bound),   TEST(history_is_thinned),
        TEST(history_faults),  TEST(history_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
