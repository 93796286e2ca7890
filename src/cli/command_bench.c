/* The command knudsen bench: measures the speed of this machine. */
#include "bench/bench.h"
#include "cli/command.h"
#include "comm/comm.h"
#include "error.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

enum { KEY_PAPER = KN_OPTION_OWN, KEY_CASES, KEY_SCALING, KEY_QUICK };

static error_t check_options(const struct kn_bench_options *a, struct argp_state *state)
{
    if (a->scaling && (a->largest > 0 || a->cases))
        argp_error(state, "--scaling goes with --json, --quick and --set only");
    else if (!a->scaling && (a->quick || a->nsets > 0))
        argp_error(state, "--quick and --set go with --scaling only");
    else
        return 0;
    return EINVAL; /* on ranks without messages */
}

// NOLINTNEXTLINE(readability-non-const-parameter): argp gives the type
static error_t bench_parse(int key, char *text, struct argp_state *state)
{
    struct kn_bench_options *a = state->input;
    switch (key) {
    case KEY_PAPER:
        a->largest = text ? atoi(text) : KN_BENCH_LARGEST;
        if (a->largest <= 0)
            argp_error(state, "--paper: '%s' is no number of cells along a side", text);
        return a->largest > 0 ? 0 : EINVAL;
    case KEY_CASES:
        a->cases = true;
        return 0;
    case KEY_SCALING:
        a->scaling = true;
        a->scaling_case = text;
        return 0;
    case KEY_QUICK:
        a->quick = true;
        return 0;
    case KN_OPTION_SET:
        a->sets[a->nsets++] = text;
        return 0;
    case ARGP_KEY_END:
        return check_options(a, state);
    case KN_OPTION_JSON:
        a->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int kn_command_bench(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"paper", KEY_PAPER, "SIDE", OPTION_ARG_OPTIONAL,
         "all sizes of the paper, 256 to 36864 cells; with SIDE those up to so many cells along a side", 0},
        {"cases", KEY_CASES, NULL, 0, "also steps of typical cases, compared with a copy of the state", 0},
        {"scaling", KEY_SCALING, "CASE", OPTION_ARG_OPTIONAL,
         "instead: weak and strong scaling over the ranks that mpirun or srun has started; CASE is operator "
         "(default), bgk or cube",
         0},
        {"quick", KEY_QUICK, NULL, 0, "with --scaling: a small gas, a few seconds", 0},
        {"set", KN_OPTION_SET, "KEY=VALUE", 0, "with --scaling: set a key of its case; may be repeated", 0},
        {"json", KN_OPTION_JSON, NULL, 0, "print JSON instead of a table", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = bench_parse,
        .args_doc = "",
        .doc =
            "Measure this machine on the paper's cavity: one thread, all threads, the GPU.  With --scaling: "
            "the ranks of a job.\v"
            "Columns: milliseconds per step and in streaming, drawing samples, collisions; 10^9 phase-space "
            "cells "
            "advanced and samples applied per second; GB/s for one read and one write of the state, and of a "
            "copy; "
            "GFLOP/s counted as in the paper, 11 per upwind update and 80 N_v + 12 N_t per cell."};
    struct kn_bench_options a = {.sets = calloc((size_t)argc, sizeof *a.sets)};
    if (!a.sets)
        return kn_command_finish(kn_error_set(KN_EMEMORY, "not enough memory"), NULL);
    int code = 0; /* the first rank reports invalid arguments and exits */
    if (argp_parse(&argp, argc, argv, kn_command_silence(), NULL, &a) == 0) {
        if (a.scaling)
            code = kn_command_finish(kn_bench_scaling(&a), NULL);
        else /* one rank measures the machine */
            code = kn_comm_world()->rank == 0 ? kn_command_finish(kn_bench(&a), NULL) : 0;
    }
    free(a.sets);
    return code;
}
