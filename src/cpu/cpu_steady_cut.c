/* Control volumes in the passes of the steady-state solver, in double precision: h on their surfaces and the
 * sum of the flows through them, theory (70) to (73) at a Courant number of 0, and their sweep. */
#include "cpu/cpu_kernels.h"
#include "cpu/cpu_steady.h"
#include "cpu/cpu_steady_faces.h"

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
    const struct kn_steady_pass *s;
    const struct kn_space *space;
    const struct kn_velocity *v;
    const struct kn_volume *own;
    const struct kn_piece *pieces; /* the facets are first */
    const double *x;               /* [nnodes] */
    double *slope[3];              /* [nnodes] sums of weighted differences, then the gradient */
    double *row;                   /* [stride] */
    double rho[KN_VOLUMES_PULLS];  /* density of the emission of the facets in the gradient */
    double reflected[KN_VOLUMES_PULLS][KN_REFLECT_MOST]; /* and coefficients of what they reflect */
};

static const struct kn_facet *facet_of(const struct volume *u, int i)
{
    return &u->space->volumes.facets[u->pieces[i].row - u->space->nfaces];
}

static const struct kn_emission *emission_of(const struct volume *u, int i)
{
    return &u->s->plan->problem->boundary->emissions[u->pieces[i].row - u->space->nfaces];
}

/* Sums over the neighbours of weighted differences, theory (72). */
static void gather(const struct volume *u)
{
    const int nnodes = u->v->nnodes;
    const double *restrict h = u->x;
    double *restrict x = u->slope[0], *restrict y = u->slope[1], *restrict z = u->slope[2];
    for (int d = 0; d < 3; d++)
        memset(u->slope[d], 0, (size_t)nnodes * sizeof *x);
    for (int i = 0; i < u->own->points && u->s->plan->problem->c->space.order > 1; i++) {
        const struct kn_point *p = &u->space->volumes.points[u->own->first_point + i];
        const double *restrict other = u->s->x + (size_t)p->cell * (size_t)nnodes;
        const double a = p->pull[0], b = p->pull[1], c = p->pull[2];
#pragma omp simd
        for (int k = 0; k < nnodes; k++) {
            const double difference = other[k] - h[k];
            x[k] += a * difference;
            y[k] += b * difference;
            z[k] += c * difference;
        }
    }
}

/* h at a displacement from the centre in one octant, theory (71). */
static void fill_row(const struct volume *u, const double arm[3], int octant, double *restrict out)
{
    const size_t at = (size_t)octant * (size_t)u->v->stride;
    const double *restrict h = u->x + at, *restrict x = u->slope[0] + at, *restrict y = u->slope[1] + at,
                           *restrict z = u->slope[2] + at;
    const double a = arm[0], b = arm[1], c = arm[2];
#pragma omp simd
    for (int k = 0; k < u->v->stride; k++)
        out[k] = kn_steady_piece(h[k], a * x[k] + b * y[k] + c * z[k]);
}

/* Mass flow through a piece in one octant out of the volume. */
static double leaving_mass(const struct volume *u, const struct kn_piece *piece, int octant,
                           const double *restrict h)
{
    const struct oriented a = orient(u->v, octant, piece->area);
    const double *restrict w = u->v->mass;
    const float *restrict sx = u->v->speed[0], *restrict sy = u->v->speed[1], *restrict sz = u->v->speed[2];
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < u->v->stride; k++) {
        const double flow = a.x * sx[k] + a.y * sy[k] + a.z * sz[k];
        sum += flow > 0 ? w[k] * kn_cut_flow(flow, h[k]) : 0;
    }
    return sum;
}

static double density_of(const struct volume *u, int i, double leaving)
{
    const struct kn_emission *e = emission_of(u, i);
    return kn_wall_density(leaving / facet_of(u, i)->area, u->s->data * e->emission_flux, e->unit_flux);
}

static const struct kn_reflect *reflect_of(const struct volume *u)
{
    return &u->s->plan->problem->boundary->reflect;
}

/* Coefficients of what a facet reflects, theory (74), if the row has what arrives. */
static void find_reflected(const struct volume *u, int i, double rho, const double *row, double *coefficients)
{
    const struct kn_reflect *r = reflect_of(u);
    const struct kn_emission *e = emission_of(u, i);
    const double eps = u->s->plan->problem->c->disturbance;
    double moments[KN_REFLECT_MOST] = {0};
    for (int octant = 0; octant < u->v->octants; octant++) {
        const struct oriented n = orient(u->v, octant, facet_of(u, i)->normal);
        for (int k = 0; k < u->v->size; k++) {
            const double speed =
                -(n.x * u->v->speed[0][k] + n.y * u->v->speed[1][k] + n.z * u->v->speed[2][k]);
            const int from = (octant ^ (u->v->octants - 1)) * u->v->stride + k;
            if (speed <= 0)
                continue;
            const double *values = r->values + (size_t)(octant * u->v->stride + k) * (size_t)r->count;
            const double unit = kn_steady_unit(eps, 0, e->row[from], 0),
                         emitted = kn_steady_emission(unit, u->s->data, rho, e->row[from]),
                         excess = kn_cut_excess(u->v->mass[k], speed, row[from], emitted);
#pragma omp simd
            for (int j = 0; j < r->count; j++)
                moments[j] += excess * values[j];
        }
    }
    for (int j = 0; j < r->count; j++)
        coefficients[j] = kn_cut_reflected(r->count, moments, e->reflection + (size_t)j * (size_t)r->count);
}

/* Add what a facet reflects to its emission in a row. */
static void add_reflected(const struct volume *u, int i, const double *coefficients, double *row)
{
    const struct kn_reflect *r = reflect_of(u);
    for (int octant = 0; octant < u->v->octants; octant++) {
        const struct oriented n = orient(u->v, octant, facet_of(u, i)->normal);
        for (int k = 0; k < u->v->size; k++) {
            const size_t at = (size_t)(octant * u->v->stride + k);
            if (n.x * u->v->speed[0][k] + n.y * u->v->speed[1][k] + n.z * u->v->speed[2][k] < 0)
                row[at] += kn_cut_reflected(r->count, coefficients, r->values + at * (size_t)r->count);
        }
    }
}

static double *row_of(const struct volume *u, int i)
{
    return u->s->outgoing + (size_t)u->pieces[i].row * (size_t)u->v->nnodes;
}

/* The density that a facet emits by the gradient without facets, and what it reflects.  The slopes contain
 * the sums; the row of the facet is not yet used. */
static void estimate_facet(struct volume *u, int i)
{
    const double *m = u->space->volumes.matrices[u->own->first_matrix], *r = u->pieces[i].arm;
    const double arm[3] = {kn_steady_component(m, 0, r), kn_steady_component(m, 1, r),
                           kn_steady_component(m, 2, r)};
    double *row = row_of(u, i), leaving = 0;
    for (int octant = 0; octant < u->v->octants; octant++) {
        fill_row(u, arm, octant, row + octant * u->v->stride);
        leaving += leaving_mass(u, &u->pieces[i], octant, row + octant * u->v->stride);
    }
    u->rho[i] = density_of(u, i, leaving);
    if (emission_of(u, i)->reflection)
        find_reflected(u, i, u->rho[i], row, u->reflected[i]);
}

/* Add the value that a facet emits to the sums of one octant, for the velocities that leave it.  `sets`
 * receives the facet. */
static void pull(const struct volume *u, int i, int octant, uint8_t *restrict sets)
{
    const size_t at = (size_t)octant * (size_t)u->v->stride;
    const struct kn_facet *f = facet_of(u, i);
    const struct oriented n = orient(u->v, octant, f->normal);
    const float *restrict excess = emission_of(u, i)->row + at;
    const float *restrict sx = u->v->speed[0], *restrict sy = u->v->speed[1], *restrict sz = u->v->speed[2];
    const double *restrict h = u->x + at;
    double *restrict x = u->slope[0] + at, *restrict y = u->slope[1] + at, *restrict z = u->slope[2] + at;
    const double eps = u->s->plan->problem->c->disturbance;
    const int count = reflect_of(u)->count;
    for (int k = 0; k < u->v->stride; k++) {
        if (n.x * sx[k] + n.y * sy[k] + n.z * sz[k] >= 0)
            continue;
        const double unit = kn_steady_unit(eps, 0, excess[k], 0);
        double difference = kn_steady_emission(unit, u->s->data, u->rho[i], excess[k]) - h[k];
        if (emission_of(u, i)->reflection)
            difference += kn_cut_reflected(count, u->reflected[i],
                                           reflect_of(u)->values + (at + (size_t)k) * (size_t)count);
        sets[k] |= (uint8_t)(1 << i);
        x[k] += f->pull[0] * difference;
        y[k] += f->pull[1] * difference;
        z[k] += f->pull[2] * difference;
    }
}

/* Add the values that facets emit to the sums, and solve for the gradient. */
static void solve(const struct volume *u)
{
    uint8_t *sets = (uint8_t *)u->row;
    for (int octant = 0; octant < u->v->octants; octant++) {
        const size_t at = (size_t)octant * (size_t)u->v->stride;
        memset(sets, 0, (size_t)u->v->stride);
        for (int i = 0; i < u->own->pulls; i++)
            pull(u, i, octant, sets);
        for (int k = 0; k < u->v->stride; k++) {
            const double *m = u->space->volumes.matrices[u->own->first_matrix + sets[k]];
            const double sum[3] = {u->slope[0][at + (size_t)k], u->slope[1][at + (size_t)k],
                                   u->slope[2][at + (size_t)k]};
            for (int d = 0; d < 3; d++)
                u->slope[d][at + (size_t)k] = kn_steady_component(m, d, sum);
        }
    }
}

/* Replace what flows into the volume by the emission of the facet. */
static void emit(const struct volume *u, int i, double rho, int octant, double *restrict out)
{
    const struct oriented a = orient(u->v, octant, u->pieces[i].area);
    const float *restrict sx = u->v->speed[0], *restrict sy = u->v->speed[1], *restrict sz = u->v->speed[2];
    const float *restrict excess = emission_of(u, i)->row + (size_t)octant * (size_t)u->v->stride;
    const double eps = u->s->plan->problem->c->disturbance, data = u->s->data;
#pragma omp simd
    for (int k = 0; k < u->v->stride; k++) {
        const double emitted = kn_steady_emission(kn_steady_unit(eps, 0, excess[k], 0), data, rho, excess[k]);
        out[k] = a.x * sx[k] + a.y * sy[k] + a.z * sz[k] > 0 ? out[k] : emitted;
    }
}

/* h on a facet: the density of the emission follows from what arrives, theory (73). */
static void fill_facet(const struct volume *u, int i)
{
    const int mirror = facet_of(u, i)->mirror;
    const size_t stride = (size_t)u->v->stride;
    double *out = row_of(u, i), leaving = 0;
    for (int octant = 0; octant < u->v->octants; octant++) {
        fill_row(u, u->pieces[i].arm, octant, out + (size_t)octant * stride);
        leaving += leaving_mass(u, &u->pieces[i], octant, out + (size_t)octant * stride);
    }
    if (mirror >= 0) {
        for (int octant = 0; octant < u->v->octants; octant++)
            if (kn_velocity_sign(u->v, octant, mirror) * u->pieces[i].area[mirror] < 0)
                memcpy(out + (size_t)octant * stride, out + (size_t)(octant ^ u->v->bit[mirror]) * stride,
                       stride * sizeof *out);
        return;
    }
    const double rho = density_of(u, i, leaving);
    for (int octant = 0; octant < u->v->octants; octant++)
        emit(u, i, rho, octant, out + (size_t)octant * stride);
    if (emission_of(u, i)->reflection) {
        double coefficients[KN_REFLECT_MOST];
        find_reflected(u, i, rho, out, coefficients);
        add_reflected(u, i, coefficients, out);
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type of the kernel
void KN_CPU_NAME(steady_reconstruct)(const struct kn_steady_pass *s, int volume, double *scratch)
{
    const struct kn_problem *p = s->plan->problem;
    const size_t nnodes = (size_t)p->velocity->nnodes, stride = (size_t)p->velocity->stride;
    const struct kn_volume *own = &p->space->volumes.list[volume];
    struct volume u = {.s = s,
                       .space = p->space,
                       .v = p->velocity,
                       .own = own,
                       .pieces = p->space->volumes.pieces + own->first_piece,
                       .x = s->x + (size_t)own->cell * nnodes,
                       .slope = {scratch, scratch + nnodes, scratch + 2 * nnodes},
                       .row = scratch + 3 * nnodes};
    gather(&u);
    for (int i = 0; i < own->pulls && p->c->space.order > 1; i++)
        estimate_facet(&u, i);
    if (p->c->space.order > 1)
        solve(&u);
    for (int i = 0; i < own->facets; i++)
        fill_facet(&u, i);
    for (int i = own->facets; i < own->pieces; i++)
        for (int octant = 0; octant < u.v->octants; octant++)
            if (kn_velocity_sign(u.v, octant, u.pieces[i].axis) * u.pieces[i].area[u.pieces[i].axis] > 0)
                fill_row(&u, u.pieces[i].arm, octant, row_of(&u, i) + (size_t)octant * stride);
}

/* What flows from a whole cell through a link into a control volume. */
void KN_CPU_NAME(steady_link)(const struct kn_steady_pass *s, int link)
{
    const struct kn_velocity *v = s->plan->problem->velocity;
    const struct kn_space *x = s->plan->problem->space;
    const struct kn_link *l = &x->volumes.links[link];
    double *out =
        s->outgoing + ((size_t)x->nfaces + (size_t)x->volumes.nfacets + (size_t)link) * (size_t)v->nnodes;
    for (int octant = 0; octant < v->octants; octant++)
        if (kn_velocity_sign(v, octant, l->side / 2) == ((l->side & 1) ? 1 : -1))
            kn_steady_face_row(s, (struct kn_site){l->cell, octant}, l->side / 2,
                               out + (size_t)octant * (size_t)v->stride);
}

/* out -= the sum of the flows through all pieces per volume, theory (70) */
void KN_CPU_NAME(steady_balance)(const struct kn_steady_pass *s, const struct kn_volume *own, double *out)
{
    const struct kn_velocity *v = s->plan->problem->velocity;
    const float *restrict sx = v->speed[0], *restrict sy = v->speed[1], *restrict sz = v->speed[2];
    for (int i = 0; i < own->pieces; i++) {
        const struct kn_piece *piece = s->plan->problem->space->volumes.pieces + own->first_piece + i;
        const double share[3] = {piece->area[0] / own->size, piece->area[1] / own->size,
                                 piece->area[2] / own->size};
        for (int octant = 0; octant < v->octants; octant++) {
            const struct oriented a = orient(v, octant, share);
            const size_t at = (size_t)octant * (size_t)v->stride;
            const double *restrict h = s->outgoing + (size_t)piece->row * (size_t)v->nnodes + at;
            double *restrict to = out + at;
#pragma omp simd
            for (int k = 0; k < v->stride; k++)
                to[k] -= kn_cut_flow(a.x * sx[k] + a.y * sy[k] + a.z * sz[k], h[k]);
        }
    }
}

/* Everything that passes through one facet, along its normal and by area. */
void KN_CPU_NAME(steady_facet)(const struct kn_steady_pass *s, int facet, double *total)
{
    const struct kn_velocity *v = s->plan->problem->velocity;
    const struct kn_space *x = s->plan->problem->space;
    const size_t row = ((size_t)x->nfaces + (size_t)facet) * (size_t)v->nnodes;
    memset(total, 0, KN_FLUXES * sizeof *total);
    for (int octant = 0; octant < v->octants; octant++) {
        const struct oriented n = orient(v, octant, x->volumes.facets[facet].normal);
        const double *h = s->outgoing + row + (size_t)octant * (size_t)v->stride;
        for (int k = 0; k < v->size; k++) {
            const double flux =
                v->mass[k] *
                kn_cut_flow(n.x * v->speed[0][k] + n.y * v->speed[1][k] + n.z * v->speed[2][k], h[k]);
            total[0] += flux;
            for (int d = 0; d < 3; d++)
                total[1 + d] += v->bit[d] ? kn_velocity_sign(v, octant, d) * flux * v->speed[d][k] : 0;
            total[4] += flux * v->square[k];
        }
    }
}

/* Nothing enters a control volume through facets.  What flows in from cells that come later in the route is
 * zero. */
void KN_CPU_NAME(steady_sweep_volume)(const struct kn_steady_sweep *s, const struct kn_volume *own,
                                      int octant, int first)
{
    enum { GROUP = KN_VELOCITY_PAD };
    const struct kn_velocity *v = s->plan->problem->velocity;
    const int64_t row = kn_mesh_row(&s->mesh, (struct kn_site){own->cell, octant}) + first;
    const bool complex_ = s->omega != 0;
    double diagonal[GROUP], sum[2][GROUP] = {{0}};
    for (int k = 0; k < GROUP; k++) {
        diagonal[k] = s->frequency[first + k];
        sum[0][k] = s->from[0][row + k];
        sum[1][k] = complex_ ? s->from[1][row + k] : 0;
    }
    for (int i = 0; i < own->pieces; i++) {
        const struct kn_piece *piece = s->plan->problem->space->volumes.pieces + own->first_piece + i;
        const struct oriented a = orient(v, octant, piece->area);
        const struct kn_site up = {kn_volumes_cell(piece->cell), octant};
        const int64_t at = piece->axis >= 0 ? kn_mesh_row(&s->mesh, up) + first : row;
        for (int k = 0; k < GROUP; k++) {
            const double flow =
                (a.x * v->speed[0][first + k] + a.y * v->speed[1][first + k] + a.z * v->speed[2][first + k]) /
                own->size;
            diagonal[k] += flow > 0 ? flow : 0;
            for (int part = 0; part <= complex_ && piece->axis >= 0; part++)
                sum[part][k] -= flow < 0 ? flow * s->to[part][at + k] : 0;
        }
    }
    for (int k = 0; k < GROUP; k++) {
        const double inverse = 1 / (diagonal[k] * diagonal[k] + s->omega * s->omega);
        s->to[0][row + k] = inverse * (diagonal[k] * sum[0][k] + s->omega * sum[1][k]);
        if (complex_)
            s->to[1][row + k] = inverse * (diagonal[k] * sum[1][k] - s->omega * sum[0][k]);
    }
}
