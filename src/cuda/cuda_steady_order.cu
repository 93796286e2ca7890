/* The order of the cells in sweeps on the device: levels, whose cells depend on earlier levels only, in
 * stages of as many cells as a block computes at a time. */
#include "cuda/cuda_steady.h"

#include <stdlib.h>

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the order of the cells");
}

/* The levels of the cells of an octant: one more than those of all upwind cells; returns their number. */
static int find_levels(const struct kn_steady_plan *p, const struct kn_mesh *mesh, int octant, int32_t *level)
{
    const int ncells = p->problem->space->ncells;
    int most = 0;
    for (int i = 0; i < ncells; i++) {
        const struct kn_site here = {p->route[(size_t)octant * (size_t)ncells + (size_t)i], octant};
        level[here.cell] = 0;
        for (int a = 0; a < mesh->naxes; a++) {
            const struct kn_site up = kn_mesh_walk(mesh, here, mesh->axes[a], 0);
            if (kn_steady_follows(mesh, here, up, mesh->axes[a]) && level[up.cell] >= level[here.cell])
                level[here.cell] = level[up.cell] + 1;
        }
        most = level[here.cell] > most ? level[here.cell] : most;
    }
    return most + 1;
}

/* The order of a sweep. */
struct order {
    int ncells, octants, nlevels, widest;
    int32_t *level; /* [octants][ncells] */
    int32_t *count; /* [octants][nlevels] cells of a level */
    int32_t *place; /* [octants][ncells] of a cell in its level */
};

static void destroy_order(struct order *o)
{
    free(o->level);
    free(o->count);
    free(o->place);
}

static enum kn_status create_order(struct order *o, const struct kn_steady_plan *plan,
                                   const struct kn_mesh *mesh)
{
    const size_t ncells = (size_t)plan->problem->space->ncells, octants = (size_t)mesh->octants;
    o->ncells = (int)ncells;
    o->octants = mesh->octants;
    o->level = (int32_t *)calloc(octants * ncells, sizeof *o->level);
    o->place = (int32_t *)calloc(octants * ncells, sizeof *o->place);
    for (size_t i = 0; i < octants && o->level; i++) {
        const int count = find_levels(plan, mesh, (int)i, o->level + i * ncells);
        o->nlevels = count > o->nlevels ? count : o->nlevels;
    }
    o->count = (int32_t *)calloc(octants * (size_t)o->nlevels, sizeof *o->count);
    if (!o->level || !o->place || !o->count)
        return no_memory();
    for (size_t i = 0; i < octants * ncells; i++) {
        int32_t *count = &o->count[i / ncells * (size_t)o->nlevels + (size_t)o->level[i]];
        o->place[i] = (*count)++;
        o->widest = *count > o->widest ? *count : o->widest;
    }
    return KN_OK;
}

/* The upwind cell of a stop, struct kn_cuda_steady_stop. */
static int32_t code_of(const struct order *o, bool kept, const struct kn_site *here, const struct kn_site *up)
{
    const int32_t *level = o->level + (size_t)here->octant * (size_t)o->ncells,
                  *place = o->place + (size_t)here->octant * (size_t)o->ncells;
    return kept && level[up->cell] == level[here->cell] - 1 ? place[up->cell] : -2 - up->cell;
}

/* The stages of an octant; first[level] is the first stage of each. */
static void fill_stops(const struct kn_cuda_steady_order *d, const struct order *o,
                       const struct kn_mesh *mesh, int octant, const int32_t *first,
                       struct kn_cuda_steady_stop *stops)
{
    const struct kn_cuda_steady_stop none = {0, {-1, -1, -1}, {0, 0, 0, 0}};
    for (size_t i = 0; i < (size_t)d->nstages * (size_t)d->together; i++)
        stops[i] = none;
    for (int cell = 0; cell < o->ncells; cell++) {
        const size_t at = (size_t)octant * (size_t)o->ncells + (size_t)cell;
        const struct kn_site here = {cell, octant};
        struct kn_cuda_steady_stop *stop =
            stops + (size_t)first[o->level[at]] * (size_t)d->together + (size_t)o->place[at];
        stop->cell = 2 * (cell + 1);
        for (int a = 0; a < mesh->naxes; a++) {
            const struct kn_site up = kn_mesh_walk(mesh, here, mesh->axes[a], 0);
            stop->per_width[a] = 1 / (double)kn_mesh_width(mesh, cell, mesh->axes[a]);
            stop->up[a] =
                kn_steady_follows(mesh, here, up, mesh->axes[a]) ? code_of(o, d->kept > 0, &here, &up) : -1;
        }
    }
    for (int level = 0; level < o->nlevels; level++)
        for (int i = 0; i < d->together; i++)
            stops[(size_t)(first[level + 1] - 1) * (size_t)d->together + (size_t)i].cell |= 1;
}

/* The first stage of every level of an octant; every level has one; returns their number. */
static int find_stages(const struct order *o, int octant, int together, int32_t *first)
{
    first[0] = 0;
    for (int level = 0; level < o->nlevels; level++) {
        const int count = o->count[(size_t)octant * (size_t)o->nlevels + (size_t)level];
        first[level + 1] = first[level] + (count > together ? (count + together - 1) / together : 1);
    }
    return first[o->nlevels];
}

static enum kn_status fill_order(struct kn_cuda_steady_order *d, const struct order *o,
                                 const struct kn_mesh *mesh)
{
    int32_t *first = (int32_t *)calloc((size_t)o->nlevels + 1, sizeof *first);
    for (int octant = 0; octant < o->octants && first; octant++) {
        const int count = find_stages(o, octant, d->together, first);
        d->nstages = count > d->nstages ? count : d->nstages;
    }
    const size_t size = (size_t)d->nstages * (size_t)d->together;
    d->count = (size_t)o->octants * size;
    d->stops = (struct kn_cuda_steady_stop *)malloc((d->count + 1) * sizeof *d->stops);
    for (int octant = 0; octant < o->octants && first && d->stops; octant++) {
        find_stages(o, octant, d->together, first);
        fill_stops(d, o, mesh, octant, first, d->stops + (size_t)octant * size);
    }
    const bool complete = first && d->stops;
    free(first);
    return complete ? KN_OK : no_memory();
}

/* All levels are in shared memory, if it has room for real and imaginary parts of two levels. */
enum kn_status kn_cuda_steady_order_create(struct kn_cuda_steady_order *d, const struct kn_steady_plan *plan,
                                           size_t shared)
{
    const struct kn_mesh mesh = kn_backend_mesh(plan->problem);
    struct order o = {};
    *d = kn_cuda_steady_order{};
    enum kn_status status = create_order(&o, plan, &mesh);
    d->together = o.widest < KN_CUDA_STEADY_SLOTS ? (o.widest + 7) / 8 * 8 : (int)KN_CUDA_STEADY_SLOTS;
    d->kept = (size_t)o.widest * 4 * KN_CUDA_STEADY_GROUP * sizeof(double) <= shared ? o.widest : 0;
    if (status == KN_OK)
        status = fill_order(d, &o, &mesh);
    destroy_order(&o);
    if (status != KN_OK) {
        free(d->stops);
        d->stops = NULL;
    }
    return status;
}
