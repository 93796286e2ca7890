/* The messages of a run: box at the start, live line, block at the end, run.log, JSON events. */
#ifndef KN_PROGRESS_H
#define KN_PROGRESS_H

#include "config/units.h"
#include "io/summary.h"
#include "run/eta.h"
#include "sim.h"

#include <stdio.h>

enum { KN_PROGRESS_LINE = 512, KN_PROGRESS_PART = 64 };

/* Work before the first step that may take long. */
enum kn_prepare { KN_PREPARE_OPERATOR, KN_PREPARE_SAMPLES, KN_PREPARATIONS };

/* LOG: only in run.log; NOTE: plain, and also a JSON event; from STRONG on coloured. */
enum kn_progress_style {
    KN_STYLE_LOG,
    KN_STYLE_PLAIN,
    KN_STYLE_NOTE,
    KN_STYLE_STRONG,
    KN_STYLE_GOOD,
    KN_STYLE_WARNING
};

struct kn_progress {
    const struct kn_run_options *options;
    FILE *log;                     /* run.log; it receives the plain form of all messages; NULL: none */
    bool steady;                   /* steps are iterations */
    int64_t last;                  /* step at which the run ends */
    double end;                    /* time at the last step, lambda0 / V0 */
    double second, hertz;          /* factors for displayed times and rates */
    char time_unit[KN_UNITS_TEXT]; /* unit of displayed times; "": lambda0 / V0 */
    double updates_per_step;       /* phase-space cells */
    double started;                /* s, monotonic clock */
    double next, next_log;         /* times of the next message and line of the log, s after the start */
    double row_step;               /* step of the latest row in the estimate */
    struct kn_eta eta;
    bool shown;  /* a live line is on the screen */
    bool colour; /* is allowed */
    bool ended;  /* the last message is written */

    enum kn_prepare preparing;       /* the latest preparation */
    bool announced[KN_PREPARATIONS]; /* preparations with at least one message */
    double part, from;               /* completed part now and when the preparation began, 0 to 1 */
    double since;                    /* clock when it began, s */
};

/* The first call; it writes nothing. */
void kn_progress_begin(struct kn_progress *p, const struct kn_run_options *options);

/* Open folder/run.log, new or to append, and write the date. */
enum kn_status kn_progress_open(struct kn_progress *p);
void kn_progress_close(struct kn_progress *p);

/* Report the completed part of a preparation, 0 to 1; a smaller part than before restarts it. */
void kn_progress_prepare(struct kn_progress *p, enum kn_prepare what, double part);

/* The properties of a run in addition to its case. */
struct kn_progress_job {
    const struct kn_case *c;
    const char *backend;
    const char *device; /* model of the processor with its instruction set, or of the GPU */
    int threads;        /* of the CPU, per rank */
    int ranks;
    const struct kn_box *boxes; /* [ranks] */
    const char *mode;           /* choice of time.mode: auto and its reason; NULL or empty: it was given */
    int cells[3];
    int64_t nodes;       /* stored per cell */
    double needed, free; /* bytes, in the memory that holds the state */
    double host_needed;  /* bytes on the host in addition to those on a device; 0: the state is on the host */
    double time_step;    /* lambda0 / V0 */
    int64_t first, last; /* steps */
    double time;         /* at the first step, lambda0 / V0 */
    double deadline;     /* s on the clock, from run.walltime; infinite: none */
};

/* Write the box; rates and estimates begin here. */
void kn_progress_start(struct kn_progress *p, const struct kn_progress_job *job);

/* Called after every step; most calls only compare times. */
void kn_progress_step(struct kn_progress *p, const struct kn_eta_mark *now, double time,
                      const struct kn_row *row);

/* One line in place of the live line, and the same without colour for the log. */
void kn_progress_line(struct kn_progress *p, enum kn_progress_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The last message: results, or the reason for the lack of them ("failed", "interrupted"). */
void kn_progress_end(struct kn_progress *p, const struct kn_summary *s);
void kn_progress_fail(struct kn_progress *p, const char *outcome, const char *reason);

bool kn_progress_speaks(const struct kn_progress *p, enum kn_report report);
void kn_progress_say(const struct kn_progress *p, const char *text);

/* "1:40 min"; 3.21e8 with the unit "B/s" as "321 MB/s". */
const char *kn_progress_duration(char text[KN_PROGRESS_PART], double seconds);
const char *kn_progress_scaled(char text[KN_PROGRESS_PART], double value, const char *unit);

/* The live line: the most important values come first, those beyond `width` are omitted. */
void kn_progress_compose(const struct kn_progress *p, const struct kn_eta_mark *now, double time,
                         const struct kn_row *row, int width, char text[KN_PROGRESS_LINE]);

/* progress_report.c: the box and the block at the end. */
void kn_progress_box(struct kn_progress *p, const struct kn_progress_job *job);
void kn_progress_results(struct kn_progress *p, const struct kn_summary *s);

/* progress_json.c: events as docs/format.md describes them, where JSON is requested. */
void kn_progress_json_prepare(struct kn_progress *p, const char *event, double part, double left);
void kn_progress_json_start(struct kn_progress *p, const struct kn_progress_job *job);
void kn_progress_json_step(struct kn_progress *p, const struct kn_eta_mark *now, double time,
                           const struct kn_row *row);
void kn_progress_json_note(struct kn_progress *p, const char *what);
void kn_progress_json_end(struct kn_progress *p, const struct kn_summary *s);
void kn_progress_json_fail(struct kn_progress *p, const char *outcome, const char *reason);

#endif
