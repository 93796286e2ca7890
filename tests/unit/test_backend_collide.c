/* Collisions on every backend and every instruction set of the CPU: agreement with the plain loops of the
 * oracle. */
#include "scene.h"

static const double STEP = 0.05;

/* The samples of one set in the order of application; omitted samples follow as samples without effect. */
static struct kn_sample *samples_in_order(const struct scene *s, const struct kn_sample_plan *plan,
                                          uint64_t draw)
{
    const int n = s->c.collision.samples;
    struct kn_sample *drawn = calloc((size_t)n, sizeof *drawn), *samples = calloc((size_t)n, sizeof *samples);
    struct kn_sampling_order order;
    for (int i = 0; i < n; i++)
        drawn[i] = kn_sample_make(plan, draw, (uint32_t)i);
    expect_ok(kn_sampling_order_create(&order, &s->c, &s->velocity));
    kn_sampling_arrange(&order, drawn, n, samples);
    kn_sampling_order_destroy(&order);
    free(drawn);
    return samples;
}

/* 2000 samples one after the other in float, in another order of operations;
 * with many samples per node the exponential update damps the round-off. */
static void check_samples(const char *settings)
{
    struct scene s;
    build(&s, settings);
    const struct kn_sample_plan plan = kn_sampling_plan(&s.c, &s.velocity, STEP);
    struct kn_sample *samples = samples_in_order(&s, &plan, 17);
    memcpy(s.expected, s.h, s.rows * sizeof *s.h);
    for (int cell = 0; cell < s.space.ncells; cell++)
        oracle_collide(&s.problem, samples, s.expected + (size_t)cell * s.velocity.nnodes);
    for (int i = 0; i < ntargets; i++) {
        void *machine = start(&s, &targets[i]);
        expect_ok(targets[i].backend->collide(machine, STEP, 17));
        finish(&s, &targets[i], machine);
        compare(&s, "collide", &targets[i], settings, 5e-6);
    }
    free(samples);
    drop(&s);
}

/* 37 cells leave a partial block for 4, 8 and 16 lanes; 3 cells are less than one. */
static void collisions_match_oracle(void **state)
{
    (void)state;
    const char *const spaces[] = {"space.cells=37", "space.cells=3", "space.cells=[3,2]",
                                  "space.cells=[2,3,4]"};
    const char *const grids[] = {"velocity.nodes=6", "velocity.nodes=8 velocity.fold=none",
                                 "velocity.grid=stretched velocity.nodes=10"};
    for (int i = 0; i < 4 * 3 * 2 * 2; i++) {
        char text[512];
        snprintf(text, sizeof text, "collision.samples=2000 collision.estimator=%s disturbance=%g %s %s",
                 i % 2 ? "paper" : "symmetric", i / 2 % 2 ? 0.1 : 0.0, grids[i / 4 % 3], spaces[i / 12]);
        check_samples(text);
    }
}

/* Linearised BGK on 1, 2, 4 and 8 octants against its formula. */
static void linear_bgk_matches_its_formula(void **state)
{
    (void)state;
    const char *const cases[] = {
        "space.cells=1 walls.left.kind=periodic walls.right.kind=periodic",
        "space.cells=5",
        "space.cells=[3,4]",
        "space.cells=[2,3,2]",
        "space.cells=[3,4] velocity.fold=none",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        char text[512];
        snprintf(text, sizeof text, "velocity.nodes=6 collision.method=bgk %s", cases[i]);
        build(&s, text);
        memcpy(s.expected, s.h, s.rows * sizeof *s.h);
        for (int cell = 0; cell < s.space.ncells; cell++)
            oracle_linear_bgk(&s.velocity, STEP, s.expected + (size_t)cell * (size_t)s.velocity.nnodes);
        for (int t = 0; t < ntargets; t++) {
            void *machine = start(&s, &targets[t]);
            expect_ok(targets[t].backend->collide(machine, STEP, 2));
            finish(&s, &targets[t], machine);
            compare(&s, "linear BGK", &targets[t], text, 2e-6);
        }
        drop(&s);
    }
}

/* 37 cells leave a partial block.  Rows of the matrix for nodes of small weight are large. */
static void operator_matches_plain_sums(void **state)
{
    (void)state;
    const char *const cases[] = {"space.cells=1 walls.left.kind=periodic walls.right.kind=periodic",
                                 "space.cells=37",
                                 "space.cells=[3,5]",
                                 "space.cells=[2,3,2]",
                                 "space.cells=[3,4] velocity.fold=none",
                                 "space.cells=[5,4] velocity.nodes=8",
                                 "space.cells=[4,3] velocity.nodes=[6,8,10]"};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct scene s;
        char text[512];
        snprintf(text, sizeof text, "velocity.nodes=6 collision.method=operator disturbance=%g %s",
                 i % 2 ? 0.2 : 0.0, cases[i / 2]);
        build(&s, text);
        memcpy(s.expected, s.h, s.rows * sizeof *s.h);
        for (int cell = 0; cell < s.space.ncells; cell++)
            oracle_operate(&s.problem, STEP, s.expected + (size_t)cell * (size_t)s.velocity.nnodes);
        for (int t = 0; t < ntargets; t++) {
            if (!kn_backend_collides(targets[t].backend, KN_METHOD_OPERATOR))
                continue;
            void *machine = start(&s, &targets[t]);
            expect_ok(targets[t].backend->collide(machine, STEP, 2));
            finish(&s, &targets[t], machine);
            compare(&s, "operator", &targets[t], text, 2e-6);
        }
        drop(&s);
    }
}

/* One step of streaming and collisions on every machine that has the method. */
static void check_step(struct scene *s, const char *name, const char *text, double dt, double tolerance)
{
    for (int t = 0; t < ntargets; t++) {
        if (!kn_backend_collides(targets[t].backend, s->c.collision.method))
            continue;
        const struct kn_step step = {.stream = dt, .collide = STEP};
        void *machine = start(s, &targets[t]);
        expect_ok(targets[t].backend->step(machine, &step));
        finish(s, &targets[t], machine);
        compare(s, name, &targets[t], text, tolerance);
    }
}

/* A uniform gas, in which a step has nothing to stream. */
static void uniform_gas_collides_once(void **state)
{
    (void)state;
    const char *text = "velocity.nodes=6 collision.method=operator space.cells=1 velocity.fold=none "
                       "walls.left.kind=periodic walls.right.kind=periodic";
    struct scene s;
    build(&s, text);
    memcpy(s.expected, s.h, s.rows * sizeof *s.h);
    oracle_operate(&s.problem, STEP, s.expected);
    check_step(&s, "uniform gas", text, 0.1, 2e-6);
    drop(&s);
}

/* Steps of two lengths, as reports cause them, and gaps in the numbers of sets: every machine uses the same
 * set in each step as the first. */
static void sets_of_all_lengths(void **state)
{
    (void)state;
    const char *text = "velocity.nodes=6 space.cells=[5,3] collision.samples=200 disturbance=0.1";
    struct scene s;
    build(&s, text);
    for (int t = 0; t < ntargets; t++) {
        void *machine = start(&s, &targets[t]);
        for (uint64_t draw = 0; draw < 150; draw += draw == 43 ? 57 : 1) {
            const double length = draw % 11 == 3 || draw % 11 == 4 ? 0.5 * STEP : STEP;
            expect_ok(targets[t].backend->collide(machine, length, draw));
        }
        expect_ok(targets[t].backend->collide(machine, STEP, 7)); /* back again */
        finish(&s, &targets[t], machine);
        if (t == 0)
            memcpy(s.expected, s.next, s.rows * sizeof *s.next);
        compare(&s, "sets of all lengths", &targets[t], text, 1e-5);
    }
    drop(&s);
}

/* Boxes with many cells away from walls, for which the GPU has other kernels; short and long rows. */
static const char *const wide_boxes[] = {
    "space.cells=[39,42] walls.top.velocity=[1,0,0] walls.left.accommodation=0.7",
    "space.cells=[47,37] walls.left.kind=symmetry walls.top.kind=periodic walls.bottom.kind=periodic",
    ("space.cells=[41,38] walls.left.kind=inflow walls.left.velocity=[0.4,0.3,0] walls.left.density=0.5 "
     "walls.right.kind=far-field walls.right.gradient.velocity=[0,0.6,0] walls.right.gradient.temperature=1 "
     "walls.bottom.oscillation.velocity=[0,0.5,0] walls.bottom.oscillation.frequency=1")};

static void wide_boxes_stream_and_relax(int order)
{
    const char *const grids[] = {"velocity.nodes=6 space.cells=[106,93]", "velocity.nodes=12",
                                 "velocity.nodes=18"};
    for (int i = 0; i < 3 * 3; i++) {
        struct scene s;
        char text[512];
        if (i % 3 == 2 && i / 3 > 0)
            continue; /* the longest rows are the slowest: one box only */
        snprintf(text, sizeof text, "collision.method=bgk space.order=%d %s %s", order, wide_boxes[i / 3],
                 grids[i % 3]);
        build(&s, text);
        const double dt = long_step(&s);
        oracle_stream(&s.problem, (double)(float)dt, s.h, s.expected, s.density);
        for (int cell = 0; cell < s.space.ncells; cell++)
            oracle_linear_bgk(&s.velocity, STEP, s.expected + (size_t)cell * (size_t)s.velocity.nnodes);
        check_step(&s, "stream and relax", text, dt, 2e-6);
        drop(&s);
    }
}

static void second_order_and_relaxation(void **state)
{
    (void)state;
    wide_boxes_stream_and_relax(2);
}

static void third_order_and_relaxation(void **state)
{
    (void)state;
    wide_boxes_stream_and_relax(3);
}

/* Cubes with many cells away from walls. */
static void cubes_stream_and_relax(void **state)
{
    (void)state;
    const char *const cubes[] =
        {"space.cells=[25,20,18] velocity.nodes=6 walls.top.velocity=[1,0,0.5]",
         "space.cells=[21,22,20] velocity.nodes=8 walls.left.kind=periodic walls.right.kind=periodic "
         "walls.front.kind=specular"},
                      *const orders[] = {"space.order=2", "space.order=2 space.limiter=none",
                                         "space.order=3"};
    for (int i = 0; i < 2 * 3; i++) {
        struct scene s;
        char text[512];
        snprintf(text, sizeof text, "collision.method=bgk %s %s", cubes[i / 3], orders[i % 3]);
        build(&s, text);
        const double dt = long_step(&s);
        oracle_stream(&s.problem, (double)(float)dt, s.h, s.expected, s.density);
        for (int cell = 0; cell < s.space.ncells; cell++)
            oracle_linear_bgk(&s.velocity, STEP, s.expected + (size_t)cell * (size_t)s.velocity.nnodes);
        check_step(&s, "stream and relax", text, dt, 2e-6);
        drop(&s);
    }
}

/* Collisions alone in cells that a march would stream: of the operator, linear and with the quadratic part.
 */
static void wide_boxes_operate(void **state)
{
    (void)state;
    const char *const grids[] = {"space.order=3 velocity.nodes=6", "space.order=2 velocity.nodes=8",
                                 "space.order=3 velocity.nodes=6 disturbance=0.2"};
    for (int i = 0; i < 3; i++) {
        struct scene s;
        char text[512];
        snprintf(text, sizeof text, "collision.method=operator space.cells=[71,64] %s", grids[i]);
        build(&s, text);
        memcpy(s.expected, s.h, s.rows * sizeof *s.h);
        for (int cell = 0; cell < s.space.ncells; cell++)
            oracle_operate(&s.problem, STEP, s.expected + (size_t)cell * (size_t)s.velocity.nnodes);
        for (int t = 0; t < ntargets; t++) {
            void *machine = start(&s, &targets[t]);
            expect_ok(targets[t].backend->collide(machine, STEP, 0));
            finish(&s, &targets[t], machine);
            compare(&s, "operate alone", &targets[t], text, 4e-6);
        }
        drop(&s);
    }
}

/* The operator inside the march, and after streaming on a stretched mesh; linear, and with the quadratic part
 * for rows with and without padding. */
static void wide_boxes_stream_and_operate(void **state)
{
    (void)state;
    const char *const meshes[] = {"space.cells=[71,64]", "space.cells=[23,17] space.stretch=[0.95,1,1]"},
                      *const grids[] = {"space.order=2 velocity.nodes=6", "space.order=3 velocity.nodes=6",
                                        "space.order=2 velocity.nodes=6 disturbance=0.2",
                                        "space.order=3 velocity.nodes=8 disturbance=0.2"};
    for (int i = 0; i < 3 * 2 * 4; i++) {
        struct scene s;
        char text[512];
        if (i / 8 == 2 && i % 4 > 1)
            continue; /* uniform gradients are linear */
        snprintf(text, sizeof text, "collision.method=operator %s %s %s", wide_boxes[i / 8],
                 meshes[i / 4 % 2], grids[i % 4]);
        build(&s, text);
        const double dt = long_step(&s);
        oracle_stream(&s.problem, (double)(float)dt, s.h, s.expected, s.density);
        for (int cell = 0; cell < s.space.ncells; cell++)
            oracle_operate(&s.problem, STEP, s.expected + (size_t)cell * (size_t)s.velocity.nnodes);
        check_step(&s, "stream and operate", text, dt, 4e-6);
        drop(&s);
    }
}

/* A gas with fields of size 0.1 to 0.3 and all moments: a random polynomial of third degree in all
 * velocities, with some noise. The state of `build` has fields of size 1, for which a target may have no
 * temperature. */
static void tame(struct scene *s)
{
    const struct kn_velocity *v = &s->velocity;
    for (int cell = 0; cell < s->space.ncells; cell++)
        for (int o = 0; o < v->octants; o++)
            for (int k = 0; k < v->size; k++) {
                float at[3];
                kn_velocity_at(v, o, k, at);
                double x = sin(0.7 * cell), y = cos(0.9 * cell);
                for (int d = 0; d < 3; d++)
                    at[d] = v->bit[d] ? at[d] : 0;
                const double vv = v->square[k], shape = 0.3 * x + 0.2 * y * at[0] + 0.25 * at[1] -
                                                        0.2 * x * at[2] + 0.1 * y * (vv - 1.5) +
                                                        0.2 * x * at[0] * at[1] + 0.15 * at[0] * at[2] -
                                                        0.1 * at[1] * at[2] + 0.1 * x * at[0] * at[0] -
                                                        0.07 * at[1] * at[1] + 0.1 * at[0] * (vv - 2.5) -
                                                        0.08 * y * at[1] * (vv - 2.5) + 0.05 * at[2] * vv;
                float *h =
                    &s->h[(size_t)cell * (size_t)v->nnodes + (size_t)o * (size_t)v->stride + (size_t)k];
                *h = (float)(shape + 0.02 * *h);
            }
}

static void check_model(const char *settings, double tolerance)
{
    struct scene s;
    build(&s, settings);
    tame(&s);
    memcpy(s.expected, s.h, s.rows * sizeof *s.h);
    for (int cell = 0; cell < s.space.ncells; cell++)
        oracle_model(&s.problem, STEP, s.expected + (size_t)cell * (size_t)s.velocity.nnodes);
    for (int t = 0; t < ntargets; t++) {
        void *machine = start(&s, &targets[t]);
        expect_ok(targets[t].backend->collide(machine, STEP, 2));
        finish(&s, &targets[t], machine);
        compare(&s, "model", &targets[t], settings, tolerance);
    }
    drop(&s);
}

/* Model equations on 1 to 8 octants, with axes that are folded, reduced or neither, in any order. Differences
 * are round-off of terms of size h v^2; at eps = 0 the oracle has an error of 1e-6. */
static void models_match_their_formulas(void **state)
{
    (void)state;
    const char *const methods[] = {"bgk", "shakhov", "es-bgk"};
    const char *const cases[] = {
        "space.cells=1 walls.left.kind=periodic walls.right.kind=periodic",
        "space.cells=5",
        "space.cells=5 velocity.reduce=none",
        "space.cells=5 walls.left.velocity=[0,1,0]",
        "space.cells=5 walls.left.velocity=[0,0,1]",
        "space.cells=5 walls.left.velocity=[0,0,1] velocity.reduce=none",
        "space.cells=[3,4]",
        "space.cells=[3,4] velocity.reduce=none velocity.nodes=[6,8,10]",
        "space.cells=[3,4] walls.top.velocity=[0,0,1]",
        "space.cells=[1,5] walls.top.velocity=[1,0,0]",
        "space.cells=[1,1,5] walls.back.velocity=[0,1,0]",
        "space.cells=[3,1,4] velocity.nodes=8",
        "space.cells=[2,3,2]",
        "space.cells=[3,4] velocity.grid=stretched velocity.nodes=10",
        "space.cells=[3,4] velocity.fold=none velocity.reduce=none",
    };
    const double eps[] = {0, 0.1, 0.5};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 3 * 3; k++) {
            char text[512];
            snprintf(text, sizeof text, "velocity.nodes=6 collision.method=%s disturbance=%g %s",
                     methods[k % 3], eps[k / 3], cases[i]);
            check_model(text, k / 3 == 0 ? 4e-6 : 2e-6);
        }
}

/* The sources over half a step. */
static void drive(const struct scene *s)
{
    const size_t nnodes = (size_t)s->velocity.nnodes;
    for (size_t i = 0; i < s->rows && s->collision.has_source; i++)
        s->expected[i] += (float)(STEP / 2) * s->collision.source[i % nnodes];
}

/* Whole steps of models in boxes with many cells away from walls, for which the GPU has other kernels: short,
 * medium and long rows, reduced or not. */
static void wide_boxes_of_models(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "collision.method=shakhov disturbance=0.1 velocity.nodes=6 space.cells=[106,93] "
        "walls.top.velocity=[1,0,0] walls.left.accommodation=0.7",
        "collision.method=es-bgk disturbance=0.3 velocity.nodes=8 space.cells=[71,64] velocity.reduce=none "
        "walls.left.kind=symmetry walls.top.kind=periodic walls.bottom.kind=periodic source.force=[0,0.2,0]",
        "collision.method=bgk velocity.nodes=6 space.cells=[74,61] walls.top.velocity=[1,0,0] "
        "source.temperature_gradient=[0.3,0.1,0]",
        "collision.method=none disturbance=0.1 velocity.nodes=6 space.cells=[74,61] source.force=[0.3,0.1,0]",
        "collision.method=es-bgk disturbance=0.1 velocity.nodes=12 space.cells=[39,42] "
        "walls.left.kind=inflow "
        "walls.left.velocity=[0.4,0.3,0] walls.left.density=0.5 walls.top.temperature=0.4",
        "collision.method=shakhov disturbance=0.5 velocity.nodes=12 space.cells=[39,42] velocity.reduce=none "
        "walls.top.velocity=[1,0,0] source.force=[0.1,0,0]",
        "collision.method=bgk disturbance=0.2 velocity.nodes=18 space.cells=[39,42] "
        "walls.right.temperature=0.3",
        "collision.method=shakhov disturbance=0.2 velocity.nodes=[12,12,8] space.cells=[39,42] "
        "velocity.reduce=none walls.left.temperature=0.3",
        "collision.method=es-bgk disturbance=0.2 velocity.nodes=10 space.cells=[41,42] velocity.reduce=none "
        "source.force=[0.1,0.2,0]",
        "collision.method=shakhov velocity.nodes=18 space.cells=[39,42] velocity.reduce=none",
        "collision.method=es-bgk disturbance=0.2 velocity.nodes=24 space.cells=[35,38] velocity.reduce=none",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        build(&s, cases[i]);
        tame(&s);
        const double dt = long_step(&s);
        oracle_stream(&s.problem, (double)(float)dt, s.h, s.expected, s.density);
        drive(&s);
        for (int cell = 0; cell < s.space.ncells && s.c.collision.method != KN_METHOD_NONE; cell++)
            oracle_model(&s.problem, STEP, s.expected + (size_t)cell * (size_t)s.velocity.nnodes);
        drive(&s);
        check_step(&s, "wide box", cases[i], dt, 4e-6);
        drop(&s);
    }
}

/* Collide once on every machine; the first gives the expected rows. */
static void collide_on_all(struct scene *s, const char *what, const char *text, double tolerance)
{
    for (int t = 0; t < ntargets; t++) {
        void *machine = start(s, &targets[t]);
        expect_ok(targets[t].backend->collide(machine, STEP, 2));
        finish(s, &targets[t], machine);
        if (t == 0)
            memcpy(s->expected, s->next, s->rows * sizeof *s->h);
        else
            compare(s, what, &targets[t], text, tolerance);
    }
}

/* Sources, and no correction: all machines agree with the first. */
static void models_agree_between_machines(void **state)
{
    (void)state;
    const char *const methods[] = {"bgk", "shakhov", "es-bgk", "none"};
    for (int i = 0; i < 4 * 2 * 2; i++) {
        struct scene s;
        char text[512];
        snprintf(text, sizeof text,
                 "space.cells=[5,5] velocity.nodes=6 collision.method=%s collision.conservation=%s "
                 "disturbance=%g source.force=[0.2,0,0] source.temperature_gradient=[0,0.3,0]",
                 methods[i % 4], i / 4 % 2 ? "none" : "projection", i / 8 ? 0.1 : 0.0);
        build(&s, text);
        tame(&s);
        collide_on_all(&s, "model", text, 1e-6);
        drop(&s);
    }
}

/* Monte Carlo with its three corrections. */
static void corrections_agree_between_machines(void **state)
{
    (void)state;
    const char *const corrections[] = {"projection", "paper", "none"};
    for (int i = 0; i < 3 * 2; i++) {
        struct scene s;
        char text[512];
        snprintf(text, sizeof text,
                 "space.cells=[5,5] velocity.nodes=6 collision.samples=800 collision.method=monte-carlo "
                 "collision.conservation=%s disturbance=%g source.force=[0.2,0,0] "
                 "source.temperature_gradient=[0,0.3,0]",
                 corrections[i % 3], i / 3 ? 0.1 : 0.0);
        build(&s, text);
        collide_on_all(&s, "correction", text, 1e-5);
        drop(&s);
    }
}

/* The same collisions bit for bit, for any vector length and any division into pieces. */
static void samples_are_the_same_bits(void **state)
{
    (void)state;
    enum { COUNT = 4099 };
    const char *const cases[] = {
        "velocity.nodes=6", "velocity.grid=stretched velocity.nodes=20 collision.estimator=paper",
        "velocity.nodes=16 velocity.fold=none", "velocity.nodes=8 collision.update=explicit"};
    static struct kn_sample expected[COUNT], found[COUNT];
    for (int i = 0; i < 4; i++) {
        struct scene s;
        build(&s, cases[i]);
        const struct kn_sample_plan plan = kn_sampling_plan(&s.c, &s.velocity, STEP);
        for (uint32_t n = 0; n < COUNT; n++)
            expected[n] = kn_sample_make(&plan, 99, n);
        for (int k = 0; k < 3; k++) {
            const struct kn_cpu_kernels *kernels = kn_cpu_kernels_find(ISAS[k]);
            if (!kernels)
                continue;
            memset(found, 0xff, sizeof found);
            for (int first = 0; first < COUNT; first += 100)
                kernels->sample(&plan, 99, first, COUNT - first < 100 ? COUNT - first : 100, found + first);
            assert_memory_equal(found, expected, sizeof found);
        }
        drop(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collisions_match_oracle),
        cmocka_unit_test(linear_bgk_matches_its_formula),
        cmocka_unit_test(operator_matches_plain_sums),
        cmocka_unit_test(uniform_gas_collides_once),
        cmocka_unit_test(sets_of_all_lengths),
        cmocka_unit_test(second_order_and_relaxation),
        cmocka_unit_test(third_order_and_relaxation),
        cmocka_unit_test(wide_boxes_stream_and_operate),
        cmocka_unit_test(models_match_their_formulas),
        cmocka_unit_test(wide_boxes_of_models),
        cmocka_unit_test(models_agree_between_machines),
        cmocka_unit_test(corrections_agree_between_machines),
        cmocka_unit_test(samples_are_the_same_bits),
        cmocka_unit_test(cubes_stream_and_relax),
        cmocka_unit_test(wide_boxes_operate),
    };
    return cmocka_run_group_tests(tests, find_targets, NULL);
}
