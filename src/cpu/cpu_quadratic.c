/* The quadratic part of collisions on the CPU, in a block of cells: polynomials of the deviation from the
 * local Maxwellian collide in its frame, theory (47) to (47e). */
#include "cpu/cpu_matrix.h"

#include "point/deviation.h"
#include "point/hermite.h"

#include <string.h>

enum { TERMS = KN_HERMITE_TERMS };

/* The local Maxwellian of each lane. */
struct maxwellians {
    union kn_lane_view rho, u[3], theta;
    union kn_lane_view constant;    /* of the exponent along an axis */
    union kn_lane_view temperature; /* 1 + eps theta */
    union kn_lane_view density;     /* 1 + eps rho */
    union kn_lane_view rate;        /* collision frequency, relative to the gas at rest */
    union kn_lane_view beyond;      /* factor of the polynomials of higher degree that collisions create */
};

/* Lanes without a cell have the gas at rest. */
static struct maxwellians find_maxwellians(const struct kn_collisions *s, int count,
                                           double (*m)[KN_INVARIANTS])
{
    const double eps = s->c->disturbance;
    struct maxwellians g;
    for (int i = 0; i < KN_LANES; i++) {
        const double none[KN_INVARIANTS] = {0}, *moment = i < count ? m[i] : none, n = 1 + eps * moment[0];
        double uu = 0;
        for (int d = 0; d < 3; d++) {
            const double u = moment[1 + d] / n;
            g.u[d].at[i] = (float)u;
            uu += u * u;
        }
        const double theta = (2.0 / 3 * moment[4] - moment[0]) / n - 2.0 / 3 * eps * uu;
        g.rho.at[i] = (float)moment[0];
        g.theta.at[i] = (float)theta;
        g.density.at[i] = (float)n;
        g.temperature.at[i] = (float)(1 + eps * theta);
        g.constant.at[i] = (float)(-0.5 * kn_deviation_log(eps, theta));
        g.rate.at[i] = kn_hermite_rate((float)n, g.temperature.at[i], (float)s->plan->op.exponent);
        g.beyond.at[i] = kn_hermite_beyond((float)n, g.temperature.at[i], g.rate.at[i]);
    }
    return g;
}

/* The factors of the Maxwellians along the three axes, first for v > 0, then for v < 0. */
static void fill_factors(const struct kn_velocity *v, float eps, const struct maxwellians *g, float *factors)
{
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < 2 * v->half[d]; k++, factors += KN_LANES) {
            const float x = (float)v->node[d][k % v->half[d]] * (k < v->half[d] ? 1.0f : -1.0f);
#pragma omp simd
            for (int i = 0; i < KN_LANES; i++) {
                const float u = g->u[d].at[i], theta = g->theta.at[i];
                factors[i] = kn_deviation_exp(
                    eps, g->constant.at[i] + (x * (2 * u + theta * x) - eps * u * u) / g->temperature.at[i]);
            }
        }
}

/* maxwell <- local Maxwellians, change <- h - maxwell. */
static void subtract_maxwellians(const struct kn_velocity *v, float eps, const struct maxwellians *g,
                                 float *const block[KN_BLOCKS])
{
    float *factors = block[KN_BLOCK_FACTORS], *along[3];
    fill_factors(v, eps, g, factors);
    for (int d = 0; d < 3; d++) {
        along[d] = factors;
        factors += (size_t)(2 * v->half[d]) * KN_LANES;
    }
    for (int o = 0; o < v->octants; o++) {
        const float *axis[3];
        int row = o * v->stride;
        for (int d = 0; d < 3; d++)
            axis[d] = along[d] + (size_t)(o & v->bit[d] ? v->half[d] : 0) * KN_LANES;
        for (int x = 0; x < v->half[0]; x++)
            for (int y = 0; y < v->half[1]; y++) {
                const kn_lanes a = *(const kn_lanes *)(axis[0] + (size_t)x * KN_LANES),
                               b = *(const kn_lanes *)(axis[1] + (size_t)y * KN_LANES),
                               first = g->rho.vector + a * (1 + eps * g->rho.vector),
                               second = first + b * (1 + eps * first);
                for (int z = 0; z < v->half[2]; z++, row++) {
                    const kn_lanes c = *(const kn_lanes *)(axis[2] + (size_t)z * KN_LANES),
                                   value = second + c * (1 + eps * second);
                    *kn_cpu_lane(block[KN_BLOCK_MAXWELL], row) = value;
                    *kn_cpu_lane(block[KN_BLOCK_CHANGE], row) = *kn_cpu_lane(block[KN_BLOCK_H], row) - value;
                }
            }
        for (; row < (o + 1) * v->stride; row++)
            *kn_cpu_lane(block[KN_BLOCK_MAXWELL], row) = *kn_cpu_lane(block[KN_BLOCK_CHANGE], row) =
                (kn_lanes){0};
    }
}

/* The polynomials of one axis of a block: coefficients of their recurrence, and sums over the nodes. */
struct recurrence {
    float first[KN_LANES], a[KN_LANES], b[KN_LANES], next_b[KN_LANES], inverse[KN_LANES], sum[2][KN_LANES];
};

/* One axis: nodes, and the values of two successive polynomials there. */
struct axis {
    const struct kn_velocity *v;
    const struct maxwellians *g;
    const float *factors; /* of the Maxwellians */
    float *p, *before;    /* [node][lane] */
    float eps;
    int d, nodes;
};

static float node_of(const struct axis *s, int k)
{
    const int half = s->v->half[s->d];
    return (float)(k < half ? s->v->node[s->d][k] : -s->v->node[s->d][k - half]);
}

/* p_0. */
static void start_polynomials(const struct axis *s, struct recurrence *r)
{
    memset(r, 0, sizeof *r);
    for (int k = 0; k < s->nodes; k++) {
        const float w = (float)s->v->weight[s->d][k % s->v->half[s->d]];
        for (int i = 0; i < KN_LANES; i++)
            r->sum[0][i] += w * (1 + s->eps * s->factors[k * KN_LANES + i]);
    }
    for (int i = 0; i < KN_LANES; i++)
        r->first[i] = 1 / sqrtf(r->sum[0][i]);
    for (int k = 0; k < s->nodes * KN_LANES; k++) {
        s->p[k] = r->first[k % KN_LANES];
        s->before[k] = 0;
    }
}

/* a_n and b_(n+1). */
static void find_recurrence(const struct axis *s, int n, struct recurrence *r)
{
    memset(r->sum, 0, sizeof r->sum);
    for (int k = 0; k < s->nodes; k++) {
        const float w = (float)s->v->weight[s->d][k % s->v->half[s->d]], node = node_of(s, k);
        const float *const p = s->p + k * KN_LANES, *const factor = s->factors + k * KN_LANES;
#pragma omp simd
        for (int i = 0; i < KN_LANES; i++) {
            const float x = node - s->eps * s->g->u[s->d].at[i],
                        y = w * (1 + s->eps * factor[i]) * x * p[i] * p[i];
            r->sum[0][i] += y;
            r->sum[1][i] += x * y;
        }
    }
    for (int i = 0; i < KN_LANES; i++) {
        r->a[i] = s->v->bit[s->d] ? r->sum[0][i] : 0;
        r->b[i] = r->next_b[i];
        r->next_b[i] = kn_hermite_norm(n, s->g->temperature.at[i], r->a[i], r->b[i], r->sum[1][i]);
        r->inverse[i] = r->next_b[i] > 0 ? 1 / r->next_b[i] : 0;
    }
}

static void advance_polynomials(const struct axis *s, const struct recurrence *r)
{
    for (int k = 0; k < s->nodes; k++) {
        const float node = node_of(s, k);
        float *const p = s->p + k * KN_LANES, *const before = s->before + k * KN_LANES;
#pragma omp simd
        for (int i = 0; i < KN_LANES; i++) {
            const float next = kn_hermite_next(node - s->eps * s->g->u[s->d].at[i], r->a[i], r->b[i],
                                               r->inverse[i], p[i], before[i]);
            before[i] = p[i];
            p[i] = next;
        }
    }
}

/* The same recurrence for the coefficients of p_n in terms of Hermite polynomials of the velocity, for which
 * v h_k = sqrt((k + 1) / 2) h_(k+1) + sqrt(k / 2) h_(k-1). */
static void advance_map(const struct axis *s, const struct recurrence *r, int n,
                        float (*map)[TERMS][KN_LANES])
{
    for (int k = 0; k <= n + 1; k++) {
        const float below = sqrtf(0.5f * (float)k), above = sqrtf(0.5f * (float)(k + 1));
        for (int i = 0; i < KN_LANES; i++) {
            const float shifted = (k > 0 ? below * map[n][k - 1][i] : 0) +
                                  (k < TERMS - 1 ? above * map[n][k + 1][i] : 0) -
                                  (s->eps * s->g->u[s->d].at[i] + r->a[i]) * map[n][k][i],
                        before = n > 0 ? map[n - 1][k][i] : 0;
            map[n + 1][k][i] = (shifted - r->b[i] * before) * r->inverse[i];
        }
    }
}

/* Maps between polynomials of the velocity and of the peculiar velocity, [axis][n][k]. */
static void fill_maps(const struct kn_velocity *v, float eps, const struct maxwellians *g,
                      float *const block[KN_BLOCKS])
{
    const float *factors = block[KN_BLOCK_FACTORS];
    float(*map)[TERMS][KN_LANES] = (float(*)[TERMS][KN_LANES])block[KN_BLOCK_MAPS];
    memset(map, 0, 3 * sizeof(float[TERMS][TERMS][KN_LANES]));
    for (int d = 0; d < 3; d++, map += TERMS) {
        const int nodes = v->bit[d] ? 2 * v->half[d] : v->half[d];
        const struct axis s = {v,   g, factors, block[KN_BLOCK_GAIN], block[KN_BLOCK_GAIN] + nodes * KN_LANES,
                               eps, d, nodes};
        struct recurrence r;
        start_polynomials(&s, &r);
        memcpy(map[0][0], r.first, sizeof r.first);
        for (int n = 0; n < TERMS - 1; n++) {
            find_recurrence(&s, n, &r);
            advance_polynomials(&s, &r);
            advance_map(&s, &r, n, map);
        }
        factors += (size_t)(2 * v->half[d]) * KN_LANES;
    }
}

static kn_lanes map_at(const float *maps, int axis, int n, int k)
{
    return *(const kn_lanes *)(maps + (size_t)((axis * TERMS + n) * TERMS + k) * KN_LANES);
}

/* Moments of polynomials of the velocity become those of the peculiar velocity, in place. */
static void to_local(const struct kn_cpu_quadratic *q, const float *maps, float *x)
{
    for (int d = 0; d < 3; d++)
        for (int l = 0; l < q->plan->nlines[d]; l++) {
            const struct kn_quadratic_line *line = &q->lines[d][l];
            for (int n = line->count - 1; n >= 0; n--) {
                kn_lanes sum = {0};
                for (int k = 0; k <= n; k++)
                    sum += map_at(maps, d, n * line->step, k * line->step) * *kn_cpu_lane(x, line->at[k]);
                *kn_cpu_lane(x, line->at[n]) = sum;
            }
        }
}

/* A sum of polynomials of the peculiar velocity becomes one of polynomials of the velocity, in place. */
static void to_global(const struct kn_cpu_quadratic *q, const float *maps, float *x)
{
    for (int d = 0; d < 3; d++)
        for (int l = 0; l < q->plan->nlines[d]; l++) {
            const struct kn_quadratic_line *line = &q->lines[d][l];
            for (int k = 0; k < line->count; k++) {
                kn_lanes sum = {0};
                for (int n = k; n < line->count; n++)
                    sum += map_at(maps, d, n * line->step, k * line->step) * *kn_cpu_lane(x, line->at[n]);
                *kn_cpu_lane(x, line->at[k]) = sum;
            }
        }
}

/* local <- coefficients of the deviation in the local frame. */
static void find_coefficients(const struct kn_collisions *s, const struct maxwellians *g,
                              float *const block[KN_BLOCKS])
{
    const struct kn_velocity *v = s->velocity;
    const struct kn_cpu_quadratic *q = s->quadratic;
    float *parities = block[KN_BLOCK_GAIN], *local = block[KN_BLOCK_LOCAL];
    memcpy(parities, block[KN_BLOCK_CHANGE], (size_t)v->nnodes * KN_LANES * sizeof *parities);
    kn_cpu_to_parities(v, parities);
    for (int p = 0; p < v->octants; p++)
        kn_cpu_multiply(q->project[p], q->polynomials[p], v->size,
                        parities + (size_t)p * (size_t)v->stride * KN_LANES,
                        local + (size_t)q->place[p] * KN_LANES);
    to_local(q, block[KN_BLOCK_MAPS], local);
    for (int i = 0; i < q->count; i++)
        *kn_cpu_lane(local, i) /= g->density.vector;
}

/* sum <- change of these coefficients: linear, and by the collisions between them in the middle of the linear
 * step, theory (47e). */
static void collide_polynomials(const struct kn_collisions *s, const struct maxwellians *g,
                                float *const block[KN_BLOCKS])
{
    const struct kn_cpu_quadratic *q = s->quadratic;
    const int *start = q->plan->start;
    float *local = block[KN_BLOCK_LOCAL], *relaxed = block[KN_BLOCK_RELAXED],
          *middle = block[KN_BLOCK_MIDDLE], *sum = block[KN_BLOCK_SUM], *products = block[KN_BLOCK_PRODUCTS];
    const float factor = (float)(s->c->disturbance * s->dt);
    for (int p = 0; p < s->velocity->octants; p++) {
        const size_t at = (size_t)q->place[p] * KN_LANES;
        kn_cpu_multiply(s->propagator->relaxed[p], q->polynomials[p], q->polynomials[p], local + at,
                        relaxed + at);
    }
    for (int i = 0; i < q->count; i++)
        *kn_cpu_lane(middle, i) = *kn_cpu_lane(local, i) + 0.5f * *kn_cpu_lane(relaxed, i);
    for (int p = 0; p < s->velocity->octants; p++) {
        for (int n = start[p]; n < start[p + 1]; n++)
            *kn_cpu_lane(products, n - start[p]) =
                *kn_cpu_lane(middle, q->pairs[n].i) * *kn_cpu_lane(middle, q->pairs[n].j);
        kn_cpu_multiply(q->tensor[p], q->polynomials[p], start[p + 1] - start[p], products,
                        sum + (size_t)q->place[p] * KN_LANES);
    }
    for (int i = 0; i < q->count; i++)
        *kn_cpu_lane(sum, i) = g->rate.vector * (*kn_cpu_lane(relaxed, i) + factor * *kn_cpu_lane(sum, i));
}

/* gain <- sum of polynomials with these coefficients in the local frame, times the local Maxwellian. */
static void expand(const struct kn_collisions *s, float *coefficients, float *const block[KN_BLOCKS])
{
    const struct kn_velocity *v = s->velocity;
    const struct kn_cpu_quadratic *q = s->quadratic;
    const float eps = (float)s->c->disturbance;
    float *gain = block[KN_BLOCK_GAIN];
    to_global(q, block[KN_BLOCK_MAPS], coefficients);
    memset(gain, 0, (size_t)v->nnodes * KN_LANES * sizeof *gain);
    for (int p = 0; p < v->octants; p++)
        kn_cpu_multiply(q->value[p], v->size, q->polynomials[p],
                        coefficients + (size_t)q->place[p] * KN_LANES,
                        gain + (size_t)p * (size_t)v->stride * KN_LANES);
    kn_cpu_to_parities(v, gain);
    for (int k = 0; k < v->nnodes; k++)
        *kn_cpu_lane(gain, k) *= 1 + eps * *kn_cpu_lane(block[KN_BLOCK_MAXWELL], k);
}

/* gain <- change of the polynomials; change <- the rest of the deviation from the local Maxwellian. The
 * linear step then acts on the rest, and on the polynomials in the frame at rest (local). */
void KN_CPU_NAME(quadratic)(const struct kn_collisions *s, int count, double (*invariants)[KN_INVARIANTS],
                            float *const block[KN_BLOCKS])
{
    const struct kn_velocity *v = s->velocity;
    const struct maxwellians g = find_maxwellians(s, count, invariants);
    const float eps = (float)s->c->disturbance;
    subtract_maxwellians(v, eps, &g, block);
    fill_maps(v, eps, &g, block);
    find_coefficients(s, &g, block);
    collide_polynomials(s, &g, block);
    float *moved = block[KN_BLOCK_RELAXED];
    memcpy(moved, block[KN_BLOCK_LOCAL], (size_t)s->quadratic->count * KN_LANES * sizeof *moved);
    expand(s, moved, block);
    for (int k = 0; k < v->nnodes; k++)
        *kn_cpu_lane(block[KN_BLOCK_CHANGE], k) -= *kn_cpu_lane(block[KN_BLOCK_GAIN], k);
    expand(s, block[KN_BLOCK_SUM], block);
    for (int i = 0; i < s->quadratic->count; i++)
        *kn_cpu_lane(block[KN_BLOCK_LOCAL], i) *= g.beyond.vector;
}
