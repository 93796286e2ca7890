/* knudsen bench --scaling: measured times of more and more ranks, for the same gas (strong) and for a gas
 * that grows with them (weak). */
#ifndef KN_BENCH_SCALING_H
#define KN_BENCH_SCALING_H

#include "knudsen.h"

#include <stdio.h>

enum { KN_SCALING_SIZES = 32 };

/* One number of ranks; of values that differ from rank to rank, the largest. */
struct kn_scaling_line {
    int ranks;
    int whole[3];     /* cells per axis, of all ranks */
    int64_t cells;    /* in a box */
    double step;      /* s */
    double exchange;  /* s per step without computation: packing, waiting, unpacking */
    double idle;      /* fraction of the time in which the rank did not have its processor */
    int64_t bytes;    /* sent per step */
    int64_t messages; /* likewise */
};

struct kn_scaling {
    const char *name;
    struct kn_case c; /* of one rank */
    int nodes, ranks, threads;
    bool crowded; /* more threads than processors, on some computer */
    char backend[64], device[128];
    struct kn_scaling_line weak[KN_SCALING_SIZES], strong[KN_SCALING_SIZES];
    int sizes;
};

void kn_bench_tables(FILE *to, const struct kn_scaling *s);
enum kn_status kn_bench_tables_json(FILE *to, const struct kn_scaling *s);

#endif
