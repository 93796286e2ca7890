/* Plain scalar versions of the fast sweeps, with which tests and benchmark compare. */
#ifndef KN_ORACLE_H
#define KN_ORACLE_H

#include "backend/backend.h"
#include "collision/sampling.h"

/* The Monte Carlo collision step of one cell with the projection correction:
 * samples one after the other, invariants restored from sums before and after. */
void oracle_collide(const struct kn_problem *p, const struct kn_sample *samples, float *row);

/* One streaming step of every cell, from h into next, by the formulas of
 * theory.md section 5 written node by node with index arithmetic.  Returns the
 * emission density of each face in density[nfaces]. */
void oracle_stream(const struct kn_problem *p, double dt, const float *h, float *next, double *density);

/* Linearised BGK of one cell over dt, on a gauss grid, whose moments are exact:
 * h - (1 - exp(-dt)) (h - rho - 2 u.v - theta (v.v - 3/2)). */
void oracle_linear_bgk(const struct kn_velocity *v, double dt, float *row);

/* A model equation of one cell over dt, with the projection correction: the formulas of theory.md section 7
 * in double precision, node by node. Along reduced axes the target is projected on polynomials of third
 * degree by a quadrature of 24 nodes. */
void oracle_model(const struct kn_problem *p, double dt, float *row);

/* Collisions of one cell over dt with the assembled operator, and its quadratic part at eps > 0. */
void oracle_operate(const struct kn_problem *p, double dt, float *row);

#endif
