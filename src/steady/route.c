/* The order of the cells in the sweep of an octant, in which every cell comes after its upwind neighbours,
 * and the connected regions of the gas. */
#include "steady/route.h"

#include "error.h"
#include "point/steady.h"

#include <math.h>
#include <stdlib.h>

/* The cells of a sweep in one octant: in a route, and the number of upwind cells that are not yet in it. */
struct sweep {
    const struct kn_problem *p;
    struct kn_mesh mesh;
    int octant;
    int *missing;   /* [ncells] */
    int32_t *route; /* [ncells] */
    int placed;
};

/* 1: molecules of the octant leave through a piece; -1: they enter; 0: there is no cell behind it. */
static int direction_of(const struct sweep *s, const struct kn_piece *piece)
{
    if (piece->axis < 0 || piece->cell < 0)
        return 0;
    return kn_velocity_sign(s->p->velocity, s->octant, piece->axis) * piece->area[piece->axis] > 0 ? 1 : -1;
}

/* Upwind cells that a sweep computes before a cell.  Those of links belong to the control volume. */
static void count_missing(const struct sweep *s)
{
    const struct kn_volumes *v = &s->p->space->volumes;
    for (int cell = 0; cell < s->p->space->ncells; cell++) {
        const struct kn_site here = {cell, s->octant};
        s->missing[cell] = 0;
        for (int i = 0; i < s->mesh.naxes; i++)
            s->missing[cell] += kn_steady_follows(
                &s->mesh, here, kn_mesh_walk(&s->mesh, here, s->mesh.axes[i], 0), s->mesh.axes[i]);
    }
    for (int i = 0; i < v->count; i++)
        for (int k = v->list[i].first_piece; k < v->list[i].first_piece + v->list[i].pieces; k++) {
            const struct kn_piece *piece = &v->pieces[k];
            const int direction = direction_of(s, piece);
            if (direction > 0)
                s->missing[piece->cell]++;
            else if (direction < 0 && !kn_volumes_own(v, piece->cell))
                s->missing[v->list[i].cell]++;
        }
}

static void place(struct sweep *s, int cell)
{
    s->missing[cell] = -1;
    s->route[s->placed++] = cell;
}

/* An upwind cell of a cell is in the route. */
static void release(struct sweep *s, int cell)
{
    if (s->missing[cell] > 0 && --s->missing[cell] == 0)
        place(s, cell);
}

/* Release the cells downwind of one that is in the route. */
static void release_downwind(struct sweep *s, int cell)
{
    const struct kn_space *x = s->p->space;
    const struct kn_volume *own = kn_volumes_own(&x->volumes, cell);
    const struct kn_site here = {cell, s->octant};
    for (int k = 0; own && k < own->pieces; k++) {
        const struct kn_piece *piece = &x->volumes.pieces[own->first_piece + k];
        if (direction_of(s, piece) > 0)
            release(s, piece->cell);
    }
    for (int a = 0; a < s->mesh.naxes && !own; a++) {
        const struct kn_site next = kn_mesh_walk(&s->mesh, here, s->mesh.axes[a], 1);
        const struct kn_link *link =
            next.cell < 0 ? kn_volumes_link(&x->volumes, x->nfaces, ~next.cell) : NULL;
        if (link && link->beyond >= 0)
            release(s, link->beyond);
        if (next.cell >= 0 && next.octant == s->octant &&
            kn_steady_follows(&s->mesh, next, here, s->mesh.axes[a]))
            release(s, next.cell);
    }
}

/* In a circle of control volumes: the one with the fewest upwind cells that are missing; -1: there is no
 * circle. */
static int find_least(const struct sweep *s)
{
    const struct kn_volumes *v = &s->p->space->volumes;
    int least = -1;
    for (int i = 0; i < v->count; i++) {
        const int cell = v->list[i].cell;
        if (s->missing[cell] > 0 && (least < 0 || s->missing[cell] < s->missing[least]))
            least = cell;
    }
    return least;
}

/* Cells without upwind cells, then those whose upwind cells are all in the route. */
static void find_route(struct sweep *s)
{
    count_missing(s);
    for (int cell = 0; cell < s->p->space->ncells; cell++)
        if (s->missing[cell] == 0)
            place(s, cell);
    for (int i = 0; i < s->p->space->ncells; i++) {
        if (i == s->placed)
            place(s, find_least(s));
        release_downwind(s, s->route[i]);
    }
}

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

static enum kn_status find_regions(struct kn_steady_plan *p, const struct kn_mesh *m, int32_t *region,
                                   int32_t *cells)
{
    const struct kn_space *x = p->problem->space;
    struct queue q = {.region = region, .cells = cells};
    for (int cell = 0; cell < x->ncells; cell++)
        region[cell] = -1;
    for (int cell = 0; cell < x->ncells; cell++)
        if (region[cell] < 0 && !(x->solid && x->solid[cell]))
            fill_region(p->problem, m, cell, p->regions++, &q);
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
    for (int i = 0; i < p->regions && status == KN_OK; i++) {
        closed[i] = !s[i].open;
        status = check_region(p, &s[i]);
    }
    free(s);
    return status;
}

/* Cells without a row have no volume. */
static void find_volumes(const struct kn_steady_plan *p, const struct kn_mesh *m, double *volume)
{
    const struct kn_volumes *v = &p->problem->space->volumes;
    for (int cell = 0; cell < p->problem->space->ncells; cell++) {
        volume[cell] = p->region[cell] >= 0;
        for (int i = 0; i < m->naxes; i++)
            volume[cell] *= kn_mesh_width(m, cell, m->axes[i]);
    }
    for (int i = 0; i < v->count; i++)
        volume[v->list[i].cell] = v->list[i].size;
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
            find_route(&(struct sweep){p->problem, m, octant, missing, route + (size_t)octant * ncells, 0});
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
