#include "cli/command.h"
#include "error.h"
#include "verify/verify.h"

#include <argp.h>
#include <signal.h>
#include <stdlib.h>

enum { KEY_QUICK = KN_OPTION_OWN, KEY_FULL, KEY_LIST, KEY_FOLDER };

// NOLINTNEXTLINE(readability-non-const-parameter): argp gives the type
static error_t verify_parse(int key, char *text, struct argp_state *state)
{
    struct kn_verify_options *a = state->input;
    switch (key) {
    case KEY_QUICK:
    case KEY_FULL:
        a->full = key == KEY_FULL;
        return 0;
    case KEY_LIST:
        a->list = true;
        return 0;
    case KN_OPTION_JSON:
        a->json = true;
        return 0;
    case KEY_FOLDER:
        a->cases = text;
        return 0;
    case ARGP_KEY_ARG:
        a->names[a->nnames++] = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int kn_command_verify(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"quick", KEY_QUICK, NULL, 0, "what fits into three minutes on two cores (default)", 0},
        {"full", KEY_FULL, NULL, 0, "all checks, on finer grids; for a GPU", 0},
        {"list", KEY_LIST, NULL, 0, "name the cases and how many checks they have; run nothing", 0},
        {"json", KN_OPTION_JSON, NULL, 0, "report as JSON, one object a line, with all parts of the errors",
         0},
        {"cases", KEY_FOLDER, "DIR", 0,
         "folder of the cases (default: $KNUDSEN_CASES, else beside the program)", 0},
        {0},
    };
    static const struct argp argp = {
        options,
        verify_parse,
        "[CASE...]",
        "Run the verification cases and compare them with published, exact and independently computed "
        "values.\v"
        "The error of each result is found by two more runs, on half the cells and on three quarters of the "
        "velocities. Exit codes: 0 all pass, 2 bad input, 3 a check fails, 130 interrupted.",
        NULL,
        NULL,
        NULL};
    struct kn_verify_options a = {.names = calloc((size_t)argc, sizeof *a.names)};
    if (!a.names)
        return kn_command_finish(kn_error_set(KN_EMEMORY, "not enough memory"), NULL);
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    signal(SIGPIPE, SIG_DFL); /* it writes no files: a reader who has seen enough ends it quietly */
    const int code = kn_command_finish(kn_verify(&a), NULL);
    free(a.names);
    return code;
}
