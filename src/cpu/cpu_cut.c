/* Streaming in control volumes on the CPU: h on their surfaces, then the sum of the flows through them. */
#include "cpu/cpu_kernels.h"

#include "point/cut.h"
#include "point/wall.h"

#include <string.h>

/* Velocities of one octant as signs of the tables of speeds. */
struct signs {
    float x, y, z;
};

static struct signs signs_of(const struct kn_velocity *v, int octant)
{
    return (struct signs){(float)kn_velocity_sign(v, octant, 0), (float)kn_velocity_sign(v, octant, 1),
                          (float)kn_velocity_sign(v, octant, 2)};
}

/* A control volume during its reconstruction. */
struct volume {
    const struct kn_stream_sweep *s;
    const struct kn_volume *own;
    const struct kn_piece *pieces; /* the facets are first */
    float *slope[3];               /* [nnodes] sums of weighted differences, then the gradient */
    float rho[KN_VOLUMES_PULLS];   /* density of the emission of the facets in the gradient */
    double reflected[KN_VOLUMES_PULLS][KN_REFLECT_MOST]; /* and coefficients of what they reflect */
};

static const struct kn_facet *facet_of(const struct volume *u, int i)
{
    return &u->s->space->volumes.facets[u->pieces[i].row - u->s->space->nfaces];
}

static const struct kn_emission *emission_of(const struct volume *u, int i)
{
    return &u->s->boundary->emissions[u->pieces[i].row - u->s->space->nfaces];
}

/* Sums over the neighbours of weighted differences, theory (72). */
static void gather(const struct volume *u)
{
    const struct kn_stream_sweep *s = u->s;
    const int nnodes = s->velocity->nnodes;
    const float *restrict h = s->h + (size_t)u->own->cell * (size_t)nnodes;
    float *restrict x = u->slope[0], *restrict y = u->slope[1], *restrict z = u->slope[2];
    for (int d = 0; d < 3; d++)
        memset(u->slope[d], 0, (size_t)nnodes * sizeof *x);
    for (int i = 0; i < u->own->points; i++) {
        const struct kn_point *p = &s->space->volumes.points[u->own->first_point + i];
        const float *restrict other = s->h + (size_t)p->cell * (size_t)nnodes;
        const float a = (float)p->pull[0], b = (float)p->pull[1], c = (float)p->pull[2];
#pragma omp simd
        for (int k = 0; k < nnodes; k++) {
            const float difference = other[k] - h[k];
            x[k] += a * difference;
            y[k] += b * difference;
            z[k] += c * difference;
        }
    }
}

static void take_matrix(const struct volume *u, int set, float m[KN_VOLUMES_MATRIX])
{
    for (int k = 0; k < KN_VOLUMES_MATRIX; k++)
        m[k] = (float)u->s->space->volumes.matrices[u->own->first_matrix + set][k];
}

/* Mass flow onto a facet by the gradient without facets, for the density of the emission in the gradient.
 * The slopes contain the sums. */
static double arriving_estimate(const struct volume *u, const struct kn_piece *piece)
{
    const struct kn_velocity *v = u->s->velocity;
    const float half = 0.5f * u->s->dt;
    float m[KN_VOLUMES_MATRIX];
    double sum = 0;
    take_matrix(u, 0, m);
    for (int octant = 0; octant < v->octants; octant++) {
        const struct signs sign = signs_of(v, octant);
        const size_t at = (size_t)octant * (size_t)v->stride;
        const float *restrict h = u->s->h + (size_t)u->own->cell * (size_t)v->nnodes + at;
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

/* Coefficients of what a facet reflects, theory (74), if the row has what arrives. */
static void find_reflected(const struct volume *u, int i, float rho, const float *row, double *coefficients)
{
    const struct kn_stream_sweep *s = u->s;
    const struct kn_velocity *v = s->velocity;
    const struct kn_reflect *r = &s->boundary->reflect;
    const struct kn_emission *e = emission_of(u, i);
    const double *normal = facet_of(u, i)->normal;
    double moments[KN_REFLECT_MOST] = {0};
    for (int octant = 0; octant < v->octants; octant++) {
        const struct signs sign = signs_of(v, octant);
        for (int k = 0; k < v->size; k++) {
            const double speed = -(sign.x * normal[0] * v->speed[0][k] + sign.y * normal[1] * v->speed[1][k] +
                                   sign.z * normal[2] * v->speed[2][k]);
            const int from = (octant ^ (v->octants - 1)) * v->stride + k;
            if (speed <= 0)
                continue;
            const double *values =
                r->values + ((size_t)octant * (size_t)v->stride + (size_t)k) * (size_t)r->count;
            const double excess =
                kn_cut_excess(v->w[k], speed, row[from], kn_gaussian_value(s->eps, rho, e->row[from]));
#pragma omp simd
            for (int j = 0; j < r->count; j++)
                moments[j] += excess * values[j];
        }
    }
    for (int j = 0; j < r->count; j++)
        coefficients[j] = kn_cut_reflected(r->count, moments, e->reflection + (size_t)j * (size_t)r->count);
}

/* Add what a facet reflects to its emission in a row. */
static void add_reflected(const struct volume *u, int i, const double *coefficients, float *row)
{
    const struct kn_velocity *v = u->s->velocity;
    const struct kn_reflect *r = &u->s->boundary->reflect;
    const double *normal = facet_of(u, i)->normal;
    for (int octant = 0; octant < v->octants; octant++) {
        const struct signs sign = signs_of(v, octant);
        for (int k = 0; k < v->size; k++) {
            const double speed = sign.x * normal[0] * v->speed[0][k] + sign.y * normal[1] * v->speed[1][k] +
                                 sign.z * normal[2] * v->speed[2][k];
            const size_t at = (size_t)octant * (size_t)v->stride + (size_t)k;
            if (speed < 0)
                row[at] += (float)kn_cut_reflected(r->count, coefficients, r->values + at * (size_t)r->count);
        }
    }
}

/* What a facet returns in the gradient: its density, and what it reflects of molecules that arrive by the
 * gradient without facets.  The slopes contain the sums; the row of the facet is not yet used. */
static void estimate_facet(struct volume *u, int i)
{
    const struct kn_stream_sweep *s = u->s;
    const struct kn_velocity *v = s->velocity;
    const struct kn_piece *piece = &u->pieces[i];
    const float half = 0.5f * s->dt;
    float *row = s->outgoing + (size_t)piece->row * (size_t)v->nnodes;
    float m[KN_VOLUMES_MATRIX];
    u->rho[i] = (float)kn_wall_density(arriving_estimate(u, piece) / facet_of(u, i)->area,
                                       emission_of(u, i)->emission_flux, emission_of(u, i)->unit_flux);
    if (!emission_of(u, i)->reflection)
        return;
    take_matrix(u, 0, m);
    for (int octant = 0; octant < v->octants; octant++) {
        const struct signs sign = signs_of(v, octant);
        const size_t at = (size_t)octant * (size_t)v->stride;
        const float *h = s->h + (size_t)u->own->cell * (size_t)v->nnodes + at;
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
    const struct kn_stream_sweep *s = u->s;
    const struct kn_velocity *v = s->velocity;
    const int pulls = u->own->pulls, count = s->boundary->reflect.count;
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
        const float *restrict h = s->h + (size_t)u->own->cell * (size_t)v->nnodes + at;
        float *restrict x = u->slope[0] + at, *restrict y = u->slope[1] + at, *restrict z = u->slope[2] + at;
        for (int k = 0; k < v->stride; k++) {
            const float vx = sign.x * v->speed[0][k], vy = sign.y * v->speed[1][k],
                        vz = sign.z * v->speed[2][k];
            float a = x[k], b = y[k], c = z[k];
            int set = 0;
            for (int i = 0; i < pulls; i++) {
                if (normal[i][0] * vx + normal[i][1] * vy + normal[i][2] * vz >= 0)
                    continue;
                float difference = kn_gaussian_value(s->eps, u->rho[i], emitted[i][at + (size_t)k]) - h[k];
                if (emission_of(u, i)->reflection)
                    difference += (float)kn_cut_reflected(count, u->reflected[i],
                                                          s->boundary->reflect.values +
                                                              (at + (size_t)k) * (size_t)count);
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

/* h on a piece in one octant, half a step ahead, theory (71). */
static void fill_piece(const struct volume *u, const struct kn_piece *piece, int octant, float *restrict out)
{
    const struct kn_velocity *v = u->s->velocity;
    const struct signs sign = signs_of(v, octant);
    const size_t at = (size_t)octant * (size_t)v->stride;
    const float *restrict h = u->s->h + (size_t)u->own->cell * (size_t)v->nnodes + at;
    const float *restrict x = u->slope[0] + at, *restrict y = u->slope[1] + at,
                          *restrict z = u->slope[2] + at;
    const float *restrict sx = v->speed[0], *restrict sy = v->speed[1], *restrict sz = v->speed[2];
    const float half = 0.5f * u->s->dt, rx = (float)piece->arm[0], ry = (float)piece->arm[1],
                rz = (float)piece->arm[2];
    if (u->s->order == 1) {
        memcpy(out, h, (size_t)v->stride * sizeof *out);
        return;
    }
#pragma omp simd
    for (int k = 0; k < v->stride; k++)
        out[k] =
            kn_cut_value(h[k], (rx - half * sign.x * sx[k]) * x[k] + (ry - half * sign.y * sy[k]) * y[k] +
                                   (rz - half * sign.z * sz[k]) * z[k]);
}

/* Mass flow through a piece in one octant out of the volume (way 1) or into it (way -1). */
static double mass_flow(const struct kn_velocity *v, const struct kn_piece *piece, int octant, int way,
                        const float *restrict h)
{
    const struct signs sign = signs_of(v, octant);
    const double ax = sign.x * piece->area[0], ay = sign.y * piece->area[1], az = sign.z * piece->area[2];
    const float *restrict w = v->w, *restrict sx = v->speed[0], *restrict sy = v->speed[1],
                          *restrict sz = v->speed[2];
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < v->stride; k++) {
        const double flow = ax * sx[k] + ay * sy[k] + az * sz[k];
        sum += way * flow > 0 ? w[k] * kn_cut_flow(flow, h[k]) : 0;
    }
    return sum;
}

/* Replace what flows into the volume by the emission of the facet. */
static void emit(const struct volume *u, const struct kn_piece *piece, const struct kn_emission *e, float rho,
                 int octant, float *restrict out)
{
    const struct kn_velocity *v = u->s->velocity;
    const struct signs sign = signs_of(v, octant);
    const double ax = sign.x * piece->area[0], ay = sign.y * piece->area[1], az = sign.z * piece->area[2];
    const float *restrict sx = v->speed[0], *restrict sy = v->speed[1], *restrict sz = v->speed[2];
    const float *restrict excess = e->row + (size_t)octant * (size_t)v->stride;
    const float eps = u->s->eps;
#pragma omp simd
    for (int k = 0; k < v->stride; k++) {
        const float emitted = kn_gaussian_value(eps, rho, excess[k]);
        out[k] = ax * sx[k] + ay * sy[k] + az * sz[k] > 0 ? out[k] : emitted;
    }
}

/* h on a facet: the density of the emission follows from what arrives, theory (73), without an iteration. */
static void fill_facet(const struct volume *u, int i)
{
    const struct kn_stream_sweep *s = u->s;
    const struct kn_velocity *v = s->velocity;
    const struct kn_piece *piece = &u->pieces[i];
    const struct kn_emission *e = emission_of(u, i);
    const int mirror = facet_of(u, i)->mirror;
    float *out = s->outgoing + (size_t)piece->row * (size_t)v->nnodes;
    double arriving = 0, balance = 0;
    s->lost[piece->row] = 0;
    for (int octant = 0; octant < v->octants; octant++) {
        fill_piece(u, piece, octant, out + (size_t)octant * (size_t)v->stride);
        arriving += mass_flow(v, piece, octant, 1, out + (size_t)octant * (size_t)v->stride);
    }
    if (mirror >= 0) {
        for (int octant = 0; octant < v->octants; octant++)
            if (kn_velocity_sign(v, octant, mirror) * piece->area[mirror] < 0)
                memcpy(out + (size_t)octant * (size_t)v->stride,
                       out + (size_t)(octant ^ v->bit[mirror]) * (size_t)v->stride,
                       (size_t)v->stride * sizeof *out);
        return;
    }
    const double area = facet_of(u, i)->area;
    const float rho = (float)kn_wall_density(arriving / area, e->emission_flux, e->unit_flux);
    for (int octant = 0; octant < v->octants; octant++)
        emit(u, piece, e, rho, octant, out + (size_t)octant * (size_t)v->stride);
    if (e->reflection) {
        double coefficients[KN_REFLECT_MOST];
        find_reflected(u, i, rho, out, coefficients);
        add_reflected(u, i, coefficients, out);
    }
    for (int octant = 0; octant < v->octants; octant++)
        balance += mass_flow(v, piece, octant, -1, out + (size_t)octant * (size_t)v->stride);
    s->lost[piece->row] = (float)area * kn_wall_lost((arriving + balance) / area, e->prescribed_flux);
}

void KN_CPU_NAME(reconstruct)(const struct kn_stream_sweep *s, int volume, float *scratch)
{
    const struct kn_velocity *v = s->velocity;
    const struct kn_volume *own = &s->space->volumes.list[volume];
    struct volume u = {.s = s, .own = own, .pieces = s->space->volumes.pieces + own->first_piece};
    for (int d = 0; d < 3; d++)
        u.slope[d] = scratch + (size_t)d * (size_t)v->nnodes;
    if (s->order > 1) {
        gather(&u);
        for (int i = 0; i < own->pulls; i++)
            estimate_facet(&u, i);
        solve(&u);
    }
    for (int i = 0; i < own->facets; i++)
        fill_facet(&u, i);
    for (int i = own->facets; i < own->pieces; i++) {
        const struct kn_piece *piece = &u.pieces[i];
        s->lost[piece->row] = 0;
        for (int octant = 0; octant < v->octants; octant++)
            if (kn_velocity_sign(v, octant, piece->axis) * piece->area[piece->axis] > 0)
                fill_piece(&u, piece, octant,
                           s->outgoing + (size_t)piece->row * (size_t)v->nnodes +
                               (size_t)octant * (size_t)v->stride);
    }
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
