#include "sums.h"

#include "exact.h"

#include <math.h>
#include <omp.h>

enum { SUMS = sizeof(struct kn_sums) / sizeof(double), CELLS_OF_A_THREAD = 2048 };

int kn_sums_threads(const struct kn_case *c, int cells)
{
    const int most = c->run.threads > 0 ? c->run.threads : omp_get_max_threads(),
              useful = 1 + cells / CELLS_OF_A_THREAD;
    return most < useful ? most : useful;
}

/* What a cell adds.  theory (10): the moments of h from the fields. */
static void find_terms(struct kn_sums *terms, double eps, double dv, const double *q, const double *before)
{
    const double *u = q + KN_UX, n = 1 + eps * q[KN_RHO];
    const double kinetic = 2.0 / 3.0 * eps * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    double change = 0, size = 0;
    for (int f = 0; f < KN_SUMS_WATCHED; f++) {
        const double by = before ? q[f] - before[f] : 0;
        change += by * by;
        size += q[f] * q[f];
    }
    terms->volume = dv;
    terms->moved = dv * fabs(q[KN_RHO]);
    terms->disturbed = dv * (fabs(u[0]) + fabs(u[1]) + fabs(u[2]) + fabs(q[KN_THETA]));
    for (int d = 0; d < 3; d++)
        terms->momentum[d] = dv * n * u[d];
    terms->energy = dv * 1.5 * (n * (q[KN_THETA] + kinetic) + q[KN_RHO]);
    terms->change = dv * change;
    terms->size = dv * size;
    for (int f = 0; f < KN_FIELDS; f++)
        terms->fields[f] = dv * q[f];
}

void kn_sums_take(struct kn_sums *sums, const struct kn_comm *comm, const struct kn_case *c,
                  const struct kn_space *space, const double *fields, const double *before)
{
    struct kn_exact all[SUMS] = {0};
    double values[SUMS];
#pragma omp parallel num_threads(kn_sums_threads(c, space->ncells))
    {
        struct kn_exact own[SUMS] = {0}; /* 13 KB: stays in the cache */
#pragma omp for schedule(static) nowait
        for (int i = 0; i < space->ncells; i++) {
            double terms[SUMS];
            struct kn_sums cell;
            find_terms(&cell, c->disturbance, space->volume[i], fields + (size_t)i * KN_FIELDS,
                       before ? before + (size_t)i * KN_SUMS_WATCHED : NULL);
            memcpy(terms, &cell, sizeof terms);
            for (int k = 0; k < SUMS; k++)
                kn_exact_add(&own[k], terms[k]);
        }
#pragma omp critical
        for (int k = 0; k < SUMS; k++)
            kn_exact_merge(&all[k], &own[k]);
    }
    kn_exact_sum_ranks(comm, all, SUMS);
    for (int k = 0; k < SUMS; k++)
        values[k] = kn_exact_value(&all[k]);
    memcpy(sums, values, sizeof *sums);
}
