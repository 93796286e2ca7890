/* Mass over long runs; momentum and energy in the collision step. */
#include "expect.h"

/* (mass - initial mass) / integral of |rho|, after many steps of a small cavity: the remainder is the
 * round-off of single values.  The round-off of the models has a constant sign and grows with the steps, by
 * at most 5e-11 per step (1e-10 is allowed); that of the samples is random, and was at most 5e-7. */
static void check_drift(const char *settings, double most)
{
    struct watch w;
    char text[512];
    snprintf(text, sizeof text, "space.cells=[8,8] walls.top.velocity=[1,0,0] %s", settings);
    watch_open(&w, text);
    watch_advance(&w, 2500);
    expect_near(text, w.row->mass_drift, 0, most);
    watch_close(&w);
}

static void mass_of_the_models(void **state)
{
    (void)state;
    const char *const methods[] = {"none", "bgk", "shakhov", "es-bgk"};
    for (int i = 0; i < 4 * 3 * 2; i++) {
        char text[256];
        snprintf(text, sizeof text, "collision.method=%s space.order=%d disturbance=%g velocity.nodes=8",
                 methods[i % 4], 1 + i / 4 % 3, i / 12 ? 0.1 : 0.0);
        check_drift(text, 2.5e-7);
    }
    check_drift("collision.method=bgk walls.left.temperature=0.5 velocity.nodes=12 disturbance=0.1", 2.5e-7);
    /* with 6 nodes the weights of single nodes are largest, and so is the round-off */
    check_drift("collision.method=bgk walls.left.temperature=0.5 velocity.nodes=6 disturbance=0.1", 5e-7);
}

static void mass_of_monte_carlo(void **state)
{
    (void)state;
    check_drift("collision.method=monte-carlo velocity.nodes=6 walls.left.temperature=0.5 "
                "collision.samples=300 space.order=1",
                1e-6);
    check_drift("collision.method=monte-carlo velocity.nodes=6 walls.left.temperature=0.5 "
                "collision.samples=300 space.order=3",
                1e-6);
    check_drift(
        "collision.method=monte-carlo velocity.nodes=6 collision.samples=300 space.order=1 disturbance=0.1 "
        "collision.conservation=paper",
        1e-6);
    check_drift("collision.method=monte-carlo velocity.nodes=6 walls.left.temperature=0.5 "
                "collision.samples=300 space.order=2 "
                "disturbance=0.1 collision.estimator=paper collision.conservation=paper",
                1e-6);
}

static void mass_of_the_operator(void **state)
{
    (void)state;
    check_drift("collision.method=operator velocity.nodes=6 walls.left.temperature=0.5 space.order=1",
                2.5e-7);
    check_drift("collision.method=operator velocity.nodes=8 walls.left.temperature=0.5 space.order=3",
                2.5e-7);
}

/* A uniform gas with a random h: there is no streaming, so all changes are due to collisions.  Returns the
 * largest change of mass, momentum and energy. */
static double change_of(const char *settings)
{
    struct watch w;
    char text[512];
    uint64_t seed = 77;
    double worst = 0;
    snprintf(text, sizeof text,
             "space.cells=1 walls.left.kind=periodic walls.right.kind=periodic velocity.fold=none "
             "velocity.nodes=8 "
             "time.step=0.05 %s",
             settings);
    watch_open(&w, text);
    const size_t n = (size_t)kn_sim_nodes(w.sim);
    float *row = calloc(n, sizeof *row);
    for (size_t i = 0; i < n; i++)
        row[i] = (float)expect_random(&seed);
    expect_ok(kn_sim_put_rows(w.sim, 0, 1, row));
    watch_look(&w);
    const struct kn_row before = *w.row;
    watch_advance(&w, 4);
    for (int d = 0; d < 3; d++)
        worst = fmax(worst, fabs(w.row->momentum[d] - before.momentum[d]));
    worst = fmax(worst, fabs(w.row->mass - before.mass));
    worst = fmax(worst, fabs(w.row->energy - before.energy));
    free(row);
    watch_close(&w);
    return worst;
}

/* Rounding h of size 1 to float in 512 nodes with weights of sum 1, and summing
 * thousands of defects in float: the measured value is 4e-8. */
static void collisions_conserve(void **state)
{
    (void)state;
    const char *const methods[] = {"bgk",
                                   "shakhov",
                                   "es-bgk",
                                   "monte-carlo collision.estimator=symmetric",
                                   "monte-carlo collision.estimator=paper",
                                   "monte-carlo collision.estimator=paper collision.conservation=paper"};
    const double eps[] = {0, 0.01, 0.2};
    for (int i = 0; i < 6 * 3; i++) {
        char text[256];
        snprintf(text, sizeof text, "collision.samples=2000 collision.method=%s disturbance=%g",
                 methods[i % 6], eps[i / 6]);
        expect_below(text, change_of(text), 2e-7);
    }
    expect_below("operator", change_of("collision.method=operator"), 2e-7);
}

/* Momentum and energy of a uniform gas over ten thousand steps: the round-off of 1e-8 per step adds up to
 * less than 1e-4. */
static void nothing_creeps_away(void **state)
{
    (void)state;
    const char *const methods[] = {"bgk", "shakhov", "es-bgk"};
    for (int i = 0; i < 6; i++) {
        struct watch w;
        char text[256];
        snprintf(text, sizeof text,
                 "space.cells=1 walls.left.kind=periodic walls.right.kind=periodic velocity.nodes=8 "
                 "velocity.fold=none initial.shape=temperature collision.method=%s disturbance=%g",
                 methods[i % 3], i / 3 ? 0.1 : 0.0);
        watch_open(&w, text);
        const struct kn_row before = *w.row;
        watch_advance(&w, 10000);
        expect_near(text, w.row->energy / before.energy, 1, 1e-4);
        for (int d = 0; d < 3; d++)
            expect_near(text, w.row->momentum[d] / before.energy, 0, 1e-4);
        watch_close(&w);
    }
}

/* The operator: 1e-6 of the energy at most. */
static void operator_keeps_momentum_and_energy(void **state)
{
    (void)state;
    const char *const shapes[] = {"temperature", "shear", "anisotropic"};
    for (int i = 0; i < 3; i++) {
        struct watch w;
        char text[256];
        snprintf(text, sizeof text,
                 "space.cells=1 walls.left.kind=periodic walls.right.kind=periodic velocity.nodes=8 "
                 "velocity.fold=none initial.shape=%s collision.method=operator",
                 shapes[i]);
        watch_open(&w, text);
        const struct kn_row before = *w.row;
        watch_advance(&w, 10000);
        expect_near(text, w.row->energy, before.energy, 1e-6);
        expect_near(text, w.row->mass, before.mass, 1e-6);
        for (int d = 0; d < 3; d++)
            expect_near(text, w.row->momentum[d], before.momentum[d], 1e-6);
        watch_close(&w);
    }
}

/* Without the correction momentum and energy are not conserved: the test above
 * can fail.  Mass is conserved by every sample. */
static void without_correction_there_is_a_defect(void **state)
{
    (void)state;
    expect_between("defect",
                   change_of("collision.method=monte-carlo collision.samples=2000 collision.points=random "
                             "collision.conservation=none"),
                   1e-3, 1);
    expect_between(
        "defect, model",
        change_of("collision.method=bgk disturbance=0.5 collision.conservation=none velocity.nodes=4"), 1e-5,
        1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_of_the_models),
        cmocka_unit_test(mass_of_monte_carlo),
        cmocka_unit_test(collisions_conserve),
        cmocka_unit_test(nothing_creeps_away),
        cmocka_unit_test(mass_of_the_operator),
        cmocka_unit_test(operator_keeps_momentum_and_energy),
        cmocka_unit_test(without_correction_there_is_a_defect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
