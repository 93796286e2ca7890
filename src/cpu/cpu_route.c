/* The order in which the CPU processes cells and walls. */
#include "cpu/cpu_kernels.h"

/* True if bodies fill all cells of a block. */
static bool is_solid(const uint8_t *solid, int first, int size, int end)
{
    bool all = solid != NULL;
    for (int i = first; all && i < first + size && i < end; i++)
        all = solid[i];
    return all;
}

/* True if an entry needs the halo: a block does if one of its cells does. */
static bool is_rim(const uint8_t *rim, int first, int size, int end)
{
    bool found = false;
    for (int i = first; rim && i < first + size && i < end; i++)
        found = found || rim[i];
    return found;
}

/* Add an entry of `size` out of `end` cells or faces, if it is of the requested kind. */
static void add_stop(struct kn_route *r, const uint8_t *rim, bool wanted, int first, int size, int end)
{
    if (is_rim(rim, first, size, end) == wanted)
        r->stop[r->count++] = first;
}

/* Cells in strips along y, narrow enough that the row of cells below the current one is still in the
 * second-level cache when it is read again. */
static void add_strips(const struct kn_problem *p, const uint8_t *rim, bool wanted, struct kn_route *cells)
{
    const int *n = p->space->cells, lines = n[1] * n[2];
    /* cells in 192 kB; two lines of a strip fit besides other data */
    const double strip = 192e3 / (4.0 * p->velocity->nnodes);
    const int width = strip < 1 ? 1 : strip > n[0] ? n[0] : (int)strip;
    for (int first = 0; first < n[0]; first += width)
        for (int line = 0; line < lines; line++)
            for (int x = first; x < first + width && x < n[0]; x++)
                if (!is_solid(p->space->solid, line * n[0] + x, 1, lines * n[0]))
                    add_stop(cells, rim, wanted, line * n[0] + x, 1, lines * n[0]);
}

void kn_cpu_route(const struct kn_problem *p, int block, struct kn_route *cells, struct kn_route *faces)
{
    const struct kn_space *x = p->space;
    const uint8_t *rim = p->halo ? p->halo->rim : NULL, *rim_faces = p->halo ? p->halo->rim_faces : NULL;
    for (int wanted = 0; wanted < 2; wanted++) {
        cells->inner = cells->count;
        faces->inner = faces->count;
        if (block == 1)
            add_strips(p, rim, wanted, cells);
        for (int first = 0; first < x->ncells && block > 1; first += block)
            if (!is_solid(x->solid, first, block, x->ncells))
                add_stop(cells, rim, wanted, first, block, x->ncells);
        for (int face = 0; face < x->nfaces; face++)
            add_stop(faces, rim_faces, wanted, face, 1, x->nfaces);
    }
}
