/* Start of modules of the Python package: interpreter, arguments, environment and exit codes. */
#include "cli/python.h"
#include "unit/scratch.h"

#include <sys/stat.h>

static void write_interpreter(const char *name, const char *script)
{
    write_all(name, script, strlen(script));
    assert_int_equal(chmod(in_folder(name), 0700), 0);
}

static int run(int argc, char **argv)
{
    return kn_python_run("knudsen.plot", argc, argv);
}

/* Arguments are passed unchanged, whatever they contain; the exit code is that of the interpreter. */
static void words(void **state)
{
    (void)state;
    char *argv[] = {"knudsen plot", "a b", "$(touch x)", "", NULL};
    write_interpreter(
        "own", "#!/bin/sh\nprintf '%s|' \"$@\" \"$KNUDSEN\" \"$KNUDSEN_MPI\" >\"${0%/*}/words\"\nexit 7\n");
    setenv("KNUDSEN_PYTHON", in_folder("own"), 1);
    assert_int_equal(run(4, argv), 7);
    char *text = read_all("words", NULL);
    assert_non_null(strstr(text, "/python/knudsen/start.py|knudsen.plot|a b|$(touch x)||/"));
    assert_non_null(strstr(text, "/unit_python|off|"));
    free(text);
}

static void signals(void **state)
{
    (void)state;
    char *argv[] = {"knudsen plot", NULL};
    write_interpreter("killed", "#!/bin/sh\nkill -TERM $$\n");
    setenv("KNUDSEN_PYTHON", in_folder("killed"), 1);
    assert_int_equal(run(1, argv), 128 + SIGTERM);
    write_interpreter("stopped", "#!/bin/sh\nkill -TERM $PPID\nexec sleep 10\n");
    setenv("KNUDSEN_PYTHON", in_folder("stopped"), 1);
    assert_int_equal(run(1, argv), 128 + SIGTERM); /* forwarded */
    write_interpreter("interrupted",
                      "#!/bin/sh\ntrap 'kill $!; exit 5' INT\nsleep 10 &\nkill -INT $PPID\nwait\n");
    setenv("KNUDSEN_PYTHON", in_folder("interrupted"), 1);
    assert_int_equal(run(1, argv), 5); /* forwarded: the terminal has not sent it */
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    assert_int_equal(run(1, argv), 5); /* the caller may ignore its children */
    assert_ptr_equal(signal(SIGCHLD, before), SIG_IGN);
}

static void no_interpreter(void **state)
{
    (void)state;
    char *argv[] = {"knudsen plot", NULL};
    setenv("KNUDSEN_PYTHON", in_folder("none"), 1);
    assert_int_equal(run(1, argv), 4);
    assert_message("cannot be started");
    write_interpreter("bare", "#!/bin/sh\nexit 119\n");
    setenv("KNUDSEN_PYTHON", in_folder("bare"), 1);
    assert_int_equal(run(1, argv), 4);
    assert_message("apt install python3 python3-numpy python3-h5py python3-matplotlib");
}

/* An interpreter in PATH without the libraries is skipped. */
static void other_interpreter(void **state)
{
    (void)state;
    const char *before = getenv("PATH");
    char *argv[] = {"knudsen plot", NULL}, *path = strdup(before ? before : "");
    assert_non_null(path);
    unsetenv("KNUDSEN_PYTHON");
    write_interpreter("python3", "#!/bin/sh\nexit 9\n");
    setenv("PATH", folder, 1);
    assert_int_equal(run(1, argv), 9);
    write_interpreter("python3", "#!/bin/sh\necho >\"${0%/*}/tried\"; exit 119\n");
    char *help[] = {"knudsen plot", "--help", NULL};
    const int code = run(2, help);
    assert_true(exists("tried"));
    assert_int_not_equal(code, 119);
    setenv("PATH", path, 1);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(words), TEST(signals), TEST(no_interpreter),
                                       TEST(other_interpreter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
