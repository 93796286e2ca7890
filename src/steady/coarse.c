/* Assembly of the moment equations from the faces of cells, and their approximate solution. */
#include "steady/coarse.h"

#include "config/case.h"
#include "error.h"
#include "grid/scatter.h"
#include "point/steady.h"
#include "point/wall.h"
#include "steady/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = KN_STEADY_FUNCTIONS, STAR = KN_COARSE_STAR };
static const double MOST_WORK = 4e10; /* operations */

/* An integral over the nodes of one octant for every pair of a test and a trial function, without the signs
 * that these have in octants. */
struct pairs {
    double of[MOST][MOST];
};

/* What a patch adds to the distribution in an octant that leaves it, theory (21), (22f): the emission for the
 * mass that arrives in any octant, and scattered molecules by the difference of the octants. */
struct emission {
    struct pairs emitted[8], *scattered; /* [8], or NULL */
};

struct assembly {
    struct kn_coarse *c;
    const struct kn_steady_plan *plan;
    struct kn_mesh mesh;
    int order;
    struct pairs flux[3];       /* of |v_d| phi_k phi_l, by axis */
    struct emission *emissions; /* [patches] */
    struct pairs *scattered;    /* [patches that scatter][8] */
};

/* The contribution of one term of the equation: row and octant of the test functions, axis, factor, and the
 * integral of the test functions with the functions of another octant. */
struct term {
    int cell, octant, axis;
    double factor;
    const struct pairs *pairs;
};

static double *block_of(struct kn_coarse *c, int cell, int other)
{
    const size_t size = (size_t)c->plan->functions * (size_t)c->plan->functions;
    int32_t *columns = c->columns + (size_t)cell * STAR;
    int i = 0;
    while (i < STAR - 1 && columns[i] != other && columns[i] >= 0)
        i++;
    columns[i] = other;
    return c->blocks + ((size_t)cell * STAR + (size_t)i) * size;
}

const double *kn_coarse_block(const struct kn_coarse *c, int cell, int other)
{
    const size_t size = (size_t)c->size * (size_t)c->size;
    for (int i = 0; i < STAR; i++)
        if (c->columns[(size_t)cell * STAR + (size_t)i] == other)
            return c->blocks + ((size_t)cell * STAR + (size_t)i) * size;
    return NULL;
}

/* values[size] <- the matrix of an axis times values. */
static void multiply_axis(const struct kn_velocity *v, int axis, const float *matrix, double *values)
{
    const double zeros[KN_VELOCITY_LINE / 2] = {0};
    const int n = v->half[axis], step = axis == 0 ? v->half[1] * v->half[2] : axis == 1 ? v->half[2] : 1;
    for (int k = 0; k < v->size; k++) {
        double line[KN_VELOCITY_LINE / 2];
        if (k / step % n != 0)
            continue;
        for (int i = 0; i < n; i++)
            line[i] = values[k + i * step];
        for (int i = 0; i < n; i++)
            values[k + i * step] = kn_steady_scatter(n, matrix + i * n, line, matrix, zeros);
    }
}

/* Scattering between octants whose numbers differ in these bits.  Adds the mass that leaves to `leaving`. */
static void fill_scattered(const struct assembly *a, int number, int bits, double leaving[MOST])
{
    const struct kn_steady_plan *p = a->plan;
    const struct kn_velocity *v = p->problem->velocity;
    const float *matrices = p->problem->boundary->patches[number].matrices;
    const int normal = p->problem->boundary->patches[number].axis;
    struct pairs *to = &a->emissions[number].scattered[bits];
    double *x = a->c->right; /* not used yet */
    for (int g = 0; g < p->functions; g++) {
        memcpy(x, p->trial + (size_t)g * (size_t)v->size, (size_t)v->size * sizeof *x);
        for (int d = 0; d < 3; d++)
            multiply_axis(v, d, matrices + kn_wall_matrix(v->half, d, (bits & v->bit[d]) != 0), x);
        for (int k = 0; k < v->size; k++) {
            const double flow = v->mass[k] * v->speed[normal][k] * x[k];
            leaving[g] += flow;
            for (int f = 0; f < p->functions; f++)
                to->of[f][g] += flow * p->trial[(size_t)f * (size_t)v->size + (size_t)k];
        }
    }
}

/* The emission in an octant per mass that arrives: `density` is that of each trial function. */
static void fill_emitted(const struct assembly *a, int number, int octant, const double density[MOST])
{
    const struct kn_steady_plan *p = a->plan;
    const struct kn_velocity *v = p->problem->velocity;
    const struct kn_patch *patch = &p->problem->boundary->patches[number];
    const float *excess = patch->emission + (size_t)octant * (size_t)v->stride;
    const float *speed = v->speed[patch->axis];
    for (int f = 0; f < p->functions; f++) {
        double sum = 0;
        for (int k = 0; k < v->size; k++)
            sum += v->mass[k] * speed[k] * p->trial[(size_t)f * (size_t)v->size + (size_t)k] *
                   kn_steady_unit(p->problem->c->disturbance, patch->drifts == KN_DRIFT_PRESSURE, excess[k],
                                  speed[k]);
        for (int g = 0; g < p->functions; g++)
            a->emissions[number].emitted[octant].of[f][g] = sum * density[g];
    }
}

static void fill_emission(const struct assembly *a, int number)
{
    const struct kn_velocity *v = a->plan->problem->velocity;
    const struct kn_patch *patch = &a->plan->problem->boundary->patches[number];
    double density[MOST], leaving[MOST] = {0};
    if (!patch->emits)
        return;
    if (patch->matrices)
        a->emissions[number].scattered =
            a->scattered +
            (size_t)(patch->matrices - a->plan->problem->boundary->matrices) / kn_scatter_size(v) * 8;
    for (int bits = 0; bits < v->octants && patch->matrices; bits++)
        if (!(bits & v->bit[patch->axis]))
            fill_scattered(a, number, bits, leaving);
    for (int g = 0; g < a->plan->functions; g++) {
        const double *phi = a->plan->trial + (size_t)g * (size_t)v->size;
        double arriving = 0;
        for (int k = 0; k < v->size; k++)
            arriving += v->mass[k] * v->speed[patch->axis][k] * phi[k];
        density[g] = patch->alpha * (arriving - leaving[g]) / patch->unit_flux;
    }
    for (int octant = 0; octant < v->octants; octant++)
        fill_emitted(a, number, octant, density);
}

static enum kn_status fill_integrals(struct assembly *a)
{
    const struct kn_steady_plan *p = a->plan;
    const struct kn_velocity *v = p->problem->velocity;
    a->emissions = calloc((size_t)p->problem->boundary->count, sizeof *a->emissions);
    a->scattered = calloc((size_t)p->problem->boundary->scattering * 8 + 1, sizeof *a->scattered);
    if (!a->emissions || !a->scattered)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations of the walls");
    for (int d = 0; d < 3; d++)
        for (int f = 0; f < p->functions; f++)
            for (int k = 0; k < v->size; k++) {
                const double flow =
                    v->mass[k] * v->speed[d][k] * p->trial[(size_t)f * (size_t)v->size + (size_t)k];
                for (int g = 0; g < p->functions; g++)
                    a->flux[d].of[f][g] += flow * p->trial[(size_t)g * (size_t)v->size + (size_t)k];
            }
    for (int patch = 0; patch < p->problem->boundary->count; patch++)
        fill_emission(a, patch);
    return KN_OK;
}

/* Add the contribution of the trial functions at a site. */
static void add_site(struct assembly *a, struct term t, struct kn_site s)
{
    const struct kn_steady_plan *p = a->plan;
    double *block = block_of(a->c, t.cell, s.cell);
    for (int f = 0; f < p->functions; f++) {
        const double factor = t.factor * kn_trial_sign(p->parity[f], t.octant);
        for (int g = 0; g < p->functions; g++)
            block[f * p->functions + g] += factor * kn_trial_sign(p->parity[g], s.octant) * t.pairs->of[f][g];
    }
}

static void add_emission(struct assembly *a, struct term t, int number);

/* Add the value on the downwind face of a site. */
static void add_face(struct assembly *a, struct term t, struct kn_site s)
{
    const struct kn_steady_face f = kn_steady_face_of(&a->mesh, s, t.axis, a->order);
    const struct kn_site sites[3] = {s, f.up, f.down};
    const double factors[3] = {1 + f.before - f.after, -f.before, f.after};
    for (int i = 0; i < 3; i++) {
        struct term part = t;
        part.factor *= factors[i];
        if (factors[i] == 0)
            continue;
        if (sites[i].cell < 0)
            add_emission(a, part, ~sites[i].cell);
        else
            add_site(a, part, sites[i]);
    }
}

/* The part of the distribution that leaves a wall face which depends on h, theory (21), (22), (22f).  It
 * depends on values on the face, which do not depend on another wall. */
static void add_emission(struct assembly *a, struct term t, int number)
{
    const struct kn_problem *p = a->plan->problem;
    const struct kn_face *face = &p->space->faces[number];
    const struct kn_patch *patch = &p->boundary->patches[face->patch];
    const struct emission *e = &a->emissions[face->patch];
    const double rest = 1 - (double)patch->alpha * patch->replaces;
    const int into = (face->side & 1) ? 1 : -1, bit = a->mesh.bit[t.axis];
    struct term part = t;
    part.factor = t.factor * rest;
    if (rest != 0)
        add_face(a, part, (struct kn_site){face->cell, t.octant ^ bit});
    part.factor = t.factor;
    for (int octant = 0; octant < a->mesh.octants; octant++) {
        if (kn_velocity_sign(p->velocity, octant, t.axis) != into)
            continue;
        part.pairs = &e->emitted[t.octant];
        if (isfinite(patch->unit_flux))
            add_face(a, part, (struct kn_site){face->cell, octant});
        if (!e->scattered)
            continue;
        part.pairs = &e->scattered[t.octant ^ octant ^ bit];
        add_face(a, part, (struct kn_site){face->cell, octant});
    }
}

/* |v_d| / width (downwind face - upwind face) */
static void add_transport(struct assembly *a, int cell, int octant, int axis)
{
    const struct kn_site here = {cell, octant}, up = kn_mesh_walk(&a->mesh, here, axis, 0);
    const double per_width = 1 / (double)kn_mesh_width(&a->mesh, cell, axis);
    struct term t = {cell, octant, axis, per_width, &a->flux[axis]};
    add_face(a, t, here);
    t.factor = -per_width;
    if (up.cell < 0)
        add_emission(a, t, ~up.cell);
    else
        add_face(a, t, up);
}

static void add_collisions(struct assembly *a, int cell)
{
    const struct kn_steady_plan *p = a->plan;
    const struct kn_velocity *v = p->problem->velocity;
    double *block = block_of(a->c, cell, cell);
    for (int f = 0; f < p->functions; f++)
        for (int g = 0; g < p->functions; g++) {
            const double *test = p->trial + (size_t)f * (size_t)v->size,
                         *trial = p->trial + (size_t)g * (size_t)v->size,
                         *lagged = p->lagged + (size_t)g * (size_t)v->size;
            for (int k = 0; k < v->size && p->parity[f] == p->parity[g]; k++)
                block[f * p->functions + g] -=
                    v->octants * v->mass[k] * test[k] * (lagged[k] - p->frequency[k] * trial[k]);
        }
}

/* A cell and its neighbours up to two cells away along each axis of the flow: their number; 0 if one of them
 * is not a cell, or if two are the same. */
static int find_relatives(const struct kn_mesh *m, int cell, int32_t to[STAR])
{
    int count = 1;
    to[0] = cell;
    for (int i = 0; i < 4 * m->naxes; i++) {
        const int side = 2 * m->axes[i / 4] + i / 2 % 2;
        const int32_t from = i % 2 ? to[count - 1] : cell, other = m->neighbour[6 * (int64_t)from + side];
        for (int k = 0; k < count; k++)
            if (other < 0 || to[k] == other)
                return 0;
        to[count++] = other;
    }
    return count;
}

/* True if the equations of two cells have the same coefficients. */
static bool are_alike(const struct kn_mesh *m, int count, const int32_t *a, const int32_t *b)
{
    for (int i = 0; i < count * m->naxes; i++) {
        const int axis = m->axes[i % m->naxes];
        if (kn_mesh_width(m, a[i / m->naxes], axis) != kn_mesh_width(m, b[i / m->naxes], axis))
            return false;
    }
    return true;
}

/* The equations of a cell from those of one like it. */
static void copy_equations(struct kn_coarse *c, int count, const int32_t *from, const int32_t *to)
{
    const size_t row = STAR * (size_t)c->plan->functions * (size_t)c->plan->functions;
    memcpy(c->blocks + (size_t)to[0] * row, c->blocks + (size_t)from[0] * row, row * sizeof *c->blocks);
    for (int i = 0; i < STAR; i++)
        for (int k = 0; k < count; k++)
            if (c->columns[(size_t)from[0] * STAR + (size_t)i] == from[k])
                c->columns[(size_t)to[0] * STAR + (size_t)i] = to[k];
}

/* Solid cells have the equation c = 0. */
static void assemble_cell(struct assembly *a, int cell)
{
    const int n = a->plan->functions;
    if (a->plan->region[cell] < 0) {
        for (int f = 0; f < n; f++)
            block_of(a->c, cell, cell)[f * n + f] = 1;
        return;
    }
    add_collisions(a, cell); /* first: the block of the cell itself */
    for (int octant = 0; octant < a->mesh.octants; octant++)
        for (int i = 0; i < a->mesh.naxes; i++)
            add_transport(a, cell, octant, a->mesh.axes[i]);
}

static void assemble_cells(struct assembly *a)
{
    const struct kn_problem *p = a->plan->problem;
#pragma omp parallel num_threads(p->threads)
    {
        int32_t model[STAR] = {0}, own[STAR];
        int known = 0;
#pragma omp for schedule(static)
        for (int cell = 0; cell < p->space->ncells; cell++) {
            const int count = find_relatives(&a->mesh, cell, own);
            if (count > 0 && known > 0 && are_alike(&a->mesh, count, model, own)) {
                copy_equations(a->c, count, model, own);
                continue;
            }
            assemble_cell(a, cell);
            known = count > 0 ? count : known;
            for (int i = 0; i < count; i++)
                model[i] = own[i];
        }
    }
}

static enum kn_status assemble(struct kn_coarse *c)
{
    struct assembly a = {.c = c,
                         .plan = c->plan,
                         .mesh = kn_backend_mesh(c->plan->problem),
                         .order = c->plan->problem->c->space.order};
    const enum kn_status status = fill_integrals(&a);
    if (status == KN_OK)
        assemble_cells(&a);
    free(a.emissions);
    free(a.scattered);
    return status;
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
    const size_t count = (size_t)c->plan->problem->space->ncells * STAR;
    double *blocks = calloc(count * (size_t)(m * m), sizeof *blocks);
    if (!blocks)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    for (size_t i = 0; i < count; i++)
        for (int f = 0; f < n; f++) {
            double *to = blocks + i * (size_t)(m * m);
            for (int g = 0; g < n; g++)
                to[f * m + g] = to[(n + f) * m + n + g] =
                    c->blocks[i * (size_t)(n * n) + (size_t)(f * n + g)];
            to[f * m + n + f] -= i % STAR == 0 ? c->omega : 0;
            to[(n + f) * m + f] += i % STAR == 0 ? c->omega : 0;
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
    c->columns = malloc(ncells * STAR * sizeof *c->columns);
    c->place = malloc(ncells * sizeof *c->place);
    c->tile = malloc(ncells * sizeof *c->tile);
    c->blocks = calloc(ncells * STAR * n * n, sizeof *c->blocks);
    c->right = malloc(4 * (ncells * n + (size_t)plan->problem->velocity->size) * sizeof *c->right);
    c->surplus = malloc((size_t)plan->regions * 2 * sizeof *c->surplus);
    c->shift = calloc(ncells, sizeof *c->shift);
    if (!c->columns || !c->place || !c->tile || !c->blocks || !c->right || !c->surplus || !c->shift)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations of %zu cells", ncells);
    for (size_t i = 0; i < ncells * STAR; i++)
        c->columns[i] = -1;
    KN_TRY(assemble(c));
    return omega != 0 ? make_complex(c) : KN_OK;
}

/* One cell of every closed region; regions are numbered by their first cells. */
static void find_shift(struct kn_coarse *c)
{
    const size_t row = STAR * (size_t)c->size * (size_t)c->size;
    int next = 0;
    for (int cell = 0; cell < c->plan->problem->space->ncells; cell++) {
        if (c->plan->region[cell] != next)
            continue;
        c->shift[cell] = c->omega == 0 && c->plan->closed[next] ? fabs(c->blocks[(size_t)cell * row]) : 0;
        next++;
    }
}

enum kn_status kn_coarse_factorise(struct kn_coarse *c)
{
    const struct kn_tiles_matrix matrix = {c->plan->problem->space->ncells, STAR, c->size, c->columns,
                                           c->blocks};
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
                c->blocks[cell * STAR * n * n + f * n + g] += *own - to;
                *own = to;
            }
    kn_tiles_destroy(c->tiles);
    c->tiles = NULL;
    return kn_coarse_factorise(c);
}

struct kn_steady_equations kn_coarse_equations(const struct kn_coarse *c)
{
    return (struct kn_steady_equations){.plan = c->plan,
                                        .star = STAR,
                                        .columns = c->columns,
                                        .blocks = c->blocks,
                                        .closed =
                                            c->omega == 0 && c->plan->regions == 1 && c->plan->closed[0]};
}

void kn_coarse_destroy(struct kn_coarse *c)
{
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
