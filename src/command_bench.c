#include "bench.h"
#include "command.h"
#include "doctor.h"

#include <argp.h>

enum { KEY_PAPER = KN_OPTION_OWN, KEY_CASES, KEY_STEADY };

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
    case KN_OPTION_JSON:
        a->json = true;
        return 0;
    case 'o':
        a->folder = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int kn_command_bench(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"paper", KEY_PAPER, NULL, 0, "all sizes of the paper, 256 to 36864 cells", 0},
        {"cases", KEY_CASES, NULL, 0, "also steps as users run them, against a copy of the state", 0},
        {"steady", KEY_STEADY, NULL, 0,
         "also a cavity from rest to steady, by operator and monte-carlo: seconds to a drag 0.5 % off (not "
         "with --json)",
         0},
        {"json", KN_OPTION_JSON, NULL, 0, "print JSON instead of a table", 0},
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

int kn_command_doctor(int argc, char **argv)
{
    static const struct argp argp = {
        NULL, NULL, "", "Say what this machine has for the program, and what it lacks.", NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    return kn_doctor();
}
