/* Streamlines against fields whose lines are known. */
#include "expect.h"

#include "plot/streamline.h"

enum { CELLS = 24 };

/* Edges from -1 to 1 (uniform), or drawn towards both ends as by space.stretch. */
static void make_edges(double edges[CELLS + 1], bool stretched)
{
    for (int i = 0; i <= CELLS; i++) {
        const double s = 2.0 * i / CELLS - 1;
        edges[i] = stretched ? sin(0.5 * M_PI * s) : s;
    }
}

typedef void flow(const double at[2], double v[2]);

static void rotation(const double at[2], double v[2])
{
    v[0] = -at[1];
    v[1] = at[0];
}

/* Four vortices: the lines are those of psi = sin(pi x) sin(pi y). */
static void four_vortices(const double at[2], double v[2])
{
    v[0] = sin(M_PI * at[0]) * cos(M_PI * at[1]);
    v[1] = -cos(M_PI * at[0]) * sin(M_PI * at[1]);
}

static void wind(const double at[2], double v[2])
{
    (void)at;
    v[0] = 2;
    v[1] = 0;
}

static void sink(const double at[2], double v[2])
{
    v[0] = -at[0] - 4 * at[1];
    v[1] = -at[1] + 4 * at[0];
}

static void rest(const double at[2], double v[2])
{
    (void)at;
    v[0] = v[1] = 0;
}

static void trace(struct kn_streamlines *s, flow *f, bool stretched, double apart)
{
    double edges[CELLS + 1];
    struct kn_plane p;
    make_edges(edges, stretched);
    expect_ok(kn_plane_create(&p, (const int[]){CELLS, CELLS}, (const double *const[]){edges, edges}, 2));
    for (int j = 0; j < p.n[1]; j++)
        for (int i = 0; i < p.n[0]; i++)
            f((const double[]){p.at[0][i], p.at[1][j]}, kn_plane_node(&p, i, j));
    expect_ok(kn_streamline_trace(s, &p, apart, 1e-9));
    kn_plane_destroy(&p);
}

static double nearest(const struct kn_streamlines *s, const double at[2], int but)
{
    double distance = INFINITY;
    for (int line = 0; line < s->lines; line++)
        for (int p = s->first[line]; line != but && p < s->first[line + 1]; p++)
            distance = fmin(distance, hypot(s->points[p][0] - at[0], s->points[p][1] - at[1]));
    return distance;
}

static bool is_closed(const struct kn_streamlines *s, int line)
{
    const double *from = s->points[s->first[line]], *to = s->points[s->first[line + 1] - 1];
    return from[0] == to[0] && from[1] == to[1];
}

/* Bilinear interpolation is exact here, so only the steps err: one that turns by a changes the radius by a^6
 * / 144, which comes to 1.4e-5 on the smallest ring, of radius 0.05 in steps of 0.01. */
static void circles(void **state)
{
    (void)state;
    for (int stretched = 0; stretched < 2; stretched++) {
        struct kn_streamlines s;
        int closed = 0;
        trace(&s, rotation, stretched, 0.1);
        for (int line = 0; line < s.lines; line++) {
            const double *start = s.points[s.first[line]];
            const double radius = hypot(start[0], start[1]);
            for (int p = s.first[line]; p < s.first[line + 1]; p++) {
                const double *at = s.points[p];
                expect_relative("radius", hypot(at[0], at[1]), radius, 3e-5);
                if (p > s.first[line]) /* the flow turns to the left */
                    assert_true(s.points[p - 1][0] * at[1] - s.points[p - 1][1] * at[0] > 0);
            }
            closed += is_closed(&s, line);
            if (radius < 0.95)
                assert_true(is_closed(&s, line));
        }
        expect_between("circles from 0.05 to 1, 0.1 apart", closed, 8, 12);
        kn_streamline_destroy(&s);
    }
}

/* psi stays the same along a line, to the interpolation between cells: (pi / 12)^2 / 8 = 0.9 %. */
static void vortices(void **state)
{
    (void)state;
    for (int stretched = 0; stretched < 2; stretched++) {
        struct kn_streamlines s;
        int rings[4] = {0};
        trace(&s, four_vortices, stretched, 0.08);
        for (int line = 0; line < s.lines; line++) {
            const double *start = s.points[s.first[line]];
            const double psi = sin(M_PI * start[0]) * sin(M_PI * start[1]);
            rings[(start[0] > 0) + 2 * (start[1] > 0)] += is_closed(&s, line);
            for (int p = s.first[line]; p < s.first[line + 1]; p++)
                expect_near("psi", sin(M_PI * s.points[p][0]) * sin(M_PI * s.points[p][1]), psi, 0.02);
        }
        for (int q = 0; q < 4; q++) /* they fit between its centre and 0.5 from it */
            expect_between("rings in a quarter", rings[q], 3, 7);
        kn_streamline_destroy(&s);
    }
}

/* Lines keep 0.4 of `apart` from one another and leave no gap that is much wider than it. */
static void even_spacing(void **state)
{
    (void)state;
    const double apart = 0.1;
    flow *const flows[] = {rotation, four_vortices, wind, sink};
    for (int f = 0; f < 4; f++) {
        struct kn_streamlines s;
        trace(&s, flows[f], true, apart);
        assert_true(s.lines > 5);
        for (int line = 0; line < s.lines; line++)
            for (int p = s.first[line]; p < s.first[line + 1]; p++)
                expect_between("distance", nearest(&s, s.points[p], line), 0.35 * apart, INFINITY);
        for (double y = -0.8; y < 0.85; y += 0.1)
            for (double x = -0.8; x < 0.85; x += 0.1)
                if (f < 3) /* the sink's own lines end before they crowd */
                    expect_below("gap", nearest(&s, (const double[]){x, y}, -1), 1.6 * apart);
        kn_streamline_destroy(&s);
    }
}

/* Lines run to the walls, and not beyond. */
static void walls(void **state)
{
    (void)state;
    struct kn_streamlines s;
    trace(&s, wind, true, 0.1);
    for (int line = 0; line < s.lines; line++) {
        const double *from = s.points[s.first[line]], *to = s.points[s.first[line + 1] - 1];
        expect_between("where the wind comes in", from[0], -1, -0.98);
        expect_between("where it goes out", to[0], 0.98, 1);
        expect_near("straight", to[1], from[1], 1e-9);
    }
    kn_streamline_destroy(&s);
}

/* A line that winds into a point ends before its turns touch. */
static void spiral(void **state)
{
    (void)state;
    struct kn_streamlines s;
    trace(&s, sink, false, 0.1);
    for (int line = 0; line < s.lines; line++) {
        const double *from = s.points[s.first[line]], *to = s.points[s.first[line + 1] - 1];
        assert_true(hypot(to[0], to[1]) < hypot(from[0], from[1]));
        assert_true(s.first[line + 1] - s.first[line] < 2000);
    }
    kn_streamline_destroy(&s);
}

static void gas_at_rest(void **state)
{
    (void)state;
    struct kn_streamlines s;
    trace(&s, rest, false, 0.1);
    assert_int_equal(s.lines, 0);
    kn_streamline_destroy(&s);
}

/* Between nodes a plane is bilinear, on its edges it has the values next to them. */
static void interpolation(void **state)
{
    (void)state;
    const double x[] = {0, 1, 4}, y[] = {0, 2, 3};
    struct kn_plane p;
    double value;
    expect_ok(kn_plane_create(&p, (const int[]){2, 2}, (const double *const[]){x, y}, 1));
    for (int j = 1; j < 3; j++)
        for (int i = 1; i < 3; i++)
            *kn_plane_node(&p, i, j) = 1 + 2 * p.at[0][i] + 3 * p.at[1][j];
    kn_plane_extend(&p);
    kn_plane_sample(&p, (const double[]){1.5, 2}, &value); /* centres: 0.5 and 2.5, 1 and 2.5 */
    expect_near("between the centres", value, 1 + 2 * 1.5 + 3 * 2, 1e-12);
    kn_plane_sample(&p, (const double[]){0, 0}, &value);
    expect_near("in the corner", value, 1 + 2 * 0.5 + 3 * 1, 1e-12);
    kn_plane_sample(&p, (const double[]){9, 9}, &value);
    expect_near("beyond", value, 1 + 2 * 2.5 + 3 * 2.5, 1e-12);
    kn_plane_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles),       cmocka_unit_test(vortices), cmocka_unit_test(even_spacing),
        cmocka_unit_test(walls),         cmocka_unit_test(spiral),   cmocka_unit_test(gas_at_rest),
        cmocka_unit_test(interpolation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
