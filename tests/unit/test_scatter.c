/* Matrices of the Cercignani-Lampis kernel: mass, reciprocity, and Maxwellians that become Maxwellians. */
#include "expect.h"

#include "config/case.h"
#include "grid/scatter.h"
#include "point/wall.h"

enum { MOST = KN_VELOCITY_LINE };

/* All velocities of an axis in one matrix; the normal axis has only v > 0, with the weights of the flux. */
struct axis {
    int n;
    double node[MOST], weight[MOST], matrix[MOST][MOST];
};

static void take_axis(const struct kn_velocity *v, int d, int normal, const float *matrices, struct axis *a)
{
    const int half = v->half[d];
    a->n = d != normal && v->bit[d] ? 2 * half : half;
    for (int i = 0; i < a->n; i++) {
        a->node[i] = (i < half ? 1 : -1) * v->node[d][i % half];
        a->weight[i] = v->weight[d][i % half] * (d == normal ? a->node[i] : 1);
        for (int j = 0; j < a->n; j++) {
            const int row = i / half, column = j / half;
            a->matrix[i][j] =
                matrices[kn_wall_matrix(v->half, d, 2 * row + (row != column)) + i % half * half + j % half];
        }
    }
}

static void open_grid(struct kn_velocity *v, const char *settings)
{
    struct kn_case c;
    expect_case(&c, settings);
    expect_ok(kn_case_check(&c));
    expect_ok(kn_velocity_create(v, &c));
}

static const struct kn_scatter walls[] = {
    {0.3, 0.2, {0, 0, 0}, 0},
    {1.6, 0.9, {0, 0, 0}, 0},
    {0.5, 0.4, {0, 0.6, -0.4}, -0.5},
    {1.4, 0.7, {0, 0.3, 0.2}, 0.4},
};

/* The error of sums over the nodes of walls of other temperatures than the reference: it decreases
 * exponentially. */
static const double quadrature[] = {5e-3, 5e-5};

static const char *const grids[] = {
    "space.cells=[4,4,4] velocity.nodes=12 disturbance=1 walls.top.velocity=[1,0,1]",
    "space.cells=[4,4] collision.method=bgk velocity.nodes=24 disturbance=1 walls.top.velocity=[1,0,1]",
};

/* Rounding of the matrices to single precision is below 2^-24 of their largest entry, times the nodes. */
static void mass_is_exact(void **state)
{
    (void)state;
    for (size_t g = 0; g < 2; g++) {
        struct kn_velocity v;
        open_grid(&v, grids[g]);
        float *matrices = calloc(kn_scatter_size(&v), sizeof *matrices);
        assert_non_null(matrices);
        for (size_t w = 0; w < sizeof walls / sizeof *walls; w++) {
            kn_scatter_fill(&v, 0, &walls[w], matrices);
            for (int d = 0; d < 3; d++) {
                struct axis a;
                take_axis(&v, d, 0, matrices, &a);
                for (int j = 0; j < a.n; j++) {
                    double sum = 0, size = 0;
                    for (int i = 0; i < a.n; i++) {
                        sum += a.weight[i] * a.matrix[i][j];
                        size += fabs(a.weight[i] * a.matrix[i][j]);
                    }
                    expect_near("column", sum, a.weight[j], 1e-7 * size);
                }
            }
        }
        free(matrices);
        kn_velocity_destroy(&v);
    }
}

/* The flux of a molecule from b to a in equilibrium with the wall is that from a to b: exactly on the grid if
 * the wall has temperature and velocity of the reference, otherwise for the low degrees of the functions a
 * and b that moments have. */
static void is_reciprocal(void **state)
{
    (void)state;
    for (size_t g = 0; g < 2; g++) {
        struct kn_velocity v;
        open_grid(&v, grids[g]);
        float *matrices = calloc(kn_scatter_size(&v), sizeof *matrices);
        assert_non_null(matrices);
        for (size_t w = 0; w < sizeof walls / sizeof *walls; w++) {
            kn_scatter_fill(&v, 0, &walls[w], matrices);
            for (int d = 0; d < 3; d++) {
                struct axis a;
                const double t = 1 + walls[w].temperature, u = walls[w].velocity[d];
                take_axis(&v, d, 0, matrices, &a);
                for (int i = 0; i < a.n && w < 2; i++)
                    for (int j = 0; j < i; j++)
                        expect_near("exact", a.weight[i] * a.matrix[i][j], a.weight[j] * a.matrix[j][i],
                                    2e-7 * (fabs(a.weight[i] * a.matrix[i][j]) +
                                            fabs(a.weight[j] * a.matrix[j][i]) + 1e-7));
                for (int k = 0; k < 3 && !kn_velocity_is_reduced(&v, d); k++)
                    for (int l = 0; l < k; l++) {
                        double forth = 0, back = 0, size = 0;
                        for (int i = 0; i < a.n; i++)
                            for (int j = 0; j < a.n; j++) {
                                const double x = a.node[j], wall = exp(x * x - (x - u) * (x - u) / t),
                                             flow = a.weight[i] * a.matrix[i][j] * wall;
                                const int power = d == 0 ? 2 : 1;
                                forth += flow * pow(a.node[i], power * k) * pow(x, power * l);
                                back += flow * pow(a.node[i], power * l) * pow(x, power * k);
                                size += a.weight[i] * (i == j ? wall * pow(fabs(x), power * (k + l)) : 0);
                            }
                        expect_near("low degrees", forth, back, quadrature[g] * size);
                    }
            }
        }
        free(matrices);
        kn_velocity_destroy(&v);
    }
}

/* Of a Maxwellian of velocity u and temperature T comes one of velocity u' = a u_w + (1 - a) u and
 * temperature T_w + (1 - a)^2 (T - T_w), of the flux of one normal to the wall the temperature T_w + (1 - a)
 * (T - T_w). */
static void maxwellians(void **state)
{
    (void)state;
    for (size_t run = 0; run < 2 * sizeof walls / sizeof *walls; run++) {
        const size_t g = run % 2, w = run / 2;
        struct kn_velocity v;
        open_grid(&v, grids[g]);
        float *matrices = calloc(kn_scatter_size(&v), sizeof *matrices);
        assert_non_null(matrices);
        const double wall = 1 + walls[w].temperature, t = 1.2;
        kn_scatter_fill(&v, 0, &walls[w], matrices);
        for (int d = 0; d < 3 && !(kn_velocity_is_reduced(&v, d)); d++) {
            struct axis a;
            const double r = 1 - (d == 0 ? walls[w].normal : walls[w].tangential), u = d == 0 ? 0 : 0.2,
                         to = wall + (d == 0 ? r : r * r) * (t - wall),
                         u_to = d == 0 ? 0 : r * u + (1 - r) * walls[w].velocity[d];
            take_axis(&v, d, 0, matrices, &a);
            for (int k = 0; k < 4; k++) {
                double leaves = 0, exact = 0;
                for (int i = 0; i < a.n; i++) {
                    double h = 0;
                    const double x = a.node[i], moment = a.weight[i] * pow(x, d == 0 ? 2 * k : k);
                    for (int j = 0; j < a.n; j++)
                        h += a.matrix[i][j] *
                             exp(a.node[j] * a.node[j] - (a.node[j] - u) * (a.node[j] - u) / t);
                    leaves += moment * h * (d == 0 ? 1 / t : 1 / sqrt(t));
                    exact +=
                        moment * exp(x * x - (x - u_to) * (x - u_to) / to) * (d == 0 ? 1 / to : 1 / sqrt(to));
                }
                expect_relative("moment", leaves, exact, quadrature[g]);
            }
        }
        free(matrices);
        kn_velocity_destroy(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_is_exact),
        cmocka_unit_test(is_reciprocal),
        cmocka_unit_test(maxwellians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
