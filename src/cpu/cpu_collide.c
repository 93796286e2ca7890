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

KN_SPECIALISED void relax_loop(const struct kn_velocity *v, const struct kn_relaxation *r, float eps,
                               bool heat, float *restrict h)
{
    const float *restrict vx = v->speed[0], *restrict vy = v->speed[1], *restrict vz = v->speed[2];
#pragma omp simd
    for (int k = 0; k < v->size; k++) {
        float next = kn_collide_relax(r, eps, h[k], vx[k], vy[k], vz[k]);
        if (heat)
            next += kn_collide_heat_term(r, eps, vx[k], vy[k], vz[k]);
        h[k] = next;
    }
}

/* One copy of the loop for each kind: linear or not, with a heat term or not. */
static void relax_octant(const struct kn_velocity *v, const struct kn_relaxation *r, float eps, bool heat,
                         float *h)
{
    if (eps == 0 && !heat)
        relax_loop(v, r, 0.0f, false, h);
    else if (eps == 0)
        relax_loop(v, r, 0.0f, true, h);
    else if (!heat)
        relax_loop(v, r, eps, false, h);
    else
        relax_loop(v, r, eps, true, h);
}

/* Target of a relaxation times `lose`: a + b.v + c v.v.  `b` and `speed` are those of the unfolded axes, in
 * the order of their octant bits. */
struct linear_target {
    const float *speed[3]; /* [stride] each */
    float a, b[3], c, lose;
};

/* h - lose h + polynomial, all octants at once: even and odd parts of the polynomial are computed once and
 * added with the signs of each octant. */
KN_SPECIALISED float relax_linear_loop(const struct kn_velocity *v, int octants,
                                       const struct linear_target *t, float *row)
{
    const float *restrict vv = v->square, *restrict w = v->w;
    const float *restrict s0 = t->speed[0], *restrict s1 = t->speed[1], *restrict s2 = t->speed[2];
    const float a = t->a, b0 = t->b[0], b1 = t->b[1], b2 = t->b[2], c = t->c, lose = t->lose;
    kn_lanes lost = {0};
    for (int first = 0; first < v->stride; first += KN_LANES) {
        union kn_lane_view part = {{0}};
#pragma omp simd
        for (int i = 0; i < KN_LANES; i++) {
            const int k = first + i;
            const float x = octants > 1 ? b0 * s0[k] : 0, y = octants > 2 ? b1 * s1[k] : 0;
            const float z = octants > 4 ? b2 * s2[k] : 0, even = a + c * vv[k], weight = w[k];
            float sum = 0;
            for (int o = 0; o < octants; o++) {
                float *restrict h = row + (size_t)o * v->stride;
                const float plane = octants > 4 ? (o & 4 ? even - z : even + z) : even,
                            line = octants > 2 ? (o & 2 ? plane - y : plane + y) : plane;
                const float target = octants > 1 ? (o & 1 ? line - x : line + x) : line;
                const float old = h[k], change = target - lose * old, next = old + change;
                sum += weight * kn_stream_lost(old, change, next);
                h[k] = next;
            }
            part.at[i] = sum;
        }
        lost += part.vector;
    }
    return kn_lanes_sum(lost);
}

/* Loops over whole vectors include the padding, which must stay zero. */
static void clear_padding(const struct kn_velocity *v, float *row)
{
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = v->size; k < v->stride; k++)
            row[(size_t)octant * v->stride + (size_t)k] = 0;
}

/* Linearised BGK: the target is in the span of the invariants, so relaxation towards the projection of h
 * conserves them without a correction. */
static void collide_linear_bgk(const struct kn_collisions *s, float *row)
{
    const struct kn_velocity *v = s->velocity;
    const double lose = -expm1(-s->dt);
    double before[KN_INVARIANTS], x[KN_INVARIANTS];
    float lost;
    invariants(v, row, before);
    kn_collide_project(s->plan->inverse, before, x);
    struct linear_target t = {.speed = {v->speed[0], v->speed[1], v->speed[2]},
                              .a = (float)(lose * x[0]),
                              .c = (float)(lose * x[4]),
                              .lose = (float)lose};
    for (int d = 0, i = 0; d < 3; d++)
        if (v->bit[d]) {
            t.speed[i] = v->speed[d];
            t.b[i++] = (float)(lose * x[1 + d]);
        }
    if (v->octants == 1)
        lost = relax_linear_loop(v, 1, &t, row);
    else if (v->octants == 2)
        lost = relax_linear_loop(v, 2, &t, row);
    else if (v->octants == 4)
        lost = relax_linear_loop(v, 4, &t, row);
    else
        lost = relax_linear_loop(v, 8, &t, row);
    kn_cpu_restore_mass(v, s->number, lost, row);
    clear_padding(v, row);
}

static void collide_model(const struct kn_collisions *s, float *row)
{
    const struct kn_velocity *v = s->velocity;
    const double eps = s->c->disturbance;
    double m[KN_MOMENTS] = {0}, field[KN_FIELDS], before[KN_INVARIANTS];
    const enum kn_method method = s->plan->method;
    invariants(v, row, before);    /* the same sums as afterwards, so that their round-off cancels */
    if (method == KN_METHOD_BGK) { /* BGK needs nothing else */
        memcpy(m, before, 4 * sizeof *m);
        m[KN_M_XX] = before[4];
    } else {
        KN_CPU_NAME(moments)(v, row, m);
    }
    before[0] = exact_mass(v, row);
    kn_moments_to_fields(m, eps, field);
    const struct kn_relaxation r = kn_collide_relaxation(method, eps, s->c->collision.prandtl, s->dt, field);
    for (int octant = 0; octant < v->octants; octant++) {
        const struct kn_relaxation here = kn_relaxation_in_octant(r, (float)kn_velocity_sign(v, octant, 0),
                                                                  (float)kn_velocity_sign(v, octant, 1),
                                                                  (float)kn_velocity_sign(v, octant, 2));
        relax_octant(v, &here, (float)eps, method == KN_METHOD_SHAKHOV, row + (size_t)octant * v->stride);
    }
    if (s->plan->conservation == KN_CONSERVATION_NONE)
        return;
    double missing[KN_INVARIANTS];
    invariants(v, row, missing);
    missing[0] = exact_mass(v, row);
    for (int i = 0; i < KN_INVARIANTS; i++)
        missing[i] = before[i] - missing[i];
    correct(s, row, missing);
    /* The coefficients of the correction are rounded: the remaining mass is restored as well. */
    kn_cpu_restore_mass(v, s->number + 1, (float)(before[0] - exact_mass(v, row)), row);
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
    for (int i = 0; kn_case_is_model(s->plan->method) && i < count; i++) {
        float *row = rows + (size_t)i * s->velocity->nnodes;
        if (s->plan->method == KN_METHOD_BGK && s->c->disturbance == 0 &&
            s->plan->conservation != KN_CONSERVATION_NONE)
            collide_linear_bgk(s, row);
        else
            collide_model(s, row);
    }
    add_source(s, rows, count);
}
