/* knudsen bench: how fast this machine is, counted as the paper counts. */
#ifndef KN_BENCH_H
#define KN_BENCH_H

#include "knudsen.h"

/* What to measure: the paper's cavity is always. */
struct kn_bench_options {
    bool paper;         /* all sizes of the paper, or a few */
    bool json;          /* a table, or JSON */
    bool cases;         /* also steps as users run them */
    bool steady;        /* also whole runs from rest to steady */
    const char *folder; /* for table and pictures; may be NULL */
};

int kn_bench(const struct kn_bench_options *o);

/* The drag of a cavity from rest until it is steady: by the operator and, beside it, by Monte
 * Carlo (bench_steady.c). */
enum kn_status kn_bench_steady(const char *backend, int threads, const char *machine);

#endif
