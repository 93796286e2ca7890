/* One sampled collision: its changes, conservation and limits. */
#include "expect.h"

#include "collision/molecules.h"
#include "collision/sampling.h"

/* A grid, the plan to draw on it and one cell. */
struct scene {
    struct kn_case c;
    struct kn_velocity v;
    struct kn_sample_plan plan;
};

static void build(struct scene *s, const char *settings, double dt)
{
    expect_case(&s->c, "collision.method=monte-carlo");
    expect_set(&s->c, settings);
    expect_ok(kn_velocity_create(&s->v, &s->c));
    s->plan = kn_sampling_plan(&s->c, &s->v, dt);
}

static const char *const SCENES[] = {
    "velocity.grid=stretched velocity.nodes=20 collision.samples=3000 collision.estimator=paper",
    "velocity.grid=stretched velocity.nodes=18 velocity.ratio=0.97 collision.samples=3000",
    "velocity.nodes=6 collision.samples=3000 collision.estimator=paper",
    "velocity.nodes=8 collision.samples=3000",
    "velocity.nodes=16 collision.samples=3000 velocity.fold=none",
    "velocity.nodes=4 collision.samples=3000 space.cells=4",
};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES };

/* ---------------------------------------------------------------- net change */

/* Nodes that coincide have the sum of their changes, so that writing all four gives the same result as adding
 * one by one: compare with the direct sum. */
static void net_change_of_coinciding_nodes(void **state)
{
    (void)state;
    const int change[4] = {-1, -1, 1, 1};
    for (int code = 0; code < 256; code++) {
        const int node[4] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3};
        int expected[4] = {0};
        float net[4], total = 0;
        for (int i = 0; i < 4; i++)
            expected[node[i]] += change[i];
        kn_sample_net_change(node, net);
        for (int i = 0; i < 4; i++) {
            bool first = true;
            for (int j = 0; j < i; j++)
                first = first && node[j] != node[i];
            expect_near("net change", net[i], expected[node[i]], 0);
            total += first ? net[i] : 0;
        }
        expect_near("sum over distinct nodes", total, 0, 0);
    }
}

/* ------------------------------------------------------------- conservation */

static bool is_first(const struct kn_sample *s, int i)
{
    for (int j = 0; j < i; j++)
        if (s->node[j] == s->node[i])
            return false;
    return true;
}

/* The change of 1, vx, vy, vz, v.v by a unit bracket, and the size of the terms. */
static void change_of(const struct scene *s, const struct kn_sample *k, double total[5], double *size)
{
    const struct kn_velocity *v = &s->v;
    memset(total, 0, 5 * sizeof *total);
    *size = 0;
    for (int i = 0; i < 4; i++) {
        const int octant = (int)k->node[i] / v->stride, at = (int)k->node[i] % v->stride;
        const double mass = is_first(k, i) ? (double)v->w[at] * k->gain[i] : 0;
        total[0] += mass;
        for (int d = 0; d < 3; d++)
            total[1 + d] += v->bit[d] ? mass * kn_velocity_sign(v, octant, d) * v->speed[d][at] : 0;
        total[4] += mass * v->square[at];
        *size += fabs(mass) * (1 + v->square[at]);
    }
}

/* Mass is conserved and the defect is the change of momentum and energy, both up to the rounding of gain and
 * defect to single precision: a few 6e-8 of the terms, which are amplitudes (strength times |k.vr| < 6) times
 * v.v < 27, also where the nodes coincide and nothing is left. */
static void samples_conserve_mass_and_know_their_defect(void **state)
{
    (void)state;
    for (int i = 0; i < SCENE_COUNT; i++) {
        struct scene s;
        int used = 0;
        build(&s, SCENES[i], 0.1);
        for (uint32_t n = 0; n < 3000; n++) {
            const struct kn_sample k = kn_sample_make(&s.plan, 7, n);
            double total[5], size;
            change_of(&s, &k, total, &size);
            used += size > 0;
            expect_near("mass", total[0], 0, 4e-7 * size);
            for (int d = 0; d < 4; d++)
                expect_near("defect", k.defect[d], total[1 + d], 1e-6 * size + 1e-5 * s.plan.strength);
        }
        assert_true(used > 1000); /* with 4 nodes per axis most velocities stay in their cells */
        kn_velocity_destroy(&s.v);
    }
}

/* ---------------------------------------------------------------- relaxation */

static double bracket(const struct scene *s, const struct kn_sample *k, const double *row)
{
    const double before = row[k->node[0]] + row[k->node[1]], after = row[k->node[2]] + row[k->node[3]];
    return s->plan.symmetric ? before - after : before;
}

/* The exponential update reduces the bracket without a change of sign, for any step: the remaining factor is
 * exp(-c s), between 0 and 1. */
static void exponential_update_never_overshoots(void **state)
{
    (void)state;
    const double steps[] = {1e-3, 0.1, 10, 1e4, 1e8};
    for (int i = 0; i < SCENE_COUNT * 5; i++) {
        struct scene s;
        uint64_t seed = 21;
        build(&s, SCENES[i / 5], steps[i % 5]);
        double *row = calloc((size_t)s.v.nnodes, sizeof *row);
        for (uint32_t n = 0; n < 500; n++) {
            const struct kn_sample k = kn_sample_make(&s.plan, 3, n);
            for (int j = 0; j < 4; j++)
                row[k.node[j]] = expect_random(&seed);
            const double before = bracket(&s, &k, row);
            for (int j = 0; j < 4; j++)
                if (is_first(&k, j))
                    row[k.node[j]] += k.gain[j] * before;
            if (before != 0 && s.plan.symmetric)
                expect_between("bracket left", bracket(&s, &k, row) / before, -1e-6, 1 + 1e-6);
            /* The paper's bracket may grow if a node before the collision is both nodes after it; the sample
             * is then a small explicit step. */
            if (before != 0 && !s.plan.symmetric && k.gain[0] <= 0 && k.gain[1] <= 0)
                expect_between("bracket left", bracket(&s, &k, row) / before, -1e-6, 1 + 1e-6);
        }
        free(row);
        kn_velocity_destroy(&s.v);
    }
}

/* The amplitude: 1/s at most, c for a short step, exactly c when explicit. */
static void amplitude_is_the_exact_relaxation(void **state)
{
    (void)state;
    for (double c = 1e-8; c < 1e4; c *= 3.7)
        for (double rate = 1e-3; rate < 1e6; rate *= 5.3) {
            const float a = kn_collide_amplitude((float)c, (float)rate, 1);
            expect_relative("amplitude", a, -expm1(-(double)(float)c * (float)rate) / (float)rate, 1e-6);
            expect_below("amplitude times rate", a * rate, 1 + 1e-6);
            expect_near("explicit", kn_collide_amplitude((float)c, (float)rate, 0), (float)c, 0);
        }
    expect_near("no rate", kn_collide_amplitude(0.25f, 0, 1), 0.25, 0);
}

/* ------------------------------------------------------------------- drawing */

/* Samples fall into velocity cells with the probability of the weights: chi-square over the nodes of the
 * first velocity is within 4 standard deviations. */
static void samples_fall_with_the_weights(void **state)
{
    (void)state;
    struct scene s;
    const int n = 1 << 18;
    build(&s, "velocity.nodes=6", 0.1);
    double *hits = calloc((size_t)s.v.nnodes, sizeof *hits), chi = 0;
    for (int i = 0; i < n; i++) {
        const struct kn_collision c = kn_rng_collision(5, 1, (uint32_t)i, 0);
        const int at = kn_sample_find(&s.plan, c.v);
        assert_true(at >= 0); /* the gauss grid covers all velocities */
        hits[at] += 1;
    }
    const int cells = s.v.octants * s.v.size;
    for (int octant = 0; octant < s.v.octants; octant++)
        for (int k = 0; k < s.v.size; k++) {
            const double expected = (double)n * s.v.w[k], found = hits[octant * s.v.stride + k];
            chi += (found - expected) * (found - expected) / expected;
        }
    expect_near("chi squared", chi, cells - 1, 4 * sqrt(2.0 * (cells - 1)));
    free(hits);
    kn_velocity_destroy(&s.v);
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct kn_sample));
}

/* The order of application contains every sample with an effect exactly once; samples of a batch have no
 * common nodes. */
static void arranging_keeps_every_sample(void **state)
{
    (void)state;
    for (int i = 0; i < SCENE_COUNT; i++) {
        enum { COUNT = 3000 };
        static struct kn_sample drawn[COUNT], arranged[COUNT], again[COUNT];
        struct kn_sampling_order order;
        struct scene s;
        int kept = 0;
        build(&s, SCENES[i], 0.1);
        expect_ok(kn_sampling_order_create(&order, &s.c, &s.v));
        for (uint32_t n = 0; n < COUNT; n++)
            drawn[n] = kn_sample_make(&s.plan, 5, n);
        const int found = kn_sampling_arrange(&order, drawn, COUNT, arranged);
        assert_int_equal(kn_sampling_arrange(&order, drawn, COUNT, again), found);
        assert_memory_equal(arranged, again, (size_t)found * sizeof *arranged);
        for (int n = 0; n < COUNT; n++) { /* omitted samples have no effect */
            const struct kn_sample *d = &drawn[n];
            if (d->node[0] || d->node[1] || d->node[2] || d->node[3])
                drawn[kept++] = *d;
            else
                expect_near("gain of an omitted sample", d->gain[0], 0, 0);
        }
        assert_int_equal(found, kept);
        qsort(drawn, (size_t)kept, sizeof *drawn, compare);
        qsort(arranged, (size_t)found, sizeof *arranged, compare);
        assert_memory_equal(drawn, arranged, (size_t)kept * sizeof *drawn);
        kn_sampling_order_destroy(&order);
        kn_velocity_destroy(&s.v);
    }
}

/* A plain first fit: the first batch that is not full and has none of the nodes of the sample. */
static int find_batch(const struct kn_sample *s, const struct kn_sample batches[][KN_SAMPLE_BATCH],
                      const int count[])
{
    for (int b = 0; b < KN_SAMPLE_COLOURS; b++) {
        bool fits = count[b] < KN_SAMPLE_BATCH;
        for (int i = 0; i < count[b] && fits; i++)
            for (int n = 0; n < 16; n++)
                fits = fits && s->node[n / 4] != batches[b][i].node[n % 4];
        if (fits)
            return b;
    }
    return -1;
}

/* The order of application is that of the batches, and drawn order inside each. */
static void batches_are_by_first_fit(void **state)
{
    (void)state;
    enum { COUNT = 1500 };
    static struct kn_sample drawn[COUNT], arranged[COUNT], batches[KN_SAMPLE_COLOURS][KN_SAMPLE_BATCH];
    struct kn_sampling_order order;
    struct scene s;
    build(&s, "velocity.grid=stretched velocity.nodes=20 collision.samples=1500", 0.1);
    expect_ok(kn_sampling_order_create(&order, &s.c, &s.v));
    assert_true(kn_sample_piece(s.v.nnodes) >= COUNT); /* one piece */
    int count[KN_SAMPLE_COLOURS] = {0}, full = 0;
    for (uint32_t n = 0; n < COUNT; n++) {
        const struct kn_sample *d = &drawn[n];
        drawn[n] = kn_sample_make(&s.plan, 9, n);
        if (!d->node[0] && !d->node[1] && !d->node[2] && !d->node[3])
            continue;
        const int b = find_batch(d, batches, count);
        assert_true(b >= 0);
        batches[b][count[b]++] = *d;
        full += count[b] == KN_SAMPLE_BATCH;
    }
    assert_true(full > 0); /* the limit is reached */
    const int found = kn_sampling_arrange(&order, drawn, COUNT, arranged);
    int at = 0;
    for (int b = 0; b < KN_SAMPLE_COLOURS; b++)
        for (int i = 0; i < count[b]; i++, at++)
            assert_memory_equal(&arranged[at], &batches[b][i], sizeof *arranged);
    assert_int_equal(at, found);
    kn_sampling_order_destroy(&order);
    kn_velocity_destroy(&s.v);
}

/* --------------------------------------------------------------- molecules */

/* Hard spheres are drawn according to (26), without a power of the relative speed: the same
 * bits as from the plain formula. */
static void hard_spheres_are_weighed_by_k_vr_alone(void **state)
{
    (void)state;
    for (int i = 0; i < SCENE_COUNT; i++) {
        struct scene s;
        build(&s, SCENES[i], 0.1);
        const float strength =
            (float)(M_PI * KN_COLLISION_STRENGTH * 0.1 / 3000 * (s.plan.symmetric ? 0.5 : 1.0));
        for (uint32_t n = 0; n < 3000; n++) {
            const struct kn_collision c = kn_rng_collision(s.plan.seed, 7, n, s.plan.lattice);
            const struct kn_sample k = kn_sample_make(&s.plan, 7, n);
            int node[4];
            float after[3], after1[3], net[4], inverse[4];
            const float along = kn_sample_collide(&c, after, after1);
            for (int j = 0; j < 4; j++) {
                node[j] = (int)k.node[j];
                inverse[j] = 1.0f / s.v.w[node[j] % s.v.stride];
            }
            if (kn_sample_find(&s.plan, c.v) < 0 || kn_sample_find(&s.plan, c.v1) < 0 ||
                kn_sample_find(&s.plan, after) < 0 || kn_sample_find(&s.plan, after1) < 0)
                continue;
            kn_sample_net_change(node, net);
            const float amplitude = kn_collide_amplitude(
                strength * along, kn_sample_rate(s.plan.symmetric, net, inverse), s.plan.exponential);
            for (int j = 0; j < 4; j++)
                assert_true(k.gain[j] == amplitude * net[j] * inverse[j]);
        }
        kn_velocity_destroy(&s.v);
    }
}

/* Explicit samples of other molecules are those of hard spheres times
 * K / (pi S) g^(gamma - 1), to some roundings. */
static void other_molecules_weigh_samples_by_a_power(void **state)
{
    (void)state;
    const char *const base = "velocity.nodes=8 collision.update=explicit collision.samples=3000";
    const char *const molecules[] = {"gas.molecules=maxwell", "gas.molecules=vhs",
                                     "gas.molecules=vhs gas.omega=0.55"};
    for (int i = 0; i < 3; i++) {
        struct scene spheres, s;
        char text[200];
        snprintf(text, sizeof text, "%s %s", base, molecules[i]);
        build(&spheres, base, 0.1);
        build(&s, text, 0.1);
        const struct kn_kernel kernel = kn_molecules_kernel(&s.c);
        for (uint32_t n = 0; n < 3000; n++) {
            const struct kn_collision c = kn_rng_collision(s.plan.seed, 7, n, s.plan.lattice);
            const struct kn_sample a = kn_sample_make(&spheres.plan, 7, n), b = kn_sample_make(&s.plan, 7, n);
            double square = 0;
            for (int d = 0; d < 3; d++)
                square += pow((double)c.v1[d] - c.v[d], 2);
            const double factor =
                kernel.strength / (M_PI * KN_COLLISION_STRENGTH) * pow(square, (kernel.exponent - 1) / 2);
            assert_memory_equal(a.node, b.node, sizeof a.node);
            for (int j = 0; j < 4; j++)
                expect_near(text, b.gain[j], factor * a.gain[j], 5e-7 * fabs(factor * a.gain[j]));
        }
        assert_true(kn_sample_frequency(&s.plan, 0) == 0); /* at rest to each other */
        kn_velocity_destroy(&spheres.v);
        kn_velocity_destroy(&s.v);
    }
}

/* (D phi)^2 of a drawn collision, phi = vx vy or vx (v.v - 5/2). */
static double change_squared(const struct kn_collision *c, bool heat)
{
    float after[3], after1[3];
    kn_sample_collide(c, after, after1);
    const float *const v[4] = {after, after1, c->v, c->v1};
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const double x = v[i][0], y = v[i][1], z = v[i][2],
                     phi = heat ? x * (x * x + y * y + z * z - 2.5) : x * y;
        sum += i < 2 ? phi : -phi;
    }
    return sum * sum;
}

/* The rates of stress and heat flux in the first approximation, from the drawn collisions themselves: -<phi,
 * L phi> / <phi, phi>.  Their ratio is 3 / 2 for all molecules, and 1 and 2/3 are exact for Maxwell
 * molecules.  The mean over a million points of a lattice scatters by 0.3 % for stress and 0.6 % for the
 * ratio. */
static void drawn_molecules_have_their_rates(void **state)
{
    (void)state;
    const char *const molecules[] = {"gas.molecules=maxwell", "gas.molecules=vhs",
                                     "gas.molecules=hard-sphere"};
    for (int i = 0; i < 3; i++) {
        struct scene s;
        double rate[2] = {0, 0};
        const int count = 1 << 20;
        build(&s, molecules[i], 0.1);
        const struct kn_kernel kernel = kn_molecules_kernel(&s.c);
        for (int n = 0; n < count; n++) {
            const struct kn_collision c = kn_rng_collision(11, 1, (uint32_t)n, 1);
            float after[3], after1[3];
            const double weight =
                kn_sample_collide(&c, after, after1) * kn_sample_frequency(&s.plan, kn_sample_square(&c));
            for (int heat = 0; heat < 2; heat++) /* over <phi, phi> */
                rate[heat] +=
                    0.5 * kernel.strength / count * weight * change_squared(&c, heat) / (heat ? 1.25 : 0.25);
        }
        expect_relative("stress over heat flux", rate[0] / rate[1], 1.5, 0.01);
        if (i != 1)
            expect_relative("rate of stress", rate[0], i == 0 ? 1 : 1.016034, 0.006);
        kn_velocity_destroy(&s.v);
    }
}

/* A velocity beyond the range of the stretched grid makes an empty sample. */
static void samples_outside_are_empty(void **state)
{
    (void)state;
    struct scene s;
    int empty = 0;
    build(&s, "velocity.grid=stretched velocity.nodes=8 velocity.range=1.5", 0.1);
    for (uint32_t n = 0; n < 2000; n++) {
        const struct kn_collision c = kn_rng_collision(s.plan.seed, 0, n, s.plan.lattice);
        const struct kn_sample k = kn_sample_make(&s.plan, 0, n);
        float after[3], after1[3];
        bool outside = false;
        kn_sample_collide(&c, after, after1);
        for (int d = 0; d < 3; d++)
            outside = outside || fabsf(c.v[d]) >= 1.5f || fabsf(c.v1[d]) >= 1.5f || fabsf(after[d]) >= 1.5f ||
                      fabsf(after1[d]) >= 1.5f;
        const double sum =
            fabs(k.gain[0]) + fabs(k.gain[1]) + fabs(k.gain[2]) + fabs(k.gain[3]) + fabs(k.defect[3]);
        if (outside)
            expect_near("gains of a sample outside", sum, 0, 0);
        empty += outside;
    }
    assert_true(empty > 100 && empty < 1900);
    kn_velocity_destroy(&s.v);
}

/* Momentum and energy of the drawn molecules themselves are conserved. */
static void drawn_collisions_conserve(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 2000; n++) {
        const struct kn_collision c = kn_rng_collision(9, 4, n, 0);
        float after[3], after1[3];
        double energy = 0;
        const float along = kn_sample_collide(&c, after, after1);
        for (int d = 0; d < 3; d++) {
            expect_near("momentum", (double)after[d] + after1[d], (double)c.v[d] + c.v1[d], 1e-6);
            energy += (double)after[d] * after[d] + (double)after1[d] * after1[d] - (double)c.v[d] * c.v[d] -
                      (double)c.v1[d] * c.v1[d];
        }
        expect_near("energy", energy, 0, 1e-5);
        assert_true(along >= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(net_change_of_coinciding_nodes),
        cmocka_unit_test(samples_conserve_mass_and_know_their_defect),
        cmocka_unit_test(exponential_update_never_overshoots),
        cmocka_unit_test(amplitude_is_the_exact_relaxation),
        cmocka_unit_test(samples_fall_with_the_weights),
        cmocka_unit_test(arranging_keeps_every_sample),
        cmocka_unit_test(batches_are_by_first_fit),
        cmocka_unit_test(hard_spheres_are_weighed_by_k_vr_alone),
        cmocka_unit_test(other_molecules_weigh_samples_by_a_power),
        cmocka_unit_test(drawn_molecules_have_their_rates),
        cmocka_unit_test(samples_outside_are_empty),
        cmocka_unit_test(drawn_collisions_conserve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
