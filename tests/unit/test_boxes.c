/* Cells divided among ranks: every cell has one owner, and every box sees the same space. */
#include "expect.h"

#include "config/case.h"
#include "grid/boxes.h"

enum { MOST = 64 };

static const char *const spaces[] = {
    "space.cells=37 space.order=2",
    "space.cells=40 space.order=3 walls.left.kind=periodic walls.right.kind=periodic",
    "space.cells=[24,20] space.order=1",
    "space.cells=[23,17] space.order=3 space.stretch=[0.9,0.95] space.cluster=[both,high]",
    "space.cells=[16,21] space.order=2 walls.bottom.kind=periodic walls.top.kind=periodic",
    "space.cells=[9,8,10] space.order=2",
    ("space.cells=[8,9,8] space.order=3 walls.back.kind=periodic walls.front.kind=periodic "
     "walls.left.kind=specular"),
};
enum { SPACES = sizeof spaces / sizeof *spaces };

static int64_t number_at(const struct kn_space *whole, const int at[3])
{
    return ((int64_t)at[2] * whole->cells[1] + at[1]) * whole->cells[0] + at[0];
}

static void every_cell_has_one_owner(void **state)
{
    (void)state;
    for (int i = 0; i < SPACES; i++)
        for (int ranks = 1; ranks <= 12; ranks++) {
            struct kn_case c;
            struct kn_box boxes[MOST];
            int at[3];
            int64_t cells = 0, least = INT64_MAX, most = 0;
            expect_case(&c, spaces[i]);
            expect_ok(kn_boxes_create(boxes, ranks, &c, kn_case_reach(&c)));
            for (int rank = 0; rank < ranks; rank++) {
                const int64_t own = kn_boxes_cells(&boxes[rank]);
                cells += own;
                least = own < least ? own : least;
                most = own > most ? own : most;
            }
            const int *n = c.space.cells;
            assert_int_equal(cells, (int64_t)n[0] * n[1] * n[2]);
            for (at[2] = 0; at[2] < n[2]; at[2]++)
                for (at[1] = 0; at[1] < n[1]; at[1]++)
                    for (at[0] = 0; at[0] < n[0]; at[0]++)
                        assert_in_range(kn_boxes_find(boxes, ranks, at, at[0] % ranks), 0, ranks - 1);
            /* sizes may differ by one cell along each axis */
            expect_below("largest over mean", (double)most * ranks / (double)cells, 1.6);
            assert_true(least > 0);
        }
}

static void borders_are_short(void **state)
{
    (void)state;
    const struct {
        const char *space;
        int ranks;
        int64_t most; /* cells around the box with the largest halo */
    } known[] = {
        {"space.cells=[100,100] space.order=2", 4, 2 * (50 + 50)},
        {"space.cells=[100,100] space.order=3", 4, 2 * (50 + 50)},
        {"space.cells=[100,100] space.order=1", 16, 4 * 25},
        {"space.cells=[400,10] space.order=1", 4, 2 * 10},
        {"space.cells=[32,32,32] space.order=1", 8, 3 * 16 * 16},
        /* two boxes of 2/3 height next to one slab; slabs would have 2 x 90 */
        {"space.cells=[90,90] space.order=1", 3, 60 + 45},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct kn_case c;
        struct kn_box boxes[MOST];
        int64_t most = 0;
        expect_case(&c, known[i].space);
        expect_ok(kn_boxes_create(boxes, known[i].ranks, &c, kn_case_reach(&c)));
        for (int rank = 0; rank < known[i].ranks; rank++) {
            const int64_t halo = kn_boxes_halo(&boxes[rank], &c);
            most = halo > most ? halo : most;
        }
        expect_between(known[i].space, most, 1, known[i].most);
    }
}

static void too_many_ranks_are_refused(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_box boxes[MOST];
    expect_case(&c, "space.cells=[8,8] space.order=2");
    expect_ok(kn_boxes_create(boxes, 16, &c, 2));
    assert_int_equal(kn_boxes_create(boxes, 17, &c, 2), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "17 ranks"));
    expect_case(&c, "space.cells=1");
    assert_int_equal(kn_boxes_create(boxes, 2, &c, 1), KN_EINPUT);
}

/* The whole space, one of its boxes, and the positions of the cells of the box and its halo. */
struct view {
    struct kn_space whole, part;
};

static int64_t number_of(const struct view *v, int cell)
{
    return cell < v->part.ncells ? kn_space_number(&v->part, cell) : v->part.halo[cell - v->part.ncells];
}

/* All data that a step reads, from cells up to `steps` away from the box, are those of the whole space. */
static void compare_cell(const struct view *v, int cell, int steps)
{
    const int64_t number = number_of(v, cell);
    for (int d = 0; d < 3; d++)
        assert_true(v->part.width[3 * cell + d] == v->whole.width[3 * number + d]);
    for (int side = 0; side < KN_SIDES && steps > 0; side++) {
        const int32_t next = v->part.neighbour[6 * cell + side],
                      there = v->whole.neighbour[6 * number + side];
        assert_true((next < 0) == (there < 0));
        if (next >= 0) {
            assert_int_equal(number_of(v, next), there);
            compare_cell(v, next, steps - 1);
        } else if (cell < v->part.ncells) {
            assert_int_equal(v->part.faces[kn_mesh_face(next)].cell, cell);
            assert_int_equal(v->part.faces[kn_mesh_face(next)].side, side);
            assert_true(v->part.faces[kn_mesh_face(next)].area == v->whole.faces[kn_mesh_face(there)].area);
        }
    }
}

static void boxes_see_the_same_space(void **state)
{
    (void)state;
    for (int i = 0; i < SPACES; i++)
        for (int ranks = 1; ranks <= 6; ranks++) {
            struct kn_case c;
            struct kn_box boxes[MOST];
            struct view v;
            int faces = 0;
            expect_case(&c, spaces[i]);
            expect_ok(kn_boxes_create(boxes, ranks, &c, kn_case_reach(&c)));
            expect_ok(kn_space_create(&v.whole, &c, NULL));
            assert_int_equal(v.whole.nhalo, 0);
            for (int rank = 0; rank < ranks; rank++) {
                expect_ok(kn_space_create(&v.part, &c, &boxes[rank]));
                assert_true(v.part.nhalo > 0 || ranks == 1);
                for (int cell = 0; cell < v.part.ncells; cell++) {
                    int at[3];
                    kn_space_place(&v.part, cell, at);
                    assert_int_equal(number_at(&v.whole, at), kn_space_number(&v.part, cell));
                    assert_true(v.part.volume[cell] == v.whole.volume[kn_space_number(&v.part, cell)]);
                    compare_cell(&v, cell, kn_case_reach(&c));
                }
                faces += v.part.nfaces;
                kn_space_destroy(&v.part);
            }
            assert_int_equal(faces, v.whole.nfaces);
            kn_space_destroy(&v.whole);
        }
}

static const char *const smooth[] = {
    "space.cells=[23,17] space.order=3 bodies.a.cylinder.centre=[0.47,0.53] bodies.a.cylinder.radius=0.31",
    ("space.cells=[16,21] space.order=2 walls.left.kind=periodic walls.right.kind=periodic "
     "bodies.a.polygon=[0.2,0,0.6,0.04,0.35,0.5] bodies.b.polygon=[0.8,0.2,0.99,0.3,0.9,0.7]"),
    ("space.cells=[9,8,10] space.size=[1,1,1] space.order=3 bodies.a.sphere.centre=[0.47,0.53,0.5] "
     "bodies.a.sphere.radius=0.3"),
};

/* The control volume of the whole space with this row. */
static const struct kn_volume *volume_in_whole(const struct view *v, int cell)
{
    const struct kn_volume *found = kn_volumes_own(&v->whole.volumes, (int)number_of(v, cell));
    assert_non_null(found);
    return found;
}

/* The cell of a piece in the whole space, ~cell behind a periodic end. */
static int64_t place_of(const struct view *v, int32_t entry)
{
    return entry < 0 ? ~number_of(v, ~entry) : number_of(v, entry);
}

static void compare_pieces(const struct view *v, const struct kn_volume *own, const struct kn_volume *there)
{
    const struct kn_volumes *part = &v->part.volumes, *whole = &v->whole.volumes;
    assert_int_equal(own->pieces, there->pieces);
    for (int i = 0; i < own->pieces; i++) {
        const struct kn_piece *a = &part->pieces[own->first_piece + i],
                              *b = &whole->pieces[there->first_piece + i];
        const struct kn_link *link = kn_volumes_link(part, v->part.nfaces, a->row),
                             *other = kn_volumes_link(whole, v->whole.nfaces, b->row);
        assert_in_range(a->row, v->part.nfaces, kn_volumes_rows(part, v->part.nfaces) - 1);
        assert_memory_equal(a->area, b->area, sizeof a->area);
        assert_memory_equal(a->arm, b->arm, sizeof a->arm);
        assert_true((link != NULL) == (other != NULL));
        if (i >= own->facets)
            assert_int_equal(place_of(v, a->cell), b->cell);
        if (link && other) {
            assert_int_equal(number_of(v, link->cell), other->cell);
            assert_int_equal(place_of(v, link->beyond), other->beyond);
        }
    }
    for (int i = 0; i < own->facets; i++)
        assert_true(part->facets[part->pieces[own->first_piece + i].row - v->part.nfaces].area ==
                    whole->facets[whole->pieces[there->first_piece + i].row - v->whole.nfaces].area);
}

/* Also of volumes of other ranks, whose surfaces this one computes. */
static void compare_gradient(const struct view *v, const struct kn_volume *own, const struct kn_volume *there)
{
    const struct kn_volumes *part = &v->part.volumes, *whole = &v->whole.volumes;
    assert_true(own->size == there->size);
    assert_int_equal(own->points, there->points);
    assert_memory_equal(part->matrices[own->first_matrix], whole->matrices[there->first_matrix],
                        ((size_t)1 << own->pulls) * sizeof *part->matrices);
    for (int i = 0; i < own->points; i++) {
        const struct kn_point *a = &part->points[own->first_point + i],
                              *b = &whole->points[there->first_point + i];
        assert_int_equal(number_of(v, a->cell), b->cell);
        assert_memory_equal(a->pull, b->pull, sizeof a->pull);
    }
}

static void control_volumes_are_those_of_the_whole_space(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++)
        for (int ranks = 2; ranks <= 6; ranks++) {
            struct kn_case c;
            struct kn_box boxes[MOST];
            struct view v;
            int volumes = 0, facets = 0, links = 0, faces = 0;
            expect_case(&c, smooth[i]);
            expect_ok(kn_boxes_create(boxes, ranks, &c, kn_case_reach(&c)));
            expect_ok(kn_space_create(&v.whole, &c, NULL));
            for (int rank = 0; rank < ranks; rank++) {
                expect_ok(kn_space_create(&v.part, &c, &boxes[rank]));
                const struct kn_volumes *part = &v.part.volumes;
                for (int k = 0; k < part->count; k++) {
                    const struct kn_volume *own = &part->list[k];
                    assert_true((own->cell < v.part.ncells) == (k < part->own_count));
                    compare_gradient(&v, own, volume_in_whole(&v, own->cell));
                    if (k < part->own_count)
                        compare_pieces(&v, own, volume_in_whole(&v, own->cell));
                }
                for (int cell = 0; cell < v.part.ncells; cell++)
                    assert_true(v.part.volume[cell] == v.whole.volume[kn_space_number(&v.part, cell)]);
                volumes += part->own_count;
                facets += part->own_facets;
                links += part->own_links;
                faces += v.part.nown;
                kn_space_destroy(&v.part);
            }
            assert_int_equal(volumes, v.whole.volumes.count);
            assert_int_equal(facets, v.whole.volumes.nfacets);
            assert_int_equal(links, v.whole.volumes.nlinks);
            assert_int_equal(faces, v.whole.nfaces);
            kn_space_destroy(&v.whole);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_has_one_owner),
        cmocka_unit_test(borders_are_short),
        cmocka_unit_test(too_many_ranks_are_refused),
        cmocka_unit_test(boxes_see_the_same_space),
        cmocka_unit_test(control_volumes_are_those_of_the_whole_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
