/* Weights and inverse matrices of the least-squares gradients of control volumes. */
#include "grid/gradient.h"

#include "error.h"
#include "point/cut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Diagonalise a symmetric matrix by rotations (Jacobi): a becomes diagonal, the columns of q are its
 * eigenvectors. */
static void diagonalise(double a[3][3], double q[3][3])
{
    enum { SWEEPS = 30 };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            q[i][j] = i == j;
    for (int turn = 0; turn < 3 * SWEEPS; turn++) {
        const int i = turn % 3 == 2, j = turn % 3 == 0 ? 1 : 2;
        if (a[i][j] == 0)
            continue;
        const double angle = 0.5 * atan2(2 * a[i][j], a[i][i] - a[j][j]), c = cos(angle), s = sin(angle);
        for (int k = 0; k < 3; k++) {
            const double x = a[k][i], y = a[k][j], u = q[k][i], v = q[k][j];
            a[k][i] = c * x + s * y;
            a[k][j] = c * y - s * x;
            q[k][i] = c * u + s * v;
            q[k][j] = c * v - s * u;
        }
        for (int k = 0; k < 3; k++) {
            const double x = a[i][k], y = a[j][k];
            a[i][k] = c * x + s * y;
            a[j][k] = c * y - s * x;
        }
    }
}

/* The inverse on the space of directions with information. One volume between two walls has no gradient
 * across the gap: its neighbours are beside it, and their small distances across would amplify differences.
 */
static void invert(const double m[KN_VOLUMES_MATRIX], double inverse[KN_VOLUMES_MATRIX])
{
    static const double least = 0.05;
    static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
    double a[3][3], q[3][3];
    for (int k = 0; k < KN_VOLUMES_MATRIX; k++)
        a[row[k]][column[k]] = a[column[k]][row[k]] = m[k];
    diagonalise(a, q);
    const double largest = fmax(fmax(a[0][0], a[1][1]), a[2][2]);
    for (int k = 0; k < KN_VOLUMES_MATRIX; k++) {
        inverse[k] = 0;
        for (int i = 0; i < 3; i++)
            if (a[i][i] > least * largest)
                inverse[k] += q[row[k]][i] * q[column[k]][i] / a[i][i];
    }
}

static double square_of(const double way[3])
{
    return way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
}

/* The shortest distance between centres is a measure of the width of cells. */
static double find_width(const struct kn_volumes *v, const struct kn_volume *own)
{
    double least = INFINITY;
    for (int k = own->first_point; k < own->first_point + own->points; k++)
        least = fmin(least, square_of(v->points[k].pull));
    return sqrt(least);
}

/* Multiply a displacement by its weight, and add its products to the sums. */
static void add_way(double way[3], double width, double sums[KN_VOLUMES_MATRIX])
{
    static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
    const double weight = kn_cut_weight(square_of(way), width);
    for (int k = 0; k < KN_VOLUMES_MATRIX; k++)
        sums[k] += weight * way[row[k]] * way[column[k]];
    for (int d = 0; d < 3; d++)
        way[d] *= weight;
}

/* The largest facets come first among the pieces and facets of a control volume. */
static void sort_facets(struct kn_volumes *v, const struct kn_volume *own)
{
    for (int i = 1; i < own->facets; i++)
        for (int k = i; k > 0; k--) {
            struct kn_piece *piece = v->pieces + own->first_piece + k;
            struct kn_facet *a = v->facets + piece[-1].row, *b = v->facets + piece->row, swap = *a;
            const double weight_a = a->mirror < 0 ? a->area : -1, weight_b = b->mirror < 0 ? b->area : -1;
            if (weight_a >= weight_b)
                break;
            *a = *b;
            *b = swap;
            const struct kn_piece moved = piece[-1];
            const int32_t rows[2] = {moved.row, piece->row};
            piece[-1] = *piece;
            *piece = moved;
            piece[-1].row = rows[0];
            piece->row = rows[1];
        }
}

enum kn_status kn_gradient_fill(struct kn_volumes *v, int volume)
{
    struct kn_volume *own = &v->list[volume];
    double sums[KN_VOLUMES_MATRIX] = {0}, of_facet[KN_VOLUMES_PULLS][KN_VOLUMES_MATRIX] = {{0}};
    const double width = find_width(v, own);
    sort_facets(v, own);
    for (int k = own->first_point; k < own->first_point + own->points; k++)
        add_way(v->points[k].pull, width, sums);
    own->pulls = 0;
    for (int i = 0; i < own->facets && i < KN_VOLUMES_PULLS; i++) {
        const struct kn_piece *piece = v->pieces + own->first_piece + i;
        struct kn_facet *f = v->facets + piece->row;
        if (f->mirror >= 0)
            break;
        memcpy(f->pull, piece->arm, sizeof f->pull);
        add_way(f->pull, width, of_facet[own->pulls++]);
    }
    const int sets = 1 << own->pulls;
    void *more = realloc(v->matrices, ((size_t)v->nmatrices + (size_t)sets) * sizeof *v->matrices);
    if (!more)
        return kn_error_set(KN_EMEMORY, "no memory for the control volumes at smooth bodies");
    v->matrices = more;
    own->first_matrix = v->nmatrices;
    for (int set = 0; set < sets; set++) {
        double all[KN_VOLUMES_MATRIX];
        memcpy(all, sums, sizeof all);
        for (int i = 0; i < own->pulls; i++)
            for (int k = 0; k < KN_VOLUMES_MATRIX && (set >> i & 1); k++)
                all[k] += of_facet[i][k];
        invert(all, v->matrices[v->nmatrices++]);
    }
    return KN_OK;
}
