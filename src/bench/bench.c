#include "bench/bench.h"

#include "backend/backend.h"
#include "config/config.h"
#include "plot/draw.h"
#include "error.h"
#include "files.h"
#include "sim.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 6144 };

const int kn_bench_sides[KN_BENCH_SIZES] = {16, 32, 64, 96, 128, 160, 192};
static const int few_sides[] = {32, 96};

/* ------------------------------------------------------------------ measuring */

/* Settings on a machine; the list ends with NULL. */
static enum kn_status make_case(struct kn_case *c, const struct kn_bench_machine *m,
                                const char *const settings[])
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
static enum kn_status measure_steps(struct kn_sim *sim, float *row, struct kn_bench_result *r)
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

static enum kn_status measure(const struct kn_bench_machine *m, const char *const settings[],
                              struct kn_bench_result *r)
{
    struct kn_case c;
    struct kn_sim *sim = NULL;
    enum kn_status status = make_case(&c, m, settings);
    if (status != KN_OK || (status = kn_sim_create(&sim, &c)) != KN_OK)
        return status;
    *r = (struct kn_bench_result){
        .machine = m, .cells = (int)kn_sim_cells(sim), .nodes = (int)kn_sim_nodes(sim)};
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
static enum kn_status measure_paper(const struct kn_bench_machine *m, int side, struct kn_bench_result *r)
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
double kn_bench_stream_operations(const struct kn_bench_result *r)
{
    return 11.0 * r->cells * r->nodes;
}

double kn_bench_collide_operations(const struct kn_bench_result *r)
{
    return r->cells * (80.0 * r->nodes + 12.0 * SAMPLES);
}

static double rate(double work, double seconds)
{
    return seconds > 0 ? work / seconds / 1e9 : 0;
}

static double state_bytes(const struct kn_bench_result *r)
{
    return 4.0 * r->cells * r->nodes;
}

static void print_header(FILE *to)
{
    fprintf(to, "%-16s %6s %10s %9s %9s %9s %8s %8s %8s %8s %8s %8s\n", "machine", "N_r", "step, ms",
            "stream", "sample", "collide", "Gupd/s", "Gappl/s", "GB/s", "copy", "GF/s str", "GF/s col");
}

static void print_result(FILE *to, const struct kn_bench_result *r)
{
    fprintf(to, "%-16s %6d %10.3f %9.3f %9.3f %9.3f %8.3f %8.3f %8.1f %8.1f %8.1f %8.1f\n", r->machine->name,
            r->cells, 1e3 * r->step, 1e3 * r->phase[KN_PHASE_STREAM], 1e3 * r->phase[KN_PHASE_SAMPLE],
            1e3 * r->phase[KN_PHASE_COLLIDE], rate((double)r->cells * r->nodes, r->step),
            rate((double)r->cells * SAMPLES, r->step), rate(2 * state_bytes(r), r->step),
            rate(2 * state_bytes(r), r->copy), rate(kn_bench_stream_operations(r), r->phase[KN_PHASE_STREAM]),
            rate(kn_bench_collide_operations(r), r->phase[KN_PHASE_COLLIDE]));
    fflush(to);
}

static void print_json(FILE *to, const struct kn_bench_result *r, bool first)
{
    fprintf(
        to,
        "%s\n  {\"machine\": \"%s\", \"backend\": \"%s\", \"cells\": %d, \"nodes\": %d, \"samples\": %d,\n"
        "   \"step_s\": %.6e, \"stream_s\": %.6e, \"sample_s\": %.6e, \"collide_s\": %.6e, \"copy_s\": "
        "%.6e,\n"
        "   \"updates_per_s\": %.6e, \"applications_per_s\": %.6e, \"bytes_per_s\": %.6e,\n"
        "   \"copy_bytes_per_s\": %.6e, \"stream_flops\": %.6e, \"collide_flops\": %.6e}",
        first ? "" : ",", r->machine->name, r->machine->backend, r->cells, r->nodes, SAMPLES, r->step,
        r->phase[KN_PHASE_STREAM], r->phase[KN_PHASE_SAMPLE], r->phase[KN_PHASE_COLLIDE], r->copy,
        1e9 * rate((double)r->cells * r->nodes, r->step), 1e9 * rate((double)r->cells * SAMPLES, r->step),
        1e9 * rate(2 * state_bytes(r), r->step), 1e9 * rate(2 * state_bytes(r), r->copy),
        1e9 * rate(kn_bench_stream_operations(r), r->phase[KN_PHASE_STREAM]),
        1e9 * rate(kn_bench_collide_operations(r), r->phase[KN_PHASE_COLLIDE]));
}

/* ------------------------------------------------------------------- pictures */

static const struct kn_bench_result *entry(const struct kn_bench_table *t, int machine, int size)
{
    return &t->results[machine * t->sizes + size];
}

/* Times of the other machines over those of the last one, as the paper's Fig. 4. */
static void print_ratios(const struct kn_bench_table *t)
{
    const int last = t->machines - 1;
    for (int m = 0; m < last; m++) {
        printf("time on %s / on %s:", entry(t, m, 0)->machine->name, entry(t, last, 0)->machine->name);
        for (int i = 0; i < t->sizes; i++)
            printf(" %.2f", entry(t, m, i)->step / entry(t, last, i)->step);
        putchar('\n');
    }
}

/* A block for each machine: cells, speed-up over the first machine, parts of the step in
 * streaming, sampling, collisions, and the two rates in GFLOP/s. */
static void write_data(FILE *to, const void *of)
{
    const struct kn_bench_table *t = of;
    for (int m = 0; m < t->machines; m++) {
        fprintf(to, "# %s: N_r, speed-up, streaming, sampling, collisions, GFLOP/s streaming, collisions\n",
                t->machine[m].name);
        for (int i = 0; i < t->sizes; i++) {
            const struct kn_bench_result *r = entry(t, m, i);
            const double *p = r->phase;
            fprintf(to, "%d %g %g %g %g %g %g\n", r->cells, entry(t, 0, i)->step / r->step,
                    p[KN_PHASE_STREAM] / r->step, p[KN_PHASE_SAMPLE] / r->step, p[KN_PHASE_COLLIDE] / r->step,
                    rate(kn_bench_stream_operations(r), p[KN_PHASE_STREAM]),
                    rate(kn_bench_collide_operations(r), p[KN_PHASE_COLLIDE]));
        }
        fprintf(to, "\n\n");
    }
}

static void write_plots(FILE *to, const void *of)
{
    const struct kn_bench_table *t = of;
    const int last = t->machines - 1;
    fprintf(to, "set logscale x 2\nset xlabel 'cells N_r'\nset key left top\n");
    fprintf(to, "set multiplot layout 1,3\nset offsets graph 0.05, graph 0.05, graph 0.1, 0\nset yrange "
                "[0:*]\nset title 'speed-up over one thread'\nplot");
    for (int m = 0; m < t->machines; m++)
        fprintf(to, "%s data index %d using 1:2 with linespoints title '%s'", m ? "," : "", m,
                t->machine[m].name);
    fprintf(to, "\nset title 'parts of the step, %s'\nset yrange [0:1.1]\nplot", t->machine[last].name);
    const char *const parts[] = {"streaming", "sampling", "collisions"};
    for (int i = 0; i < 3; i++)
        fprintf(to, "%s data index %d using 1:%d with linespoints title '%s'", i ? "," : "", last, 3 + i,
                parts[i]);
    fprintf(to, "\nset yrange [*:*]\nset logscale y\nset title 'GFLOP/s as the paper counts'\nplot");
    for (int m = 0; m < t->machines; m++)
        fprintf(to,
                "%s data index %d using 1:6 with linespoints title '%s, streaming', data index %d using 1:7 "
                "with linespoints dt 2 title '%s, collisions'",
                m ? "," : "", m, t->machine[m].name, m, t->machine[m].name);
    fprintf(to, "\nunset multiplot\n");
}

static enum kn_status write_folder(const struct kn_bench_table *t, const char *folder)
{
    char path[KN_PATH];
    enum kn_status status = kn_files_join(path, folder, "bench.txt");
    if (status != KN_OK)
        return status;
    FILE *to = fopen(path, "we");
    if (!to)
        return kn_error_set(KN_EIO, "cannot write '%s'", path);
    print_header(to);
    for (int i = 0; i < t->machines * t->sizes; i++)
        print_result(to, &t->results[i]);
    if (fclose(to) != 0)
        return kn_error_set(KN_EIO, "cannot write '%s'", path);
    fprintf(stderr, "%s\n", path);
    const struct kn_draw figure = {
        "bench", "Speed on the cavity of the paper", 1800, 600, write_data, write_plots, t};
    bool drawn;
    status = kn_draw_figure(folder, &figure, &drawn);
    if (status == KN_OK)
        fprintf(stderr,
                drawn ? "%s/bench.png\n%s/bench.svg\n"
                      : "gnuplot is not installed; where it is, gnuplot %s/bench.gp draws the pictures\n",
                folder, folder);
    return status;
}

/* ----------------------------------------------------------------------- main */

/* One thread, all threads where that is more, and a GPU where there is one. */
static int find_machines(struct kn_bench_machine machines[KN_BENCH_MACHINES])
{
    const int threads = omp_get_max_threads();
    int n = 0;
    machines[n++] = (struct kn_bench_machine){"cpu", 1, "CPU, 1 thread"};
    if (threads > 1) {
        machines[n] = (struct kn_bench_machine){"cpu", threads, ""};
        snprintf(machines[n].name, sizeof machines[n].name, "CPU, %d threads", threads);
        n++;
    }
    if (kn_backend_find("cuda", KN_METHOD_BGK)->available() == KN_OK)
        machines[n++] = (struct kn_bench_machine){"cuda", 0, "GPU"};
    return n;
}

/* Steps as users run them, on the fastest machine: how near to the floor of one
 * read and one write of the state. */
static enum kn_status bench_cases(const struct kn_bench_machine *m)
{
    static const struct {
        const char *name;
        const char *settings[8];
    } cases[] = {
        {"Monte Carlo, 160^2, stretched 20, order 1",
         {"space.cells=[160,160]", "space.order=1", "velocity.grid=stretched", "velocity.nodes=20",
          "velocity.ratio=0.945", "velocity.range=3", "disturbance=0.01"}},
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
        struct kn_bench_result r;
        status = measure(m, cases[i].settings, &r);
        if (status == KN_OK)
            printf("%-48s %12.2f %10.3f %8.1f %8.1f %6.2f\n", cases[i].name, 1e6 * r.step,
                   1e9 * r.step / r.cells, rate(2 * state_bytes(&r), r.step),
                   rate(2 * state_bytes(&r), r.copy), r.copy / r.step);
        fflush(stdout);
    }
    return status;
}

/* On all threads and, where there is one, on the GPU. */
static enum kn_status bench_steady(const struct kn_bench_machine *machines, int count)
{
    enum kn_status status = KN_OK;
    for (int i = count > 1 ? 1 : 0; i < count && status == KN_OK; i++)
        status = kn_bench_steady(machines[i].backend, machines[i].threads, machines[i].name);
    return status;
}

enum kn_status kn_bench_paper(struct kn_bench_table *t, const int *sides, int sizes,
                              const struct kn_bench_listener *listener)
{
    enum kn_status status = KN_OK;
    *t = (struct kn_bench_table){.sizes = sizes};
    t->machines = find_machines(t->machine);
    for (int i = 0; i < t->machines * sizes && status == KN_OK; i++) {
        t->results[i].machine = &t->machine[i / sizes];
        status = measure_paper(&t->machine[i / sizes], sides[i % sizes], &t->results[i]);
        if (status == KN_OK && !listener->hear(listener->to, &t->results[i]))
            status = kn_error_set(KN_EINTERRUPTED, "interrupted");
    }
    return status;
}

static bool hear_result(void *to, const struct kn_bench_result *r)
{
    (void)to;
    print_result(stdout, r);
    return true;
}

static bool hear_json(void *to, const struct kn_bench_result *r)
{
    bool *first = to;
    print_json(stdout, r, *first);
    *first = false;
    return true;
}

int kn_bench(const struct kn_bench_options *o)
{
    bool first = true;
    const struct kn_bench_listener listener = {o->json ? hear_json : hear_result, &first};
    struct kn_bench_table table;
    enum kn_status status = o->folder ? kn_files_make_folder(o->folder) : KN_OK;
    if (status != KN_OK) {
        fprintf(stderr, "knudsen: %s\n", kn_error_message());
        return kn_status_exit_code(status);
    }
    if (o->json)
        printf("[");
    else
        print_header(stdout);
    status = kn_bench_paper(&table, o->paper ? kn_bench_sides : few_sides, o->paper ? KN_BENCH_SIZES : 2,
                            &listener);
    if (o->json)
        printf("\n]\n");
    else if (status == KN_OK)
        print_ratios(&table);
    if (status == KN_OK && o->cases && !o->json)
        status = bench_cases(&table.machine[table.machines - 1]);
    if (status == KN_OK && o->steady && !o->json)
        status = bench_steady(table.machine, table.machines);
    if (status == KN_OK && o->folder)
        status = write_folder(&table, o->folder);
    if (status != KN_OK)
        fprintf(stderr, "knudsen: %s\n", kn_error_message());
    return kn_status_exit_code(status);
}
