/* The order in which the CPU processes cells, walls and control volumes. */
#include "cpu/cpu_kernels.h"

#include "error.h"

#include <stdlib.h>

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

static void add_all(const uint8_t *rim, bool wanted, int count, struct kn_route *r)
{
    for (int i = 0; i < count; i++)
        add_stop(r, rim, wanted, i, 1, count);
}

static void fill(struct kn_routes *r, const struct kn_problem *p, int block)
{
    static const struct kn_halo alone = {0};
    const struct kn_space *x = p->space;
    const struct kn_halo *halo = p->halo ? p->halo : &alone;
    for (int wanted = 0; wanted < 2; wanted++) {
        r->cells.inner = r->cells.count;
        r->faces.inner = r->faces.count;
        r->volumes.inner = r->volumes.count;
        r->links.inner = r->links.count;
        if (block == 1)
            add_strips(p, halo->rim, wanted, &r->cells);
        for (int first = 0; first < x->ncells && block > 1; first += block)
            if (!is_solid(x->solid, first, block, x->ncells))
                add_stop(&r->cells, halo->rim, wanted, first, block, x->ncells);
        add_all(halo->rim_faces, wanted, x->nfaces, &r->faces);
        add_all(halo->rim_volumes, wanted, x->volumes.count, &r->volumes);
        add_all(halo->rim_links, wanted, x->volumes.own_links, &r->links);
    }
}

enum kn_status kn_cpu_routes_create(struct kn_routes *r, const struct kn_problem *p, int block)
{
    const struct kn_space *x = p->space;
    r->cells.stop = malloc((size_t)x->ncells * sizeof *r->cells.stop);
    r->faces.stop = malloc(((size_t)x->nfaces + 1) * sizeof *r->faces.stop);
    r->volumes.stop = malloc(((size_t)x->volumes.count + 1) * sizeof *r->volumes.stop);
    r->links.stop = malloc(((size_t)x->volumes.own_links + 1) * sizeof *r->links.stop);
    if (!r->cells.stop || !r->faces.stop || !r->volumes.stop || !r->links.stop)
        return kn_error_set(KN_EMEMORY, "no memory for the order of %d cells", x->ncells);
    fill(r, p, block);
    return KN_OK;
}

void kn_cpu_routes_destroy(struct kn_routes *r)
{
    free(r->cells.stop);
    free(r->faces.stop);
    free(r->volumes.stop);
    free(r->links.stop);
}
