/* The sums of theory (44) over all collisions, which become the matrices of the operator. */
#ifndef KN_OPERATOR_SUMS_H
#define KN_OPERATOR_SUMS_H

#include "collision/operator.h"

/* Sums of c d d^T, d = interpolation after the collision less that before, theory (44):
 * [size][size] for each way in which the octants of the two nodes differ.  With what d
 * lacks of the cubes, e = D v^3 - d.v^3 along each axis: sums of c e d and c e e. */
struct kn_operator_sums {
    double *part[KN_PARITIES];
    double *lack[3]; /* [size] */
    double *square;  /* [3] */
};

/* Doubles of one set of sums, and where in them each begins.  A line may reach one beyond the end of
 * its sum. */
size_t kn_operator_sums_length(const struct kn_assembly *g);
struct kn_operator_sums kn_operator_sums_carve(const struct kn_assembly *g, double *memory);

/* All ranks add up the sums together, on the CPU, and all have them: the same bits for any number of
 * ranks and threads.  Where one rank fails or its listener has heard enough, all end with that. */
enum kn_status kn_operator_sums_add(const struct kn_assembly *g, const struct kn_comm *comm, int threads,
                                    const struct kn_listener *listener, double *sums);

/* Bytes that this takes beside the sums, on the rank that needs most. */
double kn_operator_sums_memory(const struct kn_assembly *g, const struct kn_comm *comm);

#endif
