/* knudsen bench --scaling: times on 1, 2, 4, ... ranks of a job, for a fixed number of cells in total
 * (strong) and per rank (weak). */
#include "bench/bench.h"
#include "comm/comm.h"
#include "config/config.h"
#include "error.h"
#include "files/json.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SIZES = 32, QUICKER = 4 }; /* QUICKER divides the cells along an axis */

static const double BUSY_ELSEWHERE = 0.05; /* fraction of the time; 0.01 on an idle computer */

/* How long to measure. */
struct effort {
    double seconds; /* of a repetition */
    int repeats;
};
static const struct effort THOROUGH = {0.2, 10}, QUICK = {0.02, 3};

/* One number of ranks; of values that differ between ranks, the largest. */
struct line {
    int ranks;
    int whole[3];     /* cells per axis, of all ranks */
    int64_t cells;    /* in a box */
    double step;      /* s */
    double exchange;  /* s per step without computation: packing, waiting, unpacking */
    double idle;      /* fraction of the time in which the rank did not have its processor */
    int64_t bytes;    /* sent per step */
    int64_t messages; /* likewise */
};

struct scaling {
    const char *name;
    struct kn_case c; /* of one rank */
    struct effort effort;
    int nodes, threads;
    bool crowded; /* more threads than processors, on some computer */
    char backend[64], device[128];
    struct line weak[SIZES], strong[SIZES];
    int sizes;
};

static enum kn_status make_case(const struct kn_bench_options *o, struct scaling *s)
{
    static const struct {
        const char *word, *name, *settings;
    } cases[] = {
        {"operator", "cavity, operator, gauss 8, order 2",
         "space.cells=[160,160] space.order=2 velocity.nodes=8 collision.method=operator"},
        {"bgk", "cavity, BGK, gauss 16, order 2",
         "space.cells=[256,256] space.order=2 velocity.nodes=16 velocity.reduce=none collision.method=bgk"},
        {"cube", "cube with a lid, BGK, gauss 8, order 2",
         "space.cells=[48,48,48] space.order=2 velocity.nodes=8 collision.method=bgk"},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    int i = 0;
    while (o->scaling_case && i < CASES && strcmp(o->scaling_case, cases[i].word) != 0)
        i++;
    if (i == CASES)
        return kn_error_set(KN_EINPUT, "--scaling: there is no case '%s' (operator, bgk, cube)",
                            o->scaling_case);
    s->name = cases[i].name;
    KN_TRY(kn_bench_case(&s->c, cases[i].settings));
    int *cells = s->c.space.cells;
    for (int d = 0; d < 3 && o->quick; d++)
        cells[d] = cells[d] > QUICKER ? cells[d] / QUICKER : cells[d];
    for (i = 0; i < o->nsets; i++)
        KN_TRY(kn_case_set(&s->c, o->sets[i]));
    return kn_case_check(&s->c);
}

/* The largest prime factor of a number above 1. */
static int largest_factor(int number)
{
    int factor = 2;
    while (number > factor)
        if (number % factor == 0)
            number /= factor;
        else
            factor++;
    return factor;
}

/* The case with `ranks` times the cells, as close as possible to a square or a cube. Each prime factor of the
 * ranks, the largest first, multiplies the shortest axis; of equal axes the last, so that boxes are slabs. */
static void enlarge(struct kn_case *c, int ranks)
{
    for (int factor; ranks > 1; ranks /= factor) {
        int axis = -1;
        for (int d = 2; d >= 0; d--)
            if (c->space.cells[d] > 1 && (axis < 0 || c->space.cells[d] < c->space.cells[axis]))
                axis = d;
        factor = largest_factor(ranks);
        c->space.cells[axis < 0 ? 0 : axis] *= factor;
    }
}

/* Every number of ranks has as many threads per rank as the whole job: one rank alone would use all
 * processors, and times would not be comparable. */
static void fix_threads(struct scaling *s, const struct kn_comm *world)
{
    int64_t threads = kn_comm_processors(world);
    kn_comm_least(world, &threads, 1);
    if (s->c.run.threads == 0)
        s->c.run.threads = (int)threads;
    s->threads = s->c.run.threads;
    int64_t room = sysconf(_SC_NPROCESSORS_ONLN) - (int64_t)world->local_size * s->threads;
    kn_comm_least(world, &room, 1);
    s->crowded = room < 0 && world->size > 1;
}

/* The largest case is measured last: its memory is checked before. */
static enum kn_status check_memory(const struct kn_case *c, const struct kn_comm *world)
{
    struct kn_case largest = *c;
    struct kn_plan_size plan;
    enlarge(&largest, world->size);
    KN_TRY(kn_sim_plan(&largest, world, &plan));
    return kn_config_check_memory(world->local_size * (plan.memory_bytes - plan.device_bytes));
}

static enum kn_status time_steps(struct kn_sim *sim, const struct kn_comm *comm, int64_t steps,
                                 struct line *line)
{
    struct kn_bench_time t = {0};
    kn_comm_barrier(comm);
    KN_TRY(kn_comm_agree(comm, kn_bench_steps(sim, steps, &t)));
    /* of each time, that of the slowest rank */
    double least[] = {-t.all, -t.phase[KN_PHASE_EXCHANGE], -t.idle};
    kn_comm_least_real(comm, least, 3);
    if (-least[0] / (double)steps < line->step) {
        line->step = -least[0] / (double)steps;
        line->exchange = -least[1] / (double)steps;
        line->idle = least[2] / least[0];
    }
    return KN_OK;
}

/* The best of some repetitions, after steps to warm up. */
static enum kn_status measure_steps(struct kn_sim *sim, const struct kn_comm *comm, struct effort effort,
                                    struct line *line)
{
    for (int steps = 3; steps >= 2; steps--) {
        line->step = INFINITY;
        KN_TRY(time_steps(sim, comm, steps, line));
    }
    const int64_t steps = 2 + (int64_t)(2 * effort.seconds / (2 * line->step + 1e-6));
    line->step = INFINITY;
    for (int i = 0; i < effort.repeats; i++)
        KN_TRY(time_steps(sim, comm, steps, line));
    return KN_OK;
}

/* The ranks of `part` compute one case. */
static enum kn_status measure(struct scaling *s, const struct kn_case *c, const struct kn_comm *part,
                              struct line *line)
{
    struct kn_sim *sim;
    KN_TRY(kn_sim_create_with_progress(&sim, c, part, NULL));
    int64_t least[] = {-kn_sim_space(sim)->ncells, -kn_sim_halo_bytes(sim), -kn_sim_peers(sim)};
    kn_comm_least(part, least, 3);
    *line = (struct line){.ranks = part->size, .cells = -least[0], .bytes = -least[1], .messages = -least[2]};
    memcpy(line->whole, c->space.cells, sizeof line->whole);
    s->nodes = (int)kn_sim_nodes(sim);
    snprintf(s->backend, sizeof s->backend, "%s", kn_sim_backend(sim));
    kn_sim_device(sim, s->device, sizeof s->device);
    const enum kn_status status = measure_steps(sim, part, s->effort, line);
    kn_sim_destroy(sim);
    return status;
}

/* The first `ranks` ranks; the others sleep meanwhile. */
static enum kn_status measure_first(struct scaling *s, const struct kn_comm *world, int ranks, bool weak,
                                    struct line *line)
{
    struct kn_comm part;
    struct kn_case c = s->c;
    enum kn_status status = KN_OK;
    if (weak)
        enlarge(&c, ranks);
    kn_comm_first(world, ranks, &part);
    if (part.size > 0)
        status = measure(s, &c, &part, line);
    kn_comm_barrier(world);
    status = kn_comm_agree(world, status);
    kn_comm_release(&part);
    return status;
}

static enum kn_status measure_all(struct scaling *s, const struct kn_comm *world)
{
    for (int ranks = 1; s->sizes < SIZES; ranks = 2 * ranks < world->size ? 2 * ranks : world->size) {
        const int i = s->sizes++;
        KN_TRY(measure_first(s, world, ranks, true, &s->weak[i]));
        s->strong[i] = s->weak[i]; /* one rank has the same work in both */
        if (ranks > 1)
            KN_TRY(measure_first(s, world, ranks, false, &s->strong[i]));
        if (ranks == world->size)
            break;
    }
    return KN_OK;
}

static const char *cells_text(const int cells[3], char text[64])
{
    snprintf(text, 64, cells[2] > 1 ? "%d x %d x %d" : "%d x %d", cells[0], cells[1], cells[2]);
    return text;
}

static double efficiency(const struct line *lines, int i, bool weak)
{
    return lines[0].step / lines[i].step / (weak ? 1 : lines[i].ranks);
}

static void print_lines(const struct scaling *s, const struct line *lines, bool weak)
{
    char cells[64];
    printf("\n%s\n", weak ? "Weak scaling: the gas grows with the ranks; efficiency = t(1) / t(n)"
                          : "Strong scaling: the gas stays the same; efficiency = t(1) / (n t(n))");
    printf("%6s %18s %11s %10s %11s %13s %10s %9s\n", "ranks", "cells", "cells/rank", "step, ms",
           "efficiency", "exchange, us", "sent, kB", "messages");
    for (const struct line *l = lines; l < lines + s->sizes; l++)
        printf("%6d %18s %11lld %10.3f %9.1f %% %13.1f %10.1f %9lld\n", l->ranks, cells_text(l->whole, cells),
               (long long)l->cells, 1e3 * l->step, 100 * efficiency(lines, (int)(l - lines), weak),
               1e6 * l->exchange, 1e-3 * (double)l->bytes, (long long)l->messages);
}

/* A rank that computes or waits for messages never sleeps by itself. */
static void print_doubt(const struct scaling *s)
{
    double idle = 0;
    for (int i = 0; i < s->sizes; i++)
        idle = fmax(idle, fmax(s->weak[i].idle, s->strong[i].idle));
    if (s->crowded)
        puts("\nThere are more threads than processors: these times do not show the scaling.");
    else if (idle > BUSY_ELSEWHERE && strcmp(s->backend, "cpu") == 0)
        printf("\nA rank did not have its processor for %.0f %% of the time: other programs use this "
               "computer, and these times hardly show the scaling.\n",
               100 * idle);
}

static void print_tables(const struct scaling *s, int ranks)
{
    char cells[64];
    printf("%s, %s cells of %d nodes, on %s (%s)\n", s->name, cells_text(s->c.space.cells, cells), s->nodes,
           s->backend, s->device);
    printf("%d %s, %d %s each for all numbers of ranks; best of some repetitions\n", ranks,
           ranks == 1 ? "rank" : "ranks", s->threads, s->threads == 1 ? "thread" : "threads");
    print_lines(s, s->weak, true);
    print_lines(s, s->strong, false);
    print_doubt(s);
    puts("\nexchange: time of a step in which a rank packs and unpacks rows or waits for them");
}

static json_t *json_lines(const struct scaling *s, const struct line *lines, bool weak)
{
    json_t *array = json_array();
    for (const struct line *l = lines; l < lines + s->sizes; l++)
        kn_json_append(array, json_pack("{s:i, s:[i, i, i], s:I, s:I, s:I, s:f, s:f, s:f, s:f}", "ranks",
                                        l->ranks, "cells", l->whole[0], l->whole[1], l->whole[2],
                                        "cells_per_rank", (json_int_t)l->cells, "sent_bytes",
                                        (json_int_t)l->bytes, "messages", (json_int_t)l->messages, "step_s",
                                        l->step, "efficiency", efficiency(lines, (int)(l - lines), weak),
                                        "exchange_s", l->exchange, "idle", l->idle));
    return array;
}

static enum kn_status print_json(const struct scaling *s, int ranks)
{
    return kn_json_print_line(
        stdout, json_pack("{s:o, s:o, s:s, s:i, s:i, s:i, s:b, s:o, s:o}", "case", kn_json_text(s->name),
                          "device", kn_json_text(s->device), "backend", s->backend, "nodes", s->nodes,
                          "ranks", ranks, "threads", s->threads, "crowded", s->crowded, "weak",
                          json_lines(s, s->weak, true), "strong", json_lines(s, s->strong, false)));
}

enum kn_status kn_bench_scaling(const struct kn_bench_options *o)
{
    const struct kn_comm *world = kn_comm_world();
    struct scaling s = {.effort = o->quick ? QUICK : THOROUGH};
    enum kn_status status = KN_OK;
    KN_TRY(kn_comm_agree(world, make_case(o, &s)));
    fix_threads(&s, world);
    KN_TRY(kn_comm_agree(world, check_memory(&s.c, world)));
    KN_TRY(measure_all(&s, world));
    if (world->rank == 0 && o->json)
        status = print_json(&s, world->size);
    else if (world->rank == 0)
        print_tables(&s, world->size);
    return kn_comm_agree(world, status);
}
