#include "plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct kn_plane kn_plane_cut(const struct kn_gas *g)
{
    struct kn_plane p = {.gas = g, .axis = {0, 1}};
    if (g->cells[1] == 1)
        p.axis[1] = 2;
    else if (g->cells[0] == 1)
        p = (struct kn_plane){.gas = g, .axis = {1, 2}};
    p.cut = g->cells[3 - p.axis[0] - p.axis[1]] / 2;
    for (int k = 0; k < 2; k++) {
        p.low[k] = g->edges[p.axis[k]][0];
        p.high[k] = g->edges[p.axis[k]][g->cells[p.axis[k]]];
    }
    return p;
}

static size_t cell_at(const struct kn_plane *p, int i, int j)
{
    int at[3] = {p->cut, p->cut, p->cut};
    at[p->axis[0]] = i;
    at[p->axis[1]] = j;
    return ((size_t)at[2] * (size_t)p->gas->cells[1] + (size_t)at[1]) * (size_t)p->gas->cells[0] +
           (size_t)at[0];
}

/* The centre at or below a place, and how far the next one is gone to. */
static int locate(const double *centres, int n, double place, double *part)
{
    int low = 0, high = n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (centres[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    *part = fmin(fmax((place - centres[low]) / (centres[high] - centres[low]), 0), 1);
    return low;
}

struct kn_plane_point kn_plane_sample(const struct kn_plane *p, const double place[2])
{
    const struct kn_gas *g = p->gas;
    double part[2];
    int at[2];
    struct kn_plane_point s = {.speed = 0};
    for (int k = 0; k < 2; k++)
        at[k] = locate(g->centres[p->axis[k]], g->cells[p->axis[k]], place[k], &part[k]);
    for (int corner = 0; corner < 4; corner++) {
        int i = corner & 1, j = corner >> 1;
        double weight = (i ? part[0] : 1 - part[0]) * (j ? part[1] : 1 - part[1]);
        size_t cell = cell_at(p, at[0] + i, at[1] + j);
        const double *u = g->u + 3 * cell;
        s.u[0] += weight * u[p->axis[0]];
        s.u[1] += weight * u[p->axis[1]];
        s.speed += weight * sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        s.theta += weight * g->theta[cell];
    }
    return s;
}

/* -------------------------------------------------------------- streamlines */

/* The plane is laid out in tiles.  A line ends where another one has been, and
 * begins only where a wider neighbourhood is free: so lines keep apart, cover
 * the plane and are seldom cut short. */
enum { TILES = 60, SPREAD = 2, STEPS_PER_TILE = 4, POINTS = 3000 };

struct lines {
    const struct kn_plane *plane;
    int tiles[2];
    double tile;              /* side, L */
    int owner[TILES * TILES]; /* 0 = free */
    double slow;              /* below this speed the gas rests */
    bool closed;              /* the line came back to where it began */
    double points[2 * POINTS + 1][2];
};

/* Unit vector along the flow; false where the gas rests or the outermost
 * centres end: beyond them nothing tells how the flow meets the wall. */
static bool direction(const struct lines *l, const double at[2], double along[2])
{
    const struct kn_gas *g = l->plane->gas;
    for (int k = 0; k < 2; k++) {
        int axis = l->plane->axis[k];
        if (!(at[k] >= g->centres[axis][0] && at[k] <= g->centres[axis][g->cells[axis] - 1]))
            return false;
    }
    struct kn_plane_point s = kn_plane_sample(l->plane, at);
    double speed = hypot(s.u[0], s.u[1]);
    if (!(speed > l->slow))
        return false;
    along[0] = s.u[0] / speed;
    along[1] = s.u[1] / speed;
    return true;
}

static int tile_of(const struct lines *l, const double at[2])
{
    int index[2];
    for (int k = 0; k < 2; k++) {
        index[k] = (int)((at[k] - l->plane->low[k]) / l->tile);
        index[k] = index[k] < l->tiles[k] ? index[k] : l->tiles[k] - 1;
    }
    return index[1] * l->tiles[0] + index[0];
}

/* One step along the flow (or against it) by the midpoint rule. */
static bool step_along(const struct lines *l, double at[2], double step)
{
    double along[2], half[2];
    if (!direction(l, at, along))
        return false;
    for (int k = 0; k < 2; k++)
        half[k] = at[k] + 0.5 * step * along[k];
    if (!direction(l, half, along))
        return false;
    for (int k = 0; k < 2; k++)
        at[k] += step * along[k];
    return direction(l, at, along);
}

/* Follow the flow (sign 1) or go against it (-1), filling points[] from the
 * middle outwards.  Returns the number of steps. */
static int follow(struct lines *l, const double start[2], int sign, int id)
{
    double step = sign * l->tile / STEPS_PER_TILE, at[2] = {start[0], start[1]};
    int here = tile_of(l, at), n = 0;
    while (n < POINTS && step_along(l, at, step)) {
        double away = hypot(at[0] - start[0], at[1] - start[1]);
        int tile = tile_of(l, at);
        if (tile != here && l->owner[tile] && !(l->owner[tile] == id && away < 3 * l->tile))
            break;
        l->owner[tile] = id;
        here = tile;
        n++;
        l->closed = n > 8 * STEPS_PER_TILE && away < l->tile;
        memcpy(l->points[POINTS + sign * n], l->closed ? start : at, sizeof at);
        if (l->closed)
            break;
    }
    return n;
}

static bool is_free(const struct lines *l, int i, int j)
{
    for (int y = j - SPREAD; y <= j + SPREAD; y++)
        for (int x = i - SPREAD; x <= i + SPREAD; x++)
            if (x >= 0 && y >= 0 && x < l->tiles[0] && y < l->tiles[1] && l->owner[y * l->tiles[0] + x])
                return false;
    return true;
}

/* One line through a free tile; short ones are withdrawn. */
static void draw_line(FILE *to, FILE *heads, struct lines *l, int i, int j)
{
    double start[2] = {l->plane->low[0] + (i + 0.5) * l->tile, l->plane->low[1] + (j + 0.5) * l->tile};
    int own = j * l->tiles[0] + i, id = own + 1;
    if (!is_free(l, i, j))
        return;
    memcpy(l->points[POINTS], start, sizeof start);
    l->owner[own] = id;
    int after = follow(l, start, 1, id), before = l->closed ? 0 : follow(l, start, -1, id);
    if (after + before < 12 * STEPS_PER_TILE) {
        for (int tile = 0; tile < l->tiles[0] * l->tiles[1]; tile++)
            l->owner[tile] = l->owner[tile] == id ? 0 : l->owner[tile];
        return;
    }
    for (int n = -before; n <= after; n++)
        if ((n + before) % 2 == 0 || n == after) /* every other one draws as well */
            fprintf(to, "%.5g %.5g\n", l->points[POINTS + n][0], l->points[POINTS + n][1]);
    fputs("\n", to);
    const double *middle = l->points[POINTS + (after - before) / 2], *next = middle + 2;
    fprintf(heads, "%.6g %.6g %.6g %.6g\n", middle[0], middle[1], next[0] - middle[0], next[1] - middle[1]);
}

/* First through the middle row, where vortices show best, then from the walls
 * inwards wherever room is left. */
static void draw_lines(FILE *to, FILE *heads, struct lines *l)
{
    int nx = l->tiles[0], ny = l->tiles[1];
    for (int i = SPREAD; i < nx; i++)
        draw_line(to, heads, l, i, ny / 2);
    for (int ring = SPREAD / 2; 2 * ring < TILES; ring++)
        for (int j = ring; j < ny - ring; j++)
            for (int i = ring; i < nx - ring; i++)
                if (i == ring || j == ring || i == nx - 1 - ring || j == ny - 1 - ring)
                    draw_line(to, heads, l, i, j);
}

bool kn_plane_print_lines(FILE *to, const struct kn_plane *p)
{
    struct lines *l = calloc(1, sizeof *l);
    char *heads_text = NULL;
    size_t size = 0;
    FILE *heads = open_memstream(&heads_text, &size);
    if (l && heads) {
        double width[2] = {p->high[0] - p->low[0], p->high[1] - p->low[1]};
        l->plane = p;
        l->slow = 2e-3 * p->gas->speed;
        l->tile = fmax(width[0], width[1]) / TILES;
        for (int k = 0; k < 2; k++)
            l->tiles[k] = (int)fmin(fmax(ceil(width[k] / l->tile - 0.01), 1), TILES);
        fputs("$lines << END\n", to);
        draw_lines(to, heads, l);
        fputs("END\n", to);
    }
    if (heads)
        fclose(heads);
    if (l && heads_text)
        fprintf(to, "$heads << END\n%sEND\n", heads_text);
    bool good = l && heads_text;
    free(heads_text);
    free(l);
    return good;
}
