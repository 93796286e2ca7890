#include "progress.h"

#include "collision.h"
#include "config.h"
#include "error.h"
#include "io/files.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 512, PART = 64 };

static const double live_every = 0.1, json_every = 1, plain_every = 30; /* s */

/* Mean free path of hard spheres over L, for a mean free path of lambda0 / 1.12555. */
static const double knudsen_times_delta = 0.8884578523;

double kn_progress_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------ ways out */

static bool speaks(const struct kn_progress *p, enum kn_report report)
{
    return p->options->say && p->options->report == report;
}

static void say(const struct kn_progress *p, const char *text)
{
    p->options->say(p->options->to, text);
}

/* Blank the live line so that an ordinary one can take its place. */
static void wipe(struct kn_progress *p)
{
    char text[LINE + 8];
    if (p->shown == 0)
        return;
    snprintf(text, sizeof text, "\r%*s\r", p->shown, "");
    say(p, text);
    p->shown = 0;
}

enum style { PLAIN, STRONG, FAINT };

/* One line for people, and the same without colour for the log. */
static void line(struct kn_progress *p, enum style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void line(struct kn_progress *p, enum style style, const char *format, ...)
{
    static const char *const begin[] = {"", "\033[1m", "\033[2m"};
    char text[KN_PATH + LINE], out[KN_PATH + LINE + 16];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (p->log)
        fprintf(p->log, "%s\n", text);
    if (!speaks(p, KN_REPORT_TERMINAL) && !speaks(p, KN_REPORT_PLAIN))
        return;
    wipe(p);
    bool coloured = p->colour && style != PLAIN;
    snprintf(out, sizeof out, "%s%s%s\n", coloured ? begin[style] : "", text, coloured ? "\033[0m" : "");
    say(p, out);
}

/* JSON is built in memory: one object has to leave as one text. */
struct object {
    char *text;
    size_t size;
    FILE *to;
};

static void json_string(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s; s++)
        if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (*s < 0x20)
            fprintf(to, "\\u%04x", *s);
        else
            fputc(*s, to);
    fputc('"', to);
}

static bool json_begin(struct kn_progress *p, struct object *o, const char *event)
{
    *o = (struct object){0};
    if (!speaks(p, KN_REPORT_JSON))
        return false;
    o->to = open_memstream(&o->text, &o->size);
    if (o->to)
        fprintf(o->to, "{\"event\":\"%s\"", event);
    return o->to != NULL;
}

static void json_text(struct object *o, const char *key, const char *text)
{
    fprintf(o->to, ",\"%s\":", key);
    json_string(o->to, text);
}

static void json_number(struct object *o, const char *key, double v)
{
    if (isfinite(v))
        fprintf(o->to, ",\"%s\":%.10g", key, v);
    else
        fprintf(o->to, ",\"%s\":null", key);
}

static void json_end(struct kn_progress *p, struct object *o)
{
    fputs("}\n", o->to);
    if (fclose(o->to) == 0)
        say(p, o->text);
    free(o->text);
}

/* ----------------------------------------------------------------- run.log */

static void log_date(struct kn_progress *p, const char *what)
{
    char date[PART];
    struct tm parts;
    time_t now = time(NULL);
    if (p->log && gmtime_r(&now, &parts) && strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts))
        fprintf(p->log, "%s %s, knudsen %s\n", date, what, KN_VERSION);
}

enum kn_status kn_progress_open(struct kn_progress *p, const struct kn_run_options *options)
{
    char path[KN_PATH];
    const char *no_colour = getenv("NO_COLOR");
    *p = (struct kn_progress){.options = options, .started = kn_progress_clock()};
    p->colour = options->report == KN_REPORT_TERMINAL && !(no_colour && *no_colour);

    enum kn_status status = kn_files_join(path, options->folder, "run.log");
    if (status != KN_OK)
        return status;
    p->log = fopen(path, options->resume ? "a" : "w");
    if (!p->log)
        return kn_error_set(KN_EIO, "cannot write '%s': %s", path, strerror(errno));
    setvbuf(p->log, NULL, _IOLBF, 0);
    log_date(p, options->resume ? "resume" : "start");
    return KN_OK;
}

void kn_progress_close(struct kn_progress *p)
{
    if (!p->log)
        return;
    log_date(p, "stop");
    fclose(p->log);
    p->log = NULL;
}

void kn_progress_note(struct kn_progress *p, const char *format, ...)
{
    char text[KN_PATH + LINE];
    struct object o;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    line(p, PLAIN, "%s", text);
    if (json_begin(p, &o, "note")) {
        json_text(&o, "text", text);
        json_end(p, &o);
    }
}

void kn_progress_log(struct kn_progress *p, const char *format, ...)
{
    va_list arguments;
    if (!p->log)
        return;
    va_start(arguments, format);
    vfprintf(p->log, format, arguments);
    va_end(arguments);
    fputc('\n', p->log);
}

/* ------------------------------------------------------------ start-up box */

static const char *human_time(char text[PART], double s)
{
    if (!isfinite(s) || s > 1e8)
        snprintf(text, PART, "-");
    else if (s < 60)
        snprintf(text, PART, "%.*f s", s < 9.95 ? 1 : 0, s);
    else if (s < 3600)
        snprintf(text, PART, "%d:%02d min", (int)s / 60, (int)s % 60);
    else
        snprintf(text, PART, "%d:%02d h", (int)(s / 3600), (int)(s / 60) % 60);
    return text;
}

/* Of the fastest wall or inflow, over the speed of sound sqrt(5/6) V0. */
static double mach(const struct kn_case *c)
{
    double fastest = 0;
    for (int s = 0; s < KN_SIDES; s++) {
        const struct kn_wall *w = &c->walls[s];
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += pow(fabs(w->velocity[d]) + fabs(w->oscillation.velocity[d]), 2);
        fastest = fmax(fastest, sqrt(square));
    }
    return c->disturbance * fastest / sqrt(5.0 / 6.0);
}

static void start_json(struct kn_progress *p, const struct kn_case *c, const struct kn_sim *sim, double bytes)
{
    struct object o;
    if (!json_begin(p, &o, "start"))
        return;
    json_text(&o, "version", KN_VERSION);
    json_text(&o, "folder", p->options->folder);
    json_text(&o, "backend", kn_sim_backend(sim));
    json_number(&o, "threads", kn_sim_threads(sim));
    json_number(&o, "cells", (double)kn_sim_cells(sim));
    json_number(&o, "nodes", (double)kn_sim_nodes(sim));
    json_number(&o, "memory_bytes", bytes);
    json_number(&o, "knudsen", knudsen_times_delta / c->gas.delta);
    json_number(&o, "delta", c->gas.delta);
    json_number(&o, "mach", mach(c));
    if (kn_collision_is_noisy(c))
        json_number(&o, "samples", c->collision.samples);
    json_number(&o, "time_step", kn_sim_time_step(sim));
    json_number(&o, "first_step", (double)p->first);
    json_number(&o, "steps", (double)p->last);
    json_end(p, &o);
}

static void start_box(struct kn_progress *p, const struct kn_case *c, const struct kn_sim *sim, double bytes,
                      double available)
{
    const struct kn_space *space = kn_sim_space(sim);
    const bool integral =
        c->collision.method == KN_METHOD_OPERATOR || kn_collision_is_sampled(c->collision.method);
    char needed[KN_NAME], there[KN_NAME], speed[PART] = "", steps[PART] = "";
    kn_config_bytes_text(bytes, needed);
    kn_config_bytes_text(available, there);
    if (c->disturbance > 0)
        snprintf(speed, sizeof speed, "   Ma %.4g", mach(c));
    if (p->first > 0)
        snprintf(steps, sizeof steps, ", from step %lld", (long long)p->first);
    line(p, STRONG, "knudsen %s", KN_VERSION);
    line(p, PLAIN, "  machine   %s, %d thread%s", kn_sim_backend(sim), kn_sim_threads(sim),
         kn_sim_threads(sim) == 1 ? "" : "s");
    line(p, PLAIN, "  grid      %d x %d x %d cells, %lld velocity nodes each", space->cells[0],
         space->cells[1], space->cells[2], (long long)kn_sim_nodes(sim));
    line(p, PLAIN, "  memory    %s needed, %s available", needed, there);
    line(p, PLAIN, "  gas       Kn %.4g   delta %.4g%s%s", knudsen_times_delta / c->gas.delta, c->gas.delta,
         speed, c->disturbance > 0 ? "" : "   linearised (eps = 0)");
    line(p, PLAIN, "  collide   %s%s%s", kn_config_choice_name("collision.method", c->collision.method),
         integral ? ", " : "", integral ? kn_config_choice_name("gas.molecules", c->gas.molecules) : "");
    if (kn_collision_is_noisy(c))
        line(p, PLAIN, "  samples   %d a step", c->collision.samples);
    line(p, PLAIN, "  time      dt %.4g, %lld steps%s", kn_sim_time_step(sim), (long long)p->last, steps);
    line(p, PLAIN, "  results   %s", p->options->folder);
}

void kn_progress_start(struct kn_progress *p, const struct kn_case *c, const struct kn_sim *sim,
                       double memory_bytes, double memory_available, int64_t last)
{
    p->first = kn_sim_steps(sim);
    p->last = last;
    p->updates_per_step = (double)kn_sim_cells(sim) * (double)kn_sim_nodes(sim);
    start_box(p, c, sim, memory_bytes, memory_available);
    start_json(p, c, sim, memory_bytes);
    p->started = kn_progress_clock();
    p->next_live = p->next_json = 0;
    p->next_plain = 1;
}

/* --------------------------------------------------------------- live line */

struct pace {
    double updates_per_s;
    double left; /* s to the end; infinite while unknown */
};

static struct pace measure_pace(const struct kn_progress *p, double elapsed, int64_t step)
{
    double rate = elapsed > 0 ? (double)(step - p->first) / elapsed : 0;
    return (struct pace){rate * p->updates_per_step, rate > 0 ? (double)(p->last - step) / rate : INFINITY};
}

/* Columns of the screen; the line must stay shorter, or "\r" would not return
 * to its beginning. */
static int screen_width(void)
{
    struct winsize size;
    if ((ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) &&
        size.ws_col > 0)
        return size.ws_col < LINE ? size.ws_col - 1 : LINE - 1;
    return 79;
}

/* Add a part with two blanks before it, unless the line would become too long. */
static void add_part(char *text, int width, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_part(char *text, int width, const char *format, ...)
{
    char part[2 * PART];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    size_t used = strlen(text);
    if (used + 2 + strlen(part) <= (size_t)width)
        snprintf(text + used, LINE - used, "  %s", part);
}

/* The parts in order of what may be left out last. */
static void compose(const struct kn_progress *p, char text[LINE], int width, double elapsed, int64_t step,
                    double time, const struct kn_row *row)
{
    struct pace pace = measure_pace(p, elapsed, step);
    char left[PART];
    text[0] = '\0';
    add_part(text, width, "step %lld/%lld", (long long)step, (long long)p->last);
    add_part(text, width, "t %.4g", time);
    add_part(text, width, "ETA %s", human_time(left, pace.left));
    if (isfinite(row->residual))
        add_part(text, width, "res %.2e", row->residual);
    if (isfinite(row->drag))
        add_part(text, width, "D %.4f G %.4f", row->drag, row->vortex_flow);
    if (isfinite(row->mass_drift))
        add_part(text, width, "drift %.1e", row->mass_drift);
    add_part(text, width, "%.3g upd/s", pace.updates_per_s);
}

/* Put a text in place of the live line. */
static void replace_live(struct kn_progress *p, const char *text, int width)
{
    char out[2 * LINE];
    int length = (int)strlen(text), before = p->shown < width ? p->shown : width;
    snprintf(out, sizeof out, "\r%s%*s", text, before > length ? before - length : 0, "");
    say(p, out);
    p->shown = length;
}

static void show_live(struct kn_progress *p, double elapsed, int64_t step, double time,
                      const struct kn_row *row)
{
    char text[LINE];
    int width = screen_width();
    compose(p, text, width, elapsed, step, time, row);
    replace_live(p, text, width);
}

void kn_progress_prepare(struct kn_progress *p, const struct kn_run_options *options, enum kn_prepare what,
                         double part)
{
    static const struct {
        const char *event, *text;
    } kinds[] = {
        [KN_PREPARE_OPERATOR] = {"assembly", "assembling the collision operator, once for this grid and gas"},
        [KN_PREPARE_SAMPLES] = {"pilot", "choosing collision.samples on a coarse grid"},
    };
    struct object o;
    if (part == 0)
        *p = (struct kn_progress){.options = options, .started = kn_progress_clock()};
    const double elapsed = kn_progress_clock() - p->started;
    if (speaks(p, KN_REPORT_TERMINAL) && part < 1 && elapsed >= p->next_live) {
        char text[LINE], left[PART];
        snprintf(text, sizeof text, "%s  %.0f %%  ETA %s", kinds[what].text, 100 * part,
                 human_time(left, part > 0 ? elapsed * (1 / part - 1) : INFINITY));
        p->next_live = elapsed + live_every;
        replace_live(p, text, screen_width());
    }
    if (speaks(p, KN_REPORT_PLAIN) && part == 0)
        line(p, PLAIN, "%s", kinds[what].text);
    if (elapsed >= p->next_json && json_begin(p, &o, kinds[what].event)) {
        p->next_json = elapsed + json_every;
        json_number(&o, "part", part);
        json_end(p, &o);
    }
    if (part > 1 - 1e-9)
        wipe(p);
}

static void show_json(struct kn_progress *p, double elapsed, int64_t step, double time,
                      const struct kn_row *row)
{
    struct pace pace = measure_pace(p, elapsed, step);
    struct object o;
    if (!json_begin(p, &o, "progress"))
        return;
    json_number(&o, "step", (double)step);
    json_number(&o, "steps", (double)p->last);
    json_number(&o, "time", time);
    json_number(&o, "residual", row->residual);
    json_number(&o, "mass_drift", row->mass_drift);
    if (isfinite(row->drag)) {
        json_number(&o, "D", row->drag);
        json_number(&o, "G", row->vortex_flow);
    }
    json_number(&o, "updates_per_s", pace.updates_per_s);
    json_number(&o, "eta_s", pace.left);
    json_end(p, &o);
}

/* Plain lines come at 1, 2, 4, 8, 16 s and then every half minute. */
static double next_plain_time(double next, double elapsed)
{
    while (next <= elapsed)
        next = next < 16 ? 2 * next : plain_every * (floor(next / plain_every) + 1);
    return next;
}

void kn_progress_step(struct kn_progress *p, double clock, int64_t step, double time,
                      const struct kn_row *row)
{
    double elapsed = clock - p->started;
    bool plain = elapsed >= p->next_plain;
    if (plain) {
        char text[LINE];
        p->next_plain = next_plain_time(p->next_plain, elapsed);
        compose(p, text, LINE - 1, elapsed, step, time, row);
        if (speaks(p, KN_REPORT_PLAIN))
            line(p, PLAIN, "%s", text);
        else
            kn_progress_log(p, "%s", text);
    }
    if (speaks(p, KN_REPORT_TERMINAL) && elapsed >= p->next_live) {
        p->next_live = elapsed + live_every;
        show_live(p, elapsed, step, time, row);
    }
    if (speaks(p, KN_REPORT_JSON) && elapsed >= p->next_json) {
        p->next_json = elapsed + json_every;
        show_json(p, elapsed, step, time, row);
    }
}

/* ------------------------------------------------------------ closing table */

/* What the closing lines tell: D, G and flow rates, and what passes the walls
 * of a case that has none of them. */
static bool is_headline(const struct kn_monitor *m, const struct kn_column *column)
{
    const bool named = isfinite(m->row.drag) || isfinite(m->row.flow_force) || isfinite(m->row.flow_thermal);
    const size_t last =
        named ? offsetof(struct kn_row, flow_thermal) : offsetof(struct kn_row, mass_flux) - sizeof(double);
    return column->offset >= offsetof(struct kn_row, drag) && column->offset <= last;
}

static void end_json(struct kn_progress *p, const struct kn_summary *s)
{
    struct object o;
    if (!json_begin(p, &o, "end"))
        return;
    json_text(&o, "outcome", s->outcome);
    json_text(&o, "folder", p->options->folder);
    json_number(&o, "step", (double)s->steps);
    json_number(&o, "time", s->time);
    json_number(&o, "wall_s", s->wall_s);
    json_number(&o, "updates_per_s", s->updates_per_s);
    json_number(&o, "residual", s->m->row.residual);
    json_number(&o, "mass_drift", s->m->row.mass_drift);
    for (int i = 0; i < s->m->ncolumns; i++)
        if (is_headline(s->m, &s->m->columns[i])) {
            char name[PART];
            json_number(&o, s->m->columns[i].name, kn_monitor_value(s->m, i));
            snprintf(name, sizeof name, "%s_error", s->m->columns[i].name);
            if (s->m->batches)
                json_number(&o, name, kn_monitor_error(s->m, i));
        }
    if (s->target > 0) {
        json_number(&o, "samples", s->m->c->collision.samples);
        json_number(&o, "error_target", s->target);
        json_number(&o, "error", kn_summary_error(s));
    }
    json_end(p, &o);
}

/* A value with as many digits as its error leaves, two of them uncertain. */
static const char *value_text(char text[PART], double value, double error)
{
    const int usual = 5, most = 12;
    const int digits = error > 0 ? (int)fmin(most, fmax(0, 1 - floor(log10(error)))) : usual;
    if (error > 0) /* what is zero by symmetry has none */
        snprintf(text, PART, "%.*f +- %.*f", digits, value, digits, error);
    else
        snprintf(text, PART, "%.*f", usual, value);
    return text;
}

static void end_value(struct kn_progress *p, const struct kn_monitor *m, int i)
{
    const double value = kn_monitor_value(m, i), error = kn_monitor_error(m, i);
    const char *name = m->columns[i].name;
    const char *lack =
        m->batches && isnan(error) ? ", too short for an error: a later time.end gives one" : "";
    char text[PART];
    value_text(text, value, error);
    if (m->averaged > 1)
        line(p, PLAIN, "  %-18s%s   (mean of %lld rows%s, standard deviation %.1e)", name, text,
             (long long)m->averaged, lack, sqrt(m->square[i] / (double)(m->averaged - 1)));
    else
        line(p, PLAIN, "  %-18s%s%s", name, text, *lack ? "   (a single row, no error)" : "");
}

/* What became of collision.samples: auto. */
static void end_samples(struct kn_progress *p, const struct kn_summary *s)
{
    const double error = kn_summary_error(s);
    char reached[PART] = "not known, the window is too short";
    if (s->target == 0)
        return;
    if (isfinite(error))
        snprintf(reached, sizeof reached, "%.2g, %s", error, error <= s->target ? "held" : "not held");
    line(p, PLAIN, "  samples   %d a step for a relative statistical error of %g: it is %s",
         s->m->c->collision.samples, s->target, reached);
}

static void end_values(struct kn_progress *p, const struct kn_summary *s)
{
    const struct kn_monitor *m = s->m;
    for (int i = 0; i < m->ncolumns; i++)
        if (is_headline(m, &m->columns[i]))
            end_value(p, m, i);
    end_samples(p, s);
    if (isfinite(m->row.residual))
        line(p, PLAIN, "  residual  %.2e", m->row.residual);
    if (isfinite(m->row.mass_drift))
        line(p, PLAIN, "  drift     %.1e of the moved mass", m->row.mass_drift);
}

static void end_phases(struct kn_progress *p, const struct kn_summary *s)
{
    double known = 0;
    for (int i = 0; i < KN_PHASES; i++)
        known += s->phase_s[i];
    double rest = fmax(0, s->wall_s - known), all = fmax(s->wall_s, 1e-9);
    line(p, FAINT, "time by phase");
    for (int i = 0; i < KN_PHASES; i++)
        line(p, PLAIN, "  %-10s%8.2f s %5.1f %%", kn_summary_phase_name((enum kn_phase)i), s->phase_s[i],
             100 * s->phase_s[i] / all);
    line(p, PLAIN, "  %-10s%8.2f s %5.1f %%", "other", rest, 100 * rest / all);
}

static void end_files(struct kn_progress *p)
{
    static const char *const names[] = {"summary.json", "history.csv",     "fields.h5",       "fields.pvd",
                                        "fields",       "checkpoint-a.h5", "checkpoint-b.h5", "run.log"};
    char path[KN_PATH], size[KN_NAME];
    line(p, FAINT, "files in %s", p->options->folder);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct stat what;
        if (kn_files_join(path, p->options->folder, names[i]) != KN_OK || stat(path, &what) != 0)
            continue;
        kn_config_bytes_text((double)what.st_size, size);
        if (S_ISDIR(what.st_mode))
            line(p, PLAIN, "  %s/", names[i]);
        else
            line(p, PLAIN, "  %-16s%s", names[i], size);
    }
}

void kn_progress_end(struct kn_progress *p, const struct kn_summary *s)
{
    char took[PART];
    bool unfinished = strcmp(s->outcome, "interrupted") == 0 || strcmp(s->outcome, "walltime") == 0;
    if (speaks(p, KN_REPORT_TERMINAL)) { /* the live line stays as it stood at the end */
        show_live(p, kn_progress_clock() - p->started, s->steps, s->time, &s->m->row);
        say(p, "\n");
        p->shown = 0;
    }
    line(p, STRONG, "%s: step %lld, t = %.6g, after %s, %.3g updates/s", s->outcome, (long long)s->steps,
         s->time, human_time(took, s->wall_s), s->updates_per_s);
    if (!unfinished && s->m->c->time.residual > 0 && s->m->row.residual > s->m->c->time.residual)
        line(p, STRONG, "not steady yet: the residual is above time.residual %g (%s)", s->m->c->time.residual,
             kn_collision_is_noisy(s->m->c) ? "as noise alone may keep it" : "a later time.end goes on");
    end_values(p, s);
    end_phases(p, s);
    end_files(p);
    if (unfinished)
        line(p, STRONG, "next: the same command with --resume goes on from here");
    else
        line(p, STRONG, "next: knudsen plot %s", p->options->folder);
    end_json(p, s);
}

void kn_progress_fail(struct kn_progress *p, const char *reason)
{
    struct object o;
    if (p->shown > 0)
        wipe(p);
    kn_progress_log(p, "error: %s", reason);
    if (json_begin(p, &o, "end")) {
        json_text(&o, "outcome", "failed");
        json_text(&o, "message", reason);
        json_end(p, &o);
    }
}
