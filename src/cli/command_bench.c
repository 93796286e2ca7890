/* The command knudsen bench: measures the speed of this machine. */
#include "bench/bench.h"
#include "cli/command.h"
#include "comm/comm.h"

#include <stdlib.h>

struct arguments {
    struct kn_command_line line;
    const char *paper, *scaling; /* "" without an argument */
    bool cases, quick, json;
};

static bool check(struct kn_command_line *line, struct argp_state *state)
{
    const struct arguments *a = (const struct arguments *)line;
    const char *error = NULL;
    if (a->paper && *a->paper && atoi(a->paper) <= 0)
        error = "--paper: the argument is not a number of cells along a side";
    else if (a->scaling && (a->paper || a->cases))
        error = "--scaling can only be combined with --json, --quick and --set";
    else if (!a->scaling && (a->quick || line->nsets > 0))
        error = "--quick and --set require --scaling";
    if (error)
        argp_error(state, "%s", error);
    return !error;
}

static enum kn_status execute(struct kn_command_line *line)
{
    const struct arguments *a = (const struct arguments *)line;
    const struct kn_bench_options options = {
        .largest = !a->paper   ? 0
                   : *a->paper ? atoi(a->paper)
                               : KN_BENCH_LARGEST,
        .json = a->json,
        .cases = a->cases,
        .scaling = a->scaling,
        .scaling_case = a->scaling && *a->scaling ? a->scaling : NULL,
        .quick = a->quick,
        .sets = line->sets,
        .nsets = line->nsets,
    };
    if (a->scaling)
        return kn_bench_scaling(&options);
    return kn_comm_world()->rank == 0 ? kn_bench(&options) : KN_OK; /* one rank measures the machine */
}

int kn_command_bench(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"paper", KN_OPTION(struct arguments, paper), "SIDE", OPTION_ARG_OPTIONAL,
         "all sizes of the paper, 256 to 36864 cells; with SIDE those with at most SIDE cells along a side",
         0},
        {"cases", KN_OPTION(struct arguments, cases), NULL, 0,
         "steps of typical cases on the fastest device, compared with a copy of the state; with --paper: "
         "both",
         0},
        {"scaling", KN_OPTION(struct arguments, scaling), "CASE", OPTION_ARG_OPTIONAL,
         "instead: weak and strong scaling over the ranks that mpirun or srun has started; CASE is operator "
         "(default), bgk or cube",
         0},
        {"quick", KN_OPTION(struct arguments, quick), NULL, 0, "with --scaling: a small gas, a few seconds",
         0},
        {"set", KN_OPTION_SET, "KEY=VALUE", 0, "with --scaling: set a key of its case; may be repeated", 0},
        {"json", KN_OPTION(struct arguments, json), NULL, 0, "print JSON instead of a table", 0},
        {0},
    };
    struct arguments a = {
        .line = {.execute = execute,
                 .doc = "Measure this machine on the paper's cavity: one thread, all threads, the GPU.  With "
                        "--scaling: the ranks of a job.\v"
                        "Columns: milliseconds per step and in streaming, drawing samples, collisions; 10^9 "
                        "phase-space cells advanced and samples applied per second; GB/s for one read and "
                        "one write of the state, and of a copy; GFLOP/s counted as in the paper, 11 per "
                        "upwind update and 80 N_v + 12 N_t per cell.",
                 .options = options,
                 .check = check}};
    return kn_command_start(&a.line, argc, argv);
}
