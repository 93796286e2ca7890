/* Collisions on the CPU, one block of cells at a time, in cache. KN_LANES cells fill one vector of floats
 * (set by the build per instruction set). */
#include "config/case.h"
#include "cpu/cpu_rows.h"

/* Sums over one octant with |v|; the caller applies the signs. */
static void octant_moments(const struct kn_velocity *v, const float *restrict h, double m[KN_MOMENTS])
{
    const float *restrict w = v->w, *restrict vv = v->square;
    const float *restrict vx = v->speed[0], *restrict vy = v->speed[1], *restrict vz = v->speed[2];
    double one = 0, x = 0, y = 0, z = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0, xvv = 0, yvv = 0,
           zvv = 0;
#pragma omp simd reduction(+ : one, x, y, z, xx, yy, zz, xy, xz, yz, xvv, yvv, zvv)
    for (int k = 0; k < v->stride; k++) {
        const double wh = (double)w[k] * h[k], px = wh * vx[k], py = wh * vy[k], pz = wh * vz[k];
        one += wh;
        x += px;
        y += py;
        z += pz;
        xx += px * vx[k];
        yy += py * vy[k];
        zz += pz * vz[k];
        xy += px * vy[k];
        xz += px * vz[k];
        yz += py * vz[k];
        xvv += px * vv[k];
        yvv += py * vv[k];
        zvv += pz * vv[k];
    }
    const double all[KN_MOMENTS] = {one, x, y, z, xx, yy, zz, xy, xz, yz, xvv, yvv, zvv};
    memcpy(m, all, sizeof all);
}

void KN_CPU_NAME(moments)(const struct kn_velocity *v, const float *row, double m[KN_MOMENTS])
{
    memset(m, 0, KN_MOMENTS * sizeof *m);
    for (int octant = 0; octant < v->octants; octant++) {
        double part[KN_MOMENTS], s[3];
        octant_moments(v, row + (size_t)octant * v->stride, part);
        for (int d = 0; d < 3; d++)
            s[d] = v->bit[d] ? kn_velocity_sign(v, octant, d) : 0; /* odd moments of a folded axis vanish */
        const double sign[KN_MOMENTS] = {1,           s[0],        s[1],        s[2], 1,    1,   1,
                                         s[0] * s[1], s[0] * s[2], s[1] * s[2], s[0], s[1], s[2]};
        for (int i = 0; i < KN_MOMENTS; i++)
            m[i] += sign[i] * part[i];
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
