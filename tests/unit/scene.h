/* The plans of a case for the backends, and the list of machines to test. */
#ifndef SCENE_H
#define SCENE_H

#include "expect.h"

#include "config/case.h"
#include "cpu/cpu_kernels.h"
#include "grid/emission.h"
#include "oracle.h"

/* ------------------------------------------------------------------ machines */

/* One machine to test: a backend and, for the CPU, an instruction set. */
struct target {
    const struct kn_backend *backend;
    const char *isa;
};

static const char *const ISAS[] = {"baseline", "v3", "v4"};
static struct target targets[8];
static int ntargets;

/* All machines of this build that run on this processor. */
static int find_targets(void **state)
{
    (void)state;
    for (int i = 0; kn_backend_names[i]; i++) {
        const struct kn_backend *backend = kn_backend_find(kn_backend_names[i], KN_METHOD_BGK);
        if (strcmp(kn_backend_names[i], "auto") == 0)
            continue;
        if (!backend)
            return -1;
        if (backend->available() != KN_OK)
            continue;
        if (strcmp(backend->name, "cpu") != 0)
            targets[ntargets++] = (struct target){backend, NULL};
        for (int k = 0; k < 3 && strcmp(backend->name, "cpu") == 0; k++)
            if (kn_cpu_kernels_find(ISAS[k]))
                targets[ntargets++] = (struct target){backend, ISAS[k]};
    }
    return ntargets > 0 ? 0 : -1;
}

/* ------------------------------------------------------------------ problems */

/* The plans of a case, with a pseudo-random state. */
struct scene {
    struct kn_case c;
    struct kn_space space;
    struct kn_velocity velocity;
    struct kn_boundary boundary;
    struct kn_collision_plan collision;
    struct kn_problem problem;
    size_t rows;                /* floats of the whole state */
    float *h, *next, *expected; /* [cells][nodes] */
    double *density, *fluxes;   /* [faces], [faces][KN_FLUXES] */
};

static void build(struct scene *s, const char *settings)
{
    uint64_t seed = 42;
    expect_case(&s->c, "collision.method=monte-carlo velocity.grid=gauss velocity.nodes=16 time.end=8");
    expect_set(&s->c, settings);
    expect_ok(kn_case_check(&s->c));
    expect_ok(kn_velocity_create(&s->velocity, &s->c));
    expect_ok(kn_space_create(&s->space, &s->c, NULL));
    expect_ok(kn_boundary_create(&s->boundary, &s->c, &s->space, &s->velocity));
    expect_ok(kn_emission_create(&s->boundary));
    expect_ok(kn_collision_create(&s->collision, &s->c, &s->velocity, &kn_comm_alone, NULL, NULL));
    s->problem = (struct kn_problem){&s->c, &s->space, &s->velocity, &s->boundary, &s->collision, 2, NULL};
    s->rows = (size_t)s->space.ncells * (size_t)s->velocity.nnodes;
    s->h = calloc(s->rows, sizeof *s->h);
    s->next = calloc(s->rows, sizeof *s->next);
    s->expected = calloc(s->rows, sizeof *s->expected);
    s->density = calloc((size_t)s->space.nfaces + 1, sizeof *s->density);
    s->fluxes = calloc((kn_space_fluxes(&s->space) + 1) * KN_FLUXES, sizeof *s->fluxes);
    for (size_t i = 0; i < s->rows; i++)
        if ((int)(i % (size_t)s->velocity.stride) < s->velocity.size)
            s->h[i] = (float)expect_random(&seed);
}

/* A step that fills the cells to 0.9 of the Courant limit. */
static inline double long_step(const struct scene *s)
{
    double rate = 0;
    for (int i = 0; i < s->space.naxes; i++)
        rate += s->velocity.max_speed[s->space.axes[i]] / kn_case_narrowest_cell(&s->c, s->space.axes[i]);
    return 0.9 / rate;
}

static void drop(struct scene *s)
{
    free(s->h);
    free(s->next);
    free(s->expected);
    free(s->density);
    free(s->fluxes);
    kn_collision_destroy(&s->collision);
    kn_boundary_destroy(&s->boundary);
    kn_space_destroy(&s->space);
    kn_velocity_destroy(&s->velocity);
}

static inline void *start(struct scene *s, const struct target *t)
{
    void *machine;
    if (t->isa)
        setenv("KNUDSEN_ISA", t->isa, 1);
    expect_ok(t->backend->create(&machine, &s->problem));
    unsetenv("KNUDSEN_ISA");
    expect_ok(t->backend->set_walls(machine));
    expect_ok(t->backend->put(machine, 0, s->space.ncells, s->h));
    return machine;
}

static inline void finish(struct scene *s, const struct target *t, void *machine)
{
    expect_ok(t->backend->get(machine, 0, s->space.ncells, s->next));
    t->backend->destroy(machine);
}

/* Largest difference from the expected state, divided by the size of the state. */
static inline void compare(const struct scene *s, const char *what, const struct target *t,
                           const char *settings, double tolerance)
{
    double worst = 0, size = 1;
    for (size_t i = 0; i < s->rows; i++) {
        if ((int)(i % (size_t)s->velocity.stride) >= s->velocity.size)
            continue;
        size = fmax(size, fabs(s->expected[i]));
        worst = fmax(worst, isfinite(s->next[i]) ? fabs(s->next[i] - s->expected[i]) : INFINITY);
    }
    char text[700];
    snprintf(text, sizeof text, "%s on %s %s, %s", what, t->backend->name, t->isa ? t->isa : "", settings);
    expect_below(text, worst / size, tolerance);
}

#endif
