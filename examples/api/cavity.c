/* A square cavity whose lid moves: drag on the lid, and the flow on the line below its middle.
 *
 *     cavity [KEY=VALUE...]        as for knudsen run --set: cavity gas.delta=10 */
#include <knudsen.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Every call returns a status; the message of a failure names the key and the allowed values. */
static void try(enum kn_status status)
{
    if (status == KN_OK)
        return;
    fprintf(stderr, "cavity: %s\n", kn_error_message());
    exit(kn_status_exit_code(status));
}

int main(int argc, char **argv)
{
    struct kn_case c;
    kn_case_default(&c);
    c.gas.delta = 1;
    c.collision.method = KN_METHOD_BGK;
    c.walls[KN_TOP].velocity[0] = 1;              /* eps V0 */
    c.time.end = 8;                               /* lambda0 / V0 */
    try(kn_case_set(&c, "space.cells=[21, 21]")); /* z is not used */
    for (int i = 1; i < argc; i++)
        try(kn_case_set(&c, argv[i]));

    struct kn_sim *sim;
    try(kn_sim_create(&sim, &c));
    const int nx = c.space.cells[0], ny = c.space.cells[1];
    double(*field)[KN_FIELDS] = calloc((size_t)kn_sim_cells(sim), sizeof *field);
    struct kn_wall_flux walls[KN_SIDES];
    if (!field)
        return 1;
    printf("     t         D\n");
    for (int report = 1; report <= 10; report++) {
        const int64_t step = llround(report * c.time.end / 10 / kn_sim_time_step(sim));
        try(kn_sim_advance(sim, step - kn_sim_steps(sim)));
        try(kn_sim_walls(sim, walls));
        printf("%6.3f  %.6f\n", kn_sim_time(sim), walls[KN_TOP].shear_magnitude);
    }

    double flow = 0; /* along the line, counted over both directions */
    try(kn_sim_fields(sim, &field[0][0]));
    printf("\n   y/L        ux\n");
    for (int y = 0; y < ny; y++) {
        const double ux = field[y * nx + nx / 2][KN_UX]; /* for odd nx a column of cells is in the middle */
        printf("%6.3f  %8.5f\n", (y + 0.5) / ny, ux);
        flow += fabs(ux) / ny;
    }
    printf("\nD = %.6f   G = %.6f\n", walls[KN_TOP].shear_magnitude, flow);
    kn_sim_destroy(sim);
    free(field);
    return 0;
}
