/* The command knudsen help: explains commands, keys and terms. */
#include "cli/command.h"
#include "config/quantities.h"
#include "error.h"
#include "files/json.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    struct kn_command_line line;
    bool markdown, fields;
};

static enum kn_status unknown_word(const char *word)
{
    char suggestion[KN_NAME], quoted[KN_NAME + 8];
    const char *near = kn_config_suggest(NULL, word, suggestion) ? suggestion : kn_command_near(word);
    near = near ? near : kn_glossary_near(word);
    kn_config_quote(word, strlen(word), quoted);
    if (near)
        return kn_error_set(KN_EINPUT, "help: unknown word '%s' (did you mean %s?)", quoted, near);
    return kn_error_set(KN_EINPUT,
                        "help: unknown word '%s' (knudsen --help lists commands, knudsen help keys all keys, "
                        "docs/glossary.md all terms)",
                        quoted);
}

/* Explain a key or a group; any other word as a term, a choice, a part of keys, or an unsupported feature. */
static enum kn_status explain(const char *word)
{
    char text[KN_TEXT];
    if (kn_config_help(stdout, word))
        return KN_OK;
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
        return KN_OK;
    const char *dot = strrchr(word, '.'); /* "left.stress_y" is a column of that kind */
    if (dot && dot > word && dot[1] && kn_glossary_print(stdout, dot + 1))
        return KN_OK;
    if (!kn_config_unsupported(word, text))
        return unknown_word(word);
    printf("%s\n    %s.\n", word, text);
    return KN_OK;
}

static void list_all(const struct kn_command_line *line)
{
    const struct argp argp = {line->options, NULL, line->args_doc, line->doc, NULL, NULL, NULL};
    argp_help(&argp, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, "knudsen help");
    putchar('\n');
    kn_command_list(stdout);
    puts("\nGroups of keys:");
    for (const struct kn_group *group = kn_config_groups; group->name; group++)
        printf("  %-12s %s\n", group->name, group->doc);
    puts("\nTerms: knudsen help WORD explains any term of the documents, such as Kn, eps, inflow or "
         "residual.");
}

static enum kn_status execute(struct kn_command_line *line)
{
    const struct arguments *a = (const struct arguments *)line;
    const char *word = line->words[0];
    enum kn_status status = KN_OK;
    signal(SIGPIPE, SIG_DFL); /* a closed pipe ends the program without a message */
    if (a->markdown)
        kn_config_write_markdown(stdout);
    else if (a->fields) {
        status = kn_json_print(stdout, kn_quantities_json(), (struct kn_json_layout){.levels = 1});
        putchar('\n');
    } else if (!word)
        list_all(line);
    else if (strcmp(word, "keys") == 0)
        kn_config_help_all(stdout);
    else
        status = explain(word);
    return status;
}

int kn_command_help(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"markdown", KN_OPTION(struct arguments, markdown), NULL, 0, "print the tables of docs/input.md", 0},
        {"fields", KN_OPTION(struct arguments, fields), NULL, 0, "print the table of the fields as JSON", 0},
        {0},
    };
    struct arguments a = {
        .line = {
            .execute = execute,
            .doc = "Explain a command, a key of the case file, a group of keys or a term, or list all keys.",
            .args_doc = "[COMMAND|KEY|GROUP|WORD|keys]",
            .options = options,
            .most = 1,
            .kind = "word"}};
    return kn_command_start(&a.line, argc, argv);
}
