/* Streaming in control volumes on the CPU: h on their surfaces, then the sum of the flows through them. */
#include "cpu/cpu_kernels.h"

#define KN_REAL                    float
#define KN_WEIGHT                  w
#define KN_EMITTED(u, rho, excess) kn_gaussian_value((u)->eps, rho, excess)
#include "cpu/cpu_volume.h"

/* Velocities of one octant as signs of the tables of speeds. */
struct signs {
    float x, y, z;
};

static struct signs signs_of(const struct kn_velocity *v, int octant)
{
    return (struct signs){(float)kn_velocity_sign(v, octant, 0), (float)kn_velocity_sign(v, octant, 1),
                          (float)kn_velocity_sign(v, octant, 2)};
}

static void take_matrix(const struct volume *u, int set, float m[KN_VOLUMES_MATRIX])
{
    for (int k = 0; k < KN_VOLUMES_MATRIX; k++)
        m[k] = (float)u->space->volumes.matrices[u->own->first_matrix + set][k];
}

/* Mass flow onto a facet by the gradient without facets, for the density of the emission in the gradient.
 * The slopes contain the sums. */
static double arriving_estimate(const struct volume *u, const struct kn_piece *piece)
{
    const struct kn_velocity *v = u->v;
    const float half = u->half;
    float m[KN_VOLUMES_MATRIX];
    double sum = 0;
    take_matrix(u, 0, m);
    for (int octant = 0; octant < v->octants; octant++) {
        const struct signs sign = signs_of(v, octant);
        const size_t at = (size_t)octant * (size_t)v->stride;
        const float *restrict h = u->h + at;
        const float *restrict x = u->slope[0] + at, *restrict y = u->slope[1] + at,
                              *restrict z = u->slope[2] + at;
        const float *restrict w = v->w, *restrict sx = v->speed[0], *restrict sy = v->speed[1],
                              *restrict sz = v->speed[2];
        const float ax = (float)piece->area[0], ay = (float)piece->area[1], az = (float)piece->area[2];
        const float rx = (float)piece->arm[0], ry = (float)piece->arm[1], rz = (float)piece->arm[2];
#pragma omp simd reduction(+ : sum)
        for (int k = 0; k < v->stride; k++) {
            const float vx = sign.x * sx[k], vy = sign.y * sy[k], vz = sign.z * sz[k];
            const float flow = ax * vx + ay * vy + az * vz;
            const float rise = (rx - half * vx) * kn_cut_component(m, 0, x[k], y[k], z[k]) +
                               (ry - half * vy) * kn_cut_component(m, 1, x[k], y[k], z[k]) +
                               (rz - half * vz) * kn_cut_component(m, 2, x[k], y[k], z[k]);
            sum += flow > 0 ? (double)w[k] * flow * kn_cut_value(h[k], rise) : 0;
        }
    }
    return sum;
}

/* What a facet returns in the gradient: its density, and what it reflects of molecules that arrive by the
 * gradient without facets.  The slopes contain the sums; the row of the facet is not yet used. */
static void estimate_facet(struct volume *u, int i)
{
    const struct kn_velocity *v = u->v;
    const struct kn_piece *piece = &u->pieces[i];
    const float half = u->half;
    float *row = row_of(u, i);
    float m[KN_VOLUMES_MATRIX];
    u->rho[i] = density_of(u, i, arriving_estimate(u, piece));
    if (!emission_of(u, i)->reflection)
        return;
    take_matrix(u, 0, m);
    for (int octant = 0; octant < v->octants; octant++) {
        const struct signs sign = signs_of(v, octant);
        const size_t at = (size_t)octant * (size_t)v->stride;
        const float *h = u->h + at;
        for (int k = 0; k < v->size; k++) {
            const float x = u->slope[0][at + (size_t)k], y = u->slope[1][at + (size_t)k],
                        z = u->slope[2][at + (size_t)k];
            const float rise =
                ((float)piece->arm[0] - half * sign.x * v->speed[0][k]) * kn_cut_component(m, 0, x, y, z) +
                ((float)piece->arm[1] - half * sign.y * v->speed[1][k]) * kn_cut_component(m, 1, x, y, z) +
                ((float)piece->arm[2] - half * sign.z * v->speed[2][k]) * kn_cut_component(m, 2, x, y, z);
            row[at + (size_t)k] = kn_cut_value(h[k], rise);
        }
    }
    find_reflected(u, i, u->rho[i], row, u->reflected[i]);
}

/* Add the values that facets emit to the sums, and solve for the gradient: a molecule that leaves a facet
 * has a known value there. */
static void solve(const struct volume *u)
{
    const struct kn_velocity *v = u->v;
    const struct kn_reflect *r = &u->boundary->reflect;
    const int pulls = u->own->pulls;
    float m[1 << KN_VOLUMES_PULLS][KN_VOLUMES_MATRIX], pull[KN_VOLUMES_PULLS][3], normal[KN_VOLUMES_PULLS][3];
    const float *emitted[KN_VOLUMES_PULLS];
    for (int set = 0; set < 1 << pulls; set++)
        take_matrix(u, set, m[set]);
    for (int i = 0; i < pulls; i++) {
        emitted[i] = emission_of(u, i)->row;
        for (int d = 0; d < 3; d++) {
            pull[i][d] = (float)facet_of(u, i)->pull[d];
            normal[i][d] = (float)facet_of(u, i)->normal[d];
        }
    }
    for (int octant = 0; octant < v->octants; octant++) {
        const struct signs sign = signs_of(v, octant);
        const size_t at = (size_t)octant * (size_t)v->stride;
        const float *restrict h = u->h + at;
        float *restrict x = u->slope[0] + at, *restrict y = u->slope[1] + at, *restrict z = u->slope[2] + at;
        for (int k = 0; k < v->stride; k++) {
            const float vx = sign.x * v->speed[0][k], vy = sign.y * v->speed[1][k],
                        vz = sign.z * v->speed[2][k];
            float a = x[k], b = y[k], c = z[k];
            int set = 0;
            for (int i = 0; i < pulls; i++) {
                if (normal[i][0] * vx + normal[i][1] * vy + normal[i][2] * vz >= 0)
                    continue;
                float difference = KN_EMITTED(u, u->rho[i], emitted[i][at + (size_t)k]) - h[k];
                if (emission_of(u, i)->reflection)
                    difference += (float)kn_cut_reflected(r->count, u->reflected[i],
                                                          r->values + (at + (size_t)k) * (size_t)r->count);
                set |= 1 << i;
                a += pull[i][0] * difference;
                b += pull[i][1] * difference;
                c += pull[i][2] * difference;
            }
            x[k] = kn_cut_component(m[set], 0, a, b, c);
            y[k] = kn_cut_component(m[set], 1, a, b, c);
            z[k] = kn_cut_component(m[set], 2, a, b, c);
        }
    }
}

/* Half a step ahead. */
static void fill_row(const struct volume *u, const double arm[3], int octant, float *restrict out)
{
    const struct kn_velocity *v = u->v;
    const struct signs sign = signs_of(v, octant);
    const size_t at = (size_t)octant * (size_t)v->stride;
    const float *restrict h = u->h + at, *restrict x = u->slope[0] + at, *restrict y = u->slope[1] + at,
                          *restrict z = u->slope[2] + at;
    const float *restrict sx = v->speed[0], *restrict sy = v->speed[1], *restrict sz = v->speed[2];
    const float half = u->half, rx = (float)arm[0], ry = (float)arm[1], rz = (float)arm[2];
    if (u->order == 1) {
        memcpy(out, h, (size_t)v->stride * sizeof *out);
        return;
    }
#pragma omp simd
    for (int k = 0; k < v->stride; k++)
        out[k] =
            kn_cut_value(h[k], (rx - half * sign.x * sx[k]) * x[k] + (ry - half * sign.y * sy[k]) * y[k] +
                                   (rz - half * sign.z * sz[k]) * z[k]);
}

/* The mass that rounding takes from what a facet emits. */
static float lost_at(const struct volume *u, int i, double arriving)
{
    const double area = facet_of(u, i)->area, *out = u->pieces[i].area, in[3] = {-out[0], -out[1], -out[2]};
    double leaving = 0;
    for (int octant = 0; octant < u->v->octants; octant++)
        leaving += mass_flow(u->v, in, octant, row_of(u, i) + (size_t)octant * (size_t)u->v->stride);
    return (float)area * kn_wall_lost((arriving - leaving) / area, emission_of(u, i)->prescribed_flux);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type of the kernel
void KN_CPU_NAME(reconstruct)(const struct kn_stream_sweep *s, int volume, float *scratch)
{
    const size_t nnodes = (size_t)s->velocity->nnodes;
    const struct kn_volume *own = &s->space->volumes.list[volume];
    struct volume u = {.space = s->space,
                       .v = s->velocity,
                       .boundary = s->boundary,
                       .eps = s->eps,
                       .half = 0.5f * s->dt,
                       .data = 1,
                       .order = s->order,
                       .own = own,
                       .pieces = s->space->volumes.pieces + own->first_piece,
                       .cells = s->h,
                       .h = s->h + (size_t)own->cell * nnodes,
                       .outgoing = s->outgoing,
                       .slope = {scratch, scratch + nnodes, scratch + 2 * nnodes}};
    if (s->order > 1) {
        gather(&u);
        for (int i = 0; i < own->pulls; i++)
            estimate_facet(&u, i);
        solve(&u);
    }
    for (int i = 0; i < own->facets; i++) {
        const double arriving = fill_facet(&u, i);
        s->lost[u.pieces[i].row] = facet_of(&u, i)->mirror >= 0 ? 0 : lost_at(&u, i, arriving);
    }
    fill_links(&u);
    for (int i = own->facets; i < own->pieces; i++)
        s->lost[u.pieces[i].row] = 0;
}

/* Sum of the flows through all pieces in one octant, theory (70). */
static void add_flows(const struct kn_stream_sweep *s, const struct kn_volume *own, int octant,
                      double *restrict sum)
{
    const struct kn_velocity *v = s->velocity;
    const struct signs sign = signs_of(v, octant);
    const float *restrict sx = v->speed[0], *restrict sy = v->speed[1], *restrict sz = v->speed[2];
    memset(sum, 0, (size_t)v->stride * sizeof *sum);
    for (int i = 0; i < own->pieces; i++) {
        const struct kn_piece *piece = s->space->volumes.pieces + own->first_piece + i;
        const double ax = sign.x * piece->area[0], ay = sign.y * piece->area[1], az = sign.z * piece->area[2];
        const float *restrict h =
            s->outgoing + (size_t)piece->row * (size_t)v->nnodes + (size_t)octant * (size_t)v->stride;
#pragma omp simd
        for (int k = 0; k < v->stride; k++)
            sum[k] += kn_cut_flow(ax * sx[k] + ay * sy[k] + az * sz[k], h[k]);
    }
}

void KN_CPU_NAME(balance)(const struct kn_stream_sweep *s, int volume, float *out, float *scratch)
{
    const struct kn_velocity *v = s->velocity;
    const struct kn_volume *own = &s->space->volumes.list[volume];
    const double share = s->dt / own->size;
    void *memory = scratch; /* whole cache lines */
    double *sum = memory, lost = 0;
    for (int i = 0; i < own->facets; i++)
        lost += share * s->lost[s->space->volumes.pieces[own->first_piece + i].row];
    for (int octant = 0; octant < v->octants; octant++) {
        const size_t at = (size_t)octant * (size_t)v->stride;
        const float *restrict h = s->h + (size_t)own->cell * (size_t)v->nnodes + at;
        float *restrict to = out + at;
        const float *restrict w = v->w;
        add_flows(s, own, octant, sum);
#pragma omp simd reduction(+ : lost)
        for (int k = 0; k < v->stride; k++) {
            const double next = h[k] - share * sum[k];
            to[k] = (float)next;
            lost += w[k] * (next - to[k]);
        }
    }
    kn_cpu_restore_mass(v, s->number, (float)lost, out);
}

/* Everything that passes through one facet in this step, along its normal and by area. */
void KN_CPU_NAME(facet_flux)(const struct kn_stream_sweep *s, int facet)
{
    const struct kn_velocity *v = s->velocity;
    const struct kn_facet *f = &s->space->volumes.facets[facet];
    const size_t row = (size_t)s->space->nfaces + (size_t)facet;
    double *total = s->fluxes + row * KN_FLUXES;
    memset(total, 0, KN_FLUXES * sizeof *total);
    for (int octant = 0; octant < v->octants; octant++) {
        const struct signs sign = signs_of(v, octant);
        const float *restrict h = s->outgoing + row * (size_t)v->nnodes + (size_t)octant * (size_t)v->stride;
        const float *restrict w = v->w, *restrict sx = v->speed[0], *restrict sy = v->speed[1],
                              *restrict sz = v->speed[2], *restrict vv = v->square;
        const double nx = sign.x * f->normal[0], ny = sign.y * f->normal[1], nz = sign.z * f->normal[2];
        double sum = 0, x = 0, y = 0, z = 0, e = 0;
#pragma omp simd reduction(+ : sum, x, y, z, e)
        for (int k = 0; k < v->stride; k++) {
            const double flux = w[k] * kn_cut_flow(nx * sx[k] + ny * sy[k] + nz * sz[k], h[k]);
            sum += flux;
            x += flux * sx[k];
            y += flux * sy[k];
            z += flux * sz[k];
            e += flux * vv[k];
        }
        total[0] += sum;
        total[1] += v->bit[0] ? sign.x * x : 0;
        total[2] += v->bit[1] ? sign.y * y : 0;
        total[3] += v->bit[2] ? sign.z * z : 0;
        total[4] += e;
    }
}
