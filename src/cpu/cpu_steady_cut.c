/* Control volumes in the passes of the steady-state solver, in double precision: h on their surfaces and the
 * sum of the flows through them, theory (70) to (73) at a Courant number of 0, and their sweep. */
#include "cpu/cpu_kernels.h"
#include "cpu/cpu_steady.h"
#include "cpu/cpu_steady_faces.h"

#define KN_REAL   double
#define KN_WEIGHT mass
#define KN_EMITTED(u, rho, excess)                                                                           \
    kn_steady_emission(kn_steady_unit((u)->eps, 0, excess, 0), (u)->data, rho, excess)
#include "cpu/cpu_volume.h"

static void fill_row(const struct volume *u, const double arm[3], int octant, double *restrict out)
{
    const size_t at = (size_t)octant * (size_t)u->v->stride;
    const double *restrict h = u->h + at, *restrict x = u->slope[0] + at, *restrict y = u->slope[1] + at,
                           *restrict z = u->slope[2] + at;
    const double a = arm[0], b = arm[1], c = arm[2];
#pragma omp simd
    for (int k = 0; k < u->v->stride; k++)
        out[k] = kn_steady_piece(h[k], a * x[k] + b * y[k] + c * z[k]);
}

/* The density that a facet emits by the gradient without facets, and what it reflects.  The slopes contain
 * the sums; the row of the facet is not yet used. */
static void estimate_facet(struct volume *u, int i)
{
    const double *m = u->space->volumes.matrices[u->own->first_matrix], *r = u->pieces[i].arm;
    const double arm[3] = {kn_steady_component(m, 0, r), kn_steady_component(m, 1, r),
                           kn_steady_component(m, 2, r)};
    double *row = row_of(u, i), arriving = 0;
    for (int octant = 0; octant < u->v->octants; octant++) {
        fill_row(u, arm, octant, row + octant * u->v->stride);
        arriving += mass_flow(u->v, u->pieces[i].area, octant, row + octant * u->v->stride);
    }
    u->rho[i] = density_of(u, i, arriving);
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
    const double *restrict h = u->h + at;
    double *restrict x = u->slope[0] + at, *restrict y = u->slope[1] + at, *restrict z = u->slope[2] + at;
    const struct kn_reflect *r = &u->boundary->reflect;
    for (int k = 0; k < u->v->stride; k++) {
        if (n.x * sx[k] + n.y * sy[k] + n.z * sz[k] >= 0)
            continue;
        double difference = KN_EMITTED(u, u->rho[i], excess[k]) - h[k];
        if (emission_of(u, i)->reflection)
            difference +=
                kn_cut_reflected(r->count, u->reflected[i], r->values + (at + (size_t)k) * (size_t)r->count);
        sets[k] |= (uint8_t)(1 << i);
        x[k] += f->pull[0] * difference;
        y[k] += f->pull[1] * difference;
        z[k] += f->pull[2] * difference;
    }
}

/* Add the values that facets emit to the sums, and solve for the gradient; sets: [stride]. */
static void solve(const struct volume *u, uint8_t *sets)
{
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

// NOLINTNEXTLINE(readability-non-const-parameter): the type of the kernel
void KN_CPU_NAME(steady_reconstruct)(const struct kn_steady_pass *s, int volume, double *scratch)
{
    const struct kn_problem *p = s->plan->problem;
    const size_t nnodes = (size_t)p->velocity->nnodes;
    const struct kn_volume *own = &p->space->volumes.list[volume];
    struct volume u = {.space = p->space,
                       .v = p->velocity,
                       .boundary = p->boundary,
                       .eps = p->c->disturbance,
                       .data = s->data,
                       .order = p->c->space.order,
                       .own = own,
                       .pieces = p->space->volumes.pieces + own->first_piece,
                       .cells = s->x,
                       .h = s->x + (size_t)own->cell * nnodes,
                       .outgoing = s->outgoing,
                       .slope = {scratch, scratch + nnodes, scratch + 2 * nnodes}};
    void *sets = scratch + 3 * nnodes;
    gather(&u);
    for (int i = 0; i < own->pulls && u.order > 1; i++)
        estimate_facet(&u, i);
    if (u.order > 1)
        solve(&u, sets);
    for (int i = 0; i < own->facets; i++)
        fill_facet(&u, i);
    fill_links(&u);
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
