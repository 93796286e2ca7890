/* The velocity grid: quadrature, cell probabilities, folding. */
#include "expect.h"

#include "grid/velocity.h"

/* 1/2 Gamma((k + 1) / 2) / sqrt(pi): the moment of degree k over half an axis. */
static long double half_moment(int k)
{
    return expl(lgammal((k + 1) / 2.0L)) / (2 * sqrtl((long double)M_PI));
}

/* n nodes integrate degree 2n - 1 exactly; the remaining error is the rounding of the nodes to double, at
 * most (2n - 1) 2^-53 = 7e-15 relative at n = 32. */
static void gauss_is_exact_to_its_degree(void **state)
{
    (void)state;
    for (int n = 2; n <= 32; n++) {
        double node[32], weight[32], worst = 0;
        expect_ok(kn_velocity_half_gauss(n, node, weight));
        for (int k = 0; k < 2 * n; k++) {
            long double sum = 0;
            for (int i = 0; i < n; i++)
                sum += weight[i] * powl(node[i], k);
            worst = fmax(worst, (double)fabsl(sum / half_moment(k) - 1));
        }
        expect_below("relative error of the moments", worst, 1e-14);
        for (int i = 1; i < n; i++)
            assert_true(node[i] > node[i - 1] && weight[i] > 0);
    }
}

/* Degree 2n is not exact, which shows that the test can fail. */
static void gauss_is_not_exact_beyond(void **state)
{
    (void)state;
    double node[32], weight[32];
    for (int n = 2; n <= 8; n++) {
        long double sum = 0;
        expect_ok(kn_velocity_half_gauss(n, node, weight));
        for (int i = 0; i < n; i++)
            sum += weight[i] * powl(node[i], 2 * n);
        assert_true(fabsl(sum / half_moment(2 * n) - 1) > 1e-6L);
    }
}

static void gauss_refuses_other_sizes(void **state)
{
    (void)state;
    double node[33], weight[33];
    assert_int_equal(kn_velocity_half_gauss(0, node, weight), KN_EINPUT);
    assert_int_equal(kn_velocity_half_gauss(33, node, weight), KN_EINPUT);
}

static void build(struct kn_velocity *v, const char *settings)
{
    struct kn_case c;
    expect_case(&c, settings);
    expect_ok(kn_velocity_create(v, &c));
}

static void stretched_weights_are_cell_probabilities(void **state)
{
    (void)state;
    struct kn_velocity v;
    build(
        &v,
        "velocity.grid=stretched velocity.nodes=20 velocity.ratio=0.945 velocity.range=3 velocity.fold=none");
    assert_int_equal(v.half[0], 10);
    for (int d = 0; d < 3; d++) {
        double low = 0, first = 2 * v.node[d][0];
        for (int i = 0; i < v.half[d]; i++) {
            const double high = 2 * v.node[d][i] - low; /* a node is the centre of its cell */
            expect_relative("width of a cell", high - low, first * pow(0.945, -i), 1e-12);
            expect_relative("weight", v.weight[d][i], (erf(high) - erf(low)) / 2, 1e-12);
            expect_relative("edge", v.edge[d][i + 1], high, 1e-7); /* stored in float */
            low = high;
        }
        expect_near("range", low, 3, 1e-12);
    }
    kn_velocity_destroy(&v);
}

/* Edges are stored in float: an edge off by 6e-8 e moves the probability by at
 * most 6e-8 e exp(-e^2) 2/sqrt(pi) < 3e-8, twice per cell. */
static void edges_reproduce_weights(void **state)
{
    (void)state;
    const char *const grids[] = {"velocity.grid=gauss velocity.nodes=16",
                                 "velocity.grid=gauss velocity.nodes=64",
                                 "velocity.grid=stretched velocity.nodes=18 velocity.ratio=0.97"};
    for (int i = 0; i < 3; i++) {
        struct kn_velocity v;
        build(&v, grids[i]);
        for (int d = 0; d < 3; d++) {
            const double fold = v.bit[d] ? 2 : 1;
            assert_true(v.edge[d][0] == 0);
            for (int k = 0; k < v.half[d]; k++)
                expect_near("probability between the edges",
                            (erf(v.edge[d][k + 1]) - erf(v.edge[d][k])) / fold, v.weight[d][k], 6e-8);
        }
        kn_velocity_destroy(&v);
    }
}

/* <vx^a vy^b vz^c> over all stored nodes. */
static double moment(const struct kn_velocity *v, int a, int b, int c)
{
    double sum = 0;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->stride; k++)
            sum += v->w[k] * pow(kn_velocity_sign(v, octant, 0) * (double)v->speed[0][k], a) *
                   pow(kn_velocity_sign(v, octant, 1) * (double)v->speed[1][k], b) *
                   pow(kn_velocity_sign(v, octant, 2) * (double)v->speed[2][k], c);
    return sum;
}

/* Moments that are even along the folded axis must agree; single values have a round-off of 6e-8. */
static void compare_moments(const char *settings, int octants, int bits_x, int bits_y, int bits_z)
{
    struct kn_velocity folded, whole;
    char text[256];
    snprintf(text, sizeof text, "%s velocity.fold=none", settings);
    build(&folded, settings);
    build(&whole, text);
    assert_int_equal(folded.octants, octants);
    assert_int_equal(whole.octants, 8);
    assert_int_equal(folded.bit[0] != 0, bits_x);
    assert_int_equal(folded.bit[1] != 0, bits_y);
    assert_int_equal(folded.bit[2] != 0, bits_z);
    assert_int_equal(folded.nnodes, folded.octants * folded.stride);
    for (int a = 0; a <= 4; a++)
        for (int b = 0; b <= 4; b++)
            for (int c = 0; c <= 4; c++)
                if ((bits_x || a % 2 == 0) && (bits_y || b % 2 == 0) && (bits_z || c % 2 == 0))
                    expect_near("moment of the folded grid", moment(&folded, a, b, c),
                                moment(&whole, a, b, c),
                                4e-7 * moment(&whole, a + a % 2, b + b % 2, c + c % 2));
    kn_velocity_destroy(&folded);
    kn_velocity_destroy(&whole);
}

static void folding_keeps_the_moments(void **state)
{
    (void)state;
    const char *nodes[] = {"velocity.nodes=6", "velocity.nodes=12",
                           "velocity.grid=stretched velocity.nodes=20"};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s space.cells=[4,4] walls.top.velocity=[1,0,0]", nodes[i]); /* cavity */
        compare_moments(text, 4, 1, 1, 0);
        snprintf(text, sizeof text, "%s space.cells=4", nodes[i]); /* heat flow between plates */
        compare_moments(text, 2, 1, 0, 0);
        snprintf(text, sizeof text, "%s space.cells=4 walls.right.velocity=[0,0,1]", nodes[i]); /* Couette */
        compare_moments(text, 4, 1, 0, 1);
        snprintf(text, sizeof text, "%s space.cells=4 source.force=[0,1,0]", nodes[i]); /* Poiseuille */
        compare_moments(text, 4, 1, 1, 0);
        snprintf(text, sizeof text,
                 "%s space.cells=4 walls.left.kind=far-field walls.left.gradient.velocity=[0,0,1]", nodes[i]);
        compare_moments(text, 4, 1, 0, 1);
        snprintf(text, sizeof text, "%s space.cells=4 walls.left.kind=inflow walls.left.velocity=[1,0,0]",
                 nodes[i]); /* inflow along x */
        compare_moments(text, 2, 1, 0, 0);
        snprintf(text, sizeof text, "%s space.cells=[4,4,4]", nodes[i]);
        compare_moments(text, 8, 1, 1, 1);
    }
}

/* Padding must carry no weight, and every octant sees the same |v|. */
static void padding_has_no_weight(void **state)
{
    (void)state;
    struct kn_velocity v;
    build(&v, "velocity.nodes=6 space.cells=[4,4,4]");
    assert_int_equal(v.size, 27);
    assert_int_equal(v.stride % 4, 0);
    assert_true(v.stride >= v.size);
    for (int k = v.size; k < v.stride; k++)
        assert_true(v.w[k] == 0);
    for (int k = 0; k < v.size; k++) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (double)v.speed[d][k] * v.speed[d][k];
        expect_relative("v.v", v.square[k], square, 3e-7);
    }
    kn_velocity_destroy(&v);
}

/* Moments of the two families: gauss is exact; the paper's grid has known errors (<|v|> +1.2 %, <v^2> +1.6 %,
 * <v^4> +3.3 %), per axis, given as ratios with one digit after the point. */
static void moments_of_the_two_families(void **state)
{
    (void)state;
    struct kn_velocity gauss, paper;
    build(&gauss, "velocity.nodes=12");
    build(&paper, "velocity.grid=stretched velocity.nodes=20 velocity.ratio=0.945 velocity.range=3");
    const double exact[] = {1, 0.5, 0.75}, off[] = {1, 1.016, 1.033};
    for (int i = 0; i < 3; i++) {
        expect_relative("gauss moment", moment(&gauss, 2 * i, 0, 0), exact[i], 2e-7);
        expect_relative("stretched moment", moment(&paper, 2 * i, 0, 0), exact[i] * off[i], 1e-3);
    }
    kn_velocity_destroy(&gauss);
    kn_velocity_destroy(&paper);
}

/* The paper's weights, width times density at the centre: cells and nodes stay, the sum of the weights is
 * 0.15 % below 1 per axis, and the second and fourth moments by 0.06 and 0.28 % (the midpoint rule on these
 * cells, computed apart from the program). */
static void midpoint_weights(void **state)
{
    (void)state;
#define GRID "velocity.grid=stretched velocity.nodes=20 velocity.ratio=0.945 velocity.range=3 "
    struct kn_velocity exact, midpoint;
    build(&exact, GRID "velocity.fold=none");
    build(&midpoint, GRID "velocity.fold=none velocity.weights=midpoint");
    double low = 0;
    for (int i = 0; i < 10; i++) {
        const double v = exact.node[0][i], width = 2 * (v - low);
        assert_true(midpoint.node[0][i] == v && midpoint.edge[0][i] == exact.edge[0][i]);
        expect_relative("weight", midpoint.weight[0][i], width * exp(-v * v) / sqrt(M_PI), 1e-12);
        low += width;
    }
    const double moments[] = {1, 0.5, 0.75}, off[] = {0.99853, 0.99937, 0.99724}; /* of one axis */
    for (int i = 0; i < 3; i++)
        expect_relative("moment", moment(&midpoint, 2 * i, 0, 0), moments[i] * off[i] * off[0] * off[0],
                        2e-5);
    kn_velocity_destroy(&exact);
    kn_velocity_destroy(&midpoint);
#undef GRID
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss_is_exact_to_its_degree),
        cmocka_unit_test(gauss_is_not_exact_beyond),
        cmocka_unit_test(gauss_refuses_other_sizes),
        cmocka_unit_test(stretched_weights_are_cell_probabilities),
        cmocka_unit_test(edges_reproduce_weights),
        cmocka_unit_test(folding_keeps_the_moments),
        cmocka_unit_test(padding_has_no_weight),
        cmocka_unit_test(moments_of_the_two_families),
        cmocka_unit_test(midpoint_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
