/* Values on the faces of cells: exactness for polynomials on cells of any width, walls included, and
 * stability. */
#include "expect.h"

#include "point/mesh.h"

#include <complex.h>

enum { CELLS = 4 };

/* Cells of random widths along x between two walls, and the state of both directions. */
struct line {
    int32_t neighbour[CELLS][6];
    float width[CELLS][3];
    float h[CELLS][2], outgoing[2][2]; /* [cell or face][octant] */
    struct kn_mesh mesh;
};

static void build(struct line *l, int cells, uint64_t *seed)
{
    for (int i = 0; i < cells; i++) {
        l->neighbour[i][0] = i > 0 ? i - 1 : kn_mesh_wall(0, 0);
        l->neighbour[i][1] = i + 1 < cells ? i + 1 : kn_mesh_wall(1, 0);
        l->width[i][0] = (float)(1.2 + expect_random(seed));
    }
    l->mesh = (struct kn_mesh){.neighbour = l->neighbour[0],
                               .width = l->width[0],
                               .nnodes = 2,
                               .stride = 1,
                               .octants = 2,
                               .bit = {1, 0, 0},
                               .naxes = 1};
}

/* Mean of c[0] + c[1] x + c[2] x^2 from a to b; the value if they are equal. */
static double mean(const double c[3], double a, double b)
{
    return c[0] + c[1] * (a + b) / 2 + c[2] * (a * a + a * b + b * b) / 3;
}

static double edge(const struct line *l, int i)
{
    double x = 0;
    for (int k = 0; k < i; k++)
        x += l->width[k][0];
    return x;
}

static void fill(struct line *l, int cells, const double c[3])
{
    for (int o = 0; o < 2; o++) {
        for (int i = 0; i < cells; i++)
            l->h[i][o] = (float)mean(c, edge(l, i), edge(l, i + 1));
        l->outgoing[0][o] = (float)mean(c, 0, 0);
        l->outgoing[1][o] = (float)mean(c, edge(l, cells), edge(l, cells));
    }
}

/* Value on the downwind face of a site in a step of this Courant number. */
static double face(const struct line *l, struct kn_site s, int order, enum kn_limiter limiter, float courant)
{
    const struct kn_stencil t = kn_mesh_stencil(&l->mesh, s, 0, order, 1);
    const float here = l->h[0][t.here], up = *kn_mesh_at(l->h[0], l->outgoing[0], t.up),
                down = t.down < 0 ? here : l->h[0][t.down];
    const float slope = kn_stream_slope(t.down < 0 ? KN_LIMITER_NONE : limiter, (here - up) * t.up_scale,
                                        (down - here) * t.down_scale, kn_stream_weigh(t.weight, courant));
    expect_relative("courant", t.courant * l->width[s.cell][0], 1, 1e-6);
    return kn_stream_face(here, slope, courant, 0);
}

/* The mean over the part of the cell that passes the face. */
static double passed(const struct line *l, struct kn_site s, const double c[3], double courant)
{
    const double a = edge(l, s.cell), b = edge(l, s.cell + 1);
    return s.octant == 0 ? mean(c, b - courant * (b - a), b) : mean(c, a, a + courant * (b - a));
}

/* Float arithmetic on values of size 10: differences over up to five widths. */
static const double ROUNDING = 2e-5;

/* Straight lines are exact in every cell at every order; parabolas at order 3, except before a wall. */
static void polynomials_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 2000; trial++) {
        struct line l;
        const double c[3] = {expect_random(&seed), expect_random(&seed), expect_random(&seed)},
                     straight[3] = {c[0], c[1], 0};
        const float courant = (float)fabs(expect_random(&seed));
        build(&l, CELLS, &seed);
        for (int i = 0; i < 2 * CELLS; i++) {
            const struct kn_site s = {i / 2, i % 2};
            const bool before_wall = s.cell == (s.octant == 0 ? CELLS - 1 : 0);
            fill(&l, CELLS, straight);
            const double line = passed(&l, s, straight, courant);
            expect_near("order 2, line", face(&l, s, 2, KN_LIMITER_NONE, courant), line, ROUNDING);
            expect_near("van Leer, line", face(&l, s, 2, KN_LIMITER_VAN_LEER, courant), line, ROUNDING);
            expect_near("order 3, line", face(&l, s, 3, KN_LIMITER_NONE, courant), line, ROUNDING);
            fill(&l, CELLS, c);
            if (!before_wall)
                expect_near("order 3, parabola", face(&l, s, 3, KN_LIMITER_NONE, courant),
                            passed(&l, s, c, courant), ROUNDING);
        }
    }
}

/* The values of theory.md, section 5, at Courant number 0 on cells of equal width, and a single cell. */
static void known_coefficients(void **state)
{
    (void)state;
    uint64_t seed = 6;
    struct line l;
    build(&l, CELLS, &seed);
    for (int i = 0; i < CELLS; i++)
        l.width[i][0] = 0.25f;
    for (int i = 0; i < 2 * CELLS; i++)
        l.h[i / 2][i % 2] = (float)expect_random(&seed);
    l.outgoing[0][0] = (float)expect_random(&seed);
    const double up = l.h[0][0], here = l.h[1][0], down = l.h[2][0], wall = l.outgoing[0][0];
    const struct kn_site first = {0, 0}, second = {1, 0}, last = {CELLS - 1, 0};
    expect_near("inside", face(&l, second, 3, KN_LIMITER_NONE, 0), (2 * down + 5 * here - up) / 6, 1e-6);
    expect_near("inside, order 2", face(&l, second, 2, KN_LIMITER_NONE, 0), here + (down - up) / 4, 1e-6);
    expect_near("behind a wall", face(&l, first, 3, KN_LIMITER_NONE, 0), (5 * up + here - 2 * wall) / 4,
                1e-6);
    expect_near("before a wall", face(&l, last, 3, KN_LIMITER_NONE, 0),
                1.5 * l.h[CELLS - 1][0] - 0.5 * l.h[CELLS - 2][0], 1e-6);
    build(&l, 1, &seed);
    for (int order = 2; order < 4; order++)
        expect_near("one cell", face(&l, first, order, KN_LIMITER_NONE, 0.3f), up, 0);
}

/* Factor by which a step multiplies a wave on cells of equal width, theory (13), (15). */
static double complex amplification(int order, int axes, const double courant[3], const double phase[3])
{
    const struct kn_weight weight = kn_stream_weight(order, 1, 1, 1);
    double complex sum = 1;
    for (int d = 0; d < axes; d++) {
        const double complex up = cexp(-I * phase[d]), a = 1 - up, b = 1 / up - 1;
        const double share = weight.at_rest - weight.per_courant * courant[d];
        double complex value = 1 + 0.5 * (1 - courant[d]) * (a + share * (b - a));
        for (int e = 0; e < axes; e++)
            value -= e == d ? 0 : 0.5 * courant[e] * (1 - cexp(-I * phase[e]));
        sum -= courant[d] * value * (1 - up);
    }
    return sum;
}

/* No wave grows if the Courant numbers of the axes add up to at most 1, theory (18). */
static void waves_do_not_grow(void **state)
{
    (void)state;
    enum { ANGLES = 24, PARTS = 6 };
    const int counts[4] = {0, ANGLES, ANGLES * ANGLES, ANGLES * ANGLES * ANGLES};
    for (int order = 2; order < 4; order++)
        for (int axes = 1; axes < 4; axes++) {
            double worst = 0;
            for (int part = 0; part < PARTS * PARTS * PARTS; part++) {
                const int n[3] = {part % PARTS, part / PARTS % PARTS, part / PARTS / PARTS};
                const double courant[3] = {n[0] / (PARTS - 1.0), n[1] / (PARTS - 1.0), n[2] / (PARTS - 1.0)};
                if (courant[0] + courant[1] + courant[2] > 1 + 1e-9)
                    continue;
                for (int i = 0; i < counts[axes]; i++) {
                    const int k[3] = {i % ANGLES, i / ANGLES % ANGLES, i / ANGLES / ANGLES};
                    const double step = 2 * M_PI / ANGLES, phase[3] = {k[0] * step, k[1] * step, k[2] * step};
                    worst = fmax(worst, cabs(amplification(order, axes, courant, phase)));
                }
            }
            expect_below("growth of a wave", worst, 1 + 1e-6);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_are_exact),
        cmocka_unit_test(known_coefficients),
        cmocka_unit_test(waves_do_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
