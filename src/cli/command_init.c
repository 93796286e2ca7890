/* The command knudsen init: writes a copy of an installed case to start from. */
#include "cli/command.h"
#include "config/cases.h"
#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    struct kn_command_line line;
    const char *from;
    bool overwrite;
};

/* NAME.yaml, with or without the extension in the argument. */
static enum kn_status name_file(const char *name, char path[KN_PATH])
{
    const char *dot = strrchr(name, '.');
    const bool given = dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    if (snprintf(path, KN_PATH, "%s%s", name, given ? "" : ".yaml") >= KN_PATH)
        return kn_error_set(KN_EINPUT, "the name is too long");
    return KN_OK;
}

/* An existing file is replaced only with --overwrite. */
static enum kn_status copy_case(const char *source, const char *path, bool overwrite)
{
    char *text;
    size_t size;
    KN_TRY(kn_files_read(source, 1 << 20, &text, &size));
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL), 0666);
    const bool exists = fd < 0 && errno == EEXIST;
    bool good = fd >= 0 && write(fd, text, size) == (ssize_t)size;
    good = fd >= 0 && close(fd) == 0 && good;
    free(text);
    if (exists)
        return kn_error_set(KN_EINPUT, "%s exists (choose another name, or --overwrite)", path);
    return good ? KN_OK : kn_error_set(KN_EIO, "%s cannot be written: %s", path, strerror(errno));
}

static enum kn_status execute(struct kn_command_line *line)
{
    const struct arguments *a = (const struct arguments *)line;
    struct kn_cases all;
    char source[KN_PATH], path[KN_PATH], title[KN_CASES_LINE];
    KN_TRY(kn_cases_find(&all));
    if (!kn_cases_have(&all, a->from))
        return KN_EINPUT;
    KN_TRY(kn_cases_path(&all, a->from, source));
    KN_TRY(kn_cases_title(&all, a->from, title));
    KN_TRY(name_file(line->words[0], path));
    KN_TRY(copy_case(source, path, a->overwrite));
    printf("%s: %s\n", path, title);
    printf("next: edit the file, then\n  knudsen info %s\n  knudsen run %s\n", path, path);
    return KN_OK;
}

int kn_command_init(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"from", KN_OPTION(struct arguments, from), "CASE", 0,
         "start from this case (default: cavity); knudsen cases lists them", 0},
        {"overwrite", KN_OPTION(struct arguments, overwrite), NULL, 0, "replace an existing NAME.yaml", 0},
        {0},
    };
    struct arguments a = {
        .line = {.execute = execute,
                 .doc = "Write a case file with a comment at every key to start from.\v"
                        "micro-cavity and resonator are in SI units, the others dimensionless.",
                 .args_doc = "NAME",
                 .options = options,
                 .most = 1,
                 .kind = "case",
                 .missing = "a name is required (knudsen init NAME writes NAME.yaml)"},
        .from = "cavity"};
    return kn_command_start(&a.line, argc, argv);
}
