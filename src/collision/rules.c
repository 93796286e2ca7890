/* Gauss rules: nodes and weights are the eigenvalues of the Jacobi matrix and the first components of its
 * eigenvectors [Golub and Welsch 1969]. */
#include "collision/rules.h"

#include "error.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

/* The Jacobi matrix has the diagonal `node` and, next to it, `beside`. */
static enum kn_status solve(int n, double *node, double *beside, double *weight)
{
    double *vectors = calloc((size_t)n * (size_t)n, sizeof *vectors);
    if (!vectors)
        return kn_error_set(KN_EMEMORY, "no memory for a quadrature rule");
    const int failed = LAPACKE_dstev(LAPACK_COL_MAJOR, 'V', n, node, beside, vectors, n);
    for (size_t i = 0; i < (size_t)n; i++)
        weight[i] = vectors[i * (size_t)n] * vectors[i * (size_t)n];
    free(vectors);
    return failed ? kn_error_set(KN_ENUMERIC, "no quadrature rule with %d nodes (LAPACK %d)", n, failed)
                  : KN_OK;
}

enum { MOST = 64 };

static enum kn_status check(int n)
{
    return n >= 1 && n <= MOST ? KN_OK : kn_error_set(KN_EINPUT, "a quadrature rule with %d nodes", n);
}

enum kn_status kn_rules_legendre(int n, double *node, double *weight)
{
    double beside[MOST];
    KN_TRY(check(n));
    for (int k = 0; k < n; k++) {
        node[k] = 0;
        beside[k] = (k + 1) / sqrt(4.0 * (k + 1) * (k + 1) - 1);
    }
    return solve(n, node, beside, weight);
}

enum kn_status kn_rules_hermite(int n, double *node, double *weight)
{
    double beside[MOST];
    KN_TRY(check(n));
    for (int k = 0; k < n; k++) {
        node[k] = 0;
        beside[k] = sqrt(0.5 * (k + 1));
    }
    return solve(n, node, beside, weight);
}

enum kn_status kn_rules_laguerre(int n, double power, double *node, double *weight)
{
    double beside[MOST];
    KN_TRY(check(n));
    for (int k = 0; k < n; k++) {
        node[k] = 2 * k + 1 + power;
        beside[k] = sqrt((k + 1) * (k + 1 + power));
    }
    return solve(n, node, beside, weight);
}
