/*
 * The pilot: the case on a coarse grid, with a window longer than its own, so that
 * the noise can be told even where that is short.  All cells share their samples, so
 * that the noise of a quantity hardly depends on the grid, and the error of its average
 * follows from that of the pilot by theory (51).  The seed is fixed: every seed of a
 * case gets the same number.
 */
#include "run/pilot.h"

#include "collision/collision.h"
#include "config/config.h"
#include "monitor/duration.h"
#include "error.h"
#include "monitor/monitor.h"
#include "collision/sampling.h"
#include "sim.h"

#include <math.h>
#include <stdlib.h>

enum {
    COARSE = 8,   /* cells along an axis */
    WINDOWS = 4,  /* of the case, that a pilot averages over at least, */
    LONGEST = 32, /* and so many times as long at most */
    GROWTH = 16,  /* from one pilot to the next, at most */
    ROUND = 64,   /* numbers that are chosen are multiples of it */
};

/* Pilot and run know their errors to a tenth or two: less than what is asked for is aimed at.
 * A pilot that asks for no more than so many times its own samples is believed.  Its samples
 * may be so few that its flow is this much off; its noise is hardly. */
static const double MARGIN = 0.7, NEAR = 2, ROUGH = 0.01;

/* What the error of an average depends on beside the number of samples. */
struct stay {
    double window; /* lambda0 / V0 that is averaged over */
    double dt;
    double nodes;
};

/* Variance that a unit of time brings in, up to a factor: the sum of the squared lengths of
 * its collision steps.  With Strang splitting a row falls between two half steps. */
static double unrest(const struct kn_case *c, double dt)
{
    return c->time.splitting == KN_SPLITTING_STRANG ? dt * (1 - 0.5 / kn_config_history(c)) : dt;
}

/* Samples that are few act too weakly, (27): the fewest that change the flow by less than this
 * part of it, theory (52). */
static double fewest(const struct kn_case *c, const struct stay *s, double part)
{
    const double grid = c->velocity.grid == KN_GRID_STRETCHED ? 4 : 1,
                 harm = kn_collision_is_sampled(c->collision.method) ? grid : 0.05 * c->disturbance;
    const bool cuts = c->collision.update == KN_UPDATE_EXPONENTIAL;
    return fmax(KN_SAMPLING_LEAST, cuts ? harm * s->dt * s->nodes / part : 0);
}

static int whole(double samples)
{
    return (int)(ROUND * ceil(fmin(samples, KN_SAMPLING_MOST) / ROUND));
}

/* ----------------------------------------------------------------- the pilot */

/* The same shape with fewer cells, and rows as far apart in time. */
static enum kn_status coarsen(const struct kn_case *c, const struct stay *s, struct kn_case *p,
                              struct stay *of_pilot)
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
    p->time.end = p->output.average + WINDOWS * s->window;
    const enum kn_status status = kn_sim_plan(p, &kn_comm_alone, &size);
    if (status != KN_OK)
        return status;
    p->output.history = (int)fmax(1, round(kn_config_history(c) * s->dt / size.time_step));
    *of_pilot = (struct stay){WINDOWS * s->window, size.time_step, (double)size.nodes};
    return KN_OK;
}

struct look {
    struct kn_sim *sim;
    struct kn_monitor monitor;
    double *fields; /* [cells][KN_FIELDS] */
};

static enum kn_status open_look(struct look *l, const struct kn_case *p,
                                const struct kn_pilot_listeners *listeners)
{
    enum kn_status status =
        kn_sim_create_heard(&l->sim, p, &kn_comm_alone, listeners ? &listeners->assembly : NULL);
    if (status == KN_OK)
        status = kn_monitor_create(&l->monitor, p, kn_sim_space(l->sim), &kn_comm_alone);
    if (status != KN_OK)
        return status;
    l->fields = calloc((size_t)kn_sim_cells(l->sim) * KN_FIELDS, sizeof *l->fields);
    return l->fields ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the pilot of collision.samples");
}

static void close_look(struct look *l)
{
    free(l->fields);
    kn_monitor_destroy(&l->monitor);
    kn_sim_destroy(l->sim);
}

static enum kn_status take_row(struct look *l, int64_t steps)
{
    struct kn_wall_flux walls[KN_SIDES];
    enum kn_status status = kn_sim_advance(l->sim, steps);
    if (status == KN_OK)
        status = kn_sim_fields(l->sim, l->fields);
    if (status == KN_OK)
        status = kn_sim_walls(l->sim, walls);
    return status == KN_OK
               ? kn_monitor_take(&l->monitor, kn_sim_steps(l->sim), kn_sim_time(l->sim), l->fields, walls)
               : status;
}

static bool tell(const struct kn_pilot_listeners *listeners, double part)
{
    return !listeners || listeners->pilot.hear(listeners->pilot.to, part);
}

static enum kn_status interrupted(void)
{
    return kn_error_set(KN_EINTERRUPTED, "interrupted while collision.samples was chosen");
}

static enum kn_status run_until(struct look *l, const struct kn_case *p, double time,
                                const struct kn_pilot_listeners *listeners)
{
    enum kn_status status = KN_OK;
    while (status == KN_OK && kn_sim_time(l->sim) < time) {
        status = take_row(l, p->output.history);
        if (!tell(listeners, fmin(1, kn_sim_time(l->sim) / time)))
            return interrupted();
    }
    return status;
}

/* The relative error of the average of what stands for the flow; NaN while it is not known. */
static enum kn_status relative_error(const struct look *l, double *error)
{
    const int column = kn_monitor_headline(&l->monitor);
    if (column < 0)
        return kn_error_set(KN_EINPUT,
                            "collision.samples: auto finds no flow whose error it could hold (walls "
                            "or a source must drive the gas; or give a number)");
    *error = kn_monitor_error(&l->monitor, column) / fabs(kn_monitor_value(&l->monitor, column));
    return KN_OK;
}

/* Average until the error is known; `window` becomes the time that took. */
static enum kn_status measure(const struct kn_case *p, const struct kn_pilot_listeners *listeners,
                              double *window, double *error)
{
    struct look l = {0};
    const double start = p->output.average, longest = LONGEST * (p->time.end - start);
    enum kn_status status = open_look(&l, p, listeners);
    *error = NAN;
    for (*window = p->time.end - start; status == KN_OK && *window <= longest; *window *= 2) {
        status = run_until(&l, p, start + *window, listeners);
        if (status == KN_OK)
            status = relative_error(&l, error);
        if (isfinite(*error))
            break;
    }
    if (status == KN_OK && !isfinite(*error))
        status = kn_error_set(KN_EINPUT,
                              "collision.samples: auto cannot tell the noise of this flow, not even in "
                              "averages from t = %g to %g (give a number)",
                              start, start + longest);
    close_look(&l);
    return status;
}

/* ---------------------------------------------------------------- the choice */

static enum kn_status describe(const struct kn_case *c, struct stay *s)
{
    struct kn_plan_size size;
    const double start = kn_monitor_window(c);
    enum kn_status status = kn_sim_plan(c, &kn_comm_alone, &size);
    if (status != KN_OK)
        return status;
    double end = kn_duration_end(c);
    if (c->time.max_steps > 0)
        end = fmin(end, (double)c->time.max_steps * size.time_step);
    *s = (struct stay){end - start, size.time_step, (double)size.nodes};
    for (int side = 0; side < KN_SIDES; side++)
        if (c->walls[side].oscillation.frequency > 0)
            return kn_error_set(KN_EINPUT,
                                "collision.samples: auto holds the error of a mean, but a wall swings "
                                "(give a number)");
    if (start < 0 || s->window <= 0)
        return kn_error_set(KN_EINPUT,
                            "collision.samples: auto holds the error of averages, but there are none "
                            "(output.average before time.end takes them; or give a number)");
    return KN_OK;
}

/* Pilot after pilot, until one has about the number of samples that it asks for, or asks for no
 * more than are taken anyway. */
static enum kn_status search(const struct kn_case *c, const struct stay *run, double anyway,
                             const struct kn_pilot_listeners *listeners, double *needed)
{
    struct kn_case p;
    struct stay pilot;
    double tried = 0, error = 0;
    enum kn_status status = coarsen(c, run, &p, &pilot);
    if (status == KN_OK && !tell(listeners, 0))
        status = interrupted();
    if (status == KN_OK)
        *needed = fewest(&p, &pilot, ROUGH);
    while (status == KN_OK && (tried == 0 || *needed > fmax(NEAR * tried, anyway)) &&
           tried * GROWTH < KN_SAMPLING_MOST) {
        p.collision.samples = whole(tried > 0 ? fmin(*needed, GROWTH * tried) : *needed);
        tried = p.collision.samples;
        status = measure(&p, listeners, &pilot.window, &error);
        *needed = tried * pow(error / (MARGIN * c->collision.error), 2) * unrest(c, run->dt) /
                  unrest(&p, pilot.dt) * pilot.window / run->window; /* theory (51) */
    }
    return status;
}

static enum kn_status check_most(const struct kn_case *c, double needed)
{
    if (needed <= KN_SAMPLING_MOST)
        return KN_OK;
    return kn_error_set(KN_EINPUT,
                        "collision.error: %g needs about %.2g samples a step (auto takes at most %d)",
                        c->collision.error, needed, KN_SAMPLING_MOST);
}

enum kn_status kn_pilot_samples_heard(struct kn_case *c, const struct kn_pilot_listeners *listeners)
{
    struct stay run;
    double anyway = 0, needed = 0;
    enum kn_status status = describe(c, &run);
    if (status == KN_OK) {
        anyway = fewest(c, &run, c->collision.error);
        status = check_most(c, anyway);
    }
    if (status == KN_OK)
        status = search(c, &run, anyway, listeners, &needed);
    if (status == KN_OK)
        status = check_most(c, needed);
    if (status == KN_OK)
        c->collision.samples = whole(fmax(needed, anyway));
    return status;
}

enum kn_status kn_pilot_samples(struct kn_case *c)
{
    const enum kn_status status = kn_case_check(c);
    return status == KN_OK && kn_sampling_is_due(c) ? kn_pilot_samples_heard(c, NULL) : status;
}
