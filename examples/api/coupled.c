/* A plate on a spring, damped by the gas between it and a wall: two coupled solvers.
 *
 * The gas fills 0 < x < delta.  The right wall is a plate of mass M per area that moves along y;
 * a spring pulls it back, and the gas drags it with the stress that kn_sim_walls reports:
 *
 *     M dV/dt = (-K X + Pi_xy) / 2,    dX/dt = V
 *
 * with X in eps lambda0, V in eps V0, t in lambda0 / V0, Pi in eps p0, M in n0 m lambda0 and K in p0 /
 * lambda0; the factor 2 is that of p0 = n0 m V0^2 / 2.  X is defined at whole steps, V and Pi at the middle
 * of a step (leapfrog).
 *
 *     coupled [KEY=VALUE...]       as for knudsen run --set: coupled gas.delta=0.1 */
#include <knudsen.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double MASS = 1, SPRING = 2; /* a frequency of sqrt(SPRING / (2 MASS)) = 1 without gas */

static void try(enum kn_status status)
{
    if (status == KN_OK)
        return;
    fprintf(stderr, "coupled: %s\n", kn_error_message());
    exit(kn_status_exit_code(status));
}

/* Momentum along y of the gas above a unit of area, n0 m V0 lambda0 eps. */
static double momentum(struct kn_sim *sim, const struct kn_case *c)
{
    const int64_t cells = kn_sim_cells(sim);
    double(*field)[KN_FIELDS] = calloc((size_t)cells, sizeof *field), sum = 0;
    if (!field)
        exit(1);
    try(kn_sim_fields(sim, &field[0][0]));
    for (int64_t i = 0; i < cells; i++)
        sum += (1 + c->disturbance * field[i][KN_RHO]) * field[i][KN_UY] * c->gas.delta / (double)cells;
    free(field);
    return sum;
}

int main(int argc, char **argv)
{
    static const char *const settings[] = {
        "gas.delta=1",          "space.cells=40",     "velocity.nodes=16",
        "collision.method=bgk", "velocity.fold=none", /* the case has nothing that moves along y; the plate
                                                         will */
        "time.step=0.005",      "time.end=20",
    };
    struct kn_case c;
    kn_case_default(&c);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        try(kn_case_set(&c, settings[i]));
    for (int i = 1; i < argc; i++)
        try(kn_case_set(&c, argv[i]));

    struct kn_sim *sim;
    struct kn_wall_flux walls[KN_SIDES];
    try(kn_sim_create(&sim, &c));
    const double dt = kn_sim_time_step(sim);
    double x = 1, velocity[3] = {0, -dt / 2 * SPRING * x / (2 * MASS), 0}, start = MASS * velocity[1];
    double outside = 0;          /* momentum from the spring and the other wall */
    double swing[3] = {0, x, 0}; /* the last three turning points */

    printf("      t    turns at\n%7.3f  %10.6f\n", 0.0, x);
    while (kn_sim_time(sim) < c.time.end - dt / 2) {
        try(kn_sim_set_wall(sim, KN_RIGHT, velocity, 0));
        try(kn_sim_advance(sim, 1));
        try(kn_sim_walls(sim, walls));
        x += dt * velocity[1];
        const double before = velocity[1];
        velocity[1] += dt * (-SPRING * x + walls[KN_RIGHT].stress[1]) / (2 * MASS);
        outside += dt * (-SPRING * x + walls[KN_LEFT].stress[1]) / 2;
        if (before * velocity[1] < 0) {
            swing[0] = swing[1];
            swing[1] = swing[2];
            swing[2] = x;
            printf("%7.3f  %10.6f\n", kn_sim_time(sim), x);
        }
    }
    printf("\nquality factor         %.5f\n", acos(-1) / log(swing[0] / swing[2]));
    printf("momentum residual      %.1e\n", momentum(sim, &c) + MASS * velocity[1] - start - outside);
    kn_sim_destroy(sim);
    return 0;
}
