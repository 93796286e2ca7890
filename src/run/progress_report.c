/* The box at the start of a run and the block of results at its end. */
#include "run/progress.h"

#include "config/case.h"
#include "config/config.h"
#include "config/reference.h"
#include "config/scales.h"
#include "files/files.h"
#include "grid/boxes.h"
#include "grid/duration.h"
#include "grid/space.h"
#include "io/folder.h"
#include "monitor/oscillation.h"
#include "monitor/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PART = KN_PROGRESS_PART };

static const double NOTICEABLE = 1e-4; /* part of the largest value, below which others are omitted */

/* One entry: a name and a text. */
static void entry(struct kn_progress *p, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void entry(struct kn_progress *p, const char *name, const char *format, ...)
{
    char text[KN_PATH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    kn_progress_line(p, KN_STYLE_PLAIN, "  %-10s%s", name, text);
}

static void show_machine(struct kn_progress *p, const struct kn_progress_job *job)
{
    char needed[KN_NAME], available[KN_NAME], host[KN_NAME];
    const char *each = job->ranks > 1 ? " per rank" : "";
    const bool apart = job->host_needed > 0; /* the device has its own memory */
    kn_config_bytes_text(job->needed, needed);
    kn_config_bytes_text(job->free, available);
    kn_config_bytes_text(job->host_needed, host);
    entry(p, "device", "%s (%s), %d thread%s%s", job->device, job->backend, job->threads,
          job->threads == 1 ? "" : "s", each);
    entry(p, "memory", "%s needed%s, %s free%s%s%s", needed, each, available, apart ? " on the device; " : "",
          apart ? host : "", apart ? " on the host" : "");
}

/* The number of ranks, and the smallest and the largest box. */
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
    const struct kn_box all = {.end = {job->cells[0], job->cells[1], job->cells[2]}};
    char cells[KN_NAME];
    entry(p, "grid", "%s, %d x %d x %d velocities (%s), %lld stored per cell", kn_boxes_text(&all, cells),
          kn_case_nodes(c, 0), kn_case_nodes(c, 1), kn_case_nodes(c, 2),
          kn_config_choice_name("velocity.grid", c->velocity.grid), (long long)job->nodes);
}

static void show_gas(struct kn_progress *p, const struct kn_case *c)
{
    struct kn_scales scales;
    const bool si = kn_scales_create(&scales, c) == KN_OK && scales.known,
               integral =
                   c->collision.method == KN_METHOD_OPERATOR || kn_case_is_sampled(c->collision.method);
    const double mach = kn_scales_mach(c);
    char speed[PART] = "", state[KN_TEXT];
    const char *species = kn_scales_species(c);
    if (si) {
        char pressure[KN_UNITS_TEXT], path[KN_UNITS_TEXT], box[KN_UNITS_TEXT];
        entry(p, "gas", "%s, %s, %.6g K   mean free path %s   L %s", *species ? species : "a gas",
              kn_units_text(KN_DIMENSION_PRESSURE, scales.pressure, pressure), scales.temperature,
              kn_units_text(KN_DIMENSION_LENGTH, KN_SCALES_FREE_PATH * scales.length, path),
              kn_units_text(KN_DIMENSION_LENGTH, scales.box, box));
    }
    if (mach > 0)
        snprintf(speed, sizeof speed, "   Ma %.4g", mach);
    entry(p, si ? "" : "gas", "Kn %.4g   delta %.4g%s%s", KN_SCALES_FREE_PATH / c->gas.delta, c->gas.delta,
          speed, c->disturbance > 0 ? "" : "   linearised (eps = 0)");
    if (kn_reference_text(c, state))
        entry(p, "reference", "%s", state);
    for (int side = 0; side < KN_SIDES; side++)
        if (kn_scales_inflow(c, side, state))
            entry(p, "inflow", "%s: %s", kn_case_side_name(side), state);
    entry(p, "collide", "%s%s%s", kn_config_choice_name("collision.method", c->collision.method),
          integral ? ", " : "", integral ? kn_config_choice_name("gas.molecules", c->gas.molecules) : "");
    if (kn_case_is_sampled(c->collision.method))
        entry(p, "samples", "%d per step", c->collision.samples);
}

static void show_time(struct kn_progress *p, const struct kn_progress_job *job)
{
    const struct kn_case *c = job->c;
    char from[PART] = "", until[2 * PART] = "", step[KN_UNITS_TEXT], last[KN_UNITS_TEXT], limit[PART];
    if (c->time.residual > 0)
        snprintf(until, sizeof until, " or residual < %.4g%s", p->hertz * c->time.residual,
                 *p->time_unit ? " s-1" : "");
    else if (kn_duration_is_open(c))
        snprintf(until, sizeof until, " at the latest, or until steady (time.tolerance %g)",
                 c->time.tolerance);
    if (job->first > 0)
        snprintf(from, sizeof from, ", from step %lld", (long long)job->first);
    if (job->mode && *job->mode)
        entry(p, "mode", "%s", job->mode);
    if (p->steady)
        entry(p, "iterate", "at most %lld iterations, until residual and update < %.4g%s",
              (long long)job->last, kn_config_iteration_tolerance(c), from);
    else
        entry(p, "time", "dt %s, %lld steps to t = %s%s%s", kn_duration_text(c, job->time_step, 4, "", step),
              (long long)job->last, kn_duration_text(c, p->end, 4, "", last), until, from);
    if (c->run.walltime > 0)
        entry(p, "walltime", "%s", kn_progress_duration(limit, c->run.walltime));
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

/* No mass passes a wall; the mass through an inflow is a result. */
static bool is_mass_of_inflow(const struct kn_monitor *m, const struct kn_column *column)
{
    return kn_monitor_flux(column) == KN_DIMENSION_MASS_FLUX &&
           m->c->walls[(column->offset - offsetof(struct kn_row, mass_flux)) / sizeof(double)].kind ==
               KN_WALL_INFLOW;
}

/* The quantities in the block: D, G and flow rates, or the fluxes at the walls of a case that has none of
 * them. */
static bool is_headline(const struct kn_monitor *m, const struct kn_column *column)
{
    const bool named = isfinite(m->row.drag) || isfinite(m->row.flow_force) || isfinite(m->row.flow_thermal);
    const size_t end = named ? offsetof(struct kn_row, stress) : offsetof(struct kn_row, mass_flux);
    const bool apart = column->offset == offsetof(struct kn_row, permeability); /* has a line of its own */
    return (column->offset >= offsetof(struct kn_row, drag) && column->offset < end && !apart) ||
           is_mass_of_inflow(m, column);
}

/* A value with its error, in the unit that suits its size; KN_DIMENSION_NONE: without a unit. */
static const char *value_text(char text[PART], double value, double error, enum kn_dimension dimension)
{
    char unit[KN_UNITS_TEXT] = "", plus_minus[PART] = "";
    const double factor = dimension == KN_DIMENSION_NONE ? 1 : kn_units_scale(dimension, value, unit);
    if (error > 0) /* not NaN, and a zero has no error */
        snprintf(plus_minus, sizeof plus_minus, " +- %.2g", factor * error);
    snprintf(text, PART, "%.6g%.16s%s%.24s", factor * value, plus_minus, *unit ? " " : "", unit);
    return text;
}

/* The factor to SI units of a column, and its dimension; 1 and none if `scales` is NULL. */
static double si_factor(const struct kn_scales *scales, const struct kn_column *column,
                        enum kn_dimension *dimension)
{
    *dimension = scales ? kn_monitor_flux(column) : KN_DIMENSION_NONE;
    return scales ? kn_scales_conversion(scales, *dimension).factor : 1;
}

/* What a value of a body or a port refers to if the gas is uniform along axes. */
static const char *per_length(int axes)
{
    return axes == 2 ? " per metre" : axes == 1 ? " per square metre" : "";
}

/* One column, in SI units where `scales` is not NULL. */
static void show_value(struct kn_progress *p, const struct kn_monitor *m, int i,
                       const struct kn_scales *scales)
{
    enum kn_dimension dimension;
    const double factor = si_factor(scales, &m->columns[i], &dimension), error = kn_monitor_error(m, i);
    const bool lacks = m->batches && isnan(error), averaged = m->averaged > 1;
    const bool whole = kn_monitor_is_integral(&m->columns[i]) && dimension != KN_DIMENSION_STRESS;
    const int axes = scales && whole ? scales->axes : 3;
    char text[PART], means[2 * PART] = "";
    if (averaged)
        snprintf(means, sizeof means, "   (mean of %lld rows%s, standard deviation %.1e)",
                 (long long)m->averaged, lacks ? ", too short for an error: a later time.end gives one" : "",
                 factor * sqrt(m->square[i] / (double)(m->averaged - 1)));
    kn_progress_line(p, KN_STYLE_PLAIN, "  %-17s %s%s%s%s", m->columns[i].name,
                     value_text(text, factor * kn_monitor_value(m, i), factor * error, dimension),
                     per_length(axes), means, lacks && !averaged ? "   (a single row, no error)" : "");
}

/* The mass flow of a channel in SI units, from the flow rates (theory, section 10).  Also through the whole
 * cross-section, if the flow is along a uniform axis. */
static void show_mass_flow(struct kn_progress *p, const struct kn_monitor *m, int i,
                           const struct kn_scales *scales)
{
    const struct kn_case *c = m->c;
    const bool by_force = m->columns[i].offset == offsetof(struct kn_row, flow_force);
    const double *drive = by_force ? c->source.force : c->source.temperature_gradient,
                 strength = sqrt(drive[0] * drive[0] + drive[1] * drive[1] + drive[2] * drive[2]),
                 flux = kn_scales_conversion(scales, KN_DIMENSION_MASS_FLUX).factor * kn_monitor_value(m, i) *
                        (by_force ? strength : strength / 2) * c->gas.delta;
    double area = 1;
    int axes = 0;
    bool across = true;
    for (int d = 0; d < 3; d++)
        if (c->space.cells[d] > 1) {
            axes++;
            across = across && drive[d] == 0;
            area *= c->space.size[d] * scales->box;
        }
    char text[PART], total[PART] = "";
    if (across && (axes == 1 || axes == 2))
        snprintf(total, sizeof total, ", %.6g %s", flux * area,
                 axes == 1 ? "kg s-1 per metre of width" : "kg s-1 in all");
    kn_progress_line(p, KN_STYLE_PLAIN, "  %-18s%s%s   (mean, of %s)", "mass flux",
                     value_text(text, flux, 0, KN_DIMENSION_MASS_FLUX), total, m->columns[i].name);
}

/* Amplitudes at the walls of a case with oscillating walls, without negligible ones. */
static void show_amplitudes(struct kn_progress *p, const struct kn_summary *s, const struct kn_scales *scales)
{
    const struct kn_oscillation_fit *o = s->oscillation;
    double largest = 0;
    char periods[PART] = "";
    if (o->periods > 0)
        snprintf(periods, sizeof periods, "   (last %d period%s)", o->periods, o->periods == 1 ? "" : "s");
    for (int i = 0; i < o->count; i++)
        largest = fmax(largest, o->columns[i].amplitude);
    for (int i = 0; i < o->count; i++) {
        const struct kn_column *column = &s->m->columns[o->columns[i].column];
        enum kn_dimension dimension;
        const double factor = si_factor(scales, column, &dimension);
        if (o->columns[i].amplitude > NOTICEABLE * largest) {
            char text[PART];
            kn_progress_line(p, KN_STYLE_PLAIN, "  %-17s %s amplitude, phase %.6g%s", column->name,
                             value_text(text, factor * o->columns[i].amplitude, 0, dimension),
                             o->columns[i].phase, periods);
        }
    }
}

/* Damping and added mass of the sides that move, per area, and of the bodies. */
static void show_damping(struct kn_progress *p, const struct kn_summary *s, const struct kn_scales *scales)
{
    static const char *const lengths[] = {"", " lambda0", " lambda0^2", " lambda0^3"};
    for (int i = 0; i < s->oscillation->movers; i++) {
        const struct kn_oscillation_mover *mover = &s->oscillation->mover[i];
        const bool body = mover->surface >= KN_SIDES;
        const int power = body ? s->m->space->naxes - 1 : 0;
        const struct kn_oscillation_units units = kn_oscillation_units(mover);
        char name[KN_COLUMN_NAME], damping[PART], mass[PART];
        if (scales) {
            value_text(damping, kn_scales_conversion(scales, units.damping).factor * mover->damping, 0,
                       units.damping);
            value_text(mass, kn_scales_conversion(scales, units.added_mass).factor * mover->added_mass, 0,
                       units.added_mass);
        } else {
            snprintf(damping, PART, "%.6g p0%s / V0", mover->damping, lengths[power]);
            snprintf(mass, PART, "%.6g p0%s / V0^2", mover->added_mass, lengths[power + 1]);
        }
        snprintf(name, sizeof name, "%s%s", body ? "bodies." : "",
                 kn_case_surface_name(s->m->c, mover->surface));
        kn_progress_line(p, KN_STYLE_PLAIN, "  %-17s damping %s, added mass %s%s", name, damping, mass,
                         per_length(scales && body ? scales->axes : 3));
    }
}

/* True if a quantity of a body or port is not negligible compared with the same of others. */
static bool is_notable(const struct kn_monitor *m, int column)
{
    double largest = 0;
    for (int i = 0; i < m->ncolumns; i++)
        if (kn_monitor_is_integral(&m->columns[i]) && m->columns[i].dimension == m->columns[column].dimension)
            largest = fmax(largest, fabs(kn_monitor_value(m, i)));
    return kn_monitor_is_integral(&m->columns[column]) &&
           fabs(kn_monitor_value(m, column)) > NOTICEABLE * largest;
}

/* The quantities; fluxes at walls in SI units where the case has them, without negligible ones. */
static void show_quantities(struct kn_progress *p, const struct kn_summary *s, const struct kn_scales *scales)
{
    const struct kn_monitor *m = s->m;
    const bool oscillates = s->oscillation && s->oscillation->count > 0;
    double largest = 0;
    for (int i = 0; i < m->ncolumns; i++)
        if (kn_monitor_flux(&m->columns[i]) == KN_DIMENSION_STRESS ||
            kn_monitor_flux(&m->columns[i]) == KN_DIMENSION_HEAT_FLUX)
            largest = fmax(largest, fabs(kn_monitor_value(m, i)));
    for (int i = 0; i < m->ncolumns; i++) {
        const struct kn_column *column = &m->columns[i];
        const enum kn_dimension flux = kn_monitor_flux(column);
        const bool wanted = kn_monitor_is_integral(column)         ? is_notable(m, i)
                            : flux == KN_DIMENSION_NONE || !scales ? is_headline(m, column)
                            : flux == KN_DIMENSION_MASS_FLUX
                                ? is_mass_of_inflow(m, column)
                                : fabs(kn_monitor_value(m, i)) > NOTICEABLE * largest;
        if (wanted && !(oscillates && flux != KN_DIMENSION_NONE))
            show_value(p, m, i, flux == KN_DIMENSION_NONE ? NULL : scales);
        if (scales && !oscillates &&
            (column->offset == offsetof(struct kn_row, flow_force) ||
             column->offset == offsetof(struct kn_row, flow_thermal)))
            show_mass_flow(p, m, i, scales);
    }
    if (!oscillates)
        return;
    show_amplitudes(p, s, scales);
    show_damping(p, s, scales);
}

/* The permeability of a box with bodies. */
static void show_permeability(struct kn_progress *p, const struct kn_monitor *m,
                              const struct kn_scales *scales)
{
    const double unit = scales ? scales->length * scales->length : 1;
    for (int i = 0; i < m->ncolumns; i++)
        if (m->columns[i].offset == offsetof(struct kn_row, permeability))
            entry(p, "porous", "permeability %.6g %s", unit * kn_monitor_value(m, i),
                  scales ? "m2" : "lambda0^2");
}

/* Conductance between two ports, and the balance of the mass flows. */
static void show_ports(struct kn_progress *p, const struct kn_monitor *m, const struct kn_scales *scales)
{
    struct kn_summary_ports r;
    if (kn_case_ports(m->c) == 0)
        return;
    kn_summary_measure_ports(m, &r);
    const double unit = scales ? scales->velocity * scales->area : 1;
    if (isfinite(r.conductance))
        entry(p, "ports", "conductance %.6g %s%s, transmission probability %.6g", unit * r.conductance,
              scales ? "m3 s-1" : "V0 lambda0^2", scales ? per_length(scales->axes) : "", r.transmission);
    entry(p, "balance", "%.1e of the largest mass flow", r.balance);
}

/* The result of collision.samples: auto. */
static void show_samples(struct kn_progress *p, const struct kn_summary *s)
{
    const double error = kn_summary_error(s);
    char reached[PART] = "not known, the window is too short";
    if (isfinite(error))
        snprintf(reached, sizeof reached, "%.2g, %s", error, error <= s->target ? "held" : "not held");
    if (s->target > 0)
        entry(p, "samples", "%d per step for a relative statistical error of %g: it is %s",
              s->m->c->collision.samples, s->target, reached);
}

/* Phases that the run did not have are omitted. */
static void show_phases(struct kn_progress *p, const struct kn_summary *s)
{
    double other = s->wall_s;
    kn_progress_line(p, KN_STYLE_PLAIN, "time by phase");
    for (int i = 0; i <= KN_PHASES; i++) {
        const double seconds = i < KN_PHASES ? s->phase_s[i] : fmax(0, other);
        other -= seconds;
        if (seconds > 0 || i == KN_PHASES)
            entry(p, i < KN_PHASES ? kn_summary_phase_name((enum kn_phase)i) : "other", "%8.2f s %5.1f %%",
                  seconds, 100 * seconds / fmax(s->wall_s, 1e-9));
    }
    entry(p, "steps", "%.1f %% of the time loop, which took %.2f s", 100 * s->step_fraction, s->loop_s);
}

static void show_next(struct kn_progress *p)
{
    char *folder = NULL;
    size_t size;
    FILE *to = open_memstream(&folder, &size);
    if (!to)
        return;
    kn_files_shell_word(to, p->options->folder);
    if (fclose(to) == 0)
        kn_progress_line(p, KN_STYLE_STRONG, "next: knudsen plot %s", folder);
    free(folder);
}

void kn_progress_results(struct kn_progress *p, const struct kn_summary *s)
{
    const struct kn_row *row = &s->m->row;
    const struct kn_verdict *v = s->verdict;
    const bool unfinished = strcmp(s->outcome, "interrupted") == 0 || strcmp(s->outcome, "walltime") == 0;
    struct kn_scales scales;
    const bool si = kn_scales_create(&scales, s->m->c) == KN_OK && scales.known;
    char took[PART], rate[PART], place[KN_DURATION_PLACE];
    kn_progress_line(p, unfinished ? KN_STYLE_WARNING : KN_STYLE_GOOD, "%s: %s, after %s, %s",
                     strcmp(s->outcome, "steady") == 0 ? "steady state reached" : s->outcome,
                     kn_duration_place(s->m->c, s->steps, s->time, place),
                     kn_progress_duration(took, s->wall_s),
                     kn_progress_scaled(rate, s->updates_per_s, " updates/s"));
    if (v)
        kn_progress_line(p, v->word == KN_VERDICT_NOT_STEADY ? KN_STYLE_WARNING : KN_STYLE_PLAIN, "%s: %s",
                         kn_verdict_name(v->word), v->text);
    show_quantities(p, s, si ? &scales : NULL);
    show_permeability(p, s->m, si ? &scales : NULL);
    show_ports(p, s->m, si ? &scales : NULL);
    show_samples(p, s);
    if (isfinite(row->residual))
        entry(p, "residual", "%.2e%s", p->hertz * row->residual, si ? " s-1" : "");
    if (isfinite(row->mass_drift))
        entry(p, "drift", "%.1e of the moved mass", row->mass_drift);
    show_phases(p, s);
    kn_progress_line(p, KN_STYLE_PLAIN, "results are in %s", p->options->folder);
    if (unfinished)
        kn_progress_line(p, KN_STYLE_STRONG, "next: the same command with --resume continues from here");
    else
        show_next(p);
}
