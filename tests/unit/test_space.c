/* Cells, their widths and the table of neighbours. */
#include "expect.h"

#include "config/case.h"
#include "grid/space.h"

static void build(struct kn_space *s, struct kn_case *c, const char *settings)
{
    expect_case(c, settings);
    expect_ok(kn_space_create(s, c, NULL));
}

static int32_t beyond(const struct kn_space *s, int cell, int side)
{
    return s->neighbour[6 * (size_t)cell + side];
}

static int cell_at(const struct kn_space *s, int x, int y, int z)
{
    return (z * s->cells[1] + y) * s->cells[0] + x;
}

/* The neighbour of a neighbour is the cell itself; a wall face has its cell and its side. */
static void check_table(const struct kn_space *s)
{
    int faces = 0;
    for (int cell = 0; cell < s->ncells; cell++)
        for (int side = 0; side < KN_SIDES; side++) {
            const int32_t next = beyond(s, cell, side);
            if (next >= 0) {
                assert_true(next < s->ncells);
                assert_int_equal(beyond(s, next, side ^ 1), cell);
            } else {
                assert_true(kn_mesh_face(next) < s->nfaces);
                assert_int_equal(s->faces[kn_mesh_face(next)].cell, cell);
                assert_int_equal(s->faces[kn_mesh_face(next)].side, side);
                faces++;
            }
        }
    assert_int_equal(faces, s->nfaces);
}

static void table_is_symmetric(void **state)
{
    (void)state;
    const char *const boxes[] = {
        "space.cells=7",
        "space.cells=7 walls.left.kind=periodic walls.right.kind=periodic",
        "space.cells=[5,4]",
        "space.cells=[5,4] walls.bottom.kind=periodic walls.top.kind=periodic",
        "space.cells=[3,4,5]",
        "space.cells=[3,4,5] walls.back.kind=periodic walls.front.kind=periodic walls.left.kind=specular",
        "space.cells=[1,1,1] walls.left.kind=diffuse",
        "space.cells=[1,6] walls.left.kind=periodic walls.right.kind=periodic",
    };
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        struct kn_case c;
        struct kn_space s;
        build(&s, &c, boxes[i]);
        check_table(&s);
        kn_space_destroy(&s);
    }
}

static void cells_follow_each_other(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_space s;
    build(&s, &c, "space.cells=[3,4,5]");
    assert_int_equal(s.ncells, 60);
    assert_int_equal(s.naxes, 3);
    assert_int_equal(beyond(&s, cell_at(&s, 1, 2, 3), KN_RIGHT), cell_at(&s, 2, 2, 3));
    assert_int_equal(beyond(&s, cell_at(&s, 1, 2, 3), KN_TOP), cell_at(&s, 1, 3, 3));
    assert_int_equal(beyond(&s, cell_at(&s, 1, 2, 3), KN_BACK), cell_at(&s, 1, 2, 2));
    assert_true(beyond(&s, cell_at(&s, 2, 2, 3), KN_RIGHT) < 0);
    kn_space_destroy(&s);
}

static void periodic_axes_wrap(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_space s;
    build(&s, &c,
          "space.cells=[3,4,5] walls.left.kind=periodic walls.right.kind=periodic walls.back.kind=periodic "
          "walls.front.kind=periodic");
    assert_int_equal(beyond(&s, cell_at(&s, 0, 1, 2), KN_LEFT), cell_at(&s, 2, 1, 2));
    assert_int_equal(beyond(&s, cell_at(&s, 2, 1, 2), KN_RIGHT), cell_at(&s, 0, 1, 2));
    assert_int_equal(beyond(&s, cell_at(&s, 0, 1, 4), KN_FRONT), cell_at(&s, 0, 1, 0));
    assert_int_equal(s.nfaces, 2 * 3 * 5);
    kn_space_destroy(&s);
}

/* Faces per side and their areas: together they are the sides of the box. */
static void walls_have_their_areas(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_space s;
    const int count[KN_SIDES] = {20, 20, 15, 15, 12, 12};
    const double expected[KN_SIDES] = {6 * 4, 6 * 4, 8 * 4, 8 * 4, 8 * 6, 8 * 6};
    int found[KN_SIDES] = {0};
    double area[KN_SIDES] = {0}, volume = 0;
    build(&s, &c, "gas.delta=2 space.cells=[3,4,5] space.size=[4,3,2] space.stretch=[0.8,0.7,0.9]");
    for (int i = 0; i < s.nfaces; i++) {
        found[s.faces[i].side]++;
        area[s.faces[i].side] += s.faces[i].area;
    }
    for (int cell = 0; cell < s.ncells; cell++)
        volume += s.volume[cell];
    for (int side = 0; side < KN_SIDES; side++) {
        assert_int_equal(found[side], count[side]);
        expect_relative("area of a side", area[side], expected[side], 1e-14);
    }
    expect_relative("volume", volume, 8 * 6 * 4, 1e-14);
    kn_space_destroy(&s);
}

/* Axes along which the gas is uniform count 1 in areas and volumes. */
static void uniform_axes_count_one(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_space s;
    double volume = 0;
    build(&s, &c, "gas.delta=5 space.cells=4 space.size=[2,3,7]");
    assert_int_equal(s.naxes, 1);
    assert_int_equal(s.nfaces, 2);
    for (int cell = 0; cell < s.ncells; cell++)
        volume += s.volume[cell];
    expect_relative("volume", volume, 10, 1e-14);
    expect_near("area", s.faces[0].area, 1, 0);
    kn_space_destroy(&s);
    build(&s, &c, "gas.delta=5 space.cells=[4,3] space.size=[2,3,7]");
    assert_int_equal(s.naxes, 2);
    assert_int_equal(s.nfaces, 14);
    for (int i = 0; i < s.nfaces; i++)
        expect_relative("area", s.faces[i].area, s.faces[i].side < KN_BOTTOM ? 5 : 2.5, 1e-14);
    kn_space_destroy(&s);
}

/* One cell between diffuse walls is not uniform; between mirrors it is. */
static void one_cell_may_stream(void **state)
{
    (void)state;
    struct kn_case c;
    expect_case(&c, "space.cells=[1,4]");
    assert_false(kn_case_is_uniform(&c, 0));
    expect_case(&c, "space.cells=[1,4] walls.left.kind=specular walls.right.kind=symmetry");
    assert_true(kn_case_is_uniform(&c, 0));
    assert_true(kn_case_is_uniform(&c, 2));
    assert_false(kn_case_is_uniform(&c, 1));
    expect_set(&c, "walls.left.kind=far-field");
    assert_true(kn_case_is_uniform(&c, 0));
    expect_set(&c, "walls.left.gradient.velocity=[0,1,0]");
    assert_false(kn_case_is_uniform(&c, 0));
    assert_false(kn_case_is_even(&c, 1));
    assert_true(kn_case_is_even(&c, 2));
    expect_set(&c, "walls.left.gradient.velocity=[0,0,0] walls.left.gradient.temperature=1");
    assert_false(kn_case_is_uniform(&c, 0));
    expect_set(&c, "walls.left.kind=inflow walls.left.gradient.temperature=0");
    assert_false(kn_case_is_uniform(&c, 0));
}

/* Widths along y in the middle of the box, from the edges. */
static double width(const struct kn_space *s, int axis, int i)
{
    return s->edges[axis][i + 1] - s->edges[axis][i];
}

static void stretched_widths_are_geometric(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_space s;
    build(&s, &c,
          "gas.delta=3 space.cells=[9,8,6] space.stretch=[0.8,0.9,0.7] space.cluster=[both,high,low]");
    for (int i = 0; i < 4; i++) {
        expect_relative("both, left half", width(&s, 0, i) / width(&s, 0, i + 1), 0.8, 1e-12);
        expect_relative("both, mirror", width(&s, 0, i), width(&s, 0, 8 - i), 1e-12);
    }
    for (int i = 0; i < 7; i++)
        expect_relative("high", width(&s, 1, i + 1) / width(&s, 1, i), 0.9, 1e-12);
    for (int i = 0; i < 5; i++)
        expect_relative("low", width(&s, 2, i) / width(&s, 2, i + 1), 0.7, 1e-12);
    for (int d = 0; d < 3; d++) {
        double least = INFINITY;
        for (int i = 0; i < s.cells[d]; i++)
            least = fmin(least, width(&s, d, i));
        expect_near("first edge", s.edges[d][0], 0, 0);
        expect_relative("last edge", s.edges[d][s.cells[d]], 3, 1e-14);
        expect_relative("narrowest", kn_case_narrowest_cell(&c, d), least, 1e-12);
    }
    for (int cell = 0; cell < s.ncells; cell++) {
        const int at[3] = {cell % 9, cell / 9 % 8, cell / 72};
        for (int d = 0; d < 3; d++) {
            expect_relative("width of a cell", s.width[3 * cell + d], width(&s, d, at[d]), 1e-7);
            expect_relative("the same of the case", kn_case_width(&c, d, at[d]), width(&s, d, at[d]), 1e-12);
        }
    }
    kn_space_destroy(&s);
}

/* Both sides of the focus have their own widths, which are alike. */
static void cells_cluster_at_a_focus(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_space s;
    build(&s, &c,
          "space.cells=[10,4] space.stretch=[0.8,1,1] space.cluster=[focus,focus,both] "
          "space.focus=[0.3,0.25,0]");
    int below = 1;
    while (fabs(s.edges[0][below] - 0.3) > 1e-14)
        below++;
    for (int i = 0; i < 9; i++)
        if (i != below - 1)
            expect_relative("ratio", width(&s, 0, i) / width(&s, 0, i + 1), i < below ? 1 / 0.8 : 0.8, 1e-12);
    expect_between("alike", width(&s, 0, below - 1) / width(&s, 0, below), 0.8, 1 / 0.8);
    for (int i = 0; i < 4; i++)
        expect_relative("uniform", width(&s, 1, i), 0.25, 1e-12);
    kn_space_destroy(&s);
}

static void even_clusters_are_symmetric(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_space s;
    build(&s, &c, "space.cells=[8,1] space.stretch=[0.85,1,1]");
    for (int i = 0; i < 4; i++)
        expect_relative("mirror", width(&s, 0, i), width(&s, 0, 7 - i), 1e-12);
    for (int i = 0; i < 3; i++)
        expect_relative("ratio", width(&s, 0, i) / width(&s, 0, i + 1), 0.85, 1e-12);
    expect_relative("middle", width(&s, 0, 3), width(&s, 0, 4), 1e-12);
    kn_space_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_symmetric),
        cmocka_unit_test(cells_follow_each_other),
        cmocka_unit_test(periodic_axes_wrap),
        cmocka_unit_test(walls_have_their_areas),
        cmocka_unit_test(uniform_axes_count_one),
        cmocka_unit_test(one_cell_may_stream),
        cmocka_unit_test(stretched_widths_are_geometric),
        cmocka_unit_test(cells_cluster_at_a_focus),
        cmocka_unit_test(even_clusters_are_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
