/* Elimination in tiles of cells, which precondition GMRES. */
#include "steady/tiles.h"

#include "error.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASIS = 40 }; /* vectors between restarts */

/* Unknowns of a tile are numbered cell by cell. */
struct tile {
    int first, count; /* places of its cells */
    int band;         /* unknowns on either side of the diagonal */
    double *factors;  /* [unknowns][3 band + 1] LU, as LAPACK stores it */
    int32_t *pivots;  /* [unknowns] */
    int failed;       /* the code of LAPACK */
    int level;        /* tiles of lower levels come before it, and coupled tiles have different levels */
};

struct kn_tiles {
    struct kn_tiles_matrix a;
    int count;
    struct tile *tiles;   /* [count] */
    const int32_t *of;    /* [rows] tile of a row */
    int levels;           /* of tiles */
    int *sorted, *start;  /* [count] tiles by level; [levels + 1] the first of each level */
    int32_t *order;       /* [rows] row at each place */
    const int32_t *place; /* [rows] */
    double *basis;        /* [BASIS + 1][unknowns] */
    double *work;         /* [2][unknowns] */
    double *space;        /* [unknowns] */
};

static const double *block_at(const struct kn_tiles *t, int64_t i)
{
    return t->a.blocks + i * t->a.size * t->a.size;
}

static void find_band(const struct kn_tiles *t, struct tile *tile)
{
    int widest = 0;
    for (int p = tile->first; p < tile->first + tile->count; p++)
        for (int64_t i = t->a.first[t->order[p]]; i < t->a.first[t->order[p] + 1]; i++) {
            const int row = t->order[p], column = t->a.columns[i];
            const int distance = column >= 0 && t->of[column] == t->of[row] ? abs(t->place[column] - p) : 0;
            widest = distance > widest ? distance : widest;
        }
    const int unknowns = tile->count * t->a.size, band = (widest + 1) * t->a.size - 1;
    tile->band = band < unknowns ? band : unknowns - 1;
}

static void fill_band(const struct kn_tiles *t, struct tile *tile)
{
    const int n = t->a.size, height = 3 * tile->band + 1;
    for (int p = tile->first; p < tile->first + tile->count; p++)
        for (int64_t i = t->a.first[t->order[p]]; i < t->a.first[t->order[p] + 1]; i++) {
            const int row = t->order[p], column = t->a.columns[i];
            if (column < 0 || t->of[column] != t->of[row])
                continue;
            const double *block = block_at(t, i);
            const int at = (p - tile->first) * n, to = (t->place[column] - tile->first) * n;
            for (int f = 0; f < n; f++)
                for (int g = 0; g < n; g++)
                    tile->factors[(size_t)(to + g) * (size_t)height +
                                  (size_t)(2 * tile->band + at + f - to - g)] = block[f * n + g];
        }
}

static void factorise(const struct kn_tiles *t, struct tile *tile, const double *shift)
{
    const int n = tile->count * t->a.size, height = 3 * tile->band + 1;
    fill_band(t, tile);
    for (int p = 0; p < tile->count; p++)
        tile->factors[(size_t)(p * t->a.size) * (size_t)height + (size_t)(2 * tile->band)] +=
            shift[t->order[tile->first + p]];
    tile->failed = LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, tile->band, tile->band, tile->factors, height,
                                       tile->pivots);
}

static enum kn_status factorise_all(const struct kn_tiles *t, const double *shift)
{
    for (int i = 0; i < t->count; i++) {
        struct tile *tile = &t->tiles[i];
        const size_t n = (size_t)tile->count * (size_t)t->a.size;
        find_band(t, tile);
        tile->factors = calloc(n * (3 * (size_t)tile->band + 1) + 1, sizeof *tile->factors);
        tile->pivots = calloc(n + 1, sizeof *tile->pivots);
        if (!tile->factors || !tile->pivots)
            return kn_error_set(KN_EMEMORY, "no memory for %.3g GB of moment equations",
                                8e-9 * (double)n * (3.0 * tile->band + 1) * t->count);
    }
#pragma omp parallel for schedule(dynamic) num_threads(t->a.threads)
    for (int i = 0; i < t->count; i++)
        factorise(t, &t->tiles[i], shift);
    for (int i = 0; i < t->count; i++)
        if (t->tiles[i].failed)
            return kn_error_set(KN_ENUMERIC, "the moment equations are singular (LAPACK %d)",
                                t->tiles[i].failed);
    return KN_OK;
}

/* Raise the levels of a tile above those of coupled earlier tiles, or those of coupled later tiles above it.
 */
static void raise_levels(struct kn_tiles *t, int tile, bool later)
{
    for (int p = t->tiles[tile].first; p < t->tiles[tile].first + t->tiles[tile].count; p++)
        for (int64_t i = t->a.first[t->order[p]]; i < t->a.first[t->order[p] + 1]; i++) {
            const int other = t->a.columns[i] >= 0 ? t->of[t->a.columns[i]] : tile;
            struct tile *raised = &t->tiles[later ? other : tile];
            const int least = t->tiles[later ? tile : other].level + 1;
            if ((later ? other > tile : other < tile) && raised->level < least)
                raised->level = least;
        }
}

/* Threads may solve the tiles of a level in any order. */
static void find_levels(struct kn_tiles *t)
{
    for (int i = 0; i < t->count; i++) {
        raise_levels(t, i, false);
        raise_levels(t, i, true);
        t->levels = t->tiles[i].level >= t->levels ? t->tiles[i].level + 1 : t->levels;
    }
    for (int level = 0, placed = 0; level < t->levels; level++) {
        for (int i = 0; i < t->count; i++)
            if (t->tiles[i].level == level)
                t->sorted[placed++] = i;
        t->start[level + 1] = placed;
    }
}

enum kn_status kn_tiles_create(struct kn_tiles **out, const struct kn_tiles_matrix *matrix,
                               const int32_t *place, const int32_t *tile, const double *shift)
{
    struct kn_tiles *t = calloc(1, sizeof *t);
    const size_t rows = (size_t)matrix->rows, unknowns = rows * (size_t)matrix->size;
    *out = t;
    if (!t)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations");
    t->a = *matrix;
    t->place = place;
    t->of = tile;
    for (size_t row = 0; row < rows; row++)
        t->count = tile[row] >= t->count ? tile[row] + 1 : t->count;
    t->tiles = calloc((size_t)t->count, sizeof *t->tiles);
    t->sorted = malloc(((size_t)t->count + 1) * sizeof *t->sorted);
    t->start = calloc((size_t)t->count + 1, sizeof *t->start);
    t->order = malloc(rows * sizeof *t->order);
    t->basis = malloc((BASIS + 1) * unknowns * sizeof *t->basis);
    t->work = malloc(2 * unknowns * sizeof *t->work);
    t->space = malloc(unknowns * sizeof *t->space);
    if (!t->tiles || !t->sorted || !t->start || !t->order || !t->basis || !t->work || !t->space)
        return kn_error_set(KN_EMEMORY, "no memory for the moment equations of %d cells", matrix->rows);
    for (size_t row = 0; row < rows; row++) {
        t->order[place[row]] = (int32_t)row;
        t->tiles[tile[row]].count++;
    }
    for (int i = 1; i < t->count; i++)
        t->tiles[i].first = t->tiles[i - 1].first + t->tiles[i - 1].count;
    find_levels(t);
    return factorise_all(t, shift);
}

void kn_tiles_destroy(struct kn_tiles *t)
{
    if (!t)
        return;
    for (int i = 0; i < t->count && t->tiles; i++) {
        free(t->tiles[i].factors);
        free(t->tiles[i].pivots);
    }
    free(t->tiles);
    free(t->sorted);
    free(t->start);
    free(t->order);
    free(t->basis);
    free(t->work);
    free(t->space);
    free(t);
}

/* y -= a x */
static void subtract_block(int n, const double *restrict a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[i * n + k] * x[k];
        y[i] -= sum;
    }
}

/* Solve the equations of one tile for given values of the others. */
static void relax(const struct kn_tiles *t, const struct tile *tile, const double *b, double *x)
{
    const int n = t->a.size, unknowns = tile->count * n;
    double *space = t->space + (size_t)tile->first * (size_t)n;
    for (int p = 0; p < tile->count; p++) {
        const int row = t->order[tile->first + p];
        double *to = space + (size_t)p * (size_t)n;
        memcpy(to, b + (size_t)row * (size_t)n, (size_t)n * sizeof *to);
        for (int64_t i = t->a.first[row]; i < t->a.first[row + 1] && t->count > 1; i++) {
            const int column = t->a.columns[i];
            if (column >= 0 && t->of[column] != t->of[row])
                subtract_block(n, block_at(t, i), x + (size_t)column * (size_t)n, to);
        }
    }
    LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, 'N', unknowns, tile->band, tile->band, 1, tile->factors,
                        3 * tile->band + 1, tile->pivots, space, unknowns);
    for (int p = 0; p < tile->count; p++)
        memcpy(x + (size_t)t->order[tile->first + p] * (size_t)n, space + (size_t)p * (size_t)n,
               (size_t)n * sizeof *x);
}

/* x <- one Gauss-Seidel sweep over the tiles and back, from zero. Repeating the highest level would change
 * nothing. */
static void precondition(const struct kn_tiles *t, const double *b, double *x)
{
    memset(x, 0, (size_t)t->a.rows * (size_t)t->a.size * sizeof *x);
#pragma omp parallel num_threads(t->count > 1 ? t->a.threads : 1)
    for (int step = 0; step < 2 * t->levels - 1; step++) {
        const int level = step < t->levels ? step : 2 * t->levels - 2 - step;
#pragma omp for schedule(dynamic)
        for (int i = t->start[level]; i < t->start[level + 1]; i++)
            relax(t, &t->tiles[t->sorted[i]], b, x);
    }
}

/* y <- b - A x */
static void residual(const struct kn_tiles *t, const double *b, const double *x, double *y)
{
    const int n = t->a.size;
    memcpy(y, b, (size_t)t->a.rows * (size_t)n * sizeof *y);
#pragma omp parallel for schedule(static) num_threads(t->a.threads)
    for (int row = 0; row < t->a.rows; row++)
        for (int64_t i = t->a.first[row]; i < t->a.first[row + 1] && t->a.columns[i] >= 0; i++)
            subtract_block(n, block_at(t, i), x + (size_t)t->a.columns[i] * (size_t)n,
                           y + (size_t)row * (size_t)n);
}

static double dot(size_t n, const double *restrict a, const double *restrict b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* One step of Arnoldi: basis[k + 1] <- A M^-1 basis[k], orthonormal to those before; h[k + 2]. */
static void extend(struct kn_tiles *t, int k, double *h)
{
    const size_t n = (size_t)t->a.rows * (size_t)t->a.size;
    double *next = t->basis + (size_t)(k + 1) * n, *image = t->work + n;
    precondition(t, t->basis + (size_t)k * n, t->work);
    memset(image, 0, n * sizeof *image);
    residual(t, image, t->work, next);
    for (int i = 0; i <= k; i++) {
        const double *v = t->basis + (size_t)i * n;
        h[i] = -dot(n, next, v);
        for (size_t j = 0; j < n; j++)
            next[j] += h[i] * v[j];
    }
    h[k + 1] = sqrt(dot(n, next, next));
    for (size_t j = 0; j < n && h[k + 1] > 0; j++)
        next[j] /= -h[k + 1];
}

/* The least-squares problem of GMRES by Givens rotations. */
struct rotations {
    double h[BASIS][BASIS + 1], cosine[BASIS], sine[BASIS], right[BASIS + 1];
};

static void rotate(struct rotations *r, int k)
{
    double *h = r->h[k];
    for (int i = 0; i < k; i++) {
        const double a = r->cosine[i] * h[i] + r->sine[i] * h[i + 1];
        h[i + 1] = -r->sine[i] * h[i] + r->cosine[i] * h[i + 1];
        h[i] = a;
    }
    const double length = hypot(h[k], h[k + 1]);
    r->cosine[k] = length > 0 ? h[k] / length : 1;
    r->sine[k] = length > 0 ? h[k + 1] / length : 0;
    h[k] = length;
    r->right[k + 1] = -r->sine[k] * r->right[k];
    r->right[k] *= r->cosine[k];
}

/* x += M^-1 (basis times the solution of the least-squares problem of size k) */
static void correct(struct kn_tiles *t, struct rotations *r, int k, double *x)
{
    const size_t n = (size_t)t->a.rows * (size_t)t->a.size;
    double *sum = t->work + n;
    memset(sum, 0, n * sizeof *sum);
    for (int i = k - 1; i >= 0; i--) {
        const double c = r->h[i][i] > 0 ? r->right[i] / r->h[i][i] : 0, *v = t->basis + (size_t)i * n;
        for (int j = 0; j < i; j++)
            r->right[j] -= r->h[i][j] * c;
        for (size_t j = 0; j < n; j++)
            sum[j] += c * v[j];
    }
    precondition(t, sum, t->work);
    for (size_t j = 0; j < n; j++)
        x[j] += t->work[j];
}

int kn_tiles_solve(struct kn_tiles *t, const double *b, double tolerance, int most, double *x)
{
    const size_t n = (size_t)t->a.rows * (size_t)t->a.size;
    const double limit = tolerance * sqrt(dot(n, b, b));
    int iterations = 0;
    if (t->count == 1) { /* exact */
        precondition(t, b, x);
        return 1;
    }
    while (iterations < most) {
        struct rotations r;
        int k = 0;
        residual(t, b, x, t->basis);
        r.right[0] = sqrt(dot(n, t->basis, t->basis));
        if (!(r.right[0] > limit))
            break;
        for (size_t j = 0; j < n; j++)
            t->basis[j] /= r.right[0];
        for (; k < BASIS && iterations < most && fabs(r.right[k]) > limit; k++, iterations++) {
            extend(t, k, r.h[k]);
            rotate(&r, k);
        }
        correct(t, &r, k, x);
    }
    return iterations;
}
