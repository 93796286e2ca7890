/* Free streaming of a smooth periodic wave: the observed order of accuracy. */
#include "expect.h"

#include "grid/velocity.h"

/* The cell average of cos(k.(x - v t)), the exact solution for one velocity. */
static double exact(const struct kn_case *c, const struct kn_space *space, int64_t cell, const double v[3],
                    double t)
{
    const int at[3] = {(int)(cell % space->cells[0]), (int)(cell / space->cells[0] % space->cells[1]),
                       (int)(cell / (space->cells[0] * space->cells[1]))};
    double phase = 0, average = 1;
    for (int d = 0; d < 3; d++) {
        const double *edge = space->edges[d] + at[d];
        const double k = 2 * M_PI * c->initial.wave[d] / space->edges[d][space->cells[d]];
        const double half = k * (edge[1] - edge[0]) / 2;
        phase += k * ((edge[0] + edge[1]) / 2 - v[d] * t);
        average *= half != 0 ? sin(half) / half : 1;
    }
    return average * cos(phase);
}

/* Mean of |h - exact| over cells and velocities. */
static double error_of(const char *settings)
{
    struct watch w;
    struct kn_velocity v;
    double sum = 0, weight = 0;
    watch_run(&w, settings);
    const struct kn_space *space = kn_sim_space(w.sim);
    expect_ok(kn_velocity_create(&v, &w.c));
    float *row = calloc((size_t)v.nnodes, sizeof *row);
    for (int64_t cell = 0; cell < kn_sim_cells(w.sim); cell++) {
        expect_ok(kn_sim_get_rows(w.sim, cell, 1, row));
        for (int n = 0; n < v.octants * v.size; n++) {
            const int octant = n / v.size, k = n % v.size;
            double at[3];
            for (int d = 0; d < 3; d++)
                at[d] = kn_velocity_sign(&v, octant, d) * (double)v.speed[d][k];
            const double share = v.w[k] * space->volume[cell];
            sum += share * fabs(row[octant * v.stride + k] - exact(&w.c, space, cell, at, w.row->time));
            weight += share;
        }
    }
    free(row);
    kn_velocity_destroy(&v);
    watch_close(&w);
    return sum / weight;
}

/* log2 of the ratio of errors under two refinements, both within the bounds. */
static void check_order(const char *format, const int cells[3], double low, double high)
{
    double error[3];
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text, format, cells[i], cells[i]);
        error[i] = error_of(text);
    }
    for (int i = 0; i < 2; i++)
        expect_between(format, log2(error[i] / error[i + 1]), low, high);
}

#define LINE                                                                                                 \
    "collision.method=none space.cells=%d walls.left.kind=periodic walls.right.kind=periodic "               \
    "initial.shape=density "                                                                                 \
    "initial.wave=[1,0,0] velocity.nodes=6 time.end=0.5 "
#define SQUARE                                                                                               \
    "collision.method=none space.cells=[%d,%d] walls.left.kind=periodic walls.right.kind=periodic "          \
    "walls.bottom.kind=periodic walls.top.kind=periodic initial.shape=density initial.wave=[1,1,0] "         \
    "velocity.nodes=4 "                                                                                      \
    "time.end=0.4 "

static const int ALONG[3] = {64, 128, 256}, ACROSS[3] = {32, 64, 128};

/* First order: error terms of second order still lower the observed order of
 * the fastest velocities, whose waves are damped by exp(-k^2 v dx t / 2). */
static void first_order(void **state)
{
    (void)state;
    check_order(LINE "space.order=1", ALONG, 0.85, 1.05);
    check_order(SQUARE "space.order=1", ACROSS, 0.75, 1.05);
}

/* Second order, without a limiter: the plain scheme.  Along the diagonal the errors of the two axes partly
 * cancel on coarse cells, so that the observed order is above 2. */
static void second_order(void **state)
{
    (void)state;
    check_order(LINE "space.order=2 space.limiter=none", ALONG, 1.9, 2.1);
    check_order(SQUARE "space.order=2 space.limiter=none", ACROSS, 1.9, 2.6);
}

/* Limiters flatten the crests.  The affected part of the wave shrinks with the cells, so that the order of
 * the mean error is near 2. */
static void limited_second_order(void **state)
{
    (void)state;
    check_order(LINE "space.order=2 space.limiter=van-leer", ALONG, 1.75, 2.4);
    check_order(LINE "space.order=2 space.limiter=mc", ALONG, 1.75, 2.4);
    check_order(LINE "space.order=2 space.limiter=minmod", ALONG, 1.6, 2.4);
    check_order(SQUARE "space.order=2 space.limiter=van-leer", ACROSS, 1.75, 2.4);
}

/* Smoothly stretched cells keep the order, as widths differ by O(dx^2) between
 * neighbours when the ratio is 1 - O(dx). */
static void second_order_on_stretched_cells(void **state)
{
    (void)state;
    double error[3];
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text, LINE "space.order=2 space.limiter=none space.stretch=[%.9f,1,1]",
                 ALONG[i], pow(0.25, 2.0 / ALONG[i]));
        error[i] = error_of(text);
    }
    for (int i = 0; i < 2; i++)
        expect_between("stretched cells", log2(error[i] / error[i + 1]), 1.8, 2.2);
}

/* Third order along one axis.  In two dimensions the corner transport adds an error of second order that is
 * proportional to the time step. */
static void third_order(void **state)
{
    (void)state;
    const int coarse[3] = {16, 32, 64}, coarsest[3] = {8, 16, 32};
    check_order(LINE "space.order=3 time.courant=0.9", coarse, 2.9, 3.05);
    check_order(LINE "space.order=3 time.courant=0.3", coarse, 2.9, 3.05);
    check_order(SQUARE "space.order=3 time.courant=0.9", coarse, 2.0, 2.3);
    check_order(SQUARE "space.order=3 time.courant=0.05", coarsest, 2.7, 3);
}

static void third_order_on_stretched_cells(void **state)
{
    (void)state;
    double error[3];
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text, LINE "space.order=3 space.stretch=[%.9f,1,1]", 32 << i,
                 pow(0.25, 2.0 / (32 << i)));
        error[i] = error_of(text);
    }
    for (int i = 0; i < 2; i++)
        expect_between("stretched cells", log2(error[i] / error[i + 1]), 2.9, 3.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_order),          cmocka_unit_test(second_order),
        cmocka_unit_test(limited_second_order), cmocka_unit_test(second_order_on_stretched_cells),
        cmocka_unit_test(third_order),          cmocka_unit_test(third_order_on_stretched_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
