/* The program: reads the command line and hands the work to the library. */
#include "bench.h"
#include "config.h"
#include "doctor.h"
#include "error.h"
#include "info.h"
#include "io/files.h"
#include "plot.h"
#include "reproduce.h"
#include "sampling.h"
#include "sim.h"
#include "verify.h"

#include <argp.h>
#include <ctype.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* read by the C library, hence visible */
__attribute__((visibility("default"))) const char *argp_program_version = "knudsen " KN_VERSION;

enum { USAGE = 2 }; /* exit code of a command line that makes no sense */

/* Say what went wrong and return the exit code.  A message that begins with
 * its place in the case file stays as editors expect it. */
static int finish(enum kn_status status, const char *path)
{
    const char *message = kn_error_message();
    size_t length = path ? strlen(path) : 0;
    bool placed = length > 0 && strncmp(message, path, length) == 0 && message[length] == ':' &&
                  isdigit((unsigned char)message[length + 1]);
    fflush(stdout);
    if (status != KN_OK)
        fprintf(stderr, "%s%s\n", placed ? "" : "knudsen: ", message);
    return kn_status_exit_code(status);
}

/* --------------------------------------------------------------------- run */

enum { KEY_SET = 256, KEY_RESUME, KEY_OVERWRITE, KEY_JSON, KEY_DRY_RUN };

struct run_arguments {
    const char *path;
    const char **sets; /* [nsets] */
    int nsets;
    const char *out;
    bool resume, overwrite, json, dry_run, quiet;
};

static const struct argp_option run_options[] = {
    {"set", KEY_SET, "KEY=VALUE", 0, "set a key over what the case file says; may be repeated", 0},
    {"out", 'o', "DIR", 0, "write results into this folder (default: results/NAME)", 0},
    {"overwrite", KEY_OVERWRITE, NULL, 0, "begin anew where a run stopped before its end", 0},
    {"resume", KEY_RESUME, NULL, 0, "continue from the newest good checkpoint in the folder", 0},
    {"json", KEY_JSON, NULL, 0, "report as JSON, one object a line", 0},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "print the whole case and what it needs; start and write nothing", 0},
    {"quiet", 'q', NULL, 0, "print errors only", 0},
    {0},
};

static error_t run_parse(int key, char *text, struct argp_state *state)
{
    struct run_arguments *a = state->input;
    switch (key) {
    case KEY_SET:
        a->sets[a->nsets++] = text;
        return 0;
    case 'o':
        a->out = text;
        return 0;
    case KEY_RESUME:
        a->resume = true;
        return 0;
    case KEY_OVERWRITE:
        a->overwrite = true;
        return 0;
    case KEY_JSON:
        a->json = true;
        return 0;
    case KEY_DRY_RUN:
        a->dry_run = true;
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->path)
            argp_error(state, "one case file at a time: %s and %s", a->path, text);
        a->path = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which case? (a YAML file, such as cases/cavity/case.yaml)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* results/NAME, after the file, or after its folder when the file is just called case.yaml. */
static enum kn_status default_folder(const char *path, char folder[KN_PATH])
{
    char whole[PATH_MAX];
    if (!realpath(path, whole)) /* a pipe, for instance */
        snprintf(whole, sizeof whole, "%s", path);
    char *slash = strrchr(whole, '/'), *name = slash ? slash + 1 : whole;
    char *dot = strrchr(name, '.');
    if (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0))
        *dot = '\0';
    if (strcmp(name, "case") == 0 && slash && slash > whole) {
        *slash = '\0';
        slash = strrchr(whole, '/');
        name = slash ? slash + 1 : whole;
    }
    if (snprintf(folder, KN_PATH, "results/%s", name) >= KN_PATH)
        return kn_error_set(KN_EINPUT, "the path of the case is too long");
    return KN_OK;
}

static void say(void *to, const char *text)
{
    fputs(text, to);
    fflush(to);
}

static enum kn_status read_case(struct kn_case *c, const struct run_arguments *a, struct kn_places *places)
{
    kn_case_default(c);
    enum kn_status status = kn_config_load(c, a->path, places);
    for (int i = 0; i < a->nsets && status == KN_OK; i++)
        status = kn_config_set(c, a->sets[i], places);
    return status == KN_OK ? kn_config_locate(places, kn_case_check(c)) : status;
}

static void print_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < ' ')
            printf("\\u%04x", byte);
        else
            printf("%s%c", byte == '"' || byte == '\\' ? "\\" : "", byte);
    }
    putchar('"');
}

/* The resolved case is itself a case file: the plan goes into comments. */
static void print_plan(const struct kn_case *c, const struct kn_plan_size *plan, const char *folder,
                       bool json)
{
    double available = kn_config_memory_available();
    char needed[KN_NAME], there[KN_NAME];
    kn_config_bytes_text(plan->memory_bytes, needed);
    kn_config_bytes_text(available, there);
    if (json)
        fputs("{\"case\": ", stdout);
    kn_config_print(stdout, c, json);
    if (json) {
        printf(", \"plan\": {\"cells\": %lld, \"nodes\": %lld, \"memory_bytes\": %.0f, \"memory_available\": "
               "%.0f, "
               "\"time_step\": %.17g, \"steps\": %.0f, \"folder\": ",
               (long long)plan->cells, (long long)plan->nodes, plan->memory_bytes, available, plan->time_step,
               plan->steps);
        print_json_text(folder);
        puts("}}");
        return;
    }
    printf("\n# cells      %lld\n# nodes      %lld per cell\n", (long long)plan->cells,
           (long long)plan->nodes);
    printf("# memory     %s needed, %s available\n", needed, there);
    if (kn_sampling_is_due(c))
        printf("# samples    as collision.error needs; the memory is that of %d\n", KN_SAMPLING_LEAST);
    printf("# time step  %g lambda0 / V0\n# steps      %.0f\n# results    %s\n", plan->time_step, plan->steps,
           folder);
    printf("# Nothing was started or written.\n");
}

static enum kn_report choose_report(const struct run_arguments *a)
{
    if (a->quiet)
        return KN_REPORT_QUIET;
    if (a->json)
        return KN_REPORT_JSON;
    return isatty(STDOUT_FILENO) ? KN_REPORT_TERMINAL : KN_REPORT_PLAIN;
}

static enum kn_status run_case(const struct run_arguments *a)
{
    struct kn_case c;
    struct kn_places places = {0};
    struct kn_plan_size plan;
    char folder[KN_PATH] = "";
    const char *out = a->out ? a->out : folder;

    /* 1. the case, whole and free of contradictions */
    enum kn_status status = read_case(&c, a, &places);
    if (status == KN_OK && !a->out)
        status = default_folder(a->path, folder);

    /* 2. what it needs */
    if (status == KN_OK)
        status = kn_config_locate(&places, kn_sim_plan(&c, &plan));
    if (status != KN_OK)
        return status;
    if (a->dry_run)
        print_plan(&c, &plan, out, a->json);
    status = kn_config_locate(&places, kn_config_check_memory(plan.memory_bytes));
    if (status != KN_OK || a->dry_run)
        return status;

    /* 3. the run */
    struct kn_run_options options = {.folder = out,
                                     .resume = a->resume,
                                     .overwrite = a->overwrite,
                                     .report = choose_report(a),
                                     .say = say,
                                     .to = stdout};
    return kn_config_locate(&places, kn_run(&c, &options));
}

static int command_run(int argc, char **argv)
{
    static const struct argp argp = {
        run_options,
        run_parse,
        "CASE.yaml",
        "Run a case.\vExit codes: 0 ok, 2 bad input, 3 numerical failure, 4 input/output "
        "failure, 130 interrupted after a checkpoint.",
        NULL,
        NULL,
        NULL};
    struct run_arguments a = {.sets = calloc((size_t)argc, sizeof *a.sets)};
    if (!a.sets)
        return finish(kn_error_set(KN_EMEMORY, "not enough memory"), NULL);
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    int code = finish(run_case(&a), a.path);
    free(a.sets);
    return code;
}

/* -------------------------------------------------------------------- help */

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

static int command_help(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"markdown", 'm', NULL, 0, "print docs/input.md", 0},
        {0},
    };
    static const struct argp argp = {options,
                                     help_parse,
                                     "[KEY|GROUP|keys]",
                                     "Explain a key of the case file, a group of keys, or list them all.",
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
        puts("\nGroups of keys:");
        for (const struct kn_group *group = kn_config_groups; group->name; group++)
            printf("  %-12s %s\n", group->name, group->doc);
    } else if (strcmp(a.key, "keys") == 0) {
        kn_config_help_all(stdout);
    } else if (!kn_config_help(stdout, a.key)) {
        bool near = kn_config_suggest(a.key, suggestion);
        kn_config_quote(a.key, strlen(a.key), quoted);
        if (near)
            kn_error_set(KN_EINPUT, "help: unknown key '%s' (did you mean %s?)", quoted, suggestion);
        else
            kn_error_set(KN_EINPUT, "help: unknown key '%s' (knudsen help keys lists them all)", quoted);
        return finish(KN_EINPUT, NULL);
    }
    return 0;
}

/* -------------------------------------------------------------------- plot */

struct plot_arguments {
    const char *folder, *output;
};

static error_t plot_parse(int key, char *text, struct argp_state *state)
{
    struct plot_arguments *a = state->input;
    switch (key) {
    case 'o':
        a->output = text;
        return 0;
    case ARGP_KEY_ARG:
        if (a->folder)
            argp_error(state, "one folder at a time: %s and %s", a->folder, text);
        a->folder = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which results? (a folder that knudsen run has written)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int command_plot(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "FILE.png", 0, "write the picture here, or into FILE.svg", 0},
        {0},
    };
    static const struct argp argp = {options, plot_parse, "DIR", "Draw the results in a folder.",
                                     NULL,    NULL,       NULL};
    struct plot_arguments a = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    return kn_plot(a.folder, a.output);
}

/* --------------------------------------------------------------------- info */

struct info_arguments {
    const char *topic;
    struct run_arguments run;
};

static error_t info_parse(int key, char *text, struct argp_state *state)
{
    struct info_arguments *a = state->input;
    switch (key) {
    case KEY_SET:
        a->run.sets[a->run.nsets++] = text;
        return 0;
    case KEY_JSON:
        a->run.json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->topic && a->run.path)
            argp_error(state, "one case file at a time: %s and %s", a->run.path, text);
        *(a->topic ? &a->run.path : &a->topic) = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "about what? (operator)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The operator of a case, or of the default one with the keys that are set. */
static enum kn_status info_operator(const struct info_arguments *a)
{
    struct kn_case c;
    struct kn_places places = {0};
    kn_case_default(&c);
    enum kn_status status = a->run.path ? kn_config_load(&c, a->run.path, &places) : KN_OK;
    for (int i = 0; i < a->run.nsets && status == KN_OK; i++)
        status = kn_config_set(&c, a->run.sets[i], &places);
    c.collision.method = KN_METHOD_OPERATOR;
    if (status == KN_OK)
        status = kn_config_locate(&places, kn_case_check(&c));
    return status == KN_OK ? kn_info_operator(&c, a->run.json) : status;
}

static int command_info(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"set", KEY_SET, "KEY=VALUE", 0, "set a key over what the case file says; may be repeated", 0},
        {"json", KEY_JSON, NULL, 0, "print JSON instead of text", 0},
        {0},
    };
    static const struct argp argp = {
        options,
        info_parse,
        "operator [CASE.yaml]",
        "Print viscosity, Prandtl number, rates, memory and cost of the assembled collision operator on "
        "the velocity grid of a case.",
        NULL,
        NULL,
        NULL};
    struct info_arguments a = {.run = {.sets = calloc((size_t)argc, sizeof *a.run.sets)}};
    if (!a.run.sets)
        return finish(kn_error_set(KN_EMEMORY, "not enough memory"), NULL);
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    int code = USAGE;
    if (strcmp(a.topic, "operator") == 0)
        code = finish(info_operator(&a), a.run.path);
    else
        fprintf(stderr, "knudsen info: nothing is known about '%s' (operator)\n", a.topic);
    free(a.run.sets);
    return code;
}

/* ------------------------------------------------------------ bench, doctor */

enum { KEY_PAPER = 512, KEY_CASES, KEY_STEADY };

// NOLINTNEXTLINE(readability-non-const-parameter): argp gives the type
static error_t bench_parse(int key, char *text, struct argp_state *state)
{
    struct kn_bench_options *a = state->input;
    switch (key) {
    case KEY_PAPER:
        a->paper = true;
        return 0;
    case KEY_CASES:
        a->cases = true;
        return 0;
    case KEY_STEADY:
        a->steady = true;
        return 0;
    case KEY_JSON:
        a->json = true;
        return 0;
    case 'o':
        a->folder = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int command_bench(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"paper", KEY_PAPER, NULL, 0, "all sizes of the paper, 256 to 36864 cells", 0},
        {"cases", KEY_CASES, NULL, 0, "also steps as users run them, against a copy of the state", 0},
        {"steady", KEY_STEADY, NULL, 0,
         "also a cavity from rest to steady, by operator and monte-carlo: seconds to a drag 0.5 % off (not "
         "with --json)",
         0},
        {"json", KEY_JSON, NULL, 0, "print JSON instead of a table", 0},
        {"out", 'o', "DIR", 0, "write the table and pictures (gnuplot) into this folder", 0},
        {0},
    };
    static const struct argp argp = {
        options,
        bench_parse,
        "",
        "Measure this machine on the paper's cavity: one thread, all threads, the GPU.\v"
        "Columns: milliseconds per step and in streaming, drawing samples, collisions; 10^9 phase-space "
        "cells "
        "advanced and samples applied per second; GB/s for one read and one write of the state, and of a "
        "copy; "
        "GFLOP/s counted as in the paper, 11 per upwind update and 80 N_v + 12 N_t per cell.",
        NULL,
        NULL,
        NULL};
    struct kn_bench_options a = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    return kn_bench(&a);
}

static int command_doctor(int argc, char **argv)
{
    static const struct argp argp = {
        NULL, NULL, "", "Say what this machine has for the program, and what it lacks.", NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    return kn_doctor();
}

/* ------------------------------------------------------------------ verify */

enum { KEY_QUICK = 768, KEY_FULL, KEY_LIST, KEY_FOLDER };

// NOLINTNEXTLINE(readability-non-const-parameter): argp gives the type
static error_t verify_parse(int key, char *text, struct argp_state *state)
{
    struct kn_verify_options *a = state->input;
    switch (key) {
    case KEY_QUICK:
    case KEY_FULL:
        a->full = key == KEY_FULL;
        return 0;
    case KEY_LIST:
        a->list = true;
        return 0;
    case KEY_JSON:
        a->json = true;
        return 0;
    case KEY_FOLDER:
        a->cases = text;
        return 0;
    case ARGP_KEY_ARG:
        a->names[a->nnames++] = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int command_verify(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"quick", KEY_QUICK, NULL, 0, "what fits into three minutes on two cores (default)", 0},
        {"full", KEY_FULL, NULL, 0, "all checks, on finer grids; for a GPU", 0},
        {"list", KEY_LIST, NULL, 0, "name the cases and how many checks they have; run nothing", 0},
        {"json", KEY_JSON, NULL, 0, "report as JSON, one object a line, with all parts of the errors", 0},
        {"cases", KEY_FOLDER, "DIR", 0,
         "folder of the cases (default: $KNUDSEN_CASES, else beside the program)", 0},
        {0},
    };
    static const struct argp argp = {
        options,
        verify_parse,
        "[CASE...]",
        "Run the verification cases and compare them with published, exact and independently computed "
        "values.\v"
        "The error of each result is found by two more runs, on half the cells and on three quarters of the "
        "velocities. Exit codes: 0 all pass, 2 bad input, 3 a check fails, 130 interrupted.",
        NULL,
        NULL,
        NULL};
    struct kn_verify_options a = {.names = calloc((size_t)argc, sizeof *a.names)};
    if (!a.names)
        return finish(kn_error_set(KN_EMEMORY, "not enough memory"), NULL);
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    const int code = finish(kn_verify(&a), NULL);
    free(a.names);
    return code;
}

/* --------------------------------------------------------------- reproduce */

struct reproduce_arguments {
    const char *topic, *out;
};

static error_t reproduce_parse(int key, char *text, struct argp_state *state)
{
    struct reproduce_arguments *a = state->input;
    switch (key) {
    case 'o':
        a->out = text;
        return 0;
    case ARGP_KEY_ARG:
        if (a->topic)
            argp_error(state, "one topic at a time: %s and %s", a->topic, text);
        a->topic = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int command_reproduce(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"out", 'o', "DIR", 0, "write tables, data and figures into this folder (default: results/TOPIC)", 0},
        {0},
    };
    static const struct argp argp = {
        options,
        reproduce_parse,
        "[TOPIC]",
        "Make the tables and figures of a topic from one command; without a topic, list what there is.\v"
        "Each figure is a script for gnuplot, the data it reads and, where gnuplot is installed, a PNG and "
        "an SVG. Files that are there already are replaced. Exit codes: 0 ok, 2 bad input, 3 numerical "
        "failure, 4 input/output failure, 130 interrupted.",
        NULL,
        NULL,
        NULL};
    struct reproduce_arguments a = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (!a.topic) {
        kn_reproduce_list(stdout);
        return 0;
    }
    return finish(kn_reproduce(a.topic, a.out), NULL);
}

/* -------------------------------------------------------------------- main */

static const struct command {
    const char *name;
    const char *title; /* stands for the program's name in messages */
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "knudsen run", command_run},          {"plot", "knudsen plot", command_plot},
    {"bench", "knudsen bench", command_bench},    {"doctor", "knudsen doctor", command_doctor},
    {"info", "knudsen info", command_info},       {"help", "knudsen help", command_help},
    {"verify", "knudsen verify", command_verify}, {"reproduce", "knudsen reproduce", command_reproduce},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* The first word is the command; what follows belongs to it. */
// NOLINTNEXTLINE(readability-non-const-parameter): argp gives the type
static error_t main_parse(int key, char *text, struct argp_state *state)
{
    if (key == ARGP_KEY_NO_ARGS)
        argp_usage(state);
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    (void)text;
    *(int *)state->input = state->next - 1;
    state->next = state->argc;
    return 0;
}

static int unknown_command(const char *word)
{
    const char *hint = NULL;
    char quoted[KN_NAME + 8];
    kn_config_quote(word, strlen(word), quoted);
    for (int i = 0; i < COMMANDS; i++)
        if (kn_config_is_near(word, commands[i].name))
            hint = commands[i].name;
    if (!hint && strstr(word, ".y"))
        hint = "run";
    fprintf(stderr, "knudsen: unknown command '%s' (%s%s%s)\n", quoted, hint ? "did you mean " : "commands: ",
            hint ? hint : "run, plot, verify, reproduce, info, bench, doctor, help", hint ? "?" : "");
    return USAGE;
}

/* Threads of libgomp that wait spin for a millisecond, which on a machine that
 * others use too makes steps a hundred times slower.  It reads its settings
 * before main begins, so the program starts itself anew with a short limit,
 * unless the user has chosen one. */
static void limit_spinning(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT"))
        return;
    if (setenv("GOMP_SPINCOUNT", "3000", 1) == 0)
        execv("/proc/self/exe", argv); /* where that fails all goes on as it was */
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        NULL,
        main_parse,
        "COMMAND [...]",
        "Solve the Boltzmann equation for rarefied gas flow.\v"
        "Commands:\n"
        "  run CASE.yaml    run a case; `knudsen run --help' lists the options\n"
        "  plot DIR         draw the results in a folder\n"
        "  verify [CASE]    compare the cases with published values\n"
        "  reproduce TOPIC  the paper's tables and figures, or the page on verification\n"
        "  info operator    viscosity, rates and cost of the assembled collision operator\n"
        "  bench            measure this machine\n"
        "  doctor           say what this machine has, and what it lacks\n"
        "  help [KEY]       explain a key of the case file; `help keys' lists them all\n",
        NULL,
        NULL,
        NULL};
    int first = 0;
    limit_spinning(argv);
    argp_err_exit_status = USAGE;
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is a write error like a full disk, */
    signal(SIGPIPE, SIG_IGN); /* and so is a reader who has gone */
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &first);

    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[first], commands[i].name) == 0) {
            argv[first] = (char *)commands[i].title;
            int code = commands[i].run(argc - first, argv + first);
            bool lost = fflush(stdout) != 0 || ferror(stdout);
            if (lost && code == 0)
                return finish(kn_error_set(KN_EIO, "standard output cannot be written"), NULL);
            return code;
        }
    return unknown_command(argv[first]);
}
