/* The case file: defaults, conversion between text and values, and all kinds of errors. */
#include "backend/backend.h"
#include "files/json.h"
#include "parse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *print(const struct kn_case *c, bool json)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (json)
        assert_int_equal(kn_json_print(to, kn_config_json(c), (struct kn_json_layout){0}), KN_OK);
    else
        kn_config_print(to, c);
    fclose(to);
    return text;
}

/* ---------------------------------------------------------------- the table */

static void table_is_whole(void **state)
{
    (void)state;
    struct kn_setting s;
    int settings = 0;
    char why[KN_TEXT], text[KN_NAME];
    double room[16];
    struct kn_si_value si;
    for (int n = 0; kn_config_setting(NULL, n, &s); n = s.index + 1, settings++) {
        assert_true(strlen(s.name) < KN_NAME - 1);
        assert_true(s.key->doc && s.key->doc[strlen(s.key->doc) - 1] == '.');
        assert_true(s.key->choices || s.key->type == KN_TYPE_FILE || s.key->low < s.key->high);
        for (int i = 0; i < s.key->count; i++) {
            kn_config_initial(s.key, i, text);
            if (!kn_config_store(s.key, room, i, text, strlen(text), &si, why))
                fail_msg("default of %s: %s", s.name, why);
        }
    }
    assert_in_range(settings, 50, KN_SETTINGS);
    for (const struct kn_key *key = kn_config_keys; key->name; key++) {
        size_t length = strcspn(key->name, ".");
        const struct kn_group *group = kn_config_groups;
        while (group->name && (strlen(group->name) != length || strncmp(group->name, key->name, length) != 0))
            group++;
        assert_non_null(group->name);
    }
}

static void defaults_are_a_cavity(void **state)
{
    (void)state;
    struct kn_case c;
    kn_case_default(&c);
    assert_int_equal(kn_case_check(&c), KN_OK);
    assert_int_equal(c.space.cells[0], 40);
    assert_int_equal(c.space.cells[2], 1);
    assert_int_equal(c.space.cluster[1], KN_CLUSTER_HIGH);
    assert_int_equal(c.velocity.nodes[2], 8);
    assert_int_equal(c.velocity.grid, KN_GRID_GAUSS);
    assert_int_equal(c.collision.method, KN_METHOD_OPERATOR);
    assert_int_equal(c.walls[KN_TOP].kind, KN_WALL_DIFFUSE);
    assert_int_equal(c.walls[KN_FRONT].kind, KN_WALL_PERIODIC);
    assert_true(c.walls[KN_LEFT].accommodation == 1);
    assert_true(c.output.vtk && c.output.average == KN_AVERAGE_AUTO && c.run.seed == 1);
    assert_string_equal(c.run.backend, "auto");
}

/* A list of temperatures is printed with the values that it has; one value is the same as before. */
static void points_arrive(void **state)
{
    (void)state;
    struct kn_case c, again;
    char text[1 << 15];
    kn_case_default(&c);
    const uint64_t plain = kn_config_fingerprint(&c);
    assert_int_equal(kn_case_set(&c, "walls.top.temperature=[0, 1, 0.5]"), KN_OK);
    assert_true(kn_config_fingerprint(&c) != plain && c.walls[KN_TOP].temperatures[2] == 0.5);
    FILE *to = fmemopen(text, sizeof text, "w");
    kn_config_print(to, &c);
    fclose(to);
    assert_non_null(strstr(text, "temperature: [0, 1, 0.5]\n"));
    assert_non_null(strstr(text, "temperature: 0\n"));
    kn_case_default(&again);
    assert_int_equal(parse(&again, text), KN_OK);
    assert_int_equal(kn_config_fingerprint(&again), kn_config_fingerprint(&c));
    assert_int_equal(kn_case_set(&c, "walls.top.temperature=0"), KN_OK);
    assert_int_equal(kn_config_fingerprint(&c), plain);
    assert_int_equal(kn_case_set(&c, "bodies.bar.rotation=2"), KN_OK);
    assert_true(c.bodies[0].rotation[2] == 2 && c.bodies[0].rotation[0] == 0);
}

static void backends_are_documented(void **state)
{
    (void)state;
    for (const char *const *name = kn_backend_names; *name; name++) {
        struct kn_case c;
        char text[64];
        kn_case_default(&c);
        snprintf(text, sizeof text, "run.backend=%s", *name);
        assert_int_equal(kn_case_set(&c, text), KN_OK);
        assert_string_equal(c.run.backend, *name);
    }
}

/* ------------------------------------------------------------------- values */

static void values_arrive(void **state)
{
    (void)state;
    struct kn_case c;
    kn_case_default(&c);
    assert_int_equal(parse(&c, "gas: {delta: 1e-1}\n"
                               "disturbance: +.25\n"
                               "space.cells: [8, 6, 4]\n"
                               "space:\n  size: 2\n  cluster: [low]\n"
                               "velocity: {nodes: 6}\n"
                               "collision:\n  method: \"es-bgk\"\n"
                               "walls:\n  top:\n    velocity: [1, 0, -2.5]\n    oscillation: {phase: 1.5}\n"
                               "run: {seed: 9007199254740991}\n"
                               "output: {vtk: false}\n"),
                     KN_OK);
    assert_true(c.gas.delta == 0.1 && c.disturbance == 0.25);
    assert_int_equal(c.space.cells[2], 4);
    assert_true(c.space.size[0] == 2 && c.space.size[1] == 1);
    assert_int_equal(c.space.cluster[0], KN_CLUSTER_LOW);
    assert_int_equal(c.space.cluster[1], KN_CLUSTER_HIGH);
    assert_int_equal(c.velocity.nodes[0], 6);
    assert_int_equal(c.velocity.nodes[2], 6);
    assert_int_equal(c.collision.method, KN_METHOD_ES_BGK);
    assert_true(c.walls[KN_TOP].velocity[2] == -2.5 && c.walls[KN_TOP].oscillation.phase == 1.5);
    assert_true(c.run.seed == UINT64_C(9007199254740991));
    assert_false(c.output.vtk);
    assert_int_equal(kn_case_check(&c), KN_OK);
}

static void assignments_arrive(void **state)
{
    (void)state;
    struct kn_case c;
    kn_case_default(&c);
    assert_int_equal(kn_case_set(&c, "gas.delta=0.1"), KN_OK);
    assert_int_equal(kn_case_set(&c, "space.cells=[20, 30]"), KN_OK);
    assert_int_equal(kn_case_set(&c, "walls.top={kind: diffuse, velocity: [1, 0, 0]}"), KN_OK);
    assert_int_equal(kn_case_set(&c, "velocity.nodes=[12, 10]"), KN_OK);
    assert_true(c.gas.delta == 0.1 && c.walls[KN_TOP].velocity[0] == 1);
    assert_int_equal(c.space.cells[1], 30);
    assert_int_equal(c.velocity.nodes[1], 10);
    assert_int_equal(c.velocity.nodes[2], 8);
}

/* Numbers that may be auto. */
static void auto_is_a_number_too(void **state)
{
    (void)state;
    struct kn_case c;
    kn_case_default(&c);
    assert_int_equal(kn_case_set(&c, "collision.samples=auto"), KN_OK);
    assert_int_equal(c.collision.samples, KN_SAMPLES_AUTO);
    assert_int_equal(kn_case_check(&c), KN_OK);
    char *yaml = print(&c, false), *json = print(&c, true);
    assert_non_null(strstr(yaml, "samples: auto\n"));
    assert_non_null(strstr(yaml, "average: auto\n"));
    assert_non_null(strstr(json, "\"samples\": \"auto\""));
    free(yaml);
    free(json);
    assert_int_equal(kn_case_set(&c, "collision.samples=0"), KN_EINPUT);
    assert_int_equal(kn_case_set(&c, "output.average=-2"), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "-1 to 1000000000, or auto"));
    assert_int_equal(kn_case_set(&c, "gas.delta=auto"), KN_EINPUT);
}

/* Kinds of sides that are not set follow the axes, for any order of the keys. */
static void walls_follow_axes(void **state)
{
    (void)state;
    struct kn_case c;
    kn_case_default(&c);
    assert_int_equal(parse(&c, "walls: {bottom: {kind: specular}}\nspace: {cells: [10]}\n"), KN_OK);
    assert_int_equal(c.space.cells[1], 1);
    assert_int_equal(c.walls[KN_LEFT].kind, KN_WALL_DIFFUSE);
    assert_int_equal(c.walls[KN_TOP].kind, KN_WALL_PERIODIC);
    assert_int_equal(c.walls[KN_BOTTOM].kind, KN_WALL_SPECULAR);
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "walls.bottom.kind: specular against periodic"));

    assert_int_equal(kn_case_set(&c, "space.cells=[10, 1, 10]"), KN_OK);
    assert_int_equal(c.walls[KN_TOP].kind, KN_WALL_DIFFUSE);
    assert_int_equal(c.walls[KN_FRONT].kind, KN_WALL_DIFFUSE);
    assert_int_equal(c.walls[KN_BOTTOM].kind, KN_WALL_SPECULAR);
    assert_int_equal(kn_case_check(&c), KN_OK);
}

static void printing_keeps_every_bit(void **state)
{
    (void)state;
    static const double hard[] = {
        0.1, 1.0 / 3, 2.0 / 3, 0.12345678901234567, 1e-6, 123456.78901234567, 5e-324 + 1e-5};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        struct kn_case c, back;
        kn_case_default(&c);
        c.gas.delta = hard[i];
        c.disturbance = nextafter(0.1, 1);
        c.walls[KN_TOP].velocity[0] = -hard[i];
        c.walls[KN_BACK].kind = c.walls[KN_FRONT].kind = KN_WALL_SYMMETRY;
        c.initial.shape = KN_SHAPE_FOURTH_MOMENT;
        c.time.max_steps = INT64_C(9007199254740991);
        c.gas.omega_set = c.gas.delta_set = true; /* as the printed case sets them, with the walls */
        for (int side = 0; side < KN_SIDES; side++)
            c.walls[side].kind_set = true;
        char *text = print(&c, false), *again;
        kn_case_default(&back);
        if (parse(&back, text) != KN_OK)
            fail_msg("%s", kn_error_message());
        again = print(&back, false);
        assert_string_equal(text, again);
        assert_memory_equal(&c, &back, sizeof c);
        assert_true(kn_config_fingerprint(&c) == kn_config_fingerprint(&back));
        free(text);
        free(again);
    }
}

static void json_is_a_case_too(void **state)
{
    (void)state;
    struct kn_case c, back;
    kn_case_default(&c);
    kn_case_set(&c, "gas.delta=0.3");
    char *text = print(&c, true); /* JSON is YAML */
    kn_case_default(&back);
    if (parse(&back, text) != KN_OK)
        fail_msg("%s", kn_error_message());
    assert_true(kn_config_fingerprint(&c) == kn_config_fingerprint(&back));
    assert_null(strchr(text, '\n'));
    free(text);
}

static void fingerprint_knows_what_matters(void **state)
{
    (void)state;
    static const struct {
        const char *assignment;
        bool matters;
    } rows[] = {
        {"gas.delta=1.0000000000000002", true},
        {"run.seed=2", true},
        {"output.history=11", true},
        {"output.fields=1", true},
        {"time.courant=0.4", true},
        {"collision.samples=auto", true},
        {"collision.error=0.01", true},
        {"walls.top.velocity=1", true},
        {"walls.top.density=1", true},
        {"initial.width=0.2", true},
        {"walls.top.gradient.velocity=1", true},
        {"walls.top.gradient.temperature=1", true},
        {"time.end=11", false},
        {"time.max_steps=5", false},
        {"time.residual=1e-6", false},
        {"run.threads=3", false},
        {"run.walltime=60", false},
        {"run.backend=cpu", false},
        {"output.vtk=false", false},
        {"output.average=2", false},
        {"output.checkpoint=1", false},
    };
    struct kn_case c;
    kn_case_default(&c);
    uint64_t before = kn_config_fingerprint(&c);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kn_case_default(&c);
        assert_int_equal(kn_case_set(&c, rows[i].assignment), KN_OK);
        if ((kn_config_fingerprint(&c) != before) != rows[i].matters)
            fail_msg("%s", rows[i].assignment);
    }
}

static void choices_have_names(void **state)
{
    (void)state;
    assert_string_equal(kn_config_choice_name("collision.method", KN_METHOD_SHAKHOV), "shakhov");
    assert_string_equal(kn_config_choice_name("walls.top.kind", KN_WALL_SPECULAR), "specular");
    assert_string_equal(kn_config_choice_name("walls.*.kind", KN_WALL_PERIODIC), "periodic");
    assert_string_equal(kn_config_choice_name("no.key", 0), "?");
}

static void memory_is_compared(void **state)
{
    (void)state;
    assert_true(kn_config_memory_available() > 1e6);
    assert_int_equal(kn_config_check_memory(1), KN_OK);
    assert_int_equal(kn_config_check_memory(1e17), KN_EMEMORY);
    assert_non_null(strstr(kn_error_message(), "space.cells: the case needs 100 PB"));
}

static void near_words_are_offered(void **state)
{
    (void)state;
    assert_int_equal(kn_config_distance("omga", "omega"), 1);
    assert_int_equal(kn_config_distance("rnu", "run"), 1);
    assert_int_equal(kn_config_distance("BGK", "bgk"), 0);
    assert_int_equal(kn_config_distance("", "abc"), 3);
    assert_int_equal(kn_config_distance("kitten", "sitting"), 3);
    assert_false(kn_config_is_near("x", "y"));
}

static void files_are_read(void **state)
{
    (void)state;
    struct kn_case c;
    kn_case_default(&c);
    assert_int_equal(kn_case_load(&c, "/nonexistent/case.yaml"), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "/nonexistent/case.yaml: cannot be opened"));
    assert_int_equal(kn_case_load(&c, "/"), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "folder"));
    assert_int_equal(kn_case_load(&c, "/dev/zero"), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "too large"));
    assert_int_equal(kn_case_load(&c, "/dev/null"), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "the file is empty"));
}

static void help_covers_every_key(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    struct kn_setting s;
    FILE *to = open_memstream(&text, &size);
    kn_config_help_all(to);
    kn_config_write_markdown(to);
    for (int i = 0; kn_config_setting(NULL, i, &s); i = s.index + 1)
        assert_true(kn_config_help(to, s.name));
    assert_true(kn_config_help(to, "walls.<side>.kind"));
    assert_true(kn_config_help(to, "walls.top"));
    assert_true(kn_config_help(to, "gas"));
    assert_false(kn_config_help(to, "walls.lid.kind"));
    assert_false(kn_config_help(to, "nothing"));
    assert_false(kn_config_help(to, ""));
    assert_false(kn_config_help(to, "*"));
    fclose(to);
    for (const struct kn_key *key = kn_config_keys; key->name; key++) {
        assert_non_null(strstr(text, key->name));
        assert_non_null(strstr(text, key->doc));
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_whole),
        cmocka_unit_test(defaults_are_a_cavity),
        cmocka_unit_test(points_arrive),
        cmocka_unit_test(backends_are_documented),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(assignments_arrive),
        cmocka_unit_test(auto_is_a_number_too),
        cmocka_unit_test(walls_follow_axes),
        cmocka_unit_test(printing_keeps_every_bit),
        cmocka_unit_test(json_is_a_case_too),
        cmocka_unit_test(fingerprint_knows_what_matters),
        cmocka_unit_test(choices_have_names),

        cmocka_unit_test(memory_is_compared),
        cmocka_unit_test(near_words_are_offered),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(help_covers_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
