/* The messages of a run, from synthetic runs; a callback records them. */
#include "expect.h"
#include "monitor/verdict.h"

#include "run/progress.h"

#include <string.h>

enum { ROOM = 1 << 16 };

/* A progress report and all its messages. */
struct scene {
    struct kn_run_options options;
    struct kn_progress p;
    struct kn_case c;
    struct kn_progress_job job;
    struct kn_row row;
    char text[ROOM];
    int times; /* that somebody spoke */
};

static void hear(void *to, const char *text)
{
    struct scene *s = to;
    assert_true(strlen(s->text) + strlen(text) < ROOM);
    strcat(s->text, text);
    s->times++;
}

static struct scene *open_scene(enum kn_report report)
{
    struct scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->options = (struct kn_run_options){.folder = "some where", .report = report, .say = hear, .to = s};
    kn_case_default(&s->c);
    expect_set(&s->c, "gas.delta=1 disturbance=0.01 walls.top.velocity=[1,0,0] collision.method=bgk "
                      "time.residual=1e-6 run.walltime=600 velocity.nodes=8");
    s->job = (struct kn_progress_job){.c = &s->c,
                                      .backend = "cpu",
                                      .device = "Abacus 3000, AVX-512",
                                      .threads = 2,
                                      .ranks = 1,
                                      .cells = {40, 50, 1},
                                      .nodes = 512,
                                      .needed = 2e9,
                                      .free = 16e9,
                                      .time_step = 0.01,
                                      .last = 10000,
                                      .deadline = INFINITY};
    s->row = (struct kn_row){.residual = 1.5e-3, .mass_drift = 2e-9, .drag = 0.64, .vortex_flow = 0.1};
    kn_progress_begin(&s->p, &s->options);
    /* Exact times: with a large start their round-off would decide which lines are printed. */
    s->p.started = 0;
    return s;
}

static void forget(struct scene *s)
{
    s->text[0] = '\0';
    s->times = 0;
}

static void expect_said(const struct scene *s, const char *part)
{
    if (!strstr(s->text, part))
        fail_msg("'%s' was not printed, but: %s", part, s->text);
}

static void expect_unsaid(const struct scene *s, const char *part)
{
    if (strstr(s->text, part))
        fail_msg("'%s' was said: %s", part, s->text);
}

static int count_of(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

/* A hundred steps per second, from second `from` to `to` after the start. */
static void step(struct scene *s, int from, int to)
{
    for (int i = 100 * from + 1; i <= 100 * to; i++) {
        const struct kn_eta_mark now = {s->p.started + 0.01 * i, 0, i};
        s->row.step = i - i % 10;
        kn_progress_step(&s->p, &now, 0.01 * i, &s->row);
    }
}

/* ------------------------------------------------------------------ the box */

static void test_box(void **state)
{
    (void)state;
    struct scene *s = open_scene(KN_REPORT_PLAIN);
    kn_progress_start(&s->p, &s->job);
    expect_said(s, "knudsen " KN_VERSION "\n");
    expect_said(s, "  device    Abacus 3000, AVX-512 (cpu), 2 threads\n");
    expect_said(s, "  memory    2 GB needed, 16 GB free\n");
    expect_said(s, "  grid      40 x 50 cells, 8 x 8 x 4 velocities (gauss), 512 stored per cell\n");
    expect_said(s, "Kn 0.8885   delta 1   Ma 0.01095\n"); /* 0.01 sqrt(6/5) */
    expect_said(s, "  collide   bgk\n");
    expect_said(s, "  time      dt 0.01, 10000 steps to t = 100 or residual < 1e-06\n");
    expect_said(s, "  walltime  10:00 min\n");
    expect_said(s, "  results   some where\n");
    expect_unsaid(s, "\033");
    for (const char *line = s->text; *line; line += strcspn(line, "\n") + 1)
        expect_below("length of a line", strcspn(line, "\n"), 80);
    free(s);
}

static void test_box_of_ranks(void **state)
{
    (void)state;
    struct scene *s = open_scene(KN_REPORT_PLAIN);
    const struct kn_box boxes[] = {{{0, 0, 0}, {20, 50, 1}}, {{20, 0, 0}, {40, 50, 1}}};
    s->job.ranks = 2;
    s->job.boxes = boxes;
    kn_progress_start(&s->p, &s->job);
    expect_said(s, "  device    Abacus 3000, AVX-512 (cpu), 2 threads per rank\n");
    expect_said(s, "  memory    2 GB needed per rank, 16 GB free\n");
    expect_said(s, "  ranks     2, each with 20 x 50 cells\n");
    free(s);
}

static void test_box_of_a_gpu(void **state)
{
    (void)state;
    struct scene *s = open_scene(KN_REPORT_PLAIN);
    s->job.host_needed = 3e6;
    s->job.first = 2000;
    s->job.time = 20;
    kn_progress_start(&s->p, &s->job);
    expect_said(s, "memory    2 GB needed, 16 GB free on the device; 3 MB on the host\n");
    expect_said(s, "10000 steps to t = 100 or residual < 1e-06, from step 2000");
    free(s);
}

static void test_colour(void **state)
{
    (void)state;
    unsetenv("NO_COLOR");
    struct scene *s = open_scene(KN_REPORT_TERMINAL);
    kn_progress_start(&s->p, &s->job);
    expect_said(s, "\033[1mknudsen " KN_VERSION "\033[0m\n");
    free(s);
    setenv("NO_COLOR", "1", 1);
    s = open_scene(KN_REPORT_TERMINAL);
    kn_progress_start(&s->p, &s->job);
    expect_said(s, "knudsen " KN_VERSION "\n");
    expect_unsaid(s, "\033");
    unsetenv("NO_COLOR");
    free(s);
}

/* ------------------------------------------------------------ the live line */

static void test_width(void **state)
{
    (void)state;
    struct scene *s = open_scene(KN_REPORT_QUIET);
    char text[KN_PROGRESS_LINE];
    kn_progress_start(&s->p, &s->job);
    const struct kn_eta_mark now = {s->p.started + 42, 0, 4200};
    s->p.eta.steps = 100; /* per second */
    s->p.eta.seconds = 1;
    for (int width = 20; width < 200; width++) {
        kn_progress_compose(&s->p, &now, 42, &s->row, width, text);
        expect_below("length", strlen(text), width);
        assert_non_null(strstr(text, "42 %"));
        assert_true(width < 30 || strstr(text, "4200/10000"));
        assert_true(width < 40 || strstr(text, "ETA 58 s"));
    }
    kn_progress_compose(&s->p, &now, 42, &s->row, 79, text);
    assert_string_equal(text, "  42 %  step 4200/10000  ETA 58 s      t 42.00  res 1.50e-03  102 Mupd/s");
    kn_progress_compose(&s->p, &now, 42, &s->row, 119, text);
    assert_string_equal(text, "  42 %  step 4200/10000  ETA 58 s      t 42.00  res 1.50e-03  102 Mupd/s  "
                              "drift 2.0e-09  D 0.640000 G 0.100000");
    free(s);
}

/* One line that is redrawn a few times per second and removed at the end. */
static void test_live(void **state)
{
    (void)state;
    struct scene *s = open_scene(KN_REPORT_TERMINAL);
    kn_progress_start(&s->p, &s->job);
    forget(s);
    step(s, 0, 10);
    expect_between("drawn in 10 s", s->times, 30, 55);
    assert_int_equal(count_of(s->text, "\n"), 0);
    assert_int_equal(count_of(s->text, "\033[J\r"), s->times);
    expect_said(s, "ETA 1:3"); /* 9000 steps at 100 a second */
    forget(s);
    kn_progress_line(&s->p, KN_STYLE_NOTE, "a word");
    assert_string_equal(s->text, "\r\033[Ja word\n");
    forget(s);
    kn_progress_line(&s->p, KN_STYLE_NOTE, "another");
    assert_string_equal(s->text, "another\n");
    free(s);
}

static void test_plain(void **state)
{
    (void)state;
    struct scene *s = open_scene(KN_REPORT_PLAIN);
    kn_progress_start(&s->p, &s->job);
    forget(s);
    step(s, 0, 61);
    assert_int_equal(count_of(s->text, "\n"), 7); /* 1, 2, 4, 8, 16, 30, 60 s */
    /* 102 Mupd/s, less on a busy machine */
    expect_said(s, "step 6000/10000  ETA ");
    expect_said(s, "  t 60.00  res 1.50e-03  10");
    expect_said(s, " Mupd/s  drift 2.0e-09  D 0.640000 G 0.100000\n");
    expect_unsaid(s, "\r");
    free(s);
}

static void test_quiet(void **state)
{
    (void)state;
    struct scene *s = open_scene(KN_REPORT_QUIET);
    kn_progress_prepare(&s->p, KN_PREPARE_OPERATOR, 0);
    kn_progress_prepare(&s->p, KN_PREPARE_OPERATOR, 1);
    kn_progress_start(&s->p, &s->job);
    step(s, 0, 61);
    kn_progress_line(&s->p, KN_STYLE_NOTE, "a word");
    assert_int_equal(s->times, 0);
    free(s);
}

/* ---------------------------------------------------------------- preparations */

static void test_prepare(void **state)
{
    (void)state;
    struct scene *s = open_scene(KN_REPORT_PLAIN);
    kn_progress_prepare(&s->p, KN_PREPARE_SAMPLES, 0);
    kn_progress_prepare(&s->p, KN_PREPARE_OPERATOR, 0);
    s->p.since -= 3; /* it began 3 s ago */
    kn_progress_prepare(&s->p, KN_PREPARE_OPERATOR, 0.25);
    kn_progress_prepare(&s->p, KN_PREPARE_OPERATOR, 0.5);
    kn_progress_prepare(&s->p, KN_PREPARE_SAMPLES, 0.5);
    kn_progress_prepare(&s->p, KN_PREPARE_SAMPLES, 0);
    assert_string_equal(s->text, "choosing collision.samples, by runs on a coarse grid\n"
                                 "assembling the collision operator, once for this grid and gas\n"
                                 "assembling the collision operator   25 %  ETA 9.0 s\n");
    free(s);
    s = open_scene(KN_REPORT_TERMINAL);
    kn_progress_prepare(&s->p, KN_PREPARE_OPERATOR, 0);
    assert_int_equal(count_of(s->text, "\n"), 0);
    forget(s);
    kn_progress_fail(&s->p, "interrupted", "it was");
    assert_string_equal(s->text, "\r\033[J");
    free(s);
}

/* -------------------------------------------------------------------- JSON */

static void expect_events(const struct scene *s, const char *event, int n)
{
    char begin[64];
    snprintf(begin, sizeof begin, "{\"event\": \"%s\",", event);
    assert_int_equal(count_of(s->text, begin), n);
}

static double number_after(const struct scene *s, const char *key)
{
    expect_said(s, key);
    return strtod(strstr(s->text, key) + strlen(key), NULL);
}

static void test_json(void **state)
{
    (void)state;
    struct scene *s = open_scene(KN_REPORT_JSON);
    kn_progress_prepare(&s->p, KN_PREPARE_OPERATOR, 0);
    kn_progress_prepare(&s->p, KN_PREPARE_OPERATOR, 0.5);
    kn_progress_prepare(&s->p, KN_PREPARE_OPERATOR, 1);
    expect_events(s, "assembly", 2); /* one per second, and the last */
    expect_said(s, "{\"event\": \"assembly\", \"part\": 0, \"eta_s\": null}\n");
    kn_progress_start(&s->p, &s->job);
    expect_said(s, "\"device\": \"Abacus 3000, AVX-512\", \"ranks\": 1, \"threads\": 2, \"cells\": 2000, "
                   "\"shape\": [40, 50, 1]");
    s->row.residual = NAN;
    step(s, 0, 5);
    expect_between("events in 5 s", count_of(s->text, "\"event\": \"progress\""), 4, 6);
    expect_said(s, "\"residual\": null,");
    expect_relative("updates", number_after(s, "\"updates_per_s\": "), 102400000, 1e-6);
    expect_relative("bytes", number_after(s, "\"bytes_per_s\": "), 819200000, 1e-6);
    const char *progress = strstr(s->text, "\"event\": \"progress\"");
    assert_non_null(progress);
    expect_between("ETA", strtod(strstr(progress, "\"eta_s\": ") + strlen("\"eta_s\": "), NULL), 90, 100);
    kn_progress_line(&s->p, KN_STYLE_NOTE, "with \"quotes\"");
    expect_said(s, "{\"event\": \"note\", \"text\": \"with \\\"quotes\\\"\"}\n");
    kn_progress_fail(&s->p, "failed", "no disk");
    kn_progress_fail(&s->p, "failed", "no disk"); /* said once */
    expect_events(s, "end", 1);
    expect_said(s, "{\"event\": \"end\", \"outcome\": \"failed\", \"folder\": \"some where\", \"message\": "
                   "\"no disk\"}\n");
    free(s);
}

/* ------------------------------------------------------------------- the end */

static void test_end(void **state)
{
    (void)state;
    struct scene *s = open_scene(KN_REPORT_TERMINAL);
    const struct kn_monitor m = {.c = &s->c, .row = s->row};
    const struct kn_verdict verdict = {.word = KN_VERDICT_NOT_STEADY,
                                       .text = "D is expected to change by another 2 %"};
    const struct kn_summary sum = {.m = &m,
                                   .outcome = "end time",
                                   .steps = 10000,
                                   .time = 100,
                                   .wall_s = 100,
                                   .phase_s = {[KN_PHASE_ASSEMBLE] = 45, [KN_PHASE_STREAM] = 50},
                                   .updates_per_s = 1.5e8,
                                   .verdict = &verdict};
    kn_progress_start(&s->p, &s->job);
    step(s, 0, 1);
    forget(s);
    kn_progress_end(&s->p, &sum);
    expect_said(s, "100 %");
    expect_unsaid(s, "ETA");
    expect_said(s, "end time: step 10000, t = 100, after 1:40 min, 150 M updates/s");
    expect_said(s, "not steady: D is expected to change by another 2 %");
    expect_said(
        s,
        "  assemble     45.00 s  45.0 %\n  stream       50.00 s  50.0 %\n  other         5.00 s   5.0 %\n");
    expect_said(s, "next: knudsen plot 'some where'");
    forget(s);
    kn_progress_fail(&s->p, "failed", "too late"); /* no message follows the last one */
    assert_int_equal(s->times, 0);
    free(s);
    s = open_scene(KN_REPORT_PLAIN);
    const struct kn_monitor again = {.c = &s->c, .row = s->row};
    struct kn_summary other = sum;
    other.m = &again;
    s->options.folder = "a'b $x";
    kn_progress_end(&s->p, &other);
    expect_said(s, "next: knudsen plot 'a'\\''b $x'\n");
    free(s);
}

static void test_numbers(void **state)
{
    (void)state;
    char text[KN_PROGRESS_PART];
    assert_string_equal(kn_progress_duration(text, 0.04), "0.0 s");
    assert_string_equal(kn_progress_duration(text, 9.96), "10 s");
    assert_string_equal(kn_progress_duration(text, 59.6), "1:00 min");
    assert_string_equal(kn_progress_duration(text, 3599.9), "1:00 h");
    assert_string_equal(kn_progress_duration(text, 7300), "2:01 h");
    assert_string_equal(kn_progress_duration(text, INFINITY), "-");
    assert_string_equal(kn_progress_scaled(text, 3.214e8, "B/s"), "321 MB/s");
    assert_string_equal(kn_progress_scaled(text, 999.7, "B/s"), "1.00 kB/s");
    assert_string_equal(kn_progress_scaled(text, 12, "B/s"), "12.0 B/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),          cmocka_unit_test(test_box_of_ranks),
        cmocka_unit_test(test_box_of_a_gpu), cmocka_unit_test(test_colour),
        cmocka_unit_test(test_width),        cmocka_unit_test(test_live),
        cmocka_unit_test(test_plain),        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_prepare),      cmocka_unit_test(test_json),
        cmocka_unit_test(test_end),          cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
