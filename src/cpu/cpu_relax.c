/* Model equations on the CPU, one row at a time: relaxation towards a polynomial (linearised BGK) or towards
 * a Gaussian, a product of one factor per axis, theory (31) to (35). */
#include "cpu/cpu_rows.h"

/* Target of a relaxation times `lose`: a + b.v + c v.v.  `b` and `speed` are by place. */
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

/* h <- (1 - lose) h + the polynomial with these coefficients; mass lost by round-off is restored. */
static void relax_to_polynomial(const struct kn_collisions *s, const double x[KN_INVARIANTS], double lose,
                                float *row)
{
    const struct kn_velocity *v = s->velocity;
    struct linear_target t = {.a = (float)x[0], .c = (float)x[4], .lose = (float)lose};
    float lost;
    for (int i = 0; i < 3; i++) {
        t.speed[i] = v->speed[v->basis.axes[i]];
        t.b[i] = (float)x[1 + v->basis.axes[i]];
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

/* Linearised BGK: the target is in the span of the invariants, so relaxation towards the projection of h
 * conserves them without a correction. */
static void relax_linear_bgk(const struct kn_collisions *s, float *row)
{
    const double lose = -expm1(-s->dt);
    double before[KN_INVARIANTS], x[KN_INVARIANTS];
    invariants(s->velocity, row, before);
    kn_collide_project(s->plan->inverse, before, x);
    for (int i = 0; i < KN_INVARIANTS; i++)
        x[i] *= lose;
    relax_to_polynomial(s, x, lose, row);
}

/* ------------------------------------------------------------------ moments */

/* Sums over octants with the signs of each parity: bit j of its number is set if it is odd at place j. */
KN_SPECIALISED void parities_of(const float *row, int stride, int octants, kn_lanes sum[8])
{
    for (int o = 0; o < octants; o++)
        sum[o] = *(const kn_lanes *)(row + (size_t)o * (size_t)stride);
    for (int bit = 1; bit < octants; bit *= 2)
        for (int o = 0; o < octants; o++)
            if (!(o & bit)) {
                const kn_lanes low = sum[o], high = sum[o | bit];
                sum[o] = low + high;
                sum[o | bit] = low - high;
            }
}

/* Sums besides the mass: v.v and the squares at places 0 and 1; v, v v.v by place; products of two places. */
enum { VV, SQUARES, LINEAR = SQUARES + 2, CUBIC = LINEAR + 3, CROSS = CUBIC + 3, SUMS = CROSS + 3 };

/* True if a sum is needed and does not vanish by symmetry. */
KN_SPECIALISED bool is_summed(int i, int octants, bool all)
{
    const int places = octants == 8 ? 3 : octants == 4 ? 2 : octants == 2 ? 1 : 0;
    return i >= CROSS    ? all && places > (i == CROSS ? 1 : 2)
           : i >= CUBIC  ? all && places > i - CUBIC
           : i >= LINEAR ? places > i - LINEAR
                         : all || i == VV;
}

/* Mass in double precision, the others in single precision over RUN vectors and in double precision beyond.
 * `all`: not only the invariants. */
KN_SPECIALISED double sums_loop(const struct kn_velocity *v, int octants, bool all, const float *row,
                                double sum[SUMS])
{
    enum { RUN = 16 * KN_LANES };
    const int *const axis = v->basis.axes;
    struct kn_lane_sum one = {0};
    memset(sum, 0, SUMS * sizeof *sum);
    for (int begin = 0; begin < v->stride; begin += RUN) {
        const int end = v->stride - begin < RUN ? v->stride : begin + RUN;
        kn_lanes part[SUMS] = {{0}};
        for (int k = begin; k < end; k += KN_LANES) {
#define TABLE(name) (*(const kn_lanes *)(v->name + k))
            kn_lanes h[8];
            parities_of(row + k, v->stride, octants, h);
            kn_lanes_add(&one, v->mass + k, h[0]);
            part[VV] += TABLE(flow[3]) * h[0];
            for (int i = 0; i < 2 && all; i++)
                part[SQUARES + i] += TABLE(flow[axis[i]]) * TABLE(speed[axis[i]]) * h[0];
            for (int i = 0; 1 << i < octants; i++) {
                const kn_lanes flow = TABLE(flow[axis[i]]) * h[1 << i];
                part[LINEAR + i] += flow;
                if (all)
                    part[CUBIC + i] += flow * TABLE(square);
                for (int j = 0; j < i && all; j++)
                    part[CROSS + i + j - 1] +=
                        TABLE(flow[axis[i]]) * TABLE(speed[axis[j]]) * h[1 << i | 1 << j];
            }
#undef TABLE
        }
        for (int i = 0; i < SUMS; i++)
            if (is_summed(i, octants, all))
                sum[i] += kn_lanes_sum(part[i]);
    }
    return kn_lanes_total(&one);
}

/* The moments by place. */
KN_SPECIALISED void moments_by_place(const struct kn_velocity *v, int octants, bool all, const float *row,
                                     double m[KN_MOMENTS])
{
    double sum[SUMS];
    m[KN_M_1] = sums_loop(v, octants, all, row, sum);
    m[KN_M_XX] = sum[SQUARES];
    m[KN_M_YY] = sum[SQUARES + 1];
    m[KN_M_ZZ] = sum[VV] - sum[SQUARES] - sum[SQUARES + 1];
    for (int i = 0; i < 3; i++) {
        m[KN_M_X + i] = sum[LINEAR + i];
        m[KN_M_XVV + i] = sum[CUBIC + i];
        m[KN_M_XY + i] = sum[CROSS + i];
    }
}

/* ------------------------------------------------------------------- target */

/* How the target depends on the velocity. */
enum kind {
    SEPARABLE, /* a product of functions of the velocity at each place */
    HEATED,    /* the same with Shakhov's heat term */
    CROSSED    /* factors depend on the velocities at earlier places */
};

struct model {
    const struct kn_velocity *velocity;
    const struct kn_relaxation *relaxation;
    enum kind kind;
    float eps;
    float *rows;  /* [KN_RELAX_ROWS][stride] E of factors, see `row_of` */
    float *pairs; /* [nodes at place 0][nodes at place 1] and padding */
};

/* E of the factor at a place for a sign of v; of a crossed target, at place 0 for the signs at places 0 and
 * 1, and at place 2 for those of an octant. */
static float *row_of(const struct model *m, int place, int signs)
{
    static const int first[3] = {0, 4, 6};
    return m->rows + (size_t)(first[place] + signs) * (size_t)m->velocity->stride;
}

/* exp_eps of exponents, in place. */
static void exponentiate(float eps, int n, float *restrict x)
{
    if (eps == 0)
        return;
#pragma omp simd
    for (int i = 0; i < n; i++)
        x[i] = kn_deviation_exp(eps, x[i]);
}

/* The exponents of a factor for the signed nodes at its place and a mean velocity, or its expansion. */
static void find_exponents(const struct model *m, int place, float mean, float *restrict x)
{
    const struct kn_factor f = m->relaxation->target.factor[place];
    const float eps = m->eps, *restrict v = m->velocity->line[place];
    const int n = m->velocity->length[place];
    if (m->velocity->basis.reduced[place]) {
#pragma omp simd
        for (int i = 0; i < n; i++)
            x[i] = kn_factor_expansion(&f, eps, mean, v[i]);
        return;
    }
#pragma omp simd
    for (int i = 0; i < n; i++)
        x[i] = kn_factor_exponent(&f, eps, mean, v[i]);
}

KN_SPECIALISED void spread_loop(const struct kn_velocity *v, int last, const float *from, const int step[3],
                                float *restrict to)
{
    for (int x = 0; x < v->half[0]; x++)
        for (int y = 0; y < v->half[1]; y++, to += last) {
            const float *const at = from + x * step[0] + y * step[1];
            if (step[2] == 0)
                for (int z = 0; z < last; z++)
                    to[z] = at[0];
            else
                for (int z = 0; z < last; z++)
                    to[z] = at[z * step[2]];
        }
}

/* Values for the nodes of an octant from a table with one step per node along each axis. */
static void spread(const struct kn_velocity *v, const float *from, const int step[3], float *to)
{
    const int last = v->half[2];
    if (last == 2)
        spread_loop(v, 2, from, step, to);
    else if (last == 4)
        spread_loop(v, 4, from, step, to);
    else if (last == 8)
        spread_loop(v, 8, from, step, to);
    else
        spread_loop(v, last, from, step, to);
    for (int k = v->size; k < v->stride; k++)
        to[k] = 0;
}

/* The row of a factor on a reduced axis, for a sign of v. */
static void expand(const struct model *m, int place, int sign, float *restrict row)
{
    const struct kn_factor f = m->relaxation->target.factor[place];
    const float eps = m->eps, *restrict speed = m->velocity->speed[m->velocity->basis.axes[place]];
#pragma omp simd
    for (int k = 0; k < m->velocity->stride; k++)
        row[k] = kn_factor_expansion(&f, eps, f.mean, sign ? -speed[k] : speed[k]);
}

/* Rows of the factors at the places from `first` to `end` - 1, which depend on the velocity there alone. */
static void find_rows(const struct model *m, int first, int end)
{
    const struct kn_velocity *v = m->velocity;
    const struct kn_factor *const factor = m->relaxation->target.factor;
    float table[3 * KN_VELOCITY_LINE];
    int count = 0;
    for (int i = first; i < end; i++)
        if (!v->basis.reduced[i]) {
            find_exponents(m, i, factor[i].mean, table + count);
            count += v->length[i];
        }
    exponentiate(m->eps, count, table);
    count = 0;
    for (int i = first; i < end; i++) {
        const int axis = v->basis.axes[i], step[3] = {axis == 0, axis == 1, axis == 2};
        for (int s = 0; s < (v->bit[axis] ? 2 : 1); s++)
            if (v->basis.reduced[i])
                expand(m, i, s, row_of(m, i, s));
            else
                spread(v, table + count + s * v->half[axis], step, row_of(m, i, s));
        count += v->basis.reduced[i] ? 0 : v->length[i];
    }
}

/* Rows of the product of the crossed factors at places 0 and 1. Place 0 is never reduced. */
static void find_pairs(const struct model *m)
{
    const struct kn_velocity *v = m->velocity;
    const struct kn_gaussian *g = &m->relaxation->target;
    const int axis[2] = {v->basis.axes[0], v->basis.axes[1]}, rows = 2 * v->half[axis[0]],
              across = 2 * v->half[axis[1]];
    const float eps = m->eps;
    float first[KN_VELOCITY_LINE];
    int step[3] = {0, 0, 0};
    step[axis[0]] = across;
    step[axis[1]] = 1;
    find_exponents(m, 0, g->factor[0].mean, first);
    exponentiate(eps, v->length[0], first);
    for (int i = 0; i < rows; i++) /* the padding of a row is overwritten by the next row */
        find_exponents(m, 1, kn_gaussian_mean1(g, eps, v->line[0][i]), m->pairs + (size_t)i * (size_t)across);
    if (!v->basis.reduced[1])
        exponentiate(eps, rows * across, m->pairs);
    for (int i = 0; i < rows; i++) {
        float *restrict pair = m->pairs + (size_t)i * (size_t)across;
#pragma omp simd
        for (int j = 0; j < across; j++)
            pair[j] = kn_deviation_join(eps, first[i], pair[j]);
    }
    for (int s = 0; s < 4; s++)
        spread(v, m->pairs + (s & 1) * rows / 2 * across + (s >> 1) * v->half[axis[1]], step,
               row_of(m, 0, s));
}

/* The row of the factor at place 2 in an octant, if it depends on the velocities at the other places. */
static void find_last(const struct model *m, int octant)
{
    const struct kn_velocity *v = m->velocity;
    const struct kn_gaussian g = m->relaxation->target;
    const float eps = m->eps, sign0 = octant & 1 ? -1.0f : 1.0f, sign1 = octant & 2 ? -1.0f : 1.0f,
                sign2 = octant & 4 ? -1.0f : 1.0f;
    const float *restrict v0 = v->speed[v->basis.axes[0]], *restrict v1 = v->speed[v->basis.axes[1]],
                          *restrict v2 = v->speed[v->basis.axes[2]];
    float *restrict row = row_of(m, 2, octant);
    const bool reduced = v->basis.reduced[2];
#pragma omp simd
    for (int k = 0; k < v->stride; k++) {
        const float mean = kn_gaussian_mean2(&g, eps, sign0 * v0[k], sign1 * v1[k]), at = sign2 * v2[k];
        row[k] = reduced ? kn_factor_expansion(&g.factor[2], eps, mean, at)
                         : kn_factor_exponent(&g.factor[2], eps, mean, at);
    }
    if (!reduced)
        exponentiate(eps, v->stride, row);
}

/* ------------------------------------------------------------------ the step */

/* Rows of E, and the forms of the parts of a heated target. */
struct target {
    const float *pair[4]; /* of a crossed target */
    const float *excess[3][2], *last[8];
    const float *speed[3];
    struct kn_relax_form form[3];
};

static struct target find_target(const struct model *m)
{
    const struct kn_velocity *v = m->velocity;
    const bool crossed = m->kind == CROSSED, coupled = crossed && v->octants == 8;
    struct target t;
    if (crossed)
        find_pairs(m);
    find_rows(m, crossed ? 2 : 0, coupled ? 2 : 3);
    for (int i = 0; i < 3; i++) {
        if (m->kind == HEATED)
            t.form[i] = kn_relax_form_make(&m->relaxation->target.factor[i], m->eps, v->basis.reduced[i],
                                           m->relaxation->heat[i]);
        t.speed[i] = v->speed[v->basis.axes[i]];
        for (int s = 0; s < 2; s++)
            t.excess[i][s] = row_of(m, i, s);
    }
    for (int o = 0; o < v->octants; o++) {
        t.pair[o & 3] = row_of(m, 0, o & 3);
        t.last[o] = row_of(m, 2, coupled ? o : o >> 2);
        if (coupled)
            find_last(m, o);
    }
    return t;
}

/* Changes of h summed over octants, by parity. */
struct changes {
    union kn_lane_view even, odd[3];
};

KN_SPECIALISED struct kn_relax_part part_at(const struct target *t, float eps, bool heated, int place,
                                            int sign, int k)
{
    const float excess = t->excess[place][sign][k], v = t->speed[place][k];
    const struct kn_relax_part plain = {excess, 1 + eps * excess, 0, 0, 0};
    return heated ? kn_relax_part_at(&t->form[place], eps, sign ? -v : v, excess) : plain;
}

/* Relax one vector of nodes in all octants. */
KN_SPECIALISED void relax_lanes(const struct model *m, int octants, enum kind kind, const struct target *t,
                                int first, float *restrict row, struct changes *c)
{
    const float eps = m->eps, lose = m->relaxation->lose, density = m->relaxation->target.density;
    const int stride = m->velocity->stride;
    const bool heated = kind == HEATED, crossed = kind == CROSSED;
#pragma omp simd
    for (int i = 0; i < KN_LANES; i++) {
        const int k = first + i;
        const struct kn_relax_part none = {0, 1, 0, 0, 0},
                                   a0 = crossed ? none : part_at(t, eps, heated, 0, 0, k),
                                   a1 = crossed ? none : part_at(t, eps, heated, 0, octants > 1, k),
                                   b0 = crossed ? none : part_at(t, eps, heated, 1, 0, k),
                                   b1 = crossed ? none : part_at(t, eps, heated, 1, octants > 2, k),
                                   p0 = crossed ? none : part_at(t, eps, heated, 2, 0, k),
                                   p1 = crossed ? none : part_at(t, eps, heated, 2, octants > 4, k);
        const float dense0 = kn_gaussian_value(eps, density, a0.excess),
                    dense1 = kn_gaussian_value(eps, density, a1.excess);
        float even = 0, x = 0, y = 0, z = 0;
#pragma GCC unroll 8
        for (int o = 0; o < octants; o++) {
            struct kn_relax_part last = o & 4 ? p1 : p0;
            struct kn_relax_pair pair = {0, 0, 0, 0, 0};
            if (crossed) {
                pair.excess = kn_gaussian_value(eps, density, t->pair[o & 3][k]);
                last.excess = t->last[o][k];
                last.whole = 1 + eps * last.excess;
            } else {
                pair = kn_relax_pair_of(o & 1 ? dense1 : dense0, o & 1 ? a1 : a0, o & 2 ? b1 : b0);
            }
            float *const h = row + (size_t)o * (size_t)stride + k, old = *h;
            float change = kn_relax_change(lose, pair, last, old);
            if (heated)
                change += kn_relax_heat(pair, last);
            if (heated && octants == 8) /* no odd moments along a folded axis */
                change += kn_relax_odd_heat(pair, last);
            const float next = old + change, d = next - old;
            *h = next;
            even += d;
            x += o & 1 ? -d : d;
            y += o & 2 ? -d : d;
            z += o & 4 ? -d : d;
        }
        c->even.at[i] = even;
        c->odd[0].at[i] = x;
        c->odd[1].at[i] = y;
        c->odd[2].at[i] = z;
    }
}

/* Relax a row; `change` is that of its invariants. */
KN_SPECIALISED void relax_loop(const struct model *m, int octants, enum kind kind, const struct target *t,
                               float *row, double change[KN_INVARIANTS])
{
    const struct kn_velocity *v = m->velocity;
    struct kn_lane_sum mass = {0};
    kn_lanes energy = {0}, momentum[3] = {{0}};
    for (int k = 0; k < v->stride; k += KN_LANES) {
        struct changes c;
        relax_lanes(m, octants, kind, t, k, row, &c);
        kn_lanes_add(&mass, v->mass + k, c.even.vector);
        energy += *(const kn_lanes *)(v->flow[3] + k) * c.even.vector;
        for (int i = 0; 1 << i < octants; i++)
            momentum[i] += *(const kn_lanes *)(v->flow[v->basis.axes[i]] + k) * c.odd[i].vector;
    }
    change[0] = kn_lanes_total(&mass);
    change[4] = kn_lanes_sum(energy);
    for (int i = 0; i < 3; i++)
        change[1 + v->basis.axes[i]] = kn_lanes_sum(momentum[i]);
}

/* The relaxation of a row in this step. */
KN_SPECIALISED struct kn_relaxation find_relaxation(const struct kn_collisions *s, int octants,
                                                    const float *row)
{
    const double eps = s->c->disturbance;
    double m[KN_MOMENTS], field[KN_FIELDS];
    if (s->plan->method == KN_METHOD_BGK)
        moments_by_place(s->velocity, octants, false, row, m);
    else
        moments_by_place(s->velocity, octants, true, row, m);
    kn_moments_to_fields(m, eps, field);
    return kn_collide_relaxation(s->plan->method, &s->velocity->basis, s->c->collision.prandtl, s->dt, field);
}

/* One copy of the loops per number of octants. */
KN_SPECIALISED void relax_octants(const struct kn_collisions *s, int octants, float *row, float *scratch,
                                  double change[KN_INVARIANTS])
{
    const struct kn_relaxation r = find_relaxation(s, octants, row);
    const enum kn_method method = s->plan->method;
    struct model m = {.velocity = s->velocity, .relaxation = &r, .eps = (float)s->c->disturbance};
    m.kind = method == KN_METHOD_SHAKHOV                 ? HEATED
             : method == KN_METHOD_ES_BGK && octants > 2 ? CROSSED
                                                         : SEPARABLE;
    m.rows = scratch;
    m.pairs = scratch + KN_RELAX_ROWS * (size_t)s->velocity->stride;
    const struct target t = find_target(&m);
    if (m.kind == HEATED)
        relax_loop(&m, octants, HEATED, &t, row, change);
    else if (m.kind == CROSSED)
        relax_loop(&m, octants, CROSSED, &t, row, change);
    else
        relax_loop(&m, octants, SEPARABLE, &t, row, change);
}

/* The invariants of a Gaussian on a grid differ slightly from the given ones: their change is removed by a
 * polynomial, theory (30). */
__attribute__((flatten)) static void relax_to_gaussian(const struct kn_collisions *s, float *row,
                                                       float *scratch)
{
    const int octants = s->velocity->octants;
    double change[KN_INVARIANTS], x[KN_INVARIANTS];
    if (octants == 1)
        relax_octants(s, 1, row, scratch, change);
    else if (octants == 2)
        relax_octants(s, 2, row, scratch, change);
    else if (octants == 4)
        relax_octants(s, 4, row, scratch, change);
    else
        relax_octants(s, 8, row, scratch, change);
    kn_collide_project(s->plan->inverse, change, x);
    for (int i = 0; i < KN_INVARIANTS; i++)
        x[i] = s->plan->conservation == KN_CONSERVATION_NONE ? 0 : -x[i];
    relax_to_polynomial(s, x, 0, row);
}

void KN_CPU_NAME(relax)(const struct kn_collisions *s, float *row, float *scratch)
{
    if (s->plan->method == KN_METHOD_BGK && s->c->disturbance == 0 &&
        s->plan->conservation != KN_CONSERVATION_NONE)
        relax_linear_bgk(s, row);
    else
        relax_to_gaussian(s, row, scratch);
}
