/* Reflection at facets: mass, energy, reciprocity and a norm that does not grow, for any direction of the
 * facet. */
#include "expect.h"

#include "grid/reflect.h"
#include "point/cut.h"

#include <stdlib.h>

/* Random functions of the velocities that leave a facet, and what the facet makes of them. */
struct side {
    int n;
    double *flux, *square, *from[2], *to[2];
};

static double dot(const struct side *s, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        sum += s->flux[i] * a[i] * (b ? b[i] : 1);
    return sum;
}

static void fill_side(struct side *s, const struct kn_velocity *v, const double normal[3], uint64_t *seed)
{
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            float at[3];
            const int i = octant * v->stride + k;
            kn_velocity_at(v, octant, k, at);
            s->flux[i] = fmax(0, -v->mass[k] * (normal[0] * at[0] + normal[1] * at[1] + normal[2] * at[2]));
            s->square[i] = (double)at[0] * at[0] + (double)at[1] * at[1] + (double)at[2] * at[2];
            for (int way = 0; way < 2; way++)
                s->from[way][i] = expect_random(seed);
        }
}

static void reflect(struct side *s, const struct kn_reflect *r, const double *matrix)
{
    for (int way = 0; way < 2; way++) {
        double moments[KN_REFLECT_MOST] = {0}, coefficients[KN_REFLECT_MOST];
        for (int i = 0; i < s->n; i++)
            for (int j = 0; j < r->count; j++)
                moments[j] += s->flux[i] * s->from[way][i] * r->values[i * r->count + j];
        for (int j = 0; j < r->count; j++)
            coefficients[j] = kn_cut_reflected(r->count, moments, matrix + j * r->count);
        for (int i = 0; i < s->n; i++)
            s->to[way][i] = kn_cut_reflected(r->count, coefficients, r->values + i * r->count);
    }
}

/* Round-off, 1e-16, of 35^2 terms with entries of the matrices up to 1e4. */
static void check_side(struct side *s, double share)
{
    expect_near("mass", dot(s, s->to[0], NULL), 0, 1e-9);
    expect_near("reciprocity", dot(s, s->from[0], s->to[1]), dot(s, s->from[1], s->to[0]), 1e-9);
    expect_below("norm", dot(s, s->to[0], s->to[0]), dot(s, s->from[0], s->from[0]) * share * share + 1e-9);
}

/* With the share 1 - alpha of the energy, for functions without mass. */
static void check_energy(struct side *s, const struct kn_reflect *r, const double *matrix, double share)
{
    double *one = s->to[1], mass;
    for (int i = 0; i < s->n; i++)
        one[i] = 1;
    mass = dot(s, s->from[0], NULL) / dot(s, one, NULL);
    for (int i = 0; i < s->n; i++)
        s->from[0][i] -= mass;
    reflect(s, r, matrix);
    expect_near("energy", dot(s, s->to[0], s->square), share * dot(s, s->from[0], s->square), 1e-9);
}

static void any_direction(void **state)
{
    (void)state;
    static const char *const grids[] = {
        "space.cells=[4,4] velocity.nodes=8 collision.method=bgk",
        "space.cells=[4,4] velocity.nodes=[12,10,6] collision.method=operator walls.top.velocity=[0,0,1]",
        "space.cells=[4,4] velocity.nodes=4 collision.method=none walls.top.velocity=[0,0,1]",
        "space.cells=[4,4,4] velocity.nodes=6 collision.method=bgk",
    };
    uint64_t seed = 5;
    for (int i = 0; i < 32; i++) {
        struct kn_case c;
        struct kn_velocity v;
        struct kn_reflect r;
        double normal[3], length = 0, *memory, *matrix;
        struct kn_wall maxwell = {.kind = KN_WALL_DIFFUSE,
                                  .accommodation = 0.3,
                                  .tangential = 1,
                                  .normal = 1},
                       lampis = {
                           .kind = KN_WALL_DIFFUSE, .accommodation = 1, .tangential = 1.4, .normal = 0.2};
        expect_case(&c, grids[i % 4]);
        expect_ok(kn_velocity_create(&v, &c));
        expect_ok(kn_reflect_create(&r, &v));
        for (int d = 0; d < 3; d++) {
            const bool given = d < 2 ? i < 8 : i % 4 < 3;
            normal[d] = given ? d < 2 : expect_random(&seed);
            length += normal[d] * normal[d];
        }
        for (int d = 0; d < 3; d++)
            normal[d] /= sqrt(length);
        memory = calloc((size_t)v.nnodes * 6, sizeof *memory);
        matrix = calloc((size_t)r.count * (size_t)r.count, sizeof *matrix);
        assert_true(memory && matrix);
        if (!memory || !matrix) /* the analyser does not know that the line above ends the test */
            abort();
        struct side s = {.n = v.nnodes, .flux = memory, .square = memory + v.nnodes};
        for (int way = 0; way < 2; way++) {
            s.from[way] = memory + (2 + way) * v.nnodes;
            s.to[way] = memory + (4 + way) * v.nnodes;
        }
        fill_side(&s, &v, normal, &seed);
        kn_reflect_fill(&r, &v, normal, &lampis, matrix);
        reflect(&s, &r, matrix);
        check_side(&s, 0.8);
        kn_reflect_fill(&r, &v, normal, &maxwell, matrix);
        reflect(&s, &r, matrix);
        check_side(&s, 0.7);
        check_energy(&s, &r, matrix, 0.7);
        free(memory);
        free(matrix);
        kn_reflect_destroy(&r);
        kn_velocity_destroy(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_direction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
