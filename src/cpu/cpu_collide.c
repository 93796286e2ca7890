/* Collisions on the CPU, one block of cells at a time, in cache. KN_LANES cells fill one vector of floats
 * (set by the build per instruction set). */
#include "config/case.h"
#include "cpu/cpu_rows.h"

/* Sums over four octants of h, and of h times the signs of the velocity at places 0 and 1 (struct kn_basis).
 */
struct four_octants {
    double even, x, y, xy;
};

/* `octants`, of which four are combined at most, is constant in each call. */
KN_SPECIALISED struct four_octants combine(int octants, double a, double b, double c, double d)
{
    const double sum = octants > 1 ? a + b : a, rest = octants > 2 ? c + d : 0, difference = a - b,
                 other = octants > 2 ? c - d : 0;
    return (struct four_octants){sum + rest, difference + other, sum - rest, difference - other};
}

/* Moments by place: first the octants of a node are combined. */
KN_SPECIALISED void sum_moments(const struct kn_velocity *v, int octants, const float *restrict h,
                                double m[KN_MOMENTS])
{
    const int *axes = v->basis.axes, n = v->stride;
    const float *restrict w = v->w, *restrict vv = v->square;
    const float *restrict vx = v->speed[axes[0]], *restrict vy = v->speed[axes[1]],
                          *restrict vz = v->speed[axes[2]];
    double one = 0, x = 0, y = 0, z = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0, xvv = 0, yvv = 0,
           zvv = 0;
#pragma omp simd reduction(+ : one, x, y, z, xx, yy, zz, xy, xz, yz, xvv, yvv, zvv)
    for (int k = 0; k < n; k++) {
        const struct four_octants none = {0, 0, 0, 0},
                                  low =
                                      combine(octants, h[k], octants > 1 ? h[n + k] : 0,
                                              octants > 2 ? h[2 * n + k] : 0, octants > 2 ? h[3 * n + k] : 0),
                                  high = octants > 4 ? combine(8, h[4 * n + k], h[5 * n + k], h[6 * n + k],
                                                               h[7 * n + k])
                                                     : none;
        const double weight = w[k], even = weight * (low.even + high.even);
        one += even;
        xx += even * ((double)vx[k] * vx[k]);
        yy += even * ((double)vy[k] * vy[k]);
        zz += even * ((double)vz[k] * vz[k]);
        if (octants > 1) {
            const double odd = weight * vx[k] * (low.x + high.x);
            x += odd;
            xvv += odd * vv[k];
        }
        if (octants > 2) {
            const double odd = weight * vy[k] * (low.y + high.y);
            y += odd;
            yvv += odd * vv[k];
            xy += weight * ((double)vx[k] * vy[k]) * (low.xy + high.xy);
        }
        if (octants > 4) {
            const double odd = weight * vz[k] * (low.even - high.even);
            z += odd;
            zvv += odd * vv[k];
            xz += weight * ((double)vx[k] * vz[k]) * (low.x - high.x);
            yz += weight * ((double)vy[k] * vz[k]) * (low.y - high.y);
        }
    }
    const double all[KN_MOMENTS] = {one, x, y, z, xx, yy, zz, xy, xz, yz, xvv, yvv, zvv};
    memcpy(m, all, sizeof all);
}

/* Odd moments of a folded axis vanish. */
void KN_CPU_NAME(moments)(const struct kn_velocity *v, const float *row, double m[KN_MOMENTS])
{
    const int *axes = v->basis.axes, pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    double by_place[KN_MOMENTS];
    if (v->octants == 8)
        sum_moments(v, 8, row, by_place);
    else if (v->octants == 4)
        sum_moments(v, 4, row, by_place);
    else if (v->octants == 2)
        sum_moments(v, 2, row, by_place);
    else
        sum_moments(v, 1, row, by_place);
    m[KN_M_1] = by_place[KN_M_1];
    for (int i = 0; i < 3; i++) {
        m[KN_M_X + axes[i]] = by_place[KN_M_X + i];
        m[KN_M_XX + axes[i]] = by_place[KN_M_XX + i];
        m[KN_M_XVV + axes[i]] = by_place[KN_M_XVV + i];
        m[KN_M_XY + axes[pair[i][0]] + axes[pair[i][1]] - 1] = by_place[KN_M_XY + i]; /* xy, xz, yz */
    }
}

/* One sample in all cells of the block. All four nodes are read before any is written: nodes that coincide
 * have the same gain. `flat`: vz is folded, and has no momentum to restore. */
KN_SPECIALISED void apply_sample(const struct kn_sample *s, float eps, bool symmetric, bool flat,
                                 float *block, float defect[4][KN_LANES])
{
    float *a = block + (size_t)s->node[0] * KN_LANES, *b = block + (size_t)s->node[1] * KN_LANES;
    float *c = block + (size_t)s->node[2] * KN_LANES, *d = block + (size_t)s->node[3] * KN_LANES;
#pragma omp simd
    for (int i = 0; i < KN_LANES; i++) {
        const float ha = a[i], hb = b[i], hc = c[i], hd = d[i];
        const float g = kn_collide_pair(eps, ha, hb) - (symmetric ? kn_collide_pair(eps, hc, hd) : 0.0f);
        a[i] = ha + s->gain[0] * g;
        b[i] = hb + s->gain[1] * g;
        c[i] = hc + s->gain[2] * g;
        d[i] = hd + s->gain[3] * g;
        defect[0][i] += s->defect[0] * g;
        defect[1][i] += s->defect[1] * g;
        if (!flat)
            defect[2][i] += s->defect[2] * g;
        defect[3][i] += s->defect[3] * g;
    }
}

KN_SPECIALISED void apply_all(const struct kn_collisions *s, bool symmetric, bool flat, float *block,
                              float total[4][KN_LANES])
{
    const float eps = (float)s->c->disturbance;
    const int n = s->nsamples;
    float defect[4][KN_LANES] = {{0}}; /* local, to stay in registers */
    for (int i = 0; i < n; i++)
        apply_sample(&s->samples[i], eps, symmetric, flat, block, defect);
    memcpy(total, defect, sizeof defect);
}

/* All samples in order; returns the total momentum and energy that they have added. */
static void apply_samples(const struct kn_collisions *s, float *block, float total[4][KN_LANES])
{
    const bool symmetric = s->c->collision.estimator == KN_ESTIMATOR_SYMMETRIC;
    const bool flat = s->velocity->bit[2] == 0;
    if (symmetric && flat)
        apply_all(s, true, true, block, total);
    else if (symmetric)
        apply_all(s, true, false, block, total);
    else if (flat)
        apply_all(s, false, true, block, total);
    else
        apply_all(s, false, false, block, total);
}

/* Add p0 + p.v + p4 v.v to one octant of the block, with different coefficients in every lane. */
static void add_block_polynomial(const struct kn_velocity *v, const float p[KN_INVARIANTS][KN_LANES],
                                 float *restrict block)
{
    for (int k = 0; k < v->size; k++) {
        const float vx = v->speed[0][k], vy = v->speed[1][k], vz = v->speed[2][k], vv = v->square[k];
#pragma omp simd
        for (int i = 0; i < KN_LANES; i++) {
            const float add = kn_collide_polynomial(
                (struct kn_polynomial){p[0][i], p[1][i], p[2][i], p[3][i], p[4][i]}, vx, vy, vz, vv);
            block[(size_t)k * KN_LANES + i] += add;
        }
    }
}

/* The projection correction of all cells of a block, while it is in cache. */
static void project_block(const struct kn_collisions *s, const float defect[4][KN_LANES], float *block)
{
    const struct kn_velocity *v = s->velocity;
    double x[KN_LANES][KN_INVARIANTS];
    for (int i = 0; i < KN_LANES; i++) {
        const double missing[KN_INVARIANTS] = {0, -defect[0][i], -defect[1][i], -defect[2][i], -defect[3][i]};
        kn_collide_project(s->plan->inverse, missing, x[i]);
    }
    for (int octant = 0; octant < v->octants; octant++) {
        float p[KN_INVARIANTS][KN_LANES], one[KN_INVARIANTS];
        for (int i = 0; i < KN_LANES; i++) {
            octant_polynomial(v, octant, x[i], 1, one);
            for (int j = 0; j < KN_INVARIANTS; j++)
                p[j][i] = one[j];
        }
        add_block_polynomial(v, p, block + (size_t)octant * v->stride * KN_LANES);
    }
}

/* Samples conserve mass; the errors of momentum and energy are corrected, theory (29), (30). */
static void collide_samples(const struct kn_collisions *s, float *rows, int count, float *block)
{
    const int nnodes = s->velocity->nnodes;
    const enum kn_conservation kind = s->plan->conservation;
    float defect[4][KN_LANES];
    double mass[KN_LANES] = {0};
    for (int i = 0; i < count && kind == KN_CONSERVATION_PAPER; i++)
        mass[i] = exact_mass(s->velocity, rows + (size_t)i * nnodes);
    gather(rows, count, nnodes, block);
    apply_samples(s, block, defect);
    if (kind == KN_CONSERVATION_PROJECTION)
        project_block(s, defect, block);
    scatter(block, count, nnodes, rows);
    for (int i = 0; i < count && kind == KN_CONSERVATION_PAPER; i++) {
        const double missing[KN_INVARIANTS] = {0, -defect[0][i], -defect[1][i], -defect[2][i], -defect[3][i]};
        float *row = rows + (size_t)i * nnodes;
        correct(s, row, missing);
        kn_cpu_restore_mass(s->velocity, s->number + 1, (float)(mass[i] - exact_mass(s->velocity, row)), row);
    }
}

static void add_source(const struct kn_collisions *s, float *restrict rows, int count)
{
    const float *restrict source = s->plan->source;
    const float half = (float)(0.5 * s->dt);
    for (int i = 0; s->plan->has_source && i < count; i++) {
        float *restrict h = rows + (size_t)i * s->velocity->nnodes;
#pragma omp simd
        for (int k = 0; k < s->velocity->nnodes; k++)
            h[k] = kn_collide_driven(h[k], half, source[k]);
    }
}

void KN_CPU_NAME(store)(const float *from, int n, float *to)
{
    for (int k = 0; k < n; k += KN_LANES)
        kn_lanes_stream(to + k, *(const kn_lanes *)(from + k));
}

void KN_CPU_NAME(fence)(void)
{
#ifdef __SSE__
    _mm_sfence();
#endif
}

/* Sources act over half a step before and after the collisions, so that the step is symmetric in time. */
void KN_CPU_NAME(collide)(const struct kn_collisions *s, float *rows, int count, float *scratch)
{
    add_source(s, rows, count);
    if (kn_case_is_sampled(s->plan->method))
        collide_samples(s, rows, count, scratch);
    if (s->plan->method == KN_METHOD_OPERATOR)
        KN_CPU_NAME(operate)(s, rows, count, scratch);
    for (int i = 0; kn_case_is_model(s->plan->method) && i < count; i++)
        KN_CPU_NAME(relax)(s, rows + (size_t)i * s->velocity->nnodes, scratch);
    add_source(s, rows, count);
}
