/* The order of the cells in the sweep of an octant: every cell comes after its upwind neighbours. */
#include "steady/route.h"

#include "error.h"
#include "point/steady.h"

#include <stdlib.h>

/* Upwind cells that a sweep computes before a cell. */
static int count_before(const struct kn_mesh *m, struct kn_site s)
{
    int count = 0;
    for (int i = 0; i < m->naxes; i++)
        count += kn_steady_follows(m, s, kn_mesh_walk(m, s, m->axes[i], 0), m->axes[i]);
    return count;
}

/* Cells without upwind cells, then those whose upwind cells are all in the route. */
static void find_route(const struct kn_mesh *m, int ncells, int octant, int *missing, int32_t *route)
{
    int placed = 0;
    for (int cell = 0; cell < ncells; cell++) {
        missing[cell] = count_before(m, (struct kn_site){cell, octant});
        if (missing[cell] == 0)
            route[placed++] = cell;
    }
    for (int i = 0; i < placed; i++)
        for (int a = 0; a < m->naxes; a++) {
            const struct kn_site here = {route[i], octant}, next = kn_mesh_walk(m, here, m->axes[a], 1);
            if (next.cell >= 0 && next.octant == octant && kn_steady_follows(m, next, here, m->axes[a]) &&
                --missing[next.cell] == 0)
                route[placed++] = next.cell;
        }
}

enum kn_status kn_route_create(struct kn_steady_plan *p)
{
    const struct kn_mesh m = kn_backend_mesh(p->problem);
    const size_t ncells = (size_t)p->problem->space->ncells;
    int32_t *route = malloc((size_t)m.octants * ncells * sizeof *route);
    double *volume = malloc(ncells * sizeof *volume);
    int *missing = malloc(ncells * sizeof *missing);
    p->route = route;
    p->volume = volume;
    if (route && volume && missing) {
        for (int octant = 0; octant < m.octants; octant++)
            find_route(&m, (int)ncells, octant, missing, route + (size_t)octant * ncells);
        for (size_t cell = 0; cell < ncells; cell++) {
            volume[cell] = 1;
            for (int i = 0; i < m.naxes; i++)
                volume[cell] *= kn_mesh_width(&m, (int)cell, m.axes[i]);
        }
    }
    const bool complete = route && volume && missing;
    free(missing);
    return complete ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the sweeps over %zu cells", ncells);
}

void kn_route_destroy(struct kn_steady_plan *p)
{
    free((void *)p->route);
    free((void *)p->volume);
}
