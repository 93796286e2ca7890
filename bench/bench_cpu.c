/* make bench: the CPU kernels against the plain loop and against a memory copy,
 * in one run on this machine.  Ratios are the result; seconds depend on the day. */
#include "config/config.h"
#include "cpu/cpu_kernels.h"
#include "oracle.h"
#include "sim.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { REPEATS = 5, ROUNDS = 12 };

static void require(enum kn_status status)
{
    if (status != KN_OK) {
        fprintf(stderr, "bench: %s\n", kn_error_message());
        exit(kn_status_exit_code(status));
    }
}

static struct kn_case make_case(const char *const settings[])
{
    struct kn_case c;
    kn_case_default(&c);
    for (int i = 0; settings[i]; i++)
        require(kn_case_set(&c, settings[i]));
    require(kn_case_check(&c));
    return c;
}

/* ------------------------------------------------------------- Monte Carlo */

/* Applications of one sample to one cell, per second, on one core. */
static double time_kernel(const struct kn_cpu_kernels *kernels, const struct kn_collisions *s, float *rows,
                          float *scratch)
{
    double best = 1e30;
    for (int r = 0; r < 4 * REPEATS; r++) {
        const double start = omp_get_wtime();
        kernels->collide(s, rows, kernels->lanes, scratch);
        const double t = omp_get_wtime() - start;
        best = t < best ? t : best;
    }
    return (double)s->c->collision.samples * kernels->lanes / best;
}

static double time_oracle(const struct kn_collisions *s, float *row)
{
    const struct kn_problem p = {.c = s->c, .velocity = s->velocity, .collision = s->plan};
    double best = 1e30;
    for (int r = 0; r < 4 * REPEATS; r++) {
        const double start = omp_get_wtime();
        oracle_collide(&p, s->samples, row);
        const double t = omp_get_wtime() - start;
        best = t < best ? t : best;
    }
    return (double)s->c->collision.samples / best;
}

static void bench_samples(const char *estimator)
{
    const char *settings[] = {"velocity.grid=stretched",    "velocity.nodes=20",
                              "disturbance=0.01",           "collision.method=monte-carlo",
                              "collision.samples=6144",     estimator,
                              "walls.top.velocity=[1,0,0]", NULL};
    const struct kn_case c = make_case(settings);
    struct kn_velocity v;
    struct kn_collision_plan plan;
    require(kn_velocity_create(&v, &c));
    require(kn_collision_create(&plan, &c, &v, &kn_comm_alone, NULL, NULL));
    const struct kn_sample_plan draw = kn_sampling_plan(&c, &v, 0.002);
    struct kn_sample *samples = aligned_alloc(64, (size_t)c.collision.samples * sizeof *samples);
    float *rows = aligned_alloc(64, 16 * (size_t)v.nnodes * sizeof *rows);
    float *scratch = aligned_alloc(64, kn_cpu_scratch_size(&c, &v, 16) * sizeof *scratch);
    for (int i = 0; i < 16 * v.nnodes; i++)
        rows[i] = (float)(i % 97) / 97 - 0.5f;
    kn_cpu_kernels_find(NULL)->sample(&draw, 1, 0, c.collision.samples, samples);
    const struct kn_collisions s = {.c = &c,
                                    .velocity = &v,
                                    .plan = &plan,
                                    .dt = 0.002,
                                    .nsamples = c.collision.samples,
                                    .samples = samples};
    const double oracle = time_oracle(&s, rows);
    printf("  %-28s scalar loop      %7.3f e9/s\n", estimator, oracle / 1e9);
    for (const char *const *isa = (const char *const[]){"baseline", "v3", "v4", NULL}; *isa; isa++) {
        const struct kn_cpu_kernels *kernels = kn_cpu_kernels_find(*isa);
        if (!kernels)
            continue;
        const double rate = time_kernel(kernels, &s, rows, scratch);
        printf("  %-28s kernel %-9s %7.3f e9/s  %5.1f x scalar\n", "", *isa, rate / 1e9, rate / oracle);
    }
    free(samples);
    free(rows);
    free(scratch);
    kn_collision_destroy(&plan);
    kn_velocity_destroy(&v);
}

/* --------------------------------------------------------- streaming and BGK */

/* Two arrays of the size of the state, with the layout of the solver. */
struct pair {
    char *from, *to;
    size_t piece; /* bytes per thread */
    int threads;
};

static struct pair make_pair(size_t bytes, int threads)
{
    const size_t page = (size_t)1 << 21, whole = (bytes + page - 1) / page * page;
    const struct pair p = {aligned_alloc(page, whole), aligned_alloc(page, whole),
                           bytes / (size_t)threads / 64 * 64, threads};
    if (!p.from || !p.to) {
        fprintf(stderr, "bench: no memory for %zu bytes\n", 2 * whole);
        exit(1);
    }
    madvise(p.from, whole, MADV_HUGEPAGE);
    madvise(p.to, whole, MADV_HUGEPAGE);
#pragma omp parallel num_threads(threads)
    {
        const size_t at = (size_t)omp_get_thread_num() * p.piece;
        memset(p.from + at, 1, p.piece);
        memset(p.to + at, 2, p.piece);
    }
    return p;
}

static double time_copy(const struct pair *p)
{
    const double start = omp_get_wtime();
#pragma omp parallel num_threads(p->threads)
    {
        const size_t at = (size_t)omp_get_thread_num() * p->piece;
        memcpy(p->to + at, p->from + at, p->piece);
    }
    return omp_get_wtime() - start;
}

static double time_steps(struct kn_sim *sim, int steps)
{
    const double start = omp_get_wtime();
    require(kn_sim_advance_open(sim, steps));
    return (omp_get_wtime() - start) / steps;
}

/* Steps and copies alternate, because the memory bandwidth of a shared machine varies; the best of each is
 * used. */
static void bench_streaming(const char *cells, const char *nodes, const char *order, const char *method)
{
    char threads[32];
    snprintf(threads, sizeof threads, "run.threads=%d", omp_get_max_threads());
    const char *settings[] = {
        cells, nodes, order, method, "time.splitting=lie", "walls.top.velocity=[1,0,0]", threads, NULL};
    const struct kn_case c = make_case(settings);
    struct kn_sim *sim;
    double step = 1e30, copy = 1e30;
    require(kn_sim_create(&sim, &c));
    const double bytes = (double)kn_sim_cells(sim) * (double)kn_sim_nodes(sim) * sizeof(float);
    const struct pair pair = make_pair((size_t)bytes, c.run.threads);
    time_steps(sim, 3);
    for (int r = 0; r < ROUNDS; r++) {
        step = fmin(step, time_steps(sim, 3));
        copy = fmin(copy, (time_copy(&pair) + time_copy(&pair) + time_copy(&pair)) / 3);
    }
    printf("  %s %s %s %-24s %8.2f ms  %6.2f GB/s  copy %6.2f GB/s  ratio %.2f\n", cells, nodes, order,
           method, step * 1e3, 2 * bytes / step / 1e9, 2 * (double)pair.piece * pair.threads / copy / 1e9,
           2 * bytes / step / (2 * (double)pair.piece * pair.threads / copy));
    free(pair.from);
    free(pair.to);
    kn_sim_destroy(sim);
}

int main(void)
{
    printf("Monte Carlo, one core: sample applications per second (20^3 stretched grid folded to 4000, 6144 "
           "samples)\n");
    bench_samples("collision.estimator=symmetric");
    bench_samples("collision.estimator=paper");
    printf("Whole step, %d threads: one read and one write of h per step, against a copy of the same bytes\n",
           omp_get_max_threads());
    bench_streaming("space.cells=[160,160]", "velocity.nodes=16", "space.order=1", "collision.method=none");
    bench_streaming("space.cells=[160,160]", "velocity.nodes=16", "space.order=1", "collision.method=bgk");
    bench_streaming("space.cells=[160,160]", "velocity.nodes=16", "space.order=2", "collision.method=bgk");
    bench_streaming("space.cells=[160,160]", "velocity.nodes=16", "space.order=3", "collision.method=bgk");
    bench_streaming("space.cells=[160,160]", "velocity.nodes=8", "space.order=1", "collision.method=bgk");
    bench_streaming("space.cells=[160,160]", "velocity.nodes=8", "space.order=2", "collision.method=bgk");
    bench_streaming("space.cells=[160,160]", "velocity.nodes=8", "space.order=3", "collision.method=bgk");
    return 0;
}
