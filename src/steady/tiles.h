/* Linear equations with few blocks per row: GMRES with elimination in tiles of rows as its preconditioner.
 * The results have the same bits for any number of threads. */
#ifndef KN_TILES_H
#define KN_TILES_H

#include "knudsen.h"

/* A square matrix of blocks [size][size]. */
struct kn_tiles_matrix {
    int rows, size, threads;
    const int64_t *first;   /* [rows + 1] the first block of a row */
    const int32_t *columns; /* [first[rows]]; -1: no block */
    const double *blocks;   /* [first[rows]][size][size] */
};

struct kn_tiles;

/* Factors of the diagonal part of each tile: tile[rows] is the tile of a row, place[rows] its place in the
 * order of elimination, in which the rows of a tile are consecutive and tiles ascend.  shift[rows] is
 * added to the first diagonal element of each row in the factors: a matrix whose solution is determined up to
 * a constant then has factors. The arguments must exist as long as the factors, which are released also after
 * a failure. */
enum kn_status kn_tiles_create(struct kn_tiles **out, const struct kn_tiles_matrix *matrix,
                               const int32_t *place, const int32_t *tile, const double *shift);
void kn_tiles_destroy(struct kn_tiles *t); /* may be NULL */

/* Solve for x[rows][size], which is also the first estimate, until the residual is below `tolerance` of b or
 * after `most` iterations.  Returns their number. */
int kn_tiles_solve(struct kn_tiles *t, const double *b, double tolerance, int most, double *x);

#endif
