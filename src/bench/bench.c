/* Seconds per step of the paper's cavity and of typical cases, and the time of a copy of the state. */
#include "bench/bench.h"

#include "config/config.h"
#include "error.h"
#include "files/json.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 6144, MACHINES = 3, SIZES = 7 };

static const int paper_sides[SIZES] = {16, 32, 64, 96, 128, 160, KN_BENCH_LARGEST}; /* cells along a side */
static const int few_sides[] = {32, 96};

struct machine {
    const char *backend;
    int threads;
    char name[64];
};

/* One machine at one size; seconds per step. */
struct result {
    const struct machine *machine;
    int cells, nodes;
    double step, phase[KN_PHASES], copy;
};

enum kn_status kn_bench_case(struct kn_case *c, const char *settings)
{
    char one[128];
    kn_case_default(c);
    KN_TRY(kn_case_set(c, "walls.top.velocity=[1,0,0]"));
    KN_TRY(kn_case_set(c, "time.splitting=lie"));
    for (size_t length; *settings; settings += length + (settings[length] == ' ')) {
        length = strcspn(settings, " ");
        snprintf(one, sizeof one, "%.*s", (int)length, settings);
        KN_TRY(kn_case_set(c, one));
    }
    return KN_OK;
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum kn_status kn_bench_steps(struct kn_sim *sim, int64_t steps, struct kn_bench_time *t)
{
    double before[KN_PHASES];
    float *row = calloc((size_t)kn_sim_nodes(sim), sizeof *row);
    if (!row)
        return kn_error_set(KN_EMEMORY, "not enough memory");
    kn_sim_phases(sim, before);
    const double start = omp_get_wtime(), busy = processor_time();
    enum kn_status status = kn_sim_advance_open(sim, steps);
    if (status == KN_OK)
        status = kn_sim_get_rows(sim, 0, 1, row); /* waits for the machine */
    t->all = omp_get_wtime() - start;
    t->idle = t->all - (processor_time() - busy);
    kn_sim_phases(sim, t->phase);
    for (int i = 0; i < KN_PHASES; i++)
        t->phase[i] -= before[i];
    free(row);
    return status;
}

/* Steps for a third of a second, after some to warm up, and copies of the state. */
static enum kn_status measure_steps(struct kn_sim *sim, struct result *r)
{
    struct kn_bench_time t = {0};
    double phases = 0, seconds;
    KN_TRY(kn_bench_steps(sim, 2, &t));
    KN_TRY(kn_bench_steps(sim, 1, &t));
    const int64_t steps = t.all > 0.1 ? 3 : (int64_t)(0.3 / (t.all + 1e-6)) + 3;
    KN_TRY(kn_bench_steps(sim, steps, &t));
    r->step = t.all / (double)steps;
    for (int i = 0; i < KN_PHASES; i++)
        phases += t.phase[i];
    for (int i = 0; i < KN_PHASES && phases > 0; i++)
        r->phase[i] = r->step * t.phase[i] / phases;
    r->copy = INFINITY;
    for (int i = 0; i < 5; i++) {
        KN_TRY(kn_sim_copy(sim, &seconds));
        r->copy = fmin(r->copy, seconds);
    }
    return KN_OK;
}

static enum kn_status measure(const struct machine *m, const char *settings, struct result *r)
{
    struct kn_case c;
    struct kn_sim *sim = NULL;
    char text[512];
    snprintf(text, sizeof text, "run.backend=%s run.threads=%d %s", m->backend, m->threads, settings);
    KN_TRY(kn_bench_case(&c, text));
    KN_TRY(kn_case_check(&c));
    KN_TRY(kn_sim_create(&sim, &c));
    *r = (struct result){.machine = m, .cells = (int)kn_sim_cells(sim), .nodes = (int)kn_sim_nodes(sim)};
    const enum kn_status status = measure_steps(sim, r);
    kn_sim_destroy(sim);
    return status;
}

/* The paper's case: 20^3 nodes, none of them folded, 6144 samples, delta 1, order 1. */
static enum kn_status measure_paper(const struct machine *m, int side, struct result *r)
{
    char settings[384];
    snprintf(settings, sizeof settings,
             "space.cells=[%d,%d] gas.delta=1 disturbance=0.01 space.order=1 velocity.grid=stretched "
             "velocity.nodes=20 velocity.ratio=0.945 velocity.range=3 velocity.fold=none "
             "collision.method=monte-carlo collision.samples=%d",
             side, side, SAMPLES);
    return measure(m, settings, r);
}

static double rate(double work, double seconds)
{
    return seconds > 0 ? work / seconds : 0;
}

/* One read and one write of the state. */
static double copied_bytes(const struct result *r)
{
    return 2.0 * sizeof(float) * r->cells * r->nodes;
}

/* A number of a result, in JSON and as a column of the table. */
struct number {
    const char *key, *heading; /* NULL: not in the table */
    int width, digits;
    double factor, value; /* factor: of the unit in the table */
};
enum { NUMBERS = 11 };

/* Operations are counted as in the paper: 11 per upwind update, and 80 N_v + 12 N_t per cell for the
 * collisions. */
static void find_numbers(const struct result *r, struct number numbers[NUMBERS])
{
    const double stream = r->phase[KN_PHASE_STREAM], collide = r->phase[KN_PHASE_COLLIDE],
                 updates = (double)r->cells * r->nodes, applications = (double)r->cells * SAMPLES;
    const struct number all[NUMBERS] = {
        {"step_s", "step, ms", 10, 3, 1e3, r->step},
        {"stream_s", "stream", 9, 3, 1e3, stream},
        {"sample_s", "sample", 9, 3, 1e3, r->phase[KN_PHASE_SAMPLE]},
        {"collide_s", "collide", 9, 3, 1e3, collide},
        {"copy_s", NULL, 0, 0, 1, r->copy},
        {"updates_per_s", "Gupd/s", 8, 3, 1e-9, rate(updates, r->step)},
        {"applications_per_s", "Gappl/s", 8, 3, 1e-9, rate(applications, r->step)},
        {"bytes_per_s", "GB/s", 8, 1, 1e-9, rate(copied_bytes(r), r->step)},
        {"copy_bytes_per_s", "copy", 8, 1, 1e-9, rate(copied_bytes(r), r->copy)},
        {"stream_flops", "GF/s str", 8, 1, 1e-9, rate(11 * updates, stream)},
        {"collide_flops", "GF/s col", 8, 1, 1e-9, rate(80 * updates + 12 * applications, collide)},
    };
    memcpy(numbers, all, sizeof all);
}

/* A line of the table; `headed`: with the headings above it. */
static void print_result(const struct result *r, bool headed)
{
    struct number n[NUMBERS];
    find_numbers(r, n);
    if (headed)
        printf("%-16s %6s", "machine", "N_r");
    for (int i = 0; i < NUMBERS && headed; i++)
        if (n[i].heading)
            printf(" %*s", n[i].width, n[i].heading);
    printf("%s%-16s %6d", headed ? "\n" : "", r->machine->name, r->cells);
    for (int i = 0; i < NUMBERS; i++)
        if (n[i].heading)
            printf(" %*.*f", n[i].width, n[i].digits, n[i].factor * n[i].value);
    putchar('\n');
}

static json_t *json_result(const struct result *r)
{
    struct number n[NUMBERS];
    json_t *entry = json_pack("{s:s, s:s, s:i, s:i, s:i}", "machine", r->machine->name, "backend",
                              r->machine->backend, "cells", r->cells, "nodes", r->nodes, "samples", SAMPLES);
    find_numbers(r, n);
    for (int i = 0; i < NUMBERS; i++)
        kn_json_set(entry, n[i].key, kn_json_number(n[i].value));
    return entry;
}

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

/* Name and settings of typical cases. */
static const char *const CASES[][2] = {
    {"Monte Carlo, 160^2, stretched 20, order 1",
     "collision.method=monte-carlo space.cells=[160,160] space.order=1 velocity.grid=stretched "
     "velocity.nodes=20 velocity.ratio=0.945 velocity.range=3 disturbance=0.01"},
    {"no collisions, 256^2, gauss 16, order 1",
     "space.cells=[256,256] space.order=1 velocity.nodes=16 velocity.reduce=none collision.method=none"},
    {"BGK, 256^2, gauss 16, order 1",
     "space.cells=[256,256] space.order=1 velocity.nodes=16 velocity.reduce=none collision.method=bgk"},
    {"BGK, 256^2, gauss 16, order 2",
     "space.cells=[256,256] space.order=2 velocity.nodes=16 velocity.reduce=none collision.method=bgk"},
    {"BGK, 256^2, gauss 16, order 3",
     "space.cells=[256,256] space.order=3 velocity.nodes=16 velocity.reduce=none collision.method=bgk"},
    {"Shakhov, eps 0.1, 256^2, gauss 16, order 2",
     "space.cells=[256,256] space.order=2 velocity.nodes=16 velocity.reduce=none "
     "collision.method=shakhov disturbance=0.1"},
    {"ES-BGK, eps 0.1, 256^2, gauss 16, order 2",
     "space.cells=[256,256] space.order=2 velocity.nodes=16 velocity.reduce=none "
     "collision.method=es-bgk disturbance=0.1"},
    {"BGK, 256^2, gauss 16, order 2, reduced",
     "space.cells=[256,256] space.order=2 velocity.nodes=16 collision.method=bgk"},
    {"Shakhov, eps 0.1, 256^2, gauss 16, order 2, reduced",
     "space.cells=[256,256] space.order=2 velocity.nodes=16 collision.method=shakhov disturbance=0.1"},
    {"ES-BGK, eps 0.1, 256^2, gauss 16, order 2, reduced",
     "space.cells=[256,256] space.order=2 velocity.nodes=16 collision.method=es-bgk disturbance=0.1"},
    {"operator, 160^2, gauss 8, order 2",
     "space.cells=[160,160] space.order=2 velocity.nodes=8 collision.method=operator"},
    {"operator, 160^2, gauss 8, order 3",
     "space.cells=[160,160] space.order=3 velocity.nodes=8 collision.method=operator"},
    {"operator, 160^2, gauss 12, order 2",
     "space.cells=[160,160] space.order=2 velocity.nodes=12 collision.method=operator"},
    {"operator, 160^2, gauss 12, order 3",
     "space.cells=[160,160] space.order=3 velocity.nodes=12 collision.method=operator"},
    {"operator, eps 0.1, 160^2, gauss 8, order 2",
     "space.cells=[160,160] space.order=2 velocity.nodes=8 collision.method=operator disturbance=0.1"},
    {"operator, eps 0.1, 160^2, gauss 12, order 2",
     "space.cells=[160,160] space.order=2 velocity.nodes=12 collision.method=operator disturbance=0.1"},
    {"BGK, 64^2, gauss 8, order 1",
     "space.cells=[64,64] space.order=1 velocity.nodes=8 velocity.reduce=none collision.method=bgk"},
    {"BGK, 940^2, gauss 8, order 1",
     "space.cells=[940,940] space.order=1 velocity.nodes=8 velocity.reduce=none collision.method=bgk"},
    {"BGK, 96^3, gauss 8, order 1",
     "space.cells=[96,96,96] space.order=1 velocity.nodes=8 collision.method=bgk"},
    {"BGK, 96^3, gauss 8, order 2",
     "space.cells=[96,96,96] space.order=2 velocity.nodes=8 collision.method=bgk"},
    {"BGK, 96^3, gauss 8, order 3",
     "space.cells=[96,96,96] space.order=3 velocity.nodes=8 collision.method=bgk"},
    {"BGK, 256^2 stretched, gauss 16, order 2",
     "space.cells=[256,256] space.stretch=[0.99,0.99,1] space.order=2 velocity.nodes=16 "
     "velocity.reduce=none collision.method=bgk"},
    {"BGK, 256^2 stretched, gauss 16, order 3",
     "space.cells=[256,256] space.stretch=[0.99,0.99,1] space.order=3 velocity.nodes=16 "
     "velocity.reduce=none collision.method=bgk"},
};

/* Steps of typical cases on the fastest machine, compared with the lower bound of one read and one write of
 * the state. */
static enum kn_status bench_cases(const struct machine *m)
{
    printf("%-52s %12s %10s %8s %8s %6s   (%s)\n", "case", "step, us", "ns/cell", "GB/s", "copy", "ratio",
           m->name);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct result r;
        KN_TRY(measure(m, CASES[i][1], &r));
        printf("%-52s %12.2f %10.3f %8.1f %8.1f %6.2f\n", CASES[i][0], 1e6 * r.step, 1e9 * r.step / r.cells,
               1e-9 * rate(copied_bytes(&r), r.step), 1e-9 * rate(copied_bytes(&r), r.copy), r.copy / r.step);
        fflush(stdout);
    }
    return KN_OK;
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

/* Print each result as soon as it is measured, or collect them in `all`. */
static enum kn_status bench_paper(const struct machine *machine, int machines, const int *sides, int sizes,
                                  json_t *all)
{
    struct result results[MACHINES * SIZES]; /* [machines][sizes] */
    for (int i = 0; i < machines * sizes; i++) {
        KN_TRY(measure_paper(&machine[i / sizes], sides[i % sizes], &results[i]));
        if (all)
            kn_json_append(all, json_result(&results[i]));
        else
            print_result(&results[i], i == 0);
        fflush(stdout);
    }
    if (!all)
        print_ratios(results, machines, sizes);
    return KN_OK;
}

enum kn_status kn_bench(const struct kn_bench_options *o)
{
    const int *sides = o->largest > 0 ? paper_sides : few_sides;
    struct machine machine[MACHINES];
    int sizes = o->largest > 0 ? SIZES : 2;
    while (o->largest > 0 && sizes > 1 && sides[sizes - 1] > o->largest)
        sizes--;
    const int machines = find_machines(machine);
    if (o->cases && o->largest == 0)
        return bench_cases(&machine[machines - 1]);
    json_t *all = o->json ? json_array() : NULL;
    const enum kn_status status = bench_paper(machine, machines, sides, sizes, all);
    if (status == KN_OK && all)
        return kn_json_print_line(stdout, all);
    kn_json_drop(all);
    return status == KN_OK && o->cases ? bench_cases(&machine[machines - 1]) : status;
}
