/* Output of messages, run.log, preparations and the live line. */
#include "run/progress.h"

#include "config/case.h"
#include "config/config.h"
#include "config/scales.h"
#include "error.h"
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { LINE = KN_PROGRESS_LINE, PART = KN_PROGRESS_PART };
enum { USUAL = 30, EARLY = 8 }; /* iterations of a steady state; without a reliable extrapolation */

static const double LIVE_EVERY = 0.2, JSON_EVERY = 1, PLAIN_EVERY = 30; /* s */

bool kn_progress_speaks(const struct kn_progress *p, enum kn_report report)
{
    return p->options->say && p->options->report == report;
}

void kn_progress_say(const struct kn_progress *p, const char *text)
{
    p->options->say(p->options->to, text);
}

/* Columns that can be used: at the last one some terminals continue on the next line. */
static int terminal_width(void)
{
    struct winsize size;
    if ((ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) &&
        size.ws_col > 0)
        return size.ws_col < LINE ? size.ws_col - 1 : LINE - 1;
    return 79;
}

/* The cursor stays at the beginning of the line: when the window becomes narrower and the terminal folds the
 * line, the next one still overwrites all of it. */
static void draw(struct kn_progress *p, const char *text)
{
    char out[LINE + 16];
    snprintf(out, sizeof out, "\r%.*s\033[J\r", terminal_width(), text);
    kn_progress_say(p, out);
    p->shown = true;
}

static void erase(struct kn_progress *p)
{
    if (p->shown)
        kn_progress_say(p, "\r\033[J");
    p->shown = false;
}

void kn_progress_line(struct kn_progress *p, enum kn_progress_style style, const char *format, ...)
{
    static const char *const codes[] = {
        [KN_STYLE_STRONG] = "\033[1m", [KN_STYLE_GOOD] = "\033[1;32m", [KN_STYLE_WARNING] = "\033[1;33m"};
    char text[KN_PATH + LINE], out[KN_PATH + LINE + 16];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (p->log)
        fprintf(p->log, "%s\n", text);
    if (style == KN_STYLE_NOTE)
        kn_progress_json_note(p, text);
    if (style == KN_STYLE_LOG ||
        (!kn_progress_speaks(p, KN_REPORT_TERMINAL) && !kn_progress_speaks(p, KN_REPORT_PLAIN)))
        return;
    erase(p);
    const bool coloured = p->colour && style >= KN_STYLE_STRONG;
    snprintf(out, sizeof out, "%s%s%s\n", coloured ? codes[style] : "", text, coloured ? "\033[0m" : "");
    kn_progress_say(p, out);
}

static void log_date(struct kn_progress *p, const char *what)
{
    char date[PART];
    struct tm parts;
    time_t now = time(NULL);
    if (p->log && gmtime_r(&now, &parts) && strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts))
        fprintf(p->log, "%s %s, knudsen %s\n", date, what, KN_VERSION);
}

void kn_progress_begin(struct kn_progress *p, const struct kn_run_options *options)
{
    const char *no_colour = getenv("NO_COLOR");
    *p = (struct kn_progress){.options = options, .started = omp_get_wtime()};
    p->colour = options->report == KN_REPORT_TERMINAL && !(no_colour && *no_colour);
}

enum kn_status kn_progress_open(struct kn_progress *p)
{
    char path[KN_PATH];
    KN_TRY(kn_files_join(path, p->options->folder, "run.log"));
    const int flags = p->options->resume ? O_CREAT : O_CREAT | O_EXCL; /* an earlier one was removed */
    const int fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | flags, 0666);
    p->log = fd < 0 ? NULL : fdopen(fd, "a");
    if (!p->log) {
        const enum kn_status failed = kn_error_set(KN_EIO, "cannot write '%s': %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return failed;
    }
    setvbuf(p->log, NULL, _IOLBF, 0);
    log_date(p, p->options->resume ? "resume" : "start");
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

const char *kn_progress_duration(char text[PART], double s)
{
    const double seconds = round(s), minutes = floor(seconds / 60);
    if (!isfinite(s) || s > 1e8)
        snprintf(text, PART, "-");
    else if (seconds < 60)
        snprintf(text, PART, "%.*f s", s < 9.95 ? 1 : 0, s);
    else if (seconds < 3600)
        snprintf(text, PART, "%d:%02d min", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(text, PART, "%d:%02d h", (int)minutes / 60, (int)minutes % 60);
    return text;
}

const char *kn_progress_scaled(char text[PART], double value, const char *unit)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    int i = 0;
    for (; value >= 999.5 && i < 5; i++)
        value /= 1000;
    snprintf(text, PART, "%.*f %s%s", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, prefix[i], unit);
    return text;
}

/* Plain lines are written at 1, 2, 4, 8, 16 s and then every half minute. */
static double next_plain_time(double next, double elapsed)
{
    while (next <= elapsed)
        next = next < 16 ? 2 * next : PLAIN_EVERY * (floor(next / PLAIN_EVERY) + 1);
    return next;
}

/* The time of the first message, and of the next after one, s after the start. */
static double first_time(const struct kn_progress *p, double plain)
{
    if (!p->options->say || p->options->report == KN_REPORT_QUIET)
        return INFINITY;
    return p->options->report == KN_REPORT_PLAIN ? plain : 0;
}

static double next_time(const struct kn_progress *p, double elapsed)
{
    if (p->options->report == KN_REPORT_PLAIN)
        return next_plain_time(p->next, elapsed);
    return elapsed + (p->options->report == KN_REPORT_JSON ? JSON_EVERY : LIVE_EVERY);
}

static const struct preparation {
    const char *event, *text, *why;
} preparations[] = {
    [KN_PREPARE_OPERATOR] = {"assembly", "assembling the collision operator", "once for this grid and gas"},
    [KN_PREPARE_SAMPLES] = {"pilot", "choosing collision.samples", "by runs on a coarse grid"},
};

static void restart_preparation(struct kn_progress *p, enum kn_prepare what, double part, double now)
{
    p->preparing = what;
    p->from = part;
    p->since = now;
    p->next = first_time(p, 2);
    if (!p->announced[what] && kn_progress_speaks(p, KN_REPORT_PLAIN))
        kn_progress_line(p, KN_STYLE_PLAIN, "%s, %s", preparations[what].text, preparations[what].why);
    p->announced[what] = true;
}

/* Only progress since the restart is extrapolated: a pilot that is continued begins half-way. */
void kn_progress_prepare(struct kn_progress *p, enum kn_prepare what, double part)
{
    const struct preparation *k = &preparations[what];
    const double now = omp_get_wtime();
    const bool plain = kn_progress_speaks(p, KN_REPORT_PLAIN);
    if (!p->announced[what] || p->preparing != what || part < p->part)
        restart_preparation(p, what, part, now);
    p->part = part;
    const double elapsed = now - p->since,
                 left = part > p->from ? elapsed * (1 - part) / (part - p->from) : INFINITY;
    if (elapsed < p->next && (plain || isinf(p->next) || part < 1 - 1e-9))
        return;
    p->next = next_time(p, elapsed);
    char duration[PART], text[LINE];
    snprintf(text, sizeof text, "%s  %3.0f %%  ETA %s", k->text, floor(100 * part),
             kn_progress_duration(duration, left));
    if (plain)
        kn_progress_line(p, KN_STYLE_PLAIN, "%s", text);
    else if (kn_progress_speaks(p, KN_REPORT_TERMINAL))
        draw(p, text);
    kn_progress_json_prepare(p, k->event, part, left);
}

/* Append a value if there is space for it. */
static void append(char *text, int width, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *text, int width, const char *format, ...)
{
    char value[2 * PART];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    const size_t used = strlen(text);
    if (used + 2 + strlen(value) <= (size_t)width)
        snprintf(text + used, LINE - used, "  %s", value);
}

/* The largest stress or heat flux at a wall. */
static void append_largest(const struct kn_row *row, int width, char *text)
{
    double largest = 0;
    int at = 0, axis = 0;
    for (int side = 0; side < KN_SIDES; side++)
        for (int d = 0; d < 4; d++) {
            const double value = d < 3 ? row->stress[side][d] : row->heat_flux[side];
            if (isfinite(value) && fabs(value) > fabs(largest)) {
                largest = value;
                at = side;
                axis = d;
            }
        }
    if (largest != 0)
        append(text, width, "%s.%s%.*s %#.6g", kn_case_side_name((enum kn_side)at),
               axis < 3 ? "stress_" : "heat_flux", axis < 3, &"xyz"[axis % 3], largest);
}

/* The most important results. */
static void append_quantities(const struct kn_row *row, int width, char *text)
{
    if (isfinite(row->drag))
        append(text, width, "D %#.6g G %#.6g", row->drag, row->vortex_flow);
    else if (isfinite(row->flow_force))
        append(text, width, "G_P %#.6g", row->flow_force);
    else if (isfinite(row->flow_thermal))
        append(text, width, "G_T %#.6g", row->flow_thermal);
    else if (isfinite(row->update)) /* of iterations */
        append_largest(row, width, text);
}

void kn_progress_compose(const struct kn_progress *p, const struct kn_eta_mark *now, double time,
                         const struct kn_row *row, int width, char text[LINE])
{
    const struct kn_eta_left left = kn_eta_left(&p->eta, now);
    const double end = (double)now->step + left.steps, updates = kn_eta_rate(&p->eta) * p->updates_per_step;
    char number[PART];
    text[0] = '\0';
    append(text, width, "%2d %%", p->ended ? 100 : (int)fmin(100 * (double)now->step / fmax(end, 1), 99));
    append(text, width, "%s %lld/%lld", p->steady ? "iteration" : "step", (long long)now->step,
           (long long)p->last);
    if (!p->ended)
        append(text, width, "ETA %-8s", kn_progress_duration(number, left.seconds));
    if (p->steady) {
        append(text, width, "res %.2e  upd %.2e", row->equation_residual, row->update);
        append_quantities(row, width, text);
    } else
        append(text, width, "t %#.4g%s%s", p->second * time, *p->time_unit ? " " : "", p->time_unit);
    if (isfinite(row->residual))
        append(text, width, "res %.2e", p->hertz * row->residual);
    if (updates > 0)
        append(text, width, "%s", kn_progress_scaled(number, updates, "upd/s"));
    if (isfinite(row->mass_drift))
        append(text, width, "drift %.1e", row->mass_drift);
    if (!p->steady)
        append_quantities(row, width, text);
}

static void draw_live(struct kn_progress *p, const struct kn_eta_mark *now, double time,
                      const struct kn_row *row)
{
    char text[LINE];
    kn_progress_compose(p, now, time, row, terminal_width(), text);
    draw(p, text);
}

void kn_progress_start(struct kn_progress *p, const struct kn_progress_job *job)
{
    const struct kn_case *c = job->c;
    struct kn_scales scales;
    p->last = job->last;
    p->steady = kn_case_iterates(c);
    p->end = job->time + (double)(job->last - job->first) * job->time_step;
    p->second = p->hertz = 1;
    p->time_unit[0] = '\0';
    if (kn_scales_create(&scales, c) == KN_OK && scales.known) { /* the unit suits the end of the run */
        p->second = scales.time * kn_units_scale(KN_DIMENSION_TIME, scales.time * p->end, p->time_unit);
        p->hertz = 1 / scales.time;
    }
    p->updates_per_step =
        (double)job->cells[0] * (double)job->cells[1] * (double)job->cells[2] * (double)job->nodes;
    kn_progress_box(p, job);
    kn_progress_json_start(p, job);
    p->started = omp_get_wtime();
    p->next = first_time(p, 1);
    p->next_log = 1;
    p->row_step = -1;
    const struct kn_eta_mark now = {p->started, 0, job->first};
    /* noise keeps the residual high: a sampled run is expected to reach its last step */
    const double limit = p->steady                                 ? kn_config_iteration_tolerance(c)
                         : kn_case_is_sampled(c->collision.method) ? 0
                                                                   : c->time.residual;
    kn_eta_start(&p->eta, &now, job->last, limit, job->deadline);
}

void kn_progress_step(struct kn_progress *p, const struct kn_eta_mark *now, double time,
                      const struct kn_row *row)
{
    const double elapsed = now->clock - p->started;
    kn_eta_step(&p->eta, now);
    if (row->step > p->row_step) {
        p->row_step = row->step;
        kn_eta_row(&p->eta, (int64_t)row->step,
                   p->steady ? fmax(row->equation_residual, row->update) : row->residual);
        if (p->steady) /* the first rows do not show the rate of convergence */
            kn_eta_expect(&p->eta, row->step < EARLY ? USUAL : NAN);
    }
    if (elapsed < p->next && elapsed < p->next_log)
        return;
    char text[LINE];
    const bool plain = kn_progress_speaks(p, KN_REPORT_PLAIN);
    kn_progress_compose(p, now, time, row, LINE - 1, text);
    if (elapsed >= p->next_log) {
        p->next_log = next_plain_time(p->next_log, elapsed);
        if (!plain)
            kn_progress_line(p, KN_STYLE_LOG, "%s", text);
    }
    if (elapsed < p->next)
        return;
    p->next = next_time(p, elapsed);
    if (plain)
        kn_progress_line(p, KN_STYLE_PLAIN, "%s", text);
    else if (kn_progress_speaks(p, KN_REPORT_TERMINAL))
        draw_live(p, now, time, row);
    kn_progress_json_step(p, now, time, row);
}

void kn_progress_end(struct kn_progress *p, const struct kn_summary *s)
{
    p->ended = true;
    if (kn_progress_speaks(p, KN_REPORT_TERMINAL)) { /* the final live line remains on the screen */
        const struct kn_eta_mark now = {omp_get_wtime(), s->phase_s[KN_PHASE_OUTPUT], s->steps};
        draw_live(p, &now, s->time, &s->m->row);
        kn_progress_say(p, "\n");
        p->shown = false;
    }
    kn_progress_results(p, s);
    kn_progress_json_end(p, s);
}

void kn_progress_fail(struct kn_progress *p, const char *outcome, const char *reason)
{
    if (p->ended)
        return;
    p->ended = true;
    erase(p);
    kn_progress_line(p, KN_STYLE_LOG, "error: %s", reason);
    kn_progress_json_fail(p, outcome, reason);
}
