/* Least-squares gradients of control volumes, theory (72). */
#ifndef KN_GRADIENT_H
#define KN_GRADIENT_H

#include "grid/volumes.h"

/* Replace the displacements to the neighbours of a control volume by the weights of their values, and find
 * the inverse matrices for all sets of its facets. */
enum kn_status kn_gradient_fill(struct kn_volumes *v, int volume);

#endif
