/* The command knudsen run: runs a case, or prints its plan. */
#include "cli/command.h"
#include "collision/sampling.h"
#include "comm/comm.h"
#include "comm/launcher.h"
#include "error.h"
#include "files/files.h"
#include "files/json.h"
#include "sim.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_RESUME = KN_OPTION_OWN, KEY_OVERWRITE, KEY_DRY_RUN };

struct run_arguments {
    struct kn_command_case from;
    const char *out;
    bool resume, overwrite, json, dry_run, quiet;
};

static const struct argp_option run_options[] = {
    {"set", KN_OPTION_SET, "KEY=VALUE", 0, "set a key after the case file; may be repeated", 0},
    {"out", 'o', "DIR", 0, "write results into this folder (default: results/NAME)", 0},
    {"overwrite", KEY_OVERWRITE, NULL, 0, "replace the run in the folder when this run is complete", 0},
    {"resume", KEY_RESUME, NULL, 0, "continue from the newest good checkpoint in the folder", 0},
    {"json", KN_OPTION_JSON, NULL, 0, "report as JSON, one object per line", 0},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "print the complete case and its requirements; run and write nothing",
     0},
    {"quiet", 'q', NULL, 0, "print errors only", 0},
    {0},
};

static error_t run_parse(int key, char *text, struct argp_state *state)
{
    struct run_arguments *a = state->input;
    switch (key) {
    case KN_OPTION_SET:
        a->from.sets[a->from.nsets++] = text;
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
    case KN_OPTION_JSON:
        a->json = true;
        return 0;
    case KEY_DRY_RUN:
        a->dry_run = true;
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->from.path) {
            argp_error(state, "one case file at a time: %s and %s", a->from.path, text);
            return EINVAL; /* on ranks without messages */
        }
        a->from.path = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a case file is required (such as cases/cavity/case.yaml)");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* results/NAME with the name of the file, or of its folder if the file is case.yaml. */
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

static enum kn_status print_plan_json(const struct kn_case *c, const struct kn_plan_size *plan,
                                      const char *folder)
{
    json_t *needs = json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "cells", (json_int_t)plan->cells, "nodes",
        (json_int_t)plan->nodes, "memory_bytes", kn_json_number(plan->memory_bytes), "memory_available",
        kn_json_number(kn_config_memory_available()), "time_step", kn_json_number(plan->time_step), "steps",
        kn_json_number(plan->steps), "folder", kn_json_text(folder));
    return kn_json_print_line(stdout, json_pack("{s:o, s:o}", "case", kn_config_json(c), "plan", needs));
}

/* The output is itself a case file: the plan is in comments. */
static void print_plan(const struct kn_case *c, const struct kn_plan_size *plan, const char *folder)
{
    char needed[KN_NAME], available[KN_NAME];
    kn_config_bytes_text(plan->memory_bytes, needed);
    kn_config_bytes_text(kn_config_memory_available(), available);
    kn_config_print(stdout, c);
    printf("\n# cells      %lld\n# nodes      %lld per cell\n", (long long)plan->cells,
           (long long)plan->nodes);
    printf("# memory     %s needed%s, %s available\n", needed, kn_comm_world()->size > 1 ? " per rank" : "",
           available);
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
    const char *term = getenv("TERM");
    const bool dumb = !term || !*term || strcmp(term, "dumb") == 0; /* it cannot redraw a line */
    const bool passed_on = kn_launcher_find() != NULL;              /* a launcher may collect the output */
    return isatty(STDOUT_FILENO) && !dumb && !passed_on ? KN_REPORT_TERMINAL : KN_REPORT_PLAIN;
}

static enum kn_status run_case(const struct run_arguments *a)
{
    const struct kn_comm *comm = kn_comm_world();
    struct kn_case c;
    struct kn_places places = {0};
    struct kn_plan_size plan;
    char folder[KN_PATH] = "";
    const char *out = a->out ? a->out : folder;
    enum kn_status status = KN_OK;

    /* 1. read and check the case on one rank, because it may come from a pipe */
    if (comm->rank == 0)
        status = kn_command_read(&a->from, &c, &places);
    if (status == KN_OK && !a->out)
        status = default_folder(a->from.path, folder);
    if ((status = kn_comm_agree(comm, status)) != KN_OK)
        return status;
    kn_comm_broadcast(comm, 0, &c, sizeof c);

    /* 2. memory */
    status = kn_config_locate(&places, kn_comm_agree(comm, kn_sim_plan(&c, comm, &plan)));
    if (status != KN_OK)
        return status;
    if (a->dry_run && comm->rank == 0 && a->json)
        status = print_plan_json(&c, &plan, out);
    else if (a->dry_run && comm->rank == 0)
        print_plan(&c, &plan, out);
    if (status != KN_OK)
        return status;
    status = kn_config_check_memory(comm->local_size * (plan.memory_bytes - plan.device_bytes));
    status = kn_config_locate(&places, kn_comm_agree(comm, status));
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

int kn_command_run(int argc, char **argv)
{
    static const struct argp argp = {
        .options = run_options,
        .parser = run_parse,
        .args_doc = "CASE.yaml",
        .doc = "Run a case.\vExit codes: 0 ok, 2 bad input, 3 numerical failure, 4 input/output "
               "failure, 130 interrupted after a checkpoint."};
    struct run_arguments a = {.from.sets = calloc((size_t)argc, sizeof *a.from.sets)};
    if (!a.from.sets)
        return kn_command_finish(kn_error_set(KN_EMEMORY, "not enough memory"), NULL);
    int code = 0; /* the first rank reports invalid arguments and exits */
    if (argp_parse(&argp, argc, argv, kn_command_silence(), NULL, &a) == 0)
        code = kn_command_finish(run_case(&a), a.from.path);
    free(a.from.sets);
    return code;
}
