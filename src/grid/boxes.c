/* Divides the cells among the ranks. */
#include "grid/boxes.h"

#include "config/case.h"
#include "error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Packing, sending and unpacking a row takes about as long as computing a cell on a fast machine; on
 * slower machines the resulting shorter borders do no harm. */
static const double HALO_COST = 1;

int64_t kn_boxes_cells(const struct kn_box *box)
{
    int64_t cells = 1;
    for (int d = 0; d < 3; d++)
        cells *= box->end[d] - box->first[d];
    return cells;
}

const char *kn_boxes_text(const struct kn_box *box, char text[KN_NAME])
{
    int at = 0;
    for (int d = 0; d < 3; d++) {
        const int cells = box->end[d] - box->first[d];
        if (cells > 1)
            at += snprintf(text + at, KN_NAME - (size_t)at, "%s%d", at ? " x " : "", cells);
    }
    snprintf(text + at, KN_NAME - (size_t)at, "%s", at ? " cells" : "1 cell");
    return text;
}

/* True if another rank is beyond this side of a box. */
static bool has_neighbour(const struct kn_box *box, const struct kn_case *c, int side)
{
    const int d = side / 2, n = c->space.cells[d];
    const bool whole = box->first[d] == 0 && box->end[d] == n,
               ends = (side & 1) ? box->end[d] == n : box->first[d] == 0;
    return !whole && (!ends || c->walls[side].kind == KN_WALL_PERIODIC);
}

int64_t kn_boxes_halo(const struct kn_box *box, const struct kn_case *c)
{
    int64_t cells = 0;
    for (int side = 0; side < KN_SIDES; side++) {
        const int d = side / 2;
        if (has_neighbour(box, c, side))
            cells += kn_case_reach(c) * kn_boxes_cells(box) / (box->end[d] - box->first[d]);
    }
    return cells;
}

int kn_boxes_find(const struct kn_box *boxes, int count, const int at[3], int guess)
{
    for (int i = 0; i < count; i++) {
        const int rank = (guess + i) % count;
        const struct kn_box *b = &boxes[rank];
        bool inside = true;
        for (int d = 0; d < 3; d++)
            inside = inside && at[d] >= b->first[d] && at[d] < b->end[d];
        if (inside)
            return rank;
    }
    return -1;
}

/* Compared by the slowest rank, then by the sum of the borders. */
struct cost {
    double slowest, borders;
};

static struct cost cost_of(const struct kn_box *boxes, int count, const struct kn_case *c)
{
    struct cost cost = {0, 0};
    for (int i = 0; i < count; i++) {
        const double halo = (double)kn_boxes_halo(&boxes[i], c);
        cost.slowest = fmax(cost.slowest, (double)kn_boxes_cells(&boxes[i]) + HALO_COST * halo);
        cost.borders += halo;
    }
    return cost;
}

static bool is_better(struct cost a, struct cost b)
{
    return a.slowest < b.slowest || (a.slowest == b.slowest && a.borders < b.borders);
}

static bool may_cut(const struct kn_case *c, int axis, int parts, int least)
{
    return parts == 1 || (!kn_case_is_uniform(c, axis) && c->space.cells[axis] / parts >= least);
}

/* A grid of boxes whose sizes differ by at most one cell along each axis. */
static void fill_grid(struct kn_box *boxes, const struct kn_case *c, const int parts[3])
{
    for (int i = 0; i < parts[0] * parts[1] * parts[2]; i++) {
        const int at[3] = {i % parts[0], i / parts[0] % parts[1], i / parts[0] / parts[1]};
        for (int d = 0; d < 3; d++) {
            const int64_t n = c->space.cells[d];
            boxes[i].first[d] = (int)(n * at[d] / parts[d]);
            boxes[i].end[d] = (int)(n * (at[d] + 1) / parts[d]);
        }
    }
}

/* Divide a box recursively in two, each for half of its ranks, at the shortest border; for numbers of
 * ranks without a good grid. */
static bool bisect(struct kn_box *boxes, int count, const struct kn_case *c, int least, struct kn_box box)
{
    int axis = -1, cut = 0;
    int64_t shortest = INT64_MAX;
    if (count == 1) {
        boxes[0] = box;
        return true;
    }
    const int below = count / 2;
    for (int d = 2; d >= 0; d--) {
        const int n = box.end[d] - box.first[d];
        const int at = (int)(((int64_t)2 * n * below + count) / (2 * count));
        const int64_t border = kn_boxes_cells(&box) / n;
        if (border < shortest && at >= least && n - at >= least && !kn_case_is_uniform(c, d)) {
            shortest = border;
            axis = d;
            cut = box.first[d] + at;
        }
    }
    if (axis < 0)
        return false;
    struct kn_box low = box, high = box;
    low.end[axis] = high.first[axis] = cut;
    return bisect(boxes, below, c, least, low) && bisect(boxes + below, count - below, c, least, high);
}

static enum kn_status too_many(int count, const struct kn_case *c, int least)
{
    const int *n = c->space.cells;
    int64_t most = 1;
    for (int d = 0; d < 3; d++)
        most *= kn_case_is_uniform(c, d) || n[d] < least ? 1 : n[d] / least;
    return kn_error_set(
        KN_EINPUT,
        "space.cells: %d x %d x %d cells are too few for %d ranks: boxes are at least %d cell%s "
        "thick along axes that are cut (start %lld rank%s at most)",
        n[0], n[1], n[2], count, least, least == 1 ? "" : "s", (long long)most, most == 1 ? "" : "s");
}

enum kn_status kn_boxes_create(struct kn_box *boxes, int count, const struct kn_case *c, int least)
{
    const int *n = c->space.cells;
    const struct kn_box all = {{0, 0, 0}, {n[0], n[1], n[2]}};
    struct kn_box *tried = malloc((size_t)count * sizeof *tried);
    struct cost best = {INFINITY, INFINITY};
    if (!tried)
        return kn_error_set(KN_EMEMORY, "no memory for %d boxes", count);
    /* the first of equal ones is kept: slabs along the last axis, whose cells are consecutive */
    for (int x = 1; x <= count; x++)
        for (int y = 1; y <= count / x; y++) {
            const int parts[3] = {x, y, count / x / y};
            if (x * y * parts[2] != count || !may_cut(c, 0, parts[0], least) ||
                !may_cut(c, 1, parts[1], least) || !may_cut(c, 2, parts[2], least))
                continue;
            fill_grid(tried, c, parts);
            const struct cost cost = cost_of(tried, count, c);
            if (is_better(cost, best)) {
                best = cost;
                memcpy(boxes, tried, (size_t)count * sizeof *boxes);
            }
        }
    if (bisect(tried, count, c, least, all) && is_better(cost_of(tried, count, c), best)) {
        best = cost_of(tried, count, c);
        memcpy(boxes, tried, (size_t)count * sizeof *boxes);
    }
    free(tried);
    return isinf(best.slowest) ? too_many(count, c, least) : KN_OK;
}
