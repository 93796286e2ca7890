/* The case file: defaults, conversion between text and values, and all kinds of errors. */
#include "backend/backend.h"
#include "config/config.h"
#include "files/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static enum kn_status parse(struct kn_case *c, const char *text)
{
    return kn_config_parse(c, text, strlen(text), "case.yaml", NULL);
}

/* The text is refused with a message that contains all given parts, and the case is unchanged. */
static void assert_refused(const char *text, const char *first, const char *second)
{
    struct kn_case c, before;
    kn_case_default(&c);
    before = c;
    enum kn_status status = parse(&c, text);
    if (status == KN_OK)
        status = kn_case_check(&c);
    else
        assert_memory_equal(&c, &before, sizeof c);
    if (status != KN_EINPUT || !strstr(kn_error_message(), first) || !strstr(kn_error_message(), second))
        fail_msg("for <%s> expected <%s> and <%s>, got status %d <%s>", text, first, second, (int)status,
                 kn_error_message());
    assert_true(strlen(kn_error_message()) < 1000);
}

static void assert_set_refused(const char *assignment, const char *expected)
{
    struct kn_case c;
    kn_case_default(&c);
    enum kn_status status = kn_case_set(&c, assignment);
    if (status == KN_OK)
        status = kn_case_check(&c);
    if (status != KN_EINPUT || !strstr(kn_error_message(), expected))
        fail_msg("for <%s> expected <%s>, got status %d <%s>", assignment, expected, (int)status,
                 kn_error_message());
}

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
    for (; kn_config_setting(settings, &s); settings++) {
        assert_true(strlen(s.name) < KN_NAME - 1);
        assert_true(s.key->doc && s.key->doc[strlen(s.key->doc) - 1] == '.');
        assert_true(s.key->choices || s.key->low < s.key->high);
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

/* -------------------------------------------------------------------- slips */

static void keys_are_known(void **state)
{
    (void)state;
    assert_refused("gas:\n  detla: 1\n", "case.yaml:2:3: gas.detla: unknown key", "did you mean gas.delta?");
    assert_refused("gass: {delta: 1}\n", "case.yaml:1:1: gass: unknown key", "did you mean gas?");
    assert_refused("delta: 1\n", "delta: unknown key", "did you mean gas.delta?");
    assert_refused("gas: {pressure_in_torr: 1}\n", "unknown key", "keys of gas: delta");
    assert_refused("walls: {lid: {kind: diffuse}}\n", "walls.lid: unknown key", "left, right, bottom, top");
    assert_refused("qwertzuiop: 1\n", "unknown key", "keys: gas, disturbance, space");
    assert_refused("gas: 1\n", "case.yaml:1:6: gas: expected a group of keys, found a value", "delta");
    assert_refused("walls: [1]\n", "found a list", "left");
    assert_refused("[a]: 1\n", "case.yaml:1:1", "a key must be a word");
    assert_refused("gas: {delta: 1, delta: 2}\n", "case.yaml:1:17: gas.delta", "twice");
    assert_refused("gas: {delta: 1}\ngas: {delta: 1}\n", "case.yaml:2:1: gas", "twice");
    assert_refused("gas: {delta: 1}\ngas.delta: 2\n", "case.yaml:2:1: gas.delta", "first at line 1");
    assert_refused("\"gas\\0.delta\": 1\n", "unknown key", "case.yaml:1:1");
}

static void values_are_checked(void **state)
{
    (void)state;
    static const char *const no_numbers[] = {"nan", "inf",  "-inf", ".inf", "0x10", "1_000",
                                             "1,5", "1 2",  "1e",   "e5",   "--1",  "1.2.3",
                                             "one", "true", "\"\"", "~",    "1e5x", "."};
    char text[128];
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
        snprintf(text, sizeof text, "gas:\n  delta: %s\n", no_numbers[i]);
        assert_refused(text, "case.yaml:2:10: gas.delta: expected a number, found", "1e-6 to 1000000");
    }
    assert_refused("gas: {delta: }\n", "gas.delta: expected a number, found nothing", "case.yaml:1:");
    assert_refused("gas: {delta: [1]}\n", "case.yaml:1:14: gas.delta", "found a list");
    assert_refused("gas: {delta: {a: 1}}\n", "gas.delta", "found a group of keys");
    assert_refused("gas: {delta: 1e400}\n", "1e400 is out of range", "1e-6 to 1000000");
    assert_refused("gas: {delta: -1}\n", "-1 is out of range", "1e-6 to 1000000");
    assert_refused("time: {courant: 0}\n", "0 is out of range", "above 0 up to 1");
    assert_refused("run: {threads: 2.5}\n", "expected a whole number, found '2.5'", "0 to 4096");
    assert_refused("run: {seed: 99999999999999999999}\n", "run.seed", "out of range");
    assert_refused("space: {cells: [4, 4, 4, 4]}\n", "a list of 4 values", "1 to 3");
    assert_refused("space: {cells: []}\n", "a list of 0 values", "1 to 3");
    assert_refused("space:\n  cells: [4, 0]\n", "case.yaml:2:14: space.cells: 0 is out of range",
                   "1 to 100000");
    assert_refused("velocity: {nodes: 7}\n", "velocity.nodes: 7 is odd", "even, 2 to 64");
    assert_refused("collision: {estimator: papr}\n", "unknown choice 'papr'", "did you mean paper?");
    assert_refused("collision: {method: boltzmann}\n", "unknown choice",
                   "allowed: monte-carlo, operator, bgk, shakhov");
    assert_refused("output: {vtk: yes}\n", "output.vtk", "true, false");
    assert_refused("run: {backend: gpu}\n", "run.backend", "auto, cpu");
    assert_refused("collision: {method: \"bgk\\0\"}\n", "unknown choice", "did you mean bgk?");
}

static void contradictions_are_found(void **state)
{
    (void)state;
    assert_refused("walls: {left: {kind: periodic}}\n", "walls.left.kind: periodic against diffuse",
                   "walls.right");
    assert_refused("walls: {front: {kind: specular}}\n", "walls.front.kind: specular against periodic",
                   "back");
    assert_refused("walls: {top: {velocity: [0, 1, 0]}}\n", "walls.top.velocity: 1 along y", "own plane");
    assert_refused("disturbance: 0.1\nwalls: {left: {oscillation: {velocity: 1, frequency: 1}}}\n",
                   "walls.left.oscillation.velocity: 1 along x", "displaces the wall");
    assert_refused("walls: {left: {accommodation: 0, oscillation: {velocity: 1, frequency: 1}}}\n",
                   "walls.left.oscillation.velocity: 1 along x", "accommodation 0");
    assert_refused("walls: {left: {oscillation: {velocity: 1}}}\n", "walls.left.oscillation.frequency",
                   "0 with an amplitude");
    assert_refused("disturbance: 0.5\nwalls: {top: {temperature: -2}}\n", "walls.top.temperature",
                   "absolute zero");
    assert_refused("walls: {top: {oscillation: {velocity: [1, 0, 0]}}}\n", "walls.top.oscillation.frequency",
                   "0 with an amplitude");
    assert_refused("disturbance: 0.5\nwalls: {top: {oscillation: {temperature: 3}}}\n",
                   "walls.top.oscillation.temperature", "absolute zero");
    assert_refused("walls: {back: {velocity: 1}}\n", "walls.back.velocity",
                   "no meaning at a side of kind periodic");
    assert_refused("walls: {top: {kind: specular, accommodation: 0.5}}\n", "walls.top.accommodation",
                   "specular");
    assert_refused("velocity: {weights: midpoint}\n", "velocity.weights: midpoint needs",
                   "stretched (here it is gauss)");
    assert_refused("space: {cells: 4000, stretch: 0.5}\n", "space.stretch", "smallest cell");
    assert_refused("space: {cells: [100000, 100000]}\n", "space.cells", "too many");
    assert_refused("initial: {shape: density, wave: [0, 0, 1]}\n", "initial.wave",
                   "at least 2 cells per period");
    assert_refused("velocity: {nodes: 2}\ncollision: {method: bgk}\n", "velocity.nodes: 2 along every axis",
                   "at least 4 along one axis");
    assert_refused("initial: {shape: bkw, amplitude: 0.3}\n", "initial.shape: bkw at disturbance 0",
                   "above 0");
    assert_refused("initial: {shape: bkw, amplitude: 0.5}\ndisturbance: 1\n", "initial.amplitude: 0.5",
                   "up to 0.4");
    assert_refused("initial: {shape: bkw, wave: 1, amplitude: 0.3}\ndisturbance: 1\n", "initial.wave",
                   "no meaning");
    assert_refused("initial: {shape: between}\nwalls: {left: {kind: inflow}}\n", "initial.shape: between",
                   "both ends");
    assert_refused("initial: {shape: anisotropic, amplitude: 4}\ndisturbance: 0.5\n", "initial.amplitude",
                   "negative");

    struct kn_case c;
    kn_case_default(&c);
    assert_int_equal(parse(&c, "walls: {top: {temperature: -2}}\nspace: {stretch: [0.98, 0.97]}\n"), KN_OK);
    assert_int_equal(kn_case_check(&c), KN_OK);
}

/* Sides without a wall. */
static void open_sides_are_checked(void **state)
{
    (void)state;
    assert_refused("walls: {left: {density: 1}}\n", "walls.left.density",
                   "no meaning at a side of kind diffuse (it needs walls.left.kind: inflow)");
    assert_refused("walls: {left: {kind: inflow, accommodation: 0.5}}\n", "walls.left.accommodation",
                   "inflow");
    assert_refused("disturbance: 2\nwalls: {left: {kind: inflow, density: -0.5}}\n", "walls.left.density",
                   "leaves no gas outside the inflow (more than -0.5");
    assert_refused("disturbance: 2\nwalls: {left: {kind: inflow, temperature: -1}}\n",
                   "walls.left.temperature", "absolute zero");
    assert_refused("walls: {left: {kind: inflow, gradient: {temperature: 1}}}\n",
                   "walls.left.gradient.temperature", "far-field");
    assert_refused("walls: {left: {kind: far-field, velocity: [0, 1]}}\n", "walls.left.velocity",
                   "diffuse or inflow");
    assert_refused("walls: {top: {kind: far-field, gradient: {velocity: [0, 1]}}}\n",
                   "walls.top.gradient.velocity: 1 along y", "compress");
    assert_refused("disturbance: 0.1\nwalls: {top: {kind: far-field}}\n", "walls.top.kind: far-field",
                   "disturbance: 0 only");
    assert_refused("collision: {method: none}\nwalls: {top: {kind: far-field, gradient: {velocity: 1}}}\n",
                   "walls.top.gradient.velocity", "without collisions");

    struct kn_case c;
    kn_case_default(&c);
    assert_int_equal(parse(&c, "collision: {method: none}\nwalls: {top: {kind: far-field}, bottom: "
                               "{oscillation: {velocity: [0, 1], frequency: 1}}, left: {kind: inflow, "
                               "velocity: [3, 1], density: -9}}\n"),
                     KN_OK);
    assert_int_equal(kn_case_check(&c), KN_OK);
}

static void struct_is_checked_too(void **state)
{
    (void)state;
    struct kn_case c;
    kn_case_default(&c);
    c.gas.delta = NAN;
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    kn_case_default(&c);
    c.collision.method = (enum kn_method)77;
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    kn_case_default(&c);
    memset(c.run.backend, 'x', sizeof c.run.backend);
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    kn_case_default(&c);
    c.velocity.nodes[1] = 5;
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    assert_string_equal(kn_error_message(), "velocity.nodes: 5 is odd (even, 2 to 64)");
}

static void yaml_stays_simple(void **state)
{
    (void)state;
    assert_refused("", "case.yaml:1:1", "the file is empty");
    assert_refused("# only a comment\n", "case.yaml:1:1", "the file is empty");
    assert_refused("---\n", "case.yaml:", "expected keys and values");
    assert_refused("just words\n", "case.yaml:1:1", "expected keys and values");
    assert_refused("- 1\n", "case.yaml:1:1", "expected keys and values");
    assert_refused("gas:\n\tdelta: 1\n", "case.yaml:2:1: not valid YAML", "not tabs");
    assert_refused("gas: {delta: 1\n", "case.yaml:2:1: not valid YAML", "");
    assert_refused("gas: {delta: &a 1}\n", "case.yaml:1:14", "anchor");
    assert_refused("gas: {delta: *a}\n", "case.yaml:1:14", "alias");
    assert_refused("gas: {delta: !!float 1}\n", "case.yaml:1:14", "tag");
    assert_refused("gas: {delta: 1}\n---\ngas: {delta: 2}\n", "case.yaml:2:1", "second document");
    assert_refused("gas: {delta: \xff\xfe}\n", "case.yaml:1:14", "not UTF-8");
    assert_refused("gas:\n  delta: \x01\n", "case.yaml:2:10", "not text");
    assert_refused("a: {a: {a: {a: {a: {a: {a: {a: {a: 1}}}}}}}}\n", "case.yaml:1:", "nested too deeply");

    struct kn_case c;
    kn_case_default(&c);
    assert_int_equal(kn_config_parse(&c, "a\0b", 3, "case.yaml", NULL), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "case.yaml:1:2: byte 0x00"));
    assert_int_equal(parse(&c, "\xef\xbb\xbfgas: {delta: 2}\r\n"), KN_OK); /* from an editor on Windows */
    assert_true(c.gas.delta == 2);
    assert_int_equal(parse(&c, "{}\n"), KN_OK);
}

static void depth_is_harmless(void **state)
{
    (void)state;
    static const char *const openings[] = {"[", "{a: ", "- ", "? ", "a: [", "{{"};
    enum { TIMES = 100000 };
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        size_t length = strlen(openings[i]);
        char *text = malloc(TIMES * length);
        for (int n = 0; n < TIMES; n++)
            memcpy(text + (size_t)n * length, openings[i], length);
        struct kn_case c;
        kn_case_default(&c);
        assert_int_equal(kn_config_parse(&c, text, TIMES * length, "deep.yaml", NULL), KN_EINPUT);
        free(text);
    }
}

static void assignments_are_checked(void **state)
{
    (void)state;
    assert_set_refused("gas.detla=1", "--set gas.detla=1: gas.detla: unknown key (did you mean gas.delta?)");
    assert_set_refused("gas.colour=1", "unknown key (keys of gas: delta, molecules, omega, species, ");
    assert_set_refused("walls.lid.velocity=1",
                       "unknown key (keys of walls: left, right, bottom, top, back, front)");
    assert_set_refused("wals.topp.velocty=1", "did you mean walls.top.velocity?");
    assert_set_refused("gas.delta", "expected key=value");
    assert_set_refused("=1", "expected key=value");
    assert_set_refused("gas.delta=", "no value");
    assert_set_refused("gas.delta=abc", "--set gas.delta=abc: gas.delta: expected a number, found 'abc'");
    assert_set_refused("gas=1", "gas: expected a group of keys");
    assert_set_refused("space.cells=[1, 2", "not valid YAML");
    assert_set_refused("walls.top={kind: difuse}", "did you mean diffuse?");
    assert_set_refused("walls.top={kind: diffuse, kind: diffuse}", "twice");
    assert_set_refused("time.end=[[[[[[[[[[1]]]]]]]]]]", "nested too deeply");
    char *longest = malloc(100000);
    memset(longest, 'x', 99999);
    longest[99999] = '\0';
    assert_set_refused(longest, "...");
    longest[50000] = '=';
    assert_set_refused(longest, "unknown key");
    free(longest);
}

static void places_are_kept(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_places places = {0};
    const char *text = "walls:\n  left:\n    kind: periodic\n";
    kn_case_default(&c);
    assert_int_equal(kn_config_parse(&c, text, strlen(text), "my.yaml", &places), KN_OK);
    assert_int_equal(kn_config_locate(&places, kn_case_check(&c)), KN_EINPUT);
    assert_ptr_equal(strstr(kn_error_message(), "my.yaml:3:11: walls.left.kind: periodic"),
                     kn_error_message());

    assert_int_equal(kn_config_set(&c, "walls.left.kind=diffuse", &places), KN_OK);
    assert_int_equal(kn_config_set(&c, "walls.top.velocity=[0, 3]", &places), KN_OK);
    assert_int_equal(kn_config_locate(&places, kn_case_check(&c)), KN_EINPUT);
    assert_ptr_equal(strstr(kn_error_message(), "--set walls.top.velocity=[0, 3]: walls.top.velocity: 3"),
                     kn_error_message());
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
    for (int i = 0; kn_config_setting(i, &s); i++)
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
        cmocka_unit_test(table_is_whole),          cmocka_unit_test(defaults_are_a_cavity),
        cmocka_unit_test(backends_are_documented), cmocka_unit_test(values_arrive),
        cmocka_unit_test(assignments_arrive),      cmocka_unit_test(auto_is_a_number_too),
        cmocka_unit_test(walls_follow_axes),       cmocka_unit_test(printing_keeps_every_bit),
        cmocka_unit_test(json_is_a_case_too),      cmocka_unit_test(fingerprint_knows_what_matters),
        cmocka_unit_test(choices_have_names),      cmocka_unit_test(keys_are_known),
        cmocka_unit_test(values_are_checked),      cmocka_unit_test(contradictions_are_found),
        cmocka_unit_test(open_sides_are_checked),  cmocka_unit_test(struct_is_checked_too),
        cmocka_unit_test(yaml_stays_simple),       cmocka_unit_test(depth_is_harmless),
        cmocka_unit_test(assignments_are_checked), cmocka_unit_test(places_are_kept),
        cmocka_unit_test(memory_is_compared),      cmocka_unit_test(near_words_are_offered),
        cmocka_unit_test(files_are_read),          cmocka_unit_test(help_covers_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
