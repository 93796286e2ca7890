#include "space.h"

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

/* The cell beyond a side, or -1 at a wall.  An axis along which the gas is
 * uniform wraps around whatever stands at its ends. */
static int beyond(const struct kn_space *s, const struct kn_case *c, const int at[3], int side)
{
    int axis = side / 2, to[3] = {at[0], at[1], at[2]};
    to[axis] += (side & 1) ? 1 : -1;
    if (to[axis] < 0 || to[axis] >= s->cells[axis]) {
        if (c->walls[side].kind != KN_WALL_PERIODIC && !kn_space_is_uniform(c, axis))
            return -1;
        to[axis] = (to[axis] + s->cells[axis]) % s->cells[axis];
    }
    return (to[2] * s->cells[1] + to[1]) * s->cells[0] + to[0];
}

/* Extent of an axis in areas and volumes: an axis along which the gas is
 * uniform counts 1, so that the same flow has the same integrals in 1-D to 3-D. */
static double extent(const struct kn_space *s, const struct kn_case *c, int axis, int i)
{
    return kn_space_is_uniform(c, axis) ? 1.0 : s->edges[axis][i + 1] - s->edges[axis][i];
}

static void fill_cell(struct kn_space *s, const struct kn_case *c, int cell, int *nfaces)
{
    int at[3] = {cell % s->cells[0], cell / s->cells[0] % s->cells[1], cell / (s->cells[0] * s->cells[1])};
    double volume = 1;
    for (int d = 0; d < 3; d++) {
        s->width[3 * (size_t)cell + d] = (float)(s->edges[d][at[d] + 1] - s->edges[d][at[d]]);
        volume *= extent(s, c, d, at[d]);
    }
    s->volume[cell] = volume;
    for (int side = 0; side < KN_SIDES; side++) {
        int next = beyond(s, c, at, side);
        if (next < 0) {
            s->faces[*nfaces] = (struct kn_face){cell, side, volume / extent(s, c, side / 2, at[side / 2])};
            next = ~(*nfaces)++;
        }
        s->neighbour[6 * (size_t)cell + side] = next;
    }
}

static int count_faces(const struct kn_case *c)
{
    const int *n = c->space.cells;
    int faces = 0;
    for (int side = 0; side < KN_SIDES; side++)
        if (c->walls[side].kind != KN_WALL_PERIODIC && !kn_space_is_uniform(c, side / 2))
            faces += n[(side / 2 + 1) % 3] * n[(side / 2 + 2) % 3];
    return faces;
}

enum kn_status kn_space_create(struct kn_space *s, const struct kn_case *c)
{
    int placed = 0;
    *s = (struct kn_space){.ncells = 1, .nfaces = count_faces(c)};
    for (int d = 0; d < 3; d++) {
        s->cells[d] = c->space.cells[d];
        s->ncells *= s->cells[d];
        if (!kn_space_is_uniform(c, d))
            s->axes[s->naxes++] = d;
    }
    size_t n = (size_t)s->ncells;
    s->neighbour = malloc(6 * n * sizeof *s->neighbour);
    s->width = malloc(3 * n * sizeof *s->width);
    s->volume = malloc(n * sizeof *s->volume);
    s->faces = malloc(((size_t)s->nfaces + 1) * sizeof *s->faces);
    bool whole = s->neighbour && s->width && s->volume && s->faces;
    for (int d = 0; d < 3; d++) {
        s->edges[d] = calloc((size_t)s->cells[d] + 1, sizeof *s->edges[d]);
        whole = whole && s->edges[d];
    }
    if (!whole)
        return kn_error_set(KN_EMEMORY, "no memory for %d cells", s->ncells);
    for (int d = 0; d < 3; d++)
        fill_edges(s->edges[d], c, d);
    for (int cell = 0; cell < s->ncells; cell++)
        fill_cell(s, c, cell, &placed);
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
    *s = (struct kn_space){0};
}
