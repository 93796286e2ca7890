/* The correction of the moments: memory, the masses of regions, and the local state of a strong disturbance.
 */
#include "steady/correction.h"

#include "error.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double THIN = 4;    /* mean free paths */
static const double STRONG = 20; /* disturbance times mean free paths */

static void find_volumes(struct kn_correction *s)
{
    const struct kn_steady_plan *p = s->whole->plan;
    for (size_t cell = 0; cell < kn_whole_cells(s->whole); cell++)
        if (p->region[cell] >= 0)
            s->volume[p->region[cell]] += p->volume[cell];
}

/* The mass of moments and coefficients together in every region. */
static void find_masses(const struct kn_correction *s, double *mass)
{
    const struct kn_steady_plan *p = s->whole->plan;
    const size_t n = (size_t)p->functions;
    const double unit = 1 / p->trial[0]; /* <1, phi_0> */
    memset(mass, 0, (size_t)p->regions * sizeof *mass);
    for (size_t cell = 0; cell < kn_whole_cells(s->whole); cell++)
        if (p->region[cell] >= 0)
            mass[p->region[cell]] += p->volume[cell] * (s->all.moments[0][cell * (n + 1) + n] +
                                                        unit * s->all.coefficients[0][cell * n]);
}

/* Length of an axis in mean free paths. */
static double length_of(const struct kn_correction *s, int axis)
{
    const struct kn_space *x = s->plan->problem->space;
    return s->plan->rate * (x->edges[axis][x->whole[axis]] - x->edges[axis][0]);
}

/* True if molecules cross the box of a plane or spatial flow with so few collisions that sweeps alone
 * converge as fast, and no axis is periodic, and all surfaces absorb. */
static bool is_thin(const struct kn_correction *s)
{
    const struct kn_problem *p = s->whole->plan->problem;
    bool thin = p->space->naxes > 1;
    for (int i = 0; i < p->space->naxes; i++) {
        const int axis = p->space->axes[i];
        thin = thin && length_of(s, axis) < THIN && p->c->walls[2 * axis].kind != KN_WALL_PERIODIC;
    }
    for (int face = 0; face < p->space->nfaces && thin; face++) {
        const struct kn_patch *patch = &p->boundary->patches[p->space->faces[face].patch];
        thin = patch->emits && patch->alpha * patch->replaces > 0.5f && !patch->matrices;
    }
    return thin;
}

/* The moment equations.  The machine solves them if it can.  They are solved here at a finite
 * disturbance, where the mass depends on the solution, for complex numbers, and of several ranks. */
static enum kn_status create_coarse(struct kn_correction *s)
{
    const struct kn_case *c = s->plan->problem->c;
    struct kn_steady_equations equations = {0};
    s->solves = c->collision.method != KN_METHOD_NONE && !is_thin(s);
    if (s->solves) {
        KN_TRY(kn_coarse_create(&s->coarse, s->whole->plan, s->omega));
        equations = kn_coarse_equations(&s->coarse);
    }
    if (s->backend->factorise && c->disturbance == 0 && s->omega == 0 && s->whole->plan->regions == 1)
        KN_TRY(s->backend->factorise(s->machine, s->solves ? &equations : NULL, &s->corrects));
    return s->corrects || !s->solves ? KN_OK : kn_coarse_factorise(&s->coarse);
}

static bool allocate_numbers(const struct kn_correction *s, size_t ncells, struct kn_cell_numbers *to)
{
    const size_t n = (size_t)s->plan->functions;
    bool complete = true;
    for (int part = 0; part < s->parts; part++) {
        to->moments[part] = calloc(ncells * (n + 1) + 1, sizeof *to->moments[part]);
        to->coefficients[part] = calloc(ncells * n + 1, sizeof *to->coefficients[part]);
        complete = complete && to->moments[part] && to->coefficients[part];
    }
    return complete;
}

static enum kn_status allocate(struct kn_correction *s)
{
    const size_t ncells = (size_t)s->plan->problem->space->ncells, n = (size_t)s->plan->functions,
                 regions = s->whole->plan ? (size_t)s->whole->plan->regions + 1 : 1;
    bool complete = allocate_numbers(s, ncells, &s->own);
    if (s->whole->plan == s->plan)
        s->all = s->own;
    else if (s->whole->plan)
        complete = allocate_numbers(s, kn_whole_cells(s->whole), &s->all) && complete;
    s->mass = calloc(regions, sizeof *s->mass);
    s->volume = calloc(regions, sizeof *s->volume);
    s->surplus = calloc(regions, sizeof *s->surplus);
    s->excess = s->strong ? calloc(ncells * (n + 1), sizeof *s->excess) : NULL;
    if (!complete || !s->mass || !s->volume || !s->surplus || (s->strong && !s->excess))
        return kn_error_set(KN_EMEMORY, "no memory for the moments of %zu cells", ncells);
    find_volumes(s);
    return KN_OK;
}

enum kn_status kn_correction_create(struct kn_correction *s, const struct kn_whole *whole,
                                    const struct kn_steady_backend *backend, void *machine, double omega)
{
    const struct kn_steady_plan *plan = whole->own;
    const struct kn_space *x = plan->problem->space;
    double longest = 0;
    *s = (struct kn_correction){.whole = whole,
                                .plan = plan,
                                .backend = backend,
                                .machine = machine,
                                .omega = omega,
                                .parts = omega != 0 ? 2 : 1};
    for (int i = 0; i < x->naxes; i++)
        longest = fmax(longest, length_of(s, x->axes[i]));
    s->strong = plan->problem->c->collision.method != KN_METHOD_NONE &&
                plan->problem->c->disturbance * longest > STRONG;
    enum kn_status status = allocate(s);
    if (status == KN_OK && whole->plan)
        status = create_coarse(s);
    kn_comm_broadcast(whole->comm, 0, &s->solves, sizeof s->solves);
    return kn_comm_agree(whole->comm, status);
}

static void free_numbers(const struct kn_cell_numbers *numbers)
{
    for (int part = 0; part < 2; part++) {
        free(numbers->moments[part]);
        free(numbers->coefficients[part]);
    }
}

void kn_correction_destroy(struct kn_correction *s)
{
    kn_coarse_destroy(&s->coarse);
    if (s->all.moments[0] != s->own.moments[0])
        free_numbers(&s->all);
    free_numbers(&s->own);
    free(s->excess);
    free(s->mass);
    free(s->volume);
    free(s->surplus);
}

static void gather_moments(struct kn_correction *s)
{
    for (int part = 0; part < s->parts; part++)
        kn_whole_gather(s->whole, s->plan->functions + 1, s->own.moments[part], s->all.moments[part]);
}

enum kn_status kn_correction_start(struct kn_correction *s)
{
    KN_TRY(s->backend->project(s->machine, KN_STEADY_SOLUTION, s->own.moments[0]));
    gather_moments(s);
    if (s->whole->plan)
        find_masses(s, s->mass);
    return KN_OK;
}

/* Subtract the mass of a change in every closed region.  Returns what a finite disturbance subtracts in
 * addition to a constant density: a multiple of the solution, if there is one region.  The solution of
 * several regions is the same, with a constant density alone. */
static double remove_mass(struct kn_correction *s)
{
    const struct kn_steady_plan *p = s->whole->plan;
    const double multiple = p->regions == 1 ? p->problem->c->disturbance : 0;
    find_masses(s, s->surplus);
    for (int i = 0; i < p->regions; i++)
        s->surplus[i] =
            s->omega == 0 && p->closed[i] ? s->surplus[i] / (s->volume[i] + multiple * s->mass[i]) : 0;
    for (size_t cell = 0; cell < kn_whole_cells(s->whole); cell++)
        if (p->region[cell] >= 0)
            s->all.coefficients[0][cell * (size_t)p->functions] -= s->surplus[p->region[cell]] * p->trial[0];
    return multiple * s->surplus[0];
}

/* Add the collisions of a change about the solution, which L does not have, to the moments. */
static enum kn_status add_excess(struct kn_correction *s, int change)
{
    const size_t count = (size_t)s->plan->problem->space->ncells * (size_t)(s->plan->functions + 1);
    KN_TRY(s->backend->exceed(s->machine, KN_STEADY_SOLUTION, change, s->excess));
    for (size_t i = 0; i < count; i++)
        s->own.moments[0][i] += s->excess[i];
    return KN_OK;
}

/* excess[ncells][functions][functions + 1] of a small change along each trial function, divided by it. */
static enum kn_status find_excess(struct kn_correction *s, int space, double *excess)
{
    const double small = 0.01;
    const size_t ncells = (size_t)s->plan->problem->space->ncells, n = (size_t)s->plan->functions;
    for (size_t g = 0; g < n; g++) {
        memset(s->own.coefficients[0], 0, ncells * n * sizeof *s->own.coefficients[0]);
        for (size_t cell = 0; cell < ncells; cell++)
            s->own.coefficients[0][cell * n + g] = s->plan->volume[cell] > 0 ? small : 0;
        KN_TRY(s->backend->combine(s->machine, space, 0, 0, NULL, NULL));
        KN_TRY(s->backend->prolong(s->machine, s->own.coefficients[0], space));
        KN_TRY(s->backend->exceed(s->machine, KN_STEADY_SOLUTION, space, s->excess));
        for (size_t cell = 0; cell < ncells; cell++)
            for (size_t f = 0; f <= n; f++)
                excess[(cell * n + g) * (n + 1) + f] = s->excess[cell * (n + 1) + f] / small;
    }
    return KN_OK;
}

enum kn_status kn_correction_linearise(struct kn_correction *s, int space)
{
    const struct kn_whole *w = s->whole;
    const size_t n = (size_t)s->plan->functions, size = n * (n + 1) * sizeof(double);
    double *own = calloc((size_t)s->plan->problem->space->ncells, size),
           *all = w->plan == s->plan ? own : calloc(kn_whole_cells(w) + 1, size);
    enum kn_status status = own && all ? find_excess(s, space, own)
                                       : kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    status = kn_comm_agree(w->comm, status);
    if (status == KN_OK)
        kn_whole_gather(w, (int)(n * (n + 1)), own, all);
    const int usual = openblas_get_num_threads();
    openblas_set_num_threads(1); /* the same bits for any number of threads */
    if (status == KN_OK && w->plan)
        status = kn_coarse_linearise(&s->coarse, all);
    openblas_set_num_threads(usual);
    free(all == own ? NULL : all);
    free(own);
    s->linearised++;
    return kn_comm_agree(w->comm, status);
}

/* The coefficients of all cells; returns a multiple of the solution that is subtracted, too. */
static double solve(struct kn_correction *s)
{
    const int usual = openblas_get_num_threads();
    for (int part = 0; part < s->parts; part++)
        memset(s->all.coefficients[part], 0,
               kn_whole_cells(s->whole) * (size_t)s->plan->functions * sizeof *s->all.coefficients[part]);
    openblas_set_num_threads(1);
    if (s->solves)
        kn_coarse_solve(&s->coarse, s->all.moments, s->all.coefficients);
    openblas_set_num_threads(usual);
    return remove_mass(s);
}

enum kn_status kn_correction_apply(struct kn_correction *s, const int change[2])
{
    if (s->corrects)
        return s->backend->correct(s->machine, change[0]);
    for (int part = 0; part < s->parts; part++)
        KN_TRY(s->backend->project(s->machine, change[part], s->own.moments[part]));
    if (s->linearised > 0)
        KN_TRY(add_excess(s, change[0]));
    gather_moments(s);
    double multiple = s->whole->plan ? solve(s) : 0;
    kn_comm_broadcast(s->whole->comm, 0, &multiple, sizeof multiple);
    for (int part = 0; part < s->parts; part++)
        kn_whole_scatter(s->whole, s->plan->functions, s->all.coefficients[part], s->own.coefficients[part]);
    if (s->solves && s->strong)
        KN_TRY(s->backend->lift(s->machine, KN_STEADY_SOLUTION, s->own.coefficients[0], s->linearised > 0,
                                change[0]));
    for (int part = 0; part < s->parts; part++)
        KN_TRY(s->backend->prolong(s->machine, s->own.coefficients[part], change[part]));
    return multiple != 0 ? s->backend->combine(s->machine, change[0], 1, 1, (int[]){KN_STEADY_SOLUTION},
                                               (double[]){-multiple})
                         : KN_OK;
}
