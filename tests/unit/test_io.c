/* The files of a run: their contents, and failures to write them. */
#include "config/config.h"
#include "files/json.h"
#include "io/fields.h"
#include "io/summary.h"
#include "text.h"
#include "unit/row.h"
#include "unit/scratch.h"

#include <math.h>
#include <sys/stat.h>

enum { NX = 4, NY = 3, NCELLS = NX * NY };

/* -------------------------------------------------------------------- files */

static enum kn_status fill_lines(FILE *to, const void *what)
{
    for (int i = 0; i < *(const int *)what; i++)
        fprintf(to, "line %d\n", i);
    return KN_OK;
}

static void files_text_appears_whole(void **state)
{
    (void)state;
    int lines = 2;
    assert_int_equal(kn_files_write(in_folder("a.txt"), fill_lines, &lines), KN_OK);
    char *text = read_all("a.txt", NULL);
    assert_string_equal(text, "line 0\nline 1\n");
    free(text);
    assert_false(exists(".a.txt.knudsen.tmp"));
}

static void files_full_disk_keeps_the_old_file(void **state)
{
    (void)state;
    int lines = 2, many = 100000, before = open_files();
    assert_int_equal(kn_files_write(in_folder("a.txt"), fill_lines, &lines), KN_OK);
    limit_disk(20000);
    assert_int_equal(kn_files_write(in_folder("a.txt"), fill_lines, &many), KN_EIO);
    limit_disk(RLIM_INFINITY);
    assert_message("a.txt");
    assert_message("File too large");
    char *text = read_all("a.txt", NULL);
    assert_string_equal(text, "line 0\nline 1\n");
    free(text);
    assert_false(exists(".a.txt.knudsen.tmp"));
    assert_int_equal(open_files(), before);
}

static void files_folders(void **state)
{
    (void)state;
    int lines = 1;
    char path[KN_PATH], longer[KN_PATH + 10];
    assert_int_equal(kn_files_make_folder(in_folder("p/q/r/")), KN_OK);
    assert_int_equal(kn_files_make_folder(in_folder("p/q/r")), KN_OK);
    assert_true(exists("p/q/r"));
    write_all("file", "x", 1);
    assert_int_equal(kn_files_make_folder(in_folder("file")), KN_EIO);
    assert_message("a file of that name exists");
    assert_int_equal(kn_files_make_folder(in_folder("file/below")), KN_EIO);
    assert_int_equal(kn_files_make_folder(""), KN_EIO);
    assert_int_equal(kn_files_write(in_folder("file/below.txt"), fill_lines, &lines), KN_EIO);
    assert_message("Not a directory");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(kn_files_join(path, folder, longer), KN_EIO);
    assert_int_equal(kn_files_make_folder(longer), KN_EIO);
    assert_int_equal(kn_files_join(path, "a/", "b"), KN_OK);
    assert_string_equal(path, "a/b");
}

static void files_numbers_read_back(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(kn_text_number(text, 0.1), "0.1");
    assert_string_equal(kn_text_number(text, 3), "3");
    const double values[] = {1.0 / 3, -1e-300, 4.9e-324, 1.7976931348623157e308, 0.1 + 0.2};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_same(strtod(kn_text_number(text, values[i]), NULL), values[i]);
}

/* The output of a function, to be freed. */
static char *printed(void (*print)(FILE *, const char *, const char *), const char *text, const char *also)
{
    char *found = NULL;
    size_t size;
    FILE *to = open_memstream(&found, &size);
    assert_non_null(to);
    print(to, text, also);
    assert_int_equal(fclose(to), 0);
    return found;
}

/* A document on one line, to be freed. */
static char *json_line(json_t *root, bool html)
{
    char *found = NULL;
    size_t size;
    FILE *to = open_memstream(&found, &size);
    assert_non_null(to);
    assert_int_equal(kn_json_print(to, root, (struct kn_json_layout){.html = html}), KN_OK);
    assert_int_equal(fclose(to), 0);
    return found;
}

static void json_is_written(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool html;
        const char *json;
    } known[] = {{"", false, "\"\""},
                 {"a \"b\" \\ c", false, "\"a \\\"b\\\" \\\\ c\""},
                 {"a\tb\n\x01\x7f", false, "\"a\\u0009b\\u000a\\u0001\x7f\""},
                 {"not UTF-8: \xff", false, "\"not UTF-8: ?\""},
                 {"</b> & \xc3\xa9", false, "\"</b> & \xc3\xa9\""},
                 {"</b> & \xc3\xa9", true, "\"\\u003c/b\\u003e \\u0026 \xc3\xa9\""}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char *json = json_line(kn_json_text(known[i].text), known[i].html);
        assert_string_equal(json, known[i].json);
        free(json);
    }
    char *json = json_line(json_pack("{s:o, s:o, s:[i, b], s:{}}", "tenth", kn_json_number(0.1), "nan",
                                     kn_json_number(NAN), "list", -7, true, "none"),
                           false);
    assert_string_equal(json, "{\"tenth\": 0.1, \"nan\": null, \"list\": [-7, true], \"none\": {}}");
    free(json);
    json_t *whole = json_object();
    kn_json_set(whole, "part", NULL); /* as without memory */
    assert_int_equal(kn_json_print_line(stderr, whole), KN_EMEMORY);
}

static void print_echo(FILE *to, const char *word, const char *none)
{
    (void)none;
    fputs("printf '%s|' ", to);
    kn_files_shell_word(to, word);
}

/* The shell prints the words that it reads. */
static void files_words_of_a_shell(void **state)
{
    (void)state;
    static const char *const words[] = {"plain/name-1.h5",
                                        "some where",
                                        "a'b $HOME",
                                        "`id`",
                                        "$(id)",
                                        "~",
                                        "*",
                                        "''",
                                        "\"",
                                        "\\",
                                        "a\nb",
                                        "a;b&c|d<e>f",
                                        ""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *command = printed(print_echo, words[i], NULL), found[64], expected[64];
        FILE *shell = popen(command, "r"); /* NOLINT(cert-env33-c) */
        assert_non_null(shell);
        found[fread(found, 1, sizeof found - 1, shell)] = '\0';
        assert_int_equal(pclose(shell), 0);
        snprintf(expected, sizeof expected, "%s|", words[i]);
        assert_string_equal(found, expected);
        free(command);
    }
    char *plain = printed(print_echo, words[0], NULL);
    assert_string_equal(plain, "printf '%s|' plain/name-1.h5");
    free(plain);
}

/* ------------------------------------------------------------------- fields */

struct scene {
    struct kn_case c;
    struct kn_space space;
    double x[NX + 1], y[NY + 1], z[2];
    double fields[NCELLS * KN_FIELDS], mean[NCELLS * KN_FIELDS];
    struct kn_snapshot snapshot;
};

static void make_scene(struct scene *s)
{
    memset(s, 0, sizeof *s);
    s->c.gas.delta = 2.5;
    s->c.disturbance = 0.01;
    for (int i = 0; i <= NX; i++)
        s->x[i] = sqrt(i);
    for (int i = 0; i <= NY; i++)
        s->y[i] = 0.5 * i;
    s->z[1] = 1;
    s->space = (struct kn_space){.whole = {NX, NY, 1},
                                 .box = {.end = {NX, NY, 1}},
                                 .cells = {NX, NY, 1},
                                 .ncells = NCELLS,
                                 .edges = {s->x, s->y, s->z}};
    for (int i = 0; i < NCELLS * KN_FIELDS; i++) {
        s->fields[i] = sin(i);
        s->mean[i] = cos(i);
    }
    s->snapshot = (struct kn_snapshot){.c = &s->c,
                                       .space = &s->space,
                                       .step = 120,
                                       .time = 3.25,
                                       .fields = s->fields,
                                       .mean = s->mean,
                                       .comm = &kn_comm_alone};
}

static void read_set(hid_t file, const char *name, int rank, const hsize_t *shape, double *values)
{
    hsize_t found[8];
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_ndims(space), rank);
    H5Sget_simple_extent_dims(space, found, NULL);
    assert_memory_equal(found, shape, (size_t)rank * sizeof *shape);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Aexists(set, "unit") > 0 && H5Aexists(set, "description") > 0);
    H5Sclose(space);
    H5Dclose(set);
}

static double read_attribute(hid_t file, const char *name)
{
    double value = NAN;
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    assert_true(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0);
    H5Aclose(attribute);
    return value;
}

static void check_quantities(hid_t file, const char *group, const double *fields)
{
    for (const struct kn_quantity *q = kn_quantities; q->name; q++) {
        char name[32];
        double values[NCELLS * 6];
        hsize_t shape[4] = {1, NY, NX, (hsize_t)q->components};
        snprintf(name, sizeof name, "%s%s", group, q->name);
        read_set(file, name, q->components > 1 ? 4 : 3, shape, values);
        for (int cell = 0; cell < NCELLS; cell++)
            for (int i = 0; i < q->components; i++)
                assert_same(values[cell * q->components + i], fields[cell * KN_FIELDS + (int)q->first + i]);
    }
}

static void fields_hold_everything(void **state)
{
    (void)state;
    struct scene s;
    double edges[NX + 1];
    int before = open_files();
    make_scene(&s);
    assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_OK);
    assert_false(exists("fields"));
    assert_false(exists("fields.pvd"));
    assert_false(exists(".fields.h5.knudsen.tmp"));
    hid_t file = H5Fopen(in_folder("fields.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    check_quantities(file, "", s.fields);
    check_quantities(file, "mean/", s.mean);
    read_set(file, "grid/x", 1, (hsize_t[]){NX + 1}, edges);
    assert_memory_equal(edges, s.x, sizeof s.x);
    read_set(file, "grid/y_centre", 1, (hsize_t[]){NY}, edges);
    assert_same(edges[1], 0.75);
    assert_same(read_attribute(file, "time"), 3.25);
    assert_same(read_attribute(file, "step"), 120);
    assert_same(read_attribute(file, "delta"), 2.5);
    assert_same(read_attribute(file, "disturbance"), 0.01);
    assert_true(H5Aexists(file, "version") > 0 && H5Aexists(file, "format") > 0);
    assert_int_equal(H5Lexists(file, "series", H5P_DEFAULT), 0);
    H5Fclose(file);
    assert_no_leak(before);
}

static void fields_of_equal_runs_are_equal_bytes(void **state)
{
    (void)state;
    struct scene s;
    size_t size, again_size;
    make_scene(&s);
    assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_OK);
    char *once = read_all("fields.h5", &size);
    sleep(1); /* a time stamp has a resolution of one second */
    assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_OK);
    char *again = read_all("fields.h5", &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(once, again, size);
    free(once);
    free(again);
}

static void fields_series_follows_the_folder(void **state)
{
    (void)state;
    struct scene s;
    make_scene(&s);
    s.c.output.fields = 0.5;
    for (int step = 100; step <= 300; step += 100) {
        s.snapshot.step = step;
        s.fields[0] = step;
        assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_OK);
    }
    write_all("fields/notes.h5", "x", 1);
    s.snapshot.step = 250; /* a run that was resumed from an earlier checkpoint */
    assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_OK);
    hid_t file = H5Fopen(in_folder("fields.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    H5G_info_t info;
    assert_true(H5Gget_info_by_name(file, "series", &info, H5P_DEFAULT) >= 0);
    assert_int_equal(info.nlinks, 3);
    assert_true(H5Lexists(file, "series/00000250", H5P_DEFAULT) > 0);
    double rho[NCELLS];
    read_set(file, "series/00000100/rho", 3, (hsize_t[]){1, NY, NX}, rho);
    assert_same(rho[0], 100);
    H5Fclose(file);
}

static void files_follow_no_links(void **state)
{
    (void)state;
    write_all("target", "mine", 4);
    assert_int_equal(symlink("target", in_folder(".a.txt.knudsen.tmp")), 0);
    assert_int_equal(kn_files_create(in_folder(".a.txt.knudsen.tmp")), -1);
    char *text = read_all("target", NULL);
    assert_string_equal(text, "mine");
    free(text);
    write_all(".b.txt.knudsen.tmp", "stale", 5);
    const int fd = kn_files_create(in_folder(".b.txt.knudsen.tmp"));
    assert_true(fd >= 0);
    assert_int_equal(lseek(fd, 0, SEEK_END), 0);
    close(fd);
}

/* A link with the name of the temporary file is neither followed nor removed. */
static void fields_remove_only_their_own(void **state)
{
    (void)state;
    struct scene s;
    char long_folder[KN_PATH], target[8];
    make_scene(&s);
    assert_int_equal(symlink("nowhere", in_folder(".fields.h5.knudsen.tmp")), 0);
    assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_EIO);
    assert_int_equal(readlink(in_folder(".fields.h5.knudsen.tmp"), target, sizeof target), 7);
    assert_false(exists("nowhere"));
    memset(long_folder, 'x', sizeof long_folder);
    long_folder[KN_PATH - 15] = '\0'; /* the path fits, that of the temporary file does not */
    assert_int_equal(kn_fields_write(long_folder, &s.snapshot), KN_EIO);
}

static void fields_full_disk(void **state)
{
    (void)state;
    struct scene s;
    size_t size;
    int before = open_files();
    make_scene(&s);
    assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_OK);
    char *old = read_all("fields.h5", NULL);
    for (rlim_t bytes = 0; bytes < 8192; bytes += 1000) {
        limit_disk(bytes);
        assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_EIO);
        limit_disk(RLIM_INFINITY);
        assert_message("fields.h5");
        assert_message("File too large");
        assert_false(exists(".fields.h5.knudsen.tmp"));
    }
    char *kept = read_all("fields.h5", &size);
    assert_memory_equal(old, kept, size);
    free(old);
    free(kept);
    assert_int_equal(kn_fields_write(in_folder("fields.h5"), &s.snapshot), KN_EIO);
    assert_message("Not a directory");
    assert_no_leak(before);
}

/* ---------------------------------------------------------------------- vtk */

static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : 0;
}

/* The values of one appended array. */
static size_t decode(const char *text, const char *name, double *values)
{
    char key[64];
    uint64_t length = 0;
    unsigned char bytes[8 + NCELLS * 6 * 8 + 3];
    snprintf(key, sizeof key, "Name=\"%s\"", name);
    const char *head = strstr(text, key), *start = strstr(text, "<AppendedData");
    assert_non_null(head);
    assert_non_null(start);
    start = strchr(start, '_') + 1 + strtoul(strstr(head, "offset=\"") + 8, NULL, 10);
    size_t n = 0;
    for (size_t need = 8; n < need && n + 3 <= sizeof bytes; start += 4) {
        unsigned bits = 0;
        for (int i = 0; i < 4; i++)
            bits = bits << 6 | (unsigned)digit(start[i]);
        for (int i = 2; i >= 0; i--)
            bytes[n++] = (unsigned char)(bits >> 8 * i);
        if (n >= 9) {
            memcpy(&length, bytes, sizeof length);
            need = 8 + length;
        }
    }
    memcpy(values, bytes + 8, length);
    return length / 8;
}

static void vtk_holds_the_cells(void **state)
{
    (void)state;
    struct scene s;
    double values[NCELLS * 6];
    make_scene(&s);
    s.c.output.vtk = true;
    assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_OK);
    char *text = read_all("fields/00000120.vtr", NULL);
    assert_non_null(strstr(text, "WholeExtent=\"0 4 0 3 0 1\""));
    assert_int_equal(decode(text, "rho", values), NCELLS);
    assert_same(values[5], s.fields[5 * KN_FIELDS + KN_RHO]);
    assert_int_equal(decode(text, "u", values), NCELLS * 3);
    assert_same(values[3 * 7 + 1], s.fields[7 * KN_FIELDS + KN_UY]);
    assert_int_equal(decode(text, "mean_Pi", values), NCELLS * 6);
    assert_same(values[6 * 11 + 4], s.mean[11 * KN_FIELDS + KN_PYZ]); /* the order of VTK, not of fields.h5 */
    assert_same(values[6 * 11 + 5], s.mean[11 * KN_FIELDS + KN_PXZ]);
    assert_int_equal(decode(text, "x", values), NX + 1);
    assert_memory_equal(values, s.x, sizeof s.x);
    assert_int_equal(decode(text, "z", values), 2);
    free(text);
}

static void vtk_list_drops_what_is_later(void **state)
{
    (void)state;
    struct scene s;
    make_scene(&s);
    s.c.output.vtk = true;
    for (int i = 1; i <= 4; i++) {
        s.snapshot.step = 10 * i;
        s.snapshot.time = 0.1 * i;
        assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_OK);
    }
    assert_int_equal(unlink(in_folder("fields/00000010.vtr")), 0);
    s.snapshot.step = 25;
    s.snapshot.time = 0.25;
    assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_OK);
    char *text = read_all("fields.pvd", NULL);
    assert_null(strstr(text, "00000010"));
    assert_non_null(strstr(text, "timestep=\"0.2\" part=\"0\" file=\"fields/00000020.vtr\""));
    assert_non_null(strstr(text, "timestep=\"0.25\" part=\"0\" file=\"fields/00000025.vtr\""));
    assert_null(strstr(text, "00000030"));
    assert_null(strstr(text, "00000040"));
    free(text);
    limit_disk(1000);
    s.snapshot.step = 26;
    assert_int_equal(kn_fields_write(folder, &s.snapshot), KN_EIO);
    limit_disk(RLIM_INFINITY);
    assert_false(exists("fields/00000026.vtr") || exists("fields/.00000026.vtr.knudsen.tmp"));
}

/* ------------------------------------------------------------------ summary */

static void summary_is_json(void **state)
{
    (void)state;
    struct kn_case c;
    double mean[NCOLUMNS] = {[3] = 0.625}, square[NCOLUMNS] = {[3] = 0.5};
    kn_case_default(&c);
    struct kn_monitor m = {.c = &c, .ncolumns = NCOLUMNS, .columns = columns, .mean = mean, .square = square};
    struct kn_summary s = {
        .m = &m, .outcome = "end time", .backend = "cpu", .threads = 2, .steps = 42, .time = 4.2};
    set_row(&m, 42);
    assert_int_equal(kn_summary_write(folder, &s), KN_OK);
    char *text = read_all("summary.json", NULL);
    assert_non_null(strstr(text, "\"steps\": 42,"));
    assert_non_null(strstr(text, "\"D\": 0.5,"));
    assert_non_null(strstr(text, "\"residual\": null"));
    assert_non_null(
        strstr(text, "\"top\": {\"stress\": [-0.3, 0.125, 0.4], \"shear\": 0.5, \"normal_stress\": 0.125, "
                     "\"heat_flux\": 0, \"mass_flux\": null}"));
    assert_non_null(strstr(text, "\"case\": {"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "averaged_rows"));
    assert_null(strstr(text, "\"errors\""));
    assert_null(strstr(text, "\"held\""));
    assert_null(strstr(text, "\"provenance\""));
    free(text);
    struct kn_provenance provenance;
    kn_provenance_take(&provenance);
    strcpy(provenance.device, "a \"card\"");
    s.provenance = &provenance;
    assert_int_equal(strlen(provenance.started), strlen("2011-11-11T11:11:11Z"));
    assert_non_null(strstr(provenance.command, "unit_io"));
    struct kn_batches batches[NCOLUMNS] = {0};
    for (int i = 0; i < 100;
         i++) /* accurate to a tenth: the deviation 0.0625 divided by the square root of 100 terms */
        kn_batches_add(&batches[3], i % 2 ? 0.6875 : 0.5625);
    struct kn_monitor noisy = m;
    noisy.averaged = 3;
    noisy.batches = batches;
    s.m = &noisy;
    s.target = 0.02;
    assert_int_equal(kn_summary_write(folder, &s), KN_OK);
    text = read_all("summary.json", NULL);
    const char *error = strstr(strstr(text, "\"errors\""), "\"D\": ");
    assert_true(fabs(strtod(error + 5, NULL) - 0.00625) < 1e-4);
    assert_non_null(strstr(error, "\"stress\": [null, null, null], \"normal_stress\": null, "));
    assert_non_null(strstr(text, "\"error_of\": \"D\""));
    assert_non_null(strstr(text, "\"held\": true"));
    assert_non_null(strstr(strstr(text, "\"provenance\": {"), "\"device\": \"a \\\"card\\\"\","));
    assert_non_null(strstr(text, "\"averaged_rows\": 3"));
    assert_non_null(strstr(strstr(text, "\"quantities\""), "\"D\": 0.625,"));
    assert_non_null(strstr(strstr(text, "\"quantities_std\""), "\"D\": 0.5,"));
    assert_non_null(strstr(strstr(text, "\"quantities_last\""), "\"D\": 0.5,"));
    free(text);
    limit_disk(100);
    assert_int_equal(kn_summary_write(folder, &s), KN_EIO);
    limit_disk(RLIM_INFINITY);
    assert_false(exists(".summary.json.knudsen.tmp"));
}

static void summary_reads_back(void **state)
{
    (void)state;
    json_t *read;
    struct kn_case c, found;
    struct kn_monitor m = {.c = &c, .ncolumns = NCOLUMNS, .columns = columns};
    struct kn_provenance provenance = {.commit = "", .compiler = "\"D\": 7, {\\", .flags = "}"};
    const struct kn_summary s = {.m = &m,
                                 .outcome = "end time",
                                 .backend = "cpu",
                                 .steps = 42,
                                 .time_step = 0.125,
                                 .provenance = &provenance};
    assert_int_equal(kn_summary_read(folder, &read), KN_OK);
    assert_null(read);
    assert_int_equal(kn_summary_case(read, &found), KN_EINPUT);
    kn_case_default(&c);
    c.gas.delta = 2.5;
    set_row(&m, 42);
    assert_int_equal(kn_summary_write(folder, &s), KN_OK);
    assert_int_equal(kn_summary_read(folder, &read), KN_OK);
    assert_true(json_number_value(json_object_get(read, "time_step")) == 0.125);
    assert_true(json_number_value(json_object_get(json_object_get(read, "quantities"), "D")) == 0.5);
    assert_null(json_object_get(read, "D"));
    assert_string_equal(json_string_value(json_object_get(read, "outcome")), "end time");
    assert_int_equal(kn_summary_case(read, &found), KN_OK);
    assert_true(found.gas.delta == 2.5);
    json_decref(read);
    size_t length;
    char *text = read_all("summary.json", &length);
    for (length -= 2; length > 0; length -= length > 7 ? 7 : length) { /* truncated anywhere */
        FILE *file = fopen(in_folder("summary.json"), "w");
        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, length, file), length);
        fclose(file);
        assert_int_equal(kn_summary_read(folder, &read), KN_EINPUT);
        assert_message("is damaged: line");
        assert_null(read);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_text_appears_whole),
        TEST(files_full_disk_keeps_the_old_file),
        TEST(files_folders),
        TEST(files_numbers_read_back),
        TEST(json_is_written),
        TEST(files_words_of_a_shell),
        TEST(fields_hold_everything),
        TEST(fields_of_equal_runs_are_equal_bytes),
        TEST(fields_series_follows_the_folder),
        TEST(files_follow_no_links),
        TEST(fields_remove_only_their_own),
        TEST(fields_full_disk),
        TEST(vtk_holds_the_cells),
        TEST(vtk_list_drops_what_is_later),
        TEST(summary_is_json),
        TEST(summary_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
