/* Pilots: runs of the case on a coarse grid that measure its noise.
 *
 * All cells share their samples, so that the noise of a quantity hardly depends on the grid, and the error of
 * its average follows from that of the pilot by theory (51).  The averaging window of a pilot is longer than
 * that of the case, so that short windows suffice.  The seed is fixed: all seeds of a case get the same
 * number of samples. */
#include "run/run_parts.h"

#include "collision/sampling.h"
#include "config/case.h"
#include "config/config.h"
#include "config/reference.h"
#include "error.h"
#include "grid/duration.h"
#include "monitor/monitor.h"
#include "run/run_loop.h"
#include "sim.h"

#include <math.h>
#include <stdlib.h>

enum {
    COARSE = 8,   /* cells per axis */
    WINDOWS = 4,  /* least averaging window of a pilot, in windows of the case */
    LONGEST = 32, /* largest factor by which the window of a pilot is extended */
    GROWTH = 16,  /* largest ratio of the samples of successive pilots */
    ROUND = 64,   /* numbers of samples are multiples of it */
};

/* The errors of pilot and run are known to 10 or 20 %: the search aims at MARGIN of the requested error.  The
 * result of a pilot is accepted if it is at most NEAR times its own number of samples.  The samples of a
 * pilot may be so few that its flow has the relative bias ROUGH, which hardly changes its noise. */
static const double MARGIN = 0.7, NEAR = 2, ROUGH = 0.01;

/* Properties on which the error of an average depends, in addition to the number of samples. */
struct averaging_window {
    double length, dt; /* lambda0 / V0 */
    double nodes;
};

/* Variance per unit of time, up to a factor: the sum of the squared lengths of the collision steps in it.
 * With Strang splitting a row is between two half steps. */
static double variance_rate(const struct kn_case *c, double dt)
{
    return c->time.splitting == KN_SPLITTING_STRANG ? dt * (1 - 0.5 / kn_config_history(c)) : dt;
}

/* The smallest number of samples with a relative bias below `part`, theory (27) and (52). */
static double fewest(const struct kn_case *c, const struct averaging_window *w, double part)
{
    const double bias = c->velocity.grid == KN_GRID_STRETCHED ? 4 : 1;
    const bool limited = c->collision.update == KN_UPDATE_EXPONENTIAL;
    const double collide = kn_reference_of(c).collisions * w->dt;
    return fmax(KN_SAMPLING_LEAST, limited ? bias * collide * w->nodes / part : 0);
}

static int whole(double samples)
{
    return (int)(ROUND * ceil(fmin(samples, KN_SAMPLING_MOST) / ROUND));
}

/* The same shape with fewer cells, and the same time between rows. */
static enum kn_status coarsen(const struct kn_case *c, const struct averaging_window *w, struct kn_case *p,
                              struct averaging_window *of_pilot)
{
    struct kn_plan_size size;
    *p = *c;
    for (int d = 0; d < 3; d++) {
        const int n = c->space.cells[d], wanted = (int)fmax(COARSE, 2 * c->initial.wave[d]);
        p->space.cells[d] = n < wanted ? n : wanted;
        p->space.stretch[d] = fmax(0.5, pow(c->space.stretch[d], (double)n / p->space.cells[d]));
    }
    p->run.seed = 0;
    p->time.residual = 0;
    p->time.max_steps = 0;
    p->output.average = kn_monitor_window(c);
    p->time.end = p->output.average + WINDOWS * w->length;
    KN_TRY(kn_sim_plan(p, &kn_comm_alone, &size));
    p->output.history = (int)fmax(1, round(kn_config_history(c) * w->dt / size.time_step));
    *of_pilot = (struct averaging_window){WINDOWS * w->length, size.time_step, (double)size.nodes};
    return KN_OK;
}

struct pilot {
    struct kn_sim *sim;
    struct kn_monitor monitor;
    double *fields; /* [cells][KN_FIELDS] */
    int history;    /* steps between rows */
    double until;   /* time at which the loop ends, lambda0 / V0 */
    const struct kn_pilot_progress *progress;
};

static enum kn_status report(const struct kn_pilot_progress *progress, double part)
{
    if (kn_progress_report(progress ? &progress->pilot : NULL, part))
        return KN_OK;
    return kn_error_set(KN_EINTERRUPTED, "interrupted while collision.samples was chosen");
}

static bool is_due(void *of)
{
    const struct pilot *p = of;
    return (kn_sim_steps(p->sim) + 1) % p->history == 0;
}

static enum kn_status poll(void *of, bool *over)
{
    const struct pilot *p = of;
    *over = kn_sim_steps(p->sim) % p->history == 0 && kn_sim_time(p->sim) >= p->until;
    return KN_OK;
}

static enum kn_status observe(void *of)
{
    struct pilot *p = of;
    KN_TRY(kn_run_take_row(p->sim, &p->monitor, p->fields));
    return report(p->progress, fmin(1, kn_sim_time(p->sim) / p->until));
}

static enum kn_status create(struct pilot *p, const struct kn_case *c)
{
    const struct kn_progress_callback *assembly = p->progress ? &p->progress->assembly : NULL;
    KN_TRY(kn_sim_create_with_progress(&p->sim, c, &kn_comm_alone, assembly));
    KN_TRY(kn_monitor_create(&p->monitor, c, kn_sim_space(p->sim), &kn_comm_alone));
    p->fields = calloc((size_t)kn_sim_cells(p->sim) * KN_FIELDS, sizeof *p->fields);
    return p->fields ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the pilot of collision.samples");
}

/* The relative error of the average of the quantity that represents the flow; NaN while unknown. */
static enum kn_status relative_error(const struct kn_monitor *m, double *error)
{
    const int column = kn_monitor_headline(m);
    if (column < 0)
        return kn_error_set(KN_EINPUT,
                            "collision.samples: auto finds no flow whose error it can control (walls "
                            "or a source must drive the gas; or give a number)");
    *error = kn_monitor_error(m, column) / fabs(kn_monitor_value(m, column));
    return KN_OK;
}

/* Average until the error is known; `window` becomes the averaged time. */
static enum kn_status average(struct pilot *p, const struct kn_case *c, double *window, double *error)
{
    const struct kn_run_observer observer = {p, poll, is_due, observe, NULL};
    const double start = c->output.average, longest = LONGEST * (c->time.end - start);
    KN_TRY(create(p, c));
    for (*window = c->time.end - start; *window <= longest; *window *= 2) {
        p->until = start + *window;
        KN_TRY(kn_run_loop(p->sim, &kn_comm_alone, &observer));
        KN_TRY(relative_error(&p->monitor, error));
        if (isfinite(*error))
            return KN_OK;
    }
    return kn_error_set(KN_EINPUT,
                        "collision.samples: auto cannot determine the noise of this flow, not even in "
                        "averages from t = %g to %g (give a number)",
                        start, start + longest);
}

static enum kn_status measure(const struct kn_case *c, const struct kn_pilot_progress *progress,
                              double *window, double *error)
{
    struct pilot p = {.history = c->output.history, .progress = progress};
    const enum kn_status status = average(&p, c, window, error);
    free(p.fields);
    kn_monitor_destroy(&p.monitor);
    kn_sim_destroy(p.sim);
    return status;
}

static enum kn_status describe(const struct kn_case *c, struct averaging_window *w)
{
    struct kn_plan_size size;
    const double start = kn_monitor_window(c);
    KN_TRY(kn_sim_plan(c, &kn_comm_alone, &size));
    double end = kn_duration_end(c);
    if (c->time.max_steps > 0)
        end = fmin(end, (double)c->time.max_steps * size.time_step);
    *w = (struct averaging_window){end - start, size.time_step, (double)size.nodes};
    if (kn_duration_oscillates(c))
        return kn_error_set(KN_EINPUT, "collision.samples: auto controls the error of a mean, but a wall "
                                       "oscillates (give a number)");
    if (start < 0 || w->length <= 0)
        return kn_error_set(KN_EINPUT,
                            "collision.samples: auto controls the error of averages, but there are none "
                            "(output.average before time.end takes them; or give a number)");
    return KN_OK;
}

/* Run pilots until one has about the number of samples that it requires, or requires at most `least`. */
static enum kn_status search(const struct kn_case *c, const struct averaging_window *run, double least,
                             const struct kn_pilot_progress *progress, double *needed)
{
    struct kn_case p;
    struct averaging_window pilot;
    double tried = 0, error = 0;
    KN_TRY(coarsen(c, run, &p, &pilot));
    KN_TRY(report(progress, 0));
    *needed = fewest(&p, &pilot, ROUGH);
    while ((tried == 0 || *needed > fmax(NEAR * tried, least)) && tried * GROWTH < KN_SAMPLING_MOST) {
        p.collision.samples = whole(tried > 0 ? fmin(*needed, GROWTH * tried) : *needed);
        tried = p.collision.samples;
        KN_TRY(measure(&p, progress, &pilot.length, &error));
        *needed = tried * pow(error / (MARGIN * c->collision.error), 2) * variance_rate(c, run->dt) /
                  variance_rate(&p, pilot.dt) * pilot.length / run->length; /* theory (51) */
    }
    return KN_OK;
}

enum kn_status kn_pilot_samples_with_progress(struct kn_case *c, const struct kn_pilot_progress *progress)
{
    struct averaging_window run;
    double needed = 0;
    KN_TRY(describe(c, &run));
    const double least = fewest(c, &run, c->collision.error);
    if (least <= KN_SAMPLING_MOST)
        KN_TRY(search(c, &run, least, progress, &needed));
    needed = fmax(needed, least);
    if (needed > KN_SAMPLING_MOST)
        return kn_error_set(KN_EINPUT,
                            "collision.error: %g needs about %.2g samples per step (auto takes at most %d)",
                            c->collision.error, needed, KN_SAMPLING_MOST);
    c->collision.samples = whole(needed);
    return KN_OK;
}

enum kn_status kn_pilot_samples(struct kn_case *c)
{
    KN_TRY(kn_case_check(c));
    return kn_sampling_is_due(c) ? kn_pilot_samples_with_progress(c, NULL) : KN_OK;
}
