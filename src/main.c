/* The program: the first word of the command line is a command. */
#include "cli/command.h"
#include "comm/comm.h"
#include "comm/launcher.h"
#include "error.h"

#include <argp.h>
#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* read by the C library: must be visible */
__attribute__((visibility("default"))) const char *argp_program_version = "knudsen " KN_VERSION;

static const struct command {
    const char *name;
    const char *title; /* name of the program in messages */
    int (*run)(int argc, char **argv);
    const char *arguments;
    const char *doc;
    bool parallel; /* runs on all ranks; else on the first only */
} commands[] = {
    /* clang-format off */
    {"run", "knudsen run", kn_command_run, "CASE.yaml", "run a case", true},
    {"init", "knudsen init", kn_command_init, "NAME", "write a case file to start from", false},
    {"cases", "knudsen cases", kn_command_cases, "", "list the cases that come with the program", false},
    {"info", "knudsen info", kn_command_info, "CASE.yaml", "print properties of a case: Kn, Ma, steps, memory, time", false},
    {"plot", "knudsen plot", kn_command_plot, "DIR...", "draw the results in a folder, or compare several", false},
    {"sweep", "knudsen sweep", kn_command_sweep, "CASE.yaml", "run a case for several values of its keys", false},
    {"report", "knudsen report", kn_command_report, "DIR", "write the results in a folder as one HTML page", false},
    {"verify", "knudsen verify", kn_command_verify, "[CASE]", "compare the cases with published values", false},
    {"reproduce", "knudsen reproduce", kn_command_reproduce, "[TOPIC]", "reproduce tables and figures of the paper or of the verification", false},
    {"bench", "knudsen bench", kn_command_bench, "", "measure this machine", true},
    {"doctor", "knudsen doctor", kn_command_doctor, "", "list the devices and libraries of this machine", false},
    {"help", "knudsen help", kn_command_help, "[WORD]", "explain a command, a key of the case file, or a term", false},
    /* clang-format on */
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* The first word is the command; the rest are its arguments. */
// NOLINTNEXTLINE(readability-non-const-parameter): argp gives the type
static error_t main_parse(int key, char *text, struct argp_state *state)
{
    if (key == ARGP_KEY_NO_ARGS)
        argp_state_help(state, stderr,
                        (ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK) | ARGP_HELP_EXIT_ERR);
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    (void)text;
    *(int *)state->input = state->next - 1;
    state->next = state->argc;
    return 0;
}

void kn_command_list(FILE *to)
{
    fputs("Commands:\n", to);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-9s %-10s %s\n", commands[i].name, commands[i].arguments, commands[i].doc);
}

/* The table of commands after the text of --help. */
static char *list_commands(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size = 0;
    FILE *to = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&list, &size) : NULL;
    (void)input;
    if (!to)
        return (char *)text;
    kn_command_list(to);
    fputs("\n`knudsen COMMAND --help' describes a command.", to);
    fclose(to);
    return list;
}

const char *kn_command_near(const char *word)
{
    const char *near = NULL;
    for (int i = 0; i < COMMANDS; i++)
        if (kn_config_is_near(word, commands[i].name))
            near = commands[i].name;
    return near;
}

static int unknown_command(const char *word)
{
    const char *hint = kn_command_near(word);
    char quoted[KN_NAME + 8];
    kn_config_quote(word, strlen(word), quoted);
    if (!hint && strstr(word, ".y"))
        hint = "run";
    fprintf(stderr, "knudsen: unknown command '%s' (%s", quoted, hint ? "did you mean " : "commands: ");
    for (int i = 0; i < COMMANDS && !hint; i++)
        fprintf(stderr, "%s%s", i ? ", " : "", commands[i].name);
    fprintf(stderr, "%s%s)\n", hint ? hint : "", hint ? "?" : "");
    return KN_COMMAND_USAGE;
}

static const struct command *find_command(const char *word)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static const char *explained; /* a command; a group of keys may have the same name */

static void explain_keys(void)
{
    if (kn_config_is_group(NULL, explained)) {
        printf("\nKeys of the group %s in a case file:\n\n", explained);
        kn_config_help(stdout, explained);
    }
}

/* knudsen help COMMAND; the keys are printed at exit, because argp ends the program after its text. */
static int explain(const struct command *command)
{
    char help[] = "--help", *words[] = {(char *)command->title, help, NULL};
    signal(SIGPIPE, SIG_DFL); /* a closed pipe ends the program without a message */
    explained = command->name;
    atexit(explain_keys);
    return command->run(2, words);
}

/* argp accepts -? and --help; accept -h too. */
static void accept_short_help(int argc, char **argv)
{
    static char help[] = "--help";
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-h") == 0)
            argv[i] = help;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {NULL,
                                     main_parse,
                                     "COMMAND [...]",
                                     "Solve the Boltzmann equation for rarefied gas flow.",
                                     NULL,
                                     list_commands,
                                     NULL};
    int first = 0;
    accept_short_help(argc, argv);
    H5dont_atexit(); /* after a failed write HDF5 would crash at exit */
    argp_err_exit_status = KN_COMMAND_USAGE;
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit and a closed pipe are write errors */
    signal(SIGPIPE, SIG_IGN);
    const struct kn_launcher *launcher = kn_launcher_find();
    const bool repeats = launcher && launcher->rank > 0; /* the first rank writes messages */
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER | (repeats ? ARGP_NO_ERRS | ARGP_NO_HELP : 0), NULL,
                   &first))
        return 0;

    const struct command *command = find_command(argv[first]);
    if (!command)
        return repeats ? 0 : unknown_command(argv[first]);
    if (command->run == kn_command_help && argc - first == 2 && find_command(argv[first + 1]))
        return explain(find_command(argv[first + 1]));
    argv[first] = (char *)command->title;
    atexit(kn_comm_end);
    const enum kn_status status = kn_comm_start();
    if (status != KN_OK) /* each process fails separately */
        return repeats ? kn_status_exit_code(status) : kn_command_finish(status, NULL);
    int code = 0;
    if (command->parallel || kn_comm_world()->rank == 0)
        code = command->run(argc - first, argv + first);
    bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (lost && code == 0)
        return kn_command_finish(kn_error_set(KN_EIO, "standard output cannot be written"), NULL);
    return code;
}
