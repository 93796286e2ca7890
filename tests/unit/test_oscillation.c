/* Amplitude and phase of fluxes at oscillating walls, from synthetic histories with known answers. */
#include "expect.h"
#include "io/history.h"
#include "monitor/oscillation.h"
#include "scratch.h"

static const double FREQUENCY = 0.5, STEP = 0.02, WALL_PHASE = 0.4;

struct scene {
    struct kn_case c;
    struct kn_space space;
    struct kn_monitor m;
};

static void build(struct scene *s, const char *settings)
{
    expect_case(&s->c, "space.cells=4 velocity.nodes=4 collision.method=bgk");
    expect_set(&s->c, settings);
    expect_ok(kn_space_create(&s->space, &s->c, NULL));
    expect_ok(kn_monitor_create(&s->m, &s->c, &s->space, &kn_comm_alone));
}

static void drop(struct scene *s)
{
    kn_monitor_destroy(&s->m);
    kn_space_destroy(&s->space);
}

/* Rows with the mean over the preceding step: a constant, and a wave that is 0.3 ahead of the wall. The first
 * period differs, as at the start of a run. */
static void write_history(double end)
{
    FILE *file = fopen(in_folder("history.csv"), "w");
    assert_non_null(file);
    fputs("step,time,right.stress_y\n", file);
    for (int step = 0; step * STEP <= end + 1e-9; step += 10) {
        const double time = step * STEP, angle = FREQUENCY * (time - STEP / 2) + WALL_PHASE + 0.3;
        fprintf(file, "%d,%.17g,%.17g\n", step, time,
                time < 2 * M_PI / FREQUENCY ? 9.0 : 0.25 + 2 * cos(angle));
    }
    fclose(file);
}

static void find(struct kn_oscillation_fit *fit, const struct kn_monitor *m)
{
    struct kn_history_table h;
    expect_ok(kn_history_read(&h, folder));
    kn_oscillation_find(fit, &h, m, STEP);
    kn_history_free(&h);
}

#define SWINGS                                                                                               \
    "walls.right.oscillation.velocity=[0,1,0] walls.right.oscillation.frequency=0.5 "                        \
    "walls.right.oscillation.phase=0.4 "

static void finds_amplitude_and_phase(void **state)
{
    (void)state;
    struct scene s;
    struct kn_oscillation_fit fit;
    build(&s, SWINGS);
    write_history(3.2 * 2 * M_PI / FREQUENCY);
    find(&fit, &s.m);
    assert_int_equal(fit.periods, 1); /* half of 3.2 periods is ignored */
    assert_int_equal(fit.count, 1);
    assert_string_equal(s.m.columns[fit.columns[0].column].name, "right.stress_y");
    expect_near("mean", fit.columns[0].mean, 0.25, 1e-9);
    expect_near("amplitude", fit.columns[0].amplitude, 2, 1e-9);
    expect_near("phase", fit.columns[0].phase, 0.3, 1e-9);
    write_history(8.1 * 2 * M_PI / FREQUENCY);
    find(&fit, &s.m);
    assert_int_equal(fit.periods, 4);
    expect_near("amplitude", fit.columns[0].amplitude, 2, 1e-9);
    drop(&s);
}

static void tells_nothing_where_nothing_is_known(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "walls.right.velocity=[0,1,0]", /* no wall oscillates */
        SWINGS
        "walls.left.oscillation.velocity=[0,1,0] walls.left.oscillation.frequency=0.7", /* two frequencies */
    };
    struct scene s;
    struct kn_oscillation_fit fit;
    write_history(40);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        build(&s, cases[i]);
        find(&fit, &s.m);
        assert_int_equal(fit.count, 0);
        drop(&s);
    }
    build(&s, SWINGS);
    write_history(12); /* a period is 12.57 */
    find(&fit, &s.m);
    assert_int_equal(fit.count, 0);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_amplitude_and_phase, make_folder, drop_folder),
        cmocka_unit_test_setup_teardown(tells_nothing_where_nothing_is_known, make_folder, drop_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
