#include "command.h"
#include "plot.h"

#include <argp.h>

struct plot_arguments {
    const char *folder, *output;
};

static error_t plot_parse(int key, char *text, struct argp_state *state)
{
    struct plot_arguments *a = state->input;
    switch (key) {
    case 'o':
        a->output = text;
        return 0;
    case ARGP_KEY_ARG:
        if (a->folder)
            argp_error(state, "one folder at a time: %s and %s", a->folder, text);
        a->folder = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which results? (a folder that knudsen run has written)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int kn_command_plot(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "FILE.png", 0, "write the picture here, or into FILE.svg", 0},
        {0},
    };
    static const struct argp argp = {options, plot_parse, "DIR", "Draw the results in a folder.",
                                     NULL,    NULL,       NULL};
    struct plot_arguments a = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    return kn_plot(a.folder, a.output);
}
