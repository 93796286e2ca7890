/* Rows of cells on the CPU: their invariants, corrections, and blocks of as many cells as one vector
 * holds. KN_LANES is set by the build per instruction set. */
#ifndef KN_CPU_ROWS_H
#define KN_CPU_ROWS_H

#include "cpu/cpu_kernels.h"
#include "cpu/cpu_lanes.h"

#include <string.h>

/* One vector of nodes, summed over octants with the signs of each moment. */
struct octant_sums {
    union kn_lane_view even, x, y, z;
};

/* Missing octants contribute zero; `octants` is a compile-time constant, so this costs nothing. */
KN_SPECIALISED struct octant_sums add_octants(const float *row, int stride, int octants)
{
    const float *h[8];
    struct octant_sums s;
    for (int o = 0; o < 8; o++)
        h[o] = row + (o < octants ? (size_t)o * (size_t)stride : 0);
#pragma omp simd
    for (int i = 0; i < KN_LANES; i++) {
        const float a = h[0][i], b = octants > 1 ? h[1][i] : 0, c = octants > 2 ? h[2][i] : 0,
                    d = octants > 2 ? h[3][i] : 0;
        float even = (a + b) + (c + d), x = (a - b) + (c - d), y = (a + b) - (c + d), z = 0;
        if (octants > 4) {
            const float e = h[4][i], f = h[5][i], g = h[6][i], j = h[7][i], upper = (e + f) + (g + j);
            x += (e - f) + (g - j);
            y += (e + f) - (g + j);
            z = even - upper;
            even += upper;
        }
        s.even.at[i] = even;
        s.x.at[i] = x;
        s.y.at[i] = y;
        s.z.at[i] = z;
    }
    return s;
}

/* Octants are added in single precision; then mass in double precision, the others in single precision
 * over RUN vectors and in double precision beyond. `flow` are the tables of the unfolded axes, in the
 * order of their octant bits, and of v.v. */
KN_SPECIALISED void invariants_loop(const struct kn_velocity *v, int octants, const float *const flow[4],
                                    const float *row, double m[KN_INVARIANTS])
{
    enum { RUN = 4 * KN_LANES };
    struct kn_lane_sum one = {0}, x = {0}, y = {0}, z = {0}, e = {0};
    for (int begin = 0; begin < v->stride; begin += RUN) {
        const int end = v->stride - begin < RUN ? v->stride : begin + RUN;
        kn_lanes px = {0}, py = {0}, pz = {0}, pe = {0};
        for (int k = begin; k < end; k += KN_LANES) {
            const struct octant_sums s = add_octants(row + k, v->stride, octants);
            kn_lanes_add(&one, v->mass + k, s.even.vector);
            pe += *(const kn_lanes *)(flow[3] + k) * s.even.vector;
            if (octants > 1)
                px += *(const kn_lanes *)(flow[0] + k) * s.x.vector;
            if (octants > 2)
                py += *(const kn_lanes *)(flow[1] + k) * s.y.vector;
            if (octants > 4)
                pz += *(const kn_lanes *)(flow[2] + k) * s.z.vector;
        }
        kn_lanes_add_plain(&x, px);
        kn_lanes_add_plain(&y, py);
        kn_lanes_add_plain(&z, pz);
        kn_lanes_add_plain(&e, pe);
    }
    m[0] = kn_lanes_total(&one);
    m[1] = kn_lanes_total(&x);
    m[2] = kn_lanes_total(&y);
    m[3] = kn_lanes_total(&z);
    m[4] = kn_lanes_total(&e);
}

static inline void invariants(const struct kn_velocity *v, const float *row, double m[KN_INVARIANTS])
{
    const float *flow[4] = {v->flow[0], v->flow[1], v->flow[2], v->flow[3]};
    double found[KN_INVARIANTS];
    int unfolded = 0;
    for (int i = 0; i < 3; i++)
        if (v->bit[v->basis.axes[i]])
            flow[unfolded++] = v->flow[v->basis.axes[i]];
    if (v->octants == 1)
        invariants_loop(v, 1, flow, row, found);
    else if (v->octants == 2)
        invariants_loop(v, 2, flow, row, found);
    else if (v->octants == 4)
        invariants_loop(v, 4, flow, row, found);
    else
        invariants_loop(v, 8, flow, row, found);
    m[0] = found[0];
    m[4] = found[4];
    for (int i = 0, at = 1; i < 3; i++)
        m[1 + v->basis.axes[i]] = v->bit[v->basis.axes[i]] ? found[at++] : 0;
}

/* Mass in double precision: a model changes it by much less than one rounding to single precision. */
static inline double exact_mass(const struct kn_velocity *v, const float *row)
{
    struct kn_lane_sum one = {0};
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->stride; k += KN_LANES)
            kn_lanes_add(&one, v->mass + k, *(const kn_lanes *)(row + (size_t)octant * v->stride + k));
    return kn_lanes_total(&one);
}

/* A polynomial of the invariants, scaled, for the velocities of one octant given by |v|. */
static inline void octant_polynomial(const struct kn_velocity *v, int octant, const double x[KN_INVARIANTS],
                                     double scale, float p[KN_INVARIANTS])
{
    p[0] = (float)(scale * x[0]);
    p[4] = (float)(scale * x[4]);
    for (int d = 0; d < 3; d++)
        p[1 + d] = (float)(v->bit[d] ? scale * kn_velocity_sign(v, octant, d) * x[1 + d] : 0);
}

/* Returns the mass lost by round-off. */
static inline float add_polynomial(const struct kn_velocity *v, float *restrict h, int octant,
                                   const double x[KN_INVARIANTS], float eps)
{
    const float *restrict w = v->w;
    float lost = 0;
    const float *restrict vv = v->square;
    const float *restrict vx = v->speed[0], *restrict vy = v->speed[1], *restrict vz = v->speed[2];
    float p[KN_INVARIANTS];
    octant_polynomial(v, octant, x, 1, p);
    const struct kn_polynomial here = {p[0], p[1], p[2], p[3], p[4]};
#pragma omp simd reduction(+ : lost)
    for (int k = 0; k < v->size; k++) {
        const float change = (1 + eps * h[k]) * kn_collide_polynomial(here, vx[k], vy[k], vz[k], vv[k]);
        const float sum = h[k] + change;
        lost += w[k] * kn_stream_lost(h[k], change, sum);
        h[k] = sum;
    }
    return lost;
}

/* <(1 + eps h) psi psi>: the matrix of the paper's correction. */
static inline void weighted_gram(const struct kn_collisions *s, const float *row,
                                 double a[KN_INVARIANTS][KN_INVARIANTS])
{
    const struct kn_velocity *v = s->velocity;
    memcpy(a, s->plan->gram, sizeof s->plan->gram);
    for (int octant = 0; octant < v->octants; octant++) {
        const float *h = row + (size_t)octant * v->stride;
        double sign[3];
        for (int d = 0; d < 3; d++)
            sign[d] = v->bit[d] ? kn_velocity_sign(v, octant, d) : 0;
        for (int k = 0; k < v->size; k++) {
            const double wh = s->c->disturbance * v->w[k] * h[k];
            const double psi[KN_INVARIANTS] = {1, sign[0] * v->speed[0][k], sign[1] * v->speed[1][k],
                                               sign[2] * v->speed[2][k], v->square[k]};
            for (int i = 0; i < KN_INVARIANTS; i++)
                for (int j = 0; j <= i; j++)
                    a[i][j] += wh * psi[i] * psi[j];
        }
    }
}

/* Add `missing` to the invariants of a row, theory (30). */
static inline void correct(const struct kn_collisions *s, float *row, const double missing[KN_INVARIANTS])
{
    const struct kn_velocity *v = s->velocity;
    const float eps = s->plan->conservation == KN_CONSERVATION_PAPER ? (float)s->c->disturbance : 0.0f;
    double x[KN_INVARIANTS];
    if (s->plan->conservation == KN_CONSERVATION_PAPER) {
        double a[KN_INVARIANTS][KN_INVARIANTS];
        weighted_gram(s, row, a);
        memcpy(x, missing, sizeof x);
        kn_collide_solve(a, x);
    } else {
        kn_collide_project(s->plan->inverse, missing, x);
    }
    float lost = 0;
    for (int octant = 0; octant < v->octants; octant++)
        lost += add_polynomial(v, row + (size_t)octant * v->stride, octant, x, eps);
    kn_cpu_restore_mass(v, s->number, lost, row);
}

KN_SPECIALISED void gather_loop(const float *restrict rows, int count, int nnodes, float *restrict block)
{
    for (int k = 0; k < nnodes; k++)
        for (int i = 0; i < count; i++)
            block[(size_t)k * KN_LANES + i] = rows[(size_t)i * nnodes + k];
}

KN_SPECIALISED void scatter_loop(const float *restrict block, int count, int nnodes, float *restrict rows)
{
    for (int k = 0; k < nnodes; k++)
        for (int i = 0; i < count; i++)
            rows[(size_t)i * nnodes + k] = block[(size_t)k * KN_LANES + i];
}

/* Copy rows of `count` cells into block[node][lane] and back. A full block is a loop of constant length,
 * which compilers turn into vector shuffles. */
static inline void gather(const float *rows, int count, int nnodes, float *block)
{
    if (count == KN_LANES) {
        gather_loop(rows, KN_LANES, nnodes, block);
    } else {
        memset(block, 0, (size_t)nnodes * KN_LANES * sizeof *block);
        gather_loop(rows, count, nnodes, block);
    }
}

static inline void scatter(const float *block, int count, int nnodes, float *rows)
{
    if (count == KN_LANES)
        scatter_loop(block, KN_LANES, nnodes, rows);
    else
        scatter_loop(block, count, nnodes, rows);
}

#endif
