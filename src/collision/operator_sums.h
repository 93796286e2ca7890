/* The sums of theory (44) over all collisions, from which the matrices of the operator are computed. */
#ifndef KN_OPERATOR_SUMS_H
#define KN_OPERATOR_SUMS_H

#include "collision/operator.h"

/* Sums of c d d^T, d = interpolation after the collision minus that before, theory (44): [KN_PARITIES][size]
 * [size], one matrix for each difference of the octants of the two nodes. The number of doubles: */
size_t kn_operator_sums_length(const struct kn_assembly *g);

/* All ranks compute the sums together, on the CPU, and all receive them: the same bits for any number of
 * ranks and threads. If one rank fails or is stopped by its progress callback, all return that status. */
enum kn_status kn_operator_sums_add(const struct kn_assembly *g, const struct kn_comm *comm, int threads,
                                    const struct kn_progress_callback *progress, double *sums);

/* Bytes for this besides the sums, on the rank with the largest demand. */
double kn_operator_sums_memory(const struct kn_assembly *g, const struct kn_comm *comm);

#endif
