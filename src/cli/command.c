/* Functions that the commands share: parsing the command line, reading a case, and error messages. */
#include "cli/command.h"

#include "comm/comm.h"
#include "error.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum kn_status kn_command_read(const struct kn_command_line *line, struct kn_case *c,
                               struct kn_places *places)
{
    kn_case_default(c);
    if (line->path)
        KN_TRY(kn_config_load(c, line->path, places));
    for (int i = 0; i < line->nsets; i++)
        KN_TRY(kn_config_set(c, line->sets[i], places));
    return kn_config_locate(c, places, kn_case_check(c));
}

/* Set the member of an option; a letter is an alias of the option before it. */
static error_t set_member(struct kn_command_line *line, int key, const char *text)
{
    const struct argp_option *option = line->options, *at = line->options;
    for (; at && (at->name || at->key); at++) {
        option = at->flags & OPTION_ALIAS ? option : at;
        if (at->key != key)
            continue;
        void *member = (char *)line + (option->key - KN_OPTION_MEMBERS);
        if (option->arg)
            *(const char **)member = text ? text : "";
        else
            *(bool *)member = true;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

/* Ranks without messages return from argp_error. */
static error_t parse(int key, char *text, struct argp_state *state)
{
    struct kn_command_line *line = state->input;
    switch (key) {
    case KN_OPTION_SET:
        line->sets[line->nsets++] = text;
        return 0;
    case ARGP_KEY_ARG:
        if (line->most == 0)
            return ARGP_ERR_UNKNOWN;
        if ((int)state->arg_num < line->most) {
            line->words[state->arg_num] = text;
            return 0;
        }
        argp_error(state, "one %s at a time: %s and %s", line->kind, line->words[line->most - 1], text);
        return EINVAL;
    case ARGP_KEY_NO_ARGS:
        if (line->missing)
            argp_error(state, "%s", line->missing);
        return line->missing ? EINVAL : 0;
    case ARGP_KEY_END:
        return line->check && !line->check(line, state) ? EINVAL : 0;
    default:
        return set_member(line, key, text);
    }
}

int kn_command_start(struct kn_command_line *line, int argc, char **argv)
{
    const struct argp argp = {line->options, parse, line->args_doc, line->doc, NULL, NULL, NULL};
    const unsigned silence = kn_comm_world()->rank == 0 ? 0 : ARGP_NO_ERRS | ARGP_NO_HELP;
    line->sets = calloc((size_t)argc + 1, sizeof *line->sets);
    if (!line->sets)
        return kn_command_finish(kn_error_set(KN_EMEMORY, "not enough memory"), NULL);
    int code = 0; /* the first rank reports invalid arguments and exits */
    if (argp_parse(&argp, argc, argv, silence, NULL, line) == 0)
        code = kn_command_finish(line->execute(line), line->path);
    free(line->sets);
    return code;
}

int kn_command_finish(enum kn_status status, const char *path)
{
    const char *message = kn_error_message();
    size_t length = path ? strlen(path) : 0;
    bool placed = length > 0 && strncmp(message, path, length) == 0 && message[length] == ':' &&
                  isdigit((unsigned char)message[length + 1]);
    fflush(stdout);
    if (status != KN_OK && kn_comm_world()->rank == 0) /* all ranks have the same error */
        fprintf(stderr, "%s%s\n", placed ? "" : "knudsen: ", message);
    return kn_status_exit_code(status);
}
