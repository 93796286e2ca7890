/* The command knudsen report: writes the results of a run as one HTML page. */
#include "cli/command.h"
#include "files/files.h"
#include "report/report.h"
#include "text.h"

#include <argp.h>
#include <stdlib.h>

static error_t report_parse(int key, char *text, struct argp_state *state)
{
    struct kn_report_options *a = state->input;
    char *end;
    switch (key) {
    case 'o':
        a->output = text;
        return 0;
    case 's':
        a->megabytes = strtod(text, &end);
        if (end == text || *end || !(a->megabytes > 0 && a->megabytes <= 1000))
            argp_error(state, "--size %s: expected megabytes, a number above 0 and up to 1000", text);
        return 0;
    case ARGP_KEY_ARG:
        if (a->folder)
            argp_error(state, "one folder at a time: %s and %s", a->folder, text);
        a->folder = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a folder of results is required (knudsen run writes it)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int kn_command_report(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "FILE.html", 0, "write the page here instead of DIR/report.html", 0},
        {"size", 's', "MB", 0, "size of the fields in the page (40); larger fields are thinned, with a note",
         0},
        {0},
    };
    static const struct argp argp = {.options = options,
                                     .parser = report_parse,
                                     .args_doc = "DIR",
                                     .doc = "Write the results of a run as one HTML page: numbers, case, "
                                            "fields, history, timing and origin. The "
                                            "page needs no network."};
    struct kn_report_options a = {.folder = NULL};
    char path[KN_PATH];
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    const enum kn_status status = kn_report(&a, path, sizeof path);
    if (status == KN_OK) {
        kn_text_print(stdout, path);
        putchar('\n');
    }
    return kn_command_finish(status, NULL);
}
