/* The driven cavity with the BGK equation, and symmetries that hold for any method. */
#include "expect.h"

#define BGK "collision.method=bgk walls.top.velocity=[1,0,0] time.courant=0.9 "

/* An independent program with the same discretisation (second order, 40 x 40 cells, 12 nodes) found
 * D = 0.6346, G = 0.1032; the limit of fine grids is 0.63477 and 0.10456, from which order 3 differs by 0.1
 * and 0.4 %.  t = 8 is steady to 1e-4.  h is quadratic in v_z, for which 6 nodes are exact. */
static void bgk_at_delta_1(void **state)
{
    (void)state;
    struct watch w;
    watch_run(&w, BGK "gas.delta=1 space.cells=[40,40] space.order=2 velocity.nodes=[12,12,6] time.end=8");
    expect_near("D, order 2", w.row->drag, 0.6346, 0.002);
    expect_near("G, order 2", w.row->vortex_flow, 0.1032, 0.001);
    watch_close(&w);
    watch_run(&w, BGK "gas.delta=1 space.cells=[40,40] space.order=3 velocity.nodes=[12,12,6] time.end=8");
    expect_near("D, order 3", w.row->drag, 0.63477, 0.001);
    expect_near("G, order 3", w.row->vortex_flow, 0.10456, 0.0006);
    watch_close(&w);
}

/* delta = 10: D = 0.4188 in the limit of fine grids; 0.4190 on this one.  The slowest viscous mode decays as
 * exp(-t / 10): by t = 60 to 0.3 %. */
static void bgk_at_delta_10(void **state)
{
    (void)state;
    struct watch w;
    watch_run(&w, BGK "gas.delta=10 space.cells=[40,40] space.order=3 velocity.nodes=[12,12,6] time.end=60");
    expect_near("D", w.row->drag, 0.4188, 0.002);
    watch_close(&w);
}

/* Hard spheres by the assembled operator on 8 nodes per axis.  An independent computation (ray integration,
 * extrapolated) found D = 0.6406(2), G = 0.1034(1); 8 nodes cause an error of 0.2 % in D and 1 % in G.
 * There is no sampling: the steady state is constant up to round-off. */
static void operator_at_delta_1(void **state)
{
    (void)state;
    struct watch w;
    double drag[2], flow[2];
    watch_open(&w, "collision.method=operator walls.top.velocity=[1,0,0] time.courant=0.9 gas.delta=1 "
                   "space.cells=[40,40] space.order=3 velocity.nodes=8 time.end=20");
    for (int i = 0; i < 2; i++) {
        watch_until(&w, 14 + 6 * i);
        drag[i] = w.row->drag;
        flow[i] = w.row->vortex_flow;
    }
    expect_near("D", drag[1], 0.6406, 0.002);
    expect_near("G", flow[1], 0.1034, 0.0012);
    expect_relative("D stands still", drag[1], drag[0], 1e-6);
    expect_relative("G stands still", flow[1], flow[0], 1e-6);
    watch_close(&w);
}

/* Largest difference of the fields of two runs, divided by the largest field. */
static double distance(const struct watch *a, const struct watch *b)
{
    double worst = 0, size = 0;
    for (int64_t i = 0; i < kn_sim_cells(a->sim) * KN_FIELDS; i++) {
        worst = fmax(worst, fabs(a->fields[i] - b->fields[i]));
        size = fmax(size, fabs(a->fields[i]));
    }
    return worst / size;
}

/* One periodic cell along z has no effect, folded or unfolded. */
static void cavity_in_three_dimensions(void **state)
{
    (void)state;
    const char *const methods[] = {"bgk", "monte-carlo collision.samples=1000", "shakhov disturbance=0.1"};
    for (int i = 0; i < 3; i++) {
        struct watch flat, deep, open;
        char text[512];
        const char *format =
            "walls.top.velocity=[1,0,0] space.cells=%s velocity.nodes=8 time.end=0.5 collision.method=%s %s";
        const char *periodic = "walls.back.kind=periodic walls.front.kind=periodic";
        snprintf(text, sizeof text, format, "[12,12]", methods[i], "");
        watch_run(&flat, text);
        snprintf(text, sizeof text, format, "[12,12,1]", methods[i], periodic);
        watch_run(&deep, text);
        expect_near("fields in 3-D", distance(&flat, &deep), 0, 1e-7);
        expect_near("D in 3-D", deep.row->drag, flat.row->drag, 1e-7);
        expect_near("G in 3-D", deep.row->vortex_flow, flat.row->vortex_flow, 1e-7);
        if (i != 1) { /* without folding the samples use other nodes */
            snprintf(text, sizeof text, format, "[12,12]", methods[i], "velocity.fold=none");
            watch_run(&open, text);
            expect_near("fields, unfolded", distance(&flat, &open), 0, 5e-6);
            watch_close(&open);
        }
        watch_close(&flat);
        watch_close(&deep);
    }
}

/* Value of a field in the mirror image x -> -x. */
static double mirrored(const struct watch *w, int64_t cell, int field)
{
    const int nx = w->c.space.cells[0], x = (int)(cell % nx);
    const bool odd = field == KN_UX || field == KN_PXY || field == KN_PXZ || field == KN_QX;
    return (odd ? -1 : 1) * watch_field(w, cell - x + (nx - 1 - x), (enum kn_field)field);
}

/* A lid that moves in the opposite direction gives the mirror image, up to single-precision round-off. */
static void mirrored_cavity(void **state)
{
    (void)state;
    const char *const methods[] = {"bgk", "shakhov disturbance=0.1", "es-bgk space.order=1", "none"};
    for (int i = 0; i < 4; i++) {
        struct watch right, left;
        char text[512];
        double worst = 0, size = 0;
        const char *format = "space.cells=[13,12] velocity.nodes=8 space.stretch=[0.9,0.9,1] time.end=1 "
                             "walls.top.velocity=[%d,0,0] walls.bottom.temperature=0.3 collision.method=%s";
        snprintf(text, sizeof text, format, 1, methods[i]);
        watch_run(&right, text);
        snprintf(text, sizeof text, format, -1, methods[i]);
        watch_run(&left, text);
        for (int64_t cell = 0; cell < 13 * 12; cell++)
            for (int f = 0; f < KN_FIELDS; f++) {
                worst =
                    fmax(worst, fabs(mirrored(&left, cell, f) - watch_field(&right, cell, (enum kn_field)f)));
                size = fmax(size, fabs(watch_field(&right, cell, (enum kn_field)f)));
            }
        expect_below("mirror image", worst / size, 1e-6);
        expect_relative("D", left.row->drag, right.row->drag, 1e-6);
        expect_relative("G", left.row->vortex_flow, right.row->vortex_flow, 1e-6);
        watch_close(&right);
        watch_close(&left);
    }
}

/* eps -> 0 loses no digits: 1e-8 against the linearised equation. */
static void small_disturbance_is_linear(void **state)
{
    (void)state;
    const char *const methods[] = {
        "bgk",
        "monte-carlo collision.samples=2000",
        "monte-carlo collision.samples=2000 collision.estimator=paper collision.conservation=paper",
        "shakhov",
        "es-bgk",
        "none"};
    for (int i = 0; i < 6; i++) {
        struct watch zero, small;
        char text[512];
        const char *format =
            "walls.top.velocity=[1,0,0] walls.left.temperature=0.5 space.cells=[10,10] velocity.nodes=8 "
            "time.end=1 disturbance=%s collision.method=%s";
        snprintf(text, sizeof text, format, "0", methods[i]);
        watch_run(&zero, text);
        snprintf(text, sizeof text, format, "1e-8", methods[i]);
        watch_run(&small, text);
        expect_below(text, distance(&zero, &small), 1e-5);
        expect_near("D", small.row->drag, zero.row->drag, 1e-5);
        expect_near("G", small.row->vortex_flow, zero.row->vortex_flow, 1e-5);
        watch_close(&zero);
        watch_close(&small);
    }
}

/* Small cells at the corners of the lid change D by the error of the uniform grid there; both are second
 * order, so 24 x 24 cells differ by less than 1 %. */
static void stretched_cells_agree_with_uniform(void **state)
{
    (void)state;
    struct watch uniform, stretched;
    watch_run(&uniform, BGK "space.cells=[24,24] velocity.nodes=8 time.end=8");
    watch_run(&stretched, BGK "space.cells=[24,24] velocity.nodes=8 time.end=8 space.stretch=[0.95,0.97,1]");
    expect_relative("D", stretched.row->drag, uniform.row->drag, 0.01);
    expect_relative("G", stretched.row->vortex_flow, uniform.row->vortex_flow, 0.01);
    watch_close(&uniform);
    watch_close(&stretched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bgk_at_delta_1),
        cmocka_unit_test(bgk_at_delta_10),
        cmocka_unit_test(operator_at_delta_1),
        cmocka_unit_test(cavity_in_three_dimensions),
        cmocka_unit_test(mirrored_cavity),
        cmocka_unit_test(small_disturbance_is_linear),
        cmocka_unit_test(stretched_cells_agree_with_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
