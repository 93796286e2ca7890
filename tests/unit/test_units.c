/* Values with units: reading them, the scales of a gas, and a case that follows its gas. */
#include "config/config.h"
#include "config/scales.h"
#include "expect.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static double read_si(enum kn_dimension dimension, const char *text)
{
    char why[KN_TEXT] = "";
    double si = NAN;
    if (!kn_units_read(dimension, text, &si, why, sizeof why))
        fail_msg("%s: %s", text, why);
    return si;
}

static void test_units_are_converted(void **state)
{
    (void)state;
    expect_relative("um", read_si(KN_DIMENSION_LENGTH, "1 um"), 1e-6, 1e-14);
    expect_relative("UTF-8", read_si(KN_DIMENSION_LENGTH, "2.5 µm"), 2.5e-6, 1e-14);
    expect_relative("no blank", read_si(KN_DIMENSION_VELOCITY, "-3.4m/s"), -3.4, 1e-14);
    expect_relative("km/h", read_si(KN_DIMENSION_VELOCITY, "36 km/h"), 10, 1e-14);
    expect_relative("mTorr", read_si(KN_DIMENSION_PRESSURE, "10 mTorr"), 1.33322387415, 1e-9);
    expect_relative("mbar", read_si(KN_DIMENSION_PRESSURE, "1e-3 mbar"), 0.1, 1e-14);
    expect_relative("per volume", read_si(KN_DIMENSION_DENSITY, "3e24 / m3"), 3e24, 1e-14);
    expect_relative("degC", read_si(KN_DIMENSION_TEMPERATURE, "20 degC"), 293.15, 1e-14);
    expect_relative("a difference has no zero", read_si(KN_DIMENSION_WARMING, "20 degC"), 20, 1e-12);
    expect_relative("cycles", read_si(KN_DIMENSION_FREQUENCY, "5 MHz"), 2 * M_PI * 5e6, 1e-14);
    expect_relative("radians", read_si(KN_DIMENSION_FREQUENCY, "5e6 rad/s"), 5e6, 1e-14);
    expect_relative("turns", read_si(KN_DIMENSION_FREQUENCY, "60 rpm"), 2 * M_PI, 1e-9);
    expect_relative("viscosity", read_si(KN_DIMENSION_VISCOSITY, "22.7 uPa s"), 22.7e-6, 1e-14);
    expect_relative("degree", read_si(KN_DIMENSION_ANGLE, "90 degree"), M_PI / 2, 1e-14);
}

static void assert_unreadable(enum kn_dimension dimension, const char *text, const char *first,
                              const char *second)
{
    char why[KN_TEXT] = "";
    double si = NAN;
    assert_false(kn_units_read(dimension, text, &si, why, sizeof why));
    if (!strstr(why, first) || !strstr(why, second))
        fail_msg("for <%s> expected <%s> and <%s>, got <%s>", text, first, second, why);
}

static void test_wrong_dimensions_are_named(void **state)
{
    (void)state;
    assert_unreadable(KN_DIMENSION_VELOCITY, "3 kPa", "is a pressure",
                      "expected a velocity (such as 3.4 m/s)");
    assert_unreadable(KN_DIMENSION_LENGTH, "3 furlogs", "unknown unit 'furlogs'", "a length, such as 1 um");
    /* UDUNITS would convert one of these to the inverse of the other */
    assert_unreadable(KN_DIMENSION_TIME, "3 MHz", "is a frequency", "expected a time");
    assert_unreadable(KN_DIMENSION_FREQUENCY, "3 s", "is a time", "expected a frequency");
    assert_unreadable(KN_DIMENSION_TIME, "1e999 s", "too large", "");
    /* and multiplies numbers within units */
    assert_unreadable(KN_DIMENSION_PRESSURE, "8 020 Pa", "unknown unit '020 Pa'", "a pressure");
    assert_unreadable(KN_DIMENSION_PRESSURE, "1e3 2 Pa", "unknown unit '2 Pa'", "a pressure");
    assert_unreadable(KN_DIMENSION_VELOCITY, "10 m/s 2", "unknown unit 'm/s 2'", "a velocity");
    assert_unreadable(KN_DIMENSION_VELOCITY, "0x10 m/s", "unknown unit 'x10 m/s'", "a velocity");
    /* absolute quantities */
    assert_unreadable(KN_DIMENSION_TEMPERATURE, "-300 degC", "is not above zero", "such as 310 K");
    assert_unreadable(KN_DIMENSION_DENSITY, "0 m-3", "is not above zero", "such as 2.4e24 m-3");
}

static void test_numbers_are_written_for_people(void **state)
{
    (void)state;
    char text[KN_UNITS_TEXT];
    assert_string_equal(kn_units_text(KN_DIMENSION_LENGTH, 8.0218e-7, text), "802.2 nm");
    assert_string_equal(kn_units_text(KN_DIMENSION_PRESSURE, 1e5, text), "100 kPa");
    assert_string_equal(kn_units_text(KN_DIMENSION_TIME, 1e-3, text), "1 ms");
    assert_string_equal(kn_units_text(KN_DIMENSION_VELOCITY, 1234.5, text), "1234 m s-1");
    assert_string_equal(kn_units_text(KN_DIMENSION_LENGTH, 0, text), "0 m");
}

/* Two threads at once: the parser of UDUNITS is not reentrant. */
static void *read_often(void *text)
{
    char why[KN_TEXT];
    for (int i = 0; i < 2000; i++) {
        double si = 0;
        if (!kn_units_read(KN_DIMENSION_PRESSURE, text, &si, why, sizeof why) || fabs(si / 3500 - 1) > 1e-12)
            return text;
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    static char texts[][16] = {"3.5 kPa", "35 mbar"};
    pthread_t threads[2];
    void *failed[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, texts[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &failed[i]);
        assert_null(failed[i]);
    }
}

/* At 25 degrees Celsius [Berg and Moldover, J. Phys. Chem. Ref. Data 41 (2012) 043104]; the table has three
 * digits.  Exponents [Bird 1994, table A1]. */
static void test_species(void **state)
{
    (void)state;
    static const struct {
        enum kn_species species;
        double viscosity, omega; /* uPa s */
    } known[] = {
        {KN_SPECIES_HELIUM, 19.82, 0.66}, {KN_SPECIES_NEON, 31.71, 0.66},
        {KN_SPECIES_ARGON, 22.57, 0.81},  {KN_SPECIES_KRYPTON, 25.31, 0.80},
        {KN_SPECIES_XENON, 23.02, 0.85},  {KN_SPECIES_NITROGEN, 17.75, 0.74},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const enum kn_species s = known[i].species;
        expect_relative("viscosity", 1e6 * kn_species_viscosity(s, 298.15), known[i].viscosity, 0.005);
        assert_true(kn_species_find(s)->omega == known[i].omega);
        for (double t = 100; t < 1000; t += 10)
            expect_between("grows with T", kn_species_viscosity(s, t + 10) / kn_species_viscosity(s, t), 1,
                           1.12);
    }
    expect_relative("argon, 350 K", kn_species_viscosity(KN_SPECIES_ARGON, 350), 25.75e-6, 0.003);
    expect_relative("helium, 600 K", kn_species_viscosity(KN_SPECIES_HELIUM, 600), 32.2e-6, 0.005);
}

#define ARGON "gas.species=argon gas.temperature=300K "

/* Argon at 10 kPa and 300 K, by hand: V0 = sqrt(2 k T0 / m), lambda0 = mu0 V0 / p0. */
static void test_scales(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_scales s;
    expect_case(&c, ARGON "gas.pressure=10kPa space.size=[1um,0.5um] walls.top.velocity=[3.4m/s,0,0] "
                          "walls.left.temperature=310K time.end=50ns");
    expect_ok(kn_scales_create(&s, &c));
    const double v0 = sqrt(2 * 8.314462618 * 300 / 39.948e-3), lambda0 = 22.7e-6 * v0 / 1e4;
    assert_true(s.known);
    expect_relative("V0", s.velocity, v0, 1e-9);
    expect_relative("lambda0", s.length, lambda0, 1e-9);
    expect_relative("time", s.time, 22.7e-6 / 1e4, 1e-9);
    expect_relative("n0", s.density, 1e4 / (1.380649e-23 * 300), 1e-12);
    expect_relative("delta", c.gas.delta, 1e-6 / lambda0, 1e-9);
    expect_relative("size", c.space.size[1], 0.5, 1e-12);
    expect_relative("lid", c.walls[KN_TOP].velocity[0], 3.4 / v0, 1e-9);
    expect_relative("wall", c.walls[KN_LEFT].temperature, 10.0 / 300, 1e-12);
    expect_relative("end", c.time.end, 50e-9 / s.time, 1e-12);
    expect_relative("Ma", kn_scales_mach(&c), 3.4 / sqrt(5.0 / 3 * 8.314462618 * 300 / 39.948e-3), 1e-9);
}

/* Any order of the keys; values are divided by a finite eps. */
static void test_order_and_eps(void **state)
{
    (void)state;
    struct kn_case one, two;
    expect_case(&one, ARGON "gas.pressure=10kPa space.size=1um time.end=50ns walls.top.velocity=[3m/s,0,0]");
    expect_case(&two, "time.end=50ns walls.top.velocity=[3m/s,0,0] space.size=1um gas.pressure=10kPa "
                      "gas.temperature=300K gas.species=argon");
    assert_true(kn_config_fingerprint(&one) == kn_config_fingerprint(&two));
    expect_set(&two, "disturbance=0.1");
    expect_relative("eps", two.walls[KN_TOP].velocity[0], 10 * one.walls[KN_TOP].velocity[0], 1e-12);
    expect_set(&two, "gas.pressure=20kPa");
    expect_relative("thicker", two.gas.delta, 2 * one.gas.delta, 1e-12);
    expect_relative("later", two.time.end, 2 * one.time.end, 1e-12);
    expect_set(&two, "walls.top.velocity=[0.5,0,0]"); /* a number replaces a value with a unit */
    expect_set(&two, "gas.temperature=400K");
    assert_true(two.walls[KN_TOP].velocity[0] == 0.5);
}

/* Two of pressure, length and delta give the third. */
static void test_triangle(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_scales s;
    expect_case(&c, ARGON "gas.delta=2 space.size=1um");
    expect_ok(kn_scales_create(&s, &c));
    expect_relative("pressure", s.pressure, 2 * s.viscosity * s.velocity / 1e-6, 1e-12);
    expect_case(&c, ARGON "gas.delta=2 gas.pressure=1kPa");
    expect_ok(kn_scales_create(&s, &c));
    expect_relative("length", s.box, 2 * s.viscosity * s.velocity / 1e3, 1e-12);
    expect_case(&c, "gas.molar_mass=4g/mol gas.viscosity=20uPa.s gas.temperature=300K gas.pressure=1kPa "
                    "space.length=1mm");
    expect_ok(kn_scales_create(&s, &c));
    expect_relative("a gas without a species", s.box, 1e-3, 1e-12);
    kn_case_default(&c);
    expect_ok(kn_scales_create(&s, &c));
    assert_false(s.known);
}

static void assert_lacking(const char *settings, const char *first, const char *second)
{
    struct kn_case c;
    kn_case_default(&c);
    expect_set(&c, settings);
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    if (!strstr(kn_error_message(), first) || !strstr(kn_error_message(), second))
        fail_msg("for <%s> expected <%s> and <%s>, got <%s>", settings, first, second, kn_error_message());
}

static void test_what_lacks_is_said(void **state)
{
    (void)state;
    assert_lacking("time.end=3ns", "time.end: SI units need a gas", "gas.species");
    assert_lacking("gas.species=argon", "gas.temperature: SI units need it", "300 K");
    assert_lacking(ARGON "gas.pressure=1kPa", "space.size: SI units need two of", "space.length");
    assert_lacking(ARGON "space.size=1um", "gas.pressure: SI units need two of", "10 kPa");
    assert_lacking(ARGON "space.size=1um gas.pressure=1kPa gas.delta=3", "gas.delta: 3, but",
                   "specify two of the three");
    struct kn_case c;
    kn_case_default(&c);
    c.gas.species = KN_SPECIES_ARGON; /* without kn_case_set other values do not follow */
    c.gas.temperature = 300;
    c.gas.pressure = 1e4;
    c.space.length = 1e-6;
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "kn_case_set"));
}

/* A printed case is read back as the same case, with derived values. */
static void test_printed_case_reads_back(void **state)
{
    (void)state;
    static const char *const cases[] = {
        ARGON "gas.pressure=10kPa space.size=[1um,0.7um] time.end=50ns walls.top.velocity=[3m/s,0,0] "
              "run.walltime=2h",
        ARGON "gas.delta=2 space.size=0.3um output.fields=1ns",
        "gas.molar_mass=4g/mol gas.viscosity=20uPa.s gas.temperature=300K gas.delta=3 gas.pressure=1kPa",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kn_case c, again;
        struct kn_scales s, t;
        char *text = NULL;
        size_t size = 0;
        expect_case(&c, cases[i]);
        FILE *to = open_memstream(&text, &size);
        kn_config_print(to, &c);
        fclose(to);
        kn_case_default(&again);
        expect_ok(kn_config_parse(&again, text, size, "printed", NULL));
        expect_ok(kn_case_check(&again));
        assert_true(kn_config_fingerprint(&c) == kn_config_fingerprint(&again));
        expect_ok(kn_scales_create(&s, &c));
        expect_ok(kn_scales_create(&t, &again));
        expect_relative("pressure", t.pressure, s.pressure, 1e-15);
        expect_relative("time", t.time, s.time, 1e-15);
        assert_true(c.run.walltime == again.run.walltime);
        free(text);
    }
}

/* Every key that takes a unit, by hand; eps = 0.2. */
static void test_conversions(void **state)
{
    (void)state;
    struct kn_case c;
    struct kn_scales s;
    expect_case(&c, ARGON
                "gas.pressure=10kPa space.size=1um disturbance=0.2 walls.left.kind=inflow "
                "walls.left.density=3e24m-3 walls.left.velocity=[7m/s,0,0] source.force=[1e9m/s2,0,0] "
                "source.temperature_gradient=[0,5K/um,0] time.residual=1e6s-1 initial.width=20nm "
                "velocity.range=1.5km/s walls.top.oscillation.velocity=[2m/s,0,0] "
                "walls.top.oscillation.temperature=6K walls.top.oscillation.frequency=3MHz "
                "walls.top.oscillation.phase=180degree time.step=1ps output.fields=2ns output.average=3ns");
    expect_ok(kn_scales_create(&s, &c));
    const struct kn_oscillation *o = &c.walls[KN_TOP].oscillation;
    const double eps = 0.2, v0 = sqrt(2 * 8.314462618 * 300 / 39.948e-3), t0 = 22.7e-6 / 1e4, l0 = v0 * t0;
    expect_relative("inflow", c.walls[KN_LEFT].velocity[0], 7 / v0 / eps, 1e-9);
    expect_relative("density", c.walls[KN_LEFT].density, (3e24 * 1.380649e-23 * 300 / 1e4 - 1) / eps, 1e-9);
    expect_relative("force", c.source.force[0], 1e9 * t0 / v0 / eps, 1e-9);
    expect_relative("gradient", c.source.temperature_gradient[1], 5e6 * l0 / 300 / eps, 1e-9);
    expect_relative("residual", c.time.residual, 1e6 * t0, 1e-9);
    expect_relative("width", c.initial.width, 0.02, 1e-12);
    expect_relative("range", c.velocity.range, 1500 / v0, 1e-9);
    expect_relative("amplitude", o->velocity[0], 2 / v0 / eps, 1e-9);
    expect_relative("warming", o->temperature, 6.0 / 300 / eps, 1e-12);
    expect_relative("frequency", o->frequency, 2 * M_PI * 3e6 * t0, 1e-9);
    expect_relative("phase", o->phase, M_PI, 1e-12);
    expect_relative("step", c.time.step, 1e-12 / t0, 1e-9);
    expect_relative("fields", c.output.fields, 2e-9 / t0, 1e-9);
    expect_relative("average", c.output.average, 3e-9 / t0, 1e-9);
    expect_case(&c,
                ARGON "gas.pressure=10kPa space.size=1um walls.right.kind=far-field "
                      "walls.right.gradient.velocity=[0,4e6s-1,0] walls.right.gradient.temperature=9K/um");
    expect_relative("shear rate", c.walls[KN_RIGHT].gradient.velocity[1], 4e6 * t0, 1e-9);
    expect_relative("gradient of temperature", c.walls[KN_RIGHT].gradient.temperature, 9e6 * l0 / 300, 1e-9);
    expect_relative("stress", kn_scales_conversion(&s, KN_DIMENSION_STRESS).factor, eps * 1e4, 1e-12);
    expect_relative("heat", kn_scales_conversion(&s, KN_DIMENSION_HEAT_FLUX).factor, eps * 1e4 * v0, 1e-9);
    expect_relative("place", kn_scales_conversion(&s, KN_DIMENSION_PLACE).factor, l0, 1e-9);
    expect_relative("mass", kn_scales_conversion(&s, KN_DIMENSION_MASS_FLUX).factor,
                    eps * 1e4 * 39.948e-3 / (8.314462618 * 300) * v0, 1e-9);
}

/* Members that the caller sets directly are kept; a direct change of the gas is detected. */
static void test_fields_set_alone(void **state)
{
    (void)state;
    struct kn_case c;
    expect_case(&c, ARGON "gas.pressure=10kPa space.size=1um walls.top.velocity=[10m/s,0,0]");
    c.walls[KN_TOP].velocity[0] = 0.5;
    expect_ok(kn_case_set(&c, "run.threads=1"));
    assert_true(c.walls[KN_TOP].velocity[0] == 0.5);
    expect_ok(kn_case_check(&c));
    expect_case(&c, ARGON "gas.pressure=10kPa space.size=1um walls.top.velocity=[10m/s,0,0]");
    c.disturbance = 0.1;
    assert_int_equal(kn_case_check(&c), KN_EINPUT);
    assert_non_null(strstr(kn_error_message(), "walls.top.velocity: "));
    assert_non_null(strstr(kn_error_message(), "kn_case_set"));
}

static void test_strong_disturbances(void **state)
{
    (void)state;
    struct kn_case c;
    expect_case(&c, ARGON "gas.pressure=10kPa space.size=1um walls.top.temperature=310K");
    assert_false(kn_scales_is_strong(&c));
    expect_set(&c, "walls.top.temperature=5K"); /* intended as a difference of five degrees */
    assert_true(kn_scales_is_strong(&c));
    expect_set(&c, "disturbance=1");
    assert_false(kn_scales_is_strong(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_are_converted),
        cmocka_unit_test(test_wrong_dimensions_are_named),
        cmocka_unit_test(test_numbers_are_written_for_people),
        cmocka_unit_test(test_species),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_order_and_eps),
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_what_lacks_is_said),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fields_set_alone),
        cmocka_unit_test(test_strong_disturbances),
        cmocka_unit_test(test_printed_case_reads_back),
        cmocka_unit_test(test_conversions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
