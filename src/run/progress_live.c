/* The one line that is redrawn while a run goes on; in a log, one of many. */
#include "run/progress_parts.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE = KN_PROGRESS_LINE, PART = KN_PROGRESS_PART, PARTS = 10, BAR = 12, MARGIN = 2, WANTED = 8 };

/* ---------------------------------------------------------------- numbers */

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

static int digits_of(double value)
{
    return value >= 10 ? (int)floor(log10(value)) + 1 : 1;
}

/* ------------------------------------------------------------ the text of it */

/* A piece of the line; the smaller its rank, the later it is left out. */
struct piece {
    int rank;
    char text[2 * PART];
};

struct pieces {
    int n;
    struct piece piece[PARTS];
};

static void add(struct pieces *all, int rank, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(struct pieces *all, int rank, const char *format, ...)
{
    struct piece *to = &all->piece[all->n++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to->text, sizeof to->text, format, arguments);
    va_end(arguments);
    to->rank = rank;
}

static void add_bar(struct pieces *all, int rank, double part)
{
    char bar[BAR + 1] = "";
    const int done = (int)(part * BAR);
    for (int i = 0; i < BAR; i++)
        strcat(bar, i < done ? "=" : i == done ? ">" : " ");
    add(all, rank, "[%s]", bar);
}

/* In the order in which they are shown; of fixed width, so that nothing moves while numbers change. */
static void gather(const struct kn_progress *p, const struct kn_progress_state *s, bool live, bool brief,
                   struct pieces *all)
{
    const struct kn_row *row = s->row;
    const double end = p->ended ? (double)s->step : (double)s->step + s->left.steps,
                 part = end > 0 ? (double)s->step / end : 1, updates = s->steps_per_s * p->updates_per_step,
                 bytes = 2 * sizeof(float) * updates; /* one read and one write of the state a step */
    const int step_width = digits_of((double)p->last), whole = digits_of(p->second * p->end),
              decimals = whole < 4 ? 4 - whole : 0;
    char text[PART];
    all->n = 0;
    if (live)
        add_bar(all, 9, part);
    add(all, 1, "%2d %%", p->ended ? 100 : (int)fmin(100 * part, 99));
    add(all, 2, "%s%*lld/%lld", brief ? "" : "step ", step_width, (long long)s->step, (long long)p->last);
    add(all, 4, "t %*.*f%s%s", whole + (decimals > 0) + decimals, decimals, p->second * s->time,
        *p->time_unit ? " " : "", p->time_unit);
    if (isfinite(row->residual))
        add(all, 5, "res %.*e", brief ? 1 : 2, p->hertz * row->residual);
    if (isfinite(row->drag))
        add(all, 10, "D %#.6g G %#.6g", row->drag, row->vortex_flow);
    if (isfinite(row->mass_drift))
        add(all, 8, "drift %8.1e", row->mass_drift);
    if (updates > 0) {
        add(all, 6, "%10s", kn_progress_scaled(text, updates, "upd/s"));
        add(all, 7, "%9s", kn_progress_scaled(text, bytes, "B/s"));
    }
    if (!p->ended)
        add(all, 3, live ? "ETA %-8s" : "ETA %s", kn_progress_duration(text, s->left.seconds));
}

/* Of the pieces up to a rank. */
static int length_of(const struct pieces *all, int rank)
{
    int length = 0;
    for (int i = 0; i < all->n; i++)
        if (all->piece[i].rank <= rank)
            length += (length ? MARGIN : 1) + (int)strlen(all->piece[i].text);
    return length;
}

void kn_progress_compose(const struct kn_progress *p, const struct kn_progress_state *s, int width, bool live,
                         char text[LINE])
{
    struct pieces all;
    bool taken[PARTS] = {false};
    int used = 0;
    gather(p, s, live, false, &all);
    if (length_of(&all, WANTED) > width)
        gather(p, s, live, true, &all);
    for (int rank = 1; rank <= PARTS; rank++)
        for (int i = 0; i < all.n; i++) {
            const int length = (used ? MARGIN : 1) + (int)strlen(all.piece[i].text);
            if (all.piece[i].rank == rank && used + length <= width) {
                taken[i] = true;
                used += length;
            }
        }
    text[0] = '\0';
    for (int i = 0, at = 0; i < all.n; i++)
        if (taken[i])
            at += snprintf(text + at, LINE - (size_t)at, "%*s%s", at ? MARGIN : 1, "", all.piece[i].text);
}

/* ------------------------------------------------------------- on the screen */

/* Columns that may be used: in the last one some terminals would go to the next line. */
int kn_progress_width(void)
{
    struct winsize size;
    if ((ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) &&
        size.ws_col > 0)
        return size.ws_col < LINE ? size.ws_col - 1 : LINE - 1;
    return 79;
}

/* The cursor rests on the blank at the beginning of the line.  When the window becomes narrower the terminal
 * folds the line, the cursor stays where the line begins, and the next one covers all of it. */
void kn_progress_draw(struct kn_progress *p, const char *text)
{
    char out[LINE + 16];
    snprintf(out, sizeof out, "\r%.*s\033[J\r", kn_progress_width(), text);
    kn_progress_say(p, out);
    p->shown = true;
}

void kn_progress_wipe(struct kn_progress *p)
{
    if (p->shown)
        kn_progress_say(p, "\r\033[J");
    p->shown = false;
}
