#include "run/progress_parts.h"

#include "collision/collision.h"
#include "error.h"
#include "files.h"
#include "config/scales.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE = KN_PROGRESS_LINE, PART = KN_PROGRESS_PART };

static const double LIVE_EVERY = 0.2, JSON_EVERY = 1, PLAIN_EVERY = 30; /* s */

double kn_progress_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------ ways out */

bool kn_progress_speaks(const struct kn_progress *p, enum kn_report report)
{
    return p->options->say && p->options->report == report;
}

void kn_progress_say(const struct kn_progress *p, const char *text)
{
    p->options->say(p->options->to, text);
}

static const char *style_begin(enum kn_progress_style style)
{
    static const char *const codes[] = {[KN_STYLE_PLAIN] = "",
                                        [KN_STYLE_STRONG] = "\033[1m",
                                        [KN_STYLE_FAINT] = "\033[2m",
                                        [KN_STYLE_GOOD] = "\033[1;32m",
                                        [KN_STYLE_WARNING] = "\033[1;33m"};
    return codes[style];
}

void kn_progress_line(struct kn_progress *p, enum kn_progress_style style, const char *format, ...)
{
    char text[KN_PATH + LINE], out[KN_PATH + LINE + 16];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (p->log)
        fprintf(p->log, "%s\n", text);
    if (!kn_progress_speaks(p, KN_REPORT_TERMINAL) && !kn_progress_speaks(p, KN_REPORT_PLAIN))
        return;
    kn_progress_wipe(p);
    const bool coloured = p->colour && style != KN_STYLE_PLAIN;
    snprintf(out, sizeof out, "%s%s%s\n", coloured ? style_begin(style) : "", text,
             coloured ? "\033[0m" : "");
    kn_progress_say(p, out);
}

void kn_progress_note(struct kn_progress *p, const char *format, ...)
{
    char text[KN_PATH + LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    kn_progress_line(p, KN_STYLE_PLAIN, "%s", text);
    kn_progress_json_note(p, text);
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

/* ----------------------------------------------------------------- run.log */

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
    *p = (struct kn_progress){.options = options, .started = kn_progress_clock()};
    p->colour = options->report == KN_REPORT_TERMINAL && !(no_colour && *no_colour);
}

enum kn_status kn_progress_open(struct kn_progress *p)
{
    char path[KN_PATH];
    enum kn_status status = kn_files_join(path, p->options->folder, "run.log");
    if (status != KN_OK)
        return status;
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

/* ------------------------------------------------------------ preparations */

/* Plain lines come at 1, 2, 4, 8, 16 s and then every half minute. */
static double next_plain_time(double next, double elapsed)
{
    while (next <= elapsed)
        next = next < 16 ? 2 * next : PLAIN_EVERY * (floor(next / PLAIN_EVERY) + 1);
    return next;
}

static const struct preparation {
    const char *event, *text, *why;
} preparations[KN_PREPARATIONS] = {
    [KN_PREPARE_OPERATOR] = {"assembly", "assembling the collision operator", "once for this grid and gas"},
    [KN_PREPARE_SAMPLES] = {"pilot", "choosing collision.samples", "by runs on a coarse grid"},
};

static void restart_preparation(struct kn_progress *p, enum kn_prepare what, double part, double now)
{
    const struct preparation *k = &preparations[what];
    p->preparing = what;
    p->from = part;
    p->since = now;
    p->next_live = p->next_json = 0;
    p->next_plain = 2;
    if (!p->announced[what] && kn_progress_speaks(p, KN_REPORT_PLAIN))
        kn_progress_line(p, KN_STYLE_PLAIN, "%s, %s", k->text, k->why);
    p->announced[what] = true;
}

/* What is new since the last call is extrapolated: pilots begin anew, and half-way when they go on. */
void kn_progress_prepare(struct kn_progress *p, enum kn_prepare what, double part)
{
    const struct preparation *k = &preparations[what];
    const double now = kn_progress_clock();
    if (!p->announced[what] || p->preparing != what || part < p->part)
        restart_preparation(p, what, part, now);
    p->part = part;
    const bool whole = part > 1 - 1e-9;
    const size_t longest = strlen("  ,   100 %  ETA 00:00 min");
    const double elapsed = now - p->since,
                 left = part > p->from ? elapsed * (1 - part) / (part - p->from) : INFINITY;
    char duration[PART], tail[2 * PART];
    snprintf(tail, sizeof tail, "%3.0f %%  ETA %s", floor(100 * part), kn_progress_duration(duration, left));
    if (kn_progress_speaks(p, KN_REPORT_TERMINAL) && (elapsed >= p->next_live || whole)) {
        char text[LINE];
        p->next_live = elapsed + LIVE_EVERY;
        const bool wide = strlen(k->text) + strlen(k->why) + longest <= (size_t)kn_progress_width();
        snprintf(text, sizeof text, "  %s%s%s  %s", k->text, wide ? ", " : "", wide ? k->why : "", tail);
        kn_progress_draw(p, text);
    }
    if (kn_progress_speaks(p, KN_REPORT_PLAIN) && elapsed >= p->next_plain) {
        p->next_plain = next_plain_time(p->next_plain, elapsed);
        kn_progress_line(p, KN_STYLE_PLAIN, "%s  %s", k->text, tail);
    }
    if (elapsed >= p->next_json || whole) {
        p->next_json = elapsed + JSON_EVERY;
        kn_progress_json_prepare(p, k->event, part, left);
    }
}

/* ----------------------------------------------------------------- the run */

/* Times of a case in SI are shown in the unit that suits its end. */
static void choose_units(struct kn_progress *p, const struct kn_case *c)
{
    struct kn_scales scales;
    p->second = p->hertz = 1;
    p->time_unit[0] = '\0';
    if (kn_scales_create(&scales, c) != KN_OK || !scales.known)
        return;
    p->second = scales.time * kn_units_scale(KN_DIMENSION_TIME, scales.time * p->end, p->time_unit);
    p->hertz = 1 / scales.time;
}

void kn_progress_start(struct kn_progress *p, const struct kn_progress_job *job)
{
    const struct kn_case *c = job->c;
    p->first = job->first;
    p->last = job->last;
    p->end = job->time + (double)(job->last - job->first) * job->time_step;
    choose_units(p, c);
    p->updates_per_step =
        (double)job->cells[0] * (double)job->cells[1] * (double)job->cells[2] * (double)job->nodes;
    kn_progress_box(p, job);
    kn_progress_json_start(p, job);
    p->started = kn_progress_clock();
    p->next_live = p->next_json = 0;
    p->next_plain = 1;
    p->row_step = -1;
    const struct kn_eta_mark now = {p->started, 0, job->first};
    /* noise keeps the residual up: a sampled run is expected to reach its last step */
    kn_eta_start(&p->eta, &now, job->last, kn_collision_is_noisy(c) ? 0 : c->time.residual, job->deadline);
}

void kn_progress_expect(struct kn_progress *p, double step)
{
    kn_eta_expect(&p->eta, step);
}

static struct kn_progress_state state_at(const struct kn_progress *p, const struct kn_eta_mark *now,
                                         double time, const struct kn_row *row)
{
    return (struct kn_progress_state){.step = now->step,
                                      .time = time,
                                      .elapsed = now->clock - p->started,
                                      .steps_per_s = kn_eta_rate(&p->eta),
                                      .left = kn_eta_left(&p->eta, now),
                                      .row = row};
}

static void show_plain(struct kn_progress *p, const struct kn_progress_state *s)
{
    char text[LINE];
    kn_progress_compose(p, s, LINE - 1, false, text);
    if (kn_progress_speaks(p, KN_REPORT_PLAIN))
        kn_progress_line(p, KN_STYLE_PLAIN, "%s", text);
    else
        kn_progress_log(p, "%s", text);
}

static void show_live(struct kn_progress *p, const struct kn_progress_state *s)
{
    char text[LINE];
    kn_progress_compose(p, s, kn_progress_width(), true, text);
    kn_progress_draw(p, text);
}

void kn_progress_step(struct kn_progress *p, const struct kn_eta_mark *now, double time,
                      const struct kn_row *row)
{
    const double elapsed = now->clock - p->started;
    kn_eta_step(&p->eta, now);
    if (row->step > p->row_step) {
        p->row_step = row->step;
        kn_eta_row(&p->eta, (int64_t)row->step, row->residual);
    }
    const bool plain = elapsed >= p->next_plain,
               live = kn_progress_speaks(p, KN_REPORT_TERMINAL) && elapsed >= p->next_live,
               json = kn_progress_speaks(p, KN_REPORT_JSON) && elapsed >= p->next_json;
    if (!plain && !live && !json)
        return;
    const struct kn_progress_state s = state_at(p, now, time, row);
    if (plain) {
        p->next_plain = next_plain_time(p->next_plain, elapsed);
        show_plain(p, &s);
    }
    if (live) {
        p->next_live = elapsed + LIVE_EVERY;
        show_live(p, &s);
    }
    if (json) {
        p->next_json = elapsed + JSON_EVERY;
        kn_progress_json_step(p, &s);
    }
}

void kn_progress_end(struct kn_progress *p, const struct kn_summary *s)
{
    p->ended = true;
    if (kn_progress_speaks(p, KN_REPORT_TERMINAL)) { /* the live line stays as it stood at the end */
        const struct kn_eta_mark now = {kn_progress_clock(), s->phase_s[KN_PHASE_OUTPUT], s->steps};
        const struct kn_progress_state state = state_at(p, &now, s->time, &s->m->row);
        show_live(p, &state);
        kn_progress_say(p, "\n");
        p->shown = false;
    }
    kn_progress_table(p, s);
    kn_progress_json_end(p, s);
}

void kn_progress_fail(struct kn_progress *p, const char *outcome, const char *reason)
{
    if (p->ended)
        return;
    p->ended = true;
    kn_progress_wipe(p);
    kn_progress_log(p, "error: %s", reason);
    kn_progress_json_fail(p, outcome, reason);
}
