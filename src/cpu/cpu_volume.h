/* The surface of a control volume: gradient, and what its facets return, theory (72) to (74).  The file that
 * includes it defines KN_REAL, the type of the values; KN_WEIGHT, the weights of the nodes in kn_velocity;
 * and KN_EMITTED(volume, rho, excess), the value that a facet emits. */
#ifndef KN_CPU_VOLUME_H
#define KN_CPU_VOLUME_H

#include "backend/backend.h"
#include "point/cut.h"
#include "point/wall.h"

#include <string.h>

/* A vector times the signs of an octant. */
struct oriented {
    double x, y, z;
};

static struct oriented orient(const struct kn_velocity *v, int octant, const double a[3])
{
    return (struct oriented){kn_velocity_sign(v, octant, 0) * a[0], kn_velocity_sign(v, octant, 1) * a[1],
                             kn_velocity_sign(v, octant, 2) * a[2]};
}

/* A control volume during its reconstruction. */
struct volume {
    const struct kn_space *space;
    const struct kn_velocity *v;
    const struct kn_boundary *boundary;
    KN_REAL eps, half; /* disturbance, half of the step */
    double data;       /* 1; 0: only the part that is linear in h */
    int order;
    const struct kn_volume *own;
    const struct kn_piece *pieces; /* the facets are first */
    const KN_REAL *cells, *h;      /* [cells][nnodes], and the row of the volume */
    KN_REAL *outgoing;             /* [kn_volumes_rows][nnodes] */
    KN_REAL *slope[3];             /* [nnodes] sums of weighted differences, then the gradient */
    KN_REAL rho[KN_VOLUMES_PULLS]; /* density of the emission of the facets in the gradient */
    double reflected[KN_VOLUMES_PULLS][KN_REFLECT_MOST]; /* and coefficients of what they reflect */
};

/* h at a displacement from the centre in one octant, theory (71). */
static void fill_row(const struct volume *u, const double arm[3], int octant, KN_REAL *restrict out);

static const struct kn_facet *facet_of(const struct volume *u, int i)
{
    return &u->space->volumes.facets[u->pieces[i].row - u->space->nfaces];
}

static const struct kn_emission *emission_of(const struct volume *u, int i)
{
    return &u->boundary->emissions[u->pieces[i].row - u->space->nfaces];
}

static KN_REAL *row_of(const struct volume *u, int i)
{
    return u->outgoing + (size_t)u->pieces[i].row * (size_t)u->v->nnodes;
}

/* Sums over the neighbours of weighted differences, theory (72). */
static void gather(const struct volume *u)
{
    const int nnodes = u->v->nnodes;
    const KN_REAL *restrict h = u->h;
    KN_REAL *restrict x = u->slope[0], *restrict y = u->slope[1], *restrict z = u->slope[2];
    for (int d = 0; d < 3; d++)
        memset(u->slope[d], 0, (size_t)nnodes * sizeof *x);
    for (int i = 0; i < u->own->points && u->order > 1; i++) {
        const struct kn_point *p = &u->space->volumes.points[u->own->first_point + i];
        const KN_REAL *restrict other = u->cells + (size_t)p->cell * (size_t)nnodes;
        const KN_REAL a = (KN_REAL)p->pull[0], b = (KN_REAL)p->pull[1], c = (KN_REAL)p->pull[2];
#pragma omp simd
        for (int k = 0; k < nnodes; k++) {
            const KN_REAL difference = other[k] - h[k];
            x[k] += a * difference;
            y[k] += b * difference;
            z[k] += c * difference;
        }
    }
}

/* Coefficients of what a facet reflects, theory (74), if the row has what arrives. */
static void find_reflected(const struct volume *u, int i, KN_REAL rho, const KN_REAL *row,
                           double *coefficients)
{
    const struct kn_velocity *v = u->v;
    const struct kn_reflect *r = &u->boundary->reflect;
    const struct kn_emission *e = emission_of(u, i);
    double moments[KN_REFLECT_MOST] = {0};
    for (int octant = 0; octant < v->octants; octant++) {
        const struct oriented n = orient(v, octant, facet_of(u, i)->normal);
        for (int k = 0; k < v->size; k++) {
            const double speed = -(n.x * v->speed[0][k] + n.y * v->speed[1][k] + n.z * v->speed[2][k]);
            const int from = (octant ^ (v->octants - 1)) * v->stride + k;
            if (speed <= 0)
                continue;
            const double *values =
                r->values + ((size_t)octant * (size_t)v->stride + (size_t)k) * (size_t)r->count;
            const double excess =
                kn_cut_excess(v->KN_WEIGHT[k], speed, row[from], KN_EMITTED(u, rho, e->row[from]));
#pragma omp simd
            for (int j = 0; j < r->count; j++)
                moments[j] += excess * values[j];
        }
    }
    for (int j = 0; j < r->count; j++)
        coefficients[j] = kn_cut_reflected(r->count, moments, e->reflection + (size_t)j * (size_t)r->count);
}

/* Add what a facet reflects to its emission in a row. */
static void add_reflected(const struct volume *u, int i, const double *coefficients, KN_REAL *row)
{
    const struct kn_velocity *v = u->v;
    const struct kn_reflect *r = &u->boundary->reflect;
    for (int octant = 0; octant < v->octants; octant++) {
        const struct oriented n = orient(v, octant, facet_of(u, i)->normal);
        for (int k = 0; k < v->size; k++) {
            const size_t at = (size_t)octant * (size_t)v->stride + (size_t)k;
            if (n.x * v->speed[0][k] + n.y * v->speed[1][k] + n.z * v->speed[2][k] < 0)
                row[at] +=
                    (KN_REAL)kn_cut_reflected(r->count, coefficients, r->values + at * (size_t)r->count);
        }
    }
}

/* Mass flow through an area in one octant, along its normal. */
static double mass_flow(const struct kn_velocity *v, const double area[3], int octant,
                        const KN_REAL *restrict h)
{
    const struct oriented a = orient(v, octant, area);
    const KN_REAL *restrict w = v->KN_WEIGHT;
    const float *restrict sx = v->speed[0], *restrict sy = v->speed[1], *restrict sz = v->speed[2];
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < v->stride; k++) {
        const double flow = a.x * sx[k] + a.y * sy[k] + a.z * sz[k];
        sum += flow > 0 ? w[k] * kn_cut_flow(flow, h[k]) : 0;
    }
    return sum;
}

/* The density of the emission from the mass flow that arrives. */
static KN_REAL density_of(const struct volume *u, int i, double arriving)
{
    const struct kn_emission *e = emission_of(u, i);
    return (KN_REAL)kn_wall_density(arriving / facet_of(u, i)->area, u->data * e->emission_flux,
                                    e->unit_flux);
}

/* Replace what flows into the volume by the emission of the facet. */
static void emit(const struct volume *u, int i, KN_REAL rho, int octant, KN_REAL *restrict out)
{
    const struct kn_velocity *v = u->v;
    const struct oriented a = orient(v, octant, u->pieces[i].area);
    const float *restrict sx = v->speed[0], *restrict sy = v->speed[1], *restrict sz = v->speed[2];
    const float *restrict excess = emission_of(u, i)->row + (size_t)octant * (size_t)v->stride;
#pragma omp simd
    for (int k = 0; k < v->stride; k++) {
        const KN_REAL emitted = KN_EMITTED(u, rho, excess[k]);
        out[k] = a.x * sx[k] + a.y * sy[k] + a.z * sz[k] > 0 ? out[k] : emitted;
    }
}

/* h on a facet: the density of the emission follows from what arrives, theory (73), without an iteration.
 * Returns the mass flow that arrives. */
static double fill_facet(const struct volume *u, int i)
{
    const struct kn_velocity *v = u->v;
    const size_t stride = (size_t)v->stride;
    const int mirror = facet_of(u, i)->mirror;
    KN_REAL *out = row_of(u, i);
    double arriving = 0, coefficients[KN_REFLECT_MOST];
    for (int octant = 0; octant < v->octants; octant++) {
        fill_row(u, u->pieces[i].arm, octant, out + (size_t)octant * stride);
        arriving += mass_flow(v, u->pieces[i].area, octant, out + (size_t)octant * stride);
    }
    for (int octant = 0; octant < v->octants && mirror >= 0; octant++)
        if (kn_velocity_sign(v, octant, mirror) * u->pieces[i].area[mirror] < 0)
            memcpy(out + (size_t)octant * stride, out + (size_t)(octant ^ v->bit[mirror]) * stride,
                   stride * sizeof *out);
    const KN_REAL rho = mirror >= 0 ? 0 : density_of(u, i, arriving);
    for (int octant = 0; octant < v->octants && mirror < 0; octant++)
        emit(u, i, rho, octant, out + (size_t)octant * stride);
    if (emission_of(u, i)->reflection) {
        find_reflected(u, i, rho, out, coefficients);
        add_reflected(u, i, coefficients, out);
    }
    return arriving;
}

/* Values on links in the octants that leave the volume. */
static void fill_links(const struct volume *u)
{
    for (int i = u->own->facets; i < u->own->pieces; i++)
        for (int octant = 0; octant < u->v->octants; octant++)
            if (kn_velocity_sign(u->v, octant, u->pieces[i].axis) * u->pieces[i].area[u->pieces[i].axis] > 0)
                fill_row(u, u->pieces[i].arm, octant, row_of(u, i) + (size_t)octant * (size_t)u->v->stride);
}

#endif
