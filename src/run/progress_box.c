/* The box at the start of a run: what runs, where, and how long. */
#include "run/progress_parts.h"

#include "grid/boxes.h"
#include "collision/collision.h"
#include "config/config.h"
#include "monitor/duration.h"
#include "files.h"
#include "config/scales.h"
#include "grid/space.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { PART = KN_PROGRESS_PART };

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
    const char *each = job->ranks > 1 ? " a rank" : "";
    kn_config_bytes_text(job->needed, needed);
    kn_config_bytes_text(job->free, there);
    kn_config_bytes_text(job->host_needed, beside);
    entry(p, "device", "%s (%s), %d thread%s%s", job->device, job->backend, job->threads,
          job->threads == 1 ? "" : "s", job->ranks > 1 ? " a rank" : "");
    if (job->host_needed > 0)
        entry(p, "memory", "%s needed%s, %s free on the device; %s in the computer", needed, each, there,
              beside);
    else
        entry(p, "memory", "%s needed%s, %s free", needed, each, there);
}

/* How the cells are divided. */
static void show_ranks(struct kn_progress *p, const struct kn_progress_job *job)
{
    char smallest[KN_NAME], largest[KN_NAME];
    int least = 0, most = 0;
    if (job->ranks < 2)
        return;
    for (int i = 0; i < job->ranks; i++) {
        least = kn_boxes_cells(&job->boxes[i]) < kn_boxes_cells(&job->boxes[least]) ? i : least;
        most = kn_boxes_cells(&job->boxes[i]) > kn_boxes_cells(&job->boxes[most]) ? i : most;
    }
    kn_boxes_text(&job->boxes[least], smallest);
    kn_boxes_text(&job->boxes[most], largest);
    if (strcmp(smallest, largest) == 0)
        entry(p, "ranks", "%d, each with %s", job->ranks, largest);
    else
        entry(p, "ranks", "%d, with %s to %s each", job->ranks, smallest, largest);
}

static void show_grid(struct kn_progress *p, const struct kn_progress_job *job)
{
    const struct kn_case *c = job->c;
    const int *n = c->velocity.nodes, *whole = job->cells;
    const struct kn_box all = {.end = {whole[0], whole[1], whole[2]}};
    char cells[KN_NAME];
    entry(p, "grid", "%s, %d x %d x %d velocities (%s), %lld stored per cell", kn_boxes_text(&all, cells),
          n[0], n[1], n[2], kn_config_choice_name("velocity.grid", c->velocity.grid), (long long)job->nodes);
}

/* Of a case in SI: the gas by name, and its scales. */
static void show_species(struct kn_progress *p, const struct kn_case *c, const struct kn_scales *s)
{
    char pressure[KN_UNITS_TEXT], path[KN_UNITS_TEXT], box[KN_UNITS_TEXT];
    const char *species = kn_scales_species(c);
    entry(p, "gas", "%s, %s, %.6g K   mean free path %s   L %s", *species ? species : "a gas",
          kn_units_text(KN_DIMENSION_PRESSURE, s->pressure, pressure), s->temperature,
          kn_units_text(KN_DIMENSION_LENGTH, KN_SCALES_FREE_PATH * s->length, path),
          kn_units_text(KN_DIMENSION_LENGTH, s->box, box));
}

static void show_inflows(struct kn_progress *p, const struct kn_case *c)
{
    char text[KN_TEXT];
    for (int side = 0; side < KN_SIDES; side++)
        if (kn_scales_inflow(c, side, text))
            entry(p, "inflow", "%s: %s", kn_space_side_name(side), text);
}

static void show_gas(struct kn_progress *p, const struct kn_case *c)
{
    struct kn_scales scales;
    const bool integral =
        c->collision.method == KN_METHOD_OPERATOR || kn_collision_is_sampled(c->collision.method);
    const double mach = kn_scales_mach(c);
    char speed[PART] = "";
    if (kn_scales_create(&scales, c) == KN_OK && scales.known)
        show_species(p, c, &scales);
    else
        scales.known = false;
    if (mach > 0)
        snprintf(speed, sizeof speed, "   Ma %.4g", mach);
    entry(p, scales.known ? "" : "gas", "Kn %.4g   delta %.4g%s%s", KN_SCALES_FREE_PATH / c->gas.delta,
          c->gas.delta, speed, c->disturbance > 0 ? "" : "   linearised (eps = 0)");
    show_inflows(p, c);
    entry(p, "collide", "%s%s%s", kn_config_choice_name("collision.method", c->collision.method),
          integral ? ", " : "", integral ? kn_config_choice_name("gas.molecules", c->gas.molecules) : "");
    if (kn_collision_is_noisy(c))
        entry(p, "samples", "%d a step", c->collision.samples);
}

/* A time of the gas, or a rate, in the units of the case. */
static const char *in_units(const struct kn_case *c, enum kn_dimension dimension, double value,
                            char text[PART])
{
    struct kn_scales scales;
    if (kn_scales_create(&scales, c) == KN_OK && scales.known)
        return kn_units_text(dimension, kn_scales_conversion(&scales, dimension).factor * value, text);
    snprintf(text, PART, "%.4g", value);
    return text;
}

static void show_time(struct kn_progress *p, const struct kn_progress_job *job)
{
    const struct kn_case *c = job->c;
    const double end = job->time + (double)(job->last - job->first) * job->time_step;
    char from[PART] = "", until[2 * PART] = "", step[PART], last[PART];
    if (c->time.residual > 0) {
        char rate[PART];
        snprintf(until, sizeof until, " or residual < %s",
                 in_units(c, KN_DIMENSION_RATE, c->time.residual, rate));
    } else if (kn_duration_is_open(c))
        snprintf(until, sizeof until, " at the latest, or until steady (time.tolerance %g)",
                 c->time.tolerance);
    if (job->first > 0)
        snprintf(from, sizeof from, ", from step %lld", (long long)job->first);
    entry(p, "time", "dt %s, %lld steps to t = %s%s%s", in_units(c, KN_DIMENSION_TIME, job->time_step, step),
          (long long)job->last, in_units(c, KN_DIMENSION_TIME, end, last), until, from);
    if (c->run.walltime > 0) {
        char limit[PART];
        entry(p, "walltime", "%s", kn_progress_duration(limit, c->run.walltime));
    }
}

void kn_progress_box(struct kn_progress *p, const struct kn_progress_job *job)
{
    kn_progress_line(p, KN_STYLE_STRONG, "knudsen %s", KN_VERSION);
    show_machine(p, job);
    show_ranks(p, job);
    show_grid(p, job);
    show_gas(p, job->c);
    show_time(p, job);
    entry(p, "results", "%s", p->options->folder);
}
