/* The order in which cells are swept, the cells of the march, and those that bodies fill. */
#include "cuda/cuda_machine.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

struct kn_box kn_cuda_layout_marched(const struct kn_cuda *m)
{
    const struct kn_space *x = m->problem.space;
    const struct kn_cuda_inner *inner = &m->device.inner;
    const int tile[2] = {KN_CUDA_COLUMNS, KN_CUDA_ROWS};
    struct kn_box b = {{0, 0, 0}, {x->cells[0], x->cells[1], x->cells[2]}};
    for (int axis = 0; axis < 2; axis++) {
        const int first = inner->first[axis] - x->box.first[axis],
                  end = first + inner->tiles[axis] * tile[axis];
        b.first[axis] = first > 0 ? first : 0;
        b.end[axis] = end < x->cells[axis] ? end : x->cells[axis];
    }
    for (int axis = 0; axis < 2; axis++)
        if (b.first[axis] >= b.end[axis])
            return kn_box{};
    return b;
}

static const int cube_tile[3] = {KN_CUDA_ALONG, KN_CUDA_WIDE, KN_CUDA_DEEP};

static struct kn_box cube_box(const struct kn_cuda_cube *cube)
{
    struct kn_box b;
    for (int axis = 0; axis < 3; axis++) {
        b.first[axis] = cube->first[axis];
        b.end[axis] = b.first[axis] + cube->tiles[axis] * cube_tile[axis];
    }
    return b;
}

/* Cells outside this box, near the boundary, take the most time. */
static struct kn_box inner_box(const struct kn_cuda *m, const int tile[3])
{
    const struct kn_space *x = m->problem.space;
    struct kn_box b = {{0, 0, 0}, {x->cells[0], x->cells[1], x->cells[2]}};
    if (m->cube.tiles[0] > 0)
        return cube_box(&m->cube);
    for (int a = 0; a < x->naxes; a++) {
        const int axis = x->axes[a], n = x->cells[axis];
        b.first[axis] = tile[axis];
        b.end[axis] = (n - 1) / tile[axis] * tile[axis];
    }
    return m->device.choice.marches ? kn_cuda_layout_marched(m) : b; /* the cells outside the march */
}

/* The cells of a tile that starts at `from`, those inside or those outside the box. */
static int32_t *add_tile(const struct kn_space *x, const int from[3], const int tile[3],
                         const struct kn_box *b, bool inside, int32_t *at)
{
    for (int i = 0; i < tile[0] * tile[1] * tile[2]; i++) {
        const int cell[3] = {from[0] + i / tile[1] % tile[0], from[1] + i % tile[1],
                             from[2] + i / (tile[0] * tile[1])};
        bool exists = true, in_box = true;
        for (int axis = 0; axis < 3; axis++) {
            exists = exists && cell[axis] >= 0 && cell[axis] < x->cells[axis];
            in_box = in_box && cell[axis] >= b->first[axis] && cell[axis] < b->end[axis];
        }
        if (exists && in_box == inside)
            *at++ = cell[0] + x->cells[0] * (cell[1] + x->cells[1] * cell[2]);
    }
    return at;
}

/* Cells in tiles of eight neighbours, which share many rows; cells near the boundary come first. */
enum kn_status kn_cuda_layout_tiles(struct kn_cuda *m)
{
    const struct kn_space *x = m->problem.space;
    const int tile[3] = {x->naxes == 1 ? 8 : x->naxes == 2 ? KN_CUDA_COLUMNS : 2, KN_CUDA_ROWS, 2};
    const struct kn_box box = inner_box(m, tile);
    int32_t *order = (int32_t *)malloc((size_t)x->ncells * sizeof *order), *at = order;
    if (!order)
        return kn_error_set(KN_EMEMORY, "no memory for the order of the cells");
    for (int inside = 0; inside < 2; inside++) {
        int from[3], start[3];
        m->unmarched = (int32_t)(at - order);
        for (int axis = 0; axis < 3; axis++) /* whole tiles inside the box */
            start[axis] = box.first[axis] % tile[axis] == 0 ? 0 : box.first[axis] % tile[axis] - tile[axis];
        for (from[2] = start[2]; from[2] < x->cells[2]; from[2] += tile[2])
            for (from[1] = start[1]; from[1] < x->cells[1]; from[1] += tile[1])
                for (from[0] = start[0]; from[0] < x->cells[0]; from[0] += tile[0])
                    at = add_tile(x, from, tile, &box, inside, at);
    }
    enum kn_status status = m->problem.halo ? kn_cuda_ranks_divide(m, order) : KN_OK;
    if (status == KN_OK)
        status = kn_cuda_upload(m, (const void **)&m->device.sweep_order, order,
                                (size_t)x->ncells * sizeof *order);
    free(order);
    return status;
}

/* Number of cells next to a side that a march omits. The march reads two rows upwind of a tile. At a wall
 * that reflects nothing it reads the emission instead; before other sides both rows must be cells. */
static int left_out(const struct kn_cuda *m, int side)
{
    const struct kn_patch *wall = &m->problem.boundary->patches[side];
    return wall->emits && !kn_boundary_reflects(wall) ? 0 : 2;
}

/* Determined for the whole space: the march rounds differently from other kernels, so its cells must not
 * depend on the number of ranks. */
struct kn_cuda_inner kn_cuda_layout_inner(const struct kn_cuda *m)
{
    const int *n = m->problem.space->whole, tile[2] = {KN_CUDA_COLUMNS, KN_CUDA_ROWS};
    struct kn_cuda_inner inner = {{0, 0}, {0, 0}, m->problem.space->cells[0], 0};
    for (int axis = 0; axis < 2; axis++) {
        const int end = n[axis] - left_out(m, 2 * axis + 1);
        inner.first[axis] = left_out(m, 2 * axis);
        inner.tiles[axis] = end > inner.first[axis] ? (end - inner.first[axis]) / tile[axis] : 0;
        /* the remaining cells before a wall are swept, and the march needs one more cell downwind */
        if (inner.tiles[axis] > 0 && n[axis] - inner.first[axis] - inner.tiles[axis] * tile[axis] == 1)
            inner.tiles[axis]--;
        inner.walls |= (inner.first[axis] == 0) << 2 * axis;
        inner.walls |= (inner.first[axis] + inner.tiles[axis] * tile[axis] == n[axis]) << (2 * axis + 1);
    }
    return inner;
}

/* Two cells next to each boundary are left out: all rows that the march reads are cells. */
struct kn_cuda_cube kn_cuda_layout_cube(const struct kn_cuda *m)
{
    enum { OMITTED = 2 };
    const int *n = m->problem.space->cells;
    struct kn_cuda_cube cube = {{}, {}, {n[0], n[1], n[2]}};
    for (int axis = 0; axis < 3; axis++) {
        cube.first[axis] = OMITTED;
        cube.tiles[axis] = n[axis] > 2 * OMITTED ? (n[axis] - 2 * OMITTED) / cube_tile[axis] : 0;
    }
    return cube;
}

float kn_cuda_layout_width(const struct kn_space *x, int axis, int i)
{
    return (float)(x->edges[axis][i + 1] - x->edges[axis][i]); /* the same rounding as in struct kn_space */
}

/* True if all cells of all ranks have the same width along each axis, up to the rounding of their edges. */
bool kn_cuda_layout_uniform(const struct kn_space *x)
{
    for (int axis = 0; axis < 3; axis++)
        for (int i = 1; i < x->whole[axis]; i++) {
            const float width = kn_cuda_layout_width(x, axis, i);
            if (fabsf(width - kn_cuda_layout_width(x, axis, 0)) > 4 * FLT_EPSILON * width)
                return false;
        }
    return true;
}

/* The list of the cells that bodies fill. */
enum kn_status kn_cuda_layout_solid(struct kn_cuda *m)
{
    const struct kn_space *x = m->problem.space;
    if (!x->solid)
        return KN_OK;
    int32_t *list = (int32_t *)malloc((size_t)x->ncells * sizeof *list);
    if (!list)
        return kn_error_set(KN_EMEMORY, "no memory for a list of %d cells", x->ncells);
    for (int cell = 0; cell < x->ncells; cell++)
        if (x->solid[cell])
            list[m->nsolid++] = cell;
    const enum kn_status status =
        kn_cuda_upload(m, (const void **)&m->solid, list, (size_t)m->nsolid * sizeof *list);
    free(list);
    return status;
}
