/* Every backend, and every instruction set of the CPU, against the plain loops of the oracle.
 * usage: unit_backend ["SETTINGS"]    with settings: only streaming in the box that they define */
#include "scene.h"

/* ----------------------------------------------------------------- streaming */

/* The change of mass, momentum and energy of the gas equals the fluxes through the walls.  Values are of size
 * 1 to 10 in single precision, and the weights sum to 1. */
static void check_balance(const struct scene *s, const char *settings, double dt)
{
    const struct kn_velocity *v = &s->velocity;
    double change[KN_FLUXES] = {0}, size = 0, area = 0;
    for (int cell = 0; cell < s->space.ncells; cell++)
        for (int octant = 0; octant < v->octants; octant++)
            for (int k = 0; k < v->size; k++) {
                const size_t at = (size_t)cell * v->nnodes + (size_t)octant * v->stride + k;
                const double mass = s->space.volume[cell] * v->w[k] * ((double)s->next[at] - s->h[at]);
                change[0] += mass;
                for (int d = 0; d < 3; d++)
                    change[1 + d] += v->bit[d] ? mass * kn_velocity_sign(v, octant, d) * v->speed[d][k] : 0;
                change[4] += mass * v->square[k];
                size += s->space.volume[cell] * v->w[k];
            }
    for (int face = 0; face < s->space.nfaces; face++) {
        const struct kn_face *f = &s->space.faces[face];
        area += f->area;
        for (int i = 0; i < KN_FLUXES; i++)
            change[i] += dt * f->area * ((f->side & 1) ? 1 : -1) * s->fluxes[(size_t)face * KN_FLUXES + i];
        const double through = s->boundary.patches[f->patch].prescribed_flux; /* 0 for walls at rest */
        if (!isnan(through))
            expect_near(settings, s->fluxes[(size_t)face * KN_FLUXES], (f->side & 1) ? -through : through,
                        2e-6);
    }
    for (int i = 0; i < KN_FLUXES; i++)
        expect_near(settings, change[i], 0, 2e-6 * (size + dt * area));
}

/* One step of one case on every machine.  The oracle uses double precision, the machines single precision:
 * about ten round-off errors of 6e-8, of values that slopes and emission make a few times larger than h. */
static void check_stream(const char *settings)
{
    struct scene s;
    build(&s, settings);
    const double dt = long_step(&s);
    oracle_stream(&s.problem, (double)(float)dt, s.h, s.expected, s.density);
    for (int i = 0; i < ntargets; i++) {
        void *machine = start(&s, &targets[i]);
        const struct kn_step step = {.stream = dt, .collide = 0, .draw = 0, .fluxes = true};
        expect_ok(targets[i].backend->step(machine, &step));
        expect_ok(targets[i].backend->fluxes(machine, s.fluxes));
        finish(&s, &targets[i], machine);
        compare(&s, "stream", &targets[i], settings, 1e-6);
        check_balance(&s, settings, dt);
    }
    drop(&s);
}

static const char *const BOXES[] = {
    "space.cells=7",
    "space.cells=7 walls.left.kind=periodic walls.right.kind=periodic",
    "space.cells=6 walls.left.velocity=[0,1,0] walls.right.temperature=0.5 walls.right.accommodation=0.3",
    "space.cells=6 walls.left.kind=specular walls.right.kind=symmetry",
    "space.cells=5 walls.left.accommodation=0 space.stretch=[0.7,1,1] space.cluster=[low,both,both]",
    "space.cells=2",
    "space.cells=1 walls.right.kind=specular walls.left.velocity=[0,1,0]",
    "space.cells=1 walls.left.kind=specular walls.right.temperature=1 walls.right.accommodation=0.7",
    "space.cells=[1,5]",
    "space.cells=[5,4] walls.top.velocity=[1,0,0] space.stretch=[0.8,0.7,1]",
    "space.cells=[5,4] walls.bottom.kind=periodic walls.top.kind=periodic walls.left.accommodation=0.6",
    ("space.cells=[4,5] walls.left.kind=symmetry walls.top.velocity=[0.5,0,0] walls.top.accommodation=0.8 "
     "walls.bottom.kind=specular walls.right.temperature=0.3"),
    "space.cells=[3,4,5] walls.front.velocity=[0.3,0.2,0] space.stretch=[0.9,0.8,0.7]",
    ("space.cells=[4,3,3] walls.left.kind=periodic walls.right.kind=periodic walls.bottom.kind=specular "
     "walls.top.accommodation=0.5 walls.back.kind=symmetry"),
    ("space.cells=7 walls.left.kind=inflow walls.left.velocity=[0.5,0.2,0] walls.left.density=0.3 "
     "walls.right.kind=inflow walls.right.temperature=0.4 walls.right.oscillation.velocity=[0.2,0,0] "
     "walls.right.oscillation.frequency=1"),
    ("space.cells=[1,4,3] walls.left.kind=inflow walls.top.kind=inflow walls.top.velocity=[0,-0.4,0] "
     "walls.front.accommodation=0.6"),
    ("space.cells=[5,4] walls.bottom.temperature=[0.4,1,0.2] walls.right.temperature=[0,0.5] "
     "walls.right.accommodation=0.7 walls.top.temperature=[0,1] walls.top.oscillation.temperature=0.2 "
     "walls.top.oscillation.frequency=1"),
};
/* those of the linearised equation: far fields, and a wall that oscillates along its normal */
static const char *const LINEAR_BOXES[] = {
    "space.cells=6 walls.right.kind=far-field walls.right.gradient.velocity=[0,1,0.5]",
    "space.cells=1 walls.left.kind=far-field walls.left.gradient.temperature=1",
    ("space.cells=[4,5] walls.top.kind=far-field walls.top.gradient.velocity=[1,0,0] "
     "walls.top.gradient.temperature=0.7 walls.left.kind=far-field walls.right.kind=inflow "
     "walls.bottom.accommodation=0.4"),
    ("space.cells=5 walls.left.oscillation.velocity=[1,0.3,0] walls.left.oscillation.frequency=1 "
     "walls.left.accommodation=0.6"),
};
static const char *const GRIDS[] = {"velocity.nodes=6", "velocity.nodes=[4,8,6] velocity.fold=none",
                                    "velocity.grid=stretched velocity.nodes=6"};
static const char *const LIMITERS[] = {"van-leer", "mc", "minmod", "none"};

/* `limiter`: with order 2 only. */
static void box_matches_oracle(const char *box, const char *method, int order, const char *limiter,
                               double eps)
{
    for (size_t grid = 0; grid < sizeof GRIDS / sizeof *GRIDS; grid++) {
        char text[512];
        snprintf(text, sizeof text, "collision.method=%s disturbance=%g space.order=%d %s%s %s %s", method,
                 eps, order, order == 2 ? "space.limiter=" : "", order == 2 ? limiter : "", box, GRIDS[grid]);
        check_stream(text);
    }
}

static void stream_matches_oracle(int order, const char *limiter, double eps)
{
    const size_t boxes = sizeof BOXES / sizeof *BOXES, linear = sizeof LINEAR_BOXES / sizeof *LINEAR_BOXES;
    for (size_t box = 0; box < boxes; box++)
        box_matches_oracle(BOXES[box], "none", order, limiter, eps);
    for (size_t box = 0; box < linear && eps == 0; box++)
        box_matches_oracle(LINEAR_BOXES[box], "bgk", order, limiter, eps);
}

static void first_order_streaming(void **state)
{
    (void)state;
    stream_matches_oracle(1, NULL, 0);
    stream_matches_oracle(1, NULL, 0.2);
}

static void second_order_streaming(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        stream_matches_oracle(2, LIMITERS[i], i % 2 ? 0.2 : 0);
}

static void third_order_streaming(void **state)
{
    (void)state;
    stream_matches_oracle(3, NULL, 0);
    stream_matches_oracle(3, NULL, 0.2);
}

/* ---------------------------------------------------------- steps and moments */

static const double STEP = 0.05;

/* A fused sweep gives the same result as streaming followed by collisions. */
static void step_is_stream_then_collide(void **state)
{
    (void)state;
    struct scene s;
    build(&s, "space.cells=[5,4] velocity.nodes=6 collision.samples=500 walls.top.velocity=[1,0,0]");
    const double dt = long_step(&s);
    for (int i = 0; i < ntargets; i++) {
        const struct kn_step both = {dt, STEP, 3, false};
        void *machine = start(&s, &targets[i]);
        expect_ok(targets[i].backend->step(machine, &both));
        finish(&s, &targets[i], machine);
        memcpy(s.expected, s.next, s.rows * sizeof *s.h);
        struct kn_step alone = {dt, 0, 3, false};
        machine = start(&s, &targets[i]);
        expect_ok(targets[i].backend->step(machine, &alone)); /* samples of zero strength */
        expect_ok(targets[i].backend->collide(machine, STEP, 3));
        finish(&s, &targets[i], machine);
        compare(&s, "step", &targets[i], "stream, then collide", 1e-6);
    }
    drop(&s);
}

/* Writes that bypass the caches do not change a bit of the results. */
static void writing_past_the_caches_changes_nothing(void **state)
{
    (void)state;
    const char *const spaces[] = {"space.cells=[7,5]", "space.cells=1", "space.cells=[3,2,4]",
                                  "space.cells=4 walls.left.kind=periodic walls.right.kind=periodic"};
    const char *const methods[] = {"none", "bgk", "shakhov", "es-bgk"};
    for (int i = 0; i < 4 * 4 * 3 * 2; i++) {
        struct scene s;
        char text[512];
        snprintf(text, sizeof text, "velocity.nodes=6 collision.method=%s space.order=%d %s", methods[i % 4],
                 1 + i / 16 % 3, spaces[i / 4 % 4]);
        build(&s, text);
        s.problem.threads = 1 + i / 48;
        const struct kn_step step = {long_step(&s), STEP, 3, false};
        for (int t = 0; t < ntargets; t++) {
            if (strcmp(targets[t].backend->name, "cpu") != 0)
                continue;
            for (int past = 0; past < 2; past++) {
                setenv("KNUDSEN_WRITE", past ? "memory" : "cache", 1);
                void *machine = start(&s, &targets[t]);
                expect_ok(targets[t].backend->step(machine, &step));
                expect_ok(targets[t].backend->step(machine, &step));
                finish(&s, &targets[t], machine);
                if (!past)
                    memcpy(s.expected, s.next, s.rows * sizeof *s.h);
            }
            unsetenv("KNUDSEN_WRITE");
            assert_memory_equal(s.next, s.expected, s.rows * sizeof *s.h);
        }
        drop(&s);
    }
}

/* The moments of the state; `m` of this size. */
static void observe(const struct target *t, void *machine, double *m, size_t bytes)
{
    struct kn_observed found;
    expect_ok(t->backend->observe(machine));
    expect_ok(t->backend->observed(machine, &found));
    memcpy(m, found.moments, bytes);
}

/* Steps after the beginning of an observation do not change it, also if they record fluxes. */
static void observations_do_not_change(void **state)
{
    (void)state;
    for (int i = 0; i < ntargets; i++) {
        const struct target *t = &targets[i];
        const struct kn_step step = {.stream = 0.01, .collide = 0, .draw = 0, .fluxes = true};
        struct kn_observed early, late;
        struct scene s;
        build(&s, "space.cells=[9,7] velocity.nodes=6");
        const size_t moments = (size_t)s.space.ncells * KN_MOMENTS * sizeof(double),
                     fluxes = (size_t)s.space.nfaces * KN_FLUXES * sizeof(double);
        char *copy = malloc(moments + fluxes);
        void *machine = start(&s, t);
        expect_ok(t->backend->step(machine, &step));
        expect_ok(t->backend->observe(machine));
        expect_ok(t->backend->observed(machine, &early));
        memcpy(copy, early.moments, moments);
        memcpy(copy + moments, early.fluxes, fluxes);
        expect_ok(t->backend->observe(machine));
        for (int k = 0; k < 50; k++)
            expect_ok(t->backend->step(machine, &step));
        expect_ok(t->backend->observed(machine, &late));
        assert_memory_equal(late.moments, copy, moments);
        assert_memory_equal(late.fluxes, copy + moments, fluxes);
        expect_ok(t->backend->observe(machine));
        expect_ok(t->backend->observed(machine, &late));
        assert_memory_not_equal(late.moments, copy, moments);
        assert_memory_not_equal(late.fluxes, copy + moments, fluxes);
        free(copy);
        finish(&s, t, machine);
        drop(&s);
    }
}

/* Moments against sums in double, node by node. */
static void moments_match_plain_sums(void **state)
{
    (void)state;
    const char *const cases[] = {
        "space.cells=5 velocity.nodes=6", "space.cells=[3,3] velocity.nodes=[6,4,10]",
        "space.cells=[2,2,2] velocity.nodes=6", "space.cells=4 velocity.fold=none velocity.nodes=6"};
    for (int i = 0; i < 4 * ntargets; i++) {
        const struct target *t = &targets[i / 4];
        struct scene s;
        build(&s, cases[i % 4]);
        const struct kn_velocity *v = &s.velocity;
        const size_t bytes = (size_t)s.space.ncells * KN_MOMENTS * sizeof(double);
        double *m = malloc(bytes);
        void *machine = start(&s, t);
        observe(t, machine, m, bytes);
        finish(&s, t, machine);
        assert_memory_equal(s.next, s.h, s.rows * sizeof *s.h);
        for (int cell = 0; cell < s.space.ncells; cell++) {
            double sum[KN_MOMENTS] = {0};
            for (int n = 0; n < v->octants * v->size; n++) {
                const int octant = n / v->size, k = n % v->size;
                double u[3], vv = v->square[k];
                for (int d = 0; d < 3; d++)
                    u[d] = kn_velocity_sign(v, octant, d) * (double)v->speed[d][k];
                const double odd[3] = {v->bit[0] ? u[0] : 0, v->bit[1] ? u[1] : 0, v->bit[2] ? u[2] : 0};
                const double psi[KN_MOMENTS] = {
                    1,           odd[0],      odd[1],          odd[2],          u[0] * u[0],
                    u[1] * u[1], u[2] * u[2], odd[0] * odd[1], odd[0] * odd[2], odd[1] * odd[2],
                    odd[0] * vv, odd[1] * vv, odd[2] * vv};
                for (int j = 0; j < KN_MOMENTS; j++)
                    sum[j] +=
                        v->w[k] * psi[j] * s.h[(size_t)cell * v->nnodes + (size_t)octant * v->stride + k];
            }
            for (int j = 0; j < KN_MOMENTS; j++)
                expect_near("moment", m[(size_t)cell * KN_MOMENTS + j], sum[j], 1e-12);
        }
        free(m);
        drop(&s);
    }
}

static void unknown_instruction_set_is_refused(void **state)
{
    (void)state;
    struct scene s;
    void *machine;
    build(&s, "space.cells=3 velocity.nodes=4");
    setenv("KNUDSEN_ISA", "v9", 1);
    assert_int_equal(kn_backend_cpu.create(&machine, &s.problem), KN_EDEVICE);
    unsetenv("KNUDSEN_ISA");
    assert_null(kn_backend_find("abacus", KN_METHOD_BGK));
    drop(&s);
}

static void box_of_the_command_line(void **state)
{
    for (int i = 0; i < 6; i++)
        box_matches_oracle(*state, "none", 1 + i / 2, "van-leer", i % 2 ? 0.2 : 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest box[] = {cmocka_unit_test_prestate(box_of_the_command_line, argv[1])};
    if (argc > 1)
        return cmocka_run_group_tests(box, find_targets, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_order_streaming),
        cmocka_unit_test(second_order_streaming),
        cmocka_unit_test(third_order_streaming),
        cmocka_unit_test(step_is_stream_then_collide),
        cmocka_unit_test(writing_past_the_caches_changes_nothing),

        cmocka_unit_test(moments_match_plain_sums),
        cmocka_unit_test(observations_do_not_change),
        cmocka_unit_test(unknown_instruction_set_is_refused),
    };
    return cmocka_run_group_tests(tests, find_targets, NULL);
}
