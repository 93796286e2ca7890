/* Cells that smooth bodies cut: volumes, areas and closure against exact values, for any position on the
 * cells. */
#include "expect.h"

#include "config/shape.h"
#include "grid/space.h"
#include "scratch.h"

static void make(struct kn_space *x, struct kn_case *c, const char *settings)
{
    expect_case(c, settings);
    expect_ok(kn_case_check(c));
    expect_ok(kn_space_create(x, c, NULL));
}

static double gas_volume(const struct kn_space *x)
{
    double sum = 0;
    for (int cell = 0; cell < x->ncells; cell++)
        sum += x->volume[cell];
    return sum;
}

/* Area of the surface of a body. */
static double body_area(const struct kn_space *x, int body)
{
    double sum = 0;
    for (int i = 0; i < x->volumes.nfacets; i++)
        sum += x->volumes.facets[i].surface == KN_SIDES + body ? x->volumes.facets[i].area : 0;
    return sum;
}

/* Faces of whole cells have areas in single precision, and the facets that close a surface differ from exact
 * ones by as much. */
static const double ROUND_OFF = 2e-7;

/* Every control volume is closed, has the size of a whole cell, and agrees with its neighbours about the
 * links: the areas of a link between control volumes add up to zero.  A facet that is too small does not
 * close its volume. */
static void expect_closed(const struct kn_space *x, double whole)
{
    const struct kn_volumes *v = &x->volumes;
    const size_t rows = kn_volumes_rows(v, x->nfaces);
    double *links = calloc(rows, sizeof *links);
    assert_non_null(links);
    assert_true(v->count > 0);
    for (int i = 0; i < v->count; i++) {
        double sum[3] = {0}, facet = 0, face = 0;
        for (int k = 0; k < v->list[i].pieces; k++) {
            const struct kn_piece *p = &v->pieces[v->list[i].first_piece + k];
            for (int d = 0; d < 3; d++) {
                sum[d] += p->area[d];
                face = fmax(face, fabs(p->area[d]));
            }
            if (p->axis < 0 && v->facets[p->row - x->nfaces].axis < 0)
                facet = fmax(facet, v->facets[p->row - x->nfaces].area);
            if (p->row >= x->nfaces + v->nfacets + v->nlinks)
                links[p->row] += p->area[p->axis];
        }
        for (int d = 0; d < 3; d++)
            expect_near("sum of the areas of a control volume", sum[d], 0,
                        facet > 1e-3 * face ? 1e-13 * whole : ROUND_OFF * face);
        expect_between("size of a control volume", v->list[i].size, whole * (1 - 1e-8), 8 * whole);
        assert_true(x->volume[v->list[i].cell] > 0 && !x->solid[v->list[i].cell]);
    }
    for (size_t row = 0; row < rows; row++)
        expect_near("link", links[row], 0, 1e-13 * whole);
    free(links);
}

/* The chords of a circle are inside cells: their angle is at most sqrt(2) (width / radius), and they lose a
 * sixth of its square of the area, a 24th of the length. */
static void circles(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 20; i++) {
        char text[512];
        struct kn_case c;
        struct kn_space x;
        const int outside = i % 2;
        snprintf(
            text, sizeof text,
            "space.cells=[20,20] bodies.wire.cylinder.centre=[%.17g,%.17g] bodies.wire.cylinder.radius=0.3 "
            "bodies.wire.outside=%s",
            0.5 + 0.05 * expect_random(&seed), 0.5 + 0.05 * expect_random(&seed), outside ? "true" : "false");
        make(&x, &c, text);
        const double exact = M_PI * 0.09, bound = pow(0.05 / 0.3, 2) / 3;
        expect_closed(&x, 1.0 / 400);
        expect_relative("area", outside ? gas_volume(&x) : 1 - gas_volume(&x), exact, bound);
        expect_relative("length", body_area(&x, 0), 2 * M_PI * 0.3, bound / 4);
        kn_space_destroy(&x);
    }
}

/* Straight edges are exact, also where corners, edges of cells or other bodies are. */
static void polygons(void **state)
{
    (void)state;
    static const struct {
        const char *bodies;
        double gas, length[2]; /* of the visible parts */
    } shapes[] = {
        {"bodies.a.polygon=[0.25,0.25,0.75,0.25,0.75,0.75,0.25,0.75]", 0.75, {2, 0}},
        {"bodies.a.polygon=[0.2,0.5,0.5,0.2,0.8,0.5,0.5,0.8]", 1 - 0.18, {4 * 0.42426406871192851, 0}},
        {"bodies.a.polygon=[0.5,0.8,0.8,0.5,0.5,0.2,0.2,0.5] bodies.a.outside=true",
         0.18,
         {4 * 0.42426406871192851, 0}},
        {"bodies.a.polygon=[0.2,0.2,0.6,0.2,0.6,0.6,0.2,0.6] "
         "bodies.b.polygon=[0.4,0.4,0.8,0.4,0.8,0.8,0.4,0.8]",
         1 - 0.28,
         {1.2, 1.2}},
        {"bodies.a.polygon=[0.3,0.1,0.7,0.1,0.7,0.3,0.3,0.3] "
         "bodies.b.polygon=[0.3,0.3,0.7,0.3,0.7,0.7,0.3,0.7]",
         1 - 0.24,
         {0.8, 1.2}},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int n = 12; n <= 21; n++) {
            char text[512];
            struct kn_case c;
            struct kn_space x;
            snprintf(text, sizeof text, "space.cells=[%d,%d] %s", n, n + 1, shapes[i].bodies);
            make(&x, &c, text);
            expect_closed(&x, 1.0 / (n * (n + 1)));
            expect_near("area", gas_volume(&x), shapes[i].gas, 1e-9);
            for (int body = 0; body < 2; body++)
                expect_near("length", body_area(&x, body), shapes[i].length[body], ROUND_OFF);
            kn_space_destroy(&x);
        }
}

/* Flat facets lose area and volume in proportion to the square of the width of the cells. */
static void spheres(void **state)
{
    (void)state;
    uint64_t seed = 3;
    double error[2] = {0};
    for (int i = 0; i < 6; i++) {
        char text[512];
        struct kn_case c;
        struct kn_space x;
        const int n = i % 2 ? 20 : 10;
        snprintf(text, sizeof text,
                 "space.cells=[%d,%d,%d] space.size=[1,1,1] bodies.ball.sphere.centre=[%.17g,%.17g,0.5] "
                 "bodies.ball.sphere.radius=0.3",
                 n, n, n, 0.5 + 0.05 * expect_random(&seed), 0.5 + 0.05 * expect_random(&seed));
        make(&x, &c, text);
        expect_closed(&x, 1.0 / (n * n * n));
        const double volume = 4.0 / 3 * M_PI * 0.027, found = (1 - gas_volume(&x)) / volume - 1;
        expect_between("volume", found, -0.12 * 100 / (n * n), 0);
        expect_relative("area", body_area(&x, 0), 4 * M_PI * 0.09, 0.08 * 100 / (n * n));
        error[i % 2] += found;
        kn_space_destroy(&x);
    }
    expect_between("order", log2(error[0] / error[1]), 1.8, 2.2);
}

/* A prism and a cylinder in three dimensions are those of two dimensions. */
static void prisms(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_space x;
    make(&x, &c,
         "space.cells=[12,12,4] space.size=[1,1,1] bodies.a.cylinder.axis=y bodies.a.cylinder.radius=0.3 "
         "bodies.a.cylinder.centre=[0.5,0,0.5]");
    expect_closed(&x, 1.0 / (12 * 12 * 4));
    expect_relative("volume", 1 - gas_volume(&x), M_PI * 0.09, 0.1);
    kn_space_destroy(&x);
    make(&x, &c,
         "space.cells=[12,12,4] space.size=[1,1,1] "
         "bodies.a.polygon=[0.25,0.25,0.75,0.25,0.75,0.75,0.25,0.75]");
    expect_near("volume", gas_volume(&x), 0.75, 1e-9);
    expect_near("area", body_area(&x, 0), 2, ROUND_OFF);
    kn_space_destroy(&x);
}

/* The nearest part of the surface gives the sign. */
static void distances(void **state)
{
    (void)state;
    struct kn_case c;
    expect_case(&c,
                "gas.delta=2 bodies.a.polygon=[0.2,0.2,0.8,0.2,0.2,0.8] bodies.b.cylinder.centre=[0.5,0.5] "
                "bodies.b.cylinder.radius=0.25 bodies.b.outside=true");
    struct kn_shape_body a, b;
    expect_ok(kn_shape_read(&a, &c, &c.bodies[0]));
    expect_ok(kn_shape_read(&b, &c, &c.bodies[1]));
    expect_near("outside of a corner", kn_shape_distance(&a, (double[]){0.1, 0.1, 0}), 0.3 * sqrt(2), 1e-14);
    expect_near("inside", kn_shape_distance(&a, (double[]){0.6, 0.5, 0}), -0.1, 1e-14);
    expect_near("beyond the diagonal", kn_shape_distance(&a, (double[]){1.4, 1.4, 0}), 0.4 * sqrt(2), 1e-14);
    expect_near("inside a circle", kn_shape_distance(&b, (double[]){1, 1.2, 5}), 0.3, 1e-14);
    kn_shape_free(&a);
}

/* A flat side on a periodic end would be a wall for the gas on one side only. */
static void periodic_ends(void **state)
{
    static const char *const sides[] = {"0,0.3,0.4,0.3,0.4,0.7,0,0.7", "0.6,0.3,1,0.3,1,0.7,0.6,0.7"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct kn_case c;
        struct kn_space x;
        char settings[256];
        snprintf(
            settings, sizeof settings,
            "space.cells=[13,10] walls.left.kind=periodic walls.right.kind=periodic bodies.a.polygon=[%s]",
            sides[i]);
        expect_case(&c, settings);
        expect_ok(kn_case_check(&c));
        assert_int_equal(kn_space_create(&x, &c, NULL), KN_EINPUT);
        assert_message("on a periodic end of the space");
        kn_space_destroy(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles), cmocka_unit_test(polygons),      cmocka_unit_test(spheres),
        cmocka_unit_test(prisms),  cmocka_unit_test(periodic_ends), cmocka_unit_test(distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
