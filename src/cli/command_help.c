/* The command knudsen help: explains commands, keys and terms. */
#include "cli/command.h"
#include "cli/glossary.h"
#include "config/quantities.h"
#include "error.h"
#include "files/json.h"

#include <argp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct help_arguments {
    const char *key;
    bool markdown, fields;
};

static error_t help_parse(int key, char *text, struct argp_state *state)
{
    struct help_arguments *a = state->input;
    if (key == 'm' || key == 'f') {
        *(key == 'm' ? &a->markdown : &a->fields) = true;
        return 0;
    }
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (a->key)
        argp_error(state, "one word at a time: %s and %s", a->key, text);
    a->key = text;
    return 0;
}

static int unknown_word(const char *word)
{
    char suggestion[KN_NAME], quoted[KN_NAME + 8];
    const char *near = kn_config_suggest(word, suggestion) ? suggestion : kn_command_near(word);
    near = near ? near : kn_glossary_near(word);
    kn_config_quote(word, strlen(word), quoted);
    if (near)
        kn_error_set(KN_EINPUT, "help: unknown word '%s' (did you mean %s?)", quoted, near);
    else
        kn_error_set(KN_EINPUT,
                     "help: unknown word '%s' (knudsen --help lists commands, knudsen help keys all keys, "
                     "docs/glossary.md all terms)",
                     quoted);
    return kn_command_finish(KN_EINPUT, NULL);
}

/* Explain a key or a group; any other word as a term, a choice, a part of keys, or an unsupported feature. */
static int explain(const char *word)
{
    char text[KN_TEXT];
    if (kn_config_help(stdout, word))
        return 0;
    const bool term = kn_glossary_print(stdout, word);
    char *keys = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&keys, &size);
    const bool part = to && kn_config_help_word(to, word);
    if (to)
        fclose(to);
    if (part)
        printf("%s%s", term ? "\n" : "", keys);
    free(keys);
    if (term || part)
        return 0;
    const char *dot = strrchr(word, '.'); /* "left.stress_y" is a column of that kind */
    if (dot && dot > word && dot[1] && kn_glossary_print(stdout, dot + 1))
        return 0;
    if (!kn_config_unsupported(word, text))
        return unknown_word(word);
    printf("%s\n    %s.\n", word, text);
    return 0;
}

static void list_all(const struct argp *argp, char *name)
{
    argp_help(argp, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, name);
    putchar('\n');
    kn_command_list(stdout);
    puts("\nGroups of keys:");
    for (const struct kn_group *group = kn_config_groups; group->name; group++)
        printf("  %-12s %s\n", group->name, group->doc);
    puts("\nTerms: knudsen help WORD explains any term of the documents, such as Kn, eps, inflow or "
         "residual.");
}

static int print_fields(void)
{
    const enum kn_status status =
        kn_json_print(stdout, kn_quantities_json(), (struct kn_json_layout){.levels = 1});
    putchar('\n');
    return kn_command_finish(status, NULL);
}

int kn_command_help(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"markdown", 'm', NULL, 0, "print the tables of docs/input.md", 0},
        {"fields", 'f', NULL, 0, "print the table of the fields as JSON", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = help_parse,
        .args_doc = "[COMMAND|KEY|GROUP|WORD|keys]",
        .doc = "Explain a command, a key of the case file, a group of keys or a term, or "
               "list all keys."};
    struct help_arguments a = {0};
    signal(SIGPIPE, SIG_DFL); /* a closed pipe ends the program without a message */
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (a.markdown)
        kn_config_write_markdown(stdout);
    else if (a.fields)
        return print_fields();
    else if (!a.key)
        list_all(&argp, argv[0]);
    else if (strcmp(a.key, "keys") == 0)
        kn_config_help_all(stdout);
    else
        return explain(a.key);
    return 0;
}
