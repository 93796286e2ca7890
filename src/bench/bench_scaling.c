/* Measures the steps of 1, 2, 4, ... ranks of a job. */
#include "bench/bench_scaling.h"

#include "bench/bench.h"
#include "comm/comm.h"
#include "config/config.h"
#include "error.h"
#include "sim.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long to measure. */
struct effort {
    double seconds; /* of a repetition */
    int repeats;
};
static const struct effort THOROUGH = {0.2, 10}, QUICK = {0.02, 3};

static const struct {
    const char *word, *name;
    const char *settings[6];
} cases[] = {
    {"operator",
     "cavity, operator, gauss 8, order 2",
     {"space.cells=[160,160]", "space.order=2", "velocity.nodes=8", "collision.method=operator"}},
    {"bgk",
     "cavity, BGK, gauss 16, order 2",
     {"space.cells=[256,256]", "space.order=2", "velocity.nodes=16", "collision.method=bgk"}},
    {"cube",
     "cube with a lid, BGK, gauss 8, order 2",
     {"space.cells=[48,48,48]", "space.order=2", "velocity.nodes=8", "collision.method=bgk"}},
};
enum { CASES = sizeof cases / sizeof *cases, QUICKER = 4 }; /* cells along an axis, divided by this */

/* -------------------------------------------------------------------- the cases */

static enum kn_status find_case(const char *word, int *found)
{
    for (*found = 0; *found < CASES; ++*found)
        if (!word || strcmp(word, cases[*found].word) == 0)
            return KN_OK;
    return kn_error_set(KN_EINPUT, "--scaling: there is no case '%s' (operator, bgk, cube)", word);
}

static enum kn_status make_case(const struct kn_bench_options *o, struct kn_scaling *s)
{
    static const char *const common[] = {"walls.top.velocity=[1,0,0]", "time.splitting=lie"};
    struct kn_case *c = &s->c;
    int number;
    enum kn_status status = find_case(o->scaling_case, &number);
    if (status != KN_OK)
        return status;
    s->name = cases[number].name;
    kn_case_default(c);
    for (size_t i = 0; i < sizeof common / sizeof *common && status == KN_OK; i++)
        status = kn_case_set(c, common[i]);
    for (int i = 0; cases[number].settings[i] && status == KN_OK; i++)
        status = kn_case_set(c, cases[number].settings[i]);
    for (int d = 0; d < 3 && o->quick; d++)
        c->space.cells[d] = c->space.cells[d] > QUICKER ? c->space.cells[d] / QUICKER : c->space.cells[d];
    for (int i = 0; i < o->nsets && status == KN_OK; i++)
        status = kn_case_set(c, o->sets[i]);
    return status == KN_OK ? kn_case_check(c) : status;
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

/* The case with `ranks` times the cells, near to a square or a cube.  A factor of the ranks goes to the axis
 * that is shortest so far, the largest factors first; of equal axes to the last, along which boxes are slabs.
 */
static void enlarge(struct kn_case *c, int ranks)
{
    while (ranks > 1) {
        const int factor = largest_factor(ranks);
        int axis = -1;
        for (int d = 2; d >= 0; d--)
            if (c->space.cells[d] > 1 && (axis < 0 || c->space.cells[d] < c->space.cells[axis]))
                axis = d;
        c->space.cells[axis < 0 ? 0 : axis] *= factor;
        ranks /= factor;
    }
}

/* As many threads for every number of ranks as a rank of the whole job has: one rank alone would take all
 * processors, and nothing could be learned from two. */
static void fix_threads(struct kn_scaling *s, const struct kn_comm *world)
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

/* The largest of all is measured last: better to know before. */
static enum kn_status check_memory(const struct kn_case *c, const struct kn_comm *world)
{
    struct kn_case largest = *c;
    struct kn_plan_size plan;
    enlarge(&largest, world->size);
    enum kn_status status = kn_sim_plan(&largest, world, &plan);
    if (status == KN_OK)
        status = kn_config_check_memory(world->local_size * (plan.memory_bytes - plan.device_bytes));
    return kn_comm_agree(world, status);
}

/* -------------------------------------------------------------------- measuring */

/* Seconds; of each, those of the rank with the most. */
struct timing {
    double all, exchange;
    double idle; /* the processor was somebody else's, or the rank waited for a GPU */
};

/* Seconds between the same moments on all ranks: those of the slowest. */
static double slowest(const struct kn_comm *comm, double seconds)
{
    int64_t least = -llround(1e9 * seconds);
    kn_comm_least(comm, &least, 1);
    return 1e-9 * (double)-least;
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum kn_status time_steps(struct kn_sim *sim, const struct kn_comm *comm, int64_t steps, float *row,
                                 struct timing *t)
{
    double before[KN_PHASES], after[KN_PHASES];
    kn_sim_phases(sim, before);
    kn_comm_barrier(comm);
    const double start = omp_get_wtime(), busy = processor_time();
    enum kn_status status = kn_sim_advance_open(sim, steps);
    if (status == KN_OK)
        status = kn_sim_get_rows(sim, 0, 1, row); /* waits for the machine */
    const double all = omp_get_wtime() - start, idle = all - (processor_time() - busy);
    kn_sim_phases(sim, after);
    if ((status = kn_comm_agree(comm, status)) != KN_OK)
        return status;
    t->all = slowest(comm, all);
    t->exchange = slowest(comm, after[KN_PHASE_EXCHANGE] - before[KN_PHASE_EXCHANGE]);
    t->idle = slowest(comm, idle);
    return KN_OK;
}

/* The best of some repetitions, after steps to warm up. */
static enum kn_status measure_steps(struct kn_sim *sim, const struct kn_comm *comm, struct effort effort,
                                    float *row, struct kn_scaling_line *line)
{
    struct timing t;
    enum kn_status status = time_steps(sim, comm, 3, row, &t);
    if (status == KN_OK)
        status = time_steps(sim, comm, 2, row, &t);
    if (status != KN_OK)
        return status;
    const int64_t steps = 2 + (int64_t)(2 * effort.seconds / (t.all + 1e-6));
    line->step = INFINITY;
    for (int i = 0; i < effort.repeats && status == KN_OK; i++) {
        status = time_steps(sim, comm, steps, row, &t);
        if (status == KN_OK && t.all / (double)steps < line->step) {
            line->step = t.all / (double)steps;
            line->exchange = t.exchange / (double)steps;
            line->idle = t.idle / t.all;
        }
    }
    return status;
}

/* What differs from rank to rank, the most of it. */
static void find_most(const struct kn_sim *sim, const struct kn_comm *comm, struct kn_scaling_line *line)
{
    int64_t least[] = {-kn_sim_space(sim)->ncells, -kn_sim_halo_bytes(sim), -kn_sim_peers(sim)};
    kn_comm_least(comm, least, 3);
    line->cells = -least[0];
    line->bytes = -least[1];
    line->messages = -least[2];
}

/* The ranks of `part` do one case. */
static enum kn_status measure(struct kn_scaling *s, const struct kn_case *c, const struct kn_comm *part,
                              struct effort effort, struct kn_scaling_line *line)
{
    struct kn_sim *sim;
    enum kn_status status = kn_sim_create_with_progress(&sim, c, part, NULL);
    if (status != KN_OK)
        return status;
    *line = (struct kn_scaling_line){.ranks = part->size};
    memcpy(line->whole, c->space.cells, sizeof line->whole);
    find_most(sim, part, line);
    s->nodes = (int)kn_sim_nodes(sim);
    snprintf(s->backend, sizeof s->backend, "%s", kn_sim_backend(sim));
    kn_sim_device(sim, s->device, sizeof s->device);
    float *row = calloc((size_t)s->nodes, sizeof *row);
    status = kn_comm_agree(part, row ? KN_OK : kn_error_set(KN_EMEMORY, "not enough memory"));
    if (status == KN_OK)
        status = measure_steps(sim, part, effort, row, line);
    free(row);
    kn_sim_destroy(sim);
    return status;
}

/* The first `ranks` ranks; the others sleep meanwhile. */
static enum kn_status measure_first(struct kn_scaling *s, const struct kn_comm *world, int ranks, bool weak,
                                    struct effort effort, struct kn_scaling_line *line)
{
    struct kn_comm part;
    struct kn_case c = s->c;
    enum kn_status status = KN_OK;
    if (weak)
        enlarge(&c, ranks);
    kn_comm_first(world, ranks, &part);
    if (part.size > 0)
        status = measure(s, &c, &part, effort, line);
    kn_comm_barrier(world);
    status = kn_comm_agree(world, status);
    kn_comm_release(&part);
    return status;
}

static enum kn_status measure_all(struct kn_scaling *s, const struct kn_comm *world, struct effort effort)
{
    enum kn_status status = KN_OK;
    for (int ranks = 1; status == KN_OK && s->sizes < KN_SCALING_SIZES;
         ranks = 2 * ranks < world->size ? 2 * ranks : world->size) {
        const int i = s->sizes++;
        status = measure_first(s, world, ranks, true, effort, &s->weak[i]);
        s->strong[i] = s->weak[i]; /* one rank has the same to do */
        if (status == KN_OK && ranks > 1)
            status = measure_first(s, world, ranks, false, effort, &s->strong[i]);
        if (ranks == world->size)
            break;
    }
    return status;
}

enum kn_status kn_bench_scaling(const struct kn_bench_options *o)
{
    const struct kn_comm *world = kn_comm_world();
    struct kn_scaling s = {.ranks = world->size};
    enum kn_status status = kn_comm_agree(world, make_case(o, &s));
    if (status != KN_OK)
        return status;
    fix_threads(&s, world);
    if ((status = check_memory(&s.c, world)) != KN_OK ||
        (status = measure_all(&s, world, o->quick ? QUICK : THOROUGH)) != KN_OK)
        return status;
    if (world->rank == 0 && o->json)
        status = kn_bench_tables_json(stdout, &s);
    else if (world->rank == 0)
        kn_bench_tables(stdout, &s);
    return kn_comm_agree(world, status);
}
