/* Begin a case of one's own: what there is to begin with, and a copy of it. */
#include "cli/command.h"
#include "config/cases.h"
#include "error.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------- cases */

static enum kn_status list_cases(void)
{
    struct kn_cases all;
    enum kn_status status = kn_cases_find(&all, NULL);
    for (int i = 0; i < all.count && status == KN_OK; i++) {
        char title[KN_CASES_LINE];
        status = kn_cases_title(&all, all.name[i], title);
        if (status == KN_OK)
            printf("%-20s %s\n", all.name[i], title);
    }
    if (status == KN_OK)
        puts(
            "\nknudsen init NAME --from CASE copies one to start from; knudsen verify CASE runs its checks.");
    return status;
}

int kn_command_cases(int argc, char **argv)
{
    static const struct argp argp = {
        NULL, NULL, "", "List the cases that come with the program, with a sentence each.", NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    return kn_command_finish(list_cases(), NULL);
}

/* -------------------------------------------------------------------- init */

struct init_arguments {
    const char *name, *from;
    bool overwrite;
};

enum { KEY_FROM = KN_OPTION_OWN, KEY_OVERWRITE };

static error_t init_parse(int key, char *text, struct argp_state *state)
{
    struct init_arguments *a = state->input;
    switch (key) {
    case KEY_FROM:
        a->from = text;
        return 0;
    case KEY_OVERWRITE:
        a->overwrite = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->name)
            argp_error(state, "one case at a time: %s and %s", a->name, text);
        a->name = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "what shall it be called? (knudsen init NAME writes NAME.yaml)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* NAME.yaml, whether or not it was said. */
static enum kn_status name_file(const char *name, char path[KN_PATH])
{
    const char *dot = strrchr(name, '.');
    const bool said = dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    if (snprintf(path, KN_PATH, "%s%s", name, said ? "" : ".yaml") >= KN_PATH)
        return kn_error_set(KN_EINPUT, "the name is too long");
    return KN_OK;
}

/* A file that is there already stays, unless it may go. */
static enum kn_status copy_case(const char *source, const char *path, bool overwrite)
{
    char text[1 << 16];
    FILE *from = fopen(source, "r");
    if (!from)
        return kn_error_set(KN_EIO, "%s cannot be opened: %s", source, strerror(errno));
    const size_t size = fread(text, 1, sizeof text, from);
    const bool whole = !ferror(from) && size < sizeof text;
    fclose(from);
    if (!whole)
        return kn_error_set(KN_EIO, "%s cannot be read, or is larger than a case file should be", source);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL), 0666);
    if (fd < 0 && errno == EEXIST)
        return kn_error_set(KN_EINPUT, "%s is there already (another name, or --overwrite)", path);
    bool good = fd >= 0 && write(fd, text, size) == (ssize_t)size;
    good = fd >= 0 && close(fd) == 0 && good;
    return good ? KN_OK : kn_error_set(KN_EIO, "%s cannot be written: %s", path, strerror(errno));
}

static enum kn_status begin_case(const struct init_arguments *a)
{
    struct kn_cases all;
    char source[KN_PATH], path[KN_PATH], title[KN_CASES_LINE];
    enum kn_status status = kn_cases_find(&all, NULL);
    if (status == KN_OK && !kn_cases_have(&all, a->from))
        return KN_EINPUT;
    if (status == KN_OK)
        status = kn_cases_path(&all, a->from, source);
    if (status == KN_OK)
        status = kn_cases_title(&all, a->from, title);
    if (status == KN_OK)
        status = name_file(a->name, path);
    if (status == KN_OK)
        status = copy_case(source, path, a->overwrite);
    if (status != KN_OK)
        return status;
    printf("%s: %s\n", path, title);
    printf("next: edit it, then\n  knudsen info %s\n  knudsen run %s\n", path, path);
    return KN_OK;
}

int kn_command_init(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"from", KEY_FROM, "CASE", 0, "start from this case (default: cavity); knudsen cases lists them", 0},
        {"overwrite", KEY_OVERWRITE, NULL, 0, "replace NAME.yaml where there is one", 0},
        {0},
    };
    static const struct argp argp = {options,
                                     init_parse,
                                     "NAME",
                                     "Write a case file with a comment at every key, to start from.\v"
                                     "micro-cavity and resonator are in SI units, the others dimensionless.",
                                     NULL,
                                     NULL,
                                     NULL};
    struct init_arguments a = {.from = "cavity"};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    return kn_command_finish(begin_case(&a), NULL);
}
