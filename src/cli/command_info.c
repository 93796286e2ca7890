/* The command knudsen info: prints the properties of a case or of its collision operator. */
#include "cli/command.h"
#include "cli/info.h"
#include "error.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_RANKS = KN_OPTION_OWN, MOST_RANKS = 1 << 16 };

struct info_arguments {
    const char *topic;
    struct kn_command_case from;
    int ranks;
    bool json;
};

static error_t info_parse(int key, char *text, struct argp_state *state)
{
    struct info_arguments *a = state->input;
    char *end;
    long ranks;
    switch (key) {
    case KN_OPTION_SET:
        a->from.sets[a->from.nsets++] = text;
        return 0;
    case KN_OPTION_JSON:
        a->json = true;
        return 0;
    case KEY_RANKS:
        ranks = strtol(text, &end, 10);
        if (end == text || *end || ranks < 1 || ranks > MOST_RANKS)
            argp_error(state, "--ranks: '%s' is not a number of ranks (1 to %d)", text, MOST_RANKS);
        a->ranks = (int)ranks;
        return 0;
    case ARGP_KEY_ARG:
        if (a->from.path || (a->topic && strcmp(a->topic, "operator") != 0))
            argp_error(state, "one case file at a time: %s and %s", a->from.path ? a->from.path : a->topic,
                       text);
        *(a->topic ? &a->from.path : &a->topic) = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a case file or the word operator is required");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The operator of a case file, or of the default case with the given keys. */
static enum kn_status info_operator(struct info_arguments *a)
{
    struct kn_case c;
    struct kn_places places = {0};
    a->from.sets[a->from.nsets++] = "collision.method=operator";
    KN_TRY(kn_command_read(&a->from, &c, &places));
    return kn_info_operator(&c, a->json);
}

static enum kn_status info_case(struct info_arguments *a)
{
    struct kn_case c;
    struct kn_places places = {0};
    KN_TRY(kn_command_read(&a->from, &c, &places));
    return kn_config_locate(&places, kn_info_case(&c, a->ranks, a->json));
}

int kn_command_info(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"set", KN_OPTION_SET, "KEY=VALUE", 0, "set a key after the case file; may be repeated", 0},
        {"ranks", KEY_RANKS, "N", 0, "also print the division of the case among N ranks (docs/cluster.md)",
         0},
        {"json", KN_OPTION_JSON, NULL, 0, "print JSON instead of text", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = info_parse,
        .args_doc = "CASE.yaml\noperator [CASE.yaml]",
        .doc = "Print the properties of a case: Knudsen and Mach number, mean free path, grids, steps, "
               "memory, and "
               "the estimated time, from a few steps on this machine.\v"
               "With the word operator: viscosity, Prandtl number, rates, memory and cost of the assembled "
               "collision operator on the velocity grid of the case."};
    struct info_arguments a = {.from = {.sets = calloc((size_t)argc + 1, sizeof *a.from.sets)}};
    if (!a.from.sets)
        return kn_command_finish(kn_error_set(KN_EMEMORY, "not enough memory"), NULL);
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    int code;
    if (strcmp(a.topic, "operator") == 0) {
        code = kn_command_finish(info_operator(&a), a.from.path);
    } else {
        a.from.path = a.topic;
        code = kn_command_finish(info_case(&a), a.from.path);
    }
    free(a.from.sets);
    return code;
}
