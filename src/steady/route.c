/* The order of the cells in the sweep of an octant, in which every cell comes after its upwind neighbours,
 * and the connected regions of the gas. */
#include "steady/route.h"

#include "error.h"
#include "point/steady.h"

#include <math.h>
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

/* Put all cells that are connected with a cell into its region; `queue` has room for all cells. */
static void fill_region(const struct kn_mesh *m, int cell, int32_t *region, int32_t *queue)
{
    int count = 1;
    queue[0] = cell;
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2 * m->naxes; side++) {
            const int32_t next = m->neighbour[6 * (int64_t)queue[i] + 2 * m->axes[side / 2] + side % 2];
            if (next < 0 || region[next] >= 0)
                continue;
            region[next] = region[cell];
            queue[count++] = next;
        }
}

/* What the surfaces of a region do. */
struct surfaces {
    bool open, holds;    /* they determine the mass; velocity and temperature */
    double inflow, most; /* prescribed mass flux, and the sum of its absolute values */
};

static void add_surface(const struct kn_face *face, const struct kn_patch *patch, struct surfaces *s)
{
    const bool given = isinf(patch->unit_flux) && patch->replaces != 0;
    if (!patch->emits)
        return;
    s->holds = s->holds || patch->replaces != 0;
    s->open = s->open || given || patch->drifts == KN_DRIFT_PRESSURE;
    if (isfinite(patch->prescribed_flux)) {
        s->inflow += face->area * patch->prescribed_flux;
        s->most += face->area * fabs(patch->prescribed_flux);
    }
}

/* A region in which a steady state exists, and is determined up to the mass. */
static enum kn_status check_region(const struct kn_steady_plan *p, const struct surfaces *s)
{
    const bool steady = p->problem->c->time.mode == KN_MODE_STEADY;
    if (steady && !s->holds)
        return kn_error_set(KN_EINPUT,
                            "time.mode: steady: a part of the gas touches only mirrors, and nothing "
                            "determines its velocity and temperature (a diffuse wall or a port does; or "
                            "time.mode: unsteady)");
    if (steady && !s->open && fabs(s->inflow) > 1e-6 * s->most)
        return kn_error_set(KN_EINPUT,
                            "time.mode: steady: a moving surface or a given flow changes the mass "
                            "of a closed part of the gas, which has no steady state (time.mode: unsteady)");
    return KN_OK;
}

static enum kn_status find_regions(struct kn_steady_plan *p, const struct kn_mesh *m, int32_t *region,
                                   int32_t *queue)
{
    const struct kn_space *x = p->problem->space;
    for (int cell = 0; cell < x->ncells; cell++)
        region[cell] = -1;
    for (int cell = 0; cell < x->ncells; cell++)
        if (region[cell] < 0 && !(x->solid && x->solid[cell])) {
            region[cell] = p->regions++;
            fill_region(m, cell, region, queue);
        }
    bool *closed = calloc((size_t)p->regions + 1, sizeof *closed);
    struct surfaces *s = calloc((size_t)p->regions + 1, sizeof *s);
    enum kn_status status =
        closed && s ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for %d parts of the gas", p->regions);
    p->closed = closed;
    for (int i = 0; i < x->nfaces && status == KN_OK; i++)
        add_surface(&x->faces[i], &p->problem->boundary->patches[x->faces[i].patch],
                    &s[region[x->faces[i].cell]]);
    for (int i = 0; i < p->regions && status == KN_OK; i++) {
        closed[i] = !s[i].open;
        status = check_region(p, &s[i]);
    }
    free(s);
    return status;
}

/* Solid cells have no volume. */
static void find_volumes(const struct kn_steady_plan *p, const struct kn_mesh *m, double *volume)
{
    for (int cell = 0; cell < p->problem->space->ncells; cell++) {
        volume[cell] = p->region[cell] >= 0;
        for (int i = 0; i < m->naxes; i++)
            volume[cell] *= kn_mesh_width(m, cell, m->axes[i]);
    }
}

enum kn_status kn_route_create(struct kn_steady_plan *p)
{
    const struct kn_mesh m = kn_backend_mesh(p->problem);
    const size_t ncells = (size_t)p->problem->space->ncells;
    int32_t *route = malloc((size_t)m.octants * ncells * sizeof *route),
            *region = malloc(ncells * sizeof *region);
    double *volume = malloc(ncells * sizeof *volume);
    int *missing = malloc(ncells * sizeof *missing);
    enum kn_status status = KN_OK;
    p->route = route;
    p->region = region;
    p->volume = volume;
    if (route && region && volume && missing) {
        status = find_regions(p, &m, region, missing);
        find_volumes(p, &m, volume);
        for (int octant = 0; octant < m.octants; octant++)
            find_route(&m, (int)ncells, octant, missing, route + (size_t)octant * ncells);
    } else {
        status = kn_error_set(KN_EMEMORY, "no memory for the sweeps over %zu cells", ncells);
    }
    free(missing);
    return status;
}

void kn_route_destroy(struct kn_steady_plan *p)
{
    free((void *)p->route);
    free((void *)p->region);
    free((void *)p->volume);
    free((void *)p->closed);
}
