/* The connected regions of the gas, and whether a steady state exists in each. */
#include "steady/regions.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>

/* The cells of a region. */
struct queue {
    int32_t *region; /* [ncells] */
    int32_t *cells;  /* [ncells] */
    int count;
};

static void enqueue(struct queue *q, int cell, int region)
{
    if (q->region[cell] >= 0)
        return;
    q->region[cell] = region;
    q->cells[q->count++] = cell;
}

/* Put all cells that are connected with a cell into a region. */
static void fill_region(const struct kn_problem *p, const struct kn_mesh *m, int cell, int region,
                        struct queue *q)
{
    const struct kn_volumes *v = &p->space->volumes;
    q->count = 0;
    enqueue(q, cell, region);
    for (int i = 0; i < q->count; i++) {
        const struct kn_volume *own = kn_volumes_own(v, q->cells[i]);
        for (int side = 0; side < 2 * m->naxes; side++) {
            const int32_t next = m->neighbour[6 * (int64_t)q->cells[i] + 2 * m->axes[side / 2] + side % 2];
            const struct kn_link *link = next < 0 ? kn_volumes_link(v, p->space->nfaces, ~next) : NULL;
            if (next >= 0 || link)
                enqueue(q, link ? kn_volumes_cell(link->beyond) : next, region);
        }
        for (int k = 0; own && k < own->pieces; k++)
            if (v->pieces[own->first_piece + k].axis >= 0)
                enqueue(q, kn_volumes_cell(v->pieces[own->first_piece + k].cell), region);
    }
}

/* What the surfaces of a region do. */
struct surfaces {
    bool open, holds; /* they determine the mass; velocity and temperature */
    double inflow,
        most; /* prescribed mass flux, and what it would be if all surfaces moved along their normals */
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

/* A facet is a diffuse wall, an inflow or a mirror. */
static void add_facet(const struct kn_facet *f, const struct kn_emission *e, struct surfaces *s)
{
    const bool given = isinf(e->unit_flux);
    if (f->mirror >= 0)
        return;
    s->holds = true;
    s->open = s->open || given;
    if (!given) {
        const double *u = e->velocity;
        s->inflow += f->area * e->prescribed_flux;
        s->most += f->area * sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
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

// NOLINTNEXTLINE(readability-non-const-parameter): the queue writes to cells
static enum kn_status find_regions(struct kn_steady_plan *p, int32_t *region, int32_t *cells)
{
    const struct kn_space *x = p->problem->space;
    const struct kn_mesh m = kn_backend_mesh(p->problem);
    struct queue q = {.region = region, .cells = cells};
    for (int cell = 0; cell < x->ncells; cell++)
        region[cell] = -1;
    for (int cell = 0; cell < x->ncells; cell++)
        if (region[cell] < 0 && !(x->solid && x->solid[cell]))
            fill_region(p->problem, &m, cell, p->regions++, &q);
    bool *closed = calloc((size_t)p->regions + 1, sizeof *closed);
    struct surfaces *s = calloc((size_t)p->regions + 1, sizeof *s);
    enum kn_status status =
        closed && s ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for %d parts of the gas", p->regions);
    p->closed = closed;
    for (int i = 0; i < x->nfaces && status == KN_OK; i++)
        add_surface(&x->faces[i], &p->problem->boundary->patches[x->faces[i].patch],
                    &s[region[x->faces[i].cell]]);
    for (int i = 0; i < x->volumes.nfacets && status == KN_OK; i++)
        add_facet(&x->volumes.facets[i], &p->problem->boundary->emissions[i],
                  &s[region[x->volumes.list[x->volumes.facets[i].volume].cell]]);
    for (int i = 0; i < p->regions && closed && s && status == KN_OK; i++) {
        closed[i] = !s[i].open;
        status = check_region(p, &s[i]);
    }
    free(s);
    return status;
}

enum kn_status kn_regions_create(struct kn_steady_plan *p)
{
    const size_t ncells = (size_t)p->problem->space->ncells;
    int32_t *region = malloc(ncells * sizeof *region), *cells = malloc(ncells * sizeof *cells);
    const enum kn_status status =
        region && cells ? find_regions(p, region, cells)
                        : kn_error_set(KN_EMEMORY, "no memory for the regions of %zu cells", ncells);
    p->region = region;
    free(cells);
    return status;
}

void kn_regions_destroy(struct kn_steady_plan *p)
{
    free((void *)p->region);
    free((void *)p->closed);
}
