/* The sums of one row of the history in one pass over the cells; interpolation to the midline. */
#include "monitor/sums.h"

#include "comm/exact.h"

#include <math.h>
#include <string.h>

/* The members of struct kn_sums are all doubles; these are their numbers. */
#define SUM(member) (offsetof(struct kn_sums, member) / sizeof(double))
enum { SUMS = sizeof(struct kn_sums) / sizeof(double) };
enum { BLOCK = 64, FEW_CELLS = 2048 };

int kn_sums_threads(int threads, int cells)
{
    return cells > FEW_CELLS ? threads : 1;
}

/* The contributions of cell i of a block; the moments of h follow from the fields by theory (10). */
static void find_terms(double terms[SUMS][BLOCK], int i, double eps, double dv, const double *q,
                       const double *before)
{
    if (dv == 0) { /* a body fills the cell */
        for (int k = 0; k < SUMS; k++)
            terms[k][i] = 0;
        return;
    }
    const double *u = q + KN_UX, n = 1 + eps * q[KN_RHO];
    const double kinetic = 2.0 / 3.0 * eps * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    double change = 0, size = 0;
    for (int f = 0; f < KN_SUMS_WATCHED; f++) {
        const double by = before ? q[f] - before[f] : 0;
        change += by * by;
        size += q[f] * q[f];
    }
    terms[SUM(volume)][i] = dv;
    terms[SUM(moved)][i] = dv * fabs(q[KN_RHO]);
    terms[SUM(disturbed)][i] = dv * (fabs(u[0]) + fabs(u[1]) + fabs(u[2]) + fabs(q[KN_THETA]));
    for (int d = 0; d < 3; d++)
        terms[SUM(momentum) + (size_t)d][i] = dv * n * u[d];
    terms[SUM(energy)][i] = dv * 1.5 * (n * (q[KN_THETA] + kinetic) + q[KN_RHO]);
    terms[SUM(change)][i] = dv * change;
    terms[SUM(size)][i] = dv * size;
    for (int f = 0; f < KN_FIELDS; f++)
        terms[SUM(fields) + (size_t)f][i] = dv * q[f];
}

/* First all terms of a block, then sum by sum. */
static void add_block(struct kn_exact sums[SUMS], double eps, const double *volume, int count,
                      const double *fields, const double *before)
{
    double terms[SUMS][BLOCK]; /* with the sums 25 KB: fits in the first-level cache */
    for (int i = 0; i < count; i++)
        find_terms(terms, i, eps, volume[i], fields + i * KN_FIELDS,
                   before ? before + i * KN_SUMS_WATCHED : NULL);
    for (int k = 0; k < SUMS; k++)
        kn_exact_add_all(&sums[k], terms[k], count);
}

void kn_sums_take(struct kn_sums *sums, const struct kn_comm *comm, int threads, double eps,
                  const struct kn_space *space, const double *fields, const double *before)
{
    struct kn_exact all[SUMS] = {0};
#pragma omp parallel num_threads(kn_sums_threads(threads, space->ncells))
    {
        struct kn_exact own[SUMS] = {0};
#pragma omp for schedule(static) nowait
        for (int first = 0; first < space->ncells; first += BLOCK) {
            const int left = space->ncells - first;
            add_block(own, eps, space->volume + first, left < BLOCK ? left : BLOCK,
                      fields + (size_t)first * KN_FIELDS,
                      before ? before + (size_t)first * KN_SUMS_WATCHED : NULL);
        }
#pragma omp critical
        for (int k = 0; k < SUMS; k++)
            kn_exact_merge(&all[k], &own[k]);
    }
    kn_exact_sum_ranks(comm, all, SUMS);
    for (int k = 0; k < SUMS; k++)
        ((double *)sums)[k] = kn_exact_value(&all[k]);
}

/* The two cells whose centres are next to the middle of an axis, with their interpolation weights: 1/2 each
 * for an even number of cells, 1 for the middle one of an odd number. */
struct middle {
    int cell[2];
    double weight[2];
};

static struct middle find_middle(const struct kn_space *space, int axis)
{
    const double *edge = space->edges[axis];
    int n = space->whole[axis], high = 0;
    if (n == 1)
        return (struct middle){{0, 0}, {1, 0}};
    double twice = edge[0] + edge[n];
    while (high < n - 1 && edge[high] + edge[high + 1] < twice)
        high++;
    int low = high > 0 ? high - 1 : 0;
    double below = twice - (edge[low] + edge[low + 1]), above = edge[high] + edge[high + 1] - twice;
    double share = below + above > 0 ? below / (below + above) : 1;
    return (struct middle){{low, high}, {1 - share, share}};
}

/* The cell of this rank at a position in the whole space; -1: it belongs to another rank. */
static int own_cell(const struct kn_space *space, const int at[3])
{
    int cell = 0;
    for (int d = 2; d >= 0; d--) {
        if (at[d] < space->box.first[d] || at[d] >= space->box.end[d])
            return -1;
        cell = cell * space->cells[d] + at[d] - space->box.first[d];
    }
    return cell;
}

/* u_x of the cells next to the line, from the ranks that have them.  The other ranks add zeros: the sum of
 * the bit patterns is the bit pattern of the value. */
static void gather(const struct kn_space *space, const struct kn_comm *comm, struct middle x, struct middle z,
                   const double *fields, int64_t *bits)
{
    const int ny = space->whole[1];
    int64_t *to = bits;
    memset(bits, 0, (size_t)ny * KN_SUMS_MIDLINE * sizeof *bits);
    for (int j = 0; j < ny; j++)
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 2; i++, to++) {
                const int cell = own_cell(space, (int[]){x.cell[i], j, z.cell[k]});
                if (cell >= 0)
                    memcpy(to, &fields[(size_t)cell * KN_FIELDS + KN_UX], sizeof *to);
            }
    kn_comm_sum(comm, bits, ny * KN_SUMS_MIDLINE);
}

double kn_sums_midline(const struct kn_space *space, const struct kn_comm *comm, const double *fields,
                       int64_t *bits)
{
    const struct middle x = find_middle(space, 0), z = find_middle(space, 2);
    const double *edge = space->edges[1];
    double sum = 0, height = 0;
    gather(space, comm, x, z, fields, bits);
    for (int j = 0; j < space->whole[1]; j++) {
        double u = 0, at, dy = edge[j + 1] - edge[j];
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 2; i++, bits++) {
                memcpy(&at, bits, sizeof at);
                u += isnan(at) ? 0 : x.weight[i] * z.weight[k] * at; /* a body is at rest */
            }
        sum += dy * fabs(u);
        height += dy;
    }
    return sum / height;
}

void kn_sums_project(double parts[KN_SUMS_WATCHED], const struct kn_comm *comm, const struct kn_space *space,
                     const double *wave, const double *fields)
{
    struct kn_exact products[KN_SUMS_WATCHED] = {0}, square = {0};
    for (int i = 0; i < space->ncells; i++) {
        const double weight = space->volume[i] * wave[i];
        if (space->volume[i] == 0)
            continue;
        for (int f = 0; f < KN_SUMS_WATCHED; f++)
            kn_exact_add(&products[f], weight * fields[(size_t)i * KN_FIELDS + f]);
        kn_exact_add(&square, weight * wave[i]);
    }
    kn_exact_sum_ranks(comm, products, KN_SUMS_WATCHED);
    kn_exact_sum_ranks(comm, &square, 1);
    for (int f = 0; f < KN_SUMS_WATCHED; f++)
        parts[f] = kn_exact_value(&products[f]) / kn_exact_value(&square);
}
