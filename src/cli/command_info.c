/* The command knudsen info: prints the properties of a case or of its collision operator. */
#include "cli/command.h"
#include "cli/info.h"
#include "cli/picture.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 1 << 16 };

struct arguments {
    struct kn_command_line line;
    const char *ranks, *picture;
    bool json;
};

static bool is_of_operator(const struct kn_command_line *line)
{
    return strcmp(line->words[0], "operator") == 0;
}

static bool check(struct kn_command_line *line, struct argp_state *state)
{
    const char *text = ((const struct arguments *)line)->ranks;
    char *end = NULL;
    const long ranks = text ? strtol(text, &end, 10) : 1;
    if (text && (end == text || *end || ranks < 1 || ranks > MOST_RANKS))
        argp_error(state, "--ranks: '%s' is not a number of ranks (1 to %d)", text, MOST_RANKS);
    if (line->words[1] && !is_of_operator(line))
        argp_error(state, "one case file at a time: %s and %s", line->words[0], line->words[1]);
    return true;
}

/* The operator is that of a case file, or of the default case with the given keys. */
static enum kn_status execute(struct kn_command_line *line)
{
    const struct arguments *a = (const struct arguments *)line;
    const bool of_operator = is_of_operator(line);
    struct kn_case c;
    struct kn_places places = {0};
    line->path = line->words[of_operator];
    if (of_operator)
        line->sets[line->nsets++] = "collision.method=operator";
    KN_TRY(kn_command_read(line, &c, &places));
    if (of_operator) {
        KN_TRY(kn_nodes_choose(&c));
        return kn_info_operator(&c, a->json);
    }
    if (a->picture)
        return kn_config_locate(&c, &places, kn_picture_draw(&c, a->picture));
    return kn_config_locate(&c, &places, kn_info_case(&c, a->ranks ? atoi(a->ranks) : 0, a->json));
}

int kn_command_info(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"set", KN_OPTION_SET, "KEY=VALUE", 0, "set a key after the case file; may be repeated", 0},
        {"ranks", KN_OPTION(struct arguments, ranks), "N", 0,
         "also print the division of the case among N ranks (docs/cluster.md)", 0},
        {"picture", KN_OPTION(struct arguments, picture), "FILE", 0,
         "draw the bodies, ports and walls of the case (png, svg, pdf, eps) instead", 0},
        {"json", KN_OPTION(struct arguments, json), NULL, 0, "print JSON instead of text", 0},
        {0},
    };
    struct arguments a = {
        .line = {.execute = execute,
                 .doc = "Print the properties of a case: Knudsen and Mach number, mean free path, grids, "
                        "steps, memory, and the estimated time, from a few steps on this machine.\v"
                        "With the word operator: viscosity, Prandtl number, rates, memory and cost of the "
                        "assembled collision operator on the velocity grid of the case.",
                 .args_doc = "CASE.yaml\noperator [CASE.yaml]",
                 .options = options,
                 .most = 2,
                 .kind = "case file",
                 .missing = "a case file or the word operator is required",
                 .check = check}};
    return kn_command_start(&a.line, argc, argv);
}
