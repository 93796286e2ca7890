#include "cli/command.h"
#include "error.h"
#include "plot/plot.h"
#include "plot/plot_quantity.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_KIND = KN_OPTION_OWN,
    OPTION_SLICE,
    OPTION_MEAN,
    OPTION_LAST,
    OPTION_FLOW,
    OPTION_TERMINAL,
    OPTION_DIMENSIONLESS,
    OPTION_KEEP,
    OPTION_WIDTH
};

/* The place of a word in a list that ends with NULL. */
static int choose(struct argp_state *state, const char *option, const char *text, const char *const *words)
{
    char all[128] = "", quoted[KN_NAME + 8];
    const char *hint = NULL;
    for (int i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0)
            return i;
        hint = !hint && kn_config_is_near(text, words[i]) ? words[i] : hint;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", words[i]);
    }
    kn_config_quote(text, strlen(text), quoted);
    if (hint)
        argp_error(state, "--%s: '%s' is none of %s (did you mean %s?)", option, quoted, all, hint);
    else
        argp_error(state, "--%s: '%s' is none of %s", option, quoted, all);
    return 0;
}

static void set_which(struct argp_state *state, struct kn_plot_options *o, enum kn_plot_which which)
{
    if (o->which != KN_PLOT_WHICH_SUITS && o->which != which)
        argp_error(state, "--mean and --last exclude each other");
    o->which = which;
}

static double read_width(struct argp_state *state, const char *text)
{
    static const double least = 0.03, most = 1;
    char why[KN_TEXT];
    double width = 0;
    if (!kn_units_read(KN_DIMENSION_GAS_LENGTH, text, &width, why, sizeof why))
        argp_error(state, "--width: '%s' is no width (such as 86mm)", text);
    else if (!(width >= least && width <= most))
        argp_error(state, "--width: '%s' is out of range (30 mm to 1 m)", text);
    return width;
}

static error_t plot_parse(int key, char *text, struct argp_state *state)
{
    static const char *const kinds[] = {"sheet", "map", "profile", "history", NULL};
    static const char *const flows[] = {"auto", "lines", "arrows", "none", NULL};
    struct kn_plot_options *o = state->input;
    switch (key) {
    case 'o':
        o->output = text;
        return 0;
    case 'q':
        o->quantities[o->nquantities++] = text;
        return 0;
    case 'k':
        o->kind = (enum kn_plot_kind)choose(state, "kind", text, kinds);
        return 0;
    case 't':
        o->time = text;
        return 0;
    case 'r':
        o->references[o->nreferences++] = text;
        return 0;
    case OPTION_SLICE:
        o->slices[o->nslices++] = text;
        return 0;
    case OPTION_MEAN:
        set_which(state, o, KN_PLOT_WHICH_MEAN);
        return 0;
    case OPTION_LAST:
        set_which(state, o, KN_PLOT_WHICH_LAST);
        return 0;
    case OPTION_FLOW:
        o->flow = (enum kn_plot_flow)choose(state, "flow", text, flows);
        return 0;
    case OPTION_TERMINAL:
        o->terminal = true;
        return 0;
    case OPTION_DIMENSIONLESS:
        o->dimensionless = true;
        return 0;
    case OPTION_KEEP:
        o->keep = true;
        return 0;
    case OPTION_WIDTH:
        o->width = read_width(state, text);
        return 0;
    case ARGP_KEY_ARG:
        o->folders[o->nfolders++] = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which results? (a folder that knudsen run has written)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* clang-format off */
static const char doc[] =
    "Draw the results in a folder, or compare those in several."
    "\v"
    "Without options the sheet suits the case: of a plane a map with streamlines, the velocity on the midlines "
    "and the history of the drag; of a line profiles, at up to six times of the series; of a uniform gas its history.  "
    "Several folders are drawn over each other, named by what differs in their cases.\n"
    "\n"
    "A reference is a CSV file of one of two layouts.  (1) Points: the first line is `x,ux' or `x,ux,error': an axis "
    "(in L) or `time', a quantity (or the word value: whatever is drawn), and perhaps its error; lines that begin with # are "
    "comments.  (2) The reference.csv of a case: its rows whose settings, over the case.yaml beside it, make the flow that "
    "is drawn; values at a place become points of profiles, those of a column a level or points of its history.  Values "
    "are in the units of the results, which are dimensionless.\n"
    "\n"
    "Examples:\n"
    "  knudsen plot results/cavity\n"
    "  knudsen plot results/cavity --kind map -q theta,Pxy -o stress.svg\n"
    "  knudsen plot results/cavity --terminal\n"
    "  knudsen plot results/cavity -k profile -o figure.pdf --width 86mm\n"
    "  knudsen plot results/cavity -k profile -r cases/cavity/reference.csv\n"
    "  knudsen plot results/a results/b -q D -k history\n";
/* clang-format on */

/* The quantities, from their table, before the rest of the text of --help. */
static char *list_quantities(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size = 0;
    FILE *to = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&list, &size) : NULL;
    (void)input;
    if (!to)
        return (char *)text;
    fputs("Quantities: ", to);
    for (const struct kn_plot_quantity *q = kn_plot_quantity_table; q->name; q++)
        fprintf(to, "%s%s", q == kn_plot_quantity_table ? "" : ", ", q->name);
    fprintf(
        to,
        "; of the history the columns of history.csv, such as D or left.stress_y, and fields for their means "
        "over the box.\n\n%s",
        text);
    fclose(to);
    return list;
}

int kn_command_plot(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "FILE", 0,
         "write the picture here, FILE.png, .svg, .pdf or .eps (default: picture.png in DIR; of several, "
         "compare.png here, which must not exist)",
         0},
        {"width", OPTION_WIDTH, "WIDTH", 0,
         "width on paper with letters of 8 pt: 86mm is a column of many journals; panels are stacked where "
         "they do not fit side by side",
         0},
        {"quantity", 'q', "NAME", 0, "what to draw; several with commas, or the option again", 0},
        {"kind", 'k', "KIND", 0, "sheet (default), map, profile or history", 0},
        {"time", 't', "T", 0,
         "the fields nearest to this time (lambda0 / V0; or 5ns where the case has SI units); "
         "default: the last",
         0},
        {"slice", OPTION_SLICE, "AXIS=S", 0,
         "cut there, in L: z=0.5 is the plane of a box with three axes (the "
         "default), x=0.3 besides draws profiles there",
         0},
        {"mean", OPTION_MEAN, NULL, 0, "the averages over time", 0},
        {"last", OPTION_LAST, NULL, 0, "the last fields, also where there are averages or a series", 0},
        {"flow", OPTION_FLOW, "HOW", 0,
         "over a map: lines, arrows or none; auto (default): lines, and arrows on "
         "grids too coarse for them",
         0},
        {"reference", 'r', "FILE.csv", 0, "add published values; see below", 0},
        {"terminal", OPTION_TERMINAL, NULL, 0,
         "draw with letters and numbers on the terminal; needs no gnuplot", 0},
        {"dimensionless", OPTION_DIMENSIONLESS, NULL, 0, "not in SI units, also where the case has them", 0},
        {"keep", OPTION_KEEP, NULL, 0, "leave plot.gp and plot.dat in DIR, to edit and draw again", 0},
        {0},
    };
    static const struct argp argp = {options, plot_parse, "DIR...", doc, NULL, list_quantities, NULL};
    const char **words = calloc(4 * (size_t)argc, sizeof *words);
    if (!words)
        return kn_command_finish(kn_error_set(KN_EMEMORY, "not enough memory"), NULL);
    struct kn_plot_options o = {.folders = words,
                                .quantities = words + argc,
                                .slices = words + 2 * (size_t)argc,
                                .references = words + 3 * (size_t)argc};
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    const int code = kn_command_finish(kn_plot(&o), NULL);
    free(words);
    return code;
}
