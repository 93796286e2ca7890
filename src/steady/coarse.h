/* The equations of the moments of all cells: a Galerkin projection of the steady equations on the trial
 * functions, theory (64). */
#ifndef KN_COARSE_H
#define KN_COARSE_H

#include "backend/steady_backend.h"
#include "steady/tiles.h"

enum { KN_COARSE_STAR = 13 }; /* cells that are coupled to a cell, with itself, at most */

/* Row c of the matrix: blocks [functions][functions] that multiply the coefficients of some cells. */
struct kn_coarse {
    const struct kn_steady_plan *plan;
    int32_t *columns; /* [ncells][KN_COARSE_STAR] cells; the first is the cell itself; -1: none */
    double *blocks;   /* [ncells][KN_COARSE_STAR][functions][functions] */
    bool closed;      /* the mass of the gas is given, and the matrix is singular without it */
    int32_t *place;   /* [ncells] order of elimination */
    double *right;    /* [ncells][functions] */
    int32_t *tile;    /* [ncells] */
    struct kn_tiles *tiles;
};

/* Bytes for a number of cells along each axis. */
double kn_coarse_memory(const int cells[3]);

/* The equations; and what kn_coarse_solve needs in addition. */
enum kn_status kn_coarse_create(struct kn_coarse *c, const struct kn_steady_plan *plan);
enum kn_status kn_coarse_factorise(struct kn_coarse *c);
void kn_coarse_destroy(struct kn_coarse *c);

/* The equations for a machine. */
struct kn_steady_equations kn_coarse_equations(const struct kn_coarse *c);

/* coefficients[cell][functions] of an approximate solution for moments[cell][functions + 1] of the right-hand
 * side, as kn_steady_backend.project gives them.  In a closed box the mean of the mass is taken out of both.
 */
void kn_coarse_solve(const struct kn_coarse *c, const double *moments, double *coefficients);

/* The block in row `cell` that multiplies the coefficients of `other`; NULL: zero. */
const double *kn_coarse_block(const struct kn_coarse *c, int cell, int other);

#endif
