/* knudsen bench: the speed of this machine, counted as in the paper, and the scaling over ranks. */
#ifndef KN_BENCH_H
#define KN_BENCH_H

#include "backend/backend.h"
#include "sim.h"

enum { KN_BENCH_LARGEST = 192 }; /* cells along a side of the paper's largest grid */

struct kn_bench_options {
    int largest; /* side of the largest grid of the paper's sizes; 0: two sizes */
    bool json;   /* JSON instead of a table */
    bool cases;  /* steps of typical cases; alone, or after the paper if `largest` is set */

    bool scaling;             /* instead: scaling over the ranks of the job */
    const char *scaling_case; /* NULL: the first */
    bool quick;               /* a small one, in seconds */
    const char **sets;        /* [nsets] keys set over it */
    int nsets;
};

/* The paper's cavity, delta = 1, 20^3 nodes, 6144 samples, on each machine: one thread, all threads if that
 * is more, a GPU.  Prints on standard output. */
enum kn_status kn_bench(const struct kn_bench_options *o);

/* bench_scaling.c: tables of weak and strong scaling on standard output of rank 0.  All ranks call it. */
enum kn_status kn_bench_scaling(const struct kn_bench_options *o);

/* A cavity with a moving lid and settings such as "gas.delta=1 space.order=2", separated by spaces. */
enum kn_status kn_bench_case(struct kn_case *c, const char *settings);

/* Seconds of some steps on this rank; all work is done at the end of them. */
struct kn_bench_time {
    double all;
    double idle; /* other programs had the processor, or the rank waited for a GPU */
    double phase[KN_PHASES];
};
enum kn_status kn_bench_steps(struct kn_sim *sim, int64_t steps, struct kn_bench_time *t);

#endif
