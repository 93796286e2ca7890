/* The assembled collision operator on the CPU: matrices times a block of cells, parity by parity, theory
 * section 12. */
#include "cpu/cpu_matrix.h"
#include "cpu/cpu_rows.h"

/* One parity: change <- (exp(L dt) - 1) change + change of the polynomials beyond themselves. */
static void change_parity(const struct kn_collisions *s, int p, float *const block[KN_BLOCKS])
{
    const struct kn_velocity *v = s->velocity;
    const int count = s->quadratic->polynomials[p];
    float *change = block[KN_BLOCK_CHANGE] + (size_t)p * (size_t)v->stride * KN_LANES,
          *space = block[KN_BLOCK_SPACE];
    const float *local = block[KN_BLOCK_LOCAL] + (size_t)s->quadratic->place[p] * KN_LANES;
    for (int row = 0; row < v->size; row += KN_OPERATOR_ROWS) {
        kn_lanes sum[KN_OPERATOR_ROWS] = {{0}};
        kn_cpu_add_rows(s->propagator->change[p] + (size_t)row * (size_t)v->size, v->size, change, sum);
        kn_cpu_add_rows(s->propagator->beyond[p] + (size_t)row * (size_t)count, count, local, sum);
        kn_cpu_store_rows(sum, space + (size_t)row * KN_LANES);
    }
    memcpy(change, space, (size_t)v->size * KN_LANES * sizeof *change);
    memset(change + (size_t)v->size * KN_LANES, 0, (size_t)(v->stride - v->size) * KN_LANES * sizeof *change);
}

/* h <- h + change, and the gain of the quadratic part. */
static void add_changes(const struct kn_collisions *s, float *const block[KN_BLOCKS])
{
    const size_t n = (size_t)s->velocity->nnodes * KN_LANES;
    float *restrict h = block[KN_BLOCK_H];
    const float *restrict change = block[KN_BLOCK_CHANGE], *restrict gain = block[KN_BLOCK_GAIN];
    if (s->quadratic->count > 0)
        for (size_t k = 0; k < n; k++)
            h[k] += change[k] + gain[k];
    else
        for (size_t k = 0; k < n; k++)
            h[k] += change[k];
}

static void divide(const struct kn_collisions *s, float *scratch, float *block[KN_BLOCKS])
{
    size_t size[KN_BLOCKS];
    kn_cpu_block_sizes(&s->plan->quadratic, s->velocity, size);
    for (int i = 0; i < KN_BLOCKS; i++) {
        block[i] = scratch;
        scratch += size[i] * KN_LANES;
    }
}

/* Collisions conserve mass, momentum and energy; errors of round-off and of sums over the nodes are
 * corrected. */
static void restore(const struct kn_collisions *s, const double before[KN_INVARIANTS], float *row)
{
    const struct kn_velocity *v = s->velocity;
    double missing[KN_INVARIANTS];
    invariants(v, row, missing);
    missing[0] = exact_mass(v, row);
    for (int j = 0; j < KN_INVARIANTS; j++)
        missing[j] = before[j] - missing[j];
    correct(s, row, missing);
    kn_cpu_restore_mass(v, s->number + 1, (float)(before[0] - exact_mass(v, row)), row);
}

/* The changes of a block of cells and their invariants before the step. */
static void find_changes(const struct kn_collisions *s, const float *rows, int count,
                         float *const block[KN_BLOCKS], double (*before)[KN_INVARIANTS])
{
    const struct kn_velocity *v = s->velocity;
    const size_t nnodes = (size_t)v->nnodes;
    for (int i = 0; i < count; i++) {
        invariants(v, rows + (size_t)i * nnodes, before[i]);
        before[i][0] = exact_mass(v, rows + (size_t)i * nnodes);
    }
    gather(rows, count, v->nnodes, block[KN_BLOCK_H]);
    if (s->quadratic->count > 0)
        KN_CPU_NAME(quadratic)(s, count, before, block);
    else
        memcpy(block[KN_BLOCK_CHANGE], block[KN_BLOCK_H], nnodes * KN_LANES * sizeof(float));
    kn_cpu_to_parities(v, block[KN_BLOCK_CHANGE]);
    for (int p = 0; p < v->octants; p++)
        change_parity(s, p, block);
    kn_cpu_to_parities(v, block[KN_BLOCK_CHANGE]);
}

void KN_CPU_NAME(operate)(const struct kn_collisions *s, float *rows, int count, float *scratch)
{
    const struct kn_velocity *v = s->velocity;
    const size_t nnodes = (size_t)v->nnodes;
    double before[KN_LANES][KN_INVARIANTS];
    float *block[KN_BLOCKS];
    divide(s, scratch, block);
    find_changes(s, rows, count, block, before);
    add_changes(s, block);
    scatter(block[KN_BLOCK_H], count, v->nnodes, rows);
    for (int i = 0; i < count && s->plan->conservation != KN_CONSERVATION_NONE; i++)
        restore(s, before[i], rows + (size_t)i * nnodes);
}

void KN_CPU_NAME(changes)(const struct kn_collisions *s, float *rows, int count, float *scratch)
{
    const size_t n = (size_t)s->velocity->nnodes * KN_LANES;
    double before[KN_LANES][KN_INVARIANTS];
    float *block[KN_BLOCKS];
    divide(s, scratch, block);
    find_changes(s, rows, count, block, before);
    memset(block[KN_BLOCK_H], 0, n * sizeof(float));
    add_changes(s, block);
    scatter(block[KN_BLOCK_H], count, s->velocity->nnodes, rows);
}
