/* The passes of the steady-state solver: every backend, and every instruction set of the CPU, against the
 * first instruction set of the CPU, on random vectors. */
#include "scene.h"

#include "backend/steady_backend.h"
#include "steady/coarse.h"
#include "steady/regions.h"
#include "steady/route.h"
#include "steady/trial.h"

enum { REST = KN_STEADY_PRODUCTS + 1, ROUNDED, VECTORS };

/* Results of all passes: doubles of each vector, then the other numbers. */
struct results {
    double *numbers;
    size_t count, room;
};

static void keep(struct results *r, const double *numbers, size_t count)
{
    if (r->count + count > r->room)
        r->numbers = realloc(r->numbers, (r->room = 2 * r->room + count) * sizeof *r->numbers);
    memcpy(r->numbers + r->count, numbers, count * sizeof *numbers);
    r->count += count;
}

struct bench {
    struct scene *s;
    const struct kn_steady_backend *steady;
    struct kn_steady_plan plan;
    void *machine;
    struct results results;
};

/* A vector of random numbers. */
static void draw(struct bench *b, int vector, uint64_t seed)
{
    for (size_t i = 0; i < b->s->rows; i++)
        if ((int)(i % (size_t)b->s->velocity.stride) < b->s->velocity.size)
            b->s->h[i] = (float)expect_random(&seed);
    expect_ok(b->steady->put(b->machine, vector, 0, b->s->space.ncells, b->s->h));
}

/* Keep a vector in double precision: its rounded numbers, and what they leave out. */
static void read_vector(struct bench *b, int vector)
{
    double *sum = calloc(b->s->rows, sizeof *sum);
    expect_ok(b->steady->combine(b->machine, REST, 0, 1, &vector, (double[]){1}));
    for (int i = 0; i < 3; i++) {
        expect_ok(b->steady->get(b->machine, REST, 0, b->s->space.ncells, b->s->next));
        expect_ok(b->steady->put(b->machine, ROUNDED, 0, b->s->space.ncells, b->s->next));
        expect_ok(b->steady->combine(b->machine, REST, 1, 1, (int[]){ROUNDED}, (double[]){-1}));
        for (size_t k = 0; k < b->s->rows; k++)
            sum[k] += b->s->next[k];
    }
    for (size_t k = 0; k < b->s->rows; k++)
        if ((int)(k % (size_t)b->s->velocity.stride) >= b->s->velocity.size)
            sum[k] = 0;
    keep(&b->results, sum, b->s->rows);
    free(sum);
}

static void run_equations(struct bench *b)
{
    draw(b, KN_STEADY_SOLUTION, 1);
    expect_ok(b->steady->set_walls(b->machine));
    expect_ok(b->steady->fluxes(b->machine, KN_STEADY_SOLUTION, b->s->fluxes));
    keep(&b->results, b->s->fluxes, kn_space_fluxes(&b->s->space) * KN_FLUXES);
    expect_ok(b->steady->residual(b->machine, KN_STEADY_SOLUTION, 1));
    read_vector(b, 1);
    draw(b, 2, 2);
    expect_ok(b->steady->apply(b->machine, 2, 3));
    read_vector(b, 3);
}

static void run_sweeps(struct bench *b)
{
    const int from[2] = {2, 3}, to[2] = {4, 5};
    draw(b, 2, 3);
    draw(b, 3, 4);
    expect_ok(b->steady->sweep(b->machine, 0, from, to));
    read_vector(b, 4);
    expect_ok(b->steady->sweep(b->machine, 1.7, from, to));
    read_vector(b, 4);
    read_vector(b, 5);
}

static void run_vectors(struct bench *b)
{
    const size_t ncells = (size_t)b->s->space.ncells, n = (size_t)b->plan.functions;
    double *moments = calloc(ncells * (n + 1), sizeof *moments), products[KN_STEADY_PRODUCTS],
           factors[KN_STEADY_PRODUCTS];
    int x[KN_STEADY_PRODUCTS];
    for (int i = 0; i < KN_STEADY_PRODUCTS; i++) {
        x[i] = 1 + i;
        factors[i] = 0.3 * i - 1.1;
        draw(b, 1 + i, 10 + (uint64_t)i);
    }
    expect_ok(b->steady->project(b->machine, 2, moments));
    keep(&b->results, moments, ncells * (n + 1));
    expect_ok(b->steady->prolong(b->machine, moments, 2));
    for (int scaled = 0; scaled < 2; scaled++) {
        expect_ok(b->steady->products(b->machine, 2, KN_STEADY_PRODUCTS, x, scaled, products));
        keep(&b->results, products, KN_STEADY_PRODUCTS);
    }
    read_vector(b, 2);
    expect_ok(b->steady->combine(b->machine, 1, 0.7, KN_STEADY_PRODUCTS - 1, x + 1, factors));
    expect_ok(b->steady->combine(b->machine, 1, -1.2, 0, NULL, NULL));
    read_vector(b, 1);
    free(moments);
}

static struct results run(struct scene *s, const struct target *t)
{
    struct bench b = {.s = s, .steady = t->backend->steady, .plan = {.problem = &s->problem, .rate = 1.3}};
    if (t->isa)
        setenv("KNUDSEN_ISA", t->isa, 1);
    expect_ok(kn_trial_create(&b.plan));
    expect_ok(kn_route_create(&b.plan));
    expect_ok(kn_regions_create(&b.plan));
    expect_ok(b.steady->create(&b.machine, &b.plan, VECTORS));
    unsetenv("KNUDSEN_ISA");
    run_equations(&b);
    run_sweeps(&b);
    run_vectors(&b);
    b.steady->destroy(b.machine);
    kn_regions_destroy(&b.plan);
    kn_route_destroy(&b.plan);
    kn_trial_destroy(&b.plan);
    return b.results;
}

/* Sums of at most a thousand terms in another order: errors of some 1e-14 of the largest number. */
static void check_backends(const char *settings)
{
    struct scene s;
    struct results first = {0};
    build(&s, settings);
    for (int i = 0; i < ntargets; i++) {
        const struct kn_steady_backend *steady = targets[i].backend->steady;
        if (!steady || (steady->lacks && steady->lacks(&s.problem)))
            continue;
        const struct results r = run(&s, &targets[i]);
        double worst = 0, size = 0;
        for (size_t k = 0; k < r.count && first.count > 0; k++) {
            worst = fmax(worst, isfinite(r.numbers[k]) ? fabs(r.numbers[k] - first.numbers[k]) : INFINITY);
            size = fmax(size, fabs(first.numbers[k]));
        }
        char text[700];
        snprintf(text, sizeof text, "%s %s, %s", targets[i].backend->name,
                 targets[i].isa ? targets[i].isa : "", settings);
        expect_between(text, worst, 0, 1e-13 * size);
        if (first.count == 0)
            first = r;
        else
            free(r.numbers);
    }
    assert_true(first.count > 0);
    free(first.numbers);
    drop(&s);
}

/* ------------------------------------------------------------------ moment equations */

/* The correction of a vector by the host, with the passes of the machine; theory (64). */
static void correct_on_host(struct bench *b, const struct kn_coarse *coarse, int vector)
{
    const struct kn_steady_plan *p = &b->plan;
    const size_t ncells = (size_t)b->s->space.ncells, n = (size_t)p->functions;
    double *moments = calloc(ncells * (n + 1), sizeof *moments), *c = calloc(ncells * n, sizeof *c), mass = 0,
           volume = 0;
    expect_ok(b->steady->project(b->machine, vector, moments));
    kn_coarse_solve(coarse, (double *[2]){moments}, (double *[2]){c});
    for (size_t cell = 0; cell < ncells; cell++) {
        mass += p->volume[cell] * (moments[cell * (n + 1) + n] + c[cell * n] / p->trial[0]);
        volume += p->volume[cell];
    }
    for (size_t cell = 0; cell < ncells && p->closed[0]; cell++)
        c[cell * n] -= mass / volume * p->trial[0];
    expect_ok(b->steady->prolong(b->machine, c, vector));
    free(moments);
    free(c);
}

/* Corrections of a machine that solves the moment equations: the same as those of the host, with inverse
 * matrices in single precision; or, without equations, only the mass becomes zero. */
static void check_correction(const char *settings)
{
    struct scene s;
    build(&s, settings);
    for (int i = 0; i < ntargets; i++) {
        struct bench b = {
            .s = &s, .steady = targets[i].backend->steady, .plan = {.problem = &s.problem, .rate = 1.3}};
        struct kn_coarse coarse;
        double size, difference, *moments;
        bool able = false;
        if (!b.steady || !b.steady->factorise)
            continue;
        expect_ok(kn_trial_create(&b.plan));
        expect_ok(kn_route_create(&b.plan));
        expect_ok(kn_regions_create(&b.plan));
        expect_ok(kn_coarse_create(&coarse, &b.plan, 0));
        expect_ok(kn_coarse_factorise(&coarse));
        expect_ok(b.steady->create(&b.machine, &b.plan, 4));
        const struct kn_steady_equations equations = kn_coarse_equations(&coarse);
        expect_ok(b.steady->factorise(b.machine, &equations, &able));
        assert_true(able);
        draw(&b, 1, 5);
        draw(&b, 2, 5);
        expect_ok(b.steady->correct(b.machine, 1));
        correct_on_host(&b, &coarse, 2);
        expect_ok(b.steady->products(b.machine, 2, 1, (int[]){2}, false, &size));
        expect_ok(b.steady->combine(b.machine, 1, 1, 1, (int[]){2}, (double[]){-1}));
        expect_ok(b.steady->products(b.machine, 1, 1, (int[]){1}, false, &difference));
        expect_between(settings, sqrt(difference / size), 0, 1e-3);
        expect_ok(b.steady->factorise(b.machine, NULL, &able));
        assert_true(able);
        expect_ok(b.steady->correct(b.machine, 2));
        moments = calloc((size_t)s.space.ncells * (size_t)(b.plan.functions + 1), sizeof *moments);
        expect_ok(b.steady->project(b.machine, 2, moments));
        double mass = 0;
        for (int cell = 0; cell < s.space.ncells; cell++)
            mass += b.plan.volume[cell] * moments[(cell + 1) * (b.plan.functions + 1) - 1];
        if (b.plan.closed[0])
            expect_near(settings, mass, 0, 1e-9);
        free(moments);
        b.steady->destroy(b.machine);
        kn_coarse_destroy(&coarse);
        kn_regions_destroy(&b.plan);
        kn_route_destroy(&b.plan);
        kn_trial_destroy(&b.plan);
    }
    drop(&s);
}

/* Cells are thicker than a mean free path. */
static void corrections_match(void **state)
{
    (void)state;
    check_correction("gas.delta=40 collision.method=bgk velocity.nodes=6 space.cells=7");
    check_correction(
        "gas.delta=60 collision.method=bgk velocity.nodes=6 space.cells=[19,24] walls.left.kind=inflow");
    check_correction("gas.delta=60 collision.method=shakhov velocity.nodes=6 space.cells=[24,19] "
                     "space.stretch=[0.9,1,1] walls.left.accommodation=0.5");
    check_correction("gas.delta=60 collision.method=bgk velocity.nodes=6 space.cells=[9,20] "
                     "walls.top.kind=periodic walls.bottom.kind=periodic");
    check_correction("gas.delta=40 collision.method=bgk velocity.nodes=4 space.cells=[6,5,7]");
}

/* The correction of thin cells: the same coefficients in boxes of 2 x 2 cells, whose equations (64) are those
 * of their cells in the mean.  A trial function of a box is the test function. */
static void check_boxes(struct bench *b)
{
    enum { BEFORE = 1, AFTER, CHANGE, IMAGE };
    const int ncells = b->s->space.ncells, across = b->s->space.cells[0], n = b->plan.functions;
    double *moments = calloc((size_t)ncells * (size_t)(n + 1), sizeof *moments),
           *c = calloc((size_t)ncells * (size_t)n, sizeof *c);
    double worst = 0, size = 0;
    draw(b, BEFORE, 9);
    draw(b, AFTER, 9);
    expect_ok(b->steady->correct(b->machine, AFTER));
    expect_ok(b->steady->project(b->machine, BEFORE, moments));
    expect_ok(b->steady->combine(b->machine, CHANGE, 0, 2, (int[]){AFTER, BEFORE}, (double[]){1, -1}));
    expect_ok(b->steady->apply(b->machine, CHANGE, IMAGE));
    for (int cell = 0; cell < ncells; cell += 2 * across + 6)
        for (int f = 0; f < n; f++) {
            const int corner = cell / (2 * across) * 2 * across + cell % across / 2 * 2,
                      box[4] = {corner, corner + 1, corner + across, corner + across + 1};
            double image, right = 0;
            memset(c, 0, (size_t)(ncells * n) * sizeof *c);
            for (int i = 0; i < 4; i++) {
                c[box[i] * n + f] = 1;
                right += b->plan.volume[box[i]] * moments[box[i] * (n + 1) + f];
            }
            expect_ok(b->steady->combine(b->machine, AFTER, 0, 0, NULL, NULL));
            expect_ok(b->steady->prolong(b->machine, c, AFTER));
            expect_ok(b->steady->products(b->machine, AFTER, 1, (int[]){IMAGE}, false, &image));
            worst = fmax(worst, fabs(image - right));
            size = fmax(size, fabs(right));
        }
    expect_between("boxes of thin cells", worst, 0, 1e-4 * size);
    free(moments);
    free(c);
}

static void boxes_of_thin_cells(void **state)
{
    (void)state;
    struct scene s;
    build(&s, "gas.delta=1 collision.method=bgk velocity.nodes=6 space.cells=[16,16] walls.left.kind=inflow");
    for (int i = 0; i < ntargets; i++) {
        struct bench b = {
            .s = &s, .steady = targets[i].backend->steady, .plan = {.problem = &s.problem, .rate = 1.3}};
        struct kn_coarse coarse;
        bool able = false;
        if (!b.steady || !b.steady->factorise)
            continue;
        expect_ok(kn_trial_create(&b.plan));
        expect_ok(kn_route_create(&b.plan));
        expect_ok(kn_regions_create(&b.plan));
        expect_ok(kn_coarse_create(&coarse, &b.plan, 0));
        expect_ok(b.steady->create(&b.machine, &b.plan, 5));
        const struct kn_steady_equations equations = kn_coarse_equations(&coarse);
        expect_ok(b.steady->factorise(b.machine, &equations, &able));
        assert_true(able);
        check_boxes(&b);
        b.steady->destroy(b.machine);
        kn_coarse_destroy(&coarse);
        kn_regions_destroy(&b.plan);
        kn_route_destroy(&b.plan);
        kn_trial_destroy(&b.plan);
    }
    drop(&s);
}

static const char *const BOXES[] = {
    "space.cells=7 walls.left.velocity=[0,1,0] walls.right.temperature=0.5 walls.right.accommodation=0.3",
    "space.cells=6 walls.left.kind=periodic walls.right.kind=periodic source.force=[0,1,0]",
    "space.cells=6 walls.left.kind=specular walls.right.kind=symmetry",
    "space.cells=1 walls.left.kind=specular walls.right.temperature=1 walls.right.accommodation=0.7",
    "space.cells=2",
    "space.cells=[1,5] space.stretch=[1,0.7,1] space.cluster=[both,low,both]",
    "space.cells=[19,24] walls.top.velocity=[1,0,0] space.stretch=[0.8,0.7,1]",
    "space.cells=[5,4] walls.bottom.kind=periodic walls.top.kind=periodic walls.left.accommodation=0.6",
    ("space.cells=[4,5] walls.left.kind=symmetry walls.top.velocity=[0.5,0,0] walls.top.accommodation=0.8 "
     "walls.bottom.kind=specular walls.right.temperature=0.3"),
    "space.cells=[70,66] walls.left.kind=inflow walls.left.density=0.3 walls.right.kind=inflow",
    "space.cells=[6,5,4] walls.front.velocity=[0.3,0.2,0] space.stretch=[0.9,0.8,0.7]",
    ("space.cells=[4,3,3] walls.left.kind=periodic walls.right.kind=periodic walls.bottom.kind=specular "
     "walls.top.accommodation=0.5 walls.back.kind=symmetry"),
    ("space.cells=[4,5] walls.top.kind=far-field walls.top.gradient.velocity=[1,0,0] "
     "walls.top.gradient.temperature=0.7 walls.left.kind=far-field walls.right.kind=inflow "
     "walls.bottom.accommodation=0.4"),
};

static void boxes_match(const char *method, const char *grid, int order, double eps)
{
    for (size_t i = 0; i < sizeof BOXES / sizeof *BOXES; i++) {
        char text[512];
        if (eps != 0 && strstr(BOXES[i], "far-field"))
            continue;
        snprintf(text, sizeof text,
                 "collision.method=%s velocity.grid=gauss %s space.order=%d disturbance=%g %s", method, grid,
                 order, eps, BOXES[i]);
        check_backends(text);
    }
}

static void models_match(void **state)
{
    (void)state;
    boxes_match("bgk", "velocity.nodes=6", 3, 0);
    boxes_match("shakhov", "velocity.nodes=[4,8,6] velocity.fold=none", 2, 0);
    boxes_match("es-bgk", "velocity.nodes=[8,4,4]", 1, 0);
    boxes_match("none", "velocity.nodes=4", 3, 0.2);
}

/* collision.method=operator */
static void operators_match(void **state)
{
    (void)state;
    boxes_match("operator", "velocity.nodes=6", 3, 0);
    boxes_match("operator", "velocity.nodes=8", 3, 0);
    boxes_match("operator", "velocity.nodes=6 velocity.fold=none", 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_match),
        cmocka_unit_test(operators_match),
        cmocka_unit_test(corrections_match),
        cmocka_unit_test(boxes_of_thin_cells),
    };
    return cmocka_run_group_tests(tests, find_targets, NULL);
}
