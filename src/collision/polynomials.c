/* Evaluates Hermite products on the nodes of a grid and makes them orthonormal (Gram and Schmidt). On a Gauss
 * grid with N nodes per axis, products whose degrees add up to less than N are orthonormal already. */
#include "collision/polynomials.h"

#include "point/hermite.h"

#include <math.h>

int kn_polynomials_degree(const int half[3])
{
    int degree = KN_HERMITE_DEGREE;
    for (int d = 0; d < 3; d++)
        degree = 2 * half[d] - 2 < degree ? 2 * half[d] - 2 : degree;
    return degree;
}

struct kn_polynomials kn_polynomials_of(int degree, int parity)
{
    struct kn_polynomials p = {.count = kn_elements_list(degree, parity, NULL)};
    kn_elements_list(degree, parity, p.term);
    for (p.nterms = 0; p.nterms < p.count; p.nterms++) {
        p.coefficient[p.nterms] = 1;
        p.of[p.nterms] = p.nterms;
    }
    return p;
}

/* The coefficient of h_2i h_2j h_2k is proportional to the square root of (2i)! (2j)! (2k)! over i! j! k!, by
 * the generating function of the Laguerre polynomials in v.v. */
void kn_polynomials_add_isotropic(struct kn_polynomials *p, int degree)
{
    const int half = degree / 2, first = p->nterms;
    double norm = 0;
    for (int i = 0; i <= half; i++)
        for (int j = 0; i + j <= half; j++) {
            const int n[3] = {i, j, half - i - j};
            double square = 1;
            for (int d = 0; d < 3; d++)
                square *= tgamma(2 * n[d] + 1) / pow(tgamma(n[d] + 1), 2);
            p->term[p->nterms] = (struct kn_hermite){{2 * n[0], 2 * n[1], 2 * n[2]}};
            p->coefficient[p->nterms] = sqrt(square);
            p->of[p->nterms++] = p->count;
            norm += square;
        }
    for (int i = first; i < p->nterms; i++)
        p->coefficient[i] /= sqrt(norm);
    p->count++;
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* a += factor b */
static void add(int n, double factor, const double *b, double *a)
{
    for (int k = 0; k < n; k++)
        a[k] += factor * b[k];
}

void kn_polynomials_orthonormalise(int count, int size, double *rows)
{
    for (int row = 0; row < count; row++) {
        double *own = rows + (size_t)row * (size_t)size;
        for (int i = 0; i < 2 * row; i++) { /* twice because of round-off */
            const double *other = rows + (size_t)(i % row) * (size_t)size;
            add(size, -product(size, own, other), other, own);
        }
        add(size, 1 / sqrt(product(size, own, own)) - 1, own, own);
    }
}

void kn_polynomials_fill(const struct kn_assembly *g, const struct kn_polynomials *p, double *rows)
{
    for (int i = 0; i < p->count * g->size; i++)
        rows[i] = 0;
    for (int t = 0; t < p->nterms; t++)
        for (int k = 0; k < g->size; k++) {
            double v[3], value = p->coefficient[t] * sqrt(8 * g->weight[k]), at[KN_ELEMENTS_DEGREE + 1];
            kn_pair_velocity(g, k, 0, v);
            for (int d = 0; d < 3; d++) {
                kn_elements_hermite(p->term[t].degree[d], v[d], at);
                value *= at[p->term[t].degree[d]];
            }
            rows[(size_t)p->of[t] * (size_t)g->size + (size_t)k] += value;
        }
}
