/* The correction of the moments: memory, the masses of regions, and the local state of a strong disturbance.
 */
#include "steady/correction.h"

#include "error.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double THIN = 1.5;  /* mean free paths */
static const double STRONG = 20; /* disturbance times mean free paths */

static void find_volumes(struct kn_correction *s)
{
    for (int cell = 0; cell < s->plan->problem->space->ncells; cell++)
        if (s->plan->region[cell] >= 0)
            s->volume[s->plan->region[cell]] += s->plan->volume[cell];
}

/* The mass of moments and coefficients together in every region. */
static void find_masses(const struct kn_correction *s, double *mass)
{
    const size_t n = (size_t)s->plan->functions, ncells = (size_t)s->plan->problem->space->ncells;
    const double unit = 1 / s->plan->trial[0]; /* <1, phi_0> */
    memset(mass, 0, (size_t)s->plan->regions * sizeof *mass);
    for (size_t cell = 0; cell < ncells; cell++)
        if (s->plan->region[cell] >= 0)
            mass[s->plan->region[cell]] += s->plan->volume[cell] * (s->moments[0][cell * (n + 1) + n] +
                                                                    unit * s->coefficients[0][cell * n]);
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
    const struct kn_problem *p = s->plan->problem;
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
 * disturbance, where the mass depends on the solution, and for complex numbers. */
static enum kn_status create_coarse(struct kn_correction *s)
{
    const struct kn_case *c = s->plan->problem->c;
    const bool solves = c->collision.method != KN_METHOD_NONE && !is_thin(s);
    struct kn_steady_equations equations = {0};
    if (solves) {
        KN_TRY(kn_coarse_create(&s->coarse, s->plan, s->omega));
        equations = kn_coarse_equations(&s->coarse);
    }
    if (s->backend->factorise && c->disturbance == 0 && s->omega == 0 && s->plan->regions == 1)
        KN_TRY(s->backend->factorise(s->machine, solves ? &equations : NULL, &s->corrects));
    return s->corrects || !solves ? KN_OK : kn_coarse_factorise(&s->coarse);
}

static enum kn_status allocate(struct kn_correction *s)
{
    const struct kn_problem *p = s->plan->problem;
    const size_t ncells = (size_t)p->space->ncells, n = (size_t)s->plan->functions,
                 regions = (size_t)s->plan->regions + 1;
    bool complete = true;
    for (int part = 0; part < s->parts; part++) {
        s->moments[part] = calloc(ncells * (n + 1), sizeof *s->moments[part]);
        s->coefficients[part] = calloc(ncells * n, sizeof *s->coefficients[part]);
        complete = complete && s->moments[part] && s->coefficients[part];
    }
    s->mass = calloc(regions, sizeof *s->mass);
    s->volume = calloc(regions, sizeof *s->volume);
    s->surplus = calloc(regions, sizeof *s->surplus);
    s->excess = s->strong ? calloc(ncells * (n + 1), sizeof *s->excess) : NULL;
    if (!complete || !s->mass || !s->volume || !s->surplus || (s->strong && !s->excess))
        return kn_error_set(KN_EMEMORY, "no memory for the moments of %zu cells", ncells);
    find_volumes(s);
    return KN_OK;
}

enum kn_status kn_correction_create(struct kn_correction *s, const struct kn_steady_plan *plan,
                                    const struct kn_steady_backend *backend, void *machine, double omega)
{
    const struct kn_space *x = plan->problem->space;
    double longest = 0;
    *s = (struct kn_correction){
        .plan = plan, .backend = backend, .machine = machine, .omega = omega, .parts = omega != 0 ? 2 : 1};
    for (int i = 0; i < x->naxes; i++)
        longest = fmax(longest, length_of(s, x->axes[i]));
    s->strong = plan->problem->c->collision.method != KN_METHOD_NONE &&
                plan->problem->c->disturbance * longest > STRONG;
    KN_TRY(allocate(s));
    return create_coarse(s);
}

void kn_correction_destroy(struct kn_correction *s)
{
    kn_coarse_destroy(&s->coarse);
    for (int part = 0; part < 2; part++) {
        free(s->moments[part]);
        free(s->coefficients[part]);
    }
    free(s->excess);
    free(s->mass);
    free(s->volume);
    free(s->surplus);
}

enum kn_status kn_correction_start(struct kn_correction *s)
{
    KN_TRY(s->backend->project(s->machine, KN_STEADY_SOLUTION, s->moments[0]));
    find_masses(s, s->mass);
    return KN_OK;
}

/* Subtract the mass of a change in every closed region.  Returns what a finite disturbance subtracts in
 * addition to a constant density: a multiple of the solution, if there is one region.  The solution of
 * several regions is the same, with a constant density alone. */
static double remove_mass(struct kn_correction *s)
{
    const double multiple = s->plan->regions == 1 ? s->plan->problem->c->disturbance : 0;
    find_masses(s, s->surplus);
    for (int i = 0; i < s->plan->regions; i++)
        s->surplus[i] =
            s->omega == 0 && s->plan->closed[i] ? s->surplus[i] / (s->volume[i] + multiple * s->mass[i]) : 0;
    for (int cell = 0; cell < s->plan->problem->space->ncells; cell++)
        if (s->plan->region[cell] >= 0)
            s->coefficients[0][(size_t)cell * (size_t)s->plan->functions] -=
                s->surplus[s->plan->region[cell]] * s->plan->trial[0];
    return multiple * s->surplus[0];
}

/* Add the collisions of a change about the solution, which L does not have, to the moments. */
static enum kn_status add_excess(struct kn_correction *s, int change)
{
    const size_t count = (size_t)s->plan->problem->space->ncells * (size_t)(s->plan->functions + 1);
    KN_TRY(s->backend->exceed(s->machine, KN_STEADY_SOLUTION, change, s->excess));
    for (size_t i = 0; i < count; i++)
        s->moments[0][i] += s->excess[i];
    return KN_OK;
}

enum kn_status kn_correction_linearise(struct kn_correction *s, int space)
{
    const double small = 0.01;
    const size_t ncells = (size_t)s->plan->problem->space->ncells, n = (size_t)s->plan->functions;
    double *excess = malloc(ncells * n * (n + 1) * sizeof *excess);
    if (!excess)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    enum kn_status status = KN_OK;
    for (size_t g = 0; g < n && status == KN_OK; g++) {
        memset(s->coefficients[0], 0, ncells * n * sizeof *s->coefficients[0]);
        for (size_t cell = 0; cell < ncells; cell++)
            s->coefficients[0][cell * n + g] = s->plan->region[cell] >= 0 ? small : 0;
        status = s->backend->combine(s->machine, space, 0, 0, NULL, NULL);
        if (status == KN_OK)
            status = s->backend->prolong(s->machine, s->coefficients[0], space);
        if (status == KN_OK)
            status = s->backend->exceed(s->machine, KN_STEADY_SOLUTION, space, s->excess);
        for (size_t cell = 0; cell < ncells; cell++)
            for (size_t f = 0; f <= n; f++)
                excess[(cell * n + g) * (n + 1) + f] = s->excess[cell * (n + 1) + f] / small;
    }
    if (status == KN_OK)
        status = kn_coarse_linearise(&s->coarse, excess);
    free(excess);
    s->linearised++;
    return status;
}

enum kn_status kn_correction_apply(struct kn_correction *s, const int change[2])
{
    const struct kn_problem *p = s->plan->problem;
    if (s->corrects)
        return s->backend->correct(s->machine, change[0]);
    for (int part = 0; part < s->parts; part++) {
        KN_TRY(s->backend->project(s->machine, change[part], s->moments[part]));
        memset(s->coefficients[part], 0,
               (size_t)p->space->ncells * (size_t)s->plan->functions * sizeof *s->coefficients[part]);
    }
    if (s->linearised > 0)
        KN_TRY(add_excess(s, change[0]));
    if (s->coarse.plan) {
        const int usual = openblas_get_num_threads();
        openblas_set_num_threads(1);
        kn_coarse_solve(&s->coarse, s->moments, s->coefficients);
        openblas_set_num_threads(usual);
    }
    const double multiple = remove_mass(s);
    if (s->coarse.plan && s->strong)
        KN_TRY(s->backend->lift(s->machine, KN_STEADY_SOLUTION, s->coefficients[0], s->linearised > 0,
                                change[0]));
    for (int part = 0; part < s->parts; part++)
        KN_TRY(s->backend->prolong(s->machine, s->coefficients[part], change[part]));
    return multiple != 0 ? s->backend->combine(s->machine, change[0], 1, 1, (int[]){KN_STEADY_SOLUTION},
                                               (double[]){-multiple})
                         : KN_OK;
}
