/* The order of the cells in the sweep of an octant, in which every cell comes after its upwind neighbours. */
#include "steady/route.h"

#include "error.h"

#include <stdlib.h>

/* The cells of a sweep in one octant: in a route, and the number of upwind cells that are not yet in it. */
struct sweep {
    const struct kn_problem *p;
    struct kn_mesh mesh; /* with kn_steady_plan.upwind */
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

static bool is_own(const struct sweep *s, int cell)
{
    return cell >= 0 && cell < s->p->space->ncells;
}

/* Upwind cells of this rank that a sweep computes before a cell.  Those of links belong to the control
 * volume. */
static void count_missing(const struct sweep *s)
{
    const struct kn_volumes *v = &s->p->space->volumes;
    for (int cell = 0; cell < s->p->space->ncells; cell++) {
        const struct kn_site here = {cell, s->octant};
        s->missing[cell] = 0;
        for (int i = 0; i < s->mesh.naxes; i++)
            s->missing[cell] += is_own(s, kn_mesh_walk(&s->mesh, here, s->mesh.axes[i], 0).cell);
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
        if (is_own(s, next.cell))
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

/* True if the space ends at a side of a cell. */
static bool is_last(const struct kn_space *x, int cell, int side)
{
    int at[3];
    kn_space_place(x, cell, at);
    return at[side / 2] == (side % 2 ? x->whole[side / 2] - 1 : 0);
}

/* Neighbours that are other cells and not behind a periodic end, and links. */
static void find_upwind(const struct kn_space *x, int32_t *upwind)
{
    for (int cell = 0; cell < x->ncells; cell++)
        for (int side = 0; side < 6; side++) {
            const int32_t next = x->neighbour[6 * (int64_t)cell + side];
            const bool link = next < 0 && kn_volumes_link(&x->volumes, x->nfaces, ~next);
            upwind[6 * (int64_t)cell + side] =
                link || (next >= 0 && next != cell && !is_last(x, cell, side)) ? next : KN_SPACE_OUTSIDE;
        }
}

/* Cells without a row have no volume. */
static void find_volumes(const struct kn_space *x, const struct kn_mesh *m, double *volume)
{
    for (int cell = 0; cell < x->ncells; cell++) {
        volume[cell] = !(x->solid && x->solid[cell]);
        for (int i = 0; i < m->naxes; i++)
            volume[cell] *= kn_mesh_width(m, cell, m->axes[i]);
    }
    for (int i = 0; i < x->volumes.count; i++)
        volume[x->volumes.list[i].cell] = x->volumes.list[i].size;
}

enum kn_status kn_route_create(struct kn_steady_plan *p)
{
    struct kn_mesh m = kn_backend_mesh(p->problem);
    const struct kn_space *x = p->problem->space;
    const size_t ncells = (size_t)x->ncells;
    int32_t *route = malloc((size_t)m.octants * ncells * sizeof *route),
            *upwind = malloc(6 * ncells * sizeof *upwind);
    double *volume = malloc(ncells * sizeof *volume);
    int *missing = malloc(ncells * sizeof *missing);
    const bool complete = route && upwind && volume && missing;
    p->route = route;
    p->upwind = upwind;
    p->volume = volume;
    if (complete) {
        find_volumes(x, &m, volume);
        find_upwind(x, upwind);
        m.neighbour = upwind;
        for (int octant = 0; octant < m.octants; octant++)
            find_route(&(struct sweep){p->problem, m, octant, missing, route + (size_t)octant * ncells, 0});
    }
    free(missing);
    return complete ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the sweeps over %zu cells", ncells);
}

void kn_route_destroy(struct kn_steady_plan *p)
{
    free((void *)p->route);
    free((void *)p->upwind);
    free((void *)p->volume);
}
