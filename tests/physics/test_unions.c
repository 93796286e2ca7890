/* Random unions of smooth bodies, boxes, plates and STL surfaces: every one of them is computed with finite
 * values and without a loss of mass, relative to the disturbance of the gas, in time steps and in iterations,
 * or refused as bad input.
 *
 *     physics_unions [COUNT [FIRST [STEPS]]]    default 100 0 20: steps or iterations of COUNT unions
 */
#include "expect.h"

#include "error.h"
#include "grid/boundary.h"
#include "steady/steady.h"
#include "validity/validity.h"

#include <unistd.h>

enum { RINGS = 6, SECTORS = 9 };

static int unions = 100, first_union, most_steps = 20;
static char stl_file[64];

/* A random number between two numbers. */
static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * 0.5 * (expect_random(seed) + 1);
}

static int pick(uint64_t *seed, int count)
{
    return (int)between(seed, 0, count);
}

static void add(char *text, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t used = strlen(text);
    assert_true(vsnprintf(text + used, room - used, format, arguments) < (int)(room - used));
    va_end(arguments);
}

/* ------------------------------------------------------------------ surfaces */

/* A point of a sphere of radius 1 with bumps and sharp ends; ring 0 and RINGS are its poles. */
static void surface_point(const double bumps[RINGS + 1][SECTORS], int ring, int sector, double at[3])
{
    const double polar = M_PI * ring / RINGS, turn = 2 * M_PI * sector / SECTORS,
                 size = bumps[ring][ring % RINGS == 0 ? 0 : sector % SECTORS];
    at[0] = size * sin(polar) * cos(turn);
    at[1] = size * sin(polar) * sin(turn);
    at[2] = size * cos(polar);
}

static void write_triangle(FILE *file, const double bumps[RINGS + 1][SECTORS], const int corners[3][2],
                           const double q[3][3])
{
    fprintf(file, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 3; k++) {
        double p[3];
        surface_point(bumps, corners[k][0], corners[k][1], p);
        fprintf(file, "vertex");
        for (int d = 0; d < 3; d++)
            fprintf(file, " %.9g", q[d][0] * p[0] + q[d][1] * p[1] + q[d][2] * p[2]);
        fprintf(file, "\n");
    }
    fprintf(file, "endloop\nendfacet\n");
}

/* Some surfaces are smooth and some rough, some have holes and some intersect themselves. */
static void write_surface(uint64_t *seed)
{
    const double rough = pick(seed, 3) == 0 ? 0 : between(seed, 0.1, 0.6), angle = between(seed, 0, 2 * M_PI),
                 thin = between(seed, 0.3, 1);
    const double q[3][3] = {
        {cos(angle), -sin(angle), 0}, {sin(angle), cos(angle), 0}, {between(seed, -0.5, 0.5), 0, thin}};
    const int holes = pick(seed, 3) == 0 ? 2 + pick(seed, 20) : 0;
    double bumps[RINGS + 1][SECTORS];
    int number = 0;
    for (int i = 0; i < (RINGS + 1) * SECTORS; i++)
        bumps[i / SECTORS][i % SECTORS] = 1 + rough * expect_random(seed);
    FILE *file = fopen(stl_file, "w");
    assert_non_null(file);
    fprintf(file, "solid random\n");
    for (int ring = 0; ring < RINGS; ring++)
        for (int sector = 0; sector < SECTORS; sector++) {
            const int low[3][2] = {{ring, sector}, {ring + 1, sector}, {ring + 1, sector + 1}},
                      high[3][2] = {{ring, sector}, {ring + 1, sector + 1}, {ring, sector + 1}};
            if (ring < RINGS - 1 && (!holes || ++number % holes))
                write_triangle(file, bumps, low, q);
            if (ring > 0 && (!holes || ++number % holes))
                write_triangle(file, bumps, high, q);
        }
    fprintf(file, "endsolid random\n");
    assert_int_equal(fclose(file), 0);
}

/* -------------------------------------------------------------------- bodies */

struct box {
    int cells[3], axes;
    double size[3];
};

enum { ROOM = 4096 };

/* A place in the gas, often on a corner of cells or a middle of a cell, where coordinates coincide. */
static double place(uint64_t *seed, const struct box *b, int d)
{
    const double at = between(seed, -0.1, 1.1) * b->size[d], width = b->size[d] / b->cells[d];
    const int way = pick(seed, 4);
    return way == 0 ? round(at / width) * width : way == 1 ? (floor(at / width) + 0.5) * width : at;
}

static void add_polygon(char *text, uint64_t *seed, const struct box *b, int body)
{
    const int corners = 3 + pick(seed, 6);
    const double x = place(seed, b, 0), y = place(seed, b, 1);
    add(text, ROOM, "bodies.b%d.polygon=[", body);
    for (int i = 0; i < corners; i++) {
        const double turn = 2 * M_PI * (i + between(seed, 0, 0.8)) / corners,
                     radius = between(seed, 0.15, 0.5) * b->size[0];
        const double px = x + radius * cos(turn), py = y + radius * sin(turn);
        const bool round_off = pick(seed, 4) == 0;
        const double hx = b->size[0] / b->cells[0], hy = b->size[1] / b->cells[1];
        add(text, ROOM, "%s%.17g,%.17g", i ? "," : "", round_off ? round(px / hx) * hx : px,
            round_off ? round(py / hy) * hy : py);
    }
    add(text, ROOM, "] ");
}

static void add_box(char *text, uint64_t *seed, const struct box *b, int body)
{
    int ends[2][3];
    for (int d = 0; d < 3; d++) {
        ends[0][d] = pick(seed, b->cells[d]);
        ends[1][d] = ends[0][d] + 1 + pick(seed, b->cells[d] - ends[0][d]) / 2;
    }
    for (int end = 0; end < 2; end++) {
        add(text, ROOM, "bodies.b%d.box.%s=[", body, end ? "high" : "low");
        for (int d = 0; d < b->axes; d++)
            add(text, ROOM, "%s%.17g", d ? "," : "", ends[end][d] * b->size[d] / b->cells[d]);
        add(text, ROOM, "] ");
    }
}

static void add_plate(char *text, uint64_t *seed, const struct box *b, int body)
{
    const int axis = pick(seed, b->axes), across = axis == 0 ? 1 : 0, from = pick(seed, b->cells[across]),
              to = from + 1 + pick(seed, b->cells[across] - from);
    const double width = b->size[across] / b->cells[across];
    add(text, ROOM, "bodies.b%d.plate.axis=%c bodies.b%d.plate.at=%.17g ", body, "xyz"[axis], body,
        (1 + pick(seed, b->cells[axis] - 1)) * b -> size[axis] / b -> cells[axis]);
    add(text, ROOM, "bodies.b%d.plate.open=[%.17g,%.17g] ", body, from * width, to * width);
}

static void add_round(char *text, uint64_t *seed, const struct box *b, int body, bool sphere)
{
    const double radius = between(seed, 0.17, 0.5) * b->size[0];
    const char *name = sphere ? "sphere" : "cylinder";
    add(text, ROOM, "bodies.b%d.%s.centre=[%.17g,%.17g,%.17g] bodies.b%d.%s.radius=%.17g ", body, name,
        place(seed, b, 0), place(seed, b, 1), b->axes > 2 ? place(seed, b, 2) : 0.0, body, name, radius);
    if (!sphere && b->axes > 2)
        add(text, ROOM, "bodies.b%d.cylinder.axis=%c ", body, "xyz"[pick(seed, 3)]);
}

/* Motions of bodies with flat sides along their normals need disturbance 0. */
static void add_motion(char *text, uint64_t *seed, double delta, int body)
{
    const int way = pick(seed, 8);
    if (way < 2)
        add(text, ROOM, "bodies.b%d.velocity=[0,0,%g] ", body, between(seed, -1, 1));
    if (way == 1 || way == 2)
        add(text, ROOM, "bodies.b%d.rotation=[0,0,%g] ", body, between(seed, -1, 1) / delta);
}

static void add_body(char *text, uint64_t *seed, const struct box *b, int body)
{
    const int kind = pick(seed, 10);
    bool smooth = true;
    if (kind < 3)
        add_round(text, seed, b, body, b->axes > 2 && pick(seed, 2));
    else if (kind < 6 || (kind < 8 && b->axes == 2))
        add_polygon(text, seed, b, body);
    else if (kind < 8) {
        write_surface(seed);
        add(text, ROOM,
            "bodies.b%d.stl.file=%s bodies.b%d.stl.scale=%.17g bodies.b%d.stl.at=[%.17g,%.17g,%.17g] ", body,
            stl_file, body, between(seed, 0.25, 0.5) * b->size[0], body, place(seed, b, 0), place(seed, b, 1),
            place(seed, b, 2));
    } else {
        smooth = false;
        (kind == 8 ? add_box : add_plate)(text, seed, b, body);
    }
    if (smooth && pick(seed, 6) == 0)
        add(text, ROOM, "bodies.b%d.outside=true ", body);
    if (pick(seed, 2))
        add(text, ROOM, "bodies.b%d.temperature=%g ", body, between(seed, -1, 1));
}

/* -------------------------------------------------------------------- unions */

static void make_settings(char *text, uint64_t *seed, bool steady)
{
    static const char *const methods[] = {"bgk", "none", "shakhov"};
    static const char *const sides[] = {"left", "right", "bottom", "top", "back", "front"};
    struct box b = {.axes = 2 + pick(seed, 2)};
    for (int d = 0; d < 3; d++) {
        b.cells[d] = d >= b.axes ? 1 : b.axes == 2 ? 6 + pick(seed, 10) : 5 + pick(seed, 4);
        b.size[d] = d == 0 || d >= b.axes ? 1 : between(seed, 0.6, 1.4);
    }
    text[0] = '\0';
    add(text, ROOM, "space.cells=[%d,%d,%d] space.size=[%.17g,%.17g,%.17g] velocity.nodes=4 ", b.cells[0],
        b.cells[1], b.cells[2], b.size[0], b.size[1], b.size[2]);
    const bool linear = pick(seed, 3) > 0;
    const double delta = pow(10, between(seed, -1, 1.5));
    add(text, ROOM, "collision.method=%s gas.delta=%g disturbance=%g time.mode=%s space.order=%d ",
        methods[pick(seed, 3)], delta, linear ? 0.0 : 0.05, steady ? "steady" : "unsteady",
        steady || pick(seed, 4) ? 3 : 1 + pick(seed, 2));
    if (b.axes == 2 && pick(seed, 8))
        add(text, ROOM, "walls.back.kind=periodic walls.front.kind=periodic ");
    for (int d = 0; d < b.axes; d++) {
        const int way = pick(seed, 16);
        const char *kind = way < 10             ? "diffuse"
                           : way < 13           ? "symmetry"
                           : d == 1 || way < 15 ? "specular"
                                                : "periodic";
        for (int side = 0; side < 2 && *kind != 'd'; side++)
            add(text, ROOM, "walls.%s.kind=%s ", sides[2 * d + side], kind);
        if (*kind == 'd')
            add(text, ROOM, "walls.%s.temperature=%g ", sides[2 * d + pick(seed, 2)], between(seed, -1, 1));
    }
    for (int body = 0, count = 1 + pick(seed, 4); body < count; body++) {
        add_body(text, seed, &b, body);
        if (linear)
            add_motion(text, seed, delta, body);
    }
}

/* The case; a setting is refused if its message says so. */
static enum kn_status set_all(struct kn_case *c, const char *settings)
{
    char text[ROOM];
    strcpy(text, settings);
    kn_case_default(c);
    for (char *at = text, *end; *at; at = end + 1) {
        end = at + strcspn(at, " ");
        *end = '\0';
        KN_TRY(kn_case_set(c, at));
    }
    return kn_case_check(c);
}

/* Bad input has the exit code 2 and a message. */
static bool is_refused(const char *settings, enum kn_status status)
{
    if (status == KN_OK)
        return false;
    if (status != KN_EINPUT || strlen(kn_error_message()) < 10)
        fail_msg("status %d: %s\n%s", status, kn_error_message(), settings);
    return true;
}

static bool goes_on(const struct kn_steady *s)
{
    const struct kn_steady_progress p = kn_steady_progress(s);
    return p.iterations < most_steps && !(p.residual < 1e-6 && p.update < 1e-6);
}

static enum kn_status iterate(struct kn_sim *sim)
{
    struct kn_steady *s = NULL;
    enum kn_status status = kn_steady_create(&s, sim);
    while (status == KN_OK && goes_on(s))
        status = kn_steady_iterate(s);
    if (status == KN_OK)
        status = kn_steady_store(s, true);
    kn_steady_destroy(s);
    return status;
}

static void look(struct watch *w)
{
    struct kn_body_flux bodies[KN_BODIES];
    watch_look(w);
    expect_ok(kn_sim_bodies(w->sim, bodies));
    for (int k = 0; k < kn_case_bodies(&w->c) * KN_BODY_VALUES; k++)
        assert_true(isfinite(((double *)bodies)[k]));
}

/* One union; false: it is refused. */
static bool try_union(const char *settings, int number, bool steady)
{
    struct watch w = {0};
    char name[64];
    snprintf(name, sizeof name, "union %d", number);
    if (is_refused(settings, set_all(&w.c, settings)) || is_refused(settings, kn_sim_create(&w.sim, &w.c)))
        return false;
    expect_ok(kn_monitor_create(&w.monitor, &w.c, kn_sim_space(w.sim), &kn_comm_alone));
    w.fields = calloc((size_t)kn_sim_cells(w.sim) * KN_FIELDS, sizeof *w.fields);
    assert_non_null(w.fields);
    w.row = &w.monitor.row;
    watch_look(&w);
    const bool refused = is_refused(settings, steady ? iterate(w.sim) : kn_sim_advance(w.sim, most_steps));
    if (!refused) {
        look(&w);
        if (kn_boundary_keeps_mass(&w.c)) { /* otherwise bodies that move add mass for ever */
            expect_near(name, w.row->mass / w.row->volume, 0, 1e-6 * w.row->size);
            expect_below(name, w.row->size, 10);
        }
    }
    watch_close(&w);
    return !refused;
}

static bool has_warning(const char *settings, const char *code)
{
    struct kn_case c;
    struct kn_validity v = {0};
    bool found = false;
    expect_ok(set_all(&c, settings));
    expect_ok(kn_validity_judge_surfaces(&v, &c));
    for (int i = 0; i < v.count; i++)
        found = found || strcmp(v.finding[i].code, code) == 0;
    return found;
}

/* Gaps below two cells to another body and to a wall are reported. The facets of a sphere of five cells are a
 * tenth of a cell below its surface: this is no gap. A plane of symmetry is no wall. */
static void gaps_are_reported(void **state)
{
#define COARSE                                                                                               \
    "velocity.nodes=4 collision.method=bgk space.cells=[20,20] walls.back.kind=periodic "                    \
    "walls.front.kind=periodic "
#define NEAR "bodies.a.cylinder.centre=[0.78,0.5] bodies.a.cylinder.radius=0.2 "
    (void)state;
    assert_false(has_warning("velocity.nodes=4 collision.method=bgk space.cells=[20,20,20] "
                             "space.size=[1,1,1] bodies.a.sphere.centre=[0.5,0.5,0.5] "
                             "bodies.a.sphere.radius=0.125 ",
                             "gap"));
    assert_true(has_warning(COARSE NEAR, "gap"));
    assert_false(has_warning(COARSE NEAR "walls.right.kind=symmetry ", "gap"));
    assert_true(has_warning(COARSE NEAR "walls.right.kind=symmetry bodies.b.cylinder.centre=[0.36,0.5] "
                                        "bodies.b.cylinder.radius=0.2 ",
                            "gap"));
}

/* Unions that failed once: a pocket with gas behind a periodic end only, a gap of a tenth of a cell, a closed
 * part of one control volume in iterations, and gas that is one control volume. */
static void known_unions(void **state)
{
#define PLANE "walls.back.kind=periodic walls.front.kind=periodic velocity.nodes=4 space.order=3 "
    static const char periodic[] =
        PLANE "space.cells=[8,7] space.size=[1,1.4,1] gas.delta=1.9 collision.method=shakhov "
              "walls.left.temperature=0.5 walls.bottom.kind=periodic walls.top.kind=periodic "
              "bodies.a.polygon=[1.014,1.17,0.875,1.4,0.584,0.858,0.666,0.76,0.968,0.473] ";
    static const char gap[] =
        "velocity.nodes=4 space.order=3 space.cells=[10,7,1] space.size=[1,0.63,1] gas.delta=3 "
        "collision.method=bgk walls.left.kind=symmetry walls.right.kind=symmetry "
        "bodies.a.polygon=[1.128,0.377,0.5,0.539,0.379,0.0105,1,0] bodies.a.temperature=0.9 ";
    static const char pocket[] = PLANE
        "space.cells=[10,14] space.size=[1,0.9934,1] gas.delta=1.5 collision.method=bgk time.mode=steady "
        "walls.left.kind=symmetry walls.right.kind=symmetry bodies.a.cylinder.centre=[0.55,0.43] "
        "bodies.a.cylinder.radius=0.49564 bodies.a.temperature=-0.4 ";
    static const char triangle[] =
        PLANE "space.cells=[6,6] collision.method=none bodies.a.polygon=[0.3,0.3,0.64,0.3,0.3,0.64] "
              "bodies.a.outside=true ";
    (void)state;
    assert_true(try_union(periodic, -1, false));
    assert_true(try_union(gap, -2, false));
    assert_true(has_warning(gap, "filled"));
    assert_true(try_union(pocket, -3, true));
    assert_false(try_union(triangle, -4, false));
    assert_non_null(strstr(kn_error_message(), "smaller than two cells"));
}

static void random_unions(void **state)
{
    int computed = 0;
    (void)state;
    for (int i = first_union; i < first_union + unions; i++) {
        char settings[ROOM];
        uint64_t seed = 1000003 * (uint64_t)(i + 1);
        for (int k = 0; k < 5; k++)
            expect_random(&seed);
        make_settings(settings, &seed, i % 2);
        if (unions == 1)
            print_message("%s\n", settings);
        const bool done = try_union(settings, i, i % 2);
        if (!done)
            print_message("union %d is refused: %s\n", i, kn_error_message());
        computed += done;
    }
    print_message("%d of %d unions computed, the others refused\n", computed, unions);
    assert_true(unions < 12 || 2 * computed >= unions);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_reported), cmocka_unit_test(known_unions),
                                       cmocka_unit_test(random_unions)};
    unions = argc > 1 ? atoi(argv[1]) : unions;
    first_union = argc > 2 ? atoi(argv[2]) : 0;
    most_steps = argc > 3 ? atoi(argv[3]) : most_steps;
    snprintf(stl_file, sizeof stl_file, "/tmp/knudsen-unions-%d.stl", (int)getpid());
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (unions > 1)
        unlink(stl_file);
    return failed;
}
