/* The rate of the recent past, and an exponential decay of the residual. */
#include "run/eta.h"

#include <math.h>

/* The weight of a past second is the square of its position between start and now, and decays over MEMORY: a
 * slow start loses its influence soon.  Marks closer than 1 / MARKS of the elapsed time are skipped. */
static const double FORGET = 2, MEMORY = 300 /* s */, MARKS = 64;
static const double FEWEST_ROWS = 4;

void kn_eta_start(struct kn_eta *e, const struct kn_eta_mark *first, int64_t last, double limit,
                  double deadline)
{
    *e = (struct kn_eta){.last = last, .limit = limit, .deadline = deadline, .steady = INFINITY};
    e->first = e->latest = *first;
}

void kn_eta_step(struct kn_eta *e, const struct kn_eta_mark *now)
{
    const double since = now->clock - e->latest.clock, all = now->clock - e->first.clock;
    if (now->step <= e->latest.step || !(since > all / MARKS))
        return;
    const double keep = fmin(pow(1 - since / all, FORGET), exp(-since / MEMORY));
    e->steps = keep * e->steps + (double)(now->step - e->latest.step);
    e->seconds = keep * e->seconds + fmax(0, since - (now->output_s - e->latest.output_s));
    e->latest = *now;
}

double kn_eta_rate(const struct kn_eta *e)
{
    return e->seconds > 0 ? e->steps / e->seconds : 0;
}

/* Weighted regression of log residual on step; the weight of a row is the square of its step over the latest
 * step, so that the initial transient loses its influence. */
void kn_eta_row(struct kn_eta *e, int64_t step, double residual)
{
    if (!(residual > 0) || !isfinite(residual) || step <= 0)
        return;
    const double keep = pow(e->row_step / (double)step, FORGET), x = (double)step - e->mean_step,
                 y = log(residual) - e->mean_log;
    e->rows = keep * e->rows + 1;
    e->mean_step += x / e->rows;
    e->mean_log += y / e->rows;
    e->square_step = keep * e->square_step + x * ((double)step - e->mean_step);
    e->product_log = keep * e->product_log + x * (log(residual) - e->mean_log);
    e->row_step = (double)step;
}

/* Estimates of single rows vary; the moving average is stable. */
void kn_eta_expect(struct kn_eta *e, double step)
{
    const double follow = 0.2;
    if (!isfinite(step))
        e->steady = INFINITY;
    else
        e->steady = isfinite(e->steady) ? e->steady + follow * (step - e->steady) : step;
}

/* Step at which the residual reaches its limit; infinite if it does not decrease. */
static double limit_step(const struct kn_eta *e)
{
    const double slope = e->product_log / e->square_step;
    if (!(e->limit > 0) || e->rows < FEWEST_ROWS || !(slope < 0))
        return INFINITY;
    return e->mean_step + (log(e->limit) - e->mean_log) / slope;
}

struct kn_eta_left kn_eta_left(const struct kn_eta *e, const struct kn_eta_mark *now)
{
    const double all = now->clock - e->first.clock, output = now->output_s - e->first.output_s,
                 working = all > 0 ? fmax(1 - output / all, 0.01) : 1, rate = working * kn_eta_rate(e),
                 limit = limit_step(e), end = fmin((double)e->last, fmin(limit, e->steady));
    struct kn_eta_left left = {INFINITY, fmax(0, end - (double)now->step), KN_ETA_LAST_STEP};
    if (end < (double)e->last)
        left.by = e->steady < limit ? KN_ETA_STEADY : KN_ETA_RESIDUAL;
    if (rate > 0 || now->step >= e->last)
        left.seconds = left.steps > 0 ? left.steps / rate : 0;
    if (e->deadline - now->clock < left.seconds) {
        left.seconds = fmax(0, e->deadline - now->clock);
        left.by = KN_ETA_DEADLINE;
    }
    return left;
}
