/* Figures: what is written, and what happens without gnuplot. */
#include "scratch.h"

#include "plot/draw.h"

static void print_data(FILE *to, const void *what)
{
    fprintf(to, "0 1\n1 %s\n", (const char *)what);
}

static void print_commands(FILE *to, const void *what)
{
    (void)what;
    fprintf(to, "plot data with lines title '{/:Italic x}'\n");
}

static void print_nonsense(FILE *to, const void *what)
{
    (void)what;
    fprintf(to, "plot nothing that is known\n");
}

static const struct kn_draw figure = {"some", "A title", 400, 300, print_data, print_commands, "42"};

static bool has_gnuplot(void)
{
    return system("command -v gnuplot >/dev/null 2>&1") == 0; /* NOLINT(cert-env33-c) */
}

static void assert_contains(const char *name, const char *part)
{
    char *text = read_all(name, NULL);
    if (!strstr(text, part))
        fail_msg("no '%s' in %s", part, name);
    free(text);
}

/* Without gnuplot data and script are there, an old picture is not, and nothing has failed. */
static void without_gnuplot(void **state)
{
    (void)state;
    bool drawn = true;
    char path[KN_PATH];
    snprintf(path, sizeof path, "%s", getenv("PATH"));
    write_all("some.png", "old", 3);
    const int files = open_files();
    setenv("PATH", "/nonexistent", 1);
    const enum kn_status status = kn_draw_figure(folder, &figure, &drawn);
    setenv("PATH", path, 1);
    assert_int_equal(status, KN_OK);
    assert_false(drawn);
    assert_contains("some.dat", "# A title\n0 1\n1 42\n");
    assert_contains("some.gp", "plot data with lines");
    assert_false(exists("some.png") || exists("some.svg"));
    assert_no_leak(files);
}

/* With it there are pictures, also where the script is called later, from elsewhere. */
static void with_gnuplot(void **state)
{
    (void)state;
    bool drawn;
    char command[2 * KN_PATH];
    if (!has_gnuplot())
        skip();
    assert_int_equal(kn_draw_figure(folder, &figure, &drawn), KN_OK);
    assert_true(drawn && exists("some.png") && exists("some.svg"));
    unlink(in_folder("some.png"));
    unlink(in_folder("some.svg"));
    snprintf(command, sizeof command, "cd / && gnuplot %s", in_folder("some.gp"));
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
    assert_true(exists("some.png"));
    assert_contains("some.svg", "</svg>");
}

static void failures_are_told(void **state)
{
    (void)state;
    bool drawn;
    struct kn_draw broken = figure;
    assert_int_equal(kn_draw_figure(in_folder("absent"), &figure, &drawn), KN_EIO);
    assert_message("cannot write");
    limit_disk(4);
    assert_int_equal(kn_draw_figure(folder, &figure, &drawn), KN_EIO);
    assert_false(drawn);
    limit_disk(RLIM_INFINITY);
    broken.commands = print_nonsense;
    if (has_gnuplot()) {
        assert_int_equal(kn_draw_figure(folder, &broken, &drawn), KN_EIO);
        assert_message("gnuplot cannot draw");
        assert_false(drawn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(without_gnuplot), TEST(with_gnuplot), TEST(failures_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
