/* States that must not change: gas at rest, and gas in equilibrium with its walls. */
#include "expect.h"

#include "grid/velocity.h"
#include "point/equilibrium.h"

static const char *const METHODS[] = {"monte-carlo", "bgk", "shakhov", "es-bgk", "none"};

static float *rows_of(struct watch *w)
{
    float *rows = malloc((size_t)(kn_sim_cells(w->sim) * kn_sim_nodes(w->sim)) * sizeof *rows);
    assert_non_null(rows);
    expect_ok(kn_sim_get_rows(w->sim, 0, kn_sim_cells(w->sim), rows));
    return rows;
}

/* Largest |a - b|; b NULL is zero. */
static double distance(struct watch *w, const float *a, const float *b)
{
    double worst = 0;
    for (int64_t i = 0; i < kn_sim_cells(w->sim) * kn_sim_nodes(w->sim); i++)
        worst = fmax(worst, isfinite(a[i]) ? fabs(a[i] - (b ? b[i] : 0)) : INFINITY);
    return worst;
}

/* All values remain exactly zero: no tolerance. */
static void rest_stays_at_rest(void **state)
{
    (void)state;
    const char *const boxes[] = {
        "space.cells=[6,5] space.stretch=[0.9,0.8,1]",
        "space.cells=9 space.order=1 walls.left.accommodation=0.4",
        "space.cells=[3,3,3] walls.top.kind=specular walls.left.kind=symmetry",
        "space.cells=[4,4] walls.left.kind=periodic walls.right.kind=periodic velocity.grid=stretched "
        "time.splitting=lie",
    };
    for (int i = 0; i < 5 * 4 * 2; i++) {
        struct watch w;
        char text[512];
        snprintf(text, sizeof text,
                 "velocity.nodes=6 collision.samples=300 collision.method=%s %s disturbance=%g%s",
                 METHODS[i % 5], boxes[i / 5 % 4], i / 20 ? 0.1 : 0.0,
                 i % 5 || i % 2 ? "" : " collision.conservation=paper collision.estimator=paper");
        watch_open(&w, text);
        watch_advance(&w, 12);
        float *rows = rows_of(&w);
        expect_near(text, distance(&w, rows, NULL), 0, 0);
        free(rows);
        watch_close(&w);
    }
}

/* Fill every cell with one Maxwellian. */
static void fill(struct watch *w, double rho, const double u[3], double theta)
{
    struct kn_velocity v;
    expect_ok(kn_velocity_create(&v, &w->c));
    const struct kn_gaussian g = kn_gaussian_maxwellian(&v.basis, rho, u, theta);
    float *row = calloc((size_t)v.nnodes, sizeof *row);
    for (int octant = 0; octant < v.octants; octant++)
        for (int k = 0; k < v.size; k++) {
            float at[3];
            kn_velocity_at(&v, octant, k, at);
            row[octant * v.stride + k] = kn_gaussian_at(&g, &v.basis, at);
        }
    for (int64_t cell = 0; cell < kn_sim_cells(w->sim); cell++)
        expect_ok(kn_sim_put_rows(w->sim, cell, 1, row));
    free(row);
    kn_velocity_destroy(&v);
}

/* A hot gas that drifts with its walls.  At eps = 0 the moments that the models
 * use are exact on the gauss grid and only rounding is left; at eps = 0.1 the
 * Maxwellian is a series in v whose moments are accurate to 1e-6 with 12 nodes per axis. */
static void moving_hot_gas_stays_in_equilibrium_with_its_walls(void **state)
{
    (void)state;
    const char *const boxes[] = {
        "space.cells=8 walls.left.velocity=[0,0.5,0] walls.right.velocity=[0,0.5,0] "
        "walls.left.temperature=0.4 "
        "walls.right.temperature=0.4 walls.right.accommodation=0.5",
        "space.cells=[4,5] velocity.fold=none walls.left.kind=periodic walls.right.kind=periodic "
        "walls.bottom.velocity=[0,0,0.5] walls.top.velocity=[0,0,0.5] walls.bottom.temperature=0.4 "
        "walls.top.temperature=0.4",
    };
    for (int i = 0; i < 4 * 2 * 2; i++) {
        struct watch w;
        char text[512];
        const int box = i / 4 % 2;
        const double u[3] = {0, box ? 0 : 0.5, box ? 0.5 : 0};
        snprintf(text, sizeof text, "velocity.nodes=12 collision.method=%s disturbance=%g %s",
                 METHODS[1 + i % 4], i / 8 ? 0.1 : 0.0, boxes[box]);
        watch_open(&w, text);
        fill(&w, 0, u, 0.4);
        float *before = rows_of(&w);
        watch_advance(&w, 40);
        float *after = rows_of(&w);
        expect_below(text, distance(&w, after, before) / distance(&w, before, NULL), 1e-5);
        free(before);
        free(after);
        watch_close(&w);
    }
}

/* The operator keeps strong streams, cold and hot ones, for a long time. The nodes represent their
 * Maxwellians with the errors that are allowed here: 8 nodes are few for a cold stream. An instability grows
 * by 1 % per step. */
static void operator_keeps_strong_streams(void **state)
{
    (void)state;
    const struct {
        double rho, u, theta, change;
    } gases[] = {{-0.56, 0.71, -0.52, 0.05}, {0, 0.9, 0, 0.02}, {0.5, 0.3, 0.6, 0.02}};
    for (size_t i = 0; i < sizeof gases / sizeof *gases; i++) {
        struct watch w;
        watch_open(&w, "collision.method=operator disturbance=1 velocity.nodes=8 space.cells=2 "
                       "walls.left.kind=periodic walls.right.kind=periodic time.step=0.06 run.force=true");
        fill(&w, gases[i].rho, (const double[]){gases[i].u, 0, 0}, gases[i].theta);
        float *before = rows_of(&w);
        watch_advance(&w, 1000);
        float *after = rows_of(&w);
        expect_below("change of a stream", distance(&w, after, before) / distance(&w, before, NULL),
                     gases[i].change);
        free(before);
        free(after);
        watch_close(&w);
    }
}

/* Monte Carlo, density alone: g before equals g after in every sample. */
static void sampled_collisions_keep_a_uniform_density(void **state)
{
    (void)state;
    const double eps[] = {0, 0.1, 0.5}, still[3] = {0};
    for (int i = 0; i < 3; i++) {
        struct watch w;
        char text[512];
        snprintf(text, sizeof text,
                 "space.cells=1 walls.left.kind=periodic walls.right.kind=periodic velocity.nodes=8 "
                 "collision.method=monte-carlo collision.samples=5000 "
                 "disturbance=%g",
                 eps[i]);
        watch_open(&w, text);
        fill(&w, 0.75, still, 0);
        float *before = rows_of(&w);
        watch_advance(&w, 20);
        float *after = rows_of(&w);
        expect_near(text, distance(&w, after, before), 0, 0);
        free(before);
        free(after);
        watch_close(&w);
    }
}

/* Monte Carlo, temperature and drift: density, velocity and temperature are kept to rounding by the
 * correction; stress and heat flux are within the noise that is caused by moving velocities to nodes. */
static void sampled_collisions_keep_a_maxwellian(void **state)
{
    (void)state;
    const double eps[] = {0, 0.1}, u[3] = {0, 0.5, 0};
    for (int i = 0; i < 2; i++) {
        struct watch w;
        char text[512];
        snprintf(text, sizeof text,
                 "space.cells=1 walls.left.kind=periodic walls.right.kind=periodic velocity.fold=none "
                 "velocity.grid=stretched velocity.nodes=24 velocity.range=3.5 collision.method=monte-carlo "
                 "collision.samples=100000 "
                 "disturbance=%g "
                 "collision.conservation=%s",
                 eps[i], i ? "paper" : "projection");
        watch_open(&w, text);
        fill(&w, 0.2, u, 0.4);
        watch_look(&w);
        double before[KN_FIELDS];
        memcpy(before, w.fields, sizeof before);
        watch_advance(&w, 20);
        for (int f = 0; f < KN_FIELDS; f++)
            expect_near("field of a Maxwellian", w.fields[f], before[f], f <= KN_THETA ? 2e-6 : 0.01);
        watch_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_stays_at_rest),
        cmocka_unit_test(moving_hot_gas_stays_in_equilibrium_with_its_walls),
        cmocka_unit_test(operator_keeps_strong_streams),
        cmocka_unit_test(sampled_collisions_keep_a_uniform_density),
        cmocka_unit_test(sampled_collisions_keep_a_maxwellian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
