/* The box at the start of a run: what runs, where, and how long. */
#include "progress_parts.h"

#include "collision.h"
#include "config.h"
#include "io/files.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { PART = KN_PROGRESS_PART };

double kn_progress_knudsen(const struct kn_case *c)
{
    const double knudsen_times_delta = 0.8884578523; /* for a mean free path of lambda0 / 1.12555 */
    return knudsen_times_delta / c->gas.delta;
}

double kn_progress_mach(const struct kn_case *c)
{
    const double sound = sqrt(5.0 / 6.0); /* V0 */
    double fastest = 0;
    for (int s = 0; s < KN_SIDES; s++) {
        const struct kn_wall *w = &c->walls[s];
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += pow(fabs(w->velocity[d]) + fabs(w->oscillation.velocity[d]), 2);
        fastest = fmax(fastest, sqrt(square));
    }
    return c->disturbance * fastest / sound;
}

/* One entry: a word and what there is to say of it. */
static void entry(struct kn_progress *p, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void entry(struct kn_progress *p, const char *word, const char *format, ...)
{
    char text[KN_PATH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    kn_progress_line(p, KN_STYLE_PLAIN, "  %-10s%s", word, text);
}

static void show_machine(struct kn_progress *p, const struct kn_progress_job *job)
{
    char needed[KN_NAME], there[KN_NAME], beside[KN_NAME];
    kn_config_bytes_text(job->needed, needed);
    kn_config_bytes_text(job->free, there);
    kn_config_bytes_text(job->host_needed, beside);
    entry(p, "device", "%s (%s), %d thread%s", job->device, job->backend, job->threads,
          job->threads == 1 ? "" : "s");
    if (job->host_needed > 0)
        entry(p, "memory", "%s needed, %s free on the device; %s in the computer", needed, there, beside);
    else
        entry(p, "memory", "%s needed, %s free", needed, there);
}

/* "40 x 40 cells", without the axes that have one. */
static const char *shape(char text[PART], const int cells[3])
{
    int at = 0;
    for (int d = 0; d < 3; d++)
        if (cells[d] > 1)
            at += snprintf(text + at, PART - (size_t)at, "%s%d", at ? " x " : "", cells[d]);
    snprintf(text + at, PART - (size_t)at, "%s", at ? " cells" : "1 cell");
    return text;
}

static void show_grid(struct kn_progress *p, const struct kn_progress_job *job)
{
    const struct kn_case *c = job->c;
    const int *n = c->velocity.nodes;
    char cells[PART];
    entry(p, "grid", "%s, %d x %d x %d velocities (%s), %lld stored per cell", shape(cells, job->cells), n[0],
          n[1], n[2], kn_config_choice_name("velocity.grid", c->velocity.grid), (long long)job->nodes);
}

/* Dimensionless, whatever the case was written in. */
static void show_gas(struct kn_progress *p, const struct kn_case *c)
{
    const bool integral =
        c->collision.method == KN_METHOD_OPERATOR || kn_collision_is_sampled(c->collision.method);
    char speed[PART] = "linearised (eps = 0)";
    if (c->disturbance > 0)
        snprintf(speed, sizeof speed, "Ma %.4g", kn_progress_mach(c));
    entry(p, "gas", "Kn %.4g   delta %.4g   %s", kn_progress_knudsen(c), c->gas.delta, speed);
    entry(p, "collide", "%s%s%s", kn_config_choice_name("collision.method", c->collision.method),
          integral ? ", " : "", integral ? kn_config_choice_name("gas.molecules", c->gas.molecules) : "");
    if (kn_collision_is_noisy(c))
        entry(p, "samples", "%d a step", c->collision.samples);
}

static void show_time(struct kn_progress *p, const struct kn_progress_job *job)
{
    const struct kn_case *c = job->c;
    char from[PART] = "", until[PART] = "";
    if (c->time.residual > 0)
        snprintf(until, sizeof until, " or residual < %g", c->time.residual);
    if (job->first > 0)
        snprintf(from, sizeof from, ", from step %lld", (long long)job->first);
    entry(p, "time", "dt %.4g, %lld steps to t = %.4g%s%s", job->time_step, (long long)job->last,
          job->time + (double)(job->last - job->first) * job->time_step, until, from);
    if (c->run.walltime > 0) {
        char limit[PART];
        entry(p, "walltime", "%s", kn_progress_duration(limit, c->run.walltime));
    }
}

void kn_progress_box(struct kn_progress *p, const struct kn_progress_job *job)
{
    kn_progress_line(p, KN_STYLE_STRONG, "knudsen %s", KN_VERSION);
    show_machine(p, job);
    show_grid(p, job);
    show_gas(p, job->c);
    show_time(p, job);
    entry(p, "results", "%s", p->options->folder);
}
