/* Least squares by a Cholesky factorisation of the normal equations. */
#include "monitor/fit.h"

#include <math.h>

void kn_fit_add(struct kn_fit *f, const double *functions, double value)
{
    for (int i = 0; i < f->terms; i++) {
        for (int j = 0; j < f->terms; j++)
            f->matrix[i][j] += functions[i] * functions[j];
        f->right[i] += functions[i] * value;
    }
}

/* Cholesky factorisation of the matrix, scaled to ones on its diagonal. */
bool kn_fit_solve(const struct kn_fit *f, double *coefficients)
{
    const int n = f->terms;
    double root[KN_FIT_TERMS][KN_FIT_TERMS], scale[KN_FIT_TERMS], x[KN_FIT_TERMS];
    for (int i = 0; i < n; i++)
        scale[i] = 1 / sqrt(f->matrix[i][i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double rest = f->matrix[i][j] * scale[i] * scale[j];
            for (int k = 0; k < j; k++)
                rest -= root[i][k] * root[j][k];
            if (i == j && !(rest > 1e-13))
                return false;
            root[i][j] = i == j ? sqrt(rest) : rest / root[j][j];
        }
    for (int i = 0; i < n; i++) {
        x[i] = f->right[i] * scale[i];
        for (int k = 0; k < i; k++)
            x[i] -= root[i][k] * x[k];
        x[i] /= root[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= root[k][i] * x[k];
        x[i] /= root[i][i];
    }
    for (int i = 0; i < n; i++)
        coefficients[i] = x[i] * scale[i];
    return true;
}
