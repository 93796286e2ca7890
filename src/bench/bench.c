/* Seconds per step of the paper's cavity and of typical cases, beside the time of a copy of the state. */
#include "bench/bench.h"

#include "backend/backend.h"
#include "config/config.h"
#include "error.h"
#include "files/json.h"
#include "io/summary.h"
#include "sim.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 6144, MACHINES = 3, SIZES = 7 };

static const int paper_sides[SIZES] = {16, 32, 64, 96, 128, 160, KN_BENCH_LARGEST}; /* cells along a side */
static const int few_sides[] = {32, 96};

struct machine {
    const char *backend;
    int threads; /* 0: all */
    char name[64];
};

/* One machine at one size; seconds per step. */
struct result {
    const struct machine *machine;
    int cells, nodes;
    double step, phase[KN_PHASES], copy;
};

/* ------------------------------------------------------------------ measuring */

/* Settings on a machine; the list ends with NULL. */
static enum kn_status make_case(struct kn_case *c, const struct machine *m, const char *const settings[])
{
    char backend[64], threads[64];
    snprintf(backend, sizeof backend, "run.backend=%s", m->backend);
    snprintf(threads, sizeof threads, "run.threads=%d", m->threads);
    const char *const machine[] = {backend, threads, "walls.top.velocity=[1,0,0]", "time.splitting=lie"};
    enum kn_status status = KN_OK;
    kn_case_default(c);
    for (size_t i = 0; i < sizeof machine / sizeof *machine && status == KN_OK; i++)
        status = kn_case_set(c, machine[i]);
    for (int i = 0; settings[i] && status == KN_OK; i++)
        status = kn_case_set(c, settings[i]);
    return status == KN_OK ? kn_case_check(c) : status;
}

/* Seconds of `steps` steps, all work done at the end of them. */
static enum kn_status time_steps(struct kn_sim *sim, int64_t steps, float *row, double *seconds)
{
    const double start = omp_get_wtime();
    enum kn_status status = kn_sim_advance_open(sim, steps);
    if (status == KN_OK)
        status = kn_sim_get_rows(sim, 0, 1, row); /* waits for the machine */
    *seconds = omp_get_wtime() - start;
    return status;
}

/* Steps for a third of a second, after some to warm up; phases from the same steps. */
static enum kn_status measure_steps(struct kn_sim *sim, float *row, struct result *r)
{
    double before[KN_PHASES], after[KN_PHASES], once = 0, all = 0, phases = 0;
    enum kn_status status = time_steps(sim, 2, row, &once);
    if (status == KN_OK)
        status = time_steps(sim, 1, row, &once);
    const int64_t steps = once > 0.1 ? 3 : (int64_t)(0.3 / (once + 1e-6)) + 3;
    kn_sim_phases(sim, before);
    if (status == KN_OK)
        status = time_steps(sim, steps, row, &all);
    kn_sim_phases(sim, after);
    r->step = all / (double)steps;
    for (int i = 0; i < KN_PHASES; i++)
        phases += after[i] - before[i];
    for (int i = 0; i < KN_PHASES && phases > 0; i++)
        r->phase[i] = r->step * (after[i] - before[i]) / phases;
    return status;
}

static enum kn_status measure(const struct machine *m, const char *const settings[], struct result *r)
{
    struct kn_case c;
    struct kn_sim *sim = NULL;
    enum kn_status status = make_case(&c, m, settings);
    if (status != KN_OK || (status = kn_sim_create(&sim, &c)) != KN_OK)
        return status;
    *r = (struct result){.machine = m, .cells = (int)kn_sim_cells(sim), .nodes = (int)kn_sim_nodes(sim)};
    float *row = calloc((size_t)r->nodes, sizeof *row);
    status = row ? measure_steps(sim, row, r) : kn_error_set(KN_EMEMORY, "not enough memory");
    r->copy = 1e30;
    for (int i = 0; i < 5 && status == KN_OK; i++) {
        double seconds;
        status = kn_sim_copy(sim, &seconds);
        r->copy = seconds < r->copy ? seconds : r->copy;
    }
    free(row);
    kn_sim_destroy(sim);
    return status;
}

/* The paper's case: 20^3 nodes, none of them folded, 6144 samples, delta 1, order 1. */
static enum kn_status measure_paper(const struct machine *m, int side, struct result *r)
{
    char cells[64];
    snprintf(cells, sizeof cells, "space.cells=[%d,%d]", side, side);
    const char *const settings[] = {cells,
                                    "gas.delta=1",
                                    "disturbance=0.01",
                                    "space.order=1",
                                    "velocity.grid=stretched",
                                    "velocity.nodes=20",
                                    "velocity.ratio=0.945",
                                    "velocity.range=3",
                                    "velocity.fold=none",
                                    "collision.method=monte-carlo",
                                    "collision.samples=6144",
                                    NULL};
    return measure(m, settings, r);
}

/* ------------------------------------------------------------------ reporting */

/* Operations per step as the paper counts them: 11 per upwind update, and
 * 80 N_v + 12 N_t per cell for the collisions. */
static double stream_operations(const struct result *r)
{
    return 11.0 * r->cells * r->nodes;
}

static double collide_operations(const struct result *r)
{
    return r->cells * (80.0 * r->nodes + 12.0 * SAMPLES);
}

static double rate(double work, double seconds)
{
    return seconds > 0 ? work / seconds / 1e9 : 0;
}

static double state_bytes(const struct result *r)
{
    return 4.0 * r->cells * r->nodes;
}

static void print_header(void)
{
    printf("%-16s %6s %10s %9s %9s %9s %8s %8s %8s %8s %8s %8s\n", "machine", "N_r", "step, ms", "stream",
           "sample", "collide", "Gupd/s", "Gappl/s", "GB/s", "copy", "GF/s str", "GF/s col");
}

static void print_result(const struct result *r)
{
    printf("%-16s %6d %10.3f %9.3f %9.3f %9.3f %8.3f %8.3f %8.1f %8.1f %8.1f %8.1f\n", r->machine->name,
           r->cells, 1e3 * r->step, 1e3 * r->phase[KN_PHASE_STREAM], 1e3 * r->phase[KN_PHASE_SAMPLE],
           1e3 * r->phase[KN_PHASE_COLLIDE], rate((double)r->cells * r->nodes, r->step),
           rate((double)r->cells * SAMPLES, r->step), rate(2 * state_bytes(r), r->step),
           rate(2 * state_bytes(r), r->copy), rate(stream_operations(r), r->phase[KN_PHASE_STREAM]),
           rate(collide_operations(r), r->phase[KN_PHASE_COLLIDE]));
}

static json_t *json_result(const struct result *r)
{
    const double *phase = r->phase, updates = (double)r->cells * r->nodes, bytes = 2 * state_bytes(r);
    json_t *entry = json_pack("{s:s, s:s, s:i, s:i, s:i}", "machine", r->machine->name, "backend",
                              r->machine->backend, "cells", r->cells, "nodes", r->nodes, "samples", SAMPLES);
    const struct kn_json_entry numbers[] = {
        {"step_s", r->step},
        {"stream_s", phase[KN_PHASE_STREAM]},
        {"sample_s", phase[KN_PHASE_SAMPLE]},
        {"collide_s", phase[KN_PHASE_COLLIDE]},
        {"copy_s", r->copy},
        {"updates_per_s", 1e9 * rate(updates, r->step)},
        {"applications_per_s", 1e9 * rate((double)r->cells * SAMPLES, r->step)},
        {"bytes_per_s", 1e9 * rate(bytes, r->step)},
        {"copy_bytes_per_s", 1e9 * rate(bytes, r->copy)},
        {"stream_flops", 1e9 * rate(stream_operations(r), phase[KN_PHASE_STREAM])},
        {"collide_flops", 1e9 * rate(collide_operations(r), phase[KN_PHASE_COLLIDE])},
    };
    kn_json_set_numbers(entry, numbers, sizeof numbers / sizeof *numbers);
    return entry;
}

/* ------------------------------------------------------------------- machines */

/* One thread, all threads if that is more, and a GPU if there is one. */
static int find_machines(struct machine machines[MACHINES])
{
    const int threads = omp_get_max_threads();
    int n = 0;
    machines[n++] = (struct machine){"cpu", 1, "CPU, 1 thread"};
    if (threads > 1) {
        machines[n] = (struct machine){"cpu", threads, ""};
        snprintf(machines[n].name, sizeof machines[n].name, "CPU, %d threads", threads);
        n++;
    }
    if (kn_backend_find("cuda", KN_METHOD_BGK)->available() == KN_OK)
        machines[n++] = (struct machine){"cuda", 0, "GPU"};
    return n;
}

/* Steps of typical cases on the fastest machine, compared with the lower bound of one read and one write of
 * the state. */
static enum kn_status bench_cases(const struct machine *m)
{
    static const struct {
        const char *name;
        const char *settings[9];
    } cases[] = {
        {"Monte Carlo, 160^2, stretched 20, order 1",
         {"collision.method=monte-carlo", "space.cells=[160,160]", "space.order=1", "velocity.grid=stretched",
          "velocity.nodes=20", "velocity.ratio=0.945", "velocity.range=3", "disturbance=0.01"}},
        {"no collisions, 256^2, gauss 16, order 1",
         {"space.cells=[256,256]", "space.order=1", "velocity.nodes=16", "collision.method=none"}},
        {"BGK, 256^2, gauss 16, order 1",
         {"space.cells=[256,256]", "space.order=1", "velocity.nodes=16", "collision.method=bgk"}},
        {"BGK, 256^2, gauss 16, order 2",
         {"space.cells=[256,256]", "space.order=2", "velocity.nodes=16", "collision.method=bgk"}},
        {"Shakhov, eps 0.1, 256^2, gauss 16, order 2",
         {"space.cells=[256,256]", "space.order=2", "velocity.nodes=16", "collision.method=shakhov",
          "disturbance=0.1"}},
        {"operator, 160^2, gauss 8, order 2",
         {"space.cells=[160,160]", "velocity.nodes=8", "collision.method=operator"}},
        {"operator, 160^2, gauss 12, order 2",
         {"space.cells=[160,160]", "velocity.nodes=12", "collision.method=operator"}},
        {"operator, eps 0.1, 1000 samples, 160^2, gauss 8",
         {"space.cells=[160,160]", "velocity.nodes=8", "collision.method=operator", "disturbance=0.1",
          "collision.samples=1000"}},
        {"BGK, 64^2, gauss 8, order 1",
         {"space.cells=[64,64]", "space.order=1", "velocity.nodes=8", "collision.method=bgk"}},
        {"BGK, 940^2, gauss 8, order 1",
         {"space.cells=[940,940]", "space.order=1", "velocity.nodes=8", "collision.method=bgk"}},
        {"BGK, 96^3, gauss 8, order 1",
         {"space.cells=[96,96,96]", "space.order=1", "velocity.nodes=8", "collision.method=bgk"}},
    };
    enum kn_status status = KN_OK;
    printf("%-48s %12s %10s %8s %8s %6s   (%s)\n", "case", "step, us", "ns/cell", "GB/s", "copy", "ratio",
           m->name);
    for (size_t i = 0; i < sizeof cases / sizeof *cases && status == KN_OK; i++) {
        struct result r;
        status = measure(m, cases[i].settings, &r);
        if (status == KN_OK)
            printf("%-48s %12.2f %10.3f %8.1f %8.1f %6.2f\n", cases[i].name, 1e6 * r.step,
                   1e9 * r.step / r.cells, rate(2 * state_bytes(&r), r.step),
                   rate(2 * state_bytes(&r), r.copy), r.copy / r.step);
        fflush(stdout);
    }
    return status;
}

/* Times of the other machines over those of the last one, as in the paper's Fig. 4. */
static void print_ratios(const struct result *results, int machines, int sizes)
{
    const struct result *last = results + (size_t)(machines - 1) * (size_t)sizes;
    for (int m = 0; m < machines - 1; m++) {
        printf("time on %s / on %s:", results[m * sizes].machine->name, last->machine->name);
        for (int i = 0; i < sizes; i++)
            printf(" %.2f", results[m * sizes + i].step / last[i].step);
        putchar('\n');
    }
}

enum kn_status kn_bench(const struct kn_bench_options *o)
{
    const int *sides = o->largest > 0 ? paper_sides : few_sides;
    struct machine machine[MACHINES];
    struct result results[MACHINES * SIZES]; /* [machines][sizes] */
    int sizes = o->largest > 0 ? SIZES : 2;
    while (o->largest > 0 && sizes > 1 && sides[sizes - 1] > o->largest)
        sizes--;
    const int machines = find_machines(machine);
    json_t *all = o->json ? json_array() : NULL;
    enum kn_status status = KN_OK;
    if (!o->json)
        print_header();
    for (int i = 0; i < machines * sizes && status == KN_OK; i++) {
        status = measure_paper(&machine[i / sizes], sides[i % sizes], &results[i]);
        if (status == KN_OK && o->json)
            kn_json_append(all, json_result(&results[i]));
        else if (status == KN_OK)
            print_result(&results[i]);
        fflush(stdout);
    }
    if (o->json && status == KN_OK)
        return kn_json_print_line(stdout, all);
    json_decref(all);
    if (status == KN_OK)
        print_ratios(results, machines, sizes);
    return status == KN_OK && o->cases ? bench_cases(&machine[machines - 1]) : status;
}
