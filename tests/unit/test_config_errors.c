/* Case files and assignments with errors: each is refused with a message that names the place. */
#include "parse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
    assert_refused("space: {order: 3, limiter: mc}\n", "space.limiter: mc", "space.order: 2");
    assert_refused("space: {order: 4}\n", "space.order: 4 is out of range", "1 to 3");
    assert_refused("space: {cells: [100000, 100000]}\n", "space.cells", "too many");
    assert_refused("initial: {shape: density, wave: [0, 0, 1]}\n", "initial.wave",
                   "at least 2 cells per period");
    assert_refused("collision: {method: shakhov, conservation: paper}\n",
                   "collision.conservation: paper needs collision.method: monte-carlo", "here it is shakhov");
    assert_refused("velocity: {nodes: 2, reduce: none}\ncollision: {method: bgk}\n",
                   "velocity.nodes: 2 along every axis", "at least 4 along one axis");
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
    assert_string_equal(kn_error_message(), "velocity.nodes: 5 is odd (even, 2 to 64, or auto)");
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
    assert_int_equal(kn_config_locate(&c, &places, kn_case_check(&c)), KN_EINPUT);
    assert_ptr_equal(strstr(kn_error_message(), "my.yaml:3:11: walls.left.kind: periodic"),
                     kn_error_message());

    assert_int_equal(kn_config_set(&c, "walls.left.kind=diffuse", &places), KN_OK);
    assert_int_equal(kn_config_set(&c, "walls.top.velocity=[0, 3]", &places), KN_OK);
    assert_int_equal(kn_config_locate(&c, &places, kn_case_check(&c)), KN_EINPUT);
    assert_ptr_equal(strstr(kn_error_message(), "--set walls.top.velocity=[0, 3]: walls.top.velocity: 3"),
                     kn_error_message());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_known),           cmocka_unit_test(values_are_checked),
        cmocka_unit_test(contradictions_are_found), cmocka_unit_test(open_sides_are_checked),
        cmocka_unit_test(struct_is_checked_too),    cmocka_unit_test(yaml_stays_simple),
        cmocka_unit_test(depth_is_harmless),        cmocka_unit_test(assignments_are_checked),
        cmocka_unit_test(places_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
