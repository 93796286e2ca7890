/* Assembly of the moment equations from the faces of cells, and their approximate solution. */
#include "steady/coarse.h"

#include "config/case.h"
#include "error.h"
#include "grid/boundary.h"
#include "point/steady.h"
#include "steady/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = KN_STEADY_FUNCTIONS, STAR = KN_COARSE_STAR };
static const double MOST_WORK = 4e10; /* operations */

/* Integrals over the nodes of one octant, without signs. */
struct integrals {
    double flux[3][MOST][MOST];        /* of |v_d| phi_k phi_l, by axis */
    double arriving[3][MOST];          /* of |v_d| phi_l */
    double leaving[KN_SIDES][8][MOST]; /* of |v_n| phi_k (1 + eps E) by patch and octant, with signs */
};

struct assembly {
    struct kn_coarse *c;
    const struct kn_steady_plan *plan;
    struct kn_mesh mesh;
    int order;
    struct integrals i;
};

/* The contribution of one term of the equation: row and octant of the test functions, axis, factor. */
struct term {
    int cell, octant, axis;
    double factor;
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

static void fill_integrals(struct assembly *a)
{
    const struct kn_steady_plan *p = a->plan;
    const struct kn_velocity *v = p->problem->velocity;
    for (int d = 0; d < 3; d++)
        for (int f = 0; f < p->functions; f++) {
            const double *phi = p->trial + (size_t)f * (size_t)v->size;
            for (int k = 0; k < v->size; k++) {
                const double flow = v->mass[k] * v->speed[d][k] * phi[k];
                a->i.arriving[d][f] += flow;
                for (int g = 0; g < p->functions; g++)
                    a->i.flux[d][f][g] += flow * p->trial[(size_t)g * (size_t)v->size + (size_t)k];
            }
        }
    for (int patch = 0; patch < KN_SIDES; patch++)
        for (int octant = 0; octant < v->octants; octant++)
            for (int f = 0; f < p->functions; f++) {
                const double *phi = p->trial + (size_t)f * (size_t)v->size;
                const float *excess =
                    p->problem->boundary->patches[patch].emission + (size_t)octant * (size_t)v->stride;
                double sum = 0;
                for (int k = 0; k < v->size; k++)
                    sum += v->mass[k] * v->speed[patch / 2][k] * phi[k] *
                           (1 + p->problem->c->disturbance * excess[k]);
                a->i.leaving[patch][octant][f] = kn_trial_sign(p->parity[f], octant) * sum;
            }
}

/* Add the contribution of the trial functions at a site. */
static void add_site(struct assembly *a, struct term t, struct kn_site s)
{
    const struct kn_steady_plan *p = a->plan;
    double *block = block_of(a->c, t.cell, s.cell);
    for (int f = 0; f < p->functions; f++) {
        const double factor = t.factor * kn_trial_sign(p->parity[f], t.octant);
        for (int g = 0; g < p->functions; g++)
            block[f * p->functions + g] +=
                factor * kn_trial_sign(p->parity[g], s.octant) * a->i.flux[t.axis][f][g];
    }
}

/* The part of the emission of a wall that is proportional to the mass arriving from a site. */
static void add_arriving(struct assembly *a, struct term t, const struct kn_face *face, struct kn_site s)
{
    const struct kn_steady_plan *p = a->plan;
    double *block = block_of(a->c, t.cell, s.cell);
    for (int f = 0; f < p->functions; f++)
        for (int g = 0; g < p->functions; g++)
            block[f * p->functions + g] += t.factor * a->i.leaving[face->patch][t.octant][f] *
                                           kn_trial_sign(p->parity[g], s.octant) * a->i.arriving[t.axis][g];
}

static void add_emission(struct assembly *a, struct term t, int number);

/* Add the value on the downwind face of a site: as mass that arrives at `wall`, or as a distribution. */
static void add_face(struct assembly *a, struct term t, struct kn_site s, const struct kn_face *wall)
{
    const struct kn_steady_face f = kn_steady_face_of(&a->mesh, s, t.axis, a->order);
    const struct kn_site sites[3] = {s, f.up, f.down};
    const double factors[3] = {1 + f.before - f.after, -f.before, f.after};
    for (int i = 0; i < 3; i++) {
        const struct term part = {t.cell, t.octant, t.axis, t.factor * factors[i]};
        if (factors[i] == 0)
            continue;
        if (sites[i].cell < 0)
            add_emission(a, part, ~sites[i].cell);
        else if (wall)
            add_arriving(a, part, wall, sites[i]);
        else
            add_site(a, part, sites[i]);
    }
}

/* The part of the distribution that leaves a wall face which depends on h, theory (21), (22). */
static void add_emission(struct assembly *a, struct term t, int number)
{
    const struct kn_problem *p = a->plan->problem;
    const struct kn_face *face = &p->space->faces[number];
    const struct kn_patch *patch = &p->boundary->patches[face->patch];
    const double rest = 1 - (double)patch->alpha * patch->replaces;
    const int into = (face->side & 1) ? 1 : -1;
    if (rest != 0)
        add_face(a, (struct term){t.cell, t.octant, t.axis, t.factor * rest},
                 (struct kn_site){face->cell, t.octant ^ a->mesh.bit[t.axis]}, NULL);
    for (int octant = 0; octant < a->mesh.octants && isfinite(patch->unit_flux); octant++)
        if (kn_velocity_sign(p->velocity, octant, t.axis) == into)
            add_face(a, (struct term){t.cell, t.octant, t.axis, t.factor * patch->alpha / patch->unit_flux},
                     (struct kn_site){face->cell, octant}, face);
}

/* |v_d| / width (downwind face - upwind face) */
static void add_transport(struct assembly *a, int cell, int octant, int axis)
{
    const struct kn_site here = {cell, octant}, up = kn_mesh_walk(&a->mesh, here, axis, 0);
    const double per_width = 1 / (double)kn_mesh_width(&a->mesh, cell, axis);
    struct term t = {cell, octant, axis, per_width};
    add_face(a, t, here, NULL);
    t.factor = -per_width;
    if (up.cell < 0)
        add_emission(a, t, ~up.cell);
    else
        add_face(a, t, up, NULL);
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

static void assemble_cell(struct assembly *a, int cell)
{
    add_collisions(a, cell); /* first: the block of the cell itself */
    for (int octant = 0; octant < a->mesh.octants; octant++)
        for (int i = 0; i < a->mesh.naxes; i++)
            add_transport(a, cell, octant, a->mesh.axes[i]);
}

static void assemble(struct kn_coarse *c)
{
    const struct kn_problem *p = c->plan->problem;
    struct assembly a = {.c = c, .plan = c->plan, .mesh = kn_backend_mesh(p), .order = p->c->space.order};
    fill_integrals(&a);
#pragma omp parallel num_threads(p->threads)
    {
        int32_t model[STAR] = {0}, own[STAR];
        int known = 0;
#pragma omp for schedule(static)
        for (int cell = 0; cell < p->space->ncells; cell++) {
            const int count = find_relatives(&a.mesh, cell, own);
            if (count > 0 && known > 0 && are_alike(&a.mesh, count, model, own)) {
                copy_equations(c, count, model, own);
                continue;
            }
            assemble_cell(&a, cell);
            known = count > 0 ? count : known;
            for (int i = 0; i < count; i++)
                model[i] = own[i];
        }
    }
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
    return (double)sizeof(double) * all * size * (STAR * size + vectors + 3 * band);
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
    *c = (struct kn_coarse){.plan = plan,
                            .omega = omega,
                            .size = plan->functions,
                            .closed = omega == 0 && kn_boundary_keeps_mass(plan->problem->c)};
    c->columns = malloc(ncells * STAR * sizeof *c->columns);
    c->place = malloc(ncells * sizeof *c->place);
    c->tile = malloc(ncells * sizeof *c->tile);
    c->blocks = calloc(ncells * STAR * n * n, sizeof *c->blocks);
    c->right = malloc(4 * ncells * n * sizeof *c->right);
    if (!c->columns || !c->place || !c->tile || !c->blocks || !c->right)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations of %zu cells", ncells);
    for (size_t i = 0; i < ncells * STAR; i++)
        c->columns[i] = -1;
    assemble(c);
    return omega != 0 ? make_complex(c) : KN_OK;
}

enum kn_status kn_coarse_factorise(struct kn_coarse *c)
{
    const struct kn_tiles_matrix matrix = {c->plan->problem->space->ncells, STAR, c->size, c->columns,
                                           c->blocks};
    KN_TRY(place_cells(c));
    return kn_tiles_create(&c->tiles, &matrix, c->place, c->tile, c->closed ? fabs(c->blocks[0]) : 0);
}

struct kn_steady_equations kn_coarse_equations(const struct kn_coarse *c)
{
    return (struct kn_steady_equations){
        .plan = c->plan, .star = STAR, .columns = c->columns, .blocks = c->blocks, .closed = c->closed};
}

void kn_coarse_destroy(struct kn_coarse *c)
{
    free(c->columns);
    free(c->blocks);
    free(c->place);
    free(c->tile);
    free(c->right);
    kn_tiles_destroy(c->tiles);
    *c = (struct kn_coarse){0};
}

/* The mean over the volume of the first of `count` numbers per cell. */
static double mean(const struct kn_coarse *c, const double *numbers, int count)
{
    const int ncells = c->plan->problem->space->ncells;
    double sum = 0, volume = 0;
    for (int cell = 0; cell < ncells; cell++) {
        sum += c->plan->volume[cell] * numbers[(size_t)cell * (size_t)count];
        volume += c->plan->volume[cell];
    }
    return sum / volume;
}

void kn_coarse_solve(const struct kn_coarse *c, double *const moments[2], double *const coefficients[2])
{
    static const double tolerance = 0.1;
    const size_t n = (size_t)c->plan->functions, m = (size_t)c->size,
                 ncells = (size_t)c->plan->problem->space->ncells;
    const int most = 80, parts = c->size / c->plan->functions;
    const double surplus = c->closed ? mean(c, moments[0], (int)n + 1) : 0;
    double *solution = c->right + ncells * m;
    for (size_t cell = 0; cell < ncells; cell++) {
        for (int part = 0; part < parts; part++)
            memcpy(c->right + cell * m + (size_t)part * n, moments[part] + cell * (n + 1),
                   n * sizeof *c->right);
        c->right[cell * m] -= surplus;
    }
    memset(solution, 0, ncells * m * sizeof *solution);
    kn_tiles_solve(c->tiles, c->right, tolerance, most, solution);
    for (size_t cell = 0; cell < ncells; cell++)
        for (int part = 0; part < parts; part++)
            memcpy(coefficients[part] + cell * n, solution + cell * m + (size_t)part * n,
                   n * sizeof *solution);
}
