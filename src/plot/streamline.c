#include "plot/streamline.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 10,    /* of a line over the distance to its neighbour */
    LONGEST = 4000 /* steps of a line each way */
};
#define END_AT    0.4  /* of `apart`: a line ends so near to another, */
#define COIL_AT   0.3  /* or to itself, once it has gone some way */
#define CLOSE_AT  0.15 /* a line that returns so near to its start is closed */
#define EDGE_AT   0.25 /* or so near to the edge of the grid, along which it runs */
#define SHORTEST  6    /* of `apart`: length of a line that is kept */
#define RING      2.5  /* rings may be smaller */
#define FROM_EDGE 0.5  /* of `apart`: lines do not begin nearer to the edge, which they would follow */

/* Points of all lines, also in bins of side `apart`, so that neighbours are found in nine of them. */
struct tracer {
    const struct kn_plane *velocity;
    double apart, slow, step;
    double low[2], high[2];
    int bins[2];
    int *bin;           /* [bins[1]][bins[0]] the last point in it, -1: none */
    int *before;        /* [capacity] the point before in the same bin */
    double (*point)[2]; /* [capacity] */
    int points, capacity;
    int *first; /* [most + 1] */
    int lines, most;
    double (*way[2])[2]; /* [LONGEST + 1] of the line that grows: along the flow, and against it */
    int length[2];       /* points in it */
};

static bool is_inside(const struct tracer *t, const double at[2])
{
    return at[0] >= t->low[0] && at[0] <= t->high[0] && at[1] >= t->low[1] && at[1] <= t->high[1];
}

/* Unit vector along the flow; false where it rests or the grid ends. */
static bool direction(const struct tracer *t, const double at[2], double along[2])
{
    if (!is_inside(t, at))
        return false;
    kn_plane_sample(t->velocity, at, along);
    const double speed = hypot(along[0], along[1]);
    if (!(speed > t->slow))
        return false;
    along[0] /= speed;
    along[1] /= speed;
    return true;
}

static int bin_of(const struct tracer *t, int axis, double at)
{
    const int bin = (int)floor((at - t->low[axis]) / t->apart);
    return bin < 0 ? 0 : bin < t->bins[axis] ? bin : t->bins[axis] - 1;
}

/* Is a point of a finished line nearer than this (which is `apart` at most)? */
static bool is_near(const struct tracer *t, const double at[2], double distance)
{
    const int i = bin_of(t, 0, at[0]), j = bin_of(t, 1, at[1]);
    for (int y = j > 0 ? j - 1 : 0; y <= j + 1 && y < t->bins[1]; y++)
        for (int x = i > 0 ? i - 1 : 0; x <= i + 1 && x < t->bins[0]; x++)
            for (int p = t->bin[y * t->bins[0] + x]; p >= 0; p = t->before[p])
                if (hypot(t->point[p][0] - at[0], t->point[p][1] - at[1]) < distance)
                    return true;
    return false;
}

/* Does the line that grows wind round itself?  Near its start it may be about to close. */
static bool is_coiled(const struct tracer *t, int way, const double at[2])
{
    const int gone = t->length[way], apart = 3 * STEPS;
    for (int w = 0; w < 2; w++) {
        const int begin = w == way ? STEPS / 2 : apart - gone > 0 ? apart - gone : 0;
        const int end = w == way ? gone - apart : t->length[w];
        for (int i = begin; i < end; i++)
            if (hypot(t->way[w][i][0] - at[0], t->way[w][i][1] - at[1]) < COIL_AT * t->apart)
                return true;
    }
    return false;
}

/* One step of the classical Runge-Kutta method. */
static bool step_along(const struct tracer *t, double at[2], double step)
{
    static const double reach[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    double along[2] = {0, 0}, sum[2] = {0, 0};
    for (int stage = 0; stage < 4; stage++) {
        const double place[2] = {at[0] + reach[stage] * step * along[0],
                                 at[1] + reach[stage] * step * along[1]};
        if (!direction(t, place, along))
            return false;
        for (int k = 0; k < 2; k++)
            sum[k] += weight[stage] * along[k];
    }
    for (int k = 0; k < 2; k++)
        at[k] += step * sum[k];
    return is_inside(t, at);
}

/* The way back to the start is missed by a little: each point takes its share. */
static void close_line(struct tracer *t)
{
    double(*way)[2] = t->way[0];
    const int last = t->length[0] - 1;
    const double miss[2] = {way[0][0] - way[last][0], way[0][1] - way[last][1]};
    for (int i = 1; i <= last; i++)
        for (int k = 0; k < 2; k++)
            way[i][k] += miss[k] * i / last;
}

/* Has the last step passed the start?  Then it ends beside it. */
static bool is_closed(const struct tracer *t, const double start[2], const double from[2], double at[2])
{
    const double step[2] = {at[0] - from[0], at[1] - from[1]};
    const double back[2] = {start[0] - from[0], start[1] - from[1]};
    const double square = step[0] * step[0] + step[1] * step[1];
    const double part = (step[0] * back[0] + step[1] * back[1]) / square;
    const double aside = fabs(step[0] * back[1] - step[1] * back[0]) / sqrt(square);
    if (!(part > 0 && part <= 1 && aside < CLOSE_AT * t->apart))
        return false;
    memcpy(at, from, 2 * sizeof *at);
    return step_along(t, at, part * t->step);
}

/* Does it run along the edge of the grid, so near that one would be taken for the other? */
static bool is_along_edge(const struct tracer *t, const double at[2], const double from[2])
{
    const double edge = EDGE_AT * t->apart;
    for (int k = 0; k < 2; k++)
        if ((at[k] < t->low[k] + edge || at[k] > t->high[k] - edge) &&
            fabs(at[k] - from[k]) < 0.2 * fabs(at[1 - k] - from[1 - k]))
            return true;
    return false;
}

/* Follow the flow from the start (way 0) or go against it (way 1); true when the line is closed. */
static bool follow(struct tracer *t, int way, const double start[2])
{
    double at[2] = {start[0], start[1]};
    int *n = &t->length[way];
    memcpy(t->way[way][0], start, sizeof at);
    for (*n = 1; *n <= LONGEST;) {
        const double from[2] = {at[0], at[1]};
        if (!step_along(t, at, way ? -t->step : t->step))
            return false;
        const bool closed = way == 0 && *n > STEPS / 2 && is_closed(t, start, from, at);
        if (!closed &&
            (is_near(t, at, END_AT * t->apart) || is_coiled(t, way, at) || is_along_edge(t, at, from)))
            return false;
        memcpy(t->way[way][(*n)++], at, sizeof at);
        if (closed) {
            close_line(t);
            return true;
        }
    }
    return false;
}

static bool grow(struct tracer *t, int points)
{
    if (t->lines == t->most) {
        int *first = realloc(t->first, (2 * (size_t)t->most + 33) * sizeof *first);
        if (!first)
            return false;
        t->first = first;
        t->most = 2 * t->most + 32;
    }
    if (t->points + points <= t->capacity)
        return true;
    const size_t capacity = 2 * (size_t)t->capacity + (size_t)points;
    void *before = realloc(t->before, capacity * sizeof *t->before);
    if (!before)
        return false;
    t->before = before;
    void *point = realloc(t->point, capacity * sizeof *t->point);
    if (!point)
        return false;
    t->point = point;
    t->capacity = (int)capacity;
    return true;
}

static void add_point(struct tracer *t, const double at[2])
{
    const int p = t->points++;
    int *bin = &t->bin[bin_of(t, 1, at[1]) * t->bins[0] + bin_of(t, 0, at[0])];
    memcpy(t->point[p], at, sizeof t->point[p]);
    t->before[p] = *bin;
    *bin = p;
}

static bool is_within(const struct tracer *t, const double at[2])
{
    const double edge = FROM_EDGE * t->apart * (1 - 1e-9);
    return at[0] >= t->low[0] + edge && at[0] <= t->high[0] - edge && at[1] >= t->low[1] + edge &&
           at[1] <= t->high[1] - edge;
}

/* A line through a place that is free; false when memory is short. */
static bool try_place(struct tracer *t, const double start[2])
{
    double along[2];
    if (!is_within(t, start) || !direction(t, start, along) || is_near(t, start, 0.999 * t->apart))
        return true;
    t->length[1] = 0;
    const bool closed = follow(t, 0, start);
    if (!closed)
        follow(t, 1, start);
    const int against = t->length[1] > 0 ? t->length[1] - 1 : 0; /* the start is counted once */
    if (t->length[0] + against < (closed ? RING : SHORTEST) * STEPS)
        return true;
    if (!grow(t, t->length[0] + against))
        return false;
    t->first[t->lines++] = t->points;
    for (int i = against; i > 0; i--)
        add_point(t, t->way[1][i]);
    for (int i = 0; i < t->length[0]; i++)
        add_point(t, t->way[0][i]);
    t->first[t->lines] = t->points;
    return true;
}

/* Places on both sides of a line. */
static bool try_beside(struct tracer *t, int line)
{
    for (int p = t->first[line]; p + 1 < t->first[line + 1]; p += STEPS / 2) {
        const double along[2] = {t->point[p + 1][0] - t->point[p][0], t->point[p + 1][1] - t->point[p][1]};
        const double reach = t->apart / fmax(hypot(along[0], along[1]), 1e-300);
        for (int side = -1; side <= 1; side += 2) {
            const double place[2] = {t->point[p][0] - side * reach * along[1],
                                     t->point[p][1] + side * reach * along[0]};
            if (!try_place(t, place))
                return false;
        }
    }
    return true;
}

/* Where the flow is fastest first, then beside each line there is, then wherever room is left. */
static bool trace_all(struct tracer *t)
{
    const struct kn_plane *v = t->velocity;
    double start[2] = {t->low[0], t->low[1]}, most = -1;
    for (int j = 1; j < v->n[1] - 1; j++)
        for (int i = 1; i < v->n[0] - 1; i++) {
            const double *u = kn_plane_node(v, i, j), speed = hypot(u[0], u[1]);
            const double at[2] = {v->at[0][i], v->at[1][j]};
            if (speed > most && is_within(t, at)) {
                most = speed;
                memcpy(start, at, sizeof at);
            }
        }
    bool good = try_place(t, start);
    int line = 0;
    for (double y = t->low[1] + 0.5 * t->apart; good && y < t->high[1]; y += 0.5 * t->apart)
        for (double x = t->low[0] + 0.5 * t->apart; good && x < t->high[0]; x += 0.5 * t->apart) {
            for (; good && line < t->lines; line++)
                good = try_beside(t, line);
            good = good && try_place(t, (double[2]){x, y});
        }
    return good;
}

enum kn_status kn_streamline_trace(struct kn_streamlines *s, const struct kn_plane *velocity, double apart,
                                   double slow)
{
    struct tracer t = {.velocity = velocity, .apart = apart, .slow = slow, .step = apart / STEPS};
    *s = (struct kn_streamlines){.lines = 0};
    for (int k = 0; k < 2; k++) {
        t.low[k] = velocity->at[k][0];
        t.high[k] = velocity->at[k][velocity->n[k] - 1];
        t.bins[k] = (int)ceil((t.high[k] - t.low[k]) / apart) + 1;
        t.way[k] = malloc((LONGEST + 1) * sizeof *t.way[k]);
    }
    const size_t bins = (size_t)t.bins[0] * (size_t)t.bins[1];
    t.bin = malloc(bins * sizeof *t.bin);
    bool good = t.bin && t.way[0] && t.way[1] && grow(&t, 0);
    if (good) {
        memset(t.bin, -1, bins * sizeof *t.bin);
        t.first[0] = 0;
        good = trace_all(&t);
    }
    free(t.bin);
    free(t.before);
    free(t.way[0]);
    free(t.way[1]);
    *s = (struct kn_streamlines){t.lines, t.first, t.point};
    if (good)
        return KN_OK;
    kn_streamline_destroy(s);
    return kn_error_set(KN_EMEMORY, "not enough memory for streamlines");
}

void kn_streamline_destroy(struct kn_streamlines *s)
{
    free(s->first);
    free(s->points);
    *s = (struct kn_streamlines){.lines = 0};
}
