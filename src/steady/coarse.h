/* The equations of the moments of all cells: a Galerkin projection of the steady equations on the trial
 * functions, theory (64). */
#ifndef KN_COARSE_H
#define KN_COARSE_H

#include "backend/steady_backend.h"
#include "steady/tiles.h"

enum { KN_COARSE_STAR = 13 }; /* cells that are coupled to a cell, with itself, away from smooth bodies */

/* Row c of the matrix: blocks [size][size] that multiply the coefficients of some cells. */
struct kn_coarse {
    const struct kn_steady_plan *plan;
    int64_t *first;   /* [ncells + 1] the first block of a row */
    int32_t *columns; /* [first[ncells]] cells; the first of a row is the cell itself; -1: none */
    double *blocks;   /* [first[ncells]][size][size] */
    double omega; /* added to the diagonal as i omega: blocks are [2 functions][2 functions], with real parts
                     first */
    int size;     /* of a block */
    int32_t *place;  /* [ncells] order of elimination */
    double *right;   /* [2][ncells][size] right-hand side and solution */
    double *surplus; /* [2][regions] mean of the mass in the right-hand side, and volume */
    double *shift;   /* [ncells] added to an element of the diagonal: 0 but in one cell of a closed region */
    double *excess;  /* [ncells][size][size] what kn_coarse_linearise has subtracted; NULL: nothing */
    int32_t *tile;   /* [ncells] */
    struct kn_tiles *tiles;
};

/* Bytes for a number of cells along each axis, and real (1) or complex (2) numbers. */
double kn_coarse_memory(const int cells[3], int parts);

/* Create the equations.  kn_coarse_factorise prepares kn_coarse_solve. */
enum kn_status kn_coarse_create(struct kn_coarse *c, const struct kn_steady_plan *plan, double omega);
enum kn_status kn_coarse_factorise(struct kn_coarse *c);
void kn_coarse_destroy(struct kn_coarse *c);

/* Collisions about another state than the reference: excess[ncells][functions][functions + 1] are those of
 * each trial function without L, as kn_steady_backend.exceed gives them.  Factorises. */
enum kn_status kn_coarse_linearise(struct kn_coarse *c, const double *excess);

/* The equations for a machine, without omega. */
struct kn_steady_equations kn_coarse_equations(const struct kn_coarse *c);

/* coefficients[cell][functions] of an approximate solution for moments[cell][functions + 1] of the right-hand
 * side, as kn_steady_backend.project gives them: real parts [0] and, with omega, imaginary parts [1].  In a
 * closed region the mean of the mass is subtracted from the right-hand side. */
void kn_coarse_solve(const struct kn_coarse *c, double *const moments[2], double *const coefficients[2]);

/* The block in row `cell` that multiplies the coefficients of `other`; NULL: zero. */
const double *kn_coarse_block(const struct kn_coarse *c, int cell, int other);

#endif
