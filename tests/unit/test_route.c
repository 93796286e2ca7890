/* The order of the cells in sweeps, of one rank and of the boxes of several. */
#include "expect.h"

#include "backend/steady_backend.h"
#include "grid/boxes.h"
#include "grid/velocity.h"
#include "steady/route.h"

#include <stdlib.h>

enum { RANKS = 6 };

static const char *const cases[] = {
    "space.cells=[12,12] space.order=3 walls.left.kind=periodic walls.right.kind=periodic "
    "walls.top.kind=symmetry",
    "space.cells=[8,4,6] space.order=1 walls.front.kind=periodic walls.back.kind=periodic",
    "space.cells=[12,10] space.order=3 walls.top.kind=periodic walls.bottom.kind=periodic "
    "bodies.bar.box.low=[0.25,0.3] bodies.bar.box.high=[0.5,0.5] bodies.wall.plate.axis=y "
    "bodies.wall.plate.at=0.7 bodies.wall.plate.open=[0.5,0.75]",
};

struct scene {
    struct kn_case c;
    struct kn_velocity velocity;
    struct kn_space space;
    struct kn_problem problem;
    struct kn_steady_plan plan;
};

static void build(struct scene *s, const char *settings, const struct kn_box *box)
{
    expect_case(&s->c, "collision.method=bgk velocity.nodes=4");
    expect_set(&s->c, settings);
    expect_ok(kn_velocity_create(&s->velocity, &s->c));
    expect_ok(kn_space_create(&s->space, &s->c, box));
    s->problem = (struct kn_problem){.c = &s->c, .space = &s->space, .velocity = &s->velocity, .threads = 1};
    s->plan = (struct kn_steady_plan){.problem = &s->problem};
    expect_ok(kn_route_create(&s->plan));
}

static void drop(struct scene *s)
{
    kn_route_destroy(&s->plan);
    kn_space_destroy(&s->space);
    kn_velocity_destroy(&s->velocity);
}

/* Every cell is in the route of an octant once, after its upwind cells of this rank. */
static void check_routes(const struct scene *s)
{
    struct kn_mesh m = kn_backend_mesh(&s->problem);
    const int ncells = s->space.ncells;
    int *place = malloc((size_t)ncells * sizeof *place);
    m.neighbour = s->plan.upwind;
    for (int octant = 0; octant < m.octants; octant++) {
        const int32_t *route = s->plan.route + (size_t)octant * (size_t)ncells;
        for (int cell = 0; cell < ncells; cell++)
            place[cell] = -1;
        for (int i = 0; i < ncells; i++) {
            assert_int_equal(place[route[i]], -1);
            place[route[i]] = i;
        }
        for (int cell = 0; cell < ncells; cell++)
            for (int i = 0; i < m.naxes; i++) {
                const struct kn_site up = kn_mesh_walk(&m, (struct kn_site){cell, octant}, m.axes[i], 0);
                assert_true(up.cell < 0 || up.cell >= ncells || place[up.cell] < place[cell]);
            }
    }
    free(place);
}

/* The number of a cell of the box or the halo in the whole space; -1: there is none. */
static int64_t number_of(const struct kn_space *x, int32_t cell)
{
    return cell < 0 ? -1 : cell < x->ncells ? kn_space_number(x, cell) : x->halo[cell - x->ncells];
}

static void orders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene all;
        struct kn_box boxes[RANKS];
        build(&all, cases[i], NULL);
        check_routes(&all);
        for (int count = 2; count <= RANKS; count++) {
            int followed = 0;
            expect_ok(kn_boxes_create(boxes, count, &all.c, all.c.space.order == 1 ? 1 : 2));
            for (int rank = 0; rank < count; rank++) {
                struct scene s;
                build(&s, cases[i], &boxes[rank]);
                check_routes(&s);
                for (int k = 0; k < 6 * s.space.ncells; k++) {
                    const int64_t own = number_of(&s.space, s.plan.upwind[k]),
                                  cell = kn_space_number(&s.space, k / 6),
                                  expected = number_of(&all.space, all.plan.upwind[6 * cell + k % 6]);
                    assert_int_equal(own, expected);
                    followed += s.plan.upwind[k] >= s.space.ncells;
                }
                drop(&s);
            }
            assert_true(followed > 0);
        }
        drop(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
