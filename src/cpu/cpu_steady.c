/* The steady-state solver on the CPU: memory, threads and passes; the loops are in cpu_steady_rows.c. */
#include "cpu/cpu_steady.h"
#include "cpu/cpu_kernels.h"
#include "cpu/cpu_steady_ranks.h"

#include "comm/exact.h"
#include "error.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

struct machine {
    const struct kn_steady_plan *plan;
    const struct kn_cpu_steady_kernels *kernels;
    const struct kn_cpu_kernels *all;
    struct kn_cpu_propagators propagators; /* of the operator at a finite disturbance */
    struct kn_collisions step;
    struct kn_mesh mesh;
    const struct kn_comm *comm;
    struct kn_cpu_ranks *ranks; /* NULL: no other rank has cells */
    int threads, count;
    double **vectors;  /* [count] of [ncells][nnodes] */
    double *outgoing;  /* [kn_volumes_rows][nnodes] */
    double *frequency; /* [stride] nu, 1 in the padding */
    double *nothing;   /* [stride] zeros */
    double *sums;      /* [KN_STEADY_PRODUCTS][ncells] */
    struct kn_exact exact[KN_STEADY_PRODUCTS];
    int *items;      /* [threads] of a sweep */
    double *scratch; /* [threads][scratch_size] */
    size_t scratch_size;
};

static bool is_operator(const struct kn_problem *p)
{
    return p->c->disturbance > 0 && p->c->collision.method == KN_METHOD_OPERATOR;
}

/* Doubles per thread. */
static size_t scratch_size(const struct kn_problem *p)
{
    const struct kn_velocity *v = p->velocity;
    const size_t single =
        KN_STEADY_BLOCK * (size_t)v->nnodes + kn_cpu_scratch_size(p->c, v, KN_CPU_MOST_LANES);
    const size_t twice = p->c->disturbance > 0 ? 2 * KN_STEADY_BLOCK * (size_t)v->nnodes : 0;
    return kn_steady_rows_size(v) + (is_operator(p) ? (single + 1) / 2 : 0) + twice;
}

static double memory(const struct kn_problem *p, int vectors)
{
    const double rows = (double)vectors * p->space->ncells +
                        (double)kn_volumes_rows(&p->space->volumes, p->space->nfaces),
                 scratch = (double)p->threads * (double)scratch_size(p);
    return sizeof(double) *
               (rows * p->velocity->nnodes + scratch + (double)KN_STEADY_PRODUCTS * p->space->ncells) +
           kn_cpu_ranks_memory(p);
}

static void destroy(void *of)
{
    struct machine *m = of;
    if (!m)
        return;
    for (int i = 0; i < m->count && m->vectors; i++)
        free(m->vectors[i]);
    free(m->vectors);
    free(m->outgoing);
    free(m->frequency);
    free(m->nothing);
    free(m->sums);
    free(m->items);
    kn_cpu_ranks_destroy(m->ranks);
    free(m->scratch);
    if (m->step.propagator)
        kn_cpu_propagators_destroy(&m->propagators);
    free(m);
}

static enum kn_status allocate(struct machine *m)
{
    const struct kn_problem *p = m->plan->problem;
    const size_t ncells = (size_t)p->space->ncells, nnodes = (size_t)p->velocity->nnodes,
                 stride = (size_t)p->velocity->stride,
                 rows = kn_volumes_rows(&p->space->volumes, p->space->nfaces);
    bool complete = (m->vectors = calloc((size_t)m->count, sizeof *m->vectors)) != NULL;
    for (int i = 0; i < m->count && complete; i++)
        complete = (m->vectors[i] = kn_cpu_aligned(ncells * nnodes, sizeof(double))) != NULL;
    m->scratch_size = scratch_size(p);
    m->outgoing = kn_cpu_aligned(rows * nnodes + 1, sizeof(double));
    m->frequency = kn_cpu_aligned(stride, sizeof(double));
    m->nothing = kn_cpu_aligned(stride, sizeof(double));
    m->sums = malloc(KN_STEADY_PRODUCTS * ncells * sizeof *m->sums);
    m->items = malloc((size_t)m->threads * sizeof *m->items);
    m->scratch = kn_cpu_aligned((size_t)m->threads * m->scratch_size, sizeof(double));
    if (!complete || !m->outgoing || !m->frequency || !m->nothing || !m->sums || !m->items || !m->scratch)
        return kn_error_set(KN_EMEMORY, "no memory for %.3g GB of the steady-state solver",
                            memory(p, m->count) / 1e9);
    memset(m->nothing, 0, stride * sizeof *m->nothing);
    memset(m->outgoing, 0, rows * nnodes * sizeof *m->outgoing);
    for (size_t k = 0; k < stride; k++)
        m->frequency[k] = k < (size_t)p->velocity->size ? m->plan->frequency[k] : 1;
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (size_t cell = 0; cell < ncells; cell++)
        for (int i = 0; i < m->count; i++)
            memset(m->vectors[i] + cell * nnodes, 0, nnodes * sizeof(double));
    return KN_OK;
}

/* A step so short that (exp(L dt) - 1) / dt is L, without loss of digits. */
static enum kn_status prepare_step(struct machine *m)
{
    const struct kn_problem *p = m->plan->problem;
    const double dt = 1e-7;
    if (!is_operator(p))
        return KN_OK;
    const enum kn_status status = kn_cpu_propagators_create(&m->propagators, p);
    if (status != KN_OK) {
        kn_cpu_propagators_destroy(&m->propagators);
        return status;
    }
    m->step = (struct kn_collisions){.c = p->c,
                                     .velocity = p->velocity,
                                     .plan = p->collision,
                                     .dt = dt,
                                     .quadratic = &m->propagators.quadratic,
                                     .propagator = kn_cpu_propagators_find(&m->propagators, dt)};
    return KN_OK;
}

/* The part of the creation without communication. */
static enum kn_status prepare(struct machine *m, const struct kn_steady_plan *plan, int vectors)
{
    KN_TRY(kn_cpu_kernels_choose(&m->all));
    m->plan = plan;
    m->kernels = m->all->steady;
    m->mesh = kn_backend_mesh(plan->problem);
    m->comm = plan->problem->halo ? plan->problem->halo->comm : &kn_comm_alone;
    m->threads = plan->problem->threads;
    m->count = vectors;
    KN_TRY(allocate(m));
    return prepare_step(m);
}

static enum kn_status create(void **machine, const struct kn_steady_plan *plan, int vectors)
{
    const struct kn_halo *halo = plan->problem->halo;
    struct machine *m = calloc(1, sizeof *m);
    enum kn_status status =
        m ? prepare(m, plan, vectors) : kn_error_set(KN_EMEMORY, "no memory for the steady-state solver");
    status = halo ? kn_comm_agree(halo->comm, status) : status;
    if (status == KN_OK && m)
        status = kn_cpu_ranks_create(&m->ranks, plan);
    *machine = status == KN_OK ? m : NULL;
    if (status != KN_OK)
        destroy(m);
    return status;
}

static size_t row_of(const struct machine *m, int64_t cell)
{
    return (size_t)cell * (size_t)m->mesh.nnodes;
}

static double *scratch_of(const struct machine *m)
{
    return m->scratch + (size_t)omp_get_thread_num() * m->scratch_size;
}

static enum kn_status put(void *machine, int x, int64_t first, int64_t count, const float *rows)
{
    const struct machine *m = machine;
    double *to = m->vectors[x] + row_of(m, first);
    for (size_t i = 0; i < row_of(m, count); i++)
        to[i] = rows[i];
    return KN_OK;
}

static enum kn_status get(void *machine, int x, int64_t first, int64_t count, float *rows)
{
    const struct machine *m = machine;
    const double *from = m->vectors[x] + row_of(m, first);
    for (size_t i = 0; i < row_of(m, count); i++)
        rows[i] = (float)from[i];
    return KN_OK;
}

static struct kn_steady_pass pass_of(const struct machine *m, int x, double data)
{
    return (struct kn_steady_pass){m->plan,
                                   m->mesh,
                                   data,
                                   m->vectors[x],
                                   m->ranks ? m->ranks->rows[0] : NULL,
                                   m->outgoing,
                                   m->all,
                                   m->step.propagator ? &m->step : NULL};
}

/* The rows of other ranks, then the wall pass: all that leaves walls and control volumes, for the cells next
 * to them. */
static struct kn_steady_pass begin_pass(const struct machine *m, int from, double data)
{
    const struct kn_steady_pass s = pass_of(m, from, data);
    const struct kn_space *space = m->plan->problem->space;
    if (m->ranks)
        kn_cpu_ranks_exchange(m->ranks, s.x);
#pragma omp parallel num_threads(m->threads)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < space->volumes.count; i++)
            m->kernels->reconstruct(&s, i, scratch_of(m));
#pragma omp for schedule(static)
        for (int face = 0; face < space->nfaces; face++)
            m->kernels->wall(&s, face, scratch_of(m));
#pragma omp for schedule(static)
        for (int i = 0; i < space->volumes.nlinks; i++)
            m->kernels->link(&s, i);
    }
    return s;
}

static void pass(const struct machine *m, int from, int to, double data)
{
    const struct kn_steady_pass s = begin_pass(m, from, data);
    const int ncells = m->plan->problem->space->ncells;
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (int first = 0; first < ncells; first += KN_STEADY_BLOCK)
        m->kernels->cells(&s, first, ncells - first < KN_STEADY_BLOCK ? ncells - first : KN_STEADY_BLOCK,
                          m->vectors[to] + row_of(m, first), scratch_of(m));
}

static enum kn_status residual(void *machine, int from, int to)
{
    pass(machine, from, to, 1);
    return KN_OK;
}

static enum kn_status apply(void *machine, int from, int to)
{
    pass(machine, from, to, 0);
    return KN_OK;
}

static enum kn_status combine(void *machine, int to, double scale, int count, const int *x,
                              const double *factors)
{
    const struct machine *m = machine;
    const int ncells = m->plan->problem->space->ncells;
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (int cell = 0; cell < ncells; cell++) {
        double *row = m->vectors[to] + row_of(m, cell);
        if (count == 0)
            m->kernels->combine(m->mesh.nnodes, scale, row, 0, NULL);
        for (int i = 0; i < count; i++)
            m->kernels->combine(m->mesh.nnodes, i == 0 ? scale : 1, row, factors[i],
                                m->vectors[x[i]] + row_of(m, cell));
    }
    return KN_OK;
}

/* The kernels read the emission of the problem directly. */
static enum kn_status set_walls(void *machine)
{
    (void)machine;
    return KN_OK;
}

static enum kn_status fluxes(void *machine, int x, double *to)
{
    const struct machine *m = machine;
    const struct kn_steady_pass s = begin_pass(m, x, 1);
    const struct kn_space *space = m->plan->problem->space;
    const int nfaces = space->nfaces, nfacets = space->volumes.nfacets;
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (int face = 0; face < nfaces; face++)
        m->kernels->flux(&s, face, to + (size_t)face * KN_FLUXES, scratch_of(m));
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (int i = 0; i < nfacets; i++)
        m->kernels->facet(&s, i, to + (size_t)(nfaces + i) * KN_FLUXES);
    return KN_OK;
}

static void sweep_item(const struct machine *m, const struct kn_steady_sweep *s, int item)
{
    const int groups = m->mesh.stride / KN_STEADY_GROUP;
    m->kernels->sweep(s, item / groups, item % groups * KN_STEADY_GROUP, KN_STEADY_GROUP);
}

/* The items whose upwind rows have arrived, until all are computed. */
static void sweep_ranks(const struct machine *m, const struct kn_steady_sweep *s)
{
    kn_cpu_ranks_begin(m->ranks);
    for (int count; (count = kn_cpu_ranks_next(m->ranks, m->items)) > 0;) {
#pragma omp parallel for schedule(dynamic) num_threads(m->threads) if (count > 1)
        for (int i = 0; i < count; i++) {
            kn_cpu_ranks_receive(m->ranks, m->items[i]);
            sweep_item(m, s, m->items[i]);
            kn_cpu_ranks_send(m->ranks, m->items[i], s->to);
        }
        kn_cpu_ranks_post(m->ranks, m->items, count);
    }
    kn_cpu_ranks_end(m->ranks);
}

/* Octants and groups of nodes are independent of each other. */
static enum kn_status sweep(void *machine, double omega, const int from[2], const int to[2])
{
    const struct machine *m = machine;
    struct kn_steady_sweep s = {
        .plan = m->plan, .mesh = m->mesh, .omega = omega, .frequency = m->frequency, .nothing = m->nothing};
    s.mesh.neighbour = m->plan->upwind;
    for (int part = 0; part < (omega != 0 ? 2 : 1); part++) {
        s.from[part] = m->vectors[from[part]];
        s.to[part] = m->vectors[to[part]];
        s.halo[part] = m->ranks ? m->ranks->rows[part] : NULL;
    }
    if (m->ranks) {
        sweep_ranks(m, &s);
        return KN_OK;
    }
#pragma omp parallel for schedule(dynamic) num_threads(m->threads)
    for (int item = 0; item < m->mesh.octants * (m->mesh.stride / KN_STEADY_GROUP); item++)
        sweep_item(m, &s, item);
    return KN_OK;
}

static enum kn_status project(void *machine, int x, double *moments)
{
    const struct machine *m = machine;
    const int ncells = m->plan->problem->space->ncells, n = m->plan->functions + 1;
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (int cell = 0; cell < ncells; cell++)
        m->kernels->project(m->plan, m->vectors[x] + row_of(m, cell), moments + (size_t)cell * (size_t)n,
                            scratch_of(m));
    return KN_OK;
}

static enum kn_status exceed(void *machine, int x, int g, double *moments)
{
    const struct machine *m = machine;
    const struct kn_steady_pass s = pass_of(m, x, 1);
    const int ncells = m->plan->problem->space->ncells;
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (int first = 0; first < ncells; first += KN_STEADY_BLOCK)
        m->kernels->exceed(&s, m->vectors[g], first,
                           ncells - first < KN_STEADY_BLOCK ? ncells - first : KN_STEADY_BLOCK, moments,
                           scratch_of(m));
    return KN_OK;
}

static enum kn_status lift(void *machine, int x, const double *coefficients, bool all, int to)
{
    const struct machine *m = machine;
    const int ncells = m->plan->problem->space->ncells, n = m->plan->functions;
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (int cell = 0; cell < ncells; cell++) {
        double *by = scratch_of(m);
        memset(by, 0, (size_t)m->mesh.nnodes * sizeof *by);
        m->kernels->prolong(m->plan, coefficients + (size_t)cell * (size_t)n, by);
        m->kernels->lift(m->plan, m->vectors[x] + row_of(m, cell), by, all, m->vectors[to] + row_of(m, cell),
                         by + m->mesh.nnodes);
    }
    return KN_OK;
}

static enum kn_status prolong(void *machine, const double *coefficients, int to)
{
    const struct machine *m = machine;
    const int ncells = m->plan->problem->space->ncells, n = m->plan->functions;
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (int cell = 0; cell < ncells; cell++)
        m->kernels->prolong(m->plan, coefficients + (size_t)cell * (size_t)n,
                            m->vectors[to] + row_of(m, cell));
    return KN_OK;
}

/* The weight of each node of an octant in the products of a cell. */
static void find_weights(const struct machine *m, int cell, bool scaled, double *weight)
{
    const struct kn_velocity *v = m->plan->problem->velocity;
    const double volume = m->plan->volume[cell];
    for (int k = 0; k < v->size; k++) {
        double diagonal = m->frequency[k];
        for (int i = 0; i < m->mesh.naxes; i++)
            diagonal += v->speed[m->mesh.axes[i]][k] / (double)kn_mesh_width(&m->mesh, cell, m->mesh.axes[i]);
        weight[k] = volume * v->mass[k] / (scaled ? diagonal * diagonal : 1);
    }
}

/* The sums over cells are exact before they are rounded, for any number of threads and ranks. */
static enum kn_status products(void *machine, int a, int count, const int *x, bool scaled, double *to)
{
    struct machine *m = machine;
    const struct kn_velocity *v = m->plan->problem->velocity;
    const int ncells = m->plan->problem->space->ncells;
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (int cell = 0; cell < ncells; cell++) {
        double *weight = scratch_of(m);
        find_weights(m, cell, scaled, weight);
        for (int i = 0; i < count; i++)
            m->sums[(size_t)i * (size_t)ncells + (size_t)cell] = m->kernels->product(
                v, weight, m->vectors[a] + row_of(m, cell), m->vectors[x[i]] + row_of(m, cell));
    }
    memset(m->exact, 0, sizeof m->exact);
#pragma omp parallel for schedule(static) num_threads(m->threads)
    for (int i = 0; i < count; i++)
        kn_exact_add_all(&m->exact[i], m->sums + (size_t)i * (size_t)ncells, ncells);
    kn_exact_sum_ranks(m->comm, m->exact, count);
    for (int i = 0; i < count; i++)
        to[i] = kn_exact_value(&m->exact[i]);
    return KN_OK;
}

const struct kn_steady_backend kn_cpu_steady = {
    .ranks = true,
    .create = create,
    .destroy = destroy,
    .memory = memory,
    .put = put,
    .get = get,
    .residual = residual,
    .apply = apply,
    .fluxes = fluxes,
    .set_walls = set_walls,
    .sweep = sweep,
    .project = project,
    .exceed = exceed,
    .lift = lift,
    .prolong = prolong,
    .products = products,
    .combine = combine,
};
