/* The linear collision operator as matrices, theory section 12: assembled once for a
 * velocity grid, the same in every cell at every step. */
#ifndef KN_OPERATOR_H
#define KN_OPERATOR_H

#include "comm/comm.h"
#include "point/pair.h"
#include "grid/velocity.h"

enum {
    KN_PARITIES = 8,
    KN_OPERATOR_FACE = 12,  /* directions along an edge of a face of the cube */
    KN_OPERATOR_NODES = 20, /* an axis, at most: beyond, nodes weigh too little for double precision */
};

/* A function of parity p is odd along the axes whose bits p has; on one octant of the
 * velocity grid, unfolded, the operator acts on each parity by itself.  Its matrix,
 * W^(1/2) L W^(-1/2), is symmetric and kept as eigenvectors and rates. */
struct kn_operator {
    int size;                    /* nodes in an octant */
    double *weight;              /* [size] of the unfolded grid: eight octants sum to 1 */
    double *vector[KN_PARITIES]; /* [size][size], vector i at [i] */
    double *rate[KN_PARITIES];   /* [size], ascending, none above 0 */
    double strength;             /* K of theory (43) */
    double exponent;             /* collisions of relative speed g are as frequent as g^exponent */
    double scale;                /* that a step multiplies the rates with */
    double viscosity;            /* of the grid before scaling, mu0 */
    double prandtl;
    double defect;   /* largest residual of an invariant, relative to the fastest rate */
    char origin[32]; /* "cache", or the backend that has assembled it */
    char note[512];  /* what a user should know about that; "" = nothing */
};

/* Somebody who is told, from 0 to 1, how much of the assembly is done (by this rank, of what it
 * has to do), and says whether to go on.  Calls come one at a time, from any thread; 1 comes
 * twice, before and after the eigenvectors are found. */
struct kn_listener {
    bool (*hear)(void *to, double part);
    void *to;
    bool hollow; /* do not assemble: matrices of zeros, for somebody who only measures how long steps take */
};

static inline bool kn_listener_tell(const struct kn_listener *listener, double part)
{
    return !listener || listener->hear(listener->to, part);
}

struct kn_backend;

/* Assemble for this grid, or read what an earlier run has left in the cache.  All ranks call it
 * and have the same bits, whatever their number; the first reads, writes and asks its machine.
 * A machine that cannot assemble, or fails to, leaves it to the CPUs of all; NULL does, too.
 * A listener may be NULL; one who wants no more ends it on all ranks with KN_EINTERRUPTED. */
enum kn_status kn_operator_create(struct kn_operator *o, const struct kn_case *c, const struct kn_velocity *v,
                                  const struct kn_comm *comm, const struct kn_backend *machine,
                                  const struct kn_listener *listener);
void kn_operator_destroy(struct kn_operator *o);

/* Bytes that the assembly takes on the rank that needs most. */
double kn_operator_memory(const struct kn_velocity *v, const struct kn_comm *comm);

/* What earlier runs left in the cache (operator_cache.c); true when it was there, whole
 * and for this grid.  Saving is a convenience: where it fails nothing is said. */
bool kn_operator_load(struct kn_operator *o, const struct kn_velocity *v);
void kn_operator_save(const struct kn_operator *o, const struct kn_velocity *v);

/* exp(L dt) - 1 of a parity, as it acts on h: [size][size]. */
enum kn_status kn_operator_change(const struct kn_operator *o, int parity, double dt, float *matrix);

/* A set of axes as octant bits of a grid -> as bits of a parity. */
int kn_operator_parity(const struct kn_velocity *v, int odd);

#endif
