/* The moment equations of groups of cells: if cells are thin compared to the mean free path, several cells
 * have the same correction, theory (64). */
#include "cuda/cuda_steady_layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
}

/* The group of every cell: boxes of `side` cells along every axis of the flow. */
static void number_groups(const struct kn_space *x, int side, struct kn_cuda_groups *g)
{
    int longest = 0, extent[3] = {1, 1, 1}, at[3];
    for (int i = 0; i < x->naxes; i++)
        extent[x->axes[i]] = side;
    for (int d = 1; d < 3; d++)
        longest = x->cells[d] > x->cells[longest] ? d : longest;
    for (int cell = 0; cell < x->ncells; cell++) {
        int number = 0;
        kn_space_place(x, cell, at);
        for (int d = 2; d >= 0; d--)
            number = number * ((x->cells[d] + extent[d] - 1) / extent[d]) + at[d] / extent[d];
        number = side == 1 ? cell : number;
        g->group[cell] = number;
        g->along[number] = at[longest] / extent[longest];
        g->first[number + 1]++;
    }
}

/* Boxes without cells are left out; then the cells of every group. */
static void list_members(int ncells, int boxes, struct kn_cuda_groups *g)
{
    for (int box = 0; box < boxes; box++) {
        const int members = g->first[box + 1];
        g->number[box] = g->count;
        g->along[g->count] = g->along[box];
        g->count += members > 0;
        g->first[g->count] = members > 0 ? g->first[g->count - 1] + members : g->first[g->count];
    }
    for (int cell = 0; cell < ncells; cell++)
        g->group[cell] = g->number[g->group[cell]];
    for (int i = 0; i < g->count; i++)
        g->number[i] = g->first[i];
    for (int cell = 0; cell < ncells; cell++)
        g->members[g->number[g->group[cell]]++] = cell;
}

/* A number of a group for each of its cells: its share of the volume. */
static void find_shares(const double *volume, struct kn_cuda_groups *g)
{
    for (int i = 0; i < g->count; i++) {
        double whole = 0;
        for (int k = g->first[i]; k < g->first[i + 1]; k++)
            whole += volume[g->members[k]];
        for (int k = g->first[i]; k < g->first[i + 1]; k++)
            g->share[g->members[k]] = volume[g->members[k]] / whole;
    }
}

/* The entry of a column in the equations of a group; -1: there are too many. */
static int64_t entry_of(const struct kn_cuda_groups *g, int group, int column)
{
    for (int64_t i = (int64_t)group * g->star; i < (int64_t)(group + 1) * g->star; i++)
        if (g->columns[i] == column || g->columns[i] < 0) {
            g->columns[i] = column;
            return i;
        }
    return -1;
}

/* The mean of the equations of the cells of every group; false if a group has too many neighbours. */
static bool add_blocks(const struct kn_steady_equations *e, struct kn_cuda_groups *g)
{
    const int64_t size = (int64_t)e->plan->functions * e->plan->functions;
    bool complete = true;
#pragma omp parallel for schedule(static) num_threads(e->plan->problem->threads) reduction(&& : complete)
    for (int group = 0; group < g->count; group++) {
        entry_of(g, group, group); /* comes first */
        for (int64_t i = (int64_t)g->first[group] * e->star; i < (int64_t)g->first[group + 1] * e->star;
             i++) {
            const int cell = g->members[i / e->star];
            const int64_t from = (int64_t)cell * e->star + i % e->star,
                          to = e->columns[from] < 0 ? -1 : entry_of(g, group, g->group[e->columns[from]]);
            complete = complete && (to >= 0 || e->columns[from] < 0);
            for (int64_t k = 0; k < size && to >= 0; k++)
                g->blocks[to * size + k] += g->share[cell] * e->blocks[from * size + k];
        }
    }
    return complete;
}

double kn_cuda_groups_work(const struct kn_steady_plan *p, int side)
{
    const int *cells = p->problem->space->cells, reach = side == 1 ? 2 : 1;
    double all = 1, longest = 1;
    for (int d = 0; d < 3; d++) {
        const double count = (cells[d] + side - 1) / side;
        all *= count;
        longest = fmax(longest, count);
    }
    return 2 * (all * p->functions) * pow(reach * all / longest * p->functions, 2);
}

enum kn_status kn_cuda_groups_create(struct kn_cuda_groups *g, const struct kn_steady_equations *e, int side,
                                     bool *able)
{
    const struct kn_space *x = e->plan->problem->space;
    const size_t ncells = (size_t)x->ncells, size = (size_t)e->plan->functions * (size_t)e->plan->functions;
    size_t boxes = 1;
    for (int d = 0; d < 3; d++)
        boxes *= (size_t)(x->cells[d] + side - 1) / (size_t)side;
    boxes = side == 1 ? ncells : boxes;
    *g = kn_cuda_groups{};
    *able = false;
    g->star = e->star;
    g->group = (int32_t *)calloc(ncells, sizeof *g->group);
    g->members = (int32_t *)calloc(ncells, sizeof *g->members);
    g->share = (double *)calloc(ncells, sizeof *g->share);
    g->first = (int32_t *)calloc(boxes + 2, sizeof *g->first);
    g->along = (int32_t *)calloc(boxes + 1, sizeof *g->along);
    g->number = (int32_t *)calloc(boxes + 1, sizeof *g->number);
    if (!g->group || !g->members || !g->share || !g->first || !g->along || !g->number)
        return no_memory();
    number_groups(x, side, g);
    list_members(x->ncells, (int)boxes, g);
    find_shares(e->plan->volume, g);
    if (side == 1) { /* the equations themselves */
        g->borrowed = *able = true;
        g->columns = (int32_t *)e->columns;
        g->blocks = (double *)e->blocks;
        return KN_OK;
    }
    g->columns = (int32_t *)malloc((size_t)g->count * (size_t)g->star * sizeof *g->columns);
    g->blocks = (double *)calloc((size_t)g->count * (size_t)g->star * size, sizeof *g->blocks);
    if (!g->columns || !g->blocks)
        return no_memory();
    memset(g->columns, -1, (size_t)g->count * (size_t)g->star * sizeof *g->columns);
    *able = add_blocks(e, g);
    return KN_OK;
}

void kn_cuda_groups_destroy(struct kn_cuda_groups *g)
{
    free(g->group);
    free(g->members);
    free(g->share);
    free(g->first);
    free(g->along);
    free(g->number);
    if (!g->borrowed) {
        free(g->columns);
        free(g->blocks);
    }
    *g = kn_cuda_groups{};
}
