/* The linear collision operator as matrices, theory section 12: assembled once for a
 * velocity grid, the same in every cell at every step. */
#ifndef KN_OPERATOR_H
#define KN_OPERATOR_H

#include "collision/progress_callback.h"
#include "comm/comm.h"
#include "config/case.h"
#include "grid/velocity.h"
#include "point/pair.h"

enum {
    KN_PARITIES = 8,
    KN_OPERATOR_FACE = 12, /* directions along an edge of a face of the cube */
};

/* A function of parity p is odd along the axes whose bits are set in p. On one octant of the unfolded
 * velocity grid the operator acts on each parity separately. Its matrix, W^(1/2) L W^(-1/2), is symmetric
 * and stored as eigenvectors and rates. */
struct kn_operator {
    int size;                    /* nodes in an octant */
    int degree;                  /* of the polynomials whose collisions are exact, theory (44a) */
    double *weight;              /* [size] of the unfolded grid: eight octants sum to 1 */
    double *vector[KN_PARITIES]; /* [size][size], vector i at [i] */
    double *rate[KN_PARITIES];   /* [size], ascending, none above 0 */
    double strength;             /* K of theory (43) */
    double exponent;  /* the frequency of collisions of relative speed g is proportional to g^exponent */
    double scale;     /* factor of the rates in a step */
    double viscosity; /* of the grid before scaling, mu0 */
    double prandtl;
    double defect;   /* largest residual of an invariant, relative to the fastest rate */
    char origin[32]; /* "cache", or the backend that has assembled it */
    char note[512];  /* a note for the user; "": none */
};

/* A machine that can compute the sums of the collision operator, [KN_PARITIES][size][size]; the bits are the
 * same each time. */
struct kn_assembler {
    const char *name;
    enum kn_status (*assemble)(const struct kn_assembly *what, const struct kn_progress_callback *progress,
                               double *sums);
};

/* Assemble the operator for this grid, or read it from the cache.  All ranks call it and get the same bits,
 * for any number of ranks.  Rank 0 reads and writes the cache and calls the assembler.  If that fails, or is
 * NULL, the CPUs of all ranks assemble.  The progress callback may be NULL; 1 is reported twice, before and
 * after the eigenvectors are computed.  If it returns false, all ranks return KN_EINTERRUPTED. */
enum kn_status kn_operator_create(struct kn_operator *o, const struct kn_case *c, const struct kn_velocity *v,
                                  const struct kn_comm *comm, const struct kn_assembler *assembler,
                                  const struct kn_progress_callback *progress);
void kn_operator_destroy(struct kn_operator *o);

/* Bytes for the assembly on the rank with the largest demand. */
double kn_operator_memory(const struct kn_velocity *v, const struct kn_comm *comm);

/* Read the cache (operator_cache.c); true if it has a valid entry for this grid. Errors of saving are
 * ignored. */
bool kn_operator_load(struct kn_operator *o, const struct kn_velocity *v);
void kn_operator_save(const struct kn_operator *o, const struct kn_velocity *v);

/* exp(L dt) - 1 of a parity, as it acts on h: matrix[size][size].  `space` holds 2 size^2 doubles. */
void kn_operator_change(const struct kn_operator *o, int parity, double dt, double *space, float *matrix);

/* exp(L dt) - 1 times a function of a parity, from[size] and to[size]. */
void kn_operator_apply(const struct kn_operator *o, int parity, double dt, const double *from, double *to);

/* Converts a set of axes from octant bits of a grid to bits of a parity. */
int kn_operator_parity(const struct kn_velocity *v, int odd);

#endif
