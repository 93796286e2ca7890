/* What the files of the report share; progress.h is for others. */
#ifndef KN_PROGRESS_PARTS_H
#define KN_PROGRESS_PARTS_H

#include "run/progress.h"

enum { KN_PROGRESS_LINE = 512, KN_PROGRESS_PART = 64 };

enum kn_progress_style { KN_STYLE_PLAIN, KN_STYLE_STRONG, KN_STYLE_FAINT, KN_STYLE_GOOD, KN_STYLE_WARNING };

/* ------------------------------------------------ ways out (progress.c) */

bool kn_progress_speaks(const struct kn_progress *p, enum kn_report report);
void kn_progress_say(const struct kn_progress *p, const char *text);

/* One line for people, in place of the live line, and the same without colour for the log. */
void kn_progress_line(struct kn_progress *p, enum kn_progress_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ------------------------------------------- the live line (progress_live.c) */

/* Where the run stands, for all that tell of it. */
struct kn_progress_state {
    int64_t step;
    double time;        /* lambda0 / V0 */
    double elapsed;     /* s */
    double steps_per_s; /* lately; 0 while unknown */
    struct kn_eta_left left;
    const struct kn_row *row;
};

/* Seconds as people say them, and 3.21e8 as "321 M" before a unit. */
const char *kn_progress_duration(char text[KN_PROGRESS_PART], double seconds);
const char *kn_progress_scaled(char text[KN_PROGRESS_PART], double value, const char *unit);

/* As much as fits into the width, what matters least left out; a bar only where it is `live`. */
void kn_progress_compose(const struct kn_progress *p, const struct kn_progress_state *s, int width, bool live,
                         char text[KN_PROGRESS_LINE]);

/* Put a text, cut to the screen, in place of the live line; take the line away. */
void kn_progress_draw(struct kn_progress *p, const char *text);
void kn_progress_wipe(struct kn_progress *p);
int kn_progress_width(void);

/* ------------------------------------------ the box and the closing table */

void kn_progress_box(struct kn_progress *p, const struct kn_progress_job *job);
void kn_progress_table(struct kn_progress *p, const struct kn_summary *s);

/* D, G, flow rates, or what passes the walls of a case that has none of them. */
bool kn_progress_is_headline(const struct kn_monitor *m, const struct kn_column *column);

/* Files that a run may leave, in the order in which they are listed; ends with NULL. */
extern const char *const kn_progress_files[];

/* ---------------------------------------- events (progress_json.c), docs/format.md */

/* Each does nothing unless JSON is asked for. */
void kn_progress_json_prepare(struct kn_progress *p, const char *event, double part, double left);
void kn_progress_json_start(struct kn_progress *p, const struct kn_progress_job *job);
void kn_progress_json_step(struct kn_progress *p, const struct kn_progress_state *s);
void kn_progress_json_note(struct kn_progress *p, const char *what);
void kn_progress_json_end(struct kn_progress *p, const struct kn_summary *s);
void kn_progress_json_fail(struct kn_progress *p, const char *outcome, const char *reason);

#endif
