/* The initial state of a run. */
#ifndef KN_INITIAL_H
#define KN_INITIAL_H

#include "grid/space.h"
#include "grid/velocity.h"

/* h of one cell at t = 0 into row[nnodes], theory (37). */
void kn_initial_fill(const struct kn_case *c, const struct kn_space *space, const struct kn_velocity *v,
                     int cell, float *row);

/* The wave of the initial state, cos(2 pi wave.x / size), averaged over a cell. */
double kn_initial_wave(const struct kn_case *c, const struct kn_space *space, int cell);

#endif
