/* Functions for the numerical tests: comparisons that print the measured values, reproducible random numbers,
 * and a simulation with its results. */
#ifndef EXPECT_H
#define EXPECT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "monitor/monitor.h"
#include "sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- comparisons */

#define expect_near(what, measured, expected, tolerance)                                                     \
    expect_near_at(what, (double)(measured), (double)(expected), tolerance, __FILE__, __LINE__)
#define expect_relative(what, measured, expected, tolerance)                                                 \
    expect_near_at(what, (double)(measured), (double)(expected), (tolerance)*fabs((double)(expected)),       \
                   __FILE__, __LINE__)
#define expect_between(what, measured, low, high)                                                            \
    expect_between_at(what, (double)(measured), (double)(low), (double)(high), __FILE__, __LINE__)
#define expect_below(what, measured, limit) expect_between(what, measured, -INFINITY, limit)
#define expect_ok(status)                   expect_ok_at(status, __FILE__, __LINE__)

static inline void expect_near_at(const char *what, double measured, double expected, double tolerance,
                                  const char *file, int line)
{
    if (fabs(measured - expected) <= tolerance)
        return;
    print_error("%s: %.12g, expected %.12g within %.3g (off by %.3g)\n", what, measured, expected, tolerance,
                measured - expected);
    _fail(file, line);
}

static inline void expect_between_at(const char *what, double measured, double low, double high,
                                     const char *file, int line)
{
    if (measured >= low && measured <= high)
        return;
    print_error("%s: %.12g, expected %.12g to %.12g\n", what, measured, low, high);
    _fail(file, line);
}

static inline void expect_ok_at(enum kn_status status, const char *file, int line)
{
    if (status == KN_OK)
        return;
    print_error("status %d: %s\n", (int)status, kn_error_message());
    _fail(file, line);
}

/* ------------------------------------------------------------------ numbers */

/* Uniform in [-1, 1), the same on every machine (a 64-bit congruential generator). */
static inline double expect_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* -------------------------------------------------------------------- cases */

/* Settings "key=value key=value ...", values without spaces, applied to the case c. */
static inline void expect_set(struct kn_case *c, const char *settings)
{
    char text[256];
    for (const char *at = settings; *at;) {
        const size_t length = strcspn(at, " ");
        assert_true(length < sizeof text);
        memcpy(text, at, length);
        text[length] = '\0';
        if (length > 0)
            expect_ok(kn_case_set(c, text));
        at += length + (at[length] == ' ');
    }
}

static inline void expect_case(struct kn_case *c, const char *settings)
{
    kn_case_default(c);
    c->time.end = 10; /* the length of a step must not depend on the time until the flow is steady */
    expect_set(c, settings);
}

/* A simulation and its latest results. */
struct watch {
    struct kn_case c;
    struct kn_sim *sim;
    struct kn_monitor monitor;
    double *fields; /* [cells][KN_FIELDS] */
    struct kn_wall_flux walls[KN_SIDES];
    const struct kn_row *row; /* D, G and sums of the latest results */
};

/* Compute the results at the present time. */
static inline void watch_look(struct watch *w)
{
    expect_ok(kn_sim_fields(w->sim, w->fields));
    expect_ok(kn_sim_walls(w->sim, w->walls));
    expect_ok(kn_monitor_take(&w->monitor, kn_sim_steps(w->sim), kn_sim_time(w->sim), w->fields, w->walls));
}

/* Create a simulation of the default case with the settings. */
static inline void watch_open(struct watch *w, const char *settings)
{
    expect_case(&w->c, settings);
    expect_ok(kn_sim_create(&w->sim, &w->c));
    expect_ok(kn_monitor_create(&w->monitor, &w->c, kn_sim_space(w->sim), &kn_comm_alone));
    w->fields = calloc((size_t)kn_sim_cells(w->sim) * KN_FIELDS, sizeof *w->fields);
    assert_non_null(w->fields);
    w->row = &w->monitor.row;
    watch_look(w);
}

static inline void watch_close(struct watch *w)
{
    kn_monitor_destroy(&w->monitor);
    kn_sim_destroy(w->sim);
    free(w->fields);
}

static inline void watch_advance(struct watch *w, int64_t steps)
{
    expect_ok(kn_sim_advance(w->sim, steps));
    watch_look(w);
}

/* Advance to the whole step nearest to a time. */
static inline void watch_until(struct watch *w, double time)
{
    const double dt = kn_sim_time_step(w->sim);
    const int64_t steps = llround(time / dt) - kn_sim_steps(w->sim);
    if (steps > 0)
        watch_advance(w, steps);
}

/* Create, run to time.end, compute the results. */
static inline void watch_run(struct watch *w, const char *settings)
{
    watch_open(w, settings);
    watch_until(w, w->c.time.end);
}

static inline double watch_field(const struct watch *w, int64_t cell, enum kn_field field)
{
    return w->fields[cell * KN_FIELDS + field];
}

#endif
