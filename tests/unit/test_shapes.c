/* Shapes in files: STL surfaces and lists of points give the distances and the cells of the same shapes in
 * the case, also if they have holes, and bad files are refused. */
#include "config/config.h"
#include "config/shape.h"
#include "config/triangles.h"
#include "expect.h"
#include "grid/space.h"
#include "scratch.h"
#include "validity/validity.h"

enum { RINGS = 24, TRIANGLES = 4 * RINGS * (RINGS - 1), HEADER = 84, RECORD = 50 };

/* A point of the sphere about the origin with radius 1. */
static void point_of(int ring, int sector, float at[3])
{
    const double polar = M_PI * ring / RINGS, turn = M_PI * (sector % (2 * RINGS)) / RINGS;
    const bool pole = ring % RINGS == 0;
    at[0] = pole ? 0 : (float)(sin(polar) * cos(turn));
    at[1] = pole ? 0 : (float)(sin(polar) * sin(turn));
    at[2] = pole ? (ring == 0 ? 1.0F : -1.0F) : (float)cos(polar);
}

/* The triangles of the sphere: normals inwards if reversed, without every so many-th one; text or binary. */
static void write_ball(const char *name, bool reversed, int missing, bool text)
{
    static char bytes[HEADER + RECORD * TRIANGLES];
    FILE *file = fopen(in_folder(name), "wb");
    uint32_t count = 0;
    int number = 0;
    assert_non_null(file);
    if (text)
        fprintf(file, "solid ball with a name\n");
    for (int i = 0; i < 2 * RINGS * 2 * RINGS; i++) {
        const int ring = i / 2 / (2 * RINGS), sector = i / 2 % (2 * RINGS);
        float corner[3][3];
        if ((i % 2 == 0 && ring == 0) || (i % 2 == 1 && ring == RINGS - 1) ||
            (missing && ++number % missing == 0))
            continue;
        point_of(ring + i % 2, sector, corner[0]);
        point_of(ring + 1, sector + i % 2, corner[1 + reversed]);
        point_of(ring, sector + 1, corner[2 - reversed]);
        memcpy(bytes + HEADER + RECORD * count++ + 12, corner, sizeof corner);
        if (text)
            fprintf(file, " facet normal 0 0 0\n  outer loop\n");
        for (int k = 0; text && k < 3; k++)
            fprintf(file, "   vertex %.9g %.9g %.9g\n", (double)corner[k][0], (double)corner[k][1],
                    (double)corner[k][2]);
        if (text)
            fprintf(file, "  endloop\n endfacet\n");
    }
    memcpy(bytes + 80, &count, sizeof count);
    if (text)
        fprintf(file, "endsolid ball with a name\n");
    else
        assert_int_equal(fwrite(bytes, HEADER + RECORD * count, 1, file), 1);
    fclose(file);
}

static void ball_case(struct kn_case *c, const char *file, const char *settings)
{
    char text[KN_PATH + 64];
    expect_case(c, "space.cells=[12,12,12] space.size=[1,1,1] bodies.ball.stl.scale=0.3 "
                   "bodies.ball.stl.at=[0.5,0.52,0.47]");
    expect_set(c, settings);
    snprintf(text, sizeof text, "bodies.ball.stl.file=%s", in_folder(file));
    expect_ok(kn_case_set(c, text));
}

/* A polyhedron with corners on a sphere is inside of it, by at most radius (1 - cos(angle)). */
static void balls(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool reversed, text;
        int missing;
    } files[] = {{"a.stl", 0, 0, 0}, {"b.stl", 0, 1, 0}, {"c.stl", 1, 0, 0}, {"d.stl", 0, 0, 40}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct kn_case c;
        struct kn_shape_body s;
        struct kn_space x;
        uint64_t seed = 5;
        write_ball(files[i].name, files[i].reversed, files[i].missing, files[i].text);
        ball_case(&c, files[i].name, "gas.delta=2");
        expect_ok(kn_case_check(&c));
        expect_ok(kn_shape_read(&s, &c, &c.bodies[0]));
        assert_int_equal(s.triangles->count, files[i].missing ? TRIANGLES - TRIANGLES / 40 : TRIANGLES);
        assert_true((s.triangles->open > 0) == (files[i].missing > 0));
        for (int k = 0; k < 2000; k++) {
            double at[3], square = 0;
            for (int d = 0; d < 3; d++) {
                at[d] = s.centre[d] + 1.2 * expect_random(&seed);
                square += pow(at[d] - 2 * c.bodies[0].stl.at[d], 2);
            }
            const double exact = sqrt(square) - 0.6, found = kn_shape_distance(&s, at),
                         loose = files[i].missing ? 0.04 : 1e-6;
            if (fabs(exact) > 0.02)
                expect_between("distance", found, exact - loose,
                               exact + 0.6 * (1 - cos(M_PI / RINGS)) + loose);
            if (!files[i].missing)
                expect_near("winding number", fabs(kn_triangles_winding(s.triangles, at)), found < 0, 0.02);
        }
        kn_shape_free(&s);
        expect_ok(kn_space_create(&x, &c, NULL));
        double area = 0;
        for (int k = 0; k < x.volumes.nfacets; k++)
            area += x.volumes.facets[k].area;
        expect_relative("area", area, 4 * M_PI * 0.36, 0.05);
        kn_space_destroy(&x);
    }
}

/* A thin plate and a gap are found on the triangles, although no cell is cut. */
static void thin_parts(void **state)
{
    (void)state;
    static const char plate[] =
        "solid\n"
        "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0.2 vertex 0 1 0 endloop endfacet\n"
        "facet normal 0 0 0 outer loop vertex 0 0 0.01 vertex 0 1 0.01 vertex 1 0 0.21 endloop "
        "endfacet\nendsolid\n";
    struct kn_case c;
    struct kn_validity v = {0};
    bool thin = false, open = false;
    write_all("plate.stl", plate, sizeof plate - 1);
    ball_case(&c, "plate.stl",
              "space.cells=[20,20,20] bodies.ball.stl.scale=0.6 bodies.ball.stl.at=[0.2,0.2,0.41]");
    expect_ok(kn_validity_judge_surfaces(&v, &c));
    for (int i = 0; i < v.count; i++) {
        thin = thin || strcmp(v.finding[i].code, "thin") == 0;
        open = open || strcmp(v.finding[i].code, "open") == 0;
    }
    assert_true(thin && open);
}

/* A circle of points is the polygon of the same corners, and may have many. */
static void points(void **state)
{
    (void)state;
    enum { CORNERS = 400 };
    struct kn_case c;
    struct kn_space x;
    char text[KN_PATH + 64];
    FILE *file = fopen(in_folder("circle.csv"), "w");
    double gas = 0;
    assert_non_null(file);
    fprintf(file, "x,y\n# clockwise, closed\n");
    for (int i = 0; i <= CORNERS; i++)
        fprintf(file, i % 2 ? "%.17g %.17g\n" : "%.17g, %.17g\r\n",
                cos(2 * M_PI * (CORNERS - i % CORNERS) / CORNERS),
                sin(2 * M_PI * (CORNERS - i % CORNERS) / CORNERS));
    fclose(file);
    expect_case(&c, "space.cells=[17,18] bodies.a.points.scale=0.3 bodies.a.points.at=[0.5,0.48]");
    snprintf(text, sizeof text, "bodies.a.points.file=%s", in_folder("circle.csv"));
    expect_ok(kn_case_set(&c, text));
    expect_ok(kn_case_check(&c));
    expect_ok(kn_space_create(&x, &c, NULL));
    for (int cell = 0; cell < x.ncells; cell++)
        gas += x.volume[cell];
    expect_near("area", 1 - gas, 0.5 * CORNERS * sin(2 * M_PI / CORNERS) * 0.09, 1e-9);
    kn_space_destroy(&x);
}

static void refuse(const char *key, const char *bytes, size_t size, const char *message)
{
    struct kn_case c;
    char text[KN_PATH + 64];
    write_all("bad", bytes, size);
    expect_case(&c, strcmp(key, "stl") == 0 ? "space.cells=[4,4,4] space.size=[1,1,1]" : "space.cells=[4,4]");
    snprintf(text, sizeof text, "bodies.a.%s.file=%s", key, in_folder("bad"));
    expect_ok(kn_case_set(&c, text));
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    assert_message(message);
}

static void refused(void **state)
{
    (void)state;
#define REFUSE(key, text, message) refuse(key, text, sizeof(text) - 1, message)
    char bytes[HEADER + RECORD] = {[80] = 1};
    refuse("stl", bytes, sizeof bytes - 1, "is no STL file");
    refuse("stl", bytes, sizeof bytes, "has no triangles");
    memset(bytes + HEADER + 12, 0xff, 36);
    refuse("stl", bytes, sizeof bytes, "a coordinate is not a finite number");
    REFUSE("stl", "", "is no STL file");
    REFUSE("stl", "solid a\nfacet\nvertex 1 2 x", "line 3: a vertex needs three numbers");
    REFUSE("stl", "solid\nfacet vertex 0 0 0 vertex 1 0 0 endfacet", "line 2: a facet has not three corners");
    REFUSE("stl", "solid\nfacet vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 vertex 0 1 0",
           "only triangles are supported");
    REFUSE("stl",
           "solid\nfacet vertex 1.00000000000000000000000000000000000000000000000000000000000000000e-3 0 0",
           "line 2: a vertex needs three numbers, of less");
    REFUSE("stl", "solid\nfacet vertex 0 0 0", "the file ends within a facet");
    REFUSE("stl", "solid\nnonsense", "expected facet or endsolid");
    REFUSE("stl", "solid\nendsolid", "has no triangles");
    REFUSE("points", "0 0\n1 0\n", "has 2 points (at least 3)");
    REFUSE("points", "0 0\n1 0\n1 1 1\n", "line 3: expected two numbers");
    REFUSE("points", "0 0\n1 nan\n1 1\n", "line 2: expected two numbers");
    REFUSE("points", "0 0 0\n1 0\n1 1\n0 1\n", "line 1: expected two numbers");
    REFUSE("points",
           "\xEF\xBB\xBF"
           "0 0\n1 1\n1 0\n0 1\n",
           "the edges from corners 1 and 3 cross");
    REFUSE("points", "0 0\n1 1\n1 0\n0 1\n", "bodies.a.points: the edges from corners 1 and 3 cross");
    struct kn_case c;
    ball_case(&c, "a.stl", "space.cells=[12,12]");
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    assert_message("bodies.ball.stl: needs three dimensions");
    ball_case(&c, "a.stl", "disturbance=0.1 bodies.ball.rotation=1");
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    assert_message("of a body with flat sides");
    ball_case(&c, "none.stl", "");
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    assert_message("none.stl does not exist");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls),
        cmocka_unit_test(thin_parts),
        cmocka_unit_test(points),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
