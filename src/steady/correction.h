/* The correction of the moments of a change, theory (64). */
#ifndef KN_CORRECTION_H
#define KN_CORRECTION_H

#include "steady/coarse.h"
#include "steady/whole.h"

/* Of the cells of this rank, or of all. */
struct kn_cell_numbers {
    double *moments[2];      /* [ncells][functions + 1] */
    double *coefficients[2]; /* [ncells][functions] */
};

/* Rank 0 solves the moment equations of all cells. */
struct kn_correction {
    const struct kn_whole *whole;
    const struct kn_steady_plan *plan; /* of the cells of this rank */
    const struct kn_steady_backend *backend;
    void *machine;
    bool solves; /* there are moment equations, on rank 0: */
    struct kn_coarse coarse;
    bool corrects;         /* the machine solves them */
    bool strong;           /* a disturbance that changes the moment equations */
    int linearised;        /* times that they were linearised about the solution */
    int parts;             /* 2: real and imaginary */
    double omega;          /* frequency of the oscillation; 0: steady state */
    double *mass, *volume; /* [regions] of the solution; of the gas */
    double *surplus;       /* [regions] density */
    double *excess;        /* [ncells][functions + 1] of a strong disturbance, in the cells of this rank */
    struct kn_cell_numbers own, all; /* all: on rank 0; with one rank the same memory as own */
};

/* The arguments are referenced.  All ranks call these functions. */
enum kn_status kn_correction_create(struct kn_correction *s, const struct kn_whole *whole,
                                    const struct kn_steady_backend *backend, void *machine, double omega);
void kn_correction_destroy(struct kn_correction *s);

/* The solution is given; closed regions keep its mass. */
enum kn_status kn_correction_start(struct kn_correction *s);

/* Correct the real and imaginary part of a change. */
enum kn_status kn_correction_apply(struct kn_correction *s, const int change[2]);

/* Linearise the moment equations of a strong disturbance about the solution, by a small change along each
 * trial function.  `space` is a vector that is overwritten. */
enum kn_status kn_correction_linearise(struct kn_correction *s, int space);

#endif
