/* The command knudsen run: runs a case, or prints its plan. */
#include "cli/command.h"
#include "collision/sampling.h"
#include "comm/comm.h"
#include "comm/launcher.h"
#include "error.h"
#include "files/files.h"
#include "files/json.h"
#include "sim.h"
#include "steady/mode.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    struct kn_command_line line;
    const char *out;
    bool resume, overwrite, json, dry_run, quiet;
};

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
    json_t *needs =
        json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "cells", (json_int_t)plan->cells, "nodes",
                  (json_int_t)plan->nodes, "memory_bytes", kn_json_number(plan->memory_bytes), "device_bytes",
                  kn_json_number(plan->device_bytes), "memory_available",
                  kn_json_number(kn_config_memory_available()), "time_step", kn_json_number(plan->time_step),
                  "steps", kn_json_number(plan->steps), "folder", kn_json_text(folder));
    return kn_json_print_line(stdout, json_pack("{s:o, s:o}", "case", kn_config_json(c), "plan", needs));
}

/* The output is itself a case file: the plan is in comments. */
static enum kn_status print_plan(const struct kn_case *c, const struct kn_plan_size *plan, const char *folder)
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
    return KN_OK;
}

static enum kn_report choose_report(const struct arguments *a)
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

static enum kn_status execute(struct kn_command_line *line)
{
    const struct arguments *a = (const struct arguments *)line;
    const struct kn_comm *comm = kn_comm_world();
    struct kn_case c;
    struct kn_places places = {0};
    struct kn_plan_size plan;
    char folder[KN_PATH] = "", why[KN_MODE_REASON];
    const char *out = a->out ? a->out : folder;
    enum kn_status status = KN_OK;

    line->path = line->words[0];
    /* 1. read and check the case on one rank, because it may come from a pipe */
    if (comm->rank == 0)
        status = kn_command_read(line, &c, &places);
    if (status == KN_OK && comm->rank == 0)
        status = kn_nodes_choose(&c);
    if (status == KN_OK && !a->out)
        status = default_folder(line->path, folder);
    KN_TRY(kn_comm_agree(comm, status));
    kn_comm_broadcast(comm, 0, &c, sizeof c);

    /* 2. memory; the run itself resolves time.mode: auto */
    struct kn_case planned = c;
    if (!a->resume)
        kn_mode_choose(&planned, comm, why);
    KN_TRY(kn_config_locate(&c, &places, kn_comm_agree(comm, kn_sim_plan(&planned, comm, &plan))));
    if (a->dry_run && comm->rank == 0)
        KN_TRY((a->json ? print_plan_json : print_plan)(&planned, &plan, out));
    status = kn_config_check_memory(comm->local_size * (plan.memory_bytes - plan.device_bytes));
    status = kn_config_locate(&c, &places, kn_comm_agree(comm, status));
    if (status != KN_OK || a->dry_run)
        return status;

    /* 3. the run */
    struct kn_run_options options = {.folder = out,
                                     .resume = a->resume,
                                     .overwrite = a->overwrite,
                                     .report = choose_report(a),
                                     .say = say,
                                     .to = stdout};
    return kn_config_locate(&c, &places, kn_run(&c, &options));
}

int kn_command_run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"set", KN_OPTION_SET, "KEY=VALUE", 0, "set a key after the case file; may be repeated", 0},
        {"out", KN_OPTION(struct arguments, out), "DIR", 0,
         "write results into this folder (default: results/NAME)", 0},
        {NULL, 'o', NULL, OPTION_ALIAS, NULL, 0},
        {"overwrite", KN_OPTION(struct arguments, overwrite), NULL, 0,
         "replace the run in the folder when this run is complete", 0},
        {"resume", KN_OPTION(struct arguments, resume), NULL, 0,
         "continue from the newest good checkpoint in the folder", 0},
        {"json", KN_OPTION(struct arguments, json), NULL, 0, "report as JSON, one object per line", 0},
        {"dry-run", KN_OPTION(struct arguments, dry_run), NULL, 0,
         "print the complete case and its requirements; run and write nothing", 0},
        {"quiet", KN_OPTION(struct arguments, quiet), NULL, 0, "print errors only", 0},
        {NULL, 'q', NULL, OPTION_ALIAS, NULL, 0},
        {0},
    };
    struct arguments a = {.line = {.execute = execute,
                                   .doc = "Run a case.\vExit codes: 0 ok, 2 bad input, 3 numerical failure, "
                                          "4 input/output failure, 130 interrupted after a checkpoint.",
                                   .args_doc = "CASE.yaml",
                                   .options = options,
                                   .most = 1,
                                   .kind = "case file",
                                   .missing = "a case file is required (such as cases/cavity/case.yaml)"}};
    return kn_command_start(&a.line, argc, argv);
}
