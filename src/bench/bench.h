/* knudsen bench: how fast this machine is, counted as the paper counts. */
#ifndef KN_BENCH_H
#define KN_BENCH_H

#include "io/summary.h"

/* The paper's cavity, delta = 1, 20^3 nodes, 6144 samples, on each machine there is: one thread, all
 * threads where that is more, a GPU. */
enum { KN_BENCH_MACHINES = 3, KN_BENCH_SIZES = 7 };

struct kn_bench_machine {
    const char *backend;
    int threads; /* 0: all */
    char name[64];
};

/* One machine at one size; seconds per step. */
struct kn_bench_result {
    const struct kn_bench_machine *machine;
    int cells, nodes;
    double step, phase[KN_PHASES], copy;
};

struct kn_bench_table {
    int machines, sizes;
    struct kn_bench_machine machine[KN_BENCH_MACHINES];
    struct kn_bench_result results[KN_BENCH_MACHINES * KN_BENCH_SIZES]; /* [machines][sizes] */
};

/* Hears each result as it is measured, and says whether to go on. */
struct kn_bench_listener {
    bool (*hear)(void *to, const struct kn_bench_result *r);
    void *to;
};

extern const int kn_bench_sides[KN_BENCH_SIZES]; /* the paper's: cells along a side */

/* Fill the table, which keeps pointers into itself; at most KN_BENCH_SIZES sides. */
enum kn_status kn_bench_paper(struct kn_bench_table *t, const int *sides, int sizes,
                              const struct kn_bench_listener *listener);

/* Floating point operations a step, as the paper counts them. */
double kn_bench_stream_operations(const struct kn_bench_result *r);
double kn_bench_collide_operations(const struct kn_bench_result *r);

/* What to measure: the paper's cavity is always. */
struct kn_bench_options {
    bool paper;         /* all sizes of the paper, or a few */
    bool json;          /* a table, or JSON */
    bool cases;         /* also steps as users run them */
    bool steady;        /* also whole runs from rest to steady */
    const char *folder; /* for table and pictures; may be NULL */

    bool scaling;             /* instead of all that: more and more ranks */
    const char *scaling_case; /* NULL: the first of them */
    bool quick;               /* a small one, in seconds */
    const char **sets;        /* [nsets] keys set over it */
    int nsets;
};

int kn_bench(const struct kn_bench_options *o);

/* Tables of weak and strong scaling, on standard output of rank 0 (bench_scaling.h).  All ranks call it. */
enum kn_status kn_bench_scaling(const struct kn_bench_options *o);

/* The drag of a cavity from rest until it is steady: by the operator and, beside it, by Monte
 * Carlo (bench_steady.c). */
enum kn_status kn_bench_steady(const char *backend, int threads, const char *machine);

#endif
