/* The assembled collision operator: transport, invariants, symmetry, steps, cache. */
#include "expect.h"

#include "backend/backend.h"
#include "collision/operator_sums.h"
#include "error.h"
#include "unit/scratch.h"

struct grid {
    struct kn_case c;
    struct kn_velocity v;
    struct kn_operator o;
};

static enum kn_status assemble_grid(struct grid *g, const char *settings, const struct kn_assembler *machine,
                                    const struct kn_progress_callback *listener)
{
    expect_case(&g->c, "collision.method=operator collision.rescale=false");
    expect_set(&g->c, settings);
    expect_ok(kn_velocity_create(&g->v, &g->c));
    return kn_operator_create(&g->o, &g->c, &g->v, &kn_comm_alone, machine, listener);
}

static void open_grid(struct grid *g, const char *settings)
{
    expect_ok(assemble_grid(g, settings, NULL, NULL));
}

static void close_grid(struct grid *g)
{
    kn_operator_destroy(&g->o);
    kn_velocity_destroy(&g->v);
}

/* The viscosity of hard spheres is the unit, their Prandtl number 0.660694. Collisions between polynomials up
 * to degree 5 are exact on 8 nodes. */
static void transport_of_hard_spheres(void **state)
{
    (void)state;
    struct grid g;
    open_grid(&g, "velocity.nodes=8");
    expect_relative("viscosity", g.o.viscosity, 1, 2e-4);
    expect_relative("Prandtl number", g.o.prandtl, 0.660694, 0.001);
    assert_same(g.o.scale, 1);
    close_grid(&g);
    open_grid(&g, "velocity.nodes=8 collision.rescale=true");
    assert_same(g.o.scale, g.o.viscosity);
    close_grid(&g);
}

static double prandtl_error(const char *settings)
{
    struct grid g;
    open_grid(&g, settings);
    const double error = fabs(g.o.prandtl / (2.0 / 3) - 1);
    expect_relative("viscosity of Maxwell molecules", g.o.viscosity, 1, 0.003);
    close_grid(&g);
    return error;
}

/* For Maxwell molecules each moment relaxes independently, heat flux 2/3 as fast as stress, and
 * their viscosity is exact in the first approximation. */
static void transport_of_maxwell_molecules(void **state)
{
    (void)state;
    const double coarse = prandtl_error("velocity.nodes=6 gas.molecules=maxwell"),
                 fine = prandtl_error("velocity.nodes=8 gas.molecules=maxwell");
    expect_below("Prandtl number on 8 nodes", fine, 0.002);
    expect_below("of the error on 6", fine / coarse, pow(6.0 / 8, 2));
}

/* -<f, L f> / <f, f> of vx vy or vx (v.v - 5/2). */
static double relaxation_rate(const struct grid *g, bool heat)
{
    const int n = g->o.size, parity = heat ? 1 : 1 | 2;
    double sum = 0, norm = 0;
    for (int i = 0; i < n; i++) {
        double part = 0;
        for (int k = 0; k < n; k++) {
            int at[3];
            kn_interpolate_place(g->v.half, k, at);
            const double x = g->v.node[0][at[0]], y = g->v.node[1][at[1]], z = g->v.node[2][at[2]];
            part += g->o.vector[parity][i * n + k] * sqrt(g->o.weight[k]) *
                    (heat ? x * (x * x + y * y + z * z - 2.5) : x * y);
        }
        sum -= g->o.rate[parity][i] * part * part;
        norm += part * part;
    }
    return sum / norm;
}

/* Collisions of polynomials of second and third degree are exact: the initial rates of stress and heat flux
 * are those of the first approximation, 1 and 2/3 for Maxwell molecules and both 1.016034 times that for hard
 * spheres, to the rule of directions. */
static void third_degree_is_exact(void **state)
{
    (void)state;
    const char *const molecules[] = {"velocity.nodes=8 gas.molecules=maxwell", "velocity.nodes=8"};
    const double rate[] = {1, 1.016034};
    for (int i = 0; i < 2; i++) {
        struct grid g;
        open_grid(&g, molecules[i]);
        expect_relative("rate of stress", relaxation_rate(&g, false), rate[i], i ? 2e-4 : 1e-6);
        expect_relative("rate of heat flux", relaxation_rate(&g, true), rate[i] * 2 / 3, i ? 2e-4 : 1e-6);
        close_grid(&g);
    }
}

/* Between them and hard spheres the second approximation is within 0.12 %. */
static void transport_between(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct grid g;
        char text[100];
        snprintf(text, sizeof text, "velocity.nodes=6 gas.molecules=vhs gas.omega=%g", 0.6 + 0.2 * i);
        open_grid(&g, text);
        expect_relative(text, g.o.viscosity, 1, 0.003);
        close_grid(&g);
    }
}

/* Mass and energy among the even functions, momentum along an axis among those odd
 * there: no other function is invariant or grows. */
static void nothing_but_invariants_stays(void **state)
{
    (void)state;
    const int stay[KN_PARITIES] = {2, 1, 1, 0, 1, 0, 0, 0};
    const char *const grids[] = {"velocity.nodes=6", "velocity.nodes=[6,8,10] velocity.fold=none"};
    for (int i = 0; i < 2; i++) {
        struct grid g;
        open_grid(&g, grids[i]);
        for (int p = 0; p < KN_PARITIES; p++) {
            int found = 0;
            for (int k = 0; k < g.o.size; k++) {
                assert_true(g.o.rate[p][k] <= 0);
                found += g.o.rate[p][k] > 1e-9 * g.o.rate[p][0];
            }
            assert_int_equal(found, stay[p]);
        }
        expect_below(grids[i], g.o.defect, 1e-11);
        close_grid(&g);
    }
}

/* No axis is preferred: parities that differ by the names of the axes have the same rates. */
static void axes_are_alike(void **state)
{
    (void)state;
    const int alike[4][2] = {{1, 2}, {1, 4}, {3, 5}, {3, 6}};
    struct grid g;
    open_grid(&g, "velocity.nodes=6");
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < g.o.size; k++)
            expect_near("rate", g.o.rate[alike[i][0]][k], g.o.rate[alike[i][1]][k],
                        -1e-11 * g.o.rate[alike[i][0]][0]);
    close_grid(&g);
}

/* Two steps equal one of twice the length; 1 and v.v do not change.  In single precision: rows of 27 numbers,
 * whose size depends on the weights of the nodes. */
static void steps_add_up(void **state)
{
    (void)state;
    struct grid g;
    open_grid(&g, "velocity.nodes=6");
    const int n = g.o.size;
    float *one = calloc((size_t)n * (size_t)n, sizeof *one),
          *two = calloc((size_t)n * (size_t)n, sizeof *two);
    double *space = calloc(2 * (size_t)n * (size_t)n, sizeof *space);
    for (int p = 0; p < KN_PARITIES; p++) {
        kn_operator_change(&g.o, p, 0.3, space, one);
        kn_operator_change(&g.o, p, 0.6, space, two);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 2 * (double)one[i * n + j];
                for (int k = 0; k < n; k++)
                    sum += (double)one[i * n + k] * one[k * n + j];
                expect_near("two steps", two[i * n + j], sum, 1e-6 * sqrt(g.o.weight[j] / g.o.weight[i]));
            }
    }
    kn_operator_change(&g.o, 0, 0.6, space, two);
    for (int i = 0; i < n; i++) {
        double sum[2] = {0, 0}, size[2] = {0, 0};
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 2; k++) {
                const double term = two[i * n + j] * (k ? (double)g.v.square[j] : 1.0);
                sum[k] += term;
                size[k] += fabs(term);
            }
        for (int k = 0; k < 2; k++)
            expect_near("an invariant", sum[k], 0, 1e-6 * size[k]);
    }
    free(one);
    free(space);
    free(two);
    close_grid(&g);
}

/* <h^2> of a gas that only collides never grows. */
static void entropy_functional_never_grows(void **state)
{
    (void)state;
    struct watch w;
    uint64_t seed = 5;
    double last = INFINITY;
    watch_open(&w, "space.cells=1 walls.left.kind=periodic walls.right.kind=periodic velocity.fold=none "
                   "velocity.nodes=6 collision.method=operator time.step=0.1");
    struct grid g;
    open_grid(&g, "velocity.nodes=6 velocity.fold=none");
    const size_t nnodes = (size_t)kn_sim_nodes(w.sim);
    float *row = calloc(nnodes, sizeof *row);
    for (size_t i = 0; i < nnodes; i++)
        row[i] = (int)(i % (size_t)g.v.stride) < g.v.size ? (float)expect_random(&seed) : 0;
    expect_ok(kn_sim_put_rows(w.sim, 0, 1, row));
    for (int step = 0; step < 60; step++) {
        double sum = 0;
        expect_ok(kn_sim_get_rows(w.sim, 0, 1, row));
        for (size_t i = 0; i < nnodes; i++)
            sum += g.v.w[i % (size_t)g.v.stride] * (double)row[i] * row[i];
        expect_below("<h^2>", sum, last * (1 + 1e-7));
        last = sum;
        watch_advance(&w, 1);
    }
    free(row);
    close_grid(&g);
    watch_close(&w);
}

/* ---------------------------------------------------------------------- cache */

static char *only_file(void)
{
    static char name[256];
    DIR *list = opendir(folder);
    int files = 0;
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (entry->d_name[0] != '.') {
            snprintf(name, sizeof name, "%s", entry->d_name);
            files++;
        }
    if (list)
        closedir(list);
    assert_int_equal(files, 1);
    return name;
}

static void assert_equal(const struct kn_operator *a, const struct kn_operator *b)
{
    const size_t n = (size_t)a->size;
    assert_same(a->viscosity, b->viscosity);
    assert_same(a->prandtl, b->prandtl);
    for (int p = 0; p < KN_PARITIES; p++) {
        assert_memory_equal(a->rate[p], b->rate[p], n * sizeof *a->rate[p]);
        assert_memory_equal(a->vector[p], b->vector[p], n * n * sizeof *a->vector[p]);
    }
}

/* Disable the cache; returns the argument of open_cache. */
static char *close_cache(void)
{
    const char *before = getenv("KNUDSEN_CACHE");
    char *usual = before ? strdup(before) : NULL;
    setenv("KNUDSEN_CACHE", "/proc/no/such/place", 1);
    return usual;
}

static void open_cache(char *usual)
{
    if (usual)
        setenv("KNUDSEN_CACHE", usual, 1);
    else
        unsetenv("KNUDSEN_CACHE");
    free(usual);
}

/* The sums of the first call on every call: an assembly takes seconds, and only their number matters here. */
static double *kept;
static int assemblies;

static enum kn_status repeat(const struct kn_assembly *what, const struct kn_progress_callback *listener,
                             double *sums)
{
    const size_t length = kn_operator_sums_length(what);
    if (!kept) {
        kept = calloc(length, sizeof *kept);
        assert_non_null(kept);
        expect_ok(kn_operator_sums_add(what, &kn_comm_alone, 1, listener, kept));
    }
    memcpy(sums, kept, length * sizeof *sums);
    assemblies++;
    return KN_OK;
}

/* Create the operator of the cache test; it must be assembled, or read from the cache. */
static void reopen_grid(struct grid *g, bool assembled)
{
    const struct kn_assembler machine = {.name = "repeat", .assemble = repeat};
    const int before = assemblies;
    expect_ok(assemble_grid(g, "velocity.nodes=6", &machine, NULL));
    assert_int_equal(assemblies - before, assembled);
    assert_string_equal(g->o.origin, assembled ? "repeat" : "cache");
}

/* The operator from the cache equals the assembled one; damaged, truncated and unknown files are replaced; a
 * missing cache is not an error. */
static void cache_is_checked(void **state)
{
    (void)state;
    struct grid first, again;
    char *usual = close_cache();
    size_t size;
    setenv("KNUDSEN_CACHE", folder, 1);
    reopen_grid(&first, true);
    char *good = read_all(only_file(), &size);
    for (int damage = 0; damage < 5; damage++) {
        if (damage == 1)
            flip(only_file(), size - 5, good[size - 5] ^ 1);
        if (damage == 2)
            write_all(only_file(), good, size / 2);
        if (damage == 3)
            write_all(only_file(), "something else", 14);
        if (damage == 4) /* the viscosity */
            flip(only_file(), 96 + 3 * 8 + 4, good[96 + 3 * 8 + 4] ^ 1);
        reopen_grid(&again, damage > 0);
        assert_equal(&again.o, &first.o);
        close_grid(&again);
        char *now = read_all(only_file(), NULL);
        assert_memory_equal(now, good, size);
        free(now);
    }
    setenv("KNUDSEN_CACHE", "/proc/no/such/place", 1);
    reopen_grid(&again, true);
    assert_equal(&again.o, &first.o);
    close_grid(&again);
    close_grid(&first);
    free(kept);
    free(good);
    open_cache(usual);
}

/* ------------------------------------------------------------------- machines */

/* An element of the matrix of a parity, from its spectrum. */
static double element(const struct kn_operator *o, int parity, int i, int j)
{
    const size_t n = (size_t)o->size;
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum +=
            o->rate[parity][k] * o->vector[parity][k * n + (size_t)i] * o->vector[parity][k * n + (size_t)j];
    return sum;
}

/* Progress from 0 to 1; the callback can stop the assembly. */
struct ear {
    double last, enough;
};

static bool hear(void *to, double part)
{
    struct ear *ear = to;
    assert_true(part >= ear->last && part <= 1 + 1e-9);
    ear->last = part;
    return part < ear->enough;
}

static void compare_machine(const struct kn_assembler *machine, const char *settings)
{
    struct grid g, plain, again;
    struct ear ear = {0, 2};
    const struct kn_progress_callback listener = {.report = hear, .to = &ear};
    expect_ok(assemble_grid(&g, settings, machine, &listener));
    expect_near("progress", ear.last, 1, 1e-9);
    assert_string_equal(g.o.note, "");
    assert_string_equal(g.o.origin, machine->name);
    expect_ok(assemble_grid(&again, settings, machine, NULL));
    assert_equal(&again.o, &g.o);
    open_grid(&plain, settings);
    for (int p = 0; p < KN_PARITIES; p++)
        for (int i = 0; i < g.o.size; i++)
            for (int j = 0; j <= i; j++)
                expect_near(settings, element(&g.o, p, i, j), element(&plain.o, p, i, j),
                            -1e-11 * plain.o.rate[p][0]);
    expect_relative("viscosity", g.o.viscosity, plain.o.viscosity, 1e-11);
    expect_below("conservation defect", g.o.defect, 1e-11);
    close_grid(&plain);
    close_grid(&again);
    close_grid(&g);
}

/* Every machine with an assembler gives the matrices of the CPU, the same bits each time, reports progress,
 * and stops on request. */
static void machines_assemble_alike(void **state)
{
    (void)state;
    const char *const grids[] = {"velocity.nodes=6", "velocity.nodes=[6,8,6] gas.molecules=maxwell",
                                 "velocity.nodes=[10,6,8] gas.molecules=vhs gas.omega=0.74"};
    int found = 0;
    char *usual = close_cache();
    for (int i = 0; kn_backend_names[i]; i++) {
        const struct kn_assembler *machine = kn_backend_assembler(kn_backend_names[i]);
        if (!machine || strcmp(machine->name, kn_backend_names[i]) != 0)
            continue;
        found++;
        for (int k = 0; k < 3; k++)
            compare_machine(machine, grids[k]);
        struct grid g;
        struct ear ear = {0, 1e-6};
        const struct kn_progress_callback listener = {.report = hear, .to = &ear};
        assert_int_equal(assemble_grid(&g, grids[0], machine, &listener), KN_EINTERRUPTED);
        expect_below("progress at the stop", ear.last, 0.99);
        close_grid(&g);
    }
    open_cache(usual);
    if (!found)
        skip();
}

static enum kn_status break_down(const struct kn_assembly *what, const struct kn_progress_callback *listener,
                                 double *sums)
{
    (void)listener;
    sums[what->size] = NAN;
    return kn_error_set(KN_EDEVICE, "the card is on fire (card.c:7)");
}

/* If a machine fails the CPU assembles, and a note gives the reason. */
static void failure_is_told(void **state)
{
    (void)state;
    const struct kn_assembler broken = {.name = "broken", .assemble = break_down};
    struct grid g, plain;
    char *usual = close_cache();
    expect_ok(assemble_grid(&g, "velocity.nodes=6", &broken, NULL));
    open_cache(usual);
    open_grid(&plain, "velocity.nodes=6");
    expect_relative("viscosity", g.o.viscosity, plain.o.viscosity, 1e-11);
    assert_string_equal(g.o.origin, "cpu");
    assert_non_null(strstr(g.o.note, "the card is on fire (card.c:7)"));
    close_grid(&plain);
    close_grid(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transport_of_hard_spheres),
        cmocka_unit_test(transport_of_maxwell_molecules),
        cmocka_unit_test(third_degree_is_exact),
        cmocka_unit_test(transport_between),
        cmocka_unit_test(nothing_but_invariants_stays),
        cmocka_unit_test(axes_are_alike),
        cmocka_unit_test(steps_add_up),
        cmocka_unit_test(entropy_functional_never_grows),
        TEST(cache_is_checked),
        cmocka_unit_test(machines_assemble_alike),
        cmocka_unit_test(failure_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
