/* kn_sim_set_wall: walls that the caller moves and heats, on every machine of this build. */
#include "expect.h"

#include "backend/backend.h"

static const char *const MACHINES[] = {"cpu", "strict", "cuda"};

/* A case on a machine; NULL if this computer does not have it. */
static struct kn_sim *open_case(struct kn_case *c, const char *machine, const char *settings)
{
    struct kn_sim *sim;
    expect_case(c, settings);
    snprintf(c->run.backend, sizeof c->run.backend, "%s", machine);
    if (kn_backend_find(machine, c->collision.method)->available() != KN_OK)
        return NULL;
    expect_ok(kn_sim_create(&sim, c));
    return sim;
}

static double *fields_of(struct kn_sim *sim)
{
    double *fields = calloc((size_t)kn_sim_cells(sim) * KN_FIELDS, sizeof *fields);
    assert_non_null(fields);
    expect_ok(kn_sim_fields(sim, fields));
    return fields;
}

/* ------------------------------------------------- the oscillation of the case */

/* A wall whose velocity is set to cos(omega t + phase) at the middle of every step gives the same bits as an
 * oscillating wall. */
static void check_oscillation(const char *machine, enum kn_side side, const char *settings,
                              const char *oscillation)
{
    struct kn_case c, told;
    struct kn_sim *built_in, *set;
    struct kn_wall_flux walls[2][KN_SIDES];
    char text[512];
    snprintf(text, sizeof text, "%s %s", settings, oscillation);
    if (!(built_in = open_case(&c, machine, text)))
        return;
    const struct kn_wall *w = &c.walls[side];
    const double dt = kn_sim_time_step(built_in); /* follows the period */
    snprintf(text, sizeof text, "%s time.step=%.17g", settings, dt);
    set = open_case(&told, machine, text);
    for (int step = 0; step < 40; step++) {
        const double wave =
            cos(w->oscillation.frequency * (kn_sim_time(set) + dt / 2) + w->oscillation.phase);
        double u[3];
        for (int d = 0; d < 3; d++)
            u[d] = w->velocity[d] + wave * w->oscillation.velocity[d];
        expect_ok(kn_sim_set_wall(set, side, u, w->temperature + wave * w->oscillation.temperature));
        expect_ok(kn_sim_advance(set, 1));
        expect_ok(kn_sim_advance(built_in, 1));
    }
    double *a = fields_of(built_in), *b = fields_of(set);
    double largest = 0;
    for (int64_t i = 0; i < kn_sim_cells(set) * KN_FIELDS; i++) {
        expect_near(machine, b[i], a[i], 0);
        largest = fmax(largest, fabs(a[i]));
    }
    expect_between("the gas moves", largest, 0.01, 10);
    expect_ok(kn_sim_walls(built_in, walls[0]));
    expect_ok(kn_sim_walls(set, walls[1]));
    expect_near("heat flux", walls[1][side].heat_flux, walls[0][side].heat_flux, 0);
    free(a);
    free(b);
    kn_sim_destroy(built_in);
    kn_sim_destroy(set);
}

static void prescribed_walls_are_built_in_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++) {
        const char *base = "space.cells=12 velocity.nodes=8 velocity.fold=none collision.method=bgk "
                           "walls.left.temperature=0.2 time.step=0.01 gas.delta=2";
        check_oscillation(MACHINES[i], KN_LEFT, base,
                          "walls.left.oscillation.velocity=[0,1,0.5] walls.left.oscillation.temperature=0.3 "
                          "walls.left.oscillation.frequency=7 walls.left.oscillation.phase=0.4");
        check_oscillation(MACHINES[i], KN_RIGHT, base, /* a piston */
                          "walls.right.oscillation.velocity=[1,0,0] walls.right.oscillation.frequency=9");
        check_oscillation(MACHINES[i], KN_TOP,
                          "space.cells=[5,6] velocity.nodes=6 collision.method=monte-carlo "
                          "collision.samples=200 disturbance=0.1 "
                          "walls.top.velocity=[0.5,0,0]",
                          "walls.top.oscillation.velocity=[1,0,0] walls.top.oscillation.frequency=5");
        check_oscillation(MACHINES[i], KN_LEFT, /* the gas beyond an inflow */
                          "space.cells=8 velocity.nodes=6 collision.method=none walls.left.kind=inflow "
                          "disturbance=0.1 walls.left.density=0.3",
                          "walls.left.oscillation.velocity=[1,0,0] walls.left.oscillation.frequency=5");
    }
}

/* ------------------------------------------------------------ plates with a mass */

/* A plate in a gas without collisions and without returning molecules. The momentum of the emitted molecules,
 * V / sqrt(pi) p0, slows it down: each step reduces its speed by the same factor. */
static void plate_in_a_free_molecular_gas(void **state)
{
    (void)state;
    const double mass = 0.7;
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++) {
        struct kn_case c;
        struct kn_wall_flux walls[KN_SIDES];
        double u[3] = {0, 1, 0};
        struct kn_sim *sim = open_case(&c, MACHINES[i],
                                       "space.cells=10 velocity.nodes=8 velocity.fold=none "
                                       "collision.method=none walls.left.kind=inflow time.step=0.01");
        if (!sim)
            continue;
        for (int step = 0; step < 300; step++) {
            expect_ok(kn_sim_set_wall(sim, KN_RIGHT, u, 0));
            expect_ok(kn_sim_advance(sim, 1));
            expect_ok(kn_sim_walls(sim, walls));
            u[1] += 0.01 / mass * walls[KN_RIGHT].stress[1] / 2;
        }
        /* single precision, 300 times */
        expect_relative("speed", u[1], pow(1 - 0.01 / (2 * mass * sqrt(M_PI)), 300), 3e-6);
        kn_sim_destroy(sim);
    }
}

/* A plate with an initial velocity along a layer of gas on a mirror, which takes up no momentum: the total
 * momentum is constant and the final speed is M / (M + delta). */
static void plate_and_gas_share_momentum(void **state)
{
    (void)state;
    const double mass = 2;
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++) {
        struct kn_case c;
        struct kn_wall_flux walls[KN_SIDES];
        double u[3] = {0, 1, 0};
        struct kn_sim *sim =
            open_case(&c, MACHINES[i],
                      "space.cells=10 gas.delta=1 velocity.nodes=8 velocity.fold=none collision.method=bgk "
                      "walls.left.kind=specular time.step=0.02");
        if (!sim)
            continue;
        for (int step = 0; step < 2000; step++) {
            expect_ok(kn_sim_set_wall(sim, KN_RIGHT, u, 0));
            expect_ok(kn_sim_advance(sim, 1));
            expect_ok(kn_sim_walls(sim, walls));
            u[1] += 0.02 / mass * walls[KN_RIGHT].stress[1] / 2;
        }
        double *fields = fields_of(sim), gas = 0;
        for (int cell = 0; cell < 10; cell++)
            gas += 0.1 * fields[cell * KN_FIELDS + KN_UY];
        /* rounding of h, which is of size 1, in single precision over 2000 steps */
        expect_relative("momentum", gas + mass * u[1], mass, 5e-6);
        expect_relative("speed at the end", u[1], mass / (mass + 1), 5e-6);
        free(fields);
        kn_sim_destroy(sim);
    }
}

/* ------------------------------------------------------------------ what is refused */

/* The call fails with these words in its message, and does not change the run. */
static void refuse(const char *settings, int side, const double u[3], double temperature, const char *words)
{
    struct kn_case c;
    struct kn_sim *sim = open_case(&c, "cpu", settings), *other = open_case(&c, "cpu", settings);
    assert_int_equal(kn_sim_set_wall(sim, (enum kn_side)side, u, temperature), KN_EINPUT);
    if (!strstr(kn_error_message(), words)) {
        print_error("'%s' is not in: %s\n", words, kn_error_message());
        fail();
    }
    expect_ok(kn_sim_advance(sim, 3));
    expect_ok(kn_sim_advance(other, 3));
    double *a = fields_of(sim), *b = fields_of(other);
    assert_memory_equal(a, b, (size_t)kn_sim_cells(sim) * KN_FIELDS * sizeof *a);
    free(a);
    free(b);
    kn_sim_destroy(sim);
    kn_sim_destroy(other);
}

static void what_is_refused(void **state)
{
    (void)state;
    const double rest[3] = {0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, bad[3] = {0, NAN, 0};
    const char *gas = "space.cells=4 velocity.nodes=6 collision.method=bgk walls.right.temperature=0.1";
    const char *finite = "space.cells=4 velocity.nodes=6 collision.method=bgk disturbance=0.5 "
                         "walls.right.temperature=0.1 velocity.fold=none";
    const char *mirrors = "space.cells=4 velocity.nodes=6 collision.method=bgk velocity.fold=none "
                          "walls.bottom.kind=specular walls.top.kind=specular";
    refuse(gas, KN_LEFT, y, 0, "walls.left.velocity: 1 along y");
    refuse(gas, KN_LEFT, y, 0, "velocity.fold: none");
    refuse(mirrors, KN_LEFT, y, 0, "periodic ends");
    refuse(gas, KN_LEFT, bad, 0, "walls.left.velocity");
    refuse(gas, KN_LEFT, rest, INFINITY, "walls.left.temperature");
    refuse(gas, KN_SIDES, rest, 0, "no side 6");
    refuse(gas, -1, rest, 0, "no side -1");
    refuse(gas, KN_TOP, rest, 0, "walls.top.kind: periodic");
    refuse(finite, KN_RIGHT, x, 0, "displaces the wall");
    refuse(finite, KN_RIGHT, rest, -2, "below absolute zero");
    refuse("space.cells=4 velocity.nodes=6 walls.right.accommodation=0 collision.method=none", KN_RIGHT, x, 0,
           "accommodation 0");
}

/* A wall that moved when the simulation was created may stop and move again. */
static void a_wall_may_stop_and_go(void **state)
{
    (void)state;
    const double rest[3] = {0}, y[3] = {0, 1, 0};
    struct kn_case c;
    struct kn_sim *sim = open_case(
        &c, "cpu", "space.cells=4 velocity.nodes=6 collision.method=bgk walls.right.velocity=[0,1,0]");
    expect_ok(kn_sim_set_wall(sim, KN_RIGHT, rest, 0));
    expect_ok(kn_sim_advance(sim, 2));
    double *fields = fields_of(sim);
    for (int64_t i = 0; i < kn_sim_cells(sim) * KN_FIELDS; i++)
        expect_near("at rest", fields[i], 0, 0);
    free(fields);
    expect_ok(kn_sim_set_wall(sim, KN_RIGHT, y, 0));
    expect_ok(kn_sim_advance(sim, 2));
    fields = fields_of(sim);
    expect_between("dragged along", fields[3 * KN_FIELDS + KN_UY], 0.01, 1);
    free(fields);
    kn_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prescribed_walls_are_built_in_ones),
        cmocka_unit_test(plate_in_a_free_molecular_gas),
        cmocka_unit_test(plate_and_gas_share_momentum),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(a_wall_may_stop_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
