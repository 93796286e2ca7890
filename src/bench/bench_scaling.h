/* knudsen bench --scaling: more ranks for the same gas (strong), and for a gas that grows with them (weak),
 * beside a model of what they exchange.  bench_scaling.c measures, bench_model.c has the model and what
 * follows from it for many ranks, bench_tables.c prints. */
#ifndef KN_BENCH_SCALING_H
#define KN_BENCH_SCALING_H

#include "comm/comm.h"
#include "knudsen.h"

#include <stdio.h>

enum { KN_SCALING_SIZES = 32, KN_SCALING_FORECASTS = 2, KN_SCALING_MANY = 1024 };

/* A number of ranks; of what differs from rank to rank, the most. */
struct kn_scaling_line {
    int ranks;
    int whole[3];     /* cells per axis, of all ranks */
    int64_t cells;    /* in a box */
    double step;      /* s */
    double exchange;  /* s a step in which nothing is computed for it: packing, waiting, unpacking */
    double idle;      /* part of that time in which the rank did not have its processor */
    int64_t bytes;    /* sent in a step */
    int64_t messages; /* likewise */
};

/* What a message takes. */
struct kn_scaling_network {
    const char *name;
    double latency, rate; /* s, bytes/s */
};

/* A number of ranks that are not there. */
struct kn_scaling_forecast {
    struct kn_scaling_network network;
    double exchange, step; /* s */
};

struct kn_scaling_model {
    double copy_rate;                   /* bytes/s at which rows are packed and unpacked */
    struct kn_scaling_network measured; /* rate 0: there is one rank */
    int64_t message;                    /* bytes of the longer message it was measured with */

    struct kn_scaling_line many; /* the box with the most to exchange; its step is the sum below */
    double rim, inner;           /* s for its cells that wait for the exchange, and for the others */
    struct kn_scaling_forecast forecasts[KN_SCALING_FORECASTS];
    int nforecasts;
};

struct kn_scaling {
    const char *name;
    struct kn_case c; /* of one rank */
    int nodes, ranks, threads;
    bool crowded; /* more threads than processors, on some computer */
    char backend[64], device[128];
    struct kn_scaling_line weak[KN_SCALING_SIZES], strong[KN_SCALING_SIZES];
    int sizes;
    struct kn_scaling_model model;
};

/* The case with room for `ranks` times the cells, near to a square or a cube. */
void kn_bench_enlarge(struct kn_case *c, int ranks);

/* Seconds between the same moments on all ranks: those of the slowest. */
double kn_bench_slowest(const struct kn_comm *comm, double seconds);

/* Latency and rate of messages that all ranks send around a ring at once; all of them call it. */
enum kn_status kn_bench_network(const struct kn_comm *comm, struct kn_scaling_model *model);

/* Seconds of an exchange behind which nothing is hidden. */
double kn_bench_exchange(const struct kn_scaling_model *model, const struct kn_scaling_network *network,
                         const struct kn_scaling_line *line);

/* What the model says of KN_SCALING_MANY ranks, with the network measured and an assumed one. */
enum kn_status kn_bench_forecast(struct kn_scaling *s);

void kn_bench_tables(FILE *to, const struct kn_scaling *s);
void kn_bench_tables_json(FILE *to, const struct kn_scaling *s);

#endif
