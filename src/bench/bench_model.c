#include "bench/bench_scaling.h"

#include "backend/backend.h"
#include "grid/boxes.h"
#include "error.h"
#include "grid/halo.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

/* A GPU with a port of 400 Gb/s, of which half is left after rows have gone through the memory of the
 * host.  Nobody has measured this. */
static const struct kn_scaling_network ASSUMED = {"assumed: InfiniBand NDR, 25 GB/s a GPU", 5e-6, 25e9};

enum { SHORT = 8, ROUNDS = 5, WARM_UP = 20 };

/* ------------------------------------------------------------------ the network */

double kn_bench_slowest(const struct kn_comm *comm, double seconds)
{
    int64_t least = -llround(1e9 * seconds);
    kn_comm_least(comm, &least, 1);
    return 1e-9 * (double)-least;
}

/* The best of some rounds, for one exchange. */
static double time_exchanges(const struct kn_comm *comm, struct kn_comm_exchange *e, int repeats)
{
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double start = 0;
        kn_comm_barrier(comm);
        for (int i = -WARM_UP; i < repeats; i++) {
            if (i == 0)
                start = omp_get_wtime();
            kn_comm_exchange_start(e);
            kn_comm_exchange_wait(e);
        }
        best = fmin(best, kn_bench_slowest(comm, (omp_get_wtime() - start) / repeats));
    }
    return best;
}

/* Each rank sends to the next one and hears from the one before. */
static enum kn_status time_message(const struct kn_comm *comm, size_t bytes, int repeats, double *seconds)
{
    char *data = calloc(2, bytes);
    struct kn_comm_exchange *e = NULL;
    const struct kn_comm_message messages[] = {
        {(comm->rank + comm->size - 1) % comm->size, false, data, bytes},
        {(comm->rank + 1) % comm->size, true, data + bytes, bytes}};
    enum kn_status status = data ? kn_comm_exchange_create(&e, comm, messages, 2)
                                 : kn_error_set(KN_EMEMORY, "no memory for messages of %zu bytes", bytes);
    if ((status = kn_comm_agree(comm, status)) == KN_OK)
        *seconds = time_exchanges(comm, e, repeats);
    kn_comm_exchange_destroy(e);
    free(data);
    return status;
}

enum kn_status kn_bench_network(const struct kn_comm *comm, struct kn_scaling_model *model)
{
    double least = 0, most = 0;
    if (comm->size == 1)
        return KN_OK;
    kn_comm_broadcast(comm, 0, &model->message, sizeof model->message);
    enum kn_status status = time_message(comm, SHORT, 200, &least);
    if (status == KN_OK)
        status = time_message(comm, (size_t)model->message, 20, &most);
    model->measured = (struct kn_scaling_network){
        "as measured here", least, (double)(model->message - SHORT) / fmax(most - least, 1e-9)};
    return status;
}

/* -------------------------------------------------------------------- the model */

static double copies(const struct kn_scaling_model *model, const struct kn_scaling_line *line)
{
    return 2 * (double)line->bytes / model->copy_rate;
}

static double messages(const struct kn_scaling_network *network, const struct kn_scaling_line *line)
{
    return (double)line->messages * network->latency + (double)line->bytes / network->rate;
}

double kn_bench_exchange(const struct kn_scaling_model *model, const struct kn_scaling_network *network,
                         const struct kn_scaling_line *line)
{
    return copies(model, line) + messages(network, line);
}

/* ---------------------------------------------------------------- without ranks */

/* A factor of the ranks goes to the axis that is shortest so far, the largest factors first; of
 * equal ones to the last, along which boxes are slabs. */
void kn_bench_enlarge(struct kn_case *c, int ranks)
{
    int factor;
    while (ranks > 1) {
        int axis = -1;
        for (factor = ranks; factor > 1; factor--) { /* the largest prime one */
            bool prime = ranks % factor == 0;
            for (int i = 2; i * i <= factor && prime; i++)
                prime = factor % i != 0;
            if (prime)
                break;
        }
        for (int d = 2; d >= 0; d--)
            if (c->space.cells[d] > 1 && (axis < 0 || c->space.cells[d] < c->space.cells[axis]))
                axis = d;
        c->space.cells[axis < 0 ? 0 : axis] *= factor;
        ranks /= factor;
    }
}

static int widest(const struct kn_box *boxes, int count, const struct kn_case *c)
{
    int found = 0;
    for (int i = 1; i < count; i++)
        if (kn_boxes_halo(&boxes[i], c) > kn_boxes_halo(&boxes[found], c))
            found = i;
    return found;
}

/* What one rank of a large job exchanges, found as that rank would find it; `rim` is a part of its cells. */
static enum kn_status survey(const struct kn_case *c, const struct kn_box *boxes,
                             struct kn_scaling_line *line, double *rim)
{
    const struct kn_comm comm = {.rank = widest(boxes, line->ranks, c), .size = line->ranks};
    struct kn_space space = {0};
    struct kn_velocity velocity = {0};
    struct kn_boundary boundary = {0};
    struct kn_halo halo = {0};
    const struct kn_problem p = {.c = c, .space = &space, .velocity = &velocity, .boundary = &boundary};
    enum kn_status status;
    if ((status = kn_space_create(&space, c, &boxes[comm.rank])) == KN_OK &&
        (status = kn_velocity_create(&velocity, c)) == KN_OK &&
        (status = kn_boundary_create(&boundary, c, &velocity)) == KN_OK) {
        const struct kn_mesh mesh = kn_backend_mesh(&p);
        status = kn_halo_survey(&halo, &comm, boxes, &space, &mesh, c->space.order);
    }
    if (status == KN_OK) {
        int64_t waiting = 0;
        for (int cell = 0; cell < space.ncells; cell++)
            waiting += halo.rim[cell];
        line->cells = space.ncells;
        line->bytes = (int64_t)halo.nrecv * halo.stride * (int64_t)sizeof(float);
        line->messages = halo.npeers;
        *rim = (double)waiting / space.ncells;
    }
    kn_halo_destroy(&halo);
    kn_boundary_destroy(&boundary);
    kn_velocity_destroy(&velocity);
    kn_space_destroy(&space);
    return status;
}

static void foresee(struct kn_scaling_model *m, struct kn_scaling_network network)
{
    m->forecasts[m->nforecasts++] = (struct kn_scaling_forecast){
        network,
        kn_bench_exchange(m, &network, &m->many),
        copies(m, &m->many) + fmax(m->inner, messages(&network, &m->many)) + m->rim,
    };
}

enum kn_status kn_bench_forecast(struct kn_scaling *s)
{
    struct kn_scaling_model *m = &s->model;
    struct kn_case c = s->c;
    const struct kn_backend *backend = kn_backend_find(c.run.backend, c.collision.method);
    struct kn_box *boxes = calloc(KN_SCALING_MANY, sizeof *boxes);
    double rim = 0;
    if (!boxes)
        return kn_error_set(KN_EMEMORY, "no memory for %d boxes", KN_SCALING_MANY);
    kn_bench_enlarge(&c, KN_SCALING_MANY);
    m->many = (struct kn_scaling_line){.ranks = KN_SCALING_MANY, .step = s->weak[0].step};
    for (int d = 0; d < 3; d++)
        m->many.whole[d] = c.space.cells[d];
    enum kn_status status = kn_boxes_create(boxes, KN_SCALING_MANY, &c, kn_backend_thinnest(backend, &c));
    if (status == KN_OK)
        status = survey(&c, boxes, &m->many, &rim);
    free(boxes);
    if (status != KN_OK)
        return status;
    m->rim = rim * s->weak[0].step;
    m->inner = (1 - rim) * s->weak[0].step;
    if (m->measured.rate > 0)
        foresee(m, m->measured);
    foresee(m, ASSUMED);
    return KN_OK;
}
