/* With several ranks: the division of a sweep into cells that do not depend on other ranks and cells that
 * do. A cell must be computed in the same way on every rank, so that no bit depends on the number of
 * ranks: it belongs to the march if a single rank would march through it, and Monte Carlo sums it in the
 * order of a run if a single rank would. */
#include "cuda/cuda_machine.h"

#include <stdlib.h>

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the order of the cells");
}

/* True if some of these cells need the halo. Cells that do not fill a block come last: blocks are counted
 * from the start of a part. */
static bool is_rim(const struct kn_cuda *m, const int32_t *order, int first, int block, int end)
{
    bool found = first + block > end;
    for (int i = first; i < first + block && i < end; i++)
        found = found || m->problem.halo->rim[order[i]];
    return found;
}

/* Divide the first `count` cells of the order into two parts; the others stay in place. */
static enum kn_status divide_cells(struct kn_cuda *m, int32_t *order, int count, int block)
{
    int32_t *sorted = (int32_t *)malloc(((size_t)count + 1) * sizeof *sorted);
    int placed = 0;
    if (!sorted)
        return no_memory();
    for (int part = 0; part < 2; part++) {
        m->parts[part].first_cell = placed;
        for (int first = 0; first < count; first += block)
            for (int i = first; i < first + block && i < count; i++)
                if (is_rim(m, order, first, block, count) == (part == 1))
                    sorted[placed++] = order[i];
        m->parts[part].cells = placed - m->parts[part].first_cell;
    }
    for (int i = 0; i < count; i++)
        order[i] = sorted[i];
    free(sorted);
    return KN_OK;
}

/* Starts of the tiles along an axis of the box: as in the whole space, but tiles cut by a border of the
 * box are shifted inwards and may overlap; cells in two tiles are computed twice with the same result.
 * Returns the number of tiles. */
static int list_starts(const struct kn_cuda *m, int axis, int first, int end, int32_t *to)
{
    const int tile = axis == 0 ? KN_CUDA_COLUMNS : KN_CUDA_ROWS,
              grid = m->device.inner.first[axis] - m->problem.space->box.first[axis]; /* <= first */
    int count = 0, at = first;
    while (at < end) {
        const int start = at + tile <= end ? at : end - tile;
        if (count == 0 || to[count - 1] != start)
            to[count++] = start;
        at = grid + ((at - grid) / tile + 1) * tile;
    }
    return count;
}

static struct kn_cuda_tile tile_at(const struct kn_cuda *m, const int at[2])
{
    const struct kn_space *x = m->problem.space;
    const struct kn_cuda_inner *inner = &m->device.inner;
    const int size[2] = {KN_CUDA_COLUMNS, KN_CUDA_ROWS};
    struct kn_cuda_tile tile = {at[0] + x->cells[0] * at[1], 0};
    for (int a = 0; a < 2; a++) {
        const int place = x->box.first[a] + at[a], end = inner->first[a] + inner->tiles[a] * size[a];
        if (place == inner->first[a])
            tile.walls |= inner->walls & 1 << 2 * a;
        if (place + size[a] == end)
            tile.walls |= inner->walls & 2 << 2 * a;
    }
    return tile;
}

/* 0: only cells of this rank surround the tile; 1: also walls, which may have to be waited for; 2: cells
 * of other ranks. */
static int kind_of(const struct kn_cuda *m, struct kn_cuda_tile tile)
{
    const int across = m->problem.space->cells[0];
    bool rim = false;
    for (int i = 0; i < KN_CUDA_COLUMNS * KN_CUDA_ROWS; i++)
        rim = rim || m->problem.halo->rim[tile.cell + i % KN_CUDA_COLUMNS + across * (i / KN_CUDA_COLUMNS)];
    return rim ? 2 : tile.walls ? 1 : 0;
}

/* All tiles by kind; `starts` by axis, `count` of them. */
static enum kn_status list_tiles(struct kn_cuda *m, int32_t *const starts[2], const int count[2])
{
    const size_t ntiles = (size_t)count[0] * (size_t)count[1];
    struct kn_cuda_tile *tiles = (struct kn_cuda_tile *)malloc((ntiles + 1) * sizeof *tiles);
    int32_t placed = 0;
    if (!tiles)
        return no_memory();
    for (int kind = 0; kind < 3; kind++) {
        struct kn_cuda_part *part = &m->parts[kind == 2];
        if (kind != 1)
            part->first_tile = placed;
        for (int i = 0; i < count[0] * count[1]; i++) {
            const int at[2] = {starts[0][i % count[0]], starts[1][i / count[0]]};
            const struct kn_cuda_tile tile = tile_at(m, at);
            if (kind_of(m, tile) == kind)
                tiles[placed++] = tile;
        }
        part->tiles = placed - part->first_tile;
    }
    const enum kn_status status = kn_cuda_upload(m, (const void **)&m->tiles, tiles, ntiles * sizeof *tiles);
    free(tiles);
    return status;
}

/* The tiles of this rank. */
static enum kn_status find_tiles(struct kn_cuda *m)
{
    const struct kn_box box = kn_cuda_layout_marched(m);
    const int tile[2] = {KN_CUDA_COLUMNS, KN_CUDA_ROWS};
    int32_t *starts[2] = {NULL, NULL};
    int count[2] = {0, 0};
    for (int a = 0; a < 2; a++)
        if (box.end[a] > box.first[a] && box.end[a] - box.first[a] < tile[a])
            return kn_error_set(
                KN_EINPUT,
                "space.cells: a box of %d x %d cells for one rank is too thin for a GPU (start "
                "fewer ranks)",
                m->problem.space->cells[0], m->problem.space->cells[1]);
    starts[0] = (int32_t *)malloc(((size_t)(box.end[0] + box.end[1]) + 2) * sizeof *starts[0]);
    if (!starts[0])
        return no_memory();
    starts[1] = starts[0] + box.end[0] + 1;
    for (int a = 0; a < 2; a++)
        count[a] = list_starts(m, a, box.first[a], box.end[a], starts[a]);
    const enum kn_status status = list_tiles(m, starts, count);
    free(starts[0]);
    return status;
}

static enum kn_status divide_faces(struct kn_cuda *m)
{
    const int nfaces = m->problem.space->nfaces;
    int32_t *faces = (int32_t *)malloc(((size_t)nfaces + 1) * sizeof *faces), placed = 0;
    if (!faces)
        return no_memory();
    for (int part = 0; part < 2; part++) {
        m->parts[part].first_face = placed;
        for (int face = 0; face < nfaces; face++)
            if (m->problem.halo->rim_faces[face] == part)
                faces[placed++] = face;
        m->parts[part].faces = placed - m->parts[part].first_face;
    }
    const enum kn_status status =
        kn_cuda_upload(m, (const void **)&m->faces, faces, (size_t)nfaces * sizeof *faces);
    free(faces);
    return status;
}

/* The neighbour beyond a side of a place of the whole space. */
enum beyond { A_CELL, THE_OTHER_END, A_MIRROR, A_WALL };

static enum beyond beyond(const struct kn_cuda *m, const struct kn_geometry *g, const int at[3], int side)
{
    const int axis = side / 2, next = at[axis] + (side % 2 == 1 ? 1 : -1);
    const int to[3] = {axis == 0 ? next : at[0], axis == 1 ? next : at[1], axis == 2 ? next : at[2]};
    if (kn_geometry_fills(g, at) >= 0 || kn_geometry_covers(g, at, side) >= 0 ||
        kn_geometry_fills(g, to) >= 0)
        return A_WALL;
    if (next >= 0 && next < m->problem.space->whole[axis])
        return A_CELL;
    if (m->problem.c->walls[side].kind == KN_WALL_PERIODIC)
        return THE_OTHER_END;
    return m->problem.boundary->patches[side].emits ? A_WALL : A_MIRROR;
}

/* True if a cell can be part of a run in an octant, as in find_inflow in cuda_monte_carlo.cu; `leads`: its
 * upwind neighbour is outside the run. */
static bool fits_run(const struct kn_cuda *m, const struct kn_geometry *g, const int at[3], int octant,
                     bool leads)
{
    const struct kn_mesh *mesh = &m->device.mesh;
    bool fits = true, wall = false;
    for (int a = 0; a < mesh->naxes; a++) {
        const int axis = mesh->axes[a], up = 2 * axis + ((octant & mesh->bit[axis]) != 0);
        const enum beyond upwind = beyond(m, g, at, up);
        fits = fits && upwind != A_WALL && axis == a && (a > 0 || leads || upwind == A_CELL);
        for (int side = 2 * axis; side < 2 * axis + 2; side++)
            wall = wall || beyond(m, g, at, side) >= A_MIRROR;
    }
    return fits && !(octant == 0 && wall);
}

/* True if a single rank would stream these cells as a run. `first` is their number in the whole space. */
static bool is_run(const struct kn_cuda *m, const struct kn_geometry *g, int64_t first, int octant,
                   int together)
{
    const struct kn_space *x = m->problem.space;
    const struct kn_mesh *mesh = &m->device.mesh;
    const bool up = !(octant & mesh->bit[mesh->axes[0]]); /* velocities point from low cells to high ones */
    bool run = first + together <= kn_space_count(x);
    for (int i = 0; i < together && run; i++) {
        const int64_t cell = first + i;
        const int at[3] = {(int)(cell % x->whole[0]), (int)(cell / x->whole[0] % x->whole[1]),
                           (int)(cell / x->whole[0] / x->whole[1])};
        run = fits_run(m, g, at, octant, i == (up ? 0 : together - 1));
    }
    return run;
}

static enum kn_status find_runs(struct kn_cuda *m, int together)
{
    const struct kn_space *x = m->problem.space;
    const struct kn_mesh *mesh = &m->device.mesh;
    struct kn_geometry g;
    KN_TRY(kn_geometry_create(&g, m->problem.c));
    uint8_t *runs = (uint8_t *)calloc((size_t)x->ncells + 1, sizeof *runs), found = 0;
    int64_t last = -1;
    if (!runs) {
        kn_geometry_destroy(&g);
        return no_memory();
    }
    for (int cell = 0; cell < x->ncells && m->device.order == 1 && mesh->naxes > 1; cell++) {
        const int64_t first = kn_space_number(x, cell) / together * together;
        if (first != last) { /* else as the cell before it */
            found = 0;
            for (int octant = 0; octant < mesh->octants; octant++)
                found |= (uint8_t)(is_run(m, &g, first, octant, together) << octant);
        }
        last = first;
        runs[cell] = found;
    }
    const enum kn_status status = kn_cuda_upload(m, (const void **)&m->device.runs, runs, (size_t)x->ncells);
    free(runs);
    kn_geometry_destroy(&g);
    return status;
}

enum kn_status kn_cuda_ranks_divide(struct kn_cuda *m, int32_t *order)
{
    const struct kn_cuda_problem *p = &m->device;
    const bool marches = p->choice.marches;
    const int together = p->choice.together > 1 ? p->choice.together : 1, ncells = m->problem.space->ncells;
    for (int i = 0; i < ncells && p->choice.sweep != KN_CUDA_LINEAR; i++)
        order[i] = i; /* other kernels process consecutive cells */
    KN_TRY(divide_cells(m, order, marches ? m->unmarched : ncells, together));
    KN_TRY(divide_faces(m));
    if (p->method == KN_METHOD_MONTE_CARLO)
        KN_TRY(find_runs(m, together));
    return marches ? find_tiles(m) : KN_OK;
}
