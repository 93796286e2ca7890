/* The moment equations: their memory, their approximate solution, and collisions about another state. */
#include "steady/coarse.h"

#include "config/case.h"
#include "error.h"
#include "steady/assembly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = KN_STEADY_FUNCTIONS, STAR = KN_COARSE_STAR };
static const double MOST_WORK = 4e10; /* operations */

const double *kn_coarse_block(const struct kn_coarse *c, int cell, int other)
{
    for (int64_t i = c->first[cell]; i < c->first[cell + 1]; i++)
        if (c->columns[i] == other)
            return c->blocks + i * c->size * c->size;
    return NULL;
}

/* Position along an axis.  Along a periodic axis the two ends alternate, so that neighbours remain close. */
static int position(const struct kn_problem *p, int axis, int at)
{
    const int n = p->space->cells[axis];
    if (p->c->walls[2 * axis].kind != KN_WALL_PERIODIC)
        return at;
    return at < (n + 1) / 2 ? 2 * at : 2 * (n - 1 - at) + 1;
}

/* Operations for the elimination in tiles with these extents: the band has two layers of the smaller ones. */
static double work_of(const struct kn_coarse *c, const int extent[3])
{
    const double layer =
                     (double)extent[0] * extent[1] * extent[2] / fmax(extent[0], fmax(extent[1], extent[2])),
                 band = 2 * layer * c->size;
    return 4 * (double)c->plan->problem->space->ncells * c->size * band * band;
}

/* Choose the largest tiles for which elimination takes a few seconds at most. */
static void choose_extents(const struct kn_coarse *c, int extent[3])
{
    memcpy(extent, c->plan->problem->space->cells, 3 * sizeof *extent);
    while (work_of(c, extent) > MOST_WORK) {
        int longest = 0;
        for (int d = 1; d < 3; d++)
            longest = extent[d] > extent[longest] ? d : longest;
        if (extent[longest] == 1)
            return;
        extent[longest] = (extent[longest] + 1) / 2;
    }
}

struct spot {
    int32_t cell, tile;
    int64_t key; /* tiles first, then positions in a tile with the shortest axis last */
};

static int compare(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static void find_spot(const struct kn_coarse *c, const int extent[3], struct spot *s)
{
    const struct kn_problem *p = c->plan->problem;
    int at[3], axes[3] = {0, 1, 2}, tile = 0;
    int64_t key = 0;
    kn_space_place(p->space, s->cell, at);
    for (int i = 0; i < 3; i++) /* longest first */
        for (int j = 0; j < 2 - i; j++)
            if (extent[axes[j]] < extent[axes[j + 1]]) {
                const int swap = axes[j];
                axes[j] = axes[j + 1];
                axes[j + 1] = swap;
            }
    for (int i = 0; i < 3; i++) {
        const int d = axes[i], where = position(p, d, at[d]);
        tile = tile * ((p->space->cells[d] + extent[d] - 1) / extent[d]) + where / extent[d];
        key = key * extent[d] + where % extent[d];
    }
    s->tile = tile;
    s->key = (int64_t)tile * extent[0] * extent[1] * extent[2] + key;
}

static enum kn_status place_cells(struct kn_coarse *c)
{
    const int ncells = c->plan->problem->space->ncells;
    struct spot *spots = malloc((size_t)ncells * sizeof *spots);
    int extent[3];
    if (!spots)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations of %d cells", ncells);
    choose_extents(c, extent);
    for (int cell = 0; cell < ncells; cell++) {
        spots[cell].cell = cell;
        find_spot(c, extent, &spots[cell]);
    }
    qsort(spots, (size_t)ncells, sizeof *spots, compare);
    for (int i = 0; i < ncells; i++) {
        c->place[spots[i].cell] = i;
        c->tile[spots[i].cell] = spots[i].tile;
    }
    free(spots);
    return KN_OK;
}

double kn_coarse_memory(const int cells[3], int parts)
{
    const double all = (double)cells[0] * cells[1] * cells[2], vectors = 46, size = parts * MOST,
                 layer = all / fmax(cells[0], fmax(cells[1], cells[2])),
                 band = fmin(2 * (layer + 1) * size, sqrt(MOST_WORK / (4 * all * size)) + 2 * size);
    return (double)sizeof(double) * all * size * ((STAR + 2) * size + vectors + 3 * band);
}

/* Blocks of the real system for complex coefficients: A + i omega. */
static enum kn_status make_complex(struct kn_coarse *c)
{
    const int n = c->plan->functions, m = 2 * n;
    const struct kn_space *x = c->plan->problem->space;
    const int64_t count = c->first[x->ncells];
    double *blocks = calloc((size_t)(count * m * m), sizeof *blocks);
    if (!blocks)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    for (int64_t i = 0; i < count; i++)
        for (int f = 0; f < n; f++)
            for (int g = 0; g < n; g++)
                blocks[(i * m + f) * m + g] = blocks[(i * m + n + f) * m + n + g] =
                    c->blocks[(i * n + f) * n + g];
    for (int cell = 0; cell < x->ncells; cell++)
        for (int f = 0; f < n; f++) {
            double *own = blocks + c->first[cell] * m * m;
            own[f * m + n + f] -= c->omega;
            own[(n + f) * m + f] += c->omega;
        }
    free(c->blocks);
    c->blocks = blocks;
    c->size = m;
    return KN_OK;
}

enum kn_status kn_coarse_create(struct kn_coarse *c, const struct kn_steady_plan *plan, double omega)
{
    const size_t ncells = (size_t)plan->problem->space->ncells, n = (size_t)plan->functions;
    *c = (struct kn_coarse){.plan = plan, .omega = omega, .size = plan->functions};
    c->place = malloc(ncells * sizeof *c->place);
    c->tile = malloc(ncells * sizeof *c->tile);
    c->right = malloc(4 * (ncells * n + (size_t)plan->problem->velocity->size) * sizeof *c->right);
    c->surplus = malloc((size_t)plan->regions * 2 * sizeof *c->surplus);
    c->shift = calloc(ncells, sizeof *c->shift);
    if (!c->place || !c->tile || !c->right || !c->surplus || !c->shift)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations of %zu cells", ncells);
    KN_TRY(kn_assembly_fill(c));
    return omega != 0 ? make_complex(c) : KN_OK;
}

/* The scale of the density in the equations of a cell: its diagonal.  That of a region of one control volume
 * vanishes, since all that leaves it returns; the largest diagonal takes its place. */
static double scale_of(const struct kn_coarse *c, int cell)
{
    static const double least = 1e-6;
    const double *block = c->blocks + c->first[cell] * c->size * c->size;
    double largest = 0;
    for (int f = 0; f < c->size; f++)
        largest = fmax(largest, fabs(block[f * c->size + f]));
    return fabs(block[0]) > least * largest ? fabs(block[0]) : largest;
}

/* One cell of every closed region; regions are numbered by their first cells. */
static void find_shift(struct kn_coarse *c)
{
    int next = 0;
    for (int cell = 0; cell < c->plan->problem->space->ncells; cell++) {
        if (c->plan->region[cell] != next)
            continue;
        c->shift[cell] = c->omega == 0 && c->plan->closed[next] ? scale_of(c, cell) : 0;
        next++;
    }
}

enum kn_status kn_coarse_factorise(struct kn_coarse *c)
{
    const struct kn_tiles_matrix matrix = {.rows = c->plan->problem->space->ncells,
                                           .size = c->size,
                                           .threads = c->plan->problem->threads,
                                           .first = c->first,
                                           .columns = c->columns,
                                           .blocks = c->blocks};
    KN_TRY(place_cells(c));
    find_shift(c);
    return kn_tiles_create(&c->tiles, &matrix, c->place, c->tile, c->shift);
}

enum kn_status kn_coarse_linearise(struct kn_coarse *c, const double *excess)
{
    const size_t n = (size_t)c->size, ncells = (size_t)c->plan->problem->space->ncells;
    if (!c->excess)
        c->excess = calloc(ncells * n * n, sizeof *c->excess);
    if (!c->excess)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations of %zu cells", ncells);
    for (size_t cell = 0; cell < ncells; cell++)
        for (size_t f = 0; f < n && c->plan->region[cell] >= 0; f++)
            for (size_t g = 0; g < n; g++) {
                const double to = excess[(cell * n + g) * (n + 1) + f];
                double *own = &c->excess[(cell * n + f) * n + g];
                c->blocks[(size_t)c->first[cell] * n * n + f * n + g] += *own - to;
                *own = to;
            }
    kn_tiles_destroy(c->tiles);
    c->tiles = NULL;
    return kn_coarse_factorise(c);
}

struct kn_steady_equations kn_coarse_equations(const struct kn_coarse *c)
{
    return (struct kn_steady_equations){.plan = c->plan,
                                        .star = (int)c->first[1],
                                        .columns = c->columns,
                                        .blocks = c->blocks,
                                        .closed =
                                            c->omega == 0 && c->plan->regions == 1 && c->plan->closed[0]};
}

void kn_coarse_destroy(struct kn_coarse *c)
{
    free(c->first);
    free(c->columns);
    free(c->blocks);
    free(c->place);
    free(c->tile);
    free(c->right);
    free(c->surplus);
    free(c->shift);
    free(c->excess);
    kn_tiles_destroy(c->tiles);
    *c = (struct kn_coarse){0};
}

/* surplus[region] <- the mean over the volume of a closed region of the first of `count` numbers per cell; 0
 * elsewhere. */
static void find_surplus(const struct kn_coarse *c, const double *numbers, int count)
{
    const struct kn_steady_plan *p = c->plan;
    double *volume = c->surplus + p->regions;
    memset(c->surplus, 0, (size_t)p->regions * 2 * sizeof *c->surplus);
    for (int cell = 0; cell < p->problem->space->ncells; cell++)
        if (p->region[cell] >= 0) {
            c->surplus[p->region[cell]] += p->volume[cell] * numbers[(size_t)cell * (size_t)count];
            volume[p->region[cell]] += p->volume[cell];
        }
    for (int i = 0; i < p->regions; i++)
        c->surplus[i] = c->omega == 0 && p->closed[i] ? c->surplus[i] / volume[i] : 0;
}

void kn_coarse_solve(const struct kn_coarse *c, double *const moments[2], double *const coefficients[2])
{
    static const double tolerance = 0.1;
    const size_t n = (size_t)c->plan->functions, m = (size_t)c->size,
                 ncells = (size_t)c->plan->problem->space->ncells;
    const int most = 80, parts = c->size / c->plan->functions;
    double *solution = c->right + ncells * m;
    find_surplus(c, moments[0], (int)n + 1);
    for (size_t cell = 0; cell < ncells; cell++) {
        for (int part = 0; part < parts; part++)
            memcpy(c->right + cell * m + (size_t)part * n, moments[part] + cell * (n + 1),
                   n * sizeof *c->right);
        if (c->plan->region[cell] >= 0)
            c->right[cell * m] -= c->surplus[c->plan->region[cell]];
    }
    memset(solution, 0, ncells * m * sizeof *solution);
    kn_tiles_solve(c->tiles, c->right, tolerance, most, solution);
    for (size_t cell = 0; cell < ncells; cell++)
        for (int part = 0; part < parts; part++)
            memcpy(coefficients[part] + cell * n, solution + cell * m + (size_t)part * n,
                   n * sizeof *solution);
}
