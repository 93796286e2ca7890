/* Assembly of the moment equations from the faces of cells and the pieces of control volumes, theory (64). */
#include "steady/assembly.h"

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
    const int64_t size = (int64_t)c->plan->functions * c->plan->functions;
    int64_t i = c->first[cell];
    while (i < c->first[cell + 1] - 1 && c->columns[i] != other && c->columns[i] >= 0)
        i++;
    c->columns[i] = other;
    return c->blocks + i * size;
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

/* Add the value on a piece of a control volume: that of the gradient (72) without facets. */
static void add_piece(struct assembly *a, struct term t, const struct kn_volume *own,
                      const struct kn_piece *piece)
{
    const struct kn_volumes *v = &a->plan->problem->space->volumes;
    const double *m = v->matrices[own->first_matrix], *r = piece->arm;
    const double arm[3] = {kn_steady_component(m, 0, r), kn_steady_component(m, 1, r),
                           kn_steady_component(m, 2, r)};
    double rest = 1;
    struct term part = t;
    for (int i = own->first_point; i < own->first_point + own->points && a->order > 1; i++) {
        const double *pull = v->points[i].pull,
                     share = arm[0] * pull[0] + arm[1] * pull[1] + arm[2] * pull[2];
        part.factor = t.factor * share;
        rest -= share;
        add_site(a, part, (struct kn_site){v->points[i].cell, t.octant});
    }
    t.factor *= rest;
    add_site(a, t, (struct kn_site){own->cell, t.octant});
}

/* Add the value of the control volume with a cell on the piece with a row. */
static void add_row(struct assembly *a, struct term t, int cell, int row)
{
    const struct kn_volumes *v = &a->plan->problem->space->volumes;
    const struct kn_volume *own = kn_volumes_own(v, cell);
    const struct kn_piece *piece = &v->pieces[own->first_piece + own->facets];
    while (piece->row != row)
        piece++;
    add_piece(a, t, own, piece);
}

static const struct kn_link *link_at(const struct assembly *a, struct kn_site s)
{
    const struct kn_space *x = a->plan->problem->space;
    return s.cell < 0 ? kn_volumes_link(&x->volumes, x->nfaces, ~s.cell) : NULL;
}

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
    const struct kn_link *link = link_at(a, (struct kn_site){~number, t.octant});
    if (link) {
        add_row(a, t, kn_volumes_cell(link->beyond), number);
        return;
    }
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

/* The trial functions at a node of an octant. */
static void take_trial(const struct kn_steady_plan *p, int octant, int k, double phi[MOST])
{
    for (int f = 0; f < p->functions; f++)
        phi[f] = p->trial[(size_t)f * (size_t)p->problem->velocity->size + (size_t)k] *
                 kn_trial_sign(p->parity[f], octant);
}

/* What a facet reflects, theory (74): `emitted` is the density of the emission for each trial function. */
static void add_reflection(const struct assembly *a, const struct kn_volume *own,
                           const struct kn_piece *piece, const double emitted[MOST], struct pairs *to)
{
    const struct kn_steady_plan *p = a->plan;
    const struct kn_velocity *v = p->problem->velocity;
    const struct kn_reflect *r = &p->problem->boundary->reflect;
    const int number = piece->row - p->problem->space->nfaces;
    const struct kn_emission *e = &p->problem->boundary->emissions[number];
    const double area = p->problem->space->volumes.facets[number].area;
    double excess[MOST][KN_REFLECT_MOST] = {{0}}, leaving[MOST][KN_REFLECT_MOST] = {{0}};
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            double phi[MOST], from[MOST], speed = 0;
            const int back = octant ^ (v->octants - 1);
            const double *values = r->values + (size_t)(octant * v->stride + k) * (size_t)r->count;
            const double unit =
                kn_steady_unit(p->problem->c->disturbance, 0, e->row[back * v->stride + k], 0);
            for (int d = 0; d < 3; d++)
                speed -= kn_velocity_sign(v, octant, d) * piece->area[d] * v->speed[d][k];
            take_trial(p, octant, k, phi);
            take_trial(p, back, k, from);
            for (int f = 0; f < p->functions && speed > 0; f++)
                for (int j = 0; j < r->count; j++) {
                    excess[f][j] +=
                        kn_cut_excess(v->mass[k], speed / area, from[f], emitted[f] * unit) * values[j];
                    leaving[f][j] -= v->mass[k] * speed / own->size * phi[f] * values[j];
                }
        }
    for (int g = 0; g < p->functions; g++)
        for (int j = 0; j < r->count; j++) {
            const double coefficient =
                kn_cut_reflected(r->count, excess[g], e->reflection + (size_t)j * (size_t)r->count);
            for (int f = 0; f < p->functions; f++)
                to->of[f][g] += leaving[f][j] * coefficient;
        }
}

/* What leaves through a facet, and the emission for its mass that enters, or a mirror image, per volume. */
static void fill_facet(const struct assembly *a, const struct kn_volume *own, const struct kn_piece *piece,
                       struct pairs *to)
{
    const struct kn_steady_plan *p = a->plan;
    const struct kn_velocity *v = p->problem->velocity;
    const int number = piece->row - p->problem->space->nfaces, n = p->functions;
    const struct kn_facet *facet = &p->problem->space->volumes.facets[number];
    const struct kn_emission *e = &p->problem->boundary->emissions[number];
    double leaving[MOST] = {0}, entering[MOST] = {0};
    *to = (struct pairs){0};
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            double phi[MOST], other[MOST], speed = 0;
            for (int d = 0; d < 3; d++)
                speed += kn_velocity_sign(v, octant, d) * piece->area[d] * v->speed[d][k] / own->size;
            const int from = facet->mirror >= 0 && speed < 0 ? octant ^ v->bit[facet->mirror] : octant;
            const double flow = v->mass[k] * speed,
                         unit = kn_steady_unit(p->problem->c->disturbance, 0,
                                               e->row[(size_t)octant * (size_t)v->stride + (size_t)k], 0);
            for (int f = 0; f < n; f++) {
                const double value = p->trial[(size_t)f * (size_t)v->size + (size_t)k];
                phi[f] = value * kn_trial_sign(p->parity[f], octant);
                other[f] = value * kn_trial_sign(p->parity[f], from);
                leaving[f] += speed > 0 ? flow * phi[f] : 0;
                entering[f] += speed < 0 ? flow * phi[f] * unit : 0;
            }
            for (int f = 0; f < n && (speed > 0 || facet->mirror >= 0); f++)
                for (int g = 0; g < n; g++)
                    to->of[f][g] += flow * phi[f] * other[g];
        }
    const double given = e->unit_flux * facet->area / own->size;
    for (int f = 0; f < n && facet->mirror < 0; f++)
        for (int g = 0; g < n; g++)
            to->of[f][g] += entering[f] * leaving[g] / given;
    if (!e->reflection)
        return;
    for (int g = 0; g < n; g++)
        leaving[g] /= given;
    add_reflection(a, own, piece, leaving, to);
}

/* The flows through the pieces of a control volume. */
static void add_pieces(struct assembly *a, const struct kn_volume *own)
{
    const struct kn_volumes *v = &a->plan->problem->space->volumes;
    for (int i = own->first_piece; i < own->first_piece + own->pieces; i++) {
        const struct kn_piece *piece = &v->pieces[i];
        struct pairs facet;
        if (piece->axis < 0) { /* octants are in the integrals: octant 0 has no signs */
            fill_facet(a, own, piece, &facet);
            add_piece(a, (struct term){own->cell, 0, 0, 1, &facet}, own, piece);
        }
        for (int octant = 0; octant < a->mesh.octants && piece->axis >= 0; octant++) {
            const double speed = kn_velocity_sign(a->plan->problem->velocity, octant, piece->axis) *
                                 piece->area[piece->axis] / own->size;
            const struct term t = {own->cell, octant, piece->axis, speed, &a->flux[piece->axis]};
            const int other = kn_volumes_cell(piece->cell);
            if (speed > 0)
                add_piece(a, t, own, piece);
            else if (kn_volumes_own(v, other))
                add_row(a, t, other, piece->row);
            else
                add_face(a, t, (struct kn_site){other, octant});
        }
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
    const int64_t size = (int64_t)c->plan->functions * c->plan->functions, first = c->first[from[0]],
                  length = c->first[from[0] + 1] - first, into = c->first[to[0]];
    memcpy(c->blocks + into * size, c->blocks + first * size, (size_t)(length * size) * sizeof *c->blocks);
    for (int64_t i = 0; i < length; i++)
        for (int k = 0; k < count; k++)
            if (c->columns[first + i] == from[k])
                c->columns[into + i] = to[k];
}

/* Solid cells have the equation c = 0. */
static void assemble_cell(struct assembly *a, int cell)
{
    const int n = a->plan->functions;
    const struct kn_volume *own = kn_volumes_own(&a->plan->problem->space->volumes, cell);
    if (a->plan->region[cell] < 0) {
        for (int f = 0; f < n; f++)
            block_of(a->c, cell, cell)[f * n + f] = 1;
        return;
    }
    add_collisions(a, cell); /* first: the block of the cell itself */
    if (own) {
        add_pieces(a, own);
        return;
    }
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

/* Cells on whose values that of a control volume on a piece depends, behind an entry of the neighbour table;
 * 0: there is no link. */
static int count_behind(const struct kn_steady_plan *p, int32_t entry)
{
    const struct kn_volumes *v = &p->problem->space->volumes;
    const struct kn_link *link = entry < 0 ? kn_volumes_link(v, p->problem->space->nfaces, ~entry) : NULL;
    return link ? 1 + kn_volumes_own(v, kn_volumes_cell(link->beyond))->points : 0;
}

/* Blocks of a row, at most.  A whole cell reaches two cells on each side and, through links, what is behind.
 * A control volume reaches what its pieces reach. */
static int count_blocks(const struct kn_steady_plan *p, const struct kn_mesh *m, int cell)
{
    const struct kn_volumes *v = &p->problem->space->volumes;
    const struct kn_volume *own = kn_volumes_own(v, cell);
    int count = 1 + 4 * m->naxes + (own ? own->points : 0);
    for (int i = 0; own && i < own->pieces; i++) {
        const struct kn_piece *piece = &v->pieces[own->first_piece + i];
        const int other = piece->axis >= 0 ? kn_volumes_cell(piece->cell) : cell;
        const struct kn_volume *next = kn_volumes_own(v, other);
        const int side = 2 * piece->axis + (piece->area[piece->axis < 0 ? 0 : piece->axis] > 0);
        count += piece->axis < 0 ? 0
                 : next          ? 1 + next->points
                                 : 2 + count_behind(p, m->neighbour[6 * (int64_t)other + side]);
    }
    for (int i = 0; i < 2 * m->naxes && !own && v->of_cell; i++) {
        const int side = 2 * m->axes[i / 2] + i % 2;
        const int32_t next = m->neighbour[6 * (int64_t)cell + side];
        count += count_behind(p, next);
        count += next >= 0 ? count_behind(p, m->neighbour[6 * (int64_t)next + side]) : 0;
    }
    return count;
}

static enum kn_status allocate_blocks(struct kn_coarse *c)
{
    const struct kn_mesh m = kn_backend_mesh(c->plan->problem);
    const int ncells = c->plan->problem->space->ncells;
    const size_t n = (size_t)c->plan->functions;
    c->first = calloc((size_t)ncells + 1, sizeof *c->first);
    for (int cell = 0; cell < ncells && c->first; cell++)
        c->first[cell + 1] = c->first[cell] + count_blocks(c->plan, &m, cell);
    const size_t count = c->first ? (size_t)c->first[ncells] : 0;
    c->columns = malloc((count + 1) * sizeof *c->columns);
    c->blocks = calloc(count * n * n + 1, sizeof *c->blocks);
    if (!c->first || !c->columns || !c->blocks)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations of %d cells", ncells);
    for (size_t i = 0; i < count; i++)
        c->columns[i] = -1;
    return KN_OK;
}

enum kn_status kn_assembly_fill(struct kn_coarse *c)
{
    KN_TRY(allocate_blocks(c));
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
