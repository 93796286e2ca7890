/* Start a module of the Python package and wait for it. */
#include "cli/python.h"

#include "cli/command.h"
#include "error.h"
#include "files/files.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit code of start.py in an interpreter that lacks a library. */
enum { LACKS_LIBRARY = 119 };

static volatile sig_atomic_t child; /* 0: none */

/* Signals of processes have codes up to 0.  Those of the terminal, such as Ctrl-C, reach the child as well.
 */
static void forward(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (child > 0 && info->si_code <= 0)
        kill(child, number);
}

/* Requests to stop are forwarded.  SIGCHLD has its default action: if it is ignored, waitpid fails. */
static void set_signals(struct sigaction before[NSIG], bool restore)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const int number = numbers[i];
        struct sigaction now = {0};
        if (number != SIGCHLD) {
            now.sa_sigaction = forward;
            now.sa_flags = SA_RESTART | SA_SIGINFO;
        }
        if (restore)
            sigaction(number, &before[number], NULL);
        else
            sigaction(number, &now, &before[number]);
    }
}

/* 0 and the status of the ended child, or an errno. */
static int spawn(const char *interpreter, char **words, int *ended)
{
    posix_spawnattr_t attributes;
    struct sigaction before[NSIG];
    sigset_t defaults, all, mask;
    pid_t started = 0;
    int reason = posix_spawnattr_init(&attributes);
    if (reason != 0)
        return reason;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    sigfillset(&all); /* a signal that comes before the child is known waits */
    sigprocmask(SIG_BLOCK, &all, &mask);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    set_signals(before, false);
    reason = posix_spawnp(&started, interpreter, NULL, &attributes, words, environ);
    child = reason == 0 ? started : 0;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    while (reason == 0 && waitpid(started, ended, 0) < 0)
        reason = errno == EINTR ? 0 : errno;
    child = 0;
    set_signals(before, true);
    posix_spawnattr_destroy(&attributes);
    return reason;
}

/* The exit code of the first interpreter that can run the module; -1 and a message if none can. */
static int try_interpreters(char **words)
{
    const char *chosen = getenv("KNUDSEN_PYTHON");
    const char *const interpreters[] = {chosen && *chosen ? chosen : "python3",
                                        chosen && *chosen ? NULL : "/usr/bin/python3"};
    bool found = false;
    for (size_t i = 0; i < 2 && interpreters[i]; i++) {
        int ended = 0;
        words[0] = (char *)interpreters[i];
        if (spawn(interpreters[i], words, &ended) != 0)
            continue;
        found = true;
        if (WIFSIGNALED(ended))
            return 128 + WTERMSIG(ended);
        if (WEXITSTATUS(ended) != LACKS_LIBRARY)
            return WEXITSTATUS(ended);
    }
    kn_error_set(KN_EIO,
                 "this command needs Python 3.9 with numpy, h5py and matplotlib; %s%s (Debian, Ubuntu: apt "
                 "install python3 python3-numpy python3-h5py python3-matplotlib; KNUDSEN_PYTHON selects an "
                 "interpreter)",
                 interpreters[0],
                 found ? " lacks at least one of them"
                       : (chosen && *chosen ? ", which KNUDSEN_PYTHON selects, cannot be started"
                                            : " is not installed"));
    return -1;
}

int kn_python_run(const char *module, int argc, char **argv)
{
    char program[KN_PATH], script[KN_PATH];
    char **words = calloc((size_t)argc + 3, sizeof *words);
    enum kn_status status = kn_files_program(program);
    if (status == KN_OK && !words)
        status = kn_error_set(KN_EMEMORY, "not enough memory");
    if (status == KN_OK && !kn_files_beside(script, "python/knudsen/start.py"))
        status = kn_error_set(KN_EIO, "the Python package is not installed beside the program (%s)", script);
    /* The module and its runs are no ranks of a job that has started this program. */
    if (status == KN_OK && (setenv("KNUDSEN", program, 1) != 0 || setenv("KNUDSEN_MPI", "off", 1) != 0))
        status = kn_error_set(KN_EMEMORY, "not enough memory");
    int code = -1;
    if (status == KN_OK && words) {
        words[1] = script;
        words[2] = (char *)module;
        for (int i = 1; i < argc; i++)
            words[i + 2] = argv[i];
        code = try_interpreters(words);
        status = KN_EIO;
    }
    free(words);
    return code >= 0 ? code : kn_command_finish(status, NULL);
}
