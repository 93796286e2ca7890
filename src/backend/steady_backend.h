/* The interface between the steady-state solver and machines: sweeps over phase space on numbered vectors,
 * theory section 16.
 *
 * A vector has one number per cell and velocity node, in the order of the state h, and belongs to the
 * machine.  The solver knows vectors by their number only.  A machine may store vectors in single precision,
 * except vector KN_STEADY_SOLUTION, which is in double precision: at delta = 1000 the residual of a state in
 * single precision is larger than the sources.  Sums of `residual` and `apply` are in double precision.
 * Results do not depend on the number of threads. */
#ifndef KN_STEADY_BACKEND_H
#define KN_STEADY_BACKEND_H

#include "backend/backend.h"

enum {
    KN_STEADY_SOLUTION = 0,   /* the number of the vector with the solution */
    KN_STEADY_FUNCTIONS = 13, /* trial functions of a cell, at most */
    KN_STEADY_PRODUCTS = 20   /* of one call, at most */
};

/* The discrete problem, owned by the solver.  Rates are those of the equation divided by the speed unit of
 * the reference, per lambda0.  Functions are tables over the nodes of an octant, [size]; a function with the
 * parity p (bits of octants) changes its sign in the octants that have an odd number of the bits of p. */
struct kn_steady_plan {
    const struct kn_problem *problem;
    double rate;             /* of collisions and sources: the factor of collision->source */
    const double *frequency; /* [size] nu, theory (61) */

    /* L of each parity, as matrix[row][column] over the nodes of an octant; NULL: L is that of a model
     * equation, L h = - loss h + sum_k gain_k phi_k <phi_k, h>. */
    const double *matrix[KN_PARITIES];
    double loss, gain[KN_STEADY_FUNCTIONS];

    int functions;                   /* trial functions phi_k of a cell, orthonormal */
    int parity[KN_STEADY_FUNCTIONS]; /* bits of octants */
    const double *trial;             /* [functions][size] phi_k */
    const double *lagged;            /* [functions][size] (L + N) phi_k */

    /* [ncells][6] The neighbours of a cell that a sweep may compute before it, as in kn_space.neighbour:
     * cells of this rank and of others, and links.  What is beyond walls, mirrors and periodic ends is
     * KN_SPACE_OUTSIDE. */
    const int32_t *upwind;
    const int32_t *route; /* [octants][ncells] cells in an order in which upwind cells of this rank come
                             first, up to circles of control volumes */
    const double *volume; /* [ncells] product of the widths along the axes of space->axes, or that of the
                             control volume with the row; 0: no row */

    /* Connected regions of the gas, in a plan of all cells.  Nothing determines the mass in a closed region.
     */
    int regions;
    const int32_t *region; /* [ncells] -1: no row */
    const bool *closed;    /* [regions] */
};

/* The moment equations, theory (64), owned by the solver. */
struct kn_steady_equations {
    const struct kn_steady_plan *plan;
    int star;               /* cells that are coupled to a cell, with itself, at most */
    const int32_t *columns; /* [ncells][star] cells; -1: none */
    const double *blocks;   /* [ncells][star][functions][functions] that multiply their coefficients */
    bool closed;            /* the mass of the gas is given, and the equations are singular without it */
};

struct kn_steady_backend {
    bool ranks;                                      /* it computes on several ranks, too */
    bool (*lacks)(const struct kn_problem *problem); /* part of a problem, which the CPU has; NULL: nothing */
    /* Memory for a number of vectors, all zero. */
    enum kn_status (*create)(void **machine, const struct kn_steady_plan *plan, int vectors);
    void (*destroy)(void *machine);
    double (*memory)(const struct kn_problem *problem, int vectors); /* bytes; needs only sizes */

    /* Rows of a vector, [count][nnodes]. */
    enum kn_status (*put)(void *machine, int x, int64_t first, int64_t count, const float *rows);
    enum kn_status (*get)(void *machine, int x, int64_t first, int64_t count, float *rows);

    /* to <- b - A from, theory (60): transport with faces of space.order at a Courant number of 0, walls with
     * their data, collisions (with those of a finite disturbance) and sources. */
    enum kn_status (*residual)(void *machine, int from, int to);
    /* to <- A from, the linear part of the same. */
    enum kn_status (*apply)(void *machine, int from, int to);

    /* The fluxes (23) through the wall faces and facets in a vector, [kn_space_fluxes][KN_FLUXES]. */
    enum kn_status (*fluxes)(void *machine, int x, double *fluxes);
    enum kn_status (*set_walls)(void *machine); /* the emission of the problem has changed */

    /* to <- (T1 + N + i omega)^-1 from, theory (61): first-order upwind, nothing enters through walls,
     * facets, mirrors and periodic ends.  Vectors [0] are real and [1] imaginary parts; the latter are not
     * used if omega is 0. */
    enum kn_status (*sweep)(void *machine, double omega, const int from[2], const int to[2]);

    /* moments[cell][functions + 1]: <phi_k, (L + N) x> and, at the end, <1, x>. */
    enum kn_status (*project)(void *machine, int x, double *moments);
    /* moments[cell][functions + 1]: <phi_k, Q(x + g) - Q(x) - L g>, at a finite disturbance; the last is 0.
     */
    enum kn_status (*exceed)(void *machine, int x, int g, double *moments);
    /* Before `prolong` at a finite disturbance: to += the change of the local Maxwellian of x + to by it,
     * without the part along the invariants, or along all trial functions. */
    enum kn_status (*lift)(void *machine, int x, const double *coefficients, bool all, int to);
    /* to += sum_k coefficients[cell][k] phi_k */
    enum kn_status (*prolong)(void *machine, const double *coefficients, int to);

    /* Prepare the solution of the moment equations (NULL: without them, c is zero) by the machine; *able:
     * false if it cannot solve them.  A machine may use approximate equations.  NULL: it cannot solve any. */
    enum kn_status (*factorise)(void *machine, const struct kn_steady_equations *equations, bool *able);
    /* x += sum_k c_k phi_k, c the solution for the moments of x; in a closed box minus the density that gives
     * x the mass zero.  After factorise. */
    enum kn_status (*correct)(void *machine, int x);

    /* products[i] <- sum over cells and nodes of volume w a x_i; if `scaled` is set, a and x_i are divided by
     * the diagonal of T1 + N. */
    enum kn_status (*products)(void *machine, int a, int count, const int *x, bool scaled, double *products);
    /* to <- scale to + sum_i factors[i] x_i */
    enum kn_status (*combine)(void *machine, int to, double scale, int count, const int *x,
                              const double *factors);
};

#endif
