#include "grid/space.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>

const char *kn_space_side_name(enum kn_side side)
{
    static const char *const names[] = {"left", "right", "bottom", "top", "back", "front"};
    return names[side];
}

static bool has_component(const struct kn_case *c, int axis)
{
    for (int side = 0; side < KN_SIDES; side++)
        if (c->walls[side].velocity[axis] != 0 || c->walls[side].oscillation.velocity[axis] != 0 ||
            c->walls[side].gradient.velocity[axis] != 0)
            return true;
    return c->source.force[axis] != 0 || c->source.temperature_gradient[axis] != 0;
}

/* Axes along which the initial state is odd in v. */
static bool initial_is_odd(const struct kn_case *c, int axis)
{
    switch (c->initial.shape) {
    case KN_SHAPE_SHEAR:
        return axis == 1;
    case KN_SHAPE_STRESS:
        return axis <= 1;
    case KN_SHAPE_HEAT_FLUX:
    case KN_SHAPE_SOUND:
        return axis == 0;
    default:
        return false;
    }
}

bool kn_space_is_even(const struct kn_case *c, int axis)
{
    return !has_component(c, axis) && !initial_is_odd(c, axis);
}

bool kn_space_is_mirror(const struct kn_wall *wall)
{
    const double *u = wall->gradient.velocity;
    switch (wall->kind) {
    case KN_WALL_SPECULAR:
    case KN_WALL_SYMMETRY:
        return true;
    case KN_WALL_FAR_FIELD:
        return u[0] == 0 && u[1] == 0 && u[2] == 0 && wall->gradient.temperature == 0;
    default:
        return false;
    }
}

int kn_space_inflow_axis(const struct kn_case *c)
{
    int found = -1;
    for (int axis = 0; axis < 3; axis++)
        if (c->walls[2 * axis].kind == KN_WALL_INFLOW && c->walls[2 * axis + 1].kind == KN_WALL_INFLOW) {
            if (found >= 0)
                return -1;
            found = axis;
        }
    return found;
}

bool kn_space_is_uniform(const struct kn_case *c, int axis)
{
    const struct kn_wall *low = &c->walls[2 * axis], *high = low + 1;
    const bool periodic = low->kind == KN_WALL_PERIODIC && high->kind == KN_WALL_PERIODIC;
    const bool mirrors = kn_space_is_mirror(low) && kn_space_is_mirror(high);
    return c->space.cells[axis] == 1 && (periodic || (mirrors && kn_space_is_even(c, axis)));
}

/* Relative width of cell i of n: a geometric progression towards the clustered end. */
static double relative_width(enum kn_cluster cluster, double ratio, int i, int n)
{
    switch (cluster) {
    case KN_CLUSTER_LOW:
        return pow(ratio, n - 1 - i);
    case KN_CLUSTER_HIGH:
        return pow(ratio, i);
    default: /* both: symmetric, largest in the middle */
        return pow(ratio, fabs(i - 0.5 * (n - 1)));
    }
}

static void fill_edges(double *edges, const struct kn_case *c, int axis)
{
    int n = c->space.cells[axis];
    double length = c->gas.delta * c->space.size[axis], sum = 0, at = 0;
    for (int i = 0; i < n; i++)
        sum += relative_width(c->space.cluster[axis], c->space.stretch[axis], i, n);
    edges[0] = 0;
    for (int i = 0; i < n; i++) {
        at += relative_width(c->space.cluster[axis], c->space.stretch[axis], i, n);
        edges[i + 1] = length * (at / sum);
    }
}

double kn_space_mean_width(const struct kn_case *c, int axis, double power)
{
    const int n = c->space.cells[axis];
    const double length = c->gas.delta * c->space.size[axis];
    double sum = 0, mean = 0;
    for (int i = 0; i < n; i++)
        sum += relative_width(c->space.cluster[axis], c->space.stretch[axis], i, n);
    for (int i = 0; i < n; i++) {
        const double share = relative_width(c->space.cluster[axis], c->space.stretch[axis], i, n) / sum;
        mean += share * pow(share * length, power);
    }
    return mean;
}

double kn_space_narrowest(const struct kn_case *c, int axis)
{
    const int n = c->space.cells[axis];
    double sum = 0, least = INFINITY;
    for (int i = 0; i < n; i++) {
        const double width = relative_width(c->space.cluster[axis], c->space.stretch[axis], i, n);
        sum += width;
        least = fmin(least, width);
    }
    return c->gas.delta * c->space.size[axis] * least / sum;
}

/* ------------------------------------------------------------- cells and numbers */

static int64_t number_of(const struct kn_space *s, const int at[3])
{
    return ((int64_t)at[2] * s->whole[1] + at[1]) * s->whole[0] + at[0];
}

void kn_space_locate(const struct kn_space *s, int64_t number, int at[3])
{
    at[0] = (int)(number % s->whole[0]);
    at[1] = (int)(number / s->whole[0] % s->whole[1]);
    at[2] = (int)(number / s->whole[0] / s->whole[1]);
}

void kn_space_place(const struct kn_space *s, int cell, int at[3])
{
    at[0] = s->box.first[0] + cell % s->cells[0];
    at[1] = s->box.first[1] + cell / s->cells[0] % s->cells[1];
    at[2] = s->box.first[2] + cell / s->cells[0] / s->cells[1];
}

int64_t kn_space_number(const struct kn_space *s, int cell)
{
    int at[3];
    kn_space_place(s, cell, at);
    return number_of(s, at);
}

int64_t kn_space_count(const struct kn_space *s)
{
    return (int64_t)s->whole[0] * s->whole[1] * s->whole[2];
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int32_t kn_space_find(const struct kn_space *s, const int at[3])
{
    bool inside = true;
    int from[3];
    for (int d = 0; d < 3; d++) {
        inside = inside && at[d] >= s->box.first[d] && at[d] < s->box.end[d];
        from[d] = at[d] - s->box.first[d];
    }
    if (inside)
        return (int32_t)((from[2] * s->cells[1] + from[1]) * s->cells[0] + from[0]);
    const int64_t number = number_of(s, at);
    const int64_t *found =
        s->nhalo > 0 ? bsearch(&number, s->halo, (size_t)s->nhalo, sizeof number, compare_numbers) : NULL;
    return found ? (int32_t)(s->ncells + (found - s->halo)) : KN_SPACE_OUTSIDE;
}

/* Does an axis wrap around at a side?  One along which the gas is uniform does whatever stands at its ends.
 */
static bool wraps(const struct kn_case *c, int side)
{
    return c->walls[side].kind == KN_WALL_PERIODIC || kn_space_is_uniform(c, side / 2);
}

/* Bring a place that has left the space back into it around periodic ends; false where a wall stands. */
static bool wrap(const struct kn_space *s, const struct kn_case *c, int at[3])
{
    for (int d = 0; d < 3; d++) {
        const int n = s->whole[d];
        if (at[d] >= 0 && at[d] < n)
            continue;
        if (!wraps(c, 2 * d + (at[d] >= n)))
            return false;
        at[d] = (at[d] % n + n) % n;
    }
    return true;
}

/* -------------------------------------------------------------------------- halo */

/* Steps from a place to the box. */
static int distance(const struct kn_space *s, const int at[3])
{
    int steps = 0;
    for (int d = 0; d < 3; d++)
        steps += at[d] < s->box.first[d]  ? s->box.first[d] - at[d]
                 : at[d] >= s->box.end[d] ? at[d] - s->box.end[d] + 1
                                          : 0;
    return steps;
}

/* Numbers of the cells at most `reach` steps from the box, in it none; several times where axes wrap around
 * it.  Counts only where `to` is NULL. */
static int list_halo(const struct kn_space *s, const struct kn_case *c, int reach, int64_t *to)
{
    int low[3], high[3], at[3], count = 0;
    for (int d = 0; d < 3; d++) {
        const int around = kn_space_is_uniform(c, d) ? 0 : reach;
        low[d] = s->box.first[d] - around;
        high[d] = s->box.end[d] + around;
    }
    for (at[2] = low[2]; at[2] < high[2]; at[2]++)
        for (at[1] = low[1]; at[1] < high[1]; at[1]++)
            for (at[0] = low[0]; at[0] < high[0]; at[0]++) {
                int cell[3] = {at[0], at[1], at[2]};
                const int steps = distance(s, at);
                if (steps == 0) { /* skip what is inside */
                    at[0] = s->box.end[0] - 1;
                    continue;
                }
                if (steps > reach || !wrap(s, c, cell) || distance(s, cell) == 0)
                    continue;
                if (to)
                    to[count] = number_of(s, cell);
                count++;
            }
    return count;
}

static enum kn_status find_halo(struct kn_space *s, const struct kn_case *c)
{
    const int count = list_halo(s, c, c->space.order, NULL);
    s->halo = malloc(((size_t)count + 1) * sizeof *s->halo);
    if (!s->halo)
        return kn_error_set(KN_EMEMORY, "no memory for %d cells around a box", count);
    list_halo(s, c, c->space.order, s->halo);
    qsort(s->halo, (size_t)count, sizeof *s->halo, compare_numbers);
    for (int i = 0; i < count; i++)
        if (i == 0 || s->halo[i] != s->halo[i - 1])
            s->halo[s->nhalo++] = s->halo[i];
    return KN_OK;
}

/* ------------------------------------------------------------------------ tables */

/* Extent of an axis in areas and volumes: an axis along which the gas is
 * uniform counts 1, so that the same flow has the same integrals in 1-D to 3-D. */
static double extent(const struct kn_space *s, const struct kn_case *c, int axis, int i)
{
    return kn_space_is_uniform(c, axis) ? 1.0 : s->edges[axis][i + 1] - s->edges[axis][i];
}

static double volume_at(const struct kn_space *s, const struct kn_case *c, const int at[3])
{
    double volume = 1;
    for (int d = 0; d < 3; d++)
        volume *= extent(s, c, d, at[d]);
    return volume;
}

/* What is beyond a side of a place: a cell of the tables, or something negative, -1 where a wall stands. */
static int32_t beyond(const struct kn_space *s, const struct kn_case *c, const int at[3], int side)
{
    int to[3] = {at[0], at[1], at[2]};
    to[side / 2] += (side & 1) ? 1 : -1;
    return wrap(s, c, to) ? kn_space_find(s, to) : -1;
}

static void fill_cell(struct kn_space *s, const struct kn_case *c, int cell, const int at[3])
{
    for (int d = 0; d < 3; d++)
        s->width[3 * (size_t)cell + d] = (float)(s->edges[d][at[d] + 1] - s->edges[d][at[d]]);
    for (int side = 0; side < KN_SIDES; side++) {
        const int32_t next = beyond(s, c, at, side);
        s->neighbour[6 * (size_t)cell + side] = next < 0 ? KN_SPACE_OUTSIDE : next;
    }
}

/* Walls around a cell of the box. */
static void fill_faces(struct kn_space *s, const struct kn_case *c, int cell, const int at[3], int *nfaces)
{
    for (int side = 0; side < KN_SIDES; side++) {
        if (s->neighbour[6 * (size_t)cell + side] != KN_SPACE_OUTSIDE)
            continue;
        s->faces[*nfaces] =
            (struct kn_face){cell, side, s->volume[cell] / extent(s, c, side / 2, at[side / 2])};
        s->neighbour[6 * (size_t)cell + side] = ~(*nfaces)++;
    }
}

static void fill_tables(struct kn_space *s, const struct kn_case *c)
{
    int placed = 0, at[3];
    for (int cell = 0; cell < s->ncells; cell++) {
        kn_space_place(s, cell, at);
        s->volume[cell] = volume_at(s, c, at);
        fill_cell(s, c, cell, at);
        fill_faces(s, c, cell, at, &placed);
    }
    for (int i = 0; i < s->nhalo; i++) {
        kn_space_locate(s, s->halo[i], at);
        fill_cell(s, c, s->ncells + i, at);
    }
}

static int count_faces(const struct kn_space *s, const struct kn_case *c)
{
    int faces = 0;
    for (int side = 0; side < KN_SIDES; side++) {
        const int d = side / 2;
        const bool ends = (side & 1) ? s->box.end[d] == s->whole[d] : s->box.first[d] == 0;
        if (ends && !wraps(c, side))
            faces += s->cells[(d + 1) % 3] * s->cells[(d + 2) % 3];
    }
    return faces;
}

static void take_box(struct kn_space *s, const struct kn_case *c, const struct kn_box *box)
{
    *s = (struct kn_space){.ncells = 1};
    for (int d = 0; d < 3; d++) {
        s->whole[d] = c->space.cells[d];
        s->box.first[d] = box ? box->first[d] : 0;
        s->box.end[d] = box ? box->end[d] : s->whole[d];
        s->cells[d] = s->box.end[d] - s->box.first[d];
        s->ncells *= s->cells[d];
        if (!kn_space_is_uniform(c, d))
            s->axes[s->naxes++] = d;
    }
    s->nfaces = count_faces(s, c);
}

enum kn_status kn_space_create(struct kn_space *s, const struct kn_case *c, const struct kn_box *box)
{
    take_box(s, c, box);
    const enum kn_status status = find_halo(s, c);
    if (status != KN_OK)
        return status;
    const size_t n = (size_t)s->ncells, rows = n + (size_t)s->nhalo;
    s->neighbour = malloc(6 * rows * sizeof *s->neighbour);
    s->width = malloc(3 * rows * sizeof *s->width);
    s->volume = malloc(n * sizeof *s->volume);
    s->faces = malloc(((size_t)s->nfaces + 1) * sizeof *s->faces);
    bool complete = s->neighbour && s->width && s->volume && s->faces;
    for (int d = 0; d < 3; d++) {
        s->edges[d] = calloc((size_t)s->whole[d] + 1, sizeof *s->edges[d]);
        complete = complete && s->edges[d];
    }
    if (!complete)
        return kn_error_set(KN_EMEMORY, "no memory for %d cells", s->ncells);
    for (int d = 0; d < 3; d++)
        fill_edges(s->edges[d], c, d);
    fill_tables(s, c);
    return KN_OK;
}

void kn_space_destroy(struct kn_space *s)
{
    for (int d = 0; d < 3; d++)
        free(s->edges[d]);
    free(s->neighbour);
    free(s->width);
    free(s->volume);
    free(s->faces);
    free(s->halo);
    *s = (struct kn_space){0};
}
