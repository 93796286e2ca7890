/* The command knudsen report: writes the results of a run as one HTML page. */
#include "cli/command.h"
#include "error.h"
#include "files/files.h"
#include "report/report.h"
#include "text.h"

#include <stdlib.h>

struct arguments {
    struct kn_command_line line;
    const char *output, *size;
};

static bool check(struct kn_command_line *line, struct argp_state *state)
{
    const char *text = ((const struct arguments *)line)->size;
    char *end = NULL;
    const double size = text ? strtod(text, &end) : 1;
    if (text && (end == text || *end || !(size > 0 && size <= 1000)))
        argp_error(state, "--size %s: expected megabytes, a number above 0 and up to 1000", text);
    return true;
}

static enum kn_status execute(struct kn_command_line *line)
{
    const struct arguments *a = (const struct arguments *)line;
    const struct kn_report_options options = {line->words[0], a->output, a->size ? strtod(a->size, NULL) : 0};
    char path[KN_PATH];
    KN_TRY(kn_report(&options, path, sizeof path));
    kn_text_print(stdout, path);
    putchar('\n');
    return KN_OK;
}

int kn_command_report(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", KN_OPTION(struct arguments, output), "FILE.html", 0,
         "write the page here instead of DIR/report.html", 0},
        {NULL, 'o', NULL, OPTION_ALIAS, NULL, 0},
        {"size", KN_OPTION(struct arguments, size), "MB", 0,
         "size of the fields in the page (40); larger fields are thinned, with a note", 0},
        {NULL, 's', NULL, OPTION_ALIAS, NULL, 0},
        {0},
    };
    struct arguments a = {.line = {.execute = execute,
                                   .doc = "Write the results of a run as one HTML page: numbers, case, "
                                          "fields, history, timing and origin. The page needs no network.",
                                   .args_doc = "DIR",
                                   .options = options,
                                   .most = 1,
                                   .kind = "folder",
                                   .missing = "a folder of results is required (knudsen run writes it)",
                                   .check = check}};
    return kn_command_start(&a.line, argc, argv);
}
