/* Bodies on the grid: neighbours and faces around them, and what is refused. */
#include "config/case.h"
#include "config/scales.h"
#include "expect.h"
#include "grid/boxes.h"
#include "grid/space.h"

static void refuse(const char *settings, const char *message)
{
    struct kn_case c;
    expect_case(&c, settings);
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    if (!strstr(kn_error_message(), message))
        fail_msg("'%s' has no '%s'", kn_error_message(), message);
}

static void refused(void **state)
{
    (void)state;
#define BAR "space.cells=[10,10] bodies.bar.box.low=[0.2,0.2] "
    refuse(BAR "bodies.bar.box.high=[0.45,0.5]",
           "bodies.bar.box.high: 0.45 along x is not at an edge of a cell (the "
           "nearest are 0.4 and 0.5; 20 cells along x have one)");
    refuse(BAR "bodies.bar.box.high=[0.1,0.5]", "bodies.bar.box.low: 0.2 is above box.high");
    refuse(BAR "bodies.bar.box.high=[0.2,0.2]", "no thickness along more than one axis");
    refuse(BAR "bodies.bar.box.high=[0.4,0.4,0.5]", "uniform along z");
    refuse(BAR "bodies.bar.plate.axis=x", "one shape per body");
    refuse(BAR "bodies.bra.temperature=1", "bodies.bra: has no shape (did you mean bodies.bar?)");
    refuse(BAR "bodies.other.box.low=[0.1,0.1] bodies.other.box.high=[0.3,0.3]",
           "bodies.other: overlaps bodies.bar");
    refuse(BAR "disturbance=0.1 bodies.bar.velocity=[1,0,0]",
           "bodies.bar.velocity: along x it displaces the body");
    refuse(BAR "disturbance=0.1 bodies.bar.rotation=1", "bodies.bar.rotation: of a body with flat sides");
    refuse(BAR "bodies.bar.rotation=[1,0,0]", "bodies.bar.rotation: about x, but the gas is uniform along z");
    refuse(BAR "bodies.bar.oscillation.velocity=[0,0,1]",
           "bodies.bar.oscillation.frequency: 0 with an amplitude");
    refuse(BAR "bodies.bar.temperature=-1 disturbance=1", "bodies.bar.temperature: -1 times disturbance");
    refuse("bodies.bar.box.low=[0] bodies.bar.box.high=[1]", "no gas is left");
    refuse("bodies.bar.box.low=[1.5] bodies.bar.box.high=[2]", "outside the gas");
    refuse("bodies.wall.plate.axis=z", "uniform along z");
    refuse("bodies.wall.plate.axis=x", "a plate at the end of the axis x (walls.left is there)");
    refuse("bodies.wall.plate.axis=x bodies.wall.plate.at=0.5 bodies.wall.plate.open=[0.2,0.5,0.4,0.6]",
           "openings overlap");
#define WIRE "space.cells=[10,10] bodies.a.cylinder.centre=[0.5,0.5] bodies.a.cylinder.radius=0.3 "
    refuse(WIRE "bodies.a.polygon=[0,0,1,0,0,1]", "one shape per body");
    refuse(WIRE "bodies.a.accommodation=0.5 bodies.a.outside=true",
           "bodies.a.accommodation: 0.5 at a smooth surface that encloses the gas");
    refuse(WIRE "bodies.a.accommodation=0", "bodies.a.accommodation: 0 at a smooth surface");
    refuse(WIRE "bodies.a.tangential=0.5 disturbance=0.1", "bodies.a.tangential: the model of Cercignani");
    refuse(WIRE "bodies.a.cylinder.axis=x", "bodies.a.cylinder.axis: the gas is uniform along z");
    refuse(WIRE "bodies.a.cylinder.radius=0.05", "is thinner than two cells along x");
    refuse(WIRE "bodies.a.cylinder.centre=[2,0.5]", "1.7 to 2.3 along x is outside the gas (0 to 1)");
    refuse(WIRE "walls.left.kind=periodic walls.right.kind=periodic bodies.a.cylinder.centre=[0.1,0.5]",
           "crosses the periodic ends of x");
    refuse(WIRE "disturbance=0.1 bodies.a.velocity=[0,1,0]", "along y it displaces the body");
    refuse("space.cells=[10] bodies.a.cylinder.radius=0.3", "the x-y plane, or in three dimensions");
    refuse("bodies.a.sphere.radius=0.3", "bodies.a.sphere: needs three dimensions");
    refuse("bodies.a.polygon=[0,0,1,0]", "2 corners (at least 3)");
    refuse("bodies.a.polygon=[0,0,1,1,1,0,0,1]", "the edges from corners 1 and 3 cross");
    refuse("bodies.a.polygon=[0,0,0.5,0.5,1,1]", "on a line");
    refuse(WIRE "bodies.a.rotation=[1,0,0]", "bodies.a.rotation: about x, but the axis of the cylinder is z");
    refuse("space.cells=[9,9] disturbance=0.1 bodies.a.polygon=[0,0,1,0,0,1] bodies.a.rotation=1",
           "bodies.a.rotation: of a body with flat sides");
    refuse(BAR "bodies.bar.box.high=[0.4,0.4] bodies.bar.outside=true",
           "bodies.bar.outside: needs a cylinder, a sphere, a polygon, points or an STL surface");
}

/* Every wall face and its cell refer to each other, and no cell has a solid neighbour. */
static void check_tables(const struct kn_space *s, int solid)
{
    int faces = 0, filled = 0;
    for (int cell = 0; cell < s->ncells; cell++) {
        filled += s->solid && s->solid[cell];
        assert_true((s->volume[cell] == 0) == (s->solid && s->solid[cell]));
        for (int side = 0; side < KN_SIDES; side++) {
            const int32_t entry = s->neighbour[6 * cell + side];
            if (entry < 0) {
                const struct kn_face *f = &s->faces[kn_mesh_face(entry)];
                assert_true(f->cell == cell && f->side == side);
                faces++;
            } else if (s->volume[cell] == 0) {
                assert_int_equal(entry, cell);
            } else {
                assert_true(entry >= s->ncells || s->volume[entry] > 0);
            }
        }
    }
    assert_int_equal(faces, s->nown);
    assert_int_equal(filled, solid);
}

/* A box of 2 x 3 cells, a plate across the gas with an opening of two cells, and a fin; counted by hand. */
static void neighbours(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_space s;
    expect_case(&c, "space.cells=[10,8] space.size=[10,8,1] gas.delta=1 "
                    "bodies.bar.box.low=[1,1] bodies.bar.box.high=[3,4] "
                    "bodies.wall.plate.axis=x bodies.wall.plate.at=5 bodies.wall.plate.open=[3,5] "
                    "bodies.fin.box.low=[7,2] bodies.fin.box.high=[9,2]");
    expect_ok(kn_case_check(&c));
    expect_ok(kn_space_create(&s, &c, NULL));
    check_tables(&s, 6);
    int count[KN_SIDES + 3] = {0};
    double area[KN_SIDES + 3] = {0};
    for (int i = 0; i < s.nfaces; i++) {
        const struct kn_case_patch patch = kn_case_patch(&c, s.faces[i].patch);
        const int surface = patch.surface;
        assert_int_equal(patch.side, s.faces[i].side);
        assert_int_equal(kn_case_find_patch(&c, surface, patch.side), s.faces[i].patch);
        count[surface]++;
        area[surface] += s.faces[i].area;
    }
    assert_int_equal(count[KN_LEFT], 8);
    assert_int_equal(count[KN_TOP], 10);
    assert_int_equal(count[KN_SIDES], 10);
    assert_int_equal(count[KN_SIDES + 1], 12);
    assert_int_equal(count[KN_SIDES + 2], 4);
    assert_true(area[KN_SIDES] == 10 && area[KN_SIDES + 1] == 12);
    assert_true(kn_space_count_faces(&c, &s.box) >= s.nfaces);
    kn_space_destroy(&s);
}

/* The tables of every rank are parts of those of one rank, and walls that a stencil reaches in the halo have
 * a face. */
static void ranks(void **state)
{
    (void)state;
    struct kn_case c;
    expect_case(&c, "space.cells=[12,12] space.order=3 bodies.bar.box.low=[0.25,0.25] "
                    "bodies.bar.box.high=[0.416667,0.416667] "
                    "bodies.wall.plate.axis=y bodies.wall.plate.at=0.75");
    for (int count = 2; count <= 6; count++) {
        struct kn_box boxes[6];
        int solid = 0, own = 0, foreign = 0;
        expect_ok(kn_boxes_create(boxes, count, &c, 2));
        for (int i = 0; i < count; i++) {
            struct kn_space s;
            int filled = 0;
            expect_ok(kn_space_create(&s, &c, &boxes[i]));
            for (int cell = 0; cell < s.ncells; cell++)
                filled += s.solid[cell];
            check_tables(&s, filled);
            for (int face = s.nown; face < s.nfaces; face++)
                assert_true(s.faces[face].cell >= s.ncells && s.faces[face].patch >= KN_SIDES);
            solid += filled;
            own += s.nown;
            foreign += s.nfaces - s.nown;
            kn_space_destroy(&s);
        }
        assert_int_equal(solid, 4);
        assert_int_equal(own, 4 * 12 + 8 + 2 * 12);
        assert_true(count < 4 || foreign > 0);
    }
}

/* Two edges of a U are on one line and apart. */
static void polygons_with_edges_on_a_line(void **state)
{
    (void)state;
    struct kn_case c;
    expect_case(&c, "space.cells=[10,10] "
                    "bodies.a.polygon=[0.1,0.1,0.9,0.1,0.9,0.9,0.6,0.9,0.6,0.5,0.4,0.5,0.4,0.9,0.1,0.9]");
    expect_ok(kn_case_check(&c));
}

/* The Mach number of a case has the surface of a body that rotates. */
static void fastest_surface(void **state)
{
    (void)state;
    struct kn_case c;
    expect_case(&c, WIRE "gas.delta=2 disturbance=0.5 bodies.a.rotation=-3");
    expect_near("Mach number", kn_scales_mach(&c), 0.5 * 3 * 2 * 0.3 / sqrt(5.0 / 6), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_with_edges_on_a_line),
        cmocka_unit_test(fastest_surface),
        cmocka_unit_test(refused),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
