#include "command.h"
#include "error.h"

#include <argp.h>
#include <signal.h>
#include <string.h>

struct help_arguments {
    const char *key;
    bool markdown;
};

static error_t help_parse(int key, char *text, struct argp_state *state)
{
    struct help_arguments *a = state->input;
    if (key == 'm') {
        a->markdown = true;
        return 0;
    }
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (a->key)
        argp_error(state, "one key at a time: %s and %s", a->key, text);
    a->key = text;
    return 0;
}

int kn_command_help(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"markdown", 'm', NULL, 0, "print docs/input.md", 0},
        {0},
    };
    static const struct argp argp = {
        options,
        help_parse,
        "[COMMAND|KEY|GROUP|keys]",
        "Explain a command, a key of the case file, a group of keys, or list them all.",
        NULL,
        NULL,
        NULL};
    struct help_arguments a = {0};
    signal(SIGPIPE, SIG_DFL); /* a reader who has seen enough ends it quietly */
    char suggestion[KN_NAME], quoted[KN_NAME + 8];
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (a.markdown) {
        kn_config_write_markdown(stdout);
    } else if (!a.key) {
        argp_help(&argp, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, argv[0]);
        putchar('\n');
        kn_command_list(stdout);
        puts("\nGroups of keys:");
        for (const struct kn_group *group = kn_config_groups; group->name; group++)
            printf("  %-12s %s\n", group->name, group->doc);
    } else if (strcmp(a.key, "keys") == 0) {
        kn_config_help_all(stdout);
    } else if (!kn_config_help(stdout, a.key)) {
        const char *near = kn_config_suggest(a.key, suggestion) ? suggestion : kn_command_near(a.key);
        kn_config_quote(a.key, strlen(a.key), quoted);
        if (near)
            kn_error_set(KN_EINPUT, "help: unknown word '%s' (did you mean %s?)", quoted, near);
        else
            kn_error_set(
                KN_EINPUT,
                "help: unknown word '%s' (knudsen --help lists commands, knudsen help keys all keys)",
                quoted);
        return kn_command_finish(KN_EINPUT, NULL);
    }
    return 0;
}
